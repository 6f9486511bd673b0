// SPDX-License-Identifier: Apache-2.0
// The conditionally explicit family: stability limits of the running code, observed orders of q, v
// and lambda, refusals, projections, error control, and the spatial top.
#include "explicit_run.h"
#include "sample_problems.h"

#define PENDULUM PAPERS "explicit-pendulum.yaml"
#define CARTESIAN PAPERS "explicit-pendulum-cartesian.yaml"
#define OSCILLATOR PAPERS "explicit-oscillator.yaml"
#define TOP PAPERS "explicit-top.yaml"

// ---- stability ----

// x'' + 2 xi omega x' + omega^2 x = 0 with omega = 1: does the motion stay bounded?
static int is_stable(const char *set, double beta_out, double xi, double step, double steps) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", xi);
    HolSetting settings[2] = {{"xi", text}, {"wbar", "0"}};
    HolModel *m = NULL;
    HolSimOptions unused, o = set ? family(set, "s1", steps * step, step)
                                  : options("central-differences", steps * step, step);
    HolError err;
    HolSim *s = NULL;
    o.method.beta_out = beta_out;
    assert_int_equal(hol_model_load(OSCILLATOR, settings, 2, &m, &unused, &err), HOL_OK);
    const HolProblem *p = hol_model_problem(m);
    double q = 1, v = 0.3, largest = 0;
    assert_int_equal(hol_sim_create_problem(p, &q, &v, &o, &s, &err), HOL_OK);
    for (long i = 0; i < (long)steps && largest < 1e6; i++) {
        if (hol_sim_step(s, 1e9, &err) != HOL_OK) {
            largest = 1e6;
            break;
        }
        largest = fmax(largest, fabs(hol_sim_view(s).q[0]));
    }
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return largest < 100;
}

static double find_limit(const char *set, double beta_out, double xi) {
    double lo = 0.9, hi = 2.5;
    assert_true(is_stable(set, beta_out, xi, lo, 3000));
    while (hi - lo > 2e-3) {
        double mid = 0.5 * (lo + hi);
        if (is_stable(set, beta_out, xi, mid, 3000))
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static void stability_limits(void **state) {
    (void)state;
    static const struct {
        const char *set;
        double beta_out, limit[3]; // at xi = 0, 0.1, 0.5; 0: not looked at
    } table[] = {
        {NULL, NAN, {2, 2, 2}},
        {"cd", NAN, {2, 2, 2}},
        {"g3_43", NAN, {1.5491933385, 1.5491933385, 0}},
        {"g3_2", NAN, {1.1547005384, 1.1547005384, 0}},
        {"o3", 0.5, {1.7320508076, 1.7320508076, 0}},
        {"o3", NAN, {1.7320508076, 1.683, 0}},
        {"g4_14", NAN, {1.2649110641, 0, 0}},
        {"g4_34", NAN, {1.7320508076, 0, 0}},
        {"o4s", 5. / 6, {1.4142135624, 1.381, 1.257}},
        {"o4s", NAN, {1.4142135624, 1.349, 1.120}},
        {"o4d", NAN, {1.8973665961, 1.838, 1.621}},
        {"o5a", NAN, {1.4142135624, 1.381, 1.257}},
        {"o5b", NAN, {1.7320508076, 1.683, 1.500}},
        {"o5c", NAN, {1.7320508076, 1.707, 1.612}},
    };
    static const double xi[3] = {0, 0.1, 0.5};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int k = 0; k < 3; k++)
            if (table[i].limit[k] > 0)
                close_to(find_limit(table[i].set, table[i].beta_out, xi[k]), table[i].limit[k],
                         0.01 * table[i].limit[k]);
}

// a parasitic root near -1 grows by 1 + Omega^2/3 (g4_54, g5_1), 1 + 4 Omega^2/15 (g5_45) a step
static void weak_instability(void **state) {
    (void)state;
    static const struct {
        const char *set;
        double rate;
    } table[] = {{"g4_54", 1. / 3}, {"g5_1", 1. / 3}, {"g5_45", 4. / 15}};
    for (size_t i = 0; i < 3; i++) {
        const double step = 0.1, growth = 1 + table[i].rate * step * step;
        HolSimOptions o = family(table[i].set, "zero", 1, step);
        double size[2];
        for (int k = 0; k < 2; k++) {
            o.end = k ? 1800 : 1500;
            Run r = run_file(OSCILLATOR, NAN, NAN, &o);
            size[k] = fabs(r.q[0]);
        }
        assert_true(size[0] > 1e3);
        close_to(log(size[1] / size[0]) / (300 / step), log(growth), 0.01 * log(growth));
    }
    assert_false(is_stable("g4_34", NAN, 0.1, 0.5, 3000));
    assert_false(is_stable("g4_14", NAN, 0.1, 0.1, 20000));
}

// ---- refusals ----

static void expect_refusal(const char *file, HolSimOptions o, const char *why) {
    HolModel *m = load(file, NAN, NAN);
    HolSim *s = NULL;
    HolError err;
    o.method.force = 0;
    assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_ERR_INPUT);
    if (!strstr(err.text, why))
        print_error("'%s' does not say '%s'\n", err.text, why);
    assert_non_null(strstr(err.text, why));
    assert_null(s);
    hol_model_destroy(m);
}

