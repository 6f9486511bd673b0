// SPDX-License-Identifier: Apache-2.0
// What the two forms of `taylor` share: series of the constrained bodies (taylor.c) and of a
// tree's joint coordinates (taylor_tree.c).
#ifndef HOL_SOLVE_STEP_TAYLOR_H
#define HOL_SOLVE_STEP_TAYLOR_H

#include "solve/sim.h"

enum { HOL_TAYLOR_MIN = 6, HOL_TAYLOR_MAX = 30 }; // orders

// Coefficients of orders P-3 .. P of a series over the scales of positions; those of velocities,
// their orders times as large, over theirs. The unit of time is the power of two below the span of
// the run (hol_taylor_unit): numbers without a unit, whose powers and roots neither overflow nor
// lose digits in another unit of time.
typedef struct TaylorTerms {
    double q[4], v[4];
} TaylorTerms;

// What the error of a step may be: `step`, of which it gets its share; `least`: round-off is more
typedef struct TaylorLimit {
    double step, least;
    int singular; // round-off next to a singular position governs the step: the whole of it
} TaylorLimit;

// exponent of the unit of time of terms
int hol_taylor_unit(const HolSim *s);
// terms of orders P-3 .. P from coefficients of positions and velocities in units of the model
TaylorTerms hol_taylor_terms(const HolSim *s, const double q[4], const double v[4], int P);

// part of the tolerance that a step may use, see hol_error_limit
extern const double hol_taylor_share;

// The step h at which the last two terms of order P are as large as the error of a step may be,
//   h = min over k in {P-1, P} of (tau/Q_k)^(1/k), (tau/R_k)^(1/(k-1)),  tau = tol share(h)
// They can vanish by symmetry, or nearly (a pendulum released from the horizontal has only every
// fourth), and then say nothing. Those before them give the radius of convergence |q_j|^(-1/j), and
// with it h = radius tol^(1/P) but for the amplitude: where h is longer they count too.
double hol_taylor_allowed(const HolSim *s, const TaylorTerms *c, int P, const TaylorLimit *tol);
// the same from the terms of one order alone, coefficients in units of the model
double hol_taylor_allowed_one(const HolSim *s, double q, double v, int k, const TaylorLimit *tol);

// The error of a step h whose series has other accelerations at the end than the motion there, by
// q, v over the scales. A truncation error e of order P changes them by P (P - 1) e / h^2. Where
// that would be far more than the largest of the last terms c, lower coefficients are wrong: a
// force has no series at the start, such as sqrt(time). Velocities are then wrong by half of the
// difference times h. c NULL: not asked
double hol_taylor_judge(const HolSim *s, double q, double v, double h, int P, const TaylorTerms *c);

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
void hol_taylor_tree_keep(HolSim *s, TaylorTree *w, HolKeeper *k);
void hol_taylor_tree_dense(HolSim *s, TaylorTree *w, double theta, HolState *out);

#endif
