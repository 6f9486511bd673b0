// SPDX-License-Identifier: Apache-2.0
// Problems whose mass matrix no model file can write, as functions in C.
//
// Slider-crank with an elastic connecting rod (Simeon; Test Set for IVP Solvers):
// q = (phi1, phi2, x3, e1 .. e4), e: two lateral sine modes and two longitudinal nodes of the rod.
// With C, S = cos, sin(phi1 - phi2), L1, L2, M1 .. M3, J1, J2 of crank, rod and slider, and
// constant elastic matrices Mq, Kq, Bq, vectors c1, c2, c12, c21 of the rod:
//   M11 = J1 + M2 L1^2,   M12 = L1 L2 M2 C / 2 + rho L1 (S c2.e + C c1.e)
//   M22 = J2 + e.Mq e + 2 rho c12.e,   M33 = M3,   Mee = Mq
//   M1e = rho L1 (C c2 - S c1),   M2e = rho (c21 + Bq^T e)
//   f1 = -L1 L2 M2 v2^2 S / 2 + rho L1 v2^2 (C c2.e - S c1.e) - 2 rho L1 v2 (C c1.e' + S c2.e')
//   f2 = L1 L2 M2 v1^2 S / 2 + rho L1 v1^2 (S c1.e - C c2.e) - 2 rho v2 c12.e' - 2 v2 e'.Mq e
//        - rho e'.Bq e'
//   fe = v2^2 Mq e + rho (v2^2 c12 + L1 v1^2 (C c1 + S c2) + 2 v2 Bq e') - Kq e
//   g = (L1 sin phi1 + (L2 + e4) sin phi2,  x3 - L1 cos phi1 - (L2 + e4) cos phi2,  phi1 - Omega t)
// pi is 3.1415927, as in the source of the published numbers.
#include "system.h"

#include <math.h>
#include <string.h>

enum { N = 7, E = 3, MODES = 4 }; // coordinates, first elastic one

static const double Pi = 3.1415927, L1 = 0.15, L2 = 0.30, M2 = 0.151104, M3 = 0.075552,
                    J1 = 0.002727, J2 = 0.0045339259, young = 2e11, width = 0.008, height = 0.008,
                    rho = 7870, speed = 150;

typedef struct Rod {
    double Mq[MODES][MODES], Kq[MODES][MODES], Bq[MODES][MODES];
    double c1[MODES], c2[MODES], c12[MODES], c21[MODES];
} Rod;

static Rod crank_rod(void) {
    const double volume = width * height * L2, m = rho * volume, k = young * width * height / L2;
    const double slim = height / L2 * (height / L2), p3 = Pi * Pi * Pi;
    const double b13 = -16 / p3, b14 = 8 / p3 - 1 / Pi, b24 = 0.5 / Pi;
    Rod r = {
        .Mq = {{0.5 * m}, {0, 0.5 * m}, {0, 0, 8 * m, m}, {0, 0, m, 2 * m}},
        .Kq = {{k * p3 * Pi / 24 * slim},
               {0, k * p3 * Pi * 2 / 3 * slim},
               {0, 0, k * 16 / 3, -k * 8 / 3},
               {0, 0, -k * 8 / 3, k * 7 / 3}},
        .Bq = {{0, 0, volume * b13, volume * b14},
               {0, 0, 0, volume * b24},
               {-volume * b13},
               {-volume * b14, -volume * b24}},
        .c1 = {0, 0, volume * 2 / 3, volume / 6},
        .c2 = {volume * 2 / Pi},
        .c12 = {0, 0, L2 * volume / 3, L2 * volume / 6},
        .c21 = {L2 * volume / Pi, -L2 * volume * 0.5 / Pi},
    };
    return r;
}

