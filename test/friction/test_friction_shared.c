// SPDX-License-Identifier: Apache-2.0
// Friction that sticks in joints that depend on each other: equilibrium leaves their forces open, the
// joints share the load. By virtual power a mechanism of one freedom breaks away where the load L along
// its speed u reaches L u = sum of capacity |rate|; until then every joint that moves has the share
// y = L u / sum of its capacity. Then all slip together.
#include "event_run.h"

#define PLANE "holonom: 1\nspace: planar\ngravity: [0, 0]\n"
#define SPACE "holonom: 1\nspace: spatial\ngravity: [0, 0, 0]\n"

static const struct {
    const char *method;
    double tolerance;
} ways[] = {{"taylor", 1e-10}, {"tangent", 1e-9}, {"rk853", 1e-9}, {"radau", 1e-9}};
enum { WAYS = sizeof ways / sizeof *ways };

// two brakes of one shaft, coupled by a gear of ratio 2
#define BRAKES(a, b, load)                                                                         \
    PLANE "bodies:\n  - {name: a, mass: 1, inertia: 1}\n"                                          \
          "  - {name: b, mass: 1, inertia: 1, position: [1, 0]}\njoints:\n"                        \
          "  - {name: A, type: revolute, between: [ground, a], friction: " a "}\n"                 \
          "  - {name: B, type: revolute, between: [{body: ground, at: [1, 0]}, b], friction: " b   \
          "}\n  - {name: G, type: gear, joints: [A, B], ratio: 2}\n"                               \
          "forces:\n  - {type: torque, acts_on: a, value: " load "}\n"

// crank (0,0) to (0,1), coupler to (3,2), rocker from (4,0): rates 1, -8/7, 4/7, 3/7
static const char four_bar[] = PLANE
    "bodies:\n  - {name: crank, mass: 1, inertia: 0.1, position: [0, 0.5], points: {O: [0, "
    "-0.5], A: [0, 0.5]}}\n"
    "  - {name: coupler, mass: 1, inertia: 1, position: [1.5, 1.5], points: {A: [-1.5, "
    "-0.5], B: [1.5, 0.5]}}\n"
    "  - {name: rocker, mass: 1, inertia: 0.5, position: [3.5, 1], points: {C: [0.5, -1], "
    "B: [-0.5, 1]}}\njoints:\n"
    "  - {name: O, type: revolute, between: [ground, crank.O], friction: {constant: 1}}\n"
    "  - {name: A, type: revolute, between: [crank.A, coupler.A], friction: {constant: 0.7}}\n"
    "  - {name: B, type: revolute, between: [coupler.B, rocker.B], friction: {constant: "
    "2.1}}\n"
    "  - {name: C, type: revolute, between: [{body: ground, at: [4, 0]}, rocker.C], "
    "friction: {constant: 0.7}}\n"
    "forces:\n  - {type: torque, acts_on: crank, value: time}\n";

// a brake on the crank and a guide that the rod presses: its capacity depends on what it carries
#define CRANK(load)                                                                                \
    PLANE "parameters: {x: 0.1*sqrt(8)}\nbodies:\n"                                                \
          "  - {name: crank, mass: 1, inertia: 0.01, position: [0, 0.05], points: {O: [0, "        \
          "-0.05], A: [0, 0.05]}}\n"                                                               \
          "  - {name: rod, mass: 1, inertia: 0.01, position: [x/2, 0.05], points: {A: [-x/2, "     \
          "0.05], B: [x/2, -0.05]}}\n"                                                             \
          "  - {name: slider, mass: 1, inertia: 0.01, position: [x, 0]}\njoints:\n"                \
          "  - {name: O, type: revolute, between: [ground, crank.O], friction: {constant: 0.5}}\n" \
          "  - {name: A, type: revolute, between: [crank.A, rod.A]}\n"                             \
          "  - {name: B, type: revolute, between: [rod.B, slider]}\n"                              \
          "  - {name: S, type: prismatic, between: [{body: ground, axis: [1, 0]}, slider], "       \
          "friction: {mu: 0.3}}\n"                                                                 \
          "forces:\n  - {type: force, acts_on: slider, value: [0, -100]}\n"                        \
          "  - {type: torque, acts_on: crank, value: " load "}\n"

// three cranks and a beam: one loop more than it needs
static const char three_cranks[] =
    PLANE "bodies:\n  - {repeat: {i: 3}, name: \"k{i}\", mass: 1, inertia: 0.1, position: [i, "
          "0.5], points: {O: [0, -0.5], A: [0, 0.5]}}\n"
          "  - {name: beam, mass: 1, inertia: 1, position: [1, 1]}\njoints:\n"
          "  - {repeat: {i: 3}, name: \"O{i}\", type: revolute, between: [{body: ground, at: [i, "
          "0]}, \"k{i}.O\"], friction: {constant: i + 1}}\n"
          "  - {repeat: {i: 3}, name: \"A{i}\", type: revolute, between: [\"k{i}.A\", {body: beam, "
          "at: [i - 1, 0]}], friction: {constant: 0.5}}\n"
          "forces:\n  - {type: torque, acts_on: k1, value: time}\n";

