// SPDX-License-Identifier: Apache-2.0
// A slot: a keeper and a worker. The keeper is asked for runs and hands them to the worker, which does
// them one after the other. When a run ends its process, the keeper answers for it with what ended
// it, and begins another worker. The keeper itself knows nothing of models, so that nothing ends it;
// under mpirun it is begun before MPI, of which it knows nothing either.
#include "tools/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

typedef struct Keeper {
    const HolStudy *study;
    int asked, answer; // pipes to the one who asks
    int ask, answered; // pipes to the worker
    pid_t worker;      // 0: none
    HolSweepRow row;
    char *bytes;
} Keeper;

// ---- pipes ----

static int slot_write(int fd, const void *from, size_t length) {
    for (const char *at = from; length > 0;) {
        const ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        at += n;
        length -= (size_t)n;
    }
    return 1;
}

static int slot_read_all(int fd, void *to, size_t length) {
    for (char *at = to; length > 0;) {
        const ssize_t n = read(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        at += n;
        length -= (size_t)n;
    }
    return 1;
}

// the one who began this process is gone: so is this one
static void slot_die_with_parent(void) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

// ---- the worker ----

static void slot_work(const Keeper *k, int asked, int answer) {
    long run;
    HolSweepRow row = k->row;
    slot_die_with_parent();
    while (slot_read_all(asked, &run, sizeof run)) {
        hol_study_run(k->study, run, &row);
        const size_t length = hol_row_pack(k->study, &row, k->bytes);
        if (!slot_write(answer, k->bytes, length))
            break;
    }
    _exit(0);
}

static int slot_begin_worker(Keeper *k) {
    int down[2], up[2];
    if (k->worker)
        return 1;
    if (pipe(down) != 0)
        return 0;
    if (pipe(up) != 0) {
        close(down[0]);
        close(down[1]);
        return 0;
    }
    k->worker = fork();
    if (k->worker == 0) {
        close(down[1]);
        close(up[0]);
        close(k->asked);
        close(k->answer);
        slot_work(k, down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    k->ask = down[1];
    k->answered = up[0];
    if (k->worker > 0)
        return 1;
    close(k->ask);
    close(k->answered);
    k->worker = 0;
    return 0;
}

// what ended the worker, as the row of its run
static size_t slot_crashed(Keeper *k, long run) {
    int how = 0;
    close(k->ask);
    close(k->answered);
    while (k->worker && waitpid(k->worker, &how, 0) < 0 && errno == EINTR)
        ;
    double *values = k->row.values;
    HolSweepRow row = {.run = run, .status = HOL_ERR_UNSUPPORTED, .crashed = 1, .values = values};
    for (int i = 0; i < k->study->n_records; i++)
        values[i] = NAN;
    if (!k->worker)
        snprintf(row.message, sizeof row.message, "no process could be begun for it");
    else if (WIFSIGNALED(how))
        snprintf(row.message, sizeof row.message, "the run ended its process: signal %d (%s)",
                 WTERMSIG(how), strsignal(WTERMSIG(how)));
    else
        snprintf(row.message, sizeof row.message, "the run ended its process: exit %d",
                 WEXITSTATUS(how));
    k->worker = 0;
    return hol_row_pack(k->study, &row, k->bytes);
}

// the row of a run, in k->bytes
static size_t slot_do(Keeper *k, long run) {
    unsigned length = 0;
    if (!slot_begin_worker(k)) {
        k->ask = k->answered = -1;
        return slot_crashed(k, run);
    }
    if (!slot_write(k->ask, &run, sizeof run) ||
        !slot_read_all(k->answered, &length, sizeof length) || length > hol_row_room(k->study))
        return slot_crashed(k, run);
    memcpy(k->bytes, &length, sizeof length);
    if (!slot_read_all(k->answered, k->bytes + sizeof length, length - sizeof length))
        return slot_crashed(k, run);
    return length;
}

static void slot_keep(Keeper *k) {
    long run;
    slot_die_with_parent();
    signal(SIGPIPE, SIG_IGN); // a worker that is gone is no reason to go
    signal(SIGINT, SIG_IGN);  // the one who asks decides
    while (slot_read_all(k->asked, &run, sizeof run)) {
        const size_t length = slot_do(k, run);
        if (!slot_write(k->answer, k->bytes, length))
            break;
    }
    _exit(0);
}

// ---- the one who asks ----

HolStatus hol_slot_open(const HolStudy *s, HolArena *arena, HolSweepSlot *slot,
                        HolSweepSlot *others, int n_others, HolError *err) {
    int down[2], up[2];
    Keeper k = {.study = s,
                .bytes = hol_arena_alloc(arena, hol_row_room(s)),
                .row = {.values = HOL_NEW(arena, double, s->n_records + 1)}};
    *slot = (HolSweepSlot){.run = -1, .bytes = hol_arena_alloc(arena, hol_row_room(s))};
    if (!k.bytes || !k.row.values || !slot->bytes)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (pipe(down) != 0 || pipe(up) != 0)
        return hol_error_set(err, HOL_ERR_MEMORY, "a pipe to a process cannot be made: %s",
                             strerror(errno));
    slot->pid = fork();
    if (slot->pid < 0)
        return hol_error_set(err, HOL_ERR_MEMORY, "a process cannot be begun: %s", strerror(errno));
    if (slot->pid == 0) {
        for (int i = 0; i < n_others; i++) {
            close(others[i].ask);
            close(others[i].answer);
        }
        close(down[1]);
        close(up[0]);
        k.asked = down[0];
        k.answer = up[1];
        slot_keep(&k);
    }
    close(down[0]);
    close(up[1]);
    slot->ask = down[1];
    slot->answer = up[0];
    return HOL_OK;
}

int hol_slot_ask(HolSweepSlot *slot, long run) {
    slot->run = run;
    slot->have = 0;
    return slot_write(slot->ask, &run, sizeof run);
}

int hol_slot_read(const HolStudy *s, HolSweepSlot *slot) {
    unsigned length = sizeof length;
    if (slot->have >= sizeof length)
        memcpy(&length, slot->bytes, sizeof length);
    if (length > hol_row_room(s))
        return -1;
    const ssize_t n = read(slot->answer, slot->bytes + slot->have, length - slot->have);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (n <= 0)
        return -1;
    slot->have += (size_t)n;
    if (slot->have < sizeof length)
        return 0;
    memcpy(&length, slot->bytes, sizeof length);
    return slot->have == length;
}

void hol_slot_close(HolSweepSlot *slot) {
    if (slot->pid <= 0)
        return;
    close(slot->ask);
    close(slot->answer);
    kill(slot->pid, SIGKILL); // (its worker goes with it)
    while (waitpid(slot->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    slot->pid = 0;
}
