// SPDX-License-Identifier: Apache-2.0
// More rows of space.
//   angle3      phi = atan2(Y, X), X = (A_a ua).(A_b ub), Y = (A_a wa).(A_b ub),
//               the rotation of b against a about the axis ua x wa. Unwrapped: the branch of the
//               multiples of 2 pi that is nearest to the last accepted value (memory).
//               beta = (X dY - Y dX)/R, R = X^2 + Y^2
//   push3       velocity row of a force ub (axes of b) at P_b:  beta = (A ub, s_b x ub)
//   turn3       velocity row of a torque along the global axis ua: beta = (0, A^T ua)
//   spin3       velocity row of a torque along the body axis ub
//   quaternion  component c of p, p' = p (0, omega)/2
#include "model/row/row_spatial.h"

#include <math.h>

// ---- angle3 ----

typedef struct {
    double X, Y, R;
} Turn;

static Turn row_spatial_angle_turn(const HolRow *row, const HolFrame *a, const HolFrame *b) {
    Mat3 Aa = frame_A(a);
    Vec3 nb = m3_tmulv(Aa, m3_mulv(frame_A(b), v3_load(row->ub)));
    Turn t = {v3_dot(v3_load(row->ua), nb), v3_dot(v3_load(row->wa), nb), 0};
    t.R = t.X * t.X + t.Y * t.Y;
    return t;
}

static double unwrap(double phi, const double *memory) {
    return memory ? phi + 2 * M_PI * round((*memory - phi) / (2 * M_PI)) : phi;
}

static double angle3_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                           const double *memory) {
    Turn t = row_spatial_angle_turn(row, a, b);
    return unwrap(atan2(t.Y, t.X), memory);
}

static void angle3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                        double *cb) {
    Turn t = row_spatial_angle_turn(row, a, b);
    double xa[6], xb[6], ya[6], yb[6];
    hol_dot3_coef(a, b, v3_load(row->ua), v3_load(row->ub), xa, xb);
    hol_dot3_coef(a, b, v3_load(row->wa), v3_load(row->ub), ya, yb);
    for (int i = 0; i < 6; i++) {
        ca[i] = (t.X * ya[i] - t.Y * xa[i]) / t.R;
        cb[i] = (t.X * yb[i] - t.Y * xb[i]) / t.R;
    }
}

static void angle3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                         HolRowDerivative D) {
    Turn t = row_spatial_angle_turn(row, a, b);
    double x[2][6], y[2][6], R2 = t.R * t.R;
    double xx = 2 * t.X * t.Y / R2, xy = (t.Y * t.Y - t.X * t.X) / R2;
    hol_dot3_coef(a, b, v3_load(row->ua), v3_load(row->ub), x[0], x[1]);
    hol_dot3_coef(a, b, v3_load(row->wa), v3_load(row->ub), y[0], y[1]);
    hol_dot3_dcoef(a, b, v3_load(row->ua), v3_load(row->ub), -s * t.Y / t.R, D);
    hol_dot3_dcoef(a, b, v3_load(row->wa), v3_load(row->ub), s * t.X / t.R, D);
    for (int si = 0; si < 2; si++)
        for (int sj = 0; sj < 2; sj++)
            for (int i = 3; i < 6; i++)
                for (int j = 3; j < 6; j++)
                    D[si][sj][i][j] += s * (xx * (x[si][i] * x[sj][j] - y[si][i] * y[sj][j]) +
                                            xy * (x[si][i] * y[sj][j] + y[si][i] * x[sj][j]));
}

// gamma from D: v^T D v
static double general_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b,
                            const double *va, const double *vb) {
    HolRowDerivative D = {{{{0}}}};
    row->kind->dcoef(row, a, b, 1, D);
    const double *v[2] = {va, vb};
    double s = 0;
    for (int si = 0; si < 2; si++)
        for (int sj = 0; sj < 2; sj++)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++)
                    s += v[si][i] * D[si][sj][i][j] * v[sj][j];
    return s;
}

// own series
enum { NA = 0, MA = 3, NB = 6, SX = 9, SY, SR, PHI, GX, GY, T = 15, H = 18, ANGLE_SERIES = 21 };

