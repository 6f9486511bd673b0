// SPDX-License-Identifier: Apache-2.0
// Bookkeeping along a run: dense output, error scales, energy balance (docs/theory/results.md,
// section 13), constraint residuals.
//
// Dense output, theta = (t - t0)/h: cubic Hermite for q from (q, q') and for v from (v, a), linear
// in a, lambda and w; on a manifold q along the integral of v.
// Energy: drift = T + V - E0 - W, W' = power of forces without potential and of driven constraints,
// integrated by Simpson's rule (or the stepper's number of Gauss nodes) on the dense output. Where
// the energy of a step does not match, the quadrature may be the cause (of a mechanism that is
// driven throughout nothing else can be). It is refined until it is not: 5 Gauss nodes in 1, 2,
// 4 .. parts.
#include "base/thread_pool.h"
#include "model/model.h"
#include "solve/constraint/project.h"
#include "solve/event/event.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum { MOST_PARTS = 16, PAUSE = 16 }; // refinement of the work: parts of a step, steps between two
static const double WORK_PART = 1e-3; // of the tolerance: difference of energy and work
static const double WORK_FIXED = 1e-11; // the same with a fixed step, of the energies
static const double WORK_ROUND =
    64 * DBL_EPSILON;              // of the energies: round-off, which no rule explains
static const double SETTLED = 0.1; // change by which a refinement explains nothing more
static const double DRIFTS = 0.5;  // part of the difference that the finest rule leaves
// a time may lie outside of the last step by these parts of the step and of the time; at the start
static const double STEP_SLACK = 1e-9, TIME_SLACK = 1e-14, START_SLACK = 1e-12;

// Which q_k is a plain integral of one v_i, and is that true of all? Two probes with different
// velocities at two positions: T(q) must hand the numbers through unchanged.
void hol_sim_probe(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    const HolProblem *p = s->p;
    double *q = s->mid.q, *v = s->mid.v, *step = s->mid.a;
    int same = s->nq == s->nv;
    for (int k = 0; k < s->nq; k++)
        d->coordinate[k] = -1;
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < s->nq; k++)
            q[k] = s->x.q[k] + (round ? 0.3 + 0.1 * (k % 7) : 0);
        for (int i = 0; i < s->nv; i++)
            v[i] = round ? sqrt(i + 2.0) : i + 1.0;
        p->qdot(p, s->work, q, v, d->qd0);
        for (int k = 0; k < s->nq; k++) {
            double x = d->qd0[k];
            int i = round ? d->coordinate[k] : x >= 1 && x <= s->nv ? (int)x - 1 : -1;
            d->coordinate[k] = i >= 0 && v[i] == x ? i : -1;
            same = same && d->coordinate[k] == k;
        }
        for (int i = 0; i < s->nv; i++)
            step[i] = 0.01 * (1 + i % 5);
        p->retract(p, s->work, q, step, d->qd1);
        for (int k = 0; same && k < s->nq; k++)
            same = d->qd1[k] == q[k] + step[k];
    }
    s->plain = same;
}

static void hermite(int n, double theta, double h, const double *y0, const double *d0,
                    const double *y1, const double *d1, double *out) {
    double rest = 1 - theta;
    double c0 = (1 + 2 * theta) * rest * rest, c1 = theta * theta * (3 - 2 * theta);
    double e0 = h * theta * rest * rest, e1 = -h * theta * theta * rest;
    for (int i = 0; i < n; i++)
        out[i] = c0 * y0[i] + e0 * d0[i] + c1 * y1[i] + e1 * d1[i];
}

static void linear(int n, double theta, const double *y0, const double *y1, double *out) {
    for (int i = 0; i < n; i++)
        out[i] = (1 - theta) * y0[i] + theta * y1[i];
}

// The integral of v's cubic over the first part theta of the step.
static void way(const HolSim *s, const HolState *x0, const HolState *x1, double theta,
                double *out) {
    const double h = x1->t - x0->t, u = theta, u2 = u * u, u3 = u2 * u, u4 = u3 * u;
    const double c0 = h * (u - u3 + u4 / 2), c1 = h * (u3 - u4 / 2);
    const double e0 = h * h * (u2 / 2 - 2 * u3 / 3 + u4 / 4), e1 = h * h * (u4 / 4 - u3 / 3);
    for (int i = 0; i < s->nv; i++)
        out[i] = c0 * x0->v[i] + e0 * x0->a[i] + c1 * x1->v[i] + e1 * x1->a[i];
}

