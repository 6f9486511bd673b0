// SPDX-License-Identifier: Apache-2.0
// Modes at an event: those that the search on the acceleration level (select.c) begins with, what they
// leave of a slip that a method carried across zero, the orders of zeros of watches, lines of the table.
#include "solve/constraint/project.h"
#include "solve/event/impact.h"
#include "solve/event/share.h"
#include "solve/event/transition.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = HOL_EVENT_NEAR;
static const double COMES_BACK = 1e-3;     // of the speed before: what it lost in the last step
static const double LEAST_IMPULSE = 1e-11; // of W: along directions that joints hold
static const double LEAN_BEYOND = 4;       // speeds against a new direction
static const double PASSED = 100;          // leans: it slips for good
static const double REVERSED = 1e-4;       // of the speeds: what a method may be off by

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
    const int stopped = hol_event_fired(e, HOL_WATCH_SLIP, i) &&
                        (g->rows == 1 || hol_slip_stopped(s, i, &e->late[i]));
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
    if (hol_event_fired(e, HOL_WATCH_CONE, i)) {
        e->barred[at] = 1;
        e->mode[at] = g->rows > 1 || s->x.lambda[g->row] > 0 ? HOL_SLIP : -HOL_SLIP;
        hol_slip_from(s, i);
    }
}

// What is left of the speed of a grip of several rows that stopped: it would give friction its direction
// where the modes are sought
static void take_rest(HolSim *s, int grip) {
    HolEvents *e = s->events;
    const int n = e->ns->grips[grip].rows, row = hol_grip_row(e, grip), size = s->nv + s->m + s->nw;
    double W[HOL_SLIP_ROWS * HOL_SLIP_ROWS], P[HOL_SLIP_ROWS], trace = 0;
    memset(e->Y, 0, sizeof *e->Y * (size_t)(n * size));
    for (int j = 0; j < n; j++) {
        memcpy(e->Y + j * size, e->C + (row + j) * s->nv, sizeof *e->Y * (size_t)s->nv);
        hol_kkt_solve(s->mass, e->Y + j * size);
        for (int i = 0; i < n; i++)
            W[i * n + j] = hol_impact_dot(e->C + (row + i) * s->nv, e->Y + j * size, s->nv);
        trace += fabs(W[j * n + j]);
        P[j] = -e->u[row + j];
    }
    for (int j = 0; j < n; j++) // (joints may leave fewer directions: the least impulse)
        W[j * n + j] += LEAST_IMPULSE * trace;
    if (!hol_solve_small(W, P, n))
        return;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < s->nv; k++)
            s->x.v[k] += P[j] * e->Y[j * size + k];
    for (int r = 0; r < e->rows; r++)
        e->u[r] = hol_impact_dot(e->C + r * s->nv, s->x.v, s->nv);
}

// it slid and has no speed worth the name
static int stopped_slide(const HolEvents *e, int grip) {
    const int at = e->ns->n_supports + grip;
    return e->ns->grips[grip].rows > 1 && e->free_to[at] && e->old_mode[at] == HOL_SLIP;
}

static void take_rests(HolSim *s) {
    HolEvents *e = s->events;
    int factored = 0;
    memcpy(e->rest, s->x.v, sizeof *e->rest * (size_t)s->nv);
    for (int i = 0; i < e->ns->n_grips; i++) {
        if (!stopped_slide(e, i))
            continue;
        factored = factored || hol_mass_factor(s, s->x.t, s->x.q, NULL) == HOL_OK;
        if (factored)
            take_rest(s, i);
    }
    for (int k = 0; k < s->nv; k++)
        e->rest[k] -= s->x.v[k];
}

