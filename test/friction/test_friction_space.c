// SPDX-License-Identifier: Apache-2.0
// Friction along several coordinates at once: joints and contacts in space. With the friction force F
// per mass, a constant force f per mass and the velocity w, F |w| + f.w falls at the rate F^2 - f^2: it
// stops after (F |w0| + f.w0)/(F^2 - f^2).
#include "event_run.h"

#define SPACE "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"

static const struct {
    const char *method;
    double tolerance, time;
} ways[] = {{"taylor", 1e-12, 1e-11},
            {"tangent", 1e-11, 1e-9},
            {"rk853", 1e-11, 1e-10},
            {"tangent", 1e-8, 3e-7},
            {"generalized-alpha", 1e-6, 3e-6}};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct Stop {
    const char *name, *text;
    double F, f, w, along; // per mass; along: f.w0/|f|
    double again;          // breaks away again, 0: not
    const char *column;    // at `end`, behind that
    double value, end;
} Stop;

static const Stop stops[] = {
    {"point_on_plane",
     SPACE
     "bodies:\n  - {name: b, type: point, mass: 1, velocity: [0, 2, 0]}\n"
     "joints:\n  - {name: J, type: point_on_plane, between: [{body: ground, axis: [0, 0, 1]}, "
     "b], friction: {mu: 0.5}}\nforces:\n  - {type: force, acts_on: b, value: [3, 0, 0]}\n",
     4.905, 3, 2, 0, 0, "J.use", 3 / 4.905, 2},
    {"contact",
     SPACE
     "bodies:\n  - {name: b, type: point, mass: 1, velocity: [0, 2, 0]}\n"
     "contacts:\n  - {name: J, between: [{body: ground, plane: {normal: [0, 0, 1]}}, {body: b, "
     "point: {at: [0, 0, 0]}}], stiffness: rigid, friction: {mu: 0.5, mu_static: 0.6}}\n"
     "forces:\n  - {type: force, acts_on: b, value: [\"3+4*max(0, time-1)\", 0, 0]}\n",
     4.905, 3, 2, 0, 1 + (0.6 * 9.81 - 3) / 4, "b.vx",
     2 * (2 * 2 - 0.7215 * 0.7215) - (4.905 - 3) * (2 - 0.7215), 3},
    {"spherical",
     SPACE
     "bodies:\n  - {name: b, mass: 2, inertia: [0.05, 0.05, 0.05], omega: [0, 3, 4]}\n"
     "joints:\n  - {name: J, type: spherical, between: [ground, b], friction: {mu: 0.3, radius: "
     "0.05}}\nforces:\n  - {type: torque, acts_on: b, value: [0.1, 0, 0]}\n",
     0.3 * 0.05 * 2 * 9.81 / 0.05, 0.1 / 0.05, 5, 0, 0, "J.friction", 0.1, 2},
    {"spherical without load",
     SPACE "bodies:\n  - {name: b, mass: 2, inertia: [0.05, 0.05, 0.05], omega: [0, 3, 4]}\n"
           "joints:\n  - {name: J, type: spherical, between: [b, ground], friction: {constant: "
           "0.3}}\nforces:\n  - {type: torque, acts_on: b, value: [0.1, 0, 0]}\n",
     0.3 / 0.05, 0.1 / 0.05, 5, 0, 0, "J.use", 1.0 / 3, 2},
    {"cylindrical",
     SPACE
     "parameters: {r: 0.05}\nbodies:\n  - {name: b, mass: 2, inertia: [2*r^2, 1, 1], velocity: "
     "[1, 0, 0], omega: [1.5/r, 0, 0]}\n"
     "joints:\n  - {name: J, type: cylindrical, between: [{body: ground, axis: [1, 0, 0]}, b], "
     "friction: {mu: 0.5, radius: r}}\nforces:\n  - {type: force, acts_on: b, value: [4, 0, "
     "0]}\n",
     4.905, 2, 1.8027756377319946, 1, 0, "J.friction", 4, 2},
    {"planar",
     SPACE
     "bodies:\n  - {name: b, mass: 2, inertia: [1, 1, 2*(2/3*0.3)^2], velocity: [0.3, 0.4, 0], "
     "omega: [0, 0, 2]}\n"
     "joints:\n  - {name: J, type: planar, between: [{body: ground, axis: [0, 0, 1]}, b], "
     "friction: {mu: 0.3, mu_static: 0.4, radius: 0.3}}\nforces:\n  - {type: force, acts_on: b, "
     "value: [\"8*max(0, time-1)\", \"6*max(0, time-1)\", 0]}\n",
     2.943, 0, 0.6403124237432849, 0, 1.7848, "b.vx",
     0.8 * (2.5 * (4 - 0.7848 * 0.7848) - 2.943 * 1.2152), 3},
};

