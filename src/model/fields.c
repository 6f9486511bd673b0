// SPDX-License-Identifier: Apache-2.0
// The keys of a model file, one table a struct. Defaults are those of hol_body_def(),
// hol_joint_def(), hol_force_def() and hol_sim_options(); a test compares them.
#include "model/fields.h"

#include "holonom/holonom.h"
#include "model/body/beam.h"

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
    {"tunable", HOL_FIELD_OWN, .form = "names",
     .help = "[k, ..]: parameters that a program may change while the model runs, as inputs; only "
             "expressions may use them, and results have a column of each"},
    {"units", HOL_FIELD_OWN, .form = "units",
     .help = "{angle: deg, length: mm}: units of plain numbers in this file, in keys whose unit is "
             "rad or m; results stay in SI units"},
    {"include", HOL_FIELD_OWN, .form = "include",
     .help = "files whose sections are read as if they stood here, before those of this file"},
    {"parts", HOL_FIELD_OWN, .form = "parts",
     .help = "model files that are built in, each with its own name, place and parameters"},
    {"discrete", HOL_FIELD_OWN, .form = "parameters",
     .help = "values that only events change; usable in expressions, columns of results"},
    {"inputs", HOL_FIELD_OWN, .form = "parameters",
     .help = "values from outside, constant until they are set anew; usable in expressions"},
    {"tables", HOL_FIELD_OWN, .form = "tables",
     .help = "curves for interp(name, x) in expressions"},
    {"curves", HOL_FIELD_OWN, .form = "curves", .help = "smooth curves for joints and contacts"},
    {"ground", HOL_FIELD_OWN, .form = "ground", .help = "points fixed in the global frame"},
    {"bodies", HOL_FIELD_OWN, .form = "bodies", .help = "what moves"},
    {"joints", HOL_FIELD_OWN, .form = "joints", .help = "how bodies are held together"},
    {"forces", HOL_FIELD_OWN, .form = "forces", .help = "what pushes and turns them"},
    {"motions", HOL_FIELD_OWN, .form = "motions",
     .help = "joints whose free coordinate follows a given function"},
    {"constraints", HOL_FIELD_OWN, .form = "constraints",
     .help = "further equations between coordinates and time"},
    {"states", HOL_FIELD_OWN, .form = "states",
     .help = "first-order states of controllers, motors, pressures"},
    {"contacts", HOL_FIELD_OWN, .form = "contacts", .help = "pairs of bodies that may touch"},
    {"variables", HOL_FIELD_OWN, .form = "variables",
     .help = "named expressions, solved together with the motion where they need it"},
    {"events", HOL_FIELD_OWN, .form = "events",
     .help = "what happens when an expression becomes zero, or at regular times"},
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
     .help = "comma-separated columns below a line with their names; other columns may hold "
             "anything; the path counts from the model file"},
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

const HolField hol_curve_fields[] = {
    {"points", HOL_FIELD_OWN, .form = "curve points", .unit = "m",
     .help = "list of points, in axes of the body that the curve is used on; this or a formula is "
             "required"},
    {"closed", HOL_FIELD_SWITCH, AT(HolCurveDef, closed), .fallback = "false",
     .help = "true: from the last point smoothly back to the first; a formula must come back to "
             "where it began by itself"},
    {"x", HOL_FIELD_OWN, .form = "curve formula", .unit = "m",
     .help = "formula of the parameter s, with y (and z) in place of points"},
    {"y", HOL_FIELD_OWN, .form = "curve formula", .unit = "m", .help = "the same"},
    {"z", HOL_FIELD_OWN, .form = "curve formula", .unit = "m", .spaces = 2, .help = "the same"},
    {"from", HOL_FIELD_NUMBER, AT(HolCurveDef, from), .fallback = "0",
     .help = "first value of s of a formula"},
    {"to", HOL_FIELD_NUMBER, AT(HolCurveDef, to), .help = "its last value; required there"},
    {0},
};

// ---- parts --------------------------------------------------------------------------------

