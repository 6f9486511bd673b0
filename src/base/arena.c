// SPDX-License-Identifier: Apache-2.0
// Arena: one list of blocks an object; each block at least as large as all before it together
// (large ones a quarter of that), so the number of system allocations grows with the logarithm of
// the size.
#include "base/arena.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct HolArenaBlock {
    struct HolArenaBlock *next;
    size_t size, used;
} HolArenaBlock;

// With the address sanitizer each piece of a block has bytes behind its last line that nobody may touch,
// as a piece of the system's own allocator has; blocks begin small, and texts stand alone, to the byte.
// (Kernels read whole lanes, which a line has.)
#if defined(__SANITIZE_ADDRESS__)
#define HOL_ARENA_GUARDED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOL_ARENA_GUARDED 1
#endif
#endif
#ifdef HOL_ARENA_GUARDED
#include <sanitizer/asan_interface.h>
enum { GUARD = 64, FIRST = 2048 };
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)0)
enum { GUARD = 0, FIRST = 16384 };
#endif

enum { ALIGN = 64, HEAD = 64, HUGE_PAGE = 1 << 21, LARGE = 1 << 24, TEXTS = 1024 };

// counters for tests only: they change no result
static atomic_long system_allocations;
static atomic_long fail_countdown = -1;

// Large blocks come from the system as they are: zero, and present only where they are touched; in
// huge pages where it has them: fewer page faults, and walks over many bodies find their addresses.
static void *map_pages(size_t bytes) {
    char *p =
        mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    const size_t before = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
    if (before)
        munmap(p, before);
    munmap(p + before + bytes, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    (void)madvise(p + before, bytes, MADV_HUGEPAGE);
#endif
    return p + before;
}

static void *system_alloc(size_t bytes) {
    atomic_fetch_add(&system_allocations, 1);
    if (atomic_load(&fail_countdown) >= 0 && atomic_fetch_sub(&fail_countdown, 1) == 0)
        return NULL;
    if (bytes >= HUGE_PAGE)
        return map_pages(bytes);
    void *p = aligned_alloc(ALIGN, bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

static void system_free(void *p, size_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(p, bytes);
    if (bytes >= HUGE_PAGE)
        munmap(p, bytes);
    else
        free(p);
}

void *hol_arena_alloc(HolArena *a, size_t bytes) {
    if (a->failed || bytes > SIZE_MAX / 4) {
        a->failed = 1;
        return NULL;
    }
    const size_t least = bytes ? bytes : 1;
    const size_t need = (least + ALIGN - 1) / ALIGN * ALIGN + GUARD;
    HolArenaBlock *b = a->block;
    if (!b || b->size - b->used < need) {
        size_t size = a->total > LARGE ? a->total / 4 : a->total > FIRST ? a->total : FIRST;
        if (size < need)
            size = need;
        size = (size + ALIGN - 1) / ALIGN * ALIGN;
        if (HEAD + size >= HUGE_PAGE) // all of its pages
            size = (HEAD + size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE - HEAD;
        HolArenaBlock *fresh = system_alloc(HEAD + size);
        if (!fresh) {
            a->failed = 1;
            return NULL;
        }
        fresh->next = b;
        fresh->size = size;
        a->block = b = fresh;
        ASAN_POISON_MEMORY_REGION((char *)b + HEAD, size);
    }
    void *p = (char *)b + HEAD + b->used;
    ASAN_UNPOISON_MEMORY_REGION(p, need - GUARD);
    b->used += need;
    a->total += need - GUARD;
    return p;
}

void *hol_arena_array(HolArena *a, size_t size, size_t count) {
    // (a negative count is such a number too)
    return hol_arena_alloc(a, size && count > SIZE_MAX / size ? SIZE_MAX : size * count);
}

// room for a text and its end; short ones stand side by side, for models have many
static char *arena_text_room(HolArena *a, size_t length) {
    if (GUARD > 0 || length >= TEXTS / 8) {
        char *alone = hol_arena_alloc(a, length < SIZE_MAX ? length + 1 : length);
        if (alone)
            ASAN_POISON_MEMORY_REGION(alone + length + 1, ALIGN - (length + 1) % ALIGN);
        return alone;
    }
    if (a->failed)
        return NULL;
    if (a->text_left <= length) {
        a->text = hol_arena_alloc(a, TEXTS);
        a->text_left = a->text ? TEXTS : 0;
        if (!a->text)
            return NULL;
    }
    char *room = a->text;
    a->text += length + 1;
    a->text_left -= length + 1;
    return room;
}

char *hol_arena_text_n(HolArena *a, const char *text, size_t length) {
    char *copy = arena_text_room(a, length);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

char *hol_arena_text(HolArena *a, const char *text) {
    return text ? hol_arena_text_n(a, text, strlen(text)) : NULL;
}

int hol_arena_grow(HolArena *a, void **array, size_t size, int n, int *capacity) {
    if (n < *capacity)
        return 1;
    const int wanted = !*capacity ? 8 : *capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity;
    void *fresh = n < wanted ? hol_arena_array(a, size, (size_t)wanted) : NULL;
    if (!fresh) {
        a->failed = 1;
        return 0;
    }
    if (n)
        memcpy(fresh, *array, size * (size_t)n);
    *array = fresh;
    *capacity = wanted;
    return 1;
}

void hol_arena_free(HolArena *a) {
    HolArenaBlock *b = a->block;
    while (b) {
        HolArenaBlock *next = b->next;
        system_free(b, HEAD + b->size);
        b = next;
    }
    *a = (HolArena){0};
}

long hol_arena_count(void) {
    return atomic_load(&system_allocations);
}

void hol_arena_fail_after(long n) {
    atomic_store(&fail_countdown, n);
}
