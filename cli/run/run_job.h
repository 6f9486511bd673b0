// SPDX-License-Identifier: Apache-2.0
// A run of the command: the integration, where its rows go, and what is learned on the way.
#ifndef HOL_CLI_RUN_JOB_H
#define HOL_CLI_RUN_JOB_H

#include "args.h"
#include "run/run_summary.h"

typedef struct RunCheckpoint RunCheckpoint; // run_checkpoint.c

typedef struct RunJob {
    RunSummary out;
    HolModel *model;
    HolResultWriter *writer; // NULL: no results wanted
    HolReport *report;       // NULL: no page wanted
    int certify;             // 1: a second run beside it bounds the errors
    int yes;                 // 1: also what nobody means
    int wants_rows;          // 1: for a file, a page or an object
    int begun;               // 1: the integration was reached
    long rows;               // that are in the files
    double *row, *all;       // results, and all columns for the page, at an output time
    int progress;            // 1: draw a progress line
    int progress_lines;      // 1: a line each, for programs that watch
    double began, drawn, told;
    RunCheckpoint *checkpoint; // NULL: none; else the rows go there
} RunJob;

// the first signal asks for an orderly end; a second one has its usual effect
void run_job_catch_signals(void);
const volatile int *run_job_stop_flag(void); // not 0 from then on
// load, assemble, integrate, write; results up to the last accepted step are complete whatever ends
// the run
HolStatus run_job_run(RunJob *job, const CliArgs *args);
void run_job_free(RunJob *job);

#endif
