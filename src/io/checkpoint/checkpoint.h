// SPDX-License-Identifier: Apache-2.0
// Checkpoints, seen from inside. A checkpoint is one file:
//
//     "holonom checkpoint", 20 bytes with zeros; format, byte order, 4 bytes each
//     records (base/state/keeper.h):
//       identity   a text, a fact a line: version, model, its files, settings, options, result
//       numbers    rows, bytes and SHA-256 of RESULT.part at this moment, the same of the tables
//                  beside it; where the run stands
//       reason     how it ended
//       own        bytes of the caller
//       run        as hol_sim_save has it
//     SHA-256 of all before it, 64 letters
//
// and RESULT.part, the rows as CSV whatever the format of the result is, with RESULT_events.csv.part and
// RESULT_impulses.csv.part, which are there from their first line on. Rows and lines are on the disk
// before a checkpoint that counts them has its name, so that a kill at any moment leaves a checkpoint and
// at least what it counts; what lies behind is cut off and computed again. The one process that has
// RESULT.part has the tables too.
#ifndef HOL_IO_CHECKPOINT_H
#define HOL_IO_CHECKPOINT_H

#include "base/sha256.h"
#include "io/result/write_result.h"

#include <stdint.h>

typedef struct HolTableNumbers {
    uint64_t length;
    int64_t lines; // 0: there is no file
    char sha256[65];
} HolTableNumbers;

typedef struct HolCheckpointNumbers {
    uint64_t length; // of RESULT.part
    int64_t rows;
    int32_t state, status;
    char sha256[65];        // of these bytes
    char result_sha256[65]; // of the finished result
    double time;            // of the run, for messages
    HolTableNumbers tables[HOL_TABLES];
} HolCheckpointNumbers;

// a stored run; texts and bytes lie in what was read
typedef struct HolCheckpointParts {
    const char *identity;
    HolCheckpointNumbers n;
    HolError reason;
    const void *own, *run;
    uint64_t identity_size, own_size, run_size;
} HolCheckpointParts;

// ---- checkpoint_file.c ----
// the file from its parts; complete or not at all
HolStatus hol_checkpoint_write(const char *file, HolCheckpointParts *parts, HolError *err);
// parts of a file, all of them checked but the run
HolStatus hol_checkpoint_read(HolArena *arena, const char *file, HolCheckpointParts *out,
                              HolError *err);
HolStatus hol_checkpoint_unpack(unsigned char *bytes, size_t size, const char *file,
                                HolCheckpointParts *out, HolError *err);

// ---- checkpoint_identity.c ----
// facts that the bits of a result follow from; NULL: no memory
char *hol_checkpoint_identity(HolArena *arena, const HolModel *m, const HolSimOptions *o,
                              const char *format);
// HOL_ERR_INPUT with the first fact that differs
HolStatus hol_checkpoint_same(const char *file, const char *saved, const char *own, HolError *err);

// ---- part_file.c: a file that grows and outlives the process ----
typedef struct HolPartFile {
    HolAtomicFile place; // where it ends up; its part is FILE.part
    FILE *file;          // NULL: closed
    HolSha256 hash;      // of the bytes before `hashed`
    uint64_t hashed;
} HolPartFile;

// "cannot WHAT FILE.part: REASON"
HolStatus hol_part_error(const HolPartFile *p, const char *what, const char *reason, HolError *err);
HolStatus hol_part_choose(HolPartFile *p, HolArena *arena, const char *path, HolError *err);
int hol_part_there(const HolPartFile *p); // 1: FILE.part exists
// made anew and never through a link; one process at a time has it
HolStatus hol_part_create(HolPartFile *p, HolError *err);
// as a checkpoint has it: cut off there, ready for more
HolStatus hol_part_take(HolPartFile *p, uint64_t length, const char *sha256, HolError *err);
// on the disk and hashed
HolStatus hol_part_sync(HolPartFile *p, uint64_t *length, char sha256[65], HolError *err);
void hol_part_discard(const HolPartFile *p); // FILE.part goes
// SHA-256 of a whole file; 0: it cannot be read
int hol_file_sha256(const char *path, char out[65], uint64_t *length);

// ---- table_files.c: RESULT_events.csv.part, RESULT_impulses.csv.part ----
typedef struct HolTableFiles {
    HolPartFile part[HOL_TABLES];
    long lines[HOL_TABLES];
} HolTableFiles;

HolStatus hol_table_files_choose(HolTableFiles *t, HolArena *arena, const char *result,
                                 HolError *err);
HolStatus hol_table_files_line(HolTableFiles *t, int table, const HolTableLine *line,
                               HolError *err);
// named: of a run at its end, what has its name already will do
HolStatus hol_table_files_take(HolTableFiles *t, const HolTableNumbers *n, int named,
                               HolError *err);
HolStatus hol_table_files_sync(HolTableFiles *t, HolTableNumbers *n, HolError *err);
int hol_table_files_named(const HolTableFiles *t, const HolTableNumbers *n); // 1: all of them
// every line from the first on, of tables that are open or have their names
HolStatus hol_table_files_each(HolTableFiles *t, int table,
                               HolStatus (*put)(void *to, int table, const HolTableLine *line,
                                                HolError *err),
                               void *to, HolError *err);
HolStatus hol_table_files_finish(HolTableFiles *t, HolError *err); // they get their names
void hol_table_files_close(HolTableFiles *t);                      // leaves them
void hol_table_files_discard(const HolTableFiles *t);              // the parts go

// ---- row_file.c: RESULT.part ----
typedef struct HolRowFile {
    HolPartFile part; // the place is that of the result
    const HolResultFormat *format;
    HolResultWriter *w; // NULL: closed
} HolRowFile;

// names and format; nothing is opened
HolStatus hol_rows_choose(HolRowFile *r, HolArena *arena, const char *result, const HolModel *m,
                          HolError *err);
HolStatus hol_rows_create(HolRowFile *r, const HolModel *m, const HolSimOptions *o, HolError *err);
// as a checkpoint has it: cut off there, ready for more
HolStatus hol_rows_take(HolRowFile *r, const HolModel *m, const HolSimOptions *o,
                        const HolCheckpointNumbers *n, HolError *err);
// on the disk, counted and hashed
HolStatus hol_rows_sync(HolRowFile *r, HolCheckpointNumbers *n, HolError *err);
void hol_rows_close(HolRowFile *r); // leaves them
// the result gets its name; what it was told is in r->w
HolStatus hol_rows_finish(HolRowFile *r, HolTableFiles *tables, const HolModel *m,
                          const HolSimOptions *o, HolError *err);
void hol_rows_remove(const HolRowFile *r); // where the result is another file

#endif
