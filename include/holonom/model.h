// SPDX-License-Identifier: Apache-2.0
// What a mechanism is: definitions, and the model made of them. SI units, radians.
#ifndef HOLONOM_MODEL_H
#define HOLONOM_MODEL_H

#include "holonom/options.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Definitions: plain structs, made by their default function, copied when added to a model.
// Strings are only read during the call. An expression is text; a number in text is fine.
// `size` is set by the default function; see "Structs that may grow" in error.h.
// ---------------------------------------------------------------------------------------------

typedef enum HolSpace { HOL_PLANAR, HOL_SPATIAL } HolSpace;
typedef enum HolBodyType { HOL_RIGID, HOL_POINT, HOL_COORDINATE } HolBodyType;

/// Where something attaches. Either a named point (`point` non-NULL), or coordinates `at` in body
/// axes (zero: centre of mass). `axis` (body axes) where a joint needs a direction.
typedef struct HolRef {
    const char *body;  ///< NULL or "ground" is the ground
    const char *point; ///< name of a point of that body, or NULL
    int has_at, has_axis, has_x;
    double at[3], axis[3];
    double x[3];      ///< direction from which the joint's angle counts
    int line, column; ///< source position for messages, 0 if none
} HolRef;

typedef struct HolPointDef {
    size_t size; ///< set by hol_point_def
    const char *name;
    double at[3]; ///< body axes, from the centre of mass [m]
    int has_axis, has_x;
    double axis[3], x[3];
} HolPointDef;

/// Values the assembly must not change.
enum { HOL_EXACT_POSITION = 1, HOL_EXACT_ANGLE = 2, HOL_EXACT_VELOCITY = 4, HOL_EXACT_OMEGA = 8 };

/// Shape for the viewer only.
typedef struct HolShapeDef {
    const char *type;      ///< NULL: default drawing; cylinder, box, sphere, mesh
    double from[3], to[3]; ///< body axes
    double size[3];        ///< box edges
    double radius;
    const char *color; ///< "#rrggbb" or NULL
    const char *file;  ///< mesh file
} HolShapeDef;

typedef struct HolBodyDef {
    size_t size; ///< set by hol_body_def
    const char *name;
    HolBodyType type;
    double mass;          ///< [kg]; for a scalar coordinate its generalized mass
    double inertia[6];    ///< planar: [0]; spatial Ixx,Iyy,Izz,Ixy,Iyz,Izx, body axes [kg m^2];
                          ///< no principal moment may be negative, zero is fine
    double position[3];   ///< of the centre of mass; scalar coordinate: [0]
    double angle;         ///< planar
    double quaternion[4]; ///< spatial, (w,x,y,z), body -> global
    double velocity[3];   ///< global axes; scalar coordinate: [0]
    double omega[3];      ///< planar: [0]; spatial global axes unless omega_is_body
    int omega_is_body;
    int exact; ///< HOL_EXACT_* bits
    const HolPointDef *points;
    int n_points;
    HolShapeDef shape;
    int line, column;
} HolBodyDef;

/// Friction of a joint, from its own reactions.
typedef enum { HOL_FRICTION_COULOMB, HOL_FRICTION_SMOOTH, HOL_FRICTION_LUGRE } HolFrictionLaw;
typedef struct HolFrictionDef {
    int given; ///< 1: there is friction
    HolFrictionLaw law;
    double mu, mu_static;  ///< kinetic, static (NAN: the same)
    double radius;         ///< of the sliding surface of what turns [m]
    double length;         ///< of a guide or bearing [m]; 0: moments do not load it
    double stribeck;       ///< speed over which static falls to kinetic friction [m/s]; 0: at once
    double speed;          ///< smooth: below this speed it is no friction but damping [m/s]
    double viscous;        ///< of the joint's coordinate [N s/m, N m s/rad]
    double preload;        ///< [N]
    double constant;       ///< part that does not depend on reactions [N, N m]
    double sigma0, sigma1; ///< lugre: stiffness and damping of the bristles, of the coordinate
    int line, column;
} HolFrictionDef;

/// Stops of a joint's coordinate.
typedef struct HolLimitsDef {
    int given;
    double min, max;           ///< NAN: none [m, rad]
    double restitution;        ///< rigid
    double stiffness, damping; ///< compliant; 0: rigid [N/m, N s/m, per radian]
    int line, column;
} HolLimitsDef;

