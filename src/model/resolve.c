// SPDX-License-Identifier: Apache-2.0
// Names in expressions -> slots. A slot is a number the model supplies: time, the value, rate or
// acceleration of a row, a reaction, a multiplier, an algebraic variable.
//   time, parameters, inputs and discrete values, states, variables
//   OWNER.QUANTITY of bodies, their points, joints, forces, motions, constraints: quantity.c; a
//   scalar coordinate also by its name alone, a spring's own quantities in its law without a name
// Variables that depend on accelerations or reactions, or on each other in a circle, become
// unknowns w of the problem (docs/theory/variables.md, section 12); the others are inlined.
#include "model/contact/contact.h"
#include "model/curve/curve.h"
#include "model/expr/function.h"
#include "model/force/force.h"
#include "model/joint/joint.h"
#include "model/model.h"
#include "model/quantity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const long MOST_TERMS = 20000000; // of variables, 20 bytes and more each

// ---- slots and their rows: open addressing, at most half full ----

static uint32_t resolve_hash(uint32_t h, const void *bytes, size_t n) {
    for (const unsigned char *b = bytes; n > 0; n--, b++)
        h = (h ^ *b) * 16777619u;
    return h;
}

static uint32_t slot_hash(const HolSlot *s) {
    const int key[] = {(int)s->type, s->row, s->joint, s->axis, s->index};
    return resolve_hash(2166136261u, key, sizeof key);
}

static uint32_t row_hash(const HolRow *r) {
    const int key[] = {r->a, r->b};
    uint32_t h = resolve_hash(2166136261u, key, sizeof key);
    h = resolve_hash(h, &r->kind, sizeof r->kind);
    h = resolve_hash(h, r->sb, sizeof r->sb);
    h = resolve_hash(h, r->ua, sizeof r->ua);
    return resolve_hash(h, &r->c, sizeof r->c);
}

static void resolve_put(int *table, int size, uint32_t h, int i) {
    while (table[h % (uint32_t)size])
        h++;
    table[h % (uint32_t)size] = i + 1;
}

// room for one more; the table is made anew when it is half full
static int resolve_table(HolModel *m, int n, int **table, int *size) {
    if (2 * (n + 1) <= *size)
        return 1;
    const int was = *size, fresh_size = was ? 4 * was : 64, rows = table == &m->sys.index.row_hash;
    int *fresh = HOL_NEW(&m->arena, int, fresh_size);
    if (!fresh)
        return 0;
    for (int k = 0; k < was; k++) {
        const int i = (*table)[k] - 1;
        if (i >= 0)
            resolve_put(fresh, fresh_size,
                        rows ? row_hash(&m->sys.rows[i]) : slot_hash(&m->sys.slots[i]), i);
    }
    *table = fresh;
    *size = fresh_size;
    return 1;
}

static int same_row(const HolRow *r, const HolRow *row) {
    return r->kind == row->kind && r->a == row->a && r->b == row->b && r->c == row->c &&
           !memcmp(r->sb, row->sb, sizeof r->sb) && !memcmp(r->ua, row->ua, sizeof r->ua) &&
           !memcmp(r->ub, row->ub, sizeof r->ub) && !memcmp(r->sa, row->sa, sizeof r->sa) &&
           r->memory == row->memory;
}

// a row that some slot uses; -1: none
static int row_used(const HolModel *m, const HolRow *row) {
    const HolSystem *s = &m->sys;
    if (!s->index.row_hash_size)
        return -1;
    for (uint32_t h = row_hash(row);; h++) {
        const int i = s->index.row_hash[h % (uint32_t)s->index.row_hash_size] - 1;
        if (i < 0 || same_row(&s->rows[i], row))
            return i;
    }
}

static int note_row(HolModel *m, HolSlotType type, int row) {
    HolSystem *s = &m->sys;
    if (type != HOL_SLOT_VALUE && type != HOL_SLOT_RATE && type != HOL_SLOT_ACCELERATION)
        return 1;
    if (row < 0 || row_used(m, &s->rows[row]) >= 0)
        return 1;
    if (!resolve_table(m, s->index.n_row_hash, &s->index.row_hash, &s->index.row_hash_size))
        return 0;
    resolve_put(s->index.row_hash, s->index.row_hash_size, row_hash(&s->rows[row]), row);
    s->index.n_row_hash++;
    return 1;
}

