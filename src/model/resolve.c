// SPDX-License-Identifier: Apache-2.0
// Names in expressions -> slots. A slot is a number the model supplies: time, the value, rate or
// acceleration of a row, a reaction, a multiplier, an algebraic variable.
//   time, parameters, variables
//   BODY.x y z vx vy vz ax ay az        a body; also BODY.POINT.x .. .vz
//     plane: angle, omega (w), alpha    space: qw qx qy qz (p0 .. p3), wx wy wz (global),
//                                       omega_x omega_y omega_z (body axes)
//   NAME, NAME.x, NAME.v, NAME.a        a scalar coordinate
//   JOINT.angle rate displacement speed, JOINT.fx fy fz
//   MOTION.lambda, CONSTRAINT.lambda
//   SPRING.length rate, TORSION.angle rate; in its own law also length (angle) and rate alone
// Variables that depend on accelerations or reactions, or on each other in a circle, become
// unknowns w of the problem (docs/theory/variables.md, section 12); the others are inlined.
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hol_slot(HolModel *m, HolSlotType type, int row, int joint, int axis, int index) {
    HolSlot wanted = {type, row, joint, axis, index};
    // a row made just now can only be among the newest slots
    int newest = row > 0 && row == m->sys.n_rows - 1 && m->sys.n_slots > 8;
    for (int i = newest ? m->sys.n_slots - 4 : 0; i < m->sys.n_slots; i++) {
        const HolSlot *s = &m->sys.slots[i];
        if (s->type == type && s->row == row && s->joint == joint && s->axis == axis &&
            s->index == index)
            return i;
    }
    if (!HOL_GROW(&m->arena, m->sys.slots, m->sys.n_slots, m->sys.cap_slots))
        return 0;
    m->sys.slots[m->sys.n_slots] = wanted;
    return m->sys.n_slots++;
}

// a row used by some slot already, or a new one
static int shared_row(HolModel *m, const HolRow *row) {
    for (int i = 0; i < m->sys.n_slots; i++) {
        HolSlotType t = m->sys.slots[i].type;
        if (t != HOL_SLOT_VALUE && t != HOL_SLOT_RATE && t != HOL_SLOT_ACCELERATION)
            continue;
        const HolRow *r = &m->sys.rows[m->sys.slots[i].row];
        if (r->kind == row->kind && r->a == row->a && r->b == row->b && r->c == row->c &&
            !memcmp(r->sb, row->sb, sizeof r->sb) && !memcmp(r->ua, row->ua, sizeof r->ua) &&
            !memcmp(r->ub, row->ub, sizeof r->ub) && !memcmp(r->sa, row->sa, sizeof r->sa) &&
            r->memory == row->memory)
            return m->sys.slots[i].row;
    }
    return hol_add_row(m, row);
}

typedef struct {
    const char *name;
    HolSlotType type;
    int axis;
} Part;

static const Part linear_parts[] = {
    {"x", HOL_SLOT_VALUE, 0},         {"y", HOL_SLOT_VALUE, 1},
    {"z", HOL_SLOT_VALUE, 2},         {"vx", HOL_SLOT_RATE, 0},
    {"vy", HOL_SLOT_RATE, 1},         {"vz", HOL_SLOT_RATE, 2},
    {"ax", HOL_SLOT_ACCELERATION, 0}, {"ay", HOL_SLOT_ACCELERATION, 1},
    {"az", HOL_SLOT_ACCELERATION, 2}, {0}};
static const Part planar_parts[] = {{"angle", HOL_SLOT_VALUE, 0},
                                    {"omega", HOL_SLOT_RATE, 0},
                                    {"w", HOL_SLOT_RATE, 0},
                                    {"alpha", HOL_SLOT_ACCELERATION, 0},
                                    {0}};
static const Part scalar_parts[] = {{"x", HOL_SLOT_VALUE, 0},
                                    {"v", HOL_SLOT_RATE, 0},
                                    {"vx", HOL_SLOT_RATE, 0},
                                    {"rate", HOL_SLOT_RATE, 0},
                                    {"a", HOL_SLOT_ACCELERATION, 0},
                                    {"ax", HOL_SLOT_ACCELERATION, 0},
                                    {0}};
