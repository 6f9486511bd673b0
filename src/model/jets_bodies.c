// SPDX-License-Identifier: Apache-2.0
// Taylor jets of the frames, four bodies side by side (jets.c has the whole scheme): order n of
// positions and rotations from the velocities, first with v_{n-1} = 0, then with what the solve
// gave.
//   plane  c_n = -(1/n) sum_{i=1..n} i theta_i s_{n-i},  s_n likewise
//   space  p' = p (0, omega)/2,  A quadratic in p
// Joints turn a body by the torque of the moments F s^T that jets_batch.c sums, in body axes:
//   plane  c P - s Q;   space  T_x = sum_r (A_rz M_ry - A_ry M_rz) and so on
// Lanes of ground, point masses and scalar coordinates run along: their angles and rates are zero.
#include "math/vec.h"
#include "model/jets.h"

#include <string.h>

// ---- start ----

static void put3(const HolJets *J, int body, int series, int j, const double *x) {
    for (int c = 0; c < 3; c++)
        *hol_jet(J, body, series + c, j) = x[c];
}

static void plane_start(const HolJets *J, int i, const HolFrame *f, const double *v, int rigid) {
    *hol_jet(J, i, HOL_S_X, 0) = f->r[0];
    *hol_jet(J, i, HOL_S_Y, 0) = f->r[1];
    *hol_jet(J, i, HOL_S_X, 1) = v[0];
    *hol_jet(J, i, HOL_S_Y, 1) = v[1];
    if (!rigid)
        return;
    double c = f->A[0], s = f->A[3];
    *hol_jet(J, i, HOL_S_THETA, 0) = f->angle;
    *hol_jet(J, i, HOL_S_THETA, 1) = v[2];
    *hol_jet(J, i, HOL_S_COS, 0) = c;
    *hol_jet(J, i, HOL_S_SIN, 0) = s;
    *hol_jet(J, i, HOL_S_COS, 1) = -v[2] * s;
    *hol_jet(J, i, HOL_S_SIN, 1) = v[2] * c;
}

static void space_start(const HolJets *J, int i, const HolFrame *f, const double *v, int rigid) {
    put3(J, i, HOL_S_R, 0, f->r);
    put3(J, i, HOL_S_R, 1, v);
    if (!rigid)
        return;
    put3(J, i, HOL_S_OMEGA, 0, v + 3);
    for (int k = 0; k < 4; k++)
        *hol_jet(J, i, HOL_S_P + k, 0) = f->p[k];
}

// ---- one order, four bodies ----

HOL_INLINE void plane_provisional(const HolJets *J, int group, int n) {
    HolLanes *th = hol_jet_lanes(J, group, HOL_S_THETA), *c = hol_jet_lanes(J, group, HOL_S_COS),
             *s = hol_jet_lanes(J, group, HOL_S_SIN), cs = {0}, sn = {0};
    double weight = 1;
    for (int k = 1; k < n; k++, weight += 1) {
        HolLanes u = weight * th[k];
        cs += u * s[n - k];
        sn += u * c[n - k];
    }
    th[n] = (HolLanes){0};
    c[n] = -cs / (double)n;
    s[n] = sn / (double)n;
}

// order n of p from omega up to n-1 (p' = p (0, omega)/2)
HOL_INLINE void space_quaternion(const HolJets *J, int group, int n) {
    int L = J->stride;
    const HolLanes *ox = hol_jet_lanes(J, group, HOL_S_OMEGA), *oy = ox + L, *oz = oy + L;
    HolLanes *w = hol_jet_lanes(J, group, HOL_S_P), *x = w + L, *y = x + L, *z = y + L;
    HolLanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    double s = 0.5 / n;
    for (int i = 0, j = n - 1; j >= 0; i++, j--) {
        HolLanes a = ox[j], b = oy[j], c = oz[j];
        s0 -= x[i] * a + y[i] * b + z[i] * c;
        s1 += w[i] * a + y[i] * c - z[i] * b;
        s2 += w[i] * b + z[i] * a - x[i] * c;
        s3 += w[i] * c + x[i] * b - y[i] * a;
    }
    w[n] = s * s0;
    x[n] = s * s1;
    y[n] = s * s2;
    z[n] = s * s3;
}

