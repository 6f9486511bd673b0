// SPDX-License-Identifier: Apache-2.0
// Primitive rows of space made of points and vectors. P = r + A s, d = P_b - P_a; ^ marks the cross
// product matrix, R = A_a^T A_b.
//   point3   e.d               beta_b = (e, s_b x A_b^T e),   D = A^T e s^T - (s.A^T e) I
//   dot3     (A_a u).(A_b w)   beta_a = u x A_a^T A_b w,      D_ab = -u^ R w^
//   line3    n.d, n = A_a u    = n.(P_b - r_a) - u.s_a
//   length3  |d|, square3 (d.d - c^2)/(2c)
// More rows of space: row_spatial_angle.c (angle, velocity rows, quaternion), row_rolling.c.
#include "model/row/row_spatial.h"

static void mask_full3(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *b = *va = *vb = 63;
}

typedef struct {
    Mat3 Aa, Ab;
    Vec3 sa, sb, d; // body points, difference in global axes
} Pair3;

static inline Pair3 pair3(const HolRow *row, const HolFrame *a, const HolFrame *b) {
    Pair3 p = {frame_A(a), frame_A(b), v3_load(row->sa), v3_load(row->sb), {0, 0, 0}};
    p.d = v3_sub(v3_add(v3_load(b->r), m3_mulv(p.Ab, p.sb)),
                 v3_add(v3_load(a->r), m3_mulv(p.Aa, p.sa)));
    return p;
}

// beta of e.d with e held fixed
static void pair3_coef(const Pair3 *p, Vec3 e, double *ca, double *cb) {
    set_coef(ca, v3_scale(e, -1), v3_scale(v3_cross(p->sa, m3_tmulv(p->Aa, e)), -1));
    set_coef(cb, e, v3_cross(p->sb, m3_tmulv(p->Ab, e)));
}

static void pair3_dcoef(const Pair3 *p, Vec3 e, double s, HolRowDerivative D) {
    add_block(D[0][0], 3, 3, -s, turn_block(m3_tmulv(p->Aa, e), p->sa));
    add_block(D[1][1], 3, 3, s, turn_block(m3_tmulv(p->Ab, e), p->sb));
}

static double pair3_gamma(const Pair3 *p, Vec3 e, const double *va, const double *vb) {
    return v3_dot(e, v3_sub(m3_mulv(p->Ab, whirl(v3_load(vb + 3), p->sb)),
                            m3_mulv(p->Aa, whirl(v3_load(va + 3), p->sa))));
}

// velocity of P_b minus that of P_a
static Vec3 pair3_rate(const Pair3 *p, const double *va, const double *vb) {
    Vec3 b = v3_add(v3_load(vb), m3_mulv(p->Ab, v3_cross(v3_load(vb + 3), p->sb)));
    return v3_sub(b, v3_add(v3_load(va), m3_mulv(p->Aa, v3_cross(v3_load(va + 3), p->sa))));
}

// D += s J^T (I - e e^T) J with J = dd/dq; e = 0 gives J^T J
static void pair3_outer(const Pair3 *p, Vec3 e, double s, HolRowDerivative D) {
    double J[2][3][6] = {{{0}}};
    Mat3 ta = m3_mul(p->Aa, m3_skew(p->sa)), tb = m3_mul(p->Ab, m3_skew(p->sb));
    for (int i = 0; i < 3; i++) {
        J[0][i][i] = -1;
        J[1][i][i] = 1;
        for (int j = 0; j < 3; j++) {
            J[0][i][3 + j] = ta.m[3 * i + j];
            J[1][i][3 + j] = -tb.m[3 * i + j];
        }
    }
    double ev[3] = {e.x, e.y, e.z}, eJ[2][6];
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < 6; j++)
            eJ[side][j] = ev[0] * J[side][0][j] + ev[1] * J[side][1][j] + ev[2] * J[side][2][j];
    for (int si = 0; si < 2; si++)
        for (int sj = 0; sj < 2; sj++)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++)
                    D[si][sj][i][j] += s * (J[si][0][i] * J[sj][0][j] + J[si][1][i] * J[sj][1][j] +
                                            J[si][2][i] * J[sj][2][j] - eJ[si][i] * eJ[sj][j]);
}

