// SPDX-License-Identifier: Apache-2.0
// The coordinate split: constraints determine the dependent coordinates Y from the independent X.
//   G [Y X] = L [U_Y U_X],   L unit lower, U_Y upper triangular
//   P = X^T - Q^T Y^T,       Q = (G Y)^-1 G X:   P G^T = 0,  P X = I
//   s(r) = -(G Y)^-T r_Y
//   P r = (r + G^T s)_X = r_X + U_X^T z,   z = -U_Y^-T r_Y,   s = L^-T z
// Row by row, each row of G takes as pivot its largest scaled entry left over. This is the LU
// decomposition of G^T with row pivoting, and P r needs one pass over U. The pattern with its fill
// is made when Y is chosen; later factorizations keep both. Scale 1/sqrt(M_jj): independent of
// units; massless coordinates are preferred.
#include "solve/method/bdf/bdf.h"

#include <math.h>
#include <string.h>

// a pivot below this part of its row's largest entry: the row depends on others, or the split is
// no longer good
static const double DEPENDENT = 1e-12;

int hol_bdf_split_create(HolArena *arena, HolBdfSplit *p, int n, const HolPattern *G,
                         const int *row, int m, const double *scale) {
    *p = (HolBdfSplit){.n = n, .m = m, .G = G, .row = row, .scale = scale};
    p->pivot = HOL_NEW(arena, int, m + 1);
    p->free_column = HOL_NEW(arena, int, n + 1);
    p->is_dependent = HOL_NEW(arena, unsigned char, n + 1);
    p->l_ptr = HOL_NEW(arena, int, m + 1);
    p->u_ptr = HOL_NEW(arena, int, m + 1);
    p->work = HOL_NEW(arena, double, n + 1);
    p->mark = HOL_NEW(arena, unsigned char, n + 1);
    for (int i = 0; i < n && !arena->failed; i++)
        p->free_column[i] = i;
    return !arena->failed;
}

// room for `more` further entries; indices and values grow together
static int bdf_split_reserve(HolArena *arena, int **idx, double **val, int *room, int used,
                             int more) {
    if (used + more <= *room)
        return 1;
    const int larger = 2 * (used + more) + 64;
    int *new_idx = HOL_NEW(arena, int, larger);
    double *new_val = HOL_NEW(arena, double, larger);
    if (!new_idx || !new_val)
        return 0;
    if (used) {
        memcpy(new_idx, *idx, sizeof(int) * (size_t)used);
        memcpy(new_val, *val, sizeof(double) * (size_t)used);
    }
    *idx = new_idx;
    *val = new_val;
    *room = larger;
    return 1;
}

// row i without what rows above explain: work and mark hold it, L is written
static int bdf_split_reduce(HolBdfSplit *p, const double *G, int i) {
    const HolPattern *A = p->G;
    const int r = p->row[i];
    int l = p->l_ptr[i];
    memset(p->work, 0, sizeof(double) * (size_t)p->n);
    memset(p->mark, 0, (size_t)p->n);
    for (int k = A->ptr[r]; k < A->ptr[r + 1]; k++) {
        p->work[A->idx[k]] = G[k];
        p->mark[A->idx[k]] = 1;
    }
    for (int above = 0; above < i; above++) {
        const int first = p->u_ptr[above];
        if (!p->mark[p->pivot[above]])
            continue;
        const double factor = p->work[p->pivot[above]] / p->u[first];
        p->l_idx[l] = above;
        p->l[l++] = factor;
        for (int k = first; k < p->u_ptr[above + 1]; k++) {
            p->work[p->u_idx[k]] -= factor * p->u[k];
            p->mark[p->u_idx[k]] = 1;
        }
    }
    return l;
}

