// SPDX-License-Identifier: Apache-2.0
// The flexible slider-crank of the alpha-method paper (slider_crank.c).
#ifndef HOL_PAPERS_PAPER002_H
#define HOL_PAPERS_PAPER002_H

#include "tools/papers/papers.h"

enum { HOL_SLIDER_N = 11, HOL_BEAM_N = 8 };

typedef struct HolSlider {
    double M2, M3, L1, L2, J1, J2;
    double Mq[HOL_BEAM_N][HOL_BEAM_N], Kq[HOL_BEAM_N][HOL_BEAM_N], c0[HOL_BEAM_N], c1[HOL_BEAM_N];
} HolSlider;

HolSlider hol_slider_data(double youngs_modulus);
HolProblem hol_slider_problem(const HolSlider *d); // d must outlive it
double hol_slider_frequency(const HolSlider *d);   // [rad/s]
double hol_slider_energy(const HolProblem *p, const double *q, const double *v);

void hol_paper_002_slider(HolPaper *p); // paper002_slider.c

#endif
