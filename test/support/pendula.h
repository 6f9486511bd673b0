// SPDX-License-Identifier: Apache-2.0
// The two pendula of the index-3 paper as C problems, shared by tests.
//  pendulum         point mass 1, x^2 + y^2 - 1 = 0, g = 9.81, starts at rest at 60 degrees
//  double pendulum  two rods (6 coordinates, 4 constraints), stiff torsional spring-dampers
//  friction         the double pendulum with forces as algebraic variables w = (V1..V5, F1, F2):
//                   V = (th2-th1, w2-w1, |ground reaction|, ay2+g, V3/2), pin friction mu r V3 tanh
// Reduced coordinates give the states: theta from the vertical (pendulum), from the x axis
// (double).
#ifndef TEST_PENDULA_H
#define TEST_PENDULA_H

#include <holonom/holonom.h>

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- pendulum ----

static inline void pendulum_mass(const HolProblem *p, void *work, const HolPoint *at, double c,
                                 int into_S, double *S) {
    (void)p, (void)work, (void)at, (void)into_S;
    S[0] += c;
    S[3] += c;
}

static inline void pendulum_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    f[0] = 0;
    f[1] = -9.81;
}

static inline void pendulum_constraint(const HolProblem *p, void *work, const HolPoint *at,
                                       double *g) {
    (void)p, (void)work, (void)at;
    g[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1;
}

static inline void pendulum_jacobian(const HolProblem *p, void *work, const HolPoint *at,
                                     double *G) {
    (void)p, (void)work, (void)at;
    G[0] = 2 * at->q[0];
    G[1] = 2 * at->q[1];
}

static inline void no_velocity_rhs(const HolProblem *p, void *work, const HolPoint *at,
                                   double *gt) {
    (void)work, (void)at;
    memset(gt, 0, sizeof *gt * (size_t)(p->nh + p->nn));
}

static inline void pendulum_acceleration_rhs(const HolProblem *p, void *work, const HolPoint *at,
                                             double *gamma) {
    (void)p, (void)work, (void)at;
    gamma[0] = 2 * (at->v[0] * at->v[0] + at->v[1] * at->v[1]);
}

static inline void pendulum_tangent(const HolProblem *p, void *work, const HolPoint *at, double cC,
                                    double cK, double *S) {
    (void)p, (void)work, (void)at, (void)cC;
    S[0] += cK * 2 * at->lambda[0];
    S[3] += cK * 2 * at->lambda[0];
}

static inline void pendulum_energy(const HolProblem *p, void *work, const HolPoint *at,
                                   double *kinetic, double *potential, double *power) {
    (void)p, (void)work, (void)at;
    *kinetic = 0.5 * (at->v[0] * at->v[0] + at->v[1] * at->v[1]);
    *potential = 9.81 * at->q[1];
    *power = 0;
}

static inline void pendulum_row_name(const HolProblem *p, int row, char *out, size_t size) {
    (void)p, (void)row;
    snprintf(out, size, "string");
}

static inline HolProblem pendulum_problem(void) {
    HolProblem p = hol_problem_def();
    p.nq = p.nv = 2;
    p.nh = 1;
    p.mass = pendulum_mass;
    p.force = pendulum_force;
    p.constraint = pendulum_constraint;
    p.jacobian = pendulum_jacobian;
    p.velocity_rhs = no_velocity_rhs;
    p.acceleration_rhs = pendulum_acceleration_rhs;
    p.tangent = pendulum_tangent;
    p.energy = pendulum_energy;
    p.row_name = pendulum_row_name;
    return p;
}

static inline void pendulum_state(double theta, double omega, double *q, double *v) {
    q[0] = sin(theta);
    q[1] = -cos(theta);
    v[0] = omega * cos(theta);
    v[1] = omega * sin(theta);
}

// ---- double pendulum ----

enum { X1, Y1, T1, X2, Y2, T2 };
#define M1 3.0
#define M2 0.3
#define L1 1.0
#define L2 1.5
#define K1 400.0
#define K2 3e5
#define C1 15.0
#define C2 5e4
#define GRAVITY 9.81

static inline void double_mass(const HolProblem *p, void *work, const HolPoint *at, double c,
                               int into_S, double *S) {
    static const double M[6] = {M1, M1, M1 * L1 * L1 / 3, M2, M2, M2 * L2 * L2 / 3};
    (void)p, (void)work, (void)at, (void)into_S;
    for (int i = 0; i < 6; i++)
        S[7 * i] += c * M[i];
}

static inline void double_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    double torque = K2 * (at->q[T1] - at->q[T2]) + C2 * (at->v[T1] - at->v[T2]);
    memset(f, 0, 6 * sizeof *f);
    f[Y1] = -M1 * GRAVITY;
    f[T1] = K1 * (1.5 * PI - at->q[T1]) - C1 * at->v[T1] - torque;
    f[Y2] = -M2 * GRAVITY;
    f[T2] = torque;
}

