// SPDX-License-Identifier: Apache-2.0
// Opening, committing and discarding result files: everything that CSV and HDF5 have in common.
// Only a complete file ever carries the name the caller asked for.
#include "io/write_result.h"
#include "io/manifest.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const HolResultFormat *const formats[] = {
    &hol_result_csv,
#ifdef HOL_HAVE_HDF5
    &hol_result_hdf5,
#endif
    NULL,
};

HolStatus hol_result_error(const HolResultWriter *w, const char *reason, HolError *err) {
    return hol_error_set(err, HOL_ERR_FILE, "cannot write %s: %s",
                         strcmp(w->path, "-") == 0 ? "standard output" : w->path, reason);
}

const char *hol_result_column_name(const HolModel *m, int i) {
    const char *name = hol_model_column(m, i).name;
    return name ? name : "";
}

static int ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), k = strlen(ending);
    return n > k && strcasecmp(text + n - k, ending) == 0;
}

// the format that the ending of the path asks for
static HolStatus choose_format(HolResultWriter *w, HolError *err) {
    for (int i = 0; formats[i]; i++)
        for (int k = 0; formats[i]->endings[k]; k++)
            if (ends_with(w->path, formats[i]->endings[k])) {
                w->format = formats[i];
                return HOL_OK;
            }
#ifndef HOL_HAVE_HDF5
    if (ends_with(w->path, ".h5") || ends_with(w->path, ".hdf5"))
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "cannot write %s: this build has no HDF5; use a name ending in .csv",
                             w->path);
#endif
    return hol_error_set(err, HOL_ERR_INPUT,
                         "cannot tell the format of the result file '%s' from its name; it must "
                         "end in .csv, .h5 or .hdf5",
                         w->path);
}

// where to write: beside the target, or directly when the target is no regular file
static HolStatus choose_place(HolResultWriter *w, HolError *err) {
    struct stat info;
    int exists = stat(w->path, &info) == 0;
    if (strcmp(w->path, "-") == 0 || (exists && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))) {
        w->format = &hol_result_csv;
        w->direct = 1;
        w->target = w->part = w->path;
        return HOL_OK;
    }
    HolStatus status = choose_format(w, err);
    if (status)
        return status;
    if (exists && S_ISDIR(info.st_mode))
        return hol_result_error(w, "it is a directory", err);
    // a symbolic link stays a link: the file it points to is replaced
    char resolved[PATH_MAX];
    w->target =
        hol_arena_text(&w->arena, exists && realpath(w->path, resolved) ? resolved : w->path);
    if (!w->target)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    // a file that may not be written may not be replaced either
    if (exists && access(w->target, W_OK) != 0)
        return hol_result_error(w, strerror(errno), err);
    size_t size = strlen(w->target) + 32;
    char *part = hol_arena_alloc(&w->arena, size);
    if (!part)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    snprintf(part, size, "%s.part-%ld", w->target, (long)getpid());
    w->part = part;
    return HOL_OK;
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
    hol_manifest_head(f, m, o);
    int ok = fclose(f) == 0 && (w->head = hol_arena_text_n(&w->arena, text, length)) != NULL;
    free(text);
    return ok;
}

char *hol_result_manifest(const HolResultWriter *w, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    if (!f)
        return NULL;
    fputs(w->head, f);
    hol_manifest_tail(f, w->rows, w->has_stats ? &w->stats : NULL, w->has_check ? &w->check : NULL,
                      w->status, w->message);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

void hol_result_summary(HolResultWriter *w, const HolStats *stats, const HolCheck *check,
                        HolStatus status, const char *message) {
    if (!w)
        return;
    w->has_stats = stats != NULL;
    if (stats)
        w->stats = *stats;
    w->has_check = check != NULL;
    if (check)
        w->check = *check;
    w->status = status;
    w->message = hol_arena_text(&w->arena, message);
}

HolStatus hol_result_open(const char *path, const HolModel *m, const HolSimOptions *o,
                          HolResultWriter **out, HolError *err) {
    hol_error_clear(err);
    *out = NULL;
    HolArena arena = {0};
    HolResultWriter *w = HOL_NEW(&arena, HolResultWriter, 1);
    if (!w)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    w->arena = arena;
    w->path = hol_arena_text(&w->arena, path);
    w->columns = hol_model_column_count(m);
    HolStatus status =
        w->path ? choose_place(w, err) : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!status && !w->direct && !make_head(w, m, o))
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!status) {
        status = w->format->open(w, m, o, err);
        if (status && !w->direct)
            unlink(w->part);
    }
    if (status) {
        release(w);
        return status;
    }
    *out = w;
    return HOL_OK;
}

HolStatus hol_result_row(HolResultWriter *w, const double *row, HolError *err) {
    HolStatus status = w->format->row(w, row, err);
    if (status)
        w->failed = 1;
    w->rows++;
    return status;
}

HolStatus hol_result_close(HolResultWriter *w, int commit, HolError *err) {
    if (!w)
        return HOL_OK;
    int keep = commit && !w->failed;
    HolStatus status = w->format->close(w, keep, err);
    if (!keep)
        status = HOL_OK;
    if (!w->direct) {
        if (keep && !status && rename(w->part, w->target) != 0)
            status = hol_result_error(w, strerror(errno), err);
        if (!keep || status)
            unlink(w->part);
    }
    release(w);
    return status;
}
