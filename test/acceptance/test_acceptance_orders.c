// SPDX-License-Identifier: Apache-2.0
// Observed orders of the methods on model files: a planar double pendulum, a spatial top and
// Andrews' mechanism. The error of q, v and lambda at one time, against the Taylor-series method
// with tolerance 1e-13, is taken at three steps h, h/2, h/4; log2 of its quotients is the order.
#include "ref_compare.h"

enum { POSITIONS, VELOCITIES, MULTIPLIERS, LEVELS };
static const char *const level_names[LEVELS] = {"q", "v", "lambda"};

typedef struct End {
    double *x[LEVELS]; // q, v, lambda
    int n[LEVELS];
} End;

static End run_to(const char *model, double end, const char *method, const char *scheme,
                  const char *step) {
    RefRun r =
        scheme ? ref_open(model, method, scheme, step, NULL) : ref_open(model, method, step, NULL);
    ref_advance(&r, end);
    HolView view = hol_sim_view(r.sim);
    End e = {.n = {view.nq, view.nv, view.m}};
    const double *x[LEVELS] = {view.q, view.v, view.lambda};
    for (int k = 0; k < LEVELS; k++) {
        e.x[k] = malloc((size_t)(e.n[k] + 1) * sizeof(double));
        memcpy(e.x[k], x[k], (size_t)e.n[k] * sizeof(double));
    }
    ref_close(&r);
    return e;
}

static void free_end(End *e) {
    for (int k = 0; k < LEVELS; k++)
        free(e->x[k]);
}

static double deviation(const End *a, const End *b, int level) {
    double size = 0;
    for (int i = 0; i < a->n[level]; i++)
        size = fmax(size, fabs(a->x[level][i] - b->x[level][i]));
    return size;
}

typedef struct Case {
    const char *model;
    double end, h;
} Case;

static void require_orders(const Case *c, const char *method, const char *scheme, double least,
                           double most) {
    End exact = run_to(c->model, c->end, "method=taylor", NULL, "tolerance=1e-13");
    double error[3][LEVELS];
    for (int i = 0; i < 3; i++) {
        char step[48];
        snprintf(step, sizeof step, "step=%.17g", c->h / (1 << i));
        End e = run_to(c->model, c->end, method, scheme, step);
        for (int k = 0; k < LEVELS; k++)
            error[i][k] = deviation(&e, &exact, k);
        free_end(&e);
    }
    free_end(&exact);
    for (int k = 0; k < LEVELS; k++)
        for (int i = 0; i < 2; i++) {
            double order = log2(error[i][k] / error[i + 1][k]);
            if (!(order >= least && order <= most))
                fail_msg("%s, %s, %s: order %.2f between h = %g and h/2 (errors %.2e, %.2e)",
                         c->model, scheme ? scheme : method, level_names[k], order, c->h / (1 << i),
                         error[i][k], error[i + 1][k]);
        }
}

static void test_hermite(void **state) {
    (void)state;
    const Case cases[] = {{"double-pendulum.yaml", 1, 0.01},
                          {"spinning-top.yaml", 0.5, 0.004},
                          {"heavy-top.yaml", 0.1, 0.002},
                          {"andrews.yaml", 0.01, 1e-4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        require_orders(&cases[i], "method=tangent", "method.scheme=hermite", 3.8, 4.2);
}

static void test_newmark_scheme(void **state) {
    (void)state;
    const Case cases[] = {{"double-pendulum.yaml", 1, 0.002},
                          {"spinning-top.yaml", 0.5, 0.001},
                          {"andrews.yaml", 0.01, 1e-5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        require_orders(&cases[i], "method=tangent", "method.scheme=newmark", 1.8, 2.2);
}

static void test_obreshkov3(void **state) {
    (void)state;
    const Case cases[] = {{"double-pendulum.yaml", 1, 0.005}, {"spinning-top.yaml", 0.5, 0.002}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        require_orders(&cases[i], "method=tangent", "method.scheme=obreshkov3", 2.8, 3.2);
}

static void test_jfg(void **state) {
    (void)state;
    const Case cases[] = {{"double-pendulum.yaml", 1, 0.005}, {"spinning-top.yaml", 0.5, 0.002}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        require_orders(&cases[i], "method=tangent", "method.scheme=jfg", 3.8, 4.2);
}

// index 3: second order, in lambda too for the damped ones
static void test_index3(void **state) {
    (void)state;
    const Case cases[] = {{"double-pendulum.yaml", 1, 0.002}, {"spinning-top.yaml", 0.5, 0.001}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        require_orders(&cases[i], "method=hht", NULL, 1.8, 2.2);
        require_orders(&cases[i], "method=generalized-alpha", NULL, 1.8, 2.2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hermite),    cmocka_unit_test(test_newmark_scheme),
        cmocka_unit_test(test_obreshkov3), cmocka_unit_test(test_jfg),
        cmocka_unit_test(test_index3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
