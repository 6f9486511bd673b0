// SPDX-License-Identifier: Apache-2.0
// The conditionally explicit family of degrees 3, 4, 5 and classical central differences: what
// their files share.
//
// At the start of a step from t_p to t_n = t_p + h the position q_n is known already. The step
// finds a_n (and lambda_n, w_n), hence v_n, j_n, s_n and the next position q_{n+1}:
//   degree 3  v_n = v_p + h (be a_n + (1-be) a_p)
//             q_{n+1} = q_n + h v_n + h^2/2 (al a_n + (1-al) a_p)
//   degree 4  ga j_n + (1-ga) j_p = (a_n - a_p)/h,  v_n = v_p + h a_p + h^2/2 (be j_n + (1-be) j_p)
//             q_{n+1} = q_n + h v_n + h^2/2 a_n + h^3/6 (al j_n + (1-al) j_p)
//   degree 5  ga s_n + (1-ga) s_p = 2 (a_n - a_p - h j_p)/h^2,  j_n = j_p + h (ze s_n + (1-ze) s_p)
//             v_n = v_p + h a_p + h^2/2 j_p + h^3/6 (be s_n + (1-be) s_p)
//             q_{n+1} = q_n + h v_n + h^2/2 a_n + h^3/6 j_n + h^4/24 (al s_n + (1-al) s_p)
//   central   q_{n+1} = 2 q_n - q_p + h^2 a_n,  v_n = (q_{n+1} - q_p)/(2h)
// with equilibrium at t_n and the position constraints at t_{n+1}:
//   M(q_n) a_n + G(q_n)^T lambda_n = f(t_n,q_n,v_n,w_n),  g(q_{n+1},t_{n+1}) = 0
// Velocity rows B v + b = 0 (written for v_n they would be unstable in all sets of order 3 and
// more) hold at t_{n+1}, too, for the velocity extrapolated there:
//   degree 3  v_n + h (a_n + ka (a_n - a_p)),  ka = 5/12
//   degree 4  v_n + h a_n + h^2/2 (j_n + ka (j_n - j_p)),  ka = ga - 1/2 + 1/3 - (2ga-1)/12
//   degree 5  v_n + h a_n + h^2/2 j_n + h^3/6 s_n
// f and the user see v_n computed with beta_out in place of beta; the recursion keeps beta.
// Everything lives in velocity coordinates; on a manifold q_{n+1} is the end of q' = T(q) v(tau)
// with the polynomial v(tau) whose integral is the increment above (explicit_move.c).
#ifndef HOL_SOLVE_EXPLICIT_H
#define HOL_SOLVE_EXPLICIT_H

#include "solve/constraint/rk_stages.h"
#include "solve/run/error_test.h"

typedef enum HolExplicitStart {
    HOL_START_ZERO,  // j = s = 0
    HOL_START_TRUE,  // true derivatives
    HOL_START_STEADY // the values the recursion would carry in steady motion
} HolExplicitStart;

typedef enum HolExplicitProjection {
    HOL_EXPLICIT_RAW,      // nothing, not even the first position
    HOL_EXPLICIT_FIRST,    // the first position only (default)
    HOL_EXPLICIT_VELOCITY, // and the velocities given out
    HOL_EXPLICIT_FULL      // and the accelerations and multipliers given out
} HolExplicitProjection;

// the formula
typedef struct HolExplicitSet {
    int degree;  // 3, 4, 5
    int central; // classical two-step form (degree 3, alpha = 1, beta = 1/2)
    double alpha, beta, gamma, zeta, beta_out;
} HolExplicitSet;

// what is known of a formula before it runs
typedef struct HolExplicitLimits {
    int order_q, order_v; // observed orders with the best start; 0: none
    double omega;         // largest omega h, without damping
    double parasite;      // largest parasitic root of rho (the roots besides the double 1)
    double sigma;         // largest root of sigma: constrained directions obey sigma(E) a = 0
    double velocity;      // largest root of the same kind for velocity (non-holonomic) rows
} HolExplicitLimits;

// values the recursion carries at one instant (nv each)
typedef struct HolExplicitPoint {
    double *v, *a, *j, *s;
    double *increment; // of the step behind it (central, on a manifold)
    double *ahead;     // nq: the next position
} HolExplicitPoint;

typedef struct HolExplicit {
    HolExplicitSet set;
    HolExplicitLimits limits;
    HolExplicitStart start;
    HolExplicitProjection projection;
    int differences; // derivatives for the start by differences, not by series
    int exponential; // the retraction is the flow of constant velocities
    int straight;    // one retraction a step suffices (order 2)

    double h;  // step that `now.ahead` belongs to; 0: start anew
    int fresh; // steps since the last start
    HolExplicitPoint now, next;

    // Newton's iteration
    HolKkt *kkt;
    double c, r;          // dv_out/da, |dq_{n+1}/da|
    double c_row, *v_row; // velocity in velocity rows (nv), and its derivative by a
    double w_change;      // last correction of w
    int smooth;           // the forces do not depend on v: without constraints one solve is exact
    double *rate[4];      // nv: coefficients of v(tau)
    double *M, *G, *Gt;   // values in the patterns M, G, G
    double *residual;     // nv + m + nw
    double *J;            // Jacobians of W: Jq, Jv, each nw x nv
    double *scratch;      // nv
    int width;            // largest block of D, 0 on plain problems
    int *block, *block_size; // first coordinate and size of the block of a velocity coordinate
    double *D;               // D[width * column + row in block]
    double *near[2];         // nq

    // start
    double *unforeseen; // nv: change of accelerations beyond the derivatives known
    HolSecondOrder error;
    HolState base;         // the state the recursion starts from, consistent
    HolState probe;        // differences
    double *derivative[3]; // jerk, snap, and the next one
    double *a_near[4];     // accelerations at t -h, -2h, +h, +2h
    HolRkWork rk;
} HolExplicit;

// explicit_parameters.c: read and check s->o.method
extern const HolWord hol_explicit3_words[], hol_explicit4_words[], hol_explicit5_words[];
extern const HolWord hol_explicit_start_words[], hol_explicit_projection_words[];
// what a fixed step does to a linear system; degree 2: central differences
void hol_explicit_map(const HolMethodOptions *o, int degree, struct HolStepMap *out);
HolStatus hol_explicit_parameters(HolSim *s, HolExplicit *m, int degree, HolError *err);
HolExplicitLimits hol_explicit_limits(const HolExplicitSet *set);
double hol_explicit_extrapolation(const HolExplicitSet *set); // ka

// explicit_start.c: fill m->now and m->h from s->x for steps of size h
HolStatus hol_explicit_begin(HolSim *s, double h, HolError *err);

// explicit_move.c
int hol_explicit_move_create(HolSim *s);
// out = q moved for a time h with the velocity rate[0] + rate[1] tau + rate[2] tau^2/2 + ..
void hol_explicit_move(HolSim *s, const double *q, double h, double *const rate[4], double *out);
// rows 0..nh-1 of G times D, D the derivative of the new position by a over r; follow at `a`
void hol_explicit_columns(HolSim *s, double h, const double *a, double *G);

// explicit_newton.c: s->next and m->next of the step h that ends at s->next.t
HolStatus hol_explicit_solve(HolSim *s, double h, HolError *err);
// from the acceleration a at s->next: v, j, s, rates, the velocity given out and the next position
void hol_explicit_follow(HolSim *s, double h, const double *a, double *v_out, double *ahead);

#endif
