// SPDX-License-Identifier: Apache-2.0
// dae-alpha: the stabilized index-2 alpha-method, fixed step or error-controlled. dae_alpha.h has
// the equations, dae_alpha_newton.c solves them.
//
// Both constraint levels hold at round-off, accelerations and multipliers come from the
// acceleration solve at the new point: q, v, a and lambda are all second order.
// Error control (error_test.c): eq = C h^2 x, C = beta + shift/2 - 1/6, x the part of
// phi1 - phi0 = h phi' tangent to the constraints (mass metric): the normal part of the local error
// is removed by the position level; ev = h^3/12 times the change of x/h from step to step.
// control: local tests eq alone against the whole tolerance.
// Start: a = phi with a fixed step (as published), a = phi + shift h phi' under error control.
#include "solve/method/dae_alpha/dae_alpha.h"
#include "solve/constraint/project.h"
#include "solve/linear/step_map.h"
#include "solve/method_options.h"

#include <math.h>
#include <string.h>

// ---- tuning constants ----
static const double OPEN = 1e-10; // residual of a row left out, in its scale
enum { MOST_EXCHANGED = 4 };      // rows left out that are looked at after a step

// ---- creation ----

static const HolWord iteration_words[] = {{"newton", HOL_ALPHA_NEWTON, NULL},
                                          {"cs", HOL_ALPHA_CS, NULL},
                                          {"cs-qr", HOL_ALPHA_CS_QR, NULL},
                                          {"cm", HOL_ALPHA_CM, NULL},
                                          {"cmp", HOL_ALPHA_CMP, NULL},
                                          {"cmp1", HOL_ALPHA_CMP1, NULL},
                                          {0}};

static void read_iteration(const HolMethodOptions *o, HolDaeAlpha *m) {
    int iteration = HOL_ALPHA_NEWTON;
    hol_word_value(iteration_words, o->iteration, &iteration);
    m->iteration = (HolAlphaIteration)iteration;
}

static HolStatus read_damping(const HolSim *s, HolDaeAlpha *m, HolError *err) {
    const HolMethodOptions *o = &s->o.method;
    const double rho = hol_option_number(s->stepper->options, "rho", o->rho);
    if (!isnan(o->rho) && !isnan(o->alpha))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method dae-alpha: give rho (generalized-alpha) or alpha (HHT), "
                             "not both");
    m->alpha_m = isnan(o->alpha) ? (2 * rho - 1) / (rho + 1) : 0;
    m->alpha_f = isnan(o->alpha) ? rho / (rho + 1) : -o->alpha;
    const double am = m->alpha_m, af = m->alpha_f;
    m->gamma = 0.5 - am + af;
    m->beta = (1 - am + af) * (1 - am + af) / 4;
    m->bh = m->beta * (1 - af) / (1 - am);
    m->gh = m->gamma * (1 - af) / (1 - am);
    m->shift = am - af;
    m->error_q = m->beta + m->shift / 2 - 1.0 / 6;
    return HOL_OK;
}

static HolStatus read_control(const HolSim *s, HolDaeAlpha *m, HolError *err) {
    const HolMethodOptions *o = &s->o.method;
    const int adaptive = !(s->o.step > 0);
    m->local = !strcmp(o->control, "local");
    if (adaptive && o->newton_iterations > 0)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method.newton_iterations needs a fixed step: error control rests on "
                             "converged steps");
    if (adaptive && (o->newton_tolerance > 0 || o->newton_most > 0))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method.newton_%s needs a fixed step: under error control the "
                             "tolerance bounds what Newton leaves",
                             o->newton_tolerance > 0 ? "tolerance" : "most");
    m->predictor = o->predictor;
    m->iterations = o->newton_iterations;
    m->newton_tolerance = o->newton_tolerance;
    m->newton_most = o->newton_most;
    if (adaptive)
        m->tolerance = s->o.tolerance;
    return HOL_OK;
}

