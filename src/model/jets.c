// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of the motion (docs/theory.md). With x = v, and all quantities as truncated
// power series about t, order k of the equations reads
//   [M G0^T; G0 0] [a_k; lambda_k] = [ F_k - sum_{i=1..k} G_i^T lambda_{k-i} ;  -(k+1)(k+2) g_{k+2} at v_{k+1} = 0 ]
// with a_k = (k+1) v_{k+1} and the same matrix for every k. Stage k knows q up to k+1 and v up to k;
// it builds a provisional order k+2 of the frames with v_{k+1} = 0, and jet_set adds the rest, which is
// linear in v_{k+1}:
//   plane  theta_{k+2} = omega_{k+1}/(k+2),  c += -theta_{k+2} s_0,  s += theta_{k+2} c_0
//   space  p_{k+2} += p_0 (0, omega_{k+1}) / (2(k+2)),  A_{k+2} += A_0 omega~_{k+1}/(k+2)
// A non-holonomic row beta.v = 0 gives  -(k+1) sum_{i=1..k+1} beta_i v_{k+1-i}.
#include "math/vec.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static int series_of(const HolModel *m) {
    return m->space == HOL_PLANAR ? HOL_SERIES_PLANE : HOL_SERIES_SPACE;
}

static int dim_of(const HolModel *m) {
    return m->space == HOL_PLANAR ? 3 : 6;
}

// ---- memory ----

static int stride_of(int order) {
    return (order + 3 + 3) / 4 * 4;
}

// a partial derivative keeps its series, and that of its product with the multiplier, before its work
static size_t partial_work(const HolExpr *e, int order) {
    return 2 * (size_t)stride_of(order) + hol_expr_jet_work(e, order);
}

// every expression with its own jet memory, in the order in which they are evaluated
static size_t expressions_size(const HolModel *m, int order) {
    size_t n = 0;
    for (int i = 0; i < m->n_equations; i++) {
        const HolEquation *e = &m->equations[i];
        if (!e->expr)
            continue;
        n += hol_expr_jet_work(e->expr, order);
        for (int k = 0; k < hol_expr_slot_count(e->expr); k++)
            n += e->partial[k] ? partial_work(e->partial[k], order) : 0;
    }
    for (int i = 0; i < m->n_elements; i++)
        n += m->elements[i].expr ? hol_expr_jet_work(m->elements[i].expr, order) : 0;
    for (int i = 0; i < m->nw; i++)
        n += hol_expr_jet_work(m->implicit[i]->expr, order);
    return n;
}

static size_t layout(const HolModel *m, HolModelWork *w, double *base, int order) {
    size_t L = (size_t)stride_of(order), at = 0;
#define CARVE(field, count)                                                                        \
    do {                                                                                           \
        if (w)                                                                                     \
            w->field = base + at;                                                                  \
        at += ((size_t)(count) + 7) / 8 * 8;                                                       \
    } while (0)
    CARVE(jet.jets.data, (size_t)m->n_bodies * (size_t)series_of(m) * L);
    CARVE(jet.lambda, (size_t)m->n_equations * L);
    CARVE(jet.w, (size_t)m->nw * L);
    CARVE(jet.slot, (size_t)m->n_active_slots * L);
    CARVE(jet.rows, (size_t)m->jet_series * L);
    CARVE(jet.batch, (size_t)m->batch_series * L);
    CARVE(jet.force, (size_t)m->n_elements * L);
    CARVE(jet.torque, m->space == HOL_SPATIAL ? (size_t)m->n_bodies * 3 * L : 0);
    CARVE(jet.expr, expressions_size(m, order + 2));
#undef CARVE
    return at * sizeof(double);
}

size_t hol_jets_size(const HolModel *m, int order) {
    return layout(m, NULL, NULL, order);
}

void hol_jets_memory(const HolModel *m, HolModelWork *w, void *memory, int order) {
    layout(m, w, memory, order);
    memset(memory, 0, hol_jets_size(m, order));
    w->jet.jets.stride = stride_of(order);
    w->jet.jets.series = series_of(m);
    w->jet.jets.order = order;
    // frames that never move: ground, and the axes of point masses
    for (int i = 0; i < m->n_bodies; i++) {
        if (m->space == HOL_PLANAR)
            hol_series(&w->jet.jets, i, HOL_S_COS)[0] = 1;
        else
            for (int k = 0; k < 9; k += 4)
                hol_series(&w->jet.jets, i, HOL_S_A + k)[0] = 1;
    }
}

