// SPDX-License-Identifier: Apache-2.0
// The keys of a model file, one table a struct. Defaults are those of hol_body_def(),
// hol_joint_def(), hol_force_def() and hol_sim_options(); a test compares them.
#include "model/fields.h"

#include "holonom/holonom.h"

#include <stddef.h>

#define AT(type, member) .offset = offsetof(type, member)
#define AND(type, member) .offset2 = offsetof(type, member)
#define CHARS(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

const HolWord hol_space_words[] = {
    {"planar", HOL_PLANAR, "bodies move in the x-y plane: x, y, angle"},
    {"spatial", HOL_SPATIAL, "bodies move in space: position and orientation"},
    {0},
};

const HolField hol_file_fields[] = {
    {"holonom", HOL_FIELD_INTEGER, .required = 1, .help = "format number of the file: 1"},
    {"name", HOL_FIELD_TEXT, .help = "title of the model; default: the file's name"},
    {"space", HOL_FIELD_CHOICE, .words = hol_space_words, .required = 1,
     .help = "where the bodies move"},
    {"gravity", HOL_FIELD_VECTOR, .length = HOL_LENGTH_SPACE, .fallback = "0", .unit = "m/s^2",
     .help = "acceleration of gravity, global axes"},
    {"parameters", HOL_FIELD_OWN, .form = "parameters",
     .help = "constants; every number below may be an expression of them"},
    {"tables", HOL_FIELD_OWN, .form = "tables",
     .help = "curves for interp(name, x) in expressions"},
    {"ground", HOL_FIELD_OWN, .form = "ground", .help = "points fixed in the global frame"},
    {"bodies", HOL_FIELD_OWN, .form = "bodies", .help = "what moves"},
    {"joints", HOL_FIELD_OWN, .form = "joints", .help = "how bodies are held together"},
    {"forces", HOL_FIELD_OWN, .form = "forces", .help = "what pushes and turns them"},
    {"motions", HOL_FIELD_OWN, .form = "motions",
     .help = "joints whose free coordinate follows a given function"},
    {"constraints", HOL_FIELD_OWN, .form = "constraints",
     .help = "further equations between coordinates and time"},
    {"variables", HOL_FIELD_OWN, .form = "variables",
     .help = "named expressions, solved together with the motion where they need it"},
    {"outputs", HOL_FIELD_OWN, .form = "outputs",
     .help = "columns of the results; default: all coordinates, velocities, reactions, energies"},
    {"simulation", HOL_FIELD_OWN, .form = "simulation", .help = "how to run it"},
    {0},
};

// ---- tables -------------------------------------------------------------------------------

static const HolWord interpolation_words[] = {
    {"monotone", HOL_TABLE_MONOTONE, "smooth, and nowhere beyond the points"},
    {"linear", HOL_TABLE_LINEAR, "straight from point to point"},
    {"spline", HOL_TABLE_SPLINE, "smoothest, but may leave the values of its points"},
    {0},
};

static const HolWord outside_words[] = {
    {"hold", HOL_OUTSIDE_HOLD, "the value of the end"},
    {"line", HOL_OUTSIDE_LINE, "straight on with the slope of the end"},
    {"periodic", HOL_OUTSIDE_PERIODIC, "the same again"},
    {"error", HOL_OUTSIDE_ERROR, "the run ends with a message"},
    {0},
};

const HolField hol_table_fields[] = {
    {"x", HOL_FIELD_OWN, .form = "table column", .required = 1,
     .help = "arguments, increasing; with file: the name of a column"},
    {"y", HOL_FIELD_OWN, .form = "table column", .required = 1,
     .help = "values; with file: the name of a column"},
    {"file", HOL_FIELD_OWN, .form = "table file",
     .help = "comma-separated numbers below a line with the names of the "
             "columns; the path counts from the model file"},
    {"interpolation", HOL_FIELD_CHOICE, AT(HolTableDef, interpolation),
     .words = interpolation_words, .fallback = "monotone",
     .help = "between the points: monotone never leaves the values of its neighbours and has a "
             "continuous slope, linear has corners, spline is smoothest and overshoots; where it "
             "is not said, a remark is made"},
    {"outside", HOL_FIELD_CHOICE, AT(HolTableDef, outside), .words = outside_words,
     .fallback = "hold",
     .help = "before the first and behind the last point: hold the end value, go on in a straight "
             "line, repeat (the last y must equal the first), or end the run with an error"},
    {0},
};

