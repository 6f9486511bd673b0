// SPDX-License-Identifier: Apache-2.0
// Rigid contacts against closed forms and reference values: impacts to rest, sliding that becomes
// rolling, a rocking block, Newton's cradle, a tippe top; a box on its corners, one on a slope that
// holds, friction too large for a solution.
#include "text_run.h"

static const struct {
    const char *method;
    double tolerance, time, state; // errors: of event times, of states
} rigid_methods[] = {
    {"taylor", 1e-12, 1e-11, 1e-10}, {"tangent", 1e-11, 1e-9, 1e-8}, {"rk853", 1e-11, 1e-9, 1e-8}};
enum { METHODS = sizeof rigid_methods / sizeof *rigid_methods };

// the last event was at this time
static void expect_event(TextRun *r, const char *kind, double time, double limit) {
    HolEvent e;
    if (r->status != HOL_OK)
        fail_msg("%s", r->err.text);
    assert_true(hol_sim_event(r->sim, 0, &e));
    assert_string_equal(e.kind, kind);
    if (!(fabs(e.time - time) <= limit))
        fail_msg("%s at %.15g, expected %.15g (off by %.2e)", kind, e.time, time, e.time - time);
}

#define FLOOR "{body: ground, line: {normal: [0, 1]}}"

static void test_bouncing_ball(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text("holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                              "  - {name: ball, mass: 1, inertia: 0.004, position: [0, 1.1]}\n"
                              "contacts:\n  - {name: k, between: [" FLOOR
                              ", {body: ball, circle: {radius: 0.1}}], stiffness: rigid, "
                              "restitution: 0.7}\n",
                              rigid_methods[i].method, rigid_methods[i].tolerance);
        const double hit = 0.451523640985730904, dt = rigid_methods[i].time;
        advance_text(&r, hit + 1e-3);
        expect_event(&r, "impact", hit, dt);
        expect_text(&r, "k.speed", 0.7 * 4.42944691807002017 - 9.81e-3, rigid_methods[i].state);
        advance_text(&r, 1);
        expect_text(&r, "k.gap", 0.225059760719034294, rigid_methods[i].state);
        advance_text(&r, 2);
        expect_text(&r, "k.gap", 0.042433547802627731, rigid_methods[i].state);
        expect_text(&r, "k.state", 0, 0);
        advance_text(&r, 3);
        expect_text(&r, "k.gap", 0, 1e-15);
        expect_text(&r, "k.force", 9.81, 1e-12);
        expect_text(&r, "k.state", 1, 0);
        expect_text(&r, "energy.numerical", 0, 1e-11);
        close_text(&r);
    }
}

static void test_slip_to_roll(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text(
            "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
            "  - {name: s, mass: 1, inertia: 0.4*0.11^2, position: [0, 0.11], velocity: [5, 0]}\n"
            "  - {name: d, mass: 1, inertia: 0.5*0.1^2, position: [0, 0.1], velocity: [3, 0], "
            "omega: "
            "50}\n"
            "contacts:\n"
            "  - {name: ks, between: [" FLOOR ", {body: s, circle: {radius: 0.11}}], stiffness: "
            "rigid, friction: {mu: 0.2}}\n"
            "  - {name: kd, between: [{body: d, circle: {radius: 0.1}}, " FLOOR "], stiffness: "
            "rigid, friction: {mu: 0.2}}\n",
            rigid_methods[i].method, rigid_methods[i].tolerance);
        advance_text(&r, 0.3);
        expect_text(&r, "ks.state", 2, 0);
        expect_text(&r, "ks.friction", -0.2 * 9.81, 1e-12);
        expect_text(&r, "ks.slip", 5 - 0.3 * 0.2 * 9.81 * 3.5, 1e-11);
        advance_text(&r, 0.75);
        expect_event(&r, "stick", 0.728119994175040047, rigid_methods[i].time);
        expect_text(&r, "ks.state", 1, 0);
        expect_text(&r, "s.vx", 3.57142857142857143, rigid_methods[i].state);
        advance_text(&r, 2);
        expect_text(&r, "s.x", 7.66294285298217146, rigid_methods[i].state);
        expect_text(&r, "d.vx", 1.0 / 3, rigid_methods[i].state);
        expect_text(&r, "d.x", 2.26526220410012459 + (2 - 1.35915732246007475) / 3,
                    rigid_methods[i].state);
        expect_text(&r, "ks.friction", 0, 1e-12);
        close_text(&r);
    }
}

static void test_rocking_block(void **state) {
    (void)state;
    static const double times[] = {0.371397608251029188, 0.944257623947719124, 1.41982817484299335,
                                   1.82732732905703466, 2.18274777265860755};
    static const double rates[] = {0.945714327626713537, 0.862268945777297637, 0.786186391738124316,
                                   0.716817004231819229, 0.653568445034894003};
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text(
            "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
            "parameters: {b: 0.1, h: 0.4, th: -0.6*atan(b/h)}\nbodies:\n"
            "  - {name: block, mass: 1, inertia: (b^2+h^2)/3, position: [-b*cos(th) - h*sin(th), "
            "-b*sin(th) + h*cos(th)], angle: th}\n"
            "contacts:\n  - {name: foot, between: [" FLOOR ", {body: block, corners: [0.2, 0.8]}], "
            "stiffness: rigid, friction: {mu: 2}}\n",
            rigid_methods[i].method, rigid_methods[i].tolerance);
        for (int k = 0; k < 4; k++) {
            const double sign = k % 2 ? -1 : 1, dt = rigid_methods[i].time;
            HolEvent e;
            advance_text(&r, times[k] + 0.01);
            expect_event(&r, "impact", times[k], dt);
            assert_true(hol_sim_event(r.sim, 0, &e) && e.loss > 0);
            // it comes back with the rate it left with
            advance_text(&r, times[k + 1] - 1e-6);
            expect_text(&r, "block.omega", -sign * rates[k + 1], 1e-5);
            expect_text(&r, k % 2 ? "foot.1.state" : "foot.2.state", 0, 0);
            expect_text(&r, k % 2 ? "foot.2.state" : "foot.1.state", 1, 0);
        }
        expect_text(&r, "energy.numerical", 0, 1e-9);
        close_text(&r);
    }
}

