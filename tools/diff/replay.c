// SPDX-License-Identifier: Apache-2.0
// A stored result repeated from its manifest, and compared: bytes of CSV files, numbers of HDF5
// files. The model, its settings and the options are all that a run depends on; a run that was
// interrupted is ended after the same number of steps, one that failed fails again. A certified
// result holds the rows of one run with the options of the manifest: the run beside it is not needed.
#include "base/arena.h"
#include "base/error.h"
#include "base/sized.h"
#include "holonom/tools.h"
#include "io/result/read_result.h"
#include "io/result/tables.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct Replaying {
    HolReplay *r;
    const char *path;
    HolResult *stored;
    HolModel *model;
    HolSimOptions options;
    HolResultWriter *writer;
    double *row;
    long lines[HOL_TABLES];
    long last_step;    // after which it was interrupted; 0: it was not
    volatile int stop; // the run looks at it
    char folder[64];   // of what is not kept; "": none
    char file[256];    // the repeated result
} Replaying;

void hol_replay_options_sized(HolReplay *out, size_t room) {
    const HolReplay options = {0};
    hol_sized_make(out, room, &options, sizeof options);
}

static void replay_remark(HolReplay *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void replay_remark(HolReplay *r, const char *format, ...) {
    const size_t used = strlen(r->remarks);
    va_list args;
    va_start(args, format);
    vsnprintf(r->remarks + used, sizeof r->remarks - used, format, args);
    va_end(args);
    if (strlen(r->remarks) + 1 < sizeof r->remarks)
        strcat(r->remarks, "\n");
}

static int replay_ends_with(const char *text, const char *ending) {
    const size_t n = strlen(text), k = strlen(ending);
    return n > k && strcasecmp(text + n - k, ending) == 0;
}

static int replay_is_csv(const char *path) {
    return replay_ends_with(path, ".csv");
}

// ---- the run ----

// lines of the tables beside the result
static HolStatus replay_lines_of(Replaying *p, const HolSim *s, HolError *err) {
    HolEvent event;
    HolImpulse impulse;
    HolStatus status = HOL_OK;
    for (int i = 0; !status && hol_sim_event(s, i, &event); i++, p->lines[HOL_TABLE_EVENTS]++)
        status = hol_result_event(p->writer, &event, err);
    for (int i = 0; !status && hol_sim_impulse(s, i, &impulse); i++, p->lines[HOL_TABLE_IMPULSES]++)
        status = hol_result_impulse(p->writer, &impulse, err);
    return status;
}

static HolStatus replay_observe(void *user, HolSim *s, int what, double t, HolError *err) {
    Replaying *p = user;
    if (what == HOL_AT_STEP) {
        if (p->r->step)
            p->r->step(p->r->user, t, p->options.end);
        if (p->r->stop && *p->r->stop)
            return HOL_INTERRUPTED;
        p->stop = p->last_step > 0 && hol_sim_stats(s).steps >= p->last_step;
        return HOL_OK;
    }
    if (what == HOL_AT_EVENT)
        return replay_lines_of(p, s, err);
    if (what != HOL_AT_ROW)
        return HOL_OK;
    HolStatus status = hol_sim_row(s, t, p->row, err);
    return status ? status : hol_result_row(p->writer, p->row, err);
}

static HolStatus replay_write(Replaying *p, HolError *err) {
    HolSim *sim = NULL;
    HolCheck check;
    p->row = HOL_NEW(&p->stored->arena, double, hol_model_column_count(p->model) + 1);
    if (!p->row)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolStatus status = hol_sim_create(p->model, &p->options, &sim, err);
    if (!status) {
        hol_sim_stop_flag(sim, &p->stop);
        status = hol_sim_assemble(sim, err);
    }
    const int checked = !status && hol_sim_check(sim, &check, NULL) == HOL_OK;
    if (!status)
        status = hol_result_open(p->file, p->model, &p->options, &p->writer, err);
    if (!status) {
        HolError problem = {0};
        status = hol_sim_run(sim, p->options.end, replay_observe, p, &problem);
        const int asked = p->r->stop && *p->r->stop;
        const HolStats stats = hol_sim_stats(sim);
        hol_result_summary(p->writer, &stats, checked ? &check : NULL, status, problem.text);
        HolStatus closed = hol_result_close(p->writer, status != HOL_ERR_FILE, err);
        if (status == HOL_ERR_FILE || asked) {
            if (err)
                *err = problem;
            closed = asked ? HOL_INTERRUPTED : status;
        }
        status = closed; // how a run ends is part of the result
    }
    hol_sim_destroy(sim);
    return status;
}

// the file of the repeated result: what is asked for, or one of its own
static HolStatus replay_place(Replaying *p, HolError *err) {
    const char *temporary = getenv("TMPDIR");
    if (p->r->output) {
        snprintf(p->file, sizeof p->file, "%s", p->r->output);
        if (strlen(p->r->output) >= sizeof p->file)
            return hol_error_set(err, HOL_ERR_INPUT, "the path of the output is too long");
        return hol_files_apart(p->model, &p->path, 1, &p->r->output, 1, err);
    }
    if (!temporary || !temporary[0] || strlen(temporary) > 32)
        temporary = "/tmp";
    snprintf(p->folder, sizeof p->folder, "%s/holonom-replay-XXXXXX", temporary);
    if (!mkdtemp(p->folder)) {
        hol_error_set(err, HOL_ERR_FILE, "cannot write %s: %s", p->folder, strerror(errno));
        p->folder[0] = 0;
        return HOL_ERR_FILE;
    }
    snprintf(p->file, sizeof p->file, "%s/again.%s", p->folder,
             replay_is_csv(p->path) ? "csv" : "h5");
    return HOL_OK;
}

static void replay_clean(Replaying *p) {
    char manifest[sizeof p->file + 8];
    if (!p->folder[0])
        return;
    snprintf(manifest, sizeof manifest, "%s.json", p->file);
    unlink(p->file);
    unlink(manifest);
    for (int i = 0; i < HOL_TABLES; i++) {
        const char *table = hol_table_path(&p->stored->arena, p->file, &hol_tables[i]);
        if (table)
            unlink(table);
    }
    rmdir(p->folder);
}

// ---- the comparison ----

// the first byte that differs; -1: none; -2: one of the files cannot be read
static long replay_first_byte(const char *a, const char *b) {
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    long at = -2;
    if (f && g) {
        int x, y;
        at = 0;
        while ((x = getc(f)) == (y = getc(g)) && x != EOF)
            at++;
        at = x == y ? -1 : at;
        if (ferror(f) || ferror(g))
            at = -2;
    }
    if (f)
        fclose(f);
    if (g)
        fclose(g);
    return at;
}

// the same bits; what is no number has many
static int replay_same_bits(double a, double b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static int replay_columns_differ(Replaying *p, const HolResult *again) {
    const HolResult *stored = p->stored;
    char *text = p->r->text;
    const size_t size = sizeof p->r->text;
    for (int i = 0; i < stored->n_columns && i < again->n_columns; i++)
        if (strcmp(stored->columns[i].name, again->columns[i].name) != 0) {
            snprintf(text, size, "not the same: column %d is '%.100s' stored, '%.100s' repeated",
                     i + 1, stored->columns[i].name, again->columns[i].name);
            return 1;
        }
    if (stored->n_columns == again->n_columns)
        return 0;
    snprintf(text, size, "not the same: %d columns stored, %d repeated", stored->n_columns,
             again->n_columns);
    return 1;
}

// 1: the numbers are the same; else text says where they part
static int replay_same_numbers(Replaying *p, const HolResult *again) {
    const HolResult *stored = p->stored;
    char *text = p->r->text;
    const size_t size = sizeof p->r->text;
    if (replay_columns_differ(p, again))
        return 0;
    for (long i = 0; i < stored->rows && i < again->rows; i++)
        for (int c = 0; c < stored->n_columns; c++) {
            const double x = stored->values[c][i], y = again->values[c][i];
            if (replay_same_bits(x, y))
                continue;
            snprintf(
                text, size,
                "not the same: they part at t = %.9g s (row %ld), where %.100s is %.17g stored "
                "and %.17g repeated",
                stored->values[0][i], i + 1, stored->columns[c].name, x, y);
            return 0;
        }
    if (stored->rows == again->rows)
        return 1;
    snprintf(text, size,
             "not the same: what both have is, but %ld rows up to t = %.9g s are stored and %ld up "
             "to t = %.9g s repeated",
             stored->rows, stored->values[0][stored->rows - 1], again->rows,
             again->values[0][again->rows - 1]);
    return 0;
}

// 1: the tables beside CSV files have the same bytes; else text says which one has not
static int replay_same_tables(Replaying *p) {
    for (int i = 0; i < HOL_TABLES; i++) {
        const char *stored = hol_table_path(&p->stored->arena, p->path, &hol_tables[i]),
                   *again = hol_table_path(&p->stored->arena, p->file, &hol_tables[i]);
        // (a file is of an older result where this run has no lines; the result was moved without it)
        if (!stored || !again || !p->lines[i] || access(stored, R_OK) != 0)
            continue;
        const long byte = replay_first_byte(stored, again);
        if (byte == -1)
            continue;
        snprintf(p->r->text, sizeof p->r->text,
                 "not the same: the rows are, but the table of %.40s is not", hol_tables[i].name);
        return 0;
    }
    return 1;
}

static HolStatus replay_compare(Replaying *p, HolError *err) {
    HolReplay *r = p->r;
    HolResult *again = NULL;
    HolStatus status = hol_result_read(p->file, &again, err);
    if (status)
        return status;
    const int csv = replay_is_csv(p->path) && replay_is_csv(p->file);
    r->same = replay_same_numbers(p, again);
    const long byte = csv && r->same ? replay_first_byte(p->path, p->file) : -1;
    if (byte == -2)
        status = hol_error_set(err, HOL_ERR_FILE, "cannot read %s: %s", p->path, strerror(errno));
    if (byte >= 0) {
        r->same = 0;
        snprintf(
            r->text, sizeof r->text,
            "not the same: the numbers are, but the bytes of the file are not from byte %ld on",
            byte + 1);
    }
    if (csv && r->same)
        r->same = replay_same_tables(p);
    if (r->same)
        snprintf(r->text, sizeof r->text, "the same: %ld rows of %d columns, bit by bit",
                 again->rows, again->n_columns);
    hol_result_destroy(again);
    return status;
}

// ---- from the manifest ----

static void replay_tell_manifest(Replaying *p) {
    const HolManifest *m = &p->stored->manifest;
    if (strcmp(m->generator ? m->generator : "", hol_version()) != 0)
        replay_remark(p->r, "The result was made by %.100s, this is %.100s.",
                      m->generator && m->generator[0] ? m->generator : "an unknown version",
                      hol_version());
    if (hol_result_model_changed(p->stored))
        replay_remark(p->r, "The model's text in the manifest is not the one it was made with: its "
                            "SHA-256 is another one.");
    if (!m->has_options)
        replay_remark(p->r, "The manifest tells no options: those of the model were taken.");
    if (m->status && strcmp(m->status, hol_status_text(HOL_INTERRUPTED)) == 0)
        p->last_step = m->has_stats && m->stats.steps > 0 ? m->stats.steps : 1;
}

HolStatus hol_replay(const char *result, HolReplay *options, HolError *err) {
    HolReplay own = hol_replay_options();
    hol_error_clear(err);
    if (!result || !options)
        return hol_error_set(err, HOL_ERR_INPUT, "%s is missing: NULL",
                             result ? "the place of the answer" : "the path of a result");
    if (hol_sized_take(&own, sizeof own, options, "hol_replay_options", err))
        return HOL_ERR_INPUT;
    own.same = 0;
    own.text[0] = own.remarks[0] = 0;
    Replaying p = {.r = &own, .path = result};
    HolStatus status = hol_result_read(result, &p.stored, err);
    if (!status)
        status = hol_result_model(p.stored, &p.model, &p.options, err);
    if (!status) {
        replay_tell_manifest(&p);
        status = replay_place(&p, err);
    }
    if (!status)
        status = replay_write(&p, err);
    if (!status)
        status = replay_compare(&p, err);
    replay_clean(&p);
    hol_model_destroy(p.model);
    hol_result_destroy(p.stored);
    const size_t room = options->size;
    hol_sized_make(options, room, &own, sizeof own);
    return status;
}
