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
#include <stdlib.h>
#include <string.h>

// a pivot below this part of its row's largest entry: the row depends on others, or the split is
// no longer good
static const double DEPENDENT = 1e-12;

int hol_bdf_split_create(HolArena *arena, HolBdfSplit *p, int n, const HolPattern *G,
                         const int *row, int m, const double *scale) {
    *p = (HolBdfSplit){.n = n, .m = m, .G = G, .row = row, .scale = scale};
    p->pivot = HOL_NEW(arena, int, m + 1);
    p->owner = HOL_NEW(arena, int, n + 1);
    p->free_column = HOL_NEW(arena, int, n + 1);
    p->is_dependent = HOL_NEW(arena, unsigned char, n + 1);
    p->l_ptr = HOL_NEW(arena, int, m + 1);
    p->u_ptr = HOL_NEW(arena, int, m + 1);
    p->work = HOL_NEW(arena, double, n + 1);
    p->mark = HOL_NEW(arena, unsigned char, n + 1);
    p->marked = HOL_NEW(arena, int, n + 1);
    p->waiting = HOL_NEW(arena, int, m + 1);
    p->z = HOL_NEW(arena, double, m + 1);
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

// rows that wait to be subtracted, the first one on top: a heap
static void bdf_split_wait(HolBdfSplit *p, int row) {
    int at = p->n_waiting++, *heap = p->waiting;
    for (; at > 0 && heap[(at - 1) / 2] > row; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = row;
}

static int bdf_split_next(HolBdfSplit *p) {
    int *heap = p->waiting, first = heap[0], last = heap[--p->n_waiting], at = 0;
    for (int child = 1; child < p->n_waiting; child = 2 * at + 1) {
        if (child + 1 < p->n_waiting && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= last)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

// column c belongs to the row that is being reduced
static void bdf_split_touch(HolBdfSplit *p, int c) {
    if (p->mark[c])
        return;
    p->mark[c] = 1;
    p->work[c] = 0;
    p->marked[p->n_marked++] = c;
    if (p->is_dependent[c])
        bdf_split_wait(p, p->owner[c]);
}

static int bdf_split_ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// row i without what rows above explain: work, mark and marked (ascending) hold it, L is written;
// 0: no memory
static int bdf_split_reduce(HolArena *arena, HolBdfSplit *p, const double *G, int i) {
    const HolPattern *A = p->G;
    const int r = p->row[i];
    int l = p->l_ptr[i];
    for (int k = 0; k < p->n_marked; k++)
        p->mark[p->marked[k]] = 0;
    p->n_marked = p->n_waiting = 0;
    for (int k = A->ptr[r]; k < A->ptr[r + 1]; k++) {
        bdf_split_touch(p, A->idx[k]);
        p->work[A->idx[k]] = G[k];
    }
    while (p->n_waiting) {
        const int above = bdf_split_next(p), first = p->u_ptr[above];
        const double factor = p->work[p->pivot[above]] / p->u[first];
        if (!bdf_split_reserve(arena, &p->l_idx, &p->l, &p->l_room, l, 1))
            return 0;
        p->l_idx[l] = above;
        p->l[l++] = factor;
        for (int k = first; k < p->u_ptr[above + 1]; k++) {
            bdf_split_touch(p, p->u_idx[k]);
            p->work[p->u_idx[k]] -= factor * p->u[k];
        }
    }
    p->l_ptr[i + 1] = l;
    qsort(p->marked, (size_t)p->n_marked, sizeof *p->marked, bdf_split_ascending);
    return 1;
}

int hol_bdf_split_choose(HolArena *arena, HolBdfSplit *p, const double *G) {
    memset(p->is_dependent, 0, (size_t)p->n);
    p->l_ptr[0] = p->u_ptr[0] = 0;
    p->ratio = 0;
    for (int i = 0; i < p->m; i++) {
        const int row = p->row[i];
        if (!bdf_split_reduce(arena, p, G, i) ||
            !bdf_split_reserve(arena, &p->u_idx, &p->u, &p->u_room, p->u_ptr[i], p->n_marked))
            return -1;
        int best = -1, u = p->u_ptr[i];
        double largest = 0, given = 0;
        for (int k = 0; k < p->n_marked; k++) {
            const int c = p->marked[k];
            if (!p->is_dependent[c] && fabs(p->work[c]) * p->scale[c] > largest) {
                best = c;
                largest = fabs(p->work[c]) * p->scale[c];
            }
        }
        for (int k = p->G->ptr[row]; k < p->G->ptr[row + 1]; k++)
            given = fmax(given, fabs(G[k]) * p->scale[p->G->idx[k]]);
        if (best < 0 || !(largest > DEPENDENT * given))
            return 1 + row;
        p->pivot[i] = best;
        p->owner[best] = i;
        p->is_dependent[best] = 1;
        p->u_idx[u] = best;
        p->u[u++] = p->work[best];
        for (int k = 0; k < p->n_marked; k++)
            if (!p->is_dependent[p->marked[k]]) {
                p->u_idx[u] = p->marked[k];
                p->u[u++] = p->work[p->marked[k]];
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

// z = -U_Y^-T r_Y; work = r + U^T z
static void bdf_split_forward(HolBdfSplit *p, const double *r, double *z) {
    double *w = p->work;
    for (int c = 0; c < p->n; c++)
        w[c] = r[c];
    for (int i = 0; i < p->m; i++) {
        const int first = p->u_ptr[i];
        z[i] = -w[p->u_idx[first]] / p->u[first];
        for (int k = first + 1; k < p->u_ptr[i + 1]; k++)
            w[p->u_idx[k]] += p->u[k] * z[i];
    }
}

void hol_bdf_split_project(HolBdfSplit *p, const double *r, double *out) {
    bdf_split_forward(p, r, p->z);
    for (int k = 0; k < p->n - p->m; k++)
        out[k] = p->work[p->free_column[k]];
}

void hol_bdf_split_multipliers(HolBdfSplit *p, const double *r, double *s) {
    bdf_split_forward(p, r, s);
    for (int i = p->m - 1; i >= 0; i--)
        for (int k = p->l_ptr[i]; k < p->l_ptr[i + 1]; k++)
            s[p->l_idx[k]] -= p->l[k] * s[i];
}
