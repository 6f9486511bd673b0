// SPDX-License-Identifier: Apache-2.0
// Method `tangent`: integration in the tangent space of the constraints, in saddle-point form
// (docs/theory/tangent.md, section 9). The residual of a formula for q1 and v1 may only lie in
// range(M^-1 G1^T), and all three constraint levels hold at the end of every step. Schemes:
//   hermite     q^ = q0 + h/2 (q0'+q1') + h^2/12 (q0''-q1''), the same for v: order 4, A-stable
//   jfg         q^ = q0 + h q0' + h^2 (5 q0'' + q1'')/12 + h^3/12 q0''': order 4, h omega < sqrt 6
//   obreshkov3  y^ = y0 + h/3 y0' + 2h/3 y1' - h^2/6 y1'': order 3, L-stable
//   newmark     gamma, beta; fox-goodwin (beta 1/12), linear-acceleration (1/6), trapezoidal (1/4)
//   hht, generalized-alpha   Newmark with accelerations of another instant (tangent_formula.c)
// Stiff transients at the start of a fixed-step run: the first step is divided geometrically. With
// error control obreshkov3 takes the first steps of a stiff motion: it damps transients that
// hermite and jfg would carry along.
#include "solve/method/tangent/tangent.h"
#include "solve/run/error_test.h"

#include <math.h>
#include <string.h>

enum { DAMPED_STEPS = 4 };

static HolStatus choose_options(HolSim *s, Tangent *m, HolError *err) {
    const HolMethodOptions *o = &s->o.method;
    HolStatus status = hol_tangent_choose(o, m, err);
    if (status)
        return status;
    m->chosen = m->f;
    m->euclid = !strcmp(o->metric, "euclid");
    return HOL_OK;
}

// ---- memory ----

static void tangent_make_node(HolSim *s, TangentNode *node, int with_state) {
    if (with_state)
        hol_state_alloc(s, &node->x);
    node->j = HOL_NEW(&s->arena, double, s->nv + 1);
    node->ld = HOL_NEW(&s->arena, double, s->m + 1);
    node->s = HOL_NEW(&s->arena, double, s->nv + 1);
}

static void make_vectors(HolSim *s, Tangent *m) {
    double **by_nv[] = {&m->guess[0], &m->guess[1], &m->v_base, &m->v_hat, &m->v_last, &m->v_guess};
    for (size_t i = 0; i < sizeof by_nv / sizeof *by_nv; i++)
        *by_nv[i] = HOL_NEW(&s->arena, double, s->nv + s->nq + 1);
    m->ev = HOL_NEW(&s->arena, double, s->nv + s->nq + s->m + s->nw + 1);
    m->third = HOL_NEW(&s->arena, double, s->nv + 1);
    m->third_before = HOL_NEW(&s->arena, double, s->nv + 1);
    double **by_nq[] = {&m->q_base, &m->q_hat, &m->qd, &m->qdd};
    for (size_t i = 0; i < sizeof by_nq / sizeof *by_nq; i++)
        *by_nq[i] = HOL_NEW(&s->arena, double, s->nq + 1);
    double **by_m[] = {&m->mu, &m->nu, &m->curvature};
    for (size_t i = 0; i < sizeof by_m / sizeof *by_m; i++)
        *by_m[i] = HOL_NEW(&s->arena, double, s->m + 1);
    double **solved[] = {&m->r, &m->dq, &m->dv, &m->e, &m->change};
    for (size_t i = 0; i < sizeof solved / sizeof *solved; i++)
        *solved[i] = HOL_NEW(&s->arena, double, s->nv + s->nq + s->m + s->nw + 1);
    m->rhs = HOL_NEW(&s->arena, double, s->nv + s->m + 1);
    m->G = m->G_own = HOL_NEW(&s->arena, double, s->p->G.nnz + 1);
    m->M = HOL_NEW(&s->arena, double, s->p->M.nnz + 1);
    tangent_make_node(s, &m->from, 0);
    tangent_make_node(s, &m->to, 0);
    for (int k = 0; k < TANGENT_PAST; k++) // (the newest is s->prev)
        tangent_make_node(s, &m->past[k], k > 0);
    for (int k = 0; k < TANGENT_SUB; k++)
        tangent_make_node(s, &m->sub[k], 1);
}

// Matrices of the position and velocity rows where [M G^T; G 0] itself will not do: another metric,
// non-holonomic rows (no position row), algebraic variables (a border).
static int make_metric(HolSim *s, Tangent *m) {
    m->position = m->velocity = s->mass;
    if (!m->euclid && !s->nn && !s->nw)
        return 1;
    HolPattern S = s->p->M;
    if (m->euclid) {
        int *diagonal = HOL_NEW(&s->arena, int, s->nv + 1);
        if (!diagonal)
            return 0;
        for (int i = 0; i <= s->nv; i++)
            diagonal[i] = i;
        S.nnz = s->nv;
        S.ptr = S.idx = diagonal;
    }
    const char *kind = s->o.linear_solver[0] ? s->o.linear_solver : "auto";
    m->position = hol_sim_kkt(s, &S, &s->p->G, 0, 1, kind);
    if (m->position && s->nn)
        hol_kkt_inactive(m->position, s->nonholonomic);
    if (m->euclid || s->nw)
        m->velocity = s->nn ? hol_sim_kkt(s, &S, &s->p->G, 0, 1, kind) : m->position;
    return m->position && m->velocity;
}

