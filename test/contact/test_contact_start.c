// SPDX-License-Identifier: Apache-2.0
// How contacts begin: a touch at a round time, two zeros of the gap in one step; bodies that overlap at the
// start, whose energy is that of the place they are moved to; bodies that start behind a line, plane or
// curve, which is said.
#include "event_run.h"

static const char *const methods[] = {"taylor", "tangent", "rk853", "radau", "rk4"};

// a ball flies through the place of a point: without the impact the gap is zero at 0.5 and 0.9 s of a step
// of 1 s
static void test_round_time(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        EventRun r;
        event_run(&r,
                  "holonom: 1\nspace: planar\nbodies:\n"
                  "  - {name: a, mass: 1, inertia: 1, velocity: [1, 0]}\n"
                  "  - {name: b, mass: 1, inertia: 1, position: [1, 0]}\ncontacts:\n"
                  "  - {name: k, between: [{body: a, circle: {radius: 0.2}}, {body: b, point: {at: "
                  "[-0.3, 0]}}], stiffness: rigid, restitution: 0.5}\n",
                  (EventRunOptions){.method = methods[i], .tolerance = 1e-10, .end = 1});
        event_run_ok(&r, methods[i]);
        assert_int_equal(r.n, 1);
        assert_true(fabs(r.line[0].time - 0.5) < 1e-12);
        expect_text(&r.run, "a.x", 0.625, 1e-11);
        close_text(&r.run);
    }
}

// 0.1 m deep in a rigid circle: it is lifted by 0.1 m and rests, and nothing gained energy
static void test_energy_of_a_moved_start(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        EventRun r;
        event_run(&r,
                  "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                  "  - {name: a, mass: 1, inertia: 1, position: [0, 1]}\ncontacts:\n"
                  "  - {name: k, between: [{body: ground, circle: {radius: 0.9}}, {body: a, "
                  "circle: {radius: 0.2}}], stiffness: rigid}\n",
                  (EventRunOptions){.method = methods[i], .tolerance = 1e-8, .end = 1});
        event_run_ok(&r, methods[i]);
        expect_text(&r.run, "a.y", 1.1, 1e-12);
        assert_true(fabs(r.stats.energy_initial - 9.81 * 1.1) < 1e-12);
        assert_true(r.numerical < 1e-12 && r.stats.energy_max_drift < 1e-12);
        close_text(&r.run);
    }
}

static int behind(const char *first, const char *second, double y) {
    char text[600];
    snprintf(text, sizeof text,
             "holonom: 1\nspace: planar\ncurves: {c: {points: [[5, 0], [0, 0], [-5, 0]]}}\n"
             "bodies: [{name: a, mass: 1, inertia: 1, position: [0, %g]}]\ncontacts:\n"
             "  - {name: k, between: [{body: ground, %s}, {body: a, %s}], stiffness: 1e4}\n",
             y, first, second);
    HolModel *m = parse_model(text);
    int found = 0;
    for (int i = 0; i < hol_model_remark_count(m); i++)
        found += strstr(hol_model_remark(m, i)->text,
                        "contact 'k': the body starts wholly behind") != NULL;
    hol_model_destroy(m);
    return found;
}

static void test_behind(void **state) {
    (void)state;
    const char *down = "line: {normal: [0, -1]}", *up = "line: {normal: [0, 1]}",
               *ball = "circle: {radius: 0.2}", *box = "corners: [0.4, 0.2]";
    assert_true(behind(down, ball, 1) && behind(down, box, 1) && behind("curve: c", ball, 1));
    assert_true(behind(up, ball, -0.3));
    // not: in front, or pressed in
    assert_false(behind(up, ball, 1) || behind(up, box, 1) || behind("curve: c", ball, -1));
    assert_false(behind(down, ball, 0.1) || behind(down, box, 0.05) ||
                 behind("curve: c", ball, 0.1));
}

// a ball that rests on a compliant floor: round-off of its energy is no drift, and none is warned of
static void test_rest_is_no_drift(void **state) {
    (void)state;
    static const char *const methods[] = {"auto", "taylor", "tangent", "rk853", "radau", "bdf"};
    for (int i = 0; i < 6; i++) {
        char text[600];
        EventRun r;
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                 "- {name: b, mass: 1, inertia: 0.004, position: [0, %.17g]}\ncontacts:\n"
                 "- {name: c, between: [{body: ground, line: {normal: [0, 1]}}, {body: b, circle: "
                 "{radius: 0.1}}], stiffness: 1e5, restitution: 0.5}\n",
                 0.1 - pow(9.81e-5, 2. / 3));
        event_run(&r, text, (EventRunOptions){.method = methods[i], .tolerance = 1e-6, .end = 1});
        event_run_ok(&r, methods[i]);
        assert_string_equal(r.stats.warnings, "");
        close_text(&r.run);
    }
}

