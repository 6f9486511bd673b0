// SPDX-License-Identifier: Apache-2.0
// dae-alpha in use: observed orders in q, v and lambda with constant and alternating steps,
// rotations, driven, non-holonomic and redundant rows, algebraic variables, error control, options.
// Oracles: closed forms, reduced coordinates, published values.
#include "alpha_run.h"
#include "tools/papers/paper002.h"

#include "pendula.h"

#include <stdlib.h>

static double order(double coarse, double fine) {
    return log2(coarse / fine);
}

static void order_is(double coarse, double fine, double expected, double slack) {
    const double seen = order(coarse, fine);
    if (fabs(seen - expected) <= slack)
        return;
    print_error("order %.3f from errors %.3g, %.3g\n", seen, coarse, fine);
    fail();
}

// to `end` in steps h and ratio h in turn
static Result alternate(const HolProblem *p, const double *q0, const HolSimOptions *o, double end,
                        double h, double ratio) {
    const double rest[MOST] = {0};
    HolSimOptions options = *o;
    HolSim *s = NULL;
    HolError err;
    Result r = {0};
    options.end = end;
    options.step = fmax(h, ratio * h);
    assert_int_equal(hol_sim_create_problem(p, q0, rest, &options, &s, &err), HOL_OK);
    double t = 0;
    for (int i = 0; t < end - 1e-9; i++) {
        t = fmin(end, t + (i % 2 ? ratio * h : h));
        assert_int_equal(hol_sim_advance(s, t, &err), HOL_OK);
    }
    keep(s, &r);
    hol_sim_destroy(s);
    return r;
}

// ---- orders ----

static const Point pendulum_data = {.gravity = -9.81};

static void pendulum_orders(void **state) {
    (void)state;
    static const struct {
        double rho, alpha;
        const char *iteration;
    } methods[] = {{0, NAN, "newton"}, {0.5, NAN, "cs"},      {0.8, NAN, "newton"},
                   {1, NAN, "newton"}, {NAN, -0.1, "newton"}, {NAN, -1.0 / 3, "cm"},
                   {0.5, NAN, "cmp"},  {0, NAN, "cmp"}};
    const double q[2] = {-0.986291751131875, -0.165010853125545},
                 v[2] = {-0.296905515916325, 1.774643641112666}, lambda = 4.85626940748476;
    HolProblem p = point_problem(&pendulum_data, 1);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (int alternating = 0; alternating < 2; alternating++) {
            double e[2][3];
            for (int i = 0; i < 2; i++) {
                const double h = ldexp(alternating ? 1.0 / 300 : 1.0 / 200, -1 - i);
                HolSimOptions o = alpha_options(methods[k].rho, h, methods[k].iteration);
                o.method.alpha = methods[k].alpha;
                Result r = alternate(&p, (double[]){1, 0}, &o, 1, h, alternating ? 0.5 : 1);
                e[i][0] = gap(r.q, q, 2);
                e[i][1] = gap(r.v, v, 2);
                e[i][2] = fabs(r.lambda[0] - lambda);
                assert_true(r.stats.residual_position < 1e-15);
                assert_true(r.stats.residual_velocity < 1e-14);
            }
            for (int j = 0; j < 3; j++)
                order_is(e[0][j], e[1][j], 2, 0.15);
        }
}

static void double_pendulum_orders(void **state) {
    (void)state;
    const double rho[3] = {0, 0.75, 1};
    const double exact[6] = {-0.49337156357601, -0.08114493363462, -2.97858180966401,
                             -1.25252322351463, -0.46122287042794, -2.29755427550335};
    const double reaction[4] = {-8.8461831751205, -3.6660070085047, -3.5236105567071,
                                -1.0623825457552};
    double q[6];
    rods_start(q);
    HolProblem p = rods_problem();
    for (int k = 0; k < 3; k++)
        for (int alternating = 0; alternating < 2; alternating++) {
            double e[2], l[2];
            for (int i = 0; i < 2; i++) {
                const double h = ldexp(alternating ? 1.0 / 300 : 1.0 / 200, -1 - i);
                HolSimOptions o = alpha_options(rho[k], h, "newton");
                Result r = alternate(&p, q, &o, 1, h, alternating ? 0.5 : 1);
                e[i] = gap(r.q, exact, 6);
                l[i] = gap(r.lambda, reaction, 4);
            }
            order_is(e[0], e[1], 2, 0.15);
            order_is(l[0], l[1], 2, 0.15);
        }
}