const HolField hol_part_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolPartDef, name), .required = 1,
     .help = "stands before all names of the file: NAME.rod"},
    {"file", HOL_FIELD_TEXT, AT(HolPartDef, file), .required = 1, .names = HOL_NAMES_FILE,
     .help = "a model file; the path counts from the file that names it"},
    {"at", HOL_FIELD_VECTOR, AT(HolPartDef, at), .length = HOL_LENGTH_SPACE, .fallback = "0",
     .unit = "m", .help = "where the origin of its ground lies"},
    {"angle", HOL_FIELD_NUMBER, AT(HolPartDef, angle), .fallback = "0", .unit = "rad", .spaces = 1,
     .help = "of its ground, in the plane"},
    {"orientation", HOL_FIELD_OWN, .form = "orientation", .spaces = 2,
     .help = "of its ground, in space; default: parallel"},
    {"parameters", HOL_FIELD_OWN, .form = "part parameters",
     .help = "values of parameters of the file, in place of those that it gives itself"},
    {0},
};

// ---- bodies -------------------------------------------------------------------------------

static const HolWord body_types[] = {
    {"rigid", HOL_RIGID, "rigid body"},
    {"point", HOL_POINT, "point mass"},
    {"coordinate", HOL_COORDINATE, "one scalar coordinate"},
    {"beam", HOL_RIGID, "rod of elements"},
    {"modal", HOL_RIGID, "elastic part by its modes"},
    {0},
};

static const HolWord exact_words[] = {
    {"position", HOL_EXACT_POSITION, NULL}, {"angle", HOL_EXACT_ANGLE, NULL},
    {"orientation", HOL_EXACT_ANGLE, NULL}, {"velocity", HOL_EXACT_VELOCITY, NULL},
    {"omega", HOL_EXACT_OMEGA, NULL},       {0},
};

static const HolWord shear_words[] = {
    {"flexible", 0, NULL},
    {"rigid", 1, NULL},
    {0},
};

