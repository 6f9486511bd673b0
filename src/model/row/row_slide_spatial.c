// SPDX-License-Identifier: Apache-2.0
// Velocity of one body against another where they touch in space, at the point C = P_b - R n of b's
// sphere about P_b (R = c; 0: a point), along a direction t:
//     sigma' = t.(velocity of b at C - velocity of a at C)          (velocity rows)
//     beta_a = (-t, -A_a^T (x_a x t)),  beta_b = (t, A_b^T (x_b x t))
//     x_b = u_b - R n,  x_a = r_b - r_a + x_b                       C from the centres of mass
//   slide3  n = A_a ua, the normal of a plane of a;  t = A_a wa
//   rub3    n = d/|d|, from the centre P_a of a's sphere to P_b;  t = wa, a global direction
// A sphere inside another one is rub3 with -R. Along increments (dr, phi in body axes) with
// theta = A phi:  dn = theta_a x n | (dd - n (n.dd))/|d|,  dt = theta_a x t | 0,
//     d(A^T y) = A^T (dy - theta x y).
#include "model/row/row_spatial.h"

#include <math.h>

typedef struct Slide3 {
    Mat3 Aa, Ab;
    Vec3 n, t, ua, ub, xa, xb;
    double inverse; // rub3: 1/|d|, 0 where there is no direction
} Slide3;

static Slide3 slide3_at(const HolRow *row, const HolFrame *a, const HolFrame *b) {
    Slide3 s = {.Aa = frame_A(a), .Ab = frame_A(b)};
    s.ua = m3_mulv(s.Aa, v3_load(row->sa));
    s.ub = m3_mulv(s.Ab, v3_load(row->sb));
    const Vec3 apart = v3_sub(v3_load(b->r), v3_load(a->r));
    if (row->kind == &hol_row_slide3) {
        s.n = m3_mulv(s.Aa, v3_load(row->ua));
        s.t = m3_mulv(s.Aa, v3_load(row->wa));
    } else {
        const Vec3 d = v3_sub(v3_add(apart, s.ub), s.ua);
        const double l = sqrt(v3_dot(d, d));
        s.inverse = l > 0 ? 1 / l : 0;
        s.n = v3_scale(d, s.inverse);
        s.t = v3_load(row->wa);
    }
    s.xb = v3_sub(s.ub, v3_scale(s.n, row->c));
    s.xa = v3_add(apart, s.xb);
    return s;
}

static void slide3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                        double *cb) {
    const Slide3 s = slide3_at(row, a, b);
    set_coef(ca, v3_scale(s.t, -1), v3_scale(m3_tmulv(s.Aa, v3_cross(s.xa, s.t)), -1));
    set_coef(cb, s.t, m3_tmulv(s.Ab, v3_cross(s.xb, s.t)));
}

// change of A^T (x x t) along dx, dt and the body's own turn
static Vec3 slide3_turned(Mat3 A, Vec3 theta, Vec3 x, Vec3 t, Vec3 dx, Vec3 dt) {
    const Vec3 change = v3_add(v3_cross(dx, t), v3_cross(x, dt));
    return m3_tmulv(A, v3_sub(change, v3_cross(theta, v3_cross(x, t))));
}

static void slide3_change(const HolRow *row, const Slide3 *s, const double *ia, const double *ib,
                          double *da, double *db) {
    const Vec3 ta = m3_mulv(s->Aa, v3_load(ia + 3)), tb = m3_mulv(s->Ab, v3_load(ib + 3));
    const Vec3 dr = v3_sub(v3_load(ib), v3_load(ia)), dub = v3_cross(tb, s->ub);
    Vec3 dn, dt = v3(0, 0, 0);
    if (row->kind == &hol_row_slide3) {
        dn = v3_cross(ta, s->n);
        dt = v3_cross(ta, s->t);
    } else {
        const Vec3 dd = v3_sub(v3_add(dr, dub), v3_cross(ta, s->ua));
        dn = v3_scale(v3_sub(dd, v3_scale(s->n, v3_dot(s->n, dd))), s->inverse);
    }
    const Vec3 dxb = v3_sub(dub, v3_scale(dn, row->c)), dxa = v3_add(dr, dxb);
    set_coef(da, v3_scale(dt, -1), v3_scale(slide3_turned(s->Aa, ta, s->xa, s->t, dxa, dt), -1));
    set_coef(db, dt, slide3_turned(s->Ab, tb, s->xb, s->t, dxb, dt));
}