static inline double *own_series(const HolModelWork *w, const HolRow *r) {
    return w->jet.rows + r->jet * w->jet.jets.stride;
}

static inline double *value_series(const HolModelWork *w, const HolRow *r) {
    return w->jet.rows + (r->jet + r->kind->series) * w->jet.jets.stride;
}

static inline double *coef_series(const HolModelWork *w, const HolRow *r, int dim, int side, int i) {
    return w->jet.rows + (r->jet + r->kind->series + 1 + side * dim + i) * w->jet.jets.stride;
}

// ---- bodies ----

static void plane_start(const HolModelWork *w, int i, const HolFrame *f, const double *v, int rigid) {
    const HolJets *J = &w->jet.jets;
    double *th = hol_series(J, i, HOL_S_THETA), *c = hol_series(J, i, HOL_S_COS), *s = hol_series(J, i, HOL_S_SIN);
    hol_series(J, i, HOL_S_X)[0] = f->r[0];
    hol_series(J, i, HOL_S_Y)[0] = f->r[1];
    hol_series(J, i, HOL_S_X)[1] = v[0];
    hol_series(J, i, HOL_S_Y)[1] = v[1];
    if (!rigid)
        return;
    th[0] = f->angle;
    th[1] = v[2];
    c[0] = f->A[0];
    s[0] = f->A[3];
    c[1] = -v[2] * s[0];
    s[1] = v[2] * c[0];
}

static void plane_provisional(const HolJets *J, int i, int n) {
    double *th = hol_series(J, i, HOL_S_THETA), *c = hol_series(J, i, HOL_S_COS), *s = hol_series(J, i, HOL_S_SIN);
    double cs = 0, sn = 0;
    hol_series(J, i, HOL_S_X)[n] = 0;
    hol_series(J, i, HOL_S_Y)[n] = 0;
    th[n] = 0;
    for (int k = 1; k < n; k++) {
        double u = k * th[k];
        cs += u * s[n - k];
        sn += u * c[n - k];
    }
    c[n] = -cs / n;
    s[n] = sn / n;
}

// order n of p from omega up to n-1 (p' = p (0, omega)/2), and of A from p; the products of one order
// run side by side
static void space_rotation(const HolJets *J, int body, int n) {
    int L = J->stride, k = n - 1;
    const double *ox = hol_series(J, body, HOL_S_OMEGA), *oy = ox + L, *oz = oy + L;
    double *w = hol_series(J, body, HOL_S_P), *x = w + L, *y = x + L, *z = y + L;
    if (n > 0) {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s = 0.5 / n;
        for (int i = 0; i <= k; i++) {
            double a = ox[k - i], b = oy[k - i], c = oz[k - i];
            s0 -= x[i] * a + y[i] * b + z[i] * c;
            s1 += w[i] * a + y[i] * c - z[i] * b;
            s2 += w[i] * b + z[i] * a - x[i] * c;
            s3 += w[i] * c + x[i] * b - y[i] * a;
        }
        w[n] = s * s0;
        x[n] = s * s1;
        y[n] = s * s2;
        z[n] = s * s3;
    }
    // 2 p p^T, pairs (i, n-i) and (n-i, i) at once
    double ww = 0, xx = 0, yy = 0, zz = 0, wx = 0, wy = 0, wz = 0, xy = 0, xz = 0, yz = 0;
    for (int i = 0, j = n; i < j; i++, j--) {
        ww += w[i] * w[j];
        xx += x[i] * x[j];
        yy += y[i] * y[j];
        zz += z[i] * z[j];
        wx += w[i] * x[j] + w[j] * x[i];
        wy += w[i] * y[j] + w[j] * y[i];
        wz += w[i] * z[j] + w[j] * z[i];
        xy += x[i] * y[j] + x[j] * y[i];
        xz += x[i] * z[j] + x[j] * z[i];
        yz += y[i] * z[j] + y[j] * z[i];
    }
    ww *= 2, xx *= 2, yy *= 2, zz *= 2;
    if (n % 2 == 0) {
        int h = n / 2;
        ww += w[h] * w[h], xx += x[h] * x[h], yy += y[h] * y[h], zz += z[h] * z[h];
        wx += w[h] * x[h], wy += w[h] * y[h], wz += w[h] * z[h];
        xy += x[h] * y[h], xz += x[h] * z[h], yz += y[h] * z[h];
    }
    double *A = hol_series(J, body, HOL_S_A) + n;
    A[0] = ww + xx - yy - zz;
    A[L] = 2 * (xy - wz);
    A[2 * L] = 2 * (xz + wy);
    A[3 * L] = 2 * (xy + wz);
    A[4 * L] = ww - xx + yy - zz;
    A[5 * L] = 2 * (yz - wx);
    A[6 * L] = 2 * (xz - wy);
    A[7 * L] = 2 * (yz + wx);
    A[8 * L] = ww - xx - yy + zz;
}

