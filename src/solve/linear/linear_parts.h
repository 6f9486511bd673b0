// SPDX-License-Identifier: Apache-2.0
// Parts of the linearization, private to solve/linear.
#ifndef HOL_SOLVE_LINEAR_PARTS_H
#define HOL_SOLVE_LINEAR_PARTS_H

#include "solve/linear/linear.h"

// ---- linear_matrices.c ----
// Matrices of the equations at a point, dense by columns. Memory for them; 0: there is none.
typedef struct HolLinearMatrices {
    double *M, *C, *K; // n x n
    double *G;         // m x n
    double *F;         // m x n: the rows along which reactions act; G without algebraic variables
    double *M_eff;     // n x n: with the part of the variables; M without them
} HolLinearMatrices;
int hol_linear_room(HolSim *s, HolArena *arena, HolLinearMatrices *out);
HolStatus hol_linear_evaluate(HolSim *s, const HolState *x, HolArena *arena, HolLinearMatrices *out,
                              HolError *err);
// out (m) = G(t,q) u + g_t, or G u + gamma(t,q,v) where `second`; values: of G, scratch
void hol_linear_rate(HolSim *s, const HolPoint *at, const double *u, int second, double *values,
                     double *out);
// H = (G v + g_t)_q at x, every entry, by differences of fourth order
void hol_linear_rate_jacobian(HolSim *s, const HolState *x, HolArena *arena, double *H);
// dG/dt and dM/dt along the motion through x
void hol_linear_rates(HolSim *s, const HolState *x, HolArena *arena, double *Gdot, double *Mdot);
// the state a time dt later, to second order, with the accelerations and reactions of the equations there
int hol_linear_neighbour(HolSim *s, const HolState *x, double dt, HolArena *arena, HolState *out);

// ---- null_space.c ----
// G^ = rows of unit length of G diag(reach); Q, R, order of a pivoted QR of its transpose.
typedef struct HolNullSpace {
    int n, m, rank, d; // d = n - rank
    double *Q, *R;     // n x n, n x m
    int *order;        // m
    double *row;       // m: reciprocal length of each row
    const double *reach;
    double *N;   // n x d
    double *M_R; // d x d = N^T M N
    double *NTM; // d x n
} HolNullSpace;
HolStatus hol_null_space(HolSim *s, const double *G, int rows, int m, const double *M,
                         HolArena *arena, HolNullSpace *out, HolError *err);
// out (n x c) = S Z with G S Z = Z, mass-orthogonal to N; Z (m x c) must fit redundant rows. 0: no memory
int hol_null_space_lift(const HolNullSpace *s, const double *Z, int c, HolArena *arena,
                        double *out);
// out (d x c) = L B = M_R^-1 N^T M B
int hol_null_space_project(const HolNullSpace *s, const double *B, int c, HolArena *arena,
                           double *out);

// ---- axes.c ----
// W (n x n) of the increments; Y of the axes
void hol_linear_turning(HolSim *s, const HolState *x, double *W);
void hol_linear_axes(HolSim *s, const HolState *x, HolAxes axes, const double frame[3], double *Y);
// how far from constant the system is in given axes
HolStatus hol_linear_constancy(HolSim *s, const HolState *x, double rate, HolArena *arena,
                               const HolLinear *l, HolAxes axes, const double frame[3], double *out,
                               HolError *err);
// Chooses the axes of `out`, whose matrices, N, Gdot stand, and sets its constancy.
HolStatus hol_linear_choose_axes(HolSim *s, const HolState *x, double rate, HolArena *arena,
                                 HolLinear *out, HolError *err);

#endif
