// SPDX-License-Identifier: Apache-2.0
// Who touches at an event, the jump of velocities of what approaches (impact.c finds its impulses), and
// who rests behind it: rebounds that are too slow to count are none.
#include "solve/constraint/project.h"
#include "solve/event/impact.h"
#include "solve/event/transition.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FALL_SWEEPS = 20 };
static const double ROUND = 64 * DBL_EPSILON;
static const double NEAR = HOL_EVENT_NEAR;
static const double FIXED_TOLERANCE = 1e-8; // in place of a tolerance, with a fixed step

double hol_event_tolerance(const HolSim *s) {
    return s->o.step > 0 ? FIXED_TOLERANCE : s->o.tolerance;
}

// supports that touch: e->free_to; speeds below noise: e->speed_noise
void hol_event_touching(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    const double rate = s->test->most / s->test->length;
    hol_contact_rows(s);
    for (int i = 0; i < e->rows; i++)
        e->speed_noise[i] = NEAR * ROUND * rate * hol_event_row_size(s, e->C + i * s->nv);
    for (int i = 0; i < ns->n_supports; i++) {
        HolClosedRow row;
        ns->closed_row(s->p, s->work, HOL_AT(&s->x), ns->supports[i].row, NULL, &row);
        const double noise =
            NEAR * ROUND * s->test->grain * hol_event_row_size(s, e->C + i * s->nv);
        const int fired = hol_event_fired(e, HOL_WATCH_GAP, i),
                  closed = e->old_mode[i] == HOL_CLOSED;
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
    const double least = fmax(sqrt(20 * A * noise), A * HOL_EVENT_CHATTER * s->test->span);
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
    const double tolerance = hol_event_tolerance(s), rate = s->test->most / s->test->length;
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
        const double size = hol_event_row_size(s, e->C + i * s->nv);
        const double noise = ROUND * s->test->grain * size;
        e->fall[i] = A;
        e->free_speed[i] = !(A > 0)              ? 0
                           : s->o.rest_speed > 0 ? s->o.rest_speed
                                                 : default_rest_speed(s, A, tolerance * size, noise,
                                                                      tolerance * rate * size);
    }
    return status;
}

// along the row of a grip; of several rows its size
static double tangential(const HolEvents *e, int grip) {
    const double *P = e->P + hol_grip_row(e, grip);
    double sum = 0;
    for (int k = 0; k < e->ns->grips[grip].rows; k++)
        sum += P[k] * P[k];
    return e->ns->grips[grip].rows > 1 ? sqrt(sum) : P[0];
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
            line->impulse_t = tangential(e, ns->supports[i].grip);
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

void hol_event_was_impact(HolSim *s, double before, double loss) {
    count_loss(s, before, loss);
    log_impacts(s, loss);
    s->events->jumped = 1;
}

HolStatus hol_event_impact(HolSim *s, HolError *err) {
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
    hol_event_was_impact(s, before, loss);
    return HOL_OK;
}