const HolField hol_body_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolBodyDef, name), .required = 1,
     .help = "used in references and expressions"},
    {"type", HOL_FIELD_CHOICE, AT(HolBodyDef, type), .words = body_types, .fallback = "rigid",
     .help = "what kind of body it is"},
    {"mass", HOL_FIELD_NUMBER, AT(HolBodyDef, mass), .fallback = "1", .unit = "kg",
     .range = HOL_RANGE_NOT_NEGATIVE,
     .help =
         "required for rigid bodies and points; a coordinate's generalized mass is 1 unless given; "
         "of a beam: lumped (default) or consistent"},
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
    {"com", HOL_FIELD_OWN, .form = "com", .unit = "m",
     .help = "centre of mass in body axes; then position, points and shapes count from the body's "
             "origin, which is a point named origin"},
    {"place", HOL_FIELD_OWN, .form = "body place",
     .help =
         "instead of position: {point: P, at: [..]} puts the point P of the body there, {point: P, "
         "at: other.Q} on a point of another body, with that body's axes unless an orientation "
         "is given"},
    {"points", HOL_FIELD_OWN, .form = "points",
     .help = "named points, body axes, from the centre of mass"},
    {"shape", HOL_FIELD_OWN, .form = "shape", .help = "for the viewer only; a default is drawn"},
    {"shapes", HOL_FIELD_OWN, .form = "shapes",
     .help = "solids of which the body consists: with a density they give mass, com and inertia, "
             "where these are not written; the first one is drawn unless there is a shape"},
    {"from", HOL_FIELD_OWN, .form = "end", .unit = "m",
     .help = "start of a beam: coordinates, or a place of another body that it is clamped to"},
    {"to", HOL_FIELD_OWN, .form = "end", .unit = "m", .help = "its end, the same way"},
    {"curve", HOL_FIELD_OWN, .form = "curve",
     .help = "instead of `to`: {arc: {radius: r, angle: a}} or {points: [[..], ..]}, a spline"},
    {"elements", HOL_FIELD_OWN, .form = "elements",
     .help = "number of elements of a beam, or auto: as many as its `accuracy` needs, found by "
             "computing the motion with 2, 4, 8 .. (its places are then named by fractions)"},
    {"accuracy", HOL_FIELD_NUMBER, AT(HolBeamDef, accuracy), .range = HOL_RANGE_POSITIVE,
     .help = "with elements: auto, the error of every output that the elements may cause, in units "
             "of its largest value in the run; default: 1e-4"},
    {"section", HOL_FIELD_OWN, .form = "section", .unit = "m",
     .help = "of a beam: {rectangle: [width, height]}, {circle: radius} or {tube: [outer radius, "
             "inner radius]}; the height is along `up`, in the plane it lies in the plane"},
    {"material", HOL_FIELD_OWN, .form = "material", .help = "of the section"},
    {"stiffness", HOL_FIELD_OWN, .form = "stiffness",
     .help = "instead of section and material: stiffnesses of the section"},
    {"mass_per_length", HOL_FIELD_NUMBER, AT(HolBeamDef, mass_per_length), .unit = "kg/m",
     .range = HOL_RANGE_POSITIVE, .help = "of a beam; default: from section and material"},
    {"rotary", HOL_FIELD_OWN, .form = "rotary", .unit = "kg m",
     .help = "rotary inertia per length, rho I; in space one number for all axes or those about x "
             "(along the rod), y, z; default: from section and material"},
    {"up", HOL_FIELD_VECTOR, AT(HolBeamDef, up), AND(HolBeamDef, has_up),
     .length = HOL_LENGTH_SPACE, .spaces = 2,
     .help = "direction towards which the z axis of a beam's section points; default: z, for a rod "
             "along z: x"},
    {"shear", HOL_FIELD_CHOICE, AT(HolBeamDef, shear_rigid), .words = shear_words,
     .help = "whether a section shears: flexible (default) or rigid; given stiffnesses without GA "
             "are rigid"},
    {"length", HOL_FIELD_NUMBER, AT(HolBeamDef, length), .unit = "m", .range = HOL_RANGE_POSITIVE,
     .help = "length of a beam without forces; default: as written. A longer one starts as an arc "
             "below its ends"},
    {"natural", HOL_FIELD_OWN, .form = "natural", .unit = "rad/m",
     .help = "shape of a beam without forces: as_written (default), straight, or its curvature: a "
             "number, in space [twist, about y, about z]"},
    {"damping", HOL_FIELD_OWN, .form = "body damping",
     .help =
         "of a beam: a map; of a modal body: the damping ratio of all modes, or a list of theirs, "
         "whose last one serves all further ones"},
    {"mass_matrix", HOL_FIELD_OWN, .form = "file", .unit = "kg, kg m, kg m^2",
     .help =
         "of a modal body: Matrix Market file beside the model with the mass matrix of the free "
         "part; unknowns of a node together, displacements before rotations"},
    {"stiffness_matrix", HOL_FIELD_OWN, .form = "file", .unit = "N/m, N, N m",
     .help = "the same of its stiffness"},
    {"members", HOL_FIELD_OWN, .form = "members",
     .help =
         "of a modal body instead of matrices: pairs of `nodes` that straight members join, of one "
         "section; a single rod has `from` and `to`"},
    {"frame", HOL_FIELD_OWN, .form = "frame", .spaces = 1,
     .help =
         "of a modal rod in the plane: mean (default) axes, or tangent at its start; then it only "
         "bends"},
    {"nodes", HOL_FIELD_OWN, .form = "nodes",
     .help = "of a modal body: with members a list of coordinates, else a CSV file with the "
             "columns x, y, z of the nodes, in axes of the part, and, where they "
             "have numbers of their own, node"},
    {"interfaces", HOL_FIELD_OWN, .form = "interfaces",
     .help =
         "places of a modal body to which joints and forces attach, NAME.left for {left: 1}: the "
         "number of a node, or of several that carry it together"},
    {"modes", HOL_FIELD_OWN, .form = "number",
     .help = "of a modal body: number of modes with the interfaces held; the static shapes of the "
             "interfaces are added. Without interfaces: of the free part"},
    {"keep", HOL_FIELD_OWN, .form = "number",
     .help = "number of the lowest modes of the reduced free part that are kept; default: all"},
    {"amplitudes", HOL_FIELD_OWN, .form = "numbers", .unit = "m",
     .help = "of the modes at the start: mean displacements, by mass; default: 0"},
    {"amplitude_rates", HOL_FIELD_OWN, .form = "numbers", .unit = "m/s", .help = "their rates"},
    {0},
};

// ---- beams --------------------------------------------------------------------------------

const HolField hol_material_fields[] = {
    {"E", HOL_FIELD_NUMBER, AT(HolBeamDef, E), .unit = "N/m^2", .range = HOL_RANGE_POSITIVE,
     .required = 1, .help = "Young's modulus"},
    {"nu", HOL_FIELD_NUMBER, AT(HolBeamDef, nu), .range = HOL_RANGE_BETWEEN, .low = -0.99,
     .high = 0.5, .help = "Poisson's ratio; default: 0.3"},
    {"G", HOL_FIELD_NUMBER, AT(HolBeamDef, G), .unit = "N/m^2", .range = HOL_RANGE_POSITIVE,
     .help = "shear modulus; default: E/(2 (1 + nu))"},
    {"rho", HOL_FIELD_NUMBER, AT(HolBeamDef, rho), .unit = "kg/m^3", .range = HOL_RANGE_POSITIVE,
     .help = "density; required unless mass_per_length and rotary are given"},
    {0},
};

