// SPDX-License-Identifier: Apache-2.0
// The size of a model and the groups of its velocity coordinates, for the error test
// (docs/theory/error-control.md, section 11).
//
// Length L: the first of these that is more than round-off (HOL_NO_LENGTH): the largest distance of an attachment of a joint
// or force from the centre of mass of its body, and start length of a spring or distance joint;
// half the diagonal of the box of the bodies' centres; the largest distance from the origin.
// A free part: two or more bodies that joints and forces connect, none of them with the ground.
#include "model/extent.h"

#include <math.h>
#include <string.h>

static double length_of(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double arm(const HolAttach *a) {
    return a->body > 0 ? length_of(a->at, 3) : 0;
}

// start length of a row that measures one, else 0
static double row_length(const HolModel *m, const HolModelWork *w, int row) {
    const HolRow *r = &m->sys.rows[row];
    if (r->kind == &hol_row_square2 || r->kind == &hol_row_square3)
        return fabs(r->c);
    if (r->kind == &hol_row_length2 || r->kind == &hol_row_length3)
        return fabs(r->kind->value(r, &w->frames[r->a], &w->frames[r->b], NULL));
    return 0;
}

static double joint_length(const HolModel *m, const HolModelWork *w, const HolJoint *j) {
    double most = fmax(arm(&j->a), arm(&j->b));
    for (int i = 0; i < j->n_equations; i++) {
        const HolEquation *e = &m->sys.equations[j->equations[i]];
        for (int k = 0; k < e->n_terms; k++)
            most = fmax(most, row_length(m, w, m->sys.terms[e->first_term + k].row));
    }
    return most;
}

static double force_length(const HolModel *m, const HolModelWork *w, const HolForce *f) {
    double most = fmax(arm(&f->on), fmax(arm(&f->a), arm(&f->b)));
    for (int i = 0; i < f->n_elements; i++)
        most = fmax(most, row_length(m, w, m->sys.elements[f->first_element + i].row));
    return most;
}

// half the diagonal of the box of the bodies; of one body alone its distance from the origin
static double extent_spread(const HolModel *m, const double *q) {
    const int dim = m->space == HOL_SPATIAL ? 3 : 2;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double box[3] = {0}, far = 0;
    for (int i = 1; i < m->def.n_bodies; i++) {
        const HolBody *b = &m->def.bodies[i];
        if (!hol_body_placed(&b->def))
            continue;
        for (int c = 0; c < dim; c++) {
            low[c] = fmin(low[c], q[b->q + c]);
            high[c] = fmax(high[c], q[b->q + c]);
        }
        far = fmax(far, length_of(q + b->q, dim));
    }
    for (int c = 0; c < dim; c++)
        box[c] = high[c] > low[c] ? high[c] - low[c] : 0;
    const double diagonal = length_of(box, dim);
    return diagonal > HOL_NO_LENGTH ? diagonal / 2 : far > HOL_NO_LENGTH ? far : 0;
}

double hol_model_length(const HolModel *m, HolModelWork *w, double t, const double *q) {
    double most = 0;
    hol_model_position(m, w, t, q);
    for (int i = 0; i < m->def.n_joints; i++)
        most = fmax(most, joint_length(m, w, &m->def.joints[i]));
    for (int i = 0; i < m->def.n_forces; i++)
        most = fmax(most, force_length(m, w, &m->def.forces[i]));
    for (int i = 0; i < m->beams.n; i++)
        most = fmax(most, m->beams.list[i].length);
    for (int i = 0; i < m->modals.n; i++)
        most = fmax(most, m->modals.list[i].length);
    return most > HOL_NO_LENGTH && isfinite(most) ? most : extent_spread(m, q);
}

// ---- groups ----

static int extent_root_of(int *up, int i) {
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static void join(int *up, int a, int b) {
    a = extent_root_of(up, a);
    b = extent_root_of(up, b);
    if (a < b)
        up[b] = a;
    else
        up[a] = b;
}

// part[i]: number of the free part of body i, 0: none; returns how many there are
static int find_parts(const HolModel *m, int *part) {
    for (int i = 0; i < m->def.n_bodies; i++)
        part[i] = i;
    for (int i = 0; i < m->sys.n_equations; i++) {
        const HolEquation *e = &m->sys.equations[i];
        for (int k = 0; k < e->n_terms; k++) {
            const HolRow *r = &m->sys.rows[m->sys.terms[e->first_term + k].row];
            if (!hol_body_is_mode(m, r->b)) // (its row has no other body)
                join(part, r->a, r->b);
        }
        for (int k = 1; k < e->n_bodies; k++)
            join(part, e->bodies[0], e->bodies[k]);
    }
    for (int i = 0; i < m->def.n_forces; i++) {
        const HolForce *f = &m->def.forces[i];
        for (int k = 0; k < f->n_elements; k++) {
            const HolRow *r = &m->sys.rows[m->sys.elements[f->first_element + k].row];
            if (r->kind->holonomic && !f->on.body)
                join(part, r->a, r->b);
        }
    }
    for (int i = 0; i < m->beams.n; i++)
        for (int k = 1; k <= m->beams.list[i].n; k++)
            join(part, m->beams.list[i].first, m->beams.list[i].first + k);
    // (a root is the least body of its part)
    int *size = part + m->def.n_bodies, count = 0;
    memset(size, 0, sizeof *size * (size_t)m->def.n_bodies);
    for (int i = 0; i < m->def.n_bodies; i++) {
        part[i] = extent_root_of(part, i);
        size[part[i]]++;
    }
    for (int i = 0; i < m->def.n_bodies; i++)
        size[i] = i > 0 && size[i] > 1 ? ++count : 0; // now the number of the part
    for (int i = 0; i < m->def.n_bodies; i++)
        part[i] = size[part[i]];
    return count;
}

int hol_model_groups(const HolModel *m, int *part, HolGroup *out, int *parts) {
    const int dim = m->space == HOL_SPATIAL ? 3 : 2;
    int n = 0;
    *parts = find_parts(m, part);
    for (int i = 1; i < m->def.n_bodies; i++) {
        const HolBody *b = &m->def.bodies[i];
        if (hol_body_is_mode(m, i)) { // a length, as the places that it moves
            out[n++] = (HolGroup){b->v, b->q, 1, i, 0, HOL_GROUP_TRANSLATION, 0, 0, 0};
            continue;
        }
        if (!hol_body_placed(&b->def)) {
            const HolGroupKind kind = b->span > 0 ? HOL_GROUP_PARAMETER
                                      : b->hidden ? HOL_GROUP_STATE
                                                  : HOL_GROUP_SCALAR;
            out[n++] = (HolGroup){b->v, b->q, 1, i, 0, kind, 0, 0, b->span};
            continue;
        }
        out[n++] =
            (HolGroup){b->v, b->q, dim, i, 0, HOL_GROUP_TRANSLATION, part[i], b->def.mass, 0};
        for (int k = dim; k < b->nv; k++)
            out[n++] = (HolGroup){b->v + k, dim == 2 ? b->q + k : -1, 1,       i,
                                  k - dim,  HOL_GROUP_ROTATION,       part[i], 0,
                                  0};
    }
    return n;
}
