// SPDX-License-Identifier: Apache-2.0
// Sizes, scaling and assembly of the whole saddle-point matrix, for the pivoting backends.
#include "math/saddle/kkt_backend.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// magnitude standing for S_jj: the largest entry of the column, or 0
static double column_size(const HolKkt *k, int j) {
    double size = 0;
    for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
        size = fabs(k->Sv[p]) > size ? fabs(k->Sv[p]) : size;
    return size;
}

// c_i = sum_j |G_ij Gt_ij| / s_j, the diagonal of G S^-1 Gt^T as far as S is diagonal
double hol_kkt_row_size(const HolKkt *k, int i, const double *s) {
    const double *upper = hol_kkt_upper(k);
    double c = 0;
    for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++)
        c += fabs(k->Gv[p] * upper[p]) / s[k->G.idx[p]];
    return c;
}

// s_j of all unknowns into k->scale; empty columns take the largest s, as energies of unknowns as
// large as their sizes
void hol_kkt_column_sizes(HolKkt *k) {
    double largest = 0;
    for (int j = 0; j < k->n; j++) {
        const double reach = k->reach[j];
        k->scale[j] = column_size(k, j);
        largest = fmax(largest, k->scale[j] * (reach * reach));
    }
    if (!(largest > 0) || !isfinite(largest))
        largest = 1;
    for (int j = 0; j < k->n; j++) {
        const double reach = k->reach[j];
        if (!(k->scale[j] * (reach * reach) > 1e-14 * largest))
            k->scale[j] = largest / (reach * reach);
    }
}

// a power of two near 1/sqrt(s), for positive finite s: half the exponent, sign changed
static inline double inverse_root(double s) {
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    const uint64_t exponent = bits >> 52 & 0x7ff; // (+ 1023); half of it rounded down for all
    bits = (1023 + 512 - (exponent + 1) / 2) << 52;
    memcpy(&s, &bits, sizeof s);
    return s;
}

void hol_kkt_scaling(HolKkt *k) {
    hol_kkt_column_sizes(k);
    for (int i = 0; i < k->m; i++) {
        double c = hol_kkt_row_size(k, i, k->scale);
        k->scale[k->n + i] = c > 0 && isfinite(c) && !k->inactive[i] ? inverse_root(c) : 1.0;
    }
    for (int j = 0; j < k->n; j++)
        k->scale[j] = inverse_root(k->scale[j]);
    for (int i = k->n + k->m; i < k->N; i++)
        k->scale[i] = 1.0;
}

void hol_kkt_scale(const HolKkt *k, const double *from, double *to, double *free_size) {
    double size = 0;
    for (int i = 0; i < k->n; i++) {
        to[i] = from[i] * k->scale[i];
        double free = fabs(to[i] * k->scale[i]) * k->near[i];
        size = free > size ? free : size;
    }
    for (int i = k->n; i < k->N; i++)
        to[i] = from[i] * k->scale[i];
    *free_size = size;
}

void hol_kkt_unscale(const HolKkt *k, const double *from, double *to, double *x_size) {
    double size = 0;
    for (int i = 0; i < k->n; i++) {
        to[i] = from[i] * k->scale[i];
        size = fabs(to[i]) * k->near[i] > size ? fabs(to[i]) * k->near[i] : size;
    }
    for (int i = k->n; i < k->N; i++)
        to[i] = from[i] * k->scale[i];
    *x_size = size;
}

int hol_kkt_map_alloc(const HolKkt *k, HolArena *a, HolKktMap *map) {
    int border = k->nw * (k->n + k->m + k->nw + k->n);
    map->S = HOL_NEW(a, int, k->S.nnz + 1);
    map->G = HOL_NEW(a, int, k->G.nnz + 1);
    map->Gt = HOL_NEW(a, int, k->G.nnz + 1);
    map->E = HOL_NEW(a, int, k->m + 1);
    map->border = HOL_NEW(a, int, border + 1);
    return map->S && map->G && map->Gt && map->E && map->border;
}

static void kkt_assemble_fill_border(HolKkt *k, const int *at, double *value) {
    int n = k->n, m = k->m, nw = k->nw;
    const double *D = k->scale;
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < n; j++)
            value[*at++] = -k->A[i * n + j] * D[j];
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < m; j++)
            value[*at++] = -k->L[i * m + j] * D[n + j];
    for (int i = 0; i < nw; i++)
        for (int j = 0; j < nw; j++)
            value[*at++] = (i == j ? 1.0 : 0.0) - k->W[i * nw + j];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < nw; i++)
            value[*at++] = -k->F[j * nw + i] * D[j];
}

void hol_kkt_map_fill(HolKkt *k, const HolKktMap *map, double eps, double *value) {
    const double *D = k->scale, *upper = hol_kkt_upper(k);
    for (int j = 0; j < k->n; j++)
        for (int p = k->S.ptr[j]; p < k->S.ptr[j + 1]; p++)
            value[map->S[p]] = k->Sv[p] * D[k->S.idx[p]] * D[j];
    for (int i = 0; i < k->m; i++) {
        double d = k->inactive[i] ? 0.0 : D[k->n + i];
        for (int p = k->G.ptr[i]; p < k->G.ptr[i + 1]; p++) {
            double dj = D[k->G.idx[p]] * d;
            value[map->G[p]] = k->Gv[p] * dj;
            value[map->Gt[p]] = upper[p] * dj;
        }
        value[map->E[i]] = k->inactive[i] ? 1.0 : -eps * d * d;
    }
    kkt_assemble_fill_border(k, map->border, value);
}
