// SPDX-License-Identifier: Apache-2.0
// The matrix F_y + cj F_y' of the method bdf, always with the multipliers as unknowns ("wide"):
//   [ N(cj W + (W q')_q) + H(mu) W  -N             0     G_h^T   0      ]  r1 + G_h^T mu
//   [ p^T                          0               0     0       0      ]  |p|^2 = 1
//   [ K W                          cj M - f_v      G^T   0      -f_w    ]  r2 + G^T lambda
//   [ B W                          G               0     0       0      ]  G v + gt
//   [ G_h W                        0               0     0       0      ]  g
//   [ -W_q W                      -W_v - cj W_a   -W_l   0       1-W_w  ]  w - W(...)
//   K = (M v')_q - f_q + H(lambda),  H(s) = (G^T s)_q,  B = (G v + gt)_q
// The coordinate-split forms use the same matrix: d(P r)/dq = P (r_q + H(s)) with s = s(r), and
// P J x = F is J x + G^T s = X F. cm and cmp leave both H out. So all forms stay sparse.
// Entries are put in the same order every time: the first pass makes the pattern.
#include "solve/constraint/project.h"
#include "solve/method/bdf/bdf.h"
#include "solve/run/error_test.h"

#include <math.h>
#include <string.h>

static void bdf_jacobian_put(HolBdf *b, int row, int column, double value) {
    const int k = b->next++;
    if (b->place) {
        b->val[b->place[k]] += value;
        return;
    }
    HolArena *a = &b->s->arena;
    if (!HOL_GROW(a, b->entry_row, k, b->room_row) ||
        !HOL_GROW(a, b->entry_column, k, b->room_column))
        return;
    b->entry_row[k] = row;
    b->entry_column[k] = column;
}

// value times row i of W: what d_i = (W dq)_i contributes
static void put_W(HolBdf *b, int row, int i, double value) {
    for (int j = 0; j < b->q_count[i]; j++)
        bdf_jacobian_put(b, row, b->q_first[i] + j, value * b->W[4 * i + j]);
}

// (W p')_p of a quaternion, 3 x 4: -2 L(p')/p.p - (W p') 2 p^T/p.p
static void put_rotation(HolBdf *b, int k, const double *y, const double *yp) {
    const int at = b->quaternion_q[k], first = b->quaternion_v[k];
    const double *p = y + at, *x = yp + at;
    const double pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
    const double L[3][4] = {
        {-x[1], x[0], x[3], -x[2]}, {-x[2], -x[3], x[0], x[1]}, {-x[3], x[2], -x[1], x[0]}};
    for (int i = 0; i < 3; i++) {
        const double *W = b->W + 4 * (first + i);
        const double rate = W[0] * x[0] + W[1] * x[1] + W[2] * x[2] + W[3] * x[3];
        for (int j = 0; j < 4; j++)
            bdf_jacobian_put(b, first + i, at + j,
                             -2 * (L[i][j] + rate * p[j]) / pp * hol_bdf_metric(b, first + i));
    }
}

static void bdf_jacobian_put_columns(HolBdf *b, const double *A, int row) {
    const HolPattern *S = &b->s->p->S;
    for (int c = 0; c < b->nv; c++)
        for (int k = S->ptr[c]; k < S->ptr[c + 1]; k++)
            put_W(b, row + S->idx[k], c, A[k]);
}

// Derivatives along body axes do not commute: where a constraint does not depend on a rotation of a
// body about one axis, so that G has no entry there, its rate still does: B_j = (omega x G)_j.
static void put_missing_rotations(HolBdf *b, int i, int row, const double *v) {
    const HolPattern *G = &b->s->p->G;
    const int end = G->ptr[b->row[i] + 1];
    for (int k = G->ptr[b->row[i]], next; k < end; k = next) {
        const int block = b->block[G->idx[k]];
        next = k + 1;
        if (block < 0)
            continue;
        const int first = b->quaternion_v[block];
        const double *w = v + first;
        double g[3] = {0, 0, 0};
        int there[3] = {0, 0, 0};
        for (next = k; next < end && b->block[G->idx[next]] == block; next++) {
            g[G->idx[next] - first] = b->G[next];
            there[G->idx[next] - first] = 1;
        }
        for (int j = 0; j < 3; j++)
            if (!there[j]) {
                const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                put_W(b, row, first + j, w[j1] * g[j2] - w[j2] * g[j1]);
            }
    }
}

