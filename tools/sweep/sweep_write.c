// SPDX-License-Identifier: Apache-2.0
// The result of a sweep, one row a run in the order of the runs:
//     run, keys of vary, records, status, message, steps, rejected, force_evaluations
// Nothing in it depends on time, order or machine. A record that has no value is an empty field.
#include "io/atomic_file.h"
#include "io/hdf5/study_hdf5.h"
#include "tools/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int sweep_ends_with(const char *text, const char *ending) {
    const size_t n = strlen(text), k = strlen(ending);
    return n > k && strcasecmp(text + n - k, ending) == 0;
}

static int sweep_is_hdf5(const char *path) {
    return sweep_ends_with(path, ".h5") || sweep_ends_with(path, ".hdf5");
}

HolStatus hol_sweep_writable(const char *path, HolError *err) {
    if (!sweep_is_hdf5(path) && !sweep_ends_with(path, ".csv"))
        return hol_error_set(
            err, HOL_ERR_INPUT,
            "cannot tell the format of the result file '%s' from its name; it must "
            "end in .csv, .h5 or .hdf5",
            path);
    return sweep_is_hdf5(path) ? hol_hdf5_study_ready(err) : HOL_OK;
}

static void sweep_put_text(FILE *f, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

static void sweep_put_number(FILE *f, double value) {
    if (isfinite(value))
        fprintf(f, "%.17g", value + 0.0);
    else if (!isnan(value))
        fputs(value > 0 ? "inf" : "-inf", f);
}

static void sweep_csv(const HolSweep *w, FILE *f) {
    const HolStudy *s = &w->study;
    fputs("run", f);
    for (int k = 0; k < s->n_vary + s->n_records; k++) {
        fputc(',', f);
        sweep_put_text(f, k < s->n_vary ? s->vary[k].key : s->records[k - s->n_vary].name);
    }
    fputs(",status,message,steps,rejected,force_evaluations\n", f);
    for (long i = 0; i < s->runs; i++) {
        const HolSweepRow *row = &w->rows[i];
        fprintf(f, "%ld", i + 1);
        for (int k = 0; k < s->n_vary + s->n_records; k++) {
            fputc(',', f);
            sweep_put_number(f,
                             k < s->n_vary ? hol_study_value(s, i, k) : row->values[k - s->n_vary]);
        }
        fprintf(f, ",%s,", hol_sweep_status(row));
        sweep_put_text(f, row->message);
        fprintf(f, ",%ld,%ld,%ld\n", row->steps, row->rejected, row->force_evaluations);
    }
}

static HolStatus sweep_hdf5(const HolSweep *w, const HolAtomicFile *place, HolError *err) {
    const HolStudy *s = &w->study;
    HolArena arena = {0};
    const int n = 1 + s->n_vary + s->n_records + 3;
    const size_t runs = (size_t)s->runs;
    const char **names = HOL_NEW(&arena, const char *, n);
    const char **status = HOL_NEW(&arena, const char *, runs);
    const char **message = HOL_NEW(&arena, const char *, runs);
    double *data = HOL_NEW(&arena, double, runs *(size_t)n);
    if (!names || !status || !message || !data) {
        hol_arena_free(&arena);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    int c = 0;
    names[c++] = "run";
    for (int k = 0; k < s->n_vary; k++)
        names[c++] = s->vary[k].key;
    for (int k = 0; k < s->n_records; k++)
        names[c++] = s->records[k].name;
    names[c] = "steps";
    names[c + 1] = "rejected";
    names[c + 2] = "force_evaluations";
    for (long i = 0; i < s->runs; i++) {
        const HolSweepRow *row = &w->rows[i];
        double *to = data + i * n;
        *to++ = (double)(i + 1);
        for (int k = 0; k < s->n_vary; k++)
            *to++ = hol_study_value(s, i, k);
        for (int k = 0; k < s->n_records; k++)
            *to++ = row->values[k];
        *to++ = (double)row->steps;
        *to++ = (double)row->rejected;
        *to = (double)row->force_evaluations;
        status[i] = hol_sweep_status(row);
        message[i] = row->message;
    }
    const HolStudyTable table = {.names = names,
                                 .columns = n,
                                 .data = data,
                                 .rows = s->runs,
                                 .status = status,
                                 .message = message,
                                 .study = s->text,
                                 .model = s->model_text};
    HolStatus result = hol_hdf5_study_write(place, &table, err);
    hol_arena_free(&arena);
    return result;
}

HolStatus hol_sweep_write(const HolSweep *w, const char *path, HolError *err) {
    HolArena arena = {0};
    HolAtomicFile place;
    HolStatus status = hol_file_choose(&place, &arena, path, err);
    if (!status && !place.direct && sweep_is_hdf5(path)) {
        status = sweep_hdf5(w, &place, err);
    } else if (!status) {
        FILE *f = hol_file_open(&place, err);
        if (f) {
            sweep_csv(w, f);
            status = hol_file_close(&place, f, 1, err);
        } else {
            status = HOL_ERR_FILE;
        }
    }
    hol_arena_free(&arena);
    return status;
}
