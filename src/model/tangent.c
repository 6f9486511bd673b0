// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of the compiled model.
//     S += cC (-f_v) + cK ((G^T lambda)_q - f_q)             (M is constant)
//   equation  lambda (sum_terms c D - sum_j e_j D_j - sum_jk e_jk beta_j beta_k^T)
//   element   f = E beta:  f_q = E D + beta dE/dq,  f_v = beta dE/dv
//             slots of E: value (q: beta), rate (v: beta, q: v^T D)
//   body      f = -omega x J omega:  -f_v = omega~ J - (J omega)~
#include "math/vec.h"
#include "model/model.h"

#include <string.h>

// S += s x y^T on the blocks of two rows' bodies; x, y as [2][6]
static void add_outer(const HolModel *m, double *S, double s, const HolRow *rx, double (*x)[6],
                      const HolRow *ry, double (*y)[6]) {
    int bx[2] = {rx->a, rx->b}, by[2] = {ry->a, ry->b};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int stride = 0;
            if (!bx[i] || !by[j])
                continue;
            double *block = S + hol_block(m, bx[i], by[j], &stride);
            for (int c = 0; c < m->bodies[by[j]].nv; c++)
                for (int r = 0; r < m->bodies[bx[i]].nv; r++)
                    block[c * stride + r] += s * x[i][r] * y[j][c];
        }
}

static void add_derivative(const HolModel *m, double *S, const HolRow *row, HolRowDerivative D) {
    int body[2] = {row->a, row->b};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int stride = 0;
            if (!body[i] || !body[j])
                continue;
            double *block = S + hol_block(m, body[i], body[j], &stride);
            for (int c = 0; c < m->bodies[body[j]].nv; c++)
                for (int r = 0; r < m->bodies[body[i]].nv; r++)
                    block[c * stride + r] += D[i][j][r][c];
        }
}

static void add_row_derivative(const HolModel *m, HolModelWork *w, int row, double s, double *S) {
    HolRowDerivative D;
    if (s == 0)
        return;
    hol_row_derivative(m, w, row, s, D);
    add_derivative(m, S, &m->rows[row], D);
}

// v^T D: derivative of the rate of a row with respect to q, [2][6]
static void rate_gradient(const HolModel *m, HolModelWork *w, int row, double out[2][6]) {
    const HolRow *r = &m->rows[row];
    HolRowDerivative D;
    double v[2][6];
    hol_body_velocity(m, r->a, w->v, v[0]);
    hol_body_velocity(m, r->b, w->v, v[1]);
    hol_row_derivative(m, w, row, 1, D);
    for (int j = 0; j < 2; j++)
        for (int c = 0; c < 6; c++) {
            double s = 0;
            for (int i = 0; i < 2; i++)
                for (int k = 0; k < 6; k++)
                    s += v[i][k] * D[i][j][k][c];
            out[j][c] = s;
        }
}

// ---- S ----

static void tangent_equation(const HolModel *m, HolModelWork *w, const HolEquation *e, double s,
                             double *S) {
    for (int k = 0; k < e->n_terms; k++)
        add_row_derivative(m, w, m->terms[e->first_term + k].row,
                           s * m->terms[e->first_term + k].coef, S);
    if (!e->expr)
        return;
    int n = hol_expr_slot_count(e->expr);
    const int *slots = hol_expr_slots(e->expr);
    hol_expr_hessian(e->expr, w->slot, w->expr, w->gradient, w->hessian);
    for (int j = 0; j < n; j++) {
        const HolSlot *sj = &m->slots[slots[j]];
        if (sj->type != HOL_SLOT_VALUE)
            continue;
        add_row_derivative(m, w, sj->row, -s * w->gradient[j], S);
        for (int k = 0; k < n; k++) {
            const HolSlot *sk = &m->slots[slots[k]];
            if (sk->type == HOL_SLOT_VALUE && w->hessian[j * n + k] != 0)
                add_outer(m, S, -s * w->hessian[j * n + k], &m->rows[sj->row],
                          hol_row_coef(m, w, sj->row), &m->rows[sk->row],
                          hol_row_coef(m, w, sk->row));
        }
    }
}

static void tangent_element(const HolModel *m, HolModelWork *w, const HolElement *e, double cC,
                            double cK, double *S) {
    const HolRow *row = &m->rows[e->row];
    double(*beta)[6] = hol_row_coef(m, w, e->row), E = 0;
    if (e->k != 0) {
        E = -e->k * (hol_row_value(m, w, e->row) - e->s0);
        add_outer(m, S, cK * e->k, row, beta, row, beta);
    }
    if (e->expr) {
        E += hol_expr_gradient(e->expr, w->slot, w->expr, w->gradient);
        for (int j = 0; j < hol_expr_slot_count(e->expr); j++) {
            const HolSlot *s = &m->slots[hol_expr_slots(e->expr)[j]];
            double ej = w->gradient[j], dq[2][6];
            if (ej == 0)
                continue;
            if (s->type == HOL_SLOT_VALUE)
                add_outer(m, S, -cK * ej, row, beta, &m->rows[s->row], hol_row_coef(m, w, s->row));
            if (s->type == HOL_SLOT_RATE) {
                add_outer(m, S, -cC * ej, row, beta, &m->rows[s->row], hol_row_coef(m, w, s->row));
                if (cK != 0) {
                    rate_gradient(m, w, s->row, dq);
                    add_outer(m, S, -cK * ej, row, beta, &m->rows[s->row], dq);
                }
            }
        }
    }
    add_row_derivative(m, w, e->row, -cK * E, S);
}

