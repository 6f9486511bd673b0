// SPDX-License-Identifier: Apache-2.0
// What is reported of joints with friction and stops: the friction along the coordinate, the state,
// the share of the capacity, the force of the stops.
#include "model/mode/mode.h"

#include <math.h>
#include <string.h>

static const HolGripEntry *grip_of(const HolModel *m, const char *joint, int *index) {
    for (int i = 0; i < m->ev.n_grips; i++)
        if (m->ev.grips[i].info.support < 0 && !strcmp(m->ev.grips[i].info.name, joint)) {
            *index = i;
            return &m->ev.grips[i];
        }
    return NULL;
}

// of a law without modes: its element
static double smooth_friction(const HolModel *m, HolModelWork *w, const HolJoint *j) {
    double force = 0;
    for (int i = 0; i < m->sys.n_elements; i++) {
        const HolElement *e = &m->sys.elements[i];
        if (e->friction && e->owner && !strcmp(e->owner, j->def.name))
            force += hol_expr_value(e->expr, w->slot, w->expr);
    }
    return force;
}

static int grip_state(const HolModel *m, const HolModelWork *w, const HolGripEntry *g) {
    if (w->closed[m->sys.equations[g->info.row].mode])
        return HOL_STICK;
    const double sign = w->given[g->sign];
    return sign > 0 ? HOL_SLIP : sign < 0 ? -HOL_SLIP : HOL_FREE;
}

static double stop_force(const HolModel *m, const HolJoint *j, const double *lambda) {
    double force = 0;
    for (int i = 0; i < m->ev.n_supports; i++) {
        const HolSupport *s = &m->ev.supports[i].info;
        const HolEquation *e = &m->sys.equations[s->row];
        const HolTerm *t = &m->sys.terms[e->first_term];
        if (j->coordinate >= 0 && t->row == j->coordinate && !strcmp(s->name, j->def.name))
            force -= lambda[s->row] * t->coef;
    }
    return force;
}

int hol_joint_has_stop(const HolModel *m, int joint) {
    const HolLimitsDef *l = &m->def.joints[joint].def.limits;
    return l->given && !(l->stiffness > 0);
}

double hol_joint_mode_value(const HolModel *m, HolModelWork *w, int joint, int axis,
                            const double *lambda) {
    const HolJoint *j = &m->def.joints[joint];
    int index;
    if (axis == 3)
        return stop_force(m, j, lambda);
    const HolGripEntry *g = grip_of(m, j->def.name, &index);
    if (!g)
        return axis == 0 ? smooth_friction(m, w, j) : axis == 1 ? HOL_SLIP : 1;
    const int state = grip_state(m, w, g);
    const HolExpr *law = m->sys.elements[g->element[0]].expr;
    const double force =
        state == HOL_STICK ? -lambda[g->info.row] : hol_expr_value(law, w->slot, w->expr);
    if (axis == 0)
        return force;
    if (axis == 1)
        return state;
    const double most = hol_expr_value(g->capacity, w->slot, w->expr);
    return state == HOL_FREE ? 0 : state == HOL_STICK && most > 0 ? fabs(force) / most : 1;
}
