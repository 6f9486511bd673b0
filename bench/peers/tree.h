/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h - hinged chains in their joint angles, O(N): articulated bodies in world axes.
 * CHAIN3D: links of 1 m and 1 kg, cylinders of radius 0.05 m, as `holonom generate chain3d N`
 * writes them: hinge axes across the link, turned about it by +45, -45, +45 ... degrees from joint
 * to joint. CHAIN: the planar chain, in the angles of its links to the ground.
 *
 * Link i, at its joint point P with rod direction x (the axis s is always across x, n = x times s):
 *   force  F = m (a + al x r + w x (w x r)),               r = x/2
 *   moment N = I al + m r x a + w x I w  about P,          I = A 1 + (B - A) x x^T
 * and for all outer links together N = J al + H a + pn, F = H^T al + M a + pf. The hinge leaves
 * s.N = 0, which gives its acceleration and the inertia that the inner link feels. In the plane
 * nothing but M and pf is left behind a hinge. */
#ifndef TREE_H
#define TREE_H
#include "bench.h"

typedef struct {
    double x[3], s[3]; /* rod, axis */
    double w[3], c[3]; /* angular velocity; w_inner x s qd */
    double b[3];       /* w x (w x x): acceleration of the outer joint by the turning */
    double u[3], h[3]; /* J s, H^T s */
    double d, e;       /* 1/(s.u), s.pn */
    double wx;         /* w.x */
} treelink;
typedef struct {
    int n, planar;
    double ca, sa; /* cosine and sine of the turn from axis to axis */
    double A, B;   /* moments of inertia about the joint, across and along */
    double g[3];   /* gravity */
    double x0[3], s0[3];
    treelink *l;
    double *q0, *v0;
} tree;

