// SPDX-License-Identifier: Apache-2.0
// The locator: zeros of functions along a curve, theta in [0, 1] (zeros.c). Everything that ends a
// step inside is found by it: watches of modes and events of the user (locate.c), kinks (run/kinks.c).
#ifndef HOL_MATH_ZEROS_H
#define HOL_MATH_ZEROS_H

#include "math/zero/isolate.h"

typedef struct HolZeros {
    const HolZeroBasis *basis;
    int n; // functions
    double *sample,
        *check;          // HOL_ZERO_NODES x n, HOL_ZERO_CHECKS x n: values at places of isolate.h
    const double *noise; // n: values below are zero
    double *scratch;     // n
    int deepest;         // halvings, see isolate.h
    double off;          // see isolate.h
    // function i, or all of them (-1), at theta
    void (*values)(void *context, double theta, int i, double *values);
    void *context;
} HolZeros;

void hol_zeros_sample(const HolZeros *z); // all functions at all places
double hol_zeros_value(const HolZeros *z, int i, double theta);
// The next interval of function i, not before *to (0 at first), in which its polynomial changes its
// sign; 0: there is none. order: of the zero at the start; checked: its values in `check` count;
// *last: the last value, without the zero at the start
int hol_zeros_next(const HolZeros *z, int i, int order, int checked, double *from, double *to,
                   double *last);
// a place not before `from` where function i has left the zero at the start; at most 4 `to`
double hol_zeros_leaves(const HolZeros *z, int i, double from, double to);
// its zero between two places; *way: 1 where it rises, -1 where it falls
double hol_zeros_refine(const HolZeros *z, int i, int order, double lo, double hi, int *way);
// the first place behind its change of sign between lo and hi that is known to `width`, or to
// `relative` of itself; the function may jump. 0: its sign is the same at both
double hol_zeros_behind(const HolZeros *z, int i, double lo, double hi, double width,
                        double relative);

#endif
