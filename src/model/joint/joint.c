// SPDX-License-Identifier: Apache-2.0
// Joint kinds: each a short list of primitive rows (docs/theory/rows.md, section 4). e_i global
// axes; z the joint axis; n1, n2 two unit vectors perpendicular to it, fixed in the first body; (b)
// the same vectors fixed in the second.
//   coincide   e_i . (P_b - P_a) = 0
//   aligned    n1.z(b) = n2.z(b) = 0            parallel axes
//   locked     x.y(b) = y.z(b) = z.x(b) = 0     same orientation as written
//   on line    n1.(P_b - P_a) = n2.(P_b - P_a) = 0
#include "math/vec.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

const HolKind *hol_kind_find(const HolKind *list, const char *name) {
    for (const HolKind *k = list; k->name; k++)
        if (name && strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

// one equation from one row
static int one_row(HolModel *m, HolJoint *j, const HolRow *row, double constant) {
    int index = hol_add_row(m, row);
    HolTerm term = {index, 1};
    return index >= 0 &&
           hol_add_equation(m, j->def.name, &term, 1, NULL, constant, row->kind->holonomic) >= 0;
}

static HolRow joint_row(const HolModel *m, const HolJoint *j, const HolRowKind *kind) {
    HolRow row = hol_row_new(m, kind, j->a.body, j->b.body);
    memcpy(row.sa, j->a.at, sizeof row.sa);
    memcpy(row.sb, j->b.at, sizeof row.sb);
    return row;
}

static int joint_planar(const HolModel *m) {
    return m->space == HOL_PLANAR;
}

// ---- groups of rows ----

static int coincide(HolModel *m, HolJoint *j) {
    int n = joint_planar(m) ? 2 : 3, ok = 1;
    for (int i = 0; i < n && ok; i++) {
        HolRow row = joint_row(m, j, joint_planar(m) ? &hol_row_point2 : &hol_row_point3);
        row.ua[i] = 1;
        ok = one_row(m, j, &row, 0);
    }
    return ok;
}

typedef struct {
    Vec3 x, y, z;    // axes of the joint frame in body a
    Vec3 xb, yb, zb; // the same directions, as written, in body b; zb is b's own axis
} Axes;

// from a's axis; b's axis (when given) replaces zb, so that assembly can align them
static Axes joint_axes(const HolModel *m, const HolJoint *j) {
    HolFrame fa, fb;
    hol_initial_frame(m, j->a.body, &fa);
    hol_initial_frame(m, j->b.body, &fb);
    Mat3 Aa, Ab;
    memcpy(Aa.m, fa.A, sizeof Aa.m);
    memcpy(Ab.m, fb.A, sizeof Ab.m);
    Axes f;
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

static int dot_row(HolModel *m, HolJoint *j, Vec3 ua, Vec3 ub) {
    HolRow row = joint_row(m, j, &hol_row_dot3);
    v3_store(row.ua, ua);
    v3_store(row.ub, ub);
    return one_row(m, j, &row, 0);
}

static int aligned(HolModel *m, HolJoint *j, const Axes *f) {
    return dot_row(m, j, f->x, f->zb) && dot_row(m, j, f->y, f->zb);
}

static int locked(HolModel *m, HolJoint *j, const Axes *f) {
    if (joint_planar(m)) {
        HolRow row = joint_row(m, j, &hol_row_angle2);
        return one_row(m, j, &row, hol_row_initial(m, &row));
    }
    return dot_row(m, j, f->x, f->yb) && dot_row(m, j, f->y, f->zb) && dot_row(m, j, f->z, f->xb);
}

static int line_row(HolModel *m, HolJoint *j, Vec3 u, double constant) {
    HolRow row = joint_row(m, j, joint_planar(m) ? &hol_row_line2 : &hol_row_line3);
    v3_store(row.ua, u);
    return one_row(m, j, &row, constant);
}

static int on_line(HolModel *m, HolJoint *j, const Axes *f) {
    return line_row(m, j, f->x, 0) && line_row(m, j, f->y, 0);
}

// ---- free coordinates ----

static int angle_coordinate(HolModel *m, HolJoint *j, const Axes *f) {
    HolRow row = joint_row(m, j, joint_planar(m) ? &hol_row_angle2 : &hol_row_angle3);
    double za[3] = {0}, zb[3] = {0};
    if (!joint_planar(m)) {
        v3_store(za, f->z);
        v3_store(zb, f->zb);
        row.memory = m->sys.n_memory++;
    }
    hol_angle_zero(m, &j->a, &j->b, za, zb, &row);
    j->coordinate_is_angle = 1;
    return (j->coordinate = hol_add_row(m, &row)) >= 0;
}

static int displacement_row(HolModel *m, HolJoint *j, Vec3 u) {
    HolRow row = joint_row(m, j, joint_planar(m) ? &hol_row_line2 : &hol_row_line3);
    v3_store(row.ua, u);
    return hol_add_row(m, &row);
}

// ---- kinds ----

static int build_revolute(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    const int points = m->def.bodies[j->a.body].def.type == HOL_POINT ||
                       m->def.bodies[j->b.body].def.type == HOL_POINT;
    if (joint_planar(m)) // (a point mass has no angle)
        return coincide(m, j) && (points || angle_coordinate(m, j, NULL));
    Axes f = joint_axes(m, j);
    return coincide(m, j) && aligned(m, j, &f) && angle_coordinate(m, j, &f);
}

static int build_spherical(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    return coincide(m, j);
}

static int build_fixed(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    Axes f = {0};
    if (!joint_planar(m)) { // any axis will do: the orientation is kept as written
        v3_store(j->a.axis, v3(0, 0, 1));
        j->b.has_axis = 0;
        f = joint_axes(m, j);
    }
    return coincide(m, j) && locked(m, j, &f);
}

static int build_prismatic(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    Axes f = {0};
    int ok;
    if (joint_planar(m)) {
        f.z = v3_load(j->a.axis);
        ok = line_row(m, j, v3(-f.z.y, f.z.x, 0), 0);
    } else {
        f = joint_axes(m, j);
        ok = on_line(m, j, &f);
    }
    return ok && locked(m, j, &f) && (j->coordinate = displacement_row(m, j, f.z)) >= 0;
}

static int build_cylindrical(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    Axes f = joint_axes(m, j);
    return on_line(m, j, &f) && aligned(m, j, &f) && angle_coordinate(m, j, &f) &&
           (j->coordinate2 = displacement_row(m, j, f.z)) >= 0;
}

static int build_screw(HolModel *m, HolJoint *j, HolError *err) {
    if (!build_cylindrical(m, j, err))
        return 0;
    HolTerm terms[2] = {{j->coordinate2, 1}, {j->coordinate, -j->def.pitch}};
    double start = hol_row_initial(m, &m->sys.rows[j->coordinate2]) -
                   j->def.pitch * hol_row_initial(m, &m->sys.rows[j->coordinate]);
    return hol_add_equation(m, j->def.name, terms, 2, NULL, start, 1) >= 0;
}

static int build_universal(HolModel *m, HolJoint *j, HolError *err) {
    if (!j->b.has_axis) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': a universal joint needs an axis in each body: {body: b, at: "
                          "[..], axis: [..]}",
                          j->def.name);
        return 0;
    }
    return coincide(m, j) && dot_row(m, j, v3_load(j->a.axis), v3_load(j->b.axis));
}

static int build_planar(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    Axes f = joint_axes(m, j);
    return line_row(m, j, f.z, 0) && aligned(m, j, &f);
}

static int build_point_on_line(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    Axes f = joint_axes(m, j);
    return on_line(m, j, &f) && (j->coordinate = displacement_row(m, j, f.z)) >= 0;
}

static int build_slot(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    Vec3 z = v3_load(j->a.axis);
    return line_row(m, j, v3(-z.y, z.x, 0), 0) && (j->coordinate = displacement_row(m, j, z)) >= 0;
}

static int build_point_on_plane(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    return line_row(m, j, v3_load(j->a.axis), 0);
}

static int build_parallel(HolModel *m, HolJoint *j, HolError *err) {
    (void)err;
    Axes f = joint_axes(m, j);
    return aligned(m, j, &f);
}

static int build_perpendicular(HolModel *m, HolJoint *j, HolError *err) {
    if (!j->b.has_axis) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': a perpendicular joint needs an axis in each body",
                          j->def.name);
        return 0;
    }
    return dot_row(m, j, v3_load(j->a.axis), v3_load(j->b.axis));
}

