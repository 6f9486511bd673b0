// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a run: see checkpoint.h. The order in which things reach the disk:
//
//     rows and lines of the tables, then the checkpoint that counts them         at any time
//     the checkpoint AT_END, tables, the result, FINISHED, the parts go          at the end
//
// so that a kill between any two of them leaves what --resume goes on from.
#include "io/checkpoint/checkpoint.h"
#include "base/sized.h"
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
    HolTableFiles tables;
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
    if (!status)
        status = hol_table_files_choose(&c->tables, &c->arena, result, err);
    const char *outputs[3 + 2 * HOL_TABLES] = {file, result, c->rows.part.place.part};
    for (int i = 0; i < HOL_TABLES; i++) {
        outputs[3 + 2 * i] = c->tables.part[i].place.path;
        outputs[4 + 2 * i] = c->tables.part[i].place.part;
    }
    if (!status)
        status = hol_files_apart(m, NULL, 0, outputs, 3 + 2 * HOL_TABLES, err);
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
    const int there = hol_part_there(&c->rows.part) &&
                      hol_checkpoint_read(&scratch, c->file, &parts, NULL) == HOL_OK &&
                      parts.n.state != HOL_CHECKPOINT_FINISHED;
    hol_arena_free(&scratch);
    return there;
}

static HolStatus checkpoint_new_rows(HolCheckpoint *c, HolError *err) {
    const HolStatus status = hol_rows_create(&c->rows, c->model, &c->options, err);
    c->fresh = !status;
    if (!status) // (those of a run that was never saved)
        hol_table_files_discard(&c->tables);
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
                               c->file, c->rows.part.place.part);
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
    const int csv = c->rows.format == &hol_result_csv;
    if (n->state == HOL_CHECKPOINT_UNDER_WAY ||
        !hol_file_sha256(c->rows.part.place.path, sha256, &length) ||
        (csv && !hol_table_files_named(&c->tables, n->tables)))
        return 0;
    if (n->state == HOL_CHECKPOINT_FINISHED)
        return strcmp(sha256, n->result_sha256) == 0;
    // killed between the name and the mark: of a CSV file the rows are all there is
    return csv && !hol_part_there(&c->rows.part) && length == n->length &&
           strcmp(sha256, n->sha256) == 0;
}

static void checkpoint_remove_parts(const HolCheckpoint *c) {
    hol_rows_remove(&c->rows);
    if (c->rows.format != &hol_result_csv)
        hol_table_files_discard(&c->tables);
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
    for (int i = 0; has_result && i < HOL_TABLES; i++)
        c->tables.lines[i] = (long)c->n.tables[i].lines;
    if (!status && !has_result)
        status =
            hol_table_files_take(&c->tables, c->n.tables, c->n.state == HOL_CHECKPOINT_AT_END, err);
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
        checkpoint_remove_parts(c);
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

static HolStatus checkpoint_line(HolCheckpoint *c, int table, const HolTableLine *line,
                                 HolError *err) {
    return c && c->rows.w ? hol_table_files_line(&c->tables, table, line, err)
                          : hol_error_set(err, HOL_ERR_INPUT, "there is no run under way");
}

HolStatus hol_checkpoint_event(HolCheckpoint *c, const HolEvent *event, HolError *err) {
    hol_error_clear(err);
    if (!event)
        return hol_error_set(err, HOL_ERR_INPUT, "an event is missing: NULL");
    const HolTableLine line = {.event = *event};
    return checkpoint_line(c, HOL_TABLE_EVENTS, &line, err);
}

HolStatus hol_checkpoint_impulse(HolCheckpoint *c, const HolImpulse *impulse, HolError *err) {
    HolTableLine line = {.impulse = {0}};
    hol_error_clear(err);
    if (hol_sized_take(&line.impulse, sizeof line.impulse, impulse, "hol_sim_impulse", err))
        return HOL_ERR_INPUT;
    return checkpoint_line(c, HOL_TABLE_IMPULSES, &line, err);
}

typedef struct Lines {
    HolLineObserver put;
    void *user;
} Lines;

static HolStatus checkpoint_tell_line(void *to, int table, const HolTableLine *line,
                                      HolError *err) {
    const Lines *l = to;
    const int event = table == HOL_TABLE_EVENTS;
    return l->put(l->user, event ? &line->event : NULL, event ? NULL : &line->impulse, err);
}

HolStatus hol_checkpoint_lines(HolCheckpoint *c, HolLineObserver put, void *user, HolError *err) {
    Lines lines = {put, user};
    HolStatus status = HOL_OK;
    hol_error_clear(err);
    if (!c || !put)
        return hol_error_set(err, HOL_ERR_INPUT, "a checkpoint and an observer are needed");
    if (!c->rows.w && c->rows.format != &hol_result_csv &&
        (c->tables.lines[HOL_TABLE_EVENTS] || c->tables.lines[HOL_TABLE_IMPULSES]))
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "the events of a finished run stand in %s: its datasets events and "
                             "impulses",
                             c->rows.part.place.path);
    for (int i = 0; i < HOL_TABLES && !status; i++)
        status = hol_table_files_each(&c->tables, i, checkpoint_tell_line, &lines, err);
    return status;
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
    if (!status)
        status = hol_table_files_sync(&c->tables, c->n.tables, err);
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
    if (!status && !hol_file_sha256(c->rows.part.place.path, c->n.result_sha256, &length))
        status = hol_error_set(err, HOL_ERR_FILE, "cannot read %s", c->rows.part.place.path);
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
    for (int i = 0; i < HOL_TABLES; i++) {
        HolTableFacts *facts = &c->rows.w->tables[i];
        facts->lines = (long)c->n.tables[i].lines;
        memcpy(facts->sha256, c->n.tables[i].sha256, sizeof facts->sha256);
    }
    HolStatus status = hol_rows_finish(&c->rows, &c->tables, c->model, &c->options, err);
    if (!status)
        status = checkpoint_mark(c, err);
    if (!status)
        checkpoint_remove_parts(c);
    return status;
}

void hol_checkpoint_destroy(HolCheckpoint *c) {
    if (!c)
        return;
    hol_rows_close(&c->rows);
    hol_table_files_close(&c->tables);
    if (c->fresh) { // rows that nothing can go on from
        hol_part_discard(&c->rows.part);
        hol_table_files_discard(&c->tables);
    }
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
