// SPDX-License-Identifier: Apache-2.0
// Joints of one or two conditions on points and axes: distance, slot, point_on_line, point_on_plane,
// parallel, perpendicular, universal. z the joint axis, n, n1, n2 across it, P the two places.
//   distance        |P_b - P_a|^2 = length^2         slot           n.(P_b - P_a) = 0
//   point_on_line   n1, n2.(P_b - P_a) = 0           point_on_plane z.(P_b - P_a) = 0
//   parallel        n1.z(b) = n2.z(b) = 0            perpendicular  z_a.z_b = 0
//   universal       P_a = P_b, z_a.z_b = cos(cross angle)
// Angles of a universal joint: R = A_a^T A_b = Rot(z_a, phi_1) Rot(z_b, phi_2), both zero where R = 1.
// With x_a the part of z_b across z_a there, phi_1 is the direction of z_b seen from a:
//   phi_1 = atan2((z_a x x_a).R z_b, x_a.R z_b),  phi_2 = the same of z_a seen from b, reversed
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
    .fields = (const char *const[]){"between", "bodies", "at", "axis", "friction", "limits", NULL},
    .flags = HOL_KIND_AXIS_NEEDED | HOL_KIND_SLIDES,
    .holds = {HOL_HOLDS_ACROSS, HOL_HOLDS_NONE},
    .friction = HOL_FRICTION_ACROSS,
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
    .fields = (const char *const[]){"between", "bodies", "at", "axis", "friction", "limits", NULL},
    .flags = HOL_KIND_SLIDES,
    .holds = {HOL_HOLDS_ACROSS, HOL_HOLDS_NONE},
    .friction = HOL_FRICTION_ACROSS,
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
    .fields = (const char *const[]){"between", "bodies", "at", "axis", "friction", NULL},
    .holds = {HOL_HOLDS_ALONG, HOL_HOLDS_NONE},
    .friction = HOL_FRICTION_PLANE,
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
    HolRow row = hol_joint_row(m, j, &hol_row_dot3);
    v3_store(row.ua, v3_load(j->a.axis));
    v3_store(row.ub, v3_load(j->b.axis));
    const double cross = j->def.cross_angle;
    if (!(cross > 0.01 && cross < M_PI - 0.01)) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': the angle between the axes of a universal joint must lie "
                          "between 0.01 and pi - 0.01, not %g",
                          j->def.name, cross);
        return 0;
    }
    return hol_joint_coincide(m, j) &&
           hol_joint_equation(m, j, &row, cross == M_PI / 2 ? 0 : cos(cross));
}

static int turn_universal(HolModel *m, HolJoint *j, int i) {
    const HolAttach *ends[2] = {&j->a, &j->b};
    if (i > 1)
        return -1;
    const Vec3 own = v3_load(ends[i]->axis), other = v3_load(ends[1 - i]->axis);
    Vec3 x = v3_sub(other, v3_scale(own, v3_dot(own, other)));
    x = v3_norm(x) > 1e-2 ? v3_unit(x) : v3_perpendicular(own);
    HolRow row = hol_row_new(m, &hol_row_angle3, ends[i]->body, ends[1 - i]->body);
    v3_store(row.ua, x);
    v3_store(row.wa, v3_scale(v3_cross(own, x), i ? -1 : 1));
    v3_store(row.ub, other);
    row.memory = m->sys.n_memory++;
    return hol_add_row(m, &row);
}

const HolKind hol_joint_kind_universal = {
    .name = "universal",
    .spaces = HOL_IN_SPACE,
    .help =
        "common point, first axis in the first body kept perpendicular to the second axis in the "
        "second, or at another angle",
    .fields =
        (const char *const[]){"between", "bodies", "at", "axis", "cross_angle", "friction", NULL},
    .flags = HOL_KIND_TWO_AXES,
    .orients = HOL_IN_SPACE,
    .holds = {HOL_HOLDS_ALL, HOL_HOLDS_ONE},
    .friction = HOL_FRICTION_CROSS,
    .build_joint = build_universal,
    .turn_row = turn_universal,
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