static int build_distance(HolModel *m, HolJoint *j, HolError *err) {
    HolRow row = joint_row(m, j, joint_planar(m) ? &hol_row_length2 : &hol_row_length3);
    double length = isnan(j->def.length) ? hol_row_initial(m, &row) : j->def.length;
    if (!(length >
          (isnan(j->def.length) ? 1e-12 : 0))) { // an initial distance of round-off is none
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': the distance must be positive (it is %g); two points that "
                          "coincide need a %s joint",
                          j->def.name, length, joint_planar(m) ? "revolute" : "spherical");
        return 0;
    }
    row.kind = joint_planar(m) ? &hol_row_square2 : &hol_row_square3;
    row.c = length;
    return one_row(m, j, &row, 0);
}

static int radius_ok(HolModel *m, const HolJoint *j, HolError *err) {
    if (j->def.radius > 0)
        return 1;
    hol_problem_error(m, err, j->def.line, j->def.column,
                      "joint '%s': rolling needs a positive radius", j->def.name);
    return 0;
}

// plane: the disc (b) over the line through P_a along the axis; centre at height R, no slip: s + R
// angle = const
static int build_rolling_planar(HolModel *m, HolJoint *j) {
    Vec3 z = v3_load(j->a.axis), n = v3(-z.y, z.x, 0);
    HolRow along = joint_row(m, j, &hol_row_line2), turn = joint_row(m, j, &hol_row_angle2);
    v3_store(along.ua, z);
    int r1 = hol_add_row(m, &along), r2 = hol_add_row(m, &turn);
    HolTerm terms[2] = {{r1, 1}, {r2, j->def.radius}};
    double start = hol_row_initial(m, &along) + j->def.radius * hol_row_initial(m, &turn);
    j->coordinate = r1;
    return r1 >= 0 && r2 >= 0 && line_row(m, j, n, j->def.radius) &&
           hol_add_equation(m, j->def.name, terms, 2, NULL, start, 1) >= 0;
}

