// SPDX-License-Identifier: Apache-2.0
// The model from inside: what was added (bodies, joints, forces ...) and what compile made of it
// (rows, constraints, force elements, slots, sparsity). Read-only once compiled.
//
// Walk: model.c copies definitions; compile.c resolves names and calls the kinds (joint.c,
// force.c), which add rows, constraints and elements; evaluate.c, derivative.c, series.c evaluate;
// measure.c reports.
#ifndef HOL_MODEL_MODEL_H
#define HOL_MODEL_MODEL_H

#include "base/arena.h"
#include "base/error.h"
#include "base/name_table.h"
#include "holonom/holonom.h"
#include "model/body/body.h"
#include "model/expr/expr.h"
#include "model/force/beam_tables.h"
#include "model/kind.h"
#include "model/mass/mass.h"
#include "model/modal/modal_tables.h"
#include "model/mode/tables.h"
#include "model/row/row.h"
#include "problem/nonsmooth.h"
#include "problem/problem_extras.h"

#include <stdint.h>

typedef struct HolBody {
    HolBodyDef def;           // strings and points copied into the arena
    int q, v, nq, nv;         // offsets and sizes in q and v
    double J[9];              // inertia, full symmetric (space)
    int diagonal;             // J is diagonal
    int hidden;               // 1: made by compile, no part of the mechanism; these stand last
    double span;              // > 0: it is the parameter of a curve, which runs over so much
    HolNameTable point_names; // where it has many points; else empty
} HolBody;

typedef struct HolAttach { // a resolved HolRef
    int body;
    double at[3], axis[3], x[3];
    int has_axis, has_x;
    int turned; // the ground of a part: its x and y axes are these, not (1, 0, 0) and (0, 1, 0)
    double base[2][3];
} HolAttach;

typedef struct HolJoint {
    HolJointDef def;
    const HolKind *kind;
    HolAttach a, b;
    int equations[8], n_equations; // its constraints
    int coordinate, coordinate2;   // rows of the free coordinates: angle / displacement, -1: none
    int coordinate_is_angle;       // of `coordinate`; coordinate2 is then the displacement of a
                                   // cylindrical joint
    int coupled[2];                // kinds that couple joints: rows of the two coordinates
    int turns[5];                  // 1 + rows of further coordinates once they are used, see kind.h
} HolJoint;

// the rows of a joint's free angle and displacement, -1: none
static inline int hol_joint_angle(const HolJoint *j) {
    return j->coordinate_is_angle ? j->coordinate : -1;
}
static inline int hol_joint_displacement(const HolJoint *j) {
    return j->coordinate_is_angle ? j->coordinate2 : j->coordinate;
}

typedef struct HolForce {
    HolForceDef def;
    const HolKind *kind;
    HolAttach on, a, b;
    int joint;
    int row;      // its own length or angle, -1: none
    int declared; // 1: what it acts on is known
    int first_element, n_elements;
} HolForce;

typedef struct HolMotion {
    HolMotionDef def;
    int joint, constraint;
} HolMotion;
typedef struct HolConstraint {
    HolConstraintDef def;
    int constraint;
} HolConstraint;

typedef struct HolFirstOrder { // a first-order state: the velocity of a hidden coordinate of mass 1
    HolStateDef def;
    int body, row;
} HolFirstOrder;

typedef struct HolVariable {
    HolVariableDef def;
    HolExpr *expr;
    int implicit; // index among w, or -1: inlined where used
    int state;    // 0 unseen, 1 being compiled (cycle), 2 done
} HolVariable;

// the switching functions of one expression, see switching.c
typedef struct HolSwitchGroup {
    const HolExpr *expr;
    const char *owner;
    int n, n_time;        // all, those of time alone
    unsigned char *kind;  // n
    unsigned char *nodes; // of the expression: 1 depends on time alone
    int law, curve;       // number of the time law; row along a curve whose expression it is; or -1
} HolSwitchGroup;

typedef struct HolTerm {
    int row;
    double coef;
} HolTerm;

// a velocity constraint by an expression, sum c_i rate_i + rest = 0 (problem/velocity_law.c)
typedef struct HolFactor {
    int row, slot; // whose rate
    const HolExpr *c;
    int a, b; // index of its bodies in the equation's `bodies` (-1: ground)
} HolFactor;
typedef struct HolVelocityLaw {
    const HolExpr *whole, *rest;
    HolFactor *factors;
    int n;
} HolVelocityLaw;

