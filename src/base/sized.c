// SPDX-License-Identifier: Apache-2.0
// Structs of a program that is older or newer than the library; see sized.h.
#include "base/sized.h"
#include "base/error.h"

#include <string.h>

HolStatus hol_sized_take(void *to, size_t size, const void *from, const char *maker,
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

void hol_sized_give(void *to, size_t room, const void *from, size_t size) {
    memset(to, 0, room);
    memcpy(to, from, room < size ? room : size);
}

void hol_sized_make(void *to, size_t room, const void *from, size_t size) {
    const size_t filled = room < size ? room : size;
    hol_sized_give(to, room, from, size);
    memcpy(to, &filled, sizeof filled);
}
