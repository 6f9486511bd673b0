// SPDX-License-Identifier: Apache-2.0
// Machines of models/ that live on contacts: the Geneva drive against the closed form of a pin without
// play, Jansen's walking machine by four methods, the clock, whose wheel passes a tooth a period. And a
// ball that is pressed against a wall in many directions: its force begins on the right side of the
// touch, with the damping that its speed asks for, also where the gap is one rounding off.
#include "event_run.h"

static TextRun open_model(const char *name, const char *method, double tolerance) {
    TextRun r = {0};
    char path[200];
    HolSimOptions o = hol_sim_options();
    snprintf(path, sizeof path, "models/%s.yaml", name);
    if (hol_model_load(path, NULL, 0, &r.model, &o, &r.err) != HOL_OK)
        fail_msg("%s", r.err.text);
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.tolerance = tolerance;
    if (hol_sim_create(r.model, &o, &r.sim, &r.err) != HOL_OK)
        fail_msg("%s", r.err.text);
    return r;
}

static void test_geneva(void **state) {
    (void)state;
    TextRun r = open_model("geneva", "auto", 1e-6);
    advance_text(&r, 0.05);
    expect_text(&r, "wheel.angle", 0, 1e-12); // locked
    advance_text(&r, (0.3 + M_PI / 2) / 10);
    expect_text(&r, "ideal", -11.7841354234647, 1e-12);
    expect_text(&r, "wheel.omega", -11.7841354234647, 0.01);
    expect_text(&r, "wheel.angle", -M_PI / 4 - 0.572150917110029566, 1e-3);
    advance_text(&r, 0.4);
    expect_text(&r, "wheel.angle", -M_PI / 2, 1e-3);
    expect_text(&r, "wheel.omega", 0, 1e-12);
    close_text(&r);
}

static void test_jansen(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "tangent", "rk853", "radau"};
    double x[4], y[4];
    for (int i = 0; i < 4; i++) {
        TextRun r = open_model("jansen", methods[i], 1e-6);
        advance_text(&r, 1);
        x[i] = text_value(&r, "chassis.x");
        y[i] = text_value(&r, "chassis.angle");
        assert_true(x[i] < -0.6);
        if (!(fabs(x[i] - x[0]) < 1e-6 && fabs(y[i] - y[0]) < 1e-6))
            fail_msg("%s: %.12g %.12g, taylor %.12g %.12g", methods[i], x[i], y[i], x[0], y[0]);
        close_text(&r);
    }
}

// models/car.yaml has the expected values in its head. radau: a state of 1e-12 beside coordinates that
// determine each other is no reason to give up positions
static void test_car(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "tangent", "rk853", "radau"};
    for (int i = 0; i < 4; i++) {
        TextRun r = open_model("car", methods[i], 1e-6);
        advance_text(&r, 5);
        expect_text(&r, "chassis.x", 24.289775898, 1e-6);
        expect_text(&r, "chassis.y", 0.636411176, 1e-6);
        expect_text(&r, "chassis.angle", -0.000378299, 1e-6);
        close_text(&r);
    }
}

static void test_clock(void **state) {
    (void)state;
    TextRun r = open_model("clock", "auto", 1e-5);
    advance_text(&r, 1);
    const double wheel = text_value(&r, "wheel.angle");
    advance_text(&r, 2);
    // (a period is 1.0155 s)
    expect_text(&r, "wheel.angle", wheel - M_PI / 6, 0.02);
    assert_true(text_value(&r, "anchor.angle") > 0.119);
    close_text(&r);
}

// The damping of each contact follows from its speed of touch, also of a pin that hops in one step from the
// place where it lifts to where it touches: all methods agree (taylor differed by 4e-4)
static void test_clock_methods(void **state) {
    (void)state;
    double omega[3];
    for (int i = 0; i < 3; i++) {
        static const char *const methods[] = {"taylor", "radau", "rk853"};
        TextRun r = open_model("clock", methods[i], i ? 1e-10 : 1e-11);
        advance_text(&r, 1.34);
        omega[i] = text_value(&r, "wheel.omega");
        assert_true(fabs(omega[i] - omega[0]) < 1e-7);
        close_text(&r);
    }
}

