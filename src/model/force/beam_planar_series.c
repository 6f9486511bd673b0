// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of the forces of a planar beam element, by products of series (notation of
// beam_planar.c). With n = (g F1 - z F2, z F1 + g F2), the force in axes of the first node,
//   G = A_A n,   theta_m: n_x u_y - n_y u_x,   phi: F3 + q (n.u)
// k(y) as a series: by powers of y - y_0 (|phi| < 2; from order 4 on in beam_powers.c), beyond by  2 y k' = y' (1/4 - 3 k + y k^2).
// Memory of an element: all main series of one order together, then the powers.
#include "math/simd.h"
#include "model/force/beam_element.h"

#include <math.h>

enum {
    S_PHI,
    S_Y,
    S_K,
    S_KK,    // y k^2, beyond |phi| = 2; else k''/2
    S_SLOPE, // k'
    S_G,
    S_Q,
    S_UX,
    S_UY,
    S_RX,
    S_RY,
    S_DX,
    S_DY,
    S_COS,
    S_SIN,
    S_E2,
    S_N,
    S_F1,
    S_F2,
    S_NX,
    S_NY,
    S_DOT,
    S_COUNT
};

size_t hol_beam2_series_size(int order) {
    return (size_t)(order + 3) * S_COUNT + hol_beam_powers_size(order + 3);
}

// (unrolled for the orders of a jerk and a snap, where k is a literal)
HOL_INLINE double conv(const double *own, int a, int b, int k) {
    double s = 0;
    const double *x = own + a, *y = own + b;
    if (k == 0)
        return x[0] * y[0];
    if (k == 1)
        return x[0] * y[S_COUNT] + x[S_COUNT] * y[0];
    if (k == 2)
        return x[0] * y[2 * S_COUNT] + x[S_COUNT] * y[S_COUNT] + x[2 * S_COUNT] * y[0];
    if (k == 3)
        return x[0] * y[3 * S_COUNT] + x[S_COUNT] * y[2 * S_COUNT] +
               (x[2 * S_COUNT] * y[S_COUNT] + x[3 * S_COUNT] * y[0]);
    for (int i = 0; i <= k; i++)
        s += own[i * S_COUNT + a] * own[(k - i) * S_COUNT + b];
    return s;
}

// beyond |phi| = 2: k_k from k' of lower orders, then k' = (1/4 - 3 k + y k^2)/(2 y)
static double beam_planar_recurrence(double *own, int k) {
    double *at = own + k * S_COUNT, s = 0;
    for (int i = 1; i <= k; i++)
        s += i * own[i * S_COUNT + S_Y] * own[(k - i) * S_COUNT + S_SLOPE];
    if (k == 0) {
        double value[3];
        hol_beam_k(own[S_Y], value);
        at[S_K] = value[0];
    } else
        at[S_K] = s / k;
    at[S_KK] = conv(own, S_K, S_K, k);
    s = (k == 0 ? 0.25 : 0) - 3 * at[S_K] + conv(own, S_Y, S_KK, k);
    for (int i = 1; i <= k; i++)
        s -= 2 * own[i * S_COUNT + S_Y] * own[(k - i) * S_COUNT + S_SLOPE];
    at[S_SLOPE] = s / (2 * own[S_Y]);
    return at[S_K];
}

// k'''(y)/6
static double beam_planar_third(double y) {
    const int n = y < 0.04 ? 12 : HOL_BEAM_TERMS; // the ratio of two terms is y/40
    double s = 0;
    for (int i = n - 1; i >= 3; i--)
        s = s * y + (double)(i * (i - 1) * (i - 2)) / 6 * hol_beam_terms[i];
    return s;
}

HOL_INLINE double beam_planar_k(double *own, double *powers, int orders, int k) {
    const double y1 = own[S_COUNT + S_Y], y2 = own[2 * S_COUNT + S_Y];
    double value[3];
    if (own[S_Y] >= 4)
        return beam_planar_recurrence(own, k);
    if (k == 0) {
        hol_beam_k(own[S_Y], value);
        own[S_SLOPE] = value[1];
        own[S_KK] = 0.5 * value[2];
        return value[0];
    }
    if (k == 1)
        return own[S_SLOPE] * y1;
    if (k == 2)
        return own[S_SLOPE] * y2 + own[S_KK] * y1 * y1;
    if (k == 3)
        return own[S_SLOPE] * own[3 * S_COUNT + S_Y] + 2 * own[S_KK] * y1 * y2 +
               beam_planar_third(own[S_Y]) * y1 * y1 * y1;
    return hol_beam_powers(powers, orders, own + S_Y, S_COUNT, 0, 4, k);
}

