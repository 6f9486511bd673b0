// SPDX-License-Identifier: Apache-2.0
// HDF5 results, layout 2 (docs/result-data.md):
//   /data      rows x columns, doubles, extendible, in chunks, shuffled and deflated
//   /columns   an entry {name, unit} a column
//   /events    an entry {time, name, kind, speed_before, ..} an event, where there were any
//   /impulses  an entry {time, event, joint, fx, ..} an impact and joint, where there were any
//   /errors    rows x columns: bounds of the errors of certified rows
//   /model     the model's text
//   /manifest  the manifest; it does not tell the columns again, nor a long text of the model
//   attributes of the root: holonom_result = 2, version, name, options
// Rows are gathered in memory and written a row of chunks at a time. What stands before the first
// row is made by write_hdf5_head.c.
//
// HDF5 does not survive a failed write: it fails again when the program ends. So disk space is
// reserved before HDF5 needs it; a full disk is met there, and the file can still be closed.
#include "io/hdf5/write_hdf5.h"
#include "base/sha256.h"

#ifdef HOL_HAVE_HDF5

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A chunk is what HDF5 packs and unpacks as a whole. Many rows of few columns, or few rows of many
// columns: about 64 Ki numbers, so that rows of a hundred thousand columns do not wait for memory.
enum {
    CHUNK_COLUMNS = 4096, // at most
    CHUNK_ROWS = 512,     // at most
    CHUNK_NUMBERS = 1 << 16,
    DEFLATE = 1,          // higher levels gain a percent on shuffled numbers
    HEAD_BYTES = 1 << 18, // more than the file's own structures take
    CHUNK_BYTES = 4 << 10 // more than the index of a chunk takes
};

typedef struct Lines {
    hid_t set;     // 0: no line so far
    char *pending; // HOL_LINES_A_CHUNK of them
    hsize_t n_pending, written;
} Lines;

typedef struct Hdf5 {
    int fd;         // the same file, for reserving space
    off_t reserved; // bytes of it that are on the disk for certain
    hid_t file;
    hid_t data, errors; // datasets, 0: none
    hsize_t chunk[2];   // rows, columns
    double *pending;    // chunk[0] x columns, row after row
    double *bounds;     // the same of the errors
    hsize_t n_pending;
    hsize_t written; // rows in the file
    HolSha256 hash;  // of the rows as they are in memory
    Lines tables[HOL_TABLES];
    char reason[256];
} Hdf5;

// HDF5 keeps a stack of messages; the one with the system's reason says most, else the innermost
static herr_t collect_reason(unsigned n, const H5E_error2_t *e, void *to) {
    Hdf5 *h = to;
    const char *system = e->desc ? strstr(e->desc, "error message = '") : NULL;
    if (system) {
        const char *from = system + strlen("error message = '");
        size_t length = strcspn(from, "'");
        snprintf(h->reason, sizeof h->reason, "%.*s", (int)length, from);
        return 1;
    }
    if (n == 0 && e->desc)
        snprintf(h->reason, sizeof h->reason, "HDF5: %s", e->desc);
    return 0;
}

static HolStatus hdf5_error(HolResultWriter *w, HolError *err) {
    Hdf5 *h = w->data;
    h->reason[0] = 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect_reason, h);
    return hol_result_error(
        w, h->reason[0] ? h->reason : "HDF5 gives no reason; it may be out of memory", err);
}

// The library prints its errors by default; ours never prints. Messages are switched off around
// every entry and switched back, since the setting belongs to the whole program.
typedef struct Quiet {
    H5E_auto2_t print;
    void *data;
} Quiet;

