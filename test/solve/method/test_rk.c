// SPDX-License-Identifier: Apache-2.0
// rk3, rk4, rk853: published tables, tableaus, stability limits, orders, projections, dense output,
// kinks, work of non-conservative forces, algebraic variables.
#include "base/arena.h"
#include "explicit_run.h"
#include "pendula.h"
#include "solve/method/rk/rk.h"

#define PENDULUM PAPERS "explicit-pendulum.yaml"
#define CARTESIAN PAPERS "explicit-pendulum-cartesian.yaml"
#define OSCILLATOR PAPERS "explicit-oscillator.yaml"
#define TOP PAPERS "explicit-top.yaml"
#define HEAVY_TOP HOL_SOURCE_DIR "/models/heavy-top.yaml"

static const char *const methods[3] = {"rk3", "rk4", "rk853"};

static HolSimOptions projected(const char *method, const char *projection, const char *metric,
                               double end, double step) {
    HolSimOptions o = options(method, end, step);
    snprintf(o.method.projection, sizeof o.method.projection, "%s", projection);
    snprintf(o.method.metric, sizeof o.method.metric, "%s", metric);
    return o;
}

// ---- tables 8, 9, 10 of the conditionally explicit paper ----

static double top_energy(const HolView *x) {
    const double A = 5e-5, C = 2e-4, mgl = 0.02 * 9.81 * 0.05, s = sin(x->q[1]), c = cos(x->q[1]);
    const double w3 = x->v[2] + x->v[0] * c, start = 0.5 * C * 16 * PI * PI + mgl * cos(PI / 6);
    return 0.5 * A * (x->v[0] * x->v[0] * s * s + x->v[1] * x->v[1]) + 0.5 * C * w3 * w3 + mgl * c -
           start;
}

static void table_8(void **state) {
    (void)state;
    static const double expected[3] = {8.788e-6, 2.878e-8, 2.888e-11};
    for (int i = 0; i < 3; i++) {
        HolSimOptions o = options("rk3", 10, pow(10, -2 - i));
        agrees(energy_error(TOP, &o, lround(10 / o.step), top_energy), expected[i], 4, 0.5);
    }
}

static double cartesian_energy(const HolView *x) {
    return 0.5 * (x->v[0] * x->v[0] + x->v[1] * x->v[1]) + 9.81 * x->q[1];
}

static double length_drift(const HolView *x) {
    return x->q[0] * x->q[0] + x->q[1] * x->q[1] - 1;
}

static void tables_9_10(void **state) {
    (void)state;
    static const double drifting[3][2] = {
        {5.0455e-5, 1.0474e-4}, {3.7403e-8, 1.0275e-7}, {3.80e-11, 1.027e-10}};
    static const double projecting[3] = {4.1624e-4, 4.145e-7, 4.148e-10};
    for (int i = 0; i < 3; i++) {
        HolSimOptions o = projected("rk3", "none", "", 10, pow(10, -2 - i));
        const long n = lround(10 / o.step);
        agrees(energy_error(CARTESIAN, &o, n, cartesian_energy), drifting[i][0], i < 2 ? 5 : 2,
               i < 2 ? 0 : 1);
        agrees(energy_error(CARTESIAN, &o, n, length_drift), drifting[i][1], i < 2 ? 5 : 3, 0.5);
        o = projected("rk3", "position", "euclid", 10, pow(10, -2 - i));
        // at 1e-4 round-off of 1e5 projections is a hundredth of it
        agrees(energy_error(CARTESIAN, &o, n, cartesian_energy), projecting[i], i < 2 ? 4 : 2,
               i < 2 ? 0.6 : 1);
        assert_true(energy_error(CARTESIAN, &o, n, length_drift) < 1e-15);
    }
}

// ---- tableaus ----