static const Part quaternion_parts[] = {{"qw", HOL_SLOT_VALUE, 0}, {"qx", HOL_SLOT_VALUE, 1},
                                        {"qy", HOL_SLOT_VALUE, 2}, {"qz", HOL_SLOT_VALUE, 3},
                                        {"w", HOL_SLOT_VALUE, 0},  {"p0", HOL_SLOT_VALUE, 0},
                                        {"p1", HOL_SLOT_VALUE, 1}, {"p2", HOL_SLOT_VALUE, 2},
                                        {"p3", HOL_SLOT_VALUE, 3}, {0}};
static const Part turn_parts[] = {
    {"wx", HOL_SLOT_RATE, 0}, {"wy", HOL_SLOT_RATE, 1}, {"wz", HOL_SLOT_RATE, 2}, {0}};
static const Part spin_parts[] = {{"omega_x", HOL_SLOT_RATE, 0},
                                  {"omega_y", HOL_SLOT_RATE, 1},
                                  {"omega_z", HOL_SLOT_RATE, 2},
                                  {"alpha_x", HOL_SLOT_ACCELERATION, 0},
                                  {"alpha_y", HOL_SLOT_ACCELERATION, 1},
                                  {"alpha_z", HOL_SLOT_ACCELERATION, 2},
                                  {0}};

static const Part *find_part(const Part *parts, const char *name) {
    for (; parts->name; parts++)
        if (strcmp(parts->name, name) == 0)
            return parts;
    return NULL;
}

static int part_slot(HolModel *m, const HolRow *row, const Part *p, HolSymbol *out) {
    int r = shared_row(m, row);
    if (r < 0)
        return 0;
    out->type = HOL_SYMBOL_SLOT;
    out->slot = hol_slot(m, p->type, r, 0, 0, 0);
    return 1;
}

// a point of a body: x .. az
static int point_symbol(HolModel *m, int body, const double *at, const char *part, HolSymbol *out) {
    int plane = m->space == HOL_PLANAR;
    const Part *p = find_part(linear_parts, part);
    if (!p || (plane && p->axis == 2))
        return 0;
    if (p->type == HOL_SLOT_ACCELERATION && (at[0] != 0 || at[1] != 0 || at[2] != 0))
        return 0; // accelerations of the centre of mass only
    HolRow row = hol_row_new(m, plane ? &hol_row_point2 : &hol_row_point3, 0, body);
    row.ua[p->axis] = 1;
    memcpy(row.sb, at, sizeof row.sb);
    return part_slot(m, &row, p, out);
}

static int body_symbol(HolModel *m, int body, const char *rest, HolSymbol *out) {
    const HolBody *b = &m->def.bodies[body];
    const double zero[3] = {0, 0, 0};
    const Part *p;
    if (b->def.type == HOL_COORDINATE) {
        HolRow row = hol_row_new(m, &hol_row_coordinate, 0, body);
        p = *rest ? find_part(scalar_parts, rest) : scalar_parts;
        return p && part_slot(m, &row, p, out);
    }
    if (!*rest)
        return 0;
    const char *dot = strchr(rest, '.');
    if (dot) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(dot - rest), rest);
        const HolPointDef *point = hol_point_find(b, name);
        return point && point_symbol(m, body, point->at, dot + 1, out);
    }
    if (find_part(linear_parts, rest))
        return point_symbol(m, body, zero, rest, out);
    if (b->def.type != HOL_RIGID || body == 0)
        return 0;
    if (m->space == HOL_PLANAR) {
        HolRow row = hol_row_new(m, &hol_row_angle2, 0, body);
        p = find_part(planar_parts, rest);
        return p && part_slot(m, &row, p, out);
    }
    if ((p = find_part(quaternion_parts, rest))) {
        HolRow row = hol_row_new(m, &hol_row_quaternion, 0, body);
        row.c = p->axis;
        return part_slot(m, &row, p, out);
    }
    if ((p = find_part(turn_parts, rest))) {
        HolRow row = hol_row_new(m, &hol_row_turn3, 0, body);
        row.ua[p->axis] = 1;
        return part_slot(m, &row, p, out);
    }
    if ((p = find_part(spin_parts, rest))) {
        HolRow row = hol_row_new(m, &hol_row_spin3, 0, body);
        row.ub[p->axis] = 1;
        return part_slot(m, &row, p, out);
    }
    return 0;
}