// ---- point3 ----

static double point3_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                           const double *m) {
    (void)m;
    Pair3 p = pair3(row, a, b);
    return v3_dot(v3_load(row->ua), p.d);
}

static void point3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                        double *cb) {
    Pair3 p = pair3(row, a, b);
    pair3_coef(&p, v3_load(row->ua), ca, cb);
}

static void point3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                         HolRowDerivative D) {
    Pair3 p = pair3(row, a, b);
    pair3_dcoef(&p, v3_load(row->ua), s, D);
}

static double point3_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b,
                           const double *va, const double *vb) {
    Pair3 p = pair3(row, a, b);
    return pair3_gamma(&p, v3_load(row->ua), va, vb);
}

// order j of P_b - P_a
static Vec3 jet_pair(const HolRow *row, const HolJets *J, int j) {
    Vec3 d = v3_add(jet_r(J, row->b, j), m3_mulv(jet_A(J, row->b, j), v3_load(row->sb)));
    if (row->fixed_a && j > 0)
        return d;
    return v3_sub(d, v3_add(jet_r(J, row->a, j), m3_mulv(jet_A(J, row->a, j), v3_load(row->sa))));
}

static double point3_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    (void)own;
    return v3_dot(v3_load(row->ua), jet_pair(row, J, j));
}

static void point3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                            double *cb) {
    (void)own;
    Vec3 e = v3_load(row->ua), t = v3_scale(e, j == 0 ? 1 : 0), zero = v3(0, 0, 0);
    set_coef(cb, t, v3_cross(v3_load(row->sb), m3_tmulv(jet_A(J, row->b, j), e)));
    set_coef(ca, v3_scale(t, -1),
             row->fixed_a
                 ? zero
                 : v3_scale(v3_cross(v3_load(row->sa), m3_tmulv(jet_A(J, row->a, j), e)), -1));
}

static void point3_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    unsigned t =
        (row->ua[0] != 0 ? 1u : 0) | (row->ua[1] != 0 ? 2u : 0) | (row->ua[2] != 0 ? 4u : 0);
    unsigned ra = row->sa[0] != 0 || row->sa[1] != 0 || row->sa[2] != 0 ? 56u : 0;
    unsigned rb = row->sb[0] != 0 || row->sb[1] != 0 || row->sb[2] != 0 ? 56u : 0;
    // a rotation entry along an axis through the point vanishes always
    for (unsigned i = 0; i < 3; i++) {
        unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        if (row->sa[j] == 0 && row->sa[k] == 0)
            ra &= ~(8u << i);
        if (row->sb[j] == 0 && row->sb[k] == 0)
            rb &= ~(8u << i);
    }
    *a = t | ra;
    *b = t | rb;
    *va = ra;
    *vb = rb;
}

const HolRowKind hol_row_point3 = {
    "point",         1, point3_value,     point3_coef,     point3_dcoef,
    point3_gamma,    0, point3_jet_value, point3_jet_coef, point3_mask,
    &hol_batch_row3, 0};

// ---- dot3 ----

void hol_dot3_coef(const HolFrame *a, const HolFrame *b, Vec3 u, Vec3 w, double *ca, double *cb) {
    Mat3 Aa = frame_A(a), Ab = frame_A(b);
    Vec3 zero = v3(0, 0, 0);
    set_coef(ca, zero, v3_cross(u, m3_tmulv(Aa, m3_mulv(Ab, w))));
    set_coef(cb, zero, v3_cross(w, m3_tmulv(Ab, m3_mulv(Aa, u))));
}

void hol_dot3_dcoef(const HolFrame *a, const HolFrame *b, Vec3 u, Vec3 w, double s,
                    HolRowDerivative D) {
    Mat3 Aa = frame_A(a), Ab = frame_A(b), R = m3_tmul(Aa, Ab);
    Vec3 wa = m3_mulv(R, w), ub = m3_tmulv(R, u);
    add_block(D[0][0], 3, 3, s, turn_block(wa, u));
    add_block(D[1][1], 3, 3, s, turn_block(ub, w));
    Mat3 uRw = m3_mul(m3_skew(u), m3_mul(R, m3_skew(w)));
    add_block(D[0][1], 3, 3, -s, uRw);
    add_block(D[1][0], 3, 3, -s, m3_transpose(uRw));
}

