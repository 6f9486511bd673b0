// SPDX-License-Identifier: Apache-2.0
// Flexible slider-crank of the alpha-method paper: q = (phi1, phi2, x3, w_1, w'_1, .., w_k, w'_k),
// the rod a beam of k cubic Hermite elements with lateral deflection only, its frame tangent at
// the crank pin. Mass matrix depends on q, forces on v; derivatives other than G are left to
// differences. Torque 0.2 N m on the crank until 0.3 s.
//
// Modes of the mechanism held at q: N^T (K - omega^2 M) N y = 0, N the null space of G, x = N y with
// x^T M x = 1. K acts on w alone, so that the coordinate of a mode is x^T K q / omega^2 and its
// velocity x^T M v; E = (velocity^2 + omega^2 coordinate^2)/2. The mode of omega = 0 is the motion of
// the rigid mechanism.
#include "tools/papers/paper002.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { SLIDER_N = HOL_SLIDER_N, BEAM_N = HOL_BEAM_N };
typedef HolSlider Slider;

HolSlider hol_slider_data(double E, int elements) {
    Slider d = {.elements = elements,
                .n = 3 + 2 * elements,
                .M2 = 0.151104,
                .M3 = 0.075552,
                .L1 = 0.15,
                .L2 = 0.30,
                .J1 = 0.002727,
                .J2 = 0.0045339259};
    const double rA = 7870 * 0.008 * 0.008, EI = E * pow(0.008, 4) / 12, l = d.L2 / elements;
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
    for (int e = 0; e < elements; e++)
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

static double beam_dot(const Slider *d, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < d->n - 3; i++)
        sum += a[i] * b[i];
    return sum;
}

static void beam_multiply(const Slider *d, const double A[BEAM_N][BEAM_N], const double *x,
                          double *y) {
    for (int i = 0; i < d->n - 3; i++)
        y[i] = beam_dot(d, A[i], x);
}

static void slider_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                        double *S) {
    (void)work, (void)at, (void)into_S;
    const Slider *d = p->user;
    const int n = d->n;
    const double co = cos(at->q[0] - at->q[1]), si = sin(at->q[0] - at->q[1]), *w = at->q + 3;
    double Mw[BEAM_N], M[SLIDER_N][SLIDER_N] = {{0}};
    beam_multiply(d, d->Mq, w, Mw);
    M[0][0] = d->J1 + d->M2 * d->L1 * d->L1;
    M[0][1] = M[1][0] = d->L1 * (0.5 * d->M2 * d->L2 * co + si * beam_dot(d, d->c0, w));
    M[1][1] = d->J2 + beam_dot(d, w, Mw);
    M[2][2] = d->M3;
    for (int i = 0; i < d->n - 3; i++) {
        M[0][3 + i] = M[3 + i][0] = d->L1 * co * d->c0[i];
        M[1][3 + i] = M[3 + i][1] = d->c1[i];
        for (int j = 0; j < d->n - 3; j++)
            M[3 + i][3 + j] = d->Mq[i][j];
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            S[n * j + i] += c * M[i][j];
}

// applied + (v^T M v)_q / 2 - M' v - K q
static void slider_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)work, (void)at;
    const Slider *d = p->user;
    const double co = cos(at->q[0] - at->q[1]), si = sin(at->q[0] - at->q[1]), *w = at->q + 3,
                 *u = at->v + 3;
    const double a1 = at->v[0], a2 = at->v[1], dd = a1 - a2, L1 = d->L1, half = 0.5 * d->M2 * d->L2;
    const double cw = beam_dot(d, d->c0, w), cu = beam_dot(d, d->c0, u);
    double Mw[BEAM_N], Kw[BEAM_N];
    beam_multiply(d, d->Mq, w, Mw);
    beam_multiply(d, d->Kq, w, Kw);
    const double M01 = L1 * (-half * si * dd + co * dd * cw + si * cu),
                 M11 = 2 * beam_dot(d, u, Mw);
    const double turn = a1 * a2 * L1 * (-half * si + co * cw) - a1 * L1 * si * cu;
    f[0] = turn - M01 * a2 + L1 * si * dd * cu + (at->t <= 0.3 + 1e-9 ? 0.2 : 0);
    f[1] = -turn - M01 * a1 - M11 * a2;
    f[2] = 0;
    for (int i = 0; i < d->n - 3; i++)
        f[3 + i] =
            a1 * a2 * L1 * si * d->c0[i] + a2 * a2 * Mw[i] + L1 * si * dd * a1 * d->c0[i] - Kw[i];
}

static void slider_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)work, (void)at;
    const Slider *d = p->user;
    const double tip = at->q[d->n - 2];
    g[0] = d->L1 * sin(at->q[0]) + d->L2 * sin(at->q[1]) + tip * cos(at->q[1]);
    g[1] = at->q[2] - d->L1 * cos(at->q[0]) - d->L2 * cos(at->q[1]) + tip * sin(at->q[1]);
}

static void slider_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    (void)work, (void)at;
    const Slider *d = p->user;
    const int n = d->n;
    const double tip = at->q[n - 2];
    memset(G, 0, 2 * (size_t)n * sizeof *G);
    G[0] = d->L1 * cos(at->q[0]);
    G[1] = d->L2 * cos(at->q[1]) - tip * sin(at->q[1]);
    G[n - 2] = cos(at->q[1]);
    G[n] = d->L1 * sin(at->q[0]);
    G[n + 1] = d->L2 * sin(at->q[1]) + tip * cos(at->q[1]);
    G[n + 2] = 1;
    G[2 * n - 2] = sin(at->q[1]);
}

