// SPDX-License-Identifier: Apache-2.0
// Static factorizations of a saddle-point matrix, LDL^T and LU on a symmetric pattern: the memory
// shared by the analysis (kkt_block_map.c) and the numbers (kkt_ldl.c, kkt_lu.c).
//
// Columns that follow each other with (nearly) the same rows form a block, as the rows of one joint
// do: L of a block is a dense array, row after row, first the rows of its own columns (a triangle),
// then the rows below. Loops over a block's width have a constant for the widths met in mechanisms.
// LDL^T begins with the leaves: unknowns with a diagonal mass, whose columns are copies of G's and
// which nothing updates.
#ifndef HOL_MATH_KKT_BLOCK_H
#define HOL_MATH_KKT_BLOCK_H

#include "math/kkt_backend.h"
#include "math/lanes.h"

enum { HOL_BLOCK_WIDTH = 6 }; // columns of a block at most

typedef struct HolBlock {
    int first;                     // its first column
    unsigned width : 4, rows : 28; // columns, rows below
    int row;                       // where the rows stand in `row_index`
    int at; // values: entry (i, c), i counting own columns and rows below, at + i width + c
} HolBlock; // four to a line of the cache: solves walk all of them

// a run of leaf columns (or of rows) first .. end-1 with `count` entries each
typedef struct HolLeafGroup {
    int first, end, count;
} HolLeafGroup;

// What one half of the mechanism has, or the top between them. The rows of the top that columns of
// the second half touch are kept apart, as rows N, N+1, .. ("shadow") with entries behind all
// others, and summed before the top is eliminated: two threads never write to the same place, and
// the sums do not depend on threads.
typedef struct HolPart {
    int first[3], end[3];                    // columns: leaves, other unknowns, multipliers
    int block[2], block_end[2];              // of other unknowns, of multipliers
    int group, group_end, entry, target;     // leaf columns; where their entries and targets begin
    int row_group, row_group_end, row_entry; // rows with leaves
} HolPart;

typedef struct HolFactors {
    int N, leaves;   // the leaf columns are 0 .. leaves-1
    int unknowns;    // the first multiplier; massless unknowns come later still
    int *perm, *at;  // new -> old, old -> new
    double *sign;    // +1 unknown, -1 multiplier
    double *D;       // pivots
    double *size;    // the magnitudes they were formed from
    double *inverse; // reciprocal pivots
    double *y;       // permuted right-hand side
    int halves;      // 1: part[0] and part[1] can be done side by side, then part[2], the top
    HolPart part[3];
    int shadow;        // rows of the top that have a shadow (the last ones)
    int shadow_values; // values of their blocks (the last ones)

    int n_blocks;
    HolBlock *block;
    int *row_index;
    // by block: rows a < b below, where (b, a) lies, in `target` from here, for each a all b
    int *first_target, *target;
    int n_values;
    double *Lx, *Ux;     // L; U transposed in the same places (LU only)
    double *unscaled[3]; // by part: rows of one block times D

    // where values come from
    double *G;                            // values of G with inactive rows zero, if there are such
    int *S_diagonal;                      // by column: entry of S on the diagonal, -1: none
    int S_lower, S_count, *S_from, *S_to; // entries of S (lower ones first) and of G into Lx, Ux
    int G_count, *G_from, *G_to;

    // leaves by columns: rows, entry of G and value of each entry of L; targets of pairs of rows
    int groups, *leaf_row, *leaf_source, *leaf_target;
    HolLeafGroup *group;
    double *leaf_value;
    int leaf_entries;
    // leaves by rows, for the forward part of solves: row; per entry unknown (as the right-hand
    // side has it), entry of G, value of L
    int row_groups, *row, *row_column, *row_source;
    HolLeafGroup *row_group;
    double *row_value;
} HolFactors;

// what pivots are compared with; eps > 0: round-off cannot spoil a multiplier's pivot, it is at
// least eps. worst: the largest ratio of what a pivot was formed from to itself
typedef struct HolPivots {
    double eps, worst;
} HolPivots;

// a factorization, step by step (kkt_parts.c)
typedef struct HolPartSteps {
    // the share `part` out of `parts` of all values; then what goes on top of them
    void (*load)(const HolKkt *k, HolFactors *f, double eps, int parts, int part);
    void (*scatter)(const HolKkt *k, HolFactors *f, int parts, int part);
    // before the halves; then one half, or the top: N, or the column whose pivot fails
    int (*begin)(HolKkt *k, HolFactors *f);
    int (*eliminate)(HolKkt *k, HolFactors *f, int part, HolPivots *pivots);
} HolPartSteps;

