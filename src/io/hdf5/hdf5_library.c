// SPDX-License-Identifier: Apache-2.0
// The table of HDF5 (hdf5_library.h).
#include "io/hdf5/hdf5_library.h"

#ifdef HOL_HAVE_HDF5
#ifdef HOL_HDF5_FILE

#include <pthread.h>

// filled once, then only read
static pthread_once_t hdf5_library_once = PTHREAD_ONCE_INIT;
static HolHdf5Library hdf5_library_table;
static int hdf5_library_loaded;

static void hdf5_library_fill(void) {
    static const char *const names[] = {HOL_HDF5_FUNCTIONS(HOL_LIBRARY_NAME)};
    hdf5_library_loaded =
        hol_library_load(HOL_HDF5_FILE, names, sizeof names / sizeof *names, &hdf5_library_table);
}

const HolHdf5Library *hol_hdf5(void) {
    pthread_once(&hdf5_library_once, hdf5_library_fill);
    return &hdf5_library_table;
}

HolStatus hol_hdf5_ready(HolError *err) {
    (void)hol_hdf5();
    return hdf5_library_loaded ? HOL_OK
                               : hol_library_missing(HOL_HDF5_FILE, "HDF5 results need", err);
}

#else

HolStatus hol_hdf5_ready(HolError *err) {
    (void)err;
    return HOL_OK;
}

#endif
#else

typedef int HolHdf5LibraryNotBuilt;

#endif
