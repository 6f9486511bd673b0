// SPDX-License-Identifier: Apache-2.0
// Why a run ends: the drive that asks for what a mechanism cannot do, the expression that has no
// value (with its place and the time), the pole of a drive.
#include "cli_run.h"

static const char *const adaptive[] = {
    "tangent", "taylor",    "rk853", "radau", "newmark",
    "hht",     "dae-alpha", "bdf",   "rk4",   "generalized-alpha"};
enum { ADAPTIVE = sizeof adaptive / sizeof *adaptive };

// Bucket linkage of an excavator: the cylinder is driven beyond its reach while the whole arm
// swings at a larger rate. Lengths in units of s.
static const char *const bucket =
    "holonom: 1\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {s: %s}\n"
    "ground: {points: {P: [0, 0]}}\n"
    "bodies:\n"
    "  - {name: arm, mass: 300, inertia: \"60*s^2\", position: [\"s\", 0], points: {pin: [\"-s\", "
    "0], cyl: [\"-0.6*s\", \"0.35*s\"], rock: [\"0.6*s\", 0], tip: [\"s\", 0]}}\n"
    "  - {name: barrel, mass: 20, inertia: \"s^2\", position: [\"0.7*s\", \"0.35*s\"], points: "
    "{eye: [\"-0.3*s\", 0]}}\n"
    "  - {name: piston, mass: 10, inertia: \"s^2\", position: [\"1.2*s\", \"0.35*s\"], points: "
    "{eye: [\"0.3*s\", 0]}}\n"
    "  - {name: rocker, mass: 8, inertia: \"0.2*s^2\", position: [\"1.6*s\", \"0.2*s\"], points: "
    "{foot: [0, \"-0.2*s\"], head: [0, \"0.2*s\"]}}\n"
    "  - {name: link, mass: 8, inertia: \"0.2*s^2\", position: [\"1.85*s\", \"0.35*s\"], points: "
    "{a: [\"-0.25*s\", 0], b: [\"0.25*s\", 0]}}\n"
    "  - {name: bucket, mass: 100, inertia: \"10*s^2\", position: [\"2.2*s\", 0], points: {pin: "
    "[\"-0.2*s\", 0], ear: [\"-0.1*s\", \"0.35*s\"]}}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, between: [ground.P, arm.pin]}\n"
    "  - {name: foot, type: revolute, between: [arm.rock, rocker.foot]}\n"
    "  - {name: pin, type: revolute, between: [arm.tip, bucket.pin]}\n"
    "  - {name: ear, type: revolute, between: [link.b, bucket.ear]}\n"
    "  - {name: head, type: revolute, between: [rocker.head, link.a]}\n"
    "  - {name: rear, type: revolute, between: [arm.cyl, barrel.eye]}\n"
    "  - {name: front, type: revolute, between: [piston.eye, rocker.head]}\n"
    "  - {name: stroke, type: prismatic, between: [{body: barrel, at: [0, 0], axis: [1, 0]}, "
    "{body: piston, at: [0, 0], axis: [1, 0]}]}\n"
    "motions:\n"
    "  - {name: swing, joint: hinge, value: \"0.5*sin(2*time)\"}\n"
    "  - {name: cylinder, joint: stroke, value: \"s*(0.5 + 0.1*time)\"}\n"
    "simulation: {end: 20, tolerance: 1e-6}\n";

static void test_blocked_drive(void **state) {
    (void)state;
    static const char *const sizes[] = {"1", "1e3", "1e-3"};
    for (int k = 0; k < 3; k++) {
        char text[4096], arguments[128];
        snprintf(text, sizeof text, bucket, sizes[k]);
        write_text("bucket.yaml", text);
        for (int i = 0; i < (k ? 1 : ADAPTIVE); i++) {
            snprintf(arguments, sizeof arguments, "run bucket.yaml -q -o b.csv --method %s",
                     adaptive[i]);
            Ran ran = expect(3, arguments);
            expect_text(ran.err, "time 4.91604"); // where rocker and link form a line
            expect_text(ran.err, "driven by 'cylinder'");
            ran_free(ran);
        }
    }
}

