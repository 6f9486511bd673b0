// SPDX-License-Identifier: Apache-2.0
// The same mechanisms written in the plane and in space move alike: positions, velocities,
// accelerations, reactions and energies agree. And every model file: all functions of the compiled
// problem against differences at its start and near it.
#include "probe.h"

#include <glob.h>

// ---- plane against space ----

// a pendulum with a second one on it: springs, dampers, a force that turns with the body
static const char *const pendulums[2] = {
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: one, mass: 1.2, inertia: 0.1, position: [\"0.5*cos(0.2)\", \"0.5*sin(0.2)\"], "
    "angle: 0.2, omega: 1, points: {A: [-0.5, 0], B: [0.5, 0]}}\n"
    "  - {name: two, mass: 0.7, inertia: 0.06, position: [\"cos(0.2) + 0.3*cos(0.4)\", \"sin(0.2) "
    "- 0.3*sin(0.4)\"], angle: -0.4, points: {A: [-0.3, 0], B: [0.4, 0]}}\n"
    "joints:\n"
    "  - {name: O, type: revolute, between: [ground, one.A]}\n"
    "  - {name: P, type: revolute, between: [one.B, two.A]}\n"
    "forces:\n"
    "  - {name: s, type: spring_damper, between: [{body: ground, at: [0.3, 1]}, two.B], stiffness: "
    "20, damping: 0.7, length: 0.8}\n"
    "  - {name: t, type: torsion_spring_damper, joint: P, stiffness: \"3 + P.angle^2\", damping: "
    "0.1, angle: 0.1}\n"
    "  - {name: f, type: force, on: two.B, value: [\"0.3*cos(5*time)\", \"0.2*one.y\"], frame: "
    "body}\n"
    "  - {name: m, type: torque, on: one, value: \"-0.2*O.rate\"}\n",
    "holonom: 1\nspace: spatial\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: one, mass: 1.2, inertia: [0.3, 0.2, 0.1], position: [\"0.5*cos(0.2)\", "
    "\"0.5*sin(0.2)\", 0], orientation: {axis: [0, 0, 1], angle: 0.2}, omega: [0, 0, 1], points: "
    "{A: [-0.5, 0, 0], B: [0.5, 0, 0]}}\n"
    "  - {name: two, mass: 0.7, inertia: [0.05, 0.04, 0.06], position: [\"cos(0.2) + "
    "0.3*cos(0.4)\", \"sin(0.2) - 0.3*sin(0.4)\", 0], orientation: {axis: [0, 0, 1], angle: -0.4}, "
    "points: {A: [-0.3, 0, 0], B: [0.4, 0, 0]}}\n"
    "joints:\n"
    "  - {name: O, type: revolute, between: [{body: ground, axis: [0, 0, 1]}, one.A]}\n"
    "  - {name: P, type: revolute, between: [{body: one, at: [0.5, 0, 0], axis: [0, 0, 1]}, "
    "two.A]}\n"
    "forces:\n"
    "  - {name: s, type: spring_damper, between: [{body: ground, at: [0.3, 1, 0]}, two.B], "
    "stiffness: 20, damping: 0.7, length: 0.8}\n"
    "  - {name: t, type: torsion_spring_damper, joint: P, stiffness: \"3 + P.angle^2\", damping: "
    "0.1, angle: 0.1}\n"
    "  - {name: f, type: force, on: two.B, value: [\"0.3*cos(5*time)\", \"0.2*one.y\", 0], frame: "
    "body}\n"
    "  - {name: m, type: torque, on: one, value: [0, 0, \"-0.2*O.rate\"]}\n"};

// a slider on an inclined rail with a driven arm, a bushing and a rod of constant length
static const char *const sliders[2] = {
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: cart, mass: 2, inertia: 0.2, position: [0.4, 0.2], angle: 0.3}\n"
    "  - {name: arm, mass: 0.5, inertia: 0.03, position: [0.4, -0.2], angle: 0.1, points: {A: [0, "
    "0.4]}}\n"
    "  - {name: bob, type: point, mass: 0.3, position: [1.1, -0.4]}\n"
    "joints:\n"
    "  - {name: rail, type: prismatic, between: [{body: ground, axis: [2, 1]}, cart]}\n"
    "  - {name: pin, type: revolute, between: [cart, arm.A]}\n"
    "  - {name: rod, type: distance, between: [{body: arm, at: [0.1, -0.2]}, bob], length: 0.7}\n"
    "motions: [{name: drive, joint: pin, value: \"-0.2 + 0.5*time + 0.2*sin(3*time)\"}]\n"
    "forces:\n"
    "  - {name: b, type: bushing, between: [ground, bob], stiffness: [5, 7], damping: [0.3, "
    "0.2]}\n",
    "holonom: 1\nspace: spatial\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: cart, mass: 2, inertia: [0.1, 0.3, 0.2], position: [0.4, 0.2, 0], orientation: "
    "{axis: [0, 0, 1], angle: 0.3}}\n"
    "  - {name: arm, mass: 0.5, inertia: [0.02, 0.01, 0.03], position: [0.4, -0.2, 0], "
    "orientation: {axis: [0, 0, 1], angle: 0.1}, points: {A: [0, 0.4, 0]}}\n"
    "  - {name: bob, type: point, mass: 0.3, position: [1.1, -0.4, 0]}\n"
    "joints:\n"
    "  - {name: rail, type: prismatic, between: [{body: ground, axis: [2, 1, 0]}, cart]}\n"
    "  - {name: pin, type: revolute, between: [{body: cart, axis: [0, 0, 1]}, arm.A]}\n"
    "  - {name: rod, type: distance, between: [{body: arm, at: [0.1, -0.2, 0]}, bob], length: "
    "0.7}\n"
    "motions: [{name: drive, joint: pin, value: \"-0.2 + 0.5*time + 0.2*sin(3*time)\"}]\n"
    "forces:\n"
    "  - {name: b, type: bushing, between: [ground, bob], stiffness: [5, 7, 9], damping: [0.3, "
    "0.2, 0.1]}\n"};

