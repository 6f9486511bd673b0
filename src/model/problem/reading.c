// SPDX-License-Identifier: Apache-2.0
// Names of a compiled model -> what is read, see reading.h. A name is OWNER.QUANTITY with the table of
// quantities (quantity.c); owners may have dots, and the longest that is known wins.
#include "model/problem/reading.h"

#include "base/text.h"
#include "math/vec.h"
#include "model/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { READ_COLUMN, READ_BODY, READ_ROW, READ_GIVEN, READ_PARAMETER };

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
    if (!q || q->level == HOL_SLOT_ACCELERATION)
        return 0;
    const HolJoint *j = &m->def.joints[joint];
    out->kind = READ_ROW;
    out->part = (int)q->level;
    out->index = q->source == HOL_FROM_JOINT_ANGLE          ? hol_joint_angle(j)
                 : q->source == HOL_FROM_JOINT_DISPLACEMENT ? hol_joint_displacement(j)
                 : q->source == HOL_FROM_JOINT_COORDINATE   ? j->coordinate
                                                            : -1;
    return out->index >= 0;
}

static int reading_force(const HolModel *m, const char *owner, const char *rest, HolHandle *out) {
    for (int i = 0; i < m->def.n_forces; i++) {
        const HolForce *f = &m->def.forces[i];
        const HolQuantity *q = f->kind && !strcmp(f->def.name, owner)
                                   ? hol_quantity_find(HOL_OF_FORCE, m->space, rest)
                                   : NULL;
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
             reading_force(m, owner, dot + 1, out)))
            return 1;
    }
    out->kind = READ_COLUMN;
    out->index = reading_column(m, name);
    if (out->index >= 0)
        return 1;
    // a scalar coordinate by its name alone
    if (reading_body(m, name, "x", out) && m->def.bodies[out->body].def.type == HOL_COORDINATE)
        return 1;
    reading_suggest(m, name, suggestion);
    return 0;
}

int hol_reading_is_plain(const HolModel *m, const HolHandle *h) {
    const int time = h->kind == READ_COLUMN && m->out.columns[h->index].type == HOL_COLUMN_TIME;
    return h->kind != READ_COLUMN || time;
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
    if (h->kind == READ_ROW)
        return reading_row(m, w, &m->sys.rows[h->index], h->part);
    const HolQuantity *q = &hol_quantities[h->index];
    return hol_quantity_row(m, h->body, h->at, q, &row) ? reading_row(m, w, &row, (int)q->level)
                                                        : NAN;
}
