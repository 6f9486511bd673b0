// SPDX-License-Identifier: Apache-2.0
// First guess of a1, lambda1 and their rates in a tangent step: the polynomial through values and
// derivatives at the present and up to two earlier ends of steps, extrapolated by h. The number of
// ends is the one that would have done best in the last step. Where forces are stiff and all such
// guesses were poor, the old values are taken.
#include "base/thread_pool.h"
#include "solve/method/tangent/tangent.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NODES = TANGENT_PAST + 1, DATA = 2 * NODES };

static void tangent_predict_copy(double *to, const double *from, int n) {
    memcpy(to, from, sizeof *to * (size_t)n);
}

// weight[d][node][k]: part of the k-th derivative at a node in the d-th derivative at h
typedef struct Weights {
    double part[2][NODES][2];
} Weights;

// Newton's interpolation with repeated nodes x[0..count), `each` values at a node, at 1; the datum
// (node, k) alone is 1, all others zero.
static void unit_polynomial(int count, int each, const double *x, int node, int k, double out[2]) {
    double z[DATA], c[DATA] = {0};
    const int n = count * each;
    for (int i = 0; i < n; i++) {
        z[i] = x[i / each];
        c[i] = i / each == node && k == 0;
    }
    for (int j = 1; j < n; j++)
        for (int i = n - 1; i >= j; i--) {
            if (i / each != (i - j) / each)
                c[i] = (c[i] - c[i - 1]) / (z[i] - z[i - j]);
            else
                c[i] = i / each == node && k == j;
        }
    double value = c[n - 1], rate = 0;
    for (int i = n - 2; i >= 0; i--) {
        const double u = 1 - z[i];
        rate = rate * u + value;
        value = value * u + c[i];
    }
    out[0] = value;
    out[1] = rate;
}

// times in units of h, the present one 0
static void find_weights(const Tangent *m, double t, double h, int count, int each, Weights *w) {
    double x[NODES] = {0}, power[2] = {1, h}, out[2];
    for (int i = 1; i < count; i++)
        x[i] = (m->past[i - 1].x.t - t) / h;
    for (int node = 0; node < count; node++)
        for (int k = 0; k < each; k++) {
            unit_polynomial(count, each, x, node, k, out);
            for (int d = 0; d < each; d++)
                w->part[d][node][k] = out[d] * power[k] / power[d];
        }
}

// What is wanted of one polynomial at h, from its data at the first `count` nodes.
typedef struct Wanted {
    const double (*part)[2];
    int count;
    double *out;
} Wanted;

typedef struct Combination {
    const double *const (*data)[2]; // data[node][k]
    int each, n;
    Wanted wanted[NODES + 1];
} Combination;

static void want(Combination *c, const Weights *w, int derivative, int count, double *out) {
    c->wanted[c->n++] = (Wanted){w->part[derivative], count, out};
}

// piece by piece, so that the data and a sum stay in the cache
static void combine_loop(void *context, int first, int end) {
    enum { PIECE = 256 };
    const Combination *c = context;
    for (int begin = first; begin < end; begin += PIECE)
        for (const Wanted *x = c->wanted; x < c->wanted + c->n; x++) {
            const int n = end - begin < PIECE ? end - begin : PIECE;
            double *y = x->out + begin;
            memset(y, 0, sizeof *y * (size_t)n);
            for (int node = 0; node < x->count; node++)
                for (int k = 0; k < c->each; k++) {
                    const double part = x->part[node][k], *from = c->data[node][k] + begin;
                    for (int i = 0; i < n; i++)
                        y[i] += part * from[i];
                }
        }
}

static void tangent_predict_combine(const HolSim *s, int n, Combination *c) {
    hol_pool_loop(s->pool, n, combine_loop, c);
}

// Polynomials through 1, 2 and 3 ends that may be used.
static int usable(const Tangent *m, const TangentNode *from, double h) {
    const double t0 = m->past[0].x.t, t1 = m->past[1].x.t;
    if (m->has_back == 0 || h > 3 * (from->x.t - t0))
        return 1;
    return m->has_back == 1 || h > 3 * (t0 - t1) ? 2 : 3;
}

