// SPDX-License-Identifier: Apache-2.0
// The table of a sweep as HDF5:
//   /data     rows x columns, float64       /columns  compound name, unit
//   /status   a text a row                  /message  a text a row
//   /study    the study                     /model    the model
//   attribute holonom_sweep = 1
// No object tells when it was made: equal tables are equal files.
#ifndef HOL_IO_STUDY_HDF5_H
#define HOL_IO_STUDY_HDF5_H

#include "base/visibility.h"
#include "holonom/holonom.h"
#include "io/atomic_file.h"

typedef struct HolStudyTable {
    const char *const *names;
    int columns;
    const double *data; // row after row
    long rows;
    const char *const *status, *const *message;
    const char *study, *model;
} HolStudyTable;

// is there HDF5?
HOL_TOOLS HolStatus hol_hdf5_study_ready(HolError *err);
HOL_TOOLS HolStatus hol_hdf5_study_write(const HolAtomicFile *place, const HolStudyTable *t,
                                         HolError *err);

#endif
