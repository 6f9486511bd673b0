// SPDX-License-Identifier: Apache-2.0
// The compiled model as a HolProblem (docs/theory/equations.md, section 2): slots, M, f, g, G and
// the right-hand sides of velocities and accelerations, each a loop over bodies, rows, equations or
// elements.
//     f = m g - (0, omega x J omega) + sum_elements E beta,   E = -k (sigma - s0) - c sigma' + expr
//     g_e = sum_terms c sigma - expr_e - constant_e
// Caches: frames belong to (t, q), row coefficients and value slots follow; rate slots belong to v.
// Frames: kinematics.c; derivatives: derivative.c; Taylor series: series.c; energy and outputs:
// measure.c.
#include "base/thread_pool.h"
#include "math/vec.h"
#include "model/contact/crowd.h"
#include "model/model.h"
#include "model/problem/velocity_law.h"

#include <math.h>
#include <string.h>

static const HolModel *evaluate_model_of(const HolProblem *p) {
    return p->user;
}

void hol_body_velocity(const HolModel *m, int body, const double *v, double out[6]) {
    const HolBody *b = &m->def.bodies[body];
    for (int i = 0; i < b->nv; i++)
        out[i] = v[b->v + i];
    for (int i = b->nv; i < 6; i++)
        out[i] = 0;
}

// ---- rows ----

double (*hol_row_coef(const HolModel *m, HolModelWork *w, int row))[6] {
    const HolRow *r = &m->sys.rows[row];
    double(*c)[6] = w->coef[row];
    if (!w->have_coef[row]) {
        r->kind->coef(r, &w->frames[r->a], &w->frames[r->b], c[0], c[1]);
        w->have_coef[row] = 1;
    }
    return c;
}

double hol_row_expected(const HolModelWork *w, const HolRow *r) {
    const int k = r->memory;
    return k < 0 ? 0 : w->memory[k] + w->memory_rate[k] * (w->t - w->memory_t);
}

double hol_row_value(const HolModel *m, HolModelWork *w, int row) {
    const HolRow *r = &m->sys.rows[row];
    const double expected = hol_row_expected(w, r);
    return r->kind->value(r, &w->frames[r->a], &w->frames[r->b], r->memory >= 0 ? &expected : NULL);
}

// beta . x for a vector x of velocity coordinates
static double row_times(const HolModel *m, HolModelWork *w, int row, const double *x) {
    const HolRow *r = &m->sys.rows[row];
    const HolBody *a = &m->def.bodies[r->a], *b = &m->def.bodies[r->b];
    double(*c)[6] = hol_row_coef(m, w, row), s = 0;
    for (int i = 0; i < a->nv; i++)
        s += c[0][i] * x[a->v + i];
    for (int i = 0; i < b->nv; i++)
        s += c[1][i] * x[b->v + i];
    return s;
}

double hol_row_rate(const HolModel *m, HolModelWork *w, int row) {
    return row_times(m, w, row, w->v);
}

static double row_gamma(const HolModel *m, HolModelWork *w, int row) {
    const HolRow *r = &m->sys.rows[row];
    double va[6], vb[6];
    hol_body_velocity(m, r->a, w->v, va);
    hol_body_velocity(m, r->b, w->v, vb);
    return r->kind->gamma(r, &w->frames[r->a], &w->frames[r->b], va, vb);
}

void hol_row_derivative(const HolModel *m, HolModelWork *w, int row, double s, HolRowDerivative D) {
    const HolRow *r = &m->sys.rows[row];
    memset(D, 0, sizeof(HolRowDerivative));
    r->kind->dcoef(r, &w->frames[r->a], &w->frames[r->b], s, D);
}

// ---- slots ----

