// SPDX-License-Identifier: Apache-2.0
// Taylor series of the frames, four bodies side by side (series.c has the whole scheme;
// docs/theory/series.md, section 8): order n of positions and rotations from the velocities, first
// with v_{n-1} = 0, then with the value that the solve gave.
//   plane  c_n = -(1/n) sum_{i=1..n} u_i s_{n-i},  s_n likewise,  u_i = i theta_i
//   space  p' = p (0, omega)/2,  A quadratic in p
// Joints act on a body by the torque of the moments F s^T that batch_series.c sums, in body axes:
//   plane  c P - s Q;   space  T_x = sum_r (A_rz M_ry - A_ry M_rz) and so on
// Ground, point masses and scalar coordinates share the lanes: their angles and rates are zero.
#include "math/vec.h"
#include "model/batch/batch.h"
#include "model/problem/series.h"

#include <string.h>

enum { MOMENTS_GROUP = 3 * HOL_LANES * HOL_LANES }; // space: doubles of the sums of four bodies

// ---- start ----

typedef struct Start {
    const HolModel *m;
    HolModelWork *w;
    const double *q, *v;
} Start;

static void body_series_put3(const HolJets *J, int body, int series, int j, const double *x) {
    for (int c = 0; c < 3; c++)
        *hol_jet(J, body, series + c, j) = x[c];
}

static void body_series_plane_start(const HolJets *J, int i, const HolFrame *f, const double *v,
                                    int rigid) {
    *hol_jet(J, i, HOL_S_X, 0) = f->r[0];
    *hol_jet(J, i, HOL_S_Y, 0) = f->r[1];
    *hol_jet(J, i, HOL_S_X, 1) = v[0];
    *hol_jet(J, i, HOL_S_Y, 1) = v[1];
    if (!rigid)
        return;
    double c = f->c, s = f->s;
    *hol_jet(J, i, HOL_S_THETA, 0) = f->angle;
    *hol_jet(J, i, HOL_S_THETA, 1) = v[2];
    *hol_jet(J, i, HOL_S_RATE, 1) = v[2];
    *hol_jet(J, i, HOL_S_COS, 0) = c;
    *hol_jet(J, i, HOL_S_SIN, 0) = s;
    *hol_jet(J, i, HOL_S_COS, 1) = -v[2] * s;
    *hol_jet(J, i, HOL_S_SIN, 1) = v[2] * c;
}

static void space_start(const HolJets *J, int i, const HolFrame *f, const double *v, int rigid) {
    body_series_put3(J, i, HOL_S_R, 0, f->r);
    body_series_put3(J, i, HOL_S_R, 1, v);
    if (!rigid)
        return;
    body_series_put3(J, i, HOL_S_OMEGA, 0, v + 3);
    for (int k = 0; k < 4; k++)
        *hol_jet(J, i, HOL_S_P + k, 0) = f->p[k];
}

// ---- one order, four bodies ----

// rotation series of a group, by their place in it
enum { RATE, COS, SIN, MOMENT_P, MOMENT_Q };                 // plane
enum { QUATERNION = 0, AXES = 4, OMEGA = 13, MOMENTS = 16 }; // space

// plane: order n = k+2 of c and s without u_n, and order k of the torque of the moments below k
HOL_INLINE HolLanes plane_products(HolLanes *x, long slab, int k) {
    int n = k + 2;
    HolLanes cs = {0}, sn = {0}, torque = {0}, *last = x + n * slab;
    const HolLanes *up = x + slab, *down = last - slab, *moment = last - 3 * slab;
    for (int i = 1; i <= k; i++, up += slab, down -= slab, moment -= slab) {
        cs += up[RATE] * down[SIN];
        sn += up[RATE] * down[COS];
        torque += up[COS] * moment[MOMENT_P] - up[SIN] * moment[MOMENT_Q];
    }
    cs += up[RATE] * down[SIN];
    sn += up[RATE] * down[COS];
    last[COS] = -cs / (double)n;
    last[SIN] = sn / (double)n;
    return torque;
}

