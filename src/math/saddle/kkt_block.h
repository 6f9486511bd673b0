// SPDX-License-Identifier: Apache-2.0
// Static factorizations of a saddle-point matrix, LDL^T and LU on a symmetric pattern: the memory
// shared by the analysis (kkt_block_analysis.c) and the numbers (kkt_ldl.c, kkt_lu.c).
//
// Columns that follow each other with (nearly) the same rows form a block, as the rows of one joint
// do: L of a block lies row after row, first the rows of its own columns (a triangle without its
// diagonal, row c has c numbers), then the rows below. Loops over a block's width have a constant
// for the widths met in mechanisms. Solves of large systems wait for memory: blocks lie in the
// order in which they are walked, and a walk counts where it is, so that a block is two numbers.
// LDL^T begins with the leaves: unknowns with a diagonal mass, whose columns are copies of G's and
// which nothing updates.
#ifndef HOL_MATH_KKT_BLOCK_H
#define HOL_MATH_KKT_BLOCK_H

#include "math/saddle/kkt_backend.h"
#include "math/simd.h"

enum { HOL_BLOCK_WIDTH = 6 }; // columns of a block at most

typedef struct HolBlock {
    unsigned width : 4, rows : 28; // columns, rows below
} HolBlock;

// where a block begins
typedef struct HolSpot {
    int first;  // its first column
    int row;    // its rows in `row_index`
    int at;     // its values
    int target; // places of its pairs of rows a < b below, for each a all b, in `target`
} HolSpot;

// entries of L in a block's own rows before row c (all of them: c = width)
static inline int hol_triangle(int c) {
    return c * (c - 1) / 2;
}

// pairs of rows
static inline long hol_pairs(long rows) {
    return rows * (rows - 1) / 2;
}

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
    HolSpot spot[2], spot_end[2];            // where these begin and end
    int group, group_end, entry, target;     // leaf columns; where their entries and targets begin
    int row_group, row_group_end, row_entry; // rows of multipliers
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

    int n_blocks, most_rows; // most_rows: below a block
    HolBlock *block;
    int *row_index, *target;
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
    // leaves by rows, for the forward part of solves: row (of all multipliers, some have no
    // leaves); per entry unknown (as the right-hand side has it), entry of G, value of L
    int row_groups, *row, *row_column, *row_source;
    HolLeafGroup *row_group;
    double *row_value;
} HolFactors;

// what pivots are compared with; eps > 0: round-off cannot spoil a multiplier's pivot, it is at
// least eps. worst: the largest ratio of what a pivot was formed from to itself
typedef struct HolPivots {
    double eps, worst;
} HolPivots;

// a factorization, step by step (kkt_block_solve.c)
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

void hol_block_keep(HolKkt *k, void *factors, HolKeeper *w);

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

// numbers of L in a block
HOL_INLINE int hol_block_size(int width, int rows) {
    return hol_triangle(width) + width * rows;
}

// where a walk through the blocks of a segment is; L: of Lx or Ux
typedef struct HolBlockWalk {
    const double *L;
    const int *row;
    int first;
} HolBlockWalk;

HOL_INLINE HolBlockWalk hol_block_walk(const HolFactors *f, const HolSpot *s,
                                       const double *values) {
    return (HolBlockWalk){values + s->at, f->row_index + s->row, s->first};
}

// forward substitution with the block's columns: y of its columns is done when it returns
HOL_INLINE void hol_block_forward(const HolFactors *f, HolBlockWalk *w, int width, int rows) {
    const double *restrict L = w->L, *restrict below = L + hol_triangle(width);
    const int *restrict row = w->row;
    double *restrict y = f->y, own[HOL_BLOCK_WIDTH];
#pragma GCC unroll 6
    for (int c = 0; c < width; c++) {
        double sum = y[w->first + c];
#pragma GCC unroll 6
        for (int e = 0; e < c; e++)
            sum -= L[hol_triangle(c) + e] * own[e];
        y[w->first + c] = own[c] = sum;
    }
    for (int i = 0; i < rows; i++, below += width) {
        double sum = 0;
        for (int c = 0; c < width; c++)
            sum += below[c] * own[c];
        y[row[i]] -= sum;
    }
    w->L = below;
    w->row += rows;
    w->first += width;
}

