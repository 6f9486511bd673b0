// SPDX-License-Identifier: Apache-2.0
// The format as a JSON schema (draft 2020-12), which editors use to complete and check model files.
// Numbers may be text (expressions of the parameters), so the schema allows both. What depends on
// the space (lengths of lists) is checked by the reader only.
#include "tools/kinds/kinds.h"

#include "holonom/json.h"
#include "model/fields.h"
#include "solve/sim.h"

#include <stdio.h>
#include <string.h>

static void put_words(const HolPut *p, const HolWord *words) {
    hol_put(p, "\"enum\": [");
    for (const HolWord *w = words; w->name; w++)
        hol_put(p, "%s\"%s\"", w == words ? "" : ", ", w->name);
    hol_put(p, "]");
}

static void put_reference(const HolPut *p, const char *name) {
    hol_put(p, "\"$ref\": \"#/$defs/%s\"", name);
}

// a list of low..high entries, or a bare entry where one is allowed
static void put_list(const HolPut *p, const HolField *f, const char *item) {
    int low, high, low2, high2;
    hol_field_lengths(f->length, f->spaces == 2 ? 3 : 2, &low, &high);
    hol_field_lengths(f->length, f->spaces == 1 ? 2 : 3, &low2, &high2);
    if (strcmp(f->key, "position") == 0 || strcmp(f->key, "velocity") == 0)
        low = 1; // scalar coordinates
    low = low < low2 ? low : low2;
    high = high > high2 ? high : high2;
    char list[200];
    snprintf(list, sizeof list,
             "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%s\"}, \"minItems\": %d, "
             "\"maxItems\": %d",
             item, low, high);
    if (low == 1)
        hol_put(p, "\"anyOf\": [{\"$ref\": \"#/$defs/%s\"}, {%s}]", item, list);
    else
        hol_put(p, "%s", list);
}

