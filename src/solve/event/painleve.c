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
#include "solve/constraint/project.h"
#include "solve/event/impact.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Wedge {
    int grip;
    double c, critical, free; // free: acceleration of the gap without the contact
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
                   hol_impact_dot(n, s->x.a, s->nv) + row.gamma};
}

static int slides(const HolSim *s, int grip, const int *mode) {
    const HolEvents *e = s->events;
    const HolGrip *g = &e->ns->grips[grip];
    const int row = hol_grip_row(e, grip);
    return g->support >= 0 && g->rows == 1 && mode[g->support] != HOL_OPEN &&
           fabs(e->u[row]) > e->speed_noise[row];
}

static HolStatus wedged(HolSim *s, const Wedge *w, HolError *err) {
    const HolGrip *g = &s->events->ns->grips[w->grip];
    s->events->jam = w->grip;
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
    if (!sliding || (!lost && closed > 1) || n > HOL_PAINLEVE_MOST)
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
            if (w.c <= 0 && (worst.grip < 0 || w.c < worst.c))
                worst = w;
        }
    if (status == HOL_OK && worst.grip >= 0)
        return wedged(s, &worst, err);
    return status == HOL_OK && !lost ? hol_modes_try(s, kept, err) : status;
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
            c[n].mu = e->ns->grips[grip].friction;
            speed = fmax(speed, fabs(e->u[c[n].tangent]));
        }
        c[n++].state = jams ? HOL_IMPACT_STICKS : HOL_IMPACT_APART;
    }
    if (!hol_impact_states(e, c, n, P, speed)) {
        hol_error_set(err, HOL_ERR_STEP, "time %.9g: no impulse ends the sliding of contact '%s'",
                      s->x.t, e->ns->grips[e->jam].name);
        if (err)
            err->time = s->x.t;
        return HOL_ERR_STEP;
    }
    hol_impact_apply(s, P, e->P);
    for (int i = 0; i < e->rows; i++)
        *loss -= 0.5 * P[i] * (e->u_before[i] + e->u[i]);
    return HOL_OK;
}