static double rod_dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void crank_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                       double *S) {
    (void)p, (void)work, (void)into_S;
    const Rod r = crank_rod();
    const double *e = at->q + E, d = at->q[0] - at->q[1], co = cos(d), si = sin(d);
    double M[N][N] = {0}, Me[MODES];
    for (int i = 0; i < MODES; i++)
        Me[i] = rod_dot(r.Mq[i], e);
    M[0][0] = J1 + M2 * L1 * L1;
    M[0][1] = 0.5 * L1 * L2 * M2 * co + rho * L1 * (si * rod_dot(r.c2, e) + co * rod_dot(r.c1, e));
    M[1][1] = J2 + rod_dot(e, Me) + 2 * rho * rod_dot(r.c12, e);
    M[2][2] = M3;
    for (int i = 0; i < MODES; i++) {
        double Be = 0;
        for (int k = 0; k < MODES; k++) {
            Be += r.Bq[k][i] * e[k];
            M[E + i][E + k] = r.Mq[i][k];
        }
        M[0][E + i] = rho * L1 * (co * r.c2[i] - si * r.c1[i]);
        M[1][E + i] = rho * (r.c21[i] + Be);
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            S[k * N + i] += c * (i <= k ? M[i][k] : M[k][i]);
}

static void crank_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work;
    const Rod r = crank_rod();
    const double *e = at->q + E, *de = at->v + E, d = at->q[0] - at->q[1], co = cos(d), si = sin(d),
                 v1 = at->v[0], v2 = at->v[1];
    double Me[MODES], Bde[MODES], Ke[MODES];
    for (int i = 0; i < MODES; i++) {
        Me[i] = rod_dot(r.Mq[i], e);
        Bde[i] = rod_dot(r.Bq[i], de);
        Ke[i] = rod_dot(r.Kq[i], e);
    }
    f[0] = -0.5 * L1 * L2 * M2 * v2 * v2 * si +
           rho * L1 * v2 * v2 * (co * rod_dot(r.c2, e) - si * rod_dot(r.c1, e)) -
           2 * rho * L1 * v2 * (co * rod_dot(r.c1, de) + si * rod_dot(r.c2, de));
    f[1] = 0.5 * L1 * L2 * M2 * v1 * v1 * si +
           rho * L1 * v1 * v1 * (si * rod_dot(r.c1, e) - co * rod_dot(r.c2, e)) -
           2 * rho * v2 * rod_dot(r.c12, de) - 2 * v2 * rod_dot(de, Me) - rho * rod_dot(de, Bde);
    f[2] = 0;
    for (int i = 0; i < MODES; i++)
        f[E + i] = v2 * v2 * Me[i] +
                   rho * (v2 * v2 * r.c12[i] + L1 * v1 * v1 * (co * r.c1[i] + si * r.c2[i]) +
                          2 * v2 * Bde[i]) -
                   Ke[i];
}

static void crank_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)p, (void)work;
    const double *q = at->q, length = L2 + q[6];
    g[0] = L1 * sin(q[0]) + length * sin(q[1]);
    g[1] = q[2] - L1 * cos(q[0]) - length * cos(q[1]);
    g[2] = q[0] - speed * at->t;
}

static void crank_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    (void)p, (void)work;
    const double *q = at->q, length = L2 + q[6];
    const double rows[3][N] = {
        {L1 * cos(q[0]), length * cos(q[1]), 0, 0, 0, 0, sin(q[1])},
        {L1 * sin(q[0]), length * sin(q[1]), 1, 0, 0, 0, -cos(q[1])},
        {1},
    };
    memcpy(G, rows, sizeof rows);
}

static void crank_velocity_rhs(const HolProblem *p, void *work, const HolPoint *at, double *gt) {
    (void)p, (void)work, (void)at;
    gt[0] = gt[1] = 0;
    gt[2] = -speed;
}

// G' v
static void crank_acceleration_rhs(const HolProblem *p, void *work, const HolPoint *at,
                                   double *gamma) {
    (void)p, (void)work;
    const double *q = at->q, *v = at->v, length = L2 + q[6];
    const double a = L1 * v[0] * v[0], b = length * v[1] * v[1], c = 2 * v[6] * v[1];
    gamma[0] = -a * sin(q[0]) - b * sin(q[1]) + c * cos(q[1]);
    gamma[1] = a * cos(q[0]) + b * cos(q[1]) + c * sin(q[1]);
    gamma[2] = 0;
}

static const HolProblem crank = {.size = sizeof(HolProblem),
                                 .nq = N,
                                 .nv = N,
                                 .nh = 3,
                                 .mass = crank_mass,
                                 .force = crank_force,
                                 .constraint = crank_constraint,
                                 .jacobian = crank_jacobian,
                                 .velocity_rhs = crank_velocity_rhs,
                                 .acceleration_rhs = crank_acceleration_rhs};
static const double crank_q0[N] = {0, 0, 0.450016933, 0, 0, 0.103339863e-4, 0.169327969e-4};
static const double crank_v0[N] = {150,
                                   -74.9957670,
                                   -0.268938672e-5,
                                   0.444896105,
                                   0.463434311e-2,
                                   -0.178591076e-5,
                                   -0.268938672e-5};

int sb_built_in(const char *name, const HolProblem **problem, const double **q0,
                const double **v0) {
    if (strcmp(name, "flexible-crank"))
        return 0;
    *problem = &crank;
    *q0 = crank_q0;
    *v0 = crank_v0;
    return 1;
}
