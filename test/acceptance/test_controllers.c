// SPDX-License-Identifier: Apache-2.0
// What controllers are written with, against closed forms and with methods of every family that
// controls its error: functions that jump (floor, mod, clamp), drives by speed, velocity
// constraints, first-order states.
#include "text_run.h"

static const char *const methods[] = {"taylor", "rk853", "radau", "tangent", "auto"};
enum { METHODS = sizeof methods / sizeof *methods };

// v' = square wave of time + stairs and a clamp of p = t: v(1) = (0 + 1 + 2)/30 + 0.2^2 +
// (0.7^2 - 0.2^2)/2 + 0.3 0.7; x(1) by integrating once more
static void test_jumps(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\nbodies:\n"
        "  - {name: q, type: coordinate}\n  - {name: p, type: coordinate, velocity: [1]}\n"
        "forces:\n  - {type: expression, on: q, value: \"if(mod(time, 0.1) < 0.05, 1, -1)"
        " + floor(3*p)/10 + clamp(p, 0.2, 0.7)\"}\n"
        "outputs: [q.x, q.vx]\n";
    // floor: v = 0.1 (t - 1/3) then + 0.1 (t - 2/3); clamp: 0.2 t^2/2 up to 0.2, then
    // integral of (1 - t) f
    const double stairs = 0.1 * ((2. / 3) * (2. / 3) + (1. / 3) * (1. / 3)) / 2;
    const double held = 0.2 * (0.2 - 0.02), rises = (0.49 - 0.04) / 2 - (0.343 - 0.008) / 3;
    const double x = 0.5 * 0.05 + stairs + held + rises + 0.7 * 0.3 * 0.3 / 2;
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text(text, methods[i], 1e-10);
        advance_text(&r, 1);
        expect_text(&r, "q.vx", 0.1 + 0.04 + 0.225 + 0.21, 1e-11);
        expect_text(&r, "q.x", x, 1e-11);
        close_text(&r);
    }
}

// a crank driven by a table of speeds with corners, loaded by its weight; the angle is the integral
static void test_speed_drive(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "tables:\n  prog: {x: [0, 0.5, 1, 2], y: [0, 3, 3, 0], interpolation: linear}\n"
        "bodies:\n  - {name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
        "joints:\n  - {name: O, type: revolute, between: [ground, {body: rod, at: [-0.5, 0]}]}\n"
        "motions:\n  - {name: drive, joint: O, speed: \"interp(prog, time)\"}\n"
        "outputs: [rod.angle, rod.omega, drive.effort, energy.numerical]\n";
    static const char *const drivers[] = {"taylor", "rk853", "tangent", "bdf", "auto"};
    for (int i = 0; i < 5; i++) {
        TextRun r = open_text(text, drivers[i], 1e-9);
        advance_text(&r, 1.5);
        expect_text(&r, "rod.angle", 0.75 + 1.5 + 1.125, 1e-8);
        expect_text(&r, "rod.omega", 1.5, 1e-8);
        // torque = J alpha + m g l cos(angle), J about the pin
        expect_text(&r, "drive.effort", -3 * 0.35 + 0.5 * 9.81 * cos(3.375), 1e-6);
        expect_text(&r, "energy.numerical", 0, 1e-7);
        close_text(&r);
    }
}

// Drives whose rates jump, by an event or by time alone, push in no time: the work is
// J (w2^2 - w1^2)/2 of the crank, and the bodies behind it follow
static void test_jumping_drives(void **state) {
    (void)state;
    static const char *const laws[] = {"speed: \"2 + w\"", "speed: \"if(time < 0.3, 2, 3)\"",
                                       "value: \"if(time < 0.3, 2*time, 0.6 + 3*(time - 0.3))\"",
                                       "value: \"interp(way, time)\""};
    static const char *const drivers[] = {"taylor", "rk853", "tangent", "radau",
                                          "bdf",    "hht",   "auto"};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 7; i++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "holonom: 1\nspace: planar\ndiscrete: {w: 0}\ntables:\n"
                     "  way: {x: [0, 0.3, 2.3], y: [0, 0.6, 6.6], interpolation: linear}\n"
                     "bodies:\n  - {name: a, mass: 1, inertia: 0.1}\n"
                     "  - {name: b, mass: 2, inertia: 0.1, position: [1, 0]}\njoints:\n"
                     "  - {name: O, type: revolute, between: [ground, a]}\n"
                     "  - {name: P, type: fixed, bodies: [a, b], at: [0, 0]}\n"
                     "motions: [{joint: O, %s}]\n"
                     "events: [{when: \"time - 0.3\", set: {w: 1}}]\n"
                     "outputs: [a.angle, energy.work, energy.numerical]\n",
                     laws[k]);
            TextRun r = open_text(text, drivers[i], 1e-6);
            advance_text(&r, 1);
            expect_text(&r, "a.angle", 2.7, 1e-6);
            expect_text(&r, "energy.work", 0.5 * 2.2 * 5, 1e-6);
            expect_text(&r, "energy.numerical", 0, 1e-6);
            close_text(&r);
        }
}