#define STIFFNESS(name, unit_, spaces_, help_)                                                     \
    {                                                                                              \
#name, HOL_FIELD_NUMBER, AT(HolBeamDef, name), .unit = unit_, .spaces = spaces_,           \
                                                       .range = HOL_RANGE_POSITIVE, .help = help_  \
    }

const HolField hol_stiffness_fields[] = {
    STIFFNESS(EA, "N", 0, "against stretching"),
    STIFFNESS(GA, "N", 0, "against shear, with the shear factor; without it there is none"),
    STIFFNESS(GAy, "N", 2, "along y, instead of GA"),
    STIFFNESS(GAz, "N", 2, "along z"),
    STIFFNESS(GJ, "N m^2", 2, "against twist"),
    STIFFNESS(EI, "N m^2", 0, "against bending"),
    STIFFNESS(EIy, "N m^2", 2, "about y, instead of EI"),
    STIFFNESS(EIz, "N m^2", 2, "about z"),
    {"matrix", HOL_FIELD_OWN, .form = "matrix", .unit = "N, N m, N m^2",
     .help = "instead: all of the section's stiffness, symmetric, as a list of rows, for strains "
             "(stretch, shear y, shear z, twist, bending y, bending z); in the plane 3 x 3"},
    {0},
};

static const HolWord beam_mass_words[] = {
    {"lumped", 0, "on the nodes, with Gregory's weights; M is constant"},
    {"consistent", 1, "of the cubic field between the nodes; M depends on positions"},
    {0},
};

// keys that mean something else than for other bodies
const HolField hol_beam_fields[] = {
    {"mass", HOL_FIELD_CHOICE, AT(HolBeamDef, consistent), .words = beam_mass_words,
     .fallback = "lumped", .help = "how the mass of the rod acts on its nodes"},
    {0},
};

const HolField hol_beam_damping_fields[] = {
    {"time", HOL_FIELD_NUMBER, AT(HolBeamDef, damping_time), .unit = "s",
     .range = HOL_RANGE_NOT_NEGATIVE,
     .help = "viscous stresses are this time times the rate of the elastic ones: ratio time "
             "omega/2 at the frequency omega"},
    {"mass", HOL_FIELD_NUMBER, AT(HolBeamDef, damping_mass), .unit = "1/s",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "forces -mass m v on the nodes"},
    {0},
};

const HolField hol_arc_fields[] = {
    {"radius", HOL_FIELD_NUMBER, AT(HolBeamDef, radius), .unit = "m", .range = HOL_RANGE_POSITIVE,
     .required = 1, .help = "of the arc"},
    {"angle", HOL_FIELD_NUMBER, AT(HolBeamDef, angle), .unit = "rad", .range = HOL_RANGE_NOT_ZERO,
     .required = 1, .help = "by which it turns: about `up`, in the plane counter-clockwise"},
    {"direction", HOL_FIELD_VECTOR, AT(HolBeamDef, direction), .length = HOL_LENGTH_SPACE,
     .help = "of the rod at its start; default: x"},
    {0},
};

// ---- kinds of bodies ----------------------------------------------------------------------

static const char *const rigid_keys[] = {
    "mass",  "inertia", "position", "angle", "orientation", "velocity", "omega", "omega_body",
    "exact", "points",  "shape",    "com",   "place",       "shapes",   NULL};
static const char *const point_keys[] = {"mass",   "position", "velocity", "exact",
                                         "points", "shape",    NULL};
static const char *const coordinate_keys[] = {"mass", "position", "velocity", "exact", NULL};

static const char *const beam_keys[] = {
    "from",     "to",        "curve",           "elements", "accuracy", "section",
    "material", "stiffness", "mass_per_length", "rotary",   "up",       "shear",
    "length",   "natural",   "damping",         "velocity", "omega",    "exact",
    "mass",     NULL};

// clang-format off
static const char *const modal_keys[] = {
    "mass_matrix", "stiffness_matrix", "nodes", "interfaces", "modes", "keep", "damping", "position", "angle",
    "orientation", "velocity", "omega", "omega_body", "exact", "amplitudes", "from", "to", "elements", "members",
    "frame", "section", "material", "stiffness", "rotary", "mass_per_length", "up", "shear", "amplitude_rates", NULL};