void hol_slots_position(const HolModel *m, HolModelWork *w, int n) {
    if (w->have_slots_q >= n)
        return;
    w->slot[0] = w->t;
    for (int i = w->have_slots_q; i < n; i++)
        if (m->sys.slots[i].type == HOL_SLOT_VALUE)
            w->slot[i] = hol_row_value(m, w, m->sys.slots[i].row);
        else if (m->sys.slots[i].type == HOL_SLOT_GIVEN)
            w->slot[i] = w->given[m->sys.slots[i].index];
    w->have_slots_q = n;
}

void hol_slots_velocity(const HolModel *m, HolModelWork *w, int n) {
    if (w->have_slots_v >= n)
        return;
    for (int i = w->have_slots_v; i < n; i++)
        if (m->sys.slots[i].type == HOL_SLOT_RATE)
            w->slot[i] = row_times(m, w, m->sys.slots[i].row, w->v);
    w->have_slots_v = n;
}

double hol_reaction_force(const HolModel *m, HolModelWork *w, int joint, int axis,
                          const double *lambda) {
    const HolJoint *j = &m->def.joints[joint];
    double f = 0;
    for (int i = 0; i < j->n_equations; i++) {
        const HolEquation *e = &m->sys.equations[j->equations[i]];
        for (int k = 0; k < e->n_terms; k++) {
            const HolTerm *t = &m->sys.terms[e->first_term + k];
            double sign;
            int side = hol_reaction_side(j, &m->sys.rows[t->row], &sign);
            if (side >= 0)
                f += sign * lambda[j->equations[i]] * hol_term_coef(m, w, e, k) *
                     hol_row_coef(m, w, t->row)[side][axis];
        }
    }
    return f;
}

void hol_slots_variables(const HolModel *m, HolModelWork *w, int n, const double *a,
                         const double *lambda, const double *vars) {
    for (int i = 0; i < n; i++) {
        const HolSlot *s = &m->sys.slots[i];
        if (s->type == HOL_SLOT_VARIABLE && vars)
            w->slot[i] = m->def.variables[s->index].implicit >= 0
                             ? vars[m->def.variables[s->index].implicit]
                             : 0;
        else if (s->type == HOL_SLOT_ACCELERATION && a)
            w->slot[i] = row_times(m, w, s->row, a) + row_gamma(m, w, s->row);
        else if (s->type == HOL_SLOT_REACTION && lambda)
            w->slot[i] = hol_reaction_force(m, w, s->joint, s->axis, lambda);
        else if (s->type == HOL_SLOT_MULTIPLIER && lambda)
            w->slot[i] = lambda[s->index];
    }
}

void hol_slots_at(const HolProblem *p, HolModelWork *w, double t, const double *q, const double *v,
                  const double *vars) {
    const HolModel *m = p->user;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    hol_slots_position(m, w, m->sys.n_active_slots);
    hol_slots_velocity(m, w, m->sys.n_active_slots);
    if (p->nw)
        hol_slots_variables(m, w, m->sys.n_active_slots, NULL, NULL, vars);
}

// ---- M, f, g, G ----

// entry (row, column) of body b's inertia
static double inertia(const HolModel *m, const HolBody *b, int row, int column) {
    const int linear = hol_body_size(m->space, b->def.type)->linear;
    if (row < 0 || row >= b->nv) // (mass elements couple bodies)
        return 0;
    if (row < linear || column < linear)
        return row == column ? b->def.mass : 0;
    return m->space == HOL_PLANAR ? b->def.inertia[0] : b->J[3 * (row - 3) + column - 3];
}

double hol_body_inertia(const HolModel *m, int body, int k) {
    return inertia(m, &m->def.bodies[body], k, k);
}

static void model_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                       double *S) {
    const HolModel *m = evaluate_model_of(p);
    (void)work;
    if (m->masses.n)
        hol_masses_mass(m, at->q, c, into_S, S);
    for (int e = 0; e < p->M.nnz && !into_S; e++)
        S[e] += c * m->sys.mass[e];
    for (int i = 1; i < m->def.n_bodies && into_S; i++) {
        const HolBody *b = &m->def.bodies[i];
        const int *to = m->sys.body_to + m->sys.body_first[i];
        for (int k = 0; k < b->nv; k++)
            S[to[k]] += c * inertia(m, b, k, k);
        for (int k = 3; b->nv == 6 && k < 6; k++)
            for (int r = 3; r < 6; r++)
                if (r != k)
                    S[to[6 + 3 * (k - 3) + r - 3]] += c * inertia(m, b, r, k);
    }
}

