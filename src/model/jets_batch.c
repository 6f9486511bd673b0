// SPDX-License-Identifier: Apache-2.0
// Jets of the rows that nearly all joints are made of, many equations at a time and without
// coefficient series. Order k with y = lambda, y_k still unknown (zero):
//   point2  torque of b: sum_{i>=1} (u_x,i y2_{k-i} - u_y,i y1_{k-i}),  u = A s, for the pair of
//   rows x, y point3  torque in global axes: sum_{i>=1} u_i x y_{k-i};  dot3: sum_{i>=1} c_i
//   y_{k-i}, c = n_a x n_b
// In space the torques are gathered per body in global axes (jet.torque), and jets.c turns the sum
// once into body axes; when y_k is known, `set` adds its part to order k.
#include "math/vec.h"
#include "model/model.h"

static inline double *own_series(const HolModelWork *w, long first) {
    return w->jet.batch + first * w->jet.jets.stride;
}

// ---- plane ----

// one side: lever arm of order k, its product with lambda, and its part of g_{k+2}
static inline double plane_side(const HolJets *J, int body, const double *s, double *ux, double *uy,
                                const double *lx, const double *ly, int k, double *gx, double *gy) {
    const double *c = hol_series(J, body, HOL_S_COS), *sn = hol_series(J, body, HOL_S_SIN);
    double torque = 0;
    ux[k] = c[k] * s[0] - sn[k] * s[1];
    uy[k] = sn[k] * s[0] + c[k] * s[1];
    for (int i = 1; i <= k; i++)
        torque += ux[i] * ly[k - i] - uy[i] * lx[k - i];
    *gx = c[k + 2] * s[0] - sn[k + 2] * s[1];
    *gy = sn[k + 2] * s[0] + c[k + 2] * s[1];
    return torque;
}

static void point2_pair(const HolModel *m, HolModelWork *w, const HolBatchPoint *p, int k,
                        double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride, e = p->equation, nv = m->problem.nv;
    double *own = own_series(w, p->own), *lx = w->jet.lambda + (long)e * L, *ly = lx + L;
    double gx = 0, gy = 0, ax = 0, ay = 0;
    if (p->vb >= 0)
        rhs[p->vb] -= plane_side(J, p->b, p->sb, own + 2 * L, own + 3 * L, lx, ly, k, &gx, &gy);
    if (p->va >= 0)
        rhs[p->va] += plane_side(J, p->a, p->sa, own, own + L, lx, ly, k, &ax, &ay);
    double s = -(k + 1.0) * (k + 2.0);
    rhs[nv + e] = s * (gx - ax);
    rhs[nv + e + 1] = s * (gy - ay);
}

// a single row along any direction
static void point2_single(const HolModel *m, HolModelWork *w, const HolBatchPoint *p, int k,
                          double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride, e = p->equation;
    double *own = own_series(w, p->own), *y = w->jet.lambda + (long)e * L, g = 0;
    const double *dir = p->direction;
    for (int side = 0; side < 2; side++) {
        int body = side ? p->b : p->a, v = side ? p->vb : p->va;
        const double *s = side ? p->sb : p->sa, sign = side ? 1 : -1;
        if (v < 0)
            continue;
        const double *c = hol_series(J, body, HOL_S_COS), *sn = hol_series(J, body, HOL_S_SIN);
        double *beta = own + side * L, torque = 0; // e . perp(u)
        double along = dir[0] * s[0] + dir[1] * s[1], across = dir[1] * s[0] - dir[0] * s[1];
        beta[k] = c[k] * across - sn[k] * along;
        for (int i = 1; i <= k; i++)
            torque += beta[i] * y[k - i];
        rhs[v] -= sign * torque;
        g += sign * (c[k + 2] * along + sn[k + 2] * across);
    }
    rhs[m->problem.nv + e] = -(k + 1.0) * (k + 2.0) * g;
}

