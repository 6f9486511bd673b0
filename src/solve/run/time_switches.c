// SPDX-License-Identifier: Apache-2.0
// Times at which the law of a force changes whatever the motion does: roots of switching functions
// of time alone (if(time < 1, ..), tables over time; docs/theory/error-control.md, section 11).
// They are known before the first step, and steps end there as at stop times: none is missed. And
// pulses of time alone that steps may pass without a trace: there steps are short.
//
// A function that is linear through five places of the run has its root where the line has it. Of
// any other, intervals are halved while their bounds contain zero, down to the 2^17th part of the
// run: then different signs at the ends are a root, the last number before the sign changes. Zero is
// a sign of its own (a == b).
// Pulses: intervals between these roots are halved while the samples of a law show less than its
// bounds say (hol_expr_hidden). Where the halves then show something, a step is a quarter of them.
// Fixed steps become shorter towards a pulse, and longer behind it, as these halves do.
#include "solve/event/event.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- tuning constants ----
enum { LINE_PLACES = 4 }; // samples that find a line
static const double line_place[LINE_PLACES] = {0.0731, 0.2917, 0.5303, 0.8117}; // of the run
static const double STRAIGHT = 1e-13;         // of the size of a function: it is a line up to here
static const double SAME = 16 * DBL_EPSILON;  // relative: steps end so far before a root
static const double MOMENT = 1e-10;           // of the run: zero by round-off
static const double FINEST = 1.0 / (1 << 17); // intervals, of the run
static const double EVALUATIONS = 1e5, LEAST_EVALUATIONS = 1000; // of one function
static const double ALL_EVALUATIONS = 5e6;                       // of all of them
static const double DIVIDE =
    0.4637; // of an interval: a pulse at a round time lies at no end of one
enum { PLACES = 16, KNOTS = 64, SAMPLES = 4096 }; // of a count that is too large to find them all
enum { LAW_COST = 8 };                            // evaluations of a law that an interval takes
static const double PULSE_STEP = 0.25;            // a step, of the interval that shows the pulse
static const double PULSE_FIXED = 1.0 / 64;       // the same where no error is controlled
static const double LONG = 1.0 / 40; // of the run: steps are shorter than such intervals anyway

typedef struct Root {
    double t, after; // the last number before it, the first one behind it
    int law;
} Root;

typedef struct Cell {
    double lo, hi;
} Cell;

typedef struct Search {
    HolSim *s;
    HolArena scratch;
    double t0, t1;
    double budget; // evaluations of one function
    Root *roots;
    int n_roots, room_roots;
    Cell *cells, *halves; // of this level and of the next one
    int n_cells, n_halves, room_cells, room_halves;
    int n_pulses, room_pulses;
    HolPulse *pulses;
} Search;

static void add_half(Search *a, double lo, double hi) {
    if (hi > lo && HOL_GROW(&a->scratch, a->halves, a->n_halves, a->room_halves))
        a->halves[a->n_halves++] = (Cell){lo, hi};
}

// the halves become the intervals to look at; 0: there are none
static int next_level(Search *a) {
    Cell *cells = a->cells;
    const int room_cells = a->room_cells;
    a->cells = a->halves;
    a->n_cells = a->n_halves;
    a->room_cells = a->room_halves;
    a->halves = cells;
    a->n_halves = 0;
    a->room_halves = room_cells;
    return a->n_cells > 0 && !a->scratch.failed;
}

// ---- roots ----

static double value(const Search *a, int i, double t) {
    return a->s->p->extras->time_switch(a->s->p, a->s->work, i, t);
}

static int sign_of(double x) {
    return (x > 0) - (x < 0);
}

// Function i has the sign at_lo at lo and another one at hi: the first number behind the change, by
// bisection down to neighbouring numbers; what is compared may jump
static double sign_change(const Search *a, int i, double lo, double hi, int at_lo) {
    for (;;) {
        const double mid = 0.5 * (lo + hi);
        if (!(mid > lo && mid < hi))
            return hi;
        if (sign_of(value(a, i, mid)) != at_lo)
            hi = mid;
        else
            lo = mid;
    }
}

