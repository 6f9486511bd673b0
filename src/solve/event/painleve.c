// SPDX-License-Identifier: Apache-2.0
// Too much friction for a position (Painleve). A contact that slides with the sign s presses with N along
// n and rubs with -s mu N along t; its own force moves the gap by
//     c = n K^-1 (n - s mu t)^T,    critical friction  mu = n K^-1 n^T / (s n K^-1 t^T)
// K: the saddle point of the joints alone. With c <= 0 more force closes the gap more: with a free
// acceleration b of the gap below zero there is no finite force, above zero sliding and lift-off are
// both solutions. `painleve: jam` takes the impulse that ends the sliding,
//     W (P_N, P_T) = (0, -u_T),   P_N = W_nt u_T/det W,   P_T = -W_nn u_T/det W
// |P_T| <= mu P_N where W_nn <= mu s W_nt, which is c <= 0: it exists where sliding does not. It takes
// the energy W_nn u_T^2/(2 det W).
//
// While a contact slides alone c/W_nn is watched, because N grows as 1/c: with the contact closed a unit
// force along t changes its multiplier by lambda_t, and c/W_nn = 1 - s mu lambda_t. Where that falls to
// NARROW on its way to zero the step ends, and the same follows as if it were zero.
#include "solve/constraint/project.h"
#include "solve/event/impact.h"
#include "solve/event/share.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BISECTIONS = 40, PASSES = 3 };
static const double NARROW = 1e-4; // c/W_nn
static const double ALONE = 1e-9;  // force of another contact over the one that makes it: none
static const double ENDED = 1e-6;  // of the sliding speed before

typedef struct Wedge {
    int grip;
    double c, critical, free; // free: acceleration of the gap without the contact
    double width;             // c/W_nn
} Wedge;

// c of a grip that slides in the plane; the factorization is that of the joints
static Wedge wedge_of(HolSim *s, int grip) {
    HolEvents *e = s->events;
    const HolGrip *g = &e->ns->grips[grip];
    const double *n = e->C + g->support * s->nv, *t = e->C + hol_grip_row(e, grip) * s->nv;
    const double sign = e->u[hol_grip_row(e, grip)] > 0 ? 1 : -1;
    double *y = e->Y;
    memset(y, 0, sizeof *y * (size_t)(s->nv + s->m + s->nw));
    memcpy(y, n, sizeof *y * (size_t)s->nv);
    hol_kkt_solve(s->mass, y);
    const double nn = hol_impact_dot(n, y, s->nv), nt = sign * hol_impact_dot(t, y, s->nv);
    HolClosedRow row;
    e->ns->closed_row(s->p, s->work, HOL_AT(&s->x), e->ns->supports[g->support].row, NULL, &row);
    return (Wedge){grip, nn - g->friction * nt, nt > 0 ? nn / nt : INFINITY,
                   hol_impact_dot(n, s->x.a, s->nv) + row.gamma, 1 - g->friction * nt / nn};
}

static int slides(const HolSim *s, int grip, const int *mode) {
    const HolEvents *e = s->events;
    const HolGrip *g = &e->ns->grips[grip];
    const int row = hol_grip_row(e, grip);
    return g->support >= 0 && g->rows == 1 && mode[g->support] != HOL_OPEN &&
           fabs(e->u[row]) > e->speed_noise[row];
}

static HolStatus narrows(const HolSim *s, double t, int grip, double critical, HolError *err) {
    const HolGrip *g = &s->events->ns->grips[grip];
    hol_error_set(err, HOL_ERR_STEP,
                  "time %.9g: contact '%s': friction %.4g becomes too large for sliding in this "
                  "position: the force that presses it on grows without bound. Use a compliant "
                  "contact (stiffness: ..), law: smooth, painleve: jam, or friction below %.6g",
                  t, g->name, g->friction, floor(critical * 1e4) / 1e4);
    if (err)
        err->time = t;
    return HOL_ERR_STEP;
}

