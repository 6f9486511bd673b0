// SPDX-License-Identifier: Apache-2.0
// What a compiled model offers a method beyond HolProblem: series, joint coordinates of trees,
// threads, switching functions, and what ends or spoils a run. The completed problem of a C user has
// an empty table (hol_no_extras): every entry may be NULL or 0. Tuning a fast path changes this header
// and no public one.
#ifndef HOL_PROBLEM_EXTRAS_H
#define HOL_PROBLEM_EXTRAS_H

#include "base/state/keeper.h"
#include "base/thread_pool.h"
#include "holonom/problem.h"

// What positions and velocities of bodies are measured by, as reciprocals: bodies of a model by
// number (0: the ground), velocity coordinates of a C user's problem (place and speed alone).
typedef struct HolBodyScales {
    double *place, *angle; //< 1/m (or 1/unit of a scalar coordinate), 1/rad
    double *speed, *rate;  //< their velocities
    double *turning[3];    //< space: of rates about each axis of the body; `rate` is the least
} HolBodyScales;

// Taylor series of the motion of a tree in its joint coordinates x.
typedef struct HolTreeSeries {
    // Bytes for `order` coefficients of x'', and their layout (once). 1: for `accelerate` and
    // what needs no series.
    size_t (*size)(const HolProblem *p, int order);
    void (*memory)(const HolProblem *p, void *work, void *memory, int order);
    // A series about x, x' (0: a joint has no inertia to move); then coefficient 0, 1, .. of x''.
    int (*start)(const HolProblem *p, void *memory, double t, const double *x, const double *rate);
    void (*order)(const HolProblem *p, void *memory, int k);
    // x'' at x, x', without a series: read it by `begin`. 0: as of `start`.
    int (*accelerate)(const HolProblem *p, void *memory, double t, const double *x,
                      const double *rate);
    // How far bodies move and turn by coefficients first .. first+3 of x, and by two small changes
    // of x (the second one may be NULL), over the scales of positions (q) and of velocities (v).
    void (*sizes)(const HolProblem *p, void *memory, const HolBodyScales *scale, int first,
                  double q[4], double v[4]);
    void (*reach)(const HolProblem *p, void *memory, const HolBodyScales *scale,
                  const double *change, const double *other, double q[2], double v[2]);
    // x, x', x'' (each may be NULL) at the start.
    void (*begin)(const HolProblem *p, const void *memory, double *x, double *rate, double *second);
    // x, x', x'' (or x and NULL, NULL) at h from n coefficients of x'. Each term of order k of the
    // three sums counts weight[k] times, k = 0 .. n (NULL: once).
    void (*eval)(const HolProblem *p, const void *memory, int n, double h, const double *weight,
                 double *x, double *rate, double *second);
    // Work of the forces that `energy` counts as power, over [0, h], from n coefficients of x'.
    double (*work)(const HolProblem *p, const void *memory, int n, double h);
    // Which of two equivalent positions the bodies have (signs of quaternions), from x and q.
    void (*sides)(const HolProblem *p, void *memory, const double *x, const double *q);
    // Positions, velocities and accelerations of the bodies, and what is left of their
    // constraints. `memory` serves as scratch; `reach` may run beside it.
    void (*state)(const HolProblem *p, void *memory, const double *x, const double *rate,
                  const double *second, double *q, double *v, double *a, double residual[3]);
    // x' of a state; the angles of an accepted state (0: there are others, see HolProblemExtras.accept).
    void (*rates)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                  double *rate);
    int (*accept)(const HolProblem *p, void *work, double t, const double *x, const double *rate);
    void (*keep)(const HolProblem *p, void *memory, HolKeeper *k); // the series
} HolTreeSeries;

// out = base + h (c1 q' + h c2 q''), in one walk
typedef struct HolFormula {
    const double *q, *v, *a, *base;
    double h, c1, c2, *out;
} HolFormula;

