// SPDX-License-Identifier: Apache-2.0
// Rigid contacts in space with friction and fixed steps: slides that stop within a step, a box on four
// corners that holds; closed forms, by all kinds of methods.
#include "text_run.h"

static const double G = 9.81;

static TextRun open_fixed(const char *text, const char *method, double step) {
    TextRun r = {.model = parse_model(text)};
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.tolerance = 0;
    o.step = step;
    o.end = 100;
    if (hol_sim_create(r.model, &o, &r.sim, &r.err) != HOL_OK)
        fail_msg("%s", r.err.text);
    return r;
}

// A sphere with spin slides straight on until it rolls; it has no direction of sliding behind that
static void test_slide_stops(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double limit;
    } methods[] = {{"tangent", 1e-6},   {"newmark", 1e-4},   {"generalized-alpha", 1e-4},
                   {"dae-alpha", 1e-4}, {"explicit4", 1e-6}, {"explicit3", 1e-6},
                   {"rk4", 2e-6},       {"rk3", 1e-5},       {"rk853", 1e-8},
                   {"radau", 1e-8},     {"taylor", 1e-8},    {"central-differences", 1e-6}};
    const double mu = 0.2, R = 0.1, wx = 2.0 + 10.0 * R, wy = 0.5 + 3.0 * R, w = hypot(wx, wy);
    const double t1 = w / (3.5 * mu * G), late = 0.3, vx = 2 - mu * G * t1 * wx / w,
                 vy = 0.5 - mu * G * t1 * wy / w;
    for (int i = 0; i < (int)(sizeof methods / sizeof *methods); i++) {
        TextRun r = open_fixed(
            "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
            "bodies: [{name: b, mass: 0.5, inertia: [0.002, 0.002, 0.002], position: [0, 0, 0.1], "
            "velocity: [2, 0.5, 0], omega: [3, -10, 7]}]\n"
            "contacts:\n  - {name: c, between: [{body: ground, plane: {normal: [0, 0, 1]}}, {body: "
            "b, sphere: {radius: 0.1}}], stiffness: rigid, friction: {mu: 0.2}}\n",
            methods[i].name, 1e-3);
        advance_text(&r, t1 + late);
        const double limit = methods[i].limit;
        expect_text(&r, "c.state", 1, 0);
        expect_text(&r, "b.vx", vx, limit);
        expect_text(&r, "b.vy", vy, limit);
        expect_text(&r, "b.x", 2 * t1 - mu * G * t1 * t1 / 2 * wx / w + vx * late, limit);
        expect_text(&r, "b.wx", -vy / R, limit / R);
        close_text(&r);
    }
}

// Its normal forces depend on each other: their parts that nothing determines must not grow. Nothing
// moves, of which nothing is to be warned
static void test_box_holds(void **state) {
    (void)state;
    static const char *const methods[] = {"tangent", "rk4", "explicit4", "newmark", "dae-alpha"};
    for (int i = 0; i < 5; i++) {
        TextRun r = open_fixed(
            "holonom: 1\nspace: spatial\ngravity: [2, 0.5, -9.81]\n"
            "bodies: [{name: b, mass: 2, inertia: [0.0217, 0.0333, 0.0417], position: [0, 0, "
            "0.1]}]\n"
            "contacts:\n  - {name: c, between: [{body: ground, plane: {normal: [0, 0, 1]}}, {body: "
            "b, corners: [0.4, 0.3, 0.2]}], stiffness: rigid, friction: {mu: 0.3}}\n",
            methods[i], 2e-3);
        advance_text(&r, 0.4);
        expect_text(&r, "b.x", 0, 1e-14);
        expect_text(&r, "b.z", 0.1, 1e-15);
        for (int k = 1; k <= 4; k++) {
            char name[20];
            snprintf(name, sizeof name, "c.%d.state", k);
            expect_text(&r, name, 3, 0);
        }
        assert_string_equal(hol_sim_stats(r.sim).warnings, "");
        close_text(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slide_stops),
        cmocka_unit_test(test_box_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
