// SPDX-License-Identifier: Apache-2.0
// The table of LAPACK and BLAS (lapack_library.h).
//
// OpenBLAS maps 128 MB of addresses at its first operation, and where there are none it tries again for
// ever. So these are asked of the system before it is loaded, and then claimed by a first operation.
#include "math/lapack_library.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { ROOM = 192 << 20 }; // [bytes] the library itself, and what it maps

static atomic_int lapack_library_claimed; // that operation has been done

static int lapack_library_room(void) {
    void *p = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 0;
    munmap(p, ROOM);
    return 1;
}

static void lapack_library_claim(void) {
    const double one = 1;
    double x = 1;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, 1, 1, 1, &one, 1,
                &x, 1);
    atomic_store(&lapack_library_claimed, 1);
}

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

static int lapack_library_there(void) {
    (void)hol_lapack();
    return lapack_library_loaded;
}

#else
#define HOL_LAPACK_FILE "LAPACK"

static int lapack_library_there(void) {
    return 1;
}

#endif

HolStatus hol_lapack_ready(HolError *err) {
    if (atomic_load(&lapack_library_claimed))
        return HOL_OK;
    if (!lapack_library_room())
        return hol_error_set(err, HOL_ERR_MEMORY,
                             "out of memory: linear algebra needs %d MB of addresses", ROOM >> 20);
    if (!lapack_library_there())
        return hol_library_missing(HOL_LAPACK_FILE, "linear algebra needs", err);
    lapack_library_claim();
    return HOL_OK;
}