static void tableaus(void **state) {
    (void)state;
    static const HolRkTableau *const tables[3] = {&hol_rk3, &hol_rk4, &hol_rk853};
    for (int k = 0; k < 3; k++) {
        const HolRkTableau *t = tables[k];
        const int rows = t == &hol_rk853 ? HOL_RK_STAGES : t->estimate;
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int j = 0; j < HOL_RK_STAGES; j++) {
                assert_true(j < i || t->a[i][j] == 0);
                sum += t->a[i][j];
            }
            close_to(sum, t->c[i], 1e-14);
        }
        for (int p = 0; p < t->order; p++) {
            double sum = 0, nested = 0, error = 0;
            for (int i = 0; i < rows; i++) {
                double inner = 0;
                for (int j = 0; j < i; j++)
                    inner += t->a[i][j] * pow(t->c[j], p);
                sum += t->b[i] * pow(t->c[i], p);
                nested += t->b[i] * inner;
                error += t->e[i] * pow(t->c[i], p);
            }
            close_to(sum, 1.0 / (p + 1), 1e-15);
            if (p + 2 <= t->order)
                close_to(nested, 1.0 / ((p + 1) * (p + 2)), 1e-14);
            // the estimates vanish up to their own order
            if (p < (t->order == 8 ? 5 : t->order - 1))
                close_to(error, 0, 1e-14);
        }
    }
    // dense output: the polynomial of y' = p t^(p-1) is t^p for every p up to 7
    for (int p = 4; p <= 7; p++)
        for (double theta = 0.1; theta < 1; theta += 0.2) {
            double k[HOL_RK_STAGES], c[7] = {1}, u = 1 - theta;
            for (int i = 0; i < HOL_RK_STAGES; i++)
                k[i] = p * pow(hol_rk853.c[i], p - 1);
            c[1] = k[0] - 1;
            c[2] = 2 - k[0] - k[12];
            for (int r = 0; r < 4; r++)
                for (int i = 0; i < HOL_RK_STAGES; i++)
                    c[3 + r] += hol_rk853_dense[r][i] * k[i];
            double y = theta * c[6];
            y = theta * (u * (y + c[5]) + c[4]);
            y = theta * (u * (y + c[3]) + c[2]);
            close_to(theta * (u * (y + c[1]) + c[0]), pow(theta, p), 1e-12);
        }
}

// ---- stability ----

static int is_stable(const char *method, double step) {
    HolSimOptions o = options(method, 3000 * step, step);
    HolSetting settings[1] = {{"wbar", "0"}};
    HolModel *m = NULL;
    HolSimOptions unused;
    HolError err;
    HolSim *s = NULL;
    double q = 1, v = 0.3;
    assert_int_equal(hol_model_load(OSCILLATOR, settings, 1, &m, &unused, &err), HOL_OK);
    assert_int_equal(hol_sim_create_problem(hol_model_problem(m), &q, &v, &o, &s, &err), HOL_OK);
    const int bounded =
        hol_sim_advance(s, o.end, &err) == HOL_OK && fabs(hol_sim_view(s).q[0]) < 10;
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return bounded;
}

static void stability_limits(void **state) {
    (void)state;
    static const double limit[2] = {1.7320508076, 2.8284271247};
    for (int k = 0; k < 2; k++) {
        double lo = 1, hi = 4;
        assert_true(is_stable(methods[k], lo));
        while (hi - lo > 1e-3) {
            const double mid = 0.5 * (lo + hi);
            if (is_stable(methods[k], mid))
                lo = mid;
            else
                hi = mid;
        }
        close_to(lo, limit[k], 0.003 * limit[k]);
    }
}

// ---- orders ----

// step sizes a factor of 4 apart for rk853, whose error crosses zero here and there
static double observed(int k, const double *error) {
    return log(error[0] / error[1]) / log(k == 2 ? 4 : 2);
}

static void expect_order(int k, const char *what, const double *error) {
    static const double expected[3] = {3, 4, 8};
    const double excess = observed(k, error) - expected[k];
    if (excess > (k == 2 ? -1 : -0.4) && excess < (k == 2 ? 2 : 0.4))
        return;
    print_error("%s: order of %s is %.2f (errors %.3g, %.3g), not %g\n", methods[k], what,
                observed(k, error), error[0], error[1], expected[k]);
    fail();
}

static double step_of(int k, int fine, double coarse) {
    return fine ? coarse / (k == 2 ? 4 : 2) : coarse;
}

static void orders_without_constraints(void **state) {
    (void)state;
    static const double step[3] = {0.005, 0.01, 0.25};
    for (int k = 0; k < 3; k++) {
        double eq[2], ev[2];
        for (int i = 0; i < 2; i++) {
            HolSimOptions o = options(methods[k], 2, step_of(k, i, step[k]));
            Run r = run_file(PENDULUM, 1, 2, &o);
            eq[i] = fabs(r.q[0] - 0.8186018870414516);
            ev[i] = fabs(r.v[0] - 1.347847339044848);
        }
        expect_order(k, "q", eq);
        expect_order(k, "v", ev);
    }
}

