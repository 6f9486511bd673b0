// SPDX-License-Identifier: Apache-2.0
// Compile: names -> indices, kinds -> rows, equations and elements, then index ranges and freeze
// (sparsity in pattern.c). Everything wrong is reported in one go, with names and source positions.
#include "math/vec.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- used by the kinds ----

HolRow hol_row_new(const HolModel *m, const HolRowKind *kind, int a, int b) {
    (void)m;
    return (HolRow){.kind = kind, .a = a, .b = b, .fixed_a = a == 0, .memory = -1};
}

int hol_add_row(HolModel *m, const HolRow *row) {
    if (!HOL_GROW(&m->arena, m->sys.rows, m->sys.n_rows, m->sys.cap_rows))
        return -1;
    m->sys.rows[m->sys.n_rows] = *row;
    return m->sys.n_rows++;
}

int hol_add_equation(HolModel *m, const char *owner, const HolTerm *terms, int n,
                     const HolExpr *expr, double constant, int holonomic) {
    if (!HOL_GROW(&m->arena, m->sys.equations, m->sys.n_equations, m->sys.cap_equations))
        return -1;
    HolEquation *e = &m->sys.equations[m->sys.n_equations];
    *e = (HolEquation){.first_term = m->sys.n_terms,
                       .n_terms = n,
                       .expr = expr,
                       .constant = constant,
                       .holonomic = holonomic,
                       .owner = owner,
                       .joint = -1};
    for (int i = 0; i < n; i++) {
        if (!HOL_GROW(&m->arena, m->sys.terms, m->sys.n_terms, m->sys.cap_terms))
            return -1;
        m->sys.terms[m->sys.n_terms++] = terms[i];
    }
    return m->sys.n_equations++;
}

// an expression of accelerations or reactions becomes an unknown of its own
static const HolExpr *hide_implicit(HolModel *m, const HolExpr *expr) {
    char name[32];
    if (!expr || !hol_uses_implicit(m, expr))
        return expr;
    if (!HOL_GROW(&m->arena, m->def.variables, m->def.n_variables, m->def.cap_variables))
        return NULL;
    snprintf(name, sizeof name, "force__%d", m->sys.nw);
    HolVariable *v = &m->def.variables[m->def.n_variables];
    *v = (HolVariable){.def = {.name = hol_arena_text(&m->arena, name)},
                       .expr = (HolExpr *)expr,
                       .implicit = m->sys.nw++,
                       .state = 1};
    const int slot = hol_slot(m, HOL_SLOT_VARIABLE, 0, 0, 0, m->def.n_variables++);
    return hol_expr_slot(&m->arena, slot);
}

int hol_add_element(HolModel *m, int force, int row, double k, double s0, double c,
                    const HolExpr *expr) {
    expr = hide_implicit(m, expr);
    if (!HOL_GROW(&m->arena, m->sys.elements, m->sys.n_elements, m->sys.cap_elements))
        return -1;
    m->sys.elements[m->sys.n_elements] = (HolElement){row, row, k, s0, s0, c, expr, force};
    if (expr || c != 0)
        m->sys.has_power = 1;
    return m->sys.n_elements++;
}

int hol_add_coupling(HolModel *m, int force, const int row[2], const double free[2], double k,
                     double c) {
    for (int i = 0; i < 2; i++) {
        const int index = hol_add_element(m, force, row[i], k, free[1 - i], c, NULL);
        if (index < 0)
            return 0;
        m->sys.elements[index].other = row[1 - i];
        m->sys.elements[index].r0 = free[i];
    }
    return 1;
}

// the text, or its negative
static HolExpr *compile_text(HolModel *m, const char *text, int negative, const char *what,
                             int line, int column, HolError *err) {
    HolExprScope scope;
    HolExprError error = {0};
    HolExpr *e = NULL;
    hol_scope(m, &scope);
    if (!text || !*text) {
        hol_problem_error(m, err, line, column, "%s: an expression is missing", what);
        return NULL;
    }
    const HolSyntax *syntax = hol_model_syntax(m, text);
    HolExprBuilder *b = syntax ? hol_builder_open(&m->arena, &scope, &error) : NULL;
    if (b) {
        const int node = hol_builder_syntax(b, syntax);
        e = hol_builder_close(b, negative ? hol_builder_negative(b, node) : node);
    }
    if (!e && !m->arena.failed) // (hol_compile reports what memory did not allow)
        hol_problem_error(m, err, line, column, "%s: %s (in \"%.80s\", character %d)", what,
                          error.text, text, error.column + 1);
    return e;
}

