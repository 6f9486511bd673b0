// SPDX-License-Identifier: Apache-2.0
// A curve c(s) of body a (from the point sa on) that meets a point, circle or straight face of body b in
// the plane. n is the normal of the curve where it is met, towards b, tau = (-n_y, n_x), kappa its
// curvature (positive where it bends away from b), D = P_b - r_a, u = P_b - r_b; side = +-1 (wa[0])
// turns the curve's right-hand normal towards b.
//   near2   n.(P_b - C): distance of P_b from the nearest point C of the curve
//   face2   the same from the point C that lies farthest along n = -A_b ub, the normal of a face of b
//   skid2, wipe2   velocity rows: t.(velocity of b - velocity of a) where they touch, t = -tau,
//                  for both; a circle of radius R = c touches at P_b - R n
// With e_a, e_b the arms of the point of touch, all have
//     beta_n = (-n, tau.e_a | n, -tau.e_b),    beta_t = (tau, n.e_a | -tau, -n.e_b)
// (near2: e_a = D, e_b = u). n turns by dalpha, and dn = tau dalpha, dtau = -n dalpha:
//   near2   dalpha = dtheta_a + K tau.(dP_b - dr_a - perp(D) dtheta_a),  K = kappa/(1 + kappa g)
//   face2   dalpha = dtheta_b; C moves along the curve by ds = (dtheta_b - dtheta_a)/kappa
// Series: the parameter's coefficient of order j from phi'(s, q) = 0 (curve_foot.c), of which phi'' is
// the derivative by s.
#include "model/curve/curve.h"
#include "model/row/row.h"

#include <math.h>
#include <string.h>

typedef struct Meet {
    double n[2], tau[2];
    double ea[2], eb[2]; // arms of beta
    double value;
    double K, rho; // near: K; face: 1/kappa
} Meet;

static int meets_face(const HolRow *row) {
    return row->kind == &hol_row_face2 || row->kind == &hol_row_wipe2;
}

static double meet_dot(const double *x, const double *y) {
    return x[0] * y[0] + x[1] * y[1];
}

static void meet_turn(const HolFrame *f, const double *s, double *out) {
    out[0] = f->c * s[0] - f->s * s[1];
    out[1] = f->s * s[0] + f->c * s[1];
}

static void meet_back(const HolFrame *f, const double *x, double *out) {
    out[0] = f->c * x[0] + f->s * x[1];
    out[1] = f->c * x[1] - f->s * x[0];
}

static void meet_normal(Meet *m, const HolFrame *a, const double *local) {
    meet_turn(a, local, m->n);
    m->tau[0] = -m->n[1];
    m->tau[1] = m->n[0];
}

static HolCurveFoot meet_foot(const HolRow *row, const HolFrame *a, const HolFrame *b) {
    double x[2], local[2];
    if (meets_face(row)) {
        meet_turn(b, row->ub, x);
        x[0] = -x[0];
        x[1] = -x[1];
        meet_back(a, x, local);
    } else {
        meet_turn(b, row->sb, x);
        for (int i = 0; i < 2; i++)
            x[i] += b->r[i] - a->r[i];
        meet_back(a, x, local);
        for (int i = 0; i < 2; i++)
            local[i] -= row->sa[i];
    }
    return hol_curve_foot(row->curve, local, meets_face(row));
}

double hol_row_meet(const HolRow *row, const HolFrame *a, const HolFrame *b) {
    return meet_foot(row, a, b).s;
}

static Meet meet_at(const HolRow *row, const HolFrame *a, const HolFrame *b) {
    Meet m = {.K = 0};
    const HolCurveFoot foot = meet_foot(row, a, b);
    const double *d = foot.at.d, *dd = foot.at.dd, side = row->wa[0];
    const double speed = hypot(d[0], d[1]);
    const double kappa = side * (d[0] * dd[1] - d[1] * dd[0]) / (speed * speed * speed);
    double c[2], x[2], local[2];
    local[0] = side * d[1] / speed;
    local[1] = -side * d[0] / speed;
    if (meets_face(row)) {
        meet_turn(b, row->ub, x);
        const double n[2] = {-x[0], -x[1]};
        meet_back(a, n, local);
    }
    meet_normal(&m, a, local);
    for (int i = 0; i < 2; i++)
        c[i] = foot.at.x[i] + row->sa[i];
    meet_turn(a, c, m.ea);
    meet_turn(b, row->sb, x);
    const double gap[2] = {b->r[0] + x[0] - a->r[0] - m.ea[0], b->r[1] + x[1] - a->r[1] - m.ea[1]};
    m.value = meet_dot(m.n, gap);
    for (int i = 0; i < 2; i++) {
        m.eb[i] = meets_face(row) ? m.ea[i] + a->r[i] - b->r[i] : x[i];
        if (!meets_face(row))
            m.ea[i] += gap[i];
    }
    m.K = kappa / (1 + kappa * m.value);
    m.rho = 1 / kappa;
    return m;
}

