// SPDX-License-Identifier: Apache-2.0
// Where joints and forces attach: references to bodies and points -> bodies, places, axes in body
// axes. Joints that couple others get the rows of their coordinates instead.
#include "math/vec.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- references ----

static void unknown_body(const HolModel *m, const HolRef *ref, const char *what, HolError *err) {
    const char *names[200], *near;
    int n = 0;
    for (int i = 0; i < m->def.n_bodies && n < 200; i++)
        names[n++] = m->def.bodies[i].def.name;
    near = hol_nearest_word(ref->body, names, n);
    hol_problem_error(m, err, ref->line, ref->column, "%s: there is no body '%s'%s%s%s", what,
                      ref->body, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

static void unknown_point(const HolModel *m, const HolRef *ref, const HolBody *body,
                          const char *what, HolError *err) {
    const char *names[100], *near;
    int n = 0;
    for (; n < body->def.n_points && n < 100; n++)
        names[n] = body->def.points[n].name;
    near = hol_nearest_word(ref->point, names, n);
    hol_problem_error(m, err, ref->line, ref->column, "%s: body '%s' has no point '%s'%s%s%s", what,
                      body->def.name, ref->point, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

int hol_resolve(const HolModel *m, const HolRef *ref, const char *what, HolAttach *out,
                HolError *err) {
    *out = (HolAttach){0};
    out->body = hol_body_find(m, ref->body);
    if (out->body < 0) {
        unknown_body(m, ref, what, err);
        return 0;
    }
    const HolBody *body = &m->def.bodies[out->body];
    if (!hol_body_placed(&body->def)) {
        hol_problem_error(m, err, ref->line, ref->column,
                          "%s: '%s' is a scalar coordinate; use it in expressions, not in joints "
                          "or forces at points",
                          what, ref->body);
        return 0;
    }
    if (ref->point) {
        const HolPointDef *p = hol_point_find(body, ref->point);
        if (!p) {
            unknown_point(m, ref, body, what, err);
            return 0;
        }
        memcpy(out->at, p->at, sizeof out->at);
        memcpy(out->axis, p->axis, sizeof out->axis);
        out->has_axis = p->has_axis;
        memcpy(out->x, p->x, sizeof out->x);
        out->has_x = p->has_x;
    } else if (ref->has_at)
        memcpy(out->at, ref->at, sizeof out->at);
    if (ref->has_axis) {
        memcpy(out->axis, ref->axis, sizeof out->axis);
        out->has_axis = 1;
    }
    if (ref->has_x) {
        memcpy(out->x, ref->x, sizeof out->x);
        out->has_x = 1;
    }
    if (!hol_body_turns(&body->def) && (out->at[0] != 0 || out->at[1] != 0 || out->at[2] != 0)) {
        hol_problem_error(m, err, ref->line, ref->column,
                          "%s: '%s' is a point mass: it has no other points than itself", what,
                          ref->body);
        return 0;
    }
    if (m->space == HOL_PLANAR)
        out->at[2] = out->axis[2] = out->x[2] = 0;
    Vec3 axis = v3_load(out->axis);
    if (out->has_axis && !(v3_norm(axis) > 0)) {
        hol_problem_error(m, err, ref->line, ref->column, "%s: the axis has no direction", what);
        return 0;
    }
    if (out->has_axis)
        v3_store(out->axis, v3_unit(axis));
    if (!(out->has_x && v3_norm(v3_load(out->x)) == 0))
        return 1;
    hol_problem_error(m, err, ref->line, ref->column, "%s: its x has no direction", what);
    return 0;
}

// ---- joints ----

// rotate a direction of one body into axes of another, as written
void hol_carry_axis(const HolModel *m, const HolAttach *from, HolAttach *to) {
    HolFrame f, t;
    Mat3 A, B;
    hol_initial_frame(m, from->body, &f);
    hol_initial_frame(m, to->body, &t);
    memcpy(A.m, f.A, sizeof A.m);
    memcpy(B.m, t.A, sizeof B.m);
    v3_store(to->axis, m3_tmulv(B, m3_mulv(A, v3_load(from->axis))));
    to->has_axis = 1;
}

// point and axis given in global axes, as written
static void global_attach(const HolModel *m, const HolJointDef *d, HolAttach *out) {
    HolFrame f;
    Mat3 A;
    hol_initial_frame(m, out->body, &f);
    memcpy(A.m, f.A, sizeof A.m);
    v3_store(out->at, m3_tmulv(A, v3_sub(v3_load(d->at), v3_load(f.r))));
    if (d->has_axis) {
        v3_store(out->axis, v3_unit(m3_tmulv(A, v3_load(d->axis))));
        out->has_axis = 1;
    }
    if (d->has_x) {
        v3_store(out->x, m3_tmulv(A, v3_load(d->x)));
        out->has_x = 1;
    }
}

static int two_axes(const HolJoint *j) { // bodies that have different axes
    return j->kind->flags & HOL_KIND_TWO_AXES;
}

static int suits_points(const HolKind *k, int space) {
    return (k->spaces & space) && !(k->orients & space) && !k->couples[0];
}

// the kinds that a point mass may have, as "a, b or c"
static void kinds_for_points(int space, char *out, size_t size) {
    const char *names[64];
    size_t used = 0;
    int n = 0;
    for (const HolKind *const *k = hol_joint_kinds; *k && n < 64; k++)
        if (suits_points(*k, space))
            names[n++] = (*k)->name;
    for (int i = 0; i < n && used + 1 < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 i == 0       ? ""
                                 : i == n - 1 ? " or "
                                              : ", ",
                                 names[i]);
}

static int turns_exist(HolModel *m, const HolJoint *j, const char *what, HolError *err) {
    const int bodies[2] = {j->a.body, j->b.body};
    const int space = m->space == HOL_PLANAR ? HOL_IN_PLANE : HOL_IN_SPACE;
    for (int i = 0; (j->kind->orients & space) && i < 2; i++) {
        const HolBodyDef *b = &m->def.bodies[bodies[i]].def;
        if (hol_body_turns(b))
            continue;
        char kinds[200] = "";
        kinds_for_points(space, kinds, sizeof kinds);
        hol_problem_error(
            m, err, j->def.line, j->def.column,
            "%s: a %s joint holds orientations, and '%s' is a point mass without one; "
            "use %s",
            what, j->def.type, b->name, kinds);
        return 0;
    }
    return 1;
}

// directions from which an angle counts: across the axis
static int zero_given_well(HolModel *m, const HolJoint *j, const char *what, HolError *err) {
    const HolAttach *places[2] = {&j->a, &j->b};
    const HolRef *refs[2] = {&j->def.a, &j->def.b};
    for (int i = 0; m->space == HOL_SPATIAL && hol_kind_takes(j->kind, "x") && i < 2; i++) {
        HolAttach carried = j->b;
        if (i == 1 && !j->b.has_axis)
            hol_carry_axis(m, &j->a, &carried);
        if (hol_zero_allowed(places[i], i == 0 ? j->a.axis : carried.axis))
            continue;
        hol_problem_error(m, err, refs[i]->line, refs[i]->column,
                          "%s: x, from which the angle counts, lies along the axis", what);
        return 0;
    }
    return 1;
}

// the ground of a part that is turned has axes of its own
static void turn_ground(const HolJointDef *def, HolAttach *place) {
    const Quat p = q_load(def->ground_turn);
    if (place->body || (p.w == 0 && p.x == 0 && p.y == 0 && p.z == 0))
        return;
    place->turned = 1;
    v3_store(place->base[0], q_rotate(p, v3(1, 0, 0)));
    v3_store(place->base[1], q_rotate(p, v3(0, 1, 0)));
}

static int attach_joint(HolModel *m, HolJoint *j, HolError *err) {
    char what[120];
    snprintf(what, sizeof what, "joint '%.80s'", j->def.name);
    HolRef *a = &j->def.a, *b = &j->def.b;
    if (!a->line)
        a->line = j->def.line, a->column = j->def.column;
    if (!b->line)
        b->line = j->def.line, b->column = j->def.column;
    int ok = hol_resolve(m, a, what, &j->a, err);
    ok &= hol_resolve(m, b, what, &j->b, err);
    if (!ok)
        return 0;
    turn_ground(&j->def, &j->a);
    turn_ground(&j->def, &j->b);
    if (j->a.body == j->b.body) {
        hol_problem_error(m, err, j->def.line, j->def.column, "%s joins '%s' with itself", what,
                          m->def.bodies[j->a.body].def.name);
        return 0;
    }
    if (!turns_exist(m, j, what, err))
        return 0;
    if (j->def.global_frame) {
        global_attach(m, &j->def, &j->a);
        global_attach(m, &j->def, &j->b);
        if (two_axes(j))
            j->b.has_axis = 0;
    } else if (j->def.has_axis && !j->a.has_axis) {
        v3_store(j->a.axis, v3_unit(v3_load(j->def.axis)));
        j->a.has_axis = 1;
    }
    if (!hol_kind_takes(j->kind, "axis"))
        return 1;
    if (!j->a.has_axis && j->b.has_axis && !two_axes(j))
        hol_carry_axis(m, &j->b, &j->a);
    if (!j->a.has_axis && m->space == HOL_PLANAR && !(j->kind->flags & HOL_KIND_AXIS_NEEDED))
        memcpy(j->a.axis, j->a.turned ? j->a.base[0] : (const double[3]){1, 0, 0},
               sizeof j->a.axis),
            j->a.has_axis = 1; // a rolling disc's line
    if (!j->a.has_axis) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "%s: a %s joint%s needs an axis: {body: b, at: [..], axis: [..]} "
                          "or `bodies:` with `at` and `axis`",
                          what, j->def.type, m->space == HOL_PLANAR ? "" : " in space");
        return 0;
    }
    return zero_given_well(m, j, what, err);
}

// the row of a coordinate of another joint, -1: it has none
static int coupled_row(const HolJoint *other, HolCoupled what) {
    if (what == HOL_COUPLES_ANGLE)
        return hol_joint_angle(other);
    return what == HOL_COUPLES_DISPLACEMENT ? hol_joint_displacement(other) : other->coordinate;
}

static void wrong_coupling(HolModel *m, const HolJoint *j, int side, const char *name,
                           HolError *err) {
    static const char *const one[] = {
        [HOL_COUPLES_ANGLE] = "a joint with an angle",
        [HOL_COUPLES_DISPLACEMENT] = "a joint with a displacement",
        [HOL_COUPLES_ANY] = "a joint with a free coordinate",
    };
    const HolCoupled *couples = j->kind->couples;
    if (couples[0] == couples[1])
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': %s couples two joints%s, defined before it; '%s' is not one",
                          j->def.name, j->kind->name, one[couples[0]] + strlen("a joint"), name);
    else
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': %s couples %s and %s, in this order and defined before it; "
                          "'%s' cannot be the %s",
                          j->def.name, j->kind->name, one[couples[0]], one[couples[1]], name,
                          side == 0 ? "first" : "second");
}

