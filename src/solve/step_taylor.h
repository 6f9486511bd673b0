// SPDX-License-Identifier: Apache-2.0
// What the two forms of `taylor` share: series of the constrained bodies (step_taylor.c) and of a
// tree's joint coordinates (step_taylor_tree.c).
#ifndef HOL_SOLVE_STEP_TAYLOR_H
#define HOL_SOLVE_STEP_TAYLOR_H

#include "solve/sim.h"

enum { HOL_TAYLOR_MIN = 6, HOL_TAYLOR_MAX = 30 }; // orders

// Step that a coefficient c of order P allows for an error tol of q, and of v, P/h times larger,
// for a hundred times as much of its size: short steps on fast motion would have none of it right.
double hol_taylor_allowed(double c, int P, double tol, double speed);
// The last two coefficients can vanish by symmetry, or nearly (a pendulum released from the
// horizontal has only every fourth), and then say nothing of the step h. Those before them, c3 of
// order P-3 and c2 of P-2, give the radius of convergence |q_j|^(-1/j), and with it h = radius
// tol^(1/P) but for the amplitude. 1: plausible
int hol_taylor_plausible(double c3, double c2, int P, double tol, double h);

// The error of a step h whose series has other accelerations at the end than the motion there, by
// `jump`. A truncation error e of order P changes them by P (P - 1) e / h^2. Where that would be
// far more than `last`, the largest of the last terms of the series, lower coefficients are wrong:
// a force has no series at the start, such as sqrt(time). Velocities are then wrong by half of jump
// h.
double hol_taylor_judge(double jump, double h, int P, double last, double speed);

// *h as long as the series allows; a fixed step fails where it is much longer
HolStatus hol_taylor_limit(const HolSim *s, int order, double allowed, double *h, HolError *err);
// Steps much shorter than the motion, seen in two coefficients two orders apart, asks for: stiff,
// when there are many of them in a row. This one stands for `count`
void hol_taylor_watch(HolSim *s, double c2, double c4, double h, int count, long *slow);

typedef struct TaylorTree TaylorTree;
// stable: coefficients summed by taylor_stable.h; NULL: no memory
TaylorTree *hol_taylor_tree_create(HolSim *s, int order, int stable);
HolStatus hol_taylor_tree_start(HolSim *s, TaylorTree *w, HolError *err);
HolStatus hol_taylor_tree_step(HolSim *s, TaylorTree *w, double h, HolStepResult *result,
                               HolError *err);
void hol_taylor_tree_accepted(HolSim *s, TaylorTree *w);
void hol_taylor_tree_turns(HolSim *s, TaylorTree *w, const HolState *end);
double hol_taylor_tree_work(HolSim *s, TaylorTree *w, double h); // NAN: not from the series
void hol_taylor_tree_dense(HolSim *s, TaylorTree *w, double theta, HolState *out);

#endif
