// SPDX-License-Identifier: Apache-2.0
// Stored results, seen from inside: columns of numbers and the manifest.
#ifndef HOL_IO_READ_RESULT_H
#define HOL_IO_READ_RESULT_H

#include "base/visibility.h"
#include "io/result/manifest.h"

struct HolResult {
    HolArena arena;
    const char *path;
    HolColumn *columns; // columns[0] is time
    int n_columns;
    double **values; // a column each
    long rows;
    HolManifest manifest;
    int has_manifest;
    // texts of an HDF5 file before they are understood; NULL: it has none
    const char *manifest_text, *model_text, *model_name;
    char remark[512]; // what is wrong with it, a sentence a line
    int cut;          // 1: an HDF5 file that is cut off
    int partial;      // 1: the rows of a run that is not at its end
    char label[192];
};

// fill columns, values, rows and the manifest; one function a file format
HolStatus hol_result_read_csv(HolResult *r, HolError *err);
HolStatus hol_result_read_hdf5(HolResult *r, HolError *err);
// the same in a process of its own, which libhdf5 may end
HolStatus hol_result_read_hdf5_apart(HolResult *r, HolError *err);

// room for the columns and rows; 0 without memory
int hol_result_reserve(HolResult *r, int columns, long rows);
// ---- result_model.c ----
// the model of a result and the options of its run; it may be that the result has none
HOL_TOOLS HolStatus hol_result_model(const HolResult *r, HolModel **model, HolSimOptions *options,
                                     HolError *err);
// 1: the text of the model is not the one that the manifest was made of
HOL_TOOLS int hol_result_model_changed(const HolResult *r);

// ---- read_match.c ----
// a sentence about the result, for its readers' users
void hol_result_tell(HolResult *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hol_result_tell_cut(HolResult *r); // that rows are missing
// says when the manifest is that of another result; sha256 of the file's bytes, NULL: its numbers
void hol_result_match(HolResult *r, const char *sha256);

// index of a column, or -1
HOL_TOOLS int hol_result_find(const HolResult *r, const char *name);
// "cannot read PATH: REASON"
HOL_TOOLS HolStatus hol_result_unreadable(const HolResult *r, const char *reason, HolError *err);
// the whole of a file in the arena, ended with 0; NULL with errno set
HOL_TOOLS char *hol_read_whole(HolArena *arena, const char *path, size_t *length);

#endif
