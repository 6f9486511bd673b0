// SPDX-License-Identifier: Apache-2.0
// Jets of the rows that nearly all joints are made of, four joints side by side and without
// coefficient series. Order k with y = lambda, y_k still unknown (zero):
//   point2  torque of b: sum_{i>=1} (u_x,i y2_{k-i} - u_y,i y1_{k-i}),  u = A s
//   point3  torque in global axes: sum_{i>=1} u_i x y_{k-i}
//   row2, row3: a single row along a direction d: u x d in the place of u x
//   dot3    sum_{i>=1} c_i y_{k-i},  c = n_a x n_b
// In space the torques are gathered per body in global axes, and the sum is turned once into body
// axes; when y_k is known, `set` adds its part to order k. Side a counts negative.
#include "model/jets.h"

#include <string.h>

HOL_INLINE HolLanes *chunk_series(const HolModelWork *w, const HolChunk *c) {
    return w->jet.batch + c->own * w->jet.jets.stride;
}

// order j of a series of the bodies of four joints
HOL_INLINE HolLanes gather(const double *const at[HOL_LANES], long offset) {
    return (HolLanes){at[0][offset], at[1][offset], at[2][offset], at[3][offset]};
}

HOL_INLINE void first_places(const HolJets *J, const int *body, int series,
                             const double *at[HOL_LANES]) {
    for (int l = 0; l < HOL_LANES; l++)
        at[l] = hol_jet(J, body[l], series, 0);
}

static HolLanes level_factor(int k) { // of g_{k+2} in the equations of order k
    double f = -(k + 1.0) * (k + 2.0);
    return (HolLanes){f, f, f, f};
}

HOL_INLINE void set_lambda(HolLanes *y, int L, int k, const HolChunk *c, int rows,
                           const double *lambda) {
    for (int r = 0; r < rows; r++)
        y[r * L + k] = lanes_pick(lambda + r, c->equation);
}

// ---- plane ----

// order j of A s
HOL_INLINE void arm2(const double *const at[HOL_LANES], int L, int j, const HolLanes *s,
                     HolLanes *x, HolLanes *y) {
    HolLanes c = gather(at, j * HOL_LANES), sn = gather(at, (long)(L + j) * HOL_LANES);
    *x = c * s[0] - sn * s[1];
    *y = sn * s[0] + c * s[1];
}

// own series: u_a (2), u_b (2), lambda (2)
HOL_WIDE static void point2_stage(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                  int count, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride;
    HolLanes f = level_factor(k);
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes *own = chunk_series(w, c), *x = own + 4 * L, *y = x + L, far[2][2], torque[2];
        for (int side = 0; side < 2; side++) {
            const double *at[HOL_LANES];
            HolLanes *ux = own + 2 * side * L, *uy = ux + L, sum = {0};
            first_places(J, c->body[side], HOL_S_COS, at);
            arm2(at, L, k, c->s[side], &ux[k], &uy[k]);
            arm2(at, L, k + 2, c->s[side], &far[side][0], &far[side][1]);
            for (int i = 1, j = k - 1; i <= k; i++, j--)
                sum += ux[i] * y[j] - uy[i] * x[j];
            torque[side] = sum;
        }
        lanes_add(rhs, c->turn[0], torque[0]);
        lanes_add(rhs, c->turn[1], -torque[1]);
        lanes_place(rhs + m->problem.nv, c->equation, f * (far[1][0] - far[0][0]));
        lanes_place(rhs + m->problem.nv + 1, c->equation, f * (far[1][1] - far[0][1]));
    }
}

HOL_WIDE static void point2_set(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                int count, int k, const double *lambda) {
    int L = w->jet.jets.stride;
    (void)m;
    for (const HolChunk *c = chunks; c < chunks + count; c++)
        set_lambda(chunk_series(w, c) + 4 * L, L, k, c, 2, lambda);
}

const HolRowBatch hol_batch_point2 = {2, 6, point2_stage, point2_set, NULL};

