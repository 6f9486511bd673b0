// SPDX-License-Identifier: Apache-2.0
// Compliant contacts against closed forms: restitution by the speed of touch, Hunt and Crossley's law,
// Hertz' stiffness, clearance, friction that brings a disc to roll, corners, spheres in space,
// momentum kept between two bodies.
#include "text_run.h"

#include "model/contact/contact.h"

#define BALL(law)                                                                                  \
    "holonom: 1\nspace: planar\nbodies:\n"                                                         \
    "  - {name: ball, mass: 1, inertia: 0.1, position: [0, 0.6], velocity: [0, -1]}\n"             \
    "contacts:\n  - {name: floor, between: [{body: ground, line: {normal: [0, 1]}}, {body: ball, " \
    "circle: {radius: 0.1}}], " law "}\n"

static const char *const methods[] = {"taylor", "tangent", "rk853", "radau"};
enum { METHODS = sizeof methods / sizeof *methods };

// the damping that a restitution asks for
static void test_restitution(void **state) {
    (void)state;
    assert_true(fabs(hol_contact_damping(0.7) - 0.634828281266417) < 1e-14);
    assert_true(hol_contact_damping(1) == 0);
    for (double e = 0.3; e < 1; e += 0.05) { // (below, 1 - e z has few digits)
        const double z = hol_contact_damping(e);
        assert_true(fabs((1 + e) * z - log((1 + z) / (1 - e * z))) < 1e-11 * (1 + z));
    }
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text(BALL("stiffness: 1e6, restitution: 0.7"), methods[i], 1e-10);
        advance_text(&r, 0.55);
        expect_text(&r, "floor.speed", 0.7, 1e-8);
        close_text(&r);
    }
}

// whole exponents; the largest depth of a ball that keeps its energy
static void test_largest_force(void **state) {
    (void)state;
    // 1/2 m v^2 = k d^3/3
    const double d = cbrt(3 * 0.5 / 1e6), force = 1e6 * d * d;
    TextRun r = open_text(BALL("stiffness: 1e6, exponent: 2"), "taylor", 1e-11);
    double most = 0;
    for (double t = 0.5; t < 0.54; t += 2e-5) {
        advance_text(&r, t);
        most = fmax(most, text_value(&r, "floor.force"));
    }
    assert_true(fabs(most - force) < 1e-4 * force);
    advance_text(&r, 0.6);
    expect_text(&r, "ball.vy", 1, 1e-9);
    close_text(&r);
}

// two equal elastic balls exchange their speeds; momentum is kept, whatever the friction
static void test_two_balls(void **state) {
    (void)state;
    const char *text =
        "holonom: 1\nspace: spatial\nbodies:\n"
        "  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1], velocity: [1, 0, 0]}\n"
        "  - {name: b, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0.3, 0.2], omega: [1, 3, "
        "2]}\n"
        "contacts:\n  - {name: k, between: [{body: a, sphere: {radius: 0.4}}, {body: b, sphere: "
        "{radius: 0.5}}], hertz: {E1: 1e7, nu1: 0.3, E2: 2e7, nu2: 0.2}%s}\n"
        "variables:\n"
        "  - {name: px, value: a.vx + b.vx}\n  - {name: py, value: a.vy + b.vy}\n"
        "  - {name: Lz, value: a.x*a.vy - a.y*a.vx + b.x*b.vy - b.y*b.vx + 0.1*(a.wz + b.wz)}\n"
        "  - {name: Ly, value: a.z*a.vx - a.x*a.vz + b.z*b.vx - b.x*b.vz + 0.1*(a.wy + b.wy)}\n";
    char full[1200];
    for (int rough = 0; rough < 2; rough++) {
        snprintf(full, sizeof full, text, rough ? ", friction: {mu: 0.4, speed: 0.01}" : "");
        TextRun r = open_text(full, "taylor", 1e-10);
        advance_text(&r, 0);
        const double Lz = text_value(&r, "Lz"), Ly = text_value(&r, "Ly");
        advance_text(&r, 2);
        expect_text(&r, "px", 1, 1e-9);
        expect_text(&r, "py", 0, 1e-9);
        expect_text(&r, "Lz", Lz, 1e-9);
        expect_text(&r, "Ly", Ly, 1e-9);
        expect_text(&r, "energy.numerical", 0, 1e-8);
        if (!rough) { // what is left across the line of centres is kept
            const double s = sqrt(0.81 - 0.13), c[3] = {s / 0.9, 0.3 / 0.9, 0.2 / 0.9};
            expect_text(&r, "b.vx", c[0] * c[0], 1e-3); // (the line turns while they touch)
            expect_text(&r, "k.friction", 0, 0);
        } else {
            assert_true(text_value(&r, "energy.friction") > 1e-3);
            expect_text(&r, "energy.work", 0, 1e-8);
        }
        close_text(&r);
    }
}

