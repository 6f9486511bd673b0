// SPDX-License-Identifier: Apache-2.0
// Taylor series of the motion of whole models. At a consistent state the series is computed order
// by order; its truncation after order k, put into the equations at t + h, must leave
//     M a + G^T lambda - f, G a + gamma, w - W   of order h^(k+1)
//     G v + gt                                   of order h^(k+2)
//     g                                          of order h^(k+3)
// The powers of h in these residuals are measured. Done for every joint kind, every force kind,
// motions, constraints, implicit variables, and every model file: one wrong coefficient anywhere
// leaves a lower power.
#include "kind_models.h"
#include "model_texts.h"
#include "solve/constraint/project.h"

#include <glob.h>
#include <stdlib.h>

enum { HIGHEST = 6, LEVELS = 5, N = 15 };
static const char *const level_name[LEVELS] = {"balance of forces", "accelerations of constraints",
                                               "variables", "velocities of constraints",
                                               "constraints"};

typedef struct Series {
    HolSim *s;
    const HolProblem *p;
    const char *name;
    HolState x, y; // where it starts, where it is evaluated
    double *G, *M, *r, *samples, *switches, scale[LEVELS];
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

// residuals of one level at y, scaled; their number
static int residual(Series *z, int level, double *r) {
    HolSim *s = z->s;
    const HolProblem *p = z->p;
    const HolState *y = &z->y;
    int n = level == 0 ? s->nv : level == 2 ? s->nw : level == 4 ? s->nh : s->m;
    if (!n)
        return 0;
    if (s->m && level != 2 && level != 4)
        p->jacobian(p, s->work, &(HolPoint){.t = y->t, .q = y->q}, z->G);
    switch (level) {
    case 0:
        p->force(p, s->work, &(HolPoint){.t = y->t, .q = y->q, .v = y->v, .w = y->w}, r);
        memset(z->M, 0, sizeof *z->M * (size_t)p->M.nnz);
        p->mass(p, s->work, &(HolPoint){.t = y->t, .q = y->q}, 1, 0, z->M);
        hol_mul_columns(&p->M, z->M, y->a, -1, r);
        if (s->m)
            hol_mul_rows_transposed(&p->G, z->G, y->lambda, -1, r);
        break;
    case 1:
        p->acceleration_rhs(p, s->work, &(HolPoint){.t = y->t, .q = y->q, .v = y->v}, r);
        hol_mul_rows(&p->G, z->G, y->a, 1, r);
        break;
    case 2:
        p->variables(
            p, s->work,
            &(HolPoint){.t = y->t, .q = y->q, .v = y->v, .a = y->a, .lambda = y->lambda, .w = y->w},
            &(HolAlgebraic){.r = r});
        break;
    case 3:
        p->velocity_rhs(p, s->work, &(HolPoint){.t = y->t, .q = y->q}, r);
        hol_mul_rows(&p->G, z->G, y->v, 1, r);
        break;
    default:
        p->constraint(p, s->work, &(HolPoint){.t = y->t, .q = y->q}, r);
    }
    for (int i = 0; i < n; i++)
        r[i] /= z->scale[level];
    return n;
}

// sizes of the terms that cancel in the residuals
static void find_scales(Series *z) {
    HolSim *s = z->s;
    const HolState *x = &z->x;
    const HolProblem *p = z->p;
    double *r = z->r, *scale = z->scale;
    p->force(p, s->work, &(HolPoint){.t = x->t, .q = x->q, .v = x->v, .w = x->w}, r);
    scale[0] = 1e-3 + largest(r, s->nv);
    memset(r, 0, sizeof *r * (size_t)s->nv);
    p->jacobian(p, s->work, &(HolPoint){.t = x->t, .q = x->q}, z->G);
    hol_mul_rows_transposed(&p->G, z->G, x->lambda, 1, r);
    scale[0] += largest(r, s->nv);
    p->acceleration_rhs(p, s->work, &(HolPoint){.t = x->t, .q = x->q, .v = x->v}, r);
    scale[1] = 1 + largest(x->a, s->nv) + largest(r, s->m);
    scale[2] = 1 + largest(x->w, s->nw);
    scale[3] = 1 + largest(x->v, s->nv);
    scale[4] = 1 + largest(x->q, s->nq);
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
    z->p->extras->accept(z->p, s->work, z->x.t, z->x.q, z->x.v);
    // the second time starts from the solution, so that the border is that of the solution
    for (int i = 0; i < 2; i++)
        if (hol_accelerate(s, &z->x, 0, &err) != HOL_OK)
            fail_msg("%s: %s", z->name, err.text);
}

static void compute(Series *z) {
    HolSim *s = z->s;
    const HolProblem *p = z->p;
    int nv = s->nv, m = s->m;
    p->extras->series_start(p, s->work, z->x.t, z->x.q, z->x.v);
    for (int k = 0; k <= HIGHEST; k++) {
        p->extras->series_rhs(p, s->work, k, z->r);
        if (k > 0 || !s->nw)
            hol_kkt_solve(s->mass, z->r);
        if (k == 0) { // the accelerations themselves
            double size = 1 + largest(z->x.a, nv);
            for (int i = 0; !s->nw && i < nv; i++)
                if (!(fabs(z->r[i] - z->x.a[i]) <= 1e-10 * size))
                    fail_msg("%s: acceleration %d by the series %.12g, by the equations %.12g",
                             z->name, i, z->r[i], z->x.a[i]);
            p->extras->series_set(p, s->work, 0, z->x.a, z->x.lambda, z->x.w);
        } else
            p->extras->series_set(p, s->work, k, z->r, z->r + nv, z->r + nv + m);
    }
}

// residuals of the series truncated after order k, at t + h; their largest
static double residual_at(Series *z, int k, int level, double h, double *r) {
    z->p->extras->series_eval(z->p, z->s->work, k, h, z->y.q, z->y.v, z->y.a, z->y.lambda, z->y.w);
    z->y.t = z->x.t + h;
    return largest(r, residual(z, level, r));
}

// 1 when every switching function has one sign within |h| <= H
static int same_branch(Series *z, int k, double H) {
    const HolProblem *p = z->p;
    double *now = z->switches, *then = now + p->extras->n_switches;
    if (!p->extras->n_switches)
        return 1;
    p->extras->switches(p, z->s->work, z->x.t, z->x.q, z->x.v, z->x.w, now);
    for (int j = -10; j <= 10; j++) {
        residual_at(z, k, 0, 0.1 * j * H, z->r);
        p->extras->switches(p, z->s->work, z->y.t, z->y.q, z->y.v, z->y.w, then);
        for (int i = 0; i < p->extras->n_switches; i++)
            if (!(now[i] * then[i] > 0))
                return 0;
    }
    return 1;
}

// coefficients of the polynomial through N values at x
static void interpolate(const double *x, double *c) {
    for (int j = 1; j < N; j++) // divided differences
        for (int i = N - 1; i >= j; i--)
            c[i] = (c[i] - c[i - 1]) / (x[i] - x[i - j]);
    for (int j = N - 2; j >= 0; j--) // Newton's form to powers
        for (int i = j; i < N - 1; i++)
            c[i] -= x[j] * c[i + 1];
}

// The residual as a function of h, on an interval where it is small but far above round-off: its
// powers below the expected one must be absent.
static void check_order(Series *z, int k, int level) {
    static const int gain[LEVELS] = {1, 1, 1, 2, 3};
    int expected = k + gain[level], n = residual(z, level, z->r);
    double H = 0.7, size = INFINITY, most = 0, x[N], c[N], worst = 0;
    for (; n && H > 1e-12; H /= 1.5) {
        size = fmax(residual_at(z, k, level, H, z->r), residual_at(z, k, level, -H, z->r));
        // (the balance of forces shows how far the series is of use at all)
        if (size < 2e-7 &&
            fmax(residual_at(z, k, 0, H, z->r), residual_at(z, k, 0, -H, z->r)) < 1e-3 &&
            same_branch(z, k, H))
            break;
    }
    if (!n || size < 2e-8)
        return; // the series ends, or there is nothing to see
    for (int i = 0; i < N; i++) {
        x[i] = cos(M_PI * (i + 0.5) / N);
        most = fmax(most, residual_at(z, k, level, H * x[i], z->samples + i * n));
    }
    int power = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < N; j++)
            c[j] = z->samples[j * n + i];
        interpolate(x, c);
        for (int j = 0; j < expected; j++)
            if (!(fabs(c[j]) <= worst))
                worst = fabs(c[j]), power = j;
    }
    if (!(worst <= 3e-2 * most + 2e-9))
        fail_msg("%s: %s after order %d, |h| <= %g: largest %.3g, of which h^%d has %.3g; expected "
                 "from h^%d",
                 z->name, level_name[level], k, H, most, power, worst, expected);
    z->measured++;
}

