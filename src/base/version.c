// SPDX-License-Identifier: Apache-2.0
// The version and what this build contains, as one line.
#include "holonom/holonom.h"

#ifdef HOL_HAVE_HDF5
#define WITH_HDF5 ", HDF5"
#else
#define WITH_HDF5 ""
#endif
#ifdef HOL_HAVE_SUNDIALS
#define WITH_SUNDIALS ", SUNDIALS"
#else
#define WITH_SUNDIALS ""
#endif
#ifdef HOL_HAVE_ARPACK
#define WITH_ARPACK ", ARPACK"
#else
#define WITH_ARPACK ""
#endif

const char *hol_version(void) {
    return "holonom " HOL_VERSION_TEXT " (LAPACK, KLU, libyaml" WITH_HDF5 WITH_SUNDIALS WITH_ARPACK
           ")";
}