// corners have no edges between them: said of a circle outside, not of one that holds the box
static void test_corners_of_a_box(void **state) {
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        char text[600];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\nbodies:\n"
                 "  - {name: a, mass: 1, inertia: 1, position: [0, %d]}\n"
                 "  - {name: b, mass: 1, inertia: 1}\ncontacts:\n  - {name: k, between: [{body: a, "
                 "circle: {radius: 0.9}}, {body: b, corners: [1, 0.4]}], stiffness: rigid}\n",
                 inside ? 0 : 2);
        HolModel *m = parse_model(text);
        assert_int_equal(hol_model_remark_count(m), !inside);
        if (!inside)
            assert_non_null(strstr(hol_model_remark(m, 0)->text,
                                   "corners alone touch the circle, the edges between them"));
        hol_model_destroy(m);
    }
}

// a ball between two lines that are nearer to each other than it is wide: nowhere to move it to
static void test_contradiction(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        EventRun r;
        event_run(&r,
                  "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                  "bodies: [{name: b, mass: 1, inertia: 1}]\ncontacts:\n"
                  "  - {name: k, between: [{body: ground, line: {at: [0, -0.05], normal: [0, 1]}}, "
                  "{body: b, circle: {radius: 0.1}}], stiffness: rigid}\n"
                  "  - {name: l, between: [{body: ground, line: {at: [0, 0.05], normal: [0, -1]}}, "
                  "{body: b, circle: {radius: 0.1}}], stiffness: rigid}\n",
                  (EventRunOptions){.method = methods[i], .tolerance = 1e-8, .end = 1});
        assert_int_equal(r.run.status, HOL_ERR_ASSEMBLY);
        assert_non_null(strstr(r.run.err.text, "'l' is overstepped by 0.1 at the start"));
        close_text(&r.run);
    }
}

// a drive presses a ball on the floor, rigid both: no impulse stops what a drive moves
static void test_squeezed(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        EventRun r;
        event_run(&r,
                  "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                  "  - {name: b, mass: 1, inertia: 1, position: [0, 0.1]}\n"
                  "  - {name: p, mass: 1, inertia: 1, position: [0, 1]}\njoints:\n"
                  "  - {name: j, type: prismatic, bodies: [ground, p], at: [0, 1], axis: [0, 1]}\n"
                  "motions: [{joint: j, value: -time}]\ncontacts:\n"
                  "  - {name: k, between: [{body: ground, line: {normal: [0, 1]}}, "
                  "{body: b, circle: {radius: 0.1}}], stiffness: rigid}\n"
                  "  - {name: l, between: [{body: p, line: {normal: [0, -1]}}, "
                  "{body: b, circle: {radius: 0.1}}], stiffness: rigid}\n",
                  (EventRunOptions){.method = methods[i], .tolerance = 1e-8, .end = 1});
        assert_int_equal(r.run.status, HOL_ERR_STEP);
        if (!strstr(r.run.err.text, "time 0.8: no impulse satisfies the impact at 'l'"))
            fail_msg("%s: %s", methods[i], r.run.err.text);
        close_text(&r.run);
    }
}

// a sphere with spin strikes planes of different directions: the impulse of friction is mu times the other,
// whatever the axes
static void test_impulse_in_space(void **state) {
    (void)state;
    static const char *const planes[] = {"[0, 0, 1]", "[0.6, 0, 0.8]", "[0.48, -0.6, 0.64]"};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) {
            EventRun r;
            char text[700];
            snprintf(text, sizeof text,
                     "holonom: 1\nspace: spatial\nbodies:\n  - {name: b, mass: 1, inertia: [0.004, "
                     "0.004, 0.004], position: [0, 0, 1], velocity: [0.5, -0.3, -3], omega: [20, "
                     "-5, 3]}\ncontacts:\n  - {name: c, between: [{body: ground, plane: {normal: "
                     "%s}}, {body: b, sphere: {radius: 0.1}}], stiffness: rigid, restitution: 0.7, "
                     "friction: {mu: 0.05}}\n",
                     planes[k]);
            event_run(&r, text,
                      (EventRunOptions){.method = methods[i], .tolerance = 1e-8, .end = 0.5});
            event_run_ok(&r, methods[i]);
            assert_int_equal(r.n, 1);
            assert_true(r.line[0].impulse_n > 1);
            assert_true(fabs(r.line[0].impulse_t - 0.05 * r.line[0].impulse_n) < 1e-9);
            close_text(&r.run);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_is_no_drift),
        cmocka_unit_test(test_round_time),
        cmocka_unit_test(test_energy_of_a_moved_start),
        cmocka_unit_test(test_behind),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_corners_of_a_box),
        cmocka_unit_test(test_squeezed),
        cmocka_unit_test(test_impulse_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