// ---- model files ----

static HolSim *open_model(const char *name, const char *eps, const HolSimOptions *o,
                          HolModel **model) {
    char path[512];
    HolError err;
    HolSim *s = NULL;
    HolSimOptions ignored;
    HolSetting setting = {"eps", eps};
    snprintf(path, sizeof path, "%s/models/%s", HOL_SOURCE_DIR, name);
    HolStatus status = hol_model_load(path, &setting, eps ? 1 : 0, model, &ignored, &err);
    if (status == HOL_OK)
        status = hol_sim_create(*model, o, &s, &err);
    if (status != HOL_OK)
        print_error("%s\n", err.text);
    assert_int_equal(status, HOL_OK);
    return s;
}

static double final_value(HolSim *s, const char *name) {
    char found[128];
    double value;
    for (int i = 0; hol_sim_final(s, i, found, sizeof found, &value); i++)
        if (!strcmp(found, name))
            return value;
    print_error("no value '%s'\n", name);
    fail();
    return NAN;
}

// y at the end of a run with step h, minus what the problem's angle `a` is read from
static void model_values(const char *name, const char *eps, double end, double h, double rho,
                         const char *const *values, double *out) {
    HolError err;
    HolModel *model = NULL;
    HolSimOptions o = alpha_options(rho, h, "cs");
    o.end = end;
    HolSim *s = open_model(name, eps, &o, &model);
    assert_int_equal(hol_sim_advance(s, end, &err), HOL_OK);
    for (int i = 0; values[i]; i++)
        out[i] = final_value(s, values[i]);
    assert_true(hol_sim_stats(s).residual_position < 1e-14);
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

// the stiff problems of the papers: second order towards the exact reduced motion
static void stiff_problems(void **state) {
    (void)state;
    static const struct {
        const char *model, *eps, *x, *y, *angle;
        double end, polar, exact_angle; // atan2(y, x); NAN: no such value
    } rows[] = {
        {"circle-linear-force", "1e-2", "mass.y", "mass.x", NULL, 0.1, -0.03763850219056, NAN},
        {"circle-linear-force", "1e-3", "mass.y", "mass.x", NULL, 0.02, 0.01866111653533, NAN},
        {"circle-spring", "1e-2", "mass.y", "mass.x", NULL, 0.1, -0.04470312332842, NAN},
        {"circle-spring", "1e-3", "mass.y", "mass.x", NULL, 0.02, 0.04464578553256, NAN},
        {"two-body-bushing", "1e-2", "b.x", "b.y", "b.angle", 0.1, -0.04218083596221, 0},
        {"two-body-bushing", "1e-3", "b.x", "b.y", "b.angle", 0.02, 0.02054695532837, 0},
        {"two-body-bushing-free", "1e-2", "b.x", "b.y", "b.angle", 0.1, -0.0007476470629388,
         -0.02652982259652},
        {"two-body-bushing-free", "1e-3", "b.x", "b.y", "b.angle", 0.02, -0.02396439837933,
         0.03414919153821},
        {"bushing-pendulum", "1e-5", "body.x", "body.y", "body.angle", 40 * PI * 1e-5,
         0.301947539296, 0.149385793041},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *values[4] = {rows[k].x, rows[k].y, rows[k].angle, NULL};
        char name[64];
        double polar[2], angle[2] = {0, 0}, out[3];
        snprintf(name, sizeof name, "papers/%s.yaml", rows[k].model);
        const int N = strcmp(rows[k].model, "bushing-pendulum") ? 2000 : 10000;
        for (int i = 0; i < 2; i++) {
            model_values(name, rows[k].eps, rows[k].end, rows[k].end / (N << i), 1, values, out);
            // the circle's angle counts from the bottom: x = sin a, y = -cos a
            polar[i] = rows[k].angle ? atan2(out[1], out[0]) : atan2(out[1], -out[0]);
            angle[i] = out[2];
        }
        order_is(fabs(polar[0] - rows[k].polar), fabs(polar[1] - rows[k].polar), 2, 0.1);
        // extrapolated
        assert_true(fabs((4 * polar[1] - polar[0]) / 3 - rows[k].polar) < 2e-6);
        if (rows[k].angle)
            assert_true(fabs((4 * angle[1] - angle[0]) / 3 - rows[k].exact_angle) < 2e-6);
    }
}

// velocities and the reaction of the circle, extrapolated from two steps
static void stiff_velocities(void **state) {
    (void)state;
    const Point data[2] = {{.gravity = -1, .k_x = 1e4},
                           {.gravity = -1, .k = 1e4, .l0 = 0.4, .anchor = {0, -0.5}}};
    const double rate[2] = {2.414684968582, 0.04451010720141}, lambda = -1007.97426901;
    const double q0[2] = {sqrt(1 - 0.999 * 0.999), -0.999};
    for (int k = 0; k < 2; k++) {
        HolProblem p = point_problem(&data[k], 1);
        double seen[2], l[2];
        for (int i = 0; i < 2; i++) {
            HolSimOptions o = alpha_options(1, 0.1 / (2000 << i), "newton");
            Result r = alpha_run(&p, q0, NULL, 2000 << i, 0, &o);
            seen[i] = r.q[0] * r.v[1] - r.q[1] * r.v[0];
            l[i] = r.lambda[0];
        }
        order_is(fabs(seen[0] - rate[k]), fabs(seen[1] - rate[k]), 2, 0.1);
        assert_true(fabs((4 * seen[1] - seen[0]) / 3 - rate[k]) < 1e-6 * fabs(rate[k]));
        if (k == 1)
            assert_true(fabs((4 * l[1] - l[0]) / 3 - lambda) < 1e-7 * fabs(lambda));
    }
    const char *const values[] = {"b.x", "b.y", "b.vx", "b.vy", NULL};
    double out[2][4], seen[2];
    for (int i = 0; i < 2; i++) {
        model_values("papers/two-body-bushing.yaml", "1e-2", 0.1, 0.1 / (2000 << i), 1, values,
                     out[i]);
        seen[i] = out[i][0] * out[i][3] - out[i][1] * out[i][2];
    }
    assert_true(fabs((4 * seen[1] - seen[0]) / 3 - 2.718362695511) < 1e-6);
    // spring pendulum without constraint
    const double exact[4] = {-0.632820974847, 0.733637925217, -0.998654869584, 3.082235821594};
    const Point spring = {.gravity = 1, .k = 1000, .l0 = 1};
    HolProblem p = point_problem(&spring, 0);
    double e[2];
    for (int i = 0; i < 2; i++) {
        HolSimOptions o = alpha_options(1, 5.0 / (8000 << i), "newton");
        Result r = alpha_run(&p, (double[]){0.9, 0}, NULL, 8000 << i, 0, &o);
        e[i] = fmax(gap(r.q, exact, 2), gap(r.v, exact + 2, 2));
    }
    order_is(e[0], e[1], 2, 0.1);
    assert_true(e[1] < 1e-2);
}

// the flexible slider-crank towards its exact motion; at these steps h omega = 0.33 still
static void slider_exact(void **state) {
    (void)state;
    HolSlider data = hol_slider_data(3.4e9, 4);
    HolProblem p = hol_slider_problem(&data);
    double q0[HOL_SLIDER_N] = {0}, e[2], w[2];
    q0[2] = 0.45;
    for (int i = 0; i < 2; i++) {
        HolSimOptions o = alpha_options(0.75, 0.02 / (400 << i), "newton");
        Result r = alpha_run(&p, q0, NULL, 400 << i, 0, &o);
        assert_int_equal(r.status, HOL_OK);
        e[i] = gap(r.q, (double[]){0.010981261629, -0.0090147056584, 0.4499882971}, 3);
        w[i] = fabs(r.q[9] - 0.0010572618883);
    }
    assert_true(e[1] < 2e-7 && w[1] < 1e-7);
    assert_true(order(e[0], e[1]) > 1.4 && order(w[0], w[1]) > 1.4);
}

// Rotations. Heavy top at 150 rad/s: published orientation and place at 0.2 s; lambda and v against
// extrapolation of the two finest runs
static void rotations(void **state) {
    (void)state;
    const double exact[7] = {0.60555056,     0.59895768,     -0.52398303,   -0.708279152974,
                             0.438781088127, 0.545728396145, 0.089399752824};
    const double rho[3] = {0, 0.8, 1};
    for (int k = 0; k < 3; k++) {
        double e[3], v[3][6], l[3][3], steps = 0, iterations = 0;
        for (int i = 0; i < 3; i++) {
            HolError err;
            HolModel *model = NULL;
            HolSimOptions o = alpha_options(rho[k], 2.5e-4 / (1 << i), k == 1 ? "cs" : "newton");
            o.end = 0.2;
            HolSim *s = open_model("heavy-top.yaml", NULL, &o, &model);
            assert_int_equal(hol_sim_advance(s, 0.2, &err), HOL_OK);
            HolView x = hol_sim_view(s);
            const double sign = x.q[3] * exact[3] > 0 ? 1 : -1;
            e[i] = 0;
            for (int j = 3; j < 7; j++)
                e[i] = fmax(e[i], fabs(sign * x.q[j] - exact[j]));
            if (i == 2)
                assert_true(gap(x.q, exact, 3) < 1e-2);
            memcpy(v[i], x.v, sizeof v[i]);
            memcpy(l[i], x.lambda, sizeof l[i]);
            HolStats stats = hol_sim_stats(s);
            assert_true(stats.residual_position < 1e-14 && stats.residual_velocity < 1e-13);
            steps += (double)stats.steps;
            iterations += (double)stats.newton_iterations;
            hol_sim_destroy(s);
            hol_model_destroy(model);
        }
        order_is(e[0], e[1], 2, 0.1);
        order_is(e[1], e[2], 2, 0.1);
        order_is(gap(v[0], v[1], 6), gap(v[1], v[2], 6), 2, 0.15);
        order_is(gap(l[0], l[1], 3), gap(l[1], l[2], 3), 2, 0.15);
        assert_true(iterations < 8 * steps);
    }
}

// ---- other rows ----

// bead on a straight wire turning at rate 1: r = cosh t, lambda = -2 sinh t
static void wire_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)p, (void)work;
    g[0] = -at->q[0] * sin(at->t) + at->q[1] * cos(at->t);
}

