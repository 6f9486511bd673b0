// SPDX-License-Identifier: Apache-2.0
// Operators of the linear system on the tangent space without a null space, see docs/theory/linear.md. P r
// is the solution y of [M G^T; G 0] [y; .] = [r; 0]: every vector stays in null(G) by the solves themselves.
//   X d:   [M G^T; G 0] [X d; .] = [0; -Hd d]
//   mu:    [M G^T; G 0] [.; mu] = [M X d; 0]
//   d' = z - P M W d,   z' = -P (K d + C (z + X d) + G'^T mu)       (u = z + X d; transport axes)
// At rest X = 0, W = 0, and (A - sigma)^-1 (a, b) is one solve:
//   [K + sigma C + sigma^2 M  G^T; G 0] [d; .] = [-(M b + (C + sigma M) a); 0],   z = a + sigma d
#include "solve/linear/sparse/sparse.h"
#include "solve/linear/frozen.h"

#include "solve/constraint/project.h"

#include <math.h>
#include <string.h>

static const double SYMMETRY =
    1e-10; // skew parts below this part of the largest entry are round-off
static const double DIFFERENCE = 1e-4; // of the time in which a coordinate moves by its size

void hol_sparse_multiply(const HolSparse *o, const double *A, const double *x, double *y) {
    memset(y, 0, sizeof *y * (size_t)o->n);
    hol_mul_columns(&o->s->p->S, A, x, 1, y);
}

double hol_sparse_product(HolSparse *o, const double *x, const double *y) {
    double sum = 0;
    hol_sparse_multiply(o, o->M, y, o->t3);
    for (int i = 0; i < o->n; i++)
        sum += x[i] * o->t3[i];
    return sum;
}

// o->b holds the right-hand side (n + m) and becomes the solution
static void sparse_solve(HolSparse *o, HolKkt *k) {
    hol_kkt_solve(k, o->b);
    o->solves++;
}

void hol_sparse_project(HolSparse *o, const double *r, double *y) {
    memcpy(o->b, r, sizeof *r * (size_t)o->n);
    memset(o->b + o->n, 0, sizeof *r * (size_t)o->m);
    hol_kkt_solve_motion(o->s->mass, o->b, 0);
    o->solves++;
    memcpy(y, o->b, sizeof *y * (size_t)o->n);
}

void hol_sparse_start(HolSparse *o, unsigned seed, double *x) {
    double most = 0;
    for (int i = 0; i < o->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        o->t1[i] = ((double)(seed >> 8) / (1 << 24) - 0.5) / o->s->reach[i];
    }
    hol_sparse_project(o, o->t1, x);
    for (int i = 0; i < o->n; i++)
        most = fmax(most, fabs(x[i]) / o->s->reach[i]);
    for (int i = 0; most > 0 && i < o->n; i++)
        x[i] /= most;
}

// ---- the matrices ----

// is K symmetric, C zero, on the pattern
static int sparse_conservative(const HolSparse *o) {
    const HolPattern *P = &o->s->p->S;
    const double *reach = o->s->reach;
    double most = 0, skew = 0;
    for (int j = 0; j < o->n; j++)
        for (int e = P->ptr[j]; e < P->ptr[j + 1]; e++) {
            const int i = P->idx[e];
            double other = 0;
            if (o->C[e] != 0)
                return 0;
            for (int f = P->ptr[i]; f < P->ptr[i + 1]; f++)
                if (P->idx[f] == j)
                    other = o->K[f];
            most = fmax(most, fabs(o->K[e]) * reach[i] * reach[j]);
            skew = fmax(skew, fabs(o->K[e] - other) * reach[i] * reach[j]);
        }
    return skew <= SYMMETRY * most;
}

// G' along the motion
static void sparse_rates(HolSparse *o, double dt) {
    HolSim *s = o->s;
    const HolProblem *p = s->p;
    double *q = HOL_NEW(o->arena, double, s->nq + 1), *G = HOL_NEW(o->arena, double, p->G.nnz + 1);
    if (o->arena->failed)
        return;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < o->n; i++)
            o->t3[i] = side * dt * o->x->v[i];
        p->retract(p, s->work, o->x->q, o->t3, q);
        p->jacobian(p, s->work, &(HolPoint){.t = o->x->t + side * dt, .q = q}, G);
        for (int e = 0; e < p->G.nnz; e++)
            o->Gdot[e] += side * G[e] / (2 * dt);
    }
}

