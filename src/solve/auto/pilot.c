// SPDX-License-Identifier: Apache-2.0
// The pilot: both candidates run over a part of the span, each with a budget of work that grows in turns,
// until one arrives. Work is counted in evaluations of the equations with fixed weights, never timed, so
// that every rerun decides alike. Where the stiff candidate arrives with much less than stability lets the
// other one do with, that one is not tried. Weights are CPU times over counts, of trees and loops of 2 to 12
// degrees of freedom (they decide between methods that differ by factors, not by per cent):
//   taylor    a step costs as much as 4 evaluations in joint coordinates, 12 in those of the bodies
//   radau     counts evaluations in n joint coordinates (1, 0.8 + 0.1 n) or in local ones (5)
//   tangent, rk853   an evaluation is a solve with the whole matrix: 5
#include "solve/auto/auto.h"

#include <math.h>
#include <string.h>

static const double FIRST_BUDGET = 120, LARGER = 1.6;
static const double HELD = 4;   // steps of taylor are held by stability below so many times 1/rate
static const double MORE = 1.5; // times the winner's work that the stiff one may spend to arrive
static const double CLEAR =
    0.5; // part of the other's least work with which the stiff one wins at once

// of taylor
static double pilot_step_work(const HolProblemExtras *e) {
    return e->tree_series && !e->n_switches ? 4 : 12;
}

static double pilot_work(const HolSim *s) {
    const HolProblemExtras *e = s->p->extras;
    const HolStats *stats = &s->stats;
    if (!strcmp(s->stepper->name, "taylor"))
        return (double)(stats->steps + stats->rejected) * pilot_step_work(e);
    if (!strcmp(s->stepper->name, "radau"))
        return (double)stats->force_evaluations *
               (e->n_tree > 0 ? fmax(1, 0.8 + 0.1 * s->check.dof) : 5);
    return 5.0 * (double)stats->force_evaluations;
}

// NULL: it refuses the problem, or there is no memory (which the run then has not either)
static HolSim *pilot_create(HolSim *s, const HolStepper *stepper) {
    HolSimOptions o = s->o;
    HolSim *out = NULL;
    o.method = hol_sim_options().method;
    snprintf(o.method.name, sizeof o.method.name, "%s", stepper->name);
    const HolStatus status = hol_sim_create_like(s, &o, &out, NULL);
    if (status == HOL_ERR_MEMORY)
        s->arena.failed = 1;
    return status == HOL_OK ? out : NULL;
}

// on to `end` or to the budget: 1 when it is there, -1 when it failed; the work of the first half of the
// way goes to *half
static int pilot_advance(HolSim *p, HolSim *of, double end, double budget, double *half) {
    p->stop_flag = of->stop_flag;
    while (pilot_work(p) < budget && p->x.t < end) {
        const double before = p->x.t;
        if (p->stop_flag && *p->stop_flag)
            return 0;
        const HolStatus status = hol_sim_step(p, p->o.end, NULL);
        if (status == HOL_ERR_MEMORY || p->arena.failed) // (then the run has none either)
            of->arena.failed = 1;
        if (status != HOL_OK || !(p->x.t > before))
            return -1;
        if (p->x.t - of->x.t <= 0.5 * (end - of->x.t))
            *half = pilot_work(p);
    }
    return p->x.t >= end;
}

// work of the smooth candidate over a span, at least: its steps are held below a few times 1/rate
static double pilot_least(const HolSim *s, double span, double rate) {
    return span * rate / HELD * pilot_step_work(s->p->extras);
}

// work of the whole run, as the second half of the pilot went
static double pilot_whole(const HolSim *p, double half, double part) {
    return pilot_work(p) + 2 * (pilot_work(p) - half) * (1 / part - 1);
}

// Both in turns until one arrives or `most` is spent; then the one that came farther a unit of work.
static int pilot_race(HolSim *s, HolSim *pilot[2], double part, double end, double most,
                      double half[2]) {
    int first = -1, failed[2] = {!pilot[0], !pilot[1]};
    double budget = FIRST_BUDGET;
    while (first < 0 && !(failed[0] && failed[1]) && budget < most) {
        for (int i = 0; i < 2 && first < 0; i++) {
            const int got = failed[i] ? -1 : pilot_advance(pilot[i], s, end, budget, &half[i]);
            failed[i] = got < 0;
            first = got > 0 ? i : -1;
        }
        if (s->stop_flag && *s->stop_flag)
            return first;
        budget *= LARGER;
    }
    // a stiff transient is dear for the stiff one, too: what follows it counts
    if (first == 0 && !failed[1]) {
        const double enough = MORE * pilot_work(pilot[0]);
        if (pilot_advance(pilot[1], s, end, enough, &half[1]) > 0 &&
            pilot_whole(pilot[1], half[1], part) < pilot_whole(pilot[0], half[0], part))
            first = 1;
    }
    if (first < 0 && !failed[0] && !failed[1])
        return (pilot[0]->x.t - s->x.t) * pilot_work(pilot[1]) >=
                       (pilot[1]->x.t - s->x.t) * pilot_work(pilot[0])
                   ? 0
                   : 1;
    return first >= 0 ? first : !failed[0] ? 0 : !failed[1] ? 1 : -1;
}

int hol_auto_pilot(HolSim *s, double part, double decay, double most, double work[2]) {
    const double span = part * (s->o.end - s->x.t), end = s->x.t + span;
    HolSim *pilot[2] = {0};
    int winner = -1;
    double half[2] = {0};
    work[0] = work[1] = 0;
    pilot[1] = pilot_create(s, s->choice->stepper[1]);
    const double least = pilot_least(s, span, decay);
    if (pilot[1] && least > FIRST_BUDGET) {
        double later, rate;
        // where the stiff one arrives with much less than the other needs, that one need not run
        const int got = pilot_advance(pilot[1], s, end, CLEAR * least, &half[1]);
        struct HolRates *rates = hol_rates_create(pilot[1]);
        hol_fill(pilot[1], &pilot[1]->x);
        if (got > 0 && rates && hol_fastest_rates(rates, &pilot[1]->x, &later, &rate) &&
            pilot_work(pilot[1]) < CLEAR * pilot_least(s, span, fmin(decay, later))) {
            work[0] = pilot_least(s, span, fmin(decay, later));
            winner = 1;
        }
        hol_rates_destroy(rates);
        if (got < 0) {
            hol_sim_destroy(pilot[1]);
            pilot[1] = NULL;
        }
    }
    if (winner < 0) {
        pilot[0] = pilot_create(s, s->choice->stepper[0]);
        winner = pilot_race(s, pilot, part, end, most, half);
    }
    for (int i = 0; i < 2; i++) {
        if (pilot[i])
            work[i] = pilot_work(pilot[i]);
        hol_sim_destroy(pilot[i]);
    }
    return winner;
}
