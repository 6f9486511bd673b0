// SPDX-License-Identifier: Apache-2.0
// Rigid contacts with friction that stick, break away and share loads; closed forms, by several methods.
#include "solve/event/share.h"
#include "text_run.h"

static const double G = 9.81, MU = 0.3, M = 2, RAMP = 3;

// A block on a floor, pushed by a force RAMP t along an oblique direction. It breaks away at mu m g/RAMP,
// without a jump of the force, and slides straight on: RAMP (t - t0)^3/(6 m)
static void test_breaks_away(void **state) {
    (void)state;
    static const char *const methods[] = {"auto", "taylor", "rk853", "tangent", "generalized-alpha",
                                          "bdf"};
    const double t0 = MU * M * G / RAMP, late = 0.5, way = RAMP * late * late * late / (6 * M);
    for (int i = 0; i < 6; i++)
        for (int fine = 0; fine < 2; fine++) {
            char text[1000];
            const double c = cos(0.7), s = sin(0.7), limit = fine ? 3e-7 : 3e-3;
            snprintf(text, sizeof text,
                     "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                     "bodies: [{name: b, type: point, mass: 2, position: [0, 0, 0]}]\n"
                     "contacts:\n  - {name: foot, between: [{body: ground, plane: {normal: [0, 0, "
                     "1]}}, {body: b, point: {}}], stiffness: rigid, friction: {mu: 0.3}}\n"
                     "forces:\n  - {type: force, acts_on: b, value: [\"%.17g*time\", "
                     "\"%.17g*time\", 0]}\n",
                     RAMP * c, RAMP * s);
            TextRun r = open_text(text, methods[i], fine ? 1e-8 : 1e-4);
            advance_text(&r, 0.9 * t0);
            expect_text(&r, "b.x", 0, 1e-15);
            expect_text(&r, "foot.friction", 0.9 * MU * M * G, 1e-6);
            advance_text(&r, t0 + late);
            expect_text(&r, "b.x", c * way, limit);
            expect_text(&r, "b.y", s * way, limit);
            assert_true(hol_sim_stats(r.sim).steps < 20000);
            close_text(&r);
        }
}

// A box on four corners, pushed below the cone: it stays where it is, and the feet share the load
static void test_table_holds(void **state) {
    (void)state;
    static const char *const methods[] = {"taylor", "rk853", "tangent", "generalized-alpha"};
    for (int i = 0; i < 4; i++) {
        TextRun r = open_text(
            "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
            "bodies: [{name: b, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.1]}]\n"
            "contacts:\n  - {name: feet, between: [{body: ground, plane: {normal: [0, 0, 1]}}, "
            "{body: b, corners: [0.8, 0.6, 0.2]}], stiffness: rigid, friction: {mu: 0.3}}\n"
            "forces:\n  - {type: force, acts_on: b, value: [\"4*sin(time)\", "
            "\"3*sin(time)\", 0]}\n",
            methods[i], 1e-7);
        advance_text(&r, M_PI / 2);
        double sum = 0;
        for (int k = 1; k <= 4; k++) {
            char name[32];
            snprintf(name, sizeof name, "feet.%d.force", k);
            sum += text_value(&r, name);
        }
        assert_true(fabs(sum - M * G) < 1e-9);
        expect_text(&r, "feet.1.state", 3, 0);
        expect_text(&r, "b.x", 0, 1e-14);
        expect_text(&r, "b.y", 0, 1e-14);
        close_text(&r);
    }
}

// Rows that others are said to hold, and do not: found behind the step, and held from then on
static void test_not_held(void **state) {
    (void)state;
    TextRun r = open_text(
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: b, mass: 2, inertia: 0.1, position: [0, 0.1]}]\n"
        "contacts:\n  - {name: feet, between: [{body: ground, line: {normal: [0, 1]}}, {body: b, "
        "corners: [0.4, 0.2]}], stiffness: rigid, friction: {mu: 0.3}}\n"
        "forces:\n  - {type: force, acts_on: b, value: [1, 0]}\n",
        "rk853", 1e-8);
    advance_text(&r, 0.1);
    assert_int_equal(r.status, HOL_OK);
    const HolNonsmooth *ns = r.sim->events->ns;
    assert_int_equal(hol_share_apart(r.sim), 1);
    for (int i = 0; i < 2; i++)
        ns->set_apart(r.sim->p, r.sim->work, i, 0, 1);
    assert_int_equal(hol_sim_step(r.sim, 10, &r.err), HOL_OK);
    for (int i = 0; i < 3; i++)
        if (hol_sim_step(r.sim, 10, &r.err) != HOL_OK)
            fail_msg("%s", r.err.text);
    assert_int_equal(hol_share_apart(r.sim), 1);
    expect_text(&r, "b.vx", 0, 1e-12);
    close_text(&r);
}