typedef struct HolProblemExtras {
    // ---- evaluation ----
    // nv, ascending: the body that owns each velocity; open trees of bodies are then solved along the
    // tree. NULL: not known
    const int *body;
    // analyses of matrices that runs share; NULL: each makes its own
    struct HolKktPlans *plans;
    // threads that all functions may use from now on; NULL: they work alone
    void (*share)(const HolProblem *p, void *work, HolThreadPool *pool);
    // third derivative of q, with the jerk j = a'. NULL: differences of qddot
    void (*qdddot)(const HolProblem *p, void *work, const double *q, const double *v,
                   const double *a, const double *j, double *qddd);
    void (*formula)(const HolProblem *p, void *work, const HolFormula *f);
    // out = q moved towards `near`, which need not lie on the manifold |p| = 1; 1: it hardly moved
    int (*settle)(const HolProblem *p, void *work, const double *q, const double *near,
                  double *out);
    // both parts of `tangent` at once: C += -f_v, K += (G^T lambda)_q - f_q; no algebraic variables
    void (*tangents)(const HolProblem *p, void *work, const HolPoint *at, double *C, double *K);

    // of the velocities, the last ones belong to coordinates that are no part of the mechanism; of the
    // constraints, so many may be open
    int n_hidden, n_modes;
    // first-order states: velocities (ascending) whose coordinates mean nothing
    int n_states;
    const int *states;

    // springs, dampers, applied forces and other elements (gravity apart); with `body` NULL: not known
    int n_forces;

    // ---- parts that turn (bodies), for the axes of linearizations ----
    // of part i: the first of its translations (as many as `dimensions`) and of its rotations among
    // the velocities, -1: none; its orientation at q, by rows. Velocities of rotations in space are in
    // its own axes, increments too
    int n_parts, dimensions; // 0: nothing is known
    void (*part)(const HolProblem *p, int i, const double *q, int *translation, int *rotation,
                 double orientation[9]);

    // ---- Taylor series along the motion (docs/theory) ----
    // start: order-0 data q, v. rhs(k): right-hand side of
    //   [M0 G0^T; G0 0] [a_k; lambda_k] = rhs,  a_k = (k+1) v_{k+1},  given coefficients below k.
    // set(k): store the solution. eval: the truncated series at t+h (any output may be NULL).
    int series_max; // highest k allowed with the memory in `work` (at least 2); 0: no series
    // Room for more orders: bytes needed, and hand it over (a stepper does so when it is created).
    size_t (*series_size)(const HolProblem *p, int order);
    void (*series_memory)(const HolProblem *p, void *work, void *memory, int order);
    // Exchange the series at hand with a second set (given by series_memory after a swap).
    void (*series_swap)(const HolProblem *p, void *work);
    void (*series_start)(const HolProblem *p, void *work, double t, const double *q,
                         const double *v);
    void (*series_rhs)(const HolProblem *p, void *work, int k, double *rhs /* nv + m + nw */);
    void (*series_set)(const HolProblem *p, void *work, int k, const double *a,
                       const double *lambda, const double *w);
    void (*series_eval)(const HolProblem *p, void *work, int k, double h, double *q, double *v,
                        double *a, double *lambda, double *w);
    // Largest of each Taylor coefficient first .. first+n-1 (n up to 5) of q over the scales of
    // positions (q) and of velocities (v), rotations by angle, for step control.
    void (*series_sizes)(const HolProblem *p, void *work, const HolBodyScales *scale, int first,
                         int n, double *q, double *v);
    // Work of the forces that `energy` counts as power, over [t, t+h], from the series up to order
    // k. NULL: by quadrature.
    double (*series_work)(const HolProblem *p, void *work, int k, double h);

    // ---- joint coordinates of trees ----
    // n_tree joint coordinates x that determine the motion explicitly; 0: none. x of a position q
    // (angles next to the last accepted ones); then q of x and, where v is not NULL, v of x' with its
    // directions E (nv x n_tree by columns, v = E x') and b, a = E x'' + b. q holds a position nearby
    // on entry.
    int n_tree;
    void (*tree_coordinates)(const HolProblem *p, void *work, double t, const double *q, double *x);
    void (*tree_motion)(const HolProblem *p, void *work, const double *x, const double *rate,
                        double *q, double *v, double *E, double *b);
    const HolTreeSeries *tree_series; // Taylor series of x; NULL: none

    // ---- switching functions ----
    // of the forces (if, abs, min, interp ...): a sign change is a kink of the motion
    int n_switches;
    void (*switches)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                     const double *w, double *values);
    int switching_rows; // constraints whose laws have some
    // those that depend on time alone. Its value; its sign wherever it is known to be the same from t0
    // to t1, else 0; the time law (below) that it belongs to, -1: none
    int n_time_switches;
    double (*time_switch)(const HolProblem *p, void *work, int i, double t);
    int (*time_switch_side)(const HolProblem *p, void *work, int i, double t0, double t1);
    int (*time_switch_law)(const HolProblem *p, int i);
    // ---- laws with parts that depend on time alone and may be pulses ----
    // widths: of the bounds of its parts over the run, time_law_room numbers. time_law: what samples
    // show of it from t0 to t1, between which none of its time switches lies: 0 nothing happens, 1
    // they show it, 2 its bounds are much wider
    int n_time_laws, time_law_room;
    void (*time_law_widths)(const HolProblem *p, void *work, int i, double t0, double t1,
                            double *widths);
    int (*time_law)(const HolProblem *p, void *work, int i, const double *widths, double t0,
                    double t1);
    // Whose switching function i is, for messages; NULL: unknown.
    void (*switch_name)(const HolProblem *p, int i, char *out, size_t size);

    // ---- contacts among many bodies ----
    // the name of one whose forces have no derivatives: `tangent` leaves them out; NULL: there is none
    const char *crowd;
    // A step of size h from a state: h, or less, so that no body passes another unseen and the step ends
    // at the next touch. *many: more touches lie in it than are located. *reach: the longest step in
    // which none passes another
    double (*crowd_step)(const HolProblem *p, void *work, const HolPoint *at, double h, int *many,
                         double *reach);

    // ---- elements with modes, events ----
    const struct HolNonsmooth *nonsmooth; // NULL: there are none

    // ---- along a run ----
    // What `work` remembers of the run (turns of angles, series of the last step): kept, or taken
    // back. NULL: nothing.
    void (*keep)(const HolProblem *p, void *work, HolKeeper *k);
    // Called with every accepted state (unwrapping of angles, events). NULL: nothing.
    void (*accept)(const HolProblem *p, void *work, double t, const double *q, const double *v);
    // Called once, before assembly, with the values as written: whole turns of driven angles are
    // counted from there, and what is worth a remark is said. NULL: nothing.
    void (*begin)(const HolProblem *p, void *work, double t, const double *q,
                  void (*say)(void *to, const char *text), void *to);
    // The first time after t at which a force or drive has a kink that is known beforehand (knots
    // of tables of time; jumps_only: those of floor), INFINITY: none. NULL: there is none at all.
    double (*next_kink)(const HolProblem *p, double t, int jumps_only);
    double (*behind_kink)(const HolProblem *p, double t); // t, or behind the knot at it
    // What a state does that it must not (a table or a bushing at the end of its range): 1 and the
    // reason, else 0. accepted: of a state that was accepted, what is worth a remark; called until
    // it returns 0. NULL: nothing.
    int (*judge)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                 const double *w, int accepted, char *text, size_t size);
    // How far (in radians) an unwrapped angle at (t,q,v) may lie from where it was expected after
    // the last accepted state; from pi on its number of turns is a guess. *body: whose. NULL:
    // there is none.
    double (*surprise)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                       const char **body);
    // 1: something at this state has no value (sqrt of a negative number ..), and `out` says what and
    // where it stands. NULL: nothing is known. check_faults: the constraints of every accepted state
    // are asked
    int check_faults;
    int (*fault)(const HolProblem *p, void *work, double t, const double *q, const double *v,
                 const double *w, int constraints_only, char *out, size_t size);
    // The first time in (from, to] at which a drive has no value, and why; INFINITY: none. NULL:
    // nothing is known.
    double (*drive_end)(const HolProblem *p, void *work, double from, double to, char *out,
                        size_t size);
} HolProblemExtras;

extern const HolProblemExtras hol_no_extras;

#endif