static void add_element(const HolModel *m, HolModelWork *w, const HolElement *e, double *f) {
    double E = 0;
    if (e->k != 0)
        E = -e->k * (hol_row_value(m, w, e->other) - e->s0);
    if (e->c != 0)
        E -= e->c * hol_row_rate(m, w, e->other);
    if (e->expr)
        E += hol_expr_value(e->expr, w->slot, w->expr);
    const HolRow *r = &m->sys.rows[e->row];
    const HolBody *a = &m->def.bodies[r->a], *b = &m->def.bodies[r->b];
    double(*c)[6] = hol_row_coef(m, w, e->row);
    for (int i = 0; i < a->nv; i++)
        f[a->v + i] += E * c[0][i];
    for (int i = 0; i < b->nv; i++)
        f[b->v + i] += E * c[1][i];
}

static void weights_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    const HolModel *m = l->m;
    const double *v = l->v;
    double *f = l->out;
    for (int i = first > 1 ? first : 1; i < end; i++) {
        const HolBody *b = &m->def.bodies[i];
        const HolBodyKind *kind = hol_body_kind(b->def.type);
        const int weighs = kind->placed ? kind->size[m->space == HOL_SPATIAL].linear : 0;
        for (int k = 0; k < b->nv; k++)
            f[b->v + k] = k < weighs ? b->def.mass * m->gravity[k] : 0;
        if (b->nv == 6) {
            Mat3 J;
            memcpy(J.m, b->J, sizeof J.m);
            Vec3 o = v3_load(v + b->v + 3);
            v3_store(f + b->v + 3, v3_cross(m3_mulv(J, o), o));
        }
    }
}

static void model_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    const HolModel *m = evaluate_model_of(p);
    HolModelWork *w = work;
    hol_model_position(m, w, at->t, at->q);
    hol_model_velocity(m, w, at->v);
    hol_pool_loop(w->pool, m->def.n_bodies, weights_loop, &(HolLoop){m, w, at->q, at->v, f});
    hol_springs_force(m, at->q, at->v, f);
    if (m->beams.n)
        hol_beams_force(m, w->frames, at->v, f);
    if (m->masses.n)
        hol_masses_force(m, at->q, at->v, f);
    if (m->touch.n_crowds)
        hol_crowds_force(m, w, at->v, f);
    if (!m->batch.n_loads)
        return;
    hol_slots_position(m, w, m->sys.n_active_slots);
    hol_slots_velocity(m, w, m->sys.n_active_slots);
    if (p->nw)
        hol_slots_variables(m, w, m->sys.n_active_slots, NULL, NULL, at->w);
    for (int i = 0; i < m->batch.n_loads; i++)
        add_element(m, w, &m->sys.elements[m->batch.loads[i]], f);
}

// equations of one kind straight from the frames
typedef struct Direct {
    const HolDirectKind *kind;
    const HolModel *m;
    const HolFrame *frames;
    double *out;
} Direct;

static void direct_constraint_loop(void *context, int first, int end) {
    const Direct *d = context;
    d->kind->constraint(d->m, d->frames, first, end, d->out);
}

static void direct_jacobian_loop(void *context, int first, int end) {
    const Direct *d = context;
    d->kind->jacobian(d->m, d->frames, first, end, d->out);
}

static void evaluate_direct(const HolModel *m, const HolModelWork *w, HolThreadPoolLoop loop,
                            double *out) {
    for (const HolDirectKind *const *kind = hol_direct_kinds; *kind; kind++)
        if ((*kind)->count(m))
            hol_pool_loop(w->pool, (*kind)->count(m), loop, &(Direct){*kind, m, w->frames, out});
}

