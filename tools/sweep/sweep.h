// SPDX-License-Identifier: Apache-2.0
// A sweep: the runs of a study, done by processes, here or under mpirun.
//
//   sweep.c        what is to do, who does it, the end
//   sweep_slot.c   a process that does runs; when a run ends it, another takes its place
//   sweep_row.c    a row as bytes
//   sweep_journal  rows that are done, on the disk: a sweep that was killed goes on from there
//   sweep_mpi.c    the same over many machines
//   sweep_write.c  all rows in their order: CSV, HDF5
#ifndef HOL_SWEEP_H
#define HOL_SWEEP_H

#include "tools/sweep/study.h"

#include "holonom/tools.h"

#include <stddef.h>
#include <sys/types.h>

// ---- sweep_row.c ----
// bytes of a row at most
size_t hol_row_room(const HolStudy *s);
// its length and a checksum first; how many bytes
size_t hol_row_pack(const HolStudy *s, const HolSweepRow *row, char *to);
// 0: these bytes are no whole row; else how many of them it takes. row->values must have room
size_t hol_row_unpack(const HolStudy *s, const char *from, size_t length, HolSweepRow *row);

// ---- sweep_slot.c ----
typedef struct HolSweepSlot {
    pid_t pid;
    int ask, answer; // pipes
    long run;        // at work, -1: none
    char *bytes;     // of the answer so far
    size_t have;
} HolSweepSlot;

// others: slots whose pipes the new process must not hold open
HolStatus hol_slot_open(const HolStudy *s, HolArena *arena, HolSweepSlot *slot,
                        HolSweepSlot *others, int n_others, HolError *err);
int hol_slot_ask(HolSweepSlot *slot, long run); // 0: it is gone
// what has arrived; 1: a whole row is in slot->bytes, of slot->have bytes; 0: not yet; -1: it is gone
int hol_slot_read(const HolStudy *s, HolSweepSlot *slot);
void hol_slot_close(HolSweepSlot *slot);

// ---- sweep_journal.c ----
typedef struct HolJournal {
    const char *path;
    int fd; // -1: there is none
    double synced;
} HolJournal;

// Opens PATH.journal. Rows that it has are handed to `take`. Without `resume` one that is there
// already is an error.
HolStatus hol_journal_open(const HolStudy *s, HolArena *arena, const char *output, int resume,
                           void (*take)(void *user, const HolSweepRow *row), void *user,
                           HolJournal *out, HolError *err);
HolStatus hol_journal_add(HolJournal *j, const char *bytes, size_t length, HolError *err);
void hol_journal_close(HolJournal *j, int done);

// ---- sweep.c: the rows that are done ----
typedef struct HolSweep {
    HolStudy study;
    const HolSweepOptions *options;
    HolArena arena;
    HolSweepRow *rows;         // a run each
    unsigned char *state;      // HOL_RUN_..
    double *scratch;           // values of a row
    long next;                 // no run before it is open
    long done, failed, before; // before: from the journal
    int workers;
    double begun, cpu_seconds, cpu_before;
    HolJournal journal;
} HolSweep;

enum { HOL_RUN_OPEN, HOL_RUN_GIVEN, HOL_RUN_DONE };

// the next run that nobody does; -1: none
long hol_sweep_next(HolSweep *w);
// a row has arrived, as bytes
HolStatus hol_sweep_take(HolSweep *w, const char *bytes, size_t length, HolError *err);
int hol_sweep_stopped(const HolSweep *w);
double hol_sweep_clock(void);

// ---- sweep_mpi.c ----
// under mpirun: all ranks come here. *rank: this one's; 1: MPI does it, 0: there is none
int hol_sweep_under_mpi(int *rank);
// `status`: what rank 0 has to say before it begins; others take it
HolStatus hol_sweep_mpi(HolSweep *w, int rank, HolStatus status, HolError *err);

// ---- sweep_write.c ----
// before the runs: can a file of this name be written?
HolStatus hol_sweep_writable(const char *path, HolError *err);
HolStatus hol_sweep_write(const HolSweep *w, const char *path, HolError *err);
// ---- sweep_report.c ----
HolStatus hol_sweep_report(const HolSweep *w, const char *path, HolError *err);

#endif
