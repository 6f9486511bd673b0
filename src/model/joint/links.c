// SPDX-License-Identifier: Apache-2.0
// Massless links between two bodies, d = P_b - P_a, z the axis of the hinge at the first end:
//   revolute_spherical  |d| = length, z.d = offset              P_b on a circle about z
//   revolute_revolute   the same, and the axes stay parallel: a link with two hinges
// The link between two balls is `distance`; one that slides along a line and ends in a ball is
// `point_on_line`. The offset along the axis is the one as written.
#include "model/joint/joint.h"

#include <math.h>

static int link_hinge(HolModel *m, HolJoint *j, HolError *err) {
    HolRow length = hol_joint_row(m, j, &hol_row_length3), offset;
    offset = hol_joint_row(m, j, &hol_row_line3);
    v3_store(offset.ua, v3_load(j->a.axis));
    const double along = hol_row_initial(m, &offset);
    const double L = isnan(j->def.length) ? hol_row_initial(m, &length) : j->def.length;
    if (!(L > fabs(along) + 1e-12)) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': a link of %g m whose ends are %g m apart along the axis of "
                          "its hinge leaves no arm; place the second end off the axis",
                          j->def.name, L, fabs(along));
        return 0;
    }
    length.kind = &hol_row_square3;
    length.c = L;
    return hol_joint_equation(m, j, &length, 0) && hol_joint_equation(m, j, &offset, along);
}

static int build_revolute_spherical(HolModel *m, HolJoint *j, HolError *err) {
    return link_hinge(m, j, err);
}

const HolKind hol_joint_kind_revolute_spherical = {
    .name = "revolute_spherical",
    .spaces = HOL_IN_SPACE,
    .help = "massless link, hinged to the first body (axis) and with a ball at the second",
    .fields = (const char *const[]){"between", "axis", "length", NULL},
    .build_joint = build_revolute_spherical,
};

static int build_revolute_revolute(HolModel *m, HolJoint *j, HolError *err) {
    const HolJointAxes f = hol_joint_axes(m, j);
    return link_hinge(m, j, err) && hol_joint_aligned(m, j, &f);
}

const HolKind hol_joint_kind_revolute_revolute = {
    .name = "revolute_revolute",
    .spaces = HOL_IN_SPACE,
    .help = "massless link with parallel hinges at both ends",
    .fields = (const char *const[]){"between", "axis", "length", NULL},
    .orients = HOL_IN_SPACE,
    .build_joint = build_revolute_revolute,
};
