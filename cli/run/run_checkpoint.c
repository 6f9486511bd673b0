// SPDX-License-Identifier: Apache-2.0
// A run with checkpoints: the library keeps run, rows and tables; what the summary has gathered so far
// (extremes of the columns, counts of events) goes with them as the command's own bytes:
//     numbers of columns and rows, the counts; the extremes
#include "run/run_checkpoint.h"

#include "commands.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double EVERY = 60; // seconds

struct RunCheckpoint {
    HolCheckpoint *files;
    const char *path;    // of the checkpoint
    const char *resumed; // NULL: the run is new
    double every, last;  // seconds
    int saved;           // 1: there is one of this run
    int left;            // 1: the run was interrupted behind the last one
    unsigned char *own;
    size_t room;
    char lost[512];
};

static double checkpoint_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- usage ----

int run_checkpoint_wanted(const CliArgs *args) {
    return cli_value(args, "--checkpoint") || cli_value(args, "--resume");
}

static int checkpoint_every(const CliArgs *args, double *every) {
    const char *text = cli_value(args, "--every");
    char *end = NULL;
    *every = text ? strtod(text, &end) : EVERY;
    return !text || (end != text && !*end && *every >= 0 && isfinite(*every));
}

const char *run_checkpoint_usage(const CliArgs *args) {
    const char *file = cli_value(args, "--output");
    double every;
    if (!run_checkpoint_wanted(args))
        return cli_value(args, "--every") ? "--every needs --checkpoint FILE" : NULL;
    if (!checkpoint_every(args, &every))
        return "--every wants seconds, 0 or more (0: after every step)";
    if (!file || strcmp(file, "-") == 0)
        return "--checkpoint and --resume need a file for the results: -o FILE.csv or FILE.h5";
    if (cli_value(args, "--report"))
        return "--report cannot be written by a run that may be resumed: make the page of its "
               "result, with 'holonom view'";
    if (cli_value(args, "--certify") || cli_value(args, "--accuracy"))
        return "certified digits come from two runs that may begin anew: without --checkpoint";
    return NULL;
}

// ---- the command's own bytes ----

typedef struct OwnHead {
    int64_t columns, rows;
    double first, last;
    RunEventCount events;
} OwnHead;

// all of a column but its name
typedef struct OwnColumn {
    double final, min, max, at_min, at_max, squares;
} OwnColumn;

static size_t own_size(const RunSummary *out) {
    return sizeof(OwnHead) + sizeof(OwnColumn) * (size_t)out->extremes.n;
}

static int own_pack(RunCheckpoint *c, const RunSummary *out, size_t *size) {
    *size = own_size(out);
    if (*size > c->room) {
        unsigned char *more = realloc(c->own, 2 * *size);
        if (!more)
            return 0;
        c->own = more;
        c->room = 2 * *size;
    }
    const Extremes *e = &out->extremes;
    const OwnHead head = {e->n, e->rows, e->first, e->last, out->events.count};
    unsigned char *at = c->own;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    for (int i = 0; i < e->n; i++, at += sizeof(OwnColumn)) {
        const ColumnExtremes *x = &e->columns[i];
        const OwnColumn column = {x->final, x->min, x->max, x->at_min, x->at_max, x->squares};
        memcpy(at, &column, sizeof column);
    }
    return 1;
}

// (texts end, whatever the file says)
static void own_take_events(RunEventCount *c, const RunEventCount *saved) {
    *c = *saved;
    if (c->n_recent < 0 || c->n_recent > RUN_EVENTS_RECENT)
        c->n_recent = 0;
    for (int i = 0; i < c->n_recent; i++) {
        c->recent[i].name[sizeof c->recent[i].name - 1] = 0;
        c->recent[i].kind[sizeof c->recent[i].kind - 1] = 0;
    }
    c->impulse.joint[sizeof c->impulse.joint - 1] = 0;
}

static HolStatus own_unpack(RunSummary *out, const unsigned char *at, size_t size, HolError *err) {
    OwnHead head = {0};
    Extremes *e = &out->extremes;
    if (size >= sizeof head)
        memcpy(&head, at, sizeof head);
    if (size != sizeof head + sizeof(OwnColumn) * (size_t)e->n || head.columns != e->n ||
        head.rows < 0) {
        *err = (HolError){.status = HOL_ERR_FILE, .problems = 1};
        snprintf(err->text, sizeof err->text,
                 "cannot resume: the numbers of the summary are "
                 "damaged");
        return HOL_ERR_FILE;
    }
    at += sizeof head;
    for (int i = 0; i < e->n; i++, at += sizeof(OwnColumn)) {
        OwnColumn x;
        memcpy(&x, at, sizeof x);
        e->columns[i] = (ColumnExtremes){e->columns[i].name, x.final,  x.min,    x.max,
                                         x.at_min,           x.at_max, x.squares};
    }
    e->rows = (long)head.rows;
    e->first = head.first;
    e->last = head.last;
    own_take_events(&out->events.count, &head.events);
    return HOL_OK;
}

// ---- the run ----

