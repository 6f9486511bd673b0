// SPDX-License-Identifier: Apache-2.0
// The choice. Over a span T, with the fastest decay and the fastest rate |lambda| of the motion at the start:
//   a fixed step                          tangent: stable with any step
//   no degree of freedom, no forces       the candidate for smooth motion
//   T decay < 300 and T |lambda| < 500    smooth: nothing dies out much faster than the run lasts
//   else                                  a pilot of both candidates over a tenth of the span (a third
//                                         where nothing decays: what vibrates may take no part)
// Candidates: taylor (a C user's problem without series: rk853), and radau for trees of few degrees of
// freedom, else tangent. During the run: on to the stiff candidate when taylor finds its steps held by
// stability, back when the steps of the stiff one no longer are beyond what taylor could take.
#include "solve/auto/auto.h"
#include "solve/event/event.h"

#include "solve/chart/chart.h"
#include "solve/run/run.h"

#include <math.h>
#include <string.h>

static const double LONG_DECAY = 300, LONG_RATE = 500; // times the span: below, nothing is stiff
static const double TENTH = 0.1, THIRD = 1. / 3;       // of the span that a pilot runs over
static const double EASY = 2;        // h |lambda| of a stiff step below which taylor goes as far
static const double MOST_WORK = 800; // of a pilot where nothing decays
static const double FAST = 1;        // h decay of a step that goes over what decays
enum { LOOK = 200, PATIENCE = 1000, MOST_SWITCHES = 4 };

static HolStatus auto_create(HolSim *s, HolError *err) {
    s->choice = HOL_NEW(&s->arena, struct HolAuto, 1);
    return s->choice ? HOL_OK : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

static HolStatus auto_start(HolSim *s, HolError *err) {
    (void)s;
    return hol_error_set(err, HOL_ERR_INPUT, "the method of the run is not chosen yet");
}

static HolStatus auto_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    (void)h;
    (void)result;
    return auto_start(s, err);
}

// memory and flags of candidate i; 0 and err when it refuses the problem
static int auto_prepare(HolSim *s, int i, HolError *err) {
    struct HolAuto *c = s->choice;
    const HolStepper *stepper = s->stepper;
    void *memory = s->method;
    if (c->memory[i])
        return 1;
    s->stepper = c->stepper[i];
    s->method = NULL;
    const HolStatus status = s->stepper->create(s, err);
    c->memory[i] = status == HOL_OK ? s->method : NULL;
    s->stepper = stepper;
    s->method = memory;
    return status == HOL_OK;
}

static void auto_use(HolSim *s, int i) {
    struct HolAuto *c = s->choice;
    c->now = i;
    s->stepper = c->stepper[i];
    s->method = c->memory[i];
    s->turns_counted = 0;
    hol_kkt_set_regularization(s->mass, HOL_KKT_REGULARIZATION);
    hol_driver_limits(s);
    c->held = 0;
    c->next_look = s->stats.steps + (c->patience ? c->patience : LOOK);
}

static void auto_candidates(HolSim *s) {
    const HolProblemExtras *e = s->p->extras;
    const int series = e->series_start && e->series_memory && e->series_swap;
    const int few = e->n_tree > 0 && hol_chart_needs(s) <= HOL_CHART_DOF && !s->nw && !s->nn;
    s->choice->stepper[HOL_AUTO_SMOOTH] = hol_stepper_find(series ? "taylor" : "rk853");
    s->choice->stepper[HOL_AUTO_STIFF] = hol_stepper_find(few ? "radau" : "tangent");
}

