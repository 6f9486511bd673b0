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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rocks_to_rest),
                                       cmocka_unit_test(test_lines_by_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
