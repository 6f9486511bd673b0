// SPDX-License-Identifier: Apache-2.0
// ab4, ab5: Adams-Bashforth of order 4 and 5 on the index-1 equations with projection, fixed step;
// there to be compared with (docs/methods/adams.md).
//
//   y1 = y + h sum b_j y'_{n-j},  y = (q, v), y' = (T(q) v, a),  a from [M G^T; G 0] [a; lambda] = ..
//   b = (55, -59, 37, -9)/24,     (1901, -2774, 2616, -1274, 251)/720
// One evaluation of the accelerations a step. The first steps, and those behind a change of the step
// or a kink, are classical Runge-Kutta steps. After each step positions and velocities are put onto
// the constraints (projection: none leaves them).
// Stable for omega h < 0.43 (ab4) without damping; ab5 grows for every step there.
#include "solve/constraint/project.h"
#include "solve/constraint/rk_stages.h"
#include "solve/linear/step_map.h"
#include "solve/method_options.h"

#include <math.h>
#include <string.h>

enum { ADAMS_MOST = 5 };
static const double SAME_STEP = 1e-9; // relative difference of steps that count as equal

static const double adams_weights[2][ADAMS_MOST] = {
    {55. / 24, -59. / 24, 37. / 24, -9. / 24, 0},
    {1901. / 720, -2774. / 720, 2616. / 720, -1274. / 720, 251. / 720}};

typedef struct Adams {
    int order;
    int project;
    HolRkWork past; // y' of the last points, newest first
    HolRkWork rk;   // of the first steps
    int known;      // points of equal distance
    double h, t;    // that distance, time of the newest
} Adams;

static HolStatus adams_create(HolSim *s, int order, HolError *err) {
    Adams *m = HOL_NEW(&s->arena, Adams, 1);
    if (!m)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!(s->o.step > 0))
        return hol_error_set(err, HOL_ERR_INPUT, "method %s needs a fixed step", s->stepper->name);
    s->method = m;
    m->order = order;
    m->project = strcmp(s->o.method.projection, "none") != 0;
    hol_rk_create(s, &m->past, ADAMS_MOST);
    hol_rk_create(s, &m->rk, 4);
    return s->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

static HolStatus adams_create4(HolSim *s, HolError *err) {
    return adams_create(s, 4, err);
}

static HolStatus adams_create5(HolSim *s, HolError *err) {
    return adams_create(s, 5, err);
}

static HolStatus adams_start(HolSim *s, HolError *err) {
    Adams *m = s->method;
    (void)err;
    m->known = 0;
    return HOL_OK;
}

// y' at s->x in front of the others
static void adams_remember(HolSim *s, double h) {
    Adams *m = s->method;
    if (m->known > 0 && m->t == s->x.t && fabs(h / m->h - 1) <= SAME_STEP)
        return; // a second attempt
    if (m->known > 0 && (fabs(h / m->h - 1) > SAME_STEP || m->t == s->x.t ||
                         fabs((s->x.t - m->t) / m->h - 1) > 1e-6))
        m->known = 0;
    double *q = m->past.kq[ADAMS_MOST - 1], *v = m->past.kv[ADAMS_MOST - 1];
    for (int i = ADAMS_MOST - 1; i > 0; i--) {
        m->past.kq[i] = m->past.kq[i - 1];
        m->past.kv[i] = m->past.kv[i - 1];
        m->past.power[i] = m->past.power[i - 1];
    }
    m->past.kq[0] = q;
    m->past.kv[0] = v;
    hol_rk_first(s, &m->past, &s->x);
    m->known = m->known < ADAMS_MOST ? m->known + 1 : ADAMS_MOST;
    m->h = h;
    m->t = s->x.t;
}

static HolStatus adams_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    Adams *m = s->method;
    HolState *x = &s->next;
    const int start = (adams_remember(s, h), m->known < m->order);
    const HolRkWork *w = start ? &m->rk : &m->past;
    const double *b = start ? hol_rk4.b : adams_weights[m->order - 4];
    const int terms = start ? hol_rk4.stages : m->order;
    HolStatus status = HOL_OK;
    if (start) {
        hol_rk_first(s, &m->rk, &s->x);
        status = hol_rk_stages(s, &m->rk, &hol_rk4, &s->x, h, 1, hol_rk4.stages, err);
    }
    if (status != HOL_OK)
        return status;
    x->t = s->x.t + h;
    hol_rk_combine(s, w, &s->x, h, b, terms, x);
    if (s->nw)
        memcpy(x->w, s->x.w, (size_t)s->nw * sizeof *x->w);
    result->has_work = 1;
    result->work = 0;
    for (int i = 0; i < terms; i++)
        result->work += h * b[i] * w->power[i];
    if (s->m && m->project) {
        status = hol_project_position(s, x->t, x->q, 1, err);
        if (status == HOL_OK)
            status = hol_project_velocity(s, x->t, x->q, x->v, err);
    }
    return status == HOL_OK ? hol_accelerate(s, x, s->m && m->project, err) : status;
}

static void adams_keep(HolSim *s, HolKeeper *k) {
    Adams *m = s->method;
    hol_rk_keep(s, &m->past, k);
    hol_rk_keep(s, &m->rk, k);
    HOL_KEEP(k, m->known);
    HOL_KEEP(k, m->h);
    HOL_KEEP(k, m->t);
}

static void adams_map(int order, HolStepMap *out) {
    out->kind = HOL_MAP_ADAMS;
    out->order = order;
    memcpy(out->num, adams_weights[order - 4], sizeof adams_weights[0]);
}

static void adams_map4(const HolMethodOptions *o, HolStepMap *out) {
    (void)o;
    adams_map(4, out);
}

static void adams_map5(const HolMethodOptions *o, HolStepMap *out) {
    (void)o;
    adams_map(5, out);
}

static const HolWord projection_words[] = {{"none", 0, NULL}, {"full", 0, NULL}, {0}};

static const HolField adams_options[] = {
    {HOL_OPTION_WORD(projection), .words = projection_words, .fallback = "full",
     .help = "constraint levels restored after each step"},
    {0},
};

const HolStepper hol_stepper_ab4 = {
    .name = "ab4",
    .help = "Adams-Bashforth of order 4 on the index-1 equations, with projection; to compare",
    .options = adams_options,
    .create = adams_create4,
    .start = adams_start,
    .step = adams_step,
    .keep = adams_keep,
    .over_kinks = 1,
    .closes = 1,
    .map = adams_map4,
};

const HolStepper hol_stepper_ab5 = {
    .name = "ab5",
    .help = "Adams-Bashforth of order 5 on the index-1 equations, with projection; to compare",
    .options = adams_options,
    .create = adams_create5,
    .start = adams_start,
    .step = adams_step,
    .keep = adams_keep,
    .over_kinks = 1,
    .closes = 1,
    .map = adams_map5,
};
