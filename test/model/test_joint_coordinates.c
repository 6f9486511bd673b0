// SPDX-License-Identifier: Apache-2.0
// Coordinates of joints in expressions: angles of a universal joint with any angle between its axes,
// the rotation vector of a spherical joint, angle and displacement of a cylindrical one; and joints of
// ropes, belts, links and curves against closed forms.
#include "text_run.h"

#define SPACE "holonom: 1\nspace: spatial\n"

// R = Rot(z, 0.4) Rot(u, -0.7), u in the second body at the angle beta to z where both are parallel
static void test_universal_angles(void **state) {
    (void)state;
    static const double crosses[] = {1.5707963267948966, 1.1};
    for (int i = 0; i < 2; i++) {
        char text[1200];
        const double b = crosses[i], ux = sin(b), uz = cos(b), h = -0.35, c = cos(0.2),
                     s = sin(0.2);
        // quaternion of the product
        const double w = c * cos(h) - s * sin(h) * uz, x = c * sin(h) * ux, y = s * sin(h) * ux,
                     z = c * sin(h) * uz + s * cos(h);
        snprintf(text, sizeof text,
                 SPACE
                 "bodies:\n"
                 "  - {name: a, mass: 1, inertia: [1, 2, 3], omega: [0, 0, 0]}\n"
                 "  - {name: b, mass: 1, inertia: [1, 2, 2.5], orientation: {quaternion: "
                 "[%.17g, %.17g, %.17g, %.17g]}, omega: [0.3, -0.2, 0.5]}\n"
                 "joints:\n"
                 "  - {name: F, type: fixed, between: [ground, a]}\n"
                 "  - {name: U, type: universal, cross_angle: %.17g, between: [{body: a, axis: "
                 "[0, 0, 1]}, {body: b, axis: [%.17g, 0, %.17g]}]}\n"
                 "outputs: [U.angle1, U.angle2, U.rate1, U.rate2, \"b.wx^2 + b.wy^2 + b.wz^2\"]\n",
                 w, x, y, z, b, ux, uz);
        TextRun r = open_text(text, "taylor", 1e-11);
        advance_text(&r, 0);
        expect_text(&r, "U.angle1", 0.4, 1e-12);
        expect_text(&r, "U.angle2", -0.7, 1e-12);
        // omega = rate1 z + rate2 u', and the angle between the axes stays
        double before[2] = {text_value(&r, "U.angle1"), text_value(&r, "U.angle2")};
        const double r1 = text_value(&r, "U.rate1"), r2 = text_value(&r, "U.rate2");
        expect_text(&r, "b.wx^2 + b.wy^2 + b.wz^2", r1 * r1 + r2 * r2 + 2 * r1 * r2 * cos(b),
                    1e-11);
        advance_text(&r, 1e-5);
        expect_text(&r, "U.angle1", before[0] + 1e-5 * r1, 1e-9);
        expect_text(&r, "U.angle2", before[1] + 1e-5 * r2, 1e-9);
        advance_text(&r, 20); // turns are counted
        before[0] = text_value(&r, "U.angle1");
        assert_true(fabs(before[0]) + fabs(text_value(&r, "U.angle2")) > 3.2);
        close_text(&r);
    }
}

static void test_rotation_vector(void **state) {
    (void)state;
    TextRun r = open_text(
        SPACE
        "bodies:\n"
        "  - {name: b, mass: 1, inertia: [1, 2, 2.5], orientation: {axis: [1, 2, 2], angle: 0.9},"
        " omega: [0.1, 0.2, 0.2]}\n"
        "joints:\n  - {name: S, type: spherical, between: [ground, b]}\n"
        "outputs: [S.rx, S.ry, S.rz, S.rx_rate, S.ry_rate]\n",
        "rk853", 1e-10);
    advance_text(&r, 0);
    expect_text(&r, "S.rx", 0.3, 1e-13);
    expect_text(&r, "S.ry", 0.6, 1e-13);
    expect_text(&r, "S.rz", 0.6, 1e-13);
    // omega along the vector is its rate
    expect_text(&r, "S.rx_rate", 0.1, 1e-13);
    expect_text(&r, "S.ry_rate", 0.2, 1e-13);
    close_text(&r);
}

