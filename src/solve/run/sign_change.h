// SPDX-License-Identifier: Apache-2.0
// Where a sign changes: the one search for events, whether along the curve of a step (kinks.c) or
// along time (time_switches.c).
#ifndef HOL_SOLVE_SIGN_CHANGE_H
#define HOL_SOLVE_SIGN_CHANGE_H

#include <math.h>

// 1: the sign at x is another one than at the start
typedef int (*HolOtherSide)(void *context, double x);

// The end of an interval that holds the change between lo, before it, and hi, behind it; as wide as
// `width` or `relative` times hi, or (both 0) two neighbouring numbers. Bisection: what is compared
// may jump.
static inline double hol_sign_change(double lo, double hi, double width, double relative,
                                     HolOtherSide other, void *context) {
    while (hi - lo > fmax(width, relative * fabs(hi))) {
        const double mid = 0.5 * (lo + hi);
        if (!(mid > lo && mid < hi))
            break;
        if (other(context, mid))
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

#endif
