// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of the compiled model (K and C of docs/theory/equations.md, section 1).
//     S += cC (-f_v) + cK ((M a)_q + (G^T lambda)_q - f_q)
//   M is constant but for mass elements (mass/mass.h)
//   equation  lambda (sum_terms c D - sum_j e_j D_j - sum_jk e_jk beta_j beta_k^T)
//   element   f = E beta:  f_q = E D + beta dE/dq,  f_v = beta dE/dv
//             slots of E: value (q: beta), rate (v: beta, q: v^T D)
//   body      f = -omega x J omega:  -f_v = omega~ J - (J omega)~
#include "math/vec.h"
#include "model/model.h"
#include "model/problem/velocity_law.h"

#include <string.h>

// Where contributions to S go. Their places were found once, by a walk that only records them; a
// walk for values meets them in the same order.
typedef struct Sink {
    const HolModel *m;
    double *C, *K;         // values of both parts, possibly the same array
    double cC, cK;         // their factors
    const int *at;         // next place
    HolTangentPlaces *new; // recording: not NULL, and nothing is evaluated
} Sink;

// coordinates of increments on which the moving entries of a row depend, on one of its sides:
// second derivatives are symmetric, but for rotations in space
static unsigned derivative_columns_of(const HolModel *m, const HolRow *row, int side) {
    const int nv = m->def.bodies[side ? row->b : row->a].nv;
    if (!row->kind->holonomic)
        return (1u << nv) - 1;
    return row->vary[side] | (nv == 6 ? 56u : 0);
}

static int is_constant(const HolRow *row) {
    return !(row->vary[0] | row->vary[1]);
}

// a sum of two parts, each of one body: D has no block between them
static int is_apart(const HolRow *row) {
    return row->kind == &hol_row_point2 || row->kind == &hol_row_point3;
}

static void record_block(Sink *t, const HolRow *rx, unsigned rows, int i, const HolRow *ry,
                         unsigned columns, int j) {
    const HolBody *x = &t->m->def.bodies[i ? rx->b : rx->a],
                  *y = &t->m->def.bodies[j ? ry->b : ry->a];
    for (int c = 0; c < 6; c++)
        for (int r = 0; r < 6; r++)
            if ((columns >> c & 1) && (rows >> r & 1))
                hol_tangent_place(t->new, x->v + r, y->v + c);
}

// S += s x y^T on the blocks of two rows' bodies; x, y as [2][6]; entries of y in `columns`
static void derivative_add_outer(Sink *t, double *S, double s, const HolRow *rx, double (*x)[6],
                                 const HolRow *ry, const unsigned columns[2], double (*y)[6]) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            if (t->new) {
                record_block(t, rx, rx->mask[i], i, ry, columns[j], j);
                continue;
            }
            for (unsigned c = 0; columns[j] >> c; c++) {
                if (!(columns[j] >> c & 1))
                    continue;
                const double sy = s * y[j][c];
                for (unsigned r = 0, rows = rx->mask[i]; rows >> r; r++)
                    if (rows >> r & 1)
                        S[*t->at++] += x[i][r] * sy;
            }
        }
}

static void add_coefs(Sink *t, double *S, HolModelWork *w, double s, int rx, int ry) {
    const HolRow *x = &t->m->sys.rows[rx], *y = &t->m->sys.rows[ry];
    const unsigned columns[2] = {y->mask[0], y->mask[1]};
    derivative_add_outer(t, S, s, x, t->new ? NULL : hol_row_coef(t->m, w, rx), y, columns,
                         t->new ? NULL : hol_row_coef(t->m, w, ry));
}

// S += s D of a row
static void add_row_derivative(Sink *t, HolModelWork *w, int index, double s, double *S) {
    const HolRow *row = &t->m->sys.rows[index];
    HolRowDerivative D;
    if (is_constant(row))
        return;
    if (!t->new)
        hol_row_derivative(t->m, w, index, s, D);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const unsigned rows = row->vary[i], columns = derivative_columns_of(t->m, row, j);
            if (i != j && is_apart(row))
                continue;
            if (t->new) {
                record_block(t, row, rows, i, row, columns, j);
                continue;
            }
            for (unsigned c = 0; columns >> c; c++)
                for (unsigned r = 0; (columns >> c & 1) && rows >> r; r++)
                    if (rows >> r & 1)
                        S[*t->at++] += D[i][j][r][c];
        }
}