static inline void double_constraint(const HolProblem *p, void *work, const HolPoint *at,
                                     double *g) {
    (void)p, (void)work, (void)at;
    g[0] = at->q[X1] - L1 * cos(at->q[T1]);
    g[1] = at->q[Y1] - L1 * sin(at->q[T1]);
    g[2] = at->q[X1] + L1 * cos(at->q[T1]) + L2 * cos(at->q[T2]) - at->q[X2];
    g[3] = at->q[Y1] + L1 * sin(at->q[T1]) + L2 * sin(at->q[T2]) - at->q[Y2];
}

static inline void double_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    (void)p, (void)work, (void)at;
    double c1 = L1 * cos(at->q[T1]), s1 = L1 * sin(at->q[T1]), c2 = L2 * cos(at->q[T2]),
           s2 = L2 * sin(at->q[T2]);
    const double rows[24] = {1, 0, s1,  0,  0, 0,   0, 1, -c1, 0, 0,  0,
                             1, 0, -s1, -1, 0, -s2, 0, 1, c1,  0, -1, c2};
    memcpy(G, rows, sizeof rows);
}

static inline void double_acceleration_rhs(const HolProblem *p, void *work, const HolPoint *at,
                                           double *gamma) {
    (void)p, (void)work, (void)at;
    double w1 = L1 * at->v[T1] * at->v[T1], w2 = L2 * at->v[T2] * at->v[T2];
    gamma[0] = cos(at->q[T1]) * w1;
    gamma[1] = sin(at->q[T1]) * w1;
    gamma[2] = -cos(at->q[T1]) * w1 - cos(at->q[T2]) * w2;
    gamma[3] = -sin(at->q[T1]) * w1 - sin(at->q[T2]) * w2;
}

// (G^T lambda)_q
static inline void double_geometric(const double *q, const double *l, double cK, double *S) {
    S[6 * T1 + T1] += cK * L1 * (cos(q[T1]) * (l[0] - l[2]) + sin(q[T1]) * (l[1] - l[3]));
    S[6 * T2 + T2] -= cK * L2 * (cos(q[T2]) * l[2] + sin(q[T2]) * l[3]);
}

static inline void double_tangent(const HolProblem *p, void *work, const HolPoint *at, double cC,
                                  double cK, double *S) {
    (void)p, (void)work, (void)at;
    double outer = cK * K1 + cC * C1, inner = cK * K2 + cC * C2;
    S[6 * T1 + T1] += outer + inner;
    S[6 * T2 + T1] -= inner;
    S[6 * T1 + T2] -= inner;
    S[6 * T2 + T2] += inner;
    double_geometric(at->q, at->lambda, cK, S);
}

static inline void double_energy(const HolProblem *p, void *work, const HolPoint *at,
                                 double *kinetic, double *potential, double *power) {
    (void)p, (void)work, (void)at;
    double d1 = 1.5 * PI - at->q[T1], d2 = at->q[T1] - at->q[T2], r = at->v[T1] - at->v[T2];
    *kinetic = 0.5 * (M1 * (at->v[X1] * at->v[X1] + at->v[Y1] * at->v[Y1] +
                            L1 * L1 / 3 * at->v[T1] * at->v[T1]) +
                      M2 * (at->v[X2] * at->v[X2] + at->v[Y2] * at->v[Y2] +
                            L2 * L2 / 3 * at->v[T2] * at->v[T2]));
    *potential = GRAVITY * (M1 * at->q[Y1] + M2 * at->q[Y2]) + 0.5 * (K1 * d1 * d1 + K2 * d2 * d2);
    *power = -C1 * at->v[T1] * at->v[T1] - C2 * r * r;
}

static inline HolProblem double_problem(void) {
    HolProblem p = hol_problem_def();
    p.nq = p.nv = 6;
    p.nh = 4;
    p.mass = double_mass;
    p.force = double_force;
    p.constraint = double_constraint;
    p.jacobian = double_jacobian;
    p.velocity_rhs = no_velocity_rhs;
    p.acceleration_rhs = double_acceleration_rhs;
    p.tangent = double_tangent;
    p.energy = double_energy;
    p.has_power = 1;
    return p;
}

