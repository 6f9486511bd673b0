// SPDX-License-Identifier: Apache-2.0
// What happens at an event: values that events of the user set, jumps of velocities (impacts, resets),
// then the modes of what follows. Velocities and modes before are those of the step that ended here;
// positions do not jump. Every transition writes lines into the table of events.
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

enum { IN_A_ROW = 200, FALL_SWEEPS = 20 };
static const double ROUND = 64 * DBL_EPSILON;
static const double NEAR = HOL_EVENT_NEAR;
static const double SAME = 1e-13;           // of a step: two zeros at one time
static const double COMES_BACK = 1e-3;      // of the speed before: what it lost in the last step
static const double REVERSED = 1e-4;        // of the speeds: what a method may be off by
static const double CHATTER = 1e-9;         // of the span: next to each other
static const double TOO_DEEP = 1000;        // tolerances
static const double FIXED_TOLERANCE = 1e-8; // in place of a tolerance, with a fixed step

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
        e->fired[i] = e->wanted[i] && (i == e->primary || (zero && !old) || is_due_too(e, i));
    }
}

static int has_fired(const HolEvents *e, HolWatchKind kind, int of) {
    for (int i = 0; i < e->n; i++)
        if (e->fired[i] && e->ns->watches[i].kind == kind && e->ns->watches[i].of == of)
            return 1;
    return 0;
}

// ---- impacts ----

static double row_sum(const HolSim *s, const double *c) {
    double sum = 0;
    for (int i = 0; i < s->nv; i++)
        sum += fabs(c[i]) * s->reach[i];
    return sum;
}

// supports that touch: e->free_to; speeds below noise: e->speed_noise
static void find_touching(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    const double rate = s->test->most / s->test->length;
    hol_contact_rows(s);
    for (int i = 0; i < e->rows; i++)
        e->speed_noise[i] = NEAR * ROUND * rate * row_sum(s, e->C + i * s->nv);
    for (int i = 0; i < ns->n_supports; i++) {
        HolClosedRow row;
        ns->closed_row(s->p, s->work, HOL_AT(&s->x), ns->supports[i].row, NULL, &row);
        const double noise = NEAR * ROUND * s->test->grain * row_sum(s, e->C + i * s->nv);
        const int fired = has_fired(e, HOL_WATCH_GAP, i), closed = e->old_mode[i] == HOL_CLOSED;
        e->free_to[i] = (unsigned char)(ns->supports[i].piece
                                            ? (closed && !e->passed[i]) ||
                                                  hol_piece_touches(s, i, row.value, noise, fired)
                                            : closed || row.value <= noise || fired);
    }
    hol_pieces_divide(s);
}

// A rebound u that falls back with A rises by u^2/(2 A). What all later rebounds would have done the contact
// does at rest, but for terms of u^2, and, where there is friction, of u: impulses of impacts load no
// joint. below: length, speed. Not so slow that round-off or the guard against chatter meets it.
static double default_rest_speed(const HolSim *s, double A, double length, double noise,
                                 double speed) {
    const double least = fmax(sqrt(20 * A * noise), A * CHATTER * s->test->span);
    const double rise = sqrt(2 * A * length);
    return fmax(least, s->events->ns->n_grips ? fmin(rise, speed) : rise);
}

// Free accelerations b of the gaps, in e->impact: how fast gap i falls while the other contacts that touch
// rest, 0 <= N perp W N + b >= 0 without friction, by sweeps: a scale, no result.
static double fall_on_others(HolSim *s, int i) {
    HolEvents *e = s->events;
    const int n = e->ns->n_supports;
    const double *b = e->impact;
    double *N = e->impact + e->rows + 1, fall = -b[i];
    memset(N, 0, sizeof *N * (size_t)n);
    for (int sweep = 0; sweep < FALL_SWEEPS; sweep++)
        for (int j = 0; j < n; j++) {
            const double *W = e->W + j * e->rows;
            if (j == i || !e->free_to[j] || !(W[j] > 0))
                continue;
            N[j] = fmax(0, N[j] - (b[j] + hol_impact_dot(W, N, n)) / W[j]);
        }
    for (int j = 0; j < n; j++)
        fall -= e->W[i * e->rows + j] * N[j];
    return fall;
}

