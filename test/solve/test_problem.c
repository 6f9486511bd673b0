// SPDX-License-Identifier: Apache-2.0
// Completion of a user's problem: differences against the analytic functions of the sample
// problems, refusal of incomplete or malformed problems, and the bead on a turning wire.
#include "sample_problems.h"

#include "base/arena.h"
#include "base/error.h"
#include "solve/problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
// after the headers it needs
#include <cmocka.h>

static void assert_close(const double *a, const double *b, int n, double tolerance) {
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * (1 + fabs(b[i]))))
            fail_msg("entry %d: %.16g differs from %.16g by %.3g", i, a[i], b[i], a[i] - b[i]);
}

// A copy in which everything that can be differenced is left out.
static HolProblem bare(HolProblem p, int keep_jacobian) {
    if (!keep_jacobian)
        p.jacobian = NULL;
    p.qddot = NULL;
    p.velocity_rhs = NULL;
    p.acceleration_rhs = NULL;
    p.tangent = NULL;
    p.velocity_jacobian = NULL;
    return p;
}

static void compare(const HolProblem *given, const double *q, const double *v, const double *a,
                    const double *lambda, int keep_jacobian, double tight, double loose) {
    HolArena arena = {0};
    HolError err;
    hol_error_clear(&err);
    const HolProblem missing = bare(*given, keep_jacobian);
    const HolProblem *full = hol_problem_complete(&arena, given, &err),
                     *c = hol_problem_complete(&arena, &missing, &err);
    assert_non_null(full);
    assert_non_null(c);
    void *w1 = hol_arena_alloc(&arena, full->work_size),
         *w2 = hol_arena_alloc(&arena, c->work_size);
    const int nv = given->nv, m = given->nh;
    double x[200] = {0}, y[200] = {0};
    assert_true(m * nv < 200 && nv * nv < 200);
    full->jacobian(full, w1, &(HolPoint){.t = 0.3, .q = q}, x);
    c->jacobian(c, w2, &(HolPoint){.t = 0.3, .q = q}, y);
    assert_close(y, x, m * nv, 2e-12);
    full->velocity_rhs(full, w1, &(HolPoint){.t = 0.3, .q = q}, x);
    c->velocity_rhs(c, w2, &(HolPoint){.t = 0.3, .q = q}, y);
    assert_close(y, x, m, 1e-11);
    full->acceleration_rhs(full, w1, &(HolPoint){.t = 0.3, .q = q, .v = v}, x);
    c->acceleration_rhs(c, w2, &(HolPoint){.t = 0.3, .q = q, .v = v}, y);
    assert_close(y, x, m, tight);
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    full->velocity_jacobian(full, w1, &(HolPoint){.t = 0.3, .q = q, .v = v}, x);
    c->velocity_jacobian(c, w2, &(HolPoint){.t = 0.3, .q = q, .v = v}, y);
    assert_close(y, x, m * nv, loose);
    full->qddot(full, w1, q, v, a, x);
    c->qddot(c, w2, q, v, a, y);
    assert_close(y, x, given->nq, 1e-11);
    if (given->tangent) {
        memset(x, 0, sizeof x);
        memset(y, 0, sizeof y);
        full->tangent(full, w1, &(HolPoint){.t = 0.3, .q = q, .v = v, .a = a, .lambda = lambda},
                      0.7, 1.3, x);
        c->tangent(c, w2, &(HolPoint){.t = 0.3, .q = q, .v = v, .a = a, .lambda = lambda}, 0.7, 1.3,
                   y);
        assert_close(y, x, nv * nv, loose);
    }
    hol_arena_free(&arena);
}

static void test_differences_planar(void **state) {
    (void)state;
    SamplePlanar data = sample_double_data(1e-3);
    const HolProblem p = sample_planar(&data);
    double q[6], v[6];
    const double angle[2] = {0.4, -1.1}, omega[2] = {1.3, -2.2}, a[6] = {1, -2, 3, 0.5, -0.25, 2},
                 lambda[4] = {3, -1, 2, 5};
    sample_double_start(angle, omega, q, v);
    compare(&p, q, v, a, lambda, 0, 1e-9, 2e-5);
    compare(&p, q, v, a, lambda, 1, 1e-11, 1e-8);
}

