// SPDX-License-Identifier: Apache-2.0
// The reduced linear system at a state (docs/theory/linear.md):
//   d = N_h xi,  u = N zeta + X xi,  X = -S Hd N_h,  N' = Y N - S (G' + G Y) N
//   xi'   = L_h (X - (W + Y) N_h) xi + L_h N zeta
//   zeta' = -M_R^-1 [N^T (K N_h + C X) - (N'^T M + N^T M') X] xi - M_R^-1 [N^T C N + N^T M Y N] zeta
// Algebraic variables: reactions act along F, not G, and do work on virtual displacements: u' from
//   [M_eff F^T; G 0] [u'; dlambda] = -[C u + K d; gamma_v u + Hdd d]
//   zeta' = L u' + M_R^-1 ((N'^T M + N^T M') X xi - N^T M Y N zeta)
#include "solve/linear/linear_parts.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

typedef struct Linearizer {
    HolSim *s;
    const HolState *x;
    HolArena *arena;
    HolLinearMatrices at;
    HolNullSpace all, holonomic;
    double *Mdot;
} Linearizer;

static HolStatus linearize_no_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

static double *linearize_new(Linearizer *z, int rows, int cols) {
    return HOL_NEW(z->arena, double, (size_t)rows *(size_t)cols + 1);
}

// Positions that the holonomic rows leave free. First-order states are velocities without
// positions: a row of its own holds each of their coordinates.
static HolStatus linearize_positions(Linearizer *z, const HolLinear *o, HolError *err) {
    HolSim *s = z->s;
    const int states = s->p->extras->n_states, rows = s->nh + states;
    if (!states)
        return hol_null_space(s, o->G, o->m, s->nh, o->M, z->arena, &z->holonomic, err);
    double *G = linearize_new(z, rows, o->n);
    if (!G)
        return linearize_no_memory(err);
    for (int j = 0; j < o->n; j++)
        for (int i = 0; i < s->nh; i++)
            G[rows * j + i] = o->G[o->m * j + i];
    for (int i = 0; i < states; i++)
        G[rows * s->p->extras->states[i] + s->nh + i] = 1;
    return hol_null_space(s, G, rows, rows, o->M, z->arena, &z->holonomic, err);
}

// matrices, null spaces and X: what does not depend on the axes
static HolStatus linearize_prepare(Linearizer *z, HolLinear *o, HolError *err) {
    HolSim *s = z->s;
    const HolState *x = z->x;
    const int n = s->nv, m = s->m;
    *o = (HolLinear){.t = x->t, .n = n, .m = m, .nh = s->nh};
    if (!hol_linear_room(s, z->arena, &z->at))
        return linearize_no_memory(err);
    HolStatus status = hol_linear_evaluate(s, x, z->arena, &z->at, err);
    o->M = z->at.M;
    o->C = z->at.C;
    o->K = z->at.K;
    o->G = z->at.G;
    if (status == HOL_OK)
        status = hol_null_space(s, o->G, m, m, o->M, z->arena, &z->all, err);
    z->holonomic = z->all;
    if (status == HOL_OK && (s->nn || s->p->extras->n_states))
        status = linearize_positions(z, o, err);
    if (status != HOL_OK)
        return status;
    o->rank = z->all.rank;
    o->rank_h = z->holonomic.rank;
    o->np = z->holonomic.d;
    o->nz = z->all.d;
    o->N = z->all.N;
    o->N_h = z->holonomic.N;
    o->M_R = z->all.M_R;
    for (int i = 0, next = 0; i < n; i++) // states are no motion
        if (next < s->p->extras->n_states && s->p->extras->states[next] == i)
            next++;
        else
            o->moving |= fabs(x->v[i]) > 1e-12 * s->reach[i];
    o->Hd = linearize_new(z, m, n);
    o->Gdot = linearize_new(z, m, n);
    o->W = linearize_new(z, n, n);
    o->Y = linearize_new(z, n, n);
    o->X = linearize_new(z, n, o->np);
    z->Mdot = s->p->constant_mass ? NULL : linearize_new(z, n, n);
    double *HdN = linearize_new(z, m, o->np);
    if (z->arena->failed)
        return linearize_no_memory(err);
    hol_linear_turning(s, x, o->W);
    if (m)
        hol_linear_rate_jacobian(s, x, z->arena, o->Hd);
    hol_linear_rates(s, x, z->arena, o->Gdot, z->Mdot);
    hol_dense_multiply(m, n, o->np, o->Hd, 0, o->N_h, HdN);
    for (int i = 0; i < m * o->np; i++)
        HdN[i] = -HdN[i];
    if (!hol_null_space_lift(&z->all, HdN, o->np, z->arena, o->X))
        return z->arena->failed ? linearize_no_memory(err)
                                : hol_error_set(err, HOL_ERR_SINGULAR,
                                                "at time %.10g a free motion has no mass", x->t);
    return HOL_OK;
}

