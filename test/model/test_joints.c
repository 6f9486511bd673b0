// SPDX-License-Identifier: Apache-2.0
// Every joint kind, in every space it exists in, between two moving bodies and with the ground
// first or second: all functions of the compiled problem against differences, the rank of its rows,
// and its reaction against the power of the multipliers. Joints by definition structs, as a C user
// builds them; a kind is covered the moment it is registered. Then motions and expression
// constraints.
#include "kind_models.h"
#include "model_texts.h"

#include "math/vec.h"

// rank of G by elimination with complete pivoting
static int rank_of(Probe *b) {
    double A[40][13] = {{0}}, *G = values_G(b, &b->x);
    const HolPattern *P = &b->p->G;
    int rank = 0;
    assert_true(P->rows <= 40 && P->cols <= 13);
    for (int i = 0; i < P->rows; i++)
        for (int k = P->ptr[i]; k < P->ptr[i + 1]; k++)
            A[i][P->idx[k]] = G[k];
    for (; rank < P->rows && rank < P->cols; rank++) {
        int pi = rank, pj = rank;
        for (int i = rank; i < P->rows; i++)
            for (int j = rank; j < P->cols; j++)
                if (fabs(A[i][j]) > fabs(A[pi][pj]))
                    pi = i, pj = j;
        if (!(fabs(A[pi][pj]) > 1e-8))
            break;
        for (int j = 0; j < P->cols; j++) {
            double keep = A[rank][j];
            A[rank][j] = A[pi][j];
            A[pi][j] = keep;
        }
        for (int i = 0; i < P->rows; i++) {
            double keep = A[i][rank];
            A[i][rank] = A[i][pj];
            A[i][pj] = keep;
        }
        for (int i = rank + 1; i < P->rows; i++) {
            double s = A[i][rank] / A[rank][rank];
            for (int j = rank; j < P->cols; j++)
                A[i][j] -= s * A[rank][j];
        }
    }
    return rank;
}

// velocity of body `index` as global turning velocity and velocity of the body point that is at P
static Vec3 velocity_at(Probe *b, int index, Vec3 P, Vec3 *omega) {
    const HolModel *m = b->model;
    const HolModelWork *w = b->work;
    const HolBody *body = &m->def.bodies[index];
    *omega = v3(0, 0, 0);
    if (!index)
        return v3(0, 0, 0);
    const double *v = b->x.v + body->v;
    Vec3 linear = v3(v[0], v[1], m->space == HOL_SPATIAL ? v[2] : 0);
    Mat3 A;
    memcpy(A.m, w->frames[index].A, sizeof A.m);
    *omega = m->space == HOL_SPATIAL ? m3_mulv(A, v3_load(v + 3)) : v3(0, 0, v[2]);
    double r[3] = {w->frames[index].r[0], w->frames[index].r[1],
                   m->space == HOL_SPATIAL ? w->frames[index].r[2] : 0};
    return v3_add(linear, v3_cross(*omega, v3_sub(P, v3_load(r))));
}

// The wrench on the second body has the power of the multipliers, -lambda.(G v), for any v of it;
// where the joint is closed also with its opposite on the first body, at the same point.
static void check_reaction(Probe *b, int joint, int closed) {
    HolModel *m = b->model;
    HolModelWork *w = b->work;
    const HolJoint *j = &m->def.joints[joint];
    double out[6], *Gv = HOL_NEW(&b->arena, double, b->m + 1), expected = 0;
    for (int i = hol_visible_bodies(m); i < m->def.n_bodies; i++)
        b->x.v[m->def.bodies[i].v] = 0; // hidden coordinates
    if (!closed && j->b.body)
        for (int i = 0; j->a.body && i < m->def.bodies[j->a.body].nv; i++)
            b->x.v[m->def.bodies[j->a.body].v + i] = 0;
    multiply_G(b, values_G(b, &b->x), b->x.v, Gv);
    for (int i = 0; i < j->n_equations; i++)
        expected -= b->x.lambda[j->equations[i]] * Gv[j->equations[i]];
    hol_model_position(m, w, b->x.t, b->x.q);
    hol_joint_reaction(m, w, joint, b->x.lambda, out);
    const HolFrame *f = &w->frames[j->a.body];
    Mat3 A = {{f->c, -f->s, 0, f->s, f->c, 0, 0, 0, 1}};
    if (m->space == HOL_SPATIAL)
        memcpy(A.m, f->A, sizeof A.m);
    double r[3] = {f->r[0], f->r[1], m->space == HOL_SPATIAL ? f->r[2] : 0};
    Vec3 P = v3_add(v3_load(r), m3_mulv(A, v3_load(j->a.at))), oa, ob;
    Vec3 va = velocity_at(b, j->a.body, P, &oa), vb = velocity_at(b, j->b.body, P, &ob);
    double power = v3_dot(v3_load(out), v3_sub(vb, va)) + v3_dot(v3_load(out + 3), v3_sub(ob, oa));
    compare(b, "power of the reaction", &power, &expected, 1, 1e-12);
    for (int axis = 0; axis < (m->space == HOL_PLANAR ? 2 : 3); axis++) {
        double force = hol_reaction_force(m, w, joint, axis, b->x.lambda);
        compare(b, "reaction force in expressions", &force, &out[axis], 1, 1e-13);
    }
}

