// SPDX-License-Identifier: Apache-2.0
// Trees of joints that slide, or turn and slide: methods in joint coordinates against one in the
// coordinates of the bodies, with joints that count from either side.
#include "tree_run.h"

// a cart on a rail, a pendulum on the cart, a bead on the pendulum's rod, none of them at the zero of
// its joint; the places of each joint are filled in from either side
static const char plane_slides[] =
    "holonom: 1\nspace: planar\ngravity: [0.3, -9.81]\n"
    "bodies:\n"
    "- {name: cart, mass: 2, inertia: 0.3, position: [0.5, 0.1], angle: 0.2, velocity: [1, 0.2]}\n"
    "- {name: rod, mass: 1, inertia: 0.2, position: [0.9, -0.2], angle: -0.7}\n"
    "- {name: bead, mass: 0.5, inertia: 0.05, position: [1.3, -0.4], angle: 0.4}\n"
    "joints:\n"
    "- {name: rail, type: prismatic, between: [%s, %s]}\n"
    "- {name: hinge, type: revolute, between: [%s, %s]}\n"
    "- {name: slide, type: prismatic, between: [%s, %s]}\n"
    "forces:\n"
    "- {name: s, type: spring_damper, between: [rod, bead], stiffness: 40, length: 0.2}\n"
    "- {name: r, type: spring_damper, between: [ground, cart], stiffness: 5, length: 0.3}\n"
    "simulation: {end: 0.6}\n";
static const char *const plane_places[] = {
    "{body: ground, at: [0.1, 0], axis: [1, 0.2]}",
    "{body: cart, at: [0.1, -0.1], axis: [1, 0]}",
    "{body: cart, at: [0, 0.05]}",
    "{body: rod, at: [-0.5, 0.1]}",
    "{body: rod, at: [0.2, 0], axis: [1, -0.3]}",
    "{body: bead, at: [0.02, 0.03], axis: [1, 0.5]}",
};

static const char space_slides[] =
    "holonom: 1\nspace: spatial\ngravity: [0.3, 0.5, -9.81]\n"
    "bodies:\n"
    "- {name: cart, mass: 2, inertia: [0.3, 0.2, 0.4], position: [0.5, 0.1, 0],\n"
    "   orientation: {axis: [1, 0.3, 0.2], angle: 0.5}, velocity: [1, 0.2, 0.1]}\n"
    "- {name: rod, mass: 1, inertia: [0.2, 0.1, 0.15], position: [0.9, -0.2, 0.1],\n"
    "   orientation: {axis: [0.1, 1, 0.3], angle: 0.8}}\n"
    "- {name: bead, mass: 0.5, inertia: [0.05, 0.04, 0.06], position: [1.3, -0.3, 0.2]}\n"
    "joints:\n"
    "- {name: rail, type: cylindrical, between: [%s, %s]}\n"
    "- {name: hinge, type: revolute, between: [%s, %s]}\n"
    "- {name: slide, type: prismatic, between: [%s, %s]}\n"
    "forces:\n"
    "- {name: s, type: spring_damper, between: [rod, bead], stiffness: 40, length: 0.2}\n"
    "- {name: r, type: spring_damper, between: [ground, cart], stiffness: 5, length: 0.3}\n"
    "simulation: {end: 0.4}\n";
static const char *const space_places[] = {
    "{body: ground, at: [0.1, 0, 0], axis: [1, 0.2, 0.1]}",
    "{body: cart, at: [0.1, -0.1, 0.05], axis: [1, 0.1, 0]}",
    "{body: cart, at: [0, 0.05, 0.1], axis: [0.1, 1, 0.3]}",
    "{body: rod, at: [-0.5, 0.1, 0], axis: [0, 1, 0.2]}",
    "{body: rod, at: [0.2, 0, 0], axis: [1, -0.3, 0.1]}",
    "{body: bead, at: [0.02, 0.03, 0.01], axis: [1, 0, 0.1]}",
};

static void compare(const char *text, const char *method, const Result *reference, double limit) {
    const Result r = run_with(text, method, "tolerance=1e-10");
    expect_ok(&r);
    assert_int_equal(r.nq, reference->nq);
    if (!(away(&r, reference) <= limit))
        fail_msg("%s: off by %.2e", method, away(&r, reference));
    for (int i = 0; i < r.m; i++)
        if (!(fabs(r.lambda[i] - reference->lambda[i]) <= 100 * limit))
            fail_msg("%s: lambda[%d] is %.12g instead of %.12g", method, i, r.lambda[i],
                     reference->lambda[i]);
}

static void check_tree(const char *format, const char *const place[6]) {
    for (int ways = 0; ways < 8; ways++) {
        char text[2048];
        const int rail = ways & 1, hinge = ways >> 1 & 1, slide = ways >> 2;
        snprintf(text, sizeof text, format, place[rail], place[1 - rail], place[2 + hinge],
                 place[3 - hinge], place[4 + slide], place[5 - slide]);
        const Result reference = run_with(text, "tangent", "tolerance=1e-10");
        expect_ok(&reference);
        compare(text, "radau", &reference, 1e-6);
        if (ways % 7 == 0) {
            compare(text, "rk853", &reference, 1e-6);
            compare(text, "taylor", &reference, 1e-6);
        }
    }
}

static void test_plane(void **state) {
    (void)state;
    check_tree(plane_slides, plane_places);
}

static void test_space(void **state) {
    (void)state;
    check_tree(space_slides, space_places);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane), cmocka_unit_test(test_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
