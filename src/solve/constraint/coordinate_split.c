// SPDX-License-Identifier: Apache-2.0
// Coordinate split by pivoted elimination, see coordinate_split.h. Dense in m: made for systems
// whose constraints number in the hundreds at most.
#include "solve/constraint/coordinate_split.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// a row whose remaining entries are this small relative to its largest one depends on the others
static const double DEPENDENT = 1e-10;

int hol_split_create(HolArena *arena, int n, int m, HolSplit *split) {
    memset(split, 0, sizeof *split);
    split->n = n;
    split->m = m;
    split->Y = HOL_NEW(arena, int, m + 1);
    split->rows = HOL_NEW(arena, int, m + 1);
    split->dependent = HOL_NEW(arena, unsigned char, n + 1);
    split->d = HOL_NEW(arena, double, n + 1);
    split->K = HOL_NEW(arena, double, (size_t)m *(size_t)m + 1);
    split->pivot = HOL_NEW(arena, int, m + 1);
    split->work = HOL_NEW(arena, double, (size_t)n *(size_t)m + 1);
    split->rhs = HOL_NEW(arena, double, m + 1);
    return !arena->failed;
}

// A[j + n i] = G_ij / d_j
static void load_scaled(HolSplit *split, const HolPattern *G, const double *values) {
    const int n = split->n;
    memset(split->work, 0, sizeof(double) * (size_t)n * (size_t)split->m);
    for (int i = 0; i < split->m; i++)
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            split->work[(size_t)G->idx[k] + (size_t)n * (size_t)i] =
                values[k] / split->d[G->idx[k]];
}

static double coordinate_split_largest(const double *x, int n) {
    double size = 0;
    for (int j = 0; j < n; j++)
        size = fmax(size, fabs(x[j]));
    return size;
}

// subtract multiples of column `from` so that the pivot coordinate vanishes in later columns
static void coordinate_split_eliminate(HolSplit *split, int from, int pivot) {
    const int n = split->n;
    const double *a = split->work + (size_t)n * (size_t)from;
    for (int i = from + 1; i < split->m; i++) {
        double *b = split->work + (size_t)n * (size_t)i;
        const double factor = b[pivot] / a[pivot];
        if (factor == 0)
            continue;
        for (int j = 0; j < n; j++)
            if (!split->dependent[j])
                b[j] -= factor * a[j];
        b[pivot] = 0;
    }
}

int hol_split_choose(HolSplit *split, const HolPattern *G, const double *values, const double *d) {
    const int n = split->n;
    for (int j = 0; j < n; j++) {
        split->d[j] = d && d[j] > 0 && isfinite(d[j]) ? d[j] : 1;
        split->dependent[j] = 0;
    }
    load_scaled(split, G, values);
    split->rank = 0;
    for (int i = 0; i < split->m; i++) {
        const double *a = split->work + (size_t)n * (size_t)i;
        double whole = 0;
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            whole = fmax(whole, fabs(values[k] / split->d[G->idx[k]]));
        int pivot = -1;
        for (int j = 0; j < n; j++)
            if (!split->dependent[j] && (pivot < 0 || fabs(a[j]) > fabs(a[pivot])))
                pivot = j;
        if (pivot < 0 || !(fabs(a[pivot]) > DEPENDENT * whole))
            continue;
        split->dependent[pivot] = 1;
        split->Y[split->rank] = pivot;
        split->rows[split->rank++] = i;
        coordinate_split_eliminate(split, i, pivot);
    }
    return split->rank;
}

int hol_split_factor(HolSplit *split, const HolPattern *G, const double *values) {
    const int r = split->rank;
    for (int l = 0; l < r; l++) {
        double *column = split->K + (size_t)r * (size_t)l;
        const int i = split->rows[l];
        for (int k = 0; k < r; k++)
            column[k] = 0;
        for (int k = 0; k < r; k++)
            for (int p = G->ptr[i]; p < G->ptr[i + 1]; p++)
                if (G->idx[p] == split->Y[k])
                    column[k] = values[p];
    }
    return r ? hol_dense_lu(r, split->K, split->pivot) : 0;
}