static void slider_rate(const HolProblem *p, void *work, const HolPoint *at, double *gt) {
    (void)p, (void)work, (void)at;
    gt[0] = gt[1] = 0;
}

// v^T g_qq v
static void slider_gamma(const HolProblem *p, void *work, const HolPoint *at, double *gamma) {
    (void)work, (void)at;
    const Slider *d = p->user;
    const double tip = at->q[d->n - 2];
    const double s1 = sin(at->q[0]), c1 = cos(at->q[0]), s2 = sin(at->q[1]), c2 = cos(at->q[1]);
    gamma[0] = -d->L1 * s1 * at->v[0] * at->v[0] - (d->L2 * s2 + tip * c2) * at->v[1] * at->v[1] -
               2 * s2 * at->v[1] * at->v[d->n - 2];
    gamma[1] = d->L1 * c1 * at->v[0] * at->v[0] + (d->L2 * c2 - tip * s2) * at->v[1] * at->v[1] +
               2 * c2 * at->v[1] * at->v[d->n - 2];
}

HolProblem hol_slider_problem(const HolSlider *d) {
    return (HolProblem){.size = sizeof(HolProblem),
                        .user = d,
                        .nq = d->n,
                        .nv = d->n,
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
    const int n = d->n;
    double M[SLIDER_N * SLIDER_N] = {0}, Kw[BEAM_N], sum = 0;
    slider_mass(p, NULL, &(HolPoint){.t = 0, .q = q}, 1, 1, M);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += v[i] * M[n * j + i] * v[j];
    beam_multiply(d, d->Kq, q + 3, Kw);
    return (sum + beam_dot(d, q + 3, Kw)) / 2;
}

// modes at q: omega^2 ascending in `square`, shapes (n each) in `shape`; so many, 0 on failure
static int slider_shapes(const HolProblem *p, const double *q, double *square, double *shape) {
    const Slider *d = p->user;
    const int n = d->n, D = n - 2;
    double M[SLIDER_N * SLIDER_N] = {0}, K[SLIDER_N * SLIDER_N] = {0}, T[SLIDER_N * SLIDER_N];
    double G[2 * SLIDER_N], A[2 * SLIDER_N], s[2], u[4], vt[SLIDER_N * SLIDER_N];
    double N[SLIDER_N * SLIDER_N], M_R[SLIDER_N * SLIDER_N], K_R[SLIDER_N * SLIDER_N];
    slider_mass(p, NULL, &(HolPoint){.t = 0, .q = q}, 1, 1, M);
    slider_jacobian(p, NULL, &(HolPoint){.t = 0, .q = q}, G);
    for (int i = 0; i < n - 3; i++)
        for (int j = 0; j < n - 3; j++)
            K[n * (3 + j) + 3 + i] = d->Kq[i][j];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < n; j++)
            A[2 * j + i] = G[n * i + j];
    if (hol_dense_svd(2, n, A, s, u, vt))
        return 0;
    for (int a = 0; a < D; a++)
        for (int i = 0; i < n; i++)
            N[n * a + i] = vt[n * i + 2 + a];
    hol_dense_multiply(n, n, D, M, 0, N, T);
    hol_dense_multiply(D, n, D, N, 1, T, M_R);
    hol_dense_multiply(n, n, D, K, 0, N, T);
    hol_dense_multiply(D, n, D, N, 1, T, K_R);
    if (hol_dense_symmetric_pair(D, K_R, M_R, square))
        return 0;
    hol_dense_multiply(n, D, D, N, 0, K_R, shape);
    return D;
}

int hol_slider_modes(const HolProblem *p, const double *q, const double *v,
                     double omega[HOL_SLIDER_N], double energy[HOL_SLIDER_N]) {
    const Slider *d = p->user;
    const int n = d->n;
    double shape[SLIDER_N * SLIDER_N], M[SLIDER_N * SLIDER_N] = {0}, Kw[BEAM_N], Mv[SLIDER_N] = {0};
    const int count = slider_shapes(p, q, omega, shape);
    slider_mass(p, NULL, &(HolPoint){.t = 0, .q = q}, 1, 1, M);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            Mv[i] += M[n * j + i] * v[j];
    beam_multiply(d, d->Kq, q + 3, Kw);
    for (int k = 0; k < count; k++) {
        const double *x = shape + n * k, force = beam_dot(d, x + 3, Kw);
        double speed = 0;
        for (int i = 0; i < n; i++)
            speed += x[i] * Mv[i];
        energy[k] = (speed * speed + (k ? force * force / omega[k] : 0)) / 2;
        omega[k] = sqrt(fmax(0, omega[k]));
    }
    return count;
}

double hol_slider_frequency(const HolSlider *d) {
    const HolProblem p = hol_slider_problem(d);
    const double q[SLIDER_N] = {[2] = d->L1 + d->L2};
    double square[SLIDER_N], shape[SLIDER_N * SLIDER_N];
    const int count = slider_shapes(&p, q, square, shape);
    return count ? sqrt(square[count - 1]) : NAN;
}
