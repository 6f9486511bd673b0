// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a run: see checkpoint.h. The order in which things reach the disk:
//
//     rows, then the checkpoint that counts them         at any time
//     the checkpoint AT_END, the result, FINISHED, RESULT.part goes       at the end
//
// so that a kill between any two of them leaves what --resume goes on from.
#include "io/checkpoint/checkpoint.h"
#include "solve/sim.h"

#include <string.h>

struct HolCheckpoint {
    HolArena arena; // it lives in it
    const HolModel *model;
    HolSimOptions options;
    HolAtomicFile place; // of the checkpoint
    const char *file;    // its name
    char *identity;
    HolRowFile rows;
    HolCheckpointNumbers n;
    HolError reason;
    const void *own;
    size_t own_size;
    int fresh; // 1: the rows are of this process, and no checkpoint counts them yet
};

static HolStatus checkpoint_no_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

// names, options, identity: all but the rows
static HolStatus checkpoint_create(const char *file, const char *result, const HolModel *m,
                                   const HolSimOptions *o, HolCheckpoint **out, HolError *err) {
    HolSimOptions options;
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for it: out is NULL");
    *out = NULL;
    if (!file || !result || !m || !hol_model_problem(m))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "a checkpoint needs its file, that of the results and a compiled "
                             "model");
    if (hol_options_take(&options, o, err))
        return HOL_ERR_INPUT;
    HolArena arena = {0};
    HolCheckpoint *c = HOL_NEW(&arena, HolCheckpoint, 1);
    if (!c)
        return checkpoint_no_memory(err);
    c->arena = arena;
    c->model = m;
    c->options = options;
    HolStatus status = hol_rows_choose(&c->rows, &c->arena, result, m, err);
    const char *outputs[] = {file, result, c->rows.place.part};
    if (!status)
        status = hol_files_apart(m, NULL, 0, outputs, 3, err);
    if (!status) {
        status = hol_file_choose(&c->place, &c->arena, file, err);
        if (!status && c->place.direct)
            status = hol_file_error(&c->place, "a checkpoint is a regular file", err);
    }
    if (!status) { // better now than after a minute
        FILE *f = hol_file_open(&c->place, err);
        status = f ? hol_file_close(&c->place, f, 0, err) : HOL_ERR_FILE;
    }
    if (!status) {
        c->file = c->place.path;
        c->identity = hol_checkpoint_identity(&c->arena, m, &options, c->rows.format->name);
        if (!c->identity)
            status = checkpoint_no_memory(err);
    }
    if (status) {
        hol_checkpoint_destroy(c);
        return status;
    }
    *out = c;
    return HOL_OK;
}

// 1: an earlier run in the same files could be resumed
static int checkpoint_unfinished(const HolCheckpoint *c) {
    HolArena scratch = {0};
    HolCheckpointParts parts;
    const int there = hol_rows_there(&c->rows) &&
                      hol_checkpoint_read(&scratch, c->file, &parts, NULL) == HOL_OK &&
                      parts.n.state != HOL_CHECKPOINT_FINISHED;
    hol_arena_free(&scratch);
    return there;
}

static HolStatus checkpoint_new_rows(HolCheckpoint *c, HolError *err) {
    const HolStatus status = hol_rows_create(&c->rows, c->model, &c->options, err);
    c->fresh = !status;
    return status;
}

HolStatus hol_checkpoint_begin(const char *file, const char *result, const HolModel *m,
                               const HolSimOptions *o, HolCheckpoint **out, HolError *err) {
    HolStatus status = checkpoint_create(file, result, m, o, out, err);
    if (status)
        return status;
    HolCheckpoint *c = *out;
    if (checkpoint_unfinished(c))
        status = hol_error_set(err, HOL_ERR_FILE,
                               "%s and %s hold a run that did not come to its end: --resume goes "
                               "on with it, or delete them to begin anew",
                               c->file, c->rows.place.part);
    if (!status)
        status = checkpoint_new_rows(c, err);
    if (status) {
        hol_checkpoint_destroy(c);
        *out = NULL;
    }
    return status;
}

