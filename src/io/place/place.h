// SPDX-License-Identifier: Apache-2.0
// What a model file may say in several ways: numbers with units, where a body is, what it consists of,
// the coordinates of joints at the start.
#ifndef HOL_IO_PLACE_H
#define HOL_IO_PLACE_H

#include "io/expand/part.h"
#include "io/model/parse_text.h"
#include "io/model/read.h"
#include "model/fields.h"

// ---- units.c ----
// `units:` of a file, given by its root
void hol_read_units(HolReader *r, const HolNode *root);
// "30 deg": 1 and the value in SI units, 0: no number with a unit, -1: said what is wrong with it
int hol_read_unit(HolReader *r, const HolNode *node, const char *key, double *value);
// does a unit stand at this character of a text, up to its end?
int hol_unit_at(const char *text, int at);
// what a plain number is multiplied with: 1, or the unit of its file
double hol_read_scale(const HolReader *r, const HolNode *node);
// remarks on a plain number of a key that is in rad or m, which `units:` does not reach
void hol_read_unit_remark(HolReader *r, const HolNode *node, const char *key, double value);

// ---- body_mass.c ----
typedef struct HolMass {
    double mass, com[3], inertia[6]; // about the centre of mass: xx yy zz xy yz zx
} HolMass;
// all solids that have a density, in body axes from the body's origin
void hol_solids_mass(const HolSolidDef *solids, int n, HolMass *out);

// ---- body_place.c ----
typedef struct HolBodyPlace { // beside HolBodyDef: what is said in other ways
    const HolNode *node;      // of the body
    int has_com;
    double com[3];
    const HolNode *place; // NULL: by `position`
    const char *point;    // of the body; NULL: its origin
    double at[3];
    HolRef other; // at a point of another body, when other.body
    int turned;   // an orientation is given
    const HolSolidDef *solids;
    int n_solids, wrong; // wrong: something is wrong with one of them
    int ok, done;        // nothing is wrong with it; it has its place
} HolBodyPlace;

// keys `com`, `place`, `shapes` of a body
void hol_read_body_other(HolReader *r, const HolField *f, const HolNode *node, HolBodyPlace *p);
// mass, com and inertia from solids, where they are not written
void hol_body_fill(HolReader *r, HolBodyDef *def, HolBodyPlace *p);
// positions of the centres of mass, points from them, global axes; for n bodies that know of each other
void hol_bodies_place(HolReader *r, HolBodyDef *defs, HolBodyPlace *places, int n);

// ---- joint_start.c ----
// In a model for the start: equations that hold the joints' coordinates there.
void hol_read_joint_starts(HolReader *r);
// the model begins where its joints' `angle`, `rate` .. say
HolStatus hol_joint_starts(const HolModelText *from, HolModel *m, HolError *err);

#endif