typedef struct HolJointDef {
    size_t size; ///< set by hol_joint_def
    const char *name;
    const char *type; ///< a joint kind's name
    HolRef a, b;      ///< first and second body
    int global_frame; ///< 1: `at`, `axis` are global, in the initial configuration, and a, b name
                      ///< only bodies
    double at[3], axis[3], x[3]; ///< x: with global_frame, of both places
    int has_axis, has_x;
    double length; ///< distance: NAN = initial distance [m]
    double radius; ///< rolling, rack_pinion [m]
    double pitch;  ///< screw: displacement per radian [m/rad]
    double ratio;  ///< gear: angle of second = ratio * angle of first (both joints' coordinates)
    const char *joint_a, *joint_b; ///< gear, rack_pinion, belt: the two joints it couples
    int line, column;
    HolFrictionDef friction;
    HolLimitsDef limits;
    /// quaternion of the axes in which the ground's x and y count where no `x` is given (the ground of
    /// a part that is turned); zero: the global axes
    double ground_turn[4];
    /// values of the free coordinates at the start, which assembly keeps (models that are read from
    /// files); NAN: not given
    double start_angle, start_rate, start_displacement, start_speed;
    double radii[2];    ///< belt: of the two pulleys [m]
    int crossed;        ///< belt: 1: the pulleys turn against each other
    double cross_angle; ///< universal: between its two axes [rad]; pi/2
    const HolRef *over; ///< cable: the places it runs over, from end to end
    int n_over;
    const char *curve; ///< point_on_curve, cam: a curve of the first body
} HolJointDef;

/// A smooth curve through points, for joints along curves: cubic splines over the length of the chords.
typedef struct HolCurveDef {
    size_t size; ///< set by hol_curve_def
    const char *name;
    const double *points; ///< n times 2 (plane) or 3 (space) coordinates [m]
    int n;
    int closed; ///< 1: from the last point smoothly back to the first
    int line, column;
    const char *formula[3]; ///< in place of points: x, y (z) as expressions of s
    double from, to;        ///< of s, with a formula
} HolCurveDef;

enum { HOL_FRAME_GLOBAL, HOL_FRAME_BODY };

typedef struct HolForceDef {
    size_t size; ///< set by hol_force_def
    const char *name;
    const char *type;       ///< a force kind's name
    HolRef on;              ///< force, torque
    HolRef a, b;            ///< two-point elements: between
    const char *joint;      ///< torsion_spring_damper: about this joint
    const char *coordinate; ///< expression: "q1", "rod.x", "rod.angle"
    const char *value[3];   ///< expressions: force, torque (planar: [0]), expression [0]
    int n_value;
    int frame; ///< HOL_FRAME_GLOBAL or HOL_FRAME_BODY
    const char *stiffness[3],
        *damping[3]; ///< expressions; bushing: one per axis of the first body (n = 1: all equal)
    int n_stiffness, n_damping;
    const char *rotational_stiffness[3], *rotational_damping[3];
    int n_rotational_stiffness, n_rotational_damping;
    /// bushing: all of its stiffness and damping, row by row, symmetric (plane 3 x 3: x, y, angle;
    /// space 6 x 6: along and about x, y, z of the first body); NULL: by the axes above
    const double *matrix, *damping_matrix;
    int n_matrix, n_damping_matrix; ///< 9 or 36
    const char *length;             ///< spring_damper: free length (NULL: initial length)
    const char *angle[3]; ///< torsion: free angle (n = 0: initial angle); bushing in space: three
    int n_angle;
    const char *force; ///< spring_damper, torsion: preload added to the law, or NULL
    int line, column;
} HolForceDef;

typedef struct HolMotionDef {
    size_t size; ///< set by hol_motion_def
    const char *name, *joint;
    const char *value; ///< angle or displacement; NULL: given by its speed
    int line, column;
    const char *speed; ///< rate of the angle or displacement instead, or NULL
} HolMotionDef;
typedef struct HolConstraintDef {
    size_t size;                 ///< set by hol_constraint_def
    const char *name, *equation; ///< of coordinates and time, kept at zero; NULL: of velocities
    int line, column;
    const char *velocity; ///< linear in velocities, kept at zero (non-holonomic), or NULL
} HolConstraintDef;
/// What happens when an expression crosses zero, or at regular times.
typedef struct HolEventDef {
    size_t size; ///< set by hol_event_def
    const char *name, *when;
    double every;  ///< in place of `when`: at start + k every [s]; 0: none
    int direction; ///< +1 rising, -1 falling, 0 both
    int stop;      ///< 1: the run ends there
    long count;    ///< fires so often; 0: always
    const char *const *set_names, *const *set_values; ///< discrete values, inputs, states
    int n_sets;
    const char *const *reset_names, *const *reset_values; ///< velocities
    int n_resets;
    int line, column;
} HolEventDef;

