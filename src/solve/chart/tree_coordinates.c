// SPDX-License-Identifier: Apache-2.0
// The joint coordinates of a tree of hinges as a chart (chart.h), for methods that use its series or
// its accelerations: where a run begins, the bodies of a state, whole turns.
#include "solve/chart/chart.h"

#include "solve/constraint/project.h"

#include <math.h>

HolStatus hol_tree_chart_needed(const HolSim *s, const char *setting, const char *instead,
                                HolError *err) {
    if (s->p->extras->tree_series && !s->p->extras->n_switches)
        return HOL_OK;
    return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                         "%s is for open trees of hinges and fixed joints under gravity and smooth "
                         "torques on the hinges; use %s for this model",
                         setting, instead);
}

void hol_tree_chart_begin(HolSim *s, void *memory, double *x, double *rate) {
    const HolProblem *p = s->p;
    const HolTreeSeries *t = p->extras->tree_series;
    p->extras->tree_coordinates(p, s->work, s->x.t, s->x.q, x);
    t->rates(p, s->work, s->x.t, s->x.q, s->x.v, rate);
    s->turns_counted = t->accept(p, s->work, s->x.t, x, rate);
    t->sides(p, memory, x, s->x.q);
}

HolStatus hol_tree_chart_without_inertia(double t, HolError *err) {
    return hol_error_set(err, HOL_ERR_SINGULAR,
                         "at time %.10g a joint has no inertia to move: give its body one", t);
}

void hol_tree_chart_bodies(const HolSim *s, void *memory, const double *x, const double *rate,
                           const double *second, HolState *to, double residual[3]) {
    s->p->extras->tree_series->state(s->p, memory, x, rate, second, to->q, to->v, to->a, residual);
    to->bare = 1;
}

void hol_tree_chart_accepted(HolSim *s, const double *x, const double *rate) {
    s->turns_counted = s->p->extras->tree_series->accept(s->p, s->work, s->x.t, x, rate);
}

void hol_tree_chart_turns(HolSim *s, double t, const double *x, const double *rate) {
    if (s->turns_counted)
        (void)s->p->extras->tree_series->accept(s->p, s->work, t, x, rate);
}

HolStatus hol_tree_chart_finite(const HolSim *s, const double *second, HolStatus otherwise,
                                HolError *err) {
    return isfinite(hol_largest(second, s->p->extras->n_tree))
               ? HOL_OK
               : hol_error_set(err, otherwise, "the accelerations are not finite");
}
