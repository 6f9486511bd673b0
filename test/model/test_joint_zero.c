// SPDX-License-Identifier: Apache-2.0
// The zero of a joint's angle: one rule in the plane and in space (joint_zero.c), values by hand,
// the same numbers from the same mechanism in both, whole turns of drives, remarks at the start,
// torsion springs and gears that count from it.
#include "text_run.h"

// "orientation" of a body turned about z, or its angle
static void body_text(char *out, size_t size, int space, const char *name, double angle,
                      const char *more) {
    if (space)
        snprintf(out, size,
                 "  - {name: %s, mass: 1, inertia: [0.2, 0.3, 0.1], orientation: {axis: [0, 0, 1], "
                 "angle: %.17g}%s}\n",
                 name, angle, more);
    else
        snprintf(out, size, "  - {name: %s, mass: 1, inertia: 0.1, angle: %.17g%s}\n", name, angle,
                 more);
}

// two bodies on a common axle along z; places with x as texts, "" for none
static void axle_text(char *out, size_t size, int space, const double angle[2],
                      const char *const x[2], const char *rest) {
    char body[2][300];
    body_text(body[0], sizeof body[0], space, "a", angle[0], "");
    body_text(body[1], sizeof body[1], space, "b", angle[1], "");
    snprintf(out, size,
             "holonom: 1\nspace: %s\nbodies:\n%s%s"
             "joints:\n  - {name: J, type: revolute, between: [{body: a%s%s}, {body: b%s}]}\n%s",
             space ? "spatial" : "planar", body[0], body[1], space ? ", axis: [0, 0, 1]" : "", x[0],
             x[1], rest);
}

static double start_angle(const char *text, const char *column) {
    TextRun r = open_text(text, "tangent", 1e-8);
    advance_text(&r, 0);
    const double angle = text_value(&r, column);
    close_text(&r);
    return angle;
}

// x axes of the bodies, or the given ones, in the plane and in space
static void test_plane_and_space(void **state) {
    (void)state;
    static const char *const xs[][2][2] = {
        // plane: a, b; space: a, b
        {{"", ""}, {"", ""}},
        {{", x: [0, 1]", ""}, {", x: [0, 1, 0]", ""}},
        {{", x: [1, 1]", ", x: [-2, 1]"}, {", x: [1, 1, 5]", ", x: [-2, 1, -7]"}}};
    const double turned[][2] = {{0, 0}, {M_PI / 2, 0}, {M_PI / 4, M_PI - atan(0.5)}};
    const double angles[][2] = {{0, 0}, {0.3, 1.1}, {-0.4, -2.2}, {1.5, 0.2}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) {
            double found[2], expected = angles[i][1] - angles[i][0] + turned[k][1] - turned[k][0];
            for (int space = 0; space < 2; space++) {
                char text[2000];
                axle_text(text, sizeof text, space, angles[i], xs[k][space],
                          "outputs: [J.angle]\n");
                found[space] = start_angle(text, "J.angle");
            }
            // (an orientation in space has no whole turns)
            if (!(fabs(found[0] - expected) < 1e-9 && fabs(found[1]) <= M_PI &&
                  fabs(remainder(found[1] - expected, 2 * M_PI)) < 1e-9))
                fail_msg("x %d, angles %d: %.12g in the plane, %.12g in space, not %.12g", k, i,
                         found[0], found[1], expected);
        }
}

