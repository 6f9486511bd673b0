// SPDX-License-Identifier: Apache-2.0
// The run driver: time grid, stop times, stop flag, dense output, energy balance, options, memory.
#include "base/arena.h"
#include "pendula.h"
#include "run.h"

static HolSim *create(const HolProblem *p, const HolSimOptions *o) {
    static HolError err;
    double q[2], v[2];
    HolSim *s = NULL;
    pendulum_state(PI / 3, 0, q, v);
    if (hol_sim_create_problem(p, q, v, o, &s, &err) != HOL_OK) {
        print_error("%s\n", err.text);
        fail();
    }
    return s;
}

static void fixed_grid(void **state) {
    (void)state;
    HolProblem p = pendulum_problem();
    HolSimOptions o = options("hht", 4, 0.1);
    HolSim *s = create(&p, &o);
    for (int k = 1; k <= 40; k++) {
        assert_int_equal(hol_sim_step(s, 4, NULL), HOL_OK);
        assert_true(hol_sim_view(s).t == (k == 40 ? 4 : k * 0.1));
    }
    // nothing happens at the end, and the grid goes on behind it
    assert_int_equal(hol_sim_step(s, 4, NULL), HOL_OK);
    assert_int_equal(hol_sim_stats(s).steps, 40);
    assert_int_equal(hol_sim_advance(s, 4.25, NULL), HOL_OK);
    assert_true(hol_sim_view(s).t == 4.25);
    assert_int_equal(hol_sim_stats(s).steps, 43);
    close_to(hol_sim_view(s).h, 0.05, 1e-12);
    assert_int_equal(hol_sim_advance(s, 4.45, NULL), HOL_OK);
    assert_int_equal(hol_sim_stats(s).steps, 45);
    hol_sim_destroy(s);
    // a million steps' worth of round-off must not add a sliver
    o = options("hht", 1, 1.0 / 30000);
    s = create(&p, &o);
    assert_int_equal(hol_sim_advance(s, 1, NULL), HOL_OK);
    assert_int_equal(hol_sim_stats(s).steps, 30000);
    hol_sim_destroy(s);
}

static void last_steps_are_even(void **state) {
    (void)state;
    HolProblem p = pendulum_problem();
    HolSimOptions o = options("hht", 1, 0);
    o.tolerance = 1e-4;
    HolSim *s = create(&p, &o);
    double h = 0, before = 0;
    while (hol_sim_view(s).t < 1) {
        assert_int_equal(hol_sim_step(s, 1, NULL), HOL_OK);
        before = h;
        h = hol_sim_view(s).h;
    }
    assert_true(hol_sim_view(s).t == 1);
    close_to(h / before, 1, 1e-9);
    HolStats stats = hol_sim_stats(s);
    assert_true(stats.h_min > 0 && stats.h_min <= stats.h_max && stats.h_max <= 0.1 + 1e-12);
    assert_int_equal(stats.rejected, stats.error_test_failures + stats.convergence_failures);
    hol_sim_destroy(s);
}

// A horizontal force that is switched on at t = 1, on the pendulum hanging at rest.
static void switched_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    pendulum_force(p, work, at, f);
    f[0] = at->t >= 1 ? 5 : 0;
}

static void switched_force_open(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    pendulum_force(p, work, at, f);
    f[0] = at->t > 1 ? 5 : 0;
}

static void loaded_reference(double time, double *q, double *v) {
    int n = 20000;
    double y[2] = {0, 0}, k[4][2], h = time / n;
    const double at[4] = {0, 0.5, 0.5, 1};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 4; j++) {
            double a = y[0] + (j ? at[j] * h * k[j - 1][0] : 0);
            double b = y[1] + (j ? at[j] * h * k[j - 1][1] : 0);
            k[j][0] = b;
            k[j][1] = -9.81 * sin(a) + 5 * cos(a);
        }
        for (int m = 0; m < 2; m++)
            y[m] += h / 6 * (k[0][m] + 2 * k[1][m] + 2 * k[2][m] + k[3][m]);
    }
    pendulum_state(y[0], y[1], q, v);
}