static void tangent_gyroscopic(const HolModel *m, const double *v, double cC, double *S) {
    for (int i = 1; i < m->n_bodies; i++) {
        const HolBody *b = &m->bodies[i];
        int stride = 0;
        if (b->nv != 6)
            continue;
        double *block = S + hol_block(m, i, i, &stride);
        Mat3 J;
        memcpy(J.m, b->J, sizeof J.m);
        Vec3 o = v3_load(v + b->v + 3);
        Mat3 oJ = m3_mul(m3_skew(o), J), Jo = m3_skew(m3_mulv(J, o));
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
                block[(3 + c) * stride + 3 + r] += cC * (oJ.m[3 * r + c] - Jo.m[3 * r + c]);
    }
}

void hol_model_tangent(const HolProblem *p, void *work, double t, const double *q, const double *v,
                       const double *a, const double *lambda, const double *vars, double cC,
                       double cK, double *S) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    (void)a;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    hol_slots_position(m, w, m->n_active_slots);
    hol_slots_velocity(m, w, m->n_active_slots);
    if (p->nw)
        hol_slots_variables(m, w, m->n_active_slots, NULL, NULL, vars);
    if (cK != 0 && lambda)
        for (int i = 0; i < m->n_equations; i++)
            tangent_equation(m, w, &m->equations[i], cK * lambda[i], S);
    for (int i = 0; i < m->n_elements; i++)
        tangent_element(m, w, &m->elements[i], cC, cK, S);
    if (cC != 0 && m->space == HOL_SPATIAL)
        tangent_gyroscopic(m, v, cC, S);
}

// ---- d/dq (G v + gt) ----

static void add_entries(const HolEquation *e, int la, int lb, double s, double (*x)[6],
                        double *row) {
    int at[2] = {la, lb};
    for (int side = 0; side < 2; side++)
        for (int i = 0; at[side] >= 0 && i < 6; i++)
            if (e->pos[at[side]][i] >= 0)
                row[e->pos[at[side]][i]] += s * x[side][i];
}

void hol_model_velocity_jacobian(const HolProblem *p, void *work, double t, const double *q,
                                 const double *v, double *B) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    for (int i = 0; i < m->n_equations; i++) {
        const HolEquation *e = &m->equations[i];
        double *row = B + e->g_start, dq[2][6];
        for (int k = 0; k < e->n_terms; k++) {
            rate_gradient(m, w, m->terms[e->first_term + k].row, dq);
            add_entries(e, e->term_a[k], e->term_b[k], m->terms[e->first_term + k].coef, dq, row);
        }
        if (!e->expr)
            continue;
        int n = hol_expr_slot_count(e->expr);
        const int *slots = hol_expr_slots(e->expr);
        hol_slots_position(m, w, m->n_active_slots);
        hol_expr_hessian(e->expr, w->slot, w->expr, w->gradient, w->hessian);
        for (int j = 0; j < n; j++) {
            const HolSlot *sj = &m->slots[slots[j]];
            double s = 0;
            if (sj->type != HOL_SLOT_VALUE)
                continue;
            rate_gradient(m, w, sj->row, dq);
            add_entries(e, e->slot_a[j], e->slot_b[j], -w->gradient[j], dq, row);
            for (int k = 0; k < n; k++) {
                const HolSlot *sk = &m->slots[slots[k]];
                s += w->hessian[j * n + k] *
                     (sk->type == HOL_SLOT_TIME ? 1 : hol_row_rate(m, w, sk->row));
            }
            add_entries(e, e->slot_a[j], e->slot_b[j], -s, hol_row_coef(m, w, sj->row), row);
        }
    }
}

// ---- algebraic variables ----

static void scatter(const HolModel *m, const HolRow *row, double s, double (*x)[6], double *out) {
    int body[2] = {row->a, row->b};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < m->bodies[body[side]].nv; i++)
            out[m->bodies[body[side]].v + i] += s * x[side][i];
}

typedef struct {
    double *q, *v, *a, *lambda, *w;
} Gradient;