static double dot3_value(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *m) {
    (void)m;
    return v3_dot(m3_mulv(frame_A(a), v3_load(row->ua)), m3_mulv(frame_A(b), v3_load(row->ub)));
}

static void dot3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                      double *cb) {
    hol_dot3_coef(a, b, v3_load(row->ua), v3_load(row->ub), ca, cb);
}

static void dot3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                       HolRowDerivative D) {
    hol_dot3_dcoef(a, b, v3_load(row->ua), v3_load(row->ub), s, D);
}

static double dot3_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *va,
                         const double *vb) {
    Mat3 Aa = frame_A(a), Ab = frame_A(b);
    Vec3 u = v3_load(row->ua), w = v3_load(row->ub), oa = v3_load(va + 3), ob = v3_load(vb + 3);
    Vec3 n = m3_mulv(Aa, u), k = m3_mulv(Ab, w);
    return v3_dot(m3_mulv(Aa, whirl(oa, u)), k) + v3_dot(n, m3_mulv(Ab, whirl(ob, w))) +
           2 * v3_dot(m3_mulv(Aa, v3_cross(oa, u)), m3_mulv(Ab, v3_cross(ob, w)));
}

// own series: A_a ua (3), A_b ub (3)
static void dot3_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    jet_put(own, J->stride, 0, j, m3_mulv(jet_A(J, row->a, j), v3_load(row->ua)));
    jet_put(own, J->stride, 3, j, m3_mulv(jet_A(J, row->b, j), v3_load(row->ub)));
}

static double dot3_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    if (j > 0)
        dot3_refresh(row, J, own, j - 1);
    dot3_refresh(row, J, own, j);
    if (row->fixed_a)
        return v3_dot(jet_get(own, L, 0, 0), jet_get(own, L, 3, j));
    return jet_dot(own, own + 3 * L, L, j);
}

static void dot3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                          double *cb) {
    int L = J->stride;
    Vec3 zero = v3(0, 0, 0);
    dot3_refresh(row, J, own, j);
    Vec3 na = row->fixed_a ? m3_tmulv(jet_A(J, row->b, j), jet_get(own, L, 0, 0))
                           : jet_tmulv(J, row->b, 0, own, j);
    set_coef(cb, zero, v3_cross(v3_load(row->ub), na));
    set_coef(ca, zero, zero);
    if (!row->fixed_a)
        set_coef(ca, zero, v3_cross(v3_load(row->ua), jet_tmulv(J, row->a, 0, own + 3 * L, j)));
}

static unsigned
row_spatial_across(const double *u) { // rotation entries that u x something can have
    unsigned mask = 56;
    for (unsigned i = 0; i < 3; i++)
        if (u[(i + 1) % 3] == 0 && u[(i + 2) % 3] == 0)
            mask &= ~(8u << i);
    return mask;
}

static void dot3_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    *a = *va = row_spatial_across(row->ua);
    *b = *vb = row_spatial_across(row->ub);
}

const HolRowKind hol_row_dot3 = {"dot",           1, dot3_value,     dot3_coef,     dot3_dcoef,
                                 dot3_gamma,      6, dot3_jet_value, dot3_jet_coef, dot3_mask,
                                 &hol_batch_dot3, 0};

// ---- line3 ----

static double line3_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                          const double *m) {
    (void)m;
    Pair3 p = pair3(row, a, b);
    return v3_dot(m3_mulv(p.Aa, v3_load(row->ua)), p.d);
}

static void line3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                       double *cb) {
    Pair3 p = pair3(row, a, b);
    Vec3 u = v3_load(row->ua), n = m3_mulv(p.Aa, u);
    Vec3 Da = v3_add(m3_tmulv(p.Aa, p.d), p.sa); // P_b - r_a in axes of a
    pair3_coef(&p, n, ca, cb);
    v3_store(ca + 3, v3_cross(u, Da));
}

