// SPDX-License-Identifier: Apache-2.0
// The row of a bushing's rotation in space: one component of a rotation vector
// (docs/theory/rows.md, section 4).
//
// D = A_a^T A_b R0^T rotates from the free orientation R0 = exp(wa) to the present one, in axes of
// a; as a unit quaternion (w, e) it is conj(p_a) p_b conj(r0). Its rotation vector
// phi = theta e/|e|, theta = 2 atan2(|e|, w), is followed up to a whole turn: quaternions of a
// motion are continuous, and D and -D are half a turn of theta/2 apart. sigma = u.phi, u = ua.
//
// With R = A_a^T A_b and Omega = R omega_b - omega_a (D' = Omega~ D), tau = phi.phi:
//   phi' = Omega - phi x Omega/2 + eta phi x (phi x Omega),  eta = (1 - (theta/2) cot(theta/2))/tau
//   sigma' = g.Omega,  g = u + phi x u/2 + eta (phi (phi.u) - tau u)
//   beta_a = -g, beta_b = R^T g (rotations)
// and for small rotations d_a, d_b with d phi = T (R d_b - d_a), T the matrix in phi' = T Omega:
//   d g = H d phi,  H = -u~/2 + eta ((phi.u) I + phi u^T - 2 u phi^T)
//                       + 2 eta_tau (phi (phi.u) - tau u) phi^T
//   d beta_a = -d g,  d beta_b = R^T (d g - g x d_a) + (R^T g) x d_b
// By the partial fractions of the cotangent, with s = tau/(2 pi)^2,
//   eta = sum_n 1/(n^2 - s)/(2 pi^2),   eta_tau = sum_n 1/(n^2 - s)^2/(8 pi^4)
// without cancellation at small rotations: the first FRACTIONS terms, and the rest as a power
// series in s whose coefficients are sum_(n > FRACTIONS) n^(-2k).
//
// Series: phi_j = phi'_(j-1)/j, everything else by products of series.
#include "model/row/row_spatial.h"

#include <math.h>

enum { FRACTIONS = 4, POWERS = 11 };
static const double rest[POWERS] = {
    0.22132295573711532536,    0.0035713046987925125037,  0.00010217924696628649092,
    3.4316186059667982859e-6,  1.2386569324880043492e-7,  4.6472401139872673273e-9,
    1.7836027759837274141e-10, 6.9423827990883046711e-12, 2.7266789829242784795e-13,
    1.0772765096092468543e-14, 4.272983798477075142e-16};

static const double TURN_SQUARED = 4 * M_PI * M_PI;

// eta, and its derivative by tau
static double eta_of(double tau, double *slope) {
    const double s = tau / TURN_SQUARED;
    double sum = 0, by_s = 0;
    for (int k = POWERS - 1; k >= 0; k--) {
        by_s = by_s * s + sum;
        sum = sum * s + rest[k];
    }
    for (int n = FRACTIONS; n >= 1; n--) {
        const double y = 1 / (n * n - s);
        sum += y;
        by_s += y * y;
    }
    *slope = 2 * by_s / (TURN_SQUARED * TURN_SQUARED);
    return 2 * sum / TURN_SQUARED;
}

static Vec3 rotation_vector(Quat d) {
    const Vec3 e = v3(d.x, d.y, d.z);
    const double length = v3_norm(e);
    if (length < 1e-3 && d.w > 0)
        return q_log(d);
    return v3_scale(e, 2 * atan2(length, d.w) / length);
}

static Quat row_rotation_turned(const HolRow *row, const double *pa, const double *pb) {
    Quat d = q_mul(q_mul(q_conj(q_load(pa)), q_load(pb)), q_conj(q_exp(v3_load(row->wa))));
    return q_normalize(d);
}

Vec3 hol_rotation3(const HolRow *row, const HolFrame *a, const HolFrame *b) {
    return rotation_vector(row_rotation_turned(row, a->p, b->p));
}

static double rotation3_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                              const double *memory) {
    (void)memory;
    return v3_dot(v3_load(row->ua), hol_rotation3(row, a, b));
}

typedef struct {
    Vec3 phi, g, across; // across: phi (phi.u) - tau u
    double tau, eta, slope;
    Mat3 R;
} Turn3;

static Turn3 turn3(const HolRow *row, const HolFrame *a, const HolFrame *b) {
    const Vec3 u = v3_load(row->ua);
    Turn3 t = {.phi = hol_rotation3(row, a, b), .R = m3_tmul(frame_A(a), frame_A(b))};
    t.tau = v3_dot(t.phi, t.phi);
    t.eta = eta_of(t.tau, &t.slope);
    t.across = v3_sub(v3_scale(t.phi, v3_dot(t.phi, u)), v3_scale(u, t.tau));
    t.g = v3_add(v3_add(u, v3_scale(v3_cross(t.phi, u), 0.5)), v3_scale(t.across, t.eta));
    return t;
}