// one scalar constraint: sum coef_i row_i - expr(slots) - constant = 0
typedef struct HolEquation {
    int first_term, n_terms;
    const HolExpr *expr;     // NULL: none
    const HolExpr **partial; // its derivatives by each slot (NULL for time), for series of G
    double constant;
    int holonomic;
    int g_start;          // first entry of its row in the values of G
    int n_bodies;         // bodies it touches
    int *bodies;          // ascending by v offset
    int (*pos)[6];        // position (from g_start) of each velocity entry of each body, -1: none
    int *term_a, *term_b; // for each term: index of its bodies in `bodies` (-1: ground)
    int *slot_a, *slot_b; // the same for each slot of expr (-1 also for time)
    const char *owner;    // joint, motion or constraint name
    int joint;            // or -1
    const HolVelocityLaw *law; // NULL: none
    // >= 0: it may be open, number of its mode (contact/modes.c). Closed: its terms but the last, less
    // a constant of the run. Open: its last term, a hidden coordinate, is zero
    int mode;
} HolEquation;

// the expression of an equation: of positions, or of a velocity law; NULL: none
static inline const HolExpr *hol_equation_expr(const HolEquation *e) {
    return e->law ? e->law->whole : e->expr;
}

// Where a body's coordinates begin and what they are: small, for walks over all bodies.
typedef struct HolPlace {
    int q, v;
    unsigned char nv;
    unsigned char type;          // HolBodyType
    unsigned char placed, turns; // of its kind (body/body.h)
} HolPlace;

// A linear torsion spring of the plane, see planar_springs.c.
typedef struct HolSpring {
    double k, s0, c;
    int body[2], turn[2]; // a, b; their angles among the velocities, -1: ground
} HolSpring;

// An equation of one point row in the plane, see planar_pins.c.
typedef struct HolPointRow {
    double u[2], s[2][2], constant; // direction times coefficient; points of a, b
    int body[2], equation, start;   // start: its first entry in G
    int turn[2];                    // rotations of a, b among the velocities, -1: none
    signed char at[2][3];           // its entries from there, -1: none
} HolPointRow;

// The two rows of a pin, along x and y; what pins that are alike have in common.
typedef struct HolPinShape {
    double s[2][2], constant[2];
    signed char at[2][2][2]; // by row and side: places of translation and rotation, -1: none
} HolPinShape;

typedef struct HolPin {
    int body[2], equation, start[2];
    int shape;
} HolPin;

// An equation of two points or two axes in space, see spatial_rows.c; what those of joints that are
// alike have in common.
typedef struct HolSpaceShape {
    double u[3], s[2][3]; // direction; points or axes of a, b
    double constant;
    signed char at[2][6]; // its entries of G from the first one on, -1: none
    signed char axes;     // 1: axes, and u holds the coefficient
    signed char unused[3];
} HolSpaceShape;

typedef struct HolSpaceRow {
    int body[2], equation, start; // start: its first entry in G
    int shape;
} HolSpaceRow;

// Large mechanisms are walked in two parts, which threads may share. Joints are divided so that no
// body is touched by those of both parts; joints between the parts come after.
enum { HOL_JET_PARTS = 2, HOL_JET_SHARE = 250 }; // parts, and the groups of bodies from which on

// generalized force: E(t,q,v,w) along a row: f += E beta, E = -k (sigma - s0) - c sigma' + expr
// with the value sigma of the same row, or, as an entry of a symmetric matrix, of another one
typedef struct HolElement {
    int row, other;      // other: of sigma
    double k, s0, r0;    // linear conservative part (potential k/2 (sigma-s0) (rho-r0), rho the
                         // value of `row`)
    double c;            // linear damping
    const HolExpr *expr; // the rest, or NULL; none where other is another row
    int force;           // owner; -1 - i: the rate of state i; HOL_FRICTION_ELEMENT ..: `owner`
    const char *owner;   // the joint or contact whose friction it is, or NULL
    int friction;        // 1: its power is heat
} HolElement;

// HolElement.force of what is no force of the user: friction, which makes heat; compliant contact, stop
enum { HOL_STOP_ELEMENT = -1000000002, HOL_CONTACT_ELEMENT, HOL_FRICTION_ELEMENT };

typedef enum {
    HOL_SLOT_TIME,
    HOL_SLOT_VALUE,
    HOL_SLOT_RATE,
    HOL_SLOT_ACCELERATION,
    HOL_SLOT_REACTION,
    HOL_SLOT_MULTIPLIER,
    HOL_SLOT_VARIABLE,
    HOL_SLOT_GIVEN // constant between events and calls: discrete values, inputs
} HolSlotType;

