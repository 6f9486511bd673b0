// SPDX-License-Identifier: Apache-2.0
// The problems of the alpha-method and coordinate-split papers as C problems with exact
// derivatives: point on the unit circle (pendulum, linear force, springs), stiff spring pendulum,
// three-variable bushing problem, double pendulum of rods, flexible slider-crank. Dense patterns
// throughout.
#ifndef TEST_ALPHA_PROBLEMS_H
#define TEST_ALPHA_PROBLEMS_H

#include <holonom/holonom.h>

#include <math.h>
#include <string.h>

#define UNUSED_PWT (void)p, (void)work, (void)at

static inline void unit_mass(const HolProblem *p, void *work, const HolPoint *at, double c,
                             int into_S, double *S) {
    UNUSED_PWT, (void)into_S;
    for (int i = 0; i < p->nv; i++)
        S[(p->nv + 1) * i] += c;
}

static inline void no_rate(const HolProblem *p, void *work, const HolPoint *at, double *gt) {
    UNUSED_PWT;
    memset(gt, 0, sizeof *gt * (size_t)p->nh);
}

// ---- unit mass in the plane: on the unit circle g = (x^2+y^2-1)/2, or free ----

typedef struct Point {
    double gravity;   // along y
    double k_x;       // force -k_x x
    double k, l0;     // spring of rest length l0
    double anchor[2]; // fixed here
} Point;

static inline void point_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    UNUSED_PWT;
    const Point *d = p->user;
    f[0] = -d->k_x * at->q[0];
    f[1] = d->gravity;
    if (d->k > 0) {
        double e[2] = {at->q[0] - d->anchor[0], at->q[1] - d->anchor[1]}, l = hypot(e[0], e[1]);
        for (int i = 0; i < 2; i++)
            f[i] -= d->k * (l - d->l0) / l * e[i];
    }
}

static inline void circle_constraint(const HolProblem *p, void *work, const HolPoint *at,
                                     double *g) {
    UNUSED_PWT;
    g[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
}

static inline void circle_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    UNUSED_PWT;
    G[0] = at->q[0];
    G[1] = at->q[1];
}

static inline void circle_gamma(const HolProblem *p, void *work, const HolPoint *at,
                                double *gamma) {
    UNUSED_PWT;
    gamma[0] = at->v[0] * at->v[0] + at->v[1] * at->v[1];
}

static inline void circle_B(const HolProblem *p, void *work, const HolPoint *at, double *B) {
    UNUSED_PWT;
    B[0] += at->v[0];
    B[1] += at->v[1];
}

static inline void point_tangent(const HolProblem *p, void *work, const HolPoint *at, double cC,
                                 double cK, double *S) {
    UNUSED_PWT, (void)cC;
    const Point *d = p->user;
    S[0] += cK * d->k_x;
    for (int i = 0; i < 2 && p->nh; i++)
        S[3 * i] += cK * at->lambda[0];
    if (!(d->k > 0))
        return;
    double e[2] = {at->q[0] - d->anchor[0], at->q[1] - d->anchor[1]}, l = hypot(e[0], e[1]);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double nn = e[i] * e[j] / (l * l);
            S[2 * j + i] += cK * d->k * (nn + (1 - d->l0 / l) * ((i == j) - nn));
        }
}

static inline HolProblem point_problem(const Point *d, int on_circle) {
    HolProblem p = {.size = sizeof(HolProblem),
                    .user = d,
                    .nq = 2,
                    .nv = 2,
                    .mass = unit_mass,
                    .force = point_force,
                    .tangent = point_tangent};
    if (on_circle) {
        p.nh = 1;
        p.constraint = circle_constraint;
        p.jacobian = circle_jacobian;
        p.velocity_rhs = no_rate;
        p.acceleration_rhs = circle_gamma;
        p.velocity_jacobian = circle_B;
    }
    return p;
}

