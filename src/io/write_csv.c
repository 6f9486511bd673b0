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
#include <unistd.h>

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
    csv->file = strcmp(w->part, "-") == 0 ? stdout : fopen(w->part, "w");
    if (!csv->file)
        return hol_result_error(w, strerror(errno), err);
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

// TARGET.json, complete or not at all; returns the system's reason when *bad is set
static int put_manifest(HolResultWriter *w, int *bad) {
    size_t length = 0, size = strlen(w->part) + 8;
    char *part = hol_arena_alloc(&w->arena, size), *name = hol_arena_alloc(&w->arena, size);
    char *text = hol_result_manifest(w, &length);
    errno = ENOMEM;
    *bad = 1;
    if (part && name && text) {
        snprintf(part, size, "%s.json", w->part);
        snprintf(name, size, "%s.json", w->target);
        errno = 0;
        FILE *f = fopen(part, "w");
        int ok = f && fwrite(text, 1, length, f) == length;
        ok = f && fclose(f) == 0 && ok;
        *bad = !ok || rename(part, name) != 0;
        int reason = errno;
        if (*bad)
            unlink(part);
        errno = reason;
    }
    int reason = errno;
    free(text);
    return reason;
}

// the data must be on the disk before the name is: flush, sync, close, each checked
static HolStatus csv_close(HolResultWriter *w, int keep, HolError *err) {
    Csv *csv = w->data;
    errno = 0;
    int bad = ferror(csv->file) || fflush(csv->file) != 0;
    if (!bad && keep && !w->direct && fsync(fileno(csv->file)) != 0)
        bad = errno != EINVAL && errno != ENOSYS && errno != EROFS;
    int reason = errno;
    if (csv->file != stdout && fclose(csv->file) != 0 && !bad) {
        bad = 1;
        reason = errno;
    }
    if (!bad && keep && !w->direct)
        reason = put_manifest(w, &bad);
    return bad ? hol_result_error(w, strerror(reason ? reason : EIO), err) : HOL_OK;
}

const HolResultFormat hol_result_csv = {
    .name = "CSV",
    .endings = {".csv"},
    .open = csv_open,
    .row = csv_row,
    .close = csv_close,
};
