// SPDX-License-Identifier: Apache-2.0
// Result rows of a run: the state at a time inside the last step, handed to the model's columns.
//
// Where forces jump (a stop time, a kink that a step led over) there are two states at one time:
// rows give the one behind it, unless those before it are asked for.
#include "model/model.h"
#include "solve/constraint/project.h"
#include "solve/event/event.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// parts of the last step before its end that are tried as the last one before a kink
static const double NEAREST = 1e-9, NEARER = 1e3;

// How far before the end of the last step it jumps at the latest; < 0: it does not. A step ends at
// a stop time, or just behind a kink: close to it, or it leads from close by over it.
static double jump_width(const HolSim *s) {
    const struct HolSimDriver *d = s->driver;
    const double h = s->x.t - s->prev.t;
    if (s->stats.steps == 0 || d->jump == HOL_JUMP_NONE)
        return -1;
    if (d->jump == HOL_JUMP_STOP)
        return 0;
    return d->at_kink > 0 && d->over_kink ? h : fmin(h, 1e-9 * h + 8 * DBL_EPSILON * fabs(s->x.t));
}

static int at_jump(const HolSim *s, double t) {
    const double width = jump_width(s);
    return width >= 0 && t >= s->x.t - width && t <= s->x.t;
}

// a little before t
static double left_of(const HolSim *s, double t) {
    return t - 4 * DBL_EPSILON * fmax(fabs(t), s->x.t - s->prev.t);
}

// s->mid: the last state before the kink that is known to be
static HolState *state_before(HolSim *s) {
    const double h = s->x.t - s->prev.t, width = jump_width(s);
    if (width < h)
        hol_sim_dense(s, 1 - width / h, &s->mid);
    else
        hol_state_copy(s, &s->mid, &s->prev);
    return &s->mid;
}

// does the motion lie behind the kink at this part of the last step?
static int part_is_behind(HolSim *s, double theta) {
    const HolProblem *p = s->p;
    const double t = s->prev.t + theta * (s->x.t - s->prev.t);
    double *before = s->driver->switches, *here = before + p->extras->n_switches;
    HolState *x = state_before(s);
    p->extras->switches(p, s->work, x->t, x->q, x->v, x->w, before);
    hol_sim_dense(s, theta, x);
    p->extras->switches(p, s->work, t, x->q, x->v, x->w, here);
    for (int i = 0; i < p->extras->n_switches; i++)
        if (before[i] * here[i] < 0 || (here[i] == 0 && before[i] != 0))
            return 1;
    return 0;
}

// the same at time t
static int is_behind(HolSim *s, double t) {
    return part_is_behind(s, (t - s->prev.t) / (s->x.t - s->prev.t));
}

// s->mid: as near as can be before the kink that the last step leads over, or ends at
static HolState *nearest_before(HolSim *s) {
    if (s->driver->crossed)
        for (double part = NEAREST; part < 1; part *= NEARER)
            if (!part_is_behind(s, 1 - part)) {
                hol_sim_dense(s, 1 - part, &s->mid);
                return &s->mid;
            }
    return state_before(s);
}

// s->out: the state before the jump at t
static void take_before(HolSim *s, double t) {
    HolState *x = &s->out;
    const double h = s->x.t - s->prev.t;
    const int at_stop = s->driver->jump == HOL_JUMP_STOP;
    const int over = !at_stop && jump_width(s) >= h; // the step begins close by
    if (s->stepper->turns)
        s->stepper->turns(s, over ? &s->prev : &s->x);
    if (at_stop) {
        hol_state_copy(s, x, &s->x);
        x->t = left_of(s, x->t);
    } else if (t < s->x.t) {
        hol_sim_dense(s, (left_of(s, t) - s->prev.t) / h, x);
    } else {
        hol_state_copy(s, x, nearest_before(s));
    }
    hol_report_anew(s, x, 1);
}

// s->out: the state behind it
static void take_behind(HolSim *s, double t) {
    HolState *x = &s->out;
    const double behind = nextafter(t, INFINITY);
    const int at_stop = s->driver->jump == HOL_JUMP_STOP;
    if (s->stepper->turns)
        s->stepper->turns(s, &s->x);
    hol_state_copy(s, x, &s->x);
    if (!at_stop && t < s->x.t)
        hol_sim_dense(s, (behind - s->prev.t) / (s->x.t - s->prev.t), x);
    if (at_stop || t < s->x.t)
        x->t = behind;
    hol_report_anew(s, x, at_stop || t < s->x.t);
}