// how fast a touching contact would fall back, and the slowest rebound that counts (W, all being open)
static HolStatus find_rest_speeds(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    const double tolerance = s->o.step > 0 ? FIXED_TOLERANCE : s->o.tolerance,
                 rate = s->test->most / s->test->length;
    HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
    if (status == HOL_OK)
        status = hol_accelerate(s, &s->x, 1, err);
    for (int i = 0; i < ns->n_supports && status == HOL_OK; i++) {
        HolClosedRow row;
        ns->closed_row(s->p, s->work, HOL_AT(&s->x), ns->supports[i].row, NULL, &row);
        e->impact[i] = row.gamma + hol_impact_dot(e->C + i * s->nv, s->x.a, s->nv);
    }
    for (int i = 0; i < ns->n_supports && status == HOL_OK; i++) {
        const double A = e->free_to[i] ? fmax(-e->impact[i], fall_on_others(s, i)) : -e->impact[i];
        const double size = row_sum(s, e->C + i * s->nv);
        const double noise = ROUND * s->test->grain * size;
        e->fall[i] = A;
        e->free_speed[i] = !(A > 0)              ? 0
                           : s->o.rest_speed > 0 ? s->o.rest_speed
                                                 : default_rest_speed(s, A, tolerance * size, noise,
                                                                      tolerance * rate * size);
    }
    return status;
}

static void log_impacts(HolSim *s, double loss) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    int first = 1;
    for (int i = 0; i < ns->n_supports; i++) {
        if (e->P[i] == 0)
            continue;
        const double u = -e->u_before[i], factor = ns->supports[i].restitution;
        const int rests = factor > 0 && u > e->speed_noise[i] && factor * u <= e->free_speed[i] &&
                          fabs(e->u[i]) <= e->speed_noise[i];
        HolEvent *line = hol_event_log(s, ns->supports[i].name, rests ? "rest" : "impact");
        line->speed_before = e->u_before[i];
        line->speed_after = e->u[i];
        line->impulse_n = e->P[i];
        if (ns->supports[i].grip >= 0)
            line->impulse_t = e->P[hol_grip_row(e, ns->supports[i].grip)];
        line->loss = first ? loss : 0; // of all at this time
        if (rests && factor < 1)       // where ever smaller rebounds would have ended
            line->time += 2 * factor * u / (e->fall[i] * (1 - factor));
        hol_impulses_by(s, line);
        first = 0;
    }
}

// row i gets the speed zero by its own impulse; told: it belongs to an impact
static void stop_row(HolSim *s, int i, int told) {
    HolEvents *e = s->events;
    const double P = -e->u[i] / e->W[i * e->rows + i];
    hol_jump_add(s, i, P);
    e->P[i] += told ? P : 0; // (what had no impact has no line)
    for (int r = 0; r < e->rows; r++)
        e->u[r] += P * e->W[r * e->rows + i];
}

// the friction of support i: the first of its rows, their number
static int rows_across(const HolEvents *e, int i, int *first) {
    const int grip = e->ns->supports[i].grip;
    if (grip < 0 || !(e->ns->grips[grip].friction > 0))
        return 0;
    *first = hol_grip_row(e, grip);
    return e->ns->grips[grip].rows;
}