static void wire_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    (void)p, (void)work, (void)at;
    G[0] = -sin(at->t);
    G[1] = cos(at->t);
}

static void wire_rate(const HolProblem *p, void *work, const HolPoint *at, double *gt) {
    (void)p, (void)work;
    gt[0] = -at->q[0] * cos(at->t) - at->q[1] * sin(at->t);
}

static void wire_gamma(const HolProblem *p, void *work, const HolPoint *at, double *gamma) {
    (void)p, (void)work;
    gamma[0] = 2 * (-at->v[0] * cos(at->t) - at->v[1] * sin(at->t)) + at->q[0] * sin(at->t) -
               at->q[1] * cos(at->t);
}

static void driven_row(void **state) {
    (void)state;
    const Point free_point = {0};
    HolProblem p = point_problem(&free_point, 0);
    p.tangent = NULL;
    p.nh = 1;
    p.constraint = wire_constraint;
    p.jacobian = wire_jacobian;
    p.velocity_rhs = wire_rate;
    p.acceleration_rhs = wire_gamma;
    const double q[2] = {cosh(1) * cos(1), cosh(1) * sin(1)};
    const double v[2] = {sinh(1) * cos(1) - q[1], sinh(1) * sin(1) + q[0]};
    const char *const iteration[3] = {"newton", "cs", "cmp"};
    for (int k = 0; k < 3; k++) {
        double e[2][3];
        for (int i = 0; i < 2; i++) {
            HolSimOptions o = alpha_options(0.5, 0.01 / (1 << i), iteration[k]);
            Result r = alpha_run(&p, (double[]){1, 0}, (double[]){0, 1}, 100 << i, 0, &o);
            assert_int_equal(r.status, HOL_OK);
            e[i][0] = gap(r.q, q, 2);
            e[i][1] = gap(r.v, v, 2);
            e[i][2] = fabs(r.lambda[0] + 2 * sinh(1));
            assert_true(r.stats.residual_position < 1e-15 && r.stats.residual_velocity < 1e-14);
        }
        for (int j = 0; j < 3; j++)
            order_is(e[0][j], e[1][j], 2, 0.1);
    }
}