// clang-format on

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
static const HolKind beam_kind = {
    .name = "beam",
    .spaces = HOL_EVERYWHERE,
    .fields = beam_keys,
    .own = hol_beam_fields,
    .body = HOL_RIGID,
    .help =
        "rod that bends, stretches and twists: nodes NAME.node0 .. NAME.nodeN (also NAME.start, "
        "NAME.end), which are rigid bodies, and elements between them",
};
static const HolKind modal_kind = {
    .name = "modal",
    .spaces = HOL_EVERYWHERE,
    .fields = modal_keys,
    .body = HOL_RIGID,
    .help =
        "elastic part by its modes, from mass and stiffness matrices: a floating frame NAME in "
        "mean axes, at the centre of mass, modes NAME.mode1 .., which are scalar coordinates, and "
        "interfaces NAME.INTERFACE, which are bodies without mass",
};
const HolKind *const hol_body_kinds[] = {&rigid_kind, &point_kind, &coordinate_kind,
                                         &beam_kind,  &modal_kind, NULL};

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

static const HolWord solid_words[] = {
    {"box", HOL_SOLID_BOX, NULL},
    {"cylinder", HOL_SOLID_CYLINDER, NULL},
    {"sphere", HOL_SOLID_SPHERE, NULL},
    {0},
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
    {"file", HOL_FIELD_TEXT, AT(HolShapeDef, file), .names = HOL_NAMES_FILE, .help = "of a mesh"},
    {0},
};

const HolField hol_solid_fields[] = {
    {"type", HOL_FIELD_CHOICE, AT(HolSolidDef, type), .words = solid_words, .required = 1,
     .help = "what it is"},
    {"at", HOL_FIELD_OWN, AT(HolSolidDef, at), .form = "place", .unit = "m", .fallback = "0",
     .help = "its centre, body axes: a point's name or coordinates"},
    {"orientation", HOL_FIELD_OWN, .form = "orientation", .spaces = 2,
     .help = "of a box, from its own axes to body axes; default: parallel"},
    {"angle", HOL_FIELD_NUMBER, AT(HolSolidDef, angle), .fallback = "0", .unit = "rad", .spaces = 1,
     .help = "of a box, in the plane"},
    {"size", HOL_FIELD_VECTOR, AT(HolSolidDef, size), .length = HOL_LENGTH_SIZE, .unit = "m",
     .help = "edges of a box; two in the plane: 1 m thick"},
    {"from", HOL_FIELD_OWN, AT(HolSolidDef, from), .form = "place", .unit = "m",
     .help = "of a cylinder: centre of the first end, a point's name or coordinates"},
    {"to", HOL_FIELD_OWN, AT(HolSolidDef, to), .form = "place", .unit = "m",
     .help = "of a cylinder: centre of the second end"},
    {"radius", HOL_FIELD_NUMBER, AT(HolSolidDef, radius), .unit = "m", .range = HOL_RANGE_POSITIVE,
     .help = "of a cylinder or sphere"},
    {"inner_radius", HOL_FIELD_NUMBER, AT(HolSolidDef, inner_radius), .unit = "m", .fallback = "0",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "of a hollow cylinder or sphere"},
    {"density", HOL_FIELD_NUMBER, AT(HolSolidDef, density), .unit = "kg/m^3",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "without it the solid has no mass and is drawn only"},
    {"color", HOL_FIELD_TEXT, AT(HolSolidDef, color), .help = "\"#rrggbb\""},
    {0},
};

const HolField hol_ref_fields[] = {
    {"body", HOL_FIELD_TEXT, AT(HolRef, body), .required = 1, .names = HOL_NAMES_THING,
     .help = "a body's name, or ground"},
    {"point", HOL_FIELD_TEXT, AT(HolRef, point), .help = "a point of that body"},
    {"at", HOL_FIELD_VECTOR, AT(HolRef, at), AND(HolRef, has_at), .length = HOL_LENGTH_SPACE,
     .unit = "m", .help = "or coordinates in that body's axes; default: its centre of mass"},
    {"axis", HOL_FIELD_VECTOR, AT(HolRef, axis), AND(HolRef, has_axis), .length = HOL_LENGTH_SPACE,
     .help = "direction in that body's axes, where the joint needs one"},
    {"x", HOL_FIELD_VECTOR, AT(HolRef, x), AND(HolRef, has_x), .length = HOL_LENGTH_SPACE,
     .help = "direction in that body's axes from which angles count; default: see Joints"},
    {0},
};