// Contacts that part more slowly than a rebound that counts stay together, and what this brings to
// approach does not either: u_i = 0 of each in turn, W being positive definite. What sticks goes on to:
// else the impulse would make it slide, and friction tip a body that should come to rest.
static void hold_slow(HolSim *s) {
    HolEvents *e = s->events;
    const int n = e->ns->n_supports;
    unsigned char *sticks = e->barred; // (scratch until modes are sought)
    int first = 0;
    for (int i = 0; i < n; i++) {
        sticks[i] = e->free_to[i] && e->P[i] != 0;
        for (int k = rows_across(e, i, &first) - 1; k >= 0; k--)
            sticks[i] &= fabs(e->u[first + k]) <= e->speed_noise[first + k];
    }
    for (int pass = 0, any = 1, held = 0; any && pass < 1000; pass++) {
        any = 0;
        for (int i = 0; i < n; i++) {
            const int slow = e->u[i] > e->speed_noise[i] && e->u[i] <= e->free_speed[i] &&
                             e->fall[i] > 0,
                      closes = pass > 0 && e->u[i] < -e->speed_noise[i];
            if (!e->free_to[i])
                continue;
            if (slow || closes) {
                stop_row(s, i, e->P[i] != 0);
                any = held = 1;
            }
            if (!held || !sticks[i] || fabs(e->u[i]) > e->speed_noise[i])
                continue;
            for (int k = rows_across(e, i, &first) - 1; k >= 0; k--)
                if (fabs(e->u[first + k]) > e->speed_noise[first + k]) {
                    stop_row(s, first + k, 1);
                    any = 1;
                }
        }
    }
}

// kinetic energy before; what the impact took
static void count_loss(HolSim *s, double before, double loss) {
    const double gained = hol_event_kinetic(s) - before;
    s->stats.impact_loss += loss;
    s->stats.work += s->p->extras->drive_end && hol_moves_with_time(s, &s->x) ? gained : -loss;
}

static HolStatus make_impact(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    int closing = 0;
    for (int i = 0; i < ns->n_supports; i++)
        closing |= e->free_to[i] && e->u[i] < -e->speed_noise[i];
    if (!closing)
        return HOL_OK;
    double loss = 0;
    const double before = hol_event_kinetic(s);
    HolStatus status = hol_contact_responses(s, err); // (all open)
    if (status == HOL_OK)
        status = find_rest_speeds(s, err);
    if (status == HOL_OK)
        status = hol_contact_responses(s, err);
    if (status == HOL_OK)
        status = hol_impact(s, &loss, err);
    if (status != HOL_OK)
        return status;
    hold_slow(s);
    count_loss(s, before, loss);
    log_impacts(s, loss);
    e->jumped = 1;
    return HOL_OK;
}

// ---- modes ----

// acceleration of a grip's first row
static double driven_rate(HolSim *s, int grip) {
    const HolEvents *e = s->events;
    HolClosedRow row;
    double a = 0;
    e->ns->closed_row(s->p, s->work, HOL_AT(&s->x), e->ns->grips[grip].row, NULL, &row);
    for (int k = 0; k < s->nv; k++)
        a += e->C[hol_grip_row(e, grip) * s->nv + k] * s->x.a[k];
    return a + row.gamma;
}

// where a driven grip that stands still goes; 0: nowhere so far
static double driven_next(HolSim *s, int grip, int stopped) {
    const HolEvents *e = s->events;
    const int was = e->old_mode[e->ns->n_supports + grip];
    const double rate = driven_rate(s, grip);
    if (!stopped)
        return rate;
    if (was == HOL_FREE)
        return e->departs[grip];
    // (it may come to rest smoothly, and stay there)
    const double *c = e->C + hol_grip_row(e, grip) * s->nv;
    double before = 0;
    for (int k = 0; k < s->nv; k++)
        before += c[k] * s->prev.v[k];
    return fabs(rate) * (s->x.t - s->prev.t) > COMES_BACK * fabs(before) ? -was : 0;
}

