// SPDX-License-Identifier: Apache-2.0
// The planar beam element (docs/theory/beams.md). Frames (r, theta) of the nodes A, B;
//   D = r_B - r_A,  u = A_A^T D,  phi = theta_B - theta_A,  z = phi/2,  y = phi^2
//   g = z cot z = 1 - y k(y),   q = (1 - g)/phi = k phi
//   rho = h R(theta_m)^T D = g u - z J u,   h = z/sin z,  theta_m = (theta_A + theta_B)/2
//   d = (rho, phi)
// since h (cos z, sin z) = (g, z): no sine but those of the frames is needed. With H = h R(theta_m)
// = A_A [g, -z; z, g],  dH/dphi = q H,  d2H/dphi2 = (q^2 + q') H,  q' = k + 2 y k'.
//   law    e = (d - d0)/L,  ec = (e1 + c e2^2, e2, e3),  W = L/2 (EA ec1^2 + GS e2^2 + EI e3^2)
//          1/GS = 1/GA + L^2/(12 EI),  c = 3/5 (GS L^2/(12 EI))^2
//          F = dW/dd = (N, GS e2 + 2 c e2 N, EI e3),  N = EA ec1,   F_d = (time/L) (EA, GS, EI) d'
//   force  G = H (F1, F2) on A, -G on B;  on theta_m: (J G).D = F1 rho_y - F2 rho_x;
//          on phi: F3 + q (F1 rho_x + F2 rho_y)
#include "model/force/beam_element.h"

#include <math.h>
#include <string.h>

// |B_2n|/(2n)!
const double hol_beam_terms[HOL_BEAM_TERMS] = {
    0.083333333333333333333,   0.0013888888888888888889,  0.000033068783068783068783,
    8.2671957671957671958e-7,  2.0876756987868098979e-8,  5.2841901386874931848e-10,
    1.3382536530684678833e-11, 3.3896802963225828668e-13, 8.5860620562778445641e-15,
    2.174868698558061873e-16,  5.5090028283602295152e-18, 1.3954464685812523341e-19,
    3.5347070396294674717e-21, 8.9535174270375468504e-23, 2.2679524523376830603e-24,
    5.7447906688722024453e-26, 1.4551724756148649019e-27, 3.6859949406653101782e-29,
    9.336734257095044672e-31,  2.3650224157006299346e-32};

void hol_beam_k(double y, double out[3]) {
    const double *c = hol_beam_terms;
    if (y >= 4) {
        const double half = 0.5 * sqrt(y), k = (1 - half / tan(half)) / y;
        out[0] = k;
        out[1] = (0.25 - 3 * k + y * k * k) / (2 * y);
        out[2] = (k * k - 5 * out[1] + 2 * y * k * out[1]) / (2 * y);
        return;
    }
    if (fabs(y) < 1e-3) { // (of fine meshes) what is left out: less than 1e-17 of each
        out[0] = (((c[4] * y + c[3]) * y + c[2]) * y + c[1]) * y + c[0];
        out[1] = ((4 * c[4] * y + 3 * c[3]) * y + 2 * c[2]) * y + c[1];
        out[2] = ((20 * c[5] * y + 12 * c[4]) * y + 6 * c[3]) * y + 2 * c[2];
        return;
    }
    // the ratio of two terms is y/40
    const int n = y < 0.25 ? 9 : HOL_BEAM_TERMS;
    double k = c[n - 1], k1 = (n - 1) * c[n - 1], k2 = (n - 1) * (n - 2) * c[n - 1];
    for (int i = n - 2; i >= 2; i--) {
        k = k * y + c[i];
        k1 = k1 * y + i * c[i];
        k2 = k2 * y + i * (i - 1) * c[i];
    }
    out[0] = (k * y + c[1]) * y + c[0];
    out[1] = k1 * y + c[1];
    out[2] = k2;
}

void hol_beam2_make(HolBeam2 *e, double L, double EA, double shear_compliance, double EI,
                    const double d0[3], double time) {
    const double bending = L * L / (12 * EI);
    e->L = L;
    e->EA = EA;
    e->EI = EI;
    e->GS = 1 / (shear_compliance + bending);
    e->axial = 0.6 * (e->GS * bending) * (e->GS * bending);
    memcpy(e->d0, d0, sizeof e->d0);
    e->time = time;
}

typedef struct Screw {
    double d[3];  // rho, phi
    double H[4];  // by rows
    double q, dq; // dq: q^2 + q'
} Screw;