static void check_line(const char *what, const EventRun *e, int i, const char *kind, double time,
                       double limit) {
    if (i >= e->n || strcmp(e->line[i].kind, kind) || !(fabs(e->line[i].time - time) <= limit))
        fail_msg("%s, event %d of %d: %s at %.15g, expected %s at %.15g (off by %.2e)", what, i,
                 e->n, e->line[i].kind, e->line[i].time, kind, time, e->line[i].time - time);
}

static void test_stops(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        for (int k = 0; k < WAYS; k++) {
            const Stop *p = &stops[i];
            EventRun e;
            char what[100];
            snprintf(what, sizeof what, "%s, %s %g", p->name, ways[k].method, ways[k].tolerance);
            event_run(&e, p->text,
                      (EventRunOptions){.method = ways[k].method,
                                        .tolerance = ways[k].tolerance,
                                        .end = p->end,
                                        .output_step = p->end});
            event_run_ok(&e, what);
            check_line(what, &e, 0, "slip", 0, 0);
            check_line(what, &e, 1, "stick",
                       (p->F * p->w + p->f * p->along) / (p->F * p->F - p->f * p->f), ways[k].time);
            if (p->again > 0)
                check_line(what, &e, 2, "slip", p->again, ways[k].time);
            assert_int_equal(e.n, p->again > 0 ? 3 : 2);
            expect_text(&e.run, p->column, p->value, fmax(1e-8, ways[k].time));
            if (!(e.numerical <= fmax(1e-10, 30 * ways[k].tolerance) * e.energy))
                fail_msg("%s: ledger open by %.2e of %.2e J", what, e.numerical, e.energy);
            close_text(&e.run);
        }
}

// On a slope of the angle of friction, v (1 + cos) stays, cos that of the angle between the velocity
// and the slope: a particle thrown across it slides down with half its speed in the end.
static void test_slope(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        EventRun e;
        event_run(
            &e,
            "holonom: 1\nspace: spatial\ngravity: [9.81*sin(0.4), 0, -9.81*cos(0.4)]\n"
            "bodies:\n  - {name: b, type: point, mass: 1, velocity: [0, 2, 0]}\n"
            "joints:\n  - {name: J, type: point_on_plane, between: [{body: ground, axis: [0, 0, "
            "1]}, b], friction: {mu: \"tan(0.4)\"}}\n",
            (EventRunOptions){
                .method = ways[k].method, .tolerance = 1e-10, .end = 20, .output_step = 20});
        event_run_ok(&e, ways[k].method);
        assert_int_equal(e.n, 1);
        expect_text(&e.run, "b.vx", 1, 1e-8);
        expect_text(&e.run, "b.vy", 0, 1e-8);
        close_text(&e.run);
    }
}

// rotated axes and another scale change nothing
static void test_rotated(void **state) {
    (void)state;
    double first = 0;
    for (int i = 0; i < 3; i++) {
        char text[1200];
        const double L = i == 2 ? 1e-3 : 1;
        snprintf(
            text, sizeof text,
            "holonom: 1\nspace: spatial\nparameters: {c: \"cos(%g)\", s: \"sin(%g)\", L: %g}\n"
            "gravity: [\"9.81*L*s*c\", \"9.81*L*s*s\", \"-9.81*L*c\"]\n"
            "bodies:\n  - {name: b, type: point, mass: 1, velocity: [\"-2*s*L\", \"2*c*L\", 0]}\n"
            "joints:\n  - {name: J, type: point_on_plane, between: [{body: ground, axis: "
            "[\"-s*c\", "
            "\"-s*s\", \"c\"]}, b], friction: {mu: 0.5}}\n"
            "forces:\n  - {type: force, acts_on: b, value: [\"3*L*c*c\", \"3*L*s*c\", "
            "\"3*L*s\"]}\n",
            i == 1 ? 0.7 : 0, i == 1 ? 0.7 : 0, L);
        EventRun e;
        event_run(
            &e, text,
            (EventRunOptions){.method = "taylor", .tolerance = 1e-11, .end = 1, .output_step = 1});
        event_run_ok(&e, "rotated");
        assert_int_equal(e.n, 2);
        if (i == 0)
            first = e.line[1].time;
        assert_true(fabs(e.line[1].time - first) < 1e-10);
        close_text(&e.run);
    }
}

