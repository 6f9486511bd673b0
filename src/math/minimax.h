// SPDX-License-Identifier: Apache-2.0
// The smallest largest value of affine functions of a few unknowns (a linear program):
//     min y   with   b_i + a_i . z <= y   (soft),   b_i + a_i . z <= 0   (hard)
#ifndef HOL_MATH_MINIMAX_H
#define HOL_MATH_MINIMAX_H

#include "base/visibility.h"

typedef struct HolMinimax {
    int n, k;                  // functions, unknowns z
    const double *a;           // n x k
    const double *b;           // n
    const unsigned char *hard; // n; NULL: none
    double *z;                 // out: k
    double y;                  // out
    double *weight;            // out: n; > 0: what y is made of, y = sum of weight b
    double *work;              // hol_minimax_work(n, k)
    int *basis;                // k + 1
} HolMinimax;

HOL_TOOLS long hol_minimax_work(int n, int k);
// 1: solved; 0: hard functions contradict each other, or y has no lower bound
HOL_TOOLS int hol_minimax(HolMinimax *p);

#endif