// ---- friction, stops, events ------------------------------------------------------------------

static const HolWord law_words[] = {
    {"coulomb", HOL_FRICTION_COULOMB, "sticks and slips"},
    {"smooth", HOL_FRICTION_SMOOTH, "always slips a little"},
    {"lugre", HOL_FRICTION_LUGRE, "bristles that bend"},
    {0},
};

const HolField hol_friction_fields[] = {
    {"mu", HOL_FIELD_NUMBER, AT(HolFrictionDef, mu), .fallback = "0",
     .range = HOL_RANGE_NOT_NEGATIVE,
     .help = "kinetic friction, times the load from the reactions"},
    {"mu_static", HOL_FIELD_NUMBER, AT(HolFrictionDef, mu_static), .range = HOL_RANGE_NOT_NEGATIVE,
     .help = "static friction; default: mu"},
    {"radius", HOL_FIELD_NUMBER, AT(HolFrictionDef, radius), .unit = "m",
     .range = HOL_RANGE_POSITIVE, .help = "of the pin; needed by joints that turn when mu > 0"},
    {"length", HOL_FIELD_NUMBER, AT(HolFrictionDef, length), .unit = "m",
     .range = HOL_RANGE_POSITIVE,
     .help = "of the guide or bearing; without it moments do not load the joint"},
    {"stribeck", HOL_FIELD_NUMBER, AT(HolFrictionDef, stribeck), .unit = "m/s",
     .range = HOL_RANGE_POSITIVE,
     .help = "sliding speed over which mu_static falls to mu; default: at once"},
    {"speed", HOL_FIELD_NUMBER, AT(HolFrictionDef, speed), .unit = "m/s",
     .range = HOL_RANGE_POSITIVE, .help = "law smooth: below this sliding speed it gives way"},
    {"viscous", HOL_FIELD_NUMBER, AT(HolFrictionDef, viscous), .fallback = "0",
     .unit = "N s/m, N m s/rad", .range = HOL_RANGE_NOT_NEGATIVE,
     .help = "damping of the joint's coordinate"},
    {"preload", HOL_FIELD_NUMBER, AT(HolFrictionDef, preload), .fallback = "0", .unit = "N",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "added to the load"},
    {"constant", HOL_FIELD_NUMBER, AT(HolFrictionDef, constant), .fallback = "0", .unit = "N, N m",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "friction that does not depend on reactions"},
    {"law", HOL_FIELD_CHOICE, AT(HolFrictionDef, law), .words = law_words, .fallback = "coulomb",
     .help = "coulomb truly sticks"},
    {"sigma0", HOL_FIELD_NUMBER, AT(HolFrictionDef, sigma0), .unit = "N/m, N m/rad",
     .range = HOL_RANGE_POSITIVE, .help = "law lugre: stiffness of the bristles"},
    {"sigma1", HOL_FIELD_NUMBER, AT(HolFrictionDef, sigma1), .unit = "N s/m, N m s/rad",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "law lugre: their damping"},
    {0},
};

const HolField hol_limits_fields[] = {
    {"min", HOL_FIELD_NUMBER, AT(HolLimitsDef, min), .unit = "rad, m",
     .help = "smallest value of the joint's coordinate"},
    {"max", HOL_FIELD_NUMBER, AT(HolLimitsDef, max), .unit = "rad, m", .help = "largest value"},
    {"restitution", HOL_FIELD_NUMBER, AT(HolLimitsDef, restitution), .fallback = "0",
     .range = HOL_RANGE_BETWEEN, .low = 0, .high = 1, .takes = "0 to 1",
     .help = "rigid stop: speed after over speed before"},
    {"stiffness", HOL_FIELD_NUMBER, AT(HolLimitsDef, stiffness), .unit = "N/m, N m/rad",
     .range = HOL_RANGE_POSITIVE, .help = "compliant stop; default: rigid"},
    {"damping", HOL_FIELD_NUMBER, AT(HolLimitsDef, damping), .unit = "N s/m, N m s/rad",
     .range = HOL_RANGE_NOT_NEGATIVE, .help = "of a compliant stop"},
    {0},
};

