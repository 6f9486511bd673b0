// SPDX-License-Identifier: Apache-2.0
// Jets of the rows that nearly all joints are made of, four joints side by side.
//
// A force F at the point s of a body turns it by s x A^T F, in body axes. That is linear in the
// moments F s^T, which are summed over the joints of a body order by order; only the sum meets the
// rotation in a product of series (jets_bodies.c). With lambda known,
//   point rows along x, y (, z)   F = lambda on b, -lambda on a
//   row along a direction d       F = d lambda
//   dot rows  n_a . n_b           F = n_a lambda at the axis u_b of b, n_b lambda at u_a of a
// so that of all these only dot rows have products of series of their own: order k without lambda_k
// in `stage`, the rest in `set`. In the plane A is (c, s), and two numbers are enough:
//   torque = c P - s Q,   P = s_x F_y - s_y F_x,   Q = s_x F_x + s_y F_y
#include "model/jets.h"

#include <string.h>

// order j of a series of the bodies of four joints
HOL_INLINE HolLanes gather(const double *const at[HOL_LANES], long offset) {
    return (HolLanes){at[0][offset], at[1][offset], at[2][offset], at[3][offset]};
}

HOL_INLINE void first_places(const HolJets *J, const int *body, int series,
                             const double *at[HOL_LANES]) {
    for (int l = 0; l < HOL_LANES; l++)
        at[l] = hol_jet(J, body[l], series, 0);
}

static double level_factor(int k) { // of g_{k+2} in the equations of order k
    return -(k + 1.0) * (k + 2.0);
}

// ---- plane ----

// order j of A s, b less a
HOL_INLINE void between2(const HolJets *J, const HolChunk *c, int j, HolLanes *x, HolLanes *y) {
    HolLanes arm[2][2];
    for (int side = 0; side < 2; side++) {
        const double *at[HOL_LANES];
        first_places(J, c->body[side], HOL_S_COS, at);
        HolLanes cos = gather(at, (long)j * HOL_LANES),
                 sin = gather(at, (long)(J->stride + j) * HOL_LANES);
        const HolLanes *s = c->s[side];
        arm[side][0] = cos * s[0] - sin * s[1];
        arm[side][1] = sin * s[0] + cos * s[1];
    }
    *x = arm[1][0] - arm[0][0];
    *y = arm[1][1] - arm[0][1];
}

// P, Q of a force on b, its opposite on a; one body after the other, as two may be the same
HOL_INLINE void add_moments2(HolModelWork *w, const HolChunk *c, HolLanes x, HolLanes y) {
    for (int side = 0; side < 2; side++) {
        const HolLanes *s = c->s[side];
        HolLanes P = s[0] * y - s[1] * x, Q = s[0] * x + s[1] * y;
        for (int l = 0; l < HOL_LANES; l++) {
            double *sum = w->jet.moments + 2 * (long)c->body[side][l];
            sum[0] += side ? P[l] : -P[l];
            sum[1] += side ? Q[l] : -Q[l];
        }
    }
}

HOL_WIDE static void point2_stage(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                  int count, int k, double *rhs) {
    double f = level_factor(k);
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes x, y;
        between2(&w->jet.jets, c, k + 2, &x, &y);
        lanes_place(rhs + m->problem.nv, c->equation, f * x);
        lanes_place(rhs + m->problem.nv + 1, c->equation, f * y);
    }
}

HOL_WIDE static void point2_set(HolModelWork *w, const HolChunk *chunks, int count, int k,
                                const double *lambda) {
    (void)k;
    for (const HolChunk *c = chunks; c < chunks + count; c++)
        add_moments2(w, c, lanes_pick(lambda, c->equation), lanes_pick(lambda + 1, c->equation));
}

const HolRowBatch hol_batch_point2 = {2, 0, point2_stage, point2_set, NULL};

HOL_WIDE static void row2_stage(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                int count, int k, double *rhs) {
    double f = level_factor(k);
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes x, y;
        between2(&w->jet.jets, c, k + 2, &x, &y);
        lanes_place(rhs + m->problem.nv, c->equation,
                    f * (c->direction[0] * x + c->direction[1] * y));
    }
}

HOL_WIDE static void row2_set(HolModelWork *w, const HolChunk *chunks, int count, int k,
                              const double *lambda) {
    (void)k;
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes force = lanes_pick(lambda, c->equation);
        add_moments2(w, c, c->direction[0] * force, c->direction[1] * force);
    }
}

const HolRowBatch hol_batch_row2 = {1, 0, row2_stage, row2_set, &hol_batch_point2};

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

