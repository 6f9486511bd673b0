// SPDX-License-Identifier: Apache-2.0
// Method `tangent` on C-coded problems: published reference values of the tangent-space schemes,
// orders of convergence (equal and alternating steps), constraint levels, stiff start, error
// control, dense output, non-holonomic rows, algebraic variables, refusals, reproducibility.
#include "sample_problems.h"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
// after the headers it needs
#include <cmocka.h>

static const double pi = 3.14159265358979323846;

typedef struct Result {
    double q[9], v[9], lambda[8];
    HolStats stats;
} Result;

static HolSimOptions options(const char *scheme, const char *metric, double step, double end) {
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "tangent");
    snprintf(o.method.scheme, sizeof o.method.scheme, "%s", scheme);
    snprintf(o.method.metric, sizeof o.method.metric, "%s", metric);
    snprintf(o.method.start, sizeof o.method.start, "plain");
    o.step = step;
    o.end = end;
    return o;
}

static HolSim *create(const HolProblem *p, const double *q, const double *v,
                      const HolSimOptions *o) {
    HolSim *sim;
    HolError err;
    if (hol_sim_create_problem(p, q, v, o, &sim, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return sim;
}

static Result finish(HolSim *sim) {
    Result r = {.stats = hol_sim_stats(sim)};
    const HolView view = hol_sim_view(sim);
    memcpy(r.q, view.q, sizeof(double) * (size_t)view.nq);
    memcpy(r.v, view.v, sizeof(double) * (size_t)view.nv);
    if (view.m)
        memcpy(r.lambda, view.lambda, sizeof(double) * (size_t)view.m);
    hol_sim_destroy(sim);
    return r;
}

static Result run(const HolProblem *p, const double *q, const double *v, const HolSimOptions *o) {
    HolError err;
    HolSim *sim = create(p, q, v, o);
    if (hol_sim_advance(sim, o->end, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return finish(sim);
}

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.14g differs from %.14g by %.3g", value, expected, value - expected);
}

// ---- reference values ----

static void test_pendulum_values(void **state) {
    (void)state;
    static const struct {
        const char *scheme, *metric;
        double angle, omega;
    } expected[] = {{"fox-goodwin", "euclid", 1.919445106867, -1.506101764433},
                    {"trapezoidal", "euclid", 1.938506319016, -1.412945795601},
                    {"fox-goodwin", "mass", 1.896493307061, -1.55814337308},
                    {"jfg", "euclid", 1.935436517143, -1.471799859117},
                    {"hermite", "euclid", 1.935501972019, -1.471475608251}};
    const SamplePlanar data = sample_pendulum_data(0, 0);
    const HolProblem p = sample_planar(&data);
    double q[3], v[3];
    sample_pendulum_start(2, 1, q, v);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const HolSimOptions o = options(expected[i].scheme, expected[i].metric, 0.05, 3);
        const Result r = run(&p, q, v, &o);
        assert_near(r.q[2], expected[i].angle, 4e-12);
        assert_near(r.v[2], expected[i].omega, 4e-12);
    }
}

static void test_driven_pendulum_values(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        double torque, h, t, angle, omega, lx, ly;
    } expected[] = {{"fox-goodwin", 0.1, 0.1, 10, 8.631617203426e-03, -4.632872287768e-04,
                     -4.41685123206e-04, 9.799996402091},
                    {"fox-goodwin", 0.1, 0.1, 100, -5.262648973303e-03, -1.313684829561e-03,
                     -2.828340962346e-03, 9.800016610495},
                    {"trapezoidal", 0.1, 0.1, 100, -5.710956654727e-03, 4.340394466624e-05,
                     1.564934388541e-03, 9.799991064514},
                    {"trapezoidal", 0.1, 6, 180, -7.644076968059e-03, -3.54108458431e-04,
                     -1.874934930526e-04, 9.800001558639},
                    {"fox-goodwin", 0.1, 0.78, 99.84, -8.697368295574e-03, -2.504674484331e-04,
                     3.217922754198e-02, 9.799720181086},
                    {"trapezoidal", 9, 0.1, 100, -0.5513174046206, -0.1247258731, 0.2101588067342,
                     9.689031681338}};
    double q[3], v[3];
    sample_pendulum_start(0, 0, q, v);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const SamplePlanar data = sample_pendulum_data(expected[i].torque, 0.1);
        const HolProblem p = sample_planar(&data);
        const HolSimOptions o = options(expected[i].scheme, "euclid", expected[i].h, expected[i].t);
        const Result r = run(&p, q, v, &o);
        assert_near(r.q[2], expected[i].angle, 1e-11);
        assert_near(r.v[2], expected[i].omega, 2e-11);
        // the reference has the multiplier on the other side
        assert_near(-r.lambda[0], expected[i].lx, 1e-9);
        assert_near(-r.lambda[1], expected[i].ly, 1e-9);
    }
}