static void refusals(void **state) {
    (void)state;
    static const char *const weak[] = {"g4_14", "g4_34", "g4_54", "g5_45", "g5_1"};
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++)
        expect_refusal(PENDULUM, family(weak[i], "", 1, 0.01), "weakly unstable");
    expect_refusal(PENDULUM, family("g5_opt", "", 1, 0.01), "size 3.73205");
    expect_refusal(PENDULUM, family("o5x", "", 1, 0.01), "o5a, o5b");
    HolSimOptions o = family("o5a", "graded", 1, 0.01);
    expect_refusal(PENDULUM, o, "s1, s2, s3, zero");
    o = family("o5a", "", 1, 0.01);
    o.method.gamma = -1;
    expect_refusal(PENDULUM, o, "gamma positive");
    o = family("o5a", "", 1, 0.01);
    snprintf(o.method.projection, sizeof o.method.projection, "position");
    expect_refusal(PENDULUM, o, "none, velocity, full");
    // gamma just above 1/2: stable, but only up to omega h = 0.0763
    o = family("g4_54", "", 1, 0.01);
    o.method.gamma = 0.5005;
    o.method.beta = 1. / 3 + 0.01;
    expect_refusal(PENDULUM, o, "omega h = 0.0763");
    // a set that is fine without constraints and unfit with them
    o = family("o4d", "", 1, 0.01);
    o.method.alpha = -0.5;
    HolModel *m = load(PENDULUM, NAN, NAN);
    o.method.force = 0;
    Run r = run_model(m, &o);
    hol_model_destroy(m);
    assert_int_equal(r.status, HOL_OK);
    expect_refusal(CARTESIAN, o, "unfit for constraints");
    o = options("central-differences", 1, 0.01);
    o.method.alpha = 1;
    expect_refusal(PENDULUM, o, "no parameter 'alpha'");
}

// what a run says about itself
static void notes(void **state) {
    (void)state;
    HolSimOptions o = family("o5a", "", 0.1, 0.01);
    Run r = run_file(PENDULUM, NAN, NAN, &o);
    assert_non_null(strstr(r.stats.note, "order 4"));
    assert_non_null(strstr(r.stats.note, "omega h < 1.4142"));
    o = family("g4_14", "", 0.1, 0.01);
    r = run_file(CARTESIAN, NAN, NAN, &o);
    assert_non_null(strstr(r.stats.note, "forced although"));
    o = options("central-differences", 0.1, 0.01);
    r = run_file(PENDULUM, NAN, NAN, &o);
    assert_non_null(strstr(r.stats.note, "omega h < 2"));
}

// 1/4, 1/3, 1/2 has a root 1.945 of sigma: it explodes on constraints within about 100 steps
static void unfit_set_explodes(void **state) {
    (void)state;
    HolSimOptions o = family("g4_14", "s1", 2, 0.01);
    HolModel *m = load(CARTESIAN, 1, 2);
    Run r = run_model(m, &o);
    assert_true(r.status != HOL_OK || !(r.stats.energy_max_drift < 1e3));
    hol_model_destroy(m);
}

// ---- orders ----

typedef struct OrderCase {
    const char *method, *set, *start;
    double beta_out, q, v;
} OrderCase;

static HolSimOptions order_options(const OrderCase *c, double end, double step) {
    HolSimOptions o = options(c->method, end, step);
    snprintf(o.method.set, sizeof o.method.set, "%s", c->set);
    snprintf(o.method.start, sizeof o.method.start, "%s", c->start);
    o.method.beta_out = c->beta_out;
    o.method.force = 1;
    return o;
}

