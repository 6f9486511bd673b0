// SPDX-License-Identifier: Apache-2.0
// LAPACK and BLAS, loaded when a dense matrix is factored first (base/library/library.h).
#ifndef HOL_LAPACK_LIBRARY_H
#define HOL_LAPACK_LIBRARY_H

#include "base/library/library.h"

#include <cblas.h>
#include <lapacke.h>

// HOL_ERR_UNSUPPORTED when it cannot be loaded; to be asked before anything else
HolStatus hol_lapack_ready(HolError *err);

#ifdef HOL_LAPACK_FILE

// clang-format off
#define HOL_LAPACK_FUNCTIONS(F) \
    F(LAPACKE_dgecon) F(LAPACKE_dgeev) F(LAPACKE_dgelsy) F(LAPACKE_dgeqp3) \
    F(LAPACKE_dgeqp3_work) F(LAPACKE_dgesvd) F(LAPACKE_dgetrf) F(LAPACKE_dgetrf_work) \
    F(LAPACKE_dgetrs) F(LAPACKE_dlange) F(LAPACKE_dorgqr) F(LAPACKE_dposv) \
    F(LAPACKE_dsygvd) F(cblas_dgemm) F(cblas_dtrsm)
// clang-format on

typedef struct HolLapackLibrary {
    HOL_LAPACK_FUNCTIONS(HOL_LIBRARY_POINTER)
} HolLapackLibrary;

const HolLapackLibrary *hol_lapack(void);

#define LAPACKE_dgecon(...) hol_lapack()->LAPACKE_dgecon(__VA_ARGS__)
#define LAPACKE_dgeev(...) hol_lapack()->LAPACKE_dgeev(__VA_ARGS__)
#define LAPACKE_dgelsy(...) hol_lapack()->LAPACKE_dgelsy(__VA_ARGS__)
#define LAPACKE_dgeqp3(...) hol_lapack()->LAPACKE_dgeqp3(__VA_ARGS__)
#define LAPACKE_dgeqp3_work(...) hol_lapack()->LAPACKE_dgeqp3_work(__VA_ARGS__)
#define LAPACKE_dgesvd(...) hol_lapack()->LAPACKE_dgesvd(__VA_ARGS__)
#define LAPACKE_dgetrf(...) hol_lapack()->LAPACKE_dgetrf(__VA_ARGS__)
#define LAPACKE_dgetrf_work(...) hol_lapack()->LAPACKE_dgetrf_work(__VA_ARGS__)
#define LAPACKE_dgetrs(...) hol_lapack()->LAPACKE_dgetrs(__VA_ARGS__)
#define LAPACKE_dlange(...) hol_lapack()->LAPACKE_dlange(__VA_ARGS__)
#define LAPACKE_dorgqr(...) hol_lapack()->LAPACKE_dorgqr(__VA_ARGS__)
#define LAPACKE_dposv(...) hol_lapack()->LAPACKE_dposv(__VA_ARGS__)
#define LAPACKE_dsygvd(...) hol_lapack()->LAPACKE_dsygvd(__VA_ARGS__)
#define cblas_dgemm(...) hol_lapack()->cblas_dgemm(__VA_ARGS__)
#define cblas_dtrsm(...) hol_lapack()->cblas_dtrsm(__VA_ARGS__)

#endif
#endif
