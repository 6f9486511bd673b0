// SPDX-License-Identifier: Apache-2.0
// central-differences, explicit3, explicit4, explicit5: the conditionally explicit family for
// ordinary equations, velocity-dependent forces and index-3 constraints (explicit.h).
//
// Fixed step, or error-controlled: v, a, j, s are physical derivatives, but the recursion is only
// stable and of its order for equal steps, so that a new step size means a new start from true
// derivatives. Steps therefore stay equal until the estimate asks for another size by a clear
// factor. Estimate: the next Taylor term of the velocity from e = a_n - (a_p + h j_p + h^2/2 s_p),
//   degree 3  e = h a',           error h^2/2 a'    = h e/2
//   degree 4  e = ga h^2 a'',     error h^3/6 a''   = h e/(6 ga)   (right behind a start: /3)
//   degree 5  e = ga/2 h^3 a''',  error h^4/24 a''' = h e/(12 ga)  (right behind a start: /4)
// in the scales of the error test (error_test.c). The true error of a step is one or two powers of
// h smaller; the error at the end is of the estimate's order.
#include "solve/method/explicit/explicit.h"
#include "solve/constraint/project.h"
#include "solve/linear/step_map.h"
#include "solve/method_options.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
enum { ORDER = 5 };                      // of the series that starts and interpolates
static const double SHARE[2] = {100, 4}; // c of the error test, degrees 4 and 5
static const double SAFETY = 0.85;       // part of the step that the estimate allows
static const double GRID = 8;            // ratios of two steps are powers of 2^(1/8)
static const double WORTH = 1.5;         // a longer step is worth a new start from this ratio on,
static const double GROW = 3;            // and grows at most by this one
static const double TOO_LONG = 0.9;      // a shorter step is needed below this ratio,
static const double SHRINK = 0.2;        // and shrinks at most to this one
static const double SAME_STEP = 1e-9;    // relative difference of steps that count as equal

// ---- creation ----

static void alloc_point(HolSim *s, HolExplicitPoint *p) {
    HolArena *a = &s->arena;
    p->v = HOL_NEW(a, double, s->nv);
    p->a = HOL_NEW(a, double, s->nv);
    p->j = HOL_NEW(a, double, s->nv);
    p->s = HOL_NEW(a, double, s->nv);
    p->increment = HOL_NEW(a, double, s->nv);
    p->ahead = HOL_NEW(a, double, s->nq);
}

static void explicit_alloc_method(HolSim *s, HolExplicit *m, HolError *err) {
    HolArena *a = &s->arena;
    const int nv = s->nv;
    alloc_point(s, &m->now);
    alloc_point(s, &m->next);
    hol_state_alloc(s, &m->base);
    hol_state_alloc(s, &m->probe);
    for (int i = 0; i < 3; i++)
        m->derivative[i] = HOL_NEW(a, double, nv);
    for (int i = 0; i < 4; i++)
        m->a_near[i] = HOL_NEW(a, double, nv);
    m->M = HOL_NEW(a, double, s->p->M.nnz);
    m->G = HOL_NEW(a, double, s->p->G.nnz);
    m->Gt = HOL_NEW(a, double, s->p->G.nnz);
    m->residual = HOL_NEW(a, double, nv + s->m + s->nw);
    m->v_row = HOL_NEW(a, double, nv);
    m->unforeseen = HOL_NEW(a, double, nv);
    hol_second_order_create(s, &m->error);
    m->J = HOL_NEW(a, double, 2 * s->nw * nv);
    m->kkt = hol_sim_implicit(s, err);
    if (m->kkt && s->m)
        hol_kkt_Gt(m->kkt);
    hol_explicit_move_create(s);
}

// series up to the third derivative of the accelerations, or differences
static void prepare_jets(HolSim *s, HolExplicit *m) {
    const HolProblem *p = s->p;
    if (m->differences)
        return;
    if (hol_has_jets(p) && p->extras->series_size && p->extras->series_memory) {
        void *memory = hol_arena_alloc(&s->arena, p->extras->series_size(p, ORDER));
        if (memory)
            p->extras->series_memory(p, s->work, memory, ORDER);
    } else if (!hol_has_jets(p) || p->extras->series_max < 3) {
        m->differences = 1;
    }
}

