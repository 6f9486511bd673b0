// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of the motion (docs/theory/series.md, section 8). With x = v, and all
// quantities as truncated power series about t, order k of the equations reads
//   [ M  G0^T ] [ a_k      ]   [ F_k - sum_{i=1..k} G_i^T lambda_{k-i}   ]
//   [ G0   0  ] [ lambda_k ] = [ -(k+1)(k+2) g_{k+2}  at v_{k+1} = 0     ]
// with a_k = (k+1) v_{k+1} and the same matrix for every k. Stage k knows q up to k+1 and v up to
// k; it builds a provisional order k+2 of the frames with v_{k+1} = 0, and jet_set adds the rest,
// which is linear in v_{k+1}:
//   plane  theta_{k+2} = omega_{k+1}/(k+2),  c += -theta_{k+2} s_0,  s += theta_{k+2} c_0
//   space  p_{k+2} += p_0 (0, omega_{k+1}) / (2(k+2)),  A_{k+2} += A_0 omega~_{k+1}/(k+2)
// A non-holonomic row beta.v = 0 gives  -(k+1) sum_{i=1..k+1} beta_i v_{k+1-i}.
// This file: memory of the series and their evaluation.
#include "model/problem/series.h"
#include "math/vec.h"
#include "model/batch/batch.h"

#include <math.h>
#include <string.h>

static int series_of(const HolModel *m) {
    return m->space == HOL_PLANAR ? HOL_SERIES_PLANE : HOL_SERIES_SPACE;
}

// ---- memory ----

// every expression with its own memory of series, in the order in which they are evaluated
static size_t expressions_size(const HolModel *m, int order) {
    size_t n = 0;
    for (int i = 0; i < m->sys.n_equations; i++) {
        const HolEquation *e = &m->sys.equations[i];
        for (int k = 0; e->law && k < e->law->n; k++)
            n += hol_jet_partial_work(e->law->factors[k].c, order);
        n += e->law ? hol_expr_jet_work(e->law->rest, order) : 0;
        if (!e->expr)
            continue;
        n += hol_expr_jet_work(e->expr, order);
        for (int k = 0; k < hol_expr_slot_count(e->expr); k++)
            n += e->partial[k] ? hol_jet_partial_work(e->partial[k], order) : 0;
    }
    for (int i = 0; i < m->sys.n_elements; i++)
        n += m->sys.elements[i].expr ? hol_expr_jet_work(m->sys.elements[i].expr, order) : 0;
    for (int i = 0; i < m->sys.nw; i++)
        n += hol_expr_jet_work(m->sys.implicit[i]->expr, order);
    return n;
}

static long bodies_slab(const HolModel *m) {
    return slab_of((long)m->batch.n_groups * series_of(m), series_of(m));
}

static long batch_slab(const HolModel *m) {
    return slab_of(m->batch.series, 7);
}

static size_t series_layout(const HolModel *m, HolModelWork *w, double *base, int order) {
    size_t L = (size_t)stride_of(order), at = 0;
#define CARVE(field, count)                                                                        \
    do {                                                                                           \
        if (w)                                                                                     \
            w->field = base + at;                                                                  \
        at += ((size_t)(count) + 7) / 8 * 8;                                                       \
    } while (0)
#define CARVE_LANES(field, count)                                                                  \
    do {                                                                                           \
        if (w)                                                                                     \
            w->field = base + at;                                                                  \
        at += ((size_t)(count) + 1) / 2 * 2 * HOL_LANES;                                           \
    } while (0)
    CARVE(jet.jets.leading, (size_t)(bodies_slab(m) * HOL_LANES) * L);
    CARVE(jet.lambda, (size_t)m->sys.n_lambda_series * L);
    CARVE(jet.w, (size_t)m->sys.nw * L);
    CARVE(jet.slot, (size_t)m->sys.n_active_slots * L);
    CARVE(jet.rows, (size_t)m->sys.jet_series * L);
    CARVE(jet.force, (size_t)m->sys.n_elements * L);
    CARVE(jet.beams, hol_beams_series_size(m, order));
    CARVE(jet.masses, hol_masses_series_size(m, order));
    CARVE(jet.expr, expressions_size(m, order + 2));
    CARVE_LANES(jet.batch, (size_t)batch_slab(m) * L);
    CARVE(jet.moments, hol_jet_moments_size(m));
    CARVE(jet.orders, (size_t)m->sys.n_equations * (size_t)(order + 1));
#undef CARVE
#undef CARVE_LANES
    return at * sizeof(double);
}

