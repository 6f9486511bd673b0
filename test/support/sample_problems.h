// SPDX-License-Identifier: Apache-2.0
// C-coded problems for tests of steppers and of the completion: planar bodies (x, y, angle) with
// revolute joints, and a spatial top in quaternion coordinates. Independent of src/model.
#ifndef HOL_TEST_SAMPLE_PROBLEMS_H
#define HOL_TEST_SAMPLE_PROBLEMS_H

#include <holonom/holonom.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- planar bodies: r_i + R_i s_i - r_j - R_j s_j = 0; i = -1 is the ground ----

typedef struct SampleJoint {
    int i, j;
    double si[2], sj[2];
} SampleJoint;

typedef struct SampleTorsion {
    int i, j; // torque on i: -k (angle_i - angle_j - rest) - c (omega_i - omega_j); opposite on j
    double k, c, rest;
} SampleTorsion;

typedef struct SamplePlanar {
    int bodies, joints, torsions;
    double mass[3], inertia[3], gravity;
    SampleJoint joint[4];
    SampleTorsion torsion[3];
    double torque, torque_rate; // on body 0: torque * sin(torque_rate * t)
} SamplePlanar;

static inline void sample_arm(const double *q, int body, const double *s, double *u,
                              double *normal) {
    u[0] = s[0];
    u[1] = s[1];
    if (body >= 0) {
        const double c = cos(q[3 * body + 2]), n = sin(q[3 * body + 2]);
        u[0] = c * s[0] - n * s[1];
        u[1] = n * s[0] + c * s[1];
    }
    normal[0] = -u[1];
    normal[1] = u[0];
}

static inline void sample_mass(const HolProblem *p, void *work, const HolPoint *at, double c,
                               int into_S, double *S) {
    (void)work, (void)at, (void)into_S;
    const SamplePlanar *d = p->user;
    for (int b = 0; b < d->bodies; b++)
        for (int k = 0; k < 3; k++)
            S[(3 * b + k) * p->nv + 3 * b + k] += c * (k < 2 ? d->mass[b] : d->inertia[b]);
}

static inline void sample_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)work, (void)at;
    const SamplePlanar *d = p->user;
    memset(f, 0, sizeof *f * (size_t)p->nv);
    for (int b = 0; b < d->bodies; b++)
        f[3 * b + 1] = -d->mass[b] * d->gravity;
    f[2] += d->torque * sin(d->torque_rate * at->t);
    for (int k = 0; k < d->torsions; k++) {
        const SampleTorsion *e = &d->torsion[k];
        const int i = 3 * e->i + 2, j = 3 * e->j + 2;
        const double torque = -e->k * (at->q[i] - (e->j < 0 ? 0 : at->q[j]) - e->rest) -
                              e->c * (at->v[i] - (e->j < 0 ? 0 : at->v[j]));
        f[i] += torque;
        if (e->j >= 0)
            f[j] -= torque;
    }
}

static inline void sample_constraint(const HolProblem *p, void *work, const HolPoint *at,
                                     double *g) {
    (void)work, (void)at;
    const SamplePlanar *d = p->user;
    for (int k = 0; k < d->joints; k++) {
        const SampleJoint *e = &d->joint[k];
        double ui[2], uj[2], n[2];
        sample_arm(at->q, e->i, e->si, ui, n);
        sample_arm(at->q, e->j, e->sj, uj, n);
        for (int l = 0; l < 2; l++)
            g[2 * k + l] = (e->i < 0 ? 0 : at->q[3 * e->i + l]) + ui[l] -
                           (e->j < 0 ? 0 : at->q[3 * e->j + l]) - uj[l];
    }
}

static inline void sample_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    (void)work, (void)at;
    const SamplePlanar *d = p->user;
    memset(G, 0, sizeof *G * (size_t)(p->nh * p->nv));
    for (int k = 0; k < d->joints; k++) {
        const SampleJoint *e = &d->joint[k];
        for (int side = 0; side < 2; side++) {
            const int b = side ? e->j : e->i;
            const double sign = side ? -1 : 1;
            double u[2], n[2];
            sample_arm(at->q, b, side ? e->sj : e->si, u, n);
            for (int l = 0; l < 2 && b >= 0; l++) {
                G[(2 * k + l) * p->nv + 3 * b + l] += sign;
                G[(2 * k + l) * p->nv + 3 * b + 2] += sign * n[l];
            }
        }
    }
}