static void stop_times(void **state) {
    (void)state;
    static const double stop[2] = {1, 2.5};
    double q[2], v[2], qr[2], vr[2];
    loaded_reference(2, qr, vr);
    pendulum_state(0, 0, q, v);
    for (int open = 0; open < 2; open++) {
        HolProblem p = pendulum_problem();
        p.force = open ? switched_force_open : switched_force;
        // fixed step: second order only when no step crosses the switch, on or off the grid
        double dq[2];
        for (int i = 0; i < 2; i++) {
            HolSimOptions o = options("hht", 3, i ? 0.003 : 0.006);
            o.stop_times = stop;
            o.n_stop_times = 2;
            Run r = run(&p, q, v, qr, vr, &o);
            assert_int_equal(r.status, HOL_OK);
            dq[i] = r.dq;
        }
        close_to(order(dq[0], dq[1]), 2, 0.1);
        // error control: the load is seen although the system rested before
        HolSimOptions o = options("hht", 3, 0);
        o.tolerance = 1e-5;
        o.stop_times = stop;
        o.n_stop_times = 2;
        HolSim *s = NULL;
        assert_int_equal(hol_sim_create_problem(&p, q, v, &o, &s, NULL), HOL_OK);
        int hits = 0;
        while (hol_sim_view(s).t < 3) {
            assert_int_equal(hol_sim_step(s, 3, NULL), HOL_OK);
            hits += hol_sim_view(s).t == 1 || hol_sim_view(s).t == 2.5;
        }
        assert_int_equal(hits, 2);
        assert_true(distance(hol_sim_view(s).q, qr, 2) < 0.01);
        assert_int_equal(hol_sim_stats(s).convergence_failures, 0);
        hol_sim_destroy(s);
    }
}

static void stop_flag(void **state) {
    (void)state;
    HolProblem p = pendulum_problem();
    HolSimOptions o = options("hht", 4, 0.01);
    HolSim *s = create(&p, &o);
    volatile int flag = 0;
    hol_sim_stop_flag(s, &flag);
    assert_int_equal(hol_sim_advance(s, 1, NULL), HOL_OK);
    flag = 1;
    assert_int_equal(hol_sim_advance(s, 4, NULL), HOL_INTERRUPTED);
    close_to(hol_sim_view(s).t, 1.01, 1e-12);
    flag = 0;
    assert_int_equal(hol_sim_advance(s, 4, NULL), HOL_OK);
    assert_true(hol_sim_view(s).t == 4);
    hol_sim_destroy(s);
}

static void dense_output(void **state) {
    (void)state;
    HolProblem p = pendulum_problem();
    double error[2];
    for (int i = 0; i < 2; i++) {
        HolSimOptions o = options("hht", 1, i ? 0.01 : 0.02);
        HolSim *s = create(&p, &o);
        double q[2], v[2], a[2], lambda, end[2], worst = 0;
        assert_int_equal(hol_sim_interpolate(s, 0.5, q, v, NULL, NULL, NULL), HOL_ERR_INPUT);
        while (hol_sim_view(s).t < 1) {
            HolView x = hol_sim_view(s);
            memcpy(end, x.q, sizeof end);
            double t = x.t;
            assert_int_equal(hol_sim_step(s, 1, NULL), HOL_OK);
            x = hol_sim_view(s);
            if (t > 0) { // the ends of a step are reproduced exactly
                assert_int_equal(hol_sim_interpolate(s, t, q, NULL, NULL, NULL, NULL), HOL_OK);
                assert_memory_equal(q, end, sizeof q);
            }
            assert_int_equal(hol_sim_interpolate(s, x.t, q, v, a, &lambda, NULL), HOL_OK);
            assert_memory_equal(q, x.q, sizeof q);
            assert_memory_equal(a, x.a, sizeof a);
            // in between the constraint holds to the order of the interpolation
            assert_int_equal(hol_sim_interpolate(s, x.t - x.h / 2, q, v, NULL, NULL, NULL), HOL_OK);
            worst = fmax(worst, fabs(hypot(q[0], q[1]) - 1));
        }
        assert_int_equal(hol_sim_interpolate(s, 0.5, q, v, NULL, NULL, NULL), HOL_ERR_INPUT);
        error[i] = worst;
        hol_sim_destroy(s);
    }
    close_to(order(error[0], error[1]), 4, 0.3);
}

