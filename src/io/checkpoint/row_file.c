// SPDX-License-Identifier: Apache-2.0
// RESULT.part: the rows of a run that may be killed, as CSV. It is made anew and never through a link,
// and one process at a time has it. Of a CSV result it is the file itself, which gets its name at the
// end; an HDF5 file is written from it then, since a kill would leave nothing of one that is open.
#include "io/checkpoint/checkpoint.h"
#include "io/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static HolStatus rows_error(const HolRowFile *r, const char *what, const char *reason,
                            HolError *err) {
    return hol_error_set(err, HOL_ERR_FILE, "cannot %s %s: %s", what, r->place.part, reason);
}

HolStatus hol_rows_choose(HolRowFile *r, HolArena *arena, const char *result, const HolModel *m,
                          HolError *err) {
    HolStatus status = hol_files_apart(m, NULL, 0, &result, 1, err);
    if (!status)
        status = hol_file_choose(&r->place, arena, result, err);
    if (status)
        return status;
    if (r->place.direct)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "a run with checkpoints needs a regular file for its results, '%s' "
                             "is none",
                             result);
    r->format = hol_result_format(result, err);
    if (!r->format)
        return HOL_ERR_INPUT;
    const size_t size = strlen(r->place.target) + 8;
    char *part = hol_arena_alloc(arena, size);
    if (!part)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    snprintf(part, size, "%s.part", r->place.target);
    r->place.part = part;
    return HOL_OK;
}

int hol_rows_there(const HolRowFile *r) {
    struct stat info;
    return lstat(r->place.part, &info) == 0;
}

// one process at a time; a lock ends with its process, whatever ends that
static int rows_lock(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN);
}

static HolStatus rows_busy(const HolRowFile *r, HolError *err) {
    return rows_error(r, "write", "another process is at work on it", err);
}

// the file as a stream of rows; takes the descriptor
static HolStatus rows_open(HolRowFile *r, int fd, long rows, int begun, const HolModel *m,
                           const HolSimOptions *o, HolError *err) {
    r->file = fdopen(fd, "r+b");
    if (!r->file) {
        const int reason = errno;
        close(fd);
        return rows_error(r, "write", strerror(reason), err);
    }
    return hol_result_open_kept(&r->place, r->file, rows, begun, m, o, &r->w, err);
}

