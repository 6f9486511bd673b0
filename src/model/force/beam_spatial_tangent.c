// SPDX-License-Identifier: Apache-2.0
// Derivatives of the spatial beam element (notation of beam_spatial.c). With P = [-Ti(-d), Ti(d)],
// its translational columns times A_A^T, A_B^T, so that d' = P v:
//   dF/de = H = J^T Sg + (0; -f (s_m~ Z - z~ Sg_m)) + diag(0, 2a_y, 2a_z, 0, 0, 0) s_1
//   Sg = S (J - [0, A]),  A = f (-X^T Cm s_m~ + (0; z~)),  Z = Cm (X Sg - [0, s_m~])
//   d(Ti(d)^T F)/dd = Ja = [0, Q(n); Q(n), Q(m) + Q2(n)],   d(Ti(d) x)/dd = [Q^(x_w), Q^(x_v) + Q2(x_w); 0, Q^(x_w)]
//   Q(x) = x~/2 - k [(phi x x)~ + phi~ x~] + 2k' (phi x (phi x x)) phi^T,  Q^ with -x~/2
//   Q2(n) = -k [rho~ n~ + (rho x n)~] + 2k' [b phi^T + c rho^T - (phi.rho)((phi x n)~ + phi~ n~)]
//           + 4k'' (phi.rho) c phi^T,  c = phi x (phi x n),  b = rho x (phi x n) + phi x (rho x n)
//   -df/dq = P^T (H/L) P + [A_A 1 A_B 1] [Ja(-d); Ja(d)] P,
//            (A force, A phi) += A_A a_n(-d)~,  (B force, B phi) -= A_B a_n(d)~
//   damping, T = (time/L) S0:  -df/dv = P^T T P,  -df/dq: the same terms with F_d = T d', and P^T T R,
//   R = (E(d, V_B) + E(-d, V_A)) P + [om_A: -Ti(-d)_v (A_A^T v_A)~, om_B: Ti(d)_v (A_B^T v_B)~]
#include "model/force/beam_spatial.h"

#include <string.h>

static void beam_tangent_add(Mat3 *to, double s, Mat3 x) {
    for (int i = 0; i < 9; i++)
        to->m[i] += s * x.m[i];
}

static void beam_tangent_outer(Mat3 *to, double s, Vec3 a, Vec3 b) {
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            to->m[3 * i + j] += s * x[i] * y[j];
}

static void beam_tangent_put(HolMatrix6 M, int row, int column, Mat3 x) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[row + i][column + j] = x.m[3 * i + j];
}

// Q with half = 1/2, Q^ with -1/2
static Mat3 beam_tangent_Q(const HolScrew *d, Vec3 phi, Vec3 x, double half) {
    Mat3 Q = {{0}};
    const Vec3 c = v3_cross(phi, x);
    beam_tangent_add(&Q, half, m3_skew(x));
    beam_tangent_add(&Q, -d->k[0], m3_skew(c));
    beam_tangent_add(&Q, -d->k[0], m3_mul(m3_skew(phi), m3_skew(x)));
    beam_tangent_outer(&Q, 2 * d->k[1], v3_cross(phi, c), phi);
    return Q;
}

static Mat3 beam_tangent_Q2(const HolScrew *d, Vec3 phi, Vec3 rho, Vec3 n) {
    Mat3 Q = {{0}};
    const Vec3 c1 = v3_cross(phi, n), c = v3_cross(phi, c1), rn = v3_cross(rho, n),
               b = v3_add(v3_cross(rho, c1), v3_cross(phi, rn));
    const double s = v3_dot(phi, rho);
    beam_tangent_add(&Q, -d->k[0], m3_mul(m3_skew(rho), m3_skew(n)));
    beam_tangent_add(&Q, -d->k[0], m3_skew(rn));
    beam_tangent_outer(&Q, 2 * d->k[1], b, phi);
    beam_tangent_outer(&Q, 2 * d->k[1], c, rho);
    beam_tangent_add(&Q, -2 * d->k[1] * s, m3_skew(c1));
    beam_tangent_add(&Q, -2 * d->k[1] * s, m3_mul(m3_skew(phi), m3_skew(n)));
    beam_tangent_outer(&Q, 4 * d->k[2] * s, c, phi);
    return Q;
}

