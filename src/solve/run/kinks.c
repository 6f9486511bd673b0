// SPDX-License-Identifier: Apache-2.0
// Kinks: sign changes of the switching functions of the forces (if, abs, sign, max ..;
// docs/theory/error-control.md, section 11). A step over one has no order. They are searched on a
// curve between the ends of the candidate. The step is repeated so that it ends just before the
// first kink, because a method takes values from the end of a step and these must belong to one
// side. From there the distance is known ever better from
//   q + h v + h^2/2 a,  v + h a
// and a step or two lead closer, until the rest is so short that these formulas lead over it, as
// little beyond the kink as its place is known. Behind it the run starts anew. The error of this
// last piece is not tested: it is a small part of the tolerance, or lost in round-off.
//
// Search: each switching function in PIECES places and where a parabola through three of them has
// its vertex (it may touch zero twice between them), then bisection for the first sign change.
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"
#include "solve/run/sign_change.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

// ---- tuning constants ----
enum {
    PIECES = 8,        // samples of all switches over a step
    ROWS = PIECES + 2, // and one at the start
    TRIES = 10,        // attempts to come behind a kink, each four times as far
    IN_A_ROW = 300     // kinks one right behind the other: the motion sticks
};
static const double PLACE = 1e-8;       // how well the place of a kink is found, of a step
static const double TOUCHES = 0.1;      // a parabola whose vertex is below this part of the sample
static const double BEHIND_STEP = 1e-4; // "right behind": of the largest step,
static const double BEHIND_SPAN = 1e-9; // or of the span

int hol_kinks_create(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    d->switches = HOL_NEW(&s->arena, double, (ROWS + 1) * s->p->extras->n_switches + 1);
    return !s->arena.failed;
}

// has a switch another sign? The first that has is remembered
static int crossed(HolSim *s, const double *after) {
    const double *before = s->driver->switches;
    for (int i = 0; i < s->p->extras->n_switches; i++)
        if (before[i] * after[i] < 0) {
            s->driver->switched = i;
            return 1;
        }
    return 0;
}

typedef struct Curve {
    HolSim *s;
    HolSwitchesAt at;
    const void *curve;
} Curve;

static int other_side(void *context, double theta) {
    const Curve *c = context;
    double *values = c->s->driver->switches + ROWS * c->s->p->extras->n_switches;
    c->at(c->s, c->curve, theta, values);
    return crossed(c->s, values);
}

// Between samples k-1 and k+1 a switch comes closer to zero than at its ends, and its parabola
// crosses it: a place where it has the other sign; -1: there is none
static double dip(HolSim *s, int k, HolSwitchesAt at, const void *curve) {
    const int n = s->p->extras->n_switches;
    double *before = s->driver->switches, *values = before + ROWS * n;
    const double *row = before + k * n;
    for (int i = 0; i < n; i++) {
        const double f0 = row[i - n], f1 = row[i], f2 = row[i + n], slope = (f2 - f0) / 2,
                     bend = f0 - 2 * f1 + f2;
        // its own side is the sign of bend, and its vertex lies less than a piece away
        if (!(bend * f1 > 0) || !(fabs(slope) < fabs(bend)) || fabs(f1) > 2 * fabs(bend) ||
            (f1 - slope * slope / (2 * bend)) * f1 > TOUCHES * f1 * f1)
            continue;
        const double theta = (k - slope / bend) / PIECES;
        at(s, curve, theta, values);
        if (crossed(s, values))
            return theta;
    }
    return -1;
}

// the sides at the start; a function that is zero takes the side towards which it moves
static void sides_at_start(HolSim *s, double from, HolSwitchesAt at, const void *curve) {
    const int n = s->p->extras->n_switches;
    double *before = s->driver->switches, *values = before + ROWS * n;
    int zero = 0;
    at(s, curve, 0, before);
    for (int i = 0; i < n; i++)
        zero |= before[i] == 0;
    if (!zero || !(from > 0))
        return;
    at(s, curve, from, values);
    for (int i = 0; i < n; i++)
        if (before[i] == 0)
            before[i] = values[i];
}

double hol_until_kink(HolSim *s, double from, double width, double relative, HolSwitchesAt at,
                      const void *curve) {
    const int n = s->p->extras->n_switches;
    double *before = s->driver->switches;
    Curve c = {s, at, curve};
    sides_at_start(s, from, at, curve);
    for (int k = 1; k <= PIECES; k++) {
        const double lo = (k - 1.0) / PIECES, hi = (double)k / PIECES;
        double *row = before + k * n, last;
        at(s, curve, hi, row);
        if (crossed(s, row))
            return fmin(hol_sign_change(lo, hi, width, relative, other_side, &c), 1 - DBL_EPSILON);
        if (k > 1 && (last = dip(s, k - 1, at, curve)) > 0)
            return hol_sign_change((k - 2.0) / PIECES, last, width, relative, other_side, &c);
    }
    return 1;
}

// ---- between s->x and s->next ----

static void between_ends(HolSim *s, const void *curve, double theta, double *values) {
    HolState *x = &s->mid;
    (void)curve;
    if (s->stepper->inside)
        s->stepper->inside(s, theta, x);
    else
        hol_between(s, &s->x, &s->next, theta, x);
    s->p->extras->switches(s->p, s->work, s->x.t + theta * (s->next.t - s->x.t), x->q, x->v, x->w,
                           values);
}

static int looks_for_kinks(const HolSim *s) {
    return s->stepper->over_kinks && s->p->extras->n_switches > 0;
}