size_t hol_jets_size(const HolModel *m, int order) {
    return series_layout(m, NULL, NULL, order);
}

void hol_jets_memory(const HolModel *m, HolModelWork *w, void *memory, int order) {
    series_layout(m, w, memory, order);
    memset(memory, 0, hol_jets_size(m, order));
    HolJets *J = &w->jet.jets;
    J->turning = J->leading + (long)m->batch.n_groups * HOL_LEADING * HOL_LANES;
    J->slab = bodies_slab(m);
    J->stride = stride_of(order);
    J->series = series_of(m);
    J->order = order;
    w->jet.batch_slab = batch_slab(m);
    // frames that never move: ground, and the axes of point masses
    for (int i = 0; i < m->batch.n_groups * HOL_LANES; i++)
        *hol_jet(J, i, m->space == HOL_PLANAR ? HOL_S_COS : HOL_S_P, 0) = 1;
}

// ---- evaluation ----

static inline double horner(const double *c, int n, double h) {
    double s = c[n];
    for (int i = n - 1; i >= 0; i--)
        s = s * h + c[i];
    return s;
}

// x and its first and second derivatives; orders are `slab` apart
HOL_INLINE HolLanes horner_lanes(const HolLanes *x, long slab, int n, double h) {
    HolLanes s = x[n * slab];
    for (int i = n - 1; i >= 0; i--)
        s = s * h + x[i * slab];
    return s;
}

HOL_INLINE HolLanes horner1_lanes(const HolLanes *x, long slab, int n, double h) {
    HolLanes s = (double)n * x[n * slab];
    for (int i = n - 1; i >= 1; i--)
        s = s * h + (double)i * x[i * slab];
    return s;
}

HOL_INLINE HolLanes horner2_lanes(const HolLanes *x, long slab, int n, double h) {
    HolLanes s = (double)(n * (n - 1)) * x[n * slab];
    for (int i = n - 1; i >= 2; i--)
        s = s * h + (double)(i * (i - 1)) * x[i * slab];
    return s;
}

typedef struct Evaluation {
    const HolModel *m;
    HolModelWork *w;
    int k;
    double h, *q, *v, *a, *lambda;
} Evaluation;

HOL_INLINE void eval_turning(const Evaluation *e, int g, int (*place)[HOL_LANES]) {
    const HolJets *J = &e->w->jet.jets;
    const HolLanes *x = hol_jet_turning(J, g, 0) - HOL_LEADING;
    for (int c = 0; c < 3; c++) {
        if (e->v)
            lanes_place(e->v, place[3 + c],
                        horner_lanes(x + HOL_S_OMEGA + c, J->slab, e->k + 1, e->h));
        if (e->a)
            lanes_place(e->a, place[3 + c],
                        horner1_lanes(x + HOL_S_OMEGA + c, J->slab, e->k + 1, e->h));
    }
    HolLanes p[4];
    for (int c = 0; e->q && c < 4; c++)
        p[c] = horner_lanes(x + HOL_S_P + c, J->slab, e->k + 2, e->h);
    for (int l = 0; e->q && l < HOL_LANES; l++)
        if (place[3][l] >= 0)
            q_store(e->q + e->m->batch.bodies->start[g][l] + 3,
                    q_normalize((Quat){p[0][l], p[1][l], p[2][l], p[3][l]}));
}

