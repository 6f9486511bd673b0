// SPDX-License-Identifier: Apache-2.0
// Sliding speed of two bodies that touch in the plane, at the point C = P_b - R n of b's circle
// about P_b (R = c; 0: a point), along t = (n_y, -n_x), second body against the first:
//     sigma' = t.(velocity of b at C - velocity of a at C)          (velocity rows)
//     beta_a = (-t, n.(u_a + d) - R),  beta_b = (t, R - n.u_b)      d = P_b - P_a, u lever arms
//   slide2  n = A_a ua, the normal of a line of a:         dn = perp(n) dalpha, dalpha = dtheta_a
//   rub2    n = d/|d|, from the centre P_a of a's circle:  dalpha = -t.dd/|d|
// A circle inside another one is rub2 with -R, and the speed is its negative. With dt = n dalpha
//     dbeta_b = (n dalpha, t.u_b (dalpha - dtheta_b))
//     dbeta_a = (-n dalpha, -t.(u_a + d) dalpha + n.(dr_b - dr_a) + t.u_b dtheta_b)
#include "model/row/row.h"

#include <math.h>

typedef struct Slide {
    double n[2], t[2];
    double ua[2], ub[2], full[2]; // lever arms, u_a + d
    double d[2], inverse;         // rub2: 1/|d|, 0 where there is no direction; slide2: 0
} Slide;

static double slide_dot(const double *x, const double *y) {
    return x[0] * y[0] + x[1] * y[1];
}

static void slide_turn(const HolFrame *f, const double *s, double *out) {
    out[0] = f->c * s[0] - f->s * s[1];
    out[1] = f->s * s[0] + f->c * s[1];
}

static Slide slide_at(const HolRow *row, const HolFrame *a, const HolFrame *b) {
    Slide s = {.inverse = 0};
    slide_turn(a, row->sa, s.ua);
    slide_turn(b, row->sb, s.ub);
    for (int i = 0; i < 2; i++) {
        s.full[i] = b->r[i] + s.ub[i] - a->r[i];
        s.d[i] = s.full[i] - s.ua[i];
    }
    if (row->kind == &hol_row_slide2) {
        slide_turn(a, row->ua, s.n);
    } else {
        const double l = sqrt(slide_dot(s.d, s.d));
        s.inverse = l > 0 ? 1 / l : 0;
        s.n[0] = s.d[0] * s.inverse;
        s.n[1] = s.d[1] * s.inverse;
    }
    s.t[0] = s.n[1];
    s.t[1] = -s.n[0];
    return s;
}

static void slide2_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                        double *cb) {
    const Slide s = slide_at(row, a, b);
    ca[0] = -s.t[0];
    ca[1] = -s.t[1];
    ca[2] = slide_dot(s.n, s.full) - row->c;
    cb[0] = s.t[0];
    cb[1] = s.t[1];
    cb[2] = row->c - slide_dot(s.n, s.ub);
}

// change of the coefficients along increments of the two bodies
static void slide_change(const HolRow *row, const Slide *s, const double *xa, const double *xb,
                         double *da, double *db) {
    double alpha = xa[2];
    if (row->kind != &hol_row_slide2) {
        const double dd[2] = {xb[0] - s->ub[1] * xb[2] - xa[0] + s->ua[1] * xa[2],
                              xb[1] + s->ub[0] * xb[2] - xa[1] - s->ua[0] * xa[2]};
        alpha = -slide_dot(s->t, dd) * s->inverse;
    }
    const double dr[2] = {xb[0] - xa[0], xb[1] - xa[1]}, arm = slide_dot(s->t, s->ub);
    db[0] = s->n[0] * alpha;
    db[1] = s->n[1] * alpha;
    db[2] = arm * (alpha - xb[2]);
    da[0] = -db[0];
    da[1] = -db[1];
    da[2] = -slide_dot(s->t, s->full) * alpha + slide_dot(s->n, dr) + arm * xb[2];
}

static void slide2_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double factor,
                         HolRowDerivative D) {
    const Slide s = slide_at(row, a, b);
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < 3; j++) {
            double x[2][3] = {{0}}, da[3], db[3];
            x[side][j] = factor;
            slide_change(row, &s, x[0], x[1], da, db);
            for (int i = 0; i < 3; i++) {
                D[0][side][i][j] += da[i];
                D[1][side][i][j] += db[i];
            }
        }
}