static HolStatus dae_alpha_create(HolSim *s, HolError *err) {
    HolDaeAlpha *m = HOL_NEW(&s->arena, HolDaeAlpha, 1);
    if (!m)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->method = m;
    read_iteration(&s->o.method, m);
    HolStatus status = read_damping(s, m, err);
    if (status == HOL_OK)
        status = read_control(s, m, err);
    return status == HOL_OK ? hol_dae_alpha_alloc(s, err) : status;
}

static void dae_alpha_destroy(HolSim *s) {
    HolDaeAlpha *m = s->method;
    hol_kkt_destroy(m->kkt);
}

// ---- steps ----

static HolStatus dae_alpha_start(HolSim *s, HolError *err) {
    HolDaeAlpha *m = s->method;
    memcpy(m->a, s->x.a, (size_t)s->nv * sizeof(double));
    m->h_last = m->error.h = 0;
    m->degree = 1;
    m->has_jacobian = m->has_split = m->wait = 0;
    m->rate = -1;
    if (!hol_left_out_start(s, &m->left_out, 2 * s->nv + s->nh + s->m + s->nw))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_dae_alpha_leave_out(s);
    memset(m->jerk, 0, (size_t)s->nv * sizeof(double));
    if (m->tolerance <= 0)
        return HOL_OK;
    if (!(s->h > 0))
        s->h = hol_first_step(s, m->error_q, m->tolerance);
    HolStatus status = hol_mass_factor(s, s->x.t, s->x.q, err);
    if (status == HOL_OK && hol_jerk(s, &s->x, m->jerk, NULL, err) != HOL_OK)
        memset(m->jerk, 0, (size_t)s->nv * sizeof(double)); // the published start instead
    return status;
}

// theta^, v^: what the step knows beforehand
static void dae_alpha_prepare(HolSim *s, double h) {
    HolDaeAlpha *m = s->method;
    const double *v = s->x.v, *phi = s->x.a;
    const double by_a = 0.5 - m->beta / (1 - m->alpha_m),
                 by_phi = m->beta * m->alpha_f / (1 - m->alpha_m);
    const double v_by_a = 1 - m->gamma / (1 - m->alpha_m),
                 v_by_phi = m->gamma * m->alpha_f / (1 - m->alpha_m);
    const double ratio = m->h_last > 0 ? h / m->h_last - 1 : 0;
    for (int i = 0; i < s->nv; i++) {
        const double drift = m->h_last > 0 ? ratio * m->change[i] : h * m->jerk[i];
        const double a = m->a_start[i] = m->a[i] + m->shift * drift;
        m->theta_hat[i] = h * v[i] + h * h * (by_a * a + by_phi * phi[i]);
        m->v_hat[i] = v[i] + h * (v_by_a * a + v_by_phi * phi[i]);
    }
}

// phi and lambda at the new point, both constraint levels polished
static HolStatus dae_alpha_finish(HolSim *s, double h, HolError *err) {
    HolDaeAlpha *m = s->method;
    HolState *x = &s->next;
    for (int i = 0; i < s->nv; i++)
        x->a[i] = (x->v[i] - m->v_hat[i]) / (m->gh * h);
    for (int i = 0; i < s->m; i++)
        x->lambda[i] = m->mu_h[i] / (m->gh * h * h);
    // under error control Newton stops before round-off
    HolStatus status = m->tolerance > 0 ? hol_project_position(s, x->t, x->q, 1, err)
                                        : hol_mass_factor(s, x->t, x->q, err);
    if (status == HOL_OK && m->iterations == 0)
        status = hol_project_velocity(s, x->t, x->q, x->v, err);
    if (status == HOL_OK)
        status = hol_accelerate(s, x, 1, err);
    for (int i = 0; i < s->nv; i++)
        m->a_new[i] =
            ((1 - m->alpha_f) * x->a[i] + m->alpha_f * s->x.a[i] - m->alpha_m * m->a_start[i]) /
            (1 - m->alpha_m);
    return status;
}

