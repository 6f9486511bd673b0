// SPDX-License-Identifier: Apache-2.0
// Holonom: constrained multibody dynamics. This header is the whole public API, in the order of a
// program's life: status, model definitions, model, problem, simulation, results. SI units,
// radians.
#ifndef HOLONOM_H
#define HOLONOM_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HOL_VERSION_MAJOR 0
#define HOL_VERSION_MINOR 1
#define HOL_VERSION_PATCH 0
#define HOL_VERSION_TEXT "0.1.0"

#if defined(__GNUC__)
#define HOL_API __attribute__((visibility("default")))
#else
#define HOL_API
#endif

// ---------------------------------------------------------------------------------------------
// Status and errors
// ---------------------------------------------------------------------------------------------

/// Zero is success, positive a good stop, negative an error.
#define HOL_STATUS_LIST(X)                                                                         \
    X(HOL_OK, 0, "success")                                                                        \
    X(HOL_INTERRUPTED, 1, "stopped on request")                                                    \
    X(HOL_INACCURATE, 3, "the accuracy asked for was not reached")                                 \
    X(HOL_ERR_INPUT, -1, "model or option not valid")                                              \
    X(HOL_ERR_MEMORY, -2, "out of memory")                                                         \
    X(HOL_ERR_SINGULAR, -3, "singular equations")                                                  \
    X(HOL_ERR_CONVERGE, -4, "no convergence")                                                      \
    X(HOL_ERR_STEP, -5, "step size too small")                                                     \
    X(HOL_ERR_ASSEMBLY, -6, "the mechanism cannot be assembled")                                   \
    X(HOL_ERR_FILE, -7, "a file could not be read or written")                                     \
    X(HOL_ERR_UNSUPPORTED, -8, "not supported by this method or build")

typedef enum HolStatus {
#define HOL_STATUS_ENUM(name, value, text) name = value,
    HOL_STATUS_LIST(HOL_STATUS_ENUM)
#undef HOL_STATUS_ENUM
} HolStatus;

/// Filled by every fallible call (may be NULL). `text` holds one line a problem; bad input reads
/// "file:line:column: error: ...", so that editors can jump to it.
typedef struct HolError {
    HolStatus status;
    int problems;     ///< number of problems found (text may hold fewer)
    int line, column; ///< of the first problem, 0 when there is no source text
    double time;      ///< simulation time of a numerical failure
    char text[8192];
} HolError;

HOL_API const char *hol_status_text(HolStatus status);
HOL_API const char *hol_version(void); ///< version and what the build contains, one line

// ---------------------------------------------------------------------------------------------
// Definitions: plain structs, filled by a default function, copied when added to a model.
// Strings are only read during the call. An expression is text; a number in text is fine.
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

typedef struct HolJointDef {
    const char *name;
    const char *type; ///< a joint kind's name
    HolRef a, b;      ///< first and second body
    int global_frame; ///< 1: `at`, `axis` are global, in the initial configuration, and a, b name
                      ///< only bodies
    double at[3], axis[3], x[3]; ///< x: with global_frame, of both places
    int has_axis, has_x;
    double length; ///< distance: NAN = initial distance [m]
    double radius; ///< rolling [m]
    double pitch;  ///< screw: displacement per radian [m/rad]
    double ratio;  ///< gear: angle of second = ratio * angle of first (both joints' coordinates)
    const char *joint_a, *joint_b; ///< gear: the two joints it couples
    int line, column;
} HolJointDef;

enum { HOL_FRAME_GLOBAL, HOL_FRAME_BODY };

typedef struct HolForceDef {
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
    const char *name, *joint, *value;
    int line, column;
} HolMotionDef;
typedef struct HolConstraintDef {
    const char *name, *equation;
    int line, column;
} HolConstraintDef;
typedef struct HolVariableDef {
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
    const char *name;
    const double *x, *y; ///< x increases
    int n;
    HolInterpolation interpolation; ///< between the points
    HolOutside outside;             ///< before the first and behind the last one
    int line, column;
} HolTableDef; ///< interp(name, x)

HOL_API HolBodyDef hol_body_def(void); ///< rigid, mass 1, inertia 0, identity orientation, at rest
HOL_API HolJointDef hol_joint_def(const char *type);
HOL_API HolForceDef hol_force_def(const char *type);

// ---------------------------------------------------------------------------------------------
// Simulation options (also the `simulation:` section of a model file and --set)
// ---------------------------------------------------------------------------------------------