HolExpr *hol_compile_expr(HolModel *m, const char *text, const char *what, int line, int column,
                          HolError *err) {
    return compile_text(m, text, 0, what, line, column, err);
}

HolExpr *hol_compile_negative(HolModel *m, const char *text, const char *what, int line, int column,
                              HolError *err) {
    return compile_text(m, text, 1, what, line, column, err);
}

void hol_initial_frame(const HolModel *m, int body, HolFrame *out) {
    const HolBodyDef *d = &m->def.bodies[body].def;
    memset(out, 0, sizeof *out);
    memcpy(out->r, d->position, sizeof out->r);
    out->p[0] = 1;
    Mat3 A = m3_identity();
    if (d->type == HOL_RIGID && m->space == HOL_SPATIAL) {
        memcpy(out->p, d->quaternion, sizeof out->p);
        A = q_matrix(q_load(d->quaternion));
    } else if (d->type == HOL_RIGID) {
        double c = cos(d->angle), s = sin(d->angle);
        A = (Mat3){{c, -s, 0, s, c, 0, 0, 0, 1}};
        out->c = c;
        out->s = s;
        out->angle = d->angle;
    }
    memcpy(out->A, A.m, sizeof out->A);
}

double hol_row_initial(const HolModel *m, const HolRow *row) {
    HolFrame a, b;
    const double half_open = 1e-9; // half a turn is +pi, whatever round-off says
    hol_initial_frame(m, row->a, &a);
    hol_initial_frame(m, row->b, &b);
    return row->kind->value(row, &a, &b, &half_open);
}

// ---- references ----