// models/skate.yaml has the closed form in its head
static void test_skate(void **state) {
    (void)state;
    static const char *const gliders[] = {"taylor", "rk853", "tangent", "bdf", "explicit5", "auto"};
    for (int i = 0; i < 6; i++) {
        HolModel *m;
        HolError err;
        HolSimOptions o = hol_sim_options();
        const HolSetting method = {"method", gliders[i]};
        if (hol_model_load(HOL_SOURCE_DIR "/models/skate.yaml", &method, 1, &m, &o, &err))
            fail_msg("%s", err.text);
        TextRun r = {.model = m};
        assert_int_equal(hol_sim_create(m, &o, &r.sim, &r.err), HOL_OK);
        advance_text(&r, 3);
        expect_text(&r, "skate.x", -sin(6) * sin(6) / 8, 1e-8);
        expect_text(&r, "skate.y", -(3 - sin(12) / 4) / 4, 1e-8);
        close_text(&r);
    }
}

// ---- first-order states ----

// x'' = -4 x - i/2, i' = -2 i + 3 x: the series of exp(A t) applied to (x, v, i)
static void linear_exact(double t, double y[3]) {
    double term[3] = {1, 0, 0.5};
    memcpy(y, term, sizeof term);
    for (int k = 1; k < 60; k++) {
        const double x = term[0], v = term[1], i = term[2];
        term[0] = v * t / k;
        term[1] = (-4 * x - 0.5 * i) * t / k;
        term[2] = (-2 * i + 3 * x) * t / k;
        for (int c = 0; c < 3; c++)
            y[c] += term[c];
    }
}

static const char linear_text[] =
    "holonom: 1\nspace: planar\nbodies:\n  - {name: q, type: coordinate, position: [1]}\n"
    "states:\n  - {name: i, rate: \"-2*i + 3*q\", initial: 0.5}\n"
    "forces:\n  - {type: expression, on: q, value: \"-4*q - 0.5*i\"}\n"
    "outputs: [q.x, q.vx, i, energy.kinetic, energy.numerical]\n";

// every method keeps its order for states: errors of x and i at two steps
static void test_state_orders(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double order;
    } cases[] = {{"newmark", 2},
                 {"hht", 2},
                 {"generalized-alpha", 2},
                 {"dae-alpha", 2},
                 {"tangent", 4},
                 {"rk3", 3},
                 {"rk4", 4},
                 {"explicit3", 2},
                 {"explicit4", 3},
                 {"explicit5", 4},
                 {"central-differences", 2},
                 {"radau", 5}};
    double exact[3];
    linear_exact(1, exact);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            TextRun r = {.model = parse_model(linear_text)};
            HolSimOptions o = hol_sim_options();
            snprintf(o.method.name, sizeof o.method.name, "%s", cases[c].method);
            o.step = fine ? 0.01 : 0.02;
            o.end = 1;
            if (hol_sim_create(r.model, &o, &r.sim, &r.err) != HOL_OK)
                fail_msg("%s: %s", cases[c].method, r.err.text);
            advance_text(&r, 1);
            error[fine] =
                fmax(fabs(text_value(&r, "q.x") - exact[0]), fabs(text_value(&r, "i") - exact[2]));
            close_text(&r);
        }
        const double order = log2(error[0] / error[1]);
        if (!(order > cases[c].order - 0.25) && error[1] > 1e-13)
            fail_msg("%s: errors %.3g, %.3g: order %.2f, not %g", cases[c].method, error[0],
                     error[1], order, cases[c].order);
    }
}

static void test_states(void **state) {
    (void)state;
    static const char *const all[] = {"taylor", "rk853", "radau", "tangent", "bdf", "auto"};
    double exact[3];
    linear_exact(2, exact);
    for (int k = 0; k < 6; k++) {
        TextRun r = open_text(linear_text, all[k], 1e-9);
        HolCheck check;
        assert_int_equal(hol_sim_check(r.sim, &check, &r.err), HOL_OK);
        assert_int_equal(check.dof, 1);
        assert_int_equal(check.velocities, 1);
        advance_text(&r, 2);
        expect_text(&r, "q.x", exact[0], 3e-8);
        expect_text(&r, "i", exact[2], 3e-8);
        // a state has no energy, and its rate does no work
        expect_text(&r, "energy.kinetic", exact[1] * exact[1] / 2, 1e-7);
        expect_text(&r, "energy.numerical", 0, 1e-7);
        close_text(&r);
    }
}

