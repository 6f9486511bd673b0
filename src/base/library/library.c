// SPDX-License-Identifier: Apache-2.0
// Loading shared libraries late (library.h). A program that links the library itself may hold copies
// of its variables: then they count, and not those inside the library.
#define _GNU_SOURCE // RTLD_DEFAULT
#include "base/library/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

// a library with all that it needs fits into so many bytes
static const size_t LIBRARY_ROOM = (size_t)64 << 20;

// The loader says that it cannot map a library, but not why (permission, memory).
static int library_no_memory(const char *reason) {
    if (!reason || !(strstr(reason, " map ") || strstr(reason, "allocate memory")))
        return 0;
    void *room = mmap(NULL, LIBRARY_ROOM, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return 1;
    munmap(room, LIBRARY_ROOM);
    return strstr(reason, "allocate memory") != NULL;
}

static void *library_symbol(void *library, int linked, const char *name) {
    void *address = linked ? dlsym(RTLD_DEFAULT, name) : NULL;
    return address ? address : dlsym(library, name);
}

int hol_library_load(const char *file, const char *const *symbols, size_t count, void *table) {
    errno = 0;
    const int linked = dlopen(file, RTLD_LAZY | RTLD_NOLOAD) != NULL;
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!library_symbol(library, linked, symbols[i]))
            return 0;
    for (size_t i = 0; i < count; i++) {
        void *address = library_symbol(library, linked, symbols[i]);
        memcpy((char *)table + i * sizeof address, &address, sizeof address);
    }
    return 1;
}

HolStatus hol_library_missing(const char *file, const char *what, HolError *err) {
    const int no_memory = errno == ENOMEM;
    const char *reason = dlopen(file, RTLD_LAZY | RTLD_LOCAL) ? NULL : dlerror();
    if (no_memory || library_no_memory(reason)) // it was not for want of the library
        return hol_error_set(err, HOL_ERR_MEMORY, "cannot load %s, which %s: out of memory", file,
                             what);
    return hol_error_set(err, HOL_ERR_UNSUPPORTED, "cannot load %s, which %s: %s", file, what,
                         reason ? reason : "it is another version than this program was built for");
}
