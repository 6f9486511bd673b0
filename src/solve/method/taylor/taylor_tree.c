// SPDX-License-Identifier: Apache-2.0
// Method `taylor` for trees of hinges: the series of the joint coordinates x (HolTreeSeries;
// docs/theory/trees.md, section 8.1). There are no constraints to leave, nothing is factored but
// the joints' own inertia, and the bodies follow from x at the end of a step. Multipliers are
// computed for rows of results only. Errors of joint coordinates are measured by the displacements
// of the bodies: an error of the first joint moves all bodies that hang on it.
// Scheme `stable`: another sum of the coefficients (taylor_stable.h), of order 4, whose step is not
// limited by vibrations that hardly take part in the motion.
#include "solve/chart/chart.h"
#include "solve/constraint/project.h"
#include "solve/method/taylor/taylor.h"
#include "solve/method/taylor/taylor_stable.h"
#include "solve/run/error_test.h"

#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum { EVERY = 8, TRIES = 20 }; // stiffness is looked for in each such step; shorter attempts
static const double FIXED_TOLERANCE = 1e-13; // in place of a tolerance, with a fixed step
static const double SAFETY = 0.9;            // of the next step of the scheme `stable`,
static const double SHRINK = 0.3;            // its smallest
static const double STABLE_GROW = 1.5;       // and largest ratio to the last one
static const double GROW = 4;                // the next attempt, by the step that the series allows
static const double SENSELESS = 0.01;  // error of a fixed step that fails, of the mechanism's size
static const double ROUND_OFF = 1e-13; // differences of accelerations below say nothing

struct TaylorTree {
    const HolTreeSeries *t;
    int order;                               // P: the highest coefficient of x
    int done;                                // coefficients of x'' that the series at hand has
    int swapped;                             // the candidate's series was started
    double h;                                // step that the series allows
    TaylorTerms last;                        // its last four coefficients
    void *series, *other;                    // at hand; that of the last step
    double *x, *rate;                        // at s->x
    double *next, *next_rate, *second, *end; // of the candidate; x'' by the series there
    long slow;                               // steps far shorter than the slow motion would allow
    HolStableSum stable;                     // degree 0: the series itself
    double stable_h;                         // step to try with it
    int cut;                                 // the present one is shorter, to hit a time
};

TaylorTree *hol_taylor_tree_create(HolSim *s, int order, int stable) {
    const HolProblem *p = s->p;
    TaylorTree *w = HOL_NEW(&s->arena, TaylorTree, 1);
    const int n = p->extras->n_tree + 1;
    if (!w)
        return NULL;
    w->t = p->extras->tree_series;
    w->order = order;
    w->stable = hol_stable_sum(stable ? order - 2 : 0); // (accelerations have two terms less)
    if (stable)                                         // no coefficients but those the sum takes
        w->order = order = w->stable.degree + 2;
    double **vectors[] = {&w->x, &w->rate, &w->next, &w->next_rate, &w->second, &w->end};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = HOL_NEW(&s->arena, double, n);
    const size_t bytes = w->t->size(p, order - 1);
    w->series = hol_arena_alloc(&s->arena, bytes);
    w->other = hol_arena_alloc(&s->arena, bytes);
    if (s->arena.failed)
        return NULL;
    w->t->memory(p, s->work, w->series, order - 1);
    w->t->memory(p, s->work, w->other, order - 1);
    return w;
}

static HolStatus taylor_tree_begin(HolSim *s, TaylorTree *w, const double *x, const double *rate,
                                   double t, HolError *err) {
    if (!w->t->start(s->p, w->series, t, x, rate))
        return hol_tree_chart_without_inertia(t, err);
    w->t->order(s->p, w->series, 0);
    w->t->begin(s->p, w->series, NULL, NULL, w->second);
    s->stats.force_evaluations++;
    w->done = 1;
    return hol_tree_chart_finite(s, w->second, HOL_ERR_SINGULAR, err);
}

HolStatus hol_taylor_tree_start(HolSim *s, TaylorTree *w, HolError *err) {
    w->swapped = 0;
    w->stable_h = INFINITY;
    hol_tree_chart_begin(s, w->series, w->x, w->rate);
    w->t->sides(s->p, w->other, w->x, s->x.q);
    s->h = s->o.step > 0 ? s->o.step : INFINITY;
    return taylor_tree_begin(s, w, w->x, w->rate, s->x.t, err);
}

