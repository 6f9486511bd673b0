// SPDX-License-Identifier: Apache-2.0
// Definitions are copied when they are added: their texts, points and tables belong to the caller,
// who may overwrite them at once. A model made from memory that is overwritten after every call moves,
// bit for bit, as one made from memory that stays.
#include "holonom/holonom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct Lender {
    int overwrites;
    char text[2048];
    size_t used;
} Lender;

static const char *lend(Lender *l, const char *text) {
    const size_t n = strlen(text) + 1;
    assert_true(l->used + n <= sizeof l->text);
    char *at = l->text + l->used;
    memcpy(at, text, n);
    l->used += n;
    return at;
}

// the definition was added: what it pointed to is gone
static void added(Lender *l, HolStatus status, const HolError *err) {
    if (status)
        fail_msg("%s", err->text);
    if (l->overwrites) {
        memset(l->text, '7', sizeof l->text - 1);
        l->used = 0;
    }
}

static void add_bodies(HolModel *m, Lender *l) {
    HolError err;
    for (int i = 0; i < 2; i++) {
        HolPointDef points[2] = {hol_point_def(), hol_point_def()};
        points[0].name = lend(l, "tip");
        points[0].at[0] = 0.5;
        points[1].name = lend(l, "root");
        points[1].at[0] = -0.5;
        HolBodyDef b = hol_body_def();
        b.name = lend(l, i ? "second" : "first");
        b.inertia[0] = 0.1;
        b.position[0] = 0.5 + i;
        b.points = points;
        b.n_points = 2;
        added(l, hol_model_add_body(m, &b, &err), &err);
        memset(points, 0, sizeof points);
    }
    HolPointDef anchor = hol_point_def();
    anchor.name = lend(l, "anchor");
    anchor.at[1] = 1;
    added(l, hol_model_add_ground_point(m, &anchor, &err), &err);
}

static void add_joints(HolModel *m, Lender *l) {
    HolError err;
    for (int i = 0; i < 2; i++) {
        HolJointDef j = hol_joint_def(lend(l, "revolute"));
        j.name = lend(l, i ? "knee" : "hip");
        if (i) {
            j.a.body = lend(l, "first");
            j.a.point = lend(l, "tip");
        }
        j.b.body = lend(l, i ? "second" : "first");
        j.b.point = lend(l, "root");
        added(l, hol_model_add_joint(m, &j, &err), &err);
    }
}

static void add_forces(HolModel *m, Lender *l) {
    HolError err;
    HolForceDef spring = hol_force_def(lend(l, "spring_damper"));
    spring.name = lend(l, "spring");
    spring.a.point = lend(l, "anchor");
    spring.b.body = lend(l, "first");
    spring.b.point = lend(l, "tip");
    spring.stiffness[0] = lend(l, "k*3");
    spring.damping[0] = lend(l, "1 + k/50");
    spring.n_stiffness = spring.n_damping = 1;
    spring.length = lend(l, "0.9 + 0.01*time");
    spring.force = lend(l, "2*sin(time)");
    added(l, hol_model_add_force(m, &spring, &err), &err);

    HolForceDef coil = hol_force_def(lend(l, "torsion_spring_damper"));
    coil.name = lend(l, "coil");
    coil.joint = lend(l, "knee");
    coil.stiffness[0] = lend(l, "4");
    coil.damping[0] = lend(l, "0.3");
    coil.n_stiffness = coil.n_damping = 1;
    coil.angle[0] = lend(l, "0.2");
    coil.n_angle = 1;
    added(l, hol_model_add_force(m, &coil, &err), &err);

    HolForceDef push = hol_force_def(lend(l, "force"));
    push.name = lend(l, "push");
    push.on.body = lend(l, "second");
    push.on.point = lend(l, "tip");
    push.value[0] = lend(l, "wind*interp(gust, time)");
    push.value[1] = lend(l, "-k/10");
    push.n_value = 2;
    added(l, hol_model_add_force(m, &push, &err), &err);

    HolForceDef law = hol_force_def(lend(l, "expression"));
    law.name = lend(l, "law");
    law.coordinate = lend(l, "second.angle");
    law.value[0] = lend(l, "-0.1*second.omega");
    law.n_value = 1;
    added(l, hol_model_add_force(m, &law, &err), &err);
}

static void add_words(HolModel *m, Lender *l) {
    HolError err;
    double x[3] = {0, 0.2, 1}, y[3] = {1, 2, -1};
    HolTableDef table = hol_table_def();
    table.name = lend(l, "gust");
    table.x = x;
    table.y = y;
    table.n = 3;
    table.interpolation = HOL_TABLE_MONOTONE;
    added(l, hol_model_add_table(m, &table, &err), &err);
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    HolVariableDef wind = hol_variable_def();
    wind.name = lend(l, "wind");
    wind.value = lend(l, "3 + first.vx");
    added(l, hol_model_add_variable(m, &wind, &err), &err);
    added(l, hol_model_add_output(m, lend(l, "first.angle + second.tip.x"), 0, 0, &err), &err);
}

static void run(int overwrites, double out[4]) {
    Lender l = {.overwrites = overwrites};
    HolModel *m;
    HolSim *s;
    HolError err;
    const double gravity[3] = {0, -9.81, 0};
    added(&l, hol_model_create(lend(&l, "lent"), HOL_PLANAR, gravity, &m, &err), &err);
    added(&l, hol_model_add_parameter(m, lend(&l, "k"), 10, &err), &err);
    add_bodies(m, &l);
    add_joints(m, &l);
    add_words(m, &l);
    add_forces(m, &l);
    if (hol_model_compile(m, &err))
        fail_msg("%s", err.text);
    assert_string_equal(hol_model_name(m), "lent");
    HolSimOptions o = hol_sim_options();
    if (hol_sim_create(m, &o, &s, &err) || hol_sim_advance(s, 0.5, &err))
        fail_msg("%s", err.text);
    assert_int_equal(hol_model_column_count(m), 2);
    assert_int_equal(hol_sim_row(s, 0.5, out, &err), HOL_OK);
    const HolView v = hol_sim_view(s);
    out[2] = v.q[2];
    out[3] = v.v[5];
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

static void test_copies(void **state) {
    (void)state;
    double kept[4], overwritten[4];
    run(0, kept);
    run(1, overwritten);
    assert_memory_equal(kept, overwritten, sizeof kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
