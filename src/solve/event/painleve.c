// SPDX-License-Identifier: Apache-2.0
// Too much friction for a position (Painleve). A contact that slides with the sign s presses with N along
// n and rubs with -s mu N along t; its own force moves the gap by
//     c = n K^-1 (n - s mu t)^T,    critical friction  mu = n K^-1 n^T / (s n K^-1 t^T)
// K: the saddle point of the joints alone. With c <= 0 more force closes the gap more: with a free
// acceleration b of the gap below zero there is no finite force, above zero sliding and lift-off are
// both solutions.
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
    hol_error_set(
        err, HOL_ERR_STEP,
        "time %.9g: contact '%s': friction %.4g is too large for sliding in this position "
        "(its force closes the gap: %.3g 1/kg): rigid contact has %s. Use a compliant "
        "contact (stiffness: ..), law: smooth, or friction below %.6g",
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
