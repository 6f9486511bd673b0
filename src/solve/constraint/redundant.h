// SPDX-License-Identifier: Apache-2.0
// Redundant rows in Newton's iterations. Rows of a redundant mechanism depend on each other only
// where all constraints are met. Off them, at a distance d, G gains a singular value of size d, and
// Newton's method with all rows would need large multipliers along it. So as many rows as are
// redundant are left out: the others determine the motion, and the motion satisfies those left out
// (docs/theory/saddle-point.md, section 6).
#ifndef HOL_SOLVE_REDUNDANT_H
#define HOL_SOLVE_REDUNDANT_H

#include "solve/sim.h"

typedef struct HolLeftOut {
    int count;           // 0: nothing is redundant
    unsigned char *rows; // m flags
    int next;            // row to be checked next
    double *c;           // what hol_left_out_exchange solves for
} HolLeftOut;

// a factored saddle point without these rows: its size, its first unknown and its first multiplier
typedef struct HolKeptRows {
    HolKkt *kkt;
    int size, unknown, multiplier;
} HolKeptRows;

// once redundancy is known: the rows of s->dependent; size: that of the saddle point. 0: no memory
int hol_left_out_start(HolSim *s, HolLeftOut *out, int size);
void hol_left_out_keep(HolSim *s, HolLeftOut *out, HolKeeper *k);
// Near the constraints, with G there: of the next rows left out, at most so many, the first that
// the others hardly determine is taken in, and one that they determine better is left out instead.
// 1: so it was
int hol_left_out_exchange(HolSim *s, HolLeftOut *out, const HolKeptRows *kept, const double *G,
                          int most);
// largest |g| of these rows
double hol_left_out_residual(HolSim *s, const HolLeftOut *out, double t, const double *q);

#endif