// (g_t)_q of a drive that stands for an instant
static int sparse_driven(HolSparse *o) {
    double *B = HOL_NEW(o->arena, double, o->s->p->G.nnz + 1);
    if (!B || !o->m)
        return 0;
    o->s->p->velocity_jacobian(o->s->p, o->s->work, HOL_AT(o->x), B);
    for (int e = 0; e < o->s->p->G.nnz; e++)
        if (B[e] != 0)
            return 1;
    return 0;
}

static HolStatus sparse_refuse(const HolSim *s, HolError *err) {
    if (s->p->extras->n_states)
        return hol_error_set(
            err, HOL_ERR_UNSUPPORTED,
            "%d velocities are too many for dense matrices (%d at most), and large "
            "models must not have first-order states",
            s->nv, HOL_LINEAR_DENSE);
    if (s->nn)
        return hol_error_set(
            err, HOL_ERR_UNSUPPORTED,
            "%d velocities are too many for dense matrices (%d at most), and large "
            "models must not have constraints of velocities (rolling, drives by speed)",
            s->nv, HOL_LINEAR_DENSE);
    if (s->nw)
        return hol_error_set(
            err, HOL_ERR_UNSUPPORTED,
            "%d velocities are too many for dense matrices (%d at most), and large "
            "models must not have algebraic variables",
            s->nv, HOL_LINEAR_DENSE);
    if (hol_frozen_has_modes(s))
        return hol_error_set(
            err, HOL_ERR_UNSUPPORTED,
            "%d velocities are too many for dense matrices (%d at most), and large "
            "models must not have friction that sticks, rigid stops or contacts",
            s->nv, HOL_LINEAR_DENSE);
    if (!s->p->constant_mass)
        return hol_error_set(
            err, HOL_ERR_UNSUPPORTED,
            "%d velocities are too many for dense matrices (%d at most), and large "
            "problems must have a constant mass matrix",
            s->nv, HOL_LINEAR_DENSE);
    return HOL_OK;
}

// the largest rate, roughly, by a few steps of the power method
static void sparse_estimate(HolSparse *o) {
    double *x = o->pair, *y = o->pair + o->n;
    hol_sparse_start(o, 5, x);
    for (int step = 0; step < 6; step++) {
        const double *const matrix[2] = {o->C, o->K};
        for (int k = 0; k < 2; k++) {
            hol_sparse_multiply(o, matrix[k], x, o->t1);
            hol_sparse_project(o, o->t1, y);
            const double rate = sqrt(hol_sparse_product(o, y, y) / hol_sparse_product(o, x, x));
            if (isfinite(rate))
                o->scale = fmax(o->scale, k ? sqrt(rate) : rate);
        }
        double most = 0;
        for (int i = 0; i < o->n; i++)
            most = fmax(most, fabs(y[i]) / o->s->reach[i]);
        if (!(most > 0 && isfinite(most)))
            return;
        for (int i = 0; i < o->n; i++)
            x[i] = y[i] / most;
    }
}

