// SPDX-License-Identifier: Apache-2.0
// Dense factorizations, see dense.h.
#include "math/dense.h"
#include "math/lapack_library.h"

#include <math.h>

// below this size the own loops beat the library (measured by bench_kkt)
enum { SMALL = 40 };

// right-looking elimination, columns contiguous
static int small_lu(int n, double *restrict a, int *restrict pivot) {
    for (int k = 0; k < n; k++) {
        double *ck = a + (long)k * n;
        int p = k;
        double size = fabs(ck[k]);
        for (int i = k + 1; i < n; i++)
            if (fabs(ck[i]) > size) {
                size = fabs(ck[i]);
                p = i;
            }
        pivot[k] = p;
        if (!(size > 0) || !isfinite(size))
            return k + 1;
        if (p != k)
            for (int j = 0; j < n; j++) {
                double swap = a[(long)j * n + k];
                a[(long)j * n + k] = a[(long)j * n + p];
                a[(long)j * n + p] = swap;
            }
        double inverse = 1.0 / ck[k];
        for (int i = k + 1; i < n; i++)
            ck[i] *= inverse;
        for (int j = k + 1; j < n; j++) {
            double *restrict cj = a + (long)j * n;
            double f = cj[k];
            if (f != 0.0) // saddle-point matrices are half empty
                for (int i = k + 1; i < n; i++)
                    cj[i] -= f * ck[i];
        }
    }
    return 0;
}

int hol_dense_lu(int n, double *a, int *pivot) {
    if (n <= SMALL)
        return small_lu(n, a, pivot);
    int status = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    for (int k = 0; k < n; k++) {
        pivot[k]--;
        if (status == 0 && !isfinite(a[(long)k * n + k]))
            status = k + 1;
    }
    return status < 0 ? 1 : status;
}

void hol_dense_lu_solve(int n, const double *a, const int *pivot, double *x) {
    for (int k = 0; k < n; k++) {
        double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
    for (int k = 0; k < n; k++) {
        const double *c = a + (long)k * n;
        double f = x[k];
        if (f != 0.0)
            for (int i = k + 1; i < n; i++)
                x[i] -= f * c[i];
    }
    hol_dense_upper_solve(n, n, a, x);
}

int hol_dense_qr_work(int cols) {
    return 32 * (cols + 1) + 3 * cols + 64;
}

int hol_dense_qr(int rows, int cols, double *a, int *order, double *work) {
    int length = hol_dense_qr_work(cols) - cols;
    for (int j = 0; j < cols; j++)
        order[j] = 0; // every column is free to move
    int status = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, rows, cols, a, rows, order, work,
                                     work + cols, length);
    for (int j = 0; j < cols; j++)
        order[j]--;
    return status;
}

void hol_dense_upper_solve(int rows, int k, const double *a, double *x) {
    for (int j = k - 1; j >= 0; j--) {
        const double *c = a + (long)j * rows;
        double f = x[j] /= c[j];
        if (f != 0.0)
            for (int i = 0; i < j; i++)
                x[i] -= f * c[i];
    }
}
