// SPDX-License-Identifier: Apache-2.0
// Over a singular position, for the method bdf. Where constraints lose rank, multipliers are not
// unique and the integrator's steps may shrink to nothing just before it. Two steps of the
// classical Runge-Kutta method on the index-1 equations, projected onto the constraints, lead
// across; behind them the integrator starts again.
//   error = |x_2(h/2) - x_1(h)| / 15 in q and v, over the tolerance
// h is halved until the error is below 1. A stiff model holds that step far below the
// integrator's: then there is no crossing.
#include "solve/constraint/project.h"
#include "solve/constraint/rk_stages.h"
#include "solve/method/bdf/bdf.h"
#include "solve/run/error_test.h"

#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum { HALVINGS = 10 };              // of a crossing that is not accurate enough
static const double RICHARDSON = 15; // 2^4 - 1: error of two half steps by a whole one of order 4

struct HolBdfCross {
    HolRkWork rk;
    HolState whole; // after one step h
    double *moved;  // nv
};

int hol_bdf_cross_create(HolBdf *b) {
    HolSim *s = b->s;
    b->cross = HOL_NEW(&s->arena, struct HolBdfCross, 1);
    if (!b->cross)
        return 0;
    hol_state_alloc(s, &b->cross->whole);
    b->cross->moved = HOL_NEW(&s->arena, double, s->nv + 1);
    return hol_rk_create(s, &b->cross->rk, 4);
}

static double bdf_cross_error_of(HolBdf *b, double h) {
    HolSim *s = b->s;
    const HolState *x = &s->next, *y = &b->cross->whole;
    s->p->minus(s->p, s->work, x->q, y->q, b->cross->moved);
    const double position = hol_norm_q(s, b->cross->moved);
    hol_sim_add(s, s->nv, x->v, -1, y->v, b->cross->moved);
    return fmax(position, hol_norm_v(s, b->cross->moved)) / RICHARDSON / hol_error_limit(s, h, 1);
}

// s->next = a step h from s->x; 1: accurate enough
static int try_crossing(HolBdf *b, double h) {
    HolSim *s = b->s;
    HolRkWork *rk = &b->cross->rk;
    HolState *x = &s->next;
    hol_state_copy(s, &b->cross->whole, &s->x);
    hol_state_copy(s, x, &s->x);
    if (hol_rk4_step(s, rk, &b->cross->whole, h, NULL) != HOL_OK ||
        hol_rk4_step(s, rk, x, h / 2, NULL) != HOL_OK ||
        hol_rk4_step(s, rk, x, h / 2, NULL) != HOL_OK)
        return 0;
    hol_error_test_candidate(s, x);
    if (!(bdf_cross_error_of(b, h) <= 1))
        return 0;
    x->t = s->x.t + h;
    return hol_project_position(s, x->t, x->q, 1, NULL) == HOL_OK &&
           hol_project_velocity(s, x->t, x->q, x->v, NULL) == HOL_OK &&
           hol_accelerate(s, x, 1, NULL) == HOL_OK;
}

double hol_bdf_cross(HolBdf *b, double most) {
    HolSim *s = b->s;
    const long forces = s->stats.force_evaluations;
    double h = fmin(b->h_most, most), crossed = 0;
    for (int n = 0; n < HALVINGS && crossed == 0 && h > 0; n++, h /= 2)
        crossed = try_crossing(b, h) ? h : 0;
    s->stats.force_evaluations = forces; // those of the integrator are counted
    return crossed;
}