typedef struct HolMethodOptions {
    char name[32];        ///< see `holonom kinds`
    char scheme[24];      ///< tangent: hermite newmark jfg obreshkov3 fox-goodwin trapezoidal
                          ///< linear-acceleration; taylor: series stable
    char metric[16];      ///< tangent: mass euclid
    char iteration[16];   ///< dae-alpha: newton cs cm cmp
    char formulation[16]; ///< bdf: ggl ggl-star cs cm cmp
    char projection[16];  ///< rk: none position full joints
    char start[16];       ///< explicit family: s1 s2 s3 zero; tangent: auto plain graded
    char set[16];         ///< explicit family: named parameter set
    double alpha, beta, gamma, zeta, rho; ///< NAN: the method's default
    double beta_out;                      ///< explicit family
    int order;                            ///< taylor, radau, bdf: 0 = automatic
    int force;                            ///< 1: accept parameters that are refused otherwise
    int newton_iterations; ///< index-3 methods: 0 = iterate to convergence, n = exactly n (to
                           ///< reproduce papers)
    int predictor; ///< index-3 methods: degree of the predictor 0..3; -1: the method's default (1)
    char control[16]; ///< index-3 methods: local (tolerance = local error, default), proportional
                      ///< (achieved error follows the tolerance); bdf: state (default), position
} HolMethodOptions;

/// What the error of a step is compared with (`simulation: {error: ..}`).
typedef struct HolErrorOptions {
    double relative; ///< in place of the tolerance; 0: the tolerance
    double absolute; ///< errors below are no errors [m, rad, m/s, rad/s]; 0: from the model's size
    int velocities;  ///< 1: those of velocities count
} HolErrorOptions;

typedef struct HolSimOptions {
    HolMethodOptions method;
    HolErrorOptions error;
    double start, end;                       ///< [s]
    double step;                             ///< fixed step; 0 or NAN: error-controlled
    double tolerance;                        ///< local error tolerance when step is not given
    double output_step;                      ///< spacing of results; 0: every accepted step
    double initial_step, max_step, min_step; ///< 0: automatic
    long max_steps;                          ///< 0: no limit
    const double *stop_times; ///< times that a step must hit (discontinuities), ascending
    int n_stop_times;
    double accuracy;        ///< of the results, for hol_certify; 0: none is asked for
    char linear_solver[16]; ///< auto, dense, sparse
    int threads; ///< that share the run; 0: two for models of many bodies. No effect on results
} HolSimOptions;

HOL_API HolSimOptions hol_sim_options(void);       ///< tangent hermite, tolerance 1e-6, end 1
HOL_API int hol_method_adaptive(const char *name); ///< 1: the method controls its steps if asked to

// ---------------------------------------------------------------------------------------------
// Model: what the mechanism is. Frozen once compiled, then shared by threads.
// ---------------------------------------------------------------------------------------------

typedef struct HolModel HolModel;

HOL_API HolStatus hol_model_create(const char *name, HolSpace space, const double *gravity,
                                   HolModel **out, HolError *err);
HOL_API HolStatus hol_model_add_parameter(HolModel *m, const char *name, double value,
                                          HolError *err);
HOL_API HolStatus hol_model_add_table(HolModel *m, const HolTableDef *def, HolError *err);
HOL_API HolStatus hol_model_add_ground_point(HolModel *m, const HolPointDef *point, HolError *err);
HOL_API HolStatus hol_model_add_body(HolModel *m, const HolBodyDef *def, HolError *err);
HOL_API HolStatus hol_model_add_joint(HolModel *m, const HolJointDef *def, HolError *err);
HOL_API HolStatus hol_model_add_force(HolModel *m, const HolForceDef *def, HolError *err);
HOL_API HolStatus hol_model_add_motion(HolModel *m, const HolMotionDef *def, HolError *err);
HOL_API HolStatus hol_model_add_constraint(HolModel *m, const HolConstraintDef *def, HolError *err);
HOL_API HolStatus hol_model_add_variable(HolModel *m, const HolVariableDef *def, HolError *err);
HOL_API HolStatus hol_model_add_output(HolModel *m, const char *expression, int line, int column,
                                       HolError *err);
/// Resolve names, check everything, freeze. All problems are reported at once.
HOL_API HolStatus hol_model_compile(HolModel *m, HolError *err);
HOL_API void hol_model_destroy(HolModel *m); ///< NULL is fine

/// `--set key=value` pairs: a parameter's name, or an option such as "method.beta", "end".
typedef struct HolSetting {
    const char *key, *value;
} HolSetting;

/// Read a YAML or JSON model file ("-": standard input), compile it, and fill the options from its
/// `simulation:` section and the settings. On failure *out is NULL and every problem is in err.
HOL_API HolStatus hol_model_load(const char *path, const HolSetting *settings, int n_settings,
                                 HolModel **out, HolSimOptions *options, HolError *err);
