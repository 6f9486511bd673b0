// SPDX-License-Identifier: Apache-2.0
// What the files of the conditionally explicit paper share.
#ifndef HOL_PAPERS_PAPER003_H
#define HOL_PAPERS_PAPER003_H

#include "papers/papers.h"

// parameters of the family: degree 2 stands for classical central differences
typedef struct HolFormula {
    int degree;
    double alpha, beta, gamma, zeta;
} HolFormula;

// paper003_formula.c: the bare formulas with the paper's order of operations (digits below 1e-10
// are round-off, and depend on it)
// largest |energy| of theta'' = 9.81 cos(theta), theta(0) = pi, at rest, steps 1 to 10/h - 2
void hol_formula_pendulum(int n, const HolFormula *f, double h, double *error);
// first time at which x'' = -x + sin(10 t), started on the forced motion with zero jerk, is off by
// 0.05; degree 4
double hol_formula_break(const HolFormula *f, double h);
// largest |root| of rho + Omega^2 sigma
double hol_formula_radius(const HolFormula *f, double Omega);

void hol_paper_003_tables(HolPaper *p); // paper003_tables.c: Tables 7 to 11

#endif
