// SPDX-License-Identifier: Apache-2.0
// newmark, hht, generalized-alpha: implicit second-order methods on the index-3 equations, fixed
// step or error-controlled. index3.h has the equations, index3_newton.c solves them.
//
// Parameters: newmark gamma >= 1/2, beta >= gamma/2, default beta = (gamma+1/2)^2/4; hht
// alpha in [-1/3,0], gamma = 1/2 - alpha, beta = (1-alpha)^2/4; generalized-alpha (rho = spectral
// radius at infinity) am = (2 rho-1)/(rho+1), af = rho/(rho+1), gamma = 1/2 + af - am.
// Error control (error_test.c): eq = C h^2 x, x = A1 - A0, ev = h^3/12 times the change of x/h from
// step to step (first order methods: (gamma - 1/2 + am - af) h x); x is first projected (mass
// metric) on the tangent space of the constraints, because its normal part is no error of the
// motion and rings after changes of h (control: local only for weakly damped methods). control:
// local tests eq alone against the whole tolerance, as published: the error at the end then behaves
// as tolerance^(2/3) (first order methods: ^(1/3)). Drives show in the reactions alone: with them
// the difference of the accelerations that solve the equations counts as well, unprojected.
// Undamped methods (double eigenvalue -1 in the constrained directions) get v projected and a,
// lambda recomputed after each error-controlled step (projection: full), and so do models with
// drives, whose reactions would ring after every change of the step. With a fixed step all run as
// published unless asked.
// After a cut of the step by four or more the state is projected and a, lambda are recomputed.
#include "solve/method/index3/index3.h"
#include "solve/constraint/project.h"
#include "solve/linear/step_map.h"
#include "solve/method_options.h"
#include "solve/run/run.h"

#include <math.h>
#include <string.h>

// ---- tuning constants ----
static const double STOPPING = 1e-3;        // c of the stopping test, as published
static const double UNDAMPED = 0.99;        // spectral radius from which a method has no damping
static const double WEAKLY_DAMPED = 0.85;   // the same: forces see what rings for too long
static const double STRONGLY_DAMPED = 0.68; // below, the normal part stays small by itself
static const double NO_ESTIMATE = 1e-3;     // error constants below give no estimate
static const double SECOND_ORDER = 1e-9;    // error constant of velocities of a second-order method
// exponent of the controller, and the safety with which it aims at the same error as 0.9 with 1/3;
// used for errors from CALM_FROM on
static const double CALM = 0.2, CALM_SAFETY = 0.94, CALM_FROM = 0.03;
static const double DEEP_CUT = 0.26; // ratio of two steps after which the state is projected
static const double SLACK = 1e-12;   // round-off of parameters at the ends of their ranges

// ---- creation ----

// spectral radius of the recursion of (h v, h^2 A) in constrained directions: q follows exactly
static double constrained_radius(double beta, double gamma) {
    double trace = 1 - (gamma + 0.5) / beta + 1;
    double det = 1 + (0.5 - gamma) / beta;
    double under = trace * trace / 4 - det;
    if (under < 0)
        return sqrt(det);
    return fabs(trace / 2) + sqrt(under);
}

static HolStatus check_parameters(const HolSim *s, const HolIndex3 *m, HolError *err) {
    if (!isfinite(m->beta) || !isfinite(m->gamma) || m->beta <= 0 || m->gamma <= 0)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method %s: beta = %g, gamma = %g: both must be positive",
                             s->stepper->name, m->beta, m->gamma);
    if (s->o.method.force)
        return HOL_OK;
    if (m->gamma < 0.5 - SLACK || m->beta < m->gamma / 2 - SLACK)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method %s: gamma = %g, beta = %g is unstable on constrained systems; "
                             "take gamma >= 1/2 and beta >= gamma/2 (beta = (gamma+1/2)^2/4), or "
                             "force: 1",
                             s->stepper->name, m->gamma, m->beta);
    return HOL_OK;
}

static int word_is(const char *given, const char *word) {
    return !strcmp(given, word);
}

