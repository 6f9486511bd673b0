// SPDX-License-Identifier: Apache-2.0
// The Taylor method: observed order, accuracy against references from outside, singular and
// redundant mechanisms, kinks, dense output, constraint residuals.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "holonom/holonom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    HolModel *model;
    HolSim *sim;
    HolSimOptions options;
    HolError error;
} Run;

static void open_run(Run *r, const char *path, const char *const *set, int n) {
    HolSetting settings[12];
    for (int i = 0; i < n; i++)
        settings[i] = (HolSetting){set[2 * i], set[2 * i + 1]};
    if (hol_model_load(path, settings, n, &r->model, &r->options, &r->error) ||
        hol_sim_create(r->model, &r->options, &r->sim, &r->error))
        fail_msg("%s: %s", path, r->error.text);
}

static void close_run(Run *r) {
    hol_sim_destroy(r->sim);
    hol_model_destroy(r->model);
}

static void finish(Run *r) {
    if (hol_sim_advance(r->sim, r->options.end, &r->error))
        fail_msg("%s", r->error.text);
}

// q, v, lambda at the end, one after another
static double *end_state(const char *path, const char *const *set, int n, int *count) {
    Run r;
    open_run(&r, path, set, n);
    finish(&r);
    HolView w = hol_sim_view(r.sim);
    double *x = malloc(sizeof(double) * (size_t)(w.nq + w.nv + w.m + 3));
    memcpy(x, w.q, sizeof(double) * (size_t)w.nq);
    memcpy(x + w.nq, w.v, sizeof(double) * (size_t)w.nv);
    memcpy(x + w.nq + w.nv, w.lambda, sizeof(double) * (size_t)w.m);
    count[0] = w.nq;
    count[1] = w.nv;
    count[2] = w.m;
    close_run(&r);
    return x;
}

static double distance(const double *a, const double *b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s = fmax(s, fabs(a[i] - b[i]));
    return s;
}

