// SPDX-License-Identifier: Apache-2.0
// Supports that are pieces of an outline: sides and corners of a polyline (problem/nonsmooth.h). A piece
// counts between its ends only.
//   touch     gap falls through zero where both reaches are positive; elsewhere its line is air, or the
//             inside of something. Which piece is met at a seam does not matter: normals are the same.
//   pass      a closed piece reaches its end (HOL_WATCH_REACH). The next piece takes the contact over as it
//             is: gap, speed and sliding speed are the same on both sides of the seam, so that nothing
//             jumps but the curvature, and with it the force. Without a next piece the contact ends.
// The piece that is closed owns the seams at its ends: its neighbours are not watched.
#include "solve/constraint/project.h"
#include "solve/event/impact.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <math.h>
#include <string.h>

static const double MEETS = 1e-6; // of the size of a row: gap of a piece that takes over

// 1: the place is between the ends of a piece, or so little beyond that it counts
int hol_piece_reaches(HolSim *s, const HolState *x, int support, double noise) {
    const HolNonsmooth *ns = s->events->ns;
    const HolPiece *p = ns->supports[support].piece;
    for (int end = 0; end < 2; end++)
        if (!(ns->reach(s->p, s->work, HOL_AT(x), support, end) >= -fmax(p->slack[end], noise)))
            return 0;
    return 1;
}

int hol_piece_idle(const HolSim *s, int support) {
    const HolNonsmooth *ns = s->events->ns;
    const HolPiece *p = ns->supports[support].piece;
    for (int end = 0; p && end < 2; end++)
        if (p->next[end] >= 0 && ns->support_mode(s->p, s->work, p->next[end]) == HOL_CLOSED)
            return 1;
    return 0;
}

// ---- who touches ----

// the start oversteps it: its face is the nearest of its outline
static int starts_behind(HolSim *s, int support, double gap, double noise) {
    const HolNonsmooth *ns = s->events->ns;
    const HolPiece *p = ns->supports[support].piece;
    if (!(gap > -p->depth))
        return 0;
    for (int i = 0; i < ns->n_supports; i++) {
        const HolPiece *q = ns->supports[i].piece;
        HolClosedRow row;
        if (!q || q->outline != p->outline || i == support ||
            !hol_piece_reaches(s, &s->x, i, noise))
            continue;
        ns->closed_row(s->p, s->work, HOL_AT(&s->x), ns->supports[i].row, NULL, &row);
        if (row.value > gap && row.value < -gap)
            return 0;
    }
    return 1;
}

int hol_piece_touches(HolSim *s, int support, double gap, double noise, int fired) {
    const HolEvents *e = s->events;
    if (e->passed[support] || hol_piece_idle(s, support))
        return 0;
    if (fired)
        return 1;
    if (!(gap <= noise) || !hol_piece_reaches(s, &s->x, support, noise))
        return 0;
    return gap >= -noise || (e->starting && starts_behind(s, support, gap, noise));
}

// next to a seam two pieces touch: only the one on this side of it does
void hol_pieces_divide(HolSim *s) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    for (int i = 0; i < ns->n_supports; i++) {
        const HolPiece *p = ns->supports[i].piece;
        for (int end = 0; p && end < 2 && e->free_to[i]; end++) {
            const int next = p->next[end];
            if (next < 0 || !e->free_to[next] || e->old_mode[i] == HOL_CLOSED)
                continue;
            const double reach = ns->reach(s->p, s->work, HOL_AT(&s->x), i, end);
            if (e->old_mode[next] == HOL_CLOSED || reach < 0 || (reach == 0 && i > next))
                e->free_to[i] = 0;
        }
    }
}

// ---- from piece to piece ----

static void set_modes(HolSim *s, int support, int mode, int grip_mode) {
    const HolNonsmooth *ns = s->events->ns;
    const int grip = ns->supports[support].grip;
    ns->set_support(s->p, s->work, support, mode);
    if (grip >= 0)
        ns->set_grip(s->p, s->work, HOL_AT(&s->x), grip, grip_mode);
}

// the piece beyond an end takes the contact over; 0: there is none
static int hand_over(HolSim *s, int from, int to) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    HolClosedRow row;
    if (to < 0 || e->old_mode[to] == HOL_CLOSED)
        return 0;
    ns->closed_row(s->p, s->work, HOL_AT(&s->x), ns->supports[to].row, e->v, &row);
    if (!(fabs(row.value) <=
          MEETS * hol_event_row_size(s, e->v))) // (the end of an open line, from behind)
        return 0;
    const int grip = ns->supports[from].grip, next = ns->supports[to].grip, n = ns->n_supports;
    set_modes(s, to, HOL_CLOSED, grip >= 0 ? e->old_mode[n + grip] : HOL_FREE);
    e->old_mode[to] = HOL_CLOSED;
    e->old_mode[from] = HOL_OPEN;
    if (grip >= 0) {
        e->old_mode[n + next] = e->old_mode[n + grip];
        e->old_mode[n + grip] = HOL_FREE;
    }
    return 1;
}

HolStatus hol_pieces_pass(HolSim *s, HolError *err) {
    HolEvents *e = s->events;
    const HolNonsmooth *ns = e->ns;
    int any = 0;
    memset(e->passed, 0, (size_t)ns->n_supports);
    for (int i = 0; i < e->n; i++) {
        const HolWatch *w = &ns->watches[i];
        if (w->kind != HOL_WATCH_REACH || !e->fired[i] || e->passed[w->of])
            continue;
        any |= hand_over(s, w->of, ns->supports[w->of].piece->next[w->side]);
        set_modes(s, w->of, HOL_OPEN, HOL_FREE);
        e->passed[w->of] = 1;
    }
    if (!any)
        return HOL_OK;
    // (positions are at the seam up to round-off, and so are velocities)
    const HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
    return status == HOL_OK ? hol_project_velocity(s, s->x.t, s->x.q, s->x.v, err) : status;
}
