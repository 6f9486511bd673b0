// SPDX-License-Identifier: Apache-2.0
// Step size control: limits, fitting to stop times, first step. See control.h for the rules.
#include "solve/run/control.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>

// ---- tuning constants ----
static const double SAFETY = 0.9;       // part of the step that the estimate allows
static const double SHRINK = 0.2;       // smallest ratio of two steps
static const double GROW = 2;           // largest ratio of two steps
static const double LEAST_CUT = 0.9;    // largest ratio after a rejection
static const double FAILED_CUT = 4;     // a failed iteration divides the step by this
static const double STEPS_OF_SPAN = 10; // the largest step is the span over this
static const double LEAST_STEP = 1e-13; // smallest step, as a part of the span
static const double SAME_TIME = 1e-9;   // steps that end so near a target (relative) end at it
static const double BOUNDLESS = 1e10;   // growth that no error limits
static const double NO_PROGRESS = 0.5; // the error falls by less than this times the step: stagnant
enum { PATIENCE = 2 };                 // stagnant steps in a row that are tolerated
static const double FIRST_STEPS = 100; // the first step is at most the span over this
static const double FIRST_OF_NOTHING = 1e-3; // first step of a run without a span
static const double FIRST_PART = 0.1;        // of the step that the jerk allows
static const double FIRST_BLIND = 0.01; // the first step shrinks by this where the jerk is unknown

void hol_control_init(HolControl *c, const HolSimOptions *o) {
    double span = fabs(o->end - o->start);
    c->safety = SAFETY;
    c->shrink = SHRINK;
    c->grow = GROW;
    // a tenth of the span at most: a motion that starts from rest must not leap over its loads
    c->h_max = o->max_step > 0 ? o->max_step : span / STEPS_OF_SPAN;
    c->h_min = o->min_step > 0 ? o->min_step : LEAST_STEP * span;
    c->rejected = 0;
}

double hol_control_least(const HolControl *c, double t) {
    double round_off = 16 * DBL_EPSILON * fabs(t);
    return c->h_min > round_off ? c->h_min : round_off;
}

double hol_control_fit(const HolControl *c, double t, double target, double h, int *last) {
    double rest = target - t;
    if (c->h_max > 0 && h > c->h_max)
        h = c->h_max;
    *last = 0;
    if (h >= rest * (1 - SAME_TIME)) {
        *last = 1;
        return rest;
    }
    return 2 * h > rest * (1 + SAME_TIME) ? rest / 2 : h;
}

// factor that would bring the error to safety^(1/exponent) of the tolerance
static double best_factor(const HolControl *c, double error, double exponent) {
    if (!(error > 0))
        return BOUNDLESS;
    return c->safety * pow(error, -exponent);
}

double hol_control_accept(HolControl *c, double h, double wanted, double error, double exponent) {
    double best = best_factor(c, error, exponent);
    double most = c->rejected ? 1 : c->grow;
    double h_new = h * fmax(c->shrink, fmin(most, best));
    // a step shortened only to hit a time must not cost the size reached before
    if (!c->rejected && h < wanted)
        h_new = fmax(h_new, fmin(wanted, h * best));
    c->rejected = 0;
    return h_new;
}

int hol_control_stagnates(HolControl *c, double h, double e) {
    const int slow =
        c->rejected && c->last_h > h && e > NO_PROGRESS * c->last_error * (h / c->last_h);
    c->stagnant = slow ? c->stagnant + 1 : 0;
    c->last_h = h;
    c->last_error = e;
    return c->stagnant >= PATIENCE;
}

double hol_control_reject(HolControl *c, double h, double error, double exponent) {
    c->rejected = 1;
    return h * fmax(c->shrink, fmin(LEAST_CUT, best_factor(c, error, exponent)));
}

double hol_control_fail(HolControl *c, double h) {
    c->rejected = 1;
    return h / FAILED_CUT;
}

double hol_first_step(HolSim *s, double constant, double tolerance) {
    double span = fabs(s->o.end - s->x.t);
    double h = span > 0 ? span / FIRST_STEPS : FIRST_OF_NOTHING;
    double *jerk = s->r1, *lambda_dot = s->r2;
    if (hol_mass_factor(s, s->x.t, s->x.q, NULL) == HOL_OK &&
        hol_jerk(s, &s->x, jerk, lambda_dot, NULL) == HOL_OK) {
        // (over the span: roots of numbers without a unit lose no digit by another one)
        const double unit = s->test->span,
                     size = fabs(constant) * hol_norm_q(s, jerk) * (unit * unit * unit);
        const double by_error = size > 0 ? FIRST_PART * unit * cbrt(tolerance / size) : h;
        if (by_error < h)
            h = by_error;
    } else {
        h *= FIRST_BLIND;
    }
    return h;
}