// Where q is not plain: along the velocities from the start, and what is missing at the end added
// smoothly. Rotations may go round many times.
static void turn_on(HolSim *s, const HolState *x0, const HolState *x1, double theta, double *q) {
    struct HolSimDriver *d = s->driver;
    const HolProblem *p = s->p;
    way(s, x0, x1, 1, d->d);
    p->retract(p, s->work, x0->q, d->d, d->qd0);
    p->minus(p, s->work, x1->q, d->qd0, d->qd1);
    way(s, x0, x1, theta, d->d);
    p->retract(p, s->work, x0->q, d->d, q);
    for (int i = 0; i < s->nv; i++)
        d->d[i] = theta * theta * (3 - 2 * theta) * d->qd1[i];
    p->retract(p, s->work, q, d->d, q);
}

void hol_between(HolSim *s, const HolState *x0, const HolState *x1, double theta, HolState *out) {
    double h = x1->t - x0->t;
    out->t = x0->t + theta * h;
    if (s->plain) {
        hermite(s->nq, theta, h, x0->q, x0->v, x1->q, x1->v, out->q);
    } else {
        turn_on(s, x0, x1, theta, out->q);
    }
    hermite(s->nv, theta, h, x0->v, x0->a, x1->v, x1->a, out->v);
    linear(s->nv, theta, x0->a, x1->a, out->a);
    linear(s->m, theta, x0->lambda, x1->lambda, out->lambda);
    linear(s->nw, theta, x0->w, x1->w, out->w);
}

void hol_sim_dense(HolSim *s, double theta, HolState *out) {
    const int left = hol_event_take_left(s); // (the step itself ended before the event)
    out->bare = 0;
    if (s->stepper->dense && !s->driver->crossed)
        s->stepper->dense(s, theta, out);
    else
        hol_between(s, &s->prev, &s->x, theta, out);
    if (left)
        hol_event_put_back(s);
    out->t = s->prev.t + theta * (s->x.t - s->prev.t);
}

HolState *hol_state_at(HolSim *s, double t) {
    const double h = s->x.t - s->prev.t, slack = STEP_SLACK * fabs(h) + TIME_SLACK * fabs(s->x.t);
    if (s->stats.steps == 0 || h == 0)
        return fabs(t - s->x.t) > START_SLACK * (1 + fabs(s->x.t)) ? NULL : &s->x;
    if (t < s->prev.t - slack || t > s->x.t + slack)
        return NULL;
    if (t <= s->prev.t || t >= s->x.t) {
        HolState *end = t <= s->prev.t ? &s->prev : &s->x;
        if (s->stepper->turns)
            s->stepper->turns(s, end);
        return end;
    }
    hol_sim_dense(s, (t - s->prev.t) / h, &s->mid);
    return &s->mid;
}

HolStatus hol_sim_interpolate(HolSim *s, double t, double *q, double *v, double *a, double *lambda,
                              double *w) {
    HolState *from = s ? hol_state_at(s, t) : NULL;
    if (!from)
        return HOL_ERR_INPUT;
    if (lambda)
        hol_fill(s, from);
    if (q)
        memcpy(q, from->q, (size_t)s->nq * sizeof *q);
    if (v)
        memcpy(v, from->v, (size_t)s->nv * sizeof *v);
    if (a)
        memcpy(a, from->a, (size_t)s->nv * sizeof *a);
    if (lambda && s->m)
        memcpy(lambda, from->lambda, (size_t)s->m * sizeof *lambda);
    if (w && s->nw)
        memcpy(w, from->w, (size_t)s->nw * sizeof *w);
    return HOL_OK;
}

// ---- energy and residuals ----

// Gauss-Legendre nodes and weights on [0,1]
static const double gauss_node[5][5] = {{0.5},
                                        {0.21132486540518711775, 0.78867513459481288225},
                                        {0.11270166537925831148, 0.5, 0.88729833462074168852},
                                        {0.06943184420297371239, 0.33000947820757186760,
                                         0.66999052179242813240, 0.93056815579702628761},
                                        {0.04691007703066800360, 0.23076534494715845448, 0.5,
                                         0.76923465505284154552, 0.95308992296933199640}};
static const double gauss_weight[5][5] = {
    {1},
    {0.5, 0.5},
    {0.27777777777777777778, 0.44444444444444444444, 0.27777777777777777778},
    {0.17392742256872692869, 0.32607257743127307131, 0.32607257743127307131,
     0.17392742256872692869},
    {0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444, 0.23931433524968323402,
     0.11846344252809454376}};

static double energy_at(HolSim *s, const HolState *x, double *power) {
    double kinetic = 0, potential = 0;
    *power = 0;
    s->p->energy(s->p, s->work, HOL_AT(x), &kinetic, &potential, power);
    return kinetic + potential;
}

