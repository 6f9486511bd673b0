// SPDX-License-Identifier: Apache-2.0
// Index-3 methods beyond plain holonomic rows: forces as algebraic variables, non-holonomic rows,
// redundant rows, rotations on the quaternion manifold. Oracles: closed forms, reduced coordinates.
#include "pendula.h"
#include "run.h"

static void forces_as_variables(void **state) {
    (void)state;
    // without friction the same discrete solution as with the forces eliminated
    Friction none = {0, 0.1, 0.1};
    HolProblem p = friction_problem(&none);
    double q[6], v[6];
    double_state(double_start, q, v);
    HolSimOptions o = options("newmark", 0.25, ldexp(1, -10));
    o.method.gamma = 0.75;
    Run with = run(&p, q, v, NULL, NULL, &o);
    HolProblem plain = double_problem();
    assert_int_equal(with.status, HOL_OK);
    Run without = run(&plain, q, v, with.q, with.v, &o);
    assert_int_equal(without.status, HOL_OK);
    assert_true(without.dq < 1e-12);
    assert_true(without.dv < 1e-9);
    // friction proportional to the reaction, against reduced coordinates
    Friction friction = {0.5, 0.1, 0.1};
    const double start[4] = {2 * PI, 2 * PI, 1, 1};
    const double reference[4] = {3.8139335539, 3.81373654109, 2.87147686089, 2.87118090563};
    const double w[7] = {-1.97012806e-4, -2.95955261e-4, 158.059801, -89.9068156,
                         79.0299006,     308.407028,     73.9016049};
    double qr[6], vr[6], dq[2], dw[2][NW];
    p = friction_problem(&friction);
    double_state(start, q, v);
    double_state(reference, qr, vr);
    for (int i = 0; i < 2; i++) {
        o = options("hht", 0.5, ldexp(1, -10 - i));
        o.method.alpha = -0.3;
        Run r = run(&p, q, v, qr, vr, &o);
        assert_int_equal(r.status, HOL_OK);
        dq[i] = r.dq;
        // the reported acceleration is the true one: a variable of it is second order, too
        for (int k = 0; k < NW; k++)
            dw[i][k] = fabs(r.w[k] - w[k]);
    }
    close_to(order(dq[0], dq[1]), 2, 0.1);
    for (int k = 0; k < NW; k++) {
        assert_true(dw[1][k] < 2e-3 * fabs(w[k]));
        close_to(order(dw[0][k], dw[1][k]), 2, 0.1);
    }
    for (int i = 0; i < 2; i++) {
        o = options("hht", 0.5, 0);
        o.tolerance = i ? 3e-3 : 1e-2;
        o.method.alpha = -0.3;
        Run r = run(&p, q, v, qr, vr, &o);
        if (r.status != HOL_OK)
            fail_msg("%s", r.err.text);
        // (speeds are about 10)
        if (!(r.dq < 3 * o.tolerance && r.dv < 30 * o.tolerance))
            fail_msg("tolerance %g: q %g, v %g off", o.tolerance, r.dq, r.dv);
    }
}

// Knife edge on an inclined plane, x down the slope with g sin(alpha) = 4, turning at rate 2:
// x = G/(2 w^2) sin^2 wt, y = G/(2 w^2) (wt - sin(2wt)/2)
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

static void nonholonomic_edge(void **state) {
    (void)state;
    HolProblem p = hol_problem_def();
    p.nq = p.nv = 3;
    p.nn = 1;
    p.mass = edge_mass;
    p.force = edge_force;
    p.jacobian = edge_jacobian;
    const double q0[3] = {0, 0, 0}, v0[3] = {0, 0, 2}, c = 4.0 / 8, t = 1.5;
    const double q[3] = {c * pow(sin(2 * t), 2), c * (2 * t - sin(4 * t) / 2), 2 * t};
    double dq[2];
    for (int i = 0; i < 2; i++) {
        HolSimOptions o = options("hht", t, ldexp(1, -7 - i));
        Run r = run(&p, q0, v0, q, NULL, &o);
        assert_int_equal(r.status, HOL_OK);
        assert_true(r.stats.residual_velocity < 1e-12);
        dq[i] = r.dq;
    }
    close_to(order(dq[0], dq[1]), 2, 0.1);
}

static void twice_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    pendulum_constraint(p, work, at, g);
    g[1] = 3 * g[0];
}

