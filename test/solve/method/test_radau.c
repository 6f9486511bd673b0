// SPDX-License-Identifier: Apache-2.0
// Method `radau`: stiff models against references, damping, constraint levels, error control, dense
// output, both kinds of local coordinates, what it refuses; and the explicit kinematics of trees.
#include "holonom/holonom.h"
#include "problem/problem_extras.h"

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

enum { MOST = 128 };

typedef struct Run {
    HolModel *model;
    HolSimOptions options;
    HolSim *sim;
} Run;

// "file", or the text of a model
static void load(const char *what, const HolSetting *settings, int count, Run *r) {
    HolError err;
    char path[512];
    snprintf(path, sizeof path, HOL_SOURCE_DIR "/models/%.200s", what);
    HolStatus status = strchr(what, '\n')
                           ? hol_model_parse(what, strlen(what), "text", settings, count, &r->model,
                                             &r->options, &err)
                           : hol_model_load(path, settings, count, &r->model, &r->options, &err);
    if (status)
        fail_msg("%s", err.text);
}

static Run begin(const char *what, const HolSetting *settings, int count) {
    Run r = {0};
    HolError err;
    load(what, settings, count, &r);
    if (hol_sim_create(r.model, &r.options, &r.sim, &err))
        fail_msg("%s: %s", what, err.text);
    assert_true(hol_sim_view(r.sim).nq <= MOST);
    return r;
}

static void end(Run *r) {
    hol_sim_destroy(r->sim);
    hol_model_destroy(r->model);
}

static void advance(Run *r, double t) {
    HolError err;
    if (hol_sim_advance(r->sim, t, &err))
        fail_msg("%s", err.text);
}

static double distance(const double *a, const double *b, int n) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

// ---- stiff models ----

static void test_governor(void **state) {
    (void)state;
    static const struct {
        const char *tolerance, *order;
        double error;
        int steps;
    } expected[] = {{"5e-5", "0", 2e-6, 140}, {"1e-5", "5", 1e-6, 550},  {"1e-6", "7", 3e-8, 350},
                    {"3e-6", "9", 1e-7, 145}, {"1e-7", "11", 5e-9, 160}, {"1e-8", "13", 3e-9, 150},
                    {"1e-1", "0", 1e-2, 90}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const HolSetting settings[] = {{"method", "radau"},
                                       {"method.order", expected[i].order},
                                       {"tolerance", expected[i].tolerance}};
        Run r = begin("flyball.yaml", settings, 3);
        const double error = slider_error(r.sim, 10);
        const HolStats stats = hol_sim_stats(r.sim);
        if (!(error <= expected[i].error) || stats.steps > expected[i].steps)
            fail_msg("order %s, tolerance %s: s is off by %g after %ld steps", expected[i].order,
                     expected[i].tolerance, error, stats.steps);
        const long attempts = stats.steps + stats.rejected;
        assert_true(stats.newton_iterations <= (expected[i].error < 1e-3 ? 3 : 6) * attempts);
        assert_true(stats.residual_position < 1e-14 && stats.residual_velocity < 5e-14 &&
                    stats.residual_acceleration < 1e-11);
        end(&r);
    }
}

// eigenvalue -1e5 1/s; angle at 2 s from a solution in minimal coordinates. Also with steps given
// from outside, far longer than the transient at the start
static void test_stiff_pendulum(void **state) {
    (void)state;
    static const struct {
        const char *key, *value;
        double error;
        int steps;
    } expected[] = {{"tolerance", "1e-7", 1e-6, 200},
                    {"step", "0.001", 1e-6, 2000},
                    {"step", "0.02", 1e-5, 100}};
    for (int i = 0; i < 3; i++) {
        const HolSetting settings[] = {
            {"method", "radau"}, {expected[i].key, expected[i].value}, {"end", "2"}};
        Run r = begin("stiff-double-pendulum.yaml", settings, 3);
        advance(&r, 2);
        const double error = fabs(hol_sim_view(r.sim).q[2] - 4.6404781832213311334);
        const long steps = hol_sim_stats(r.sim).steps;
        if (!(error < expected[i].error) || steps > expected[i].steps)
            fail_msg("%s %s: the angle is off by %g after %ld steps", expected[i].key,
                     expected[i].value, error, steps);
        end(&r);
    }
}