typedef struct Case {
    const char *section; // behind two bodies and a hinge, from line 9 on
    const char *says, *place, *time;
} Case;

static void check_case(const Case *c, int code, const char *const *methods, int n) {
    char text[1024], arguments[128];
    snprintf(text, sizeof text,
             "holonom: 1\n"
             "space: planar\n"
             "parameters: {c: -1}\n"
             "bodies:\n"
             "  - {name: b, mass: 1, inertia: 1, velocity: [1, 0]}\n"
             "  - {name: p, mass: 1, inertia: 1, position: [0, 0]}\n"
             "joints:\n"
             "  - {name: O, type: revolute, between: [ground, p]}\n"
             "%s\n"
             "simulation: {end: 2, tolerance: 1e-6}\n",
             c->section);
    write_text("case.yaml", text);
    for (int i = 0; i < n; i++) {
        snprintf(arguments, sizeof arguments, "run case.yaml -q -o c.csv --method %s", methods[i]);
        Ran ran = expect(code, arguments);
        expect_text(ran.err, c->says);
        expect_text(ran.err, c->place);
        expect_text(ran.err, c->time);
        ran_free(ran);
    }
}

// forces and constraints that depend on the motion: x = t until the force acts
static void test_no_value(void **state) {
    (void)state;
    static const Case cases[] = {
        {"forces: [{name: F, type: force, on: b, value: [\"0*time + 1e-9*sqrt(0.5 - b.x)\", 0]}]",
         "force 'F'", "case.yaml:9:", "time 0.5"},
        {"forces: [{name: F, type: torque, on: b, value: \"log(0.5 - time)\"}]", "logarithm of",
         "case.yaml:9:", "time 0.5"},
        {"forces: [{type: expression, on: b.angle, value: \"asin(2*time)\"}]", "asin of 1.0",
         "case.yaml:9:", "time 0.5"},
        {"forces: [{name: F, type: force, on: b, value: [0, \"(0.5 - b.x)^1.5\"]}]", "^(1.5)",
         "force 'F'", "time 0.5"},
        {"variables: [{name: u, value: \"sqrt(0.5 - b.x)\"}]\n"
         "forces: [{name: F, type: torque, on: b, value: \"u\"}]",
         "square root of -", "case.yaml:10:", "time 0.5"},
        {"constraints: [{name: C, equation: \"b.y - sqrt(0.5 - b.x) + sqrt(0.5)\"}]\n"
         "gravity: [0, -9.81]",
         "square root", "constraint 'C' (case.yaml:9:", "time 0.41574"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], 3, adaptive, 4);
}

static void test_no_value_at_start(void **state) {
    (void)state;
    static const Case force = {
        "forces: [{name: F, type: force, on: b, value: [\"sqrt(c - time)\", 0]}]",
        "square root of -1", "force 'F' (case.yaml:9:", "time 0"};
    static const Case divided = {"forces: [{name: F, type: force, on: b, value: [\"1/b.x\", 0]}]",
                                 "division by zero", "case.yaml:9:", "time 0"};
    static const Case closed = {"constraints: [{name: C, equation: \"b.y - sqrt(c - b.x)\"}]",
                                "square root of -1", "constraint 'C' (case.yaml:9:", "time 0"};
    static const Case drive = {"motions: [{name: D, joint: O, value: \"log(c*1 + time)\"}]",
                               "logarithm of -1", "motion 'D' (case.yaml:9:", "time 0"};
    check_case(&force, 3, adaptive, 4);
    check_case(&divided, 3, adaptive, 4);
    check_case(&closed, 2, adaptive, 4);
    check_case(&drive, 2, adaptive, 4);
}

