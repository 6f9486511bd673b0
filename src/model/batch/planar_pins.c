// SPDX-License-Identifier: Apache-2.0
// Equations of pins in the plane, most of what large mechanisms consist of. They are evaluated
// straight from the coordinates, without terms, rows and cached coefficients:
//   g = u . (r_b + A_b s_b - r_a - A_a s_a) - constant
//   G = (-u, -u . A_a s_a^perp, u, u . A_b s_b^perp)
// The data lie in the order of the equations; all other equations are listed apart. The two rows
// of a whole pin, u = (1, 0) and (0, 1), are evaluated together.
// What it pays: without this list tangent takes 1.21 times the instructions on a row of 100 four-bars
// and 1.13 times on one of 2, taylor 1.06 to 1.10 times.
#include "model/model.h"

#include <string.h>

static int is_point_row(const HolModel *m, const HolEquation *e) {
    return m->space == HOL_PLANAR && e->n_terms == 1 && !e->expr && e->holonomic &&
           m->sys.rows[m->sys.terms[e->first_term].row].kind == &hol_row_point2;
}

static void planar_pins_take(const HolModel *m, int index, HolPointRow *p) {
    const HolEquation *e = &m->sys.equations[index];
    const HolTerm *term = &m->sys.terms[e->first_term];
    const HolRow *r = &m->sys.rows[term->row];
    const int local[2] = {e->term_a[0], e->term_b[0]};
    *p = (HolPointRow){.u = {term->coef * r->ua[0], term->coef * r->ua[1]},
                       .s = {{r->sa[0], r->sa[1]}, {r->sb[0], r->sb[1]}},
                       .constant = e->constant,
                       .body = {r->a, r->b},
                       .equation = index,
                       .start = e->g_start};
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < 3; c++)
            p->at[side][c] = (signed char)(local[side] >= 0 ? e->pos[local[side]][c] : -1);
        p->turn[side] = p->at[side][2] >= 0 ? m->def.bodies[p->body[side]].v + 2 : -1;
    }
}

// are rows i and i + 1 the x and y of one pin?
static int is_pin(const HolModel *m, int i) {
    const HolPointRow *x = &m->batch.points[i], *y = x + 1;
    return i + 1 < m->batch.n_points && y->equation == x->equation + 1 &&
           x->body[0] == y->body[0] && x->body[1] == y->body[1] &&
           memcmp(x->s, y->s, sizeof x->s) == 0 && x->u[0] == 1 && x->u[1] == 0 && y->u[0] == 0 &&
           y->u[1] == 1;
}

// the number of the shape of a pin, which is one of the last few or a new one
static int pin_shape(HolModel *m, const HolPointRow *x, const HolPointRow *y) {
    enum { FEW = 32 };
    const int n = m->batch.n_pin_shapes;
    HolPinShape *p = &m->batch.pin_shapes[n];
    *p = (HolPinShape){.constant = {x->constant, y->constant}};
    memcpy(p->s, x->s, sizeof p->s);
    for (int side = 0; side < 2; side++) {
        p->at[0][side][0] = x->at[side][0];
        p->at[0][side][1] = x->at[side][2];
        p->at[1][side][0] = y->at[side][1];
        p->at[1][side][1] = y->at[side][2];
    }
    for (int i = n - 1; i >= 0 && i >= n - FEW; i--)
        if (memcmp(&m->batch.pin_shapes[i], p, sizeof *p) == 0)
            return i;
    return m->batch.n_pin_shapes++;
}

static int make_pins(HolModel *m) {
    m->batch.pins = HOL_NEW(&m->arena, HolPin, m->batch.n_points / 2 + 1);
    m->batch.pin_shapes = HOL_NEW(&m->arena, HolPinShape, m->batch.n_points / 2 + 1);
    m->batch.single = HOL_NEW(&m->arena, int, m->batch.n_points + 1);
    if (!m->batch.pins || !m->batch.pin_shapes || !m->batch.single)
        return 0;
    for (int i = 0; i < m->batch.n_points; i++) {
        if (!is_pin(m, i)) {
            m->batch.single[m->batch.n_single++] = i;
            continue;
        }
        const HolPointRow *x = &m->batch.points[i++], *y = x + 1;
        m->batch.pins[m->batch.n_pins++] = (HolPin){.body = {x->body[0], x->body[1]},
                                                    .equation = x->equation,
                                                    .start = {x->start, y->start},
                                                    .shape = pin_shape(m, x, y)};
    }
    return 1;
}

// can equations be evaluated side by side? Rows keep their coefficients, expressions their work
static int equations_apart(const HolModel *m, unsigned char *used) {
    for (int i = 0; i < m->sys.n_equations; i++) {
        const HolEquation *e = &m->sys.equations[i];
        if (e->expr || e->law)
            return 0;
        for (int k = 0; k < e->n_terms; k++)
            if (used[m->sys.terms[e->first_term + k].row]++)
                return 0;
    }
    return 1;
}

