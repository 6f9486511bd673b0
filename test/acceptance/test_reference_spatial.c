// SPDX-License-Identifier: Apache-2.0
// Spatial models of models/ against numbers that did not come from this program: Modelica reference
// results, the IFToMM benchmarks A04 and A05, the heavy top, the top of the conditionally explicit
// paper, and a closed form for the spatial slider-crank. Limits are the deviations of the published
// numbers from an independent solution, times 1.05 (two printed digits), or what the benchmark asks
// for.
#include "ref_compare.h"

// ---- Modelica reference results ----

// joint coordinates of two models straight from columns
static void test_modelica_joints(void **state) {
    (void)state;
    RefTable t = ref_read("modelica_double_pendulum.csv");
    RefRun r = ref_open("modelica/double-pendulum.yaml", NULL);
    const char *const reference[4] = {"revolute1.phi", "revolute1.w", "revolute2.phi",
                                      "revolute2.w"};
    const char *const column[4] = {"rev1.angle", "rev1.rate", "rev2.angle", "rev2.rate"};
    const double limit[4] = {1.3e-5, 8.6e-5, 4.3e-5, 1.9e-4};
    RefWorst worst[4] = {0};
    for (int i = 0; i < t.n_rows; i++) {
        ref_advance(&r, ref_at(&t, i, 0));
        for (int k = 0; k < 4; k++)
            ref_note(&worst[k],
                     ref_value(&r, column[k]) - ref_at(&t, i, ref_column(&t, reference[k])),
                     ref_at(&t, i, 0));
    }
    for (int k = 0; k < 4; k++)
        ref_require(reference[k], worst[k], 1.05 * limit[k]);
    ref_close(&r);
    ref_free(&t);

    // four revolutes in a plane: three redundant rows
    t = ref_read("modelica_planar_fourbar.csv");
    r = ref_open("modelica/planar-fourbar.yaml", NULL);
    RefWorst angle = {0}, rate = {0};
    for (int i = 0; i < t.n_rows; i++) {
        ref_advance(&r, ref_at(&t, i, 0));
        ref_note(&angle, ref_value(&r, "rev1.angle") - ref_at(&t, i, 1), ref_at(&t, i, 0));
        ref_note(&rate, ref_value(&r, "rev1.rate") - ref_at(&t, i, 2), ref_at(&t, i, 0));
    }
    ref_require("four-bar revolute1.phi", angle, 1.05 * 6.9e-4);
    ref_require("four-bar revolute1.w", rate, 1.05 * 3.4e-3);
    HolCheck check;
    HolError err;
    assert_int_equal(hol_sim_check(r.sim, &check, &err), HOL_OK);
    assert_int_equal(check.redundant, 3);
    assert_int_equal(check.dof, 1);
    ref_close(&r);
    ref_free(&t);
}

// A^T w: components of the angular velocity in body axes
static void omega_in_body_axes(const RefRun *r, const char *body, double out[3]) {
    char name[64];
    double A[9], w[3];
    snprintf(name, sizeof name, "%s.w", body);
    ref_vector(r, name, w);
    ref_rotation(r, body, A);
    for (int i = 0; i < 3; i++)
        out[i] = A[i] * w[0] + A[3 + i] * w[1] + A[6 + i] * w[2];
}

static void compare_tilted(const char *csv, const char *model, const double limit[3]) {
    RefTable t = ref_read(csv);
    RefRun r = ref_open(model, NULL);
    RefWorst worst[3] = {0};
    for (int i = 0; i < t.n_rows; i++) {
        double w[3];
        ref_advance(&r, ref_at(&t, i, 0));
        omega_in_body_axes(&r, "body", w);
        for (int k = 0; k < 3; k++)
            ref_note(&worst[k], w[k] - ref_at(&t, i, 1 + k), ref_at(&t, i, 0));
    }
    for (int k = 0; k < 3; k++)
        ref_require(t.names[1 + k], worst[k], 1.05 * limit[k] + 1e-9);
    ref_close(&r);
    ref_free(&t);
}

static void test_modelica_tilted(void **state) {
    (void)state;
    const double revolute[3] = {1.4e-15, 2.1e-5, 1.5e-15}, spherical[3] = {8.3e-15, 6.3e-5, 1.3e-4};
    compare_tilted("modelica_revolute_constraint.csv", "modelica/revolute-constraint.yaml",
                   revolute);
    compare_tilted("modelica_spherical_constraint.csv", "modelica/spherical-constraint.yaml",
                   spherical);
}