// ---- bodies -------------------------------------------------------------------------------

static const HolWord body_types[] = {
    {"rigid", HOL_RIGID, "rigid body"},
    {"point", HOL_POINT, "point mass"},
    {"coordinate", HOL_COORDINATE, "one scalar coordinate"},
    {0},
};

static const HolWord exact_words[] = {
    {"position", HOL_EXACT_POSITION, NULL}, {"angle", HOL_EXACT_ANGLE, NULL},
    {"orientation", HOL_EXACT_ANGLE, NULL}, {"velocity", HOL_EXACT_VELOCITY, NULL},
    {"omega", HOL_EXACT_OMEGA, NULL},       {0},
};

const HolField hol_body_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolBodyDef, name), .required = 1,
     .help = "used in references and expressions"},
    {"type", HOL_FIELD_CHOICE, AT(HolBodyDef, type), .words = body_types, .fallback = "rigid",
     .help = "what kind of body it is"},
    {"mass", HOL_FIELD_NUMBER, AT(HolBodyDef, mass), .fallback = "1", .unit = "kg",
     .range = HOL_RANGE_NOT_NEGATIVE,
     .help =
         "required for rigid bodies and points; a coordinate's generalized mass is 1 unless given"},
    {"inertia", HOL_FIELD_VECTOR, AT(HolBodyDef, inertia), .length = HOL_LENGTH_INERTIA,
     .fallback = "0", .unit = "kg m^2",
     .help =
         "about the centre of mass, body axes; in space Ixx, Iyy, Izz [, Ixy, Iyz, Izx], entries "
         "of "
         "the inertia tensor (Ixy is minus the integral of x y dm); zero about an axis is fine"},
    {"position", HOL_FIELD_VECTOR, AT(HolBodyDef, position), .length = HOL_LENGTH_SPACE,
     .fallback = "0", .unit = "m", .help = "of the centre of mass; the value of a coordinate"},
    {"angle", HOL_FIELD_NUMBER, AT(HolBodyDef, angle), .fallback = "0", .unit = "rad", .spaces = 1,
     .help = "in the plane, counter-clockwise, not wrapped"},
    {"orientation", HOL_FIELD_OWN, .form = "orientation", .spaces = 2,
     .help = "in space, from body axes to global axes; default: parallel"},
    {"velocity", HOL_FIELD_VECTOR, AT(HolBodyDef, velocity), .length = HOL_LENGTH_SPACE,
     .fallback = "0", .unit = "m/s", .help = "of the centre of mass, global axes"},
    {"omega", HOL_FIELD_VECTOR, AT(HolBodyDef, omega), .length = HOL_LENGTH_TURN, .fallback = "0",
     .unit = "rad/s", .help = "angular velocity, global axes"},
    {"omega_body", HOL_FIELD_VECTOR, AT(HolBodyDef, omega), AND(HolBodyDef, omega_is_body),
     .length = HOL_LENGTH_TURN, .unit = "rad/s", .spaces = 2,
     .help = "angular velocity in body axes, instead of omega"},
    {"exact", HOL_FIELD_FLAGS, AT(HolBodyDef, exact), .words = exact_words,
     .help = "initial values that the assembly must not change; the others give way"},
    {"points", HOL_FIELD_OWN, .form = "points",
     .help = "named points, body axes, from the centre of mass"},
    {"shape", HOL_FIELD_OWN, .form = "shape", .help = "for the viewer only; a default is drawn"},
    {0},
};

