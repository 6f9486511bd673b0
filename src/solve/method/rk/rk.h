// SPDX-License-Identifier: Apache-2.0
// Explicit Runge-Kutta methods on the index-1 equations: what their files share.
//
//   y = (q, v),  y' = (T(q) v, a(t,q,v)),  [M G^T; G 0] [a; lambda] = [f; -gamma]
//   k_i = y'(t + c_i h, y + h sum_j a_ij k_j),   y1 = y + h sum_i b_i k_i
// On a manifold the stages are combined in q and brought back to it before they are evaluated.
#ifndef HOL_SOLVE_RK_H
#define HOL_SOLVE_RK_H

#include "solve/sim.h"

enum { HOL_RK_STAGES = 16 };

typedef struct HolRkTableau {
    int stages;   // of a step; the error estimate may use more
    int estimate; // stages of the error estimate (0: none)
    int order;
    double c[HOL_RK_STAGES];
    double a[HOL_RK_STAGES][HOL_RK_STAGES];
    double b[HOL_RK_STAGES];
    double e[HOL_RK_STAGES];  // b - b^ of the estimate
    double e3[HOL_RK_STAGES]; // second estimate (rk853), else 0
    double exponent;          // of the step control
    double share;             // of the tolerance, see hol_error_limit
} HolRkTableau;

extern const HolRkTableau hol_rk3, hol_rk4, hol_rk853;
// dense output of rk853: stages 13 (the end point), 14, 15, 16 and four rows of weights
extern const double hol_rk853_dense[4][HOL_RK_STAGES];

typedef struct HolRkWork {
    HolState stage;
    double *kq[HOL_RK_STAGES], *kv[HOL_RK_STAGES]; // nq, nv
    double power[HOL_RK_STAGES];
} HolRkWork;

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

// rk_stages.c
int hol_rk_create(HolSim *s, HolRkWork *w, int stages); // 0: out of memory
// stages first..last-1 of a step h from x (first >= 1: the earlier ones are there)
HolStatus hol_rk_stages(HolSim *s, HolRkWork *w, const HolRkTableau *t, const HolState *x, double h,
                        int first, int last, HolError *err);
// first stage from x, whose a solves the acceleration equations
void hol_rk_first(HolSim *s, HolRkWork *w, const HolState *x);
// to->q, to->v = x + h sum_i weight_i k_i, to->q on the manifold
void hol_rk_combine(HolSim *s, const HolRkWork *w, const HolState *x, double h,
                    const double *weight, int stages, HolState *to);
// one classical fourth-order step of x in place, with a and lambda at its end
HolStatus hol_rk4_step(HolSim *s, HolRkWork *w, HolState *x, double h, HolError *err);

// rk_tree.c: s->method and s->stepper for `projection: joints`
HolStatus hol_rk_tree_create(HolSim *s, const HolRkTableau *table, HolError *err);

// rk_dense.c, for s->method of type HolRungeKutta
void hol_rk_dense(HolSim *s, double theta, HolState *out);
void hol_rk_inside(HolSim *s, double theta, HolState *out); // q, v, w of the candidate

#endif