// v^T D: derivative of the rate of a row with respect to q, [2][6]
void hol_rate_gradient(const HolModel *m, HolModelWork *w, int row, double out[2][6]) {
    const HolRow *r = &m->sys.rows[row];
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

// lambda (sum_i c_i D_i + sum_is c_(i,s) beta_i beta_s^T) of a velocity law
static void tangent_law(Sink *t, HolModelWork *w, const HolVelocityLaw *law, double s) {
    for (int i = 0; i < law->n; i++) {
        const HolFactor *f = &law->factors[i];
        const double c = t->new ? 0 : hol_expr_gradient(f->c, w->slot, w->expr, w->gradient);
        add_row_derivative(t, w, f->row, s * c, t->K);
        for (int k = 0; k < hol_expr_slot_count(f->c); k++) {
            const HolSlot *slot = &t->m->sys.slots[hol_expr_slots(f->c)[k]];
            if (slot->type == HOL_SLOT_VALUE)
                add_coefs(t, t->K, w, t->new ? 0 : s * w->gradient[k], f->row, slot->row);
        }
    }
}

static void tangent_equation(Sink *t, HolModelWork *w, const HolEquation *e, double s) {
    const HolModel *m = t->m;
    for (int k = 0; k < e->n_terms; k++)
        add_row_derivative(t, w, m->sys.terms[e->first_term + k].row,
                           t->new ? 0 : s *hol_term_coef(m, w, e, k), t->K);
    if (e->law)
        tangent_law(t, w, e->law, s);
    if (!e->expr)
        return;
    int n = hol_expr_slot_count(e->expr);
    const int *slots = hol_expr_slots(e->expr);
    if (!t->new)
        hol_expr_hessian(e->expr, w->slot, w->expr, w->gradient, w->hessian);
    for (int j = 0; j < n; j++) {
        const HolSlot *sj = &m->sys.slots[slots[j]];
        if (sj->type != HOL_SLOT_VALUE)
            continue;
        add_row_derivative(t, w, sj->row, t->new ? 0 : -s * w->gradient[j], t->K);
        for (int k = 0; k < n; k++) {
            const HolSlot *sk = &m->sys.slots[slots[k]];
            if (sk->type == HOL_SLOT_VALUE)
                add_coefs(t, t->K, w, t->new ? 0 : -s * w->hessian[j * n + k], sj->row, sk->row);
        }
    }
}

static void tangent_points(Sink *t, const HolModelWork *w, const double *lambda) {
    for (int i = 0; i < t->m->batch.n_points; i++) {
        const HolPointRow *p = &t->m->batch.points[i];
        double second[2] = {0};
        if (!t->new)
            hol_point_levers(p, w->frames, second);
        for (int side = 0; side < 2; side++) {
            if (p->turn[side] < 0)
                continue;
            if (t->new)
                hol_tangent_place(t->new, p->turn[side], p->turn[side]);
            else
                t->K[*t->at++] += (side ? -1 : 1) * t->cK * lambda[p->equation] * second[side];
        }
    }
}

// beta of the element's row times what the rate of a slot's row does with q
static void add_rate_gradient(Sink *t, HolModelWork *w, const HolElement *e, int row, double s) {
    const HolRow *r = &t->m->sys.rows[row];
    const unsigned columns[2] = {derivative_columns_of(t->m, r, 0),
                                 derivative_columns_of(t->m, r, 1)};
    double dq[2][6];
    if (is_constant(r))
        return;
    if (!t->new)
        hol_rate_gradient(t->m, w, row, dq);
    derivative_add_outer(t, t->K, s, &t->m->sys.rows[e->row],
                         t->new ? NULL : hol_row_coef(t->m, w, e->row), r, columns, dq);
}

static void tangent_element(Sink *t, HolModelWork *w, const HolElement *e) {
    const HolModel *m = t->m;
    double E = 0;
    if (e->k != 0) {
        E = t->new ? 0 : -e->k *(hol_row_value(m, w, e->other) - e->s0);
        add_coefs(t, t->K, w, t->cK * e->k, e->row, e->other);
    }
    if (e->c != 0) {
        E -= t->new ? 0 : e->c *hol_row_rate(m, w, e->other);
        add_coefs(t, t->C, w, t->cC * e->c, e->row, e->other);
        add_rate_gradient(t, w, e, e->other, t->cK * e->c);
    }
    if (e->expr) {
        if (!t->new)
            E += hol_expr_gradient(e->expr, w->slot, w->expr, w->gradient);
        for (int j = 0; j < hol_expr_slot_count(e->expr); j++) {
            const HolSlot *s = &m->sys.slots[hol_expr_slots(e->expr)[j]];
            const double ej = t->new ? 0 : w->gradient[j];
            if (s->type == HOL_SLOT_VALUE)
                add_coefs(t, t->K, w, -t->cK * ej, e->row, s->row);
            if (s->type == HOL_SLOT_RATE) {
                add_coefs(t, t->C, w, -t->cC * ej, e->row, s->row);
                add_rate_gradient(t, w, e, s->row, -t->cK * ej);
            }
        }
    }
    add_row_derivative(t, w, e->row, -t->cK * E, t->K);
}

static void tangent_springs(Sink *t) {
    for (int i = 0; i < t->m->batch.n_springs; i++) {
        const HolSpring *s = &t->m->batch.springs[i];
        for (int x = s->turn[0] < 0; x < 2; x++)
            for (int y = s->turn[0] < 0; y < 2; y++) {
                if (t->new) {
                    hol_tangent_place(t->new, s->turn[x], s->turn[y]);
                    continue;
                }
                const double sign = x == y ? 1 : -1;
                t->K[*t->at] += sign * t->cK * s->k;
                t->C[*t->at++] += sign * t->cC * s->c;
            }
    }
}

static void tangent_beams(Sink *t, HolModelWork *w) {
    const HolBeams *b = &t->m->beams;
    const int n = b->planar ? 6 : 12;
    double K[144], C[144];
    for (int i = 0; i < b->n_elements; i++) {
        if (t->new) {
            int places[12];
            hol_beam_places(t->m, i, places);
            for (int c = 0; c < n; c++)
                for (int r = 0; r < n; r++)
                    hol_tangent_place(t->new, places[r], places[c]);
            continue;
        }
        const int damped = hol_beam_tangent(t->m, w->frames, w->v, i, K, C);
        for (int e = 0; e < n * n; e++)
            t->K[t->at[e]] += t->cK * K[e];
        for (int e = 0; e < n * n && damped; e++)
            t->C[t->at[e]] += t->cC * C[e];
        t->at += n * n;
    }
    for (int i = 0; i < b->n && b->dragged; i++)
        for (int node = b->list[i].first; node <= b->list[i].first + b->list[i].n; node++)
            for (int k = 0; k < n / 2; k++) {
                const int at = t->m->def.bodies[node].v + k;
                if (t->new)
                    hol_tangent_place(t->new, at, at);
                else
                    t->C[*t->at++] += t->cC * b->list[i].drag * hol_body_inertia(t->m, node, k);
            }
}

// the blocks of mass elements; their values are added by hol_masses_tangent
static void record_masses(Sink *t) {
    for (int i = 0; i < t->m->masses.n; i++) {
        const HolMassElement *e = &t->m->masses.list[i];
        for (int c = 0; c < e->n; c++)
            for (int r = 0; r < e->n; r++)
                hol_tangent_place(t->new, e->v + r, e->v + c);
    }
}

static void tangent_gyroscopic(const HolModel *m, const double *v, double cC, double *S) {
    for (int i = 1; i < m->def.n_bodies; i++) {
        const HolBody *b = &m->def.bodies[i];
        if (b->nv != 6)
            continue;
        const int *turn = m->sys.body_to + m->sys.body_first[i] + 6;
        Mat3 J;
        memcpy(J.m, b->J, sizeof J.m);
        Vec3 o = v3_load(v + b->v + 3);
        Mat3 oJ = m3_mul(m3_skew(o), J), Jo = m3_skew(m3_mulv(J, o));
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
                S[turn[3 * c + r]] += cC * (oJ.m[3 * r + c] - Jo.m[3 * r + c]);
    }
}

static void derivative_walk(Sink *t, HolModelWork *w, const double *lambda) {
    const HolModel *m = t->m;
    if (t->new || lambda) {
        tangent_points(t, w, lambda);
        for (int i = 0; i < m->batch.n_general; i++)
            tangent_equation(t, w, &m->sys.equations[m->batch.general[i]],
                             t->new ? 0 : t->cK *lambda[m->batch.general[i]]);
    }
    if (t->new)
        t->new->elements = t->new->n;
    else
        t->at = m->sys.tangent_to + m->sys.tangent_elements;
    tangent_springs(t);
    for (int i = 0; i < m->batch.n_loads; i++)
        tangent_element(t, w, &m->sys.elements[m->batch.loads[i]]);
    if (m->beams.n)
        tangent_beams(t, w);
    if (t->new)
        record_masses(t);
}

void hol_tangent_record(const HolModel *m, HolTangentPlaces *places) {
    Sink t = {.m = m, .new = places};
    derivative_walk(&t, NULL, NULL);
}

void hol_model_tangent(const HolProblem *p, void *work, const HolPoint *at, double cC, double cK,
                       double *S) {
    const HolModel *m = p->user;
    Sink sink = {.m = m, .C = S, .K = S, .cC = cC, .cK = cK, .at = m->sys.tangent_to};
    hol_slots_at(p, work, at->t, at->q, at->v, at->w);
    derivative_walk(&sink, work, cK != 0 ? at->lambda : NULL);
    if (cC != 0 && m->space == HOL_SPATIAL)
        tangent_gyroscopic(m, at->v, cC, S);
    if (m->masses.n)
        hol_masses_tangent(m, &(HolMassState){at->q, at->v, at->a}, cC, S, cK, S);
}

void hol_model_tangents(const HolProblem *p, void *work, const HolPoint *at, double *C, double *K) {
    const HolModel *m = p->user;
    Sink sink = {.m = m, .C = C, .K = K, .cC = 1, .cK = 1, .at = m->sys.tangent_to};
    hol_slots_at(p, work, at->t, at->q, at->v, NULL);
    derivative_walk(&sink, work, at->lambda);
    if (m->space == HOL_SPATIAL)
        tangent_gyroscopic(m, at->v, 1, C);
    if (m->masses.n)
        hol_masses_tangent(m, &(HolMassState){at->q, at->v, at->a}, 1, C, 1, K);
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

void hol_model_velocity_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *B) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    hol_model_position(m, w, at->t, at->q);
    hol_model_velocity(m, w, at->v);
    hol_points_turning(m, w->frames, at->v, B);
    for (int l = 0; l < m->batch.n_general; l++) {
        const HolEquation *e = &m->sys.equations[m->batch.general[l]];
        double *row = B + e->g_start, dq[2][6];
        for (int k = 0; k < e->n_terms; k++) {
            hol_rate_gradient(m, w, m->sys.terms[e->first_term + k].row, dq);
            add_entries(e, e->term_a[k], e->term_b[k], hol_term_coef(m, w, e, k), dq, row);
        }
        if (e->law)
            hol_law_velocity_jacobian(m, w, e, row);
        if (!e->expr)
            continue;
        int n = hol_expr_slot_count(e->expr);
        const int *slots = hol_expr_slots(e->expr);
        hol_slots_position(m, w, m->sys.n_active_slots);
        hol_expr_hessian(e->expr, w->slot, w->expr, w->gradient, w->hessian);
        for (int j = 0; j < n; j++) {
            const HolSlot *sj = &m->sys.slots[slots[j]];
            double s = 0;
            if (sj->type != HOL_SLOT_VALUE)
                continue;
            hol_rate_gradient(m, w, sj->row, dq);
            add_entries(e, e->slot_a[j], e->slot_b[j], -w->gradient[j], dq, row);
            for (int k = 0; k < n; k++) {
                const HolSlot *sk = &m->sys.slots[slots[k]];
                if (sk->type != HOL_SLOT_GIVEN)
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
        for (int i = 0; i < m->def.bodies[body[side]].nv; i++)
            out[m->def.bodies[body[side]].v + i] += s * x[side][i];
}

typedef struct {
    double *q, *v, *a, *lambda, *w;
} Gradient;

// reaction = sign sum lambda c beta[axis], on the side of the joint's second body
static void reaction_gradient(const HolModel *m, HolModelWork *w, const HolSlot *slot,
                              const double *lambda, double s, const Gradient *g) {
    const HolJoint *j = &m->def.joints[slot->joint];
    for (int i = 0; i < j->n_equations; i++) {
        int index = j->equations[i];
        const HolEquation *e = &m->sys.equations[index];
        for (int k = 0; k < e->n_terms; k++) {
            const HolTerm *t = &m->sys.terms[e->first_term + k];
            const HolRow *row = &m->sys.rows[t->row];
            double sign, dq[2][6];
            HolRowDerivative D;
            int side = hol_reaction_side(j, row, &sign);
            if (side < 0)
                continue;
            double c = s * sign * hol_term_coef(m, w, e, k);
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
    const HolRow *row = &m->sys.rows[slot->row];
    double dq[2][6];
    switch (slot->type) {
    case HOL_SLOT_VALUE:
        scatter(m, row, s, hol_row_coef(m, w, slot->row), g->q);
        break;
    case HOL_SLOT_RATE:
        scatter(m, row, s, hol_row_coef(m, w, slot->row), g->v);
        hol_rate_gradient(m, w, slot->row, dq);
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
        g->w[m->def.variables[slot->index].implicit] += s;
        break;
    case HOL_SLOT_TIME:
    case HOL_SLOT_GIVEN:
        break;
    }
}

static void force_by_variables(const HolModel *m, HolModelWork *w, double *fw) {
    int nw = m->sys.nw;
    for (int i = 0; i < m->sys.n_elements; i++) {
        const HolElement *e = &m->sys.elements[i];
        if (!e->expr)
            continue;
        const HolRow *row = &m->sys.rows[e->row];
        int body[2] = {row->a, row->b};
        hol_expr_gradient(e->expr, w->slot, w->expr, w->gradient);
        for (int j = 0; j < hol_expr_slot_count(e->expr); j++) {
            const HolSlot *s = &m->sys.slots[hol_expr_slots(e->expr)[j]];
            if (s->type != HOL_SLOT_VARIABLE)
                continue;
            double(*beta)[6] = hol_row_coef(m, w, e->row);
            int k = m->def.variables[s->index].implicit;
            for (int side = 0; side < 2; side++)
                for (int c = 0; c < m->def.bodies[body[side]].nv; c++)
                    fw[(m->def.bodies[body[side]].v + c) * nw + k] +=
                        w->gradient[j] * beta[side][c];
        }
    }
}

void hol_model_variables(const HolProblem *p, void *work, const HolPoint *at,
                         const HolAlgebraic *out) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    int nv = p->nv, nc = m->sys.n_equations, nw = p->nw;
    hol_model_position(m, w, at->t, at->q);
    hol_model_velocity(m, w, at->v);
    hol_slots_position(m, w, m->sys.n_active_slots);
    hol_slots_velocity(m, w, m->sys.n_active_slots);
    hol_slots_variables(m, w, m->sys.n_active_slots, at->a, at->lambda, at->w);
    if (out->Jq) {
        memset(out->Jq, 0, sizeof(double) * (size_t)(nw * nv));
        memset(out->Jv, 0, sizeof(double) * (size_t)(nw * nv));
        memset(out->Ja, 0, sizeof(double) * (size_t)(nw * nv));
        memset(out->Jl, 0, sizeof(double) * (size_t)(nw * nc));
        memset(out->Jw, 0, sizeof(double) * (size_t)(nw * nw));
        memset(out->fw, 0, sizeof(double) * (size_t)(nw * nv));
    }
    for (int i = 0; i < nw; i++) {
        const HolExpr *e = m->sys.implicit[i]->expr;
        if (!out->Jq) {
            out->r[i] = at->w[i] - hol_expr_value(e, w->slot, w->expr);
            continue;
        }
        Gradient g = {out->Jq + i * nv, out->Jv + i * nv, out->Ja + i * nv, out->Jl + i * nc,
                      out->Jw + i * nw};
        out->r[i] = at->w[i] - hol_expr_gradient(e, w->slot, w->expr, w->gradient);
        for (int j = 0; j < hol_expr_slot_count(e); j++)
            slot_gradient(m, w, &m->sys.slots[hol_expr_slots(e)[j]], at->lambda, w->gradient[j],
                          &g);
    }
    if (out->fw)
        force_by_variables(m, w, out->fw);
}