// joints that couple the coordinates of two others, which stand before them
static int couple_joint(HolModel *m, HolJoint *j, HolError *err) {
    const char *names[2] = {j->def.joint_a, j->def.joint_b};
    HolAttach *places[2] = {&j->a, &j->b};
    for (int i = 0; i < 2; i++) {
        const int other = hol_joint_find(m, names[i]);
        j->coupled[i] = other < 0 || &m->def.joints[other] >= j
                            ? -1
                            : coupled_row(&m->def.joints[other], j->kind->couples[i]);
        if (j->coupled[i] < 0) {
            wrong_coupling(m, j, i, names[i] ? names[i] : "", err);
            return 0;
        }
        const HolRow *row = &m->sys.rows[j->coupled[i]];
        places[i]->body = row->b ? row->b : row->a;
    }
    if (j->coupled[0] == j->coupled[1]) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "joint '%s': %s couples two joints, not '%s' with itself", j->def.name,
                          j->kind->name, names[0]);
        return 0;
    }
    return 1;
}

// places of a list: the first one, and the last that is on another body
static int attach_over(HolModel *m, HolJoint *j, HolError *err) {
    char what[120];
    snprintf(what, sizeof what, "joint '%.80s'", j->def.name);
    if (j->def.n_over < 2 || !j->def.over) {
        hol_problem_error(m, err, j->def.line, j->def.column,
                          "%s: a %s runs over at least two places", what, j->kind->name);
        return 0;
    }
    if (!hol_resolve(m, &j->def.over[0], what, &j->a, err))
        return 0;
    for (int i = j->def.n_over - 1; i > 0; i--)
        if (!hol_resolve(m, &j->def.over[i], what, &j->b, err))
            return 0;
        else if (j->b.body != j->a.body)
            return 1;
    hol_problem_error(m, err, j->def.line, j->def.column, "%s stays on one body", what);
    return 0;
}

int hol_joint_attach(HolModel *m, HolJoint *j, HolError *err) {
    if (j->kind->flags & HOL_KIND_OVER)
        return attach_over(m, j, err);
    return j->kind->couples[0] ? couple_joint(m, j, err) : attach_joint(m, j, err);
}
