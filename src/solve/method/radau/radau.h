// SPDX-License-Identifier: Apache-2.0
// Private to the radau stepper: its coefficients, its memory, its parts.
// The mechanism as an ordinary differential equation of second order in local coordinates x
// (solve/chart/chart.h), x'' = F(t, x, x'), and its Radau IIA collocation with s stages.
#ifndef HOL_SOLVE_RADAU_H
#define HOL_SOLVE_RADAU_H

#include "solve/chart/chart.h"
#include "solve/constraint/project.h"

enum { RADAU_STAGES = 7, RADAU_UNKNOWNS = HOL_CHART_DOF * RADAU_STAGES };
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

// ---- radau_newton.c ----
// K = dF/dx, C = dF/dx' at one time, dof x dof row-major
typedef struct RadauRates {
    double t, K[HOL_CHART_DOF * HOL_CHART_DOF], C[HOL_CHART_DOF * HOL_CHART_DOF];
} RadauRates;

typedef struct Radau {
    RadauTable table;
    HolChart chart;
    HolChartPoint start, stage[RADAU_STAGES], probe; // all share E and b
    double scale[HOL_CHART_DOF];                     // size in q of a unit of each coordinate
    // what the last accepted step left: rates at its nodes, for the next guess
    int have_last;
    int entered; // 1: start holds the present state; 2: in coordinates chosen there
    double last_h, last_start[2][HOL_CHART_DOF], last_rate[RADAU_STAGES][HOL_CHART_DOF];
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