static HolStatus tangent_create(HolSim *s, HolError *err) {
    Tangent *m = HOL_NEW(&s->arena, Tangent, 1);
    if (!m)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolStatus status = choose_options(s, m, err);
    if (status)
        return status;
    make_vectors(s, m);
    if (s->arena.failed || !make_metric(s, m) || !hol_project_prepare(s))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!hol_tangent_reduced_create(s, m))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!hol_tangent_complex_create(s, m) || !hol_tangent_newton_create(s, m))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->method = m;
    return HOL_OK;
}

static void tangent_destroy(HolSim *s) {
    Tangent *m = s->method;
    if (!m)
        return;
    hol_kkt_destroy(m->newton);
    if (m->position != s->mass)
        hol_kkt_destroy(m->position);
    if (m->velocity != s->mass && m->velocity != m->position)
        hol_kkt_destroy(m->velocity);
}

// ---- start ----

static int tangent_fixed_step(const HolSim *s) {
    return s->o.step > 0;
}

// A transient that one step cannot see: the jerk term of the first step dwarfs the others.
static int is_unseen(const HolSim *s, const Tangent *m, double h) {
    const double v = hol_norm_near(s, s->x.v), a = hol_norm_near(s, s->x.a),
                 j = hol_norm_near(s, m->from.j);
    return h * h * h * j > 2 * (h * v + h * h * a) && h * h * h * j > 1e-6;
}

static int needs_grading(const HolSim *s, const Tangent *m) {
    const char *start = s->o.method.start;
    if (!tangent_fixed_step(s) || !strcmp(start, "plain"))
        return 0;
    return !strcmp(start, "graded") || is_unseen(s, m, s->o.step);
}

static HolStatus tangent_start(HolSim *s, HolError *err) {
    Tangent *m = s->method;
    if (!hol_tangent_newton_matrix(s, m, s->redundant))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    m->has_back = 0;
    m->third_h = 0;
    m->past[0].x = s->prev;
    m->newton_h = m->pair.h = 0;
    m->from.has_s = m->to.has_s = 0;
    m->pair.sixth = m->pair.saddle && !s->redundant && !tangent_fixed_step(s) &&
                    m->chosen.order == 4 && hol_has_jets(s->p) && s->p->extras->series_max >= 2;
    m->reduced.known = 0;
    m->rate = 0.3;
    m->newton_rate = 0.5;
    m->round_off = 0;
    m->predictor_error = 1;
    m->guess_error[0] = 1;
    m->guess_error[1] = INFINITY;
    m->graded = 0;
    m->damped = m->pair.saddle && !tangent_fixed_step(s) && m->chosen.order == 4 ? DAMPED_STEPS : 0;
    m->last_error = 0;
    m->h_limit = 0;
    m->h_growth = 1.75;
    // Never more than round-off at fixed step. Else much less than the test asks of a step: what
    // the iteration leaves goes into a''' and comes back as an error of velocities
    static const double FINER = 1e-4;
    const double least = m->pair.sixth ? 1e-4 : m->pair.saddle ? 1e-6 : 1e-8;
    m->finest = tangent_fixed_step(s) ? 4e-16 : fmax(4e-16, fmin(1e-11, 1e-7 * s->o.tolerance));
    m->enough = m->finest;
    m->newton_enough =
        tangent_fixed_step(s)
            ? 1e-14
            : fmax(4e-16, FINER * fmin(least, (m->pair.saddle ? 1e-2 : 1e-3) * s->o.tolerance));
    if (m->position != s->mass)
        hol_kkt_set_redundant(m->position, s->redundant);
    if (m->velocity != s->mass)
        hol_kkt_set_redundant(m->velocity, s->redundant);
    if (!m->f.jerk && m->f.lag == 0 &&
        (!tangent_fixed_step(s) || !strcmp(s->o.method.start, "plain")))
        return HOL_OK;
    HolStatus status = hol_accelerate(s, &s->x, 0, err);
    if (!status)
        status = hol_jerk(s, &s->x, m->from.j, m->from.ld, err);
    if (status)
        return status;
    m->graded = needs_grading(s, m);
    if (m->graded)
        hol_note(s, "tangent: the first step was graded (geometrically divided) because the start "
                    "holds a stiff transient; start: plain switches that off");
    return HOL_OK;
}

// ---- step ----

// The vectors stay where they are: nothing may write to those of `from` until it is forgotten.
static void remember(Tangent *m, const TangentNode *from) {
    for (int k = TANGENT_PAST - 1; k > 0; k--)
        m->past[k] = m->past[k - 1];
    m->past[0] = *from;
    m->has_back = m->has_back < TANGENT_PAST ? m->has_back + 1 : TANGENT_PAST;
}

