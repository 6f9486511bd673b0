// SPDX-License-Identifier: Apache-2.0
// Stages of explicit Runge-Kutta methods on the index-1 equations: the method rk, and starts and
// crossings of others.
//   y = (q, v),  y' = (T(q) v, a(t,q,v)),  [M G^T; G 0] [a; lambda] = [f; -gamma]
//   k_i = y'(t + c_i h, y + h sum_j a_ij k_j),   y1 = y + h sum_i b_i k_i
// On a manifold the stages are combined in q and brought back to it before they are evaluated.
#ifndef HOL_SOLVE_RK_STAGES_H
#define HOL_SOLVE_RK_STAGES_H

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

extern const HolRkTableau hol_rk4; // rk_tableau.c

typedef struct HolRkWork {
    HolState stage;
    double *kq[HOL_RK_STAGES], *kv[HOL_RK_STAGES]; // nq, nv
    double power[HOL_RK_STAGES];
} HolRkWork;

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
void hol_rk_keep(const HolSim *s, HolRkWork *w, HolKeeper *k);

#endif