// each axis of a universal joint by itself
static void test_universal(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        EventRun e;
        event_run(&e,
                  SPACE
                  "bodies:\n  - {name: b, mass: 2, inertia: [0.05, 0.05, 0.05], omega: [0, 0, "
                  "4]}\njoints:\n  - {name: U, type: universal, between: [{body: ground, axis: "
                  "[0, 0, 1]}, {body: b, axis: [1, 0, 0]}], friction: {mu: 0.3, radius: 0.05}}\n"
                  "forces:\n  - {type: torque, acts_on: b, value: [0, 0, \"if(time < 1, 0, "
                  "-0.5)\"]}\n",
                  (EventRunOptions){
                      .method = ways[k].method, .tolerance = 1e-10, .end = 2, .output_step = 2});
        event_run_ok(&e, ways[k].method);
        assert_int_equal(e.n, 4); // (both axes at the start)
        check_line("universal", &e, 2, "stick", 0.05 * 4 / (0.3 * 0.05 * 2 * 9.81), 1e-10);
        check_line("universal", &e, 3, "slip", 1, 1e-10);
        expect_text(&e.run, "b.wz", -(0.5 - 0.2943) / 0.05, 1e-8);
        expect_text(&e.run, "b.wx", 0, 1e-12);
        close_text(&e.run);
    }
}

static const char *const load_ways[] = {"auto", "taylor", "tangent", "rk853", "explicit4"};
enum { LOAD_WAYS = sizeof load_ways / sizeof *load_ways };

// A wheel on a level axis, its centre of mass beside the bearing: nothing pulls along the axis, but
// for round-off. Then along it alone, by a load that changes its side: 30 cos(pi t).
static void test_part_without_load(void **state) {
    (void)state;
    static const char wheel[] =
        SPACE "bodies:\n  - {name: b, mass: 3, inertia: [0.2, 0.1, 0.1], position: [0.3, 0, 0], "
              "omega: [8, 0, 0]}\n"
              "joints:\n  - {name: J, type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: "
              "[1, 0, 0], friction: {mu: 0.1, radius: 0.05, length: 0.2, constant: 0.03}}\n";
    static const char collar[] =
        "holonom: 1\nspace: spatial\nbodies:\n  - {name: b, mass: 3, inertia: [0.2, 0.1, 0.1], "
        "omega: [8, 0, 0]}\n"
        "joints:\n  - {name: J, type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: "
        "[1, 0, 0], friction: {mu: 0.1, radius: 0.05}}\n"
        "forces:\n  - {type: force, acts_on: b, value: [\"30*cos(pi*time)\", 0, 0]}\n";
    const double torque = 0.1 * 0.05 * 4 * 3 * 9.81 + 0.03;
    for (int k = 0; k < LOAD_WAYS; k++) {
        EventRun e;
        EventRunOptions o = {
            .method = load_ways[k], .tolerance = 1e-9, .end = 1.5, .output_step = 1.5};
        event_run(&e, wheel, o);
        event_run_ok(&e, load_ways[k]);
        expect_text(&e.run, "b.wx", 8 - torque * 1.5 / 0.2, 1e-9);
        close_text(&e.run);
        o.end = o.output_step = 2;
        event_run(&e, collar, o);
        event_run_ok(&e, load_ways[k]);
        expect_text(&e.run, "b.wx", 8 - 0.1 * 0.05 * 30 * 4 / 3.14159265358979324 / 0.2, 2e-8);
        close_text(&e.run);
    }
}