/// The same from memory; `file` is the name used in messages.
HOL_API HolStatus hol_model_parse(const char *text, size_t length, const char *file,
                                  const HolSetting *settings, int n_settings, HolModel **out,
                                  HolSimOptions *options, HolError *err);

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
HOL_API int hol_model_body_count(const HolModel *m);
HOL_API const char *hol_model_body_name(const HolModel *m, int body);
HOL_API int hol_model_joint_count(const HolModel *m);
HOL_API const char *hol_model_joint_name(const HolModel *m, int joint);

// ---------------------------------------------------------------------------------------------
// Problem: the constrained second-order system as functions
//   M(q,t) a + G(q,t)^T lambda = f(t,q,v[,w]),  q' = T(q) v,  g(q,t) = 0,  B(q,t) v + b(q,t) = 0
//   G stacks the nh holonomic rows and the nn non-holonomic rows B; m = nh + nn
//   w (nw algebraic variables): w = W(t,q,v,a,lambda,w)
// A derivative "with respect to q" is along increments d of length nv: q (+) d.
// A compiled model is a HolProblem; a C user may fill one: only the functions marked required.
// ---------------------------------------------------------------------------------------------

/// Compressed sparsity pattern; ptr == NULL means full.
typedef struct HolPattern {
    int rows, cols, nnz;
    const int *ptr, *idx; ///< M, S: by columns, rows ascending; G: by rows, columns ascending
} HolPattern;

typedef struct HolProblem HolProblem;
typedef struct HolTeam HolTeam; ///< threads of one run (of the library's own problems)

/// What positions and velocities of bodies are measured by, as reciprocals: bodies of a model by
/// number (0: the ground), velocity coordinates of a C user's problem (place and speed alone).
typedef struct HolBodyScales {
    double *place, *angle; ///< 1/m (or 1/unit of a scalar coordinate), 1/rad
    double *speed, *rate;  ///< their velocities
    double *turning[3];    ///< space: of rates about each axis of the body; `rate` is the least
} HolBodyScales;

/// Taylor series of the motion of a tree in its joint coordinates x.
typedef struct HolTreeSeries {
    /// Bytes for `order` coefficients of x'', and their layout (once). 1: for `accelerate` and
    /// what needs no series.
    size_t (*size)(const HolProblem *p, int order);
    void (*memory)(const HolProblem *p, void *work, void *memory, int order);
    /// A series about x, x' (0: a joint has no inertia to move); then coefficient 0, 1, .. of x''.
    int (*start)(const HolProblem *p, void *memory, double t, const double *x, const double *rate);
    void (*order)(const HolProblem *p, void *memory, int k);
    /// x'' at x, x', without a series: read it by `begin`. 0: as of `start`.
    int (*accelerate)(const HolProblem *p, void *memory, double t, const double *x,
                      const double *rate);
    /// How far bodies move and turn by coefficients first .. first+3 of x, and by two small changes
    /// of x (the second one may be NULL), over the scales of positions (q) and of velocities (v).
    void (*sizes)(const HolProblem *p, void *memory, const HolBodyScales *scale, int first,
                  double q[4], double v[4]);
    void (*reach)(const HolProblem *p, void *memory, const HolBodyScales *scale,
                  const double *change, const double *other, double q[2], double v[2]);
    /// x, x', x'' (each may be NULL) at the start.
    void (*begin)(const HolProblem *p, const void *memory, double *x, double *rate, double *second);
    /// x, x', x'' (or x and NULL, NULL) at h from n coefficients of x'. Each term of order k of the
    /// three sums counts weight[k] times, k = 0 .. n (NULL: once).
    void (*eval)(const HolProblem *p, const void *memory, int n, double h, const double *weight,
                 double *x, double *rate, double *second);
    /// Work of the forces that `energy` counts as power, over [0, h], from n coefficients of x'.
    double (*work)(const HolProblem *p, const void *memory, int n, double h);
    /// Which of two equivalent positions the bodies have (signs of quaternions), from x and q.
    void (*sides)(const HolProblem *p, void *memory, const double *x, const double *q);
    /// Positions, velocities and accelerations of the bodies, and what is left of their
    /// constraints. `memory` serves as scratch; `reach` may run beside it.
    void (*state)(const HolProblem *p, void *memory, const double *x, const double *rate,
                  const double *second, double *q, double *v, double *a, double residual[3]);
    /// x' of a state; the angles of an accepted state (0: there are others, see HolProblem.accept).
    void (*rates)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                  double *rate);
    int (*accept)(const HolProblem *p, void *work, double t, const double *x, const double *rate);
} HolTreeSeries;

