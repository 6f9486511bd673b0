// SPDX-License-Identifier: Apache-2.0
// The quantities of a model: what stands behind the dot of `rod.vx`, in expressions and as columns
// of results. Names, units, groups of the certificate and help are said here once; expressions
// (resolve.c, io/model/read_parts.c), columns (columns.c, measure.c), units of outputs
// (io/result/column_unit.c), the certificate (solve/certify) and docs/format.md follow.
#ifndef HOL_MODEL_QUANTITY_H
#define HOL_MODEL_QUANTITY_H

#include "base/visibility.h"
#include "model/model.h"

// what stands before the dot; a quantity may belong to several
enum {
    HOL_OF_RIGID = 1,
    HOL_OF_POINT_MASS = 2,
    HOL_OF_PLACE = 4, // a point of a body, the ground
    HOL_OF_COORDINATE = 8,
    HOL_OF_JOINT = 16,
    HOL_OF_FORCE = 32,
    HOL_OF_MOTION = 64,
    HOL_OF_CONSTRAINT = 128,
    HOL_OF_VARIABLE = 256,
    HOL_OF_RUN = 512, // nothing: time
    HOL_OF_ENERGY = 1024,
    HOL_OF_RESIDUAL = 2048, // `constraint`
    HOL_OF_STEP = 4096,
    HOL_OF_FRICTION = 8192, // a joint that has friction, stops
    HOL_OF_STOP = 16384,
    HOL_OF_LOSS = 32768, // `energy`, of models with friction or impacts
    HOL_OF_CONTACT = 65536,
    HOL_OF_NODE = 1 << 20, // of a beam: what it has besides what bodies have
    HOL_OF_BEAM = 1 << 21
};

enum {
    HOL_USE_EXPRESSION = 1,
    HOL_USE_COLUMN = 2,     // a column of results; alone: in `outputs:` by itself only
    HOL_USE_QUIET = 4,      // known to expressions, but not offered
    HOL_USE_DIAGNOSTIC = 8, // describes the run, not the motion: nothing is certified
    HOL_USE_OUTPUT = 16,    // a column where `outputs:` asks for it
    HOL_USE_ARGUMENT = 32   // written with an argument: no column unless asked for
};

typedef enum HolQuantitySource { // what it is made of; `axis` tells which one
    HOL_FROM_TIME,
    HOL_FROM_POINT,      // a global coordinate of a point
    HOL_FROM_ANGLE,      // plane: of a body
    HOL_FROM_COORDINATE, // a scalar coordinate
    HOL_FROM_QUATERNION,
    HOL_FROM_TURN, // rotation about a global axis
    HOL_FROM_SPIN, // the same, body axes
    HOL_FROM_JOINT_ANGLE,
    HOL_FROM_JOINT_DISPLACEMENT,
    HOL_FROM_JOINT_TURN,       // further angles of a joint, see HolKind.turn_row
    HOL_FROM_JOINT_COORDINATE, // the angle, else the displacement
    HOL_FROM_FORCE_COORDINATE, // the length or angle of a spring
    HOL_FROM_REACTION,         // force, then torque
    HOL_FROM_BODY_REACTION,    // the same, axes of the second body
    HOL_FROM_LOAD,             // of a force element: its force (0) or torque (1)
    HOL_FROM_MULTIPLIER,
    HOL_FROM_EFFORT, // - multiplier
    HOL_FROM_VARIABLE,
    HOL_FROM_ENERGY,
    HOL_FROM_RESIDUAL,
    HOL_FROM_STEP,
    HOL_FROM_MODE,    // friction, state, use, stop of a joint
    HOL_FROM_CONTACT, // gap, speed, slip, force, friction, state
    HOL_FROM_NODE,
    HOL_FROM_BEAM
} HolQuantitySource;

typedef enum HolQuantityGroup { // whose sizes the certificate compares
    HOL_GROUP_POSITIONS,
    HOL_GROUP_VELOCITIES,
    HOL_GROUP_ACCELERATIONS,
    HOL_GROUP_REACTIONS,
    HOL_GROUP_ENERGIES,
    HOL_GROUPS
} HolQuantityGroup;

typedef struct HolQuantity {
    int owners; // HOL_OF_..
    int spaces; // HOL_IN_PLANE, HOL_IN_SPACE or both
    const char *name;
    const char *also;   // synonyms in expressions, with a space between; "": none
    const char *column; // name of the column where it is another one, NULL: `name`
    const char *unit;   // NULL: rad/s or m/s, after the owner's coordinate
    int uses;           // HOL_USE_..
    HolQuantitySource source;
    HolSlotType level; // value, rate, acceleration
    int axis;
    HolQuantityGroup group;
    const char *help; // NULL: as the one before
} HolQuantity;

HOL_TOOLS extern const HolQuantity
    hol_quantities[]; // columns in this order; ends with name == NULL

// the owner that a body is: HOL_OF_RIGID, .._POINT_MASS, .._COORDINATE
int hol_quantity_body(HolBodyType type);
// 1: it belongs to one of the owners in this space
int hol_quantity_of(const HolQuantity *q, int owners, HolSpace space);
// the row of a quantity of a body or of one of its points; 0: there is none (resolve.c)
int hol_quantity_row(const HolModel *m, int body, const double *at, const HolQuantity *q,
                     HolRow *row);
// the quantity that expressions call so, by its name or a synonym; NULL: none
const HolQuantity *hol_quantity_find(int owners, HolSpace space, const char *name);

#endif
