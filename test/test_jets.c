// SPDX-License-Identifier: Apache-2.0
// Taylor series of the motion of whole models. At a consistent state the series is computed order by
// order; its truncation after order k, put into the equations at t + h, must leave
//     M a + G^T lambda - f, G a + gamma, w - W   of order h^(k+1)
//     G v + gt                                   of order h^(k+2)
//     g                                          of order h^(k+3)
// The orders are measured. Done for every joint kind, every force kind, motions, constraints, implicit
// variables, and every model file: one wrong coefficient anywhere lowers an order.
#include "kind_models.h"
#include "model_texts.h"
#include "solve/project.h"

#include <glob.h>
#include <stdlib.h>

enum { HIGHEST = 6, LEVELS = 5 };
static const char *const level_name[LEVELS] = {"balance of forces", "accelerations of constraints", "variables",
                                               "velocities of constraints", "constraints"};

typedef struct Series {
    HolSim *s;
    const HolProblem *p;
    const char *name;
    HolState x, y; // where it starts, where it is evaluated
    double *G, *M, *r, scale[LEVELS];
    int measured; // orders that were really measured, not below round-off from the start
} Series;

static HolSim *open_sim(HolModel *m, const HolSimOptions *given, const char *name) {
    HolSimOptions o = hol_sim_options();
    HolError err = {0};
    HolSim *s = NULL;
    if (given)
        o.start = given->start;
    if (hol_sim_create(m, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK)
        fail_msg("%s: %s", name, err.text);
    return s;
}

// sizes of the residuals at y; with `scale` also the sizes of their terms
static void residuals(Series *z, double out[LEVELS], double *scale) {
    HolSim *s = z->s;
    const HolProblem *p = z->p;
    const HolState *y = &z->y;
    double *r = z->r;
    p->force(p, s->work, y->t, y->q, y->v, y->w, r);
    double size = largest(r, s->nv);
    memset(z->M, 0, sizeof *z->M * (size_t)p->M.nnz);
    p->mass(p, s->work, y->t, y->q, 1, 0, z->M);
    hol_mul_columns(&p->M, z->M, y->a, -1, r);
    size = fmax(size, largest(r, s->nv));
    if (s->m) {
        p->jacobian(p, s->work, y->t, y->q, z->G);
        hol_mul_rows_transposed(&p->G, z->G, y->lambda, -1, r);
    }
    out[0] = largest(r, s->nv);
    out[1] = out[2] = out[3] = out[4] = 0;
    double a = 1 + largest(y->a, s->nv);
    if (s->m) {
        p->acceleration_rhs(p, s->work, y->t, y->q, y->v, r);
        a += largest(r, s->m);
        hol_mul_rows(&p->G, z->G, y->a, 1, r);
        out[1] = largest(r, s->m);
        p->velocity_rhs(p, s->work, y->t, y->q, r);
        hol_mul_rows(&p->G, z->G, y->v, 1, r);
        out[3] = largest(r, s->m);
        if (s->nh) {
            p->constraint(p, s->work, y->t, y->q, r);
            out[4] = largest(r, s->nh);
        }
    }
    if (s->nw) {
        p->variables(p, s->work, y->t, y->q, y->v, y->a, y->lambda, y->w, r, NULL, NULL, NULL, NULL, NULL, NULL);
        out[2] = largest(r, s->nw);
    }
    if (scale) {
        double terms[LEVELS] = {1e-3 + size, a, 1 + largest(y->w, s->nw), 1 + largest(y->v, s->nv), 1 + largest(y->q, s->nq)};
        memcpy(scale, terms, sizeof terms);
    }
}

// a general state near the one assembled: turned, moved, and with other velocities
static void generalize(Series *z, double size) {
    HolSim *s = z->s;
    HolError err = {0};
    double *d = HOL_NEW(&s->arena, double, s->nv + 1), speed = 0.3 + 0.2 * largest(s->x.v, s->nv);
    hol_state_copy(s, &z->x, &s->x);
    z->x.t = s->x.t;
    fill(d, s->nv, size);
    z->p->retract(z->p, s->work, z->x.q, d, z->x.q);
    for (int i = 0; size > 0 && i < s->nv; i++)
        z->x.v[i] += uniform(-speed, speed);
    if (hol_project_position(s, z->x.t, z->x.q, 1, &err) != HOL_OK ||
        hol_project_velocity(s, z->x.t, z->x.q, z->x.v, &err) != HOL_OK)
        fail_msg("%s: %s", z->name, err.text);
    z->p->accept(z->p, s->work, z->x.t, z->x.q, z->x.v);
    // the second time starts from the solution, so that the border is that of the solution
    for (int i = 0; i < 2; i++)
        if (hol_accelerate(s, &z->x, 0, &err) != HOL_OK)
            fail_msg("%s: %s", z->name, err.text);
}

static void compute(Series *z) {
    HolSim *s = z->s;
    const HolProblem *p = z->p;
    int nv = s->nv, m = s->m;
    p->jet_start(p, s->work, z->x.t, z->x.q, z->x.v);
    for (int k = 0; k <= HIGHEST; k++) {
        p->jet_rhs(p, s->work, k, z->r);
        if (k > 0 || !s->nw)
            hol_kkt_solve(s->mass, z->r);
        if (k == 0) { // the accelerations themselves
            double size = 1 + largest(z->x.a, nv);
            for (int i = 0; !s->nw && i < nv; i++)
                if (!(fabs(z->r[i] - z->x.a[i]) <= 1e-10 * size))
                    fail_msg("%s: acceleration %d by the series %.12g, by the equations %.12g", z->name, i, z->r[i], z->x.a[i]);
            p->jet_set(p, s->work, 0, z->x.a, z->x.lambda, z->x.w);
        } else
            p->jet_set(p, s->work, k, z->r, z->r + nv, z->r + nv + m);
    }
}

// one residual of the series truncated after order k, at t + h
static double residual_at(Series *z, int k, int level, double h) {
    double r[LEVELS];
    z->p->jet_eval(z->p, z->s->work, k, h, z->y.q, z->y.v, z->y.a, z->y.lambda, z->y.w);
    z->y.t = z->x.t + h;
    residuals(z, r, NULL);
    return r[level] / z->scale[level];
}

// halve h until a residual is lost in noise, and measure its order just above that
static void check_order(Series *z, int k, int level) {
    static const int gain[LEVELS] = {1, 1, 1, 2, 3};
    double h = 1, e[3] = {INFINITY, INFINITY, INFINITY};
    double noise = residual_at(z, k, level, 1e-13), floor = fmax(1e-13, 100 * noise);
    int expected = k + gain[level];
    if (!(noise < 1e-9))
        fail_msg("%s: %s after order %d does not vanish (%g)", z->name, level_name[level], k, noise);
    for (; h > 1e-12; h /= 2) {
        e[2] = residual_at(z, k, level, h);
        if (e[2] < floor)
            break;
        e[0] = e[1];
        e[1] = e[2];
    }
    if (!(e[0] < 1e-3))
        return; // vanishes suddenly: the series ends, or there is nothing to see
    double order = log2(e[0] / e[1]);
    if (!(order > expected - 0.6))
        fail_msg("%s: %s after order %d: order %.2f at h = %g (%.3g, %.3g), expected %d", z->name, level_name[level], k, order, 2 * h,
                 e[0], e[1], expected);
    z->measured++;
}

// work over [0, h] from the series against Gauss quadrature of the power
static void check_work(Series *z) {
    static const double x[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
    static const double w[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    const HolProblem *p = z->p;
    double h = 1, r[LEVELS], sum = 0, most = 0, power;
    if (!p->jet_work)
        return;
    for (int i = 0; i < 40; i++, h /= 2) { // where the series is good
        p->jet_eval(p, z->s->work, HIGHEST, h, z->y.q, z->y.v, z->y.a, z->y.lambda, z->y.w);
        z->y.t = z->x.t + h;
        residuals(z, r, NULL);
        if (r[0] < 1e-10 * z->scale[0])
            break;
    }
    for (int i = 0; i < 5; i++) {
        double t = 0.5 * h * (1 + x[i]);
        p->jet_eval(p, z->s->work, HIGHEST, t, z->y.q, z->y.v, z->y.a, z->y.lambda, z->y.w);
        p->energy(p, z->s->work, z->x.t + t, z->y.q, z->y.v, z->y.lambda, z->y.w, NULL, NULL, &power);
        sum += 0.5 * h * w[i] * power;
        most = fmax(most, fabs(power));
    }
    double work = p->jet_work(p, z->s->work, HIGHEST, h);
    if (!(fabs(work - sum) <= 1e-8 * h * (most + 1e-6)))
        fail_msg("%s: work by the series %.12g, by quadrature %.12g", z->name, work, sum);
}

// takes the model over; returns how many orders were measured
static int check_model(HolModel *m, const HolSimOptions *o, const char *name, double size) {
    Series z = {.s = open_sim(m, o, name), .name = name};
    HolSim *s = z.s;
    double r[LEVELS];
    z.p = s->p;
    hol_state_alloc(s, &z.x);
    hol_state_alloc(s, &z.y);
    z.G = HOL_NEW(&s->arena, double, z.p->G.nnz + 1);
    z.M = HOL_NEW(&s->arena, double, z.p->M.nnz + 1);
    z.r = HOL_NEW(&s->arena, double, s->nv + s->m + s->nw + 1);
    z.p->jet_memory(z.p, s->work, hol_arena_alloc(&s->arena, z.p->jet_size(z.p, HIGHEST)), HIGHEST);
    generalize(&z, size);
    hol_state_copy(s, &z.y, &z.x);
    z.y.t = z.x.t;
    residuals(&z, r, z.scale);
    for (int i = 0; i < LEVELS; i++)
        if (!(r[i] <= 3e-11 * z.scale[i]))
            fail_msg("%s: %s: %g where they are solved", name, level_name[i], r[i]);
    compute(&z);
    for (int k = 0; k <= HIGHEST; k += k == 3 ? 3 : 1)
        for (int level = 0; level < LEVELS; level++)
            check_order(&z, k, level);
    check_work(&z);
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return z.measured;
}

// ---- models ----

static void test_joints(void **state) {
    (void)state;
    for (const HolKind *k = hol_joint_kind_list; k->name; k++)
        for (int s = 0; s < 2; s++) {
            int measured = 0;
            if (!(k->spaces & (s ? HOL_IN_SPACE : HOL_IN_PLANE)))
                continue;
            for (int place = 0; place < PLACES; place++)
                for (int way = 0; way < WAYS_TO_ATTACH; way++) {
                    HolModel *m = joint_model(k, s ? HOL_SPATIAL : HOL_PLANAR, place, way);
                    char name[80];
                    snprintf(name, sizeof name, "%s joint, %s, place %d, way %d", k->name, s ? "space" : "plane", place, way);
                    if (m)
                        measured += check_model(m, NULL, name, 0.1);
                }
            if (measured < 4)
                fail_msg("%s: nothing was measured", k->name);
        }
}

static void test_forces(void **state) {
    (void)state;
    for (const HolKind *k = hol_force_kind_list; k->name; k++)
        for (int s = 0; s < 2; s++) {
            int measured = 0;
            if (!(k->spaces & (s ? HOL_IN_SPACE : HOL_IN_PLANE)))
                continue;
            for (int i = 0; i < 48; i++) {
                Variant x = {1 + i % 3, i / 3 % 2, i / 6 % 2, i / 12 % 2, i % 2, i / 24};
                HolModel *m = force_model(k, s ? HOL_SPATIAL : HOL_PLANAR, x);
                char name[120];
                snprintf(name, sizeof name, "%s, %s, values %d, frame %d, expressions %d, joint %d, ground %d, several %d", k->name,
                         s ? "space" : "plane", x.n_value, x.frame, x.expressions, x.joint, x.ground, x.several);
                if (m)
                    measured += check_model(m, NULL, name, 0.1);
            }
            if (measured < 4)
                fail_msg("%s: nothing was measured", k->name);
        }
}

static void test_texts(void **state) {
    (void)state;
    for (int i = 0; i < N_CONSTRAINT_TEXTS; i++)
        assert_true(check_model(parse_model(constraint_texts[i]), NULL, constraint_texts[i], 0.05) > 4);
    for (int i = 0; i < N_IMPLICIT_TEXTS; i++)
        assert_true(check_model(parse_model(implicit_texts[i]), NULL, implicit_texts[i], 0.05) > 4);
}

static int check_files(const char *pattern) {
    glob_t found;
    char path[500];
    int n = 0;
    snprintf(path, sizeof path, "%s/%s", HOL_SOURCE_DIR, pattern);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        HolModel *m = NULL;
        HolSimOptions o;
        HolError err = {0};
        if (hol_model_load(found.gl_pathv[i], NULL, 0, &m, &o, &err) != HOL_OK)
            fail_msg("%s", err.text);
        check_model(m, &o, found.gl_pathv[i], 0);
        assert_int_equal(hol_model_load(found.gl_pathv[i], NULL, 0, &m, &o, &err), HOL_OK);
        n += check_model(m, &o, found.gl_pathv[i], 1e-3) > 0;
    }
    globfree(&found);
    return n;
}

static void test_files(void **state) {
    (void)state;
    assert_true(check_files("models/*.yaml") + check_files("models/*/*.yaml") > 20);
}

// A torsion spring after more than half a turn: its series must start at the unwrapped angle.
static void test_unwrapped_angle(void **state) {
    (void)state;
    static const char *const text =
        "holonom: 1\nspace: spatial\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1], omega: [0, 0, 3]}]\n"
        "joints: [{name: O, type: revolute, between: [{body: ground, axis: [0, 0, 1]}, a]}]\n"
        "forces: [{type: torsion_spring_damper, joint: O, stiffness: 0.5, angle: 0}]\n";
    HolModel *m = parse_model(text);
    HolSim *s = open_sim(m, NULL, "turning");
    const HolProblem *p = s->p;
    double rhs[20], q[7], expected;
    memcpy(q, s->x.q, sizeof q);
    for (int i = 1; i <= 8; i++) { // 8 steps of 0.6 rad
        q[3] = cos(0.3 * i), q[6] = sin(0.3 * i);
        p->accept(p, s->work, 0, q, s->x.v);
    }
    expected = -0.5 * 4.8;
    p->force(p, s->work, 0, q, s->x.v, NULL, rhs);
    assert_true(fabs(rhs[5] - expected) < 1e-13);
    p->jet_start(p, s->work, 0, q, s->x.v);
    p->jet_rhs(p, s->work, 0, rhs);
    assert_true(fabs(rhs[5] - expected) < 1e-13);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints), cmocka_unit_test(test_forces),          cmocka_unit_test(test_texts),
        cmocka_unit_test(test_files),  cmocka_unit_test(test_unwrapped_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
