// SPDX-License-Identifier: Apache-2.0
// The loop: accepted steps with a fixed step or error control, hitting end and stop times exactly.
//
// Fixed step: t_k = origin + k h, so that time does not drift; only the step before an end or stop
// time that is no multiple of h is shorter. Error control: control.h.
// Stop times are discontinuities: the step before one ends a few ulps early, so that expressions of
// time still take their left values, and the next one starts an ulp behind it from recomputed
// accelerations.
#include "base/float_mode.h"
#include "base/team.h"
#include "solve/driver.h"
#include "solve/error_test.h"
#include "solve/project.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

typedef struct Attempt {
    double h;      // step to try
    double wanted; // proposal before fitting to the target
    double t_end;  // time after it
    int last;      // ends at the target
    int count;     // fixed step: how many steps of the grid
} Attempt;

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- start ----

static HolStatus start_stepper(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    s->h = d->adaptive ? s->o.initial_step : s->o.step;
    HolStatus status = s->stepper->start(s, err);
    if (status != HOL_OK)
        return status;
    if (d->adaptive && !(s->h > 0))
        s->h = hol_first_step(s, 0.1, s->o.tolerance);
    d->control.rejected = 0;
    d->fresh = 1;
    return HOL_OK;
}

static HolStatus start_run(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    HolStatus status = hol_sim_assemble(s, err);
    if (status != HOL_OK)
        return status;
    while (d->next_stop < d->n_stop_times && d->stop_times[d->next_stop] <= s->x.t)
        d->next_stop++;
    if (s->p->accept)
        s->p->accept(s->p, s->work, s->x.t, s->x.q, s->x.v);
    hol_sim_copy(s, s->next.q, s->x.q, s->nq); // told if the first step has no candidate
    status = start_stepper(s, err);
    d->started = status == HOL_OK;
    return status;
}