static void put_own(const HolPut *p, const HolField *f) {
    static const struct {
        const char *form, *schema;
    } forms[] = {
        {"parameters", "\"type\": \"object\", \"propertyNames\": {\"$ref\": \"#/$defs/name\"}, "
                       "\"additionalProperties\": {\"$ref\": \"#/$defs/number\"}"},
        {"names", "\"type\": \"array\", \"items\": {\"type\": \"string\"}"},
        {"units", "\"type\": \"object\", \"additionalProperties\": false, \"properties\": "
                  "{\"length\": {\"type\": \"string\"}, \"angle\": {\"type\": \"string\"}}"},
        {"com", "\"$ref\": \"#/$defs/vector\""},
        {"body place", "\"type\": \"object\", \"additionalProperties\": false, \"properties\": "
                       "{\"point\": {\"type\": \"string\"}, \"at\": {\"anyOf\": [{\"$ref\": "
                       "\"#/$defs/vector\"}, {\"$ref\": \"#/$defs/reference\"}]}}, \"required\": "
                       "[\"at\"]"},
        {"shapes", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/solid\"}"},
        {"include", "\"type\": [\"array\", \"string\"], \"items\": {\"type\": \"string\"}"},
        {"parts", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/part\"}"},
        {"part parameters", "\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
                            "\"#/$defs/number\"}"},
        {"tables", "\"type\": \"object\", \"propertyNames\": {\"$ref\": \"#/$defs/name\"}, "
                   "\"additionalProperties\": {\"$ref\": \"#/$defs/table\"}"},
        {"matrix", "\"type\": \"array\", \"minItems\": 2, \"items\": "
                   "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 6, \"items\": "
                   "{\"$ref\": \"#/$defs/number\"}}"},
        {"table column", "\"anyOf\": [{\"type\": \"array\", \"minItems\": 2, \"items\": "
                         "{\"$ref\": \"#/$defs/number\"}}, {\"type\": \"string\"}]"},
        {"table file", "\"type\": \"string\""},
        {"ground", "\"type\": \"object\", \"properties\": {\"points\": {\"$ref\": "
                   "\"#/$defs/points\"}}, \"additionalProperties\": false"},
        {"between", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/reference\"}, "
                    "\"minItems\": 2, \"maxItems\": 2"},
        {"bodies pair", "\"type\": \"array\", \"items\": {\"type\": \"string\"}, "
                        "\"minItems\": 2, \"maxItems\": 2"},
        {"joints pair", "\"type\": \"array\", \"items\": {\"type\": \"string\"}, "
                        "\"minItems\": 2, \"maxItems\": 2"},
        {"on", "\"$ref\": \"#/$defs/reference\""},
        {"place", "\"anyOf\": [{\"$ref\": \"#/$defs/vector\"}, {\"type\": \"string\"}]"},
        {"outputs", "\"type\": \"array\", \"items\": {\"anyOf\": [{\"$ref\": "
                    "\"#/$defs/expression\"}, {\"type\": \"object\", \"required\": [\"repeat\", "
                    "\"value\"], \"additionalProperties\": false, \"properties\": {\"repeat\": "
                    "{\"$ref\": \"#/$defs/repeat\"}, \"value\": {\"$ref\": "
                    "\"#/$defs/expression\"}}}]}"},
        {"points", "\"$ref\": \"#/$defs/points\""},
        {"orientation", "\"$ref\": \"#/$defs/orientation\""},
        {"shape", "\"$ref\": \"#/$defs/shape\""},
        {"error", "\"$ref\": \"#/$defs/error\""},
        {"method", "\"anyOf\": [{\"$ref\": \"#/$defs/methodName\"}, {\"$ref\": "
                   "\"#/$defs/method\"}]"},
        {"simulation", "\"$ref\": \"#/$defs/simulation\""},
        {"bodies", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/body\"}"},
        {"joints", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/joint\"}"},
        {"forces", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/force\"}"},
        {"motions", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/motion\"}"},
        {"constraints", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/constraint\"}"},
        {"curves", "\"type\": \"object\", \"propertyNames\": {\"$ref\": \"#/$defs/name\"}, "
                   "\"additionalProperties\": {\"$ref\": \"#/$defs/curve\"}"},
        {"curve points", "\"type\": \"array\", \"minItems\": 2, \"items\": {\"$ref\": "
                         "\"#/$defs/vector\"}"},
        {"curve formula", "\"$ref\": \"#/$defs/expression\""},
        {"over", "\"type\": \"array\", \"minItems\": 2, \"items\": {\"$ref\": "
                 "\"#/$defs/reference\"}"},
        {"states", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/state\"}"},
        {"contacts", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/contact\"}"},
        {"contact pair", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/contactSide\"}, "
                         "\"minItems\": 2, \"maxItems\": 2"},
        {"contact sides", "\"type\": \"array\", \"minItems\": 1, \"items\": {\"$ref\": "
                          "\"#/$defs/contactSide\"}"},
        {"contact round", "\"anyOf\": [{\"$ref\": \"#/$defs/contactRound\"}, {\"type\": "
                          "\"null\"}]"},
        {"contact cylinder", "\"$ref\": \"#/$defs/contactCylinder\""},
        {"contact flat", "\"$ref\": \"#/$defs/contactFlat\""},
        {"contact friction", "\"$ref\": \"#/$defs/contactFriction\""},
        {"hertz", "\"$ref\": \"#/$defs/hertz\""},
        {"direction", "\"$ref\": \"#/$defs/vector\""},
        {"variables", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/variable\"}"},
        {"friction", "\"$ref\": \"#/$defs/friction\""},
        {"limits", "\"$ref\": \"#/$defs/limits\""},
        {"events", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/event\"}"},
        {"record", "\"type\": \"boolean\""},
        {"set", "\"type\": \"object\", \"additionalProperties\": "
                "{\"$ref\": \"#/$defs/expression\"}"},
        {"end", "\"anyOf\": [{\"$ref\": \"#/$defs/vector\"}, {\"$ref\": \"#/$defs/reference\"}]"},
        {"curve", "\"type\": \"object\", \"properties\": {\"arc\": {\"$ref\": \"#/$defs/arc\"}, "
                  "\"points\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/vector\"}}}, "
                  "\"minProperties\": 1, \"maxProperties\": 1, \"additionalProperties\": false"},
        {"elements", "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"const\": \"auto\"}]"},
        {"section",
         "\"type\": \"object\", \"properties\": {\"rectangle\": {\"$ref\": \"#/$defs/vector\"}, "
         "\"circle\": {\"$ref\": \"#/$defs/number\"}, \"tube\": {\"$ref\": \"#/$defs/vector\"}}, "
         "\"minProperties\": 1, \"maxProperties\": 1, \"additionalProperties\": false"},
        {"material", "\"$ref\": \"#/$defs/material\""},
        {"stiffness", "\"$ref\": \"#/$defs/stiffness\""},
        {"rotary", "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/vector\"}]"},
        {"natural", "\"anyOf\": [{\"enum\": [\"as_written\", \"straight\"]}, {\"$ref\": "
                    "\"#/$defs/number\"}, {\"$ref\": \"#/$defs/vector\"}]"},
        {"body damping", "\"anyOf\": [{\"$ref\": \"#/$defs/beamDamping\"}, {\"$ref\": "
                         "\"#/$defs/number\"}, {\"$ref\": \"#/$defs/vector\"}]"},
        {"file", "\"type\": \"string\""},
        {"frame", "\"enum\": [\"mean\", \"tangent\"]"},
        {"members", "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/vector\"}"},
        {"nodes", "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": "
                  "{\"$ref\": \"#/$defs/vector\"}}]"},
        {"interfaces", "\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"$ref\": "
                       "\"#/$defs/number\"}, {\"type\": \"array\", \"items\": {\"$ref\": "
                       "\"#/$defs/number\"}}]}"},
        {"number", "\"$ref\": \"#/$defs/number\""},
        {"numbers", "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": "
                    "\"#/$defs/vector\"}]"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].form, f->form) == 0)
            hol_put(p, "%s", forms[i].schema);
}

