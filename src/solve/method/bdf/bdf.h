// SPDX-License-Identifier: Apache-2.0
// What the files of the method bdf share. The equations (bdf_equations.c), their matrix
// (bdf_jacobian.c) and the coordinate split (bdf_split.c) know nothing of the library that
// integrates them; bdf_ida.c connects them to SUNDIALS IDA, bdf.c to the driver.
//
// Unknowns y = (q, v [, lambda, mu, w]); rows of an equation system F(t, y, y') = 0, see
// bdf_equations.c. "Active" rows are the constraints that do not always depend on others.
#ifndef HOL_SOLVE_BDF_H
#define HOL_SOLVE_BDF_H

#include "solve/sim.h"

enum { HOL_BDF_GGL, HOL_BDF_GGL_STAR, HOL_BDF_CS, HOL_BDF_CM, HOL_BDF_CMP, HOL_BDF_CMF };

// P with P G^T = 0 for some rows of G, from an LU decomposition G = L [U_Y U_X]
typedef struct HolBdfSplit {
    int n, m; // columns (velocities), rows
    const HolPattern *G;
    const int *row;                     // m: the rows of G taken
    const double *scale;                // n: pivots are the largest |u| * scale
    int *pivot;                         // m: dependent coordinate of each row (Y)
    int *owner;                         // n: its row, of dependent coordinates
    int *free_column;                   // n - m: independent coordinates (X), ascending
    unsigned char *is_dependent;        // n
    int *l_ptr, *l_idx, *u_ptr, *u_idx; // by rows; U: the pivot first
    double *l, *u;
    int l_room, u_room;
    double *work, *z;        // n, m
    unsigned char *mark;     // n: columns of the row that is being reduced
    int *marked, n_marked;   // these
    int *waiting, n_waiting; // rows still to be subtracted from it
    double ratio;            // largest scaled entry of U by its pivot, from the last factorization
} HolBdfSplit;

int hol_bdf_split_create(HolArena *arena, HolBdfSplit *p, int n, const HolPattern *G,
                         const int *row, int m, const double *scale);
// choose Y at G; 0 = ok, -1 no memory, else 1 + row (of G) that depends on the others
int hol_bdf_split_choose(HolArena *arena, HolBdfSplit *p, const double *G);
// the same Y at another G; 0 = ok, else 1 + row whose pivot vanished
int hol_bdf_split_factor(HolBdfSplit *p, const double *G);
// out = P r (n - m values)
void hol_bdf_split_project(HolBdfSplit *p, const double *r, double *out);
// s = -(G Y)^-T r_Y by row of the split: r + G^T s vanishes on Y
void hol_bdf_split_multipliers(HolBdfSplit *p, const double *r, double *s);

typedef struct HolBdfSaddle HolBdfSaddle;

typedef struct HolBdf {
    HolSim *s;
    int formulation;
    int multipliers;   // 1: lambda and mu are unknowns (ggl, ggl-star)
    int curvature;     // 1: (G^T s)_q is in the matrix (not cm, cmp, cmf)
    int velocity_test; // 1: the error test covers velocities, too
    int published;     // 1: the whole tolerance each step, relative to |y| + 1
    int nq, nv, nw, quaternions;
    int ma, ha;    // active constraint rows, of these holonomic
    int n, n_wide; // unknowns of F; rows and columns of the matrix with all multipliers
    int *row;      // ma: active rows, the holonomic ones first
    // kinematics: increments d = W(q) dq
    int *q_first, *q_count; // nv: coordinates q_first .. + q_count - 1 make v_i (1 or 4)
    double *W;              // nv x 4
    int *quaternion_q, *quaternion_v;
    int *block; // nv: quaternion whose rate v_i is part of, or -1
    // values at the last point evaluated
    double *q;              // nq, quaternions normalized
    double *r1, *r2, *norm; // nv, nv, quaternions
    double *gv, *g, *rw;    // active velocity and position residuals, variables
    double *M, *G;
    double *lambda, *mu;          // m each, zero for rows that are not active
    double *scratch;              // m + 1
    double *work;                 // nv + m + nw + 1
    HolBdfSplit split_q, split_v; // of the position rows and of all rows
    double *scale;                // nv, of the split
    int frozen;                   // cmp, cmf: P stays while this is set
    // the matrix, by columns
    double *H, *K, *C, *B, *base, *J; // values in patterns S, S, S, G, S; Jacobians of W(...)
    int entries, room_row, room_column, next; // entries put so far
    int *entry_row, *entry_column, *place;    // place: NULL while the pattern is being made
    int *ptr, *idx, nnz;
    double *val;
    struct HolBdfIda *ida;
    HolBdfSaddle *saddle; // large systems; NULL: the wide matrix is factored
    struct HolBdfCross *cross;
    double t;                       // where the integrator is; s->x.t may still be behind
    int broken;                     // the last step failed: start again from s->x
    double h_least, h_most, h_last; // steps of the integrator
    double h_since;                 // the largest step since the integrator started
    long done;                      // steps of the integrator in the present attempt
    int crossing;                   // the last step led over a singular position, by another method
} HolBdf;

