// SPDX-License-Identifier: Apache-2.0
// Closed positions other than the present one, for analyses: at another time, or a little away. The
// equations are those of assembly (assemble.c).
#ifndef HOL_SOLVE_CLOSER_H
#define HOL_SOLVE_CLOSER_H

#include "solve/sim.h"

// The positions of a run that is not assembled yet, without its velocities.
HOL_TOOLS HolStatus hol_close_start(HolSim *s, HolError *err);

typedef struct HolCloser HolCloser;

// for an assembled run, with memory of its arena; NULL: there is none
HOL_TOOLS HolCloser *hol_closer_create(HolSim *s);
// q onto g(q, t) = 0 from where it is; 0: it stays open, most in row *worst (may be NULL)
HOL_TOOLS int hol_closer_at(HolCloser *c, double t, double *q, int *worst);
// q (nq) becomes a closed position a little away from the present one, another for every attempt; 0:
// none was found
HOL_TOOLS int hol_closer_nearby(HolCloser *c, int attempt, double *q);
HOL_TOOLS void hol_closer_destroy(HolCloser *c);

#endif