// power alone, which a model can do for less
static double power_at(HolSim *s, const HolState *x) {
    double power = 0;
    if (s->model)
        s->p->energy(s->p, s->work, HOL_AT(x), NULL, NULL, &power);
    else
        energy_at(s, x, &power);
    return power;
}

// Reactions do work, or load what does: inside a step they are those of the equations there, unless
// the method knows them.
static int reactions_work(HolSim *s) {
    if (s->nw > 0 && !s->stepper->inside_reactions)
        return 1;
    hol_sim_dense(s, 0.5, &s->mid);
    return hol_moves_with_time(s, &s->mid);
}

// power inside the last step; a line between multipliers is too rough for drives and variables
static double power_inside(HolSim *s, double theta, int driven) {
    hol_sim_dense(s, theta, &s->mid);
    if (!driven)
        return power_at(s, &s->mid);
    hol_state_copy(s, &s->out, &s->mid);
    hol_report_anew(s, &s->out, 1);
    return power_at(s, &s->out);
}

// work in the last step from theta to its end, by n Gauss nodes in each of some parts
static double work_by_nodes(HolSim *s, double theta, int n, int parts, int driven) {
    const double part = (1 - theta) / parts;
    double sum = 0;
    n = n > 5 ? 5 : n;
    for (int k = 0; k < parts; k++)
        for (int i = 0; i < n; i++)
            sum += gauss_weight[n - 1][i] *
                   power_inside(s, theta + part * (k + gauss_node[n - 1][i]), driven);
    return part * (s->x.t - s->prev.t) * sum;
}

static double work_of_step(HolSim *s, double power0, double power1) {
    const int by_nodes = s->stepper->quadrature > 0;
    if (by_nodes && (s->nw == 0 || s->stepper->inside_reactions))
        return work_by_nodes(s, 0, s->stepper->quadrature, 1, 0);
    const double middle = power_inside(s, 0.5, reactions_work(s));
    return (s->x.t - s->prev.t) * (power0 + 4 * middle + power1) / 6;
}

// Is the difference between the energy gained in the last step and `work` one of the rule? The
// better work.
static double refine_work(HolSim *s, double gained, double work) {
    struct HolSimDriver *d = s->driver;
    const double part = d->adaptive ? WORK_PART * s->o.tolerance : WORK_FIXED;
    const double small = fmax(part, WORK_ROUND) * d->energy_size;
    if (!(fabs(gained - work) > small) || s->stats.steps < d->refine_from)
        return work;
    const int driven = reactions_work(s);
    double last = work, now = work;
    // (five nodes in one part may be the rule that gave `work`)
    for (int parts = s->stepper->quadrature < 5 ? 1 : 2; parts <= MOST_PARTS; parts *= 2) {
        last = now;
        now = work_by_nodes(s, 0, 5, parts, driven);
        d->parts = parts;
        const double change = fabs(now - last);
        if (fabs(gained - now) <= small || change <= SETTLED * fabs(gained - now))
            break;
    }
    if (!isfinite(now))
        return work;
    // it drifts, whatever the rule
    if (fabs(gained - now) > DRIFTS * fabs(gained - work) && s->check.dof > 0)
        d->refine_from = s->stats.steps + PAUSE;
    d->driven_nodes = driven;
    return now;
}

double hol_work_left(HolSim *s, double t) {
    struct HolSimDriver *d = s->driver;
    const double theta = fmax(0, (t - s->prev.t) / (s->x.t - s->prev.t));
    if (!s->p->energy || !s->p->has_power)
        return 0;
    const double work = s->stepper->work && !d->parts && !d->crossed
                            ? s->stepper->work(s, 1) - s->stepper->work(s, theta)
                            : NAN;
    if (!isnan(work))
        return work;
    // by nodes, and its share of what they miss of the whole step
    const int parts = d->parts ? d->parts : 1, driven = d->parts && d->driven_nodes;
    if (d->node_step != s->stats.steps) {
        d->node_work = d->parts ? d->step_work : work_by_nodes(s, 0, 5, 1, 0);
        d->node_step = s->stats.steps;
    }
    return work_by_nodes(s, theta, 5, parts, driven) + (1 - theta) * (d->step_work - d->node_work);
}

