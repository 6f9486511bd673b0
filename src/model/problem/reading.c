// SPDX-License-Identifier: Apache-2.0
// Names of a compiled model -> what is read, see reading.h. A name is OWNER.QUANTITY with the table of
// quantities (quantity.c); owners may have dots, and the longest that is known wins.
#include "model/problem/reading.h"

#include "base/text.h"
#include "math/vec.h"
#include "model/force/force.h"
#include "model/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    READ_COLUMN,
    READ_BODY,
    READ_ROW,
    READ_GIVEN,
    READ_PARAMETER,
    READ_LOAD,  // force or torque of a force element
    READ_DRIVE, // of a motion
    READ_AXES   // reaction in axes of the second body
};

// what stands before the dot at `dot`; 0: it is too long
static int reading_owner(const char *name, const char *dot, char owner[128]) {
    const size_t n = (size_t)(dot - name);
    if (n >= 128)
        return 0;
    memcpy(owner, name, n);
    owner[n] = 0;
    return 1;
}

int hol_reading_place(const HolModel *m, const char *name, int *body, double at[3]) {
    char owner[128];
    memset(at, 0, 3 * sizeof *at);
    *body = hol_body_find(m, name);
    if (*body >= 0 || !strcmp(name, "ground")) {
        *body = *body < 0 ? 0 : *body;
        return 1;
    }
    const char *dot = strrchr(name, '.');
    if (!dot || !reading_owner(name, dot, owner))
        return 0;
    *body = strcmp(owner, "ground") ? hol_body_find(m, owner) : 0;
    const HolPointDef *point = *body >= 0 ? hol_point_find(&m->def.bodies[*body], dot + 1) : NULL;
    if (point)
        memcpy(at, point->at, 3 * sizeof *at);
    return point != NULL;
}

static int reading_number_of(const HolQuantity *q) {
    return (int)(q - hol_quantities);
}

// a quantity of a body or of one of its points that a row gives
static int reading_body(const HolModel *m, const char *owner, const char *rest, HolHandle *out) {
    HolRow row;
    if (!hol_reading_place(m, owner, &out->body, out->at))
        return 0;
    const int own = hol_body_find(m, owner) == out->body && out->body > 0;
    const int kind = own ? hol_quantity_body(m->def.bodies[out->body].def.type) : (int)HOL_OF_PLACE;
    const HolQuantity *q = hol_quantity_find(kind, m->space, rest);
    if (!q || q->level == HOL_SLOT_ACCELERATION ||
        !hol_quantity_row(m, out->body, out->at, q, &row))
        return 0;
    out->kind = READ_BODY;
    out->index = reading_number_of(q);
    return 1;
}

static int reading_joint(const HolModel *m, const char *owner, const char *rest, HolHandle *out) {
    const int joint = hol_joint_find(m, owner);
    const HolQuantity *q = joint >= 0 ? hol_quantity_find(HOL_OF_JOINT, m->space, rest) : NULL;
    for (const HolQuantity *o = hol_quantities; joint >= 0 && !q && o->name; o++)
        if (o->source == HOL_FROM_BODY_REACTION && !strcmp(o->name, rest) && // (of outputs alone)
            hol_quantity_of(o, HOL_OF_JOINT, m->space))
            q = o;
    if (!q || q->level == HOL_SLOT_ACCELERATION)
        return 0;
    if (q->source == HOL_FROM_BODY_REACTION) {
        out->kind = READ_AXES;
        out->index = joint;
        out->part = q->axis;
        return 1;
    }
    const HolJoint *j = &m->def.joints[joint];
    out->kind = READ_ROW;
    out->part = (int)q->level;
    out->index = q->source == HOL_FROM_JOINT_ANGLE          ? hol_joint_angle(j)
                 : q->source == HOL_FROM_JOINT_DISPLACEMENT ? hol_joint_displacement(j)
                 : q->source == HOL_FROM_JOINT_COORDINATE   ? j->coordinate
                                                            : -1;
    return out->index >= 0;
}