static const char *const rigid_keys[] = {"mass",        "inertia",  "position", "angle",
                                         "orientation", "velocity", "omega",    "omega_body",
                                         "exact",       "points",   "shape",    NULL};
static const char *const point_keys[] = {"mass",   "position", "velocity", "exact",
                                         "points", "shape",    NULL};
static const char *const coordinate_keys[] = {"mass", "position", "velocity", "exact", NULL};

static const HolKind rigid_kind = {
    .name = "rigid",
    .spaces = HOL_EVERYWHERE,
    .fields = rigid_keys,
    .body = HOL_RIGID,
    .help = "rigid body with mass and inertia about its centre of mass",
};
static const HolKind point_kind = {
    .name = "point",
    .spaces = HOL_EVERYWHERE,
    .fields = point_keys,
    .body = HOL_POINT,
    .help = "point mass: it has a position and no orientation",
};
static const HolKind coordinate_kind = {
    .name = "coordinate",
    .spaces = HOL_EVERYWHERE,
    .fields = coordinate_keys,
    .body = HOL_COORDINATE,
    .help = "one scalar coordinate with a generalized mass, known to expressions by its name",
};
const HolKind *const hol_body_kinds[] = {&rigid_kind, &point_kind, &coordinate_kind, NULL};

const HolField hol_point_fields[] = {
    {"at", HOL_FIELD_VECTOR, AT(HolPointDef, at), .length = HOL_LENGTH_SPACE, .unit = "m",
     .required = 1, .help = "coordinates in body axes"},
    {"axis", HOL_FIELD_VECTOR, AT(HolPointDef, axis), AND(HolPointDef, has_axis),
     .length = HOL_LENGTH_SPACE, .help = "direction of the point's own axis, body axes"},
    {"x", HOL_FIELD_VECTOR, AT(HolPointDef, x), AND(HolPointDef, has_x), .length = HOL_LENGTH_SPACE,
     .help = "direction from which angles about that axis count, body axes"},
    {0},
};

static const HolWord shape_words[] = {
    {"cylinder", 0, NULL}, {"box", 1, NULL}, {"sphere", 2, NULL}, {"mesh", 3, NULL}, {0},
};

const HolField hol_shape_fields[] = {
    {"type", HOL_FIELD_TEXT, AT(HolShapeDef, type), .words = shape_words, .required = 1,
     .help = "what is drawn"},
    {"from", HOL_FIELD_OWN, AT(HolShapeDef, from), .form = "place", .unit = "m",
     .help = "first end, body axes: a point's name or coordinates"},
    {"to", HOL_FIELD_OWN, AT(HolShapeDef, to), .form = "place", .unit = "m", .help = "second end"},
    {"size", HOL_FIELD_VECTOR, AT(HolShapeDef, size), .length = HOL_LENGTH_SIZE, .unit = "m",
     .help = "edges of a box"},
    {"radius", HOL_FIELD_NUMBER, AT(HolShapeDef, radius), .unit = "m",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "of a cylinder or sphere"},
    {"color", HOL_FIELD_TEXT, AT(HolShapeDef, color), .help = "\"#rrggbb\""},
    {"file", HOL_FIELD_TEXT, AT(HolShapeDef, file), .help = "of a mesh"},
    {0},
};

const HolField hol_ref_fields[] = {
    {"body", HOL_FIELD_TEXT, AT(HolRef, body), .required = 1, .help = "a body's name, or ground"},
    {"point", HOL_FIELD_TEXT, AT(HolRef, point), .help = "a point of that body"},
    {"at", HOL_FIELD_VECTOR, AT(HolRef, at), AND(HolRef, has_at), .length = HOL_LENGTH_SPACE,
     .unit = "m", .help = "or coordinates in that body's axes; default: its centre of mass"},
    {"axis", HOL_FIELD_VECTOR, AT(HolRef, axis), AND(HolRef, has_axis), .length = HOL_LENGTH_SPACE,
     .help = "direction in that body's axes, where the joint needs one"},
    {"x", HOL_FIELD_VECTOR, AT(HolRef, x), AND(HolRef, has_x), .length = HOL_LENGTH_SPACE,
     .help = "direction in that body's axes from which angles count; default: see Joints"},
    {0},
};

