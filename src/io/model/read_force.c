// SPDX-License-Identifier: Apache-2.0
// Forces, motions, constraints, states, variables and outputs: what is written with expressions.
#include "io/expand/part.h"
#include "io/model/read.h"
#include "io/model/read_beam.h"

#include "base/text.h"
#include "model/fields.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- forces -------------------------------------------------------------------------------

typedef struct ForceTarget {
    HolForceDef def; // first: the field table's offsets count from here
    const HolKind *kind;
} ForceTarget;

// a generalized force acts on a coordinate ("q1", "rod.x"), every other force on a place
static void read_on(HolReader *r, const char *key, const HolNode *node, ForceTarget *target) {
    // of a wrong type: what stands behind the dot may be a point or a coordinate
    if (target->kind && (target->kind->flags & HOL_KIND_ON_BEAM)) {
        hol_read_whole_beam(r, node, "on", &target->def.on);
        return;
    }
    if (target->kind && !(target->kind->flags & HOL_KIND_ON_COORDINATE)) {
        hol_read_ref(r, node, key, &target->def.on);
        return;
    }
    const char *text = hol_read_text(r, node, key);
    if (!text)
        return;
    char *body = hol_arena_text_n(r->arena, text, hol_read_body_length(r, text));
    if (body && !hol_name_table_find(&r->bodies, body))
        hol_read_problem(r, node, 0, "'%s': there is no body or coordinate '%.64s'%s", key, body,
                         hol_read_hint_names(r, body, &r->bodies));
    target->def.coordinate = text;
    target->def.on.line = node->line;
    target->def.on.column = node->column;
}

// rows of a symmetric matrix, 3 x 3 in the plane, 6 x 6 in space; NULL after a problem
static const double *read_matrix(HolReader *r, const HolNode *node, const char *key) {
    const int n = r->space == HOL_PLANAR ? 3 : 6;
    double *out = HOL_NEW(r->arena, double, n *n);
    if (!out || !hol_expect(r, node, HOL_NODE_LIST, key))
        return NULL;
    if (node->n != n) {
        hol_read_problem(r, node, -1, "'%s' must hold %d rows of %d numbers, not %d", key, n, n,
                         node->n);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        if (!hol_read_numbers(r, &node->values[i], key, n, n, out + n * i, NULL))
            return NULL;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(out[n * i + j] - out[n * j + i]) >
                1e-12 * (fabs(out[n * i + j]) + fabs(out[n * j + i]))) {
                hol_read_problem(r, &node->values[i].values[j], -1,
                                 "'%s' must be symmetric: row %d, column %d is %g, row %d, column "
                                 "%d is %g",
                                 key, i + 1, j + 1, out[n * i + j], j + 1, i + 1, out[n * j + i]);
                return NULL;
            }
    return out;
}

static void read_force_own(HolReader *r, const HolField *f, const HolNode *node, void *object) {
    ForceTarget *target = object;
    const int n = r->space == HOL_PLANAR ? 9 : 36;
    if (strcmp(f->form, "on") == 0) {
        read_on(r, f->key, node, target);
    } else if (strcmp(f->key, "matrix") == 0) {
        target->def.matrix = read_matrix(r, node, f->key);
        target->def.n_matrix = n;
    } else if (strcmp(f->key, "damping_matrix") == 0) {
        target->def.damping_matrix = read_matrix(r, node, f->key);
        target->def.n_damping_matrix = n;
    } else
        hol_read_between(r, node, f->key, &target->def.a, &target->def.b);
}

// a spring or damper without any law
static void check_law(HolReader *r, const HolNode *node, const HolKind *kind) {
    static const char *const laws[] = {"stiffness",          "damping", "rotational_stiffness",
                                       "rotational_damping", "force",   "matrix",
                                       "damping_matrix"};
    if (!hol_kind_takes(kind, "stiffness"))
        return;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        if (hol_node_find(node, laws[i]) >= 0)
            return;
    hol_read_problem(r, node, -1, "it does nothing: give 'stiffness', 'damping'%s",
                     hol_kind_takes(kind, "force") ? " or 'force'" : " or the rotational ones");
}