// order k of d and of what it is made of
HOL_INLINE void beam_planar_screw_order(const HolBeam2 *e, const HolJets *J, double *own, int k) {
    double *at = own + k * S_COUNT, *powers = own + (J->order + 3) * S_COUNT;
    const int a = e->body[0], b = e->body[1];
    at[S_PHI] = *hol_jet(J, b, HOL_S_THETA, k) - *hol_jet(J, a, HOL_S_THETA, k);
    at[S_DX] = *hol_jet(J, b, HOL_S_X, k) - *hol_jet(J, a, HOL_S_X, k);
    at[S_DY] = *hol_jet(J, b, HOL_S_Y, k) - *hol_jet(J, a, HOL_S_Y, k);
    at[S_COS] = *hol_jet(J, a, HOL_S_COS, k);
    at[S_SIN] = *hol_jet(J, a, HOL_S_SIN, k);
    at[S_Y] = conv(own, S_PHI, S_PHI, k);
    at[S_K] = beam_planar_k(own, powers, J->order + 3, k);
    at[S_G] = (k == 0) - conv(own, S_Y, S_K, k);
    at[S_Q] = conv(own, S_K, S_PHI, k);
    at[S_UX] = conv(own, S_COS, S_DX, k) + conv(own, S_SIN, S_DY, k);
    at[S_UY] = conv(own, S_COS, S_DY, k) - conv(own, S_SIN, S_DX, k);
    at[S_RX] = conv(own, S_G, S_UX, k) + 0.5 * conv(own, S_PHI, S_UY, k);
    at[S_RY] = conv(own, S_G, S_UY, k) - 0.5 * conv(own, S_PHI, S_UX, k);
}

static void beam_planar_screw_series(const HolBeam2 *e, const HolJets *J, double *own, int k) {
    if (k == 0)
        beam_planar_screw_order(e, J, own, 0);
    else if (k == 1)
        beam_planar_screw_order(e, J, own, 1);
    else if (k == 2)
        beam_planar_screw_order(e, J, own, 2);
    else if (k == 3)
        beam_planar_screw_order(e, J, own, 3);
    else
        beam_planar_screw_order(e, J, own, k);
}

HOL_INLINE void beam_planar_order(const HolBeam2 *e, const HolJets *J, double *own, int k,
                                  double out[6]) {
    double *at = own + k * S_COUNT, *next = at + S_COUNT;
    const double c = (k + 1) * e->time / e->L, one = k == 0;
    const int ahead = e->time > 0;
    if (k == 0 || !ahead)
        beam_planar_screw_series(e, J, own, k);
    if (ahead)
        beam_planar_screw_series(e, J, own, k + 1);
    at[S_E2] = (at[S_RY] - one * e->d0[1]) / e->L;
    at[S_N] = e->EA * ((at[S_RX] - one * e->d0[0]) / e->L + e->axial * conv(own, S_E2, S_E2, k));
    at[S_F1] = at[S_N];
    at[S_F2] = e->GS * at[S_E2] + 2 * e->axial * conv(own, S_E2, S_N, k);
    double F3 = e->EI * (at[S_PHI] - one * e->d0[2]) / e->L;
    if (ahead) {
        at[S_F1] += c * e->EA * next[S_RX];
        at[S_F2] += c * e->GS * next[S_RY];
        F3 += c * e->EI * next[S_PHI];
    }
    at[S_NX] = conv(own, S_G, S_F1, k) - 0.5 * conv(own, S_PHI, S_F2, k);
    at[S_NY] = 0.5 * conv(own, S_PHI, S_F1, k) + conv(own, S_G, S_F2, k);
    at[S_DOT] = conv(own, S_NX, S_UX, k) + conv(own, S_NY, S_UY, k);
    const double mean = 0.5 * (conv(own, S_NX, S_UY, k) - conv(own, S_NY, S_UX, k)),
                 turn = F3 + conv(own, S_Q, S_DOT, k);
    out[0] = conv(own, S_COS, S_NX, k) - conv(own, S_SIN, S_NY, k);
    out[1] = conv(own, S_SIN, S_NX, k) + conv(own, S_COS, S_NY, k);
    out[2] = turn - mean;
    out[3] = -out[0];
    out[4] = -out[1];
    out[5] = -turn - mean;
}

void hol_beam2_series(const HolBeam2 *e, const HolJets *J, double *own, int k, double out[6]) {
    if (k == 0)
        beam_planar_order(e, J, own, 0, out);
    else if (k == 1)
        beam_planar_order(e, J, own, 1, out);
    else if (k == 2)
        beam_planar_order(e, J, own, 2, out);
    else
        beam_planar_order(e, J, own, k, out);
}

double hol_beam2_series_work(const HolBeam2 *e, const double *own, int k, double h) {
    static const int series[3] = {S_RX, S_RY, S_PHI};
    const double T[3] = {e->EA, e->GS, e->EI};
    double sum = 0;
    for (int i = 0; i < 3 && e->time > 0; i++) {
        double power = h;
        for (int j = 0; j <= k; j++, power *= h) {
            double s = 0;
            for (int l = 0; l <= j; l++)
                s += (l + 1) * own[(l + 1) * S_COUNT + series[i]] * (j - l + 1) *
                     own[(j - l + 1) * S_COUNT + series[i]];
            sum -= e->time / e->L * T[i] * s * power / (j + 1);
        }
    }
    return sum;
}
