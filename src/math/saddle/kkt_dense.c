// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend: dense LU with partial pivoting of the scaled matrix D K D, border included.
#include "math/dense.h"
#include "math/saddle/kkt_backend.h"

#include <math.h>
#include <string.h>

typedef struct DenseFactors {
    double *a; // N x N, column-major
    int *pivot;
    HolKktMap map;
} DenseFactors;

static void build_map(const HolKkt *k, HolKktMap *map) {
    int n = k->n, m = k->m, nw = k->nw, N = k->N;
    for (int j = 0; j < n; j++)
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            map->S[p] = j * N + k->S.idx[p];
    for (int i = 0; i < m; i++) {
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++) {
            map->G[p] = k->G.idx[p] * N + n + i;
            map->Gt[p] = (n + i) * N + k->G.idx[p];
        }
        map->E[i] = (n + i) * N + n + i;
    }
    int *at = map->border, w = n + m;
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < n; j++)
            *at++ = j * N + w + i;
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < m; j++)
            *at++ = (n + j) * N + w + i;
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < nw; j++)
            *at++ = (w + j) * N + w + i;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < nw; i++)
            *at++ = (w + i) * N + j;
}

static void *dense_create(HolKkt *k) {
    if (k->N > 20000) // positions are 32 bit; nobody wants this anyway
        return NULL;
    DenseFactors *f = HOL_NEW(k->arena, DenseFactors, 1);
    if (!f)
        return NULL;
    f->a = HOL_NEW(k->arena, double, (size_t)k->N *(size_t)k->N + 1);
    f->pivot = HOL_NEW(k->arena, int, k->N + 1);
    if (!f->a || !f->pivot || !hol_kkt_map_alloc(k, k->arena, &f->map))
        return NULL;
    build_map(k, &f->map);
    return f;
}

static int dense_factor(HolKkt *k, void *factors, double eps) {
    DenseFactors *f = factors;
    size_t N = (size_t)k->N;
    hol_kkt_scaling(k);
    memset(f->a, 0, sizeof(double) * N * N);
    hol_kkt_map_fill(k, &f->map, eps, f->a);
    int status = hol_dense_lu(k->N, f->a, f->pivot);
    if (status)
        return status;
    // pivots of the scaled matrix are of order one unless it is singular
    double smallest = INFINITY;
    int where = 0;
    for (size_t i = 0; i < N; i++)
        if (fabs(f->a[i * N + i]) < smallest) {
            smallest = fabs(f->a[i * N + i]);
            where = (int)i;
        }
    if (N && eps == 0)
        k->stats.last_growth = 1 / smallest;
    return eps == 0 && smallest < HOL_KKT_PIVOT ? where + 1 : 0;
}

static void dense_solve(HolKkt *k, void *factors, const double *b, double *x) {
    DenseFactors *f = factors;
    hol_kkt_scale(k, b, x, &k->free_size);
    hol_dense_lu_solve(k->N, f->a, f->pivot, x);
    hol_kkt_unscale(k, x, x, &k->x_size);
}

static void dense_keep(HolKkt *k, void *factors, HolKeeper *w) {
    DenseFactors *f = factors;
    HOL_KEEP_ARRAY(w, f->a, (size_t)k->N * (size_t)k->N);
    HOL_KEEP_ARRAY(w, f->pivot, k->N);
}

const HolKktBackend hol_kkt_dense = {"dense",     dense_create, dense_factor,
                                     dense_solve, NULL,         dense_keep};