static void put_value(const HolPut *p, const HolField *f, const char *kinds) {
    switch (f->type) {
    case HOL_FIELD_NAME:
        put_reference(p, "name");
        break;
    case HOL_FIELD_KIND:
        put_reference(p, kinds);
        break;
    case HOL_FIELD_TEXT:
    case HOL_FIELD_WORD:
    case HOL_FIELD_CHOICE:
        if (strcmp(f->key, "name") == 0 && kinds)
            put_reference(p, kinds);
        else if (f->words)
            put_words(p, f->words);
        else
            hol_put(p, "\"type\": [\"string\", \"number\"]");
        break;
    case HOL_FIELD_FLAGS:
        hol_put(p, "\"type\": \"array\", \"items\": {");
        put_words(p, f->words);
        hol_put(p, "}");
        break;
    case HOL_FIELD_SWITCH:
        hol_put(p, "\"type\": \"boolean\"");
        break;
    case HOL_FIELD_NUMBER:
    case HOL_FIELD_INTEGER:
    case HOL_FIELD_LONG:
        put_reference(p, "number");
        break;
    case HOL_FIELD_VECTOR:
        put_list(p, f, "number");
        break;
    case HOL_FIELD_NUMBERS:
        hol_put(p, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}");
        break;
    case HOL_FIELD_EXPRESSION:
        put_reference(p, "expression");
        break;
    case HOL_FIELD_EXPRESSIONS:
        put_list(p, f, "expression");
        break;
    default:
        put_own(p, f);
        break;
    }
}

static void put_field(const HolPut *p, const HolField *f, const char *kinds, const char *indent) {
    hol_put(p, "%s\"%s\": {", indent, f->key);
    if (strcmp(f->key, "holonom") == 0)
        hol_put(p, "\"const\": 1");
    else
        put_value(p, f, kinds);
    const int fallback = f->fallback && !f->required;
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s%s%s%s", f->help ? f->help : "", f->unit ? " [" : "",
             f->unit ? f->unit : "", f->unit ? "]" : "", fallback ? "; default " : "",
             fallback ? f->fallback : "");
    hol_put(p, ", \"description\": ");
    hol_json_text(&(HolJson){.put = p->put, .to = p->to}, NULL, text);
    hol_put(p, "}");
}

// tables of the entries of lists, which may be repeated
static int kinds_schema_repeats(const HolField *table) {
    const HolField *const entries[] = {hol_body_fields,
                                       hol_joint_fields,
                                       hol_force_fields,
                                       hol_motion_fields,
                                       hol_part_fields,
                                       hol_constraint_fields,
                                       hol_variable_fields,
                                       hol_solid_fields,
                                       hol_contact_fields,
                                       hol_event_fields,
                                       hol_state_fields,
                                       hol_contact_side_fields,
                                       NULL};
    for (const HolField *const *e = entries; *e; e++)
        if (*e == table)
            return 1;
    return 0;
}

// the inside of an object: its properties from a table
static void put_object(const HolPut *p, const HolField *table, const char *kinds,
                       const char *indent) {
    int any = 0;
    hol_put(p, "%s\"type\": \"object\",\n%s\"additionalProperties\": false,\n", indent, indent);
    for (const HolField *f = table; f->key; f++) {
        if (!f->required)
            continue;
        if (any)
            hol_put(p, ", ");
        else
            hol_put(p, "%s\"required\": [", indent);
        hol_put(p, "\"%s\"", f->key);
        any = 1;
    }
    hol_put(p, "%s%s\"properties\": {\n", any ? "],\n" : "", indent);
    char deeper[32];
    snprintf(deeper, sizeof deeper, "%s  ", indent);
    if (kinds_schema_repeats(table))
        hol_put(p, "%s\"repeat\": {\"$ref\": \"#/$defs/repeat\"},\n", deeper);
    for (const HolField *f = table; f->key; f++) {
        put_field(p, f, kinds, deeper);
        hol_put(p, "%s\n", f[1].key ? "," : "");
    }
    hol_put(p, "%s}", indent);
}

