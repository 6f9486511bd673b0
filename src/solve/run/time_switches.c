// SPDX-License-Identifier: Apache-2.0
// Times at which the law of a force changes whatever the motion does: roots of switching functions
// of time alone (if(time < 1, ..), tables over time; docs/theory/error-control.md, section 11).
// They are known before the first step, and steps end there as at stop times: none is missed.
//
// A function that is linear through five places of the run has its root where the line has it;
// any other is sampled in PLACES. Each root is the last number before the sign changes.
#include "solve/event/event.h"
#include "solve/run/run.h"
#include "solve/run/sign_change.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- tuning constants ----
enum { PLACES = 4096, LINE_PLACES = 4 }; // samples over the run; samples that find a line
static const double line_place[LINE_PLACES] = {0.0731, 0.2917, 0.5303, 0.8117}; // of the run
static const double STRAIGHT = 1e-13; // of the size of a function: it is a line up to here

typedef struct Search {
    HolSim *s;
    int n;          // switching functions
    double *values; // of all at a time
    double *before; // n: the last one that was not zero, 0: a line, or none yet
    double *from;   // n: its time
    double *found;  // roots so far
    int count, room;
} Search;

static double value(const Search *a, int i, double t) {
    a->s->p->extras->time_switches(a->s->p, a->s->work, t, a->values);
    return a->values[i];
}

static void time_switches_add(Search *a, double t) {
    if (a->count == a->room) {
        double *more = HOL_NEW(&a->s->arena, double, 2 * a->room + 64);
        if (!more)
            return;
        if (a->count)
            memcpy(more, a->found, sizeof *more * (size_t)a->count);
        a->found = more;
        a->room = 2 * a->room + 64;
    }
    a->found[a->count++] = t;
}

typedef struct Law {
    const Search *search;
    int i;
    double before;
} Law;

static int time_switches_other_side(void *context, double t) {
    const Law *law = context;
    return !(value(law->search, law->i, t) * law->before > 0);
}

// a sign change of function i between lo and hi
static void time_switches_refine(Search *a, int i, double lo, double hi, double at_lo) {
    Law law = {a, i, at_lo};
    hi = hol_sign_change(lo, hi, 0, 0, time_switches_other_side, &law);
    // (zero at hi: neither side)
    while (value(a, i, hi) == 0 && hi < a->s->o.end)
        hi = nextafter(hi, INFINITY);
    time_switches_add(a, nextafter(hi, -INFINITY));
}

// is function i a line? Then its root, if there is one, is taken
static int take_line(Search *a, int i) {
    const double t0 = a->s->o.start, t1 = a->s->o.end;
    const double f0 = value(a, i, t0), f1 = value(a, i, t1), size = fmax(fabs(f0), fabs(f1));
    for (int k = 0; k < LINE_PLACES; k++) {
        const double line = f0 + line_place[k] * (f1 - f0);
        if (!(fabs(value(a, i, t0 + line_place[k] * (t1 - t0)) - line) <= STRAIGHT * size))
            return 0;
    }
    if (f0 * f1 < 0)
        time_switches_refine(a, i, t0, t1, f0);
    return 1;
}

// all that are no lines, side by side
static void sample(Search *a, const unsigned char *is_line) {
    const double t0 = a->s->o.start, span = a->s->o.end - t0;
    for (int k = 0; k <= PLACES; k++) {
        const double t = t0 + span * k / PLACES;
        int there = 0; // the values at hand are those of t: a refinement leaves others behind
        for (int i = 0; i < a->n; i++) {
            if (is_line[i])
                continue;
            const double f = there ? a->values[i] : value(a, i, t);
            there = !(a->before[i] * f < 0);
            if (f != 0) {
                if (a->before[i] * f < 0)
                    time_switches_refine(a, i, a->from[i], t, a->before[i]);
                a->before[i] = f;
                a->from[i] = t;
            }
        }
    }
}

static int time_switches_ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

HolStatus hol_jumps_create(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    const int n = s->p->extras->time_switches ? s->p->extras->n_time_switches : 0;
    if (!d->adaptive || n == 0 || !(s->o.end > s->o.start))
        return HOL_OK;
    Search a = {.s = s, .n = n};
    unsigned char *is_line = HOL_NEW(&s->arena, unsigned char, n);
    a.values = HOL_NEW(&s->arena, double, s->p->extras->n_switches + 1);
    a.before = HOL_NEW(&s->arena, double, n);
    a.from = HOL_NEW(&s->arena, double, n);
    int others = 0;
    for (int i = 0; i < n && !s->arena.failed; i++)
        others += !(is_line[i] = (unsigned char)take_line(&a, i));
    if (others && !s->arena.failed)
        sample(&a, is_line);
    if (s->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (a.count)
        qsort(a.found, (size_t)a.count, sizeof *a.found, time_switches_ascending);
    d->jumps = a.found;
    for (int i = 0; i < a.count; i++) // the same time from several laws
        if (d->n_jumps == 0 ||
            a.found[i] - d->jumps[d->n_jumps - 1] > 64 * DBL_EPSILON * fabs(a.found[i]))
            d->jumps[d->n_jumps++] = a.found[i];
    return HOL_OK;
}

double hol_next_stop(const HolSim *s) {
    const struct HolSimDriver *d = s->driver;
    double next = INFINITY;
    if (d->next_stop < d->n_stop_times)
        next = d->stop_times[d->next_stop];
    if (d->next_jump < d->n_jumps)
        next = fmin(next, d->jumps[d->next_jump]);
    if (s->events)
        next = fmin(next, s->events->next_time);
    // fixed steps pass knots of tables, but for those that a series has no other side of
    if (s->p->extras->next_kink && (d->adaptive || s->stepper->unlimited))
        next = fmin(next, s->p->extras->next_kink(s->p, s->x.t));
    return next;
}

void hol_passed_stop(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    const double now = s->x.t + 4 * DBL_EPSILON * fabs(s->x.t);
    while (d->next_stop < d->n_stop_times && d->stop_times[d->next_stop] <= now)
        d->next_stop++;
    while (d->next_jump < d->n_jumps && d->jumps[d->next_jump] <= now)
        d->next_jump++;
}
