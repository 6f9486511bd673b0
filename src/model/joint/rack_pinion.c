// SPDX-License-Identifier: Apache-2.0
// A rack that rolls on a pinion without slip: displacement of the first joint, the rack's, = radius
// * angle of the second, the pinion's, + start. Where both increase together is up to their axes.
#include "model/joint/joint.h"

static int build_rack_pinion(HolModel *m, HolJoint *j, HolError *err) {
    return hol_joint_has_radius(m, j, err) &&
           hol_joint_ratio(m, j, j->coupled[0], j->coupled[1], j->def.radius);
}

const HolKind hol_joint_kind_rack_pinion = {
    .name = "rack_pinion",
    .spaces = HOL_EVERYWHERE,
    .help =
        "rack and pinion: displacement of the first joint = radius * angle of the second + start",
    .fields = (const char *const[]){"joints", "radius", "friction", NULL},
    .couples = {HOL_COUPLES_DISPLACEMENT, HOL_COUPLES_ANGLE},
    .friction = HOL_FRICTION_COUPLED,
    .build_joint = build_rack_pinion,
};
