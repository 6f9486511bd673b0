// SPDX-License-Identifier: Apache-2.0
// Step size control: limits, fitting to stop times, first step. See control.h for the rules.
#include "solve/run/control.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>

void hol_control_init(HolControl *c, const HolSimOptions *o) {
    double span = fabs(o->end - o->start);
    c->safety = 0.9;
    c->shrink = 0.2;
    c->grow = 2;
    // a tenth of the span at most: a motion that starts from rest must not leap over its loads
    c->h_max = o->max_step > 0 ? o->max_step : span / 10;
    c->h_min = o->min_step > 0 ? o->min_step : 1e-13 * span;
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
    if (h >= rest * (1 - 1e-9)) {
        *last = 1;
        return rest;
    }
    return 2 * h > rest * (1 + 1e-9) ? rest / 2 : h;
}

// factor that would bring the error to safety^(1/exponent) of the tolerance
static double best_factor(const HolControl *c, double error, double exponent) {
    if (!(error > 0))
        return 1e10;
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
    enum { PATIENCE = 2 };
    const int slow = c->rejected && c->last_h > h && e > 0.5 * c->last_error * (h / c->last_h);
    c->stagnant = slow ? c->stagnant + 1 : 0;
    c->last_h = h;
    c->last_error = e;
    return c->stagnant >= PATIENCE;
}

double hol_control_reject(HolControl *c, double h, double error, double exponent) {
    c->rejected = 1;
    return h * fmax(c->shrink, fmin(0.9, best_factor(c, error, exponent)));
}

double hol_control_fail(HolControl *c, double h) {
    c->rejected = 1;
    return h / 4;
}

double hol_first_step(HolSim *s, double constant, double tolerance) {
    double span = fabs(s->o.end - s->x.t);
    double h = span > 0 ? span / 100 : 1e-3;
    double *jerk = s->r1, *lambda_dot = s->r2;
    if (hol_mass_factor(s, s->x.t, s->x.q, NULL) == HOL_OK &&
        hol_jerk(s, &s->x, jerk, lambda_dot, NULL) == HOL_OK) {
        // (over the span: roots of numbers without a unit lose no digit by another one)
        const double unit = s->test->span,
                     size = fabs(constant) * hol_norm_q(s, jerk) * (unit * unit * unit);
        const double by_error = size > 0 ? 0.1 * unit * cbrt(tolerance / size) : h;
        if (by_error < h)
            h = by_error;
    } else {
        h *= 0.01;
    }
    return h;
}
