// SPDX-License-Identifier: Apache-2.0
// A run as bytes: save, restore, copy, another state.
//
//     "holonom run" and a zero, 12 bytes; version, byte order, 4 bytes each
//     records of keep_run.c, from that of the method and its steps on
//     a checksum of all before it, 8 bytes
//
// A run that is restored, also in another process, takes the same steps to the last bit as the one
// that was saved. What a string does not hold (model, options, patterns) the run that takes it has of
// its own; records are compared before the first number is changed.
#include "base/arena.h"
#include "solve/constraint/project.h"
#include "solve/embed/keep_run.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1, ORDER = 0x01020304, DIGEST = 8 };
static const char WORD[12] = "holonom run";

typedef struct SaveHead {
    char word[sizeof WORD];
    uint32_t version, order;
} SaveHead;

// what a string must agree in with the run: method and steps, as the options name them
typedef struct SaveOptions {
    char method[32];
    double step, tolerance;
} SaveOptions;

static SaveOptions save_options(const HolSim *s) {
    SaveOptions o = {.step = s->o.step, .tolerance = s->o.tolerance};
    snprintf(o.method, sizeof o.method, "%s", s->o.method.name);
    return o;
}

static size_t save_size(HolSim *s) {
    HolKeeper k = {.mode = HOL_KEEP_COUNT};
    SaveOptions o = save_options(s);
    hol_keep(&k, "options", &o, sizeof o);
    hol_replay_keep(s, &k);
    hol_run_keep(s, &k);
    return sizeof(SaveHead) + k.at + DIGEST;
}

HolStatus hol_sim_save(HolSim *s, void *bytes, size_t room, size_t *size, HolError *err) {
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    if (!size)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the size: NULL");
    HolStatus status = hol_start_run(s, err);
    if (status == HOL_OK)
        status = hol_replay_ready(s, err);
    if (status != HOL_OK)
        return status;
    *size = save_size(s);
    if (!bytes)
        return HOL_OK;
    if (room < *size)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "the saved run has %zu bytes, there is room for %zu", *size, room);
    SaveHead head = {.version = VERSION, .order = ORDER};
    SaveOptions o = save_options(s);
    memcpy(head.word, WORD, sizeof WORD);
    memcpy(bytes, &head, sizeof head);
    const size_t length = *size - DIGEST;
    HolKeeper k = {.mode = HOL_KEEP_WRITE, .bytes = bytes, .size = length, .at = sizeof head};
    hol_keep(&k, "options", &o, sizeof o);
    hol_replay_keep(s, &k);
    hol_run_keep(s, &k);
    const uint64_t sum = hol_keep_sum(bytes, length);
    memcpy((char *)bytes + length, &sum, DIGEST);
    return k.wrong || k.at != length
               ? hol_error_set(err, HOL_ERR_INPUT, "the run could not be saved (%s)", k.wrong)
               : HOL_OK;
}

// the string itself: whole, of this version
static HolStatus restore_check_bytes(const void *bytes, size_t size, HolError *err) {
    SaveHead head;
    if (!bytes || size < sizeof head + DIGEST || memcmp(bytes, WORD, sizeof WORD) != 0)
        return hol_error_set(err, HOL_ERR_INPUT, "this is not a saved run");
    memcpy(&head, bytes, sizeof head);
    if (head.order != ORDER)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "the run was saved on a machine with another byte order");
    if (head.version != VERSION)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "the run was saved in format %u, this library reads %d", head.version,
                             VERSION);
    const uint64_t sum = hol_keep_sum(bytes, size - DIGEST);
    return memcmp((const char *)bytes + size - DIGEST, &sum, DIGEST) == 0
               ? HOL_OK
               : hol_error_set(err, HOL_ERR_INPUT,
                               "the saved run is damaged: its checksum does not fit");
}

static HolStatus restore_check_options(const HolSim *s, HolKeeper *k, HolError *err) {
    SaveOptions saved = {.step = NAN}, own = save_options(s);
    k->mode = HOL_KEEP_READ;
    hol_keep(k, "options", &saved, sizeof saved);
    saved.method[sizeof saved.method - 1] = 0;
    if (k->wrong)
        return hol_error_set(err, HOL_ERR_INPUT, "this is not a saved run");
    if (strcmp(saved.method, own.method) != 0)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "the run was saved with method %s, this one has method %s",
                             saved.method, own.method);
    if (saved.step != own.step || saved.tolerance != own.tolerance)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "the run was saved with step %g and tolerance %g, this one has %g and "
                             "%g (0: none)",
                             saved.step, saved.tolerance, own.step, own.tolerance);
    return HOL_OK;
}

// memory that a run makes when it starts; auto's choice is in the string
static HolStatus restore_prepare(HolSim *s, HolError *err) {
    if (s->driver->started)
        return HOL_OK;
    return s->choice ? hol_sim_assemble(s, err) : hol_start_run(s, err);
}

