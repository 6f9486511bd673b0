// SPDX-License-Identifier: Apache-2.0
// Compile: names -> indices (attach.c), kinds -> rows, equations and elements, then index ranges
// (arrange.c), columns, sparsity (problem/pattern.c) and freeze. Everything wrong is reported in one
// go, with names and source positions.
#include "math/saddle/kkt.h"
#include "math/vec.h"
#include "model/contact/contact.h"
#include "model/mode/mode.h"
#include "model/model.h"
#include "model/problem/velocity_law.h"

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
                       .joint = -1,
                       .mode = -1};
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
    m->sys.elements[m->sys.n_elements] = (HolElement){row, row, k, s0, s0, c, expr, force, NULL, 0};
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

// the text, its negative, or a slot less the text
enum { COMPILE_PLAIN = -1, COMPILE_NEGATIVE = -2 }; // or the slot
static HolExpr *compile_text(HolModel *m, const char *text, int from, const char *what, int line,
                             int column, HolError *err) {
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
        e = hol_builder_close(b, from == COMPILE_PLAIN ? node
                                 : from == COMPILE_NEGATIVE
                                     ? hol_builder_negative(b, node)
                                     : hol_builder_difference(b, hol_builder_slot(b, from), node));
    }
    if (!e && !m->arena.failed) // (hol_compile reports what memory did not allow)
        hol_problem_error(m, err, line, column, "%s: %s (in \"%.80s\", character %d)", what,
                          error.text, text, error.column + 1);
    return hol_compile_room(m, e);
}

HolExpr *hol_compile_room(HolModel *m, HolExpr *e) {
    if (e && hol_expr_work(e) > m->sys.expr_work)
        m->sys.expr_work = hol_expr_work(e);
    return e;
}

HolExpr *hol_compile_expr(HolModel *m, const char *text, const char *what, int line, int column,
                          HolError *err) {
    return compile_text(m, text, COMPILE_PLAIN, what, line, column, err);
}

HolExpr *hol_compile_negative(HolModel *m, const char *text, const char *what, int line, int column,
                              HolError *err) {
    return compile_text(m, text, COMPILE_NEGATIVE, what, line, column, err);
}

void hol_initial_frame(const HolModel *m, int body, HolFrame *out) {
    hol_body_written(m->space, &m->def.bodies[body].def, out);
}

double hol_row_initial(const HolModel *m, const HolRow *row) {
    HolFrame a, b;
    const double half_open = 1e-9; // half a turn is +pi, whatever round-off says
    hol_initial_frame(m, row->a, &a);
    hol_initial_frame(m, row->b, &b);
    return row->kind->value(row, &a, &b, &half_open);
}

