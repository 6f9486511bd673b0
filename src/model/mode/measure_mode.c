// SPDX-License-Identifier: Apache-2.0
// What is reported of joints with friction and stops: the friction along the coordinate, the state,
// the share of the capacity, the force of the stops.
#include "model/mode/mode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_grip_of(const HolGripEntry *g, const char *joint) {
    return g->info.support < 0 && !strcmp(g->info.name, joint);
}

// of a law without modes: its elements; of several, their size
static double smooth_friction(const HolModel *m, HolModelWork *w, const HolJoint *j) {
    double force = 0, square = 0;
    int n = 0;
    for (int i = 0; i < m->sys.n_elements; i++) {
        const HolElement *e = &m->sys.elements[i];
        if (e->friction && e->owner && !strcmp(e->owner, j->def.name)) {
            force = hol_expr_value(e->expr, w->slot, w->expr);
            square += force * force;
            n++;
        }
    }
    return n > 1 ? sqrt(square) : force;
}

static int grip_state(const HolModel *m, const HolModelWork *w, const HolGripEntry *g) {
    if (hol_grip_sticks(m, w, g))
        return w->given[g->share] > 0 ? HOL_SHARED : HOL_STICK;
    const double sign = w->given[g->sign];
    return sign > 0 ? HOL_SLIP : sign < 0 ? -HOL_SLIP : HOL_FREE;
}

// rigid stops: multipliers; compliant ones: the laws along the coordinate
static double stop_force(const HolModel *m, HolModelWork *w, const HolJoint *j,
                         const double *lambda) {
    double force = 0;
    for (int i = 0; i < m->sys.n_elements; i++) {
        const HolElement *e = &m->sys.elements[i];
        if (e->force == HOL_STOP_ELEMENT && e->row == j->coordinate)
            force += hol_expr_value(e->expr, w->slot, w->expr);
    }
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
    return m->def.joints[joint].def.limits.given;
}

// the friction force of a grip; of several rows its size
static double grip_force(const HolModel *m, HolModelWork *w, const HolGripEntry *g, int state,
                         const double *lambda) {
    double square = 0, force = 0;
    for (int k = 0; k < g->info.rows; k++) {
        const HolExpr *law = m->sys.elements[g->element[k]].expr;
        const int sticks = state == HOL_STICK || state == HOL_SHARED;
        force =
            sticks ? -lambda[g->info.row + k] : hol_expr_value(law, w->slot, w->expr) / g->scale[k];
        square += force * force;
    }
    return g->info.rows > 1 ? sqrt(square) : force;
}

// share of the capacity; of those that share a load the largest, with which all of them hold
static double grip_use(const HolModel *m, HolModelWork *w, const HolGripEntry *g, int state,
                       const double *lambda) {
    double use = 0;
    if (state == HOL_FREE || abs(state) == HOL_SLIP)
        return state != HOL_FREE;
    for (int i = 0; i < m->ev.n_grips; i++) {
        const HolGripEntry *other = &m->ev.grips[i];
        const int with = state == HOL_SHARED && w->given[other->share] == w->given[g->share];
        const double most = hol_expr_value(other->capacity, w->slot, w->expr);
        if (other == g || with) {
            const double force = fabs(grip_force(m, w, other, HOL_STICK, lambda));
            use = fmax(use, most > 0 ? force / most : 1);
        }
    }
    return use;
}

double hol_joint_mode_value(const HolModel *m, HolModelWork *w, int joint, int axis,
                            const double *lambda) {
    const HolJoint *j = &m->def.joints[joint];
    double most_force = 0, most_use = 0;
    int most_state = HOL_FREE, n = 0;
    if (axis == 3)
        return stop_force(m, w, j, lambda);
    for (int i = 0; i < m->ev.n_grips; i++) { // (two axes: the larger of both)
        const HolGripEntry *g = &m->ev.grips[i];
        if (!is_grip_of(g, j->def.name))
            continue;
        const int state = grip_state(m, w, g);
        const double force = grip_force(m, w, g, state, lambda),
                     use = grip_use(m, w, g, state, lambda);
        const double shown = g->info.rows > 1 ? g->measure * force : force;
        if (!n || fabs(shown) > fabs(most_force))
            most_force = shown;
        if (!n || abs(state) > abs(most_state))
            most_state = state;
        most_use = fmax(most_use, use);
        n++;
    }
    if (!n)
        return axis == 0 ? smooth_friction(m, w, j) : axis == 1 ? HOL_SLIP : 1;
    return axis == 0 ? most_force : axis == 1 ? most_state : most_use;
}

const char *hol_impulse_name(const HolProblem *p, int i) {
    const HolModel *m = p->user;
    const int motion = i - m->def.n_joints, constraint = motion - m->def.n_motions;
    return motion < 0       ? m->def.joints[i].def.name
           : constraint < 0 ? m->def.motions[motion].def.name
                            : m->def.constraints[constraint].def.name;
}

void hol_impulse_of(const HolProblem *p, void *work, const HolPoint *at, int i,
                    double out[HOL_IMPULSE_PARTS]) {
    const HolModel *m = p->user;
    const int motion = i - m->def.n_joints, constraint = motion - m->def.n_motions;
    memset(out, 0, sizeof *out * HOL_IMPULSE_PARTS);
    if (motion >= 0) {
        out[6] = -at->lambda[constraint < 0 ? m->def.motions[motion].constraint
                                            : m->def.constraints[constraint].constraint];
        return;
    }
    hol_model_position(m, work, at->t, at->q);
    hol_joint_reaction(m, work, i, at->lambda, out);
}
