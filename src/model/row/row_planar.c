// SPDX-License-Identifier: Apache-2.0
// Primitive rows of the plane. P = r + u is the position of a point, u = A s its lever arm in
// global axes, perp(u) = (-u_y, u_x); d = P_b - P_a.
//   point2   e.d                    beta_b = (e, e.perp(u_b)),  D_theta,theta = -e.u
//   line2    n.d, n = A_a ua        n.(P_b - r_a) - const
//   length2  l = |d|, e = d/l       D = D_point2(e) + tau tau^T / l,  tau = perp(e) . dd/dq
//   square2  (d.d - c^2)/(2c)       D = (D_point2(d) + J^T J)/c,      J = dd/dq
//   angle2   theta_b - theta_a
//   push2    velocity row of a force ub (body axes) at P_b
#include "model/row/row.h"

#include <math.h>

typedef struct {
    double x, y;
} V2;

static inline V2 row_planar_lever(const HolFrame *f, const double *s) {
    return (V2){f->c * s[0] - f->s * s[1], f->s * s[0] + f->c * s[1]};
}

static inline double row_planar_dot(V2 a, V2 b) {
    return a.x * b.x + a.y * b.y;
}

static inline V2 perp(V2 a) {
    return (V2){-a.y, a.x};
}

typedef struct {
    V2 ua, ub, d;
} Pair;

static inline Pair pair(const HolRow *row, const HolFrame *a, const HolFrame *b) {
    Pair p = {row_planar_lever(a, row->sa), row_planar_lever(b, row->sb), {0, 0}};
    p.d = (V2){b->r[0] + p.ub.x - a->r[0] - p.ua.x, b->r[1] + p.ub.y - a->r[1] - p.ua.y};
    return p;
}

// beta of e.d with e held fixed
static inline void pair_coef(const Pair *p, V2 e, double *ca, double *cb) {
    ca[0] = -e.x;
    ca[1] = -e.y;
    ca[2] = -row_planar_dot(e, perp(p->ua));
    cb[0] = e.x;
    cb[1] = e.y;
    cb[2] = row_planar_dot(e, perp(p->ub));
}

static inline double centripetal(const Pair *p, V2 e, const double *va, const double *vb) {
    return row_planar_dot(e, p->ua) * va[2] * va[2] - row_planar_dot(e, p->ub) * vb[2] * vb[2];
}

// D += s x x^T for the stacked vector x = (xa, xb)
static void row_planar_add_outer(HolRowDerivative D, double s, const double *xa, const double *xb) {
    const double *x[2] = {xa, xb};
    for (int si = 0; si < 2; si++)
        for (int sj = 0; sj < 2; sj++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    D[si][sj][i][j] += s * x[si][i] * x[sj][j];
}

// series: lever arm of order j
static inline V2 jet_lever(const HolJets *J, int body, const double *s, int j) {
    double c = *hol_jet(J, body, HOL_S_COS, j), sn = *hol_jet(J, body, HOL_S_SIN, j);
    return (V2){c * s[0] - sn * s[1], sn * s[0] + c * s[1]};
}

static void mask_full(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *b = 7;
    *va = *vb = 7;
}

// ---- point2 ----

static double point2_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                           const double *m) {
    (void)m;
    Pair p = pair(row, a, b);
    return row->ua[0] * p.d.x + row->ua[1] * p.d.y;
}

static void point2_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                        double *cb) {
    Pair p = pair(row, a, b);
    pair_coef(&p, (V2){row->ua[0], row->ua[1]}, ca, cb);
}

static void point2_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                         HolRowDerivative D) {
    V2 e = {row->ua[0], row->ua[1]};
    D[0][0][2][2] += s * row_planar_dot(e, row_planar_lever(a, row->sa));
    D[1][1][2][2] -= s * row_planar_dot(e, row_planar_lever(b, row->sb));
}

static double point2_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b,
                           const double *va, const double *vb) {
    Pair p = pair(row, a, b);
    return centripetal(&p, (V2){row->ua[0], row->ua[1]}, va, vb);
}