static void angle3_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    Mat3 A = jet_A(J, row->a, j);
    jet_put(own, L, NA, j, m3_mulv(A, v3_load(row->ua)));
    jet_put(own, L, MA, j, m3_mulv(A, v3_load(row->wa)));
    jet_put(own, L, NB, j, m3_mulv(jet_A(J, row->b, j), v3_load(row->ub)));
    double *X = own + SX * L, *Y = own + SY * L, *R = own + SR * L, *phi = own + PHI * L;
    X[j] = jet_dot(own + NA * L, own + NB * L, L, j);
    Y[j] = jet_dot(own + MA * L, own + NB * L, L, j);
    R[j] = hol_conv(X, X, j) + hol_conv(Y, Y, j);
    if (j == 0)
        phi[0] = atan2(Y[0], X[0]);
    else {
        // R phi' = X Y' - Y X'
        double s = 0;
        for (int i = 1; i <= j; i++)
            s += i * (X[j - i] * Y[i] - Y[j - i] * X[i]);
        for (int i = 1; i < j; i++)
            s -= R[j - i] * i * phi[i];
        phi[j] = s / (j * R[0]);
    }
    double *gx = own + GX * L, *gy = own + GY * L, sx = -Y[j], sy = X[j];
    for (int i = 1; i <= j; i++) {
        sx -= R[i] * gx[j - i];
        sy -= R[i] * gy[j - i];
    }
    gx[j] = sx / R[0];
    gy[j] = sy / R[0];
}

static double angle3_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    if (j > 0)
        angle3_refresh(row, J, own, j - 1);
    angle3_refresh(row, J, own, j);
    return own[PHI * J->stride + j];
}

static void angle3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                            double *cb) {
    int L = J->stride;
    Vec3 zero = v3(0, 0, 0);
    angle3_refresh(row, J, own, j);
    const double *gx = own + GX * L, *gy = own + GY * L;
    jet_put(own, L, T, j, jet_tmulv(J, row->a, row->fixed_a, own + NB * L, j));
    Vec3 h = v3_add(jet_scale(gx, own + NA * L, L, j), jet_scale(gy, own + MA * L, L, j));
    jet_put(own, L, H, j, h);
    set_coef(ca, zero,
             v3_add(v3_cross(v3_load(row->ua), jet_scale(gx, own + T * L, L, j)),
                    v3_cross(v3_load(row->wa), jet_scale(gy, own + T * L, L, j))));
    set_coef(cb, zero, v3_cross(v3_load(row->ub), jet_tmulv(J, row->b, 0, own + H * L, j)));
}

static void rotation_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *b = *va = *vb = 56;
}

const HolRowKind hol_row_angle3 = {"angle",
                                   1,
                                   angle3_value,
                                   angle3_coef,
                                   angle3_dcoef,
                                   general_gamma,
                                   ANGLE_SERIES,
                                   angle3_jet_value,
                                   angle3_jet_coef,
                                   rotation_mask,
                                   NULL,
                                   0};

// ---- push3 ----

static void push3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                       double *cb) {
    (void)a;
    Vec3 u = v3_load(row->ub), zero = v3(0, 0, 0);
    set_coef(ca, zero, zero);
    set_coef(cb, m3_mulv(frame_A(b), u), v3_cross(v3_load(row->sb), u));
}

static void push3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                        HolRowDerivative D) {
    (void)a;
    add_block(D[1][1], 0, 3, -s, m3_mul(frame_A(b), m3_skew(v3_load(row->ub))));
}

static void push3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                           double *cb) {
    (void)own;
    Vec3 u = v3_load(row->ub), zero = v3(0, 0, 0);
    set_coef(ca, zero, zero);
    set_coef(cb, m3_mulv(jet_A(J, row->b, j), u), j == 0 ? v3_cross(v3_load(row->sb), u) : zero);
}

static void push3_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *va = 0;
    *b = 63;
    *vb = 7;
}

const HolRowKind hol_row_push3 = {"push",        0, 0, push3_coef,     push3_dcoef,
                                  general_gamma, 0, 0, push3_jet_coef, push3_mask,
                                  NULL,          0};

// ---- turn3, spin3 ----