int hol_slot(HolModel *m, HolSlotType type, int row, int joint, int axis, int index) {
    const HolSlot wanted = {type, row, joint, axis, index};
    HolSystem *sys = &m->sys;
    const uint32_t at = slot_hash(&wanted);
    for (uint32_t h = at; sys->index.slot_hash_size; h++) {
        const int i = sys->index.slot_hash[h % (uint32_t)sys->index.slot_hash_size] - 1;
        if (i < 0)
            break;
        const HolSlot *s = &sys->slots[i];
        if (s->type == type && s->row == row && s->joint == joint && s->axis == axis &&
            s->index == index)
            return i;
    }
    if (!HOL_GROW(&m->arena, sys->slots, sys->n_slots, sys->cap_slots) ||
        !resolve_table(m, sys->n_slots, &sys->index.slot_hash, &sys->index.slot_hash_size) ||
        !note_row(m, type, row))
        return 0;
    sys->slots[sys->n_slots] = wanted;
    resolve_put(sys->index.slot_hash, sys->index.slot_hash_size, at, sys->n_slots);
    return sys->n_slots++;
}

// a row used by some slot already, or a new one
static int shared_row(HolModel *m, const HolRow *row) {
    const int used = row_used(m, row);
    return used >= 0 ? used : hol_add_row(m, row);
}

// the row of a quantity of a body or of one of its points; 0: there is none
int hol_quantity_row(const HolModel *m, int body, const double *at, const HolQuantity *q,
                     HolRow *row) {
    const int plane = m->space == HOL_PLANAR;
    switch (q->source) {
    case HOL_FROM_POINT:
        if (q->level == HOL_SLOT_ACCELERATION && (at[0] != 0 || at[1] != 0 || at[2] != 0))
            return 0; // accelerations of the centre of mass only
        *row = hol_row_new(m, plane ? &hol_row_point2 : &hol_row_point3, 0, body);
        row->ua[q->axis] = 1;
        memcpy(row->sb, at, sizeof row->sb);
        return 1;
    case HOL_FROM_ANGLE:
        *row = hol_row_new(m, &hol_row_angle2, 0, body);
        return 1;
    case HOL_FROM_COORDINATE:
        *row = hol_row_new(m, &hol_row_coordinate, 0, body);
        return 1;
    case HOL_FROM_QUATERNION:
        *row = hol_row_new(m, &hol_row_quaternion, 0, body);
        row->c = q->axis;
        return 1;
    case HOL_FROM_TURN:
        *row = hol_row_new(m, &hol_row_turn3, 0, body);
        row->ua[q->axis] = 1;
        return 1;
    case HOL_FROM_SPIN:
        *row = hol_row_new(m, &hol_row_spin3, 0, body);
        row->ub[q->axis] = 1;
        return 1;
    default:
        return 0;
    }
}

static int row_slot(HolModel *m, HolSlotType type, int row, HolSymbol *out) {
    if (row < 0)
        return 0;
    out->type = HOL_SYMBOL_SLOT;
    out->slot = hol_slot(m, type, row, 0, 0, 0);
    return 1;
}

// what a body is; of the ground there are places only
static int resolve_body_owner(const HolModel *m, int body) {
    return body == 0 ? HOL_OF_PLACE : hol_quantity_body(m->def.bodies[body].def.type);
}

static int body_symbol(HolModel *m, int body, const char *rest, HolSymbol *out) {
    const double zero[3] = {0, 0, 0}, *at = zero;
    const char *dot = strrchr(rest, '.'); // points of the ground in a part have dots
    int owner = resolve_body_owner(m, body);
    if (owner == HOL_OF_COORDINATE && !*rest)
        rest = "x"; // its name alone
    if (dot && owner != HOL_OF_COORDINATE) {
        char name[HOL_OWNER_LENGTH];
        snprintf(name, sizeof name, "%.*s", (int)(dot - rest), rest);
        const HolPointDef *point = hol_point_find(&m->def.bodies[body], name);
        if (!point)
            return 0;
        at = point->at;
        owner = HOL_OF_PLACE;
        rest = dot + 1;
    }
    HolRow row;
    const HolQuantity *q = hol_quantity_find(owner, m->space, rest);
    return q && hol_quantity_row(m, body, at, q, &row) &&
           row_slot(m, q->level, shared_row(m, &row), out);
}

