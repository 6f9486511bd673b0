// SPDX-License-Identifier: Apache-2.0
// Groups of primitive rows that joints share (docs/theory/rows.md, section 4). e_i global axes; z
// the joint axis; n1, n2 two unit vectors perpendicular to it, fixed in the first body; (b) the same
// vectors fixed in the second.
//   coincide   e_i . (P_b - P_a) = 0
//   aligned    n1.z(b) = n2.z(b) = 0            parallel axes
//   locked     x.y(b) = y.z(b) = z.x(b) = 0     same orientation as written
//   on line    n1.(P_b - P_a) = n2.(P_b - P_a) = 0
#include "model/joint/joint.h"

#include <string.h>

int hol_joint_equation(HolModel *m, HolJoint *j, const HolRow *row, double constant) {
    int index = hol_add_row(m, row);
    HolTerm term = {index, 1};
    return index >= 0 &&
           hol_add_equation(m, j->def.name, &term, 1, NULL, constant, row->kind->holonomic) >= 0;
}

HolRow hol_joint_row(const HolModel *m, const HolJoint *j, const HolRowKind *kind) {
    HolRow row = hol_row_new(m, kind, j->a.body, j->b.body);
    memcpy(row.sa, j->a.at, sizeof row.sa);
    memcpy(row.sb, j->b.at, sizeof row.sb);
    return row;
}

// ---- groups of rows ----

int hol_joint_coincide(HolModel *m, HolJoint *j) {
    int n = hol_joint_in_plane(m) ? 2 : 3, ok = 1;
    for (int i = 0; i < n && ok; i++) {
        HolRow row = hol_joint_row(m, j, hol_joint_in_plane(m) ? &hol_row_point2 : &hol_row_point3);
        row.ua[i] = 1;
        ok = hol_joint_equation(m, j, &row, 0);
    }
    return ok;
}

HolJointAxes hol_joint_axes(const HolModel *m, const HolJoint *j) {
    HolFrame fa, fb;
    hol_initial_frame(m, j->a.body, &fa);
    hol_initial_frame(m, j->b.body, &fb);
    Mat3 Aa, Ab;
    memcpy(Aa.m, fa.A, sizeof Aa.m);
    memcpy(Ab.m, fb.A, sizeof Ab.m);
    HolJointAxes f;
    f.z = v3_load(j->a.axis);
    f.x = v3_perpendicular(f.z);
    f.y = v3_cross(f.z, f.x);
    f.zb = j->b.has_axis ? v3_load(j->b.axis) : m3_tmulv(Ab, m3_mulv(Aa, f.z));
    // x seen from b, made perpendicular to b's own axis
    Vec3 x = m3_tmulv(Ab, m3_mulv(Aa, f.x));
    x = v3_sub(x, v3_scale(f.zb, v3_dot(x, f.zb)));
    f.xb = v3_norm(x) > 1e-6 ? v3_unit(x) : v3_perpendicular(f.zb);
    f.yb = v3_cross(f.zb, f.xb);
    return f;
}

int hol_joint_dot(HolModel *m, HolJoint *j, Vec3 ua, Vec3 ub) {
    HolRow row = hol_joint_row(m, j, &hol_row_dot3);
    v3_store(row.ua, ua);
    v3_store(row.ub, ub);
    return hol_joint_equation(m, j, &row, 0);
}

int hol_joint_aligned(HolModel *m, HolJoint *j, const HolJointAxes *f) {
    return hol_joint_dot(m, j, f->x, f->zb) && hol_joint_dot(m, j, f->y, f->zb);
}

int hol_joint_locked(HolModel *m, HolJoint *j, const HolJointAxes *f) {
    if (hol_joint_in_plane(m)) {
        HolRow row = hol_joint_row(m, j, &hol_row_angle2);
        return hol_joint_equation(m, j, &row, hol_row_initial(m, &row));
    }
    return hol_joint_dot(m, j, f->x, f->yb) && hol_joint_dot(m, j, f->y, f->zb) &&
           hol_joint_dot(m, j, f->z, f->xb);
}

int hol_joint_line(HolModel *m, HolJoint *j, Vec3 u, double constant) {
    HolRow row = hol_joint_row(m, j, hol_joint_in_plane(m) ? &hol_row_line2 : &hol_row_line3);
    v3_store(row.ua, u);
    return hol_joint_equation(m, j, &row, constant);
}

int hol_joint_on_line(HolModel *m, HolJoint *j, const HolJointAxes *f) {
    return hol_joint_line(m, j, f->x, 0) && hol_joint_line(m, j, f->y, 0);
}

// ---- free coordinates ----

int hol_joint_add_angle(HolModel *m, HolJoint *j, const HolJointAxes *f) {
    HolRow row = hol_joint_row(m, j, hol_joint_in_plane(m) ? &hol_row_angle2 : &hol_row_angle3);
    double za[3] = {0}, zb[3] = {0};
    if (!hol_joint_in_plane(m)) {
        v3_store(za, f->z);
        v3_store(zb, f->zb);
        row.memory = m->sys.n_memory++;
    }
    hol_angle_zero(m, &j->a, &j->b, za, zb, &row);
    j->coordinate_is_angle = 1;
    return (j->coordinate = hol_add_row(m, &row)) >= 0;
}

int hol_joint_add_displacement(HolModel *m, HolJoint *j, Vec3 u) {
    HolRow row = hol_joint_row(m, j, hol_joint_in_plane(m) ? &hol_row_line2 : &hol_row_line3);
    v3_store(row.ua, u);
    return hol_add_row(m, &row);
}

int hol_joint_turn(HolModel *m, int joint, int i) {
    HolJoint *j = &m->def.joints[joint];
    if (!j->turns[i] && j->kind && j->kind->turn_row)
        j->turns[i] = 1 + j->kind->turn_row(m, j, i);
    return j->turns[i] - 1;
}

// ---- coupling ----

int hol_joint_ratio(HolModel *m, HolJoint *j, int y, int x, double ratio) {
    const HolTerm terms[2] = {{y, 1}, {x, -ratio}};
    const double start =
        hol_row_initial(m, &m->sys.rows[y]) - ratio * hol_row_initial(m, &m->sys.rows[x]);
    return hol_add_equation(m, j->def.name, terms, 2, NULL, start, 1) >= 0;
}

int hol_joint_has_radius(const HolModel *m, const HolJoint *j, HolError *err) {
    if (j->def.radius > 0)
        return 1;
    hol_problem_error(m, err, j->def.line, j->def.column, "joint '%s': %s needs a positive radius",
                      j->def.name, j->kind->name);
    return 0;
}
