// SPDX-License-Identifier: Apache-2.0
// A disc of radius R = c (axis ub in its body, centre s_b) rolls on a fixed plane with the normal
// N = ua through the point s_a. In axes of the disc's body, N_b = A^T N, t_b = A^T t and
//     sigma = N_b . ub,  w = 1 - sigma^2
//     rho_b = (N_b - sigma ub)/sqrt(w)                  unit vector from the centre to the top
//   touch3  N.(r + A s_b - s_a) - R sqrt(w)             height of the lowest point (holonomic)
//           beta = (N, s_b x N_b + R sigma/sqrt(w) c),  c = ub x N_b = d sigma
//   roll3   t.(velocity of the material point in contact), the slip along t = wa (velocity row)
//           beta = (t, (s_b - R rho_b) x t_b)
#include "model/row/row_spatial.h"

#include <math.h>

typedef struct {
    Mat3 A;
    Vec3 N, t, u, s, c; // N_b, t_b, ub, s_b, ub x N_b
    double sigma, w, root;
} Disc;

static Disc disc(const HolRow *row, const HolFrame *b) {
    Disc d;
    d.A = frame_A(b);
    d.N = m3_tmulv(d.A, v3_load(row->ua));
    d.t = m3_tmulv(d.A, v3_load(row->wa));
    d.u = v3_load(row->ub);
    d.s = v3_load(row->sb);
    d.c = v3_cross(d.u, d.N);
    d.sigma = v3_dot(d.N, d.u);
    d.w = fmax(1 - d.sigma * d.sigma, 1e-300);
    d.root = sqrt(d.w);
    return d;
}

static Vec3 rim(const Disc *d) {
    return v3_scale(v3_sub(d->N, v3_scale(d->u, d->sigma)), 1 / d->root);
}

// ---- touch3 ----

static double touch3_value(const HolRow *row, const HolFrame *a, const HolFrame *b,
                           const double *m) {
    (void)a, (void)m;
    Disc d = disc(row, b);
    Vec3 centre = v3_add(v3_load(b->r), m3_mulv(d.A, d.s));
    return v3_dot(v3_load(row->ua), v3_sub(centre, v3_load(row->sa))) - row->c * d.root;
}

static void touch3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                        double *cb) {
    (void)a;
    Disc d = disc(row, b);
    Vec3 zero = v3(0, 0, 0);
    set_coef(ca, zero, zero);
    set_coef(cb, v3_load(row->ua),
             v3_add(v3_cross(d.s, d.N), v3_scale(d.c, row->c * d.sigma / d.root)));
}

static void touch3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                         HolRowDerivative D) {
    (void)a;
    Disc d = disc(row, b);
    double k = s * row->c / d.root;
    Mat3 cc = {{d.c.x * d.c.x, d.c.x * d.c.y, d.c.x * d.c.z, d.c.y * d.c.x, d.c.y * d.c.y,
                d.c.y * d.c.z, d.c.z * d.c.x, d.c.z * d.c.y, d.c.z * d.c.z}};
    add_block(D[1][1], 3, 3, s, turn_block(d.N, d.s));
    add_block(D[1][1], 3, 3, k / d.w, cc);
    add_block(D[1][1], 3, 3, k * d.sigma, turn_block(d.N, d.u));
}

static double disc_gamma(const HolRow *row, const HolFrame *a, const HolFrame *b, const double *va,
                         const double *vb) {
    (void)va;
    HolRowDerivative D = {{{{0}}}};
    double s = 0;
    row->kind->dcoef(row, a, b, 1, D);
    for (int i = 3; i < 6; i++)
        for (int j = 3; j < 6; j++)
            s += vb[i] * D[1][1][i][j] * vb[j];
    return s;
}

// own series: N_b (3), t_b (3), sigma, w, sqrt(w), 1/sqrt(w), rho_b (3), sigma/sqrt(w)
enum { NB = 0, TB = 3, SIGMA = 6, W, ROOT, INV, RHO = 10, MU = 13, DISC_SERIES = 14 };

static void disc_refresh(const HolRow *row, const HolJets *J, double *own, int j) {
    int L = J->stride;
    Mat3 A = jet_A(J, row->b, j);
    Vec3 N = m3_tmulv(A, v3_load(row->ua)), u = v3_load(row->ub);
    double *sigma = own + SIGMA * L, *w = own + W * L, *root = own + ROOT * L, *inv = own + INV * L;
    jet_put(own, L, NB, j, N);
    jet_put(own, L, TB, j, m3_tmulv(A, v3_load(row->wa)));
    sigma[j] = v3_dot(N, u);
    w[j] = (j == 0 ? 1 : 0) - hol_conv(sigma, sigma, j);
    if (j == 0) {
        root[0] = sqrt(fmax(w[0], 1e-300));
        inv[0] = 1 / root[0];
    } else {
        double s = w[j], r = 0;
        for (int i = 1; i < j; i++)
            s -= root[i] * root[j - i];
        root[j] = s / (2 * root[0]);
        for (int i = 1; i <= j; i++)
            r -= root[i] * inv[j - i];
        inv[j] = r / root[0];
    }
    own[MU * L + j] = hol_conv(sigma, inv, j);
    // rho = (N - sigma u) inv
    Vec3 Ninv = jet_scale(inv, own + NB * L, L, j);
    jet_put(own, L, RHO, j, v3_sub(Ninv, v3_scale(u, own[MU * L + j])));
}

