// SPDX-License-Identifier: Apache-2.0
// Saddle points of open trees of bodies, body by body (docs/theory/saddle-point.md, section 5): the
// analysis (kkt_tree_analysis.c) and the numbers (kkt_tree.c).
//
// A body hangs by the rows of one joint on its parent, on the ground, or on nothing:
//     [ A   C^T ] [a     ]   [ f          ]      C  rows x its unknowns
//     [ C   0   ] [lambda] = [ c - P a_up ]      P  rows x the parent's unknowns
// With W the inverse of the matrix and K = W (0, P), tips first: the parent sees A_up - P^T W22 P
// and f_up - K^T (f, c); then, from the roots, (a, lambda) = W (f, c) - K a_up. That is the
// articulated-body recursion as an elimination.
//
// What it pays: with L D L^T in its place, method `tangent` takes 1.18 times the instructions on a
// plane chain of 100 links and 1.19 times on a spatial one, 1.24 and 1.29 times with 10 links. On
// the flyball governor at step 0.005 (bench/instructions.sh) it takes 1.62 times: 133 iterations in place
// of 98, 50 factorizations in place of 29.
#ifndef HOL_MATH_KKT_TREE_H
#define HOL_MATH_KKT_TREE_H

#include "math/saddle/kkt_backend.h"
#include "math/simd.h"

enum { HOL_LINK_WIDTH = 6 }; // unknowns of a body, rows of a joint at most

typedef struct HolLink {
    int column, width; // its unknowns
    int up, up_width;  // the parent's, 0 of them: it has none
    int parent;        // which link that is
    int row, rows;     // its multipliers: where they stand in `row_index`
    int at;            // values: W, K, K^T by columns, each in whole lanes
    int A, C, P;       // where these matrices stand, by rows; rows of A in whole lanes
} HolLink;

typedef struct HolTree {
    int count; // tips first, parents behind their children
    HolLink *link;
    int *row_index;
    double *value, *A, *C;
    int values, A_size, C_size;
    int *S_to, *G_to; // where the entries of S go in A, those of G in C
    double *y;        // forces that are left
} HolTree;

// NULL: not an open tree, or no memory
HolTree *hol_tree_analyze(HolKkt *k, const int *body);

// of a column of so many numbers
static inline int hol_whole_lanes(int count) {
    return (count + HOL_LANES - 1) / HOL_LANES;
}

#endif
