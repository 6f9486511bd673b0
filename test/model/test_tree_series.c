// SPDX-License-Identifier: Apache-2.0
// Series in joint coordinates: a tree with branches, hinges written either way, a fixed joint,
// inclined axes, full inertia, springs, dampers and torques by expressions moves as the series of
// its bodies say; order, residuals, energy, dense output, multipliers when they are asked for,
// whole turns, threads.
#include "model/model.h"
#include "solve/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tree_random.h"

// an arm of three links, a branch with a plate fixed to it; two joints name the outer body first
static const char tree[] =
    "holonom: 1\n"
    "space: spatial\n"
    "gravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n"
    "- {name: hand, mass: 0.7, inertia: [0.01, 0.02, 0.015], position: [1.1, 1.4, 0.3]}\n"
    "- {name: base, mass: 2, inertia: [0.05, 0.04, 0.03, 0.01, -0.004, 0.006], "
    "position: [0.1, 0, 0.4]}\n"
    "- {name: arm, mass: 1.5, inertia: [0.02, 0.03, 0.05, 0.002, 0.001, -0.003], "
    "position: [0.6, 0.5, 0.2]}\n"
    "- {name: tail, mass: 0.4, inertia: [0.01, 0.01, 0.02], position: [-0.5, 0.2, 0.1]}\n"
    "- {name: plate, mass: 0.3, inertia: [0.004, 0.003, 0.006], position: [-0.8, 0.3, 0]}\n"
    "joints:\n"
    "- {name: j1, type: revolute, bodies: [ground, base], at: [0, 0, 0.2], axis: [0.2, 0.1, 1]}\n"
    "- {name: j2, type: revolute, bodies: [arm, base], at: [0.3, 0.2, 0.4], axis: [0, 1, 0.3]}\n"
    "- {name: j3, type: revolute, bodies: [arm, hand], at: [0.9, 1, 0.2], axis: [1, 0.5, 0]}\n"
    "- {name: j4, type: revolute, bodies: [tail, base], at: [-0.2, 0.1, 0.3], axis: [1, 1, 1]}\n"
    "- {name: j5, type: fixed, bodies: [tail, plate], at: [-0.6, 0.2, 0]}\n"
    "forces:\n"
    "- {name: k2, type: torsion_spring_damper, joint: j2, stiffness: 6, damping: %s, angle: 0.4}\n"
    "- {name: k4, type: torsion_spring_damper, joint: j4, stiffness: 2, angle: -0.3}\n"
    "- {name: motor, type: torque, joint: j1, value: \"%s * sin(5*time + j2.angle) * "
    "exp(-time)\"}\n"
    "- {name: servo, type: torque, joint: j4, value: \"-0.3*tanh(j4.rate) - j3.angle*j2.rate\"}\n"
    "- {name: stop, type: torsion_spring_damper, joint: j3, stiffness: \"1 + j3.angle^2\", "
    "angle: 0.1}\n";

// the like in the plane
static const char plane[] =
    "holonom: 1\n"
    "space: planar\n"
    "gravity: [0.3, -9.81]\n"
    "bodies:\n"
    "- {name: hand, mass: 0.7, inertia: 0.02, position: [1.1, 1.4], angle: 7}\n"
    "- {name: base, mass: 2, inertia: 0.05, position: [0.1, 0.3], angle: 0.3}\n"
    "- {name: arm, mass: 1.5, inertia: 0.03, position: [0.6, 0.5], angle: -9}\n"
    "- {name: tail, mass: 0.4, inertia: 0.01, position: [-0.5, 0.2], omega: 0}\n"
    "- {name: plate, mass: 0.3, inertia: 0.004, position: [-0.8, 0.3], angle: 6.6}\n"
    "joints:\n"
    "- {name: j1, type: revolute, bodies: [ground, base], at: [0, 0.2]}\n"
    "- {name: j2, type: revolute, bodies: [arm, base], at: [0.3, 0.2]}\n"
    "- {name: j3, type: revolute, bodies: [arm, hand], at: [0.9, 1]}\n"
    "- {name: j4, type: revolute, bodies: [tail, base], at: [-0.2, 0.1]}\n"
    "- {name: j5, type: fixed, bodies: [tail, plate], at: [-0.6, 0.2]}\n"
    "forces:\n"
    "- {name: k2, type: torsion_spring_damper, joint: j2, stiffness: 6, damping: %s, angle: 9}\n"
    "- {name: k4, type: torsion_spring_damper, joint: j4, stiffness: 2, angle: -0.3}\n"
    "- {name: motor, type: torque, joint: j1, value: \"%s * sin(5*time + j2.angle) * "
    "exp(-time)\"}\n"
    "- {name: servo, type: torque, joint: j4, value: \"-0.3*tanh(j4.rate) - "
    "0.1*j3.angle*j2.rate\"}\n"
    "- {name: stop, type: torsion_spring_damper, joint: j3, stiffness: \"1 + j3.angle^2\", "
    "angle: 16}\n";

