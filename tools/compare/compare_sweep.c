// SPDX-License-Identifier: Apache-2.0
// Every series goes from coarse to fine until it keeps the tightest limit, costs far more than the
// best so far, fails or no longer gets better. Then, where time is left, settings between the
// cheapest of a limit and the next coarser one are tried, and the cheapest are timed again.
#include "tools/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LOSER = 25;         // a run that costs so much more than the best is ended
static const double LOSER_BUSY = 8;     // where all of them would take too long
static const double LOSER_LEAST = 0.02; // but not before [s]
static const double REFINE_SHARE = 0.2; // of the time that is left, for the cheapest
static const double LEAST_SHARE = 0.3;  // [s] by the clock, for a series
static const double NEAR = 2.5;         // of the best: settings are refined
static const double FAR = 5;            // of the best: fewer repeats
enum { FAILURES = 3, NO_BETTER = 4, FINER = 4 };
static const double TIMED = 0.006, TIMED_AGAIN = 0.04; // [s] repeats add up to
enum { MOST_TIMED = 12, MOST_TIMED_AGAIN = 200 };
static const double FIRST_SHARE = 0.35; // of the time, for a series while none keeps all limits

static HolCompareJob sweep_job(const HolComparing *c, const HolSimOptions *o) {
    return (HolCompareJob){.model = c->model,
                           .options = *o,
                           .times = c->times,
                           .stop = c->how.stop,
                           .reference = &c->reference,
                           .sizes = &c->sizes};
}

static double sweep_loser(const HolComparing *c) {
    const double best = c->cheapest[hol_compare_limit_count(c) - 1]; // INFINITY: none is known
    const double share = 0.3 * c->how.seconds / c->n_series;         // of one series
    return fmax(LOSER_LEAST, fmin(LOSER * best, fmax(LOSER_BUSY * best, share)));
}

static void sweep_take(HolComparing *c, HolComparedRun *r) {
    for (int i = 0; i < hol_compare_limit_count(c); i++)
        if (!r->status && r->error <= c->limits[i].limit)
            c->cheapest[i] = fmin(c->cheapest[i], r->cpu_seconds);
}

// how much more a run costs than the best of the tightest limit that it keeps
static double sweep_distance(const HolComparing *c, const HolComparedRun *r) {
    double best = INFINITY;
    for (int i = 0; i < hol_compare_limit_count(c); i++)
        if (r->error <= c->limits[i].limit)
            best = c->cheapest[i];
    return isinf(best) ? 0 : r->cpu_seconds / best;
}

// one setting; NULL: there is no place for it
static HolComparedRun *sweep_try(HolComparing *c, int series, double value, double seconds) {
    const HolSeries *s = &c->series[series];
    if (c->out.n_runs == HOL_COMPARE_RUNS)
        return NULL;
    const int i = c->out.n_runs++;
    HolComparedRun *r = &c->runs[i];
    c->run_options[i] = hol_series_options(s, value);
    c->run_series[i] = series;
    c->run_value[i] = value;
    HolCompareJob job = sweep_job(c, &c->run_options[i]);
    job.seconds = seconds;
    job.cpu = sweep_loser(c);
    hol_compare_say(c, "%s, %s %.3g", s->name, s->by_step ? "step" : "tolerance",
                    s->by_step ? c->run_options[i].step : value);
    *r = (HolComparedRun){.method = s->name, .options = &c->run_options[i]};
    r->status = hol_compare_run(&job, &c->arena);
    r->cpu_seconds = job.stats.cpu_seconds;
    r->repeats = 1;
    r->position = r->status ? INFINITY : job.error[0];
    r->velocity = r->status ? INFINITY : job.error[1];
    r->error = fmax(r->position, r->velocity);
    r->drift = fabs(job.stats.energy_max_drift);
    r->steps = job.stats.steps;
    r->rejected = job.stats.rejected;
    r->force_evaluations = job.stats.force_evaluations;
    snprintf(r->at_work, sizeof r->at_work, "%s", job.stats.method);
    // what is short is timed several times
    if (!r->status && r->cpu_seconds < 10 * TIMED) {
        const int most = r->cpu_seconds > TIMED ? 1 : sweep_distance(c, r) > FAR ? 2 : MOST_TIMED;
        int repeats;
        r->cpu_seconds = fmin(r->cpu_seconds, hol_compare_time(&job, TIMED, most, &repeats));
        r->repeats += repeats;
    }
    sweep_take(c, r);
    return r;
}

static void sweep_series(HolComparing *c, int series, double seconds) {
    HolSeries *s = &c->series[series];
    const double until = hol_compare_now() + seconds;
    const double tightest = c->limits[hol_compare_limit_count(c) - 1].limit;
    double best = INFINITY;
    int failures = 0, no_better = 0;
    for (double value = s->first; value >= 0.999 * s->last; value *= s->factor) {
        const double left = fmin(until, c->deadline) - hol_compare_now();
        if (left <= 0 || hol_compare_stopped(c))
            return;
        const HolComparedRun *r = sweep_try(c, series, value, left);
        if (!r || r->status == HOL_INTERRUPTED || r->status == HOL_ERR_INPUT ||
            r->status == HOL_ERR_UNSUPPORTED)
            return;
        // coarse fixed steps fail where finer ones do not
        failures = r->status ? failures + 1 : 0;
        if (failures >= (s->by_step ? 3 : 1) * FAILURES)
            return;
        if (!r->status && r->error <= tightest)
            return;
        no_better = r->error < 0.7 * best || r->error > 0.1 ? 0 : no_better + 1;
        best = fmin(best, r->error);
        if (no_better >= NO_BETTER || r->cpu_seconds > sweep_loser(c))
            return;
    }
}