static double point2_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    (void)own;
    V2 ub = jet_lever(J, row->b, row->sb, j);
    V2 d = {*hol_jet(J, row->b, HOL_S_X, j) + ub.x, *hol_jet(J, row->b, HOL_S_Y, j) + ub.y};
    if (!row->fixed_a || j == 0) {
        V2 ua = jet_lever(J, row->a, row->sa, j);
        d.x -= *hol_jet(J, row->a, HOL_S_X, j) + ua.x;
        d.y -= *hol_jet(J, row->a, HOL_S_Y, j) + ua.y;
    }
    return row->ua[0] * d.x + row->ua[1] * d.y;
}

static void point2_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                            double *cb) {
    (void)own;
    V2 e = {row->ua[0], row->ua[1]};
    V2 ub = jet_lever(J, row->b, row->sb, j), ua = jet_lever(J, row->a, row->sa, j);
    double one = j == 0 ? 1 : 0;
    ca[0] = -one * e.x;
    ca[1] = -one * e.y;
    ca[2] = -row_planar_dot(e, perp(ua));
    cb[0] = one * e.x;
    cb[1] = one * e.y;
    cb[2] = row_planar_dot(e, perp(ub));
}

static void point2_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    unsigned t = (row->ua[0] != 0 ? 1u : 0) | (row->ua[1] != 0 ? 2u : 0);
    unsigned ra = row->sa[0] != 0 || row->sa[1] != 0 ? 4u : 0;
    unsigned rb = row->sb[0] != 0 || row->sb[1] != 0 ? 4u : 0;
    *a = t | ra;
    *b = t | rb;
    *va = ra;
    *vb = rb;
}

const HolRowKind hol_row_point2 = {
    "point",         1, point2_value,     point2_coef,     point2_dcoef,
    point2_gamma,    0, point2_jet_value, point2_jet_coef, point2_mask,
    &hol_batch_row2, 0};

// ---- line2: n.(P_b - r_a) - ua.sa ----

static double line2_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                          const double *m) {
    (void)m;
    Pair p = pair(row, a, b);
    return row_planar_dot(row_planar_lever(a, row->ua), p.d);
}

static void line2_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                       double *cb) {
    Pair p = pair(row, a, b);
    V2 n = row_planar_lever(a, row->ua), D = {p.d.x + p.ua.x, p.d.y + p.ua.y};
    pair_coef(&p, n, ca, cb);
    ca[2] = row_planar_dot(perp(n), D);
}

static void line2_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                        HolRowDerivative D) {
    Pair p = pair(row, a, b);
    V2 n = row_planar_lever(a, row->ua), full = {p.d.x + p.ua.x, p.d.y + p.ua.y}, t = perp(n);
    double tx[2] = {s * t.x, s * t.y};
    for (int i = 0; i < 2; i++) {
        D[0][0][i][2] -= tx[i];
        D[0][0][2][i] -= tx[i];
        D[1][0][i][2] += tx[i];
        D[0][1][2][i] += tx[i];
    }
    D[0][0][2][2] -= s * row_planar_dot(n, full);
    D[0][1][2][2] += s * row_planar_dot(n, p.ub);
    D[1][0][2][2] += s * row_planar_dot(n, p.ub);
    D[1][1][2][2] -= s * row_planar_dot(n, p.ub);
}

static double line2_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *va,
                          const double *vb) {
    Pair p = pair(row, a, b);
    V2 n = row_planar_lever(a, row->ua), full = {p.d.x + p.ua.x, p.d.y + p.ua.y};
    V2 dv = {vb[0] - va[0], vb[1] - va[1]};
    return 2 * va[2] * row_planar_dot(perp(n), dv) - va[2] * va[2] * row_planar_dot(n, full) +
           (2 * va[2] - vb[2]) * vb[2] * row_planar_dot(n, p.ub);
}