static HolStatus index3_read_options(HolSim *s, HolIndex3 *m, HolError *err) {
    const HolMethodOptions *o = &s->o.method;
    double radius = constrained_radius(m->beta, m->gamma);
    int adaptive = !(s->o.step > 0);
    m->iterations = o->newton_iterations;
    m->degree = o->predictor >= 0 ? o->predictor : m->iterations > 0 ? 0 : 1;
    m->smooth = o->predictor == -2 && m->iterations == 0;
    m->newton_tolerance = o->newton_tolerance;
    m->newton_most = o->newton_most;
    m->newton_c = o->newton_c > 0 ? o->newton_c : STOPPING;
    m->published = word_is(o->stopping, "published");
    m->index = o->index ? o->index : 3;
    m->baumgarte = o->baumgarte;
    if (m->index < 3 && adaptive)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method.index %d is there to be compared with, with a fixed step",
                             m->index);
    if (m->index == 3 && m->baumgarte > 0)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method.baumgarte belongs to index 1 or 2: index 3 does not drift");
    m->project = word_is(o->projection, "full");
    // (weak damping: what rings is in the forces too long; projection and every change of the step
    // start it anew)
    m->apart =
        s->nw > 0 && m->iterations == 0 && (radius > WEAKLY_DAMPED || m->project || adaptive);
    if (m->apart && radius > UNDAMPED && !o->projection[0]) {
        m->project = 1;
        hol_note(s,
                 "%s without damping, forces from reactions: velocities and accelerations are "
                 "projected each step",
                 s->stepper->name);
    }
    if (!adaptive && (m->published || o->newton_c > 0))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method.%s belongs to error control; a fixed step takes "
                             "newton_tolerance",
                             m->published ? "stopping" : "newton_c");
    if (!adaptive) {
        if (radius > UNDAMPED && !m->project)
            hol_note(s,
                     "%s without damping: reactions and accelerations oscillate and may grow; "
                     "projection: full or a damped method (hht) cures it",
                     s->stepper->name);
        return HOL_OK;
    }
    if (m->iterations > 0)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method.newton_iterations needs a fixed step: error control rests on "
                             "converged steps");
    if (m->newton_tolerance > 0)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method.newton_tolerance needs a fixed step: under error control the "
                             "tolerance bounds what Newton leaves (newton_c)");
    m->tolerance = s->o.tolerance;
    m->local = word_is(o->control, "local");
    if (fabs(m->error_q) < NO_ESTIMATE)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "method %s: with beta = %g the error estimate vanishes; give a fixed "
                             "step or another beta",
                             s->stepper->name, m->beta);
    // strong damping (alpha <= -0.2, gamma >= 0.7) keeps the normal part small enough by itself for
    // C h^2 x, but not for differences of x/h: these ring after every change of h, and shorter
    // steps make it worse
    m->tangential = !m->local || radius > STRONGLY_DAMPED;
    if (radius > UNDAMPED && !o->projection[0] && !m->apart) {
        m->project = 1;
        hol_note(s, "%s without damping: velocities and accelerations are projected each step",
                 s->stepper->name);
    }
    return HOL_OK;
}

static HolStatus index3_alloc_method(HolSim *s, HolIndex3 *m, HolError *err) {
    HolArena *a = &s->arena;
    int nv = s->nv, n = nv + s->m + s->nw;
    double **vectors[] = {&m->A, &m->A_new, &m->A_start, &m->x, &m->x_new, &m->v_hat, &m->a_known};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = HOL_NEW(a, double, nv);
    for (int i = 0; i < HOL_INDEX3_POINTS; i++) {
        m->u[i] = HOL_NEW(a, double, n);
        m->table[i] = HOL_NEW(a, double, n);
    }
    m->predicted = HOL_NEW(a, double, n);
    m->residual = HOL_NEW(a, double, n);
    m->q_hat = HOL_NEW(a, double, nv);
    m->theta = HOL_NEW(a, double, nv);
    m->M = HOL_NEW(a, double, s->p->M.nnz);
    m->G = HOL_NEW(a, double, s->p->G.nnz);
    m->B = HOL_NEW(a, double, s->p->G.nnz);
    m->J = HOL_NEW(a, double, 3 * (size_t)s->nw * (size_t)nv);
    m->w_given = HOL_NEW(a, double, s->nw);
    m->lower = HOL_NEW(a, double, 2 * s->m);
    if (m->apart)
        hol_state_alloc(s, &m->star);
    m->kkt = hol_sim_implicit(s, err);
    if (!m->kkt || !hol_second_order_create(s, &m->error))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!hol_retraction_create(s, &m->chart))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (s->nn > 0 || m->chart.width > 0 || m->index == 2)
        hol_kkt_Gt(m->kkt);
    return HOL_OK;
}

