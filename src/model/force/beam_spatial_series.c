// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of the forces of a spatial beam element (notation of beam_spatial.c). With
// the twists' difference D = V_B - V_A and sum S = V_B + V_A (parts v and w):
//   phi' = Dw + phi x Sw/2 + k c2,    c1 = phi x Dw,  c2 = phi x c1
//   rho' = Dv + (phi x Sv + rho x Sw)/2 + k (phi x (phi x Dv + rho x Dw) + rho x c1) + 2k'(phi.rho) c2
// s order by order from (C + f X^T Cm X) s = ec with the matrix of order 0; then
//   a(+-d) = (n + k cc -+ c/2;  m + k (phi x (rho x n) + rho x c + phi x (phi x m)) + 2k'(phi.rho) cc
//            -+ (rho x n + phi x m)/2),   c = phi x n,  cc = phi x c
// k' of y = phi.phi by powers of y - y_0 (|phi| < 2, beam_powers.c), beyond from
// 2 y k' = 1/4 - 3 k + y k^2; k from k' y'.
// Memory of an element: the factor of the law, the main series by orders, the powers.
#include "model/force/beam_spatial.h"

#include <math.h>
#include <string.h>

enum {
    S_PHI,
    S_RHO = S_PHI + 3,
    S_Y = S_RHO + 3,
    S_K,
    S_K1,
    S_KK,
    S_Q, // 2 k' (phi.rho)
    S_PR,
    S_DV,
    S_DW = S_DV + 3,
    S_SV = S_DW + 3,
    S_SW = S_SV + 3,
    S_C1 = S_SW + 3,
    S_C2 = S_C1 + 3,
    S_EB = S_C2 + 3, // phi x Dv + rho x Dw
    S_T = S_EB + 3,
    S_RATE = S_T + 3,
    S_E = S_RATE + 6, // shear strains
    S_S = S_E + 2,
    S_Z = S_S + 6,
    S_F = S_Z + 3,
    S_RN = S_F + 6, // rho x n
    S_C = S_RN + 3,
    S_CC = S_C + 3,
    S_M1 = S_CC + 3, // phi x m
    S_MIX = S_M1 + 3,
    S_PLUS = S_MIX + 3, // a_n(d), a_n(-d)
    S_MINUS = S_PLUS + 3,
    S_AA = S_MINUS + 3,
    S_AB = S_AA + 9,
    S_VA = S_AB + 9, // r' of both nodes
    S_VB = S_VA + 3,
    S_COUNT = S_VB + 3,
    S_HEAD = 24
};

size_t hol_beam3_series_size(int order) {
    return S_HEAD + (size_t)(order + 3) * S_COUNT + hol_beam_powers_size(order + 3);
}

// order k of a b
static inline double sconv(const double *own, int a, int b, int k) {
    double s = 0;
    for (int i = 0; i <= k; i++)
        s += own[i * S_COUNT + a] * own[(k - i) * S_COUNT + b];
    return s;
}

// order k of a x b, of s a, of a.b
static inline Vec3 vconv(const double *own, int a, int b, int k) {
    Vec3 s = v3(0, 0, 0);
    for (int i = 0; i <= k; i++)
        s = v3_add(s,
                   v3_cross(v3_load(own + i * S_COUNT + a), v3_load(own + (k - i) * S_COUNT + b)));
    return s;
}

static inline Vec3 sv(const double *own, int s, int a, int k) {
    Vec3 x = v3(0, 0, 0);
    for (int i = 0; i <= k; i++)
        x = v3_add(x, v3_scale(v3_load(own + (k - i) * S_COUNT + a), own[i * S_COUNT + s]));
    return x;
}

static inline double dconv(const double *own, int a, int b, int k) {
    return sconv(own, a, b, k) + sconv(own, a + 1, b + 1, k) + sconv(own, a + 2, b + 2, k);
}

