// SPDX-License-Identifier: Apache-2.0
// Joints along a curve c(s) of the first body, from its place P_a on. s is a hidden coordinate
// without mass, and the joint's own coordinate: it can be driven and named (JOINT.displacement).
//   point_on_curve  A_a^T (P_b - P_a) = c(s)                                  plane and space
//   cam             A_a^T (P_b - P_a) = c(s) + R n(s),  n = o (y', -x')/|c'|   roller of radius R
//   cam_flat        (A_b u).(P_a + A_a c - P_b) = 0,  (A_b u).A_a c' = 0       flat face, normal u
// o = 1 where a closed curve runs counter-clockwise, else -1: n points outwards. With phi the angle of
// b against a, A_a^T A_b u = (u_x cos phi - u_y sin phi, u_x sin phi + u_y cos phi).
#include "model/curve/curve.h"
#include "model/joint/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the curve, and where it is met at the start ----

static const HolCurve *track_curve(HolModel *m, const HolJoint *j, HolError *err) {
    const HolCurve *c = hol_curve_find(m, j->def.curve);
    if (c)
        return c;
    const char *names[64] = {NULL}, *near;
    int n = 0;
    for (; n < m->def.n_curves && n < 64; n++)
        names[n] = m->def.curves[n].name;
    near = j->def.curve ? hol_nearest_word(j->def.curve, names, n) : NULL;
    hol_problem_error(m, err, j->def.line, j->def.column, "joint '%s': %s%.64s%s%s%s%s",
                      j->def.name,
                      j->def.curve ? "there is no curve '"
                                   : "required key 'curve' is missing: the "
                                     "name of one of `curves:`",
                      j->def.curve ? j->def.curve : "", j->def.curve ? "'" : "",
                      near                ? "; did you mean '"
                      : n && j->def.curve ? "; there is '"
                                          : "",
                      near                ? near
                      : n && j->def.curve ? names[0]
                                          : "",
                      near                ? "'?"
                      : n && j->def.curve ? "'"
                                          : "");
    return NULL;
}

typedef struct TrackStart {
    double at[3]; // P_b seen from P_a, axes of a
    double u[2];  // normal of the face, axes of a
} TrackStart;

static TrackStart track_start(const HolModel *m, const HolJoint *j) {
    TrackStart t = {{0}, {0}};
    HolFrame a, b;
    hol_initial_frame(m, j->a.body, &a);
    hol_initial_frame(m, j->b.body, &b);
    Mat3 Aa, Ab;
    memcpy(Aa.m, a.A, sizeof Aa.m);
    memcpy(Ab.m, b.A, sizeof Ab.m);
    const Vec3 Pa = v3_add(v3_load(a.r), m3_mulv(Aa, v3_load(j->a.at)));
    const Vec3 Pb = v3_add(v3_load(b.r), m3_mulv(Ab, v3_load(j->b.at)));
    v3_store(t.at, m3_tmulv(Aa, v3_sub(Pb, Pa)));
    if (j->b.has_axis) {
        const Vec3 u = m3_tmulv(Aa, m3_mulv(Ab, v3_load(j->b.axis)));
        t.u[0] = u.x;
        t.u[1] = u.y;
    }
    return t;
}

// how far the face is from touching at s: its distance, and the tangent's angle with it
static double track_face(const void *context, const HolCurve *c, double s) {
    const TrackStart *t = context;
    double p[3], d[3];
    hol_curve_at(c, s, p, d, NULL);
    const double gap = t->u[0] * (p[0] - t->at[0]) + t->u[1] * (p[1] - t->at[1]);
    const double turn = (t->u[0] * d[0] + t->u[1] * d[1]) / hypot(d[0], d[1]);
    return gap * gap + c->length * c->length * turn * turn;
}

// ---- equations ----

typedef struct Track {
    HolCurveUse use;
    TrackStart start;
} Track;

// s as a hidden coordinate that starts there, and the names of the curve for expressions
static int track_open(HolModel *m, HolJoint *j, const HolCurve *c, double s, Track *t) {
    char name[80];
    snprintf(name, sizeof name, "%.64s.s", j->def.name);
    const int body = hol_add_hidden(m, name);
    if (body < 0)
        return 0;
    m->def.bodies[body].def.mass = 0;
    m->def.bodies[body].span = c->to - c->from;
    m->def.bodies[body].def.position[0] = s;
    const HolRow row = hol_row_new(m, &hol_row_coordinate, 0, body);
    j->coordinate = hol_add_row(m, &row);
    return j->coordinate >= 0 &&
           hol_curve_use(m, c, hol_slot(m, HOL_SLOT_VALUE, j->coordinate, 0, 0, 0), &t->use);
}

// row - text = 0, the text in names of the curve; row NULL: none
static int track_equation(HolModel *m, HolJoint *j, const Track *t, const HolRow *row,
                          const char *text, HolError *err) {
    m->own_curve = &t->use;
    const HolExpr *e = hol_compile_expr(m, text, j->def.name, j->def.line, j->def.column, err);
    m->own_curve = NULL;
    HolTerm term = {row ? hol_add_row(m, row) : 0, 1};
    return e && term.row >= 0 && hol_add_equation(m, j->def.name, &term, row ? 1 : 0, e, 0, 1) >= 0;
}

