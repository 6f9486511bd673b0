// SPDX-License-Identifier: Apache-2.0
// Scheme `stable` of taylor: the polynomial and its error estimate on the imaginary axis, order,
// vibrations that would make the series grow, tolerance, rows inside steps, work, threads,
// refusals.
#include "solve/method/taylor/taylor_stable.h"
#include "tree_run.h"

#include <complex.h>
#include <stdlib.h>

// ---- the sum ----

static double complex sum_at(const double *w, int D, double y) {
    double complex sum = 0, term = 1;
    for (int k = 0; k <= D; k++) {
        sum += w[k] * term;
        term *= I * y / (k + 1);
    }
    return sum;
}

static void test_polynomial(void **state) {
    (void)state;
    for (int D = HOL_STABLE_LEAST; D <= HOL_STABLE_MOST; D += 2) {
        const HolStableSum s = hol_stable_sum(D), odd = hol_stable_sum(D + 1);
        const double limit = sqrt((D - 1.0) * (D - 1.0) - 1);
        assert_int_equal(s.degree, D);
        assert_int_equal(odd.degree, D);
        for (int k = 0; k < HOL_STABLE_SIZE; k++) {
            assert_true(k > 4 || (s.w[k] == 1 && s.e[k] == 0));
            assert_true(k <= D || (s.w[k] == 0 && s.e[k] == 0));
        }
        for (int i = 1; i <= 2000; i++) {
            const double y = limit * i / 2000, size = cabs(sum_at(s.w, D, y));
            if (!(size <= 1 + 1e-12))
                fail_msg("degree %d: grows by %g at %g", D, size - 1, y);
            // the estimate: the error of slow motion, the size of vibrations
            const double error = cabs(sum_at(s.w, D, y) - cexp(I * y)),
                         estimate = cabs(sum_at(s.e, D, y));
            if (i < 1000 && !(estimate > 0.5 * error))
                fail_msg("degree %d at %g: error %g, estimate %g", D, y, error, estimate);
            assert_true(D < 8 || estimate < 4);
        }
        assert_true(cabs(sum_at(s.w, D, 1.01 * limit)) > 1); // there is no more
        const double y = 0.05;
        close_to(cabs(sum_at(s.e, D, y)) / cabs(sum_at(s.w, D, y) - cexp(I * y)), 1, 0.05);
    }
    assert_int_equal(hol_stable_sum(5).degree, 0);
    assert_int_equal(hol_stable_sum(40).degree, HOL_STABLE_MOST);
}

// ---- runs ----

static Result run_text(const char *text, const char *settings) {
    return run_with(text, "taylor", settings);
}

static void test_order(void **state) {
    static const int orders[] = {8, 10, 12, 16, 20};
    static Result exact, coarse, fine;
    exact = run_text(*state, "tolerance=1e-13");
    expect_ok(&exact);
    for (int k = 0; k < 5; k++) {
        char settings[96];
        snprintf(settings, sizeof settings, "method.scheme=stable method.order=%d step=0.005",
                 orders[k]);
        coarse = run_text(*state, settings);
        snprintf(settings, sizeof settings, "method.scheme=stable method.order=%d step=0.0025",
                 orders[k]);
        fine = run_text(*state, settings);
        expect_ok(&coarse);
        expect_ok(&fine);
        close_to(order(away(&coarse, &exact), away(&fine, &exact)), 4, 0.25);
        assert_true(fine.stats.residual_position < 1e-13 && fine.stats.residual_velocity < 1e-12);
    }
}

static void test_tolerance(void **state) {
    static Result exact, r;
    exact = run_text(*state, "tolerance=1e-13");
    double before = INFINITY;
    for (double tolerance = 1e-2; tolerance > 0.5e-6; tolerance /= 10) {
        char settings[96];
        snprintf(settings, sizeof settings, "method.scheme=stable tolerance=%g", tolerance);
        r = run_text(*state, settings);
        expect_ok(&r);
        const double off = away(&r, &exact);
        if (!(off < 100 * tolerance && off < before))
            fail_msg("tolerance %g: %g away", tolerance, off);
        before = off;
        // forces that do work: what they do is counted
        assert_true(r.stats.work != 0 && r.stats.energy_max_drift < 100 * tolerance);
    }
}

// three links on springs so stiff that they swing like one rod and tremble a little
static const char whip[] =
    "{holonom: 1, space: planar, gravity: [0, -9.81], parameters: {k: 20000},\n"
    "bodies: [{name: a, mass: 1, inertia: 0.1, position: [0.5, 0]},\n"
    "  {name: b, mass: 1, inertia: 0.1, position: [1.5, 0]},\n"
    "  {name: c, mass: 1, inertia: 0.1, position: [2.5, 0]}],\n"
    "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0, 0]},\n"
    "  {name: B, type: revolute, bodies: [a, b], at: [1, 0]},\n"
    "  {name: C, type: revolute, bodies: [b, c], at: [2, 0]}],\n"
    "forces: [{name: kb, type: torsion_spring_damper, joint: B, stiffness: k},\n"
    "  {name: kc, type: torsion_spring_damper, joint: C, stiffness: k}], simulation: {end: 2}}";