// own series: n (2), D = P_b - r_a (2), u_b (2)
static void line2_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    V2 n = jet_lever(J, row->a, row->ua, j), ub = jet_lever(J, row->b, row->sb, j);
    own[j] = n.x;
    own[L + j] = n.y;
    own[2 * L + j] = *hol_jet(J, row->b, HOL_S_X, j) + ub.x - *hol_jet(J, row->a, HOL_S_X, j);
    own[3 * L + j] = *hol_jet(J, row->b, HOL_S_Y, j) + ub.y - *hol_jet(J, row->a, HOL_S_Y, j);
    own[4 * L + j] = ub.x;
    own[5 * L + j] = ub.y;
}

static double line2_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    if (j > 0)
        line2_refresh(row, J, own, j - 1);
    line2_refresh(row, J, own, j);
    double v = hol_conv(own, own + 2 * L, j) + hol_conv(own + L, own + 3 * L, j);
    return j == 0 ? v - row->ua[0] * row->sa[0] - row->ua[1] * row->sa[1] : v;
}

static void line2_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                           double *cb) {
    int L = J->stride;
    line2_refresh(row, J, own, j);
    ca[0] = -own[j];
    ca[1] = -own[L + j];
    ca[2] = hol_conv(own, own + 3 * L, j) - hol_conv(own + L, own + 2 * L, j);
    cb[0] = own[j];
    cb[1] = own[L + j];
    cb[2] = hol_conv(own + L, own + 4 * L, j) - hol_conv(own, own + 5 * L, j);
}

const HolRowKind hol_row_line2 = {"line",         1,           line2_value, line2_coef,
                                  line2_dcoef,    line2_gamma, 6,           line2_jet_value,
                                  line2_jet_coef, mask_full,   NULL,        0};

// ---- length2 ----

static double length2_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                            const double *m) {
    (void)m;
    Pair p = pair(row, a, b);
    return sqrt(row_planar_dot(p.d, p.d));
}

// unit vector, zero where the length vanishes (the direction is then undefined)
static inline V2 unit(V2 d, double *inverse) {
    double l = sqrt(row_planar_dot(d, d));
    *inverse = l > 0 ? 1 / l : 0;
    return (V2){d.x * *inverse, d.y * *inverse};
}

static void length2_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                         double *cb) {
    Pair p = pair(row, a, b);
    double inv;
    pair_coef(&p, unit(p.d, &inv), ca, cb);
}

static void length2_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                          HolRowDerivative D) {
    Pair p = pair(row, a, b);
    double inv, ta[3], tb[3];
    V2 e = unit(p.d, &inv);
    D[0][0][2][2] += s * row_planar_dot(e, p.ua);
    D[1][1][2][2] -= s * row_planar_dot(e, p.ub);
    pair_coef(&p, perp(e), ta, tb);
    row_planar_add_outer(D, s * inv, ta, tb);
}

static double length2_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b,
                            const double *va, const double *vb) {
    Pair p = pair(row, a, b);
    double inv, ta[3], tb[3], tau = 0;
    V2 e = unit(p.d, &inv);
    pair_coef(&p, perp(e), ta, tb);
    for (int i = 0; i < 3; i++)
        tau += ta[i] * va[i] + tb[i] * vb[i];
    return centripetal(&p, e, va, vb) + tau * tau * inv;
}

// own series: d (2), u_a (2), u_b (2), l, e (2)
static void pair_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    V2 ua = jet_lever(J, row->a, row->sa, j), ub = jet_lever(J, row->b, row->sb, j);
    own[j] = *hol_jet(J, row->b, HOL_S_X, j) + ub.x - *hol_jet(J, row->a, HOL_S_X, j) - ua.x;
    own[L + j] = *hol_jet(J, row->b, HOL_S_Y, j) + ub.y - *hol_jet(J, row->a, HOL_S_Y, j) - ua.y;
    own[2 * L + j] = ua.x;
    own[3 * L + j] = ua.y;
    own[4 * L + j] = ub.x;
    own[5 * L + j] = ub.y;
}