// a disc that slides comes to roll at 2/3 of its speed: v - v/3, whatever the friction
static void test_slides_to_roll(void **state) {
    (void)state;
    const char *text = "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                       "  - {name: d, mass: 1, inertia: 0.005, position: [0, 0.09990062], "
                       "velocity: [3, 0]}\n"
                       "contacts:\n  - {name: k, between: [{body: d, circle: {radius: 0.1}}, "
                       "{body: ground, line: {normal: [0, 1]}}], stiffness: 98711.1, exponent: 1, "
                       "friction: {mu: 0.2, speed: 1e-4}}\n";
    TextRun r = open_text(text, "radau", 1e-8);
    advance_text(&r, 0.4);
    expect_text(&r, "k.friction", -0.2 * 9.81, 2e-3);
    expect_text(&r, "k.slip", 3 - 3 * 0.2 * 9.81 * 0.4, 3e-3);
    expect_text(&r, "k.state", 2, 0);
    advance_text(&r, 1.5);
    expect_text(&r, "d.vx", 2, 2e-3);
    expect_text(&r, "d.omega", -20, 2e-2);
    expect_text(&r, "k.slip", 0, 1e-5);
    close_text(&r);
}

// a box falls on four corners, upright: they carry alike to the last bit, and it does not turn
static void test_corners(void **state) {
    (void)state;
    const char *text = "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                       "  - {name: box, mass: 4, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.3]}\n"
                       "contacts:\n  - {name: k, between: [{body: ground, plane: {normal: [0, 0, "
                       "1]}}, {body: box, corners: [0.4, 0.3, 0.2]}], stiffness: 1e4, exponent: 1, "
                       "dissipation: 2, friction: {mu: 0.3}}\n";
    TextRun r = open_text(text, "taylor", 1e-8);
    for (double t = 0.05; t < 0.7; t += 0.05) {
        advance_text(&r, t);
        for (int i = 2; i <= 4; i++) {
            char name[20];
            snprintf(name, sizeof name, "k.%d.force", i);
            expect_text(&r, name, text_value(&r, "k.1.force"), 1e-9);
        }
        expect_text(&r, "k.5.force", 0, 0);
        expect_text(&r, "box.qx", 0, 1e-15);
    }
    advance_text(&r, 6);
    expect_text(&r, "k.1.force", 9.81, 1e-4);
    close_text(&r);
}

// a straight polyline is a line; the far side of a closed one is not touched
static void test_polyline(void **state) {
    (void)state;
    const char *text =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  - {name: d, mass: 1, inertia: 0.005, position: [-0.8, 0.3], velocity: [2, "
        "0], omega: 3}\n"
        "contacts:\n  - {name: k, between: [{body: ground, %s}, {body: d, circle: "
        "{radius: 0.1}}], stiffness: 1e4, exponent: 2, restitution: 0.6, friction: "
        "{mu: 0.2, speed: 0.01}}\n";
    static const char *const shapes[] = {
        "line: {normal: [0, 1]}", "polyline: [[-1, 0], [-0.5, 0], [0.3, 0], [3, 0]]",
        "polyline: [[-1, 0], [3, 0], [3, -0.4], [-1, -0.4], [-1, 0]]"};
    static const char *const columns[] = {"d.x", "d.y", "d.vx", "d.vy", "d.omega", "k.gap"};
    double values[3][6];
    for (int i = 0; i < 3; i++) {
        char full[1000];
        snprintf(full, sizeof full, text, shapes[i]);
        TextRun r = open_text(full, "taylor", 1e-10);
        advance_text(&r, 0.9);
        for (int k = 0; k < 6; k++)
            values[i][k] = text_value(&r, columns[k]);
        expect_text(&r, "energy.numerical", 0, 1e-8);
        close_text(&r);
    }
    for (int k = 0; k < 6; k++) {
        assert_true(fabs(values[1][k] - values[0][k]) < 1e-7);
        assert_true(fabs(values[2][k] - values[0][k]) < 1e-7);
    }
}

// an edge is smooth for a circle: it turns about the corner without a jump of the force
static void test_edge(void **state) {
    (void)state;
    TextRun r = open_text(
        "holonom: 1\nspace: planar\nbodies:\n"
        "  - {name: d, mass: 1, inertia: 0.005, position: [-0.5, 0.099], velocity: [1, 0]}\n"
        "contacts:\n  - {name: k, between: [{body: ground, polyline: [[-1, 0], [0, 0], [1, -1]]}, "
        "{body: d, circle: {radius: 0.1}}], stiffness: 1e4, exponent: 1}\n"
        "joints:\n  - {type: slot, between: [{body: ground, at: [0, 0.099], axis: [1, "
        "0]}, "
        "d]}\n",
        "taylor", 1e-10);
    advance_text(&r, 0.5 - 1e-6);
    expect_text(&r, "k.force", 10, 1e-3);
    // the corner pushes it on: d = 0.1 - sqrt(0.099^2 + x^2)
    advance_text(&r, 0.505);
    const double x = text_value(&r, "d.x"), l = hypot(0.099, x);
    expect_text(&r, "k.force", 1e4 * (0.1 - l), 1e-6);
    expect_text(&r, "k.gap", l - 0.1, 1e-12);
    expect_text(&r, "energy.numerical", 0, 1e-9);
    advance_text(&r, 0.7);
    expect_text(&r, "k.force", 0, 0);
    close_text(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restitution), cmocka_unit_test(test_largest_force),
        cmocka_unit_test(test_two_balls),   cmocka_unit_test(test_slides_to_roll),
        cmocka_unit_test(test_corners),     cmocka_unit_test(test_polyline),
        cmocka_unit_test(test_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
