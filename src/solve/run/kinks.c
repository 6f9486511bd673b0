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
// Search: the locator of events (math/zero/zeros.h); kinks have no search of their own. A switching
// function whose value at the start is round-off is zero there. Where it moves on to its other side
// from there, the kink is where it has left round-off, if that is near enough to be crossed (else the
// law is continuous, or error control meets it).
#include "math/zero/zeros.h"
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- tuning constants ----
enum {
    HALVINGS = 10,                               // of a step, where a switch is no polynomial
    ROWS = HOL_ZERO_NODES + HOL_ZERO_CHECKS + 3, // of switches: samples, scratch, noise, sides
    TRIES = 10,     // attempts to come behind a kink, each four times as far
    IN_A_ROW = 300, // kinks one right behind the other: the motion sticks
    HELD = 3000     // the same where steps end before a kink, or on it, and never lead over it
};
static const double SMOOTH = 1e-6;            // of its range: a switch is its polynomial
static const double PLACE = 1e-8;             // how well the place of a kink is found, of a step
static const double BEHIND_STEP = 1e-4;       // "right behind": of the largest step,
static const double BEHIND_SPAN = 1e-9;       // or of the span
static const double ROUND = 64 * DBL_EPSILON; // of positions and speeds
static const double LAST_PIECE = 1e-3; // of the tolerance that the last piece may be wrong by
static const double FINEST = 1e-13, COARSEST = 1e-4; // tolerances that this is taken of

int hol_kinks_create(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    d->switches = HOL_NEW(&s->arena, double, ROWS * s->p->extras->n_switches + 1);
    if (s->p->extras->n_switches > 0 && (d->basis = HOL_NEW(&s->arena, HolZeroBasis, 1)))
        hol_zero_basis(d->basis);
    return !s->arena.failed;
}

// ---- the search ----

typedef struct Curve {
    HolSim *s;
    HolSwitchesAt at;
    const void *curve;
} Curve;

static void kink_values(void *context, double theta, int i, double *values) {
    const Curve *c = context;
    (void)i;
    c->at(c->s, c->curve, theta, values);
}

// How much round-off of the state changes the switches: the state is moved by it in several ways
static void kink_noise(HolSim *s, double *noise, double *values) {
    const int n = s->p->extras->n_switches;
    const double place = ROUND * s->test->grain, rate = ROUND * s->test->most / s->test->length;
    HolState *x = &s->mid;
    memset(noise, 0, sizeof *noise * (size_t)n);
    double *start = noise + n;
    s->p->extras->switches(s->p, s->work, s->x.t, s->x.q, s->x.v, s->x.w, start);
    for (int way = 0; way < 3; way++) {
        for (int k = 0; k < s->nv; k++) {
            const double sign = way && (k >> (way - 1)) % 2 ? -1 : 1;
            x->a[k] = sign * place * s->reach[k];
        }
        s->p->retract(s->p, s->work, s->x.q, x->a, x->q);
        for (int k = 0; k < s->nv; k++)
            x->v[k] = s->x.v[k] + rate / place * x->a[k];
        // (later, not before: the state may stand right behind a jump of mod or floor of time)
        const double t = s->x.t + (way == 1 ? 2 : 4) * DBL_EPSILON * fabs(s->x.t);
        s->p->extras->switches(s->p, s->work, t, x->q, x->v, s->x.w, values);
        for (int i = 0; i < n; i++) {
            const double off = fabs(values[i] - start[i]);
            noise[i] = off > noise[i] && isfinite(off) ? off : noise[i];
        }
    }
}

double hol_kink_close(const HolSim *s, double h) {
    const double part = sqrt(LAST_PIECE * fmax(FINEST, fmin(COARSEST, s->o.tolerance)));
    return part * fmax(s->driver->reach, h) + 64 * DBL_EPSILON * fabs(s->x.t);
}

// The first two neighbouring samples of switch i of different sign, from place `from` on; 0: none
static int kink_samples(const HolZeros *z, int i, double *from, double *to) {
    double last = 0, at = 0;
    for (int j = 0, k = 0; j < HOL_ZERO_NODES || k < HOL_ZERO_CHECKS;) {
        const int node =
            k == HOL_ZERO_CHECKS || (j < HOL_ZERO_NODES && z->basis->node[j] < hol_zero_check[k]);
        const double theta = node ? z->basis->node[j] : hol_zero_check[k];
        const double y = node ? z->sample[j++ * z->n + i] : z->check[k++ * z->n + i];
        if (theta < *from)
            continue;
        if (last * y < 0) {
            *from = at;
            *to = theta;
            return 1;
        }
        if (y != 0) {
            last = y;
            at = theta;
        }
    }
    return 0;
}

// nothing but round-off all along: what a joint that holds leaves of a speed
static int kink_is_noise(const HolZeros *z, int i, double noise) {
    for (int j = 0; j < HOL_ZERO_NODES; j++)
        if (!(fabs(z->sample[j * z->n + i]) <= noise))
            return 0;
    for (int k = 0; k < HOL_ZERO_CHECKS; k++)
        if (!(fabs(z->check[k * z->n + i]) <= noise))
            return 0;
    return 1;
}