// a matrix says it all
static void check_matrix(HolReader *r, const HolNode *node) {
    static const char *const others[] = {"stiffness", "damping", "rotational_stiffness",
                                         "rotational_damping"};
    if (!hol_node_get(node, "matrix") && !hol_node_get(node, "damping_matrix"))
        return;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const int at = hol_node_find(node, others[i]);
        if (at >= 0)
            hol_read_problem(r, &node->keys[at], -1,
                             "'%s' goes without 'matrix' and 'damping_matrix', which hold all "
                             "stiffness and damping",
                             others[i]);
    }
}

static void check_force(HolReader *r, const HolNode *node, const HolKind *kind) {
    const HolNode *joint = hol_node_get(node, "joint");
    int between = hol_node_find(node, "between");
    check_law(r, node, kind);
    if (hol_kind_takes(kind, "matrix"))
        check_matrix(r, node);
    if (joint && hol_kind_takes(kind, "joint"))
        hol_read_joint_name(r, joint, "joint", NULL);
    if (joint && between >= 0 && hol_kind_takes(kind, "joint"))
        hol_read_problem(r, &node->keys[between], -1, "give 'between' or 'joint', not both");
    const int on = hol_node_find(node, "on");
    if (on >= 0 && hol_node_find(node, "acts_on") >= 0)
        hol_read_problem(r, &node->keys[on], -1, "'on' is 'acts_on': give one of them");
    if (hol_kind_takes(kind, "acts_on") && on < 0 && !hol_node_get(node, "acts_on") &&
        !(joint && hol_kind_takes(kind, "joint")))
        hol_read_problem(r, node, -1, "required key 'acts_on' is missing: what it acts on");
    if (hol_kind_takes(kind, "per_length") && !hol_node_get(node, "per_length"))
        hol_read_problem(r, node, -1, "required key 'per_length' is missing [N/m]");
    if (hol_kind_takes(kind, "value") && !hol_node_get(node, "value"))
        hol_read_problem(r, node, -1, "required key 'value' is missing");
    if (hol_kind_takes(kind, "between") && between < 0 && !(joint && hol_kind_takes(kind, "joint")))
        hol_read_problem(r, node, -1, "required key 'between'%s is missing: what it acts between",
                         hol_kind_takes(kind, "joint") ? " (or 'joint')" : "");
}

// component k of a vector of expressions in the axes of a part, in global axes
static const char *read_force_component(HolReader *r, const HolPart *part, const HolForceDef *def,
                                        int k) {
    size_t room = 64, used = 0;
    for (int j = 0; j < def->n_value; j++)
        room += 40 + strlen(def->value[j]);
    char *out = hol_arena_alloc(r->arena, room);
    for (int j = 0; out && j < def->n_value; j++) {
        const double a = part->A[3 * k + j];
        char number[HOL_NUMBER_SIZE];
        hol_text_print_number(a, number);
        if (a != 0)
            used += (size_t)snprintf(out + used, room - used, "%s(%s)*(%s)", used ? "+" : "",
                                     number, def->value[j]);
    }
    return out;
}

// in a part that is turned: its global axes are those of its frame
static void read_force_place(HolReader *r, const HolNode *node, ForceTarget *t) {
    const HolPart *part = hol_node_frame(node);
    HolForceDef *def = &t->def;
    if (!part || !part->turned || !t->kind)
        return;
    const char *last = def->coordinate ? strrchr(def->coordinate, '.') : NULL;
    if (last && strlen(last) == 2 && strchr("xyz", last[1]))
        hol_read_problem(r, node, -1,
                         "a force on one coordinate would need the global axes, and the part is "
                         "turned: use 'type: force'");
    if (hol_kind_takes(t->kind, "matrix") && hol_read_is_ground(&def->a) && !r->problems)
        hol_read_problem(r, node, -1,
                         "the stiffness counts in axes of the ground, and the part is turned: put "
                         "the other body first");
    if (!hol_kind_takes(t->kind, "frame") || def->frame != HOL_FRAME_GLOBAL || def->n_value < 2)
        return;
    const char *turned[3] = {0};
    for (int k = 0; k < def->n_value; k++)
        turned[k] = read_force_component(r, part, def, k);
    for (int k = 0; k < def->n_value; k++)
        def->value[k] = turned[k];
}

