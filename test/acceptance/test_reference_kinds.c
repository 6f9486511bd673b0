// SPDX-License-Identifier: Apache-2.0
// Every joint and force kind that models/ does not already compare, on a small problem with a
// closed form: signs, ratios, directions and reactions, which derivative checks cannot see.
#include "ref_compare.h"

static void expect(const RefRun *r, const char *column, double value, double limit) {
    double x = ref_value(r, column);
    if (!(fabs(x - value) <= limit))
        fail_msg("%s: %s = %.15g at t = %g, expected %.15g (off by %.2e, limit %.1e)",
                 hol_model_name(r->model), column, x, r->t, value, x - value, limit);
}

// ---- spatial joints ----

// m z'' = -m g + F, I a'' = T, z = p a, F p + T = 0:  z'' = -g m p^2/(m p^2 + I)
static void test_screw(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/screw.yaml", NULL);
    double a = -10 * 2 * 0.04 / (2 * 0.04 + 0.3);
    ref_advance(&r, 2);
    expect(&r, "nut.z", 5 + 2 * a, 1e-6);
    expect(&r, "S.displacement", 5 + 2 * a, 1e-6);
    expect(&r, "S.angle", 2 * a / 0.2, 1e-5);
    expect(&r, "nut.wz", 2 * a / 0.2, 1e-5);
    expect(&r, "S.fz", 2 * (a + 10), 1e-9);
    expect(&r, "S.tz", 0.3 * a / 0.2, 1e-9);
    ref_close(&r);
}

// turning and sliding are independent
static void test_cylindrical(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/cylindrical.yaml", NULL);
    ref_advance(&r, 2);
    expect(&r, "C.angle", 3 * 2 + 0.5 * 0.5 * 4, 1e-9); // more than a turn, not wrapped
    expect(&r, "C.rate", 4, 1e-9);
    expect(&r, "C.displacement", -20, 1e-9);
    expect(&r, "C.speed", -20, 1e-9);
    expect(&r, "C.fx", -3, 1e-9);
    expect(&r, "C.fz", 0, 1e-9);
    expect(&r, "C.tx", -0.7, 1e-9);
    ref_advance(&r, 9); // 27 + 81/4 rad: eight turns
    expect(&r, "C.angle", 27 + 0.25 * 81, 1e-7);
    ref_close(&r);
}

// frictionless plane tilted by 30 degrees about y: along it g/2, normal force m g cos(30)
static void test_planar_joint(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/plane-on-plane.yaml", NULL);
    double g = 10, c = sqrt(0.75);
    ref_advance(&r, 1);
    expect(&r, "b.x", 0.5 * g * 0.5 * c, 1e-10);
    expect(&r, "b.y", 1.5, 1e-10);
    expect(&r, "b.z", -0.5 * g * 0.5 * 0.5, 1e-10);
    expect(&r, "b.wx", 2 * 0.5, 1e-10);
    expect(&r, "b.wz", 2 * c, 1e-10);
    expect(&r, "P.fx", 2 * g * c * 0.5, 1e-9);
    expect(&r, "P.fz", 2 * g * c * c, 1e-9);
    ref_close(&r);
}

// beads on an inclined line and an inclined plane; the bead on the plane also drifts sideways
static void test_point_guides(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/beads.yaml", NULL);
    ref_advance(&r, 1);
    expect(&r, "p.x", 0.5 * 8 * 0.6, 1e-10);
    expect(&r, "p.z", -0.5 * 8 * 0.8, 1e-10);
    expect(&r, "L.fx", 2 * 8 * 0.6, 1e-9);
    expect(&r, "L.fz", 2 * (10 - 8 * 0.8), 1e-9);
    expect(&r, "s.x", 0.5 * 8 * 0.6, 1e-10);
    expect(&r, "s.y", 1, 1e-10);
    expect(&r, "N.fz", 3 * 10 * 0.6 * 0.6, 1e-9);
    expect(&r, "N.fx", 3 * 10 * 0.6 * 0.8, 1e-9);
    ref_close(&r);
}