static void point2_stage(const HolModel *m, HolModelWork *w, int first, int count, int k,
                         double *rhs) {
    for (const HolBatchPoint *p = m->points + first; p < m->points + first + count; p++)
        if (p->group)
            point2_pair(m, w, p, k, rhs);
        else
            point2_single(m, w, p, k, rhs);
}

const HolRowBatch hol_batch_point2 = {point2_stage, NULL};

// ---- space ----

static inline Vec3 A_times(const double *A, int L, int k, const double *s) {
    return v3(A[k] * s[0] + A[L + k] * s[1] + A[2 * L + k] * s[2],
              A[3 * L + k] * s[0] + A[4 * L + k] * s[1] + A[5 * L + k] * s[2],
              A[6 * L + k] * s[0] + A[7 * L + k] * s[1] + A[8 * L + k] * s[2]);
}

static inline void put(double *x, int L, int k, Vec3 v) {
    x[k] = v.x;
    x[L + k] = v.y;
    x[2 * L + k] = v.z;
}

static inline Vec3 get(const double *x, int L, int k) {
    return v3(x[k], x[L + k], x[2 * L + k]);
}

// into the sum of a body; what lands at the ground or at point masses is never read
static inline void add_torque(HolModelWork *w, int body, int k, double sign, Vec3 t) {
    int L = w->jet.jets.stride;
    double *T = w->jet.torque + (long)3 * body * L;
    T[k] += sign * t.x;
    T[L + k] += sign * t.y;
    T[2 * L + k] += sign * t.z;
}

// order k of sum_{i>=1} x_i cross y_{k-i}
static inline Vec3 cross_product(const double *x, const double *y, int L, int first, int k) {
    double a = 0, b = 0, c = 0;
    for (int i = first; i <= k; i++) {
        double x0 = x[i], x1 = x[L + i], x2 = x[2 * L + i];
        double y0 = y[k - i], y1 = y[L + k - i], y2 = y[2 * L + k - i];
        a += x1 * y2 - x2 * y1;
        b += x2 * y0 - x0 * y2;
        c += x0 * y1 - x1 * y0;
    }
    return v3(a, b, c);
}

static void point3_triple(const HolModel *m, HolModelWork *w, const HolBatchPoint *p, int k,
                          double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride, e = p->equation;
    double *own = own_series(w, p->own), *y = w->jet.lambda + (long)e * L;
    Vec3 g = v3(0, 0, 0);
    for (int side = 0; side < 2; side++) {
        int body = side ? p->b : p->a;
        const double *s = side ? p->sb : p->sa;
        double *u = own + 3 * side * L;
        if ((side ? p->vb : p->va) < 0)
            continue;
        const double *A = hol_series(J, body, HOL_S_A);
        put(u, L, k, A_times(A, L, k, s));
        add_torque(w, body, k, side ? 1 : -1, cross_product(u, y, L, 1, k));
        Vec3 far = A_times(A, L, k + 2, s);
        g = side ? v3_add(g, far) : v3_sub(g, far);
    }
    double f = -(k + 1.0) * (k + 2.0);
    v3_store(rhs + m->problem.nv + e, v3_scale(g, f));
}

static void point3_single(const HolModel *m, HolModelWork *w, const HolBatchPoint *p, int k,
                          double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride, e = p->equation;
    double *own = own_series(w, p->own), *y = w->jet.lambda + (long)e * L, g = 0;
    Vec3 dir = v3_load(p->direction);
    for (int side = 0; side < 2; side++) {
        int body = side ? p->b : p->a;
        const double *s = side ? p->sb : p->sa, sign = side ? 1 : -1;
        double *u = own + 3 * side * L;
        if ((side ? p->vb : p->va) < 0)
            continue;
        const double *A = hol_series(J, body, HOL_S_A);
        put(u, L, k, v3_cross(A_times(A, L, k, s), dir));
        Vec3 t = v3(0, 0, 0);
        for (int i = 1; i <= k; i++)
            t = v3_add(t, v3_scale(get(u, L, i), y[k - i]));
        add_torque(w, body, k, sign, t);
        g += sign * v3_dot(dir, A_times(A, L, k + 2, s));
    }
    rhs[m->problem.nv + e] = -(k + 1.0) * (k + 2.0) * g;
}

