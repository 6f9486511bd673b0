// SPDX-License-Identifier: Apache-2.0
// CSV results (RFC 4180): one header row of column names, then one row of numbers a time. Numbers
// have 17 significant digits, so that reading gives the same double back; the decimal mark is a
// point in every locale; what is not finite reads nan, inf, -inf. Beside FILE.csv stands its
// manifest FILE.csv.json, written before the results get their name.
#include "io/write_result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 16 };

typedef struct Csv {
    FILE *file;
    char *buffer; // of the stream
} Csv;

// a name with a comma, a quote or a line break is quoted, quotes inside doubled
static void put_name(FILE *file, const char *name) {
    if (!strpbrk(name, ",\"\r\n")) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name; name++) {
        if (*name == '"')
            fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

static void put_number(FILE *file, double value) {
    if (!isfinite(value)) {
        fputs(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf", file);
        return;
    }
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    // a program that uses the library may have set a locale with a decimal comma
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
    fputs(text, file);
}

static HolStatus csv_open(HolResultWriter *w, const HolModel *m, const HolSimOptions *o,
                          HolError *err) {
    (void)o;
    Csv *csv = HOL_NEW(&w->arena, Csv, 1);
    char *buffer = HOL_NEW(&w->arena, char, BUFFER);
    if (!csv || !buffer)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    csv->buffer = buffer;
    w->data = csv;
    csv->file = hol_file_open(&w->place, err);
    if (!csv->file)
        return HOL_ERR_FILE;
    if (csv->file != stdout)
        setvbuf(csv->file, csv->buffer, _IOFBF, BUFFER);
    for (int i = 0; i < w->columns; i++) {
        if (i)
            fputc(',', csv->file);
        put_name(csv->file, hol_result_column_name(m, i));
    }
    errno = 0;
    if (fputc('\n', csv->file) == EOF || ferror(csv->file)) {
        hol_result_error(w, strerror(errno ? errno : EIO), err);
        if (csv->file != stdout)
            fclose(csv->file);
        return HOL_ERR_FILE;
    }
    return HOL_OK;
}

static HolStatus csv_row(HolResultWriter *w, const double *row, HolError *err) {
    Csv *csv = w->data;
    errno = 0;
    for (int i = 0; i < w->columns; i++) {
        if (i)
            fputc(',', csv->file);
        put_number(csv->file, row[i]);
    }
    fputc('\n', csv->file);
    return ferror(csv->file) ? hol_result_error(w, strerror(errno ? errno : EIO), err) : HOL_OK;
}

// FILE.csv.json, complete or not at all
static HolStatus put_manifest(HolResultWriter *w, HolError *err) {
    HolFilePlace place;
    size_t length = 0, size = strlen(w->place.target) + 8;
    char *name = hol_arena_alloc(&w->arena, size), *text = hol_result_manifest(w, &length);
    if (!name || !text) {
        free(text);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    snprintf(name, size, "%s.json", w->place.target);
    HolStatus status = hol_file_choose(&place, &w->arena, name, err);
    FILE *f = status ? NULL : hol_file_open(&place, err);
    if (f) {
        fwrite(text, 1, length, f);
        status = hol_file_close(&place, f, 1, err);
    }
    free(text);
    return f ? status : HOL_ERR_FILE;
}

// results without their manifest are better than none
static void say_kept(const HolResultWriter *w, HolError *err) {
    size_t used = err ? strlen(err->text) : 0;
    if (err)
        snprintf(err->text + used, sizeof err->text - used, "; the results are in %s, without it",
                 w->place.path);
}

// the data must be on the disk before the name is
static HolStatus csv_close(HolResultWriter *w, int keep, HolError *err) {
    Csv *csv = w->data;
    HolStatus status = hol_file_flush(&w->place, csv->file, keep, err);
    HolStatus manifest = HOL_OK;
    if (!status && keep && !w->place.direct)
        manifest = put_manifest(w, err);
    HolStatus finished = hol_file_finish(&w->place, keep && !status, err);
    if (!status)
        status = finished;
    if (!status && manifest)
        say_kept(w, err);
    return status ? status : manifest;
}

const HolResultFormat hol_result_csv = {
    .name = "CSV",
    .endings = {".csv"},
    .open = csv_open,
    .row = csv_row,
    .close = csv_close,
};