static inline double spring_pendulum_energy(const double *q, const double *v, double k) {
    double r = hypot(q[0], q[1]) - 1;
    return (v[0] * v[0] + v[1] * v[1]) / 2 + k * r * r / 2 - q[1];
}

// ---- three-variable bushing problem: x, y, theta; g = x^2+y^2-1 ----

typedef struct Bushing {
    double k, gravity;
} Bushing;

static inline void bushing_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    UNUSED_PWT;
    const Bushing *d = p->user;
    double c = cos(at->q[2]), s = sin(at->q[2]);
    double fx = 0.5 - at->q[0] + 0.5 * c, fy = -at->q[1] + 0.5 * s;
    f[0] = d->k * fx;
    f[1] = d->k * fy + d->gravity;
    f[2] = -0.1 * d->k * at->q[2] - 0.5 * d->k * (c * fy - s * fx) + 0.5 * c * d->gravity;
}

static inline void bushing_constraint(const HolProblem *p, void *work, const HolPoint *at,
                                      double *g) {
    UNUSED_PWT;
    g[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1;
}

static inline void bushing_jacobian(const HolProblem *p, void *work, const HolPoint *at,
                                    double *G) {
    UNUSED_PWT;
    G[0] = 2 * at->q[0];
    G[1] = 2 * at->q[1];
    G[2] = 0;
}

static inline void bushing_gamma(const HolProblem *p, void *work, const HolPoint *at,
                                 double *gamma) {
    UNUSED_PWT;
    gamma[0] = 2 * (at->v[0] * at->v[0] + at->v[1] * at->v[1]);
}

static inline void bushing_B(const HolProblem *p, void *work, const HolPoint *at, double *B) {
    UNUSED_PWT;
    B[0] += 2 * at->v[0];
    B[1] += 2 * at->v[1];
}

static inline void bushing_tangent(const HolProblem *p, void *work, const HolPoint *at, double cC,
                                   double cK, double *S) {
    UNUSED_PWT, (void)cC;
    const Bushing *d = p->user;
    double c = cos(at->q[2]), s = sin(at->q[2]), k = d->k;
    double fx = 0.5 - at->q[0] + 0.5 * c, fy = -at->q[1] + 0.5 * s;
    double f_q[3][3] = {
        {-k, 0, -0.5 * k * s}, {0, -k, 0.5 * k * c}, {-0.5 * k * s, 0.5 * k * c, 0}};
    f_q[2][2] = -0.1 * k - 0.5 * k * (-s * fy - c * fx + 0.5) - 0.5 * s * d->gravity;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            S[3 * j + i] += cK * ((i == j && i < 2 ? 2 * at->lambda[0] : 0) - f_q[i][j]);
}

static inline HolProblem bushing_problem(const Bushing *d) {
    return (HolProblem){.size = sizeof(HolProblem),
                        .user = d,
                        .nq = 3,
                        .nv = 3,
                        .nh = 1,
                        .mass = unit_mass,
                        .force = bushing_force,
                        .constraint = bushing_constraint,
                        .jacobian = bushing_jacobian,
                        .velocity_rhs = no_rate,
                        .acceleration_rhs = bushing_gamma,
                        .velocity_jacobian = bushing_B,
                        .tangent = bushing_tangent};
}

static inline double bushing_energy(const Bushing *d, const double *q, const double *v) {
    double fx = 0.5 - q[0] + 0.5 * cos(q[2]), fy = -q[1] + 0.5 * sin(q[2]);
    return (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 +
           d->k * (fx * fx + fy * fy + 0.1 * q[2] * q[2]) / 2 -
           d->gravity * (q[1] + 0.5 * sin(q[2]));
}

// ---- double pendulum of rods, angles from +x ----

static const double rod_mass[2] = {1, 0.7}, rod_half[2] = {0.5, 0.4};

static inline void rods_mass(const HolProblem *p, void *work, const HolPoint *at, double c,
                             int into_S, double *S) {
    UNUSED_PWT, (void)into_S;
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 3; i++)
            S[7 * (3 * b + i)] +=
                c * rod_mass[b] * (i < 2 ? 1 : 4 * rod_half[b] * rod_half[b] / 12);
}

static inline void rods_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    UNUSED_PWT;
    memset(f, 0, 6 * sizeof *f);
    f[1] = -9.81 * rod_mass[0];
    f[4] = -9.81 * rod_mass[1];
}

