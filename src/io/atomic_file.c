// SPDX-License-Identifier: Apache-2.0
// Choosing the place of a file, and giving it its name when it is complete.
#include "io/atomic_file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

static int atomic_file_is_stdout(const HolAtomicFile *p) {
    return strcmp(p->path, "-") == 0;
}

HolStatus hol_file_error(const HolAtomicFile *p, const char *reason, HolError *err) {
    return hol_error_set(err, HOL_ERR_FILE, "cannot write %s: %s",
                         atomic_file_is_stdout(p) ? "standard output" : p->path, reason);
}

static HolStatus system_error(const HolAtomicFile *p, int reason, HolError *err) {
    return hol_file_error(p, strerror(reason ? reason : EIO), err);
}

// what the link `path` says, seen from the folder of the link; 0: it is no link, -1: too long
static int follow_link(char path[PATH_MAX]) {
    char said[PATH_MAX];
    ssize_t n = readlink(path, said, sizeof said - 1);
    if (n < 0)
        return 0;
    said[n] = 0;
    const char *slash = strrchr(path, '/');
    size_t folder = said[0] != '/' && slash ? (size_t)(slash - path) + 1 : 0;
    if (folder + (size_t)n >= PATH_MAX)
        return -1;
    memcpy(path + folder, said, (size_t)n + 1);
    return 1;
}

int hol_file_target(const char *path, char out[PATH_MAX]) {
    if (snprintf(out, PATH_MAX, "%s", path) >= PATH_MAX)
        return ENAMETOOLONG;
    for (int i = 0; i < MOST_LINKS; i++) {
        int followed = follow_link(out);
        if (followed <= 0)
            return followed ? ENAMETOOLONG : 0;
    }
    return ELOOP;
}

// beside the target, so that renaming is one step
static HolStatus choose_beside(HolAtomicFile *p, HolArena *arena, HolError *err) {
    char target[PATH_MAX];
    int reason = hol_file_target(p->path, target);
    if (reason)
        return system_error(p, reason, err);
    // a file that may not be written may not be replaced either
    if (p->mode && access(target, W_OK) != 0)
        return system_error(p, errno, err);
    size_t size = strlen(target) + 32;
    char *part = hol_arena_alloc(arena, size);
    p->target = hol_arena_text(arena, target);
    if (!part || !p->target)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    snprintf(part, size, "%s.part-%ld", target, (long)getpid());
    p->part = part;
    return HOL_OK;
}

HolStatus hol_file_choose(HolAtomicFile *p, HolArena *arena, const char *path, HolError *err) {
    struct stat info;
    *p = (HolAtomicFile){.path = hol_arena_text(arena, path)};
    if (!p->path)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    int exists = !atomic_file_is_stdout(p) && stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return hol_file_error(p, "it is a directory", err);
    if (atomic_file_is_stdout(p) || (exists && !S_ISREG(info.st_mode))) {
        p->direct = 1;
        p->target = p->part = p->path;
        return HOL_OK;
    }
    p->mode = exists ? info.st_mode : 0;
    return choose_beside(p, arena, err);
}

FILE *hol_file_open(const HolAtomicFile *p, HolError *err) {
    FILE *file = atomic_file_is_stdout(p) ? stdout : fopen(p->part, "wbe");
    if (!file)
        system_error(p, errno, err);
    errno = 0;
    return file;
}

// some file systems have no sync
static int sync_file(FILE *file) {
    return fsync(fileno(file)) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS;
}

HolStatus hol_file_flush(const HolAtomicFile *p, FILE *file, int keep, HolError *err) {
    // after a failed write errno still tells why
    if (!ferror(file))
        errno = 0;
    int ok = !ferror(file) && fflush(file) == 0;
    if (ok && keep && !p->direct)
        ok = sync_file(file);
    int reason = errno;
    if (file != stdout && fclose(file) != 0 && ok) {
        ok = 0;
        reason = errno;
    }
    return ok || !keep ? HOL_OK : system_error(p, reason, err);
}

HolStatus hol_file_finish(const HolAtomicFile *p, int keep, HolError *err) {
    HolStatus status = HOL_OK;
    if (p->direct)
        return HOL_OK;
    if (keep &&
        ((p->mode && chmod(p->part, p->mode & 07777u) != 0) || rename(p->part, p->target) != 0))
        status = system_error(p, errno, err);
    if (!keep || status)
        unlink(p->part);
    return status;
}

HolStatus hol_file_close(const HolAtomicFile *p, FILE *file, int keep, HolError *err) {
    HolStatus status = hol_file_flush(p, file, keep, err);
    HolStatus finished = hol_file_finish(p, keep && !status, err);
    return status ? status : finished;
}
