// SPDX-License-Identifier: Apache-2.0
// A sweep under mpirun. Every rank has one slot, begun before MPI. Rank 0 hands out runs one by one to
// whoever is free, itself included, takes the rows and writes. A worker's message is a row, or
// nothing: it is free. Rank 0's message is the number of a run, or -1: it is over.
//
// Ranks look for messages and sleep between: there may be more of them than cores.
#define _GNU_SOURCE // dladdr
#include "tools/sweep/mpi_table.h"
#include "tools/sweep/sweep.h"

#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { NAP = 1 }; // milliseconds

static const char *mpi_rank_text(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return getenv(names[i]);
    return NULL;
}

int hol_sweep_under_mpi(int *rank) {
    const char *text = mpi_rank_text();
    *rank = text ? atoi(text) : 0;
    return text != NULL;
}

int hol_sweep_silent(void) {
    int rank;
    return hol_sweep_under_mpi(&rank) && rank != 0;
}

// the module stands beside the program or the library that this is part of, or where it is installed
static const HolMpiTable *mpi_load(HolError *err) {
    char path[PATH_MAX];
    Dl_info info;
    void *module = NULL;
    HolMpiEntry *entry = NULL;
    if (dladdr((void *)&mpi_rank_text, &info) && info.dli_fname && strrchr(info.dli_fname, '/')) {
        const int length = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
        snprintf(path, sizeof path, "%.*s/libholonom_mpi.so", length, info.dli_fname);
        module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
#ifdef HOL_MODULE_DIR
    if (!module)
        module = dlopen(HOL_MODULE_DIR "/libholonom_mpi.so", RTLD_NOW | RTLD_GLOBAL);
#endif
    if (!module)
        module = dlopen("libholonom_mpi.so", RTLD_NOW | RTLD_GLOBAL);
    if (module)
        *(void **)&entry = dlsym(module, "hol_mpi_module");
    if (entry && entry()->format == HOL_MPI_FORMAT)
        return entry();
    const char *reason = module ? "it is of another version" : dlerror();
    hol_error_set(err, HOL_ERR_UNSUPPORTED,
                  "a sweep under mpirun needs the module libholonom_mpi.so (built where MPI is, "
                  "Debian: libopenmpi-dev): %s",
                  reason ? reason : "it cannot be loaded");
    return NULL;
}

// ---- ranks that work ----

static HolStatus mpi_work(const HolSweep *w, const HolMpiTable *mpi, HolSweepSlot *slot,
                          HolError *err) {
    long run = 0;
    int from, length;
    if (!mpi->send(0, "", 0))
        return hol_error_set(err, HOL_ERR_UNSUPPORTED, "MPI does not send");
    for (;;) {
        while (!mpi->waiting(&from, &length))
            poll(NULL, 0, NAP);
        if (length != sizeof run || !mpi->receive(0, &run, sizeof run))
            return hol_error_set(err, HOL_ERR_UNSUPPORTED, "MPI does not receive");
        if (run < 0)
            return HOL_OK;
        int got = hol_slot_ask(slot, run) ? 0 : -1;
        while (got == 0)
            got = hol_slot_read(&w->study, slot);
        if (got < 0 || !mpi->send(0, slot->bytes, (int)slot->have))
            return hol_error_set(err, HOL_ERR_UNSUPPORTED, "a process of the sweep is gone");
    }
}

// ---- rank 0 ----

typedef struct MpiMaster {
    HolSweep *w;
    const HolMpiTable *mpi;
    HolSweepSlot *slot;
    char *bytes;
    int size, open; // ranks that were not told that it is over
    int own;        // 1: the own slot is at work
} MpiMaster;

// the next run for a rank
static int mpi_give(MpiMaster *m, int rank) {
    const long run = hol_sweep_next(m->w);
    m->open -= run < 0;
    return m->mpi->send(rank, &run, sizeof run);
}

static HolStatus mpi_lost(HolError *err) {
    return hol_error_set(err, HOL_ERR_UNSUPPORTED, "MPI does not carry messages; --resume goes on");
}

static HolStatus mpi_own(MpiMaster *m, int wait, HolError *err) {
    HolStatus status = HOL_OK;
    struct pollfd file = {.fd = m->slot->answer, .events = POLLIN};
    if (m->own && poll(&file, 1, wait) > 0) {
        const int got = hol_slot_read(&m->w->study, m->slot);
        if (got < 0)
            return mpi_lost(err);
        if (got == 0)
            return HOL_OK;
        status = hol_sweep_take(m->w, m->slot->bytes, m->slot->have, err);
        m->own = 0;
    } else if (!m->own) {
        poll(NULL, 0, wait);
    }
    if (!m->own && !status) {
        const long run = hol_sweep_next(m->w);
        m->own = run >= 0 && hol_slot_ask(m->slot, run);
    }
    return status;
}

static HolStatus mpi_lead(MpiMaster *m, HolError *err) {
    HolStatus status = HOL_OK;
    int from, length, idle = 0;
    while (!status && (m->open > 0 || m->own)) {
        if (m->mpi->waiting(&from, &length)) {
            idle = 0;
            if (length > (int)hol_row_room(&m->w->study) ||
                !m->mpi->receive(from, m->bytes, length))
                return mpi_lost(err);
            if (length > 0)
                status = hol_sweep_take(m->w, m->bytes, (size_t)length, err);
            if (!status && !mpi_give(m, from))
                return mpi_lost(err);
        } else {
            status = mpi_own(m, idle, err);
            idle = NAP;
        }
        if (hol_sweep_stopped(m->w) && m->own) { // it is done again
            m->own = 0;
            hol_slot_close(m->slot);
        }
    }
    return status;
}

// all ranks: what rank 0 says before the beginning
static HolStatus mpi_agree(const HolMpiTable *mpi, int rank, int size, HolStatus status) {
    int said = status, from, length;
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            mpi->send(i, &said, sizeof said);
        return status;
    }
    while (!mpi->waiting(&from, &length))
        poll(NULL, 0, NAP);
    if (length != sizeof said || !mpi->receive(0, &said, sizeof said))
        return HOL_ERR_UNSUPPORTED;
    return said ? (HolStatus)said : status;
}