// backward substitution with L or U: y of the rows below is done. For unknowns the largest y_j /
// d_j and the largest result, over their sizes, are returned too
HOL_INLINE void hol_block_backward(const HolFactors *f, HolBlockWalk *w, int width, int rows,
                                   const double *near, double *restrict x, double *free_size,
                                   double *x_size) {
    const int first = w->first -= width;
    const double *restrict L = w->L -= hol_block_size(width, rows);
    const double *restrict below = L + hol_triangle(width);
    const int *restrict row = w->row -= rows;
    double *restrict y = f->y, own[HOL_BLOCK_WIDTH], free_own[HOL_BLOCK_WIDTH];
#pragma GCC unroll 6
    for (int c = 0; c < width; c++)
        own[c] = free_own[c] = y[first + c] * f->inverse[first + c];
    for (int i = 0; i < rows; i++, below += width) {
        double done = y[row[i]];
#pragma GCC unroll 6
        for (int c = 0; c < width; c++)
            own[c] -= below[c] * done;
    }
#pragma GCC unroll 6
    for (int c = width - 1; c >= 0; c--) {
#pragma GCC unroll 6
        for (int e = 0; e < c; e++)
            own[e] -= L[hol_triangle(c) + e] * own[c];
        y[first + c] = x[f->perm[first + c]] = own[c];
    }
    for (int c = 0; first < f->unknowns && c < width; c++) {
        const double unit = near[f->perm[first + c]];
        double before = (own[c] < 0 ? -own[c] : own[c]) * unit,
               without = (free_own[c] < 0 ? -free_own[c] : free_own[c]) * unit;
        *x_size = before > *x_size ? before : *x_size;
        *free_size = without > *free_size ? without : *free_size;
    }
}

// the blocks of a part that `segment` of HolPart.block names, last to first
HOL_INLINE void hol_blocks_backward(const HolFactors *f, const HolPart *part, int segment,
                                    const double *values, const double *near, double *restrict x,
                                    double *free_size, double *x_size) {
    HolBlockWalk w = hol_block_walk(f, &part->spot_end[segment], values);
    const HolBlock *begin = f->block + part->block[segment];
    for (const HolBlock *b = f->block + part->block_end[segment]; b-- > begin;) {
        const int rows = (int)b->rows;
#define CALL(width) hol_block_backward(f, &w, width, rows, near, x, free_size, x_size)
        HOL_WITH_CONSTANT((int)b->width, CALL)
#undef CALL
    }
}

HOL_INLINE void hol_blocks_forward(const HolFactors *f, const HolPart *part, int segment) {
    HolBlockWalk w = hol_block_walk(f, &part->spot[segment], f->Lx);
    const HolBlock *end = f->block + part->block_end[segment];
    for (const HolBlock *b = f->block + part->block[segment]; b < end; b++) {
        const int rows = (int)b->rows;
#define CALL(width) hol_block_forward(f, &w, width, rows)
        HOL_WITH_CONSTANT((int)b->width, CALL)
#undef CALL
    }
}

// while factoring: on to the next block
HOL_INLINE void hol_spot_leave(HolSpot *s, int width, int rows) {
    s->first += width;
    s->row += rows;
    s->at += hol_block_size(width, rows);
    s->target += (int)hol_pairs(rows);
}

// what the second half gave to the top
static inline void hol_shadow_add(const HolFactors *f, double *values) {
    for (int i = 0; i < f->shadow; i++)
        values[f->N - f->shadow + i] += values[f->N + i];
}

#endif