// a part of a step of size h that is lost in round-off
static double lost(const HolSim *s, double h) {
    return 8 * DBL_EPSILON * fmax(1, fabs(s->x.t) / h);
}

double hol_candidate_kink(HolSim *s) {
    const double h = s->next.t - s->x.t;
    if (!looks_for_kinks(s) || !(h > 0))
        return 1;
    return hol_until_kink(s, lost(s, h), lost(s, h), PLACE, between_ends, NULL);
}

// along the accelerations of s->x
static void along_accelerations(HolSim *s, const void *curve, double theta, double *values) {
    const double h = theta * *(const double *)curve;
    HolState *x = &s->mid;
    hol_extrapolate(s, h, x);
    s->p->extras->switches(s->p, s->work, x->t, x->q, x->v, x->w, values);
}

void hol_extrapolate(HolSim *s, double h, HolState *out) {
    hol_sim_add(s, s->nv, s->x.v, 0.5 * h, s->x.a, out->v);
    for (int i = 0; i < s->nv; i++)
        out->v[i] *= h;
    s->p->retract(s->p, s->work, s->x.q, out->v, out->q);
    hol_sim_add(s, s->nv, s->x.v, h, s->x.a, out->v);
    hol_sim_assign(s, out->a, s->x.a, s->nv);
    hol_sim_assign(s, out->lambda, s->x.lambda, s->m);
    for (int i = 0; i < s->nw; i++)
        out->w[i] = s->x.w[i];
    out->t = s->x.t + h;
}

double hol_kink_ahead(HolSim *s, double h) {
    if (!looks_for_kinks(s) || !(h > 0))
        return INFINITY;
    const double part = hol_until_kink(s, lost(s, h), lost(s, h), PLACE, along_accelerations, &h);
    return part < 1 ? part * h : INFINITY;
}

int hol_stands_on_kink(HolSim *s) {
    const HolState *x = &s->x;
    double *values = s->driver->switches;
    if (!looks_for_kinks(s))
        return 0;
    s->p->extras->switches(s->p, s->work, x->t, x->q, x->v, x->w, values);
    for (int i = 0; i < s->p->extras->n_switches; i++)
        if (values[i] == 0) {
            s->driver->switched = i;
            return 1;
        }
    return 0;
}

// ---- over it ----

// the first switch that s->x and s->next do not lie on the same side of, -1: none
static int switched(HolSim *s) {
    const int n = s->p->extras->n_switches;
    double *before = s->driver->switches, *after = before + n;
    s->p->extras->switches(s->p, s->work, s->x.t, s->x.q, s->x.v, s->x.w, before);
    s->p->extras->switches(s->p, s->work, s->next.t, s->next.q, s->next.v, s->next.w, after);
    for (int i = 0; i < n; i++)
        if (before[i] * after[i] < 0 || (before[i] == 0 && after[i] != 0))
            return i;
    return -1;
}

HolStatus hol_cross_kink(HolSim *s, double *h, double vague, double most, HolError *err) {
    struct HolSimDriver *d = s->driver;
    HolState *x = &s->next;
    HolStatus status = HOL_OK;
    for (int n = 0; n < TRIES; n++, vague *= 4) {
        *h = fmin(*h + vague, most);
        hol_extrapolate(s, *h, x);
        status = s->p->extras->switching_rows ? hol_constraints_jump(s, x, NULL, err) : HOL_OK;
        if (status == HOL_OK)
            status = hol_project_position(s, x->t, x->q, 1, err);
        if (status == HOL_OK)
            status = hol_project_velocity(s, x->t, x->q, x->v, err);
        if (status == HOL_OK)
            status = hol_accelerate(s, x, 1, err);
        d->switched = status == HOL_OK ? switched(s) : -1;
        if (status != HOL_OK || d->switched >= 0 || *h == most)
            break;
    }
    return status;
}

// ---- too many of them ----

HolStatus hol_sticks(HolSim *s, const char *how, HolError *err) {
    const struct HolSimDriver *d = s->driver;
    char name[96] = "";
    if (d->switched >= 0 && s->p->extras->switch_name)
        s->p->extras->switch_name(s->p, d->switched, name, sizeof name);
    hol_error_set(err, HOL_ERR_STEP,
                  "time %.9g: %s%s%s %s: the motion sticks where it jumps; use a steep law in its "
                  "place, such as tanh(v/1e-3) for sign(v)",
                  s->x.t, name[0] ? "the law of '" : "a force", name, name[0] ? "'" : "", how);
    if (err)
        err->time = s->x.t;
    return HOL_ERR_STEP;
}

// the last kink lies a small part of the longest step, or next to nothing of the run, behind
static int right_behind(const HolSim *s) {
    return s->x.t - s->driver->last_kink <
           fmax(BEHIND_STEP * s->stats.h_max, BEHIND_SPAN * s->test->span);
}

int hol_is_held(HolSim *s) {
    return hol_stands_on_kink(s) || (s->driver->kinks > 0 && right_behind(s));
}

HolStatus hol_count_kink(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    d->kinks = right_behind(s) ? d->kinks + 1 : 1;
    d->last_kink = s->x.t;
    if (d->kinks < IN_A_ROW)
        return HOL_OK;
    char how[64];
    snprintf(how, sizeof how, "jumps back and forth (%d times in a row)", d->kinks);
    return hol_sticks(s, how, err);
}

void hol_kinks_keep(HolSim *s, HolKeeper *k) {
    HOL_KEEP_ARRAY(k, s->driver->switches, (ROWS + 1) * s->p->extras->n_switches);
}