// has it a force (torque 0), a torque (1)? As load.c
static int reading_has_load(const HolForce *f, int torque) {
    if (f->kind == &hol_force_kind_bushing)
        return 1;
    const int turns = (f->kind->flags & HOL_KIND_TORQUE) != 0;
    return torque == turns &&
           (turns || hol_kind_takes(f->kind, "length") || hol_kind_takes(f->kind, "value"));
}

static int reading_drive(const HolModel *m, const char *owner, const char *rest, HolHandle *out) {
    const HolQuantity *q = hol_quantity_find(HOL_OF_MOTION, m->space, rest);
    for (int i = 0; q && q->source == HOL_FROM_EFFORT && i < m->def.n_motions; i++)
        if (!strcmp(m->def.motions[i].def.name, owner)) {
            out->kind = READ_DRIVE;
            out->index = m->def.motions[i].constraint;
            return 1;
        }
    return 0;
}

static int reading_force(const HolModel *m, const char *owner, const char *rest, HolHandle *out) {
    for (int i = 0; i < m->def.n_forces; i++) {
        const HolForce *f = &m->def.forces[i];
        const HolQuantity *q = f->kind && !strcmp(f->def.name, owner)
                                   ? hol_quantity_find(HOL_OF_FORCE, m->space, rest)
                                   : NULL;
        if (q && q->source == HOL_FROM_LOAD && reading_has_load(f, q->axis)) {
            out->kind = READ_LOAD;
            out->index = i;
            out->part = q->axis;
            return 1;
        }
        if (!q || q->source != HOL_FROM_FORCE_COORDINATE || f->row < 0)
            continue;
        out->kind = READ_ROW;
        out->part = (int)q->level;
        out->index = f->row;
        return 1;
    }
    return 0;
}

// every column that there is, those of `outputs:` too
static int reading_column(const HolModel *m, const char *name) {
    for (int i = 0; i < m->out.n_columns; i++)
        if (!strcmp(m->out.columns[i].name, name))
            return i;
    return -1;
}

static void reading_suggest(const HolModel *m, const char *name, char suggestion[64]) {
    enum { MOST = 4000 };
    const char *names[MOST];
    int n = 0;
    for (int i = 0; i < m->out.n_columns && n < MOST; i++)
        names[n++] = m->out.columns[i].name;
    const char *near = hol_nearest_word(name, names, n);
    snprintf(suggestion, 64, "%.60s", near ? near : "");
}

int hol_reading_find(const HolModel *m, const char *name, HolHandle *out, char suggestion[64]) {
    *out = (HolHandle){0};
    suggestion[0] = 0;
    out->index = hol_given_find(m, name);
    if (out->index >= 0) {
        out->kind = READ_GIVEN;
        return 1;
    }
    for (int i = 0; i < m->def.n_parameters; i++)
        if (!strcmp(m->def.parameters[i].name, name)) {
            out->kind = READ_PARAMETER;
            out->index = i;
            return 1;
        }
    for (const char *dot = name + strlen(name); dot > name; dot--) {
        char owner[128];
        if (*dot == '.' && reading_owner(name, dot, owner) &&
            (reading_body(m, owner, dot + 1, out) || reading_joint(m, owner, dot + 1, out) ||
             reading_force(m, owner, dot + 1, out) || reading_drive(m, owner, dot + 1, out)))
            return 1;
    }
    out->kind = READ_COLUMN;
    out->index = reading_column(m, name);
    if (out->index >= 0)
        return 1;
    // a scalar coordinate by its name alone
    if (reading_body(m, name, "x", out) && !hol_body_placed(&m->def.bodies[out->body].def))
        return 1;
    reading_suggest(m, name, suggestion);
    return 0;
}

int hol_reading_is_plain(const HolModel *m, const HolHandle *h) {
    const int time = h->kind == READ_COLUMN && m->out.columns[h->index].type == HOL_COLUMN_TIME;
    return h->kind != READ_COLUMN && h->kind < READ_LOAD ? 1 : time;
}

