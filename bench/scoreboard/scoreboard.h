// SPDX-License-Identifier: Apache-2.0
// Problems published by others, solved by Holonom at several tolerances, compared with the
// published numbers at their own times. Shared by the program bench/scoreboard.c and by
// test/acceptance/test_scoreboard.c.
//
// A signal is a group of columns of one kind (position, velocity, ..). Over its columns c and all
// times t of the reference:
//     deviation = max |x_c(t) - published_c(t)|      (angles modulo 2 pi, quaternions up to sign)
//     size      = max |published_c(t)|
//     trust     = how far the published numbers are from the exact solution (digits printed, or the
//                 error of the program that made them, found by an independent integration)
//     limit     = SB_MARGIN trust + growth tolerance size
// A sample whose time or value is printed worse than the others stands apart, with its own trust.
// A run whose deviation exceeds a limit fails. growth is a number of the problem: how much more
// than a tolerance the error may be at the end (the first term rules at tight tolerances).
#ifndef BENCH_SCOREBOARD_H
#define BENCH_SCOREBOARD_H

#include <stdio.h>

#include <holonom/tools.h>

// the method of every run; a model's own method and step do not count
#define SB_METHOD "auto"
// trusts are printed with two digits
#define SB_MARGIN 1.05

enum { SB_RUNS = 3, SB_NAME = 48, SB_TEXT = 512, SB_MAPS = 12, SB_SIGNALS = 16, SB_TRAPS = 4 };
extern const double sb_tolerances[SB_RUNS];

// ---- table.c: the list of problems ----

typedef enum SbKind { SB_PLAIN, SB_ANGLE, SB_QUATERNION } SbKind;

// reference column = output of ours: an expression, or a column with an optional minus sign
typedef struct SbMap {
    char reference[SB_NAME];
    char ours[SB_TEXT];
} SbMap;

typedef struct SbSignal {
    char name[SB_NAME];
    SbKind kind;
    double trust;
    SbMap maps[SB_MAPS];
    int n;
} SbSignal;

typedef struct SbProblem {
    char name[SB_NAME];
    char title[SB_TEXT];
    char source[SB_TEXT];        // who published the numbers
    char model[SB_TEXT];         // file, from the source folder
    char generate[SB_NAME];      // or a mechanism of hol_generate
    int parts;                   // and its number of parts
    char built_in[SB_NAME];      // or a problem written in C
    char reference[SB_TEXT];     // CSV file, from the source folder
    double list;                 // > 0: one value a line, all at this time
    double until;                // > 0: rows behind it are not used
    double growth;               // see above
    double except, except_trust; // time of a sample with a trust of its own
    SbSignal signals[SB_SIGNALS];
    int n_signals;
    char traps[SB_TRAPS][SB_TEXT];
    int n_traps;
} SbProblem;

typedef struct SbTable {
    SbProblem *items;
    int n;
} SbTable;

// 1: read; 0: *err says file and line
int sb_table_read(const char *path, SbTable *out, HolError *err);
void sb_table_free(SbTable *t);

// ---- reference.c: published numbers ----

typedef struct SbReference {
    char (*names)[SB_NAME];
    int columns, rows;
    double *values; // by rows, NAN: not published; column 0 is the time
} SbReference;

int sb_reference_read(const char *root, const SbProblem *p, SbReference *out, HolError *err);
void sb_reference_free(SbReference *r);
// -1: none of that name
int sb_reference_column(const SbReference *r, const char *name);

// ---- run.c: one run ----

typedef struct SbRun {
    int done;
    HolError err;                 // why not
    double deviation[SB_SIGNALS]; // from the published numbers
    double time[SB_SIGNALS];      // of the largest one
    double size[SB_SIGNALS];      // largest published value
    double limit[SB_SIGNALS];
    double except, except_limit; // deviation of the sample that stands apart
    double *values;              // ours, rows x maps of all signals in order
    int n_values;
    HolStats stats;
    double cpu_ms; // best of repeats, from creation to the end; 0: not measured
} SbRun;

typedef struct SbResult {
    const SbProblem *problem;
    double end; // time of the last row compared
    SbRun runs[SB_RUNS];
    double settled[SB_SIGNALS]; // largest change from the last but one run to the last
    int failed;                 // deviations beyond their limit, or runs that did not end
} SbResult;

// runs the problem at all tolerances. repeats 0: no times
void sb_solve(const char *root, const SbProblem *p, const char *method, int repeats, SbResult *out);
void sb_result_free(SbResult *r);
// largest deviation / trust of a run and where
double sb_worst(const SbResult *r, int run, int *signal);

// ---- print.c ----

void sb_print_page(FILE *to, const SbResult *results, int n, const char *method);
// a line for every deviation beyond its limit, every run without end
void sb_print_failures(FILE *to, const SbResult *results, int n);

#endif
