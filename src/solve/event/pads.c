// SPDX-License-Identifier: Apache-2.0
// Compliant contacts in the table of events. Their forces are smooth but for the kinks at touch and
// separation, where steps end (run/kinks.c); nothing jumps, so that they need no transition. Between
// two accepted states the gap is the cubic
//   g(theta) through g0, h g0', g1, h g1'
// whose zero is the time of the event. While a contact is pressed its impulse and the work that it
// takes are integrated over each step by Gauss' rule of five points:
//   impulse = int F dt,   loss = -int F g' dt
// Both are told where it opens.
#include "solve/event/event.h"
#include "solve/run/run.h"

#include <math.h>

typedef struct PadCubic {
    double g0, d0, g1, d1; // values and slopes by theta
} PadCubic;

static double cubic_at(const PadCubic *c, double x) {
    const double rise = c->g1 - c->g0, a = c->d0 + c->d1 - 2 * rise,
                 b = 3 * rise - 2 * c->d0 - c->d1;
    return c->g0 + x * (c->d0 + x * (b + x * a));
}

static double cubic_zero(const PadCubic *c) {
    double lo = 0, hi = 1;
    for (int i = 0; i < 60; i++) {
        const double x = 0.5 * (lo + hi);
        if (cubic_at(c, x) * c->g0 > 0)
            lo = x;
        else
            hi = x;
    }
    return lo;
}

static void pad_changes(HolSim *s, int i, const HolPadState *now) {
    HolEvents *e = s->events;
    HolPadState *last = &e->pads[i];
    const double h = s->x.t - s->prev.t;
    const PadCubic c = {last->gap, h * last->rate, now->gap, h * now->rate};
    const int touches = now->gap < 0;
    const double theta = cubic_zero(&c);
    HolEvent *line = hol_event_log(s, e->ns->pads[i].name, touches ? "touch" : "lift");
    line->time = s->prev.t + theta * h;
    // (of a short step the rates know more than differences of the gaps)
    const double rate = last->rate + theta * (now->rate - last->rate);
    line->speed_before = line->speed_after = rate;
    line->sensitivity = rate != 0 ? 1 / fabs(rate) : 0;
    if (!touches) {
        line->impulse_n = e->pad_impulse[i];
        line->loss = e->pad_loss[i];
    }
    e->pad_impulse[i] = e->pad_loss[i] = 0;
}

// over the last step, of those that were pressed
static void pads_integrate(HolSim *s) {
    static const double at[5] = {0.04691007703066800360, 0.23076534494715845448, 0.5,
                                 0.76923465505284154552, 0.95308992296933199640};
    static const double weight[5] = {0.11846344252809454376, 0.23931433524968323402,
                                     0.28444444444444444444, 0.23931433524968323402,
                                     0.11846344252809454376};
    HolEvents *e = s->events;
    const double h = s->x.t - s->prev.t;
    int pressed = 0;
    for (int i = 0; i < e->ns->n_pads; i++)
        pressed |= e->pads[i].gap < 0;
    for (int k = 0; k < 5 && pressed; k++) {
        hol_sim_dense(s, at[k], &e->at);
        e->ns->pads_at(s->p, s->work, HOL_AT(&e->at), e->pads_now);
        for (int i = 0; i < e->ns->n_pads; i++) {
            if (!(e->pads[i].gap < 0))
                continue;
            e->pad_impulse[i] += h * weight[k] * e->pads_now[i].force;
            e->pad_loss[i] -= h * weight[k] * e->pads_now[i].force * e->pads_now[i].rate;
        }
    }
}

void hol_pads_start(HolSim *s) {
    HolEvents *e = s->events;
    if (e && e->ns->n_pads)
        e->ns->pads_at(s->p, s->work, HOL_AT(&s->x), e->pads);
}

void hol_pads_step(HolSim *s) {
    HolEvents *e = s->events;
    if (!e || !e->ns->n_pads)
        return;
    e->n_log = e->n_kept; // (of what changed where the step began)
    e->n_impulses = e->n_kept ? e->n_impulses : 0;
    pads_integrate(s);
    e->ns->pads_at(s->p, s->work, HOL_AT(&s->x), e->pads_now);
    for (int i = 0; i < e->ns->n_pads; i++) {
        if ((e->pads[i].gap < 0) != (e->pads_now[i].gap < 0))
            pad_changes(s, i, &e->pads_now[i]);
        e->pads[i] = e->pads_now[i];
    }
    e->n_kept = e->n_log;
}
