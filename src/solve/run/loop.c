// SPDX-License-Identifier: Apache-2.0
// A whole run with its rows of results: t_k = start + k output_step, or every accepted step, and
// always the start and the last accepted state, whatever ends the run.
#include "holonom/embed.h"
#include "solve/event/event.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <time.h>

enum { TIMED_TOGETHER = 64 }; // steps between two readings of the clock, at most

typedef struct Loop {
    HolSim *s;
    HolObserver observer;
    void *user;
    double end;
    double until; // wall time at which it pauses; 0: never
    int paused;
    struct HolSimDriver *d; // remembers the last row and the next output time
    HolStopwatch watch;
    long timed_from; // the step since which it goes
} Loop;

static void loop_time_anew(Loop *l) {
    l->timed_from = l->s->stats.steps;
    hol_stopwatch_start(l->s, &l->watch);
}

// at a jump two rows, left limit first
static HolStatus loop_tell_row(Loop *l, double t, HolError *err) {
    HolStatus status = HOL_OK;
    if (l->observer && hol_sim_jump(l->s, t)) {
        hol_sim_rows_before(l->s, 1);
        status = l->observer(l->user, l->s, HOL_AT_ROW, t, err);
        hol_sim_rows_before(l->s, 0);
    }
    if (!status && l->observer)
        status = l->observer(l->user, l->s, HOL_AT_ROW, t, err);
    if (!status)
        l->d->last_row = t;
    return status;
}

static double loop_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int stop_requested(const HolSim *s) {
    return s->stop_flag && *s->stop_flag;
}

// start + k dt, where dt is a decimal like 0.1 as the double nearest to the decimal
static double output_time(const HolSimOptions *o, long k) {
    double per_second = round(1 / o->output_step);
    if (per_second >= 1 && fabs(per_second * o->output_step - 1) < 1e-14)
        return o->start + (double)k / per_second;
    return o->start + (double)k * o->output_step;
}

// a row takes no part of the time of the steps
static HolStatus loop_timed_row(Loop *l, double t, HolError *err) {
    hol_stopwatch_stop(l->s, &l->watch);
    const HolStatus status = loop_tell_row(l, t, err);
    loop_time_anew(l);
    return status;
}

// every output time that the last step has passed; those that fall on its end take its exact time
static HolStatus tell_due(Loop *l, double now, double h, HolError *err) {
    const HolSimOptions *o = &l->s->o;
    if (!(o->output_step > 0))
        return loop_timed_row(l, now, err);
    for (;;) {
        double t = output_time(o, l->d->next_row);
        double near = 1e-6 * fmin(h, o->output_step);
        // the end itself is reported when the run is over
        if (t > now + near || t > l->end - near || stop_requested(l->s))
            return HOL_OK;
        HolStatus status = loop_timed_row(l, fabs(t - now) <= near ? now : t, err);
        if (status)
            return status;
        l->d->next_row++;
    }
}

// the end is nearer than the resolution of the time
static int near_end(double t, double end) {
    return end - t <= 8 * DBL_EPSILON * fmax(fabs(end), fabs(t));
}

// the integration stands still: a failure, whatever the method says
static HolStatus no_progress(double t, HolError *err) {
    hol_error_set(err, HOL_ERR_STEP,
                  "the integration stopped at t = %.9g s: the step no longer advances the time; "
                  "try a larger --step or --tolerance, or another --method",
                  t);
    if (err)
        err->time = t;
    return HOL_ERR_STEP;
}

// what happens at the end of the step: velocities that jump have rows on both sides
static HolStatus loop_event(Loop *l, HolError *err) {
    HolSim *s = l->s;
    const double t = s->x.t;
    if (s->events && !s->events->pending && s->events->n_kept) { // nothing jumps
        s->events->n_kept = 0;
        return l->observer ? l->observer(l->user, s, HOL_AT_EVENT, t, err) : HOL_OK;
    }
    if (!s->events || !s->events->pending)
        return HOL_OK;
    const int jumps = l->observer && hol_event_will_jump(s);
    HolStatus status = HOL_OK;
    if (jumps && t > l->d->last_row)
        status = l->observer(l->user, s, HOL_AT_ROW, t, err);
    if (!status)
        status = hol_events_settle(s, err);
    if (!status && l->observer && s->events->n_log)
        status = l->observer(l->user, s, HOL_AT_EVENT, t, err);
    if (!status && jumps) {
        status = l->observer(l->user, s, HOL_AT_ROW, t, err);
        l->d->last_row = t;
    }
    return status ? status : s->events->stopped ? HOL_EVENT : HOL_OK;
}

static HolStatus loop_steps(Loop *l, HolError *err) {
    HolSim *s = l->s;
    HolStatus status = HOL_OK;
    double t = s->x.t;
    loop_time_anew(l);
    while (!status && t < l->end) {
        if (stop_requested(s)) {
            status = HOL_INTERRUPTED;
            break;
        }
        status = hol_sim_step_untimed(s, l->end, err);
        if (status)
            break;
        if (s->stats.steps - l->timed_from >= TIMED_TOGETHER) {
            hol_stopwatch_stop(s, &l->watch);
            loop_time_anew(l);
        }
        const double before = t;
        t = s->x.t;
        if (t <= before && near_end(t, l->end))
            break;
        status = t > before ? tell_due(l, t, t - before, err) : no_progress(t, err);
        if (!status)
            status = loop_event(l, err);
        if (!status && l->observer)
            status = l->observer(l->user, s, HOL_AT_STEP, t, err);
        l->paused = l->until > 0 && loop_clock() > l->until && t < l->end;
        if (l->paused)
            break;
    }
    hol_stopwatch_stop(s, &l->watch);
    return status;
}

static HolStatus loop_run(Loop *loop, HolError *err) {
    Loop l = *loop;
    HolSim *s = l.s;
    HolStatus status = hol_sim_assemble(s, err); // (which clears err)
    if (status)
        return status;
    l.d = s->driver;
    if (s->events) { // modes of the first row
        status = hol_start_run(s, err);
        if (!status && s->events->n_log && !l.d->in_run && l.observer && s->stats.steps == 0)
            status = l.observer(l.user, s, HOL_AT_EVENT, s->x.t, err);
        if (status)
            return status;
    }
    // a run that goes on tells no row twice
    while (l.d->next_row == 0 ||
           (s->o.output_step > 0 && output_time(&s->o, l.d->next_row) <= s->x.t))
        l.d->next_row++;
    if (!l.d->in_run && l.d->last_row != s->x.t)
        status = loop_tell_row(&l, s->x.t, err);
    l.d->in_run = 1;
    if (!status)
        status = loop_steps(&l, err);
    l.d->in_run = l.paused && status == HOL_OK;
    loop->paused = l.paused && status == HOL_OK;
    // the last accepted state is always among the rows; why the run ended early is said first
    if (!loop->paused && status != HOL_ERR_FILE && s->x.t > l.d->last_row) {
        HolStatus last = loop_tell_row(&l, s->x.t, status ? NULL : err);
        status = status ? status : last;
    }
    return status;
}

HolStatus hol_sim_run(HolSim *s, double end, HolObserver observer, void *user, HolError *err) {
    Loop l = {.s = s, .observer = observer, .user = user, .end = end};
    return loop_run(&l, err);
}

HolStatus hol_sim_run_some(HolSim *s, double end, double seconds, HolObserver observer, void *user,
                           int *done, HolError *err) {
    Loop l = {
        .s = s, .observer = observer, .user = user, .end = end, .until = loop_clock() + seconds};
    const HolStatus status = loop_run(&l, err);
    if (done)
        *done = !l.paused;
    return status;
}