// about other axes: x made perpendicular; within 1 degree of it both take y, beyond it not
static void test_axes(void **state) {
    (void)state;
    static const struct {
        const char *axis, *turn; // of the joint, and of b about it, as written
        double angle;
    } cases[] = {
        {"[1, 0, 0]", "{axis: [1, 0, 0], angle: 0.7}", 0.7},              // y of both
        {"[0, 1, 0]", "{axis: [0, 1, 0], angle: -2.5}", -2.5},            // x of both
        {"[1, 2, 2]", "{axis: [1, 2, 2], angle: 1.3}", 1.3},              // x made perpendicular
        {"[1, 0.017, 0]", "{axis: [1, 0.017, 0], angle: 0.4}", 0.4},      // 0.97 degrees: y
        {"[1, 0.018, 0]", "{axis: [1, 0.018, 0], angle: 0.4}", 0.4},      // 1.03 degrees: x
        {"[0, 0, 1]", "{axis: [0, 0, 1], angle: \"pi\"}", M_PI},          // half a turn: +pi
        {"[0, 0, 1]", "{axis: [0, 0, 1], angle: \"-pi\"}", M_PI},         //
        {"[0, 0, 1]", "{axis: [0, 0, 1], angle: \"3*pi/2\"}", -M_PI / 2}, // orientations only
        // the axis lies along x of b, not of a: y of both. b turns z into x (about y by -90
        // degrees would turn x into z): y stays, and y of a is y of b
        {"[0, 0, 1]", "{axis: [0, 1, 0], angle: \"-pi/2\"}", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: spatial\n"
                 "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], orientation: %s}]\n"
                 "joints: [{name: J, type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: "
                 "%s}]\noutputs: [J.angle]\n",
                 cases[i].turn, cases[i].axis);
        const double angle = start_angle(text, "J.angle");
        if (!(fabs(angle - cases[i].angle) < 1e-9))
            fail_msg("axis %s, b %s: %.12g, not %.12g", cases[i].axis, cases[i].turn, angle,
                     cases[i].angle);
    }
    // the one-degree rule shows where bodies differ by more than the turn: x of b leans by 0.3
    // about z, so that x and y disagree about an axis close to x of the ground
    const double lean = 0.3;
    char text[1000];
    double found[2];
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: spatial\n"
                 "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], orientation: {axis: [0, 0, 1], "
                 "angle: %g}}]\n"
                 "joints: [{name: J, type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [1, "
                 "0, %g]}]\noutputs: [J.angle]\n",
                 lean, k ? 0.018 : 0.017);
        found[k] = start_angle(text, "J.angle");
        const double z[3] = {1, 0, k ? 0.018 : 0.017},
                     e[2][3] = {{cos(lean), sin(lean), 0}, {-sin(lean), cos(lean), 0}};
        // by hand: directions made perpendicular to z, and their angle about it
        const double own[2][3] = {{1, 0, 0}, {0, 1, 0}};
        const double *a = own[!k], *b = e[!k], zz = z[0] * z[0] + z[2] * z[2];
        double pa[3], pb[3];
        for (int i = 0; i < 3; i++) {
            pa[i] = a[i] - z[i] * (a[0] * z[0] + a[2] * z[2]) / zz;
            pb[i] = b[i] - z[i] * (b[0] * z[0] + b[2] * z[2]) / zz;
        }
        const double cross[3] = {pa[1] * pb[2] - pa[2] * pb[1], pa[2] * pb[0] - pa[0] * pb[2],
                                 pa[0] * pb[1] - pa[1] * pb[0]};
        const double sine = (cross[0] * z[0] + cross[1] * z[1] + cross[2] * z[2]) / sqrt(zz);
        const double cosine = pa[0] * pb[0] + pa[1] * pb[1] + pa[2] * pb[2];
        assert_true(fabs(found[k] - atan2(sine, cosine)) < 1e-9);
    }
    assert_true(fabs(found[0] - found[1]) > 1); // both sides of the limit were met
}

// with `bodies`, x in global axes: zero as written
static void test_global_x(void **state) {
    (void)state;
    assert_true(fabs(start_angle("holonom: 1\nspace: spatial\n"
                                 "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], orientation: "
                                 "{axis: [1, 2, 3], angle: 2}}]\n"
                                 "joints: [{name: J, type: revolute, bodies: [ground, b], at: [0, "
                                 "0, 0], axis: [0, 1, 0], x: [1, 0, 1]}]\noutputs: [J.angle]\n",
                                 "J.angle")) < 1e-12);
    assert_true(fabs(start_angle("holonom: 1\nspace: planar\n"
                                 "bodies: [{name: b, mass: 1, inertia: 1, angle: 2}]\n"
                                 "joints: [{name: J, type: revolute, bodies: [ground, b], at: [0, "
                                 "0], x: [1, 1]}]\noutputs: [J.angle]\n",
                                 "J.angle")) < 1e-12);
}

// ---- drives -------------------------------------------------------------------------------