static void constraints_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    const HolModel *m = l->m;
    HolModelWork *w = l->w;
    for (int k = first; k < end && m->batch.other[k] < m->problem.nh; k++) {
        const int i = m->batch.other[k];
        const HolEquation *e = &m->sys.equations[i];
        double s = e->mode < 0 ? -e->constant : -w->hold[e->mode];
        for (int t = 0; t < e->n_terms; t++)
            s += hol_term_coef(m, w, e, t) *
                 hol_row_value(m, w, m->sys.terms[e->first_term + t].row);
        if (e->expr) {
            hol_slots_position(m, w, m->sys.n_active_slots);
            s -= hol_expr_value(e->expr, w->slot, w->expr);
        }
        l->out[i] = s;
    }
}

static void model_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    const HolModel *m = evaluate_model_of(p);
    HolModelWork *w = work;
    HolLoop l = {m, w, at->q, NULL, g};
    hol_model_position(m, w, at->t, at->q);
    evaluate_direct(m, w, direct_constraint_loop, g);
    hol_pool_loop(m->sys.apart ? w->pool : NULL, m->batch.n_other, constraints_loop, &l);
}

static void evaluate_add_row(const HolModel *m, HolModelWork *w, const HolEquation *e, int row,
                             double s, int la, int lb, double *G) {
    double(*c)[6] = hol_row_coef(m, w, row);
    int at[2] = {la, lb};
    for (int side = 0; side < 2; side++) {
        if (at[side] < 0)
            continue;
        const int *pos = e->pos[at[side]];
        for (int i = 0; i < 6; i++)
            if (pos[i] >= 0)
                G[pos[i]] += s * c[side][i];
    }
}

static void jacobian_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    const HolModel *m = l->m;
    HolModelWork *w = l->w;
    const int *ptr = m->problem.G.ptr;
    for (int g = first; g < end; g++) {
        const int i = m->batch.other[g];
        const HolEquation *e = &m->sys.equations[i];
        double *row = l->out + e->g_start;
        memset(row, 0, sizeof(double) * (size_t)(ptr[i + 1] - ptr[i]));
        for (int k = 0; k < e->n_terms; k++)
            evaluate_add_row(m, w, e, m->sys.terms[e->first_term + k].row,
                             hol_term_coef(m, w, e, k), e->term_a[k], e->term_b[k], row);
        if (e->law)
            hol_law_jacobian(m, w, e, row);
        if (!e->expr)
            continue;
        hol_slots_position(m, w, m->sys.n_active_slots);
        hol_expr_gradient(e->expr, w->slot, w->expr, w->gradient);
        for (int k = 0; k < hol_expr_slot_count(e->expr); k++) {
            const HolSlot *s = &m->sys.slots[hol_expr_slots(e->expr)[k]];
            if (s->type == HOL_SLOT_VALUE)
                evaluate_add_row(m, w, e, s->row, -w->gradient[k], e->slot_a[k], e->slot_b[k], row);
        }
    }
}

static void model_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *G) {
    const HolModel *m = evaluate_model_of(p);
    HolModelWork *w = work;
    HolLoop l = {m, w, at->q, NULL, G};
    hol_model_position(m, w, at->t, at->q);
    evaluate_direct(m, w, direct_jacobian_loop, G);
    hol_pool_loop(m->sys.apart ? w->pool : NULL, m->batch.n_other, jacobian_loop, &l);
}

