// SPDX-License-Identifier: Apache-2.0
// Saddle-point backend for mass-matrix systems: P [S G^T; G -E] P^T = L D L^T in a fixed order.
//
// S > 0 makes D positive at unknowns and negative at multipliers; no pivoting is needed in the safe
// order (order.h). A factorization is one straight run over positions found by kkt_ldl_map.c: for
// each column j, with u the unscaled column,
//     l = u / d_j,   d_i -= l_i u_i,   L(b,a) -= l_a u_b   for rows a < b of column j.
// Unknowns with a diagonal mass ("leaves") come first, grouped by their number of rows: their
// columns are copies of G's, nothing updates them, and a group runs through one unrolled loop. In a
// solve their forward part goes by rows, their backward part by columns: sums without waiting for
// stores. Each later pivot is compared with the sum of magnitudes that formed it: a ratio below
// HOL_KKT_PIVOT means that the row depends on the rows before it.
#include "math/kkt_ldl.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// run `call(count)` with a constant for the counts met in mechanisms, so that loops unroll
#define WITH_CONSTANT(count, call)                                                                 \
    switch (count) {                                                                               \
    case 1:                                                                                        \
        call(1);                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        call(2);                                                                                   \
        break;                                                                                     \
    case 3:                                                                                        \
        call(3);                                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        call(4);                                                                                   \
        break;                                                                                     \
    case 6:                                                                                        \
        call(6);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        call(count);                                                                               \
    }

static void *ldl_create(HolKkt *k) {
    return hol_ldl_analyze(k, 0);
}

// values of S, G and -eps into the pattern of L and D, leaf columns excepted
static void load_values(const HolKkt *k, HolLdl *f, double eps) {
    memcpy(f->G, k->Gv, sizeof(double) * (size_t)k->G.nnz);
    if (k->any_inactive)
        for (int i = 0; i < k->m; i++)
            if (k->inactive[i])
                memset(f->G + k->G.ptr[i], 0,
                       sizeof(double) * (size_t)(k->G.ptr[i + 1] - k->G.ptr[i]));
    int leaf_end = f->Lp[f->leaves];
    memset(f->Lx + leaf_end, 0, sizeof(double) * (size_t)(f->nnz - leaf_end));
    // one triangle of S serves when both are there
    int S_count = f->S_count == 2 * f->S_lower ? f->S_lower : f->S_count;
    for (int e = 0; e < S_count; e++)
        f->Lx[f->S_to[e]] = k->Sv[f->S_from[e]];
    for (int e = 0; e < f->G_count; e++)
        f->Lx[f->G_to[e]] = f->G[f->G_from[e]];
    for (int i = f->leaves; i < f->unknowns; i++)
        f->D[i] = f->S_diagonal[i] >= 0 ? k->Sv[f->S_diagonal[i]] : 0;
    for (int i = f->unknowns; i < f->N; i++)
        f->D[i] = f->sign[i] < 0 ? -eps : 0;
    if (k->any_inactive)
        for (int i = 0; i < k->m; i++)
            if (k->inactive[i])
                f->D[f->at[k->n + i]] = -1;
}

// one group of leaf columns; returns the first column whose pivot fails, or the end
INLINE int leaf_columns(const HolKkt *k, HolLdl *f, int first, int end, int count) {
    const int *restrict Li = f->Li, *restrict source = f->source;
    const double *restrict G = f->G;
    double *restrict Lx = f->Lx, *restrict D = f->D;
    int p = f->Lp[first];
    const int *restrict target = count ? f->list + (-1 - f->run[p]) : NULL;
    for (int j = first; j < end; j++, p += count) {
        double d = k->Sv[f->S_diagonal[j]];
        if (!(d > 0))
            return j;
        double inverse = 1.0 / d;
        f->inverse[j] = inverse;
        for (int a = 0; a < count; a++) {
            double u = G[source[p + a]], l = u * inverse;
            Lx[p + a] = l;
            D[Li[p + a]] -= l * u;
            for (int b = a + 1; b < count; b++)
                Lx[*target++] -= l * G[source[p + b]];
        }
    }
    return end;
}

static int eliminate_leaves(const HolKkt *k, HolLdl *f) {
    for (int g = 0; g < f->groups; g++) {
        int first = f->group[g].first, end = f->group[g].end, count = f->group[g].count, done = 0;
#define CALL(constant) done = leaf_columns(k, f, first, end, constant)
        WITH_CONSTANT(count, CALL)
#undef CALL
        if (done < end)
            return done;
    }
    // the leaves by rows, for the forward part of solves
    for (int e = 0; e < f->Lp[f->leaves]; e++)
        f->row_value[e] = f->G[f->row_source[e]];
    return f->leaves;
}

