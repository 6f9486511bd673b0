// SPDX-License-Identifier: Apache-2.0
// Two stored results side by side, seen from inside. For a column c, over the times t_k,
//   D_c(t_k) = |a_c(t_k) - b_c(t_k)|,
//   S_c      = max( largest |a_c|, |b_c| , 1e-3 of the largest of its kind )
// is its size, as for certificates (src/solve/certify/certify.h), and it is apart where
//   D_c > tolerance S_c + I_c,   I_c the error of interpolation (0 at rows).
// diff.c: columns and verdict; diff_rows.c: which rows belong together, and values between rows.
#ifndef HOL_TOOLS_DIFF_H
#define HOL_TOOLS_DIFF_H

#include "base/arena.h"
#include "base/error.h"
#include "base/name_table.h"
#include "holonom/tools.h"
#include "io/result/read_result.h"
#include "model/quantity.h"

typedef struct HolDiffPair { // a row of the result with fewer rows, and its place in the other one
    long row;
    long other;  // its row there, or the row before its time
    int between; // 1: its time lies between `other` and the next row
} HolDiffPair;

typedef struct HolDiffSide { // one of the results
    const HolResult *result;
    HolNameTable names; // of its columns
} HolDiffSide;

typedef struct HolDiffRows {
    const HolDiffSide *base, *other; // base: with fewer rows in the common time
    int swapped;                     // 1: base is the second result
    double from, to;
    HolDiffPair *pairs;
    long n, between;
} HolDiffRows;

// the rows of both results that are compared; 0: no memory
int hol_diff_rows(HolDiffRows *d, HolArena *arena, const HolDiffSide *a, const HolDiffSide *b);
int hol_diff_side(HolDiffSide *side, HolArena *arena, const HolResult *r); // 0: no memory
int hol_diff_find(const HolDiffSide *side, const char *name);              // a column, or -1

typedef struct HolDiffValue { // of a column at the time of a pair
    double value, error;      // error: what interpolation may be off by
} HolDiffValue;

typedef struct HolDiffSource { // a column and its derivatives, where the result has them
    const HolResult *result;
    int column, rate, second; // -1: none
} HolDiffSource;

HolDiffSource hol_diff_source(const HolDiffSide *side, int column);
HolDiffValue hol_diff_value(const HolDiffSource *s, long row, int between, double t);

#endif