// whether its numbers are those of a force or of a torque
static HolSense force_sense(const HolKind *kind) {
    if (!kind || (kind->flags & HOL_KIND_ON_COORDINATE))
        return HOL_SENSE_ANY;
    return kind->flags & HOL_KIND_TORQUE ? HOL_SENSE_TURNS : HOL_SENSE_SLIDES;
}

static void read_force(HolReader *r, const HolNode *node, int i) {
    snprintf(r->what, sizeof r->what, "force %d", i + 1);
    if (!hol_expect(r, node, HOL_NODE_MAP, "forces"))
        return;
    const HolNode *name = hol_node_get(node, "name");
    const char *text = hol_entry_name(r, node, "force", i);
    snprintf(r->what, sizeof r->what, "force '%.64s'", text);
    HolMapReader how = {.table = hol_force_fields, .own = read_force_own, .kind_word = "force"};
    how.kind = hol_read_kind(r, node, hol_force_kinds, "force");
    how.any_kind = !how.kind;
    ForceTarget target = {hol_force_def(how.kind ? how.kind->name : NULL), how.kind};
    int before = r->problems;
    target.def.name = text;
    target.def.line = name ? name->line : node->line;
    target.def.column = name ? name->column : node->column;
    r->own_coordinate = how.kind && hol_kind_takes(how.kind, "length")  ? "length"
                        : how.kind && hol_kind_takes(how.kind, "force") ? "angle"
                                                                        : NULL;
    r->sense = force_sense(how.kind);
    hol_read_map(r, node, &how, &target);
    r->own_coordinate = NULL;
    r->sense = HOL_SENSE_ANY;
    read_force_place(r, node, &target);
    if (how.kind)
        check_force(r, node, how.kind);
    else if (target.def.joint)
        hol_read_joint_name(r, hol_node_get(node, "joint"), "joint", NULL);
    if (how.kind && r->problems == before && hol_entry_owns_name(&r->forces, text, node) &&
        hol_add_force(r->model, &target.def, r->err) != HOL_OK)
        r->problems++;
}

void hol_read_forces(HolReader *r, const HolNode *list) {
    if (hol_expect(r, list, HOL_NODE_LIST, "forces"))
        for (int i = 0; i < list->n; i++)
            read_force(r, &list->values[i], i);
    r->what[0] = 0;
}

// ---- motions, constraints, variables ------------------------------------------------------

// the entry as a map with its name in r->what; NULL after a problem
static const char *start_entry(HolReader *r, const HolNode *node, const char *section,
                               const char *word, int i) {
    snprintf(r->what, sizeof r->what, "%s %d", word, i + 1);
    if (!hol_expect(r, node, HOL_NODE_MAP, section))
        return NULL;
    const char *name = hol_entry_name(r, node, word, i);
    snprintf(r->what, sizeof r->what, "%s '%.64s'", word, name);
    return name;
}

// position for messages of the model: the expression, where there is one
static const HolNode *read_force_place_of(const HolNode *node, const char *key) {
    const HolNode *value = hol_node_get(node, key);
    return value ? value : node;
}

// one of two keys is written, and only one: its name, or NULL after a problem
static const char *read_force_either(HolReader *r, const HolNode *node, const char *first,
                                     const char *second) {
    const HolNode *a = hol_node_get(node, first), *b = hol_node_get(node, second);
    if (a && b)
        hol_read_problem(r, b, -1, "'%s' and '%s' exclude each other: write one of them", first,
                         second);
    else if (!a && !b)
        hol_read_problem(r, node, -1, "required key '%s' (or '%s') is missing", first, second);
    return a && b ? NULL : a ? first : b ? second : NULL;
}