// 1 from the first step on in which a constraint moves with time
static int dae_alpha_is_driven(HolSim *s) {
    HolDaeAlpha *m = s->method;
    if (m->driven)
        return 1;
    m->driven = hol_moves_with_time(s, &s->next);
    return m->driven;
}

// The change of phi tangent to the constraints; what drives ask for shows in the reactions only, so
// that with them its normal part counts as well. s->mass is factored at the new point
static void dae_alpha_estimate(HolSim *s, double h, HolStepResult *result) {
    HolDaeAlpha *m = s->method;
    double *x = s->r1, *d = s->rhs;
    for (int i = 0; i < s->nv; i++)
        x[i] = s->next.a[i] - s->x.a[i];
    if (s->m && !dae_alpha_is_driven(s)) {
        memset(d, 0, (size_t)(s->nv + s->m + s->nw) * sizeof(double));
        hol_mul_rows(&s->p->G, hol_kkt_G(s->mass), x, -1, d + s->nv);
        hol_kkt_solve(s->mass, d);
        for (int i = 0; i < s->nv; i++)
            x[i] += d[i];
    }
    hol_error_test_candidate(s, &s->next);
    result->error = m->local ? fabs(m->error_q) * h * h * hol_norm_published(s, x) / m->tolerance
                             : hol_second_order_error(s, &m->error, x, m->error_q, h) /
                                   hol_error_limit(s, h, hol_second_order_share);
    result->exponent = 1.0 / 3;
}

// which of the predictors q + h v and q + h v + h^2 a/2 came closer
static void judge_predictor(HolSim *s, double h) {
    HolDaeAlpha *m = s->method;
    const double *scale = s->test->q;
    double first = 0, second = 0;
    for (int i = 0; i < s->nv; i++) {
        first = fmax(first, fabs(m->theta[i] - h * s->x.v[i]) * scale[i]);
        second = fmax(second, fabs(m->theta[i] - m->theta_predicted[i]) * scale[i]);
    }
    m->degree = second < first ? 2 : 1;
}

// Redundant rows left out must be met as well. Those that the others hardly determine are taken in
// for others.
static HolStatus check_rows(HolSim *s, HolError *err) {
    HolDaeAlpha *m = s->method;
    const HolKeptRows kept = {m->kkt, 2 * s->nv + s->nh + s->m + s->nw, s->nv, 2 * s->nv + s->nh};
    const double off = hol_left_out_residual(s, &m->left_out, s->next.t, s->next.q);
    if (hol_left_out_exchange(s, &m->left_out, &kept, m->G, MOST_EXCHANGED))
        hol_dae_alpha_leave_out(s);
    if (off > OPEN * s->test->grain && m->iterations == 0)
        return hol_error_set(err, HOL_ERR_CONVERGE, "redundant constraints are not met together");
    return HOL_OK;
}

static HolStatus dae_alpha_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    HolDaeAlpha *m = s->method;
    s->next.t = s->x.t + h;
    dae_alpha_prepare(s, h);
    HolStatus status = hol_dae_alpha_solve(s, h, err);
    if (status == HOL_OK)
        status = dae_alpha_finish(s, h, err);
    if (status == HOL_OK && m->left_out.count)
        status = check_rows(s, err);
    if (status != HOL_OK)
        return status;
    judge_predictor(s, h);
    m->h_tried = h;
    if (m->tolerance > 0)
        dae_alpha_estimate(s, h, result);
    return HOL_OK;
}

static void dae_alpha_accepted(HolSim *s) {
    HolDaeAlpha *m = s->method;
    double *old = m->a;
    m->a = m->a_new;
    m->a_new = old;
    m->h_last = m->h_tried;
    hol_second_order_accept(&m->error, m->h_tried);
    for (int i = 0; i < s->nv; i++)
        m->change[i] = s->x.a[i] - s->prev.a[i];
}

