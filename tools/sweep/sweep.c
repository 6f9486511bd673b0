// SPDX-License-Identifier: Apache-2.0
// A sweep from the study to the file. Who does the runs and in which order changes no byte of the
// result: rows are functions of the study, and are written in their order at the end.
#include "tools/sweep/sweep.h"
#include "holonom/tools.h"
#include "io/modal/modal_cache.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double hol_sweep_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int hol_sweep_stopped(const HolSweep *w) {
    return w->options->stop && *w->options->stop;
}

long hol_sweep_next(HolSweep *w) {
    while (w->next < w->study.runs && w->state[w->next] != HOL_RUN_OPEN)
        w->next++;
    if (w->next >= w->study.runs || hol_sweep_stopped(w))
        return -1;
    w->state[w->next] = HOL_RUN_GIVEN;
    return w->next;
}

static HolSweepCounts sweep_counts(const HolSweep *w) {
    const long now = w->done - w->before;
    const double seconds = hol_sweep_clock() - w->begun;
    return (HolSweepCounts){
        .runs = w->study.runs,
        .done = w->done,
        .failed = w->failed,
        .before = w->before,
        .workers = w->workers,
        .seconds = seconds,
        .left = now > 0 ? seconds / (double)now * (double)(w->study.runs - w->done) : 0,
        .cpu_seconds = w->cpu_seconds};
}

static void sweep_tell(const HolSweep *w) {
    const HolSweepCounts counts = sweep_counts(w);
    if (w->options->progress)
        w->options->progress(w->options->user, &counts);
}

// ---- rows ----

static void sweep_keep(void *user, const HolSweepRow *row) {
    HolSweep *w = user;
    HolSweepRow *to = &w->rows[row->run];
    if (w->state[row->run] == HOL_RUN_DONE)
        return;
    double *values = to->values;
    *to = *row;
    to->values = values;
    memcpy(values, row->values, sizeof *values * (size_t)w->study.n_records);
    w->state[row->run] = HOL_RUN_DONE;
    w->done++;
    w->failed += row->status != HOL_OK;
    w->cpu_seconds += row->seconds;
}

HolStatus hol_sweep_take(HolSweep *w, const char *bytes, size_t length, HolError *err) {
    HolSweepRow row = {.values = w->scratch};
    if (hol_row_unpack(&w->study, bytes, length, &row) != length)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED, "a process of the sweep sends nonsense");
    HolStatus status = hol_journal_add(&w->journal, bytes, length, err);
    if (status)
        return status;
    sweep_keep(w, &row);
    sweep_tell(w);
    return HOL_OK;
}

static int sweep_memory(HolSweep *w) {
    const size_t runs = (size_t)w->study.runs, n = (size_t)w->study.n_records;
    w->rows = HOL_NEW(&w->arena, HolSweepRow, runs);
    w->state = HOL_NEW(&w->arena, unsigned char, runs);
    w->scratch = HOL_NEW(&w->arena, double, n + 1);
    double *values = HOL_NEW(&w->arena, double, runs *n + 1);
    if (!w->rows || !w->state || !w->scratch || !values)
        return 0;
    for (size_t i = 0; i < runs; i++)
        w->rows[i].values = values + i * n;
    return 1;
}

// ---- processes of this machine ----

static int sweep_jobs(const HolSweep *w) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN), open = w->study.runs - w->done;
    long jobs = w->options->jobs > 0 ? w->options->jobs : cores > 0 ? cores : 1;
    jobs = jobs > 1024 ? 1024 : jobs;
    return (int)(jobs < open ? jobs : open);
}

// hand out the next run; 1: there was one
static int sweep_give(HolSweep *w, HolSweepSlot *slot) {
    const long run = hol_sweep_next(w);
    slot->run = -1;
    return run >= 0 && hol_slot_ask(slot, run);
}

static HolStatus sweep_answers(HolSweep *w, HolSweepSlot *slots, struct pollfd *files, int n,
                               int *busy, HolError *err) {
    HolStatus status = HOL_OK;
    for (int i = 0; i < n && !status; i++) {
        if (!(files[i].revents & (POLLIN | POLLHUP | POLLERR)))
            continue;
        const int got = hol_slot_read(&w->study, &slots[i]);
        if (got == 0)
            continue;
        if (got < 0)
            return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                                 "a process of the sweep is gone; --resume goes on");
        status = hol_sweep_take(w, slots[i].bytes, slots[i].have, err);
        if (!status && !sweep_give(w, &slots[i]))
            --*busy;
    }
    return status;
}