int hol_point_rows_build(HolModel *m) {
    m->batch.points = HOL_NEW(&m->arena, HolPointRow, m->sys.n_equations + 1);
    m->batch.general = HOL_NEW(&m->arena, int, m->sys.n_equations + 1);
    m->sys.timed = HOL_NEW(&m->arena, int, m->sys.n_equations + 1);
    unsigned char *used = HOL_NEW(&m->arena, unsigned char, m->sys.n_rows + 1);
    if (!m->batch.points || !m->batch.general || !m->sys.timed || !used)
        return 0;
    m->sys.apart = equations_apart(m, used);
    for (int i = 0; i < m->sys.n_equations; i++) {
        const HolExpr *e = m->sys.equations[i].expr;
        if (is_point_row(m, &m->sys.equations[i]))
            planar_pins_take(m, i, &m->batch.points[m->batch.n_points++]);
        else
            m->batch.general[m->batch.n_general++] = i;
        if (e && hol_expr_slot_count(e) && hol_expr_slots(e)[0] == 0) // time; slots ascend
            m->sys.timed[m->sys.n_timed++] = i;
    }
    return make_pins(m);
}

// A s
static inline void planar_pins_lever(const HolFrame *f, const double *s, double out[2]) {
    out[0] = f->c * s[0] - f->s * s[1];
    out[1] = f->s * s[0] + f->c * s[1];
}

static void pins_constraint(const HolModel *m, const HolFrame *frames, int first, int end,
                            double *g) {
    for (const HolPin *p = m->batch.pins + first; p < m->batch.pins + end; p++) {
        const HolPinShape *shape = &m->batch.pin_shapes[p->shape];
        const HolFrame *a = &frames[p->body[0]], *b = &frames[p->body[1]];
        double la[2], lb[2];
        planar_pins_lever(a, shape->s[0], la);
        planar_pins_lever(b, shape->s[1], lb);
        g[p->equation] = b->r[0] + lb[0] - a->r[0] - la[0] - shape->constant[0];
        g[p->equation + 1] = b->r[1] + lb[1] - a->r[1] - la[1] - shape->constant[1];
    }
}

static void pins_jacobian(const HolModel *m, const HolFrame *frames, int first, int end,
                          double *G) {
    for (const HolPin *p = m->batch.pins + first; p < m->batch.pins + end; p++) {
        const HolPinShape *shape = &m->batch.pin_shapes[p->shape];
        for (int side = 0; side < 2; side++) {
            double l[2];
            planar_pins_lever(&frames[p->body[side]], shape->s[side], l);
            const double sign = side ? 1 : -1, turn[2] = {-sign * l[1], sign * l[0]};
            for (int axis = 0; axis < 2; axis++) {
                double *row = G + p->start[axis];
                const signed char *at = shape->at[axis][side];
                if (at[0] >= 0)
                    row[at[0]] = sign;
                if (at[1] >= 0)
                    row[at[1]] = turn[axis];
            }
        }
    }
}

static void points_constraint(const HolModel *m, const HolFrame *frames, int first, int end,
                              double *g) {
    for (int i = first; i < end; i++) {
        const HolPointRow *p = &m->batch.points[m->batch.single[i]];
        const HolFrame *a = &frames[p->body[0]], *b = &frames[p->body[1]];
        double la[2], lb[2];
        planar_pins_lever(a, p->s[0], la);
        planar_pins_lever(b, p->s[1], lb);
        const double x = b->r[0] + lb[0] - a->r[0] - la[0], y = b->r[1] + lb[1] - a->r[1] - la[1];
        g[p->equation] = p->u[0] * x + p->u[1] * y - p->constant;
    }
}

static void points_jacobian(const HolModel *m, const HolFrame *frames, int first, int end,
                            double *G) {
    for (int i = first; i < end; i++) {
        const HolPointRow *p = &m->batch.points[m->batch.single[i]];
        double *row = G + p->start;
        for (int side = 0; side < 2; side++) {
            double l[2];
            planar_pins_lever(&frames[p->body[side]], p->s[side], l);
            const double sign = side ? 1 : -1,
                         entry[3] = {sign * p->u[0], sign * p->u[1],
                                     sign * (p->u[1] * l[0] - p->u[0] * l[1])};
            for (int c = 0; c < 3; c++)
                if (p->at[side][c] >= 0)
                    row[p->at[side][c]] = entry[c];
        }
    }
}

void hol_point_levers(const HolPointRow *p, const HolFrame *frames, double out[2]) {
    for (int side = 0; side < 2; side++) {
        double l[2];
        planar_pins_lever(&frames[p->body[side]], p->s[side], l);
        out[side] = p->u[0] * l[0] + p->u[1] * l[1];
    }
}

void hol_points_turning(const HolModel *m, const HolFrame *frames, const double *v, double *B) {
    for (int i = 0; i < m->batch.n_points; i++) {
        const HolPointRow *p = &m->batch.points[i];
        double second[2];
        hol_point_levers(p, frames, second);
        if (p->turn[0] >= 0)
            B[p->start + p->at[0][2]] += second[0] * v[p->turn[0]];
        if (p->turn[1] >= 0)
            B[p->start + p->at[1][2]] -= second[1] * v[p->turn[1]];
    }
}

static int pins_count(const HolModel *m) {
    return m->batch.n_pins;
}

static int points_count(const HolModel *m) {
    return m->batch.n_single;
}

const HolDirectKind hol_direct_pins = {"pin in the plane", pins_count, pins_constraint,
                                       pins_jacobian};
const HolDirectKind hol_direct_points = {"point row in the plane", points_count, points_constraint,
                                         points_jacobian};