// A rank ends with the mpirun that began it, and when it is told to: rank 0 has what is done.
static void mpi_end_with_others(int rank) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (rank != 0) {
        signal(SIGTERM, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
    }
}

HolStatus hol_sweep_mpi(HolSweep *w, int rank, HolStatus status, HolError *err) {
    HolArena arena = {0};
    mpi_end_with_others(rank);
    HolSweepSlot slot = {0};
    int size = 1, number = rank;
    HolStatus own = status;
    if (!own) // before MPI
        own = hol_slot_open(&w->study, &arena, &slot, NULL, 0, err);
    const HolMpiTable *mpi = mpi_load(own ? NULL : err);
    if (!mpi || !mpi->begin(&number, &size)) {
        hol_slot_close(&slot);
        hol_arena_free(&arena);
        return own ? own : HOL_ERR_UNSUPPORTED;
    }
    HolStatus begun = mpi_agree(mpi, number, size, own);
    if (!begun && number == 0) {
        w->workers = size;
        MpiMaster m = {.w = w, .mpi = mpi, .slot = &slot, .size = size, .open = size - 1};
        m.bytes = hol_arena_alloc(&arena, hol_row_room(&w->study));
        begun = m.bytes ? mpi_lead(&m, err) : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    } else if (!begun) {
        begun = mpi_work(w, mpi, &slot, err);
    }
    hol_slot_close(&slot);
    if (begun && !own) // others wait
        mpi->give_up(4);
    mpi->end();
    hol_arena_free(&arena);
    return begun;
}
