// SPDX-License-Identifier: Apache-2.0
// `holonom kinds`: every body, joint, force and method with its keys, from the tables that the
// reader uses. This file: what the writers share, and plain text.
#include "tools/kinds/kinds.h"

#include "model/fields.h"
#include "solve/sim.h"

#include <stdio.h>
#include <string.h>

// ---- describing ---------------------------------------------------------------------------

static void kinds_append(char out[HOL_DESCRIBE_SIZE], const char *text) {
    size_t used = strlen(out);
    snprintf(out + used, HOL_DESCRIBE_SIZE - used, "%s", text);
}

// "2 numbers", "1 or 3 numbers"
static void describe_count(int low, int high, const char *noun, char out[64]) {
    if (low == 1 && high == 1)
        snprintf(out, 64, "%s", noun);
    else if (low == high)
        snprintf(out, 64, "%d %ss", low, noun);
    else
        snprintf(out, 64, "%d or %d %ss", low, high, noun);
}

static void describe_lengths(const HolField *f, const char *noun, char out[HOL_DESCRIBE_SIZE]) {
    char plane[64], space[64];
    int low, high;
    hol_field_lengths(f->length, 2, &low, &high);
    describe_count(low, high, noun, plane);
    hol_field_lengths(f->length, 3, &low, &high);
    describe_count(low, high, noun, space);
    if (strcmp(plane, space) == 0 || f->spaces == 2)
        kinds_append(out, space);
    else
        snprintf(out, HOL_DESCRIBE_SIZE, "%s; in space %s", plane, space);
}

static void describe_words(const HolField *f, char out[HOL_DESCRIBE_SIZE]) {
    for (const HolWord *w = f->words; w && w->name; w++) {
        kinds_append(out, w->name);
        kinds_append(out, w[1].name ? ", " : "");
    }
}

void hol_describe_value(const HolField *f, char out[HOL_DESCRIBE_SIZE]) {
    // what is written for a type; NULL: depends on the field
    static const char *const texts[HOL_FIELD_TYPE_COUNT] = {
        [HOL_FIELD_NAME] = "name",
        [HOL_FIELD_KIND] = "name of a kind",
        [HOL_FIELD_SWITCH] = "true or false",
        [HOL_FIELD_NUMBER] = "number",
        [HOL_FIELD_INTEGER] = "whole number",
        [HOL_FIELD_LONG] = "whole number",
        [HOL_FIELD_NUMBERS] = "list of numbers",
        [HOL_FIELD_EXPRESSION] = "expression",
    };
    static const struct {
        const char *form, *text;
    } forms[] = {
        {"parameters", "map of numbers"},
        {"names", "list of names"},
        {"include", "list of files"},
        {"parts", "list of parts"},
        {"part parameters", "map of numbers"},
        {"units", "map of units"},
        {"com", "list of numbers"},
        {"body place", "{point: .., at: ..}"},
        {"shapes", "list of solids"},
        {"tables", "map of curves"},
        {"curves", "map of curves"},
        {"curve points", "list of points"},
        {"curve formula", "expression of s"},
        {"over", "list of places"},
        {"matrix", "list of rows of numbers"},
        {"table column", "list of numbers, or text"},
        {"table file", "text"},
        {"ground", "{points: ..}"},
        {"points", "map of points"},
        {"orientation", "see Orientation"},
        {"shape", "see Shape"},
        {"place", "point or its name"},
        {"between", "list of two places"},
        {"on", "a place"},
        {"bodies pair", "list of two bodies"},
        {"joints pair", "list of two joints"},
        {"method", "name or map"},
        {"error", "map"},
        {"outputs", "list of expressions"},
        {"simulation", "map"},
        {"friction", "see Friction"},
        {"limits", "see Stops"},
        {"record", "true"},
        {"set", "map of expressions"},
        {"end", "point or a place"},
        {"curve", "{arc: ..} or {points: ..}"},
        {"elements", "whole number, or auto"},
        {"section", "map of one shape"},
        {"material", "map"},
        {"stiffness", "map"},
        {"rotary", "number, in space or three"},
        {"natural", "word, number, in space three"},
        {"body damping", "map; modal: number or list"},
        {"file", "file name"},
        {"members", "list of pairs"},
        {"nodes", "file name, or list of points"},
        {"frame", "mean, tangent"},
        {"interfaces", "map of nodes"},
        {"number", "whole number"},
        {"numbers", "list of numbers"},
    };
    out[0] = 0;
    if (f->type == HOL_FIELD_OWN) {
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
            if (strcmp(forms[i].form, f->form) == 0)
                kinds_append(out, forms[i].text);
        if (!out[0])
            kinds_append(out, "list");
    } else if (f->type == HOL_FIELD_VECTOR) {
        describe_lengths(f, "number", out);
    } else if (f->type == HOL_FIELD_EXPRESSIONS) {
        describe_lengths(f, "expression", out);
    } else {
        if (f->type == HOL_FIELD_FLAGS)
            kinds_append(out, "list of: ");
        if (texts[f->type])
            kinds_append(out, texts[f->type]);
        if (texts[f->type] && f->words)
            kinds_append(out, ", or ");
        describe_words(f, out);
        if (!out[0])
            kinds_append(out, "text");
    }
}

