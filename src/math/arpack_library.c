// SPDX-License-Identifier: Apache-2.0
// The table of ARPACK (arpack_library.h).
#include "math/arpack_library.h"

#ifdef HOL_HAVE_ARPACK
#ifdef HOL_ARPACK_FILE

#include <pthread.h>

// filled once, then only read
static pthread_once_t arpack_library_once = PTHREAD_ONCE_INIT;
static HolArpackLibrary arpack_library_table;
static int arpack_library_loaded;

static void arpack_library_fill(void) {
    static const char *const names[] = {HOL_ARPACK_FUNCTIONS(HOL_LIBRARY_NAME)};
    arpack_library_loaded = hol_library_load(HOL_ARPACK_FILE, names, sizeof names / sizeof *names,
                                             &arpack_library_table);
}

const HolArpackLibrary *hol_arpack(void) {
    pthread_once(&arpack_library_once, arpack_library_fill);
    return &arpack_library_table;
}

HolStatus hol_arpack_ready(HolError *err) {
    (void)hol_arpack();
    return arpack_library_loaded
               ? HOL_OK
               : hol_library_missing(HOL_ARPACK_FILE, "modes of large models need", err);
}

#else

HolStatus hol_arpack_ready(HolError *err) {
    (void)err;
    return HOL_OK;
}

#endif
#else

typedef int HolArpackLibraryNotBuilt;

#endif