static void turn3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                       double *cb) {
    (void)a;
    Vec3 zero = v3(0, 0, 0);
    set_coef(ca, zero, zero);
    set_coef(cb, zero, m3_tmulv(frame_A(b), v3_load(row->ua)));
}

static void turn3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                        HolRowDerivative D) {
    (void)a;
    add_block(D[1][1], 3, 3, s, m3_skew(m3_tmulv(frame_A(b), v3_load(row->ua))));
}

static double zero_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *va,
                         const double *vb) {
    (void)row, (void)a, (void)b, (void)va, (void)vb;
    return 0;
}

static void turn3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                           double *cb) {
    (void)own;
    Vec3 zero = v3(0, 0, 0);
    set_coef(ca, zero, zero);
    set_coef(cb, zero, m3_tmulv(jet_A(J, row->b, j), v3_load(row->ua)));
}

static void turn3_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *va = 0;
    *b = *vb = 56;
}

const HolRowKind hol_row_turn3 = {
    "turn", 0, 0, turn3_coef, turn3_dcoef, zero_gamma, 0, 0, turn3_jet_coef, turn3_mask, NULL, 0};

static void spin3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                       double *cb) {
    (void)a, (void)b;
    Vec3 zero = v3(0, 0, 0);
    set_coef(ca, zero, zero);
    set_coef(cb, zero, v3_load(row->ub));
}

static void spin3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                        HolRowDerivative D) {
    (void)row, (void)a, (void)b, (void)s, (void)D;
}

static void spin3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                           double *cb) {
    (void)J, (void)own;
    Vec3 zero = v3(0, 0, 0);
    set_coef(ca, zero, zero);
    set_coef(cb, zero, j == 0 ? v3_load(row->ub) : zero);
}

static void spin3_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *va = *vb = 0;
    *b = 56;
}

const HolRowKind hol_row_spin3 = {
    "spin", 0, 0, spin3_coef, spin3_dcoef, zero_gamma, 0, 0, spin3_jet_coef, spin3_mask, NULL, 0};

// ---- quaternion component ----

// beta of component c for the quaternion p
static Vec3 quaternion_beta(int c, const double *p) {
    switch (c) {
    case 0:
        return v3_scale(v3(-p[1], -p[2], -p[3]), 0.5);
    case 1:
        return v3_scale(v3(p[0], -p[3], p[2]), 0.5);
    case 2:
        return v3_scale(v3(p[3], p[0], -p[1]), 0.5);
    default:
        return v3_scale(v3(-p[2], p[1], p[0]), 0.5);
    }
}

static double quaternion_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                               const double *m) {
    (void)a, (void)m;
    return b->p[(int)row->c];
}

static void quaternion_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                            double *cb) {
    (void)a;
    Vec3 zero = v3(0, 0, 0);
    set_coef(ca, zero, zero);
    set_coef(cb, zero, quaternion_beta((int)row->c, b->p));
}

static void quaternion_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                             HolRowDerivative D) {
    (void)a;
    for (int j = 0; j < 3; j++) {
        double dp[4], d[3];
        for (int c = 0; c < 4; c++) {
            v3_store(d, quaternion_beta(c, b->p));
            dp[c] = d[j];
        }
        v3_store(d, quaternion_beta((int)row->c, dp));
        for (int i = 0; i < 3; i++)
            D[1][1][3 + i][3 + j] += s * d[i];
    }
}

static double quaternion_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    (void)own;
    return *hol_jet(J, row->b, HOL_S_P + (int)row->c, j);
}

static void quaternion_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                                double *cb) {
    (void)own;
    double p[4];
    Vec3 zero = v3(0, 0, 0);
    for (int c = 0; c < 4; c++)
        p[c] = *hol_jet(J, row->b, HOL_S_P + c, j);
    set_coef(ca, zero, zero);
    set_coef(cb, zero, quaternion_beta((int)row->c, p));
}

const HolRowKind hol_row_quaternion = {
    "quaternion",  1, quaternion_value,     quaternion_coef,     quaternion_dcoef,
    general_gamma, 0, quaternion_jet_value, quaternion_jet_coef, turn3_mask,
    NULL,          0};
