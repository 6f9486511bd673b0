// SPDX-License-Identifier: Apache-2.0
// Opening, committing and discarding result files: everything that CSV and HDF5 have in common.
// Only a complete file ever carries the name the caller asked for.
#include "io/result/write_result.h"
#include "base/sized.h"
#include "base/text.h"
#include "io/result/manifest.h"
#include "solve/sim.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const HolResultFormat *const formats[] = {
    &hol_result_csv,
#ifdef HOL_HAVE_HDF5
    &hol_result_hdf5_apart,
#endif
    NULL,
};

HolStatus hol_result_error(const HolResultWriter *w, const char *reason, HolError *err) {
    return hol_file_error(&w->place, reason, err);
}

const char *hol_result_column_name(const HolModel *m, int i) {
    const char *name = hol_model_column(m, i).name;
    return name ? name : "";
}

static int write_result_ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), k = strlen(ending);
    return n > k && strcasecmp(text + n - k, ending) == 0;
}

const HolResultFormat *hol_result_format(const char *path, HolError *err) {
    for (int i = 0; formats[i]; i++)
        for (int k = 0; formats[i]->endings[k]; k++)
            if (write_result_ends_with(path, formats[i]->endings[k]))
                return formats[i];
#ifndef HOL_HAVE_HDF5
    if (write_result_ends_with(path, ".h5") || write_result_ends_with(path, ".hdf5")) {
        hol_error_set(err, HOL_ERR_UNSUPPORTED,
                      "cannot write %s: this build has no HDF5; use a name ending in .csv", path);
        return NULL;
    }
#endif
    hol_error_set(err, HOL_ERR_INPUT,
                  "cannot tell the format of the result file '%s' from its name; it must "
                  "end in .csv, .h5 or .hdf5",
                  path);
    return NULL;
}

// devices, pipes and standard output take CSV
static HolStatus choose_place(HolResultWriter *w, const char *path, HolError *err) {
    HolStatus status = hol_file_choose(&w->place, &w->arena, path, err);
    w->format = &hol_result_csv;
    if (status || w->place.direct)
        return status;
    HolError problem = {.status = HOL_ERR_INPUT};
    const HolResultFormat *format = hol_result_format(path, &problem);
    if (format)
        w->format = format;
    else if (err)
        *err = problem;
    return format ? HOL_OK : problem.status;
}

static void release(HolResultWriter *w) {
    HolArena arena = w->arena; // the writer itself lives in it
    hol_arena_free(&arena);
}

// ---- the manifest ----

// what is known before the run; the model may be gone when the file is closed
static int make_head(HolResultWriter *w, const HolModel *m, const HolSimOptions *o) {
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        return 0;
    hol_manifest_head(f, m, o, w->format->tells_columns);
    if (hol_memory_close(f, &text))
        w->head = hol_arena_text_n(&w->arena, text, length);
    free(text);
    return w->head != NULL;
}

char *hol_result_manifest(const HolResultWriter *w, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    if (!f)
        return NULL;
    fputs(w->head, f);
    hol_manifest_tail(f, w->rows, w->has_stats ? &w->stats : NULL, w->has_check ? &w->check : NULL,
                      w->status, w->message, w->sha256, w->tables, w->certificate);
    hol_memory_close(f, &text);
    return text;
}

void hol_result_summary(HolResultWriter *w, const HolStats *stats, const HolCheck *check,
                        HolStatus status, const char *message) {
    if (!w)
        return;
    HolError problem;
    w->has_stats = stats != NULL;
    w->has_check = check != NULL;
    if ((stats && hol_sized_take(&w->stats, sizeof w->stats, stats, "hol_sim_stats", &problem)) ||
        (check && hol_sized_take(&w->check, sizeof w->check, check, "hol_sim_check", &problem))) {
        w->has_stats = w->has_check = 0;
        w->refused = hol_arena_text(&w->arena, problem.text);
        w->failed = 1;
    }
    w->status = status;
    w->message = hol_arena_text(&w->arena, message);
}

void hol_result_certificate(HolResultWriter *w, const HolCertificate *c) {
    char *text = NULL;
    size_t length = 0;
    if (!w || !c)
        return;
    FILE *f = open_memstream(&text, &length);
    if (f)
        hol_certificate_json(c, f);
    if (f && hol_memory_close(f, &text))
        w->certificate = hol_arena_text_n(&w->arena, text, length);
    w->arena.failed |= w->certificate == NULL;
    free(text);
}

