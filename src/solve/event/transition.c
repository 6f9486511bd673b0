// SPDX-License-Identifier: Apache-2.0
// What happens at an event: values that events of the user set, jumps of velocities (impacts, resets),
// then the modes of what follows. Velocities and modes before are those of the step that ended here;
// positions do not jump (touch.c, first_modes.c). Every transition writes lines into the table of events.
#include "solve/event/transition.h"
#include "solve/constraint/project.h"
#include "solve/event/impact.h"
#include "solve/event/share.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN_A_ROW = 200 };
static const double NEAR = HOL_EVENT_NEAR;
static const double SAME = 1e-13;    // of a step: two zeros at one time
static const double TOO_DEEP = 1000; // tolerances
static const double SOON = 1e-6;     // of the span: no time for anything to change

HolEvent *hol_event_log(HolSim *s, const char *name, const char *kind) {
    HolEvents *e = s->events;
    HolEvent *line = &e->log[e->n_log < e->room_log ? e->n_log++ : e->room_log - 1];
    *line = (HolEvent){.time = s->x.t};
    snprintf(line->name, sizeof line->name, "%s", name);
    snprintf(line->kind, sizeof line->kind, "%s", kind);
    if (e->primary >= 0 && e->slope != 0)
        line->sensitivity = 1 / fabs(e->slope);
    e->total++;
    s->stats.events++;
    return line;
}

int hol_sim_event(const HolSim *s, int i, HolEvent *out) {
    if (!s || !s->events || i < 0 || i >= s->events->n_log)
        return 0;
    *out = s->events->log[i];
    return 1;
}

double hol_event_kinetic(HolSim *s) {
    double T = 0;
    if (s->p->energy)
        s->p->energy(s->p, s->work, HOL_AT(&s->x), &T, NULL, NULL);
    return T;
}

// ---- what fired ----

// event i of the user is due at the time of the first one, though its function may not be exactly zero
static int is_due_too(const HolEvents *e, int i) {
    return e->primary >= 0 && e->ns->watches[i].kind == HOL_WATCH_EVENT &&
           e->first[i] <= e->first[e->primary] + SAME;
}

static void find_fired(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    hol_state_copy(s, &e->at, &s->x);
    hol_report_anew(s, &e->at, 0);
    if (e->share && e->share->active) {
        hol_share_state(s, &e->at);
        memcpy(s->x.lambda, e->at.lambda, sizeof *s->x.lambda * (size_t)s->m);
    }
    ns->watch(s->p, s->work, HOL_AT(&e->at), e->wanted, e->values);
    for (int i = 0; i < e->n; i++) {
        const HolWatch *w = &ns->watches[i];
        const int piece = w->kind == HOL_WATCH_GAP && ns->supports[w->of].piece;
        // (behind a piece its gap is negative, too)
        const int both = w->kind == HOL_WATCH_EVENT || piece;
        const double value = both ? fabs(e->values[i]) : e->values[i];
        const int zero = value <= NEAR * e->noise[i] &&
                         (!piece || hol_piece_reaches(s, &e->at, w->of, NEAR * e->noise[i]));
        // (what was zero at the start of the step is no news, unless it fell below)
        const int old = e->order[i] > 0 && fabs(e->values[i]) <= NEAR * e->noise[i];
        e->fired[i] =
            e->wanted[i] && (i == e->primary || (zero && !old) || is_due_too(e, i) || e->across[i]);
    }
}

int hol_event_fired(const HolEvents *e, HolWatchKind kind, int of) {
    for (int i = 0; i < e->n; i++)
        if (e->fired[i] && e->ns->watches[i].kind == kind && e->ns->watches[i].of == of)
            return 1;
    return 0;
}

// ---- the transition ----

// whose watch ended the step, or stands last in the table
static const char *event_name(const HolEvents *e) {
    const HolNonsmooth *ns = e->ns;
    if (e->wedge >= 0)
        return ns->grips[e->wedge].name;
    if (e->primary < 0)
        return e->n_log > 0 ? e->log[e->n_log - 1].name : "";
    const HolWatch *w = &ns->watches[e->primary];
    switch (w->kind) {
    case HOL_WATCH_GAP:
    case HOL_WATCH_FORCE:
    case HOL_WATCH_REACH:
        return ns->supports[w->of].name;
    case HOL_WATCH_EVENT:
        return ns->events[w->of].name;
    default:
        return ns->grips[w->of].name;
    }
}

// what to do about events right behind each other
static const char *chatter_remedy(const HolEvents *e) {
    const int here = e->wedge < 0 && e->primary >= 0;
    if (here && e->ns->watches[e->primary].kind == HOL_WATCH_EVENT)
        return "give it two thresholds (hysteresis), or a 'count'";
    if (!here && e->n_log > 0 && !strcmp(e->log[e->n_log - 1].kind, "user"))
        return "its times ('every') are too close to each other";
    return "use a compliant contact (stiffness), friction with law: smooth, or a larger rest_speed";
}

