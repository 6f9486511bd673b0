// SPDX-License-Identifier: Apache-2.0
// Friction and stops of joints, events: reference problems with closed forms or 15 digits.
#include "text_run.h"

static const struct {
    const char *method;
    double tolerance, time, state; // errors: of event times, of states
} joint_methods[] = {
    {"taylor", 1e-12, 1e-11, 1e-10}, {"tangent", 1e-11, 1e-9, 1e-8}, {"rk853", 1e-11, 1e-9, 1e-8}};
enum { METHODS = sizeof joint_methods / sizeof *joint_methods };

static void expect_last(TextRun *r, const char *kind, double time, double limit) {
    HolEvent e;
    if (r->status != HOL_OK)
        fail_msg("%s", r->err.text);
    assert_true(hol_sim_event(r->sim, 0, &e));
    assert_string_equal(e.kind, kind);
    if (!(fabs(e.time - time) <= limit))
        fail_msg("%s at %.15g, expected %.15g (off by %.2e)", kind, e.time, time, e.time - time);
}

#define BLOCK(friction)                                                                            \
    "joints:\n  - {name: guide, type: prismatic, between: [{body: ground, axis: [1, 0]}, b], "     \
    "friction: " friction "}\n"

static void test_oscillator(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text("holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                              "  - {name: b, mass: 1, inertia: 1, position: [0.27, 0]}\n" BLOCK(
                                  "{mu: 0.25}") "forces:\n  - {type: spring_damper, between: "
                                                "[{body: ground, at: [-1, 0]}, b], stiffness: 100, "
                                                "length: 1}\n",
                              joint_methods[i].method, joint_methods[i].tolerance);
        advance_text(&r, 0.5);
        expect_text(&r, "b.x", 0.031193344779614219, joint_methods[i].state);
        expect_text(&r, "guide.state", 2, 0);
        advance_text(&r, 1.9);
        expect_last(&r, "stick", 1.88495559215387594, joint_methods[i].time);
        expect_text(&r, "b.x", -0.0243, joint_methods[i].state);
        expect_text(&r, "guide.state", 1, 0);
        expect_text(&r, "guide.friction", -2.43, 1e-7);
        expect_text(&r, "energy.friction", 3.6154755, 1e-8);
        advance_text(&r, 100);
        expect_text(&r, "b.x", -0.0243, joint_methods[i].state);
        expect_text(&r, "b.vx", 0, 0);
        close_text(&r);
    }
}

static void test_incline(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++)
        for (int equal = 0; equal < 2; equal++) {
            TextRun r = open_text(
                equal ? "holonom: 1\nspace: planar\ngravity: [-9.81*sin(0.2), -9.81*cos(0.2)]\n"
                        "bodies:\n  - {name: b, mass: 2, inertia: 1}\n" BLOCK(
                            "{mu: 0.3}") "forces:\n  - {type: force, acts_on: b, value: "
                                         "[12*sin(3*time), 0]}\n"
                      : "holonom: 1\nspace: planar\ngravity: [-9.81*sin(0.2), -9.81*cos(0.2)]\n"
                        "bodies:\n  - {name: b, mass: 2, inertia: 1}\n" BLOCK(
                            "{mu: 0.3, mu_static: 0.35}") "forces:\n  - {type: force, acts_on: b, "
                                                          "value: [12*sin(3*time), 0]}\n",
                joint_methods[i].method, joint_methods[i].tolerance);
            const double dt = joint_methods[i].time;
            if (equal) { // break-away without acceleration: the speed has a double zero
                advance_text(&r, 0.6);
                expect_last(&r, "slip", 0.312199355858756343, dt);
                expect_text(&r, "b.x", 0.0286932226356221005, joint_methods[i].state);
                expect_text(&r, "b.vx", 0.248446225203330634, joint_methods[i].state);
            } else {
                advance_text(&r, 0.4);
                expect_last(&r, "slip", 0.36264317837478461, dt);
                advance_text(&r, 1);
                expect_last(&r, "stick", 0.951714104516411406, dt);
                advance_text(&r, 2.7);
                expect_last(&r, "slip", 2.69773433794037624, dt);
                advance_text(&r, 6);
                expect_last(&r, "slip", 5.31541002129638014, dt);
                expect_text(&r, "b.x", -6.04155336594929577, joint_methods[i].state);
            }
            close_text(&r);
        }
}