static void space_start(const HolModelWork *w, int i, const HolFrame *f, const double *v, int rigid) {
    const HolJets *J = &w->jet.jets;
    for (int k = 0; k < 3; k++) {
        hol_series(J, i, HOL_S_R + k)[0] = f->r[k];
        hol_series(J, i, HOL_S_R + k)[1] = v[k];
        if (rigid)
            hol_series(J, i, HOL_S_OMEGA + k)[0] = v[3 + k];
    }
    if (!rigid)
        return;
    for (int k = 0; k < 4; k++)
        hol_series(J, i, HOL_S_P + k)[0] = f->p[k];
    space_rotation(J, i, 0);
    space_rotation(J, i, 1);
}

static void jet_start(const HolProblem *p, void *work, double t, const double *q, const double *v) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    int L = w->jet.jets.stride;
    hol_model_position(m, w, t, q);
    hol_model_velocity(m, w, v);
    for (int i = 1; i < m->n_bodies; i++) {
        const HolBody *b = &m->bodies[i];
        int rigid = b->def.type == HOL_RIGID;
        if (b->def.type == HOL_COORDINATE) {
            hol_series(&w->jet.jets, i, 0)[0] = q[b->q];
            hol_series(&w->jet.jets, i, 0)[1] = v[b->v];
        } else if (m->space == HOL_PLANAR)
            plane_start(w, i, &w->frames[i], v + b->v, rigid);
        else
            space_start(w, i, &w->frames[i], v + b->v, rigid);
    }
    if (m->n_active_slots) {
        memset(w->jet.slot, 0, sizeof(double) * (size_t)L);
        w->jet.slot[0] = t;
        w->jet.slot[1] = 1;
    }
}

static void bodies_provisional(const HolModel *m, HolModelWork *w, int n) {
    const HolJets *J = &w->jet.jets;
    for (int i = 1; i < m->n_bodies; i++) {
        HolBodyType type = m->bodies[i].def.type;
        if (type == HOL_COORDINATE)
            hol_series(J, i, 0)[n] = 0;
        else if (m->space == HOL_PLANAR) {
            if (type == HOL_RIGID)
                plane_provisional(J, i, n);
            else
                hol_series(J, i, HOL_S_X)[n] = hol_series(J, i, HOL_S_Y)[n] = 0;
        } else {
            for (int k = 0; k < 3; k++)
                hol_series(J, i, HOL_S_R + k)[n] = hol_series(J, i, HOL_S_OMEGA + k)[n - 1] = 0;
            if (type == HOL_RIGID)
                space_rotation(J, i, n);
        }
    }
}

// velocity coordinate c of a body, order j
static inline double velocity_jet(const HolModel *m, const HolJets *J, int body, int c, int j) {
    if (m->space == HOL_SPATIAL && c >= 3)
        return hol_series(J, body, HOL_S_OMEGA + c - 3)[j];
    return (j + 1) * hol_series(J, body, c)[j + 1];
}

