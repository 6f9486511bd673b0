// SPDX-License-Identifier: Apache-2.0
// What hol_stability makes, seen from inside.
#ifndef HOL_SOLVE_STABILITY_MADE_H
#define HOL_SOLVE_STABILITY_MADE_H

#include "solve/stability/stability.h"

typedef struct HolStabilityMade {
    HolStability out; // first: hol_stability_destroy gets its address
    HolArena arena;
    const HolModel *model;
    const HolSimOptions *run;
    HolStabilityOptions o;
    double span; // of the whole run
    HolVariant *variant;
    HolStabilityMethod *method;
    int *limited; // state at which each method has its limit, -1: none
    int n_variant;
    HolStabilityState **state;
    int n_state;
    int finer;   // points looked at for one that is asked for
    int frozen;  // 1: the model has elements with modes
    int n_kept;  // points asked for, once the first walk is over
    int attempt; // which method follows the motion
    HolBodyNames names;
    int holonomic, rolling; // 1: there are such constraints
    int large;              // 1: the fastest mode alone is known
} HolStabilityMade;

#endif
