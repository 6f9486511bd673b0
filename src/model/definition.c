// SPDX-License-Identifier: Apache-2.0
// The public entry points for building a model: defaults of the definitions, structs of older and
// newer programs (base/sized.h), and the memory of what could not be added, for which compiling
// fails. The work itself is in model.c and compile.c.
#include "base/sized.h"
#include "model/expr/function.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- defaults ----

void hol_point_def_sized(HolPointDef *out, size_t room) {
    const HolPointDef def = {0};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_body_def_sized(HolBodyDef *out, size_t room) {
    const HolBodyDef def = {.type = HOL_RIGID, .mass = 1, .quaternion = {1, 0, 0, 0}};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_joint_def_sized(const char *type, HolJointDef *out, size_t room) {
    const HolJointDef def = {.type = type,
                             .length = NAN,
                             .ratio = 1,
                             .cross_angle = M_PI / 2,
                             .friction = {.mu_static = NAN},
                             .limits = {.min = NAN, .max = NAN},
                             .start_angle = NAN,
                             .start_rate = NAN,
                             .start_displacement = NAN,
                             .start_speed = NAN};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_force_def_sized(const char *type, HolForceDef *out, size_t room) {
    const HolForceDef def = {.type = type};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_motion_def_sized(HolMotionDef *out, size_t room) {
    const HolMotionDef def = {0};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_constraint_def_sized(HolConstraintDef *out, size_t room) {
    const HolConstraintDef def = {0};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_curve_def_sized(HolCurveDef *out, size_t room) {
    const HolCurveDef def = {0};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_state_def_sized(HolStateDef *out, size_t room) {
    const HolStateDef def = {0};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_variable_def_sized(HolVariableDef *out, size_t room) {
    const HolVariableDef def = {0};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_event_def_sized(HolEventDef *out, size_t room) {
    const HolEventDef def = {0};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_table_def_sized(HolTableDef *out, size_t room) {
    const HolTableDef def = {0};
    hol_sized_make(out, room, &def, sizeof def);
}

void hol_function_def_sized(HolFunctionDef *out, size_t room) {
    const HolFunctionDef def = {.arguments = 1};
    hol_sized_make(out, room, &def, sizeof def);
}

// ---- what could not be added ----

// One call of hol_model_add_..: an error of its own where the caller has none, since the reason is
// kept for hol_model_compile.
typedef struct Adding {
    HolModel *m;
    HolError *err, own;
    const char *what, *name; // "joint", its name
} Adding;

static HolStatus adding_begin(Adding *a, HolModel *m, const char *what, const char *name,
                              HolError *err) {
    a->m = m;
    a->what = what;
    a->name = name;
    a->err = err ? err : &a->own;
    hol_error_clear(a->err);
    if (!m)
        return hol_error_set(a->err, HOL_ERR_INPUT, "there is no model to add a %s to", what);
    if (m->frozen)
        return hol_error_set(a->err, HOL_ERR_INPUT,
                             "the model is compiled: nothing can be added to it");
    return HOL_OK;
}

// the library's own copy of a definition; its defaults are in `to`
static HolStatus adding_take(Adding *a, void *to, size_t size, const void *def, const char *maker) {
    HolError problem;
    if (hol_sized_take(to, size, def, maker, &problem) == HOL_OK)
        return HOL_OK;
    return hol_error_set(a->err, HOL_ERR_INPUT, "%s: %s", a->what, problem.text);
}

static HolStatus adding_end(Adding *a, HolStatus status) {
    HolModel *m = a->m;
    if (status == HOL_OK || !m || m->frozen)
        return status;
    char text[600];
    snprintf(text, sizeof text, "%s%s%.64s%s could not be added: %.400s", a->what,
             a->name ? " '" : "", a->name ? a->name : "", a->name ? "'" : "", a->err->text);
    hol_model_failure(m, text);
    return status;
}

// the points of a body, which may be those of an older program: a step of points->size from one to
// the next
static HolStatus adding_points(Adding *a, HolBodyDef *def) {
    const HolPointDef *given = def->points;
    if (def->n_points < 0 || (def->n_points > 0 && !given))
        return hol_error_set(a->err, HOL_ERR_INPUT, "body '%s': its points are missing", def->name);
    HolPointDef *points = HOL_NEW(&a->m->arena, HolPointDef, def->n_points + 1);
    if (!points)
        return hol_error_set(a->err, HOL_ERR_MEMORY, "out of memory while building the model");
    const size_t step = def->n_points ? given->size : 0;
    for (int i = 0; i < def->n_points; i++) {
        const HolPointDef *point = (const void *)((const char *)given + (size_t)i * step);
        points[i] = hol_point_def();
        HolStatus status = adding_take(a, &points[i], sizeof *points, point, "hol_point_def");
        if (status == HOL_OK && point->size != step)
            status = hol_error_set(a->err, HOL_ERR_INPUT, "body '%s': its points differ in size",
                                   def->name);
        if (status != HOL_OK)
            return status;
    }
    def->points = points;
    return HOL_OK;
}

// ---- adding ----

HolStatus hol_model_add_parameter(HolModel *m, const char *name, double value, HolError *err) {
    Adding a;
    HolStatus status = adding_begin(&a, m, "parameter", name, err);
    if (status == HOL_OK)
        status = hol_add_parameter(m, name, value, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_body(HolModel *m, const HolBodyDef *def, HolError *err) {
    Adding a;
    HolBodyDef d = hol_body_def();
    HolStatus status = adding_begin(&a, m, "body", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_body_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = adding_points(&a, &d);
    if (status == HOL_OK)
        status = hol_add_body(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_joint(HolModel *m, const HolJointDef *def, HolError *err) {
    Adding a;
    HolJointDef d = hol_joint_def(NULL);
    HolStatus status = adding_begin(&a, m, "joint", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_joint_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = hol_add_joint(m, &d, a.err);
    return adding_end(&a, status);
}

// what is counted is there
static HolStatus adding_lists(Adding *a, const HolForceDef *d) {
    const struct {
        const char *const *list;
        int n;
    } texts[] = {{d->value, d->n_value},
                 {d->stiffness, d->n_stiffness},
                 {d->damping, d->n_damping},
                 {d->rotational_stiffness, d->n_rotational_stiffness},
                 {d->rotational_damping, d->n_rotational_damping},
                 {d->angle, d->n_angle}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int ok = texts[i].n >= 0 && texts[i].n <= 3;
        for (int k = 0; ok && k < texts[i].n; k++)
            ok = texts[i].list[k] != NULL;
        if (!ok)
            return hol_error_set(a->err, HOL_ERR_INPUT,
                                 "a list of %d expressions is not complete: up to three, none NULL",
                                 texts[i].n);
    }
    return HOL_OK;
}

HolStatus hol_model_add_force(HolModel *m, const HolForceDef *def, HolError *err) {
    Adding a;
    HolForceDef d = hol_force_def(NULL);
    HolStatus status = adding_begin(&a, m, "force", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_force_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = adding_lists(&a, &d);
    if (status == HOL_OK)
        status = hol_add_force(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_ground_point(HolModel *m, const HolPointDef *point, HolError *err) {
    Adding a;
    HolPointDef d = hol_point_def();
    HolStatus status = adding_begin(&a, m, "ground point", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, point, "hol_point_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = hol_add_ground_point(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_table(HolModel *m, const HolTableDef *def, HolError *err) {
    Adding a;
    HolTableDef d = hol_table_def();
    HolStatus status = adding_begin(&a, m, "table", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_table_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = hol_add_table(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_function(HolModel *m, const HolFunctionDef *def, HolError *err) {
    Adding a;
    HolFunctionDef d = hol_function_def();
    HolStatus status = adding_begin(&a, m, "function", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_function_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = hol_add_function(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_motion(HolModel *m, const HolMotionDef *def, HolError *err) {
    Adding a;
    HolMotionDef d = hol_motion_def();
    HolStatus status = adding_begin(&a, m, "motion", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_motion_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = hol_add_motion(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_constraint(HolModel *m, const HolConstraintDef *def, HolError *err) {
    Adding a;
    HolConstraintDef d = hol_constraint_def();
    HolStatus status = adding_begin(&a, m, "constraint", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_constraint_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = hol_add_constraint(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_state(HolModel *m, const HolStateDef *def, HolError *err) {
    Adding a;
    HolStateDef d = hol_state_def();
    HolStatus status = adding_begin(&a, m, "state", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_state_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = hol_add_state(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_curve(HolModel *m, const HolCurveDef *def, HolError *err) {
    Adding a;
    HolCurveDef d = hol_curve_def();
    HolStatus status = adding_begin(&a, m, "curve", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_curve_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = hol_add_curve(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_variable(HolModel *m, const HolVariableDef *def, HolError *err) {
    Adding a;
    HolVariableDef d = hol_variable_def();
    HolStatus status = adding_begin(&a, m, "variable", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_variable_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = hol_add_variable(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_event(HolModel *m, const HolEventDef *def, HolError *err) {
    Adding a;
    HolEventDef d = hol_event_def();
    HolStatus status = adding_begin(&a, m, "event", NULL, err);
    if (status == HOL_OK)
        status = adding_take(&a, &d, sizeof d, def, "hol_event_def");
    a.name = d.name;
    if (status == HOL_OK)
        status = hol_add_event(m, &d, a.err);
    return adding_end(&a, status);
}

HolStatus hol_model_add_output(HolModel *m, const char *expression, int line, int column,
                               HolError *err) {
    Adding a;
    HolStatus status = adding_begin(&a, m, "output", expression, err);
    if (status == HOL_OK && !expression)
        status = hol_error_set(a.err, HOL_ERR_INPUT, "an output needs an expression");
    if (status == HOL_OK)
        status = hol_add_output(m, expression, line, column, a.err);
    return adding_end(&a, status);
}

// ---- compiling ----

HolStatus hol_model_compile(HolModel *m, HolError *err) {
    HolError own;
    if (!err)
        err = &own;
    hol_error_clear(err);
    if (!m)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no model to compile");
    if (m->frozen)
        return HOL_OK;
    if (m->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while building the model");
    for (int i = 0; i < m->n_failures; i++)
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0, "%s", m->failures[i]);
    if (m->n_failures)
        return HOL_ERR_INPUT;
    HolStatus status = hol_compile(m, err);
    if (status != HOL_OK) { // what was made halfway is of no use
        char text[600];
        snprintf(text, sizeof text, "the model could not be compiled before: %.400s", err->text);
        hol_model_failure(m, text);
    }
    return status;
}
