// SPDX-License-Identifier: Apache-2.0
// Vectors, 3x3 matrices (row-major) and quaternions (w,x,y,z), inline and by value
// (docs/theory/coordinates.md, section 3).
//
// A unit quaternion p rotates body components into global ones: x_global = A(p) x_body with
//     A = (2 w^2 - 1) I + 2 e e^T + 2 w e~,   e = (x,y,z)
// q_mul(a, b) rotates by b first, then by a: A(a b) = A(a) A(b). With omega in body axes a finite
// rotation by the rotation vector phi (body axes) is p1 = p0 exp(phi).
#ifndef HOL_MATH_VEC_H
#define HOL_MATH_VEC_H

#include <math.h>

typedef struct {
    double x, y, z;
} Vec3;

typedef struct {
    double m[9]; // row-major
} Mat3;

typedef struct {
    double w, x, y, z;
} Quat;

// ---- vectors ----
static inline Vec3 v3(double x, double y, double z) {
    return (Vec3){x, y, z};
}

static inline Vec3 v3_load(const double *p) {
    return (Vec3){p[0], p[1], p[2]};
}

static inline void v3_store(double *p, Vec3 a) {
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}

static inline Vec3 v3_add(Vec3 a, Vec3 b) {
    return (Vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline Vec3 v3_sub(Vec3 a, Vec3 b) {
    return (Vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline Vec3 v3_scale(Vec3 a, double s) {
    return (Vec3){a.x * s, a.y * s, a.z * s};
}

static inline double v3_dot(Vec3 a, Vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec3 v3_cross(Vec3 a, Vec3 b) {
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double v3_norm(Vec3 a) {
    return sqrt(v3_dot(a, a));
}

// unit vector along a; the zero vector stays zero
static inline Vec3 v3_unit(Vec3 a) {
    double length = v3_norm(a);
    return length > 0.0 ? v3_scale(a, 1.0 / length) : a;
}

// a unit vector perpendicular to v (any; the x axis for v = 0)
static inline Vec3 v3_perpendicular(Vec3 v) {
    double ax = fabs(v.x), ay = fabs(v.y), az = fabs(v.z);
    if (ax == 0.0 && ay == 0.0 && az == 0.0)
        return v3(1.0, 0.0, 0.0);
    // cross with the axis of the smallest component: never parallel to v
    Vec3 axis = ax <= ay && ax <= az ? v3(1.0, 0.0, 0.0)
                                     : (ay <= az ? v3(0.0, 1.0, 0.0) : v3(0.0, 0.0, 1.0));
    return v3_unit(v3_cross(v, axis));
}

// ---- matrices ----
static inline Mat3 m3_identity(void) {
    return (Mat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static inline Mat3 m3_transpose(Mat3 a) {
    const double *m = a.m;
    return (Mat3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}

// the cross-product matrix: m3_mulv(m3_skew(a), b) = a x b
static inline Mat3 m3_skew(Vec3 a) {
    return (Mat3){{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}};
}

// matrix with the given columns
static inline Mat3 m3_columns(Vec3 a, Vec3 b, Vec3 c) {
    return (Mat3){{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}

static inline Vec3 m3_column(const Mat3 *a, int j) {
    return (Vec3){a->m[j], a->m[3 + j], a->m[6 + j]};
}

static inline Vec3 m3_mulv(Mat3 a, Vec3 v) {
    const double *m = a.m;
    return (Vec3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                  m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

// transposed matrix times vector
static inline Vec3 m3_tmulv(Mat3 a, Vec3 v) {
    const double *m = a.m;
    return (Vec3){m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                  m[2] * v.x + m[5] * v.y + m[8] * v.z};
}

static inline Mat3 m3_mul(Mat3 a, Mat3 b) {
    Mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[3 * i + j] =
                a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
    return c;
}

// transpose of a times b
static inline Mat3 m3_tmul(Mat3 a, Mat3 b) {
    return m3_mul(m3_transpose(a), b);
}

// ---- quaternions ----
static inline Quat q_identity(void) {
    return (Quat){1, 0, 0, 0};
}

static inline Quat q_load(const double *p) {
    return (Quat){p[0], p[1], p[2], p[3]};
}

static inline void q_store(double *p, Quat q) {
    p[0] = q.w;
    p[1] = q.x;
    p[2] = q.y;
    p[3] = q.z;
}

static inline Quat q_conj(Quat q) {
    return (Quat){q.w, -q.x, -q.y, -q.z};
}

static inline Quat q_mul(Quat a, Quat b) {
    return (Quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                  a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// unit quaternion along q; zero gives the identity
static inline Quat q_normalize(Quat q) {
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(length > 0.0))
        return q_identity();
    double s = 1.0 / length;
    return (Quat){q.w * s, q.x * s, q.y * s, q.z * s};
}

// rotation matrix of a unit quaternion
static inline Mat3 q_matrix(Quat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (Mat3){{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), //
                   2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx), //
                   2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
}

// sin(sqrt(s))/sqrt(s) for s >= 0, by its series where that is exact to round-off
static inline double hol_sinc_sqrt(double s) {
    if (s < 1e-3)
        return 1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72)));
    double r = sqrt(s);
    return sin(r) / r;
}

// unit quaternion of a rotation vector (axis times angle); safe for small angles
static inline Quat q_exp(Vec3 phi) {
    double s = 0.25 * v3_dot(phi, phi); // (angle/2)^2
    double k = 0.5 * hol_sinc_sqrt(s);
    double w = s < 1e-3 ? 1 - s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56))) : cos(sqrt(s));
    return (Quat){w, k * phi.x, k * phi.y, k * phi.z};
}

// rotation vector of a unit quaternion, |phi| <= pi; inverse of q_exp
static inline Vec3 q_log(Quat q) {
    Vec3 e = q.w < 0 ? v3(-q.x, -q.y, -q.z) : v3(q.x, q.y, q.z);
    double w = fabs(q.w), s = v3_norm(e);
    // 2 atan2(s,w)/s; the series in s/w avoids 0/0
    double k;
    if (s < 1e-3 * w) {
        double u = s / w * (s / w);
        k = 2 / w * (1 - u / 3 * (1 - 3 * u / 5 * (1 - 5 * u / 7)));
    } else {
        k = 2 * atan2(s, w) / s;
    }
    return v3_scale(e, k);
}

// rotation by angle about axis (any length but zero)
static inline Quat q_axis_angle(Vec3 axis, double angle) {
    Vec3 e = v3_unit(axis);
    double s = sin(0.5 * angle);
    return (Quat){cos(0.5 * angle), s * e.x, s * e.y, s * e.z};
}

// unit quaternion of a rotation matrix; the largest of the four components is taken from the
// diagonal, so that the division is safe; the sign makes w >= 0
static inline Quat q_from_matrix(Mat3 a) {
    const double *m = a.m;
    double trace = m[0] + m[4] + m[8];
    Quat q;
    if (trace >= m[0] && trace >= m[4] && trace >= m[8])
        q = (Quat){1 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
    else if (m[0] >= m[4] && m[0] >= m[8])
        q = (Quat){m[7] - m[5], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]};
    else if (m[4] >= m[8])
        q = (Quat){m[2] - m[6], m[1] + m[3], 1 + m[4] - m[0] - m[8], m[5] + m[7]};
    else
        q = (Quat){m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 + m[8] - m[0] - m[4]};
    q = q_normalize(q);
    return q.w < 0 ? (Quat){-q.w, -q.x, -q.y, -q.z} : q;
}

// rotate a vector: A(q) v
static inline Vec3 q_rotate(Quat q, Vec3 v) {
    Vec3 e = {q.x, q.y, q.z};
    Vec3 t = v3_scale(v3_cross(e, v), 2.0);
    return v3_add(v, v3_add(v3_scale(t, q.w), v3_cross(e, t)));
}

#endif