double hol_work_between(HolSim *s, const HolState *x0, const HolState *x1) {
    if (!s->p->energy || !s->p->has_power)
        return 0;
    double power[3];
    energy_at(s, x0, &power[0]);
    energy_at(s, x1, &power[2]);
    hol_between(s, x0, x1, 0.5, &s->mid);
    energy_at(s, &s->mid, &power[1]);
    return (x1->t - x0->t) * (power[0] + 4 * power[1] + power[2]) / 6;
}

static void track_keep_larger(double *largest, double value) {
    if (!(value <= *largest))
        *largest = value;
}

// the end of the step; forces and drives may jump at a stop time: on this side of it
static HolState end_before(const HolSim *s) {
    HolState end = s->x;
    if (s->driver->restart)
        end.t -= 4 * DBL_EPSILON * fmax(fabs(end.t), end.t - s->prev.t);
    return end;
}

static void track_residuals(HolSim *s, const HolStepResult *result) {
    double r[3] = {0, 0, 0};
    if (result && result->has_residuals)
        memcpy(r, result->residual, sizeof r);
    else if (s->m > 0) {
        const HolState end = end_before(s);
        hol_residuals(s, &end, &r[0], &r[1], &r[2], NULL);
    }
    track_keep_larger(&s->stats.residual_position, r[0]);
    if (s->driver->pushed) // velocities are those before the rates jumped
        return;
    track_keep_larger(&s->stats.residual_velocity, r[1]);
    track_keep_larger(&s->stats.residual_acceleration, r[2]);
}

// total energy and power at s->x; what the parts of it were so far
static double energy_now(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    const HolState *x = &s->x;
    double kinetic = 0, potential = 0;
    d->power = 0;
    s->p->energy(s->p, s->work, HOL_AT(x), &kinetic, &potential, &d->power);
    track_keep_larger(&d->kinetic_most, kinetic);
    d->potential_low = fmin(d->potential_low, potential);
    d->potential_high = fmax(d->potential_high, potential);
    return kinetic + potential;
}

void hol_track_start(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    hol_error_test_start(s);
    track_residuals(s, NULL);
    if (!s->p->energy)
        return;
    // the work of drives is that of reported states
    if (s->p->has_power && (!s->model || s->model->sys.n_timed > 0))
        (void)hol_report_prepare(s);
    d->potential_low = INFINITY;
    d->potential_high = -INFINITY;
    d->energy = energy_now(s);
    s->energy_start = s->stats.energy_initial = s->stats.energy_final = d->energy;
}

void hol_track_jump(HolSim *s) {
    struct HolSimDriver *d = s->driver;
    if (!s->p->energy)
        return;
    d->energy = energy_now(s);
    s->stats.energy_final = d->energy;
    track_keep_larger(&s->stats.energy_max_drift,
                      fabs(d->energy - s->energy_start - s->stats.work));
}

void hol_track_moved(HolSim *s, const HolState *from) {
    struct HolSimDriver *d = s->driver;
    double before = 0, behind = 0;
    if (!s->p->energy)
        return;
    s->p->energy(s->p, s->work, HOL_AT(from), NULL, &before, NULL);
    s->p->energy(s->p, s->work, HOL_AT(&s->x), NULL, &behind, NULL);
    s->energy_start = s->stats.energy_initial = s->energy_start + behind - before;
    s->stats.energy_max_drift = fabs(d->energy - s->energy_start - s->stats.work);
}

static double power_before(HolSim *s) {
    const HolState end = end_before(s);
    return s->driver->restart ? power_at(s, &end) : s->driver->power;
}

void hol_track_step(HolSim *s, const HolStepResult *result) {
    struct HolSimDriver *d = s->driver;
    d->node_step = -1; // (a step of bdf may be part of one that was counted)
    hol_error_test_accept(s);
    track_residuals(s, result);
    track_keep_larger(&d->speed_most, hol_sim_max_abs(s, s->x.v, s->nv));
    if (!s->p->energy)
        return;
    double power0 = d->power;
    d->energy = energy_now(s);
    if (s->p->has_power) {
        const double work =
            result->has_work ? result->work : work_of_step(s, power0, power_before(s));
        const double gained = d->energy - s->stats.energy_final;
        const double moved = fmax(fabs(d->energy - s->energy_start), fabs(work));
        d->energy_size = fmax(d->energy_size, fmax(fabs(d->energy), moved));
        d->parts = 0;
        d->step_work = result->has_work == HOL_WORK_OF_PARTS ? work : refine_work(s, gained, work);
        s->stats.work += d->step_work;
        s->stats.friction_heat += hol_event_heat(s, 0);
    }
    s->stats.energy_final = d->energy;
    track_keep_larger(&s->stats.energy_max_drift,
                      fabs(d->energy - s->energy_start - s->stats.work));
}