static int build_rolling(HolModel *m, HolJoint *j, HolError *err) {
    if (!radius_ok(m, j, err))
        return 0;
    if (joint_planar(m))
        return build_rolling_planar(m, j);
    if (j->a.body != 0 || !j->b.has_axis) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': rolling in space takes the plane on ground first ({body: "
                          "ground, at, axis: normal}), then the disc with its axis",
                          j->def.name);
        return 0;
    }
    HolRow row = joint_row(m, j, &hol_row_touch3), tilt = joint_row(m, j, &hol_row_dot3);
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
    if (!one_row(m, j, &row, 0))
        return 0;
    row.kind = &hol_row_roll3;
    v3_store(row.wa, t1);
    if (!one_row(m, j, &row, 0))
        return 0;
    v3_store(row.wa, t2);
    return one_row(m, j, &row, 0);
}

static int build_gear(HolModel *m, HolJoint *j, HolError *err) {
    const char *names[2] = {j->def.joint_a, j->def.joint_b};
    int rows[2];
    for (int i = 0; i < 2; i++) {
        int other = hol_joint_find(m, names[i]);
        if (other < 0 || &m->def.joints[other] >= j || m->def.joints[other].coordinate < 0) {
            hol_problem_error(m, err, j->def.line, j->def.column,
                              "joint '%s': gear couples two joints with a free coordinate, defined "
                              "before it; '%s' is not one",
                              j->def.name, names[i] ? names[i] : "");
            return 0;
        }
        rows[i] = m->def.joints[other].coordinate;
    }
    HolTerm terms[2] = {{rows[1], 1}, {rows[0], -j->def.ratio}};
    double start = hol_row_initial(m, &m->sys.rows[rows[1]]) -
                   j->def.ratio * hol_row_initial(m, &m->sys.rows[rows[0]]);
    const HolRow *first = &m->sys.rows[rows[0]], *second = &m->sys.rows[rows[1]];
    j->a.body = first->b ? first->b : first->a;
    j->b.body = second->b ? second->b : second->a;
    return hol_add_equation(m, j->def.name, terms, 2, NULL, start, 1) >= 0;
}