// work over [0, h] from the series against Gauss quadrature of the power
static void check_work(Series *z) {
    static const double x[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                0.9061798459386640};
    static const double w[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                0.4786286704993665, 0.2369268850561891};
    const HolProblem *p = z->p;
    double h = 1, sum = 0, most = 0, power;
    if (!p->extras->series_work)
        return;
    while (h > 1e-12 && !(residual_at(z, HIGHEST, 0, h, z->r) < 1e-10)) // where the series is good
        h /= 2;
    h /= 4;
    for (int i = 0; i < 5; i++) {
        double t = 0.5 * h * (1 + x[i]);
        p->extras->series_eval(p, z->s->work, HIGHEST, t, z->y.q, z->y.v, z->y.a, z->y.lambda,
                               z->y.w);
        p->energy(
            p, z->s->work,
            &(HolPoint){
                .t = z->x.t + t, .q = z->y.q, .v = z->y.v, .lambda = z->y.lambda, .w = z->y.w},
            NULL, NULL, &power);
        sum += 0.5 * h * w[i] * power;
        most = fmax(most, fabs(power));
    }
    double work = p->extras->series_work(p, z->s->work, HIGHEST, h);
    if (!(fabs(work - sum) <= 1e-8 * h * (most + 1e-3 * z->scale[0])))
        fail_msg("%s: work over %g by the series %.12g, by quadrature %.12g", z->name, h, work,
                 sum);
}

