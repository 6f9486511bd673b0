// SPDX-License-Identifier: Apache-2.0
// Right-hand sides of the Taylor coefficients (series.c has the whole scheme): rows, slots,
// equations, elements and bodies at order k, from all lower orders.
#include "model/problem/series.h"

#include <string.h>

// a partial derivative keeps its series, and that of its product with the multiplier, before its
// work
size_t hol_jet_partial_work(const HolExpr *e, int order) {
    return 2 * (size_t)stride_of(order) + hol_expr_jet_work(e, order);
}

// ---- rows, slots ----

static void row_coef(const HolModel *m, HolModelWork *w, const HolRow *r, int j) {
    double c[2][6];
    int dim = dim_of(m);
    r->kind->jet_coef(r, &w->jet.jets, own_series(w, r), j, c[0], c[1]);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < dim; i++)
            if (r->mask[side] >> i & 1)
                coef_series(w, r, dim, side, i)[j] = c[side][i];
}

// order 0 of an angle is the unwrapped one
static double row_value(HolModelWork *w, const HolRow *r, int j) {
    double value = r->kind->jet_value(r, &w->jet.jets, own_series(w, r), j);
    const double expected = j == 0 ? hol_row_expected(w, r) : 0;
    if (j == 0 && r->memory >= 0)
        value = r->kind->value(r, &w->frames[r->a], &w->frames[r->b], &expected);
    return value_series(w, r)[j] = value;
}

// order k of beta . v from the stored coefficients
double hol_jet_velocity_row(const HolModel *m, HolModelWork *w, const HolRow *r, int first, int k) {
    int dim = dim_of(m), body[2] = {r->a, r->b};
    double s = 0;
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < dim; c++)
            if (r->mask[side] >> c & 1) {
                const double *beta = coef_series(w, r, dim, side, c);
                const int last = r->vary[side] >> c & 1 ? k : 0;
                for (int i = first; i <= last; i++)
                    s += beta[i] * velocity_jet(m, &w->jet.jets, body[side], c, k - i);
            }
    return s;
}

// reaction force on the second body, order k (lambda_k as stored)
static double reaction_jet(const HolModel *m, HolModelWork *w, const HolSlot *slot, int k) {
    const HolJoint *j = &m->def.joints[slot->joint];
    int dim = dim_of(m), L = w->jet.jets.stride;
    double s = 0;
    for (int i = 0; i < j->n_equations; i++) {
        const HolEquation *e = &m->sys.equations[j->equations[i]];
        for (int t = 0; t < e->n_terms; t++) {
            const HolTerm *term = &m->sys.terms[e->first_term + t];
            const HolRow *r = &m->sys.rows[term->row];
            double sign;
            int side = hol_reaction_side(j, r, &sign);
            if (side < 0 || !(r->mask[side] >> slot->axis & 1))
                continue;
            s += sign * hol_term_coef(m, w, e, t) *
                 hol_conv(coef_series(w, r, dim, side, slot->axis),
                          w->jet.lambda + (long)m->sys.lambda_series[j->equations[i]] * L, k);
        }
    }
    return s;
}

// value slots up to order k+2 (the last provisional), rate slots up to k. Where laws switch, order 0
// is what body_series.c found at the start: the same number decides here and in the switching functions
static void slots_stage(const HolModel *m, HolModelWork *w, int k) {
    int L = w->jet.jets.stride;
    const int known = k == 0 && m->extras.n_switches > 0;
    for (int i = 1; i < m->sys.n_active_slots; i++) {
        const HolSlot *s = &m->sys.slots[i];
        double *x = w->jet.slot + (long)i * L;
        if (s->type == HOL_SLOT_GIVEN) {
            x[k] = k == 0 ? w->given[s->index] : 0;
            x[k + 1] = x[k + 2] = 0;
        }
        if (s->type != HOL_SLOT_VALUE && s->type != HOL_SLOT_RATE)
            continue;
        const HolRow *r = &m->sys.rows[s->row];
        if (!r->kind->holonomic) {
            row_coef(m, w, r, k);
            const double rate = hol_jet_velocity_row(m, w, r, 0, k);
            x[k] = known ? x[k] : rate;
            continue;
        }
        if (k == 0)
            row_value(w, r, 0);
        row_value(w, r, k + 1);
        const double *v = value_series(w, r);
        if (s->type == HOL_SLOT_VALUE) {
            x[k] = known ? x[k] : v[k];
            x[k + 1] = v[k + 1];
            x[k + 2] = row_value(w, r, k + 2);
        } else
            x[k] = known ? x[k] : (k + 1) * v[k + 1];
    }
}

