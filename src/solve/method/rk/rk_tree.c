// SPDX-License-Identifier: Apache-2.0
// rk3, rk4 with `projection: joints` (docs/theory/trees.md, section 8.2): the stages run in the
// joint coordinates x of a tree of hinges (HolTreeSeries), where nothing is to project. Bodies
// follow from x at the end of a step. Accelerations at the end are the first stage of the next step
// and, for rk4, the fifth one of the estimate: weights 1/6, 1/3, 1/3, 0, 1/6 are of order 3, and
// the error is h/6 (k_4 - k_5).
// Errors of joint coordinates are measured by the displacements of the bodies; a fixed step whose
// estimate is beyond all sense fails. Dense output: the quintic through x, x', x'' of both ends.
#include "solve/chart/chart.h"
#include "solve/constraint/project.h"
#include "solve/method/rk/rk.h"
#include "solve/run/error_test.h"

#include <math.h>
#include <string.h>

static const double SENSELESS = 0.1; // rad; a fixed step whose error of an angle is larger fails

typedef struct Point {
    double *x, *rate, *second;
} Point;

typedef struct RkTree {
    const HolRkTableau *table;
    const HolTreeSeries *t;
    void *memory;
    int n;                                               // of x
    Point before, now, next, stage;                      // ends of the last step, of this one
    double *rate[HOL_RK_STAGES], *second[HOL_RK_STAGES]; // of stages
    double *error_x, *error_rate;                        // estimates
} RkTree;

static Point new_point(HolSim *s, int n) {
    return (Point){HOL_NEW(&s->arena, double, n), HOL_NEW(&s->arena, double, n),
                   HOL_NEW(&s->arena, double, n)};
}

static const HolStepper steppers[2];

HolStatus hol_rk_tree_create(HolSim *s, const HolRkTableau *table, HolError *err) {
    const HolProblem *p = s->p;
    if (table != &hol_rk3 && table != &hol_rk4)
        return hol_error_set(
            err, HOL_ERR_INPUT,
            "method.projection joints is for rk3 and rk4: use taylor, which runs in "
            "the joints of trees, or projection full");
    if (s->o.method.metric[0])
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method.metric: projection joints projects nothing and takes none");
    HolStatus status = hol_tree_chart_needed(s, "method.projection joints", "full", err);
    if (status != HOL_OK)
        return status;
    RkTree *w = HOL_NEW(&s->arena, RkTree, 1);
    const int n = p->extras->n_tree + 1;
    if (!w)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->method = w;
    s->stepper = &steppers[table == &hol_rk4];
    w->table = table;
    w->t = p->extras->tree_series;
    w->n = p->extras->n_tree;
    w->before = new_point(s, n);
    w->now = new_point(s, n);
    w->next = new_point(s, n);
    w->stage = new_point(s, n);
    for (int i = 1; i < table->stages; i++) {
        w->rate[i] = HOL_NEW(&s->arena, double, n);
        w->second[i] = HOL_NEW(&s->arena, double, n);
    }
    w->error_x = HOL_NEW(&s->arena, double, n);
    w->error_rate = HOL_NEW(&s->arena, double, n);
    w->memory = hol_arena_alloc(&s->arena, w->t->size(p, 1));
    if (s->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    w->t->memory(p, s->work, w->memory, 1);
    return HOL_OK;
}

static HolStatus accelerate(HolSim *s, RkTree *w, double t, const double *x, const double *rate,
                            double *second, HolError *err) {
    if (!w->t->accelerate(s->p, w->memory, t, x, rate))
        return hol_tree_chart_without_inertia(t, err);
    w->t->begin(s->p, w->memory, NULL, NULL, second);
    s->stats.force_evaluations++;
    return hol_tree_chart_finite(s, second, HOL_ERR_CONVERGE, err);
}

static HolStatus rk_tree_start(HolSim *s, HolError *err) {
    RkTree *w = s->method;
    hol_tree_chart_begin(s, w->memory, w->now.x, w->now.rate);
    return accelerate(s, w, s->x.t, w->now.x, w->now.rate, w->now.second, err);
}

// out = start + h sum_i weight_i k_i; start NULL: zero
static void rk_tree_combine(int n, const double *start, double h, const double *weight,
                            double *const *stages, int count, double *out) {
    for (int k = 0; k < n; k++)
        out[k] = 0;
    for (int i = 0; i < count; i++) {
        const double c = h * weight[i], *stage = stages[i];
        for (int k = 0; c != 0 && k < n; k++)
            out[k] += c * stage[k];
    }
    for (int k = 0; start && k < n; k++)
        out[k] += start[k];
}

static HolStatus find_stages(HolSim *s, RkTree *w, double h, HolError *err) {
    const HolRkTableau *t = w->table;
    HolStatus status = HOL_OK;
    w->rate[0] = w->now.rate;
    w->second[0] = w->now.second;
    for (int i = 1; i < t->stages && status == HOL_OK; i++) {
        rk_tree_combine(w->n, w->now.x, h, t->a[i], w->rate, i, w->stage.x);
        rk_tree_combine(w->n, w->now.rate, h, t->a[i], w->second, i, w->rate[i]);
        status = accelerate(s, w, s->x.t + t->c[i] * h, w->stage.x, w->rate[i], w->second[i], err);
    }
    return status;
}

static void rk_tree_estimate(RkTree *w, double h) {
    const HolRkTableau *t = w->table;
    if (t != &hol_rk4) {
        rk_tree_combine(w->n, NULL, h, t->e, w->rate, t->stages, w->error_x);
        rk_tree_combine(w->n, NULL, h, t->e, w->second, t->stages, w->error_rate);
        return;
    }
    for (int k = 0; k < w->n; k++) {
        w->error_x[k] = h / 6 * (w->rate[3][k] - w->next.rate[k]);
        w->error_rate[k] = h / 6 * (w->second[3][k] - w->next.second[k]);
    }
}

// how far the bodies are off by the estimate: positions by that of x, velocities by that of x'
static double rk_tree_size_of(HolSim *s, RkTree *w) {
    double q[2], v[2];
    w->t->reach(s->p, w->memory, &s->test->body, w->error_x, w->error_rate, q, v);
    return hol_larger(q[0], v[1]);
}

static HolStatus rk_tree_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    RkTree *w = s->method;
    const HolRkTableau *t = w->table;
    HolStatus status = find_stages(s, w, h, err);
    if (status != HOL_OK)
        return status;
    rk_tree_combine(w->n, w->now.x, h, t->b, w->rate, t->stages, w->next.x);
    rk_tree_combine(w->n, w->now.rate, h, t->b, w->second, t->stages, w->next.rate);
    s->next.t = s->x.t + h;
    status = accelerate(s, w, s->next.t, w->next.x, w->next.rate, w->next.second, err);
    if (status != HOL_OK)
        return status;
    rk_tree_estimate(w, h);
    if (!(hol_largest(w->error_x, w->n) <= SENSELESS))
        return hol_error_set(err, HOL_ERR_CONVERGE,
                             "the error of the step is as large as the motion");
    result->exponent = t->exponent;
    hol_tree_chart_bodies(s, w->memory, w->next.x, w->next.rate, w->next.second, &s->next,
                          result->residual);
    result->has_residuals = 1;
    if (s->o.step > 0)
        return HOL_OK;
    hol_error_test_candidate(s, &s->next);
    result->error = rk_tree_size_of(s, w) / hol_error_limit(s, h, t->share);
    return HOL_OK;
}