static void add_root(Search *a, int i, double first, double after) {
    const HolProblem *p = a->s->p;
    if (HOL_GROW(&a->scratch, a->roots, a->n_roots, a->room_roots))
        a->roots[a->n_roots++] =
            (Root){nextafter(first, -INFINITY), after, p->extras->time_switch_law(p, i)};
}

// A sign change of function i between lo and hi. Where it is zero for a moment, by round-off, what
// lies behind it starts behind that moment; where it is zero longer there are two.
static void refine(Search *a, int i, double lo, double hi, int at_lo, int at_hi) {
    const double first = sign_change(a, i, lo, hi, at_lo);
    double after = first;
    if (at_lo && at_hi && value(a, i, first) == 0)
        after = sign_change(a, i, first, hi, 0);
    if (after - first > MOMENT * (a->t1 - a->t0)) {
        add_root(a, i, first, first);
        add_root(a, i, after, after);
    } else {
        add_root(a, i, after - first > SAME * fabs(after) ? first : after, after);
    }
}

// is function i a line? Then its root, if there is one, is taken
static int take_line(Search *a, int i) {
    const double t0 = a->t0, t1 = a->t1;
    const double f0 = value(a, i, t0), f1 = value(a, i, t1), size = fmax(fabs(f0), fabs(f1));
    for (int k = 0; k < LINE_PLACES; k++) {
        const double line = f0 + line_place[k] * (f1 - f0);
        if (!(fabs(value(a, i, t0 + line_place[k] * (t1 - t0)) - line) <= STRAIGHT * size))
            return 0;
    }
    if (f0 * f1 < 0)
        refine(a, i, t0, t1, sign_of(f0), sign_of(f1));
    // (one that is the same at all these places may be another one between them)
    return f0 * f1 < 0 || a->s->p->extras->time_switch_side(a->s->p, a->s->work, i, t0, t1);
}

// function i changes its sign too often to find all: about how often, by samples in a few of the
// finest intervals; a change between two samples is one at least
static double count_roots(const Search *a, int i) {
    const double span = a->t1 - a->t0, width = FINEST * span;
    double changes = 0;
    for (int k = 0; k < PLACES; k++) {
        const double from = a->t0 + (k + DIVIDE) / PLACES * span;
        int was = 0;
        for (int j = 0; j < SAMPLES; j++) {
            const int now = sign_of(value(a, i, from + width * j / SAMPLES));
            changes += now * was < 0;
            was = now ? now : was;
        }
    }
    return changes / (PLACES * FINEST);
}

// steps of floor and knots of tables of time, which are known one by one
static double count_knots(const HolSim *s) {
    const double span = s->o.end - s->o.start;
    double count = 0;
    for (int k = 0; k < PLACES; k++) {
        const double from = s->o.start + span * k / PLACES, to = from + span / PLACES;
        double t = from;
        int n = 0;
        while (n < KNOTS && t < to) {
            const double next = s->p->extras->next_kink(s->p, t, 1);
            if (!(next > t && next < to))
                break;
            t = next;
            n++;
        }
        count += n < KNOTS ? n : n * (to - from) / (t - from);
    }
    return count;
}

static void search_roots(Search *a, int i) {
    const HolProblem *p = a->s->p;
    double left = a->budget;
    int lost = 0;
    a->n_halves = 0;
    add_half(a, a->t0, a->t1);
    while (next_level(a))
        for (int k = 0; k < a->n_cells; k++) {
            const Cell c = a->cells[k];
            const double mid = 0.5 * (c.lo + c.hi);
            left -= 1;
            if (p->extras->time_switch_side(p, a->s->work, i, c.lo, c.hi))
                continue;
            if (left > 0 && c.hi - c.lo > FINEST * (a->t1 - a->t0) && mid > c.lo && mid < c.hi) {
                add_half(a, c.lo, mid);
                add_half(a, mid, c.hi);
                continue;
            }
            if (!(left > 0) && c.hi - c.lo > FINEST * (a->t1 - a->t0))
                lost = 1;
            if (lost)
                a->s->driver->unseen = fmin(a->s->driver->unseen, c.lo);
            const int at_lo = sign_of(value(a, i, c.lo)), at_hi = sign_of(value(a, i, c.hi));
            if (at_lo != at_hi)
                refine(a, i, c.lo, c.hi, at_lo, at_hi);
        }
    if (lost)
        a->s->driver->often += count_roots(a, i);
}

