// SPDX-License-Identifier: Apache-2.0
// Laws that hold the motion where they jump, with fixed steps (docs/theory/error-control.md, section
// 11). With error control hol_count_kink sees them; a fixed step may go back and forth over the jump,
// or creep beside it with stages on both sides, and end without an error.
//
// A switching function s jumps its law at s = 0. The motion sticks there when both sides lead to it
// (Filippov): with the accelerations a-, a+ right before and behind the place where the motion would
// cross s = 0,
//   ds/dt(a-) < 0 < ds/dt(a+)   for s > 0 before,
// and neither of them vanishes there, as it does where the law only has a kink.
// That is asked for a function that changes its sign, or soon would along q + h v + h^2/2 a, v + h a,
// in most steps for a while. Its time, as it was told first, must be over: until then the motion comes
// to the jump, and may pass it.
//
// With error control laws that are continuous but next to a jump (tanh(1e9 v)), or have no direction at
// rest (v/|v| in two coordinates), are no kinks: steps only become short and stay so. Where they do for
// long, coordinates at rest are looked at: does a force push back on both sides of rest, as much near it as
// farther off?
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- tuning constants ----
enum {
    AHEAD = 64,      // steps: a sign change that near counts
    NEAR = 8,        // the same after a failed step
    SUSPECT = 16,    // so many steps with one, more than those without: places are looked at
    BEHIND = 5,      // steps behind the time of the first one: it sticks
    BISECTIONS = 45, // for the place
    CREEPS = 3000,   // error control: steps in which the run hardly comes on,
    AGAIN = 3,       // so many times in a row
    MOST = 100,      // coordinates that are looked at then
};
static const double CREEPING = 1e-6; // of the span: steps
static const double AT_REST = 1e-5;  // of the largest speed of the run
static const double SAME = 1.5;      // a law that jumps: its change,
static const double FARTHER = 10;    // so much farther off,
static const double NEARER =
    1e-3; // so much nearer: a smooth law with a speed of its own vanishes there
static const double HOLDS = 1e5; // such a law leads to rest in less, in steps
static const double SIDE = 1e-6; // of the way to the place: how far from it the sides are looked at
static const double LEAST = 1e-3; // of the rates that lead there: what vanishes

int hol_sticking_create(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    const int n = s->p->extras->n_switches;
    d->creep_from = s->o.start;
    hol_state_alloc(s, &d->place[0]);
    if (!(s->o.step > 0) || n == 0)
        return !s->arena.failed;
    d->held = HOL_NEW(&s->arena, int, n);
    d->held_at = HOL_NEW(&s->arena, double, n);
    d->was = HOL_NEW(&s->arena, double, 3 * n);
    hol_state_alloc(s, &d->place[1]);
    return !s->arena.failed;
}

void hol_sticking_keep(HolSim *s, HolKeeper *k) {
    struct HolSimDriver *d = s->driver;
    HOL_KEEP_ARRAY(k, d->held, s->p->extras->n_switches);
    HOL_KEEP_ARRAY(k, d->held_at, s->p->extras->n_switches);
    HOL_KEEP_ARRAY(k, d->was, s->p->extras->n_switches);
    HOL_KEEP(k, d->creep_steps);
    HOL_KEEP(k, d->creep_from);
    HOL_KEEP(k, d->creeps);
}

static void sticking_move(HolSim *s, const HolState *x, double h, HolState *out) {
    hol_sim_add(s, s->nv, x->v, 0.5 * h, x->a, out->v);
    for (int i = 0; i < s->nv; i++)
        out->v[i] *= h;
    s->p->retract(s->p, s->work, x->q, out->v, out->q);
    hol_sim_add(s, s->nv, x->v, h, x->a, out->v);
    for (int i = 0; i < s->nw; i++)
        out->w[i] = x->w[i];
    out->t = x->t + h;
}

static void sticking_values(HolSim *s, const HolState *x, double *values) {
    s->p->extras->switches(s->p, s->work, x->t, x->q, x->v, x->w, values);
}

// switching function i
static double sticking_value(HolSim *s, const HolState *x, int i) {
    double *values = s->driver->was + 2 * s->p->extras->n_switches;
    sticking_values(s, x, values);
    return values[i];
}

// its rate along the accelerations of the state h behind `from`, over the time e
static int sticking_rate(HolSim *s, const HolState *from, double h, double e, int i, double *rate) {
    HolState *x = &s->driver->place[1], *then = &s->mid;
    sticking_move(s, from, h, x);
    if (hol_accelerate_apart(s, x) != HOL_OK)
        return 0;
    sticking_move(s, x, e, then);
    *rate = (sticking_value(s, then, i) - sticking_value(s, x, i)) / e;
    return isfinite(*rate);
}

// do both sides of switching function i lead to where it is zero, at most `most` ahead of s->x?
static int sticking_attracts(HolSim *s, int i, double most, double *when) {
    HolState *x = &s->driver->place[0], *then = &s->mid;
    double lo = 0, hi = most, before, behind;
    hol_state_copy(s, x, &s->x);
    const double side = sticking_value(s, x, i);
    if (side == 0 || hol_accelerate_apart(s, x) != HOL_OK)
        return 0;
    sticking_move(s, x, most, then);
    if (!(sticking_value(s, then, i) * side < 0))
        return 0;
    for (int n = 0; n < BISECTIONS; n++) {
        const double mid = 0.5 * (lo + hi);
        sticking_move(s, x, mid, then);
        if (sticking_value(s, then, i) * side <= 0)
            hi = mid;
        else
            lo = mid;
    }
    if (!sticking_rate(s, x, (1 - SIDE) * lo, SIDE * hi, i, &before) ||
        !sticking_rate(s, x, (1 + SIDE) * hi, SIDE * hi, i, &behind))
        return 0;
    *when = x->t + hi;
    // (rates that lead there from here, on the whole)
    const double least = LEAST * fabs(side) / hi;
    return before * side < 0 && behind * side > 0 && fabs(before) > least && fabs(behind) > least;
}

