// SPDX-License-Identifier: Apache-2.0
// Assembly: least change, exact values, redundant and singular constraints by joint name, refusal
// of what cannot be closed.
#include "sample_problems.h"

#include "solve/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
// after the headers it needs
#include <cmocka.h>

static HolSim *create(const HolProblem *p, const double *q, const double *v) {
    HolSimOptions o = hol_sim_options();
    HolSim *sim;
    HolError err;
    o.step = 0.01;
    if (hol_sim_create_problem(p, q, v, &o, &sim, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return sim;
}

static HolCheck check(HolSim *sim) {
    HolCheck c;
    HolError err;
    if (hol_sim_check(sim, &c, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return c;
}

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.14g differs from %.14g by %.3g", value, expected, value - expected);
}

static double levels(const HolSim *sim) {
    double position, velocity, acceleration;
    hol_residuals((HolSim *)sim, &sim->x, &position, &velocity, &acceleration, NULL);
    return fmax(position, fmax(velocity, acceleration));
}

// Point of a circle: the nearest point of x^2 + y^2 = 4 to (3, 4) is (1.2, 1.6), velocity loses its
// radial part.
static void circle(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)p, (void)work, (void)at;
    g[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 4;
}

static void unit_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                      double *S) {
    (void)p, (void)work, (void)at, (void)into_S;
    S[0] += c;
    S[3] += c * 50; // the mass must not matter for the least change
}

static void no_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    f[0] = f[1] = 0;
}

static HolProblem circle_problem(void) {
    return (HolProblem){.size = sizeof(HolProblem),
                        .nq = 2,
                        .nv = 2,
                        .nh = 1,
                        .mass = unit_mass,
                        .force = no_force,
                        .constraint = circle};
}

static void test_least_change(void **state) {
    (void)state;
    const HolProblem p = circle_problem();
    const double q[2] = {3, 4}, v[2] = {1, 0};
    HolSim *sim = create(&p, q, v);
    const HolCheck c = check(sim);
    const HolView view = hol_sim_view(sim);
    assert_near(view.q[0], 1.2, 1e-11);
    assert_near(view.q[1], 1.6, 1e-11);
    assert_near(view.v[0], 0.64, 1e-11);
    assert_near(view.v[1], -0.48, 1e-11);
    assert_near(c.residual_position, 21, 1e-12);
    assert_near(c.moved_position, 2.4, 1e-10);
    assert_string_equal(c.moved_what, "coordinate 2");
    assert_int_equal(c.n_moved, 4);
    assert_near(c.moved[0].from, 3, 0);
    assert_near(c.moved[0].to, 1.2, 1e-11);
    assert_int_equal(c.dof, 1);
    assert_int_equal(c.redundant, 0);
    assert_true(levels(sim) < 1e-11);
    hol_sim_destroy(sim);
}

static void test_exact_value(void **state) {
    (void)state;
    const HolProblem p = circle_problem();
    const double q[2] = {1.5, 2}, v[2] = {1, 7};
    HolSim *sim = create(&p, q, v);
    double position[2] = {1e6, 1}, velocity[2] = {1, 1e6};
    sim->weight_q = position;
    sim->weight_v = velocity;
    check(sim);
    const HolView view = hol_sim_view(sim);
    assert_true(view.q[0] == 1.5);
    assert_near(view.q[1], sqrt(4 - 2.25), 1e-13);
    assert_true(view.v[1] == 7);
    assert_near(view.v[0], -7 * sqrt(4 - 2.25) / 1.5, 1e-11);
    hol_sim_destroy(sim);
}

static void test_exact_value_that_cannot_be(void **state) {
    (void)state;
    const HolProblem p = circle_problem();
    const double q[2] = {2.5, 0.1}, v[2] = {0, 0};
    HolSim *sim = create(&p, q, v);
    HolError err;
    double position[2] = {1e6, 1};
    sim->weight_q = position;
    assert_int_equal(hol_sim_assemble(sim, &err), HOL_ERR_ASSEMBLY);
    assert_non_null(strstr(err.text, "exact"));
    assert_non_null(strstr(err.text, "2.25")); // how far off
    hol_sim_destroy(sim);
}

// Double pendulum drawn badly: closed again, nothing exact.
static void test_open_joints_close(void **state) {
    (void)state;
    const SamplePlanar data = sample_double_data(0);
    const HolProblem p = sample_planar(&data);
    const double q[6] = {0.5, 0.5, 0.1, 2, 2, -1}, v[6] = {1, 2, 3, 4, 5, 6};
    HolSim *sim = create(&p, q, v);
    const HolCheck c = check(sim);
    assert_int_equal(c.dof, 2);
    assert_true(levels(sim) < 1e-11);
    assert_true(c.moved_position > 0.1 && c.moved_position < 2);
    hol_sim_destroy(sim);
}

// The end of the double pendulum (reach 5) is to be pinned 10 away.
static void test_out_of_reach(void **state) {
    (void)state;
    SamplePlanar data = sample_double_data(0);
    data.joints = 3;
    data.joint[2] = (SampleJoint){.i = 1, .j = -1, .si = {1.5, 0}, .sj = {10, 0}};
    const HolProblem p = sample_planar(&data);
    const double q[6] = {1, 0, 0.1, 3, 0.3, 0.2}, v[6] = {0};
    HolSim *sim = create(&p, q, v);
    HolError err;
    assert_int_equal(hol_sim_assemble(sim, &err), HOL_ERR_ASSEMBLY);
    assert_non_null(strstr(err.text, "joint "));
    assert_non_null(strstr(err.text, "stays open by"));
    hol_sim_destroy(sim);
}

// The same joint twice: two rows depend on the first joint, everywhere; the motion is the same.
static void test_redundant(void **state) {
    (void)state;
    SamplePlanar data = sample_pendulum_data(0, 0);
    data.inertia[0] = 0.2;
    const HolProblem single = sample_planar(&data);
    SamplePlanar twice = data;
    twice.joints = 2;
    twice.joint[1] = twice.joint[0];
    const HolProblem p = sample_planar(&twice);
    double q[3], v[3];
    sample_pendulum_start(2, 1, q, v);
    HolSim *sim = create(&p, q, v), *plain = create(&single, q, v);
    const HolCheck c = check(sim);
    assert_int_equal(c.rank, 2);
    assert_int_equal(c.redundant, 2);
    assert_int_equal(c.dof, 1);
    assert_int_equal(c.singular, 0);
    assert_int_equal(c.n_dependent, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(c.dependent[i].always);
        // one joint of the pair, on the other
        assert_true(!strcmp(c.dependent[i].joint, "joint A") ||
                    !strcmp(c.dependent[i].joint, "joint B"));
        assert_non_null(strstr(c.dependent[i].on,
                               strcmp(c.dependent[i].joint, "joint A") ? "joint A" : "joint B"));
    }
    HolError err;
    assert_int_equal(hol_sim_advance(sim, 1, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(plain, 1, &err), HOL_OK);
    const HolView a = hol_sim_view(sim), b = hol_sim_view(plain);
    for (int i = 0; i < 3; i++) {
        assert_near(a.q[i], b.q[i], 1e-10);
        assert_near(a.v[i], b.v[i], 1e-10);
    }
    // minimum norm: each of the two joints carries half
    for (int i = 0; i < 4; i++)
        assert_near(a.lambda[i], 0.5 * b.lambda[i % 2], 1e-6);
    const HolStats stats = hol_sim_stats(sim);
    assert_true(stats.residual_position < 1e-12 && stats.residual_velocity < 1e-11);
    hol_sim_destroy(sim);
    hol_sim_destroy(plain);
}

static SamplePlanar parallelogram(void) {
    return (SamplePlanar){.bodies = 3,
                          .joints = 4,
                          .mass = {1, 2, 1},
                          .inertia = {0.1, 0.7, 0.1},
                          .gravity = 9.81,
                          .joint = {{.i = 0, .j = -1, .si = {-0.5, 0}},
                                    {.i = 0, .j = 1, .si = {0.5, 0}, .sj = {-1, 0}},
                                    {.i = 1, .j = 2, .si = {1, 0}, .sj = {0.5, 0}},
                                    {.i = 2, .j = -1, .si = {-0.5, 0}, .sj = {2, 0}}}};
}

// Parallelogram lying flat: a row depends on the others only there.
static void test_singular_position(void **state) {
    (void)state;
    const SamplePlanar data = parallelogram();
    const HolProblem p = sample_planar(&data);
    const double flat[9] = {0.5, 0, 0, 2, 0, 0, 2.5, 0, 0}, v[9] = {0};
    HolSim *sim = create(&p, flat, v);
    HolCheck c = check(sim);
    assert_int_equal(c.rank, 7);
    assert_int_equal(c.dof, 2);
    assert_int_equal(c.singular, 1);
    assert_int_equal(c.n_dependent, 1);
    assert_int_equal(c.dependent[0].always, 0);
    hol_sim_destroy(sim);
    const double s = sqrt(0.75), raised[9] = {0.25, s / 2, 3.14159265358979323846 / 3, 1.5, s, 0,
                                              2.25, s / 2, 3.14159265358979323846 / 3};
    sim = create(&p, raised, v);
    c = check(sim);
    assert_int_equal(c.rank, 8);
    assert_int_equal(c.dof, 1);
    assert_int_equal(c.singular, 0);
    assert_int_equal(c.n_dependent, 0);
    hol_sim_destroy(sim);
}

// The parallelogram swings through its flat positions and stays a parallelogram.
static void test_crosses_singular_position(void **state) {
    (void)state;
    const SamplePlanar data = parallelogram();
    const HolProblem p = sample_planar(&data);
    const double s = sqrt(0.75), third = 3.14159265358979323846 / 3;
    const double q[9] = {0.25, s / 2, third, 1.5, s, 0, 2.25, s / 2, third};
    const double w = 7; // turns over
    const double v[9] = {-0.5 * s * w, 0.25 * w, w, -s * w, 0.5 * w, 0, -0.5 * s * w, 0.25 * w, w};
    HolSim *sim = create(&p, q, v);
    HolError err;
    double lowest = 1;
    for (int k = 1; k <= 300; k++) {
        if (hol_sim_advance(sim, 0.01 * k, &err) != HOL_OK)
            fail_msg("%s", err.text);
        const HolView view = hol_sim_view(sim);
        assert_near(view.q[5], 0, 1e-9);
        assert_near(view.q[2], view.q[8], 1e-9);
        lowest = fmin(lowest, sin(view.q[2]));
    }
    assert_true(lowest < -0.9);
    const HolStats stats = hol_sim_stats(sim);
    assert_true(stats.residual_position < 1e-11 && stats.residual_velocity < 1e-10);
    hol_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least_change),
                                       cmocka_unit_test(test_exact_value),
                                       cmocka_unit_test(test_exact_value_that_cannot_be),
                                       cmocka_unit_test(test_open_joints_close),
                                       cmocka_unit_test(test_out_of_reach),
                                       cmocka_unit_test(test_redundant),
                                       cmocka_unit_test(test_singular_position),
                                       cmocka_unit_test(test_crosses_singular_position)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
