// SPDX-License-Identifier: Apache-2.0
// Rigid contacts against closed forms: a box on its corners, one on a slope that holds, friction too large
// for a solution. Reference problems: test/contact/test_contact_references.c.
#include "text_run.h"

static const struct {
    const char *method;
    double tolerance;
} rigid_methods[] = {{"taylor", 1e-12}, {"tangent", 1e-11}, {"rk853", 1e-11}};
enum { METHODS = sizeof rigid_methods / sizeof *rigid_methods };

#define FLOOR "{body: ground, line: {normal: [0, 1]}}"

// a block on a slope below the angle of friction stays where it is to the last bit
static void test_holds(void **state) {
    (void)state;
    TextRun r = open_text("holonom: 1\nspace: planar\ngravity: [3, -9.81]\nbodies:\n"
                          "  - {name: box, mass: 2, inertia: 0.1, position: [0, 0.1]}\n"
                          "contacts:\n  - {name: k, between: [" FLOOR
                          ", {body: box, corners: [0.6, 0.2]}], stiffness: "
                          "rigid, friction: {mu: 0.35}}\n",
                          "taylor", 1e-8);
    advance_text(&r, 90);
    expect_text(&r, "box.x", 0, 1e-14);
    expect_text(&r, "box.angle", 0, 1e-14);
    assert_true(fabs(text_value(&r, "k.1.force") + text_value(&r, "k.2.force") - 2 * 9.81) < 1e-9);
    assert_true(fabs(text_value(&r, "k.1.friction") + text_value(&r, "k.2.friction") + 6) < 1e-9);
    close_text(&r);
}

// a box that falls flat on both corners does not turn
static void test_lands_flat(void **state) {
    (void)state;
    TextRun r =
        open_text("holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                  "  - {name: box, mass: 2, inertia: 0.1, position: [0, 0.3], velocity: [1, 0]}\n"
                  "contacts:\n  - {name: k, between: [" FLOOR
                  ", {body: box, corners: [0.6, 0.2]}], stiffness: "
                  "rigid, friction: {mu: 0.1}}\n",
                  "taylor", 1e-10);
    // the impulse of friction in the landing: mu m v
    const double t = sqrt(2 * 0.2 / 9.81), v = 1 - 0.1 * 9.81 * t;
    advance_text(&r, t + 1e-9);
    expect_text(&r, "box.vx", v, 1e-8);
    expect_text(&r, "box.vy", 0, 1e-12);
    advance_text(&r, t + 0.2);
    expect_text(&r, "box.vx", v - 0.1 * 9.81 * 0.2, 1e-8);
    expect_text(&r, "box.angle", 0, 1e-12);
    close_text(&r);
}

// a box that lands on four corners at once and bounces: nothing turns it, with any friction
static void test_lands_on_four(void **state) {
    (void)state;
    static const char *const laws[] = {"", ", friction: {mu: 0.3}",
                                       ", friction: {mu: 0.3, law: smooth, speed: 1e-3}"};
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                 "  - {name: box, mass: 2, inertia: [0.1, 0.12, 0.15], position: [0, 0, 0.5]}\n"
                 "contacts:\n  - {name: k, between: [{body: ground, plane: {normal: [0, 0, 1]}}, "
                 "{body: box, corners: [0.4, 0.3, 0.2]}], stiffness: rigid, restitution: 0.4%s}\n",
                 laws[i]);
        TextRun r = open_text(text, "taylor", 1e-8);
        advance_text(&r, 2);
        expect_text(&r, "box.x", 0, 1e-14);
        expect_text(&r, "box.y", 0, 1e-14);
        expect_text(&r, "box.z", 0.1, 1e-12);
        expect_text(&r, "box.qz", 0, 1e-14);
        expect_text(&r, "box.qx", 0, 1e-14);
        close_text(&r);
    }
}

