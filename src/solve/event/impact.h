// SPDX-License-Identifier: Apache-2.0
// Contacts of an impact: between impact.c, which says who takes part, and impact_states.c, which finds
// the impulses.
#ifndef HOL_SOLVE_IMPACT_H
#define HOL_SOLVE_IMPACT_H

#include "solve/event/event.h"

#define HOL_IMPACT_SMALL 1e-11 // of the largest speed: nothing

enum { HOL_IMPACT_APART, HOL_IMPACT_SLIDES, HOL_IMPACT_STICKS };

typedef struct HolImpactContact {
    int normal, tangent, rows; // rows of W; rows 0: no friction
    double e, mu;
    int state;
    double d[2]; // direction of slip
} HolImpactContact;

static inline double hol_impact_dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// velocities and e->u behind the impulses P of all rows, which are added to `total`
void hol_impact_apply(HolSim *s, const double *P, double *total);
// solves the system of n unknowns in place; 0: it is singular
int hol_solve_small(double *a, double *b, int n);
// states and impulses P (of all rows) of n contacts at once; speed: the largest; 0: none was found
int hol_impact_states(HolEvents *e, HolImpactContact *c, int n, double *P, double speed);
// the same, where the impulses must not add energy (impact_energy.c)
int hol_impact_solve(HolSim *s, HolImpactContact *c, int n, double *P, double speed);

#endif