// ---- resuming ----

// 1: the result of a run at its end has its name already
static int checkpoint_has_result(const HolCheckpoint *c) {
    char sha256[65];
    uint64_t length;
    const HolCheckpointNumbers *n = &c->n;
    if (n->state == HOL_CHECKPOINT_UNDER_WAY ||
        !hol_file_sha256(c->rows.place.path, sha256, &length))
        return 0;
    if (n->state == HOL_CHECKPOINT_FINISHED)
        return strcmp(sha256, n->result_sha256) == 0;
    // killed between the name and the mark: of a CSV file the rows are all there is
    return c->rows.format == &hol_result_csv && !hol_rows_there(&c->rows) && length == n->length &&
           strcmp(sha256, n->sha256) == 0;
}

static HolStatus checkpoint_take(HolCheckpoint *c, const HolCheckpointParts *parts, HolSim *s,
                                 HolError *err) {
    c->n = parts->n;
    const int has_result = checkpoint_has_result(c);
    if (c->n.state == HOL_CHECKPOINT_FINISHED && !has_result) { // its bits can be computed again
        c->n = (HolCheckpointNumbers){0};
        return checkpoint_new_rows(c, err);
    }
    HolStatus status =
        has_result ? HOL_OK : hol_rows_take(&c->rows, c->model, &c->options, &c->n, err);
    if (!status)
        status = hol_sim_restore(s, parts->run, (size_t)parts->run_size, err);
    if (status)
        return status;
    c->reason = parts->reason;
    c->own = parts->own;
    c->own_size = (size_t)parts->own_size;
    if (has_result && c->n.state == HOL_CHECKPOINT_AT_END) {
        HolCheckpointParts marked = *parts;
        snprintf(c->n.result_sha256, sizeof c->n.result_sha256, "%s", c->n.sha256);
        c->n.state = HOL_CHECKPOINT_FINISHED;
        marked.n = c->n;
        return hol_checkpoint_write(c->file, &marked, err);
    }
    if (has_result)
        hol_rows_remove(&c->rows);
    return HOL_OK;
}

HolStatus hol_checkpoint_resume(const char *from, const char *to, const char *result,
                                const HolModel *m, const HolSimOptions *o, HolSim *s,
                                HolCheckpoint **out, HolError *err) {
    HolStatus status = checkpoint_create(to ? to : from, result, m, o, out, err);
    if (status)
        return status;
    HolCheckpoint *c = *out;
    HolCheckpointParts *parts = HOL_NEW(&c->arena, HolCheckpointParts, 1);
    if (!s)
        status = hol_no_run(err);
    else
        status =
            parts ? hol_checkpoint_read(&c->arena, from, parts, err) : checkpoint_no_memory(err);
    if (!status)
        status = hol_checkpoint_same(from, parts->identity, c->identity, err);
    if (!status)
        status = checkpoint_take(c, parts, s, err);
    if (status) {
        hol_checkpoint_destroy(c);
        *out = NULL;
    }
    return status;
}

// ---- saving ----

HolStatus hol_checkpoint_row(HolCheckpoint *c, const double *row, HolError *err) {
    return hol_result_row(c ? c->rows.w : NULL, row, err);
}

static HolStatus checkpoint_put(HolCheckpoint *c, HolSim *s, const void *own, size_t size,
                                HolError *err) {
    HolArena scratch = {0};
    size_t length = 0;
    if (!c || !c->rows.w || (size && !own))
        return hol_error_set(err, HOL_ERR_INPUT, "there is no run under way to be saved");
    HolStatus status = hol_sim_save(s, NULL, 0, &length, err);
    void *run = status ? NULL : hol_arena_alloc(&scratch, length);
    if (!status)
        status = run ? hol_sim_save(s, run, length, &length, err) : checkpoint_no_memory(err);
    if (!status)
        status = hol_rows_sync(&c->rows, &c->n, err);
    if (!status) {
        c->n.time = hol_sim_time(s);
        HolCheckpointParts parts = {.identity = c->identity,
                                    .identity_size = strlen(c->identity) + 1,
                                    .n = c->n,
                                    .reason = c->reason,
                                    .own = own,
                                    .own_size = size,
                                    .run = run,
                                    .run_size = length};
        status = hol_checkpoint_write(c->file, &parts, err);
        if (!status)
            c->fresh = 0;
    }
    hol_arena_free(&scratch);
    return status;
}

