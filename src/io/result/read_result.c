// SPDX-License-Identifier: Apache-2.0
// Reading stored results back: what CSV and HDF5 have in common, and CSV with its manifest.
#include "io/result/read_result.h"
#include "base/sha256.h"
#include "io/csv.h"
#include "io/result/manifest.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

HolStatus hol_result_unreadable(const HolResult *r, const char *reason, HolError *err) {
    return hol_error_set(err, HOL_ERR_FILE, "cannot read %s: %s", r->path, reason);
}

static HolStatus read_result_no_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

int hol_result_reserve(HolResult *r, int columns, long rows) {
    r->columns = HOL_NEW(&r->arena, HolColumn, columns + 1);
    r->values = HOL_NEW(&r->arena, double *, columns + 1);
    for (int i = 0; r->values && i < columns; i++)
        if (!(r->values[i] = HOL_NEW(&r->arena, double, (size_t)rows + 1)))
            return 0;
    r->n_columns = columns;
    r->rows = rows;
    return r->columns && r->values;
}

int hol_result_find(const HolResult *r, const char *name) {
    for (int i = 0; i < r->n_columns; i++)
        if (strcmp(r->columns[i].name, name) == 0)
            return i;
    return -1;
}

char *hol_read_whole(HolArena *arena, const char *path, size_t *length) {
    errno = 0;
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    (void)fgetc(f); // (of a folder: an error)
    long size = !ferror(f) && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    char *text = size >= 0 ? hol_arena_alloc(arena, (size_t)size + 1) : NULL;
    rewind(f);
    int ok = text && fread(text, 1, (size_t)size, f) == (size_t)size;
    int reason = errno ? errno : text ? EIO : ENOMEM;
    fclose(f);
    *length = ok ? (size_t)size : 0;
    errno = ok ? 0 : reason;
    return ok ? text : NULL;
}

// ---- CSV ----

void hol_result_tell_cut(HolResult *r) {
    if (r->rows > 0)
        hol_result_tell(r, "%s is cut off: read up to its last whole row, t = %.9g s", r->path,
                        r->values[0][r->rows - 1]);
}

// *unended: the last line has no end, so that its last number may be cut
static HolStatus csv_table(HolResult *r, char *text, size_t length, int *unended, HolError *err) {
    HolCsv csv;
    HolStatus status = hol_csv_parse(&r->arena, text, length, r->path, &csv, err);
    *unended = csv.unended;
    for (int i = 0; !status && i < csv.n_columns; i++)
        status = hol_csv_check(&csv, i, 0, r->path, err);
    if (status)
        return status;
    if (strcmp(csv.names[0], "time") != 0)
        return hol_result_unreadable(r, "the first column is not 'time'", err);
    r->columns = HOL_NEW(&r->arena, HolColumn, csv.n_columns + 1);
    if (!r->columns)
        return read_result_no_memory(err);
    for (int i = 0; i < csv.n_columns; i++)
        r->columns[i] = (HolColumn){csv.names[i], ""};
    r->values = csv.values;
    r->n_columns = csv.n_columns;
    r->rows = csv.rows;
    if (csv.cut) {
        *unended = 0;
        hol_result_tell_cut(r);
    }
    return HOL_OK;
}

// 1 when the manifest has the same columns; then it gives the units
static int take_units(HolResult *r) {
    const HolManifest *m = &r->manifest;
    if (m->n_columns != r->n_columns)
        return 0;
    for (int i = 0; i < r->n_columns; i++)
        if (strcmp(m->columns[i].name, r->columns[i].name) != 0)
            return 0;
    for (int i = 0; i < r->n_columns; i++)
        r->columns[i].unit = m->columns[i].unit;
    return 1;
}

// FILE.csv.json; one that is not there is no error, one that does not fit is not used
static HolStatus csv_manifest(HolResult *r, HolError *err) {
    char name[PATH_MAX + 8], resolved[PATH_MAX];
    size_t length = 0;
    snprintf(name, sizeof name, "%s.json", r->path);
    char *text = hol_read_whole(&r->arena, name, &length);
    // the writer follows links: the manifest may stand beside the file itself
    if (!text && realpath(r->path, resolved)) {
        snprintf(name, sizeof name, "%s.json", resolved);
        text = hol_read_whole(&r->arena, name, &length);
    }
    if (!text)
        return r->arena.failed || errno == ENOMEM ? read_result_no_memory(err) : HOL_OK;
    HolStatus status = hol_manifest_read(&r->arena, text, length, name, &r->manifest, err);
    r->has_manifest = !status && take_units(r);
    return status;
}

