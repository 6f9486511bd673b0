// SPDX-License-Identifier: Apache-2.0
// What methods in the joint coordinates of a tree share (HolTreeSeries).
#ifndef HOL_SOLVE_JOINTS_H
#define HOL_SOLVE_JOINTS_H

#include "solve/sim.h"

// refuses a setting of a method for models that are no trees of hinges; names what to use instead
HolStatus hol_joints_needed(const HolSim *s, const char *setting, const char *instead,
                            HolError *err);
// x, x' of s->x, and what `memory` keeps of it
void hol_joints_begin(HolSim *s, void *memory, double *x, double *rate);
// a joint that nothing can accelerate
HolStatus hol_joints_without_inertia(double t, HolError *err);

#endif
