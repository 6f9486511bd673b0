// SPDX-License-Identifier: Apache-2.0
// Modes from inside, see holonom/modes.h.
#ifndef HOL_SOLVE_MODES_H
#define HOL_SOLVE_MODES_H

#include "holonom/modes.h"
#include "solve/linear/linear.h"

typedef struct HolModesMade {
    HolModes modes; // first: hol_modes_destroy gets its address
    HolArena arena;
    HolSim *s;
    const HolState *x;
    double length; // size of the model, compares displacements with rotations
    const HolMode **list;
    const HolMode **free;
} HolModesMade;

// ---- mode_shape.c ----
// names of coordinates and bodies
int hol_modes_names(HolModesMade *m);
// A mode from increments d and velocities u (re, im each nv numbers; im may be NULL), M u by `Mu` the same
// way: scaled shape, shares, words. NULL: no memory
HolMode *hol_mode_make(HolModesMade *m, const double *d[2], const double *u[2],
                       const double *Mu[2]);

// ---- sparse_modes.c ----
// fills what hol_sim_modes promises for a model too large for dense matrices
HolStatus hol_modes_sparse(HolModesMade *m, const HolModesOptions *o, HolError *err);

#endif