static HolStatus wedged(HolSim *s, const Wedge *w, HolError *err) {
    const HolGrip *g = &s->events->ns->grips[w->grip];
    s->events->jam = w->grip;
    if (w->c > 0)
        return narrows(s, s->x.t, w->grip, w->critical, err);
    hol_error_set(
        err, HOL_ERR_STEP,
        "time %.9g: contact '%s': friction %.4g is too large for sliding in this position "
        "(its force closes the gap: %.3g 1/kg): rigid contact has %s. Use a compliant "
        "contact (stiffness: ..), law: smooth, painleve: jam, or friction below %.6g",
        s->x.t, g->name, g->friction, w->c,
        w->free > 0 ? "two solutions, sliding and lift-off" : "no solution",
        floor(w->critical * 1e4) / 1e4);
    if (err)
        err->time = s->x.t;
    return HOL_ERR_STEP;
}

HolStatus hol_painleve(HolSim *s, const int *mode, int lost, HolError *err) {
    HolEvents *e = s->events;
    const int n = e->ns->n_supports + e->ns->n_grips;
    int closed = 0, sliding = 0;
    Wedge worst = {.grip = -1};
    for (int i = 0; i < e->ns->n_supports; i++)
        closed += mode[i] != HOL_OPEN;
    for (int i = 0; i < e->ns->n_grips; i++)
        sliding += slides(s, i, mode);
    // (several contacts may hold each other up: only one by itself is certain)
    if (!sliding || (!lost && closed > 1 && e->wedge < 0) || n > HOL_PAINLEVE_MOST)
        return HOL_OK;
    int kept[HOL_PAINLEVE_MOST], open[HOL_PAINLEVE_MOST];
    for (int i = 0; i < n; i++) {
        kept[i] = mode[i];
        open[i] = i < e->ns->n_supports                              ? HOL_OPEN
                  : e->ns->grips[i - e->ns->n_supports].support >= 0 ? HOL_FREE
                                                                     : mode[i];
    }
    HolStatus status = hol_modes_try(s, open, err);
    for (int i = 0; i < e->ns->n_grips && status == HOL_OK; i++)
        if (slides(s, i, kept)) {
            const Wedge w = wedge_of(s, i);
            const double least = i == e->wedge ? 2 * NARROW : 0;
            if (w.width <= least && (worst.grip < 0 || w.c < worst.c))
                worst = w;
        }
    if (status == HOL_OK && worst.grip >= 0)
        return wedged(s, &worst, err);
    return status == HOL_OK && !lost ? hol_modes_try(s, kept, err) : status;
}

// ---- while it slides ----

// c/W_nn of a grip that slides in the plane; 1: others carry a part of its force, too
static double width_at(HolSim *s, const HolState *x, int grip) {
    HolEvents *e = s->events;
    const HolGrip *g = &e->ns->grips[grip];
    HolClosedRow row;
    double *y = e->Y;
    memset(y, 0, sizeof *y * (size_t)(s->nv + s->m));
    e->ns->closed_row(s->p, s->work, HOL_AT(x), g->row, y, &row);
    if (!hol_share_answer_at(s, x, y))
        return 1;
    for (int i = 0; i < e->ns->n_supports; i++)
        if (i != g->support && e->ns->support_mode(s->p, s->work, i) == HOL_CLOSED &&
            fabs(y[s->nv + e->ns->supports[i].row]) > ALONE)
            return 1;
    const int sign = e->ns->grip_mode(s->p, s->work, grip) > 0 ? 1 : -1;
    return 1 - sign * g->friction * y[s->nv + e->ns->supports[g->support].row];
}

static int may_wedge(const HolSim *s, int i) {
    const HolGrip *g = &s->events->ns->grips[i];
    return g->support >= 0 && g->rows == 1 &&
           abs(s->events->ns->grip_mode(s->p, s->work, i)) == HOL_SLIP;
}

