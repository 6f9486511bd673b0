// SPDX-License-Identifier: Apache-2.0
// radau: Radau IIA collocation in local coordinates of the constraint manifold, for stiff
// mechanisms of few degrees of freedom and smooth motion. Order 2 s - 1, L-stable
// (docs/methods/radau.md).
//
// The end of a step is its last stage: on the constraints by construction, its accelerations and
// multipliers from [M G^T; G 0] there. Between the ends x and x' are the collocation polynomials,
// and q, v, a, lambda follow from them in the same manner. Error: embedded formula of order s,
// multiplied by (1 - h gamma J)^-1; PI control.
#include "solve/method/radau/radau.h"
#include "solve/constraint/project.h"
#include "solve/linear/step_map.h"
#include "solve/method_options.h"
#include "solve/run/control.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum { LEAST_STAGES = 3, STEPS_UP = 4 };
// tolerances below which there is one more stage
static const double more_stages[STEPS_UP] = {3e-4, 1.1e-5, 1.1e-7, 1.1e-9};
static const double FIRST_RATE = 0.1;  // contraction assumed before the first iteration
static const double ENOUGH = 1e-4;     // of the tolerance: corrections below end an iteration,
static const double COARSEST = 1e-3;   // of tolerances up to here,
static const double FINEST = 1e-14;    // and not below this
static const double FIRST_STEPS = 100; // the first step is at most the span over this
static const double FIRST_PART = 0.5;  // of the step that the accelerations allow
enum { SLOW_ITERATIONS = 7, MANY_ITERATIONS = 5 }; // from which on steps must shrink, must not grow
static const double SHRINK_SLOW = 0.7, KEEP_MANY = 1; // those ratios
static const double GROW = 2.5, GROW_FIRST = 6; // largest ratio of two steps; of the first two
static const double NO_ERROR = 1e-12;           // errors below are none
static const double LEAST_BEFORE = 1e-3;        // smallest error of the step before in the PI form
static const double SAFETY = 0.85, PROPORTIONAL = 0.75, INTEGRAL = 0.3; // of the PI control
static const double SHRINK = 0.2;       // smallest ratio of two steps
static const double FAILED_LIMIT = 0.6; // steps stay below this part of one that failed,
static const double RELAX = 1.05;       // a limit that grows with each accepted step
// A stiff force magnifies the small error of x by so much that x'' is the better acceleration; the
// two then differ by more than this part of their size.
static const double MOST_DISAGREEMENT = 0.25;

// Stages for a tolerance: more of them pay where a step may be long for its accuracy. A fixed step
// takes three.
static int stages_for(const HolSimOptions *o) {
    int stages = LEAST_STAGES;
    for (int i = 0; i < STEPS_UP && !(o->step > 0); i++)
        stages += o->tolerance < more_stages[i];
    return stages;
}

// ---- creation ----

static HolStatus too_free(int dof, HolError *err) {
    return hol_error_set(
        err, HOL_ERR_UNSUPPORTED,
        "radau is made for up to %d degrees of freedom, this model has %d (constraints "
        "of velocities and contacts with friction add some); use "
        "tangent (scheme hermite, or obreshkov3 where vibrations should die out)",
        HOL_CHART_DOF, dof);
}

static HolStatus radau_refuse(const HolSim *s, HolError *err) {
    const int tree = s->p->extras->n_tree && !s->nn && !s->nw;
    const int dof = tree ? s->p->extras->n_tree : s->nv - s->nh;
    return dof > HOL_CHART_DOF ? too_free(dof, err) : HOL_OK;
}

static void point_alloc(HolSim *s, Radau *m, HolChartPoint *to) {
    to->q = HOL_NEW(&s->arena, double, s->nq + 1);
    to->v = HOL_NEW(&s->arena, double, s->nv + 1);
    to->lambda = HOL_NEW(&s->arena, double, s->m + 1);
    to->w = HOL_NEW(&s->arena, double, s->nw + 1);
    to->E = m->probe.E;
    to->b = m->probe.b;
}

static const HolField radau_options[] = {
    {HOL_OPTION_INTEGER(order), .words = hol_order_words, .range = HOL_RANGE_ZERO_OR, .low = 3,
     .high = 2 * RADAU_STAGES - 1, .takes = "3, 5, 7, 9, 11, 13, or 0 (automatic)",
     .fallback = "auto", .help = "order of the formula"},
    {0},
};