static void rotation3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                           double *cb) {
    const Turn3 t = turn3(row, a, b);
    const Vec3 zero = v3(0, 0, 0);
    set_coef(ca, zero, v3_scale(t.g, -1));
    set_coef(cb, zero, m3_tmulv(t.R, t.g));
}

static Mat3 outer(Vec3 x, Vec3 y) {
    return (Mat3){{x.x * y.x, x.x * y.y, x.x * y.z, x.y * y.x, x.y * y.y, x.y * y.z, x.z * y.x,
                   x.z * y.y, x.z * y.z}};
}

static void row_rotation_add_scaled(Mat3 *sum, double s, Mat3 x) {
    for (int i = 0; i < 9; i++)
        sum->m[i] += s * x.m[i];
}

static void rotation3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                            HolRowDerivative D) {
    const Turn3 t = turn3(row, a, b);
    const Vec3 u = v3_load(row->ua);
    const Mat3 skew = m3_skew(t.phi);
    Mat3 T = m3_identity(), H = outer(t.across, v3_scale(t.phi, 2 * t.slope));
    row_rotation_add_scaled(&T, -0.5, skew);
    row_rotation_add_scaled(&T, t.eta, m3_mul(skew, skew));
    row_rotation_add_scaled(&H, -0.5, m3_skew(u));
    row_rotation_add_scaled(&H, t.eta * v3_dot(t.phi, u), m3_identity());
    row_rotation_add_scaled(&H, t.eta, outer(t.phi, u));
    row_rotation_add_scaled(&H, -2 * t.eta, outer(u, t.phi));
    const Mat3 HT = m3_mul(H, T), HTR = m3_mul(HT, t.R);
    add_block(D[0][0], 3, 3, s, HT);
    add_block(D[0][1], 3, 3, -s, HTR);
    Mat3 left = HT; // R^T (-d g by d_a - g x)
    row_rotation_add_scaled(&left, 1, m3_skew(t.g));
    add_block(D[1][0], 3, 3, -s, m3_tmul(t.R, left));
    add_block(D[1][1], 3, 3, s, m3_tmul(t.R, HTR));
    add_block(D[1][1], 3, 3, s, m3_skew(m3_tmulv(t.R, t.g)));
}

static double rotation3_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b,
                              const double *va, const double *vb) {
    HolRowDerivative D = {{{{0}}}};
    const double *v[2] = {va + 3, vb + 3};
    double sum = 0;
    rotation3_dcoef(row, a, b, 1, D);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    sum += v[i][r] * D[i][j][3 + r][3 + c] * v[j][c];
    return sum;
}

// ---- series ----

enum {
    PHI = 0,                      // phi (3)
    ALONG = 3,                    // phi.u, the value
    S = 4,                        // tau/(2 pi)^2
    FRACTION = 5,                 // 1/(n^2 - s)
    POWER = FRACTION + FRACTIONS, // the power series from inside to outside
    ETA = POWER + POWERS,
    ACROSS = ETA + 1, // phi (phi.u) - tau u (3)
    G = ACROSS + 3,   // g, and A_a g
    AG = G + 3,
    SPIN = AG + 3,    // A_b omega_b (3)
    OMEGA = SPIN + 3, // Omega (3)
    DOT = OMEGA + 3,  // phi.Omega
    TWIST = DOT + 1,  // phi (phi.Omega) - tau Omega (3)
    ROTATION_SERIES = TWIST + 3
};

// order j of x x y
static Vec3 jet_cross(const double *x, const double *y, int L, int j) {
    return v3(hol_conv(x + L, y + 2 * L, j) - hol_conv(x + 2 * L, y + L, j),
              hol_conv(x + 2 * L, y, j) - hol_conv(x, y + 2 * L, j),
              hol_conv(x, y + L, j) - hol_conv(x + L, y, j));
}

