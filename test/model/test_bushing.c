// SPDX-License-Identifier: Apache-2.0
// Bushings: large turns in space against closed forms and against torsion springs, in rotated
// frames; the free angle; full matrices against the plane; energy; the end at 0.9 of a turn.
// Derivatives and series at random states: test_rows.c, test_forces.c, test_series.c.
#include "text_run.h"

static const char *const methods[] = {"tangent", "taylor", "radau", "rk853", "bdf"};
enum { METHODS = sizeof methods / sizeof *methods };

// I theta'' = -k (theta - free) - c theta' from theta, theta' at 0; undamped or weakly damped
static double torsion(double inertia, double k, double c, double start, double rate, double t) {
    const double decay = c / (2 * inertia), w = sqrt(k / inertia - decay * decay);
    return exp(-decay * t) * (start * cos(w * t) + (rate + decay * start) / w * sin(w * t));
}

// A ball turns about one axis, however its frame and that of the first body lie: beyond a quarter
// turn, where the torque used to vanish, and beyond half a turn. The free angle is given, or the
// initial one.
static void test_one_axis(void **state) {
    (void)state;
    for (int given = 0; given < 2; given++)
        for (int m = 0; m < METHODS; m++) {
            char text[1000];
            const double free = given ? -1.7 : 0, rate = given ? 4.9 : 9.5, t = 2.3;
            // ground carries a frame turned by 0.8 about (1, 2, -1): body `base`, which is welded
            snprintf(
                text, sizeof text,
                "holonom: 1\nspace: spatial\n"
                "bodies:\n"
                "  - {name: base, mass: 1, inertia: [1, 1, 1], orientation: {axis: [1, 2, -1], "
                "angle: 0.8}}\n"
                "  - {name: ball, mass: 2, inertia: [0.4, 0.4, 0.4], orientation: {axis: [1, "
                "2, -1], angle: 0.8}, omega_body: [0, \"%g*0.6\", \"%g*0.8\"]}\n"
                "joints: [{type: fixed, between: [ground, base]}]\n"
                "forces: [{name: b, type: bushing, between: [base, ball], stiffness: 30, "
                "rotational_stiffness: 2, rotational_damping: 0.03%s}]\n"
                "outputs: [ball.omega_y, ball.omega_z, ball.omega_x, ball.x, base.qw, "
                "ball.qw, ball.qx, ball.qy, ball.qz]\n",
                rate, rate, given ? ", angle: [0, \"-1.7*0.6\", \"-1.7*0.8\"]" : "");
            TextRun r = open_text(text, methods[m], 1e-9);
            const double limit = m == 4 ? 2e-6 : 2e-7;
            for (int step = 1; step <= 8; step++) {
                const double at = t * step / 8, e = 1e-4;
                const double angle = free + torsion(0.4, 2, 0.03, -free, rate, at);
                const double speed = (torsion(0.4, 2, 0.03, -free, rate, at + e) -
                                      torsion(0.4, 2, 0.03, -free, rate, at - e)) /
                                     (2 * e);
                advance_text(&r, at);
                expect_text(&r, "ball.omega_y", 0.6 * speed, limit + 1e-6);
                expect_text(&r, "ball.omega_z", 0.8 * speed, limit + 1e-6);
                expect_text(&r, "ball.omega_x", 0, limit);
                // p_ball = p_base exp(angle axis): the real part by hand
                const double h = angle / 2, s = sqrt(6), c0 = cos(0.4), s0 = sin(0.4);
                const double along = (2 * 0.6 - 1 * 0.8) / s;
                expect_text(&r, "ball.qw", c0 * cos(h) - s0 * along * sin(h), limit);
            }
            close_text(&r);
        }
}