// which candidate a run with error control starts with
static int auto_decide(HolSim *s) {
    struct HolAuto *c = s->choice;
    const double span = s->o.end - s->x.t;
    const char *smooth = c->stepper[0]->name, *stiff = c->stepper[1]->name;
    double decay, omega, work[2];
    if (hol_chart_needs(s) == 0 || (s->p->extras->body && !s->p->extras->n_forces)) {
        snprintf(c->why, sizeof c->why, "%s: %s", smooth,
                 hol_chart_needs(s) == 0 ? "no degree of freedom"
                                         : "no springs, dampers or other forces");
        return HOL_AUTO_SMOOTH;
    }
    c->rates = hol_rates_create(s);
    if (!c->rates || !hol_fastest_rates(c->rates, &s->x, &decay, &omega)) {
        snprintf(c->why, sizeof c->why, "%s: the rates at the start are not known", smooth);
        return HOL_AUTO_SMOOTH;
    }
    if (span * decay < LONG_DECAY && span * omega < LONG_RATE) {
        snprintf(c->why, sizeof c->why,
                 "%s: not stiff (fastest decay %.2g 1/s, fastest rate %.2g 1/s, run %.3g s)",
                 smooth, decay, omega, span);
        return HOL_AUTO_SMOOTH;
    }
    const int damped = span * decay >= LONG_DECAY;
    c->patience = PATIENCE; // until the answer is doubted
    const int winner = damped ? hol_auto_pilot(s, TENTH, decay, INFINITY, work)
                              : hol_auto_pilot(s, THIRD, 0, MOST_WORK, work);
    if (winner < 0) {
        snprintf(c->why, sizeof c->why,
                 "tangent: stiff (fastest decay %.2g 1/s), and no pilot arrived", decay);
        c->stepper[HOL_AUTO_STIFF] = hol_stepper_find("tangent");
        return HOL_AUTO_STIFF;
    }
    snprintf(
        c->why, sizeof c->why,
        "%s: %s (fastest decay %.2g 1/s, rate %.2g 1/s); ahead in a pilot with a work of %.0f, "
        "%s with %.0f or more",
        winner ? stiff : smooth, winner ? "stiff" : "fast rates, but no stiffness that pays", decay,
        omega, work[winner], winner ? smooth : stiff, work[1 - winner]);
    return winner;
}

