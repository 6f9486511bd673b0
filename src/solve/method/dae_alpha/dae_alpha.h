// SPDX-License-Identifier: Apache-2.0
// dae-alpha: the stabilized index-2 alpha-method, HHT and generalized-alpha in one: what its files
// share (docs/methods/dae-alpha.md). Constants from (am, af):
//   HHT(alpha)  am = 0, af = -alpha;      rho  am = (2 rho-1)/(rho+1), af = rho/(rho+1)
//   gamma = 1/2 - am + af,          beta = (1-am+af)^2/4
//   bh = beta (1-af)/(1-am),        gh = gamma (1-af)/(1-am)
// One step from (q, v, a, phi) at t to t1 = t + h, q1 = q (+) theta:
//   theta^ = h v + h^2 [ (1/2 - beta/(1-am)) a + beta af/(1-am) phi ]
//   v^     = v + h [ (1 - gamma/(1-am)) a + gamma af/(1-am) phi ]
//   r1 = M(q1) (theta - theta^) - bh h^2 f(t1,q1,v1,w1)     r1 + G^T nu = 0      g(q1,t1) = 0
//   r2 = M(q1) (v1 - v^) - gh h f(t1,q1,v1,w1)              r2 + G^T mu = 0      G v1 + gt = 0
//   M phi1 + G^T lambda1 = f,  G phi1 + gamma_c = 0  at (t1,q1,v1)
//   a1 = [ (1-af) phi1 + af phi - am a ] / (1-am)
// nu and mu only project: nu = bh h^2 lambda + O(h^3), mu = gh h lambda + O(h^3). Non-holonomic
// rows have no position level; their force enters r1 by nu = (bh h/gh) mu. Algebraic variables see
// (v1 - v^)/(gh h) and mu/(gh h) for acceleration and reaction, which are second order too.
// In steady state a = phi(t + shift h), shift = am - af: when h changes, a moves along phi'.
#ifndef HOL_SOLVE_DAE_ALPHA_H
#define HOL_SOLVE_DAE_ALPHA_H

#include "solve/chart/retraction.h"
#include "solve/constraint/coordinate_split.h"
#include "solve/constraint/redundant.h"
#include "solve/run/control.h"
#include "solve/run/error_test.h"

// how the equations of a step are solved; the first four have the same solution
typedef enum HolAlphaIteration {
    HOL_ALPHA_NEWTON, // unknowns q, v, nu, mu; matrix with H(nu), H(mu)
    HOL_ALPHA_CS,     // P r1 = P r2 = 0: matrix with H(s(r1)), H(s(r2))
    HOL_ALPHA_CS_QR,  // the same, s(r) of the orthogonal split
    HOL_ALPHA_CM,     // the same without H
    HOL_ALPHA_CMP,    // P at the predictor q (+) (h v + h^2 a/2) throughout the step
    HOL_ALPHA_CMP1    // the same at q (+) h v
} HolAlphaIteration;

typedef struct HolDaeAlpha {
    // the method
    HolAlphaIteration iteration;
    double alpha_m, alpha_f, beta, gamma, bh, gh;
    double shift;     // am - af
    double error_q;   // local error of q is error_q h^3 phi'
    double tolerance; // 0: fixed step
    int local;        // the error of positions alone, the whole tolerance each step
    HolSecondOrder error;
    double
        newton_tolerance; // > 0: correction of q and h v that ends the iteration, one matrix a step
    int newton_most;      // > 0: iterations a step, no second attempt
    int iterations;       // > 0: exactly so many Newton iterations, no convergence test
    int predictor; // first iterate: 0 q, 1 q + h v, 2 q + h v + h^2 a/2; -1: the better of 1 and 2

    // memory of the motion
    double *a, *a_new; // algorithmic acceleration at s->x and s->next
    double *a_start;   // a at s->x, shifted to the step size tried
    double *change;    // last increment of phi, over h_last
    double *jerk;      // phi' at the start (error-controlled runs)
    int driven;        // error control: some constraint moves with time
    double h_last, h_tried;
    int degree; // of the predictor that was closer in the last step

    // unknowns and constants of the step; mu is scaled, h mu
    double *theta, *theta_hat, *v_hat, *theta_predicted;
    double *nu, *mu_h; // m each

    // Newton
    HolKkt *kkt;             // unknowns theta, h v; rows g (nh), h (G v + gt) (m)
    HolLeftOut left_out;     // redundant rows
    unsigned char *inactive; // nh + m flags: the same on both levels
    HolRetraction chart;
    HolSplit split;
    int has_split;
    int has_jacobian;
    double h_jacobian, rate;
    int wait;             // steps before a matrix is kept from one step to the next again
    double *M, *K, *C;    // values in the patterns M, S, S
    double *G, *G_up, *B; // values in the pattern G: at q1, of the forces G^T nu, of (G v + gt)_q
    double *f, *a1, *a2;  // force; accelerations (theta - theta^)/(bh h^2), (v - v^)/(gh h)
    double *lambda1, *lambda2;
    double *residual; // 2 nv + nh + m + nw, with the sign of a right-hand side
    double *d;        // the correction
    double *size;     // nv: sizes of the coordinates for the split
    double *J;        // Jacobians of the algebraic variables: Jq, Jv, Ja (nw x nv), Jl, fw
} HolDaeAlpha;

// one attempt at a step
typedef struct HolAlphaCorrector {
    double h, b, c, d;       // step, bh h^2, gh h, gh h^2
    double bound_q, bound_v; // correction of q and of h v that is small enough
    int most;                // iterations
    int full;                // a new matrix every iteration
} HolAlphaCorrector;

// dae_alpha_matrix.c: memory; the matrix at the present iterate s->next, whose residual is known
HolStatus hol_dae_alpha_alloc(HolSim *s, HolError *err);
void hol_dae_alpha_leave_out(HolSim *s); // the rows of m->left_out, from the next matrix on
HolStatus hol_dae_alpha_renew(HolSim *s, const HolAlphaCorrector *k, HolError *err);
// dae_alpha_newton.c: the equations of a step for s->next (q, v, w), nu, mu_h;
// s->x, a_start, theta_hat, v_hat are given
HolStatus hol_dae_alpha_solve(HolSim *s, double h, HolError *err);

#endif