static void test_double_pendulum_values(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        double value[4];
    } expected[] = {
        {"fox-goodwin", {-1.980537229737, -6.125068379467, 1.74058978395, -3.429929601091}},
        {"trapezoidal", {-1.980244908763, -6.127224567923, 1.741340283921, -3.436375853345}},
        {"jfg", {-1.980114869884, -6.126703794952, 1.742359603301, -3.433321163752}},
        {"hermite", {-1.980114650622, -6.126704835465, 1.742360002512, -3.433323954276}}};
    const SamplePlanar data = sample_double_data(0);
    const HolProblem p = sample_planar(&data);
    const double angle[2] = {-0.5, 0.3}, omega[2] = {0, 0};
    double q[6], v[6];
    sample_double_start(angle, omega, q, v);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const HolSimOptions o = options(expected[i].scheme, "euclid", 0.0125, 2);
        const Result r = run(&p, q, v, &o);
        const double got[4] = {r.q[2], r.q[5], r.v[2], r.v[5]};
        for (int k = 0; k < 4; k++)
            assert_near(got[k], expected[i].value[k], 4e-12);
    }
}

// Stiff double pendulum: first steps of the paper's schemes, the graded start of hermite.
static void test_stiff_double_pendulum(void **state) {
    (void)state;
    const SamplePlanar data = sample_double_data(1);
    const HolProblem p = sample_planar(&data);
    const double angle[2] = {2 * pi, 23 * pi / 12}, omega[2] = {0, 10};
    double q[6], v[6];
    sample_double_start(angle, omega, q, v);
    HolSimOptions o = options("fox-goodwin", "euclid", 5e-4, 5e-4);
    Result r = run(&p, q, v, &o);
    assert_near(r.q[2], 6.298855485168, 4e-12);
    assert_near(r.q[5], 5.971359731086, 4e-12);
    assert_near(r.v[2], 2.531123895804, 1e-9);
    o = options("trapezoidal", "euclid", 5e-4, 1);
    r = run(&p, q, v, &o);
    assert_near(r.q[2], 5.163517295389, 1e-11);
    assert_near(r.q[5], 5.163001875039, 1e-11);
    // graded by itself, says so, and is five digits better than plain
    o = options("hermite", "mass", 5e-4, 1);
    const Result plain = run(&p, q, v, &o);
    assert_null(strstr(plain.stats.note, "graded"));
    snprintf(o.method.start, sizeof o.method.start, "auto");
    r = run(&p, q, v, &o);
    assert_non_null(strstr(r.stats.note, "graded"));
    assert_near(r.q[2], 5.16143979933, 3e-9);
    assert_near(r.q[5], 5.160924184973, 3e-9);
    assert_true(fabs(plain.q[2] - 5.16143979933) > 1e-3);
    assert_true(r.stats.residual_position < 1e-14);
    o = options("obreshkov3", "mass", 5e-4, 1);
    snprintf(o.method.start, sizeof o.method.start, "graded");
    r = run(&p, q, v, &o);
    assert_near(r.q[2], 5.16143979933, 1e-8);
}

