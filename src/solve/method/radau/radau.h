// SPDX-License-Identifier: Apache-2.0
// Private to the radau stepper: its coefficients, its charts, its memory, its parts.
// The mechanism as an ordinary differential equation of second order in d local coordinates x,
//   q = q(x, t),  v = E x' + (part that drives ask for),  a = E x'' + b,   G E = 0
//   (E^T M E) x'' = E^T (f - M b)                                          =: F(t, x, x')
// and its Radau IIA collocation with s stages.
#ifndef HOL_SOLVE_RADAU_H
#define HOL_SOLVE_RADAU_H

#include "solve/chart/retraction.h"
#include "solve/constraint/project.h"

enum { RADAU_DOF = 12, RADAU_STAGES = 7, RADAU_UNKNOWNS = RADAU_DOF * RADAU_STAGES };
enum { RADAU_PAST = 3 };

// ---- radau_table.c ----
typedef struct RadauTable {
    int s;
    double c[RADAU_STAGES], A[RADAU_STAGES][RADAU_STAGES];
    // embedded formula of order s: error of y' = f is h gamma f(y0) + h sum e_i f(Y_i), the latter
    // also sum z_i (Y_i - y0)
    double gamma, e[RADAU_STAGES], z[RADAU_STAGES];
} RadauTable;

void hol_radau_table(int stages, RadauTable *t);
// Lagrange weights at theta: w[0] of the start, w[i] of stage i, for the polynomial through all of
// them; its slope; and the integral from 0 to theta of the polynomials through the stages alone
void hol_radau_interpolate(const RadauTable *t, double theta, double *w);
void hol_radau_slope(const RadauTable *t, double theta, double *w);
void hol_radau_integrate(const RadauTable *t, double theta, double *w);

// ---- local_coordinates.c ----
typedef struct RadauChart {
    int dof;                // 0: not chosen yet
    int tree;               // joint coordinates of a tree; 0: some of the bodies' own coordinates
    int pick[RADAU_DOF];    // which ones
    double unit[RADAU_DOF]; // and what they are measured in: a length near that of the mechanism, 1
    double mobility[RADAU_DOF], own[RADAU_DOF]; // how well they served when chosen
    double *center;                             // nq: where those of rotations are zero
    double *beta;                               // dof x nv: their gradients
    double *x, *y;                              // nv + m scratch
    int *place;      // nv: coordinate of q that is the integral of v_i, -1: none
    double *M, *ME;  // values in pattern M; nv x dof
    HolChart blocks; // runs of coordinates that are no plain ones
    double Z[RADAU_DOF * RADAU_DOF], LU[RADAU_DOF * RADAU_DOF]; // E^T M E, and factored
    int pivot[RADAU_DOF];
} RadauChart;

// a position of the motion with what belongs to it
typedef struct RadauPoint {
    double t, *q, *v, *E, *b; // nq, nv, nv x dof, nv
    double x[RADAU_DOF], rate[RADAU_DOF], F[RADAU_DOF];
} RadauPoint;

HolStatus hol_radau_chart_create(HolSim *s, RadauChart *c, HolError *err);
// coordinates for the motion from x on, the end of the last step: chosen anew when needed, then
// *fresh = 1
HolStatus hol_radau_chart_begin(HolSim *s, RadauChart *c, const HolState *x, int *fresh,
                                HolError *err);
void hol_radau_chart_read(HolSim *s, RadauChart *c, const HolState *x, RadauPoint *to);
// q, v, E, b of the coordinates in `to`; q: start of the iteration. same: only the rates differ
// from those of the point moved to last
HolStatus hol_radau_chart_move(HolSim *s, RadauChart *c, RadauPoint *to, int same, HolError *err);
// F there, with the forces f
HolStatus hol_radau_chart_accelerate(HolSim *s, RadauChart *c, RadauPoint *to, int same, double *f,
                                     HolError *err);

// ---- radau_newton.c ----
// K = dF/dx, C = dF/dx' at one time, dof x dof row-major
typedef struct RadauRates {
    double t, K[RADAU_DOF * RADAU_DOF], C[RADAU_DOF * RADAU_DOF];
} RadauRates;

typedef struct Radau {
    RadauTable table;
    RadauChart chart;
    RadauPoint start, stage[RADAU_STAGES], probe; // all share E and b
    double scale[RADAU_DOF];                      // size in q of a unit of each coordinate
    // what the last accepted step left: rates at its nodes, for the next guess
    int have_last;
    int entered; // 1: start holds the present state; 2: in coordinates chosen there
    double last_h, last_start[2][RADAU_DOF], last_rate[RADAU_STAGES][RADAU_DOF];
    // derivatives at the last points they were made, newest first
    RadauRates rates[RADAU_PAST], at_stage[RADAU_STAGES];
    int n_rates;
    double *P; // Newton matrix, factored
    int pivot[RADAU_UNKNOWNS];
    double enough;     // error an iteration may leave
    double rate;       // contraction seen last
    double last_error; // of the last accepted step, 0: none
    double error;      // of the candidate
    int iterations;    // of the last step solved
    double h_limit;    // below where the iteration failed, relaxed slowly; 0: none
    double *f, *dq;    // nv
} Radau;

// stages of a step h from m->start
HolStatus hol_radau_solve(HolSim *s, Radau *m, double h, HolError *err);
// filtered error of the embedded formula, over what the step may have
double hol_radau_error(HolSim *s, const Radau *m, double h);

#endif