// ---- bdf_equations.c ----
HolStatus hol_bdf_kinematics(HolBdf *b, HolError *err); // which coordinates are what
HolStatus hol_bdf_prepare(HolBdf *b, HolError *err);    // memory, once the active rows are known
void hol_bdf_start_values(HolBdf *b, double *y, double *yp);
double hol_bdf_sum(const double *x, int n); // of |x_i|: finite when all are
// 0 = ok, 1 = not defined here (a smaller step may help)
int hol_bdf_evaluate(HolBdf *b, double t, const double *y, const double *yp);
int hol_bdf_residual(HolBdf *b, double t, const double *y, const double *yp, double *F);
// right-hand side of F to one of the wide matrix, and back
void hol_bdf_widen(const HolBdf *b, const double *F, double *wide);
// quaternions of y to unit length
void hol_bdf_position(const HolBdf *b, const double *y, double *q);
void hol_bdf_mask(const HolBdf *b, double *id); // 1: in the error test
// a new split when pivots became small; 1 = changed
int hol_bdf_renew_split(HolBdf *b, double t, const double *y);
HolStatus hol_bdf_first_split(HolBdf *b, HolError *err); // at s->x

// ---- bdf_jacobian.c ----
HolStatus hol_bdf_pattern(HolBdf *b, HolError *err);
int hol_bdf_jacobian(HolBdf *b, double t, double cj, const double *y, const double *yp);

// ---- bdf_saddle.c ----
int hol_bdf_saddle_create(HolBdf *b); // 0: out of memory
void hol_bdf_saddle_destroy(HolBdf *b);
void hol_bdf_saddle_start(HolBdf *b);                            // failures are forgotten
void hol_bdf_saddle_take(HolBdf *b, double cj, const double *y); // behind hol_bdf_jacobian at y
// 0 = ok, else the wide matrix must be factored
int hol_bdf_saddle_factor(HolBdf *b);
// y = J^-1 F, corrections measured in the units of q and v; 0 = ok, 1: it does not converge
int hol_bdf_saddle_solve(HolBdf *b, const double *F, const double *unit, double *y);

// ---- bdf_cross.c ----
int hol_bdf_cross_create(HolBdf *b); // 0: out of memory
// s->next = a step from s->x where the integrator fails, at most `most`; its size, 0: none is
// accurate enough
double hol_bdf_cross(HolBdf *b, double most);

// ---- bdf_ida.c ----
HolStatus hol_bdf_ida_create(HolBdf *b, int max_order, HolError *err);
HolStatus hol_bdf_ida_start(HolBdf *b, double h, HolError *err); // from s->x
// one step of the integrator, not beyond `limit` (INFINITY: none); b->t moves
HolStatus hol_bdf_ida_step(HolBdf *b, double limit, double towards, HolError *err);
const double *hol_bdf_ida_state(HolBdf *b, double t); // y inside the last step; NULL: outside
void hol_bdf_ida_destroy(HolBdf *b);

// N of bdf_equations.c
static inline double hol_bdf_metric(const HolBdf *b, int i) {
    const double near = b->s->reach[2 * b->nv + i];
    return near * near;
}

#endif