// any motion of a hinge: a bushing about its axis is a torsion spring there
static void test_torsion_spring(void **state) {
    (void)state;
    static const char head[] =
        "holonom: 1\nspace: spatial\ngravity: [0, -9.81, 0]\n"
        "bodies: [{name: rod, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], omega: [0, "
        "0, 8]}]\n"
        "joints: [{name: O, type: revolute, between: [{body: ground, axis: [0, 0, 1]}, {body: rod, "
        "at: [-0.5, 0, 0], axis: [0, 0, 1]}]}]\n"
        "outputs: [O.angle, O.rate, energy.potential, energy.work]\n";
    for (int m = 0; m < METHODS; m++) {
        TextRun r[2];
        for (int k = 0; k < 2; k++) {
            char text[1200];
            snprintf(
                text, sizeof text, "%sforces: [{%s}]\n", head,
                k ? "type: torsion_spring_damper, joint: O, stiffness: 6, damping: 0.2, angle: "
                    "0.4"
                  : "type: bushing, between: [{body: ground, axis: [0, 0, 1]}, rod], "
                    "rotational_stiffness: [1, 2, 6], rotational_damping: 0.2, angle: 0.4");
            r[k] = open_text(text, methods[m], 1e-10);
            advance_text(&r[k], 1.7);
        }
        static const char *const columns[] = {"O.angle", "O.rate", "energy.potential",
                                              "energy.work"};
        for (int c = 0; c < 4; c++)
            expect_text(&r[0], columns[c], text_value(&r[1], columns[c]), m == 4 ? 1e-5 : 1e-7);
        close_text(&r[0]);
        close_text(&r[1]);
    }
}

#define FREE_BODIES                                                                                \
    "holonom: 1\nspace: spatial\n"                                                                 \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 2, inertia: [0.3, 0.4, 0.5], omega_body: [0.2, 0.1, -0.4], orientation: " \
    "{axis: [1, -2, 3], angle: 2}}\n"                                                              \
    "  - {name: b, mass: 1, inertia: [0.2, 0.5, 0.4], position: [0.1, 0.2, 0], omega_body: [2, "   \
    "3, "                                                                                          \
    "5], orientation: {axis: [1, 2, 3], angle: 1}}\n"

// free bodies with large turns about changing axes: energy and both momenta are kept
static void test_conservation(void **state) {
    (void)state;
    static const char *const laws[] = {
        "stiffness: [30, 40, 50], rotational_stiffness: [5, 6, 7]",
        "stiffness: 40, rotational_stiffness: 9, angle: [0.4, -0.8, 0.3]",
        ("matrix: [[30, 1, 0, 0, 2, 0], [1, 40, 0, 3, 0, 0], [0, 0, 50, 0, 0, 1], [0, 3, 0, 9, "
         "0.5, "
         "0], [2, 0, 0, 0.5, 10, 0], [0, 0, 1, 0, 0, 11]]")};
    for (int law = 0; law < 3; law++)
        for (int m = 0; m < METHODS; m++) {
            char text[1600];
            snprintf(text, sizeof text,
                     FREE_BODIES
                     "forces: [{type: bushing, between: [{body: a, at: [0.1, 0, 0.05]}, "
                     "{body: b, at: [0, -0.1, 0]}], %s}]\n"
                     "outputs: [energy.total, energy.work, energy.potential, px]\n"
                     "variables: [{name: px, value: \"2*a.vx + b.vx\"}]\n",
                     laws[law]);
            TextRun r = open_text(text, methods[m], 1e-9);
            advance_text(&r, 0);
            const double energy = text_value(&r, "energy.total");
            double stored = 0;
            for (int i = 1; i <= 10; i++) {
                advance_text(&r, 0.5 * i);
                expect_text(&r, "energy.total", energy, m == 4 ? 2e-5 : 1e-6);
                expect_text(&r, "energy.work", 0, 0);
                expect_text(&r, "px", 0, 1e-9);
                stored = fmax(stored, text_value(&r, "energy.potential"));
            }
            assert_true(stored > 0.3 * energy);
            close_text(&r);
        }
}

