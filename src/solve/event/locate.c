// SPDX-License-Identifier: Apache-2.0
// Where in a step does a watch become zero first? The locator (zeros.c) finds it on the candidate's dense
// output; the step is repeated so that it ends there (steps.c), because the state at an event is the
// method's, not the interpolant's.
#include "math/zero/zeros.h"
#include "solve/constraint/project.h"
#include "solve/event/impact.h"
#include "solve/event/share.h"
#include "solve/event/transition.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE = HOL_ZERO_NODES - 1, HALVINGS = 10 };
static const double ROUND = 64 * DBL_EPSILON; // of the sizes that a watch is made of
static const double BENT = 1e-6;              // of a watch's range: its polynomial is not it
static const double WRONG = 1000;             // noises below zero: the mode does not hold
static const double VAGUE = 1e-6;             // of the reactions: a series that misses them
static const double OFF = 8;                  // as far off as five samples show, a parabola may be
static const double DEPARTS = 1e-13;          // of its size in the span: a speed
static const double AT_ONCE = 1e-9;           // of a step: as good as its start
static const double UNFIT = 1e-3;             // of a step: where a mode that never held ends
static const double LEAVES = 1e-12;           // of a step: from there on a watch may have left zero
static const double SHORTEST = 1e-13,
                    LONGEST = 1e-3; // of the span: times to see where a watch goes
static const double ZERO = 4;       // noises: values at the ends of a step that are zero

// ---- creation ----

