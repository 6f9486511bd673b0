// SPDX-License-Identifier: Apache-2.0
// The table of cairo (cairo_library.h).
#include "tools/plot/cairo_library.h"

#ifdef HOL_HAVE_CAIRO
#ifdef HOL_CAIRO_FILE

#include <pthread.h>

// filled once, then only read
static pthread_once_t cairo_library_once = PTHREAD_ONCE_INIT;
static HolCairoLibrary cairo_library_table;
static int cairo_library_loaded;

static void cairo_library_fill(void) {
    static const char *const names[] = {HOL_CAIRO_FUNCTIONS(HOL_LIBRARY_NAME)};
    cairo_library_loaded =
        hol_library_load(HOL_CAIRO_FILE, names, sizeof names / sizeof *names, &cairo_library_table);
}

const HolCairoLibrary *hol_cairo(void) {
    pthread_once(&cairo_library_once, cairo_library_fill);
    return &cairo_library_table;
}

HolStatus hol_cairo_ready(HolError *err) {
    (void)hol_cairo();
    return cairo_library_loaded ? HOL_OK
                                : hol_library_missing(HOL_CAIRO_FILE, "pictures need", err);
}

#else

HolStatus hol_cairo_ready(HolError *err) {
    (void)err;
    return HOL_OK;
}

#endif
#else

typedef int HolCairoLibraryNotBuilt;

#endif