static void jet_set(const HolProblem *p, void *work, int k, const double *a, const double *lambda, const double *vars) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    const HolJets *J = &w->jet.jets;
    int L = J->stride, n = k + 2;
    double s1 = 1.0 / (k + 1), s2 = s1 / n;
    for (int i = 1; i < m->n_bodies; i++) {
        const HolBody *b = &m->bodies[i];
        const double *ab = a + b->v;
        if (m->space == HOL_PLANAR || b->nv < 6) {
            for (int c = 0; c < b->nv; c++)
                hol_series(J, i, c)[n] = s2 * ab[c];
            if (m->space == HOL_PLANAR && b->nv == 3) {
                double *c = hol_series(J, i, HOL_S_COS), *s = hol_series(J, i, HOL_S_SIN);
                c[n] -= s2 * ab[2] * s[0];
                s[n] += s2 * ab[2] * c[0];
            }
            continue;
        }
        Vec3 o = v3_scale(v3_load(ab + 3), s1);
        double *pq = hol_series(J, i, HOL_S_P), *A = hol_series(J, i, HOL_S_A), *os = hol_series(J, i, HOL_S_OMEGA);
        for (int c = 0; c < 3; c++)
            hol_series(J, i, HOL_S_R + c)[n] = s2 * ab[c];
        os[n - 1] = o.x;
        os[L + n - 1] = o.y;
        os[2 * L + n - 1] = o.z;
        Quat d = q_mul((Quat){pq[0], pq[L], pq[2 * L], pq[3 * L]}, (Quat){0, o.x, o.y, o.z});
        pq[n] += 0.5 * d.w / n;
        pq[L + n] += 0.5 * d.x / n;
        pq[2 * L + n] += 0.5 * d.y / n;
        pq[3 * L + n] += 0.5 * d.z / n;
        for (int r = 0; r < 3; r++) { // row r of A_0 omega~
            Vec3 row = v3(A[3 * r * L], A[(3 * r + 1) * L], A[(3 * r + 2) * L]), x = v3_cross(row, o);
            A[3 * r * L + n] += x.x / n;
            A[(3 * r + 1) * L + n] += x.y / n;
            A[(3 * r + 2) * L + n] += x.z / n;
        }
    }
    for (int i = 0; i < m->n_equations; i++)
        w->jet.lambda[(long)i * L + k] = lambda[i];
    for (int r = 0; r < m->n_runs; r++)
        if (m->runs[r].batch && m->runs[r].batch->set)
            m->runs[r].batch->set(m, w, m->runs[r].first, m->runs[r].count, k, lambda);
    for (int i = 0; i < m->nw; i++)
        w->jet.w[(long)i * L + k] = vars[i];
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
    if (j == 0 && r->memory >= 0)
        value = r->kind->value(r, &w->frames[r->a], &w->frames[r->b], &w->memory[r->memory]);
    return value_series(w, r)[j] = value;
}

// order k of beta . v from the stored coefficients
static double velocity_row(const HolModel *m, HolModelWork *w, const HolRow *r, int first, int k) {
    int dim = dim_of(m), body[2] = {r->a, r->b};
    double s = 0;
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < dim; c++)
            if (r->mask[side] >> c & 1) {
                const double *beta = coef_series(w, r, dim, side, c);
                for (int i = first; i <= k; i++)
                    s += beta[i] * velocity_jet(m, &w->jet.jets, body[side], c, k - i);
            }
    return s;
}

// reaction force on the second body, order k (lambda_k as stored)
static double reaction_jet(const HolModel *m, HolModelWork *w, const HolSlot *slot, int k) {
    const HolJoint *j = &m->joints[slot->joint];
    int dim = dim_of(m), L = w->jet.jets.stride;
    double s = 0;
    for (int i = 0; i < j->n_equations; i++) {
        const HolEquation *e = &m->equations[j->equations[i]];
        for (int t = 0; t < e->n_terms; t++) {
            const HolTerm *term = &m->terms[e->first_term + t];
            const HolRow *r = &m->rows[term->row];
            double sign;
            int side = hol_reaction_side(j, r, &sign);
            if (side < 0 || !(r->mask[side] >> slot->axis & 1))
                continue;
            s += sign * term->coef *
                 hol_conv(coef_series(w, r, dim, side, slot->axis), w->jet.lambda + (long)j->equations[i] * L, k);
        }
    }
    return s;
}

// value slots up to order k+2 (the last provisional), rate slots up to k
static void slots_stage(const HolModel *m, HolModelWork *w, int k) {
    int L = w->jet.jets.stride;
    for (int i = 1; i < m->n_active_slots; i++) {
        const HolSlot *s = &m->slots[i];
        double *x = w->jet.slot + (long)i * L;
        if (s->type != HOL_SLOT_VALUE && s->type != HOL_SLOT_RATE)
            continue;
        const HolRow *r = &m->rows[s->row];
        if (!r->kind->holonomic) {
            row_coef(m, w, r, k);
            x[k] = velocity_row(m, w, r, 0, k);
            continue;
        }
        if (k == 0)
            row_value(w, r, 0);
        row_value(w, r, k + 1);
        const double *v = value_series(w, r);
        if (s->type == HOL_SLOT_VALUE) {
            x[k] = v[k];
            x[k + 1] = v[k + 1];
            x[k + 2] = row_value(w, r, k + 2);
        } else
            x[k] = (k + 1) * v[k + 1];
    }
}

