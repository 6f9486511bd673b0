// SPDX-License-Identifier: Apache-2.0
// Velocity constraints by an expression that is linear in the rates r_i = beta_i . v of rows
// (docs/theory/rows.md, section 4):
//     E = sum_i c_i(q,t) r_i + d(q,t) = 0
// c_i is the derivative of E by the rate, d is E with all rates zero. Hence, with G = sum c_i beta_i
//     G v + d = 0
//     G a + sum_i (c_i gamma_i + c_i' r_i) + d' = 0,   c' = sum_s c_s r_s + c_t along the motion
//     d/dq (G v + d) = sum_i (c_i v^T D_i + r_i sum_s c_(i,s) beta_s) + sum_s d_s beta_s
// What multipliers do with q is in derivative.c, series in series_equations.c.
#include "model/problem/velocity_law.h"

#include <stdio.h>

// ---- compile ----

// 1: the rates of e stand as factors only; else the name of what does not
static int law_is_linear(const HolModel *m, const HolVelocityLaw *law) {
    for (int i = 0; i < law->n; i++)
        for (int k = 0; k < hol_expr_slot_count(law->factors[i].c); k++)
            if (m->sys.slots[hol_expr_slots(law->factors[i].c)[k]].type == HOL_SLOT_RATE)
                return 0;
    return 1;
}

static int law_slots_ok(HolModel *m, const HolExpr *e, const char *what, int line, int column,
                        HolError *err) {
    int rates = 0;
    for (int i = 0; i < hol_expr_slot_count(e); i++) {
        const HolSlotType t = m->sys.slots[hol_expr_slots(e)[i]].type;
        rates += t == HOL_SLOT_RATE;
        if (t == HOL_SLOT_ACCELERATION || t == HOL_SLOT_REACTION || t == HOL_SLOT_MULTIPLIER ||
            t == HOL_SLOT_VARIABLE) {
            hol_problem_error(m, err, line, column,
                              "%s may use velocities, coordinates and time, not accelerations, "
                              "reactions or variables that depend on them",
                              what);
            return 0;
        }
    }
    if (!rates)
        hol_problem_error(m, err, line, column, "%s does not depend on any velocity", what);
    return rates;
}

static int law_is_rate(const void *context, int slot) {
    return ((const HolModel *)context)->sys.slots[slot].type == HOL_SLOT_RATE;
}

int hol_law_compile(HolModel *m, HolEquation *e, const HolExpr *whole, const char *what, int line,
                    int column, HolError *err) {
    const int n = hol_expr_slot_count(whole);
    if (!law_slots_ok(m, whole, what, line, column, err))
        return 0;
    if (hol_expr_calls(whole)) {
        hol_problem_error(m, err, line, column,
                          "%s: a function of the program cannot be part of a constraint", what);
        return 0;
    }
    HolVelocityLaw *law = HOL_NEW(&m->arena, HolVelocityLaw, 1);
    HolFactor *factors = HOL_NEW(&m->arena, HolFactor, n);
    if (!law || !factors)
        return 0;
    *law = (HolVelocityLaw){.whole = whole, .factors = factors};
    for (int i = 0; i < n; i++) {
        const int slot = hol_expr_slots(whole)[i];
        if (m->sys.slots[slot].type != HOL_SLOT_RATE)
            continue;
        const HolExpr *c = hol_expr_derivative(&m->arena, whole, i);
        if (!c)
            return 0;
        factors[law->n++] = (HolFactor){.row = m->sys.slots[slot].row, .slot = slot, .c = c};
    }
    law->rest = hol_expr_without(&m->arena, whole, law_is_rate, m);
    if (!law->rest)
        return 0;
    if (!law_is_linear(m, law)) {
        hol_problem_error(m, err, line, column,
                          "%s must be linear in the velocities: a sum of velocities times "
                          "expressions of coordinates and time",
                          what);
        return 0;
    }
    double d;
    if (!hol_expr_is_constant(law->rest, &d) || d != 0)
        m->sys.has_power = 1;
    e->law = law;
    m->sys.n_laws++;
    return 1;
}

// ---- G, d, gamma ----

