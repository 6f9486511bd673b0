// SPDX-License-Identifier: Apache-2.0
// Checkpoints, seen from inside. A checkpoint is one file:
//
//     "holonom checkpoint", 20 bytes with zeros; format, byte order, 4 bytes each
//     records (base/state/keeper.h):
//       identity   a text, a fact a line: version, model, its files, settings, options, result
//       numbers    rows, bytes and SHA-256 of RESULT.part at this moment; where the run stands
//       reason     how it ended
//       own        bytes of the caller
//       run        as hol_sim_save has it
//     SHA-256 of all before it, 64 letters
//
// and RESULT.part, the rows as CSV whatever the format of the result is. Rows are on the disk before
// a checkpoint that counts them has its name, so that a kill at any moment leaves a checkpoint and at
// least its rows; those behind are cut off and computed again.
#ifndef HOL_IO_CHECKPOINT_H
#define HOL_IO_CHECKPOINT_H

#include "base/sha256.h"
#include "io/result/write_result.h"

#include <stdint.h>

typedef struct HolCheckpointNumbers {
    uint64_t length; // of RESULT.part
    int64_t rows;
    int32_t state, status;
    char sha256[65];        // of these bytes
    char result_sha256[65]; // of the finished result
    double time;            // of the run, for messages
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

// ---- row_file.c: RESULT.part ----
typedef struct HolRowFile {
    HolAtomicFile place; // of the result; its part is RESULT.part
    const HolResultFormat *format;
    HolResultWriter *w; // NULL: closed
    FILE *file;         // of w
    HolSha256 hash;     // of the bytes before `hashed`
    uint64_t hashed;
} HolRowFile;

// names and format; nothing is opened
HolStatus hol_rows_choose(HolRowFile *r, HolArena *arena, const char *result, const HolModel *m,
                          HolError *err);
int hol_rows_there(const HolRowFile *r); // 1: RESULT.part exists
HolStatus hol_rows_create(HolRowFile *r, const HolModel *m, const HolSimOptions *o, HolError *err);
// as a checkpoint has it: cut off there, ready for more
HolStatus hol_rows_take(HolRowFile *r, const HolModel *m, const HolSimOptions *o,
                        const HolCheckpointNumbers *n, HolError *err);
// on the disk, counted and hashed
HolStatus hol_rows_sync(HolRowFile *r, HolCheckpointNumbers *n, HolError *err);
void hol_rows_close(HolRowFile *r); // leaves them
// the result gets its name; what it was told is in r->w
HolStatus hol_rows_finish(HolRowFile *r, const HolModel *m, const HolSimOptions *o, HolError *err);
void hol_rows_discard(const HolRowFile *r); // RESULT.part goes
void hol_rows_remove(const HolRowFile *r);  // where the result is another file
// SHA-256 of a whole file; 0: it cannot be read
int hol_file_sha256(const char *path, char out[65], uint64_t *length);

#endif
