// SPDX-License-Identifier: Apache-2.0
// What every call answers: status, and the message of a failure.
#ifndef HOLONOM_ERROR_H
#define HOLONOM_ERROR_H

#include <stddef.h>

#if defined(__GNUC__)
#define HOL_API __attribute__((visibility("default")))
#else
#define HOL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Structs that may grow. Definitions and options (HolBodyDef, HolSimOptions ..) begin with `size`.
// Make them by their default function, which sets it: {0} is refused. New members come at the end,
// and the library takes `size` bytes and its own defaults for the rest, so a program that was
// compiled with an older header goes on working with a newer library. The functions that make or
// fill such a struct are inline and call the library's function NAME_sized with sizeof: use that
// one from other languages. Structs without `size` (HolError, HolRef, HolColumn, those inside of
// others ..) keep their layout.
//
// Threads: no function keeps state of its own. Two threads may use the library at once when they
// do not share what one of them writes: a HolModel that is not compiled, a HolSim, a writer. See
// model.h and sim.h.
// ---------------------------------------------------------------------------------------------

// ---------------------------------------------------------------------------------------------
// Status and errors
// ---------------------------------------------------------------------------------------------

/// Zero is success, positive a good stop, negative an error.
#define HOL_STATUS_LIST(X)                                                                         \
    X(HOL_OK, 0, "success")                                                                        \
    X(HOL_INTERRUPTED, 1, "stopped on request")                                                    \
    X(HOL_EVENT, 2, "stopped at an event")                                                         \
    X(HOL_INACCURATE, 3, "the accuracy asked for was not reached")                                 \
    X(HOL_ERR_INPUT, -1, "model or option not valid")                                              \
    X(HOL_ERR_MEMORY, -2, "out of memory")                                                         \
    X(HOL_ERR_SINGULAR, -3, "singular equations")                                                  \
    X(HOL_ERR_CONVERGE, -4, "no convergence")                                                      \
    X(HOL_ERR_STEP, -5, "step size too small")                                                     \
    X(HOL_ERR_ASSEMBLY, -6, "the mechanism cannot be assembled")                                   \
    X(HOL_ERR_FILE, -7, "a file could not be read or written")                                     \
    X(HOL_ERR_UNSUPPORTED, -8, "not supported by this method or build")

typedef enum HolStatus {
#define HOL_STATUS_ENUM(name, value, text) name = value,
    HOL_STATUS_LIST(HOL_STATUS_ENUM)
#undef HOL_STATUS_ENUM
} HolStatus;

/// Filled by every fallible call (may be NULL), and cleared by it first: after success it is empty
/// whatever it held before, so it needs no initial value. `text` holds one line a problem; bad input reads
/// "file:line:column: error: ...", so that editors can jump to it.
typedef struct HolError {
    HolStatus status;
    int problems;     ///< number of problems found (text may hold fewer)
    int line, column; ///< of the first problem, 0 when there is no source text
    double time;      ///< simulation time of a numerical failure
    char text[8192];
} HolError;

HOL_API const char *hol_status_text(HolStatus status);
HOL_API const char *hol_version(void); ///< version and what the build contains, one line

#ifdef __cplusplus
}
#endif
#endif
