// SPDX-License-Identifier: Apache-2.0
// Where names stand in the sections of a model file; see sections.h and CONTRIBUTING.md.
#include "io/expand/sections.h"

#include "model/fields.h"

#include <string.h>

const HolSection hol_sections[] = {
    {"holonom", HOL_SECTION_HEAD, NULL, NULL},
    {"name", HOL_SECTION_HEAD, NULL, NULL},
    {"space", HOL_SECTION_HEAD, NULL, NULL},
    {"units", HOL_SECTION_HEAD, NULL, NULL},
    {"include", HOL_SECTION_HEAD, NULL, NULL},
    {"parts", HOL_SECTION_HEAD, NULL, NULL},
    {"parameters", HOL_SECTION_HEAD, NULL, NULL}, // read before all others
    {"tunable", HOL_SECTION_HEAD, NULL, NULL},
    {"gravity", HOL_SECTION_MODEL, NULL, NULL},
    {"outputs", HOL_SECTION_MODEL, NULL, NULL},
    {"simulation", HOL_SECTION_MODEL, NULL, NULL},
    {"discrete", HOL_SECTION_MAP, NULL, NULL},
    {"inputs", HOL_SECTION_MAP, NULL, NULL},
    {"tables", HOL_SECTION_MAP, NULL, hol_table_fields},
    {"curves", HOL_SECTION_MAP, NULL, hol_curve_fields},
    {"ground", HOL_SECTION_POINTS, NULL, hol_point_fields},
    {"bodies", HOL_SECTION_LIST, "body", hol_body_fields},
    {"joints", HOL_SECTION_LIST, "joint", hol_joint_fields},
    {"forces", HOL_SECTION_LIST, "force", hol_force_fields},
    {"motions", HOL_SECTION_LIST, "motion", hol_motion_fields},
    {"constraints", HOL_SECTION_LIST, "constraint", hol_constraint_fields},
    {"states", HOL_SECTION_LIST, "state", hol_state_fields},
    {"contacts", HOL_SECTION_LIST, "contact", hol_contact_fields},
    {"variables", HOL_SECTION_LIST, "variable", hol_variable_fields},
    {"events", HOL_SECTION_LIST, "event", hol_event_fields},
    {0},
};

static const struct {
    const char *form;
    HolTextForm text;
} forms[] = {
    {"between", {HOL_TEXT_THING, 0, hol_ref_fields, 0}},
    {"on", {HOL_TEXT_THING, 0, hol_ref_fields, 0}},
    {"over", {HOL_TEXT_THING, 0, hol_ref_fields, 0}},
    {"curve points", {HOL_TEXT_VALUE, 0, NULL, 0}},
    {"curve formula", {HOL_TEXT_CURVE, 0, NULL, 0}},
    {"bodies pair", {HOL_TEXT_THING, 0, NULL, 0}},
    {"joints pair", {HOL_TEXT_THING, 0, NULL, 0}},
    {"orientation", {HOL_TEXT_LOCAL, 0, NULL, 0}}, // euler: zxz
    {"points", {HOL_TEXT_VALUE, 0, NULL, 0}},
    {"matrix", {HOL_TEXT_VALUE, 0, NULL, 0}},
    {"com", {HOL_TEXT_VALUE, 0, NULL, 0}},
    {"body place", {HOL_TEXT_ANY, 0, NULL, 0}}, // {point: P, at: other.Q}
    {"shapes", {HOL_TEXT_ANY, 0, hol_solid_fields, 0}},
    {"shape", {HOL_TEXT_ANY, 0, hol_shape_fields, 0}},
    {"place", {HOL_TEXT_LOCAL, 0, NULL, 0}},
    {"table column", {HOL_TEXT_LOCAL, 0, NULL, 0}},
    {"table file", {HOL_TEXT_FILE, 0, NULL, 0}},
    {"contact pair", {HOL_TEXT_ANY, 0, hol_contact_side_fields, 0}},
    {"contact sides", {HOL_TEXT_ANY, 0, hol_contact_side_fields, 0}},
    {"contact round", {HOL_TEXT_LOCAL, 0, hol_contact_round_fields, 0}},
    {"contact cylinder", {HOL_TEXT_LOCAL, 0, hol_contact_cylinder_fields, 0}},
    {"contact flat", {HOL_TEXT_LOCAL, 0, hol_contact_flat_fields, 0}},
    {"contact friction", {HOL_TEXT_VALUE, 0, hol_contact_friction_fields, 0}},
    {"hertz", {HOL_TEXT_VALUE, 0, hol_hertz_fields, 0}},
    {"direction", {HOL_TEXT_VALUE, 0, NULL, 0}},
    {"friction", {HOL_TEXT_ANY, 0, hol_friction_fields, 0}},
    {"limits", {HOL_TEXT_ANY, 0, hol_limits_fields, 0}},
    {"record", {HOL_TEXT_WORD, 0, NULL, 0}},
    {"set", {HOL_TEXT_VALUE, HOL_TEXT_VALUE, NULL, 0}},
    {"part parameters", {HOL_TEXT_VALUE, 0, NULL, 0}},
};

HolTextForm hol_text_form(const HolField *f) {
    HolTextForm out = {HOL_TEXT_ANY, HOL_TEXT_ANY, NULL, 0};
    switch (f ? f->type : HOL_FIELD_TYPE_COUNT) {
    case HOL_FIELD_NAME:
        out.role = HOL_TEXT_NAME;
        break;
    case HOL_FIELD_TEXT:
        out.role = f->names == HOL_NAMES_THING  ? HOL_TEXT_THING
                   : f->names == HOL_NAMES_FILE ? HOL_TEXT_FILE
                                                : HOL_TEXT_WORD;
        break;
    case HOL_FIELD_KIND:
    case HOL_FIELD_WORD:
    case HOL_FIELD_CHOICE:
    case HOL_FIELD_FLAGS:
    case HOL_FIELD_SWITCH:
        out.role = HOL_TEXT_WORD;
        break;
    case HOL_FIELD_NUMBER:
    case HOL_FIELD_INTEGER:
    case HOL_FIELD_LONG:
        out.role = f->words ? HOL_TEXT_ANY : HOL_TEXT_VALUE;
        break;
    case HOL_FIELD_VECTOR:
    case HOL_FIELD_NUMBERS:
    case HOL_FIELD_EXPRESSION:
    case HOL_FIELD_EXPRESSIONS:
        out.role = HOL_TEXT_VALUE;
        break;
    case HOL_FIELD_OWN:
        for (size_t i = 0; f->form && i < sizeof forms / sizeof *forms; i++)
            if (strcmp(forms[i].form, f->form) == 0)
                return forms[i].text;
        break;
    default:
        break;
    }
    return out;
}