int hol_events_create(HolSim *s) {
    const HolNonsmooth *ns = s->p->extras->nonsmooth;
    HolArena *a = &s->arena;
    if (!ns)
        return 1;
    HolEvents *e = HOL_NEW(a, HolEvents, 1);
    if (!e)
        return 0;
    e->ns = ns;
    e->n = ns->n_watches;
    hol_state_alloc(s, &e->at);
    hol_state_alloc(s, &e->left);
    e->wanted = HOL_NEW(a, unsigned char, e->n + 1);
    e->some = HOL_NEW(a, unsigned char, e->n + 1);
    e->fired = HOL_NEW(a, unsigned char, e->n + 1);
    e->across = HOL_NEW(a, unsigned char, e->n + 1);
    e->order = HOL_NEW(a, int, e->n + 1);
    e->below = HOL_NEW(a, unsigned char, e->n + 1);
    e->noise = HOL_NEW(a, double, e->n + 1);
    e->sample = HOL_NEW(a, double, (e->n + 1) * HOL_ZERO_NODES);
    e->check = HOL_NEW(a, double, (e->n + 1) * HOL_ZERO_CHECKS);
    e->way = HOL_NEW(a, int, e->n + 1);
    e->first = HOL_NEW(a, double, e->n + 1);
    e->values = HOL_NEW(a, double, e->n + 1);
    e->size = HOL_NEW(a, double, e->n + 1);
    e->last = HOL_NEW(a, double, e->n + 1);
    e->turned = HOL_NEW(a, int, e->n + 1);
    const int elements = ns->n_supports + ns->n_grips;
    e->rows = ns->n_supports;
    for (int i = 0; i < ns->n_grips; i++)
        e->rows += ns->grips[i].rows;
    const int extra = 8; // rows of velocities that an event resets
    e->C = HOL_NEW(a, double, (e->rows + extra) * s->nv + 1);
    e->Y = HOL_NEW(a, double, (e->rows + extra) * (s->nv + s->m + s->nw) + 1);
    e->W = HOL_NEW(a, double, (e->rows + extra) * (e->rows + extra) + 1);
    e->system = HOL_NEW(a, double, (e->rows + extra + 1) * (e->rows + extra + 1) + 1);
    e->parties = HOL_NEW(a, HolImpactContact, ns->n_supports + 1);
    e->unknown = HOL_NEW(a, int, e->rows + 1);
    e->impact = HOL_NEW(a, double, 8 * (e->rows + 1));
    e->pads = HOL_NEW(a, HolPadState, 2 * ns->n_pads + 1);
    e->pads_now = e->pads + ns->n_pads;
    e->pad_impulse = HOL_NEW(a, double, 2 * ns->n_pads + 1);
    e->pad_loss = e->pad_impulse + ns->n_pads;
    e->u = HOL_NEW(a, double, e->rows + extra + 1);
    e->P = HOL_NEW(a, double, e->rows + extra + 1);
    e->v = HOL_NEW(a, double, s->nv + 1);
    e->u_before = HOL_NEW(a, double, e->rows + 1);
    e->speed_noise = HOL_NEW(a, double, e->rows + 1);
    e->free_speed = HOL_NEW(a, double, ns->n_supports + 1);
    e->fall = HOL_NEW(a, double, ns->n_supports + 1);
    e->old_mode = HOL_NEW(a, int, elements + 1);
    e->mode = HOL_NEW(a, int, elements + 1);
    e->free_to = HOL_NEW(a, unsigned char, elements + 1);
    e->barred = HOL_NEW(a, unsigned char, elements + 1);
    e->touched = HOL_NEW(a, unsigned char, elements + 1);
    e->passed = HOL_NEW(a, unsigned char, ns->n_supports + 1);
    e->tried = HOL_NEW(a, int, 64 * (elements + 1));
    const int most = elements + ns->n_pads + 4 * ns->n_events; // that change at one time
    e->room_log = 64 + 4 * (most < 1000 ? most : 1000);
    e->log = HOL_NEW(a, HolEvent, e->room_log);
    e->lean = HOL_NEW(a, double, HOL_SLIP_ROWS * ns->n_grips + 1);
    e->lean_rate = HOL_NEW(a, double, ns->n_grips + 1);
    e->excess = HOL_NEW(a, double, ns->n_grips + 1);
    e->late = HOL_NEW(a, double, ns->n_grips + 1);
    e->rest = HOL_NEW(a, double, s->nv + 1);
    e->stop = HOL_NEW(a, double, ns->n_grips + 1);
    e->every = HOL_NEW(a, long, ns->n_events + 1);
    e->fires = HOL_NEW(a, long, ns->n_events + 1);
    e->clock = HOL_NEW(a, double *, ns->n_events + 1);
    e->n_clock = HOL_NEW(a, int, ns->n_events + 1);
    if (a->failed)
        return 0;
    e->reactions = HOL_NEW(a, double, s->m + 1);
    e->jump = HOL_NEW(a, double, s->m + 1);
    e->impulse = HOL_NEW(a, double, HOL_IMPULSE_PARTS * ns->n_impulses + 1);
    e->impulse_of = HOL_NEW(a, int, ns->n_impulses + 1);
    e->departs = HOL_NEW(a, int, ns->n_grips + 1);
    s->events = e;
    if (a->failed || !hol_share_create(s))
        return 0;
    hol_zero_basis(&e->basis);
    e->next_time = INFINITY;
    e->primary = e->wedge = e->endless = -1;
    e->left.t = NAN;
    e->last_time = e->sampled_from = e->sampled_to = -INFINITY;
    return 1;
}

// ---- which watches count, and what is zero ----

int hol_events_stick(const HolSim *s) {
    const HolEvents *e = s->events;
    for (int i = 0; e && i < e->ns->n_grips; i++)
        if (e->ns->grip_mode(s->p, s->work, i) == HOL_STICK)
            return 1;
    return 0;
}

int hol_grip_driven(const HolEvents *e, int grip) {
    return e->ns->grips[grip].driven || e->share->driven[grip];
}

// a driven grip at rest: its watch tells where it goes
static int waits(const HolSim *s, int grip) {
    const HolEvents *e = s->events;
    const int support = e->ns->grips[grip].support;
    return hol_grip_driven(e, grip) && e->ns->grip_mode(s->p, s->work, grip) == HOL_FREE &&
           (support < 0 || e->ns->support_mode(s->p, s->work, support) == HOL_CLOSED);
}

