// SPDX-License-Identifier: Apache-2.0
// Events of the user: those whose functions became zero, or whose time has come, change discrete values,
// inputs, states and velocities, in the order of the file. What they change may carry the functions of
// others to zero or across it; these follow at the same time.
#include "solve/constraint/project.h"
#include "solve/event/event.h"
#include "solve/run/run.h"

#include <math.h>

static const double NEAR = HOL_EVENT_NEAR;

// the time of a regular event has come
static int is_due(const HolSim *s, int k) {
    const HolEvents *e = s->events;
    const double dt = e->ns->events[k].every;
    if (!(dt > 0)) {
        const double next = hol_clock_next(e, k);
        return s->x.t >= next - 1e-12 * fabs(next);
    }
    return dt > 0 && s->x.t >= s->o.start + (double)e->every[k] * dt - 1e-9 * dt;
}

static HolStatus fire(HolSim *s, int event, HolError *err) {
    HolEvents *e = s->events;
    const HolEventInfo *info = &e->ns->events[event];
    if (info->count && e->fires[event] >= info->count)
        return HOL_OK;
    e->fires[event]++;
    const HolEvent *line = hol_event_log(s, info->name, info->stop ? "stop" : "user");
    e->stopped |= info->stop;
    HolStatus status = HOL_OK;
    if (info->jumps) {
        const double before = hol_event_kinetic(s);
        status = hol_event_resets_apply(s, event, err);
        s->stats.work += hol_event_kinetic(s) - before; // (from outside)
        hol_impulses_by(s, line);
        e->jumped = 1;
    }
    if (status == HOL_OK && info->changes) {
        hol_constraints_before(s);
        if (!e->ns->event_set(s->p, s->work, HOL_AT(&s->x), event, s->x.v))
            return hol_error_set(err, HOL_ERR_STEP,
                                 "time %.9g: event '%s': a value that it sets is no finite number: "
                                 "correct its expression",
                                 s->x.t, info->name);
        status = hol_constraints_jump(s, &s->x, s->r1, err);
        if (status == HOL_OK && hol_rates_jump(s, s->x.t))
            status = hol_event_push(s, err);
    }
    return status;
}

// The first watch of event k or a later one: they stand last, in the order of the events.
static int first_watch(const HolEvents *e, int k) {
    int low = 0, high = e->n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const HolWatch *w = &e->ns->watches[middle];
        if (w->kind == HOL_WATCH_EVENT && w->of >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// in the order of the file
HolStatus hol_user_events_fire(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    HolStatus status = HOL_OK;
    for (int k = 0, i = first_watch(e, 0); k < ns->n_events && status == HOL_OK; k++) {
        while (is_due(s, k) && status == HOL_OK) {
            e->every[k]++;
            status = fire(s, k, err);
        }
        for (; i < e->n && ns->watches[i].of == k && status == HOL_OK; i++) {
            if (!e->fired[i])
                continue;
            const int direction = e->way[i];
            if (!ns->events[k].direction || ns->events[k].direction == direction)
                status = fire(s, k, err);
        }
    }
    return status;
}

// functions of the user's events at s->x, without those of reactions; their flags: e->some
double *hol_user_events_values(HolSim *s) {
    HolEvents *e = s->events;
    double *now = e->sample + e->n; // (the samples at the second node serve no more)
    for (int i = 0; i < e->n; i++)
        e->some[i] = e->ns->watches[i].kind == HOL_WATCH_EVENT && !e->ns->watches[i].reactions &&
                     !hol_is_clock(s, e->ns->watches[i].of);
    e->ns->watch(s->p, s->work, HOL_AT(&s->x), e->some, now);
    return now;
}

int hol_user_events_jump(HolSim *s) {
    HolEvents *e = s->events;
    double *before = e->check, *behind = e->check + e->n; // (of the step that is over)
    int any = 0, wanted = 0;
    for (int i = 0; i < e->n; i++) {
        const HolWatch *w = &e->ns->watches[i];
        e->some[i] = w->kind == HOL_WATCH_EVENT && !w->reactions && e->wanted[i];
        wanted |= e->some[i];
    }
    if (!wanted)
        return 0;
    hol_state_copy(s, &e->at, &s->x);
    e->ns->watch(s->p, s->work, HOL_AT(&e->at), e->some, before);
    e->at.t = hol_behind_jump(s);
    e->ns->watch(s->p, s->work, HOL_AT(&e->at), e->some, behind);
    for (int i = 0; i < e->n; i++) {
        const double near = e->some[i] ? NEAR * e->noise[i] : 0;
        e->across[i] = e->some[i] && fabs(before[i]) > near && fabs(behind[i] - before[i]) > near &&
                       (before[i] * behind[i] < 0 || fabs(behind[i]) <= near);
        if (e->across[i])
            e->way[i] = before[i] < 0 ? 1 : -1;
        any += e->across[i];
    }
    return any;
}

// what events set, and jumps of velocities, may carry the functions of others to zero or across it
HolStatus hol_user_events_follow(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    HolStatus status = HOL_OK;
    for (int pass = 0, any = 1; pass < 8 && any && status == HOL_OK; pass++) {
        const double *now = hol_user_events_values(s);
        any = 0;
        for (int i = 0; i < e->n && status == HOL_OK; i++) {
            const int k = ns->watches[i].of;
            const int zero = fabs(now[i]) <= NEAR * e->noise[i];
            if (!e->some[i] || e->fired[i] || !(e->values[i] * now[i] < 0 || zero) ||
                fabs(e->values[i]) <= NEAR * e->noise[i])
                continue;
            const int direction = e->values[i] < 0 ? 1 : -1;
            e->values[i] = now[i];
            if (ns->events[k].direction && ns->events[k].direction != direction)
                continue;
            status = fire(s, k, err);
            any = 1;
        }
    }
    return status;
}

void hol_user_events_schedule(HolSim *s) {
    HolEvents *e = s->events;
    e->next_time = INFINITY;
    for (int k = 0; k < e->ns->n_events; k++) {
        const HolEventInfo *info = &e->ns->events[k];
        if (info->count && e->fires[k] >= info->count)
            continue;
        if (info->every > 0)
            e->next_time = fmin(e->next_time, s->o.start + (double)e->every[k] * info->every);
        else
            e->next_time = fmin(e->next_time, hol_clock_next(e, k));
    }
}

// Is event i of the user zero now? What fired counts as zero unless what was set moved it away.
int hol_user_event_zero(const HolEvents *e, int i, int was) {
    const double *now = e->sample + e->n, near = NEAR * e->noise[i];
    if (e->ns->watches[i].reactions)
        return e->fired[i] || (was && fabs(e->values[i]) <= near);
    return fabs(now[i]) <= near || (e->fired[i] && fabs(now[i]) <= 2 * fabs(e->values[i]) + near);
}

// the event of the user changes something when its transition comes
int hol_user_event_changes(const HolSim *s, int k) {
    const HolEvents *e = s->events;
    const HolEventInfo *info = &e->ns->events[k];
    if (!(info->changes || info->jumps) || (info->count && e->fires[k] >= info->count))
        return 0;
    if (is_due(s, k)) // (regular ones: with rows at every step, or where velocities jump)
        return info->jumps || !(info->every > 0) || !(s->o.output_step > 0);
    for (int i = first_watch(e, k); i < e->n && e->ns->watches[i].of == k; i++)
        if (e->fired[i] && (!info->direction || info->direction == e->way[i]))
            return 1;
    return 0;
}
