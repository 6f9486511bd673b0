// SPDX-License-Identifier: Apache-2.0
// The loop: accepted steps with a fixed step or error control, hitting end and stop times exactly.
//
// Fixed step: t_k = origin + k h, so that time does not drift; only the step before an end or stop
// time that is no multiple of h is shorter. Error control: control.h.
// Stop times are discontinuities. The step before one ends a few ulps (units in the last place)
// early, so that expressions of time still take their left values. The next one starts an ulp
// behind it from recomputed accelerations.
#include "base/float_mode.h"
#include "base/thread_pool.h"
#include "solve/auto/auto.h"
#include "solve/constraint/project.h"
#include "solve/embed/keep_run.h"
#include "solve/event/event.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

// ---- tuning constants ----
// singular positions: growth of the pivots
static const double TOO_SINGULAR = 3e4; // accelerations have lost most digits: fixed steps pass it
// part of it for a failed attempt: its matrix may be that of its start, before the singular position
static const double FAILED_LIMIT = 0.01;
static const double USUAL = 8;    // times the usual growth of the run: long chains cancel much
static const double BETTER = 0.5; // a longer step is better when growth falls below this part
enum { LONGEST = 16 };            // times the step that may pass a singular position
static const double MEMORY = 0.95, NEW = 0.05;  // weights of the usual growth: old and new value
static const double SINGULAR = 30, UNUSUAL = 4; // error control: growth that allows the whole
                                                // tolerance, and its ratio to the usual one
// kinks
enum { LANDINGS = 12 };            // attempts to end a step at an event
static const double MISSED = 1e-6; // of the step: an event is not where it was searched
enum { APPROACHES = 8 };           // attempts to end a step before a kink
static const double VAGUE = 0.05, VAGUE_LEAST = 1e-7; // uncertainty of the place of a kink, of the
                                                      // distance to it
static const double OFF_KINK = 1e-10; // of a step: how far a start on a kink is left
static const double TURN_BACK = 100;  // times the step over a kink: the next one may lie so near
static const double APART = 0.1;      // shorter steps at kinks are no part of the budget of errors
static const double WORTHLESS = 100;  // errors of candidates that lead nowhere near
// of a fixed step: the shortest up to where a slide stops; of the time until then
static const double LEAST_PART = 1e-7, NEAR_STOP = 0.9;
// error control
enum { MOST_TINY_STEPS = 100 };        // steps below the least one in a row
static const double FIRST = 0.1;       // error constant for the first step
static const double GRID_SLACK = 1e-6; // of a step: a time on the grid of fixed steps
static const double DRIVE_REST = 1e-3; // of a drive's duration: the run ends before its pole

typedef struct Attempt {
    double h;      // step to try
    double wanted; // proposal before fitting to the target
    double t_end;  // time after it
    int last;      // ends at the target
    int count;     // fixed step: how many steps of the grid
    int between;   // fixed step: ends between two points of the grid, in a pulse
} Attempt;

static double steps_seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- start ----