static double slide2_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b,
                           const double *va, const double *vb) {
    const Slide s = slide_at(row, a, b);
    double da[3], db[3], sum = 0;
    slide_change(row, &s, va, vb, da, db);
    for (int i = 0; i < 3; i++)
        sum += da[i] * va[i] + db[i] * vb[i];
    return sum;
}

// own series: n (2), u_b (2), u_a + d (2), d (2), |d|
enum { SLIDE_N = 0, SLIDE_UB = 2, SLIDE_FULL = 4, SLIDE_D = 6, SLIDE_L = 8, SLIDE_SERIES = 9 };

static void slide_lever(const HolJets *J, int body, const double *s, int j, double *out) {
    const double c = *hol_jet(J, body, HOL_S_COS, j), sn = *hol_jet(J, body, HOL_S_SIN, j);
    out[0] = c * s[0] - sn * s[1];
    out[1] = sn * s[0] + c * s[1];
}

// order j of |d| and of n = d/|d|
static void slide_unit(double *own, int L, int j) {
    double *l = own + SLIDE_L * L;
    const double *d[2] = {own + SLIDE_D * L, own + (SLIDE_D + 1) * L};
    double sum = hol_conv(d[0], d[0], j) + hol_conv(d[1], d[1], j);
    for (int i = 1; i < j; i++)
        sum -= l[i] * l[j - i];
    l[j] = j == 0 ? sqrt(sum) : l[0] > 0 ? sum / (2 * l[0]) : 0;
    for (int k = 0; k < 2; k++) {
        double *n = own + (SLIDE_N + k) * L, s = d[k][j];
        for (int i = 1; i <= j; i++)
            s -= l[i] * n[j - i];
        n[j] = l[0] > 0 ? s / l[0] : 0;
    }
}

static void slide_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    const int L = J->stride;
    double ua[2], ub[2], n[2];
    slide_lever(J, row->a, row->sa, j, ua);
    slide_lever(J, row->b, row->sb, j, ub);
    slide_lever(J, row->a, row->ua, j, n);
    for (int k = 0; k < 2; k++) {
        const double full =
            *hol_jet(J, row->b, HOL_S_X + k, j) + ub[k] - *hol_jet(J, row->a, HOL_S_X + k, j);
        own[(SLIDE_UB + k) * L + j] = ub[k];
        own[(SLIDE_FULL + k) * L + j] = full;
        own[(SLIDE_D + k) * L + j] = full - ua[k];
        if (row->kind == &hol_row_slide2)
            own[(SLIDE_N + k) * L + j] = n[k];
    }
    if (row->kind != &hol_row_slide2)
        slide_unit(own, L, j);
}

static void slide2_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                            double *cb) {
    const int L = J->stride;
    slide_refresh(row, J, own, j);
    const double *n = own + SLIDE_N * L, *ub = own + SLIDE_UB * L, *full = own + SLIDE_FULL * L;
    const double R = j == 0 ? row->c : 0;
    cb[0] = n[L + j];
    cb[1] = -n[j];
    cb[2] = R - hol_conv(n, ub, j) - hol_conv(n + L, ub + L, j);
    ca[0] = -cb[0];
    ca[1] = -cb[1];
    ca[2] = hol_conv(n, full, j) + hol_conv(n + L, full + L, j) - R;
}

static void slide2_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *b = *va = *vb = 7;
}

const HolRowKind hol_row_slide2 = {
    .name = "slide",
    .coef = slide2_coef,
    .dcoef = slide2_dcoef,
    .gamma = slide2_gamma,
    .series = SLIDE_SERIES,
    .jet_coef = slide2_jet_coef,
    .mask = slide2_mask,
};

const HolRowKind hol_row_rub2 = {
    .name = "rub",
    .coef = slide2_coef,
    .dcoef = slide2_dcoef,
    .gamma = slide2_gamma,
    .series = SLIDE_SERIES,
    .jet_coef = slide2_jet_coef,
    .mask = slide2_mask,
};
