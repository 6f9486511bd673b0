// SPDX-License-Identifier: Apache-2.0
// A belt or chain over two pulleys that turn with two joints: the same length passes over both,
//     r_1 angle_1 = +- r_2 angle_2 + start,   - where the belt crosses itself
// Like a gear it acts along the angles of the joints: tension does not load the bearings.
#include "model/joint/joint.h"

static int build_belt(HolModel *m, HolJoint *j, HolError *err) {
    const double *r = j->def.radii;
    if (!(r[0] > 0) || !(r[1] > 0)) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': a belt needs the radii of both pulleys, positive: radii: "
                          "[0.1, 0.2]",
                          j->def.name);
        return 0;
    }
    return hol_joint_ratio(m, j, j->coupled[1], j->coupled[0],
                           (j->def.crossed ? -1 : 1) * r[0] / r[1]);
}

const HolKind hol_joint_kind_belt = {
    .name = "belt",
    .spaces = HOL_EVERYWHERE,
    .help = "belt or chain over two pulleys: radius * angle of both joints stay equal",
    .fields = (const char *const[]){"joints", "radii", "crossed", NULL},
    .couples = {HOL_COUPLES_ANGLE, HOL_COUPLES_ANGLE},
    .build_joint = build_belt,
};