static void expect_order(const OrderCase *c, const char *what, double coarse, double fine,
                         double expected) {
    const double seen = order(coarse, fine);
    if (fabs(seen - expected) < 0.25)
        return;
    print_error("%s %s %s: order of %s is %.2f (errors %.3g, %.3g), not %g\n", c->method, c->set,
                c->start, what, seen, coarse, fine, expected);
    fail();
}

static const OrderCase ode_orders[] = {
    {"central-differences", "", "", NAN, 2, 2}, {"explicit3", "", "", NAN, 3, 3},
    {"explicit3", "o3", "s3", 0.5, 3, 2},       {"explicit3", "o3", "zero", NAN, 2, 2},
    {"explicit3", "g3_43", "", NAN, 2, 2},      {"explicit4", "", "", NAN, 4, 4},
    {"explicit4", "o4s", "s3", 5. / 6, 4, 3},   {"explicit4", "o4s", "zero", NAN, 2, 2},
    {"explicit4", "o4d", "", NAN, 3, 3},        {"explicit4", "o4d", "s2", NAN, 3, 3},
    {"explicit4", "g4_54", "s1", NAN, 4, 4},    {"explicit5", "", "", NAN, 4, 4},
    {"explicit5", "o5a", "s2", NAN, 4, 4},      {"explicit5", "o5a", "s3", NAN, 4, 4},
    {"explicit5", "o5a", "zero", NAN, 2, 2},    {"explicit5", "o5b", "", NAN, 4, 4},
    {"explicit5", "o5c", "", NAN, 4, 4},        {"explicit5", "g5_45", "s1", NAN, 4, 4},
};

// initial jerk and snap do not vanish
static void orders_without_constraints(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ode_orders / sizeof *ode_orders; i++) {
        const OrderCase *c = &ode_orders[i];
        double eq[2], ev[2];
        for (int k = 0; k < 2; k++) {
            HolSimOptions o = order_options(c, 2, k ? 2.5e-3 : 5e-3);
            Run r = run_file(PENDULUM, 1, 2, &o);
            eq[k] = fabs(r.q[0] - 0.8186018870414516);
            ev[k] = fabs(r.v[0] - 1.347847339044848);
        }
        expect_order(c, "q", eq[0], eq[1], c->q);
        expect_order(c, "v", ev[0], ev[1], c->v);
    }
}

static void orders_with_constraints(void **state) {
    (void)state;
    static const OrderCase table[] = {
        {"central-differences", "", "", NAN, 2, 2}, {"explicit3", "", "", NAN, 3, 3},
        {"explicit4", "", "", NAN, 4, 4},           {"explicit4", "o4d", "", NAN, 3, 3},
        {"explicit5", "", "", NAN, 4, 4},           {"explicit5", "o5a", "s2", NAN, 4, 4},
        {"explicit5", "o5b", "", NAN, 4, 4},        {"explicit5", "o5a", "zero", NAN, 2, 2},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const OrderCase *c = &table[i];
        double eq[2], ev[2], el[2];
        for (int k = 0; k < 2; k++) {
            HolSimOptions o = order_options(c, 1, k ? 2.5e-3 : 5e-3);
            Run r = run_file(CARTESIAN, 1, 2, &o);
            eq[k] = fabs(r.q[2] + 0.7425271696483456);
            ev[k] = fabs(r.v[2] + 2.8025956515711);
            el[k] = hypot(r.lambda[0] + 10.19784550625238, r.lambda[1] + 11.11197896181095);
        }
        expect_order(c, "q", eq[0], eq[1], c->q);
        expect_order(c, "v", ev[0], ev[1], c->v);
        expect_order(c, "lambda", el[0], el[1], c->q);
    }
}

// forces that depend on velocities: Euler's equations of the top
static void orders_with_velocity_forces(void **state) {
    (void)state;
    static const OrderCase table[] = {
        {"central-differences", "", "", NAN, 2, 2}, {"explicit3", "", "", NAN, 3, 3},
        {"explicit4", "", "", NAN, 4, 4},           {"explicit4", "o4d", "", NAN, 3, 3},
        {"explicit5", "", "", NAN, 4, 4},           {"explicit5", "o5b", "", NAN, 4, 4},
    };
    static const double exact[3] = {4.24473376981371, 0.5340997872950881, 9.053483716846608};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const OrderCase *c = &table[i];
        double e[2];
        for (int k = 0; k < 2; k++) {
            HolSimOptions o = order_options(c, 1, k ? 2.5e-4 : 5e-4);
            e[k] = distance(run_file(TOP, NAN, NAN, &o).q, exact, 3);
        }
        expect_order(c, "q", e[0], e[1], c->q);
    }
}

