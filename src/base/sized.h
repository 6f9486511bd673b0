// SPDX-License-Identifier: Apache-2.0
// Public structs that may grow. Their first member, `size`, is the size that the calling program
// was compiled with; members are only ever added at the end.
#ifndef HOL_BASE_SIZED_H
#define HOL_BASE_SIZED_H

#include "base/visibility.h"
#include "holonom/error.h"

// What a program gives: `to` is the library's struct (of `size` bytes) with its defaults, over
// which comes as much as `from` has. Size 0 or more than the library knows is refused; `maker`
// names the function that sets it ("hol_joint_def").
HOL_TOOLS HolStatus hol_sized_take(void *to, size_t size, const void *from, const char *maker,
                                   HolError *err);
// What a program gets: at most `room` bytes of `from`, the library's struct; the rest is zero.
HOL_TOOLS void hol_sized_give(void *to, size_t room, const void *from, size_t size);
// The same with `size` as its first member, set to what was filled.
HOL_TOOLS void hol_sized_make(void *to, size_t room, const void *from, size_t size);

#endif