static HolStatus open_writer(const char *path, const HolModel *m, const HolSimOptions *o,
                             int certified, HolResultWriter **out, HolError *err) {
    HolSimOptions options;
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the writer: out is NULL");
    *out = NULL;
    if (!path || !m || !hol_model_problem(m))
        return hol_error_set(err, HOL_ERR_INPUT, "%s",
                             path ? "the model is not compiled" : "the path of a file is missing");
    if (hol_options_take(&options, o, err))
        return HOL_ERR_INPUT;
    o = &options;
    HolArena arena = {0};
    HolResultWriter *w = HOL_NEW(&arena, HolResultWriter, 1);
    if (!w)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    w->arena = arena;
    w->columns = hol_model_column_count(m);
    w->certified = certified;
    const char *outputs[1 + HOL_TABLES] = {path};
    for (int i = 0; i < HOL_TABLES; i++)
        outputs[1 + i] = hol_table_path(&w->arena, path, &hol_tables[i]);
    HolStatus status = w->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory")
                                       : hol_files_apart(m, NULL, 0, outputs, 1, err);
    if (!status)
        status = choose_place(w, path, err);
    if (!status && w->format == &hol_result_csv && !w->place.direct)
        status = hol_files_apart(m, NULL, 0, outputs + 1, HOL_TABLES, err);
    if (!status && !w->place.direct && !make_head(w, m, o))
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!status) {
        status = w->format->open(w, m, o, err);
        if (status)
            hol_file_finish(&w->place, NULL, 0, NULL);
    }
    if (status) {
        release(w);
        return status;
    }
    *out = w;
    return HOL_OK;
}

HolStatus hol_result_open_kept(const HolAtomicFile *place, FILE *kept, long rows, int begun,
                               const HolModel *m, const HolSimOptions *o, HolResultWriter **out,
                               HolError *err) {
    HolArena arena = {0};
    HolResultWriter *w = HOL_NEW(&arena, HolResultWriter, 1);
    *out = NULL;
    if (!w) {
        fclose(kept);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    w->arena = arena;
    w->columns = hol_model_column_count(m);
    w->format = &hol_result_csv;
    w->place = *place;
    w->kept = kept;
    w->begun = begun;
    w->rows = rows;
    HolStatus status = HOL_OK;
    if (!make_head(w, m, o)) {
        fclose(kept);
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    } else {
        status = w->format->open(w, m, o, err);
    }
    if (status)
        release(w);
    else
        *out = w;
    return status;
}

void hol_result_leave(HolResultWriter *w) {
    if (!w)
        return;
    fclose(w->kept); // (what a checkpoint counts is on the disk)
    release(w);
}

HolStatus hol_result_open(const char *path, const HolModel *m, const HolSimOptions *o,
                          HolResultWriter **out, HolError *err) {
    return open_writer(path, m, o, 0, out, err);
}

HolStatus hol_result_open_certified(const char *path, const HolModel *m, const HolSimOptions *o,
                                    HolResultWriter **out, HolError *err) {
    return open_writer(path, m, o, 1, out, err);
}

// nothing to write to, or no numbers; err is cleared
static int no_row(const HolResultWriter *w, const double *row, HolError *err) {
    hol_error_clear(err);
    if (!w || !row)
        hol_error_set(err, HOL_ERR_INPUT, "%s is missing: NULL", w ? "a row" : "a result to write");
    return !w || !row;
}

HolStatus hol_result_certified_row(HolResultWriter *w, const double *row, const double *bounds,
                                   HolError *err) {
    if (no_row(w, row, err) || (w->certified && no_row(w, bounds, err)))
        return HOL_ERR_INPUT;
    HolStatus status = hol_result_row(w, row, err);
    if (!status && w->certified && (status = w->format->errors(w, bounds, err)))
        w->failed = 1;
    return status;
}

HolStatus hol_result_row(HolResultWriter *w, const double *row, HolError *err) {
    if (no_row(w, row, err))
        return HOL_ERR_INPUT;
    HolStatus status = w->format->row(w, row, err);
    if (status)
        w->failed = 1;
    w->rows++;
    return status;
}

static HolStatus result_line(HolResultWriter *w, int table, const HolTableLine *line,
                             HolError *err) {
    const HolStatus status = w->place.direct ? HOL_OK : w->format->line(w, table, line, err);
    if (status)
        w->failed = 1;
    w->tables[table].lines++;
    return status;
}

HolStatus hol_result_event(HolResultWriter *w, const HolEvent *event, HolError *err) {
    hol_error_clear(err);
    if (!w || !event)
        return hol_error_set(err, HOL_ERR_INPUT, "a result and an event are needed, not NULL");
    const HolTableLine line = {.event = *event};
    return result_line(w, HOL_TABLE_EVENTS, &line, err);
}

HolStatus hol_result_impulse(HolResultWriter *w, const HolImpulse *impulse, HolError *err) {
    HolTableLine line = {.impulse = {0}};
    hol_error_clear(err);
    if (!w)
        return hol_error_set(err, HOL_ERR_INPUT, "a result to write is missing: NULL");
    if (hol_sized_take(&line.impulse, sizeof line.impulse, impulse, "hol_sim_impulse", err))
        return HOL_ERR_INPUT;
    return result_line(w, HOL_TABLE_IMPULSES, &line, err);
}

HolStatus hol_result_close(HolResultWriter *w, int commit, HolError *err) {
    hol_error_clear(err);
    if (!w)
        return HOL_OK;
    const int lost = w->arena.failed; // something that it should say is missing
    HolStatus status = w->format->close(w, commit && !w->failed && !lost, err);
    if (!status && commit && lost && !w->failed)
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!status && commit && w->refused)
        status = hol_error_set(err, HOL_ERR_INPUT, "hol_result_summary: %s", w->refused);
    release(w);
    return status;
}
