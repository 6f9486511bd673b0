// SPDX-License-Identifier: Apache-2.0
// A modal body in the plane, in any frame at R, angle theta (docs/theory/modal.md). Amplitudes z, rates
// u, o = theta', A the rotation, Q the quarter turn:
//   s = s0 + C z,  I = I0 + 2 b.z + m z.z,  g = h + B z
//   M = [m 1, A Q s, A C; ., I, g^T; ., ., m 1]
//   f_R = o^2 A s - 2 o A Q C u,  f_theta = -2 o (b.u + m z.u) + w.A Q s,
//   f_k = o^2 (b_k + m z_k) - 2 o (B u)_k + w.A C_k - m omega_k^2 z_k - 2 zeta_k m omega_k u_k
// with the acceleration w of gravity. The frame, a rigid body, has m and I0 already.
#include "model/modal/modal.h"

typedef struct Plane {
    double x, y;
} Plane;

static inline Plane plane_turn(const double cs[2], Plane p) { // A p
    return (Plane){cs[0] * p.x - cs[1] * p.y, cs[1] * p.x + cs[0] * p.y};
}

static inline Plane plane_back(const double cs[2], Plane p) { // A^T p
    return (Plane){cs[0] * p.x + cs[1] * p.y, -cs[1] * p.x + cs[0] * p.y};
}

static inline Plane plane_quarter(Plane p) {
    return (Plane){-p.y, p.x};
}

static inline double plane_dot(Plane p, Plane r) {
    return p.x * r.x + p.y * r.y;
}

static inline Plane plane_add(Plane p, double c, Plane r) {
    return (Plane){p.x + c * r.x, p.y + c * r.y};
}

static inline Plane plane_mode(const HolModal *b, int k) {
    return (Plane){b->C[2 * k], b->C[2 * k + 1]};
}

static Plane plane_sum(const HolModal *b, const double *x) { // C x
    Plane p = {0, 0};
    for (int k = 0; k < b->nf; k++)
        p = plane_add(p, x[k], plane_mode(b, k));
    return p;
}

static Plane plane_first(const HolModal *b, const double *z) { // s
    return plane_add((Plane){b->s0[0], b->s0[1]}, 1, plane_sum(b, z));
}

static double plane_swirl(const HolModal *b, int k, const double *x) { // (B x)_k
    double s = 0;
    for (int l = 0; l < b->nf; l++)
        s += b->B[(long)k * b->nf + l] * x[l];
    return s;
}

static double plane_stretch(const HolModal *b, const double *z, const double *x) { // (b + m z).x
    double s = 0;
    for (int k = 0; k < b->nf; k++)
        s += (b->b[k] + b->mass * z[k]) * x[k];
    return s;
}

static double plane_inertia(const HolModal *b, const double *z) { // I - I0
    double s = 0;
    for (int k = 0; k < b->nf; k++)
        s += (2 * b->b[k] + b->mass * z[k]) * z[k];
    return s;
}

static void plane_both(const HolMassBlock *M, int r, int c, double x) {
    hol_mass_put(M, r, c, x);
    hol_mass_put(M, c, r, x);
}

void hol_modal_mass2(const HolModal *b, const double cs[2], const double *z,
                     const HolMassBlock *M) {
    const Plane s = plane_turn(cs, plane_quarter(plane_first(b, z)));
    plane_both(M, 0, 2, s.x);
    plane_both(M, 1, 2, s.y);
    hol_mass_put(M, 2, 2, plane_inertia(b, z));
    for (int k = 0; k < b->nf; k++) {
        const Plane c = plane_turn(cs, plane_mode(b, k));
        plane_both(M, 0, 3 + k, c.x);
        plane_both(M, 1, 3 + k, c.y);
        plane_both(M, 2, 3 + k, b->h[k] + plane_swirl(b, k, z));
    }
}

void hol_modal_force2(const HolModal *b, const double cs[2], const double gravity[3],
                      const double *z, const double *v, double *f) {
    const double o = v[2], *u = v + 3;
    const Plane s = plane_first(b, z), w = plane_back(cs, (Plane){gravity[0], gravity[1]});
    Plane p = {o * o * s.x, o * o * s.y};
    p = plane_turn(cs, plane_add(p, -2 * o, plane_quarter(plane_sum(b, u))));
    f[0] += p.x;
    f[1] += p.y;
    f[2] += -2 * o * plane_stretch(b, z, u) + plane_dot(w, plane_quarter(s));
    for (int k = 0; k < b->nf; k++)
        f[3 + k] += o * o * (b->b[k] + b->mass * z[k]) - 2 * o * plane_swirl(b, k, u) +
                    plane_dot(w, plane_mode(b, k)) - b->stiffness[k] * z[k] - b->damping[k] * u[k];
}

