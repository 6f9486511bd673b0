// SPDX-License-Identifier: Apache-2.0
// Force kinds: each a few elements (docs/theory/rows.md, section 4), f += E beta with beta the
// coefficients of a row and
//     E = -k (sigma - s0) - c sigma' + expr(t, q, v, w)
// The linear part with constant k has a potential; all the rest is counted as work. Bushings:
// force_bushing.c.
#include "model/force/force.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>

static int force_planar(const HolModel *m) {
    return m->space == HOL_PLANAR;
}

HolRow hol_force_row(const HolModel *m, const HolRowKind *kind, const HolAttach *a,
                     const HolAttach *b) {
    HolRow row = hol_row_new(m, kind, a ? a->body : 0, b->body);
    if (a)
        memcpy(row.sa, a->at, sizeof row.sa);
    memcpy(row.sb, b->at, sizeof row.sb);
    return row;
}

HolExpr *hol_force_expr(HolModel *m, const HolForce *f, const char *what, const char *text,
                        HolError *err) {
    char label[160];
    snprintf(label, sizeof label, "force '%s': %s", f->def.name, what);
    return hol_compile_expr(m, text, label, f->def.line, f->def.column, err);
}

// element with an expression; zero expressions leave nothing behind
static int force_push(HolModel *m, HolForce *f, const HolRow *row, const char *what,
                      const char *text, HolError *err) {
    HolExpr *e = hol_force_expr(m, f, what, text, err);
    double value;
    if (!e)
        return 0;
    if (hol_expr_is_constant(e, &value) && value == 0)
        return 1;
    int r = hol_add_row(m, row);
    return r >= 0 && hol_add_element(m, (int)(f - m->def.forces), r, 0, 0, 0, e) >= 0;
}

static int wrong_count(HolModel *m, const HolForce *f, int expected, HolError *err) {
    hol_problem_error(m, err, f->def.line, f->def.column,
                      "force '%s': value must have %d component%s here, it has %d", f->def.name,
                      expected, expected == 1 ? "" : "s", f->def.n_value);
    return 0;
}

static int build_force(HolModel *m, HolForce *f, HolError *err) {
    int n = force_planar(m) ? 2 : 3, ok = 1;
    if (f->def.n_value != n)
        return wrong_count(m, f, n, err);
    for (int i = 0; i < n; i++) {
        int body = f->def.frame == HOL_FRAME_BODY;
        const HolRowKind *kind = force_planar(m) ? (body ? &hol_row_push2 : &hol_row_point2)
                                                 : (body ? &hol_row_push3 : &hol_row_point3);
        HolRow row = hol_force_row(m, kind, NULL, &f->on);
        (body ? row.ub : row.ua)[i] = 1;
        ok &= force_push(m, f, &row, "value", f->def.value[i], err);
    }
    return ok;
}

int hol_force_turns(HolModel *m, const HolForce *f, const HolAttach *place, HolError *err) {
    const HolBodyDef *b = &m->def.bodies[place->body].def;
    if (hol_body_turns(b))
        return 1;
    hol_problem_error(m, err, f->def.line, f->def.column,
                      "force '%s': '%s' is a point mass: it does not turn, and takes no torque",
                      f->def.name, b->name);
    return 0;
}

static int build_torque(HolModel *m, HolForce *f, HolError *err) {
    int ok = 1;
    if (f->joint < 0 && !hol_force_turns(m, f, &f->on, err))
        return 0;
    if (f->joint >= 0) { // about a joint's free coordinate: acts on both bodies
        if (f->def.n_value != 1)
            return wrong_count(m, f, 1, err);
        HolRow row = m->sys.rows[m->def.joints[f->joint].coordinate];
        return force_push(m, f, &row, "value", f->def.value[0], err);
    }
    if (force_planar(m)) {
        if (f->def.n_value != 1)
            return wrong_count(m, f, 1, err);
        HolRow row = hol_force_row(m, &hol_row_angle2, NULL, &f->on);
        return force_push(m, f, &row, "value", f->def.value[0], err);
    }
    if (f->def.n_value == 1 && f->on.has_axis) {
        HolRow row = hol_force_row(m, &hol_row_spin3, NULL, &f->on);
        memcpy(row.ub, f->on.axis, sizeof row.ub);
        return force_push(m, f, &row, "value", f->def.value[0], err);
    }
    if (f->def.n_value != 3)
        return wrong_count(m, f, 3, err);
    for (int i = 0; i < 3; i++) {
        int body = f->def.frame == HOL_FRAME_BODY;
        HolRow row = hol_force_row(m, body ? &hol_row_spin3 : &hol_row_turn3, NULL, &f->on);
        (body ? row.ub : row.ua)[i] = 1;
        ok &= force_push(m, f, &row, "value", f->def.value[i], err);
    }
    return ok;
}

