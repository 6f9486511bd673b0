// SPDX-License-Identifier: Apache-2.0
// Private to the tangent stepper: its formulas as coefficients, its memory, its parts.
//   q^ = q0 + sum h^k (c0[k] q0^(k) + c1[k] q1^(k)),  k = 1, 2, 3: q', q'', q'''
//   v^ = v0 + sum h^k (d0[k] v0^(k) + d1[k] v1^(k)),  k = 1, 2: a, jerk j
// lag not 0 (hht, generalized-alpha): j is the recursion of tangent_formula.c instead, of the old end
// alone.
#ifndef HOL_SOLVE_STEP_TANGENT_H
#define HOL_SOLVE_STEP_TANGENT_H

#include "solve/constraint/project.h"

typedef struct TangentFormula {
    const char *name;
    double c0[4], c1[3], d0[3], d1[3]; // [0] unused
    int jerk;                          // 1: the jerk enters, a start needs it
    int order;
    double lag, alpha_m;     // hht, generalized-alpha
    double error_q, error_v; // without the jerk: local errors error_q h^3 a', error_v h^3 a''
    double first_order;      // the same: first_order h^2 a' in v
} TangentFormula;

// One end of a step: the state, the jerk and the rate of the multipliers.
typedef struct TangentNode {
    HolState x;
    double *j, *ld; // nv, m
    double *s;      // half the rate of the jerk
    int has_s;      // 1: it is known
} TangentNode;

enum { TANGENT_PAST = 2, TANGENT_SUB = TANGENT_PAST + 2 };

// Newton system in coordinates of the tangent space, see tangent_reduced.c.
typedef struct TangentReduced {
    int ready;                // 1: P is factored and in use
    int dof;                  // degrees of freedom; 0: not known yet, -1: too many
    int columns;              // room
    double *E, *Eu, *ME;      // nv x dof by columns
    double *G, *rate, *x, *q; // G at a point nearby, G v + gt; scratch
    double *A, *N, *A2;       // A, N, second rows of A A + A', row-major
    double *last[2];          // A at the ends of the last two steps
    double time[2], time_A;   // when
    double unit;              // of time in P
    int known;                // how many of them
    double *P;                // 2d x 2d, factored
    int *pivot;
} TangentReduced;

// Newton for q, v, a, j at once through a complex saddle point, see tangent_complex.c.
typedef struct TangentComplex {
    struct HolComplexSaddle *saddle; // NULL: not for this scheme or mechanism
    double h;                        // step the factorization belongs to; 0: none
    double *P, *V, *A, *J;           // residuals of the four rows, nv + m
    double *z;                       // nv + m pairs
    double *B;                       // (G v + gt)_q, pattern G
    int sixth;                       // 1: hermite is raised to order 6, see tangent_order6.c
    double error, error_v;           // norms of what that changed in this step; 0: not raised
} TangentComplex;

