// SPDX-License-Identifier: Apache-2.0
// Checks of a candidate that no error estimate makes, before it is accepted
// (docs/theory/error-control.md, section 11): its constraints are met, positions follow velocities,
// a driven mechanism stays on its branch, whole turns are counted.
#include "model/extent.h"
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
static const double MOST_OFF = 2.5;   // rad; beyond, the number of turns of an angle is uncertain
static const double OPEN = 1e-7;      // residual of a method that closes constraints, in scales
static const double OPEN_ELSE = 1e-5; // residual of other methods: this, or
static const double OPEN_TOLERANCES = 100; // so many tolerances
static const double HARMLESS = 100;    // tolerances that a driven mechanism may be off its quintic
static const double FOLLOWS = 0.05;    // part of the displacement that positions may be off
static const double FOLLOWS_BDF = 0.6; // the same of bdf, whose first formula is of order 1: from
                                       // rest it is off by half of the displacement
static const double ROUND_OFF = 1e-9;  // of the scale of positions: differences below say nothing
static const double RATES_JUMPED = 1e-6; // of the rates of drives
static const double JUMPED = 1e-6;       // residual of a constraint that jumped, in scales
static const double LEAPS = 3;           // times the displacement that fixed steps may be off
static const double FAR = 1;             // rad; rotations beyond are no sum of rates

// An angle that turned by nearly half a turn more or less than expected has an uncertain number of
// turns: an error like others where steps vary.
static HolStatus check_turns(HolSim *s, double h, HolStepResult *result) {
    const char *body = "";
    const double surprise =
        s->p->extras->surprise && !s->turns_counted
            ? s->p->extras->surprise(s->p, s->work, s->next.t, s->next.q, s->next.v, &body) /
                  MOST_OFF
            : 0;
    result->surprise = MOST_OFF * surprise;
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
    // (a candidate that is rejected may not have been closed)
    if (!result->has_residuals && !(result->error <= 1))
        return HOL_OK;
    if (!result->has_residuals)
        hol_residuals(s, &s->next, &result->residual[0], &result->residual[1], &result->residual[2],
                      NULL);
    result->has_residuals = 1;
    const double part = s->stepper->closes ? OPEN : fmax(OPEN_ELSE, OPEN_TOLERANCES * tolerance);
    const double most = part * s->test->grain;
    if (result->residual[0] <= most * s->test->tightest)
        return HOL_OK;
    // (the largest residual is known, not whose it is)
    s->p->constraint(s->p, s->work, HOL_AT(&s->next), s->g);
    if (hol_norm_rows(s, s->g, s->nh) <= most)
        return HOL_OK;
    return hol_error_set(&s->driver->reason, HOL_ERR_CONVERGE,
                         "the constraints cannot be met: they contradict each other here, or the "
                         "mechanism cannot move as it is driven");
}