static void slide3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double factor,
                         HolRowDerivative D) {
    const Slide3 s = slide3_at(row, a, b);
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < 6; j++) {
            double x[2][6] = {{0}}, da[6], db[6];
            x[side][j] = factor;
            slide3_change(row, &s, x[0], x[1], da, db);
            for (int i = 0; i < 6; i++) {
                D[0][side][i][j] += da[i];
                D[1][side][i][j] += db[i];
            }
        }
}

static double slide3_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b,
                           const double *va, const double *vb) {
    const Slide3 s = slide3_at(row, a, b);
    double da[6], db[6], sum = 0;
    slide3_change(row, &s, va, vb, da, db);
    for (int i = 0; i < 6; i++)
        sum += da[i] * va[i] + db[i] * vb[i];
    return sum;
}

// own series, global axes: n, t, x_b, x_a, x_b x t, x_a x t, d, and |d|
enum { S_N = 0, S_T = 3, S_XB = 6, S_XA = 9, S_MB = 12, S_MA = 15, S_D = 18, S_L = 21, S_COUNT };

static Vec3 slide3_jet_cross(const double *x, const double *y, int L, int j) {
    return v3(hol_conv(x + L, y + 2 * L, j) - hol_conv(x + 2 * L, y + L, j),
              hol_conv(x + 2 * L, y, j) - hol_conv(x, y + 2 * L, j),
              hol_conv(x, y + L, j) - hol_conv(x + L, y, j));
}

// order j of |d| and of n = d/|d|
static void slide3_unit(double *own, int L, int j) {
    double *l = own + S_L * L;
    double sum = jet_dot(own + S_D * L, own + S_D * L, L, j);
    for (int i = 1; i < j; i++)
        sum -= l[i] * l[j - i];
    l[j] = j == 0 ? sqrt(sum) : l[0] > 0 ? sum / (2 * l[0]) : 0;
    for (int k = 0; k < 3; k++) {
        double *n = own + (S_N + k) * L, s = own[(S_D + k) * L + j];
        for (int i = 1; i <= j; i++)
            s -= l[i] * n[j - i];
        n[j] = l[0] > 0 ? s / l[0] : 0;
    }
}

static void slide3_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    const int L = J->stride;
    const Mat3 Aa = jet_A(J, row->a, j), Ab = jet_A(J, row->b, j);
    const Vec3 apart = v3_sub(jet_r(J, row->b, j), jet_r(J, row->a, j));
    const Vec3 ub = m3_mulv(Ab, v3_load(row->sb));
    if (row->kind == &hol_row_slide3) {
        jet_put(own, L, S_N, j, m3_mulv(Aa, v3_load(row->ua)));
        jet_put(own, L, S_T, j, m3_mulv(Aa, v3_load(row->wa)));
    } else {
        jet_put(own, L, S_T, j, j == 0 ? v3_load(row->wa) : v3(0, 0, 0));
        jet_put(own, L, S_D, j, v3_sub(v3_add(apart, ub), m3_mulv(Aa, v3_load(row->sa))));
        slide3_unit(own, L, j);
    }
    const Vec3 xb = v3_sub(ub, v3_scale(jet_get(own, L, S_N, j), row->c));
    jet_put(own, L, S_XB, j, xb);
    jet_put(own, L, S_XA, j, v3_add(apart, xb));
    jet_put(own, L, S_MB, j, slide3_jet_cross(own + S_XB * L, own + S_T * L, L, j));
    jet_put(own, L, S_MA, j, slide3_jet_cross(own + S_XA * L, own + S_T * L, L, j));
}

static void slide3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                            double *cb) {
    const int L = J->stride;
    slide3_refresh(row, J, own, j);
    const Vec3 t = jet_get(own, L, S_T, j);
    set_coef(ca, v3_scale(t, -1),
             v3_scale(jet_tmulv(J, row->a, row->fixed_a, own + S_MA * L, j), -1));
    set_coef(cb, t, jet_tmulv(J, row->b, 0, own + S_MB * L, j));
}

static void slide3_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *b = *va = *vb = 63;
}

const HolRowKind hol_row_slide3 = {
    .name = "slide",
    .coef = slide3_coef,
    .dcoef = slide3_dcoef,
    .gamma = slide3_gamma,
    .series = S_COUNT,
    .jet_coef = slide3_jet_coef,
    .mask = slide3_mask,
};

const HolRowKind hol_row_rub3 = {
    .name = "rub",
    .coef = slide3_coef,
    .dcoef = slide3_dcoef,
    .gamma = slide3_gamma,
    .series = S_COUNT,
    .jet_coef = slide3_jet_coef,
    .mask = slide3_mask,
};
