// SPDX-License-Identifier: Apache-2.0
// What a model keeps of elements with modes, of events and of values that they change.
#ifndef HOL_MODEL_MODE_TABLES_H
#define HOL_MODEL_MODE_TABLES_H

#include "base/name_table.h"
#include "holonom/model.h"
#include "model/expr/expr.h"
#include "problem/nonsmooth.h"

// Numbers by names: tables of names, and open-addressing tables of bodies, joints, parsed texts and
// parameters.
typedef struct HolNames {
    HolNameTable force_names, motion_names, constraint_names, variable_names, state_names,
        given_names, table_names, curve_names, event_names, contact_names;
    int *body_hash, *joint_hash, body_hash_size, joint_hash_size;
    int *syntax_hash, syntax_hash_size;
    int *parameter_hash, parameter_hash_size;
} HolNames;

// Slots, and the rows that they use, by what they are: open addressing.
typedef struct HolSlotIndex {
    int *slot_hash, slot_hash_size;
    int *row_hash, row_hash_size, n_row_hash;
} HolSlotIndex;

// A value that is constant while the motion is smooth: changed by events or from outside.
typedef enum HolGivenKind { HOL_GIVEN_DISCRETE, HOL_GIVEN_INPUT, HOL_GIVEN_OWN } HolGivenKind;
typedef struct HolGiven {
    const char *name;
    double initial;
    HolGivenKind kind; // OWN: of an element of the model, without a name in expressions
    int line, column;
} HolGiven;

// A support or grip with what the model needs to evaluate it (model/mode).
typedef struct HolSupportEntry {
    HolSupport info;
    double hold; // value of its terms where it is closed
    int state;   // GIVEN that shows its mode, 0: none
    // a piece of an outline: reach = sign (value of the row - from), row -1: without end
    HolPiece piece;
    int limited;
    int reach_row[2];
    double reach_sign[2], reach_from[2];
} HolSupportEntry;

typedef struct HolGripEntry {
    HolGrip info;
    int row[3]; // of the model
    int minus[3];
    double scale[3];
    int sign;     // GIVEN
    int state;    // GIVEN that shows its mode, 0: none
    int share;    // GIVEN: those with the same number share their load, 0: its force is determined
    int apart[3]; // GIVEN: 1: it sticks, but other rows hold this one (set_apart)
    int element[3];
    const char *capacity_text;
    int slots[24];
    int lean[3], aim[3], stop, most, until; // GIVEN, of several rows
    double measure;
    const HolExpr *capacity;
} HolGripEntry;

// The size of a load of friction so far: a GIVEN that grows with an algebraic variable.
typedef struct HolLoadSize {
    int given, variable;
    double per;
} HolLoadSize;

// A vector whose size loads friction: its parts, and its direction behind the last step.
typedef struct HolLoadNorm {
    const HolExpr *x[3];
    int n, along[3], size; // GIVEN
} HolLoadNorm;

// an event of the user
typedef struct HolEventEntry {
    HolEventDef def;
    const HolExpr *when;
    const unsigned char *of_time; // nodes of `when`, a function of time alone; NULL: it is none
    struct HolEventSet {
        int given, state, row; // what it changes, -1: not that
        const HolExpr *expr;
    } * sets;
    int n_sets;
} HolEventEntry;

typedef struct HolEventTables {
    HolSupportEntry *supports;
    int n_supports, cap_supports;
    HolGripEntry *grips;
    int n_grips, cap_grips;
    HolEventEntry *events;
    int n_events, cap_events;
    HolLoadSize *loads;
    int n_loads, cap_loads;
    HolLoadNorm *norms;
    int n_norms, cap_norms;
    const struct HolContact **pads; // compliant contacts that the table of events tells of
    int n_pads;
    HolNonsmooth nonsmooth; // what the solver sees
} HolEventTables;

// Contacts as written, and the pairs of features that they are (model/contact).
typedef struct HolContactTables {
    struct HolContactDef *defs;
    int n_defs, cap_defs;
    struct HolContact *list;
    int n, cap;
    int damped;              // 1: the damping of some follows their speed of touch
    struct HolCrowd *crowds; // contacts among many bodies (contact/crowd.h)
    int n_crowds, cap_crowds;
} HolContactTables;

#endif
