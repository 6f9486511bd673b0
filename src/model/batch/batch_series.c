// SPDX-License-Identifier: Apache-2.0
// Series of the rows that nearly all joints are made of, four joints in the SIMD lanes of a
// register (docs/theory/series.md, section 8).
//
// A force F at the point s of a body has the torque s x A^T F about its centre of mass, in body
// axes. That is linear in the moments F s^T, which are summed over the joints of a body order by
// order; only the sum meets the rotation in a product of series (body_series.c). With lambda known,
//   point rows along x, y (, z)   F = lambda on b, -lambda on a
//   row along a direction d       F = d lambda
//   dot rows  n_a . n_b           F = n_a lambda at the axis u_b of b, n_b lambda at u_a of a
// Only dot rows have products of series of their own: `stage` computes order k without lambda_k,
// `set` the rest. In the plane A is (c, s), and two numbers are enough:
//   torque = c P - s Q,   P = s_x F_y - s_y F_x,   Q = s_x F_x + s_y F_y
// What it pays: row by row, taylor at tolerance 1e-6 takes 2.8 times the instructions on a row of
// 100 four-bars and 2.2 times on Bricard's mechanism.
#include "model/batch/batch.h"
#include "model/problem/series.h"

#include <string.h>

// a series of the bodies of four joints
HOL_INLINE HolLanes batch_series_gather(const double *x, const int at[HOL_LANES]) {
    return (HolLanes){x[at[0]], x[at[1]], x[at[2]], x[at[3]]};
}

// order j of a rotation series, and those after it, as `frame` finds them
HOL_INLINE const double *order_of(const HolJets *J, int series, int j) {
    return J->turning + (j * J->slab + series - HOL_LEADING) * HOL_LANES;
}

static double level_factor(int k) { // of g_{k+2} in the equations of order k
    return -(k + 1.0) * (k + 2.0);
}

// ---- plane ----

// order j of A s, b less a
HOL_INLINE void between2(const double *frames, const HolBatchList *list, int c, HolLanes *x,
                         HolLanes *y) {
    const HolLanes *shape = list->s + 4L * list->shape[c];
    HolLanes arm[2][2];
    for (int side = 0; side < 2; side++) {
        const int *at = list->frame[c][side];
        HolLanes cos = batch_series_gather(frames, at),
                 sin = batch_series_gather(frames + HOL_LANES, at);
        const HolLanes *s = shape + 2 * side;
        arm[side][0] = cos * s[0] - sin * s[1];
        arm[side][1] = sin * s[0] + cos * s[1];
    }
    *x = arm[1][0] - arm[0][0];
    *y = arm[1][1] - arm[0][1];
}

// P, Q of a force on b, its opposite on a; one body after the other, as two may be the same
HOL_INLINE void add_moments2(double *moments, const HolBatchList *list, int c, HolLanes x,
                             HolLanes y) {
    const HolLanes *shape = list->s + 4L * list->shape[c];
    for (int side = 0; side < 2; side++) {
        const HolLanes *s = shape + 2 * side;
        HolLanes P = s[0] * y - s[1] * x, Q = s[0] * x + s[1] * y;
        for (int l = 0; l < HOL_LANES; l++) {
            double *sum = moments + list->frame[c][side][l];
            sum[0] += side ? P[l] : -P[l];
            sum[HOL_LANES] += side ? Q[l] : -Q[l];
        }
    }
}

HOL_WIDE static void point2_stage(const HolModel *m, HolModelWork *w, const HolBatchList *list,
                                  int first, int end, int k, double *rhs) {
    const double *frames = order_of(&w->jet.jets, HOL_S_COS, k + 2);
    double f = level_factor(k), *g = rhs + m->problem.nv;
    for (int c = first; c < end; c++) {
        HolLanes x, y;
        between2(frames, list, c, &x, &y);
        lanes_place(g, list->equation[c], f * x);
        lanes_place(g + 1, list->equation[c], f * y);
    }
}

