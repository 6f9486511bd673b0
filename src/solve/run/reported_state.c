// SPDX-License-Identifier: Apache-2.0
// States as they are reported (docs/theory/results.md, section 14). The state that a step carries
// along and the state that a reader expects differ in some places:
// - Redundant rows: every lambda + n with G^T n = 0 gives the same motion. Iterations keep the null
//   part that they started with; reported is the lambda of least norm.
// - Inside a step: interpolated q and v leave the constraints by the error of the interpolation,
//   linear accelerations by much more. Reported are q and v on the constraints (mass metric) and
//   a, lambda of [M G^T; G 0] [a; lambda] = [f; -gamma] there.
// - Methods whose accelerations ring, and both sides of a jump: a, lambda of these equations.
// Both with a matrix of their own, unless the method leaves its own free between steps.
#include "solve/constraint/project.h"
#include "solve/run/run.h"

#include <math.h>
#include <string.h>

// the matrix of reported states; NULL: no memory
static HolKkt *reported(HolSim *s) {
    if (!s->reported)
        s->reported = hol_sim_kkt(s, &s->p->M, &s->p->G, s->nw, 1, s->o.linear_solver);
    if (s->reported)
        hol_kkt_set_redundant(s->reported, s->redundant);
    return s->reported;
}

int hol_report_prepare(HolSim *s) {
    const int asked = s->m > 0 || s->driver->held; // (by rows, by sticking.c)
    return !asked || s->stepper->frees_mass || reported(s) != NULL;
}

// Largest difference of the accelerations, as a part of what they may differ by: of their size at
// the ends of the step, and where only a line was drawn between the ends, of its rise.
static double disagreement(const HolSim *s, const double *a, const double *b) {
    const double *a0 = s->prev.a, *a1 = s->x.a;
    const double size = fmax(hol_max_abs(a0, s->nv), hol_max_abs(a1, s->nv)) + 1e-9;
    const double rise = s->stepper->dense ? 0 : 4 * hol_max_difference(a0, a1, s->nv);
    return hol_max_difference(a, b, s->nv) / (size + rise);
}

// Stiff forces and nearly singular positions magnify what is left of the interpolation's error:
// then the interpolated accelerations are the better ones.
static const double MOST_DISAGREEMENT = 0.25;

// with s->mass free for it
static void reported_state_make_consistent(HolSim *s, HolState *x) {
    HolState *kept = &s->mid;
    hol_state_copy(s, kept, x);
    HolStatus status = hol_project_position(s, x->t, x->q, 1, NULL);
    if (status == HOL_OK)
        status = hol_project_velocity(s, x->t, x->q, x->v, NULL);
    if (status != HOL_OK)
        hol_state_copy(s, x, kept);
    else
        status = hol_accelerate(s, x, 1, NULL);
    // (without interpolated multipliers there is no other pair)
    if (status == HOL_OK && kept->bare)
        return;
    if (status != HOL_OK || !(disagreement(s, x->a, kept->a) < MOST_DISAGREEMENT)) {
        // the projected q, v with the interpolated rest
        memcpy(kept->q, x->q, sizeof(double) * (size_t)s->nq);
        memcpy(kept->v, x->v, sizeof(double) * (size_t)s->nv);
        hol_state_copy(s, x, kept);
        hol_kkt_minimum_norm(s->mass, x->lambda);
    }
}

void hol_fill(HolSim *s, HolState *x) {
    if (!x->bare)
        return;
    const HolStats stats = s->stats;
    HolState own = *x;
    own.a = s->r3; // x keeps what the method gave it
    if (s->stepper->turns && x != &s->mid)
        s->stepper->turns(s, x);
    if (hol_accelerate(s, &own, 0, NULL) != HOL_OK)
        for (int i = 0; i < s->m; i++)
            x->lambda[i] = NAN;
    x->bare = 0;
    s->stats = stats;
}

void hol_report(HolSim *s, HolState *x) {
    const int inside = x->t != s->x.t && x->t != s->prev.t;
    // (with a border lambda is of least norm already: variables may depend on it)
    if (!inside && (!s->m || !s->redundant || s->nw))
        return;
    HolKkt *own = s->mass;
    const HolStats stats = s->stats; // reporting is no effort of the method
    const int frees_mass = s->stepper->frees_mass || x->bare;
    if (!frees_mass && !reported(s))
        return;
    s->mass = frees_mass ? own : s->reported;
    if (inside)
        reported_state_make_consistent(s, x);
    else if (!hol_mass_factor(s, x->t, x->q, NULL))
        hol_kkt_minimum_norm(s->mass, x->lambda);
    s->mass = own;
    s->stats = stats;
}

HolStatus hol_accelerate_apart(HolSim *s, HolState *x) {
    HolKkt *own = s->mass;
    const HolStats stats = s->stats;
    const int frees_mass = s->stepper->frees_mass;
    if (!frees_mass && !reported(s))
        return HOL_ERR_MEMORY;
    s->mass = frees_mass ? own : s->reported;
    const HolStatus status = hol_accelerate(s, x, 0, NULL);
    s->mass = own;
    s->stats = stats;
    return status;
}

int hol_null_part(HolSim *s, const HolState *x, double *n) {
    HolKkt *own = s->mass;
    double *least = s->r2;
    if (!s->redundant || !reported(s))
        return 0;
    const HolStats stats = s->stats;
    memcpy(least, n, sizeof *n * (size_t)s->m);
    s->mass = s->reported;
    const HolStatus status = hol_mass_factor(s, x->t, x->q, NULL);
    if (status == HOL_OK)
        hol_kkt_minimum_norm(s->mass, least);
    s->mass = own;
    s->stats = stats;
    for (int i = 0; i < s->m; i++)
        n[i] -= least[i];
    return status == HOL_OK;
}

void hol_report_anew(HolSim *s, HolState *x, int fit) {
    HolKkt *own = s->mass;
    HolState *kept = &s->mid;
    const HolStats stats = s->stats;
    const int frees_mass = s->stepper->frees_mass || x->bare;
    if (!frees_mass && !reported(s))
        return;
    s->mass = frees_mass ? own : s->reported;
    hol_state_copy(s, kept, x);
    HolStatus status = fit && s->m ? hol_project_position(s, x->t, x->q, 1, NULL)
                                   : hol_mass_factor(s, x->t, x->q, NULL);
    if (status == HOL_OK && fit)
        status = hol_project_velocity(s, x->t, x->q, x->v, NULL);
    if (status == HOL_OK)
        status = hol_accelerate(s, x, 1, NULL);
    if (status != HOL_OK)
        hol_state_copy(s, x, kept);
    else
        x->bare = 0;
    s->mass = own;
    s->stats = stats;
}
