// SPDX-License-Identifier: Apache-2.0
// Friction where a drive gives the speed, by itself or by way of other joints: it never sticks, waits
// while the drive rests, and takes force times way.
#include "event_run.h"

#define PLANE "holonom: 1\nspace: planar\ngravity: [0, 0]\n"
#define HINGE(angle)                                                                               \
    PLANE "bodies:\n  - {name: rod, mass: 1, inertia: 0.1}\njoints:\n"                             \
          "  - {name: O, type: revolute, between: [ground, rod], friction: {constant: 0.2}}\n"     \
          "motions:\n  - {name: M, joint: O, value: \"" angle "\"}\n"
#define CRANK(angle)                                                                               \
    PLANE "bodies:\n"                                                                              \
          "  - {name: crank, mass: 1, inertia: 0.1, position: [0.1, 0], points: {O: [-0.1, 0], "   \
          "A: [0.1, 0]}}\n"                                                                        \
          "  - {name: rod, mass: 1, inertia: 0.1, position: [0.5, 0], points: {A: [-0.3, 0], B: "  \
          "[0.3, 0]}}\n"                                                                           \
          "  - {name: sl, mass: 1, inertia: 0.1, position: [0.8, 0]}\njoints:\n"                   \
          "  - {name: O, type: revolute, between: [ground, crank.O]}\n"                            \
          "  - {name: A, type: revolute, between: [crank.A, rod.A]}\n"                             \
          "  - {name: B, type: revolute, between: [rod.B, sl], friction: {constant: 0.1}}\n"       \
          "  - {name: S, type: prismatic, between: [{body: ground, axis: [1, 0]}, sl], friction: " \
          "{constant: 5}}\nmotions:\n  - {name: M, joint: O, value: \"" angle "\"}\n"

static const struct {
    const char *method;
    double tolerance;
} ways[] = {{"taylor", 1e-10}, {"tangent", 1e-9}, {"rk853", 1e-9}, {"radau", 1e-9}};
enum { WAYS = sizeof ways / sizeof *ways };

static void run_to(EventRun *e, const char *text, int way, double end) {
    event_run(e, text,
              (EventRunOptions){.method = ways[way].method,
                                .tolerance = ways[way].tolerance,
                                .end = end,
                                .output_step = end});
    event_run_ok(e, ways[way].method);
}

// from rest without acceleration: there, and back, and on behind a pause
static void test_hinge(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        EventRun e;
        run_to(&e, HINGE("if(time<1, 0, (time-1)^3)"), way, 2);
        assert_int_equal(e.n, 1);
        assert_true(fabs(e.line[0].time - 1) < 1e-9);
        expect_text(&e.run, "O.state", 2, 0);
        expect_text(&e.run, "O.friction", -0.2, 1e-12);
        expect_text(&e.run, "M.effort", 0.2 + 0.6, 1e-8);
        expect_text(&e.run, "energy.friction", 0.2, 1e-8);
        close_text(&e.run);
        run_to(&e, HINGE("-time^3"), way, 1);
        expect_text(&e.run, "O.state", -2, 0);
        expect_text(&e.run, "energy.friction", 0.2, 1e-8);
        close_text(&e.run);
        // it stops smoothly at 1, rests, and goes on at 2
        const char *pause =
            HINGE("if(time<1, time^3*(10-15*time+6*time^2), if(time<2, 1, 1+(time-2)^3))");
        run_to(&e, pause, way, 1.5);
        expect_text(&e.run, "O.state", 0, 0);
        expect_text(&e.run, "O.friction", 0, 0);
        expect_text(&e.run, "energy.friction", 0.2, 1e-8);
        close_text(&e.run);
        run_to(&e, pause, way, 3);
        expect_text(&e.run, "O.state", 2, 0);
        expect_text(&e.run, "energy.friction", 0.4, 1e-8);
        close_text(&e.run);
    }
}

// by way of the rod: friction over the ways of the slider and of the hinge
static void test_crank(void **state) {
    (void)state;
    const double f = 1, x = 0.2 * cos(f) + sqrt(0.36 - 0.04 * sin(f) * sin(f)),
                 turn = asin(0.2 * sin(f) / 0.6);
    for (int way = 0; way < WAYS; way++) {
        EventRun e;
        run_to(&e, CRANK("if(time<1, 0, (time-1)^3)"), way, 2);
        expect_text(&e.run, "S.state", -2, 0);
        expect_text(&e.run, "S.friction", 5, 1e-9);
        expect_text(&e.run, "energy.friction", 5 * (0.8 - x) + 0.1 * turn, 1e-7);
        close_text(&e.run);
        run_to(&e, CRANK("sin(time)^3"), way, 1.5);
        const double g = pow(sin(1.5), 3), y = 0.2 * cos(g) + sqrt(0.36 - 0.04 * sin(g) * sin(g));
        expect_text(&e.run, "energy.friction", 5 * (0.8 - y) + 0.1 * asin(0.2 * sin(g) / 0.6),
                    1e-7);
        close_text(&e.run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hinge),
        cmocka_unit_test(test_crank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
