// SPDX-License-Identifier: Apache-2.0
// Coordinate split: the m rows of G choose m dependent coordinates Y, the other p = n - m are X.
//   P = X^T - Q^T Y^T,   Q = (G Y)^-1 G X         P G^T = 0,  P X = I  (rows of P not orthonormal)
//   s(r) = -(G Y)^-T Y^T r                        P r = X^T (r + G^T s)
//   d(P(q) r(q))/dq = P (r_q + H(q,s)),  H(q,s) = (G^T s)_q with s frozen at s(r(q))
// Y are the pivot rows of an LU factorization with row pivoting of the scaled G^T: entry (j,i) is
// G_ij / d_j, d_j the size of coordinate j (square root of its inertia and stiffness), so that
// units do not decide. Redundant rows get no coordinate and s = 0.
#ifndef HOL_SOLVE_SPLIT_H
#define HOL_SOLVE_SPLIT_H

#include "base/arena.h"
#include "base/state/keeper.h"
#include "holonom/holonom.h" // HolPattern

typedef struct HolSplit {
    int n, m, rank;
    int *Y, *rows;            // pairs k < rank: coordinate Y[k] depends through row rows[k]
    unsigned char *dependent; // n flags: 1 for coordinates in Y
    double *d;                // n: sizes of the coordinates at the last choice
    double *K;                // LU of (G Y)^T, column-major rank x rank
    int *pivot;
    double *work; // n x m of the choice, later columns of P
    double *rhs;  // m
} HolSplit;

int hol_split_create(HolArena *arena, int n, int m, HolSplit *split); // 0: out of memory
// choose Y for G (pattern by rows); sizes d (n) or NULL: all 1. Returns the rank
int hol_split_choose(HolSplit *split, const HolPattern *G, const double *values, const double *d);
// factor G Y at new values of G; 0 = ok, otherwise G Y is singular: choose again
int hol_split_factor(HolSplit *split, const HolPattern *G, const double *values);
// largest |Q| in scaled coordinates (after factor): above 10 another choice is due
double hol_split_growth(HolSplit *split, const HolPattern *G, const double *values);
// s (m) from r (n), after factor
void hol_split_multipliers(HolSplit *split, const double *r, double *s);
// P r into out (n - rank entries, coordinates of X ascending), with s as scratch (m)
void hol_split_reduce(HolSplit *split, const HolPattern *G, const double *values, const double *r,
                      double *s, double *out);
void hol_split_keep(HolSplit *split, HolKeeper *k);

#endif