// K_R and C_R in the axes Y; (N'^T M + N^T M') X goes to `turn`, N^T M Y N to `gyro`
static int linearize_reduce(Linearizer *z, HolLinear *o, double *turn, double *gyro) {
    const int n = o->n, m = o->m, np = o->np, nz = o->nz;
    double *YN = linearize_new(z, n, nz), *R = linearize_new(z, m, nz);
    double *T = linearize_new(z, m, nz), *Nd = linearize_new(z, n, nz);
    double *A = linearize_new(z, n, n), *B = linearize_new(z, n, n);
    if (z->arena->failed)
        return 0;
    hol_dense_multiply(n, n, nz, o->Y, 0, o->N, YN);
    hol_dense_multiply(m, n, nz, o->Gdot, 0, o->N, R);
    hol_dense_multiply(m, n, nz, o->G, 0, YN, T);
    for (int i = 0; i < m * nz; i++)
        R[i] += T[i];
    if (!hol_null_space_lift(&z->all, R, nz, z->arena, Nd))
        return 0;
    for (int i = 0; i < n * nz; i++)
        Nd[i] = YN[i] - Nd[i];
    hol_dense_multiply(n, n, np, o->M, 0, o->X, A);
    hol_dense_multiply(nz, n, np, Nd, 1, A, turn);
    if (z->Mdot) {
        hol_dense_multiply(n, n, np, z->Mdot, 0, o->X, A);
        hol_dense_multiply(nz, n, np, o->N, 1, A, B);
        for (int i = 0; i < nz * np; i++)
            turn[i] += B[i];
    }
    hol_dense_multiply(nz, n, nz, z->all.NTM, 0, YN, gyro);
    hol_dense_multiply(n, n, np, o->K, 0, o->N_h, A);
    hol_dense_multiply(n, n, np, o->C, 0, o->X, B);
    for (int i = 0; i < n * np; i++)
        A[i] += B[i];
    hol_dense_multiply(nz, n, np, o->N, 1, A, o->K_R);
    for (int i = 0; i < nz * np; i++)
        o->K_R[i] -= turn[i];
    hol_dense_multiply(n, n, nz, o->C, 0, o->N, A);
    hol_dense_multiply(nz, n, nz, o->N, 1, A, o->C_R);
    for (int i = 0; i < nz * nz; i++)
        o->C_R[i] += gyro[i];
    return 1;
}