typedef struct HolSlot {
    HolSlotType type;
    int row;         // value, rate, acceleration
    int joint, axis; // reaction force on the second body, global axis
    int index;       // multiplier: equation; variable: index in w; given: index
} HolSlot;

typedef enum {
    HOL_COLUMN_TIME,
    HOL_COLUMN_STATE,
    HOL_COLUMN_REACTION,
    HOL_COLUMN_EFFORT,
    HOL_COLUMN_ENERGY,
    HOL_COLUMN_RESIDUAL,
    HOL_COLUMN_EXPR,
    HOL_COLUMN_STEP,
    HOL_COLUMN_MODE,
    HOL_COLUMN_LOAD, // of a bushing
    HOL_COLUMN_NODE, // of a beam
    HOL_COLUMN_BEAM
} HolColumnType;

typedef struct HolColumnInfo {
    const char *name, *unit;
    HolColumnType type;
    int index;                          // body / joint / equation / force / beam
    int node;                           // deflection of a beam: where
    const struct HolQuantity *quantity; // NULL: an expression
    const HolExpr *expr;
} HolColumnInfo;

// What was added. bodies[0] is the ground.
typedef struct HolDefinitions {
    HolBody *bodies;
    int n_bodies, cap_bodies;
    int n_hidden; // of these, the last ones
    HolJoint *joints;
    int n_joints, cap_joints;
    HolForce *forces;
    int n_forces, cap_forces;
    HolMotion *motions;
    int n_motions, cap_motions;
    HolConstraint *constraints;
    int n_constraints, cap_constraints;
    HolFirstOrder *states;
    int n_states, cap_states;
    HolVariable *variables;
    int n_variables, cap_variables;
    struct HolNamed {
        const char *name;
        double value;
    } * parameters;
    int n_parameters, cap_parameters;
    HolGiven *given;
    int n_given, cap_given;
    HolExprTable *tables;
    int n_tables, cap_tables;
    const char **tunable;             // inputs that the file calls parameters
    const HolFunctionDef **functions; // of the program
    int n_tunable, cap_tunable, n_functions, cap_functions;
    struct HolCurve *curves; // curve/curve.h
    int n_curves, cap_curves;
    HolRemark *remarks;
    int n_remarks, cap_remarks;
    struct HolOutput {
        const char *text;
        int line, column;
    } * outputs;
    int n_outputs, cap_outputs;
    const HolSyntax **syntaxes; // every text of an expression, parsed once
    int n_syntaxes, cap_syntaxes;
    HolNames names; // numbers by names
} HolDefinitions;

// The equations that compile made of them.
typedef struct HolSystem {
    HolRow *rows;
    int n_rows, cap_rows;
    HolTerm *terms;
    int n_terms, cap_terms;
    HolEquation *equations; // holonomic first after compile
    int n_equations, cap_equations;
    HolElement *elements;
    int n_elements, cap_elements;
    HolSlot *slots; // slot 0 is time
    int n_slots, cap_slots;
    HolSlotIndex index;                // of slots and the rows that they use (resolve.c)
    int n_memory;                      // unwrapping memories
    const int *memory_rows;            // n_memory: a row of each
    int n_active_slots, n_active_rows; // used by the equations; the rest serves outputs only
    int max_slots;                     // largest number of slots of one expression
    int n_modes;                       // equations that may be open
    int nw;
    const HolVariable **implicit;         // nw
    struct HolSwitchGroup *switch_groups; // switching functions by expressions
    int n_switch_groups, n_event_groups;  // those of events stand last
    HolTimeSwitch *time_switches;
    HolTimeLaw *time_laws;
    int *states; // velocity of each state
    int n_laws;  // equations with a law
    int has_power;
    int apart;           // no two equations share a row or an expression's memory
    int *timed, n_timed; // equations that depend on time
    const int *turns;    // elements along rotation vectors, one a bushing
    int n_turns;
    const HolExpr **looked_up;  // expressions that use tables and nothing implicit, see ranges.c
    int n_looked_up, n_lookups; // and how often they do
    double *mass;               // values of M
    double *weight;             // mass of each body that has a place
    HolPlace *places;           // what a walk over positions or velocities needs of the bodies
    // places in the values of S: of what derivative.c adds, in the order in which it walks
    // (elements from tangent_elements on), and of each body, from body_first on: its diagonal, in
    // space then its rotations by columns
    int *tangent_to, tangent_elements;
    int *body_to, *body_first;
    size_t expr_work;   // largest work of any expression
    long jet_series;    // series of all active rows
    int *lambda_series; // per equation: its place among the series of lambda, -1: in a batch
    int n_lambda_series;
} HolSystem;