typedef struct Run {
    HolModel *model;
    HolSim *sim;
} Run;

// in_joints 0: the series of the bodies
static Run begin(const char *text, const char *damping, double tolerance, int order, double step,
                 int in_joints) {
    char whole[4000];
    HolSimOptions o = hol_sim_options();
    HolError err = {0};
    Run r = {NULL, NULL};
    snprintf(whole, sizeof whole, text, damping, damping);
    HolSimOptions read;
    if (hol_model_parse(whole, strlen(whole), "tree", NULL, 0, &r.model, &read, &err))
        fail_msg("%s", err.text);
    assert_non_null(r.model->extras.tree_series);
    if (!in_joints)
        r.model->extras.tree_series = NULL;
    snprintf(o.method.name, sizeof o.method.name, "taylor");
    o.tolerance = tolerance;
    o.method.order = order;
    o.step = step;
    if (hol_sim_create(r.model, &o, &r.sim, &err))
        fail_msg("%s", err.text);
    return r;
}

static void advance(Run *r, double t) {
    HolError err = {0};
    if (hol_sim_advance(r->sim, t, &err))
        fail_msg("%s", err.text);
}

static void end(Run *r) {
    hol_sim_destroy(r->sim);
    hol_model_destroy(r->model);
}

static double difference(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
    return most;
}

// the largest differences of q, v, a and lambda
static void compare(Run *a, Run *b, double out[4]) {
    const HolView x = hol_sim_view(a->sim), y = hol_sim_view(b->sim);
    out[0] = difference(x.q, y.q, x.nq);
    out[1] = difference(x.v, y.v, x.nv);
    out[2] = difference(x.a, y.a, x.nv);
    out[3] = difference(x.lambda, y.lambda, x.m);
}

static void test_same_motion(void **state) {
    const char *text = *state;
    static const char *const damping[] = {"0", "0.4"};
    for (int k = 0; k < 2; k++) {
        Run joints = begin(text, damping[k], 1e-13, 0, 0, 1),
            bodies = begin(text, damping[k], 1e-13, 0, 0, 0);
        double off[4];
        advance(&joints, 1.5);
        advance(&bodies, 1.5);
        compare(&joints, &bodies, off);
        for (int i = 0; i < 4; i++)
            if (!(off[i] < 1e-9))
                fail_msg("damping %s: %g away in part %d", damping[k], off[i], i);
        const HolStats s = hol_sim_stats(joints.sim), other = hol_sim_stats(bodies.sim);
        assert_true(s.residual_position < 1e-14 && s.residual_velocity < 1e-13 &&
                    s.residual_acceleration < 1e-11);
        assert_true(s.energy_max_drift < 1e-9);
        assert_true(fabs(s.work - other.work) < 1e-9 && s.work != 0);
        end(&joints);
        end(&bodies);
    }
}

// its own residuals are those of the constraints
static void test_residuals(void **state) {
    const char *text = *state;
    Run r = begin(text, "0", 1e-6, 0, 0, 1);
    double position, velocity, acceleration;
    advance(&r, 1);
    hol_residuals(r.sim, &r.sim->x, &position, &velocity, &acceleration, NULL);
    assert_true(position < 1e-14 && velocity < 1e-13 && acceleration < 1e-12);
    // and its accelerations those of the saddle point
    double a[64];
    memcpy(a, r.sim->x.a, sizeof(double) * (size_t)r.sim->nv);
    assert_int_equal(hol_accelerate(r.sim, &r.sim->x, 0, NULL), HOL_OK);
    assert_true(difference(a, r.sim->x.a, r.sim->nv) < 1e-12);
    end(&r);
}

