// SPDX-License-Identifier: Apache-2.0
#include "solve/chart/tree_coordinates.h"

HolStatus hol_joints_needed(const HolSim *s, const char *setting, const char *instead,
                            HolError *err) {
    if (s->p->extras->tree_series && !s->p->extras->n_switches)
        return HOL_OK;
    return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                         "%s is for open trees of hinges and fixed joints under gravity and smooth "
                         "torques on the hinges; use %s for this model",
                         setting, instead);
}

void hol_joints_begin(HolSim *s, void *memory, double *x, double *rate) {
    const HolProblem *p = s->p;
    const HolTreeSeries *t = p->extras->tree_series;
    p->extras->tree_coordinates(p, s->work, s->x.t, s->x.q, x);
    t->rates(p, s->work, s->x.t, s->x.q, s->x.v, rate);
    s->turns_counted = t->accept(p, s->work, s->x.t, x, rate);
    t->sides(p, memory, x, s->x.q);
}

HolStatus hol_joints_without_inertia(double t, HolError *err) {
    return hol_error_set(err, HOL_ERR_SINGULAR,
                         "at time %.10g a joint has no inertia to move: give its body one", t);
}