// The same rows and bodies four at a time (model/batch).
typedef struct HolBatches {
    struct HolBatchList *lists; // see batch/batch.h, as `bodies`
    int n_lists, n_equations;   // equations that are in lists
    int blocks;                 // in how many blocks all lists are walked side by side
    long series;                // lane series of all chunks
    struct HolBodyLanes *bodies;
    int n_groups; // groups of four bodies
    int parts;    // 1, or HOL_JET_PARTS
    // first group of bodies, first equation of each part of the passes over these
    int group_part[HOL_JET_PARTS + 1], equation_part[HOL_JET_PARTS + 1];
    HolPointRow *points; // equations of planar_pins.c, and all others
    int n_points, *general, n_general;
    HolPin *pins; // pairs of those points; single: points that belong to none
    int n_pins, *single, n_single;
    HolPinShape *pin_shapes;
    int n_pin_shapes;
    HolSpaceRow *space_rows; // those of `general` that spatial_rows.c takes, and the others
    int n_space_rows, *other, n_other;
    HolSpaceShape *space_shapes;
    int n_space_shapes;
    HolSpring *springs; // elements of planar_springs.c, and all others
    int n_springs, *loads, n_loads;
} HolBatches;

// The model as a tree of bodies (model/tree).
typedef struct HolTreeTables {
    const struct HolTreeLink *links;   // a body each, when the model is a tree; NULL: it is not
    const struct HolTreeShape *shapes; // the same for series of hinges; NULL: there are none
    const struct HolTreeLaw *laws;     // expressions on these hinges
    const struct HolTreeKind *kinds;
    const struct HolTreeSpring *springs; // by links
    const struct HolTreeForm *form;      // in space or in the plane
    int n_slots;                         // what parents keep for their children, see HolTreeShape
    int n_laws;
    const int *of_memory; // the link of each unwrapped angle, -1: none
    const int *of_row;    // the link whose hinge has this row as its angle, -1: none
} HolTreeTables;

// The columns of results: all default ones, then custom ones; `selected` are the results.
typedef struct HolOutputs {
    HolColumnInfo *columns;
    int n_columns, cap_columns, n_default;
    int n_known; // default ones and the same of the ends of beams by their other names
    int *selected, n_selected;
    HolNameTable names; // of known ones, where `outputs:` asks for many
} HolOutputs;

// A file that the model's own names and that its motion depends on: a result tells it, so that its
// run can be repeated without it.
typedef struct HolSourceFile {
    const char *path; // as the model writes it
    const char *text; // NULL: more than HOL_SOURCE_BYTES
    size_t length;    // of the text
    const char *sha256;
} HolSourceFile;

enum { HOL_SOURCE_BYTES = 1 << 20 };

// Lines of further model files (parts, includes) count on behind those of the model file, so that a
// line alone tells its file.
typedef struct HolSourceLines {
    const char *file; // for messages
    int before;       // lines of the files before it
    int count;
} HolSourceLines;

struct HolModel {
    HolArena arena;
    const char *name, *file, *source;
    const char *folder; // its files are read from here and below; NULL: beside `file`
    HolSourceFile *files;
    int n_files, cap_files;
    HolSourceLines *lines; // of files behind the model file
    int n_lines, cap_lines;
    const HolSetting *settings; // that changed the text when it was read
    int n_settings;
    HolSpace space;
    double gravity[3];
    const double *start_q, *start_v; // where it starts, in place of its bodies' values; or NULL
    int frozen;                      // compiled
    const char **failures;           // what could not be added, and why; then compiling fails
    int n_failures, cap_failures;
    int symbol_depth; // of quantities that are expressions themselves (force/load.c)
    const struct HolCurveUse *own_curve; // of the joint that is being built (curve/curve.h)
    const HolForce *own_force;           // whose law is being compiled: it may use its own length
    HolDefinitions def;
    HolSystem sys;
    HolBeams beams;
    HolModals modals;
    HolMasses masses;
    HolBatches batch;
    HolTreeTables tree;
    HolOutputs out;
    HolContactTables touch;
    HolEventTables ev;
    HolProblem problem;
    HolProblemExtras extras; // of `problem`
};

// an element that is the rate of a state: it has no power
static inline int hol_is_state_rate(const HolElement *e) {
    return e->force < 0 && e->force > HOL_FRICTION_ELEMENT;
}

