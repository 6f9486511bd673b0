// SPDX-License-Identifier: Apache-2.0
// Numbers recorded of a run: expressions of functionals over the whole motion,
//
//     "max(rod.angle) - min(rod.angle)",  "time_when(abs(rod.omega) < 1e-3)",  "rms(O.fx)/L"
//
// One-argument min, max, mean, rms, integral, final and time_when look at the dense motion between
// all steps (record_sample.c); where rows of results stand does not matter. What stands inside them
// may use every name and column of results; what stands outside, parameters and other functionals.
// time_when: the first time at which its condition holds, the start included; none: not a number.
#ifndef HOL_SOLVE_RECORD_H
#define HOL_SOLVE_RECORD_H

#include "base/arena.h"
#include "base/visibility.h"
#include "holonom/holonom.h"
#include "model/expr/expr.h"

typedef enum HolFunctional {
    HOL_RECORD_MIN,
    HOL_RECORD_MAX,
    HOL_RECORD_MEAN,
    HOL_RECORD_RMS,
    HOL_RECORD_INTEGRAL,
    HOL_RECORD_FINAL,
    HOL_RECORD_TIME_WHEN
} HolFunctional;

typedef struct HolRecordPart { // a functional inside a text
    HolFunctional what;
    const char
        *text;  // its argument; of a condition a < b: (b) - (a), which is positive where it holds
    int strict; // a condition: it holds where that is > 0, else where it is >= 0
    int at, length; // of the argument, in the whole text
} HolRecordPart;

typedef struct HolRecordText {
    const char *outer; // the text with a name "_fK" in place of functional K, as long as before
    HolRecordPart *parts;
    int n, capacity;
} HolRecordText;

// ---- record_text.c ----
// the functionals of a text; 0: it is wrong (err says where), or there is no memory
HOL_TOOLS int hol_record_split(HolArena *arena, const char *text, HolRecordText *out,
                               HolExprError *err);
// The next name of a quantity in a text, from *at on: its length, *at is where it begins; 0: none.
// Functions, numbers, pi and time are none.
HOL_TOOLS int hol_record_next_name(const char *text, int *at);

// ---- record.c ----
typedef struct HolRecorder HolRecorder;
// For one run of a model whose outputs are the names that the texts use. *which: the text that is
// wrong. NULL: see err, or no memory
HOL_TOOLS HolRecorder *hol_recorder_create(HolArena *arena, const HolModel *m,
                                           const HolRecordText *texts, int n, HolExprError *err,
                                           int *which);
// a HolObserver; `user` is the recorder
HOL_TOOLS HolStatus hol_recorder_observe(void *user, HolSim *s, int what, double t, HolError *err);
// n values at the end of the run; not a number: time_when never
HOL_TOOLS HolStatus hol_recorder_values(HolRecorder *r, HolSim *s, double *out, HolError *err);

#endif