static HolStatus radau_create(HolSim *s, HolError *err) {
    HolStatus status = radau_refuse(s, err);
    const int order = s->o.method.order, stages = order ? (order + 1) / 2 : stages_for(&s->o);
    if (status)
        return status;
    if (order && (order % 2 == 0 || stages < 2 || stages > RADAU_STAGES))
        return hol_error_set(err, HOL_ERR_INPUT, "method.order %d: radau takes %s", order,
                             radau_options->takes);
    Radau *m = HOL_NEW(&s->arena, Radau, 1);
    if (!m)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->method = m;
    hol_radau_table(stages, &m->table);
    m->probe.E = HOL_NEW(&s->arena, double, s->nv *HOL_CHART_DOF + 1);
    m->probe.b = HOL_NEW(&s->arena, double, s->nv + 1);
    point_alloc(s, m, &m->probe);
    point_alloc(s, m, &m->start);
    for (int i = 0; i < stages; i++)
        point_alloc(s, m, &m->stage[i]);
    const int n = HOL_CHART_DOF * stages;
    m->P = HOL_NEW(&s->arena, double, n *n);
    m->f = HOL_NEW(&s->arena, double, s->nv + s->m + 1);
    m->dq = HOL_NEW(&s->arena, double, s->nv + 1);
    status = hol_chart_create(s, &m->chart, err);
    if (status)
        return status;
    return s->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

// size in q of a unit of each coordinate, at the point moved to last
static void radau_measure(HolSim *s, Radau *m) {
    for (int k = 0; k < m->chart.dof; k++)
        m->scale[k] = hol_norm_q(s, m->probe.E + (size_t)k * (size_t)s->nv);
}

// the coordinates of the state a step starts from
static HolStatus enter(HolSim *s, Radau *m, HolError *err) {
    int fresh = 0;
    if (m->entered)
        return HOL_OK;
    HolStatus status = hol_chart_begin(s, &m->chart, &s->x, &fresh, err);
    if (status)
        return status;
    if (fresh) {
        m->have_last = m->n_rates = 0;
        hol_chart_read(s, &m->chart, &s->x, &m->start);
        status = hol_chart_move(s, &m->chart, &m->start, 0, err);
        if (!status)
            status = hol_chart_accelerate(s, &m->chart, &m->start, 0, m->f, err);
        radau_measure(s, m);
    }
    m->entered = fresh ? 2 : 1;
    return status;
}

static HolStatus radau_start(HolSim *s, HolError *err) {
    Radau *m = s->method;
    if (hol_chart_positions(s) > HOL_CHART_DOF)
        return too_free(hol_chart_positions(s), err);
    m->have_last = m->n_rates = 0;
    m->chart.dof = m->entered = 0;
    m->last_error = m->h_limit = 0;
    m->rate = FIRST_RATE;
    m->enough = s->o.step > 0 ? FINEST : fmax(FINEST, ENOUGH * fmin(s->o.tolerance, COARSEST));
    HolStatus status = enter(s, m, err);
    if (status || s->o.step > 0 || s->h > 0)
        return status;
    const double a = hol_norm_q(s, s->x.a), span = fabs(s->o.end - s->x.t);
    s->h = fmin(span / FIRST_STEPS,
                a > 0 ? FIRST_PART * sqrt(s->o.tolerance / a) : span / FIRST_STEPS);
    return HOL_OK;
}

// ---- steps ----

// what a and lambda leave of [M G^T; G 0] [a; lambda] = [f; -gamma], into r; the part of G a over
// its scale
static double rest_of_accelerations(HolSim *s, Radau *m, const HolState *x, double *r) {
    const HolProblem *p = s->p;
    memcpy(r, m->f, sizeof *r * (size_t)s->nv);
    hol_mul_columns(&p->M, hol_kkt_S(s->mass), x->a, -1, r);
    for (int i = 0; i < s->m; i++)
        r[s->nv + i] = -s->gamma[i];
    hol_mul_rows(&p->G, hol_kkt_G(s->mass), x->a, -1, r + s->nv);
    hol_mul_rows_transposed(&p->G, hol_kkt_G(s->mass), x->lambda, -1, r);
    return hol_norm_rows(s, r + s->nv, s->m);
}

// The same with constraints of velocities and algebraic variables: onto the former, and all
// accelerations anew.
static HolStatus radau_finish_whole(HolSim *s, const HolChartPoint *end, HolError *err) {
    HolState *x = &s->next;
    HolStatus status = hol_mass_factor(s, x->t, x->q, err);
    if (!status)
        status = hol_project_velocity(s, x->t, x->q, x->v, err);
    memcpy(x->lambda, end->lambda, sizeof *x->lambda * (size_t)s->m);
    memcpy(x->w, end->w, sizeof *x->w * (size_t)s->nw);
    return status ? status : hol_accelerate(s, x, 1, err);
}

// Accelerations and multipliers at the end of the step, with its forces in m->f. The chart's
// accelerations meet the constraints to round-off as a rule; where not, they are corrected.
static HolStatus radau_finish(HolSim *s, Radau *m, HolChartPoint *end, HolStepResult *result,
                              HolError *err) {
    const HolProblem *p = s->p;
    HolState *x = &s->next;
    const int nv = s->nv;
    memcpy(x->q, end->q, sizeof *x->q * (size_t)s->nq);
    memcpy(x->v, end->v, sizeof *x->v * (size_t)nv);
    memcpy(x->a, end->b, sizeof *x->a * (size_t)nv);
    for (int k = 0; k < m->chart.dof; k++)
        for (int i = 0; i < nv; i++)
            x->a[i] += end->F[k] * end->E[(size_t)k * (size_t)nv + (size_t)i];
    if (m->chart.whole)
        return radau_finish_whole(s, end, err);
    if (!s->m)
        return HOL_OK;
    HolStatus status = hol_mass_factor(s, x->t, x->q, err);
    if (status)
        return status;
    if (!m->chart.tree)
        status = hol_project_velocity(s, x->t, x->q, x->v, err);
    memset(x->lambda, 0, sizeof *x->lambda * (size_t)s->m);
    p->acceleration_rhs(p, s->work, HOL_AT(x), s->gamma);
    const double turning = s->test->most / s->test->length;
    const double enough =
        (m->chart.tree ? 64 : 2) * DBL_EPSILON * (turning * turning + hol_norm_near(s, x->a));
    double left = rest_of_accelerations(s, m, x, s->rhs);
    result->residual[2] = hol_max_abs(s->rhs + nv, s->m);
    for (int pass = 0; pass == 0 || (pass < 4 && left > enough); pass++) {
        hol_kkt_solve(s->mass, s->rhs);
        for (int i = 0; i < s->m; i++)
            x->lambda[i] += s->rhs[nv + i];
        if (left <= enough)
            break;
        for (int i = 0; i < nv; i++)
            x->a[i] += s->rhs[i];
        left = rest_of_accelerations(s, m, x, s->rhs);
        result->residual[2] = hol_max_abs(s->rhs + nv, s->m);
    }
    p->constraint(p, s->work, HOL_AT(x), s->g);
    result->residual[0] = hol_max_abs(s->g, s->nh);
    p->velocity_rhs(p, s->work, HOL_AT(x), s->g);
    hol_mul_rows(&p->G, hol_kkt_G(s->mass), x->v, 1, s->g);
    result->residual[1] = hol_max_abs(s->g, s->m);
    result->has_residuals = 1;
    return status;
}

// work of forces without potential, with the stages as nodes; a tree has no drives
static void add_work(HolSim *s, Radau *m, double h, HolStepResult *result) {
    const HolProblem *p = s->p;
    if (!p->energy || !p->has_power || !(m->chart.tree || m->chart.whole))
        return;
    result->has_work = 1;
    for (int i = 0; i < m->table.s; i++) {
        const HolChartPoint *at = &m->stage[i];
        const HolPoint point = {.t = at->t,
                                .q = at->q,
                                .v = at->v,
                                .lambda = m->chart.whole ? at->lambda : s->x.lambda,
                                .w = at->w};
        double kinetic, potential, power;
        p->energy(p, s->work, &point, &kinetic, &potential, &power);
        result->work += h * m->table.A[m->table.s - 1][i] * power;
    }
}

static double radau_next_step(const HolSim *s, const Radau *m, double h, double error,
                              double exponent) {
    // where the iteration is slow already, a longer step would not converge
    const double most = m->iterations > SLOW_ITERATIONS   ? SHRINK_SLOW
                        : m->iterations > MANY_ITERATIONS ? KEEP_MANY
                        : m->have_last                    ? GROW
                                                          : GROW_FIRST;
    if (!(error > NO_ERROR))
        return most * h;
    const double before = m->last_error > 0 ? fmax(m->last_error, LEAST_BEFORE) : error;
    const double factor =
        SAFETY * pow(error, -PROPORTIONAL * exponent) * pow(before / error, INTEGRAL * exponent);
    double next = h * fmax(SHRINK, fmin(most, factor));
    // shortened only to hit a time: the size reached before is kept when the error allows it
    if (h < s->h)
        next = fmax(next, fmin(s->h, SAFETY * h * pow(error, -exponent)));
    return m->h_limit > 0 ? fmin(next, m->h_limit) : next;
}

static HolStatus radau_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    Radau *m = s->method;
    HolStatus status = enter(s, m, err);
    if (status)
        return status;
    status = hol_radau_solve(s, m, h, err);
    if (status && m->entered == 1 && !m->chart.tree) // again with coordinates of this state
        m->chart.dof = m->entered = 0;
    if (status) {
        m->h_limit = FAILED_LIMIT * h;
        m->have_last = 0; // no better guess
        return status;
    }
    result->exponent = 1.0 / (m->table.s + 1);
    if (!(s->o.step > 0)) {
        result->error = m->error = hol_radau_error(s, m, h);
        if (!(result->error <= 1))
            return HOL_OK;
        result->h_next = radau_next_step(s, m, h, result->error, result->exponent);
    }
    add_work(s, m, h, result);
    HolChartPoint *end = &m->stage[m->table.s - 1];
    status = hol_chart_move(s, &m->chart, end, 0, err);
    if (!status)
        status = hol_chart_accelerate(s, &m->chart, end, 0, m->f, err);
    if (status)
        return status;
    radau_measure(s, m);
    return radau_finish(s, m, end, result, err);
}