static void put_constraints(HolBdf *b, const double *velocity) {
    const HolPattern *G = &b->s->p->G;
    const int r2 = b->nv + b->quaternions, gv = r2 + b->nv, g = gv + b->ma;
    const int v = b->nq, lambda = v + b->nv, mu = lambda + b->ma;
    for (int i = 0; i < b->ma; i++) {
        for (int k = G->ptr[b->row[i]]; k < G->ptr[b->row[i] + 1]; k++) {
            const int c = G->idx[k];
            bdf_jacobian_put(b, r2 + c, lambda + i, b->G[k]);
            bdf_jacobian_put(b, gv + i, v + c, b->G[k]);
            put_W(b, gv + i, c, b->B[k]);
            if (i < b->ha) {
                bdf_jacobian_put(b, c, mu + i, b->G[k]);
                put_W(b, g + i, c, b->G[k]);
            }
        }
        put_missing_rotations(b, i, gv + i, velocity);
    }
}

static void put_variables(HolBdf *b, double cj) {
    const int nv = b->nv, nw = b->nw, m = b->s->m, r2 = nv + b->quaternions;
    const int row = r2 + nv + b->ma + b->ha, w = b->n_wide - nw;
    const double *Jq = b->J, *Jv = Jq + nw * nv, *Ja = Jv + nw * nv, *Jl = Ja + nw * nv,
                 *Jw = Jl + nw * m, *fw = Jw + nw * nw;
    for (int i = 0; i < nw; i++) {
        for (int c = 0; c < nv; c++) {
            put_W(b, row + i, c, -Jq[i * nv + c]);
            bdf_jacobian_put(b, row + i, b->nq + c, -Jv[i * nv + c] - cj * Ja[i * nv + c]);
            bdf_jacobian_put(b, r2 + c, w + i, -fw[c * nw + i]);
        }
        for (int k = 0; k < b->ma; k++)
            bdf_jacobian_put(b, row + i, b->nq + nv + k, -Jl[i * m + b->row[k]]);
        for (int k = 0; k < nw; k++)
            bdf_jacobian_put(b, row + i, w + k, (i == k) - Jw[i * nw + k]);
    }
}

static void bdf_jacobian_put_all(HolBdf *b, double cj, const double *y, const double *yp) {
    const HolPattern *S = &b->s->p->S;
    const int r2 = b->nv + b->quaternions;
    b->next = 0;
    for (int i = 0; i < b->nv; i++) {
        put_W(b, i, i, cj * hol_bdf_metric(b, i));
        bdf_jacobian_put(b, i, b->nq + i, -hol_bdf_metric(b, i));
    }
    for (int k = 0; k < b->quaternions; k++) {
        put_rotation(b, k, y, yp);
        for (int j = 0; j < 4; j++)
            bdf_jacobian_put(b, b->nv + k, b->quaternion_q[k] + j, y[b->quaternion_q[k] + j]);
    }
    if (b->curvature && b->ha)
        bdf_jacobian_put_columns(b, b->H, 0);
    bdf_jacobian_put_columns(b, b->K, r2);
    for (int c = 0; c < b->nv; c++)
        for (int k = S->ptr[c]; k < S->ptr[c + 1]; k++)
            bdf_jacobian_put(b, r2 + S->idx[k], b->nq + c, b->C[k]);
    put_constraints(b, y + b->nq);
    if (b->nw)
        put_variables(b, cj);
}

// ---- values ----

// largest |x_i| / unit_i
static double largest_over(const double *x, const double *unit, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]) / unit[i]);
    return most;
}

