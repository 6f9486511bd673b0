// SPDX-License-Identifier: Apache-2.0
// The fastest mode of a large model, without null space or dense matrices. On the constraints,
//   x -> y:  [M G^T; G 0] [y; .] = [K x; 0]
// has the eigenvalues omega^2; Arnoldi's process in the inner product of M finds the largest, stopped when
// its residual is below `tol` of it (Ritz values are bounds from below). K is that of the state, with
// its reactions; the turning of the null space of a moving state,
//   K x + C X x + Hd^T mu,  [M G^T; G 0] [X x; .] = [0; -Hd x],  [M G^T; G 0] [.; mu] = [M X x; 0],
// comes along: Hd x = (G v + g_t)_q x by differences, Hd^T mu = (G^T mu)_q v. The same process with C in
// place of K finds the fastest decay.
#include "math/dense.h"
#include "solve/constraint/project.h"
#include "solve/stability/stability.h"

#include <math.h>
#include <string.h>

enum { MOST_SOLVES = 80, FIRST_LOOK = 8, EACH = 4 };
static const double SMALL_MOVE = 1e-4; // of the model's size: step of the differences

typedef struct FastestMode {
    HolSim *s;
    const double *K;      // pattern S
    const double *C;      // pattern S
    const double *M;      // pattern M
    double *with, *zero;  // pattern S: scratch
    double *rhs, *x1, *r; // nv + m + nw, nv, nv
    double *q, *G, *gt;
    int moving;
} FastestMode;

static double fastest_dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// y, mu of [M G^T; G 0] [y; mu] = rhs, in its place
static void fastest_solve(FastestMode *f) {
    hol_kkt_solve(f->s->mass, f->rhs);
}

static void fastest_clear(FastestMode *f) {
    memset(f->rhs, 0, sizeof *f->rhs * (size_t)(f->s->nv + f->s->m + f->s->nw));
}

// out = -Hd x, m rows
static void fastest_rate(FastestMode *f, const double *x, double *out) {
    HolSim *s = f->s;
    const HolProblem *p = s->p;
    double size = 0;
    for (int i = 0; i < s->nv; i++)
        size = fmax(size, fabs(x[i]) / s->reach[i]);
    memset(out, 0, sizeof *out * (size_t)s->m);
    if (!(size > 0))
        return;
    for (int side = -1; side <= 1; side += 2) {
        const double e = side * SMALL_MOVE / size;
        for (int i = 0; i < s->nv; i++)
            f->x1[i] = e * x[i];
        p->retract(p, s->work, s->x.q, f->x1, f->q);
        const HolPoint at = {s->x.t, f->q, s->x.v, s->x.a, s->x.lambda, s->x.w};
        memset(f->gt, 0, sizeof *f->gt * (size_t)s->m);
        p->jacobian(p, s->work, &at, f->G);
        p->velocity_rhs(p, s->work, &at, f->gt);
        hol_mul_rows(&p->G, f->G, s->x.v, -1 / (2 * e), out);
        for (int i = 0; i < s->m; i++)
            out[i] -= f->gt[i] / (2 * e);
    }
}

// out += (G^T mu)_q v
static void fastest_back(FastestMode *f, const double *mu, double *out) {
    HolSim *s = f->s;
    const HolProblem *p = s->p;
    const HolPoint at = {s->x.t, s->x.q, s->x.v, NULL, mu, s->x.w};
    memset(f->with, 0, sizeof *f->with * (size_t)p->S.nnz);
    p->tangent(p, s->work, &at, 0, 1, f->with);
    for (int i = 0; i < p->S.nnz; i++)
        f->with[i] -= f->zero[i];
    hol_mul_columns(&p->S, f->with, s->x.v, 1, out);
}

// y = the operator on x; B: K or C
static void fastest_apply(FastestMode *f, const double *B, int turning, const double *x,
                          double *y) {
    HolSim *s = f->s;
    const int nv = s->nv;
    memset(f->r, 0, sizeof *f->r * (size_t)nv);
    hol_mul_columns(&s->p->S, B, x, 1, f->r);
    if (turning) {
        fastest_clear(f);
        fastest_rate(f, x, f->rhs + nv);
        fastest_solve(f);
        memcpy(f->x1, f->rhs, sizeof *f->x1 * (size_t)nv); // X x
        hol_mul_columns(&s->p->S, f->C, f->x1, 1, f->r);
        fastest_clear(f);
        hol_mul_columns(&s->p->M, f->M, f->x1, 1, f->rhs);
        fastest_solve(f);
        memcpy(f->gt, f->rhs + nv, sizeof *f->gt * (size_t)s->m);
        fastest_back(f, f->gt, f->r);
    }
    fastest_clear(f);
    memcpy(f->rhs, f->r, sizeof *f->r * (size_t)nv);
    fastest_solve(f);
    memcpy(y, f->rhs, sizeof *y * (size_t)nv);
}