const char *hol_describe_spaces(int spaces) {
    return spaces == HOL_IN_PLANE ? "planar" : spaces == HOL_IN_SPACE ? "spatial" : "both";
}

void hol_describe_keys(const char *const *keys, const char *quote, char out[HOL_DESCRIBE_SIZE]) {
    out[0] = 0;
    for (; keys && *keys; keys++) {
        kinds_append(out, quote);
        kinds_append(out, *keys);
        kinds_append(out, quote);
        kinds_append(out, keys[1] ? ", " : "");
    }
}

void hol_describe_options(const HolField *table, const char *quote, char out[HOL_DESCRIBE_SIZE]) {
    const char *keys[32];
    int n = 0;
    for (; table->key && n < 31; table++)
        keys[n++] = table->key;
    keys[n] = NULL;
    hol_describe_keys(keys, quote, out);
}

// ---- plain text ---------------------------------------------------------------------------

static void text_kinds(const HolPut *p, const char *title, const HolKind *const *list) {
    char keys[HOL_DESCRIBE_SIZE];
    hol_put(p, "%s\n", title);
    for (; *list; list++) {
        const HolKind *k = *list;
        hol_describe_keys(k->fields, "", keys);
        hol_put(p, "  %-22s %-8s %s\n", k->name, hol_describe_spaces(k->spaces), k->help);
        hol_put(p, "  %-22s %-8s keys: %s\n", "", "", keys);
    }
    hol_put(p, "\n");
}

static void text_fields(const HolPut *p, const char *title, const HolField *table) {
    char value[HOL_DESCRIBE_SIZE];
    hol_put(p, "%s\n", title);
    for (const HolField *f = table; f->key; f++) {
        hol_describe_value(f, value);
        hol_put(p, "  %-22s %s%s%s%s", f->key, value, f->unit ? " [" : "", f->unit ? f->unit : "",
                f->unit ? "]" : "");
        if (f->required)
            hol_put(p, ", required");
        else if (f->fallback)
            hol_put(p, ", default %s", f->fallback);
        hol_put(p, "\n  %-22s %s\n", "", f->help);
    }
    hol_put(p, "\n");
}

const char *hol_step_modes(const HolStepper *s) {
    static const char *const text[] = {"fixed", "fixed or adaptive", "adaptive"};
    return text[s->adaptive];
}

int hol_describe_family(const HolStepper *const *s, const char *quote,
                        char out[HOL_DESCRIBE_SIZE]) {
    for (const HolStepper *const *before = hol_steppers; before < s; before++)
        if ((*before)->options == (*s)->options)
            return 0;
    const char *names[32];
    int n = 0;
    for (const HolStepper *const *t = s; *t && n < 31; t++)
        if ((*t)->options == (*s)->options)
            names[n++] = (*t)->name;
    names[n] = NULL;
    hol_describe_keys(names, quote, out);
    return 1;
}