static HolStatus create_method(HolSim *s, double alpha_m, double alpha_f, double gamma, double beta,
                               HolError *err) {
    HolIndex3 *m = HOL_NEW(&s->arena, HolIndex3, 1);
    if (!m)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->method = m;
    m->alpha_m = alpha_m;
    m->alpha_f = alpha_f;
    m->gamma = gamma;
    m->beta = beta;
    m->kappa = (1 - alpha_m) / (1 - alpha_f);
    m->shift = alpha_m - alpha_f;
    m->error_q = beta + m->shift / 2 - 1.0 / 6;
    m->error_v = gamma - 0.5 + m->shift;
    HolStatus status = check_parameters(s, m, err);
    if (status == HOL_OK)
        status = index3_read_options(s, m, err);
    return status == HOL_OK ? index3_alloc_method(s, m, err) : status;
}

static HolStatus newmark_create(HolSim *s, HolError *err) {
    const HolMethodOptions *o = &s->o.method;
    double gamma = isnan(o->gamma) ? 0.5 : o->gamma;
    double beta = isnan(o->beta) ? (gamma + 0.5) * (gamma + 0.5) / 4 : o->beta;
    return create_method(s, 0, 0, gamma, beta, err);
}

static HolStatus hht_create(HolSim *s, HolError *err) {
    double alpha = hol_option_number(s->stepper->options, "alpha", s->o.method.alpha);
    return create_method(s, 0, -alpha, 0.5 - alpha, (1 - alpha) * (1 - alpha) / 4, err);
}

static HolStatus generalized_alpha_create(HolSim *s, HolError *err) {
    double rho = hol_option_number(s->stepper->options, "rho", s->o.method.rho);
    double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
    double gamma = 0.5 + alpha_f - alpha_m;
    return create_method(s, alpha_m, alpha_f, gamma, (gamma + 0.5) * (gamma + 0.5) / 4, err);
}

// ---- steps ----

static HolStatus index3_start(HolSim *s, HolError *err) {
    HolIndex3 *m = s->method;
    if (m->index < 3 && s->redundant)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "method.index %d takes no redundant constraints", m->index);
    if (!hol_left_out_start(s, &m->left_out, s->nv + s->m + s->nw))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_kkt_inactive(m->kkt, m->left_out.count ? m->left_out.rows : NULL);
    memcpy(m->A, s->x.a, (size_t)s->nv * sizeof(double));
    memset(m->x, 0, (size_t)s->nv * sizeof(double));
    m->h_last = m->error.h = 0;
    m->points = 0;
    m->has_jacobian = 0;
    m->rate = -1;
    if (!m->local)
        s->driver->control.safety = CALM_SAFETY;
    hol_index3_history(s);
    if (m->tolerance > 0 && !(s->h > 0))
        s->h = hol_first_step(s, m->error_q, m->tolerance);
    return HOL_OK;
}

// consistent v, a, lambda (and q) at x; A keeps its place in time
static HolStatus index3_make_consistent(HolSim *s, HolState *x, int position, HolError *err) {
    HolStatus status = position ? hol_project_position(s, x->t, x->q, 1, err)
                                : hol_mass_factor(s, x->t, x->q, err);
    if (status == HOL_OK)
        status = hol_project_velocity(s, x->t, x->q, x->v, err);
    return status == HOL_OK ? hol_accelerate(s, x, 1, err) : status;
}