// ---- joints and forces --------------------------------------------------------------------

const HolField hol_joint_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolJointDef, name), .help = "default: joint1, joint2, ..."},
    {"type", HOL_FIELD_KIND, AT(HolJointDef, type), .required = 1, .help = "kind of joint"},
    {"between", HOL_FIELD_OWN, .form = "between",
     .help = "the two places that are joined: first and second body"},
    {"bodies", HOL_FIELD_OWN, .form = "bodies pair",
     .help = "instead of between: the two bodies, with at and axis in global axes, initial "
             "configuration"},
    {"at", HOL_FIELD_VECTOR, AT(HolJointDef, at), .length = HOL_LENGTH_SPACE, .unit = "m",
     .help = "with bodies: the joint's place"},
    {"axis", HOL_FIELD_VECTOR, AT(HolJointDef, axis), AND(HolJointDef, has_axis),
     .length = HOL_LENGTH_SPACE,
     .help = "the joint's direction: with bodies in global axes, with between in the first body's"},
    {"x", HOL_FIELD_VECTOR, AT(HolJointDef, x), AND(HolJointDef, has_x), .length = HOL_LENGTH_SPACE,
     .help = "with bodies: direction in global axes from which the angle counts, which is zero as "
             "written; with between give it with the places"},
    {"length", HOL_FIELD_NUMBER, AT(HolJointDef, length), .unit = "m",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "distance that is kept; default: the initial one"},
    {"radius", HOL_FIELD_NUMBER, AT(HolJointDef, radius), .unit = "m", .range = HOL_RANGE_POSITIVE,
     .help = "of the rolling disc, of the pinion"},
    {"pitch", HOL_FIELD_NUMBER, AT(HolJointDef, pitch), .unit = "m/rad",
     .help = "displacement per radian"},
    {"ratio", HOL_FIELD_NUMBER, AT(HolJointDef, ratio), .fallback = "1",
     .range = HOL_RANGE_NOT_ZERO,
     .help = "coordinate of the second joint = ratio * coordinate of the first"},
    {"joints", HOL_FIELD_OWN, .form = "joints pair",
     .help = "the two joints that a gear or a rack_pinion couples"},
    {0},
};

static const HolWord frame_words[] = {
    {"global", HOL_FRAME_GLOBAL, NULL}, {"body", HOL_FRAME_BODY, NULL}, {0}};

