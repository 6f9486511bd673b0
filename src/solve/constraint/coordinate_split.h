// SPDX-License-Identifier: Apache-2.0
// Coordinate split: the m rows of G choose m dependent coordinates Y, the other p = n - m are X.
//   P = X^T - Q^T Y^T,   Q = (G Y)^-1 G X         P G^T = 0,  P X = I  (rows of P not orthonormal)
//   s(r) = -(G Y)^-T Y^T r                        P r = X^T (r + G^T s)
//   d(P(q) r(q))/dq = P (r_q + H(q,s)),  H(q,s) = (G^T s)_q with s frozen at s(r(q))
// Y are the pivot rows of an LU factorization with row pivoting of the scaled G^T: entry (j,i) is
// G_ij / d_j, d_j the size of coordinate j (square root of its inertia and stiffness), so that
// units do not decide. Redundant rows get no coordinate and s = 0.
// Orthogonal split (002, Remark 3.2): P = D^-1 Z^T with Z the null space of G D^-1, D = diag(d); then
//   s(r) = -(G D^-2 G^T)^-1 G D^-2 r = -R^-1 R^-T G D^-2 r,   D^-1 G^T = Q R  (Householder, pivoted)
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
    // orthogonal split
    int *order;       // m: columns of R
    double *qr, *tau; // n x m, of LAPACK
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
// the same for the orthogonal split; 0 = ok, otherwise the rows chosen depend on each other
int hol_split_orthogonal_create(HolArena *arena, HolSplit *split); // 0: out of memory
int hol_split_orthogonal_factor(HolSplit *split, const HolPattern *G, const double *values);
void hol_split_orthogonal_multipliers(HolSplit *split, const HolPattern *G, const double *values,
                                      const double *r, double *s);
void hol_split_keep(HolSplit *split, HolKeeper *k);

#endif