// x'' of a fresh series at a place on the way of another, where that says x and x'
static void second_at(const HolProblem *p, void *series, void *fresh, double t, double h,
                      double *out) {
    const HolTreeSeries *s = p->extras->tree_series;
    double x[16], rate[16];
    s->eval(p, series, 12, h, NULL, x, rate, out);
    assert_true(s->start(p, fresh, t + h, x, rate));
    s->order(p, fresh, 0);
    s->begin(p, fresh, NULL, NULL, out);
    // the same without a series, also in memory that held one
    double alone[16], size = 1;
    for (int i = 0; i < p->extras->n_tree; i++)
        size = fmax(size, fabs(out[i]));
    assert_true(s->accelerate(p, fresh, t + h, x, rate));
    s->begin(p, fresh, NULL, NULL, alone);
    if (!(difference(alone, out, p->extras->n_tree) < 1e-12 * size))
        fail_msg("%g of %g", difference(alone, out, p->extras->n_tree), size);
}

// x'' of the series against that of the equations on its way, as differences of first and second
// order: its coefficients
static void test_differences(void **state) {
    const char *text = *state;
    Run r = begin(text, "0.4", 1e-9, 0, 0, 1);
    advance(&r, 0.7);
    const HolProblem *p = r.sim->p;
    const HolTreeSeries *s = p->extras->tree_series;
    const int n = p->extras->n_tree;
    const double t = r.sim->x.t, e = 1e-3;
    double x[16], rate[16], now[16], ahead[16], behind[16], moved[16];
    HolArena arena = {0};
    void *series = hol_arena_alloc(&arena, s->size(p, 12)),
         *fresh = hol_arena_alloc(&arena, s->size(p, 12));
    s->memory(p, r.sim->work, series, 12);
    s->memory(p, r.sim->work, fresh, 12);
    p->extras->tree_coordinates(p, r.sim->work, t, r.sim->x.q, x);
    s->rates(p, r.sim->work, t, r.sim->x.q, r.sim->x.v, rate);
    assert_true(s->start(p, series, t, x, rate));
    for (int k = 0; k < 12; k++)
        s->order(p, series, k);
    second_at(p, series, fresh, t, 0, now);
    second_at(p, series, fresh, t, e, ahead);
    second_at(p, series, fresh, t, -e, behind);
    // x'' at +-e by the series alone gives its own coefficients
    for (int i = 0; i < n; i++) {
        const double first = (ahead[i] - behind[i]) / (2 * e),
                     second = (ahead[i] - 2 * now[i] + behind[i]) / (e * e);
        s->eval(p, series, 12, e, NULL, x, rate, moved);
        const double up = moved[i];
        s->eval(p, series, 12, -e, NULL, x, rate, moved);
        assert_true(fabs((up - moved[i]) / (2 * e) - first) < 1e-8 * (1 + fabs(first)));
        assert_true(fabs((up - 2 * now[i] + moved[i]) / (e * e) - second) <
                    1e-6 * (1 + fabs(second)));
    }
    hol_arena_free(&arena);
    end(&r);
}

// order P gives x and x', and with them all else, a global error of order P-1 or better
static void test_order(void **state) {
    const char *text = *state;
    Run exact = begin(text, "0.4", 1e-14, 0, 0, 1), one = begin(text, "0.4", 1e-6, 6, 0.004, 1),
        two = begin(text, "0.4", 1e-6, 6, 0.002, 1);
    double first[4], second[4];
    advance(&exact, 1);
    advance(&one, 1);
    advance(&two, 1);
    compare(&one, &exact, first);
    compare(&two, &exact, second);
    for (int i = 0; i < 4; i++) {
        const double order = log2(first[i] / second[i]);
        if (!(order > 4.5 && order < 7))
            fail_msg("part %d: observed order %g", i, order);
    }
    end(&exact);
    end(&one);
    end(&two);
}

// the error follows the tolerance
static void test_tolerance(void **state) {
    const char *text = *state;
    Run exact = begin(text, "0", 1e-14, 0, 0, 1);
    advance(&exact, 2);
    for (double tolerance = 1e-3; tolerance > 1e-10; tolerance /= 100) {
        Run r = begin(text, "0", tolerance, 0, 0, 1);
        double off[4];
        advance(&r, 2);
        compare(&r, &exact, off);
        if (!(off[0] < 300 * tolerance))
            fail_msg("tolerance %g: %g away", tolerance, off[0]);
        end(&r);
    }
    end(&exact);
}