void hol_tangent_predict(HolSim *s, Tangent *m, const TangentNode *from, double h,
                         TangentNode *to) {
    const int nv = s->nv, rows = s->m, each = m->f.jerk + 1, most = usable(m, from, h);
    const TangentNode *past = m->past;
    double *const motion[2] = {to->x.a, to->j}, *const forces[2] = {to->x.lambda, to->ld};
    const double *const accelerations[NODES][2] = {
        {from->x.a, from->j}, {past[0].x.a, past[0].j}, {past[1].x.a, past[1].j}};
    const double *const multipliers[NODES][2] = {
        {from->x.lambda, from->ld}, {past[0].x.lambda, past[0].ld}, {past[1].x.lambda, past[1].ld}};
    Combination by_nv = {accelerations, each, 0, {{0}}}, by_m = {multipliers, each, 0, {{0}}};
    Weights through[NODES]; // 1, 2, 3 ends
    tangent_predict_copy(to->x.w, from->x.w, s->nw);
    // both guesses are kept to be judged after the step
    m->guesses = most - 1;
    for (int count = 2; count <= most; count++) {
        find_weights(m, from->x.t, h, count, each, &through[count - 1]);
        want(&by_nv, &through[count - 1], 0, count, m->guess[count - 2]);
    }
    if (m->stiff && (m->from_old || m->has_back == 0 || m->predictor_error > 0.1)) {
        for (int d = 0; d < each; d++) {
            tangent_predict_copy(motion[d], accelerations[0][d], nv);
            tangent_predict_copy(forces[d], multipliers[0][d], rows);
        }
        tangent_predict_combine(s, nv, &by_nv);
        return;
    }
    const int count = most < 3 || m->guess_error[1] > m->guess_error[0] ? (most < 2 ? 1 : 2) : 3;
    if (count == 1)
        find_weights(m, from->x.t, h, 1, each, &through[0]);
    for (int d = 0; d < each; d++) {
        want(&by_nv, &through[count - 1], d, count, motion[d]);
        want(&by_m, &through[count - 1], d, count, forces[d]);
    }
    tangent_predict_combine(s, nv, &by_nv);
    tangent_predict_combine(s, rows, &by_m);
}

// q1 and v1 by the polynomial through (q, q') at the last ends: where forces are stiff, fast motion
// that hardly shows in q and v makes the accelerations a poor guide. q goes to m->q_hat, q' to
// m->qd.
int hol_tangent_predict_motion(HolSim *s, Tangent *m, const TangentNode *from, double h) {
    const int count = usable(m, from, h);
    if (count < 2)
        return 0;
    const HolProblem *p = s->p;
    const HolState *end[NODES] = {&from->x, &m->past[0].x, &m->past[1].x};
    double *const rate[NODES] = {m->qdd, m->dq, m->e};
    const double *const data[NODES][2] = {
        {end[0]->q, rate[0]}, {end[1]->q, rate[1]}, {end[2]->q, rate[2]}};
    Combination c = {data, 2, 0, {{0}}};
    Weights w;
    for (int i = 0; i < count; i++)
        p->qdot(p, s->work, end[i]->q, end[i]->v, rate[i]);
    find_weights(m, from->x.t, h, count, 2, &w);
    want(&c, &w, 0, count, m->q_hat);
    want(&c, &w, 1, count, m->qd);
    tangent_predict_combine(s, s->nq, &c);
    return 1;
}

// How far the extrapolated accelerations were off, as a part of the step's displacement.
void hol_tangent_rate_predictor(const HolSim *s, Tangent *m, double h, const TangentNode *to) {
    const double way = hol_norm_fast(s, to->x.v) + h * hol_norm_fast(s, to->x.a) + DBL_MIN;
    m->predictor_error = 1;
    for (int k = 0; k < TANGENT_PAST; k++) {
        m->guess_error[k] = k == 0 ? 1 : INFINITY;
        if (k >= m->guesses)
            continue;
        hol_sim_add(s, s->nv, m->guess[k], -1, to->x.a, m->v_guess);
        m->guess_error[k] = h * hol_norm_fast(s, m->v_guess) / way;
        // an end too young to have been judged is tried where the other did well
        m->predictor_error = fmin(m->predictor_error, m->guess_error[k]);
    }
    if (m->guesses == 1)
        m->guess_error[1] = m->has_back > 0 ? 0 : INFINITY;
}