static void redundant_rows(void **state) {
    (void)state;
    HolProblem p = pendulum_problem();
    p.nh = 2;
    p.constraint = twice_constraint;
    p.jacobian = NULL;
    p.acceleration_rhs = NULL;
    p.tangent = NULL;
    double q[2], v[2], qr[2], vr[2];
    pendulum_state(PI / 3, 0, q, v);
    pendulum_state(pendulum_reference[0], pendulum_reference[1], qr, vr);
    HolSimOptions o = options("hht", 4, ldexp(1, -6));
    o.method.alpha = -0.3;
    Run r = run(&p, q, v, qr, vr, &o);
    assert_int_equal(r.status, HOL_OK);
    close_to(r.dq, 6.7572236346e-3, 1e-8);
    close_to(r.dv, 2.1566775109e-2, 1e-7);
    // minimum-norm multipliers: lambda proportional to (1, 3)
    close_to(r.lambda[1] / r.lambda[0], 3, 1e-4);
}

// Heavy top: one body (position r, quaternion p), its point -c held at the origin.
#define TOP_MASS 2.0
#define TOP_LENGTH 0.5
static const double top_inertia[3] = {0.3, 0.4, 0.2}; // about the centre of mass

static void rotate(const double *p, const double *a, double *out) {
    double w = p[0], c[3];
    const double *u = p + 1;
    c[0] = 2 * (u[1] * a[2] - u[2] * a[1]);
    c[1] = 2 * (u[2] * a[0] - u[0] * a[2]);
    c[2] = 2 * (u[0] * a[1] - u[1] * a[0]);
    out[0] = a[0] + w * c[0] + u[1] * c[2] - u[2] * c[1];
    out[1] = a[1] + w * c[1] + u[2] * c[0] - u[0] * c[2];
    out[2] = a[2] + w * c[2] + u[0] * c[1] - u[1] * c[0];
}

// p' = 1/2 p (0, omega)
static void quaternion_rate(const double *p, const double *o, double *out) {
    out[0] = -0.5 * (p[1] * o[0] + p[2] * o[1] + p[3] * o[2]);
    out[1] = 0.5 * (p[0] * o[0] + p[2] * o[2] - p[3] * o[1]);
    out[2] = 0.5 * (p[0] * o[1] + p[3] * o[0] - p[1] * o[2]);
    out[3] = 0.5 * (p[0] * o[2] + p[1] * o[1] - p[2] * o[0]);
}

static void top_qdot(const HolProblem *p, void *work, const double *q, const double *v,
                     double *qd) {
    (void)p, (void)work;
    memcpy(qd, v, 3 * sizeof *qd);
    quaternion_rate(q + 3, v + 3, qd + 3);
}

static void top_qddot(const HolProblem *p, void *work, const double *q, const double *v,
                      const double *a, double *qdd) {
    (void)p, (void)work;
    double square = v[3] * v[3] + v[4] * v[4] + v[5] * v[5];
    memcpy(qdd, a, 3 * sizeof *qdd);
    quaternion_rate(q + 3, a + 3, qdd + 3);
    for (int i = 0; i < 4; i++)
        qdd[3 + i] -= 0.25 * square * q[3 + i];
}

static void top_retract(const HolProblem *p, void *work, const double *q, const double *d,
                        double *out) {
    (void)p, (void)work;
    double angle = sqrt(d[3] * d[3] + d[4] * d[4] + d[5] * d[5]), half = angle / 2, rate[4];
    double c = angle > 1e-8 ? sin(half) / half : 1, norm = 0;
    quaternion_rate(q + 3, d + 3, rate);
    for (int i = 0; i < 3; i++)
        out[i] = q[i] + d[i];
    for (int i = 0; i < 4; i++) {
        out[3 + i] = cos(half) * q[3 + i] + c * rate[i];
        norm += out[3 + i] * out[3 + i];
    }
    for (int i = 0; i < 4; i++)
        out[3 + i] /= sqrt(norm);
}

static void top_minus(const HolProblem *p, void *work, const double *q1, const double *q0,
                      double *d) {
    (void)p, (void)work;
    const double *a = q1 + 3, *b = q0 + 3;
    for (int i = 0; i < 3; i++)
        d[i] = q1[i] - q0[i];
    d[3] = -2 * (a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]);
    d[4] = -2 * (a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3]);
    d[5] = -2 * (a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]);
}

static void top_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                     double *S) {
    (void)p, (void)work, (void)at, (void)into_S;
    for (int i = 0; i < 3; i++) {
        S[7 * i] += c * TOP_MASS;
        S[7 * (i + 3)] += c * top_inertia[i];
    }
}

static void top_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    const double *o = at->v + 3, *J = top_inertia;
    f[0] = f[1] = 0;
    f[2] = -9.81 * TOP_MASS;
    f[3] = -(J[2] - J[1]) * o[1] * o[2];
    f[4] = -(J[0] - J[2]) * o[2] * o[0];
    f[5] = -(J[1] - J[0]) * o[0] * o[1];
}