// A block that slides along z, pressed to the sides of its guide by a force that passes through
// zero: 20 (3, 4, 0)/5 cos(2 pi t), in any axes.
static void test_load_changes_side(void **state) {
    (void)state;
    static const char *const pushes[] = {"[\"20*cos(2*pi*time)\", 0, 0]",
                                         "[\"12*cos(2*pi*time)\", \"16*cos(2*pi*time)\", 0]"};
    for (int k = 0; k < 2 * LOAD_WAYS; k++) {
        const char *way = load_ways[k / 2];
        char text[900];
        EventRun e;
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: spatial\nbodies:\n  - {name: b, mass: 2, inertia: [1, 1, 1], "
                 "velocity: [0, 0, 5]}\njoints:\n  - {name: J, type: prismatic, bodies: [ground, "
                 "b], at: [0, 0, 0], axis: [0, 0, 1], friction: {mu: 0.2}}\n"
                 "forces:\n  - {type: force, acts_on: b, value: %s}\n",
                 pushes[k % 2]);
        event_run(&e, text,
                  (EventRunOptions){.method = way, .tolerance = 1e-9, .end = 2, .output_step = 2});
        event_run_ok(&e, way);
        // the mean of |cos| is 2/pi
        expect_text(&e.run, "b.vz", 5 - 0.2 * 20 * 2 / 3.14159265358979324 * 2 / 2, 2e-8);
        close_text(&e.run);
    }
}

// A wheel spins down in a bearing of the ground whose axis is written with the ground alone, and the wheel's
// own axes are others: the load has a part across that axis, one along it and a moment.
static void test_axis_of_ground(void **state) {
    (void)state;
    static const char *const wheels[] = {
        SPACE
        "bodies:\n  - {name: b, mass: 3, inertia: [0.05, 0.05, 0.05], omega: [8, 16, 16]}\n"
        "joints:\n  - {name: J, type: revolute, between: [{body: ground, axis: [1, 2, 2]}, b], "
        "friction: {mu: 0.2, radius: 0.01}}\n",
        SPACE
        "bodies:\n  - {name: b, mass: 3, inertia: [0.05, 0.05, 0.05], position: [0.15, 0, 0], "
        "omega: [24, 0, 0], orientation: {axis: [1, 1, 0], angle: 0.7}}\n"
        "joints:\n  - {name: J, type: revolute, between: [{body: ground, axis: [1, 0, 0]}, {body: "
        "b, at: [\"-0.15*(1 + cos(0.7))/2\", \"-0.15*(1 - cos(0.7))/2\", "
        "\"-0.15*sin(0.7)/sqrt(2)\"]}], friction: {mu: 0.2, radius: 0.01, length: 0.08}}\n"};
    const double loads[] = {3 * 9.81 * (sqrt(5) + 2) / 3, 3 * 9.81 * (1 + 2 * 0.15 / 0.08)};
    for (int k = 0; k < 2 * 3; k++) {
        EventRun e;
        event_run(&e, wheels[k % 2],
                  (EventRunOptions){
                      .method = ways[k / 2].method, .tolerance = 1e-9, .end = 3, .output_step = 3});
        event_run_ok(&e, ways[k / 2].method);
        expect_text(&e.run, "J.friction", -0.2 * 0.01 * loads[k % 2], 1e-9);
        expect_text(&e.run, "b.wx", (k % 2 ? 24 : 8) * (1 - 0.002 * loads[k % 2] * 3 / 0.05 / 24),
                    1e-7);
        close_text(&e.run);
    }
}