static const HolWord direction_words[] = {
    {"both", 0, "every zero"},
    {"rising", 1, "from below zero to above"},
    {"falling", -1, "from above zero to below"},
    {0},
};

const HolField hol_event_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolEventDef, name), .help = "default: event1, event2, ..."},
    {"when", HOL_FIELD_EXPRESSION, AT(HolEventDef, when),
     .help = "the event is where it is zero, not at the start; where a condition begins, ends"},
    {"every", HOL_FIELD_NUMBER, AT(HolEventDef, every), .unit = "s", .range = HOL_RANGE_POSITIVE,
     .help = "instead of when: at the start and again after each such time"},
    {"direction", HOL_FIELD_CHOICE, AT(HolEventDef, direction), .words = direction_words,
     .fallback = "both", .help = "which zeros count"},
    {"stop", HOL_FIELD_SWITCH, AT(HolEventDef, stop), .fallback = "false",
     .help = "the run ends there"},
    {"record", HOL_FIELD_OWN, .form = "record", .fallback = "true",
     .help = "a line in the table of events, which every event has"},
    {"count", HOL_FIELD_LONG, AT(HolEventDef, count), .range = HOL_RANGE_POSITIVE,
     .help = "it happens so often at most; default: always"},
    {"set", HOL_FIELD_OWN, .form = "set",
     .help = "discrete values and inputs that change, with their expressions"},
    {"reset", HOL_FIELD_OWN, .form = "set",
     .help = "velocities that jump (rod.omega, O.rate), with their expressions; the others follow "
             "the joints"},
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
     .help = "of the rolling disc, of the pinion, of the roller of a cam"},
    {"radii", HOL_FIELD_VECTOR, AT(HolJointDef, radii), .length = HOL_LENGTH_TWO, .unit = "m",
     .help = "of the pulleys on the first and the second joint"},
    {"crossed", HOL_FIELD_SWITCH, AT(HolJointDef, crossed), .fallback = "false",
     .help = "true: the belt crosses itself, and the pulleys turn against each other"},
    {"over", HOL_FIELD_OWN, .form = "over",
     .help = "the places that the cable runs over, from end to end"},
    {"curve", HOL_FIELD_TEXT, AT(HolJointDef, curve), .names = HOL_NAMES_THING,
     .help = "the curve, in axes of the first body from its place on"},
    {"cross_angle", HOL_FIELD_NUMBER, AT(HolJointDef, cross_angle), .unit = "rad",
     .fallback = "1.5707963267948966", .help = "angle between the two axes"},
    {"pitch", HOL_FIELD_NUMBER, AT(HolJointDef, pitch), .unit = "m/rad",
     .help = "displacement per radian"},
    {"ratio", HOL_FIELD_NUMBER, AT(HolJointDef, ratio), .fallback = "1",
     .range = HOL_RANGE_NOT_ZERO,
     .help = "coordinate of the second joint = ratio * coordinate of the first"},
    {"angle", HOL_FIELD_NUMBER, AT(HolJointDef, start_angle), .unit = "rad",
     .help = "of the joint at the start; assembly keeps it"},
    {"rate", HOL_FIELD_NUMBER, AT(HolJointDef, start_rate), .unit = "rad/s",
     .help = "rate of the angle at the start; assembly keeps it"},
    {"displacement", HOL_FIELD_NUMBER, AT(HolJointDef, start_displacement), .unit = "m",
     .help = "of the joint at the start; assembly keeps it"},
    {"speed", HOL_FIELD_NUMBER, AT(HolJointDef, start_speed), .unit = "m/s",
     .help = "rate of the displacement at the start; assembly keeps it"},
    {"joints", HOL_FIELD_OWN, .form = "joints pair",
     .help = "the two joints that a gear or a rack_pinion couples"},
    {"friction", HOL_FIELD_OWN, .form = "friction",
     .help = "dry friction from the joint's own reactions"},
    {"limits", HOL_FIELD_OWN, .form = "limits", .help = "stops of its coordinate"},
    {0},
};

static const HolWord frame_words[] = {
    {"global", HOL_FRAME_GLOBAL, NULL}, {"body", HOL_FRAME_BODY, NULL}, {0}};

