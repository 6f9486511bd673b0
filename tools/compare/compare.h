// SPDX-License-Identifier: Apache-2.0
// Work and precision, seen from inside. The error of a run against a reference r, at the times
// t_k = start + k T/40, k = 1 .. 40, is
//   E = max( max_k |q - r_q|/S_q , max_k |v - r_v|/S_v ),
// where coordinates of one kind share a size S: lengths the largest distance from the middle of the
// bodies at the start, angles at least 1 rad, quaternions 1 (p and -p are one orientation), scalar
// coordinates each its own; velocities the largest of their kind, at least 1e-3 of what the other
// kind amounts to by the length.
// compare.c: order of work, limits; compare_series.c: methods and settings; compare_run.c: one run;
// compare_error.c: sizes and errors; compare_reference.c: two methods that agree; compare_sweep.c:
// the settings of a series; compare_order.c: observed orders; compare_write.c: CSV and picture.
#ifndef HOL_TOOLS_COMPARE_H
#define HOL_TOOLS_COMPARE_H

#include "base/arena.h"
#include "base/error.h"
#include "holonom/tools.h"

enum { HOL_COMPARE_TIMES = 40, HOL_COMPARE_LIMITS = 16, HOL_COMPARE_SERIES = 64 };
enum { HOL_COMPARE_RUNS = 2000 };

// ---- compare_error.c ----

typedef struct HolSamples { // states at the times
    int n;                  // that were reached
    int nq, nv, m;
    double t[HOL_COMPARE_TIMES];
    double *q, *v, *lambda; // row after row
} HolSamples;

typedef struct HolErrorSizes {
    int nq, nv, m;
    int *kind_q;             // by coordinate, see compare_error.c
    double *size_q, *size_v; // by coordinate
    double lambda;           // of all multipliers
    int unique;              // 1: multipliers are
} HolErrorSizes;

int hol_samples_create(HolSamples *s, HolArena *arena, const HolView *view); // 0: no memory
// sizes from the first n samples; span: of the time they cover. 0: no memory
int hol_error_sizes(HolErrorSizes *z, HolArena *arena, const HolModel *m, const HolSamples *s,
                    int n, double span);
// largest errors of positions, velocities, multipliers at sample k, into error[3]
void hol_error_see(const HolErrorSizes *z, const HolSamples *reference, int k, const double *q,
                   const double *v, const double *lambda, double error[3]);

// ---- compare_run.c ----

typedef struct HolCompareJob {
    const HolModel *model;
    HolSimOptions options;
    int times;                   // of HOL_COMPARE_TIMES, the last one is options.end
    double seconds, cpu;         // that it may take, by the clock and of the processor
    const volatile int *stop;    // NULL: none
    int on_steps;                // 1: only states at ends of steps count, no dense output
    HolSamples *keep;            // where the states go; NULL: nowhere
    const HolSamples *reference; // what they are compared with; NULL: nothing
    const HolErrorSizes *sizes;
    double error[3];  // out
    HolStats stats;   // out
    double reached;   // out: time
    int redundant;    // out: constraints
    HolError problem; // out
} HolCompareJob;

double hol_compare_now(void); // seconds by the clock
// HOL_INTERRUPTED: it took too long, or was stopped
HolStatus hol_compare_run(HolCompareJob *job, HolArena *arena);
// CPU seconds of the integration alone, the best of runs that add up to `enough`, at most `most`
double hol_compare_time(const HolCompareJob *job, double enough, int most, int *repeats);

// ---- compare_series.c ----

typedef struct HolSeries {
    char name[64];         // "tangent obreshkov3"
    HolSimOptions options; // method; step or tolerance follow
    int by_step;
    double first, last, factor; // tolerance; step as a part of the time
    // what the sweep has found
    int done;
} HolSeries;

// a method by its name and what it is to be: a scheme, a formulation, a projection, an order
void hol_series_method(HolMethodOptions *m, const char *name, const char *choice, int order);
HolSimOptions hol_series_options(const HolSeries *s, double value);
struct HolComparing;
HolStatus hol_series_list(struct HolComparing *c, const char *methods, HolError *err);

// ---- all together ----

typedef struct HolComparing {
    HolComparison out; // first: the pointer to it is the pointer to all
    HolArena arena;
    const HolModel *model;
    HolSimOptions base; // of all runs
    HolCompareOptions how;
    double began, deadline;
    HolSeries *series;
    int n_series;
    HolSamples reference;
    HolErrorSizes sizes;
    int times; // of the reference that are compared
    HolComparedLimit limits[HOL_COMPARE_LIMITS];
    double cheapest[HOL_COMPARE_LIMITS]; // CPU seconds
    HolComparedRun *runs;
    int *run_series;   // of each run: its series
    double *run_value; // and its setting
    HolSimOptions *run_options;
} HolComparing;

int hol_compare_stopped(const HolComparing *c);
void hol_compare_say(const HolComparing *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void hol_compare_remark(HolComparing *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int hol_compare_limit_count(const HolComparing *c); // that are judged: the first ones
HolStatus hol_compare_reference(HolComparing *c, HolError *err);
HolStatus hol_compare_sweep(HolComparing *c, HolError *err);
HolStatus hol_compare_orders(HolComparing *c, HolError *err);

#endif
