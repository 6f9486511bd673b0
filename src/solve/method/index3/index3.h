// SPDX-License-Identifier: Apache-2.0
// Newmark, HHT and generalized-alpha on the index-3 equations: what their files share
// (docs/theory/index3.md, section 10).
//
// Unknowns of a step are A (the algorithmic acceleration), lambda and w at t1 = t + h:
//   q1 = q (+) theta,   theta = h v + h^2 (1/2-beta) A0 + beta h^2 A1
//   v1 = v + h (1-gamma) A0 + gamma h A1
//   (1-am) A1 + am A0 = (1-af) a1 + af a0,   a: the true acceleration dv/dt
//   e1 = M(q1) a1 + G1^T lambda1 - f(t1,q1,v1,w1) = 0
//   e2 = g(q1,t1) / (beta h^2) = 0,   (B v1 + b) / (gamma h) = 0 for non-holonomic rows
//   e3 = w1 - W(t1,q1,v1,a1,lambda1,w1) = 0
// index: 2 and 1 (to compare) have the constraints of the velocities or of the accelerations in place
// of g, with Baumgarte's feedback k:
//   e2 = (G v1 + gt + k g)/(gamma h),   e2 = G a1 + gamma_c + 2 k (G v1 + gt) + k^2 g
// am = af = 0 is Newmark (A = a); am = 0, af = -alpha is HHT: for a constant mass e1 is then
// M A1/(1+alpha) + [G^T lambda - f]_1 - alpha/(1+alpha) [G^T lambda - f]_0. In steady state
// A = a(t + shift h), shift = am - af, and x = A1 - A0 = h a' + O(h^2), so that the local error of
// q is C h^2 x with C = beta + shift/2 - 1/6.
//
// Forces from reactions: without damping (or projected) lambda1 and a1 do not converge in the
// constrained directions. With A0 = a0 the constraint demands
//   h^2 [(1/2-beta) A0 + beta A1] = h^2 a/2 + h^3 a'/6
// that is A1 = a1 - h a' (1 - 1/(6 beta)),
// and A1 rings about that value undamped: a force that depends on it is of first order. There W is
// taken from the equations of the accelerations,
//   e3 = w1 - w*(t1,q1,v1) = 0
//   [M G^T; G 0] [a*; lambda*] = [f(w*); -gamma],   w* = W(a*,lambda*,w*)
// by repeating the step with the last w*: its error contracts with h f_w (W_v + ..).
// On a manifold theta is the rotation vector of the step (exact for a steady spin); an increment of
// A1 moves q1 by beta h^2 D(theta) dA1, D = I on plain coordinates.
#ifndef HOL_SOLVE_INDEX3_H
#define HOL_SOLVE_INDEX3_H

#include "solve/chart/retraction.h"
#include "solve/constraint/redundant.h"
#include "solve/run/control.h"
#include "solve/run/error_test.h"

enum { HOL_INDEX3_POINTS = 4 }; // history of the predictor, degree 3 at most

typedef struct HolIndex3 {
    // the method
    double alpha_m, alpha_f, beta, gamma;
    double kappa;            // da1/dA1 = (1-am)/(1-af)
    double shift;            // am - af
    double error_q, error_v; // C and the constant of the velocity error gamma - 1/2 + shift
    int iterations;          // > 0: exactly so many Newton iterations, no convergence test
    int degree;              // of the predictor
    int smooth;              // 1: the degree follows the smoothness of the motion
    double
        missed[HOL_INDEX3_POINTS]; // by how much the predictors of each degree missed A, smoothed
    double newton_tolerance;       // > 0: change of positions that ends the iteration
    int newton_most;               // > 0: iterations a step, no second attempt
    double newton_c;               // c of the stopping test
    int index;                     // 3; 2, 1: lower levels of the constraints
    double baumgarte;              // k
    int published;                 // the stopping test and nothing behind it
    int tangential;                // estimate from the part of x tangent to the constraints
    int local;                     // the error of positions alone, the whole tolerance each step
    int project;                   // v, a, lambda made consistent after each step
    double tolerance;              // eps: bound of the local error (0: fixed step)
    int apart; // w from the equations of the accelerations at (q1,v1), see below

    // memory of the motion
    double *A, *A_new;      // at s->x and s->next
    double *A_start;        // A at s->x, shifted to the step size tried
    double *x, *x_new;      // last increment of A, and that of the candidate
    int driven;             // error control: some constraint moves with time
    double h_last, h_tried; // their step sizes (0: none)
    int points;             // known points of the history, newest first
    double time[HOL_INDEX3_POINTS];
    double *u[HOL_INDEX3_POINTS];     // A, lambda, w
    double *table[HOL_INDEX3_POINTS]; // divided differences

    HolSecondOrder error;

    // Newton
    HolKkt *kkt;
    HolLeftOut left_out; // redundant rows
    int has_jacobian;
    double h_jacobian;     // step size it was made for
    double rate;           // remembered contraction, < 0: unknown
    double *predicted;     // nv + m + nw
    double *q_hat, *v_hat; // the part of theta (plain: of q1) and v1 that does not depend on A1
    double *a_known;       // a1 = kappa A1 + a_known
    HolRetraction chart;   // the derivative of the retraction
    double *theta;         // nv
    double *M, *G, *B;     // values in the patterns M, G, G
    double *residual;      // nv + m + nw
    double *J;             // Jacobians of W: Jq, Jv, Ja, each nw x nv
    double *lower;         // 2 m: rows of the lower levels
    double *w_given;       // apart: the present w*
    HolState star;         // where it is computed
} HolIndex3;

// index3_newton.c: predict, then solve e1..e3 for s->next (q, v, a, lambda, w) and A_new.
// s->x, A_start, q_hat, v_hat and a_known are given.
double hol_index3_limit(const HolSim *s, double h); // what the error of a step may be
HolStatus hol_index3_solve(HolSim *s, double h, HolError *err);
// the constraints of s->next to round-off, the rest of the equations left as it is
HolStatus hol_index3_settle(HolSim *s, double h, HolError *err);
void hol_index3_judge_predictor(HolSim *s); // which degree came closest to s->next
void hol_index3_history(HolSim *s);         // put s->x, A in front of the history

#endif