// slots known only with the solution: order k of accelerations, reactions, multipliers, variables
static void slots_implicit(const HolModel *m, HolModelWork *w, int k) {
    int L = w->jet.jets.stride;
    for (int i = 1; i < m->sys.n_active_slots; i++) {
        const HolSlot *s = &m->sys.slots[i];
        double *x = w->jet.slot + (long)i * L;
        if (s->type == HOL_SLOT_ACCELERATION) {
            const HolRow *r = &m->sys.rows[s->row];
            double sum = 0;
            int dim = dim_of(m), body[2] = {r->a, r->b};
            row_coef(m, w, r, 0); // constant coefficients
            for (int side = 0; side < 2; side++)
                for (int c = 0; c < dim; c++)
                    if (r->mask[side] >> c & 1)
                        sum += coef_series(w, r, dim, side, c)[0] * (k + 1) *
                               velocity_jet(m, &w->jet.jets, body[side], c, k + 1);
            x[k] = sum;
        } else if (s->type == HOL_SLOT_REACTION)
            x[k] = reaction_jet(m, w, s, k);
        else if (s->type == HOL_SLOT_MULTIPLIER)
            x[k] = w->jet.orders[(long)k * m->sys.n_equations + s->index];
        else if (s->type == HOL_SLOT_VARIABLE && m->def.variables[s->index].implicit >= 0)
            x[k] = w->jet.w[(long)m->def.variables[s->index].implicit * L + k];
    }
}

// ---- right-hand side ----

// rhs += s sum_{i=first..k} beta_i x_{k-i}
static void add_row_product(const HolModel *m, HolModelWork *w, const HolRow *r, double s,
                            const double *x, int first, int k, double *rhs) {
    int dim = dim_of(m), body[2] = {r->a, r->b};
    for (int side = 0; side < 2; side++) {
        unsigned mask = first > 0 ? r->vary[side] : r->mask[side];
        for (int c = 0; mask; c++, mask >>= 1) {
            if (!(mask & 1))
                continue;
            const double *beta = coef_series(w, r, dim, side, c);
            double sum = 0;
            if (r->vary[side] >> c & 1)
                for (int i = first; i <= k; i++)
                    sum += beta[i] * x[k - i];
            else
                sum = beta[0] * x[k];
            rhs[m->def.bodies[body[side]].v + c] += s * sum;
        }
    }
}

// g_{k+2} with v_{k+1} = 0, and -sum_{i>=1} G_i^T lambda_{k-i} into rhs
static double plain_equation(const HolModel *m, HolModelWork *w, const HolEquation *e,
                             const double *lambda, int k, double *rhs) {
    double g = 0;
    for (int t = 0; t < e->n_terms; t++) {
        const HolTerm *term = &m->sys.terms[e->first_term + t];
        const HolRow *r = &m->sys.rows[term->row];
        if (k == 0) {
            row_value(w, r, 0);
            row_value(w, r, 1);
        }
        const double coef = hol_term_coef(m, w, e, t);
        g += coef * row_value(w, r, k + 2);
        row_coef(m, w, r, k);
        add_row_product(m, w, r, -coef, lambda, 1, k, rhs);
    }
    return g;
}

static double velocity_equation(const HolModel *m, HolModelWork *w, const HolEquation *e,
                                const double *lambda, int k, double *rhs) {
    double s = 0;
    for (int t = 0; t < e->n_terms; t++) {
        const HolTerm *term = &m->sys.terms[e->first_term + t];
        const HolRow *r = &m->sys.rows[term->row];
        if (k == 0)
            row_coef(m, w, r, 0);
        row_coef(m, w, r, k + 1);
        const double coef = hol_term_coef(m, w, e, t);
        s += coef * hol_jet_velocity_row(m, w, r, 1, k + 1);
        add_row_product(m, w, r, -coef, lambda, 1, k, rhs);
    }
    return s;
}