// behind a stop time: consistent accelerations with the right-hand values of the forces
static HolStatus restart_run(HolSim *s, HolError *err) {
    struct HolSimDriver *d = s->driver;
    if (s->stepper->turns)
        s->stepper->turns(s, &s->x);
    s->x.t = nextafter(s->x.t, INFINITY);
    HolStatus status = hol_project_position(s, s->x.t, s->x.q, 1, err);
    if (status == HOL_OK)
        status = hol_project_velocity(s, s->x.t, s->x.q, s->x.v, err);
    if (status == HOL_OK)
        status = hol_accelerate(s, &s->x, 1, err);
    if (status == HOL_OK)
        status = start_stepper(s, err);
    if (status != HOL_OK)
        return status;
    d->restart = 0;
    if (d->at_kink > 0)
        s->h = d->at_kink;
    d->at_kink = 0;
    if (s->p->energy) {
        double kinetic, potential;
        s->p->energy(s->p, s->work, s->x.t, s->x.q, s->x.v, s->x.lambda, s->x.w, &kinetic,
                     &potential, &d->power);
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
    Attempt a = {h, h, t1, 0, count};
    if (t1 >= target - tiny) {
        a.last = 1;
        a.t_end = target;
        if (t1 > target + tiny)
            a.h = target - s->x.t;
    }
    return a;
}

static Attempt plan_adaptive(HolSim *s, double target) {
    Attempt a = {.wanted = s->h};
    a.h = hol_control_fit(&s->driver->control, s->x.t, target, s->h, &a.last);
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
    if (!d->adaptive && result->h_used > 0) { // on to the next point of the grid that is not here
        d->k = (long)floor((s->x.t - d->origin) / s->o.step + 1e-6);
        d->off_grid = 1;
    } else if (!d->adaptive) {
        d->k += a->count;
        d->off_grid = 0;
        if (a->last && (a->h != a->count * s->o.step || at_stop)) {
            d->origin = s->x.t;
            d->k = 0;
        }
    }
    if (s->stepper->accepted)
        s->stepper->accepted(s);
    if (s->p->accept && !s->turns_counted)
        s->p->accept(s->p, s->work, s->x.t, s->x.q, s->x.v);
    if (at_stop) {
        d->restart = 1;
        d->next_stop++;
    }
    if (result->surprise > d->surprise) {
        d->surprise = result->surprise;
        d->surprised = result->body;
    }
    hol_track_step(s, result);
}

// try a step; HOL_OK also when the error is too large
static HolStatus attempt(HolSim *s, const Attempt *a, int at_stop, HolStepResult *result) {
    struct HolSimDriver *d = s->driver;
    double h = a->h;
    if (a->last && at_stop)
        h -= 4 * DBL_EPSILON * fmax(fabs(a->t_end), h);
    memset(result, 0, sizeof *result);
    d->reason.text[0] = 0;
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

// at such positions accelerations and their rates have lost most digits, and the next step starts
// from them
static const double TOO_SINGULAR = 3e4;

// A step that would end next to a singular position is replaced by one of 2, 4 .. 16 times the size
// that passes it well; what lies between is dense output. The best of them in *a and *result.
static HolStatus pass_singular(HolSim *s, double target, int is_stop, HolStatus status, Attempt *a,
                               HolStepResult *result) {
    double best = status == HOL_OK ? hol_singularity(s) : INFINITY;
    int held = 1; // the stepper holds the result of *a
    for (int count = 2; count <= 16 && best > TOO_SINGULAR; count *= 2) {
        Attempt longer = plan_fixed(s, target, count);
        HolStepResult other;
        held = 0;
        if (attempt(s, &longer, longer.last && is_stop, &other) != HOL_OK)
            break;
        if (hol_singularity(s) < 0.5 * best) {
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
        d->usual = d->usual > 0 ? pow(d->usual, 0.95) * pow(growth, 0.05) : growth;
}

static HolStatus step_fixed(HolSim *s, double target, int is_stop, HolError *err) {
    HolStepResult result;
    Attempt a = plan_fixed(s, target, 1);
    HolStatus status = attempt(s, &a, a.last && is_stop, &result);
    // a failed attempt may have left the matrix of its start: some way before
    double limit = status == HOL_OK ? TOO_SINGULAR : 0.01 * TOO_SINGULAR;
    // (long chains cancel much everywhere: only what is unusual in this run counts)
    const double usual = 8 * s->driver->usual, growth = hol_singularity(s);
    if (!a.last && (status == HOL_OK || is_retryable(status)) && growth > limit && growth > usual)
        status = pass_singular(s, target, is_stop, status, &a, &result);
    if (status != HOL_OK) {
        s->stats.rejected++;
        s->stats.convergence_failures++;
        return hol_run_failed(s, status, a.h, err);
    }
    accept(s, &a, &result, a.last && is_stop);
    learn_usual_growth(s);
    return HOL_OK;
}

// where the motion would go from s->x: a candidate for what did not converge
static void extrapolate(HolSim *s, double h) {
    hol_sim_add(s, s->nv, s->x.v, 0.5 * h, s->x.a, s->next.v);
    for (int i = 0; i < s->nv; i++)
        s->next.v[i] *= h;
    s->p->retract(s->p, s->work, s->x.q, s->next.v, s->next.q);
    hol_sim_add(s, s->nv, s->x.v, h, s->x.a, s->next.v);
    hol_sim_copy(s, s->next.a, s->x.a, s->nv);
    for (int i = 0; i < s->nw; i++)
        s->next.w[i] = s->x.w[i];
    s->next.t = s->x.t + h;
}

// A step over a kink is made again: up to just before it, for what a method takes from the end of a
// step belongs to this side; from close by, over it, and the run starts anew there.
static HolStatus stop_at_kink(HolSim *s, Attempt *a, HolStatus status, HolStepResult *result) {
    enum { APPROACHES = 8 };
    static const double CLOSE = 1e-6;
    struct HolSimDriver *d = s->driver;
    const double wanted = a->wanted;
    if (is_retryable(status))
        extrapolate(s, a->h);
    double part = status == HOL_OK || is_retryable(status) ? hol_candidate_kink(s) : 1;
    if (part < 1)
        status = HOL_OK;
    const int over = part * a->h <= CLOSE * wanted;
    // a long step sees the other side earlier than it gets there
    const double before = part * a->h > 0.01 * wanted ? 0.05 : 1e-3;
    for (int n = 0; n < APPROACHES && part < 1 && status == HOL_OK; n++) {
        const double h = over ? 2 * part * a->h : (1 - before) * part * a->h;
        *a = (Attempt){.h = h, .wanted = h, .t_end = s->x.t + h};
        d->at_kink = wanted;
        d->over_kink = over;
        status = attempt(s, a, 0, result);
        part = status == HOL_OK && !over ? hol_candidate_kink(s) : 1;
        result->kink = over;
    }
    return status;
}

// A start exactly on a kink has the forces of neither side: it is left by a step too short to
// matter, unless that is where the motion stays
static int leaves_kink(HolSim *s, Attempt *a) {
    struct HolSimDriver *d = s->driver;
    d->at_kink = 0;
    if (!d->fresh || d->left_kink || !hol_stands_on_kink(s))
        return 0;
    d->at_kink = a->wanted;
    d->over_kink = 1;
    const double h = 1e-9 * fmin(1, a->h) + 16 * DBL_EPSILON * fabs(s->x.t);
    *a = (Attempt){.h = h, .wanted = h, .t_end = s->x.t + h};
    return 1;
}

// A force that jumps back as soon as the motion gives way holds it at the jump (friction by the
// sign of a velocity): there are only kinks then, and no method gets anywhere.
static HolStatus count_kinks(HolSim *s, const HolStepResult *result, HolError *err) {
    enum { IN_A_ROW = 500 };
    static const double RIGHT_BEHIND = 1e-4; // of the longest step
    struct HolSimDriver *d = s->driver;
    if (!result->kink)
        return HOL_OK;
    d->kinks = s->x.t - d->last_kink < RIGHT_BEHIND * s->stats.h_max ? d->kinks + 1 : 1;
    d->last_kink = s->x.t;
    if (d->kinks < IN_A_ROW)
        return HOL_OK;
    hol_error_set(err, HOL_ERR_STEP,
                  "time %.9g: a force jumps back and forth (%d times in a row): the motion sticks "
                  "where it jumps; use a steep law in its place, such as tanh(v/1e-3) for sign(v)",
                  s->x.t, d->kinks);
    if (err)
        err->time = s->x.t;
    return HOL_ERR_STEP;
}

// A step may use the whole tolerance, not its share alone, where shorter ones do not help: next to
// a singular position, which it leads over as well as any, or where the error does not fall
static int may_use_all(HolSim *s, const Attempt *a, double error) {
    static const double SINGULAR = 30, UNUSUAL = 4;
    struct HolSimDriver *d = s->driver;
    const double growth = hol_singularity(s);
    const int stagnates = hol_control_stagnates(&d->control, a->h, error);
    return error * s->test->share <= 1 &&
           (stagnates || (growth > SINGULAR && growth > UNUSUAL * d->usual));
}

static HolStatus step_adaptive(HolSim *s, double target, int is_stop, HolError *err) {
    enum { MOST_TINY_STEPS = 100 };
    struct HolSimDriver *d = s->driver;
    HolControl *c = &d->control;
    for (;;) {
        HolStepResult result;
        d->tiny_steps = s->h < hol_control_least(c, s->x.t) ? d->tiny_steps + 1 : 0;
        if (d->tiny_steps > MOST_TINY_STEPS || !(s->x.t + s->h > s->x.t)) {
            hol_error_set(&d->reason, HOL_ERR_STEP, "the next step would be lost in round-off");
            return hol_run_failed(s, HOL_ERR_STEP, s->h, err);
        }
        Attempt a = plan_adaptive(s, target);
        const int leave = leaves_kink(s, &a);
        int at_stop = a.last && is_stop;
        HolStatus status = attempt(s, &a, at_stop, &result);
        if (status == HOL_OK && result.error > 1 && may_use_all(s, &a, result.error)) {
            s->stats.overruled++;
            s->test->whole = 1;
            status = attempt(s, &a, at_stop, &result);
            s->test->whole = 0;
        }
        if (!leave)
            status = stop_at_kink(s, &a, status, &result);
        at_stop = a.last && is_stop;
        if (status == HOL_OK && result.error <= 1) {
            d->restart = d->at_kink > 0 && d->over_kink;
            double h = result.h_used > 0 ? result.h_used : a.h;
            s->h = result.h_next > 0
                       ? result.h_next
                       : hol_control_accept(c, h, a.wanted, result.error, result.exponent);
            if (d->at_kink > 0)
                s->h = d->at_kink;
            c->rejected = 0;
            accept(s, &a, &result, at_stop);
            if (result.error < 1)
                learn_usual_growth(s);
            d->left_kink = leave;
            d->fresh = 0;
            return count_kinks(s, &result, err);
        }
        s->stats.rejected++;
        if (status == HOL_OK) {
            s->stats.error_test_failures++;
            hol_error_set(&d->reason, HOL_ERR_STEP,
                          "the estimated error stays above the tolerance");
            s->h = hol_control_reject(c, a.h, result.error, result.exponent);
        } else if (is_retryable(status)) {
            s->stats.convergence_failures++;
            s->h = hol_control_fail(c, a.h);
        } else {
            return hol_run_failed(s, status, a.h, err);
        }
        if (s->h < hol_control_least(c, s->x.t))
            return hol_run_failed(s, HOL_ERR_STEP, s->h, err);
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
    if (!d->started)
        status = start_run(s, err);
    if (status != HOL_OK || reached(s, t_end))
        return status;
    if (d->restart)
        status = restart_run(s, err);
    if (status != HOL_OK)
        return status;
    if (s->o.max_steps > 0 && s->stats.steps >= s->o.max_steps)
        return hol_error_set(err, HOL_ERR_STEP, "time %.9g: the limit of %ld steps is reached",
                             s->x.t, s->o.max_steps);
    double target = t_end;
    int is_stop = 0;
    if (d->next_stop < d->n_stop_times && d->stop_times[d->next_stop] <= t_end) {
        target = d->stop_times[d->next_stop];
        is_stop = 1;
    }
    long before = s->stats.newton_iterations;
    status =
        d->adaptive ? step_adaptive(s, target, is_stop, err) : step_fixed(s, target, is_stop, err);
    s->step_iterations = s->stats.newton_iterations - before;
    return status;
}

// of the calling thread and of those that help it
static double cpu_seconds(const HolSim *s) {
    return seconds(CLOCK_THREAD_CPUTIME_ID) + hol_team_cpu(s->team);
}

HolStatus hol_sim_step(HolSim *s, double t_end, HolError *err) {
    const unsigned mode = hol_no_denormals();
    double cpu = cpu_seconds(s), wall = seconds(CLOCK_MONOTONIC);
    HolStatus status = step_once(s, t_end, err);
    hol_float_mode_set(mode);
    s->stats.cpu_seconds += cpu_seconds(s) - cpu;
    s->stats.wall_seconds += seconds(CLOCK_MONOTONIC) - wall;
    return status;
}

HolStatus hol_sim_advance(HolSim *s, double t_end, HolError *err) {
    const unsigned mode = hol_no_denormals();
    HolStatus status = s->driver->started ? HOL_OK : start_run(s, err);
    double cpu = cpu_seconds(s), wall = seconds(CLOCK_MONOTONIC);
    while (status == HOL_OK && !reached(s, t_end)) {
        status = step_once(s, t_end, err);
        if (status == HOL_OK && s->stop_flag && *s->stop_flag)
            status = HOL_INTERRUPTED;
    }
    hol_float_mode_set(mode);
    s->stats.cpu_seconds += cpu_seconds(s) - cpu;
    s->stats.wall_seconds += seconds(CLOCK_MONOTONIC) - wall;
    return status;
}
