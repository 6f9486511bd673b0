// SPDX-License-Identifier: Apache-2.0
// The lower pairs, surfaces that slide on each other: revolute, prismatic, cylindrical, spherical,
// planar and screw joints, and the weld. z the joint axis, n1 and n2 across it, P the two places.
//   revolute     coincide, in space aligned       prismatic   on line (plane: n.(P_b - P_a) = 0), locked
//   cylindrical  on line, aligned                 spherical   coincide
//   planar       z.(P_b - P_a) = 0, aligned       fixed       coincide, locked
//   screw        cylindrical, u = pitch phi + start
#include "model/joint/joint.h"

static int build_revolute(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    const int points = !hol_body_turns(&m->def.bodies[j->a.body].def) ||
                       !hol_body_turns(&m->def.bodies[j->b.body].def);
    if (hol_joint_in_plane(m)) // (a point mass has no angle)
        return hol_joint_coincide(m, j) && (points || hol_joint_add_angle(m, j, NULL));
    HolJointAxes f = hol_joint_axes(m, j);
    return hol_joint_coincide(m, j) && hol_joint_aligned(m, j, &f) && hol_joint_add_angle(m, j, &f);
}

const HolKind hol_joint_kind_revolute = {
    .name = "revolute",
    .spaces = HOL_EVERYWHERE,
    .help = "hinge: common point, in space also common axis",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", "x", "angle", "rate",
                                    "friction", "limits", NULL},
    .flags = HOL_KIND_TREE_LINK | HOL_KIND_TURNS,
    .orients = HOL_IN_SPACE,
    .holds = {HOL_HOLDS_ALL, HOL_HOLDS_ACROSS},
    .friction = HOL_FRICTION_REVOLUTE,
    .build_joint = build_revolute,
};

static int build_prismatic(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    HolJointAxes f = {0};
    int ok;
    if (hol_joint_in_plane(m)) {
        f.z = v3_load(j->a.axis);
        ok = hol_joint_line(m, j, v3(-f.z.y, f.z.x, 0), 0);
    } else {
        f = hol_joint_axes(m, j);
        ok = hol_joint_on_line(m, j, &f);
    }
    return ok && hol_joint_locked(m, j, &f) &&
           (j->coordinate = hol_joint_add_displacement(m, j, f.z)) >= 0;
}

const HolKind hol_joint_kind_prismatic = {
    .name = "prismatic",
    .spaces = HOL_EVERYWHERE,
    .help = "slides along the axis, orientation locked",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", "displacement", "speed",
                                    "friction", "limits", NULL},
    .flags = HOL_KIND_TREE_LINK | HOL_KIND_AXIS_NEEDED | HOL_KIND_SLIDES,
    .orients = HOL_EVERYWHERE,
    .holds = {HOL_HOLDS_ACROSS, HOL_HOLDS_ALL},
    .friction = HOL_FRICTION_PRISMATIC,
    .build_joint = build_prismatic,
};

static int build_fixed(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    HolJointAxes f = {0};
    if (!hol_joint_in_plane(m)) { // any axis will do: the orientation is kept as written
        v3_store(j->a.axis, v3(0, 0, 1));
        j->b.has_axis = 0;
        f = hol_joint_axes(m, j);
    }
    return hol_joint_coincide(m, j) && hol_joint_locked(m, j, &f);
}

const HolKind hol_joint_kind_fixed = {
    .name = "fixed",
    .spaces = HOL_EVERYWHERE,
    .help = "welds two bodies: its places coincide, the bodies' axes stay to each other as written",
    .fields = (const char *const[]){"between", "bodies", "at", NULL},
    .flags = HOL_KIND_TREE_LINK,
    .orients = HOL_EVERYWHERE,
    .holds = {HOL_HOLDS_ALL, HOL_HOLDS_ALL},
    .build_joint = build_fixed,
};

static int build_cylindrical(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    HolJointAxes f = hol_joint_axes(m, j);
    return hol_joint_on_line(m, j, &f) && hol_joint_aligned(m, j, &f) &&
           hol_joint_add_angle(m, j, &f) &&
           (j->coordinate2 = hol_joint_add_displacement(m, j, f.z)) >= 0;
}

const HolKind hol_joint_kind_cylindrical = {
    .name = "cylindrical",
    .spaces = HOL_IN_SPACE,
    .help = "common axis: turns and slides",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", "x", "angle", "rate",
                                    "displacement", "speed", "friction", NULL},
    .flags = HOL_KIND_TREE_LINK,
    .orients = HOL_IN_SPACE,
    .holds = {HOL_HOLDS_ACROSS, HOL_HOLDS_ACROSS},
    .friction = HOL_FRICTION_MANTLE,
    .build_joint = build_cylindrical,
};

static int build_spherical(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    return hol_joint_coincide(m, j);
}

// component i - 2 of the rotation vector of the second body against the first
static int turn_spherical(HolModel *m, HolJoint *j, int i) {
    HolRow row = hol_joint_row(m, j, &hol_row_rotation3);
    if (i < 2)
        return -1;
    row.ua[i - 2] = 1;
    return hol_add_row(m, &row);
}

const HolKind hol_joint_kind_spherical = {
    .name = "spherical",
    .spaces = HOL_IN_SPACE,
    .help = "common point",
    .fields = (const char *const[]){"between", "bodies", "at", "friction", NULL},
    .holds = {HOL_HOLDS_ALL, HOL_HOLDS_NONE},
    .friction = HOL_FRICTION_BALL,
    .build_joint = build_spherical,
    .turn_row = turn_spherical,
};

static int build_planar(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    HolJointAxes f = hol_joint_axes(m, j);
    return hol_joint_line(m, j, f.z, 0) && hol_joint_aligned(m, j, &f);
}

const HolKind hol_joint_kind_planar = {
    .name = "planar",
    .spaces = HOL_IN_SPACE,
    .help = "plane on plane: the axis is the normal",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", "friction", NULL},
    .orients = HOL_IN_SPACE,
    .holds = {HOL_HOLDS_ALONG, HOL_HOLDS_ACROSS},
    .friction = HOL_FRICTION_FACE,
    .build_joint = build_planar,
};

static int build_screw(HolModel *m, HolJoint *j, HolError *err) {
    if (!build_cylindrical(m, j, err))
        return 0;
    return hol_joint_ratio(m, j, j->coordinate2, j->coordinate, j->def.pitch);
}

const HolKind hol_joint_kind_screw = {
    .name = "screw",
    .spaces = HOL_IN_SPACE,
    .help = "cylindrical with displacement = pitch * angle",
    .fields = (const char *const[]){"between", "bodies", "at", "axis", "x", "pitch", "angle",
                                    "rate", "friction", "limits", NULL},
    .flags = HOL_KIND_TURNS,
    .orients = HOL_IN_SPACE,
    .friction = HOL_FRICTION_COUPLED,
    .build_joint = build_screw,
};