// knife edge down a slope, 4 m/s^2, turning at rate 2: lambda from the normal acceleration
static void edge_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                      double *S) {
    (void)p, (void)work, (void)at, (void)into_S;
    S[0] += c;
    S[4] += c;
    S[8] += c * 0.3;
}

static void edge_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    f[0] = 4;
    f[1] = f[2] = 0;
}

static void edge_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    (void)p, (void)work, (void)at;
    G[0] = -sin(at->q[2]);
    G[1] = cos(at->q[2]);
    G[2] = 0;
}

static void velocity_row(void **state) {
    (void)state;
    HolProblem p = {.size = sizeof(HolProblem),
                    .nq = 3,
                    .nv = 3,
                    .nn = 1,
                    .mass = edge_mass,
                    .force = edge_force,
                    .jacobian = edge_jacobian};
    const double t = 1.5, a = 2 * t, c = 0.5;
    const double q[3] = {c * sin(a) * sin(a), c * (a - sin(2 * a) / 2), a};
    // along the edge v = (4/2) sin(2 t); normal: 2 v = -4 sin(a) - lambda
    const double v = 2 * sin(a), lambda = -4 * sin(a) - 2 * v;
    const char *const iteration[5] = {"newton", "cs", "cs-qr", "cm", "cmp"};
    for (int k = 0; k < 5; k++) {
        double e[2][3];
        for (int i = 0; i < 2; i++) {
            HolSimOptions o = alpha_options(0.8, t / (200 << i), iteration[k]);
            Result r = alpha_run(&p, (double[]){0, 0, 0}, (double[]){0, 0, 2}, 200 << i, 0, &o);
            assert_int_equal(r.status, HOL_OK);
            e[i][0] = gap(r.q, q, 3);
            e[i][1] = fabs(r.v[0] * cos(a) + r.v[1] * sin(a) - v);
            e[i][2] = fabs(r.lambda[0] - lambda);
            assert_true(r.stats.residual_velocity < 1e-13);
        }
        for (int j = 0; j < 3; j++)
            order_is(e[0][j], e[1][j], 2, 0.1);
    }
}

