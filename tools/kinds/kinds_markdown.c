// SPDX-License-Identifier: Apache-2.0
// The reference of the model file, docs/format.md: the text is docs/format.in.md, and the tables at
// its marks come from the tables that the reader uses.
#include "tools/kinds/kinds.h"

#include "base/text.h"
#include "model/fields.h"
#include "solve/sim.h"

#include <string.h>

// text in a table cell: a bar would end it
static void kinds_markdown_put_cell(const HolPut *p, const char *text) {
    for (; *text; text++)
        hol_put(p, "%s%c", *text == '|' ? "\\" : "", *text);
}

static void put_range(const HolPut *p, const HolField *f) {
    char low[HOL_NUMBER_SIZE], high[HOL_NUMBER_SIZE];
    if (f->range == HOL_RANGE_POSITIVE)
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

static void put_fields(const HolPut *p, const HolField *table) {
    char value[HOL_DESCRIBE_SIZE];
    hol_put(p, "| key | value | default | unit | meaning |\n|---|---|---|---|---|\n");
    for (const HolField *f = table; f->key; f++) {
        hol_describe_value(f, value);
        hol_put(p, "| `%s` | ", f->key);
        kinds_markdown_put_cell(p, value);
        put_range(p, f);
        const char *fallback = f->fallback ? f->fallback : "";
        hol_put(p, " | %s | %s | ", f->required ? "required" : fallback, f->unit ? f->unit : "");
        kinds_markdown_put_cell(p, f->help);
        if (f->spaces == HOL_IN_PLANE || f->spaces == HOL_IN_SPACE)
            hol_put(p, " (%s models)", hol_describe_spaces(f->spaces));
        hol_put(p, " |\n");
    }
}

static void kinds_markdown_put_kinds(const HolPut *p, const HolKind *list) {
    char keys[HOL_DESCRIBE_SIZE];
    hol_put(p, "| type | models | what | keys |\n|---|---|---|---|\n");
    for (; list->name; list++) {
        hol_describe_keys(list->fields, "`", keys);
        hol_put(p, "| `%s` | %s | ", list->name, hol_describe_spaces(list->spaces));
        kinds_markdown_put_cell(p, list->help);
        hol_put(p, " | %s |\n", keys);
    }
}

static void kinds_markdown_put_methods(const HolPut *p) {
    char keys[HOL_DESCRIBE_SIZE];
    hol_put(p, "| name | what | steps | parameters |\n|---|---|---|---|\n");
    for (const HolStepper *const *s = hol_steppers; *s; s++) {
        hol_describe_keys((*s)->parameters, "`", keys);
        hol_put(p, "| `%s` | ", (*s)->name);
        kinds_markdown_put_cell(p, (*s)->help);
        hol_put(p, " | %s | %s |\n", hol_step_modes(*s), keys);
    }
}

// ---- the page -----------------------------------------------------------------------------

extern const char *const hol_format_page[][2]; // docs/format.in.md, by cmake/embed.cmake

// what stands in place of a line `<!-- MARK -->`
static const struct {
    const char *mark;
    const HolField *fields;
    const HolKind *kinds; // both NULL: the methods
} marks[] = {
    {"keys: file", hol_file_fields, NULL},
    {"kinds: body", NULL, hol_body_kind_list},
    {"keys: body", hol_body_fields, NULL},
    {"keys: point", hol_point_fields, NULL},
    {"keys: shape", hol_shape_fields, NULL},
    {"keys: ref", hol_ref_fields, NULL},
    {"kinds: joint", NULL, hol_joint_kind_list},
    {"keys: joint", hol_joint_fields, NULL},
    {"kinds: force", NULL, hol_force_kind_list},
    {"keys: force", hol_force_fields, NULL},
    {"keys: motion", hol_motion_fields, NULL},
    {"keys: constraint", hol_constraint_fields, NULL},
    {"keys: variable", hol_variable_fields, NULL},
    {"keys: table", hol_table_fields, NULL},
    {"keys: simulation", hol_simulation_fields, NULL},
    {"keys: error", hol_error_fields, NULL},
    {"keys: method", hol_method_fields, NULL},
    {"methods", NULL, NULL},
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
            kinds_markdown_put_methods(p);
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
