// SPDX-License-Identifier: Apache-2.0
// A study: which runs of a model there are, and what is recorded of each.
//
//     study: 1
//     model: four-bar.yaml
//     vary: {L: {from: 1, to: 2, count: 11}, k: [1e3, 1e4], m: {normal: [1, 0.05]}}
//     samples: 1000                    # points of the random entries
//     seed: 7
//     sampling: latin                  # or random
//     simulation: {tolerance: 1e-8}
//     record: {peak: "max(O.fx)"}
//
// Run i of the grid x samples: the keys of the grid like digits of a number, the last key of `vary`
// the fastest, samples faster still. Every run is a function of the study and i alone.
#ifndef HOL_SWEEP_STUDY_H
#define HOL_SWEEP_STUDY_H

#include "base/arena.h"
#include "holonom/tools.h"
#include "model/model.h"
#include "solve/record/record.h"

typedef enum HolVaryKind {
    HOL_VARY_LIST,    // values, of a list or from .. to
    HOL_VARY_UNIFORM, // between a and b
    HOL_VARY_NORMAL   // mean a, standard deviation b
} HolVaryKind;

typedef struct HolVary {
    const char *key;
    HolVaryKind kind;
    double *values;
    int n;
    double a, b;
    int line, column;
} HolVary;

typedef struct HolRecordDef {
    const char *name, *expression;
    HolRecordText text;
    int line, column; // of the expression's first character
} HolRecordDef;

typedef struct HolStudy {
    HolArena arena;
    const char *file; // for messages
    const char *text; // of the study
    size_t length;
    const char *model_file, *model_text;
    size_t model_length;
    HolVary *vary;
    int n_vary;
    long samples; // 1 without random entries
    unsigned long seed;
    int random;           // 1: sampling: random
    double *unit;         // samples x n_vary numbers in (0,1), of the random keys
    HolSetting *settings; // of `simulation:`
    int n_settings;
    HolRecordDef *records;
    HolRecordText *texts; // of the records
    int n_records;
    const char **names; // quantities that the records use: the outputs of the model
    int n_names, cap_names;
    long runs;
    const char *cache; // folder of what is kept of modal bodies; NULL: none
    char identity[65]; // SHA-256 of all that a row depends on
} HolStudy;

// ---- study.c ----
// Reads the study and its model; every problem with its place in the file.
// cache: folder, or NULL
HolStatus hol_study_load(const char *path, const char *cache, HolStudy *out, HolError *err);
void hol_study_free(HolStudy *s);

// ---- study_check.c: the model, the keys and the records, tried with the first run ----
HolStatus hol_study_check(HolStudy *s, HolError *err);
// a problem of the study at a place; returns HOL_ERR_INPUT
HolStatus hol_study_wrong(const HolStudy *s, int line, int column, HolError *err,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));

// ---- study_sample.c ----
int hol_study_sample(HolStudy *s); // the points of the random entries; 0: no memory
double hol_study_value(const HolStudy *s, long run, int key);

// ---- study_run.c: one run ----
typedef struct HolSweepRow {
    long run;
    HolStatus status;
    int crashed;    // its process ended
    double *values; // n_records
    long steps, rejected, force_evaluations;
    double seconds;
    char message[512];
} HolSweepRow;

// the model of a run with the names of the records as outputs
HolStatus hol_study_model(const HolStudy *s, long run, HolModel **model, HolSimOptions *options,
                          HolError *err);
void hol_study_run(const HolStudy *s, long run, HolSweepRow *row);
// the word in results: ok, failed, crashed
const char *hol_sweep_status(const HolSweepRow *row);

#endif