static void put_definition(const HolPut *p, const char *name, const HolField *table) {
    hol_put(p, "    \"%s\": {\n", name);
    put_object(p, table, NULL, "      ");
    hol_put(p, "\n    },\n");
}

// "if type is X then only these keys"
static void put_condition(const HolPut *p, const char *key, const char *name,
                          const char *const *keys, const char *const *more, int first) {
    hol_put(p,
            "%s\n        {\"if\": {\"properties\": {\"%s\": {\"const\": \"%s\"}}, "
            "\"required\": [\"%s\"]},\n         \"then\": {\"propertyNames\": {\"enum\": [",
            first ? "" : ",", key, name, key);
    for (int i = 0; more[i]; i++)
        hol_put(p, "%s\"%s\"", i ? ", " : "", more[i]);
    for (; keys && *keys; keys++)
        hol_put(p, ", \"%s\"", *keys);
    hol_put(p, "]}}}");
}

static void kinds_schema_put_kinds(const HolPut *p, const char *name, const HolField *table,
                                   const HolKind *const *list) {
    static const char *const more[] = {"name", "type", "repeat", NULL};
    char kinds[64];
    snprintf(kinds, sizeof kinds, "%sType", name);
    hol_put(p, "    \"%s\": {\"enum\": [", kinds);
    for (const HolKind *const *k = list; *k; k++)
        hol_put(p, "%s\"%s\"", k == list ? "" : ", ", (*k)->name);
    hol_put(p, "]},\n    \"%s\": {\n", name);
    put_object(p, table, kinds, "      ");
    hol_put(p, ",\n      \"allOf\": [");
    for (const HolKind *const *k = list; *k; k++)
        put_condition(p, "type", (*k)->name, (*k)->fields, more, k == list);
    hol_put(p, "\n      ]\n    },\n");
}

// 1: no method before s has the key
static int is_first(const HolStepper *const *s, const char *key) {
    for (const HolStepper *const *before = hol_steppers; before < s; before++)
        if (hol_field_find((*before)->options, key))
            return 0;
    return !hol_field_find(hol_method_fields, key);
}

// "if name is X then its options, and no others"
static void put_method(const HolPut *p, const HolStepper *s, int first) {
    hol_put(p,
            "%s\n        {\"if\": {\"properties\": {\"name\": {\"const\": \"%s\"}}, \"required\": "
            "[\"name\"]},\n         \"then\": {\"propertyNames\": {\"enum\": [",
            first ? "" : ",", s->name);
    for (const HolField *f = hol_method_fields; f->key; f++)
        hol_put(p, "%s\"%s\"", f == hol_method_fields ? "" : ", ", f->key);
    for (const HolField *f = s->options; f->key; f++)
        if (!hol_field_find(hol_method_fields, f->key))
            hol_put(p, ", \"%s\"", f->key);
    hol_put(p, "]}, \"properties\": {\n");
    for (const HolField *f = s->options; f->key; f++) {
        put_field(p, f, NULL, "           ");
        hol_put(p, "%s\n", f[1].key ? "," : "");
    }
    hol_put(p, "         }}}");
}

static void kinds_schema_put_methods(const HolPut *p) {
    hol_put(p, "    \"methodName\": {\"enum\": [");
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        hol_put(p, "%s\"%s\"", s == hol_steppers ? "" : ", ", (*s)->name);
    hol_put(p, "]},\n    \"method\": {\n      \"type\": \"object\",\n"
               "      \"additionalProperties\": false,\n      \"properties\": {\n");
    for (const HolField *f = hol_method_fields; f->key; f++) {
        hol_put(p, f == hol_method_fields ? "" : ",\n");
        put_field(p, f, "methodName", "        ");
    }
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        for (const HolField *f = (*s)->options; f->key; f++)
            if (is_first(s, f->key))
                hol_put(p, ",\n        \"%s\": true", f->key);
    hol_put(p, "\n      },\n      \"allOf\": [");
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        put_method(p, *s, s == hol_steppers);
    hol_put(p, "\n      ]\n    },\n");
}

