// SPDX-License-Identifier: Apache-2.0
// Running dae-alpha in a test, and a second implementation of its step to compare with: dense, with
// the projector P of the coordinate split written out, or with multipliers; plain coordinates only.
#ifndef TEST_ALPHA_RUN_H
#define TEST_ALPHA_RUN_H

#include "alpha_problems.h"

#include "math/dense.h"
#include "solve/method/dae_alpha/dae_alpha.h"
#include "solve/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { MOST = 20 };

typedef struct Result {
    HolStatus status;
    double t, q[MOST], v[MOST], phi[MOST], lambda[MOST];
    double a[MOST], nu[MOST], mu[MOST]; // mu, not h mu
    HolStats stats;
} Result;

static inline HolSimOptions alpha_options(double rho, double h, const char *iteration) {
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "dae-alpha");
    snprintf(o.method.iteration, sizeof o.method.iteration, "%s", iteration);
    o.method.rho = rho;
    o.step = h;
    return o;
}

static inline void keep(HolSim *s, Result *r) {
    const HolDaeAlpha *m = s->method;
    const HolView x = hol_sim_view(s);
    r->t = x.t;
    r->stats = hol_sim_stats(s);
    memcpy(r->q, x.q, sizeof(double) * (size_t)x.nq);
    memcpy(r->v, x.v, sizeof(double) * (size_t)x.nv);
    memcpy(r->phi, x.a, sizeof(double) * (size_t)x.nv);
    memcpy(r->a, m->a, sizeof(double) * (size_t)x.nv);
    for (int i = 0; i < x.m; i++) {
        r->lambda[i] = x.lambda[i];
        r->nu[i] = m->nu[i];
        r->mu[i] = m->mu_h[i] / s->o.step;
    }
}

// `steps` steps, or to `end` when steps is 0
static inline Result alpha_run(const HolProblem *p, const double *q0, const double *v0, int steps,
                               double end, const HolSimOptions *o) {
    static const double rest[MOST];
    Result r = {0};
    HolError err;
    HolSim *s = NULL;
    HolSimOptions options = *o;
    options.end = steps ? 1.5 * steps * o->step : end;
    r.status = hol_sim_create_problem(p, q0, v0 ? v0 : rest, &options, &s, &err);
    assert_int_equal(r.status, HOL_OK);
    if (steps)
        for (int i = 0; i < steps && r.status == HOL_OK; i++)
            r.status = hol_sim_step(s, options.end, &err);
    else
        r.status = hol_sim_advance(s, end, &err);
    if (r.status != HOL_OK)
        print_message("%s\n", err.text);
    keep(s, &r);
    hol_sim_destroy(s);
    return r;
}

static inline double gap(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// |value - expected| <= relative * largest |expected|
static inline void close_all(const double *value, const double *expected, int n, double relative) {
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(expected[i]));
    for (int i = 0; i < n; i++)
        if (!(fabs(value[i] - expected[i]) <= relative * size)) {
            print_error("[%d] %.15g differs from %.15g by %.3g\n", i, value[i], expected[i],
                        fabs(value[i] - expected[i]));
            fail();
        }
}

static inline void close_one(double value, double expected, double relative) {
    close_all(&value, &expected, 1, relative);
}

// ---- the second implementation ----

typedef enum Form { INDEX2, INDEX2_NO_H, SPLIT, SPLIT_NO_H, SPLIT_FROZEN } Form;

typedef struct Dense {
    const HolProblem *p;
    Form form;
    int Y[MOST]; // dependent coordinates of the split forms
    double am, af, beta, gamma, bh, gh, h, t;
    double q[MOST], v[MOST], a[MOST], phi[MOST], lambda[MOST], nu[MOST], mu[MOST];
} Dense;

static inline void dense_method(Dense *d, double am, double af) {
    d->am = am;
    d->af = af;
    d->gamma = 0.5 - am + af;
    d->beta = (1 - am + af) * (1 - am + af) / 4;
    d->bh = d->beta * (1 - af) / (1 - am);
    d->gh = d->gamma * (1 - af) / (1 - am);
}

static inline void dense_solve(int n, double *A, double *x) {
    int pivot[4 * MOST];
    assert_int_equal(hol_dense_lu(n, A, pivot), 0);
    hol_dense_lu_solve(n, A, pivot, x);
}