HOL_WIDE static void point2_set(HolModelWork *w, const HolBatchList *list, int first, int end,
                                int k, const double *lambda) {
    double *moments = (double *)order_of(&w->jet.jets, HOL_S_MOMENT, k);
    for (int c = first; c < end; c++)
        add_moments2(moments, list, c, lanes_pick(lambda, list->equation[c]),
                     lanes_pick(lambda + 1, list->equation[c]));
}

const HolRowBatch hol_batch_point2 = {2, 0, point2_stage, point2_set, NULL};

HOL_WIDE static void row2_stage(const HolModel *m, HolModelWork *w, const HolBatchList *list,
                                int first, int end, int k, double *rhs) {
    const double *frames = order_of(&w->jet.jets, HOL_S_COS, k + 2);
    double f = level_factor(k);
    for (int c = first; c < end; c++) {
        const HolLanes *d = list->direction + 2L * list->shape[c];
        HolLanes x, y;
        between2(frames, list, c, &x, &y);
        lanes_place(rhs + m->problem.nv, list->equation[c], f * (d[0] * x + d[1] * y));
    }
}

HOL_WIDE static void row2_set(HolModelWork *w, const HolBatchList *list, int first, int end, int k,
                              const double *lambda) {
    double *moments = (double *)order_of(&w->jet.jets, HOL_S_MOMENT, k);
    for (int c = first; c < end; c++) {
        const HolLanes *d = list->direction + 2L * list->shape[c];
        HolLanes force = lanes_pick(lambda, list->equation[c]);
        add_moments2(moments, list, c, d[0] * force, d[1] * force);
    }
}

const HolRowBatch hol_batch_row2 = {1, 0, row2_stage, row2_set, &hol_batch_point2};

// ---- space ----

typedef struct Lanes3 {
    HolLanes x, y, z;
} Lanes3;

HOL_INLINE Lanes3 get3(const HolLanes *s) {
    return (Lanes3){s[0], s[1], s[2]};
}

HOL_INLINE void batch_series_put3(HolLanes *s, Lanes3 v) {
    s[0] = v.x;
    s[1] = v.y;
    s[2] = v.z;
}