static void copy_node(HolSim *s, TangentNode *to, const TangentNode *from) {
    hol_state_copy(s, &to->x, &from->x);
    memcpy(to->j, from->j, sizeof(double) * (size_t)s->nv);
    memcpy(to->ld, from->ld, sizeof(double) * (size_t)s->m);
}

// Substeps h1, 1.3 h1, 1.3^2 h1, ... that fill one step; h1 resolves the transient |a| / |j|.
static HolStatus graded_step(HolSim *s, Tangent *m, const TangentNode *from, double h,
                             TangentNode *to, double *work, HolError *err) {
    const double ratio = 1.3;
    const double first = fmax(1e-6 * h, fmin(0.05 * h, 0.01 * hol_norm_near(s, from->x.a) /
                                                           (hol_norm_near(s, from->j) + 1e-300)));
    const int count = 1 + (int)ceil(log1p((ratio - 1) * h / first) / log(ratio));
    double substep = h * (ratio - 1) / (pow(ratio, count) - 1), t = from->x.t;
    const double t_start = t;
    TangentNode own[TANGENT_PAST]; // there again for the steps to come
    memcpy(own, m->past, sizeof own);
    copy_node(s, &m->sub[0], from);
    HolStatus status = HOL_OK;
    for (int k = 0; k < count; k++) {
        t += substep;
        TangentNode *a = &m->sub[k % TANGENT_SUB], *b = &m->sub[(k + 1) % TANGENT_SUB];
        const double now = k + 1 == count ? t_start + h - a->x.t : substep;
        status = hol_tangent_solve(s, m, a, now, b, err);
        if (status)
            break;
        remember(m, a);
        *work += hol_work_between(s, &a->x, &b->x);
        substep *= ratio;
    }
    memcpy(m->past, own, sizeof own);
    if (status)
        return status;
    copy_node(s, to, &m->sub[count % TANGENT_SUB]);
    to->x.t = t_start + h;
    return HOL_OK;
}

static HolStatus tangent_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    Tangent *m = s->method;
    *result = (HolStepResult){0};
    m->from.x = s->x;
    m->to.x = s->next;
    HolStatus status;
    // a jerk that means nothing at this step: the accelerations start as they are
    if (m->f.lag != 0 && m->has_back == 0 && !m->graded && is_unseen(s, m, h))
        memset(m->from.j, 0, sizeof(double) * (size_t)s->nv);
    if (m->graded) {
        m->has_back = 0;
        status = graded_step(s, m, &m->from, h, &m->to, &result->work, err);
        result->has_work = HOL_WORK_OF_PARTS;
    } else {
        status = hol_tangent_solve(s, m, &m->from, h, &m->to, err);
    }
    s->next.t = s->x.t + h;
    result->exponent = 1.0 / (m->f.order + 1);
    if (!status && s->m && !s->nw && !m->graded) {
        hol_tangent_residuals(s, m, &s->next, result->residual);
        result->has_residuals = 1;
    }
    if (tangent_fixed_step(s))
        return status;
    if (status) {
        m->h_limit = 0.6 * h;
        m->h_growth = fmax(1.02, 1 + (m->h_growth - 1) / 3);
        return status;
    }
    hol_tangent_error(s, m, h, result);
    // a step size the iteration could not solve is approached again slowly
    if (m->h_limit > 0) {
        m->h_limit *= m->iterations > 4 ? 1.02 : m->h_growth;
        result->h_next = fmin(result->h_next > 0 ? result->h_next : 2 * h, m->h_limit);
    }
    return HOL_OK;
}

static void tangent_accepted(HolSim *s) {
    Tangent *m = s->method;
    const TangentNode forgotten = m->past[TANGENT_PAST - 1];
    m->from.x = s->prev;
    remember(m, &m->from);
    m->last_error = m->error;
    double *const third = m->third_before; // the next step's
    m->third_before = m->third;
    m->third = third;
    m->third_h = m->pair.error > 0 ? 0 : s->x.t - s->prev.t;
    m->damped -= m->damped > 0 && m->stiff;
    hol_tangent_reduced_accepted(s, m);
    // nothing smooth to extrapolate behind a transient
    if (m->graded)
        m->has_back = m->graded = 0;
    // its vectors are the next candidate's; those of s->next hold an earlier end
    m->from = m->to;
    m->to = forgotten;
    s->next = forgotten.x;
}

const HolStepper hol_stepper_tangent = {
    .name = "tangent",
    .keep = hol_tangent_keep,
    .help = "tangent space of the constraints, all three levels at round-off; hermite: order 4",
    .options = hol_tangent_options,
    .create = tangent_create,
    .start = tangent_start,
    .step = tangent_step,
    .accepted = tangent_accepted,
    .dense = hol_tangent_dense,
    .frees_mass = 1,
    .adaptive = 1,
    .closes = 1,
    .over_kinks = 1,
    .quadrature = 3,
    .destroy = tangent_destroy,
    .map = hol_tangent_map,
};