static const HolField dae_alpha_options[] = {
    HOL_OPTION_RHO,
    HOL_OPTION_ALPHA(NULL, "instead of rho: the HHT formula"),
    {HOL_OPTION_WORD(iteration), .words = iteration_words, .fallback = "newton",
     .help = "how the stage equations are solved"},
    HOL_OPTION_CONTROL,
    HOL_OPTION_PREDICTOR(2),
    HOL_OPTION_NEWTON_ITERATIONS,
    HOL_OPTION_NEWTON_TOLERANCE,
    HOL_OPTION_NEWTON_MOST,
    {0},
};

static void dae_alpha_map(const HolMethodOptions *o, HolStepMap *out) {
    const double rho = hol_option_number(dae_alpha_options, "rho", o->rho);
    const double am = isnan(o->alpha) ? (2 * rho - 1) / (rho + 1) : 0,
                 af = isnan(o->alpha) ? rho / (rho + 1) : -o->alpha;
    *out = (HolStepMap){.kind = HOL_MAP_ALPHA, .alpha_m = am, .alpha_f = af, .a_stable = 1};
    out->gamma = 0.5 - am + af;
    out->beta = (1 - am + af) * (1 - am + af) / 4;
}

static void dae_alpha_keep(HolSim *s, HolKeeper *k) {
    HolDaeAlpha *m = s->method;
    double *by_v[] = {m->a,     m->a_new,     m->a_start, m->change,          m->jerk,
                      m->theta, m->theta_hat, m->v_hat,   m->theta_predicted, m->f,
                      m->a1,    m->a2,        m->size};
    double *by_row[] = {m->nu, m->mu_h, m->lambda1, m->lambda2};
    for (size_t i = 0; i < sizeof by_v / sizeof *by_v; i++)
        HOL_KEEP_ARRAY(k, by_v[i], s->nv);
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++)
        HOL_KEEP_ARRAY(k, by_row[i], s->m);
    hol_second_order_keep(s, &m->error, k);
    HOL_KEEP(k, m->driven);
    HOL_KEEP(k, m->h_last);
    HOL_KEEP(k, m->h_tried);
    HOL_KEEP(k, m->degree);
    hol_kkt_keep(m->kkt, k);
    hol_left_out_keep(s, &m->left_out, k);
    HOL_KEEP_ARRAY(k, m->inactive, s->nh + s->m);
    hol_retraction_keep(s, &m->chart, k);
    hol_split_keep(&m->split, k);
    HOL_KEEP(k, m->has_split);
    HOL_KEEP(k, m->has_jacobian);
    HOL_KEEP(k, m->h_jacobian);
    HOL_KEEP(k, m->rate);
    HOL_KEEP(k, m->wait);
    HOL_KEEP_ARRAY(k, m->M, s->p->M.nnz);
    HOL_KEEP_ARRAY(k, m->K, s->p->S.nnz);
    HOL_KEEP_ARRAY(k, m->C, s->p->S.nnz);
    HOL_KEEP_ARRAY(k, m->G, s->p->G.nnz);
    HOL_KEEP_ARRAY(k, m->G_up, s->p->G.nnz);
    HOL_KEEP_ARRAY(k, m->B, s->p->G.nnz);
    HOL_KEEP_ARRAY(k, m->J, s->nw * (4 * s->nv + s->m));
}

const HolStepper hol_stepper_dae_alpha = {
    .name = "dae-alpha",
    .keep = dae_alpha_keep,
    .help = "stabilized index-2 alpha-method: second order, damps high frequencies, positions and "
            "velocities meet the constraints",
    .options = dae_alpha_options,
    .create = dae_alpha_create,
    .start = dae_alpha_start,
    .step = dae_alpha_step,
    .accepted = dae_alpha_accepted,
    .adaptive = 1,
    .over_kinks = 1,
    .destroy = dae_alpha_destroy,
    .map = dae_alpha_map,
};
