// SPDX-License-Identifier: Apache-2.0
// The derivative of a step's retraction, q1 = q (+) theta, where velocities are no derivatives of
// coordinates (rotations): q (+) (theta + e d) = q1 (+) e D(theta) d, for body-fixed angular velocities
// D = I - [theta]x/2 + ... D is block diagonal, one block a run of coordinates that are not plain;
// it is differenced, all blocks at once, and only steers Newton's iteration, never the result.
#ifndef HOL_SOLVE_RETRACTION_H
#define HOL_SOLVE_RETRACTION_H

#include "solve/sim.h"

typedef struct HolRetraction {
    int width;               // largest block of D, 0 on plain problems
    int *block, *block_size; // first coordinate and size of the block coordinate i is in (0: plain)
    double *D;               // D[width * column + row in block]
} HolRetraction;

int hol_retraction_create(HolSim *s, HolRetraction *chart); // 0: out of memory
void hol_retraction_keep(const HolSim *s, HolRetraction *chart, HolKeeper *k);
// D at theta, the step beginning at q; uses s->r1, r2, r3
void hol_retraction_update(HolSim *s, HolRetraction *chart, const double *q, const double *theta);
// rows `from` to `to`-1 of a matrix in the pattern of G, times D
void hol_retraction_columns(const HolRetraction *chart, const HolPattern *G, int from, int to,
                            double *values);

#endif