// slots known only with the solution: order k of accelerations, reactions, multipliers, variables
static void slots_implicit(const HolModel *m, HolModelWork *w, int k) {
    int L = w->jet.jets.stride;
    for (int i = 1; i < m->n_active_slots; i++) {
        const HolSlot *s = &m->slots[i];
        double *x = w->jet.slot + (long)i * L;
        if (s->type == HOL_SLOT_ACCELERATION) {
            const HolRow *r = &m->rows[s->row];
            double sum = 0;
            int dim = dim_of(m), body[2] = {r->a, r->b};
            row_coef(m, w, r, 0); // constant coefficients
            for (int side = 0; side < 2; side++)
                for (int c = 0; c < dim; c++)
                    if (r->mask[side] >> c & 1)
                        sum += coef_series(w, r, dim, side, c)[0] * (k + 1) * velocity_jet(m, &w->jet.jets, body[side], c, k + 1);
            x[k] = sum;
        } else if (s->type == HOL_SLOT_REACTION)
            x[k] = reaction_jet(m, w, s, k);
        else if (s->type == HOL_SLOT_MULTIPLIER)
            x[k] = w->jet.lambda[(long)s->index * L + k];
        else if (s->type == HOL_SLOT_VARIABLE && m->variables[s->index].implicit >= 0)
            x[k] = w->jet.w[(long)m->variables[s->index].implicit * L + k];
    }
}

// ---- right-hand side ----

// rhs += s sum_{i=first..k} beta_i x_{k-i}
static void add_row_product(const HolModel *m, HolModelWork *w, const HolRow *r, double s, const double *x, int first, int k,
                            double *rhs) {
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
            rhs[m->bodies[body[side]].v + c] += s * sum;
        }
    }
}

// g_{k+2} with v_{k+1} = 0, and -sum_{i>=1} G_i^T lambda_{k-i} into rhs
static double plain_equation(const HolModel *m, HolModelWork *w, const HolEquation *e, const double *lambda, int k, double *rhs) {
    double g = 0;
    for (int t = 0; t < e->n_terms; t++) {
        const HolTerm *term = &m->terms[e->first_term + t];
        const HolRow *r = &m->rows[term->row];
        if (k == 0) {
            row_value(w, r, 0);
            row_value(w, r, 1);
        }
        g += term->coef * row_value(w, r, k + 2);
        row_coef(m, w, r, k);
        add_row_product(m, w, r, -term->coef, lambda, 1, k, rhs);
    }
    return g;
}

static double velocity_equation(const HolModel *m, HolModelWork *w, const HolEquation *e, const double *lambda, int k, double *rhs) {
    double s = 0;
    for (int t = 0; t < e->n_terms; t++) {
        const HolTerm *term = &m->terms[e->first_term + t];
        const HolRow *r = &m->rows[term->row];
        if (k == 0)
            row_coef(m, w, r, 0);
        row_coef(m, w, r, k + 1);
        s += term->coef * velocity_row(m, w, r, 1, k + 1);
        add_row_product(m, w, r, -term->coef, lambda, 1, k, rhs);
    }
    return s;
}

// the expression part of an equation: its order k+2, and +sum_{i>=1} (e_j beta_j)_i lambda_{k-i} into rhs
static double expression_part(const HolModel *m, HolModelWork *w, const HolEquation *e, const double *lambda, int k, double **memory,
                              double *rhs) {
    int L = w->jet.jets.stride, n = hol_expr_slot_count(e->expr), order = w->jet.jets.order + 2;
    const int *slots = hol_expr_slots(e->expr);
    for (int j = k == 0 ? 0 : k + 1; j <= k + 1; j++)
        hol_expr_jet(e->expr, w->jet.slot, (size_t)L, j, *memory);
    double g = hol_expr_jet(e->expr, w->jet.slot, (size_t)L, k + 2, *memory);
    *memory += hol_expr_jet_work(e->expr, order);
    for (int s = 0; s < n; s++) {
        if (!e->partial[s])
            continue;
        // y = e_j lambda as a series, then times beta_j. lambda_k is unknown and stands as 0, so y_k
        // lacks e_0 lambda_k, which the matrix has; y_{k-1} is completed now.
        double *ej = *memory, *y = ej + stride_of(order);
        const HolRow *r = &m->rows[m->slots[slots[s]].row];
        ej[k] = hol_expr_jet(e->partial[s], w->jet.slot, (size_t)L, k, y + stride_of(order));
        *memory += partial_work(e->partial[s], order);
        for (int j = k > 0 ? k - 1 : 0; j <= k; j++)
            y[j] = hol_conv(ej, lambda, j);
        row_coef(m, w, r, k);
        add_row_product(m, w, r, 1, y, 0, k, rhs);
    }
    return g;
}