// own series: d . perp(u_a), d . perp(u_b), lambda
HOL_WIDE static void row2_stage(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                int count, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride;
    HolLanes f = level_factor(k);
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes *own = chunk_series(w, c), *y = own + 2 * L, far[2], torque[2], ux, uy;
        const HolLanes *d = c->direction;
        for (int side = 0; side < 2; side++) {
            const double *at[HOL_LANES];
            HolLanes *beta = own + side * L, sum = {0};
            first_places(J, c->body[side], HOL_S_COS, at);
            arm2(at, L, k, c->s[side], &ux, &uy);
            beta[k] = d[1] * ux - d[0] * uy;
            arm2(at, L, k + 2, c->s[side], &ux, &uy);
            far[side] = d[0] * ux + d[1] * uy;
            for (int i = 1, j = k - 1; i <= k; i++, j--)
                sum += beta[i] * y[j];
            torque[side] = sum;
        }
        lanes_add(rhs, c->turn[0], torque[0]);
        lanes_add(rhs, c->turn[1], -torque[1]);
        lanes_place(rhs + m->problem.nv, c->equation, f * (far[1] - far[0]));
    }
}

HOL_WIDE static void row2_set(const HolModel *m, HolModelWork *w, const HolChunk *chunks, int count,
                              int k, const double *lambda) {
    int L = w->jet.jets.stride;
    (void)m;
    for (const HolChunk *c = chunks; c < chunks + count; c++)
        set_lambda(chunk_series(w, c) + 2 * L, L, k, c, 1, lambda);
}

const HolRowBatch hol_batch_row2 = {1, 3, row2_stage, row2_set, &hol_batch_point2};

// ---- space ----

typedef struct Lanes3 {
    HolLanes x, y, z;
} Lanes3;

HOL_INLINE Lanes3 get3(const HolLanes *s, int L, int k) {
    return (Lanes3){s[k], s[L + k], s[2 * L + k]};
}

HOL_INLINE void put3(HolLanes *s, int L, int k, Lanes3 v) {
    s[k] = v.x;
    s[L + k] = v.y;
    s[2 * L + k] = v.z;
}