// order n of A from p: 2 p p^T, pairs (i, n-i) and (n-i, i) at once
HOL_INLINE void space_rotation(const HolJets *J, int group, int n) {
    int L = J->stride;
    const HolLanes *w = hol_jet_lanes(J, group, HOL_S_P), *x = w + L, *y = x + L, *z = y + L;
    HolLanes ww = {0}, xx = {0}, yy = {0}, zz = {0}, wx = {0}, wy = {0}, wz = {0}, xy = {0},
             xz = {0}, yz = {0};
    for (int i = 0, j = n; i < j; i++, j--) {
        ww += w[i] * w[j];
        xx += x[i] * x[j];
        yy += y[i] * y[j];
        zz += z[i] * z[j];
        wx += w[i] * x[j] + w[j] * x[i];
        wy += w[i] * y[j] + w[j] * y[i];
        wz += w[i] * z[j] + w[j] * z[i];
        xy += x[i] * y[j] + x[j] * y[i];
        xz += x[i] * z[j] + x[j] * z[i];
        yz += y[i] * z[j] + y[j] * z[i];
    }
    ww += ww, xx += xx, yy += yy, zz += zz;
    if (n % 2 == 0) {
        int h = n / 2;
        ww += w[h] * w[h], xx += x[h] * x[h], yy += y[h] * y[h], zz += z[h] * z[h];
        wx += w[h] * x[h], wy += w[h] * y[h], wz += w[h] * z[h];
        xy += x[h] * y[h], xz += x[h] * z[h], yz += y[h] * z[h];
    }
    HolLanes *A = hol_jet_lanes(J, group, HOL_S_A) + n;
    A[0] = ww + xx - yy - zz;
    A[L] = 2.0 * (xy - wz);
    A[2 * L] = 2.0 * (xz + wy);
    A[3 * L] = 2.0 * (xy + wz);
    A[4 * L] = ww - xx + yy - zz;
    A[5 * L] = 2.0 * (yz - wx);
    A[6 * L] = 2.0 * (xz - wy);
    A[7 * L] = 2.0 * (yz + wx);
    A[8 * L] = ww - xx - yy + zz;
}

// order k of (J omega) x omega into rhs
HOL_INLINE void gyroscopic(const HolJets *J, const HolBodyLanes *b, int group, int k, double *rhs) {
    int L = J->stride;
    const HolLanes *x = hol_jet_lanes(J, group, HOL_S_OMEGA), *y = x + L, *z = y + L;
    const HolLanes *I = b->inertia;
    HolLanes xy = {0}, xz = {0}, yz = {0}, xx = {0}, yy = {0}, zz = {0};
    for (int i = 0, j = k; j >= 0; i++, j--) {
        xy += x[i] * y[j];
        xz += x[i] * z[j];
        yz += y[i] * z[j];
    }
    HolLanes tx = (I[4] - I[8]) * yz, ty = (I[8] - I[0]) * xz, tz = (I[0] - I[4]) * xy;
    if (!b->diagonal) {
        for (int i = 0, j = k; j >= 0; i++, j--) {
            xx += x[i] * x[j];
            yy += y[i] * y[j];
            zz += z[i] * z[j];
        }
        tx += I[3] * xz - I[6] * xy + I[5] * (zz - yy);
        ty += I[7] * xy - I[1] * yz + I[2] * (xx - zz);
        tz += I[2] * yz - I[5] * xz + I[1] * (yy - xx);
    }
    lanes_place(rhs, b->place[3], tx);
    lanes_place(rhs, b->place[4], ty);
    lanes_place(rhs, b->place[5], tz);
}

// order k of the torque of the moments, those of order k still unknown (zero)
HOL_INLINE HolLanes plane_torque(const HolJets *J, int group, int k) {
    const HolLanes *c = hol_jet_lanes(J, group, HOL_S_COS), *s = c + J->stride,
                   *P = hol_jet_lanes(J, group, HOL_S_MOMENT), *Q = P + J->stride;
    HolLanes sum = {0};
    for (int i = 1, j = k - 1; i <= k; i++, j--)
        sum += c[i] * P[j] - s[i] * Q[j];
    return sum;
}

// ---- all bodies ----

HOL_WIDE static void start_axes(const HolModel *m, const HolJets *J) {
    for (int g = 0; g < m->n_body_lanes; g++) {
        space_rotation(J, g, 0);
        space_quaternion(J, g, 1);
        space_rotation(J, g, 1);
    }
}