// A deep cut makes |g|/(beta h^2) and |G v|/(beta h) large: clean the state and forget the history.
static HolStatus settle_after_cut(HolSim *s, double h, HolError *err) {
    HolIndex3 *m = s->method;
    HolStatus status = index3_make_consistent(s, &s->x, 1, err);
    if (status != HOL_OK)
        return status;
    double ratio = h / m->h_last;
    for (int i = 0; i < s->nv; i++) {
        m->x[i] *= ratio;
        m->A[i] = s->x.a[i] + m->shift * m->x[i];
    }
    m->h_last = h;
    m->points = 0;
    hol_index3_history(s);
    m->has_jacobian = 0;
    return HOL_OK;
}

// q^, v^, a_known: what the step knows beforehand
static void index3_prepare(HolSim *s, double h) {
    HolIndex3 *m = s->method;
    const HolState *x = &s->x;
    double ratio = m->h_last > 0 ? h / m->h_last - 1 : 0;
    double half = h * h * (0.5 - m->beta);
    for (int i = 0; i < s->nv; i++) {
        m->A_start[i] = m->A[i] + m->shift * ratio * m->x[i];
        m->v_hat[i] = x->v[i] + h * (1 - m->gamma) * m->A_start[i];
        m->a_known[i] = (m->alpha_m * m->A_start[i] - m->alpha_f * x->a[i]) / (1 - m->alpha_f);
    }
    for (int i = 0; i < s->nv; i++)
        m->q_hat[i] = (s->plain ? x->q[i] : 0) + h * x->v[i] + half * m->A_start[i];
}

// x without its part normal to the constraints (mass metric), into s->rhs
static HolStatus tangential_part(HolSim *s, const double *x, HolError *err) {
    const HolState *y = &s->next;
    const HolIndex3 *m = s->method;
    HolStatus status = m->left_out.count ? HOL_OK : hol_mass_factor(s, y->t, y->q, err);
    if (status != HOL_OK)
        return status;
    double *d = s->rhs;
    memset(d, 0, (size_t)(s->nv + s->m + s->nw) * sizeof(double));
    if (s->m)
        hol_mul_rows(&s->p->G, hol_kkt_G(s->mass), x, -1, d + s->nv);
    hol_kkt_solve(s->mass, d);
    for (int i = 0; i < s->nv; i++)
        d[i] += x[i];
    return HOL_OK;
}

// x = A1 - A0
static void index3_increment(HolSim *s) {
    HolIndex3 *m = s->method;
    for (int i = 0; i < s->nv; i++)
        m->x_new[i] = m->A_new[i] - m->A_start[i];
}

// 1 from the first step on in which a constraint moves with time
static int index3_is_driven(HolSim *s) {
    HolIndex3 *m = s->method;
    if (!m->driven)
        m->driven = hol_moves_with_time(s, &s->next);
    return m->driven;
}

// Drives prescribe a part of the motion, and what they ask for shows in the reactions only: x of
// the accelerations that solve the equations, with its normal part. s->mass is factored.
static HolStatus driven_error(HolSim *s, double h, HolStepResult *result, HolError *err) {
    HolIndex3 *m = s->method;
    HolState *y = &s->mid;
    hol_state_copy(s, y, &s->next);
    HolStatus status = hol_accelerate(s, y, 1, err);
    for (int i = 0; i < s->nv; i++)
        s->r1[i] = y->a[i] - s->x.a[i];
    const double size = m->local ? hol_norm_published(s, s->r1) : hol_norm_q(s, s->r1),
                 error = fabs(m->error_q) * h * h * size / hol_index3_limit(s, h);
    if (!(error <= result->error))
        result->error = error;
    return status;
}