const HolField hol_force_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolForceDef, name), .help = "default: force1, force2, ..."},
    {"type", HOL_FIELD_KIND, AT(HolForceDef, type), .required = 1, .help = "kind of force"},
    {"on", HOL_FIELD_OWN, .form = "on",
     .help = "the place it acts on; expression: a coordinate (q1, rod.x, rod.angle)"},
    {"between", HOL_FIELD_OWN, .form = "between", .help = "the two places it acts between"},
    {"joint", HOL_FIELD_TEXT, AT(HolForceDef, joint),
     .help = "instead of between: about this joint"},
    {"value", HOL_FIELD_EXPRESSIONS, AT(HolForceDef, value), AND(HolForceDef, n_value),
     .length = HOL_LENGTH_ONE_OR_SPACE, .unit = "N, N m",
     .help = "force: one expression per axis; torque: one, in space three; expression: one"},
    {"frame", HOL_FIELD_CHOICE, AT(HolForceDef, frame), .words = frame_words, .fallback = "global",
     .help = "axes of the value"},
    {"stiffness", HOL_FIELD_EXPRESSIONS, AT(HolForceDef, stiffness), AND(HolForceDef, n_stiffness),
     .length = HOL_LENGTH_ONE_OR_SPACE, .unit = "N/m, N m/rad",
     .help = "bushing: one for all axes of the first body, or one per axis"},
    {"damping", HOL_FIELD_EXPRESSIONS, AT(HolForceDef, damping), AND(HolForceDef, n_damping),
     .length = HOL_LENGTH_ONE_OR_SPACE, .unit = "N s/m, N m s/rad", .help = "the same"},
    {"rotational_stiffness", HOL_FIELD_EXPRESSIONS, AT(HolForceDef, rotational_stiffness),
     AND(HolForceDef, n_rotational_stiffness), .length = HOL_LENGTH_ONE_OR_TURN, .unit = "N m/rad",
     .help = "of a bushing"},
    {"rotational_damping", HOL_FIELD_EXPRESSIONS, AT(HolForceDef, rotational_damping),
     AND(HolForceDef, n_rotational_damping), .length = HOL_LENGTH_ONE_OR_TURN, .unit = "N m s/rad",
     .help = "of a bushing"},
    {"length", HOL_FIELD_EXPRESSION, AT(HolForceDef, length), .unit = "m",
     .help = "free length; default: the initial one"},
    {"matrix", HOL_FIELD_OWN, .form = "matrix", .unit = "N/m, N, N m/rad",
     .help = "bushing: all of its stiffness at once, symmetric, as a list of rows: 3 x 3 for x, y, "
             "angle, in space 6 x 6 for x, y, z and the rotation vector"},
    {"damping_matrix", HOL_FIELD_OWN, .form = "matrix", .unit = "N s/m, N s, N m s/rad",
     .help = "the same of its damping"},
    {"angle", HOL_FIELD_EXPRESSIONS, AT(HolForceDef, angle), AND(HolForceDef, n_angle),
     .length = HOL_LENGTH_ONE_OR_TURN, .unit = "rad",
     .help = "free angle; default: the initial one; bushing in space: the free turn as a rotation "
             "vector in axes of the first body, or one number about the axis of the first place"},
    {"force", HOL_FIELD_EXPRESSION, AT(HolForceDef, force), .unit = "N, N m",
     .help = "added to the spring's law"},
    {0},
};

// ---- motions, constraints, variables ------------------------------------------------------

const HolField hol_motion_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolMotionDef, name), .help = "default: motion1, motion2, ..."},
    {"joint", HOL_FIELD_TEXT, AT(HolMotionDef, joint), .required = 1,
     .help = "the joint that is driven"},
    {"value", HOL_FIELD_EXPRESSION, AT(HolMotionDef, value), .required = 1, .unit = "rad, m",
     .help = "its free coordinate (angle or displacement) as a function of time"},
    {0},
};

const HolField hol_constraint_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolConstraintDef, name),
     .help = "default: constraint1, constraint2, ..."},
    {"equation", HOL_FIELD_EXPRESSION, AT(HolConstraintDef, equation), .required = 1,
     .help = "smooth expression of coordinates and time that is kept at zero"},
    {0},
};

const HolField hol_variable_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolVariableDef, name), .required = 1,
     .help = "used in other expressions"},
    {"value", HOL_FIELD_EXPRESSION, AT(HolVariableDef, value), .required = 1,
     .help = "expression of coordinates, velocities, accelerations, reactions, time, variables"},
    {0},
};

// ---- simulation ---------------------------------------------------------------------------

static const HolWord solver_words[] = {
    {"auto", 0, NULL}, {"dense", 1, NULL}, {"sparse", 2, NULL}, {0}};

static const HolWord start_words[] = {{"initial", 0, NULL}, {"equilibrium", 1, NULL}, {0}};

