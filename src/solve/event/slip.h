// SPDX-License-Identifier: Apache-2.0
// Slip along several rows at once: directions at the start, watches of its end (slip.c).
#ifndef HOL_SOLVE_EVENT_SLIP_H
#define HOL_SOLVE_EVENT_SLIP_H

#include "solve/event/event.h"

enum { HOL_SLIP_ROWS = 3 };

// the direction of a grip that sticks and will slip: that of the force that holds it
void hol_slip_from(HolSim *s, int grip);
// its direction goes to the problem
void hol_slip_lean(HolSim *s, int grip);
// the direction by the accelerations of the last solve, and e->excess; 1: it changed
int hol_slip_turn(HolSim *s, int grip);
// 1: its speed is that of a stop, which comes so much later
int hol_slip_stopped(HolSim *s, int grip, double *late);
// watches of slip count along the directions at the start of the step
void hol_slip_aim(HolSim *s);

int hol_slip_turns(const HolSim *s); // 1: there are grips of several rows
// 1: a grip of several rows has just begun to slip. Across its direction friction is as stiff as F/|w|
int hol_slip_begins(const HolSim *s);

#endif
