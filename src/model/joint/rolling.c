// SPDX-License-Identifier: Apache-2.0
// A disc (b) that rolls without slip.
//   plane   over the line through P_a along the axis: centre at height R, s + R angle = const
//   space   on a fixed plane: it touches (holonomic), and the touching point does not slip along two
//           directions of the plane (non-holonomic); rows in row_rolling.c
#include "model/joint/joint.h"

#include <math.h>
#include <string.h>

static int build_rolling_planar(HolModel *m, HolJoint *j) {
    Vec3 z = v3_load(j->a.axis), n = v3(-z.y, z.x, 0);
    HolRow along = hol_joint_row(m, j, &hol_row_line2), turn = hol_joint_row(m, j, &hol_row_angle2);
    v3_store(along.ua, z);
    int r1 = hol_add_row(m, &along), r2 = hol_add_row(m, &turn);
    j->coordinate = r1;
    return r1 >= 0 && r2 >= 0 && hol_joint_line(m, j, n, j->def.radius) &&
           hol_joint_ratio(m, j, r1, r2, -j->def.radius);
}

static int build_rolling(HolModel *m, HolJoint *j, HolError *err) {
    if (!hol_joint_has_radius(m, j, err))
        return 0;
    if (hol_joint_in_plane(m))
        return build_rolling_planar(m, j);
    if (j->a.body != 0 || !j->b.has_axis) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': rolling in space takes the plane on ground first ({body: "
                          "ground, at, axis: normal}), then the disc with its axis",
                          j->def.name);
        return 0;
    }
    HolRow row = hol_joint_row(m, j, &hol_row_touch3), tilt = hol_joint_row(m, j, &hol_row_dot3);
    memcpy(tilt.ua, j->a.axis, sizeof tilt.ua);
    memcpy(tilt.ub, j->b.axis, sizeof tilt.ub);
    if (!(fabs(hol_row_initial(m, &tilt)) < 1 - 1e-9)) {
        hol_problem_error(
            m, err, j->def.line, j->def.column,
            "joint '%s': the disc lies flat on the plane; its axis must not be the normal",
            j->def.name);
        return 0;
    }
    Vec3 N = v3_load(j->a.axis), t1 = v3_perpendicular(N), t2 = v3_cross(N, t1);
    v3_store(row.ua, N);
    memcpy(row.ub, j->b.axis, sizeof row.ub);
    row.c = j->def.radius;
    if (!hol_joint_equation(m, j, &row, 0))
        return 0;
    row.kind = &hol_row_roll3;
    v3_store(row.wa, t1);
    if (!hol_joint_equation(m, j, &row, 0))
        return 0;
    v3_store(row.wa, t2);
    return hol_joint_equation(m, j, &row, 0);
}

const HolKind hol_joint_kind_rolling = {
    .name = "rolling",
    .spaces = HOL_EVERYWHERE,
    .help = "disc rolling without slip: on a line (plane; without an axis along x of the first "
            "body), on a "
            "fixed plane (space, non-holonomic)",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", "radius", NULL},
    .orients = HOL_EVERYWHERE,
    .build_joint = build_rolling,
};