// order n of p from p_first .. (p' = p (0, omega)/2)
HOL_INLINE void space_quaternion(HolLanes *x, long slab, int first, int n) {
    HolLanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    const HolLanes *p = x + QUATERNION + first * slab, *o = x + OMEGA + (n - 1 - first) * slab;
    for (int i = first; i < n; i++, p += slab, o -= slab) {
        HolLanes a = o[0], b = o[1], c = o[2];
        s0 -= p[1] * a + p[2] * b + p[3] * c;
        s1 += p[0] * a + p[2] * c - p[3] * b;
        s2 += p[0] * b + p[3] * a - p[1] * c;
        s3 += p[0] * c + p[1] * b - p[2] * a;
    }
    HolLanes *to = x + QUATERNION + n * slab;
    double s = 0.5 / n;
    to[0] = s * s0;
    to[1] = s * s1;
    to[2] = s * s2;
    to[3] = s * s3;
}

// order n of A from p: 2 p p^T, pairs (i, n-i) and (n-i, i) at once
HOL_INLINE void space_rotation(HolLanes *group, long slab, int n) {
    const HolLanes *p = group + QUATERNION, *r = p + n * slab;
    HolLanes ww = {0}, xx = {0}, yy = {0}, zz = {0}, wx = {0}, wy = {0}, wz = {0}, xy = {0},
             xz = {0}, yz = {0};
    for (; p < r; p += slab, r -= slab) {
        HolLanes w = p[0], x = p[1], y = p[2], z = p[3];
        ww += w * r[0];
        xx += x * r[1];
        yy += y * r[2];
        zz += z * r[3];
        wx += w * r[1] + r[0] * x;
        wy += w * r[2] + r[0] * y;
        wz += w * r[3] + r[0] * z;
        xy += x * r[2] + r[1] * y;
        xz += x * r[3] + r[1] * z;
        yz += y * r[3] + r[2] * z;
    }
    ww += ww, xx += xx, yy += yy, zz += zz;
    if (n % 2 == 0) {
        HolLanes w = p[0], x = p[1], y = p[2], z = p[3];
        ww += w * w, xx += x * x, yy += y * y, zz += z * z;
        wx += w * x, wy += w * y, wz += w * z;
        xy += x * y, xz += x * z, yz += y * z;
    }
    HolLanes *A = group + AXES + n * slab;
    A[0] = ww + xx - yy - zz;
    A[1] = 2.0 * (xy - wz);
    A[2] = 2.0 * (xz + wy);
    A[3] = 2.0 * (xy + wz);
    A[4] = ww - xx + yy - zz;
    A[5] = 2.0 * (yz - wx);
    A[6] = 2.0 * (xz - wy);
    A[7] = 2.0 * (yz + wx);
    A[8] = ww - xx - yy + zz;
}

// order k of (J omega) x omega; inertia xx yy zz xy xz yz
HOL_INLINE void gyroscopic(const HolLanes *group, long slab, int k, const HolLanes *I, int diagonal,
                           HolLanes torque[3]) {
    HolLanes xy = {0}, xz = {0}, yz = {0}, xx = {0}, yy = {0}, zz = {0};
    const HolLanes *o = group + OMEGA, *r = o + k * slab;
    for (int i = 0; i <= k; i++, o += slab, r -= slab) {
        xy += o[0] * r[1];
        xz += o[0] * r[2];
        yz += o[1] * r[2];
    }
    torque[0] = (I[1] - I[2]) * yz;
    torque[1] = (I[2] - I[0]) * xz;
    torque[2] = (I[0] - I[1]) * xy;
    if (diagonal)
        return;
    o = group + OMEGA;
    r = o + k * slab;
    for (int i = 0; i <= k; i++, o += slab, r -= slab) {
        xx += o[0] * r[0];
        yy += o[1] * r[1];
        zz += o[2] * r[2];
    }
    torque[0] += I[3] * xz - I[4] * xy + I[5] * (zz - yy);
    torque[1] += I[5] * xy - I[3] * yz + I[4] * (xx - zz);
    torque[2] += I[4] * yz - I[5] * xz + I[3] * (yy - xx);
}

// torque -= the rotational part of A^T M
HOL_INLINE void take_torque(const HolLanes *A, const HolLanes *M, HolLanes torque[3]) {
    for (int r = 0; r < 9; r += 3) {
        HolLanes ax = A[r], ay = A[r + 1], az = A[r + 2], mx = M[r], my = M[r + 1], mz = M[r + 2];
        torque[0] -= az * my - ay * mz;
        torque[1] -= ax * mz - az * mx;
        torque[2] -= ay * mx - ax * my;
    }
}