// The plane as oracle: 3 x 3 there, and the same entries of 6 x 6 in space, whose other rows and
// columns do not act in the plane. The rows of the plane are an angle and two lines.
static void test_matrix_of_the_plane(void **state) {
    (void)state;
    static const char *const texts[2] = {
        "holonom: 1\nspace: planar\n"
        "bodies: [{name: p, mass: 2, inertia: 0.3, position: [0.3, -0.2], angle: 0.5, omega: 6}]\n"
        "forces: [{type: bushing, between: [{body: ground, at: [0.1, 0]}, {body: p, at: [0.2, "
        "0.1]}], angle: -0.4, matrix: [[20, 3, 1.5], [3, 30, -2], [1.5, -2, 4]], damping_matrix: "
        "[[0.2, 0.1, 0], [0.1, 0.3, 0.05], [0, 0.05, 0.1]]}]\n"
        "outputs: [p.x, p.y, p.omega, energy.potential, energy.work]\n",
        "holonom: 1\nspace: spatial\n"
        "bodies: [{name: p, mass: 2, inertia: [0.2, 0.4, 0.3], position: [0.3, -0.2, 0], "
        "orientation: {axis: [0, 0, 1], angle: 0.5}, omega: [0, 0, 6]}]\n"
        "forces: [{type: bushing, between: [{body: ground, at: [0.1, 0, 0]}, {body: p, at: [0.2, "
        "0.1, 0]}], angle: [0, 0, -0.4], matrix: [[20, 3, 0, 0, 0, 1.5], [3, 30, 0, 0, 0, -2], [0, "
        "0, 9, 0, 0, 0], [0, 0, 0, 7, 1, 0], [0, 0, 0, 1, 8, 0], [1.5, -2, 0, 0, 0, 4]], "
        "damping_matrix: [[0.2, 0.1, 0, 0, 0, 0], [0.1, 0.3, 0, 0, 0, 0.05], [0, 0, 1, 0, 0, 0], "
        "[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0.05, 0, 0, 0, 0.1]]}]\n"
        "outputs: [p.x, p.y, p.wz, energy.potential, energy.work]\n"};
    static const char *const columns[][2] = {{"p.x", "p.x"},
                                             {"p.y", "p.y"},
                                             {"p.omega", "p.wz"},
                                             {"energy.potential", "energy.potential"},
                                             {"energy.work", "energy.work"}};
    for (int m = 0; m < METHODS; m++) {
        TextRun r[2];
        for (int k = 0; k < 2; k++) {
            r[k] = open_text(texts[k], methods[m], 1e-10);
            advance_text(&r[k], 2);
        }
        for (int c = 0; c < 5; c++)
            expect_text(&r[1], columns[c][1], text_value(&r[0], columns[c][0]),
                        m == 4 ? 1e-5 : 1e-7);
        close_text(&r[0]);
        close_text(&r[1]);
    }
}

// the free angle of the plane, given and as written, against the closed form
static void test_plane(void **state) {
    (void)state;
    for (int given = 0; given < 2; given++) {
        char text[600];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\n"
                 "bodies: [{name: p, mass: 2, inertia: 0.5, angle: 3, omega: 7}]\n"
                 "forces: [{type: bushing, between: [ground, p], stiffness: 9, "
                 "rotational_stiffness: 2, rotational_damping: 0.1%s}]\n",
                 given ? ", angle: -2.5" : "");
        const double free = given ? -2.5 : 3;
        TextRun r = open_text(text, "taylor", 1e-11);
        advance_text(&r, 1.9);
        expect_text(&r, "p.angle", free + torsion(0.5, 2, 0.1, 3 - free, 7, 1.9), 1e-9);
        close_text(&r);
    }
}

