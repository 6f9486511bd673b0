// SPDX-License-Identifier: Apache-2.0
// CSV results (RFC 4180): one header row of column names, then one row of numbers a time. Numbers
// have 17 significant digits, so that reading gives the same double back; the decimal mark is a
// point in every locale; what is not finite reads nan, inf, -inf. Beside FILE.csv stands its
// manifest FILE.csv.json, written before the results get their name. Bounds of the errors of
// certified rows stand in FILE_errors.csv with the same header, events and impulses of joints in
// FILE_events.csv and FILE_impulses.csv, which are begun with their first line. The rows get their name
// last.
#include "base/sha256.h"
#include "io/csv.h"
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
    FILE *tables[HOL_TABLES]; // NULL: no line so far
    HolAtomicFile table_places[HOL_TABLES];
} Csv;

static void write_csv_put_header(const HolResultWriter *w, const HolModel *m, FILE *file) {
    for (int i = 0; i < w->columns; i++) {
        if (i)
            fputc(',', file);
        hol_csv_put_text(file, hol_result_column_name(m, i));
    }
    fputc('\n', file);
}

static void write_csv_put_row(const HolResultWriter *w, const double *row, FILE *file) {
    for (int i = 0; i < w->columns; i++) {
        if (i)
            fputc(',', file);
        hol_csv_put_number(file, row[i]);
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

static HolStatus open_table(HolResultWriter *w, int table, HolError *err) {
    Csv *csv = w->data;
    const HolTable *t = &hol_tables[table];
    HolAtomicFile *place = &csv->table_places[table];
    const char *path = hol_table_path(&w->arena, w->place.path, t);
    if (!path)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    const HolStatus status = hol_file_choose(place, &w->arena, path, err);
    csv->tables[table] = status ? NULL : hol_file_open(place, err);
    if (!csv->tables[table])
        return status ? status : HOL_ERR_FILE;
    hol_table_put_header(t, csv->tables[table]);
    return HOL_OK;
}

static HolStatus csv_table_line(HolResultWriter *w, int table, const HolTableLine *line,
                                HolError *err) {
    const Csv *csv = w->data;
    HolStatus status = csv->tables[table] ? HOL_OK : open_table(w, table, err);
    if (status)
        return status;
    errno = 0;
    hol_table_put(&hol_tables[table], line, csv->tables[table]);
    return check_stream(&csv->table_places[table], csv->tables[table], err);
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

// what the manifest says of a file: readers notice a pair that does not belong together
static void write_csv_hash(const HolAtomicFile *place, FILE *file, char sha256[65]) {
    char part[4096];
    HolSha256 hash;
    off_t at = 0;
    if (place->direct || fflush(file) != 0)
        return;
    hol_sha256_begin(&hash);
    for (ssize_t n; (n = pread(fileno(file), part, sizeof part, at)) > 0; at += n)
        hol_sha256_add(&hash, part, (size_t)n);
    hol_sha256_end(&hash, sha256);
}

// one of the files that belong together: on the disk, not under its name yet
static void write_csv_sync(const HolAtomicFile *place, FILE *file, char *sha256, int keep,
                           HolStatus *status, HolError *err) {
    if (!file)
        return;
    if (keep && !*status && sha256)
        write_csv_hash(place, file, sha256);
    const HolStatus synced = keep && !*status ? hol_file_sync(place, file, err) : HOL_OK;
    *status = *status ? *status : synced;
}

static void write_csv_name(const HolAtomicFile *place, FILE *file, int keep, HolStatus *status,
                           HolError *err) {
    if (!file)
        return;
    const HolStatus finished = hol_file_finish(place, file, keep && !*status, err);
    *status = *status ? *status : finished;
}

// the data of all must be on the disk before the first has its name
static HolStatus csv_close(HolResultWriter *w, int keep, HolError *err) {
    Csv *csv = w->data;
    HolStatus status = release_held(w, keep, err), manifest = HOL_OK;
    write_csv_sync(&w->place, csv->file, w->sha256, keep, &status, err);
    write_csv_sync(&csv->errors_place, csv->errors, NULL, keep, &status, err);
    for (int i = 0; i < HOL_TABLES; i++)
        write_csv_sync(&csv->table_places[i], csv->tables[i], w->tables[i].sha256, keep, &status,
                       err);
    if (!status && keep && !w->place.direct)
        manifest = write_csv_put_manifest(w, err);
    write_csv_name(&csv->errors_place, csv->errors, keep, &status, err);
    for (int i = 0; i < HOL_TABLES; i++)
        write_csv_name(&csv->table_places[i], csv->tables[i], keep, &status, err);
    write_csv_name(&w->place, csv->file, keep, &status, err);
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
    .line = csv_table_line,
    .close = csv_close,
};
