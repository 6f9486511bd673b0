// SPDX-License-Identifier: Apache-2.0
// Trees of joints that slide, or turn and slide: methods in joint coordinates against one in the
// coordinates of the bodies, with joints that count from either side.
#include "tree_run.h"

// a cart on a rail, a pendulum on the cart, a bead on the pendulum's rod; each joint both ways
static const char plane_slides[] =
    "holonom: 1\nspace: planar\ngravity: [0.3, -9.81]\n"
    "bodies:\n"
    "- {name: cart, mass: 2, inertia: 0.3, position: [0.4, 0.1], velocity: [%s]}\n"
    "- {name: rod, mass: 1, inertia: 0.2, position: [0.9, -0.2]}\n"
    "- {name: bead, mass: 0.5, inertia: 0.05, position: [1.1, -0.3]}\n"
    "joints:\n"
    "- {name: rail, type: prismatic, bodies: [%s], at: [0.1, 0], axis: [1, 0.2]}\n"
    "- {name: hinge, type: revolute, bodies: [%s], at: [0.4, 0.1]}\n"
    "- {name: slide, type: prismatic, bodies: [%s], at: [1, -0.2], axis: [2, -1]}\n"
    "forces:\n"
    "- {name: s, type: spring_damper, between: [rod, bead], stiffness: 40, length: 0.2}\n"
    "- {name: r, type: spring_damper, between: [ground, cart], stiffness: 5, length: 0.3}\n"
    "simulation: {end: 0.6}\n";

static const char space_slides[] =
    "holonom: 1\nspace: spatial\ngravity: [0.3, 0.5, -9.81]\n"
    "bodies:\n"
    "- {name: cart, mass: 2, inertia: [0.3, 0.2, 0.4], position: [0.4, 0.1, 0]}\n"
    "- {name: rod, mass: 1, inertia: [0.2, 0.1, 0.15], position: [0.9, -0.2, 0.1]}\n"
    "- {name: bead, mass: 0.5, inertia: [0.05, 0.04, 0.06], position: [1.1, -0.3, 0.2]}\n"
    "joints:\n"
    "- {name: rail, type: cylindrical, bodies: [%s], at: [0.1, 0, 0], axis: [1, 0.2, 0.1]}\n"
    "- {name: hinge, type: revolute, bodies: [%s], at: [0.4, 0.1, 0.1], axis: [0.1, 1, 0.3]}\n"
    "- {name: slide, type: prismatic, bodies: [%s], at: [1, -0.2, 0.1], axis: [2, -1, 0.5]}\n"
    "forces:\n"
    "- {name: s, type: spring_damper, between: [rod, bead], stiffness: 40, length: 0.2}\n"
    "- {name: r, type: spring_damper, between: [ground, cart], stiffness: 5, length: 0.3}\n"
    "simulation: {end: 0.4}\n";

static void compare(const char *text, const char *method, const Result *reference, double limit) {
    const Result r = run_with(text, method, "tolerance=1e-10");
    if (r.status != HOL_OK)
        fail_msg("%s: %s", method, r.err.text);
    assert_int_equal(r.nq, reference->nq);
    for (int i = 0; i < r.nq; i++)
        if (!(fabs(r.q[i] - reference->q[i]) <= limit))
            fail_msg("%s: q[%d] is %.12g instead of %.12g", method, i, r.q[i], reference->q[i]);
    for (int i = 0; i < r.nv; i++)
        if (!(fabs(r.v[i] - reference->v[i]) <= 10 * limit))
            fail_msg("%s: v[%d] is %.12g instead of %.12g", method, i, r.v[i], reference->v[i]);
    for (int i = 0; i < r.m; i++)
        if (!(fabs(r.lambda[i] - reference->lambda[i]) <= 1000 * limit))
            fail_msg("%s: lambda[%d] is %.12g instead of %.12g", method, i, r.lambda[i],
                     reference->lambda[i]);
}

static void check_tree(const char *format, int spatial) {
    for (int ways = 0; ways < 8; ways++) {
        char text[2048];
        const char *rail = ways & 1 ? "cart, ground" : "ground, cart",
                   *hinge = ways & 2 ? "rod, cart" : "cart, rod",
                   *slide = ways & 4 ? "bead, rod" : "rod, bead";
        if (spatial)
            snprintf(text, sizeof text, format, rail, hinge, slide);
        else
            snprintf(text, sizeof text, format, "1, 0.2", rail, hinge, slide);
        const Result reference = run_with(text, "tangent", "tolerance=1e-10");
        if (reference.status != HOL_OK)
            fail_msg("%s", reference.err.text);
        compare(text, "radau", &reference, 1e-7);
        if (ways % 7 == 0) {
            compare(text, "rk853", &reference, 1e-7);
            compare(text, "taylor", &reference, 1e-7);
        }
    }
}

static void test_plane(void **state) {
    (void)state;
    check_tree(plane_slides, 0);
}

static void test_space(void **state) {
    (void)state;
    check_tree(space_slides, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane), cmocka_unit_test(test_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