static void length2_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    double *l = own + 6 * L, *ex = own + 7 * L, *ey = own + 8 * L;
    pair_refresh(row, J, own, j);
    double dd = hol_conv(own, own, j) + hol_conv(own + L, own + L, j);
    if (j == 0)
        l[0] = sqrt(dd);
    else if (l[0] > 0) {
        for (int i = 1; i < j; i++)
            dd -= l[i] * l[j - i];
        l[j] = dd / (2 * l[0]);
    } else
        l[j] = 0;
    double sx = own[j], sy = own[L + j];
    for (int i = 1; i <= j; i++) {
        sx -= l[i] * ex[j - i];
        sy -= l[i] * ey[j - i];
    }
    ex[j] = l[0] > 0 ? sx / l[0] : 0;
    ey[j] = l[0] > 0 ? sy / l[0] : 0;
}

static double length2_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    if (j > 0)
        length2_refresh(row, J, own, j - 1);
    length2_refresh(row, J, own, j);
    return own[6 * J->stride + j];
}

// coefficients of e.d from the series of e (at ex, ey) and the lever arms
static void pair_jet_coef(const double *own, int L, const double *ex, const double *ey, int j,
                          double s, double *ca, double *cb) {
    ca[0] = -s * ex[j];
    ca[1] = -s * ey[j];
    ca[2] = s * (hol_conv(ex, own + 3 * L, j) - hol_conv(ey, own + 2 * L, j));
    cb[0] = s * ex[j];
    cb[1] = s * ey[j];
    cb[2] = s * (hol_conv(ey, own + 4 * L, j) - hol_conv(ex, own + 5 * L, j));
}

static void length2_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                             double *cb) {
    int L = J->stride;
    length2_refresh(row, J, own, j);
    pair_jet_coef(own, L, own + 7 * L, own + 8 * L, j, 1, ca, cb);
}

const HolRowKind hol_row_length2 = {
    "length",      1, length2_value,     length2_coef,     length2_dcoef,
    length2_gamma, 9, length2_jet_value, length2_jet_coef, mask_full,
    NULL,          7};

// ---- square2 ----

static double square2_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                            const double *m) {
    (void)m;
    Pair p = pair(row, a, b);
    return (row_planar_dot(p.d, p.d) - row->c * row->c) / (2 * row->c);
}

static void square2_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                         double *cb) {
    Pair p = pair(row, a, b);
    pair_coef(&p, (V2){p.d.x / row->c, p.d.y / row->c}, ca, cb);
}

static void square2_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                          HolRowDerivative D) {
    Pair p = pair(row, a, b);
    double xa[3], xb[3];
    D[0][0][2][2] += s * row_planar_dot(p.d, p.ua) / row->c;
    D[1][1][2][2] -= s * row_planar_dot(p.d, p.ub) / row->c;
    pair_coef(&p, (V2){1, 0}, xa, xb);
    row_planar_add_outer(D, s / row->c, xa, xb);
    pair_coef(&p, (V2){0, 1}, xa, xb);
    row_planar_add_outer(D, s / row->c, xa, xb);
}

static double square2_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b,
                            const double *va, const double *vb) {
    Pair p = pair(row, a, b);
    V2 pa = perp(p.ua), pb = perp(p.ub);
    V2 dv = {vb[0] + pb.x * vb[2] - va[0] - pa.x * va[2],
             vb[1] + pb.y * vb[2] - va[1] - pa.y * va[2]};
    return (centripetal(&p, p.d, va, vb) + row_planar_dot(dv, dv)) / row->c;
}

static double square2_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    if (j > 0)
        pair_refresh(row, J, own, j - 1);
    pair_refresh(row, J, own, j);
    double dd = hol_conv(own, own, j) + hol_conv(own + L, own + L, j);
    return (j == 0 ? dd - row->c * row->c : dd) / (2 * row->c);
}

static void square2_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                             double *cb) {
    int L = J->stride;
    pair_refresh(row, J, own, j);
    pair_jet_coef(own, L, own, own + L, j, 1 / row->c, ca, cb);
}

const HolRowKind hol_row_square2 = {
    "distance",    1, square2_value,     square2_coef,     square2_dcoef,
    square2_gamma, 6, square2_jet_value, square2_jet_coef, mask_full,
    NULL,          0};