// ---- model.c: adding what the library itself has made; problems are added to err ----
HolStatus hol_add_parameter(HolModel *m, const char *name, double value, HolError *err);
HolStatus hol_add_table(HolModel *m, const HolTableDef *def, HolError *err);
HolStatus hol_add_curve(HolModel *m, const HolCurveDef *def, HolError *err);
HolStatus hol_add_ground_point(HolModel *m, const HolPointDef *point, HolError *err);
HolStatus hol_add_body(HolModel *m, const HolBodyDef *def, HolError *err);
HolStatus hol_add_joint(HolModel *m, const HolJointDef *def, HolError *err);
HolStatus hol_add_force(HolModel *m, const HolForceDef *def, HolError *err);
HolStatus hol_add_motion(HolModel *m, const HolMotionDef *def, HolError *err);
HolStatus hol_add_constraint(HolModel *m, const HolConstraintDef *def, HolError *err);
HolStatus hol_add_state(HolModel *m, const HolStateDef *def, HolError *err);
HolStatus hol_add_variable(HolModel *m, const HolVariableDef *def, HolError *err);
HolStatus hol_add_output(HolModel *m, const char *expression, int line, int column, HolError *err);
HolStatus hol_add_event(HolModel *m, const HolEventDef *def, HolError *err);
HolStatus hol_add_given(HolModel *m, const HolGiven *def, HolError *err);
int hol_given_new(HolModel *m, double initial);          // one without a name; -1: no memory
int hol_given_find(const HolModel *m, const char *name); // discrete values and inputs; -1: none
int hol_add_hidden(HolModel *m, const char *name); // a hidden coordinate of mass 1; -1: no memory
static inline int hol_visible_bodies(const HolModel *m) { // with the ground
    return m->def.n_bodies - m->def.n_hidden;
}
int hol_state_find(const HolModel *m, const char *name); // -1: none
int hol_states_declare(HolModel *m);                     // their coordinates; 0: no memory
int hol_states_compile(HolModel *m, HolError *err);      // their rates
// whose expression an element has
static inline const char *hol_element_owner(const HolModel *m, const HolElement *e) {
    if (e->owner)
        return e->owner;
    return e->force >= 0 ? m->def.forces[e->force].def.name : m->def.states[-1 - e->force].def.name;
}
void hol_model_failure(HolModel *m, const char *text); // compiling fails from now on, for this
// the name of entry i of its kind that has none: "joint1"
const char *hol_default_name(HolArena *arena, const char *word, int i);
int hol_name_allowed(const char *name);  // expressions can use it, and it is not reserved
int hol_name_reserved(const char *name); // a meaning of its own in expressions and results
HolStatus hol_model_set_source(HolModel *m, const char *file, const char *text, size_t n);
HolStatus hol_model_set_settings(HolModel *m, const HolSetting *settings, int n);
HolStatus hol_model_add_file(HolModel *m, const char *path, const char *text, size_t n);
double *hol_model_keep(HolModel *m, const double *x, int n); // copy into the model's arena
void hol_model_add_remark(HolModel *m, const char *kind, const char *name, int line, int column,
                          const char *format, ...) __attribute__((format(printf, 6, 7)));
// the text of an expression, parsed the first time it is asked for; NULL without memory
const HolSyntax *hol_model_syntax(HolModel *m, const char *text);
int hol_body_find(const HolModel *m, const char *name); // index (0 ground), or -1
int hol_joint_find(const HolModel *m, const char *name);
const HolPointDef *hol_point_find(const HolBody *body, const char *name);
double hol_parameter(const HolModel *m, const char *name, int *found);

// ---- compile.c ----
HolStatus hol_compile(HolModel *m, HolError *err); // err is needed: problems are added to it
// used by the kinds
int hol_add_row(HolModel *m, const HolRow *row); // index or -1 (no memory)
int hol_add_equation(HolModel *m, const char *owner, const HolTerm *terms, int n,
                     const HolExpr *expr, double constant, int holonomic);
int hol_add_element(HolModel *m, int force, int row, double k, double s0, double c,
                    const HolExpr *expr);
// entries (row, other) and (other, row) of a symmetric stiffness k and damping c; their free values
int hol_add_coupling(HolModel *m, int force, const int row[2], const double free[2], double k,
                     double c);
HolExpr *hol_compile_expr(HolModel *m, const char *text, const char *what, int line, int column,
                          HolError *err);