// inside a step: on the constraints, as a run that ends there; and the run goes on as before
static void test_dense(void **state) {
    const char *text = *state;
    Run looked = begin(text, "0.4", 1e-10, 0, 0, 1), plain = begin(text, "0.4", 1e-10, 0, 0, 1);
    HolError err = {0};
    advance(&looked, 0.3);
    for (int k = 0; k < 5; k++) {
        if (hol_sim_step(looked.sim, 1, &err))
            fail_msg("%s", err.text);
        const double t = 0.5 * (looked.sim->prev.t + looked.sim->x.t);
        Run there = begin(text, "0.4", 1e-13, 0, 0, 1);
        advance(&there, t);
        const HolView y = hol_sim_view(there.sim);
        double *q = calloc((size_t)(y.nq + 2 * y.nv + y.m), sizeof *q), *v = q + y.nq,
               *a = v + y.nv, *lambda = a + y.nv;
        assert_int_equal(hol_sim_interpolate(looked.sim, t, q, v, a, lambda, NULL), HOL_OK);
        assert_true(difference(q, y.q, y.nq) < 1e-8);
        assert_true(difference(v, y.v, y.nv) < 1e-8);
        assert_true(difference(a, y.a, y.nv) < 1e-6);
        assert_true(difference(lambda, y.lambda, y.m) < 1e-6);
        free(q);
        end(&there);
    }
    advance(&looked, 1);
    advance(&plain, 0.3);
    advance(&plain, 1);
    assert_memory_equal(looked.sim->x.q, plain.sim->x.q, sizeof(double) * (size_t)plain.sim->nq);
    assert_memory_equal(looked.sim->x.a, plain.sim->x.a, sizeof(double) * (size_t)plain.sim->nv);
    end(&looked);
    end(&plain);
}

// 20 rad/s without a force: one step, three turns; the spring counts them
static const char rotor[] =
    "holonom: 1\nspace: spatial\ngravity: [0, 0, 0]\nbodies:\n"
    "- {name: disc, mass: 1, inertia: [0.1, 0.1, 0.2], position: [0, 0, 0], omega: [0, 0, 20]}\n"
    "joints:\n- {name: hub, type: revolute, bodies: [ground, disc], at: [0, 0, 0], "
    "axis: [0, 0, 1]}\n"
    "forces:\n- {name: wire, type: torsion_spring_damper, joint: hub, stiffness: %s}\n";

static void test_turns(void **state) {
    (void)state;
    Run free_rotor = begin(rotor, "0", 1e-8, 0, 0, 1);
    advance(&free_rotor, 1);
    assert_true(hol_sim_stats(free_rotor.sim).steps <= 3);
    const HolView x = hol_sim_view(free_rotor.sim);
    assert_true(fabs(x.q[3] - cos(10)) < 1e-12); // (the quaternion goes on, too)
    end(&free_rotor);
    // omega 1 rad/s of the torsion oscillator: amplitude 20 rad
    Run wound = begin(rotor, "0.2", 1e-10, 0, 0, 1);
    advance(&wound, 1.5);
    const HolView y = hol_sim_view(wound.sim);
    assert_true(fabs(y.v[5] - 20 * cos(1.5)) < 1e-7);
    assert_true(fabs(y.a[5] + 20 * sin(1.5)) < 1e-7);
    assert_true(hol_sim_stats(wound.sim).energy_max_drift < 1e-7);
    end(&wound);
}

// any method and model: the run, and how it ended
static HolStatus run(const char *text, const char *method, double tolerance, int order, double step,
                     double t, Run *r, HolError *err) {
    HolSimOptions o;
    *err = (HolError){0};
    if (hol_model_parse(text, strlen(text), "model", NULL, 0, &r->model, &o, err))
        fail_msg("%s", err->text);
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.tolerance = tolerance;
    o.method.order = order;
    o.step = step;
    o.end = t;
    if (hol_sim_create(r->model, &o, &r->sim, err))
        fail_msg("%s", err->text);
    return hol_sim_advance(r->sim, t, err);
}

