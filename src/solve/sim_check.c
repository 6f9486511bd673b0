// SPDX-License-Identifier: Apache-2.0
// What no error estimate sees, checked of every candidate before it is accepted: its constraints
// are met, a driven mechanism stays on its branch, whole turns are counted.
#include "solve/driver.h"
#include "solve/error_test.h"
#include "solve/project.h"

#include <math.h>
#include <string.h>

// An angle that turned by nearly half a turn more or less than expected has an uncertain number of
// turns: an error like others where steps vary.
static HolStatus check_turns(HolSim *s, double h, HolStepResult *result) {
    static const double MOST = 2.5; // rad
    const char *body = "";
    const double surprise =
        s->p->surprise && !s->turns_counted
            ? s->p->surprise(s->p, s->work, s->next.t, s->next.q, s->next.v, &body) / MOST
            : 0;
    result->surprise = MOST * surprise;
    result->body = body;
    if (!(surprise > 1) || surprise <= result->error)
        return HOL_OK;
    if (!s->driver->adaptive)
        return hol_error_set(&s->driver->reason, HOL_ERR_CONVERGE,
                             "body '%s' turns too far in a step for its turns to be counted (a "
                             "step below %.2g would do)",
                             body, h / sqrt(surprise));
    result->error = surprise;
    result->exponent = 0.5;
    return HOL_OK;
}

// Iterations end when nothing changes any more: with constraints that contradict each other, or
// that cannot be met, that may be far from meeting them.
static HolStatus check_constraints(HolSim *s, HolStepResult *result) {
    const double tolerance = s->driver->adaptive ? s->o.tolerance : 0;
    // (a fixed step may stand for a paper's number of iterations, whatever they leave)
    if (!s->nh || !(s->driver->adaptive || s->stepper->closes) ||
        strcmp(s->o.method.projection, "none") == 0)
        return HOL_OK;
    if (!result->has_residuals)
        hol_residuals(s, &s->next, &result->residual[0], &result->residual[1], &result->residual[2],
                      NULL);
    result->has_residuals = 1;
    const double part = s->stepper->closes ? 1e-7 : fmax(1e-5, 100 * tolerance);
    // (the largest residual is known, not whose it is)
    const double most = part * s->test->grain * s->test->loosest;
    if (result->residual[0] <= most)
        return HOL_OK;
    return hol_error_set(&s->driver->reason, HOL_ERR_CONVERGE,
                         "the constraints cannot be met: they contradict each other here, or the "
                         "mechanism cannot move as it is driven");
}

// A mechanism that is driven throughout has no error of its own, and a long step may close it on
// another branch: its ends must belong to one motion, as the quintic through both sees it.
static void check_way(HolSim *s, double h, HolStepResult *result) {
    static const double HARMLESS = 100;
    double *d = s->mid.v, *sum = s->mid.a;
    if (!s->driver->adaptive || s->check.dof > 0 || !s->nh || !s->stepper->over_kinks)
        return;
    s->p->minus(s->p, s->work, s->next.q, s->x.q, d);
    hol_sim_add(s, s->nv, s->x.v, 1, s->next.v, sum);
    hol_sim_add(s, s->nv, d, -h / 2, sum, d);
    hol_sim_add(s, s->nv, s->x.a, -1, s->next.a, sum);
    hol_sim_add(s, s->nv, d, -h * h / 12, sum, d);
    const double off = hol_norm_q(s, d) / (HARMLESS * s->o.tolerance);
    if (off > result->error) {
        result->error = off;
        result->exponent = 1.0 / 5;
        result->h_next = 0;
    }
}

HolStatus hol_check_candidate(HolSim *s, double h, HolStepResult *result) {
    const HolStatus status = check_constraints(s, result);
    if (status != HOL_OK)
        return status;
    check_way(s, h, result);
    return check_turns(s, h, result);
}
