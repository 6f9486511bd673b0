// SPDX-License-Identifier: Apache-2.0
// rk3, rk4, rk853: explicit Runge-Kutta methods on the index-1 equations with projection (rk.h;
// docs/methods/rk.md).
//
// projection: joints (rk_tree.c), none (the constraints drift), position, full (q, then v;
// default), in the metric of the mass matrix or metric: euclid (least change of the coordinates).
// The accelerations at the projected state are the first stage of the next step. Work of
// non-conservative forces is integrated with the method's own weights.
// Error: estimates of q and v in the scales of the error test (error_test.c); rk853 combines its
// two as e5^2 / sqrt(e5^2 + e3^2/100). rk853 has dense output of order 7, on which kinks of the
// forces are searched too.
#include "solve/method/rk/rk.h"
#include "solve/constraint/project.h"
#include "solve/linear/step_map.h"
#include "solve/method_options.h"
#include "solve/run/control.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- tuning constants ----
static const double FIRST = 0.1;       // error constant for the first step,
static const double FIRST_STEPS = 100; // which is at most the span over this
static const double THIRD = 0.01;      // weight of the square of rk853's estimate of order 3

// ---- creation ----

enum { RK_POSITION = 1, RK_VELOCITY = 2 };

static const HolWord projection_words[] = {{"none", 0, NULL},
                                           {"position", RK_POSITION, NULL},
                                           {"full", RK_POSITION | RK_VELOCITY, NULL},
                                           {"joints", 0, NULL},
                                           {0}};

static void rk_read_projection(const HolSim *s, HolRungeKutta *m) {
    int levels = RK_POSITION | RK_VELOCITY;
    hol_word_value(projection_words, s->o.method.projection, &levels);
    m->position = (levels & RK_POSITION) != 0;
    m->velocity = (levels & RK_VELOCITY) != 0;
}

static void make_euclid(HolSim *s, HolRungeKutta *m) {
    int *diagonal = HOL_NEW(&s->arena, int, s->nv + 1);
    if (!diagonal)
        return;
    for (int i = 0; i <= s->nv; i++)
        diagonal[i] = i;
    HolPattern I = {.rows = s->nv, .cols = s->nv, .nnz = s->nv, .ptr = diagonal, .idx = diagonal};
    m->euclid = hol_sim_kkt(s, &I, &s->p->G, 0, 1, s->o.linear_solver);
    if (!m->euclid)
        s->arena.failed = 1;
}

