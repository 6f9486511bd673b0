// SPDX-License-Identifier: Apache-2.0
// A rod without elements: the static equations of Cosserat as a boundary value problem, solved by
// shooting. s: arc length without forces, frame A(s) with x along the rod, n and m: force and moment
// of the section in global axes, K: stiffness of the section, kappa0(s): natural curvature,
//   r' = A (e1 + g),  A' = A (kappa0 + k)~,  (g, k) = K^-1 (A^T n, A^T m),  n' = -q,  m' = -r' x n
// Several pieces follow each other with a turn of the frame between them (a frame's rigid corner).
// RK4 with STEPS steps a piece; Newton by differences for n(0), m(0).
#ifndef TEST_ROD_BVP_H
#define TEST_ROD_BVP_H

#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { ROD_STEPS = 800, ROD_PIECES = 3 };

typedef struct RodPiece {
    double length, kappa0[3];
    double turn[3]; // of the frame before it: rotation vector in axes of the piece before
} RodPiece;

typedef struct Rod {
    double C[36]; // compliance
    RodPiece piece[ROD_PIECES];
    int n;
    double r[3], p[4]; // the clamped start
    double q[3];       // load per length without forces: global, or with `pressure` in its axes
    int pressure;
    double P[3], M[3]; // at the end: global, or with `follows` in its axes
    int follows;
} Rod;

typedef struct RodState {
    double x[13]; // r, quaternion, n, m
} RodState;

static inline Vec3 rod_at(const double *x) {
    return v3_load(x);
}

static inline RodState rod_rate(const Rod *d, const RodPiece *piece, const RodState *y) {
    RodState out;
    const Quat p = q_load(y->x + 3);
    const Mat3 A = q_matrix(q_normalize(p));
    const Vec3 n = rod_at(y->x + 7), m = rod_at(y->x + 10);
    double s[6], e[6] = {0};
    v3_store(s, m3_tmulv(A, n));
    v3_store(s + 3, m3_tmulv(A, m));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            e[i] += d->C[6 * i + j] * s[j];
    const Vec3 dr = m3_mulv(A, v3_add(v3(1, 0, 0), rod_at(e)));
    const double w[4] = {0, 0.5 * (piece->kappa0[0] + e[3]), 0.5 * (piece->kappa0[1] + e[4]),
                         0.5 * (piece->kappa0[2] + e[5])};
    const Vec3 q = d->pressure ? m3_mulv(A, rod_at(d->q)) : rod_at(d->q);
    v3_store(out.x, dr);
    q_store(out.x + 3, q_mul(p, q_load(w)));
    v3_store(out.x + 7, v3_scale(q, -1));
    v3_store(out.x + 10, v3_scale(v3_cross(dr, n), -1));
    return out;
}

static inline RodState rod_move(const RodState *y, const RodState *k, double h) {
    RodState out;
    for (int i = 0; i < 13; i++)
        out.x[i] = y->x[i] + h * k->x[i];
    return out;
}

// from the start with n, m to the end
static inline RodState rod_integrate(const Rod *d, const double start[6]) {
    RodState y;
    memcpy(y.x, d->r, sizeof d->r);
    memcpy(y.x + 3, d->p, sizeof d->p);
    memcpy(y.x + 7, start, sizeof(double) * 6);
    for (int i = 0; i < d->n; i++) {
        const RodPiece *piece = &d->piece[i];
        const double h = piece->length / ROD_STEPS;
        q_store(y.x + 3, q_normalize(q_mul(q_load(y.x + 3), q_exp(rod_at(piece->turn)))));
        for (int k = 0; k < ROD_STEPS; k++) {
            const RodState k1 = rod_rate(d, piece, &y), y2 = rod_move(&y, &k1, h / 2),
                           k2 = rod_rate(d, piece, &y2), y3 = rod_move(&y, &k2, h / 2),
                           k3 = rod_rate(d, piece, &y3), y4 = rod_move(&y, &k3, h),
                           k4 = rod_rate(d, piece, &y4);
            for (int c = 0; c < 13; c++)
                y.x[c] += h / 6 * (k1.x[c] + 2 * k2.x[c] + 2 * k3.x[c] + k4.x[c]);
        }
    }
    return y;
}

// what is wrong at the end
static inline void rod_defect(const Rod *d, const double start[6], double load, double out[6]) {
    const RodState y = rod_integrate(d, start);
    const Mat3 A = q_matrix(q_normalize(q_load(y.x + 3)));
    const Vec3 P = v3_scale(rod_at(d->P), load), M = v3_scale(rod_at(d->M), load);
    v3_store(out, v3_sub(rod_at(y.x + 7), d->follows ? m3_mulv(A, P) : P));
    v3_store(out + 3, v3_sub(rod_at(y.x + 10), d->follows ? m3_mulv(A, M) : M));
}

static inline int rod_solve6(double A[36], double b[6]) {
    for (int k = 0; k < 6; k++) {
        int p = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(A[6 * i + k]) > fabs(A[6 * p + k]))
                p = i;
        if (A[6 * p + k] == 0)
            return 0;
        for (int j = 0; j < 6; j++) {
            const double t = A[6 * k + j];
            A[6 * k + j] = A[6 * p + j];
            A[6 * p + j] = t;
        }
        const double t = b[k];
        b[k] = b[p];
        b[p] = t;
        for (int i = k + 1; i < 6; i++) {
            const double f = A[6 * i + k] / A[6 * k + k];
            for (int j = k; j < 6; j++)
                A[6 * i + j] -= f * A[6 * k + j];
            b[i] -= f * b[k];
        }
    }
    for (int i = 5; i >= 0; i--) {
        for (int j = i + 1; j < 6; j++)
            b[i] -= A[6 * i + j] * b[j];
        b[i] /= A[6 * i + i];
    }
    return 1;
}

// the end of the rod under its loads, applied in `stages`; 0: no solution was found
static inline int rod_rest(Rod d, int stages, RodState *end) {
    double start[6] = {0}, last = 1;
    const Rod full = d;
    double size = 0, length = 0; // of forces
    for (int i = 0; i < d.n; i++)
        length += d.piece[i].length;
    for (int c = 0; c < 3; c++)
        size += fabs(d.P[c]) + fabs(d.M[c]) / length + fabs(d.q[c]) * length;
    for (int stage = 1; stage <= stages; stage++) {
        const double load = (double)stage / stages;
        for (int c = 0; c < 3; c++)
            d.q[c] = full.q[c] * load;
        for (int iteration = 0; iteration < 12; iteration++) {
            double b[6], J[36];
            rod_defect(&d, start, load, b);
            for (int j = 0; j < 6; j++) {
                double more[6], moved[6], less[6];
                const double unit = j < 3 ? size : size * length, e = 1e-5 * unit;
                memcpy(moved, start, sizeof moved);
                moved[j] += e;
                rod_defect(&d, moved, load, more);
                moved[j] -= 2 * e;
                rod_defect(&d, moved, load, less);
                for (int i = 0; i < 6; i++)
                    J[6 * i + j] = (more[i] - less[i]) / (2 * e);
            }
            if (!rod_solve6(J, b))
                return 0;
            last = 0;
            for (int j = 0; j < 6; j++) {
                start[j] -= b[j];
                last = fmax(last, fabs(b[j]) / (j < 3 ? size : size * length));
            }
            if (last < 1e-11)
                break;
        }
    }
    *end = rod_integrate(&full, start);
    return last < 1e-9;
}

#endif
