// SPDX-License-Identifier: Apache-2.0
// Contacts of lengths from micrometres to thousands of kilometres: the same motion, by several methods.
#include "text_run.h"

static const char *const methods[] = {"taylor", "tangent", "rk853", "radau"};
static const double scales[] = {1, 1e-6, 1e6};

// restitution of compliant contacts, whose damping follows from the speed of touch
static void test_restitution(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"line: {normal: [0, 1]}", "circle: {radius: %.17g}"},
        {"polyline: [[-1e7, 0], [1e7, 0]]", "circle: {radius: %.17g}"},
        {"circle: {at: [0, -1], radius: 1}", "circle: {radius: %.17g}"},
    };
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++) {
                const double s = scales[j], R = 0.1 * s;
                char text[1200], shape[100];
                if (k == 2 && j)
                    continue;
                snprintf(shape, sizeof shape, pairs[k][1], R);
                snprintf(
                    text, sizeof text,
                    "holonom: 1\nspace: planar\nbodies:\n"
                    "  - {name: b, mass: 1, inertia: %.17g, position: [0, %.17g], velocity: [0, "
                    "%.17g]}\n"
                    "contacts:\n  - {name: c, between: [{body: ground, %s}, {body: b, %s}], "
                    "stiffness: %.17g, restitution: 0.5}\n",
                    s * s, 4 * R, -s, pairs[k][0], shape, 1e6 / sqrt(s));
                TextRun r = open_text(text, methods[i], 1e-9);
                advance_text(&r, 0.6);
                expect_text(&r, "b.vy", 0.5 * s, 1e-7 * s);
                close_text(&r);
            }
}

// a disc rolls in a bowl
static void test_inside(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double s = scales[j];
            char text[1200];
            snprintf(text, sizeof text,
                     "holonom: 1\nspace: planar\ngravity: [0, %.17g]\nbodies:\n"
                     "  - {name: b, mass: 1, inertia: %.17g, position: [%.17g, %.17g]}\n"
                     "contacts:\n  - {name: c, between: [{body: ground, circle: {radius: %.17g}}, "
                     "{body: "
                     "b, circle: {radius: %.17g}}], stiffness: rigid, friction: {mu: 10}}\n",
                     -9.81 * s, 0.005 * s * s, 0.9 * s * sin(1), -0.9 * s * cos(1), s, 0.1 * s);
            TextRun r = open_text(text, methods[i], 1e-9);
            advance_text(&r, 0.4);
            const double x = text_value(&r, "b.x") / (0.9 * s),
                         y = text_value(&r, "b.y") / (0.9 * s);
            const double vx = text_value(&r, "b.vx"), vy = text_value(&r, "b.vy");
            // 3/4 v^2 = g l (cos 1 falls to cos), on the circle
            assert_true(fabs(x * x + y * y - 1) < 1e-10);
            const double energy = 0.75 * (vx * vx + vy * vy) / (9.81 * 0.9 * s * s);
            if (!(fabs(energy - (-y - cos(1))) < 1e-7) || !(energy > 0.1))
                fail_msg("%s, scale %g: %.12g, not %.12g", methods[i], s, energy, -y - cos(1));
            close_text(&r);
        }
}

// a disc slides on a level line until it rolls: behind that all accelerations are exactly zero
static void test_slip_to_roll(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (double mu = 0.1; mu < 0.6; mu += 0.1) {
                const double s = scales[j], t1 = 1 / (3 * mu * 9.81);
                char text[1200];
                snprintf(
                    text, sizeof text,
                    "holonom: 1\nspace: planar\ngravity: [0, %.17g]\nbodies:\n"
                    "  - {name: b, mass: 1, inertia: %.17g, position: [0, %.17g], velocity: "
                    "[%.17g, 0]}\n"
                    "contacts:\n  - {name: c, between: [{body: ground, line: {normal: [0, 1]}}, "
                    "{body: b, circle: {radius: %.17g}}], stiffness: rigid, friction: {mu: "
                    "%.17g}}\n",
                    -9.81 * s, 0.005 * s * s, 0.1 * s, s, 0.1 * s, mu);
                TextRun r = open_text(text, methods[i], 1e-9);
                advance_text(&r, 0.5);
                expect_text(&r, "b.vx", 2.0 / 3 * s, 1e-8 * s);
                expect_text(&r, "b.omega", -20.0 / 3, 1e-7);
                expect_text(&r, "b.x", s * (t1 - 0.5 * mu * 9.81 * t1 * t1 + 2.0 / 3 * (0.5 - t1)),
                            1e-8 * s);
                close_text(&r);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_slip_to_roll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