// drives end before a pole or the end of their domain, with every method, none leaps over it
static void test_drives(void **state) {
    (void)state;
    static const Case cases[] = {
        {"motions: [{name: D, joint: O, value: \"0.1/(1 - time)\"}]", "division by zero",
         "motion 'D' (case.yaml:9:", "at time 1:"},
        {"motions: [{name: D, joint: O, value: \"3/(time - 1)^2\"}]", "motion 'D'",
         "case.yaml:9:", "at time 1"},
        {"motions: [{name: D, joint: O, value: \"(1 - time)^(-2) + sin(9*time)\"}]", "motion 'D'",
         "case.yaml:9:", "at time 1:"},
        {"motions: [{name: D, joint: O, value: \"0.1*tan(2*time)\"}]", "a pole",
         "case.yaml:9:", "at time 0.785398163"},
        {"motions: [{name: D, joint: O, value: \"sqrt(0.5 - time)\"}]", "square root of -",
         "case.yaml:9:", "at time 0.5"},
    };
    // (double poles: 3e6 rad before the end, many steps of second-order methods)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], 3, adaptive, i == 1 || i == 2 ? 4 : ADAPTIVE);
    check_case(&cases[0], 3, (const char *const[]){"tangent --step 0.01", "rk4 --step 0.013"}, 2);
}

// a crank driven to infinite speed must not be followed through all its turns
static void test_crank_with_pole(void **state) {
    (void)state;
    write_text(
        "crank.yaml",
        "holonom: 1\nspace: planar\nbodies:\n"
        "  - {name: crank, mass: 1, inertia: 1, position: [0.5, 0]}\n"
        "  - {name: rod, mass: 1, inertia: 1, position: [2, 0]}\n"
        "  - {name: slider, mass: 1, inertia: 1, position: [3, 0]}\n"
        "joints:\n"
        "  - {name: O, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
        "  - {name: A, type: revolute, bodies: [crank, rod], at: [1, 0]}\n"
        "  - {name: B, type: revolute, bodies: [rod, slider], at: [3, 0]}\n"
        "  - {name: P, type: prismatic, bodies: [ground, slider], at: [3, 0], axis: [1, 0]}\n"
        "motions: [{name: D, joint: O, value: \"1/(1 - time) - 1\"}]\n"
        "simulation: {end: 2, tolerance: 1e-4}\n");
    Ran ran = expect(3, "run crank.yaml -q -o c.h5");
    expect_text(ran.err, "motion 'D' (crank.yaml:12:");
    expect_text(ran.err, "at time 1:");
    ran_free(ran);
}

// what only looks like a pole: sin(x)/x, and branches that are not taken
static void test_no_pole(void **state) {
    (void)state;
    static const Case cases[] = {
        {"motions: [{name: D, joint: O, value: \"sin(time - 1.00001)/(time - 1.00001)\"}]", "", "",
         ""},
        {"motions: [{name: D, joint: O, value: \"if(time < 1, sqrt(1.5 - time), sqrt(0.5))\"}]", "",
         "", ""},
        {"motions: [{name: D, joint: O, value: \"1/(2.1 - time)\"}]", "", "", ""},
        {"motions: [{name: D, joint: O, value: \"tan(0.7*time)\"}]", "", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], 0, adaptive, 3);
}

// a drive that goes on into a stop, with and without friction of what it meets
static void test_driven_into_stop(void **state) {
    (void)state;
    static const char *const texts[] = {
        "joints: [{name: P, type: prismatic, between: [{body: ground, axis: [0, 1]}, a], limits: "
        "{min: 0.1}}]\nmotions: [{joint: P, value: \"1 - time\"}]\n",
        "joints: [{name: G, type: prismatic, between: [{body: ground, axis: [0, 1]}, a]}]\n"
        "motions: [{joint: G, speed: -1}]\ncontacts: [{name: P, between: [{body: ground, line: "
        "{normal: [0, 1]}}, {body: a, circle: {radius: 0.1}}], stiffness: rigid, friction: {mu: "
        "0.3}}]\n"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\nbodies: [{name: a, mass: 1, inertia: 0.1, position: "
                 "[0, 1]}]\n%ssimulation: {end: 2}\n",
                 texts[k]);
        write_text("stop.yaml", text);
        Ran ran = expect(3, "run stop.yaml -q -o s.csv");
        expect_text(ran.err, "time 0.9: 'P' is met by what cannot stop, because a drive");
        ran_free(ran);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocked_drive),     cmocka_unit_test(test_no_value),
        cmocka_unit_test(test_no_value_at_start), cmocka_unit_test(test_drives),
        cmocka_unit_test(test_crank_with_pole),   cmocka_unit_test(test_no_pole),
        cmocka_unit_test(test_driven_into_stop),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