static void test_differences_spatial(void **state) {
    (void)state;
    const SampleTop data = sample_top_data();
    const HolProblem p = sample_top(&data);
    double q[7], v[6], moved[7];
    sample_top_start(&data, q, v);
    const double d[6] = {0, 0, 0, 0.4, -0.7, 1.1}, a[6] = {1, 2, -3, 4, -5, 6},
                 lambda[3] = {100, -20, 30};
    top_retract(&p, NULL, q, d, moved);
    // second differences: 1e-10 of omega^2 = 225
    compare(&p, moved, v, a, lambda, 0, 2e-8, 2e-5);
    compare(&p, moved, v, a, lambda, 1, 1e-11, 1e-8);
}

// g = phi - 0.5 sin(3 t) + r^2 t^2: time and position mixed, derivatives known in closed form
static void moving_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)p, (void)work;
    g[0] = at->q[1] - 0.5 * sin(3 * at->t) + at->q[0] * at->q[0] * at->t * at->t;
}

static void moving_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                        double *S) {
    (void)p, (void)work, (void)at, (void)into_S;
    S[0] += c;
    S[3] += c * at->q[0] * at->q[0];
}

static void moving_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    f[0] = at->q[0] * at->v[1] * at->v[1];
    f[1] = -2 * at->q[0] * at->v[0] * at->v[1];
}

static HolProblem moving_problem(void) {
    return (HolProblem){.size = sizeof(HolProblem),
                        .nq = 2,
                        .nv = 2,
                        .nh = 1,
                        .mass = moving_mass,
                        .force = moving_force,
                        .constraint = moving_constraint};
}

static void test_differences_in_time(void **state) {
    (void)state;
    HolArena arena = {0};
    const HolProblem p = moving_problem();
    const HolProblem *c = hol_problem_complete(&arena, &p, NULL);
    assert_non_null(c);
    void *work = hol_arena_alloc(&arena, c->work_size);
    const double t = 0.7, q[2] = {1.2, 0.3}, v[2] = {-0.8, 0.5};
    double G[2], gt, gamma, S[4] = {0};
    c->jacobian(c, work, &(HolPoint){.t = t, .q = q}, G);
    c->velocity_rhs(c, work, &(HolPoint){.t = t, .q = q}, &gt);
    c->acceleration_rhs(c, work, &(HolPoint){.t = t, .q = q, .v = v}, &gamma);
    assert_true(fabs(G[0] - 2 * q[0] * t * t) < 1e-12 && fabs(G[1] - 1) < 1e-12);
    assert_true(fabs(gt + 1.5 * cos(3 * t) - 2 * q[0] * q[0] * t) < 1e-11);
    const double exact =
        2 * v[0] * v[0] * t * t + 8 * q[0] * v[0] * t + 4.5 * sin(3 * t) + 2 * q[0] * q[0];
    assert_true(fabs(gamma - exact) < 1e-9);
    // (M a)_q with a = (0, 2): d(r^2 a)/dr = 2 r a, and -f_q, -f_v
    const double a[2] = {0, 2}, lambda[1] = {3};
    c->tangent(c, work, &(HolPoint){.t = t, .q = q, .v = v, .a = a, .lambda = lambda}, 0, 1, S);
    assert_true(fabs(S[0] - (lambda[0] * 2 * t * t - v[1] * v[1])) < 1e-6);
    assert_true(fabs(S[1] - (2 * q[0] * a[1] + 2 * v[0] * v[1])) < 1e-6);
    memset(S, 0, sizeof S);
    c->tangent(c, work, &(HolPoint){.t = t, .q = q, .v = v, .a = a, .lambda = lambda}, 1, 0, S);
    assert_true(fabs(S[2] + 2 * q[0] * v[1]) < 1e-8 && fabs(S[1] - 2 * q[0] * v[1]) < 1e-8);
    hol_arena_free(&arena);
}

// ---- the user's workspace ----

static HolStatus init_canary(const HolProblem *p, void *work) {
    (void)p;
    memset(work, 0x5a, 100);
    return HOL_OK;
}

static void test_workspace_is_kept(void **state) {
    (void)state;
    HolArena arena = {0};
    HolProblem p = moving_problem();
    p.work_size = 100;
    p.work_init = init_canary;
    const HolProblem *c = hol_problem_complete(&arena, &p, NULL);
    assert_non_null(c);
    assert_true(c->work_size >= 100);
    unsigned char *work = hol_arena_alloc(&arena, c->work_size);
    assert_int_equal(c->work_init(c, work), HOL_OK);
    const double q[2] = {1, 2}, v[2] = {3, 4}, zero[2] = {0};
    double out[4] = {0};
    c->jacobian(c, work, &(HolPoint){.t = 0, .q = q}, out);
    c->acceleration_rhs(c, work, &(HolPoint){.t = 0, .q = q, .v = v}, out);
    c->tangent(c, work, &(HolPoint){.t = 0, .q = q, .v = v, .a = zero, .lambda = zero}, 1, 1, out);
    for (int i = 0; i < 100; i++)
        assert_int_equal(work[i], 0x5a);
    hol_arena_free(&arena);
}

