// SPDX-License-Identifier: Apache-2.0
// Work in a process of its own, for libraries that do not survive a lack of memory or a hostile
// file: what ends them ends the child, and the caller reports an error. Both sides talk over a
// pair of sockets; the child ends when the caller's side is closed, also by a kill.
#ifndef HOL_IO_APART_H
#define HOL_IO_APART_H

#include "base/visibility.h"

#include <stddef.h>

typedef struct HolApart {
    long pid;
    int fd; // the caller's side; -1: none
} HolApart;

// `work` runs in the child with the child's side; its return ends the child. `seconds`: processor
// time that it may take, 0: no limit. 0, or the system's reason why there is no child
HOL_TOOLS int hol_apart_start(HolApart *a, void (*work)(int fd, void *user), void *user,
                              int seconds);
// 1: all bytes went or came; 0: the other side is gone
HOL_TOOLS int hol_apart_send(int fd, const void *data, size_t size);
HOL_TOOLS int hol_apart_receive(int fd, void *data, size_t size);
// 1: something can be received without waiting
HOL_TOOLS int hol_apart_ready(int fd);
// waits for the child's end; 0: it ended by itself, else the signal that ended it, -1: else
HOL_TOOLS int hol_apart_end(HolApart *a);

#endif
