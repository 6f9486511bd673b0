// SPDX-License-Identifier: Apache-2.0
// HDF5 results: one extendible dataset of doubles a column, named like the column, with attributes
// "units" and "unit" (the same text), in the order of the columns (creation order is tracked); the
// model's text as dataset "model", the manifest as "manifest"; version, name and options as
// attributes of the root. Rows are gathered in memory and written CHUNK at a time. A '/' in a
// column's name (an output like "a.x/b.x") would make a group: the dataset is then named with a
// division slash, and attribute "name" keeps the exact text. Bounds of the errors of certified rows
// are one dataset "errors", rows x columns.
//
// HDF5 does not survive a failed write: it fails again when the program ends. So disk space is
// reserved before HDF5 needs it; a full disk is met there, and the file can still be closed.
#include "io/result/column_unit.h"
#include "io/result/write_result.h"

#ifdef HOL_HAVE_HDF5

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CHUNK = 512,            // rows
    HEAD_BYTES = 1 << 18,   // more than the file's own structures take
    COLUMN_BYTES = 8 << 10, // more than a dataset's header and index take
};

typedef struct Hdf5 {
    int fd;         // the same file, for reserving space
    off_t reserved; // bytes of it that are on the disk for certain
    hid_t file;
    hid_t *dataset;  // a column each
    double *pending; // columns x CHUNK, column after column
    hid_t errors;    // dataset, 0: none
    double *bounds;  // CHUNK x columns, row after row
    int n_pending;
    hsize_t written; // rows in the file
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
    return hol_result_error(w, h->reason[0] ? h->reason : "HDF5 reports an error", err);
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

static int put_text_attribute(hid_t object, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    size_t length = strlen(text);
    H5Tset_size(type, length ? length : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = attribute >= 0 && H5Awrite(attribute, type, length ? text : "\0") >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static int put_number_attribute(hid_t object, const char *name, double value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return ok;
}

static int put_text_dataset(hid_t file, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    size_t length = strlen(text);
    H5Tset_size(type, length ? length : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

// method parameters that are set, and the options of the run
static int hdf5_put_options(hid_t file, const HolSimOptions *o) {
    const HolMethodOptions *m = &o->method;
    const struct {
        const char *name, *value;
    } words[] = {
        {"method", m->name},
        {"method.scheme", m->scheme},
        {"method.metric", m->metric},
        {"method.iteration", m->iteration},
        {"method.start", m->start},
        {"method.formulation", m->formulation},
        {"method.set", m->set},
        {"method.projection", m->projection},
        {"linear_solver", o->linear_solver},
        {"start_at", o->start_at},
    };
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"start", o->start},
        {"end", o->end},
        {"step", o->step},
        {"tolerance", o->step > 0 ? 0 : o->tolerance},
        {"output_step", o->output_step},
        {"initial_step", o->initial_step},
        {"max_step", o->max_step},
        {"min_step", o->min_step},
        {"method.alpha", m->alpha},
        {"method.beta", m->beta},
        {"method.gamma", m->gamma},
        {"method.zeta", m->zeta},
        {"method.rho", m->rho},
        {"method.order", m->order},
        {"method.newton_iterations", m->newton_iterations},
    };
    int ok = 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].value[0])
            ok = ok && put_text_attribute(file, words[i].name, words[i].value);
    // NAN means "the method's default" and is left out
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value == numbers[i].value)
            ok = ok && put_number_attribute(file, numbers[i].name, numbers[i].value);
    return ok;
}

// the name of a column as a link name: no '/', and never one that is taken
static void link_name(hid_t file, const char *column, char *out, size_t size) {
    size_t used = 0;
    for (; *column && used + 16 < size; column++) {
        const char *put = *column == '/' ? "\xe2\x88\x95" : NULL; // U+2215
        if (put)
            used += (size_t)snprintf(out + used, size - used, "%s", put);
        else
            out[used++] = *column;
    }
    out[used] = 0;
    if (used == 0 || strcmp(out, ".") == 0)
        used = (size_t)snprintf(out, size, "column");
    for (int n = 2; H5Lexists(file, out, H5P_DEFAULT) > 0; n++)
        snprintf(out + used, size - used, "#%d", n);
}

// "unit" is for programs that read files of earlier versions
static int put_units(hid_t dataset, const char *unit) {
    return put_text_attribute(dataset, "units", unit) && put_text_attribute(dataset, "unit", unit);
}

