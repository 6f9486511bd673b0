// SPDX-License-Identifier: Apache-2.0
// Writing the table of a sweep, see study_hdf5.h. It is written by a process of its own (io/apart.h):
// libhdf5 does not survive a lack of memory, nor a failed write, for which room on the disk is reserved.
// The caller never loads it: what is done at its exit needs memory, too.
#include "io/hdf5/study_hdf5.h"

#ifdef HOL_HAVE_HDF5

#include "base/error.h"
#include "io/apart.h"
#include "io/hdf5/write_hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_ROWS = 1024, NO_REASON = -1 };

typedef struct Ready {
    HolStatus status;
    HolError err;
} Ready;

static void study_look(int answer, void *user) {
    (void)user;
    Ready r = {0};
    r.status = hol_hdf5_ready(&r.err);
    hol_apart_send(answer, &r, sizeof r);
}

HolStatus hol_hdf5_study_ready(HolError *err) {
    HolApart child;
    Ready r;
    const int reason = hol_apart_start(&child, study_look, NULL, 0);
    if (reason)
        return hol_error_set(err, HOL_ERR_MEMORY, "no process to write HDF5: %s", strerror(reason));
    if (!hol_apart_receive(child.fd, &r, sizeof r))
        r.status = hol_error_set(&r.err, HOL_ERR_MEMORY,
                                 "the process that looks for HDF5 ended; it may be out of memory");
    hol_apart_end(&child);
    if (err)
        *err = r.err;
    return r.status;
}

// how datasets are stored: in chunks, deflated, without times
static hid_t study_layout(int dimensions, const hsize_t *size) {
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {size[0] < CHUNK_ROWS ? size[0] : CHUNK_ROWS, dimensions > 1 ? size[1] : 1};
    H5Pset_obj_track_times(layout, 0);
    H5Pset_chunk(layout, dimensions, chunk);
    H5Pset_shuffle(layout);
    H5Pset_deflate(layout, 1);
    return layout;
}

static int study_put(hid_t file, const char *name, hid_t type, hid_t memory, int dimensions,
                     const hsize_t *size, const void *data) {
    hid_t space = H5Screate_simple(dimensions, size, NULL), layout = study_layout(dimensions, size);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    int ok = set >= 0 && H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    H5Dclose(set);
    H5Pclose(layout);
    H5Sclose(space);
    return ok;
}

static hid_t study_text_type(size_t length) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length ? length : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

// texts of one length; `beside` bytes stay free behind each
static char *study_pack(HolArena *arena, const char *const *texts, size_t n, size_t beside,
                        size_t *longest) {
    *longest = 1;
    for (size_t i = 0; i < n; i++)
        *longest = strlen(texts[i]) > *longest ? strlen(texts[i]) : *longest;
    char *bytes = hol_arena_alloc(arena, n * (*longest + beside) + 1);
    for (size_t i = 0; bytes && i < n; i++)
        memcpy(bytes + i * (*longest + beside), texts[i], strlen(texts[i]));
    return bytes;
}

static int study_put_texts(hid_t file, HolArena *arena, const char *name, const char *const *texts,
                           long n) {
    size_t longest;
    const hsize_t size = (hsize_t)n;
    char *bytes = study_pack(arena, texts, (size_t)n, 0, &longest);
    if (!bytes)
        return 0;
    hid_t type = study_text_type(longest);
    int ok = study_put(file, name, type, type, 1, &size, bytes);
    H5Tclose(type);
    return ok;
}

static int study_put_columns(hid_t file, HolArena *arena, const HolStudyTable *t) {
    size_t longest;
    const hsize_t size = (hsize_t)t->columns;
    char *bytes = study_pack(arena, t->names, (size_t)t->columns, 1, &longest);
    if (!bytes)
        return 0;
    hid_t name = study_text_type(longest), unit = study_text_type(1);
    hid_t entry = H5Tcreate(H5T_COMPOUND, longest + 1);
    H5Tinsert(entry, "name", 0, name);
    H5Tinsert(entry, "unit", longest, unit);
    int ok = study_put(file, "columns", entry, entry, 1, &size, bytes);
    H5Tclose(entry);
    H5Tclose(unit);
    H5Tclose(name);
    return ok;
}

