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

/// Where the functions of a problem are evaluated. Each reads what its comment names; the rest may be
/// NULL.
typedef struct HolPoint {
    double t;
    const double *q, *v, *a, *lambda, *w;
} HolPoint;

/// What `variables` fills: r = w - W(...) and, where they are not NULL, the dense row-major Jacobians
/// of W: Jq, Jv, Ja (nw x nv), Jl (nw x m), Jw (nw x nw), and fw = df/dw (nv x nw).
typedef struct HolAlgebraic {
    double *r, *Jq, *Jv, *Ja, *Jl, *Jw, *fw;
} HolAlgebraic;

struct HolProblem {
    size_t size;      ///< set by hol_problem_def, see error.h
    const void *user; ///< handed to every function (read-only, shared by threads)
    int nq, nv, nh, nn, nw;
    HolPattern M;       ///< nv x nv, by columns, both triangles
    HolPattern S;       ///< nv x nv, by columns: M and all derivative matrices fit in it
    HolPattern G;       ///< (nh+nn) x nv, by rows
    int constant_mass;  ///< 1: M depends neither on q nor on t
    int symmetric_mass; ///< 1: the values of M are symmetric to the last bit
    int has_power;      ///< 0: the power of `energy` is always zero
    size_t
        work_size; ///< bytes of per-simulation workspace, given as `work` below (64-byte aligned,
                   ///< zeroed)
    HolStatus (*work_init)(const HolProblem *p, void *work);

    /// qd = T(q) v. NULL: q' = v.
    void (*qdot)(const HolProblem *p, void *work, const double *q, const double *v, double *qd);
    /// qdd = d/dt (T(q) v). NULL: a, or differences of qdot.
    void (*qddot)(const HolProblem *p, void *work, const double *q, const double *v,
                  const double *a, double *qdd);
    /// out = q (+) d, the retraction. NULL: q + d.  (out may be q)
    void (*retract)(const HolProblem *p, void *work, const double *q, const double *d, double *out);
    /// d = q1 (-) q0 as an increment in velocity coordinates at q1; q0 need not lie on the manifold
    /// |p|=1. NULL: q1 - q0.
    void (*minus)(const HolProblem *p, void *work, const double *q1, const double *q0, double *d);

    /// Required. S += c M(q,t), S in the pattern given by `into_S` (0: pattern M, 1: pattern S).
    void (*mass)(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                 double *S);
    /// Required. f(t,q,v,w), nv.
    void (*force)(const HolProblem *p, void *work, const HolPoint *at, double *f);
    /// Required if nh > 0. g(q,t), nh.
    void (*constraint)(const HolProblem *p, void *work, const HolPoint *at, double *g);
    /// Values of G(q,t) (nh+nn rows) in its pattern. NULL: differences of `constraint` (nn must be 0).
    void (*jacobian)(const HolProblem *p, void *work, const HolPoint *at, double *G);
    /// gt(q,t) with G v + gt = 0 (nh: g_t; nn: b). NULL: differences in time (nn: zero).
    void (*velocity_rhs)(const HolProblem *p, void *work, const HolPoint *at, double *gt);
    /// gamma(t,q,v) with G a + gamma = 0. NULL: differences of G v + gt along (q', t).
    void (*acceleration_rhs)(const HolProblem *p, void *work, const HolPoint *at, double *gamma);
    /// S += cC (-f_v) + cK ((M a)_q + (G^T lambda)_q - f_q), in pattern S, at all of the point; a and
    /// lambda may be NULL: zero. NULL: differences.
    void (*tangent)(const HolProblem *p, void *work, const HolPoint *at, double cC, double cK,
                    double *S);
    /// Velocity-level Jacobian wrt q: B += (d/dq)(G v + gt) at (t,q,v), in pattern G (entries outside
    /// of it are left out: it serves as a Newton matrix). NULL: differences.
    void (*velocity_jacobian)(const HolProblem *p, void *work, const HolPoint *at, double *B);
    /// Required if nw > 0: the algebraic variables, at all of the point.
    void (*variables)(const HolProblem *p, void *work, const HolPoint *at, const HolAlgebraic *out);
    /// Energies at (t,q,v,lambda,w); power = that of forces with no potential and of driven
    /// constraints. NULL: no energy.
    void (*energy)(const HolProblem *p, void *work, const HolPoint *at, double *kinetic,
                   double *potential, double *power);
    /// Name of constraint row i for messages (a joint's name). NULL: "constraint i".
    void (*row_name)(const HolProblem *p, int row, char *out, size_t size);
    /// Name of velocity coordinate i for messages ("rod.x"). NULL: "coordinate i".
    void (*coordinate_name)(const HolProblem *p, int i, char *out, size_t size);

    /// What compiled models offer beyond that; private to the library. NULL in a C user's problem.
    const struct HolProblemExtras *extras;
};

HOL_API void hol_problem_def_sized(HolProblem *out, size_t room);
/// An empty problem: fill the sizes and the functions marked required.
static inline HolProblem hol_problem_def(void) {
    HolProblem problem;
    hol_problem_def_sized(&problem, sizeof problem);
    return problem;
}

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