// Events kick what friction holds and what rests: a guide slides on until its friction stops it, a ball
// hops off the floor, and one that is kicked sideways ends by rolling with 5/7 of the speed
static void test_kicked(void **state) {
    (void)state;
    static const char *const methods[] = {"auto", "taylor", "rk853", "tangent", "radau", "bdf"};
    static const char guide[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: [{name: a, mass: 1, inertia: "
        "0.1}]\njoints: [{name: P, type: prismatic, between: [{body: ground, axis: [1, 0]}, a], "
        "friction: {mu: 0.3}}]\nevents: [{when: \"time - 0.5\", reset: {P.speed: 2}}]\n";
    static const char ball[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: [{name: b, mass: 1, inertia: "
        "0.004, position: [0, 0.1]}]\ncontacts: [{name: c, between: [{body: ground, line: {normal: "
        "[0, 1]}}, {body: b, circle: {radius: 0.1}}], stiffness: rigid, friction: {mu: 0.3}}]\n"
        "events:\n- {when: \"time - 0.5\", reset: {b.vy: 2}}\n- {when: \"time - 2\", reset: "
        "{b.vx: 1}}\n";
    for (int i = 0; i < 6; i++) {
        TextRun r = open_text(guide, methods[i], 1e-8);
        advance_text(&r, 1);
        expect_text(&r, "a.x", 1 - MU * G * 0.125, 1e-8);
        expect_text(&r, "a.vx", 2 - MU * G * 0.5, 1e-8);
        expect_text(&r, "energy.work", 2, 1e-8);
        advance_text(&r, 3);
        expect_text(&r, "a.x", 2 / (MU * G), 1e-8);
        close_text(&r);
        r = open_text(ball, methods[i], 1e-8);
        advance_text(&r, 0.6);
        expect_text(&r, "b.y", 0.1 + 0.2 - G * 0.005, 1e-8);
        advance_text(&r, 3);
        expect_text(&r, "b.y", 0.1, 1e-8);
        expect_text(&r, "b.vx", 5. / 7, 1e-8);
        expect_text(&r, "b.omega", -50. / 7, 1e-7);
        close_text(&r);
    }
}

// A table under a box jumps to 1 m/s, by time alone or by an event: nothing carries the box along in no
// time. It slips until mu g t = 1; one that jumps up throws a ball, with its restitution, one that
// jumps down leaves it.
static void test_table_jumps(void **state) {
    (void)state;
    static const char *const methods[] = {"auto", "taylor", "rk853", "tangent", "radau", "bdf"};
    static const char *const laws[] = {"\"if(time < 0.5, 0, 1)\"", "w", "\"if(time < 0.5, 0, 1)\"",
                                       "\"if(time < 0.5, 0, -1)\""};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 6; i++) {
            char text[1200];
            snprintf(
                text, sizeof text,
                "holonom: 1\nspace: planar\ngravity: [0, -9.81]\ndiscrete: {w: 0}\nbodies:\n"
                "- {name: t, mass: 1, inertia: 1}\n"
                "- {name: b, mass: 1, inertia: 0.01, position: [0, 0.1]}\njoints:\n"
                "- {name: P, type: prismatic, between: [{body: ground, axis: [%s]}, t]}\n"
                "contacts:\n- {name: c, between: [{body: t, line: {normal: [0, 1]}}, {body: b, "
                "%s}], stiffness: rigid, restitution: 0.5, friction: {mu: 0.3}}\n"
                "motions: [{joint: P, speed: %s}]\nevents: [{when: \"time - 0.5\", set: {w: "
                "1}}]\noutputs: [b.x, b.y, b.vx, b.vy, energy.numerical, energy.friction, "
                "energy.impact]\n",
                k < 2 ? "1, 0" : "0, 1", k < 2 ? "corners: [0.2, 0.2]" : "circle: {radius: 0.1}",
                laws[k]);
            TextRun r = open_text(text, methods[i], 1e-8);
            if (k < 2) {
                advance_text(&r, 1.2);
                expect_text(&r, "b.x", 0.7 - 0.5 / (MU * G), 1e-8);
                expect_text(&r, "b.vx", 1, 1e-9);
                expect_text(&r, "energy.friction", 0.5, 1e-8);
            } else {
                const double v = k == 2 ? 1.5 : 0;
                advance_text(&r, 0.55);
                expect_text(&r, "b.vy", v - G * 0.05, 1e-8);
                expect_text(&r, "b.y", 0.1 + v * 0.05 - G * 0.05 * 0.025, 1e-8);
                expect_text(&r, "energy.impact", k == 2 ? 0.375 : 0, 1e-8);
            }
            expect_text(&r, "energy.numerical", 0, 1e-8);
            close_text(&r);
        }
}

// The same where the rate jumps by the place of the table, and without a box
static void test_table_jumps_by_place(void **state) {
    (void)state;
    static const char *const methods[] = {
        "auto", "taylor", "rk853", "tangent", "radau", "bdf", "generalized-alpha", "dae-alpha"};
    for (int box = 0; box < 2; box++)
        for (int i = 0; i < 8; i++) {
            char text[1200];
            snprintf(
                text, sizeof text,
                "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                "- {name: t, mass: 1, inertia: 1}\n"
                "- {name: b, mass: 1, inertia: 0.01, position: [0, 0.1], velocity: [0.2, 0]}\n"
                "joints:\n- {name: P, type: prismatic, between: [{body: ground, axis: [1, 0]}, "
                "t]}\nmotions: [{joint: P, speed: \"if(t.x < 0.1, 0.2, 1)\"}]\n%s"
                "outputs: [t.x, b.x, b.vx, energy.work, energy.numerical]\n",
                box ? "contacts:\n- {name: c, between: [{body: t, line: {normal: [0, 1]}}, {body: "
                      "b, corners: [0.2, 0.2]}], stiffness: rigid, friction: {mu: 0.3}}\n"
                    : "");
            TextRun r = open_text(text, methods[i], 1e-8);
            advance_text(&r, 1.2);
            expect_text(&r, "t.x", 0.8, 1e-8);
            expect_text(&r, "energy.work", box ? 1.28 : 0.48, 1e-8);
            expect_text(&r, "energy.numerical", 0, 1e-8);
            expect_text(&r, "b.vx", box ? 1 : 0.2, 1e-9);
            if (box)
                expect_text(&r, "b.x", 0.8 - 0.8 * 0.8 / (2 * MU * G), 1e-8);
            assert_true(hol_sim_stats(r.sim).residual_velocity < 1e-9);
            close_text(&r);
        }
}

// Friction written as a force, which has no kink that could be counted: it stops the body and ends the run
// by name, with what to do
static void test_written_friction(void **state) {
    (void)state;
    static const char *const methods[] = {
        "auto", "rk853", "radau", "tangent", "generalized-alpha", "dae-alpha"};
    static const char *const laws[] = {
        "[\"-5*b.vx/hypot(b.vx,b.vy)\", \"-5*b.vy/hypot(b.vx,b.vy)\"]",
        "[\"-5*tanh(b.vx*1e9)\", \"-5*tanh(b.vy*1e9)\"]"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 6 - k; i++) { // (dae-alpha comes to rest in the steep law)
            char text[600];
            snprintf(text, sizeof text,
                     "holonom: 1\nspace: planar\nbodies: [{name: b, mass: 1, inertia: 1, velocity: "
                     "[1, 1]}]\nforces: [{name: f, type: force, acts_on: b, value: %s}]\n"
                     "simulation: {end: 2}\n",
                     laws[k]);
            TextRun r = open_text(text, methods[i], 1e-6);
            advance_text(&r, 2);
            assert_int_equal(r.status, HOL_ERR_STEP);
            if (!strstr(r.err.text, "a force holds b.") || !strstr(r.err.text, "use 'friction:'"))
                fail_msg("%s: %s", methods[i], r.err.text);
            const double late = hol_sim_time(r.sim) - (k ? 0.2 : sqrt(2) / 5);
            if (!(late > -1e-3 && late < 0.1))
                fail_msg("law %d, %s: %g s late", k, methods[i], late);
            close_text(&r);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breaks_away),      cmocka_unit_test(test_table_holds),
        cmocka_unit_test(test_not_held),         cmocka_unit_test(test_kicked),
        cmocka_unit_test(test_table_jumps),      cmocka_unit_test(test_table_jumps_by_place),
        cmocka_unit_test(test_written_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