// order k of A^T v, A v
static Vec3 mconv(const double *own, int A, int v, int k, int transposed) {
    Vec3 s = v3(0, 0, 0);
    for (int i = 0; i <= k; i++) {
        Mat3 M;
        const Vec3 x = v3_load(own + (k - i) * S_COUNT + v);
        memcpy(M.m, own + i * S_COUNT + A, sizeof M.m);
        s = v3_add(s, transposed ? m3_tmulv(M, x) : m3_mulv(M, x));
    }
    return s;
}

// frames and velocities of both nodes
static void beam_series_bodies(const HolBeam3 *e, const HolJets *J, double *own, int k) {
    double *at = own + k * S_COUNT;
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < 9; c++)
            at[(side ? S_AB : S_AA) + c] = *hol_jet(J, e->body[side], HOL_S_A + c, k);
        for (int c = 0; c < 3; c++)
            at[(side ? S_VB : S_VA) + c] = (k + 1) * *hol_jet(J, e->body[side], HOL_S_R + c, k + 1);
    }
    const Vec3 a = mconv(own, S_AA, S_VA, k, 1), b = mconv(own, S_AB, S_VB, k, 1);
    Vec3 wa, wb;
    double w[2][3];
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < 3; c++)
            w[side][c] = *hol_jet(J, e->body[side], HOL_S_OMEGA + c, k);
    wa = v3_load(w[0]);
    wb = v3_load(w[1]);
    v3_store(at + S_DV, v3_sub(b, a));
    v3_store(at + S_SV, v3_add(b, a));
    v3_store(at + S_DW, v3_sub(wb, wa));
    v3_store(at + S_SW, v3_add(wb, wa));
}

// order k of k and k'
static void beam_series_k(double *own, double *powers, int orders, int k) {
    double *at = own + k * S_COUNT, value[3], s = 0;
    at[S_Y] = dconv(own, S_PHI, S_PHI, k);
    if (k == 0) {
        hol_beam_k(at[S_Y], value);
        at[S_K] = value[0];
        at[S_K1] = value[1];
        at[S_KK] = at[S_K] * at[S_K];
        return;
    }
    for (int i = 1; i <= k; i++)
        s += i * own[i * S_COUNT + S_Y] * own[(k - i) * S_COUNT + S_K1];
    at[S_K] = s / k;
    if (own[S_Y] >= 4) {
        at[S_KK] = sconv(own, S_K, S_K, k);
        s = -3 * at[S_K] + sconv(own, S_Y, S_KK, k);
        for (int i = 1; i <= k; i++)
            s -= 2 * own[i * S_COUNT + S_Y] * own[(k - i) * S_COUNT + S_K1];
        at[S_K1] = s / (2 * own[S_Y]);
    } else
        at[S_K1] = hol_beam_powers(powers, orders, own + S_Y, S_COUNT, 1, 1, k);
}

// order k of k(y), k'(y), once d is known to that order
static void beam_series_screw(const HolJets *J, double *own, int k) {
    double *at = own + k * S_COUNT, *powers = own + (J->order + 3) * S_COUNT;
    beam_series_k(own, powers, J->order + 3, k);
    at[S_PR] = dconv(own, S_PHI, S_RHO, k);
    at[S_Q] = 2 * sconv(own, S_K1, S_PR, k);
}