HOL_INLINE HolLanes batch_series_dot3(Lanes3 a, Lanes3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

HOL_INLINE Lanes3 scale3(Lanes3 a, HolLanes s) {
    return (Lanes3){a.x * s, a.y * s, a.z * s};
}

HOL_INLINE Lanes3 minus3(Lanes3 a, Lanes3 b) {
    return (Lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// order j of A s for one side
HOL_INLINE Lanes3 batch_series_turned(const double *frames, const HolBatchList *list, int c,
                                      int side) {
    const int *at = list->frame[c][side];
    const HolLanes *s = list->s + 3 * (2L * list->shape[c] + side);
    HolLanes x[3];
    for (int r = 0; r < 3; r++) {
        const double *row = frames + 3 * r * HOL_LANES;
        x[r] = batch_series_gather(row, at) * s[0] +
               batch_series_gather(row + HOL_LANES, at) * s[1] +
               batch_series_gather(row + 2 * HOL_LANES, at) * s[2];
    }
    return get3(x);
}

// F s^T of four joints to their bodies on one side, one after the other as two may be the same
HOL_INLINE void add_moments3(HolModelWork *w, const HolBatchList *list, int c, int side, Lanes3 F) {
    const HolLanes *arm = list->arm[list->shape[c]][side];
    for (int l = 0; l < HOL_LANES; l++) {
        HolLanes *sum = (HolLanes *)w->jet.moments + list->moment[c][side][l];
        sum[0] += F.x[l] * arm[l];
        sum[1] += F.y[l] * arm[l];
        sum[2] += F.z[l] * arm[l];
    }
}

HOL_INLINE Lanes3 negative(Lanes3 a) {
    return (Lanes3){-a.x, -a.y, -a.z};
}

HOL_WIDE static void point3_stage(const HolModel *m, HolModelWork *w, const HolBatchList *list,
                                  int first, int end, int k, double *rhs) {
    const double *frames = order_of(&w->jet.jets, HOL_S_A, k + 2);
    double f = level_factor(k), *g = rhs + m->problem.nv;
    for (int c = first; c < end; c++) {
        Lanes3 d = minus3(batch_series_turned(frames, list, c, 1),
                          batch_series_turned(frames, list, c, 0));
        lanes_place(g, list->equation[c], f * d.x);
        lanes_place(g + 1, list->equation[c], f * d.y);
        lanes_place(g + 2, list->equation[c], f * d.z);
    }
}

HOL_WIDE static void point3_set(HolModelWork *w, const HolBatchList *list, int first, int end,
                                int k, const double *lambda) {
    (void)k;
    for (int c = first; c < end; c++) {
        const int *at = list->equation[c];
        Lanes3 F = {lanes_pick(lambda, at), lanes_pick(lambda + 1, at), lanes_pick(lambda + 2, at)};
        add_moments3(w, list, c, 0, negative(F));
        add_moments3(w, list, c, 1, F);
    }
}

const HolRowBatch hol_batch_point3 = {3, 0, point3_stage, point3_set, NULL};

HOL_WIDE static void row3_stage(const HolModel *m, HolModelWork *w, const HolBatchList *list,
                                int first, int end, int k, double *rhs) {
    const double *frames = order_of(&w->jet.jets, HOL_S_A, k + 2);
    double f = level_factor(k);
    for (int c = first; c < end; c++) {
        Lanes3 d = minus3(batch_series_turned(frames, list, c, 1),
                          batch_series_turned(frames, list, c, 0));
        lanes_place(rhs + m->problem.nv, list->equation[c],
                    f * batch_series_dot3(get3(list->direction + 3L * list->shape[c]), d));
    }
}

HOL_WIDE static void row3_set(HolModelWork *w, const HolBatchList *list, int first, int end, int k,
                              const double *lambda) {
    (void)k;
    for (int c = first; c < end; c++) {
        Lanes3 F = scale3(get3(list->direction + 3L * list->shape[c]),
                          lanes_pick(lambda, list->equation[c]));
        add_moments3(w, list, c, 0, negative(F));
        add_moments3(w, list, c, 1, F);
    }
}

const HolRowBatch hol_batch_row3 = {1, 0, row3_stage, row3_set, &hol_batch_point3};

enum { DOT_A = 0, DOT_B = 3, DOT_LAMBDA = 6, DOT_SERIES = 7 }; // n_a, n_b, lambda

HOL_INLINE HolLanes *dot_series(const HolModelWork *w, const HolBatchList *list, int c) {
    return (HolLanes *)w->jet.batch + list->own + (long)c * DOT_SERIES;
}

HOL_INLINE void batch_series_add_scaled(Lanes3 *sum, const HolLanes *x, HolLanes y) {
    sum->x += x[0] * y;
    sum->y += x[1] * y;
    sum->z += x[2] * y;
}

HOL_WIDE static void dot3_stage(const HolModel *m, HolModelWork *w, const HolBatchList *list,
                                int first, int end, int k, double *rhs) {
    long slab = w->jet.batch_slab;
    double f = level_factor(k);
    for (int c = first; c < end; c++) {
        HolLanes *start = dot_series(w, list, c);
        Lanes3 last_a, last_b;
        for (int j = k == 0 ? 0 : k + 1;; j++) {
            const double *frames = order_of(&w->jet.jets, HOL_S_A, j);
            last_a = batch_series_turned(frames, list, c, 0);
            last_b = batch_series_turned(frames, list, c, 1);
            if (j == k + 2) // provisional: used here, not kept
                break;
            batch_series_put3(start + j * slab + DOT_A, last_a);
            batch_series_put3(start + j * slab + DOT_B, last_b);
        }
        // sum_{i=0..k+2} a_i b_{k+2-i}, and sum_{i=1..k} of b_i, a_i times lambda_{k-i}
        Lanes3 on_a = {{0}, {0}, {0}}, on_b = {{0}, {0}, {0}};
        const HolLanes *up = start + slab, *down = start + (k + 1) * slab;
        HolLanes g = batch_series_dot3(get3(start + DOT_A), last_b) +
                     batch_series_dot3(last_a, get3(start + DOT_B));
        for (int i = 1; i <= k; i++, up += slab, down -= slab) {
            HolLanes y = (down - 2 * slab)[DOT_LAMBDA];
            g += batch_series_dot3(get3(up + DOT_A), get3(down + DOT_B));
            batch_series_add_scaled(&on_a, up + DOT_B, y);
            batch_series_add_scaled(&on_b, up + DOT_A, y);
        }
        g += batch_series_dot3(get3(up + DOT_A), get3(down + DOT_B));
        lanes_place(rhs + m->problem.nv, list->equation[c], f * g);
        add_moments3(w, list, c, 0, on_a);
        add_moments3(w, list, c, 1, on_b);
    }
}

HOL_WIDE static void dot3_set(HolModelWork *w, const HolBatchList *list, int first, int end, int k,
                              const double *lambda) {
    for (int c = first; c < end; c++) {
        HolLanes *start = dot_series(w, list, c), y = lanes_pick(lambda, list->equation[c]);
        start[k * w->jet.batch_slab + DOT_LAMBDA] = y;
        add_moments3(w, list, c, 0, scale3(get3(start + DOT_B), y));
        add_moments3(w, list, c, 1, scale3(get3(start + DOT_A), y));
    }
}

const HolRowBatch hol_batch_dot3 = {1, DOT_SERIES, dot3_stage, dot3_set, NULL};

// ---- all batches ----

size_t hol_jet_moments_size(const HolModel *m) {
    return m->space == HOL_PLANAR ? 0 : 3 * HOL_LANES * HOL_LANES * (size_t)m->batch.n_groups;
}

// chunks of a block of a part of a list: from here to where the next begins
static int chunk_at(const HolModel *m, const HolBatchList *list, int part, int block) {
    int first = list->part[part], end = list->part[part + 1];
    if (block == 0)
        return first;
    return block == m->batch.blocks ? end
                                    : first + hol_share_begin(end - first, m->batch.blocks, block);
}

// Lists are walked side by side, so that the bodies at hand serve all of them.
static void stage_part(void *context, int part) {
    const HolPass *p = context;
    const HolModel *m = p->m;
    for (int block = 0; block < m->batch.blocks; block++)
        for (const HolBatchList *list = m->batch.lists; list < m->batch.lists + m->batch.n_lists;
             list++)
            list->batch->stage(m, p->w, list, chunk_at(m, list, part, block),
                               chunk_at(m, list, part, block + 1), p->k, p->rhs);
}

void hol_jet_batches_stage(const HolModel *m, HolModelWork *w, int k, double *rhs) {
    if (!m->batch.n_equations)
        return;
    HolPass pass = {.m = m, .w = w, .k = k, .rhs = rhs};
    hol_pool_run(w->pool, m->batch.parts, stage_part, &pass);
    if (m->batch.parts > 1)
        stage_part(&pass, HOL_JET_PARTS);
    if (m->batch.series && k > 0) // only dot rows have moments without lambda_k
        hol_jet_moments(m, w, rhs);
}

static void batch_series_set_part(void *context, int part) {
    const HolPass *p = context;
    const HolModel *m = p->m;
    for (int block = 0; block < m->batch.blocks; block++)
        for (const HolBatchList *list = m->batch.lists; list < m->batch.lists + m->batch.n_lists;
             list++)
            list->batch->set(p->w, list, chunk_at(m, list, part, block),
                             chunk_at(m, list, part, block + 1), p->k, p->lambda);
}

void hol_jet_batches_set(const HolModel *m, HolModelWork *w, int k, const double *lambda) {
    HolPass pass = {.m = m, .w = w, .k = k, .lambda = lambda};
    hol_pool_run(w->pool, m->batch.parts, batch_series_set_part, &pass);
    if (m->batch.parts > 1)
        batch_series_set_part(&pass, HOL_JET_PARTS);
}