static void radau_accepted(HolSim *s) {
    Radau *m = s->method;
    const int d = m->chart.dof;
    m->have_last = 1;
    m->entered = 0;
    m->h_limit *= RELAX;
    m->last_h = s->x.t - s->prev.t;
    m->last_error = m->error;
    memcpy(m->last_start[0], m->start.x, sizeof m->start.x);
    memcpy(m->last_start[1], m->start.rate, sizeof m->start.rate);
    for (int i = 0; i < m->table.s; i++)
        memcpy(m->last_rate[i], m->stage[i].rate, sizeof(double) * (size_t)d);
    // the next step starts at the last stage
    HolChartPoint *end = &m->stage[m->table.s - 1], *start = &m->start;
    memcpy(start->F, end->F, sizeof start->F);
    if (m->chart.whole) { // put onto the constraints of velocities since
        hol_chart_read(s, &m->chart, &s->x, start);
        return;
    }
    start->t = s->x.t;
    memcpy(start->q, s->x.q, sizeof *start->q * (size_t)s->nq);
    memcpy(start->v, s->x.v, sizeof *start->v * (size_t)s->nv);
    memcpy(start->x, end->x, sizeof start->x);
    memcpy(start->rate, end->rate, sizeof start->rate);
}

// ---- inside a step ----