static HolStatus index3_estimate(HolSim *s, double h, HolStepResult *result, HolError *err) {
    HolIndex3 *m = s->method;
    const double *x = m->x_new;
    result->exponent = 1.0 / 3;
    if (m->alpha_m != 0) {
        // A rings with -am/(1-am) after every change of h; the true acceleration does not
        for (int i = 0; i < s->nv; i++)
            s->r1[i] = s->next.a[i] - s->x.a[i];
        x = s->r1;
    }
    const int driven = index3_is_driven(s);
    if (m->tangential || driven) {
        HolStatus status = tangential_part(s, x, err);
        if (status != HOL_OK)
            return status;
        x = m->tangential ? s->rhs : x;
    }
    const double limit = hol_index3_limit(s, h);
    hol_error_test_candidate(s, &s->next);
    result->error = m->local ? fabs(m->error_q) * h * h * hol_norm_published(s, x) / limit
                             : hol_second_order_error(s, &m->error, x, m->error_q, h) / limit;
    if (fabs(m->error_v) > SECOND_ORDER && !m->local) {
        const double velocity = fabs(m->error_v) * h * hol_norm_v(s, x) / limit;
        // let the controller's cube root act as the square root that suits the velocity error
        result->error = fmax(result->error, velocity * sqrt(velocity));
    }
    HolStatus status = driven ? driven_error(s, h, result, err) : HOL_OK;
    // A change of h shows in the next accelerations, and they in the estimate: a controller that
    // follows it at once lets the smallest of changes grow
    // (a step that was cut goes back at once: h doubles at most otherwise)
    if (result->error <= 1 && result->error > CALM_FROM && !m->local)
        result->exponent = CALM;
    return status;
}

static HolStatus index3_settle(HolSim *s, double h, HolError *err) {
    HolStatus status = hol_index3_settle(s, h, err);
    index3_increment(s);
    return status;
}

// Redundant rows: on the constraints, where the tangent space of the estimate exists, with the
// multipliers of least norm. Ends with s->mass factored.
static HolStatus settle_redundant(HolSim *s, double h, HolError *err) {
    const HolIndex3 *m = s->method;
    HolStatus status = m->iterations == 0 ? index3_settle(s, h, err) : HOL_OK;
    if (status == HOL_OK)
        status = hol_mass_factor(s, s->next.t, s->next.q, err);
    if (status == HOL_OK)
        hol_kkt_minimum_norm(s->mass, s->next.lambda);
    return status;
}

static HolStatus index3_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    HolIndex3 *m = s->method;
    HolStatus status = HOL_OK;
    if (m->h_last > 0 && h < DEEP_CUT * m->h_last && m->iterations == 0)
        status = settle_after_cut(s, h, err);
    if (status != HOL_OK)
        return status;
    s->next.t = s->x.t + h;
    index3_prepare(s, h);
    status = hol_index3_solve(s, h, err);
    if (status != HOL_OK)
        return status;
    m->h_tried = h;
    index3_increment(s);
    if (m->left_out.count)
        status = settle_redundant(s, h, err);
    if (status == HOL_OK && m->tolerance > 0) {
        status = index3_estimate(s, h, result, err);
        if (status == HOL_OK && !m->left_out.count && result->error <= 1 && !m->published)
            status = index3_settle(s, h, err); // rejected steps need none
    }
    const int project = m->project || (m->driven && !s->o.method.projection[0]);
    if (status == HOL_OK && project && result->error <= 1) {
        status = index3_make_consistent(s, &s->next, m->index < 3, err);
        for (int i = 0; i < s->nv; i++)
            m->A_new[i] = s->next.a[i] + m->shift * m->x_new[i];
    }
    return status;
}

static void index3_swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

static void index3_accepted(HolSim *s) {
    HolIndex3 *m = s->method;
    if (m->smooth)
        hol_index3_judge_predictor(s);
    index3_swap(&m->A, &m->A_new);
    index3_swap(&m->x, &m->x_new);
    m->h_last = m->h_tried;
    hol_second_order_accept(&m->error, m->h_tried);
    hol_index3_history(s);
}

