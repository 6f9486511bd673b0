// SPDX-License-Identifier: Apache-2.0
// Results: columns of numbers, written to files and read back.
#ifndef HOLONOM_RESULT_H
#define HOLONOM_RESULT_H

#include "holonom/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Results: columns of numbers computed from a state
// ---------------------------------------------------------------------------------------------

typedef struct HolColumn {
    const char *name, *unit;
} HolColumn;

/// The columns a model's results have (its `outputs:`, or all), first "time".
HOL_API int hol_model_column_count(const HolModel *m);
HOL_API HolColumn hol_model_column(const HolModel *m, int i);

/// All columns the model can give by default, whatever `outputs:` selects (for reports).
HOL_API int hol_model_all_column_count(const HolModel *m);
HOL_API HolColumn hol_model_all_column(const HolModel *m, int i);
HOL_API HolStatus hol_sim_row_all(HolSim *s, double t, double *out, HolError *err);

/// One row of results at time t (inside the last step): out has hol_model_column_count numbers.
HOL_API HolStatus hol_sim_row(HolSim *s, double t, double *out, HolError *err);
/// 1: accelerations or reactions jump at time t inside the last step (a stop time, a force that
/// jumps): rows at t are those behind it, after hol_sim_rows_before(s, 1) those before it.
HOL_API int hol_sim_jump(HolSim *s, double t);
HOL_API void hol_sim_rows_before(HolSim *s, int before);

/// The files of one command, before anything is written: HOL_ERR_INPUT when an output is also an
/// input or another output, by whatever name or link. A CSV file stands for its manifest too, m
/// (may be NULL) for its own file and the meshes it names, "-" for standard input or output; an
/// output that is NULL is none. Every function below that writes asks this of what it knows itself.
HOL_API HolStatus hol_files_apart(const HolModel *m, const char *const *inputs, int n_inputs,
                                  const char *const *outputs, int n_outputs, HolError *err);

typedef struct HolCertificate HolCertificate; ///< see certify.h

typedef struct HolResultWriter HolResultWriter;
/// path *.csv or *.h5; written beside and renamed by close(commit = 1), removed by close(0). A
/// symbolic link stays a link; devices, pipes and "-" (standard output) take CSV directly.
HOL_API HolStatus hol_result_open(const char *path, const HolModel *m, const HolSimOptions *o,
                                  HolResultWriter **out, HolError *err);
HOL_API HolStatus hol_result_row(HolResultWriter *w, const double *row, HolError *err);
/// The same for certified rows, which may turn out void (close with 0): devices, pipes and standard
/// output get them when the result is closed. Every row is given with hol_result_certified_row: its
/// bounds go to FILE_errors.csv beside FILE.csv, or into the dataset "errors" of an HDF5 file.
HOL_API HolStatus hol_result_open_certified(const char *path, const HolModel *m,
                                            const HolSimOptions *o, HolResultWriter **out,
                                            HolError *err);
HOL_API HolStatus hol_result_certified_row(HolResultWriter *w, const double *row,
                                           const double *bounds, HolError *err);
/// The certificate in the manifest: call it before close.
HOL_API void hol_result_certificate(HolResultWriter *w, const HolCertificate *c);
/// A line of the table of events, of that of impulses: in a CSV file's FILE_events.csv and
/// FILE_impulses.csv, an HDF5 file's datasets "events" and "impulses". They grow with the rows, and get
/// their names with them. (A device or pipe takes none.)
HOL_API HolStatus hol_result_event(HolResultWriter *w, const HolEvent *event, HolError *err);
HOL_API HolStatus hol_result_impulse(HolResultWriter *w, const HolImpulse *impulse, HolError *err);
/// What the manifest says about the run (a CSV file's FILE.csv.json, an HDF5 file's dataset
/// "manifest"): call it before close. stats, check and message may be NULL.
HOL_API void hol_result_summary(HolResultWriter *w, const HolStats *stats, const HolCheck *check,
                                HolStatus status, const char *message);
HOL_API HolStatus hol_result_close(HolResultWriter *w, int commit, HolError *err);

/// A stored result: its columns, and what its manifest knows.
typedef struct HolResult HolResult;
/// path *.csv or *.h5. A CSV file without a manifest has columns only (no units).
HOL_API HolStatus hol_result_read(const char *path, HolResult **out, HolError *err);
HOL_API int hol_result_column_count(const HolResult *r);
HOL_API HolColumn hol_result_column(const HolResult *r, int i);
HOL_API long hol_result_row_count(const HolResult *r);
HOL_API const double *hol_result_values(const HolResult *r, int column); ///< row_count numbers
HOL_API const char *hol_result_label(const HolResult *r); ///< method and step, or the file's name
HOL_API const char *hol_result_title(const HolResult *r); ///< name of the model, or ""
/// What is wrong with it, a sentence a line, or "": rows that are cut off, a manifest of another run.
HOL_API const char *hol_result_remark(const HolResult *r);
HOL_API void hol_result_destroy(HolResult *r); ///< NULL is fine

#ifdef __cplusplus
}
#endif
#endif