// A smooth start is not graded.
static void test_smooth_start_is_plain(void **state) {
    (void)state;
    const SamplePlanar data = sample_pendulum_data(0, 0);
    const HolProblem p = sample_planar(&data);
    double q[3], v[3];
    sample_pendulum_start(2, 1, q, v);
    HolSimOptions o = options("hermite", "mass", 0.05, 1);
    snprintf(o.method.start, sizeof o.method.start, "auto");
    const Result r = run(&p, q, v, &o);
    assert_string_equal(r.stats.note, "");
    assert_int_equal(r.stats.steps, 20);
}

// ---- orders ----

static double largest(const double *a, const double *b, int n) {
    double e = 0;
    for (int i = 0; i < n; i++)
        e = fmax(e, fabs(a[i] - b[i]));
    return e;
}

// n steps; alternating: of lengths in the ratio 2:1
static Result march(const HolProblem *p, const double *q, const double *v, const char *scheme,
                    int n, double end, int alternating) {
    HolError err;
    const double mean = end / n;
    HolSimOptions o = options(scheme, "mass", alternating ? 4.0 / 3 * mean : mean, end);
    HolSim *sim = create(p, q, v, &o);
    for (int k = 1; k <= n && alternating; k++) {
        const double t = mean * (k + (k % 2 ? 1.0 / 3 : 0));
        if (hol_sim_advance(sim, t, &err) != HOL_OK)
            fail_msg("%s", err.text);
    }
    if (!alternating && hol_sim_advance(sim, end, &err) != HOL_OK)
        fail_msg("%s", err.text);
    const Result r = finish(sim);
    assert_int_equal(r.stats.steps, n);
    // all three levels at every step
    assert_true(r.stats.residual_position < 1e-14);
    assert_true(r.stats.residual_velocity < 1e-12);
    assert_true(r.stats.residual_acceleration < 1e-10);
    return r;
}

static void check_order(const HolProblem *p, const double *q, const double *v, double end, int n,
                        int finest, const char *scheme, int alternating, double low, double high) {
    const Result exact = march(p, q, v, "hermite", finest, end, 0),
                 a = march(p, q, v, scheme, n, end, alternating),
                 b = march(p, q, v, scheme, 2 * n, end, alternating);
    const double error[3][2] = {
        {largest(a.q, exact.q, p->nq), largest(b.q, exact.q, p->nq)},
        {largest(a.v, exact.v, p->nv), largest(b.v, exact.v, p->nv)},
        {largest(a.lambda, exact.lambda, p->nh), largest(b.lambda, exact.lambda, p->nh)}};
    for (int k = 0; k < 3; k++) {
        const double order = log2(error[k][0] / error[k][1]);
        if (!(order > low && order < high))
            fail_msg("%s: order %.3f of %s (errors %.3g, %.3g)", scheme, order,
                     k == 0   ? "q"
                     : k == 1 ? "v"
                              : "lambda",
                     error[k][0], error[k][1]);
    }
}

static void test_orders_planar(void **state) {
    (void)state;
    const SamplePlanar data = sample_double_data(0);
    const HolProblem p = sample_planar(&data);
    const double angle[2] = {-0.5, 0.3}, omega[2] = {0, 0};
    double q[6], v[6];
    sample_double_start(angle, omega, q, v);
    check_order(&p, q, v, 2, 400, 3200, "hermite", 0, 3.8, 4.2);
    check_order(&p, q, v, 2, 400, 3200, "hermite", 1, 3.8, 4.2);
    check_order(&p, q, v, 2, 160, 3200, "obreshkov3", 0, 2.9, 3.1);
    check_order(&p, q, v, 2, 640, 3200, "newmark", 0, 1.85, 2.15);
    for (int alternating = 0; alternating < 2; alternating++) {
        check_order(&p, q, v, 2, 640, 3200, "hht", alternating, 1.85, 2.15);
        check_order(&p, q, v, 2, 640, 3200, "generalized-alpha", alternating, 1.85, 2.15);
    }
}