// five balls in a row: one arrives
static void test_cradle(void **state) {
    (void)state;
    static const char *const names[] = {"b0.vx", "b1.vx", "b2.vx", "b3.vx", "b4.vx"};
    static const double speeds[2][5] = {
        {0, 0, 0, 0, 1},
        {0.04352508203125, 0.04537296484375, 0.047296640625, 0.0492990625, 0.81450625}};
    for (int lossy = 0; lossy < 2; lossy++) {
        char text[3000];
        int n = snprintf(text, sizeof text, "holonom: 1\nspace: planar\nbodies:\n");
        for (int i = 0; i < 5; i++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  - {name: b%d, mass: 1, inertia: 1, position: [%g, 0], velocity: [%d, "
                          "0]}\n",
                          i, i == 0 ? 0 : 0.06 + 0.04 * i, i == 0);
        n += snprintf(text + n, sizeof text - (size_t)n, "contacts:\n");
        for (int i = 0; i < 4; i++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  - {between: [{body: b%d, circle: {radius: 0.02}}, {body: b%d, circle: "
                          "{radius: 0.02}}], stiffness: rigid, restitution: %s}\n",
                          i, i + 1, lossy ? "0.9" : "1");
        TextRun r = open_text(text, "taylor", 1e-10);
        advance_text(&r, 0.1);
        for (int i = 0; i < 5; i++)
            expect_text(&r, names[i], speeds[lossy][i], 1e-13);
        close_text(&r);
    }
}

// a sphere with its weight below the middle turns over; smooth friction in space
static void test_tippe_top(void **state) {
    (void)state;
    TextRun r = open_text(
        "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "parameters: {m: 0.006, R: 0.015, e: 0.3*R}\nbodies:\n"
        "  - {name: top, mass: m, inertia: [131/350*m*R^2, 131/350*m*R^2, 2/5*m*R^2], position: "
        "[0, "
        "0, R - e*cos(0.1)], orientation: {axis: [1, 0, 0], angle: 0.1}, omega: [0, 0, 155]}\n"
        "contacts:\n  - {name: k, between: [{body: ground, plane: {normal: [0, 0, 1]}}, {body: "
        "top, "
        "sphere: {at: [0, 0, e], radius: R}}], stiffness: rigid, friction: {mu: 0.3, law: smooth, "
        "speed: 0.01}}\n"
        "variables:\n  - {name: tilt, value: acos(1 - 2*(top.qx^2 + top.qy^2))}\n"
        "  - {name: omega, value: sqrt(top.wx^2 + top.wy^2 + top.wz^2)}\n",
        "taylor", 1e-10);
    advance_text(&r, 0.25);
    expect_text(&r, "tilt", 0.60920145589, 1e-8);
    expect_text(&r, "omega", 147.02038628, 1e-6);
    advance_text(&r, 1);
    expect_text(&r, "tilt", 2.73501859933, 1e-8);
    expect_text(&r, "omega", 85.358854632, 1e-6);
    close_text(&r);
}

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

// an eccentric cam throws its flat follower off, which comes back
static void test_cam_jump(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        TextRun r = open_text(
            "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
            "parameters: {e: 0.01, R: 0.03, w: 110}\nbodies:\n"
            "  - {name: cam, mass: 1, inertia: 1e-3, omega: w}\n"
            "  - {name: follower, mass: 0.5, inertia: 1e-3, position: [0, R - e]}\n"
            "joints:\n  - {name: O, type: revolute, between: [ground, cam]}\n"
            "  - {type: prismatic, between: [{body: ground, axis: [0, 1]}, follower]}\n"
            "motions: [{joint: O, value: w*time}]\n"
            "forces: [{type: expression, on: follower.y, value: -20 - 800*(follower.y - R + e)}]\n"
            "contacts:\n  - {name: k, between: [{body: cam, circle: {at: [0, -e], radius: R}}, "
            "{body: "
            "follower, flat: {normal: [0, -1]}}], stiffness: rigid}\n",
            rigid_methods[i].method, rigid_methods[i].tolerance);
        HolEvent e;
        advance_text(&r, 1e-9);
        expect_text(&r, "k.force", 85.405, 1e-6);
        advance_text(&r, 0.03);
        expect_event(&r, "lift", 0.0204380631739571009, 10 * rigid_methods[i].time);
        expect_text(&r, "k.state", 0, 0);
        advance_text(&r, 0.0545);
        expect_event(&r, "impact", 0.053910684101109491, 10 * rigid_methods[i].time);
        assert_true(hol_sim_event(r.sim, 0, &e));
        assert_true(fabs(e.speed_before + 1.26792534979829004) < rigid_methods[i].state);
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
        cmocka_unit_test(test_bouncing_ball), cmocka_unit_test(test_slip_to_roll),
        cmocka_unit_test(test_rocking_block), cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_tippe_top),     cmocka_unit_test(test_holds),
        cmocka_unit_test(test_lands_flat),    cmocka_unit_test(test_lands_on_four),
        cmocka_unit_test(test_cam_jump),      cmocka_unit_test(test_painleve),
        cmocka_unit_test(test_jam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
