// SPDX-License-Identifier: Apache-2.0
// FILE.part: a file that grows with a run that may be killed. It is made anew and never through a link,
// and one process at a time has it.
#include "io/checkpoint/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

HolStatus hol_part_error(const HolPartFile *p, const char *what, const char *reason,
                         HolError *err) {
    return hol_error_set(err, HOL_ERR_FILE, "cannot %s %s: %s", what, p->place.part, reason);
}

HolStatus hol_part_choose(HolPartFile *p, HolArena *arena, const char *path, HolError *err) {
    const HolStatus status = hol_file_choose(&p->place, arena, path, err);
    if (status)
        return status;
    if (p->place.direct)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "a run with checkpoints needs a regular file for its results, '%s' "
                             "is none",
                             path);
    const size_t size = strlen(p->place.target) + 8;
    char *part = hol_arena_alloc(arena, size);
    if (!part)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    snprintf(part, size, "%s.part", p->place.target);
    p->place.part = part;
    return HOL_OK;
}

int hol_part_there(const HolPartFile *p) {
    struct stat info;
    return lstat(p->place.part, &info) == 0;
}

// a lock ends with its process, whatever ends that
static int part_lock(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN);
}

static HolStatus part_busy(const HolPartFile *p, HolError *err) {
    return hol_part_error(p, "write", "another process is at work on it", err);
}

// takes the descriptor
static HolStatus part_open(HolPartFile *p, int fd, HolError *err) {
    p->file = fdopen(fd, "r+b");
    if (p->file)
        return HOL_OK;
    const int reason = errno;
    close(fd);
    return hol_part_error(p, "write", strerror(reason), err);
}

HolStatus hol_part_create(HolPartFile *p, HolError *err) {
    const int old = open(p->place.part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const int free = old < 0 || part_lock(old);
    if (free && unlink(p->place.part) != 0 && errno != ENOENT) {
        const int reason = errno;
        if (old >= 0)
            close(old);
        return hol_part_error(p, "write", strerror(reason), err);
    }
    if (old >= 0)
        close(old);
    if (!free)
        return part_busy(p, err);
    const int fd = open(p->place.part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return hol_part_error(p, "write", strerror(errno), err);
    part_lock(fd);
    hol_sha256_begin(&p->hash);
    p->hashed = 0;
    const HolStatus status = part_open(p, fd, err);
    if (status)
        unlink(p->place.part);
    return status;
}

// hash the file up to `end`; 0: it is not that long
static int part_hash(HolPartFile *p, int fd, uint64_t end) {
    char part[1 << 14];
    while (p->hashed < end) {
        const uint64_t left = end - p->hashed;
        const ssize_t n =
            pread(fd, part, left < sizeof part ? (size_t)left : sizeof part, (off_t)p->hashed);
        if (n <= 0)
            return 0;
        hol_sha256_add(&p->hash, part, (size_t)n);
        p->hashed += (uint64_t)n;
    }
    return 1;
}

// NULL, or why these are not the bytes that the checkpoint counts
static const char *part_wrong(HolPartFile *p, int fd, uint64_t length, const char *expected) {
    struct stat info;
    char sha256[65];
    if (fstat(fd, &info) != 0)
        return strerror(errno);
    if (!S_ISREG(info.st_mode) || info.st_nlink != 1)
        return "it is no file of its own";
    hol_sha256_begin(&p->hash);
    p->hashed = 0;
    if ((uint64_t)info.st_size < length || !part_hash(p, fd, length))
        return "it is shorter than the checkpoint says";
    hol_sha256_end(&p->hash, sha256);
    if (strcmp(sha256, expected) != 0)
        return "it is damaged, or of another run: its SHA-256 does not fit the checkpoint";
    if (ftruncate(fd, (off_t)length) != 0 || lseek(fd, 0, SEEK_END) < 0)
        return strerror(errno);
    return NULL;
}

HolStatus hol_part_take(HolPartFile *p, uint64_t length, const char *sha256, HolError *err) {
    const int fd = open(p->place.part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return hol_part_error(p, "read", strerror(errno), err);
    if (!part_lock(fd)) {
        close(fd);
        return part_busy(p, err);
    }
    const char *wrong = part_wrong(p, fd, length, sha256);
    if (wrong) {
        const HolStatus status = hol_part_error(p, "go on with", wrong, err);
        close(fd);
        return status;
    }
    return part_open(p, fd, err);
}

HolStatus hol_part_sync(HolPartFile *p, uint64_t *length, char sha256[65], HolError *err) {
    struct stat info;
    const int fd = fileno(p->file);
    errno = 0;
    if (ferror(p->file) || fflush(p->file) != 0 || fstat(fd, &info) != 0 ||
        (fsync(fd) != 0 && errno != EINVAL && errno != ENOSYS && errno != EROFS))
        return hol_part_error(p, "write", strerror(errno ? errno : EIO), err);
    if (!part_hash(p, fd, (uint64_t)info.st_size))
        return hol_part_error(p, "read", "it is shorter than it was", err);
    *length = p->hashed;
    hol_sha256_end(&p->hash, sha256);
    return HOL_OK;
}

void hol_part_discard(const HolPartFile *p) {
    unlink(p->place.part);
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