HolStatus hol_start_stepper(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    s->h = d->adaptive ? s->o.initial_step : s->o.step;
    HolStatus status = s->stepper->start(s, err);
    if (status != HOL_OK)
        return status;
    if (d->adaptive && !(s->h > 0))
        s->h = hol_first_step(s, FIRST, s->o.tolerance);
    d->control.rejected = 0;
    d->fresh = 1;
    return hol_replay_create(s) ? HOL_OK : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

HolStatus hol_start_run(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    HolStatus status = d->started ? HOL_OK : hol_sim_assemble(s, err);
    if (d->started)
        return HOL_OK;
    if (status != HOL_OK)
        return status;
    hol_passed_stop(s);
    if (s->p->extras->accept)
        s->p->extras->accept(s->p, s->work, s->x.t, s->x.q, s->x.v);
    hol_remark_state(s);
    status = hol_events_start(s, err);
    if (status != HOL_OK)
        return status;
    status = hol_auto_choose(s, err);
    if (status != HOL_OK)
        return status;
    hol_sim_assign(s, s->next.q, s->x.q, s->nq); // reported if the first step has no candidate
    status = hol_start_stepper(s, err);
    d->started = status == HOL_OK;
    if (!d->started)
        hol_start_failed(s, err);
    // on a knot of a function of time: the first step takes what lies behind it
    else if (s->p->extras->next_kink && s->p->extras->behind_kink(s->p, s->x.t) > s->x.t)
        d->restart = HOL_RESTART;
    d->drive_end = s->p->extras->drive_end
                       ? s->p->extras->drive_end(s->p, s->work, s->x.t, s->o.end, d->drive_reason,
                                                 sizeof d->drive_reason)
                       : INFINITY;
    return status;
}

// behind a stop time: consistent accelerations with the right-hand values of the forces
static HolStatus restart_run(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    HolStatus status = hol_events_settle(s, err);
    if (status != HOL_OK)
        return status;
    int jumped = 0;
    if (s->stepper->turns)
        s->stepper->turns(s, &s->x);
    if (d->restart != HOL_RESTART_EVENT) {
        hol_constraints_before(s);
        s->x.t = hol_behind_jump(s);
        hol_passed_stop(s);
        status = hol_constraints_jump(s, &s->x, s->r1, err);
        jumped = hol_rates_jump(s, s->x.t) || d->pushed;
        d->pushed = 0;
        if (status == HOL_OK && jumped && s->events) {
            status = hol_events_push(s, err); // which counts it
            jumped = 0;
        }
    }
    if (status == HOL_OK)
        status = hol_project_position(s, s->x.t, s->x.q, 1, err);
    if (status == HOL_OK)
        status = hol_project_rates(s, jumped, err);
    if (status == HOL_OK)
        status = hol_accelerate(s, &s->x, 1, err);
    if (status == HOL_OK)
        status = hol_start_stepper(s, err);
    if (status != HOL_OK)
        return status;
    d->restart = 0;
    d->jump = HOL_JUMP_NONE;
    if (d->at_kink > 0)
        s->h = d->at_kink;
    d->at_kink = 0;
    if (s->p->energy) {
        double kinetic, potential;
        s->p->energy(s->p, s->work, HOL_AT(&s->x), &kinetic, &potential, &d->power);
    }
    return HOL_OK;
}

// ---- one accepted step ----

// `count` steps of the grid at once
static Attempt plan_fixed(HolSim *s, double target, int count) {
    struct HolSimDriver *d = s->driver;
    const double t1 = d->origin + (double)(d->k + count) * s->o.step;
    const double h = d->off_grid ? t1 - s->x.t : count * s->o.step;
    double tiny = 1e-9 * h + 8 * DBL_EPSILON * fabs(t1);
    Attempt a = {h, h, t1, 0, count, 0};
    if (t1 >= target - tiny) {
        a.last = 1;
        a.t_end = target;
        if (t1 > target + tiny)
            a.h = target - s->x.t;
    }
    const double limit = hol_pulse_limit(s);
    if (limit < a.t_end - tiny && count == 1)
        a = (Attempt){.h = limit - s->x.t, .wanted = h, .t_end = limit, .count = 1, .between = 1};
    return a;
}

static Attempt plan_adaptive(HolSim *s, double target) {
    Attempt a = {.wanted = fmin(s->h, hol_pulse_limit(s) - s->x.t)};
    a.h =
        hol_control_fit(&s->driver->control, s->x.t, target, hol_crowd_limit(s, a.wanted), &a.last);
    a.t_end = a.last ? target : s->x.t + a.h;
    return a;
}

static int is_finite(const HolSim *s, const double *y, int n) {
    return isfinite(hol_sim_max_abs(s, y, n));
}

static void accept(HolSim *s, const Attempt *a, const HolStepResult *result, int at_stop) {
    struct HolSimDriver *d = s->driver;
    int shortened = a->h < a->wanted && a->last;
    if (result->h_used > 0 && result->h_used < a->h) {
        s->next.t = s->x.t + result->h_used;
        shortened = 0;
        at_stop = 0;
    } else {
        s->next.t = a->t_end;
    }
    hol_passed_kink(s);
    HolState old = s->prev;
    s->prev = s->x;
    s->x = s->next;
    s->next = old;
    double h = s->x.t - s->prev.t;
    s->stats.h_last = h;
    s->stats.steps++;
    if (h > s->stats.h_max)
        s->stats.h_max = h;
    if (!shortened && (s->stats.h_min == 0 || h < s->stats.h_min))
        s->stats.h_min = h;
    const int at_knot =
        at_stop && !(d->next_stop < d->n_stop_times && d->stop_times[d->next_stop] <= s->x.t);
    if (!d->adaptive && (result->h_used > 0 || at_knot ||
                         a->between)) { // on to the next point of the grid that is not here
        d->k = (long)floor((s->x.t - d->origin) / s->o.step + GRID_SLACK);
        d->off_grid = 1;
    } else if (!d->adaptive) {
        d->k += a->count;
        d->off_grid = 0;
        if (a->last && (a->h != a->count * s->o.step || at_stop)) {
            d->origin = s->x.t;
            d->k = 0;
        }
    }
    d->crossed = d->over_kink;
    if (s->stepper->accepted && !d->crossed)
        s->stepper->accepted(s);
    if (s->p->extras->accept && !s->turns_counted)
        s->p->extras->accept(s->p, s->work, s->x.t, s->x.q, s->x.v);
    d->jump = at_stop ? HOL_JUMP_STOP : result->kink ? HOL_JUMP_KINK : HOL_JUMP_NONE;
    if (at_stop || d->pushed)
        d->restart = HOL_RESTART;
    if (at_stop) {
        hol_passed_stop(s);
        hol_events_passed(s);
    }
    hol_events_sizes(s);
    hol_share_watch(s);
    if (s->events && s->events->pending && !at_stop)
        d->restart = HOL_RESTART_EVENT;
    if (result->surprise > d->surprise) {
        d->surprise = result->surprise;
        d->surprised = result->body;
    }
    hol_remark_state(s);
    hol_track_step(s, result);
    hol_pads_step(s);
}

// try a step; HOL_OK also when the error is too large
static HolStatus attempt(HolSim *s, const Attempt *a, int at_stop, HolStepResult *result) {
    struct HolSimDriver *d = s->driver;
    double h = a->h;
    if (a->last && at_stop) // (a step of the grid may end next to the stop, and behind it)
        h = fmin(h, a->t_end - s->x.t) - 4 * DBL_EPSILON * fmax(fabs(a->t_end), h);
    memset(result, 0, sizeof *result);
    d->reason.text[0] = 0;
    d->refused = d->pushed = 0;
    s->next.t = s->x.t + h;
    HolStatus status = s->stepper->step(s, h, result, &d->reason);
    if (result->h_used >= h) // as far as it was asked to
        result->h_used = 0;
    if (status == HOL_OK && !(is_finite(s, s->next.q, s->nq) && is_finite(s, s->next.v, s->nv) &&
                              isfinite(result->error)))
        status = hol_error_set(&d->reason, HOL_ERR_CONVERGE, "the state is no longer finite");
    return status == HOL_OK ? hol_check_candidate(s, h, result) : status;
}

static int is_retryable(HolStatus status) {
    return status == HOL_ERR_CONVERGE || status == HOL_ERR_SINGULAR;
}

// a step of size h whose end is no point of any plan
static Attempt shorter(const HolSim *s, double h) {
    return (Attempt){.h = h, .wanted = h, .t_end = s->x.t + h};
}

// ---- events ----

// A step over an event is made again, so that it ends there. The zero of the watch is searched by the
// ends of steps, from where the dense output has it.
static HolStatus stop_at_event(HolSim *s, Attempt *a, int at_stop, HolStepResult *result) {
    const double h = s->next.t - s->x.t, part = s->events ? hol_event_part(s) : INFINITY;
    if (!(part <= 1))
        return HOL_OK;
    if (part == 0)
        return HOL_EVENT; // now
    const double close = fmax(16 * DBL_EPSILON * fabs(s->x.t), 1e-12 * h);
    double target = part * h, low = 0, high = INFINITY, at = h, off = INFINITY;
    for (int n = 0; n < LANDINGS; n++) {
        if (fabs(target - at) > 0.25 * close) {
            const Attempt b = shorter(s, target);
            const HolStatus status = attempt(s, &b, 0, result);
            if (status != HOL_OK || result->error > 1) {
                *a = b;
                return status;
            }
            at = s->next.t - s->x.t;
            if (at < target - close) { // the method ends it before: a kink is nearer than the event
                result->h_used = at < a->h ? at : 0;
                return HOL_OK;
            }
        }
        double noise;
        const double value = hol_event_end_value(s, &noise), slope = s->events->slope;
        const double way = slope != 0 ? -value / slope : 0; // (0: the mode does not hold)
        off = fabs(value) <= noise ? 0 : fabs(way);
        if (off <= close)
            break;
        if (way > 0)
            low = fmax(low, at);
        else
            high = fmin(high, at);
        target = at + way;
        if (!(target > low && target < high))
            target = high < INFINITY ? 0.5 * (low + high) : 0.5 * (low + h);
        if (target > h && at == h && fabs(value) <= 4 * noise) // at its end
            break;
        if (target > h) // it lies behind the step after all
            return at == h ? HOL_OK : attempt(s, a, at_stop, result);
    }
    if (at < h)
        result->h_used = at < a->h ? at : 0;
    if (off > MISSED * fmax(h, s->stats.h_max) &&
        s->o.step <= 0) { // dense output and ends of steps do not agree: shorter
        result->error = 2;
        return HOL_OK;
    }
    if (off > close && at == low && high < INFINITY) { // it jumps: the step ends behind the jump
        const Attempt b = shorter(s, high);
        const HolStatus status = attempt(s, &b, 0, result);
        if (status != HOL_OK || result->error > 1) {
            *a = b;
            return status;
        }
        at = s->next.t - s->x.t;
        if (at < h)
            result->h_used = at < a->h ? at : 0;
    }
    s->driver->at_kink = a->wanted;
    hol_event_found(s, part);
    return HOL_OK;
}

// The modes do not hold where the step starts: a force jumped there. What follows is found there, and
// lines of the table of events are told with the step.
static HolStatus change_modes(HolSim *s, HolError *err) {
    s->events->pending = 1;
    s->driver->restart = HOL_RESTART_EVENT;
    const HolStatus status = restart_run(s, err);
    s->events->n_kept = s->events->n_log;
    return status;
}

// A step that would end next to a singular position is replaced by one of 2, 4 .. 16 times the size
// that passes it well; what lies between is dense output. The best of them in *a and *result.
static HolStatus pass_singular(HolSim *s, double target, int is_stop, HolStatus status, Attempt *a,
                               HolStepResult *result) {
    double best = status == HOL_OK ? hol_singularity(s) : INFINITY;
    int held = 1; // the stepper holds the result of *a
    for (int count = 2; count <= LONGEST && best > TOO_SINGULAR; count *= 2) {
        Attempt longer = plan_fixed(s, target, count);
        HolStepResult other;
        held = 0;
        if (attempt(s, &longer, longer.last && is_stop, &other) != HOL_OK)
            break;
        if (hol_singularity(s) < BETTER * best) {
            best = hol_singularity(s);
            *a = longer;
            *result = other;
            status = HOL_OK;
            held = 1;
        }
        if (longer.last)
            break;
    }
    if (a->count > 1)
        hol_note(s, "longer steps passed singular positions");
    return held || status != HOL_OK ? status : attempt(s, a, a->last && is_stop, result);
}

// geometric mean with a long memory
static void learn_usual_growth(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    const double growth = hol_singularity(s);
    if (growth > 0 && isfinite(growth))
        d->usual = d->usual > 0 ? pow(d->usual, MEMORY) * pow(growth, NEW) : growth;
}

// A slide in several directions has no direction behind its stop: methods that solve for the end of a
// step find none there, the others lead to and fro. Steps of the grid are divided up to the stop.
static Attempt inside_step(const HolSim *s, double h) {
    Attempt a = shorter(s, h);
    a.between = a.count = 1;
    return a;
}

static Attempt before_stop(HolSim *s, const Attempt *a) {
    const double h = NEAR_STOP * hol_slip_ends(s);
    return h < a->h && h > LEAST_PART * s->o.step ? inside_step(s, h) : *a;
}

// a step failed, or its landing on an event
static HolStatus up_to_stop(HolSim *s, HolStatus status, Attempt *a, HolStepResult *result) {
    while (is_retryable(status) && !s->driver->refused && a->h > LEAST_PART * s->o.step &&
           s->x.t + 0.5 * a->h > s->x.t && hol_slip_slides(s)) {
        *a = inside_step(s, 0.5 * a->h);
        status = attempt(s, a, 0, result);
        if (status == HOL_OK)
            status = stop_at_event(s, a, 0, result);
    }
    return status;
}

static HolStatus step_fixed(HolSim *s, double target, int is_stop, HolError *err) {
    HolStepResult result;
    Attempt a = plan_fixed(s, target, 1);
    a = before_stop(s, &a);
    hol_crowd_limit(s, a.h);
    HolStatus status = attempt(s, &a, a.last && is_stop, &result);
    double limit = status == HOL_OK ? TOO_SINGULAR : FAILED_LIMIT * TOO_SINGULAR;
    const double usual = USUAL * s->driver->usual, growth = hol_singularity(s);
    if (!a.last && (status == HOL_OK || is_retryable(status)) && growth > limit && growth > usual)
        status = pass_singular(s, target, is_stop, status, &a, &result);
    if (status == HOL_OK)
        status = stop_at_event(s, &a, a.last && is_stop, &result);
    status = up_to_stop(s, status, &a, &result);
    if (status == HOL_EVENT) {
        status = change_modes(s, err);
        return status == HOL_OK ? step_fixed(s, target, is_stop, err) : status;
    }
    if (status != HOL_OK) {
        s->stats.rejected++;
        s->stats.convergence_failures++;
        if (is_retryable(status) && !s->driver->refused &&
            hol_sticking_failed(s, a.h, err) != HOL_OK)
            return HOL_ERR_STEP;
        return hol_run_failed(s, status, a.h, err);
    }
    accept(s, &a, &result, a.last && is_stop && !(result.h_used > 0));
    learn_usual_growth(s);
    return result.kink ? hol_count_kink(s, err) : hol_sticking_step(s, err);
}

// ---- kinks ----

// How little is known of the place of a kink at the distance `gap`: the closer the better
static double vague(const HolSim *s, double gap) {
    const double part = gap / s->driver->reach;
    return gap * fmin(VAGUE, part * part + VAGUE_LEAST) + 16 * DBL_EPSILON * fabs(s->x.t);
}

// to just before a kink at the distance `gap`, which so many attempts before this one missed
static Attempt before_kink(HolSim *s, double gap, int missed) {
    struct HolSimDriver *d = s->driver;
    d->ahead = fmin(0.5 * gap, 2 * vague(s, gap) * (1 << 2 * missed));
    return shorter(s, gap - d->ahead);
}

// s->next just behind the kink at the distance `gap`, or at the plan's end
static HolStatus over_kink(HolSim *s, double gap, Attempt *a, HolStepResult *result) {
    struct HolSimDriver *d = s->driver;
    double h = fmin(gap, a->h);
    memset(result, 0, sizeof *result);
    const HolStatus status = hol_cross_kink(s, &h, vague(s, gap), a->h, &d->reason);
    if (status != HOL_OK)
        return status;
    if (h < a->h)
        *a = shorter(s, h);
    result->kink = d->over_kink = 1;
    d->ahead = TURN_BACK * h;
    return HOL_OK;
}

// What is known before the step: it starts exactly on a kink, with the forces of neither side, or
// one was found in the step before. 1: the candidate behind it is made
static int starts_at_kink(HolSim *s, double target, Attempt *a, HolStepResult *result) {
    struct HolSimDriver *d = s->driver;
    double gap = INFINITY;
    d->over_kink = 0;
    if (d->fresh && !d->left_kink && hol_stands_on_kink(s)) {
        d->reach = a->h;
        d->left_kink = 1;
        gap = OFF_KINK * d->reach;
    } else if (d->ahead > 0) {
        gap = hol_kink_ahead(s, fmin(2 * d->ahead, a->h));
        if (gap == INFINITY && d->at_kink > 0) { // what the long step saw was its own error
            s->h = fmin(s->h, d->without_kink);
            *a = plan_adaptive(s, target);
        }
    }
    d->ahead = 0;
    if (gap == INFINITY)
        return 0;
    d->at_kink = a->wanted;
    if (gap > hol_kink_close(s, 0)) {
        *a = before_kink(s, gap, 0);
        return 0;
    }
    return over_kink(s, gap, a, result) == HOL_OK;
}

// time to the first kink that an attempt met; INFINITY: none
static double kink_of(HolSim *s, const Attempt *a, HolStatus status, double error) {
    if (is_retryable(status) || (status == HOL_OK && error > WORTHLESS))
        return hol_kink_ahead(s, a->h);
    const double part = status == HOL_OK ? hol_candidate_kink(s) : 1;
    return part < 1 ? part * (s->next.t - s->x.t) : INFINITY;
}

// A step over a kink is made again, up to just before it or, from close by, over it
static HolStatus stop_at_kink(HolSim *s, Attempt *a, HolStatus status, HolStepResult *result) {
    struct HolSimDriver *d = s->driver;
    double gap = kink_of(s, a, status, result->error);
    if (gap < INFINITY && !(d->at_kink > 0)) {
        d->at_kink = a->wanted;
        d->reach = s->next.t - s->x.t;
    }
    for (int n = 0; gap < INFINITY; n++) {
        if (n == APPROACHES)
            return hol_error_set(&d->reason, HOL_ERR_CONVERGE,
                                 "a kink of the forces is not where the step sees it");
        if (gap <= hol_kink_close(s, 0))
            return over_kink(s, gap, a, result);
        *a = before_kink(s, gap, n);
        status = attempt(s, a, 0, result);
        gap = status == HOL_OK ? kink_of(s, a, status, result->error) : INFINITY;
    }
    return status;
}

// ---- error control ----

static void accept_adaptive(HolSim *s, const Attempt *a, const HolStepResult *result, int at_stop) {
    struct HolSimDriver *d = s->driver;
    HolControl *c = &d->control;
    const double h = result->h_used > 0 ? result->h_used : a->h;
    s->h = result->h_next > 0
               ? result->h_next
               : hol_control_accept(c, h, a->wanted, result->error, result->exponent);
    d->without_kink = s->h;
    if (d->at_kink > 0)
        s->h = d->at_kink;
    // steps at kinks are no part of the run's budget
    if (d->over_kink || (d->at_kink > 0 && h < APART * d->reach))
        s->test->apart++;
    if (d->over_kink)
        d->restart = HOL_RESTART;
    else
        d->left_kink = 0;
    if (!(d->ahead > 0))
        d->at_kink = 0;
    c->rejected = 0;
    accept(s, a, result, at_stop);
    if (result->error < 1 && !d->crossed)
        learn_usual_growth(s);
    d->fresh = 0;
}

// the size of the next attempt where this one was not good enough; 0: it is hopeless
static double smaller(HolSim *s, HolStatus status, const Attempt *a, const HolStepResult *result) {
    struct HolSimDriver *d = s->driver;
    s->stats.rejected++;
    d->ahead = d->at_kink = 0;
    if (is_retryable(status)) {
        s->stats.convergence_failures++;
        return hol_control_fail(&d->control, a->h);
    }
    if (status != HOL_OK)
        return 0;
    s->stats.error_test_failures++;
    hol_error_set(&d->reason, HOL_ERR_STEP, "the estimated error stays above the tolerance");
    return hol_control_reject(&d->control, a->h, result->error, result->exponent);
}

// A step may use the whole tolerance, not its share alone, where shorter ones do not help: next to
// a singular position, which it leads over as well as any, or where the error does not fall
static int may_use_all(HolSim *s, const Attempt *a, double error) {
    struct HolSimDriver *d = s->driver;
    const double growth = hol_singularity(s);
    const int stagnates = hol_control_stagnates(&d->control, a->h, error);
    return error * s->test->share <= 1 &&
           (stagnates || (growth > SINGULAR && growth > UNUSUAL * d->usual));
}

static HolStatus step_adaptive(HolSim *s, double target, int is_stop, HolError *err) {
    struct HolSimDriver *d = s->driver;
    HolControl *c = &d->control;
    for (;;) {
        HolStepResult result;
        HolStatus status = HOL_OK;
        d->tiny_steps = s->h < hol_control_least(c, s->x.t) ? d->tiny_steps + 1 : 0;
        if (d->tiny_steps > MOST_TINY_STEPS || !(s->x.t + s->h > s->x.t)) {
            hol_error_set(&d->reason, HOL_ERR_STEP, "the next step would be lost in round-off");
            return hol_run_failed(s, HOL_ERR_STEP, s->h, err);
        }
        Attempt a = plan_adaptive(s, target);
        if (!starts_at_kink(s, target, &a, &result)) {
            status = attempt(s, &a, a.last && is_stop, &result);
            status = stop_at_kink(s, &a, status, &result);
            if (status == HOL_OK && result.error > 1 && may_use_all(s, &a, result.error)) {
                s->stats.overruled++;
                s->test->whole = 1;
                status = attempt(s, &a, a.last && is_stop, &result);
                status = stop_at_kink(s, &a, status, &result);
                s->test->whole = 0;
            }
        }
        if (status == HOL_OK && result.error <= 1 && !d->over_kink)
            status = stop_at_event(s, &a, a.last && is_stop, &result);
        if (status == HOL_EVENT) {
            status = change_modes(s, err);
            if (status != HOL_OK)
                return status;
            continue;
        }
        if (status == HOL_OK && result.error <= 1) {
            accept_adaptive(s, &a, &result, a.last && is_stop);
            status = result.kink ? hol_count_kink(s, err) : hol_count_held(s, err);
            return status == HOL_OK ? hol_sticking_creeps(s, err) : status;
        }
        s->h = smaller(s, status, &a, &result);
        if (status != HOL_OK && !is_retryable(status))
            return hol_run_failed(s, status, a.h, err);
        if (s->h < hol_control_least(c, s->x.t) && !d->refused &&
            hol_sticking_ends(s, err) != HOL_OK)
            return HOL_ERR_STEP;
        if (s->h < hol_control_least(c, s->x.t))
            return !d->refused && hol_is_held(s)
                       ? hol_sticks(s, "lets no step leave the place where it jumps", err)
                       : hol_run_failed(s, HOL_ERR_STEP, s->h, err);
        if (s->stop_flag && *s->stop_flag)
            return HOL_INTERRUPTED;
    }
}

// nothing left to do up to t_end?
static int reached(const HolSim *s, double t_end) {
    return s->x.t >= t_end - 4 * DBL_EPSILON * fmax(fabs(t_end), fabs(s->x.t));
}

static HolStatus step_once(HolSim *s, double t_end, HolError *err) {
    struct HolSimDriver *d = s->driver;
    HolStatus status = HOL_OK;
    if (isnan(t_end))
        return hol_error_set(err, HOL_ERR_INPUT, "the time to go to is not a number");
    status = hol_start_run(s, err);
    if (status != HOL_OK || reached(s, t_end))
        return status;
    if (hol_auto_change(s) && !d->restart)
        d->restart = HOL_RESTART;
    if (d->restart)
        status = restart_run(s, err);
    if (status != HOL_OK)
        return status;
    if (s->o.max_steps > 0 && s->stats.steps >= s->o.max_steps)
        return hol_error_set(err, HOL_ERR_STEP, "time %.9g: the limit of %ld steps is reached",
                             s->x.t, s->o.max_steps);
    // where a drive ends, nothing is left of the motion but ever faster turns
    double last = t_end;
    if (isfinite(d->drive_end))
        last = fmin(t_end, d->drive_end - DRIVE_REST * (d->drive_end - s->o.start));
    if (last < t_end && reached(s, last))
        return hol_drive_ends(s, err);
    hol_replay_step(s, t_end);
    // (a stop next to the end is at the end: k dt and the time asked for differ by round-off)
    const double next = hol_next_stop(s), same = 4 * DBL_EPSILON * fabs(last);
    const int is_stop = next <= last + same;
    const double target = is_stop ? fmin(next, last) : last;
    long before = s->stats.newton_iterations;
    const double was = s->x.t;
    status =
        d->adaptive ? step_adaptive(s, target, is_stop, err) : step_fixed(s, target, is_stop, err);
    if (status == HOL_OK && !(s->x.t > was) && !reached(s, t_end)) {
        hol_error_set(&d->reason, HOL_ERR_STEP, "the step no longer advances the time");
        status = hol_run_failed(s, HOL_ERR_STEP, s->h, err);
    }
    s->step_iterations = s->stats.newton_iterations - before;
    return status;
}

// of the calling thread and of those that help it
static double cpu_seconds(const HolSim *s) {
    return steps_seconds(CLOCK_THREAD_CPUTIME_ID) + hol_pool_cpu(s->pool);
}

// Reading the clock of a thread is a call of the kernel and takes as long as a step of a small
// model: a loop reads it once for all steps between two rows.
void hol_stopwatch_start(HolSim *s, HolStopwatch *w) {
    w->cpu = cpu_seconds(s);
    w->wall = steps_seconds(CLOCK_MONOTONIC);
}

void hol_stopwatch_stop(HolSim *s, const HolStopwatch *w) {
    s->stats.cpu_seconds += cpu_seconds(s) - w->cpu;
    s->stats.wall_seconds += steps_seconds(CLOCK_MONOTONIC) - w->wall;
}

HolStatus hol_sim_step_untimed(HolSim *s, double t_end, HolError *err) {
    const unsigned mode = hol_no_denormals();
    HolStatus status = step_once(s, t_end, err);
    hol_float_mode_set(mode);
    return status;
}

HolStatus hol_sim_step(HolSim *s, double t_end, HolError *err) {
    HolStopwatch watch;
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    if (s->untimed)
        return hol_sim_step_untimed(s, t_end, err);
    hol_stopwatch_start(s, &watch);
    HolStatus status = hol_sim_step_untimed(s, t_end, err);
    hol_stopwatch_stop(s, &watch);
    return status;
}

HolStatus hol_settle_due(HolSim *s, HolError *err) {
    if (!s->events || !s->events->pending)
        return HOL_OK;
    const HolStatus status = hol_events_settle(s, err);
    return status == HOL_OK && s->events->stopped ? HOL_EVENT : status;
}

HolStatus hol_sim_advance(HolSim *s, double t_end, HolError *err) {
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    const unsigned mode = hol_no_denormals();
    HolStopwatch watch;
    hol_stopwatch_start(s, &watch);
    HolStatus status = hol_start_run(s, err);
    if (!s->choice) // (a choice is part of the price, with its pilot)
        hol_stopwatch_start(s, &watch);
    while (status == HOL_OK && !reached(s, t_end)) {
        status = step_once(s, t_end, err);
        if (status == HOL_OK)
            status = hol_settle_due(s, err);
        if (status == HOL_OK && s->stop_flag && *s->stop_flag)
            status = HOL_INTERRUPTED;
    }
    hol_float_mode_set(mode);
    hol_stopwatch_stop(s, &watch);
    return status;
}
