// SPDX-License-Identifier: Apache-2.0
// Numbers with units, bodies given by points, origins and solids, joints at the start.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "holonom/holonom.h"
#include "io/place/place.h"
#include "math/vec.h"
#include "model/model.h"

static HolError error;
static HolSimOptions options;

static void check_near(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.17g, not %.17g", value, wanted);
}

static HolModel *parse(const char *text) {
    HolModel *m = NULL;
    if (hol_model_parse(text, strlen(text), "m.yaml", NULL, 0, &m, &options, &error) != HOL_OK)
        fail_msg("%s", error.text);
    return m;
}

static const HolBodyDef *body(const HolModel *m, const char *name) {
    const int i = hol_body_find(m, name);
    assert_true(i > 0);
    return &m->def.bodies[i].def;
}

static void test_units(void **state) {
    (void)state;
    HolModel *m =
        parse("holonom: 1\nspace: planar\nunits: {angle: deg, length: mm}\n"
              "parameters: {L: 2, w: 60 rpm}\n"
              "bodies:\n"
              "  - {name: a, mass: 500 g, inertia: 1, position: [100, L], angle: 90, omega: w, "
              "velocity: [36 km/h, 5], points: {p: [\"1 in\", 7]}}\n"
              "forces:\n"
              "  - {name: s, type: spring_damper, between: [ground, a.p], stiffness: 10 N/mm, "
              "length: 250}\n");
    const HolBodyDef *a = body(m, "a");
    check_near(a->mass, 0.5, 1e-15);
    check_near(a->position[0], 0.1, 1e-15);
    check_near(a->position[1], 2, 0); // an expression is SI
    check_near(a->angle, M_PI / 2, 1e-15);
    check_near(a->omega[0], 2 * M_PI, 1e-14);
    check_near(a->velocity[0], 10, 1e-14);
    check_near(a->velocity[1], 5, 0); // m/s, not m
    check_near(a->points[0].at[0], 0.0254, 1e-16);
    check_near(a->points[0].at[1], 0.007, 1e-16);
    check_near(m->sys.elements[0].k, 1e4, 1e-10);
    check_near(m->sys.elements[0].s0, 0.25, 1e-15);
    hol_model_destroy(m);
    m = parse("holonom: 1\nspace: planar\nbodies:\n"
              "  - {name: a, mass: 2 lb, inertia: 3 kg mm^2, angle: 0.5 rev}\n"
              "  - {name: r, type: beam, from: [0, 0], to: [1, 0], elements: 1, "
              "section: {rectangle: [10 mm, 2 mm]}, material: {E: 210 GPa, rho: 7.85 g/cm^3}}\n"
              "joints:\n  - {name: J, type: revolute, between: [ground, a], "
              "friction: {viscous: 2 N m s/rad}}\n"
              "forces:\n  - {type: spring_damper, between: [ground, r.end], stiffness: 5 kN/m, "
              "damping: 3 N s/mm}\n");
    a = body(m, "a");
    check_near(a->mass, 0.90718474, 1e-15);
    check_near(a->inertia[0], 3e-6, 1e-20);
    check_near(a->angle, M_PI, 1e-15);
    check_near(body(m, "r.start")->mass, 0.5 * 7850 * 2e-5, 1e-12);
    check_near(m->def.joints[0].def.friction.viscous, 2, 0);
    hol_model_destroy(m);
}

// mass properties by a grid of points, against the formulas
static int inside(const HolSolidDef *s, Vec3 x) {
    if (s->type == HOL_SOLID_SPHERE) {
        const double d = v3_norm(v3_sub(x, v3_load(s->at)));
        return d < s->radius && d >= s->inner_radius;
    }
    if (s->type == HOL_SOLID_BOX) {
        double y[3];
        v3_store(y, q_rotate(q_conj(q_load(s->quaternion)), v3_sub(x, v3_load(s->at))));
        return fabs(y[0]) < s->size[0] / 2 && fabs(y[1]) < s->size[1] / 2 &&
               fabs(y[2]) < s->size[2] / 2;
    }
    const Vec3 u = v3_sub(v3_load(s->to), v3_load(s->from)), d = v3_sub(x, v3_load(s->from));
    const double along = v3_dot(d, u) / v3_dot(u, u);
    const double across = v3_norm(v3_sub(d, v3_scale(u, along)));
    return along > 0 && along < 1 && across < s->radius && across >= s->inner_radius;
}