static void top_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)p, (void)work, (void)at;
    double axis[3];
    rotate(at->q + 3, (const double[3]){0, 0, TOP_LENGTH}, axis);
    for (int i = 0; i < 3; i++)
        g[i] = at->q[i] - axis[i];
}

// the top in (quaternion, body omega) about its fixed point, fourth-order Runge-Kutta
static void top_rate(const double *y, double *d) {
    const double *o = y + 4;
    double moment = TOP_MASS * TOP_LENGTH * TOP_LENGTH, down[3];
    double J[3] = {top_inertia[0] + moment, top_inertia[1] + moment, top_inertia[2]};
    const double conjugate[4] = {y[0], -y[1], -y[2], -y[3]};
    rotate(conjugate, (const double[3]){0, 0, -9.81 * TOP_MASS}, down);
    quaternion_rate(y, o, d);
    d[4] = (-TOP_LENGTH * down[1] - (J[2] - J[1]) * o[1] * o[2]) / J[0];
    d[5] = (TOP_LENGTH * down[0] - (J[0] - J[2]) * o[2] * o[0]) / J[1];
    d[6] = -(J[1] - J[0]) * o[0] * o[1] / J[2];
}

static void top_reference(double *y, double t, int n) {
    double h = t / n, k[4][7], z[7];
    const double at[4] = {0, 0.5, 0.5, 1};
    for (int step = 0; step < n; step++) {
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < 7; i++)
                z[i] = y[i] + (j ? at[j] * h * k[j - 1][i] : 0);
            top_rate(z, k[j]);
        }
        for (int i = 0; i < 7; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static void top_state(const double *y, double *q, double *v) {
    rotate(y, (const double[3]){0, 0, TOP_LENGTH}, q);
    memcpy(q + 3, y, 4 * sizeof *q);
    rotate(y, (const double[3]){TOP_LENGTH * y[5], -TOP_LENGTH * y[4], 0}, v);
    memcpy(v + 3, y + 4, 3 * sizeof *v);
}

static HolProblem top_problem(void) {
    HolProblem p = hol_problem_def();
    p.nq = 7;
    p.nv = 6;
    p.nh = 3;
    p.qdot = top_qdot;
    p.qddot = top_qddot;
    p.retract = top_retract;
    p.minus = top_minus;
    p.mass = top_mass;
    p.force = top_force;
    p.constraint = top_constraint;
    return p;
}

static void rotations(void **state) {
    (void)state;
    HolProblem p = top_problem();
    double y[7] = {cos(0.4), sin(0.4), 0, 0, 1, 2, 12}, q[7], v[6], qr[7], vr[6];
    top_state(y, q, v);
    top_reference(y, 1, 20000);
    top_state(y, qr, vr);
    const char *methods[3] = {"newmark", "hht", "generalized-alpha"};
    for (int k = 0; k < 3; k++) {
        Run r[2];
        for (int i = 0; i < 2; i++) {
            HolSimOptions o = options(methods[k], 1, ldexp(1, -8 - i));
            if (k == 0) // undamped: as published it would blow up here
                snprintf(o.method.projection, sizeof o.method.projection, "full");
            r[i] = run(&p, q, v, qr, vr, &o);
            assert_int_equal(r[i].status, HOL_OK);
            close_to(distance(r[i].q + 3, (const double[4]){0, 0, 0, 0}, 4), 1, 1e-14);
            assert_true(r[i].stats.residual_position < 1e-12);
            // the matrix leaves out only terms of higher order: few iterations
            assert_true(r[i].stats.newton_iterations < 8 * r[i].stats.steps);
        }
        close_to(order(r[0].dq, r[1].dq), 2, 0.1);
        close_to(order(r[0].dv, r[1].dv), 2, 0.1);
    }
    HolSimOptions o = options("hht", 1, 0);
    o.tolerance = 1e-7;
    Run r = run(&p, q, v, qr, vr, &o);
    assert_int_equal(r.status, HOL_OK);
    assert_true(r.dq < 2e-3);
}

// 24 turns a second, 0.15 rad a step: the derivative of the retraction keeps Newton quick
static void fast_spin(void **state) {
    (void)state;
    HolProblem p = top_problem();
    double y[7] = {cos(0.4), sin(0.4), 0, 0, 1, 2, 150}, q[7], v[6], qr[7], vr[6];
    top_state(y, q, v);
    top_reference(y, 1, 50000);
    top_state(y, qr, vr);
    Run r[2];
    for (int i = 0; i < 2; i++) {
        HolSimOptions o = options("generalized-alpha", 1, ldexp(1, -10 - i));
        r[i] = run(&p, q, v, qr, vr, &o);
        assert_int_equal(r[i].status, HOL_OK);
        assert_true(r[i].stats.newton_iterations < 7 * r[i].stats.steps);
    }
    assert_true(r[1].dq < 0.02);
    close_to(order(r[0].dq, r[1].dq), 2, 0.15);
}

// Polar coordinates (r, theta) of a point mass on a spring: M = diag(m, m r^2) varies along the
// motion. With `driven` the angle follows 0.3 sin t + t (rheonomic constraint), without it swings
// freely.
typedef struct Polar {
    int driven;
} Polar;
#define POLAR_MASS 1.3
#define POLAR_STIFFNESS 20.0

static void polar_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                       double *S) {
    (void)p, (void)work, (void)at, (void)into_S;
    S[0] += c * POLAR_MASS;
    S[3] += c * POLAR_MASS * at->q[0] * at->q[0];
}

