// SPDX-License-Identifier: Apache-2.0
// What a run gave, and its two forms: a summary for people, an object for programs.
#ifndef HOL_CLI_RUN_SUMMARY_H
#define HOL_CLI_RUN_SUMMARY_H

#include "run/column_extremes.h"
#include "run/run_events.h"

#include <holonom/json.h>
#include <holonom/tools.h>

typedef struct RunSummary {
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
    Extremes extremes;           // the results in a few numbers
    HolCertificate *certificate; // NULL: none was asked for
    HolStepLimit limit;          // of a fixed step, told before the run
    RunEvents events;
} RunSummary;

void run_summary_print(const RunSummary *r, FILE *to);
void run_summary_warnings(const RunSummary *r, FILE *to); // also where the summary is not wanted
void run_summary_json(const RunSummary *r, FILE *to);
// the lines on redundant constraints and on what assembly moved, as `run` and `check` print them
void run_summary_redundant(const HolCheck *c, FILE *to, const char *indent);
void run_summary_moved(const HolCheck *c, FILE *to, const char *indent, int most);
// "final": {BODY: {x: .., y: ..}}, the present state
void run_summary_final(HolJson *j, HolSim *sim);
// one word an exit code
const char *run_summary_status(HolStatus status);

#endif