struct HolProblem {
    const void *user; ///< handed to every function (read-only, shared by threads)
    int nq, nv, nh, nn, nw;
    HolPattern M;     ///< nv x nv, by columns, both triangles
    HolPattern S;     ///< nv x nv, by columns: M and all derivative matrices fit in it
    HolPattern G;     ///< (nh+nn) x nv, by rows
    const int *body;  ///< nv, ascending: the body that owns each velocity; open trees of bodies are
                      ///< then solved along the tree. NULL: not known
    size_t work_size; ///< bytes of per-simulation workspace, given as `w_` below (64-byte aligned,
                      ///< zeroed)
    HolStatus (*work_init)(const HolProblem *p, void *work);
    /// Threads that the functions below may use from now on. NULL: they work alone.
    void (*share)(const HolProblem *p, void *work, HolTeam *team);

    /// qd = T(q) v. NULL: q' = v.
    void (*qdot)(const HolProblem *p, void *work, const double *q, const double *v, double *qd);
    /// qdd = d/dt (T(q) v). NULL: a.
    void (*qddot)(const HolProblem *p, void *work, const double *q, const double *v,
                  const double *a, double *qdd);
    /// third derivative of q, with the jerk j = a'. NULL: differences of qddot.
    void (*qdddot)(const HolProblem *p, void *work, const double *q, const double *v,
                   const double *a, const double *j, double *qddd);
    /// out = q (+) d, the retraction. NULL: q + d.  (out may be q)
    void (*retract)(const HolProblem *p, void *work, const double *q, const double *d, double *out);
    /// d = q1 (-) q0 as an increment in velocity coordinates at q1; q0 need not lie on the manifold
    /// |p|=1. NULL: q1 - q0.
    void (*minus)(const HolProblem *p, void *work, const double *q1, const double *q0, double *d);