static void first_grip_mode(HolSim *s, int i) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    const HolGrip *g = &ns->grips[i];
    const int at = ns->n_supports + i, row = hol_grip_row(e, i);
    double speed = 0;
    for (int k = 0; k < g->rows; k++)
        speed = fmax(speed, fabs(e->u[row + k]));
    e->free_to[at] = e->barred[at] = 0;
    e->mode[at] = HOL_FREE;
    e->late[i] = 0;
    if (g->support >= 0 && e->mode[g->support] == HOL_OPEN)
        return;
    const int slip = g->rows > 1 || e->u[row] > 0 ? HOL_SLIP : -HOL_SLIP;
    // (several rows: the zero may be that of a velocity which turned)
    const int stopped =
        has_fired(e, HOL_WATCH_SLIP, i) && (g->rows == 1 || hol_slip_stopped(s, i, &e->late[i]));
    if (speed > e->speed_noise[row] && !stopped) {
        e->mode[at] = slip;
        return;
    }
    if (hol_grip_driven(e, i)) { // it never sticks; the drive says where it goes
        const double next = driven_next(s, i, stopped);
        e->mode[at] = next > 0 || (g->rows > 1 && next != 0) ? HOL_SLIP
                      : next < 0                             ? -HOL_SLIP
                                                             : HOL_FREE;
        return;
    }
    for (int k = 0; k < ns->n_supports; k++) // (a stop that is closed holds alone)
        if (ns->supports[k].rub == i && e->mode[k] == HOL_CLOSED)
            return;
    e->free_to[at] = 1;
    e->mode[at] = HOL_STICK;
    if (has_fired(e, HOL_WATCH_CONE, i)) {
        e->barred[at] = 1;
        e->mode[at] = g->rows > 1 || s->x.lambda[g->row] > 0 ? HOL_SLIP : -HOL_SLIP;
        hol_slip_from(s, i);
    }
}

static void first_modes(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    for (int i = 0; i < ns->n_supports; i++) {
        const int rests = e->free_to[i] && fabs(e->u[i]) <= fmax(e->speed_noise[i], e->slow);
        e->free_to[i] = (unsigned char)rests;
        e->barred[i] = (unsigned char)(rests && has_fired(e, HOL_WATCH_FORCE, i));
        // (what its friction holds beside an open stop needs none)
        const int rub = ns->supports[i].rub;
        const int held = rub >= 0 && e->old_mode[i] == HOL_OPEN &&
                         e->old_mode[ns->n_supports + rub] == HOL_STICK;
        e->mode[i] = rests && !e->barred[i] && !held ? HOL_CLOSED : HOL_OPEN;
    }
    for (int i = 0; i < ns->n_grips; i++)
        first_grip_mode(s, i);
}

// A grip that stopped and goes on as before was carried across zero by the error of the method (behind a
// break-away its speed grows from zero). It goes on from rest: else its watch would be below zero still.
static HolStatus end_reversed_slip(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    HolStatus status = HOL_OK;
    for (int i = 0; i < ns->n_grips && status == HOL_OK; i++) {
        const int at = ns->n_supports + i, row = hol_grip_row(e, i);
        if (ns->grips[i].rows > 1 || !e->free_to[at] || abs(e->mode[at]) != HOL_SLIP ||
            e->mode[at] != e->old_mode[at] || !(e->u[row] * e->mode[at] < 0))
            continue;
        status = hol_mass_factor(s, s->x.t, s->x.q, err);
        double *y = e->Y, own = 0;
        memset(y, 0, sizeof *y * (size_t)(s->nv + s->m + s->nw));
        memcpy(y, e->C + row * s->nv, sizeof *y * (size_t)s->nv);
        hol_kkt_solve(s->mass, y);
        for (int k = 0; k < s->nv; k++)
            own += e->C[row * s->nv + k] * y[k];
        double P = own > 0 ? -e->u[row] / own : 0;
        for (int k = 0; k < s->nv; k++)
            s->r1[k] = P * y[k];
        if (!(hol_norm_v(s, s->r1) <= REVERSED)) // (next to a dead centre)
            P = 0;
        for (int k = 0; k < s->nv; k++)
            s->x.v[k] += P * y[k];
        for (int r = 0; r < e->rows; r++)
            for (int k = 0; k < s->nv; k++)
                e->u[r] += P * e->C[r * s->nv + k] * y[k];
    }
    return status;
}