static void model_velocity_rhs(const HolProblem *p, void *work, const HolPoint *at, double *gt) {
    const HolModel *m = evaluate_model_of(p);
    HolModelWork *w = work;
    memset(gt, 0, sizeof *gt * (size_t)m->sys.n_equations);
    if (m->sys.n_timed || m->sys.n_laws)
        hol_model_position(m, w, at->t, at->q);
    for (int i = m->problem.nh; m->sys.n_laws && i < m->sys.n_equations; i++)
        if (m->sys.equations[i].law)
            gt[i] = hol_law_rest(m, w, &m->sys.equations[i]);
    for (int l = 0; l < m->sys.n_timed; l++) {
        const int i = m->sys.timed[l];
        const HolEquation *e = &m->sys.equations[i];
        hol_slots_position(m, w, m->sys.n_active_slots);
        hol_expr_gradient(e->expr, w->slot, w->expr, w->gradient);
        gt[i] = -w->gradient[0];
    }
}

// what a slot of positions changes by in time
static double slot_rate(const HolModel *m, HolModelWork *w, const HolSlot *s) {
    return s->type == HOL_SLOT_TIME    ? 1
           : s->type == HOL_SLOT_GIVEN ? 0
                                       : row_times(m, w, s->row, w->v);
}

// d^2/dt^2 expr at zero acceleration
static double expr_gamma(const HolModel *m, HolModelWork *w, const HolExpr *e) {
    int n = hol_expr_slot_count(e);
    const int *slots = hol_expr_slots(e);
    double s = 0;
    hol_slots_position(m, w, m->sys.n_active_slots);
    hol_expr_hessian(e, w->slot, w->expr, w->gradient, w->hessian);
    for (int j = 0; j < n; j++) {
        const HolSlot *sj = &m->sys.slots[slots[j]];
        double rate_j = slot_rate(m, w, sj);
        if (sj->type == HOL_SLOT_VALUE)
            s += w->gradient[j] * row_gamma(m, w, sj->row);
        for (int k = 0; k < n; k++) {
            const HolSlot *sk = &m->sys.slots[slots[k]];
            s += w->hessian[j * n + k] * rate_j * slot_rate(m, w, sk);
        }
    }
    return s;
}

static void gamma_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    const HolModel *m = l->m;
    HolModelWork *w = l->w;
    for (int i = first; i < end; i++) {
        const HolEquation *e = &m->sys.equations[i];
        double s = 0;
        for (int k = 0; k < e->n_terms; k++)
            s += hol_term_coef(m, w, e, k) * row_gamma(m, w, m->sys.terms[e->first_term + k].row);
        l->out[i] = e->law ? hol_law_gamma(m, w, e) : e->expr ? s - expr_gamma(m, w, e->expr) : s;
    }
}

static void model_acceleration_rhs(const HolProblem *p, void *work, const HolPoint *at,
                                   double *gamma) {
    const HolModel *m = evaluate_model_of(p);
    HolModelWork *w = work;
    hol_model_position(m, w, at->t, at->q);
    hol_model_velocity(m, w, at->v);
    hol_pool_loop(m->sys.apart ? w->pool : NULL, m->sys.n_equations, gamma_loop,
                  &(HolLoop){m, w, at->q, at->v, gamma});
}

static void accept_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    HolModelWork *w = l->w;
    double *value = w->memory_next, *rate = value + l->m->sys.n_memory;
    for (int k = first; k < end; k++) {
        const int row = l->m->sys.memory_rows[k];
        const HolRow *r = &l->m->sys.rows[row];
        rate[k] = hol_row_rate(l->m, w, row);
        // as if it had rotated at the mean of both rates
        const double change = w->has_rates ? rate[k] - w->memory_rate[k] : 0;
        const double near = hol_row_expected(w, r) + 0.5 * (w->t - w->memory_t) * change;
        value[k] = r->kind->value(r, &w->frames[r->a], &w->frames[r->b], &near);
    }
}