    /// Required. S += c M(q,t), S in the pattern given by `into_S` (0: pattern M, 1: pattern S).
    void (*mass)(const HolProblem *p, void *work, double t, const double *q, double c, int into_S,
                 double *S);
    /// Required. f(t,q,v,w), nv.
    void (*force)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                  const double *w, double *f);
    /// Required if nh > 0. g(q,t), nh.
    void (*constraint)(const HolProblem *p, void *work, double t, const double *q, double *g);
    /// Values of G (nh+nn rows) in its pattern. NULL: differences of `constraint` (nn must be 0).
    void (*jacobian)(const HolProblem *p, void *work, double t, const double *q, double *G);
    /// gt with G v + gt = 0 (nh: g_t; nn: b). NULL: differences in time (nn: zero).
    void (*velocity_rhs)(const HolProblem *p, void *work, double t, const double *q, double *gt);
    /// gamma with G a + gamma = 0. NULL: differences of G v + gt along (q', t).
    void (*acceleration_rhs)(const HolProblem *p, void *work, double t, const double *q,
                             const double *v, double *gamma);
    /// S += cC (-f_v) + cK ((M a)_q + (G^T lambda)_q - f_q), in pattern S. NULL: differences.
    void (*tangent)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                    const double *a, const double *lambda, const double *w, double cC, double cK,
                    double *S);
    /// Velocity-level Jacobian wrt q: B += (d/dq)(G v + gt), in pattern G (entries outside of it
    /// are left out: it serves as a Newton matrix). NULL: differences.
    void (*velocity_jacobian)(const HolProblem *p, void *work, double t, const double *q,
                              const double *v, double *B);
    /// Algebraic variables (nw > 0): r = w - W(...), and, where J is not NULL, dense row-major
    /// Jacobians of W: Jq, Jv, Ja (nw x nv), Jl (nw x m), Jw (nw x nw), and fw = df/dw (nv x nw).
    void (*variables)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                      const double *a, const double *lambda, const double *w, double *r, double *Jq,
                      double *Jv, double *Ja, double *Jl, double *Jw, double *fw);

    /// Taylor jets along the motion (see docs/theory.md). NULL: only the jerk, by differences.
    ///   start: order-0 data q, v. rhs(k): right-hand side of
    ///   [M0 G0^T; G0 0] [a_k; lambda_k] = rhs,  a_k = (k+1) v_{k+1},  given coefficients below k.
    ///   set(k): store the solution. eval: the truncated series at t+h (any output may be NULL).
    int jet_max; ///< highest k allowed with the memory in `work` (at least 2)
    /// Room for more orders: bytes needed, and hand it over (a stepper does so when it is created).
    size_t (*jet_size)(const HolProblem *p, int order);
    void (*jet_memory)(const HolProblem *p, void *work, void *memory, int order);
    /// Exchange the series at hand with a second set (given by jet_memory after a swap).
    void (*jet_swap)(const HolProblem *p, void *work);
    /// Switching functions of the forces (if, abs, min, interp ...): a sign change is a kink of the
    /// motion. n_switches of them.
    int n_switches;
    void (*switches)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                     const double *w, double *values);
    /// Those of them that depend on time alone, n_time_switches; `values` has room for all. NULL:
    /// none is known.
    int n_time_switches;
    void (*time_switches)(const HolProblem *p, void *work, double t, double *values);
    /// Whose switching function i is, for messages; NULL: unknown.
    void (*switch_name)(const HolProblem *p, int i, char *out, size_t size);
    void (*jet_start)(const HolProblem *p, void *work, double t, const double *q, const double *v);
    void (*jet_rhs)(const HolProblem *p, void *work, int k, double *rhs /* nv + m + nw */);
    void (*jet_set)(const HolProblem *p, void *work, int k, const double *a, const double *lambda,
                    const double *w);
    void (*jet_eval)(const HolProblem *p, void *work, int k, double h, double *q, double *v,
                     double *a, double *lambda, double *w);
    /// Largest of each Taylor coefficient first .. first+n-1 (n up to 5) of q over the scales of
    /// positions (q) and of velocities (v), rotations by angle, for step control.
    void (*jet_sizes)(const HolProblem *p, void *work, const HolBodyScales *scale, int first, int n,
                      double *q, double *v);

    /// Work of the forces that `energy` counts as power, over [t, t+h], from the series up to order
    /// k. NULL: by quadrature.
    double (*jet_work)(const HolProblem *p, void *work, int k, double h);

    /// Trees of bodies: n_tree joint coordinates x that determine the motion explicitly; 0: none.
    /// x of a position q (angles next to the last accepted ones); then q of x and, where v is not
    /// NULL, v of x' with its directions E (nv x n_tree by columns, v = E x') and b, a = E x'' + b.
    /// q holds a position nearby on entry.
    int n_tree;
    void (*tree_coordinates)(const HolProblem *p, void *work, double t, const double *q, double *x);
    void (*tree_motion)(const HolProblem *p, void *work, const double *x, const double *rate,
                        double *q, double *v, double *E, double *b);
    const HolTreeSeries *tree_series; ///< Taylor series of x; NULL: none

    /// Called with every accepted state (unwrapping of angles, events). NULL: nothing.
    void (*accept)(const HolProblem *p, void *work, double t, const double *q, const double *v);
    /// Called once, before assembly, with the values as written: whole turns of driven angles are
    /// counted from there, and what is worth a remark is said. NULL: nothing.
    void (*begin)(const HolProblem *p, void *work, double t, const double *q,
                  void (*say)(void *to, const char *text), void *to);
    /// The first time after t at which a force or drive has a kink that is known beforehand (knots
    /// of tables of time), INFINITY: none. NULL: there is none at all.
    double (*next_kink)(const HolProblem *p, double t);
    /// What a state does that it must not (a table or a bushing at the end of its range): 1 and the
    /// reason, else 0. accepted: of a state that was accepted, what is worth a remark; called until
    /// it returns 0. NULL: nothing.
    int (*judge)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                 const double *w, int accepted, char *text, size_t size);
    /// How far (in radians) an unwrapped angle at (t,q,v) may lie from where it was expected after
    /// the last accepted state; from pi on its number of turns is a guess. *body: whose. NULL:
    /// there is none.
    double (*surprise)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                       const char **body);
    /// Energies; power = that of forces with no potential and of driven constraints. NULL: no
    /// energy.
    void (*energy)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                   const double *lambda, const double *w, double *kinetic, double *potential,
                   double *power);
    int has_power; ///< 0: power is always zero
    /// Name of constraint row i for messages (a joint's name). NULL: "constraint i".
    void (*row_name)(const HolProblem *p, int row, char *out, size_t size);
    /// Name of velocity coordinate i for messages ("rod.x"). NULL: "coordinate i".
    void (*coordinate_name)(const HolProblem *p, int i, char *out, size_t size);
    /// 1: something at this state has no value (sqrt of a negative number ..), and `out` says what
    /// and where it stands. NULL: nothing is known. check_faults: the constraints of every accepted
    /// state are asked.
    int check_faults;
    int (*fault)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                 const double *w, int constraints_only, char *out, size_t size);
    /// The first time in (from, to] at which a drive has no value, and why; INFINITY: none. NULL:
    /// nothing is known.
    double (*drive_end)(const HolProblem *p, void *work, double from, double to, char *out,
                        size_t size);
};

/// The compiled model as a problem (valid while the model lives).
HOL_API const HolProblem *hol_model_problem(const HolModel *m);
/// Initial values as written in the model: q (nq), v (nv); weights (nv) for assembly: >= 1e6 where
/// `exact`.
HOL_API void hol_model_initial(const HolModel *m, double *q, double *v, double *weight_position,
                               double *weight_velocity);

