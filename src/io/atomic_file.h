// SPDX-License-Identifier: Apache-2.0
// Where a file is written. A regular file has no name until it is complete, so that a reader never
// meets half a file, and whatever ends the program leaves none. Where the system has no files without
// a name, it is FILE.part-<host>-<pid>-<random> beside the target, made anew and never through a link;
// what dead processes of this host left of those is removed. A symbolic link stays a link, and what it
// points to is replaced. Devices and pipes are written directly, and "-" is standard output.
#ifndef HOL_ATOMIC_FILE_H
#define HOL_ATOMIC_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/visibility.h"

#include <limits.h>
#include <stdio.h>

typedef struct HolAtomicFile {
    const char *path;   // as the caller wrote it, for messages
    const char *target; // where it ends up (symbolic links followed)
    const char *part;   // where it is written; equal to target when it is not renamed
    int direct;         // 1: no renaming (a device, a pipe, standard output)
    unsigned mode;      // of the file that is replaced, 0: it is new
} HolAtomicFile;

// fill *p; its texts live in the arena
HOL_TOOLS HolStatus hol_file_choose(HolAtomicFile *p, HolArena *arena, const char *path,
                                    HolError *err);
// the file that `path` means at last, there already or not; 0, or the system's reason
int hol_file_target(const char *path, char out[PATH_MAX]);
// HOL_ERR_FILE: "cannot write PATH: REASON"
HOL_TOOLS HolStatus hol_file_error(const HolAtomicFile *p, const char *reason, HolError *err);
// the stream to write to (and to read back); NULL after an error
HOL_TOOLS FILE *hol_file_open(const HolAtomicFile *p, HolError *err);
// what was written is on the disk
HolStatus hol_file_sync(const HolAtomicFile *p, FILE *file, HolError *err);
// give what was written its name, or remove it when `keep` is 0, and close the stream (NULL: the
// unfinished file has a name already)
HolStatus hol_file_finish(const HolAtomicFile *p, FILE *file, int keep, HolError *err);
// both of them: the file is there and complete, or it is removed
HOL_TOOLS HolStatus hol_file_close(const HolAtomicFile *p, FILE *file, int keep, HolError *err);

#endif