void hol_events_want(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    for (int i = 0; i < e->n; i++) {
        const HolWatch *w = &ns->watches[i];
        int on = 1;
        if (w->kind == HOL_WATCH_GAP || w->kind == HOL_WATCH_FORCE)
            on = ns->support_mode(s->p, s->work, w->of) == (w->kind == HOL_WATCH_FORCE) &&
                 !(w->kind == HOL_WATCH_GAP && hol_piece_idle(s, w->of));
        else if (w->kind == HOL_WATCH_REACH)
            on = ns->support_mode(s->p, s->work, w->of) == HOL_CLOSED;
        else if (w->kind == HOL_WATCH_SLIP)
            on = abs(ns->grip_mode(s->p, s->work, w->of)) == HOL_SLIP || waits(s, w->of);
        else if (w->kind == HOL_WATCH_CONE)
            on = ns->grip_mode(s->p, s->work, w->of) == HOL_STICK;
        else if (w->kind == HOL_WATCH_EVENT)
            on = !hol_is_clock(s, w->of);
        e->wanted[i] = (unsigned char)on;
    }
}

double hol_event_row_size(const HolSim *s, const double *c) {
    double sum = 0;
    for (int i = 0; i < s->nv; i++)
        sum += fabs(c[i]) * s->reach[i];
    return sum;
}

void hol_events_noise(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    const double rate = s->test->most / s->test->length;
    const double forces = s->m ? hol_max_abs(s->x.lambda, s->m) : 0;
    for (int i = 0; i < e->n; i++) {
        const HolWatch *w = &ns->watches[i];
        HolClosedRow row;
        switch (w->kind) {
        case HOL_WATCH_GAP:
        case HOL_WATCH_REACH:
            ns->closed_row(s->p, s->work, HOL_AT(&s->x), ns->supports[w->of].row, e->v, &row);
            e->noise[i] = ROUND * s->test->grain * hol_event_row_size(s, e->v);
            break;
        case HOL_WATCH_SLIP:
            ns->closed_row(s->p, s->work, HOL_AT(&s->x), ns->grips[w->of].row, e->v, &row);
            e->noise[i] = ROUND * rate * hol_event_row_size(s, e->v);
            break;
        case HOL_WATCH_EVENT:
            e->noise[i] = ROUND * e->size[i];
            break;
        default:
            e->noise[i] = ROUND * forces;
        }
    }
}

// ---- values inside the candidate ----

// e->at: the state at a part of the step from s->x to s->next; reactions: of the equations there
static const HolState *events_state(HolSim *s, double theta, int reactions) {
    HolState *x = &s->events->at;
    x->bare = 0;
    if (theta <= 0)
        hol_state_copy(s, x, &s->x);
    else if (theta >= 1)
        hol_state_copy(s, x, &s->next);
    else if (s->stepper->inside)
        s->stepper->inside(s, theta, x);
    else
        hol_between(s, &s->x, &s->next, theta, x);
    x->t = s->x.t + theta * (s->next.t - s->x.t);
    const int ends = theta <= 0 || theta >= 1;
    const int own = s->stepper->inside_reactions && !s->events->vague;
    if (reactions && (x->bare || (ends ? s->stepper->rings : !own)))
        hol_report_anew(s, x, !ends);
    if (reactions)
        hol_share_state(s, x);
    return x;
}

const HolState *hol_event_state(HolSim *s, double theta) {
    return events_state(s, theta, 0);
}

static void sample_at(HolSim *s, double theta, int reactions, const unsigned char *wanted,
                      double *values) {
    const HolState *x = events_state(s, theta, reactions);
    s->events->ns->watch(s->p, s->work, HOL_AT(x), wanted, values);
}

// A series of the motion may be fine where that of the reactions is not: nothing moves, and loads
// change. 1: it does not lead to those at the end of the step
static int series_are_vague(HolSim *s) {
    HolEvents *e = s->events;
    double *end = e->reactions, off = 0;
    if (!s->stepper->inside_reactions || !s->m)
        return 0;
    memcpy(end, events_state(s, 1, 1)->lambda, sizeof *end * (size_t)s->m);
    s->stepper->inside(s, 1, &e->at);
    for (int i = 0; i < s->m; i++)
        off = fmax(off, fabs(e->at.lambda[i] - end[i]));
    return !(off <= VAGUE * hol_max_abs(end, s->m));
}

