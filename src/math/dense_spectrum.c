// SPDX-License-Identifier: Apache-2.0
// Spectra, null spaces and products of dense matrices (LAPACK, BLAS), for analyses, not for steps.
// OpenBLAS does not look whether it got the memory that it asks for (up to some 100 kB), so that it is
// asked for here before.
#include "math/dense.h"
#include "math/lapack_library.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

static _Thread_local long dense_no_memory;

long hol_dense_no_memory(void) {
    return dense_no_memory;
}

int hol_dense_code(int code) {
    dense_no_memory += code == HOL_LAPACK_MEMORY || code == HOL_LAPACK_MEMORY - 1;
    return code;
}

enum { BLAS_ROOM = 1 << 20 };

// 0: LAPACK may be called; else what it returns without memory
static int dense_room(void) {
    void *room = mmap(NULL, BLAS_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return hol_dense_code(HOL_LAPACK_MEMORY);
    munmap(room, BLAS_ROOM);
    return 0;
}

// without memory: by hand, so that there are numbers
static void dense_multiply_plain(int r, int k, int c, const double *A, int transposed,
                                 const double *B, double *out) {
    for (long j = 0; j < c; j++)
        for (long i = 0; i < r; i++) {
            double sum = 0;
            for (long l = 0; l < k; l++)
                sum += (transposed ? A[k * i + l] : A[r * l + i]) * B[k * j + l];
            out[r * j + i] = sum;
        }
}

int hol_dense_svd(int rows, int cols, double *a, double *s, double *u, double *vt) {
    double superb[128];
    const int least = rows < cols ? rows : cols;
    if (least > 128)
        return -1;
    const int room = dense_room();
    return room ? room
                : hol_dense_code(LAPACKE_dgesvd(LAPACK_COL_MAJOR, u ? 'A' : 'N', vt ? 'A' : 'N',
                                                rows, cols, a, rows, s, u, rows, vt, cols, superb));
}

int hol_dense_eigenvalues(int n, double *a, double *re, double *im) {
    const int room = dense_room();
    return room ? room
                : hol_dense_code(
                      LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, a, n, re, im, NULL, n, NULL, n));
}

int hol_dense_eigenvectors(int n, double *a, double *re, double *im, double *vectors) {
    const int room = dense_room();
    return room ? room
                : hol_dense_code(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', n, a, n, re, im, NULL, n,
                                               vectors, n));
}

int hol_dense_symmetric_pair(int n, double *K, double *M, double *w) {
    const int room = dense_room();
    return room ? room
           : n  ? hol_dense_code(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'U', n, K, n, M, n, w))
                : 0;
}

void hol_dense_multiply(int r, int k, int c, const double *A, int transposed, const double *B,
                        double *out) {
    if (r == 0 || c == 0)
        return;
    if (k == 0) {
        memset(out, 0, sizeof *out * (size_t)r * (size_t)c);
        return;
    }
    if (dense_room()) {
        dense_multiply_plain(r, k, c, A, transposed, B, out);
        return;
    }
    cblas_dgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, r, c, k, 1, A,
                transposed ? k : r, B, k, 0, out, r);
}

int hol_dense_positive_solve(int n, int c, double *M, double *B) {
    const int room = dense_room();
    return room ? room : n && c ? LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', n, c, M, n, B, n) : 0;
}

int hol_dense_least_squares(int rows, int cols, int c, double *A, double *B, int ld, double part,
                            int *pivot) {
    int rank;
    const int room = dense_room();
    memset(pivot, 0, sizeof *pivot * (size_t)cols);
    return room ? room
                : hol_dense_code(LAPACKE_dgelsy(LAPACK_COL_MAJOR, rows, cols, c, A, rows, B, ld,
                                                pivot, part, &rank));
}

int hol_dense_null_space(int n, int m, double *a, double part, double *Q, int *order, double *tau) {
    const int least = n < m ? n : m;
    int rank = 0;
    memset(order, 0, sizeof *order * (size_t)m);
    if (dense_room() ||
        (m && hol_dense_code(LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, m, a, n, order, tau))))
        rank = -1;
    for (int i = 0; i < m; i++)
        order[i]--;
    while (rank >= 0 && rank < least &&
           fabs(a[(size_t)n * (size_t)rank + (size_t)rank]) > part * fabs(a[0]))
        rank++;
    memset(Q, 0, sizeof *Q * (size_t)n * (size_t)n);
    for (int i = 0; i < n && (rank < 0 || !least); i++)
        Q[(size_t)n * (size_t)i + (size_t)i] = 1;
    if (rank >= 0 && least) {
        memcpy(Q, a, sizeof *Q * (size_t)n * (size_t)least);
        if (hol_dense_code(LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, n, least, Q, n, tau)))
            rank = -1;
    }
    return rank;
}

void hol_dense_upper_transposed_solve(int ld, int k, int c, const double *a, double *y, int ldy) {
    if (k && c)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, k, c, 1, a, ld,
                    y, ldy);
}
