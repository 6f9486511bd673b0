// SPDX-License-Identifier: Apache-2.0
// The constrained second-order system behind a model, or a C user's own.
#ifndef HOLONOM_PROBLEM_H
#define HOLONOM_PROBLEM_H

#include "holonom/model.h"

#ifdef __cplusplus
extern "C" {
#endif

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
typedef struct HolThreadPool HolThreadPool; ///< threads of one run (of the library's own problems)

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
    void (*share)(const HolProblem *p, void *work, HolThreadPool *pool);

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

    /// Taylor series along the motion (docs/theory/series.md, section 8). NULL: only the jerk, by
    /// differences.
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

#ifdef __cplusplus
}
#endif
#endif
