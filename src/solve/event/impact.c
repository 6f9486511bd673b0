// SPDX-License-Identifier: Apache-2.0
// Jumps of velocities. K is the saddle point of the joints, c_i the rows of the contacts that touch
// (normals, and tangents of those with friction), y_i = K^-1 c_i the answer to a unit impulse,
// W_ij = c_i . y_j, u = C v:
//   v+ = v- + sum P_i y_i,   u+ = u- + W P
//   0 <= P_N  perp  u_N+ + e u_N- >= 0,   |P_T| <= mu P_N opposite to u_T+ (u_T+ = 0: stick)
// Closed joints take part in every impact. The multipliers mu_i of y_i,
//   M y_i + G^T mu_i = c_i,  G y_i = 0,   are their impulses:  M (v+ - v-) + G^T sum P_i mu_i = sum P_i c_i
// as M a + G^T lambda = f has their forces. All that happens at one time is added up.
//   together   all at once (impact_states.c)
//   sequence   the most approaching contact alone with its e, again until none approaches; those that
//              approach with the same speed together, so that what is symmetric stays so
// A rebound below the speed of rest becomes none: the contact closes.
#include "solve/event/impact.h"
#include "base/sized.h"
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { IN_SEQUENCE = 1000 };
static const double SAME_SPEED = 1e-9; // relative: contacts that close at once

int hol_grip_row(const HolEvents *e, int grip) {
    int row = e->ns->n_supports;
    for (int i = 0; i < grip; i++)
        row += e->ns->grips[i].rows;
    return row;
}

void hol_contact_rows(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    HolClosedRow row;
    for (int i = 0; i < ns->n_supports; i++)
        ns->closed_row(s->p, s->work, HOL_AT(&s->x), ns->supports[i].row, e->C + i * s->nv, &row);
    for (int i = 0, k = ns->n_supports; i < ns->n_grips; i++)
        for (int r = 0; r < ns->grips[i].rows; r++, k++)
            ns->closed_row(s->p, s->work, HOL_AT(&s->x), ns->grips[i].row + r, e->C + k * s->nv,
                           &row);
    for (int i = 0; i < e->rows; i++)
        e->u[i] = hol_impact_dot(e->C + i * s->nv, s->x.v, s->nv);
}

static HolStatus responses(HolSim *s, int rows, HolError *err) {
    HolEvents *e = s->events;
    const int n = s->nv + s->m + s->nw;
    HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
    for (int i = 0; i < rows && status == HOL_OK; i++) {
        double *y = e->Y + i * n;
        memset(y, 0, sizeof *y * (size_t)n);
        memcpy(y, e->C + i * s->nv, sizeof *y * (size_t)s->nv);
        hol_kkt_solve(s->mass, y);
    }
    for (int i = 0; i < rows && status == HOL_OK; i++)
        for (int j = 0; j < rows; j++)
            e->W[i * rows + j] = hol_impact_dot(e->C + i * s->nv, e->Y + j * n, s->nv);
    return status;
}

static void let_go(HolSim *s) {
    const HolNonsmooth *ns = s->events->ns;
    for (int i = 0; i < ns->n_supports; i++)
        ns->set_support(s->p, s->work, i, HOL_OPEN);
    for (int i = 0; i < ns->n_grips; i++)
        ns->set_grip(s->p, s->work, HOL_AT(&s->x), i, HOL_FREE);
}

HolStatus hol_event_push(HolSim *s, HolError *err) {
    let_go(s);
    s->events->jumped = 1;
    const HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
    return status == HOL_OK ? hol_project_rates(s, 1, err) : status;
}

HolStatus hol_contact_responses(HolSim *s, HolError *err) {
    let_go(s);
    return responses(s, s->events->rows, err);
}

// ---- impulses of joints ----

void hol_jump_add(HolSim *s, int i, double P) {
    const double *y = s->events->Y + i * (s->nv + s->m + s->nw);
    for (int k = 0; k < s->nv; k++)
        s->x.v[k] += P * y[k];
    for (int k = 0; k < s->m; k++)
        s->events->jump[k] += P * y[s->nv + k];
}

void hol_impulses_begin(HolSim *s) {
    HolEvents *e = s->events;
    memset(e->jump, 0, sizeof *e->jump * (size_t)s->m);
    e->n_impulses = 0;
    e->jumped_by.name[0] = 0;
}

void hol_impulses_by(HolSim *s, const HolEvent *line) {
    if (!s->events->jumped_by.name[0])
        s->events->jumped_by = *line;
}

