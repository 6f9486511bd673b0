// SPDX-License-Identifier: Apache-2.0
// Achieved error against the tolerance asked for: mechanisms with references, runs of them, and
// tables over many runs. Shared by the program bench/accuracy.c and by
// test/acceptance/test_accuracy.c.
//
// error = largest over all output times and all columns c of |x_c - reference_c| / size_c,
//         columns: positions, angles, quaternions, velocities, rates of all bodies
//         size_c = max(own largest value of the reference, 1e-3 of the largest of its kind)
#ifndef BENCH_ACCURACY_H
#define BENCH_ACCURACY_H

#include <holonom/holonom.h>

enum { ACC_NAME = 48, ACC_PATH = 512 };

// ---- reference.c: the set of mechanisms and their references ----

typedef struct AccMechanism {
    char name[ACC_NAME];
    char path[ACC_PATH]; // model file
    char end[32];        // time to run to; "": the file's own
    int apart;           // 1: sensitive, not in the quantiles
    int slow;            // 1: not in the tests of every day
} AccMechanism;

typedef struct AccSet {
    char folder[ACC_PATH]; // of the references
    AccMechanism *items;
    int n;
} AccSet;

typedef struct AccReference {
    int rows, columns;
    double *time;            // rows
    char (*names)[ACC_NAME]; // columns
    double *values;          // by rows
    double *size;            // columns
    double amplification;    // largest growth of a small change of the start
    double agreement;        // of the two methods that made it
    char made[160];          // those methods
} AccReference;

// kind of a column by its name: 0 position, 1 angle, 2 quaternion, 3 velocity, 4 rate, -1 none
int acc_kind(const char *column);
// 1: read. root is the source folder, name "accuracy" or "models"
int acc_set_read(const char *root, const char *name, AccSet *set);
void acc_set_free(AccSet *set);
int acc_reference_read(const AccSet *set, const AccMechanism *m, AccReference *r);
int acc_reference_write(const AccSet *set, const AccMechanism *m, const AccReference *r);
void acc_reference_free(AccReference *r);
// sizes of the columns from the values
void acc_reference_sizes(AccReference *r);
// largest error of `values`; *column, *row: where (may be NULL)
double acc_error(const AccReference *r, const double *values, int *column, int *row);

// ---- run.c: one run, in a process of its own ----

typedef struct AccSetting {
    const char *method; // NAME or NAME/key=value/..; "default": no method said
    double tolerance;   // > 0, or
    double steps;       // so many fixed steps
    double limit;       // [s] of CPU time
    int perturb;        // > 0: seed of a small change of the initial velocities
    double size;        // of that change, relative
} AccSetting;

enum { ACC_DONE, ACC_REFUSED, ACC_FAILED, ACC_TIMEOUT, ACC_CRASHED };

typedef struct AccRun {
    int outcome;
    long steps, rejected;
    double seconds; // CPU time of the integration
    double reached; // time reached
    char text[200]; // why it failed
} AccRun;

// values: rows x columns of the reference at its times; `first` (columns, may be NULL): at the
// start
AccRun acc_run(const AccMechanism *m, const AccReference *r, const AccSetting *setting,
               double *values, double *first);
const char *acc_outcome_text(int outcome);
// times and columns of a mechanism for a new reference: 1 when the model could be read
int acc_reference_layout(const AccMechanism *m, int rows, AccReference *r);
// CPU seconds of the integration without output: best of `repeats`
double acc_cost(const AccMechanism *m, const AccSetting *setting, int repeats, long *steps);
// one run without output in this process (for callgrind); 1: it reached its end
int acc_plain_run(const AccMechanism *m, const AccSetting *setting);

// ---- table.c: many runs ----

typedef struct AccOptions {
    const char *root, *set, *methods, *tolerances, *only;
    double limit;
    int verbose, slopes, apart, instructions;
} AccOptions;

// value below which the part p of n sorted numbers lies
double acc_quantile(double *values, int n, double p);
// slope of log error against log tolerance above the round-off floor; NAN: too few points
double acc_slope(const double *tolerance, const double *error, int n, double floor);
int acc_table(const AccOptions *o);

// ---- make.c: references anew ----
int acc_make(const AccOptions *o, int rows);

// ---- cost.c: cost at equal achieved error ----
int acc_cost_table(const AccOptions *o, const char *csv, int repeats);
// the one run that `only`, `methods`, `tolerances` name, in this process
int acc_cost_one(const AccOptions *o);

// cut "a,b,c": the number of parts; text is changed
int acc_split(char *text, char **parts, int most);

#endif