// a door: two hinges on one axis, redundant before friction
static const char door[] =
    SPACE "bodies:\n  - {name: d, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
          "joints:\n"
          "  - {name: U, type: revolute, bodies: [ground, d], at: [0, 0, 1], axis: [0, 0, 1], "
          "friction: {constant: 2}}\n"
          "  - {name: L, type: revolute, bodies: [ground, d], at: [0, 0, -1], axis: [0, 0, 1], "
          "friction: {constant: 3}}\n"
          "forces:\n  - {type: torque, acts_on: d, value: [0, 0, time]}\n";

// a hinge and a ball on it: one freedom, four rows that stick
static const char hinge_and_ball[] =
    SPACE "bodies:\n  - {name: d, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
          "joints:\n"
          "  - {name: U, type: revolute, bodies: [ground, d], at: [0, 0, 1], axis: [0, 0, 1], "
          "friction: {constant: 2}}\n"
          "  - {name: L, type: spherical, bodies: [ground, d], at: [0, 0, -1], friction: "
          "{constant: 3}}\n"
          "forces:\n  - {type: torque, acts_on: d, value: [0, 0, time]}\n";

typedef struct Share {
    const char *joint;
    double friction; // at half of the load that breaks away
} Share;

static const struct {
    const char *name, *text;
    double holds; // the load is the time
    Share share[7];
} shared[] = {
    {"brakes", BRAKES("{constant: 1}", "{constant: 4}", "time"), 9, {{"A", -0.5}, {"B", -2}}},
    {"mu_static",
     BRAKES("{mu: 0.05, mu_static: 0.1, radius: 0.1, preload: 100}",
            "{mu: 0.05, mu_static: 0.1, radius: 0.1, preload: 400}", "time"),
     9,
     {{"A", -0.5}, {"B", -2}}},
    {"four_bar", four_bar, 3.3, {{"O", -0.5}, {"A", 0.35}, {"B", -1.05}, {"C", -0.35}}},
    {"three_cranks",
     three_cranks,
     7.5,
     {{"O0", -0.5}, {"O1", -1}, {"O2", -1.5}, {"A0", 0.25}, {"A1", 0.25}, {"A2", 0.25}}},
    {"door", door, 5, {{"U", -1}, {"L", -1.5}}},
    {"hinge_and_ball", hinge_and_ball, 5, {{"U", -1}, {"L", 1.5}}},
};

static void run_to(EventRun *e, const char *text, int way, double end) {
    event_run(e, text,
              (EventRunOptions){.method = ways[way].method,
                                .tolerance = ways[way].tolerance,
                                .end = end,
                                .output_step = end});
    event_run_ok(e, ways[way].method);
}

static int count_kind(const EventRun *e, const char *kind, double from, double to) {
    int n = 0;
    for (int i = 0; i < e->n; i++)
        n += !strcmp(e->line[i].kind, kind) && e->line[i].time >= from && e->line[i].time <= to;
    return n;
}

static void test_holds_and_breaks(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++)
        for (int way = 0; way < WAYS; way++) {
            EventRun e;
            int n = 0;
            char column[40];
            if (way >= WAYS &&
                (strstr(shared[k].text, "mu") || strstr(shared[k].text, "spherical")))
                continue;
            run_to(&e, shared[k].text, way, shared[k].holds / 2);
            for (const Share *s = shared[k].share; s->joint; s++, n++) {
                snprintf(column, sizeof column, "%s.state", s->joint);
                expect_text(&e.run, column, 3, 0);
                snprintf(column, sizeof column, "%s.use", s->joint);
                expect_text(&e.run, column, 0.5, 1e-10);
                snprintf(column, sizeof column, "%s.friction", s->joint);
                expect_text(&e.run, column, s->friction, 1e-10);
            }
            assert_int_equal(e.n, n);
            assert_int_equal(count_kind(&e, "share", 0, 0), n);
            close_text(&e.run);
            run_to(&e, shared[k].text, way, shared[k].holds + 0.5);
            if (e.n != 2 * n ||
                count_kind(&e, "slip", shared[k].holds - 1e-9, shared[k].holds + 1e-9) != n)
                fail_msg("%s, %s: %d events, the last %s at %.15g", shared[k].name,
                         ways[way].method, e.n, e.line[e.n - 1].kind, e.line[e.n - 1].time);
            assert_true(e.numerical <= 1e-8);
            close_text(&e.run);
        }
}

// kinetic friction is half of the static one: 5 kg m^2 turn by int (t - 4.5)/5 from 9 s on
static void test_kinetic(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        EventRun e;
        run_to(&e, shared[1].text, way, 10);
        expect_text(&e.run, "a.angle", 4.5 / 10 + 1.0 / 30, 1e-8);
        expect_text(&e.run, "a.omega", 4.5 / 5 + 1.0 / 10, 1e-8);
        close_text(&e.run);
    }
}

