// SPDX-License-Identifier: Apache-2.0
// Public structs that may grow. Their first member, `size`, is the size that the calling program
// was compiled with; members are only ever added at the end.
#ifndef HOL_BASE_SIZED_H
#define HOL_BASE_SIZED_H

#include "base/error.h"

#include <string.h>

// What a program gives: `to` is the library's struct (of `size` bytes) with its defaults, over
// which comes as much as `from` has. Size 0 or more than the library knows is refused; `maker`
// names the function that sets it ("hol_joint_def").
static inline HolStatus hol_sized_take(void *to, size_t size, const void *from, const char *maker,
                                       HolError *err) {
    size_t given = 0;
    if (!from)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "nothing is given: NULL in place of what %s() makes", maker);
    memcpy(&given, from, sizeof given);
    if (given < sizeof given)
        return hol_error_set(err, HOL_ERR_INPUT, "its size is not set: was it made by %s()?",
                             maker);
    if (given > size)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "its size is %zu, and this library knows %zu bytes: was it made by "
                             "%s(), and is the program newer than the library?",
                             given, size, maker);
    memcpy(to, from, given);
    memcpy(to, &size, sizeof size);
    return HOL_OK;
}

// What a program gets: at most `room` bytes of `from`, the library's struct; the rest is zero.
static inline void hol_sized_give(void *to, size_t room, const void *from, size_t size) {
    memset(to, 0, room);
    memcpy(to, from, room < size ? room : size);
}

// The same with `size` as its first member, set to what was filled.
static inline void hol_sized_make(void *to, size_t room, const void *from, size_t size) {
    const size_t filled = room < size ? room : size;
    hol_sized_give(to, room, from, size);
    memcpy(to, &filled, sizeof filled);
}

#endif