// x and x' of the collocation polynomials at theta into `to`, x'' into second
static void interpolate(const Radau *m, double theta, HolChartPoint *to, double *second) {
    double w[RADAU_STAGES + 1], slope[RADAU_STAGES + 1], u[RADAU_STAGES];
    hol_radau_interpolate(&m->table, theta, w);
    hol_radau_slope(&m->table, theta, slope);
    hol_radau_integrate(&m->table, theta, u);
    for (int k = 0; k < m->chart.dof; k++) {
        to->x[k] = m->last_start[0][k];
        to->rate[k] = w[0] * m->last_start[1][k];
        second[k] = slope[0] / m->last_h * m->last_start[1][k];
        for (int i = 0; i < m->table.s; i++) {
            to->x[k] += m->last_h * u[i] * m->last_rate[i][k];
            to->rate[k] += w[i + 1] * m->last_rate[i][k];
            second[k] += slope[i + 1] / m->last_h * m->last_rate[i][k];
        }
    }
}

// of all at theta in the last step, between its ends
static void radau_between(const HolSim *s, double theta, double *lambda, double *w) {
    for (int i = 0; i < s->m; i++)
        lambda[i] = s->prev.lambda[i] + theta * (s->x.lambda[i] - s->prev.lambda[i]);
    for (int i = 0; i < s->nw; i++)
        w[i] = s->prev.w[i] + theta * (s->x.w[i] - s->prev.w[i]);
}

// a, lambda and w of the acceleration equations there; x->a: those of x'', the others: between those
// of the ends
static void accelerate_inside(HolSim *s, Radau *m, double theta, HolState *x) {
    double *a = m->dq; // what x holds now
    memcpy(a, x->a, sizeof *a * (size_t)s->nv);
    if (hol_mass_factor(s, x->t, x->q, NULL))
        return;
    if (!m->chart.tree)
        hol_project_velocity(s, x->t, x->q, x->v, NULL);
    const HolStatus status = hol_accelerate(s, x, 1, NULL);
    const double size = fmax(hol_norm_near(s, a), hol_norm_near(s, s->x.a));
    hol_sim_add(s, s->nv, x->a, -1, a, s->r1);
    if (status || hol_norm_near(s, s->r1) > MOST_DISAGREEMENT * size) {
        memcpy(x->a, a, sizeof *a * (size_t)s->nv);
        radau_between(s, theta, x->lambda, x->w);
        hol_kkt_minimum_norm(s->mass, x->lambda);
    }
}

