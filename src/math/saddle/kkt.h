// SPDX-License-Identifier: Apache-2.0
// Saddle-point systems, the one linear system of every method:
//
//     [ S   Gt^T   -F   ] [x     ]   [r1]      S  n x n (pattern by columns)
//     [ G   -E      0   ] [lambda] = [r2]      G  m x n (pattern by rows), Gt = G unless set apart
//     [ -A  -L     I-W  ] [w     ]   [r3]      border of nw algebraic variables, dense, nw small
//
// Create once (pattern analyzed), fill the value arrays, factor, solve often. No allocation after
// creation, except when pivoting replaces a static order for the first time (massless unknowns)
// and inside KLU when it chooses pivots anew. `symmetric`: S is symmetric positive (semi)definite
// and Gt = G (mass matrix systems): then a static-order LDL^T serves; otherwise a static-order LU,
// with KLU or dense LAPACK behind it. Redundancy: when G loses rank (a pivot vanishes, growth
// explodes) or `redundant` is set, the system is factored with E = eps and refined against E = 0;
// the solution then has the minimum-norm multipliers. Consistent right-hand sides are solved to
// round-off.
#ifndef HOL_MATH_KKT_H
#define HOL_MATH_KKT_H

#include "base/arena.h"
#include "base/thread_pool.h"
#include "holonom/problem.h" // HolPattern

typedef struct HolKkt HolKkt;
typedef struct HolKktPlans HolKktPlans; // analyses of patterns, see kkt_plan.h
struct HolKeeper;

// kept by what lives longer than its systems (a model), for all threads; NULL: no memory
HolKktPlans *hol_kkt_plans_create(void);
void hol_kkt_plans_destroy(HolKktPlans *plans); // NULL is fine; no system may be left

typedef struct HolKktStats {
    long factorizations, solves, regularized, repivots;
    double growth;      // largest pivot growth (1 = perfect)
    double last_growth; // of the last factorization; 0 when it was regularized
    const char *solver; // name of the backend in use
} HolKktStats;

// kind: "auto", "dense", "sparse", "ldl" (symmetric only), "lu" (static order, no pivoting while it
// holds). NULL on memory failure. plans: analyses are looked for and left there; NULL: nothing is shared
HolKkt *hol_kkt_create_planned(HolArena *arena, HolKktPlans *plans, const HolPattern *S,
                               const HolPattern *G, int nw, int symmetric, const char *kind);
HolKkt *hol_kkt_create(HolArena *arena, const HolPattern *S, const HolPattern *G, int nw,
                       int symmetric, const char *kind);
// frees what a backend library holds (memory itself is the arena's)
void hol_kkt_destroy(HolKkt *k);

// value arrays to fill before factor (in the order of the patterns given)
double *hol_kkt_S(HolKkt *k);
double *hol_kkt_G(HolKkt *k);
// first call makes the upper right block independent of G (then fill both)
double *hol_kkt_Gt(HolKkt *k);
// border blocks, row-major dense: A = dW/dx (nw x n), L = dW/dlambda (nw x m), W = dW/dw (nw x nw),
// F = df/dw (n x nw)
void hol_kkt_border(HolKkt *k, double **A, double **L, double **W, double **F);
// mark rows of the multiplier block as inactive: row i reads lambda_i = rhs (used to drop
// non-holonomic rows in position solves), from the next factorization on. flags has m entries,
// copied; NULL: all active.
void hol_kkt_inactive(HolKkt *k, const unsigned char *flags);
// the body that owns each unknown, in ascending order: where rows join two bodies and the bodies
// form an open tree, it is solved along the tree
void hol_kkt_bodies(HolKkt *k, const int *body);
// Sizes of the unknowns: lengths where they are displacements, 1 where they are angles. Unknowns
// and pivots of different units are compared in them, so that no choice depends on the unit of
// length. `reach` and its reciprocals `near` have n entries, kept and not copied; default 1.
void hol_kkt_reach(HolKkt *k, const double *reach, const double *near);
// The pattern of the masses in S: where the rest couples many bodies and is small, as a step squared
// times a stiffness, it is left to rounds of corrections, and not factored. Copied nowhere
void hol_kkt_mass(HolKkt *k, const HolPattern *M);
void hol_kkt_share(HolKkt *k, HolThreadPool *pool);   // threads for large systems
void hol_kkt_set_redundant(HolKkt *k, int redundant); // 1: always use the tolerant path
// eps of the regularization as part of the size of diag(G S^-1 G^T), default 1e-10. Smaller: a
// solve without refinement is as exact, but right-hand sides must fit redundant rows better.
#define HOL_KKT_REGULARIZATION 1e-10
void hol_kkt_set_regularization(HolKkt *k, double part);

// 0 = ok; otherwise 1 + index (in n+m+nw) of the pivot that failed even regularized
int hol_kkt_factor(HolKkt *k);
// in place: x has n + m + nw entries. Redundant rows: refined against the values
// given to the factorization; light bodies: against the values present in S and G
void hol_kkt_solve(HolKkt *k, double *x);
// the same for the unknowns x only: redundant multipliers are some, not the minimum-norm ones.
// rough: also without refinement, to about 8 digits where rows are redundant. 2: nor where light
// bodies cost digits
void hol_kkt_solve_motion(HolKkt *k, double *x, int rough);
void hol_kkt_solve_apart(HolKkt *k, const double *b, double *x, int rough); // from b into x
// lambda (m entries) loses its part in the null space of Gt^T as it was when last factored; nothing
// where rows are not redundant or a border couples them (factored with its blocks at zero it does not)
void hol_kkt_minimum_norm(HolKkt *k, double *lambda);
HolKktStats hol_kkt_stats(const HolKkt *k);
int hol_kkt_is_regularized(const HolKkt *k); // 1: rows depend on each other, or might
// values, factorization and what later ones depend on; makes what the kept one had made on demand
void hol_kkt_keep(HolKkt *k, struct HolKeeper *w);

// Rank of the m x n matrix G (pattern by rows, values val) scaled by rows, found block by block of
// the connected components (loops) by pivoted QR. dependent[i] = 1 for rows that depend on others;
// for those, the rows they depend on (|coefficient| > 1e-6) are listed: on[on_ptr[i]..on_ptr[i+1]).
// Only of the first `most` dependent rows: combinations of large mechanisms are long. Uses the arena
// for scratch. Returns the rank, or -1 without memory.
HOL_TOOLS int hol_rank_rows(HolArena *arena, const HolPattern *G, const double *val, double tol,
                            int most, unsigned char *dependent, int **on_ptr, int **on);

#endif