// every expression that is compiled passes here: the scratch of a run has room for it; returns it
HolExpr *hol_compile_room(HolModel *m, HolExpr *e);
HolExpr *hol_compile_negative(HolModel *m, const char *text, const char *what, int line, int column,
                              HolError *err); // of -(text)
double hol_row_initial(const HolModel *m,
                       const HolRow *row); // value in the configuration as written
void hol_initial_frame(const HolModel *m, int body, HolFrame *out);
HolRow hol_row_new(const HolModel *m, const HolRowKind *kind, int a, int b);
// the file of a line, and in *line its number there
const char *hol_model_line(const HolModel *m, int *line);
// the lines of one more file begin behind the line that is returned; -1: no memory, or too many
int hol_model_add_lines(HolModel *m, const char *file, const char *text, size_t n);
void hol_problem_error(const HolModel *m, HolError *err, int line, int column, const char *format,
                       ...) __attribute__((format(printf, 5, 6)));

// ---- attach.c ----
// a reference's body and place, with its axes as unit vectors; 0 when a problem was added
HOL_TOOLS int hol_resolve(const HolModel *m, const HolRef *ref, const char *what, HolAttach *out,
                          HolError *err);
// rotate a direction of one body into axes of another, as written
void hol_carry_axis(const HolModel *m, const HolAttach *from, HolAttach *to);
// the places that a joint joins, or the coordinates that it couples; 0: a problem
int hol_joint_attach(HolModel *m, HolJoint *j, HolError *err);

// ---- arrange.c ----
int hol_equations_arrange(HolModel *m, HolError *err); // index ranges, order, derivatives
int hol_unknowns_gather(HolModel *m);                  // implicit variables, unwrapped angles

// ---- joint_zero.c ----
// where the angle of a row (planar angle2, spatial angle3) between two places is zero; za, zb: the
// axis in either body
void hol_angle_zero(const HolModel *m, const HolAttach *a, const HolAttach *b, const double za[3],
                    const double zb[3], HolRow *row);
int hol_zero_allowed(const HolAttach *a, const double axis[3]); // its x is not along the axis

// ---- resolve.c ----
enum { HOL_OWNER_LENGTH = 256 }; // of what stands before a quantity in a name
int hol_slot(HolModel *m, HolSlotType type, int row, int joint, int axis, int index); // find or add
void hol_scope(HolModel *m, HolExprScope *scope);
int hol_variables_compile(HolModel *m, HolError *err);
const HolExpr *hol_variable_expr(HolModel *m, int i);       // its value, once they are compiled
int hol_uses_implicit(const HolModel *m, const HolExpr *e); // depends on accelerations or reactions
int hol_row_coordinate_of(HolModel *m, const char *name, int *row, char *why,
                          size_t size); // "rod.x", "q1", "rod.angle"

// ---- columns.c ----
int hol_columns_build(HolModel *m, HolError *err);
// the results out of a row of all columns with the expressions of `outputs:`
void hol_select_columns(const HolModel *m, const double *all, double *out);

// ---- batch.c ----
int hol_batches_build(HolModel *m); // 0: no memory

// ---- batch.c: equations of one kind straight from the frames, one list a kind ----
typedef struct HolDirectKind {
    const char *name;
    int (*count)(const HolModel *m);
    // of first .. end-1 of the list: g, and the rows of G
    void (*constraint)(const HolModel *m, const HolFrame *frames, int first, int end, double *g);
    void (*jacobian)(const HolModel *m, const HolFrame *frames, int first, int end, double *G);
} HolDirectKind;
extern const HolDirectKind hol_direct_pins, hol_direct_points, hol_direct_spatial;
extern const HolDirectKind *const hol_direct_kinds[]; // ended by NULL

// ---- planar_pins.c ----
int hol_point_rows_build(HolModel *m); // 0: no memory
// ---- spatial_rows.c ----
int hol_space_rows_build(HolModel *m); // after the above; 0: no memory

// ---- planar_pins.c ----
// B += (G v)_q
void hol_points_turning(const HolModel *m, const HolFrame *frames, const double *v, double *B);
// direction . A s of the points of a, b: the second derivatives by their rotations are +, - these
void hol_point_levers(const HolPointRow *p, const HolFrame *frames, double out[2]);

// ---- planar_springs.c ----
int hol_springs_build(HolModel *m); // 0: no memory
void hol_springs_force(const HolModel *m, const double *q, const double *v, double *f);
double hol_springs_potential(const HolModel *m, const double *q);
double hol_springs_power(const HolModel *m, const double *v);
// order k of their forces; work of their dampers over a step h
void hol_springs_jet(const HolModel *m, const HolJets *J, int k, double *rhs);
double hol_springs_jet_work(const HolModel *m, const HolJets *J, int k, double h);