static Quiet quiet_begin(void) {
    Quiet q = {0};
    H5Eget_auto2(H5E_DEFAULT, &q.print, &q.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

static void quiet_end(Quiet q) {
    H5Eset_auto2(H5E_DEFAULT, q.print, q.data);
}

// an empty, extendible dataset, rows x columns; less than 0 after an error
static hid_t hdf5_create_table(const HolResultWriter *w, const char *name) {
    const Hdf5 *h = w->data;
    const hsize_t none[2] = {0, (hsize_t)w->columns};
    const hsize_t most[2] = {H5S_UNLIMITED, (hsize_t)w->columns};
    hid_t space = H5Screate_simple(2, none, most), layout = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = -1;
    if (space >= 0 && layout >= 0 && H5Pset_chunk(layout, 2, h->chunk) >= 0 &&
        H5Pset_shuffle(layout) >= 0 && H5Pset_deflate(layout, DEFLATE) >= 0)
        set = H5Dcreate2(h->file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    H5Pclose(layout);
    H5Sclose(space);
    return set;
}

static void close_all(HolResultWriter *w, int *ok) {
    Hdf5 *h = w->data;
    for (int i = 0; i < HOL_TABLES; i++)
        if (h->tables[i].set > 0 && H5Dclose(h->tables[i].set) < 0)
            *ok = 0;
    if (h->errors > 0 && H5Dclose(h->errors) < 0)
        *ok = 0;
    if (h->data > 0 && H5Dclose(h->data) < 0)
        *ok = 0;
    if (h->file >= 0 && H5Fclose(h->file) < 0)
        *ok = 0;
    h->file = -1;
}

// make sure that the file can grow to `bytes`; 0, or the system's reason
static int write_hdf5_reserve(Hdf5 *h, off_t bytes) {
    if (bytes <= h->reserved)
        return 0;
    int reason = posix_fallocate(h->fd, h->reserved, bytes - h->reserved);
    if (!reason)
        h->reserved = bytes;
    return reason;
}

// the same for what comes after that which HDF5 has used so far
static int reserve_more(Hdf5 *h, size_t bytes) {
    hsize_t size = 0;
    H5Fget_filesize(h->file, &size);
    return write_hdf5_reserve(h, (off_t)size + HEAD_BYTES + (off_t)bytes);
}

// the system's own open gives the better reason when the place cannot be written
static HolStatus open_place(HolResultWriter *w, off_t head, HolError *err) {
    Hdf5 *h = w->data;
    h->fd = open(w->place.part, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0666);
    if (h->fd < 0)
        return hol_result_error(w, strerror(errno), err);
    int reason = write_hdf5_reserve(h, head);
    if (reason) {
        close(h->fd);
        return hol_result_error(w, strerror(reason), err);
    }
    return HOL_OK;
}

// the file with everything that is known before the first row
static int create_file(HolResultWriter *w, const HolModel *m, const HolSimOptions *o, off_t head) {
    Hdf5 *h = w->data;
    HolArena scratch = {0};
    h->file = H5Fcreate(w->place.part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    h->reserved = 0; // creating has truncated it
    const char *source = hol_model_source(m) ? hol_model_source(m) : "";
    int ok = h->file >= 0 && write_hdf5_reserve(h, head) == 0 &&
             hol_hdf5_put_attributes(h->file, m, o) &&
             hol_hdf5_put_columns(h->file, m, w->columns, &scratch) &&
             hol_hdf5_put_text(h->file, "model", source) &&
             (h->data = hdf5_create_table(w, "data")) >= 0 &&
             (!w->certified || (h->errors = hdf5_create_table(w, "errors")) >= 0) &&
             H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0;
    hol_arena_free(&scratch);
    return ok;
}

static int hdf5_create_memory(HolResultWriter *w) {
    Hdf5 *h = HOL_NEW(&w->arena, Hdf5, 1);
    if (!(w->data = h))
        return 0;
    const hsize_t columns = (hsize_t)w->columns;
    h->chunk[1] = columns < CHUNK_COLUMNS ? columns : CHUNK_COLUMNS;
    h->chunk[0] = CHUNK_NUMBERS / h->chunk[1];
    if (h->chunk[0] > CHUNK_ROWS)
        h->chunk[0] = CHUNK_ROWS;
    const size_t numbers = (size_t)(h->chunk[0] * columns);
    h->pending = HOL_NEW(&w->arena, double, numbers);
    h->bounds = w->certified ? HOL_NEW(&w->arena, double, numbers) : h->pending;
    return h->pending && h->bounds;
}

static HolStatus hdf5_open(HolResultWriter *w, const HolModel *m, const HolSimOptions *o,
                           HolError *err) {
    HolStatus status = hol_hdf5_ready(err);
    if (status)
        return status;
    if (!hdf5_create_memory(w))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    const off_t head = HEAD_BYTES + (off_t)hol_hdf5_head_bytes(m, w->columns);
    status = open_place(w, head, err);
    if (status)
        return status;
    Hdf5 *h = w->data;
    hol_sha256_begin(&h->hash);
    Quiet quiet = quiet_begin();
    if (!create_file(w, m, o, head)) {
        status = hdf5_error(w, err);
        int ok = 1;
        close_all(w, &ok);
        close(h->fd);
    }
    quiet_end(quiet);
    return status;
}

// gathered rows behind those in the file
static int flush_table(const HolResultWriter *w, hid_t set, const double *rows) {
    const Hdf5 *h = w->data;
    const hsize_t all[2] = {h->written + h->n_pending, (hsize_t)w->columns};
    const hsize_t from[2] = {h->written, 0}, part[2] = {h->n_pending, (hsize_t)w->columns};
    if (H5Dset_extent(set, all) < 0)
        return 0;
    hid_t memory = H5Screate_simple(2, part, NULL), space = H5Dget_space(set);
    int ok = memory >= 0 && space >= 0 &&
             H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, part, NULL) >= 0 &&
             H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    return ok;
}

// bytes that a row of chunks takes at most: deflate makes what it cannot pack little longer
static size_t hdf5_chunk_bytes(const HolResultWriter *w) {
    const Hdf5 *h = w->data;
    const size_t chunks = (size_t)((hsize_t)w->columns / h->chunk[1] + 1);
    const size_t numbers = (size_t)(h->chunk[0] * h->chunk[1]);
    return (w->certified ? 2 : 1) * chunks * (numbers * sizeof(double) * 65 / 64 + CHUNK_BYTES);
}

static HolStatus flush_rows(HolResultWriter *w, HolError *err) {
    Hdf5 *h = w->data;
    if (h->n_pending == 0)
        return HOL_OK;
    int reason = reserve_more(h, hdf5_chunk_bytes(w));
    if (reason)
        return hol_result_error(w, strerror(reason), err);
    int ok = flush_table(w, h->data, h->pending) &&
             (!w->certified || flush_table(w, h->errors, h->bounds));
    // out of HDF5's caches too: only then is its idea of the file's size true
    ok = ok && H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0;
    HolStatus status = ok ? HOL_OK : hdf5_error(w, err);
    h->written += h->n_pending;
    h->n_pending = 0;
    return status;
}

static HolStatus flush_full(HolResultWriter *w, HolError *err) {
    const Hdf5 *h = w->data;
    if (h->n_pending < h->chunk[0])
        return HOL_OK;
    Quiet quiet = quiet_begin();
    HolStatus status = flush_rows(w, err);
    quiet_end(quiet);
    return status;
}

static HolStatus hdf5_row(HolResultWriter *w, const double *row, HolError *err) {
    Hdf5 *h = w->data;
    const size_t columns = (size_t)w->columns;
    double *to = h->pending + (size_t)h->n_pending * columns;
    for (size_t i = 0; i < columns; i++)
        to[i] = isnan(row[i]) ? NAN : row[i]; // (of the many the one that CSV has)
    hol_sha256_add(&h->hash, to, columns * sizeof *to);
    h->n_pending++;
    return w->certified ? HOL_OK : flush_full(w, err); // its bounds follow
}

static HolStatus hdf5_errors(HolResultWriter *w, const double *bounds, HolError *err) {
    Hdf5 *h = w->data;
    const size_t columns = (size_t)w->columns;
    memcpy(h->bounds + (size_t)(h->n_pending - 1) * columns, bounds, columns * sizeof *bounds);
    return flush_full(w, err);
}

static HolStatus flush_lines(HolResultWriter *w, int table, HolError *err) {
    Hdf5 *h = w->data;
    Lines *l = &h->tables[table];
    const HolTable *t = &hol_tables[table];
    if (!l->n_pending)
        return HOL_OK;
    const int reason = reserve_more(h, CHUNK_BYTES + HOL_LINES_A_CHUNK * t->size * 65 / 64);
    if (reason)
        return hol_result_error(w, strerror(reason), err);
    if (l->set <= 0 && (l->set = hol_hdf5_create_lines(h->file, t)) < 0)
        return hdf5_error(w, err);
    const int ok = hol_hdf5_add_lines(l->set, t, l->pending, l->n_pending, l->written) &&
                   H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0;
    l->written += l->n_pending;
    l->n_pending = 0;
    return ok ? HOL_OK : hdf5_error(w, err);
}

static HolStatus hdf5_line(HolResultWriter *w, int table, const HolTableLine *line, HolError *err) {
    Lines *l = &((Hdf5 *)w->data)->tables[table];
    const size_t size = hol_tables[table].size;
    if (!l->pending && !(l->pending = HOL_NEW(&w->arena, char, HOL_LINES_A_CHUNK *size)))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    memcpy(l->pending + l->n_pending++ * size, line, size);
    if (l->n_pending < HOL_LINES_A_CHUNK)
        return HOL_OK;
    Quiet quiet = quiet_begin();
    const HolStatus status = flush_lines(w, table, err);
    quiet_end(quiet);
    return status;
}

// the manifest is complete only at the end
static HolStatus write_hdf5_put_manifest(HolResultWriter *w, HolError *err) {
    Hdf5 *h = w->data;
    size_t length = 0;
    hol_sha256_end(&h->hash, w->sha256);
    char *text = hol_result_manifest(w, &length);
    if (!text)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolStatus status = HOL_OK;
    int reason = reserve_more(h, CHUNK_BYTES + length);
    if (reason)
        status = hol_result_error(w, strerror(reason), err);
    else if (!hol_hdf5_put_text(h->file, "manifest", text))
        status = hdf5_error(w, err);
    free(text);
    return status;
}

static HolStatus hdf5_close(HolResultWriter *w, int keep, HolError *err) {
    Hdf5 *h = w->data;
    HolStatus status = HOL_OK;
    hsize_t size = 0;
    Quiet quiet = quiet_begin();
    if (keep)
        status = flush_rows(w, err);
    if (keep && !status)
        status = write_hdf5_put_manifest(w, err);
    for (int i = 0; keep && !status && i < HOL_TABLES; i++)
        status = flush_lines(w, i, err);
    if (keep && !status)
        H5Fflush(h->file, H5F_SCOPE_LOCAL);
    H5Fget_filesize(h->file, &size);
    int ok = 1;
    close_all(w, &ok);
    if (!ok && !status)
        status = hdf5_error(w, err);
    quiet_end(quiet);
    // give back what was reserved and not used; the data must be on the disk before the name is
    errno = 0;
    int bad = keep && size > 0 && (ftruncate(h->fd, (off_t)size) != 0 || fsync(h->fd) != 0);
    if (bad && !status)
        status = hol_result_error(w, strerror(errno), err);
    close(h->fd);
    HolStatus finished = hol_file_finish(&w->place, NULL, keep && !status, err);
    return status && keep ? status : finished;
}

const HolResultFormat hol_result_hdf5 = {
    .name = "HDF5",
    .endings = {".h5", ".hdf5"},
    .tells_columns = 1,
    .open = hdf5_open,
    .line = hdf5_line,
    .row = hdf5_row,
    .errors = hdf5_errors,
    .close = hdf5_close,
};

#else

// without HDF5 this file is empty; the chooser in write_result.c says so to the user
typedef int HolHdf5NotBuilt;

#endif