HOL_INLINE Lanes3 cross3(Lanes3 a, Lanes3 b) {
    return (Lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

HOL_INLINE HolLanes dot3(Lanes3 a, Lanes3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

HOL_INLINE Lanes3 scale3(Lanes3 a, HolLanes s) {
    return (Lanes3){a.x * s, a.y * s, a.z * s};
}

HOL_INLINE Lanes3 minus3(Lanes3 a, Lanes3 b) {
    return (Lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// order j of A s
HOL_INLINE Lanes3 arm3(const double *const at[HOL_LANES], int L, int j, const HolLanes *s) {
    long o = (long)j * HOL_LANES, n = (long)L * HOL_LANES;
    return (Lanes3){
        gather(at, o) * s[0] + gather(at, o + n) * s[1] + gather(at, o + 2 * n) * s[2],
        gather(at, o + 3 * n) * s[0] + gather(at, o + 4 * n) * s[1] + gather(at, o + 5 * n) * s[2],
        gather(at, o + 6 * n) * s[0] + gather(at, o + 7 * n) * s[1] + gather(at, o + 8 * n) * s[2]};
}

// into the sums of four bodies, one after the other as two may be the same; what lands at the
// ground or at point masses is never read
HOL_INLINE void add_torque(HolModelWork *w, const int *body, Lanes3 t) {
    for (int l = 0; l < HOL_LANES; l++) {
        HolLanes *sum = (HolLanes *)w->jet.tau + body[l];
        *sum += (HolLanes){t.x[l], t.y[l], t.z[l], 0};
    }
}

// order k of sum_{i>=first} x_i cross y_{k-i}
HOL_INLINE Lanes3 cross_series(const HolLanes *x, const HolLanes *y, int L, int first, int k) {
    Lanes3 s = {{0}, {0}, {0}};
    for (int i = first, j = k - first; i <= k; i++, j--) {
        Lanes3 c = cross3(get3(x, L, i), get3(y, L, j));
        s.x += c.x;
        s.y += c.y;
        s.z += c.z;
    }
    return s;
}

// order k of sum_{i>=1} x_i y_{k-i}, y a scalar
HOL_INLINE Lanes3 scale_series(const HolLanes *x, const HolLanes *y, int L, int k) {
    Lanes3 s = {{0}, {0}, {0}};
    for (int i = 1, j = k - 1; i <= k; i++, j--) {
        s.x += x[i] * y[j];
        s.y += x[L + i] * y[j];
        s.z += x[2 * L + i] * y[j];
    }
    return s;
}

HOL_INLINE Lanes3 negative(Lanes3 a) {
    return (Lanes3){-a.x, -a.y, -a.z};
}

// own series: u_a (3), u_b (3), lambda (3)
HOL_WIDE static void point3_stage(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                  int count, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride, nv = m->problem.nv;
    HolLanes f = level_factor(k);
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes *own = chunk_series(w, c), *y = own + 6 * L;
        Lanes3 far[2];
        for (int side = 0; side < 2; side++) {
            const double *at[HOL_LANES];
            HolLanes *u = own + 3 * side * L;
            first_places(J, c->body[side], HOL_S_A, at);
            put3(u, L, k, arm3(at, L, k, c->s[side]));
            far[side] = arm3(at, L, k + 2, c->s[side]);
            Lanes3 torque = cross_series(u, y, L, 1, k);
            add_torque(w, c->body[side], side ? torque : negative(torque));
        }
        Lanes3 g = scale3(minus3(far[1], far[0]), f);
        lanes_place(rhs + nv, c->equation, g.x);
        lanes_place(rhs + nv + 1, c->equation, g.y);
        lanes_place(rhs + nv + 2, c->equation, g.z);
    }
}

HOL_WIDE static void point3_set(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                int count, int k, const double *lambda) {
    int L = w->jet.jets.stride;
    (void)m;
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes *own = chunk_series(w, c), *y = own + 6 * L;
        set_lambda(y, L, k, c, 3, lambda);
        Lanes3 force = get3(y, L, k);
        add_torque(w, c->body[0], cross3(force, get3(own, L, 0)));
        add_torque(w, c->body[1], cross3(get3(own + 3 * L, L, 0), force));
    }
}

const HolRowBatch hol_batch_point3 = {3, 9, point3_stage, point3_set, NULL};

// own series: u_a x d (3), u_b x d (3), lambda
HOL_WIDE static void row3_stage(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                int count, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride;
    HolLanes f = level_factor(k);
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes *own = chunk_series(w, c), *y = own + 6 * L, far[2];
        Lanes3 d = {c->direction[0], c->direction[1], c->direction[2]};
        for (int side = 0; side < 2; side++) {
            const double *at[HOL_LANES];
            HolLanes *u = own + 3 * side * L;
            first_places(J, c->body[side], HOL_S_A, at);
            put3(u, L, k, cross3(arm3(at, L, k, c->s[side]), d));
            far[side] = dot3(d, arm3(at, L, k + 2, c->s[side]));
            Lanes3 torque = scale_series(u, y, L, k);
            add_torque(w, c->body[side], side ? torque : negative(torque));
        }
        lanes_place(rhs + m->problem.nv, c->equation, f * (far[1] - far[0]));
    }
}

HOL_WIDE static void row3_set(const HolModel *m, HolModelWork *w, const HolChunk *chunks, int count,
                              int k, const double *lambda) {
    int L = w->jet.jets.stride;
    (void)m;
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes *own = chunk_series(w, c), *y = own + 6 * L;
        set_lambda(y, L, k, c, 1, lambda);
        add_torque(w, c->body[0], scale3(get3(own, L, 0), -y[k]));
        add_torque(w, c->body[1], scale3(get3(own + 3 * L, L, 0), y[k]));
    }
}

const HolRowBatch hol_batch_row3 = {1, 7, row3_stage, row3_set, &hol_batch_point3};

// own series: n_a (3), n_b (3), n_a x n_b (3), lambda
HOL_WIDE static void dot3_stage(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                int count, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride;
    HolLanes f = level_factor(k);
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes *a = chunk_series(w, c), *b = a + 3 * L, *cross = b + 3 * L, *y = cross + 3 * L;
        for (int side = 0; side < 2; side++) {
            const double *at[HOL_LANES];
            first_places(J, c->body[side], HOL_S_A, at);
            for (int j = k == 0 ? 0 : k + 1; j <= k + 2; j++) // k+1 is final now, k+2 provisional
                put3(side ? b : a, L, j, arm3(at, L, j, c->s[side]));
        }
        put3(cross, L, k, cross_series(a, b, L, 0, k));
        HolLanes g = {0};
        for (int i = 0, j = k + 2; j >= 0; i++, j--)
            g += dot3(get3(a, L, i), get3(b, L, j));
        lanes_place(rhs + m->problem.nv, c->equation, f * g);
        Lanes3 torque = scale_series(cross, y, L, k);
        add_torque(w, c->body[0], torque);
        add_torque(w, c->body[1], negative(torque));
    }
}