typedef struct Tangent {
    TangentFormula f, chosen; // in use, as the options say
    int damped;               // so many of the next steps use the L-stable formula
    double gamma, beta;       // newmark, hht, generalized-alpha
    int euclid;
    HolKkt *position,
        *velocity; // metric of the two rows; s->mass itself when they are equal
    // ends: node 0 is the present state's jerk only (its state is s->x), 1 the candidate's
    TangentNode from, to, sub[TANGENT_SUB];
    // earlier ends of steps, newest first: for the predictor and dense output
    TangentNode past[TANGENT_PAST];
    int has_back;                // how many of them
    double *guess[TANGENT_PAST]; // a1 extrapolated through 2, 3 ends
    double guess_error[TANGENT_PAST];
    int guesses;
    // values at the iterate, and the fixed parts of the formulas
    int has_M;              // 1: M is there
    int pushed_q, pushed_v; // mu, nu are not zero any more
    const double *G;        // G_own, or that of the factorization made there
    double *G_own, *M, *mu, *nu;
    int still;  // 1: q and v of the iterate are q^ and v^ themselves
    double way; // largest increment of the last move, in scales of q
    double *q_base, *v_base, *q_hat, *v_hat, *v_last, *v_guess, *qd, *qdd;
    double *r, *rhs, *dq, *dv, *e, *change;
    // error of the velocities: a''' (newmark: a') of this step, of the last accepted one, its size
    double *ev, *third, *third_before, third_h; // third_h 0: there is none
    double *curvature; // -gamma of the last accelerations, until the residuals are taken
    double rate;       // last observed contraction of a sweep
    double enough;     // error an iteration may leave: round-off, or a part of the tolerance
    double finest;     // the same where velocities govern the error, see hol_tangent_error
    double round_off;  // changes of an iteration up to here are not worth another
    double correction; // part of the accelerations a correction may leave
    double moved;      // distance from the point of the factorization
    // Newton
    int iterations;       // of the last solved step
    double newton_rate;   // contraction to be expected
    double newton_enough; // as `enough`, of Newton's iteration
    int stiff;            // 1: sweeps did not contract, Newton is used
    long stiff_steps, stiff_retry;
    HolKkt *newton;         // pattern S; NULL: not needed
    double *MS, *C, *K, *Z; // pattern S, and 2 (nv + m) right-hand side
    TangentReduced reduced;
    TangentComplex pair;
    double newton_h; // step the factorization belongs to; 0: none
    // start
    int graded;             // 1: the next step is to be graded
    int from_old;           // 1: the iteration starts from the old state
    double predictor_error; // of the last step, as a part of its displacement
    double last_error;      // of the last accepted step, 0: none
    double error;           // of the present candidate
    double h_limit;         // where the iteration failed, relaxed slowly; 0: none
    double h_growth;        // by this factor a step, less after each failure
} Tangent;

// tangent_newton.c: (dq, dv) becomes P^-1 (dq, dv), P = derivative of 1 - (formula) with
// M da = -(K dq + C dv), M dj = -(K dv + C da) in the tangent space
int hol_tangent_newton_create(HolSim *s, Tangent *m); // 0: no memory
int hol_tangent_newton_matrix(HolSim *s, Tangent *m, int redundant);
HolStatus hol_tangent_newton_factor(HolSim *s, Tangent *m, const HolState *x, double h,
                                    HolError *err);
void hol_tangent_newton_solve(HolSim *s, Tangent *m, double h, double *dq, double *dv);

// mass, damping and stiffness at x into m->MS, m->C, m->K
void hol_tangent_newton_matrices(HolSim *s, Tangent *m, const HolState *x);

// tangent_complex.c
int hol_tangent_complex_create(HolSim *s, Tangent *m);
// 0: a pivot vanished
int hol_tangent_complex_factor(HolSim *s, Tangent *m, const HolState *x, double h);
// one Newton iteration: m->e, m->dv are the increments of q and v, not made yet; a, j and all
// multipliers are advanced
void hol_tangent_complex_increments(HolSim *s, Tangent *m, TangentNode *to, double h);
// (e, m->dv) := an error e and its rate (M times it is `force`, overwritten) as the step sees them;
// what belongs to them in the accelerations and jerks is added to a and j (NULL: not wanted)
void hol_tangent_complex_filter(HolSim *s, Tangent *m, double h, double *e, double *force,
                                double *a, double *j);

// tangent_order6.c: the solved step becomes one of order 6 (in hermite's steps)
void hol_tangent_sixth(HolSim *s, Tangent *m, const TangentNode *from, double h, TangentNode *to);

// tangent_reduced.c: the same for few degrees of freedom (reduced.dof >= 0), more exactly; K
// and C of the iterate are in m->K, m->C
int hol_tangent_reduced_create(HolSim *s, Tangent *m);
HolStatus hol_tangent_reduced_factor(HolSim *s, Tangent *m, const HolState *x, double h);
void hol_tangent_reduced_accepted(HolSim *s, Tangent *m);
void hol_tangent_reduced_solve(HolSim *s, Tangent *m, double h, double *dq, double *dv);

