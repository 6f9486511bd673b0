// SPDX-License-Identifier: Apache-2.0
// Linearization on the constraint manifold at a state, at rest or moving (docs/theory/linear.md):
//   d' = u - W d,  M u' + C u + K d + F^T dlambda = 0,  G_h d = 0,  G u + Hd d = 0
//   d = N_h xi,  u = N zeta + X xi,   (xi, zeta)' = A (xi, zeta)
// d: increment of positions q (+) d, u: of velocities. N_h, N: null spaces of the holonomic rows and of
// all rows. Dense, by columns; for models of some hundred velocities. Large models: sparse/.
#ifndef HOL_SOLVE_LINEAR_H
#define HOL_SOLVE_LINEAR_H

#include "solve/sim.h"

// Axes in which the state is frozen: what d = E(t) d^ is measured in, see axes.c.
typedef enum HolAxes { HOL_AXES_TRANSPORT, HOL_AXES_GLOBAL, HOL_AXES_BODY, HOL_AXES_FRAME } HolAxes;

typedef struct HolLinear {
    double t;
    int n, m, nh;            // velocities, constraint rows, holonomic ones among them
    int rank_h, rank;        // of G_h and of G
    int np, nz;              // freedoms of position (n - rank_h) and of velocity (n - rank)
    double *M, *C, *K;       // n x n; K with the true reactions
    double *G, *Hd, *Gdot;   // m x n: Jacobian, (G v + g_t)_q, dG/dt along the motion
    double *W, *Y;           // n x n: turning of the increments, of the axes
    double *N_h, *N, *X;     // n x np, n x nz, n x np
    double *M_R, *C_R, *K_R; // nz x nz, nz x nz, nz x np, in the axes chosen
    double *A;               // (np + nz) x (np + nz)
    int moving;              // 1: some velocity is not zero
    int symmetric;           // 1: at rest, C = 0, K_R symmetric: conservative
    HolAxes axes;
    double constancy; // how much A changes along the motion, 0: not at all
    int steady;       // 1: at rest, or A is constant in these axes
    double frame[3];  // angular velocity of HOL_AXES_FRAME
} HolLinear;

// At the consistent state x of a run (hol_sim_assemble or steps have led there), in the axes in which A is
// most nearly constant. Memory from the arena given. HOL_ERR_UNSUPPORTED: too many velocities for dense
// matrices, HOL_ERR_SINGULAR: a free motion without mass.
HolStatus hol_linearize(HolSim *s, const HolState *x, HolArena *arena, HolLinear *out,
                        HolError *err);
// the same in given axes
HOL_TOOLS HolStatus hol_linearize_in(HolSim *s, const HolState *x, HolAxes axes,
                                     const double frame[3], HolArena *arena, HolLinear *out,
                                     HolError *err);
// out (n x c) = S Z, Z (m x c): G S Z = Z, mass-orthogonal to N. 0: it cannot be computed
HOL_TOOLS int hol_linear_lift(HolSim *s, const HolLinear *l, const double *Z, int c,
                              HolArena *arena, double *out);
// H (m x n) = (G a + gamma)_q and V = gamma_v at x, by differences
HOL_TOOLS void hol_linear_second_jacobian(HolSim *s, const HolState *x, HolArena *arena, double *H,
                                          double *V);

// The largest |eigenvalue| at x of a model of any size, by saddle-point solves alone, in transport axes; bound:
// what it may be off by, relative. HOL_ERR_UNSUPPORTED: no ARPACK, rolling, algebraic variables.
HolStatus hol_sparse_omega_max(HolSim *s, const HolState *x, double tolerance, double *omega,
                               double *bound, HolError *err);

#define HOL_STEADY 1e-6 // constancy of axes in which the linear system holds for all times

// Most velocities that dense linearization takes.
enum { HOL_LINEAR_DENSE = 400 };

#endif