double hol_modal_kinetic2(const HolModal *b, const double cs[2], const double *z, const double *v) {
    const double o = v[2], *u = v + 3;
    Plane p = plane_sum(b, u);
    p = plane_turn(cs, plane_add(p, o, plane_quarter(plane_first(b, z))));
    double T = p.x * v[0] + p.y * v[1] + 0.5 * o * o * plane_inertia(b, z);
    for (int k = 0; k < b->nf; k++)
        T += o * u[k] * (b->h[k] + plane_swirl(b, k, z));
    return T;
}

double hol_modal_weight2(const HolModal *b, const double cs[2], const double gravity[3],
                         const double *z) {
    return -plane_dot(plane_back(cs, (Plane){gravity[0], gravity[1]}), plane_first(b, z));
}

// ---- derivatives of M a - f ----

static void plane_put2(const HolMassBlock *B, int c, Plane x) {
    hol_mass_put(B, 0, c, x.x);
    hol_mass_put(B, 1, c, x.y);
}

// columns of the angle and its rate. The residual M a - f is A r in the rows of R, with
// r = Q s theta'' + C z'' - o^2 s + 2 o Q C u; y = A^T (R'' - w)
static void plane_angle(const HolModal *b, const double cs[2], const double *z, const double *v,
                        const double *a, Plane y, const HolMassBlock *C, const HolMassBlock *K) {
    const double o = v[2], *u = v + 3;
    const Plane s = plane_first(b, z), Cu = plane_quarter(plane_sum(b, u));
    Plane r = plane_add((Plane){-o * o * s.x, -o * o * s.y}, 2 * o, Cu);
    if (a)
        r = plane_add(plane_add(r, a[2], plane_quarter(s)), 1, plane_sum(b, a + 3));
    plane_put2(K, 2, plane_turn(cs, plane_quarter(r)));
    hol_mass_put(K, 2, 2, -plane_dot(s, y));
    const Plane rate = plane_add((Plane){-2 * o * s.x, -2 * o * s.y}, 2, Cu);
    plane_put2(C, 2, plane_turn(cs, rate));
    hol_mass_put(C, 2, 2, 2 * plane_stretch(b, z, u));
    for (int k = 0; k < b->nf; k++) {
        hol_mass_put(K, 3 + k, 2, -plane_dot(plane_mode(b, k), plane_quarter(y)));
        hol_mass_put(C, 3 + k, 2, -2 * o * (b->b[k] + b->mass * z[k]) + 2 * plane_swirl(b, k, u));
    }
}

void hol_modal_tangent2(const HolModal *b, const double cs[2], const double gravity[3],
                        const double *z, const double *v, const double *a, const HolMassBlock *C,
                        const HolMassBlock *K) {
    const double o = v[2], *u = v + 3, turn = a ? a[2] : 0;
    const Plane away = {(a ? a[0] : 0) - gravity[0], (a ? a[1] : 0) - gravity[1]},
                y = plane_back(cs, away);
    plane_angle(b, cs, z, v, a, y, C, K);
    for (int l = 0; l < b->nf; l++) {
        const Plane c = plane_mode(b, l), q = plane_quarter(c);
        Plane x = {turn * q.x - o * o * c.x, turn * q.y - o * o * c.y};
        plane_put2(K, 3 + l, plane_turn(cs, x));
        hol_mass_put(K, 2, 3 + l,
                     plane_dot(q, y) + 2 * (b->b[l] + b->mass * z[l]) * turn +
                         2 * o * b->mass * u[l] - (a ? plane_swirl(b, l, a + 3) : 0));
        hol_mass_put(K, 3 + l, 3 + l, b->stiffness[l] - o * o * b->mass);
        const Plane rate = plane_turn(cs, q);
        plane_put2(C, 3 + l, (Plane){2 * o * rate.x, 2 * o * rate.y});
        hol_mass_put(C, 2, 3 + l, 2 * o * (b->b[l] + b->mass * z[l]));
        hol_mass_put(C, 3 + l, 3 + l, b->damping[l]);
        for (int k = 0; k < b->nf; k++) {
            const double B = b->B[(long)k * b->nf + l];
            hol_mass_put(K, 3 + k, 3 + l, B * turn);
            hol_mass_put(C, 3 + k, 3 + l, 2 * o * B);
        }
    }
}