// the expression part of an equation: its order k+2, and +sum_{i>=1} (e_j beta_j)_i lambda_{k-i}
// into rhs
static double expression_part(const HolModel *m, HolModelWork *w, const HolEquation *e,
                              const double *lambda, int k, double **memory, double *rhs) {
    int L = w->jet.jets.stride, n = hol_expr_slot_count(e->expr), order = w->jet.jets.order + 2;
    const int *slots = hol_expr_slots(e->expr);
    for (int j = k == 0 ? 0 : k + 1; j <= k + 1; j++)
        hol_expr_jet(e->expr, w->jet.slot, (size_t)L, j, *memory);
    double g = hol_expr_jet(e->expr, w->jet.slot, (size_t)L, k + 2, *memory);
    *memory += hol_expr_jet_work(e->expr, order);
    for (int s = 0; s < n; s++) {
        if (!e->partial[s])
            continue;
        // y = e_j lambda as a series, then times beta_j. lambda_k is unknown and stands as 0, so
        // y_k lacks e_0 lambda_k, which the matrix has; y_{k-1} is completed now.
        double *ej = *memory, *y = ej + stride_of(order);
        const HolRow *r = &m->sys.rows[m->sys.slots[slots[s]].row];
        ej[k] = hol_expr_jet(e->partial[s], w->jet.slot, (size_t)L, k, y + stride_of(order));
        *memory += hol_jet_partial_work(e->partial[s], order);
        for (int j = k > 0 ? k - 1 : 0; j <= k; j++)
            y[j] = hol_conv(ej, lambda, j);
        row_coef(m, w, r, k);
        add_row_product(m, w, r, 1, y, 0, k, rhs);
    }
    return g;
}

// A velocity law: order k+1 of sum c rate + d with v_{k+1} = 0, and -sum_{i>=1} (c beta)_i
// lambda_{k-i} into rhs
static double velocity_law_part(const HolModel *m, HolModelWork *w, const HolVelocityLaw *law,
                                const double *lambda, int k, double **memory, double *rhs) {
    const int L = w->jet.jets.stride, order = w->jet.jets.order + 2;
    double s = 0;
    for (int i = 0; i < law->n; i++) {
        const HolFactor *f = &law->factors[i];
        const HolRow *r = &m->sys.rows[f->row];
        const double *rate = w->jet.slot + (long)f->slot * L;
        double *c = *memory, *y = c + stride_of(order);
        for (int j = k == 0 ? 0 : k + 1; j <= k + 1; j++) {
            c[j] = hol_expr_jet(f->c, w->jet.slot, (size_t)L, j, y + stride_of(order));
            row_coef(m, w, r, j);
        }
        *memory += hol_jet_partial_work(f->c, order);
        s += c[0] * hol_jet_velocity_row(m, w, r, 1, k + 1);
        for (int j = 1; j <= k + 1; j++)
            s += c[j] * rate[k + 1 - j];
        // (lambda_k is unknown and stands as 0; y_{k-1} is completed now)
        for (int j = k > 0 ? k - 1 : 0; j <= k; j++)
            y[j] = hol_conv(c, lambda, j);
        add_row_product(m, w, r, -1, y, 0, k, rhs);
    }
    for (int j = k == 0 ? 0 : k + 1; j <= k; j++)
        hol_expr_jet(law->rest, w->jet.slot, (size_t)L, j, *memory);
    s += hol_expr_jet(law->rest, w->jet.slot, (size_t)L, k + 1, *memory);
    *memory += hol_expr_jet_work(law->rest, order);
    return s;
}

static void equation_stage(const HolModel *m, HolModelWork *w, int i, int k, double **memory,
                           double *rhs) {
    const HolEquation *e = &m->sys.equations[i];
    double *lambda = w->jet.lambda + (long)m->sys.lambda_series[i] * w->jet.jets.stride;
    if (!e->holonomic) {
        rhs[m->problem.nv + i] =
            -(k + 1) * (e->law ? velocity_law_part(m, w, e->law, lambda, k, memory, rhs)
                               : velocity_equation(m, w, e, lambda, k, rhs));
        return;
    }
    double g = plain_equation(m, w, e, lambda, k, rhs);
    if (e->expr)
        g -= expression_part(m, w, e, lambda, k, memory, rhs);
    rhs[m->problem.nv + i] = -(k + 1.0) * (k + 2.0) * g;
}

