// SPDX-License-Identifier: Apache-2.0
// Two joints whose free coordinates (angles, displacements) keep a ratio: x_2 = ratio x_1 + start.
#include "model/joint/joint.h"

static int build_gear(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    return hol_joint_ratio(m, j, j->coupled[1], j->coupled[0], j->def.ratio);
}

const HolKind hol_joint_kind_gear = {
    .name = "gear",
    .spaces = HOL_EVERYWHERE,
    .help = "coordinate of the second joint = ratio * that of the first + start",
    .fields = (const char *const[]){"joints", "ratio", "friction", NULL},
    .couples = {HOL_COUPLES_ANY, HOL_COUPLES_ANY},
    .friction = HOL_FRICTION_COUPLED,
    .build_joint = build_gear,
};
