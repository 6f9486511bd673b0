// SPDX-License-Identifier: Apache-2.0
// Small models with one joint or one force of a given kind, made of definition structs as a C user
// does, in general position: all that a kind may take is given, and every way to attach it is
// tried.
#ifndef TEST_KIND_MODELS_H
#define TEST_KIND_MODELS_H

#include "math/vec.h"
#include "model/body/beam.h"
#include "model/model.h"
#include "probe.h"

enum { WAYS_TO_ATTACH = 3, PLACES = 3 };

static inline HolBodyDef random_body(HolSpace space, const char *name) {
    HolBodyDef d = hol_body_def();
    d.name = name;
    d.mass = uniform(1, 2);
    for (int i = 0; i < 3; i++)
        d.inertia[i] = uniform(1, 1.5);
    for (int i = 3; i < 6 && space == HOL_SPATIAL; i++)
        d.inertia[i] = uniform(-0.2, 0.2);
    fill(d.position, space == HOL_PLANAR ? 2 : 3, 1);
    d.angle = uniform(-2, 2);
    fill(d.quaternion, 4, 1);
    return d;
}

static inline HolRef random_ref(HolSpace space, const char *body, int axis) {
    HolRef r = {.body = body, .has_at = 1, .has_axis = axis};
    fill(r.at, space == HOL_PLANAR ? 2 : 3, 1);
    fill(r.axis, space == HOL_PLANAR ? 2 : 3, 1);
    return r;
}

static inline HolModel *two_bodies(HolSpace space) {
    HolModel *m = NULL;
    double gravity[3] = {0.3, -9.81, 0.7};
    HolError err = {0};
    assert_int_equal(hol_model_create("joint", space, gravity, &m, &err), HOL_OK);
    HolBodyDef one = random_body(space, "one"), two = random_body(space, "two");
    assert_int_equal(hol_model_add_body(m, &one, &err), HOL_OK);
    assert_int_equal(hol_model_add_body(m, &two, &err), HOL_OK);
    return m;
}

static const char *const places[PLACES][2] = {{"one", "two"}, {"ground", "two"}, {"one", "ground"}};

// across the axis of a, the same for b: axes that do not agree leave the angle well defined
static inline void give_x(const HolModel *m, HolRef *a, HolRef *b) {
    HolFrame f[2];
    Mat3 A[2];
    HolRef *refs[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        hol_initial_frame(m, hol_body_find(m, refs[i]->body), &f[i]);
        memcpy(A[i].m, f[i].A, sizeof A[i].m);
        refs[i]->has_x = 1;
    }
    const Vec3 x = v3_perpendicular(v3_unit(v3_load(a->axis)));
    v3_store(a->x, x);
    v3_store(b->x, m3_tmulv(A[1], m3_mulv(A[0], x)));
}

// a kind with the coordinate that is asked for; `slides`: where any will do
static inline const char *coupled_kind(HolCoupled what, int slides) {
    if (what == HOL_COUPLES_ANY)
        return slides ? "prismatic" : "revolute";
    return what == HOL_COUPLES_DISPLACEMENT ? "prismatic" : "revolute";
}

// a closed curve, clockwise or not, with the place of b on it
static inline void add_track(HolModel *m, HolSpace space, int clockwise, const HolRef *a,
                             HolRef *b) {
    const int dim = space == HOL_PLANAR ? 2 : 3, n = 7;
    double points[21];
    HolError err = {0};
    HolCurveDef c = hol_curve_def();
    for (int i = 0; i < n; i++) {
        const double t = (clockwise ? -1 : 1) * 2 * M_PI * i / n, r = uniform(0.98, 1.02);
        points[dim * i] = 6 * r * cos(t);
        points[dim * i + 1] = 5 * r * sin(t);
        if (dim == 3)
            points[dim * i + 2] = sin(t + 1);
    }
    c.name = "track";
    c.points = points;
    c.n = n;
    c.closed = 1;
    if (hol_model_add_curve(m, &c, &err) != HOL_OK)
        fail_msg("%s", err.text);
    HolFrame f[2];
    Mat3 A[2];
    const char *names[2] = {a->body, b->body};
    for (int i = 0; i < 2; i++) {
        hol_initial_frame(m, hol_body_find(m, names[i]), &f[i]);
        memcpy(A[i].m, f[i].A, sizeof A[i].m);
    }
    const Vec3 on = v3(points[0], points[1], dim == 3 ? points[2] : 0);
    const Vec3 P = v3_add(v3_load(f[0].r), m3_mulv(A[0], v3_add(v3_load(a->at), on)));
    v3_store(b->at, m3_tmulv(A[1], v3_sub(P, v3_load(f[1].r))));
}