// order of the zero that each watch has now
static void find_zero_orders(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    hol_user_events_values(s);
    for (int i = 0; i < e->n; i++) {
        const HolWatch *w = &ns->watches[i];
        const int order = e->order[i];
        e->order[i] = 0;
        if (w->kind == HOL_WATCH_GAP && e->mode[w->of] == HOL_OPEN && e->touched[w->of])
            e->order[i] = e->u[w->of] > e->speed_noise[w->of] ? 1
                          : e->old_mode[w->of] == HOL_CLOSED  ? 3
                                                              : 2;
        if (w->kind == HOL_WATCH_SLIP && abs(e->mode[ns->n_supports + w->of]) == HOL_SLIP) {
            const int at = ns->n_supports + w->of, row = hol_grip_row(e, w->of);
            if (ns->grips[w->of].rows == 1 && fabs(e->u[row]) <= fmax(e->speed_noise[row], e->slow))
                e->order[i] = e->old_mode[at] == HOL_STICK && ns->grips[w->of].smooth_start ? 2 : 1;
        }
        if (w->kind == HOL_WATCH_REACH && e->mode[w->of] == HOL_CLOSED)
            e->order[i] =
                fabs(ns->reach(s->p, s->work, HOL_AT(&s->x), w->of, w->side)) <= NEAR * e->noise[i];
        if (w->kind == HOL_WATCH_EVENT)
            e->order[i] = hol_user_event_zero(e, i, order);
    }
}

// a joint that sticks and shares its load with others
static int shares(const HolEvents *e, int grip) {
    return e->ns->grips[grip].support < 0 && e->share->group[grip] > 0 &&
           e->mode[e->ns->n_supports + grip] == HOL_STICK;
}

static void log_modes(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    for (int i = 0; i < ns->n_supports; i++)
        if (e->old_mode[i] == HOL_CLOSED && e->mode[i] == HOL_OPEN && e->P[i] == 0)
            hol_event_log(s, ns->supports[i].name, "lift");
    for (int i = 0; i < ns->n_grips; i++) {
        const int at = ns->n_supports + i;
        const int same = e->mode[at] == e->old_mode[at] && !e->share->old_group[i] == !shares(e, i);
        if (same || e->mode[at] == HOL_FREE)
            continue;
        const int sticks = e->mode[at] == HOL_STICK;
        HolEvent *line = hol_event_log(s, ns->grips[i].name,
                                       !sticks        ? "slip"
                                       : shares(e, i) ? "share"
                                                      : "stick");
        line->time += sticks ? e->late[i] : 0;
    }
}

// ---- the transition ----

// whose watch ended the step, or stands last in the table
static const char *event_name(const HolEvents *e) {
    const HolWatch *w = e->primary >= 0 ? &e->ns->watches[e->primary] : NULL;
    if (!w)
        return e->n_log > 0 ? e->log[e->n_log - 1].name : "";
    return w->kind == HOL_WATCH_EVENT                               ? e->ns->events[w->of].name
           : w->kind == HOL_WATCH_GAP || w->kind == HOL_WATCH_FORCE ? e->ns->supports[w->of].name
                                                                    : e->ns->grips[w->of].name;
}

static HolStatus chatters(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    e->in_a_row = s->x.t - e->last_time <= CHATTER * s->test->span ? e->in_a_row + 1 : 0;
    e->last_time = s->x.t;
    const long most = s->o.max_events > 0 ? s->o.max_events : 100000;
    if (e->in_a_row < IN_A_ROW && e->total <= most)
        return HOL_OK;
    const char *name = event_name(e);
    if (e->total > most)
        hol_error_set(
            err, HOL_ERR_STEP,
            "time %.9g: more than %ld events (the last at '%s'): raise max_events, or use a "
            "compliant contact or a larger rest_speed",
            s->x.t, most, name);
    else
        hol_error_set(
            err, HOL_ERR_STEP,
            "time %.9g: %d events right behind each other at '%s': use a compliant contact "
            "(stiffness), friction with law: smooth, or a larger rest_speed",
            s->x.t, e->in_a_row, name);
    if (err)
        err->time = s->x.t;
    return HOL_ERR_STEP;
}