static inline void sample_velocity_rhs(const HolProblem *p, void *work, const HolPoint *at,
                                       double *gt) {
    (void)work, (void)at;
    memset(gt, 0, sizeof *gt * (size_t)p->nh);
}

static inline void sample_acceleration_rhs(const HolProblem *p, void *work, const HolPoint *at,
                                           double *gamma) {
    (void)work, (void)at;
    const SamplePlanar *d = p->user;
    for (int k = 0; k < d->joints; k++) {
        const SampleJoint *e = &d->joint[k];
        gamma[2 * k] = gamma[2 * k + 1] = 0;
        for (int side = 0; side < 2; side++) {
            const int b = side ? e->j : e->i;
            double u[2], n[2];
            sample_arm(at->q, b, side ? e->sj : e->si, u, n);
            for (int l = 0; l < 2 && b >= 0; l++)
                gamma[2 * k + l] -= (side ? -1 : 1) * u[l] * at->v[3 * b + 2] * at->v[3 * b + 2];
        }
    }
}

static inline void sample_tangent(const HolProblem *p, void *work, const HolPoint *at, double cC,
                                  double cK, double *S) {
    (void)work, (void)at;
    const SamplePlanar *d = p->user;
    for (int k = 0; k < d->torsions; k++) {
        const SampleTorsion *e = &d->torsion[k];
        const double value = cC * e->c + cK * e->k;
        const int i = 3 * e->i + 2, j = 3 * e->j + 2;
        S[i * p->nv + i] += value;
        if (e->j >= 0) {
            S[j * p->nv + j] += value;
            S[i * p->nv + j] -= value;
            S[j * p->nv + i] -= value;
        }
    }
    for (int k = 0; k < d->joints; k++)
        for (int side = 0; side < 2; side++) {
            const SampleJoint *e = &d->joint[k];
            const int b = side ? e->j : e->i, c = 3 * b + 2;
            double u[2], n[2];
            sample_arm(at->q, b, side ? e->sj : e->si, u, n);
            if (b >= 0)
                S[c * p->nv + c] -= (side ? -1 : 1) * cK *
                                    (at->lambda[2 * k] * u[0] + at->lambda[2 * k + 1] * u[1]);
        }
}

static inline void sample_row_name(const HolProblem *p, int row, char *out, size_t size) {
    (void)p;
    snprintf(out, size, "joint %c", 'A' + row / 2);
}

static inline HolProblem sample_planar(const SamplePlanar *d) {
    return (HolProblem){.size = sizeof(HolProblem),
                        .user = d,
                        .nq = 3 * d->bodies,
                        .nv = 3 * d->bodies,
                        .nh = 2 * d->joints,
                        .mass = sample_mass,
                        .force = sample_force,
                        .constraint = sample_constraint,
                        .jacobian = sample_jacobian,
                        .velocity_rhs = sample_velocity_rhs,
                        .acceleration_rhs = sample_acceleration_rhs,
                        .tangent = sample_tangent,
                        .row_name = sample_row_name};
}

// Pendulum: point mass 1 at the end of a massless rod of length 1, angle 0 hanging, g = 9.8.
static inline SamplePlanar sample_pendulum_data(double torque, double torque_rate) {
    return (SamplePlanar){.bodies = 1,
                          .joints = 1,
                          .mass = {1},
                          .gravity = 9.8,
                          .joint = {{.i = 0, .j = -1, .si = {0, 1}}},
                          .torque = torque,
                          .torque_rate = torque_rate};
}

static inline void sample_pendulum_start(double angle, double omega, double *q, double *v) {
    q[0] = sin(angle);
    q[1] = -cos(angle);
    q[2] = angle;
    v[0] = cos(angle) * omega;
    v[1] = sin(angle) * omega;
    v[2] = omega;
}