// rows of zeta in A where algebraic variables take part; right: nz x (np + nz)
static int linearize_with_variables(Linearizer *z, const HolLinear *o, const double *turn,
                                    const double *gyro, double *right) {
    const int n = o->n, m = o->m, np = o->np, nz = o->nz, c = np + nz, size = n + m;
    double *Hdd = linearize_new(z, m, n), *gv = linearize_new(z, m, n);
    double *Z = linearize_new(z, size, size), *B = linearize_new(z, size, c);
    double *d = linearize_new(z, n, c), *u = linearize_new(z, n, c), *T = linearize_new(z, size, c);
    double *both = linearize_new(z, nz, c);
    int *pivot = HOL_NEW(z->arena, int, size + 1);
    if (z->arena->failed)
        return 0;
    hol_linear_second_jacobian(z->s, z->x, z->arena, Hdd, gv);
    memcpy(d, o->N_h, sizeof *d * (size_t)(n * np));
    memcpy(u, o->X, sizeof *u * (size_t)(n * np));
    memcpy(u + n * np, o->N, sizeof *u * (size_t)(n * nz));
    const double *const factor[4] = {o->C, o->K, gv, Hdd}, *const by[4] = {u, d, u, d};
    for (int k = 0; k < 4; k++) {
        const int rows = k < 2 ? n : m;
        hol_dense_multiply(rows, n, c, factor[k], 0, by[k], T);
        for (int j = 0; j < c; j++)
            for (int i = 0; i < rows; i++)
                B[size * j + (k < 2 ? 0 : n) + i] -= T[rows * j + i];
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            Z[size * j + i] = z->at.M_eff[n * j + i];
        for (int i = 0; i < m; i++) {
            Z[size * j + n + i] = o->G[m * j + i];
            Z[size * (n + i) + j] = z->at.F[m * j + i];
        }
    }
    if (hol_dense_least_squares(size, size, c, Z, B, size, 1e-12, pivot))
        return 0;
    for (int j = 0; j < c; j++)
        memmove(u + n * j, B + size * j, sizeof *u * (size_t)n);
    if (!hol_null_space_project(&z->all, u, c, z->arena, right))
        return 0;
    for (int i = 0; i < nz * np; i++)
        both[i] = turn[i];
    for (int i = 0; i < nz * nz; i++)
        both[nz * np + i] = -gyro[i];
    double *copy = linearize_new(z, nz, nz);
    if (!copy)
        return 0;
    memcpy(copy, o->M_R, sizeof *copy * (size_t)(nz * nz));
    if (hol_dense_positive_solve(nz, c, copy, both))
        return 0;
    for (int i = 0; i < nz * c; i++)
        right[i] += both[i];
    return 1;
}

// A in the axes o->axes
static HolStatus linearize_finish(Linearizer *z, HolLinear *o, HolError *err) {
    HolSim *s = z->s;
    const int n = o->n, np = o->np, nz = o->nz, size = np + nz;
    double *turn = linearize_new(z, nz, np), *gyro = linearize_new(z, nz, nz);
    double *right = linearize_new(z, nz, size), *copy = linearize_new(z, nz, nz);
    double *T = linearize_new(z, n, np), *B = linearize_new(z, n, np);
    double *left = linearize_new(z, np, size);
    if (!o->A) {
        o->K_R = linearize_new(z, nz, np);
        o->C_R = linearize_new(z, nz, nz);
        o->A = linearize_new(z, size, size);
    }
    if (z->arena->failed)
        return linearize_no_memory(err);
    hol_linear_axes(s, z->x, o->axes, o->frame, o->Y);
    int ok = linearize_reduce(z, o, turn, gyro);
    for (int i = 0; i < n * n; i++)
        o->Y[i] += o->W[i];
    hol_dense_multiply(n, n, np, o->Y, 0, o->N_h, T);
    for (int i = 0; i < n * n; i++)
        o->Y[i] -= o->W[i];
    for (int i = 0; i < n * np; i++)
        B[i] = o->X[i] - T[i];
    ok = ok && hol_null_space_project(&z->holonomic, B, np, z->arena, left) &&
         hol_null_space_project(&z->holonomic, o->N, nz, z->arena, left + np * np);
    if (ok && s->nw)
        ok = linearize_with_variables(z, o, turn, gyro, right);
    else if (ok) {
        for (int i = 0; i < nz * np; i++)
            right[i] = -o->K_R[i];
        for (int i = 0; i < nz * nz; i++)
            right[nz * np + i] = -o->C_R[i];
        memcpy(copy, o->M_R, sizeof *copy * (size_t)(nz * nz));
        ok = !hol_dense_positive_solve(nz, size, copy, right);
    }
    if (!ok)
        return z->arena->failed ? linearize_no_memory(err)
                                : hol_error_set(err, HOL_ERR_SINGULAR,
                                                "at time %.10g a free motion has no mass", o->t);
    for (int j = 0; j < size; j++) {
        memcpy(o->A + size * j, left + np * j, sizeof *left * (size_t)np);
        memcpy(o->A + size * j + np, right + nz * j, sizeof *right * (size_t)nz);
    }
    return HOL_OK;
}