static void equation_stage(const HolModel *m, HolModelWork *w, int i, int k, double **memory, double *rhs) {
    const HolEquation *e = &m->equations[i];
    double *lambda = w->jet.lambda + (long)i * w->jet.jets.stride;
    if (!e->holonomic) {
        rhs[m->problem.nv + i] = -(k + 1) * velocity_equation(m, w, e, lambda, k, rhs);
        return;
    }
    double g = plain_equation(m, w, e, lambda, k, rhs);
    if (e->expr)
        g -= expression_part(m, w, e, lambda, k, memory, rhs);
    rhs[m->problem.nv + i] = -(k + 1.0) * (k + 2.0) * g;
}

// torques gathered in global axes by the batches: order k of -A^T T into rhs
static void torques_stage(const HolModel *m, HolModelWork *w, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    int L = J->stride;
    for (int b = 1; b < m->n_bodies; b++) {
        if (m->bodies[b].nv != 6)
            continue;
        const double *A = hol_series(J, b, HOL_S_A), *T = w->jet.torque + (long)3 * b * L;
        double x = 0, y = 0, z = 0;
        for (int i = 0; i <= k; i++) {
            double tx = T[k - i], ty = T[L + k - i], tz = T[2 * L + k - i];
            x += A[i] * tx + A[3 * L + i] * ty + A[6 * L + i] * tz;
            y += A[L + i] * tx + A[4 * L + i] * ty + A[7 * L + i] * tz;
            z += A[2 * L + i] * tx + A[5 * L + i] * ty + A[8 * L + i] * tz;
        }
        double *out = rhs + m->bodies[b].v + 3;
        out[0] -= x;
        out[1] -= y;
        out[2] -= z;
    }
}

static void equations_stage(const HolModel *m, HolModelWork *w, int k, double **memory, double *rhs) {
    int L = w->jet.jets.stride, batched = 0;
    for (int i = 0; i < m->n_equations; i++)
        w->jet.lambda[(long)i * L + k] = 0;
    if (m->space == HOL_SPATIAL)
        for (int i = 0; i < 3 * m->n_bodies; i++)
            w->jet.torque[(long)i * L + k] = 0;
    for (int r = 0; r < m->n_runs; r++) {
        const struct HolRun *run = &m->runs[r];
        if (run->batch) {
            run->batch->stage(m, w, run->first, run->count, k, rhs);
            batched = 1;
        } else
            for (int i = 0; i < run->count; i++)
                equation_stage(m, w, run->first + i, k, memory, rhs);
    }
    if (batched && m->space == HOL_SPATIAL)
        torques_stage(m, w, k, rhs);
}

static void elements_stage(const HolModel *m, HolModelWork *w, int k, double **memory, double *rhs) {
    int L = w->jet.jets.stride, order = w->jet.jets.order + 2;
    for (int i = 0; i < m->n_elements; i++) {
        const HolElement *e = &m->elements[i];
        const HolRow *r = &m->rows[e->row];
        double *E = w->jet.force + (long)i * L, value = 0;
        if (e->k != 0) {
            if (k == 0)
                row_value(w, r, 0);
            row_value(w, r, k + 1);
            value = -e->k * (value_series(w, r)[k] - (k == 0 ? e->s0 : 0));
        }
        if (e->expr) {
            if (m->nw && k > 0) { // lower order again: its implicit slots are final now
                double again = hol_expr_jet(e->expr, w->jet.slot, (size_t)L, k - 1, *memory);
                E[k - 1] = again - (e->k != 0 ? e->k * (value_series(w, r)[k - 1] - (k == 1 ? e->s0 : 0)) : 0);
            }
            value += hol_expr_jet(e->expr, w->jet.slot, (size_t)L, k, *memory);
            *memory += hol_expr_jet_work(e->expr, order);
        }
        E[k] = value;
        row_coef(m, w, r, k);
        add_row_product(m, w, r, 1, E, 0, k, rhs);
    }
}