// value at node j of the parabola through the watch at the ends and in the middle
static double parabola(const HolEvents *e, int i, int j) {
    const int n = e->n;
    const double a = e->sample[i], b = e->sample[4 * n + i], c = e->sample[DEGREE * n + i],
                 x = e->basis.node[j];
    return a * (1 - x) * (1 - 2 * x) + b * 4 * x * (1 - x) + c * x * (2 * x - 1);
}

// does a watch of reactions come near zero, for what five samples and a parabola say?
static int comes_near(const HolEvents *e, int i) {
    double low = INFINITY, high = -INFINITY, off = 0;
    for (int j = 0; j < HOL_ZERO_NODES; j += 2) {
        const double y = e->sample[j * e->n + i];
        low = fmin(low, y);
        high = fmax(high, y);
        off = j % 4 ? fmax(off, fabs(y - parabola(e, i, j))) : off;
    }
    return !(low > high - low + OFF * off);
}

// samples of all watches at all nodes; those of reactions only where they come near zero
static void sample_all(HolSim *s) {
    HolEvents *e = s->events;
    const int n = e->n;
    int near = 0, any = 0;
    for (int i = 0; i < n; i++)
        any |= e->wanted[i] && e->ns->watches[i].reactions;
    e->vague = 0;
    e->vague = any && series_are_vague(s);
    e->resolved = s->stepper->inside_reactions && !e->vague;
    for (int j = 0; j < HOL_ZERO_NODES; j++)
        sample_at(s, e->basis.node[j], any && (e->resolved || j % 2 == 0), e->wanted,
                  e->sample + j * n);
    for (int i = 0; i < n && !near; i++)
        near = e->wanted[i] && e->ns->watches[i].reactions && !e->resolved && comes_near(e, i);
    for (int j = 1; j < DEGREE && near; j += 2)
        sample_at(s, e->basis.node[j], 1, e->wanted, e->sample + j * n);
    for (int k = 0; k < HOL_ZERO_CHECKS; k++)
        sample_at(s, hol_zero_check[k], any && (e->resolved || near), e->wanted, e->check + k * n);
    if (!any || e->resolved)
        return;
    e->resolved = near;
    // far from zero: a parabola stands for what was not asked for
    for (int i = 0; i < n && !near; i++)
        for (int j = 1; j < DEGREE && e->wanted[i] && e->ns->watches[i].reactions; j++)
            e->sample[j * n + i] = parabola(e, i, j);
}

// ---- the first zero ----

static void watch_values(void *context, double theta, int i, double *values) {
    HolSim *s = context;
    HolEvents *e = s->events;
    memset(e->some, 0, (size_t)e->n);
    e->some[i] = 1;
    sample_at(s, theta, e->ns->watches[i].reactions, e->some, values);
}

static HolZeros watch_zeros(HolSim *s) {
    HolEvents *e = s->events;
    return (HolZeros){&e->basis, e->n,     e->sample, e->check,     e->noise,
                      e->values, HALVINGS, BENT,      watch_values, s};
}

// The polynomial changes its sign there and the watch does not: it is positive at the end, and at the
// start it is too, or it just left zero. The polynomial is off by a little behind a zero of higher order.
static int never_zero(const HolEvents *e, const HolZeros *z, int i, int order, double from,
                      double to) {
    const double noise = 4 * e->noise[i], end = hol_zeros_value(z, i, to);
    if (e->ns->watches[i].kind == HOL_WATCH_EVENT || !(end > noise))
        return 0;
    const double start = hol_zeros_value(z, i, from);
    return start > noise || (order && start > -noise);
}

