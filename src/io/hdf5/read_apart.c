// SPDX-License-Identifier: Apache-2.0
// HDF5 results read by a process of their own: a hostile file, or too little memory, ends the child
// and is an error here. The child sends a HolStatus and a HolError, then what it read: numbers of
// columns and rows, for each column its name, unit and values, then three texts. A text is its
// length with the ending 0 (0: there is none) and its bytes. What the manifest says is read on this
// side. The child has limited time, so that a file cannot hold the caller up.
#include "io/apart.h"
#include "io/result/read_result.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum {
    SECONDS = 60,             // processor time for any file
    BYTES_A_SECOND = 1 << 20, // and more for large ones
    MOST_SECONDS = 1 << 20,
};

#ifdef HOL_HAVE_HDF5

// ---- the child ----

static int read_apart_send_text(int fd, const char *text) {
    const size_t size = text ? strlen(text) + 1 : 0;
    return hol_apart_send(fd, &size, sizeof size) && hol_apart_send(fd, text, size);
}

static void read_apart_work(int fd, void *user) {
    HolResult *r = user;
    HolError *err = HOL_NEW(&r->arena, HolError, 1);
    if (!err)
        return;
    errno = 0;
    HolStatus status = hol_result_read_hdf5(r, err);
    // (the library goes on without what it had no memory for)
    if (errno == ENOMEM || r->arena.failed)
        status = hol_error_set(err, HOL_ERR_MEMORY, "cannot read %s: out of memory", r->path);
    int ok = hol_apart_send(fd, &status, sizeof status) && hol_apart_send(fd, err, sizeof *err);
    if (status || !ok)
        return;
    ok = hol_apart_send(fd, &r->n_columns, sizeof r->n_columns) &&
         hol_apart_send(fd, &r->rows, sizeof r->rows) && hol_apart_send(fd, &r->cut, sizeof r->cut);
    for (int i = 0; ok && i < r->n_columns; i++)
        ok = read_apart_send_text(fd, r->columns[i].name) &&
             read_apart_send_text(fd, r->columns[i].unit) &&
             hol_apart_send(fd, r->values[i], (size_t)r->rows * sizeof(double));
    if (ok && read_apart_send_text(fd, r->manifest_text) && read_apart_send_text(fd, r->model_text))
        read_apart_send_text(fd, r->model_name);
}

// ---- the caller ----

// 0: the child is gone, or there is no memory
static int read_apart_text(HolResult *r, int fd, const char **out) {
    size_t size = 0;
    *out = NULL;
    if (!hol_apart_receive(fd, &size, sizeof size))
        return 0;
    if (!size)
        return 1;
    char *text = hol_arena_alloc(&r->arena, size);
    if (!text || !hol_apart_receive(fd, text, size))
        return 0;
    text[size - 1] = 0;
    *out = text;
    return 1;
}

static int read_apart_table(HolResult *r, int fd) {
    int columns = 0;
    long rows = 0;
    if (!hol_apart_receive(fd, &columns, sizeof columns) ||
        !hol_apart_receive(fd, &rows, sizeof rows) ||
        !hol_apart_receive(fd, &r->cut, sizeof r->cut) || columns < 0 || rows < 0 ||
        !hol_result_reserve(r, columns, rows))
        return 0;
    for (int i = 0; i < columns; i++) {
        HolColumn *c = &r->columns[i];
        if (!read_apart_text(r, fd, &c->name) || !read_apart_text(r, fd, &c->unit) ||
            !hol_apart_receive(fd, r->values[i], (size_t)rows * sizeof(double)))
            return 0;
        c->name = c->name ? c->name : "";
        c->unit = c->unit ? c->unit : "";
    }
    return read_apart_text(r, fd, &r->manifest_text) && read_apart_text(r, fd, &r->model_text) &&
           read_apart_text(r, fd, &r->model_name);
}

static HolStatus read_apart_receive(HolResult *r, HolApart *child, HolError *err) {
    HolStatus status = HOL_OK;
    HolError *said = HOL_NEW(&r->arena, HolError, 1);
    int ok = said && hol_apart_receive(child->fd, &status, sizeof status) &&
             hol_apart_receive(child->fd, said, sizeof *said);
    if (ok && !status)
        ok = read_apart_table(r, child->fd);
    hol_apart_end(child);
    if (r->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!ok)
        return hol_result_unreadable(
            r, "the HDF5 library broke down; the file is damaged or there is too little memory",
            err);
    if (status && err)
        *err = *said;
    return status;
}

// (of a file that is cut off the manifest may be missing in part: its rows are there without it)
static HolStatus read_apart_manifest(HolResult *r, HolError *err) {
    if (r->manifest_text) {
        const HolStatus status = hol_manifest_read(
            &r->arena, r->manifest_text, strlen(r->manifest_text), r->path, &r->manifest, err);
        r->has_manifest = !status;
        if (status == HOL_ERR_FILE && r->cut) {
            hol_error_clear(err);
            r->manifest = (HolManifest){0};
            return HOL_OK;
        }
        if (!status && !r->manifest.text[0]) // a long one stands beside it alone
            r->manifest.text = r->model_text ? r->model_text : "";
        return status;
    }
    if (r->model_text && r->model_text[0]) { // an older file
        r->manifest = (HolManifest){
            .text = r->model_text, .file = "", .name = r->model_name ? r->model_name : ""};
        r->has_manifest = 1;
    }
    return HOL_OK;
}

HolStatus hol_result_read_hdf5_apart(HolResult *r, HolError *err) {
    HolApart child;
    struct stat info;
    long seconds = SECONDS;
    if (stat(r->path, &info) == 0 && info.st_size / BYTES_A_SECOND < MOST_SECONDS)
        seconds += (long)(info.st_size / BYTES_A_SECOND);
    const int reason = hol_apart_start(&child, read_apart_work, r, (int)seconds);
    if (reason) {
        char text[256];
        snprintf(text, sizeof text, "no process to read HDF5: %s", strerror(reason));
        return hol_result_unreadable(r, text, err);
    }
    const HolStatus status = read_apart_receive(r, &child, err);
    const HolStatus manifest = status ? status : read_apart_manifest(r, err);
    if (!manifest && r->cut)
        hol_result_tell_cut(r);
    else if (!manifest)
        hol_result_match(r, NULL);
    return manifest;
}

#else

HolStatus hol_result_read_hdf5_apart(HolResult *r, HolError *err) {
    return hol_result_read_hdf5(r, err);
}

#endif
