// SPDX-License-Identifier: Apache-2.0
// Null space of constraint rows, its mass-orthogonal complement and projections:
//   G^ = diag(row) G diag(reach),  G^^T P = Q R,  N = diag(reach) Q_2,  S_0 = diag(reach) Q_1 R_11^-T
//   M_R = N^T M N,  L = M_R^-1 N^T M,  S = (1 - N L) S_0
// Columns are measured by the sizes of coordinates, so that no rank depends on the unit of length.
// Redundant rows are those behind the first `rank` pivots: S_0 reads the others.
#include "solve/linear/linear_parts.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double RANK = 1e-10; // pivots below this part of the largest are zero

HolStatus hol_null_space(HolSim *s, const double *G, int rows, int m, const double *M,
                         HolArena *arena, HolNullSpace *o, HolError *err) {
    const int n = s->nv;
    *o = (HolNullSpace){.n = n, .m = m, .reach = s->reach};
    o->R = HOL_NEW(arena, double, (size_t)n *(size_t)m + 1);
    o->Q = HOL_NEW(arena, double, (size_t)n *(size_t)n + 1);
    o->row = HOL_NEW(arena, double, m + 1);
    o->order = HOL_NEW(arena, int, m + 1);
    double *tau = HOL_NEW(arena, double, n + 1), *MN;
    if (arena->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (int i = 0; i < m; i++) {
        double length = 0;
        for (int j = 0; j < n; j++)
            length = hypot(length, G[rows * j + i] * s->reach[j]);
        o->row[i] = length > 0 ? 1 / length : 0;
        for (int j = 0; j < n; j++)
            o->R[n * i + j] = o->row[i] * G[rows * j + i] * s->reach[j];
    }
    o->rank = hol_dense_null_space(n, m, o->R, RANK, o->Q, o->order, tau);
    if (o->rank < 0)
        return hol_error_set(err, HOL_ERR_SINGULAR,
                             "the constraints have no finite Jacobian, or memory is short");
    o->d = n - o->rank;
    o->N = HOL_NEW(arena, double, (size_t)n *(size_t)o->d + 1);
    MN = HOL_NEW(arena, double, (size_t)n *(size_t)o->d + 1);
    o->NTM = HOL_NEW(arena, double, (size_t)n *(size_t)o->d + 1);
    o->M_R = HOL_NEW(arena, double, (size_t)o->d *(size_t)o->d + 1);
    if (arena->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    for (int k = 0; k < o->d; k++)
        for (int i = 0; i < n; i++)
            o->N[n * k + i] = s->reach[i] * o->Q[n * (o->rank + k) + i];
    hol_dense_multiply(n, n, o->d, M, 0, o->N, MN);
    hol_dense_multiply(o->d, n, o->d, o->N, 1, MN, o->M_R);
    hol_dense_multiply(o->d, n, n, o->N, 1, M, o->NTM);
    return HOL_OK;
}

int hol_null_space_project(const HolNullSpace *s, const double *B, int c, HolArena *arena,
                           double *out) {
    double *copy = HOL_NEW(arena, double, (size_t)s->d *(size_t)s->d + 1);
    if (!copy)
        return 0;
    memcpy(copy, s->M_R, sizeof *copy * (size_t)s->d * (size_t)s->d);
    hol_dense_multiply(s->d, s->n, c, s->NTM, 0, B, out);
    return !hol_dense_positive_solve(s->d, c, copy, out);
}

int hol_null_space_lift(const HolNullSpace *s, const double *Z, int c, HolArena *arena,
                        double *out) {
    const int n = s->n, r = s->rank;
    double *y = HOL_NEW(arena, double, (size_t)r *(size_t)c + 1);
    double *L = HOL_NEW(arena, double, (size_t)s->d *(size_t)c + 1);
    double *NL = HOL_NEW(arena, double, (size_t)n *(size_t)c + 1);
    if (arena->failed)
        return 0;
    for (int j = 0; j < c; j++)
        for (int k = 0; k < r; k++)
            y[r * j + k] = s->row[s->order[k]] * Z[s->m * j + s->order[k]];
    hol_dense_upper_transposed_solve(n, r, c, s->R, y, r);
    hol_dense_multiply(n, r, c, s->Q, 0, y, out);
    for (int j = 0; j < c; j++)
        for (int i = 0; i < n; i++)
            out[n * j + i] *= s->reach[i];
    if (!hol_null_space_project(s, out, c, arena, L))
        return 0;
    hol_dense_multiply(n, s->d, c, s->N, 0, L, NL);
    for (int i = 0; i < n * c; i++)
        out[i] -= NL[i];
    return 1;
}