static void law_add(const HolModel *m, HolModelWork *w, const HolEquation *e, const HolFactor *f,
                    double s, double *G) {
    double(*c)[6] = hol_row_coef(m, w, f->row);
    const int at[2] = {f->a, f->b};
    for (int side = 0; side < 2; side++)
        for (int i = 0; at[side] >= 0 && i < 6; i++)
            if (e->pos[at[side]][i] >= 0)
                G[e->pos[at[side]][i]] += s * c[side][i];
}

void hol_law_jacobian(const HolModel *m, HolModelWork *w, const HolEquation *e, double *G) {
    hol_slots_position(m, w, m->sys.n_active_slots);
    for (int i = 0; i < e->law->n; i++)
        law_add(m, w, e, &e->law->factors[i],
                hol_expr_value(e->law->factors[i].c, w->slot, w->expr), G);
}

double hol_law_rest(const HolModel *m, HolModelWork *w, const HolEquation *e) {
    hol_slots_position(m, w, m->sys.n_active_slots);
    return hol_expr_value(e->law->rest, w->slot, w->expr);
}

// d/dt of an expression of coordinates and time; *value: of itself
static double law_expr_rate(const HolModel *m, HolModelWork *w, const HolExpr *e, double *value) {
    double s = 0;
    *value = hol_expr_gradient(e, w->slot, w->expr, w->gradient);
    for (int k = 0; k < hol_expr_slot_count(e); k++) {
        const HolSlot *slot = &m->sys.slots[hol_expr_slots(e)[k]];
        if (slot->type == HOL_SLOT_TIME)
            s += w->gradient[k];
        else if (slot->type == HOL_SLOT_VALUE)
            s += w->gradient[k] * hol_row_rate(m, w, slot->row);
    }
    return s;
}

double hol_law_gamma(const HolModel *m, HolModelWork *w, const HolEquation *e) {
    double value, s;
    hol_slots_position(m, w, m->sys.n_active_slots);
    s = law_expr_rate(m, w, e->law->rest, &value);
    for (int i = 0; i < e->law->n; i++) {
        const HolFactor *f = &e->law->factors[i];
        const HolRow *r = &m->sys.rows[f->row];
        double va[6], vb[6];
        const double rate = law_expr_rate(m, w, f->c, &value);
        hol_body_velocity(m, r->a, w->v, va);
        hol_body_velocity(m, r->b, w->v, vb);
        s += value * r->kind->gamma(r, &w->frames[r->a], &w->frames[r->b], va, vb) +
             rate * hol_row_rate(m, w, f->row);
    }
    return s;
}

// ---- d/dq (G v + d) ----

static int law_index(const HolEquation *e, int body) {
    for (int i = 0; i < e->n_bodies; i++)
        if (e->bodies[i] == body)
            return i;
    return -1;
}

// row += s d expr/dq, whose gradient stands in the work; bodies that G does not have are left out
static void law_add_gradient(const HolModel *m, HolModelWork *w, const HolEquation *e,
                             const HolExpr *expr, double s, double *row) {
    for (int k = 0; k < hol_expr_slot_count(expr); k++) {
        const HolSlot *slot = &m->sys.slots[hol_expr_slots(expr)[k]];
        if (slot->type != HOL_SLOT_VALUE)
            continue;
        const HolRow *r = &m->sys.rows[slot->row];
        const HolFactor place = {
            .row = slot->row, .a = law_index(e, r->a), .b = law_index(e, r->b)};
        law_add(m, w, e, &place, s * w->gradient[k], row);
    }
}

void hol_law_velocity_jacobian(const HolModel *m, HolModelWork *w, const HolEquation *e,
                               double *row) {
    hol_slots_position(m, w, m->sys.n_active_slots);
    hol_expr_gradient(e->law->rest, w->slot, w->expr, w->gradient);
    law_add_gradient(m, w, e, e->law->rest, 1, row);
    for (int i = 0; i < e->law->n; i++) {
        const HolFactor *f = &e->law->factors[i];
        const double c = hol_expr_gradient(f->c, w->slot, w->expr, w->gradient);
        double dq[2][6];
        law_add_gradient(m, w, e, f->c, hol_row_rate(m, w, f->row), row);
        hol_rate_gradient(m, w, f->row, dq);
        const int at[2] = {f->a, f->b};
        for (int side = 0; side < 2; side++)
            for (int k = 0; at[side] >= 0 && k < 6; k++)
                if (e->pos[at[side]][k] >= 0)
                    row[e->pos[at[side]][k]] += c * dq[side][k];
    }
}