// fast vibration dies out at once, slow vibration hardly changes
static void test_damping(void **state) {
    (void)state;
    static const char model[] = "holonom: 1\nname: two\nspace: planar\nbodies:\n"
                                "  - {name: fast, type: coordinate, mass: 1, position: 1}\n"
                                "  - {name: slow, type: coordinate, mass: 1, position: 1}\n"
                                "forces:\n  - {type: expression, on: fast, value: \"-1e10*fast\"}\n"
                                "  - {type: expression, on: slow, value: \"-slow\"}\n"
                                "simulation: {end: 2, method: radau, step: 0.1}\n";
    Run r = begin(model, NULL, 0);
    advance(&r, 2);
    const HolView x = hol_sim_view(r.sim);
    assert_true(fabs(x.q[0]) < 1e-6);
    assert_true(fabs(x.q[1] - cos(2)) < 1e-8);
    end(&r);
}

// ---- accuracy ----

// error against the tolerance over six decades
static void test_control(void **state) {
    (void)state;
    static const char *const tolerances[] = {"1e-3", "1e-5", "1e-7", "1e-9"};
    static const char *const models[] = {"double-pendulum.yaml", "heavy-top.yaml"};
    for (int k = 0; k < 2; k++) {
        double exact[MOST], error[4];
        for (int i = -1; i < 4; i++) {
            const HolSetting settings[] = {{"method", i < 0 ? "taylor" : "radau"},
                                           {"tolerance", i < 0 ? "1e-14" : tolerances[i]},
                                           {"end", "0.5"}};
            Run r = begin(models[k], settings, 3);
            advance(&r, 0.5);
            const HolView x = hol_sim_view(r.sim);
            if (i < 0)
                memcpy(exact, x.q, sizeof *exact * (size_t)x.nq);
            else
                error[i] = distance(x.q, exact, x.nq);
            end(&r);
        }
        for (int i = 0; i < 4; i++)
            if (!(error[i] < 30 * atof(tolerances[i])))
                fail_msg("%s: tolerance %s left an error of %g", models[k], tolerances[i],
                         error[i]);
        const double slope = log10(error[0] / error[3]) / 6;
        if (!(slope > 0.7 && slope < 1.5))
            fail_msg("%s: the error follows the tolerance with exponent %g", models[k], slope);
    }
}

// states inside a step are as good as its ends and on the constraints
static void test_dense(void **state) {
    (void)state;
    static const char *const models[] = {"modelica/double-pendulum.yaml", "heavy-top.yaml"};
    for (int k = 0; k < 2; k++) {
        const HolSetting settings[] = {
            {"method", "radau"}, {"method.order", "7"}, {"tolerance", "1e-7"}, {"end", "0.3"}};
        const HolSetting exact[] = {{"method", "taylor"}, {"tolerance", "1e-13"}, {"end", "0.3"}};
        Run r = begin(models[k], settings, 4), e = begin(models[k], exact, 3);
        const HolProblem *p = hol_model_problem(r.model);
        double q[MOST], v[MOST], q1[MOST], v1[MOST], g[MOST], worst = 0, left = 0;
        void *work = aligned_alloc(64, (p->work_size + 63) / 64 * 64);
        memset(work, 0, p->work_size);
        p->work_init(p, work);
        HolError err;
        int inside = 0;
        for (double t = 0.011; t < 0.3; t += 0.0131) {
            while (hol_sim_view(r.sim).t < t)
                assert_int_equal(hol_sim_step(r.sim, 0.3, &err), HOL_OK);
            while (hol_sim_view(e.sim).t < t)
                assert_int_equal(hol_sim_step(e.sim, 0.3, &err), HOL_OK);
            hol_sim_interpolate(r.sim, t, q, v, NULL, NULL, NULL);
            hol_sim_interpolate(e.sim, t, q1, v1, NULL, NULL, NULL);
            worst = fmax(worst, distance(q, q1, p->nq));
            double speed = 1;
            for (int i = 0; i < p->nv; i++)
                speed = fmax(speed, fabs(v1[i]));
            worst = fmax(worst, distance(v, v1, p->nv) / speed);
            p->constraint(p, work, &(HolPoint){.t = t, .q = q}, g);
            for (int i = 0; i < p->nh; i++)
                left = fmax(left, fabs(g[i]));
            inside++;
        }
        if (!(worst < 3e-6 && left < 1e-14))
            fail_msg("%s: dense output is off by %g, %g off the constraints", models[k], worst,
                     left);
        assert_true(inside > 20);
        free(work);
        end(&r);
        end(&e);
    }
}