// A hinge that nothing turns about is refused; one that has the inertia of others alone, which
// vanishes in a position on the way, is left to the series of the bodies.
static void test_without_inertia(void **state) {
    (void)state;
    static const char needle[] =
        "holonom: 1\nspace: spatial\nbodies:\n"
        "- {name: needle, mass: 1, inertia: [0, 1, 1], position: [1, 0, 0]}\n"
        "joints:\n- {name: hub, type: revolute, bodies: [ground, needle], at: [0, 0, 0], "
        "axis: [1, 0, 0]}\n";
    static const char fork[] =
        "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "- {name: fork, mass: 0, inertia: [0, 0, 0], position: [0, 0, 0]}\n"
        "- {name: rod, mass: 1, inertia: [0, 0, 0], position: [0, 0.6, -0.8]}\n"
        "joints:\n"
        "- {name: a, type: revolute, bodies: [ground, fork], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "- {name: j, type: revolute, bodies: [fork, rod], at: [0, 0, 0], axis: [1, 0, 0]}\n";
    Run r;
    HolError err;
    assert_int_not_equal(run(needle, "taylor", 1e-6, 0, 0, 1, &r, &err), HOL_OK);
    assert_non_null(strstr(err.text, "needle"));
    end(&r);
    assert_int_equal(run(fork, "taylor", 1e-8, 0, 0, 3, &r, &err), HOL_OK);
    assert_true(hol_sim_stats(r.sim).energy_max_drift < 1e-6);
    assert_true(fabs(hol_sim_view(r.sim).q[7]) < 1e-6);
    end(&r);
}

