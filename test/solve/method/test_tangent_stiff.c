// SPDX-License-Identifier: Apache-2.0
// Method `tangent` on stiff models: the flyball governor against its reference, with few iterations
// a step (Newton in coordinates of the tangent space), and the same bits in a second run.
#include "holonom/holonom.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// after the headers it needs
#include <cmocka.h>

#include "flyball.h"

typedef struct Run {
    HolModel *model;
    HolSimOptions options;
    HolSim *sim;
} Run;

static Run begin(const char *file, const HolSetting *settings, int count) {
    Run r;
    HolError err;
    char path[512];
    snprintf(path, sizeof path, HOL_SOURCE_DIR "/models/%s", file);
    if (hol_model_load(path, settings, count, &r.model, &r.options, &err) ||
        hol_sim_create(r.model, &r.options, &r.sim, &err))
        fail_msg("%s", err.text);
    return r;
}

static void end(Run *r) {
    hol_sim_destroy(r->sim);
    hol_model_destroy(r->model);
}

static void test_governor(void **state) {
    (void)state;
    static const struct {
        const char *tolerance;
        double error, iterations;
    } expected[] = {{"1e-5", 1e-4, 4}, {"1e-7", 3e-6, 3}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const HolSetting settings[] = {{"method", "tangent"}, {"tolerance", expected[i].tolerance}};
        Run r = begin("flyball.yaml", settings, 2);
        const double error = slider_error(r.sim, 5);
        const HolStats stats = hol_sim_stats(r.sim);
        if (!(error <= expected[i].error))
            fail_msg("tolerance %s: s is off by %g", expected[i].tolerance, error);
        assert_true((double)stats.newton_iterations <=
                    expected[i].iterations * (double)stats.steps);
        assert_true(stats.residual_position < 1e-13 && stats.residual_velocity < 1e-12 &&
                    stats.residual_acceleration < 1e-10);
        end(&r);
    }
}

// The same numbers to the last bit in a second run.
static void test_reproducible(void **state) {
    (void)state;
    static const char *const models[] = {"flyball.yaml", "bricard.yaml",
                                         "stiff-double-pendulum.yaml"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        double q[2][64];
        for (int k = 0; k < 2; k++) {
            HolError err;
            const HolSetting settings[] = {{"method", "tangent"}, {"tolerance", "1e-6"}};
            Run r = begin(models[i], settings, 2);
            if (hol_sim_advance(r.sim, 1, &err))
                fail_msg("%s: %s", models[i], err.text);
            const HolView view = hol_sim_view(r.sim);
            assert_true(view.nq <= 64);
            memcpy(q[k], view.q, sizeof(double) * (size_t)view.nq);
            if (k == 1)
                assert_memory_equal(q[0], q[1], sizeof(double) * (size_t)view.nq);
            end(&r);
        }
    }
}

// 16 stiff degrees of freedom: the complex saddle point, against the series, which knows nothing of
// it
static void test_many_degrees_of_freedom(void **state) {
    (void)state;
    static const struct {
        const char *method, *tolerance;
        double error;
        long steps;
    } runs[] = {{"taylor", "1e-9", 0, 100000},
                {"tangent", "1e-3", 1e-5, 70},
                {"tangent", "1e-5", 1e-8, 150}};
    double q[3][64];
    for (int i = 0; i < 3; i++) {
        const HolSetting settings[] = {
            {"method", runs[i].method}, {"tolerance", runs[i].tolerance}, {"end", "0.2"}};
        HolError err;
        Run r = begin("../test/ref/stiff-row-8.yaml", settings, 3);
        if (hol_sim_advance(r.sim, 0.2, &err))
            fail_msg("%s", err.text);
        const HolView view = hol_sim_view(r.sim);
        double worst = 0;
        assert_true(view.nq <= 64);
        for (int k = 0; k < view.nq; k++) {
            q[i][k] = view.q[k];
            worst = fmax(worst, fabs(q[i][k] - q[0][k]));
        }
        if (!(worst <= runs[i].error) || hol_sim_stats(r.sim).steps > runs[i].steps)
            fail_msg("%s, tolerance %s: off by %.2e in %ld steps", runs[i].method,
                     runs[i].tolerance, worst, hol_sim_stats(r.sim).steps);
        end(&r);
    }
}

// Order 6 in q, v and lambda where the complex saddle point is used, observed over tolerances from
// 1e-1 to 1e-5 (stiffness costs part of it); all three levels of constraints stay at round-off.
static void test_sixth_order(void **state) {
    (void)state;
    enum { RUNS = 4 };
    static const char *const tolerances[RUNS] = {"1e-10", "1e-1", "1e-3", "1e-5"};
    static const double largest[RUNS] = {0, 1e-4, 1e-6, 1e-8};
    static const long steps[RUNS] = {100000, 64, 150, 400};
    double x[RUNS][3][64], error[RUNS][3], taken[RUNS]; // q, v, lambda
    for (int i = 0; i < RUNS; i++) {
        const HolSetting settings[] = {{"method", "tangent"}, {"tolerance", tolerances[i]}};
        HolError err;
        Run r = begin("../test/ref/stiff-row-8.yaml", settings, 2);
        if (hol_sim_advance(r.sim, 1, &err))
            fail_msg("%s", err.text);
        const HolView view = hol_sim_view(r.sim);
        const HolStats stats = hol_sim_stats(r.sim);
        const double *const what[3] = {view.q, view.v, view.lambda};
        const int count[3] = {view.nq, view.nv, view.m};
        for (int level = 0; level < 3; level++) {
            error[i][level] = 0;
            assert_true(count[level] <= 64);
            for (int k = 0; k < count[level]; k++) {
                x[i][level][k] = what[level][k];
                error[i][level] = fmax(error[i][level], fabs(x[i][level][k] - x[0][level][k]));
            }
        }
        taken[i] = (double)stats.steps;
        if (!(error[i][0] <= largest[i]) || stats.steps > steps[i])
            fail_msg("tolerance %s: off by %.2e in %ld steps", tolerances[i], error[i][0],
                     stats.steps);
        assert_true(stats.residual_position < 1e-14 && stats.residual_velocity < 1e-13 &&
                    stats.residual_acceleration < 1e-11);
        end(&r);
    }
    for (int level = 0; level < 3; level++) {
        const double order =
            log(error[1][level] / error[RUNS - 1][level]) / log(taken[RUNS - 1] / taken[1]);
        if (!(order > 5 && order < 7))
            fail_msg("level %d: observed order %.2f", level, order);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_governor),
        cmocka_unit_test(test_reproducible),
        cmocka_unit_test(test_many_degrees_of_freedom),
        cmocka_unit_test(test_sixth_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