// free fall; torque along the axis turns, torque across is taken by the joint
static void test_axis_constraints(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/axes.yaml", NULL);
    ref_advance(&r, 2);
    expect(&r, "a.z", -20, 1e-9);
    expect(&r, "a.wz", 0.4, 1e-10);
    expect(&r, "a.wx", 0, 1e-12);
    expect(&r, "A.tx", -2, 1e-9);
    expect(&r, "A.ty", -3, 1e-9);
    expect(&r, "b.wz", 0.4, 1e-10); // x stays horizontal, so that b only turns about z
    expect(&r, "b.qz", sin(0.2), 1e-10);
    expect(&r, "b.wy", 0, 1e-12);
    expect(&r, "B.tz", 0, 1e-9);
    ref_close(&r);
}

// a bracket welded to the wall carries weight and moment
static void test_fixed(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/bracket.yaml", NULL);
    ref_advance(&r, 0.5);
    expect(&r, "b.x", 3, 1e-12);
    expect(&r, "W.fz", 20, 1e-9);
    expect(&r, "W.ty", -40, 1e-9); // about the wall point: the weight would turn the bracket by +y
    expect(&r, "W.tx", 0, 1e-9);
    ref_close(&r);
}

// two shafts with crossing axes, 30 degrees apart, joined by a universal joint; at the start the
// first fork's axis is normal to the plane of the shafts: tan(out) = cos(30) tan(in)
static void test_universal_shafts(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/shafts.yaml", NULL);
    double c = cos(0.5235987755982988);
    for (int i = 1; i <= 8; i++) {
        double t = 0.4 * i, in = 2 * t;
        ref_advance(&r, t);
        expect(&r, "A.angle", in, 1e-10);
        double out = ref_unwrap(atan2(c * sin(in), cos(in)), in);
        expect(&r, "B.angle", out, 1e-9);
        expect(&r, "B.rate", 2 * c / (cos(in) * cos(in) + c * c * sin(in) * sin(in)), 1e-8);
    }
    ref_close(&r);
}

// bevel gear: angle of the second joint = ratio * angle of the first
static void test_gears(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/bevel-gear.yaml", NULL);
    double a = 0.46 / (0.5 + 9 * 0.2);
    ref_advance(&r, 8);
    expect(&r, "A.angle", 32 * a, 1e-8);
    expect(&r, "B.angle", -96 * a, 1e-8);
    ref_close(&r);
    r = ref_open("../test/kinds/spur-gear.yaml", NULL);
    ref_advance(&r, 8);
    expect(&r, "a.angle", 32 * a, 1e-8);
    expect(&r, "b.angle", -96 * a, 1e-8);
    expect(&r, "A.fy", 10, 1e-9);
    ref_close(&r);
}

// plane, on a spring under a torque: (m + J/R^2) s'' + k s = T/R; space, under its own weight:
// (m + J/R^2) s'' = m g. The teeth push the rack along its axis and turn the pinion the other way.
static void test_rack_pinion(void **state) {
    (void)state;
    RefRun r = ref_open("rack-pinion.yaml", NULL);
    for (int i = 1; i <= 6; i++) {
        double t = 0.5 * i, c = cos(6 * t), s = 0.2 * (1 - c);
        ref_advance(&r, t);
        expect(&r, "guide.displacement", s, 1e-6);
        expect(&r, "rack.x", s, 1e-6);
        expect(&r, "pinion.angle", s / 0.1, 1e-5);
        expect(&r, "guide.speed", 1.2 * sin(6 * t), 1e-5);
        expect(&r, "teeth.tz", -0.1 * (2 * 7.2 * c + 90 * s), 1e-4);
        expect(&r, "guide.fy", 2 * 9.81, 1e-9);
    }
    ref_close(&r);
    r = ref_open("../test/kinds/rack-pinion.yaml", NULL);
    double a = 10 * 2 / (2 + 0.3 / 0.04);
    ref_advance(&r, 2);
    expect(&r, "S.displacement", 2 * a - 1, 1e-6);
    expect(&r, "r.z", 1 - 2 * a, 1e-6);
    expect(&r, "P.angle", 2 * a / 0.2, 1e-5);
    expect(&r, "p.wy", 2 * a / 0.2, 1e-5);
    expect(&r, "R.ty", 0.3 * a / 0.2, 1e-6);
    expect(&r, "S.fz", 0, 1e-9); // the teeth hold the rack, not its guide
    ref_close(&r);
}