double hol_split_growth(HolSplit *split, const HolPattern *G, const double *values) {
    const int n = split->n, r = split->rank;
    double growth = 0;
    for (int k = 0; k < r; k++) {
        // column k of Q^T = (G X)^T (G Y)^-T
        memset(split->rhs, 0, sizeof(double) * (size_t)r);
        split->rhs[k] = 1;
        hol_dense_lu_solve(r, split->K, split->pivot, split->rhs);
        memset(split->work, 0, sizeof(double) * (size_t)n);
        for (int l = 0; l < r; l++)
            for (int p = G->ptr[split->rows[l]]; p < G->ptr[split->rows[l] + 1]; p++)
                if (!split->dependent[G->idx[p]])
                    split->work[G->idx[p]] += values[p] / split->d[G->idx[p]] * split->rhs[l];
        growth = fmax(growth, split->d[split->Y[k]] * coordinate_split_largest(split->work, n));
    }
    return growth;
}

void hol_split_multipliers(HolSplit *split, const double *r, double *s) {
    memset(s, 0, sizeof *s * (size_t)split->m);
    for (int k = 0; k < split->rank; k++)
        split->rhs[k] = -r[split->Y[k]];
    if (split->rank)
        hol_dense_lu_solve(split->rank, split->K, split->pivot, split->rhs);
    for (int k = 0; k < split->rank; k++)
        s[split->rows[k]] = split->rhs[k];
}

void hol_split_reduce(HolSplit *split, const HolPattern *G, const double *values, const double *r,
                      double *s, double *out) {
    double *sum = split->work;
    hol_split_multipliers(split, r, s);
    memcpy(sum, r, sizeof *r * (size_t)split->n);
    for (int i = 0; i < split->m; i++)
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            sum[G->idx[k]] += values[k] * s[i];
    for (int j = 0, x = 0; j < split->n; j++)
        if (!split->dependent[j])
            out[x++] = sum[j];
}

// ---- orthogonal split ----

int hol_split_orthogonal_create(HolArena *arena, HolSplit *split) {
    split->order = HOL_NEW(arena, int, split->m + 1);
    split->qr = HOL_NEW(arena, double, (size_t)split->n *(size_t)split->m + 1);
    split->tau = HOL_NEW(arena, double, hol_dense_qr_work(split->m) + 1);
    return !arena->failed;
}

int hol_split_orthogonal_factor(HolSplit *split, const HolPattern *G, const double *values) {
    const int n = split->n, rank = split->rank;
    memset(split->qr, 0, sizeof(double) * (size_t)n * (size_t)split->m);
    for (int l = 0; l < rank; l++)
        for (int k = G->ptr[split->rows[l]]; k < G->ptr[split->rows[l] + 1]; k++)
            split->qr[(size_t)G->idx[k] + (size_t)n * (size_t)l] = values[k] / split->d[G->idx[k]];
    if (rank == 0)
        return 0;
    if (hol_dense_qr(n, rank, split->qr, split->order, split->tau))
        return 1;
    const double last = split->qr[(size_t)(rank - 1) * (size_t)n + (size_t)(rank - 1)];
    return !(fabs(last) > DEPENDENT * fabs(split->qr[0]));
}

void hol_split_orthogonal_multipliers(HolSplit *split, const HolPattern *G, const double *values,
                                      const double *r, double *s) {
    memset(s, 0, sizeof *s * (size_t)split->m);
    for (int l = 0; l < split->rank; l++) {
        const int i = split->rows[split->order[l]];
        split->rhs[l] = 0;
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++) {
            const double d = split->d[G->idx[k]];
            split->rhs[l] -= values[k] / d * (r[G->idx[k]] / d);
        }
    }
    if (split->rank == 0)
        return;
    hol_dense_upper_transposed_solve(split->n, split->rank, 1, split->qr, split->rhs, split->rank);
    hol_dense_upper_solve(split->n, split->rank, split->qr, split->rhs);
    for (int l = 0; l < split->rank; l++)
        s[split->rows[split->order[l]]] = split->rhs[l];
}

void hol_split_keep(HolSplit *split, HolKeeper *k) {
    HOL_KEEP(k, split->rank);
    HOL_KEEP_ARRAY(k, split->Y, split->m);
    HOL_KEEP_ARRAY(k, split->rows, split->m);
    HOL_KEEP_ARRAY(k, split->dependent, split->n);
    HOL_KEEP_ARRAY(k, split->d, split->n);
    HOL_KEEP_ARRAY(k, split->K, (size_t)split->m * (size_t)split->m);
    HOL_KEEP_ARRAY(k, split->pivot, split->m);
}