// ---- evaluate.c ----
double hol_body_inertia(const HolModel *m, int body, int k); // diagonal entry k of M

// ---- pattern.c ----
int hol_patterns_build(HolModel *m);
// what derivative.c will add to S, recorded in order
typedef struct HolTangentPlaces {
    HolArena *arena;
    uint64_t *pairs; // (column << 32) | row
    int n, capacity;
    int elements; // where those of the elements begin
    int failed;
} HolTangentPlaces;
void hol_tangent_place(HolTangentPlaces *p, int row, int column);

// Taylor series of one instant
typedef struct HolJetMemory {
    HolJets jets;     // bodies
    double *orders;   // lambda by orders, n_equations each
    double *lambda;   // n_lambda_series series
    double *w;        // nw series
    double *slot;     // active slots' series
    double *rows;     // own, value and coefficient series of active rows, at row->jet
    double *expr;     // work of expressions: equations, elements, variables in turn
    double *force;    // n_elements series of E
    double *beams;    // series of beam elements
    double *masses;   // of mass elements
    double *batch;    // lane series of batched equations, all of one order together
    long batch_slab;  // groups of four lanes from one order to the next
    double *moments;  // space: of the present order, by bodies: see batch_series.c
    int moments_left; // 1: of an order that was not set
} HolJetMemory;

// A joint's reaction is counted on its second body (the first when the second is the ground, with
// the sign changed): the side of a row that acts on it (0: a, 1: b, -1: neither), and the sign of
// force = sign * sum lambda c beta
static inline int hol_reaction_side(const HolJoint *j, const HolRow *r, double *sign) {
    int body = j->b.body ? j->b.body : j->a.body;
    *sign = j->b.body ? -1 : 1;
    return r->b == body ? 1 : r->a == body ? 0 : -1;
}

// ---- the per-simulation memory of a compiled model ----
typedef struct HolModelWork {
    double t; // configuration that the caches belong to
    double *q, *v;
    int have_q, have_v, have_slots_q, have_slots_v;
    HolFrame *frames;         // n_bodies
    double *memory_rate;      // n_memory: rates of the angles in `memory`, at the time ..
    double memory_t;          // .. of the last accepted state
    double *memory_next;      // 2 n_memory: of the state that is being accepted, and their rates
    int has_rates;            // 1: memory_rate and memory_t are known
    double *memory;           // unwrapping: last accepted values
    double *slot;             // n_slots values
    double (*coef)[2][6];     // n_rows: coefficients at the present configuration
    unsigned char *have_coef; // n_rows
    double *expr;             // scratch of expressions
    double *gradient, *hessian;
    double *given;           // n_given: values of the run
    unsigned char *closed;   // n_modes: which equations that may be open are closed
    double *hold;            // n_modes: what their closed side is equal to
    double *turned;          // n_turns: angles and rates of bushings at the last accepted state ..
    double turned_t;         // .. at this time
    unsigned char *outside;  // n_lookups: the use of a table left its range, which was said
    void *crowds;            // of contacts among many bodies (contact/crowd.h)
    HolJetMemory jet, other; // the series at hand and a second set (jet_swap)
    HolThreadPool *pool;     // threads to share loops with; NULL: none
} HolModelWork;

// what a loop over bodies or equations needs to know, whichever thread runs it
typedef struct HolLoop {
    const HolModel *m;
    HolModelWork *w;
    const double *q, *v;
    double *out;
} HolLoop;

static inline int hol_spatial_rigid(const HolModel *m, const HolBody *b) {
    return m->space == HOL_SPATIAL && hol_body_turns(&b->def);
}

// factor of term k of an equation in the present mode
static inline double hol_term_coef(const HolModel *m, const HolModelWork *w, const HolEquation *e,
                                   int k) {
    const double coef = m->sys.terms[e->first_term + k].coef;
    if (e->mode < 0)
        return coef;
    return (k < e->n_terms - 1) == w->closed[e->mode] ? coef : 0;
}

// ---- kinematics.c ----
void hol_model_position(const HolModel *m, HolModelWork *w, double t, const double *q); // frames
void hol_model_velocity(const HolModel *m, HolModelWork *w, const double *v);
void hol_kinematics_functions(HolModel *m);
// ---- evaluate.c ----
void hol_problem_setup(HolModel *m);
size_t hol_model_work_size(const HolModel *m); // without the series
// ---- keep.c ----
void hol_model_run_keep(const HolProblem *p, void *work, HolKeeper *k);