// A mechanism that is driven throughout has no error of its own, and a long step may close it on
// another branch: its ends must belong to one motion, as the quintic through both sees it.
// (bdf chooses its own steps: what it made, not what was planned.)
static void check_way(HolSim *s, HolStepResult *result) {
    const double h = s->next.t - s->x.t;
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

// Positions must follow the velocities, whatever made both: of each velocity coordinate
//   |q1 (-) q0 - h (v0 + v1)/2 - h^2 (a0 - a1)/12| <= f (h max|v| + h^2/4 max|a| + h Sv) + 1e-9 Sq
// v, a: the largest of what moves together. Rotations in space by more than FAR have lost their
// turns, and their displacement is no sum of rates.
// A fixed step may be as rough as it likes, but for a constraint that may jump.
static HolStatus check_follows(HolSim *s, HolStepResult *result) {
    const double part = !s->driver->adaptive                        ? LEAPS
                        : s->stepper->adaptive == HOL_STEP_ADAPTIVE ? FOLLOWS_BDF
                                                                    : FOLLOWS;
    const HolErrorTest *e = s->test;
    const HolState *x0 = &s->x, *x1 = &s->next;
    const double h = x1->t - x0->t;
    double *d = s->mid.v;
    if (!(result->error <= 1))
        return HOL_OK;
    s->p->minus(s->p, s->work, x1->q, x0->q, d);
    for (int i = 0; i < s->nv; i++)
        d[i] -= h / 2 * (x0->v[i] + x1->v[i]) + h * h / 12 * (x0->a[i] - x1->a[i]);
    if (hol_norm_v(s, d) <= part * h && s->o.error.velocities) // (the usual case: below Sv alone)
        return HOL_OK;
    for (int g = 0; g < e->n_groups; g++) {
        const HolGroup *group = &e->group[g];
        const int turns = group->kind == HOL_GROUP_ROTATION && group->q < 0;
        const int first = turns ? group->v - group->axis : group->v, n = turns ? 3 : group->n;
        double v = 0, a = 0, off = 0;
        for (int i = first; i < first + n; i++) {
            v = fmax(v, fmax(fabs(x0->v[i]), fabs(x1->v[i])));
            a = fmax(a, fmax(fabs(x0->a[i]), fabs(x1->a[i])));
        }
        if (turns && h * v > FAR)
            continue;
        for (int i = group->v; i < group->v + group->n; i++)
            off = fmax(off, fabs(d[i]));
        const double way = h * v + h * h / 4 * a, speed = e->v[group->v], size = e->q[group->v];
        if (off > part * (way + (speed > 0 ? h / speed : way)) + ROUND_OFF / size)
            return hol_error_set(&s->driver->reason, HOL_ERR_CONVERGE,
                                 "the new positions do not follow from the velocities");
    }
    return HOL_OK;
}

// ---- constraints that jump ----

void hol_constraints_before(HolSim *s) {
    HolPoint at = *HOL_AT(&s->x);
    at.t -= 8 * DBL_EPSILON * fmax(fabs(at.t), s->stats.h_last); // (as the step before a stop ends)
    if (s->nh)
        s->p->constraint(s->p, s->work, &at, s->r1);
    if (s->m)
        s->p->velocity_rhs(s->p, s->work, &at, s->mid.lambda);
}

HolStatus hol_constraints_jump(HolSim *s, const HolState *x, const double *before, HolError *err) {
    char name[96];
    double most = 0;
    int worst = 0;
    if (!s->nh)
        return HOL_OK;
    s->p->constraint(s->p, s->work, HOL_AT(x), s->g);
    for (int i = 0; i < s->nh; i++) {
        s->g[i] -= before ? before[i] : 0;
        if (fabs(s->g[i]) > most) {
            most = fabs(s->g[i]);
            worst = i;
        }
    }
    if (!(hol_norm_rows(s, s->g, s->nh) > JUMPED * s->test->grain))
        return HOL_OK;
    hol_row_name(s, worst, name, sizeof name);
    hol_error_set(
        err, HOL_ERR_STEP,
        "time %.9g: the constraint of '%s' jumps by %.6g, and positions cannot: let it go "
        "there smoothly, with step(time, t0, y0, t1, y1) in the place of if(..)",
        x->t, name, most);
    if (err)
        err->time = x->t;
    return HOL_ERR_STEP;
}

int hol_rates_jump(HolSim *s, double t) {
    const double *before = s->mid.lambda;
    double most = 0, jump = 0;
    HolPoint at = *HOL_AT(&s->x);
    at.t = t;
    if (s->m)
        s->p->velocity_rhs(s->p, s->work, &at, s->g);
    for (int i = 0; i < s->m; i++) {
        most = fmax(most, fmax(fabs(before[i]), fabs(s->g[i])));
        jump = fmax(jump, fabs(s->g[i] - before[i]));
    }
    return jump > RATES_JUMPED * most;
}

// rates at the time h behind x; how much they differ from those in s->mid.lambda, where they go then
static double rates_differ(HolSim *s, const HolState *x, double h, double *most) {
    double differ = 0, *last = s->mid.lambda;
    for (int i = 0; i < s->nv; i++)
        s->r1[i] = h * x->v[i];
    s->p->retract(s->p, s->work, x->q, s->r1, s->mid.q);
    const HolPoint at = {.t = x->t + h, .q = s->mid.q};
    s->p->velocity_rhs(s->p, s->work, &at, s->g);
    for (int i = 0; i < s->m; i++) {
        differ = fmax(differ, fabs(s->g[i] - last[i]));
        *most = fmax(*most, fabs(s->g[i]));
        last[i] = s->g[i];
    }
    return differ;
}

// A jump is between two places and no slope: none beside them, the time h off, differ so
static int rates_jump_beside(HolSim *s, const HolState *x, double back, double h) {
    static const double STEEPER = 10, NOTHING = 1e-9;
    double most = 0;
    if (!s->m || !s->p->extras->switching_rows || !(h > 0))
        return 0;
    rates_differ(s, x, back - h, &most);
    const double before = rates_differ(s, x, back, &most),
                 jump = rates_differ(s, &s->next, 0, &most),
                 behind = rates_differ(s, &s->next, h, &most);
    return jump > STEEPER * fmax(before, behind) + NOTHING * most;
}

int hol_rates_jump_next(HolSim *s, double near) {
    s->driver->pushed = rates_jump_beside(s, &s->next, -near, near);
    return s->driver->pushed;
}

int hol_rates_jump_between(HolSim *s) {
    return rates_jump_beside(s, &s->x, 0, s->next.t - s->x.t);
}

HolStatus hol_project_rates(HolSim *s, int jumped, HolError *err) {
    double before = 0, behind = 0;
    if (jumped && s->p->energy)
        s->p->energy(s->p, s->work, HOL_AT(&s->x), &before, NULL, NULL);
    const HolStatus status = hol_project_velocity(s, s->x.t, s->x.q, s->x.v, err);
    if (status != HOL_OK || !jumped || !s->p->energy)
        return status;
    s->p->energy(s->p, s->work, HOL_AT(&s->x), &behind, NULL, NULL);
    s->stats.work += behind - before;
    hol_track_jump(s);
    return HOL_OK;
}

// Constraints that end (sqrt of zero has no slope) hold nothing any more.
static HolStatus check_domain(HolSim *s) {
    char what[384];
    const HolState *x = &s->next;
    if (!s->p->extras->check_faults ||
        !s->p->extras->fault(s->p, s->work, x->t, x->q, x->v, x->w, 1, what, sizeof what))
        return HOL_OK;
    return hol_error_set(&s->driver->reason, HOL_ERR_CONVERGE, "%s", what);
}

// A state that the problem does not allow: shorter steps come as close to it as they can.
static HolStatus check_allowed(HolSim *s) {
    char reason[240];
    if (!s->p->extras->judge || !s->p->extras->judge(s->p, s->work, s->next.t, s->next.q, s->next.v,
                                                     s->next.w, 0, reason, sizeof reason))
        return HOL_OK;
    s->driver->refused = 1;
    return hol_error_set(&s->driver->reason, HOL_ERR_CONVERGE, "%s", reason);
}

void hol_remark_state(HolSim *s) {
    char remark[240];
    while (s->p->extras->judge && s->p->extras->judge(s->p, s->work, s->x.t, s->x.q, s->x.v, s->x.w,
                                                      1, remark, sizeof remark))
        hol_note(s, "%s", remark);
}

HolStatus hol_check_candidate(HolSim *s, double h, HolStepResult *result) {
    HolStatus status = check_domain(s);
    if (status == HOL_OK)
        status = check_constraints(s, result);
    if (status == HOL_OK)
        status = check_allowed(s);
    if (status == HOL_OK && (s->driver->adaptive || s->p->extras->switching_rows))
        status = check_follows(s, result);
    if (status != HOL_OK)
        return status;
    check_way(s, result);
    return check_turns(s, h, result);
}
