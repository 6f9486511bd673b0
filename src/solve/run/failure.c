// SPDX-License-Identifier: Apache-2.0
// A run that cannot go on: when, which constraint is worst, why, and what to try.
#include "model/model.h"
#include "solve/constraint/project.h"
#include "solve/event/event.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- tuning constants ----
static const double DEAD_END = 1e6;      // growth of the pivots from which a position is a dead end
enum { ITERATIONS = 4 };                 // inverse iterations for the direction that a drive lacks
static const double AHEAD_TIME = 1e-6;   // how far ahead faults are searched: of the time,
static const double AHEAD_STEP = 1e-3;   // and of the largest step
static const double AHEAD_FIRST = 1e-15; // first distance of that search, of the time
static const double NEAR_DRIVE_END = 1e-2; // of a drive's duration: a failure so near is its end
static const double NEAR_JUMP = 1e-9;      // of the span

// the worst constraint row of the failed candidate, " (largest residual 1e-3 in joint O)"
static void describe_worst(HolSim *s, char *out, size_t size) {
    out[0] = 0;
    if (s->m == 0)
        return;
    char name[96];
    double position = 0;
    int worst = -1;
    // what did not even stay finite has no meaningful residual: show the last accepted state
    const HolState *x = isfinite(hol_sim_max_abs(s, s->next.q, s->nq)) ? &s->next : &s->x;
    if (s->nh > 0)
        hol_residuals(s, x, &position, NULL, NULL, &worst);
    if (worst < 0 || worst >= s->m)
        worst = 0;
    hol_row_name(s, worst, name, sizeof name);
    snprintf(out, size, " (largest constraint residual %.3g at %s)", position, name);
}

double hol_singularity(const HolSim *s) {
    if (s->m == 0 || s->redundant || hol_event_dependent(s))
        return 0;
    double growth = hol_kkt_stats(s->mass).last_growth;
    return growth > 0 ? growth : INFINITY; // none: it had to be regularized
}

int hol_stands_singular(HolSim *s) {
    (void)hol_mass_factor(s, s->x.t, s->x.q, NULL);
    return hol_singularity(s) > DEAD_END;
}

// n with G^T n = 0 nearly, from the rates gt on, in s->rhs + nv; s->mass is factored at s->x. By
// inverse iteration, [M G^T; G 0] [x; n'] = [0; n]; where the factorization had to be regularized,
// what no velocity meets, gt - G x with [M G^T; G -E] [x; .] = [0; gt], is such an n.
static const double *lost_direction(HolSim *s, const double *rate) {
    double *x = s->rhs, *n = x + s->nv;
    const int regular = hol_kkt_stats(s->mass).last_growth > 0;
    memcpy(n, rate, sizeof *n * (size_t)s->m);
    for (int k = 0; k < (regular ? ITERATIONS : 1); k++) {
        const double largest = hol_max_abs(n, s->m);
        if (!(largest > 0) || !isfinite(largest))
            break;
        for (int i = 0; i < s->m; i++)
            n[i] /= largest;
        memset(x, 0, sizeof *x * (size_t)s->nv);
        memset(n + s->m, 0, sizeof *n * (size_t)s->nw);
        if (regular)
            hol_kkt_solve(s->mass, x);
        else
            hol_kkt_solve_motion(s->mass, x, 1);
        if (!regular) {
            for (int i = 0; i < s->m; i++)
                n[i] = rate[i] / largest;
            hol_mul_rows(&s->p->G, hol_kkt_G(s->mass), x, -1, n);
        }
    }
    return n;
}

// The drive that asks for what the mechanism cannot do: velocities exist while n^T gt = 0, and the
// largest part n_i gt_i of it belongs to this drive. -1: none
static int blocked_drive(HolSim *s) {
    double *rate = s->g;
    int drive = -1;
    s->p->velocity_rhs(s->p, s->work, HOL_AT(&s->x), rate);
    const double *n = lost_direction(s, rate);
    for (int i = 0; i < s->m; i++)
        if (rate[i] != 0 && (drive < 0 || fabs(n[i] * rate[i]) > fabs(n[drive] * rate[drive])))
            drive = i;
    return drive;
}

// What to try where the mechanism came to a position that it cannot pass.
static int describe_dead_end(HolSim *s, char *out, size_t size) {
    if (!hol_stands_singular(s))
        return 0;
    const int drive = blocked_drive(s);
    char name[96] = "";
    if (drive >= 0)
        hol_row_name(s, drive, name, sizeof name);
    snprintf(out, size,
             "the mechanism is at a singular position, a dead point or the end of its reach%s%s%s: "
             "change its lengths%s or where it starts",
             drive >= 0 ? " when driven by '" : "", name, drive >= 0 ? "'" : "",
             drive >= 0 ? ", the drive" : "");
    return 1;
}

// s->mid: where the velocities of s->x would lead in a time h
static void look_ahead(HolSim *s, double h) {
    HolState *x = &s->mid;
    hol_state_copy(s, x, &s->x);
    x->t = s->x.t + h;
    for (int i = 0; i < s->nv; i++)
        x->v[i] = h * s->x.v[i];
    s->p->retract(s->p, s->work, s->x.q, x->v, x->q);
    hol_sim_assign(s, x->v, s->x.v, s->nv);
}

