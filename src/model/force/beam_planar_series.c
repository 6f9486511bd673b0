// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of the forces of a planar beam element, by products of series (notation of
// beam_planar.c). With n = (g F1 - z F2, z F1 + g F2), the force in axes of the first node,
//   G = A_A n,   theta_m: n_x u_y - n_y u_x,   phi: F3 + q (n.u)
// k(y) as a series: k_0, k_1 = k'(y_0) y_1; from order 2 on by Horner's rule with its terms as
// series (|phi| < 2), beyond by  2 y k' = y' (1/4 - 3 k + y k^2).
// Memory of an element: all main series of one order together, then those of Horner's rule.
#include "model/force/beam_element.h"

#include <math.h>

enum {
    S_PHI,
    S_Y,
    S_K,
    S_KK,    // y k^2, beyond |phi| = 2
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
    return (size_t)(order + 3) * (S_COUNT + HOL_BEAM_TERMS);
}

static inline double conv(const double *own, int a, int b, int k) {
    double s = 0;
    for (int i = 0; i <= k; i++)
        s += own[i * S_COUNT + a] * own[(k - i) * S_COUNT + b];
    return s;
}

// order k of c_i + y r_{i+1}, from the innermost out; the series lie behind the main ones
static double beam_planar_horner(const double *own, double *terms, int orders, int k) {
    for (int i = HOL_BEAM_TERMS - 1; i >= 0; i--) {
        double *r = terms + (long)i * orders, s = k == 0 ? hol_beam_terms[i] : 0;
        for (int j = 0; i + 1 < HOL_BEAM_TERMS && j <= k; j++)
            s += own[j * S_COUNT + S_Y] * r[orders + k - j];
        r[k] = s;
    }
    return terms[k];
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

static double beam_planar_k(double *own, double *terms, int orders, int k) {
    double value[3];
    if (own[S_Y] >= 4)
        return beam_planar_recurrence(own, k);
    if (k < 2) {
        if (k == 0) {
            hol_beam_k(own[S_Y], value);
            own[S_SLOPE] = value[1];
            return value[0];
        }
        return own[S_SLOPE] * own[S_COUNT + S_Y];
    }
    for (int j = k == 2 ? 0 : k; j < k; j++)
        beam_planar_horner(own, terms, orders, j);
    return beam_planar_horner(own, terms, orders, k);
}

// order k of d and of what it is made of
static void beam_planar_screw_series(const HolBeam2 *e, const HolJets *J, double *own, int k) {
    double *at = own + k * S_COUNT, *terms = own + (J->order + 3) * S_COUNT;
    const int a = e->body[0], b = e->body[1];
    at[S_PHI] = *hol_jet(J, b, HOL_S_THETA, k) - *hol_jet(J, a, HOL_S_THETA, k);
    at[S_DX] = *hol_jet(J, b, HOL_S_X, k) - *hol_jet(J, a, HOL_S_X, k);
    at[S_DY] = *hol_jet(J, b, HOL_S_Y, k) - *hol_jet(J, a, HOL_S_Y, k);
    at[S_COS] = *hol_jet(J, a, HOL_S_COS, k);
    at[S_SIN] = *hol_jet(J, a, HOL_S_SIN, k);
    at[S_Y] = conv(own, S_PHI, S_PHI, k);
    at[S_K] = beam_planar_k(own, terms, J->order + 3, k);
    at[S_G] = (k == 0) - conv(own, S_Y, S_K, k);
    at[S_Q] = conv(own, S_K, S_PHI, k);
    at[S_UX] = conv(own, S_COS, S_DX, k) + conv(own, S_SIN, S_DY, k);
    at[S_UY] = conv(own, S_COS, S_DY, k) - conv(own, S_SIN, S_DX, k);
    at[S_RX] = conv(own, S_G, S_UX, k) + 0.5 * conv(own, S_PHI, S_UY, k);
    at[S_RY] = conv(own, S_G, S_UY, k) - 0.5 * conv(own, S_PHI, S_UX, k);
}

void hol_beam2_series(const HolBeam2 *e, const HolJets *J, double *own, int k, double out[6]) {
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
