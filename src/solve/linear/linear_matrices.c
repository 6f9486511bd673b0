// SPDX-License-Identifier: Apache-2.0
// Dense matrices of the equations at a state, and their changes along increments and along the motion:
//   K = (M a)_q + (G^T lambda)_q - f_q,  C = -f_v
//   with algebraic variables w = W(t,q,v,a,lambda,w), T = f_w (1 - W_w)^-1:
//   K -= T W_q,  C -= T W_v,  M_eff = M - T W_a,  F^T = G^T - T W_lambda
// Differences are of fourth order, the increment 1e-3 of a coordinate's size: 1e-11 relative.
#include "solve/linear/linear_parts.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double PLACE[4] = {-2, -1, 1, 2};
static const double WEIGHT[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
static const double INCREMENT = 1e-3; // of differences, part of the size of a coordinate

static void linear_spread_columns(const HolPattern *P, const double *value, int n, double *out) {
    memset(out, 0, sizeof *out * (size_t)n * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++)
            out[n * j + P->idx[k]] = value[k];
}

static void linear_spread_rows(const HolPattern *P, const double *value, int m, int n,
                               double *out) {
    memset(out, 0, sizeof *out * (size_t)m * (size_t)n);
    for (int i = 0; i < m; i++)
        for (int k = P->ptr[i]; k < P->ptr[i + 1]; k++)
            out[m * P->idx[k] + i] = value[k];
}

int hol_linear_room(HolSim *s, HolArena *arena, HolLinearMatrices *out) {
    const size_t square = (size_t)s->nv * (size_t)s->nv + 1,
                 flat = (size_t)s->m * (size_t)s->nv + 1;
    out->M = HOL_NEW(arena, double, square);
    out->C = HOL_NEW(arena, double, square);
    out->K = HOL_NEW(arena, double, square);
    out->F = out->G = HOL_NEW(arena, double, flat);
    out->M_eff = out->M;
    if (s->nw) {
        out->F = HOL_NEW(arena, double, flat);
        out->M_eff = HOL_NEW(arena, double, square);
    }
    return !arena->failed;
}

// out (r x c, by columns) -= T (n x nw) J (nw x c, by rows); transposed: out (c x n) -= (T J)^T
static void linear_subtract(int n, int nw, int c, const double *T, const double *J, int transposed,
                            double *out) {
    for (int j = 0; j < c; j++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < nw; k++)
                sum += T[n * k + i] * J[c * k + j];
            out[transposed ? c * i + j : n * j + i] -= sum;
        }
}