static void equations_stage(const HolModel *m, HolModelWork *w, int k, double **memory,
                            double *rhs) {
    int L = w->jet.jets.stride;
    for (int i = 0; i < m->sys.n_lambda_series; i++)
        w->jet.lambda[(long)i * L + k] = 0;
    for (int i = 0; m->sys.n_lambda_series && i < m->sys.n_equations; i++)
        if (m->sys.lambda_series[i] >= 0)
            equation_stage(m, w, i, k, memory, rhs);
    hol_jet_batches_stage(m, w, k, rhs);
}

// order k of -k (sigma - s0) - c sigma' from orders k and k + 1 of sigma
static double linear_law(const HolElement *e, double value, double next, int k) {
    return -e->k * (value - (k == 0 ? e->s0 : 0)) - e->c * (k + 1) * next;
}

static void elements_stage(const HolModel *m, HolModelWork *w, int k, double **memory,
                           double *rhs) {
    int L = w->jet.jets.stride, order = w->jet.jets.order + 2;
    hol_springs_jet(m, &w->jet.jets, k, rhs);
    if (m->beams.n)
        hol_beams_series(m, &w->jet.jets, w->jet.beams, k, rhs);
    if (m->masses.n)
        hol_masses_series(m, &w->jet.jets, w->jet.masses, k, rhs);
    for (int l = 0; l < m->batch.n_loads; l++) {
        const int i = m->batch.loads[l];
        const HolElement *e = &m->sys.elements[i];
        const HolRow *r = &m->sys.rows[e->row], *o = &m->sys.rows[e->other];
        double *E = w->jet.force + (long)i * L, value = 0;
        const int by_coef = e->c == 0 && o == r && r->kind->stored && r->memory < 0;
        if (by_coef)
            row_coef(m, w, r, k);
        if (by_coef && e->k != 0) {
            value_series(w, r)[k] = own_series(w, r)[(r->kind->stored - 1) * L + k];
            value = linear_law(e, value_series(w, r)[k], 0, k);
        } else if (e->k != 0 || e->c != 0) {
            if (k == 0)
                row_value(w, o, 0);
            const double next = row_value(w, o, k + 1);
            value = linear_law(e, value_series(w, o)[k], next, k);
        }
        if (e->expr) {
            if (m->sys.nw && k > 0) { // lower order again: its implicit slots are final now
                double again = hol_expr_jet(e->expr, w->jet.slot, (size_t)L, k - 1, *memory);
                E[k - 1] = again;
                if (e->k != 0 || e->c != 0)
                    E[k - 1] +=
                        linear_law(e, value_series(w, r)[k - 1], value_series(w, r)[k], k - 1);
            }
            value += hol_expr_jet(e->expr, w->jet.slot, (size_t)L, k, *memory);
            *memory += hol_expr_jet_work(e->expr, order);
        }
        E[k] = value;
        if (!by_coef)
            row_coef(m, w, r, k);
        add_row_product(m, w, r, 1, E, 0, k, rhs);
    }
}

void hol_jet_rhs(const HolProblem *p, void *work, int k, double *rhs) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    double *memory = w->jet.expr;
    int L = w->jet.jets.stride;
    hol_jet_bodies(m, w, k, rhs);
    if (m->sys.n_active_slots > 1)
        slots_stage(m, w, k);
    if (m->sys.nw) {
        if (k > 0)
            slots_implicit(m, w, k - 1);
        for (int i = 0; i < m->sys.nw; i++)
            w->jet.w[(long)i * L + k] = 0;
        for (int i = 0; i < m->sys.n_lambda_series; i++)
            w->jet.lambda[(long)i * L + k] = 0;
        memset(w->jet.orders + (long)k * m->sys.n_equations, 0,
               sizeof(double) * (size_t)m->sys.n_equations);
    }
    equations_stage(m, w, k, &memory, rhs);
    if (m->sys.nw)
        slots_implicit(m, w, k);
    elements_stage(m, w, k, &memory, rhs);
    for (int i = 0; i < m->sys.nw; i++) {
        const HolExpr *e = m->sys.implicit[i]->expr;
        if (k > 0)
            hol_expr_jet(e, w->jet.slot, (size_t)L, k - 1, memory);
        rhs[p->nv + m->sys.n_equations + i] = hol_expr_jet(e, w->jet.slot, (size_t)L, k, memory);
        memory += hol_expr_jet_work(e, w->jet.jets.order + 2);
    }
}
