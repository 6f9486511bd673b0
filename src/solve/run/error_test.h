// SPDX-License-Identifier: Apache-2.0
// One error test for all methods: the scales that errors are compared with, and the part of the
// tolerance that a step may use. See error_test.c.
#ifndef HOL_SOLVE_ERROR_TEST_H
#define HOL_SOLVE_ERROR_TEST_H

#include "solve/sim.h"

struct HolGroup;

struct HolErrorTest {
    double length; // L, of the largest link
    double *q, *v; // nv: 1 / scale of positions and velocities, as if the candidate were accepted
    HolBodyScales body;  // the same by bodies
    double *near, *fast; // nv: 1 / size of all positions, velocities of a kind, for iterations
    double *row;         // m: 1 / what a constraint changes by when its bodies move by their scales
    double tightest;     // the smallest of these changes
    double grain;        // round-off of positions in units of their scales and of DBL_EPSILON
    double start, span;  // of the run: its time and duration
    double share;        // the last one given, see hol_error_limit
    int whole;           // 1: the present attempt may use all of the tolerance
    long apart;          // steps at kinks, which have no part in the tolerance
    // private
    struct HolGroup *group;
    int n_groups, n_parts;
    double far;                     // largest coordinate of a place so far
    double turned;                  // largest angle of a plane body so far
    double most;                    // U: largest speed so far, also L times the largest rate
    double scalar_speed;            // of scalar coordinates
    double *speed, *seen;           // squares by groups: largest speed so far, with the candidate
    double *size, *size_seen;       // by groups: largest |q| (where it counts)
    double *drift, *drift_seen;     // squares by groups: largest speed of the free part they are in
    double *travel;                 // 4 a free part: velocity of its centre of mass, its mass
    double fast_most, fast_scalar;  // what `fast` was made for
    double looked_at;               // time of the candidate that the scales are of; NAN: none
    double speed_seen, scalar_seen; // largest speeds with it
    double rest;                    // time until which nothing moved, at first that of the start
    double *rest_rate;              // by groups: rate of a state at that time
    int at_rest;                    // 1: nothing has moved yet
    int with_candidate;             // the scales at hand are not those of accepted states alone
};

int hol_error_test_create(HolSim *s); // 0: no memory
void hol_error_test_keep(HolSim *s, HolKeeper *k);
// scales of s->x: at the start, the length from its positions; when a step was accepted
void hol_error_test_start(HolSim *s);
void hol_error_test_accept(HolSim *s);
// scales of constraints, from G at s->x
void hol_error_test_rows(HolSim *s);
// scales as if x were accepted; call it before the norms of a candidate's errors
void hol_error_test_candidate(HolSim *s, const HolState *x);

// what the error of a step h may be: tolerance min(1, c share), c a constant of the method
double hol_error_limit(const HolSim *s, double h, double c);

// largest |x_i| times reciprocals_i, of the calling thread alone
double hol_largest_over(const double *x, const double *reciprocals, int n);
// changes of positions against `near`, of velocities against `fast`, of constraints against `row`
double hol_norm_near(const HolSim *s, const double *dq);
double hol_norm_fast(const HolSim *s, const double *dv);
double hol_norm_rows(const HolSim *s, const double *g, int rows);

// What methods of second order know of their error: from the change of the accelerations in this
// step and in the one before.
typedef struct HolSecondOrder {
    double *rate, *before; // a' of this step and of the last
    double *ev;            // error of the velocities
    double h;              // of the last step; 0: there is none, or it was on another smooth piece
} HolSecondOrder;

extern const double hol_second_order_share;                // see hol_error_limit
int hol_second_order_create(HolSim *s, HolSecondOrder *e); // 0: no memory
// largest error / scale of a step h in which the accelerations change by x, and by which positions
// are off by C h^2 x
double hol_second_order_error(HolSim *s, HolSecondOrder *e, const double *x, double C, double h);
void hol_second_order_accept(HolSecondOrder *e, double h);
void hol_second_order_keep(const HolSim *s, HolSecondOrder *e, HolKeeper *k);
// root of the mean square, as the published tests of each step have it
double hol_norm_published(const HolSim *s, const double *dq);

#endif