HolStatus hol_sparse_open(HolSim *s, const HolState *x, HolArena *arena, HolSparse *o,
                          HolError *err) {
    const HolProblem *p = s->p;
    const int room = s->nv + s->m + 1;
    double motion = 0;
    *o = (HolSparse){.s = s, .x = x, .arena = arena, .n = s->nv, .m = s->m};
    HolStatus status = sparse_refuse(s, err);
    if (status != HOL_OK)
        return status;
    o->dof = s->nv - s->check.rank;
    double **const wide[] = {&o->M, &o->C, &o->K},
                   **const vectors[] = {&o->b, &o->t1, &o->t2, &o->t3};
    for (int i = 0; i < 3; i++)
        *wide[i] = HOL_NEW(arena, double, p->S.nnz + 1);
    o->Gdot = HOL_NEW(arena, double, p->G.nnz + 1);
    for (int i = 0; i < 4; i++)
        *vectors[i] = HOL_NEW(arena, double, room);
    o->pair = HOL_NEW(arena, double, 2 * s->nv + 1);
    if (arena->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    p->mass(p, s->work, HOL_AT(x), 1, 1, o->M);
    p->tangent(p, s->work, HOL_AT(x), 1, 0, o->C);
    p->tangent(p, s->work, HOL_AT(x), 0, 1, o->K);
    for (int i = 0; i < o->n; i++)
        motion = fmax(motion, fabs(x->v[i]) / s->reach[i]);
    o->moving = motion > 1e-12;
    o->moving |= sparse_driven(o);
    if (o->moving && s->m && !p->extras->body)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "%d velocities are too many for dense matrices (%d at most), and a "
                             "large problem of a program must be at rest",
                             s->nv, HOL_LINEAR_DENSE);
    if (o->moving && s->m && !hol_sparse_rate_jacobian(o))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (o->moving && s->m)
        sparse_rates(o, DIFFERENCE / fmax(motion, 1e-3));
    o->conservative = !o->moving && sparse_conservative(o);
    const HolStats stats = s->stats; // it is no effort of the method
    status = hol_mass_factor(s, x->t, x->q, err);
    s->stats = stats;
    if (status != HOL_OK)
        return status;
    sparse_estimate(o);
    o->scale = fmax(o->scale, motion);
    if (!(o->scale > 0))
        o->scale = 1;
    return arena->failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

void hol_sparse_close(HolSparse *o) {
    if (o->shift)
        hol_kkt_destroy(o->shift);
    o->shift = NULL;
}

int hol_sparse_shift(HolSparse *o, double sigma) {
    HolSim *s = o->s;
    if (!o->shift) {
        o->shift = hol_kkt_create(o->arena, &s->p->S, &s->p->G, 0, 0, "auto");
        if (!o->shift)
            return 0;
        hol_kkt_reach(o->shift, s->reach, s->reach + 2 * s->nv);
        hol_kkt_set_redundant(o->shift, s->redundant);
    }
    double *S = hol_kkt_S(o->shift);
    for (int e = 0; e < s->p->S.nnz; e++)
        S[e] = o->K[e] + sigma * (o->C[e] + sigma * o->M[e]);
    if (o->m)
        memcpy(hol_kkt_G(o->shift), hol_kkt_G(s->mass), sizeof *S * (size_t)s->p->G.nnz);
    o->sigma = sigma;
    return hol_kkt_factor(o->shift) == 0;
}

// ---- operators ----

// y -= sum of value x x^T M (vector): takes known vectors out
static void sparse_deflate(HolSparse *o, const double *Mx, double *y) {
    for (int k = 0; k < o->n_known; k++) {
        const double *z = o->known + (size_t)o->n * (size_t)k;
        double sum = 0;
        for (int i = 0; i < o->n; i++)
            sum += z[i] * Mx[i];
        for (int i = 0; i < o->n; i++)
            y[i] -= o->known_value[k] * sum * z[i];
    }
}

void hol_sparse_weigh(void *user, const double *x, double *y) {
    HolSparse *o = user;
    hol_sparse_multiply(o, o->M, x, y);
}

void hol_sparse_apply_largest(void *user, const double *x, double *y) {
    HolSparse *o = user;
    hol_sparse_multiply(o, o->K, x, o->t1);
    hol_sparse_project(o, o->t1, o->t2);
    hol_sparse_multiply(o, o->M, x, o->t1);
    memcpy(y, o->t2, sizeof *y * (size_t)o->n);
    sparse_deflate(o, o->t1, y);
}

void hol_sparse_apply_lowest(void *user, const double *x, double *y) {
    HolSparse *o = user;
    hol_sparse_multiply(o, o->M, x, o->t1);
    memcpy(o->b, o->t1, sizeof *y * (size_t)o->n);
    memset(o->b + o->n, 0, sizeof *y * (size_t)o->m);
    sparse_solve(o, o->shift);
    memcpy(y, o->b, sizeof *y * (size_t)o->n);
    sparse_deflate(o, o->t1, y);
}

// t = W d, the turning of rotations
static void sparse_turn(const HolSparse *o, const double *d, double *t) {
    const HolProblemExtras *extras = o->s->p->extras;
    memset(t, 0, sizeof *t * (size_t)o->n);
    for (int i = 0; extras->dimensions == 3 && i < extras->n_parts; i++) {
        int translation, r;
        double A[9];
        extras->part(o->s->p, i, o->x->q, &translation, &r, A);
        if (r < 0)
            continue;
        const double *w = o->x->v + r;
        for (int k = 0; k < 3; k++)
            t[r + k] = w[(k + 1) % 3] * d[r + (k + 2) % 3] - w[(k + 2) % 3] * d[r + (k + 1) % 3];
    }
}

void hol_sparse_velocity(HolSparse *o, const double *d, double *z) {
    if (!o->moving || !o->m)
        return;
    memset(o->b, 0, sizeof *z * (size_t)(o->n + o->m));
    hol_mul_rows(&o->H, o->Hd, d, -1, o->b + o->n);
    sparse_solve(o, o->s->mass);
    for (int i = 0; i < o->n; i++)
        z[i] += o->b[i];
}

void hol_sparse_first_order(HolSparse *o, const double *x, double *out) {
    const HolPattern *G = &o->s->p->G;
    const int n = o->n, m = o->m;
    const double *d = x, *z = x + n;
    double *u = o->t1, *r = o->t2;
    memcpy(u, z, sizeof *u * (size_t)n);
    memcpy(out, z, sizeof *u * (size_t)n);
    memset(r, 0, sizeof *r * (size_t)n);
    if (o->moving) {
        sparse_turn(o, d, o->t3);
        hol_sparse_multiply(o, o->M, o->t3, r);
        hol_sparse_project(o, r, r);
        for (int i = 0; i < n; i++)
            out[i] -= r[i];
        memset(r, 0, sizeof *r * (size_t)n);
        if (m) {
            hol_sparse_velocity(o, d, u); // X d stays in o->b
            hol_sparse_multiply(o, o->M, o->b, o->t3);
            memcpy(o->b, o->t3, sizeof *u * (size_t)n);
            memset(o->b + n, 0, sizeof *u * (size_t)m);
            sparse_solve(o, o->s->mass);
            hol_mul_rows_transposed(G, o->Gdot, o->b + n, -1, r);
        }
    }
    hol_mul_columns(&o->s->p->S, o->K, d, -1, r);
    hol_mul_columns(&o->s->p->S, o->C, u, -1, r);
    hol_sparse_project(o, r, out + n);
}

void hol_sparse_unscale(const HolSparse *o, const double *x, double *d, double *z) {
    for (int i = 0; i < o->n; i++) {
        d[i] = x[i] * o->s->reach[i] / o->scale;
        z[i] = x[o->n + i] * o->s->reach[i];
    }
}

static void sparse_scale(const HolSparse *o, double *x) {
    for (int i = 0; i < o->n; i++) {
        x[i] *= o->scale / o->s->reach[i];
        x[o->n + i] /= o->s->reach[i];
    }
}

void hol_sparse_apply_first(void *user, const double *x, double *y) {
    HolSparse *o = user;
    double *copy = o->pair;
    hol_sparse_unscale(o, x, copy, copy + o->n);
    hol_sparse_first_order(o, copy, y);
    sparse_scale(o, y);
}

void hol_sparse_apply_inverse(void *user, const double *x, double *y) {
    HolSparse *o = user;
    const int n = o->n;
    double *a = o->pair, *b = a + n;
    hol_sparse_unscale(o, x, a, b);
    memset(o->b, 0, sizeof *a * (size_t)(n + o->m));
    hol_mul_columns(&o->s->p->S, o->M, b, -1, o->b);
    hol_mul_columns(&o->s->p->S, o->C, a, -1, o->b);
    hol_mul_columns(&o->s->p->S, o->M, a, -o->sigma, o->b);
    sparse_solve(o, o->shift);
    for (int i = 0; i < n; i++) {
        y[i] = o->b[i];
        y[n + i] = a[i] + o->sigma * o->b[i];
    }
    sparse_scale(o, y);
}
