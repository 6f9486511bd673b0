// SPDX-License-Identifier: Apache-2.0
// Flexible slider-crank of the alpha-method paper: q = (phi1, phi2, x3, w_1, w'_1, .., w_4, w'_4),
// the rod a beam of four cubic Hermite elements with lateral deflection only, its frame tangent at
// the crank pin. Mass matrix depends on q, forces on v; derivatives other than G are left to
// differences. Torque 0.2 N m on the crank until 0.3 s.
#include "tools/papers/paper002.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { SLIDER_N = HOL_SLIDER_N, BEAM_N = HOL_BEAM_N, BEAM_ELEMENTS = 4 };
typedef HolSlider Slider;

HolSlider hol_slider_data(double E) {
    Slider d = {
        .M2 = 0.151104, .M3 = 0.075552, .L1 = 0.15, .L2 = 0.30, .J1 = 0.002727, .J2 = 0.0045339259};
    const double rA = 7870 * 0.008 * 0.008, EI = E * pow(0.008, 4) / 12, l = d.L2 / BEAM_ELEMENTS;
    const double me[4][4] = {{156, 22 * l, 54, -13 * l},
                             {22 * l, 4 * l * l, 13 * l, -3 * l * l},
                             {54, 13 * l, 156, -22 * l},
                             {-13 * l, -3 * l * l, -22 * l, 4 * l * l}};
    const double ke[4][4] = {{12, 6 * l, -12, 6 * l},
                             {6 * l, 4 * l * l, -6 * l, 2 * l * l},
                             {-12, -6 * l, 12, -6 * l},
                             {6 * l, 2 * l * l, -6 * l, 4 * l * l}};
    const double e0[4] = {l / 2, l * l / 12, l / 2, -l * l / 12};
    const double e1[4] = {3 * l * l / 20, l * l * l / 30, 7 * l * l / 20, -l * l * l / 20};
    for (int e = 0; e < BEAM_ELEMENTS; e++)
        for (int i = 0; i < 4; i++) {
            const int I = 2 * e + i - 2; // node 0 is clamped
            if (I < 0)
                continue;
            d.c0[I] += rA * e0[i];
            d.c1[I] += rA * (e1[i] + e * l * e0[i]);
            for (int j = 0; j < 4; j++) {
                const int J = 2 * e + j - 2;
                if (J < 0)
                    continue;
                d.Mq[I][J] += rA * l / 420 * me[i][j];
                d.Kq[I][J] += EI / (l * l * l) * ke[i][j];
            }
        }
    return d;
}

static double beam_dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < BEAM_N; i++)
        sum += a[i] * b[i];
    return sum;
}

static void beam_multiply(const double A[BEAM_N][BEAM_N], const double *x, double *y) {
    for (int i = 0; i < BEAM_N; i++)
        y[i] = beam_dot(A[i], x);
}

static void slider_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                        double *S) {
    (void)work, (void)at, (void)into_S;
    const Slider *d = p->user;
    const double co = cos(at->q[0] - at->q[1]), si = sin(at->q[0] - at->q[1]), *w = at->q + 3;
    double Mw[BEAM_N], M[SLIDER_N][SLIDER_N] = {{0}};
    beam_multiply(d->Mq, w, Mw);
    M[0][0] = d->J1 + d->M2 * d->L1 * d->L1;
    M[0][1] = M[1][0] = d->L1 * (0.5 * d->M2 * d->L2 * co + si * beam_dot(d->c0, w));
    M[1][1] = d->J2 + beam_dot(w, Mw);
    M[2][2] = d->M3;
    for (int i = 0; i < BEAM_N; i++) {
        M[0][3 + i] = M[3 + i][0] = d->L1 * co * d->c0[i];
        M[1][3 + i] = M[3 + i][1] = d->c1[i];
        for (int j = 0; j < BEAM_N; j++)
            M[3 + i][3 + j] = d->Mq[i][j];
    }
    for (int j = 0; j < SLIDER_N; j++)
        for (int i = 0; i < SLIDER_N; i++)
            S[SLIDER_N * j + i] += c * M[i][j];
}

// applied + (v^T M v)_q / 2 - M' v - K q
static void slider_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)work, (void)at;
    const Slider *d = p->user;
    const double co = cos(at->q[0] - at->q[1]), si = sin(at->q[0] - at->q[1]), *w = at->q + 3,
                 *u = at->v + 3;
    const double a1 = at->v[0], a2 = at->v[1], dd = a1 - a2, L1 = d->L1, half = 0.5 * d->M2 * d->L2;
    const double cw = beam_dot(d->c0, w), cu = beam_dot(d->c0, u);
    double Mw[BEAM_N], Kw[BEAM_N];
    beam_multiply(d->Mq, w, Mw);
    beam_multiply(d->Kq, w, Kw);
    const double M01 = L1 * (-half * si * dd + co * dd * cw + si * cu), M11 = 2 * beam_dot(u, Mw);
    const double turn = a1 * a2 * L1 * (-half * si + co * cw) - a1 * L1 * si * cu;
    f[0] = turn - M01 * a2 + L1 * si * dd * cu + (at->t <= 0.3 + 1e-9 ? 0.2 : 0);
    f[1] = -turn - M01 * a1 - M11 * a2;
    f[2] = 0;
    for (int i = 0; i < BEAM_N; i++)
        f[3 + i] =
            a1 * a2 * L1 * si * d->c0[i] + a2 * a2 * Mw[i] + L1 * si * dd * a1 * d->c0[i] - Kw[i];
}

