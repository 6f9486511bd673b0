// SPDX-License-Identifier: Apache-2.0
// The reference of the model file, docs/format.md: the text is docs/format.in.md, and the tables at
// its marks come from the tables that the reader uses.
#include "tools/kinds/kinds.h"

#include "base/text.h"
#include "model/fields.h"
#include "model/quantity.h"
#include "solve/sim.h"

#include <stdio.h>
#include <string.h>

void hol_put_cell(const HolPut *p, const char *text) {
    for (; *text; text++)
        hol_put(p, "%s%c", *text == '|' ? "\\" : "", *text);
}

static void put_range(const HolPut *p, const HolField *f) {
    char low[HOL_NUMBER_SIZE], high[HOL_NUMBER_SIZE];
    if (f->takes)
        hol_put(p, ", %s", f->takes);
    else if (f->range == HOL_RANGE_POSITIVE)
        hol_put(p, ", > 0");
    else if (f->range == HOL_RANGE_NOT_NEGATIVE)
        hol_put(p, ", >= 0");
    else if (f->range == HOL_RANGE_NOT_ZERO)
        hol_put(p, ", not 0");
    else if (f->range == HOL_RANGE_BETWEEN) {
        hol_text_print_number(f->low, low);
        hol_text_print_number(f->high, high);
        hol_put(p, ", %s to %s", low, high);
    }
}

static void put_row(const HolPut *p, const HolField *f, const char *owner) {
    char value[HOL_DESCRIBE_SIZE];
    hol_describe_value(f, value);
    hol_put(p, "| %s`%s` | ", owner, f->key);
    hol_put_cell(p, value);
    put_range(p, f);
    const char *fallback = f->fallback ? f->fallback : "";
    hol_put(p, " | %s | %s | ", f->required ? "required" : fallback, f->unit ? f->unit : "");
    hol_put_cell(p, f->help);
    if (f->spaces == HOL_IN_PLANE || f->spaces == HOL_IN_SPACE)
        hol_put(p, " (%s models)", hol_describe_spaces(f->spaces));
    hol_put(p, " |\n");
}

static void put_fields(const HolPut *p, const HolField *table) {
    hol_put(p, "| key | value | default | unit | meaning |\n|---|---|---|---|---|\n");
    for (const HolField *f = table; f->key; f++)
        put_row(p, f, "");
}

// the options of each method; those that share a table together
static void markdown_put_options(const HolPut *p) {
    char names[HOL_DESCRIBE_SIZE];
    hol_put(p, "| method | key | value | default | unit | meaning |\n|---|---|---|---|---|---|\n");
    for (const HolField *f = hol_method_fields; f->key; f++)
        put_row(p, f, "all | ");
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        if (hol_describe_family(s, "`", names))
            for (const HolField *f = (*s)->options; f->key; f++) {
                char owner[HOL_DESCRIBE_SIZE + 4];
                snprintf(owner, sizeof owner, "%s | ", names);
                put_row(p, f, owner);
            }
}

static void kinds_markdown_put_kinds(const HolPut *p, const HolKind *const *list) {
    char keys[HOL_DESCRIBE_SIZE];
    hol_put(p, "| type | models | what | keys |\n|---|---|---|---|\n");
    for (; *list; list++) {
        const HolKind *k = *list;
        hol_describe_keys(k->fields, "`", keys);
        hol_put(p, "| `%s` | %s | ", k->name, hol_describe_spaces(k->spaces));
        hol_put_cell(p, k->help);
        hol_put(p, " | %s |\n", keys);
    }
}

static void kinds_markdown_put_methods(const HolPut *p) {
    char keys[HOL_DESCRIBE_SIZE];
    hol_put(p, "| name | what | steps | parameters |\n|---|---|---|---|\n");
    for (const HolStepper *const *s = hol_steppers; *s; s++) {
        hol_describe_options((*s)->options, "`", keys);
        hol_put(p, "| `%s` | ", (*s)->name);
        hol_put_cell(p, (*s)->help);
        hol_put(p, " | %s | %s |\n", hol_step_modes(*s), keys);
    }
}

// ---- the page -----------------------------------------------------------------------------

extern const char *const hol_format_page[][2]; // docs/format.in.md, by cmake/embed.cmake