static double meet_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                         const double *memory) {
    (void)memory;
    return meet_at(row, a, b).value;
}

// ---- coefficients and their change along increments of the two bodies ----

static void gap_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                     double *cb) {
    const Meet m = meet_at(row, a, b);
    for (int i = 0; i < 2; i++) {
        ca[i] = -m.n[i];
        cb[i] = m.n[i];
    }
    ca[2] = meet_dot(m.tau, m.ea);
    cb[2] = -meet_dot(m.tau, m.eb);
}

static void slip_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                      double *cb) {
    const Meet m = meet_at(row, a, b);
    for (int i = 0; i < 2; i++) {
        ca[i] = m.tau[i];
        cb[i] = -m.tau[i];
    }
    ca[2] = meet_dot(m.n, m.ea) - row->c;
    cb[2] = row->c - meet_dot(m.n, m.eb);
}

typedef struct MeetChange {
    double alpha, ea[2], eb[2]; // changes of the arms
} MeetChange;

static MeetChange meet_change(const HolRow *row, const Meet *m, const double *xa,
                              const double *xb) {
    MeetChange c = {.alpha = xb[2]};
    const double dr[2] = {xb[0] - xa[0], xb[1] - xa[1]};
    if (meets_face(row)) {
        const double ds = m->rho * (xb[2] - xa[2]);
        for (int i = 0; i < 2; i++) {
            c.ea[i] = (i ? m->ea[0] : -m->ea[1]) * xa[2] + m->tau[i] * ds;
            c.eb[i] = c.ea[i] - dr[i];
        }
        return c;
    }
    double turned[2];
    for (int i = 0; i < 2; i++) {
        c.eb[i] = (i ? m->eb[0] : -m->eb[1]) * xb[2];
        c.ea[i] = c.eb[i] + dr[i];
        turned[i] = c.ea[i] - (i ? m->ea[0] : -m->ea[1]) * xa[2];
    }
    c.alpha = xa[2] + m->K * meet_dot(m->tau, turned);
    return c;
}

static void coef_change(const HolRow *row, const Meet *m, const double *xa, const double *xb,
                        double *da, double *db) {
    const MeetChange c = meet_change(row, m, xa, xb);
    const int gap = row->kind->holonomic;
    for (int i = 0; i < 2; i++) {
        db[i] = (gap ? m->tau[i] : m->n[i]) * c.alpha;
        da[i] = -db[i];
    }
    if (gap) {
        da[2] = -meet_dot(m->n, m->ea) * c.alpha + meet_dot(m->tau, c.ea);
        db[2] = meet_dot(m->n, m->eb) * c.alpha - meet_dot(m->tau, c.eb);
    } else {
        da[2] = meet_dot(m->tau, m->ea) * c.alpha + meet_dot(m->n, c.ea);
        db[2] = -meet_dot(m->tau, m->eb) * c.alpha - meet_dot(m->n, c.eb);
    }
}

static void meet_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double factor,
                       HolRowDerivative D) {
    const Meet m = meet_at(row, a, b);
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < 3; j++) {
            double x[2][3] = {{0}}, da[3], db[3];
            x[side][j] = factor;
            coef_change(row, &m, x[0], x[1], da, db);
            for (int i = 0; i < 3; i++) {
                D[0][side][i][j] += da[i];
                D[1][side][i][j] += db[i];
            }
        }
}

static double meet_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *va,
                         const double *vb) {
    const Meet m = meet_at(row, a, b);
    double da[3], db[3], sum = 0;
    coef_change(row, &m, va, vb, da, db);
    for (int i = 0; i < 3; i++)
        sum += da[i] * va[i] + db[i] * vb[i];
    return sum;
}

// ---- series ----

// own series: slots of the curve's expressions (2: time, s), c (2), c' (2), |c'|, cosine and sine of
// a, n in axes of a (2), n (2), P_b - C in axes of a (2), arms e_a, e_b (2 each), value; phi'' of
// order 0. Behind them the memory of the expressions.
enum {
    MEET_S = HOL_CURVE_SLOT,
    MEET_C,
    MEET_D = 4,
    MEET_SPEED = 6,
    MEET_COS,
    MEET_SIN,
    MEET_LOCAL,
    MEET_N = 11,
    MEET_GAP = 13,
    MEET_EA = 15,
    MEET_EB = 17,
    MEET_VALUE = 19,
    MEET_SECOND,
    MEET_SERIES
};