static void point3_stage(const HolModel *m, HolModelWork *w, int first, int count, int k,
                         double *rhs) {
    for (const HolBatchPoint *p = m->points + first; p < m->points + first + count; p++)
        if (p->group)
            point3_triple(m, w, p, k, rhs);
        else
            point3_single(m, w, p, k, rhs);
}

static void point3_set(const HolModel *m, HolModelWork *w, int first, int count, int k,
                       const double *lambda) {
    int L = w->jet.jets.stride;
    for (const HolBatchPoint *p = m->points + first; p < m->points + first + count; p++) {
        const double *own = own_series(w, p->own), *y = lambda + p->equation;
        for (int side = 0; side < 2; side++) {
            if ((side ? p->vb : p->va) < 0)
                continue;
            Vec3 u = get(own + 3 * side * L, L, 0);
            add_torque(w, side ? p->b : p->a, k, side ? 1 : -1,
                       p->group ? v3_cross(u, v3_load(y)) : v3_scale(u, *y));
        }
    }
}

const HolRowBatch hol_batch_point3 = {point3_stage, point3_set};

// own series: n_a (3), n_b (3), n_a x n_b (3)
static void dot3_stage(const HolModel *m, HolModelWork *w, int first, int count, int k,
                       double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride;
    double f = -(k + 1.0) * (k + 2.0);
    for (const HolBatchDot *d = m->dots + first; d < m->dots + first + count; d++) {
        double *na = own_series(w, d->own), *nb = na + 3 * L, *c = na + 6 * L,
               *y = w->jet.lambda + (long)d->equation * L, g;
        const double *A = hol_series(J, d->a, HOL_S_A), *B = hol_series(J, d->b, HOL_S_A);
        int fixed = d->a == 0;
        for (int j = k == 0 ? 0 : k + 1; j <= k + 2; j++) { // k+1 is final now, k+2 provisional
            put(nb, L, j, A_times(B, L, j, d->ub));
            if (!fixed || j == 0)
                put(na, L, j, A_times(A, L, j, d->ua));
        }
        if (fixed) {
            put(c, L, k, v3_cross(get(na, L, 0), get(nb, L, k)));
            g = v3_dot(get(na, L, 0), get(nb, L, k + 2));
        } else {
            put(c, L, k, cross_product(na, nb, L, 0, k));
            g = 0;
            for (int i = 0; i <= k + 2; i++)
                g += na[i] * nb[k + 2 - i] + na[L + i] * nb[L + k + 2 - i] +
                     na[2 * L + i] * nb[2 * L + k + 2 - i];
        }
        double tx = 0, ty = 0, tz = 0;
        for (int i = 1; i <= k; i++) {
            double l = y[k - i];
            tx += c[i] * l;
            ty += c[L + i] * l;
            tz += c[2 * L + i] * l;
        }
        Vec3 t = v3(tx, ty, tz);
        add_torque(w, d->a, k, 1, t);
        add_torque(w, d->b, k, -1, t);
        rhs[m->problem.nv + d->equation] = f * g;
    }
}

static void dot3_set(const HolModel *m, HolModelWork *w, int first, int count, int k,
                     const double *lambda) {
    int L = w->jet.jets.stride;
    for (const HolBatchDot *d = m->dots + first; d < m->dots + first + count; d++) {
        Vec3 t = v3_scale(get(own_series(w, d->own) + 6 * L, L, 0), lambda[d->equation]);
        add_torque(w, d->a, k, 1, t);
        add_torque(w, d->b, k, -1, t);
    }
}

const HolRowBatch hol_batch_dot3 = {dot3_stage, dot3_set};