static void slider_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)work, (void)at;
    const Slider *d = p->user;
    g[0] = d->L1 * sin(at->q[0]) + d->L2 * sin(at->q[1]) + at->q[9] * cos(at->q[1]);
    g[1] = at->q[2] - d->L1 * cos(at->q[0]) - d->L2 * cos(at->q[1]) + at->q[9] * sin(at->q[1]);
}

static void slider_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    (void)work, (void)at;
    const Slider *d = p->user;
    memset(G, 0, 2 * SLIDER_N * sizeof *G);
    G[0] = d->L1 * cos(at->q[0]);
    G[1] = d->L2 * cos(at->q[1]) - at->q[9] * sin(at->q[1]);
    G[9] = cos(at->q[1]);
    G[SLIDER_N] = d->L1 * sin(at->q[0]);
    G[SLIDER_N + 1] = d->L2 * sin(at->q[1]) + at->q[9] * cos(at->q[1]);
    G[SLIDER_N + 2] = 1;
    G[SLIDER_N + 9] = sin(at->q[1]);
}

static void slider_rate(const HolProblem *p, void *work, const HolPoint *at, double *gt) {
    (void)p, (void)work, (void)at;
    gt[0] = gt[1] = 0;
}

// v^T g_qq v
static void slider_gamma(const HolProblem *p, void *work, const HolPoint *at, double *gamma) {
    (void)work, (void)at;
    const Slider *d = p->user;
    const double s1 = sin(at->q[0]), c1 = cos(at->q[0]), s2 = sin(at->q[1]), c2 = cos(at->q[1]);
    gamma[0] = -d->L1 * s1 * at->v[0] * at->v[0] -
               (d->L2 * s2 + at->q[9] * c2) * at->v[1] * at->v[1] - 2 * s2 * at->v[1] * at->v[9];
    gamma[1] = d->L1 * c1 * at->v[0] * at->v[0] +
               (d->L2 * c2 - at->q[9] * s2) * at->v[1] * at->v[1] + 2 * c2 * at->v[1] * at->v[9];
}

HolProblem hol_slider_problem(const HolSlider *d) {
    return (HolProblem){.size = sizeof(HolProblem),
                        .user = d,
                        .nq = SLIDER_N,
                        .nv = SLIDER_N,
                        .nh = 2,
                        .mass = slider_mass,
                        .force = slider_force,
                        .constraint = slider_constraint,
                        .jacobian = slider_jacobian,
                        .velocity_rhs = slider_rate,
                        .acceleration_rhs = slider_gamma};
}

double hol_slider_energy(const HolProblem *p, const double *q, const double *v) {
    const Slider *d = p->user;
    double M[SLIDER_N * SLIDER_N] = {0}, Kw[BEAM_N], sum = 0;
    slider_mass(p, NULL, &(HolPoint){.t = 0, .q = q}, 1, 1, M);
    for (int i = 0; i < SLIDER_N; i++)
        for (int j = 0; j < SLIDER_N; j++)
            sum += v[i] * M[SLIDER_N * j + i] * v[j];
    beam_multiply(d->Kq, q + 3, Kw);
    return (sum + beam_dot(q + 3, Kw)) / 2;
}

// largest frequency at the start, rod straight: N^T (K - w^2 M) N = 0, N the null space of G
double hol_slider_frequency(const HolSlider *d) {
    enum { D = SLIDER_N - 2 };
    const HolProblem p = hol_slider_problem(d);
    double q[SLIDER_N] = {[2] = d->L1 + d->L2}, M[SLIDER_N * SLIDER_N] = {0};
    double K[SLIDER_N * SLIDER_N] = {0}, G[2 * SLIDER_N], A[2 * SLIDER_N];
    double s[2], u[4], vt[SLIDER_N * SLIDER_N], M_R[D * D] = {0}, K_R[D * D] = {0};
    double re[D], im[D], most = 0;
    int pivot[D];
    slider_mass(&p, NULL, &(HolPoint){.t = 0, .q = q}, 1, 1, M);
    slider_jacobian(&p, NULL, &(HolPoint){.t = 0, .q = q}, G);
    for (int i = 0; i < BEAM_N; i++)
        for (int j = 0; j < BEAM_N; j++)
            K[SLIDER_N * (3 + j) + 3 + i] = d->Kq[i][j];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < SLIDER_N; j++)
            A[2 * j + i] = G[SLIDER_N * i + j];
    if (hol_dense_svd(2, SLIDER_N, A, s, u, vt))
        return NAN;
    for (int a = 0; a < D; a++)
        for (int b = 0; b < D; b++)
            for (int i = 0; i < SLIDER_N; i++)
                for (int j = 0; j < SLIDER_N; j++) {
                    const double n = vt[SLIDER_N * i + 2 + a] * vt[SLIDER_N * j + 2 + b];
                    M_R[D * b + a] += n * M[SLIDER_N * j + i];
                    K_R[D * b + a] += n * K[SLIDER_N * j + i];
                }
    if (hol_dense_lu(D, M_R, pivot))
        return NAN;
    for (int j = 0; j < D; j++)
        hol_dense_lu_solve(D, M_R, pivot, K_R + D * j);
    if (hol_dense_eigenvalues(D, K_R, re, im))
        return NAN;
    for (int i = 0; i < D; i++)
        most = fmax(most, hypot(re[i], im[i]));
    return sqrt(most);
}