// the part of the algebraic variables in K, C, M_eff and F
static HolStatus linear_variables(HolSim *s, const HolState *x, HolArena *arena,
                                  HolLinearMatrices *o, HolError *err) {
    const int n = s->nv, m = s->m, nw = s->nw;
    double *J = HOL_NEW(arena, double, nw *(4 * n + m + 2 * nw) + 1);
    double *T = HOL_NEW(arena, double, n *nw), *B = HOL_NEW(arena, double, nw *nw);
    int *pivot = HOL_NEW(arena, int, nw);
    if (arena->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolAlgebraic a = {.r = J};
    a.Jq = a.r + nw;
    a.Jv = a.Jq + nw * n;
    a.Ja = a.Jv + nw * n;
    a.Jl = a.Ja + nw * n;
    a.Jw = a.Jl + nw * m;
    a.fw = a.Jw + nw * nw;
    s->p->variables(s->p, s->work, HOL_AT(x), &a);
    for (int i = 0; i < nw; i++) // B = (1 - W_w)^T by columns
        for (int j = 0; j < nw; j++)
            B[nw * i + j] = (i == j) - a.Jw[nw * i + j];
    if (hol_dense_lu(nw, B, pivot))
        return hol_error_set(err, HOL_ERR_SINGULAR,
                             "at time %.10g the algebraic variables do not determine each other",
                             x->t);
    for (int i = 0; i < n; i++) { // a row of T: (1 - W_w)^T t = f_w row
        double row[64];
        if (nw > 64)
            return hol_error_set(err, HOL_ERR_UNSUPPORTED, "more than 64 algebraic variables");
        for (int k = 0; k < nw; k++)
            row[k] = a.fw[nw * i + k];
        hol_dense_lu_solve(nw, B, pivot, row);
        for (int k = 0; k < nw; k++)
            T[n * k + i] = row[k];
    }
    memcpy(o->M_eff, o->M, sizeof(double) * (size_t)(n * n));
    memcpy(o->F, o->G, sizeof(double) * (size_t)(m * n));
    linear_subtract(n, nw, n, T, a.Jq, 0, o->K);
    linear_subtract(n, nw, n, T, a.Jv, 0, o->C);
    linear_subtract(n, nw, n, T, a.Ja, 0, o->M_eff);
    linear_subtract(n, nw, m, T, a.Jl, 1, o->F);
    return HOL_OK;
}

HolStatus hol_linear_evaluate(HolSim *s, const HolState *x, HolArena *arena, HolLinearMatrices *out,
                              HolError *err) {
    const HolProblem *p = s->p;
    const int n = s->nv;
    double *S = HOL_NEW(arena, double, p->S.nnz + 1), *G = HOL_NEW(arena, double, p->G.nnz + 1);
    if (arena->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    const size_t bytes = sizeof *S * (size_t)p->S.nnz;
    p->mass(p, s->work, HOL_AT(x), 1, 1, S);
    linear_spread_columns(&p->S, S, n, out->M);
    memset(S, 0, bytes);
    p->tangent(p, s->work, HOL_AT(x), 1, 0, S);
    linear_spread_columns(&p->S, S, n, out->C);
    memset(S, 0, bytes);
    p->tangent(p, s->work, HOL_AT(x), 0, 1, S);
    linear_spread_columns(&p->S, S, n, out->K);
    if (s->m) {
        p->jacobian(p, s->work, HOL_AT(x), G);
        linear_spread_rows(&p->G, G, s->m, n, out->G);
    }
    return s->nw ? linear_variables(s, x, arena, out, err) : HOL_OK;
}

void hol_linear_rate(HolSim *s, const HolPoint *at, const double *u, int second, double *values,
                     double *out) {
    const HolPattern *P = &s->p->G;
    memset(values, 0, sizeof *values * (size_t)P->nnz);
    s->p->jacobian(s->p, s->work, at, values);
    if (second)
        s->p->acceleration_rhs(s->p, s->work, at, out);
    else
        s->p->velocity_rhs(s->p, s->work, at, out);
    for (int i = 0; i < s->m; i++)
        for (int e = P->ptr[i]; e < P->ptr[i + 1]; e++)
            out[i] += values[e] * u[P->idx[e]];
}

// H (m x n) = derivative along increments of q
static void linear_by_position(HolSim *s, const HolState *x, const double *u, int second,
                               HolArena *arena, double *H) {
    const int n = s->nv, m = s->m;
    double *q = HOL_NEW(arena, double, s->nq + 1), *d = HOL_NEW(arena, double, n + 1);
    double *values = HOL_NEW(arena, double, s->p->G.nnz + 1), *out = HOL_NEW(arena, double, m + 1);
    if (arena->failed)
        return;
    memset(H, 0, sizeof *H * (size_t)m * (size_t)n);
    for (int j = 0; j < n; j++) {
        const double e = INCREMENT * s->reach[j];
        for (int k = 0; k < 4; k++) {
            d[j] = PLACE[k] * e;
            s->p->retract(s->p, s->work, x->q, d, q);
            hol_linear_rate(s, &(HolPoint){.t = x->t, .q = q, .v = x->v}, u, second, values, out);
            for (int i = 0; i < m; i++)
                H[m * j + i] += WEIGHT[k] / e * out[i];
        }
        d[j] = 0;
    }
}

void hol_linear_rate_jacobian(HolSim *s, const HolState *x, HolArena *arena, double *H) {
    linear_by_position(s, x, x->v, 0, arena, H);
}

void hol_linear_second_jacobian(HolSim *s, const HolState *x, HolArena *arena, double *H,
                                double *V) {
    const int n = s->nv, m = s->m;
    double *v = HOL_NEW(arena, double, n + 1), *out = HOL_NEW(arena, double, m + 1), largest = 1;
    linear_by_position(s, x, x->a, 1, arena, H);
    if (arena->failed)
        return;
    memcpy(v, x->v, sizeof *v * (size_t)n);
    memset(V, 0, sizeof *V * (size_t)m * (size_t)n);
    for (int j = 0; j < n; j++)
        largest = fmax(largest, fabs(v[j]) / s->reach[j]);
    for (int j = 0; j < n; j++) { // gamma is quadratic in v: central differences are exact
        const double e = largest * s->reach[j];
        for (int side = -1; side <= 1; side += 2) {
            v[j] = x->v[j] + side * e;
            s->p->acceleration_rhs(s->p, s->work, &(HolPoint){.t = x->t, .q = x->q, .v = v}, out);
            for (int i = 0; i < m; i++)
                V[m * j + i] += side * out[i] / (2 * e);
        }
        v[j] = x->v[j];
    }
}

// a time in which no coordinate moves farther than a small part of its size
static double linear_small_time(const HolSim *s, const HolState *x) {
    double rate = 1e-3;
    for (int j = 0; j < s->nv; j++)
        rate = fmax(rate, fabs(x->v[j]) / s->reach[j]);
    return INCREMENT / rate;
}

void hol_linear_rates(HolSim *s, const HolState *x, HolArena *arena, double *Gdot, double *Mdot) {
    const HolProblem *p = s->p;
    const int n = s->nv, m = s->m;
    const double dt = linear_small_time(s, x);
    double *q = HOL_NEW(arena, double, s->nq + 1), *d = HOL_NEW(arena, double, n + 1);
    double *G = HOL_NEW(arena, double, p->G.nnz + 1), *S = HOL_NEW(arena, double, p->S.nnz + 1);
    if (arena->failed)
        return;
    memset(Gdot, 0, sizeof *Gdot * (size_t)m * (size_t)n);
    for (int k = 0; k < 4; k++) {
        const HolPoint at = {.t = x->t + PLACE[k] * dt, .q = q};
        for (int j = 0; j < n; j++)
            d[j] = PLACE[k] * dt * x->v[j];
        p->retract(p, s->work, x->q, d, q);
        memset(G, 0, sizeof *G * (size_t)p->G.nnz);
        if (m)
            p->jacobian(p, s->work, &at, G);
        for (int i = 0; i < m; i++)
            for (int e = p->G.ptr[i]; e < p->G.ptr[i + 1]; e++)
                Gdot[m * p->G.idx[e] + i] += WEIGHT[k] / dt * G[e];
        if (!Mdot)
            continue;
        memset(S, 0, sizeof *S * (size_t)p->S.nnz);
        p->mass(p, s->work, &at, 1, 1, S);
        for (int j = 0; j < n; j++)
            for (int e = p->S.ptr[j]; e < p->S.ptr[j + 1]; e++)
                Mdot[n * j + p->S.idx[e]] += WEIGHT[k] / dt * S[e];
    }
}

int hol_linear_neighbour(HolSim *s, const HolState *x, double dt, HolArena *arena, HolState *out) {
    const HolProblem *p = s->p;
    const int n = s->nv, m = s->m, size = n + m;
    double *d = HOL_NEW(arena, double, size + 1);
    double *Z = HOL_NEW(arena, double, (size_t)size *(size_t)size + 1);
    double *M = HOL_NEW(arena, double, p->S.nnz + 1), *G = HOL_NEW(arena, double, p->G.nnz + 1);
    int *pivot = HOL_NEW(arena, int, size + 1);
    *out = (HolState){.t = x->t + dt, .q = HOL_NEW(arena, double, s->nq + 1)};
    out->v = HOL_NEW(arena, double, n + 1);
    out->a = HOL_NEW(arena, double, n + 1);
    out->lambda = HOL_NEW(arena, double, m + 1);
    out->w = x->w;
    if (arena->failed)
        return 0;
    for (int j = 0; j < n; j++) {
        d[j] = dt * (x->v[j] + 0.5 * dt * x->a[j]);
        out->v[j] = x->v[j] + dt * x->a[j];
    }
    p->retract(p, s->work, x->q, d, out->q);
    p->mass(p, s->work, HOL_AT(out), 1, 1, M);
    for (int j = 0; j < n; j++)
        for (int e = p->S.ptr[j]; e < p->S.ptr[j + 1]; e++)
            Z[size * j + p->S.idx[e]] = M[e];
    if (m) {
        p->jacobian(p, s->work, HOL_AT(out), G);
        p->acceleration_rhs(p, s->work, HOL_AT(out), d + n);
    }
    for (int i = 0; i < m; i++) {
        d[n + i] = -d[n + i];
        for (int e = p->G.ptr[i]; e < p->G.ptr[i + 1]; e++)
            Z[size * p->G.idx[e] + n + i] = Z[size * (n + i) + p->G.idx[e]] = G[e];
    }
    p->force(p, s->work, HOL_AT(out), d);
    // redundant rows make it singular: least norm
    if (hol_dense_least_squares(size, size, 1, Z, d, size, 1e-11, pivot))
        return 0;
    memcpy(out->a, d, sizeof *d * (size_t)n);
    memcpy(out->lambda, d + n, sizeof *d * (size_t)m);
    return 1;
}
