// SPDX-License-Identifier: Apache-2.0
// Joints of one or two conditions on points and axes: distance, slot, point_on_line, point_on_plane,
// parallel, perpendicular, universal. z the joint axis, n, n1, n2 across it, P the two places.
//   distance        |P_b - P_a|^2 = length^2         slot           n.(P_b - P_a) = 0
//   point_on_line   n1, n2.(P_b - P_a) = 0           point_on_plane z.(P_b - P_a) = 0
//   parallel        n1.z(b) = n2.z(b) = 0            perpendicular  z_a.z_b = 0
//   universal       P_a = P_b, z_a.z_b = 0
#include "model/joint/joint.h"

#include <math.h>

static int build_distance(HolModel *m, HolJoint *j, HolError *err) {
    HolRow row = hol_joint_row(m, j, hol_joint_in_plane(m) ? &hol_row_length2 : &hol_row_length3);
    double length = isnan(j->def.length) ? hol_row_initial(m, &row) : j->def.length;
    if (!(length >
          (isnan(j->def.length) ? 1e-12 : 0))) { // an initial distance of round-off is none
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': the distance must be positive (it is %g); two points that "
                          "coincide need a %s joint",
                          j->def.name, length, hol_joint_in_plane(m) ? "revolute" : "spherical");
        return 0;
    }
    row.kind = hol_joint_in_plane(m) ? &hol_row_square2 : &hol_row_square3;
    row.c = length;
    return hol_joint_equation(m, j, &row, 0);
}

const HolKind hol_joint_kind_distance = {
    .name = "distance",
    .spaces = HOL_EVERYWHERE,
    .help = "massless rod: two points keep their distance",
    .fields = (const char *const[]){"between", "bodies", "at", "length", NULL},
    .build_joint = build_distance,
};

static int build_slot(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    Vec3 z = v3_load(j->a.axis);
    return hol_joint_line(m, j, v3(-z.y, z.x, 0), 0) &&
           (j->coordinate = hol_joint_add_displacement(m, j, z)) >= 0;
}

const HolKind hol_joint_kind_slot = {
    .name = "slot",
    .spaces = HOL_IN_PLANE,
    .help = "a point of the second body on a line of the first",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", NULL},
    .flags = HOL_KIND_AXIS_NEEDED,
    .holds = {HOL_HOLDS_ACROSS, HOL_HOLDS_NONE},
    .build_joint = build_slot,
};

static int build_point_on_line(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    HolJointAxes f = hol_joint_axes(m, j);
    return hol_joint_on_line(m, j, &f) &&
           (j->coordinate = hol_joint_add_displacement(m, j, f.z)) >= 0;
}

const HolKind hol_joint_kind_point_on_line = {
    .name = "point_on_line",
    .spaces = HOL_IN_SPACE,
    .help = "a point of the second body on a line of the first",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", NULL},
    .holds = {HOL_HOLDS_ACROSS, HOL_HOLDS_NONE},
    .build_joint = build_point_on_line,
};

static int build_point_on_plane(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    return hol_joint_line(m, j, v3_load(j->a.axis), 0);
}

const HolKind hol_joint_kind_point_on_plane = {
    .name = "point_on_plane",
    .spaces = HOL_IN_SPACE,
    .help = "a point of the second body on a plane of the first (axis: normal)",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", NULL},
    .holds = {HOL_HOLDS_ALONG, HOL_HOLDS_NONE},
    .build_joint = build_point_on_plane,
};

static int build_universal(HolModel *m, HolJoint *j, HolError *err) {
    if (!j->b.has_axis) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': a universal joint needs an axis in each body: {body: b, at: "
                          "[..], axis: [..]}",
                          j->def.name);
        return 0;
    }
    return hol_joint_coincide(m, j) && hol_joint_dot(m, j, v3_load(j->a.axis), v3_load(j->b.axis));
}

const HolKind hol_joint_kind_universal = {
    .name = "universal",
    .spaces = HOL_IN_SPACE,
    .help =
        "common point, first axis in the first body kept perpendicular to the second axis in the "
        "second",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", NULL},
    .flags = HOL_KIND_TWO_AXES,
    .orients = HOL_IN_SPACE,
    .holds = {HOL_HOLDS_ALL, HOL_HOLDS_ONE},
    .build_joint = build_universal,
};

static int build_parallel(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    HolJointAxes f = hol_joint_axes(m, j);
    return hol_joint_aligned(m, j, &f);
}

const HolKind hol_joint_kind_parallel = {
    .name = "parallel",
    .spaces = HOL_IN_SPACE,
    .help = "axes stay parallel",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", NULL},
    .orients = HOL_IN_SPACE,
    .holds = {HOL_HOLDS_NONE, HOL_HOLDS_ACROSS},
    .build_joint = build_parallel,
};

static int build_perpendicular(HolModel *m, HolJoint *j, HolError *err) {
    if (!j->b.has_axis) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': a perpendicular joint needs an axis in each body",
                          j->def.name);
        return 0;
    }
    return hol_joint_dot(m, j, v3_load(j->a.axis), v3_load(j->b.axis));
}

const HolKind hol_joint_kind_perpendicular = {
    .name = "perpendicular",
    .spaces = HOL_IN_SPACE,
    .help = "axes stay perpendicular",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", NULL},
    .flags = HOL_KIND_TWO_AXES,
    .orients = HOL_IN_SPACE,
    .holds = {HOL_HOLDS_NONE, HOL_HOLDS_ONE},
    .build_joint = build_perpendicular,
};