static const char *const refs[] = {"between", "bodies", "at", NULL};
static const char *const refs_axis[] = {"between", "bodies", "at", "axis", NULL};
static const char *const refs_turn[] = {"between", "bodies", "at", "axis", "x", NULL};
static const char *const refs_length[] = {"between", "bodies", "at", "length", NULL};
static const char *const refs_radius[] = {"between", "bodies", "at", "axis", "radius", NULL};
static const char *const refs_pitch[] = {"between", "bodies", "at", "axis", "x", "pitch", NULL};
static const char *const gear_fields[] = {"joints", "ratio", NULL};

#define JOINT(name, spaces, help, fields, build)                                                   \
    { name, spaces, help, fields, build, NULL, NULL }
const HolKind hol_joint_kind_list[] = {
    JOINT("revolute", HOL_EVERYWHERE, "hinge: common point, in space also common axis", refs_turn,
          build_revolute),
    JOINT("prismatic", HOL_EVERYWHERE, "slides along the axis, orientation locked", refs_axis,
          build_prismatic),
    JOINT("fixed", HOL_EVERYWHERE, "welds two bodies as written", refs, build_fixed),
    JOINT("distance", HOL_EVERYWHERE, "massless rod: two points keep their distance", refs_length,
          build_distance),
    JOINT("rolling", HOL_EVERYWHERE,
          "disc rolling without slip: on a line (plane; without an axis along x of the first "
          "body), on a "
          "fixed plane (space, non-holonomic)",
          refs_radius, build_rolling),
    JOINT("gear", HOL_EVERYWHERE,
          "coordinate of the second joint = ratio * that of the first + start", gear_fields,
          build_gear),
    JOINT("slot", HOL_IN_PLANE, "a point of the second body on a line of the first", refs_axis,
          build_slot),
    JOINT("cylindrical", HOL_IN_SPACE, "common axis: turns and slides", refs_turn,
          build_cylindrical),
    JOINT("spherical", HOL_IN_SPACE, "common point", refs, build_spherical),
    JOINT("universal", HOL_IN_SPACE,
          "common point, first axis in the first body kept perpendicular to the second axis in the "
          "second",
          refs_axis, build_universal),
    JOINT("planar", HOL_IN_SPACE, "plane on plane: the axis is the normal", refs_axis,
          build_planar),
    JOINT("point_on_line", HOL_IN_SPACE, "a point of the second body on a line of the first",
          refs_axis, build_point_on_line),
    JOINT("point_on_plane", HOL_IN_SPACE,
          "a point of the second body on a plane of the first (axis: normal)", refs_axis,
          build_point_on_plane),
    JOINT("parallel", HOL_IN_SPACE, "axes stay parallel", refs_axis, build_parallel),
    JOINT("perpendicular", HOL_IN_SPACE, "axes stay perpendicular", refs_axis, build_perpendicular),
    JOINT("screw", HOL_IN_SPACE, "cylindrical with displacement = pitch * angle", refs_pitch,
          build_screw),
    {0},
};