// ---------------------------------------------------------------------------------------------
// Simulation: one run
// ---------------------------------------------------------------------------------------------

typedef struct HolSim HolSim;

/// Read-only view of the present state.
typedef struct HolView {
    double t, h; ///< time, size of the step that led here
    int nq, nv, m, nw;
    const double *q, *v, *a, *lambda, *w;
} HolView;

typedef struct HolStats {
    long steps, rejected, newton_iterations, jacobians, factorizations, force_evaluations;
    long error_test_failures, convergence_failures;
    long
        overruled; ///< steps accepted with the whole tolerance, because shorter ones were no better
    double cpu_seconds, wall_seconds;                      ///< of the integration loop
    double energy_initial, energy_final, energy_max_drift; ///< drift = total - initial - work
    double work; ///< of non-conservative forces and driven constraints
    double residual_position, residual_velocity,
        residual_acceleration; ///< largest absolute over accepted steps
    double h_min, h_max, h_last;
    double kkt_growth;   ///< largest pivot growth seen
    long regularized;    ///< factorizations by the redundancy-tolerant path
    char note[1024];     ///< remarks for the user (stiffness noticed, graded start, ...), lines
    char warnings[1024]; ///< what makes the results doubtful, a sentence a line
} HolStats;

HOL_API HolStatus hol_sim_create(const HolModel *m, const HolSimOptions *o, HolSim **out,
                                 HolError *err);
/// A run of a C user's own problem from q0, v0 (projected onto the constraints first).
HOL_API HolStatus hol_sim_create_problem(const HolProblem *p, const double *q0, const double *v0,
                                         const HolSimOptions *o, HolSim **out, HolError *err);
/// Assemble: consistent q0, v0, a0, lambda0. Called by the first advance when not called before.
HOL_API HolStatus hol_sim_assemble(HolSim *s, HolError *err);
/// One accepted step, not beyond t_end.
HOL_API HolStatus hol_sim_step(HolSim *s, double t_end, HolError *err);
/// Steps until t_end; HOL_INTERRUPTED when the stop flag was set.
HOL_API HolStatus hol_sim_advance(HolSim *s, double t_end, HolError *err);
/// What hol_sim_run tells: a step was accepted that ends at t; a row of results is due at t.
enum { HOL_AT_STEP, HOL_AT_ROW };
typedef HolStatus (*HolObserver)(void *user, HolSim *s, int what, double t, HolError *err);
/// Steps until `end` with the rows of results on their way: at the start, at every multiple of
/// `output_step` (0: every step) and where the run ends, whatever ends it. An observer that returns
/// other than HOL_OK ends it too.
HOL_API HolStatus hol_sim_run(HolSim *s, double end, HolObserver observer, void *user,
                              HolError *err);
/// State at time t inside the last step (dense output); arrays may be NULL.
HOL_API HolStatus hol_sim_interpolate(HolSim *s, double t, double *q, double *v, double *a,
                                      double *lambda, double *w);
HOL_API double hol_sim_time(const HolSim *s); ///< of the last accepted state
HOL_API HolView hol_sim_view(const HolSim *s);
HOL_API HolStats hol_sim_stats(const HolSim *s);
/// *flag != 0 ends advance after the present step (set it from a signal handler).
HOL_API void hol_sim_stop_flag(HolSim *s, const volatile int *flag);
/// All "BODY.quantity" values of the present state: i from 0; returns 0 past the end.
HOL_API int hol_sim_final(HolSim *s, int i, char *name, size_t size, double *value);
HOL_API void hol_sim_destroy(HolSim *s);

// ---------------------------------------------------------------------------------------------
// What assembly and check found
// ---------------------------------------------------------------------------------------------

typedef struct HolDependentRow {
    char joint[64];
    int row;
    char on[256];
    int always;
} HolDependentRow;

typedef struct HolCheck {
    int bodies, joints, coordinates, velocities, constraints, rank, redundant, dof;
    double residual_position, residual_velocity, residual_acceleration; ///< initial, as written
    double moved_position, moved_velocity; ///< largest change assembly made
    char moved_what[128];                  ///< coordinate that moved most
    int n_dependent;
    HolDependentRow dependent[64]; ///< first 64 dependent rows, by joint name
    int n_moved;
    struct {
        char name[64];
        double from, to;
    } moved[64];
    int singular; ///< rank here is below the rank nearby
} HolCheck;

HOL_API HolStatus hol_sim_check(HolSim *s, HolCheck *out, HolError *err);

// ---------------------------------------------------------------------------------------------
// Results: columns of numbers computed from a state
// ---------------------------------------------------------------------------------------------

typedef struct HolColumn {
    const char *name, *unit;
} HolColumn;