static void index3_map(const HolMethodOptions *o, double alpha_m, double alpha_f, double gamma,
                       double beta, HolStepMap *out) {
    out->kind = HOL_MAP_ALPHA;
    out->alpha_m = alpha_m;
    out->alpha_f = alpha_f;
    out->gamma = gamma;
    out->beta = beta;
    out->constrained = word_is(o->projection, "full") || o->index == 1 ? 0
                       : o->index == 2                                 ? fabs(1 - gamma) / gamma
                                       : constrained_radius(beta, gamma);
    out->a_stable = alpha_m <= alpha_f + SLACK && alpha_f <= 0.5 + SLACK &&
                    gamma >= 0.5 - alpha_m + alpha_f - SLACK &&
                    beta >= (0.5 + alpha_f - alpha_m) / 2 - SLACK && beta >= gamma / 2 - SLACK;
}

static void newmark_map(const HolMethodOptions *o, HolStepMap *out) {
    const double gamma = isnan(o->gamma) ? 0.5 : o->gamma;
    index3_map(o, 0, 0, gamma, isnan(o->beta) ? (gamma + 0.5) * (gamma + 0.5) / 4 : o->beta, out);
}

static const HolWord index3_predictor_words[] = {{"auto", -1, NULL}, {"smooth", -2, NULL}, {0}};
static const HolWord stopping_words[] = {{"settled", 0, NULL}, {"published", 0, NULL}, {0}};
static const HolWord projection_words[] = {{"none", 0, NULL}, {"full", 0, NULL}, {0}};

#define INDEX3_OPTIONS                                                                             \
    {HOL_OPTION_WORD(projection), .words = projection_words,                                       \
     .help = "full: velocities and accelerations meet the constraints after each step; default: "  \
             "none, full where a method without damping needs it"},                                \
        HOL_OPTION_CONTROL,                                                                        \
        {HOL_OPTION_INTEGER(predictor),                                                            \
         .words = index3_predictor_words,                                                          \
         .range = HOL_RANGE_BETWEEN,                                                               \
         .low = -2,                                                                                \
         .high = 3,                                                                                \
         .fallback = "auto",                                                                       \
         .help = "degree of the polynomial that predicts the step; -1: the method's own; smooth "  \
                 "(-2): the one that came closest in the last steps"},                             \
        {HOL_OPTION_INTEGER(index),                                                                \
         .range = HOL_RANGE_BETWEEN,                                                               \
         .low = 0,                                                                                 \
         .high = 3,                                                                                \
         .fallback = "3",                                                                          \
         .help = "to compare: 2, 1: velocity or acceleration constraints in place of positions"},  \
        {HOL_OPTION_NUMBER(baumgarte),                                                             \
         .range = HOL_RANGE_BETWEEN,                                                               \
         .low = 0,                                                                                 \
         .high = 1e9,                                                                              \
         .fallback = "0",                                                                          \
         .help = "index 1, 2: rate at which drift is fed back [1/s]"},                             \
        HOL_OPTION_NEWTON_ITERATIONS, HOL_OPTION_NEWTON_TOLERANCE, HOL_OPTION_NEWTON_MOST,         \
        {HOL_OPTION_NUMBER(newton_c),                                                              \
         .range = HOL_RANGE_BETWEEN,                                                               \
         .low = 0,                                                                                 \
         .high = 1,                                                                                \
         .fallback = "0.001",                                                                      \
         .help = "error control: part of the tolerance that the iteration "                        \
                 "may leave (c of the published test)"},                                           \
    {                                                                                              \
        HOL_OPTION_WORD(stopping), .words = stopping_words, .fallback = "settled",                 \
                                   .help = "error control; published: the iteration ends by its "  \
                                           "test alone; settled: with the constraints at "         \
                                           "round-off"                                             \
    }

static const HolField newmark_options[] = {
    {HOL_OPTION_NUMBER(gamma), .range = HOL_RANGE_POSITIVE, .fallback = "1/2",
     .help = "at least 1/2; more damps"},
    {HOL_OPTION_NUMBER(beta), .range = HOL_RANGE_POSITIVE, .fallback = "(gamma+1/2)^2/4",
     .help = "at least gamma/2"},
    INDEX3_OPTIONS,
    HOL_OPTION_FORCE,
    {0},
};
static const HolField hht_options[] = {
    HOL_OPTION_ALPHA("-0.1", "0: no damping, -1/3: the most"), INDEX3_OPTIONS, {0}};
