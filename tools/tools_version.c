// SPDX-License-Identifier: Apache-2.0
// The version of the tools and what this build of them contains, as one line.
#include "holonom/tools.h"

#if defined HOL_HAVE_CAIRO && defined HOL_HAVE_MICROHTTPD
#define WITH " (cairo, libmicrohttpd)"
#elif defined HOL_HAVE_CAIRO
#define WITH " (cairo)"
#elif defined HOL_HAVE_MICROHTTPD
#define WITH " (libmicrohttpd)"
#else
#define WITH ""
#endif

const char *hol_tools_version(void) {
    return "tools " HOL_VERSION_TEXT WITH;
}
