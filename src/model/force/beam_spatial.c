// SPDX-License-Identifier: Apache-2.0
// The spatial beam element (docs/theory/beams.md). Frames (r, A) of the nodes; V = (A^T v, omega).
//   p = conj(p_A) p_B = (w, s), w >= 0:  phi = 2 atan2(|s|, w)/|s| s,  u = A_A^T (r_B - r_A)
//   rho = u - phi x u/2 + k phi x (phi x u),   d = (rho, phi)
//   d' = Ti(d) V_B - Ti(-d) V_A,  Ti = [U W; 0 U],  U = 1 + phi~/2 + k phi~^2,
//   W = rho~/2 + k (phi~ rho~ + rho~ phi~) + 2 k' (phi.rho) phi~^2
//   law    e = (d - d0)/L,  ec = e + e_1 (a_y e_2^2 + a_z e_3^2),  kappa = phi/L,
//          (C + f X^T Cm X) s = ec,  X = [e1~, kappa~],  f = L^2/12,  z = Cm X s
//          W = L/2 ec.s,   F = J^T s + (0; -f s_m x z),  J = d ec/d e
//   force  on A: A_A (U(-d)^T n), W(-d)^T n + U(-d)^T m;  on B the negative at d
#include "model/force/beam_spatial.h"

#include <math.h>
#include <string.h>

void hol_screw_between(const HolFrame *a, const HolFrame *b, HolScrew *out) {
    Quat p = q_mul(q_conj(q_load(a->p)), q_load(b->p));
    const double sign = p.w < 0 ? -1 : 1;
    const Vec3 s = v3(sign * p.x, sign * p.y, sign * p.z);
    const double z = v3_dot(s, s), norm = sqrt(z);
    const double factor = norm < 1e-3 ? 2 * (1 + z / 6 + 3 * z * z / 40 + 15 * z * z * z / 336)
                                      : 2 * atan2(norm, sign * p.w) / norm;
    Mat3 A;
    memcpy(A.m, a->A, sizeof A.m);
    const Vec3 u = m3_tmulv(A, v3_sub(v3_load(b->r), v3_load(a->r)));
    out->phi = v3_scale(s, factor);
    hol_beam_k(v3_dot(out->phi, out->phi), out->k);
    const Vec3 c = v3_cross(out->phi, u);
    out->rho = v3_add(v3_sub(u, v3_scale(c, 0.5)), v3_scale(v3_cross(out->phi, c), out->k[0]));
}

void hol_screw_matrices(const HolScrew *d, double sign, Mat3 *U, Mat3 *W) {
    const Vec3 phi = v3_scale(d->phi, sign), rho = v3_scale(d->rho, sign);
    const double y = v3_dot(phi, phi), pr = v3_dot(phi, rho), k = d->k[0], k1 = 2 * d->k[1] * pr;
    const double p[3] = {phi.x, phi.y, phi.z}, r[3] = {rho.x, rho.y, rho.z};
    const Mat3 P = m3_skew(phi), R = m3_skew(rho);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            // phi~^2 = phi phi^T - y, phi~ rho~ + rho~ phi~ = phi rho^T + rho phi^T - 2 phi.rho
            const double square = p[i] * p[j] - (i == j) * y,
                         mixed = p[i] * r[j] + r[i] * p[j] - 2 * (i == j) * pr;
            U->m[3 * i + j] = (i == j) + 0.5 * P.m[3 * i + j] + k * square;
            W->m[3 * i + j] = 0.5 * R.m[3 * i + j] + k * mixed + k1 * square;
        }
}

void hol_beam3_coordinates(const HolFrame *a, const HolFrame *b, double d[6]) {
    HolScrew s;
    HolFrame frame = *a; // (frames of beam_curve.c have no matrix)
    const Mat3 A = q_matrix(q_load(a->p));
    memcpy(frame.A, A.m, sizeof frame.A);
    hol_screw_between(&frame, b, &s);
    v3_store(d, s.rho);
    v3_store(d + 3, s.phi);
}