// body x axis = (cos p1 cos p2, sin p1 cos p2, -sin p2)
static void test_modelica_force_and_torque(void **state) {
    (void)state;
    RefTable t = ref_read("modelica_force_and_torque.csv");
    RefRun r = ref_open("modelica/force-and-torque.yaml", NULL);
    RefWorst first = {0}, second = {0};
    for (int i = 0; i < t.n_rows; i++) {
        double time = ref_at(&t, i, 0);
        ref_advance(&r, time);
        double dx = ref_value(&r, "body.tip.x - body.foot.x"),
               dy = ref_value(&r, "body.tip.y - body.foot.y"),
               dz = ref_value(&r, "body.tip.z - body.foot.z");
        double p1 = ref_at(&t, i, ref_column(&t, "revolute1.phi"));
        ref_note(&first, ref_unwrap(atan2(dy, dx), p1) - p1, time);
        ref_note(&second, asin(-dz) - ref_at(&t, i, ref_column(&t, "revolute2.phi")), time);
    }
    ref_require("revolute1.phi", first, 1.05 * 7.4e-5);
    ref_require("revolute2.phi", second, 1.05 * 4.6e-5);
    ref_close(&r);
    ref_free(&t);
}

// A = Rz(a1) Ry(a2) Rx(a3)
static void test_rolling_wheel(void **state) {
    (void)state;
    RefTable t = ref_read("modelica_rolling_wheel.csv");
    RefRun r = ref_open("rolling-wheel.yaml", NULL);
    RefWorst worst[5] = {0};
    const double limit[5] = {4.6e-4, 6.0e-4, 6.9e-4, 8.7e-4, 1.2e-3};
    RefWorst early = {0}; // the first second agrees much better
    for (int i = 0; i < t.n_rows; i++) {
        double time = ref_at(&t, i, 0), A[9];
        ref_advance(&r, time);
        ref_rotation(&r, "wheel", A);
        double a1 = ref_at(&t, i, 1), a2 = ref_at(&t, i, 2), a3 = ref_at(&t, i, 3);
        double x = ref_value(&r, "wheel.x") - ref_at(&t, i, ref_column(&t, "wheel1.x"));
        ref_note(&worst[0], x, time);
        if (time <= 1)
            ref_note(&early, x, time);
        ref_note(&worst[1], ref_value(&r, "wheel.y") - ref_at(&t, i, ref_column(&t, "wheel1.y")),
                 time);
        ref_note(&worst[2], ref_unwrap(atan2(A[3], A[0]), a1) - a1, time);
        ref_note(&worst[3], asin(-A[6]) - a2, time);
        ref_note(&worst[4], ref_unwrap(atan2(A[7], A[8]), a3) - a3, time);
    }
    const char *const names[5] = {"wheel x", "wheel y", "wheel angle 1", "wheel angle 2",
                                  "wheel angle 3"};
    for (int k = 0; k < 5; k++)
        ref_require(names[k], worst[k], 1.05 * limit[k]);
    ref_require("wheel x in the first second", early, 2e-5);
    ref_close(&r);
    ref_free(&t);
}

// ---- IFToMM benchmark library ----

// A04: one redundant row all the time
static void test_bricard(void **state) {
    (void)state;
    RefTable t = ref_read("a04_bricard_p3.csv");
    RefRun r = ref_open("bricard.yaml", "step=0.01", NULL);
    RefWorst worst = {0};
    for (int i = 0; i < t.n_rows; i++) {
        double p[3];
        ref_advance(&r, ref_at(&t, i, 0));
        ref_vector(&r, "rod2.P3.", p);
        ref_note_vector(&worst, &t, i, "x", p);
    }
    ref_require("A04 point P3 [m], h = 0.01", worst, 1e-5);
    double drift = hol_sim_stats(r.sim).energy_max_drift;
    if (!(drift < 1e-3))
        fail_msg("A04 energy drift %.3e J", drift);
    HolCheck check;
    HolError err;
    assert_int_equal(hol_sim_check(r.sim, &check, &err), HOL_OK);
    assert_int_equal(check.redundant, 1);
    assert_int_equal(check.dof, 1);
    ref_close(&r);
    ref_free(&t);
}

// A05: slider height, published to 3 s, and the reduced equations to 10 s
static void test_flyball(void **state) {
    (void)state;
    RefTable t = ref_read("a05_flyball_s.csv"), exact = ref_read("a05_flyball_exact.csv");
    RefRun r = ref_open("flyball.yaml", "tolerance=1e-7", NULL);
    RefWorst height = {0}, turn = {0}, published = {0};
    int next = 0;
    for (int i = 0; i < exact.n_rows; i++) {
        double time = ref_at(&exact, i, 0);
        ref_advance(&r, time);
        double s = ref_value(&r, "slider.z");
        ref_note(&height, s - ref_at(&exact, i, 2), time);
        ref_note(&turn, ref_value(&r, "axle.angle") - ref_at(&exact, i, 3), time);
        if (next < t.n_rows && fabs(ref_at(&t, next, 0) - time) < 1e-9)
            ref_note(&published, s - ref_at(&t, next++, 1), time);
    }
    assert_int_equal(next, t.n_rows);
    ref_require("A05 height, published", published, 1e-5);
    ref_require("A05 height, reduced equations", height, 1e-5);
    ref_require("A05 shaft angle, reduced equations", turn, 1e-4);
    ref_close(&r);
    ref_free(&t);
    ref_free(&exact);
}