// e_k . (P_b - P_a) along axis k of a
static HolRow track_row(const HolModel *m, const HolJoint *j, int k) {
    HolRow row = hol_joint_row(m, j, hol_joint_in_plane(m) ? &hol_row_line2 : &hol_row_line3);
    row.ua[k] = 1;
    return row;
}

// ---- point_on_curve ----

static int build_point_on_curve(HolModel *m, HolJoint *j, HolError *err) {
    static const char *const names[] = {"curve__x", "curve__y", "curve__z"};
    const HolCurve *c = track_curve(m, j, err);
    Track t = {.start = track_start(m, j)};
    if (!c || !track_open(m, j, c, hol_curve_nearest(c, t.start.at), &t))
        return 0;
    for (int k = 0; k < c->dimensions; k++) {
        const HolRow row = track_row(m, j, k);
        if (!track_equation(m, j, &t, &row, names[k], err))
            return 0;
    }
    return 1;
}

const HolKind hol_joint_kind_point_on_curve = {
    .name = "point_on_curve",
    .spaces = HOL_EVERYWHERE,
    .help = "a point of the second body on a curve of the first",
    .fields = (const char *const[]){"between", "curve", NULL},
    .build_joint = build_point_on_curve,
};

// ---- cam ----

// 0: the roller does not fit into a hollow of the curve
static int cam_fits(const HolModel *m, const HolJoint *j, const HolCurve *c, HolError *err) {
    const int n = 2 * hol_curve_samples(c);
    for (int i = 0; i < n; i++) {
        const double bend = hol_curve_bend(c, hol_curve_place(c, i, n), c->outward);
        if (1 + j->def.radius * bend > 0)
            continue;
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': the roller of radius %g does not fit into a hollow of the "
                          "curve '%s' of radius %.3g",
                          j->def.name, j->def.radius, c->name, -1 / bend);
        return 0;
    }
    return 1;
}

static int build_cam(HolModel *m, HolJoint *j, HolError *err) {
    const HolCurve *c = track_curve(m, j, err);
    Track t = {.start = track_start(m, j)};
    if (!c || !cam_fits(m, j, c, err) || !track_open(m, j, c, hol_curve_nearest(c, t.start.at), &t))
        return 0;
    for (int k = 0; k < 2; k++) {
        const HolRow row = track_row(m, j, k);
        char text[160];
        const double R = (k ? -1 : 1) * c->outward * j->def.radius;
        snprintf(text, sizeof text, "curve__%c + (%.17g)*curve__d%c/hypot(curve__dx, curve__dy)",
                 "xy"[k], R, "yx"[k]);
        if (!track_equation(m, j, &t, &row, text, err))
            return 0;
    }
    return 1;
}

const HolKind hol_joint_kind_cam = {
    .name = "cam",
    .spaces = HOL_IN_PLANE,
    .help = "cam (first body, curve) and a roller or point of the follower, always touching",
    .fields = (const char *const[]){"between", "curve", "radius", NULL},
    .build_joint = build_cam,
};

// ---- cam_flat ----

static int build_cam_flat(HolModel *m, HolJoint *j, HolError *err) {
    const HolCurve *c = track_curve(m, j, err);
    if (!c)
        return 0;
    if (!j->b.has_axis) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': cam_flat needs the normal of the face: the second place as "
                          "{body: b, at: [..], axis: [..]}",
                          j->def.name);
        return 0;
    }
    Track t = {.start = track_start(m, j)};
    if (!track_open(m, j, c, hol_curve_least(c, track_face, &t.start), &t))
        return 0;
    const HolRow turn = hol_joint_row(m, j, &hol_row_angle2);
    const int angle = hol_add_row(m, &turn);
    if (angle < 0)
        return 0;
    t.use.angle = hol_slot(m, HOL_SLOT_VALUE, angle, 0, 0, 0);
    // (A_b u).(P_a - P_b): the row from the second place to the first
    HolRow row = hol_row_new(m, &hol_row_line2, j->b.body, j->a.body);
    memcpy(row.sa, j->b.at, sizeof row.sa);
    memcpy(row.sb, j->a.at, sizeof row.sb);
    memcpy(row.ua, j->b.axis, sizeof row.ua);
    for (int k = 0; k < 2; k++) {
        char text[400];
        const double x = j->b.axis[0], y = j->b.axis[1];
        const char *d = k ? "d" : "";
        snprintf(text, sizeof text,
                 "-((%.17g)*cos(curve__phi) - (%.17g)*sin(curve__phi))*curve__%sx - "
                 "((%.17g)*sin(curve__phi) + (%.17g)*cos(curve__phi))*curve__%sy",
                 x, y, d, x, y, d);
        if (!track_equation(m, j, &t, k ? NULL : &row, text, err))
            return 0;
    }
    return 1;
}

const HolKind hol_joint_kind_cam_flat = {
    .name = "cam_flat",
    .spaces = HOL_IN_PLANE,
    .help = "cam (first body, curve) and a flat face of the follower (axis of its place: the "
            "normal), always touching",
    .fields = (const char *const[]){"between", "curve", NULL},
    .orients = HOL_IN_PLANE,
    .build_joint = build_cam_flat,
};