// takes the model over; returns how many orders were measured
static int check_model(HolModel *m, const HolSimOptions *o, const char *name, double size) {
    Series z = {.s = open_sim(m, o, name), .name = name};
    HolSim *s = z.s;
    int most = s->nv + s->m + s->nw + 1;
    z.p = s->p;
    hol_state_alloc(s, &z.x);
    hol_state_alloc(s, &z.y);
    z.G = HOL_NEW(&s->arena, double, z.p->G.nnz + 1);
    z.M = HOL_NEW(&s->arena, double, z.p->M.nnz + 1);
    z.r = HOL_NEW(&s->arena, double, most);
    z.switches = HOL_NEW(&s->arena, double, 2 * z.p->extras->n_switches + 1);
    z.samples = HOL_NEW(&s->arena, double, N *most);
    z.p->extras->series_memory(
        z.p, s->work, hol_arena_alloc(&s->arena, z.p->extras->series_size(z.p, HIGHEST)), HIGHEST);
    generalize(&z, size);
    hol_state_copy(s, &z.y, &z.x);
    z.y.t = z.x.t;
    find_scales(&z);
    for (int i = 0; i < LEVELS; i++)
        if (!(largest(z.r, residual(&z, i, z.r)) <= 3e-11))
            fail_msg("%s: %s do not vanish where they are solved", name, level_name[i]);
    compute(&z);
    // (what the constraints and velocities show, the accelerations show too, and at high orders
    // more clearly)
    for (int k = 0; k <= HIGHEST; k++)
        for (int level = 0; level < (k < 4 ? LEVELS : 3); level++)
            check_order(&z, k, level);
    check_work(&z);
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return z.measured;
}

// ---- models ----