// the joint in one of the ways to write it; NULL when the kind does not take that way
static inline HolModel *joint_model(const HolKind *kind, HolSpace space, int place, int way) {
    HolModel *m = two_bodies(space);
    HolError err = {0};
    HolJointDef j = hol_joint_def(kind->name);
    j.name = "J";
    j.a = random_ref(space, places[place][0], 1);
    j.b = random_ref(space, places[place][1], way == 1);
    j.radius = 0.4;
    j.pitch = 0.3;
    j.ratio = -1.7;
    j.radii[0] = 0.3;
    j.radii[1] = 0.5;
    j.crossed = way == 1;
    j.cross_angle = way == 1 ? 1.1 : M_PI / 2;
    const HolRef over[4] = {j.a, random_ref(space, "ground", 0), random_ref(space, "two", 0), j.b};
    if (hol_kind_takes(kind, "over")) {
        j.over = over;
        j.n_over = 4;
    }
    if (hol_kind_takes(kind, "curve")) {
        j.curve = "track";
        j.b.has_axis = 1;
        add_track(m, space, way == 1, &j.a, &j.b);
    }
    if (way == 1 && space == HOL_SPATIAL && hol_kind_takes(kind, "x")) // one direction, as written
        give_x(m, &j.a, &j.b);
    if (way == 2) {
        j.global_frame = j.has_axis = 1;
        fill(j.at, space == HOL_PLANAR ? 2 : 3, 1);
        fill(j.axis, space == HOL_PLANAR ? 2 : 3, 1);
    }
    if (hol_kind_takes(kind, "joints")) { // couples two others
        HolJointDef first = hol_joint_def(coupled_kind(kind->couples[0], way == 1));
        HolJointDef second = hol_joint_def(coupled_kind(kind->couples[1], way == 2));
        first.name = j.joint_a = "A";
        second.name = j.joint_b = "B";
        first.a = random_ref(space, "ground", 1);
        first.b = random_ref(space, "one", 0);
        second.a = random_ref(space, place == 1 ? "ground" : "one", 1);
        second.b = random_ref(space, "two", 0);
        hol_model_add_joint(m, &first, &err);
        hol_model_add_joint(m, &second, &err);
    }
    if (hol_model_add_joint(m, &j, &err) != HOL_OK || hol_model_compile(m, &err) != HOL_OK) {
        hol_model_destroy(m);
        return NULL;
    }
    return m;
}

// two bodies in general position, the first hinged to the ground
static inline HolModel *hinged_pair(HolSpace space) {
    HolModel *m = NULL;
    HolError err = {0};
    double gravity[3] = {0.5, -9, 1};
    assert_int_equal(hol_model_create("force", space, gravity, &m, &err), HOL_OK);
    for (int i = 0; i < 2; i++) {
        HolBodyDef d = hol_body_def();
        d.name = i ? "b" : "a";
        d.mass = 1.5;
        d.inertia[0] = 0.7, d.inertia[1] = 0.8, d.inertia[2] = 0.9;
        fill(d.position, space == HOL_PLANAR ? 2 : 3, 1);
        d.position[0] += 6 * i; // no spring comes near zero length
        d.angle = uniform(-1, 1);
        fill(d.quaternion, 4, 1);
        assert_int_equal(hol_model_add_body(m, &d, &err), HOL_OK);
    }
    HolJointDef j = hol_joint_def("revolute");
    j.name = "J";
    j.a = random_ref(space, "ground", 1);
    j.b = (HolRef){.body = "a"};
    assert_int_equal(hol_model_add_joint(m, &j, &err), HOL_OK);
    return m;
}

