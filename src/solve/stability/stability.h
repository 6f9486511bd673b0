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
enum { HOL_STABILITY_DENSE = 180 };

typedef struct HolBodyNames {
    int n;
    const char *const *body;
    const int *owner; // body of each velocity
} HolBodyNames;

// A state, linearized.
typedef struct HolStabilityState {
    HolStabilityPoint point; // what is told of it
    int regular;             // 1: one of those asked for
    HolSpectrum spectrum;
    // vibrations that take part, their decay, their shares in the kinetic energy; v^T M v, a^T M a
    double *active, *decay, *share;
    int n_active;
    double energy, force;
    // velocities u = U (xi, zeta), M U, n rows; n = 0: too large, the fastest mode alone is known
    int n;
    const double *A, *U, *MU;
    const HolBodyNames *names;
} HolStabilityState;

// 0: no memory
int hol_stability_names(HolSim *s, HolArena *arena, HolBodyNames *out);
// At the consistent state s->x, which stays; matrices of the run are used. Models of more than
// `dense` velocities: the fastest mode alone.
HolStatus hol_stability_state(HolSim *s, const HolBodyNames *names, int dense, HolArena *arena,
                              HolStabilityState *out, HolError *err);
// Bodies of the mode that grows beyond a limit found at the state, and its eigenvalue; the count
int hol_stability_bodies(const HolStabilityState *at, const HolStepMap *map,
                         const HolStableStep *limit, HolArena *arena, const char *const **bodies,
                         double eigenvalue[2]);

// ---- fastest_mode.c ----
// Modes x'' + decay x' + omega2 x = 0 of a large model: the fastest vibration, and the fastest decay
// where there is damping
typedef struct HolFastestMode {
    int modes;
    double omega2[2], decay[2];
    double *shape, *M_shape; // of the vibration, nv
    double bound;            // relative error of omega2, decay: they are that much larger at most
    double energy, force;    // v^T M v, a^T M a
} HolFastestMode;
// at s->x; factors s->mass
HolStatus hol_fastest_mode(HolSim *s, double tol, HolArena *scratch, HolFastestMode *out,
                           HolError *err);

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
// 0: the map is unfit for constraints of these kinds
int hol_variant_fits(int holonomic, int rolling, const HolStepMap *map);

// Errors c y^p of a vibration at y = omega h, relative: {c, p} of its frequency and of its amplitude
// per radian. c = 0: none
typedef struct HolMapOrder {
    double frequency[2], growth[2];
} HolMapOrder;
HolMapOrder hol_map_order(const HolStepMap *map);
// the step with which both stay below tol over the time `span`; INFINITY: any
double hol_accuracy_step(const HolMapOrder *o, double omega, double span, double tol);

#endif