static void test_orders_spatial(void **state) {
    (void)state;
    const SampleTop data = sample_top_data();
    const HolProblem p = sample_top(&data);
    double q[7], v[6];
    sample_top_start(&data, q, v);
    check_order(&p, q, v, 0.5, 50, 1600, "hermite", 0, 3.8, 4.2);
    check_order(&p, q, v, 0.5, 50, 1600, "hermite", 1, 3.8, 4.2);
    check_order(&p, q, v, 0.5, 50, 1600, "jfg", 0, 3.8, 4.2);
    check_order(&p, q, v, 0.5, 50, 1600, "obreshkov3", 0, 2.9, 3.2);
    check_order(&p, q, v, 0.5, 100, 1600, "fox-goodwin", 0, 1.9, 2.1);
    check_order(&p, q, v, 0.5, 100, 1600, "trapezoidal", 0, 1.9, 2.1);
    check_order(&p, q, v, 0.5, 200, 1600, "hht", 0, 1.9, 2.1);
    check_order(&p, q, v, 0.5, 200, 1600, "generalized-alpha", 1, 1.9, 2.1);
}

// ---- error control ----

static void check_control(const HolProblem *p, const double *q, const double *v, double end,
                          const char *scheme, int finest, double low, double high) {
    HolSimOptions o = options("hermite", "mass", end / finest, end);
    const Result exact = run(p, q, v, &o);
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    const int n = 7;
    for (int k = 3; k <= 9; k++) {
        o = options(scheme, "mass", 0, end);
        o.tolerance = pow(10, -k);
        const Result r = run(p, q, v, &o);
        const double x = -k, y = log10(largest(r.q, exact.q, p->nq));
        if (r.stats.steps > 10 && r.stats.rejected * 5 > r.stats.steps)
            fail_msg("%s, tolerance 1e-%d: %ld of %ld steps rejected", scheme, k, r.stats.rejected,
                     r.stats.steps);
        assert_true(r.stats.residual_position < 1e-14 && r.stats.residual_velocity < 1e-12);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    if (!(slope > low && slope < high))
        fail_msg("%s: error follows the tolerance with slope %.2f", scheme, slope);
}

static void test_error_control(void **state) {
    (void)state;
    double q[7], v[6];
    const SamplePlanar one = sample_pendulum_data(0, 0), two = sample_double_data(0);
    HolProblem p = sample_planar(&one);
    sample_pendulum_start(2, 1, q, v);
    check_control(&p, q, v, 3, "hermite", 6000, 0.6, 1.3);
    p = sample_planar(&two);
    const double angle[2] = {-0.5, 0.3}, omega[2] = {0, 0};
    sample_double_start(angle, omega, q, v);
    check_control(&p, q, v, 2, "hermite", 4000, 0.6, 1.3);
    check_control(&p, q, v, 2, "jfg", 4000, 0.6, 1.3);
    check_control(&p, q, v, 2, "obreshkov3", 4000, 0.6, 1.3);
    check_control(&p, q, v, 2, "trapezoidal", 4000, 0.55, 1.3);
    check_control(&p, q, v, 2, "hht", 4000, 0.55, 1.3);
    const SampleTop data = sample_top_data();
    p = sample_top(&data);
    sample_top_start(&data, q, v);
    check_control(&p, q, v, 3, "hermite", 6000, 0.6, 1.3);
}

// Forces that ask for damping: tolerances are met through the transient.
static void test_error_control_stiff(void **state) {
    (void)state;
    const SamplePlanar data = sample_double_data(1);
    const HolProblem p = sample_planar(&data);
    const double angle[2] = {2 * pi, 23 * pi / 12}, omega[2] = {0, 10};
    double q[6], v[6];
    sample_double_start(angle, omega, q, v);
    static const char *const schemes[] = {"hermite", "obreshkov3", "hht"};
    for (int i = 0; i < 3; i++) {
        HolSimOptions o = options(schemes[i], "mass", 0, 1);
        o.tolerance = i == 0 ? 1e-6 : i == 1 ? 1e-4 : 1e-3; // (of order 3, 2)
        const Result r = run(&p, q, v, &o);
        assert_near(r.q[2], 5.16143979933, 30 * o.tolerance);
        assert_near(r.q[5], 5.160924184973, 30 * o.tolerance);
        if (!(r.stats.steps < 1800 && r.stats.rejected * 5 < r.stats.steps))
            fail_msg("%s: %ld steps, %ld rejected", schemes[i], r.stats.steps, r.stats.rejected);
        assert_true(r.stats.jacobians > 0); // Newton, not small steps
    }
}

// ---- dense output ----

static void test_dense_output(void **state) {
    (void)state;
    const SampleTop data = sample_top_data();
    const HolProblem p = sample_top(&data);
    double q[7], v[6], error[2][3];
    sample_top_start(&data, q, v);
    HolError err;
    for (int k = 0; k < 2; k++) {
        const double h = 0.02 / (1 << k), t = 0.1 + 0.37 * h;
        HolSimOptions o = options("hermite", "mass", h, 0.2);
        HolSim *sim = create(&p, q, v, &o);
        assert_int_equal(hol_sim_advance(sim, 0.1 + h, &err), HOL_OK);
        double qi[7], vi[6], ai[6], li[3];
        assert_int_equal(hol_sim_interpolate(sim, t, qi, vi, ai, li, NULL), HOL_OK);
        assert_near(qi[3] * qi[3] + qi[4] * qi[4] + qi[5] * qi[5] + qi[6] * qi[6], 1, 1e-14);
        hol_sim_destroy(sim);
        o = options("hermite", "mass", t / 400, t);
        const Result exact = run(&p, q, v, &o);
        error[k][0] = largest(qi, exact.q, 7);
        error[k][1] = largest(vi, exact.v, 6);
        error[k][2] = largest(li, exact.lambda, 3);
    }
    for (int i = 0; i < 3; i++)
        assert_true(log2(error[0][i] / error[1][i]) > 3.6);
}

// ---- skate: x, y, heading; the blade does not slip: -sin(heading) x' + cos(heading) y' = 0 ----

static void skate_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                       double *S) {
    (void)p, (void)work, (void)at, (void)into_S;
    for (int i = 0; i < 3; i++)
        S[4 * i] += c * (i < 2 ? 2 : 0.5);
}

