// SPDX-License-Identifier: Apache-2.0
// A pool of threads that share the loops of one large mechanism.
//
//     hol_pool_run(pool, 2, work, context)     work(context, 0) and work(context, 1), side by side
//
// Data are divided into parts once, when they are laid out, and never by the number of threads: a
// run with one thread and one with two give the same bits. Parts write to memory of their own;
// sums of several parts are stored apart by part and added by the caller in the order of the parts.
// One caller at a time. Threads wait spinning for a moment between two calls, then asleep.
#ifndef HOL_BASE_TEAM_H
#define HOL_BASE_TEAM_H

#include "base/arena.h"

enum { HOL_TEAM_MOST = 8 }; // threads

typedef struct HolThreadPool HolThreadPool;
typedef void (*HolThreadPoolWork)(void *context, int part);

// so many with the caller; NULL: no memory, or no thread to be had
HolThreadPool *hol_pool_create(HolArena *arena, int threads);
void hol_pool_destroy(HolThreadPool *pool);     // the threads end; its memory is the arena's
double hol_pool_cpu(const HolThreadPool *pool); // seconds the members other than the caller worked
int hol_pool_processors(void);                  // that this process may use

// all parts, then returns; without a pool (NULL) the caller does them one after the other
void hol_pool_call(HolThreadPool *pool, int parts, HolThreadPoolWork work, void *context);

static inline void hol_pool_run(HolThreadPool *pool, int parts, HolThreadPoolWork work,
                                void *context) {
    if (pool && parts > 1)
        hol_pool_call(pool, parts, work, context);
    else
        for (int part = 0; part < parts; part++)
            work(context, part);
}

// first .. end of a part out of n things
static inline int hol_share_begin(int n, int parts, int part) {
    return (int)((long)n * part / parts);
}

// loop(context, first, end) over pieces of 0 .. n-1, which must not depend on each other; in one
// piece without a pool, or when n is small
typedef void (*HolThreadPoolLoop)(void *context, int first, int end);
void hol_pool_pieces(HolThreadPool *pool, int n, HolThreadPoolLoop loop, void *context);
enum { HOL_LONG_LOOP = 500 };

static inline void hol_pool_loop(HolThreadPool *pool, int n, HolThreadPoolLoop loop,
                                 void *context) {
    if (pool && n >= HOL_LONG_LOOP)
        hol_pool_pieces(pool, n, loop, context);
    else
        loop(context, 0, n);
}

// sum(context, first, end) of 0 .. n-1; a long one in two halves, with a pool or without: the same
// bits
typedef double (*HolThreadPoolSum)(void *context, int first, int end);
double hol_pool_sum(HolThreadPool *pool, int n, HolThreadPoolSum sum, void *context);

#endif