// T + V - E0 - work goes to zero with the method's order, with and without dissipation
static void energy_balance(void **state) {
    (void)state;
    double drift[2], work = 0;
    HolProblem p = double_problem();
    const double start[4] = {2 * PI, 2 * PI, 1, 1};
    double q[6], v[6];
    double_state(start, q, v);
    for (int i = 0; i < 2; i++) {
        HolSimOptions o = options("hht", 0.5, ldexp(1, -12 - i));
        Run r = run(&p, q, v, NULL, NULL, &o);
        assert_int_equal(r.status, HOL_OK);
        drift[i] = r.stats.energy_max_drift;
        work = r.stats.work;
        close_to(r.stats.energy_final - r.stats.energy_initial, work, 1.001 * drift[i]);
    }
    assert_true(work < -100);
    assert_true(drift[1] < 1e-3 * fabs(work));
    assert_true(order(drift[0], drift[1]) > 1.8);
    p = pendulum_problem();
    pendulum_state(PI / 3, 0, q, v);
    for (int i = 0; i < 2; i++) {
        HolSimOptions o = options("hht", 4, ldexp(1, -8 - i));
        Run r = run(&p, q, v, NULL, NULL, &o);
        close_to(r.stats.energy_initial, -9.81 / 2, 1e-12);
        assert_true(r.stats.work == 0);
        drift[i] = r.stats.energy_max_drift;
    }
    assert_true(drift[1] < 1e-3);
    assert_true(order(drift[0], drift[1]) > 1.8);
}

static void reruns_and_memory(void **state) {
    (void)state;
    HolProblem p = double_problem();
    double q[6], v[6];
    double_state(double_start, q, v);
    const char *methods[3] = {"newmark", "hht", "generalized-alpha"};
    for (int k = 0; k < 6; k++) {
        HolSimOptions o = options(methods[k % 3], 0.5, k < 3 ? 0.001 : 0);
        Run r = run(&p, q, v, NULL, NULL, &o), again = run(&p, q, v, NULL, NULL, &o);
        if (k) // trapezoidal with a fixed step does not survive the stiff start
            assert_int_equal(r.status, HOL_OK);
        assert_memory_equal(r.q, again.q, sizeof r.q);
        assert_memory_equal(r.v, again.v, sizeof r.v);
        assert_memory_equal(r.lambda, again.lambda, sizeof r.lambda);
        if (k == 0)
            continue;
        HolSim *s = NULL;
        assert_int_equal(hol_sim_create_problem(&p, q, v, &o, &s, NULL), HOL_OK);
        assert_int_equal(hol_sim_step(s, 0.5, NULL), HOL_OK); // assembly may need some memory
        long before = hol_arena_count();
        assert_int_equal(hol_sim_advance(s, 0.5, NULL), HOL_OK);
        assert_int_equal(hol_arena_count(), before);
        hol_sim_destroy(s);
    }
    // every allocation of create may fail
    HolSimOptions o = options("hht", 1, 0.01);
    for (long n = 0;; n++) {
        HolSim *s = NULL;
        hol_arena_fail_after(n);
        HolStatus status = hol_sim_create_problem(&p, q, v, &o, &s, NULL);
        hol_arena_fail_after(-1);
        if (status == HOL_OK) {
            assert_true(n > 0);
            hol_sim_destroy(s);
            break;
        }
        assert_int_equal(status, HOL_ERR_MEMORY);
        assert_null(s);
    }
}

static void wrong_options(void **state) {
    (void)state;
    HolProblem p = pendulum_problem();
    const double q[2] = {0, -1}, v[2] = {0, 0}, times[2] = {1, 1};
    HolSimOptions o = options("hht", -1, -0.1);
    static HolError err;
    HolSim *s = NULL;
    o.output_step = -1;
    o.tolerance = 0;
    o.stop_times = times;
    o.n_stop_times = 2;
    snprintf(o.linear_solver, sizeof o.linear_solver, "magic");
    assert_int_equal(hol_sim_create_problem(&p, q, v, &o, &s, &err), HOL_ERR_INPUT);
    assert_null(s);
    const char *words[6] = {"step = -0.1", "end = -1",      "output_step",
                            "tolerance",   "stop_times[1]", "magic"};
    for (int i = 0; i < 6; i++)
        assert_true(strstr(err.text, words[i]) != NULL);
    assert_int_equal(err.problems, 6);
    assert_int_equal(hol_sim_create(NULL, &o, &s, &err), HOL_ERR_INPUT);
    o = options("hht", 1, 0.01);
    o.max_steps = 7;
    s = create(&p, &o);
    assert_int_equal(hol_sim_advance(s, 1, &err), HOL_ERR_STEP);
    assert_int_equal(hol_sim_stats(s).steps, 7);
    hol_sim_destroy(s);
    hol_sim_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_grid),        cmocka_unit_test(last_steps_are_even),
        cmocka_unit_test(stop_times),        cmocka_unit_test(stop_flag),
        cmocka_unit_test(dense_output),      cmocka_unit_test(energy_balance),
        cmocka_unit_test(reruns_and_memory), cmocka_unit_test(wrong_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