static void put_basics(const HolPut *p) {
    static const char *const lines[] = {
        "\"number\": {\"type\": [\"number\", \"string\"], \"description\": \"a number, or an "
        "expression of the parameters\"},",
        "\"expression\": {\"type\": [\"number\", \"string\"], \"description\": \"expression of "
        "time, coordinates, parameters and variables\"},",
        "\"name\": {\"type\": \"string\", \"pattern\": "
        "\"^([A-Za-z_]|\\\\{[^{}]*\\\\})([A-Za-z0-9_]|\\\\{[^{}]*\\\\})*$\"},",
        "\"repeat\": {\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": "
        "{\"$ref\": \"#/$defs/number\"}, \"description\": \"indices and numbers of copies: {i: "
        "6}\"},",
        "\"vector\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, "
        "\"minItems\": 2, \"maxItems\": 3},",
        "\"points\": {\"type\": \"object\", \"propertyNames\": {\"$ref\": \"#/$defs/name\"},",
        "  \"additionalProperties\": {\"anyOf\": [{\"$ref\": \"#/$defs/vector\"}, {\"$ref\": "
        "\"#/$defs/point\"}]}},",
        "\"reference\": {\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/place\"}],",
        "  \"description\": \"body, body.point, ground, or {body: b, at: [..], axis: [..]}\"},",
        "\"table\": {\"anyOf\": [",
        "  {\"type\": \"array\", \"minItems\": 2, \"items\": {\"type\": \"array\", \"items\": "
        "{\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, \"maxItems\": 2}},",
        "  {\"$ref\": \"#/$defs/tablePoints\"}]},",
        "\"orientation\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": "
        "{",
        "    \"quaternion\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, "
        "\"minItems\": 4, \"maxItems\": 4, \"description\": \"w, x, y, z\"},",
        "    \"axis\": {\"$ref\": \"#/$defs/vector\"},",
        "    \"angle\": {\"$ref\": \"#/$defs/number\"},",
        "    \"euler\": {\"type\": \"string\", \"pattern\": \"^[xyz]{3}$\", \"description\": "
        "\"rotating axes in order, such as zxz\"},",
        "    \"angles\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, "
        "\"minItems\": 3, \"maxItems\": 3},",
        "    \"matrix\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/vector\"}, "
        "\"minItems\": 3, \"maxItems\": 3}},",
        "  \"oneOf\": [{\"required\": [\"quaternion\"]}, {\"required\": [\"axis\", \"angle\"]}, "
        "{\"required\": [\"euler\", \"angles\"]}, {\"required\": [\"matrix\"]}]},",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        hol_put(p, "    %s\n", lines[i]);
}

void hol_kinds_schema(const HolPut *p) {
    hol_put(p, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
               "  \"title\": \"Holonom model, format 1\",\n");
    put_object(p, hol_file_fields, NULL, "  ");
    hol_put(p, ",\n  \"$defs\": {\n");
    put_basics(p);
    put_definition(p, "point", hol_point_fields);
    put_definition(p, "place", hol_ref_fields);
    put_definition(p, "shape", hol_shape_fields);
    put_definition(p, "solid", hol_solid_fields);
    put_definition(p, "material", hol_material_fields);
    put_definition(p, "stiffness", hol_stiffness_fields);
    put_definition(p, "beamDamping", hol_beam_damping_fields);
    put_definition(p, "arc", hol_arc_fields);
    put_definition(p, "error", hol_error_fields);
    put_definition(p, "friction", hol_friction_fields);
    put_definition(p, "limits", hol_limits_fields);
    put_definition(p, "event", hol_event_fields);
    kinds_schema_put_kinds(p, "body", hol_body_fields, hol_body_kinds);
    kinds_schema_put_kinds(p, "joint", hol_joint_fields, hol_joint_kinds);
    kinds_schema_put_kinds(p, "force", hol_force_fields, hol_force_kinds);
    put_definition(p, "motion", hol_motion_fields);
    put_definition(p, "part", hol_part_fields);
    put_definition(p, "tablePoints", hol_table_fields);
    put_definition(p, "constraint", hol_constraint_fields);
    put_definition(p, "curve", hol_curve_fields);
    put_definition(p, "state", hol_state_fields);
    put_definition(p, "contact", hol_contact_fields);
    put_definition(p, "contactSide", hol_contact_side_fields);
    put_definition(p, "contactRound", hol_contact_round_fields);
    put_definition(p, "contactCylinder", hol_contact_cylinder_fields);
    put_definition(p, "contactFlat", hol_contact_flat_fields);
    put_definition(p, "contactFriction", hol_contact_friction_fields);
    put_definition(p, "hertz", hol_hertz_fields);
    put_definition(p, "variable", hol_variable_fields);
    kinds_schema_put_methods(p);
    // the last one without a comma after it
    hol_put(p, "    \"simulation\": {\n");
    put_object(p, hol_simulation_fields, NULL, "      ");
    hol_put(p, "\n    }\n  }\n}\n");
}