// the energy that no force explains, of what the push does on the way to the wall
static double press_drift(int i, const char *method, double tolerance) {
    const double far = 0.3 + 0.0137 * i, gap = 0.001 + 0.0001 * i, push = 0.3 + 0.1 * i;
    const double k = 1000 * (1 + i % 7), c = cos(0.1 * i), s = sin(0.1 * i), at = far - gap - 0.01;
    char text[1200];
    snprintf(text, sizeof text,
             "holonom: 1\nname: press\nspace: planar\nbodies:\n"
             "  - {name: b, mass: 0.2, inertia: 1, position: [%.17g, %.17g]}\nforces:\n"
             "  - {name: p, type: force, acts_on: b, value: [%.17g, %.17g]}\ncontacts:\n"
             "  - {name: c, between: [{body: ground, polyline: [[%.17g, %.17g], [%.17g, %.17g]]}, "
             "{body: b, circle: {radius: 0.01}}], stiffness: %g, exponent: 1, restitution: 0.3}\n",
             far * c, far * s, -push * c, -push * s, at * c - s, at * s + c, at * c + s, at * s - c,
             k);
    TextRun r = open_text(text, method, tolerance);
    advance_text(&r, 4 * sqrt(0.4 * gap / push));
    if (r.status != HOL_OK)
        fail_msg("%s", r.err.text);
    const double drift = hol_sim_stats(r.sim).energy_max_drift;
    close_text(&r);
    return drift / (push * gap);
}

static void test_touch_begins_right(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "tangent", "radau", "rk853"};
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < 40; i++) {
            const double tolerance = pow(10, -3 - i % 7);
            const double drift = press_drift(i, methods[m], tolerance);
            if (!(drift <= 30 * tolerance))
                fail_msg("%s, case %d: drift %.3g at tolerance %g", methods[m], i, drift,
                         tolerance);
        }
}

// a round disc turns beside a horn that friction holds: the gap changes by round-off alone, which is
// no speed of touch
static void test_round_disc_turns(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nname: lock\nspace: planar\n"
        "curves: {lock: {x: \"0.058*cos(s)\", y: \"0.058*sin(s)\", to: \"2*pi\", closed: true}}\n"
        "bodies:\n"
        "  - {name: disc, mass: 1, inertia: 1e-3, position: [0.013, 0.021], omega: 10}\n"
        "  - {name: horn, mass: 1, inertia: 1e-3, position: [0.1, 0.03]}\n"
        "joints:\n"
        "  - {name: O, type: revolute, between: [{body: ground, at: [0.013, 0.021]}, disc]}\n"
        "  - {name: W, type: revolute, between: [{body: ground, at: [0.1, 0.03]}, horn], "
        "friction: {constant: 0.02}}\n"
        "contacts:\n"
        "  - {name: c, between: [{body: disc, curve: lock}, {body: horn, point: {at: [-0.02, "
        "0.01]}}], stiffness: 1e6, exponent: 1, restitution: 0.3}\n";
    static const char *const methods[] = {"taylor", "tangent", "radau", "rk853"};
    for (int m = 0; m < 4; m++) {
        TextRun r = open_text(text, methods[m], 1e-6);
        advance_text(&r, 2);
        expect_text(&r, "disc.angle", 20, 1e-9);
        expect_text(&r, "horn.angle", 0, 0);
        assert_true(hol_sim_stats(r.sim).steps < 100);
        close_text(&r);
    }
}

// a point leaves a round hill: whatever speed a method leaves in the closed row, that is no impact
static void test_lift_is_no_impact(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nname: hill\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  - {name: p, type: point, mass: 1, position: [0.1, \"sqrt(0.99)\"]}\ncontacts:\n"
        "  - {name: k, between: [{body: ground, circle: {radius: 1}}, {body: p, point: {}}], "
        "stiffness: rigid, restitution: 0.5}\n";
    static const char *const methods[] = {"taylor", "tangent", "rk853", "generalized-alpha",
                                          "hht",    "newmark", "bdf",   "dae-alpha"};
    for (int m = 0; m < 8; m++) {
        EventRun e;
        event_run(&e, text, (EventRunOptions){.method = methods[m], .tolerance = 1e-8, .end = 1.2});
        assert_int_equal(e.run.status, HOL_OK);
        assert_int_equal(e.n, 1);
        assert_string_equal(e.line[0].kind, "lift");
        // (the height 2/3 sqrt(0.99), by energy)
        assert_true(fabs(e.line[0].time - 0.906579542) < 1e-7);
        close_text(&e.run);
    }
}

// radau in joint coordinates through impacts, and from starts given by rates of joints
static void test_models_by_radau(void **state) {
    (void)state;
    static const char *const models[] = {"newtons-cradle", "cam-jump", "cam-roller", "carousel"};
    for (int i = 0; i < 4; i++) {
        TextRun r = open_model(models[i], "radau", 1e-8);
        advance_text(&r, i == 0 ? 2.6 : 0.2);
        if (r.status != HOL_OK)
            fail_msg("%s: %s", models[i], r.err.text);
        assert_true(hol_sim_stats(r.sim).energy_max_drift < 1e-6);
        close_text(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geneva),
        cmocka_unit_test(test_jansen),
        cmocka_unit_test(test_car),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_clock_methods),
        cmocka_unit_test(test_touch_begins_right),
        cmocka_unit_test(test_round_disc_turns),
        cmocka_unit_test(test_lift_is_no_impact),
        cmocka_unit_test(test_models_by_radau),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
