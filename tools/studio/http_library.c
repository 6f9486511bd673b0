// SPDX-License-Identifier: Apache-2.0
// The table of libmicrohttpd (http_library.h).
#include "tools/studio/http_library.h"

#ifdef HOL_HAVE_MICROHTTPD
#ifdef HOL_MICROHTTPD_FILE

#include <pthread.h>

// filled once, then only read
static pthread_once_t microhttpd_library_once = PTHREAD_ONCE_INIT;
static HolMicrohttpdLibrary microhttpd_library_table;
static int microhttpd_library_loaded;

static void microhttpd_library_fill(void) {
    static const char *const names[] = {HOL_MICROHTTPD_FUNCTIONS(HOL_LIBRARY_NAME)};
    microhttpd_library_loaded = hol_library_load(
        HOL_MICROHTTPD_FILE, names, sizeof names / sizeof *names, &microhttpd_library_table);
}

const HolMicrohttpdLibrary *hol_microhttpd(void) {
    pthread_once(&microhttpd_library_once, microhttpd_library_fill);
    return &microhttpd_library_table;
}

HolStatus hol_microhttpd_ready(HolError *err) {
    (void)hol_microhttpd();
    return microhttpd_library_loaded
               ? HOL_OK
               : hol_library_missing(HOL_MICROHTTPD_FILE, "the studio needs", err);
}

#else

HolStatus hol_microhttpd_ready(HolError *err) {
    (void)err;
    return HOL_OK;
}

#endif
#else

typedef int HolMicrohttpdLibraryNotBuilt;

#endif