static inline double *beam_spatial_at(double *L, int i, int j) {
    return L + i * (i + 1) / 2 + j;
}

// Cholesky factor of C + f X^T Cm X
static int beam_spatial_factor(const HolBeam3 *e, double X[3][6], double *L) {
    const double f = e->L * e->L / 12;
    double CX[3][6];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            CX[i][j] = f * (e->C[6 * (3 + i) + 3] * X[0][j] + e->C[6 * (3 + i) + 4] * X[1][j] +
                            e->C[6 * (3 + i) + 5] * X[2][j]);
    for (int j = 0; j < 6; j++)
        for (int i = j; i < 6; i++) {
            double s =
                e->C[6 * i + j] + X[0][i] * CX[0][j] + X[1][i] * CX[1][j] + X[2][i] * CX[2][j];
            for (int k = 0; k < j; k++)
                s -= *beam_spatial_at(L, i, k) * *beam_spatial_at(L, j, k);
            if (i == j && !(s > 0))
                return 0;
            *beam_spatial_at(L, i, j) = i == j ? sqrt(s) : s / *beam_spatial_at(L, j, j);
        }
    return 1;
}

void hol_beam3_solve(const HolBeamLaw *law, double x[6]) {
    const double *L = law->L;
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= L[i * (i + 1) / 2 + k] * x[k];
        x[i] /= L[i * (i + 1) / 2 + i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++)
            x[i] -= L[k * (k + 1) / 2 + i] * x[k];
        x[i] /= L[i * (i + 1) / 2 + i];
    }
}

// X = [e1~, kappa~]
static void beam_spatial_X(const double kappa[3], double X[3][6]) {
    memset(X, 0, sizeof(double[3][6]));
    X[1][2] = -1;
    X[2][1] = 1;
    X[0][4] = -kappa[2];
    X[0][5] = kappa[1];
    X[1][3] = kappa[2];
    X[1][5] = -kappa[0];
    X[2][3] = -kappa[1];
    X[2][4] = kappa[0];
}

int hol_beam3_law(const HolBeam3 *e, const HolScrew *d, HolBeamLaw *out) {
    const double now[6] = {d->rho.x, d->rho.y, d->rho.z, d->phi.x, d->phi.y, d->phi.z};
    const double kappa[3] = {now[3] / e->L, now[4] / e->L, now[5] / e->L}, f = e->L * e->L / 12;
    double *s = out->s, Xs[3];
    beam_spatial_X(kappa, out->X);
    if (!beam_spatial_factor(e, out->X, out->L))
        return 0;
    for (int i = 0; i < 6; i++)
        s[i] = out->e[i] = (now[i] - e->d0[i]) / e->L;
    s[0] += e->axial[0] * out->e[1] * out->e[1] + e->axial[1] * out->e[2] * out->e[2];
    hol_beam3_solve(out, s);
    for (int i = 0; i < 3; i++) {
        Xs[i] = 0;
        for (int j = 0; j < 6; j++)
            Xs[i] += out->X[i][j] * s[j];
    }
    for (int i = 0; i < 3; i++)
        out->z[i] = e->C[6 * (3 + i) + 3] * Xs[0] + e->C[6 * (3 + i) + 4] * Xs[1] +
                    e->C[6 * (3 + i) + 5] * Xs[2];
    memcpy(out->F, s, sizeof out->F);
    out->F[1] += 2 * e->axial[0] * out->e[1] * s[0];
    out->F[2] += 2 * e->axial[1] * out->e[2] * s[0];
    v3_store(out->F + 3,
             v3_sub(v3_load(s + 3), v3_scale(v3_cross(v3_load(s + 3), v3_load(out->z)), f)));
    return 1;
}