static void beam_planar_screw(const HolFrame *a, const HolFrame *b, Screw *s) {
    const double dx = b->r[0] - a->r[0], dy = b->r[1] - a->r[1], phi = b->angle - a->angle;
    const double y = phi * phi, z = 0.5 * phi;
    double k[3];
    hol_beam_k(y, k);
    const double g = 1 - y * k[0];
    s->H[0] = a->c * g - a->s * z;
    s->H[1] = -a->c * z - a->s * g;
    s->H[2] = a->s * g + a->c * z;
    s->H[3] = -a->s * z + a->c * g;
    s->d[0] = s->H[0] * dx + s->H[2] * dy;
    s->d[1] = s->H[1] * dx + s->H[3] * dy;
    s->d[2] = phi;
    s->q = k[0] * phi;
    s->dq = s->q * s->q + k[0] + 2 * y * k[1];
}

void hol_beam2_coordinates(const HolFrame *a, const HolFrame *b, double d[3]) {
    Screw s;
    beam_planar_screw(a, b, &s);
    memcpy(d, s.d, sizeof s.d);
}

// F of the law; shear strain and normal force
static void beam_planar_law(const HolBeam2 *e, const double d[3], double F[3], double *shear,
                            double *normal) {
    const double e1 = (d[0] - e->d0[0]) / e->L, e2 = (d[1] - e->d0[1]) / e->L,
                 e3 = (d[2] - e->d0[2]) / e->L;
    const double N = e->EA * (e1 + e->axial * e2 * e2);
    F[0] = N;
    F[1] = (e->GS + 2 * e->axial * N) * e2;
    F[2] = e->EI * e3;
    *shear = e2;
    *normal = N;
}

// d' = P v
static void beam_planar_rate(const Screw *s, const double *va, const double *vb, double out[3]) {
    const double dx = vb[0] - va[0], dy = vb[1] - va[1], mean = 0.5 * (va[2] + vb[2]),
                 turn = vb[2] - va[2];
    out[0] = s->H[0] * dx + s->H[2] * dy + s->d[1] * mean + s->q * s->d[0] * turn;
    out[1] = s->H[1] * dx + s->H[3] * dy - s->d[0] * mean + s->q * s->d[1] * turn;
    out[2] = turn;
}

static void beam_planar_damping(const HolBeam2 *e, const double rate[3], double F[3]) {
    const double c = e->time / e->L;
    F[0] += c * e->EA * rate[0];
    F[1] += c * e->GS * rate[1];
    F[2] += c * e->EI * rate[2];
}

void hol_beam2_force(const HolBeam2 *e, const HolFrame *a, const HolFrame *b, const double *va,
                     const double *vb, double out[6]) {
    Screw s;
    double F[3], rate[3], shear, N;
    beam_planar_screw(a, b, &s);
    beam_planar_law(e, s.d, F, &shear, &N);
    if (va && e->time > 0) {
        beam_planar_rate(&s, va, vb, rate);
        beam_planar_damping(e, rate, F);
    }
    const double mean = 0.5 * (F[0] * s.d[1] - F[1] * s.d[0]),
                 turn = F[2] + s.q * (F[0] * s.d[0] + F[1] * s.d[1]);
    out[0] = s.H[0] * F[0] + s.H[1] * F[1];
    out[1] = s.H[2] * F[0] + s.H[3] * F[1];
    out[2] = turn - mean;
    out[3] = -out[0];
    out[4] = -out[1];
    out[5] = -turn - mean;
}

double hol_beam2_energy(const HolBeam2 *e, const HolFrame *a, const HolFrame *b) {
    double F[3], d[3], shear, N;
    hol_beam2_coordinates(a, b, d);
    beam_planar_law(e, d, F, &shear, &N);
    return 0.5 * e->L * (N * N / e->EA + e->GS * shear * shear + F[2] * F[2] / e->EI);
}

double hol_beam2_power(const HolBeam2 *e, const HolFrame *a, const HolFrame *b, const double *va,
                       const double *vb) {
    Screw s;
    double rate[3], F[3] = {0};
    beam_planar_screw(a, b, &s);
    beam_planar_rate(&s, va, vb, rate);
    beam_planar_damping(e, rate, F);
    return -(F[0] * rate[0] + F[1] * rate[1] + F[2] * rate[2]);
}

// ---- derivatives ----

// second derivatives of F.d in w = (D, theta_m, phi), added to a symmetric 4 x 4
static void beam_planar_second(const Screw *s, const double F[2], double M[4][4]) {
    const double G0 = s->H[0] * F[0] + s->H[1] * F[1], G1 = s->H[2] * F[0] + s->H[3] * F[1];
    const double along = F[0] * s->d[0] + F[1] * s->d[1], across = F[0] * s->d[1] - F[1] * s->d[0];
    M[0][2] += -G1;
    M[1][2] += G0;
    M[0][3] += s->q * G0;
    M[1][3] += s->q * G1;
    M[2][2] += -along;
    M[2][3] += s->q * across;
    M[3][3] += s->dq * along;
    M[2][0] = M[0][2];
    M[2][1] = M[1][2];
    M[3][0] = M[0][3];
    M[3][1] = M[1][3];
    M[3][2] = M[2][3];
}