HOL_WIDE static void eval_bodies(const Evaluation *e, int first, int end) {
    const HolModel *m = e->m;
    const HolJets *J = &e->w->jet.jets;
    int n = e->k + 2, dim = dim_of(m);
    for (int g = first; g < end; g++) {
        int(*place)[HOL_LANES] = m->batch.bodies->place + dim * g;
        const HolLanes *x = hol_jet_leading(J, g, 0);
        for (int c = 0; c < 3; c++) { // x, y, theta or x, y, z
            if (e->q) {
                HolLanes value = horner_lanes(x + c, J->slab, n, e->h);
                for (int l = 0; l < HOL_LANES; l++)
                    if (place[c][l] >= 0)
                        e->q[m->batch.bodies->start[g][l] + c] = value[l];
            }
            if (e->v)
                lanes_place(e->v, place[c], horner1_lanes(x + c, J->slab, n, e->h));
            if (e->a)
                lanes_place(e->a, place[c], horner2_lanes(x + c, J->slab, n, e->h));
        }
        if (m->space == HOL_SPATIAL)
            eval_turning(e, g, place);
    }
}

static void eval_multipliers(const Evaluation *e, int first, int end) {
    int n = e->m->sys.n_equations;
    const double *orders = e->w->jet.orders;
    memcpy(e->lambda + first, orders + (long)e->k * n + first,
           sizeof(double) * (size_t)(end - first));
    for (int j = e->k - 1; j >= 0; j--)
        for (int i = first; i < end; i++)
            e->lambda[i] = e->lambda[i] * e->h + orders[(long)j * n + i];
}

static void eval_part(void *context, int part) {
    const Evaluation *e = context;
    const int *equations = e->m->batch.equation_part + part;
    eval_bodies(e, e->m->batch.group_part[part], e->m->batch.group_part[part + 1]);
    if (e->lambda && equations[1] > equations[0])
        eval_multipliers(e, equations[0], equations[1]);
}

static void jet_eval(const HolProblem *p, void *work, int k, double h, double *q, double *v,
                     double *a, double *lambda, double *vars) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    int L = w->jet.jets.stride;
    Evaluation e = {m, w, k, h, q, v, a, lambda};
    hol_pool_run(w->pool, m->batch.parts, eval_part, &e);
    for (int i = 0; vars && i < m->sys.nw; i++)
        vars[i] = horner(w->jet.w + (long)i * L, k, h);
}

// Largest of some orders over the scales of positions and of velocities (those of velocities, of
// one order less, without the factor k: q_k for k q_k)
typedef struct Sizes {
    double q[5], v[5];
} Sizes;

// of two; NaN stays
static double series_larger(double a, double b) {
    return a >= b || a != a ? a : b;
}

HOL_INLINE double largest_lane(HolLanes x) {
    return series_larger(series_larger(x[0], x[1]), series_larger(x[2], x[3]));
}

HOL_INLINE HolLanes lanes_at(const double *x, int group) {
    HolLanes a;
    memcpy(&a, x + (long)HOL_LANES * group, sizeof a);
    return a;
}

HOL_WIDE static void add_sizes(const HolModel *m, const HolJets *J, const HolBodyScales *scale,
                               int order, int first, int end, double out[2]) {
    const int space = m->space == HOL_SPATIAL;
    HolLanes q = {0}, v = {0};
    for (int g = first; g < end; g++) {
        const HolLanes *x = hol_jet_leading(J, g, order);
        HolLanes way = lanes_larger(lanes_abs(x[0]), lanes_abs(x[1])), turn = lanes_abs(x[2]);
        if (space) {
            const HolLanes *p = hol_jet_turning(J, g, order) + HOL_S_P - HOL_LEADING,
                           *omega = hol_jet_turning(J, g, order - 1) + HOL_S_OMEGA - HOL_LEADING;
            way = lanes_larger(way, turn);
            turn = lanes_larger(lanes_larger(lanes_abs(p[0]), lanes_abs(p[1])),
                                lanes_larger(lanes_abs(p[2]), lanes_abs(p[3])));
            turn += turn;
            HolLanes rate = {0};
            for (int c = 0; c < 3; c++)
                rate = lanes_larger(rate, lanes_abs(omega[c]) * lanes_at(scale->turning[c], g));
            v = lanes_larger(v, rate / order);
        } else {
            v = lanes_larger(v, turn * lanes_at(scale->rate, g));
        }
        q = lanes_larger(
            q, lanes_larger(way * lanes_at(scale->place, g), turn * lanes_at(scale->angle, g)));
        v = lanes_larger(v, way * lanes_at(scale->speed, g));
    }
    out[0] = largest_lane(q);
    out[1] = largest_lane(v);
}