// phi, lambda at (t, q, v)
static inline void dense_accelerate(Dense *d) {
    const HolProblem *p = d->p;
    const int n = p->nv, m = p->nh, N = n + m;
    double M[MOST * MOST] = {0}, G[MOST * MOST], A[4 * MOST * MOST] = {0}, x[2 * MOST];
    p->mass(p, NULL, &(HolPoint){.t = d->t, .q = d->q}, 1, 1, M);
    p->force(p, NULL, &(HolPoint){.t = d->t, .q = d->q, .v = d->v}, x);
    if (m) {
        p->jacobian(p, NULL, &(HolPoint){.t = d->t, .q = d->q}, G);
        p->acceleration_rhs(p, NULL, &(HolPoint){.t = d->t, .q = d->q, .v = d->v}, x + n);
    }
    for (int i = 0; i < m; i++)
        x[n + i] = -x[n + i];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            A[N * j + i] = M[n * j + i];
        for (int i = 0; i < m; i++)
            A[N * j + n + i] = A[N * (n + i) + j] = G[n * i + j];
    }
    dense_solve(N, A, x);
    memcpy(d->phi, x, sizeof(double) * (size_t)n);
    memcpy(d->lambda, x + n, sizeof(double) * (size_t)m);
}

// P (rows: independent coordinates) at G; returns n - m
static inline int dense_projector(const Dense *d, const double *G, double P[MOST][MOST]) {
    const int n = d->p->nv, m = d->p->nh;
    int row = 0;
    for (int x = 0; x < n; x++) {
        int dependent = 0;
        for (int k = 0; k < m; k++)
            dependent |= d->Y[k] == x;
        if (dependent)
            continue;
        // column x of Q = (G Y)^-1 G X
        double GY[MOST * MOST], c[MOST];
        for (int i = 0; i < m; i++) {
            c[i] = G[n * i + x];
            for (int k = 0; k < m; k++)
                GY[m * k + i] = G[n * i + d->Y[k]];
        }
        dense_solve(m, GY, c);
        memset(P[row], 0, sizeof P[row]);
        P[row][x] = 1;
        for (int k = 0; k < m; k++)
            P[row][d->Y[k]] = -c[k];
        row++;
    }
    return row;
}

// s = -(G Y)^-T Y^T r
static inline void dense_s(const Dense *d, const double *G, const double *r, double *s) {
    const int n = d->p->nv, m = d->p->nh;
    double A[MOST * MOST];
    for (int k = 0; k < m; k++) {
        s[k] = -r[d->Y[k]];
        for (int i = 0; i < m; i++)
            A[m * i + k] = G[n * i + d->Y[k]];
    }
    dense_solve(m, A, s);
}

typedef struct DenseSystem {
    double qh[MOST], vh[MOST], G_frozen[MOST * MOST];
    double M[MOST * MOST], G[MOST * MOST], B[MOST * MOST], r1[MOST], r2[MOST];
    double R1q[MOST * MOST], R2q[MOST * MOST], C[MOST * MOST];
} DenseSystem;

// r1, r2 and the blocks of the matrix, with H(s1), H(s2)
static inline void dense_blocks(Dense *d, DenseSystem *y, const double *s1, const double *s2) {
    const HolProblem *p = d->p;
    const int n = p->nv;
    const double b = d->bh * d->h * d->h, c = d->gh * d->h;
    double a1[MOST], a2[MOST], l1[MOST] = {0}, l2[MOST] = {0};
    for (int i = 0; i < n; i++) {
        a1[i] = (d->q[i] - y->qh[i]) / b;
        a2[i] = (d->v[i] - y->vh[i]) / c;
    }
    for (int i = 0; i < p->nh; i++) {
        l1[i] = s1[i] / b;
        l2[i] = s2[i] / c;
    }
    memcpy(y->R1q, y->M, sizeof y->M);
    memset(y->R2q, 0, sizeof y->R2q);
    memset(y->C, 0, sizeof y->C);
    p->tangent(p, NULL, &(HolPoint){.t = d->t, .q = d->q, .v = d->v, .a = a1, .lambda = l1}, 0, b,
               y->R1q);
    p->tangent(p, NULL, &(HolPoint){.t = d->t, .q = d->q, .v = d->v, .a = a2, .lambda = l2}, 0, c,
               y->R2q);
    p->tangent(p, NULL, &(HolPoint){.t = d->t, .q = d->q, .v = d->v, .a = a2, .lambda = l2}, 1, 0,
               y->C);
}