static void line3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                        HolRowDerivative D) {
    Pair3 p = pair3(row, a, b);
    Vec3 u = v3_load(row->ua), n = m3_mulv(p.Aa, u), nb = m3_tmulv(p.Ab, n);
    Vec3 Da = v3_add(m3_tmulv(p.Aa, p.d), p.sa);
    Mat3 Au = m3_mul(p.Aa, m3_skew(u)), uA = m3_mul(m3_skew(u), m3_transpose(p.Aa));
    Mat3 uRs = m3_mul(m3_skew(u), m3_mul(m3_tmul(p.Aa, p.Ab), m3_skew(p.sb)));
    add_block(D[0][0], 0, 3, s, Au);
    add_block(D[1][0], 0, 3, -s, Au);
    add_block(D[0][0], 3, 0, -s, uA);
    add_block(D[0][1], 3, 0, s, uA);
    add_block(D[0][0], 3, 3, s, turn_block(Da, u));
    add_block(D[0][1], 3, 3, -s, uRs);
    add_block(D[1][0], 3, 3, -s, m3_transpose(uRs));
    add_block(D[1][1], 3, 3, s, turn_block(nb, p.sb));
}

static double line3_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *va,
                          const double *vb) {
    Pair3 p = pair3(row, a, b);
    Vec3 u = v3_load(row->ua), oa = v3_load(va + 3), ob = v3_load(vb + 3);
    Vec3 full = v3_add(p.d, m3_mulv(p.Aa, p.sa));
    Vec3 rate = v3_add(v3_sub(v3_load(vb), v3_load(va)), m3_mulv(p.Ab, v3_cross(ob, p.sb)));
    return v3_dot(m3_mulv(p.Aa, whirl(oa, u)), full) +
           2 * v3_dot(m3_mulv(p.Aa, v3_cross(oa, u)), rate) +
           v3_dot(m3_mulv(p.Aa, u), m3_mulv(p.Ab, whirl(ob, p.sb)));
}

// own series: n (3), P_b - r_a (3)
static void line3_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    Vec3 D = v3_add(jet_r(J, row->b, j), m3_mulv(jet_A(J, row->b, j), v3_load(row->sb)));
    jet_put(own, L, 0, j, m3_mulv(jet_A(J, row->a, j), v3_load(row->ua)));
    jet_put(own, L, 3, j, v3_sub(D, jet_r(J, row->a, j)));
}

static double line3_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    if (j > 0)
        line3_refresh(row, J, own, j - 1);
    line3_refresh(row, J, own, j);
    double v = row->fixed_a ? v3_dot(jet_get(own, L, 0, 0), jet_get(own, L, 3, j))
                            : jet_dot(own, own + 3 * L, L, j);
    return j == 0 ? v - v3_dot(v3_load(row->ua), v3_load(row->sa)) : v;
}

static void line3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                           double *cb) {
    int L = J->stride;
    line3_refresh(row, J, own, j);
    Vec3 n = jet_get(own, L, 0, j);
    Vec3 nb = row->fixed_a ? m3_tmulv(jet_A(J, row->b, j), jet_get(own, L, 0, 0))
                           : jet_tmulv(J, row->b, 0, own, j);
    set_coef(cb, n, v3_cross(v3_load(row->sb), nb));
    set_coef(ca, v3_scale(n, -1), v3(0, 0, 0));
    if (!row->fixed_a)
        v3_store(ca + 3, v3_cross(v3_load(row->ua), jet_tmulv(J, row->a, 0, own + 3 * L, j)));
}

const HolRowKind hol_row_line3 = {"line",         1,           line3_value, line3_coef,
                                  line3_dcoef,    line3_gamma, 6,           line3_jet_value,
                                  line3_jet_coef, mask_full3,  NULL,        0};

// ---- length3, square3 ----

static Vec3 unit3(Vec3 d, double *inverse) { // zero where the length vanishes
    double l = v3_norm(d);
    *inverse = l > 0 ? 1 / l : 0;
    return v3_scale(d, *inverse);
}

static double length3_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                            const double *m) {
    (void)m;
    Pair3 p = pair3(row, a, b);
    return v3_norm(p.d);
}

static void length3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                         double *cb) {
    Pair3 p = pair3(row, a, b);
    double inv;
    pair3_coef(&p, unit3(p.d, &inv), ca, cb);
}

static void length3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                          HolRowDerivative D) {
    Pair3 p = pair3(row, a, b);
    double inv;
    Vec3 e = unit3(p.d, &inv);
    pair3_dcoef(&p, e, s, D);
    pair3_outer(&p, e, s * inv, D);
}