// ---- refusals ----

static void refuse(HolProblem p, const char *expected) {
    HolArena arena = {0};
    HolError err;
    hol_error_clear(&err);
    assert_null(hol_problem_complete(&arena, &p, &err));
    assert_int_equal(err.status, HOL_ERR_INPUT);
    if (!strstr(err.text, expected))
        fail_msg("expected '%s' in '%s'", expected, err.text);
    hol_error_clear(&err);
    HolSim *sim = (HolSim *)&err;
    const double zero[8] = {0};
    assert_int_equal(hol_sim_create_problem(&p, zero, zero, NULL, &sim, &err), HOL_ERR_INPUT);
    assert_null(sim);
    hol_arena_free(&arena);
}

static void test_refusals(void **state) {
    (void)state;
    HolProblem p = moving_problem();
    p.mass = NULL;
    refuse(p, "'mass' is required");
    p.force = NULL;
    refuse(p, "'force' is required"); // both in one go
    p = moving_problem();
    p.constraint = NULL;
    refuse(p, "'constraint' is required");
    p = moving_problem();
    p.nq = 3;
    refuse(p, "'qdot', 'retract' and 'minus'");
    p = moving_problem();
    p.nv = 0;
    refuse(p, "sizes");
    p = moving_problem();
    p.nn = 1;
    refuse(p, "'jacobian' is required");
    p = moving_problem();
    p.nw = 1;
    refuse(p, "'variables' is required");
    p = moving_problem();
    static const int ptr[3] = {0, 1, 2}, bad_row[2] = {0, 5}, good_row[2] = {0, 1};
    p.M = (HolPattern){.rows = 2, .cols = 2, .nnz = 2, .ptr = ptr, .idx = bad_row};
    refuse(p, "pattern M");
    p.M.idx = good_row;
    p.M.nnz = 3;
    refuse(p, "pattern M");
    HolArena arena = {0};
    p.M.nnz = 2;
    assert_non_null(hol_problem_complete(&arena, &p, NULL));
    hol_arena_free(&arena);
}

static void test_complete_is_left_alone(void **state) {
    (void)state;
    HolArena arena = {0};
    const HolProblem p = moving_problem();
    const HolProblem *c = hol_problem_complete(&arena, &p, NULL);
    assert_ptr_not_equal(c, &p);
    assert_ptr_equal(hol_problem_complete(&arena, c, NULL), c);
    assert_int_equal(c->M.nnz, 4);
    assert_int_equal(c->G.nnz, 2);
    assert_int_equal(c->M.ptr[1], 2);
    hol_arena_free(&arena);
}

// ---- a run of an incomplete problem: bead on a turning wire, closed form ----

static void bead_constraint(const HolProblem *p, void *work, const HolPoint *at, double *g) {
    (void)p, (void)work;
    g[0] = at->q[1] - 1.5 * at->t;
}

static void test_bead(void **state) {
    (void)state;
    HolProblem p = moving_problem();
    p.constraint = bead_constraint;
    const double q0[2] = {0.3, 0}, v0[2] = {-0.1, 1.5}, W = 1.5, t = 2;
    HolSimOptions o = hol_sim_options();
    HolError err;
    HolSim *sim;
    o.end = t;
    double previous = 0;
    for (int k = 0; k < 3; k++) {
        o.step = 0.1 / (1 << k);
        assert_int_equal(hol_sim_create_problem(&p, q0, v0, &o, &sim, &err), HOL_OK);
        assert_int_equal(hol_sim_advance(sim, t, &err), HOL_OK);
        const HolView view = hol_sim_view(sim);
        const double r = 0.3 * cosh(W * t) - 0.1 / W * sinh(W * t),
                     rate = 0.3 * W * sinh(W * t) - 0.1 * cosh(W * t);
        const double error = fmax(fabs(view.q[0] - r), fabs(view.lambda[0] + 2 * W * r * rate));
        if (k > 0)
            assert_true(log2(previous / error) > 3.8 && log2(previous / error) < 4.2);
        previous = error;
        hol_sim_destroy(sim);
    }
    assert_true(previous < 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences_planar),
                                       cmocka_unit_test(test_differences_spatial),
                                       cmocka_unit_test(test_differences_in_time),
                                       cmocka_unit_test(test_workspace_is_kept),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_complete_is_left_alone),
                                       cmocka_unit_test(test_bead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