// largest residual of the acceleration constraints and of the equations of motion at a state,
// as a part of the size of a
static double equations_off(const HolProblem *p, void *work, double t, const double *q,
                            const double *v, const double *a, const double *lambda) {
    double r[MOST], g[MOST], G[4096], M[4096] = {0}, worst = 0, size = 1;
    assert_true(p->G.nnz <= 4096 && p->M.nnz <= 4096);
    p->force(p, work, &(HolPoint){.t = t, .q = q, .v = v}, r);
    p->mass(p, work, &(HolPoint){.t = t, .q = q}, 1, 0, M);
    p->jacobian(p, work, &(HolPoint){.t = t, .q = q}, G);
    p->acceleration_rhs(p, work, &(HolPoint){.t = t, .q = q, .v = v}, g);
    for (int j = 0; j < p->nv; j++) {
        size = fmax(size, fabs(a[j]));
        for (int k = p->M.ptr[j]; k < p->M.ptr[j + 1]; k++)
            r[p->M.idx[k]] -= M[k] * a[j];
    }
    for (int i = 0; i < p->nh; i++)
        for (int k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++) {
            r[p->G.idx[k]] -= G[k] * lambda[i];
            g[i] += G[k] * a[p->G.idx[k]];
        }
    for (int i = 0; i < p->nv; i++)
        worst = fmax(worst, fabs(r[i]));
    for (int i = 0; i < p->nh; i++)
        worst = fmax(worst, fabs(g[i]));
    return worst / size;
}

// accelerations and multipliers inside a step solve the equations there, and asking for them does
// not change the run: joint coordinates, a loop with a drive, redundant rows, a stiff mechanism
static void test_dense_accelerations(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double end;
    } cases[] = {{"modelica/double-pendulum.yaml", 1},
                 {"heavy-top.yaml", 0.5},
                 {"slider-crank.yaml", 0.1},
                 {"bricard.yaml", 1},
                 {"flyball.yaml", 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const HolSetting settings[] = {{"method", "radau"}, {"tolerance", "1e-6"}};
        Run r = begin(cases[c].model, settings, 2), quiet = begin(cases[c].model, settings, 2);
        const HolProblem *p = hol_model_problem(r.model);
        void *work = aligned_alloc(64, (p->work_size + 63) / 64 * 64);
        memset(work, 0, p->work_size);
        p->work_init(p, work);
        double q[MOST], v[MOST], a[MOST], lambda[MOST], before = hol_sim_view(r.sim).t;
        HolError err;
        while (hol_sim_view(r.sim).t < cases[c].end) {
            if (hol_sim_step(r.sim, cases[c].end, &err))
                fail_msg("%s", err.text);
            for (int i = 1; i < 4; i++) {
                const double t = before + 0.25 * i * (hol_sim_view(r.sim).t - before);
                hol_sim_interpolate(r.sim, t, q, v, a, lambda, NULL);
                const double off = equations_off(p, work, t, q, v, a, lambda);
                if (!(off < 1e-11))
                    fail_msg("%s: at %g the equations are off by %g", cases[c].model, t, off);
            }
            before = hol_sim_view(r.sim).t;
        }
        advance(&quiet, cases[c].end);
        const HolView x = hol_sim_view(r.sim), y = hol_sim_view(quiet.sim);
        assert_memory_equal(x.q, y.q, sizeof *x.q * (size_t)x.nq);
        assert_memory_equal(x.v, y.v, sizeof *x.v * (size_t)x.nv);
        assert_int_equal(hol_sim_stats(r.sim).factorizations,
                         hol_sim_stats(quiet.sim).factorizations);
        free(work);
        end(&r);
        end(&quiet);
    }
}

