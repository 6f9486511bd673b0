// SPDX-License-Identifier: Apache-2.0
// The keys of contacts, one table a struct; see model/fields.c.
#include "model/contact/contact.h"
#include "model/fields.h"

#include <stddef.h>

#define AT(type, member) .offset = offsetof(type, member)
#define AND(type, member) .offset2 = offsetof(type, member)

static const HolWord stiffness_words[] = {{"rigid", 0, "bodies that do not give way"}, {0}};

const HolField hol_contact_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolContactDef, name), .help = "default: contact1, contact2, ..."},
    {"between", HOL_FIELD_OWN, .form = "contact pair",
     .help = "the two bodies with their shapes, {body: NAME, SHAPE: ..} each; this or among is "
             "required"},
    {"among", HOL_FIELD_OWN, .form = "contact sides",
     .help = "many bodies with circles or spheres, {body: NAME, SHAPE: ..} each, which all may "
             "touch each other, compliant; in NAME `*` stands for any characters"},
    {"walls", HOL_FIELD_OWN, .form = "contact sides",
     .help = "with among: lines or planes that these bodies may touch, {body: NAME, SHAPE: ..} "
             "each"},
    {"stiffness", HOL_FIELD_NUMBER, AT(HolContactDef, stiffness), .words = stiffness_words,
     .unit = "N/m^exponent", .range = HOL_RANGE_POSITIVE,
     .help = "k of the force k d^exponent at the depth d; this or hertz is required"},
    {"hertz", HOL_FIELD_OWN, .form = "hertz",
     .help = "in place of stiffness: two elastic bodies of which one is round, exponent 1.5"},
    {"exponent", HOL_FIELD_NUMBER, AT(HolContactDef, exponent), .fallback = "1.5",
     .range = HOL_RANGE_BETWEEN, .low = 1, .high = 5,
     .help = "1.5 for round bodies, 1 for flat ones"},
    {"restitution", HOL_FIELD_NUMBER, AT(HolContactDef, restitution), .range = HOL_RANGE_BETWEEN,
     .low = 0, .high = 1,
     .help = "speed after over speed before an impact; rigid: default 0; compliant: default 1, at "
             "least 0.05, and the damping follows from it at the speed of each touch"},
    {"dissipation", HOL_FIELD_NUMBER, AT(HolContactDef, dissipation), .unit = "s/m",
     .range = HOL_RANGE_NOT_NEGATIVE,
     .help = "a of the force k d^exponent (1 + a d'), in place of the restitution"},
    {"friction", HOL_FIELD_OWN, .form = "contact friction", .help = "default: none"},
    {0},
};

const HolField hol_contact_side_fields[] = {
    {"body", HOL_FIELD_TEXT, AT(HolContactSide, place.body), .required = 1,
     .names = HOL_NAMES_THING, .help = "a body's name, or ground"},
    {"point", HOL_FIELD_OWN, .form = "contact round", .help = "a corner or tip: {at}"},
    {"circle", HOL_FIELD_OWN, .form = "contact round", .spaces = 1,
     .help = "{at, radius}; two circles of which one holds the other at the start stay so"},
    {"sphere", HOL_FIELD_OWN, .form = "contact round", .spaces = 2, .help = "the same in space"},
    {"cylinder", HOL_FIELD_OWN, .form = "contact cylinder", .spaces = 2,
     .help =
         "{at, axis, radius, length} on a plane of the ground: its two rims, NAME.1 and NAME.2"},
    {"line", HOL_FIELD_OWN, .form = "contact flat", .spaces = 1,
     .help = "{at, normal}, without end"},
    {"plane", HOL_FIELD_OWN, .form = "contact flat", .spaces = 2, .help = "the same in space"},
    {"flat", HOL_FIELD_OWN, .form = "contact flat", .spaces = 1,
     .help = "a line: the flat of a follower"},
    {"corners", HOL_FIELD_VECTOR, AT(HolContactSide, edges), .length = HOL_LENGTH_SPACE,
     .unit = "m",
     .help =
         "edges of a box about the body's origin, along its axes; a contact a corner, NAME.1 .."},
    {"polyline", HOL_FIELD_OWN, .form = "matrix", .unit = "m", .spaces = 1,
     .help =
         "[[x, y], ..]: straight from point to point, with a point or circle; the other body lies "
         "on "
         "its left, or, where the last point is the first again, outside (inside, where it starts "
         "there)"},
    {"curve", HOL_FIELD_TEXT, AT(HolContactSide, curve), .names = HOL_NAMES_THING, .spaces = 1,
     .help =
         "the name of one of `curves:`, from the body's origin on; with point, circle or flat. "
         "The other body lies outside of a closed curve (inside, where it starts there), and on "
         "the left of an open one"},
    {0},
};