static void bodies_force(const HolModel *m, HolModelWork *w, int k, double *rhs) {
    const HolJets *J = &w->jet.jets;
    for (int i = 1; i < m->n_bodies; i++) {
        const HolBody *b = &m->bodies[i];
        int linear = b->def.type == HOL_COORDINATE ? 0 : m->space == HOL_PLANAR ? 2 : 3;
        for (int c = 0; k == 0 && c < linear; c++)
            rhs[b->v + c] = b->def.mass * m->gravity[c];
        if (b->nv != 6)
            continue;
        int L = J->stride;
        const double *ox = hol_series(J, i, HOL_S_OMEGA), *oy = ox + L, *oz = oy + L, *I = b->J;
        if (b->diagonal) { // (J omega) x omega
            rhs[b->v + 3] = (I[4] - I[8]) * hol_conv(oy, oz, k);
            rhs[b->v + 4] = (I[8] - I[0]) * hol_conv(oz, ox, k);
            rhs[b->v + 5] = (I[0] - I[4]) * hol_conv(ox, oy, k);
            continue;
        }
        double xx = hol_conv(ox, ox, k), yy = hol_conv(oy, oy, k), zz = hol_conv(oz, oz, k);
        double xy = hol_conv(ox, oy, k), xz = hol_conv(ox, oz, k), yz = hol_conv(oy, oz, k);
        rhs[b->v + 3] = (I[4] - I[8]) * yz + I[3] * xz - I[6] * xy + I[5] * (zz - yy);
        rhs[b->v + 4] = (I[8] - I[0]) * xz + I[7] * xy - I[1] * yz + I[2] * (xx - zz);
        rhs[b->v + 5] = (I[0] - I[4]) * xy + I[2] * yz - I[5] * xz + I[1] * (yy - xx);
    }
}

static void jet_rhs(const HolProblem *p, void *work, int k, double *rhs) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    double *memory = w->jet.expr;
    int L = w->jet.jets.stride;
    memset(rhs, 0, sizeof(double) * (size_t)(p->nv + m->n_equations + p->nw));
    bodies_provisional(m, w, k + 2);
    bodies_force(m, w, k, rhs);
    if (m->n_active_slots > 1)
        slots_stage(m, w, k);
    if (m->nw) {
        if (k > 0)
            slots_implicit(m, w, k - 1);
        for (int i = 0; i < m->nw; i++)
            w->jet.w[(long)i * L + k] = 0;
        for (int i = 0; i < m->n_equations; i++)
            w->jet.lambda[(long)i * L + k] = 0;
    }
    equations_stage(m, w, k, &memory, rhs);
    if (m->nw)
        slots_implicit(m, w, k);
    elements_stage(m, w, k, &memory, rhs);
    for (int i = 0; i < m->nw; i++) {
        const HolExpr *e = m->implicit[i]->expr;
        if (k > 0)
            hol_expr_jet(e, w->jet.slot, (size_t)L, k - 1, memory);
        rhs[p->nv + m->n_equations + i] = hol_expr_jet(e, w->jet.slot, (size_t)L, k, memory);
        memory += hol_expr_jet_work(e, w->jet.jets.order + 2);
    }
}

// ---- evaluation ----

static inline double horner(const double *c, int n, double h) {
    double s = c[n];
    for (int i = n - 1; i >= 0; i--)
        s = s * h + c[i];
    return s;
}

static inline double horner1(const double *c, int n, double h) { // first derivative
    double s = n * c[n];
    for (int i = n - 1; i >= 1; i--)
        s = s * h + i * c[i];
    return n > 0 ? s : 0;
}

static inline double horner2(const double *c, int n, double h) { // second derivative
    double s = n > 1 ? n * (n - 1) * c[n] : 0;
    for (int i = n - 1; i >= 2; i--)
        s = s * h + i * (i - 1) * c[i];
    return s;
}

