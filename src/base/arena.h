// SPDX-License-Identifier: Apache-2.0
// Arena: the only allocator of the library. Memory is carved from growing blocks and freed at once.
#ifndef HOL_BASE_ARENA_H
#define HOL_BASE_ARENA_H

#include "base/visibility.h"

#include <stddef.h>

typedef struct HolArena {
    struct HolArenaBlock *block; // newest block
    size_t total;                // bytes handed out
    int failed;                  // 1 after an allocation failed: later calls return NULL too
    char *text;                  // where the next short text goes
    size_t text_left;            // bytes there
} HolArena;

// zeroed memory, 64-byte aligned; NULL on failure (then a->failed is set)
HOL_TOOLS void *hol_arena_alloc(HolArena *a, size_t bytes);
// room for `count` things of `size` bytes; NULL also when that is more than any memory
HOL_TOOLS void *hol_arena_array(HolArena *a, size_t size, size_t count);
HOL_TOOLS char *hol_arena_text(HolArena *a, const char *text); // copy of a string (NULL stays NULL)
HOL_TOOLS char *hol_arena_text_n(HolArena *a, const char *text, size_t length);
HOL_TOOLS void hol_arena_free(HolArena *a); // frees all blocks
long hol_arena_count(void);                 // allocations from the system so far (test instrument)
void hol_arena_fail_after(long n); // test instrument: n-th next system allocation fails; -1 = never

#define HOL_NEW(arena, type, count)                                                                \
    ((type *)hol_arena_array((arena), sizeof(type), (size_t)(count)))

// growing array inside an arena: doubles capacity, old copies stay in the arena
#define HOL_GROW(arena, array, n, capacity)                                                        \
    hol_arena_grow((arena), (void **)&(array), sizeof *(array), (n), &(capacity))
HOL_TOOLS int hol_arena_grow(HolArena *a, void **array, size_t size, int n,
                             int *capacity); // 1 = ok

#endif