/// A first-order state z: z' = rate. Expressions use its name; it has no energy and is no degree of
/// freedom.
typedef struct HolStateDef {
    size_t size; ///< set by hol_state_def
    const char *name, *rate;
    double initial;
    int line, column;
} HolStateDef;
typedef struct HolVariableDef {
    size_t size; ///< set by hol_variable_def
    const char *name, *value;
    int line, column;
} HolVariableDef;
typedef enum {
    HOL_TABLE_UNSAID, ///< monotone, with a remark that nothing was said
    HOL_TABLE_MONOTONE,
    HOL_TABLE_LINEAR,
    HOL_TABLE_SPLINE
} HolInterpolation;
typedef enum {
    HOL_OUTSIDE_HOLD,
    HOL_OUTSIDE_LINE,
    HOL_OUTSIDE_PERIODIC,
    HOL_OUTSIDE_ERROR
} HolOutside;
typedef struct HolTableDef {
    size_t size; ///< set by hol_table_def
    const char *name;
    const double *x, *y; ///< x increases
    int n;
    HolInterpolation interpolation; ///< between the points
    HolOutside outside;             ///< before the first and behind the last one
    int line, column;
} HolTableDef; ///< interp(name, x)

enum { HOL_FUNCTION_ARGUMENTS = 16 };
/// A function of the program, for expressions of forces, variables, states, events and outputs, where
/// it is called by its name: "-tyre(wheel.vx, slip)". It must depend on its arguments alone (steps are
/// repeated), and is called by all threads that run the model. Constraints and motions cannot use it,
/// methods that need Taylor series neither.
typedef struct HolFunctionDef {
    size_t size; ///< set by hol_function_def
    const char *name;
    int arguments; ///< 1 to HOL_FUNCTION_ARGUMENTS
    double (*value)(void *user, const double *x);
    void (*gradient)(void *user, const double *x, double *out); ///< NULL: by differences
    void *user;
} HolFunctionDef;

/// The defaults of `room` bytes (sizeof the struct), for programs that cannot use the functions
/// below.
HOL_API void hol_point_def_sized(HolPointDef *out, size_t room);
HOL_API void hol_body_def_sized(HolBodyDef *out, size_t room);
HOL_API void hol_joint_def_sized(const char *type, HolJointDef *out, size_t room);
HOL_API void hol_force_def_sized(const char *type, HolForceDef *out, size_t room);
HOL_API void hol_motion_def_sized(HolMotionDef *out, size_t room);
HOL_API void hol_constraint_def_sized(HolConstraintDef *out, size_t room);
HOL_API void hol_curve_def_sized(HolCurveDef *out, size_t room);
HOL_API void hol_state_def_sized(HolStateDef *out, size_t room);
HOL_API void hol_variable_def_sized(HolVariableDef *out, size_t room);
HOL_API void hol_event_def_sized(HolEventDef *out, size_t room);
HOL_API void hol_table_def_sized(HolTableDef *out, size_t room);
HOL_API void hol_function_def_sized(HolFunctionDef *out, size_t room);

/// A point at the origin of its body.
static inline HolPointDef hol_point_def(void) {
    HolPointDef def;
    hol_point_def_sized(&def, sizeof def);
    return def;
}

/// Rigid, mass 1, inertia 0, identity orientation, at rest.
static inline HolBodyDef hol_body_def(void) {
    HolBodyDef def;
    hol_body_def_sized(&def, sizeof def);
    return def;
}

/// A joint or force of a kind, see `holonom kinds`.
static inline HolJointDef hol_joint_def(const char *type) {
    HolJointDef def;
    hol_joint_def_sized(type, &def, sizeof def);
    return def;
}

static inline HolForceDef hol_force_def(const char *type) {
    HolForceDef def;
    hol_force_def_sized(type, &def, sizeof def);
    return def;
}

static inline HolMotionDef hol_motion_def(void) {
    HolMotionDef def;
    hol_motion_def_sized(&def, sizeof def);
    return def;
}

static inline HolConstraintDef hol_constraint_def(void) {
    HolConstraintDef def;
    hol_constraint_def_sized(&def, sizeof def);
    return def;
}

static inline HolCurveDef hol_curve_def(void) {
    HolCurveDef def;
    hol_curve_def_sized(&def, sizeof def);
    return def;
}

static inline HolStateDef hol_state_def(void) {
    HolStateDef def;
    hol_state_def_sized(&def, sizeof def);
    return def;
}

