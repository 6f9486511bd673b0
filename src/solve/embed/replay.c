// SPDX-License-Identifier: Apache-2.0
// Runs of methods whose library keeps its history to itself (bdf on SUNDIALS IDA). What a step does
// is determined by the run where the method started and by the times that steps were asked for since:
//
//     start     the whole run at its last start (records of keep_run.c)
//     steps     n pairs: asked for up to `target`, `count` times in a row
//
// Both go into the string of a saved run. Taking it makes these steps again, and then compares every
// bit of the state with the one that was saved.
#include "base/arena.h"
#include "solve/embed/keep_run.h"
#include "solve/run/run.h"

#include <limits.h>
#include <string.h>

typedef struct ReplaySteps {
    double target;
    int64_t count;
} ReplaySteps;

struct HolReplay {
    int begun; // `start` belongs to the present history of the method
    int lost;  // there was no memory for it
    unsigned char *start;
    size_t size, room;
    ReplaySteps *steps;
    int n, steps_room;
};

int hol_replay_create(HolSim *s) {
    if (!s->stepper->replayed)
        return 1;
    if (!s->replay)
        s->replay = HOL_NEW(&s->arena, HolReplay, 1);
    if (s->replay)
        s->replay->begun = 0;
    return s->replay != NULL;
}

static size_t replay_size(HolSim *s) {
    HolKeeper k = {.mode = HOL_KEEP_COUNT};
    hol_run_keep(s, &k);
    return k.at;
}

static void replay_begin(HolSim *s) {
    HolReplay *r = s->replay;
    const size_t size = replay_size(s);
    if (size > r->room) {
        r->start = hol_arena_alloc(&s->arena, size);
        r->room = r->start ? size : 0;
    }
    HolKeeper k = {.mode = HOL_KEEP_WRITE, .bytes = r->start, .size = size};
    if (r->start)
        hol_run_keep(s, &k);
    r->lost = !r->start || k.wrong || size > INT_MAX;
    r->size = r->lost ? 0 : size;
    r->n = 0;
    r->begun = 1;
}

void hol_replay_step(HolSim *s, double target) {
    HolReplay *r = s->replay;
    if (!r)
        return;
    if (!r->begun)
        replay_begin(s);
    if (r->lost)
        return;
    if (r->n && r->steps[r->n - 1].target == target) {
        r->steps[r->n - 1].count++;
        return;
    }
    if (HOL_GROW(&s->arena, r->steps, r->n, r->steps_room))
        r->steps[r->n++] = (ReplaySteps){target, 1};
    else
        r->lost = 1;
}

// ---- as bytes ----

HolStatus hol_replay_ready(HolSim *s, HolError *err) {
    if (s->replay && !s->replay->begun)
        replay_begin(s);
    return s->replay && s->replay->lost
               ? hol_error_set(err, HOL_ERR_MEMORY,
                               "the run cannot be saved: no memory for its steps")
               : HOL_OK;
}

// in reading they are copied to `scratch`
static void replay_records(HolReplay *r, HolArena *scratch, HolKeeper *k) {
    const int size = hol_keep_number(k, "replay start", (int)r->size, 0, INT_MAX);
    const int n = hol_keep_number(k, "replay steps", r->n, 0, INT_MAX / (int)sizeof *r->steps);
    if (k->wrong)
        return;
    if (hol_keep_reads(k)) {
        if ((size_t)size > k->size || (size_t)n * sizeof *r->steps > k->size) {
            hol_keep_wrong(k, "replay steps");
            return;
        }
        r->start = hol_arena_alloc(scratch, (size_t)size + 1);
        r->steps = HOL_NEW(scratch, ReplaySteps, n + 1);
        r->size = (size_t)size;
        r->n = n;
        if (!r->start || !r->steps) {
            hol_keep_wrong(k, "replay memory");
            return;
        }
    }
    hol_keep(k, "replay start", r->start, r->size);
    hol_keep(k, "replay steps", r->steps, sizeof *r->steps * (size_t)r->n);
}

void hol_replay_keep(HolSim *s, HolKeeper *k) {
    if (s->replay)
        replay_records(s->replay, NULL, k);
}

// the steps from r->start on; HOL_OK also where one of them failed, as it did before
static HolStatus replay_walk(HolSim *s, const HolReplay *r, HolError *err) {
    for (int pass = 0; pass < 2;
         pass++) { // what the start of the method changes is taken once more
        HolKeeper k = {.mode = HOL_KEEP_READ, .bytes = r->start, .size = r->size};
        hol_run_keep(s, &k);
        const HolStatus status = pass ? HOL_OK : s->stepper->start(s, err);
        if (status != HOL_OK)
            return status;
    }
    s->replay->begun = 0;
    replay_begin(s);
    for (int i = 0; i < r->n; i++)
        for (int64_t n = 0; n < r->steps[i].count; n++) {
            if (s->stop_flag && *s->stop_flag)
                return HOL_INTERRUPTED;
            hol_sim_step(s, r->steps[i].target, NULL);
        }
    return HOL_OK;
}

HolStatus hol_replay_restore(HolSim *s, HolKeeper *k, HolError *err) {
    HolArena scratch = {0};
    HolReplay r = {0};
    if (!s->replay)
        return HOL_OK;
    k->mode = HOL_KEEP_READ;
    replay_records(&r, &scratch, k);
    HolKeeper inner = {.mode = HOL_KEEP_CHECK, .bytes = r.start, .size = r.size}, outer = *k;
    outer.mode = HOL_KEEP_CHECK;
    if (!k->wrong) {
        hol_run_keep(s, &inner);
        hol_run_keep(s, &outer);
    }
    HolStatus status = HOL_OK;
    // (what else does not fit is told by the caller's walk over the rest)
    if (inner.wrong || inner.at != inner.size)
        status = hol_error_set(err, HOL_ERR_INPUT,
                               "the saved run does not fit this one: another model, other options "
                               "or another version of the library (record '%s')",
                               inner.wrong ? inner.wrong : "end");
    else if (!k->wrong && !outer.wrong && outer.at == outer.size)
        status = replay_walk(s, &r, err);
    hol_arena_free(&scratch);
    return status;
}

// (velocities may have jumped since)
uint64_t hol_replay_print(const HolSim *s) {
    uint64_t print = hol_keep_hash(HOL_KEEP_HASH_START, &s->prev.t, sizeof s->prev.t);
    print = hol_keep_hash(print, s->prev.q, sizeof *s->prev.q * (size_t)s->nq);
    print = hol_keep_hash(print, s->prev.v, sizeof *s->prev.v * (size_t)s->nv);
    print = hol_keep_hash(print, &s->x.t, sizeof s->x.t);
    return hol_keep_hash(print, s->x.q, sizeof *s->x.q * (size_t)s->nq);
}