static void test_joints(void **state) {
    (void)state;
    for (const HolKind *const *list = hol_joint_kinds, *k; (k = *list); list++)
        for (int s = 0; s < 2; s++) {
            int measured = 0;
            if (!(k->spaces & (s ? HOL_IN_SPACE : HOL_IN_PLANE)))
                continue;
            for (int place = 0; place < PLACES; place++)
                for (int way = 0; way < WAYS_TO_ATTACH; way++) {
                    HolModel *m = joint_model(k, s ? HOL_SPATIAL : HOL_PLANAR, place, way);
                    char name[80];
                    snprintf(name, sizeof name, "%s joint, %s, place %d, way %d", k->name,
                             s ? "space" : "plane", place, way);
                    if (m)
                        measured += check_model(m, NULL, name, 0.1);
                }
            if (measured < 4)
                fail_msg("%s: nothing was measured", k->name);
        }
}

static void test_forces(void **state) {
    (void)state;
    for (const HolKind *const *list = hol_force_kinds, *k; (k = *list); list++)
        for (int s = 0; s < 2; s++) {
            int measured = 0;
            if (!(k->spaces & (s ? HOL_IN_SPACE : HOL_IN_PLANE)))
                continue;
            for (int i = 0; i < 48; i++) {
                Variant x = {1 + i % 3, i / 3 % 2, i / 6 % 2, i / 12 % 2, i % 2, i / 24};
                HolModel *m = force_model(k, s ? HOL_SPATIAL : HOL_PLANAR, x);
                char name[120];
                snprintf(
                    name, sizeof name,
                    "%s, %s, values %d, frame %d, expressions %d, joint %d, ground %d, several %d",
                    k->name, s ? "space" : "plane", x.n_value, x.frame, x.expressions, x.joint,
                    x.ground, x.several);
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
        assert_true(check_model(parse_model(constraint_texts[i]), NULL, constraint_texts[i], 0.05) >
                    4);
    for (int i = 0; i < N_IMPLICIT_TEXTS; i++)
        assert_true(check_model(parse_model(implicit_texts[i]), NULL, implicit_texts[i], 0.05) > 4);
    for (int i = 0; i < N_BEAM_TEXTS; i++)
        assert_true(check_model(parse_model(beam_texts[i]), NULL, beam_texts[i], 0.05) > 4);
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
        if (strstr(found.gl_pathv[i], "/parts/")) // of other models
            continue;
        probe_random = 88172645463325252u; // (a new file changes the states of no other one)
        if (hol_model_load(found.gl_pathv[i], NULL, 0, &m, &o, &err) != HOL_OK)
            continue;                                    // test_models complains
        if (!hol_model_problem(m)->extras->series_max) { // (crowds: taylor says so)
            hol_model_destroy(m);
            continue;
        }
        // as it starts, unless a kink may lie just there, or a spring starts with no length
        if (hol_model_problem(m)->extras->n_switches || strstr(found.gl_pathv[i], "adams/spring-1"))
            hol_model_destroy(m);
        else
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
        "holonom: 1\nspace: spatial\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1], omega: [0, 0, "
        "3]}]\n"
        "joints: [{name: O, type: revolute, between: [{body: ground, axis: [0, 0, 1]}, a]}]\n"
        "forces: [{type: torsion_spring_damper, joint: O, stiffness: 0.5, angle: 0}]\n";
    HolModel *m = parse_model(text);
    HolSim *s = open_sim(m, NULL, "turning");
    const HolProblem *p = s->p;
    double rhs[20], q[7], expected;
    memcpy(q, s->x.q, sizeof q);
    for (int i = 1; i <= 8; i++) { // 8 steps of 0.6 rad
        q[3] = cos(0.3 * i), q[6] = sin(0.3 * i);
        p->extras->accept(p, s->work, 0, q, s->x.v);
    }
    expected = -0.5 * 4.8;
    p->force(p, s->work, &(HolPoint){.t = 0, .q = q, .v = s->x.v}, rhs);
    assert_true(fabs(rhs[5] - expected) < 1e-13);
    p->extras->series_start(p, s->work, 0, q, s->x.v);
    p->extras->series_rhs(p, s->work, 0, rhs);
    assert_true(fabs(rhs[5] - expected) < 1e-13);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints),          cmocka_unit_test(test_forces),
        cmocka_unit_test(test_texts),           cmocka_unit_test(test_files),
        cmocka_unit_test(test_unwrapped_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