static double touch3_jet_value(const HolRow *row, const HolJets *J, double *own, int j) {
    if (j > 0)
        disc_refresh(row, J, own, j - 1);
    disc_refresh(row, J, own, j);
    Vec3 centre = v3_add(jet_r(J, row->b, j), m3_mulv(jet_A(J, row->b, j), v3_load(row->sb)));
    double h = v3_dot(v3_load(row->ua), centre) - row->c * own[ROOT * J->stride + j];
    return j == 0 ? h - v3_dot(v3_load(row->ua), v3_load(row->sa)) : h;
}

static void touch3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                            double *cb) {
    int L = J->stride;
    Vec3 zero = v3(0, 0, 0);
    disc_refresh(row, J, own, j);
    Vec3 N = jet_get(own, L, NB, j), muN = jet_scale(own + MU * L, own + NB * L, L, j);
    set_coef(ca, zero, zero);
    set_coef(
        cb, j == 0 ? v3_load(row->ua) : zero,
        v3_add(v3_cross(v3_load(row->sb), N), v3_scale(v3_cross(v3_load(row->ub), muN), row->c)));
}

static void touch3_mask(const HolRow *row, unsigned *a, unsigned *b, unsigned *va, unsigned *vb) {
    (void)row;
    *a = *va = 0;
    *b = 63;
    *vb = 56;
}

const HolRowKind hol_row_touch3 = {"touch",         1,           touch3_value, touch3_coef,
                                   touch3_dcoef,    disc_gamma,  DISC_SERIES,  touch3_jet_value,
                                   touch3_jet_coef, touch3_mask, NULL,         0};

// ---- roll3 ----

static void roll3_coef(const HolRow *row, const HolFrame *a, const HolFrame *b, double *ca,
                       double *cb) {
    (void)a;
    Disc d = disc(row, b);
    Vec3 zero = v3(0, 0, 0);
    set_coef(ca, zero, zero);
    set_coef(cb, v3_load(row->wa), v3_cross(v3_sub(d.s, v3_scale(rim(&d), row->c)), d.t));
}

static void roll3_dcoef(const HolRow *row, const HolFrame *a, const HolFrame *b, double s,
                        HolRowDerivative D) {
    (void)a;
    Disc d = disc(row, b);
    Vec3 arm = v3_sub(d.s, v3_scale(rim(&d), row->c)), flat = v3_sub(d.N, v3_scale(d.u, d.sigma));
    double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int j = 0; j < 3; j++) {
        Vec3 e = v3_load(axis[j]);
        double dsigma = v3_dot(d.c, e);
        Vec3 drho = v3_add(v3_scale(v3_sub(v3_cross(d.N, e), v3_scale(d.u, dsigma)), 1 / d.root),
                           v3_scale(flat, d.sigma * dsigma / (d.w * d.root)));
        Vec3 col = v3_sub(v3_cross(arm, v3_cross(d.t, e)), v3_scale(v3_cross(drho, d.t), row->c));
        D[1][1][3][3 + j] += s * col.x;
        D[1][1][4][3 + j] += s * col.y;
        D[1][1][5][3 + j] += s * col.z;
    }
}

static void roll3_jet_coef(const HolRow *row, const HolJets *J, double *own, int j, double *ca,
                           double *cb) {
    int L = J->stride;
    Vec3 zero = v3(0, 0, 0);
    disc_refresh(row, J, own, j);
    const double *p = own + RHO * L, *t = own + TB * L;
    Vec3 slide = v3(hol_conv(p + L, t + 2 * L, j) - hol_conv(p + 2 * L, t + L, j),
                    hol_conv(p + 2 * L, t, j) - hol_conv(p, t + 2 * L, j),
                    hol_conv(p, t + L, j) - hol_conv(p + L, t, j));
    set_coef(ca, zero, zero);
    set_coef(cb, j == 0 ? v3_load(row->wa) : zero,
             v3_sub(v3_cross(v3_load(row->sb), jet_get(own, L, TB, j)), v3_scale(slide, row->c)));
}

const HolRowKind hol_row_roll3 = {"roll",         0,           0,           roll3_coef,
                                  roll3_dcoef,    disc_gamma,  DISC_SERIES, 0,
                                  roll3_jet_coef, touch3_mask, NULL,        0};