typedef struct Norm {
    const HolModel *m;
    const HolModelWork *w;
    const HolBodyScales *scale;
    int first, n;
    Sizes most[HOL_JET_PARTS];
} Norm;

static void norm_part(void *context, int part) {
    Norm *n = context;
    for (int j = 0; j < n->n; j++) {
        double out[2];
        add_sizes(n->m, &n->w->jet.jets, n->scale, n->first + j, n->m->batch.group_part[part],
                  n->m->batch.group_part[part + 1], out);
        n->most[part].q[j] = out[0];
        n->most[part].v[j] = out[1];
    }
}

static void jet_sizes(const HolProblem *p, void *work, const HolBodyScales *scale, int first,
                      int count, double *q, double *v) {
    const HolModel *m = p->user;
    const HolModelWork *w = work;
    Norm n = {.m = m, .w = w, .scale = scale, .first = first, .n = count};
    hol_pool_run(w->pool, m->batch.parts, norm_part, &n);
    for (int j = 0; j < count; j++) {
        q[j] = n.most[0].q[j];
        v[j] = n.most[0].v[j];
        for (int part = 1; part < m->batch.parts; part++) {
            q[j] = series_larger(n.most[part].q[j], q[j]);
            v[j] = series_larger(n.most[part].v[j], v[j]);
        }
    }
}

// integral of sum_e E_e (beta_e . v) over [0,h], E_e without its conservative part
static double jet_work(const HolProblem *p, void *work, int k, double h) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    double sum = hol_springs_jet_work(m, &w->jet.jets, k, h);
    if (m->beams.n)
        sum += hol_beams_series_work(m, &w->jet.jets, w->jet.beams, k, h);
    if (m->masses.damped)
        sum += hol_masses_series_work(m, &w->jet.jets, k, h);
    for (int l = 0; l < m->batch.n_loads; l++) {
        const int i = m->batch.loads[l];
        const HolElement *e = &m->sys.elements[i];
        const HolRow *r = &m->sys.rows[e->row], *o = &m->sys.rows[e->other];
        const double *E = w->jet.force + (long)i * w->jet.jets.stride;
        double rate[64], rest[64], power = h;
        if ((!e->expr && e->c == 0) || hol_is_state_rate(e))
            continue;
        for (int j = 0; j <= k; j++) {
            rate[j] = hol_jet_velocity_row(m, w, r, 0, j);
            rest[j] =
                E[j] + (e->k != 0 ? e->k * (value_series(w, o)[j] - (j == 0 ? e->s0 : 0)) : 0);
        }
        for (int j = 0; j <= k; j++, power *= h)
            sum += hol_conv(rest, rate, j) * power / (j + 1);
    }
    return sum;
}

static size_t jet_size(const HolProblem *p, int order) {
    return hol_jets_size(p->user, order);
}

static void jet_memory(const HolProblem *p, void *work, void *memory, int order) {
    hol_jets_memory(p->user, work, memory, order);
}

static void jet_swap(const HolProblem *p, void *work) {
    HolModelWork *w = work;
    HolJetMemory keep = w->jet;
    (void)p;
    w->jet = w->other;
    w->other = keep;
}

void hol_jets_functions(HolModel *m) {
    if (m->def.n_functions || m->touch.n_crowds) // (of which no series are known)
        return;
    // driven constraints do work too, and forces of w lack their last order: by quadrature
    int driven = m->sys.nw > 0;
    for (int i = 0; i < m->sys.n_equations; i++)
        driven |= m->sys.equations[i].expr || m->sys.equations[i].law;
    m->extras.series_work = m->sys.has_power && !driven ? jet_work : NULL;
    m->extras.series_swap = jet_swap;
    m->extras.series_max = HOL_JET_DEFAULT;
    m->extras.series_size = jet_size;
    m->extras.series_memory = jet_memory;
    m->extras.series_start = hol_jet_start;
    m->extras.series_rhs = hol_jet_rhs;
    m->extras.series_set = hol_jet_set;
    m->extras.series_eval = jet_eval;
    m->extras.series_sizes = jet_sizes;
}