static int study_put_text(hid_t file, const char *name, const char *text) {
    hid_t type = study_text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(layout, 0);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    int ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    H5Dclose(set);
    H5Pclose(layout);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static int study_put_format(hid_t file) {
    const int format = 1;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute =
        H5Acreate2(file, "holonom_sweep", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, &format) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return ok;
}

// bytes that the file takes at most: deflate makes what it cannot pack little longer
static off_t study_bytes(const HolStudyTable *t) {
    enum { HEAD = 1 << 18, CHUNK = 4 << 10 };
    const size_t rows = (size_t)t->rows, columns = (size_t)t->columns;
    const size_t chunks = (rows / CHUNK_ROWS + 1) * (columns + 2);
    size_t status = 1, message = 1;
    for (size_t i = 0; i < rows; i++) {
        status = strlen(t->status[i]) > status ? strlen(t->status[i]) : status;
        message = strlen(t->message[i]) > message ? strlen(t->message[i]) : message;
    }
    const size_t longest = rows < CHUNK_ROWS ? rows : CHUNK_ROWS; // (the last chunk is whole)
    return (off_t)(HEAD + strlen(t->study) + strlen(t->model) + chunks * CHUNK +
                   (rows + longest) * (columns * sizeof(double) + status + message) * 65 / 64);
}

// the whole file into `fd`, of the name `path`; 0, the reason of the system, or NO_REASON
static int study_write(int fd, const char *path, const HolStudyTable *t) {
    HolArena arena = {0};
    const hsize_t size[2] = {(hsize_t)t->rows, (hsize_t)t->columns};
    hsize_t length = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    int reason = file >= 0 ? posix_fallocate(fd, 0, study_bytes(t)) : NO_REASON;
    errno = 0;
    if (!reason &&
        !(study_put_format(file) && study_put_columns(file, &arena, t) &&
          study_put(file, "data", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, size, t->data) &&
          study_put_texts(file, &arena, "status", t->status, t->rows) &&
          study_put_texts(file, &arena, "message", t->message, t->rows) &&
          study_put_text(file, "study", t->study) && study_put_text(file, "model", t->model) &&
          H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && H5Fget_filesize(file, &length) >= 0))
        reason = arena.failed || errno == ENOMEM ? ENOMEM : NO_REASON;
    if (file >= 0 && H5Fclose(file) < 0 && !reason)
        reason = NO_REASON;
    // what was reserved and not used goes; the bytes are on the disk before the name is
    if (!reason && (ftruncate(fd, (off_t)length) != 0 || fsync(fd) != 0))
        reason = errno;
    hol_arena_free(&arena);
    return reason;
}

typedef struct StudyJob {
    const HolAtomicFile *place;
    const HolStudyTable *table;
} StudyJob;

static void study_work(int answer, void *user) {
    const StudyJob *job = user;
    const char *path = job->place->part;
    const int fd = open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0666);
    int reason = fd < 0                 ? errno
                 : hol_hdf5_ready(NULL) ? NO_REASON
                                        : study_write(fd, path, job->table);
    if (!hol_apart_send(answer, &reason, sizeof reason) && fd >= 0)
        unlink(path); // (the caller is gone)
}

HolStatus hol_hdf5_study_write(const HolAtomicFile *place, const HolStudyTable *t, HolError *err) {
    HolApart child;
    StudyJob job = {place, t};
    int reason = 0;
    HolStatus status = HOL_OK;
    if ((reason = hol_apart_start(&child, study_work, &job, 0)))
        return hol_file_error(place, strerror(reason), err);
    if (!hol_apart_receive(child.fd, &reason, sizeof reason))
        status =
            hol_file_error(place, "the process that writes it ended; it may be out of memory", err);
    else if (reason)
        status =
            hol_file_error(place,
                           reason == NO_REASON ? "HDF5 gives no reason; it may be out of memory"
                           : reason == ENOMEM  ? "out of memory"
                                               : strerror(reason),
                           err);
    hol_apart_end(&child);
    const HolStatus finished = hol_file_finish(place, NULL, !status, status ? NULL : err);
    return status ? status : finished;
}

#else

#include "base/error.h"

HolStatus hol_hdf5_study_ready(HolError *err) {
    return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                         "this build has no HDF5; use a name ending in .csv");
}

HolStatus hol_hdf5_study_write(const HolAtomicFile *place, const HolStudyTable *t, HolError *err) {
    (void)place, (void)t;
    return hol_hdf5_study_ready(err);
}

#endif