// with positions and velocities set in the work
static double reading_row(const HolModel *m, HolModelWork *w, const HolRow *r, int level) {
    double c[2][6] = {{0}}, va[6], vb[6], sum = 0;
    const double expected = hol_row_expected(w, r);
    const HolFrame *a = &w->frames[r->a], *b = &w->frames[r->b];
    if (level == HOL_SLOT_VALUE)
        return r->kind->value(r, a, b, r->memory >= 0 ? &expected : NULL);
    r->kind->coef(r, a, b, c[0], c[1]);
    hol_body_velocity(m, r->a, w->v, va);
    hol_body_velocity(m, r->b, w->v, vb);
    for (int i = 0; i < 6; i++)
        sum += (r->a ? c[0][i] * va[i] : 0) + (r->b ? c[1][i] * vb[i] : 0);
    return sum;
}

// E of an element along its row; all slots are set
static double reading_element(const HolModel *m, HolModelWork *w, const HolElement *e) {
    double along = e->expr ? hol_expr_value(e->expr, w->slot, w->expr) : 0;
    if (e->k != 0)
        along -= e->k * (hol_row_value(m, w, e->other) - e->s0);
    if (e->c != 0)
        along -= e->c * hol_row_rate(m, w, e->other);
    return along;
}

// springs: > 0 where they pull; one value as it is, a vector by its length
static double reading_load(const HolModel *m, HolModelWork *w, int force, int torque,
                           const HolRowInput *in) {
    const HolForce *f = &m->def.forces[force];
    double sum = 0;
    hol_slots_at(&m->problem, w, in->t, in->q, in->v, in->w);
    hol_slots_variables(m, w, m->sys.n_active_slots, in->a, in->lambda, in->w);
    if (f->kind == &hol_force_kind_bushing)
        return hol_bushing_load(m, w, force, torque);
    const HolElement *e = &m->sys.elements[f->first_element];
    if (f->row >= 0)
        return f->n_elements ? -reading_element(m, w, e) : 0;
    for (int i = 0; i < f->n_elements; i++) {
        const double along = reading_element(m, w, &e[i]);
        sum = f->def.n_value == 1 ? along : hypot(sum, along);
    }
    return sum;
}

static double reading_axes(const HolModel *m, HolModelWork *w, const HolHandle *h,
                           const double *lambda) {
    const HolJoint *j = &m->def.joints[h->index];
    const HolFrame *b = &w->frames[j->b.body];
    const int turns = j->b.body > 0 && hol_body_turns(&m->def.bodies[j->b.body].def);
    const int axis = h->part % 3;
    double both[6];
    hol_joint_reaction(m, w, h->index, lambda, both);
    const double *f = both + h->part - axis;
    if (!turns || (m->space == HOL_PLANAR && axis == 2))
        return f[axis];
    if (m->space == HOL_PLANAR)
        return axis ? b->c * f[1] - b->s * f[0] : b->c * f[0] + b->s * f[1];
    return b->A[axis] * f[0] + b->A[3 + axis] * f[1] + b->A[6 + axis] * f[2];
}

double hol_reading_value(const HolModel *m, HolModelWork *w, const HolHandle *h,
                         const HolRowInput *in) {
    HolRow row;
    double value = NAN;
    if (h->kind == READ_PARAMETER)
        return m->def.parameters[h->index].value;
    if (h->kind == READ_GIVEN)
        return w->given[h->index];
    if (h->kind == READ_COLUMN && m->out.columns[h->index].type == HOL_COLUMN_TIME)
        return in->t;
    hol_model_position(m, w, in->t, in->q);
    hol_model_velocity(m, w, in->v);
    if (h->kind == READ_COLUMN) {
        hol_model_row_of(m, w, in, &h->index, 1, &value);
        return value;
    }
    if (h->kind == READ_DRIVE)
        return -in->lambda[h->index];
    if (h->kind == READ_LOAD)
        return reading_load(m, w, h->index, h->part, in);
    if (h->kind == READ_AXES)
        return reading_axes(m, w, h, in->lambda);
    if (h->kind == READ_ROW)
        return reading_row(m, w, &m->sys.rows[h->index], h->part);
    const HolQuantity *q = &hol_quantities[h->index];
    return hol_quantity_row(m, h->body, h->at, q, &row) ? reading_row(m, w, &row, (int)q->level)
                                                        : NAN;
}