static void orders_with_constraints(void **state) {
    (void)state;
    static const double step[3] = {0.005, 0.01, 0.2};
    static const char *const words[3] = {"none", "position", "full"};
    for (int k = 0; k < 3; k++)
        for (int w = 0; w < 6; w++) {
            double eq[2], ev[2], el[2];
            for (int i = 0; i < 2; i++) {
                HolSimOptions o = projected(methods[k], words[w % 3], w < 3 ? "mass" : "euclid", 1,
                                            step_of(k, i, step[k]));
                Run r = run_file(CARTESIAN, 1, 2, &o);
                eq[i] = fabs(r.q[2] + 0.7425271696483456);
                ev[i] = fabs(r.v[2] + 2.8025956515711);
                el[i] = hypot(r.lambda[0] + 10.19784550625238, r.lambda[1] + 11.11197896181095);
                if (w % 3 > 0)
                    assert_true(r.stats.residual_position < 1e-15);
                if (w % 3 > 1)
                    assert_true(r.stats.residual_velocity < 1e-14);
                assert_true(r.stats.residual_acceleration < 1e-12);
            }
            expect_order(k, "q", eq);
            expect_order(k, "v", ev);
            expect_order(k, "lambda", el);
        }
}

static void orders_in_space(void **state) {
    (void)state;
    static const double step[3] = {5e-4, 5e-4, 8e-3};
    HolModel *m = load(HEAVY_TOP, NAN, NAN);
    HolSimOptions o = options("taylor", 0.2, 0);
    o.tolerance = 1e-14;
    const Run exact = run_model(m, &o);
    for (int k = 0; k < 3; k++) {
        double eq[2], ev[2], el[2];
        for (int i = 0; i < 2; i++) {
            o = options(methods[k], 0.2, step_of(k, i, step[k]));
            Run r = run_model(m, &o);
            assert_int_equal(r.status, HOL_OK);
            assert_true(r.stats.residual_position < 1e-14);
            eq[i] = distance(r.q, exact.q, 7);
            ev[i] = distance(r.v, exact.v, 6);
            el[i] = distance(r.lambda, exact.lambda, 3);
        }
        expect_order(k, "q", eq);
        expect_order(k, "v", ev);
        expect_order(k, "lambda", el);
    }
    hol_model_destroy(m);
}

// ---- error control ----

static void error_control(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double before = INFINITY;
        long steps = 0;
        for (int i = 0; i < 3; i++) {
            HolSimOptions o = options(methods[k], 1, 0);
            o.tolerance = pow(10, -5 - 2 * i);
            Run r = run_file(CARTESIAN, 1, 2, &o);
            const double error = fabs(r.q[2] + 0.7425271696483456);
            assert_true(error < 100 * o.tolerance);
            assert_true(error < before);
            assert_true(r.stats.steps >= steps);
            before = error;
            steps = r.stats.steps;
        }
    }
    HolModel *m = load(HEAVY_TOP, NAN, NAN);
    HolSimOptions o = options("rk853", 1, 0);
    o.tolerance = 1e-10;
    Run r = run_model(m, &o);
    assert_int_equal(r.status, HOL_OK);
    assert_true(r.stats.energy_max_drift < 1e-6);
    hol_model_destroy(m);
}

// positions, velocities, accelerations and multipliers inside large steps
static void dense_output(void **state) {
    (void)state;
    HolModel *m = load(CARTESIAN, 1, 2);
    HolSimOptions o = options("rk853", 1, 0), t = options("taylor", 1, 0);
    HolError err;
    HolSim *s[2];
    o.tolerance = 1e-9;
    o.max_step = 0.2;
    t.tolerance = 1e-14;
    assert_int_equal(hol_sim_create(m, &o, &s[0], &err), HOL_OK);
    assert_int_equal(hol_sim_create(m, &t, &s[1], &err), HOL_OK);
    double worst[4] = {0};
    for (int i = 1; i <= 60; i++) {
        double x[2][4][3];
        for (int k = 0; k < 2; k++) {
            const double time = i / 60.0;
            while (hol_sim_view(s[k]).t < time)
                assert_int_equal(hol_sim_step(s[k], 2, &err), HOL_OK);
            assert_int_equal(
                hol_sim_interpolate(s[k], time, x[k][0], x[k][1], x[k][2], x[k][3], NULL), HOL_OK);
        }
        for (int j = 0; j < 4; j++)
            worst[j] = fmax(worst[j], distance(x[0][j], x[1][j], j < 3 ? 3 : 2));
    }
    assert_true(hol_sim_stats(s[0]).steps < 25);
    assert_true(worst[0] < 3e-9 && worst[1] < 3e-9 && worst[2] < 1e-8 && worst[3] < 1e-8);
    hol_sim_destroy(s[0]);
    hol_sim_destroy(s[1]);
    hol_model_destroy(m);
}

