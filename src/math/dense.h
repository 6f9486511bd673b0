// SPDX-License-Identifier: Apache-2.0
// Dense factorizations, column-major: LAPACK, and own kernels where its call overhead would
// dominate.
#ifndef HOL_MATH_DENSE_H
#define HOL_MATH_DENSE_H

#include "base/visibility.h"

// what functions of LAPACK return that found no memory (or less)
enum { HOL_LAPACK_MEMORY = -1010 };
// Operations of this thread so far that found no memory. Analyses go on without an operation that did not
// converge; they look here at their end, for that one would be no result.
long hol_dense_no_memory(void);
int hol_dense_code(int code); // what LAPACK returned, as it is, and counted

// LU with partial pivoting in place; pivot[n] rows swapped as in LAPACK but counted from 0.
// Returns 0, or 1 + index of the first zero (or not finite) pivot.
HOL_TOOLS int hol_dense_lu(int n, double *a, int *pivot);
// in place, one right-hand side
HOL_TOOLS void hol_dense_lu_solve(int n, const double *a, const int *pivot, double *x);

// QR with column pivoting in place, a is rows x cols: R in the upper triangle, order[k] = original
// column at place k. work has hol_dense_qr_work(cols) entries. Returns 0 or the LAPACK code.
int hol_dense_qr(int rows, int cols, double *a, int *order, double *work);
int hol_dense_qr_work(int cols);
// x := R^-1 x for the leading k x k part of a (leading dimension rows)
void hol_dense_upper_solve(int rows, int k, const double *a, double *x);

// Singular values s (descending) of a (rows x cols, at most 128 of them; overwritten), u (rows x
// rows) and vt (cols x cols) where not NULL. Returns 0 or the LAPACK code. Allocates.
HOL_TOOLS int hol_dense_svd(int rows, int cols, double *a, double *s, double *u, double *vt);
// eigenvalues of a (n x n, overwritten). Returns 0 or the LAPACK code. Allocates.
HOL_TOOLS int hol_dense_eigenvalues(int n, double *a, double *re, double *im);
// the same with eigenvectors by columns; those of a conjugate pair are re, im of the first
int hol_dense_eigenvectors(int n, double *a, double *re, double *im, double *vectors);
// K x = w M x, K symmetric, M symmetric positive definite, both overwritten: w ascending, the vectors
// (x^T M x = 1) in K. Returns 0, or > n when M is not positive definite. Allocates.
HOL_TOOLS int hol_dense_symmetric_pair(int n, double *K, double *M, double *w);
// out (r x c) = op(A) B with A (r x k), or its transpose (k x r) where `transposed`
HOL_TOOLS void hol_dense_multiply(int r, int k, int c, const double *A, int transposed,
                                  const double *B, double *out);
// M X = B in place for c right-hand sides, M symmetric positive definite (overwritten). 0: done
HOL_TOOLS int hol_dense_positive_solve(int n, int c, double *M, double *B);
// Least-norm least-squares solution of A X = B, A (rows x cols, overwritten), B and X in place with
// leading dimension `ld` >= rows, cols; singular below `part` of the largest. 0: done. Allocates.
int hol_dense_least_squares(int rows, int cols, int c, double *A, double *B, int ld, double part,
                            int *pivot /* cols */);
// Null space of the transpose of a (n x m, overwritten): a P = Q R, R in its upper triangle, Q (n x n),
// order[k] = the column at place k. The rank counts pivots above `part` of the largest; columns
// rank .. n-1 of Q span the space. Returns the rank or -1. Allocates.
int hol_dense_null_space(int n, int m, double *a, double part, double *Q, int *order,
                         double *tau /* n */);
// solves R11^T z = y for c right-hand sides in place, R11 the leading k x k part of a
void hol_dense_upper_transposed_solve(int ld, int k, int c, const double *a, double *y, int ldy);

#endif