static int row_slot(HolModel *m, HolSlotType type, int row, HolSymbol *out) {
    if (row < 0)
        return 0;
    out->type = HOL_SYMBOL_SLOT;
    out->slot = hol_slot(m, type, row, 0, 0, 0);
    return 1;
}

static int joint_symbol(HolModel *m, int joint, const char *rest, HolSymbol *out) {
    const HolJoint *j = &m->def.joints[joint];
    int angle = j->coordinate_is_angle ? j->coordinate : -1;
    int slide = j->coordinate_is_angle ? j->coordinate2 : j->coordinate;
    if (!strcmp(rest, "angle"))
        return row_slot(m, HOL_SLOT_VALUE, angle, out);
    if (!strcmp(rest, "rate"))
        return row_slot(m, HOL_SLOT_RATE, angle >= 0 ? angle : slide, out);
    if (!strcmp(rest, "displacement"))
        return row_slot(m, HOL_SLOT_VALUE, slide, out);
    if (!strcmp(rest, "speed"))
        return row_slot(m, HOL_SLOT_RATE, slide, out);
    if (rest[0] == 'f' && rest[1] >= 'x' && rest[1] <= 'z' && !rest[2] &&
        (m->space == HOL_SPATIAL || rest[1] != 'z')) {
        out->type = HOL_SYMBOL_SLOT;
        out->slot = hol_slot(m, HOL_SLOT_REACTION, 0, joint, rest[1] - 'x', 0);
        return 1;
    }
    return 0;
}

static int force_symbol(HolModel *m, const HolForce *f, const char *rest, HolSymbol *out) {
    const int row =
        f->row < 0 && f->n_elements == 1 ? m->sys.elements[f->first_element].row : f->row;
    if (row < 0 || !m->sys.rows[row].kind->holonomic)
        return 0;
    if (!strcmp(rest, "length") || !strcmp(rest, "angle"))
        return row_slot(m, HOL_SLOT_VALUE, row, out);
    return !strcmp(rest, "rate") && row_slot(m, HOL_SLOT_RATE, row, out);
}

const HolExpr *hol_variable_expr(HolModel *m, int i) {
    const HolVariable *v = &m->def.variables[i];
    return v->state == 2 && v->implicit < 0
               ? v->expr
               : hol_expr_slot(&m->arena, hol_slot(m, HOL_SLOT_VARIABLE, 0, 0, 0, i));
}

static int variable_symbol(HolModel *m, const char *name, HolSymbol *out) {
    for (int i = 0; i < m->def.n_variables; i++) {
        HolVariable *v = &m->def.variables[i];
        if (strcmp(v->def.name, name) != 0)
            continue;
        if (v->state == 2 && v->implicit < 0) {
            out->type = HOL_SYMBOL_EXPR;
            out->expr = v->expr;
        } else {
            // not compiled yet (first pass) or implicit: by its own number
            out->type = HOL_SYMBOL_SLOT;
            out->slot = hol_slot(m, HOL_SLOT_VARIABLE, 0, 0, 0, i);
        }
        return 1;
    }
    return 0;
}

static int simple_symbol(HolModel *m, const char *name, HolSymbol *out) {
    int found;
    if (!strcmp(name, "time") || !strcmp(name, "t")) {
        double value = hol_parameter(m, name, &found);
        if (found) {
            *out = (HolSymbol){HOL_SYMBOL_CONSTANT, value, 0, NULL};
            return 1;
        }
        if (!strcmp(name, "t"))
            return 0;
        *out = (HolSymbol){HOL_SYMBOL_SLOT, 0, 0, NULL};
        return 1;
    }
    double value = hol_parameter(m, name, &found);
    if (found) {
        *out = (HolSymbol){HOL_SYMBOL_CONSTANT, value, 0, NULL};
        return 1;
    }
    return variable_symbol(m, name, out) ||
           (m->own_force && force_symbol(m, m->own_force, name, out));
}

