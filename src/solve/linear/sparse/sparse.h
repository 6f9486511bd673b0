// SPDX-License-Identifier: Apache-2.0
// The linearization as operators, for models too large for dense matrices; private to solve/linear.
// Holonomic rows, no algebraic variables, transport axes.
#ifndef HOL_SOLVE_LINEAR_SPARSE_H
#define HOL_SOLVE_LINEAR_SPARSE_H

#include "solve/linear/linear.h"

typedef struct HolSparse {
    HolSim *s; // s->mass is factored at the state
    const HolState *x;
    HolArena *arena;
    int n, m, dof;
    double *M, *C, *K;   // values in pattern S
    HolPattern H;        // of Hd, by rows
    double *Hd, *Gdot;   // values in H, in pattern G; NULL at rest
    double *b, *t1, *t2; // n + m each
    double *t3, *pair;   // n, 2 n
    int moving, conservative;
    double scale;  // [1/s] velocities are measured by it
    HolKkt *shift; // [K + sigma C + sigma^2 M  G^T; G 0]; NULL: none yet
    double sigma;
    // vectors taken out of the symmetric operator, n each, with their eigenvalues
    const double *known, *known_value;
    int n_known;
    long solves;
} HolSparse;

// Matrices at x; sizes, dof, `scale`. The workspace comes from the arena.
HolStatus hol_sparse_open(HolSim *s, const HolState *x, HolArena *arena, HolSparse *out,
                          HolError *err);
void hol_sparse_close(HolSparse *o);
// a random vector of the tangent space, different for each seed
void hol_sparse_start(HolSparse *o, unsigned seed, double *x);
// y (n) = the part of M^-1 r (n) in the tangent space; y may be r
void hol_sparse_project(HolSparse *o, const double *r, double *y);
// y = A x of one of the matrices in pattern S
void hol_sparse_multiply(const HolSparse *o, const double *A, const double *x, double *y);
double hol_sparse_product(HolSparse *o, const double *x, const double *y); // x^T M y
// out = (d', z') of (d, z), 2 n each
void hol_sparse_first_order(HolSparse *o, const double *x, double *out);
// u = z + X d in place of z, t1 lost
void hol_sparse_velocity(HolSparse *o, const double *d, double *z);
// factor with the shift; at rest only. 0: singular
int hol_sparse_shift(HolSparse *o, double sigma);

// Hd and its pattern, see sparse_rates.c. 0: no memory
int hol_sparse_rate_jacobian(HolSparse *o);

// ---- operators for math/arpack.h; `user` is a HolSparse ----
void hol_sparse_weigh(void *user, const double *x, double *y); // M x
void hol_sparse_apply_largest(void *user, const double *x,
                              double *y); // projected M^-1 K, less `known`
void hol_sparse_apply_lowest(void *user, const double *x,
                             double *y); // (K + sigma^2 M)^-1 M, less `known`
// in scaled unknowns, y_i = (scale d_i, z_i) / size of i
void hol_sparse_apply_first(void *user, const double *x, double *y);
void hol_sparse_apply_inverse(void *user, const double *x, double *y); // (A - sigma)^-1
void hol_sparse_unscale(const HolSparse *o, const double *x, double *d, double *z);

#endif
