// SPDX-License-Identifier: Apache-2.0
// Result files, seen from inside: a small table a file format, chosen by the ending of the path.
// Where a file is written and when it gets its name: atomic_file.h.
#ifndef HOL_IO_WRITE_RESULT_H
#define HOL_IO_WRITE_RESULT_H

#include "base/arena.h"
#include "base/error.h"
#include "holonom/holonom.h"
#include "io/atomic_file.h"
#include "io/result/tables.h"

typedef struct HolResultFormat {
    const char *name;
    const char *endings[4]; // ".csv", ...; NULL-terminated
    int tells_columns; // the file itself has units and the model's text, and holds the manifest
    // create w->place.part and write the head; on failure everything of the format is closed again
    HolStatus (*open)(HolResultWriter *w, const HolModel *m, const HolSimOptions *o, HolError *err);
    HolStatus (*row)(HolResultWriter *w, const double *row, HolError *err);
    // bounds of the errors of the row before
    HolStatus (*errors)(HolResultWriter *w, const double *bounds, HolError *err);
    // a line of a table (tables.h), which begins with its first one
    HolStatus (*line)(HolResultWriter *w, int table, const HolTableLine *line, HolError *err);
    // flush, close, and give the file its name; called once, also after a failed row (then `keep`
    // is 0, the file goes and errors are ignored)
    HolStatus (*close)(HolResultWriter *w, int keep, HolError *err);
} HolResultFormat;

struct HolResultWriter {
    HolArena arena;
    const HolResultFormat *format;
    HolAtomicFile place;
    int failed;    // a row could not be written: close can only remove
    int certified; // rows come with bounds
    int columns;
    long rows;
    const char *head;    // of the manifest, made when the result is opened
    const char *refused; // why what it should say was not taken; NULL: it was
    HolStats stats;      // what the manifest says about the run, when it was told
    HolCheck check;
    int has_stats, has_check;
    HolStatus status;
    const char *message;
    char sha256[65];         // of the file's bytes (CSV) or of its numbers (HDF5); "": not known
    const char *certificate; // JSON, NULL: none
    HolTableFacts tables[HOL_TABLES];
    FILE *kept; // rows go to this file, which outlives the process; NULL: to a new one
    int begun;  // 1: it has its head already
    void *data; // the format's own memory
};

extern const HolResultFormat hol_result_csv;
#ifdef HOL_HAVE_HDF5
extern const HolResultFormat hol_result_hdf5;       // libhdf5, in the child
extern const HolResultFormat hol_result_hdf5_apart; // the caller's side
#endif

// the format that the ending of a path asks for
const HolResultFormat *hol_result_format(const char *path, HolError *err);
// Rows as CSV in `kept`, whose name is that of `place`; rows > 0: so many are there already. Closing
// gives it the name of the result, hol_result_leave leaves it. It is closed in any case.
HolStatus hol_result_open_kept(const HolAtomicFile *place, FILE *kept, long rows, int begun,
                               const HolModel *m, const HolSimOptions *o, HolResultWriter **out,
                               HolError *err);
void hol_result_leave(HolResultWriter *w);
// HOL_ERR_FILE: "cannot write PATH: REASON"
HolStatus hol_result_error(const HolResultWriter *w, const char *reason, HolError *err);
// the manifest as one text, to be freed; NULL without memory
char *hol_result_manifest(const HolResultWriter *w, size_t *length);
// the name of a column as a model gives it, or "" past the end
const char *hol_result_column_name(const HolModel *m, int i);

#endif
