// SPDX-License-Identifier: Apache-2.0
// Charts: coordinates x of a step, in which a mechanism is an ordinary differential equation,
//   q = q(x, t),  v = E x' + (part that drives ask for),  a = E x'' + b,   G E = 0
//   (E^T M E) x'' = E^T (f - M b)                                          =: F(t, x, x')
// Trees have their joint coordinates, other mechanisms some of the bodies' own coordinates
// (local_coordinates.c). radau works with F, taylor and rk with the series and accelerations of
// trees of hinges (tree_coordinates.c).
#ifndef HOL_SOLVE_CHART_H
#define HOL_SOLVE_CHART_H

#include "solve/chart/retraction.h"

enum { HOL_CHART_DOF = 12 }; // degrees of freedom that a chart may have

typedef struct HolChart {
    int dof;   // 0: not chosen yet
    int tree;  // joint coordinates of a tree; 0: some of the bodies' own coordinates
    int whole; // 1: constraints of velocities or algebraic variables: F by the whole saddle point
    int pick[HOL_CHART_DOF]; // which ones
    double unit
        [HOL_CHART_DOF]; // and what they are measured in: a length near that of the mechanism, 1
    double mobility[HOL_CHART_DOF], own[HOL_CHART_DOF]; // how well they served when chosen
    double *center;                                     // nq: where those of rotations are zero
    double *beta;                                       // dof x nv: their gradients
    double *x, *y;                                      // nv + m + nw scratch
    double *a;                                          // nv scratch
    int *place;           // nv: coordinate of q that is the integral of v_i, -1: none
    double *M, *ME;       // values in pattern M; nv x dof
    HolRetraction blocks; // runs of coordinates that are no plain ones
    double Z[HOL_CHART_DOF * HOL_CHART_DOF],
        LU[HOL_CHART_DOF * HOL_CHART_DOF]; // E^T M E, and factored
    int pivot[HOL_CHART_DOF];
} HolChart;

// a position of the motion with what belongs to it
typedef struct HolChartPoint {
    double t, *q, *v, *E, *b; // nq, nv, nv x dof, nv
    double *lambda, *w;       // m, nw: of F, where the chart is `whole`
    double x[HOL_CHART_DOF], rate[HOL_CHART_DOF], F[HOL_CHART_DOF];
} HolChartPoint;

// how many coordinates: the degrees of freedom, and the states of first order
int hol_chart_needs(const HolSim *s);
// and of positions, which constraints of velocities do not hold
int hol_chart_positions(const HolSim *s);
HolStatus hol_chart_create(HolSim *s, HolChart *c, HolError *err);
// coordinates for the motion from x on, the end of the last step: chosen anew when needed, then
// *fresh = 1
HolStatus hol_chart_begin(HolSim *s, HolChart *c, const HolState *x, int *fresh, HolError *err);
void hol_chart_read(HolSim *s, HolChart *c, const HolState *x, HolChartPoint *to);
// q, v, E, b of the coordinates in `to`; q: start of the iteration. same: only the rates differ
// from those of the point moved to last
HolStatus hol_chart_move(HolSim *s, HolChart *c, HolChartPoint *to, int same, HolError *err);
// F there, with the forces f (not where `whole`, which uses them otherwise)
HolStatus hol_chart_accelerate(HolSim *s, HolChart *c, HolChartPoint *to, int same, double *f,
                               HolError *err);

void hol_chart_keep(HolSim *s, HolChart *c, HolKeeper *k);
void hol_chart_point_keep(HolSim *s, HolChartPoint *p, HolKeeper *k); // without E and b

// ---- tree_coordinates.c: trees of hinges, by HolTreeSeries ----
// refuses a setting of a method for models that are no trees of hinges; names what to use instead
HolStatus hol_tree_chart_needed(const HolSim *s, const char *setting, const char *instead,
                                HolError *err);
// x, x' of s->x, and what `memory` keeps of it
void hol_tree_chart_begin(HolSim *s, void *memory, double *x, double *rate);
// the bodies of x, x', x'' into a state; residual: of its constraints
void hol_tree_chart_bodies(const HolSim *s, void *memory, const double *x, const double *rate,
                           const double *second, HolState *to, double residual[3]);
// an accepted state has these coordinates: turns of all angles are counted by them
void hol_tree_chart_accepted(HolSim *s, const double *x, const double *rate);
// the same told again, after `dense` has told others: of an end of the last step, or of a state
// inside it
void hol_tree_chart_turns(HolSim *s, double t, const double *x, const double *rate);
// HOL_OK: all accelerations x'' are finite
HolStatus hol_tree_chart_finite(const HolSim *s, const double *second, HolStatus otherwise,
                                HolError *err);
// a joint that nothing can accelerate
HolStatus hol_tree_chart_without_inertia(double t, HolError *err);

#endif