// d(Ti(sign d)^T F)/d(sign d)
static void beam_tangent_Ja(const HolScrew *d, double sign, const double F[6], HolMatrix6 J) {
    const Vec3 phi = v3_scale(d->phi, sign), rho = v3_scale(d->rho, sign), n = v3_load(F),
               m = v3_load(F + 3);
    const Mat3 Qn = beam_tangent_Q(d, phi, n, 0.5);
    Mat3 turn = beam_tangent_Q(d, phi, m, 0.5);
    beam_tangent_add(&turn, 1, beam_tangent_Q2(d, phi, rho, n));
    beam_tangent_put(J, 0, 0, (Mat3){{0}});
    beam_tangent_put(J, 0, 3, Qn);
    beam_tangent_put(J, 3, 0, Qn);
    beam_tangent_put(J, 3, 3, turn);
}

// E(sign d, V)
static void beam_tangent_E(const HolScrew *d, double sign, const Vec3 V[2], HolMatrix6 E) {
    const Vec3 phi = v3_scale(d->phi, sign), rho = v3_scale(d->rho, sign);
    const Mat3 Qw = beam_tangent_Q(d, phi, V[1], -0.5);
    Mat3 mixed = beam_tangent_Q(d, phi, V[0], -0.5);
    beam_tangent_add(&mixed, 1, beam_tangent_Q2(d, phi, rho, V[1]));
    beam_tangent_put(E, 0, 0, Qw);
    beam_tangent_put(E, 0, 3, mixed);
    beam_tangent_put(E, 3, 0, (Mat3){{0}});
    beam_tangent_put(E, 3, 3, Qw);
}

// H, the second derivative of W times L
static void beam_tangent_H(const HolBeam3 *e, const HolBeamLaw *w, HolMatrix6 H) {
    const double f = e->L * e->L / 12;
    double Cm[3][3], A[6][3], Sg[6][6], Z[3][6], CmS[3][3];
    const Mat3 sm = m3_skew(v3_load(w->s + 3)), zs = m3_skew(v3_load(w->z));
    const double slope[6] = {0, 2 * e->axial[0] * w->e[1], 2 * e->axial[1] * w->e[2], 0, 0, 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Cm[i][j] = e->C[6 * (3 + i) + 3 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CmS[i][j] = Cm[i][0] * sm.m[j] + Cm[i][1] * sm.m[3 + j] + Cm[i][2] * sm.m[6 + j];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++)
            A[i][j] = f * ((i >= 3 ? zs.m[3 * (i - 3) + j] : 0) - w->X[0][i] * CmS[0][j] -
                           w->X[1][i] * CmS[1][j] - w->X[2][i] * CmS[2][j]);
    for (int c = 0; c < 6; c++) {
        double x[6] = {0};
        x[c] = 1;
        x[0] += slope[c];
        for (int i = 0; i < 6 && c >= 3; i++)
            x[i] -= A[i][c - 3];
        hol_beam3_solve(w, x);
        for (int i = 0; i < 6; i++)
            Sg[i][c] = x[i];
    }
    for (int c = 0; c < 6; c++) {
        double y[3];
        for (int i = 0; i < 3; i++) {
            y[i] = c >= 3 ? -sm.m[3 * i + c - 3] : 0;
            for (int k = 0; k < 6; k++)
                y[i] += w->X[i][k] * Sg[k][c];
        }
        for (int i = 0; i < 3; i++)
            Z[i][c] = Cm[i][0] * y[0] + Cm[i][1] * y[1] + Cm[i][2] * y[2];
    }
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < 6; c++) {
            double h = Sg[i][c] + slope[i] * Sg[0][c];
            for (int k = 0; k < 3 && i >= 3; k++)
                h += f * (zs.m[3 * (i - 3) + k] * Sg[3 + k][c] - sm.m[3 * (i - 3) + k] * Z[k][c]);
            H[i][c] = h;
        }
    H[1][1] += 2 * e->axial[0] * w->s[0];
    H[2][2] += 2 * e->axial[1] * w->s[0];
}

typedef struct Ends {
    Mat3 A[2];       // rotations
    HolMatrix6 T[2]; // Ti(-d), Ti(d)
    double P[6][12];
} Ends;

static void beam_tangent_ends(const HolScrew *d, const HolFrame *a, const HolFrame *b, Ends *out) {
    for (int side = 0; side < 2; side++) {
        const double sign = side ? 1 : -1;
        Mat3 U, W;
        memcpy(out->A[side].m, side ? b->A : a->A, sizeof out->A[side].m);
        hol_screw_matrices(d, sign, &U, &W);
        beam_tangent_put(out->T[side], 0, 0, U);
        beam_tangent_put(out->T[side], 0, 3, W);
        beam_tangent_put(out->T[side], 3, 0, (Mat3){{0}});
        beam_tangent_put(out->T[side], 3, 3, U);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                double s = out->T[side][i][j];
                if (j < 3) { // times A^T
                    s = 0;
                    for (int k = 0; k < 3; k++)
                        s += out->T[side][i][k] * out->A[side].m[3 * j + k];
                }
                out->P[i][6 * side + j] = sign * s;
            }
    }
}