static HolStatus checkpoint_resume(RunJob *r, const char *to, HolError *err) {
    RunSummary *out = &r->out;
    RunCheckpoint *c = r->checkpoint;
    HolStatus status = hol_checkpoint_resume(c->resumed, to, out->file, r->model, &out->options,
                                             out->sim, &c->files, err);
    size_t size = 0;
    const void *own = hol_checkpoint_own(c->files, &size);
    out->rows = hol_checkpoint_row_count(c->files);
    c->saved = own != NULL;
    if (!status && own)
        status = own_unpack(out, own, size, err);
    if (status || !out->events.events) // --json
        return status;
    status = hol_checkpoint_lines(c->files, run_events_old, &out->events, err);
    if (status != HOL_ERR_UNSUPPORTED)
        return status;
    snprintf(c->lost, sizeof c->lost, "%.400s", err->text);
    out->events.lost = c->lost;
    *err = (HolError){0};
    return HOL_OK;
}

HolStatus run_checkpoint_open(RunJob *r, const CliArgs *args, HolError *err) {
    RunSummary *out = &r->out;
    RunCheckpoint *c = r->checkpoint = calloc(1, sizeof *c);
    const char *to = cli_value(args, "--checkpoint");
    if (!c)
        return cli_no_memory(err);
    c->resumed = cli_value(args, "--resume");
    c->path = to ? to : c->resumed;
    checkpoint_every(args, &c->every);
    HolStatus status = c->resumed ? checkpoint_resume(r, to, err)
                                  : hol_checkpoint_begin(c->path, out->file, r->model,
                                                         &out->options, &c->files, err);
    c->last = checkpoint_seconds();
    // the run ends behind whole steps only: what is saved then is what the rows tell
    hol_sim_stop_flag(out->sim, NULL);
    r->begun = status == HOL_OK;
    return status;
}

static HolStatus checkpoint_save(RunJob *r, HolSim *s, HolError *err) {
    RunCheckpoint *c = r->checkpoint;
    size_t size = 0;
    if (!own_pack(c, &r->out, &size))
        return cli_no_memory(err);
    const HolStatus status = hol_checkpoint_save(c->files, s, c->own, size, err);
    c->saved |= status == HOL_OK;
    c->last = checkpoint_seconds();
    return status;
}

HolStatus run_checkpoint_step(RunJob *r, HolSim *s, HolError *err) {
    RunCheckpoint *c = r->checkpoint;
    const int stop = *run_job_stop_flag() != 0;
    if (c->saved && !stop && checkpoint_seconds() - c->last < c->every)
        return HOL_OK;
    const HolStatus status = checkpoint_save(r, s, err);
    c->left = stop || status;
    return status ? status : stop ? HOL_INTERRUPTED : HOL_OK;
}

int run_checkpoint_left(const RunJob *r) {
    return r->checkpoint->left;
}

HolStatus run_checkpoint_row(RunJob *r, const double *row, HolError *err) {
    return hol_checkpoint_row(r->checkpoint->files, row, err);
}

HolStatus run_checkpoint_event(RunJob *r, const HolEvent *event, HolError *err) {
    return hol_checkpoint_event(r->checkpoint->files, event, err);
}

HolStatus run_checkpoint_impulse(RunJob *r, const HolImpulse *impulse, HolError *err) {
    return hol_checkpoint_impulse(r->checkpoint->files, impulse, err);
}

HolStatus run_checkpoint_run(RunJob *r, HolObserver observer, HolError *err) {
    const HolCheckpoint *files = r->checkpoint->files;
    if (hol_checkpoint_state(files) == HOL_CHECKPOINT_UNDER_WAY)
        return hol_sim_run(r->out.sim, r->out.options.end, observer, r, err);
    HolError reason;
    const HolStatus status = hol_checkpoint_outcome(files, &reason);
    if (status)
        *err = reason;
    return status;
}

static void checkpoint_failed(RunSummary *out, HolStatus status, const HolError *err) {
    if (status) {
        out->status = status;
        out->err = *err;
    }
}

void run_checkpoint_finish(RunJob *r) {
    RunSummary *out = &r->out;
    RunCheckpoint *c = r->checkpoint;
    HolError err = {0};
    HolStatus status = HOL_OK;
    size_t size = 0;
    // what a run lacks today it may have tomorrow
    if (c->left || out->status == HOL_ERR_FILE || out->status == HOL_ERR_MEMORY ||
        out->status == HOL_INTERRUPTED) {
        c->left = 1;
        return;
    }
    if (hol_checkpoint_state(c->files) == HOL_CHECKPOINT_UNDER_WAY) {
        status = own_pack(c, out, &size) ? hol_checkpoint_end(c->files, out->sim, out->status,
                                                              &out->err, c->own, size, &err)
                                         : cli_no_memory(&err);
        c->saved |= !status;
    }
    if (!status)
        status =
            hol_checkpoint_finish(c->files, &out->stats, out->checked ? &out->check : NULL, &err);
    c->left = status != HOL_OK;
    checkpoint_failed(out, status, &err);
}

void run_checkpoint_tell(const RunJob *r, FILE *to) {
    const RunCheckpoint *c = r->checkpoint;
    if (c && c->left && c->saved)
        fprintf(to,
                "holonom: rows so far are in %s.part; the same command with --resume %s goes "
                "on\n",
                r->out.file, c->path);
}

void run_checkpoint_free(RunJob *r) {
    if (!r->checkpoint)
        return;
    hol_checkpoint_destroy(r->checkpoint->files);
    free(r->checkpoint->own);
    free(r->checkpoint);
    r->checkpoint = NULL;
}