// ---- Arnoldi ----

typedef struct FastestBasis {
    double *V, *MV; // nv x (MOST_SOLVES + 1)
    double H[(MOST_SOLVES + 1) * MOST_SOLVES];
    int k;
} FastestBasis;

static double *fastest_column(double *V, int nv, int i) {
    return V + (size_t)nv * (size_t)i;
}

// y made orthogonal (in M) to the basis and, of length 1, its next column; the length
static double fastest_extend(FastestMode *f, FastestBasis *b, double *y, double *h) {
    const int nv = f->s->nv, k = b->k;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < k; i++) {
            const double c = fastest_dot(nv, fastest_column(b->MV, nv, i), y);
            const double *v = fastest_column(b->V, nv, i);
            for (int j = 0; j < nv; j++)
                y[j] -= c * v[j];
            if (h)
                h[i] += c;
        }
    double *v = fastest_column(b->V, nv, k), *Mv = fastest_column(b->MV, nv, k);
    memset(Mv, 0, sizeof *Mv * (size_t)nv);
    hol_mul_columns(&f->s->p->M, f->M, y, 1, Mv);
    const double length = sqrt(fmax(0, fastest_dot(nv, y, Mv)));
    for (int j = 0; j < nv && length > 0; j++) {
        v[j] = y[j] / length;
        Mv[j] /= length;
    }
    b->k = k + 1;
    return length;
}

// the largest Ritz value of the first n columns, its vector in `s`; its residual over its size
static double fastest_ritz(const FastestBasis *b, int n, double next, double *theta, double *s,
                           HolArena *scratch) {
    double *A = HOL_NEW(scratch, double, 2 * n * n + 2 * n), *V = A + n * n, *re = V + n * n,
           *im = re + n;
    int best = 0;
    if (!A)
        return INFINITY;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[j * n + i] = b->H[j * (MOST_SOLVES + 1) + i];
    if (hol_dense_eigenvectors(n, A, re, im, V) != 0)
        return INFINITY;
    for (int i = 1; i < n; i++)
        if (fabs(re[i]) > fabs(re[best]))
            best = i;
    *theta = re[best];
    memcpy(s, V + best * n, sizeof *s * (size_t)n);
    return fabs(*theta) > 0 ? fabs(next * s[n - 1]) / fabs(*theta) : 0;
}