// the step that the last coefficients allow
static void allowed_step(HolSim *s, TaylorTree *w) {
    const TaylorLimit tol = {.step = s->o.step > 0 ? FIXED_TOLERANCE : s->o.tolerance};
    const int P = w->order;
    double q[4], v[4];
    w->t->sizes(s->p, w->series, &s->test->body, P - 3, q, v);
    w->last = hol_taylor_terms(s, q, v, P);
    w->h = hol_taylor_allowed(s, &w->last, P, &tol);
}

static void taylor_tree_complete_series(HolSim *s, TaylorTree *w) {
    for (; w->done < w->order - 1; w->done++) {
        w->t->order(s->p, w->series, w->done);
        s->stats.newton_iterations++;
    }
}

static void taylor_tree_watch_stiffness(HolSim *s, TaylorTree *w, double h) {
    double c[4], v[4];
    if (s->stats.steps % EVERY)
        return;
    w->t->sizes(s->p, w->series, &s->test->body, 2, c, v);
    hol_taylor_watch(s, c[0], c[2], h, EVERY, &w->slow);
}

// x, x', x'' of a series at h
static void taylor_tree_evaluate(const HolSim *s, const TaylorTree *w, const void *series,
                                 double h) {
    const double *weight = w->stable.degree ? w->stable.w : NULL;
    w->t->eval(s->p, series, w->order, h, weight, w->next, w->next_rate, w->end);
}

// step after one of h whose error was `off` times what is allowed, by a sum of order 4
static double next_stable(double h, double off) {
    return h * fmin(fmax(SAFETY * pow(off, -0.2), SHRINK), STABLE_GROW);
}

// A change of x by a sum of order 4 and the change of x' that it stands for, 5/h times as large,
// over what the step h may have.
static double over_limit(const HolSim *s, double h, double q, double v) {
    return fmax(q, 5 / h * v) / hol_error_limit(s, h, hol_taylor_share);
}

// *h as long as the stable sum allows
static HolStatus limit_stable(HolSim *s, TaylorTree *w, double *h, HolError *err) {
    if (s->o.step > 0)
        return HOL_OK;
    if (w->stable_h == INFINITY) { // the first step
        allowed_step(s, w);
        w->stable_h = 4 * w->h;
    }
    const double wanted = w->stable_h;
    double length = fmin(*h, wanted);
    w->cut = length < wanted;
    for (int n = 0; n < TRIES; n++) {
        double q[2], v[2];
        w->t->eval(s->p, w->series, w->order, length, w->stable.e, w->end, NULL, NULL);
        w->t->reach(s->p, w->series, &s->test->body, w->end, NULL, q, v);
        const double off = over_limit(s, length, q[0], v[0]);
        w->stable_h = next_stable(length, off);
        if (off <= 1) {
            if (w->cut)
                w->stable_h = fmax(w->stable_h, wanted);
            *h = length;
            return HOL_OK;
        }
        w->cut = 0;
        length = w->stable_h;
    }
    return hol_error_set(err, HOL_ERR_CONVERGE, "no step of the stable sum is accurate enough");
}

static void taylor_tree_swap(TaylorTree *w) {
    void *kept = w->series;
    w->series = w->other;
    w->other = kept;
}

typedef struct Candidate {
    HolSim *s;
    TaylorTree *w;
    double q[2], v[2]; // how far the difference of accelerations, w->end, moves bodies
} Candidate;

// the bodies, and what the difference means for them
static void taylor_tree_judge(Candidate *c, HolStepResult *result) {
    const HolTreeSeries *t = c->w->t;
    HolState *next = &c->s->next;
    hol_tree_chart_bodies(c->s, c->w->series, c->w->next, c->w->next_rate, c->w->second, next,
                          result->residual);
    hol_error_test_candidate(c->s, next);
    t->reach(c->s->p, c->w->series, &c->s->test->body, c->w->end, NULL, c->q, c->v);
}

// Error of a step h at whose end the accelerations are others than those of the series
static double series_error(const TaylorTree *w, double h, const Candidate *c,
                           HolStepResult *result) {
    result->h_next = GROW * w->h;
    result->exponent = 1.0 / w->order;
    return hol_taylor_judge(c->s, c->q[0], c->v[0], h, w->order, &w->last);
}

// (free vibrations leave none: what is found is what the series does not know of the motion)
static double stable_error(TaylorTree *w, double h, const Candidate *c, HolStepResult *result) {
    const double e = h * h / 20, off = fmax(c->q[0] * e, 5 / h * c->v[0] * e),
                 next = next_stable(h, over_limit(c->s, h, c->q[0] * e, c->v[0] * e));
    if (next < h || !w->cut)
        w->stable_h = fmin(w->stable_h, next);
    result->h_next = w->stable_h;
    result->exponent = 0.2;
    return off;
}