HolStatus hol_result_read_csv(HolResult *r, HolError *err) {
    size_t length = 0;
    char *text = hol_read_whole(&r->arena, r->path, &length);
    if (!text)
        return hol_result_unreadable(r, strerror(errno), err);
    char sha256[65];
    hol_sha256_text(text, length, sha256); // (reading changes the text)
    int unended = 0;
    HolStatus status = csv_table(r, text, length, &unended, err);
    if (!status)
        status = csv_manifest(r, err);
    // results with a manifest are our own, whose rows all end
    if (!status && unended && (r->has_manifest || r->partial) && r->rows > 1) {
        r->rows--;
        hol_result_tell_cut(r);
    }
    if (!status)
        hol_result_match(r, sha256);
    return status;
}

// RESULT.part, the rows of a run with checkpoints, CSV whatever the result will be
static HolStatus read_result_partial(HolResult *r, HolError *err) {
    r->partial = 1;
    const HolStatus status = hol_result_read_csv(r, err);
    if (!status && r->rows > 0)
        hol_result_tell(r, "%s holds the rows of a run that is not at its end, up to t = %.9g s",
                        r->path, r->values[0][r->rows - 1]);
    return status;
}

// ---- both formats ----

static int read_result_ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), k = strlen(ending);
    return n > k && strcasecmp(text + n - k, ending) == 0;
}

static HolStatus read_result_read_file(HolResult *r, HolError *err) {
    if (read_result_ends_with(r->path, ".h5") || read_result_ends_with(r->path, ".hdf5"))
        return hol_result_read_hdf5_apart(r, err);
    if (read_result_ends_with(r->path, ".csv"))
        return hol_result_read_csv(r, err);
    if (read_result_ends_with(r->path, ".csv.part") || read_result_ends_with(r->path, ".h5.part") ||
        read_result_ends_with(r->path, ".hdf5.part"))
        return read_result_partial(r, err);
    return hol_error_set(err, HOL_ERR_INPUT,
                         "'%s' is no result: the name must end in .csv, .h5 or .hdf5", r->path);
}

// method and step, and the parameters that were set: distinguishes runs of one model
static void make_label(HolResult *r) {
    static const char *const told[] = {"method",      "step",  "tolerance", "end",
                                       "output_step", "start", NULL};
    const HolManifest *m = &r->manifest;
    const char *slash = strrchr(r->path, '/');
    if (!r->has_manifest || !m->has_options) {
        snprintf(r->label, sizeof r->label, "%s", slash ? slash + 1 : r->path);
        return;
    }
    hol_options_label(&m->options, r->label, sizeof r->label);
    for (int i = 0; i < m->n_settings; i++) {
        size_t used = strlen(r->label);
        int known = strncmp(m->settings[i].key, "method.", 7) == 0;
        for (int k = 0; told[k]; k++)
            known |= strcmp(told[k], m->settings[i].key) == 0;
        if (!known)
            snprintf(r->label + used, sizeof r->label - used, ", %s = %s", m->settings[i].key,
                     m->settings[i].value);
    }
}

HolStatus hol_result_read(const char *path, HolResult **out, HolError *err) {
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the result: out is NULL");
    *out = NULL;
    if (!path)
        return hol_error_set(err, HOL_ERR_INPUT, "the path of a result is missing: NULL");
    HolArena arena = {0};
    HolResult *r = HOL_NEW(&arena, HolResult, 1);
    if (!r)
        return read_result_no_memory(err);
    r->arena = arena;
    r->path = hol_arena_text(&r->arena, path);
    HolStatus status = r->path ? read_result_read_file(r, err) : read_result_no_memory(err);
    if (!status && r->rows == 0)
        status = hol_result_unreadable(r, "it has no rows", err);
    if (status) {
        hol_result_destroy(r);
        return status;
    }
    make_label(r);
    *out = r;
    return HOL_OK;
}

int hol_result_column_count(const HolResult *r) {
    return r ? r->n_columns : 0;
}

HolColumn hol_result_column(const HolResult *r, int i) {
    return r && i >= 0 && i < r->n_columns ? r->columns[i] : (HolColumn){0};
}

long hol_result_row_count(const HolResult *r) {
    return r ? r->rows : 0;
}

const double *hol_result_values(const HolResult *r, int column) {
    return r && column >= 0 && column < r->n_columns ? r->values[column] : NULL;
}

const char *hol_result_label(const HolResult *r) {
    return r ? r->label : "";
}

const char *hol_result_title(const HolResult *r) {
    return r && r->has_manifest ? r->manifest.name : "";
}

void hol_result_destroy(HolResult *r) {
    if (r) {
        HolArena arena = r->arena; // the result itself lives in it
        hol_arena_free(&arena);
    }
}
