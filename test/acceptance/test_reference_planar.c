// SPDX-License-Identifier: Apache-2.0
// Planar models of models/ against numbers that did not come from this program: published benchmark
// results (IFToMM library, Test Set for IVP Solvers, Modelica reference results), closed forms, and
// reduced equations integrated here by a plain Runge-Kutta loop. Limits are the deviations known
// for the published numbers (see the head of each file in test/ref) times 1.05 (two printed
// digits), or what the benchmark asks for.
#include "ref_compare.h"

// ---- IFToMM benchmark library ----

// A01 over 100 s at h = 0.005: the published 6 digits are 7.1e-7 m from the exact solution
static void test_simple_pendulum(void **state) {
    (void)state;
    RefTable t = ref_read("a01_pendulum.csv");
    RefRun r = ref_open("pendulum.yaml", "step=0.005", NULL);
    RefWorst worst = {0};
    for (int i = 0; i < t.n_rows; i++) {
        double time = ref_at(&t, i, 0);
        ref_advance(&r, time);
        ref_note(&worst, ref_value(&r, "mass.x") - ref_at(&t, i, 1), time);
        ref_note(&worst, ref_value(&r, "mass.y") - ref_at(&t, i, 2), time);
    }
    ref_require("A01 position", worst, 1.05 * 7.1e-7);
    assert_true(hol_sim_stats(r.sim).energy_max_drift < 5e-7);
    ref_close(&r);
    ref_free(&t);
}

// A02, two windows, through five singular positions: against the exact reduction to one angle
static void test_double_four_bar(void **state) {
    (void)state;
    RefTable t = ref_read("a02_four_bar_exact.csv");
    RefRun r = ref_open("four-bar.yaml", "step=0.005", NULL);
    RefWorst position = {0}, velocity = {0};
    for (int i = 0; i < t.n_rows; i++) {
        double time = ref_at(&t, i, 0);
        ref_advance(&r, time);
        ref_note(&position, ref_value(&r, "v0.B.x") - ref_at(&t, i, 1), time);
        ref_note(&position, ref_value(&r, "v0.B.y") - ref_at(&t, i, 2), time);
        ref_note(&velocity, ref_value(&r, "v0.B.vx") - ref_at(&t, i, 3), time);
        ref_note(&velocity, ref_value(&r, "v0.B.vy") - ref_at(&t, i, 4), time);
    }
    ref_require("A02 position of B0, h = 0.005", position, 1e-6);
    ref_require("A02 velocity of B0, h = 0.005", velocity, 1e-5);
    ref_close(&r);
    ref_free(&t);

    r = ref_open("four-bar.yaml", "step=0.01", NULL);
    ref_advance(&r, 10);
    double drift = hol_sim_stats(r.sim).energy_max_drift;
    if (!(drift < 5e-5))
        fail_msg("A02 energy drift at h = 0.01: %.3e J, limit 5e-5", drift);
    ref_close(&r);
}

static HolRef at_point(const char *body, double x, double y) {
    return (HolRef){.body = body, .has_at = 1, .at = {x, y}};
}

static void add_hinge(HolModel *m, const char *name, HolRef a, HolRef b) {
    HolJointDef joint = hol_joint_def("revolute");
    joint.name = name;
    joint.a = a;
    joint.b = b;
    HolError err;
    if (hol_model_add_joint(m, &joint, &err) != HOL_OK)
        fail_msg("%s", err.text);
}

static void add_bar(HolModel *m, const char *name, double x, double y, double vx, double omega) {
    HolBodyDef bar = hol_body_def();
    bar.name = name;
    bar.mass = 1;
    bar.inertia[0] = 1.0 / 12;
    bar.position[0] = x;
    bar.position[1] = y;
    bar.velocity[0] = vx;
    bar.omega[0] = omega;
    HolError err;
    if (hol_model_add_body(m, &bar, &err) != HOL_OK)
        fail_msg("%s", err.text);
}