static inline HolVariableDef hol_variable_def(void) {
    HolVariableDef def;
    hol_variable_def_sized(&def, sizeof def);
    return def;
}

static inline HolEventDef hol_event_def(void) {
    HolEventDef def;
    hol_event_def_sized(&def, sizeof def);
    return def;
}

static inline HolTableDef hol_table_def(void) {
    HolTableDef def;
    hol_table_def_sized(&def, sizeof def);
    return def;
}

static inline HolFunctionDef hol_function_def(void) {
    HolFunctionDef def;
    hol_function_def_sized(&def, sizeof def);
    return def;
}

// ---------------------------------------------------------------------------------------------
// Model: what the mechanism is. Until it is compiled one thread builds it. Compiling freezes it:
// from then on every function that takes a const HolModel only reads, and any number of threads may
// run it at once, each with a HolSim of its own. Destroy it after all of them.
// ---------------------------------------------------------------------------------------------

typedef struct HolModel HolModel;

HOL_API HolStatus hol_model_create(const char *name, HolSpace space, const double *gravity,
                                   HolModel **out, HolError *err);
/// What cannot be added makes hol_model_compile fail, which says again what it was. Joints, forces,
/// motions and constraints without a name (NULL) get one by their number: joint1, joint2, ..
HOL_API HolStatus hol_model_add_parameter(HolModel *m, const char *name, double value,
                                          HolError *err);
HOL_API HolStatus hol_model_add_table(HolModel *m, const HolTableDef *def, HolError *err);
HOL_API HolStatus hol_model_add_function(HolModel *m, const HolFunctionDef *def, HolError *err);
HOL_API HolStatus hol_model_add_curve(HolModel *m, const HolCurveDef *def, HolError *err);
HOL_API HolStatus hol_model_add_ground_point(HolModel *m, const HolPointDef *point, HolError *err);
HOL_API HolStatus hol_model_add_body(HolModel *m, const HolBodyDef *def, HolError *err);
HOL_API HolStatus hol_model_add_joint(HolModel *m, const HolJointDef *def, HolError *err);
HOL_API HolStatus hol_model_add_force(HolModel *m, const HolForceDef *def, HolError *err);
HOL_API HolStatus hol_model_add_motion(HolModel *m, const HolMotionDef *def, HolError *err);
HOL_API HolStatus hol_model_add_constraint(HolModel *m, const HolConstraintDef *def, HolError *err);
HOL_API HolStatus hol_model_add_state(HolModel *m, const HolStateDef *def, HolError *err);
HOL_API HolStatus hol_model_add_variable(HolModel *m, const HolVariableDef *def, HolError *err);
HOL_API HolStatus hol_model_add_event(HolModel *m, const HolEventDef *def, HolError *err);
HOL_API HolStatus hol_model_add_output(HolModel *m, const char *expression, int line, int column,
                                       HolError *err);
/// Resolve names, check everything, freeze. All problems are reported at once. A model that could
/// not be compiled can only be destroyed.
HOL_API HolStatus hol_model_compile(HolModel *m, HolError *err);
HOL_API void hol_model_destroy(HolModel *m); ///< NULL is fine

/// `--set key=value` pairs: a parameter's name, or an option such as "method.beta", "end".
typedef struct HolSetting {
    const char *key, *value;
} HolSetting;

/// `room`: sizeof *options as the program knows it (options may be NULL).
HOL_API HolStatus hol_model_load_sized(const char *path, const HolSetting *settings, int n_settings,
                                       HolModel **out, HolSimOptions *options, size_t room,
                                       HolError *err);
HOL_API HolStatus hol_model_parse_sized(const char *text, size_t length, const char *file,
                                        const HolSetting *settings, int n_settings, HolModel **out,
                                        HolSimOptions *options, size_t room, HolError *err);

/// Read a YAML or JSON model file ("-": standard input), compile it, and fill the options from its
/// `simulation:` section and the settings. On failure *out is NULL and every problem is in err.
static inline HolStatus hol_model_load(const char *path, const HolSetting *settings, int n_settings,
                                       HolModel **out, HolSimOptions *options, HolError *err) {
    return hol_model_load_sized(path, settings, n_settings, out, options, sizeof(HolSimOptions),
                                err);
}

/// The same from memory; `file` is the name used in messages.
static inline HolStatus hol_model_parse(const char *text, size_t length, const char *file,
                                        const HolSetting *settings, int n_settings, HolModel **out,
                                        HolSimOptions *options, HolError *err) {
    return hol_model_parse_sized(text, length, file, settings, n_settings, out, options,
                                 sizeof(HolSimOptions), err);
}