// An explicit method that was named has tangent beside it where slip in space may begin: across its direction
// friction is as stiff as F/|w|, w the sliding velocity
static HolStatus auto_beside(HolSim *s, HolError *err) {
    HolError problem;
    const int explicit = !strcmp(s->stepper->name, "taylor") || !strcmp(s->stepper->name, "rk853");
    if (!explicit || s->o.step > 0 || !hol_slip_turns(s))
        return HOL_OK;
    if (auto_create(s, err) != HOL_OK)
        return HOL_ERR_MEMORY;
    struct HolAuto *c = s->choice;
    c->chosen = c->named = 1;
    c->stepper[HOL_AUTO_SMOOTH] = s->stepper;
    c->memory[HOL_AUTO_SMOOTH] = s->method;
    c->stepper[HOL_AUTO_STIFF] = hol_stepper_find("tangent");
    const HolMethodOptions own = s->o.method;
    s->o.method = hol_sim_options().method;
    (void)auto_prepare(s, HOL_AUTO_STIFF, &problem);
    s->o.method = own;
    return s->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

HolStatus hol_auto_choose(HolSim *s, HolError *err) {
    struct HolAuto *c = s->choice;
    HolError problem;
    if (!c)
        return auto_beside(s, err);
    if (c->chosen)
        return HOL_OK;
    auto_candidates(s);
    int first;
    if (s->o.step > 0) {
        c->stepper[HOL_AUTO_STIFF] = hol_stepper_find("tangent");
        snprintf(c->why, sizeof c->why, "tangent: a fixed step, and it is stable with any");
        first = HOL_AUTO_STIFF;
    } else
        first = auto_decide(s);
    c->chosen = 1;
    if (s->stop_flag && *s->stop_flag)
        return hol_error_set(err, HOL_INTERRUPTED, "interrupted");
    if (!auto_prepare(s, first, &problem)) {
        // what refuses this problem: tangent takes every one
        c->stepper[HOL_AUTO_STIFF] = hol_stepper_find("tangent");
        snprintf(c->why, sizeof c->why, "tangent: %.200s", problem.text);
        c->memory[HOL_AUTO_STIFF] = NULL;
        first = HOL_AUTO_STIFF;
        if (!auto_prepare(s, first, err))
            return err ? err->status : HOL_ERR_MEMORY;
    }
    // the other one too, where forces may become stiff or cease to be: a step allocates nothing
    const int may_change = !(s->o.step > 0) && hol_chart_needs(s) > 0 &&
                           (s->p->extras->n_forces || !s->p->extras->body || hol_slip_turns(s));
    if (!may_change || !c->rates || !auto_prepare(s, 1 - first, &problem))
        c->memory[1 - first] = NULL;
    if (s->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    auto_use(s, first);
    return HOL_OK;
}

// Would the other candidate do better from here on? Asked every so many steps, and answered by a pilot where
// there is a sign of it: steps of taylor that are held by stability, or go over fast decays for long; steps of
// the stiff one within what taylor could take. A pilot that was in vain is made again after twice as many steps.
static int auto_better(HolSim *s) {
    struct HolAuto *c = s->choice;
    const int stiff = c->now == HOL_AUTO_STIFF;
    double decay, omega, work[2];
    c->next_look = s->stats.steps + LOOK;
    if (!hol_fastest_rates(c->rates, &s->x, &decay, &omega))
        return 0;
    const int decays = s->stats.h_last * decay > FAST && (s->o.end - s->x.t) * decay > LONG_DECAY;
    if (stiff ? s->stats.h_last * omega > EASY : !c->held && !decays)
        return 0;
    c->held = 0;
    c->pilots++; // (runs of their own, with memory of their own)
    c->patience = c->patience ? 2 * c->patience : PATIENCE;
    c->next_look = s->stats.steps + c->patience;
    return hol_auto_pilot(s, TENTH, decay, INFINITY, work) == 1 - c->now;
}

int hol_auto_change(HolSim *s) {
    struct HolAuto *c = s->choice;
    if (!c || !c->chosen || s->o.step > 0 || !c->memory[1 - c->now] || !(s->o.end > s->x.t))
        return 0;
    const int stiff = c->now == HOL_AUTO_STIFF, begins = hol_slip_begins(s);
    const int early = s->stats.steps < c->next_look && !(c->held && c->patience == 0);
    // slip in space that begins is stiff without a pilot, until it is under way
    if (c->named ? stiff == begins
        : stiff  ? begins || early || c->switches >= MOST_SWITCHES
                 : !begins && (early || c->switches >= MOST_SWITCHES))
        return 0;
    hol_fill(s, &s->x);
    if (!c->named && !begins && !auto_better(s))
        return 0;
    if (s->stepper->turns)
        s->stepper->turns(s, &s->x);
    c->patience = 0;
    auto_use(s, 1 - c->now);
    c->switches++;
    const size_t used = strlen(c->why);
    snprintf(c->why + used, sizeof c->why - used, "%s%s from %.6g s on, %s", used ? "; " : "",
             s->stepper->name, s->x.t,
             stiff    ? "no longer stiff"
             : begins ? "where it begins to slip"
                      : "stiff");
    return 1;
}

// ---- kept runs ----

static int auto_number_of(const HolStepper *stepper) {
    for (int i = 0; hol_steppers[i]; i++)
        if (hol_steppers[i] == stepper)
            return i;
    return -1;
}

// candidate i as it was: which method, and whether it has memory
static void auto_keep_candidate(HolSim *s, int i, HolKeeper *k) {
    struct HolAuto *c = s->choice;
    HolError ignored;
    int methods = 0;
    while (hol_steppers[methods])
        methods++;
    const int which =
        hol_keep_number(k, "candidate", auto_number_of(c->stepper[i]), -1, methods - 1);
    const int present = hol_keep_number(k, "memory", c->memory[i] != NULL, 0, 1);
    if (!hol_keep_reads(k) || k->wrong)
        return;
    if (which >= 0 && c->stepper[i] != hol_steppers[which]) {
        c->stepper[i] = hol_steppers[which];
        c->memory[i] = NULL;
    }
    if (present && (which < 0 || !auto_prepare(s, i, &ignored)))
        hol_keep_wrong(k, "candidate");
    else if (!present && k->mode == HOL_KEEP_READ)
        c->memory[i] = NULL;
}

void hol_auto_keep(HolSim *s, HolKeeper *k) {
    struct HolAuto *c = s->choice;
    const int now = hol_keep_number(k, "now", c->now, 0, 1),
              rates = hol_keep_number(k, "rates", c->rates != NULL, 0, 1);
    auto_keep_candidate(s, 0, k);
    auto_keep_candidate(s, 1, k);
    if (hol_keep_reads(k) && !k->wrong) {
        if (rates && !c->rates)
            c->rates = hol_rates_create(s);
        if ((rates && !c->rates) || !c->memory[now])
            hol_keep_wrong(k, "now");
        else if (s->stepper != c->stepper[now])
            auto_use(s, now);
    }
    if (rates && !k->wrong)
        hol_rates_keep(c->rates, k);
    HOL_KEEP(k, c->chosen);
    HOL_KEEP(k, c->switches);
    HOL_KEEP(k, c->pilots);
    HOL_KEEP(k, c->held);
    HOL_KEEP(k, c->patience);
    HOL_KEEP(k, c->next_look);
    HOL_KEEP(k, c->why);
}

static const HolField auto_options[] = {{0}};

const HolStepper hol_stepper_auto = {
    .name = "auto",
    .help = "chosen from the model: taylor for smooth motion, radau or tangent for stiff forces",
    .options = auto_options,
    .create = auto_create,
    .start = auto_start,
    .step = auto_step,
    .adaptive = HOL_STEP_BOTH,
    .closes = 1,
};
