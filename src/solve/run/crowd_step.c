// SPDX-License-Identifier: Apache-2.0
// Steps of runs with contacts among many bodies (docs/theory/contact.md, section 20): as long as no body
// passes another unseen, and up to the next touch while touches are few. Where they are many, the error
// test alone limits steps, which is said once. Fixed steps are the user's: too long ones are said, too.
#include "solve/run/run.h"

#include <math.h>

double hol_crowd_limit(HolSim *s, double h) {
    const HolProblemExtras *e = s->p->extras;
    int many;
    double reach;
    if (!e->crowd_step || !(h > 0))
        return h;
    const double limit = e->crowd_step(s->p, s->work, HOL_AT(&s->x), h, &many, &reach);
    if (!s->driver->adaptive) {
        if (h > reach)
            hol_note(s,
                     "contact '%s': bodies move by more than a quarter of the least radius in a "
                     "step: they may pass each other unseen; use a smaller step",
                     e->crowd);
        else
            hol_note(s, "contact '%s': touches are not located, steps are those that were given",
                     e->crowd);
        return h;
    }
    if (many)
        hol_note(s,
                 "contact '%s': many touches in a step are not located, the error test alone "
                 "limits such steps",
                 e->crowd);
    return limit;
}