// A double pendulum that swings in one plane, which is none of the axes: its second joint turns back seven
// times, as a ball by a speed that is zero but for round-off there. A hinge and a ball are the same.
static void test_ball_turns_back(void **state) {
    (void)state;
#define ROD(name, inertia, position)                                                               \
    "  - {name: " name ", inertia: " inertia ", position: " position                               \
    ", orientation: {matrix: [[2/3, -2/3, 1/3], [2/3, 1/3, -2/3], [1/3, 2/3, 2/3]]}, mass: "
#define SWING(kind, axis)                                                                          \
    "holonom: 1\nspace: spatial\ngravity: [-9.81/3, 9.81*2/3, -9.81*2/3]\nbodies:\n" ROD(          \
        "a", "[0.02, 0.08, 0.08]",                                                                 \
        "[1/3, 1/3, 1/6]") "1}\n" ROD("b", "[0.002, 0.01, 0.01]",                                  \
                                      "[2.6/3, 2.6/3, 1.3/3]") "0.5}\n"                            \
                                                               "joints:\n  - {name: A, type: "     \
                                                               "revolute, between: [{body: "       \
                                                               "ground, axis: [-2, 1, 2]}, "       \
                                                               "{body: a, at: [-0.5, 0, 0]}]}\n  " \
                                                               "- {name: B, type: " kind           \
                                                               ", between: [{body: a, at: [0.5, "  \
                                                               "0, 0]" axis                        \
                                                               "}, {body: b, at: [-0.3, 0, 0]}], " \
                                                               "friction: "                        \
                                                               "{mu: 0.2, radius: 0.04}}\n"
    static const char hinge[] = SWING("revolute", ", axis: [0, 1, 0]"),
                      ball[] = SWING("spherical", "");
    static const struct {
        const char *method;
        double tolerance, error;
    } turns[] = {{"taylor", 1e-11, 1e-11},
                 {"tangent", 1e-8, 1e-8},
                 {"rk853", 1e-9, 1e-9},
                 {"radau", 1e-9, 3e-9},
                 {"newmark", 1e-5, 3e-5}};
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
        double heat = 0, omega = 0;
        for (int i = 0; i < 2; i++) {
            EventRun e;
            event_run(&e, i ? ball : hinge,
                      (EventRunOptions){.method = i ? turns[k].method : "taylor",
                                        .tolerance = i ? turns[k].tolerance : 1e-12,
                                        .end = 2,
                                        .output_step = 2});
            event_run_ok(&e, i ? turns[k].method : "hinge");
            if (i) {
                expect_text(&e.run, "b.wx", omega, 20 * turns[k].error);
                expect_text(&e.run, "energy.friction", heat, fmax(3e-8, turns[k].error));
                expect_text(&e.run, "energy.numerical", 0, 20 * turns[k].tolerance);
            }
            omega = text_value(&e.run, "b.wx");
            heat = text_value(&e.run, "energy.friction");
            close_text(&e.run);
        }
    }
}

// An impact turns the reactions of both joints about: what their loads know of the last step is of no use
static void test_reactions_jump(void **state) {
    (void)state;
    static const char text[] = SPACE
        "parameters: {c: cos(0.5), s: sin(0.5)}\nbodies:\n"
        "  - {name: a, mass: 1, inertia: [0.02, 0.08, 0.08], position: [0.5*c, 0, 0.5*s], "
        "orientation: "
        "{axis: [0, 1, 0], angle: -0.5}}\n"
        "  - {name: b, mass: 0.5, inertia: [0.002, 0.01, 0.01], position: [1.3*c, 0, 1.3*s], "
        "orientation: {axis: [0, 1, 0], angle: -0.5}}\njoints:\n"
        "  - {name: A, type: revolute, between: [{body: ground, axis: [0, -1, 0]}, {body: a, at: "
        "[-0.5, 0, 0]}], friction: {mu: 0.25, mu_static: 0.3, radius: 0.05, length: 0.2}, limits: "
        "{min: -1.8, max: 2, restitution: 0.6}}\n"
        "  - {name: B, type: revolute, between: [{body: a, at: [0.5, 0, 0], axis: [0, -1, 0]}, "
        "{body: b, at: [-0.3, 0, 0]}], friction: {mu: 0.2, radius: 0.04}}\n";
    static const char *const methods[] = {"taylor", "rk853", "rk853", "tangent", "rk853"};
    static const double tolerances[] = {1e-11, 1e-6, 1e-9, 1e-9, 1e-5};
    double wy = 0;
    for (int k = 0; k < 5; k++) {
        EventRun e;
        event_run(
            &e, text,
            (EventRunOptions){
                .method = methods[k], .tolerance = tolerances[k], .end = 1.5, .output_step = 1.5});
        event_run_ok(&e, methods[k]);
        wy = k ? wy : text_value(&e.run, "a.wy");
        expect_text(&e.run, "a.wy", wy, 3000 * tolerances[k]);
        close_text(&e.run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_rotated),
        cmocka_unit_test(test_universal),
        cmocka_unit_test(test_part_without_load),
        cmocka_unit_test(test_load_changes_side),
        cmocka_unit_test(test_axis_of_ground),
        cmocka_unit_test(test_reactions_jump),
        cmocka_unit_test(test_ball_turns_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