HolStatus hol_checkpoint_save(HolCheckpoint *c, HolSim *s, const void *own, size_t size,
                              HolError *err) {
    hol_error_clear(err);
    return checkpoint_put(c, s, own, size, err);
}

HolStatus hol_checkpoint_end(HolCheckpoint *c, HolSim *s, HolStatus status, const HolError *reason,
                             const void *own, size_t size, HolError *err) {
    hol_error_clear(err);
    if (!c || c->n.state != HOL_CHECKPOINT_UNDER_WAY)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no run under way that could end");
    c->n.state = HOL_CHECKPOINT_AT_END;
    c->n.status = status;
    if (reason)
        c->reason = *reason;
    c->reason.status = status;
    return checkpoint_put(c, s, own, size, err);
}

// the checkpoint that was written last, with the mark
static HolStatus checkpoint_mark(HolCheckpoint *c, HolError *err) {
    HolArena scratch = {0};
    HolCheckpointParts parts;
    uint64_t length;
    HolStatus status = hol_checkpoint_read(&scratch, c->file, &parts, err);
    if (!status && !hol_file_sha256(c->rows.place.path, c->n.result_sha256, &length))
        status = hol_error_set(err, HOL_ERR_FILE, "cannot read %s", c->rows.place.path);
    if (!status) {
        c->n.state = HOL_CHECKPOINT_FINISHED;
        parts.n = c->n;
        status = hol_checkpoint_write(c->file, &parts, err);
    }
    hol_arena_free(&scratch);
    return status;
}

HolStatus hol_checkpoint_finish(HolCheckpoint *c, const HolStats *stats, const HolCheck *check,
                                HolError *err) {
    hol_error_clear(err);
    if (!c || c->n.state == HOL_CHECKPOINT_UNDER_WAY)
        return hol_error_set(err, HOL_ERR_INPUT, "the run is not at its end: hol_checkpoint_end");
    if (c->n.state == HOL_CHECKPOINT_FINISHED)
        return HOL_OK;
    const HolStatus outcome = (HolStatus)c->n.status;
    hol_result_summary(c->rows.w, stats, check, outcome, c->reason.text);
    HolStatus status = hol_rows_finish(&c->rows, c->model, &c->options, err);
    if (!status)
        status = checkpoint_mark(c, err);
    if (!status)
        hol_rows_remove(&c->rows);
    return status;
}

void hol_checkpoint_destroy(HolCheckpoint *c) {
    if (!c)
        return;
    hol_rows_close(&c->rows);
    if (c->fresh) // rows that nothing can go on from
        hol_rows_discard(&c->rows);
    HolArena arena = c->arena;
    hol_arena_free(&arena);
}

// ---- questions ----

HolCheckpointState hol_checkpoint_state(const HolCheckpoint *c) {
    return c ? (HolCheckpointState)c->n.state : HOL_CHECKPOINT_UNDER_WAY;
}

long hol_checkpoint_row_count(const HolCheckpoint *c) {
    return !c ? 0 : c->rows.w ? c->rows.w->rows : (long)c->n.rows;
}

const void *hol_checkpoint_own(const HolCheckpoint *c, size_t *size) {
    if (size)
        *size = c ? c->own_size : 0;
    return c && c->own_size ? c->own : NULL;
}

HolStatus hol_checkpoint_outcome(const HolCheckpoint *c, HolError *reason) {
    if (c && reason)
        *reason = c->reason;
    return c ? (HolStatus)c->n.status : HOL_OK;
}