static inline void double_state(const double *y, double *q, double *v) {
    double c1 = L1 * cos(y[0]), s1 = L1 * sin(y[0]), c2 = L2 * cos(y[1]), s2 = L2 * sin(y[1]);
    const double position[6] = {c1, s1, y[0], 2 * c1 + c2, 2 * s1 + s2, y[1]};
    const double velocity[6] = {
        -s1 * y[2], c1 * y[2], y[2], -2 * s1 * y[2] - s2 * y[3], 2 * c1 * y[2] + c2 * y[3], y[3]};
    memcpy(q, position, sizeof position);
    memcpy(v, velocity, sizeof velocity);
}

// ---- forces as algebraic variables ----

typedef struct Friction {
    double mu, r, ws;
} Friction;

enum { V1, V2, V3, V4, V5, F1, F2, NW };

static inline void friction_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    memset(f, 0, 6 * sizeof *f);
    f[Y1] = -M1 * GRAVITY;
    f[T1] = at->w[F1] - at->w[F2];
    f[Y2] = -M2 * GRAVITY;
    f[T2] = at->w[F2];
}

static inline void friction_tangent(const HolProblem *p, void *work, const HolPoint *at, double cC,
                                    double cK, double *S) {
    (void)p, (void)work, (void)at, (void)cC;
    double_geometric(at->q, at->lambda, cK, S);
}

static inline void friction_variables(const HolProblem *p, void *work, const HolPoint *at,
                                      const HolAlgebraic *out) {
    (void)work, (void)at;
    const Friction *u = p->user;
    double reaction = sqrt(at->lambda[0] * at->lambda[0] + at->lambda[1] * at->lambda[1] + 1e-6),
           slope = tanh(at->v[T1] / u->ws);
    out->r[V1] = at->w[V1] - (at->q[T2] - at->q[T1]);
    out->r[V2] = at->w[V2] - (at->v[T2] - at->v[T1]);
    out->r[V3] = at->w[V3] - reaction;
    out->r[V4] = at->w[V4] - (at->a[Y2] + GRAVITY);
    out->r[V5] = at->w[V5] - 0.5 * at->w[V3];
    out->r[F1] = at->w[F1] -
                 (K1 * (1.5 * PI - at->q[T1]) - C1 * at->v[T1] - u->mu * u->r * at->w[V3] * slope);
    out->r[F2] = at->w[F2] + K2 * at->w[V1] + C2 * at->w[V2];
    if (!out->Jq)
        return;
    memset(out->Jq, 0, NW * 6 * sizeof *out->Jq);
    memset(out->Jv, 0, NW * 6 * sizeof *out->Jv);
    memset(out->Ja, 0, NW * 6 * sizeof *out->Ja);
    memset(out->Jl, 0, NW * 4 * sizeof *out->Jl);
    memset(out->Jw, 0, NW * NW * sizeof *out->Jw);
    memset(out->fw, 0, 6 * NW * sizeof *out->fw);
    out->Jq[6 * V1 + T2] = 1;
    out->Jq[6 * V1 + T1] = -1;
    out->Jv[6 * V2 + T2] = 1;
    out->Jv[6 * V2 + T1] = -1;
    out->Jl[4 * V3] = at->lambda[0] / reaction;
    out->Jl[4 * V3 + 1] = at->lambda[1] / reaction;
    out->Ja[6 * V4 + Y2] = 1;
    out->Jw[NW * V5 + V3] = 0.5;
    out->Jq[6 * F1 + T1] = -K1;
    out->Jv[6 * F1 + T1] = -C1 - u->mu * u->r * at->w[V3] * (1 - slope * slope) / u->ws;
    out->Jw[NW * F1 + V3] = -u->mu * u->r * slope;
    out->Jw[NW * F2 + V1] = -K2;
    out->Jw[NW * F2 + V2] = -C2;
    out->fw[NW * T1 + F1] = 1;
    out->fw[NW * T1 + F2] = -1;
    out->fw[NW * T2 + F2] = 1;
}

static inline HolProblem friction_problem(const Friction *u) {
    HolProblem p = double_problem();
    p.user = u;
    p.nw = NW;
    p.force = friction_force;
    p.tangent = friction_tangent;
    p.variables = friction_variables;
    p.energy = NULL;
    p.has_power = 0;
    return p;
}

// ---- reference states (closed form; Radau IIA in multiprecision) ----

static const double pendulum_reference[2] = {0.66693430410680090512,
                                             2.3676698282513798569}; // t = 4
static const double double_start[4] = {2 * PI, 23 * PI / 12, 0, 10};
static const double double_reference[4] = {4.6404781832213311334, 4.6404967016885316789,
                                           -1.6298924540837664674, -1.6302527153802556104}; // t = 2

#endif