double hol_painleve_part(HolSim *s) {
    HolEvents *e = s->events;
    double first = INFINITY;
    e->wedge = -1;
    for (int i = 0; i < e->ns->n_grips; i++) {
        if (!may_wedge(s, i))
            continue;
        const double end = width_at(s, &s->next, i);
        if (!(end <= NARROW))
            continue;
        const double start = width_at(s, &s->x, i);
        double lo = 0, hi = 1;
        if (!(end < start * (1 - NARROW))) // (it stays as it is)
            continue;
        for (int k = 0; k < BISECTIONS && start > NARROW; k++) {
            const double at = 0.5 * (lo + hi);
            *(width_at(s, hol_event_state(s, at), i) > NARROW ? &lo : &hi) = at;
        }
        if (lo < first) {
            first = lo;
            e->wedge = i;
            e->slope = (end - start) / (s->next.t - s->x.t);
        }
    }
    return first;
}

double hol_painleve_end_value(HolSim *s, double *noise) {
    *noise = 0.5 * NARROW;
    return width_at(s, &s->next, s->events->wedge) - NARROW;
}

int hol_painleve_ahead(HolSim *s, const HolState *ahead, HolError *err) {
    const HolEvents *e = s->events;
    for (int i = 0; e && i < e->ns->n_grips; i++) {
        if (!may_wedge(s, i))
            continue;
        const double end = width_at(s, ahead, i), start = width_at(s, &s->x, i);
        if (end <= NARROW && end < start * (1 - NARROW)) {
            narrows(s, s->x.t, i, e->ns->grips[i].friction / (1 - start), err);
            return 1;
        }
    }
    return 0;
}

// ---- the jam ----

// the impulses do what they are for; where drives hold both bodies the equations have no solution
static int ends_slip(const HolEvents *e, const double *P) {
    const int normal = e->ns->grips[e->jam].support, along = hol_grip_row(e, e->jam);
    const double u_n = e->u[normal] + hol_impact_dot(e->W + normal * e->rows, P, e->rows),
                 u_t = e->u[along] + hol_impact_dot(e->W + along * e->rows, P, e->rows);
    return fabs(u_n) + fabs(u_t) < ENDED * fabs(e->u[along]);
}

HolStatus hol_painleve_jam(HolSim *s, double *loss, HolError *err) {
    HolEvents *e = s->events;
    HolImpactContact *c = e->parties;
    double *P = e->impact + 3 * (e->rows + 1), speed = 0;
    int n = 0;
    *loss = 0;
    memcpy(e->u_before, e->u, sizeof *e->u * (size_t)e->rows);
    HolStatus status = hol_contact_responses(s, err);
    if (status != HOL_OK)
        return status;
    // the others that touch take part where it presses them
    for (int i = 0; i < e->ns->n_supports; i++) {
        const int grip = e->ns->supports[i].grip, jams = grip == e->jam && grip >= 0;
        if (!jams && !e->touched[i])
            continue;
        c[n] = (HolImpactContact){.normal = i, .state = HOL_IMPACT_APART};
        if (grip >= 0 && e->ns->grips[grip].friction > 0) {
            c[n].tangent = hol_grip_row(e, grip);
            c[n].rows = e->ns->grips[grip].rows;
            c[n].mu = e->ns->grips[grip].friction * (jams && grip == e->wedge ? 1 + 3 * NARROW : 1);
            speed = fmax(speed, fabs(e->u[c[n].tangent]));
        }
        c[n++].state = jams ? HOL_IMPACT_STICKS : HOL_IMPACT_APART;
    }
    // (large impulses leave round-off, which the later passes take)
    for (int pass = 0; pass < PASSES; pass++) {
        if (!hol_impact_states(e, c, n, P, speed) || (!pass && !ends_slip(e, P))) {
            hol_error_set(
                err, HOL_ERR_STEP,
                "time %.9g: no impulse ends the sliding of contact '%s': a drive keeps it "
                "up. Use a compliant contact (stiffness: ..), or less friction",
                s->x.t, e->ns->grips[e->jam].name);
            if (err)
                err->time = s->x.t;
            return HOL_ERR_STEP;
        }
        hol_impact_apply(s, P, e->P);
    }
    memcpy(P, e->P, sizeof *P * (size_t)e->rows);
    for (int i = 0; i < e->rows; i++)
        *loss -= 0.5 * P[i] * (e->u_before[i] + e->u[i]);
    return HOL_OK;
}
