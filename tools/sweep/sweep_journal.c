// SPDX-License-Identifier: Apache-2.0
// The journal of a sweep, FILE.journal beside the result: a head that names the study by its SHA-256,
// then rows in the order in which they were done. A row that a kill has cut off is left out and
// written over; a file that is no journal is left as it is. When the result has its name, the journal
// goes.
#include "tools/sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const double SYNC = 2; // seconds between two times at which rows are on the disk for certain
static const char journal_head[] = "holonom sweep 1 ";
enum { HEAD = sizeof journal_head - 1 + 64 + 1, LOCK_TRIES = 100 }; // tries: tenths of a second

static HolStatus journal_error(const HolJournal *j, const char *what, HolError *err) {
    return hol_error_set(err, HOL_ERR_FILE, "cannot %s %s: %s", what, j->path, strerror(errno));
}

static int journal_write(const HolJournal *j, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t n = write(j->fd, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        bytes += n;
        length -= (size_t)n;
    }
    return 1;
}

// the rows of a journal; how many bytes of it are whole
static size_t journal_rows(const HolStudy *s, const char *text, size_t length, HolArena *scratch,
                           void (*take)(void *user, const HolSweepRow *row), void *user) {
    HolSweepRow row = {.values = HOL_NEW(scratch, double, s->n_records + 1)};
    size_t at = HEAD, n;
    while (row.values && (n = hol_row_unpack(s, text + at, length - at, &row)) > 0) {
        take(user, &row);
        at += n;
    }
    return at;
}

// 1: a journal, or as much of its head as was written
static int journal_begins(const HolStudy *s, const char *text, size_t length) {
    char head[HEAD + 1];
    snprintf(head, sizeof head, "%s%.64s\n", journal_head, s->identity);
    return memcmp(text, head, length < HEAD ? length : HEAD) == 0;
}

// an existing journal: its rows, then it is ready for more
static HolStatus journal_resume(const HolStudy *s, HolJournal *j,
                                void (*take)(void *user, const HolSweepRow *row), void *user,
                                HolError *err) {
    HolArena scratch = {0};
    struct stat info;
    HolStatus status = HOL_OK;
    if (fstat(j->fd, &info) != 0)
        return journal_error(j, "read", err);
    if (!S_ISREG(info.st_mode) || info.st_nlink != 1)
        return hol_error_set(err, HOL_ERR_FILE, "cannot write %s: it is no file of its own",
                             j->path);
    const size_t length = (size_t)info.st_size;
    char *text = hol_arena_alloc(&scratch, length + 1);
    if (!text)
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    else if (pread(j->fd, text, length, 0) != (ssize_t)length)
        status = journal_error(j, "read", err);
    else if (!journal_begins(s, text, length))
        status = hol_error_set(err, HOL_ERR_INPUT,
                               "%s belongs to another study, model or version than this one; "
                               "delete it to begin anew",
                               j->path);
    if (!status) {
        const size_t whole =
            length >= HEAD ? journal_rows(s, text, length, &scratch, take, user) : 0;
        if (ftruncate(j->fd, (off_t)whole) != 0 || lseek(j->fd, 0, SEEK_END) < 0)
            status = journal_error(j, "write", err);
    }
    hol_arena_free(&scratch);
    return status;
}

// One sweep at a time: the ranks of one that was killed may go on for a moment.
static HolStatus journal_lock(const HolJournal *j, HolError *err) {
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(j->fd, LOCK_EX | LOCK_NB) == 0)
            return HOL_OK;
        poll(NULL, 0, 100);
    }
    return hol_error_set(err, HOL_ERR_FILE, "another sweep is at work on %s", j->path);
}

HolStatus hol_journal_open(const HolStudy *s, HolArena *arena, const char *output, int resume,
                           void (*take)(void *user, const HolSweepRow *row), void *user,
                           HolJournal *out, HolError *err) {
    const size_t room = strlen(output) + 16;
    char *path = hol_arena_alloc(arena, room), head[HEAD + 1];
    *out = (HolJournal){.path = path, .fd = -1, .synced = hol_sweep_clock()};
    if (!path)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    snprintf(path, room, "%s.journal", output);
    out->fd = open(path,
                   O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
                       (resume ? 0 : O_EXCL),
                   0666);
    if (out->fd < 0 && errno == EEXIST)
        return hol_error_set(err, HOL_ERR_FILE,
                             "%s is there: a sweep did not come to its end; --resume goes on with "
                             "it, or delete it to begin anew",
                             path);
    if (out->fd < 0)
        return journal_error(out, "write", err);
    HolStatus status = journal_lock(out, err);
    if (!status)
        status = journal_resume(s, out, take, user, err);
    if (!status && lseek(out->fd, 0, SEEK_CUR) == 0) {
        snprintf(head, sizeof head, "%s%s\n", journal_head, s->identity);
        if (!journal_write(out, head, HEAD))
            status = journal_error(out, "write", err);
    }
    return status;
}

HolStatus hol_journal_add(HolJournal *j, const char *bytes, size_t length, HolError *err) {
    if (j->fd < 0)
        return HOL_OK;
    if (!journal_write(j, bytes, length))
        return journal_error(j, "write", err);
    const double now = hol_sweep_clock();
    if (now - j->synced > SYNC) {
        j->synced = now;
        fdatasync(j->fd);
    }
    return HOL_OK;
}

void hol_journal_close(HolJournal *j, int done) {
    if (j->fd < 0)
        return;
    if (!done)
        fsync(j->fd);
    close(j->fd);
    if (done)
        unlink(j->path);
    j->fd = -1;
}