static void twice_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    circle_constraint(p, work, at, g);
    g[1] = 3 * g[0];
}

static void redundant_rows(void **state) {
    (void)state;
    HolProblem once = point_problem(&pendulum_data, 1), twice = once;
    twice.nh = 2;
    twice.constraint = twice_constraint;
    twice.jacobian = NULL;
    twice.velocity_rhs = NULL;
    twice.acceleration_rhs = NULL;
    twice.velocity_jacobian = NULL;
    twice.tangent = NULL;
    const double q[2] = {1, 0};
    const char *const iteration[5] = {"newton", "cs", "cs-qr", "cm", "cmp"};
    for (int k = 0; k < 5; k++) {
        HolSimOptions o = alpha_options(0.5, 0.01, iteration[k]);
        Result a = alpha_run(&once, q, NULL, 100, 0, &o),
               b = alpha_run(&twice, q, NULL, 100, 0, &o);
        assert_int_equal(b.status, HOL_OK);
        assert_true(gap(a.q, b.q, 2) < 1e-8); // its derivatives are differences
        assert_true(gap(a.v, b.v, 2) < 1e-7);
        assert_true(fabs(b.lambda[1] / b.lambda[0] - 3) < 1e-5); // minimum norm
        assert_true(fabs(b.lambda[0] + 3 * b.lambda[1] - a.lambda[0]) < 1e-6);
    }
    // a closed spatial loop with one redundant row and massless spins
    for (int k = 0; k < 4; k++) {
        HolError err;
        HolModel *model = NULL;
        HolSimOptions o = alpha_options(0.8, 0.005, iteration[k]);
        o.end = 0.5;
        HolSim *s = open_model("bricard.yaml", NULL, &o, &model);
        assert_int_equal(hol_sim_advance(s, 0.5, &err), HOL_OK);
        HolStats stats = hol_sim_stats(s);
        assert_true(stats.residual_position < 1e-13 && stats.residual_velocity < 1e-13);
        assert_true(fabs(stats.energy_max_drift) < 1e-3);
        hol_sim_destroy(s);
        hol_model_destroy(model);
    }
}