// Double pendulum of the index-3 literature: half lengths 1 and 1.5, torsion springs and dampers.
static inline SamplePlanar sample_double_data(double scale) {
    const double pi = 3.14159265358979323846;
    return (SamplePlanar){
        .bodies = 2,
        .joints = 2,
        .torsions = 2,
        .mass = {3, 0.3},
        .inertia = {1, 0.3 * 1.5 * 1.5 / 3},
        .gravity = 9.81,
        .joint = {{.i = 0, .j = -1, .si = {-1, 0}},
                  {.i = 0, .j = 1, .si = {1, 0}, .sj = {-1.5, 0}}},
        .torsion = {{.i = 0, .j = -1, .k = scale * 400, .c = scale * 15, .rest = 1.5 * pi},
                    {.i = 1, .j = 0, .k = scale * 3e5, .c = scale * 5e4}}};
}

static inline void sample_double_start(const double *angle, const double *omega, double *q,
                                       double *v) {
    const double c1 = cos(angle[0]), s1 = sin(angle[0]), c2 = cos(angle[1]), s2 = sin(angle[1]);
    const double w1 = omega[0], w2 = omega[1];
    const double position[6] = {c1, s1, angle[0], 2 * c1 + 1.5 * c2, 2 * s1 + 1.5 * s2, angle[1]};
    const double velocity[6] = {
        -s1 * w1, c1 * w1, w1, -2 * s1 * w1 - 1.5 * s2 * w2, 2 * c1 * w1 + 1.5 * c2 * w2, w2};
    memcpy(q, position, sizeof position);
    memcpy(v, velocity, sizeof velocity);
}

// ---- spatial top on a spherical joint: q = (r, p), v = (velocity, omega in body axes) ----

typedef struct SampleTop {
    double mass, J[3], arm[3], gravity;
} SampleTop;

// L(p) with omega = 2 L p', p' = L^T omega / 2
static inline void sample_L(const double *p, double L[3][4]) {
    const double w = p[0], x = p[1], y = p[2], z = p[3];
    const double rows[3][4] = {{-x, w, z, -y}, {-y, -z, w, x}, {-z, y, -x, w}};
    memcpy(L, rows, sizeof rows);
}

static inline void sample_rotate(const double *p, const double *s, double *out) {
    const double w = p[0], *u = p + 1;
    double c[3] = {u[1] * s[2] - u[2] * s[1], u[2] * s[0] - u[0] * s[2], u[0] * s[1] - u[1] * s[0]};
    for (int i = 0; i < 3; i++)
        c[i] += w * s[i];
    out[0] = s[0] + 2 * (u[1] * c[2] - u[2] * c[1]);
    out[1] = s[1] + 2 * (u[2] * c[0] - u[0] * c[2]);
    out[2] = s[2] + 2 * (u[0] * c[1] - u[1] * c[0]);
}

static inline void sample_cross(const double *a, const double *b, double *out) {
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

static inline void top_qdot(const HolProblem *p, void *work, const double *q, const double *v,
                            double *qd) {
    (void)p, (void)work;
    double L[3][4];
    sample_L(q + 3, L);
    for (int i = 0; i < 3; i++)
        qd[i] = v[i];
    for (int i = 0; i < 4; i++)
        qd[3 + i] = 0.5 * (L[0][i] * v[3] + L[1][i] * v[4] + L[2][i] * v[5]);
}

static inline void top_qddot(const HolProblem *p, void *work, const double *q, const double *v,
                             const double *a, double *qdd) {
    top_qdot(p, work, q, a, qdd);
    const double square = v[3] * v[3] + v[4] * v[4] + v[5] * v[5];
    for (int i = 0; i < 4; i++)
        qdd[3 + i] -= 0.25 * square * q[3 + i];
}

static inline void top_retract(const HolProblem *p, void *work, const double *q, const double *d,
                               double *out) {
    (void)p, (void)work;
    const double angle = sqrt(d[3] * d[3] + d[4] * d[4] + d[5] * d[5]);
    const double c = cos(angle / 2), s = angle > 1e-8 ? sin(angle / 2) / angle : 0.5;
    const double e[4] = {c, s * d[3], s * d[4], s * d[5]};
    const double w = q[3], x = q[4], y = q[5], z = q[6];
    const double r[4] = {
        w * e[0] - x * e[1] - y * e[2] - z * e[3], w * e[1] + x * e[0] + y * e[3] - z * e[2],
        w * e[2] - x * e[3] + y * e[0] + z * e[1], w * e[3] + x * e[2] - y * e[1] + z * e[0]};
    const double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int i = 0; i < 3; i++)
        out[i] = q[i] + d[i];
    for (int i = 0; i < 4; i++)
        out[3 + i] = r[i] / length;
}