// order j of phi'
static Vec3 jet_rate(const HolRow *row, const HolJets *J, double *own, int j) {
    const int L = J->stride;
    Vec3 spin = v3(0, 0, 0), omega_a = spin;
    for (int i = 0; i <= j; i++) {
        const double *o = hol_jet(J, row->b, HOL_S_OMEGA, j - i);
        spin = v3_add(
            spin, m3_mulv(jet_A(J, row->b, i), v3(o[0], o[HOL_JET_GROUP], o[2 * HOL_JET_GROUP])));
    }
    jet_put(own, L, SPIN, j, spin);
    if (!row->fixed_a) {
        const double *o = hol_jet(J, row->a, HOL_S_OMEGA, j);
        omega_a = v3(o[0], o[HOL_JET_GROUP], o[2 * HOL_JET_GROUP]);
    }
    const Vec3 omega = v3_sub(jet_tmulv(J, row->a, row->fixed_a, own + SPIN * L, j), omega_a);
    jet_put(own, L, OMEGA, j, omega);
    own[DOT * L + j] = jet_dot(own + PHI * L, own + OMEGA * L, L, j);
    const Vec3 back = v3_scale(jet_scale(own + S * L, own + OMEGA * L, L, j), TURN_SQUARED);
    jet_put(own, L, TWIST, j, v3_sub(jet_scale(own + DOT * L, own + PHI * L, L, j), back));
    return v3_add(v3_sub(omega, v3_scale(jet_cross(own + PHI * L, own + OMEGA * L, L, j), 0.5)),
                  jet_scale(own + ETA * L, own + TWIST * L, L, j));
}

static void jet_eta(double *own, int L, int j) {
    const double *s = own + S * L;
    double sum = 0;
    for (int n = 1; n <= FRACTIONS; n++) {
        double *y = own + (FRACTION + n - 1) * L, x = j == 0;
        for (int i = 1; i <= j; i++)
            x += s[i] * y[j - i];
        y[j] = x / (n * n - s[0]);
        sum += y[j];
    }
    own[POWER * L + j] = j == 0 ? rest[POWERS - 1] : 0;
    for (int k = 1; k < POWERS; k++)
        own[(POWER + k) * L + j] =
            hol_conv(s, own + (POWER + k - 1) * L, j) + (j == 0 ? rest[POWERS - 1 - k] : 0);
    own[ETA * L + j] = 2 * (sum + own[(POWER + POWERS - 1) * L + j]) / TURN_SQUARED;
}

static void rotation3_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    const int L = J->stride;
    if (j == 0) {
        double p[2][4];
        for (int c = 0; c < 4; c++) {
            p[0][c] = *hol_jet(J, row->a, HOL_S_P + c, 0);
            p[1][c] = *hol_jet(J, row->b, HOL_S_P + c, 0);
        }
        jet_put(own, L, PHI, 0, rotation_vector(row_rotation_turned(row, p[0], p[1])));
    } else {
        jet_put(own, L, PHI, j, v3_scale(jet_rate(row, J, own, j - 1), 1.0 / j));
    }
    own[ALONG * L + j] = v3_dot(v3_load(row->ua), jet_get(own, L, PHI, j));
    own[S * L + j] = jet_dot(own + PHI * L, own + PHI * L, L, j) / TURN_SQUARED;
    jet_eta(own, L, j);
}

static double rotation3_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    if (j > 0)
        rotation3_refresh(row, J, own, j - 1);
    rotation3_refresh(row, J, own, j);
    return own[ALONG * J->stride + j];
}

static void rotation3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                               double *cb) {
    const int L = J->stride;
    const Vec3 u = v3_load(row->ua), zero = v3(0, 0, 0);
    rotation3_refresh(row, J, own, j);
    Vec3 across = jet_scale(own + ALONG * L, own + PHI * L, L, j);
    across = v3_sub(across, v3_scale(u, TURN_SQUARED * own[S * L + j]));
    jet_put(own, L, ACROSS, j, across);
    Vec3 g = v3_add(v3_scale(v3_cross(jet_get(own, L, PHI, j), u), 0.5),
                    jet_scale(own + ETA * L, own + ACROSS * L, L, j));
    if (j == 0)
        g = v3_add(g, u);
    jet_put(own, L, G, j, g);
    Vec3 ag = zero;
    for (int i = row->fixed_a ? j : 0; i <= j; i++)
        ag = v3_add(ag, m3_mulv(jet_A(J, row->a, j - i), jet_get(own, L, G, i)));
    jet_put(own, L, AG, j, ag);
    set_coef(ca, zero, v3_scale(g, -1));
    set_coef(cb, zero, jet_tmulv(J, row->b, 0, own + AG * L, j));
}

static void rotation3_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va,
                           unsigned *vb) {
    (void)row;
    *a = *b = *va = *vb = 56;
}

const HolRowKind hol_row_rotation3 = {"rotation",
                                      1,
                                      rotation3_value,
                                      rotation3_coef,
                                      rotation3_dcoef,
                                      rotation3_gamma,
                                      ROTATION_SERIES,
                                      rotation3_jet_value,
                                      rotation3_jet_coef,
                                      rotation3_mask,
                                      NULL,
                                      1 + ALONG};