// reaction = sign sum lambda c beta[axis], on the side of the joint's second body
static void reaction_gradient(const HolModel *m, HolModelWork *w, const HolSlot *slot,
                              const double *lambda, double s, const Gradient *g) {
    const HolJoint *j = &m->joints[slot->joint];
    for (int i = 0; i < j->n_equations; i++) {
        int index = j->equations[i];
        const HolEquation *e = &m->equations[index];
        for (int k = 0; k < e->n_terms; k++) {
            const HolTerm *t = &m->terms[e->first_term + k];
            const HolRow *row = &m->rows[t->row];
            double sign, dq[2][6];
            HolRowDerivative D;
            int side = hol_reaction_side(j, row, &sign);
            if (side < 0)
                continue;
            double c = s * sign * t->coef;
            g->lambda[index] += c * hol_row_coef(m, w, t->row)[side][slot->axis];
            hol_row_derivative(m, w, t->row, lambda[index], D);
            memcpy(dq[0], D[side][0][slot->axis], sizeof dq[0]);
            memcpy(dq[1], D[side][1][slot->axis], sizeof dq[1]);
            scatter(m, row, c, dq, g->q);
        }
    }
}

static void slot_gradient(const HolModel *m, HolModelWork *w, const HolSlot *slot,
                          const double *lambda, double s, const Gradient *g) {
    const HolRow *row = &m->rows[slot->row];
    double dq[2][6];
    switch (slot->type) {
    case HOL_SLOT_VALUE:
        scatter(m, row, s, hol_row_coef(m, w, slot->row), g->q);
        break;
    case HOL_SLOT_RATE:
        scatter(m, row, s, hol_row_coef(m, w, slot->row), g->v);
        rate_gradient(m, w, slot->row, dq);
        scatter(m, row, s, dq, g->q);
        break;
    case HOL_SLOT_ACCELERATION: // rows with constant coefficients only
        scatter(m, row, s, hol_row_coef(m, w, slot->row), g->a);
        break;
    case HOL_SLOT_REACTION:
        reaction_gradient(m, w, slot, lambda, s, g);
        break;
    case HOL_SLOT_MULTIPLIER:
        g->lambda[slot->index] += s;
        break;
    case HOL_SLOT_VARIABLE:
        g->w[m->variables[slot->index].implicit] += s;
        break;
    case HOL_SLOT_TIME:
        break;
    }
}

static void force_by_variables(const HolModel *m, HolModelWork *w, double *fw) {
    int nw = m->nw;
    for (int i = 0; i < m->n_elements; i++) {
        const HolElement *e = &m->elements[i];
        if (!e->expr)
            continue;
        const HolRow *row = &m->rows[e->row];
        int body[2] = {row->a, row->b};
        hol_expr_gradient(e->expr, w->slot, w->expr, w->gradient);
        for (int j = 0; j < hol_expr_slot_count(e->expr); j++) {
            const HolSlot *s = &m->slots[hol_expr_slots(e->expr)[j]];
            if (s->type != HOL_SLOT_VARIABLE)
                continue;
            double(*beta)[6] = hol_row_coef(m, w, e->row);
            int k = m->variables[s->index].implicit;
            for (int side = 0; side < 2; side++)
                for (int c = 0; c < m->bodies[body[side]].nv; c++)
                    fw[(m->bodies[body[side]].v + c) * nw + k] += w->gradient[j] * beta[side][c];
        }
    }
}

void hol_model_variables(const HolProblem *p, void *work, double t, const double *q,
                         const double *v, const double *a, const double *lambda, const double *vars,
                         double *r, double *Jq, double *Jv, double *Ja, double *Jl, double *Jw,
                         double *fw) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    int nv = p->nv, nc = m->n_equations, nw = p->nw;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    hol_slots_position(m, w, m->n_active_slots);
    hol_slots_velocity(m, w, m->n_active_slots);
    hol_slots_variables(m, w, m->n_active_slots, a, lambda, vars);
    if (Jq) {
        memset(Jq, 0, sizeof(double) * (size_t)(nw * nv));
        memset(Jv, 0, sizeof(double) * (size_t)(nw * nv));
        memset(Ja, 0, sizeof(double) * (size_t)(nw * nv));
        memset(Jl, 0, sizeof(double) * (size_t)(nw * nc));
        memset(Jw, 0, sizeof(double) * (size_t)(nw * nw));
        memset(fw, 0, sizeof(double) * (size_t)(nw * nv));
    }
    for (int i = 0; i < nw; i++) {
        const HolExpr *e = m->implicit[i]->expr;
        if (!Jq) {
            r[i] = vars[i] - hol_expr_value(e, w->slot, w->expr);
            continue;
        }
        Gradient g = {Jq + i * nv, Jv + i * nv, Ja + i * nv, Jl + i * nc, Jw + i * nw};
        r[i] = vars[i] - hol_expr_gradient(e, w->slot, w->expr, w->gradient);
        for (int j = 0; j < hol_expr_slot_count(e); j++)
            slot_gradient(m, w, &m->slots[hol_expr_slots(e)[j]], lambda, w->gradient[j], &g);
    }
    if (fw)
        force_by_variables(m, w, fw);
}
