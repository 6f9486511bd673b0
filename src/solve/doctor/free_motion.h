// SPDX-License-Identifier: Apache-2.0
// Free motions: velocities v with G v = 0 at the present state of a run, of any size, from sparse solves.
#ifndef HOL_SOLVE_FREE_MOTION_H
#define HOL_SOLVE_FREE_MOTION_H

#include "solve/sim.h"

typedef struct HolFreeMotion HolFreeMotion;

// of an assembled run, with memory of its arena; NULL: no memory, or G cannot be factored
HOL_TOOLS HolFreeMotion *hol_free_motion_create(HolSim *s, int *no_memory);
// v (nv): the free velocity along which c . v grows fastest, |near v| = 1; returns the rate c . v over
// |c / near|, between 0 (no free motion changes it) and 1
HOL_TOOLS double hol_free_motion_along(HolFreeMotion *f, const double *c, double *v);
HOL_TOOLS void hol_free_motion_destroy(HolFreeMotion *f);

#endif