static HolStatus explicit_create(HolSim *s, int degree, HolError *err) {
    HolExplicit *m = HOL_NEW(&s->arena, HolExplicit, 1);
    if (!m)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->method = m;
    HolStatus status = hol_explicit_parameters(s, m, degree, err);
    if (status != HOL_OK)
        return status;
    m->straight = m->limits.order_q <= 2;
    explicit_alloc_method(s, m, err);
    prepare_jets(s, m);
    if (m->differences)
        hol_rk_create(s, &m->rk, 4);
    return s->arena.failed || !m->kkt ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory")
                                      : HOL_OK;
}

static HolStatus create_central(HolSim *s, HolError *err) {
    return explicit_create(s, 2, err);
}

static HolStatus explicit_create3(HolSim *s, HolError *err) {
    return explicit_create(s, 3, err);
}

static HolStatus explicit_create4(HolSim *s, HolError *err) {
    return explicit_create(s, 4, err);
}

static HolStatus create5(HolSim *s, HolError *err) {
    return explicit_create(s, 5, err);
}

// ---- steps ----

static HolStatus explicit_start(HolSim *s, HolError *err) {
    HolExplicit *m = s->method;
    (void)err;
    m->h = m->error.h = 0;
    hol_kkt_set_redundant(m->kkt, s->redundant);
    return HOL_OK;
}

// Change of the accelerations that the formula has no derivative for, but for the round-off that
// comes from constraints on positions, over h^2: that is no error. (Scales of first-order states
// have no position: q is 0.)
static void unforeseen(const HolSim *s, HolExplicit *m, double h) {
    const HolExplicitPoint *p = &m->now;
    const double noise = s->nh ? 16 * DBL_EPSILON * s->test->grain / m->r : 0;
    for (int i = 0; i < s->nv; i++) {
        const double e = m->next.a[i] - p->a[i] - (m->set.degree > 3 ? h * p->j[i] : 0) -
                         (m->set.degree > 4 ? h * h / 2 * p->s[i] : 0);
        const double grain = s->test->q[i] > 0 ? noise / s->test->q[i] : 0;
        m->unforeseen[i] = copysign(fmax(0, fabs(e) - grain), e);
    }
}

// Degree 3: as every method of second order. Beyond: constant h times the unforeseen change is the
// error of a formula of lower degree.
static double explicit_error_of(HolSim *s, HolExplicit *m, double h) {
    const int degree = m->set.degree, fresh = m->fresh == 0 && m->start != HOL_START_STEADY;
    const double *e = m->unforeseen;
    if (degree == 3)
        return hol_second_order_error(s, &m->error, e, 1. / 12, h) /
               hol_error_limit(s, h, hol_second_order_share);
    const double constant = degree == 4 ? (fresh ? 1. / 3 : 1 / (6 * m->set.gamma))
                                        : (fresh ? 1. / 4 : 1 / (12 * m->set.gamma));
    // positions are off by the integral of what velocities are
    return constant * h * fmax(hol_norm_v(s, e), h / (degree - 1) * hol_norm_q(s, e)) /
           hol_error_limit(s, h, SHARE[degree - 4]);
}

static void explicit_estimate(HolSim *s, double h, HolStepResult *result) {
    HolExplicit *m = s->method;
    unforeseen(s, m, h);
    hol_error_test_candidate(s, &s->next);
    result->error = explicit_error_of(s, m, h);
    result->exponent = m->set.degree == 3 ? 1. / 3 : 1. / (m->set.degree - 1);
    // a new size costs a new start: keep this one unless the gain is clear. Eighth roots of powers
    // of two, so that round-off, which the estimate has much of, is no part of the size
    const double best = result->error > 0 ? SAFETY * pow(result->error, -result->exponent) : 2;
    const double factor = isfinite(best) && best > 0 ? exp2(round(GRID * log2(best)) / GRID) : best;
    result->h_next = h;
    if (factor > WORTH && m->fresh >= 2)
        result->h_next = h * fmin(factor, GROW);
    else if (factor < TOO_LONG)
        result->h_next = h * fmax(factor, SHRINK);
}