// ---- coordinates ----

// loops, drives, redundant rows, spherical joints, free bodies, dead points: against taylor
static void test_mechanisms(void **state) {
    (void)state;
    static const struct {
        const char *model, *end;
        double error;
    } cases[] = {{"andrews.yaml", "0.03", 1e-4},
                 {"bricard.yaml", "3", 1e-5},
                 {"four-bar.yaml", "2", 1e-5},
                 {"pendulum.yaml", "3", 1e-5},
                 {"slider-crank.yaml", "0.1", 1e-6},
                 {"slider-crank-spatial.yaml", "1", 1e-4},
                 {"modelica/planar-fourbar.yaml", "1", 1e-4},
                 {"modelica/force-and-torque.yaml", "1", 1e-5},
                 {"adams/spherical-2.yaml", "2", 1e-5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const HolSetting settings[] = {
            {"method", "radau"}, {"tolerance", "1e-7"}, {"end", cases[i].end}};
        const HolSetting exact[] = {
            {"method", "taylor"}, {"tolerance", "1e-12"}, {"end", cases[i].end}};
        Run r = begin(cases[i].model, settings, 3), e = begin(cases[i].model, exact, 3);
        advance(&r, atof(cases[i].end));
        advance(&e, atof(cases[i].end));
        const HolView x = hol_sim_view(r.sim), y = hol_sim_view(e.sim);
        const double error = distance(x.q, y.q, x.nq);
        const HolStats stats = hol_sim_stats(r.sim);
        if (!(error < cases[i].error))
            fail_msg("%s: q is off by %g", cases[i].model, error);
        if (!(stats.residual_position < 1e-14 && stats.residual_velocity < 1e-13))
            fail_msg("%s: residuals %g %g", cases[i].model, stats.residual_position,
                     stats.residual_velocity);
        end(&r);
        end(&e);
    }
}

// small and light things and large mass ratios, against taylor
static void test_scales(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double end;
    } cases[] = {{"holonom: 1\nname: micro top\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                  "  - {name: top, mass: 1e-9, inertia: [0.05e-21, 0.05e-21, 0.02e-21],"
                  " position: [0, 0, 0.4e-6], orientation: {axis: [1, 0, 0], angle: 0.2},"
                  " omega_body: [0, 0, 60000], points: {tip: [0, 0, -0.4e-6]}, exact: "
                  "[orientation, omega]}\n"
                  "joints:\n  - {name: tip, type: spherical, between: [ground, top.tip]}\n"
                  "simulation: {end: 2e-3}\n",
                  2e-4},
                 {"holonom: 1\nname: ratio\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                  "  - {name: a, type: point, mass: 1e6, position: [1, 0]}\n"
                  "  - {name: b, type: point, mass: 1e-6, position: [2, 0]}\n"
                  "joints:\n  - {name: A, type: distance, between: [ground, a]}\n"
                  "  - {name: B, type: distance, between: [a, b]}\nsimulation: {end: 1.5}\n",
                  1.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const HolSetting settings[] = {{"method", "radau"}, {"tolerance", "1e-8"}};
        const HolSetting exact[] = {{"method", "taylor"}, {"tolerance", "1e-12"}};
        Run r = begin(cases[i].text, settings, 2), e = begin(cases[i].text, exact, 2);
        advance(&r, cases[i].end);
        advance(&e, cases[i].end);
        const HolView x = hol_sim_view(r.sim), y = hol_sim_view(e.sim);
        const double error = distance(x.q, y.q, x.nq);
        if (!(error < 1e-6))
            fail_msg("case %d: q is off by %g", (int)i, error);
        end(&r);
        end(&e);
    }
}

// one mechanism in joint coordinates and in the bodies' own
static void test_both_charts(void **state) {
    (void)state;
    const HolSetting settings[] = {{"method", "radau"}, {"tolerance", "1e-9"}, {"end", "1"}};
    Run tree = begin("flyball.yaml", settings, 3);
    HolProblem own = *hol_model_problem(tree.model);
    assert_int_equal(own.extras->n_tree, 4);
    HolProblemExtras without = *own.extras;
    without.n_tree = 0;
    own.extras = &without;
    double q[MOST], v[MOST];
    hol_model_initial(tree.model, q, v, NULL, NULL);
    HolSim *s = NULL;
    HolError err;
    if (hol_sim_create_problem(&own, q, v, &tree.options, &s, &err) || hol_sim_advance(s, 1, &err))
        fail_msg("%s", err.text);
    advance(&tree, 1);
    const HolView x = hol_sim_view(tree.sim), y = hol_sim_view(s);
    assert_true(distance(x.q, y.q, x.nq) < 1e-7);
    assert_true(distance(x.v, y.v, x.nv) < 1e-6);
    assert_true(distance(x.lambda, y.lambda, x.m) < 1e-3);
    assert_true(hol_sim_stats(s).residual_position < 1e-14);
    hol_sim_destroy(s);
    end(&tree);
}

// the same bits in a second run
static void test_reproducible(void **state) {
    (void)state;
    static const char *const models[] = {"flyball.yaml", "bricard.yaml", "heavy-top.yaml"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        double q[2][MOST];
        int n = 0;
        for (int k = 0; k < 2; k++) {
            const HolSetting settings[] = {
                {"method", "radau"}, {"tolerance", "1e-6"}, {"end", "0.3"}};
            Run r = begin(models[i], settings, 3);
            advance(&r, 0.3);
            n = hol_sim_view(r.sim).nq;
            memcpy(q[k], hol_sim_view(r.sim).q, sizeof *q[k] * (size_t)n);
            end(&r);
        }
        assert_memory_equal(q[0], q[1], sizeof *q[0] * (size_t)n);
    }
}

// Constraints of velocities (a rolling wheel, a skate) and an algebraic variable that depends on
// reactions, on a loop and a tree: the orders of the formulas in q, v and lambda, the invariant B v = b at
// round-off, and error control.
static void test_velocities_and_variables(void **state) {
    (void)state;
    static const struct {
        const char *model, *end;
        double h;
        int soft; // so many settings that make it smooth
    } of[] = {{"rolling-wheel.yaml", "0.5", 0.1, 0},
              {"skate.yaml", "1", 0.25, 0},
              {"papers/double-pendulum-friction.yaml", "0.2", 0.0125, 3}};
    for (int k = 0; k < 3; k++) {
        HolSetting set[7] = {{"k2", "300"}, {"c2", "5"}, {"ws", "5"}}, *own = set + of[k].soft;
        const int n = of[k].soft + 3;
        own[0] = (HolSetting){"method", "taylor"};
        own[1] = (HolSetting){"tolerance", "1e-14"};
        own[2] = (HolSetting){"end", of[k].end};
        Run best = begin(of[k].model, set, n);
        const double t = atof(of[k].end);
        advance(&best, t);
        const HolView x = hol_sim_view(best.sim);
        own[0].value = "radau";
        for (int order = 3; order <= 7; order += 2) {
            double error[2][3];
            for (int fine = 0; fine < 2; fine++) {
                char step[32], of_method[16];
                snprintf(step, sizeof step, "%.17g", of[k].h * (order - 1) / (fine ? 16 : 4));
                snprintf(of_method, sizeof of_method, "%d", order);
                own[1] = (HolSetting){"step", step};
                own[3] = (HolSetting){"method.order", of_method};
                Run r = begin(of[k].model, set, n + 1);
                advance(&r, t);
                const HolView y = hol_sim_view(r.sim);
                error[fine][0] = distance(x.q, y.q, x.nq);
                error[fine][1] = distance(x.v, y.v, x.nv);
                error[fine][2] = distance(x.lambda, y.lambda, x.m);
                const HolStats s = hol_sim_stats(r.sim);
                assert_true(s.residual_position < 1e-13 && s.residual_velocity < 1e-12);
                end(&r);
            }
            for (int part = 0; part < 3; part++) {
                const double seen = 0.5 * log2(error[0][part] / error[1][part]);
                if (error[1][part] > 1e-9 && !(seen > order - 0.4))
                    fail_msg("%s, part %d: order %g in place of %d (%g, %g)", of[k].model, part,
                             seen, order, error[0][part], error[1][part]);
            }
        }
        own[1] = (HolSetting){"tolerance", "1e-9"};
        Run r = begin(of[k].model, set, n);
        advance(&r, t);
        assert_true(distance(x.q, hol_sim_view(r.sim).q, x.nq) < 3e-8);
        end(&r);
        end(&best);
    }
}

// ---- refusals ----

static void refused(const char *what, const HolSetting *settings, int count, const char *word) {
    Run r = {0};
    HolError err;
    load(what, settings, count, &r);
    assert_int_not_equal(hol_sim_create(r.model, &r.options, &r.sim, &err), HOL_OK);
    assert_null(r.sim);
    if (!strstr(err.text, word))
        fail_msg("'%s' is not in: %s", word, err.text);
    hol_model_destroy(r.model);
}

static void test_refusals(void **state) {
    (void)state;
    const HolSetting radau[] = {{"method", "radau"}},
                     even[] = {{"method", "radau"}, {"method.order", "4"}};
    char text[2048] = "holonom: 1\nname: many\nspace: planar\nbodies:\n";
    for (int i = 0; i < 13; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "  - {name: x%d, type: coordinate, mass: 1}\n", i);
    refused(text, radau, 1, "use tangent");
    refused(text, radau, 1, "has 13");
    refused("flyball.yaml", even, 2, "method.order 4");
}

// ---- trees ----

static const char space_tree[] =
    "holonom: 1\nname: tree\nspace: spatial\nbodies:\n"
    "  - {name: a, mass: 1, inertia: [1, 2, 3], position: [1, 0.2, 0]}\n"
    "  - {name: b, mass: 2, inertia: [1, 1, 1], position: [1.5, 0.7, 0.3],"
    " orientation: {axis: [1, 2, 3], angle: 0.7}}\n"
    "  - {name: c, mass: 1, inertia: [2, 1, 1], position: [2.5, 1, 0.4]}\n"
    "  - {name: d, mass: 1, inertia: [2, 1, 1], position: [0, 1, 2]}\n"
    "  - {name: e, mass: 1, inertia: [2, 1, 1], position: [0, 1, 3]}\n"
    "joints:\n"
    "  - {name: j1, type: revolute, bodies: [a, ground], at: [0.5, 0, 0], axis: [1, 2, 2]}\n"
    "  - {name: j2, type: cylindrical, bodies: [b, a], at: [1.2, 0.3, 0], axis: [0, 3, 4]}\n"
    "  - {name: j3, type: prismatic, bodies: [c, b], at: [2, 1, 0], axis: [1, 1, 0]}\n"
    "  - {name: j4, type: prismatic, bodies: [ground, d], at: [0, 1, 1], axis: [0, 0, 1]}\n"
    "  - {name: j5, type: fixed, bodies: [d, e], at: [0, 1, 2.5]}\n";

static const char plane_tree[] =
    "holonom: 1\nname: tree\nspace: planar\nbodies:\n"
    "  - {name: a, mass: 1, inertia: 1, position: [1, 0.2], angle: 0.3}\n"
    "  - {name: b, mass: 2, inertia: 1, position: [1.5, 0.7], angle: -0.4}\n"
    "  - {name: c, mass: 2, inertia: 1, position: [2.5, 0.9], angle: 0.6}\n"
    "  - {name: p, type: point, mass: 2, position: [4, 4]}\n"
    "  - {name: x, type: coordinate, mass: 2, position: 3}\n"
    "joints:\n"
    "  - {name: j2, type: prismatic, bodies: [b, a], at: [1.2, 0.3], axis: [1, 3]}\n"
    "  - {name: j3, type: revolute, bodies: [c, b], at: [2, 1]}\n";

// positions on the constraints, E and b against differences
static void check_tree(const char *text, int coordinates) {
    Run r = {0};
    load(text, NULL, 0, &r);
    const HolProblem *p = hol_model_problem(r.model);
    assert_int_equal(p->extras->n_tree, coordinates);
    assert_int_equal(p->nv - p->nh, coordinates);
    void *work = aligned_alloc(64, (p->work_size + 63) / 64 * 64);
    memset(work, 0, p->work_size);
    p->work_init(p, work);
    double q[MOST], v[MOST], x[16], y[16], u[16], g[MOST], E[16 * MOST], b[MOST];
    double q1[2][MOST], v1[2][MOST], E1[16 * MOST], b1[MOST], d[MOST];
    hol_model_initial(r.model, q, v, NULL, NULL);
    p->extras->tree_coordinates(p, work, 0, q, x);
    memcpy(q1[0], q, sizeof q);
    for (int k = 0; k < coordinates; k++)
        u[k] = 0.3 + 0.2 * (k % 3);
    p->extras->tree_motion(p, work, x, u, q1[0], v, E, b);
    assert_true(distance(q, q1[0], p->nq) < 1e-14);
    // somewhere else
    for (int k = 0; k < coordinates; k++)
        x[k] += 0.4 - 0.15 * (k % 4);
    p->extras->tree_motion(p, work, x, u, q, v, E, b);
    p->constraint(p, work, &(HolPoint){.t = 0, .q = q}, g);
    for (int i = 0; i < p->nh; i++)
        assert_true(fabs(g[i]) < 1e-14);
    p->extras->tree_coordinates(p, work, 0, q, y);
    assert_true(distance(x, y, coordinates) < 1e-14);
    for (int i = 0; i < p->nv; i++) {
        double sum = 0;
        for (int k = 0; k < coordinates; k++)
            sum += E[k * p->nv + i] * u[k];
        assert_true(fabs(sum - v[i]) < 1e-14);
    }
    // along the motion x + u t
    const double h = 1e-5;
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < coordinates; k++)
            y[k] = x[k] + (side ? h : -h) * u[k];
        memcpy(q1[side], q, sizeof q);
        p->extras->tree_motion(p, work, y, u, q1[side], v1[side], E1, b1);
    }
    if (p->minus)
        p->minus(p, work, q1[1], q1[0], d);
    for (int i = 0; i < p->nv; i++) {
        const double moved = p->minus ? d[i] : q1[1][i] - q1[0][i];
        assert_true(fabs(moved / (2 * h) - v[i]) < 1e-8);
        assert_true(fabs((v1[1][i] - v1[0][i]) / (2 * h) - b[i]) < 1e-8);
    }
    free(work);
    hol_model_destroy(r.model);
}

static void test_trees(void **state) {
    (void)state;
    check_tree(space_tree, 5);
    check_tree(plane_tree, 3 + 1 + 1 + 2 + 1);
    // loops, drives and spherical joints are no trees
    static const char *const others[] = {"four-bar.yaml", "slider-crank.yaml", "heavy-top.yaml",
                                         "bricard.yaml"};
    for (int i = 0; i < 4; i++) {
        Run r = {0};
        load(others[i], NULL, 0, &r);
        assert_int_equal(hol_model_problem(r.model)->extras->n_tree, 0);
        hol_model_destroy(r.model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_governor),
        cmocka_unit_test(test_stiff_pendulum),
        cmocka_unit_test(test_damping),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_both_charts),
        cmocka_unit_test(test_dense_accelerations),
        cmocka_unit_test(test_reproducible),
        cmocka_unit_test(test_velocities_and_variables),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
