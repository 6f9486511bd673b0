// SPDX-License-Identifier: Apache-2.0
// Static factorizations of a saddle-point matrix, LDL^T and LU on a symmetric pattern: the memory
// shared by the analysis (kkt_ldl_map.c) and the numbers (kkt_ldl.c, kkt_lu.c).
#ifndef HOL_MATH_KKT_LDL_H
#define HOL_MATH_KKT_LDL_H

#include "math/kkt_backend.h"

// a run of columns (or rows) first .. end-1 with `count` entries each
typedef struct HolLdlGroup {
    int first, end, count;
} HolLdlGroup;

typedef struct HolLdl {
    int N, leaves;    // the leaf columns are 0 .. leaves-1
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
    double *G;                   // copy of the values of G with inactive rows zero
    int *S_diagonal;             // by column: entry of S on the diagonal, -1: none
    int *source;                 // leaf columns: entry of G for each entry of L
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

#endif
