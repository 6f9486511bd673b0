// SPDX-License-Identifier: Apache-2.0
// Explicit Runge-Kutta methods on the index-1 equations: what their files share.
#ifndef HOL_SOLVE_RK_H
#define HOL_SOLVE_RK_H

#include "solve/constraint/rk_stages.h"

extern const HolRkTableau hol_rk3, hol_rk853;
// dense output of rk853: stages 13 (the end point), 14, 15, 16 and four rows of weights
extern const double hol_rk853_dense[4][HOL_RK_STAGES];

// the steppers' memory
typedef struct HolRungeKutta {
    const HolRkTableau *table;
    HolRkWork w;
    int position, velocity;  // projections made
    HolKkt *euclid;          // [I G^T; G 0], NULL: mass metric
    double *x;               // nv + m
    double *error_q, *moved; // nq, nv
    // dense output of rk853
    int have_stages;       // stages at hand belong to the last accepted step
    int have_dense;        // and the coefficients, too
    double *cq[7], *cv[7]; // coefficients of the polynomial
} HolRungeKutta;

// rk_tree.c: s->method and s->stepper for `projection: joints`
HolStatus hol_rk_tree_create(HolSim *s, const HolRkTableau *table, HolError *err);

// rk_dense.c, for s->method of type HolRungeKutta
void hol_rk_dense(HolSim *s, double theta, HolState *out);
void hol_rk_inside(HolSim *s, double theta, HolState *out); // q, v, w of the candidate

#endif