// order P gives q and v, and through them lambda, with a global error of order P-1
static void observed_order(void **state) {
    (void)state;
    static const struct {
        const char *path, *end, *h1, *h2;
    } cases[] = {{"models/double-pendulum.yaml", "1", "0.04", "0.02"},
                 {"models/heavy-top.yaml", "0.1", "2e-3", "1e-3"},
                 {"models/andrews.yaml", "0.01", "2e-4", "1e-4"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *exact[] = {"method", "taylor", "tolerance", "1e-14", "end", cases[c].end};
        const char *one[] = {"method", "taylor",    "method.order", "6",
                             "step",   cases[c].h1, "end",          cases[c].end};
        const char *two[] = {"method", "taylor",    "method.order", "6",
                             "step",   cases[c].h2, "end",          cases[c].end};
        int n[3], at = 0;
        double *x = end_state(cases[c].path, exact, 3, n),
               *x1 = end_state(cases[c].path, one, 4, n), *x2 = end_state(cases[c].path, two, 4, n);
        for (int part = 0; part < 3; at += n[part++]) {
            double order =
                log2(distance(x + at, x1 + at, n[part]) / distance(x + at, x2 + at, n[part]));
            if (!(order > 4.5 && order < 6.5))
                fail_msg("%s: observed order %g in %s, expected 5", cases[c].path, order,
                         part == 0   ? "q"
                         : part == 1 ? "v"
                                     : "lambda");
        }
        free(x);
        free(x1);
        free(x2);
    }
}

// crank angle of Andrews' mechanism at 0.03 s
static double crank_by(const char **set, int n) {
    Run r;
    open_run(&r, "models/andrews.yaml", set, n);
    finish(&r);
    double angle = hol_sim_view(r.sim).q[2];
    assert_string_equal(hol_model_body_name(r.model, 0), "K1");
    close_run(&r);
    return angle;
}

static double crank(const char *order, const char *tolerance) {
    const char *set[] = {"method", "taylor", "method.order", order, "tolerance", tolerance};
    return crank_by(set, 3);
}

static void andrews_to_round_off(void **state) {
    (void)state;
    double a = crank("20", "1e-15"), b = crank("18", "1e-15"), c = crank("26", "1e-15");
    assert_true(fabs(a - 15.81077119515) < 1e-11); // two independent codes agree to these digits
    assert_true(fabs(a - b) < 1e-12);
    assert_true(fabs(a - c) < 2e-12);
    const char *other[] = {"method", "rk853", "tolerance", "1e-14"};
    assert_true(fabs(a - crank_by(other, 2)) < 1e-12);
    // the error follows the tolerance
    assert_true(fabs(crank("0", "1e-6") - a) < 3e-2);
    assert_true(fabs(crank("0", "1e-9") - a) < 3e-5);
}

// the double four-bar passes singular positions every half turn; its exact reduction is known
static void four_bar_through_singular_positions(void **state) {
    (void)state;
    static const char *const orders[] = {"0", "12", "16", "20", "24"}, *const tolerances[] = {
                                                                           "1e-8", "1e-11", "1e-13",
                                                                           "1e-14"};
    static const double limit[] = {5e-5, 5e-8, 2e-9, 2e-9};
    for (int o = 0; o < 5; o++)
        for (int t = 0; t < 4; t++) {
            const char *set[] = {"method",  "taylor",    "method.order",
                                 orders[o], "tolerance", tolerances[t]};
            Run r;
            open_run(&r, "models/four-bar.yaml", set, 3);
            finish(&r);
            const double *q = hol_sim_view(r.sim).q;
            double error = fmax(fabs(2 * q[0] - 0.328458111537), fabs(2 * q[1] - 0.944518538180));
            HolStats s = hol_sim_stats(r.sim);
            if (!(error < limit[t]) || !(s.residual_position < 1e-12) ||
                !(s.energy_max_drift < 10 * limit[t]))
                fail_msg("order %s tolerance %s: B0 off by %g, drift %g, violation %g", orders[o],
                         tolerances[t], error, s.energy_max_drift, s.residual_position);
            close_run(&r);
        }
}

// six revolutes, one redundant row, no inertia about the rods
static void bricard_redundant(void **state) {
    (void)state;
    const char *set[] = {"method", "taylor", "tolerance", "1e-11"},
               *other[] = {"method", "tangent", "tolerance", "1e-11", "end", "2"};
    Run r;
    open_run(&r, "models/bricard.yaml", set, 2);
    finish(&r);
    HolStats s = hol_sim_stats(r.sim);
    assert_true(s.energy_max_drift < 1e-8);
    assert_true(s.residual_position < 1e-13 && s.residual_velocity < 1e-12);
    close_run(&r);
    const char *short_set[] = {"method", "taylor", "tolerance", "1e-11", "end", "2"};
    int n[3];
    double *x = end_state("models/bricard.yaml", short_set, 3, n),
           *y = end_state("models/bricard.yaml", other, 3, n);
    assert_true(distance(x, y, n[0]) < 1e-7);
    free(x);
    free(y);
}

// x'' = 1 below x = 1/2, x'' = -1 above, from rest at 0: kink at t = 1, then x = 1/2 + s - s^2/2
static void kinks_end_a_step(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nname: kink\nspace: planar\nbodies:\n  - {name: p, type: coordinate, mass: 1}\n"
        "forces:\n  - {type: expression, on: p, value: \"if(p < 0.5, 1, -1)\"}\n"
        "simulation: {end: 1.75, method: taylor, tolerance: 1e-10}\n";
    Run r;
    if (hol_model_parse(text, strlen(text), "kink.yaml", NULL, 0, &r.model, &r.options, &r.error) ||
        hol_sim_create(r.model, &r.options, &r.sim, &r.error))
        fail_msg("%s", r.error.text);
    finish(&r);
    HolView w = hol_sim_view(r.sim);
    assert_true(fabs(w.q[0] - (0.5 + 0.75 - 0.5 * 0.75 * 0.75)) < 1e-12);
    assert_true(fabs(w.v[0] - 0.25) < 1e-12);
    close_run(&r);
}

// x'' = -x above zero, -4 x below, from the kink itself: sin t, then -sin(2 (t - pi))/2
static void starts_on_a_kink(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nname: kink\nspace: planar\nbodies:\n  - {name: p, type: coordinate, mass: 1, "
        "velocity: 1}\n"
        "forces:\n  - {type: expression, on: p, value: \"if(p > 0, -p, -4*p)\"}\n"
        "simulation: {end: 4, method: taylor, tolerance: 1e-10}\n";
    Run r;
    if (hol_model_parse(text, strlen(text), "kink.yaml", NULL, 0, &r.model, &r.options, &r.error) ||
        hol_sim_create(r.model, &r.options, &r.sim, &r.error))
        fail_msg("%s", r.error.text);
    finish(&r);
    assert_true(fabs(hol_sim_view(r.sim).q[0] + 0.5 * sin(2 * (4 - acos(-1)))) < 1e-8);
    close_run(&r);
}

// the polynomial inside a step agrees with a run that ends there
static void dense_output(void **state) {
    (void)state;
    const char *set[] = {"method", "taylor", "tolerance", "1e-10"},
               *part[] = {"method", "taylor", "tolerance", "1e-13", "end", "0.35"};
    Run r;
    int n[3];
    double *x = end_state("models/double-pendulum.yaml", part, 3, n), q[16], v[16], a[16],
           lambda[16];
    open_run(&r, "models/double-pendulum.yaml", set, 2);
    while (hol_sim_view(r.sim).t < 0.35)
        assert_int_equal(hol_sim_step(r.sim, r.options.end, &r.error), HOL_OK);
    assert_true(n[0] <= 16 && n[2] <= 16);
    assert_int_equal(hol_sim_interpolate(r.sim, 0.35, q, v, a, lambda, NULL), HOL_OK);
    assert_true(distance(q, x, n[0]) < 1e-8);
    assert_true(distance(v, x + n[0], n[1]) < 1e-7);
    assert_true(distance(lambda, x + n[0] + n[1], n[2]) < 1e-5);
    free(x);
    close_run(&r);
}

static void all_three_levels_closed(void **state) {
    (void)state;
    static const char *const models[] = {"models/pendulum.yaml",      "models/four-bar.yaml",
                                         "models/bricard.yaml",       "models/heavy-top.yaml",
                                         "models/rolling-wheel.yaml", "models/slider-crank.yaml",
                                         "models/chain3d.yaml"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const char *set[] = {"method", "taylor", "tolerance", "1e-7", "end", "0.5"};
        Run r;
        open_run(&r, models[i], set, 3);
        finish(&r);
        HolStats s = hol_sim_stats(r.sim);
        if (!(s.residual_position < 1e-12 && s.residual_velocity < 1e-11 &&
              s.residual_acceleration < 1e-9))
            fail_msg("%s: residuals %g %g %g", models[i], s.residual_position, s.residual_velocity,
                     s.residual_acceleration);
        close_run(&r);
    }
}

static void refused_orders(void **state) {
    (void)state;
    static const char *const bad[] = {"3", "99"};
    for (int i = 0; i < 2; i++) {
        HolSetting set[] = {{"method", "taylor"}, {"method.order", bad[i]}};
        HolModel *m = NULL;
        HolSim *s = NULL;
        HolSimOptions o;
        HolError e;
        if (hol_model_load("models/pendulum.yaml", set, 2, &m, &o, &e) == HOL_OK)
            assert_int_not_equal(hol_sim_create(m, &o, &s, &e), HOL_OK);
        assert_true(strlen(e.text) > 10);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
}

// A spring of zero length has no series: the accelerations at the end of the step tell. The motion
// is that of a linear oscillator, z'' = -g - k z - c z'.
static void a_force_without_series(void **state) {
    (void)state;
    const double g = 9.80665, k = 10, c = 0.5, t = 5, w = sqrt(k - c * c / 4);
    const double exact = -g / k * (1 - exp(-c * t / 2) * (cos(w * t) + c / (2 * w) * sin(w * t)));
    static const char *const tolerances[] = {"1e-6", "1e-9"};
    static const double limits[] = {1e-3, 1e-6};
    for (int i = 0; i < 2; i++) {
        const char *set[] = {"method", "taylor", "tolerance", tolerances[i]};
        int count[3];
        double *x = end_state("models/adams/spring-1.yaml", set, 2, count);
        if (!(fabs(x[2] - exact) < limits[i]))
            fail_msg("tolerance %s: z = %.9g, exact %.9g", tolerances[i], x[2], exact);
        free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observed_order),
        cmocka_unit_test(andrews_to_round_off),
        cmocka_unit_test(four_bar_through_singular_positions),
        cmocka_unit_test(bricard_redundant),
        cmocka_unit_test(kinks_end_a_step),
        cmocka_unit_test(starts_on_a_kink),
        cmocka_unit_test(dense_output),
        cmocka_unit_test(all_three_levels_closed),
        cmocka_unit_test(refused_orders),
        cmocka_unit_test(a_force_without_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