// the largest eigenvalue and its vector (length 1 in M); *off: bound of its relative error
static int fastest_largest(FastestMode *f, const double *B, int turning, double tol,
                           HolArena *scratch, double *theta, double *shape, double *off) {
    const int nv = f->s->nv;
    FastestBasis *b = HOL_NEW(scratch, FastestBasis, 1);
    double *y = HOL_NEW(scratch, double, nv + 1), ritz[MOST_SOLVES] = {0};
    unsigned seed = 12345;
    if (b) {
        b->V = HOL_NEW(scratch, double, (size_t)nv *(MOST_SOLVES + 1));
        b->MV = HOL_NEW(scratch, double, (size_t)nv *(MOST_SOLVES + 1));
    }
    if (scratch->failed)
        return 0;
    fastest_clear(f);
    for (int i = 0; i < nv; i++) {
        seed = seed * 1664525u + 1013904223u;
        f->rhs[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
    }
    fastest_solve(f);
    memcpy(y, f->rhs, sizeof *y * (size_t)nv);
    *theta = *off = 0;
    memset(shape, 0, sizeof *shape * (size_t)nv);
    if (!(fastest_extend(f, b, y, NULL) > 0))
        return 1;
    int n = 0;
    for (int k = 0; k < MOST_SOLVES; k++) {
        double *h = b->H + k * (MOST_SOLVES + 1);
        fastest_apply(f, B, turning, fastest_column(b->V, nv, k), y);
        h[k + 1] = fastest_extend(f, b, y, h);
        n = k + 1;
        if (h[n] <= 1e-13 * fabs(h[0]) || n == MOST_SOLVES || (n >= FIRST_LOOK && n % EACH == 0)) {
            *off = fastest_ritz(b, n, h[n], theta, ritz, scratch);
            if (*off < tol || h[n] <= 1e-13 * fabs(h[0]))
                break;
        }
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < nv; i++)
            shape[i] += ritz[k] * fastest_column(b->V, nv, k)[i];
    return 1;
}

// ---- the two modes ----

static int fastest_prepare(HolSim *s, HolArena *a, FastestMode *f) {
    const HolProblem *p = s->p;
    const int all = s->nv + s->nq + s->m + s->nw + 1;
    double *K = HOL_NEW(a, double, p->S.nnz + 1), *C = HOL_NEW(a, double, p->S.nnz + 1),
           *M = HOL_NEW(a, double, p->M.nnz + 1);
    *f = (FastestMode){.s = s, .K = K, .C = C, .M = M};
    f->with = HOL_NEW(a, double, p->S.nnz + 1);
    f->zero = HOL_NEW(a, double, p->S.nnz + 1);
    f->rhs = HOL_NEW(a, double, all);
    f->x1 = HOL_NEW(a, double, all);
    f->r = HOL_NEW(a, double, all);
    f->q = HOL_NEW(a, double, all);
    f->gt = HOL_NEW(a, double, all);
    f->G = HOL_NEW(a, double, p->G.nnz + 1);
    if (a->failed)
        return 0;
    const HolPoint bare = {s->x.t, s->x.q, s->x.v, NULL, NULL, s->x.w};
    p->mass(p, s->work, HOL_AT(&s->x), 1, 0, M);
    p->tangent(p, s->work, HOL_AT(&s->x), 0, 1, K);
    p->tangent(p, s->work, HOL_AT(&s->x), 1, 0, C);
    for (int i = 0; i < s->nv; i++)
        f->moving |= s->x.v[i] != 0;
    if (f->moving && s->m)
        p->tangent(p, s->work, &bare, 0, 1, f->zero);
    return 1;
}

// x^T B x
static double fastest_form(FastestMode *f, const double *B, const double *x) {
    memset(f->r, 0, sizeof *f->r * (size_t)f->s->nv);
    hol_mul_columns(&f->s->p->S, B, x, 1, f->r);
    return fastest_dot(f->s->nv, x, f->r);
}

HolStatus hol_fastest_mode(HolSim *s, double tol, HolArena *scratch, HolFastestMode *out,
                           HolError *err) {
    FastestMode f;
    double decay = 0, off = 0;
    HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
    if (status != HOL_OK)
        return status;
    *out = (HolFastestMode){.shape = HOL_NEW(scratch, double, s->nv + 1),
                            .M_shape = HOL_NEW(scratch, double, s->nv + 1)};
    double *other = HOL_NEW(scratch, double, s->nv + 1);
    if (!other || !fastest_prepare(s, scratch, &f) ||
        !fastest_largest(&f, f.K, f.moving && s->m, tol, scratch, &out->omega2[0], out->shape,
                         &out->bound))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    out->decay[0] = fastest_form(&f, f.C, out->shape);
    out->modes = out->omega2[0] != 0;
    hol_mul_columns(&s->p->M, f.M, out->shape, 1, out->M_shape);
    out->energy = 0;
    fastest_clear(&f);
    hol_mul_columns(&s->p->M, f.M, s->x.v, 1, f.rhs);
    out->energy = fastest_dot(s->nv, s->x.v, f.rhs);
    fastest_clear(&f);
    hol_mul_columns(&s->p->M, f.M, s->x.a, 1, f.rhs);
    out->force = fastest_dot(s->nv, s->x.a, f.rhs);
    double damped = 0;
    for (int i = 0; i < s->p->S.nnz; i++)
        damped = fmax(damped, fabs(f.C[i]));
    if (damped > 0 && !fastest_largest(&f, f.C, 0, tol, scratch, &decay, other, &off))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (decay > 0) {
        out->decay[out->modes] = decay;
        out->omega2[out->modes++] = fmax(0, fastest_form(&f, f.K, other));
        out->bound = fmax(out->bound, off);
    }
    return HOL_OK;
}