// the other columns; N when all pivots hold, else the place of the first that does not. With eps >
// 0 round-off cannot spoil a multiplier's pivot: it is at least eps
static int eliminate_rest(HolLdl *f, double eps, double *growth) {
    const double threshold = eps > 0 ? 0 : HOL_KKT_PIVOT;
    const int *restrict Lp = f->Lp, *restrict Li = f->Li, *restrict run = f->run;
    double *Lx = f->Lx, *restrict D = f->D, *restrict size = f->size;
    double worst = 0;
    // up to here all terms had one sign
    for (int i = f->leaves; i < f->N; i++)
        size[i] = fabs(D[i]);
    for (int j = f->leaves; j < f->N; j++) {
        double d = D[j], pivot = d * f->sign[j];
        if (!(pivot > threshold * size[j])) {
            if (eps == 0 || f->sign[j] > 0 || isnan(d))
                return j;
            d = -eps;
        }
        double inverse = 1.0 / d;
        f->inverse[j] = inverse;
        if (size[j] > worst * pivot)
            worst = size[j] / pivot;
        int end = Lp[j + 1];
        for (int p = Lp[j]; p < end; p++) {
            double u = Lx[p], l = u * inverse, square = l * u;
            D[Li[p]] -= square;
            size[Li[p]] += fabs(square);
            int count = end - p - 1, start = run[p];
            const double *from = Lx + p + 1;
            if (start >= 0) {
                double *to = Lx + start;
#pragma GCC ivdep
                for (int b = 0; b < count; b++)
                    to[b] -= l * from[b];
            } else {
                const int *list = f->list + (-1 - start);
#pragma GCC ivdep
                for (int b = 0; b < count; b++)
                    Lx[list[b]] -= l * from[b];
            }
            Lx[p] = l;
        }
    }
    if (worst > *growth)
        *growth = worst;
    return f->N;
}

static int ldl_factor(HolKkt *k, void *factors, double eps) {
    HolLdl *f = factors;
    double ignored = 0;
    load_values(k, f, eps);
    int done = eliminate_leaves(k, f);
    if (done == f->leaves)
        done = eliminate_rest(f, eps, eps > 0 ? &ignored : &k->stats.last_growth);
    if (done < f->N)
        return f->perm[done] + 1;
    if (k->any_inactive)
        for (int i = 0; i < k->m; i++)
            if (k->inactive[i])
                f->inverse[f->at[k->n + i]] = 1;
    return 0;
}

// y_i -= sum G_ij y_j over the leaves j of rows first .. end-1; y_j is already divided by d_j
INLINE const int *forward_rows(const HolLdl *f, const int *column, const double **value, int first,
                               int end, int count) {
    double *restrict y = f->y;
    const double *restrict v = *value;
    for (int r = first; r < end; r++, column += count, v += count) {
        double sum = 0;
        for (int e = 0; e < count; e++)
            sum += v[e] * y[column[e]];
        y[f->row[r]] -= sum;
    }
    *value = v;
    return column;
}

// x_j = y_j - sum L_ij y_i for leaf columns first .. end-1; returns the largest |x_j|
INLINE double backward_columns(const HolLdl *f, int first, int end, int count, double *restrict x) {
    double largest = 0;
    const double *restrict y = f->y, *restrict Lx = f->Lx + f->Lp[first];
    const int *restrict Li = f->Li + f->Lp[first];
    for (int j = first; j < end; j++, Li += count, Lx += count) {
        double sum = y[j];
        for (int e = 0; e < count; e++)
            sum -= Lx[e] * y[Li[e]];
        x[f->perm[j]] = sum;
        largest = fabs(sum) > largest ? fabs(sum) : largest;
    }
    return largest;
}

static void ldl_solve(HolKkt *k, void *factors, double *x) {
    const HolLdl *f = factors;
    const int *restrict Lp = f->Lp, *restrict Li = f->Li, *restrict perm = f->perm;
    const double *restrict Lx = f->Lx;
    double *restrict y = f->y;
    int N = f->N, leaves = f->leaves;
    double free_size = 0, x_size = 0, ignored = 0;
    for (int i = 0; i < leaves; i++) {
        y[i] = x[perm[i]] * f->inverse[i];
        free_size = fabs(y[i]) > free_size ? fabs(y[i]) : free_size;
    }
    for (int i = leaves; i < N; i++)
        y[i] = x[perm[i]];
    const int *column = f->row_column;
    const double *value = f->row_value;
    for (int g = 0; g < f->row_groups; g++) {
        int first = f->row_group[g].first, end = f->row_group[g].end;
#define CALL(constant) column = forward_rows(f, column, &value, first, end, constant)
        WITH_CONSTANT(f->row_group[g].count, CALL)
#undef CALL
    }
    for (int j = leaves, p = Lp[leaves]; j < N; j++) {
        double yj = y[j];
        for (int end = Lp[j + 1]; p < end; p++)
            y[Li[p]] -= Lx[p] * yj;
    }
    hol_ldl_backward(f, Lx, N - 1, f->unknowns, x, &ignored, &ignored);
    hol_ldl_backward(f, Lx, f->unknowns - 1, leaves, x, &free_size, &x_size);
    for (int g = 0; g < f->groups; g++) {
        int first = f->group[g].first, end = f->group[g].end;
        double size = 0;
#define CALL(constant) size = backward_columns(f, first, end, constant, x)
        WITH_CONSTANT(f->group[g].count, CALL)
#undef CALL
        x_size = size > x_size ? size : x_size;
    }
    k->free_size = free_size;
    k->x_size = x_size;
}

const HolKktBackend hol_kkt_ldl = {"ldl", ldl_create, ldl_factor, ldl_solve, NULL};