// beyond 0.9 of a turn the run ends by name, as near to it as steps get
static void test_too_far(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: spatial\n"
        "bodies: [{name: p, mass: 1, inertia: [1, 1, 1], omega: [0, 0, 3]}]\n"
        "forces: [{name: bush, type: bushing, between: [ground, p], rotational_damping: 0, "
        "rotational_stiffness: [1, 1, 0]}]\n";
    for (int m = 0; m < METHODS; m++) {
        TextRun r = open_text(text, methods[m], 1e-8);
        advance_text(&r, 3);
        if (r.status != HOL_ERR_STEP)
            fail_msg("%s: status %d at %g", methods[m], r.status, hol_sim_time(r.sim));
        assert_non_null(strstr(r.err.text, "bushing 'bush' turns by more than 0.9 of a turn"));
        const double t = hol_sim_time(r.sim), end = 0.9 * 2 * M_PI / 3;
        if (!(fabs(t - end) < 3e-6))
            fail_msg("%s stopped at %.12g, not %.12g", methods[m], t, end);
        close_text(&r);
    }
}

// a spring's law and a variable may use its own length: k (l - 1)^3 against the same by coordinates
static void test_own_length(void **state) {
    (void)state;
    static const char *const laws[] = {
        "{name: s, type: spring_damper, between: [ground, p], force: \"40*(length - 1)^3 + "
        "0.3*rate\"}]\nvariables: [{name: stretch, value: \"s.length - 1\"}]\n",
        "{name: s, type: spring_damper, between: [ground, p], force: \"40*(s.length - 1)^3 + "
        "0.3*s.rate\"}]\nvariables: [{name: stretch, value: \"sqrt(p.x^2 + p.y^2) - 1\"}]\n",
        "{type: force, on: p, value: [\"-pull*p.x/l\", \"-pull*p.y/l\"]}]\n"
        "variables:\n"
        "  - {name: l, value: \"sqrt(p.x^2 + p.y^2)\"}\n"
        "  - {name: pull, value: \"40*(l - 1)^3 + 0.3*(p.x*p.vx + p.y*p.vy)/l\"}\n"
        "  - {name: stretch, value: \"l - 1\"}\n"};
    double x[3], stretch[3];
    for (int k = 0; k < 3; k++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                 "bodies: [{name: p, type: point, mass: 0.5, position: [1.2, 0.3]}]\n"
                 "outputs: [p.x, stretch]\nforces: [%s",
                 laws[k]);
        TextRun r = open_text(text, "taylor", 1e-11);
        advance_text(&r, 2);
        x[k] = text_value(&r, "p.x");
        stretch[k] = text_value(&r, "stretch");
        close_text(&r);
    }
    for (int k = 1; k < 3; k++)
        assert_true(fabs(x[k] - x[0]) < 1e-9 && fabs(stretch[k] - stretch[0]) < 1e-9);
    // of a torsion spring: angle and rate; beyond a turn
    TextRun r = open_text("holonom: 1\nspace: planar\n"
                          "bodies: [{name: p, mass: 1, inertia: 0.5, omega: 20}]\n"
                          "forces: [{name: t, type: torsion_spring_damper, between: [ground, p], "
                          "force: \"2*angle + 0.1*rate\"}]\n"
                          "variables: [{name: turned, value: t.angle}]\n"
                          "outputs: [p.angle, turned]\n",
                          "taylor", 1e-11);
    advance_text(&r, 0.6);
    const double angle = torsion(0.5, 2, 0.1, 0, 20, 0.6);
    assert_true(angle > 2 * M_PI);
    expect_text(&r, "p.angle", angle, 1e-9);
    expect_text(&r, "turned", angle, 1e-9);
    close_text(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_axis),     cmocka_unit_test(test_torsion_spring),
        cmocka_unit_test(test_conservation), cmocka_unit_test(test_matrix_of_the_plane),
        cmocka_unit_test(test_plane),        cmocka_unit_test(test_too_far),
        cmocka_unit_test(test_own_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