HolStatus hol_sim_restore(HolSim *s, const void *bytes, size_t size, HolError *err) {
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    HolStatus status = restore_check_bytes(bytes, size, err);
    HolKeeper k = {.bytes = (unsigned char *)(uintptr_t)bytes, // (only read)
                   .size = size - DIGEST,
                   .at = sizeof(SaveHead)};
    if (status == HOL_OK)
        status = restore_check_options(s, &k, err);
    if (status == HOL_OK)
        status = restore_prepare(s, err);
    if (status == HOL_OK)
        status = hol_replay_restore(s, &k, err);
    if (status != HOL_OK)
        return status;
    const uint64_t print = hol_replay_print(s);
    const size_t first = k.at;
    for (int pass = 0; pass < 2; pass++) {
        k.mode = pass ? HOL_KEEP_READ : HOL_KEEP_CHECK;
        k.at = first;
        hol_run_keep(s, &k);
        if (k.wrong || k.at != k.size)
            return hol_error_set(
                err, HOL_ERR_INPUT,
                "the saved run does not fit this one: another model, other options "
                "or another version of the library (record '%s')",
                k.wrong ? k.wrong : "end");
    }
    return !s->replay || hol_replay_print(s) == print
               ? HOL_OK
               : hol_error_set(
                     err, HOL_ERR_INPUT,
                     "the steps of method %s, computed again, have other bits than those "
                     "of the saved run: another version of a library or another processor",
                     s->stepper->name);
}

HolStatus hol_sim_copy(HolSim *s, HolSim **out, HolError *err) {
    HolArena scratch = {0};
    size_t size = 0;
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the run: out is NULL");
    *out = NULL;
    HolStatus status = hol_sim_save(s, NULL, 0, &size, err);
    if (status != HOL_OK)
        return status;
    void *bytes = hol_arena_alloc(&scratch, size);
    status = bytes ? hol_sim_save(s, bytes, size, &size, err)
                   : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (status == HOL_OK)
        status = hol_sim_create_twin(s, out, err);
    if (status == HOL_OK)
        status = hol_sim_restore(*out, bytes, size, err);
    hol_arena_free(&scratch);
    if (status != HOL_OK) {
        hol_sim_destroy(*out);
        *out = NULL;
    }
    return status;
}

// ---- another state ----

// (what is worth a remark was said when the run was assembled)
static void set_state_say(void *to, const char *text) {
    (void)to;
    (void)text;
}

// the driver as at a start, at s->x
static void set_state_restart(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    d->origin = s->x.t;
    d->k = 0;
    d->off_grid = d->restart = d->kinks = d->tiny_steps = d->held_steps = d->left_kink = 0;
    d->ahead = d->reach = d->at_kink = d->without_kink = 0;
    d->jump = HOL_JUMP_NONE;
    d->crossed = d->over_kink = 0;
    d->next_stop = d->next_jump = 0;
    d->next_row = 0;
    d->last_row = NAN;
    hol_passed_stop(s);
    if (s->p->extras->begin)
        s->p->extras->begin(s->p, s->work, s->x.t, s->x.q, set_state_say, NULL);
}

static HolStatus set_state_go_on(HolSim *s, HolError *err) {
    HolStatus status = hol_project_position(s, s->x.t, s->x.q, 1, err);
    if (status == HOL_OK)
        status = hol_project_velocity(s, s->x.t, s->x.q, s->x.v, err);
    if (status == HOL_OK)
        status = hol_accelerate(s, &s->x, 1, err);
    if (status != HOL_OK)
        return status;
    s->x.bare = 0;
    hol_state_copy(s, &s->prev, &s->x);
    hol_track_start(s);
    s->stats.work = 0;
    s->turns_counted = 0;
    if (s->p->extras->accept)
        s->p->extras->accept(s->p, s->work, s->x.t, s->x.q, s->x.v);
    return s->driver->started ? hol_start_stepper(s, err) : HOL_OK;
}

HolStatus hol_sim_set_state(HolSim *s, double t, const double *q, const double *v, HolError *err) {
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    if (!isfinite(t))
        return hol_error_set(err, HOL_ERR_INPUT, "the time of the state is not a number");
    for (int i = 0; q && i < s->nq; i++)
        if (!isfinite(q[i]))
            return hol_error_set(err, HOL_ERR_INPUT, "position %d of the state is not a number", i);
    for (int i = 0; v && i < s->nv; i++)
        if (!isfinite(v[i]))
            return hol_error_set(err, HOL_ERR_INPUT, "velocity %d of the state is not a number", i);
    const int assembled = s->assembled;
    s->x.t = t;
    if (q)
        memcpy(s->x.q, q, sizeof *q * (size_t)s->nq);
    if (v)
        memcpy(s->x.v, v, sizeof *v * (size_t)s->nv);
    set_state_restart(s);
    return assembled ? set_state_go_on(s, err) : hol_sim_assemble(s, err);
}
