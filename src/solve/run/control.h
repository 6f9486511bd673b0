// SPDX-License-Identifier: Apache-2.0
// Step size control: one small state machine shared by every error-controlled method
// (docs/theory/error-control.md, section 11).
//
// With e the local error divided by the tolerance and p the stepper's exponent (1/local order):
//   accepted   h_new = h * clip(safety e^-p, shrink, grow)      no growth right after a rejection
//   rejected   h_new = h * clip(safety e^-p, shrink, 0.9)
//   failed     h_new = h / 4                                    (Newton did not converge)
// The last two steps before an end or stop time are made equal, so that no sliver remains.
#ifndef HOL_SOLVE_CONTROL_H
#define HOL_SOLVE_CONTROL_H

#include "solve/sim.h"

typedef struct HolControl {
    double safety, shrink, grow; // 0.9, 0.2, 2
    double h_min, h_max;         // 0: none
    int rejected;                // the last attempt from the present state was not accepted
    double last_h, last_error;   // of that attempt, its error test having failed; 0: none
    int stagnant;                // so many attempts in a row whose error hardly fell with the step
} HolControl;

void hol_control_init(HolControl *c, const HolSimOptions *o);
// the step to try from t towards target when h is proposed; *last = 1 when it ends at target
double hol_control_fit(const HolControl *c, double t, double target, double h, int *last);
// next proposal after an accepted step h; `wanted` was the proposal before it was fitted
double hol_control_accept(HolControl *c, double h, double wanted, double error, double exponent);
double hol_control_reject(HolControl *c, double h, double error, double exponent);
double hol_control_fail(HolControl *c, double h);
// An error that does not fall with the step is no truncation error: round-off near a singular
// position, or a force without series. 1: shorter steps than h, whose error is e, do not help
int hol_control_stagnates(HolControl *c, double h, double e);
// smallest step that still changes the time t
double hol_control_least(const HolControl *c, double t);

// First step from the jerk j at the consistent state s->x: a local error constant * h^3 |j| of one
// thousandth of the tolerance, at most a hundredth of the time span. Factors s->mass.
double hol_first_step(HolSim *s, double constant, double tolerance);

#endif
