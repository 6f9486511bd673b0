// SPDX-License-Identifier: Apache-2.0
// The table of quantities; see quantity.h. Rows of one owner stand in the order of their columns.
#include "model/quantity.h"

#include <string.h>

enum {
    MOVES = HOL_OF_RIGID | HOL_OF_POINT_MASS,
    POINTS = MOVES | HOL_OF_PLACE,
    BOTH = HOL_USE_EXPRESSION | HOL_USE_COLUMN,
    EXPRESSION = HOL_USE_EXPRESSION,
    QUIET = HOL_USE_EXPRESSION | HOL_USE_QUIET,
    COLUMN = HOL_USE_COLUMN,
    OUTPUT = HOL_USE_OUTPUT,
    RUN = HOL_USE_COLUMN | HOL_USE_DIAGNOSTIC,
    PLANE = HOL_IN_PLANE,
    SPACE = HOL_IN_SPACE,
    ANY = HOL_EVERYWHERE
};

// owners, spaces, name, synonyms, column, unit, uses, what it is made of and its group
#define VALUE(source, axis) HOL_FROM_##source, HOL_SLOT_VALUE, axis, HOL_GROUP_POSITIONS
#define RATE(source, axis) HOL_FROM_##source, HOL_SLOT_RATE, axis, HOL_GROUP_VELOCITIES
#define SECOND(source, axis) HOL_FROM_##source, HOL_SLOT_ACCELERATION, axis, HOL_GROUP_ACCELERATIONS
#define LOAD(source, axis) HOL_FROM_##source, HOL_SLOT_REACTION, axis, HOL_GROUP_REACTIONS
#define OTHER(source, axis, group) HOL_FROM_##source, HOL_SLOT_TIME, axis, HOL_GROUP_##group

