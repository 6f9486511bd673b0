// SPDX-License-Identifier: Apache-2.0
// What a problem's equations come from: a model file, a generated model, or functions in C; and the
// outputs that are compared, one a map of the problem's signals in order.
#ifndef BENCH_SCOREBOARD_SYSTEM_H
#define BENCH_SCOREBOARD_SYSTEM_H

#include "scoreboard.h"

enum { SB_OUTPUTS = SB_SIGNALS * SB_MAPS };

typedef struct SbSystem {
    HolModel *model; // NULL: a problem in C
    const HolProblem *problem;
    const double *q0, *v0;
    HolSimOptions options;
    int n;                   // outputs
    int column[SB_OUTPUTS];  // of the model's row, or place in q, v, a, lambda
    char array[SB_OUTPUTS];  // problem in C: q v a l
    double sign[SB_OUTPUTS]; // 1 or -1
    double *row;             // room for a row of the model
} SbSystem;

// 1: done. end: time of the last row
int sb_system_open(const char *root, const SbProblem *p, const char *method, double tolerance,
                   double end, SbSystem *out, HolError *err);
void sb_system_close(SbSystem *s);
int sb_system_start(SbSystem *s, HolSim **out, HolError *err); // creates and assembles a run
// outputs at a time inside the last step
int sb_system_row(SbSystem *s, HolSim *sim, double t, double *out, HolError *err);

// problems in C by name; 0: none
int sb_built_in(const char *name, const HolProblem **problem, const double **q0, const double **v0);

#endif
