// SPDX-License-Identifier: Apache-2.0
// The flexible slider-crank of the alpha-method paper (slider_crank.c).
#ifndef HOL_PAPERS_PAPER002_H
#define HOL_PAPERS_PAPER002_H

#include "tools/papers/papers.h"

// coordinates of the rod and of all for the most elements
enum { HOL_BEAM_MOST = 8, HOL_BEAM_N = 2 * HOL_BEAM_MOST, HOL_SLIDER_N = 3 + HOL_BEAM_N };

typedef struct HolSlider {
    int elements, n; // n = 3 + 2 elements
    double M2, M3, L1, L2, J1, J2;
    double Mq[HOL_BEAM_N][HOL_BEAM_N], Kq[HOL_BEAM_N][HOL_BEAM_N], c0[HOL_BEAM_N], c1[HOL_BEAM_N];
} HolSlider;

HolSlider hol_slider_data(double youngs_modulus, int elements);
HolProblem hol_slider_problem(const HolSlider *d); // d must outlive it
double hol_slider_frequency(const HolSlider *d);   // [rad/s]
double hol_slider_energy(const HolProblem *p, const double *q, const double *v);
// Energy of the modes of the mechanism held where it stands, omega ascending [rad/s]; the first is
// the motion of the rigid mechanism. So many, 0 on failure.
int hol_slider_modes(const HolProblem *p, const double *q, const double *v,
                     double omega[HOL_SLIDER_N], double energy[HOL_SLIDER_N]);

void hol_paper_002_slider(HolPaper *p); // paper002_slider.c

#endif
