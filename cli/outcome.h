// SPDX-License-Identifier: Apache-2.0
// What a run gave, and its two forms: a summary for people, an object for programs.
#ifndef HOL_CLI_OUTCOME_H
#define HOL_CLI_OUTCOME_H

#include "seen.h"

#include <holonom/tools.h>

typedef struct Outcome {
    const char *path;      // of the model
    const HolModel *model; // NULL when it could not be read
    HolSim *sim;           // NULL when it could not be created
    HolSimOptions options;
    HolStats stats;
    HolCheck check;
    int checked; // check is filled
    double t_reached;
    HolStatus status;
    HolError err;
    const char *file;   // results, NULL for none
    const char *report; // page, NULL for none
    long rows;
    Seen seen;                   // the results in a few numbers
    HolCertificate *certificate; // NULL: none was asked for
} Outcome;

void outcome_summary(const Outcome *r, FILE *to);
void outcome_warnings(const Outcome *r, FILE *to); // also where the summary is not wanted
void outcome_json(const Outcome *r, FILE *to);
// the lines on redundant constraints and on what assembly moved, as `run` and `check` print them
void outcome_print_redundant(const HolCheck *c, FILE *to, const char *indent);
void outcome_print_moved(const HolCheck *c, FILE *to, const char *indent, int most);

#endif
