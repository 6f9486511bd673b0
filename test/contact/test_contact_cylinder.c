// SPDX-License-Identifier: Apache-2.0
// A cylinder on a plane, which its two rims touch: rolling down a slope with slip at the start, landing flat
// and on one rim, tipping; closed forms, by several methods.
#include "text_run.h"

static const double G = 9.81, M = 2, R = 0.05, L = 0.2;

static const char *const methods[] = {"taylor", "tangent", "rk853", "radau"};
enum { METHODS = sizeof methods / sizeof *methods };

// a cylinder about its y axis, turned about x by `tilt`; scale of lengths
static TextRun open_roll(const char *method, double tolerance, double tilt, double z,
                         const char *gravity, const char *velocity, const char *law, double scale) {
    char text[2000];
    const double r = R * scale, l = L * scale, I = M * (3 * r * r + l * l) / 12;
    snprintf(
        text, sizeof text,
        "holonom: 1\nspace: spatial\ngravity: %s\nbodies:\n"
        "  - {name: roll, mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [0, 0, %.17g], "
        "velocity: %s, orientation: {axis: [1, 0, 0], angle: %.17g}}\n"
        "contacts:\n  - {name: c, between: [{body: ground, plane: {normal: [0, 0, 1]}}, {body: "
        "roll, cylinder: {axis: [0, 1, 0], radius: %.17g, length: %.17g}}], %s}\n",
        gravity, M, I, M * r * r / 2, I, z, velocity, tilt, r, l, law);
    return open_text(text, method, tolerance);
}

static double height(double tilt, double scale) {
    return scale * (L / 2 * sin(tilt) + R * cos(tilt));
}

static void test_slip_to_roll(void **state) {
    (void)state;
    const double a = M_PI / 9, mu = 0.25, v0 = 0.2;
    const double slide = G * (sin(a) - mu * cos(a)), t1 = v0 / (G * (3 * mu * cos(a) - sin(a)));
    char gravity[100];
    snprintf(gravity, sizeof gravity, "[%.17g, 0, %.17g]", G * sin(a), -G * cos(a));
    static const char *const sticking[] = {"auto", "taylor", "rk853", "tangent",
                                           "generalized-alpha"};
    for (int i = 0; i < 5; i++) {
        TextRun r = open_roll(sticking[i], 1e-9, 0, R, gravity, "[0.2, 0, 0]",
                              "stiffness: rigid, friction: {mu: 0.25}", 1);
        advance_text(&r, 0.03);
        expect_text(&r, "roll.vx", v0 + slide * 0.03, 1e-7);
        expect_text(&r, "roll.wy", 2 * mu * G * cos(a) / R * 0.03, 1e-6);
        expect_text(&r, "c.1.force", M * G * cos(a) / 2, 1e-6);
        advance_text(&r, 0.5);
        const double v = v0 + slide * t1 + 2.0 / 3 * G * sin(a) * (0.5 - t1);
        expect_text(&r, "roll.vx", v, 1e-7);
        expect_text(&r, "roll.wy", v / R, 2e-6);
        expect_text(&r, "roll.z", R, 1e-10);
        expect_text(&r, "c.1.state", 3, 0); // (four rows of rank three)
        close_text(&r);
    }
    // compliant: the same but for the depth
    TextRun r = open_roll("rk853", 1e-7, 0, R, gravity, "[0.2, 0, 0]",
                          "stiffness: 1e7, exponent: 1, friction: {mu: 0.25, speed: 1e-4}", 1);
    advance_text(&r, 0.5);
    expect_text(&r, "roll.vx", v0 + slide * t1 + 2.0 / 3 * G * sin(a) * (0.5 - t1), 2e-3);
    close_text(&r);
}

static void test_lands_flat(void **state) {
    (void)state;
    static const char *const laws[] = {"stiffness: rigid, restitution: 0.6",
                                       "stiffness: 1e6, restitution: 0.6",
                                       "stiffness: 1e5, exponent: 1, restitution: 0.6",
                                       "stiffness: rigid, restitution: 0.6, friction: {mu: 0.3}"};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < METHODS - (k == 3); i++)
            for (double scale = 1; scale < 2e3; scale *= 1e3) {
                TextRun r = open_roll(methods[i], 1e-8, 0, R * scale + 0.1, "[0, 0, 0]",
                                      "[0, 0, -1]", laws[k], scale);
                advance_text(&r, 0.5);
                expect_text(&r, "roll.vz", 0.6, 1e-6);
                expect_text(&r, "roll.wx", 0, 1e-12 / scale);
                expect_text(&r, "roll.wy", 0, 1e-12);
                close_text(&r);
            }
}

// the lowest point of the lower rim lies at y = -L/2 cos + R sin
static void test_lands_on_rim(void **state) {
    (void)state;
    const double tilt = 0.3, e = 0.5, I = M * (3 * R * R + L * L) / 12;
    const double y = -L / 2 * cos(tilt) + R * sin(tilt);
    const double P = (1 + e) / (1 / M + y * y / I);
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_roll(methods[i], 1e-9, tilt, height(tilt, 1) + 0.1, "[0, 0, 0]",
                              "[0, 0, -1]", "stiffness: rigid, restitution: 0.5", 1);
        advance_text(&r, 0.101);
        expect_text(&r, "roll.vz", -1 + P / M, 1e-8);
        expect_text(&r, "roll.wx", y * P / I, 1e-7);
        close_text(&r);
    }
}

// on one rim without friction: the centre falls straight down, energy gives the speed
static void test_tips(void **state) {
    (void)state;
    const double start = 0.4, I = M * (3 * R * R + L * L) / 12;
    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 2; k++) {
            TextRun r = open_roll(
                methods[i], k ? 1e-7 : 1e-9, start, height(start, 1), "[0, 0, -9.81]", "[0, 0, 0]",
                k ? "stiffness: 1e7, exponent: 1, dissipation: 10" : "stiffness: rigid", 1);
            advance_text(&r, 0.06);
            const double tilt = 2 * atan2(text_value(&r, "roll.qx"), text_value(&r, "roll.qw"));
            const double slope = L / 2 * cos(tilt) - R * sin(tilt);
            const double rate =
                sqrt(2 * M * G * (height(start, 1) - height(tilt, 1)) / (I + M * slope * slope));
            assert_true(tilt < 0.35 && tilt > 0.05);
            expect_text(&r, "roll.wx", -rate, k ? 0.02 * rate : 1e-7);
            expect_text(&r, "roll.y", 0, 1e-9);
            expect_text(&r, "roll.z", height(tilt, 1), k ? 1e-5 : 1e-10);
            close_text(&r);
        }
}

// standing on its end it has no lowest point: the run ends there by name
static void test_upright(void **state) {
    (void)state;
    TextRun r = open_roll("rk853", 1e-6, M_PI / 2 - 0.02, height(M_PI / 2 - 0.02, 1),
                          "[0, 0, -9.81]", "[0, 0, 0]", "stiffness: 1e5", 1);
    advance_text(&r, 1);
    assert_int_not_equal(r.status, HOL_OK);
    if (!strstr(r.err.text, "contact 'c': the cylinder stands on its end"))
        fail_msg("%s", r.err.text);
    close_text(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slip_to_roll), cmocka_unit_test(test_lands_flat),
        cmocka_unit_test(test_lands_on_rim), cmocka_unit_test(test_tips),
        cmocka_unit_test(test_upright),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
