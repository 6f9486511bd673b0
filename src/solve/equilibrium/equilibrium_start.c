// SPDX-License-Identifier: Apache-2.0
// Positions to begin with, and the way by load steps (docs/equilibrium.md).
// Load steps: at the position where the search begins the force r0 is missing. It is added, so that
// the position is an equilibrium, and taken away in parts,
//   f - G^T lambda = (1 - p) r0,   p = 0 .. 1,
// each equilibrium found from the one before. So the mechanism follows its loads as slowly as one
// likes, also where forces have no potential.
// Random positions: some way along a random direction of the tangent space, onto the constraints after
// every part of it.
#include "solve/equilibrium/equilibrium.h"

#include "solve/constraint/project.h"

#include <math.h>
#include <string.h>

static const double FIRST_LOAD = 0.1, LEAST_LOAD = 1e-3, MOST_LOAD = 0.25; // parts of the load
static const double FOLLOW = 0.3;    // extents and radians in a step of the drives
enum { PARTS = 2 };                  // of a leg to a random position
static const double PART = 0.5;      // extents or radians in a part, at most
static const double SHORTEST = 0.01; // the same, where the constraints allow no more

double hol_statics_random(HolStatics *e) {
    unsigned long long z = (e->random += 0x9E3779B97F4A7C15ULL); // splitmix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

HolStatus hol_statics_follow(HolStatics *e, double to, double *q, HolError *err) {
    HolSim *s = e->s;
    const HolProblem *p = s->p;
    double step = to - e->t;
    while (e->t != to) {
        double moved, turned;
        const double t = fabs(step) >= fabs(to - e->t) ? to : e->t + step;
        memcpy(e->q, q, sizeof *q * (size_t)s->nq);
        HolStatus status = hol_project_position(s, t, e->q, 0, err);
        p->minus(p, s->work, e->q, q, e->step);
        hol_statics_sizes(e, e->step, &moved, &turned);
        if (status || !(moved + turned < FOLLOW)) {
            step *= 0.5;
            if (fabs(step) < 1e-9 * fabs(to - s->x.t))
                return status
                           ? status
                           : hol_error_set(err, HOL_ERR_CONVERGE,
                                           "the drives cannot be followed beyond time %.9g", e->t);
            continue;
        }
        memcpy(q, e->q, sizeof *q * (size_t)s->nq);
        e->t = t;
        if (p->extras->accept)
            p->extras->accept(p, s->work, t, q, e->zero);
        step *= 1.5;
        if (s->stop_flag && *s->stop_flag)
            return HOL_INTERRUPTED;
    }
    return HOL_OK;
}

HolStatus hol_statics_load_steps(HolStatics *e, HolRest *x, HolError *err) {
    HolSim *s = e->s;
    HolRest last;
    if (!hol_rest_alloc(e, &last))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    double p = 0, step = FIRST_LOAD;
    memcpy(e->load, x->r, sizeof *x->r * (size_t)s->nv);
    hol_rest_copy(e, &last, x);
    hol_rest_save(e, &last);
    HolStatus status = HOL_OK;
    while (p < 1) {
        const double to = fmin(1, p + step);
        e->held = 1 - to;
        status = hol_statics_balance(e, x, 0, err);
        if (!status)
            status = hol_statics_solve(e, x, 0, err);
        if (status == HOL_INTERRUPTED)
            break;
        if (status) {
            hol_rest_copy(e, x, &last);
            hol_rest_resume(e, &last);
            if ((step *= 0.5) < LEAST_LOAD)
                break;
            continue;
        }
        p = to;
        step = fmin(2 * step, MOST_LOAD);
        hol_rest_copy(e, &last, x);
        hol_rest_save(e, &last);
    }
    e->held = 0;
    if (status)
        return status;
    return hol_statics_balance(e, x, 0, err);
}

// y = random displacement along the constraints at q, of size 1; 0: there is none
static int random_direction(HolStatics *e, const double *q, double *y) {
    HolSim *s = e->s;
    HolError none;
    const HolProblem *p = s->p;
    double moved, turned;
    if (hol_mass_factor(s, e->t, q, &none) != HOL_OK)
        return 0;
    memset(y, 0, sizeof *y * (size_t)(s->nv + s->m + s->nw));
    for (int i = 0; i < s->nv; i++)
        e->step[i] = hol_statics_random(e) * s->reach[i];
    hol_mul_columns(&p->M, hol_kkt_S(s->mass), e->step, 1, y);
    hol_kkt_solve_motion(s->mass, y, 0);
    hol_statics_sizes(e, y, &moved, &turned);
    const double size = hol_larger(moved, turned);
    for (int i = 0; i < s->nv; i++)
        y[i] /= size;
    return size > 0 && isfinite(size);
}

HolStatus hol_statics_wander(HolStatics *e, const HolRest *x, int turn, HolRest *to,
                             HolError *err) {
    HolSim *s = e->s;
    const HolProblem *p = s->p;
    double part = PART * (0.2 + 0.8 * fabs(hol_statics_random(e)));
    hol_rest_resume(e, x);
    hol_rest_copy(e, to, x);
    if (turn && !random_direction(e, x->q, e->heading))
        return hol_error_set(err, HOL_ERR_SINGULAR, "nothing can move");
    for (int i = 0; i < PARTS && part > SHORTEST;) {
        if (hol_statics_move(e, to, e->heading, part, &e->next, err) != HOL_OK) {
            part *= 0.5;
            continue;
        }
        hol_rest_copy(e, to, &e->next);
        if (p->extras->accept)
            p->extras->accept(p, s->work, e->t, to->q, e->zero);
        i++;
    }
    hol_rest_save(e, to);
    return HOL_OK;
}