static void jet_eval(const HolProblem *p, void *work, int k, double h, double *q, double *v, double *a, double *lambda,
                     double *vars) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    const HolJets *J = &w->jet.jets;
    int n = k + 2;
    for (int i = 1; i < m->n_bodies; i++) {
        const HolBody *b = &m->bodies[i];
        int linear = b->nv == 6 ? 3 : b->nv;
        for (int c = 0; c < linear; c++) {
            const double *x = hol_series(J, i, c);
            if (q)
                q[b->q + c] = horner(x, n, h);
            if (v)
                v[b->v + c] = horner1(x, n, h);
            if (a)
                a[b->v + c] = horner2(x, n, h);
        }
        for (int c = 0; b->nv == 6 && c < 3; c++) {
            const double *o = hol_series(J, i, HOL_S_OMEGA + c);
            if (v)
                v[b->v + 3 + c] = horner(o, k + 1, h);
            if (a)
                a[b->v + 3 + c] = horner1(o, k + 1, h);
        }
        if (q && b->nv == 6) {
            double pq[4];
            for (int c = 0; c < 4; c++)
                pq[c] = horner(hol_series(J, i, HOL_S_P + c), n, h);
            q_store(q + b->q + 3, q_normalize(q_load(pq)));
        }
    }
    for (int i = 0; lambda && i < m->n_equations; i++)
        lambda[i] = horner(w->jet.lambda + (long)i * J->stride, k, h);
    for (int i = 0; vars && i < m->nw; i++)
        vars[i] = horner(w->jet.w + (long)i * J->stride, k, h);
}

static inline double larger(double a, double b) { // NaN stays
    return b <= a ? a : b;
}

static double jet_norm(const HolProblem *p, void *work, int k) {
    const HolModel *m = p->user;
    const HolModelWork *w = work;
    double s = 0;
    for (int i = 1; i < m->n_bodies; i++) {
        const HolBody *b = &m->bodies[i];
        int linear = b->nv == 6 ? 3 : b->nv;
        for (int c = 0; c < linear; c++)
            s = larger(s, fabs(hol_series(&w->jet.jets, i, c)[k]));
        for (int c = 0; b->nv == 6 && c < 4; c++)
            s = larger(s, 2 * fabs(hol_series(&w->jet.jets, i, HOL_S_P + c)[k]));
    }
    return s;
}

// integral of sum_e E_e (beta_e . v) over [0,h], E_e without its conservative part
static double jet_work(const HolProblem *p, void *work, int k, double h) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    double sum = 0;
    for (int i = 0; i < m->n_elements; i++) {
        const HolElement *e = &m->elements[i];
        const HolRow *r = &m->rows[e->row];
        const double *E = w->jet.force + (long)i * w->jet.jets.stride;
        double rate[64], rest[64], power = h;
        if (!e->expr)
            continue;
        for (int j = 0; j <= k; j++) {
            rate[j] = velocity_row(m, w, r, 0, j);
            rest[j] = E[j] + (e->k != 0 ? e->k * (value_series(w, r)[j] - (j == 0 ? e->s0 : 0)) : 0);
        }
        for (int j = 0; j <= k; j++, power *= h)
            sum += hol_conv(rest, rate, j) * power / (j + 1);
    }
    return sum;
}

static size_t jet_size(const HolProblem *p, int order) {
    return hol_jets_size(p->user, order);
}

static void jet_memory(const HolProblem *p, void *work, void *memory, int order) {
    hol_jets_memory(p->user, work, memory, order);
}

static void jet_swap(const HolProblem *p, void *work) {
    HolModelWork *w = work;
    HolJetMemory keep = w->jet;
    (void)p;
    w->jet = w->other;
    w->other = keep;
}

void hol_jets_functions(HolProblem *p) {
    const HolModel *m = p->user;
    int driven = m->nw > 0; // driven constraints do work too, and forces of w lack their last order: by quadrature
    for (int i = 0; i < m->n_equations; i++)
        driven |= m->equations[i].expr != NULL;
    p->jet_work = m->has_power && !driven ? jet_work : NULL;
    p->jet_swap = jet_swap;
    p->jet_max = HOL_JET_DEFAULT;
    p->jet_size = jet_size;
    p->jet_memory = jet_memory;
    p->jet_start = jet_start;
    p->jet_rhs = jet_rhs;
    p->jet_set = jet_set;
    p->jet_eval = jet_eval;
    p->jet_norm = jet_norm;
}