static void test_vibration(void **state) {
    (void)state;
    static Result exact, r;
    exact = run_text(whip, "tolerance=1e-12");
    expect_ok(&exact);
    // steps that the series of the same order does not survive
    r = run_text(whip, "method.scheme=stable method.order=12 step=0.01");
    expect_ok(&r);
    assert_true(r.stats.energy_max_drift < 0.5);
    assert_true(away(&r, &exact) < 0.5);
    r = run_text(whip, "method.scheme=series method.order=12 step=0.01");
    assert_true(r.status != HOL_OK || r.stats.energy_max_drift > 100);
    // and under error control fewer of them
    static Result series;
    // (of the positions: velocities of the vibration are what it does not resolve)
    series = run_text(whip, "tolerance=1e-3 method.order=12 error.velocities=false");
    r = run_text(whip,
                 "tolerance=1e-3 method.order=12 method.scheme=stable error.velocities=false");
    expect_ok(&r);
    assert_true(r.stats.steps < series.stats.steps);
    assert_true(away(&r, &exact) < away(&series, &exact));
}

// states inside steps are on the constraints, join the ends, and change nothing
static void test_rows(void **state) {
    HolModel *model = NULL;
    HolSimOptions o;
    HolError err = {0};
    HolSim *s = open(*state, "taylor", "method.scheme=stable tolerance=1e-4", &model, &o, &err);
    static Result plain, exact;
    assert_non_null(s);
    plain = run_text(*state, "method.scheme=stable tolerance=1e-4");
    HolView x = hol_sim_view(s);
    double q[64], v[64], a[64], lambda[64], from = 0;
    while (x.t < 1) {
        assert_int_equal(hol_sim_step(s, 1, &err), HOL_OK);
        x = hol_sim_view(s);
        const double nearly = x.t - 1e-9 * (x.t - from);
        assert_int_equal(hol_sim_interpolate(s, nearly, q, v, a, lambda, NULL), HOL_OK);
        assert_true(distance(q, x.q, x.nq) < 1e-6 && distance(v, x.v, x.nv) < 1e-5);
        if (from > 0.4 && from < 0.6) {
            char settings[64];
            const double middle = 0.5 * (from + x.t);
            assert_int_equal(hol_sim_interpolate(s, middle, q, v, a, lambda, NULL), HOL_OK);
            snprintf(settings, sizeof settings, "tolerance=1e-12 end=%.17g", middle);
            exact = run_text(*state, settings);
            assert_true(distance(q, exact.q, exact.nq) < 1e-3);
        }
        from = x.t;
    }
    assert_memory_equal(x.q, plain.q, sizeof(double) * (size_t)plain.nq);
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

// a step that is cut to hit a time says nothing about the next one
static void test_cut_steps(void **state) {
    HolModel *model = NULL;
    HolSimOptions o;
    HolError err = {0};
    static Result whole;
    HolSim *s = open(*state, "taylor", "method.scheme=stable tolerance=1e-5", &model, &o, &err);
    assert_non_null(s);
    whole = run_text(*state, "method.scheme=stable tolerance=1e-5");
    for (double t = 0.25; t < 1.1; t += 0.25) {
        assert_int_equal(hol_sim_advance(s, t - 1e-9, &err), HOL_OK);
        assert_int_equal(hol_sim_advance(s, t, &err), HOL_OK);
    }
    assert_true(hol_sim_stats(s).steps <= whole.stats.steps + 16);
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *settings, *says;
    } cases[] = {
        {arm, "method.scheme=stable method.order=7", "8 to 30"},
        {arm, "method.scheme=hermite", "series, stable"},
        {arm, "method.scheme=stabel", "stable"},
        {arm, "method=tangent method.scheme=stable", "hermite"},
        {"{holonom: 1, space: planar, gravity: [0, -9.81],\n"
         "bodies: [{name: a, mass: 1, inertia: 0.1, position: [0.5, 0]}],\n"
         "joints: [{name: P, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 1]}],\n"
         "simulation: {end: 1}}",
         "method.scheme=stable", "open trees of hinges"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Result r = run_text(cases[i].text, cases[i].settings);
        assert_true(r.status != HOL_OK);
        if (!strstr(r.err.text, cases[i].says))
            fail_msg("%s", r.err.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polynomial),
        cmocka_unit_test_prestate(test_order, (void *)arm),
        {"test_order in the plane", test_order, NULL, NULL, (void *)plane},
        cmocka_unit_test_prestate(test_tolerance, (void *)arm),
        {"test_tolerance in the plane", test_tolerance, NULL, NULL, (void *)plane},
        cmocka_unit_test(test_vibration),
        cmocka_unit_test_prestate(test_rows, (void *)arm),
        {"test_rows in the plane", test_rows, NULL, NULL, (void *)plane},
        cmocka_unit_test_prestate(test_cut_steps, (void *)arm),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