// tangent_predict.c: a1, lambda1 and their rates; how good that was, into m->predictor_error
void hol_tangent_predict(HolSim *s, Tangent *m, const TangentNode *from, double h, TangentNode *to);
int hol_tangent_predict_motion(HolSim *s, Tangent *m, const TangentNode *from, double h);
void hol_tangent_rate_predictor(const HolSim *s, Tangent *m, double h, const TangentNode *to);

// tangent_levels.c
// q_base, v_base: what the old state contributes to q^ and v^; then q^ and v^ at the iterate
// third derivative of q; changes m->q_hat, m->dq, m->dv and m->qdd
void hol_tangent_third(HolSim *s, Tangent *m, const TangentNode *from, double *out);
void hol_tangent_fixed_parts(HolSim *s, Tangent *m, const TangentNode *from, double h);
// q^ = q0 + h q0' + h^2/2 q0''
void hol_tangent_first_position(HolSim *s, Tangent *m, const TangentNode *from, double h);
void hol_tangent_formula_v(const HolSim *s, Tangent *m, const TangentNode *to, double h);
void hol_tangent_formula_q(HolSim *s, Tangent *m, const TangentNode *to, const double *v, double h);
// q^, v^ and m->v_guess, v as the new accelerations give it with the normal part that the last
// sweep found; plain coordinates
void hol_tangent_formulas(HolSim *s, Tangent *m, const TangentNode *to, double h);
// the first iterate: q1 and v1 are q^ and v^ themselves; plain coordinates
void hol_tangent_first_formulas(HolSim *s, Tangent *m, TangentNode *to, double h);
HolStatus hol_tangent_factor(HolSim *s, Tangent *m, double t, const double *q, HolError *err);
// increments m->e of the position row, m->dv of the velocity row
void hol_tangent_position(HolSim *s, Tangent *m, const TangentNode *to);
void hol_tangent_velocity(HolSim *s, Tangent *m, const TangentNode *to, const double *v);
// right-hand sides (nv + m) of the acceleration equations at q, v of the node and of their rate
// with its a, lambda
void hol_tangent_right_sides(HolSim *s, Tangent *m, const TangentNode *to, double *A, double *J);
HolStatus hol_tangent_accelerate(HolSim *s, Tangent *m, TangentNode *to, HolError *err);
void hol_tangent_snap(HolSim *s, Tangent *m, TangentNode *to); // to->s alone
// Newton's a and j onto their constraints, and lambda from them. Fast motion left in q and v by
// the iteration, times its rate, is not in these, but would be in those of hol_tangent_accelerate
void hol_tangent_smooth(HolSim *s, Tangent *m, TangentNode *to);
void hol_tangent_move(HolSim *s, Tangent *m, TangentNode *to, const double *dq);
void hol_tangent_project(HolSim *s, Tangent *m, TangentNode *to, int passes);
// largest constraint residuals of the state just solved, from what is at hand (no border)
void hol_tangent_residuals(HolSim *s, Tangent *m, const HolState *x, double residual[3]);

// tangent_formula.c
HolStatus hol_tangent_choose(const HolMethodOptions *o, Tangent *m, HolError *err);
void hol_tangent_set_formula(Tangent *m); // of the next steps, see `damped`
void hol_tangent_lag(const HolSim *s, const Tangent *m, const TangentNode *from, double h,
                     TangentNode *to); // to->j of a solved step
void hol_tangent_map(const HolMethodOptions *o, struct HolStepMap *out);
extern const HolField hol_tangent_options[];

// tangent_iterate.c: solve one step of size h between two nodes
HolStatus hol_tangent_solve(HolSim *s, Tangent *m, const TangentNode *from, double h,
                            TangentNode *to, HolError *err);

// tangent_dense.c
void hol_tangent_keep(HolSim *s, HolKeeper *k);
void hol_tangent_dense(HolSim *s, double theta, HolState *out);
// local error of the step from m->from to m->to: norm / tolerance, and the next step (PI control)
void hol_tangent_error(HolSim *s, Tangent *m, double h, HolStepResult *result);
// e (nv + m + nw) := its part in the tangent space, M-orthogonal, with the factorization at hand
void hol_tangent_tangential(HolSim *s, Tangent *m, double *e);

#endif
