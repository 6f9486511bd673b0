// SPDX-License-Identifier: Apache-2.0
// Modes against closed forms and published values. The references of test/ref/linear were computed in
// 40 digits from minimal coordinates; those of the bicycle are published (Meijaard, Papadopoulos,
// Ruina, Schwab 2007).
#include "modes_run.h"

#define REF "test/ref/linear/"

typedef struct Expected {
    const char *file, *setting, *axes; // axes NULL: at rest
    double part;
    int dof, positions, n_free; // free motions
    int n;
    double eigenvalue[4][2];
} Expected;

static const Expected expected[] = {
    {REF "hanging-rods.yaml",
     NULL,
     NULL,
     1e-12,
     4,
     4,
     0,
     4,
     {{0, 2.667825816087931},
      {0, 6.433380102773393},
      {0, 11.293905864748934},
      {0, 18.595525337515916}}},
    {REF "four-bar-spring.yaml", NULL, NULL, 1e-12, 1, 1, 0, 1, {{0, 22.019566793379774}}},
    {REF "four-bar-spring.yaml",
     "c=20 ct=2",
     NULL,
     1e-12,
     1,
     1,
     0,
     1,
     {{-3.089939805896752, 21.801687865026597}}},
    {REF "sleeping-top.yaml",
     NULL,
     "global",
     1e-10,
     3,
     3,
     1,
     2,
     {{0, 1.7647667344608116}, {0, 22.23523326553919}}},
    {REF "sleeping-top.yaml",
     "n=20",
     "global",
     1e-10,
     3,
     3,
     1,
     2,
     {{4.82078831727758, 4}, {-4.82078831727758, 4}}},
    {REF "rod-on-hub.yaml", NULL, "body", 1e-9, 1, 1, 0, 1, {{0, 9}}},
    {REF "rolling-disc-straight.yaml", NULL, "global", 1e-9, 3, 5, 3, 1, {{0, 8.97255073357998}}},
    {REF "rolling-disc-straight.yaml",
     "v=0.5",
     "global",
     1e-9,
     3,
     5,
     3,
     2,
     {{4.415125517279586, 0}, {-4.415125517279586, 0}}},
    {REF "bicycle-v5.yaml",
     NULL,
     "global",
     1e-8,
     3,
     7,
     4,
     3,
     {{-0.3228664290041081, 0}, {-0.7753418821958089, 4.46486771378819}, {-14.07838969279806, 0}}},
    {REF "double-pendulum-dampers.yaml",
     NULL,
     NULL,
     1e-12,
     2,
     2,
     0,
     2,
     {{-0.15642589889884023, 6.746639332816981}, {-4.104937737464796, 27.205795515137215}}},
    {REF "gimbal-gyroscope.yaml", NULL, "global", 1e-9, 3, 3, 3, 1, {{0, 172.60678853473829}}},
    {REF "parallelogram-redundant.yaml", NULL, NULL, 1e-12, 1, 1, 0, 1, {{0, 5.871754422657678}}},
    {REF "ziegler.yaml",
     "P=30",
     NULL,
     1e-12,
     2,
     2,
     0,
     2,
     {{0, 3.4228246745251356}, {0, 8.263429750863857}}},
    {REF "ziegler.yaml",
     "P=45",
     NULL,
     1e-12,
     2,
     2,
     0,
     2,
     {{1.2814583971908533, 5.161602040426107}, {-1.2814583971908533, 5.161602040426107}}},
    {REF "ziegler.yaml",
     "P=30 c=0.1",
     NULL,
     1e-12,
     2,
     2,
     0,
     2,
     {{0.00331747726726085, 3.420124482434366}, {-0.7033174772672609, 8.239988774515295}}},
};