static void skate_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    f[0] = 2 * 3; // slope: acceleration 3 along x
    f[1] = f[2] = 0;
}

static void skate_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    (void)p, (void)work, (void)at;
    G[0] = -sin(at->q[2]);
    G[1] = cos(at->q[2]);
    G[2] = 0;
}

// Skate on an inclined plane with turning rate w: x = (g/2w^2) sin^2 wt, y = (g/2w^2)(wt -
// sin(2wt)/2).
static void test_non_holonomic(void **state) {
    (void)state;
    const HolProblem p = {.size = sizeof(HolProblem),
                          .nq = 3,
                          .nv = 3,
                          .nn = 1,
                          .mass = skate_mass,
                          .force = skate_force,
                          .jacobian = skate_jacobian};
    const double q[3] = {0}, v[3] = {0, 0, 1.7}, w = 1.7, g = 3, t = 2;
    double error[2];
    for (int k = 0; k < 2; k++) {
        const HolSimOptions o = options("hermite", "mass", 0.1 / (1 << k), t);
        const Result r = run(&p, q, v, &o);
        const double x = g / (2 * w * w) * sin(w * t) * sin(w * t),
                     y = g / (2 * w * w) * (w * t - 0.5 * sin(2 * w * t));
        error[k] = fmax(fabs(r.q[0] - x), fabs(r.q[1] - y));
        assert_true(r.stats.residual_velocity < 1e-13);
    }
    assert_true(error[1] < 1e-5);
    assert_true(log2(error[0] / error[1]) > 3.7 && log2(error[0] / error[1]) < 4.3);
}

// ---- algebraic variable: w = a/2 + 0 lambda, f = -x - w, so 1.5 x'' = -x; second coordinate held
// ----

static void added_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    f[0] = -at->q[0] - at->w[0];
    f[1] = 4;
}

static void added_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                       double *S) {
    (void)p, (void)work, (void)at, (void)into_S;
    S[0] += c;
    S[3] += c;
}

static void added_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)p, (void)work, (void)at;
    g[0] = at->q[1];
}