static HolStatus chatters(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const double since = s->x.t - e->last_time, span = s->test->span;
    e->in_a_row = since <= HOL_EVENT_CHATTER * span ? e->in_a_row + 1 : 0;
    e->in_vain = since <= SOON * span ? e->in_vain : 0;
    e->last_time = s->x.t;
    const long most = s->o.max_events > 0 ? s->o.max_events : 100000;
    if (e->in_a_row < IN_A_ROW && e->in_vain < IN_A_ROW && e->total <= most && e->endless < 0)
        return HOL_OK;
    const char *name = event_name(e);
    if (e->endless >= 0)
        hol_error_set(
            err, HOL_ERR_STEP,
            "time %.9g: event '%s' happens at ever shorter intervals, which end here: what "
            "follows is not determined; a body that bounces comes to rest with 'contacts' "
            "or 'limits' and their restitution, else let the event stop the run",
            s->x.t, e->ns->events[e->ns->watches[e->endless].of].name);
    else if (e->total > most)
        hol_error_set(
            err, HOL_ERR_STEP,
            "time %.9g: more than %ld events (the last at '%s'): raise max_events, or use a "
            "compliant contact or a larger rest_speed",
            s->x.t, most, name);
    else
        hol_error_set(err, HOL_ERR_STEP, "time %.9g: %d events right behind each other at '%s': %s",
                      s->x.t, IN_A_ROW, name, chatter_remedy(e));
    if (err)
        err->time = s->x.t;
    return HOL_ERR_STEP;
}

// impacts, and events of the user whose functions they carry across zero
static HolStatus impacts(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const int lines = e->n_log;
    hol_event_touching(s);
    memcpy(e->touched, e->free_to, (size_t)e->ns->n_supports);
    HolStatus status = hol_event_impact(s, err);
    if (status != HOL_OK || e->n_log == lines || !e->ns->n_events)
        return status;
    const int told = e->n_log;
    status = hol_user_events_follow(s, err);
    if (status != HOL_OK || e->n_log == told)
        return status;
    hol_event_touching(s); // (velocities may be others again)
    return hol_event_impact(s, err);
}

// modes; where a contact has too much friction to slide and may jam, behind the impulse that stops it
static HolStatus find_modes(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    HolStatus status = HOL_OK;
    for (int again = 0; again <= e->ns->n_grips; again++) {
        double loss;
        const int jams = !strcmp(s->o.painleve, "jam");
        e->jam = -1;
        hol_event_first_modes(s);
        status = hol_select_modes(s, err);
        if (status != HOL_ERR_STEP || e->jam < 0 || !jams)
            break;
        hol_error_clear(err);
        const double before = hol_event_kinetic(s);
        memset(e->P, 0, sizeof *e->P * (size_t)(e->rows + 1));
        status = hol_painleve_jam(s, &loss, err);
        if (status != HOL_OK)
            break;
        hol_event_was_impact(s, before, loss);
        memcpy(e->free_to, e->touched, (size_t)e->ns->n_supports);
    }
    if (status == HOL_OK)
        hol_event_give_rests(s);
    return status;
}

// Methods that keep positions only leave contacts that are closed a speed of the size of their error:
// it is no approach
static HolStatus close_speeds(HolSim *s, HolError *err) {
    int closed = 0;
    for (int i = 0; i < s->events->ns->n_supports; i++)
        closed |= s->events->old_mode[i] == HOL_CLOSED;
    if (!closed || s->stepper->closes)
        return HOL_OK;
    const HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
    return status == HOL_OK ? hol_project_velocity(s, s->x.t, s->x.q, s->x.v, err) : status;
}

// A contact that rebounds is where it was met: deeper, a step passed over it
static HolStatus passed_over(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const double tolerance = hol_event_tolerance(s);
    for (int i = 0; i < e->ns->n_supports && !e->starting; i++) {
        const HolSupport *support = &e->ns->supports[i];
        HolClosedRow row;
        if (support->piece || e->P[i] == 0 || e->mode[i] != HOL_OPEN)
            continue;
        e->ns->closed_row(s->p, s->work, HOL_AT(&s->x), support->row, NULL, &row);
        if (row.value >= -TOO_DEEP * tolerance * hol_event_row_size(s, e->C + i * s->nv))
            continue;
        hol_error_set(err, HOL_ERR_STEP,
                      "time %.9g: '%s' is met too late, at a depth of %.3g m: use a smaller "
                      "max_step or tolerance",
                      s->x.t, support->name, -row.value);
        if (err)
            err->time = s->x.t;
        return HOL_ERR_STEP;
    }
    return HOL_OK;
}