static int owner_symbol(HolModel *m, const char *owner, const char *rest, HolSymbol *out) {
    int body = hol_body_find(m, owner), joint = hol_joint_find(m, owner);
    if (body >= 0 && body_symbol(m, body, rest, out))
        return 1;
    if (joint >= 0 && joint_symbol(m, joint, rest, out))
        return 1;
    for (int i = 0; i < m->def.n_forces; i++)
        if (m->def.forces[i].kind && !strcmp(m->def.forces[i].def.name, owner) &&
            force_symbol(m, &m->def.forces[i], rest, out))
            return 1;
    if (!strcmp(rest, "lambda"))
        for (int i = 0; i < m->sys.n_equations; i++)
            if (!strcmp(m->sys.equations[i].owner, owner)) {
                out->type = HOL_SYMBOL_SLOT;
                out->slot = hol_slot(m, HOL_SLOT_MULTIPLIER, 0, 0, 0, i);
                return 1;
            }
    return 0;
}

// the nearest name: same owner with another part, or another owner
static void resolve_suggest(HolModel *m, const char *owner, const char *rest, char suggestion[64]) {
    const char *names[256], *parts[40];
    int n = 0, p = 0;
    suggestion[0] = 0;
    names[n++] = "time";
    for (int i = 1; i < m->def.n_bodies && n < 120; i++)
        names[n++] = m->def.bodies[i].def.name;
    for (int i = 0; i < m->def.n_joints && n < 180; i++)
        names[n++] = m->def.joints[i].def.name;
    for (int i = 0; i < m->def.n_parameters && n < 220; i++)
        names[n++] = m->def.parameters[i].name;
    for (int i = 0; i < m->def.n_variables && n < 250; i++)
        names[n++] = m->def.variables[i].def.name;
    int known = hol_body_find(m, owner) >= 0 || hol_joint_find(m, owner) >= 0;
    const char *near = known ? owner : hol_nearest_word(owner, names, n);
    if (!near)
        return;
    if (!known || !*rest) {
        snprintf(suggestion, 64, "%.30s%s%.30s", near, *rest ? "." : "", rest);
        return;
    }
    int plane = m->space == HOL_PLANAR, body = hol_body_find(m, owner);
    const Part *lists[] = {linear_parts, plane ? planar_parts : turn_parts,
                           plane ? NULL : quaternion_parts};
    for (int l = 0; body >= 0 && l < 3; l++)
        for (const Part *q = lists[l]; q && q->name && p < 32; q++)
            if (!plane || q->axis < 2)
                parts[p++] = q->name;
    static const char *const of_joint[] = {"angle", "rate", "displacement", "speed", "fx",
                                           "fy",    "fz"};
    for (int i = 0; hol_joint_find(m, owner) >= 0 && i < 7 - plane; i++)
        parts[p++] = of_joint[i];
    const char *part = hol_nearest_word(rest, parts, p);
    if (part)
        snprintf(suggestion, 64, "%.30s.%.30s", near, part);
}

static void resolve_resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    HolModel *m = context;
    *out = (HolSymbol){0};
    suggestion[0] = 0;
    if (simple_symbol(m, name, out))
        return;
    char owner[64];
    const char *dot = strchr(name, '.');
    size_t n = dot ? (size_t)(dot - name) : strlen(name);
    if (n < sizeof owner) {
        memcpy(owner, name, n);
        owner[n] = 0;
        if (owner_symbol(m, owner, dot ? dot + 1 : "", out))
            return;
        resolve_suggest(m, owner, dot ? dot + 1 : "", suggestion);
    }
    out->type = HOL_SYMBOL_UNKNOWN;
}

void hol_scope(HolModel *m, HolExprScope *scope) {
    *scope = (HolExprScope){m, resolve_resolve, m->def.tables, m->def.n_tables, 1};
}