// w1 = a/2; w2 = lambda^2, which nothing uses, so that the border has a nonlinear row
static void added_variables(const HolProblem *p, void *work, const HolPoint *at,
                            const HolAlgebraic *out) {
    (void)p, (void)work, (void)at;
    out->r[0] = at->w[0] - 0.5 * at->a[0];
    out->r[1] = at->w[1] - at->lambda[0] * at->lambda[0];
    const double zero[4] = {0};
    if (out->Jq)
        memcpy(out->Jq, zero, sizeof zero);
    if (out->Jv)
        memcpy(out->Jv, zero, sizeof zero);
    if (out->Ja) {
        memcpy(out->Ja, zero, sizeof zero);
        out->Ja[0] = 0.5;
    }
    if (out->Jl) {
        out->Jl[0] = 0;
        out->Jl[1] = 2 * at->lambda[0];
    }
    if (out->Jw)
        memcpy(out->Jw, zero, sizeof zero);
    if (out->fw) {
        memcpy(out->fw, zero, sizeof zero);
        out->fw[0] = -1;
    }
}

static void test_algebraic_variables(void **state) {
    (void)state;
    const HolProblem p = {.size = sizeof(HolProblem),
                          .nq = 2,
                          .nv = 2,
                          .nh = 1,
                          .nw = 2,
                          .mass = added_mass,
                          .force = added_force,
                          .constraint = added_constraint,
                          .variables = added_variables};
    const double q[2] = {1, 0}, v[2] = {0, 0}, w = sqrt(1 / 1.5), t = 4;
    double error[2];
    for (int k = 0; k < 2; k++) {
        HolError err;
        const HolSimOptions o = options("hermite", "mass", 0.2 / (1 << k), t);
        HolSim *sim = create(&p, q, v, &o);
        if (hol_sim_advance(sim, t, &err) != HOL_OK)
            fail_msg("%s", err.text);
        const HolView view = hol_sim_view(sim);
        assert_near(view.w[0], 0.5 * view.a[0], 1e-12);
        assert_near(view.w[1], 16, 1e-10);
        error[k] = fabs(view.q[0] - cos(w * t)) + fabs(view.v[0] + w * sin(w * t));
        hol_sim_destroy(sim);
    }
    assert_true(error[1] < 1e-6);
    assert_true(log2(error[0] / error[1]) > 3.8 && log2(error[0] / error[1]) < 4.2);
}

// ---- refusals and reproducibility ----

static void refuse_option(const char *scheme, const char *metric, const char *start, double beta,
                          double gamma, const char *expected) {
    const SamplePlanar data = sample_pendulum_data(0, 0);
    const HolProblem p = sample_planar(&data);
    double q[3], v[3];
    sample_pendulum_start(2, 1, q, v);
    HolSimOptions o = options(scheme, metric, 0.1, 1);
    snprintf(o.method.start, sizeof o.method.start, "%s", start);
    o.method.beta = beta;
    o.method.gamma = gamma;
    HolSim *sim;
    HolError err;
    assert_int_equal(hol_sim_create_problem(&p, q, v, &o, &sim, &err), HOL_ERR_INPUT);
    assert_null(sim);
    if (!strstr(err.text, expected))
        fail_msg("expected '%s' in '%s'", expected, err.text);
}

static void test_refused_options(void **state) {
    (void)state;
    refuse_option("hermit", "mass", "auto", NAN, NAN, "hermit");
    refuse_option("hermite", "masses", "auto", NAN, NAN, "metric");
    refuse_option("hermite", "mass", "soon", NAN, NAN, "start");
    refuse_option("hermite", "mass", "auto", 0.25, NAN, "beta");
    refuse_option("newmark", "mass", "auto", 0.25, 0.4, "gamma");
    refuse_option("fox-goodwin", "mass", "auto", 0.25, NAN, "beta");
    refuse_option("hht", "mass", "auto", 0.25, NAN, "beta");
}