// what of E = -stiffness (sigma - free) - damping sigma' - preload is no constant stiffness or
// damping, by the parts that are there; -1 in `rest`: nothing so far
typedef struct LawBuilder {
    HolModel *m;
    HolExprBuilder *b;
    int rest;
} LawBuilder;

static int law_part(LawBuilder *l, const char *text) {
    const HolSyntax *syntax = hol_model_syntax(l->m, text);
    return syntax ? hol_builder_syntax(l->b, syntax) : -1;
}

// rest - text * slot; slot < 0: rest - text
static void law_subtract(LawBuilder *l, const char *text, int slot) {
    HolExprBuilder *b = l->b;
    int term = law_part(l, text);
    if (l->rest < 0)
        term = hol_builder_negative(b, term);
    if (slot >= 0)
        term = hol_builder_product(b, term, hol_builder_slot(b, slot));
    l->rest = l->rest < 0 ? term : hol_builder_difference(b, l->rest, term);
}

typedef struct LawParts {
    int stiffness, damping, preload; // 1: it is part of the expression
} LawParts;

static HolExpr *law_rest(HolModel *m, const HolForce *f, int index, const HolForceLaw *l,
                         LawParts parts, HolError *err) {
    HolExprScope scope;
    HolExprError error = {0};
    hol_scope(m, &scope);
    LawBuilder law = {m, hol_builder_open(&m->arena, &scope, &error), -1};
    if (!law.b)
        return NULL;
    if (parts.stiffness) {
        const int value = hol_slot(m, HOL_SLOT_VALUE, index, 0, 0, 0);
        const int k = hol_builder_negative(law.b, law_part(&law, l->stiffness));
        const int sigma = hol_builder_slot(law.b, value);
        const int free = l->free
                             ? law_part(&law, l->free)
                             : hol_builder_number(law.b, hol_row_initial(m, &m->sys.rows[index]));
        law.rest = hol_builder_product(law.b, k, hol_builder_difference(law.b, sigma, free));
    }
    if (parts.damping)
        law_subtract(&law, l->damping, hol_slot(m, HOL_SLOT_RATE, index, 0, 0, 0));
    if (parts.preload)
        law_subtract(&law, l->preload, -1);
    HolExpr *e = hol_builder_close(law.b, law.rest);
    if (!e && !m->arena.failed)
        hol_problem_error(m, err, f->def.line, f->def.column, "force '%s': law: %s", f->def.name,
                          error.text);
    return e;
}

// E = -stiffness (sigma - free) - damping sigma' - preload along the row; a constant linear
// stiffness keeps its potential, a constant damping needs no expression
int hol_force_law(HolModel *m, HolForce *f, int index, const HolForceLaw *l, HolError *err) {
    HolExpr *k = hol_force_expr(m, f, "stiffness", l->stiffness ? l->stiffness : "0", err);
    HolExpr *c = hol_force_expr(m, f, "damping", l->damping ? l->damping : "0", err);
    HolExpr *s = hol_force_expr(m, f, l->free_what, l->free ? l->free : "0", err);
    HolExpr *p = hol_force_expr(m, f, "force", l->preload ? l->preload : "0", err);
    if (!k || !c || !s || !p)
        return 0;
    const double initial = hol_row_initial(m, &m->sys.rows[index]);
    const int force = (int)(f - m->def.forces);
    double kv = 0, cv = 0, sv = 0, pv = 0;
    int k_const = hol_expr_is_constant(k, &kv), c_const = hol_expr_is_constant(c, &cv);
    int s_const = hol_expr_is_constant(s, &sv), p_const = hol_expr_is_constant(p, &pv);
    int linear = k_const && (s_const || kv == 0);
    int preload = !(p_const && pv == 0);
    HolExpr *rest = NULL;
    if (!linear || !c_const || preload) {
        rest = law_rest(m, f, index, l, (LawParts){!linear, !c_const, preload}, err);
        if (!rest)
            return 0;
    }
    double free_value = l->free ? sv : initial;
    return hol_add_element(m, force, index, linear ? kv : 0, linear ? free_value : 0,
                           c_const ? cv : 0, rest) >= 0;
}

static int declare_spring(HolModel *m, HolForce *f, HolError *err) {
    (void)err;
    HolRow row =
        hol_force_row(m, force_planar(m) ? &hol_row_length2 : &hol_row_length3, &f->a, &f->b);
    return (f->row = hol_add_row(m, &row)) >= 0;
}