int hol_beam3_make(HolBeam3 *e, double L, const double C[36], const double d0[6], double time) {
    HolBeamLaw law;
    const double f = L * L / 12, by = f * C[35], bz = f * C[28];
    e->L = L;
    e->time = time;
    memcpy(e->C, C, sizeof e->C);
    memcpy(e->d0, d0, sizeof e->d0);
    e->axial[0] = 0.6 * by / (by + C[7]) * by / (by + C[7]);
    e->axial[1] = 0.6 * bz / (bz + C[14]) * bz / (bz + C[14]);
    beam_spatial_X((double[3]){d0[3] / L, d0[4] / L, d0[5] / L}, law.X);
    if (!beam_spatial_factor(e, law.X, law.L))
        return 0;
    for (int c = 0; c < 6; c++) {
        double x[6] = {0};
        x[c] = 1;
        hol_beam3_solve(&law, x);
        for (int i = 0; i < 6; i++)
            e->S0[6 * i + c] = x[i];
    }
    return 1;
}

void hol_beam3_rate(const HolScrew *d, const HolFrame *a, const HolFrame *b, const double *va,
                    const double *vb, double out[6]) {
    Vec3 VA[2], VB[2];
    Mat3 U, W;
    hol_beam3_twist(a, va, VA);
    hol_beam3_twist(b, vb, VB);
    hol_screw_matrices(d, 1, &U, &W);
    Vec3 rho = v3_add(m3_mulv(U, VB[0]), m3_mulv(W, VB[1])), phi = m3_mulv(U, VB[1]);
    hol_screw_matrices(d, -1, &U, &W);
    v3_store(out, v3_sub(rho, v3_add(m3_mulv(U, VA[0]), m3_mulv(W, VA[1]))));
    v3_store(out + 3, v3_sub(phi, m3_mulv(U, VA[1])));
}

void hol_beam3_damp(const HolBeam3 *e, const double rate[6], double F[6]) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            F[i] += e->time / e->L * e->S0[6 * i + j] * rate[j];
}

// one end: +-(A a_n, a_m), a = Ti(sign d)^T F
static void beam_spatial_end(const HolScrew *d, double sign, const HolFrame *f, const double F[6],
                             double *out) {
    Mat3 U, W, A;
    const Vec3 n = v3_load(F), m = v3_load(F + 3);
    hol_screw_matrices(d, sign, &U, &W);
    memcpy(A.m, f->A, sizeof A.m);
    v3_store(out, v3_scale(m3_mulv(A, m3_tmulv(U, n)), -sign));
    v3_store(out + 3, v3_scale(v3_add(m3_tmulv(W, n), m3_tmulv(U, m)), -sign));
}

void hol_beam3_force(const HolBeam3 *e, const HolFrame *a, const HolFrame *b, const double *va,
                     const double *vb, double out[12]) {
    HolScrew d;
    HolBeamLaw law;
    double rate[6];
    hol_screw_between(a, b, &d);
    if (!hol_beam3_law(e, &d, &law)) // only values that are not finite
        memset(law.F, 0xff, sizeof law.F);
    if (va && e->time > 0) {
        hol_beam3_rate(&d, a, b, va, vb, rate);
        hol_beam3_damp(e, rate, law.F);
    }
    beam_spatial_end(&d, -1, a, law.F, out);
    beam_spatial_end(&d, 1, b, law.F, out + 6);
}

double hol_beam3_energy(const HolBeam3 *e, const HolFrame *a, const HolFrame *b) {
    HolScrew d;
    HolBeamLaw law;
    double W = 0;
    hol_screw_between(a, b, &d);
    if (!hol_beam3_law(e, &d, &law))
        return NAN;
    for (int i = 0; i < 6; i++)
        W += law.e[i] * law.s[i];
    W += (e->axial[0] * law.e[1] * law.e[1] + e->axial[1] * law.e[2] * law.e[2]) * law.s[0];
    return 0.5 * e->L * W;
}

double hol_beam3_power(const HolBeam3 *e, const HolFrame *a, const HolFrame *b, const double *va,
                       const double *vb) {
    HolScrew d;
    double rate[6], F[6] = {0}, power = 0;
    hol_screw_between(a, b, &d);
    hol_beam3_rate(&d, a, b, va, vb, rate);
    hol_beam3_damp(e, rate, F);
    for (int i = 0; i < 6; i++)
        power -= F[i] * rate[i];
    return power;
}