// A step far too large for any iteration is refused, never accepted, and the joint is named.
static void test_no_convergence_is_an_error(void **state) {
    (void)state;
    const SamplePlanar data = sample_double_data(0);
    const HolProblem p = sample_planar(&data);
    const double angle[2] = {-0.5, 0.3}, omega[2] = {30, -70};
    double q[6], v[6];
    sample_double_start(angle, omega, q, v);
    const HolSimOptions o = options("hermite", "mass", 5, 50);
    HolSim *sim = create(&p, q, v, &o);
    HolError err;
    const HolStatus status = hol_sim_advance(sim, 50, &err);
    assert_true(status == HOL_ERR_CONVERGE || status == HOL_ERR_SINGULAR);
    assert_non_null(strstr(err.text, "joint "));
    const HolView view = hol_sim_view(sim);
    assert_true(view.t < 50);
    hol_sim_destroy(sim);
}

static void test_reruns_and_memory(void **state) {
    (void)state;
    const SampleTop data = sample_top_data();
    const HolProblem p = sample_top(&data);
    double q[7], v[6];
    HolError err;
    sample_top_start(&data, q, v);
    HolSimOptions o = options("hermite", "mass", 0, 1);
    const Result a = run(&p, q, v, &o), b = run(&p, q, v, &o);
    assert_memory_equal(a.q, b.q, sizeof a.q);
    assert_memory_equal(a.v, b.v, sizeof a.v);
    assert_memory_equal(a.lambda, b.lambda, sizeof a.lambda);
    HolSim *sim = create(&p, q, v, &o);
    assert_int_equal(hol_sim_assemble(sim, &err), HOL_OK);
    const long before = hol_arena_count();
    assert_int_equal(hol_sim_advance(sim, 1, &err), HOL_OK);
    assert_int_equal(hol_arena_count(), before);
    hol_sim_destroy(sim);
}

// a drive that nothing resists: corrections cancel what was guessed, and must close all the same
static void test_driven_residuals(void **state) {
    (void)state;
    const HolSetting set[] = {{"method", "tangent"}, {"step", "0.002"}, {"end", "0.5"}};
    HolModel *model = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolError err = {0};
    assert_int_equal(hol_model_load("models/slider-crank.yaml", set, 3, &model, &o, &err), HOL_OK);
    assert_int_equal(hol_sim_create(model, &o, &s, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(s, o.end, &err), HOL_OK);
    assert_true(hol_sim_stats(s).residual_position < 1e-14);
    assert_true(hol_sim_stats(s).residual_velocity < 1e-13);
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

// Sweeps of a redundant mechanism in large steps contract slowly at first, and get there.
static void test_large_steps(void **state) {
    (void)state;
    const HolSetting set[] = {{"method", "tangent"}, {"step", "0.1"}, {"end", "2"}};
    HolModel *model = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolError err = {0};
    assert_int_equal(hol_model_load("models/bricard.yaml", set, 3, &model, &o, &err), HOL_OK);
    assert_int_equal(hol_sim_create(model, &o, &s, &err), HOL_OK);
    if (hol_sim_advance(s, o.end, &err) != HOL_OK)
        fail_msg("%s", err.text);
    assert_int_equal(hol_sim_stats(s).steps, 20);
    assert_true(hol_sim_stats(s).residual_position < 1e-13);
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_driven_residuals),
                                       cmocka_unit_test(test_large_steps),
                                       cmocka_unit_test(test_pendulum_values),
                                       cmocka_unit_test(test_driven_pendulum_values),
                                       cmocka_unit_test(test_double_pendulum_values),
                                       cmocka_unit_test(test_stiff_double_pendulum),
                                       cmocka_unit_test(test_smooth_start_is_plain),
                                       cmocka_unit_test(test_orders_planar),
                                       cmocka_unit_test(test_orders_spatial),
                                       cmocka_unit_test(test_error_control),
                                       cmocka_unit_test(test_error_control_stiff),
                                       cmocka_unit_test(test_dense_output),
                                       cmocka_unit_test(test_non_holonomic),
                                       cmocka_unit_test(test_algebraic_variables),
                                       cmocka_unit_test(test_refused_options),
                                       cmocka_unit_test(test_no_convergence_is_an_error),
                                       cmocka_unit_test(test_reruns_and_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
