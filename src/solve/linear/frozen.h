// SPDX-License-Identifier: Apache-2.0
// Modes held as they are (frozen.c): what a linearization at a state stands for.
#ifndef HOL_SOLVE_FROZEN_H
#define HOL_SOLVE_FROZEN_H

#include "solve/sim.h"

int hol_frozen_has_modes(const HolSim *s); // 1: friction that sticks, rigid stops or contacts
// the modes of the start, if the run has not begun
HolStatus hol_frozen_start(HolSim *s, HolError *err);
// free velocities (positions: free positions) that belong to rows which are closed, not to the mechanism
int hol_frozen_idle(const HolSim *s, int positions);
// a line that names what is closed or sticks, "" where nothing has a mode
void hol_frozen_say(const HolSim *s, char *line, size_t room);
// HOL_ERR_UNSUPPORTED with the name of the first element that has modes
HolStatus hol_frozen_refuse(const HolSim *s, const char *what, HolError *err);

// the same of a contact among many bodies, which has no derivatives
HolStatus hol_crowd_refuse(const HolSim *s, const char *what, HolError *err);

#endif