static void put_expressions(const HolPut *p) {
    hol_kinds_quantities(p, HOL_USE_EXPRESSION);
}

static void markdown_put_columns(const HolPut *p) {
    hol_kinds_quantities(p, HOL_USE_COLUMN);
}

// what stands in place of a line `<!-- MARK -->`: one of these
static const struct {
    const char *mark;
    const HolField *fields;
    const HolKind *const *kinds;
    void (*put)(const HolPut *p);
} marks[] = {
    {.mark = "keys: file", .fields = hol_file_fields},
    {.mark = "expressions", .put = put_expressions},
    {.mark = "kinds: body", .kinds = hol_body_kinds},
    {.mark = "keys: body", .fields = hol_body_fields},
    {.mark = "keys: material", .fields = hol_material_fields},
    {.mark = "keys: stiffness", .fields = hol_stiffness_fields},
    {.mark = "keys: beam", .fields = hol_beam_fields},
    {.mark = "keys: beam damping", .fields = hol_beam_damping_fields},
    {.mark = "keys: arc", .fields = hol_arc_fields},
    {.mark = "keys: point", .fields = hol_point_fields},
    {.mark = "keys: shape", .fields = hol_shape_fields},
    {.mark = "keys: solid", .fields = hol_solid_fields},
    {.mark = "keys: ref", .fields = hol_ref_fields},
    {.mark = "kinds: joint", .kinds = hol_joint_kinds},
    {.mark = "keys: joint", .fields = hol_joint_fields},
    {.mark = "kinds: force", .kinds = hol_force_kinds},
    {.mark = "keys: force", .fields = hol_force_fields},
    {.mark = "keys: motion", .fields = hol_motion_fields},
    {.mark = "keys: constraint", .fields = hol_constraint_fields},
    {.mark = "keys: curve", .fields = hol_curve_fields},
    {.mark = "keys: state", .fields = hol_state_fields},
    {.mark = "keys: contact", .fields = hol_contact_fields},
    {.mark = "keys: contact side", .fields = hol_contact_side_fields},
    {.mark = "keys: contact round", .fields = hol_contact_round_fields},
    {.mark = "keys: contact cylinder", .fields = hol_contact_cylinder_fields},
    {.mark = "keys: contact flat", .fields = hol_contact_flat_fields},
    {.mark = "keys: contact friction", .fields = hol_contact_friction_fields},
    {.mark = "keys: hertz", .fields = hol_hertz_fields},
    {.mark = "keys: variable", .fields = hol_variable_fields},
    {.mark = "keys: part", .fields = hol_part_fields},
    {.mark = "keys: table", .fields = hol_table_fields},
    {.mark = "keys: simulation", .fields = hol_simulation_fields},
    {.mark = "keys: error", .fields = hol_error_fields},
    {.mark = "keys: friction", .fields = hol_friction_fields},
    {.mark = "keys: limits", .fields = hol_limits_fields},
    {.mark = "keys: event", .fields = hol_event_fields},
    {.mark = "methods", .put = kinds_markdown_put_methods},
    {.mark = "options", .put = markdown_put_options},
    {.mark = "columns", .put = markdown_put_columns},
};

// 1 when the line is a mark, which then is replaced
static int put_marked(const HolPut *p, const char *line, size_t length) {
    static const char before[] = "<!-- ", after[] = " -->";
    const size_t n = sizeof before - 1, m = sizeof after - 1;
    if (length < n + m || memcmp(line, before, n) != 0 || memcmp(line + length - m, after, m) != 0)
        return 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *mark = marks[i].mark;
        if (strlen(mark) != length - n - m || memcmp(line + n, mark, length - n - m) != 0)
            continue;
        if (marks[i].fields)
            put_fields(p, marks[i].fields);
        else if (marks[i].kinds)
            kinds_markdown_put_kinds(p, marks[i].kinds);
        else
            marks[i].put(p);
        return 1;
    }
    return 0;
}

void hol_kinds_markdown(const HolPut *p) {
    for (const char *line = hol_format_page[0][1]; *line;) {
        const size_t length = strcspn(line, "\n");
        const size_t whole = length + (line[length] == '\n');
        if (!put_marked(p, line, length))
            p->put(p->to, line, whole);
        line += whole;
    }
}
