// SPDX-License-Identifier: Apache-2.0
// `method: auto`: which method a run uses, and why. The run starts with one of two candidates, one for
// smooth motion and one for stiff forces, and may change between them.
#ifndef HOL_SOLVE_AUTO_H
#define HOL_SOLVE_AUTO_H

#include "solve/sim.h"

enum { HOL_AUTO_SMOOTH, HOL_AUTO_STIFF };

struct HolAuto {
    const HolStepper *stepper[2]; // of smooth motion, of stiff forces; NULL: there is none
    void *memory[2];              // theirs; NULL: not created
    int chosen;                   // 1: the choice was made
    int named;                    // 1: the smooth one was named; the other is for slip that begins
    int now;                      // which one runs
    int switches, pilots;         // changes and pilots so far
    int held;                     // 1: the method at work says that its steps are held by stability
    long patience;                // steps until a pilot that was in vain is made again
    struct HolRates *rates;
    long next_look; // step from which on a change is looked at again
    char why[512];  // one sentence
};

// Makes the choice for an assembled run, once; nothing where a method was named. May allocate.
HolStatus hol_auto_choose(HolSim *s, HolError *err);
// Between two steps: goes over to the other method where that is due. 1: it did, and the run must start
// again from its state
int hol_auto_change(HolSim *s);

// The choice and both candidates, as the run `k` was kept with; its method is at work then.
void hol_auto_keep(HolSim *s, HolKeeper *k);

// ---- rates.c ----
void hol_rates_keep(struct HolRates *r, HolKeeper *k);
// The fastest rates of the linearized motion at x [1/s]: largest decay (-Re) and largest |eigenvalue|, by a
// few steps of Arnoldi's iteration, with a matrix of its own. 0: they could not be found
struct HolRates *hol_rates_create(HolSim *s); // from the run's arena; NULL: no memory
void hol_rates_destroy(struct HolRates *r);
int hol_fastest_rates(struct HolRates *r, const HolState *x, double *decay, double *omega);

// ---- pilot.c ----
// Which of the two candidates leads with less work over a part of what is left of the run; -1: neither
// does. decay: the fastest one here. Work is counted, not timed; where `most` of it is spent, the one that
// came farther wins.
int hol_auto_pilot(HolSim *s, double part, double decay, double most, double work[2]);

#endif
