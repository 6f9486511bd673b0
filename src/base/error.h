// SPDX-License-Identifier: Apache-2.0
// Filling HolError: one problem a line, counted; err may be NULL everywhere.
#ifndef HOL_BASE_ERROR_H
#define HOL_BASE_ERROR_H

#include "base/visibility.h"
#include "holonom/holonom.h"

HOL_TOOLS void hol_error_clear(HolError *err);
// set (replace) the message; returns status, so that `return hol_error_set(...)` reads well
HOL_TOOLS HolStatus hol_error_set(HolError *err, HolStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// add one more problem "file:line:column: error: text"; file NULL and line 0 leave that part out
HOL_TOOLS HolStatus hol_error_add(HolError *err, HolStatus status, const char *file, int line,
                                  int column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