static int joint_symbol(HolModel *m, int joint, const char *rest, HolSymbol *out) {
    const HolJoint *j = &m->def.joints[joint];
    const HolQuantity *q = hol_quantity_find(HOL_OF_JOINT, m->space, rest);
    switch (q ? q->source : HOL_FROM_TIME) {
    case HOL_FROM_JOINT_ANGLE:
        return row_slot(m, q->level, hol_joint_angle(j), out);
    case HOL_FROM_JOINT_DISPLACEMENT:
        return row_slot(m, q->level, hol_joint_displacement(j), out);
    case HOL_FROM_JOINT_COORDINATE:
        return row_slot(m, q->level, j->coordinate, out);
    case HOL_FROM_JOINT_TURN:
        return row_slot(m, q->level, hol_joint_turn(m, joint, q->axis), out);
    case HOL_FROM_REACTION:
        out->type = HOL_SYMBOL_SLOT;
        out->slot = hol_slot(m, HOL_SLOT_REACTION, 0, joint, q->axis, 0);
        return 1;
    case HOL_FROM_BODY_REACTION:
        return q->axis < 3 && hol_joint_body_force(m, j, q->axis, out);
    default: // multipliers: see owner_symbol
        return 0;
    }
}

static int force_symbol(HolModel *m, const HolForce *f, const char *rest, HolSymbol *out) {
    const HolQuantity *load = hol_quantity_find(HOL_OF_FORCE, m->space, rest);
    if (load && load->source == HOL_FROM_LOAD)
        return f != m->own_force && hol_force_load(m, f, load->axis, out);
    const int row =
        f->row < 0 && f->n_elements == 1 ? m->sys.elements[f->first_element].row : f->row;
    if (row < 0 || !m->sys.rows[row].kind->holonomic)
        return 0;
    const HolQuantity *q = hol_quantity_find(HOL_OF_FORCE, m->space, rest);
    return q && row_slot(m, q->level, row, out);
}

const HolExpr *hol_variable_expr(HolModel *m, int i) {
    const HolVariable *v = &m->def.variables[i];
    return v->state == 2 && v->implicit < 0
               ? v->expr
               : hol_expr_slot(&m->arena, hol_slot(m, HOL_SLOT_VARIABLE, 0, 0, 0, i));
}

static int variable_symbol(HolModel *m, const char *name, HolSymbol *out) {
    const int i = hol_name_table_number(&m->def.names.variable_names, name);
    if (i < 0)
        return 0;
    const HolVariable *v = &m->def.variables[i];
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
    if (m->own_curve && hol_curve_symbol(m->own_curve, name, out))
        return 1;
    const int state = hol_state_find(m, name);
    if (state >= 0)
        return row_slot(m, HOL_SLOT_RATE, m->def.states[state].row, out);
    const int given = hol_given_find(m, name);
    if (given >= 0) {
        *out = (HolSymbol){HOL_SYMBOL_SLOT, 0, hol_slot(m, HOL_SLOT_GIVEN, 0, 0, 0, given), NULL};
        return 1;
    }
    return variable_symbol(m, name, out) ||
           (m->own_force && force_symbol(m, m->own_force, name, out));
}

// "gap" of "floor" or of "box.3"
static int contact_symbol(HolModel *m, const char *owner, const char *rest, HolSymbol *out) {
    const HolQuantity *q = m->touch.n ? hol_quantity_find(HOL_OF_CONTACT, m->space, rest) : NULL;
    const HolExpr *e = q ? hol_contact_measure(m, owner, q->axis) : NULL;
    if (e)
        *out = (HolSymbol){HOL_SYMBOL_EXPR, 0, 0, e};
    return e != NULL;
}

