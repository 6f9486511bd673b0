// SPDX-License-Identifier: Apache-2.0
// What the files of the spatial beam element share.
#ifndef HOL_MODEL_BEAM_SPATIAL_H
#define HOL_MODEL_BEAM_SPATIAL_H

#include "math/vec.h"
#include "model/force/beam_element.h"

typedef double HolMatrix6[6][6];

// d = (rho, phi) with k(|phi|^2), k', k'', and the matrices of Ti(d) = [U W; 0 U]
typedef struct HolScrew {
    Vec3 rho, phi;
    double k[3];
} HolScrew;

// the state of the law at d
typedef struct HolBeamLaw {
    double e[6];  // (d - d0)/L
    double s[6];  // forces and moments of the section
    double z[3];  // Cm X s
    double F[6];  // dW/dd
    double L[21]; // Cholesky factor of C + f X^T Cm X, by rows
    double X[3][6];
} HolBeamLaw;

void hol_screw_between(const HolFrame *a, const HolFrame *b, HolScrew *out);
// U and W of Ti(sign d)
void hol_screw_matrices(const HolScrew *d, double sign, Mat3 *U, Mat3 *W);
int hol_beam3_law(const HolBeam3 *e, const HolScrew *d, HolBeamLaw *out); // 0: not positive
// x := (C + f X^T Cm X)^-1 x
void hol_beam3_solve(const HolBeamLaw *law, double x[6]);
// body-axis twist (A^T v, omega)
static inline void hol_beam3_twist(const HolFrame *f, const double *v, Vec3 out[2]) {
    Mat3 A;
    for (int i = 0; i < 9; i++)
        A.m[i] = f->A[i];
    out[0] = m3_tmulv(A, v3_load(v));
    out[1] = v3_load(v + 3);
}
// d' = Ti(d) V_B - Ti(-d) V_A
void hol_beam3_rate(const HolScrew *d, const HolFrame *a, const HolFrame *b, const double *va,
                    const double *vb, double out[6]);
// F += (time/L) S0 d'
void hol_beam3_damp(const HolBeam3 *e, const double rate[6], double F[6]);

#endif