static HolStatus transition(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    const int elements = ns->n_supports + ns->n_grips;
    HolStatus status = chatters(s, err);
    const int kept = e->n_kept;
    e->n_log = e->n_kept; // (lines of the step that ended here)
    e->n_kept = 0;
    e->jumped = 0;
    hol_impulses_begin(s);
    if (status != HOL_OK)
        return status;
    for (int i = 0; i < ns->n_supports; i++)
        e->old_mode[i] = ns->support_mode(s->p, s->work, i);
    for (int i = 0; i < ns->n_grips; i++) {
        e->old_mode[ns->n_supports + i] = ns->grip_mode(s->p, s->work, i);
        e->share->old_group[i] = ns->grips[i].support < 0 && e->share->group[i];
    }
    status = e->push ? hol_event_push(s, err) : close_speeds(s, err);
    if (status == HOL_OK && !e->push)
        status = hol_share_hold(s, err);
    if (status != HOL_OK)
        return status;
    hol_events_want(s);
    hol_events_noise(s);
    find_fired(s);
    status = hol_pieces_pass(s, err);
    if (status == HOL_OK)
        status = hol_user_events_fire(s, err);
    if (status == HOL_OK && e->n_log > kept)
        status = hol_user_events_follow(s, err);
    memset(e->across, 0, (size_t)e->n);
    memset(e->P, 0, sizeof *e->P * (size_t)(e->rows + 1));
    if (status == HOL_OK && elements)
        status = impacts(s, err);
    if (status == HOL_OK && elements) {
        e->slow = 1e-10 * s->test->most;
        status = find_modes(s, err);
        if (status == HOL_OK)
            status = passed_over(s, err);
        if (status == HOL_OK)
            status = hol_event_end_reversed(s, err);
    }
    if (status != HOL_OK)
        return status;
    const int of_contact = e->primary >= 0 && ns->watches[e->primary].kind != HOL_WATCH_EVENT;
    const int same = !memcmp(e->mode, e->old_mode, sizeof *e->mode * (size_t)elements);
    e->in_vain = of_contact && same && !e->jumped && e->n_log == kept ? e->in_vain + 1 : 0;
    if (elements) {
        hol_event_log_modes(s);
        hol_error_test_rows(s);
    }
    hol_event_zero_orders(s);
    hol_events_want(s);
    hol_user_events_schedule(s);
    e->primary = e->wedge = -1;
    hol_impulses_end(s);
    return HOL_OK;
}

static void swap_left(HolSim *s) {
    const HolState x = s->x;
    s->x = s->events->left;
    s->events->left = x;
    s->events->left_taken = !s->events->left_taken;
}

int hol_event_take_left(HolSim *s) {
    const HolEvents *e = s->events;
    if (!e || e->left_taken || e->left.t != s->x.t || !(s->prev.t < s->x.t))
        return 0;
    swap_left(s);
    return 1;
}

void hol_event_put_back(HolSim *s) {
    swap_left(s);
}

HolStatus hol_events_settle(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    if (!e || !e->pending)
        return HOL_OK;
    e->pending = 0;
    e->stopped = 0;
    if (s->stepper->turns)
        s->stepper->turns(s, &s->x);
    hol_state_copy(s, &e->left, &s->x);
    e->left.t = s->x.t;
    if (!e->push) { // (an event may be where the time of a drive jumps)
        hol_constraints_before(s);
        e->push = hol_rates_jump(s, s->x.t);
    }
    HolStatus status = transition(s, err);
    e->push = 0;
    e->sampled_from = e->sampled_to = -INFINITY;
    if (status == HOL_OK)
        hol_share_find_closed(s);
    // velocities and accelerations on what holds now
    if (status == HOL_OK)
        status = hol_project_position(s, s->x.t, s->x.q, 1, err);
    if (status == HOL_OK)
        status = hol_project_velocity(s, s->x.t, s->x.q, s->x.v, err);
    if (status == HOL_OK)
        status = hol_accelerate(s, &s->x, 1, err);
    if (status == HOL_OK)
        hol_share_state(s, &s->x);
    if (status == HOL_OK)
        hol_events_sizes(s); // (reactions jumped)
    hol_events_noise(s);
    if (status == HOL_OK)
        hol_track_jump(s);
    return status;
}

HolStatus hol_events_push(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    e->pending = e->push = 1;
    const HolStatus status = hol_events_settle(s, err);
    e->n_kept = e->n_log;
    return status;
}