// ---- space ----

// heavy top in quaternions: the reference is its own convergence with the Taylor method
static void orders_in_space(void **state) {
    (void)state;
    static const OrderCase table[] = {
        {"central-differences", "", "", NAN, 2, 2}, {"explicit3", "", "", NAN, 3, 3},
        {"explicit4", "", "", NAN, 4, 4},           {"explicit4", "o4d", "", NAN, 3, 3},
        {"explicit5", "", "", NAN, 4, 4},           {"explicit5", "o5a", "s2", NAN, 4, 4},
    };
    HolModel *m = load(HOL_SOURCE_DIR "/models/heavy-top.yaml", NAN, NAN);
    HolSimOptions o = options("taylor", 0.2, 0);
    o.tolerance = 1e-14;
    const Run exact = run_model(m, &o);
    close_to(fabs(exact.q[3]), 0.708279152974, 1e-11);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const OrderCase *c = &table[i];
        double eq[2], ev[2], el[2];
        for (int k = 0; k < 2; k++) {
            o = order_options(c, 0.2, k ? 2.5e-4 : 5e-4);
            Run r = run_model(m, &o);
            assert_int_equal(r.status, HOL_OK);
            assert_true(r.stats.residual_position < 1e-14);
            eq[k] = distance(r.q, exact.q, 7);
            ev[k] = distance(r.v, exact.v, 6);
            el[k] = distance(r.lambda, exact.lambda, 3);
            const double *p = r.q + 3;
            close_to(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], 1, 1e-14);
        }
        expect_order(c, "q", eq[0], eq[1], c->q);
        expect_order(c, "v", ev[0], ev[1], c->v);
        expect_order(c, "lambda", el[0], el[1], c->q);
    }
    hol_model_destroy(m);
}

// a C problem whose retraction is no exponential and that has no series
static void plain_retract(const HolProblem *p, void *work, const double *q, const double *d,
                          double *out) {
    double qd[7], size = 0;
    (void)p, (void)work;
    top_qdot(p, work, q, d, qd);
    for (int i = 0; i < 7; i++)
        out[i] = q[i] + qd[i];
    for (int i = 3; i < 7; i++)
        size += out[i] * out[i];
    for (int i = 3; i < 7; i++)
        out[i] /= sqrt(size);
}

static void other_retraction(void **state) {
    (void)state;
    SampleTop data = sample_top_data();
    HolProblem p = sample_top(&data), e = p;
    p.retract = plain_retract;
    const double q0[7] = {0, 1, 0, 1, 0, 0, 0}, v0[6] = {4.61538, 0, 0, 0, 150, -4.61538};
    const char *methods[2] = {"explicit4", "explicit5"};
    HolSimOptions o = options("explicit5", 0.1, 3.125e-5);
    const Run exact = run(&e, q0, v0, NULL, NULL, &o);
    assert_int_equal(exact.status, HOL_OK);
    for (int k = 0; k < 2; k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            o = options(methods[k], 0.1, i ? 2.5e-4 : 5e-4);
            Run r = run(&p, q0, v0, exact.q, exact.v, &o);
            assert_int_equal(r.status, HOL_OK);
            error[i] = r.dq;
        }
        close_to(order(error[0], error[1]), 4, 0.3);
    }
}

// ---- projections, steps ----

static void projections(void **state) {
    (void)state;
    static const char *const words[4] = {"none", "", "velocity", "full"};
    double residual[4][3], q[4];
    for (int k = 0; k < 4; k++) {
        HolSimOptions o = family("o5a", "", 1, 0.01);
        snprintf(o.method.projection, sizeof o.method.projection, "%s", words[k]);
        Run r = run_file(CARTESIAN, 1, 2, &o);
        residual[k][0] = r.stats.residual_position;
        residual[k][1] = r.stats.residual_velocity;
        residual[k][2] = r.stats.residual_acceleration;
        q[k] = r.q[2];
    }
    assert_true(residual[0][0] > 1e-12);
    for (int k = 1; k < 4; k++)
        assert_true(residual[k][0] < 1e-14);
    assert_true(residual[0][1] > 1e-8 && residual[1][1] > 1e-8);
    assert_true(residual[2][1] < 1e-13 && residual[3][1] < 1e-13);
    assert_true(residual[2][2] > 1e-8 && residual[3][2] < 1e-12);
    // only what is given out is projected
    close_to(q[2], q[1], 1e-13);
    close_to(q[3], q[1], 1e-13);
}