const HolField hol_simulation_fields[] = {
    {"start", HOL_FIELD_NUMBER, AT(HolSimOptions, start), .fallback = "0", .unit = "s",
     .help = "time of the initial values"},
    {"end", HOL_FIELD_NUMBER, AT(HolSimOptions, end), .fallback = "1", .unit = "s",
     .help = "time to run to"},
    {"start_at", HOL_FIELD_WORD, CHARS(HolSimOptions, start_at), .words = start_words,
     .fallback = "initial",
     .help = "equilibrium: at rest where the mechanism comes to rest, instead of the positions and "
             "velocities of the bodies; a stable equilibrium if there is one"},
    {"method", HOL_FIELD_OWN, .form = "method", .fallback = "auto",
     .help = "a method's name, or {name: NAME, its parameters} (without a name: tangent)"},
    {"step", HOL_FIELD_NUMBER, AT(HolSimOptions, step), .unit = "s", .range = HOL_RANGE_POSITIVE,
     .help = "fixed step size"},
    {"tolerance", HOL_FIELD_NUMBER, AT(HolSimOptions, tolerance), .fallback = "1e-6",
     .range = HOL_RANGE_POSITIVE,
     .help = "relative error of positions and velocities, instead of step: adaptive steps"},
    {"error", HOL_FIELD_OWN, .form = "error",
     .help = "what the error of a step is compared with, where the model's own sizes do not suit"},
    {"accuracy", HOL_FIELD_NUMBER, AT(HolSimOptions, accuracy), .range = HOL_RANGE_BETWEEN,
     .low = 1e-12, .high = 0.01,
     .help = "largest error of the results as a part of their size: the run chooses its tolerance, "
             "and a second one bounds the error"},
    {"output_step", HOL_FIELD_NUMBER, AT(HolSimOptions, output_step), .fallback = "0", .unit = "s",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "spacing of the results; 0: every step"},
    {"initial_step", HOL_FIELD_NUMBER, AT(HolSimOptions, initial_step), .fallback = "0",
     .unit = "s", .range = HOL_RANGE_NOT_NEGATIVE, .help = "first adaptive step; 0: automatic"},
    {"max_step", HOL_FIELD_NUMBER, AT(HolSimOptions, max_step), .fallback = "0", .unit = "s",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "largest adaptive step; 0: automatic"},
    {"min_step", HOL_FIELD_NUMBER, AT(HolSimOptions, min_step), .fallback = "0", .unit = "s",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "smallest adaptive step; 0: automatic"},
    {"max_steps", HOL_FIELD_LONG, AT(HolSimOptions, max_steps), .fallback = "0",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "give up after so many steps; 0: no limit"},
    {"stop_times", HOL_FIELD_NUMBERS, AT(HolSimOptions, stop_times),
     AND(HolSimOptions, n_stop_times), .unit = "s",
     .help = "times that a step must hit (jumps of forces), ascending"},
    {"linear_solver", HOL_FIELD_WORD, CHARS(HolSimOptions, linear_solver), .words = solver_words,
     .fallback = "auto", .help = "how the linear equations are solved"},
    {"threads", HOL_FIELD_INTEGER, AT(HolSimOptions, threads), .fallback = "0",
     .range = HOL_RANGE_BETWEEN, .low = 0, .high = 8,
     .help = "threads that share one run; 0: two for models of many bodies, else one. The results "
             "are the same bit by bit"},
    {0},
};

const HolField hol_error_fields[] = {
    {"relative", HOL_FIELD_NUMBER, AT(HolErrorOptions, relative), .range = HOL_RANGE_POSITIVE,
     .help = "relative error; default: the tolerance"},
    {"absolute", HOL_FIELD_NUMBER, AT(HolErrorOptions, absolute), .range = HOL_RANGE_POSITIVE,
     .unit = "m, rad, m/s, rad/s",
     .help = "errors below are none; above, a coordinate's own largest value counts; default: "
             "scales from the model"},
    {"velocities", HOL_FIELD_SWITCH, AT(HolErrorOptions, velocities), .fallback = "true",
     .help = "false: errors of positions count alone"},
    {0},
};

// what all methods have; their own options: solve/method
const HolField hol_method_fields[] = {
    {"name", HOL_FIELD_WORD, CHARS(HolMethodOptions, name), .fallback = "auto",
     .help = "the method"},
    {"force", HOL_FIELD_SWITCH, AT(HolMethodOptions, force), .fallback = "false",
     .help = "accept parameters that are refused otherwise"},
    {0},
};