// P in w: rows of d
static void beam_planar_rows(const Screw *s, double P[3][4]) {
    const double rows[3][4] = {{s->H[0], s->H[2], s->d[1], s->q * s->d[0]},
                               {s->H[1], s->H[3], -s->d[0], s->q * s->d[1]},
                               {0, 0, 0, 1}};
    memcpy(P, rows, sizeof rows);
}

// out += P^T [T0, t, 0; t, T1, 0; 0, 0, T2] Q; the last row of P is that of phi alone
static void beam_planar_product(double P[3][4], const double T[3], double t, double Q[3][4],
                                double out[4][4]) {
    double TQ[2][4];
    for (int c = 0; c < 4; c++) {
        TQ[0][c] = T[0] * Q[0][c] + t * Q[1][c];
        TQ[1][c] = t * Q[0][c] + T[1] * Q[1][c];
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            out[r][c] += P[0][r] * TQ[0][c] + P[1][r] * TQ[1][c];
    for (int c = 0; c < 4; c++)
        out[3][c] += T[2] * Q[2][c];
}

// from w to the coordinates of both nodes, by columns
static void beam_planar_nodes(double M[4][4], double out[36]) {
    double half[4][6]; // M B
    for (int r = 0; r < 4; r++) {
        const double mean = 0.5 * M[r][2];
        half[r][0] = -M[r][0];
        half[r][1] = -M[r][1];
        half[r][2] = mean - M[r][3];
        half[r][3] = M[r][0];
        half[r][4] = M[r][1];
        half[r][5] = mean + M[r][3];
    }
    for (int c = 0; c < 6; c++) {
        const double mean = 0.5 * half[2][c];
        double *to = out + 6 * c;
        to[0] = -half[0][c];
        to[1] = -half[1][c];
        to[2] = mean - half[3][c];
        to[3] = half[0][c];
        to[4] = half[1][c];
        to[5] = mean + half[3][c];
    }
}

// damping: C = P^T T P, and into K what the rate does with q: F_d d'', P^T T d(P v)/dq
static void beam_planar_damped(const HolBeam2 *e, const Screw *s, const double *va,
                               const double *vb, double P[3][4], double F[3], double K[4][4],
                               double C[36]) {
    const double c = e->time / e->L;
    const double T[3] = {c * e->EA, c * e->GS, c * e->EI};
    double rate[3], of_rate[3][4] = {{0}}, Cw[4][4] = {{0}};
    const double w[4] = {vb[0] - va[0], vb[1] - va[1], 0.5 * (va[2] + vb[2]), vb[2] - va[2]};
    beam_planar_rate(s, va, vb, rate);
    beam_planar_damping(e, rate, F);
    for (int i = 0; i < 2; i++) {
        double M[4][4] = {{0}};
        const double one[2] = {i == 0, i == 1};
        beam_planar_second(s, one, M);
        for (int r = 0; r < 4; r++)
            of_rate[i][r] = M[r][0] * w[0] + M[r][1] * w[1] + M[r][2] * w[2] + M[r][3] * w[3];
    }
    beam_planar_product(P, T, 0, of_rate, K);
    beam_planar_product(P, T, 0, P, Cw);
    beam_planar_nodes(Cw, C);
}

void hol_beam2_tangent(const HolBeam2 *e, const HolFrame *a, const HolFrame *b, const double *va,
                       const double *vb, double K[36], double C[36]) {
    Screw s;
    double F[3], P[3][4], shear, N, M[4][4] = {{0}};
    beam_planar_screw(a, b, &s);
    beam_planar_law(e, s.d, F, &shear, &N);
    beam_planar_rows(&s, P);
    const double slope = 2 * e->axial * shear, one = 1 / e->L;
    const double H[3] = {one * e->EA, one * (e->GS + 2 * e->axial * N + e->EA * slope * slope),
                         one * e->EI};
    if (e->time > 0)
        beam_planar_damped(e, &s, va, vb, P, F, M, C);
    // (second derivatives symmetrize what they touch: into a matrix of their own)
    double second[4][4] = {{0}};
    beam_planar_second(&s, F, second);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            M[r][c] += second[r][c];
    beam_planar_product(P, H, one * e->EA * slope, P, M);
    beam_planar_nodes(M, K);
}
