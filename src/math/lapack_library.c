// SPDX-License-Identifier: Apache-2.0
// The table of LAPACK and BLAS (lapack_library.h).
#include "math/lapack_library.h"

#ifdef HOL_LAPACK_FILE

#include <pthread.h>

// filled once, then only read
static pthread_once_t lapack_library_once = PTHREAD_ONCE_INIT;
static HolLapackLibrary lapack_library_table;
static int lapack_library_loaded;

static void lapack_library_fill(void) {
    static const char *const names[] = {HOL_LAPACK_FUNCTIONS(HOL_LIBRARY_NAME)};
    lapack_library_loaded = hol_library_load(HOL_LAPACK_FILE, names, sizeof names / sizeof *names,
                                             &lapack_library_table);
}

const HolLapackLibrary *hol_lapack(void) {
    pthread_once(&lapack_library_once, lapack_library_fill);
    return &lapack_library_table;
}

HolStatus hol_lapack_ready(HolError *err) {
    (void)hol_lapack();
    return lapack_library_loaded
               ? HOL_OK
               : hol_library_missing(HOL_LAPACK_FILE, "linear algebra needs", err);
}

#else

HolStatus hol_lapack_ready(HolError *err) {
    (void)err;
    return HOL_OK;
}

#endif
