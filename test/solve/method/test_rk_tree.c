// SPDX-License-Identifier: Apache-2.0
// rk3 and rk4 with projection joints: order of positions, velocities, accelerations and
// multipliers, tolerance, work, states inside steps, turns, refusals.
#include "solve/sim.h"
#include "tree_run.h"

static const struct Method {
    const char *name;
    int order;
    double step;
} methods[] = {{"rk3", 3, 0.002}, {"rk4", 4, 0.005}};

static Result run_joints(const char *text, const char *method, const char *settings) {
    char all[200];
    snprintf(all, sizeof all, "method.projection=joints %s", settings);
    return run_with(text, method, all);
}

static void test_order(void **state) {
    static Result exact, coarse, fine;
    exact = run_with(*state, "taylor", "tolerance=1e-14");
    expect_ok(&exact);
    for (int k = 0; k < 2; k++) {
        char settings[64];
        snprintf(settings, sizeof settings, "step=%g", methods[k].step);
        coarse = run_joints(*state, methods[k].name, settings);
        snprintf(settings, sizeof settings, "step=%g", methods[k].step / 2);
        fine = run_joints(*state, methods[k].name, settings);
        expect_ok(&coarse);
        expect_ok(&fine);
        const int n[] = {exact.nq, exact.nv, exact.nv, exact.m};
        const double *const parts[][3] = {{coarse.q, fine.q, exact.q},
                                          {coarse.v, fine.v, exact.v},
                                          {coarse.a, fine.a, exact.a},
                                          {coarse.lambda, fine.lambda, exact.lambda}};
        for (int i = 0; i < 4; i++)
            close_to(order(distance(parts[i][0], parts[i][2], n[i]),
                           distance(parts[i][1], parts[i][2], n[i])),
                     methods[k].order, 0.3);
        assert_true(fine.stats.residual_position < 1e-13 && fine.stats.residual_velocity < 1e-12 &&
                    fine.stats.residual_acceleration < 1e-11);
    }
}

static void test_tolerance(void **state) {
    static Result exact, r;
    exact = run_with(*state, "taylor", "tolerance=1e-13");
    for (int k = 0; k < 2; k++) {
        double before = INFINITY;
        for (double tolerance = 1e-3; tolerance > 0.5e-8; tolerance /= 10) {
            char settings[64];
            snprintf(settings, sizeof settings, "tolerance=%g", tolerance);
            r = run_joints(*state, methods[k].name, settings);
            expect_ok(&r);
            const double off = away(&r, &exact);
            if (!(off < 100 * tolerance && (off < before || off < 0.01 * tolerance)))
                fail_msg("%s, tolerance %g: %g away", methods[k].name, tolerance, off);
            before = off;
            // forces that do work: what they do is counted
            if (!(r.stats.work != 0 && r.stats.energy_max_drift < 100 * tolerance))
                fail_msg("%s, tolerance %g: drift %g", methods[k].name, tolerance,
                         r.stats.energy_max_drift);
        }
    }
}

// the same motion as that of the bodies with projection
static void test_bodies(void **state) {
    static Result joints, bodies;
    joints = run_joints(*state, "rk4", "step=0.001");
    bodies = run_with(*state, "rk4", "step=0.001");
    expect_ok(&joints);
    expect_ok(&bodies);
    assert_true(away(&joints, &bodies) < 1e-8);
    assert_true(joints.stats.factorizations < 10); // nothing is factored in the steps
    static Result again;
    again = run_joints(*state, "rk4", "step=0.001");
    assert_memory_equal(again.q, joints.q, sizeof(double) * (size_t)joints.nq);
}

