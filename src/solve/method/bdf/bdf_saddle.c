// SPDX-License-Identifier: Apache-2.0
// Large systems of bdf by two saddle points, as those of the other methods: their orders keep little
// fill on nets of loops, where a factorization of the wide matrix (bdf_jacobian.c) fills up.
//
// Without H(mu), B and the change of W, with d = W dq and p.dq = f_p, the wide equations
//   N (cj d - dv) + G_h^T mu = f1,  K d + C dv + G^T lambda = f2,  G dv = f3,  G_h d = f4
// fall apart: with x = N^-1 (f1 - G_h^T mu), so that dv = cj d - x,
//   [ N    G_h^T ] [ x  ]   [ f1          ]      [ K + cj C   G^T ] [ d      ]   [ f2 + C x              ]
//   [ G_h  0     ] [ mu ] = [ cj f4 - f3  ]      [ G          0   ] [ lambda ] = [ f4, or (f3 + G x)/cj  ]
// (the last for rows of velocities alone). What was left out is of the size of a step times the rates
// of the motion, and refinement y += P^-1 (F - J y) against the whole matrix J puts it right. Where
// that does not converge the wide matrix is factored after all.
#include "solve/constraint/project.h"
#include "solve/method/bdf/bdf.h"

#include <math.h>
#include <string.h>

// ---- tuning constants ----
static const double SMALL = 1e-8;  // of the solution: the last correction
static const double SLOW = 0.5;    // a correction, relative to the one before, that is too large
enum { ROUNDS = 20, GIVE_UP = 3 }; // corrections; failures in a row

struct HolBdfSaddle {
    HolKkt *position, *motion;
    double cj;
    double *p;             // 4 a quaternion: those of the matrix
    double *x, *d;         // nv + m: solutions of the two
    double *rest, *change; // n_wide
    unsigned char *left;   // m: rows that are not in a saddle point
    int failures;          // in a row
};

int hol_bdf_saddle_create(HolBdf *b) {
    HolSim *s = b->s;
    HolArena *a = &s->arena;
    const int nv = b->nv, m = s->m;
    HolBdfSaddle *z = HOL_NEW(a, HolBdfSaddle, 1);
    int *diagonal = HOL_NEW(a, int, nv + 1);
    if (!z || !diagonal)
        return 0;
    for (int i = 0; i <= nv; i++)
        diagonal[i] = i;
    const HolPattern N = {.rows = nv, .cols = nv, .nnz = nv, .ptr = diagonal, .idx = diagonal};
    z->p = HOL_NEW(a, double, 4 * b->quaternions + 1);
    z->x = HOL_NEW(a, double, nv + m + 1);
    z->d = HOL_NEW(a, double, nv + m + 1);
    z->rest = HOL_NEW(a, double, b->n_wide + 1);
    z->change = HOL_NEW(a, double, b->n_wide + 1);
    z->left = HOL_NEW(a, unsigned char, m + 1);
    z->position = hol_sim_kkt(s, &N, &s->p->G, 0, 1, "auto");
    z->motion = hol_sim_kkt(s, &s->p->S, &s->p->G, 0, 0, "auto");
    if (a->failed || !z->position || !z->motion)
        return 0;
    memset(z->left, 1, (size_t)m);
    for (int i = 0; i < b->ma; i++)
        z->left[b->row[i]] = 0;
    hol_kkt_inactive(z->motion, z->left);
    for (int i = b->ha; i < b->ma; i++)
        z->left[b->row[i]] = 1;
    hol_kkt_inactive(z->position, z->left);
    b->saddle = z;
    return 1;
}

void hol_bdf_saddle_destroy(HolBdf *b) {
    if (!b->saddle)
        return;
    hol_kkt_destroy(b->saddle->position);
    hol_kkt_destroy(b->saddle->motion);
}

void hol_bdf_saddle_start(HolBdf *b) {
    if (b->saddle)
        b->saddle->failures = 0;
}

void hol_bdf_saddle_take(HolBdf *b, double cj, const double *y) {
    HolBdfSaddle *z = b->saddle;
    if (!z)
        return;
    z->cj = cj;
    for (int k = 0; k < b->quaternions; k++)
        memcpy(z->p + 4 * k, y + b->quaternion_q[k], 4 * sizeof *z->p);
    double *N = hol_kkt_S(z->position), *S = hol_kkt_S(z->motion);
    for (int i = 0; i < b->nv; i++)
        N[i] = hol_bdf_metric(b, i);
    for (int k = 0; k < b->s->p->S.nnz; k++)
        S[k] = b->K[k] + cj * b->C[k];
    const size_t bytes = sizeof(double) * (size_t)b->s->p->G.nnz;
    if (bytes) {
        memcpy(hol_kkt_G(z->position), b->G, bytes);
        memcpy(hol_kkt_G(z->motion), b->G, bytes);
    }
}