// v, or v, a and lambda of the state given out onto the constraints; the recursion keeps its own
static HolStatus explicit_project(HolSim *s, HolError *err) {
    const HolExplicit *m = s->method;
    HolState *x = &s->next;
    if (m->projection < HOL_EXPLICIT_VELOCITY || !s->m)
        return HOL_OK;
    HolStatus status = hol_mass_factor(s, x->t, x->q, err);
    if (status == HOL_OK)
        status = hol_project_velocity(s, x->t, x->q, x->v, err);
    if (status == HOL_OK && m->projection == HOL_EXPLICIT_FULL)
        status = hol_accelerate(s, x, 1, err);
    return status;
}

static HolStatus explicit_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    HolExplicit *m = s->method;
    HolStatus status = HOL_OK;
    if (fabs(h - m->h) > SAME_STEP * h)
        status = hol_explicit_begin(s, h, err);
    else
        h = m->h;
    if (status != HOL_OK)
        return status;
    status = hol_explicit_solve(s, h, err);
    if (status != HOL_OK)
        return status;
    if (!(s->o.step > 0))
        explicit_estimate(s, h, result);
    return explicit_project(s, err);
}

static void explicit_accepted(HolSim *s) {
    HolExplicit *m = s->method;
    HolExplicitPoint old = m->now;
    m->now = m->next;
    m->next = old;
    m->fresh++;
    hol_second_order_accept(&m->error, s->x.t - s->prev.t);
}

#define EXPLICIT_NUMBER(key)                                                                       \
    { HOL_OPTION_NUMBER(key), .help = "parameter of the formula; default: the set's" }
#define EXPLICIT_SET(list, first)                                                                  \
    {HOL_OPTION_WORD(set), .words = list, .fallback = first, .help = "named parameter set"},       \
        EXPLICIT_NUMBER(alpha), EXPLICIT_NUMBER(beta)
#define EXPLICIT_PROJECTION                                                                        \
    {                                                                                              \
        HOL_OPTION_WORD(projection), .words = hol_explicit_projection_words,                       \
                                     .help = "constraint levels restored after each step; "        \
                                             "default: the first position only"                    \
    }
#define EXPLICIT_REST                                                                              \
    {HOL_OPTION_NUMBER(beta_out),                                                                  \
     .help = "beta of the velocities that are given out; default: the set's"},                     \
        {HOL_OPTION_WORD(start), .words = hol_explicit_start_words, .fallback = "auto",            \
         .help = "how the first steps are made"},                                                  \
        EXPLICIT_PROJECTION, HOL_OPTION_FORCE

static const HolField central_options[] = {EXPLICIT_PROJECTION, {0}};
static const HolField explicit3_options[] = {
    EXPLICIT_SET(hol_explicit3_words, "o3"), EXPLICIT_REST, {0}};
static const HolField explicit4_options[] = {
    EXPLICIT_SET(hol_explicit4_words, "o4s"), EXPLICIT_NUMBER(gamma), EXPLICIT_REST, {0}};
static const HolField explicit5_options[] = {EXPLICIT_SET(hol_explicit5_words, "o5a"),
                                             EXPLICIT_NUMBER(gamma),
                                             EXPLICIT_NUMBER(zeta),
                                             EXPLICIT_REST,
                                             {0}};

static void central_map(const HolMethodOptions *o, HolStepMap *out) {
    hol_explicit_map(o, 2, out);
}

static void explicit3_map(const HolMethodOptions *o, HolStepMap *out) {
    hol_explicit_map(o, 3, out);
}

static void explicit4_map(const HolMethodOptions *o, HolStepMap *out) {
    hol_explicit_map(o, 4, out);
}

static void explicit5_map(const HolMethodOptions *o, HolStepMap *out) {
    hol_explicit_map(o, 5, out);
}