void hol_jet_start(const HolProblem *p, void *work, double t, const double *q, const double *v) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    const HolJets *J = &w->jet.jets;
    int L = J->stride;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    for (int i = 1; i < m->n_bodies; i++) {
        const HolBody *b = &m->bodies[i];
        int rigid = b->def.type == HOL_RIGID;
        if (b->def.type == HOL_COORDINATE) {
            *hol_jet(J, i, 0, 0) = q[b->q];
            *hol_jet(J, i, 0, 1) = v[b->v];
        } else if (m->space == HOL_PLANAR)
            plane_start(J, i, &w->frames[i], v + b->v, rigid);
        else
            space_start(J, i, &w->frames[i], v + b->v, rigid);
    }
    if (m->space == HOL_SPATIAL)
        start_axes(m, J);
    if (m->n_active_slots) {
        memset(w->jet.slot, 0, sizeof(double) * (size_t)L);
        w->jet.slot[0] = t;
        w->jet.slot[1] = 1;
    }
}

HOL_WIDE void hol_jet_bodies(const HolModel *m, const HolJets *J, int k, double *rhs) {
    int n = k + 2, linear = m->space == HOL_PLANAR ? 2 : 3;
    HolLanes zero = {0};
    for (int g = 0; g < m->n_body_lanes; g++) {
        const HolBodyLanes *b = &m->body_lanes[g];
        for (int c = 0; c < linear; c++)
            lanes_place(rhs, b->place[c], k == 0 ? b->weight[c] : zero);
        for (int c = 0; c < linear; c++)
            hol_jet_lanes(J, g, c)[n] = zero;
        if (!b->turns)
            continue;
        if (m->space == HOL_PLANAR) {
            lanes_place(rhs, b->place[2], m->batched ? -plane_torque(J, g, k) : zero);
            plane_provisional(J, g, n);
            continue;
        }
        for (int c = 0; c < 3; c++)
            hol_jet_lanes(J, g, HOL_S_OMEGA + c)[n - 1] = zero;
        space_quaternion(J, g, n);
        space_rotation(J, g, n);
        gyroscopic(J, b, g, k, rhs);
    }
}

// order k of the moments of four bodies, from the sums by bodies
HOL_INLINE void store_moments(const HolModel *m, const HolModelWork *w, int group, int k) {
    const HolJets *J = &w->jet.jets;
    if (m->space == HOL_PLANAR) {
        const double *M = w->jet.moments + (long)group * HOL_LANES * 2;
        HolLanes *to = hol_jet_lanes(J, group, HOL_S_MOMENT) + k;
        to[0] = (HolLanes){M[0], M[2], M[4], M[6]};
        to[J->stride] = (HolLanes){M[1], M[3], M[5], M[7]};
        return;
    }
    const HolLanes *M = (const HolLanes *)w->jet.moments + (long)group * HOL_LANES * 3;
    for (int r = 0; r < 3; r++)
        for (int a = 0; a < 3; a++)
            hol_jet_lanes(J, group, HOL_S_MOMENTS + 3 * r + a)[k] =
                (HolLanes){M[r][a], M[3 + r][a], M[6 + r][a], M[9 + r][a]};
}

HOL_INLINE void space_torque(const HolJets *J, const HolBodyLanes *b, int group, int k,
                             double *rhs) {
    int L = J->stride;
    HolLanes x = {0}, y = {0}, z = {0};
    for (int r = 0; r < 3; r++) {
        const HolLanes *A = hol_jet_lanes(J, group, HOL_S_A + 3 * r),
                       *M = hol_jet_lanes(J, group, HOL_S_MOMENTS + 3 * r);
        for (int i = 0, j = k; j >= 0; i++, j--) {
            HolLanes ax = A[i], ay = A[L + i], az = A[2 * L + i], mx = M[j], my = M[L + j],
                     mz = M[2 * L + j];
            x += az * my - ay * mz;
            y += ax * mz - az * mx;
            z += ay * mx - ax * my;
        }
    }
    lanes_add(rhs, b->place[3], -x);
    lanes_add(rhs, b->place[4], -y);
    lanes_add(rhs, b->place[5], -z);
}