static const HolField generalized_alpha_options[] = {HOL_OPTION_RHO, INDEX3_OPTIONS, {0}};

static void hht_map(const HolMethodOptions *o, HolStepMap *out) {
    const double alpha = hol_option_number(hht_options, "alpha", o->alpha);
    index3_map(o, 0, -alpha, 0.5 - alpha, (1 - alpha) * (1 - alpha) / 4, out);
}

static void generalized_alpha_map(const HolMethodOptions *o, HolStepMap *out) {
    const double rho = hol_option_number(generalized_alpha_options, "rho", o->rho);
    const double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1),
                 gamma = 0.5 + alpha_f - alpha_m;
    index3_map(o, alpha_m, alpha_f, gamma, (gamma + 0.5) * (gamma + 0.5) / 4, out);
}

static void index3_keep(HolSim *s, HolKeeper *k) {
    HolIndex3 *m = s->method;
    const int n = s->nv + s->m + s->nw;
    double *by_v[] = {m->A,     m->A_new, m->A_start, m->x,    m->x_new,
                      m->v_hat, m->q_hat, m->a_known, m->theta};
    for (size_t i = 0; i < sizeof by_v / sizeof *by_v; i++)
        HOL_KEEP_ARRAY(k, by_v[i], s->nv);
    HOL_KEEP(k, m->driven);
    HOL_KEEP(k, m->h_last);
    HOL_KEEP(k, m->h_tried);
    HOL_KEEP(k, m->points);
    HOL_KEEP(k, m->time);
    for (int i = 0; i < HOL_INDEX3_POINTS; i++) {
        HOL_KEEP_ARRAY(k, m->u[i], n);
        HOL_KEEP_ARRAY(k, m->table[i], n);
    }
    hol_second_order_keep(s, &m->error, k);
    // (m->kkt is s->implicit, which the run keeps)
    hol_left_out_keep(s, &m->left_out, k);
    HOL_KEEP(k, m->has_jacobian);
    HOL_KEEP(k, m->h_jacobian);
    HOL_KEEP(k, m->rate);
    HOL_KEEP_ARRAY(k, m->predicted, n);
    hol_retraction_keep(s, &m->chart, k);
    HOL_KEEP_ARRAY(k, m->M, s->p->M.nnz);
    HOL_KEEP_ARRAY(k, m->G, s->p->G.nnz);
    HOL_KEEP_ARRAY(k, m->B, s->p->G.nnz);
    HOL_KEEP_ARRAY(k, m->J, 3 * s->nw * s->nv);
    HOL_KEEP_ARRAY(k, m->w_given, s->nw);
    if (m->apart)
        hol_state_keep(s, &m->star, k);
}

const HolStepper hol_stepper_newmark = {
    .name = "newmark",
    .keep = index3_keep,
    .help = "index-3 Newmark; gamma 1/2, beta 1/4 is the trapezoidal rule",
    .options = newmark_options,
    .create = newmark_create,
    .start = index3_start,
    .step = index3_step,
    .accepted = index3_accepted,
    .adaptive = 1,
    .over_kinks = 1,
    .rings = 1,
    .map = newmark_map,
};

const HolStepper hol_stepper_hht = {
    .name = "hht",
    .keep = index3_keep,
    .help = "index-3 HHT (second order, damps high frequencies); alpha in -1/3 .. 0",
    .options = hht_options,
    .create = hht_create,
    .start = index3_start,
    .step = index3_step,
    .accepted = index3_accepted,
    .adaptive = 1,
    .over_kinks = 1,
    .rings = 1,
    .map = hht_map,
};

const HolStepper hol_stepper_generalized_alpha = {
    .name = "generalized-alpha",
    .keep = index3_keep,
    .help = "index-3 generalized-alpha; rho = damping at infinite frequency, 0 .. 1",
    .options = generalized_alpha_options,
    .create = generalized_alpha_create,
    .start = index3_start,
    .step = index3_step,
    .accepted = index3_accepted,
    .adaptive = 1,
    .over_kinks = 1,
    .rings = 1,
    .map = generalized_alpha_map,
};