// a drive's start is remarked where assembly has to turn or shift something, and only there; whole
// turns of a hinge are none
static void test_drives(void **state) {
    (void)state;
    static const struct {
        const char *value;
        double angle; // of the joint at the start
        int remark;
    } cases[] = {{"0.8 + time", 0.8, 0},
                 {"0.8 + 2*pi + time", 0.8 + 2 * M_PI, 0},
                 {"0.8 - 6*pi + time", 0.8 - 6 * M_PI, 0},
                 {"0.5*time", 0, 1},
                 {"4 + time", 4, 1}};
    for (int space = 0; space < 2; space++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            static const char *const none[2] = {"", ""};
            const double angle[2] = {0.3, 1.1};
            char text[2000], rest[300];
            snprintf(rest, sizeof rest,
                     "motions: [{name: drive, joint: J, value: \"%s\"}]\n"
                     "outputs: [J.angle, J.rate]\n",
                     cases[i].value);
            axle_text(text, sizeof text, space, angle, none, rest);
            TextRun r = open_text(text, "tangent", 1e-8);
            advance_text(&r, 0);
            expect_text(&r, "J.angle", cases[i].angle, 1e-9);
            const char *note = hol_sim_stats(r.sim).note;
            if ((strstr(note, "motion 'drive' starts at") != NULL) != cases[i].remark)
                fail_msg("%s in %s: \"%s\"", cases[i].value, space ? "space" : "the plane", note);
            advance_text(&r, 9); // over more than a turn
            expect_text(&r, "J.angle", cases[i].angle + (i == 3 ? 4.5 : 9), 1e-7);
            close_text(&r);
        }
    TextRun r = open_text("holonom: 1\nspace: planar\n"
                          "bodies: [{name: b, mass: 1, inertia: 1, position: [0.5, 0]}]\n"
                          "joints: [{name: S, type: prismatic, between: [{body: ground, axis: [1, "
                          "0]}, b]}]\n"
                          "motions: [{name: push, joint: S, value: \"0.2 + time\"}]\n",
                          "tangent", 1e-8);
    advance_text(&r, 0);
    expect_text(&r, "b.x", 0.2, 1e-9);
    assert_non_null(strstr(hol_sim_stats(r.sim).note,
                           "motion 'push' starts at 0.2 m, joint 'S' is written at 0.5: assembly "
                           "shifted its bodies by -0.3"));
    close_text(&r);
}

// ---- what counts from it ------------------------------------------------------------------

// torsion springs about a hinge and between bodies, with the free angle given and beyond a turn:
// the plane, space, and the closed form agree
static void test_torsion(void **state) {
    (void)state;
    // I = 0.1 each, hinged on a fixed axle: reduced inertia 0.05 about their common axis
    const double angle[2] = {0.3, 1.1}, free = -7.5, k = 2, inertia = 0.05, t = 0.9;
    const double expected = free + (0.8 - free) * cos(sqrt(k / inertia) * t);
    for (int space = 0; space < 2; space++)
        for (int between = 0; between < 2; between++)
            for (int m = 0; m < 2; m++) {
                static const char *const none[2] = {"", ""};
                char text[2000], rest[400];
                snprintf(rest, sizeof rest,
                         "forces: [{type: torsion_spring_damper, %s, stiffness: 2, angle: -7.5}]\n"
                         "outputs: [J.angle, energy.total]\n",
                         between ? (space ? "between: [{body: a, axis: [0, 0, 1]}, b]"
                                          : "between: [a, b]")
                                 : "joint: J");
                axle_text(text, sizeof text, space, angle, none, rest);
                TextRun r = open_text(text, m ? "taylor" : "tangent", 1e-9);
                advance_text(&r, t);
                expect_text(&r, "J.angle", expected, 2e-6);
                expect_text(&r, "energy.total", k / 2 * (0.8 - free) * (0.8 - free), 1e-5);
                close_text(&r);
            }
}