static HolStatus sweep_here(HolSweep *w, HolError *err) {
    HolArena arena = {0};
    const int n = w->workers = sweep_jobs(w);
    HolSweepSlot *slots = HOL_NEW(&arena, HolSweepSlot, n + 1);
    struct pollfd *files = HOL_NEW(&arena, struct pollfd, n + 1);
    HolStatus status =
        slots && files ? HOL_OK : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    int begun = 0, busy = 0;
    for (; begun < n && !status; begun++) {
        status = hol_slot_open(&w->study, &arena, &slots[begun], slots, begun, err);
        if (status)
            break;
        busy += sweep_give(w, &slots[begun]);
    }
    while (!status && busy > 0 && !hol_sweep_stopped(w)) {
        for (int i = 0; i < n; i++)
            files[i] =
                (struct pollfd){.fd = slots[i].run >= 0 ? slots[i].answer : -1, .events = POLLIN};
        if (poll(files, (nfds_t)n, 200) < 0 && errno != EINTR)
            status = hol_error_set(err, HOL_ERR_UNSUPPORTED, "poll: %s", strerror(errno));
        else
            status = sweep_answers(w, slots, files, n, &busy, err);
    }
    for (int i = 0; i < begun; i++)
        hol_slot_close(&slots[i]);
    hol_arena_free(&arena);
    return status;
}

// ---- the whole ----

static HolStatus sweep_files(HolSweep *w, HolError *err) {
    const HolSweepOptions *o = w->options;
    const char *inputs[] = {w->study.file, w->study.model_file};
    const char *file = o->output && strcmp(o->output, "-") != 0 ? o->output : NULL;
    const size_t size = file ? strlen(file) + 16 : 1;
    char *journal = hol_arena_alloc(&w->arena, size);
    HolModel *model = NULL; // with the files that it names
    HolSimOptions options;
    if (!journal)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (file)
        snprintf(journal, size, "%s.journal", file);
    const char *outputs[] = {file, o->report, file ? journal : NULL};
    HolStatus status = hol_study_model(&w->study, 0, &model, &options, err);
    if (!status)
        status = hol_files_apart(model, inputs, 2, outputs, 3, err);
    hol_model_destroy(model);
    return status;
}

static HolStatus sweep_begin(HolSweep *w, HolError *err) {
    const HolSweepOptions *o = w->options;
    const int file = o->output && strcmp(o->output, "-") != 0;
    if (o->resume && !file)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "--resume needs -o FILE: its journal is beside it");
    HolStatus status = sweep_files(w, err);
    if (!status && file)
        status = hol_sweep_writable(o->output, err);
    if (!status && file)
        status = hol_journal_open(&w->study, &w->arena, o->output, o->resume, sweep_keep, w,
                                  &w->journal, err);
    w->before = w->done;
    w->cpu_before = w->cpu_seconds;
    return status;
}

static HolStatus sweep_end(HolSweep *w, HolError *err) {
    if (w->done < w->study.runs)
        return hol_error_set(err, HOL_INTERRUPTED, "stopped after %ld of %ld runs%s", w->done,
                             w->study.runs, w->journal.fd >= 0 ? "; --resume goes on" : "");
    HolStatus status = hol_sweep_write(w, w->options->output ? w->options->output : "-", err);
    if (!status && w->options->report)
        status = hol_sweep_report(w, w->options->report, err);
    return status;
}

HolStatus hol_sweep(const char *study, const HolSweepOptions *o, HolSweepCounts *counts,
                    HolError *err) {
    HolSweep *w;
    HolArena arena = {0};
    int rank = 0;
    const int mpi = hol_sweep_under_mpi(&rank);
    hol_error_clear(err);
    w = HOL_NEW(&arena, HolSweep, 1);
    if (!w)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    w->options = o;
    w->journal.fd = -1;
    w->begun = hol_sweep_clock();
    signal(SIGPIPE, SIG_IGN);
    HolStatus status = o->cache ? hol_modal_cache_folder(o->cache, err) : HOL_OK;
    if (!status)
        status = hol_study_load(study, o->cache, &w->study, err);
    if (!status && !sweep_memory(w))
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!status && rank == 0)
        status = sweep_begin(w, err);
    if (!status || mpi) // (the others wait for rank 0)
        status = mpi ? hol_sweep_mpi(w, rank, status, err) : sweep_here(w, err);
    if (!status && rank == 0)
        status = sweep_end(w, err);
    hol_journal_close(&w->journal, rank == 0 && !status);
    if (counts)
        *counts = sweep_counts(w);
    hol_study_free(&w->study);
    hol_arena_free(&w->arena);
    hol_arena_free(&arena);
    return status;
}