// a load that swings below what both hold together: nothing happens, for any time
static void test_swings(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        EventRun e;
        run_to(&e, BRAKES("{constant: 1}", "{constant: 4}", "8.9*sin(time)"), way, 20);
        assert_int_equal(e.n, 2);
        expect_text(&e.run, "a.angle", 0, 1e-14);
        expect_text(&e.run, "A.friction", -8.9 * sin(20) / 9, 1e-9);
        expect_text(&e.run, "B.friction", -4 * 8.9 * sin(20) / 9, 1e-9);
        close_text(&e.run);
    }
}

// With the pull P of the rod, inclined by sin b = 1/3: torque - y 0.5 = 0.1 P cos b and
// P cos b = y 0.3 (100 - P sin b). It breaks away at y = 1.
static void test_loaded(void **state) {
    (void)state;
    const double c = sqrt(8) / 3, s = 1.0 / 3, y = 0.8;
    const double most = 0.5 + 0.1 * 30 * c / (c + 0.3 * s), P = y * 30 / (c + 0.3 * y * s);
    const double load = 0.5 * y + 0.1 * P * c;
    for (int way = 0; way < WAYS; way++) {
        EventRun e;
        run_to(&e, CRANK("time"), way, load);
        expect_text(&e.run, "O.state", 3, 0);
        expect_text(&e.run, "S.state", 3, 0);
        expect_text(&e.run, "O.use", y, 1e-9);
        expect_text(&e.run, "O.friction", -0.5 * y, 1e-9);
        expect_text(&e.run, "S.friction", P * c, 1e-8);
        close_text(&e.run);
        run_to(&e, CRANK("time"), way, most + 0.1);
        assert_true(count_kind(&e, "slip", most - 1e-8, most + 1e-8) == 2);
        close_text(&e.run);
    }
}

// Nothing moves and the load swings: steps are long, and none of its swings is missed. With 10 N m of
// friction -12 sin 3t exp(-(t - 4)^2) breaks away for a moment; the reference is a quadrature
static void test_load_swings(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        EventRun e;
        run_to(&e,
               PLANE "bodies:\n  - {name: a, mass: 1, inertia: 1}\njoints:\n"
                     "  - {name: A, type: revolute, between: [ground, a], friction: {constant: "
                     "10}}\n"
                     "forces:\n  - {type: torque, acts_on: a, value: "
                     "12*sin(3*time)*exp(-(time-4)^2)}\n",
               way, 100);
        assert_int_equal(e.n, 3);
        assert_true(fabs(e.line[1].time - 3.5978149853479213) < 1e-9 &&
                    fabs(e.line[2].time - 3.97367694794512844) < 1e-8);
        expect_text(&e.run, "a.angle", -0.033099168765549922, 1e-9);
        close_text(&e.run);
        // it grows: 0.02 t |sin 30 t| reaches 10 N m only after 500 s
        run_to(&e,
               PLANE "bodies:\n  - {name: a, mass: 1, inertia: 1}\njoints:\n"
                     "  - {name: A, type: revolute, between: [ground, a], friction: {constant: "
                     "10}}\n"
                     "forces:\n  - {type: torque, acts_on: a, value: 0.02*time*sin(30*time)}\n",
               way, 500);
        assert_int_equal(e.n, 1);
        expect_text(&e.run, "a.angle", 0, 1e-14);
        close_text(&e.run);
    }
}

// one of them is let go: the other holds alone and is no longer shared; then it slips, too
static void test_alone(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        EventRun e;
        run_to(&e,
               PLANE "bodies:\n  - {name: a, mass: 1, inertia: 1}\n  - {name: b, mass: 1, inertia: "
                     "1}\njoints:\n"
                     "  - {name: A, type: revolute, between: [ground, a], friction: {constant: "
                     "3}}\n"
                     "  - {name: B, type: revolute, between: [a, b], friction: {constant: 1}}\n"
                     "  - {name: C, type: revolute, between: [ground, b], friction: {constant: "
                     "2}}\n"
                     "forces:\n  - {type: torque, acts_on: b, value: time}\n",
               way, 3.5);
        // B and C move b: they break away at 3 and leave A alone with 1 N m
        assert_int_equal(count_kind(&e, "share", 0, 0), 3);
        assert_int_equal(count_kind(&e, "slip", 3 - 1e-9, 3 + 1e-9), 2);
        assert_int_equal(count_kind(&e, "stick", 3 - 1e-9, 3 + 1e-9), 1);
        expect_text(&e.run, "A.state", 1, 0);
        expect_text(&e.run, "A.friction", -1, 1e-9);
        expect_text(&e.run, "a.angle", 0, 1e-14);
        expect_text(&e.run, "b.angle", 0.125 / 6, 1e-8);
        close_text(&e.run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_and_breaks), cmocka_unit_test(test_kinetic),
        cmocka_unit_test(test_swings),           cmocka_unit_test(test_loaded),
        cmocka_unit_test(test_load_swings),      cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
