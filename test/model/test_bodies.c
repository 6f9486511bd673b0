// SPDX-License-Identifier: Apache-2.0
// Every body kind of the registry: its sizes fit its frame, state and name, and the words of `type:`.
#include "math/vec.h"
#include "model/body/body.h"
#include "model/model.h"
#include "model/quantity.h"
#include "probe.h"

// a definition with all numbers
static HolBodyDef bodies_def(HolBodyType type) {
    HolBodyDef d = hol_body_def();
    d.type = type;
    fill(d.position, 3, 2);
    fill(d.velocity, 3, 2);
    fill(d.omega, 3, 2);
    d.angle = 0.7;
    q_store(d.quaternion, q_normalize((Quat){0.3, -0.5, 0.6, 0.4}));
    return d;
}

static void test_registry(void **state) {
    (void)state;
    int n = 0;
    for (; hol_bodies[n]; n++) {
        const HolBodyKind *k = hol_bodies[n];
        const HolKind *words = hol_kind_find(hol_body_kinds, k->name);
        assert_non_null(words);
        assert_int_equal(words->body, n);
        assert_ptr_equal(hol_body_kind((HolBodyType)n), k);
        assert_int_equal(hol_quantity_body((HolBodyType)n), k->owner);
        assert_true(!k->turns || k->placed);
        for (int i = 0; i < n; i++)
            assert_true(strcmp(hol_bodies[i]->name, k->name) != 0 &&
                        hol_bodies[i]->owner != k->owner);
    }
    // what a file calls a body is one of these in the end
    for (const HolKind *const *k = hol_body_kinds; *k; k++)
        assert_true((*k)->body < (HolBodyType)n);
}

// rotations follow the `linear` ones; a body without orientation has none
static void test_sizes(void **state) {
    (void)state;
    for (int n = 0; hol_bodies[n]; n++)
        for (int s = 0; s < 2; s++) {
            const HolBodySize *size = hol_body_size(s ? HOL_SPATIAL : HOL_PLANAR, (HolBodyType)n);
            assert_int_equal(size->linear, hol_bodies[n]->placed ? 2 + s : 1);
            assert_int_equal(size->nv - size->linear, hol_bodies[n]->turns ? (s ? 3 : 1) : 0);
            assert_int_equal(size->nq - size->nv, s && hol_bodies[n]->turns);
            assert_true(size->nv <= 6);
        }
}

// state and frame as written, and no number beyond the sizes
static void test_start(void **state) {
    (void)state;
    for (int n = 0; hol_bodies[n]; n++)
        for (int s = 0; s < 2; s++) {
            const HolSpace space = s ? HOL_SPATIAL : HOL_PLANAR;
            const HolBodySize *size = hol_body_size(space, (HolBodyType)n);
            const HolBodyDef d = bodies_def((HolBodyType)n);
            double q[8], v[8];
            HolFrame f;
            for (int i = 0; i < 8; i++)
                q[i] = v[i] = 77;
            hol_bodies[n]->start(space, &d, q, v);
            for (int i = 0; i < 8; i++) {
                assert_int_equal(q[i] == 77, i >= size->nq);
                assert_int_equal(v[i] == 77, i >= size->nv);
            }
            for (int i = 0; i < size->linear; i++)
                assert_true(q[i] == d.position[i] && v[i] == d.velocity[i]);
            hol_body_written(space, &d, &f);
            assert_true(f.r[0] == d.position[0]);
            Mat3 A = m3_identity();
            if (hol_bodies[n]->turns)
                A = s ? q_matrix(q_load(d.quaternion))
                      : (Mat3){{cos(0.7), -sin(0.7), 0, sin(0.7), cos(0.7), 0, 0, 0, 1}};
            assert_memory_equal(f.A, A.m, sizeof A.m);
            if (hol_bodies[n]->turns && s) { // omega is written in global axes
                Vec3 o = m3_mulv(A, v3_load(v + 3));
                assert_true(v3_norm(v3_sub(o, v3_load(d.omega))) < 1e-14);
            }
        }
}

// the walk over all bodies makes the frames that the kinds make
static void test_frames(void **state) {
    (void)state;
    static const char *const texts[2] = {
        "holonom: 1\nspace: planar\nbodies: [{name: a, mass: 2, inertia: 3, position: [1, 2], "
        "angle: 0.4}, {name: b, type: point, mass: 1, position: [3, 4]}, {name: c, type: "
        "coordinate, position: 5}]\n",
        "holonom: 1\nspace: spatial\nbodies: [{name: a, mass: 2, inertia: [3, 4, 5], position: [1, "
        "2, 3], orientation: {axis: [1, 2, 3], angle: 0.4}}, {name: b, type: point, mass: 1, "
        "position: [3, 4, 5]}, {name: c, type: coordinate, position: 5}]\n"};
    for (int s = 0; s < 2; s++) {
        Probe b = probe_open(parse_model(texts[s]), texts[s]);
        const HolModel *m = b.p->user;
        HolModelWork *w = b.work;
        shake(&b, 0.5);
        hol_model_position(m, w, 0, b.x.q);
        for (int i = 1; i < m->def.n_bodies; i++) {
            HolFrame f = w->frames[i];
            const HolBody *body = &m->def.bodies[i];
            memset(f.r, 0, sizeof f.r);
            hol_body_kind(body->def.type)->frame(m->space, b.x.q + body->q, &f);
            assert_memory_equal(f.r, w->frames[i].r, sizeof f.r);
            assert_memory_equal(f.p, w->frames[i].p, sizeof f.p);
            assert_true(!s || !memcmp(f.A, w->frames[i].A, sizeof f.A));
            // mass times 1, then inertia
            for (int k = 0; k < body->nv; k++)
                assert_true(hol_body_inertia(m, i, k) ==
                            (k < hol_body_size(m->space, body->def.type)->linear
                                 ? body->def.mass
                                 : body->def.inertia[s ? k - 3 : 0]));
        }
        probe_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