// ---- switching.c: switching functions of the problem; 0: no memory ----
int hol_switches_build(HolModel *m);
void hol_slots_position(const HolModel *m, HolModelWork *w, int n); // time and value slots below n
void hol_slots_velocity(const HolModel *m, HolModelWork *w, int n); // rate slots below n
void hol_slots_variables(const HolModel *m, HolModelWork *w, int n, const double *a,
                         const double *lambda, const double *vars);
// all slots but those of accelerations and reactions at a state; vars: its algebraic variables
void hol_slots_at(const HolProblem *p, HolModelWork *w, double t, const double *q, const double *v,
                  const double *vars);
double (*hol_row_coef(const HolModel *m, HolModelWork *w, int row))[6]; // [2][6]
double hol_row_value(const HolModel *m, HolModelWork *w, int row);
// where an angle is expected at the time of the frames: the last accepted one, extrapolated
double hol_row_expected(const HolModelWork *w, const HolRow *r);
double hol_row_rate(const HolModel *m, HolModelWork *w, int row); // with the velocity set last
void hol_body_velocity(const HolModel *m, int body, const double *v, double out[6]);
// v^T D: derivative of the rate of a row with respect to q
void hol_rate_gradient(const HolModel *m, HolModelWork *w, int row, double out[2][6]);
void hol_row_derivative(const HolModel *m, HolModelWork *w, int row, double s,
                        HolRowDerivative D); // D = s dbeta/dq
double hol_reaction_force(const HolModel *m, HolModelWork *w, int joint, int axis,
                          const double *lambda);

// ---- derivative.c ----
void hol_model_tangent(const HolProblem *p, void *work, const HolPoint *at, double cC, double cK,
                       double *S);
void hol_tangent_record(const HolModel *m, HolTangentPlaces *places);
// both parts at once: C += -f_v, K += (G^T lambda)_q - f_q; no algebraic variables
void hol_model_tangents(const HolProblem *p, void *work, const HolPoint *at, double *C, double *K);
void hol_model_velocity_jacobian(const HolProblem *p, void *work, const HolPoint *at, double *B);
void hol_model_variables(const HolProblem *p, void *work, const HolPoint *at,
                         const HolAlgebraic *out);

// ---- ranges.c ----
int hol_limits_build(HolModel *m); // 0: no memory
void hol_limits_functions(HolModel *m);

// ---- series.c ----
enum { HOL_JET_DEFAULT = 3 }; // orders every work has room for
size_t hol_jets_size(const HolModel *m, int order);
void hol_jets_memory(const HolModel *m, HolModelWork *w, void *memory, int order);
void hol_jets_functions(HolModel *m);

// ---- tree.c ----
int hol_tree_build(HolModel *m); // 0: out of memory

// ---- measure.c ----
void hol_model_energy(const HolProblem *p, void *work, const HolPoint *at, double *kinetic,
                      double *potential, double *power);
void hol_joint_reaction(const HolModel *m, HolModelWork *w, int joint, const double *lambda,
                        double out[6]);
// all columns at a state whose position and velocity are set in the work
typedef struct HolRowInput {
    double t, h;
    const double *q, *v, *a, *lambda, *w;
    double work_done, energy_start; // of non-conservative forces so far; total energy at the start
    double heat, loss;              // of these, what friction and impacts took
    double residual[3];
    long iterations; // of the step the row lies in
} HolRowInput;
// n columns of a list, or the first n (NULL)
void hol_model_row_of(const HolModel *m, HolModelWork *w, const HolRowInput *in, const int *list,
                      int n, double *out);
void hol_model_row(const HolModel *m, HolModelWork *w, const HolRowInput *in, double *out);
void hol_model_row_all(const HolModel *m, HolModelWork *w, const HolRowInput *in,
                       double *out); // all default columns
// state columns one by one: i from 0; 0 past the end
int hol_model_state_value(const HolModel *m, HolModelWork *w, const HolRowInput *in, int i,
                          const char **name, double *value);

// ---- undefined.c: see HolProblem ----
int hol_model_may_fail(const HolModel *m); // 1: a constraint may have no value somewhere
int hol_model_fault(const HolProblem *p, void *work, double t, const double *q, const double *v,
                    const double *vars, int constraints_only, char *out, size_t size);
double hol_model_drive_end(const HolProblem *p, void *work, double from, double to, char *out,
                           size_t size);

#endif