// order k of d' from orders up to k; then d_{k+1}
static void beam_series_rate(const HolBeam3 *e, const HolJets *J, double *own, int k) {
    double *at = own + k * S_COUNT, *next = at + S_COUNT;
    beam_series_bodies(e, J, own, k);
    v3_store(at + S_C1, vconv(own, S_PHI, S_DW, k));
    v3_store(at + S_C2, vconv(own, S_PHI, S_C1, k));
    v3_store(at + S_EB, v3_add(vconv(own, S_PHI, S_DV, k), vconv(own, S_RHO, S_DW, k)));
    v3_store(at + S_T, v3_add(vconv(own, S_PHI, S_EB, k), vconv(own, S_RHO, S_C1, k)));
    const Vec3 phi = v3_add(v3_add(v3_load(at + S_DW), v3_scale(vconv(own, S_PHI, S_SW, k), 0.5)),
                            sv(own, S_K, S_C2, k));
    const Vec3 half = v3_add(vconv(own, S_PHI, S_SV, k), vconv(own, S_RHO, S_SW, k));
    const Vec3 rho = v3_add(v3_add(v3_load(at + S_DV), v3_scale(half, 0.5)),
                            v3_add(sv(own, S_K, S_T, k), sv(own, S_Q, S_C2, k)));
    v3_store(at + S_RATE, rho);
    v3_store(at + S_RATE + 3, phi);
    v3_store(next + S_RHO, v3_scale(rho, 1.0 / (k + 1)));
    v3_store(next + S_PHI, v3_scale(phi, 1.0 / (k + 1)));
}

static void beam_series_start(const HolBeam3 *e, const HolJets *J, double *own) {
    HolFrame f[2];
    HolScrew d;
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < 3; c++)
            f[side].r[c] = *hol_jet(J, e->body[side], HOL_S_R + c, 0);
        for (int c = 0; c < 4; c++)
            f[side].p[c] = *hol_jet(J, e->body[side], HOL_S_P + c, 0);
        for (int c = 0; c < 9; c++)
            f[side].A[c] = *hol_jet(J, e->body[side], HOL_S_A + c, 0);
    }
    hol_screw_between(&f[0], &f[1], &d);
    v3_store(own + S_RHO, d.rho);
    v3_store(own + S_PHI, d.phi);
}

static Vec3 beam_series_compliance(const HolBeam3 *e, Vec3 x) {
    const double *C = e->C + 6 * 3 + 3;
    return v3(C[0] * x.x + C[1] * x.y + C[2] * x.z, C[6] * x.x + C[7] * x.y + C[8] * x.z,
              C[12] * x.x + C[13] * x.y + C[14] * x.z);
}

// order k of s and z; head: factor of the law
static void beam_series_law(const HolBeam3 *e, const double *head, double *own, int k) {
    double *at = own + k * S_COUNT, s[6];
    const double one = k == 0, f = e->L * e->L / 12, L = e->L;
    HolBeamLaw law;
    memcpy(law.L, head, sizeof law.L);
    at[S_E] = (at[S_RHO + 1] - one * e->d0[1]) / L;
    at[S_E + 1] = (at[S_RHO + 2] - one * e->d0[2]) / L;
    s[0] = (at[S_RHO] - one * e->d0[0]) / L + e->axial[0] * sconv(own, S_E, S_E, k) +
           e->axial[1] * sconv(own, S_E + 1, S_E + 1, k);
    s[1] = at[S_E];
    s[2] = at[S_E + 1];
    for (int i = 0; i < 3; i++)
        s[3 + i] = (at[S_PHI + i] - one * e->d0[3 + i]) / L;
    // what lower orders do: X s and X^T z with s_k = 0
    memset(at + S_S, 0, sizeof(double) * 6);
    const Vec3 lower = v3_scale(vconv(own, S_PHI, S_S + 3, k), 1 / L);
    v3_store(at + S_Z, beam_series_compliance(e, lower));
    const Vec3 z = v3_load(at + S_Z), back = v3_scale(vconv(own, S_PHI, S_Z, k), 1 / L);
    // r = f (-e1 x z, -kappa x z)
    s[1] -= f * z.z;
    s[2] += f * z.y;
    s[3] += f * back.x;
    s[4] += f * back.y;
    s[5] += f * back.z;
    hol_beam3_solve(&law, s);
    memcpy(at + S_S, s, sizeof s);
    const Vec3 Xs = v3_add(v3(0, -s[2], s[1]), v3_scale(vconv(own, S_PHI, S_S + 3, k), 1 / L));
    v3_store(at + S_Z, beam_series_compliance(e, Xs));
    memcpy(at + S_F, s, sizeof s);
    at[S_F + 1] += 2 * e->axial[0] * sconv(own, S_E, S_S, k);
    at[S_F + 2] += 2 * e->axial[1] * sconv(own, S_E + 1, S_S, k);
    v3_store(at + S_F + 3, v3_sub(v3_load(s + 3), v3_scale(vconv(own, S_S + 3, S_Z, k), f)));
}

