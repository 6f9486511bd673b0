// SPDX-License-Identifier: Apache-2.0
// A whole run with its rows of results: t_k = start + k output_step, or every accepted step, and
// always the start and the last accepted state, whatever ends the run.
#include "solve/sim.h"

#include <float.h>
#include <math.h>

typedef struct Loop {
    HolSim *s;
    HolObserver observer;
    void *user;
    double end;
    double last_row; // time of the last row
    long next;       // index of the next output time
} Loop;

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
        l->last_row = t;
    return status;
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

// every output time that the last step has passed; those that fall on its end take its exact time
static HolStatus tell_due(Loop *l, double now, double h, HolError *err) {
    const HolSimOptions *o = &l->s->o;
    if (!(o->output_step > 0))
        return loop_tell_row(l, now, err);
    for (;;) {
        double t = output_time(o, l->next);
        double near = 1e-6 * fmin(h, o->output_step);
        // the end itself is reported when the run is over
        if (t > now + near || t > l->end - near || stop_requested(l->s))
            return HOL_OK;
        HolStatus status = loop_tell_row(l, fabs(t - now) <= near ? now : t, err);
        if (status)
            return status;
        l->next++;
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

static HolStatus loop_steps(Loop *l, HolError *err) {
    HolSim *s = l->s;
    HolStatus status = HOL_OK;
    double t = s->x.t;
    while (!status && t < l->end) {
        if (stop_requested(s))
            return HOL_INTERRUPTED;
        status = hol_sim_step(s, l->end, err);
        if (status)
            break;
        const double before = t;
        t = s->x.t;
        if (t <= before && near_end(t, l->end))
            break;
        status = t > before ? tell_due(l, t, t - before, err) : no_progress(t, err);
        if (!status && l->observer)
            status = l->observer(l->user, s, HOL_AT_STEP, t, err);
    }
    return status;
}

HolStatus hol_sim_run(HolSim *s, double end, HolObserver observer, void *user, HolError *err) {
    Loop l = {.s = s, .observer = observer, .user = user, .end = end, .next = 1};
    HolStatus status = hol_sim_assemble(s, err); // (which clears err)
    if (status)
        return status;
    status = loop_tell_row(&l, s->x.t, err);
    if (!status)
        status = loop_steps(&l, err);
    // the last accepted state is always among the rows; why the run ended early is said first
    if (status != HOL_ERR_FILE && s->x.t > l.last_row) {
        HolStatus last = loop_tell_row(&l, s->x.t, status ? NULL : err);
        status = status ? status : last;
    }
    return status;
}