static void explicit_keep_point(HolSim *s, HolExplicitPoint *p, HolKeeper *k) {
    double *by_v[] = {p->v, p->a, p->j, p->s, p->increment};
    for (size_t i = 0; i < sizeof by_v / sizeof *by_v; i++)
        HOL_KEEP_ARRAY(k, by_v[i], s->nv);
    HOL_KEEP_ARRAY(k, p->ahead, s->nq);
}

static void explicit_keep(HolSim *s, HolKeeper *k) {
    HolExplicit *m = s->method;
    HOL_KEEP(k, m->h);
    HOL_KEEP(k, m->fresh);
    explicit_keep_point(s, &m->now, k);
    explicit_keep_point(s, &m->next, k);
    HOL_KEEP(k, m->c); // (m->kkt is s->implicit, which the run keeps)
    HOL_KEEP(k, m->r);
    HOL_KEEP(k, m->c_row);
    HOL_KEEP(k, m->w_change);
    HOL_KEEP(k, m->smooth);
    for (int i = 0; i < 4; i++)
        HOL_KEEP_ARRAY(k, m->rate[i], s->nv);
    HOL_KEEP_ARRAY(k, m->M, s->p->M.nnz);
    HOL_KEEP_ARRAY(k, m->G, s->p->G.nnz);
    HOL_KEEP_ARRAY(k, m->Gt, s->p->G.nnz);
    HOL_KEEP_ARRAY(k, m->J, 2 * s->nw * s->nv);
    HOL_KEEP_ARRAY(k, m->v_row, s->nv);
    HOL_KEEP_ARRAY(k, m->D, s->nv * m->width);
    HOL_KEEP_ARRAY(k, m->near[0], 2 * s->nq);
    HOL_KEEP_ARRAY(k, m->unforeseen, s->nv);
    hol_second_order_keep(s, &m->error, k);
    hol_state_keep(s, &m->base, k);
    hol_state_keep(s, &m->probe, k);
    for (int i = 0; i < 3; i++)
        HOL_KEEP_ARRAY(k, m->derivative[i], s->nv);
}

const HolStepper hol_stepper_central_differences = {
    .name = "central-differences",
    .keep = explicit_keep,
    .help = "classical central differences, second order; omega h < 2",
    .options = central_options,
    .create = create_central,
    .start = explicit_start,
    .step = explicit_step,
    .accepted = explicit_accepted,
    .adaptive = 1,
    .over_kinks = 1,
    .closes = 1,
    .rings = 1,
    .map = central_map,
};

const HolStepper hol_stepper_explicit3 = {
    .name = "explicit3",
    .keep = explicit_keep,
    .help = "conditionally explicit, degree 3; set o3 (third order, omega h < 1.732), cd, g3_43, "
            "g3_2",
    .options = explicit3_options,
    .create = explicit_create3,
    .start = explicit_start,
    .step = explicit_step,
    .accepted = explicit_accepted,
    .adaptive = 1,
    .over_kinks = 1,
    .closes = 1,
    .rings = 1,
    .map = explicit3_map,
};

const HolStepper hol_stepper_explicit4 = {
    .name = "explicit4",
    .keep = explicit_keep,
    .help =
        "conditionally explicit, degree 4; set o4s (fourth order, omega h < 1.414), o4d (third, "
        "damped, 1.897), g4_14, g4_34, g4_54",
    .options = explicit4_options,
    .create = explicit_create4,
    .start = explicit_start,
    .step = explicit_step,
    .accepted = explicit_accepted,
    .adaptive = 1,
    .over_kinks = 1,
    .closes = 1,
    .rings = 1,
    .map = explicit4_map,
};

const HolStepper hol_stepper_explicit5 = {
    .name = "explicit5",
    .keep = explicit_keep,
    .help =
        "conditionally explicit, degree 5; set o5a (fourth order, omega h < 1.414), o5b and o5c "
        "(1.732), g5_45, g5_1, g5_opt",
    .options = explicit5_options,
    .create = create5,
    .start = explicit_start,
    .step = explicit_step,
    .accepted = explicit_accepted,
    .adaptive = 1,
    .over_kinks = 1,
    .closes = 1,
    .rings = 1,
    .map = explicit5_map,
};
