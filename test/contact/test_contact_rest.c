// SPDX-License-Identifier: Apache-2.0
// Several contacts that come to rest together: a tall block rocks from corner to corner, ever smaller, and
// stands still behind the sum of its swings. Between impacts it turns about a corner, I' w' = -+ m g R ..;
// what is asked of every method is that it ends, stands where it stood, and lost what it had.
#include "event_run.h"

static const char *const methods[] = {"taylor", "rk853", "tangent", "rk4", "dae-alpha", "bdf"};
enum { METHODS = sizeof methods / sizeof *methods };

// 0.2 m wide, 0.6 m high, tilted about its right lower corner
static void block_text(double e, const char *impact, char *text, size_t size) {
    const double R = hypot(0.1, 0.3), at = atan2(0.1, 0.3) - 0.1;
    snprintf(text, size,
             "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  - {name: b, mass: 1, "
             "inertia: 0.4/12, position: [%.17g, %.17g], angle: -0.1}\ncontacts:\n  - {name: c, "
             "between: [{body: ground, line: {normal: [0, 1]}}, {body: b, corners: [0.2, 0.6]}], "
             "stiffness: rigid, restitution: %g, friction: {mu: 0.9}}\nsimulation: {impact: %s}\n",
             -R * sin(at), R * cos(at), e, impact);
}

static void test_rocks_to_rest(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < METHODS; i++) {
            const double e = k < 2 ? 0 : k == 2 ? 0.3 : 0.7;
            const char *impact = k & 1 ? "sequence" : "together";
            char text[1000];
            block_text(e, impact, text, sizeof text);
            TextRun r = open_text(text, methods[i], 1e-8);
            snprintf(text, sizeof text, "%s, %s, e %g", methods[i], impact, e);
            const double before = (advance_text(&r, 0), text_value(&r, "energy.total"));
            advance_text(&r, 30);
            if (r.status != HOL_OK)
                fail_msg("%s: %s", text, r.err.text);
            expect_text(&r, "b.angle", 0, 1e-9);
            expect_text(&r, "b.y", 0.3, 1e-9);
            expect_text(&r, "b.omega", 0, 1e-12);
            expect_text(&r, "c.1.force", 9.81 / 2, 1e-9);
            expect_text(&r, "c.2.force", 9.81 / 2, 1e-9);
            const double lost = before - 9.81 * 0.3;
            assert_true(fabs(text_value(&r, "energy.impact") + text_value(&r, "energy.friction") -
                             lost) < 1e-5);
            assert_true(hol_sim_stats(r.sim).events < 3000);
            close_text(&r);
        }
}

// a ball with a bit of slide comes to rest: what it does there stands behind its last rebounds
static void test_lines_by_time(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  - {name: b, mass: 1, inertia: "
        "0.004, position: [0, 1], velocity: [0.5, 0]}\ncontacts:\n  - {name: c, between: [{body: "
        "ground, line: {normal: [0, 1]}}, {body: b, circle: {radius: 0.1}}], stiffness: rigid, "
        "restitution: 0.5, friction: {mu: 0.3}}\n";
    EventRun e;
    event_run(&e, text, (EventRunOptions){.method = "taylor", .tolerance = 1e-6, .end = 2});
    int rest = -1;
    for (int i = 0; i < e.n; i++) {
        assert_true(i == 0 || e.line[i].time >= e.line[i - 1].time);
        rest = !strcmp(e.line[i].kind, "rest") ? i : rest;
    }
    assert_true(rest >= 0 && rest + 1 < e.n);
    assert_string_equal(e.line[rest + 1].kind, "stick");
    assert_true(e.line[rest + 1].time == e.line[rest].time);
    close_text(&e.run);
}

// A box lands flat on a slope of its own, without friction: four corners close, of which three would do.
// What it has along the slope stays
static void test_lands_on_four(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "tangent", "rk853", "radau",
                                          "generalized-alpha"};
    for (int i = 0; i < 5; i++) {
        TextRun r = open_text(
            "holonom: 1\n"
            "space: spatial\n"
            "gravity: [-5.8592643706105925, 3.638038657044417, -6.9763741130435175]\n"
            "bodies:\n"
            "  - {name: box, mass: 2.0, inertia: [0.021666666666666667, 0.03333333333333334, "
            "0.041666666666666664], position: [0.08959119832737909, -0.05562750240129079, "
            "0.10667238704959509], orientation: {matrix: [[0.7544768599477053, 0.2720802339051125, "
            "0.5972746555158606], [-0.04099963150295277, 0.9277873117493252, -0.3708500160086052], "
            "[-0.6550448061164005, 0.25530971480752535, 0.7111492469973004]]}, velocity: "
            "[0.2263430579843116, -0.012299889450885832, -0.19651344183492014], omega: [0.0, 0.0, "
            "0.0]}\n"
            "contacts:\n"
            "  - {name: c, between: [{body: ground, plane: {normal: [0.5972746555158606, "
            "-0.3708500160086052, 0.7111492469973004]}}, {body: box, corners: [0.4,0.3,0.2]}], "
            "stiffness: rigid, restitution: 0}\n",
            methods[i], 1e-8);
        advance_text(&r, 0.09);
        const double v[3] = {text_value(&r, "box.vx"), text_value(&r, "box.vy"),
                             text_value(&r, "box.vz")};
        advance_text(&r, 1);
        const double normal[3] = {0.5972746555158606, -0.3708500160086052, 0.7111492469973004};
        double speed = 0;
        for (int k = 0; k < 3; k++)
            speed += v[k] * normal[k];
        static const char *const names[] = {"box.vx", "box.vy", "box.vz"};
        for (int k = 0; k < 3; k++)
            expect_text(&r, names[k], v[k] - speed * normal[k], 1e-7);
        close_text(&r);
    }
}