HOL_WIDE static void dot3_set(const HolModel *m, HolModelWork *w, const HolChunk *chunks, int count,
                              int k, const double *lambda) {
    int L = w->jet.jets.stride;
    (void)m;
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes *cross = chunk_series(w, c) + 6 * L, *y = cross + 3 * L;
        set_lambda(y, L, k, c, 1, lambda);
        Lanes3 torque = scale3(get3(cross, L, 0), y[k]);
        add_torque(w, c->body[0], torque);
        add_torque(w, c->body[1], negative(torque));
    }
}

const HolRowBatch hol_batch_dot3 = {1, 10, dot3_stage, dot3_set, NULL};

// ---- all batches ----

// the sums of the present order of four bodies, turned round: x, y, z of all four
HOL_INLINE Lanes3 torque_sums(const HolModelWork *w, int group) {
    const HolLanes *t = (const HolLanes *)w->jet.tau + (long)group * HOL_LANES;
    return (Lanes3){{t[0][0], t[1][0], t[2][0], t[3][0]},
                    {t[0][1], t[1][1], t[2][1], t[3][1]},
                    {t[0][2], t[1][2], t[2][2], t[3][2]}};
}

static void clear_sums(const HolModel *m, HolModelWork *w) {
    memset(w->jet.tau, 0, sizeof(HolLanes) * (size_t)m->n_body_lanes * HOL_LANES);
}

// order k of -A^T T into rhs
HOL_WIDE static void torques_stage(const HolModel *m, HolModelWork *w, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride;
    for (int g = 0; g < m->n_body_lanes; g++) {
        const HolLanes *A = hol_jet_lanes(J, g, HOL_S_A);
        HolLanes *T = w->jet.torque + (long)3 * g * L, x = {0}, y = {0}, z = {0};
        put3(T, L, k, torque_sums(w, g));
        for (int i = 0, j = k; j >= 0; i++, j--) {
            HolLanes tx = T[j], ty = T[L + j], tz = T[2 * L + j];
            x += A[i] * tx + A[3 * L + i] * ty + A[6 * L + i] * tz;
            y += A[L + i] * tx + A[4 * L + i] * ty + A[7 * L + i] * tz;
            z += A[2 * L + i] * tx + A[5 * L + i] * ty + A[8 * L + i] * tz;
        }
        lanes_add(rhs, m->body_lanes[g].place[3], -x);
        lanes_add(rhs, m->body_lanes[g].place[4], -y);
        lanes_add(rhs, m->body_lanes[g].place[5], -z);
    }
}

HOL_WIDE static void torques_set(const HolModel *m, HolModelWork *w, int k) {
    int L = w->jet.jets.stride;
    for (int g = 0; g < m->n_body_lanes; g++) {
        Lanes3 t = torque_sums(w, g);
        HolLanes *T = w->jet.torque + (long)3 * g * L + k;
        T[0] += t.x;
        T[L] += t.y;
        T[2 * L] += t.z;
    }
}

void hol_jet_batches_stage(const HolModel *m, HolModelWork *w, int k, double *rhs) {
    int torques = m->batched && m->space == HOL_SPATIAL;
    if (torques)
        clear_sums(m, w);
    for (int i = 0; i < m->n_batches; i++)
        m->batches[i].batch->stage(m, w, m->batches[i].chunks, m->batches[i].n_chunks, k, rhs);
    if (torques)
        torques_stage(m, w, k, rhs);
}

void hol_jet_batches_set(const HolModel *m, HolModelWork *w, int k, const double *lambda) {
    int torques = m->batched && m->space == HOL_SPATIAL;
    if (torques)
        clear_sums(m, w);
    for (int i = 0; i < m->n_batches; i++)
        m->batches[i].batch->set(m, w, m->batches[i].chunks, m->batches[i].n_chunks, k, lambda);
    if (torques)
        torques_set(m, w, k);
}

HOL_WIDE void hol_jet_batches_lambda(const HolModel *m, const HolModelWork *w, int k, double h,
                                     double *lambda) {
    int L = w->jet.jets.stride;
    for (int i = 0; i < m->n_batches; i++) {
        const HolRowBatch *batch = m->batches[i].batch;
        for (int n = 0; n < m->batches[i].n_chunks; n++) {
            const HolChunk *c = &m->batches[i].chunks[n];
            for (int r = 0; r < batch->rows; r++) {
                const HolLanes *y = chunk_series(w, c) + (batch->series - batch->rows + r) * L;
                HolLanes sum = y[k];
                for (int j = k - 1; j >= 0; j--)
                    sum = sum * h + y[j];
                lanes_place(lambda + r, c->equation, sum);
            }
        }
    }
}
