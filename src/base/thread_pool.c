// SPDX-License-Identifier: Apache-2.0
// A call publishes a ticket: its number, how many parts there are, the next part. A thread that
// wants a part, the caller included, takes it by raising the ticket; the caller returns when all
// parts are finished. A thread that comes late, because its processor has other work, finds nothing
// left to do: a busy machine costs little.
#define _GNU_SOURCE // sched_getaffinity
#include "base/thread_pool.h"
#include "base/float_mode.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { AWAKE = 4000 }; // looks at the ticket before a member goes to sleep, about 0.2 ms

typedef struct Member {
    HolThreadPool *pool;
    pthread_t thread;
    double cpu; // of its parts, read by the caller between calls
} Member;

struct HolThreadPool {
    atomic_ulong ticket; // call, parts, next part: 48, 8, 8 bits
    atomic_int finished, sleepers, leave;
    int threads;
    HolThreadPoolWork work; // these may be read by who has taken a part
    void *context;
    unsigned mode; // of the caller's arithmetic
    pthread_mutex_t lock;
    pthread_cond_t bell;
    Member member[HOL_TEAM_MOST];
};

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static double thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned long call_of(unsigned long ticket) {
    return ticket >> 16;
}

// returns the number of a call after `seen`
static unsigned long await_call(HolThreadPool *t, unsigned long seen) {
    for (int i = 0; i < AWAKE; i++) {
        unsigned long call = call_of(atomic_load_explicit(&t->ticket, memory_order_acquire));
        if (call != seen)
            return call;
        relax();
    }
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->sleepers, 1);
    while (call_of(atomic_load(&t->ticket)) == seen)
        pthread_cond_wait(&t->bell, &t->lock);
    atomic_fetch_sub(&t->sleepers, 1);
    pthread_mutex_unlock(&t->lock);
    return call_of(atomic_load(&t->ticket));
}

// a part of this call, or -1
static int take_part(HolThreadPool *t, unsigned long call) {
    unsigned long ticket = atomic_load_explicit(&t->ticket, memory_order_acquire);
    while (call_of(ticket) == call && (ticket & 255) < (ticket >> 8 & 255))
        if (atomic_compare_exchange_weak_explicit(&t->ticket, &ticket, ticket + 1,
                                                  memory_order_acq_rel, memory_order_acquire))
            return (int)(ticket & 255);
    return -1;
}

// cpu: the time of a member, NULL for the caller
static void do_parts(HolThreadPool *t, unsigned long call, double *cpu) {
    for (int part; (part = take_part(t, call)) >= 0;) {
        double start = cpu ? thread_seconds() : 0;
        if (cpu)
            hol_float_mode_set(t->mode);
        t->work(t->context, part);
        if (cpu)
            *cpu += thread_seconds() - start;
        atomic_fetch_add_explicit(&t->finished, 1, memory_order_release);
    }
}

static void *member_main(void *argument) {
    Member *m = argument;
    HolThreadPool *t = m->pool;
    for (unsigned long call = 0;;) {
        call = await_call(t, call);
        if (atomic_load(&t->leave))
            return NULL;
        do_parts(t, call, &m->cpu);
    }
}

// a new call of so many parts; returns its number
static unsigned long put_up(HolThreadPool *t, int parts) {
    unsigned long call = call_of(atomic_load_explicit(&t->ticket, memory_order_relaxed)) + 1;
    atomic_store(&t->ticket, call << 16 | (unsigned long)parts << 8);
    if (atomic_load(&t->sleepers) > 0) {
        pthread_mutex_lock(&t->lock);
        pthread_cond_broadcast(&t->bell);
        pthread_mutex_unlock(&t->lock);
    }
    return call;
}

HolThreadPool *hol_pool_create(HolArena *arena, int threads) {
    HolThreadPool *t = HOL_NEW(arena, HolThreadPool, 1);
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->bell, NULL);
    t->threads = 1;
    for (int i = 1; i < threads && i < HOL_TEAM_MOST; i++) {
        t->member[i] = (Member){.pool = t};
        if (pthread_create(&t->member[i].thread, NULL, member_main, &t->member[i]) != 0)
            break;
        t->threads = i + 1;
    }
    if (t->threads > 1)
        return t;
    hol_pool_destroy(t);
    return NULL;
}

void hol_pool_destroy(HolThreadPool *t) {
    if (!t)
        return;
    atomic_store(&t->leave, 1);
    put_up(t, 0);
    for (int i = 1; i < t->threads; i++)
        pthread_join(t->member[i].thread, NULL);
    pthread_cond_destroy(&t->bell);
    pthread_mutex_destroy(&t->lock);
}

void hol_pool_call(HolThreadPool *t, int parts, HolThreadPoolWork work, void *context) {
    t->work = work;
    t->context = context;
    t->mode = hol_float_mode();
    atomic_store_explicit(&t->finished, 0, memory_order_relaxed);
    do_parts(t, put_up(t, parts), NULL);
    for (int i = 0; atomic_load_explicit(&t->finished, memory_order_acquire) < parts; i++)
        if (i < AWAKE)
            relax();
        else
            sched_yield();
}

typedef struct Loop {
    HolThreadPoolLoop loop;
    void *context;
    int n, parts;
} Loop;

static void do_piece(void *context, int part) {
    const Loop *l = context;
    l->loop(l->context, hol_share_begin(l->n, l->parts, part),
            hol_share_begin(l->n, l->parts, part + 1));
}

void hol_pool_pieces(HolThreadPool *t, int n, HolThreadPoolLoop loop, void *context) {
    // very long loops in more pieces: a thread whose processor is busy elsewhere takes fewer
    enum { VERY_LONG = 16384, PIECES = 4 };
    Loop l = {loop, context, n, n >= VERY_LONG ? PIECES * t->threads : t->threads};
    hol_pool_run(t, l.parts, do_piece, &l);
}

typedef struct Halves {
    HolThreadPoolSum sum;
    void *context;
    int n;
    double result[2];
} Halves;

static void sum_half(void *context, int part) {
    Halves *h = context;
    h->result[part] =
        h->sum(h->context, hol_share_begin(h->n, 2, part), hol_share_begin(h->n, 2, part + 1));
}

double hol_pool_sum(HolThreadPool *pool, int n, HolThreadPoolSum sum, void *context) {
    if (n < HOL_LONG_LOOP)
        return sum(context, 0, n);
    Halves h = {sum, context, n, {0, 0}};
    hol_pool_run(pool, 2, sum_half, &h);
    return h.result[0] + h.result[1];
}

double hol_pool_cpu(const HolThreadPool *t) {
    double sum = 0;
    for (int i = 1; t && i < t->threads; i++)
        sum += t->member[i].cpu;
    return sum;
}

int hol_pool_processors(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}