static int bdf_saddle_fails(HolBdfSaddle *z) {
    z->failures++;
    return 1;
}

int hol_bdf_saddle_factor(HolBdf *b) {
    HolBdfSaddle *z = b->saddle;
    if (!z || z->failures >= GIVE_UP)
        return 1;
    if (hol_kkt_factor(z->position) || hol_kkt_is_regularized(z->position) ||
        hol_kkt_factor(z->motion) || hol_kkt_is_regularized(z->motion))
        return bdf_saddle_fails(z);
    return 0;
}

// dq of d = W dq and n = p.dq
static void bdf_saddle_turn(const double *p, const double *d, double n, double *dq) {
    const double pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], c = n / pp;
    dq[0] = 0.5 * (-p[1] * d[0] - p[2] * d[1] - p[3] * d[2]) + c * p[0];
    dq[1] = 0.5 * (p[0] * d[0] - p[3] * d[1] + p[2] * d[2]) + c * p[1];
    dq[2] = 0.5 * (p[3] * d[0] + p[0] * d[1] - p[1] * d[2]) + c * p[2];
    dq[3] = 0.5 * (-p[2] * d[0] + p[1] * d[1] + p[0] * d[2]) + c * p[3];
}

// f3 + G x of one row
static double bdf_saddle_rate(const HolBdf *b, int row, const double *x, double f3) {
    const HolPattern *G = &b->s->p->G;
    const double *values = hol_kkt_G(b->saddle->motion);
    for (int k = G->ptr[row]; k < G->ptr[row + 1]; k++)
        f3 += values[k] * x[G->idx[k]];
    return f3;
}

// out = P^-1 f
static void bdf_saddle_apply(HolBdf *b, const double *f, double *out) {
    HolBdfSaddle *z = b->saddle;
    const HolProblem *p = b->s->p;
    const int nv = b->nv, m = b->s->m;
    const double *norm = f + nv, *f2 = norm + b->quaternions, *f3 = f2 + nv, *f4 = f3 + b->ma;
    double *x = z->x, *d = z->d, *v = out + b->nq, *lambda = v + nv, *mu = lambda + b->ma;
    memcpy(x, f, sizeof(double) * (size_t)nv);
    memset(x + nv, 0, sizeof(double) * (size_t)m);
    for (int i = 0; i < b->ha; i++)
        x[nv + b->row[i]] = z->cj * f4[i] - f3[i];
    hol_kkt_solve(z->position, x);
    memcpy(d, f2, sizeof(double) * (size_t)nv);
    hol_mul_columns(&p->S, b->C, x, 1, d);
    memset(d + nv, 0, sizeof(double) * (size_t)m);
    for (int i = 0; i < b->ma; i++)
        d[nv + b->row[i]] = i < b->ha ? f4[i] : bdf_saddle_rate(b, b->row[i], x, f3[i]) / z->cj;
    hol_kkt_solve(z->motion, d);
    for (int i = 0; i < nv; i++) {
        v[i] = z->cj * d[i] - x[i];
        if (b->q_count[i] == 1)
            out[b->q_first[i]] = d[i];
    }
    for (int k = 0; k < b->quaternions; k++)
        bdf_saddle_turn(z->p + 4 * k, d + b->quaternion_v[k], norm[k], out + b->quaternion_q[k]);
    for (int i = 0; i < b->ma; i++)
        lambda[i] = d[nv + b->row[i]];
    for (int i = 0; i < b->ha; i++)
        mu[i] = x[nv + b->row[i]];
}

// largest position and velocity, each in its unit
static double bdf_saddle_size(const HolBdf *b, const double *y, const double *unit) {
    double most = 0;
    for (int i = 0; i < b->nq + b->nv; i++)
        most = fmax(most, fabs(y[i]) / unit[i]);
    return most;
}

int hol_bdf_saddle_solve(HolBdf *b, const double *F, const double *unit, double *y) {
    HolBdfSaddle *z = b->saddle;
    double *rest = z->rest, *change = z->change, last = INFINITY;
    bdf_saddle_apply(b, F, y);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(rest, F, sizeof(double) * (size_t)b->n_wide);
        for (int c = 0; c < b->n_wide; c++)
            for (int k = b->ptr[c]; k < b->ptr[c + 1]; k++)
                rest[b->idx[k]] -= b->val[k] * y[c];
        bdf_saddle_apply(b, rest, change);
        const double size = bdf_saddle_size(b, change, unit), all = bdf_saddle_size(b, y, unit);
        for (int i = 0; i < b->n_wide; i++)
            y[i] += change[i];
        if (size <= SMALL * all) {
            z->failures = 0;
            return 0;
        }
        if (!(size < SLOW * last) || !isfinite(size))
            break;
        last = size;
    }
    return bdf_saddle_fails(z);
}