int hol_row_coordinate_of(HolModel *m, const char *name, int *row, char *why, size_t size) {
    HolSymbol symbol;
    char suggestion[64] = "";
    if (name)
        resolve_resolve(m, name, &symbol, suggestion);
    if (name && symbol.type == HOL_SYMBOL_SLOT &&
        m->sys.slots[symbol.slot].type == HOL_SLOT_VALUE) {
        *row = m->sys.slots[symbol.slot].row;
        return 1;
    }
    snprintf(why, size, "'%s' is not a coordinate%s%s%s", name ? name : "",
             suggestion[0] ? "; did you mean '" : "", suggestion,
             suggestion[0] ? "'?" : "; name a scalar coordinate or BODY.x, BODY.y, BODY.angle");
    return 0;
}

// ---- variables ----

// does e use a slot that is only known after the accelerations?
int hol_uses_implicit(const HolModel *m, const HolExpr *e) {
    const int *slots = hol_expr_slots(e);
    for (int i = 0; i < hol_expr_slot_count(e); i++) {
        HolSlotType t = m->sys.slots[slots[i]].type;
        if (t == HOL_SLOT_ACCELERATION || t == HOL_SLOT_REACTION || t == HOL_SLOT_MULTIPLIER)
            return 1;
    }
    return 0;
}

// depth-first: a variable on a circle is implicit, one below is inlined
static void resolve_visit(HolModel *m, int i) {
    HolVariable *v = &m->def.variables[i];
    v->state = 1;
    const int *slots = hol_expr_slots(v->expr);
    for (int k = 0; k < hol_expr_slot_count(v->expr); k++) {
        const HolSlot *s = &m->sys.slots[slots[k]];
        if (s->type != HOL_SLOT_VARIABLE)
            continue;
        if (m->def.variables[s->index].state == 1)
            m->def.variables[s->index].implicit = 0; // circle closed
        else if (m->def.variables[s->index].state == 0)
            resolve_visit(m, s->index);
    }
    v->state = 3;
}

int hol_variables_compile(HolModel *m, HolError *err) {
    char label[160];
    int ok = 1;
    // first pass: every variable by its number
    for (int i = 0; i < m->def.n_variables; i++) {
        HolVariable *v = &m->def.variables[i];
        snprintf(label, sizeof label, "variable '%s'", v->def.name);
        v->expr = hol_compile_expr(m, v->def.value, label, v->def.line, v->def.column, err);
        ok &= v->expr != NULL;
    }
    if (!ok)
        return 0;
    for (int i = 0; i < m->def.n_variables; i++)
        if (m->def.variables[i].state == 0)
            resolve_visit(m, i);
    for (int i = 0; i < m->def.n_variables; i++)
        if (hol_uses_implicit(m, m->def.variables[i].expr))
            m->def.variables[i].implicit = 0;
    // second pass: explicit ones in order of dependence (repeat until none is left), then implicit
    // ones
    for (int i = 0; i < m->def.n_variables; i++)
        m->def.variables[i].state = m->def.variables[i].implicit >= 0 ? 1 : 0;
    for (int left = 1, pass = 0; left && pass <= m->def.n_variables; pass++) {
        left = 0;
        for (int i = 0; i < m->def.n_variables; i++) {
            HolVariable *v = &m->def.variables[i];
            int ready = v->state == 0;
            const int *slots = hol_expr_slots(v->expr);
            for (int k = 0; ready && k < hol_expr_slot_count(v->expr); k++) {
                const HolSlot *s = &m->sys.slots[slots[k]];
                if (s->type == HOL_SLOT_VARIABLE && m->def.variables[s->index].state == 0)
                    ready = 0;
            }
            if (!ready) {
                left |= v->state == 0;
                continue;
            }
            snprintf(label, sizeof label, "variable '%s'", v->def.name);
            v->expr = hol_compile_expr(m, v->def.value, label, v->def.line, v->def.column, err);
            if (!v->expr)
                return 0;
            v->state = 2;
        }
    }
    for (int i = 0; i < m->def.n_variables; i++) {
        HolVariable *v = &m->def.variables[i];
        if (v->implicit < 0)
            continue;
        v->implicit = m->sys.nw++;
        snprintf(label, sizeof label, "variable '%s'", v->def.name);
        v->expr = hol_compile_expr(m, v->def.value, label, v->def.line, v->def.column, err);
        if (!v->expr)
            return 0;
    }
    return !m->arena.failed;
}