// HOL_SIDE_..: which sides of the jump the time t belongs to
enum { HOL_SIDE_BEFORE = 1, HOL_SIDE_BEHIND = 2 };
static int sides(HolSim *s, double t) {
    if (s->driver->jump == HOL_JUMP_STOP || t == s->x.t)
        return HOL_SIDE_BEFORE | HOL_SIDE_BEHIND;
    const double left = left_of(s, t);
    const int before = left <= s->prev.t || !is_behind(s, left);
    return (before ? HOL_SIDE_BEFORE : 0) |
           (is_behind(s, nextafter(t, INFINITY)) ? HOL_SIDE_BEHIND : 0);
}

// Rates of drives jump at the stop time, and what rests or sticks may not follow: that is found when
// the run goes on, and there is no row behind it before
static int is_pushed(HolSim *s) {
    if (!s->events || s->events->rows == 0 || s->driver->jump != HOL_JUMP_STOP)
        return 0;
    hol_constraints_before(s);
    return hol_rates_jump(s, nextafter(s->x.t, INFINITY));
}

// s->out: the state at time t, on the side asked for where it jumps
static HolStatus result_row_take_state(HolSim *s, double t, HolError *err) {
    HolState *x = &s->out;
    if (at_jump(s, t)) {
        const int which = is_pushed(s) ? HOL_SIDE_BEFORE : sides(s, t);
        if ((s->driver->rows_before && (which & HOL_SIDE_BEFORE)) || !(which & HOL_SIDE_BEHIND))
            take_before(s, t);
        else
            take_behind(s, t);
        hol_share_state(s, x);
        return HOL_OK;
    }
    HolState *at = hol_state_at(s, t);
    if (!at)
        return hol_error_set(err, HOL_ERR_INPUT, "time %.17g lies outside the last step", t);
    if (at != &s->mid)
        hol_fill(s, at);
    hol_state_copy(s, x, at);
    x->t = t;
    if (at != &s->mid && s->stepper->rings)
        hol_report_anew(s, x, 0);
    else
        hol_report(s, x);
    hol_share_state(s, x);
    return HOL_OK;
}

// Behind a stop time where rates of drives jump, in s->out: work of the drives that the run counts when
// it goes on
static double jump_work(HolSim *s, double t) {
    static const double ROUND = 1e-12;
    double before = 0, behind = 0;
    if (!s->p->energy || s->driver->jump != HOL_JUMP_STOP || !at_jump(s, t) ||
        s->driver->rows_before || is_pushed(s))
        return 0;
    take_before(s, t);
    s->p->energy(s->p, s->work, HOL_AT(&s->out), &before, NULL, NULL);
    take_behind(s, t);
    s->p->energy(s->p, s->work, HOL_AT(&s->out), &behind, NULL, NULL);
    hol_share_state(s, &s->out);
    return fabs(behind - before) > ROUND * fmax(before, behind) ? behind - before : 0;
}

int hol_sim_jump(HolSim *s, double t) {
    static const double NOTHING = 1e-7; // of the size of velocities, accelerations or reactions
    if (!s || !s->assembled || !at_jump(s, t) || is_pushed(s) ||
        sides(s, t) != (HOL_SIDE_BEFORE | HOL_SIDE_BEHIND))
        return 0;
    double *v = s->r2, *a = s->r3, *lambda = s->g;
    take_before(s, t);
    memcpy(v, s->out.v, sizeof *v * (size_t)s->nv);
    memcpy(a, s->out.a, sizeof *a * (size_t)s->nv);
    memcpy(lambda, s->out.lambda, sizeof *a * (size_t)s->m);
    take_behind(s, t);
    const double size_v = fmax(hol_max_abs(v, s->nv), hol_max_abs(s->out.v, s->nv));
    const double size_a = fmax(hol_max_abs(a, s->nv), hol_max_abs(s->out.a, s->nv));
    const double size_l = fmax(hol_max_abs(lambda, s->m), hol_max_abs(s->out.lambda, s->m));
    return hol_max_difference(v, s->out.v, s->nv) > NOTHING * size_v ||
           hol_max_difference(a, s->out.a, s->nv) > NOTHING * size_a ||
           hol_max_difference(lambda, s->out.lambda, s->m) > NOTHING * size_l;
}

void hol_sim_rows_before(HolSim *s, int before) {
    if (s)
        s->driver->rows_before = before;
}