static void test_cylindrical(void **state) {
    (void)state;
    TextRun r = open_text(
        SPACE
        "bodies:\n"
        "  - {name: b, mass: 1, inertia: [1, 2, 3], position: [0, 0, 0.7], orientation: {axis: "
        "[0, 0, 1], angle: 0.5}, velocity: [0, 0, 2], omega: [0, 0, 3]}\n"
        "joints:\n  - {name: C, type: cylindrical, between: [{body: ground, axis: [0, 0, 1]}, "
        "b]}\n"
        "outputs: [C.angle, C.rate, C.displacement, C.speed]\n",
        "tangent", 1e-9);
    advance_text(&r, 1);
    expect_text(&r, "C.angle", 3.5, 1e-9);
    expect_text(&r, "C.rate", 3, 1e-9);
    expect_text(&r, "C.displacement", 2.7, 1e-9);
    expect_text(&r, "C.speed", 2, 1e-9);
    close_text(&r);
}

// two wheels under a torque: (J1 + (r1/r2)^2 J2) alpha_1 = T
static void test_belt(void **state) {
    (void)state;
    for (int crossed = 0; crossed < 2; crossed++) {
        char text[800];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\nbodies:\n"
                 "  - {name: a, mass: 1, inertia: 0.2}\n"
                 "  - {name: b, mass: 1, inertia: 0.5, position: [1, 0]}\n"
                 "joints:\n  - {name: A, type: revolute, between: [ground, a]}\n"
                 "  - {name: B, type: revolute, between: [{body: ground, at: [1, 0]}, b]}\n"
                 "  - {name: belt, type: belt, joints: [A, B], radii: [0.3, 0.1], crossed: %s}\n"
                 "forces:\n  - {type: torque, on: a, value: 2}\noutputs: [a.omega, b.omega]\n",
                 crossed ? "true" : "false");
        TextRun r = open_text(text, "radau", 1e-9);
        advance_text(&r, 1);
        expect_text(&r, "a.omega", 2 / (0.2 + 9 * 0.5), 1e-9);
        expect_text(&r, "b.omega", (crossed ? -3 : 3) * 2 / (0.2 + 9 * 0.5), 1e-9);
        close_text(&r);
    }
}

// a bead slides down a wire and up again: speed from energy, the same place with every method
static void test_bead(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "rk853", "tangent", "radau", "bdf"};
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -10]\n"
        "curves: {wire: {points: [[0, 0], [1, -0.6], [2, -0.9], [3, -1], [4, -0.9], [5, -0.6]]}}\n"
        "bodies:\n  - {name: bead, type: point, mass: 2, position: [0.5, -0.3]}\n"
        "joints:\n  - {name: W, type: point_on_curve, between: [ground, bead], curve: wire}\n"
        "outputs: [bead.x, bead.y, \"sqrt(bead.vx^2 + bead.vy^2)\", W.displacement]\n";
    double first = 0;
    for (int i = 0; i < 5; i++) {
        TextRun r = open_text(text, methods[i], 1e-9);
        advance_text(&r, 0);
        const double high = text_value(&r, "bead.y");
        advance_text(&r, 1);
        const double y = text_value(&r, "bead.y");
        expect_text(&r, "sqrt(bead.vx^2 + bead.vy^2)", sqrt(20 * (high - y)), 1e-6);
        if (i == 0)
            first = y;
        expect_text(&r, "bead.y", first, 1e-7);
        close_text(&r);
    }
}