// what starts beyond a stop or in a rigid contact is moved onto it: said, where it can be seen
static void remark_start(HolSim *s) {
    static const double NOTICED = 1e-6; // in sizes of the coordinates
    int most = -1;
    s->p->minus(s->p, s->work, s->x.q, s->events->left.q, s->r1);
    for (int i = 0; i < s->nv - s->p->extras->n_hidden; i++) {
        const double size = fabs(s->r1[i]) * s->test->near[i];
        if (size > NOTICED && (most < 0 || size > fabs(s->r1[most]) * s->test->near[most]))
            most = i;
    }
    if (most < 0)
        return;
    hol_track_moved(s, &s->events->left);
    char name[96];
    hol_coordinate_name(s, most, name, sizeof name);
    hol_note(
        s,
        "stops or rigid contacts are overstepped at the start: it was moved onto them, %s by %.3g",
        name, s->r1[most]);
}

// Contacts and stops that contradict each other or the joints: they still overlap at the start
static HolStatus check_start(HolSim *s, HolError *err) {
    static const double OVERLAPS = 1e-6; // of the size of its row
    HolEvents *e = s->events;
    for (int i = 0; i < e->ns->n_supports; i++) {
        const HolSupport *support = &e->ns->supports[i];
        HolClosedRow row;
        e->ns->closed_row(s->p, s->work, HOL_AT(&s->x), support->row, e->v, &row);
        if (support->piece || row.value > -OVERLAPS * hol_event_row_size(s, e->v))
            continue;
        if (err)
            err->time = s->x.t;
        return hol_error_set(err, HOL_ERR_ASSEMBLY,
                             "time %.9g: '%s' is overstepped by %.4g at the start, and cannot be "
                             "moved apart: others hold it there; correct the positions or shapes",
                             s->x.t, support->name, -row.value);
    }
    return HOL_OK;
}

void hol_events_sizes(HolSim *s) {
    if (s->events && s->events->ns->sizes)
        s->events->ns->sizes(s->p, s->work, HOL_AT(&s->x), s->stepper->inside != NULL);
}

HolStatus hol_events_start(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    if (!e)
        return HOL_OK;
    memset(e->sample, 0, sizeof *e->sample * (size_t)(e->n * HOL_ZERO_NODES));
    e->pending = 1;
    e->primary = -1;
    // a root at the very start does not fire
    for (int i = 0; i < e->n; i++)
        e->order[i] = e->ns->watches[i].kind == HOL_WATCH_EVENT;
    hol_pads_start(s);
    hol_share_find_driven(s);
    e->starting = 1;
    HolStatus status = hol_events_settle(s, err);
    e->starting = 0;
    hol_events_sizes(s);
    if (status != HOL_OK)
        return status;
    remark_start(s);
    return check_start(s, err);
}

void hol_events_passed(HolSim *s) {
    HolEvents *e = s->events;
    if (e && s->x.t >= e->next_time - 1e-12 * fabs(e->next_time))
        e->pending = 1;
    if (e && e->ns->n_events && hol_user_events_jump(s))
        e->pending = 1;
}

int hol_event_will_jump(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    if (e->wedge >= 0 || (e->primary >= 0 && ns->watches[e->primary].kind == HOL_WATCH_GAP))
        return 1;
    if (!ns->n_events)
        return 0;
    hol_events_noise(s);
    find_fired(s);
    for (int k = 0; k < ns->n_events; k++)
        if (hol_user_event_changes(s, k))
            return 1;
    return 0;
}

// friction power inside the last step; loads are those of the equations there
static double heat_at(HolSim *s, double theta) {
    HolEvents *e = s->events;
    hol_sim_dense(s, theta, &e->at);
    if (s->nw > 0 && !s->stepper->inside_reactions)
        hol_report_anew(s, &e->at, 1);
    return e->ns->heat(s->p, s->work, HOL_AT(&e->at));
}

double hol_event_heat(HolSim *s, double from) {
    static const double at[5] = {0.04691007703066800360, 0.23076534494715845448, 0.5,
                                 0.76923465505284154552, 0.95308992296933199640};
    static const double weight[5] = {0.11846344252809454376, 0.23931433524968323402,
                                     0.28444444444444444444, 0.23931433524968323402,
                                     0.11846344252809454376};
    HolEvents *e = s->events;
    double heat = 0;
    if (!e || !e->ns->heats)
        return 0;
    // short steps: three nodes will do
    static const double three[3] = {0.11270166537925831148, 0.5, 0.88729833462074168852};
    static const double thirds[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const int few = s->nw > 0 && !s->stepper->inside, n = few ? 3 : 5;
    for (int i = 0; i < n; i++)
        heat += (few ? thirds[i] : weight[i]) *
                heat_at(s, from + (1 - from) * (few ? three[i] : at[i]));
    return heat * (1 - from) * (s->x.t - s->prev.t);
}
