// SPDX-License-Identifier: Apache-2.0
// Stability from inside, see holonom/stability.h: one state linearized (stability_point.c), methods
// held against it (stability_methods.c), the motion (stability.c), one step before a run (step_limit.c).
#ifndef HOL_SOLVE_STABILITY_H
#define HOL_SOLVE_STABILITY_H

#include "holonom/stability.h"
#include "solve/linear/linear.h"
#include "solve/linear/modes.h"
#include "solve/linear/step_map.h"

// Most velocities whose whole spectrum is computed; beyond, the fastest mode alone.
enum { HOL_STABILITY_DENSE = 300 };

// A state, linearized.
typedef struct HolStabilityState {
    HolStabilityPoint point; // what is told of it
    HolSpectrum spectrum;
    // vibrations that take part, their decay, their shares in the kinetic energy; v^T M v and a^T M a
    double *active, *decay, *share;
    int n_active;
    double energy, force;
    // until hol_stability_forget:
    HolLinear linear;    // n = 0: too large
    double *re, *im, *V; // eigenvalues and vectors of A as LAPACK stores them
    HolModesMade naming; // names of bodies, with the arena of all this
} HolStabilityState;

// At the consistent state s->x, which stays. What lasts is in `arena`.
HolStatus hol_stability_state(HolSim *s, HolArena *arena, HolStabilityState *out, HolError *err);
// frees what does not last; also after a failure
void hol_stability_forget(HolStabilityState *at);
// Bodies of the mode that grows beyond a limit found at the state, and its eigenvalue; the count
int hol_stability_bodies(HolStabilityState *at, const HolStepMap *map, const HolStableStep *limit,
                         HolArena *arena, const char *const **bodies, double eigenvalue[2]);

// ---- stability_methods.c ----
typedef struct HolVariant {
    const HolStepper *stepper;
    HolMethodOptions options;
    int own;
    HolStepMap map;
    HolLimitMemory memory;
} HolVariant;

// Methods and their schemes, `own` in the place of the one it is; name NULL: all. The count, -1: no
// memory
int hol_variants(const HolMethodOptions *own, const char *name, HolArena *arena, HolVariant **out);
// 0: the map is unfit for the constraints of the run
int hol_variant_fits(const HolSim *s, const HolStepMap *map);

// Errors c y^p of a vibration at y = omega h, relative: {c, p} of its frequency and of its amplitude
// per radian. c = 0: none
typedef struct HolMapOrder {
    double frequency[2], growth[2];
} HolMapOrder;
HolMapOrder hol_map_order(const HolStepMap *map);
// the step with which both stay below tol over the time `span`; INFINITY: any
double hol_accuracy_step(const HolMapOrder *o, double omega, double span, double tol);

#endif