static void polar_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)work, (void)at;
    const Polar *u = p->user;
    double g = u->driven ? 0 : 9.81;
    f[0] = -POLAR_STIFFNESS * (at->q[0] - 1) +
           POLAR_MASS * (at->q[0] * at->v[1] * at->v[1] + g * cos(at->q[1]));
    f[1] = -POLAR_MASS * (2 * at->q[0] * at->v[0] * at->v[1] + g * at->q[0] * sin(at->q[1]));
}

static void polar_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)p, (void)work;
    g[0] = at->q[1] - at->t - 0.3 * sin(at->t);
}

static void polar_rate(const Polar *u, double t, const double *y, double *d) {
    double g = u->driven ? 0 : 9.81, turn = u->driven ? 1 + 0.3 * cos(t) : y[3];
    d[0] = y[2];
    d[1] = turn;
    d[2] = -POLAR_STIFFNESS / POLAR_MASS * (y[0] - 1) + y[0] * turn * turn + g * cos(y[1]);
    d[3] = u->driven ? -0.3 * sin(t) : -(2 * y[2] * turn + g * sin(y[1])) / y[0];
}

static void polar_reference(const Polar *u, double *y, double end, int n) {
    double h = end / n, k[4][4], z[4];
    const double at[4] = {0, 0.5, 0.5, 1};
    for (int step = 0; step < n; step++) {
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < 4; i++)
                z[i] = y[i] + (j ? at[j] * h * k[j - 1][i] : 0);
            polar_rate(u, (step + at[j]) * h, z, k[j]);
        }
        for (int i = 0; i < 4; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static void varying_mass(void **state) {
    (void)state;
    const char *methods[2] = {"hht", "generalized-alpha"};
    for (int driven = 0; driven < 2; driven++) {
        Polar u = {driven};
        HolProblem p = hol_problem_def();
        p.user = &u;
        p.nq = p.nv = 2;
        p.nh = driven;
        p.mass = polar_mass;
        p.force = polar_force;
        p.constraint = polar_constraint;
        double y[4] = {1.4, driven ? 0 : 1, 0, driven ? 1.3 : 0};
        const double q[2] = {y[0], y[1]}, v[2] = {y[2], y[3]};
        polar_reference(&u, y, 2, 20000);
        // the constraint force: M22 a2 + lambda = f2
        double turn = y[3], rate[4];
        polar_rate(&u, 2, y, rate);
        double lambda = -2 * POLAR_MASS * y[0] * y[2] * turn - POLAR_MASS * y[0] * y[0] * rate[3];
        for (int k = 0; k < 2; k++) {
            Run r[2];
            for (int i = 0; i < 2; i++) {
                HolSimOptions o = options(methods[k], 2, ldexp(1, -8 - i));
                r[i] = run(&p, q, v, y, y + 2, &o);
                assert_int_equal(r[i].status, HOL_OK);
            }
            close_to(order(r[0].dq, r[1].dq), 2, 0.1);
            close_to(order(r[0].dv, r[1].dv), 2, 0.1);
            if (driven) {
                close_to(r[1].lambda[0], lambda, 1e-3);
                close_to(order(fabs(r[0].lambda[0] - lambda), fabs(r[1].lambda[0] - lambda)), 2,
                         0.3);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_as_variables), cmocka_unit_test(nonholonomic_edge),
        cmocka_unit_test(redundant_rows),      cmocka_unit_test(rotations),
        cmocka_unit_test(fast_spin),           cmocka_unit_test(varying_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
