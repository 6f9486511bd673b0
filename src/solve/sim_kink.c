// SPDX-License-Identifier: Apache-2.0
// Kinks: sign changes of the switching functions of the forces (if, abs, sign, max ..). A step over
// one has no order. It is found on a curve between the ends of the step, and the step is made again
// so that it ends just behind it.
#include "solve/driver.h"

#include <float.h>
#include <math.h>

static int crossed(const double *before, const double *after, int n) {
    for (int i = 0; i < n; i++)
        if (before[i] * after[i] < 0)
            return 1;
    return 0;
}

double hol_until_kink(HolSim *s, double tiny, HolSwitchesAt at, const void *curve) {
    enum { PIECES = 8 };
    const int n = s->p->n_switches;
    double *before = s->driver->switches, *after = before + n;
    at(s, curve, tiny, before);
    for (int i = 1; i <= PIECES; i++) {
        double lo = fmax(tiny, (double)(i - 1) / PIECES), hi = (double)i / PIECES;
        at(s, curve, hi, after);
        if (!crossed(before, after, n))
            continue;
        while (hi - lo > tiny) {
            const double mid = 0.5 * (lo + hi);
            at(s, curve, mid, after);
            if (crossed(before, after, n))
                hi = mid;
            else
                lo = mid;
        }
        return fmin(hi, 1 - DBL_EPSILON);
    }
    return 1;
}

// on the cubic between the ends of the candidate
static void between_ends(HolSim *s, const void *curve, double theta, double *values) {
    HolState *x = &s->mid;
    (void)curve;
    hol_between(s, &s->x, &s->next, theta, x);
    s->p->switches(s->p, s->work, x->t, x->q, x->v, x->w, values);
}

int hol_stands_on_kink(HolSim *s) {
    const HolState *x = &s->x;
    double *values = s->driver->switches;
    if (!s->stepper->over_kinks || !s->p->n_switches)
        return 0;
    s->p->switches(s->p, s->work, x->t, x->q, x->v, x->w, values);
    for (int i = 0; i < s->p->n_switches; i++)
        if (values[i] == 0)
            return 1;
    return 0;
}

double hol_candidate_kink(HolSim *s) {
    if (!s->stepper->over_kinks || !s->p->n_switches)
        return 1;
    const double h = s->next.t - s->x.t;
    return hol_until_kink(s, 8 * DBL_EPSILON * fmax(1, fabs(s->x.t) / h) + 1e-12, between_ends,
                          NULL);
}