// ---- tops ----

// t, Euler parameters, centre of mass: DOP853 with relative tolerance 1e-13, agrees with published
// RK4 values to all their digits
static const double heavy_top[4][8] = {
    {0.05, -0.814666053082, -0.049181315080, -0.568361868965, 0.104236299382, 0.22574112,
     0.97343198, -0.03835518},
    {0.10, 0.331822912608, 0.177338056667, 0.914975159139, -0.145826014431, 0.42129666, 0.89457197,
     -0.1491647},
    {0.15, 0.255629883693, -0.331220394902, -0.904490181778, 0.082728009961, 0.55687569, 0.76689825,
     -0.31899301},
    {0.20, -0.708279152974, 0.438781088127, 0.545728396145, 0.089399752824, 0.60555056, 0.59895768,
     -0.52398303},
};

static void test_heavy_top(void **state) {
    (void)state;
    RefRun r = ref_open("heavy-top.yaml", "step=2e-4", NULL);
    const char *const names[4] = {"top.qw", "top.qx", "top.qy", "top.qz"};
    RefWorst orientation = {0}, position = {0}, spin = {0};
    for (int i = 0; i < 4; i++) {
        const double *e = heavy_top[i];
        ref_advance(&r, e[0]);
        double dot = 0, x[3], w[3];
        for (int k = 0; k < 4; k++)
            dot += ref_value(&r, names[k]) * e[1 + k];
        for (int k = 0; k < 4; k++)
            ref_note(&orientation, (dot < 0 ? -1 : 1) * ref_value(&r, names[k]) - e[1 + k], e[0]);
        ref_vector(&r, "top.", x);
        for (int k = 0; k < 3; k++)
            ref_note(&position, x[k] - e[5 + k], e[0]);
        omega_in_body_axes(&r, "top", w);
        ref_note(&spin, w[1] - 150, e[0]);
    }
    ref_require("heavy top orientation, h = 2e-4", orientation, 1e-7);
    ref_require("heavy top position, h = 2e-4", position, 2e-8);
    ref_require("heavy top spin", spin, 1e-6);
    ref_close(&r);
}

// Euler angles at 1 s and 10 s from the reduced equations; the centre of mass is
// l (sin phi sin theta, -cos phi sin theta, cos theta)
static void test_spinning_top(void **state) {
    (void)state;
    const double t[2] = {1, 10}, phi[2] = {4.24473376981371, 41.89272347035327},
                 theta[2] = {0.5340997872950881, 0.5246094543817127};
    RefRun r = ref_open("spinning-top.yaml", "step=0.001", NULL);
    RefWorst worst[2] = {0};
    for (int i = 0; i < 2; i++) {
        double x[3];
        ref_advance(&r, t[i]);
        ref_vector(&r, "top.", x);
        ref_note(&worst[i], x[0] / 0.05 - sin(phi[i]) * sin(theta[i]), t[i]);
        ref_note(&worst[i], x[1] / 0.05 + cos(phi[i]) * sin(theta[i]), t[i]);
        ref_note(&worst[i], x[2] / 0.05 - cos(theta[i]), t[i]);
    }
    ref_require("top at 1 s", worst[0], 1e-6);
    ref_require("top at 10 s", worst[1], 1e-5);
    ref_close(&r);
}

// ---- spatial slider-crank: the slider follows the crank angle by geometry, energy is kept ----

static void test_spatial_slider_crank(void **state) {
    (void)state;
    RefRun r = ref_open("slider-crank-spatial.yaml", NULL);
    RefWorst position = {0}, speed = {0};
    double turned = 0;
    for (int i = 0; i <= 100; i++) {
        double t = 0.05 * i;
        ref_advance(&r, t);
        double a = ref_value(&r, "shaft.angle"), w = ref_value(&r, "shaft.rate");
        double y = 0.1 - 0.08 * sin(a), z = 0.12 + 0.08 * cos(a), x = sqrt(0.09 - y * y - z * z);
        double vx = -(y * -0.08 * cos(a) * w + z * -0.08 * sin(a) * w) / x;
        ref_note(&position, ref_value(&r, "slider.x") - x, t);
        ref_note(&speed, ref_value(&r, "slider.vx") - vx, t);
        turned = a;
    }
    assert_true(fabs(turned) > 12); // it runs round several times, the angle is not wrapped
    ref_require("spatial slider-crank position", position, 1e-11);
    ref_require("spatial slider-crank speed", speed, 1e-9);
    assert_true(hol_sim_stats(r.sim).energy_max_drift < 1e-6);
    ref_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modelica_joints),
        cmocka_unit_test(test_modelica_tilted),
        cmocka_unit_test(test_modelica_force_and_torque),
        cmocka_unit_test(test_rolling_wheel),
        cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_flyball),
        cmocka_unit_test(test_heavy_top),
        cmocka_unit_test(test_spinning_top),
        cmocka_unit_test(test_spatial_slider_crank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