// an eccentric disc of 24 points: y = e sin + sqrt((R + r)^2 - e^2 cos^2), flat: e sin + R
static void test_cams(void **state) {
    (void)state;
    char points[2000] = "", text[3000];
    size_t used = 0;
    const double e = 0.02, R = 0.05, roller = 0.01, t = 0.3;
    for (int i = 0; i < 24; i++)
        used +=
            (size_t)snprintf(points + used, sizeof points - used, "%s[%.15g, %.15g]", i ? ", " : "",
                             e + R * cos(i * 0.2617993877991494), R * sin(i * 0.2617993877991494));
    for (int flat = 0; flat < 2; flat++) {
        snprintf(
            text, sizeof text,
            "holonom: 1\nspace: planar\ncurves: {disc: {closed: true, points: [%s]}}\nbodies:\n"
            "  - {name: cam, mass: 1, inertia: 0.001}\n"
            "  - {name: rod, mass: 0.2, inertia: 0.001, position: [0, 0.055]}\n"
            "joints:\n  - {name: O, type: revolute, between: [ground, cam]}\n"
            "  - {name: G, type: prismatic, between: [{body: ground, axis: [0, 1]}, rod]}\n"
            "  - {name: T, %s}\nmotions: [{joint: O, value: \"10*time\"}]\n"
            "outputs: [rod.y, T.fx, T.fy, T.tz]\n",
            points,
            flat ? "type: cam_flat, between: [cam, {body: rod, axis: [0, 1]}], curve: disc"
                 : "type: cam, between: [cam, rod], curve: disc, radius: 0.01");
        TextRun r = open_text(text, flat ? "rk853" : "taylor", 1e-9);
        advance_text(&r, t);
        const double c = e * cos(10 * t), s = e * sin(10 * t);
        expect_text(&r, "rod.y", flat ? s + R : s + sqrt((R + roller) * (R + roller) - c * c),
                    2e-6);
        if (flat) // the force stands on the face; its lever arm is that of the point that touches
            assert_true(fabs(text_value(&r, "T.fx")) < 1e-12);
        close_text(&r);
    }
}

// a conical pendulum on a massless link: hinge at the first end, ball at the second
static void test_link(void **state) {
    (void)state;
    TextRun r =
        open_text("holonom: 1\nspace: spatial\ngravity: [0, 0, -10]\nbodies:\n"
                  "  - {name: bob, type: point, mass: 1, position: [0.6, 0, -0.8]}\n"
                  "joints:\n  - {name: L, type: revolute_spherical, axis: [0, 1, 0], between: "
                  "[ground, bob]}\n"
                  "outputs: [bob.y, \"bob.x^2 + bob.z^2\", \"bob.vx^2 + bob.vz^2 + 20*bob.z\"]\n",
                  "tangent", 1e-9);
    advance_text(&r, 2); // the link holds it in the plane of the hinge
    expect_text(&r, "bob.y", 0, 1e-12);
    expect_text(&r, "bob.x^2 + bob.z^2", 1, 1e-12);
    expect_text(&r, "bob.vx^2 + bob.vz^2 + 20*bob.z", -16, 1e-6);
    close_text(&r);
}

// models/hoist.yaml has its closed form in its head
static void test_hoist(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "tangent", "rk853"};
    for (int i = 0; i < 3; i++) {
        HolModel *m;
        HolError err;
        HolSimOptions o = hol_sim_options();
        const HolSetting method = {"method", methods[i]};
        if (hol_model_load(HOL_SOURCE_DIR "/models/hoist.yaml", &method, 1, &m, &o, &err))
            fail_msg("%s", err.text);
        TextRun r = {.model = m};
        assert_int_equal(hol_sim_create(m, &o, &r.sim, &r.err), HOL_OK);
        advance_text(&r, 1);
        expect_text(&r, "load.y", 1 - 9.81 / 8, 1e-8);
        expect_text(&r, "hook.y", 9.81 / 16, 1e-8);
        expect_text(&r, "rope.fy", -22.0725, 1e-8);
        close_text(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_universal_angles),
                                       cmocka_unit_test(test_rotation_vector),
                                       cmocka_unit_test(test_cylindrical),
                                       cmocka_unit_test(test_belt),
                                       cmocka_unit_test(test_bead),
                                       cmocka_unit_test(test_cams),
                                       cmocka_unit_test(test_link),
                                       cmocka_unit_test(test_hoist)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