static void text_methods(const HolPut *p) {
    char keys[HOL_DESCRIBE_SIZE];
    hol_put(p, "Methods (simulation: {method: NAME} or {method: {name: NAME, ..}})\n");
    for (const HolStepper *const *s = hol_steppers; *s; s++) {
        hol_describe_options((*s)->options, "", keys);
        hol_put(p, "  %-22s %s\n", (*s)->name, (*s)->help);
        hol_put(p, "  %-22s step %s; parameters: %s\n", "", hol_step_modes(*s),
                keys[0] ? keys : "none");
    }
    hol_put(p, "\n");
}

// the options of each method; those that share a table together
static void text_options(const HolPut *p) {
    char names[HOL_DESCRIBE_SIZE], title[HOL_DESCRIBE_SIZE + 16];
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        if (hol_describe_family(s, "", names)) {
            snprintf(title, sizeof title, "Parameters of %s", names);
            text_fields(p, title, (*s)->options);
        }
}

static void kinds_text(const HolPut *p) {
    text_kinds(p, "Bodies (bodies:)", hol_body_kinds);
    text_kinds(p, "Joints (joints:)", hol_joint_kinds);
    text_kinds(p, "Forces (forces:)", hol_force_kinds);
    text_methods(p);
    text_fields(p, "Keys of a body", hol_body_fields);
    text_fields(p, "Keys of a beam's material", hol_material_fields);
    text_fields(p, "Keys of a beam's stiffness", hol_stiffness_fields);
    text_fields(p, "Keys of a beam that mean something else", hol_beam_fields);
    text_fields(p, "Keys of a beam's damping", hol_beam_damping_fields);
    text_fields(p, "Keys of a beam's arc", hol_arc_fields);
    text_fields(p, "Keys of a shape", hol_shape_fields);
    text_fields(p, "Keys of a place, {body: ..}", hol_ref_fields);
    text_fields(p, "Keys of a joint", hol_joint_fields);
    text_fields(p, "Keys of a force", hol_force_fields);
    text_fields(p, "Keys of a motion", hol_motion_fields);
    text_fields(p, "Keys of a table", hol_table_fields);
    text_fields(p, "Keys of a constraint", hol_constraint_fields);
    text_fields(p, "Keys of a curve", hol_curve_fields);
    text_fields(p, "Keys of a state", hol_state_fields);
    text_fields(p, "Keys of a contact", hol_contact_fields);
    text_fields(p, "Keys of a body in a contact, {body: .., SHAPE: ..}", hol_contact_side_fields);
    text_fields(p, "Keys of a point, circle or sphere", hol_contact_round_fields);
    text_fields(p, "Keys of a cylinder", hol_contact_cylinder_fields);
    text_fields(p, "Keys of a line, plane or flat", hol_contact_flat_fields);
    text_fields(p, "Keys of hertz", hol_hertz_fields);
    text_fields(p, "Keys of a contact's friction", hol_contact_friction_fields);
    text_fields(p, "Keys of a variable", hol_variable_fields);
    text_fields(p, "Keys of simulation", hol_simulation_fields);
    text_fields(p, "Keys of friction", hol_friction_fields);
    text_fields(p, "Keys of limits", hol_limits_fields);
    text_fields(p, "Keys of an event", hol_event_fields);
    text_fields(p, "Keys of error", hol_error_fields);
    text_fields(p, "Parameters of all methods", hol_method_fields);
    text_options(p);
}

void hol_kinds_print(int format, void (*put)(void *to, const char *text, size_t length), void *to) {
    HolPut p = {put, to};
    if (format == HOL_KINDS_MARKDOWN)
        hol_kinds_markdown(&p);
    else if (format == HOL_KINDS_SCHEMA)
        hol_kinds_schema(&p);
    else
        kinds_text(&p);
}