// The same box slides on its corners until it rests. Methods that solve for the multipliers leave one of
// the four normal forces out; bdf, which cannot, says so
static void test_slides_on_four(void **state) {
    (void)state;
    static const char *const methods[] = {
        "newmark", "generalized-alpha", "dae-alpha", "tangent", "taylor", "bdf"};
    static const double Q[3][3] = {{0.7544768599477053, 0.2720802339051125, 0.5972746555158606},
                                   {-0.04099963150295277, 0.9277873117493252, -0.3708500160086052},
                                   {-0.6550448061164005, 0.25530971480752535, 0.7111492469973004}};
    const double mu = 0.1;
    for (int i = 0; i < 6; i++) {
        char text[2000];
        // columns of the orientation: the box's axes; it slides along the first
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: spatial\ngravity: [%.17g, %.17g, %.17g]\nbodies:\n"
                 "  - {name: b, mass: 2, inertia: [0.0217, 0.0333, 0.0417], position: [%.17g, "
                 "%.17g, %.17g], orientation: {matrix: [[%.17g, %.17g, %.17g], [%.17g, %.17g, "
                 "%.17g], [%.17g, %.17g, %.17g]]}, velocity: [%.17g, %.17g, %.17g]}\ncontacts:\n"
                 "  - {name: c, between: [{body: ground, plane: {normal: [%.17g, %.17g, %.17g]}}, "
                 "{body: b, corners: [0.4, 0.3, 0.2]}], stiffness: rigid, friction: {mu: %g}}\n",
                 -9.81 * Q[0][2], -9.81 * Q[1][2], -9.81 * Q[2][2], 0.1 * Q[0][2], 0.1 * Q[1][2],
                 0.1 * Q[2][2], Q[0][0], Q[0][1], Q[0][2], Q[1][0], Q[1][1], Q[1][2], Q[2][0],
                 Q[2][1], Q[2][2], Q[0][0], Q[1][0], Q[2][0], Q[0][2], Q[1][2], Q[2][2], mu);
        TextRun r = open_text(text, methods[i], 1e-7);
        advance_text(&r, 1.2);
        if (!strcmp(methods[i], "bdf")) {
            assert_int_equal(r.status, HOL_ERR_UNSUPPORTED);
            assert_non_null(strstr(r.err.text, "which bdf does not take; use taylor"));
        } else {
            static const char *const names[] = {"b.x", "b.y", "b.z"};
            for (int k = 0; k < 3; k++)
                expect_text(&r, names[k], 0.1 * Q[k][2] + Q[k][0] / (2 * mu * 9.81), 1e-6);
        }
        close_text(&r);
    }
}

// A box that tips over its lower edge from rest: two corners lift, two stick, whose friction has no
// direction and series to any order nevertheless. Values of the rotation about the edge (Runge-Kutta)
static void test_tips_in_space(void **state) {
    (void)state;
    static const char *const methods[] = {"auto", "taylor", "tangent", "rk853"};
    for (int i = 0; i < 4; i++) {
        TextRun r = open_text(
            "holonom: 1\nspace: spatial\ngravity: [5, 0, -9.81]\n"
            "bodies: [{name: b, mass: 1.5, inertia: [0.05625, 0.05, 0.01625], position: [0, 0, "
            "0.3]}]\n"
            "contacts:\n  - {name: c, between: [{body: ground, plane: {normal: [0, 0, 1]}}, {body: "
            "b, corners: [0.2, 0.3, 0.6]}], stiffness: rigid, friction: {mu: 2}}\n",
            methods[i], 1e-10);
        advance_text(&r, 0.25);
        expect_text(&r, "b.x", 0.042475548994287154, 1e-9);
        expect_text(&r, "b.z", 0.3109516643089265, 1e-9);
        expect_text(&r, "b.wy", 1.2546428860488585, 1e-8);
        close_text(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rocks_to_rest), cmocka_unit_test(test_lines_by_time),
        cmocka_unit_test(test_lands_on_four), cmocka_unit_test(test_slides_on_four),
        cmocka_unit_test(test_tips_in_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
