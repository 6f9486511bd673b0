// SPDX-License-Identifier: Apache-2.0
// Stops of a joint's coordinate s. Rigid: a support each, with the gap s - min or max - s.
// Compliant: a force that only pushes,
//   F = max(0, k (min - s) - c s') below min,   F = -max(0, k (s - max) + c s') above max
#include "model/joint/joint.h"
#include "model/mode/mode.h"

#include <math.h>
#include <stdio.h>

// the joint's own start value is not between its rigid stops
static int starts_beyond(const HolJoint *j, const HolLimitsDef *l) {
    const double start = j->coordinate_is_angle ? j->def.start_angle : j->def.start_displacement;
    const double slack = 1e-9 * (1 + fabs(start));
    return !(l->stiffness > 0) && (start < l->min - slack || start > l->max + slack);
}

static int check_limits(HolModel *m, const HolJoint *j, const HolLimitsDef *l, HolError *err) {
    const char *why = NULL;
    if (j->coordinate < 0 || !m->sys.rows[j->coordinate].kind->holonomic)
        why = "this joint has no free coordinate";
    else if (isnan(l->min) && isnan(l->max))
        why = "give min, max or both";
    else if (l->min >= l->max)
        why = "min must be below max";
    else if (l->damping > 0 && !(l->stiffness > 0))
        why = "damping goes with stiffness; a rigid stop has restitution";
    else if (l->stiffness > 0 && l->restitution > 0)
        why = "restitution is that of a rigid stop; with stiffness give damping";
    else if (starts_beyond(j, l))
        why = j->coordinate_is_angle ? "the joint starts beyond them, by its own 'angle'"
                                     : "the joint starts beyond them, by its own 'displacement'";
    if (why)
        hol_problem_error(m, err, l->line, l->column, "joint '%s', limits: %s", j->def.name, why);
    return why == NULL;
}

// side +1: min, -1: max
static int add_compliant(HolModel *m, const HolJoint *j, const HolLimitsDef *l, double at,
                         int side) {
    char text[300];
    const int slots[HOL_GRIP_NAMES] = {hol_slot(m, HOL_SLOT_VALUE, j->coordinate, 0, 0, 0),
                                       hol_slot(m, HOL_SLOT_RATE, j->coordinate, 0, 0, 0)};
    snprintf(text, sizeof text, "if(%d*(a0-(%.17g))<0,%d*max(0,%.17g*%d*(%.17g-a0)-%.17g*%d*a1),0)",
             side, at, side, l->stiffness, side, at, l->damping, side);
    const HolExpr *expr = hol_compile_slots(m, text, slots);
    const int e = expr ? hol_add_element(m, HOL_STOP_ELEMENT, j->coordinate, 0, 0, 0, expr) : -1;
    if (e >= 0)
        m->sys.elements[e].owner = j->def.name;
    return e >= 0;
}

static int add_stop(HolModel *m, const HolJoint *j, const HolLimitsDef *l, double at, int side) {
    const HolTerm term = {j->coordinate, side};
    const HolSupportParts parts = {j->def.name, &term, 1, side * at, l->restitution};
    if (isnan(at))
        return 1;
    return l->stiffness > 0 ? add_compliant(m, j, l, at, side) : hol_add_support(m, &parts) >= 0;
}

int hol_limits_build_joint(HolModel *m, HolJoint *j, HolError *err) {
    const HolLimitsDef *l = &j->def.limits;
    return check_limits(m, j, l, err) && add_stop(m, j, l, l->min, 1) &&
           add_stop(m, j, l, l->max, -1);
}