static void rk_tree_accepted(HolSim *s) {
    RkTree *w = s->method;
    const Point old = w->before;
    w->before = w->now;
    w->now = w->next;
    w->next = old;
    hol_tree_chart_accepted(s, w->now.x, w->now.rate);
}

static void rk_tree_turns(HolSim *s, const HolState *end) {
    const RkTree *w = s->method;
    const Point *at = end == &s->prev ? &w->before : &w->now;
    if (s->stats.steps > 0)
        hol_tree_chart_turns(s, end->t, at->x, at->rate);
}

// p(u) = sum_j c_j u^j, u from 0 to 1, with p, p', p'' of both ends
static void rk_tree_dense(HolSim *s, double theta, HolState *out) {
    const RkTree *w = s->method;
    const double h = s->x.t - s->prev.t, u = theta;
    const Point *a = &w->before, *b = &w->now, *to = &w->stage;
    for (int k = 0; k < w->n; k++) {
        const double v0 = h * a->rate[k], v1 = h * b->rate[k], s0 = h * h * a->second[k],
                     s1 = h * h * b->second[k];
        const double rest = b->x[k] - a->x[k] - v0 - 0.5 * s0, slope = v1 - v0 - s0, bend = s1 - s0;
        const double c3 = 10 * rest - 4 * slope + 0.5 * bend, c4 = -15 * rest + 7 * slope - bend,
                     c5 = 6 * rest - 3 * slope + 0.5 * bend;
        to->x[k] = a->x[k] + u * (v0 + u * (0.5 * s0 + u * (c3 + u * (c4 + u * c5))));
        to->rate[k] = (v0 + u * (s0 + u * (3 * c3 + u * (4 * c4 + u * 5 * c5)))) / h;
        to->second[k] = (s0 + u * (6 * c3 + u * (12 * c4 + u * 20 * c5))) / (h * h);
    }
    hol_tree_chart_turns(s, s->prev.t + u * h, to->x, to->rate);
    double residual[3];
    hol_tree_chart_bodies(s, w->memory, to->x, to->rate, to->second, out, residual);
}

#define STEPPER(word)                                                                              \
    {                                                                                              \
        .name = word, .start = rk_tree_start, .step = rk_tree_step, .accepted = rk_tree_accepted,  \
        .dense = rk_tree_dense, .turns = rk_tree_turns, .adaptive = 1, .closes = 1,                \
        .quadrature = 3, .keep = rk_tree_keep                                                      \
    }

static void rk_tree_keep_point(const RkTree *w, Point *p, HolKeeper *k) {
    HOL_KEEP_ARRAY(k, p->x, w->n);
    HOL_KEEP_ARRAY(k, p->rate, w->n);
    HOL_KEEP_ARRAY(k, p->second, w->n);
}

static void rk_tree_keep(HolSim *s, HolKeeper *k) {
    RkTree *w = s->method;
    rk_tree_keep_point(w, &w->before, k);
    rk_tree_keep_point(w, &w->now, k);
    rk_tree_keep_point(w, &w->next, k);
    rk_tree_keep_point(w, &w->stage, k);
    for (int i = 0; i < HOL_RK_STAGES; i++) {
        HOL_KEEP_ARRAY(k, w->rate[i], w->n);
        HOL_KEEP_ARRAY(k, w->second[i], w->n);
    }
    w->t->keep(s->p, w->memory, k);
}

static const HolStepper steppers[2] = {STEPPER("rk3"), STEPPER("rk4")};