// the same mechanism with n windows, built by calls instead of a file
static HolModel *build_four_bar(int n) {
    HolModel *m;
    HolError err;
    double gravity[2] = {0, -9.81};
    assert_int_equal(hol_model_create("windows", HOL_PLANAR, gravity, &m, &err), HOL_OK);
    char a[16], b[16], c[16];
    for (int i = 0; i <= n; i++) {
        snprintf(a, sizeof a, "v%d", i);
        snprintf(c, sizeof c, "A%d", i);
        add_bar(m, a, i, 0.5, 0.5, -1);
        add_hinge(m, c, at_point("ground", i, 0), at_point(a, 0, -0.5));
    }
    for (int i = 1; i <= n; i++) {
        snprintf(b, sizeof b, "h%d", i);
        add_bar(m, b, i - 0.5, 1, 1, 0);
        snprintf(a, sizeof a, "v%d", i - 1);
        snprintf(c, sizeof c, "L%d", i);
        add_hinge(m, c, at_point(a, 0, 0.5), at_point(b, -0.5, 0));
        snprintf(a, sizeof a, "v%d", i);
        snprintf(c, sizeof c, "R%d", i);
        add_hinge(m, c, at_point(a, 0, 0.5), at_point(b, 0.5, 0));
    }
    assert_int_equal(hol_model_add_output(m, "2*v0.x", 0, 0, &err), HOL_OK);
    assert_int_equal(hol_model_add_output(m, "2*v0.y", 0, 0, &err), HOL_OK);
    if (hol_model_compile(m, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return m;
}

// A02, 40 windows, 3 s: the published ADAMS run is within 1.5e-6 of the exact reduction
static void test_forty_windows(void **state) {
    (void)state;
    RefTable t = ref_read("a02_four_bar_40.csv");
    HolError err;
    RefRun r = {.model = build_four_bar(40), .options = hol_sim_options()};
    r.options.step = 0.005;
    r.options.end = 3;
    if (hol_sim_create(r.model, &r.options, &r.sim, &err) != HOL_OK)
        fail_msg("%s", err.text);
    r.row = calloc((size_t)hol_model_column_count(r.model), sizeof(double));
    RefWorst worst = {0};
    for (int i = 0; i < t.n_rows && ref_at(&t, i, 0) <= 3; i++) {
        double time = ref_at(&t, i, 0);
        ref_advance(&r, time);
        ref_note(&worst, ref_value(&r, "2*v0.x") - ref_at(&t, i, 1), time);
        ref_note(&worst, ref_value(&r, "2*v0.y") - ref_at(&t, i, 2), time);
    }
    ref_require("A02 with 40 windows", worst, 1.05 * 1.5e-6);
    ref_close(&r);
    ref_free(&t);
}

// A03: the crank pin F over 0.05 s
static void test_andrews_point_f(void **state) {
    (void)state;
    RefTable t = ref_read("a03_andrews_point_f.csv");
    RefRun r = ref_open("andrews-a03.yaml", "step=2.5e-5", NULL);
    RefWorst worst = {0};
    int compared = 0;
    for (int i = 0; i < t.n_rows; i++) {
        double time = ref_at(&t, i, 0);
        ref_advance(&r, time);
        for (int k = 0; k < 2; k++) {
            double published = ref_at(&t, i, 1 + k);
            if (isnan(published)) // blank in the source
                continue;
            ref_note(&worst, ref_value(&r, k ? "K1.F.y" : "K1.F.x") - published, time);
            compared++;
        }
    }
    assert_true(compared > 300);
    ref_require("A03 point F [m]", worst, 1e-7);
    ref_close(&r);
    ref_free(&t);
}

// ---- Test Set for IVP Solvers ----

// the seven angles of the test set from the bodies' angles (x, y, angle of each body stand in a
// row), and the same for their rates and accelerations
static void andrews_angles(const double *bodies, double out[7]) {
    double a[7];
    for (int i = 0; i < 7; i++)
        a[i] = bodies[3 * i + 2];
    double angles[7] = {a[0], a[1] - a[0], a[2], a[3] - a[4], a[4], a[5] - a[6], a[6]};
    memcpy(out, angles, sizeof angles);
}

// values first .. first+n-1 of the list against the printed ones
static void compare_end(const RefTable *t, int first, int n, const double *values, double limit) {
    for (int i = 0; i < n; i++) {
        double published = ref_at(t, first + i, 2);
        if (!(fabs(values[i] - published) < limit))
            fail_msg("value %d of the test set: %.16g, published %.16g, limit %.1e", first + i + 1,
                     values[i], published, limit);
    }
}

// t = 0.03 s at h = 1e-5 (3000 steps): beta within 1e-8 of 15.81077119515 rad, and all 27 numbers
// of the test set. Its printed values differ from the converged ones by 1e-9 rad, 1e-7 rad/s and,
// in the multipliers, 1.5e-5 N; accelerations reach 6e5 rad/s^2
static void test_andrews_end(void **state) {
    (void)state;
    RefTable t = ref_read("andrews_end.csv");
    RefRun r = ref_open("andrews.yaml", "step=1e-5", NULL);
    ref_advance(&r, 0.03);
    HolView view = hol_sim_view(r.sim);
    double x[7], beta;
    andrews_angles(view.q, x);
    beta = x[0];
    if (!(fabs(beta - 15.81077119515) < 1e-8))
        fail_msg("beta(0.03) is off by %.3e at h = 1e-5", beta - 15.81077119515);
    compare_end(&t, 0, 7, x, 1e-8);
    andrews_angles(view.v, x);
    compare_end(&t, 7, 7, x, 1e-5);
    andrews_angles(view.a, x);
    compare_end(&t, 14, 7, x, 0.1);
    // the loops are closed at E: the crank side against K3, K4, K6
    const char *const forces[6] = {"E3.fx", "E3.fy", "E4.fx", "E4.fy", "E6.fx", "E6.fy"};
    for (int i = 0; i < 6; i++)
        x[i] = ref_value(&r, forces[i]);
    compare_end(&t, 21, 6, x, 3e-5);
    // the torque is the only source of energy
    HolStats s = hol_sim_stats(r.sim);
    assert_true(s.energy_max_drift < 1e-8);
    assert_true(fabs(s.work - 0.033 * (beta + 0.0617138900142764)) < 1e-8);
    ref_close(&r);
    ref_free(&t);
}

// ---- Modelica reference results ----

typedef struct Signal {
    const char *reference, *column;
    double limit; // largest deviation of an independent solution
} Signal;

static void compare_signals(const char *csv, const char *model, const char *step,
                            const Signal *signals, int n) {
    RefTable t = ref_read(csv);
    RefRun r = ref_open(model, step, NULL);
    RefWorst worst[8] = {0};
    assert_true(n <= 8);
    for (int i = 0; i < t.n_rows; i++) {
        double time = ref_at(&t, i, 0);
        ref_advance(&r, time);
        for (int k = 0; k < n; k++)
            ref_note(&worst[k],
                     ref_value(&r, signals[k].column) -
                         ref_at(&t, i, ref_column(&t, signals[k].reference)),
                     time);
    }
    for (int k = 0; k < n; k++)
        ref_require(signals[k].column, worst[k], 1.05 * signals[k].limit);
    ref_close(&r);
    ref_free(&t);
}

static void test_modelica_pendulum(void **state) {
    (void)state;
    const Signal signals[] = {{"rev.phi", "rev.angle", 5.0e-6}, {"rev.w", "rev.rate", 2.6e-5}};
    compare_signals("modelica_pendulum.csv", "modelica/pendulum.yaml", "step=0.005", signals, 2);
}

static void test_modelica_elastic_pendulum(void **state) {
    (void)state;
    const Signal signals[] = {
        {"prismatic.s", "(body.x-0.3)*cos(body.angle) + body.y*sin(body.angle)", 1.1e-5},
        {"prismatic.v", "body.vx*cos(body.angle) + body.vy*sin(body.angle)", 4.5e-5},
        {"revolute.phi", "body.angle", 1.5e-5},
        {"revolute.w", "body.omega", 3.2e-5}};
    compare_signals("modelica_pendulum_with_spring_damper.csv",
                    "modelica/pendulum-spring-damper.yaml", "step=0.005", signals, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple_pendulum),
        cmocka_unit_test(test_double_four_bar),
        cmocka_unit_test(test_forty_windows),
        cmocka_unit_test(test_andrews_point_f),
        cmocka_unit_test(test_andrews_end),
        cmocka_unit_test(test_modelica_pendulum),
        cmocka_unit_test(test_modelica_elastic_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