// a rod that slides on its end: below the critical friction it has one motion, above none
static void test_painleve(void **state) {
    (void)state;
    const char *text =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "parameters: {th: pi/3}\nbodies:\n"
        "  - {name: rod, mass: 1, inertia: 1/3, position: [0, sin(th)], angle: th, "
        "velocity: [%s], omega: %s}\n"
        "contacts:\n  - {name: tip, between: [" FLOOR ", {body: rod, point: {at: [-1, "
        "0]}}], stiffness: rigid, friction: {mu: %s}}\n";
    char full[1000];
    snprintf(full, sizeof full, text, "3, 0", "0", "1");
    TextRun r = open_text(full, "taylor", 1e-9);
    advance_text(&r, 1e-9);
    // N (1/m)(1 + 3 c^2 + 3 mu s c) = g while it slides away from its foot
    const double c = 0.5, s = sqrt(0.75);
    expect_text(&r, "tip.force", 9.81 / (1 + 3 * c * c + 3 * s * c), 1e-6);
    close_text(&r);
    snprintf(full, sizeof full, text, "-3, 0", "0", "1");
    r = open_text(full, "taylor", 1e-9);
    advance_text(&r, 1e-9);
    expect_text(&r, "tip.force", 9.81 / 0.45096189432334203, 1e-6);
    close_text(&r);
    snprintf(full, sizeof full, text, "-3, 0", "0", "1.5");
    r = open_text(full, "taylor", 1e-9);
    advance_text(&r, 0.1);
    assert_int_not_equal(r.status, HOL_OK);
    assert_non_null(strstr(r.err.text, "'tip'"));
    assert_non_null(strstr(r.err.text, "friction 1.5 is too large"));
    assert_non_null(strstr(r.err.text, "no solution"));
    assert_non_null(strstr(r.err.text, "friction below 1.3471")); // 1.34715062810913
    close_text(&r);
    // it turns so fast that the foot would lift off by itself: two solutions
    snprintf(full, sizeof full, text, "-8, 2", "4", "1.5");
    r = open_text(full, "taylor", 1e-9);
    advance_text(&r, 1e-6);
    assert_int_not_equal(r.status, HOL_OK);
    assert_non_null(strstr(r.err.text, "two solutions"));
    close_text(&r);
}

// `painleve: jam`: W (P_N, P_T) = (0, -u_T) with det W = 4/m^2; behind it the tip stands still
static void test_jam(void **state) {
    (void)state;
    static const struct {
        double th, speed, mu;
        int jams;
    } rods[] = {{1.0471975511965976, -3, 1.5, 1},    {1.0471975511965976, -3, 1.347, 0},
                {1.0471975511965976, -3, 1.3473, 1}, {1.1071487177940904, -5, 1.334, 1},
                {1.1071487177940904, -5, 1.333, 0},  {1.0471975511965976, 3, 5, 0}};
    for (int i = 0; i < METHODS; i++)
        for (size_t k = 0; k < sizeof rods / sizeof *rods; k++) {
            const double th = rods[k].th, c = cos(th), s = sin(th), u = rods[k].speed;
            const double Pn = -3 * s * c * u / 4, Pt = -(1 + 3 * c * c) * u / 4;
            char text[1000];
            snprintf(
                text, sizeof text,
                "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                "  - {name: rod, mass: 1, inertia: 1/3, position: [0, %.17g], angle: %.17g, "
                "velocity: [%g, 0]}\ncontacts:\n  - {name: tip, between: [" FLOOR
                ", {body: rod, point: {at: [-1, 0]}}], stiffness: rigid, friction: {mu: %g}}\n",
                s, th, u, rods[k].mu);
            TextRun r = {.model = parse_model(text)};
            HolSimOptions o = hol_sim_options();
            HolEvent e;
            snprintf(o.method.name, sizeof o.method.name, "%s", rigid_methods[i].method);
            snprintf(o.painleve, sizeof o.painleve, "jam");
            o.tolerance = rigid_methods[i].tolerance;
            o.end = 0.01;
            if (hol_sim_create(r.model, &o, &r.sim, &r.err) != HOL_OK)
                fail_msg("%s", r.err.text);
            advance_text(&r, 1e-13);
            if (r.status != HOL_OK)
                fail_msg("%s, rod %zu: %s", rigid_methods[i].method, k, r.err.text);
            assert_true(hol_sim_event(r.sim, 0, &e));
            assert_string_equal(e.kind, rods[k].jams ? "impact" : "slip");
            if (rods[k].jams) {
                assert_true(fabs(e.impulse_n - Pn) < 1e-12 && fabs(e.impulse_t - Pt) < 1e-12);
                assert_true(fabs(e.loss - (1 + 3 * c * c) * u * u / 8) < 1e-12);
                expect_text(&r, "rod.vx", u + Pt, 1e-11);
                expect_text(&r, "rod.vy", Pn, 1e-11);
                expect_text(&r, "rod.omega", 3 * (s * Pt - c * Pn), 1e-11);
                expect_text(&r, "energy.impact", e.loss, 1e-11);
                expect_text(&r, "energy.numerical", 0, 1e-11);
            }
            close_text(&r);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds),         cmocka_unit_test(test_lands_flat),
        cmocka_unit_test(test_lands_on_four), cmocka_unit_test(test_painleve),
        cmocka_unit_test(test_jam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