/// The columns a model's results have (its `outputs:`, or all), first "time".
HOL_API int hol_model_column_count(const HolModel *m);
HOL_API HolColumn hol_model_column(const HolModel *m, int i);

/// All columns the model can give by default, whatever `outputs:` selects (for reports).
HOL_API int hol_model_all_column_count(const HolModel *m);
HOL_API HolColumn hol_model_all_column(const HolModel *m, int i);
HOL_API HolStatus hol_sim_row_all(HolSim *s, double t, double *out, HolError *err);

/// One row of results at time t (inside the last step): out has hol_model_column_count numbers.
HOL_API HolStatus hol_sim_row(HolSim *s, double t, double *out, HolError *err);
/// 1: accelerations or reactions jump at time t inside the last step (a stop time, a force that
/// jumps): rows at t are those behind it, after hol_sim_rows_before(s, 1) those before it.
HOL_API int hol_sim_jump(HolSim *s, double t);
HOL_API void hol_sim_rows_before(HolSim *s, int before);

/// The files of one command, before anything is written: HOL_ERR_INPUT when an output is also an
/// input or another output, by whatever name or link. A CSV file stands for its manifest too, m
/// (may be NULL) for its own file and the meshes it names, "-" for standard input or output; an
/// output that is NULL is none. Every function below that writes asks this of what it knows itself.
HOL_API HolStatus hol_files_apart(const HolModel *m, const char *const *inputs, int n_inputs,
                                  const char *const *outputs, int n_outputs, HolError *err);

typedef struct HolCertificate HolCertificate; ///< see certify.h

typedef struct HolResultWriter HolResultWriter;
/// path *.csv or *.h5; written beside and renamed by close(commit = 1), removed by close(0). A
/// symbolic link stays a link; devices, pipes and "-" (standard output) take CSV directly.
HOL_API HolStatus hol_result_open(const char *path, const HolModel *m, const HolSimOptions *o,
                                  HolResultWriter **out, HolError *err);
HOL_API HolStatus hol_result_row(HolResultWriter *w, const double *row, HolError *err);
/// The same for certified rows, which may turn out void (close with 0): devices, pipes and standard
/// output get them when the result is closed. Every row is given with hol_result_certified_row: its
/// bounds go to FILE_errors.csv beside FILE.csv, or into the dataset "errors" of an HDF5 file.
HOL_API HolStatus hol_result_open_certified(const char *path, const HolModel *m,
                                            const HolSimOptions *o, HolResultWriter **out,
                                            HolError *err);
HOL_API HolStatus hol_result_certified_row(HolResultWriter *w, const double *row,
                                           const double *bounds, HolError *err);
/// The certificate in the manifest: call it before close.
HOL_API void hol_result_certificate(HolResultWriter *w, const HolCertificate *c);
/// What the manifest says about the run (a CSV file's FILE.csv.json, an HDF5 file's dataset
/// "manifest"): call it before close. stats, check and message may be NULL.
HOL_API void hol_result_summary(HolResultWriter *w, const HolStats *stats, const HolCheck *check,
                                HolStatus status, const char *message);
HOL_API HolStatus hol_result_close(HolResultWriter *w, int commit, HolError *err);

/// A stored result: its columns, and what its manifest knows.
typedef struct HolResult HolResult;
/// path *.csv or *.h5. A CSV file without a manifest has columns only (no units).
HOL_API HolStatus hol_result_read(const char *path, HolResult **out, HolError *err);
HOL_API int hol_result_column_count(const HolResult *r);
HOL_API HolColumn hol_result_column(const HolResult *r, int i);
HOL_API long hol_result_row_count(const HolResult *r);
HOL_API const double *hol_result_values(const HolResult *r, int column); ///< row_count numbers
HOL_API const char *hol_result_label(const HolResult *r); ///< method and step, or the file's name
HOL_API const char *hol_result_title(const HolResult *r); ///< name of the model, or ""
HOL_API void hol_result_destroy(HolResult *r);            ///< NULL is fine

// ---------------------------------------------------------------------------------------------
// Report: one HTML page that shows the run, offline and in any browser
// ---------------------------------------------------------------------------------------------

typedef struct HolReport HolReport;
/// HOL_ERR_UNSUPPORTED when the build has no page (no node at build time). The model must stay
/// until close. The path is taken as by hol_result_open, whatever its ending.
HOL_API HolStatus hol_report_open(const char *path, const HolModel *m, const HolSimOptions *o,
                                  HolReport **out, HolError *err);