static void test_references(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const Expected *e = &expected[i];

        ModesRun r = modes_of_file(e->file, e->setting, 0);
        const HolModes *m = r.modes;
        assert_int_equal(m->dof, e->dof);
        assert_int_equal(m->positions, e->positions);
        assert_int_equal(m->moving, e->axes != NULL);
        assert_true(m->steady && m->constancy <= 1e-6);
        if (e->axes)
            assert_string_equal(m->axes, e->axes);
        assert_int_equal(m->n_modes, e->n); // nothing else: the others are zero
        assert_int_equal(m->n_all, e->n);
        assert_int_equal(m->n_free, e->n_free);
        for (int k = 0; k < e->n; k++) {
            const double *z = e->eigenvalue[k], size = hypot(z[0], z[1]);
            const HolMode *o = mode_at(m, z[0], z[1], e->part);
            assert_true(fabs(o->frequency_hz - z[1] / (8 * atan(1))) <= e->part * size);
            assert_true(fabs(o->damping + z[0] / size) <= 2 * e->part);
            assert_true(o->imag >= 0 && (z[1] > 0) == (o->imag > 0));
        }
        for (int k = 1; k < m->n_modes; k++) // sorted by size
            assert_true(hypot(m->modes[k]->real, m->modes[k]->imag) >=
                        (1 - 1e-12) * hypot(m->modes[k - 1]->real, m->modes[k - 1]->imag));
        const HolMode *last = m->modes[m->n_modes - 1];
        assert_true(m->omega_max == hypot(last->real, last->imag) && m->fastest == last);
        modes_run_close(&r);
    }
}

// Chains of n hanging rods, absolute angles: M_ij = m l^2 (n - max(i,j) + 1/2), M_ii = m l^2 (n - i + 1/3),
// K_ii = m g l (n - i + 1/2); lowest and highest in 40 digits.
static void test_long_chains(void **state) {
    (void)state;
    static const double ref[][3] = {{1, 5.424942396007538, 5.424942396007538},
                                    {2, 3.7902535848348946, 10.166315840197285},
                                    {10, 1.684746866467893, 37.67139876710729},
                                    {50, 0.7532227158896979, 100.06408864031259}};
    for (int i = 0; i < 4; i++) {
        char *text = hanging_rods((int)ref[i][0], 0.5, 9.81, 0, -1);
        ModesRun r = modes_of_text(text, 0);
        assert_int_equal(r.modes->n_all, (int)ref[i][0]);
        mode_at(r.modes, 0, ref[i][1], 1e-10);
        mode_at(r.modes, 0, ref[i][2], 1e-10);
        modes_run_close(&r);
        free(text);
    }
}

// A heavy symmetric top leaning by theta in steady precession W: A cos W^2 - C n W + m g l = 0. Its
// nutation is sqrt(V''/A), V = (p - C n cos)^2/(2 A sin^2) + m g l cos. No axes of the others hold it.
static void test_leaning_top(void **state) {
    (void)state;
    const double A = 0.05, C = 0.02, weight = 2 * 9.81 * 0.1, n = 60;
    for (double theta = 0.3; theta < 1.5; theta += 0.55)
        for (int fast = 0; fast < 2; fast++) {
            const double c = cos(theta), s = sin(theta);
            const double root = sqrt(C * n * C * n - 4 * A * c * weight);
            const double W = (C * n + (fast ? root : -root)) / (2 * A * c);
            const double u = A * W * s * s, u1 = C * n * s, u2 = C * n * c;
            const double second = (u1 * u1 + u * u2) / (A * s * s) -
                                  4 * u * u1 * c / (A * s * s * s) + u * u / (A * s * s) +
                                  3 * u * u * c * c / (A * s * s * s * s) - weight * c;
            char text[900];
            snprintf(
                text, sizeof text,
                "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n- {name: top, mass: "
                "2, inertia: [0.03, 0.03, 0.02], position: [%.17g, 0, %.17g], orientation: {axis: "
                "[0, 1, 0], angle: %.17g}, omega_body: [%.17g, 0, %.17g], exact: [orientation, "
                "omega], "
                "points: "
                "{tip: [0, 0, -0.1]}}\njoints: [{type: spherical, between: [ground, "
                "top.tip]}]\nsimulation: {end: 1}\n",
                0.1 * s, 0.1 * c, theta, -W * s, n);
            ModesRun r = modes_of_text(text, 0);
            assert_true(r.modes->steady);
            assert_string_equal(r.modes->axes, "frame");
            mode_at(r.modes, 0, sqrt(second / A), 1e-8);
            assert_int_equal(r.modes->n_modes,
                             1); // turning about the vertical and the own axis are free
            assert_int_equal(r.modes->n_free, 2);
            modes_run_close(&r);
        }
}