// Where such a grip slips on it stops a little later, from when on friction has the new direction: v is that
// of a motion which has it from now on and is the same behind that time. What of it is against the new
// direction is less than the lean.
void hol_event_give_rests(HolSim *s) {
    HolEvents *e = s->events;
    double late = 0;
    for (int i = 0; i < e->ns->n_grips; i++)
        if (stopped_slide(e, i) && e->mode[e->ns->n_supports + i] == HOL_SLIP)
            late = fmax(late, e->late[i]);
    if (!(late > 0) || e->jumped)
        return;
    for (int k = 0; k < s->nv; k++)
        s->x.v[k] += e->rest[k];
    const double before = hol_event_kinetic(s);
    for (int k = 0; k < s->nv; k++)
        s->x.v[k] += late * (e->left.a[k] - s->x.a[k]);
    // (by what friction takes more or less from others, by its other direction until then)
    const double gained = hol_event_kinetic(s) - before;
    s->stats.work += gained;
    s->stats.friction_heat -= gained;
    for (int r = 0; r < e->rows; r++)
        e->u[r] = hol_impact_dot(e->C + r * s->nv, s->x.v, s->nv);
    for (int i = 0; i < e->ns->n_grips; i++) {
        const int row = hol_grip_row(e, i), n = e->ns->grips[i].rows;
        double b[HOL_SLIP_ROWS], speed = e->ns->lean(s->p, s->work, i);
        if (!stopped_slide(e, i) || e->mode[e->ns->n_supports + i] != HOL_SLIP)
            continue;
        for (int k = 0; k < n; k++)
            speed = fmax(speed, LEAN_BEYOND * fabs(e->u[row + k]));
        for (int k = 0; k < n; k++)
            b[k] = speed * e->lean[HOL_SLIP_ROWS * i + k];
        e->ns->set_lean(s->p, s->work, i, b, PASSED * speed);
    }
}

void hol_event_first_modes(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    for (int i = 0; i < ns->n_supports; i++) {
        const int rests = e->free_to[i] && fabs(e->u[i]) <= fmax(e->speed_noise[i], e->slow);
        e->free_to[i] = (unsigned char)rests;
        e->barred[i] = (unsigned char)(rests && hol_event_fired(e, HOL_WATCH_FORCE, i));
        // (what its friction holds beside an open stop needs none)
        const int rub = ns->supports[i].rub;
        const int held = rub >= 0 && e->old_mode[i] == HOL_OPEN &&
                         e->old_mode[ns->n_supports + rub] == HOL_STICK;
        e->mode[i] = rests && !e->barred[i] && !held ? HOL_CLOSED : HOL_OPEN;
    }
    for (int i = 0; i < ns->n_grips; i++)
        first_grip_mode(s, i);
    take_rests(s);
}

// A grip that stopped and goes on as before was carried across zero by the error of the method (behind a
// break-away its speed grows from zero). It goes on from rest: else its watch would be below zero still.
HolStatus hol_event_end_reversed(HolSim *s, HolError *err) {
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
void hol_event_zero_orders(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    hol_user_events_values(s);
    for (int i = 0; i < e->n; i++) {
        const HolWatch *w = &ns->watches[i];
        const int order = e->order[i];
        e->order[i] = 0;
        e->below[i] = w->kind == HOL_WATCH_GAP && e->wanted[i] && e->mode[w->of] == HOL_OPEN &&
                      e->old_mode[w->of] == HOL_OPEN && e->P[w->of] == 0 &&
                      e->values[i] < -e->noise[i];
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

// when the rebounds of what this transition brings to rest end, or s->x.t
static double rest_time(const HolSim *s, const char *name) {
    const HolEvents *e = s->events;
    for (int i = 0; i < e->n_log; i++)
        if (!strcmp(e->log[i].kind, "rest") && !strcmp(e->log[i].name, name))
            return e->log[i].time;
    return s->x.t;
}

// lines of one transition by time: some tell when what is left of a motion would end
static void order_lines(HolEvents *e) {
    for (int i = 1; i < e->n_log; i++) {
        const HolEvent line = e->log[i];
        int at = i;
        for (; at > 0 && e->log[at - 1].time > line.time; at--)
            e->log[at] = e->log[at - 1];
        e->log[at] = line;
    }
}

void hol_event_log_modes(HolSim *s) {
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
        line->time = fmax(line->time + (sticks ? e->late[i] : 0), rest_time(s, line->name));
    }
    order_lines(e);
}
