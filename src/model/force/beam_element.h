// SPDX-License-Identifier: Apache-2.0
// Elements of beams: what two nodes (rigid bodies) do to each other. Screw coordinates d of the
// motion from the frame of the first node to that of the second, a law W(d), forces -P^T dW/dd.
// The law is the corrected one: with the residual flexibility of bending and the axial term, which
// make the element with two nodes of fourth order (docs/theory/beams.md).
//   plane  beam_planar.c   values, derivatives;  beam_planar_series.c  Taylor coefficients
//   space  beam_spatial.c  values;  beam_spatial_tangent.c, beam_spatial_series.c
//   all of a model: beam_elements.c
#ifndef HOL_MODEL_BEAM_ELEMENT_H
#define HOL_MODEL_BEAM_ELEMENT_H

#include "model/row/row.h"

enum { HOL_BEAM_TERMS = 20 };                       // of the series of k
extern const double hol_beam_terms[HOL_BEAM_TERMS]; // c_1, c_2, ..

// k(y) = (1 - (p/2) cot(p/2))/y with y = p^2, and its first two derivatives in y
void hol_beam_k(double y, double out[3]);
// order n >= 1 of k(y) (derivative 0) or k'(y) (1) of a series y, 0 <= y_0 < 4, whose orders are `stride` apart;
// orders are asked for one after another, the first of them is `from`. Own memory: doubles
size_t hol_beam_powers_size(int orders);
double hol_beam_powers(double *own, int orders, const double *y, int stride, int derivative,
                       int from, int n);

// ---- plane ----

typedef struct HolBeam2 {
    int body[2], v[2]; // nodes, and where their velocities begin
    double L;
    double EA, GS, EI; // GS: of shear and residual bending together
    double axial;      // c of e1 + c e2^2
    double d0[3];      // free screw coordinates
    double time;       // of damping, 0: none
} HolBeam2;

// section (1/GA may be 0), length, free coordinates
void hol_beam2_make(HolBeam2 *e, double L, double EA, double shear_compliance, double EI,
                    const double d0[3], double time);
// screw coordinates between two frames
void hol_beam2_coordinates(const HolFrame *a, const HolFrame *b, double d[3]);
// generalized forces (x, y, angle of the first, of the second node); v may be NULL: no damping
void hol_beam2_force(const HolBeam2 *e, const HolFrame *a, const HolFrame *b, const double *va,
                     const double *vb, double out[6]);
double hol_beam2_energy(const HolBeam2 *e, const HolFrame *a, const HolFrame *b);
double hol_beam2_power(const HolBeam2 *e, const HolFrame *a, const HolFrame *b, const double *va,
                       const double *vb);
// -df/dq, -df/dv by columns; C is not touched without damping
void hol_beam2_tangent(const HolBeam2 *e, const HolFrame *a, const HolFrame *b, const double *va,
                       const double *vb, double K[36], double C[36]);

// series: doubles an element, order k of the forces, work of the damping
size_t hol_beam2_series_size(int order);
void hol_beam2_series(const HolBeam2 *e, const HolJets *J, double *own, int k, double out[6]);
double hol_beam2_series_work(const HolBeam2 *e, const double *own, int k, double h);

// ---- space ----

typedef struct HolBeam3 {
    int body[2], v[2];
    double L;
    double C[36];    // compliance of the section: forces, moments
    double S0[36];   // stiffness at the free curvature
    double axial[2]; // of e2^2, e3^2
    double d0[6];
    double time;
} HolBeam3;

// C: symmetric positive, forces of shear may have no compliance; 0: it is not
int hol_beam3_make(HolBeam3 *e, double L, const double C[36], const double d0[6], double time);
void hol_beam3_coordinates(const HolFrame *a, const HolFrame *b, double d[6]);
void hol_beam3_force(const HolBeam3 *e, const HolFrame *a, const HolFrame *b, const double *va,
                     const double *vb, double out[12]);
double hol_beam3_energy(const HolBeam3 *e, const HolFrame *a, const HolFrame *b);
double hol_beam3_power(const HolBeam3 *e, const HolFrame *a, const HolFrame *b, const double *va,
                       const double *vb);
void hol_beam3_tangent(const HolBeam3 *e, const HolFrame *a, const HolFrame *b, const double *va,
                       const double *vb, double K[144], double C[144]);
size_t hol_beam3_series_size(int order);
void hol_beam3_series(const HolBeam3 *e, const HolJets *J, double *own, int k, double out[12]);
double hol_beam3_series_work(const HolBeam3 *e, const double *own, int k, double h);

#endif
