// SPDX-License-Identifier: Apache-2.0
// States as they are reported. What a step carries along and what a reader expects differ in two
// places:
//   redundant rows: every lambda + n with G^T n = 0 gives the same motion. Iterations keep what
//   null
//     part they were given; reported is the lambda of least norm.
//   inside a step: interpolated q and v leave the constraints by the error of the interpolation,
//   and
//     linear accelerations by much more. Reported are q and v on the constraints (mass metric) and
//     a, lambda of [M G^T; G 0] [a; lambda] = [f; -gamma] there.
#include "solve/project.h"

#include <math.h>
#include <string.h>

HolStatus hol_report_prepare(HolSim *s, HolError *err) {
    // a stepper with a report of its own needs no second matrix; a border determines lambda itself
    if (!s->redundant || s->nw || s->stepper->report || s->reported)
        return HOL_OK;
    s->reported = hol_sim_kkt(s, &s->p->M, &s->p->G, 0, 1, s->o.linear_solver);
    if (!s->reported)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_kkt_set_redundant(s->reported, 1);
    return HOL_OK;
}

void hol_report_multipliers(HolSim *s, HolState *x) {
    const HolProblem *p = s->p;
    if (!s->reported)
        return;
    double *M = hol_kkt_S(s->reported);
    memset(M, 0, sizeof *M * (size_t)p->M.nnz);
    p->mass(p, s->work, x->t, x->q, 1, 0, M);
    p->jacobian(p, s->work, x->t, x->q, hol_kkt_G(s->reported));
    if (!hol_kkt_factor(s->reported))
        hol_kkt_minimum_norm(s->reported, x->lambda);
}

// Largest difference of the accelerations as a part of their size at the ends of the step.
static double disagreement(const HolSim *s, const double *a, const double *b) {
    double largest = 0;
    for (int i = 0; i < s->nv; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest / (fmax(hol_max_abs(s->prev.a, s->nv), hol_max_abs(s->x.a, s->nv)) + 1e-9);
}

// Stiff forces and nearly singular positions magnify what is left of the interpolation's error:
// then the interpolated accelerations are the better ones.
static const double MOST_DISAGREEMENT = 0.25;

void hol_report_consistent(HolSim *s, HolState *x) {
    HolState *kept = &s->mid;
    const HolStats stats = s->stats; // reporting is no effort of the method
    hol_state_copy(s, kept, x);
    HolStatus status = hol_project_position(s, x->t, x->q, 1, NULL);
    if (status == HOL_OK)
        status = hol_project_velocity(s, x->t, x->q, x->v, NULL);
    if (status != HOL_OK)
        hol_state_copy(s, x, kept);
    else
        status = hol_accelerate(s, x, 1, NULL);
    if (status != HOL_OK || !(disagreement(s, x->a, kept->a) < MOST_DISAGREEMENT)) {
        // the projected q, v with the interpolated rest
        memcpy(kept->q, x->q, sizeof(double) * (size_t)s->nq);
        memcpy(kept->v, x->v, sizeof(double) * (size_t)s->nv);
        hol_state_copy(s, x, kept);
        hol_kkt_minimum_norm(s->mass, x->lambda);
    }
    s->stats = stats;
}