void hol_read_motions(HolReader *r, const HolNode *list) {
    static const HolMapReader how = {.table = hol_motion_fields};
    if (!hol_expect(r, list, HOL_NODE_LIST, "motions"))
        return;
    for (int i = 0; i < list->n; i++) {
        const HolNode *node = &list->values[i];
        const char *name = start_entry(r, node, "motions", "motion", i);
        if (!name)
            continue;
        const char *given = read_force_either(r, node, "value", "speed");
        const HolNode *at = read_force_place_of(node, given ? given : "value");
        HolMotionDef def = hol_motion_def();
        def.name = name;
        def.line = at->line;
        def.column = at->column;
        const HolNode *joint = hol_node_get(node, "joint");
        int before = r->problems;
        hol_read_map(r, node, &how, &def);
        if (joint && def.joint)
            hol_read_joint_name(r, joint, "joint", NULL);
        if (given && r->problems == before && hol_entry_owns_name(&r->motions, name, node) &&
            hol_add_motion(r->model, &def, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}

void hol_read_constraints(HolReader *r, const HolNode *list) {
    static const HolMapReader how = {.table = hol_constraint_fields};
    if (!hol_expect(r, list, HOL_NODE_LIST, "constraints"))
        return;
    for (int i = 0; i < list->n; i++) {
        const HolNode *node = &list->values[i];
        const char *name = start_entry(r, node, "constraints", "constraint", i);
        if (!name)
            continue;
        const char *given = read_force_either(r, node, "equation", "velocity");
        const HolNode *at = read_force_place_of(node, given ? given : "equation");
        HolConstraintDef def = hol_constraint_def();
        def.name = name;
        def.line = at->line;
        def.column = at->column;
        int before = r->problems;
        hol_read_map(r, node, &how, &def);
        if (given && r->problems == before && hol_entry_owns_name(&r->constraints, name, node) &&
            hol_add_constraint(r->model, &def, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}

void hol_read_states(HolReader *r, const HolNode *list) {
    static const HolMapReader how = {.table = hol_state_fields};
    if (!hol_expect(r, list, HOL_NODE_LIST, "states"))
        return;
    for (int i = 0; i < list->n; i++) {
        const HolNode *node = &list->values[i], *at = read_force_place_of(node, "rate");
        const char *name = start_entry(r, node, "states", "state", i);
        if (!name)
            continue;
        HolStateDef def = hol_state_def();
        def.name = name;
        def.line = at->line;
        def.column = at->column;
        int before = r->problems;
        hol_read_map(r, node, &how, &def);
        if (r->problems == before && hol_entry_owns_name(&r->states, name, node) &&
            hol_add_state(r->model, &def, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}

void hol_read_variables(HolReader *r, const HolNode *list) {
    static const HolMapReader how = {.table = hol_variable_fields};
    if (!hol_expect(r, list, HOL_NODE_LIST, "variables"))
        return;
    for (int i = 0; i < list->n; i++) {
        const HolNode *node = &list->values[i], *at = read_force_place_of(node, "value");
        const char *name = start_entry(r, node, "variables", "variable", i);
        if (!name)
            continue;
        HolVariableDef def = hol_variable_def();
        def.name = name;
        def.line = at->line;
        def.column = at->column;
        int before = r->problems;
        hol_read_map(r, node, &how, &def);
        if (r->problems == before && hol_entry_owns_name(&r->variables, name, node) &&
            hol_add_variable(r->model, &def, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}

void hol_read_outputs(HolReader *r, const HolNode *list) {
    if (!hol_expect(r, list, HOL_NODE_LIST, "outputs"))
        return;
    for (int i = 0; i < list->n; i++) {
        const HolNode *node = &list->values[i];
        r->output = node->text;
        const int word = node->type == HOL_NODE_SCALAR && strcasecmp(node->text, "all") == 0;
        const int all = word && strcmp(node->text, "all") == 0;
        if (word && !all) {
            hol_read_problem(r, node, -1, "'outputs': unknown name '%s'; did you mean 'all'?",
                             node->text);
            continue;
        }
        const char *text = all ? node->text : hol_read_expression(r, node, "outputs");
        r->output = NULL;
        if (text && hol_add_output(r->model, text, node->line, node->column, r->err) != HOL_OK)
            r->problems++;
    }
}