// largest entry of a tangent, as an energy of coordinates as large as their sizes
static double largest_energy(const HolBdf *b, const double *A) {
    const HolPattern *S = &b->s->p->S;
    const double *reach = b->s->reach;
    double most = 0;
    for (int c = 0; c < b->nv; c++)
        for (int k = S->ptr[c]; k < S->ptr[c + 1]; k++)
            most = fmax(most, fabs(A[k]) * reach[c] * reach[S->idx[k]]);
    return most;
}

// H(mu) as a difference of two tangents whose parts have the same size: no digit of it is lost
// beside stiff forces
static void set_curvature(HolBdf *b, double t, const double *v, const double *a, const double *w) {
    HolSim *s = b->s;
    const HolProblem *p = s->p;
    const size_t bytes = sizeof(double) * (size_t)p->S.nnz;
    const double size = largest_over(b->mu, s->test->row, s->m);
    memset(b->H, 0, bytes);
    if (!(size > 0))
        return;
    double *scaled = b->work;
    memset(b->base, 0, bytes);
    memset(scaled, 0, sizeof(double) * (size_t)s->m);
    p->tangent(p, s->work, &(HolPoint){.t = t, .q = b->q, .v = v, .a = a, .lambda = scaled, .w = w},
               0, 1, b->base);
    const double base = largest_energy(b, b->base), factor = base > 0 ? base / size : 1;
    for (int i = 0; i < s->m; i++)
        scaled[i] = factor * b->mu[i];
    p->tangent(p, s->work, &(HolPoint){.t = t, .q = b->q, .v = v, .a = a, .lambda = scaled, .w = w},
               0, 1, b->H);
    for (int k = 0; k < p->S.nnz; k++)
        b->H[k] = (b->H[k] - b->base[k]) / factor;
}

// the multipliers that H belongs to: those of y, s(r) for cs, none for cm and cmp
static int set_multipliers(HolBdf *b) {
    if (b->multipliers)
        return 0;
    memset(b->lambda, 0, sizeof(double) * (size_t)b->s->m);
    memset(b->mu, 0, sizeof(double) * (size_t)b->s->m);
    if (!b->curvature || !b->ma)
        return 0;
    HolBdfSplit *sq = b->ha == b->ma ? &b->split_v : &b->split_q;
    if (hol_bdf_split_factor(&b->split_v, b->G) ||
        (sq != &b->split_v && hol_bdf_split_factor(sq, b->G)))
        return 1;
    hol_bdf_split_multipliers(&b->split_v, b->r2, b->scratch);
    for (int i = 0; i < b->ma; i++)
        b->lambda[b->row[i]] = b->scratch[i];
    hol_bdf_split_multipliers(sq, b->r1, b->scratch);
    for (int i = 0; i < b->ha; i++)
        b->mu[b->row[i]] = b->scratch[i];
    return 0;
}

int hol_bdf_jacobian(HolBdf *b, double t, double cj, const double *y, const double *yp) {
    HolSim *s = b->s;
    const HolProblem *p = s->p;
    const size_t bytes = sizeof(double) * (size_t)p->S.nnz;
    const double *v = y + b->nq, *a = yp + b->nq;
    const double *w = b->nw ? v + b->nv + b->ma + b->ha : s->x.w;
    const int nw = b->nw, nv = b->nv, m = s->m;
    if (hol_bdf_evaluate(b, t, y, yp) || set_multipliers(b))
        return 1;
    if (b->curvature && b->ha)
        set_curvature(b, t, v, a, w);
    memset(b->K, 0, bytes);
    p->tangent(p, s->work,
               &(HolPoint){.t = t, .q = b->q, .v = v, .a = a, .lambda = b->lambda, .w = w}, 0, 1,
               b->K);
    memset(b->C, 0, bytes);
    p->mass(p, s->work, &(HolPoint){.t = t, .q = b->q}, cj, 1, b->C);
    p->tangent(p, s->work,
               &(HolPoint){.t = t, .q = b->q, .v = v, .a = a, .lambda = b->lambda, .w = w}, 1, 0,
               b->C);
    if (m) {
        memset(b->B, 0, sizeof(double) * (size_t)p->G.nnz);
        p->velocity_jacobian(p, s->work, &(HolPoint){.t = t, .q = b->q, .v = v}, b->B);
    }
    if (nw) {
        double *Jq = b->J, *Jv = Jq + nw * nv, *Ja = Jv + nw * nv, *Jl = Ja + nw * nv,
               *Jw = Jl + nw * m, *fw = Jw + nw * nw;
        p->variables(p, s->work,
                     &(HolPoint){.t = t, .q = b->q, .v = v, .a = a, .lambda = b->lambda, .w = w},
                     &(HolAlgebraic){
                         .r = b->rw, .Jq = Jq, .Jv = Jv, .Ja = Ja, .Jl = Jl, .Jw = Jw, .fw = fw});
    }
    memset(b->val, 0, sizeof(double) * (size_t)b->nnz);
    bdf_jacobian_put_all(b, cj, y, yp);
    return !isfinite(hol_bdf_sum(b->val, b->nnz));
}