// an empty, extendible dataset for every column
static int create_columns(HolResultWriter *w, const HolModel *m) {
    Hdf5 *h = w->data;
    hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = CHUNK;
    hid_t space = H5Screate_simple(1, &none, &unlimited);
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    int ok = space >= 0 && layout >= 0 && H5Pset_chunk(layout, 1, &chunk) >= 0;
    for (int i = 0; ok && i < w->columns; i++) {
        char name[512];
        HolColumn column = hol_column_with_unit(m, i);
        const char *full = hol_result_column_name(m, i);
        link_name(h->file, full, name, sizeof name);
        h->dataset[i] =
            H5Dcreate2(h->file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
        ok = h->dataset[i] >= 0 && put_units(h->dataset[i], column.unit ? column.unit : "");
        if (ok && strcmp(name, full) != 0)
            ok = put_text_attribute(h->dataset[i], "name", full);
    }
    H5Pclose(layout);
    H5Sclose(space);
    return ok;
}

// an empty, extendible dataset, rows x columns; before the columns, so that its name is free
static int create_errors(HolResultWriter *w) {
    Hdf5 *h = w->data;
    hsize_t none[2] = {0, (hsize_t)w->columns}, most[2] = {H5S_UNLIMITED, (hsize_t)w->columns};
    hsize_t chunk[2] = {CHUNK, 1};
    if (!w->certified)
        return 1;
    hid_t space = H5Screate_simple(2, none, most), layout = H5Pcreate(H5P_DATASET_CREATE);
    int ok = space >= 0 && layout >= 0 && H5Pset_chunk(layout, 2, chunk) >= 0;
    if (ok)
        h->errors =
            H5Dcreate2(h->file, "errors", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    H5Pclose(layout);
    H5Sclose(space);
    return ok && h->errors >= 0;
}

static void close_all(HolResultWriter *w, int *ok) {
    Hdf5 *h = w->data;
    if (h->errors > 0 && H5Dclose(h->errors) < 0)
        *ok = 0;
    for (int i = 0; i < w->columns; i++)
        if (h->dataset[i] > 0 && H5Dclose(h->dataset[i]) < 0)
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
static int reserve_more(Hdf5 *h, int columns, size_t bytes_a_column) {
    hsize_t size = 0;
    H5Fget_filesize(h->file, &size);
    return write_hdf5_reserve(h,
                              (off_t)size + HEAD_BYTES + (off_t)((size_t)columns * bytes_a_column));
}

// the system's own open gives the better reason when the place cannot be written
static HolStatus open_place(HolResultWriter *w, HolError *err) {
    Hdf5 *h = w->data;
    h->fd = open(w->place.part, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0666);
    if (h->fd < 0)
        return hol_result_error(w, strerror(errno), err);
    int reason = write_hdf5_reserve(h, HEAD_BYTES + (off_t)w->columns * COLUMN_BYTES);
    if (reason) {
        close(h->fd);
        return hol_result_error(w, strerror(reason), err);
    }
    return HOL_OK;
}

// the file with everything that is known before the first row
static int create_file(HolResultWriter *w, const HolModel *m, const HolSimOptions *o) {
    Hdf5 *h = w->data;
    hid_t create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    h->file = H5Fcreate(w->place.part, H5F_ACC_TRUNC, create, H5P_DEFAULT);
    H5Pclose(create);
    h->reserved = 0; // creating has truncated it
    const char *source = hol_model_source(m) ? hol_model_source(m) : "";
    return h->file >= 0 &&
           write_hdf5_reserve(h, HEAD_BYTES + (off_t)w->columns * COLUMN_BYTES +
                                     (off_t)strlen(source)) == 0 &&
           put_text_attribute(h->file, "holonom", hol_version()) &&
           put_text_attribute(h->file, "name", hol_model_name(m) ? hol_model_name(m) : "") &&
           hdf5_put_options(h->file, o) && put_text_dataset(h->file, "model", source) &&
           create_errors(w) && create_columns(w, m) && H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0;
}

static HolStatus hdf5_open(HolResultWriter *w, const HolModel *m, const HolSimOptions *o,
                           HolError *err) {
    Hdf5 *h = HOL_NEW(&w->arena, Hdf5, 1);
    hid_t *dataset = HOL_NEW(&w->arena, hid_t, w->columns);
    const size_t size = (size_t)w->columns * CHUNK;
    double *pending = HOL_NEW(&w->arena, double, size);
    double *bounds = w->certified ? HOL_NEW(&w->arena, double, size) : pending;
    if (!h || !dataset || !pending || !bounds)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    h->dataset = dataset;
    h->bounds = bounds;
    h->pending = pending;
    w->data = h;
    HolStatus status = open_place(w, err);
    if (status)
        return status;
    Quiet quiet = quiet_begin();
    if (!create_file(w, m, o)) {
        status = hdf5_error(w, err);
        int ok = 1;
        close_all(w, &ok);
        close(h->fd);
    }
    quiet_end(quiet);
    return status;
}

// the gathered rows of one column behind those in the file
static int flush_column(Hdf5 *h, int i, hid_t memory, hsize_t count, hsize_t total) {
    if (H5Dset_extent(h->dataset[i], &total) < 0)
        return 0;
    hid_t space = H5Dget_space(h->dataset[i]);
    int ok = space >= 0 &&
             H5Sselect_hyperslab(space, H5S_SELECT_SET, &h->written, NULL, &count, NULL) >= 0 &&
             H5Dwrite(h->dataset[i], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT,
                      h->pending + (size_t)i * CHUNK) >= 0;
    if (space >= 0)
        H5Sclose(space);
    return ok;
}

// the gathered bounds behind those in the file
static int flush_errors(const HolResultWriter *w, hsize_t count, hsize_t total) {
    const Hdf5 *h = w->data;
    hsize_t all[2] = {total, (hsize_t)w->columns}, from[2] = {h->written, 0};
    hsize_t part[2] = {count, (hsize_t)w->columns};
    if (!w->certified)
        return 1;
    if (H5Dset_extent(h->errors, all) < 0)
        return 0;
    hid_t memory = H5Screate_simple(2, part, NULL), space = H5Dget_space(h->errors);
    int ok = memory >= 0 && space >= 0 &&
             H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, part, NULL) >= 0 &&
             H5Dwrite(h->errors, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, h->bounds) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    return ok;
}

static HolStatus flush_rows(HolResultWriter *w, HolError *err) {
    Hdf5 *h = w->data;
    hsize_t count = (hsize_t)h->n_pending, total = h->written + count;
    if (count == 0)
        return HOL_OK;
    const size_t bytes = (w->certified ? 2 : 1) * (CHUNK * sizeof(double) + COLUMN_BYTES);
    int reason = reserve_more(h, w->columns, bytes);
    if (reason)
        return hol_result_error(w, strerror(reason), err);
    hid_t memory = H5Screate_simple(1, &count, NULL);
    int ok = memory >= 0;
    for (int i = 0; ok && i < w->columns; i++)
        ok = flush_column(h, i, memory, count, total);
    ok = ok && flush_errors(w, count, total);
    // out of HDF5's caches too: only then is its idea of the file's size true
    ok = ok && H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0;
    HolStatus status = ok ? HOL_OK : hdf5_error(w, err);
    if (memory >= 0)
        H5Sclose(memory);
    h->written = total;
    h->n_pending = 0;
    return status;
}

static HolStatus flush_full(HolResultWriter *w, HolError *err) {
    const Hdf5 *h = w->data;
    if (h->n_pending < CHUNK)
        return HOL_OK;
    Quiet quiet = quiet_begin();
    HolStatus status = flush_rows(w, err);
    quiet_end(quiet);
    return status;
}

static HolStatus hdf5_row(HolResultWriter *w, const double *row, HolError *err) {
    Hdf5 *h = w->data;
    for (int i = 0; i < w->columns; i++)
        h->pending[(size_t)i * CHUNK + (size_t)h->n_pending] = row[i];
    h->n_pending++;
    return w->certified ? HOL_OK : flush_full(w, err); // its bounds follow
}

static HolStatus hdf5_errors(HolResultWriter *w, const double *bounds, HolError *err) {
    Hdf5 *h = w->data;
    const size_t columns = (size_t)w->columns;
    memcpy(h->bounds + (size_t)(h->n_pending - 1) * columns, bounds, columns * sizeof *bounds);
    return flush_full(w, err);
}

// the manifest is complete only at the end
static HolStatus write_hdf5_put_manifest(HolResultWriter *w, HolError *err) {
    Hdf5 *h = w->data;
    size_t length = 0;
    char *text = hol_result_manifest(w, &length);
    if (!text)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolStatus status = HOL_OK;
    int reason = reserve_more(h, 1, COLUMN_BYTES + length);
    if (reason)
        status = hol_result_error(w, strerror(reason), err);
    else if (!put_text_dataset(h->file, "manifest", text))
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
    HolStatus finished = hol_file_finish(&w->place, keep && !status, err);
    return status && keep ? status : finished;
}

const HolResultFormat hol_result_hdf5 = {
    .name = "HDF5",
    .endings = {".h5", ".hdf5"},
    .open = hdf5_open,
    .row = hdf5_row,
    .errors = hdf5_errors,
    .close = hdf5_close,
};

#else

// without HDF5 this file is empty; the chooser in write_result.c says so to the user
typedef int HolHdf5NotBuilt;

#endif
