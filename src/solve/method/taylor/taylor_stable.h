// SPDX-License-Identifier: Apache-2.0
// Sums of Taylor coefficients that stay stable over longer steps than the series itself
// (docs/theory/series.md, section 8.3).
//
// Of x'' = -w^2 x the sum of a series to degree D is R(i w h) x, R(z) = sum z^k/k!, which grows
// from w h = 0.4 D on, however small the vibration is: the fastest vibration of the model limits
// the step whether it takes part in the motion or not. With other weights of the coefficients,
//   R(z) = sum w_k z^k/k!,  w_(2j-1) = w_(2j) = a_j,  a_1 = a_2 = 1,
//   a_j = a_(j-1) (1 - ((2j-3)^2 - 1)/((D-1)^2 - 1)),
// the order is 4, R(iy) = E(y) - i E'(y) with E = sum (-1)^j a_j y^(2j)/(2j)!, and |R| <= 1 up to
// y = sqrt((D-1)^2 - 1), the longest that degree D and order 4 allow (Kinnmark and Gray 1984).
// Error: a sum with weights e_k, e_5 = 1 - w_5 and e_6 = 1 - w_6 as the error itself begins, the
// others such that it is smallest over that interval: vibrations count with their amplitude, not
// with their derivatives. Over the first half of the interval it is at least half of
// |R(iy) - exp(iy)|; beyond, it falls short of it near single frequencies, to a twentieth.
#ifndef HOL_SOLVE_TAYLOR_STABLE_H
#define HOL_SOLVE_TAYLOR_STABLE_H

enum { HOL_STABLE_LEAST = 6, HOL_STABLE_MOST = 14, HOL_STABLE_SIZE = HOL_STABLE_MOST + 3 };

typedef struct HolStableSum {
    int degree;                // D, even; 0: none
    double w[HOL_STABLE_SIZE]; // of the sum; 0 beyond D
    double e[HOL_STABLE_SIZE]; // of its error
} HolStableSum;

// the sum of the highest degree up to `degree` (0 below the least)
HolStableSum hol_stable_sum(int degree);

#endif