static inline void dense_residual(Dense *d, DenseSystem *y) {
    const HolProblem *p = d->p;
    const int n = p->nv;
    const double b = d->bh * d->h * d->h, c = d->gh * d->h;
    double f[MOST];
    memset(y->M, 0, sizeof y->M);
    p->mass(p, NULL, &(HolPoint){.t = d->t, .q = d->q}, 1, 1, y->M);
    p->force(p, NULL, &(HolPoint){.t = d->t, .q = d->q, .v = d->v}, f);
    memset(y->B, 0, sizeof y->B);
    if (p->nh) {
        p->jacobian(p, NULL, &(HolPoint){.t = d->t, .q = d->q}, y->G);
        p->velocity_jacobian(p, NULL, &(HolPoint){.t = d->t, .q = d->q, .v = d->v}, y->B);
    }
    for (int i = 0; i < n; i++) {
        y->r1[i] = -b * f[i];
        y->r2[i] = -c * f[i];
        for (int j = 0; j < n; j++) {
            y->r1[i] += y->M[n * j + i] * (d->q[j] - y->qh[j]);
            y->r2[i] += y->M[n * j + i] * (d->v[j] - y->vh[j]);
        }
    }
}

// one iteration with multipliers: unknowns q, v, nu, mu
static inline void dense_index2(Dense *d, DenseSystem *y) {
    const HolProblem *p = d->p;
    const int n = p->nv, m = p->nh, N = 2 * n + 2 * m;
    const double zero[MOST] = {0}, b = d->bh * d->h * d->h, c = d->gh * d->h;
    static double A[16 * MOST * MOST];
    double x[4 * MOST] = {0}, g[MOST] = {0};
    const int with_H = d->form == INDEX2;
    memset(A, 0, sizeof A);
    dense_residual(d, y);
    dense_blocks(d, y, with_H ? d->nu : zero, with_H ? d->mu : zero);
    if (m)
        p->constraint(p, NULL, &(HolPoint){.t = d->t, .q = d->q}, g);
    for (int i = 0; i < n; i++) {
        x[i] = -y->r1[i];
        x[n + i] = -y->r2[i];
        for (int j = 0; j < n; j++) {
            A[N * j + i] = y->R1q[n * j + i];
            A[N * j + n + i] = y->R2q[n * j + i];
            A[N * (n + j) + i] = b * y->C[n * j + i];
            A[N * (n + j) + n + i] = y->M[n * j + i] + c * y->C[n * j + i];
        }
        for (int k = 0; k < m; k++) {
            const double G = y->G[n * k + i];
            x[i] -= G * d->nu[k];
            x[n + i] -= G * d->mu[k];
            x[2 * n + k] -= G * d->v[i];
            A[N * (2 * n + k) + i] = A[N * (2 * n + m + k) + n + i] = G;
            A[N * (n + i) + 2 * n + k] = A[N * i + 2 * n + m + k] = G;
            A[N * i + 2 * n + k] = y->B[n * k + i];
        }
    }
    for (int k = 0; k < m; k++)
        x[2 * n + m + k] = -g[k];
    dense_solve(N, A, x);
    for (int i = 0; i < n; i++) {
        d->q[i] += x[i];
        d->v[i] += x[n + i];
    }
    for (int k = 0; k < m; k++) {
        d->nu[k] += x[2 * n + k];
        d->mu[k] += x[2 * n + m + k];
    }
}