// pin friction that depends on the reaction, solved as variables
static void variables(void **state) {
    (void)state;
    Friction friction = {0.5, 0.1, 0.1};
    HolProblem p = friction_problem(&friction);
    const double start[4] = {2 * PI, 2 * PI, 1, 1};
    const double reference[4] = {3.8139335539, 3.81373654109, 2.87147686089, 2.87118090563};
    double q[6], v[6], qr[6], vr[6], e[2][2];
    double_state(start, q, v);
    double_state(reference, qr, vr);
    for (int i = 0; i < 2; i++) {
        HolSimOptions o = alpha_options(0.5, ldexp(1, -10 - i), i ? "newton" : "cs");
        Result r = alpha_run(&p, q, v, 512 << i, 0, &o);
        assert_int_equal(r.status, HOL_OK);
        e[i][0] = gap(r.q, qr, 6);
        e[i][1] = gap(r.v, vr, 6);
    }
    order_is(e[0][0], e[1][0], 2, 0.1);
    order_is(e[0][1], e[1][1], 2, 0.1);
}

// ---- error control ----

static void error_control(void **state) {
    (void)state;
    const double exact[2] = {-0.986291751131875, -0.165010853125545};
    HolProblem p = point_problem(&pendulum_data, 1);
    const char *const control[2] = {"local", "proportional"};
    const double slope[2] = {2.0 / 3, 1};
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 5; k++) {
            const char *const iteration[5] = {"newton", "cs", "cs-qr", "cm", "cmp"};
            double e[2];
            for (int i = 0; i < 2; i++) {
                HolSimOptions o = alpha_options(0.8, 0, iteration[k]);
                snprintf(o.method.control, sizeof o.method.control, "%s", control[c]);
                o.tolerance = i ? (c ? 1e-6 : 1e-8) : (c ? 1e-4 : 1e-5);
                Result r = alpha_run(&p, (double[]){1, 0}, NULL, 0, 1, &o);
                assert_int_equal(r.status, HOL_OK);
                e[i] = gap(r.q, exact, 2);
                assert_true(r.stats.residual_position < 1e-15);
                assert_true(r.stats.residual_velocity < 1e-14);
                assert_true(r.stats.rejected < r.stats.steps / 4);
            }
            const double decades = log10(e[0] / e[1]) / (c ? 2 : 3);
            assert_true(fabs(decades - slope[c]) < 0.15);
            assert_true(e[1] < 2e-5);
        }
}

// a stiff transient is passed with small steps, the slow motion behind it with large ones
static void stiff_transient(void **state) {
    (void)state;
    HolError err;
    HolModel *model = NULL;
    HolSimOptions o = alpha_options(0, 0, "newton");
    o.tolerance = 1e-4;
    o.end = 0.5;
    HolSim *s = open_model("stiff-double-pendulum.yaml", NULL, &o, &model);
    assert_int_equal(hol_sim_advance(s, 0.5, &err), HOL_OK);
    HolStats stats = hol_sim_stats(s);
    assert_true(stats.h_max > 100 * stats.h_min);
    assert_true(stats.steps < 1000);
    hol_sim_destroy(s);
    hol_model_destroy(model);
}

// ---- the frame ----

static void no_allocation(void **state) {
    (void)state;
    const char *const iteration[5] = {"newton", "cs", "cs-qr", "cm", "cmp"};
    HolProblem p = rods_problem();
    double q[6];
    const double rest[6] = {0};
    rods_start(q);
    for (int k = 0; k < 10; k++) {
        HolSim *s = NULL;
        HolError err;
        HolSimOptions o = alpha_options(0.8, k < 5 ? 0.005 : 0, iteration[k % 5]);
        assert_int_equal(hol_sim_create_problem(&p, q, rest, &o, &s, &err), HOL_OK);
        assert_int_equal(hol_sim_step(s, 1, &err), HOL_OK);
        const long before = hol_arena_count();
        assert_int_equal(hol_sim_advance(s, 1, &err), HOL_OK);
        assert_int_equal(hol_arena_count(), before);
        hol_sim_destroy(s);
    }
}