// remember angles so that the next value is unwrapped next to them
static void model_accept(const HolProblem *p, void *work, double t, const double *q,
                         const double *v) {
    const HolModel *m = evaluate_model_of(p);
    HolModelWork *w = work;
    const size_t bytes = sizeof(double) * (size_t)m->sys.n_memory;
    if (m->touch.damped)
        hol_contacts_accept(m, w, t, q, v);
    if (!m->sys.n_memory)
        return;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    hol_pool_loop(w->pool, m->sys.n_memory, accept_loop, &(HolLoop){m, w, q, v, NULL});
    memcpy(w->memory, w->memory_next, bytes);
    memcpy(w->memory_rate, w->memory_next + m->sys.n_memory, bytes);
    w->memory_t = t;
    w->has_rates = 1;
    w->have_slots_q = 0;
}

// how far each angle may lie from where it was expected
static void surprise_loop(void *context, int first, int end) {
    const HolLoop *l = context;
    HolModelWork *w = l->w;
    for (int k = first; k < end; k++) {
        const double rate = hol_row_rate(l->m, w, l->m->sys.memory_rows[k]);
        l->out[k] = 0.5 * fabs((w->t - w->memory_t) * (rate - w->memory_rate[k]));
    }
}

static double model_surprise(const HolProblem *p, void *work, double t, const double *q,
                             const double *v, const char **body) {
    const HolModel *m = evaluate_model_of(p);
    HolModelWork *w = work;
    double most = 0;
    if (!m->sys.n_memory)
        return 0;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    hol_pool_loop(w->pool, m->sys.n_memory, surprise_loop, &(HolLoop){m, w, q, v, w->memory_next});
    for (int k = 0; k < m->sys.n_memory; k++)
        if (w->memory_next[k] > most) {
            const HolRow *r = &m->sys.rows[m->sys.memory_rows[k]];
            most = w->memory_next[k];
            *body = m->def.bodies[r->b ? r->b : r->a].def.name;
        }
    return most;
}

static void model_row_name(const HolProblem *p, int row, char *out, size_t size) {
    snprintf(out, size, "%s", evaluate_model_of(p)->sys.equations[row].owner);
}

static void model_coordinate_name(const HolProblem *p, int i, char *out, size_t size) {
    const HolModel *m = evaluate_model_of(p);
    static const char *const plane[] = {"x", "y", "angle"};
    static const char *const space[] = {
        "x", "y", "z", "rotation about body x", "rotation about body y", "rotation about body z"};
    int b = 1; // the last one that begins there or before
    for (int end = m->def.n_bodies; b + 1 < end;) {
        const int middle = b + (end - b) / 2;
        if (m->def.bodies[middle].v <= i)
            b = middle;
        else
            end = middle;
    }
    snprintf(out, size, "%s.%s", m->def.bodies[b].def.name,
             (m->space == HOL_PLANAR ? plane : space)[i - m->def.bodies[b].v]);
}

static void model_part(const HolProblem *p, int i, const double *q, int *translation, int *rotation,
                       double orientation[9]) {
    const HolModel *m = evaluate_model_of(p);
    const HolBody *b = &m->def.bodies[i + 1];
    const int plane = m->space == HOL_PLANAR;
    *translation = hol_body_placed(&b->def) ? b->v : -1;
    *rotation = hol_body_turns(&b->def) ? b->v + hol_body_size(m->space, b->def.type)->linear : -1;
    memset(orientation, 0, sizeof(double) * 9);
    orientation[0] = orientation[4] = orientation[8] = 1;
    if (*rotation >= 0 && !plane) {
        const Mat3 A = q_matrix(q_load(q + b->q + 3));
        memcpy(orientation, &A, sizeof(double) * 9);
    }
}

// ---- memory ----

typedef struct Carved {
    char *base; // NULL: it is only measured
    size_t used;
} Carved;

static void *evaluate_carve(Carved *at, size_t bytes) {
    void *p = at->base ? at->base + at->used : NULL;
    at->used += (bytes + 63) / 64 * 64;
    return p;
}

