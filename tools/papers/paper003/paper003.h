// SPDX-License-Identifier: Apache-2.0
// What the files of the conditionally explicit paper share.
#ifndef HOL_PAPERS_PAPER003_H
#define HOL_PAPERS_PAPER003_H

#include "tools/papers/papers.h"

// parameters of the family: degree 2 stands for classical central differences
typedef struct HolMultistep {
    int degree;
    double alpha, beta, gamma, zeta;
} HolMultistep;

// paper003_formula.c: the bare formulas with the paper's order of operations (digits below 1e-10
// are round-off, and depend on it)
// largest |energy| of theta'' = 9.81 cos(theta), theta(0) = pi, at rest, steps 1 to 10/h - 2
void hol_formula_pendulum(int n, const HolMultistep *f, double h, double *error);
// first time at which x'' = -x + sin(10 t), started on the forced motion with zero jerk, is off by
// 0.05; degree 4
double hol_formula_break(const HolMultistep *f, double h);
// largest |root| of rho + Omega^2 sigma
double hol_formula_radius(const HolMultistep *f, double Omega);
// the same from matrix (74) with its misprint, degree 5
double hol_formula_printed_radius(const HolMultistep *f, double Omega);
// spectral radius of Adams-Bashforth of order k = 4, 5 on x'' = -Omega^2 x, h = 1
double hol_formula_adams_radius(int k, double Omega);

// paper003_dae.c: the constrained pendulum over 10 s, largest |energy| and |x^2 + y^2 - 1|: rk3,
// with or without projection of positions; degree 5, all parameters 1, zero start
void hol_formula_rk3(int projected, double h, double *energy, double *drift);
void hol_formula_dae5(double h, double *energy, double *drift);

// paper003.c: largest |energy| of the same pendulum, computed by a stepper of the library
double hol_explicit_energy(HolPaper *p, const char *settings, double h, double end);
void hol_paper_003_stability(HolPaper *p); // paper003_stability.c: Tables 3 and 5, figures, orders
void hol_paper_003_tables(HolPaper *p);    // paper003_tables.c: Tables 7 to 11

#endif
