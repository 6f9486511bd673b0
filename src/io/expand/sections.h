// SPDX-License-Identifier: Apache-2.0
// The sections of a model file as parts, includes and repeats see them: where names stand. A new
// section needs a line in hol_sections (sections.c), and its field table says the rest: texts that
// name things have `names`, notations of their own (HOL_FIELD_OWN) a line in the table of forms.
#ifndef HOL_IO_SECTIONS_H
#define HOL_IO_SECTIONS_H

#include "base/field.h"

typedef enum HolTextRole { // what a text is, when a part puts its name before names
    HOL_TEXT_ANY,          // not declared: names that the part knows are its names, all else stays
    HOL_TEXT_VALUE,        // a number or an expression: every name in it is one of the part
    HOL_TEXT_CURVE,        // the same, but for the parameter s of a curve, which stays
    HOL_TEXT_WORD,         // stays as it is
    HOL_TEXT_NAME,         // the name of what stands here
    HOL_TEXT_THING,        // body, body.point, ground, a joint: refers to something
    HOL_TEXT_LOCAL,        // a bare name stays (a point of the same body), all else is a value
    HOL_TEXT_GROUND,       // the same of the ground: a bare name is a point of the part's ground
    HOL_TEXT_FILE          // a path
} HolTextRole;

typedef struct HolTextForm {
    HolTextRole role;       // of texts
    HolTextRole keys;       // of the keys of a map without `fields`; 0: words
    const HolField *fields; // of maps, or NULL
    int of_ground;          // 1: inside of a map {body: ground, ..}
} HolTextForm;

typedef enum HolSectionKind {
    HOL_SECTION_LIST,   // entries with a name
    HOL_SECTION_MAP,    // the keys are names
    HOL_SECTION_POINTS, // ground: {points: ..}
    HOL_SECTION_MODEL,  // of the model alone: ignored in parts, which is said
    HOL_SECTION_HEAD    // says something about the file itself
} HolSectionKind;

typedef struct HolSection { // the list ends with key == NULL
    const char *key;
    HolSectionKind kind;
    const char *word;       // entries without a name get this and a number; NULL: none
    const HolField *fields; // of an entry, NULL: none
} HolSection;

enum { HOL_SECTIONS = 40 }; // room for them
extern const HolSection hol_sections[];
// what stands behind a key
HolTextForm hol_text_form(const HolField *field);

#endif