const HolField hol_force_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolForceDef, name), .help = "default: force1, force2, ..."},
    {"type", HOL_FIELD_KIND, AT(HolForceDef, type), .required = 1, .help = "kind of force"},
    {"acts_on", HOL_FIELD_OWN, .form = "on",
     .help = "the place it acts on; expression: a coordinate (q1, rod.x, rod.angle)"},
    {"on", HOL_FIELD_OWN, .form = "on",
     .help = "the same; YAML 1.1 tools read this key as `true`, so that acts_on is preferred"},
    {"between", HOL_FIELD_OWN, .form = "between", .help = "the two places it acts between"},
    {"joint", HOL_FIELD_TEXT, AT(HolForceDef, joint), .names = HOL_NAMES_THING,
     .help = "instead of between: about this joint"},
    {"value", HOL_FIELD_EXPRESSIONS, AT(HolForceDef, value), AND(HolForceDef, n_value),
     .length = HOL_LENGTH_ONE_OR_SPACE, .unit = "N, N m",
     .help = "force: one expression per axis; torque: one, in space three; expression: one"},
    {"per_length", HOL_FIELD_EXPRESSIONS, AT(HolForceDef, value), AND(HolForceDef, n_value),
     .length = HOL_LENGTH_ONE_OR_SPACE, .unit = "N/m",
     .help = "of a load: one expression per axis; with frame: body in axes of the nodes"},
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
    {"joint", HOL_FIELD_TEXT, AT(HolMotionDef, joint), .required = 1, .names = HOL_NAMES_THING,
     .help = "the joint that is driven"},
    {"value", HOL_FIELD_EXPRESSION, AT(HolMotionDef, value), .unit = "rad, m",
     .help = "its free coordinate (angle or displacement) as a function of time; this or speed"},
    {"speed", HOL_FIELD_EXPRESSION, AT(HolMotionDef, speed), .unit = "rad/s, m/s",
     .help = "its rate instead, a function of time, coordinates, inputs: it moves from where it "
             "starts"},
    {0},
};

const HolField hol_constraint_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolConstraintDef, name),
     .help = "default: constraint1, constraint2, ..."},
    {"equation", HOL_FIELD_EXPRESSION, AT(HolConstraintDef, equation),
     .help = "smooth expression of coordinates and time that is kept at zero; this or velocity"},
    {"velocity", HOL_FIELD_EXPRESSION, AT(HolConstraintDef, velocity),
     .help = "the same of velocities, in which it is linear: non-holonomic"},
    {0},
};

const HolField hol_state_fields[] = {
    {"name", HOL_FIELD_NAME, AT(HolStateDef, name), .required = 1,
     .help = "used in expressions, a column of results"},
    {"rate", HOL_FIELD_EXPRESSION, AT(HolStateDef, rate), .required = 1,
     .help = "its derivative by time: an expression of coordinates, velocities, states, reactions, "
             "time"},
    {"initial", HOL_FIELD_NUMBER, AT(HolStateDef, initial), .fallback = "0",
     .help = "its value at the start"},
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
static const HolWord painleve_words[] = {
    {"stop", 0, "the run ends"}, {"jam", 0, "an impulse ends the sliding"}, {0}};
static const HolWord impact_words[] = {
    {"sequence", 0, "one after the other, the fastest first"}, {"together", 0, "all at once"}, {0}};

static const HolWord start_words[] = {{"initial", 0, NULL}, {"equilibrium", 1, NULL}, {0}};

const HolField hol_simulation_fields[] = {
    {"start", HOL_FIELD_NUMBER, AT(HolSimOptions, start), .fallback = "0", .unit = "s",
     .help = "time of the initial values"},
    {"end", HOL_FIELD_NUMBER, AT(HolSimOptions, end), .fallback = "1", .unit = "s",
     .help = "time to run to"},
    {"rest_speed", HOL_FIELD_NUMBER, AT(HolSimOptions, rest_speed), .unit = "m/s, rad/s",
     .range = HOL_RANGE_NOT_NEGATIVE,
     .help = "a rebound from a rigid stop or contact below this speed is none; default: from the "
             "tolerance"},
    {"impact", HOL_FIELD_WORD, CHARS(HolSimOptions, impact), .words = impact_words,
     .fallback = "sequence", .help = "impacts of several contacts at one time"},
    {"painleve", HOL_FIELD_WORD, CHARS(HolSimOptions, painleve), .words = painleve_words,
     .fallback = "stop", .help = "where a rigid contact has too much friction to slide"},
    {"max_events", HOL_FIELD_LONG, AT(HolSimOptions, max_events), .fallback = "100000",
     .range = HOL_RANGE_POSITIVE, .help = "the run fails beyond"},
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