const HolField hol_contact_round_fields[] = {
    {"at", HOL_FIELD_OWN, .form = "place", .unit = "m",
     .help = "body axes, or the name of a point; default: the body's origin"},
    {"radius", HOL_FIELD_NUMBER, AT(HolContactSide, radius), .unit = "m",
     .range = HOL_RANGE_POSITIVE, .help = "of a circle or sphere"},
    {0},
};

const HolField hol_contact_cylinder_fields[] = {
    {"at", HOL_FIELD_OWN, .form = "place", .unit = "m",
     .help = "its centre: body axes, or the name of a point; default: the body's origin"},
    {"axis", HOL_FIELD_OWN, .form = "direction", .help = "body axes; default: [0, 0, 1]"},
    {"radius", HOL_FIELD_NUMBER, AT(HolContactSide, radius), .unit = "m",
     .range = HOL_RANGE_POSITIVE, .required = 1, .help = "of both rims"},
    {"length", HOL_FIELD_NUMBER, AT(HolContactSide, length), .unit = "m",
     .range = HOL_RANGE_POSITIVE, .required = 1, .help = "from rim to rim"},
    {0},
};

const HolField hol_contact_flat_fields[] = {
    {"at", HOL_FIELD_OWN, .form = "place", .unit = "m",
     .help = "a point of it: body axes, or the name of a point; default: the body's origin"},
    {"normal", HOL_FIELD_OWN, .form = "direction", .required = 1,
     .help = "out of the material, body axes"},
    {0},
};

static const HolWord law_words[] = {
    {"coulomb", HOL_FRICTION_COULOMB, "sticks and slips; of rigid contacts"},
    {"smooth", HOL_FRICTION_SMOOTH, "gives way below the speed `speed`"},
    {0}};

const HolField hol_contact_friction_fields[] = {
    {"mu", HOL_FIELD_NUMBER, AT(HolFrictionDef, mu), .range = HOL_RANGE_NOT_NEGATIVE, .required = 1,
     .help = "coefficient of friction"},
    {"mu_static", HOL_FIELD_NUMBER, AT(HolFrictionDef, mu_static), .range = HOL_RANGE_NOT_NEGATIVE,
     .help = "at rest; default: mu"},
    {"stribeck", HOL_FIELD_NUMBER, AT(HolFrictionDef, stribeck), .unit = "m/s",
     .range = HOL_RANGE_POSITIVE, .help = "speed over which mu_static falls to mu"},
    {"law", HOL_FIELD_CHOICE, AT(HolFrictionDef, law), .words = law_words,
     .help = "default: coulomb where the contact is rigid, smooth where it is compliant"},
    {"speed", HOL_FIELD_NUMBER, AT(HolFrictionDef, speed), .unit = "m/s",
     .range = HOL_RANGE_POSITIVE, .fallback = "0.001",
     .help = "smooth: the force is mu N v / sqrt(v^2 + speed^2)"},
    {0},
};

const HolField hol_hertz_fields[] = {
    {"E1", HOL_FIELD_NUMBER, AT(HolContactDef, hertz[0]), .unit = "Pa", .range = HOL_RANGE_POSITIVE,
     .required = 1, .help = "modulus of elasticity of the first body"},
    {"nu1", HOL_FIELD_NUMBER, AT(HolContactDef, hertz[1]), .range = HOL_RANGE_BETWEEN, .low = -1,
     .high = 0.5, .required = 1, .help = "its Poisson's ratio"},
    {"E2", HOL_FIELD_NUMBER, AT(HolContactDef, hertz[2]), .unit = "Pa", .range = HOL_RANGE_POSITIVE,
     .required = 1, .help = "of the second body"},
    {"nu2", HOL_FIELD_NUMBER, AT(HolContactDef, hertz[3]), .range = HOL_RANGE_BETWEEN, .low = -1,
     .high = 0.5, .required = 1, .help = "the same"},
    {0},
};
