// SPDX-License-Identifier: Apache-2.0
// A few eigenvalues of large operators, by ARPACK in reverse communication (implicitly restarted Lanczos and
// Arnoldi). The operator is a function; vectors that it keeps in a subspace stay there.
// ARPACK keeps the state of an iteration in variables of its own: calls from several threads take turns.
#ifndef HOL_MATH_ARPACK_H
#define HOL_MATH_ARPACK_H

#include "base/arena.h"

typedef struct HolEigenProblem {
    int n, wanted,
        vectors;      // unknowns; eigenvalues wanted; vectors kept, wanted + 2 .. size of the space
    double tolerance; // of a residual, relative to its eigenvalue
    int most;         // restarts at most
    int size;         // symmetric: 1: those of largest size, 0: the algebraically largest
    double *start;    // n: a vector of the space, overwritten
    void (*apply)(void *user, const double *x, double *y);
    // symmetric: y = B x, the operator is selfadjoint in x^T B y
    void (*weigh)(void *user, const double *x, double *y);
    void *user;
} HolEigenProblem;

enum { HOL_EIGEN_MISSING = -1, HOL_EIGEN_MEMORY = -2, HOL_EIGEN_FAILED = -3 };

// Selfadjoint: the largest eigenvalues, ascending, vectors (n x wanted) with x^T B x = 1.
// How many converged, or a failure.
int hol_eigen_symmetric(const HolEigenProblem *p, HolArena *arena, double *value, double *vector);
// General: those of largest size. re, im: wanted + 1; vector: n x (wanted + 1), as LAPACK stores pairs
int hol_eigen_general(const HolEigenProblem *p, HolArena *arena, double *re, double *im,
                      double *vector);

#endif
