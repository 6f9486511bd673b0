// SPDX-License-Identifier: Apache-2.0
// `holonom run --checkpoint FILE [--every SECONDS]` and `--resume FILE`.
#ifndef HOL_CLI_RUN_CHECKPOINT_H
#define HOL_CLI_RUN_CHECKPOINT_H

#include "run/run_job.h"

// what is wrong with the options, NULL: nothing
const char *run_checkpoint_usage(const CliArgs *args);
int run_checkpoint_wanted(const CliArgs *args);
// opens the files of the run; what is stored goes into r->out.sim
HolStatus run_checkpoint_open(RunJob *r, const CliArgs *args, HolError *err);
// after a step: a checkpoint when it is time, or when the run shall stop (HOL_INTERRUPTED)
HolStatus run_checkpoint_step(RunJob *r, HolSim *s, HolError *err);
// 1: what follows the last checkpoint is no part of the run
int run_checkpoint_left(const RunJob *r);
HolStatus run_checkpoint_row(RunJob *r, const double *row, HolError *err);
HolStatus run_checkpoint_event(RunJob *r, const HolEvent *event, HolError *err);
HolStatus run_checkpoint_impulse(RunJob *r, const HolImpulse *impulse, HolError *err);
// hol_sim_run, or how it ended when it was stored
HolStatus run_checkpoint_run(RunJob *r, HolObserver observer, HolError *err);
// the run has ended: its result gets its name, unless it was interrupted
void run_checkpoint_finish(RunJob *r);
// "--resume FILE goes on .."
void run_checkpoint_tell(const RunJob *r, FILE *to);
void run_checkpoint_free(RunJob *r);

#endif