// ---- all bodies ----

static void start_body(const HolModel *m, const HolModelWork *w, int i, const double *q,
                       const double *v) {
    const HolJets *J = &w->jet.jets;
    const HolPlace *b = &m->sys.places[i];
    const double *vi = v + m->batch.bodies->place[i / HOL_LANES * dim_of(m)][i % HOL_LANES];
    const int rigid = b->turns;
    if (!b->placed) {
        *hol_jet(J, i, 0, 0) = q[b->q];
        *hol_jet(J, i, 0, 1) = vi[0];
    } else if (m->space == HOL_PLANAR)
        body_series_plane_start(J, i, &w->frames[i], vi, rigid);
    else
        space_start(J, i, &w->frames[i], vi, rigid);
}

HOL_WIDE static void start_axes(const HolJets *J, int first, int end) {
    for (int g = first; g < end; g++) {
        HolLanes *x = hol_jet_turning(J, g, 0);
        space_rotation(x, J->slab, 0);
        space_quaternion(x, J->slab, 0, 1);
        space_rotation(x, J->slab, 1);
    }
}

static void start_part(void *context, int part) {
    const Start *s = context;
    const HolModel *m = s->m;
    int first = m->batch.group_part[part], end = m->batch.group_part[part + 1];
    for (int i = first * HOL_LANES; i < end * HOL_LANES && i < m->def.n_bodies; i++)
        if (i > 0)
            start_body(m, s->w, i, s->q, s->v);
    if (m->space == HOL_SPATIAL)
        start_axes(&s->w->jet.jets, first, end);
}

// Order 0 of values and rates by the functions that also give the switching functions: next to a
// switch another rounding would take the law of the other side for a whole step
static void start_slots(const HolModel *m, HolModelWork *w, const double *v) {
    hol_model_velocity(m, w, v);
    hol_slots_position(m, w, m->sys.n_active_slots);
    hol_slots_velocity(m, w, m->sys.n_active_slots);
    for (int i = 1; i < m->sys.n_active_slots; i++)
        if (m->sys.slots[i].type == HOL_SLOT_VALUE || m->sys.slots[i].type == HOL_SLOT_RATE)
            w->jet.slot[(long)i * w->jet.jets.stride] = w->slot[i];
}

void hol_jet_start(const HolProblem *p, void *work, double t, const double *q, const double *v) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    Start start = {m, w, q, v};
    hol_model_position(m, w, t, q);
    hol_pool_run(w->pool, m->batch.parts, start_part, &start);
    if (m->sys.n_active_slots) {
        memset(w->jet.slot, 0, sizeof(double) * (size_t)w->jet.jets.stride);
        w->jet.slot[0] = t;
        w->jet.slot[1] = 1;
    }
    if (m->extras.n_switches)
        start_slots(m, w, v);
}

HOL_WIDE static void plane_bodies(const HolModel *m, const HolModelWork *w, int first, int end,
                                  int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    HolLanes zero = {0};
    int single = m->sys.n_lambda_series > 0 || m->sys.n_active_slots > 1;
    for (int g = first; g < end; g++) {
        int(*place)[HOL_LANES] = m->batch.bodies->place + 3 * g;
        HolLanes *x = hol_jet_turning(J, g, 0);
        for (int c = 0; c < 2; c++)
            lanes_place(rhs, place[c], k == 0 ? m->batch.bodies->weight[2 * g + c] : zero);
        if (single) // rows that are met one by one see order k+2 of all series
            for (int c = 0; c < 3; c++)
                hol_jet_leading(J, g, k + 2)[c] = zero;
        x[k * J->slab + MOMENT_P] = zero;
        x[k * J->slab + MOMENT_Q] = zero;
        if (m->batch.bodies->turns[g])
            lanes_place(rhs, place[2], -plane_products(x, J->slab, k));
    }
}

static void clear_moments(const HolModelWork *w, int group) {
    memset(w->jet.moments + (long)group * MOMENTS_GROUP, 0, sizeof(double) * MOMENTS_GROUP);
}