// states inside steps are closed and accurate, and change nothing
static void test_rows(void **state) {
    HolModel *model = NULL;
    HolSimOptions o;
    HolError err = {0};
    HolSim *s = open(*state, "rk4", "method.projection=joints step=0.005", &model, &o, &err);
    static Result plain, exact;
    assert_non_null(s);
    plain = run_joints(*state, "rk4", "step=0.005");
    double q[64], v[64], a[64], lambda[64], from = 0;
    for (HolView x = hol_sim_view(s); x.t < 1 - 1e-9; from = x.t) {
        assert_int_equal(hol_sim_step(s, 1, &err), HOL_OK);
        x = hol_sim_view(s);
        const double middle = 0.5 * (from + x.t);
        assert_int_equal(hol_sim_interpolate(s, middle, q, v, a, lambda, NULL), HOL_OK);
        if (from > 0.4 && from < 0.5) {
            char settings[64];
            snprintf(settings, sizeof settings, "tolerance=1e-13 end=%.17g", middle);
            exact = run_with(*state, "taylor", settings);
            assert_true(distance(q, exact.q, exact.nq) < 1e-6);
            assert_true(distance(v, exact.v, exact.nv) < 1e-5);
            assert_true(distance(lambda, exact.lambda, exact.m) < 1e-3);
        }
        double g[64];
        s->p->constraint(s->p, s->work, &(HolPoint){.t = middle, .q = q}, g);
        for (int i = 0; i < s->nh; i++)
            assert_true(fabs(g[i]) < 1e-13);
    }
    assert_memory_equal(hol_sim_view(s).q, plain.q, sizeof(double) * (size_t)plain.nq);
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

// a wheel that a motor turns round many times: its angle is not wrapped
static void test_turns(void **state) {
    (void)state;
    static const char wheel[] =
        "{holonom: 1, space: planar, gravity: [0, 0], simulation: {end: 4},\n"
        "bodies: [{name: w, mass: 1, inertia: 2, position: [0, 0]}],\n"
        "joints: [{name: J, type: revolute, bodies: [ground, w], at: [0, 0]}],\n"
        "forces: [{name: M, type: torque, joint: J, value: 12 + 0*J.angle}]}";
    Result r = run_joints(wheel, "rk4", "step=0.05");
    expect_ok(&r);
    close_to(r.q[2], 0.5 * 6 * 16, 1e-10);
    close_to(r.stats.work, 12 * 48, 1e-8);
}

// fixed steps far beyond the limit of stability end with a message, not with numbers
static void test_senseless(void **state) {
    (void)state;
    static const char whip[] =
        "{holonom: 1, space: planar, gravity: [0, -9.81], simulation: {end: 5},\n"
        "bodies: [{name: a, mass: 1, inertia: 0.1, position: [0.5, 0]},\n"
        "  {name: b, mass: 1, inertia: 0.1, position: [1.5, 0]}],\n"
        "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0, 0]},\n"
        "  {name: B, type: revolute, bodies: [a, b], at: [1, 0]}],\n"
        "forces: [{name: k, type: torsion_spring_damper, joint: B, stiffness: 20000}]}";
    for (int k = 0; k < 2; k++) {
        Result r = run_joints(whip, methods[k].name, "step=0.02");
        assert_int_equal(r.status, HOL_ERR_CONVERGE);
        assert_non_null(strstr(r.err.text, "smaller"));
        r = run_joints(whip, methods[k].name, "step=0.0005");
        expect_ok(&r);
        r = run_joints(whip, methods[k].name, "tolerance=1e-4"); // the error control sees it
        expect_ok(&r);
        assert_true(r.stats.energy_max_drift < 1);
    }
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *method, *settings, *says;
    } cases[] = {
        {arm, "rk4", "method.projection=joint", "joints"},
        {arm, "tangent", "method.projection=joints", "projection"},
        {arm, "rk853", "method.projection=joints", "taylor"},
        {arm, "rk4", "method.projection=joints method.metric=euclid", "metric"},
        {"{holonom: 1, space: planar, gravity: [0, -9.81],\n"
         "bodies: [{name: a, mass: 1, inertia: 0.1, position: [0.5, 0]}],\n"
         "joints: [{name: P, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 1]}],\n"
         "simulation: {end: 1}}",
         "rk3", "method.projection=joints", "open trees of hinges"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Result r = run_with(cases[i].text, cases[i].method, cases[i].settings);
        assert_true(r.status != HOL_OK);
        if (!strstr(r.err.text, cases[i].says))
            fail_msg("%s", r.err.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_order, (void *)arm),
        {"test_order in the plane", test_order, NULL, NULL, (void *)plane},
        cmocka_unit_test_prestate(test_tolerance, (void *)arm),
        {"test_tolerance in the plane", test_tolerance, NULL, NULL, (void *)plane},
        cmocka_unit_test_prestate(test_bodies, (void *)arm),
        {"test_bodies in the plane", test_bodies, NULL, NULL, (void *)plane},
        cmocka_unit_test_prestate(test_rows, (void *)arm),
        {"test_rows in the plane", test_rows, NULL, NULL, (void *)plane},
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_senseless),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