// a wheel on an arm, driven to some hundred turns in few steps
static const char wheel[] =
    "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
    "- {name: arm, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "- {name: w, mass: 1, inertia: [0.002, 0.001, 0.002], position: [1, 0, 0]}\n"
    "joints:\n"
    "- {name: a, type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "- {name: j, type: revolute, bodies: [arm, w], at: [1, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n"
    "- {name: m, type: torque, joint: j, value: \"0.5 - 0.001*j.angle\"}\n"
    "- {name: k, type: torsion_spring_damper, joint: j, stiffness: 0.001, angle: 0}\n"
    "outputs: [j.angle, w.alpha_y, a.fx, a.fz, energy.potential, energy.work]\n"
    "simulation: {end: 2, stop_times: [0.73, 1.5]}\n";

// rows inside steps, at both ends, in any order, with the turns they have
static void test_turns_inside(void **state) {
    (void)state;
    enum { COLUMNS = 7 };
    Run r, other;
    HolError err;
    HolStatus status = run(wheel, "taylor", 1e-9, 0, 0, 0, &r, &err);
    assert_non_null(r.model->extras.tree_series);
    assert_int_equal(hol_model_column_count(r.model), COLUMNS);
    for (int k = 0; k < 60 && !status && hol_sim_time(r.sim) < 2; k++) {
        status = hol_sim_step(r.sim, 2, &err);
        const double t0 = r.sim->prev.t, h = r.sim->x.t - t0, at[4] = {0.35, 1, 0, 0.8};
        for (int i = 0; i < 4 && !status && h > 1e-9; i++) {
            double row[COLUMNS], exact[COLUMNS];
            const double t = at[i] == 1 ? r.sim->x.t : t0 + at[i] * h;
            assert_int_equal(hol_sim_row(r.sim, t, row, &err), HOL_OK);
            if (run(wheel, "rk853", 1e-11, 0, 0, t, &other, &err) ||
                hol_sim_row(other.sim, t, exact, &err))
                fail_msg("%s", err.text);
            for (int c = 0; c < COLUMNS; c++)
                if (!(fabs(row[c] - exact[c]) < 1e-5 * (1 + fabs(exact[c]))))
                    fail_msg("t = %g, column %d: %.10g, not %.10g", t, c, row[c], exact[c]);
            end(&other);
        }
    }
    assert_int_equal(status, HOL_OK);
    const HolStats stats = hol_sim_stats(r.sim); // (a hundred tolerances of what the motor did)
    assert_true(hol_sim_time(r.sim) == 2 && stats.energy_max_drift < 1e-8 * fabs(stats.work));
    end(&r);
}

// stop times are reached and left by both forms of taylor
static void test_stop_times(void **state) {
    (void)state;
    static const char pendulum[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "- {name: a, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
        "joints:\n- {name: j, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
        "simulation: {end: 3, stop_times: [0.123, 0.5]}\n";
    Run r, other;
    HolError err;
    for (int fixed = 0; fixed < 2; fixed++) {
        if (run(pendulum, "taylor", 1e-10, 0, fixed ? 0.01 : 0, 3, &r, &err) ||
            run(pendulum, "rk853", 1e-11, 0, 0, 3, &other, &err))
            fail_msg("%s", err.text);
        assert_true(fabs(hol_sim_view(r.sim).q[2] - hol_sim_view(other.sim).q[2]) < 1e-7);
        end(&r);
        end(&other);
    }
}

// springs that cancel leave a constant torque
static void test_springs_that_cancel(void **state) {
    (void)state;
    static const char pair[] =
        "holonom: 1\nspace: spatial\nbodies:\n"
        "- {name: w, mass: 1, inertia: [0.1, 0.2, 0.1], position: [0, 0, 0]}\n"
        "joints:\n- {name: j, type: revolute, bodies: [ground, w], at: [0, 0, 0], axis: [0, 0, "
        "1]}\n"
        "forces:\n"
        "- {name: m, type: torsion_spring_damper, joint: j, stiffness: 5, angle: 1}\n"
        "- {name: m2, type: torsion_spring_damper, joint: j, stiffness: -5, angle: 0}\n";
    Run r;
    HolError err;
    assert_int_equal(run(pair, "taylor", 1e-8, 0, 0, 1, &r, &err), HOL_OK);
    assert_true(fabs(hol_sim_view(r.sim).v[5] - 50) < 1e-9);
    end(&r);
}

// the work of dampers as precise as the motion; steps that are far too long, and forces that are no
// numbers, fail
static void test_limits(void **state) {
    (void)state;
    static const char damped[] =
        "holonom: 1\nspace: spatial\nbodies:\n"
        "- {name: w, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], omega: [0, 0, 20]}\n"
        "joints:\n- {name: j, type: revolute, bodies: [ground, w], at: [0, 0, 0], axis: [0, 0, "
        "1]}\n"
        "forces:\n- {name: d, type: torsion_spring_damper, joint: j, stiffness: 10, damping: 0.1, "
        "angle: 0}\n";
    static const char pendulum[] =
        "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "- {name: a, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "- {name: b, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"
        "joints:\n- {name: j, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, "
        "0]}\n"
        "- {name: k, type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0, 1, 0.2]}\n";
    static const char root[] =
        "holonom: 1\nspace: spatial\nbodies:\n"
        "- {name: w, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
        "joints:\n- {name: j, type: revolute, bodies: [ground, w], at: [0, 0, 0], axis: [0, 0, "
        "1]}\n"
        "forces:\n- {name: d, type: torque, joint: j, value: \"0.1*sqrt(1-time)\"}\n";
    Run r;
    HolError err;
    assert_int_equal(run(damped, "taylor", 1e-12, 0, 0, 10, &r, &err), HOL_OK);
    assert_true(hol_sim_stats(r.sim).energy_max_drift < 1e-10);
    end(&r);
    assert_int_not_equal(run(pendulum, "taylor", 0, 24, 0.15, 6, &r, &err), HOL_OK);
    assert_non_null(strstr(err.text, "converge"));
    assert_true(hol_sim_stats(r.sim).energy_max_drift < 1);
    end(&r);
    assert_int_not_equal(run(root, "taylor", 0, 0, 0.01, 1.01, &r, &err), HOL_OK);
    end(&r);
}

// reactions and accelerations of a row belong together, however rough the run
static void test_balance(void **state) {
    (void)state;
    static const char stiff[] =
        "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "- {name: a, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "- {name: b, mass: 1, inertia: [0.01, 0.01, 0.01], position: [1.5, 0, 0], omega: [0, 3, "
        "0]}\n"
        "joints:\n- {name: j, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, "
        "0]}\n"
        "- {name: k, type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0, 1, 0.5]}\n"
        "forces:\n- {name: d, type: torsion_spring_damper, joint: k, stiffness: 1e5, damping: 10}\n"
        "outputs: [b.ax, b.az, k.fx, k.fz]\n";
    Run r;
    HolError err;
    HolStatus status = run(stiff, "taylor", 1e-2, 0, 0, 0, &r, &err);
    while (!status && hol_sim_time(r.sim) < 0.5) {
        status = hol_sim_step(r.sim, 0.5, &err);
        for (double part = 0.2; part < 1 && !status; part += 0.3) {
            double row[5];
            const double t = r.sim->prev.t + part * (r.sim->x.t - r.sim->prev.t);
            assert_int_equal(hol_sim_row(r.sim, t, row, &err), HOL_OK);
            assert_true(fabs(row[1] - row[3]) < 1e-8 * (1 + fabs(row[3])));
            assert_true(fabs(row[2] + 9.81 - row[4]) < 1e-8 * (1 + fabs(row[4])));
        }
    }
    assert_int_equal(status, HOL_OK);
    end(&r);
}

// many links in branches, some driven, some fixed
static HolModel *large_tree(int links, int plane) {
    enum { LINE = 400 };
    char *text = malloc((size_t)links * LINE + LINE), *at = text;
    double(*place)[2] = malloc(sizeof *place * (size_t)links);
    HolModel *m = NULL;
    HolSimOptions read;
    HolError err = {0};
    if (!text || !place)
        fail();
    at += sprintf(at, "holonom: 1\n%s\nbodies:\n",
                  plane ? "space: planar\ngravity: [0, -9.81]"
                        : "space: spatial\ngravity: [0, 1, -9.81]");
    const char *inertia = plane ? "0.2" : "[0.1, 0.2, 0.15]", *zero = plane ? "" : ", 0";
    for (int i = 0; i < links; i++) {
        const int up = i - 1 - (i % 7 == 6 ? 4 : 0);
        place[i][0] = (up >= 0 ? place[up][0] : 0) + 0.5;
        place[i][1] = (up >= 0 ? place[up][1] : 0) + 0.1 * (i % 3);
        at += sprintf(at, "- {name: b%d, mass: %d, inertia: %s, position: [%g, %g%s]}\n", i,
                      1 + i % 5, inertia, place[i][0], place[i][1], zero);
    }
    at += sprintf(at, "joints:\n");
    for (int i = 0; i < links; i++) {
        const int up = i - 1 - (i % 7 == 6 ? 4 : 0);
        char parent[32] = "ground", axis[32] = "";
        if (up >= 0)
            snprintf(parent, sizeof parent, "b%d", up);
        if (!plane && i % 11 != 10)
            snprintf(axis, sizeof axis, ", axis: [0, 1, %g]", 0.1 * (i % 4));
        at += sprintf(at, "- {name: j%d, type: %s, bodies: [%s, b%d], at: [%g, %g%s]%s}\n", i,
                      i % 11 != 10 ? "revolute" : "fixed", parent, i, place[i][0] - 0.25,
                      place[i][1], zero, axis);
    }
    at += sprintf(at, "forces:\n");
    for (int i = 0; i < links; i += 37)
        at += sprintf(
            at,
            "- {name: k%d, type: torsion_spring_damper, joint: j%d, stiffness: 2, damping: 1}\n", i,
            i % 11 == 10 ? i + 1 : i);
    at += sprintf(at, "- {name: t, type: torque, joint: j2, value: \"sin(time + j%d.angle)\"}\n",
                  links - 1);
    if (hol_model_parse(text, (size_t)(at - text), "tree", NULL, 0, &m, &read, &err))
        fail_msg("%s", err.text);
    free(text);
    free(place);
    return m;
}

// joint coordinates against the constrained bodies, series and Runge-Kutta
static void test_random(void **state) {
    (void)state;
    static char text[20000];
    unsigned seed = 11;
    for (int k = 0; k < 40; k++) {
        const int n = 2 + (int)(random_part(&seed) * 27), spatial = k % 2;
        write_random(text, sizeof text, &seed, n, spatial);
        HolModel *m = NULL;
        HolSimOptions read;
        HolError err = {0};
        if (hol_model_parse(text, strlen(text), "tree", NULL, 0, &m, &read, &err))
            fail_msg("%s", err.text);
        const HolTreeSeries *series = m->extras.tree_series;
        assert_non_null(series);
        HolSim *sim[3];
        for (int i = 0; i < 3; i++) {
            HolSimOptions o = hol_sim_options();
            snprintf(o.method.name, sizeof o.method.name, i < 2 ? "taylor" : "rk4");
            if (i == 2)
                snprintf(o.method.projection, sizeof o.method.projection, "joints");
            o.tolerance = i < 2 ? 1e-11 : 1e-10;
            m->extras.tree_series = i == 1 ? NULL : series;
            if (hol_sim_create(m, &o, &sim[i], &err) || hol_sim_advance(sim[i], 0.2, &err))
                fail_msg("%s", err.text);
        }
        assert_true(hol_sim_stats(sim[0]).rejected == 0); // a series that is wrong betrays itself
        const HolView one = hol_sim_view(sim[0]);
        for (int i = 1; i < 3; i++) {
            const HolView other = hol_sim_view(sim[i]);
            if (!(difference(one.q, other.q, one.nq) < 1e-8 &&
                  difference(one.v, other.v, one.nv) < 1e-7 &&
                  difference(one.lambda, other.lambda, one.m) < 1e-6))
                fail_msg("tree %d of %d links, run %d: %g %g %g away", k, n, i,
                         difference(one.q, other.q, one.nq), difference(one.v, other.v, one.nv),
                         difference(one.lambda, other.lambda, one.m));
        }
        for (int i = 0; i < 3; i++)
            hol_sim_destroy(sim[i]);
        hol_model_destroy(m);
    }
}

// two threads share a large tree, with the same bits, and with the motion of the bodies' series
static void test_threads(void **state) {
    HolModel *m = large_tree(2400, *state == (void *)(size_t)plane);
    const HolTreeSeries *series = m->extras.tree_series;
    HolSim *sim[3];
    assert_non_null(series);
    for (int i = 0; i < 3; i++) {
        HolSimOptions o = hol_sim_options();
        HolError err = {0};
        snprintf(o.method.name, sizeof o.method.name, "taylor");
        o.threads = i == 1 ? 2 : 1;
        o.tolerance = 1e-10;
        m->extras.tree_series = i < 2 ? series : NULL;
        if (hol_sim_create(m, &o, &sim[i], &err) || hol_sim_advance(sim[i], 0.15, &err))
            fail_msg("%s", err.text);
    }
    m->extras.tree_series = series;
    const HolView one = hol_sim_view(sim[0]), two = hol_sim_view(sim[1]),
                  bodies = hol_sim_view(sim[2]);
    assert_true(!sim[0]->pool && sim[1]->pool && hol_sim_stats(sim[0]).steps >= 2);
    assert_memory_equal(one.q, two.q, sizeof *one.q * (size_t)one.nq);
    assert_memory_equal(one.v, two.v, sizeof *one.v * (size_t)one.nv);
    assert_true(difference(one.q, bodies.q, one.nq) < 1e-8);
    assert_true(difference(one.v, bodies.v, one.nv) < 1e-8);
    for (int i = 0; i < 3; i++)
        hol_sim_destroy(sim[i]);
    hol_model_destroy(m);
}

int main(void) {
    void *texts[] = {(void *)(size_t)tree, (void *)(size_t)plane};
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_same_motion, texts[0]),
                                       cmocka_unit_test_prestate(test_same_motion, texts[1]),
                                       cmocka_unit_test_prestate(test_residuals, texts[0]),
                                       cmocka_unit_test_prestate(test_residuals, texts[1]),
                                       cmocka_unit_test_prestate(test_differences, texts[0]),
                                       cmocka_unit_test_prestate(test_differences, texts[1]),
                                       cmocka_unit_test_prestate(test_order, texts[0]),
                                       cmocka_unit_test_prestate(test_order, texts[1]),
                                       cmocka_unit_test_prestate(test_tolerance, texts[0]),
                                       cmocka_unit_test_prestate(test_tolerance, texts[1]),
                                       cmocka_unit_test_prestate(test_dense, texts[0]),
                                       cmocka_unit_test_prestate(test_dense, texts[1]),
                                       cmocka_unit_test(test_turns),
                                       cmocka_unit_test(test_without_inertia),
                                       cmocka_unit_test(test_turns_inside),
                                       cmocka_unit_test(test_stop_times),
                                       cmocka_unit_test(test_springs_that_cancel),
                                       cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_balance),
                                       cmocka_unit_test(test_random),
                                       cmocka_unit_test_prestate(test_threads, texts[0]),
                                       cmocka_unit_test_prestate(test_threads, texts[1])};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