// a state 1e6 times faster than the motion, on its slow path: z = sin(t) + O(1e-6)
static void test_stiff_state(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\nbodies:\n  - {name: q, type: coordinate, velocity: [1]}\n"
        "states:\n  - {name: z, rate: \"1e6*(sin(time) - z)\", initial: 1}\n"
        "forces:\n  - {type: expression, on: q, value: \"-q + 0*z\"}\noutputs: [q.x, z]\n";
    static const char *const stiff[] = {"radau", "tangent", "bdf"};
    for (int k = 0; k < 3; k++) {
        TextRun r = open_text(text, stiff[k], 1e-6);
        advance_text(&r, 3);
        expect_text(&r, "q.x", sin(3), 3e-5);
        expect_text(&r, "z", sin(3) - 1e-6 * cos(3), 3e-5);
        if (!(hol_sim_stats(r.sim).steps < 2000))
            fail_msg("%s takes %ld steps", stiff[k], hol_sim_stats(r.sim).steps);
        close_text(&r);
    }
}

// ---- models ----

static TextRun open_model(const char *file, const char *method) {
    TextRun r = {.model = NULL};
    char path[400];
    HolSimOptions o = hol_sim_options();
    const HolSetting set = {"method", method};
    snprintf(path, sizeof path, "%s/models/%s", HOL_SOURCE_DIR, file);
    if (hol_model_load(path, &set, 1, &r.model, &o, &r.err) != HOL_OK ||
        hol_sim_create(r.model, &o, &r.sim, &r.err) != HOL_OK)
        fail_msg("%s: %s", file, r.err.text);
    return r;
}

// what the heads of the model files say
static void test_models_of_states(void **state) {
    (void)state;
    static const char *const some[] = {"auto", "tangent", "radau"};
    for (int k = 0; k < 3; k++) {
        TextRun r = open_model("pid-cart.yaml", some[k]);
        advance_text(&r, 2);
        expect_text(&r, "cart.x", 1 + 15 * exp(-4), 1e-7);
        close_text(&r);
        r = open_model("dc-motor.yaml", some[k]);
        advance_text(&r, 20);
        expect_text(&r, "wheel.omega", 50, 1e-4);
        expect_text(&r, "i", 6, 1e-4);
        expect_text(&r, "voltage", 11, 1e-4);
        expect_text(&r, "integral", 2.2, 1e-4);
        close_text(&r);
        r = open_model("hydraulic-cylinder.yaml", some[k]);
        advance_text(&r, 8);
        expect_text(&r, "piston.y", 0.100475, 1e-6);
        expect_text(&r, "p", 5e6, 5);
        close_text(&r);
    }
    static const char *const free[] = {"auto", "tangent", "rk853"}; // (a drive by speed)
    for (int k = 0; k < 3; k++) {
        TextRun r = open_model("rough-road.yaml", free[k]);
        advance_text(&r, 4);
        expect_text(&r, "wheel.y", 0.27181034, 1e-4);
        expect_text(&r, "body.y", 0.57561034, 1e-4);
        expect_text(&r, "wheel.x", 40, 1e-6);
        close_text(&r);
    }
}

// A rod is let go and a state follows its rate: from rest it grows as the square of time, and no
// method may lose its way in steps of round-off. O.angle is what the state has gathered.
static void test_state_from_rest(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "states: [{name: q, rate: O.rate}, {name: e, rate: \"O.rate^2\"}]\n"
        "bodies:\n  - {name: rod, mass: 1, inertia: 0.02, position: [0.25, 0]}\n"
        "joints:\n  - {name: O, type: revolute, between: [ground, {body: rod, at: [-0.25, 0]}], "
        "angle: 0.2}\n";
    static const char *const all[] = {"newmark",   "hht",       "generalized-alpha",
                                      "dae-alpha", "explicit3", "central-differences",
                                      "tangent",   "rk3",       "radau"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        TextRun r = open_text(text, all[i], 1e-6);
        advance_text(&r, 1);
        expect_text(&r, "q", text_value(&r, "rod.angle") - 0.2, 3e-5);
        assert_true(hol_sim_stats(r.sim).steps < 20000);
        close_text(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jumps),
                                       cmocka_unit_test(test_speed_drive),
                                       cmocka_unit_test(test_skate),
                                       cmocka_unit_test(test_state_orders),
                                       cmocka_unit_test(test_states),
                                       cmocka_unit_test(test_stiff_state),
                                       cmocka_unit_test(test_models_of_states),
                                       cmocka_unit_test(test_jumping_drives),
                                       cmocka_unit_test(test_state_from_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