static int sticking_looks(const HolSim *s) {
    return s->driver->held && s->stepper->over_kinks;
}

HolStatus hol_sticking_failed(HolSim *s, double h, HolError *err) {
    struct HolSimDriver *d = s->driver;
    double when;
    if (!sticking_looks(s))
        return HOL_OK;
    for (int i = 0; i < s->p->extras->n_switches; i++)
        if (sticking_attracts(s, i, NEAR * h, &when)) {
            d->switched = i;
            return hol_sticks(s, "pushes back on both sides of its jump", err);
        }
    return HOL_OK;
}

// values of the switching functions where the motion would be AHEAD steps later
static void sticking_soon(HolSim *s, double h, double *values) {
    HolState *x = &s->driver->place[0];
    hol_state_copy(s, x, &s->x);
    if ((s->stepper->rings || x->bare) && hol_accelerate_apart(s, x) != HOL_OK)
        return;
    sticking_move(s, x, AHEAD * h, &s->mid);
    sticking_values(s, &s->mid, values);
}

HolStatus hol_sticking_step(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    const int n = s->p->extras->n_switches;
    const double h = s->x.t - s->prev.t;
    if (!sticking_looks(s) || !(h > 0))
        return HOL_OK;
    double *now = d->was + n, *soon = now + n;
    sticking_values(s, &s->x, now);
    memcpy(soon, now, sizeof *soon * (size_t)n);
    sticking_soon(s, h, soon);
    for (int i = 0; i < n; i++) {
        const int changes = now[i] * soon[i] < 0 || d->was[i] * now[i] < 0;
        d->held[i] += changes ? 1 : d->held[i] > 0 ? -1 : 0;
        d->was[i] = now[i];
    }
    for (int i = 0; i < n; i++) {
        double when = 0;
        if (d->held[i] < SUSPECT)
            continue;
        if (!sticking_attracts(s, i, 2 * AHEAD * h, &when))
            d->held[i] = 0;
        else if (d->held[i] == SUSPECT)
            d->held_at[i] = when;
        else if (s->x.t > d->held_at[i] + BEHIND * h) {
            char how[80];
            snprintf(how, sizeof how, "jumps back and forth since time %.6g", d->held_at[i]);
            d->switched = i;
            return hol_sticks(s, how, err);
        }
    }
    return HOL_OK;
}

// ---- error control: steps that creep ----

// accelerations of coordinate i with the speeds dv and -dv, where both lead back to rest: the smaller one.
// (What else is at rest stands still: a law of two speeds depends on both.)
static double sticking_pull(HolSim *s, int i, double dv) {
    HolState *x = &s->driver->place[0];
    const double rest = AT_REST * s->driver->speed_most;
    double a[2];
    for (int side = 0; side < 2; side++) {
        hol_state_copy(s, x, &s->x);
        for (int j = 0; j < s->nv; j++)
            x->v[j] = fabs(x->v[j]) < rest ? 0 : x->v[j];
        x->v[i] = side ? -dv : dv;
        if (hol_accelerate_apart(s, x) != HOL_OK)
            return 0;
        a[side] = x->a[i];
    }
    return a[0] < 0 && a[1] > 0 ? fmin(-a[0], a[1]) : 0;
}

// a coordinate at rest that a law holds by its jump, in steps of size h; -1: none
static int sticking_holds(HolSim *s, double h) {
    const double rest = AT_REST * s->driver->speed_most;
    for (int i = 0; i < s->nv - s->p->extras->n_hidden && i < MOST; i++) {
        if (!(fabs(s->x.v[i]) < rest))
            continue;
        const double pull = sticking_pull(s, i, rest);
        if (HOLDS * h * pull > rest && sticking_pull(s, i, FARTHER * rest) < SAME * pull &&
            pull < SAME * sticking_pull(s, i, NEARER * rest))
            return i;
    }
    return -1;
}

static HolStatus sticking_at_rest(HolSim *s, int i, double h, HolError *err) {
    char name[96];
    hol_coordinate_name(s, i, name, sizeof name);
    hol_error_set(
        err, HOL_ERR_STEP,
        "time %.9g: a force holds %s at rest, from both sides, and steps of %.2g s lead "
        "nowhere: use 'friction:' of a joint or contact, which holds, or a less steep law, "
        "such as tanh(v/1e-3) (of a speed in two directions: v/sqrt(v^2 + 1e-6))",
        s->x.t, name, h);
    if (err)
        err->time = s->x.t;
    return HOL_ERR_STEP;
}

HolStatus hol_sticking_creeps(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    if (++d->creep_steps < CREEPS)
        return HOL_OK;
    const double h = (s->x.t - d->creep_from) / d->creep_steps;
    const int i = h < CREEPING * s->test->span ? sticking_holds(s, h) : -1;
    d->creep_steps = 0;
    d->creep_from = s->x.t;
    d->creeps = i >= 0 ? d->creeps + 1 : 0;
    return d->creeps < AGAIN ? HOL_OK : sticking_at_rest(s, i, h, err);
}

HolStatus hol_sticking_ends(HolSim *s, HolError *err) {
    const int i = sticking_holds(s, INFINITY);
    return i < 0 ? HOL_OK : sticking_at_rest(s, i, s->h, err);
}
