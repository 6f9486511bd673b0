// SPDX-License-Identifier: Apache-2.0
// What the files of the tangent-space paper share.
#ifndef HOL_PAPERS_PAPER000_H
#define HOL_PAPERS_PAPER000_H

#include "tools/papers/papers.h"

// sawtooth of multiplier `row` from time `from` on
typedef struct HolSaw {
    int row, n;
    double from, saw, last[2];
    double early, before; // the largest in the ten seconds from `early` on
    double burst;         // time at which it first passes 1000, 0: never
} HolSaw;

int hol_paper_watch_saw(void *user, const HolView *x);
void hol_paper_000_models(HolPaper *p);

#endif