// Part of the curve that leads to just behind the first change of sign of switch i, if it lies before
// `first`; else 1. Switches may jump and bend: a change of the polynomial's sign counts where it is one
// of the switch, and one that samples show counts whatever the polynomial says.
static double kink_of_switch(HolSim *s, const HolZeros *z, double *noise, int i, int *known,
                             double first, double near, double width, double relative) {
    const double start = z->sample[i];
    double from = 0, to = 0, last;
    const int starts_zero = start != 0 && fabs(start) <= noise[i]; // (noise: 0, unless known)
    if (!starts_zero && !hol_zeros_next(z, i, start == 0, 1, &from, &to, &last))
        return 1;
    if (!*known)
        kink_noise(s, noise, z->scratch);
    *known = 1;
    const int order = fabs(start) <= noise[i];
    if (order && near < 1 && kink_is_noise(z, i, noise[i]))
        return 1; // (shorter steps may be those of a law that sticks, which is to be counted)
    if (order && start != 0) {
        const double theta = hol_zeros_leaves(z, i, fmax(width, DBL_EPSILON), 1);
        if (theta <= near && hol_zeros_value(z, i, theta) * start < 0)
            return theta;
    }
    to = 0;
    while (hol_zeros_next(z, i, order, 1, &from, &to, &last) && from < first) {
        if (order)
            from = hol_zeros_leaves(z, i, fmax(from, 1e-6), to);
        const double behind = hol_zeros_behind(z, i, from, to, width, relative);
        if (behind > 0)
            return behind;
    }
    from = order ? z->basis->node[1] : 0;
    if (!kink_samples(z, i, &from, &to) || from >= first)
        return 1;
    const double behind = hol_zeros_behind(z, i, from, to, width, relative);
    return behind > 0 ? behind : 1;
}

double hol_until_kink(HolSim *s, double near, double width, double relative, HolSwitchesAt at,
                      const void *curve) {
    const int n = s->p->extras->n_switches;
    struct HolSimDriver *d = s->driver;
    double *sample = d->switches, *check = sample + HOL_ZERO_NODES * n,
           *scratch = check + HOL_ZERO_CHECKS * n, *noise = scratch + n, first = 1;
    Curve c = {s, at, curve};
    int known = 0;
    const HolZeros z = {d->basis, n,        sample, check,       noise,
                        scratch,  HALVINGS, SMOOTH, kink_values, &c};
    memset(noise, 0, sizeof *noise * (size_t)n);
    hol_zeros_sample(&z);
    for (int i = 0; i < n; i++) {
        const double part = kink_of_switch(s, &z, noise, i, &known, first, near, width, relative);
        if (part < first) {
            first = part;
            d->switched = i;
        }
    }
    return first < 1 ? fmin(first, 1 - DBL_EPSILON) : 1;
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
    return hol_until_kink(s, hol_kink_close(s, h) / h, lost(s, h), PLACE, between_ends, NULL);
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
    const double part =
        hol_until_kink(s, hol_kink_close(s, h) / h, lost(s, h), PLACE, along_accelerations, &h);
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
        if (status == HOL_OK && !hol_rates_jump_next(s, *h))
            status = hol_project_velocity(s, x->t, x->q, x->v, err);
        if (status == HOL_OK)
            status = hol_accelerate(s, x, 1, err);
        const int which = status == HOL_OK ? switched(s) : -1;
        d->switched = which >= 0 ? which : d->switched;
        if (status != HOL_OK || which >= 0 || *h == most)
            break;
    }
    return status;
}

// A step of the grid, or one so short that the kink was lost in round-off: velocities of s->next are
// those that the accelerations lead to, and the drive pushes bodies at its end
void hol_passed_kink(HolSim *s) {
    HolState *x = &s->out;
    const double h = s->next.t - s->x.t;
    if (!looks_for_kinks(s) || !s->p->extras->switching_rows || s->driver->pushed ||
        switched(s) < 0 || !hol_rates_jump_between(s))
        return;
    hol_state_copy(s, x, &s->x);
    if ((s->stepper->rings || x->bare) && hol_accelerate_apart(s, x) != HOL_OK)
        return;
    hol_sim_add(s, s->nv, x->v, h, x->a, s->next.v);
    s->driver->pushed = 1;
}

// ---- too many of them ----

HolStatus hol_sticks(HolSim *s, const char *how, HolError *err) {
    const struct HolSimDriver *d = s->driver;
    char name[96] = "";
    if (d->switched >= 0 && s->p->extras->switch_name)
        s->p->extras->switch_name(s->p, d->switched, name, sizeof name);
    hol_error_set(
        err, HOL_ERR_STEP,
        "time %.9g: %s%s%s %s: the motion sticks where it jumps; use 'friction:' of a "
        "joint or contact, which holds, or a steep law in its place, such as tanh(v/1e-3) "
        "for sign(v)",
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

HolStatus hol_count_held(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    const double h = s->x.t - s->prev.t;
    if (!looks_for_kinks(s) || h > BEHIND_SPAN * s->test->span || !hol_is_held(s)) {
        d->held_steps = 0;
        return HOL_OK;
    }
    return ++d->held_steps < HELD
               ? HOL_OK
               : hol_sticks(s, "lets no step leave the place where it jumps", err);
}

void hol_kinks_keep(HolSim *s, HolKeeper *k) {
    HOL_KEEP_ARRAY(k, s->driver->switches, ROWS * s->p->extras->n_switches);
}