typedef struct Outcome {
    HolModel *model;
    int n;
    double row[120];
} Outcome;

static Outcome run(const char *text) {
    Outcome r = {.model = parse_model(text)};
    HolSimOptions o = hol_sim_options();
    HolSim *s = NULL;
    HolError err = {0};
    o.end = 1.3;
    o.tolerance = 1e-9;
    r.n = hol_model_all_column_count(r.model);
    assert_true(r.n <= 120);
    if (hol_sim_create(r.model, &o, &s, &err) != HOL_OK ||
        hol_sim_advance(s, o.end, &err) != HOL_OK ||
        hol_sim_row_all(s, o.end, r.row, &err) != HOL_OK)
        fail_msg("%s", err.text);
    hol_sim_destroy(s);
    return r;
}

static double value_of(const Outcome *r, const char *name) {
    for (int i = 0; i < r->n; i++)
        if (!strcmp(hol_model_all_column(r->model, i).name, name))
            return r->row[i];
    fail_msg("no column %s", name);
    return 0;
}

// name of the spatial column for a planar one; 0: left out
static int spatial_name(const char *name, char *out, size_t size) {
    static const char *const pairs[][2] = {{".omega", ".wz"}, {".alpha", ".alz"}};
    if (strstr(name, "constraint.") || strstr(name, "step.") || strstr(name, ".angle") ||
        strstr(name, "energy.numerical"))
        return 0;
    snprintf(out, size, "%s", name);
    for (int i = 0; i < 2; i++) {
        char *at = strstr(out, pairs[i][0]);
        if (at)
            snprintf(at, size - (size_t)(at - out), "%s", pairs[i][1]);
    }
    return 1;
}

static void compare_runs(const char *const texts[2]) {
    Outcome plane = run(texts[0]), space = run(texts[1]);
    int compared = 0;
    for (int i = 0; i < plane.n; i++) {
        const char *name = hol_model_all_column(plane.model, i).name;
        char other[80];
        if (!spatial_name(name, other, sizeof other))
            continue;
        double a = plane.row[i], b = value_of(&space, other);
        if (!(fabs(a - b) <= 2e-7 * (1 + fabs(a))))
            fail_msg("%s: %.10g in the plane, %.10g in space", name, a, b);
        compared++;
    }
    // the unwrapped angle of the plane is that of the quaternion
    for (int i = 0; i < plane.n; i++) {
        const char *name = hol_model_all_column(plane.model, i).name;
        char column[80];
        size_t length = strlen(name);
        if (length < 6 || strcmp(name + length - 6, ".angle"))
            continue;
        snprintf(column, sizeof column, "%.*s.qw", (int)(length - 6), name);
        double w = value_of(&space, column);
        column[strlen(column) - 1] = 'z';
        double turn = 2 * atan2(value_of(&space, column), w);
        if (!(fabs(remainder(turn - plane.row[i], 2 * M_PI)) <= 1e-7))
            fail_msg("%s: %.10g in the plane, %.10g in space", name, plane.row[i], turn);
        compared++;
    }
    assert_true(compared > 20);
    hol_model_destroy(plane.model);
    hol_model_destroy(space.model);
}

static void test_pendulums(void **state) {
    (void)state;
    compare_runs(pendulums);
}

static void test_sliders(void **state) {
    (void)state;
    compare_runs(sliders);
}

// ---- every model file against differences ----

static int check_files(const char *pattern) {
    glob_t found;
    char path[500];
    int n = 0;
    snprintf(path, sizeof path, "%s/%s", HOL_SOURCE_DIR, pattern);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        HolModel *m = NULL;
        HolSimOptions o;
        HolError err = {0};
        if (hol_model_load(found.gl_pathv[i], NULL, 0, &m, &o, &err) != HOL_OK)
            continue; // test_models complains
        if (hol_model_problem(m)->nv > 100 || strstr(found.gl_pathv[i], "/flexible/") ||
            strstr(found.gl_pathv[i], "torsion-spring-2")) {
            hol_model_destroy(
                m); // the same joints again and again; stiff rods: test_beams; |angle|
            continue;
        }
        probe_random = 88172645463325252u; // (each file for itself, however many there are)
        Probe b = probe_open(m, found.gl_pathv[i]);
        // some mechanisms are small, some curves turn within millimetres
        const int fine = strstr(found.gl_pathv[i], "clock") || strstr(found.gl_pathv[i], "geneva");
        b.e = fine ? 1e-6 : 3e-5;
        for (int k = 0; k < 2; k++) {
            shake(&b, 2e-2);
            check_problem(&b);
        }
        probe_close(&b);
        n++;
    }
    globfree(&found);
    return n;
}

static void test_files(void **state) {
    (void)state;
    assert_true(check_files("models/*.yaml") + check_files("models/*/*.yaml") > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulums),
        cmocka_unit_test(test_sliders),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
