// SPDX-License-Identifier: Apache-2.0
// CSV results (RFC 4180): one header row of column names, then one row of numbers a time. Numbers
// have 17 significant digits, so that reading gives the same double back; the decimal mark is a
// point in every locale; what is not finite reads nan, inf, -inf. Beside FILE.csv stands its
// manifest FILE.csv.json, written before the results get their name. Bounds of the errors of
// certified rows stand in FILE_errors.csv with the same header.
#include "base/sha256.h"
#include "io/result/write_result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 16 };

typedef struct Csv {
    FILE *file;
    char *buffer; // of the stream
    FILE *held;   // what the device, pipe or standard output gets at the end; NULL: it is written
    FILE *errors; // FILE_errors.csv; NULL: none
    HolAtomicFile errors_place;
} Csv;

// a name with a comma, a quote or a line break is quoted, quotes inside doubled
static void csv_put_name(FILE *file, const char *name) {
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

static void write_csv_put_header(const HolResultWriter *w, const HolModel *m, FILE *file) {
    for (int i = 0; i < w->columns; i++) {
        if (i)
            fputc(',', file);
        csv_put_name(file, hol_result_column_name(m, i));
    }
    fputc('\n', file);
}

static void write_csv_put_row(const HolResultWriter *w, const double *row, FILE *file) {
    for (int i = 0; i < w->columns; i++) {
        if (i)
            fputc(',', file);
        put_number(file, row[i]);
    }
    fputc('\n', file);
}

static HolStatus check_stream(const HolAtomicFile *place, FILE *file, HolError *err) {
    return ferror(file) ? hol_file_error(place, strerror(errno ? errno : EIO), err) : HOL_OK;
}

// "dir/a_errors.csv" of "dir/a.csv"
static HolStatus open_errors(HolResultWriter *w, const HolModel *m, HolError *err) {
    Csv *csv = w->data;
    const size_t stem = strlen(w->place.path) - strlen(".csv"), size = stem + 16;
    char *name = hol_arena_alloc(&w->arena, size);
    if (!name)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    snprintf(name, size, "%.*s_errors.csv", (int)stem, w->place.path);
    HolStatus status = hol_file_choose(&csv->errors_place, &w->arena, name, err);
    csv->errors = status ? NULL : hol_file_open(&csv->errors_place, err);
    if (!csv->errors)
        return status ? status : HOL_ERR_FILE;
    write_csv_put_header(w, m, csv->errors);
    return check_stream(&csv->errors_place, csv->errors, err);
}

static void write_csv_drop(Csv *csv) {
    if (csv->errors)
        hol_file_close(&csv->errors_place, csv->errors, 0, NULL);
    if (csv->held)
        fclose(csv->held);
    if (csv->file && csv->file != stdout)
        fclose(csv->file);
}

static HolStatus csv_open(HolResultWriter *w, const HolModel *m, const HolSimOptions *o,
                          HolError *err) {
    (void)o;
    Csv *csv = HOL_NEW(&w->arena, Csv, 1);
    char *buffer = HOL_NEW(&w->arena, char, BUFFER);
    if (!csv || !buffer) {
        if (w->kept)
            fclose(w->kept);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    csv->buffer = buffer;
    w->data = csv;
    csv->file = w->kept ? w->kept : hol_file_open(&w->place, err);
    if (!csv->file)
        return HOL_ERR_FILE;
    if (csv->file != stdout)
        setvbuf(csv->file, csv->buffer, _IOFBF, BUFFER);
    errno = 0;
    HolStatus status = HOL_OK;
    if (w->certified && w->place.direct)
        csv->held = tmpfile();
    if (w->certified && w->place.direct && !csv->held)
        status = hol_result_error(w, strerror(errno), err);
    FILE *rows = csv->held ? csv->held : csv->file;
    if (!status && !w->begun) {
        write_csv_put_header(w, m, rows);
        status = check_stream(&w->place, rows, err);
    }
    if (!status && w->certified && !w->place.direct)
        status = open_errors(w, m, err);
    if (status)
        write_csv_drop(csv);
    return status;
}

static HolStatus csv_row(HolResultWriter *w, const double *row, HolError *err) {
    Csv *csv = w->data;
    FILE *rows = csv->held ? csv->held : csv->file;
    errno = 0;
    write_csv_put_row(w, row, rows);
    return check_stream(&w->place, rows, err);
}

static HolStatus csv_errors(HolResultWriter *w, const double *bounds, HolError *err) {
    Csv *csv = w->data;
    if (!csv->errors)
        return HOL_OK;
    errno = 0;
    write_csv_put_row(w, bounds, csv->errors);
    return check_stream(&csv->errors_place, csv->errors, err);
}

// what was held goes where it belongs
static HolStatus release_held(HolResultWriter *w, int keep, HolError *err) {
    Csv *csv = w->data;
    char part[4096];
    if (!csv->held)
        return HOL_OK;
    errno = 0;
    rewind(csv->held);
    for (size_t n; keep && (n = fread(part, 1, sizeof part, csv->held)) > 0;)
        fwrite(part, 1, n, csv->file);
    HolStatus status = check_stream(&w->place, ferror(csv->held) ? csv->held : csv->file, err);
    fclose(csv->held);
    return keep ? status : HOL_OK;
}

// FILE.csv.json, complete or not at all
static HolStatus write_csv_put_manifest(HolResultWriter *w, HolError *err) {
    HolAtomicFile place;
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

// what the manifest says of the file: readers notice a pair that does not belong together
static void write_csv_hash(HolResultWriter *w, FILE *file) {
    char part[4096];
    HolSha256 hash;
    off_t at = 0;
    if (w->place.direct || fflush(file) != 0)
        return;
    hol_sha256_begin(&hash);
    for (ssize_t n; (n = pread(fileno(file), part, sizeof part, at)) > 0; at += n)
        hol_sha256_add(&hash, part, (size_t)n);
    hol_sha256_end(&hash, w->sha256);
}

// the data must be on the disk before the name is
static HolStatus csv_close(HolResultWriter *w, int keep, HolError *err) {
    Csv *csv = w->data;
    HolStatus status = release_held(w, keep, err), flushed, manifest = HOL_OK;
    if (keep && !status)
        write_csv_hash(w, csv->file);
    flushed = hol_file_flush(&w->place, csv->file, keep && !status, err);
    status = status ? status : flushed;
    if (csv->errors) {
        flushed = hol_file_close(&csv->errors_place, csv->errors, keep && !status, err);
        status = status ? status : flushed;
    }
    if (!status && keep && !w->place.direct)
        manifest = write_csv_put_manifest(w, err);
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
    .errors = csv_errors,
    .close = csv_close,
};