// one iteration with the projector: unknowns q, v
static inline void dense_split(Dense *d, DenseSystem *y) {
    const HolProblem *p = d->p;
    const int n = p->nv, m = p->nh, N = 2 * n;
    const double b = d->bh * d->h * d->h, c = d->gh * d->h;
    static double A[16 * MOST * MOST];
    double P[MOST][MOST], x[4 * MOST] = {0}, g[MOST], s1[MOST] = {0}, s2[MOST] = {0};
    memset(A, 0, sizeof A);
    dense_residual(d, y);
    if (d->form == SPLIT) {
        dense_s(d, y->G, y->r1, s1);
        dense_s(d, y->G, y->r2, s2);
    }
    dense_blocks(d, y, s1, s2);
    const int rows = dense_projector(d, d->form == SPLIT_FROZEN ? y->G_frozen : y->G, P);
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++) {
            x[r] -= P[r][i] * y->r1[i];
            x[rows + r] -= P[r][i] * y->r2[i];
            for (int j = 0; j < n; j++) {
                A[N * j + r] += P[r][i] * y->R1q[n * j + i];
                A[N * j + rows + r] += P[r][i] * y->R2q[n * j + i];
                A[N * (n + j) + r] += P[r][i] * b * y->C[n * j + i];
                A[N * (n + j) + rows + r] += P[r][i] * (y->M[n * j + i] + c * y->C[n * j + i]);
            }
        }
    p->constraint(p, NULL, &(HolPoint){.t = d->t, .q = d->q}, g);
    for (int k = 0; k < m; k++) {
        x[2 * rows + m + k] = -g[k];
        for (int i = 0; i < n; i++) {
            const double G = y->G[n * k + i];
            x[2 * rows + k] -= G * d->v[i];
            A[N * (n + i) + 2 * rows + k] = A[N * i + 2 * rows + m + k] = G;
            A[N * i + 2 * rows + k] = y->B[n * k + i];
        }
    }
    dense_solve(N, A, x);
    for (int i = 0; i < n; i++) {
        d->q[i] += x[i];
        d->v[i] += x[n + i];
    }
}

static inline void dense_start(Dense *d, const HolProblem *p, const double *q, double h) {
    d->p = p;
    d->h = h;
    d->t = 0;
    memset(d->v, 0, sizeof d->v);
    memcpy(d->q, q, sizeof(double) * (size_t)p->nv);
    dense_accelerate(d);
    memcpy(d->a, d->phi, sizeof d->a);
}

// a step of exactly `iterations` full Newton iterations from q + h v, v; phi_from_mu: the variant
// that takes the acceleration from the velocity multipliers
static inline void dense_step(Dense *d, int iterations, int phi_from_mu) {
    const HolProblem *p = d->p;
    const int n = p->nv, m = p->nh;
    const double h = d->h, am = d->am, af = d->af;
    DenseSystem y;
    double phi[MOST], predicted[MOST];
    memcpy(phi, d->phi, sizeof phi);
    d->t += h;
    for (int i = 0; i < n; i++) {
        y.qh[i] = d->q[i] + h * d->v[i] +
                  h * h * ((0.5 - d->beta / (1 - am)) * d->a[i] + d->beta * af / (1 - am) * phi[i]);
        y.vh[i] =
            d->v[i] + h * ((1 - d->gamma / (1 - am)) * d->a[i] + d->gamma * af / (1 - am) * phi[i]);
        predicted[i] = d->q[i] + h * d->v[i] + h * h * d->a[i] / 2;
        d->q[i] += h * d->v[i];
    }
    for (int k = 0; k < m; k++) {
        d->nu[k] = d->bh * h * h * d->lambda[k];
        d->mu[k] = d->gh * h * d->lambda[k];
    }
    if (m)
        p->jacobian(p, NULL, &(HolPoint){.t = d->t, .q = predicted}, y.G_frozen);
    for (int it = 0; it < iterations; it++) {
        if (d->form <= INDEX2_NO_H)
            dense_index2(d, &y);
        else
            dense_split(d, &y);
    }
    dense_accelerate(d);
    if (phi_from_mu) {
        assert_true(p->mass == unit_mass);
        p->force(p, NULL, &(HolPoint){.t = d->t, .q = d->q, .v = d->v}, d->phi);
        p->jacobian(p, NULL, &(HolPoint){.t = d->t, .q = d->q}, y.G);
        for (int k = 0; k < m; k++) {
            d->lambda[k] = d->mu[k] / (d->gh * h);
            for (int i = 0; i < n; i++)
                d->phi[i] -= y.G[n * k + i] * d->lambda[k];
        }
    }
    for (int i = 0; i < n; i++)
        d->a[i] = ((1 - af) * d->phi[i] + af * phi[i] - am * d->a[i]) / (1 - am);
}

#endif
