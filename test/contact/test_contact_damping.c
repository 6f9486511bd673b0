// SPDX-License-Identifier: Apache-2.0
// The damping of a compliant contact is that of the speed at the touch itself, wherever the method's steps
// end beside it: a box that turns falls on a corner; balls that touch so slowly that the weight changes their
// speed in every short step behind the touch. Values of integrations of (50) on its own (Dormand and Prince,
// Radau) from the touch on, to 1e-12.
#include "text_run.h"

static const char *const methods[] = {"taylor", "tangent", "rk853", "radau"};
static const double tolerances[] = {1e-8, 1e-10, 1e-12};

// off by no more than the tolerance, of a length of 1 m, and the last digit of the value
static void expect_height(const char *text, int method, int tolerance, double t, double z,
                          const char *column) {
    const double limit = 0.1 * tolerances[tolerance] + 1e-12;
    TextRun r = open_text(text, methods[method], tolerances[tolerance]);
    advance_text(&r, t);
    const double off = text_value(&r, column) - z;
    if (!(fabs(off) <= limit))
        fail_msg("%s at %g: %s off by %.2e", methods[method], tolerances[tolerance], column, off);
    close_text(&r);
}

static void test_tumbling_box(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  - {name: b, mass: 1, inertia: [0.01, 0.012, 0.015], position: [0, 0, 0.4], orientation: "
        "{axis: [1, 2, 0.5], angle: 0.7}, omega: [2, 1, -3]}\ncontacts:\n"
        "  - {name: C, between: [{body: ground, plane: {normal: [0, 0, 1]}}, {body: b, corners: "
        "[0.4, 0.3, 0.2]}], stiffness: 2e4, exponent: 1.5, restitution: 0.6, friction: {mu: 0.3, "
        "speed: 0.01}}\n";
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            expect_height(text, i, k, 0.4, 0.240393998179, "b.z");
}

// from 1 um and 0.1 mm above the ground
static void test_slow_touch(void **state) {
    (void)state;
    static const double height[] = {1e-6, 1e-4}, y[] = {0.49502477995408, 0.49089862454678};
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++) {
                char text[600];
                snprintf(text, sizeof text,
                         "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                         "  - {name: b, mass: 1, inertia: 1, position: [0, %.17g]}\ncontacts:\n"
                         "  - {name: C, between: [{body: ground, line: {normal: [0, 1]}}, {body: "
                         "b, circle: {radius: 0.5}}], stiffness: 1e4, restitution: 0.5}\n",
                         0.5 + height[j]);
                expect_height(text, i, k, 0.3, y[j], "b.y");
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tumbling_box),
        cmocka_unit_test(test_slow_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