// 0 = ok, otherwise 1 + index of the failing pivot
int hol_parts_factor(HolKkt *k, HolFactors *f, double eps, const HolPartSteps *steps);
void hol_parts_solve(HolKkt *k, const HolFactors *f, const double *b, double *x);

// analysis; NULL: no memory, or the pattern does not suit. LU has no leaves, but Ux
HolFactors *hol_block_analyze(HolKkt *k, int lu);

// run `call(count)` with a constant for the counts met in mechanisms, so that loops unroll
#define HOL_WITH_CONSTANT(count, call)                                                             \
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
    case 5:                                                                                        \
        call(5);                                                                                   \
        break;                                                                                     \
    case 6:                                                                                        \
        call(6);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        call(count);                                                                               \
    }

// forward substitution with the block's columns: y of its columns is done when it returns
HOL_INLINE void hol_block_forward(const HolFactors *f, const HolBlock *b, int width) {
    const double *restrict L = f->Lx + b->at, *restrict below = L + width * width;
    const int *restrict row = f->row_index + b->row;
    double *restrict y = f->y, own[HOL_BLOCK_WIDTH];
#pragma GCC unroll 6
    for (int c = 0; c < width; c++) {
        double sum = y[b->first + c];
#pragma GCC unroll 6
        for (int e = 0; e < c; e++)
            sum -= L[c * width + e] * own[e];
        y[b->first + c] = own[c] = sum;
    }
    for (int i = 0; i < b->rows; i++, below += width) {
        double sum = 0;
        for (int c = 0; c < width; c++)
            sum += below[c] * own[c];
        y[row[i]] -= sum;
    }
}

// backward substitution with L or U: y of the rows below is done. For unknowns the largest y_j /
// d_j and the largest result are returned too
HOL_INLINE void hol_block_backward(const HolFactors *f, const double *values, const HolBlock *b,
                                   int width, double *restrict x, double *free_size,
                                   double *x_size) {
    const double *restrict L = values + b->at, *restrict below = L + width * width;
    const int *restrict row = f->row_index + b->row;
    double *restrict y = f->y, own[HOL_BLOCK_WIDTH], free_own[HOL_BLOCK_WIDTH];
#pragma GCC unroll 6
    for (int c = 0; c < width; c++)
        own[c] = free_own[c] = y[b->first + c] * f->inverse[b->first + c];
    for (int i = 0; i < b->rows; i++, below += width) {
        double done = y[row[i]];
#pragma GCC unroll 6
        for (int c = 0; c < width; c++)
            own[c] -= below[c] * done;
    }
#pragma GCC unroll 6
    for (int c = width - 1; c >= 0; c--) {
#pragma GCC unroll 6
        for (int e = 0; e < c; e++)
            own[e] -= L[c * width + e] * own[c];
        y[b->first + c] = x[f->perm[b->first + c]] = own[c];
    }
    for (int c = 0; b->first < f->unknowns && c < width; c++) {
        double before = own[c] < 0 ? -own[c] : own[c],
               without = free_own[c] < 0 ? -free_own[c] : free_own[c];
        *x_size = before > *x_size ? before : *x_size;
        *free_size = without > *free_size ? without : *free_size;
    }
}

// the blocks of a part that `segment` of HolPart.block names, last to first
HOL_INLINE void hol_blocks_backward(const HolFactors *f, const HolPart *part, int segment,
                                    const double *values, double *restrict x, double *free_size,
                                    double *x_size) {
    for (const HolBlock *b = f->block + part->block_end[segment] - 1;
         b >= f->block + part->block[segment]; b--) {
#define CALL(width) hol_block_backward(f, values, b, width, x, free_size, x_size)
        HOL_WITH_CONSTANT(b->width, CALL)
#undef CALL
    }
}

HOL_INLINE void hol_blocks_forward(const HolFactors *f, const HolPart *part, int segment) {
    for (const HolBlock *b = f->block + part->block[segment],
                        *end = f->block + part->block_end[segment];
         b < end; b++) {
#define CALL(width) hol_block_forward(f, b, width)
        HOL_WITH_CONSTANT(b->width, CALL)
#undef CALL
    }
}

// what the second half gave to the top
static inline void hol_shadow_add(const HolFactors *f, double *values) {
    for (int i = 0; i < f->shadow; i++)
        values[f->N - f->shadow + i] += values[f->N + i];
}

#endif
