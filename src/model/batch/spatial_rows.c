// SPDX-License-Identifier: Apache-2.0
// Equations of points and axes in space, most of what spatial mechanisms consist of. They are
// evaluated straight from the frames, without terms, rows and cached coefficients:
//   point  g = u . (r_b + A_b s_b - r_a - A_a s_a) - constant
//          G = (-u, -s_a x A_a^T u, u, s_b x A_b^T u)
//   axes   g = c (A_a s_a) . (A_b s_b) - constant
//          G = c (0, s_a x A_a^T A_b s_b, 0, s_b x A_b^T A_a s_a)
// The data lie in the order of the equations; all other equations are listed apart.
// What it pays: without this list tangent takes 1.07 times the instructions on Bricard's mechanism and
// 1.05 times on the flyball governor.
#include "math/vec.h"
#include "model/model.h"

#include <string.h>

static int is_space_row(const HolModel *m, const HolEquation *e) {
    if (m->space != HOL_SPATIAL || e->n_terms != 1 || e->expr || !e->holonomic)
        return 0;
    const HolRow *r = &m->sys.rows[m->sys.terms[e->first_term].row];
    return r->a != r->b && (r->kind == &hol_row_point3 || r->kind == &hol_row_dot3);
}

static HolSpaceShape spatial_rows_shape_of(const HolModel *m, const HolEquation *e) {
    const HolTerm *term = &m->sys.terms[e->first_term];
    const HolRow *r = &m->sys.rows[term->row];
    const int local[2] = {e->term_a[0], e->term_b[0]};
    HolSpaceShape p = {.constant = e->constant, .axes = r->kind == &hol_row_dot3};
    for (int c = 0; c < 3; c++) {
        p.u[c] = term->coef * (p.axes ? 1 : r->ua[c]);
        p.s[0][c] = p.axes ? r->ua[c] : r->sa[c];
        p.s[1][c] = p.axes ? r->ub[c] : r->sb[c];
    }
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < 6; c++)
            p.at[side][c] = (signed char)(local[side] >= 0 ? e->pos[local[side]][c] : -1);
    return p;
}

// the number of a shape, which is one of the last few or a new one
static int spatial_rows_place_of(HolModel *m, const HolSpaceShape *shape) {
    enum { FEW = 32 };
    const int n = m->batch.n_space_shapes;
    for (int i = n - 1; i >= 0 && i >= n - FEW; i--)
        if (memcmp(&m->batch.space_shapes[i], shape, sizeof *shape) == 0)
            return i;
    m->batch.space_shapes[n] = *shape;
    return m->batch.n_space_shapes++;
}

static HolSpaceRow row_of(HolModel *m, int index) {
    const HolEquation *e = &m->sys.equations[index];
    const HolRow *r = &m->sys.rows[m->sys.terms[e->first_term].row];
    const HolSpaceShape shape = spatial_rows_shape_of(m, e);
    return (HolSpaceRow){.body = {r->a, r->b},
                         .equation = index,
                         .start = e->g_start,
                         .shape = spatial_rows_place_of(m, &shape)};
}

int hol_space_rows_build(HolModel *m) {
    m->batch.space_rows = HOL_NEW(&m->arena, HolSpaceRow, m->sys.n_equations + 1);
    m->batch.space_shapes = HOL_NEW(&m->arena, HolSpaceShape, m->sys.n_equations + 1);
    m->batch.other = HOL_NEW(&m->arena, int, m->batch.n_general + 1);
    if (!m->batch.space_rows || !m->batch.space_shapes || !m->batch.other)
        return 0;
    for (int l = 0; l < m->batch.n_general; l++)
        if (is_space_row(m, &m->sys.equations[m->batch.general[l]]))
            m->batch.space_rows[m->batch.n_space_rows++] = row_of(m, m->batch.general[l]);
        else
            m->batch.other[m->batch.n_other++] = m->batch.general[l];
    return 1;
}

static inline Vec3 spatial_rows_turned(const HolFrame *f, const double *s) { // A s
    const double *A = f->A;
    return v3(A[0] * s[0] + A[1] * s[1] + A[2] * s[2], A[3] * s[0] + A[4] * s[1] + A[5] * s[2],
              A[6] * s[0] + A[7] * s[1] + A[8] * s[2]);
}

static inline Vec3 turned_back(const HolFrame *f, Vec3 x) { // A^T x
    const double *A = f->A;
    return v3(A[0] * x.x + A[3] * x.y + A[6] * x.z, A[1] * x.x + A[4] * x.y + A[7] * x.z,
              A[2] * x.x + A[5] * x.y + A[8] * x.z);
}

static void spatial_rows_constraint(const HolModel *m, const HolFrame *frames, int first, int end,
                                    double *g) {
    for (int i = first; i < end; i++) {
        const HolSpaceRow *row = &m->batch.space_rows[i];
        const HolSpaceShape *p = &m->batch.space_shapes[row->shape];
        const HolFrame *a = &frames[row->body[0]], *b = &frames[row->body[1]];
        const Vec3 x = spatial_rows_turned(a, p->s[0]), y = spatial_rows_turned(b, p->s[1]);
        if (p->axes)
            g[row->equation] = p->u[0] * v3_dot(x, y) - p->constant;
        else
            g[row->equation] =
                v3_dot(v3_load(p->u), v3_sub(v3_add(v3_load(b->r), y), v3_add(v3_load(a->r), x))) -
                p->constant;
    }
}

static inline void spatial_rows_put(double *row, const signed char *at, Vec3 x) {
    const double value[3] = {x.x, x.y, x.z};
    for (int c = 0; c < 3; c++)
        if (at[c] >= 0)
            row[at[c]] = value[c];
}

static void spatial_rows_jacobian(const HolModel *m, const HolFrame *frames, int first, int end,
                                  double *G) {
    for (int i = first; i < end; i++) {
        const HolSpaceRow *of = &m->batch.space_rows[i];
        const HolSpaceShape *p = &m->batch.space_shapes[of->shape];
        const Vec3 u = v3_load(p->u);
        double *row = G + of->start;
        for (int side = 0; side < 2; side++) {
            const HolFrame *f = &frames[of->body[side]], *other = &frames[of->body[!side]];
            const Vec3 s = v3_load(p->s[side]);
            const double sign = p->axes ? p->u[0] : side ? 1 : -1;
            const Vec3 x = p->axes ? spatial_rows_turned(other, p->s[!side]) : u;
            spatial_rows_put(row, p->at[side], p->axes ? v3(0, 0, 0) : v3_scale(u, sign));
            spatial_rows_put(row, p->at[side] + 3, v3_scale(v3_cross(s, turned_back(f, x)), sign));
        }
    }
}

static int spatial_rows_count(const HolModel *m) {
    return m->batch.n_space_rows;
}

const HolDirectKind hol_direct_spatial = {"points or axes in space", spatial_rows_count,
                                          spatial_rows_constraint, spatial_rows_jacobian};