static void test_solids(void **state) {
    (void)state;
    HolSolidDef solids[3] = {
        {.type = HOL_SOLID_BOX, .at = {0.2, 0.1, -0.3}, .size = {0.6, 0.5, 0.9}, .density = 3},
        {.type = HOL_SOLID_CYLINDER,
         .from = {-0.5, -0.2, 0.1},
         .to = {0.3, 0.5, 0.6},
         .radius = 0.3,
         .inner_radius = 0.15,
         .density = 2},
        {.type = HOL_SOLID_SPHERE,
         .at = {-0.4, 0.3, 0.2},
         .radius = 0.5,
         .inner_radius = 0.2,
         .density = 1.5}};
    q_store(solids[0].quaternion, q_axis_angle(v3_unit(v3(1, 2, 3)), 0.7));
    HolMass mass;
    hol_solids_mass(solids, 3, &mass);
    enum { N = 60 };
    const double h = 2.4 / N;
    double m = 0, first[3] = {0}, J[6] = {0};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < N * N * N; i++) {
            double x[3] = {-1.2 + h * (i % N + 0.5), -1.2 + h * (i / N % N + 0.5),
                           -1.2 + h * (i / N / N + 0.5)};
            double rho = 0;
            for (int k = 0; k < 3; k++)
                rho += inside(&solids[k], v3_load(x)) ? solids[k].density : 0;
            const double dm = rho * h * h * h;
            if (pass == 0) {
                m += dm;
                for (int k = 0; k < 3; k++)
                    first[k] += dm * x[k];
                continue;
            }
            for (int k = 0; k < 3; k++)
                x[k] -= mass.com[k];
            J[0] += dm * (x[1] * x[1] + x[2] * x[2]);
            J[1] += dm * (x[0] * x[0] + x[2] * x[2]);
            J[2] += dm * (x[0] * x[0] + x[1] * x[1]);
            J[3] -= dm * x[0] * x[1];
            J[4] -= dm * x[1] * x[2];
            J[5] -= dm * x[2] * x[0];
        }
    check_near(mass.mass, m, 0.01 * m);
    for (int k = 0; k < 3; k++)
        check_near(mass.com[k], first[k] / m, 0.005);
    for (int k = 0; k < 6; k++)
        check_near(mass.inertia[k], J[k], 0.01 * J[0]);
    assert_true(fabs(J[3]) > 0.02 * J[0]); // products are there
}

static void test_bodies(void **state) {
    (void)state;
    HolModel *m = parse(
        "holonom: 1\nspace: spatial\nbodies:\n"
        // before the body it stands on
        "  - {name: hand, mass: 1, inertia: [1, 1, 1], place: {point: w, at: hammer.tip}, points: "
        "{w: "
        "[0.1, 0, 0]}}\n"
        "  - {name: hammer, com: [0, 0, 0.3], mass: 2, inertia: [1, 1, 1], position: [1, 0, 0], "
        "orientation: {axis: [0, 1, 0], angle: \"90 deg\"}, points: {tip: [0, 0, 0.5]}, "
        "shape: {type: cylinder, from: origin, to: tip, radius: 0.1}}\n"
        "  - {name: arm, place: {point: base, at: [0, 0, 1]}, points: {base: [0, 0, -0.4]}, "
        "shapes: "
        "[{type: box, size: [0.1, 0.2, 0.8], density: 2700}]}\n"
        "  - {name: rod, place: {point: origin, at: [5, 0, 0]}, shapes: [{type: cylinder, from: "
        "[0, 0, "
        "0], to: [1, 0, 0], radius: 0.1, density: 1000}], mass: 3}\n");
    const HolBodyDef *hammer = body(m, "hammer"), *hand = body(m, "hand"), *arm = body(m, "arm"),
                     *rod = body(m, "rod");
    check_near(hammer->position[0], 1.3, 1e-15);
    assert_string_equal(hammer->points[1].name, "origin");
    check_near(hammer->points[1].at[2], -0.3, 1e-15);
    check_near(hammer->points[0].at[2], 0.2, 1e-15);
    check_near(hammer->shape.from[2], -0.3, 1e-15);
    check_near(hammer->shape.to[2], 0.2, 1e-15);
    for (int i = 0; i < 4; i++)
        check_near(hand->quaternion[i], hammer->quaternion[i], 1e-15);
    check_near(hand->position[0], 1.5, 1e-15);
    check_near(hand->position[2], 0.1, 1e-15);
    check_near(arm->position[2], 1.4, 1e-15);
    check_near(arm->mass, 2700 * 0.016, 1e-12);
    check_near(arm->inertia[0], arm->mass * (0.04 + 0.64) / 12, 1e-12);
    check_near(rod->mass, 3, 0); // written: wins
    check_near(rod->position[0], 5.5, 1e-15);
    hol_model_destroy(m);
}