HolStatus hol_taylor_tree_step(HolSim *s, TaylorTree *w, double h, HolStepResult *result,
                               HolError *err) {
    const HolProblem *p = s->p;
    const int fixed = s->o.step > 0, n = p->extras->n_tree;
    if (w->swapped) { // the last candidate was rejected
        taylor_tree_swap(w);
        w->swapped = 0;
        w->done = w->order - 1;
    }
    // (errors of joints add up, and coefficients of bodies, which would be larger, are not at hand)
    taylor_tree_complete_series(s, w);
    HolStatus status = HOL_OK;
    if (w->stable.degree) {
        status = limit_stable(s, w, &h, err);
    } else {
        allowed_step(s, w);
        status = hol_taylor_limit(s, w->order, w->h, &h, err);
    }
    if (status != HOL_OK)
        return status;
    if (!w->stable.degree) // (whose steps are short because its order is low)
        taylor_tree_watch_stiffness(s, w, h);
    taylor_tree_evaluate(s, w, w->series, h);
    if (!isfinite(hol_largest(w->next, n)) || !isfinite(hol_largest(w->next_rate, n)))
        return hol_error_set(err, HOL_ERR_CONVERGE, "the Taylor series does not converge");
    if (p->has_power && !w->stable.degree) {
        result->work = w->t->work(p, w->series, w->order, h);
        result->has_work = 1;
    }
    taylor_tree_swap(w);
    w->swapped = 1;
    s->next.t = s->x.t + h;
    status = taylor_tree_begin(s, w, w->next, w->next_rate, s->next.t, err);
    if (status != HOL_OK)
        return status;
    // the accelerations of the series against the true ones
    for (int i = 0; i < n; i++)
        w->end[i] -= w->second[i];
    Candidate c = {.s = s, .w = w};
    taylor_tree_judge(&c, result);
    result->has_residuals = 1;
    result->h_used = h;
    const double off =
        w->stable.degree ? stable_error(w, h, &c, result) : series_error(w, h, &c, result);
    if (fixed && !(off <= SENSELESS))
        return hol_error_set(err, HOL_ERR_CONVERGE,
                             "the Taylor series of order %d does not converge over the step",
                             w->order);
    const double limit = fixed ? 0 : hol_error_limit(s, h, hol_taylor_share);
    if (!fixed && !(off <= limit) && !(off <= ROUND_OFF))
        result->error = off / limit;
    return HOL_OK;
}

void hol_taylor_tree_accepted(HolSim *s, TaylorTree *w) {
    double *x = w->x, *rate = w->rate;
    w->x = w->next;
    w->rate = w->next_rate;
    w->next = x;
    w->next_rate = rate;
    w->swapped = 0;
    hol_tree_chart_accepted(s, w->x, w->rate);
}

// (those of s->prev are at the start of the last series)
void hol_taylor_tree_turns(HolSim *s, TaylorTree *w, const HolState *end) {
    const double *x = w->x, *rate = w->rate;
    if (end == &s->prev) {
        w->t->begin(s->p, w->other, w->next, w->next_rate, NULL);
        x = w->next;
        rate = w->next_rate;
    }
    if (s->stats.steps > 0)
        hol_tree_chart_turns(s, end->t, x, rate);
}

double hol_taylor_tree_work(HolSim *s, TaylorTree *w, double h) {
    return w->stable.degree ? NAN : w->t->work(s->p, w->other, w->order, h);
}

void hol_taylor_tree_dense(HolSim *s, TaylorTree *w, double theta, HolState *out) {
    const double h = theta * (s->x.t - s->prev.t);
    taylor_tree_evaluate(s, w, w->other, h);
    // no line from the end of the step would find the turns
    hol_tree_chart_turns(s, s->prev.t + h, w->next, w->next_rate);
    double residual[3];
    hol_tree_chart_bodies(s, w->series, w->next, w->next_rate, w->end, out, residual);
}

void hol_taylor_tree_keep(HolSim *s, TaylorTree *w, HolKeeper *k) {
    const int n = s->p->extras->n_tree;
    double *by_joint[] = {w->x, w->rate, w->next, w->next_rate, w->second, w->end};
    for (size_t i = 0; i < sizeof by_joint / sizeof *by_joint; i++)
        HOL_KEEP_ARRAY(k, by_joint[i], n);
    HOL_KEEP(k, w->done);
    HOL_KEEP(k, w->swapped);
    HOL_KEEP(k, w->h);
    HOL_KEEP(k, w->last);
    HOL_KEEP(k, w->slow);
    HOL_KEEP(k, w->stable_h);
    HOL_KEEP(k, w->cut);
    w->t->keep(s->p, w->series, k);
    w->t->keep(s->p, w->other, k);
}