HOL_INLINE HolLanes dot3(Lanes3 a, Lanes3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

HOL_INLINE Lanes3 scale3(Lanes3 a, HolLanes s) {
    return (Lanes3){a.x * s, a.y * s, a.z * s};
}

HOL_INLINE Lanes3 minus3(Lanes3 a, Lanes3 b) {
    return (Lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// order j of A s for one side
HOL_INLINE Lanes3 turned(const HolJets *J, const HolChunk *c, int side, int j) {
    const double *at[HOL_LANES];
    const HolLanes *s = c->s[side];
    long n = (long)J->stride * HOL_LANES;
    first_places(J, c->body[side], HOL_S_A, at);
    long o = (long)j * HOL_LANES;
    return (Lanes3){
        gather(at, o) * s[0] + gather(at, o + n) * s[1] + gather(at, o + 2 * n) * s[2],
        gather(at, o + 3 * n) * s[0] + gather(at, o + 4 * n) * s[1] + gather(at, o + 5 * n) * s[2],
        gather(at, o + 6 * n) * s[0] + gather(at, o + 7 * n) * s[1] + gather(at, o + 8 * n) * s[2]};
}

// F s^T of four joints to their bodies on one side, one after the other as two may be the same
HOL_INLINE void add_moments3(HolModelWork *w, const HolChunk *c, int side, Lanes3 F) {
    for (int l = 0; l < HOL_LANES; l++) {
        HolLanes *sum = (HolLanes *)w->jet.moments + 3 * (long)c->body[side][l];
        sum[0] += F.x[l] * c->arm[side][l];
        sum[1] += F.y[l] * c->arm[side][l];
        sum[2] += F.z[l] * c->arm[side][l];
    }
}

HOL_INLINE Lanes3 negative(Lanes3 a) {
    return (Lanes3){-a.x, -a.y, -a.z};
}

HOL_WIDE static void point3_stage(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                  int count, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    double f = level_factor(k), *g = rhs + m->problem.nv;
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        Lanes3 d = minus3(turned(J, c, 1, k + 2), turned(J, c, 0, k + 2));
        lanes_place(g, c->equation, f * d.x);
        lanes_place(g + 1, c->equation, f * d.y);
        lanes_place(g + 2, c->equation, f * d.z);
    }
}

HOL_WIDE static void point3_set(HolModelWork *w, const HolChunk *chunks, int count, int k,
                                const double *lambda) {
    (void)k;
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        Lanes3 F = {lanes_pick(lambda, c->equation), lanes_pick(lambda + 1, c->equation),
                    lanes_pick(lambda + 2, c->equation)};
        add_moments3(w, c, 0, negative(F));
        add_moments3(w, c, 1, F);
    }
}

const HolRowBatch hol_batch_point3 = {3, 0, point3_stage, point3_set, NULL};

HOL_INLINE Lanes3 direction_of(const HolChunk *c) {
    return (Lanes3){c->direction[0], c->direction[1], c->direction[2]};
}

HOL_WIDE static void row3_stage(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                int count, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    double f = level_factor(k);
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        Lanes3 d = minus3(turned(J, c, 1, k + 2), turned(J, c, 0, k + 2));
        lanes_place(rhs + m->problem.nv, c->equation, f * dot3(direction_of(c), d));
    }
}

HOL_WIDE static void row3_set(HolModelWork *w, const HolChunk *chunks, int count, int k,
                              const double *lambda) {
    (void)k;
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        Lanes3 F = scale3(direction_of(c), lanes_pick(lambda, c->equation));
        add_moments3(w, c, 0, negative(F));
        add_moments3(w, c, 1, F);
    }
}

const HolRowBatch hol_batch_row3 = {1, 0, row3_stage, row3_set, &hol_batch_point3};

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

HOL_INLINE HolLanes *chunk_series(const HolModelWork *w, const HolChunk *c) {
    return w->jet.batch + c->own * w->jet.jets.stride;
}

// own series: n_a (3), n_b (3), lambda
HOL_WIDE static void dot3_stage(const HolModel *m, HolModelWork *w, const HolChunk *chunks,
                                int count, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride;
    double f = level_factor(k);
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes *a = chunk_series(w, c), *b = a + 3 * L, *y = b + 3 * L, g = {0};
        for (int j = k == 0 ? 0 : k + 1; j <= k + 2; j++) { // k+1 is final now, k+2 provisional
            put3(a, L, j, turned(J, c, 0, j));
            put3(b, L, j, turned(J, c, 1, j));
        }
        for (int i = 0, j = k + 2; j >= 0; i++, j--)
            g += dot3(get3(a, L, i), get3(b, L, j));
        lanes_place(rhs + m->problem.nv, c->equation, f * g);
        add_moments3(w, c, 0, scale_series(b, y, L, k));
        add_moments3(w, c, 1, scale_series(a, y, L, k));
    }
}

HOL_WIDE static void dot3_set(HolModelWork *w, const HolChunk *chunks, int count, int k,
                              const double *lambda) {
    int L = w->jet.jets.stride;
    for (const HolChunk *c = chunks; c < chunks + count; c++) {
        HolLanes *a = chunk_series(w, c), *b = a + 3 * L, *y = b + 3 * L;
        y[k] = lanes_pick(lambda, c->equation);
        add_moments3(w, c, 0, scale3(get3(b, L, 0), y[k]));
        add_moments3(w, c, 1, scale3(get3(a, L, 0), y[k]));
    }
}

const HolRowBatch hol_batch_dot3 = {1, 7, dot3_stage, dot3_set, NULL};

// ---- all batches ----

size_t hol_jet_moments_size(const HolModel *m) {
    size_t bodies = (size_t)m->n_body_lanes * HOL_LANES;
    return m->space == HOL_PLANAR ? 2 * bodies : 3 * HOL_LANES * bodies;
}

void hol_jet_batches_stage(const HolModel *m, HolModelWork *w, int k, double *rhs) {
    if (!m->batched)
        return;
    memset(w->jet.moments, 0, sizeof(double) * hol_jet_moments_size(m));
    for (int i = 0; i < m->n_batches; i++)
        m->batches[i].batch->stage(m, w, m->batches[i].chunks, m->batches[i].n_chunks, k, rhs);
    if (m->space == HOL_SPATIAL)
        hol_jet_moments(m, w, k, rhs);
}

void hol_jet_batches_set(const HolModel *m, HolModelWork *w, int k, const double *lambda) {
    for (int i = 0; i < m->n_batches; i++)
        m->batches[i].batch->set(w, m->batches[i].chunks, m->batches[i].n_chunks, k, lambda);
}