static inline void top_minus(const HolProblem *p, void *work, const double *q1, const double *q0,
                             double *d) {
    (void)p, (void)work;
    double L[3][4];
    sample_L(q1 + 3, L);
    for (int i = 0; i < 3; i++) {
        d[i] = q1[i] - q0[i];
        d[3 + i] = 0;
        for (int k = 0; k < 4; k++)
            d[3 + i] += 2 * L[i][k] * (q1[3 + k] - q0[3 + k]);
    }
}

static inline void top_mass(const HolProblem *p, void *work, const HolPoint *at, double c,
                            int into_S, double *S) {
    (void)work, (void)at, (void)into_S;
    const SampleTop *d = p->user;
    for (int i = 0; i < 6; i++)
        S[7 * i] += c * (i < 3 ? d->mass : d->J[i - 3]);
}

static inline void top_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)work, (void)at;
    const SampleTop *d = p->user;
    const double spin[3] = {d->J[0] * at->v[3], d->J[1] * at->v[4], d->J[2] * at->v[5]};
    sample_cross(spin, at->v + 3, f + 3); // -(omega x J omega)
    f[0] = f[1] = 0;
    f[2] = -d->mass * d->gravity;
}

static inline void top_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)work, (void)at;
    const SampleTop *d = p->user;
    double u[3];
    sample_rotate(at->q + 3, d->arm, u);
    for (int i = 0; i < 3; i++)
        g[i] = at->q[i] - u[i];
}

static inline void top_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    (void)work, (void)at;
    const SampleTop *d = p->user;
    memset(G, 0, sizeof *G * 18);
    for (int j = 0; j < 3; j++) {
        double axis[3] = {j == 0, j == 1, j == 2}, moved[3];
        G[6 * j + j] = 1;
        sample_cross(axis, d->arm, moved);
        sample_rotate(at->q + 3, moved, moved);
        for (int i = 0; i < 3; i++)
            G[6 * i + 3 + j] = -moved[i];
    }
}

static inline void top_acceleration_rhs(const HolProblem *p, void *work, const HolPoint *at,
                                        double *gamma) {
    (void)work, (void)at;
    const SampleTop *d = p->user;
    double c[3];
    sample_cross(at->v + 3, d->arm, c);
    sample_cross(at->v + 3, c, c);
    sample_rotate(at->q + 3, c, gamma);
    for (int i = 0; i < 3; i++)
        gamma[i] = -gamma[i];
}

static inline HolProblem sample_top(const SampleTop *d) {
    return (HolProblem){.size = sizeof(HolProblem),
                        .user = d,
                        .nq = 7,
                        .nv = 6,
                        .nh = 3,
                        .qdot = top_qdot,
                        .qddot = top_qddot,
                        .retract = top_retract,
                        .minus = top_minus,
                        .mass = top_mass,
                        .force = top_force,
                        .constraint = top_constraint,
                        .jacobian = top_jacobian,
                        .velocity_rhs = sample_velocity_rhs,
                        .acceleration_rhs = top_acceleration_rhs};
}

static inline SampleTop sample_top_data(void) {
    return (SampleTop){
        .mass = 15, .J = {0.234375, 0.46875, 0.234375}, .arm = {0, 1, 0}, .gravity = 9.81};
}

static inline void sample_top_start(const SampleTop *d, double *q, double *v) {
    const double omega[3] = {0, 15, -0.461538};
    const double q0[7] = {d->arm[0], d->arm[1], d->arm[2], 1, 0, 0, 0};
    memcpy(q, q0, sizeof q0);
    sample_cross(omega, d->arm, v);
    memcpy(v + 3, omega, sizeof omega);
}

#endif