// K += P^T T Q (by columns)
static void beam_tangent_product(double P[6][12], HolMatrix6 T, double Q[6][12], double *K) {
    double TQ[6][12];
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < 12; c++) {
            double s = 0;
            for (int k = 0; k < 6; k++)
                s += T[i][k] * Q[k][c];
            TQ[i][c] = s;
        }
    for (int c = 0; c < 12; c++)
        for (int r = 0; r < 12; r++) {
            double s = 0;
            for (int k = 0; k < 6; k++)
                s += P[k][r] * TQ[k][c];
            K[12 * c + r] += s;
        }
}

// what F does where P moves
static void beam_tangent_geometric(const HolScrew *d, const Ends *ends, const double F[6],
                                   double *K) {
    for (int side = 0; side < 2; side++) {
        HolMatrix6 J;
        double JP[6][12];
        beam_tangent_Ja(d, side ? 1 : -1, F, J);
        for (int i = 0; i < 6; i++)
            for (int c = 0; c < 12; c++) {
                double s = 0;
                for (int k = 0; k < 6; k++)
                    s += J[i][k] * ends->P[k][c];
                JP[i][c] = s;
            }
        Vec3 a = v3(0, 0, 0);
        for (int k = 0; k < 3; k++)
            a = v3_add(a, v3_scale(v3_load(ends->T[side][k]), F[k])); // U^T n
        const Mat3 turn = m3_mul(ends->A[side], m3_skew(a));
        for (int c = 0; c < 12; c++)
            for (int i = 0; i < 3; i++) {
                double s = 0;
                for (int k = 0; k < 3; k++)
                    s += ends->A[side].m[3 * i + k] * JP[k][c];
                K[12 * c + 6 * side + i] += s;
                K[12 * c + 6 * side + 3 + i] += JP[3 + i][c];
            }
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++)
                K[12 * (6 * side + 3 + c) + 6 * side + i] += (side ? -1 : 1) * turn.m[3 * i + c];
    }
}

// R: what d' does with q
static void beam_tangent_R(const HolScrew *d, const Ends *ends, const HolFrame *a,
                           const HolFrame *b, const double *va, const double *vb, double R[6][12]) {
    HolMatrix6 E[2];
    Vec3 V[2][2];
    hol_beam3_twist(a, va, V[0]);
    hol_beam3_twist(b, vb, V[1]);
    beam_tangent_E(d, -1, V[0], E[0]);
    beam_tangent_E(d, 1, V[1], E[1]);
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < 12; c++) {
            double s = 0;
            for (int k = 0; k < 6; k++)
                s += (E[0][i][k] + E[1][i][k]) * ends->P[k][c];
            R[i][c] = s;
        }
    for (int side = 0; side < 2; side++) {
        const Mat3 v = m3_skew(V[side][0]);
        for (int i = 0; i < 6; i++)
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 3; k++)
                    R[i][6 * side + 3 + c] +=
                        (side ? 1 : -1) * ends->T[side][i][k] * v.m[3 * k + c];
    }
}

void hol_beam3_tangent(const HolBeam3 *e, const HolFrame *a, const HolFrame *b, const double *va,
                       const double *vb, double K[144], double C[144]) {
    HolScrew d;
    HolBeamLaw law;
    HolMatrix6 H;
    Ends ends;
    memset(K, 0, sizeof(double) * 144);
    hol_screw_between(a, b, &d);
    if (!hol_beam3_law(e, &d, &law)) {
        memset(K, 0xff, sizeof(double) * 144);
        return;
    }
    beam_tangent_ends(&d, a, b, &ends);
    beam_tangent_H(e, &law, H);
    for (int i = 0; i < 36; i++)
        H[i / 6][i % 6] /= e->L;
    beam_tangent_product(ends.P, H, ends.P, K);
    if (e->time > 0) {
        double rate[6], R[6][12];
        HolMatrix6 T;
        memset(C, 0, sizeof(double) * 144);
        hol_beam3_rate(&d, a, b, va, vb, rate);
        hol_beam3_damp(e, rate, law.F);
        for (int i = 0; i < 36; i++)
            T[i / 6][i % 6] = e->time / e->L * e->S0[i];
        beam_tangent_R(&d, &ends, a, b, va, vb, R);
        beam_tangent_product(ends.P, T, R, K);
        beam_tangent_product(ends.P, T, ends.P, C);
    }
    beam_tangent_geometric(&d, &ends, law.F, K);
}
