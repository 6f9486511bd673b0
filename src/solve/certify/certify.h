// SPDX-License-Identifier: Apache-2.0
// Certified digits, seen from inside. Two runs a and b of one model go in step, b the tighter one.
// Per column c, over the rows of b (times t_k):
//   D_c(t)  = max over t_k <= t of |a_c(t_k) - b_c(t_k)|
//   S_c     = max( largest |b_c| , 1e-3 of the largest of its kind )
//   E(t)    = max over all columns of D_c/S_c
//   B_c(t)  = max( K D_c , K phi E S_c , tol_a S_c ) + 8 eps (largest of its group)
// is the bound of |b_c - true|. No claim is made where B_c > 1e-2 S_c.
// Why not D_c alone: with e_a, e_b the errors of the runs, |e_b| > K |e_a - e_b| where e_a happens
// to lie within 1 +- 1/K of e_b. That is rare for one number, since a is coarser (ten times the
// tolerance, twice the step), but not for the rarest of fifty columns in the first rows, where both
// errors are still small. What a run is off by in one column it is off by in the others, as parts
// of their sizes within a decade or so (phi = 0.1); and nothing is claimed to be better than the
// tolerance of the coarser run.
// Measured: docs/accuracy.md, by build/bench/certify.
// certify.c: runs and tolerances; certify_columns.c: comparison; certify_claim.c: what is said.
#ifndef HOL_SOLVE_CERTIFY_H
#define HOL_SOLVE_CERTIFY_H

#include "model/quantity.h"
#include "solve/sim.h"

static const double HOL_BOUND_FACTOR = 2;     // K
static const double HOL_BOUND_SHARE = 0.1;    // phi
static const double HOL_LEAST_CLAIM = 1e-2;   // of S: no claim above
static const double HOL_LEAST_SIZE = 1e-3;    // of the largest of the kind
static const double HOL_MARK_RATIO = 1.18921; // marks of a bound over time: four a doubling

typedef struct HolCompared { // a column
    HolCertifiedColumn out;
    int kind;       // columns of one kind share a size
    int group;      // of kinds: see certify_columns.c
    double weight;  // times this it is a number of its group
    int expression; // 1: it may be anything
    int is_time;    // its own column in the rows of bounds too
    int body;       // of a component of a quaternion, else -1
    double largest; // of the reported run so far
    double *mark_time, *mark_bound;
    int cap_time, cap_bound;
} HolCompared;

typedef struct HolCompare {
    HolArena *arena;
    const int *list; // columns of the model; NULL: the first n
    int n, n_kinds;
    HolCompared *columns;
    double *kind_largest;             // by kind
    double group_largest[HOL_GROUPS]; // by group
    double *row, *other, *bound;      // n each: b, a, and B
    double tolerance;                 // of a; 0: it has fixed steps
    double worst;                     // E
    double t;                         // of the last row
    long rows;
    // 1: b jumps here and a next to here: what jumps is not compared in this row; 2: at an event, where
    // all but positions may jump
    int apart;
    int over; // 1: the second run has ended, nothing is bounded from here on
} HolCompare;

// ---- certify_columns.c ----
// all: every column of the model, not the results alone. 0: no memory
// tolerance: of a, 0 with fixed steps
int hol_compare_init(HolCompare *c, HolArena *arena, const HolSim *b, double tolerance, int all);
void hol_compare_unique(HolCompare *c, HolSim *s); // at the present state
// c->row (the last of run b) and c->other are given at time t: c->bound follows. 0: no memory
int hol_compare_row(HolCompare *c, const HolSim *b, double t);
double hol_compared_size(const HolCompare *c, const HolCompared *column);  // S
double hol_compared_bound(const HolCompare *c, const HolCompared *column); // B

// ---- certify_claim.c ----
// everything that follows from the comparison; the run got to t_end
void hol_certificate_fill(HolCertificate *out, const HolCompare *c, double start, double t_end);

#endif