static void radau_dense(HolSim *s, double theta, HolState *out) {
    Radau *m = s->method;
    HolChartPoint *to = &m->probe;
    const HolStats stats = s->stats; // no effort of the steps
    const int nv = s->nv;
    double second[HOL_CHART_DOF];
    interpolate(m, theta, to, second);
    to->t = s->prev.t + theta * m->last_h;
    memcpy(to->q, theta < 0.5 ? s->prev.q : s->x.q, sizeof *to->q * (size_t)s->nq);
    const HolStatus status = hol_chart_move(s, &m->chart, to, 0, NULL);
    out->t = to->t;
    radau_between(s, theta, out->lambda, out->w);
    if (status == HOL_OK) {
        memcpy(out->q, to->q, sizeof *out->q * (size_t)s->nq);
        memcpy(out->v, to->v, sizeof *out->v * (size_t)nv);
        memcpy(out->a, to->b, sizeof *out->a * (size_t)nv);
        for (int k = 0; k < m->chart.dof; k++)
            for (int i = 0; i < nv; i++)
                out->a[i] += second[k] * to->E[(size_t)k * (size_t)nv + (size_t)i];
        accelerate_inside(s, m, theta, out);
    }
    s->stats = stats;
}

// the approximation of exp(z) by polynomials of degrees s-1 and s (Pade)
static void radau_map(const HolMethodOptions *o, HolStepMap *out) {
    const int s = o->order ? (o->order + 1) / 2 : LEAST_STAGES;
    if (s < 1 || s > RADAU_STAGES)
        return;
    double num = 1, den = 1;
    out->kind = HOL_MAP_RATIONAL;
    out->a_stable = 1;
    out->n_num = s;
    out->n_den = s + 1;
    for (int k = 0; k <= s; k++) {
        if (k < s)
            out->num[k] = num;
        out->den[k] = den;
        const double common = (2 * s - 1 - k) * (k + 1);
        num *= (s - 1 - k) / common;
        den *= -(s - k) / common;
    }
}

static void radau_keep(HolSim *s, HolKeeper *k) {
    Radau *m = s->method;
    const int n = HOL_CHART_DOF * m->table.s;
    hol_chart_keep(s, &m->chart, k);
    hol_chart_point_keep(s, &m->start, k);
    hol_chart_point_keep(s, &m->probe, k);
    for (int i = 0; i < m->table.s; i++)
        hol_chart_point_keep(s, &m->stage[i], k);
    HOL_KEEP_ARRAY(k, m->probe.E, s->nv * HOL_CHART_DOF);
    HOL_KEEP_ARRAY(k, m->probe.b, s->nv);
    HOL_KEEP(k, m->scale);
    HOL_KEEP(k, m->have_last);
    HOL_KEEP(k, m->entered);
    HOL_KEEP(k, m->last_h);
    HOL_KEEP(k, m->last_start);
    HOL_KEEP(k, m->last_rate);
    HOL_KEEP(k, m->rates);
    HOL_KEEP(k, m->at_stage);
    HOL_KEEP(k, m->n_rates);
    HOL_KEEP_ARRAY(k, m->P, n * n);
    HOL_KEEP(k, m->pivot);
    HOL_KEEP(k, m->enough);
    HOL_KEEP(k, m->rate);
    HOL_KEEP(k, m->last_error);
    HOL_KEEP(k, m->error);
    HOL_KEEP(k, m->iterations);
    HOL_KEEP(k, m->h_limit);
    HOL_KEEP_ARRAY(k, m->f, s->nv + s->m);
    HOL_KEEP_ARRAY(k, m->dq, s->nv);
}

const HolStepper hol_stepper_radau = {
    .name = "radau",
    .keep = radau_keep,
    .help =
        "Radau IIA collocation in joint coordinates: stiff mechanisms of few degrees of freedom",
    .options = radau_options,
    .create = radau_create,
    .start = radau_start,
    .step = radau_step,
    .accepted = radau_accepted,
    .dense = radau_dense,
    .adaptive = 1,
    .over_kinks = 1,
    .quadrature = 5, // where the stages do not do it (add_work)
    .map = radau_map,
};