static int check_kind(const HolKind *kind, HolSpace space) {
    int done = 0;
    for (int place = 0; place < PLACES; place++)
        for (int way = 0; way < WAYS_TO_ATTACH; way++) {
            HolModel *m = joint_model(kind, space, place, way);
            char name[80];
            if (!m)
                continue;
            snprintf(name, sizeof name, "%s joint, %s, %s-%s, way %d", kind->name,
                     space == HOL_PLANAR ? "plane" : "space", places[place][0], places[place][1],
                     way);
            Probe b = probe_open(m, name);
            int last = m->def.n_joints - 1;
            if (way == 2 && b.nh && !hol_kind_takes(kind, "radius") &&
                !hol_kind_takes(kind, "curve")) { // written where it stands
                double *g = HOL_NEW(&b.arena, double, b.nh);
                b.p->constraint(b.p, b.work, &(HolPoint){.t = 0, .q = b.x.q}, g);
                for (int i = 0; i < m->def.joints[last].n_equations; i++)
                    if (!(fabs(g[m->def.joints[last].equations[i]]) < 1e-13))
                        fail_msg("%s: constraint %d is %g where it was written", name, i, g[i]);
                shake(&b, 0);
                if (!hol_kind_takes(kind, "joints") && !hol_kind_takes(kind, "over"))
                    check_reaction(&b, last, 1);
            }
            assert_true(m->def.joints[last].n_equations > 0);
            for (int i = 0; i < 2; i++) {
                shake(&b, 0.15);
                check_problem(&b);
                assert_int_equal(rank_of(&b), b.m);
                if (!hol_kind_takes(kind, "joints") && !hol_kind_takes(kind, "over"))
                    check_reaction(&b, last, 0);
            }
            probe_close(&b);
            done++;
        }
    return done;
}

static void test_every_kind(void **state) {
    (void)state;
    for (const HolKind *const *list = hol_joint_kinds, *k; (k = *list); list++) {
        if ((k->spaces & HOL_IN_PLANE) && !check_kind(k, HOL_PLANAR))
            fail_msg("%s in the plane: no model was made", k->name);
        if ((k->spaces & HOL_IN_SPACE) && !check_kind(k, HOL_SPATIAL))
            fail_msg("%s in space: no model was made", k->name);
    }
}

// degrees of freedom a kind leaves between two bodies, from the textbook
static void test_freedoms(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int plane, space; // -1: does not exist there
    } expected[] = {{"revolute", 1, 1},     {"prismatic", 1, 1},      {"fixed", 0, 0},
                    {"distance", 2, 5},     {"rolling", 1, 3},        {"slot", 2, -1},
                    {"cylindrical", -1, 2}, {"spherical", -1, 3},     {"universal", -1, 2},
                    {"planar", -1, 3},      {"point_on_line", -1, 4}, {"point_on_plane", -1, 5},
                    {"parallel", -1, 4},    {"perpendicular", -1, 5}, {"screw", -1, 1}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        for (int s = 0; s < 2; s++) {
            int freedom = s ? expected[i].space : expected[i].plane;
            const HolKind *kind = hol_kind_find(hol_joint_kinds, expected[i].name);
            assert_non_null(kind);
            assert_int_equal((kind->spaces & (s ? HOL_IN_SPACE : HOL_IN_PLANE)) != 0, freedom >= 0);
            if (freedom < 0)
                continue;
            HolModel *m = joint_model(kind, s ? HOL_SPATIAL : HOL_PLANAR, 1, 1);
            assert_non_null(m);
            assert_int_equal(m->def.joints[0].n_equations, (s ? 6 : 3) - freedom);
            hol_model_destroy(m);
        }
}

// ---- motions, constraints, couplings: texts ----

static void test_motions_and_constraints(void **state) {
    (void)state;
    for (int i = 0; i < N_CONSTRAINT_TEXTS; i++) {
        Probe b = probe_open(parse_model(constraint_texts[i]), constraint_texts[i]);
        for (int k = 0; k < 3; k++) {
            check_problem(&b);
            shake(&b, 0.1);
        }
        assert_int_equal(b.m > 0, 1);
        probe_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_freedoms),
        cmocka_unit_test(test_motions_and_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