// conservative and at rest: K_R symmetric, nothing depends on velocities
static int linearize_symmetric(const HolSim *s, const HolLinear *o) {
    double skew = 0, damping = 0, stiffness = 0;
    if (o->moving || s->nn || s->nw || s->p->extras->n_states)
        return 0;
    for (int j = 0; j < o->nz; j++)
        for (int i = 0; i < o->nz; i++) {
            skew = fmax(skew, fabs(o->K_R[o->nz * j + i] - o->K_R[o->nz * i + j]));
            damping = fmax(damping, fabs(o->C_R[o->nz * j + i]));
        }
    for (int i = 0; i < o->n; i++)
        for (int j = 0; j < o->n; j++) // round-off of K_R is that of the sum of large numbers
            stiffness = fmax(stiffness, fabs(o->K[o->n * j + i]) * s->reach[i] * s->reach[j]);
    return damping == 0 && skew <= 1e-11 * stiffness;
}

static double linearize_rate(Linearizer *z, const HolLinear *o) {
    const int size = o->np + o->nz;
    double *A = linearize_new(z, size, size), *re = linearize_new(z, size, 2), most = 0;
    if (z->arena->failed || !size)
        return 0;
    memcpy(A, o->A, sizeof *A * (size_t)(size * size));
    if (hol_dense_eigenvalues(size, A, re, re + size))
        return 0;
    for (int i = 0; i < size; i++)
        most = fmax(most, hypot(re[i], re[size + i]));
    for (int i = 0; i < o->n - z->s->p->extras->n_hidden; i++)
        most = fmax(most, fabs(z->x->v[i]) / z->s->reach[i]);
    return most;
}

static HolStatus linearize_start(HolSim *s, const HolState *x, HolArena *arena, Linearizer *z,
                                 HolLinear *out, HolError *err) {
    *z = (Linearizer){.s = s, .x = x, .arena = arena};
    if (s->nv > HOL_LINEAR_DENSE)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "%d velocities are too many for dense matrices (%d at most)", s->nv,
                             HOL_LINEAR_DENSE);
    return linearize_prepare(z, out, err);
}

HolStatus hol_linearize_in(HolSim *s, const HolState *x, HolAxes axes, const double frame[3],
                           HolArena *arena, HolLinear *out, HolError *err) {
    Linearizer z;
    HolStatus status = linearize_start(s, x, arena, &z, out, err);
    if (status != HOL_OK)
        return status;
    out->axes = axes;
    out->constancy = NAN;
    if (frame)
        memcpy(out->frame, frame, sizeof out->frame);
    status = linearize_finish(&z, out, err);
    out->symmetric = status == HOL_OK && linearize_symmetric(s, out);
    return status;
}

// Changes may vanish for an instant (at a turning point): they must also vanish a little later.
static HolStatus linearize_confirm(HolSim *s, const HolState *x, double rate, HolArena *arena,
                                   HolLinear *out, HolError *err) {
    Linearizer z;
    HolLinear later;
    HolState near;
    double found;
    if (!hol_linear_neighbour(s, x, 1e-3 / rate, arena, &near))
        return linearize_no_memory(err);
    HolStatus status = linearize_start(s, &near, arena, &z, &later, err);
    if (status == HOL_OK)
        status =
            hol_linear_constancy(s, &near, rate, arena, &later, out->axes, out->frame, &found, err);
    if (status == HOL_OK && found > 10 * HOL_STEADY) {
        out->constancy = found;
        out->steady = 0;
    }
    return status;
}

HolStatus hol_linearize(HolSim *s, const HolState *x, HolArena *arena, HolLinear *out,
                        HolError *err) {
    Linearizer z;
    HolStatus status = linearize_start(s, x, arena, &z, out, err);
    if (status == HOL_OK)
        status = linearize_finish(&z, out, err);
    out->steady = 1;
    if (status == HOL_OK && out->moving) {
        const double rate = linearize_rate(&z, out);
        status = hol_linear_choose_axes(s, x, rate, arena, out, err);
        if (status == HOL_OK && rate > 0 && out->nz && out->steady)
            status = linearize_confirm(s, x, rate, arena, out, err);
        if (status == HOL_OK && out->axes != HOL_AXES_TRANSPORT)
            status = linearize_finish(&z, out, err);
    }
    out->symmetric = status == HOL_OK && linearize_symmetric(s, out);
    return status;
}

int hol_linear_lift(HolSim *s, const HolLinear *l, const double *Z, int c, HolArena *arena,
                    double *out) {
    HolNullSpace all;
    return hol_null_space(s, l->G, l->m, l->m, l->M, arena, &all, NULL) == HOL_OK &&
           hol_null_space_lift(&all, Z, c, arena, out);
}