/// What reading may do beside its result, and how it is watched.
typedef struct HolLoadOptions {
    size_t size; ///< set by hol_load_options, see error.h
    /// folder that keeps what is computed of modal bodies, made if it is not there; NULL: nothing is
    /// written. Results have the same bits with and without.
    const char *cache;
    /// not 0: give up, HOL_INTERRUPTED; NULL: never. Looked at while beams with `elements: auto` try
    /// numbers of elements.
    const volatile int *stop;
    /// these trials go on: a sentence about the one that runs; may be NULL
    void (*progress)(void *user, const char *text);
    void *user;
    /// files that the model names are read from here and below, where their names count from; nothing
    /// outside is, links followed. NULL: beside the model, wherever they lie.
    const char *within;
} HolLoadOptions;

HOL_API void hol_load_options_sized(HolLoadOptions *out, size_t room);
/// No cache, nobody watches, files from anywhere.
static inline HolLoadOptions hol_load_options(void) {
    HolLoadOptions options;
    hol_load_options_sized(&options, sizeof options);
    return options;
}
/// hol_model_load with these options. HOL_ERR_FILE: also where the folder cannot be made.
HOL_API HolStatus hol_model_load_how_sized(const char *path, const HolSetting *settings,
                                           int n_settings, const HolLoadOptions *how,
                                           HolModel **out, HolSimOptions *options, size_t room,
                                           HolError *err);
static inline HolStatus hol_model_load_how(const char *path, const HolSetting *settings,
                                           int n_settings, const HolLoadOptions *how,
                                           HolModel **out, HolSimOptions *options, HolError *err) {
    return hol_model_load_how_sized(path, settings, n_settings, how, out, options,
                                    sizeof(HolSimOptions), err);
}

/// The same for a file or text whose expressions call functions of the program.
HOL_API HolStatus hol_model_load_with_sized(const char *path, const HolSetting *settings,
                                            int n_settings, const HolFunctionDef *functions,
                                            int n_functions, HolModel **out, HolSimOptions *options,
                                            size_t room, HolError *err);
HOL_API HolStatus hol_model_parse_with_sized(const char *text, size_t length, const char *file,
                                             const HolSetting *settings, int n_settings,
                                             const HolFunctionDef *functions, int n_functions,
                                             HolModel **out, HolSimOptions *options, size_t room,
                                             HolError *err);
static inline HolStatus hol_model_load_with(const char *path, const HolSetting *settings,
                                            int n_settings, const HolFunctionDef *functions,
                                            int n_functions, HolModel **out, HolSimOptions *options,
                                            HolError *err) {
    return hol_model_load_with_sized(path, settings, n_settings, functions, n_functions, out,
                                     options, sizeof(HolSimOptions), err);
}
static inline HolStatus hol_model_parse_with(const char *text, size_t length, const char *file,
                                             const HolSetting *settings, int n_settings,
                                             const HolFunctionDef *functions, int n_functions,
                                             HolModel **out, HolSimOptions *options,
                                             HolError *err) {
    return hol_model_parse_with_sized(text, length, file, settings, n_settings, functions,
                                      n_functions, out, options, sizeof(HolSimOptions), err);
}

/// Looking at a model. What there is none of is NULL, "" or 0.
HOL_API const char *hol_model_name(const HolModel *m);
/// What is right but may not be meant (a table that does not say how it is interpolated).
typedef struct HolRemark {
    const char *kind, *name, *text; ///< kind: what it is about ("table")
    int line, column;               ///< 0: not from a file
} HolRemark;
HOL_API int hol_model_remark_count(const HolModel *m);
HOL_API const HolRemark *hol_model_remark(const HolModel *m, int i); ///< NULL: there is none
HOL_API const char *hol_model_source(const HolModel *m); ///< text it was loaded from, or ""
HOL_API HolSpace hol_model_space(const HolModel *m);
/// The first joint or contact that has modes (friction that sticks, rigid stops, rigid contact), which
/// analyses of one state leave open; NULL: none.
HOL_API const char *hol_model_first_mode(const HolModel *m);
HOL_API int hol_model_body_count(const HolModel *m);
HOL_API const char *hol_model_body_name(const HolModel *m, int body);
HOL_API int hol_model_joint_count(const HolModel *m);
HOL_API const char *hol_model_joint_name(const HolModel *m, int joint);

#ifdef __cplusplus
}
#endif
#endif
