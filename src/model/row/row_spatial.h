// SPDX-License-Identifier: Apache-2.0
// Shared by the spatial rows: blocks of D, and series of vectors.
// A rotation of the body by d (body axes) changes A by A d~. Hence
//   delta (A s) = A (d x s),   delta (A^T e) = (A^T e) x d.
#ifndef HOL_MODEL_ROW_SPATIAL_H
#define HOL_MODEL_ROW_SPATIAL_H

#include "math/vec.h"
#include "model/row/row.h"

static inline Mat3 frame_A(const HolFrame *f) {
    Mat3 A;
    for (int i = 0; i < 9; i++)
        A.m[i] = f->A[i];
    return A;
}

// block[ri + i][ci + j] += s * B[i][j]
static inline void add_block(double block[6][6], int ri, int ci, double s, Mat3 B) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block[ri + i][ci + j] += s * B.m[3 * i + j];
}

// x y^T - (x.y) I : the derivative of y x (x fixed in space, seen from the rotating body)
static inline Mat3 turn_block(Vec3 x, Vec3 y) {
    double d = v3_dot(x, y);
    return (Mat3){{x.x * y.x - d, x.x * y.y, x.x * y.z, x.y * y.x, x.y * y.y - d, x.y * y.z,
                   x.z * y.x, x.z * y.y, x.z * y.z - d}};
}

static inline void set_coef(double *c, Vec3 translation, Vec3 rotation) {
    v3_store(c, translation);
    v3_store(c + 3, rotation);
}

// omega x (omega x s)
static inline Vec3 whirl(Vec3 omega, Vec3 s) {
    return v3_cross(omega, v3_cross(omega, s));
}

// ---- series ----
static inline Mat3 jet_A(const HolJets *J, int body, int j) {
    Mat3 A;
    const double *a = hol_jet(J, body, HOL_S_A, j);
    for (int i = 0; i < 9; i++)
        A.m[i] = a[i * HOL_JET_GROUP];
    return A;
}

static inline Vec3 jet_r(const HolJets *J, int body, int j) {
    return v3(*hol_jet(J, body, HOL_S_R, j), *hol_jet(J, body, HOL_S_R + 1, j),
              *hol_jet(J, body, HOL_S_R + 2, j));
}

static inline Vec3 jet_get(const double *own, int L, int first, int j) {
    return v3(own[first * L + j], own[(first + 1) * L + j], own[(first + 2) * L + j]);
}

static inline void jet_put(double *own, int L, int first, int j, Vec3 x) {
    own[first * L + j] = x.x;
    own[(first + 1) * L + j] = x.y;
    own[(first + 2) * L + j] = x.z;
}

// order j of A^T x, x a vector of three series
static inline Vec3 jet_tmulv(const HolJets *J, int body, int fixed, const double *x, int j) {
    int L = J->stride;
    if (fixed)
        return m3_tmulv(jet_A(J, body, 0), v3(x[j], x[L + j], x[2 * L + j]));
    Vec3 sum = {0, 0, 0};
    for (int i = 0; i <= j; i++)
        sum =
            v3_add(sum, m3_tmulv(jet_A(J, body, i), v3(x[j - i], x[L + j - i], x[2 * L + j - i])));
    return sum;
}

static inline double jet_dot(const double *x, const double *y, int L, int j) {
    return hol_conv(x, y, j) + hol_conv(x + L, y + L, j) + hol_conv(x + 2 * L, y + 2 * L, j);
}

// order j of s(t) x(t), s a scalar series, x a vector of three series
static inline Vec3 jet_scale(const double *s, const double *x, int L, int j) {
    return v3(hol_conv(s, x, j), hol_conv(s, x + L, j), hol_conv(s, x + 2 * L, j));
}

// the whole rotation vector of such a row
Vec3 hol_rotation3(const HolRow *row, const HolFrame *a, const HolFrame *b);

// rows.spatial basic derivatives used by the angle row too
void hol_dot3_coef(const HolFrame *a, const HolFrame *b, Vec3 u, Vec3 w, double *ca, double *cb);
void hol_dot3_dcoef(const HolFrame *a, const HolFrame *b, Vec3 u, Vec3 w, double s,
                    HolRowDerivative D);

#endif