void hol_impulses_end(HolSim *s) {
    HolEvents *e = s->events;
    HolPoint at = *HOL_AT(&s->x);
    at.lambda = e->jump;
    e->n_impulses = 0;
    for (int i = 0; e->jumped && i < e->ns->n_impulses; i++) {
        double *x = e->impulse + HOL_IMPULSE_PARTS * e->n_impulses;
        int any = 0;
        e->ns->impulse(s->p, s->work, &at, i, x);
        for (int k = 0; k < HOL_IMPULSE_PARTS; k++) {
            x[k] += 0.0; // (no -0)
            any |= x[k] != 0;
        }
        if (any)
            e->impulse_of[e->n_impulses++] = i;
    }
}

int hol_sim_impulse_sized(const HolSim *s, int i, HolImpulse *out, size_t room) {
    if (!s || !out || !s->events || i < 0 || i >= s->events->n_impulses)
        return 0;
    const HolEvents *e = s->events;
    const double *x = e->impulse + HOL_IMPULSE_PARTS * i;
    HolImpulse line = {.time = e->jumped_by.time};
    snprintf(line.event, sizeof line.event, "%s", e->jumped_by.name);
    snprintf(line.joint, sizeof line.joint, "%s", e->ns->impulse_name(s->p, e->impulse_of[i]));
    line.fx = x[0], line.fy = x[1], line.fz = x[2];
    line.tx = x[3], line.ty = x[4], line.tz = x[5];
    line.effort = x[6];
    hol_sized_make(out, room, &line, sizeof line);
    return 1;
}

// ---- the impact ----

void hol_impact_apply(HolSim *s, const double *P, double *total) {
    HolEvents *e = s->events;
    for (int i = 0; i < e->rows; i++) {
        if (P[i] == 0)
            continue;
        hol_jump_add(s, i, P[i]);
        total[i] += P[i];
    }
    for (int i = 0; i < e->rows; i++)
        e->u[i] = hol_impact_dot(e->C + i * s->nv, s->x.v, s->nv);
}

static HolImpactContact contact_of(const HolEvents *e, int support, double restitution) {
    const HolNonsmooth *ns = e->ns;
    const int grip = ns->supports[support].grip;
    HolImpactContact c = {.normal = support, .e = restitution, .state = HOL_IMPACT_SLIDES};
    if (grip >= 0 && ns->grips[grip].friction > 0) {
        c.tangent = hol_grip_row(e, grip);
        c.rows = ns->grips[grip].rows;
        c.mu = ns->grips[grip].friction;
        c.state = HOL_IMPACT_STICKS;
    }
    return c;
}

// restitution of a contact that closes with u: none where the rebound is too slow to count
static double rebound(const HolSim *s, int i) {
    const HolEvents *e = s->events;
    const double factor = e->ns->supports[i].restitution;
    return factor * -e->u[i] <= e->free_speed[i] ? 0 : factor;
}

// Without friction an impulse stops whatever gives way
static HolStatus impact_stuck(HolSim *s, int i, double *P, double speed, HolError *err) {
    const HolImpactContact smooth = {.normal = i, .state = HOL_IMPACT_SLIDES};
    s->events->parties[0] = smooth;
    const int stops = hol_impact_solve(s, s->events->parties, 1, P, speed);
    hol_error_set(err, HOL_ERR_STEP,
                  stops ? "time %.9g: no impulse satisfies the impact at '%s': use a compliant "
                          "contact (stiffness), or less friction"
                        : "time %.9g: '%s' is met by what cannot stop, because a drive or the "
                          "joints move it: end the drive before, or give it way (stiffness)",
                  s->x.t, s->events->ns->supports[i].name);
    if (err)
        err->time = s->x.t;
    return HOL_ERR_STEP;
}

// impulses P of the contacts that approach as fast as `worst`, together, or of that one alone
static int impact_of_equals(HolSim *s, int worst, double *P, double speed) {
    HolEvents *e = s->events;
    HolImpactContact *c = e->parties;
    int n = 0;
    for (int i = 0; i < e->ns->n_supports; i++)
        if (e->free_to[i] && e->u[i] <= (1 - SAME_SPEED) * e->u[worst])
            c[n++] = contact_of(e, i, rebound(s, i));
    if (n > 1 && hol_impact_solve(s, c, n, P, speed))
        return 1;
    c[0] = contact_of(e, worst, rebound(s, worst));
    return hol_impact_solve(s, c, 1, P, speed);
}