static int owner_symbol(HolModel *m, const char *owner, const char *rest, HolSymbol *out) {
    int body = hol_body_find(m, owner), joint = hol_joint_find(m, owner);
    if (body >= 0 && body_symbol(m, body, rest, out))
        return 1;
    if (joint >= 0 && joint_symbol(m, joint, rest, out))
        return 1;
    const int force = hol_name_table_number(&m->def.names.force_names, owner);
    if (force >= 0 && m->def.forces[force].kind &&
        force_symbol(m, &m->def.forces[force], rest, out))
        return 1;
    if (contact_symbol(m, owner, rest, out))
        return 1;
    const HolQuantity *q =
        hol_quantity_find(HOL_OF_JOINT | HOL_OF_MOTION | HOL_OF_CONSTRAINT, m->space, rest);
    if (q && q->source == HOL_FROM_EFFORT &&
        hol_name_table_number(&m->def.names.motion_names, owner) >= 0)
        return hol_drive_load(m, owner, out);
    if (q && q->source == HOL_FROM_MULTIPLIER)
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
    for (int i = 0; i < m->def.n_states && n < 235; i++)
        names[n++] = m->def.states[i].def.name;
    for (int i = 0; i < m->def.n_variables && n < 250; i++)
        names[n++] = m->def.variables[i].def.name;
    const int force = hol_name_table_number(&m->def.names.force_names, owner);
    int known = hol_body_find(m, owner) >= 0 || hol_joint_find(m, owner) >= 0 || force >= 0;
    const char *near = known ? owner : hol_nearest_word(owner, names, n);
    if (!near)
        return;
    if (!known || !*rest) {
        snprintf(suggestion, 64, "%.30s%s%.30s", near, *rest ? "." : "", rest);
        return;
    }
    const int body = hol_body_find(m, owner);
    const int owners = (body >= 0 ? resolve_body_owner(m, body) : 0) |
                       (hol_joint_find(m, owner) >= 0 ? HOL_OF_JOINT : 0) |
                       (force >= 0 ? HOL_OF_FORCE : 0);
    HolSymbol symbol; // (not every joint and force has all of them)
    for (const HolQuantity *q = hol_quantities; q->name && p < 40; q++)
        if ((q->uses & HOL_USE_EXPRESSION) && !(q->uses & HOL_USE_QUIET) &&
            hol_quantity_of(q, owners, m->space) && (symbol = (HolSymbol){0}, 1) &&
            (strchr(rest, '.') || owner_symbol(m, owner, q->name, &symbol)))
            parts[p++] = q->name;
    const char *part = hol_nearest_word(rest, parts, p);
    if (!part && p > 0 && force >= 0)
        part = parts[p - 1]; // its force or torque
    if (part && strcmp(part, rest) != 0)
        snprintf(suggestion, 64, "%.30s.%.30s", near, part);
}

static void resolve_resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    HolModel *m = context;
    *out = (HolSymbol){0};
    suggestion[0] = 0;
    if (hol_function_symbol(m, name, out) || simple_symbol(m, name, out))
        return;
    char canonical[HOL_OWNER_LENGTH];
    if (m->beams.n && hol_beam_canonical(m, name, canonical, sizeof canonical))
        name = canonical;
    char owner[HOL_OWNER_LENGTH];
    const size_t length = strlen(name);
    // the longest name wins: leg1.rod.x is x of leg1.rod
    for (size_t n = length; n > 0 && length < sizeof owner; n--) {
        if (n < length && name[n] != '.')
            continue;
        memcpy(owner, name, n);
        owner[n] = 0;
        const char *rest = n < length ? name + n + 1 : "";
        if (owner_symbol(m, owner, rest, out))
            return;
        if (!suggestion[0] && (hol_body_find(m, owner) >= 0 || hol_joint_find(m, owner) >= 0 ||
                               hol_name_table_number(&m->def.names.force_names, owner) >= 0 ||
                               !memchr(owner, '.', n)))
            resolve_suggest(m, owner, rest, suggestion);
    }
    out->type = HOL_SYMBOL_UNKNOWN;
}

void hol_scope(HolModel *m, HolExprScope *scope) {
    *scope = (HolExprScope){.context = m,
                            .resolve = resolve_resolve,
                            .tables = m->def.tables,
                            .n_tables = m->def.n_tables,
                            .table_names = &m->def.names.table_names,
                            .has_time = 1};
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
        if (s->type != HOL_SLOT_VARIABLE || !m->def.variables[s->index].def.value)
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
    long terms = 0; // each holds the whole of those that it uses
    int ok = 1;
    // first pass: every variable by its number
    for (int i = 0; i < m->def.n_variables; i++) {
        HolVariable *v = &m->def.variables[i];
        if (!v->def.value && v->expr) // made by compile: numbered already
            continue;
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
        if (m->def.variables[i].def.value && hol_uses_implicit(m, m->def.variables[i].expr))
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
            terms += hol_expr_node_count(v->expr);
            if (terms > MOST_TERMS) {
                hol_problem_error(m, err, v->def.line, v->def.column,
                                  "variable '%.64s': variables that use one another have come to "
                                  "more than %ld million terms: use fewer of them",
                                  v->def.name, MOST_TERMS / 1000000);
                return 0;
            }
        }
    }
    for (int i = 0; i < m->def.n_variables; i++) {
        HolVariable *v = &m->def.variables[i];
        if (v->implicit < 0 || !v->def.value)
            continue;
        v->implicit = m->sys.nw++;
        snprintf(label, sizeof label, "variable '%s'", v->def.name);
        v->expr = hol_compile_expr(m, v->def.value, label, v->def.line, v->def.column, err);
        if (!v->expr)
            return 0;
    }
    return !m->arena.failed;
}