typedef struct Variant {
    int n_value, frame, expressions, joint, ground, several;
} Variant;

static inline HolModel *force_model(const HolKind *kind, HolSpace space, Variant x) {
    static const char *const constants[] = {"1.3", "-0.7", "2.1"};
    static const char *const expressions[] = {"1 + sin(3*time)*a.x - b.vy",
                                              "a.vx*b.x + 0.3*J.rate^2*J.angle",
                                              "exp(-b.y^2)*cos(time) - 0.2*a.vy"};
    const char *const *text = x.expressions ? expressions : constants;
    HolModel *m = hinged_pair(space);
    HolError err = {0};
    HolForceDef f = hol_force_def(kind->name);
    f.name = "F";
    f.on = random_ref(space, "b", 1);
    f.a = random_ref(space, x.ground ? "ground" : "a", 1);
    f.b = random_ref(space, "b", 1);
    f.joint = x.joint ? "J" : NULL;
    f.coordinate = x.frame ? "b.y" : space == HOL_PLANAR ? "a.angle" : "a.qy";
    f.frame = x.frame ? HOL_FRAME_BODY : HOL_FRAME_GLOBAL;
    f.n_value = x.n_value;
    f.n_stiffness = f.n_damping = x.several ? (space == HOL_PLANAR ? 2 : 3) : 1;
    f.n_rotational_stiffness = f.n_rotational_damping = x.several && space == HOL_SPATIAL ? 3 : 1;
    for (int i = 0; i < 3; i++) {
        f.value[i] = text[i];
        f.stiffness[i] = text[(i + 1) % 3];
        f.damping[i] = text[(i + 2) % 3];
        f.rotational_stiffness[i] = text[i];
        f.rotational_damping[i] = text[(i + 1) % 3];
    }
    f.length = x.several ? text[0] : NULL;
    const int bushing = strcmp(kind->name, "bushing") == 0;
    const char *const *angle = bushing ? constants : text; // (constant in space and with a matrix)
    f.n_angle = !x.several ? 0 : bushing && space == HOL_SPATIAL ? 3 : 1;
    f.angle[0] = angle[1];
    f.angle[1] = angle[0];
    f.angle[2] = angle[2];
    double matrix[2][36];
    if (bushing && x.joint) { // a bushing has no joint: by matrices
        const int n = space == HOL_PLANAR ? 3 : 6;
        f.joint = NULL;
        for (int i = 0; i < n; i++)
            for (int k = 0; k <= i; k++)
                for (int c = 0; c < 2; c++)
                    matrix[c][n * i + k] = matrix[c][n * k + i] = uniform(-1, 2);
        f.matrix = matrix[0];
        f.damping_matrix = matrix[1];
        f.n_matrix = f.n_damping_matrix = n * n;
    }
    f.force = x.several ? text[2] : NULL;
    if (kind->flags & HOL_KIND_ON_BEAM) {
        HolBeamDef rod;
        hol_beam_def_make(&rod);
        rod.body.name = "rod";
        rod.to[0] = rod.to[1] = rod.EA = rod.EI = rod.GJ = rod.mass_per_length = 1;
        rod.rotary[0] = rod.n_rotary = 1;
        rod.elements = 3;
        assert_int_equal(hol_add_beam(m, &rod, &err), HOL_OK);
        f.on = (HolRef){.body = "rod"};
    }
    if (hol_model_add_force(m, &f, &err) != HOL_OK || hol_model_compile(m, &err) != HOL_OK) {
        hol_model_destroy(m);
        return NULL;
    }
    return m;
}

#endif