// The same chain in other units, another direction and other order of its bodies.
static void test_invariance(void **state) {
    (void)state;
    static const double ref[4] = {2.667825816087931, 6.433380102773393, 11.293905864748934,
                                  18.595525337515916};
    for (int i = 0; i < 5; i++) {
        const double scale[] = {1e3, 1e-3, 1, 1, 1e6},
                     x = i == 2   ? 0.6
                         : i == 3 ? 1
                                  : 0,
                     y = i == 2   ? 0.8
                         : i == 3 ? 0
                                  : -1;
        char *text = hanging_rods(4, 0.5 * scale[i], 9.81 * scale[i], x, y);
        ModesRun r = modes_of_text(text, 0);
        assert_int_equal(r.modes->n_all, 4);
        for (int k = 0; k < 4; k++)
            mode_at(r.modes, 0, ref[k], 1e-11);
        modes_run_close(&r);
        free(text);
    }
    // the bodies listed backwards, and the top of the references in tilted axes and in millimetres
    ModesRun r = modes_of_text("holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                               "- {name: r2, mass: 1, inertia: 0.020833333333333332, position: [0, "
                               "-0.75], points: {t: [0, 0.25]}}\n"
                               "- {name: r1, mass: 1, inertia: 0.020833333333333332, position: [0, "
                               "-0.25], points: {t: [0, 0.25], b: [0, -0.25]}}\n"
                               "joints:\n- {type: revolute, between: [r1.b, r2.t]}\n- {type: "
                               "revolute, between: [ground, r1.t]}\n"
                               "simulation: {end: 1}\n",
                               0);
    mode_at(r.modes, 0, 3.7902535848348946, 1e-12);
    mode_at(r.modes, 0, 10.166315840197285, 1e-12);
    modes_run_close(&r);
    r = modes_of_text(
        "holonom: 1\nspace: spatial\ngravity: [0, -5886, -7848]\nbodies:\n"
        "- {name: top, mass: 0.002, inertia: [30, 30, 20], position: [0, 60, 80], orientation: "
        "{axis: "
        "[-1, 0, 0], angle: \"acos(0.8)\"}, omega_body: [0, 0, 60], exact: [orientation, omega], "
        "points: {tip: [0, 0, -100]}}\n"
        "joints:\n- {type: spherical, between: [ground, top.tip]}\nsimulation: {end: 1}\n",
        0);
    assert_string_equal(r.modes->axes, "global");
    mode_at(r.modes, 0, 1.7647667344608116, 1e-9);
    mode_at(r.modes, 0, 22.23523326553919, 1e-9);
    modes_run_close(&r);
}

static void test_shapes(void **state) {
    (void)state;
    ModesRun r = modes_of_file(REF "hanging-rods.yaml", NULL, 0);
    const HolModes *m = r.modes;
    assert_int_equal(m->n_coordinates, 12);
    assert_int_equal(m->n_bodies, 4);
    assert_string_equal(m->bodies[3], "r4");
    assert_string_equal(m->coordinates[11], "r4.angle");
    assert_int_equal(m->body_of[11], 3);
    for (int k = 0; k < m->n_modes; k++) {
        const HolMode *o = m->modes[k];
        double sum = 0, most = 0;
        for (int b = 0; b < 4; b++)
            sum += o->share[b];
        assert_true(fabs(sum - 1) < 1e-12);
        for (int i = 0; i < 12; i++) {
            assert_true(fabs(o->shape[2 * i + 1]) < 1e-12); // nothing damps: real
            most = fmax(most, fabs(o->shape[2 * i]));
        }
        assert_true(most > 0.4 && most < 10);
        for (int b = 0; b < 4; b++) { // hinges hold: displacements follow from the angles
            double x = 0;
            for (int j = 0; j <= b; j++)
                x += (j < b ? 0.5 : 0.25) * o->shape[2 * (3 * j + 2)];
            assert_true(fabs(o->shape[6 * b] - x) < 1e-12);
            assert_true(fabs(o->shape[6 * b + 2]) < 1e-12);
        }
        // M and K of the head of test_long_chains: K x = omega^2 M x in the angles
        for (int i = 1; i <= 4; i++) {
            double Mx = 0;
            for (int j = 1; j <= 4; j++)
                Mx += 0.25 * (4 - (i > j ? i : j) + (i == j ? 1. / 3 : 0.5)) *
                      o->shape[2 * (3 * j - 1)];
            const double Kx = 9.81 * 0.5 * (4 - i + 0.5) * o->shape[2 * (3 * i - 1)];
            assert_true(fabs(Kx - o->imag * o->imag * Mx) < 1e-10 * o->imag * o->imag);
        }
    }
    modes_run_close(&r);
    // who moves: a rotor about its axle is free, the others are not in it
    r = modes_of_file(REF "gimbal-gyroscope.yaml", NULL, 0);
    int rotor = 0;
    for (int k = 0; k < r.modes->n_free; k++)
        rotor |= r.modes->free_motions[k]->share[2] > 1 - 1e-9;
    assert_true(rotor);
    modes_run_close(&r);
}

// Contacts and friction are held as they are. What sticks to two fingers that float moves with them alone:
// nothing has a frequency, and no hidden coordinate is a motion. A position of a joint that slips or is
// stopped counts once.
static void test_held(void **state) {
    (void)state;
    static const struct Held {
        const char *file;
        int dof, positions, n, n_free;
    } held[] = {{"models/gripper.yaml", 1, 3, 0, 2},
                {"models/friction-hinge.yaml", 1, 1, 1, 0},
                {"models/toggle-clamp.yaml", 0, 0, 0, 0},
                {"models/marble-run.yaml", 1, 2, 0, 2}};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        ModesRun r = modes_of_file(held[i].file, NULL, 0);
        assert_int_equal(r.modes->dof, held[i].dof);
        assert_int_equal(r.modes->positions, held[i].positions);
        assert_int_equal(r.modes->n_all, held[i].n);
        assert_int_equal(r.modes->n_free, held[i].n_free);
        for (int k = 0; k < r.modes->n_free; k++)
            assert_null(strstr(r.modes->free_motions[k]->text, "nothing"));
        modes_run_close(&r);
    }
}

// positions along a mode: the hinges stay closed, and the first order is the shape
static void test_positions(void **state) {
    (void)state;
    HolError err;
    double q[12], q0[12];
    ModesRun r = modes_of_file(REF "hanging-rods.yaml", NULL, 0);
    memcpy(q0, hol_sim_view(r.sim).q, sizeof q0);
    for (int large = 0; large < 2; large++) {
        const double e = large ? 0.2 : 1e-5;
        if (hol_modes_positions(r.sim, r.modes, r.modes->modes[1], e, 0, q, &err) != HOL_OK)
            fail_msg("%s", err.text);
        double x = 0, y = 0; // the chain, hinge by hinge
        for (int b = 0; b < 4; b++) {
            const double *p = q + 3 * b, s = sin(p[2]), c = cos(p[2]);
            assert_true(fabs(p[0] - x - 0.25 * s) < 1e-9 && fabs(p[1] - y + 0.25 * c) < 1e-9);
            x += 0.5 * s;
            y -= 0.5 * c;
        }
        for (int i = 0; !large && i < 12; i++)
            assert_true(fabs(q[i] - q0[i] - e * r.modes->modes[1]->shape[2 * i]) < 1e-9);
    }
    assert_int_equal(hol_modes_positions(r.sim, NULL, NULL, 1, 0, q, &err), HOL_ERR_INPUT);
    for (int i = 0; i < 12; i++) // the run stands where it was
        assert_true(hol_sim_view(r.sim).q[i] == q0[i]);
    modes_run_close(&r);
}

// ---- special states ----

static void test_no_freedom(void **state) {
    (void)state;
    ModesRun r = modes_of_file("models/slider-crank.yaml", NULL, 0);
    assert_int_equal(r.modes->dof, 0);
    assert_int_equal(r.modes->n_all, 0);
    assert_int_equal(r.modes->n_free, 0);
    assert_true(r.modes->omega_max == 0 && !r.modes->fastest);
    assert_non_null(strstr(r.modes->note, "no degree of freedom"));
    modes_run_close(&r);
}

static void test_nothing_pulls_back(void **state) {
    (void)state;
    ModesRun r =
        modes_of_text("holonom: 1\nspace: spatial\nbodies:\n- {name: a, mass: 1, inertia: [1, 2, "
                      "2.5]}\n- {name: b, mass: 1, inertia: [1, 2, 2.5], position: [1, 0, 0]}\n"
                      "simulation: {end: 1}\n",
                      0);
    assert_int_equal(r.modes->dof, 12);
    assert_int_equal(r.modes->n_all, 0);
    assert_int_equal(r.modes->n_free, 12);
    assert_non_null(strstr(r.modes->note, "every motion is free"));
    modes_run_close(&r);
    // a bar on two springs: free along itself
    r = modes_of_text(
        "holonom: 1\nspace: planar\nground: {points: {A: [-0.5, -1], B: [0.5, -1]}}\nbodies: "
        "[{name: bar, mass: 3, inertia: 0.5, points: {A: [-0.5, 0], B: [0.5, 0]}}]\nforces:\n- "
        "{type: spring_damper, between: [ground.A, bar.A], stiffness: 200}\n- {type: "
        "spring_damper, between: [ground.B, bar.B], stiffness: 200}\nsimulation: {end: 1}\n",
        0);
    assert_int_equal(r.modes->n_all, 2);
    assert_int_equal(r.modes->n_free, 1);
    mode_at(r.modes, 0, sqrt(400. / 3), 1e-12);         // both springs
    mode_at(r.modes, 0, sqrt(400 * 0.25 / 0.5), 1e-12); // about the middle
    assert_non_null(strstr(r.modes->free_motions[0]->text, "bar moves along x"));
    modes_run_close(&r);
}

// The drive stands still where it is: a pendulum under a driven pivot that is at rest at this time.
static void test_driven(void **state) {
    (void)state;
    ModesRun r = modes_of_text(
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n- {name: cart, mass: 1, inertia: "
        "1}\n"
        "- {name: bob, mass: 2, inertia: 0, position: [0, -0.5]}\njoints:\n- {name: rail, type: "
        "prismatic, "
        "bodies: [ground, cart], at: [0, 0], axis: [1, 0]}\n- {type: revolute, bodies: [cart, "
        "bob], at: [0, "
        "0]}\nmotions: [{joint: rail, value: \"0.01*(1-cos(time))\"}]\nsimulation: {end: 1}\n",
        0);
    assert_int_equal(r.modes->dof, 1);
    assert_false(r.modes->moving);
    // the pivot accelerates by 0.01 m/s^2: weight (0.01, 9.81), not along the pendulum: V'' is that of
    // g alone at angle 0
    mode_at(r.modes, 0, sqrt(9.81 / 0.5), 1e-9);
    assert_non_null(strstr(r.modes->note, "not in equilibrium"));
    modes_run_close(&r);
}

// a time inside a run: the angle there decides, omega^2 = g cos(angle)/l at the turning point
static void test_later(void **state) {
    (void)state;
    ModesRun r = modes_of_file(REF "double-pendulum-dampers.yaml", NULL, 0.5);
    assert_true(r.modes->time == 0.5);
    mode_at(r.modes, -0.15642589889884023, 6.746639332816981, 1e-10); // it rests there
    modes_run_close(&r);
    r = modes_of_file("models/papers/spinning-chain.yaml", NULL, 0);
    mode_at(r.modes, 0, 786.776, 2e-6); // docs/theory/linear.md: the chart form gives 788.194
    modes_run_close(&r);
}

// The mode of a state that moves nothing is called so: at the start, and beside a ball that flies, where
// round-off of the closed stop stands in the matrix
static void test_state_alone(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "states: [{name: q, rate: \"O.rate - q\"}]\nbodies:\n"
        "- {name: ball, mass: 1, inertia: 0.004, position: [1, 1]}\n"
        "- {name: rod, mass: 1, inertia: 0.02, position: [0.25, 1]}\njoints:\n"
        "- {name: O, type: revolute, between: [{body: ground, at: [0, 1]}, {body: rod, at: [-0.25, "
        "0]}], angle: 0.2, friction: {mu: 0.2, radius: 0.01, constant: 0.05}, limits: {min: -1, "
        "max: "
        "1, restitution: 0.4}}\ncontacts:\n"
        "- {name: floor, between: [{body: ground, line: {normal: [0, 1]}}, {body: ball, circle: "
        "{radius: 0.1}}], stiffness: rigid, restitution: 0.5, friction: {mu: 0.3}}\nevents:\n"
        "- {when: \"time - 0.7\", reset: {ball.vx: 0.5}}\n"
        "simulation: {end: 2, tolerance: 1e-6}\n";
    for (int at = 0; at < 2; at++) {
        ModesRun r = modes_of_text(text, at);
        const HolMode *mode = mode_at(r.modes, -1, 0, 1e-9);
        assert_string_equal(mode->text, "state q, and nothing moves");
        for (int b = 0; b < r.modes->n_bodies; b++)
            assert_true(mode->share[b] == 0);
        modes_run_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_leaning_top),
        cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_no_freedom),
        cmocka_unit_test(test_nothing_pulls_back),
        cmocka_unit_test(test_driven),
        cmocka_unit_test(test_later),
        cmocka_unit_test(test_state_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