// watch i is the gap of a piece
static int of_piece(const HolEvents *e, int i) {
    const HolWatch *w = &e->ns->watches[i];
    return w->kind == HOL_WATCH_GAP && e->ns->supports[w->of].piece;
}

// a piece whose gap is zero there is touched: it falls, between its ends
static int is_met(HolSim *s, int i, double theta, int way) {
    const HolEvents *e = s->events;
    return !of_piece(e, i) || (way < 0 && hol_piece_reaches(s, events_state(s, theta, 0),
                                                            e->ns->watches[i].of, e->noise[i]));
}

// the change of watch i in a time dt by velocities and accelerations at s->x
static double change_at_once(HolSim *s, int i, double dt) {
    HolEvents *e = s->events;
    HolState *x = &e->at;
    hol_state_copy(s, x, &s->x);
    e->ns->watch(s->p, s->work, HOL_AT(x), e->some, e->values);
    const double start = e->values[i];
    for (int k = 0; k < s->nv; k++) {
        e->v[k] = dt * s->x.v[k];
        x->v[k] += dt * s->x.a[k];
    }
    x->t += dt;
    s->p->retract(s->p, s->work, s->x.q, e->v, x->q);
    e->ns->watch(s->p, s->work, HOL_AT(x), e->some, e->values);
    return e->values[i] - start;
}

// 1, -1: watch i rises, falls behind a jump of velocities, in as short a time as can be seen
static int turns_to(HolSim *s, int i) {
    HolEvents *e = s->events;
    const double span = s->test->span;
    memset(e->some, 0, (size_t)e->n);
    e->some[i] = 1;
    for (double dt = SHORTEST * span; dt < LONGEST * span; dt *= 4) {
        const double change = change_at_once(s, i, dt);
        if (fabs(change) > ZERO * e->noise[i])
            return change > 0 ? 1 : -1;
    }
    return 0;
}

// A watch that is zero at the start of a long step may leave it to one side and be zero again long before
// the next sample, on the other (a small rebound): its place; 0: it does not. An event that resets
// velocities so that its function turns back by less than round-off happens for ever from there on.
static double soon_again(HolSim *s, int i, int order) {
    HolEvents *e = s->events;
    const HolZeros z = watch_zeros(s);
    const double enough = ZERO * e->noise[i];
    const int user = e->ns->watches[i].kind == HOL_WATCH_EVENT;
    int j = 1;
    while (user && j < DEGREE && !(fabs(e->sample[j * e->n + i]) > enough))
        j++;
    const double there = e->sample[j * e->n + i], side = user && there > 0 ? -1 : 1;
    if (of_piece(e, i) || !(side * there < -enough))
        return 0;
    for (double at = 0.5 * e->basis.node[j]; at > LEAVES; at *= 0.5)
        if (side * hol_zeros_value(&z, i, at) > enough)
            return hol_zeros_refine(&z, i, order, at, 2 * at, &e->way[i]);
    const HolEventInfo *info = user ? &e->ns->events[e->ns->watches[i].of] : NULL;
    const int way = side > 0 ? -1 : 1;
    if (!user || e->turned[i] != -way || (info->direction && info->direction != way) ||
        (info->count && e->fires[e->ns->watches[i].of] >= info->count))
        return 0;
    e->endless = i;
    e->way[i] = way;
    return AT_ONCE;
}

// a step that starts where watch i was zero: it may be so again at once
static int may_return(HolSim *s, int i, int order) {
    HolEvents *e = s->events;
    const HolWatch *w = &e->ns->watches[i];
    if (w->kind == HOL_WATCH_GAP)
        return order;
    if (w->kind != HOL_WATCH_EVENT || !e->ns->events[w->of].jumps || w->reactions)
        return 0;
    if (!order)
        e->turned[i] = 0;
    else if (s->x.t == e->last_time)
        e->turned[i] = e->jumped ? turns_to(s, i) : 0;
    return e->turned[i] != 0;
}