// series in joint angles with offsets: hinges with x of their own give the run of those without
static void test_tree_series(void **state) {
    (void)state;
    static const char *const x[2][2] = {{", x: [0, 1]", ", x: [-2, 1]"},
                                        {", x: [0, 1, 0]", ", x: [-2, 1, 0]"}};
    const double offset = M_PI - atan(0.5) - M_PI / 2;
    for (int space = 0; space < 2; space++) {
        double found[2];
        for (int k = 0; k < 2; k++) {
            char text[2000];
            snprintf(
                text, sizeof text,
                "holonom: 1\nspace: %s\ngravity: %s\n"
                "bodies:\n"
                "  - {name: a, mass: 1, inertia: %s, position: [0.5, 0%s]}\n"
                "  - {name: b, mass: 1, inertia: %s, position: [1.5, 0%s]}\n"
                "joints:\n"
                "  - {name: O, type: revolute, between: [{body: ground%s}, {body: a, at: "
                "[-0.5, 0%s]}]}\n"
                "  - {name: P, type: revolute, between: [{body: a, at: [0.5, 0%s]%s%s}, {body: "
                "b, at: [-0.5, 0%s]%s}]}\n"
                "forces: [{type: torsion_spring_damper, joint: P, stiffness: \"3 + "
                "cos(P.angle - %.17g)\", angle: %.17g}]\noutputs: [P.angle, b.x]\n",
                space ? "spatial" : "planar", space ? "[0, -9.81, 0]" : "[0, -9.81]",
                space ? "[0.1, 0.1, 0.1]" : "0.1", space ? ", 0" : "",
                space ? "[0.1, 0.1, 0.1]" : "0.1", space ? ", 0" : "",
                space ? ", axis: [0, 0, 1]" : "", space ? ", 0" : "", space ? ", 0" : "",
                space ? ", axis: [0, 0, 1]" : "", k ? x[space][0] : "", space ? ", 0" : "",
                k ? x[space][1] : "", k ? offset : 0, k ? 0.2 + offset : 0.2);
            TextRun r = open_text(text, "taylor", 1e-10);
            advance_text(&r, 1.5);
            found[k] = text_value(&r, "P.angle") - (k ? offset : 0);
            close_text(&r);
        }
        if (!(fabs(found[1] - found[0]) < 1e-7))
            fail_msg("%s: %.12g with x, %.12g without", space ? "space" : "plane", found[1],
                     found[0]);
    }
}

// gears and screws keep what they are written with, wherever their angles begin: ratio of turns
// over many of them
static void test_gear_and_screw(void **state) {
    (void)state;
    for (int space = 0; space < 2; space++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: %s\n"
                 "bodies:\n"
                 "  - {name: a, mass: 1, inertia: %s, %s}\n"
                 "  - {name: b, mass: 1, inertia: %s, position: [2, 0%s], %s}\n"
                 "joints:\n"
                 "  - {name: A, type: revolute, between: [{body: ground%s}, a]}\n"
                 "  - {name: B, type: revolute, between: [{body: ground, at: [2, 0%s]%s}, b]}\n"
                 "  - {name: G, type: gear, joints: [A, B], ratio: -2.5}\n"
                 "motions: [{name: drive, joint: A, value: \"2 + 12*time\"}]\n"
                 "outputs: [A.angle, B.angle]\n",
                 space ? "spatial" : "planar", space ? "[1, 1, 1]" : "1",
                 space ? "orientation: {axis: [0, 0, 1], angle: 2}" : "angle: 2",
                 space ? "[1, 1, 1]" : "1", space ? ", 0" : "",
                 space ? "orientation: {axis: [0, 0, 1], angle: -1}" : "angle: -1",
                 space ? ", axis: [0, 0, 1]" : "", space ? ", 0" : "",
                 space ? ", axis: [0, 0, 1]" : "");
        TextRun r = open_text(text, "tangent", 1e-8);
        advance_text(&r, 3);
        expect_text(&r, "A.angle", 38, 1e-7);
        expect_text(&r, "B.angle", -1 - 2.5 * 36, 1e-6);
        close_text(&r);
    }
    TextRun r =
        open_text("holonom: 1\nspace: spatial\n"
                  "bodies: [{name: nut, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.7], "
                  "orientation: {axis: [0, 0, 1], angle: 2.5}}]\n"
                  "joints: [{name: S, type: screw, pitch: 0.2, between: [{body: ground, "
                  "axis: [0, 0, 1]}, {body: nut, axis: [0, 0, 1]}]}]\n"
                  "motions: [{name: drive, joint: S, value: \"2.5 + 9*time\"}]\n"
                  "outputs: [S.angle, S.displacement, nut.z]\n",
                  "tangent", 1e-8);
    advance_text(&r, 3);
    expect_text(&r, "S.angle", 29.5, 1e-7);
    expect_text(&r, "S.displacement", 0.7 + 0.2 * 27, 1e-7);
    expect_text(&r, "nut.z", 0.7 + 0.2 * 27, 1e-7);
    assert_null(strstr(hol_sim_stats(r.sim).note, "starts at"));
    close_text(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane_and_space), cmocka_unit_test(test_axes),
        cmocka_unit_test(test_global_x),        cmocka_unit_test(test_drives),
        cmocka_unit_test(test_torsion),         cmocka_unit_test(test_tree_series),
        cmocka_unit_test(test_gear_and_screw)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
