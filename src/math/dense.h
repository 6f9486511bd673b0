// SPDX-License-Identifier: Apache-2.0
// Dense factorizations, column-major: LAPACK, and own kernels where its call overhead would
// dominate.
#ifndef HOL_MATH_DENSE_H
#define HOL_MATH_DENSE_H

#include "base/visibility.h"

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
// the same of a symmetric matrix, ascending; a becomes the orthonormal eigenvectors, by columns
int hol_dense_symmetric(int n, double *a, double *values);

#endif