static void unknown_body(HolModel *m, const HolRef *ref, const char *what, HolError *err) {
    const char *names[200], *near;
    int n = 0;
    for (int i = 0; i < m->def.n_bodies && n < 200; i++)
        names[n++] = m->def.bodies[i].def.name;
    near = hol_nearest_word(ref->body, names, n);
    hol_problem_error(m, err, ref->line, ref->column, "%s: there is no body '%s'%s%s%s", what,
                      ref->body, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

static void unknown_point(HolModel *m, const HolRef *ref, const HolBody *body, const char *what,
                          HolError *err) {
    const char *names[100], *near;
    int n = 0;
    for (; n < body->def.n_points && n < 100; n++)
        names[n] = body->def.points[n].name;
    near = hol_nearest_word(ref->point, names, n);
    hol_problem_error(m, err, ref->line, ref->column, "%s: body '%s' has no point '%s'%s%s%s", what,
                      body->def.name, ref->point, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

int hol_resolve(HolModel *m, const HolRef *ref, const char *what, HolAttach *out, HolError *err) {
    *out = (HolAttach){0};
    out->body = hol_body_find(m, ref->body);
    if (out->body < 0) {
        unknown_body(m, ref, what, err);
        return 0;
    }
    const HolBody *body = &m->def.bodies[out->body];
    if (body->def.type == HOL_COORDINATE) {
        hol_problem_error(m, err, ref->line, ref->column,
                          "%s: '%s' is a scalar coordinate; use it in expressions, not in joints "
                          "or forces at points",
                          what, ref->body);
        return 0;
    }
    if (ref->point) {
        const HolPointDef *p = hol_point_find(body, ref->point);
        if (!p) {
            unknown_point(m, ref, body, what, err);
            return 0;
        }
        memcpy(out->at, p->at, sizeof out->at);
        memcpy(out->axis, p->axis, sizeof out->axis);
        out->has_axis = p->has_axis;
        memcpy(out->x, p->x, sizeof out->x);
        out->has_x = p->has_x;
    } else if (ref->has_at)
        memcpy(out->at, ref->at, sizeof out->at);
    if (ref->has_axis) {
        memcpy(out->axis, ref->axis, sizeof out->axis);
        out->has_axis = 1;
    }
    if (ref->has_x) {
        memcpy(out->x, ref->x, sizeof out->x);
        out->has_x = 1;
    }
    if (body->def.type == HOL_POINT && (out->at[0] != 0 || out->at[1] != 0 || out->at[2] != 0)) {
        hol_problem_error(m, err, ref->line, ref->column,
                          "%s: '%s' is a point mass: it has no other points than itself", what,
                          ref->body);
        return 0;
    }
    if (m->space == HOL_PLANAR)
        out->at[2] = out->axis[2] = out->x[2] = 0;
    Vec3 axis = v3_load(out->axis);
    if (out->has_axis && !(v3_norm(axis) > 0)) {
        hol_problem_error(m, err, ref->line, ref->column, "%s: the axis has no direction", what);
        return 0;
    }
    if (out->has_axis)
        v3_store(out->axis, v3_unit(axis));
    if (!(out->has_x && v3_norm(v3_load(out->x)) == 0))
        return 1;
    hol_problem_error(m, err, ref->line, ref->column, "%s: its x has no direction", what);
    return 0;
}

static int has_field(const HolKind *kind, const char *field) {
    for (const char *const *f = kind->fields; *f; f++)
        if (!strcmp(*f, field))
            return 1;
    return 0;
}

static const HolKind *compile_find_kind(HolModel *m, const HolKind *list, const char *what,
                                        const char *name, const char *type, int line, int column,
                                        HolError *err) {
    const char *names[64], *near;
    int n = 0, space = m->space == HOL_PLANAR ? HOL_IN_PLANE : HOL_IN_SPACE;
    const HolKind *kind = hol_kind_find(list, type);
    if (kind && (kind->spaces & space))
        return kind;
    if (kind) {
        hol_problem_error(m, err, line, column, "%s '%s': type '%s' does not exist in %s models",
                          what, name, type, m->space == HOL_PLANAR ? "planar" : "spatial");
        return NULL;
    }
    for (const HolKind *k = list; k->name; k++)
        if (k->spaces & space)
            names[n++] = k->name;
    near = type ? hol_nearest_word(type, names, n) : NULL;
    hol_problem_error(m, err, line, column, "%s '%s': unknown type '%s'%s%s%s", what, name,
                      type ? type : "", near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
    return NULL;
}

// rotate a direction of one body into axes of another, as written
void hol_carry_axis(const HolModel *m, const HolAttach *from, HolAttach *to) {
    HolFrame f, t;
    Mat3 A, B;
    hol_initial_frame(m, from->body, &f);
    hol_initial_frame(m, to->body, &t);
    memcpy(A.m, f.A, sizeof A.m);
    memcpy(B.m, t.A, sizeof B.m);
    v3_store(to->axis, m3_tmulv(B, m3_mulv(A, v3_load(from->axis))));
    to->has_axis = 1;
}

// point and axis given in global axes, as written
static void global_attach(const HolModel *m, const HolJointDef *d, HolAttach *out) {
    HolFrame f;
    Mat3 A;
    hol_initial_frame(m, out->body, &f);
    memcpy(A.m, f.A, sizeof A.m);
    v3_store(out->at, m3_tmulv(A, v3_sub(v3_load(d->at), v3_load(f.r))));
    if (d->has_axis) {
        v3_store(out->axis, v3_unit(m3_tmulv(A, v3_load(d->axis))));
        out->has_axis = 1;
    }
    if (d->has_x) {
        v3_store(out->x, m3_tmulv(A, v3_load(d->x)));
        out->has_x = 1;
    }
}

static int two_axes(const HolJoint *j) { // kinds whose bodies have different axes
    return !strcmp(j->def.type, "universal") || !strcmp(j->def.type, "perpendicular");
}

// kinds whose equations hold orientations: a point mass has none
static int holds_turns(const HolModel *m, const char *type) {
    static const char *const plane[] = {"prismatic", "fixed", "rolling", NULL};
    static const char *const free_in_space[] = {"spherical", "distance", "point_on_line",
                                                "point_on_plane", NULL};
    for (const char *const *k = m->space == HOL_PLANAR ? plane : free_in_space; *k; k++)
        if (!strcmp(*k, type))
            return m->space == HOL_PLANAR;
    return m->space != HOL_PLANAR;
}

static int turns_exist(HolModel *m, const HolJoint *j, const char *what, HolError *err) {
    const int bodies[2] = {j->a.body, j->b.body};
    for (int i = 0; holds_turns(m, j->def.type) && i < 2; i++) {
        const HolBodyDef *b = &m->def.bodies[bodies[i]].def;
        if (b->type != HOL_POINT)
            continue;
        hol_problem_error(
            m, err, j->def.line, j->def.column,
            "%s: a %s joint holds orientations, and '%s' is a point mass without one; "
            "use %s",
            what, j->def.type, b->name,
            m->space == HOL_PLANAR ? "revolute, slot or distance"
                                   : "spherical, point_on_line, point_on_plane or "
                                     "distance");
        return 0;
    }
    return 1;
}

// directions from which an angle counts: across the axis
static int zero_given_well(HolModel *m, const HolJoint *j, const char *what, HolError *err) {
    const HolAttach *places[2] = {&j->a, &j->b};
    const HolRef *refs[2] = {&j->def.a, &j->def.b};
    for (int i = 0; m->space == HOL_SPATIAL && has_field(j->kind, "x") && i < 2; i++) {
        HolAttach carried = j->b;
        if (i == 1 && !j->b.has_axis)
            hol_carry_axis(m, &j->a, &carried);
        if (hol_zero_allowed(places[i], i == 0 ? j->a.axis : carried.axis))
            continue;
        hol_problem_error(m, err, refs[i]->line, refs[i]->column,
                          "%s: x, from which the angle counts, lies along the axis", what);
        return 0;
    }
    return 1;
}

static int attach_joint(HolModel *m, HolJoint *j, HolError *err) {
    char what[120];
    snprintf(what, sizeof what, "joint '%.80s'", j->def.name);
    HolRef *a = &j->def.a, *b = &j->def.b;
    if (!a->line)
        a->line = j->def.line, a->column = j->def.column;
    if (!b->line)
        b->line = j->def.line, b->column = j->def.column;
    int ok = hol_resolve(m, a, what, &j->a, err);
    ok &= hol_resolve(m, b, what, &j->b, err);
    if (!ok)
        return 0;
    if (j->a.body == j->b.body) {
        hol_problem_error(m, err, j->def.line, j->def.column, "%s joins '%s' with itself", what,
                          m->def.bodies[j->a.body].def.name);
        return 0;
    }
    if (!turns_exist(m, j, what, err))
        return 0;
    if (j->def.global_frame) {
        global_attach(m, &j->def, &j->a);
        global_attach(m, &j->def, &j->b);
        if (two_axes(j))
            j->b.has_axis = 0;
    } else if (j->def.has_axis && !j->a.has_axis) {
        v3_store(j->a.axis, v3_unit(v3_load(j->def.axis)));
        j->a.has_axis = 1;
    }
    if (!has_field(j->kind, "axis"))
        return 1;
    if (!j->a.has_axis && j->b.has_axis && !two_axes(j))
        hol_carry_axis(m, &j->b, &j->a);
    const int slides = !strcmp(j->def.type, "prismatic") || !strcmp(j->def.type, "slot");
    if (!j->a.has_axis && m->space == HOL_PLANAR && !slides)
        j->a.axis[0] = 1, j->a.has_axis = 1; // a rolling disc's line
    if (!j->a.has_axis) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "%s: a %s joint%s needs an axis: {body: b, at: [..], axis: [..]} "
                          "or `bodies:` with `at` and `axis`",
                          what, j->def.type, m->space == HOL_PLANAR ? "" : " in space");
        return 0;
    }
    return zero_given_well(m, j, what, err);
}

static int compile_joint(HolModel *m, HolJoint *j, HolError *err) {
    int first = m->sys.n_equations;
    j->kind = compile_find_kind(m, hol_joint_kind_list, "joint", j->def.name, j->def.type,
                                j->def.line, j->def.column, err);
    if (!j->kind)
        return 0;
    if (!has_field(j->kind, "joints") && !attach_joint(m, j, err))
        return 0;
    if (!j->kind->build_joint(m, j, err))
        return 0;
    for (int i = first; i < m->sys.n_equations; i++) {
        m->sys.equations[i].joint = (int)(j - m->def.joints);
        j->equations[j->n_equations++] = i;
    }
    return 1;
}

// what it acts on, and the row of its own length: variables and laws may use it
static int declare_force(HolModel *m, HolForce *f, HolError *err) {
    char what[120];
    int ok = 1;
    snprintf(what, sizeof what, "force '%.80s'", f->def.name);
    const HolKind *kind = compile_find_kind(m, hol_force_kind_list, "force", f->def.name,
                                            f->def.type, f->def.line, f->def.column, err);
    if (!kind)
        return 0;
    HolRef *refs[3] = {&f->def.on, &f->def.a, &f->def.b};
    for (int i = 0; i < 3; i++)
        if (!refs[i]->line)
            refs[i]->line = f->def.line, refs[i]->column = f->def.column;
    if (f->def.joint) {
        f->joint = hol_joint_find(m, f->def.joint);
        if (f->joint < 0 || m->def.joints[f->joint].coordinate < 0) {
            hol_problem_error(m, err, f->def.line, f->def.column,
                              "%s: '%s' is not a joint with a free coordinate", what, f->def.joint);
            return 0;
        }
    } else if (has_field(kind, "between")) {
        ok = hol_resolve(m, &f->def.a, what, &f->a, err);
        ok &= hol_resolve(m, &f->def.b, what, &f->b, err);
        if (ok && f->a.body == f->b.body) {
            hol_problem_error(m, err, f->def.line, f->def.column, "%s acts between '%s' and itself",
                              what, m->def.bodies[f->a.body].def.name);
            ok = 0;
        }
    } else if (strcmp(kind->name, "expression") != 0) {
        ok = hol_resolve(m, &f->def.on, what, &f->on, err);
        if (ok && f->on.body == 0) {
            hol_problem_error(m, err, f->def.line, f->def.column,
                              "%s acts on the ground, which never moves", what);
            ok = 0;
        }
    }
    f->kind = kind;
    return ok && (!kind->declare_force || kind->declare_force(m, f, err));
}

static int compile_force(HolModel *m, HolForce *f, HolError *err) {
    f->first_element = m->sys.n_elements;
    m->own_force = f;
    const int ok = f->kind->build_force(m, f, err);
    m->own_force = NULL;
    f->n_elements = m->sys.n_elements - f->first_element;
    return ok;
}

// constraint expressions may use time and value slots only
static int position_only(HolModel *m, const HolExpr *e, const char *what, int line, int column,
                         HolError *err) {
    const int *slots = hol_expr_slots(e);
    for (int i = 0; i < hol_expr_slot_count(e); i++) {
        HolSlotType t = m->sys.slots[slots[i]].type;
        if (t != HOL_SLOT_TIME && t != HOL_SLOT_VALUE) {
            hol_problem_error(
                m, err, line, column,
                "%s may use coordinates and time, not velocities, reactions or accelerations",
                what);
            return 0;
        }
    }
    return 1;
}

// The equations of motions and constraints stand before any expression is compiled, so that
// variables and forces may name their multipliers.
static int declare_motion(HolModel *m, HolMotion *motion, HolError *err) {
    char what[120];
    const HolMotionDef *d = &motion->def;
    snprintf(what, sizeof what, "motion '%.80s'", d->name);
    motion->joint = hol_joint_find(m, d->joint);
    if (motion->joint < 0 || m->def.joints[motion->joint].coordinate < 0) {
        hol_problem_error(
            m, err, d->line, d->column,
            "%s: '%s' is not a joint with a free coordinate (revolute, prismatic, ...)", what,
            d->joint ? d->joint : "");
        return 0;
    }
    HolTerm term = {m->def.joints[motion->joint].coordinate, 1};
    motion->constraint = hol_add_equation(m, d->name, &term, 1, NULL, 0, 1);
    return motion->constraint >= 0;
}

static int compile_motion(HolModel *m, HolMotion *motion, HolError *err) {
    char what[120];
    const HolMotionDef *d = &motion->def;
    snprintf(what, sizeof what, "motion '%.80s'", d->name);
    HolExpr *e = hol_compile_expr(m, d->value, what, d->line, d->column, err);
    if (!e || !position_only(m, e, what, d->line, d->column, err))
        return 0;
    m->sys.equations[motion->constraint].expr = e;
    m->sys.has_power = 1;
    return 1;
}

static int compile_constraint(HolModel *m, HolConstraint *c, HolError *err) {
    char what[120];
    const HolConstraintDef *d = &c->def;
    snprintf(what, sizeof what, "constraint '%.80s'", d->name);
    // an equation subtracts its expression: g = -(-equation)
    HolExpr *e = hol_compile_negative(m, d->equation, what, d->line, d->column, err);
    if (!e || !position_only(m, e, what, d->line, d->column, err))
        return 0;
    int coordinates = 0;
    const int *slots = hol_expr_slots(e);
    for (int i = 0; i < hol_expr_slot_count(e); i++) {
        if (m->sys.slots[slots[i]].type == HOL_SLOT_TIME)
            m->sys.has_power = 1;
        else
            coordinates = 1;
    }
    if (!coordinates) {
        hol_problem_error(m, err, d->line, d->column, "%s does not depend on any coordinate", what);
        return 0;
    }
    m->sys.equations[c->constraint].expr = e;
    return 1;
}

// derivatives of the equations' expressions by their coordinates, for the series of G
static int derive_equations(HolModel *m, HolError *err) {
    for (int i = 0; i < m->sys.n_equations; i++) {
        HolEquation *e = &m->sys.equations[i];
        int n = e->expr ? hol_expr_slot_count(e->expr) : 0;
        if (!e->expr)
            continue;
        e->partial = HOL_NEW(&m->arena, const HolExpr *, n + 1);
        for (int k = 0; e->partial && k < n; k++) {
            if (m->sys.slots[hol_expr_slots(e->expr)[k]].type != HOL_SLOT_VALUE)
                continue;
            e->partial[k] = hol_expr_derivative(&m->arena, e->expr, k);
            if (!e->partial[k] && !m->arena.failed)
                hol_problem_error(m, err, 0, 0, "'%s': the expression has too many operations",
                                  e->owner);
            if (!e->partial[k])
                return 0;
        }
    }
    return !m->arena.failed;
}

// holonomic equations first; indices kept elsewhere follow
static int sort_equations(HolModel *m) {
    int n = m->sys.n_equations, k = 0;
    int *place = HOL_NEW(&m->arena, int, n + 1);
    HolEquation *sorted = HOL_NEW(&m->arena, HolEquation, n + 1);
    if (!place || !sorted)
        return 0;
    for (int pass = 1; pass >= 0; pass--)
        for (int i = 0; i < n; i++)
            if (m->sys.equations[i].holonomic == pass) {
                sorted[k] = m->sys.equations[i];
                place[i] = k++;
            }
    m->sys.equations = sorted;
    m->sys.cap_equations = n + 1;
    for (int i = 0; i < m->def.n_joints; i++)
        for (int e = 0; e < m->def.joints[i].n_equations; e++)
            m->def.joints[i].equations[e] = place[m->def.joints[i].equations[e]];
    for (int i = 0; i < m->def.n_motions; i++)
        m->def.motions[i].constraint = place[m->def.motions[i].constraint];
    for (int i = 0; i < m->def.n_constraints; i++)
        m->def.constraints[i].constraint = place[m->def.constraints[i].constraint];
    for (int i = 0; i < m->sys.n_slots; i++)
        if (m->sys.slots[i].type == HOL_SLOT_MULTIPLIER)
            m->sys.slots[i].index = place[m->sys.slots[i].index];
    return 1;
}

static int index_ranges(HolModel *m) {
    int q = 0, v = 0;
    for (int i = 1; i < m->def.n_bodies; i++) {
        HolBody *b = &m->def.bodies[i];
        b->q = q;
        b->v = v;
        q += b->nq;
        v += b->nv;
    }
    m->problem.nq = q;
    m->problem.nv = v;
    int *body = HOL_NEW(&m->arena, int, v + 1);
    for (int i = 1; body && i < m->def.n_bodies; i++)
        for (int k = 0; k < m->def.bodies[i].nv; k++)
            body[m->def.bodies[i].v + k] = i;
    m->extras.body = body;
    return body != NULL;
}

static int gather_implicit(HolModel *m) {
    m->sys.implicit = HOL_NEW(&m->arena, const HolVariable *, m->sys.nw + 1);
    if (!m->sys.implicit)
        return 0;
    for (int i = 0; i < m->def.n_variables; i++)
        if (m->def.variables[i].implicit >= 0)
            m->sys.implicit[m->def.variables[i].implicit] = &m->def.variables[i];
    return 1;
}

// the row that each unwrapped angle belongs to (others may share it)
static int gather_angles(HolModel *m) {
    int *rows = HOL_NEW(&m->arena, int, m->sys.n_memory + 1);
    if (!rows)
        return 0;
    for (int i = m->sys.n_rows - 1; i >= 0; i--)
        if (m->sys.rows[i].memory >= 0)
            rows[m->sys.rows[i].memory] = i;
    m->sys.memory_rows = rows;
    return 1;
}

HolStatus hol_compile(HolModel *m, HolError *err) {
    int ok = 1, declared = 0, before = err->problems;
    if (m->def.n_bodies < 2) {
        hol_problem_error(m, err, 0, 0,
                          "the model has no bodies: add at least one under `bodies:`");
        return HOL_ERR_INPUT;
    }
    hol_slot(m, HOL_SLOT_TIME, 0, 0, 0, 0); // slot 0
    for (int i = 0; i < m->def.n_joints; i++)
        ok &= compile_joint(m, &m->def.joints[i], err);
    if (ok) { // expressions may name joints: only when all of them stand
        for (int i = 0; i < m->def.n_motions; i++)
            ok &= declare_motion(m, &m->def.motions[i], err);
        for (int i = 0; i < m->def.n_constraints; i++) {
            m->def.constraints[i].constraint =
                hol_add_equation(m, m->def.constraints[i].def.name, NULL, 0, NULL, 0, 1);
            ok &= m->def.constraints[i].constraint >= 0;
        }
        declared = 1;
        for (int i = 0; i < m->def.n_forces; i++)
            declared &= m->def.forces[i].declared = declare_force(m, &m->def.forces[i], err);
    }
    if (ok) {
        ok &= declared && hol_variables_compile(m, err);
        for (int i = 0; i < m->def.n_motions; i++)
            ok &= compile_motion(m, &m->def.motions[i], err);
        for (int i = 0; i < m->def.n_constraints; i++)
            ok &= compile_constraint(m, &m->def.constraints[i], err);
        for (int i = 0; i < m->def.n_forces; i++)
            ok &= m->def.forces[i].declared && compile_force(m, &m->def.forces[i], err);
    }
    if (m->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while compiling the model");
    if (!ok || err->problems > before)
        return HOL_ERR_INPUT;
    m->sys.n_active_slots = m->sys.n_slots;
    m->sys.n_active_rows = m->sys.n_rows;
    ok = index_ranges(m) && sort_equations(m) && derive_equations(m, err) &&
         hol_columns_build(m, err) && gather_implicit(m) && gather_angles(m) &&
         hol_limits_build(m) && hol_patterns_build(m);
    if (m->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while compiling the model");
    if (!ok)
        return HOL_ERR_INPUT;
    hol_problem_setup(m);
    if (!hol_switches_build(m) || !hol_tree_build(m))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while compiling the model");
    m->frozen = 1;
    return HOL_OK;
}
