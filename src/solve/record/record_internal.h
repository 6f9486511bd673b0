// SPDX-License-Identifier: Apache-2.0
// A recorder from inside: signals, and the row of columns they are made of.
#ifndef HOL_SOLVE_RECORD_INTERNAL_H
#define HOL_SOLVE_RECORD_INTERNAL_H

#include "solve/record/record.h"

// A functional at work. Its signal is the argument, for min its negative, for rms its square; a
// condition's signal is positive where it holds.
typedef struct HolSignal {
    HolFunctional what;
    int strict;
    const HolExpr *expr; // of the columns
    double best;         // largest value so far
    double size;         // largest absolute value so far
    double integral;
    double when; // the condition holds first; NAN: not so far
} HolSignal;

struct HolRecorder {
    const HolModel *model;
    HolSignal *signals;
    int n_signals;
    const HolExpr **outer; // of the values of all signals
    int n_texts;
    int *texts; // signals of each text
    int *list;  // columns that are sampled, the first is time
    int n_columns;
    int plain;     // 1: they are functions of time, positions and velocities
    int samples;   // 0: nothing looks between the ends of the run
    double *row;   // columns at a time
    double *nodes; // values of the signals at the points of pieces (record_sample.c)
    double *last;  // the signals at the end of the last step, on the side behind a jump
    double *work;  // of expressions
    double start, end;
    int began;
};

enum { HOL_RECORD_DEPTH = 12, HOL_RECORD_NODES = 5 };

// ---- record.c ----
// the signals at time t of the last step
HolStatus hol_recorder_signals(HolRecorder *r, HolSim *s, double t, double *out, HolError *err);
// one signal there
HolStatus hol_recorder_signal(HolRecorder *r, HolSim *s, int k, double t, double *out,
                              HolError *err);

// ---- record_sample.c ----
// what the motion from `from` to `to` (the last step) adds; `first` and `last`: the signals there
HolStatus hol_recorder_step(HolRecorder *r, HolSim *s, double from, double to, const double *first,
                            const double *last, HolError *err);

#endif