HolStatus hol_impact(HolSim *s, double *loss, HolError *err) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    HolImpactContact *c = e->parties;
    double *P = e->impact + 3 * (e->rows + 1), *total = e->impact + 4 * (e->rows + 1);
    double *before = e->impact + 5 * (e->rows + 1), speed = 0;
    int n = 0, restitution = 0, first = -1;
    *loss = 0;
    memset(total, 0, sizeof *total * (size_t)e->rows);
    for (int i = 0; i < ns->n_supports; i++)
        if (e->free_to[i]) {
            n++;
            speed = fmax(speed, fabs(e->u[i]));
            if (e->u[i] < -e->speed_noise[i]) {
                first = first < 0 ? i : first;
                restitution |= rebound(s, i) > 0;
            }
        }
    if (first < 0)
        return HOL_OK;
    memcpy(before, e->u, sizeof *before * (size_t)e->rows);
    const int sequence = strcmp(s->o.impact, "together") != 0 && n > 1 && restitution;
    for (int k = 0; sequence && k < IN_SEQUENCE * n; k++) {
        int worst = -1;
        for (int i = 0; i < ns->n_supports; i++)
            if (e->free_to[i] && e->u[i] < -e->speed_noise[i] - HOL_IMPACT_SMALL * speed &&
                (worst < 0 || e->u[i] < e->u[worst]))
                worst = i;
        if (worst < 0)
            break;
        if (!impact_of_equals(s, worst, P, speed))
            return impact_stuck(s, worst, P, speed, err);
        hol_impact_apply(s, P, total);
    }
    int closing = 0;
    for (int i = 0; i < ns->n_supports; i++)
        closing |= e->free_to[i] &&
                   e->u[i] < -e->speed_noise[i] - (sequence ? HOL_IMPACT_SMALL * speed : 0);
    if (closing) { // all at once; behind a sequence without restitution
        n = 0;
        for (int i = 0; i < ns->n_supports; i++) {
            if (!e->free_to[i])
                continue;
            c[n] = contact_of(e, i, sequence ? 0 : rebound(s, i));
            if (!(e->u[i] < -e->speed_noise[i])) // until the others press it
                c[n].state = HOL_IMPACT_APART;
            n++;
        }
        if (!hol_impact_solve(s, c, n, P, speed))
            return impact_stuck(s, first, P, speed, err);
        hol_impact_apply(s, P, total);
    }
    for (int i = 0; i < e->rows; i++)
        *loss -= 0.5 * total[i] * (before[i] + e->u[i]);
    memcpy(e->P, total, sizeof *total * (size_t)e->rows);
    memcpy(e->u_before, before, sizeof *before * (size_t)e->rows);
    return HOL_OK;
}

// ---- resets by events of the user ----

// Velocities become what the event says; the others follow the joints, with the least change. Friction
// that sticks holds nothing against a jump, and what touches may part; where it closes, an impact follows.
HolStatus hol_event_resets_apply(HolSim *s, int event, HolError *err) {
    HolEvents *e = s->events;
    double value[8], rhs[8], *a = e->system;
    int rows = 0;
    while (rows < 8 && e->ns->event_resets(s->p, s->work, HOL_AT(&s->x), event, rows,
                                           e->C + rows * s->nv, &value[rows]))
        rows++;
    for (int i = 0; i < rows; i++)
        if (!isfinite(value[i]))
            return hol_error_set(err, HOL_ERR_STEP,
                                 "time %.9g: event '%s': what a velocity is reset to is no finite "
                                 "number: correct its expression",
                                 s->x.t, e->ns->events[event].name);
    if (rows)
        let_go(s);
    HolStatus status = rows ? responses(s, rows, err) : HOL_OK;
    if (status != HOL_OK || !rows)
        return status;
    memcpy(a, e->W, sizeof *a * (size_t)(rows * rows));
    for (int i = 0; i < rows; i++)
        rhs[i] = value[i] - hol_impact_dot(e->C + i * s->nv, s->x.v, s->nv);
    if (!hol_solve_small(a, rhs, rows))
        return hol_error_set(
            err, HOL_ERR_STEP,
            "time %.9g: event '%s': the joints do not allow the velocities that it resets", s->x.t,
            e->ns->events[event].name);
    for (int i = 0; i < rows; i++)
        hol_jump_add(s, i, rhs[i]);
    return HOL_OK;
}