static double zero_of(HolSim *s, int i) {
    HolEvents *e = s->events;
    // at the start of the step it is zero: the step left it there
    if (s->x.t > e->last_time && fabs(e->sample[i]) > ZERO * e->noise[i])
        e->order[i] = 0; // which was in an earlier step
    int order = e->order[i];
    if (!order && fabs(e->sample[i]) <= ZERO * e->noise[i])
        order = 1;
    // methods that make velocities anew behind a step: it went through zero between the two
    if (!order && e->ns->watches[i].kind == HOL_WATCH_EVENT && e->last[i] * e->sample[i] < 0)
        return AT_ONCE;
    // a zero at the very end is one of this step: the next would take it for its own start
    const int at_end = !order && fabs(e->sample[DEGREE * e->n + i]) <= ZERO * e->noise[i];
    const HolWatch *w = &e->ns->watches[i];
    const HolZeros z = watch_zeros(s);
    const int checked = !w->reactions || e->resolved;
    const double soon = may_return(s, i, order) ? soon_again(s, i, order) : 0;
    if (soon > 0)
        return soon;
    double from, to = 0, last = 0;
    e->way[i] = e->sample[(order ? 1 : 0) * e->n + i] < 0 ? 1 : -1;
    while (hol_zeros_next(&z, i, order, checked, &from, &to, &last)) {
        if (order)
            from = hol_zeros_leaves(&z, i, fmax(from, 1e-6), to);
        if (never_zero(e, &z, i, order, from, to))
            continue;
        const double theta = hol_zeros_refine(&z, i, order, from, to, &e->way[i]);
        if (is_met(s, i, theta, e->way[i]))
            return theta;
    }
    // below zero throughout: the mode does not hold, which the next transition finds
    const double tiny = e->noise[i] / (order ? pow(e->basis.node[1], order) : 1);
    const int wrong = w->kind != HOL_WATCH_EVENT && to == 0 && last < -WRONG * tiny &&
                      (!of_piece(e, i) || (order && is_met(s, i, 1e-3, -1)));
    return wrong ? UNFIT : at_end && is_met(s, i, 1, e->way[i]) ? 1 : INFINITY;
}

// A method of low order may have the gap of a contact that just opened below zero, by its own error: the
// transition there leaves it open. It is watched again once it is positive, or deeper than the tolerance.
static int stays_below(HolSim *s, int i) {
    HolEvents *e = s->events;
    double low = 0;
    if (!e->below[i])
        return 0;
    for (int j = 0; j < HOL_ZERO_NODES; j++)
        low = fmin(low, e->sample[j * e->n + i]);
    const HolSupport *support = &e->ns->supports[e->ns->watches[i].of];
    HolClosedRow row;
    e->ns->closed_row(s->p, s->work, HOL_AT(&s->x), support->row, e->v, &row);
    e->below[i] = e->sample[i] <= ZERO * e->noise[i] &&
                  low >= -hol_event_tolerance(s) * hol_event_row_size(s, e->v);
    return e->below[i];
}

static int is_waiting(const HolSim *s, int i) {
    const HolWatch *w = &s->events->ns->watches[i];
    return w->kind == HOL_WATCH_SLIP && waits(s, w->of);
}

// a driven grip that slipped stands still throughout
static int rests(const HolSim *s, int i) {
    const HolEvents *e = s->events;
    const HolWatch *w = &e->ns->watches[i];
    if (w->kind != HOL_WATCH_SLIP || !hol_grip_driven(e, w->of))
        return 0;
    for (int j = 0; j < HOL_ZERO_NODES; j++)
        if (fabs(e->sample[j * e->n + i]) > ZERO * e->noise[i])
            return 0;
    return 1;
}