// lays out the work; with base NULL only measures
static size_t evaluate_layout(const HolModel *m, char *base, HolModelWork *fill) {
    HolModelWork w = {0};
    Carved at = {.base = base};
    size_t d = sizeof(double), ms = (size_t)m->sys.max_slots + 1;
    evaluate_carve(&at, sizeof(HolModelWork));
    w.q = evaluate_carve(&at, d * (size_t)(m->problem.nq + 1));
    w.v = evaluate_carve(&at, d * (size_t)(m->problem.nv + 1));
    w.frames = evaluate_carve(&at, sizeof(HolFrame) * (size_t)m->def.n_bodies);
    w.memory = evaluate_carve(&at, d * (size_t)(m->sys.n_memory + 1));
    w.memory_rate = evaluate_carve(&at, d * (size_t)(m->sys.n_memory + 1));
    w.memory_next = evaluate_carve(&at, d * (size_t)(2 * m->sys.n_memory + 1));
    w.slot = evaluate_carve(&at, d * (size_t)(m->sys.n_slots + 1));
    w.coef = evaluate_carve(&at, sizeof(double[2][6]) * (size_t)(m->sys.n_rows + 1));
    w.have_coef = evaluate_carve(&at, (size_t)m->sys.n_rows + 1);
    w.expr = evaluate_carve(&at, d * (m->sys.expr_work + 1));
    w.gradient = evaluate_carve(&at, d * ms);
    w.hessian = evaluate_carve(&at, d * ms * ms);
    w.given = evaluate_carve(&at, d * (size_t)(m->def.n_given + 1));
    w.hold = evaluate_carve(&at, d * (size_t)(m->sys.n_modes + 1));
    w.closed = evaluate_carve(&at, (size_t)m->sys.n_modes + 1);
    w.turned = evaluate_carve(&at, d * (size_t)(2 * m->sys.n_turns + 1));
    w.outside = evaluate_carve(&at, (size_t)m->sys.n_lookups + 1);
    w.crowds = evaluate_carve(&at, hol_crowds_work_size(m));
    if (fill)
        *fill = w;
    return at.used;
}

static HolStatus model_work_init(const HolProblem *p, void *work) {
    const HolModel *m = evaluate_model_of(p);
    HolModelWork w;
    size_t used = evaluate_layout(m, work, &w);
    for (int i = 0; i < m->def.n_bodies; i++)
        hol_initial_frame(m, i, &w.frames[i]);
    HolFrame *ground = &w.frames[0];
    memset(ground->r, 0, sizeof ground->r);
    for (int i = 0; i < m->sys.n_rows; i++)
        if (m->sys.rows[i].memory >= 0)
            w.memory[m->sys.rows[i].memory] = hol_row_initial(m, &m->sys.rows[i]);
    for (int i = 0; i < m->def.n_given; i++)
        w.given[i] = m->def.given[i].initial;
    *(HolModelWork *)work = w;
    hol_jets_memory(m, work, (char *)work + used, HOL_JET_DEFAULT);
    return HOL_OK;
}

size_t hol_model_work_size(const HolModel *m) {
    return evaluate_layout(m, NULL, NULL);
}

static void model_share(const HolProblem *p, void *work, HolThreadPool *pool) {
    (void)p;
    ((HolModelWork *)work)->pool = pool;
}

static void find_mass(HolModel *m) {
    const HolPattern *M = &m->problem.M;
    for (int i = 1; i < m->def.n_bodies; i++) {
        const HolBody *b = &m->def.bodies[i];
        const HolBodyKind *kind = hol_body_kind(b->def.type);
        m->sys.weight[i] = kind->placed ? b->def.mass : 0;
        m->sys.places[i] = (HolPlace){b->q,
                                      b->v,
                                      (unsigned char)b->nv,
                                      (unsigned char)b->def.type,
                                      (unsigned char)kind->placed,
                                      (unsigned char)kind->turns};
    }
    for (int i = 1; i < m->def.n_bodies; i++)
        for (int v = m->def.bodies[i].v; v < m->def.bodies[i].v + m->def.bodies[i].nv; v++)
            for (int e = M->ptr[v]; e < M->ptr[v + 1]; e++)
                m->sys.mass[e] = inertia(m, &m->def.bodies[i], M->idx[e] - m->def.bodies[i].v,
                                         v - m->def.bodies[i].v);
}

