// SPDX-License-Identifier: Apache-2.0
// A modal body in space, in mean axes: its frame is at the centre of mass and the modes have neither
// momentum nor moment of momentum (docs/theory/modal.md). With amplitudes z, rates u:
//   J = J0 + z_k J1_k + z_k z_l J2_kl,  Jq_k = J1_k + 2 z_l J2_kl,  J' = u_k Jq_k,  Cr_l = z_k C1_kl
//   M = [m 1, 0, 0; 0, J, Cr; 0, Cr^T, m 1]
//   f_omega = -(omega x (J omega + Cr u) + J' omega)
//   f_k = omega.Jq_k omega/2 + 2 omega.C1_kl u_l - m omega_k^2 z_k - 2 zeta_k m omega_k u_k
// The rigid body that is the frame has J0 and its torques already; here stands the rest.
#include "math/vec.h"
#include "model/modal/modal.h"

// a symmetric matrix xx yy zz xy yz zx times a vector
static inline Vec3 modal_sym(const double *J, Vec3 x) {
    return v3(J[0] * x.x + J[3] * x.y + J[5] * x.z, J[3] * x.x + J[1] * x.y + J[4] * x.z,
              J[5] * x.x + J[4] * x.y + J[2] * x.z);
}

static inline const double *modal_pair(const HolModal *b, int k, int l) {
    return b->J2 + 6 * ((long)k * b->nf + l);
}

static inline Vec3 modal_cross(const HolModal *b, int k, int l) {
    return v3_load(b->C1 + 3 * ((long)k * b->nf + l));
}

// sum_l C1_kl x_l
static Vec3 modal_row(const HolModal *b, int k, const double *x) {
    Vec3 s = v3(0, 0, 0);
    for (int l = 0; l < b->nf; l++)
        s = v3_add(s, v3_scale(modal_cross(b, k, l), x[l]));
    return s;
}

// Cr_l = sum_k z_k C1_kl = -sum_k C1_lk z_k
static Vec3 modal_column(const HolModal *b, int l, const double *z) {
    return v3_scale(modal_row(b, l, z), -1);
}

// sum_l J2_kl x_l
static void modal_second(const HolModal *b, int k, const double *x, double out[6]) {
    for (int i = 0; i < 6; i++)
        out[i] = 0;
    for (int l = 0; l < b->nf; l++)
        for (int i = 0; i < 6; i++)
            out[i] += modal_pair(b, k, l)[i] * x[l];
}

static void modal_jq(const HolModal *b, int k, const double *z, double out[6]) {
    modal_second(b, k, z, out);
    for (int i = 0; i < 6; i++)
        out[i] = b->J1[6 * k + i] + 2 * out[i];
}

// J - J0 = sum z_k (J1_k + Jq_k)/2; where u is given also J'
static void modal_inertia(const HolModal *b, const double *z, const double *u, double J[6],
                          double rate[6]) {
    for (int i = 0; i < 6; i++)
        J[i] = rate[i] = 0;
    for (int k = 0; k < b->nf; k++) {
        double Jq[6];
        modal_jq(b, k, z, Jq);
        for (int i = 0; i < 6; i++) {
            J[i] += 0.5 * z[k] * (b->J1[6 * k + i] + Jq[i]);
            rate[i] += u ? u[k] * Jq[i] : 0;
        }
    }
}

void hol_modal_mass3(const HolModal *b, const double *z, const HolMassBlock *M) {
    double J[6], rate[6];
    modal_inertia(b, z, NULL, J, rate);
    const double full[9] = {J[0], J[3], J[5], J[3], J[1], J[4], J[5], J[4], J[2]};
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            hol_mass_put(M, r, c, full[3 * r + c]);
    for (int l = 0; l < b->nf; l++) {
        double column[3];
        v3_store(column, modal_column(b, l, z));
        for (int r = 0; r < 3; r++) {
            hol_mass_put(M, r, 3 + l, column[r]);
            hol_mass_put(M, 3 + l, r, column[r]);
        }
    }
}