static const HolKind *compile_find_kind(HolModel *m, const HolKind *const *list, const char *what,
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
    for (const HolKind *const *k = list; *k && n < 64; k++)
        if ((*k)->spaces & space)
            names[n++] = (*k)->name;
    near = type ? hol_nearest_word(type, names, n) : NULL;
    hol_problem_error(m, err, line, column, "%s '%s': unknown type '%s'%s%s%s", what, name,
                      type ? type : "", near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
    return NULL;
}

static int compile_joint(HolModel *m, HolJoint *j, HolError *err) {
    int first = m->sys.n_equations;
    j->kind = compile_find_kind(m, hol_joint_kinds, "joint", j->def.name, j->def.type, j->def.line,
                                j->def.column, err);
    if (!j->kind)
        return 0;
    if (!hol_joint_attach(m, j, err))
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
    const HolKind *kind = compile_find_kind(m, hol_force_kinds, "force", f->def.name, f->def.type,
                                            f->def.line, f->def.column, err);
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
    } else if (hol_kind_takes(kind, "between")) {
        ok = hol_resolve(m, &f->def.a, what, &f->a, err);
        ok &= hol_resolve(m, &f->def.b, what, &f->b, err);
        if (ok && f->a.body == f->b.body) {
            hol_problem_error(m, err, f->def.line, f->def.column, "%s acts between '%s' and itself",
                              what, m->def.bodies[f->a.body].def.name);
            ok = 0;
        }
    } else if (!(kind->flags & (HOL_KIND_ON_COORDINATE | HOL_KIND_ON_BEAM))) {
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
        if (t != HOL_SLOT_TIME && t != HOL_SLOT_VALUE && t != HOL_SLOT_GIVEN) {
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
    if (d->value && d->speed) {
        hol_problem_error(m, err, d->line, d->column,
                          "%s has both a value and a speed: give one of them", what);
        return 0;
    }
    motion->joint = hol_joint_find(m, d->joint);
    if (motion->joint < 0 || m->def.joints[motion->joint].coordinate < 0) {
        hol_problem_error(
            m, err, d->line, d->column,
            "%s: '%s' is not a joint with a free coordinate (revolute, prismatic, ...)", what,
            d->joint ? d->joint : "");
        return 0;
    }
    HolTerm term = {m->def.joints[motion->joint].coordinate, 1};
    motion->constraint = hol_add_equation(m, d->name, &term, d->speed ? 0 : 1, NULL, 0, !d->speed);
    return motion->constraint >= 0;
}

static int compile_motion(HolModel *m, HolMotion *motion, HolError *err) {
    char what[120];
    const HolMotionDef *d = &motion->def;
    snprintf(what, sizeof what, "motion '%.80s'", d->name);
    if (d->speed) { // rate - speed = 0
        const int rate =
            hol_slot(m, HOL_SLOT_RATE, m->def.joints[motion->joint].coordinate, 0, 0, 0);
        const HolExpr *law = compile_text(m, d->speed, rate, what, d->line, d->column, err);
        return law && hol_law_compile(m, &m->sys.equations[motion->constraint], law, what, d->line,
                                      d->column, err);
    }
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
    if (d->velocity && d->equation) {
        hol_problem_error(m, err, d->line, d->column,
                          "%s has both an equation and a velocity: give one of them", what);
        return 0;
    }
    if (d->velocity) {
        const HolExpr *law = hol_compile_expr(m, d->velocity, what, d->line, d->column, err);
        return law && hol_law_compile(m, &m->sys.equations[c->constraint], law, what, d->line,
                                      d->column, err);
    }
    // an equation subtracts its expression: g = -(-equation)
    HolExpr *e = hol_compile_negative(m, d->equation, what, d->line, d->column, err);
    if (!e || !position_only(m, e, what, d->line, d->column, err))
        return 0;
    int coordinates = 0;
    const int *slots = hol_expr_slots(e);
    for (int i = 0; i < hol_expr_slot_count(e); i++) {
        if (m->sys.slots[slots[i]].type == HOL_SLOT_TIME)
            m->sys.has_power = 1;
        else if (m->sys.slots[slots[i]].type == HOL_SLOT_VALUE)
            coordinates = 1;
    }
    if (!coordinates) {
        hol_problem_error(m, err, d->line, d->column, "%s does not depend on any coordinate", what);
        return 0;
    }
    m->sys.equations[c->constraint].expr = e;
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
    ok = hol_states_declare(m);
    for (int i = 0; i < m->def.n_joints; i++)
        ok &= compile_joint(m, &m->def.joints[i], err);
    ok &= !m->modals.n || hol_modals_build(m);
    if (ok) { // expressions may name joints: only when all of them stand
        for (int i = 0; i < m->def.n_motions; i++)
            ok &= declare_motion(m, &m->def.motions[i], err);
        for (int i = 0; i < m->def.n_constraints; i++) {
            m->def.constraints[i].constraint =
                hol_add_equation(m, m->def.constraints[i].def.name, NULL, 0, NULL, 0,
                                 !m->def.constraints[i].def.velocity);
            ok &= m->def.constraints[i].constraint >= 0;
        }
        ok &= hol_contacts_build(m, err);
        declared = 1;
        for (int i = 0; i < m->def.n_forces; i++)
            declared &= m->def.forces[i].declared = declare_force(m, &m->def.forces[i], err);
    }
    if (ok) {
        ok &= declared && hol_variables_compile(m, err);
        for (int i = 0; ok && i < m->def.n_joints; i++) {
            HolJoint *j = &m->def.joints[i];
            ok &= !j->def.friction.given || hol_friction_build(m, j, err);
            ok &= !j->def.limits.given || hol_limits_build_joint(m, j, err);
        }
        for (int i = 0; i < m->def.n_motions; i++)
            ok &= compile_motion(m, &m->def.motions[i], err);
        for (int i = 0; i < m->def.n_constraints; i++)
            ok &= compile_constraint(m, &m->def.constraints[i], err);
        for (int i = 0; i < m->def.n_forces; i++)
            ok &= m->def.forces[i].declared && compile_force(m, &m->def.forces[i], err);
        ok &= hol_states_compile(m, err);
    }
    if (m->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while compiling the model");
    if (!ok || err->problems > before)
        return HOL_ERR_INPUT;
    m->sys.n_active_slots = m->sys.n_slots;
    m->sys.n_active_rows = m->sys.n_rows;
    ok = hol_equations_arrange(m, err) && hol_user_events_compile(m, err) &&
         hol_nonsmooth_build(m, err) && hol_columns_build(m, err) && hol_unknowns_gather(m) &&
         hol_limits_build(m) && hol_patterns_build(m);
    // (a mistake is told; what fails without a word found no memory)
    if (m->arena.failed || (!ok && err->problems == before))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while compiling the model");
    if (!ok)
        return HOL_ERR_INPUT;
    hol_problem_setup(m);
    if (!hol_switches_build(m) || !hol_tree_build(m))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while compiling the model");
    m->extras.plans = hol_kkt_plans_create(); // (NULL: runs share nothing)
    m->frozen = 1;
    return HOL_OK;
}