// ---- angle2 ----

static double angle2_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                           const double *m) {
    (void)m;
    return b->angle - a->angle + row->c;
}

static void angle2_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                        double *cb) {
    (void)row, (void)a, (void)b;
    ca[0] = ca[1] = cb[0] = cb[1] = 0;
    ca[2] = -1;
    cb[2] = 1;
}

static void no_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                     HolRowDerivative D) {
    (void)row, (void)a, (void)b, (void)s, (void)D;
}

static double no_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *va,
                       const double *vb) {
    (void)row, (void)a, (void)b, (void)va, (void)vb;
    return 0;
}

static double angle2_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    (void)own;
    return *hol_jet(J, row->b, HOL_S_THETA, j) - *hol_jet(J, row->a, HOL_S_THETA, j) +
           (j == 0 ? row->c : 0);
}

static void angle2_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                            double *cb) {
    (void)row, (void)J, (void)own;
    ca[0] = ca[1] = cb[0] = cb[1] = 0;
    ca[2] = j == 0 ? -1 : 0;
    cb[2] = j == 0 ? 1 : 0;
}

static void angle2_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *b = 4;
    *va = *vb = 0;
}

const HolRowKind hol_row_angle2 = {"angle",  1, angle2_value,     angle2_coef,     no_dcoef,
                                   no_gamma, 0, angle2_jet_value, angle2_jet_coef, angle2_mask,
                                   NULL,     0};

// ---- push2: force ub in body axes at the point sb of b ----

static void push2_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                       double *cb) {
    (void)a;
    V2 n = row_planar_lever(b, row->ub);
    ca[0] = ca[1] = ca[2] = 0;
    cb[0] = n.x;
    cb[1] = n.y;
    cb[2] = row->sb[0] * row->ub[1] - row->sb[1] * row->ub[0];
}

static void push2_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                        HolRowDerivative D) {
    (void)a;
    V2 t = perp(row_planar_lever(b, row->ub));
    D[1][1][0][2] += s * t.x;
    D[1][1][1][2] += s * t.y;
}

static double push2_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *va,
                          const double *vb) {
    (void)a, (void)va;
    V2 t = perp(row_planar_lever(b, row->ub));
    return (t.x * vb[0] + t.y * vb[1]) * vb[2];
}

static void push2_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                           double *cb) {
    (void)own;
    V2 n = jet_lever(J, row->b, row->ub, j);
    ca[0] = ca[1] = ca[2] = 0;
    cb[0] = n.x;
    cb[1] = n.y;
    cb[2] = j == 0 ? row->sb[0] * row->ub[1] - row->sb[1] * row->ub[0] : 0;
}

static void push2_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *va = 0;
    *b = 7;
    *vb = 3;
}

const HolRowKind hol_row_push2 = {
    "push", 0, 0, push2_coef, push2_dcoef, push2_gamma, 0, 0, push2_jet_coef, push2_mask, NULL, 0};

// ---- scalar coordinate ----

static double coordinate_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                               const double *m) {
    (void)row, (void)a, (void)m;
    return b->r[0];
}

static void coordinate_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                            double *cb) {
    (void)row, (void)a, (void)b;
    for (int i = 0; i < 6; i++)
        ca[i] = cb[i] = 0;
    cb[0] = 1;
}

static double coordinate_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    (void)own;
    return *hol_jet(J, row->b, 0, j);
}

static void coordinate_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                                double *cb) {
    (void)row, (void)J, (void)own;
    for (int i = 0; i < 6; i++)
        ca[i] = cb[i] = 0;
    cb[0] = j == 0 ? 1 : 0;
}

static void coordinate_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va,
                            unsigned *vb) {
    (void)row;
    *a = *va = *vb = 0;
    *b = 1;
}

const HolRowKind hol_row_coordinate = {
    "coordinate", 1, coordinate_value,     coordinate_coef,     no_dcoef,
    no_gamma,     0, coordinate_jet_value, coordinate_jet_coef, coordinate_mask,
    NULL,         0};