void hol_problem_setup(HolModel *m) {
    HolProblem *p = &m->problem;
    *p = (HolProblem){.size = sizeof *p, .nq = p->nq, .nv = p->nv, .M = p->M, .S = p->S, .G = p->G};
    p->user = m;
    p->extras = &m->extras;
    p->constant_mass = !m->masses.n;
    p->symmetric_mass = 1;
    find_mass(m);
    p->nh = p->nn = 0;
    for (int i = 0; i < m->sys.n_equations; i++)
        *(m->sys.equations[i].holonomic ? &p->nh : &p->nn) += 1;
    p->nw = m->sys.nw;
    p->work_size = evaluate_layout(m, NULL, NULL) + hol_jets_size(m, HOL_JET_DEFAULT);
    p->work_init = model_work_init;
    m->extras.share = model_share;
    m->extras.keep = hol_model_run_keep;
    m->extras.n_hidden = m->def.n_hidden;
    m->extras.n_states = m->def.n_states;
    m->extras.states = m->sys.states;
    m->extras.n_modes = m->sys.n_modes;
    m->extras.n_forces = m->sys.n_elements + m->beams.n_elements + m->modals.n + m->touch.n_crowds;
    m->extras.n_parts = hol_visible_bodies(m) - 1;
    m->extras.dimensions = m->space == HOL_PLANAR ? 2 : 3;
    m->extras.part = model_part;
    hol_kinematics_functions(m);
    m->extras.tangents = p->nw ? NULL : hol_model_tangents;
    p->mass = model_mass;
    p->force = model_force;
    p->constraint = model_constraint;
    p->jacobian = model_jacobian;
    p->velocity_rhs = model_velocity_rhs;
    p->acceleration_rhs = model_acceleration_rhs;
    p->tangent = hol_model_tangent;
    p->velocity_jacobian = hol_model_velocity_jacobian;
    p->variables = p->nw ? hol_model_variables : NULL;
    m->extras.accept = model_accept;
    m->extras.surprise = m->sys.n_memory ? model_surprise : NULL;
    p->energy = hol_model_energy;
    p->has_power = m->sys.has_power;
    p->row_name = model_row_name;
    p->coordinate_name = model_coordinate_name;
    m->extras.check_faults = hol_model_may_fail(m);
    m->extras.fault = hol_model_fault;
    m->extras.drive_end = hol_model_drive_end;
    hol_limits_functions(m);
    hol_jets_functions(m);
    hol_crowds_functions(m);
}

const HolProblem *hol_model_problem(const HolModel *m) {
    return m && m->frozen ? &m->problem : NULL;
}

void hol_model_initial(const HolModel *m, double *q, double *v, double *weight_q,
                       double *weight_v) {
    for (int i = 1; m && m->frozen && i < m->def.n_bodies; i++) {
        const HolBody *b = &m->def.bodies[i];
        const HolBodyDef *d = &b->def;
        const int linear = hol_body_size(m->space, d->type)->linear;
        hol_body_kind(d->type)->start(m->space, d, q + b->q, v + b->v);
        for (int k = 0; k < b->nv; k++) {
            int exact_q = k < linear ? HOL_EXACT_POSITION : HOL_EXACT_ANGLE;
            int exact_v = k < linear ? HOL_EXACT_VELOCITY : HOL_EXACT_OMEGA;
            if (weight_q)
                weight_q[b->v + k] = d->exact & exact_q ? 1e6 : 1;
            if (weight_v)
                weight_v[b->v + k] = d->exact & exact_v ? 1e6 : 1;
        }
    }
    if (m && m->frozen && m->start_q) {
        memcpy(q, m->start_q, sizeof *q * (size_t)m->problem.nq);
        memcpy(v, m->start_v, sizeof *v * (size_t)m->problem.nv);
    }
}