HolStatus hol_rows_create(HolRowFile *r, const HolModel *m, const HolSimOptions *o, HolError *err) {
    const int old = open(r->place.part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const int free = old < 0 || rows_lock(old);
    if (free && unlink(r->place.part) != 0 && errno != ENOENT) {
        const int reason = errno;
        if (old >= 0)
            close(old);
        return rows_error(r, "write", strerror(reason), err);
    }
    if (old >= 0)
        close(old);
    if (!free)
        return rows_busy(r, err);
    const int fd = open(r->place.part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return rows_error(r, "write", strerror(errno), err);
    rows_lock(fd);
    hol_sha256_begin(&r->hash);
    r->hashed = 0;
    const HolStatus status = rows_open(r, fd, 0, 0, m, o, err);
    if (status)
        unlink(r->place.part);
    return status;
}

// hash the file up to `end`; 0: it is not that long
static int rows_hash(HolRowFile *r, int fd, uint64_t end) {
    char part[1 << 14];
    while (r->hashed < end) {
        const uint64_t left = end - r->hashed;
        const ssize_t n =
            pread(fd, part, left < sizeof part ? (size_t)left : sizeof part, (off_t)r->hashed);
        if (n <= 0)
            return 0;
        hol_sha256_add(&r->hash, part, (size_t)n);
        r->hashed += (uint64_t)n;
    }
    return 1;
}

// NULL, or why these are not the rows that the checkpoint counts
static const char *rows_wrong(HolRowFile *r, int fd, const HolCheckpointNumbers *n) {
    struct stat info;
    char sha256[65];
    if (fstat(fd, &info) != 0)
        return strerror(errno);
    if (!S_ISREG(info.st_mode) || info.st_nlink != 1)
        return "it is no file of its own";
    hol_sha256_begin(&r->hash);
    r->hashed = 0;
    if ((uint64_t)info.st_size < n->length || !rows_hash(r, fd, n->length))
        return "it is shorter than the checkpoint says";
    hol_sha256_end(&r->hash, sha256);
    if (strcmp(sha256, n->sha256) != 0)
        return "it is damaged, or of another run: its SHA-256 does not fit the checkpoint";
    if (ftruncate(fd, (off_t)n->length) != 0 || lseek(fd, 0, SEEK_END) < 0)
        return strerror(errno);
    return NULL;
}

HolStatus hol_rows_take(HolRowFile *r, const HolModel *m, const HolSimOptions *o,
                        const HolCheckpointNumbers *n, HolError *err) {
    const int fd = open(r->place.part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return rows_error(r, "read", strerror(errno), err);
    if (!rows_lock(fd)) {
        close(fd);
        return rows_busy(r, err);
    }
    const char *wrong = rows_wrong(r, fd, n);
    if (wrong) {
        const HolStatus status = rows_error(r, "go on with", wrong, err);
        close(fd);
        return status;
    }
    return rows_open(r, fd, (long)n->rows, 1, m, o, err);
}

HolStatus hol_rows_sync(HolRowFile *r, HolCheckpointNumbers *n, HolError *err) {
    struct stat info;
    const int fd = fileno(r->file);
    errno = 0;
    if (ferror(r->file) || fflush(r->file) != 0 || fstat(fd, &info) != 0 ||
        (fsync(fd) != 0 && errno != EINVAL && errno != ENOSYS && errno != EROFS))
        return rows_error(r, "write", strerror(errno ? errno : EIO), err);
    if (!rows_hash(r, fd, (uint64_t)info.st_size))
        return rows_error(r, "read", "it is shorter than it was", err);
    n->length = r->hashed;
    n->rows = r->w->rows;
    hol_sha256_end(&r->hash, n->sha256);
    return HOL_OK;
}

void hol_rows_close(HolRowFile *r) {
    hol_result_leave(r->w);
    r->w = NULL;
    r->file = NULL;
}

// the rows once more, for a writer of another format
static HolStatus rows_copy(HolRowFile *r, HolResultWriter *to, HolError *err) {
    HolArena scratch = {0};
    char *line = NULL;
    size_t room = 0;
    double *row = HOL_NEW(&scratch, double, to->columns + 1);
    HolStatus status = row ? HOL_OK : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    long n = -1; // the header
    rewind(r->file);
    errno = 0;
    for (; !status && getline(&line, &room, r->file) > 0; n++)
        if (n >= 0)
            status = hol_csv_numbers(line, to->columns, row)
                         ? hol_result_row(to, row, err)
                         : rows_error(r, "read", "a row is damaged", err);
    if (!status && (ferror(r->file) || n != r->w->rows))
        status = rows_error(r, "read", errno ? strerror(errno) : "rows are missing", err);
    free(line);
    hol_arena_free(&scratch);
    return status;
}

static HolStatus rows_convert(HolRowFile *r, const HolModel *m, const HolSimOptions *o,
                              HolError *err) {
    HolResultWriter *to = NULL;
    const HolResultWriter *w = r->w;
    HolStatus status = hol_result_open(r->place.path, m, o, &to, err);
    if (status)
        return status;
    status = rows_copy(r, to, err);
    hol_result_summary(to, w->has_stats ? &w->stats : NULL, w->has_check ? &w->check : NULL,
                       w->status, w->message);
    const HolStatus closed = hol_result_close(to, !status, status ? NULL : err);
    return status ? status : closed;
}

HolStatus hol_rows_finish(HolRowFile *r, const HolModel *m, const HolSimOptions *o, HolError *err) {
    if (r->format != &hol_result_csv)
        return rows_convert(r, m, o, err);
    HolResultWriter *w = r->w;
    r->w = NULL;
    r->file = NULL;
    return hol_result_close(w, 1, err);
}

void hol_rows_discard(const HolRowFile *r) {
    unlink(r->place.part);
}

void hol_rows_remove(const HolRowFile *r) {
    if (r->format != &hol_result_csv)
        hol_rows_discard(r);
}

int hol_file_sha256(const char *path, char out[65], uint64_t *length) {
    char part[1 << 14];
    HolSha256 hash;
    ssize_t n;
    struct stat info;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return 0;
    hol_sha256_begin(&hash);
    *length = 0;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return 0;
    }
    while ((n = read(fd, part, sizeof part)) > 0) {
        hol_sha256_add(&hash, part, (size_t)n);
        *length += (uint64_t)n;
    }
    close(fd);
    hol_sha256_end(&hash, out);
    return n == 0;
}