// fills s->out and the input from the state at time t
HolStatus hol_sim_row_input(HolSim *s, double t, HolRowInput *in, HolError *err) {
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    if (!s->model)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "result columns exist for models only, not for a C problem");
    HolState *x = &s->out;
    HolStatus status = hol_sim_assemble(s, err); // a row before the first step
    if (status == HOL_OK && s->events && !s->driver->started)
        status = hol_start_run(s, err); // .. in the modes that it begins with
    if (status != HOL_OK)
        return status;
    const HolStats stats = s->stats; // rows are no effort of the method
    const double left = s->stats.steps > 0 && t < s->x.t ? hol_work_left(s, t) : 0;
    const double heat_left = s->stats.steps > 0 && t < s->x.t && t > s->prev.t
                                 ? hol_event_heat(s, (t - s->prev.t) / (s->x.t - s->prev.t))
                                 : 0;
    status = result_row_take_state(s, t, err);
    const double push = status == HOL_OK ? jump_work(s, t) : 0;
    if (status == HOL_OK && s->arena.failed) // of the matrix of reported states
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (status != HOL_OK)
        return status;
    *in = (HolRowInput){.t = x->t,
                        .h = s->x.t - s->prev.t,
                        .q = x->q,
                        .v = x->v,
                        .a = x->a,
                        .lambda = x->lambda,
                        .w = x->w,
                        .work_done = s->stats.work - left + push,
                        .heat = s->stats.friction_heat - heat_left,
                        .loss = s->stats.impact_loss,
                        .energy_start = s->energy_start,
                        .iterations = s->step_iterations};
    hol_residuals(s, x, &in->residual[0], &in->residual[1], &in->residual[2], NULL);
    s->stats = stats;
    return s->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

HolStatus hol_sim_row(HolSim *s, double t, double *out, HolError *err) {
    HolRowInput in;
    HolStatus status = hol_sim_row_input(s, t, &in, err);
    if (status != HOL_OK)
        return status;
    hol_model_row(s->model, s->work, &in, out);
    out[0] = t; // (both sides of a jump)
    return HOL_OK;
}

HolStatus hol_sim_row_all(HolSim *s, double t, double *out, HolError *err) {
    HolRowInput in;
    HolStatus status = hol_sim_row_input(s, t, &in, err);
    if (status != HOL_OK)
        return status;
    hol_model_row_all(s->model, s->work, &in, out);
    out[0] = t;
    return HOL_OK;
}

HolStatus hol_sim_row_of(HolSim *s, double t, const int *list, int n, double *out, HolError *err) {
    HolRowInput in;
    HolStatus status = hol_sim_row_input(s, t, &in, err);
    if (status != HOL_OK)
        return status;
    hol_model_row_of(s->model, s->work, &in, list, n, out);
    out[0] = t; // always time
    return HOL_OK;
}

// Another lambda of the same motion: lambda + n with G^T n = 0. Columns that differ depend on what
// no equation determines.
int hol_sim_not_unique(HolSim *s, const int *list, int n, double *row, double *other,
                       unsigned char *flags) {
    HolRowInput in;
    double largest = 0;
    int count = 0;
    if (!s->redundant || hol_sim_row_input(s, s->x.t, &in, NULL) != HOL_OK)
        return 0;
    const double size = fmax(hol_max_abs(in.lambda, s->m), DBL_MIN);
    unsigned random = 1;
    for (int i = 0; i < s->m; i++) {
        random = random * 1664525u + 1013904223u;
        s->r1[i] = size * ((double)(random >> 8) / 8388608.0 - 1);
    }
    if (!hol_null_part(s, &s->out, s->r1))
        return 0;
    hol_model_row_of(s->model, s->work, &in, list, n, row);
    for (int i = 0; i < s->m; i++)
        s->out.lambda[i] += s->r1[i];
    hol_model_row_of(s->model, s->work, &in, list, n, other);
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(other[i] - row[i]));
    for (int i = 0; i < n; i++)
        count += flags[i] = fabs(other[i] - row[i]) > 1e-6 * largest;
    return count;
}

int hol_sim_final(HolSim *s, int i, char *name, size_t size, double *value) {
    const char *column;
    HolRowInput in = {0};
    if (!s)
        return 0;
    const HolState *x = &s->out;
    if (!s->model || (i == 0 && hol_sim_row_input(s, s->x.t, &in, NULL) != HOL_OK))
        return 0;
    in = (HolRowInput){.t = x->t, .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .w = x->w};
    if (!hol_model_state_value(s->model, s->work, &in, i, &column, value))
        return 0;
    snprintf(name, size, "%s", column);
    return 1;
}