static void refused(const HolSimOptions *o, const char *word) {
    HolProblem p = point_problem(&pendulum_data, 1);
    HolSim *s = NULL;
    HolError err;
    const double q[2] = {1, 0}, v[2] = {0, 0};
    assert_int_equal(hol_sim_create_problem(&p, q, v, o, &s, &err), HOL_ERR_INPUT);
    assert_null(s);
    if (!strstr(err.text, word)) {
        print_error("'%s' lacks '%s'\n", err.text, word);
        fail();
    }
}

static void bad_options(void **state) {
    (void)state;
    HolSimOptions o = alpha_options(0.5, 0.01, "newton");
    o.method.alpha = -0.1;
    refused(&o, "not both");
    o = alpha_options(1.5, 0.01, "newton");
    refused(&o, "between 0 and 1");
    o = alpha_options(NAN, 0.01, "newton");
    o.method.alpha = 0.2;
    refused(&o, "-1/3 to 0");
    o = alpha_options(0.5, 0.01, "csm");
    refused(&o, "cs, cs-qr, cm, cmp");
    o = alpha_options(0.5, 0.01, "cs");
    o.method.predictor = 3;
    refused(&o, "predictor");
    o = alpha_options(0.5, 0, "cs");
    o.method.newton_iterations = 2;
    refused(&o, "fixed step");
    o = alpha_options(0.5, 0, "cs");
    o.method.newton_tolerance = 1e-8;
    refused(&o, "newton_tolerance needs a fixed step");
    o = alpha_options(0.5, 0, "cs");
    snprintf(o.method.control, sizeof o.method.control, "global");
    refused(&o, "local, proportional");
    o = alpha_options(0.5, 0.01, "cs");
    o.method.beta = 0.25;
    refused(&o, "beta");
}

// the split: pivots, redundant rows, and P G^T = 0
static void split(void **state) {
    (void)state;
    // rows: (1, 0, 2, 0), twice the first, (0, 1e-3, 1, 0)
    static const int ptr[4] = {0, 2, 4, 6}, idx[6] = {0, 2, 0, 2, 1, 2};
    const double G[6] = {1, 2, 2, 4, 1e-3, 1};
    const HolPattern pattern = {3, 4, 6, ptr, idx};
    HolArena arena = {0};
    HolSplit s;
    assert_true(hol_split_create(&arena, 4, 3, &s));
    assert_int_equal(hol_split_choose(&s, &pattern, G, NULL), 2);
    assert_int_equal(s.Y[0], 2);
    assert_int_equal(s.Y[1], 0);
    assert_int_equal(s.rows[1], 2);
    assert_int_equal(hol_split_factor(&s, &pattern, G), 0);
    // in units in which coordinate 1 is small and 2 is heavy the choice turns
    const double size[4] = {1, 1e-6, 1e3, 1};
    assert_int_equal(hol_split_choose(&s, &pattern, G, size), 2);
    assert_int_equal(s.Y[0], 0);
    assert_int_equal(s.Y[1], 1);
    assert_int_equal(hol_split_factor(&s, &pattern, G), 0);
    assert_true(hol_split_growth(&s, &pattern, G) < 10);
    // P annihilates every row of G and has the identity on X
    for (int i = 0; i < 3; i++) {
        double row[4] = {0}, work[3], out[2];
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            row[idx[k]] = G[k];
        hol_split_reduce(&s, &pattern, G, row, work, out);
        assert_true(fabs(out[0]) < 1e-15 && fabs(out[1]) < 1e-15);
    }
    for (int x = 2; x < 4; x++) {
        double unit[4] = {0}, work[3], out[2];
        unit[x] = 1;
        hol_split_reduce(&s, &pattern, G, unit, work, out);
        assert_true(out[x - 2] == 1 && out[3 - x] == 0);
    }
    hol_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pendulum_orders),
                                       cmocka_unit_test(double_pendulum_orders),
                                       cmocka_unit_test(stiff_problems),
                                       cmocka_unit_test(stiff_velocities),
                                       cmocka_unit_test(slider_exact),
                                       cmocka_unit_test(rotations),
                                       cmocka_unit_test(driven_row),
                                       cmocka_unit_test(velocity_row),
                                       cmocka_unit_test(redundant_rows),
                                       cmocka_unit_test(variables),
                                       cmocka_unit_test(error_control),
                                       cmocka_unit_test(stiff_transient),
                                       cmocka_unit_test(no_allocation),
                                       cmocka_unit_test(bad_options),
                                       cmocka_unit_test(split)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