// coordinates and rates at the start, in a loop and in space; a rate alone keeps the position
static void test_joint_starts(void **state) {
    (void)state;
    static const char four_bar[] =
        "holonom: 1\nspace: planar\nground: {points: {B: [3, 0]}}\nbodies:\n"
        "  - {name: crank, mass: 1, inertia: 0.1, position: [0.5, 0], points: {a: [-0.5, 0], b: "
        "[0.5, "
        "0]}}\n"
        "  - {name: link, mass: 1, inertia: 0.1, position: [2, 1], points: {a: [-1.5, 0], b: [1.5, "
        "0]}}\n"
        "  - {name: rock, mass: 1, inertia: 0.1, position: [3, 1], angle: 1.4, points: {a: [1, 0], "
        "b: "
        "[-1, 0]}}\n"
        "joints:\n"
        "  - {name: O, type: revolute, between: [ground, crank.a], %s}\n"
        "  - {name: A, type: revolute, between: [crank.b, link.a]}\n"
        "  - {name: C, type: revolute, between: [link.b, rock.a]}\n"
        "  - {name: B, type: revolute, between: [ground.B, rock.b]}\n"
        "outputs: [O.angle, O.rate, B.rate]\nsimulation: {start: 2, end: 3, step: 0.01}\n";
    static const char *const given[] = {"angle: 1.1, rate: -2", "rate: -2", "angle: 1.1"};
    double row[3][4];
    for (int i = 0; i < 3; i++) {
        char text[2000];
        HolSim *sim = NULL;
        snprintf(text, sizeof text, four_bar, given[i]);
        HolModel *m = parse(text);
        assert_int_equal(m->def.n_constraints, 0);
        assert_int_equal(hol_sim_create(m, &options, &sim, &error), HOL_OK);
        assert_int_equal(hol_sim_assemble(sim, &error), HOL_OK);
        assert_int_equal(hol_sim_row(sim, 2, row[i], &error), HOL_OK);
        hol_sim_destroy(sim);
        hol_model_destroy(m);
    }
    check_near(row[0][1], 1.1, 1e-13);
    check_near(row[0][2], -2, 1e-12);
    assert_true(fabs(row[0][3]) > 0.1);
    check_near(row[1][2], -2, 1e-12);
    assert_true(fabs(row[1][1]) > 1e-3 && fabs(row[1][1]) < 0.5); // as near as the loop allows
    check_near(row[2][1], 1.1, 1e-13);
    check_near(row[2][2], 0, 1e-13);
    HolModel *m =
        parse("holonom: 1\nspace: spatial\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\n"
              "joints:\n  - {name: C, type: cylindrical, between: [{body: ground, axis: [0, 0, "
              "1]}, b], angle: 0.7, displacement: 2, speed: 3, rate: 4}\n"
              "outputs: [b.z, b.vz, b.wz, C.angle]\n");
    HolSim *sim = NULL;
    double space[5];
    assert_int_equal(hol_sim_create(m, &options, &sim, &error), HOL_OK);
    assert_int_equal(hol_sim_assemble(sim, &error), HOL_OK);
    assert_int_equal(hol_sim_row(sim, 0, space, &error), HOL_OK);
    static const double wanted[] = {0, 2, 3, 4, 0.7};
    for (int i = 0; i < 5; i++)
        check_near(space[i], wanted[i], 1e-13);
    hol_sim_destroy(sim);
    hol_model_destroy(m);
}

// a start that cannot be: said with the file
static void test_impossible_start(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\nbodies: [{name: b, mass: 1, inertia: 1, points: {p: [1, 0]}}]\n"
        "joints:\n  - {name: O, type: revolute, between: [ground, b.p], angle: 1}\n"
        "motions: [{name: drive, joint: O, value: 2}]\n";
    HolModel *m = NULL;
    assert_int_equal(
        hol_model_parse(text, sizeof text - 1, "m.yaml", NULL, 0, &m, &options, &error),
        HOL_ERR_INPUT);
    assert_null(m);
    assert_non_null(
        strstr(error.text, "m.yaml:5:12: error: the joints cannot start with O.angle = 1"));
}

