// SPDX-License-Identifier: Apache-2.0
// What the kinds of joints are made of: groups of primitive rows. Each function adds equations (or
// a free coordinate) of one joint and returns 0 when memory ran out. A new kind is a file beside
// this one and a line of the registry in model/kind.h.
#ifndef HOL_MODEL_JOINT_H
#define HOL_MODEL_JOINT_H

#include "math/vec.h"
#include "model/model.h"

typedef struct HolJointAxes {
    Vec3 x, y, z;    // axes of the joint frame in body a
    Vec3 xb, yb, zb; // the same directions, as written, in body b; zb is b's own axis
} HolJointAxes;

static inline int hol_joint_in_plane(const HolModel *m) {
    return m->space == HOL_PLANAR;
}

// from a's axis; b's axis (when given) replaces zb, so that assembly can align them
HolJointAxes hol_joint_axes(const HolModel *m, const HolJoint *j);
// a row between the joint's two places
HolRow hol_joint_row(const HolModel *m, const HolJoint *j, const HolRowKind *kind);
// row - constant = 0
int hol_joint_equation(HolModel *m, HolJoint *j, const HolRow *row, double constant);

// ---- groups of equations ----
int hol_joint_coincide(HolModel *m, HolJoint *j); // e_i . (P_b - P_a) = 0
int hol_joint_dot(HolModel *m, HolJoint *j, Vec3 ua, Vec3 ub);
int hol_joint_aligned(HolModel *m, HolJoint *j, const HolJointAxes *f); // x.z(b) = y.z(b) = 0
int hol_joint_locked(HolModel *m, HolJoint *j, const HolJointAxes *f);  // orientation as written
int hol_joint_line(HolModel *m, HolJoint *j, Vec3 u, double constant);  // u.(P_b - P_a) = constant
int hol_joint_on_line(HolModel *m, HolJoint *j, const HolJointAxes *f);

// ---- free coordinates ----
int hol_joint_add_angle(HolModel *m, HolJoint *j, const HolJointAxes *f); // becomes `coordinate`
int hol_joint_add_displacement(HolModel *m, HolJoint *j, Vec3 u);         // its row, or -1

// the row of a further coordinate (HolKind.turn_row), made when it is first used; -1: it has none
int hol_joint_turn(HolModel *m, int joint, int i);

// ---- coupling ----
// y = ratio x + start of two rows, start as written
int hol_joint_ratio(HolModel *m, HolJoint *j, int y, int x, double ratio);
// 1 when the radius is positive, else a problem
int hol_joint_has_radius(const HolModel *m, const HolJoint *j, HolError *err);

#endif