// ---- pulses ----

static void add_pulse(Search *a, Cell c, int shown) {
    const double part = a->s->driver->adaptive || !shown ? PULSE_STEP : PULSE_FIXED;
    if (HOL_GROW(&a->scratch, a->pulses, a->n_pulses, a->room_pulses))
        a->pulses[a->n_pulses++] = (HolPulse){c.lo, c.hi, part * (c.hi - c.lo), 0};
}

// its intervals: between the roots from number `from` to `to`
static void search_pulses(Search *a, int law, const double *widths, int from, int to) {
    const HolProblem *p = a->s->p;
    const double span = a->t1 - a->t0;
    double left = a->budget, start = a->t0;
    a->n_halves = 0;
    for (int k = from; k <= to; k++) {
        const double end = k < to ? a->roots[k].t : a->t1;
        add_half(a, start, end);
        start = k < to ? fmax(a->roots[k].after, nextafter(end, INFINITY)) : end;
    }
    for (int level = 0; next_level(a); level++)
        for (int k = 0; k < a->n_cells; k++) {
            const Cell c = a->cells[k];
            const double mid = c.lo + DIVIDE * (c.hi - c.lo);
            left -= LAW_COST;
            if (!(left > 0) && !level)
                return;
            const int shown =
                left > 0 ? p->extras->time_law(p, a->s->work, law, widths, c.lo, c.hi) : 2;
            if (shown == 2 && left > 0 && c.hi - c.lo > FINEST * span) {
                add_half(a, c.lo, mid);
                add_half(a, mid, c.hi);
            } else if ((shown || !a->s->driver->adaptive) && level && c.hi - c.lo < LONG * span) {
                // (beside a pulse nobody but this looks after the length of a fixed step)
                add_pulse(a, c, shown);
            }
        }
}

static int by_law(const void *a, const void *b) {
    const Root *x = a, *y = b;
    if (x->law != y->law)
        return x->law < y->law ? -1 : 1;
    return x->t < y->t ? -1 : x->t > y->t;
}

static int by_time(const void *a, const void *b) {
    const Root *x = a, *y = b;
    return x->t < y->t ? -1 : x->t > y->t;
}

