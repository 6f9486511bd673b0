// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues of small dense matrices (LAPACK), for analyses, not for steps.
#include "math/dense.h"

#include <lapacke.h>
#include <math.h>

int hol_dense_svd(int rows, int cols, double *a, double *s, double *u, double *vt) {
    double superb[128];
    const int least = rows < cols ? rows : cols;
    if (least > 128)
        return -1;
    return LAPACKE_dgesvd(LAPACK_COL_MAJOR, u ? 'A' : 'N', vt ? 'A' : 'N', rows, cols, a, rows, s,
                          u, rows, vt, cols, superb);
}

int hol_dense_eigenvalues(int n, double *a, double *re, double *im) {
    return LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, a, n, re, im, NULL, n, NULL, n);
}

int hol_dense_symmetric(int n, double *a, double *values) {
    return n > 0 ? LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', n, a, n, values) : 0;
}