HOL_WIDE void hol_jet_moments(const HolModel *m, HolModelWork *w, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    for (int g = 0; g < m->n_body_lanes; g++) {
        const HolBodyLanes *b = &m->body_lanes[g];
        if (!b->turns)
            continue;
        store_moments(m, w, g, k);
        space_torque(J, b, g, k, rhs);
    }
}

HOL_INLINE void plane_set(const HolJets *J, const HolBodyLanes *b, int group, int n, double s2,
                          const double *a) {
    hol_jet_lanes(J, group, HOL_S_X)[n] = s2 * lanes_pick(a, b->place[0]);
    hol_jet_lanes(J, group, HOL_S_Y)[n] = s2 * lanes_pick(a, b->place[1]);
    if (!b->turns)
        return;
    HolLanes *c = hol_jet_lanes(J, group, HOL_S_COS), *s = hol_jet_lanes(J, group, HOL_S_SIN);
    HolLanes turn = s2 * lanes_pick(a, b->place[2]);
    hol_jet_lanes(J, group, HOL_S_THETA)[n] = turn;
    c[n] -= turn * s[0];
    s[n] += turn * c[0];
}

HOL_INLINE void space_set(const HolJets *J, const HolBodyLanes *b, int group, int n, double s1,
                          double s2, const double *a) {
    int L = J->stride;
    for (int c = 0; c < 3; c++)
        hol_jet_lanes(J, group, HOL_S_R + c)[n] = s2 * lanes_pick(a, b->place[c]);
    if (!b->turns)
        return;
    HolLanes *o = hol_jet_lanes(J, group, HOL_S_OMEGA) + n - 1;
    HolLanes x = s1 * lanes_pick(a, b->place[3]), y = s1 * lanes_pick(a, b->place[4]),
             z = s1 * lanes_pick(a, b->place[5]);
    o[0] = x;
    o[L] = y;
    o[2 * L] = z;
    HolLanes *p = hol_jet_lanes(J, group, HOL_S_P), w0 = p[0], x0 = p[L], y0 = p[2 * L],
             z0 = p[3 * L];
    double half = 0.5 / n, whole = 1.0 / n;
    p[n] -= half * (x0 * x + y0 * y + z0 * z);
    p[L + n] += half * (w0 * x + y0 * z - z0 * y);
    p[2 * L + n] += half * (w0 * y + z0 * x - x0 * z);
    p[3 * L + n] += half * (w0 * z + x0 * y - y0 * x);
    x *= whole;
    y *= whole;
    z *= whole;
    for (int r = 0; r < 3; r++) { // row r of A_0 omega~
        HolLanes *A = hol_jet_lanes(J, group, HOL_S_A + 3 * r), ax = A[0], ay = A[L], az = A[2 * L];
        A[n] += ay * z - az * y;
        A[L + n] += az * x - ax * z;
        A[2 * L + n] += ax * y - ay * x;
    }
}

HOL_WIDE static void set_bodies(const HolModel *m, HolModelWork *w, int k, const double *a) {
    const HolJets *J = &w->jet.jets;
    double s1 = 1.0 / (k + 1), s2 = s1 / (k + 2);
    for (int g = 0; g < m->n_body_lanes; g++) {
        if (m->space == HOL_PLANAR)
            plane_set(J, &m->body_lanes[g], g, k + 2, s2, a);
        else
            space_set(J, &m->body_lanes[g], g, k + 2, s1, s2, a);
        if (m->batched && m->body_lanes[g].turns)
            store_moments(m, w, g, k);
    }
}

void hol_jet_set(const HolProblem *p, void *work, int k, const double *a, const double *lambda,
                 const double *vars) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    int L = w->jet.jets.stride;
    if (m->n_equations)
        memcpy(w->jet.orders + (long)k * m->n_equations, lambda,
               sizeof(double) * (size_t)m->n_equations);
    hol_jet_batches_set(m, w, k, lambda);
    set_bodies(m, w, k, a);
    for (int i = 0; m->n_lambda_series && i < m->n_equations; i++)
        if (m->lambda_series[i] >= 0)
            w->jet.lambda[(long)m->lambda_series[i] * L + k] = lambda[i];
    for (int i = 0; i < m->nw; i++)
        w->jet.w[(long)i * L + k] = vars[i];
}
