// SPDX-License-Identifier: Apache-2.0
// Parts of a transition (transition.c): who touches and what is hit (touch.c), the modes that the search
// begins with and what is said of those found (first_modes.c).
#ifndef HOL_SOLVE_TRANSITION_H
#define HOL_SOLVE_TRANSITION_H

#include "solve/event/event.h"

#define HOL_EVENT_CHATTER 1e-9 // of the span: next to each other

int hol_event_fired(const HolEvents *e, HolWatchKind kind, int of);
double hol_event_tolerance(const HolSim *s); // that of the run, or one for fixed steps

// touch.c
// supports that touch: e->free_to; noise of speeds: e->speed_noise
void hol_event_touching(HolSim *s);
HolStatus hol_event_impact(HolSim *s, HolError *err);
// counts and tells what impulses did; before: the kinetic energy then
void hol_event_was_impact(HolSim *s, double before, double loss);

// first_modes.c
void hol_event_first_modes(HolSim *s);
void hol_event_give_rests(HolSim *s); // behind the search of modes
HolStatus hol_event_end_reversed(HolSim *s, HolError *err);
void hol_event_zero_orders(HolSim *s);
void hol_event_log_modes(HolSim *s);

#endif