// order k of the forces at both ends
static void beam_series_ends(double *own, int k, double out[12]) {
    double *at = own + k * S_COUNT;
    v3_store(at + S_RN, vconv(own, S_RHO, S_F, k));
    v3_store(at + S_C, vconv(own, S_PHI, S_F, k));
    v3_store(at + S_CC, vconv(own, S_PHI, S_C, k));
    v3_store(at + S_M1, vconv(own, S_PHI, S_F + 3, k));
    v3_store(at + S_MIX, v3_add(v3_add(vconv(own, S_PHI, S_RN, k), vconv(own, S_RHO, S_C, k)),
                                vconv(own, S_PHI, S_M1, k)));
    const Vec3 even = v3_add(v3_load(at + S_F), sv(own, S_K, S_CC, k)),
               odd = v3_scale(v3_load(at + S_C), 0.5);
    const Vec3 turn =
        v3_add(v3_load(at + S_F + 3), v3_add(sv(own, S_K, S_MIX, k), sv(own, S_Q, S_CC, k)));
    const Vec3 lever = v3_scale(v3_add(v3_load(at + S_RN), v3_load(at + S_M1)), 0.5);
    v3_store(at + S_PLUS, v3_sub(even, odd));
    v3_store(at + S_MINUS, v3_add(even, odd));
    v3_store(out, mconv(own, S_AA, S_MINUS, k, 0));
    v3_store(out + 3, v3_add(turn, lever));
    v3_store(out + 6, v3_scale(mconv(own, S_AB, S_PLUS, k, 0), -1));
    v3_store(out + 9, v3_sub(lever, turn));
}

void hol_beam3_series(const HolBeam3 *e, const HolJets *J, double *memory, int k, double out[12]) {
    double *own = memory + S_HEAD;
    if (k == 0) {
        HolBeamLaw law;
        HolScrew d;
        beam_series_start(e, J, own);
        d.rho = v3_load(own + S_RHO);
        d.phi = v3_load(own + S_PHI);
        if (!hol_beam3_law(e, &d, &law))
            memset(law.L, 0xff, sizeof law.L);
        memcpy(memory, law.L, sizeof law.L);
    } else if (!(e->time > 0))
        beam_series_rate(e, J, own, k - 1);
    beam_series_screw(J, own, k);
    if (e->time > 0)
        beam_series_rate(e, J, own, k);
    else // the frames alone
        for (int c = 0; c < 9; c++) {
            own[k * S_COUNT + S_AA + c] = *hol_jet(J, e->body[0], HOL_S_A + c, k);
            own[k * S_COUNT + S_AB + c] = *hol_jet(J, e->body[1], HOL_S_A + c, k);
        }
    beam_series_law(e, memory, own, k);
    if (e->time > 0)
        hol_beam3_damp(e, own + k * S_COUNT + S_RATE, own + k * S_COUNT + S_F);
    beam_series_ends(own, k, out);
}

double hol_beam3_series_work(const HolBeam3 *e, const double *memory, int k, double h) {
    const double *own = memory + S_HEAD;
    double sum = 0, power = h;
    for (int j = 0; j <= k && e->time > 0; j++, power *= h) {
        double s = 0;
        for (int l = 0; l <= j; l++) {
            double F[6] = {0};
            hol_beam3_damp(e, own + l * S_COUNT + S_RATE, F);
            for (int i = 0; i < 6; i++)
                s += F[i] * own[(j - l) * S_COUNT + S_RATE + i];
        }
        sum -= s * power / (j + 1);
    }
    return sum;
}