static double length3_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b,
                            const double *va, const double *vb) {
    Pair3 p = pair3(row, a, b);
    double inv;
    Vec3 e = unit3(p.d, &inv), rate = pair3_rate(&p, va, vb);
    double along = v3_dot(e, rate);
    return pair3_gamma(&p, e, va, vb) + (v3_dot(rate, rate) - along * along) * inv;
}

// own series: d (3), l, e (3)
static void length3_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    double *l = own + 3 * L;
    jet_put(own, L, 0, j, jet_pair(row, J, j));
    double dd = jet_dot(own, own, L, j);
    if (j == 0)
        l[0] = sqrt(dd);
    else {
        for (int i = 1; i < j; i++)
            dd -= l[i] * l[j - i];
        l[j] = l[0] > 0 ? dd / (2 * l[0]) : 0;
    }
    for (int c = 0; c < 3; c++) {
        double *e = own + (4 + c) * L, s = own[c * L + j];
        for (int i = 1; i <= j; i++)
            s -= l[i] * e[j - i];
        e[j] = l[0] > 0 ? s / l[0] : 0;
    }
}

static double length3_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    if (j > 0)
        length3_refresh(row, J, own, j - 1);
    length3_refresh(row, J, own, j);
    return own[3 * J->stride + j];
}

// coefficients of e.d from the series of e
static void pair3_jet_coef(const HolRow *row, const HolJets *J, const double *e, int j, double s,
                           double *ca, double *cb) {
    int L = J->stride;
    Vec3 ej = v3_scale(v3(e[j], e[L + j], e[2 * L + j]), s);
    set_coef(cb, ej, v3_scale(v3_cross(v3_load(row->sb), jet_tmulv(J, row->b, 0, e, j)), s));
    set_coef(ca, v3_scale(ej, -1), v3(0, 0, 0));
    if (!row->fixed_a)
        v3_store(ca + 3, v3_scale(v3_cross(v3_load(row->sa), jet_tmulv(J, row->a, 0, e, j)), -s));
}

static void length3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                             double *cb) {
    length3_refresh(row, J, own, j);
    pair3_jet_coef(row, J, own + 4 * J->stride, j, 1, ca, cb);
}

const HolRowKind hol_row_length3 = {
    "length",      1, length3_value,     length3_coef,     length3_dcoef,
    length3_gamma, 7, length3_jet_value, length3_jet_coef, mask_full3,
    NULL,          4};

static double square3_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                            const double *m) {
    (void)m;
    Pair3 p = pair3(row, a, b);
    return (v3_dot(p.d, p.d) - row->c * row->c) / (2 * row->c);
}

static void square3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                         double *cb) {
    Pair3 p = pair3(row, a, b);
    pair3_coef(&p, v3_scale(p.d, 1 / row->c), ca, cb);
}

static void square3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                          HolRowDerivative D) {
    Pair3 p = pair3(row, a, b);
    pair3_dcoef(&p, p.d, s / row->c, D);
    pair3_outer(&p, v3(0, 0, 0), s / row->c, D);
}

static double square3_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b,
                            const double *va, const double *vb) {
    Pair3 p = pair3(row, a, b);
    Vec3 rate = pair3_rate(&p, va, vb);
    return (pair3_gamma(&p, p.d, va, vb) + v3_dot(rate, rate)) / row->c;
}

static double square3_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    if (j > 0)
        jet_put(own, L, 0, j - 1, jet_pair(row, J, j - 1));
    jet_put(own, L, 0, j, jet_pair(row, J, j));
    double dd = jet_dot(own, own, L, j);
    return (j == 0 ? dd - row->c * row->c : dd) / (2 * row->c);
}

static void square3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                             double *cb) {
    jet_put(own, J->stride, 0, j, jet_pair(row, J, j));
    pair3_jet_coef(row, J, own, j, 1 / row->c, ca, cb);
}

const HolRowKind hol_row_square3 = {
    "distance",    1, square3_value,     square3_coef,     square3_dcoef,
    square3_gamma, 3, square3_jet_value, square3_jet_coef, mask_full3,
    NULL,          0};