int hol_row_curve_series(const struct HolCurve *c) {
    size_t lanes = 0; // (memory of expressions comes in runs of 8 orders, a stride may be shorter)
    for (int k = 0; k < 2; k++)
        lanes += hol_expr_jet_work(c->expr[k], 0) + hol_expr_jet_work(c->first[k], 0);
    return (int)lanes;
}

static void curve_orders(const HolRow *row, double *own, int L, int j) {
    const HolCurve *c = row->curve;
    double *work = own + (long)MEET_SERIES * L;
    for (int k = 0; k < 2; k++) {
        own[(MEET_C + k) * L + j] = hol_expr_jet(c->expr[k], own, (size_t)L, j, work);
        work += hol_expr_jet_work(c->expr[k], L - 1);
        own[(MEET_D + k) * L + j] = hol_expr_jet(c->first[k], own, (size_t)L, j, work);
        work += hol_expr_jet_work(c->first[k], L - 1);
    }
}

static void jet_arm(const HolJets *J, int body, const double *s, int j, double *out) {
    const double c = *hol_jet(J, body, HOL_S_COS, j), sn = *hol_jet(J, body, HOL_S_SIN, j);
    out[0] = c * s[0] - sn * s[1];
    out[1] = sn * s[0] + c * s[1];
}

// A_a^T x at order j, x being two series
static void jet_back(const double *own, int L, const double *x, int j, double *out) {
    const double *c = own + MEET_COS * L, *s = own + MEET_SIN * L;
    out[0] = hol_conv(c, x, j) + hol_conv(s, x + L, j);
    out[1] = hol_conv(c, x + L, j) - hol_conv(s, x, j);
}

static void jet_turn(const double *own, int L, const double *x, int j, double *out) {
    const double *c = own + MEET_COS * L, *s = own + MEET_SIN * L;
    out[0] = hol_conv(c, x, j) - hol_conv(s, x + L, j);
    out[1] = hol_conv(s, x, j) + hol_conv(c, x + L, j);
}

// phi' of order j with what is known of it
static double slope_order(const HolRow *row, const double *own, int L, int j) {
    const double *d = own + MEET_D * L;
    const double *e = own + (meets_face(row) ? MEET_LOCAL : MEET_GAP) * L;
    return hol_conv(d, e, j) + hol_conv(d + L, e + L, j);
}

// the parameter at order j; `aim`: order j of what the curve meets, in axes of a
static void meet_parameter(const HolRow *row, double *own, int L, int j, const double aim[2]) {
    double *s = own + MEET_S * L, *gap = own + MEET_GAP * L;
    const int face = meets_face(row);
    own[j] = 0;
    if (j == 0) {
        const HolCurveFoot foot = hol_curve_foot(row->curve, aim, face);
        const double *c = foot.at.x, *d = foot.at.d;
        s[0] = foot.s;
        const double e[2] = {aim[0] - (face ? 0 : c[0]), aim[1] - (face ? 0 : c[1])};
        own[MEET_SECOND * L] = meet_dot(foot.at.dd, e) - (face ? 0 : meet_dot(d, d));
    }
    for (int pass = j == 0; pass < 2; pass++) {
        if (pass == 0)
            s[j] = 0;
        curve_orders(row, own, L, j);
        for (int k = 0; k < 2; k++)
            if (!face)
                gap[k * L + j] = aim[k] - own[(MEET_C + k) * L + j];
        if (pass == 0)
            s[j] = -slope_order(row, own, L, j) / own[MEET_SECOND * L];
    }
}

// order j of |c'|, and of the normal in axes of a
static void meet_unit(const HolRow *row, double *own, int L, int j) {
    double *l = own + MEET_SPEED * L;
    const double *d[2] = {own + MEET_D * L, own + (MEET_D + 1) * L};
    double sum = hol_conv(d[0], d[0], j) + hol_conv(d[1], d[1], j);
    for (int i = 1; i < j; i++)
        sum -= l[i] * l[j - i];
    l[j] = j == 0 ? sqrt(sum) : sum / (2 * l[0]);
    for (int k = 0; k < 2; k++) {
        double *n = own + (MEET_LOCAL + k) * L;
        double x = (k ? -row->wa[0] : row->wa[0]) * d[1 - k][j];
        for (int i = 1; i <= j; i++)
            x -= l[i] * n[j - i];
        n[j] = x / l[0];
    }
}