HOL_WIDE static void space_bodies(const HolModel *m, const HolModelWork *w, int first, int end,
                                  int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    long slab = J->slab;
    HolLanes zero = {0};
    int single = m->sys.n_lambda_series > 0 || m->sys.n_active_slots > 1;
    for (int g = first; g < end; g++) {
        int(*place)[HOL_LANES] = m->batch.bodies->place + 6 * g;
        for (int c = 0; c < 3; c++)
            lanes_place(rhs, place[c], k == 0 ? m->batch.bodies->weight[3 * g + c] : zero);
        if (single)
            for (int c = 0; c < 3; c++)
                hol_jet_leading(J, g, k + 2)[c] = zero;
        if (w->jet.moments_left)
            clear_moments(w, g);
        if (!m->batch.bodies->turns[g])
            continue;
        HolLanes *x = hol_jet_turning(J, g, 0), torque[3];
        for (int c = 0; single && c < 3; c++)
            x[(k + 1) * slab + OMEGA + c] = zero;
        space_quaternion(x, slab, 1, k + 2); // without omega_{k+1}
        space_rotation(x, slab, k + 2);
        gyroscopic(x, slab, k, m->batch.bodies->inertia + 6 * g, m->batch.bodies->diagonal[g],
                   torque);
        for (int i = 1; m->batch.n_equations && i <= k; i++)
            take_torque(x + AXES + i * slab, x + MOMENTS + (k - i) * slab, torque);
        for (int c = 0; c < 3; c++)
            lanes_place(rhs, place[3 + c], torque[c]);
    }
}

static void bodies_part(void *context, int part) {
    const HolPass *p = context;
    int first = p->m->batch.group_part[part], end = p->m->batch.group_part[part + 1];
    if (p->m->space == HOL_PLANAR)
        plane_bodies(p->m, p->w, first, end, p->k, p->rhs);
    else
        space_bodies(p->m, p->w, first, end, p->k, p->rhs);
}

void hol_jet_bodies(const HolModel *m, HolModelWork *w, int k, double *rhs) {
    HolPass pass = {.m = m, .w = w, .k = k, .rhs = rhs};
    hol_pool_run(w->pool, m->batch.parts, bodies_part, &pass);
    w->jet.moments_left = m->batch.n_equations && m->space == HOL_SPATIAL;
}

// space: moments of four bodies side by side, from the sums by bodies
HOL_INLINE void load_moments(const HolModelWork *w, int group, HolLanes to[9]) {
    const HolLanes *M = (const HolLanes *)(w->jet.moments + (long)group * MOMENTS_GROUP);
    for (int i = 0; i < 9; i++) {
        int r = i / 3, a = i % 3;
        to[i] = (HolLanes){M[r][a], M[3 + r][a], M[6 + r][a], M[9 + r][a]};
    }
}

HOL_WIDE static void add_torques(const HolModel *m, const HolModelWork *w, int first, int end,
                                 double *rhs) {
    for (int g = first; g < end; g++) {
        if (!m->batch.bodies->turns[g])
            continue;
        HolLanes torque[3] = {{0}, {0}, {0}}, M[9] = {{0}};
        load_moments(w, g, M);
        take_torque(hol_jet_turning(&w->jet.jets, g, 0) + AXES, M, torque);
        for (int c = 0; c < 3; c++)
            lanes_add(rhs, m->batch.bodies->place[6 * g + 3 + c], torque[c]);
    }
}

static void torques_part(void *context, int part) {
    const HolPass *p = context;
    add_torques(p->m, p->w, p->m->batch.group_part[part], p->m->batch.group_part[part + 1], p->rhs);
}

void hol_jet_moments(const HolModel *m, HolModelWork *w, double *rhs) {
    HolPass pass = {.m = m, .w = w, .rhs = rhs};
    hol_pool_run(w->pool, m->batch.parts, torques_part, &pass);
}

// ---- what the solve gave ----

HOL_WIDE static void plane_set(const HolModel *m, const HolJets *J, int first, int end, int n,
                               const double *a) {
    double s2 = 1.0 / (n - 1) / n;
    for (int g = first; g < end; g++) {
        int(*place)[HOL_LANES] = m->batch.bodies->place + 3 * g;
        HolLanes *x = hol_jet_leading(J, g, n);
        x[0] = s2 * lanes_pick(a, place[0]);
        x[1] = s2 * lanes_pick(a, place[1]);
        if (!m->batch.bodies->turns[g])
            continue;
        HolLanes *start = hol_jet_turning(J, g, 0), *to = start + n * J->slab;
        HolLanes turn = s2 * lanes_pick(a, place[2]);
        x[2] = turn;
        to[RATE] = (double)n * turn;
        to[COS] -= turn * start[SIN];
        to[SIN] += turn * start[COS];
    }
}

