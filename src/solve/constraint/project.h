// SPDX-License-Identifier: Apache-2.0
// What project.c, assemble.c and the tangent stepper share: sparse products in the patterns of a
// HolProblem, the right-hand side of the jerk, messages that name a coordinate or a joint.
#ifndef HOL_SOLVE_PROJECT_H
#define HOL_SOLVE_PROJECT_H

#include "solve/sim.h"

// y += c A x, A by columns (patterns M and S)
static inline void hol_mul_columns(const HolPattern *P, const double *A, const double *x, double c,
                                   double *y) {
    for (int j = 0; j < P->cols; j++) {
        const double cx = c * x[j];
        for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++)
            y[P->idx[k]] += A[k] * cx;
    }
}

// y += c G x, G by rows
static inline void hol_mul_rows(const HolPattern *P, const double *G, const double *x, double c,
                                double *y) {
    for (int i = 0; i < P->rows; i++) {
        double sum = 0;
        for (int k = P->ptr[i]; k < P->ptr[i + 1]; k++)
            sum += G[k] * x[P->idx[k]];
        y[i] += c * sum;
    }
}

// y += c G^T l, G by rows
static inline void hol_mul_rows_transposed(const HolPattern *P, const double *G, const double *l,
                                           double c, double *y) {
    for (int i = 0; i < P->rows; i++) {
        const double cl = c * l[i];
        for (int k = P->ptr[i]; k < P->ptr[i + 1]; k++)
            y[P->idx[k]] += G[k] * cl;
    }
}

// the same with the matrices of a run, by its threads where it has some (products.c)
int hol_products_prepare(HolSim *s); // 0: no memory
void hol_sim_mul_M(const HolSim *s, const double *M, const double *x, double c, double *y);
void hol_sim_mul_G(const HolSim *s, const double *G, const double *x, double c, double *y);
void hol_sim_mul_GT(const HolSim *s, const double *G, const double *l, double c, double *y);
// y = start - M x - G^T l (start, l NULL: zero); r = -(r + G x), so many rows (x NULL: zero)
void hol_sim_balance(const HolSim *s, const double *M, const double *x, const double *G,
                     const double *l, const double *start, double *y);
void hol_sim_defect(const HolSim *s, int rows, const double *G, const double *x, double *r);

// r1 = start - M (x - z) - G^T l, r2 = c r2 - G u in one walk over G (residual.c)
typedef struct HolResidual {
    const double *M, *G;
    const double *x, *z; // x NULL: r1 stays; z NULL: zero
    const double *l, *u; // NULL: zero; u NULL: r2 stays
    const double *start; // may be r1; NULL: zero
    double c;            // 1, -1, or 0: r2 is not read
    double *r1, *r2;
    double *scratch; // nv
} HolResidual;
int hol_residual_prepare(HolSim *s); // 0: no memory
void hol_sim_residual(const HolSim *s, const HolResidual *a);

// y = x + c z, n entries; to = from; the largest |x - z| and |x|
void hol_sim_add(const HolSim *s, int n, const double *x, double c, const double *z, double *y);
void hol_sim_assign(const HolSim *s, double *to, const double *from, int n);
double hol_sim_max_difference(const HolSim *s, const double *x, const double *z, int n);
double hol_sim_max_abs(const HolSim *s, const double *x, int n);

double hol_largest(const double *x, int n); // |x|, of the calling thread alone

// of two; NaN stays
static inline double hol_larger(double a, double b) {
    return a >= b || a != a ? a : b;
}

// does some constraint?
int hol_moves_with_time(HolSim *s, const HolState *x);

static inline double hol_max_abs(const double *x, int n) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const double a = x[i] < 0 ? -x[i] : x[i];
        if (a > largest || a != a) // a NaN, once there, stays: nothing is greater than it
            largest = a;
    }
    return largest;
}

static inline double hol_max_difference(const double *x, const double *z, int n) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const double d = x[i] - z[i], a = d < 0 ? -d : d;
        if (a > largest || a != a)
            largest = a;
    }
    return largest;
}

// 1 when the problem can evaluate the jerk by series
int hol_has_jets(const HolProblem *p);
// right-hand side (nv + m + nw) of [M G^T -F; G 0 0; -A -L I-W] [j; lambda'; w'] = rhs at a state x
// whose a, lambda, w solve the acceleration equations; needs no factorization
HolStatus hol_jerk_rhs(HolSim *s, const HolState *x, double *rhs);
// scratch of project.c; called by every function of it, allocates the first time only
int hol_project_prepare(HolSim *s);
// Behind hol_accelerate at x: 1 where variables (loads of friction) depend on a part of the reactions that
// redundant rows leave open. Ends with s->mass factored
int hol_loads_not_unique(HolSim *s, const HolState *x);
// name of velocity coordinate i for messages
void hol_coordinate_name(const HolSim *s, int i, char *out, size_t size);
// name of what failed when hol_kkt_factor returned `bad` > 0
HolStatus hol_singular_error(const HolSim *s, double t, int bad, HolError *err);

#endif
