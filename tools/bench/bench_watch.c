// SPDX-License-Identifier: Apache-2.0
// Runs that take too long are ended: a thread looks at the clock now and then and raises the flag
// that the run looks at. It sleeps almost always, so that it does not show in the CPU time.
#include "tools/bench/bench.h"

#include <pthread.h>
#include <time.h>

static const long watch_nanoseconds = 20000000; // between two looks

struct HolBenchWatch {
    pthread_t thread;
    pthread_mutex_t lock; // of what follows
    double deadline;      // 0: none
    int stop;
    volatile int late; // read by the run without the lock
};

static double watch_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *watch_thread(void *argument) {
    HolBenchWatch *w = argument;
    for (int stop = 0; !stop;) {
        nanosleep(&(struct timespec){.tv_nsec = watch_nanoseconds}, NULL);
        pthread_mutex_lock(&w->lock);
        if (w->deadline > 0 && watch_now() > w->deadline)
            w->late = 1;
        stop = w->stop;
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

HolBenchWatch *hol_bench_watch_start(HolArena *arena) {
    HolBenchWatch *w = HOL_NEW(arena, HolBenchWatch, 1);
    if (!w)
        return NULL;
    pthread_mutex_init(&w->lock, NULL);
    if (pthread_create(&w->thread, NULL, watch_thread, w) == 0)
        return w;
    pthread_mutex_destroy(&w->lock);
    return NULL;
}

void hol_bench_watch_stop(HolBenchWatch *w) {
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = 1;
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_mutex_destroy(&w->lock);
}

const volatile int *hol_bench_watch_flag(const HolBenchWatch *w) {
    return &w->late;
}

void hol_bench_watch_set(HolBenchWatch *w, double seconds) {
    pthread_mutex_lock(&w->lock);
    w->late = 0;
    w->deadline = seconds > 0 ? watch_now() + seconds : 0;
    pthread_mutex_unlock(&w->lock);
}