static inline double dot3(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void cross3(const double *a, const double *b, double *o) {
    o[0] = a[1] * b[2] - a[2] * b[1];
    o[1] = a[2] * b[0] - a[0] * b[2];
    o[2] = a[0] * b[1] - a[1] * b[0];
}
static inline tree *tree_build(const bench_args *a) {
    tree *t = (tree *)calloc(1, sizeof *t);
    int spatial = isprob(a, "CHAIN3D");
    double radius = 0.05;
    t->n = a->N;
    t->planar = !spatial;
    t->ca = spatial ? sqrt(0.5) : 1;
    t->sa = spatial ? sqrt(0.5) : 0;
    t->A = 0.25 + (spatial ? (3 * radius * radius + 1) / 12 : 1. / 12);
    t->B = spatial ? radius * radius / 2 : 0;
    t->g[spatial ? 2 : 1] = -GRAV;
    t->x0[0] = 1;
    t->s0[spatial ? 1 : 2] = 1;
    t->l = (treelink *)calloc(t->n, sizeof *t->l);
    t->q0 = (double *)calloc(t->n, 8);
    t->v0 = (double *)calloc(t->n, 8);
    return t;
}
/* directions and velocities from the ground outwards */
static inline void tree_motion(tree *t, const double *q, const double *v) {
    double x[3], s[3], n[3], w[3] = {0, 0, 0};
    memcpy(x, t->x0, sizeof x);
    memcpy(s, t->s0, sizeof s);
    cross3(x, s, n);
    for (int i = 0; i < t->n; i++) {
        treelink *l = &t->l[i];
        double qi = q[i], vi = v[i], sa = i & 1 ? t->sa : -t->sa;
        if (t->planar && i > 0) {
            qi -= q[i - 1];
            vi -= v[i - 1];
        }
        double cq = cos(qi), sq = sin(qi);
        for (int k = 0; k < 3; k++) {
            if (i) { /* next axis */
                double sk = s[k];
                s[k] = t->ca * sk + sa * n[k];
                n[k] = t->ca * n[k] - sa * sk;
            }
            double xk = x[k];
            x[k] = cq * xk - sq * n[k];
            n[k] = cq * n[k] + sq * xk;
        }
        cross3(w, s, l->c);
        for (int k = 0; k < 3; k++) {
            l->c[k] *= vi;
            w[k] += s[k] * vi;
            l->x[k] = x[k];
            l->s[k] = s[k];
            l->w[k] = w[k];
        }
        l->wx = dot3(w, x);
        double w2 = dot3(w, w);
        for (int k = 0; k < 3; k++)
            l->b[k] = l->wx * w[k] - w2 * x[k];
    }
}
/* angular accelerations of the planar chain; u[0] = J, h = H of tree_accel */
static inline void tree_accel_planar(tree *t, const double *q, const double *v, double *qdd) {
    double M00 = 0, M01 = 0, M11 = 0, F0 = 0, F1 = 0; /* of all outer links */
    for (int i = t->n - 1; i >= 0; i--) {
        treelink *l = &t->l[i];
        double x = cos(q[i]), y = sin(q[i]), w2 = v[i] * v[i];
        l->x[0] = x;
        l->x[1] = y;
        /* the outer joint has the acceleration a + al (-y, x) - w2 (x, y) */
        F0 -= w2 * (M00 * x + M01 * y);
        F1 -= w2 * (M01 * x + M11 * y);
        double p0 = M01 * x - M00 * y, p1 = M11 * x - M01 * y; /* M (-y, x) */
        double d = 1 / (t->A + x * p1 - y * p0), e = x * F1 - y * F0;
        double h0 = p0 - y / 2, h1 = p1 + x / 2;
        l->h[0] = h0;
        l->h[1] = h1;
        l->d = d;
        l->e = e;
        l->b[0] = -w2 * x;
        l->b[1] = -w2 * y;
        M00 += 1 - h0 * h0 * d;
        M01 -= h0 * h1 * d;
        M11 += 1 - h1 * h1 * d;
        F0 += -w2 * x / 2 - h0 * e * d;
        F1 += -w2 * y / 2 - h1 * e * d;
    }
    double a0 = -t->g[0], a1 = -t->g[1];
    for (int i = 0; i < t->n; i++) {
        const treelink *l = &t->l[i];
        double al = -(l->h[0] * a0 + l->h[1] * a1 + l->e) * l->d;
        qdd[i] = al;
        a0 += l->b[0] - al * l->x[1];
        a1 += l->b[1] + al * l->x[0];
    }
}
/* accelerations of the angles */
static inline void tree_accel(tree *t, const double *q, const double *v, double *qdd) {
    if (t->planar) {
        tree_accel_planar(t, q, v, qdd);
        return;
    }
    tree_motion(t, q, v);
    double J[3][3] = {{0}}, H[3][3] = {{0}}, M[3][3] = {{0}}, pn[3] = {0}, pf[3] = {0};
    double A = t->A, BA = t->B - t->A;
    for (int i = t->n - 1; i >= 0; i--) {
        treelink *l = &t->l[i];
        const double *x = l->x, *s = l->s, *c = l->c;
        double r[3] = {x[0] / 2, x[1] / 2, x[2] / 2}, gy[3];
        /* this link, upper triangles of J and M */
        for (int k = 0; k < 3; k++) {
            for (int m = k; m < 3; m++)
                J[k][m] += BA * x[k] * x[m];
            J[k][k] += A;
            M[k][k] += 1;
        }
        H[0][1] -= r[2];
        H[0][2] += r[1];
        H[1][0] += r[2];
        H[1][2] -= r[0];
        H[2][0] -= r[1];
        H[2][1] += r[0];
        cross3(l->w, x, gy);
        for (int k = 0; k < 3; k++) {
            pn[k] += BA * l->wx * gy[k];
            pf[k] += l->b[k] / 2;
        }
        /* its hinge */
        double *u = l->u, *h = l->h;
        u[0] = J[0][0] * s[0] + J[0][1] * s[1] + J[0][2] * s[2];
        u[1] = J[0][1] * s[0] + J[1][1] * s[1] + J[1][2] * s[2];
        u[2] = J[0][2] * s[0] + J[1][2] * s[1] + J[2][2] * s[2];
        for (int k = 0; k < 3; k++)
            h[k] = H[0][k] * s[0] + H[1][k] * s[1] + H[2][k] * s[2];
        double d = 1 / dot3(s, u), e = dot3(s, pn);
        l->d = d;
        l->e = e;
        if (i == 0)
            break;
        double f = e * d;
        for (int k = 0; k < 3; k++) {
            double ud = u[k] * d, hd = h[k] * d;
            for (int m = k; m < 3; m++) {
                J[k][m] -= ud * u[m];
                M[k][m] -= hd * h[m];
            }
            for (int m = 0; m < 3; m++)
                H[k][m] -= ud * h[m];
        }
        double Ms[3][3] = {
            {M[0][0], M[0][1], M[0][2]}, {M[0][1], M[1][1], M[1][2]}, {M[0][2], M[1][2], M[2][2]}};
        /* to the joint of the inner link, whose rod is y, accelerations al_inner and
         * a = a_inner + al_inner x y + b_inner */
        const double *y = l[-1].x, *b = l[-1].b;
        double F[3], N[3], YF[3], HY[3][3], KM[3][3], HY2[3][3];
        for (int k = 0; k < 3; k++) {
            F[k] = pf[k] - h[k] * f + H[0][k] * c[0] + H[1][k] * c[1] + H[2][k] * c[2] +
                   dot3(Ms[k], b);
            N[k] = pn[k] - u[k] * f + dot3(H[k], b);
        }
        N[0] += J[0][0] * c[0] + J[0][1] * c[1] + J[0][2] * c[2];
        N[1] += J[0][1] * c[0] + J[1][1] * c[1] + J[1][2] * c[2];
        N[2] += J[0][2] * c[0] + J[1][2] * c[1] + J[2][2] * c[2];
        cross3(y, F, YF);
        for (int k = 0; k < 3; k++) {
            pf[k] = F[k];
            pn[k] = N[k] + YF[k];
            cross3(H[k], y, HY[k]);
        }
        for (int m = 0; m < 3; m++) { /* H + [y] M */
            KM[0][m] = y[1] * Ms[2][m] - y[2] * Ms[1][m];
            KM[1][m] = y[2] * Ms[0][m] - y[0] * Ms[2][m];
            KM[2][m] = y[0] * Ms[1][m] - y[1] * Ms[0][m];
        }
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 3; m++)
                H[k][m] += KM[k][m];
        for (int k = 0; k < 3; k++)
            cross3(H[k], y, HY2[k]);
        for (int k = 0; k < 3; k++)
            for (int m = k; m < 3; m++)
                J[k][m] -= HY2[k][m] + HY[m][k];
    }
    double al[3] = {0, 0, 0}, a[3] = {-t->g[0], -t->g[1], -t->g[2]}, z[3];
    for (int i = 0; i < t->n; i++) {
        const treelink *l = &t->l[i];
        for (int k = 0; k < 3; k++)
            al[k] += l->c[k];
        double dd = -(dot3(l->u, al) + dot3(l->h, a) + l->e) * l->d;
        qdd[i] = dd;
        for (int k = 0; k < 3; k++)
            al[k] += l->s[k] * dd;
        cross3(al, l->x, z);
        for (int k = 0; k < 3; k++)
            a[k] += z[k] + l->b[k];
    }
}
static inline double tree_energy(tree *t, const double *q, const double *v) {
    double E = 0, p[3] = {0}, u[3] = {0}, z[3];
    tree_motion(t, q, v);
    for (int i = 0; i < t->n; i++) {
        const treelink *l = &t->l[i];
        cross3(l->w, l->x, z);
        double V[3], w2 = dot3(l->w, l->w), A = t->A - 0.25; /* at the mass centre */
        for (int k = 0; k < 3; k++) {
            V[k] = u[k] + z[k] / 2;
            E -= t->g[k] * (p[k] + l->x[k] / 2);
            p[k] += l->x[k];
            u[k] += z[k];
        }
        E += 0.5 * (dot3(V, V) + A * w2 + (t->B - A) * l->wx * l->wx);
    }
    return E;
}
/* outer end of link 5 */
static inline void tree_point(tree *t, const double *q, double *P) {
    tree_motion(t, q, t->v0);
    P[0] = P[1] = P[2] = 0;
    for (int i = 0; i < 5 && i < t->n; i++)
        for (int k = 0; k < 3; k++)
            P[k] += t->l[i].x[k];
}
#endif