int hol_bdf_split_choose(HolArena *arena, HolBdfSplit *p, const double *G) {
    memset(p->is_dependent, 0, (size_t)p->n);
    p->l_ptr[0] = p->u_ptr[0] = 0;
    p->ratio = 0;
    for (int i = 0; i < p->m; i++) {
        if (!bdf_split_reserve(arena, &p->l_idx, &p->l, &p->l_room, p->l_ptr[i], i) ||
            !bdf_split_reserve(arena, &p->u_idx, &p->u, &p->u_room, p->u_ptr[i], p->n))
            return -1;
        p->l_ptr[i + 1] = bdf_split_reduce(p, G, i);
        int best = -1, u = p->u_ptr[i];
        double largest = 0, given = 0;
        for (int c = 0; c < p->n; c++)
            if (p->mark[c] && !p->is_dependent[c] && fabs(p->work[c]) * p->scale[c] > largest) {
                best = c;
                largest = fabs(p->work[c]) * p->scale[c];
            }
        for (int k = p->G->ptr[p->row[i]]; k < p->G->ptr[p->row[i] + 1]; k++)
            given = fmax(given, fabs(G[k]) * p->scale[p->G->idx[k]]);
        if (best < 0 || !(largest > DEPENDENT * given))
            return 1 + p->row[i];
        p->pivot[i] = best;
        p->is_dependent[best] = 1;
        p->u_idx[u] = best;
        p->u[u++] = p->work[best];
        for (int c = 0; c < p->n; c++)
            if (p->mark[c] && !p->is_dependent[c]) {
                p->u_idx[u] = c;
                p->u[u++] = p->work[c];
            }
        p->u_ptr[i + 1] = u;
    }
    for (int c = 0, k = 0; c < p->n; c++)
        if (!p->is_dependent[c])
            p->free_column[k++] = c;
    return 0;
}

int hol_bdf_split_factor(HolBdfSplit *p, const double *G) {
    const HolPattern *A = p->G;
    double *w = p->work;
    p->ratio = 0;
    for (int i = 0; i < p->m; i++) {
        const int first = p->u_ptr[i], r = p->row[i];
        for (int k = p->l_ptr[i]; k < p->l_ptr[i + 1]; k++)
            w[p->pivot[p->l_idx[k]]] = 0;
        for (int k = first; k < p->u_ptr[i + 1]; k++)
            w[p->u_idx[k]] = 0;
        for (int k = A->ptr[r]; k < A->ptr[r + 1]; k++)
            w[A->idx[k]] = G[k];
        for (int k = p->l_ptr[i]; k < p->l_ptr[i + 1]; k++) {
            const int above = p->l_idx[k], start = p->u_ptr[above];
            const double factor = w[p->u_idx[start]] / p->u[start];
            p->l[k] = factor;
            for (int j = start + 1; j < p->u_ptr[above + 1]; j++)
                w[p->u_idx[j]] -= factor * p->u[j];
        }
        double largest = 0;
        for (int k = first; k < p->u_ptr[i + 1]; k++) {
            p->u[k] = w[p->u_idx[k]];
            largest = fmax(largest, fabs(p->u[k]) * p->scale[p->u_idx[k]]);
        }
        const double pivot = fabs(p->u[first]) * p->scale[p->u_idx[first]];
        if (!(pivot > DEPENDENT * largest))
            return 1 + r;
        p->ratio = fmax(p->ratio, largest / pivot);
    }
    return 0;
}

void hol_bdf_split_project(HolBdfSplit *p, const double *r, double *z, double *out) {
    double *w = p->work;
    for (int c = 0; c < p->n; c++)
        w[c] = r[c];
    for (int i = 0; i < p->m; i++) {
        const int first = p->u_ptr[i];
        z[i] = -w[p->u_idx[first]] / p->u[first];
        for (int k = first + 1; k < p->u_ptr[i + 1]; k++)
            w[p->u_idx[k]] += p->u[k] * z[i];
    }
    for (int k = 0; k < p->n - p->m && out; k++)
        out[k] = w[p->free_column[k]];
}

void hol_bdf_split_multipliers(HolBdfSplit *p, const double *r, double *s) {
    hol_bdf_split_project(p, r, s, NULL);
    for (int i = p->m - 1; i >= 0; i--)
        for (int k = p->l_ptr[i]; k < p->l_ptr[i + 1]; k++)
            s[p->l_idx[k]] -= p->l[k] * s[i];
}
