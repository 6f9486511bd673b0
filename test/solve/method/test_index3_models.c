// SPDX-License-Identifier: Apache-2.0
// newmark, hht, generalized-alpha and dae-alpha on models under error control: positions at
// round-off, reactions of driven mechanisms, redundant rows.
#include "holonom/holonom.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// after the headers it needs
#include <cmocka.h>

static const char *const methods[] = {"newmark", "hht", "generalized-alpha", "dae-alpha"};
enum { METHODS = 4 };

static const char pendulum[] =
    "holonom: 1\nname: pendulum\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "  - {name: b, mass: 1, inertia: 1/12, position: [0.5, 0], points: {t: [-0.5, 0]}}\n"
    "joints:\n  - {name: H, type: revolute, between: [ground, b.t]}\nsimulation: {end: 3}\n";

// a hinge turned at 20 rad/s with a load out of balance: x = 0.1 cos(20 t), |force| = 40 N
static const char motor[] =
    "holonom: 1\nname: motor\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.05], position: [0.1, 0, 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "motions:\n  - {name: m, joint: A, value: \"20*time\"}\nsimulation: {end: 10}\n";

typedef struct Run {
    HolModel *model;
    HolSimOptions options;
    HolSim *sim;
} Run;

// "file", or the text of a model
static Run begin(const char *what, const HolSetting *settings, int count) {
    Run r = {0};
    HolError err;
    char path[512];
    snprintf(path, sizeof path, HOL_SOURCE_DIR "/models/%.200s", what);
    HolStatus status = strchr(what, '\n')
                           ? hol_model_parse(what, strlen(what), "text", settings, count, &r.model,
                                             &r.options, &err)
                           : hol_model_load(path, settings, count, &r.model, &r.options, &err);
    if (status || hol_sim_create(r.model, &r.options, &r.sim, &err))
        fail_msg("%s", err.text);
    return r;
}

static void end(Run *r) {
    hol_sim_destroy(r->sim);
    hol_model_destroy(r->model);
}

// whatever the tolerance
static void positions_at_round_off(void **state) {
    (void)state;
    static const char *const models[] = {pendulum, "andrews.yaml", "heavy-top.yaml",
                                         "slider-crank-spatial.yaml"};
    static const char *const tolerances[] = {"1e-2", "1e-3", "1e-4"};
    for (int k = 0; k < 4 * METHODS * 3; k++) {
        const char *method = methods[k / 3 % METHODS], *tolerance = tolerances[k % 3],
                   *model = models[k / 3 / METHODS];
        const HolSetting settings[] = {{"method", method}, {"tolerance", tolerance}};
        Run r = begin(model, settings, 2);
        HolError err;
        if (hol_sim_advance(r.sim, r.options.end, &err))
            fail_msg("%s, %s, %s: %s", model, method, tolerance, err.text);
        const double off = hol_sim_stats(r.sim).residual_position;
        if (!(off < 1e-14))
            fail_msg("%s, %s, %s: positions are off by %g", model, method, tolerance, off);
        end(&r);
    }
}

// the reactions of a mechanism without a degree of freedom follow the tolerance; every step end
static void driven_reactions(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        const HolSetting settings[] = {{"method", methods[k]}, {"tolerance", "1e-4"}, {"end", "1"}};
        Run r = begin(motor, settings, 3);
        HolError err;
        while (hol_sim_view(r.sim).t < 1) {
            if (hol_sim_step(r.sim, 1, &err))
                fail_msg("%s: %s", methods[k], err.text);
            const HolView x = hol_sim_view(r.sim);
            const double force = hypot(x.a[0], x.a[1]);
            if (!(fabs(force - 40) < 1e-6 && fabs(x.q[0] - 0.1 * cos(20 * x.t)) < 1e-12))
                fail_msg("%s: at %g the force is %.10g N", methods[k], x.t, force);
        }
        assert_in_range(hol_sim_stats(r.sim).steps, 1000, 2500);
        // between the ends
        double a[6], h = 0.01;
        const double t = 1 - 0.4 * h;
        if (hol_sim_interpolate(r.sim, t, NULL, NULL, a, NULL, NULL) == HOL_OK)
            assert_true(fabs(a[0] + 40 * cos(20 * t)) < 0.1);
        end(&r);
    }
}

// Bricard's mechanism, one row too many: energy is kept according to the tolerance, 29 J move about
static void redundant_rows(void **state) {
    (void)state;
    static const struct {
        const char *key, *value;
        double drift;
    } cases[] = {{"tolerance", "1e-3", 0.6},  {"tolerance", "1e-4", 0.1},
                 {"tolerance", "1e-5", 0.02}, {"tolerance", "1e-6", 0.004},
                 {"step", "0.05", 0.3},       {"step", "0.01", 2e-3}};
    for (size_t k = 0; k < METHODS * sizeof cases / sizeof *cases; k++) {
        const char *method = methods[k % METHODS], *value = cases[k / METHODS].value;
        const HolSetting settings[] = {{"method", method}, {cases[k / METHODS].key, value}};
        Run r = begin("bricard.yaml", settings, 2);
        HolError err;
        if (hol_sim_advance(r.sim, 10, &err))
            fail_msg("%s, %s: %s", method, value, err.text);
        const HolStats stats = hol_sim_stats(r.sim);
        if (!(stats.energy_max_drift < cases[k / METHODS].drift))
            fail_msg("%s, %s: energy drifts by %g J", method, value, stats.energy_max_drift);
        if (!(stats.residual_position < 2e-14))
            fail_msg("%s, %s: positions are off by %g", method, value, stats.residual_position);
        assert_true(stats.rejected <= 5 + stats.steps / 4);
        end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_at_round_off),
        cmocka_unit_test(driven_reactions),
        cmocka_unit_test(redundant_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