// impacts, and events of the user whose functions they carry across zero
static HolStatus impacts(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const int lines = e->n_log;
    find_touching(s);
    memcpy(e->touched, e->free_to, (size_t)e->ns->n_supports);
    HolStatus status = make_impact(s, err);
    if (status != HOL_OK || e->n_log == lines || !e->ns->n_events)
        return status;
    const int told = e->n_log;
    status = hol_user_events_follow(s, err);
    if (status != HOL_OK || e->n_log == told)
        return status;
    find_touching(s); // (velocities may be others again)
    return make_impact(s, err);
}

// modes; where a contact has too much friction to slide and may jam, behind the impulse that stops it
static HolStatus find_modes(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    HolStatus status = HOL_OK;
    for (int again = 0; again <= e->ns->n_grips; again++) {
        double loss;
        const int jams = !strcmp(s->o.painleve, "jam");
        e->jam = -1;
        first_modes(s);
        status = hol_select_modes(s, err);
        if (status != HOL_ERR_STEP || e->jam < 0 || !jams)
            break;
        hol_error_clear(err);
        const double before = hol_event_kinetic(s);
        memset(e->P, 0, sizeof *e->P * (size_t)(e->rows + 1));
        status = hol_painleve_jam(s, &loss, err);
        if (status != HOL_OK)
            break;
        count_loss(s, before, loss);
        log_impacts(s, loss);
        e->jumped = 1;
        memcpy(e->free_to, e->touched, (size_t)e->ns->n_supports);
    }
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
    const double tolerance = s->o.step > 0 ? FIXED_TOLERANCE : s->o.tolerance;
    for (int i = 0; i < e->ns->n_supports && !e->starting; i++) {
        const HolSupport *support = &e->ns->supports[i];
        HolClosedRow row;
        if (support->piece || e->P[i] == 0 || e->mode[i] != HOL_OPEN)
            continue;
        e->ns->closed_row(s->p, s->work, HOL_AT(&s->x), support->row, NULL, &row);
        if (row.value >= -TOO_DEEP * tolerance * row_sum(s, e->C + i * s->nv))
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
    status = close_speeds(s, err);
    if (status == HOL_OK)
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
    memset(e->P, 0, sizeof *e->P * (size_t)(e->rows + 1));
    if (status == HOL_OK && elements)
        status = impacts(s, err);
    if (status == HOL_OK && elements) {
        e->slow = 1e-10 * s->test->most;
        status = find_modes(s, err);
        if (status == HOL_OK)
            status = passed_over(s, err);
        if (status == HOL_OK)
            status = end_reversed_slip(s, err);
    }
    if (status != HOL_OK)
        return status;
    if (elements) {
        log_modes(s);
        hol_error_test_rows(s);
    }
    find_zero_orders(s);
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
    HolStatus status = transition(s, err);
    e->sampled_from = e->sampled_to = -INFINITY;
    // velocities and accelerations on what holds now
    if (status == HOL_OK)
        status = hol_project_position(s, s->x.t, s->x.q, 1, err);
    if (status == HOL_OK)
        status = hol_project_velocity(s, s->x.t, s->x.q, s->x.v, err);
    if (status == HOL_OK)
        status = hol_accelerate(s, &s->x, 1, err);
    if (status == HOL_OK)
        hol_share_state(s, &s->x);
    hol_events_noise(s);
    if (status == HOL_OK)
        hol_track_jump(s);
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
    const HolStatus status = hol_events_settle(s, err);
    e->starting = 0;
    hol_events_sizes(s);
    if (status == HOL_OK)
        remark_start(s);
    return status;
}

void hol_events_passed(HolSim *s) {
    HolEvents *e = s->events;
    if (e && s->x.t >= e->next_time - 1e-12 * fabs(e->next_time))
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
    if (!e || !e->ns->n_grips)
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
