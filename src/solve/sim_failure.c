// SPDX-License-Identifier: Apache-2.0
// A run that cannot go on: when, which constraint is worst, why, and what to try.
#include "solve/driver.h"
#include "solve/project.h"

#include <math.h>
#include <stdio.h>

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
    if (s->m == 0 || s->redundant)
        return 0;
    double growth = hol_kkt_stats(s->mass).last_growth;
    return growth > 0 ? growth : INFINITY; // none: it had to be regularized
}

int hol_stands_singular(HolSim *s) {
    static const double DEAD_END = 1e6; // growth of the pivots
    (void)hol_mass_factor(s, s->x.t, s->x.q, NULL);
    return hol_singularity(s) > DEAD_END;
}

// What to try where the mechanism came to a position that it cannot pass: the largest drive is
// named.
static int describe_dead_end(HolSim *s, char *out, size_t size) {
    if (!hol_stands_singular(s))
        return 0;
    int drive = -1;
    s->p->velocity_rhs(s->p, s->work, s->x.t, s->x.q, s->g);
    for (int i = 0; i < s->m; i++)
        if (s->g[i] != 0 && (drive < 0 || fabs(s->g[i]) > fabs(s->g[drive])))
            drive = i;
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

// Forces that are no numbers at the last state or just behind it: where they act is named.
static int describe_force(HolSim *s, char *out, size_t size) {
    const HolProblem *p = s->p;
    char name[96] = "";
    const double later = s->x.t + 1e-6 * (1 + fabs(s->x.t));
    p->force(p, s->work, later, s->x.q, s->x.v, s->x.w, s->f);
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

HolStatus hol_run_failed(HolSim *s, HolStatus status, double h, HolError *err) {
    struct HolSimDriver *d = s->driver;
    char worst[192];
    if (d->refused) {
        if (err)
            err->time = s->x.t;
        return hol_error_set(err, HOL_ERR_STEP, "time %.9g: %s", s->x.t, d->reason.text);
    }
    describe_worst(s, worst, sizeof worst);
    const char *reason = d->reason.text[0] ? d->reason.text : hol_status_text(status);
    char remedy[384];
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