// ---- motions ----

// a driven slide: effort and reaction
static void test_driven_slide(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/driven-slide.yaml", NULL);
    double t = 0.7;
    ref_advance(&r, t);
    expect(&r, "b.y", 0.5 * sin(2 * t), 1e-12);
    expect(&r, "b.vy", cos(2 * t), 1e-12);
    expect(&r, "b.ay", -2 * sin(2 * t), 1e-10);
    expect(&r, "drive.effort", 2 * (10 - 2 * sin(2 * t)), 1e-9); // lifts the weight
    expect(&r, "P.fx", -4, 1e-9);
    ref_close(&r);
}

// bead in a slot of an arm that turns at constant rate: r = r0 cosh(w t), side force 2 m r' w
static void test_rotating_slot(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/rotating-slot.yaml", NULL);
    double t = 1.2, radius = 0.3 * cosh(2 * t), speed = 0.6 * sinh(2 * t),
           side = 2 * 0.5 * speed * 2;
    ref_advance(&r, t);
    expect(&r, "S.displacement", radius, 1e-7);
    expect(&r, "S.speed", speed, 1e-6);
    expect(&r, "bead.y", radius * sin(2 * t), 1e-7);
    expect(&r, "S.fx", -side * sin(2 * t), 1e-6);
    expect(&r, "S.fy", side * cos(2 * t), 1e-6);
    expect(&r, "drive.effort", side * radius, 1e-6);
    ref_close(&r);
}

// ---- forces ----

// constant spin, thrust along a body axis: the velocity turns on a circle
static void test_body_frame_force(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/thrust.yaml", NULL);
    double t = 1.3, w = 1.5, a = 1.5, vx = a / w * sin(w * t), vy = a / w * (1 - cos(w * t));
    ref_advance(&r, t);
    expect(&r, "b.vx", vx, 1e-9);
    expect(&r, "b.vy", vy, 1e-9);
    expect(&r, "b.nose.x", a / (w * w) * (1 - cos(w * t)) + cos(w * t), 1e-9);
    expect(&r, "b.nose.vy", vy + w * cos(w * t), 1e-9);
    ref_close(&r);
}

// scalar coordinates: an oscillator with damping, and a second one tied to it by an equation
static void test_coordinates(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/coordinates.yaml", NULL);
    // (1 + 4/4) q'' + c q' + k q = 0
    double d = 0.1, w = sqrt(10 - d * d), t = 1.7;
    ref_advance(&r, t);
    double q = 0.5 * exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
    expect(&r, "q.x", q, 1e-8);
    expect(&r, "p.x", 2 * q, 1e-8);
    ref_close(&r);
}

// spatial bushing: each axis of the first body is its own oscillator, small turns too
static void test_bushing(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/bushing.yaml", NULL);
    double t = 1.1;
    ref_advance(&r, t);
    expect(&r, "b.x", 0.1 * cos(2 * t), 1e-8);
    expect(&r, "b.y", 0.2 * cos(3 * t), 1e-8);
    expect(&r, "b.z", -0.1 * cos(4 * t), 1e-8);
    expect(&r, "b.wz", 0.01 * cos(5 * t), 1e-7);
    ref_close(&r);
}

// a table and a step in time as forces
static void test_tables(void **state) {
    (void)state;
    RefRun r = ref_open("../test/kinds/tables.yaml", NULL);
    ref_advance(&r, 2);
    expect(&r, "p.vx", 2, 1e-9); // of t^2/2
    expect(&r, "p.vy", 8, 1e-9); // of t^4/2
    ref_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_screw),
        cmocka_unit_test(test_cylindrical),
        cmocka_unit_test(test_planar_joint),
        cmocka_unit_test(test_point_guides),
        cmocka_unit_test(test_axis_constraints),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_universal_shafts),
        cmocka_unit_test(test_gears),
        cmocka_unit_test(test_rack_pinion),
        cmocka_unit_test(test_driven_slide),
        cmocka_unit_test(test_rotating_slot),
        cmocka_unit_test(test_body_frame_force),
        cmocka_unit_test(test_coordinates),
        cmocka_unit_test(test_bushing),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