// What has no value at the failed candidate, at the last state or just behind it.
static int describe_fault(HolSim *s, char *out, size_t size) {
    const HolProblem *p = s->p;
    const double most = fmax(AHEAD_TIME * (1 + fabs(s->x.t)), AHEAD_STEP * s->stats.h_max);
    if (!p->extras->fault)
        return 0;
    const HolState *failed = &s->next;
    if (p->extras->fault(p, s->work, failed->t, failed->q, failed->v, failed->w, 0, out, size))
        return 1;
    for (double h = 0; h <= most; h = h > 0 ? 10 * h : AHEAD_FIRST * (1 + fabs(s->x.t))) {
        look_ahead(s, h);
        if (p->extras->fault(p, s->work, s->mid.t, s->mid.q, s->mid.v, s->mid.w, 0, out, size))
            return 1;
    }
    return 0;
}

// The same of a problem that cannot say it: the force along a coordinate is no number.
static int describe_force(HolSim *s, char *out, size_t size) {
    const HolProblem *p = s->p;
    char name[96] = "";
    const double later = s->x.t + AHEAD_TIME * (1 + fabs(s->x.t));
    p->force(p, s->work, &(HolPoint){.t = later, .q = s->x.q, .v = s->x.v, .w = s->x.w}, s->f);
    int i = 0;
    while (i < s->nv && isfinite(s->f[i]))
        i++;
    if (i == s->nv)
        return 0;
    hol_coordinate_name(s, i, name, sizeof name);
    snprintf(out, size,
             "the force along %s is no finite number just behind this time: look at its "
             "expression",
             name);
    return 1;
}

void hol_start_failed(HolSim *s, HolError *err) {
    char what[384];
    if (!err || !s->p->extras->fault || !s->model)
        return;
    hol_model_initial(s->model, s->mid.q, s->mid.v, NULL, NULL);
    if (s->p->extras->fault(s->p, s->work, s->o.start, s->mid.q, s->mid.v, s->mid.w, 0, what,
                            sizeof what))
        snprintf(err->text, sizeof err->text, "%s", what);
}

HolStatus hol_drive_ends(HolSim *s, HolError *err) {
    HolStatus status = hol_error_set(err, HOL_ERR_STEP, "time %.9g: %s: no motion leads there",
                                     s->x.t, s->driver->drive_reason);
    if (err)
        err->time = s->x.t;
    return status;
}

// A constraint jumps right ahead: methods that look over the end of a step cannot come there.
static int constraint_jumps_ahead(HolSim *s, double h, HolError *err) {
    const struct HolSimDriver *d = s->driver;
    const HolJump *jump = d->next_jump < d->n_jumps ? &d->jumps[d->next_jump] : NULL;
    const double stop = hol_next_stop(s);
    const double near = fmax(2 * fmax(h, s->stats.h_last), NEAR_JUMP * (s->o.end - s->o.start));
    const double width = 8 * DBL_EPSILON * fmax(fabs(stop), s->stats.h_last); // round-off
    HolState *x = &s->mid;
    if (!s->nh || !(stop - s->x.t <= near))
        return 0;
    hol_state_copy(s, x, &s->x);
    x->t = stop - width;
    s->p->constraint(s->p, s->work, HOL_AT(x), s->r1);
    x->t = fmax(stop + width, jump && jump->t <= stop ? jump->after : stop);
    return hol_constraints_jump(s, x, s->r1, err) != HOL_OK;
}

HolStatus hol_run_failed(HolSim *s, HolStatus status, double h, HolError *err) {
    struct HolSimDriver *d = s->driver;
    char worst[192], remedy[384];
    // (round-off of a drive's huge values may be met before its end)
    if (d->drive_end - s->x.t < NEAR_DRIVE_END * (d->drive_end - s->o.start))
        return hol_drive_ends(s, err);
    look_ahead(s, fmax(h, s->stats.h_last));
    if (hol_painleve_ahead(s, &s->mid, err))
        return HOL_ERR_STEP;
    if (constraint_jumps_ahead(s, h, err))
        return HOL_ERR_STEP;
    if (d->refused) {
        if (err)
            err->time = s->x.t;
        return hol_error_set(err, HOL_ERR_STEP, "time %.9g: %s", s->x.t, d->reason.text);
    }
    describe_worst(s, worst, sizeof worst);
    const char *reason = d->reason.text[0] ? d->reason.text : hol_status_text(status);
    if (describe_fault(s, remedy, sizeof remedy)) {
        // (what follows from it explains nothing)
        snprintf(remedy + strlen(remedy), sizeof remedy - strlen(remedy),
                 "; correct the expression, or end the run before");
        status = hol_error_set(err, d->adaptive ? HOL_ERR_STEP : status, "time %.9g: %s", s->x.t,
                               remedy);
        if (err)
            err->time = s->x.t;
        return status;
    }
    if (!describe_force(s, remedy, sizeof remedy) && !describe_dead_end(s, remedy, sizeof remedy))
        snprintf(remedy, sizeof remedy, "%s",
                 d->adaptive ? "try a larger tolerance, stop_times at jumps of the forces, or "
                               "another method"
                             : "try a smaller step, error control (tolerance instead of step), or "
                               "another method");
    status =
        d->adaptive
            ? hol_error_set(err, HOL_ERR_STEP, "time %.9g: the step size fell to %.3g%s: %s; %s",
                            s->x.t, h, worst, reason, remedy)
            : hol_error_set(err, status, "time %.9g: the step of %.6g failed%s: %s; %s", s->x.t, h,
                            worst, reason, remedy);
    if (err)
        err->time = s->x.t;
    return status;
}