// clang-format off
const HolQuantity hol_quantities[] = {
    {HOL_OF_RUN, ANY, "time", "", NULL, "s", BOTH | HOL_USE_DIAGNOSTIC, OTHER(TIME, 0, POSITIONS),
     "the time"},
    // bodies
    {POINTS, ANY, "x", "", NULL, "m", BOTH, VALUE(POINT, 0),
     "position of the centre of mass or of a point, global axes"},
    {POINTS, ANY, "y", "", NULL, "m", BOTH, VALUE(POINT, 1), NULL},
    {POINTS, SPACE, "z", "", NULL, "m", BOTH, VALUE(POINT, 2), NULL},
    {HOL_OF_RIGID, PLANE, "angle", "", NULL, "rad", BOTH, VALUE(ANGLE, 0),
     "angle, not wrapped"},
    {HOL_OF_RIGID, SPACE, "qw", "w p0", NULL, "1", BOTH, VALUE(QUATERNION, 0),
     "orientation: unit quaternion"},
    {HOL_OF_RIGID, SPACE, "qx", "p1", NULL, "1", BOTH, VALUE(QUATERNION, 1), NULL},
    {HOL_OF_RIGID, SPACE, "qy", "p2", NULL, "1", BOTH, VALUE(QUATERNION, 2), NULL},
    {HOL_OF_RIGID, SPACE, "qz", "p3", NULL, "1", BOTH, VALUE(QUATERNION, 3), NULL},
    {POINTS, ANY, "vx", "", NULL, "m/s", BOTH, RATE(POINT, 0), "velocity, global axes"},
    {POINTS, ANY, "vy", "", NULL, "m/s", BOTH, RATE(POINT, 1), NULL},
    {POINTS, SPACE, "vz", "", NULL, "m/s", BOTH, RATE(POINT, 2), NULL},
    {HOL_OF_RIGID, PLANE, "omega", "w", NULL, "rad/s", BOTH, RATE(ANGLE, 0), "angular velocity"},
    {HOL_OF_RIGID, SPACE, "wx", "", NULL, "rad/s", BOTH, RATE(TURN, 0),
     "angular velocity, global axes"},
    {HOL_OF_RIGID, SPACE, "wy", "", NULL, "rad/s", BOTH, RATE(TURN, 1), NULL},
    {HOL_OF_RIGID, SPACE, "wz", "", NULL, "rad/s", BOTH, RATE(TURN, 2), NULL},
    {MOVES, ANY, "ax", "", NULL, "m/s^2", BOTH, SECOND(POINT, 0), "acceleration, global axes"},
    {MOVES, ANY, "ay", "", NULL, "m/s^2", BOTH, SECOND(POINT, 1), NULL},
    {MOVES, SPACE, "az", "", NULL, "m/s^2", BOTH, SECOND(POINT, 2), NULL},
    {HOL_OF_RIGID, PLANE, "alpha", "", NULL, "rad/s^2", BOTH, SECOND(ANGLE, 0),
     "angular acceleration"},
    {HOL_OF_RIGID, SPACE, "alx", "", NULL, "rad/s^2", COLUMN, SECOND(TURN, 0),
     "angular acceleration, global axes"},
    {HOL_OF_RIGID, SPACE, "aly", "", NULL, "rad/s^2", COLUMN, SECOND(TURN, 1), NULL},
    {HOL_OF_RIGID, SPACE, "alz", "", NULL, "rad/s^2", COLUMN, SECOND(TURN, 2), NULL},
    {HOL_OF_RIGID, SPACE, "omega_x", "", NULL, "rad/s", EXPRESSION, RATE(SPIN, 0),
     "angular velocity, body axes"},
    {HOL_OF_RIGID, SPACE, "omega_y", "", NULL, "rad/s", EXPRESSION, RATE(SPIN, 1), NULL},
    {HOL_OF_RIGID, SPACE, "omega_z", "", NULL, "rad/s", EXPRESSION, RATE(SPIN, 2), NULL},
    {HOL_OF_RIGID, SPACE, "alpha_x", "", NULL, "rad/s^2", EXPRESSION, SECOND(SPIN, 0),
     "angular acceleration, body axes"},
    {HOL_OF_RIGID, SPACE, "alpha_y", "", NULL, "rad/s^2", EXPRESSION, SECOND(SPIN, 1), NULL},
    {HOL_OF_RIGID, SPACE, "alpha_z", "", NULL, "rad/s^2", EXPRESSION, SECOND(SPIN, 2), NULL},
    // the model knows accelerations of centres of mass only: of a place that is one
    {HOL_OF_PLACE, ANY, "ax", "", NULL, "m/s^2", QUIET, SECOND(POINT, 0), "acceleration"},
    {HOL_OF_PLACE, ANY, "ay", "", NULL, "m/s^2", QUIET, SECOND(POINT, 1), NULL},
    {HOL_OF_PLACE, SPACE, "az", "", NULL, "m/s^2", QUIET, SECOND(POINT, 2), NULL},
    // scalar coordinates
    {HOL_OF_COORDINATE, ANY, "x", "", NULL, "1", BOTH, VALUE(COORDINATE, 0),
     "a scalar coordinate; in expressions also its name alone"},
    {HOL_OF_COORDINATE, ANY, "v", "vx rate", "vx", "1/s", BOTH, RATE(COORDINATE, 0), "its rate"},
    {HOL_OF_COORDINATE, ANY, "a", "ax", "ax", "1/s^2", BOTH, SECOND(COORDINATE, 0),
     "its second derivative"},
    // beams
    {HOL_OF_NODE, ANY, "N", "", NULL, "N", COLUMN, OTHER(NODE, 0, REACTIONS),
     "forces of the section at a node of a beam, in its axes: tension"},
    {HOL_OF_NODE, ANY, "Vy", "", NULL, "N", COLUMN, OTHER(NODE, 1, REACTIONS), "shear"},
    {HOL_OF_NODE, SPACE, "Vz", "", NULL, "N", COLUMN, OTHER(NODE, 2, REACTIONS), NULL},
    {HOL_OF_NODE, SPACE, "T", "", NULL, "N m", COLUMN, OTHER(NODE, 3, REACTIONS), "twisting moment"},
    {HOL_OF_NODE, SPACE, "My", "", NULL, "N m", COLUMN, OTHER(NODE, 4, REACTIONS), "bending moment"},
    {HOL_OF_NODE, ANY, "Mz", "", NULL, "N m", COLUMN, OTHER(NODE, 5, REACTIONS),
     "bending moment about z"},
    {HOL_OF_NODE, ANY, "stress_max", "", NULL, "N/m^2", COLUMN, OTHER(NODE, 6, REACTIONS),
     "largest and least stress of tension and bending over the section; 0 where it has no shape"},
    {HOL_OF_NODE, ANY, "stress_min", "", NULL, "N/m^2", COLUMN, OTHER(NODE, 7, REACTIONS), NULL},
    {HOL_OF_BEAM, ANY, "strain_energy", "", NULL, "J", COLUMN, OTHER(BEAM, 0, ENERGIES),
     "strain energy of a beam"},
    {HOL_OF_BEAM, ANY, "deflection", "", NULL, "m", COLUMN | HOL_USE_ARGUMENT,
     OTHER(BEAM, 1, POSITIONS),
     "deflection(x) of a beam at the fraction x, which is a node: distance from the straight line "
     "between its ends, in the plane positive to the left"},
    // joints
    {HOL_OF_JOINT, ANY, "angle", "", NULL, "rad", EXPRESSION, VALUE(JOINT_ANGLE, 0),
     "the free angle of a joint"},
    {HOL_OF_JOINT, ANY, "rate", "", NULL, NULL, EXPRESSION, RATE(JOINT_COORDINATE, 0),
     "rate of its angle, else of its displacement"},
    {HOL_OF_JOINT, ANY, "displacement", "", NULL, "m", EXPRESSION, VALUE(JOINT_DISPLACEMENT, 0),
     "its free displacement"},
    {HOL_OF_JOINT, ANY, "speed", "", NULL, "m/s", EXPRESSION, RATE(JOINT_DISPLACEMENT, 0),
     "rate of its displacement"},
    {HOL_OF_JOINT, SPACE, "angle1", "", NULL, "rad", EXPRESSION, VALUE(JOINT_TURN, 0),
     "universal joint: angles about its first and second axis, zero where the axes of its bodies are "
     "parallel"},
    {HOL_OF_JOINT, SPACE, "angle2", "", NULL, "rad", EXPRESSION, VALUE(JOINT_TURN, 1), NULL},
    {HOL_OF_JOINT, SPACE, "rate1", "", NULL, "rad/s", EXPRESSION, RATE(JOINT_TURN, 0),
     "their rates"},
    {HOL_OF_JOINT, SPACE, "rate2", "", NULL, "rad/s", EXPRESSION, RATE(JOINT_TURN, 1), NULL},
    {HOL_OF_JOINT, SPACE, "rx", "", NULL, "rad", EXPRESSION, VALUE(JOINT_TURN, 2),
     "spherical joint: rotation vector of the second body against the first, axes of the first, up "
     "to a whole turn"},
    {HOL_OF_JOINT, SPACE, "ry", "", NULL, "rad", EXPRESSION, VALUE(JOINT_TURN, 3), NULL},
    {HOL_OF_JOINT, SPACE, "rz", "", NULL, "rad", EXPRESSION, VALUE(JOINT_TURN, 4), NULL},
    {HOL_OF_JOINT, SPACE, "rx_rate", "", NULL, "rad/s", EXPRESSION, RATE(JOINT_TURN, 2),
     "its derivative"},
    {HOL_OF_JOINT, SPACE, "ry_rate", "", NULL, "rad/s", EXPRESSION, RATE(JOINT_TURN, 3), NULL},
    {HOL_OF_JOINT, SPACE, "rz_rate", "", NULL, "rad/s", EXPRESSION, RATE(JOINT_TURN, 4), NULL},
    {HOL_OF_JOINT, ANY, "fx", "", NULL, "N", BOTH, LOAD(REACTION, 0),
     "reaction on the second body, global axes; of least norm where constraints are redundant"},
    {HOL_OF_JOINT, ANY, "fy", "", NULL, "N", BOTH, LOAD(REACTION, 1), NULL},
    {HOL_OF_JOINT, SPACE, "fz", "", NULL, "N", BOTH, LOAD(REACTION, 2), NULL},
    {HOL_OF_JOINT, SPACE, "tx", "", NULL, "N m", COLUMN, LOAD(REACTION, 3),
     "its torque about the place of the first body"},
    {HOL_OF_JOINT, SPACE, "ty", "", NULL, "N m", COLUMN, LOAD(REACTION, 4), NULL},
    {HOL_OF_JOINT, ANY, "tz", "", NULL, "N m", COLUMN, LOAD(REACTION, 5), NULL},
    {HOL_OF_JOINT, ANY, "f_body.x", "", NULL, "N", EXPRESSION | OUTPUT, LOAD(BODY_REACTION, 0),
     "the reaction in axes of the second body"},
    {HOL_OF_JOINT, ANY, "f_body.y", "", NULL, "N", EXPRESSION | OUTPUT, LOAD(BODY_REACTION, 1), NULL},
    {HOL_OF_JOINT, SPACE, "f_body.z", "", NULL, "N", EXPRESSION | OUTPUT, LOAD(BODY_REACTION, 2),
     NULL},
    {HOL_OF_JOINT, SPACE, "t_body.x", "", NULL, "N m", OUTPUT, LOAD(BODY_REACTION, 3),
     "its torque, axes of the second body; a column where `outputs` asks for it"},
    {HOL_OF_JOINT, SPACE, "t_body.y", "", NULL, "N m", OUTPUT, LOAD(BODY_REACTION, 4), NULL},
    {HOL_OF_JOINT, ANY, "t_body.z", "", NULL, "N m", OUTPUT, LOAD(BODY_REACTION, 5), NULL},
    {HOL_OF_JOINT, ANY, "lambda", "", NULL, "", QUIET, LOAD(MULTIPLIER, 0),
     "multiplier of its first equation"},
    {HOL_OF_FRICTION, ANY, "friction", "", NULL, "N | N m", COLUMN, LOAD(MODE, 0),
     "friction along the joint's coordinate"},
    {HOL_OF_FRICTION, ANY, "state", "", NULL, "1", RUN, OTHER(MODE, 1, POSITIONS),
     "0 free, 1 sticks, 3 sticks and shares its load with others, 2 and -2 slips"},
    {HOL_OF_FRICTION, ANY, "use", "", NULL, "1", RUN, OTHER(MODE, 2, POSITIONS),
     "friction over the largest that it can be; of joints that share a load the largest of them"},
    {HOL_OF_STOP, ANY, "stop", "", NULL, "N | N m", COLUMN, LOAD(MODE, 3),
     "force of the stops along the joint's coordinate"},
    // forces
    {HOL_OF_FORCE, ANY, "length", "", NULL, "m", EXPRESSION, VALUE(FORCE_COORDINATE, 0),
     "length of a spring; in its own law also `length`"},
    {HOL_OF_FORCE, ANY, "angle", "", NULL, "rad", EXPRESSION, VALUE(FORCE_COORDINATE, 0),
     "angle of a torsion spring; in its own law also `angle`"},
    {HOL_OF_FORCE, ANY, "rate", "", NULL, NULL, EXPRESSION, RATE(FORCE_COORDINATE, 0),
     "rate of either; in its own law also `rate`"},
    {HOL_OF_FORCE, ANY, "force", "", NULL, "N", EXPRESSION | OUTPUT, LOAD(LOAD, 0),
     "force of a spring_damper: k (length - free) + c rate + force, positive where it pulls; size of "
     "an applied force; of a bushing in `outputs` only"},
    {HOL_OF_FORCE, ANY, "torque", "", NULL, "N m", EXPRESSION | OUTPUT, LOAD(LOAD, 1),
     "torque of a torsion_spring_damper: k (angle - free) + c rate + force; of an applied torque; of "
     "a bushing in `outputs` only"},
    // contacts
    {HOL_OF_CONTACT, ANY, "gap", "", NULL, "m", BOTH, OTHER(CONTACT, 0, POSITIONS),
     "distance of two bodies that may touch"},
    {HOL_OF_CONTACT, ANY, "speed", "", NULL, "m/s", BOTH, OTHER(CONTACT, 1, VELOCITIES),
     "its rate: negative while they approach"},
    {HOL_OF_CONTACT, ANY, "slip", "", NULL, "m/s", BOTH, OTHER(CONTACT, 2, VELOCITIES),
     "sliding speed of the round body along the other one, at the contact point; in space its size"},
    {HOL_OF_CONTACT, ANY, "force", "", NULL, "N", BOTH, OTHER(CONTACT, 3, REACTIONS),
     "normal force, never negative"},
    {HOL_OF_CONTACT, ANY, "friction", "", NULL, "N", BOTH, OTHER(CONTACT, 4, REACTIONS),
     "friction force on the round body, along its sliding direction; in space its size"},
    {HOL_OF_CONTACT, ANY, "state", "", NULL, "1", COLUMN, OTHER(CONTACT, 5, POSITIONS),
     "0 open, 1 closed (with friction: sticks), 2 and -2 slips, 3 sticks and shares its load"},
    // motions, constraints, variables
    {HOL_OF_MOTION, ANY, "lambda", "", NULL, "", EXPRESSION, LOAD(MULTIPLIER, 0),
     "multiplier of a drive: minus its effort"},
    {HOL_OF_MOTION, ANY, "effort", "force torque", NULL, "N | N m", BOTH, LOAD(EFFORT, 0),
     "force or torque that the drive exerts"},
    {HOL_OF_CONSTRAINT, ANY, "lambda", "", NULL, "1", BOTH, LOAD(MULTIPLIER, 0),
     "multiplier of a constraint: it adds the forces `-lambda` times the derivatives of the "
     "equation"},
    {HOL_OF_VARIABLE, ANY, "", "", NULL, "1", BOTH, OTHER(VARIABLE, 0, POSITIONS),
     "value of a variable, a state, an input or a discrete value"},
    // the run
    {HOL_OF_ENERGY, ANY, "kinetic", "", NULL, "J", COLUMN, OTHER(ENERGY, 0, ENERGIES),
     "kinetic energy"},
    {HOL_OF_ENERGY, ANY, "potential", "", NULL, "J", COLUMN, OTHER(ENERGY, 1, ENERGIES),
     "potential energy: that of gravity and springs"},
    {HOL_OF_ENERGY, ANY, "total", "", NULL, "J", COLUMN, OTHER(ENERGY, 2, ENERGIES),
     "their sum"},
    {HOL_OF_ENERGY, ANY, "work", "", NULL, "J", COLUMN, OTHER(ENERGY, 3, ENERGIES),
     "work done so far by everything else: applied forces, dampers, drives"},
    {HOL_OF_LOSS, ANY, "friction", "", NULL, "J", COLUMN, OTHER(ENERGY, 5, ENERGIES),
     "heat of friction so far"},
    {HOL_OF_LOSS, ANY, "impact", "", NULL, "J", COLUMN, OTHER(ENERGY, 6, ENERGIES),
     "energy that impacts took so far"},
    {HOL_OF_ENERGY, ANY, "numerical", "", NULL, "J", RUN, OTHER(ENERGY, 4, ENERGIES),
     "total - total at the start - work + friction + impact: what the integration itself added"},
    {HOL_OF_RESIDUAL, ANY, "position", "", NULL, "m", RUN, OTHER(RESIDUAL, 0, POSITIONS),
     "largest residual of the constraints"},
    {HOL_OF_RESIDUAL, ANY, "velocity", "", NULL, "m/s", RUN, OTHER(RESIDUAL, 1, VELOCITIES),
     "the same of their first derivatives"},
    {HOL_OF_RESIDUAL, ANY, "acceleration", "", NULL, "m/s^2", RUN,
     OTHER(RESIDUAL, 2, ACCELERATIONS), "of their second derivatives"},
    {HOL_OF_STEP, ANY, "size", "", NULL, "s", RUN, OTHER(STEP, 0, POSITIONS),
     "size of the step the row lies in"},
    {HOL_OF_STEP, ANY, "iterations", "", NULL, "1", RUN, OTHER(STEP, 1, POSITIONS),
     "its Newton iterations"},
    {.name = NULL},
};
// clang-format on

int hol_quantity_body(HolBodyType type) {
    return hol_body_kind(type)->owner;
}

int hol_quantity_of(const HolQuantity *q, int owners, HolSpace space) {
    return (q->owners & owners) && (q->spaces & (space == HOL_PLANAR ? PLANE : SPACE));
}

// 1: one of the words, with a space between them
static int quantity_has_word(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (; *words; words += strcspn(words, " "), words += *words == ' ')
        if (strncmp(words, word, length) == 0 && (words[length] == ' ' || !words[length]))
            return 1;
    return 0;
}

const HolQuantity *hol_quantity_find(int owners, HolSpace space, const char *name) {
    for (const HolQuantity *q = hol_quantities; q->name; q++)
        if ((q->uses & HOL_USE_EXPRESSION) && hol_quantity_of(q, owners, space) &&
            (strcmp(q->name, name) == 0 || quantity_has_word(q->also, name)))
            return q;
    return NULL;
}
