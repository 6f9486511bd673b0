// SPDX-License-Identifier: Apache-2.0
// Friction that holds a hinge; events of the user. Reference problems: test/contact/test_contact_references.c.
#include "text_run.h"

static const struct {
    const char *method;
    double tolerance, time, state; // errors: of event times, of states
} joint_methods[] = {
    {"taylor", 1e-12, 1e-11, 1e-10}, {"tangent", 1e-11, 1e-9, 1e-8}, {"rk853", 1e-11, 1e-9, 1e-8}};
enum { METHODS = sizeof joint_methods / sizeof *joint_methods };

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

// A force that rises within few roundings of the time: where the joint breaks away the force is a little
// less than what it can hold.
static void test_steep_rise(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "tangent",   "rk853",
                                          "radau",  "dae-alpha", "newmark"};
    const double c = 0.3 * 9.81;
    for (int i = 0; i < 12; i++) {
        char text[600];
        const double start = i % 2 ? 1000 : 1, rise = i % 2 ? 1e-6 : 1e-10;
        snprintf(
            text, sizeof text,
            "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
            "tables: {p: {x: [0, %.17g, %.17g, 9999], y: [0, 0, 5, 5], interpolation: linear}}\n"
            "bodies: [{name: b, mass: 1, inertia: 1}]\n"
            "joints: [{name: G, type: prismatic, between: [{body: ground, axis: [1, 0]}, b], "
            "friction: {mu: 0.3}}]\n"
            "forces: [{type: force, acts_on: b, value: [\"interp(p, time)\", 0]}]\n",
            start, start + rise);
        TextRun r = open_text(text, methods[i / 2], 1e-6);
        hol_sim_destroy(r.sim);
        HolSimOptions o = hol_sim_options();
        snprintf(o.method.name, sizeof o.method.name, "%s", methods[i / 2]);
        o.tolerance = 1e-6;
        o.end = start + 0.5;
        assert_int_equal(hol_sim_create(r.model, &o, &r.sim, &r.err), HOL_OK);
        advance_text(&r, o.end);
        expect_text(&r, "b.vx", 0.5 * (5 - c), 1e-5);
        expect_text(&r, "G.state", 2, 0);
        close_text(&r);
    }
}

// keys of another law are remarked on
static void test_idle_keys(void **state) {
    (void)state;
    static const char *const keys[][2] = {{"sigma0: 1e4", "lugre"},
                                          {"speed: 0.01", "smooth"},
                                          {"stribeck: 0.01", "mu_static"},
                                          {"stribeck: 0.01, mu_static: 0.4", NULL},
                                          {"sigma0: 1e4, law: lugre", NULL}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                 "bodies: [{name: b, mass: 1, inertia: 1}]\n"
                 "joints: [{name: G, type: prismatic, between: [{body: ground, axis: [1, 0]}, b], "
                 "friction: {mu: 0.3, %s}}]\n",
                 keys[i][0]);
        HolModel *m = parse_model(text);
        assert_int_equal(hol_model_remark_count(m), keys[i][1] != NULL);
        if (keys[i][1]) {
            assert_non_null(strstr(hol_model_remark(m, 0)->text, keys[i][1]));
            assert_int_equal(hol_model_remark(m, 0)->line, 5);
        }
        hol_model_destroy(m);
    }
}

// events kick what friction or a stop holds
static void test_kicks(void **state) {
    (void)state;
    static const struct {
        const char *text, *column;
        double end, value;
    } kicks[] = {
        {"joints: [{name: G, type: prismatic, between: [{body: ground, axis: [1, 0]}, b], "
         "friction: "
         "{mu: 0.3}}]\nevents: [{when: time - 1, reset: {b.vx: 2}}]\n",
         "b.x", 3, 2 / (0.3 * 9.81)},
        {"joints: [{name: G, type: prismatic, between: [{body: ground, axis: [0, 1]}, b], limits: "
         "{min: 0}, friction: {constant: 1}}]\nevents: [{when: time - 1, reset: {b.vy: 2}}]\n",
         "b.vy", 1.1, 2 - 1.081},
        {"contacts: [{name: F, between: [{body: ground, line: {normal: [0, 1]}}, {body: b, point: "
         "{}}], stiffness: rigid, friction: {mu: 0.3}}]\nevents: [{when: time - 1, reset: {b.vx: "
         "2}}]\n",
         "b.vx", 1.1, 2 - 0.2943}};
    for (int i = 0; i < 3 * METHODS; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                 "bodies: [{name: b, mass: 1, inertia: 1}]\n%s",
                 kicks[i / METHODS].text);
        TextRun r = open_text(text, joint_methods[i % METHODS].method,
                              joint_methods[i % METHODS].tolerance);
        advance_text(&r, kicks[i / METHODS].end);
        expect_text(&r, kicks[i / METHODS].column, kicks[i / METHODS].value, 1e-8);
        close_text(&r);
    }
}

// a pin so wide that its friction is more than what drives it: named, with remedies that a joint has
static void test_too_wide(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text(
            "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
            "bodies: [{name: b, mass: 1, inertia: 0.0001, position: [0.1, 0]}]\n"
            "joints: [{name: O, type: revolute, between: [ground, {body: b, at: [-0.1, 0]}], "
            "friction: {mu: 1, radius: 0.3}, rate: 30}]\n",
            joint_methods[i].method, joint_methods[i].tolerance);
        advance_text(&r, 1);
        assert_int_equal(r.status, HOL_ERR_STEP);
        assert_non_null(strstr(r.err.text, "'O'"));
        assert_non_null(strstr(r.err.text, "use less friction (mu, or radius)"));
        close_text(&r);
    }
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
        cmocka_unit_test(test_holds),       cmocka_unit_test(test_steep_rise),
        cmocka_unit_test(test_kicks),       cmocka_unit_test(test_idle_keys),
        cmocka_unit_test(test_user_events), cmocka_unit_test(test_too_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