// the cheapest run of a series that keeps a limit; -1: none
static int sweep_cheapest(const HolComparing *c, int series, double limit) {
    int best = -1;
    for (int i = 0; i < c->out.n_runs; i++)
        if (c->run_series[i] == series && !c->runs[i].status && c->runs[i].error <= limit &&
            (best < 0 || c->runs[i].cpu_seconds < c->runs[best].cpu_seconds))
            best = i;
    return best;
}

static const HolComparedRun *sweep_known(const HolComparing *c, int series, double value) {
    for (int i = 0; i < c->out.n_runs; i++)
        if (c->run_series[i] == series && fabs(c->run_value[i] - value) < 1e-3 * value)
            return &c->runs[i];
    return NULL;
}

// settings between `value` and the next coarser one of the series
static void sweep_refine_one(HolComparing *c, int series, double value, double limit) {
    for (int k = FINER - 1; k > 0; k--) {
        const double left = c->deadline - hol_compare_now();
        const double finer = value * pow(c->series[series].factor, -k / (double)FINER);
        if (left <= 0 || hol_compare_stopped(c))
            return;
        const HolComparedRun *r = sweep_known(c, series, finer);
        r = r ? r : sweep_try(c, series, finer, left);
        if (r && !r->status && r->error <= limit)
            return; // those after it cost more
    }
}

// between the cheapest setting and the next coarser one
static void sweep_refine(HolComparing *c) {
    for (int l = 0; l < hol_compare_limit_count(c); l++)
        for (int s = 0; s < c->n_series; s++) {
            const int i = sweep_cheapest(c, s, c->limits[l].limit);
            if (i < 0 || c->runs[i].cpu_seconds > NEAR * c->cheapest[l])
                continue;
            sweep_refine_one(c, s, c->run_value[i], c->limits[l].limit);
        }
}

// the cheapest of each limit once more, with more repeats
static void sweep_time_again(HolComparing *c) {
    for (int l = 0; l < hol_compare_limit_count(c); l++)
        for (int s = 0; s < c->n_series; s++) {
            const int i = sweep_cheapest(c, s, c->limits[l].limit);
            if (hol_compare_stopped(c) || hol_compare_now() > c->deadline)
                return;
            if (i < 0 || c->runs[i].cpu_seconds > NEAR * c->cheapest[l] ||
                c->runs[i].cpu_seconds > TIMED_AGAIN || c->runs[i].repeats > MOST_TIMED_AGAIN)
                continue;
            HolCompareJob job = sweep_job(c, &c->run_options[i]);
            int repeats;
            const double cpu = hol_compare_time(&job, TIMED_AGAIN, MOST_TIMED_AGAIN, &repeats);
            c->runs[i].cpu_seconds = fmin(c->runs[i].cpu_seconds, cpu);
            c->runs[i].repeats += repeats;
            c->cheapest[l] = fmin(c->cheapest[l], c->runs[i].cpu_seconds);
        }
}

HolStatus hol_compare_sweep(HolComparing *c, HolError *err) {
    c->runs = HOL_NEW(&c->arena, HolComparedRun, HOL_COMPARE_RUNS);
    c->run_series = HOL_NEW(&c->arena, int, HOL_COMPARE_RUNS);
    c->run_value = HOL_NEW(&c->arena, double, HOL_COMPARE_RUNS);
    c->run_options = HOL_NEW(&c->arena, HolSimOptions, HOL_COMPARE_RUNS);
    if (!c->runs || !c->run_series || !c->run_value || !c->run_options)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    c->out.runs = c->runs;
    int left_out = 0;
    const double end = c->deadline;
    c->deadline -= REFINE_SHARE * (end - hol_compare_now());
    for (int s = 0; s < c->n_series; s++) {
        const double left = c->deadline - hol_compare_now();
        c->series[s].options.end = c->base.end;
        if (hol_compare_stopped(c))
            return HOL_INTERRUPTED;
        if (left <= 0)
            left_out++;
        else
            sweep_series(c, s,
                         isinf(c->cheapest[hol_compare_limit_count(c) - 1])
                             ? FIRST_SHARE * left
                             : fmax(LEAST_SHARE, 4 * left / (c->n_series - s)));
    }
    if (left_out)
        hol_compare_remark(c, "Time was over before %d of %d series began: --seconds gives more.",
                           left_out, c->n_series);
    c->deadline = end;
    sweep_refine(c);
    sweep_time_again(c);
    return hol_compare_stopped(c) ? HOL_INTERRUPTED : HOL_OK;
}
