// SPDX-License-Identifier: Apache-2.0
// ARPACK, loaded for modes of large models (base/library/library.h).
#ifndef HOL_ARPACK_LIBRARY_H
#define HOL_ARPACK_LIBRARY_H

#include "base/library/library.h"

#ifdef HOL_HAVE_ARPACK

#include <arpack.h>

// HOL_ERR_UNSUPPORTED when it cannot be loaded; to be asked before anything else
HolStatus hol_arpack_ready(HolError *err);

#ifdef HOL_ARPACK_FILE

// clang-format off
#define HOL_ARPACK_FUNCTIONS(F) \
    F(dnaupd_c) F(dneupd_c) F(dsaupd_c) F(dseupd_c)
// clang-format on

typedef struct HolArpackLibrary {
    HOL_ARPACK_FUNCTIONS(HOL_LIBRARY_POINTER)
} HolArpackLibrary;

const HolArpackLibrary *hol_arpack(void);

#define dnaupd_c(...) hol_arpack()->dnaupd_c(__VA_ARGS__)
#define dneupd_c(...) hol_arpack()->dneupd_c(__VA_ARGS__)
#define dsaupd_c(...) hol_arpack()->dsaupd_c(__VA_ARGS__)
#define dseupd_c(...) hol_arpack()->dseupd_c(__VA_ARGS__)

#endif
#endif
#endif