// the last step may be shorter: a new start, same order
static void short_last_step(void **state) {
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        HolSimOptions o = family("o5a", "", 2, k ? 0.0045 : 0.009);
        Run r = run_file(PENDULUM, 1, 2, &o);
        assert_true(r.t == 2);
        error[k] = fabs(r.q[0] - 0.8186018870414516);
    }
    close_to(order(error[0], error[1]), 4, 0.3);
}

static void error_control(void **state) {
    (void)state;
    static const char *const methods[4] = {"central-differences", "explicit3", "explicit4",
                                           "explicit5"};
    for (int k = 0; k < 4; k++) {
        double before = INFINITY;
        long steps = 0;
        for (int i = 0; i < 3; i++) {
            HolSimOptions o = options(methods[k], 1, 0);
            o.tolerance = i == 0 ? 1e-5 : i == 1 ? 1e-7 : 1e-9;
            Run r = run_file(CARTESIAN, 1, 2, &o);
            const double error = fabs(r.q[2] + 0.7425271696483456);
            assert_true(error < 3e3 * o.tolerance);
            assert_true(error < 0.5 * before);
            assert_true(r.stats.steps > steps);
            assert_true(r.stats.residual_position < 1e-13);
            before = error;
            steps = r.stats.steps;
        }
    }
}

// steps grow again behind a stiff moment: van der Pol's oscillator
static void steps_vary(void **state) {
    (void)state;
    HolSimOptions o = options("explicit5", 20, 0);
    o.tolerance = 1e-8;
    HolModel *m = load(van_der_pol, NAN, NAN);
    Run r = run_model(m, &o);
    assert_int_equal(r.status, HOL_OK);
    assert_true(r.stats.h_max > 1.5 * r.stats.h_min);
    HolSimOptions t = options("taylor", 20, 0);
    t.tolerance = 1e-13;
    Run exact = run_model(m, &t);
    close_to(r.q[0], exact.q[0], 1e-5);
    hol_model_destroy(m);
}

// velocity rows
static void nonholonomic(void **state) {
    (void)state;
    HolModel *m = load(HOL_SOURCE_DIR "/models/rolling-wheel.yaml", NAN, NAN);
    HolSimOptions o = options("taylor", 1, 0);
    o.tolerance = 1e-13;
    const Run exact = run_model(m, &o);
    assert_int_equal(exact.status, HOL_OK);
    static const char *const methods[3] = {"central-differences", "explicit4", "explicit5"};
    static const double expected[3] = {2, 4, 4};
    for (int k = 0; k < 3; k++) {
        double e[2];
        for (int i = 0; i < 2; i++) {
            o = options(methods[k], 1, i ? 1e-3 : 2e-3);
            Run r = run_model(m, &o);
            if (r.status != HOL_OK)
                print_error("%s\n", r.err.text);
            assert_int_equal(r.status, HOL_OK);
            assert_true(r.stats.residual_velocity < 1e-2);
            e[i] = distance(r.q, exact.q, 7);
        }
        if (fabs(order(e[0], e[1]) - expected[k]) > 0.4)
            print_error("%s: %.3g %.3g\n", methods[k], e[0], e[1]);
        close_to(order(e[0], e[1]), expected[k], 0.4);
    }
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stability_limits),
        cmocka_unit_test(weak_instability),
        cmocka_unit_test(refusals),
        cmocka_unit_test(notes),
        cmocka_unit_test(unfit_set_explodes),
        cmocka_unit_test(orders_without_constraints),
        cmocka_unit_test(orders_with_constraints),
        cmocka_unit_test(orders_with_velocity_forces),
        cmocka_unit_test(orders_in_space),
        cmocka_unit_test(other_retraction),
        cmocka_unit_test(projections),
        cmocka_unit_test(short_last_step),
        cmocka_unit_test(error_control),
        cmocka_unit_test(steps_vary),
        cmocka_unit_test(nonholonomic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