static inline void rods_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    UNUSED_PWT;
    double u[2] = {rod_half[0] * cos(at->q[2]), rod_half[0] * sin(at->q[2])};
    double s[2] = {rod_half[1] * cos(at->q[5]), rod_half[1] * sin(at->q[5])};
    for (int i = 0; i < 2; i++) {
        g[i] = at->q[i] - u[i];
        g[2 + i] = at->q[3 + i] - s[i] - at->q[i] - u[i];
    }
}

static inline void rods_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    UNUSED_PWT;
    double n[2] = {-rod_half[0] * sin(at->q[2]), rod_half[0] * cos(at->q[2])};
    double o[2] = {-rod_half[1] * sin(at->q[5]), rod_half[1] * cos(at->q[5])};
    memset(G, 0, 24 * sizeof *G);
    for (int i = 0; i < 2; i++) {
        G[6 * i + i] = 1;
        G[6 * i + 2] = G[6 * (2 + i) + 2] = -n[i];
        G[6 * (2 + i) + i] = -1;
        G[6 * (2 + i) + 3 + i] = 1;
        G[6 * (2 + i) + 5] = -o[i];
    }
}

// (G v)_q: derivative of -n along the angle is +u
static inline void rods_B(const HolProblem *p, void *work, const HolPoint *at, double *B) {
    UNUSED_PWT;
    double u[2] = {rod_half[0] * cos(at->q[2]), rod_half[0] * sin(at->q[2])};
    double s[2] = {rod_half[1] * cos(at->q[5]), rod_half[1] * sin(at->q[5])};
    for (int i = 0; i < 2; i++) {
        B[6 * i + 2] += u[i] * at->v[2];
        B[6 * (2 + i) + 2] += u[i] * at->v[2];
        B[6 * (2 + i) + 5] += s[i] * at->v[5];
    }
}

static inline void rods_gamma(const HolProblem *p, void *work, const HolPoint *at, double *gamma) {
    double B[24] = {0};
    rods_B(p, work, at, B);
    for (int i = 0; i < 4; i++)
        gamma[i] = B[6 * i + 2] * at->v[2] + B[6 * i + 5] * at->v[5];
}

static inline void rods_tangent(const HolProblem *p, void *work, const HolPoint *at, double cC,
                                double cK, double *S) {
    UNUSED_PWT, (void)cC;
    S[7 * 2] += cK * rod_half[0] *
                (cos(at->q[2]) * (at->lambda[0] + at->lambda[2]) +
                 sin(at->q[2]) * (at->lambda[1] + at->lambda[3]));
    S[7 * 5] += cK * rod_half[1] * (cos(at->q[5]) * at->lambda[2] + sin(at->q[5]) * at->lambda[3]);
}

static inline HolProblem rods_problem(void) {
    return (HolProblem){.size = sizeof(HolProblem),
                        .nq = 6,
                        .nv = 6,
                        .nh = 4,
                        .mass = rods_mass,
                        .force = rods_force,
                        .constraint = rods_constraint,
                        .jacobian = rods_jacobian,
                        .velocity_rhs = no_rate,
                        .acceleration_rhs = rods_gamma,
                        .velocity_jacobian = rods_B,
                        .tangent = rods_tangent};
}

static inline void rods_start(double *q) {
    const double c = cos(0.5), s = sin(0.5);
    const double start[6] = {0.5, 0, 0, 1 + 0.4 * c, 0.4 * s, 0.5};
    memcpy(q, start, sizeof start);
}

#endif
