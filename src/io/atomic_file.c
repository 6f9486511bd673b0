// SPDX-License-Identifier: Apache-2.0
// Choosing the place of a file, and giving it its name when it is complete.
#define _GNU_SOURCE // O_TMPFILE
#include "io/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
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

// ---- names of unfinished files ----

// this host as its processes see it: its name and the numbering of its processes
static uint32_t atomic_file_host(void) {
    char text[320] = "";
    struct stat pids = {0};
    gethostname(text, 256);
    (void)stat("/proc/self/ns/pid", &pids);
    const size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "/%llu", (unsigned long long)pids.st_ino);
    uint32_t hash = 2166136261u;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return hash;
}

// a name that nobody can foresee
static void atomic_file_name(char *out, size_t size, const char *target) {
    uint64_t chance = 0;
    if (getrandom(&chance, sizeof chance, GRND_NONBLOCK) != (ssize_t)sizeof chance) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        chance = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)out;
    }
    snprintf(out, size, "%s.part-%08lx-%ld-%016llx", target, (unsigned long)atomic_file_host(),
             (long)getpid(), (unsigned long long)chance);
}

// 1: left behind by a process of this host that is no more
static int atomic_file_stale(const char *name, const char *base) {
    const size_t n = strlen(base);
    unsigned long host = 0;
    long pid = 0;
    unsigned long long chance = 0;
    int end = 0;
    return strncmp(name, base, n) == 0 &&
           sscanf(name + n, ".part-%8lx-%ld-%16llx%n", &host, &pid, &chance, &end) == 3 &&
           !name[n + (size_t)end] && host == atomic_file_host() && pid > 0 &&
           kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static void atomic_file_sweep(const char *target) {
    const char *slash = strrchr(target, '/');
    char folder[PATH_MAX], path[2 * PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - target) + 1 : 1,
             slash ? target : ".");
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (atomic_file_stale(e->d_name, slash ? slash + 1 : target)) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            unlink(path);
        }
    if (d)
        closedir(d);
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
    size_t size = strlen(target) + 64;
    char *part = hol_arena_alloc(arena, size);
    p->target = hol_arena_text(arena, target);
    if (!part || !p->target)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    atomic_file_name(part, size, target);
    p->part = part;
    atomic_file_sweep(target);
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

// without a name where the system can do that and give it one later, else one that is new
static int atomic_file_create(const HolAtomicFile *p) {
#ifdef O_TMPFILE
    char folder[PATH_MAX];
    const char *slash = strrchr(p->part, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - p->part) + 1 : 1,
             slash ? p->part : ".");
    const int fd = access("/proc/self/fd", X_OK) == 0
                       ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666)
                       : -1;
    if (fd >= 0)
        return fd;
#endif
    return open(p->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

// a file without a name gets that of the unfinished one; 0: errno says why not
static int atomic_file_link(const HolAtomicFile *p, int fd) {
    char own[64];
    struct stat info;
    if (fstat(fd, &info) != 0 || info.st_nlink > 0)
        return 1;
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, own, AT_FDCWD, p->part, AT_SYMLINK_FOLLOW) == 0;
}

FILE *hol_file_open(const HolAtomicFile *p, HolError *err) {
    FILE *file = atomic_file_is_stdout(p) ? stdout : p->direct ? fopen(p->part, "wbe") : NULL;
    const int fd = file || p->direct ? -1 : atomic_file_create(p);
    if (fd >= 0)
        file = fdopen(fd, "w+b");
    if (!file) {
        system_error(p, errno, err);
        if (fd >= 0) {
            close(fd);
            unlink(p->part);
        }
        return NULL;
    }
    errno = 0;
    return file;
}

// some file systems have no sync
static int sync_file(FILE *file) {
    return fsync(fileno(file)) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS;
}

HolStatus hol_file_sync(const HolAtomicFile *p, FILE *file, HolError *err) {
    // after a failed write errno still tells why
    if (!ferror(file))
        errno = 0;
    const int ok = !ferror(file) && fflush(file) == 0 && (p->direct || sync_file(file));
    return ok ? HOL_OK : system_error(p, errno, err);
}

// 0, or the system's reason. Between the unfinished name and the right one no signal may come.
static int atomic_file_name_it(const HolAtomicFile *p, FILE *file) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int ok = (!file || atomic_file_link(p, fileno(file))) &&
                   (!p->mode || chmod(p->part, p->mode & 07777u) == 0) &&
                   rename(p->part, p->target) == 0;
    const int reason = ok ? 0 : errno ? errno : EIO;
    if (!ok)
        unlink(p->part);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return reason;
}

HolStatus hol_file_finish(const HolAtomicFile *p, FILE *file, int keep, HolError *err) {
    int reason = 0;
    if (!p->direct && keep)
        reason = atomic_file_name_it(p, file);
    else if (!p->direct)
        unlink(p->part);
    if (file && file != stdout && fclose(file) != 0 && keep && p->direct)
        reason = errno ? errno : EIO;
    return reason ? system_error(p, reason, err) : HOL_OK;
}

HolStatus hol_file_close(const HolAtomicFile *p, FILE *file, int keep, HolError *err) {
    const HolStatus status = keep ? hol_file_sync(p, file, err) : HOL_OK;
    const HolStatus finished = hol_file_finish(p, file, keep && !status, err);
    return status ? status : finished;
}