static int build_spring(HolModel *m, HolForce *f, HolError *err) {
    HolForceLaw l = {f->def.stiffness[0], f->def.damping[0], f->def.length, f->def.force, "length"};
    return hol_force_law(m, f, f->row, &l, err);
}

// the row of a relative angle: a joint's, or that of two bodies about an axis
static int torsion_row(HolModel *m, HolForce *f, HolRow *row, HolError *err) {
    if (f->joint >= 0) {
        *row = m->sys.rows[m->def.joints[f->joint].coordinate];
        return 1;
    }
    if (!hol_force_turns(m, f, &f->a, err) || !hol_force_turns(m, f, &f->b, err))
        return 0;
    if (force_planar(m)) {
        *row = hol_force_row(m, &hol_row_angle2, &f->a, &f->b);
        hol_angle_zero(m, &f->a, &f->b, NULL, NULL, row);
        return 1;
    }
    if (!f->a.has_axis) {
        hol_problem_error(m, err, f->def.line, f->def.column,
                          "force '%s': in space give `joint: NAME`, or an axis with the first body",
                          f->def.name);
        return 0;
    }
    if (!f->b.has_axis)
        hol_carry_axis(m, &f->a, &f->b);
    *row = hol_force_row(m, &hol_row_angle3, &f->a, &f->b);
    hol_angle_zero(m, &f->a, &f->b, f->a.axis, f->b.axis, row);
    row->memory = m->sys.n_memory++;
    return 1;
}

static int declare_torsion(HolModel *m, HolForce *f, HolError *err) {
    HolRow row;
    if (f->def.n_angle > 1) {
        hol_problem_error(
            m, err, f->def.line, f->def.column,
            "force '%s': the free angle of a torsion spring is one expression, not %d", f->def.name,
            f->def.n_angle);
        return 0;
    }
    return torsion_row(m, f, &row, err) && (f->row = hol_add_row(m, &row)) >= 0;
}

static int build_torsion(HolModel *m, HolForce *f, HolError *err) {
    HolForceLaw l = {f->def.stiffness[0], f->def.damping[0], f->def.angle[0], f->def.force,
                     "angle"};
    return hol_force_law(m, f, f->row, &l, err);
}

static int build_expression(HolModel *m, HolForce *f, HolError *err) {
    int row;
    char why[200];
    if (f->def.n_value != 1)
        return wrong_count(m, f, 1, err);
    if (!hol_row_coordinate_of(m, f->def.coordinate, &row, why, sizeof why)) {
        hol_problem_error(m, err, f->def.line, f->def.column, "force '%s': acts_on: %s",
                          f->def.name, why);
        return 0;
    }
    HolRow copy = m->sys.rows[row];
    return force_push(m, f, &copy, "value", f->def.value[0], err);
}

#define FORCE_FIELDS(...) ((const char *const[]){__VA_ARGS__, NULL})

const HolKind hol_force_kind_force = {
    .name = "force",
    .spaces = HOL_EVERYWHERE,
    .help = "force at a point, components in global or body axes",
    .fields = FORCE_FIELDS("acts_on", "on", "value", "frame"),
    .build_force = build_force,
};

const HolKind hol_force_kind_torque = {
    .name = "torque",
    .spaces = HOL_EVERYWHERE,
    .help = "torque on a body, or about a joint",
    .fields = FORCE_FIELDS("acts_on", "on", "joint", "value", "frame"),
    .flags = HOL_KIND_TORQUE,
    .build_force = build_torque,
};

const HolKind hol_force_kind_spring_damper = {
    .name = "spring_damper",
    .spaces = HOL_EVERYWHERE,
    .help = "between two points: k (length - free) + c rate",
    .fields = FORCE_FIELDS("between", "stiffness", "damping", "length", "force"),
    .flags = HOL_KIND_COIL,
    .build_force = build_spring,
    .declare_force = declare_spring,
};

const HolKind hol_force_kind_torsion_spring_damper = {
    .name = "torsion_spring_damper",
    .spaces = HOL_EVERYWHERE,
    .help = "about a joint or between two bodies: k (angle - free) + c rate",
    .fields = FORCE_FIELDS("between", "joint", "stiffness", "damping", "angle", "force"),
    .flags = HOL_KIND_TURNS | HOL_KIND_TORQUE,
    .build_force = build_torsion,
    .declare_force = declare_torsion,
};

const HolKind hol_force_kind_expression = {
    .name = "expression",
    .spaces = HOL_EVERYWHERE,
    .help = "generalized force on a coordinate",
    .fields = FORCE_FIELDS("acts_on", "on", "value"),
    .flags = HOL_KIND_ON_COORDINATE,
    .build_force = build_expression,
};