// a mass beside shapes that weigh something else: their inertia stays, with a remark
static void test_mass_remark(void **state) {
    (void)state;
    static const struct {
        const char *given;
        int remarks;
    } cases[] = {{"mass: 3", 1}, {"mass: 8", 0}, {"mass: 3, inertia: 2", 0}, {"angle: 0", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\nbodies: [{name: b, %s, shapes: [{type: box, size: [2, "
                 "4], density: 1}]}]\n",
                 cases[i].given);
        HolModel *m = parse(text);
        assert_int_equal(hol_model_remark_count(m), cases[i].remarks);
        hol_model_destroy(m);
    }
}

// numbers in rad or m, as the joint has it: `units` does not reach them, and a remark says so
static void test_unit_remark(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\n%s\nbodies: [{name: b, mass: 1, inertia: 1}]\n"
        "joints:\n  - {name: O, type: revolute, between: [ground, b], limits: {min: 0, max: %s}}\n";
    static const struct {
        const char *units, *max;
        int remarks;
    } cases[] = {{"units: {angle: deg}", "90", 1},
                 {"units: {length: mm}", "90", 1},
                 {"units: {angle: deg}", "\"90 deg\"", 0},
                 {"units: {angle: rad}", "90", 0},
                 {"", "90", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char full[1000];
        snprintf(full, sizeof full, text, cases[i].units, cases[i].max);
        HolModel *m = parse(full);
        assert_int_equal(hol_model_remark_count(m), cases[i].remarks);
        if (cases[i].remarks)
            assert_int_equal(hol_model_remark(m, 0)->line, 6);
        hol_model_destroy(m);
    }
}

// a coordinate alone: velocities stay as written, as far as the joints allow; where nothing is left to
// move they become zero
static void test_start_keeps_velocities(void **state) {
    (void)state;
    static const char hinge[] =
        "holonom: 1\nspace: planar\nbodies:\n"
        "  - {name: b, mass: 1, inertia: 1, position: [1, 0], velocity: [0, 3], omega: 3, %s"
        "points: {p: [-1, 0]}}\n"
        "joints:\n  - {name: O, type: revolute, between: [ground, b.p], %s}\n%s"
        "outputs: [O.angle, O.rate, b.vx, b.vy]\n";
    static const struct {
        const char *exact, *start, *more;
        double angle, rate;
    } cases[] = {
        {"exact: [omega], ", "angle: 0.5", "", 0.5, 3},
        {"", "angle: 0.5, rate: -1", "", 0.5, -1},
        {"", "rate: 0", "", 0, 0},
        {"", "angle: 0.5", "motions: [{joint: O, value: \"0.5+3*time\"}]\n", 0.5, 3},
        {"", "angle: 0.5", "motions: [{joint: O, value: 0.5}]\n", 0.5, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2000];
        double row[5];
        HolSim *sim = NULL;
        snprintf(text, sizeof text, hinge, cases[i].exact, cases[i].start, cases[i].more);
        HolModel *m = parse(text);
        assert_int_equal(hol_sim_create(m, &options, &sim, &error), HOL_OK);
        if (hol_sim_assemble(sim, &error) != HOL_OK)
            fail_msg("%s: %s", cases[i].start, error.text);
        assert_int_equal(hol_sim_row(sim, 0, row, &error), HOL_OK);
        check_near(row[1], cases[i].angle, 1e-13);
        check_near(row[2], cases[i].rate, 1e-9);
        check_near(row[3], -sin(row[1]) * row[2], 1e-9);
        check_near(row[4], cos(row[1]) * row[2], 1e-9);
        hol_sim_destroy(sim);
        hol_model_destroy(m);
    }
}

// forces and reactions as columns and names, against what they are made of
static void test_loads(void **state) {
    (void)state;
    HolModel *m = parse(
        "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  - {name: rod, mass: 2, inertia: [0.2, 0.3, 0.1], position: [0.5, 0, 0], omega: [0, 0.7, "
        "0], "
        "points: {top: [-0.5, 0, 0], tip: [0.5, 0, 0]}}\n"
        "  - {name: blk, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0.1], velocity: [0, 2, 0]}\n"
        "  - {name: w, mass: 1, inertia: [1, 1, 1], position: [0, 3, 0]}\n"
        "joints:\n"
        "  - {name: O, type: revolute, between: [{body: ground, axis: [0.2, 1, 0]}, rod.top], "
        "angle: "
        "0.4}\n"
        "  - {name: W, type: revolute, between: [{body: ground, at: [0, 3, 0], axis: [0, 1, 0]}, "
        "w]}\n"
        "forces:\n"
        "  - {name: s, type: spring_damper, between: [rod.tip, {body: ground, at: [1, 0, 1]}], "
        "stiffness: \"10 + length\", damping: 1, length: 0.5, force: 2}\n"
        "  - {name: r, type: torsion_spring_damper, joint: O, stiffness: 3, damping: 2, angle: "
        "0.1}\n"
        "  - {name: b, type: bushing, between: [blk, {body: ground, at: [2, 0, 0]}], stiffness: "
        "[100, "
        "100, 50], damping: 3, rotational_stiffness: 5}\n"
        "  - {name: F, type: force, acts_on: blk, value: [3, 4, 0]}\n"
        "  - {name: T, type: torque, acts_on: rod, value: [\"0.01*s.force\", 0, 0]}\n"
        "motions: [{name: d, joint: W, value: \"time^2\"}]\n"
        "outputs: [s.force, \"(10 + s.length)*(s.length - 0.5) + s.rate + 2\", r.torque, "
        "\"3*(O.angle - "
        "0.1) + 2*O.rate\", b.force, b.torque, F.force, T.torque, d.force, d.effort, O.f_body.x, "
        "O.f_body.y, O.f_body.z, \"O.f_body.x + O.f_body.z\", O.fx, O.fy, O.fz, O.t_body.x, "
        "O.t_body.y, "
        "O.t_body.z, O.tx, O.ty, O.tz, rod.qw, rod.qx, rod.qy, rod.qz]\n");
    double x[28], f[3], t[3];
    HolSim *sim = NULL;
    assert_int_equal(hol_sim_create(m, &options, &sim, &error), HOL_OK);
    assert_int_equal(hol_sim_assemble(sim, &error), HOL_OK);
    assert_int_equal(hol_sim_row(sim, 0, x, &error), HOL_OK);
    check_near(x[1], x[2], 1e-12);
    check_near(x[3], x[4], 1e-12);
    assert_true(fabs(x[3]) > 0.5);
    check_near(x[5], hypot(50 * 0.1, 3 * 2), 1e-12);
    check_near(x[6], 0, 1e-15);
    check_near(x[7], 5, 1e-14);
    check_near(x[8], 0.01 * x[1], 1e-13);
    check_near(x[9], x[10], 0);
    check_near(x[9], 2, 1e-12);
    const Quat turn = q_conj(q_load(x + 24));
    v3_store(f, q_rotate(turn, v3_load(x + 15)));
    v3_store(t, q_rotate(turn, v3_load(x + 21)));
    for (int i = 0; i < 3; i++) {
        check_near(x[11 + i], f[i], 1e-12);
        check_near(x[18 + i], t[i], 1e-12);
    }
    check_near(x[14], f[0] + f[2], 1e-12);
    hol_sim_destroy(sim);
    hol_model_destroy(m);
}

static void test_all_outputs(void **state) {
    (void)state;
    HolModel *m = parse("holonom: 1\nspace: planar\nbodies: [{name: b, mass: 1, inertia: 1}]\n");
    const int n = hol_model_column_count(m);
    hol_model_destroy(m);
    m = parse("holonom: 1\nspace: planar\nbodies: [{name: b, mass: 1, inertia: 1}]\n"
              "outputs: [\"2*b.x\", all, b.x]\n");
    assert_int_equal(hol_model_column_count(m), n + 1);
    assert_string_equal(hol_model_column(m, 0).name, "time");
    assert_string_equal(hol_model_column(m, 1).name, "2*b.x");
    assert_string_equal(hol_model_column(m, 2).name, "b.x");
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_solids),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_joint_starts),
        cmocka_unit_test(test_all_outputs),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_impossible_start),
        cmocka_unit_test(test_start_keeps_velocities),
        cmocka_unit_test(test_unit_remark),
        cmocka_unit_test(test_mass_remark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