void hol_modal_force3(const HolModal *b, const double *z, const double *v, double *f) {
    const Vec3 o = v3_load(v);
    const double *u = v + 3;
    double J[6], rate[6];
    Vec3 momentum = v3(0, 0, 0);
    modal_inertia(b, z, u, J, rate);
    for (int k = 0; k < b->nf; k++) {
        double Jq[6];
        const Vec3 d = modal_row(b, k, u);
        modal_jq(b, k, z, Jq);
        momentum = v3_add(momentum, v3_scale(d, z[k]));
        f[3 + k] += 0.5 * v3_dot(o, modal_sym(Jq, o)) + 2 * v3_dot(o, d) - b->stiffness[k] * z[k] -
                    b->damping[k] * u[k];
    }
    momentum = v3_add(momentum, modal_sym(J, o));
    const Vec3 torque = v3_add(v3_cross(o, momentum), modal_sym(rate, o));
    f[0] -= torque.x;
    f[1] -= torque.y;
    f[2] -= torque.z;
}

double hol_modal_kinetic3(const HolModal *b, const double *z, const double *v) {
    const Vec3 o = v3_load(v);
    double J[6], rate[6];
    modal_inertia(b, z, NULL, J, rate);
    Vec3 momentum = v3_scale(modal_sym(J, o), 0.5);
    for (int k = 0; k < b->nf; k++)
        momentum = v3_add(momentum, v3_scale(modal_row(b, k, v + 3), z[k]));
    return v3_dot(o, momentum);
}

// ---- derivatives; of M a - f ----

static void modal_put3(const HolMassBlock *B, int c, Vec3 x) {
    hol_mass_put(B, 0, c, x.x);
    hol_mass_put(B, 1, c, x.y);
    hol_mass_put(B, 2, c, x.z);
}

// rows and columns of the frame: omega~ J - (J omega + Cr u)~ + J'
static void modal_gyroscopic(const HolMassBlock *C, const double J[6], const double rate[6], Vec3 o,
                             Vec3 momentum) {
    static const Vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int c = 0; c < 3; c++) {
        Vec3 x = v3_cross(o, modal_sym(J, axis[c]));
        x = v3_sub(x, v3_cross(momentum, axis[c]));
        modal_put3(C, c, v3_add(x, modal_sym(rate, axis[c])));
    }
}

void hol_modal_tangent3(const HolModal *b, const double *z, const double *v, const double *a,
                        const HolMassBlock *C, const HolMassBlock *K) {
    const Vec3 o = v3_load(v), oo = a ? v3_load(a) : v3(0, 0, 0);
    const double *u = v + 3;
    double J[6], rate[6];
    Vec3 momentum = v3(0, 0, 0);
    modal_inertia(b, z, u, J, rate);
    for (int k = 0; k < b->nf; k++) {
        double Jq[6], second[6];
        const Vec3 d = modal_row(b, k, u), e = a ? modal_row(b, k, a + 3) : v3(0, 0, 0);
        modal_jq(b, k, z, Jq);
        modal_second(b, k, u, second);
        const Vec3 Jo = modal_sym(Jq, o);
        momentum = v3_add(momentum, v3_scale(d, z[k]));
        // damping: column k, row k
        modal_put3(C, 3 + k, v3_add(v3_cross(o, modal_column(b, k, z)), Jo));
        const Vec3 row = v3_add(Jo, v3_scale(d, 2));
        hol_mass_put(C, 3 + k, 0, -row.x);
        hol_mass_put(C, 3 + k, 1, -row.y);
        hol_mass_put(C, 3 + k, 2, -row.z);
        hol_mass_put(C, 3 + k, 3 + k, b->damping[k]);
        // stiffness
        Vec3 x = v3_add(v3_cross(o, v3_add(Jo, d)), v3_scale(modal_sym(second, o), 2));
        x = v3_add(x, v3_add(modal_sym(Jq, oo), e));
        modal_put3(K, 3 + k, x);
        hol_mass_put(K, 3 + k, 3 + k, b->stiffness[k]);
        for (int l = 0; l < b->nf; l++) {
            const Vec3 c = modal_cross(b, k, l);
            hol_mass_put(C, 3 + k, 3 + l, -2 * v3_dot(o, c));
            hol_mass_put(K, 3 + k, 3 + l,
                         -v3_dot(o, modal_sym(modal_pair(b, k, l), o)) - v3_dot(c, oo));
        }
    }
    modal_gyroscopic(C, J, rate, o, v3_add(momentum, modal_sym(J, o)));
}