static void test_journal(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text(
            "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
            "  - {name: rod, mass: 1, inertia: 1/12, position: [0.5*sin(1.2), -0.5*cos(1.2)], "
            "angle: 1.2, points: {top: [0, 0.5]}}\n"
            "joints:\n  - {name: O, type: revolute, between: [ground, rod.top], friction: {mu: "
            "0.3, radius: 0.05}}\n",
            joint_methods[i].method, joint_methods[i].tolerance);
        advance_text(&r, 1);
        expect_last(&r, "slip", 0.8920774975182281, joint_methods[i].time);
        expect_text(&r, "rod.angle", -1.02128055020664726, joint_methods[i].state);
        expect_text(&r, "rod.omega", 1.36651659120224134, 2 * joint_methods[i].state);
        expect_text(&r, "energy.numerical", 0, 1e-6);
        if (i == 0) {
            advance_text(&r, 14);
            expect_last(&r, "stick", 13.4605135200189248, 1e-9);
            expect_text(&r, "rod.angle", 0.023903087351260696, 1e-9);
        }
        close_text(&r);
    }
}

static void test_door(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text(
            "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
            "  - {name: rod, mass: 2, inertia: 2*0.64/12, position: [0.4*sin(1.5), -0.4*cos(1.5)], "
            "angle: 1.5, points: {top: [0, 0.4]}}\n"
            "joints:\n  - {name: O, type: revolute, between: [ground, rod.top], limits: {min: 0.5, "
            "restitution: 0.6}}\n",
            joint_methods[i].method, joint_methods[i].tolerance);
        HolEvent e;
        advance_text(&r, 0.34);
        expect_last(&r, "impact", 0.338045609309436411, joint_methods[i].time);
        assert_true(hol_sim_event(r.sim, 0, &e));
        assert_true(fabs(e.speed_before + 5.44810276052053422) < joint_methods[i].state &&
                    fabs(e.loss - 4.05255832769760809) < 10 * joint_methods[i].state);
        advance_text(&r, 0.85);
        expect_last(&r, "impact", 0.842033678578277845, joint_methods[i].time);
        advance_text(&r, 2);
        expect_last(&r, "rest", 1.84669362557911, 1e-8);
        expect_text(&r, "rod.angle", 0.5, 1e-14);
        expect_text(&r, "energy.numerical", 0, 1e-9);
        close_text(&r);
    }
}

// a hinge with more friction than load: it stays where it is, in a few steps
static void test_holds(void **state) {
    (void)state;
    TextRun r = open_text("holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                          "  - {name: rod, mass: 0.1, inertia: 0.01, position: [0.5, 0], points: "
                          "{end: [-0.5, 0]}}\n"
                          "joints:\n  - {name: O, type: revolute, between: [ground, rod.end], "
                          "friction: {constant: 1}}\n",
                          "tangent", 1e-6);
    advance_text(&r, 100); // (the end of these runs)
    expect_text(&r, "rod.angle", 0, 1e-14);
    expect_text(&r, "O.use", 0.4905, 1e-10);
    assert_true(hol_sim_stats(r.sim).steps < 30);
    close_text(&r);
}

static void test_user_events(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text(
            "holonom: 1\nspace: planar\ngravity: [0, -9.81]\ndiscrete: {n: 0, k: 0}\nbodies:\n"
            "  - {name: b, type: point, mass: 1, position: [0, 0], velocity: [1, 0]}\n"
            "forces: [{type: force, acts_on: b, value: [0, 9.81 + k]}]\n"
            "events:\n"
            "  - {name: half, when: b.x - 0.5, direction: rising, set: {k: 2}, reset: {b.vx: "
            "-b.vx}}\n"
            "  - {name: back, when: b.x - 0.25, direction: falling, set: {n: n + 1}}\n"
            "  - {name: tick, every: 0.2, count: 3}\n"
            "  - {name: done, when: n - 0.5, stop: true}\n",
            joint_methods[i].method, joint_methods[i].tolerance);
        advance_text(&r, 0.6);
        expect_text(&r, "b.vx", -1, 1e-13);
        expect_text(&r, "b.x", 0.4, joint_methods[i].state);
        expect_text(&r, "b.vy", 0.2, joint_methods[i].state);
        expect_text(&r, "k", 2, 0);
        HolError err;
        assert_int_equal(hol_sim_advance(r.sim, 5, &err), HOL_EVENT);
        assert_true(fabs(hol_sim_time(r.sim) - 0.75) < joint_methods[i].time);
        close_text(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oscillator), cmocka_unit_test(test_incline),
        cmocka_unit_test(test_journal),    cmocka_unit_test(test_door),
        cmocka_unit_test(test_holds),      cmocka_unit_test(test_user_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
