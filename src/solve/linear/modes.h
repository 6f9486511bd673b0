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
// The free motions spanned by k increments D (n x k, overwritten): a basis in which each has one leading
// coordinate of its own. 0: no memory
int hol_modes_free(HolModesMade *m, double *D, int k,
                   void (*mass)(const void *user, const double *x, double *y), const void *user);

// ---- sparse_modes.c ----
// fills what hol_sim_modes promises for a model too large for dense matrices
HolStatus hol_modes_sparse(HolModesMade *m, const HolModesOptions *o, HolArena *arena,
                           HolError *err);
// ---- sparse_few.c ----
struct HolSparse;
HolStatus hol_sparse_few(HolModesMade *m, const HolModesOptions *o, struct HolSparse *z,
                         HolError *err);
// the largest |eigenvalue|; 0: it could not be computed
int hol_sparse_few_largest(struct HolSparse *z, double *omega);

// ---- modes.c ----
// hol_sim_modes with or without dense matrices
HolStatus hol_sim_modes_by(HolSim *s, const HolModesOptions *options, int sparse, HolModes **out,
                           HolError *err);
// remarks on what was found; constancy of axes that were tried, pull: largest acceleration over size
void hol_modes_say(HolModesMade *m);
// eigenvalue, frequency and damping of a mode
void hol_mode_value(HolMode *mode, double real, double imag);

#endif