// A driven grip was at rest and moves in this step: it slips from its start on. One that slipped stays
// where it is: its friction ends. 1: there is one
static int departs(HolSim *s) {
    HolEvents *e = s->events;
    int any = 0;
    for (int i = 0; i < e->n; i++) {
        const int grip = e->ns->watches[i].of;
        HolClosedRow row;
        if (!e->wanted[i])
            continue;
        if (!is_waiting(s, i)) {
            if (rests(s, i)) {
                e->primary = i;
                e->first[i] = 0;
                any = 1;
            }
            continue;
        }
        const HolState *x = events_state(s, e->basis.node[1], 0);
        e->ns->closed_row(s->p, s->work, HOL_AT(x), e->ns->grips[grip].row, e->v, &row);
        const double speed = hol_impact_dot(e->v, x->v, s->nv),
                     least = fmax(WRONG * e->noise[i],
                                  DEPARTS * hol_event_row_size(s, e->v) / s->test->span);
        if (!(fabs(speed) > least))
            continue;
        e->departs[grip] = speed > 0 ? 1 : -1;
        e->primary = i;
        e->first[i] = 0;
        any = 1;
    }
    return any;
}

double hol_event_part(HolSim *s) {
    HolEvents *e = s->events;
    double first = INFINITY;
    const double h = s->next.t - s->x.t;
    if (!(h > 0) || !e->n)
        return INFINITY;
    if (s->x.t >= e->clocked)
        hol_events_want(s);
    e->primary = e->endless = -1;
    for (int i = 0; i < e->n && e->sampled_from != s->x.t; i++)
        e->last[i] = e->sampled_to == s->x.t ? e->sample[DEGREE * e->n + i] : 0;
    hol_slip_aim(s);
    sample_all(s);
    e->sampled_from = s->x.t;
    e->sampled_to = s->next.t;
    for (int i = 0; i < e->n; i++)
        e->first[i] = INFINITY;
    for (int i = 0; i < e->n; i++) // (a force jumped, so that the modes are others from here on)
        if (e->wanted[i] && e->ns->watches[i].kind != HOL_WATCH_EVENT && !e->order[i] &&
            !is_waiting(s, i) && !of_piece(e, i) && e->sample[i] < -WRONG * e->noise[i] &&
            !stays_below(s, i)) {
            e->primary = i;
            e->first[i] = 0;
            return 0;
        }
    if (departs(s))
        return 0;
    for (int i = 0; i < e->n; i++) {
        if (!e->wanted[i] || is_waiting(s, i) || stays_below(s, i))
            continue;
        if (e->ns->watches[i].kind == HOL_WATCH_EVENT && isnan(e->sample[DEGREE * e->n + i]))
            hol_note(s, "event '%s': its function has no value at times: no zeros are seen there",
                     e->ns->events[e->ns->watches[i].of].name);
        for (int j = 0; j < HOL_ZERO_NODES; j++)
            e->size[i] = fmax(e->size[i], fabs(e->sample[j * e->n + i]));
        e->noise[i] = e->ns->watches[i].kind == HOL_WATCH_EVENT ? ROUND * e->size[i] : e->noise[i];
        e->first[i] = zero_of(s, i);
        if (e->first[i] < first) {
            first = e->first[i];
            e->primary = i;
        }
    }
    e->slope = 0;
    const double narrow = hol_painleve_part(s);
    if (narrow < first) {
        e->primary = -1;
        return narrow;
    }
    e->wedge = -1;
    if (e->primary < 0)
        return INFINITY;
    if (first == UNFIT) // no zero to land on
        return first;
    const double d = fmin(1e-4, fmin(0.5 * first + 1e-9, fmax(1 - first, 1e-4)));
    const double hi = fmin(1, first + d), lo = first - d;
    const HolZeros z = watch_zeros(s);
    e->slope = (hol_zeros_value(&z, e->primary, hi) - hol_zeros_value(&z, e->primary, lo)) /
               ((hi - lo) * h);
    return first;
}

double hol_event_end_value(HolSim *s, double *noise) {
    HolEvents *e = s->events;
    if (e->wedge >= 0)
        return hol_painleve_end_value(s, noise);
    *noise = e->noise[e->primary];
    const HolZeros z = watch_zeros(s);
    return hol_zeros_value(&z, e->primary, 1);
}

void hol_event_found(HolSim *s, double theta) {
    (void)theta;
    s->events->pending = 1;
}