static int by_start(const void *a, const void *b) {
    const HolPulse *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void search_all_pulses(Search *a) {
    const HolProblem *p = a->s->p;
    const int n = p->extras->n_time_laws;
    double *widths = HOL_NEW(&a->scratch, double, p->extras->time_law_room + 1);
    int k = 0;
    if (a->n_roots)
        qsort(a->roots, (size_t)a->n_roots, sizeof *a->roots, by_law);
    a->budget = fmax(LEAST_EVALUATIONS, fmin(EVALUATIONS, ALL_EVALUATIONS / (n + 1)));
    for (int i = 0; i < n && !a->scratch.failed; i++) {
        while (k < a->n_roots && a->roots[k].law < i)
            k++;
        const int from = k;
        while (k < a->n_roots && a->roots[k].law == i)
            k++;
        p->extras->time_law_widths(p, a->s->work, i, a->t0, a->t1, widths);
        search_pulses(a, i, widths, from, k);
    }
}

// ---- before the first step ----

static void keep_roots(Search *a) {
    struct HolSimDriver *d = a->s->driver;
    d->jumps = HOL_NEW(&a->s->arena, HolJump, a->n_roots + 1);
    if (!d->jumps)
        return;
    if (a->n_roots)
        qsort(a->roots, (size_t)a->n_roots, sizeof *a->roots, by_time);
    for (int i = 0; i < a->n_roots; i++) {
        const Root *r = &a->roots[i];
        HolJump *last = d->n_jumps ? &d->jumps[d->n_jumps - 1] : NULL;
        if (last && r->t - last->after <= 64 * DBL_EPSILON * fabs(r->t)) // the same of several laws
            last->after = fmax(last->after, r->after);
        else
            d->jumps[d->n_jumps++] = (HolJump){r->t, r->after};
    }
}

static void keep_pulses(Search *a) {
    struct HolSimDriver *d = a->s->driver;
    d->pulses = HOL_NEW(&a->s->arena, HolPulse, a->n_pulses + 1);
    if (!d->pulses || !a->n_pulses)
        return;
    qsort(a->pulses, (size_t)a->n_pulses, sizeof *a->pulses, by_start);
    double reach = -INFINITY;
    for (int i = 0; i < a->n_pulses; i++) {
        reach = fmax(reach, a->pulses[i].to);
        d->pulses[i] = a->pulses[i];
        d->pulses[i].reach = reach;
    }
    d->n_pulses = a->n_pulses;
}

HolStatus hol_jumps_create(HolSim *s, HolError *err) {
    const HolProblemExtras *x = s->p->extras;
    const double span = s->o.end - s->o.start;
    s->driver->unseen = INFINITY;
    Search a = {.s = s, .t0 = s->o.start, .t1 = s->o.end};
    if (span > 0 && isfinite(span) && x->next_kink)
        s->driver->often = count_knots(s);
    if ((!x->n_time_switches && !x->n_time_laws) || !(span > 0) || !isfinite(span))
        return HOL_OK;
    a.budget =
        fmax(LEAST_EVALUATIONS, fmin(EVALUATIONS, ALL_EVALUATIONS / (x->n_time_switches + 1)));
    for (int i = 0; i < x->n_time_switches && !a.scratch.failed; i++)
        if (!take_line(&a, i))
            search_roots(&a, i);
    s->driver->often += a.n_roots;
    search_all_pulses(&a);
    if (!a.scratch.failed) {
        keep_roots(&a);
        keep_pulses(&a);
    }
    const int failed = a.scratch.failed || s->arena.failed;
    hol_arena_free(&a.scratch);
    return failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

// ---- during the run ----

// the first pulse that starts behind t
static int pulse_behind(const struct HolSimDriver *d, double t) {
    int lo = 0, hi = d->n_pulses;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2;
        if (d->pulses[mid].from > t)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

double hol_pulse_limit(const HolSim *s) {
    const struct HolSimDriver *d = s->driver;
    const double t = s->x.t;
    double limit = INFINITY;
    if (!d->n_pulses || !(t < d->pulses[d->n_pulses - 1].reach))
        return limit;
    const int next = pulse_behind(d, t);
    for (int i = next - 1; i >= 0 && d->pulses[i].reach > t; i--)
        if (d->pulses[i].to > t)
            limit = fmin(limit, t + d->pulses[i].step);
    for (int i = next; i < d->n_pulses && d->pulses[i].from < limit; i++)
        limit = fmin(limit, d->pulses[i].from + d->pulses[i].step);
    return limit;
}

double hol_next_stop(const HolSim *s) {
    const struct HolSimDriver *d = s->driver;
    double next = INFINITY;
    if (d->next_stop < d->n_stop_times)
        next = d->stop_times[d->next_stop];
    if (d->next_jump < d->n_jumps)
        next = fmin(next, d->jumps[d->next_jump].t);
    if (s->events)
        next = fmin(next, s->events->next_time);
    // fixed steps pass knots of tables, but for jumps and those that a series has no other side of
    if (s->p->extras->next_kink)
        next = fmin(next,
                    s->p->extras->next_kink(s->p, s->x.t, !d->adaptive && !s->stepper->unlimited));
    return next;
}

void hol_passed_stop(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    const double now = s->x.t + 4 * DBL_EPSILON * fabs(s->x.t);
    while (d->next_stop < d->n_stop_times && d->stop_times[d->next_stop] <= now)
        d->next_stop++;
    while (d->next_jump < d->n_jumps && d->jumps[d->next_jump].t <= now)
        d->next_jump++;
}

double hol_sim_switch_count(const HolSim *s) {
    return s ? s->driver->often : 0;
}

double hol_behind_jump(const HolSim *s) {
    const struct HolSimDriver *d = s->driver;
    double next = nextafter(s->x.t, INFINITY);
    const HolJump *last = d->next_jump ? &d->jumps[d->next_jump - 1] : NULL;
    if (s->p->extras->next_kink)
        next = fmax(next, s->p->extras->behind_kink(s->p, s->x.t));
    return last ? fmax(next, last->after) : next;
}