// a spring that is four times as stiff on one side: half periods pi and pi/2
static const char kinked[] =
    "holonom: 1\nname: kinked\nspace: planar\n"
    "bodies: [{name: x, type: coordinate, mass: 1, position: 0, velocity: 1}]\n"
    "forces: [{name: f, type: expression, on: x, value: 'if(x > 0, -x, -4*x)'}]\n";

static void kinks(void **state) {
    (void)state;
    HolModel *m = load(kinked, NAN, NAN);
    for (int i = 0; i < 2; i++) {
        HolSimOptions o = options("rk853", 6 * PI + 1, 0);
        o.tolerance = i ? 1e-12 : 1e-8;
        Run r = run_model(m, &o);
        assert_int_equal(r.status, HOL_OK);
        close_to(r.q[0], sin(1), i ? 1e-11 : 1e-6);
        close_to(r.v[0], cos(1), i ? 1e-11 : 1e-6);
        assert_true(r.stats.steps < (i ? 260 : 100));
    }
    hol_model_destroy(m);
}

// the energy that a damper takes is accounted for by the method's own weights
static void work_of_forces(void **state) {
    (void)state;
    static const double bound[3] = {1e-6, 1e-8, 1e-13};
    for (int k = 0; k < 3; k++) {
        HolSimOptions o = options(methods[k], 4, 0.02);
        Run r = run_file(van_der_pol, NAN, NAN, &o);
        assert_true(fabs(r.stats.work) > 0.1);
        assert_true(r.stats.energy_max_drift < 20 * bound[k]);
    }
}

// forces as algebraic variables that depend on reactions and accelerations
static void algebraic_variables(void **state) {
    (void)state;
    Friction data = {.mu = 0.3, .r = 0.1, .ws = 0.5};
    HolProblem p = friction_problem(&data);
    double q[6], v[6];
    double_state(double_start, q, v);
    HolSimOptions o = options("tangent", 0.01, 0);
    o.tolerance = 1e-11;
    const Run exact = run(&p, q, v, NULL, NULL, &o);
    assert_int_equal(exact.status, HOL_OK);
    for (int k = 1; k < 3; k++) {
        o = options(methods[k], 0.01, 1e-6); // the dampers are stiff
        Run r = run(&p, q, v, exact.q, exact.v, &o);
        assert_int_equal(r.status, HOL_OK);
        assert_true(r.dq < 1e-8);
        close_to(r.w[V3], exact.w[V3], 1e-3 * fabs(exact.w[V3]));
    }
}

static void refusals(void **state) {
    (void)state;
    HolModel *m = load(CARTESIAN, NAN, NAN);
    HolSimOptions o = projected("rk4", "velocity", "", 1, 0.01);
    Run r = run_model(m, &o);
    assert_int_equal(r.status, HOL_ERR_INPUT);
    assert_non_null(strstr(r.err.text, "none, position, full"));
    o = projected("rk853", "", "other", 1, 0.01);
    r = run_model(m, &o);
    assert_int_equal(r.status, HOL_ERR_INPUT);
    assert_non_null(strstr(r.err.text, "mass, euclid"));
    hol_model_destroy(m);
}

// after the first step, which assembles, nothing is allocated: all explicit methods, both modes
static void no_allocation(void **state) {
    (void)state;
    static const char *const all[7] = {"rk3",       "rk4",       "rk853",    "central-differences",
                                       "explicit3", "explicit4", "explicit5"};
    HolModel *m = load(HEAVY_TOP, NAN, NAN);
    for (int k = 0; k < 14; k++) {
        HolSimOptions o = options(all[k / 2], 0.05, k % 2 ? 0 : 1e-4);
        HolError err;
        HolSim *s = NULL;
        assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
        assert_int_equal(hol_sim_step(s, 0.05, &err), HOL_OK);
        const long before = hol_arena_count();
        assert_int_equal(hol_sim_advance(s, 0.05, &err), HOL_OK);
        assert_int_equal(hol_arena_count(), before);
        hol_sim_destroy(s);
    }
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_allocation),
        cmocka_unit_test(table_8),
        cmocka_unit_test(tables_9_10),
        cmocka_unit_test(tableaus),
        cmocka_unit_test(stability_limits),
        cmocka_unit_test(orders_without_constraints),
        cmocka_unit_test(orders_with_constraints),
        cmocka_unit_test(orders_in_space),
        cmocka_unit_test(error_control),
        cmocka_unit_test(dense_output),
        cmocka_unit_test(kinks),
        cmocka_unit_test(work_of_forces),
        cmocka_unit_test(algebraic_variables),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
