// SPDX-License-Identifier: Apache-2.0
// Static factorizations of a saddle-point matrix, LDL^T and LU on a symmetric pattern: the memory
// shared by the analysis (kkt_ldl_map.c) and the numbers (kkt_ldl.c, kkt_lu.c).
#ifndef HOL_MATH_KKT_LDL_H
#define HOL_MATH_KKT_LDL_H

#include "math/kkt_backend.h"

#include <math.h>

// a run of columns (or rows) first .. end-1 with `count` entries each
typedef struct HolLdlGroup {
    int first, end, count;
} HolLdlGroup;

typedef struct HolLdl {
    int N, leaves;    // the leaf columns are 0 .. leaves-1
    int unknowns;     // the first multiplier; massless unknowns come later still
    long nnz;         // entries of L
    int *perm, *at;   // new -> old, old -> new
    int *Lp, *Li;     // strictly lower part by columns, rows ascending
    double *Lx;       // L; unscaled columns while factoring
    double *Ux;       // LU only: U transposed, same pattern
    double *D, *size; // pivots, and the magnitudes they were formed from
    double *inverse;  // reciprocal pivots
    double *sign;     // +1 unknown, -1 multiplier
    double *y;        // permuted right-hand side

    // where values come from
    double *G;                            // copy of the values of G with inactive rows zero
    int *S_diagonal;                      // by column: entry of S on the diagonal, -1: none
    int *source;                          // leaf columns: entry of G for each entry of L
    int S_lower, S_count, *S_from, *S_to; // the other entries, from S (lower ones first) or G to Lx
    int G_count, *G_from, *G_to;

    // where updates go: for entry p = (a,j) the targets (b,a), b > a, begin at Lx[run[p]], or, when
    // run[p] < 0, are listed from list[-1 - run[p]]; leaf columns are listed in order of columns
    int *run, *list;

    // leaf columns by columns, and their entries by rows
    int groups, row_groups, rows;
    HolLdlGroup *group, *row_group;
    int *row, *row_column, *row_source; // row index; per entry: leaf column, entry of G
    double *row_value;
} HolLdl;

// analysis; NULL: no memory, or the pattern does not suit. LU has no leaves, but Ux
HolLdl *hol_ldl_analyze(HolKkt *k, int lu);

// backward substitution with the columns from .. to (descending) of L or U; y of the columns after
// them is done. The largest y_j / d_j and the largest result are returned too
static inline __attribute__((always_inline)) void
hol_ldl_backward(const HolLdl *f, const double *restrict values, int from, int to,
                 double *restrict x, double *free_size, double *x_size) {
    const int *restrict Lp = f->Lp, *restrict Li = f->Li, *restrict perm = f->perm;
    const double *restrict inverse = f->inverse;
    double *restrict y = f->y;
    double before = 0, after = 0;
    for (int j = from; j >= to; j--) {
        double sum = y[j] * inverse[j];
        before = fabs(sum) > before ? fabs(sum) : before;
        // the latest result last: the other terms need not wait for it
        for (int p = Lp[j + 1] - 1, start = Lp[j]; p >= start; p--)
            sum -= values[p] * y[Li[p]];
        y[j] = sum;
        x[perm[j]] = sum;
        after = fabs(sum) > after ? fabs(sum) : after;
    }
    *free_size = before > *free_size ? before : *free_size;
    *x_size = after > *x_size ? after : *x_size;
}

#endif
