// SPDX-License-Identifier: Apache-2.0
// A call is a number that grows (`calls`): members see it, do the parts part = member, member +
// threads, ..., and count themselves as ready. Nothing else is shared while parts run.
#define _GNU_SOURCE // sched_getaffinity
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { LONG_LOOP = 500 }; // rounds that are worth sharing
enum { AWAKE = 4000 };    // looks at `calls` before a member goes to sleep, about 0.2 ms

typedef struct Member {
    HolTeam *team;
    int number;
    pthread_t thread;
    double cpu; // read by the caller between calls
} Member;

struct HolTeam {
    atomic_long calls;
    atomic_int ready, sleepers, leave;
    int threads, parts;
    HolTeamWork work;
    void *context;
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

static void await_call(HolTeam *t, long seen) {
    for (int i = 0; i < AWAKE; i++) {
        if (atomic_load_explicit(&t->calls, memory_order_acquire) != seen)
            return;
        relax();
    }
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->sleepers, 1);
    while (atomic_load(&t->calls) == seen)
        pthread_cond_wait(&t->bell, &t->lock);
    atomic_fetch_sub(&t->sleepers, 1);
    pthread_mutex_unlock(&t->lock);
}

static void do_parts(const HolTeam *t, int number) {
    for (int part = number; part < t->parts; part += t->threads)
        t->work(t->context, part);
}

static void *member_main(void *argument) {
    Member *m = argument;
    HolTeam *t = m->team;
    for (long seen = 0;; seen++) {
        await_call(t, seen);
        if (atomic_load(&t->leave))
            return NULL;
        double start = thread_seconds();
        do_parts(t, m->number);
        m->cpu += thread_seconds() - start;
        atomic_fetch_add_explicit(&t->ready, 1, memory_order_release);
    }
}

static void call(HolTeam *t) {
    atomic_fetch_add(&t->calls, 1);
    if (atomic_load(&t->sleepers) == 0)
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->bell);
    pthread_mutex_unlock(&t->lock);
}

HolTeam *hol_team_create(int threads) {
    HolTeam *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->bell, NULL);
    t->threads = 1;
    for (int i = 1; i < threads && i < HOL_TEAM_MOST; i++) {
        t->member[i] = (Member){.team = t, .number = i};
        if (pthread_create(&t->member[i].thread, NULL, member_main, &t->member[i]) != 0)
            break;
        t->threads = i + 1;
    }
    if (t->threads > 1)
        return t;
    hol_team_destroy(t);
    return NULL;
}

void hol_team_destroy(HolTeam *t) {
    if (!t)
        return;
    atomic_store(&t->leave, 1);
    call(t);
    for (int i = 1; i < t->threads; i++)
        pthread_join(t->member[i].thread, NULL);
    pthread_cond_destroy(&t->bell);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

void hol_team_run(HolTeam *t, int parts, HolTeamWork work, void *context) {
    if (!t || parts < 2) {
        for (int part = 0; part < parts; part++)
            work(context, part);
        return;
    }
    t->parts = parts;
    t->work = work;
    t->context = context;
    atomic_store_explicit(&t->ready, 1, memory_order_relaxed);
    call(t);
    do_parts(t, 0);
    for (int i = 0; atomic_load_explicit(&t->ready, memory_order_acquire) < t->threads; i++)
        if (i < AWAKE)
            relax();
        else
            sched_yield();
}

typedef struct Loop {
    HolTeamLoop loop;
    void *context;
    int n, parts;
} Loop;

static void do_piece(void *context, int part) {
    const Loop *l = context;
    l->loop(l->context, hol_share_begin(l->n, l->parts, part),
            hol_share_begin(l->n, l->parts, part + 1));
}

void hol_team_loop(HolTeam *t, int n, HolTeamLoop loop, void *context) {
    if (!t || n < LONG_LOOP) {
        loop(context, 0, n);
        return;
    }
    Loop l = {loop, context, n, t->threads};
    hol_team_run(t, l.parts, do_piece, &l);
}

double hol_team_cpu(const HolTeam *t) {
    double sum = 0;
    for (int i = 1; t && i < t->threads; i++)
        sum += t->member[i].cpu;
    return sum;
}

int hol_team_processors(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}
