// SPDX-License-Identifier: Apache-2.0
// Shared libraries that are loaded when they are used first. Linking them would make every start
// load them and all they stand on: HDF5 brings 30 others (13 ms together), and most commands need
// none of them. A header NAME_library.h lists the functions in a macro; from the list follow a
// table of pointers of the right types and the names to look up. The table is filled once, by
// whoever comes first, and never changes again.
//
//     #define HOL_THING_FUNCTIONS(F) F(thing_open) F(thing_close)
//     typedef struct HolThing { HOL_THING_FUNCTIONS(HOL_LIBRARY_POINTER) } HolThing;
//     const HolThing *hol_thing(void);
//     #define thing_open(...) hol_thing()->thing_open(__VA_ARGS__)
//
// Without the definition HOL_THING_FILE the library is linked and these headers do nothing.
#ifndef HOL_LIBRARY_H
#define HOL_LIBRARY_H

#include "base/error.h"
#include "base/visibility.h"

#define HOL_LIBRARY_POINTER(name) __typeof__(name) *name;
#define HOL_LIBRARY_NAME(name) #name,

// The addresses of `count` symbols of a library, in their order, to a table of pointers. The
// library stays loaded. 0: it, or one of them, is not there; then the table is left as it is.
HOL_TOOLS int hol_library_load(const char *file, const char *const *symbols, size_t count,
                               void *table);
// HOL_ERR_UNSUPPORTED: "cannot load FILE, which WHAT needs: REASON"
HOL_TOOLS HolStatus hol_library_missing(const char *file, const char *what, HolError *err);

#endif