static void near_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    const int L = J->stride;
    double u[2], aim[2], n[2];
    jet_arm(J, row->b, row->sb, j, u);
    for (int k = 0; k < 2; k++) {
        own[(MEET_EB + k) * L + j] = u[k];
        own[(MEET_EA + k) * L + j] =
            *hol_jet(J, row->b, HOL_S_X + k, j) + u[k] - *hol_jet(J, row->a, HOL_S_X + k, j);
    }
    jet_back(own, L, own + MEET_EA * L, j, aim);
    for (int k = 0; k < 2 && j == 0; k++)
        aim[k] -= row->sa[k];
    meet_parameter(row, own, L, j, aim);
    meet_unit(row, own, L, j);
    jet_turn(own, L, own + MEET_LOCAL * L, j, n);
    own[MEET_N * L + j] = n[0];
    own[(MEET_N + 1) * L + j] = n[1];
    own[MEET_VALUE * L + j] = hol_conv(own + MEET_LOCAL * L, own + MEET_GAP * L, j) +
                              hol_conv(own + (MEET_LOCAL + 1) * L, own + (MEET_GAP + 1) * L, j);
}

static void face_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    const int L = J->stride;
    double u[2], aim[2], x[2], arm[2];
    jet_arm(J, row->b, row->ub, j, u);
    own[MEET_N * L + j] = -u[0];
    own[(MEET_N + 1) * L + j] = -u[1];
    jet_back(own, L, own + MEET_N * L, j, aim);
    own[MEET_LOCAL * L + j] = aim[0];
    own[(MEET_LOCAL + 1) * L + j] = aim[1];
    meet_parameter(row, own, L, j, aim);
    jet_turn(own, L, own + MEET_C * L, j, x);
    jet_arm(J, row->a, row->sa, j, arm);
    jet_arm(J, row->b, row->sb, j, u);
    for (int k = 0; k < 2; k++) {
        const double ea = x[k] + arm[k];
        const double eb =
            ea + *hol_jet(J, row->a, HOL_S_X + k, j) - *hol_jet(J, row->b, HOL_S_X + k, j);
        own[(MEET_EA + k) * L + j] = ea;
        own[(MEET_EB + k) * L + j] = eb;
        own[(MEET_GAP + k) * L + j] = u[k] - eb;
    }
    own[MEET_VALUE * L + j] = hol_conv(own + MEET_N * L, own + MEET_GAP * L, j) +
                              hol_conv(own + (MEET_N + 1) * L, own + (MEET_GAP + 1) * L, j);
}

static void meet_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    own[MEET_COS * J->stride + j] = *hol_jet(J, row->a, HOL_S_COS, j);
    own[MEET_SIN * J->stride + j] = *hol_jet(J, row->a, HOL_S_SIN, j);
    if (meets_face(row))
        face_refresh(row, J, own, j);
    else
        near_refresh(row, J, own, j);
}

static double meet_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    if (j > 0)
        meet_refresh(row, J, own, j - 1);
    meet_refresh(row, J, own, j);
    return own[MEET_VALUE * J->stride + j];
}

static void meet_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                          double *cb) {
    const int L = J->stride;
    meet_refresh(row, J, own, j);
    const double *n = own + MEET_N * L, *ea = own + MEET_EA * L, *eb = own + MEET_EB * L;
    if (row->kind->holonomic) {
        cb[0] = n[j];
        cb[1] = n[L + j];
        ca[2] = hol_conv(n, ea + L, j) - hol_conv(n + L, ea, j);
        cb[2] = hol_conv(n + L, eb, j) - hol_conv(n, eb + L, j);
    } else {
        const double R = j == 0 ? row->c : 0;
        cb[0] = n[L + j];
        cb[1] = -n[j];
        ca[2] = hol_conv(n, ea, j) + hol_conv(n + L, ea + L, j) - R;
        cb[2] = R - hol_conv(n, eb, j) - hol_conv(n + L, eb + L, j);
    }
    ca[0] = -cb[0];
    ca[1] = -cb[1];
}

static void meet_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *b = *va = *vb = 7;
}

#define MEET_KIND(text, whole, value_of, coef_of, jet_of)                                          \
    {                                                                                              \
        .name = text, .holonomic = whole, .value = value_of, .coef = coef_of, .dcoef = meet_dcoef, \
        .gamma = meet_gamma, .series = MEET_SERIES, .jet_value = jet_of,                           \
        .jet_coef = meet_jet_coef, .mask = meet_mask                                               \
    }

const HolRowKind hol_row_near2 = MEET_KIND("near", 1, meet_value, gap_coef, meet_jet_value);
const HolRowKind hol_row_face2 = MEET_KIND("face", 1, meet_value, gap_coef, meet_jet_value);
const HolRowKind hol_row_skid2 = MEET_KIND("skid", 0, NULL, slip_coef, NULL);
const HolRowKind hol_row_wipe2 = MEET_KIND("wipe", 0, NULL, slip_coef, NULL);