/// One sample: `all` as hol_sim_row_all gives it, `row` as hol_sim_row gives it (may be NULL: then
/// the expressions in `outputs:` are left out). Long runs are thinned so that the file stays below
/// 20 MB; the page then says so.
HOL_API HolStatus hol_report_row(HolReport *r, const double *all, const double *row, HolError *err);
/// A line for the page's warnings, such as why a run ended early.
HOL_API void hol_report_remark(HolReport *r, const char *text);
/// Bands of errors and digits; the certificate must stay until close.
HOL_API void hol_report_certify(HolReport *r, const HolCertificate *c);
/// Write the page (commit = 1, beside and renamed) or nothing (0). stats and check may be NULL.
HOL_API HolStatus hol_report_close(HolReport *r, const HolStats *stats, const HolCheck *check,
                                   int commit, HolError *err);

/// The same page from stored results (*.h5, or *.csv with its manifest), several overlaid. Where a
/// result leaves out positions that the picture needs (by `outputs:`), the run is repeated from its
/// model and options; `remarks` (may be NULL) then says so and how well the stored columns agree.
HOL_API HolStatus hol_view_write(const char *const *results, int n, const char *path, char *remarks,
                                 size_t size, HolError *err);

// ---------------------------------------------------------------------------------------------
// Plots for papers: panels over one x axis, as SVG or PNG
// ---------------------------------------------------------------------------------------------

/// One curve. Points with an x or y that is not finite (or not positive on a logarithmic axis) are
/// gaps.
typedef struct HolCurve {
    const char *label; ///< for the legend, NULL: none
    const double *x, *y;
    long n;
    int color;   ///< 0 .. 7 of the palette, then again from 0
    int dash;    ///< 0 solid, 1 .. 3
    int markers; ///< 0: a line; 1: a line with a mark at every point; 2: marks alone
} HolCurve;

typedef struct HolPanel {
    const char *label; ///< of the y axis
    int log_y;
    const HolCurve *curves;
    int n_curves;
} HolPanel;

typedef struct HolPlot {
    const char *title; ///< NULL: none
    const char *x_label;
    int log_x;
    double from, to;   ///< range of x; NAN: that of the data
    int width, height; ///< [pt] of the picture; 0: 480 wide, 300 a panel
    double scale;      ///< PNG: pixels a pt; 0: 3
    const HolPanel *panels;
    int n_panels;
} HolPlot;

/// path *.svg or *.png, written beside and renamed; devices, pipes and "-" (standard output) are
/// written directly, as SVG when the name says nothing.
HOL_API HolStatus hol_plot_write(const HolPlot *plot, const char *path, HolError *err);

// ---------------------------------------------------------------------------------------------
// Studio: a page on this machine to edit, run and compare models
// ---------------------------------------------------------------------------------------------

typedef struct HolStudio HolStudio;
typedef struct HolStudioOptions {
    int port;            ///< on 127.0.0.1; 0: any free one
    const char *program; ///< path of the command `holonom`, which makes the runs
    const char *model;   ///< file to open with, or NULL
    const char *models;  ///< folder of the gallery, or NULL
    double seconds;      ///< longest run; 0: 60
} HolStudioOptions;

/// HOL_ERR_UNSUPPORTED when the build has no page or no libmicrohttpd.
HOL_API HolStatus hol_studio_open(const HolStudioOptions *o, HolStudio **out, HolError *err);
/// "http://127.0.0.1:PORT/TOKEN/": who has it may run models
HOL_API const char *hol_studio_address(const HolStudio *s);
/// Answers requests until *stop is not 0.
HOL_API HolStatus hol_studio_serve(HolStudio *s, const volatile int *stop, HolError *err);
/// Ends all runs and removes their files. NULL is fine.
HOL_API void hol_studio_close(HolStudio *s);

// ---------------------------------------------------------------------------------------------
// Kinds: every joint, force and method with its fields, from the tables
// ---------------------------------------------------------------------------------------------

enum { HOL_KINDS_TEXT, HOL_KINDS_MARKDOWN, HOL_KINDS_SCHEMA };
HOL_API void hol_kinds_print(int format, void (*put)(void *to, const char *text, size_t length),
                             void *to);

// ---------------------------------------------------------------------------------------------
// Reproduction: the tables of the papers behind the methods, computed now
// ---------------------------------------------------------------------------------------------

enum { HOL_REPRODUCE_TEXT, HOL_REPRODUCE_MARKDOWN, HOL_REPRODUCE_JSON };
/// paper: "000" to "004", "methods" (all methods on the same problems), or NULL for all papers.
/// quick: leave out what takes more than a few seconds (such values print as "-").
HOL_API HolStatus hol_reproduce(const char *paper, int quick, int format,
                                void (*put)(void *to, const char *text, size_t length), void *to,
                                HolError *err);

#ifdef __cplusplus
}
#endif
#include "holonom/certify.h"

#endif