HOL_INLINE void space_turn(HolLanes *start, long slab, int n, HolLanes x, HolLanes y, HolLanes z) {
    HolLanes *o = start + OMEGA + (n - 1) * slab;
    o[0] = x;
    o[1] = y;
    o[2] = z;
    HolLanes *p = start + QUATERNION + n * slab, w0 = start[QUATERNION], x0 = start[QUATERNION + 1],
             y0 = start[QUATERNION + 2], z0 = start[QUATERNION + 3];
    double half = 0.5 / n, whole = 1.0 / n;
    p[0] -= half * (x0 * x + y0 * y + z0 * z);
    p[1] += half * (w0 * x + y0 * z - z0 * y);
    p[2] += half * (w0 * y + z0 * x - x0 * z);
    p[3] += half * (w0 * z + x0 * y - y0 * x);
    x *= whole;
    y *= whole;
    z *= whole;
    for (int r = 0; r < 9; r += 3) { // rows of A_0 omega~
        const HolLanes *A = start + AXES + r;
        HolLanes *to = start + AXES + r + n * slab, ax = A[0], ay = A[1], az = A[2];
        to[0] += ay * z - az * y;
        to[1] += az * x - ax * z;
        to[2] += ax * y - ay * x;
    }
}

HOL_WIDE static void space_set(const HolModel *m, const HolModelWork *w, int first, int end, int n,
                               const double *a) {
    const HolJets *J = &w->jet.jets;
    double s1 = 1.0 / (n - 1), s2 = s1 / n;
    for (int g = first; g < end; g++) {
        int(*place)[HOL_LANES] = m->batch.bodies->place + 6 * g;
        HolLanes *x = hol_jet_leading(J, g, n), *start = hol_jet_turning(J, g, 0);
        for (int c = 0; c < 3; c++)
            x[c] = s2 * lanes_pick(a, place[c]);
        if (!m->batch.bodies->turns[g]) {
            if (m->batch.n_equations)
                clear_moments(w, g);
            continue;
        }
        space_turn(start, J->slab, n, s1 * lanes_pick(a, place[3]), s1 * lanes_pick(a, place[4]),
                   s1 * lanes_pick(a, place[5]));
        if (m->batch.n_equations) { // the next order begins with zero
            load_moments(w, g, start + MOMENTS + (n - 2) * J->slab);
            clear_moments(w, g);
        }
    }
}

static void body_series_set_part(void *context, int part) {
    const HolPass *p = context;
    const HolModel *m = p->m;
    int first = m->batch.group_part[part], end = m->batch.group_part[part + 1],
        n = m->sys.n_equations;
    if (m->space == HOL_PLANAR)
        plane_set(m, &p->w->jet.jets, first, end, p->k + 2, p->a);
    else
        space_set(m, p->w, first, end, p->k + 2, p->a);
    first = m->batch.equation_part[part];
    end = m->batch.equation_part[part + 1];
    if (end > first)
        memcpy(p->w->jet.orders + (long)p->k * n + first, p->lambda + first,
               sizeof(double) * (size_t)(end - first));
}

void hol_jet_set(const HolProblem *p, void *work, int k, const double *a, const double *lambda,
                 const double *vars) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    int L = w->jet.jets.stride;
    HolPass pass = {.m = m, .w = w, .k = k, .a = a, .lambda = lambda};
    hol_jet_batches_set(m, w, k, lambda);
    hol_pool_run(w->pool, m->batch.parts, body_series_set_part, &pass);
    w->jet.moments_left = 0;
    for (int i = 0; m->sys.n_lambda_series && i < m->sys.n_equations; i++)
        if (m->sys.lambda_series[i] >= 0)
            w->jet.lambda[(long)m->sys.lambda_series[i] * L + k] = lambda[i];
    for (int i = 0; i < m->sys.nw; i++)
        w->jet.w[(long)i * L + k] = vars[i];
}
