// SPDX-License-Identifier: Apache-2.0
// What the files of the index-3 Newmark paper share.
#ifndef HOL_PAPERS_PAPER001_H
#define HOL_PAPERS_PAPER001_H

#include "tools/papers/papers.h"

#define HOL_INDEX3_PENDULUM "papers/pendulum.yaml"
#define HOL_INDEX3_DOUBLE "stiff-double-pendulum.yaml"

typedef struct HolIndex3Errors {
    double q, v, lambda; // at 4 s (pendulum, 6 coordinates for the double one at 2 s)
    HolPaperRun run;
} HolIndex3Errors;

HolIndex3Errors hol_index3_errors(int is_double, HolPaperRun run);

void hol_paper_001_control(HolPaper *p); // paper001_control.c
void hol_paper_001_large(HolPaper *p);   // paper001_large.c

#endif
