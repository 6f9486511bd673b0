// SPDX-License-Identifier: Apache-2.0
// A whole run as a byte string (save.c): what of it is kept (keep_run.c).
#ifndef HOL_SOLVE_KEEP_RUN_H
#define HOL_SOLVE_KEEP_RUN_H

#include "solve/sim.h"

// All numbers of a started run that later steps, rows and statistics use. Reading into another run
// of the same model and options makes what it had made on demand.
void hol_run_keep(HolSim *s, HolKeeper *k);

// ---- replay.c: runs whose method cannot be kept, but computed again (HolStepper.replayed) ----
int hol_replay_create(HolSim *s);                     // at a start of the method; 0: no memory
void hol_replay_step(HolSim *s, double target);       // a step towards `target` is about to be made
HolStatus hol_replay_ready(HolSim *s, HolError *err); // can it be saved?
void hol_replay_keep(HolSim *s, HolKeeper *k);
// reads the records of hol_replay_keep and makes the steps again; what follows is left to read
HolStatus hol_replay_restore(HolSim *s, HolKeeper *k, HolError *err);
uint64_t hol_replay_print(const HolSim *s); // of the positions that the steps led to

#endif