// ---- pattern ----

// entries to columns with ascending rows, equal places joined
static void compress(HolBdf *b, int *order, int *count) {
    const int n = b->n_wide;
    // two counting sorts: by row, then stably by column
    int *by_row = order + b->entries;
    memset(count, 0, sizeof(int) * (size_t)(n + 1));
    for (int k = 0; k < b->entries; k++)
        count[b->entry_row[k] + 1]++;
    for (int i = 0; i < n; i++)
        count[i + 1] += count[i];
    for (int k = 0; k < b->entries; k++)
        by_row[count[b->entry_row[k]]++] = k;
    memset(count, 0, sizeof(int) * (size_t)(n + 1));
    for (int k = 0; k < b->entries; k++)
        count[b->entry_column[k] + 1]++;
    for (int i = 0; i < n; i++)
        count[i + 1] += count[i];
    for (int k = 0; k < b->entries; k++)
        order[count[b->entry_column[by_row[k]]]++] = by_row[k];
    b->nnz = 0;
    int last_row = -1, last_column = -1;
    memset(b->ptr, 0, sizeof(int) * (size_t)(n + 1));
    for (int k = 0; k < b->entries; k++) {
        const int e = order[k], row = b->entry_row[e], column = b->entry_column[e];
        if (row != last_row || column != last_column) {
            b->idx[b->nnz++] = row;
            b->ptr[column + 1]++;
        }
        b->place[e] = b->nnz - 1;
        last_row = row;
        last_column = column;
    }
    for (int i = 0; i < n; i++)
        b->ptr[i + 1] += b->ptr[i];
}

HolStatus hol_bdf_pattern(HolBdf *b, HolError *err) {
    HolSim *s = b->s;
    HolArena *a = &s->arena;
    const int nS = s->p->S.nnz + 1, nw = b->nw;
    b->H = HOL_NEW(a, double, nS);
    b->K = HOL_NEW(a, double, nS);
    b->C = HOL_NEW(a, double, nS);
    b->base = HOL_NEW(a, double, nS);
    b->B = HOL_NEW(a, double, s->p->G.nnz + 1);
    b->J = HOL_NEW(a, double, nw *(4 * b->nv + s->m + nw) + 1);
    double *zero = HOL_NEW(a, double, b->n_wide + 1);
    if (a->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    b->place = NULL;
    bdf_jacobian_put_all(b, 1, zero, zero);
    b->entries = b->next;
    int *order = HOL_NEW(a, int, 2 * b->entries + 1), *count = HOL_NEW(a, int, b->n_wide + 2);
    b->ptr = HOL_NEW(a, int, b->n_wide + 1);
    b->idx = HOL_NEW(a, int, b->entries + 1);
    int *place = HOL_NEW(a, int, b->entries + 1);
    b->val = HOL_NEW(a, double, b->entries + 1);
    if (a->failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    b->place = place;
    compress(b, order, count);
    return HOL_OK;
}