static HolStatus rk_create(HolSim *s, const HolRkTableau *table, HolError *err) {
    HolArena *a = &s->arena;
    if (!strcmp(s->o.method.projection, "joints"))
        return hol_rk_tree_create(s, table, err);
    HolRungeKutta *m = HOL_NEW(a, HolRungeKutta, 1);
    if (!m)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->method = m;
    m->table = table;
    rk_read_projection(s, m);
    const int dense = table == &hol_rk853;
    hol_rk_create(s, &m->w, dense ? HOL_RK_STAGES : table->estimate);
    m->x = HOL_NEW(a, double, s->nv + s->m);
    m->error_q = HOL_NEW(a, double, s->nq);
    m->moved = HOL_NEW(a, double, s->nv);
    for (int i = 0; dense && i < 7; i++) {
        m->cq[i] = HOL_NEW(a, double, s->nq);
        m->cv[i] = HOL_NEW(a, double, s->nv);
    }
    if (s->m && !strcmp(s->o.method.metric, "euclid"))
        make_euclid(s, m);
    return a->failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

static HolStatus rk_create3(HolSim *s, HolError *err) {
    return rk_create(s, &hol_rk3, err);
}

static HolStatus rk_create4(HolSim *s, HolError *err) {
    return rk_create(s, &hol_rk4, err);
}

static HolStatus create853(HolSim *s, HolError *err) {
    return rk_create(s, &hol_rk853, err);
}

static void rk_destroy(HolSim *s) {
    const HolRungeKutta *m = s->method;
    if (m->euclid)
        hol_kkt_destroy(m->euclid);
}

static HolStatus rk_start(HolSim *s, HolError *err) {
    HolRungeKutta *m = s->method;
    (void)err;
    m->have_stages = m->have_dense = 0;
    if (m->euclid)
        hol_kkt_set_redundant(m->euclid, s->redundant);
    // the first guess of the driver is made for third order: here the tolerance acts by its root
    if (!(s->o.step > 0) && !(s->h > 0) && m->table->order > 4)
        s->h = fmin(hol_first_step(s, FIRST, sqrt(s->o.tolerance)),
                    fabs(s->o.end - s->x.t) / FIRST_STEPS);
    return HOL_OK;
}

// ---- projection ----

static HolStatus factor_euclid(HolSim *s, HolRungeKutta *m, const HolState *x, int positions,
                               HolError *err) {
    double *I = hol_kkt_S(m->euclid);
    for (int i = 0; i < s->nv; i++)
        I[i] = 1;
    s->p->jacobian(s->p, s->work, HOL_AT(x), hol_kkt_G(m->euclid));
    hol_kkt_inactive(m->euclid, positions ? s->nonholonomic : NULL);
    const int bad = hol_kkt_factor(m->euclid);
    return bad ? hol_singular_error(s, x->t, bad, err) : HOL_OK;
}

// Newton with the least change of the coordinates in every iteration
static HolStatus position_euclid(HolSim *s, HolRungeKutta *m, HolState *x, HolError *err) {
    const HolProblem *p = s->p;
    const double tiny = 4 * DBL_EPSILON * s->test->grain;
    double size = INFINITY;
    for (int n = 0; n < 20; n++) {
        memset(m->x, 0, (size_t)(s->nv + s->m) * sizeof *m->x);
        p->constraint(p, s->work, HOL_AT(x), m->x + s->nv);
        if (hol_norm_rows(s, m->x + s->nv, s->nh) <= tiny / 8 || size <= tiny)
            return HOL_OK;
        for (int i = 0; i < s->nh; i++)
            m->x[s->nv + i] = -m->x[s->nv + i];
        HolStatus status = factor_euclid(s, m, x, 1, err);
        if (status != HOL_OK)
            return status;
        hol_kkt_solve(m->euclid, m->x);
        p->retract(p, s->work, x->q, m->x, x->q);
        size = hol_norm_near(s, m->x);
    }
    return hol_error_set(err, HOL_ERR_CONVERGE,
                         "at time %.10g the positions do not come back onto the constraints", x->t);
}

static HolStatus velocity_euclid(HolSim *s, HolRungeKutta *m, HolState *x, HolError *err) {
    HolStatus status = factor_euclid(s, m, x, 0, err);
    for (int pass = 0; status == HOL_OK && pass < 2; pass++) {
        memset(m->x, 0, (size_t)s->nv * sizeof *m->x);
        s->p->velocity_rhs(s->p, s->work, HOL_AT(x), m->x + s->nv);
        hol_mul_rows(&s->p->G, hol_kkt_G(m->euclid), x->v, 1, m->x + s->nv);
        for (int i = 0; i < s->m; i++)
            m->x[s->nv + i] = -m->x[s->nv + i];
        hol_kkt_solve(m->euclid, m->x);
        for (int i = 0; i < s->nv; i++)
            x->v[i] += m->x[i];
    }
    return status;
}

// s->next onto the constraints as asked, and its accelerations
static HolStatus rk_finish(HolSim *s, HolRungeKutta *m, HolError *err) {
    HolState *x = &s->next;
    HolStatus status = HOL_OK;
    int factored = 0;
    if (s->m && m->euclid) {
        if (m->position && s->nh)
            status = position_euclid(s, m, x, err);
        if (status == HOL_OK && m->velocity)
            status = velocity_euclid(s, m, x, err);
    } else if (s->m) {
        if (m->position) {
            status = hol_project_position(s, x->t, x->q, 1, err);
            factored = 1;
        }
        if (status == HOL_OK && m->velocity)
            status = hol_project_velocity(s, x->t, x->q, x->v, err);
    }
    return status == HOL_OK ? hol_accelerate(s, x, factored, err) : status;
}

// ---- error ----

// size of h sum e_i k_i over the scales of q and v
static double error_size(HolSim *s, HolRungeKutta *m, double h, const double *e, int stages) {
    for (int k = 0; k < s->nq; k++) {
        double d = 0;
        for (int i = 0; i < stages; i++)
            d += e[i] * m->w.kq[i][k];
        m->error_q[k] = s->plain ? h * d : s->next.q[k] - h * d;
    }
    const double *dq = m->error_q;
    if (!s->plain) {
        s->p->minus(s->p, s->work, s->next.q, m->error_q, m->moved);
        dq = m->moved;
    }
    for (int k = 0; k < s->nv; k++) {
        double d = 0;
        for (int i = 0; i < stages; i++)
            d += e[i] * m->w.kv[i][k];
        m->x[k] = h * d;
    }
    return hol_larger(hol_norm_q(s, dq), hol_norm_v(s, m->x));
}

// (embedded formulas of lower order overstate the error: more than the tolerance's share of it)
static double rk_estimate(HolSim *s, HolRungeKutta *m, double h) {
    const HolRkTableau *t = m->table;
    hol_error_test_candidate(s, &s->next);
    const double e = error_size(s, m, h, t->e, t->estimate),
                 limit = hol_error_limit(s, h, t->share);
    if (t != &hol_rk853)
        return e / limit;
    const double e3 = error_size(s, m, h, t->e3, t->estimate), sum = sqrt(e * e + THIRD * e3 * e3);
    return sum > 0 ? e * e / sum / limit : 0;
}

// ---- steps ----

static HolStatus try_step(HolSim *s, HolRungeKutta *m, double h, HolStepResult *result,
                          HolError *err) {
    const HolRkTableau *t = m->table;
    const int adaptive = !(s->o.step > 0);
    hol_rk_first(s, &m->w, &s->x);
    HolStatus status =
        hol_rk_stages(s, &m->w, t, &s->x, h, 1, adaptive ? t->estimate : t->stages, err);
    if (status != HOL_OK)
        return status;
    s->next.t = s->x.t + h;
    hol_rk_combine(s, &m->w, &s->x, h, t->b, t->stages, &s->next);
    if (s->nw)
        memcpy(s->next.w, m->w.stage.w, (size_t)s->nw * sizeof(double));
    result->exponent = t->exponent;
    if (adaptive)
        result->error = rk_estimate(s, m, h);
    // (the search for kinks needs its accelerations)
    if (result->error > 1 && isfinite(result->error) && s->p->extras->n_switches)
        return hol_accelerate(s, &s->next, 0, err);
    if (result->error > 1 || !isfinite(result->error))
        return HOL_OK;
    result->has_work = 1;
    result->work = 0;
    for (int i = 0; i < t->stages; i++)
        result->work += h * t->b[i] * m->w.power[i];
    return rk_finish(s, m, err);
}

static HolStatus rk_step(HolSim *s, double h, HolStepResult *result, HolError *err) {
    HolRungeKutta *m = s->method;
    m->have_stages = m->have_dense = 0;
    return try_step(s, m, h, result, err);
}

static void rk_accepted(HolSim *s) {
    HolRungeKutta *m = s->method;
    m->have_stages = 1;
    m->have_dense = 0;
}

// sum of b^T A^(k-1) 1 z^k
static void rk_map_of(const HolRkTableau *t, HolStepMap *out) {
    double e[HOL_RK_STAGES], next[HOL_RK_STAGES];
    out->kind = HOL_MAP_RATIONAL;
    out->num[0] = 1;
    out->n_num = t->stages + 1;
    for (int i = 0; i < t->stages; i++)
        e[i] = 1;
    for (int k = 1; k <= t->stages; k++) {
        for (int i = 0; i < t->stages; i++) {
            out->num[k] += t->b[i] * e[i];
            next[i] = 0;
            for (int j = 0; j < i; j++)
                next[i] += t->a[i][j] * e[j];
        }
        memcpy(e, next, sizeof e);
    }
}

static void rk_map3(const HolMethodOptions *o, HolStepMap *out) {
    (void)o;
    rk_map_of(&hol_rk3, out);
}

static void rk_map4(const HolMethodOptions *o, HolStepMap *out) {
    (void)o;
    rk_map_of(&hol_rk4, out);
}

static void rk_map853(const HolMethodOptions *o, HolStepMap *out) {
    (void)o;
    rk_map_of(&hol_rk853, out);
}

static const HolField rk_options[] = {
    {HOL_OPTION_WORD(projection), .words = projection_words, .fallback = "full",
     .help = "constraint levels restored after each step; joints: rk3 and rk4 in the joint angles "
             "of an open tree of hinges"},
    HOL_OPTION_METRIC,
    {0},
};

static void rk_keep(HolSim *s, HolKeeper *k) {
    HolRungeKutta *m = s->method;
    hol_rk_keep(s, &m->w, k);
    if (m->euclid)
        hol_kkt_keep(m->euclid, k);
    HOL_KEEP(k, m->have_stages);
    HOL_KEEP(k, m->have_dense);
    for (int i = 0; i < 7; i++) {
        HOL_KEEP_ARRAY(k, m->cq[i], s->nq);
        HOL_KEEP_ARRAY(k, m->cv[i], s->nv);
    }
}

const HolStepper hol_stepper_rk3 = {
    .name = "rk3",
    .keep = rk_keep,
    .help = "Kutta's third-order Runge-Kutta method on the index-1 equations, with projection",
    .options = rk_options,
    .create = rk_create3,
    .start = rk_start,
    .step = rk_step,
    .accepted = rk_accepted,
    .adaptive = 1,
    .over_kinks = 1,
    .closes = 1,
    .destroy = rk_destroy,
    .map = rk_map3,
};

const HolStepper hol_stepper_rk4 = {
    .name = "rk4",
    .keep = rk_keep,
    .help = "classical fourth-order Runge-Kutta method on the index-1 equations, with projection",
    .options = rk_options,
    .create = rk_create4,
    .start = rk_start,
    .step = rk_step,
    .accepted = rk_accepted,
    .adaptive = 1,
    .over_kinks = 1,
    .closes = 1,
    .destroy = rk_destroy,
    .map = rk_map4,
};

const HolStepper hol_stepper_rk853 = {
    .name = "rk853",
    .keep = rk_keep,
    .help = "Dormand-Prince 8(5,3) with projection and dense output: smooth models with kinks",
    .options = rk_options,
    .create = create853,
    .start = rk_start,
    .step = rk_step,
    .accepted = rk_accepted,
    .dense = hol_rk_dense,
    .inside = hol_rk_inside,
    .adaptive = 1,
    .over_kinks = 1,
    .closes = 1,
    .destroy = rk_destroy,
    .map = rk_map853,
};
