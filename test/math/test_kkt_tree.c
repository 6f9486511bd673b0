// SPDX-License-Identifier: Apache-2.0
// Open trees: the saddle point solved along the tree against dense LAPACK on random trees of bodies
// with 1, 3 and 6 velocities; what is no tree, and joints that fail; light bodies; and models whose
// motion must not depend on how it is solved.
#include "math/saddle/kkt.h"
#include "solve/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BODIES = 40, MOST = 6 };

typedef struct Tree {
    HolArena arena;
    HolPattern S, G;
    double Sv[BODIES * MOST * MOST], Gv[BODIES * MOST * 2 * MOST];
    int Sp[BODIES * MOST + 1], Si[BODIES * MOST * MOST], Gp[BODIES * MOST + 1],
        Gi[BODIES * MOST * 2 * MOST];
    int first[BODIES + 1], body[BODIES * MOST];
    unsigned seed;
} Tree;

static double random_value(Tree *t) {
    t->seed = t->seed * 1664525u + 1013904223u;
    return (double)(t->seed >> 8) / 8388608.0 - 1.0;
}

static int random_int(Tree *t, int n) {
    return (int)(0.5 * (random_value(t) + 1) * n) % n;
}

// row r of a joint: it holds its body well, as joints do
static void add_row(Tree *t, int a, int b, int r) {
    const int low = a < b ? a : b, high = a < b ? b : a;
    for (int side = 0; side < 2; side++) {
        const int body = side ? high : low;
        if (body < 0)
            continue;
        for (int j = t->first[body]; j < t->first[body + 1]; j++) {
            t->Gi[t->G.nnz] = j;
            t->Gv[t->G.nnz++] = (body == a && j - t->first[a] == r) + 0.15 * random_value(t);
        }
    }
    t->Gp[++t->G.rows] = t->G.nnz;
}

// bodies with dense symmetric matrices of the size `mass`; each hangs on an earlier one, the
// ground, or nothing; the rows of the joints are not in the order
// of the bodies
static void make_tree(Tree *t, unsigned seed, double light) {
    static const int widths[] = {1, 3, 6};
    int joint[BODIES][2], rows[BODIES];
    memset(t, 0, sizeof *t);
    t->seed = seed;
    for (int i = 0; i < BODIES; i++) {
        const int width = widths[random_int(t, 3)], from = t->first[i];
        const double mass = random_int(t, 4) == 0 ? light : 1;
        t->first[i + 1] = from + width;
        for (int j = 0; j < width; j++) {
            t->body[from + j] = 10 * i;
            for (int k = 0; k < width; k++) {
                t->Si[t->S.nnz] = from + k;
                t->Sv[t->S.nnz++] = mass * (j == k ? 1 + 0.1 * j : 0.1 / (1 + j + k));
            }
            t->Sp[from + j + 1] = t->S.nnz;
        }
        joint[i][0] = i;
        joint[i][1] = random_int(t, i + 1) - 1;
        rows[i] = i > 0 && random_int(t, 8) == 0 ? 0 : random_int(t, width + 1);
    }
    for (int i = 0; i < BODIES; i++) {
        const int k = (7 * i) % BODIES;
        for (int r = 0; r < rows[k]; r++)
            add_row(t, joint[k][0], joint[k][1], r);
    }
    const int n = t->first[BODIES];
    t->S = (HolPattern){n, n, t->S.nnz, t->Sp, t->Si};
    t->G = (HolPattern){t->G.rows, n, t->G.nnz, t->Gp, t->Gi};
}

static HolKkt *factored(Tree *t, const char *kind, int along_tree) {
    HolKkt *k = hol_kkt_create(&t->arena, &t->S, &t->G, 0, 1, kind);
    assert_non_null(k);
    if (along_tree)
        hol_kkt_bodies(k, t->body);
    memcpy(hol_kkt_S(k), t->Sv, sizeof(double) * (size_t)t->S.nnz);
    memcpy(hol_kkt_G(k), t->Gv, sizeof(double) * (size_t)t->G.nnz);
    assert_int_equal(hol_kkt_factor(k), 0);
    return k;
}

static double residual(const Tree *t, const double *b, const double *x) {
    const int n = t->S.cols, m = t->G.rows;
    double worst = 0, *r = malloc(sizeof(double) * (size_t)(n + m));
    memcpy(r, b, sizeof(double) * (size_t)(n + m));
    for (int j = 0; j < n; j++)
        for (int p = t->Sp[j]; p < t->Sp[j + 1]; p++)
            r[t->Si[p]] -= t->Sv[p] * x[j];
    for (int i = 0; i < m; i++)
        for (int p = t->Gp[i]; p < t->Gp[i + 1]; p++) {
            r[n + i] -= t->Gv[p] * x[t->Gi[p]];
            r[t->Gi[p]] -= t->Gv[p] * x[n + i];
        }
    for (int i = 0; i < n + m; i++)
        worst = fmax(worst, fabs(r[i]));
    free(r);
    return worst;
}

static void test_random_trees(void **state) {
    (void)state;
    static Tree t;
    for (unsigned seed = 1; seed <= 40; seed++) {
        make_tree(&t, seed, seed % 2 ? 1 : 1e-3);
        const int N = t.S.cols + t.G.rows;
        HolKkt *along = factored(&t, "auto", 1), *dense = factored(&t, "dense", 0);
        assert_string_equal(hol_kkt_stats(along).solver, "tree");
        double b[2 * BODIES * MOST], x[2 * BODIES * MOST], y[2 * BODIES * MOST], size = 0;
        for (int i = 0; i < N; i++)
            b[i] = x[i] = y[i] = random_value(&t);
        hol_kkt_solve(along, x);
        hol_kkt_solve(dense, y);
        for (int i = 0; i < N; i++)
            size = fmax(size, fabs(y[i]));
        if (!(residual(&t, b, x) < 1e-13 * size))
            fail_msg("tree %u: residual %g, size %g", seed, residual(&t, b, x), size);
        for (int i = 0; i < N; i++)
            if (!(fabs(x[i] - y[i]) < 1e-11 * size))
                fail_msg("tree %u, unknown %d: %g instead of %g", seed, i, x[i], y[i]);
        hol_kkt_destroy(dense);
        hol_kkt_destroy(along);
        hol_arena_free(&t.arena);
    }
}

// a body that weighs next to nothing costs no digits
static void test_light_bodies(void **state) {
    (void)state;
    static Tree t;
    memset(&t, 0, sizeof t);
    const double J[2] = {1e-14, 1}; // inertia about the mass centre, a lever arm away from the pin
    for (int i = 0; i < 2; i++) {
        t.first[i + 1] = 3 * i + 3;
        for (int j = 3 * i; j < 3 * i + 3; j++) {
            t.body[j] = i;
            t.Si[j] = j;
            t.Sv[j] = j % 3 == 2 ? J[i] : 1;
            t.Sp[j + 1] = j + 1;
        }
    }
    t.seed = 3;
    for (int i = 0; i < 2; i++) {
        add_row(&t, i, i - 1, 0);
        add_row(&t, i, i - 1, 1);
    }
    t.S = (HolPattern){6, 6, 6, t.Sp, t.Si};
    t.G = (HolPattern){4, 6, t.G.nnz, t.Gp, t.Gi};
    HolKkt *k = factored(&t, "auto", 1);
    double b[10], x[10];
    for (int i = 0; i < 10; i++)
        b[i] = x[i] = 1 + i;
    hol_kkt_solve(k, x);
    double size = 0;
    for (int i = 0; i < 10; i++)
        size = fmax(size, fabs(x[i]));
    assert_true(residual(&t, b, x) < 1e-14 * size);
    hol_kkt_destroy(k);
    hol_arena_free(&t.arena);
}

static void test_no_tree(void **state) {
    (void)state;
    static Tree t;
    // a loop: one more row between the ends
    make_tree(&t, 5, 1);
    int a = 0, b = 1;
    while (t.first[a + 1] - t.first[a] < 6)
        a++;
    for (b = a + 1; t.first[b + 1] - t.first[b] < 6;)
        b++;
    add_row(&t, a, b, 5);
    add_row(&t, a, -1, 5);
    add_row(&t, b, -1, 4);
    HolKkt *k = factored(&t, "auto", 1);
    assert_string_not_equal(hol_kkt_stats(k).solver, "tree");
    hol_kkt_destroy(k);
    hol_arena_free(&t.arena);
    // rows that repeat each other: the tree gives up, the others take over
    make_tree(&t, 6, 1);
    int first = 0;
    while (t.Gp[first + 2] - t.Gp[first + 1] != t.Gp[first + 1] - t.Gp[first] ||
           t.Gi[t.Gp[first]] != t.Gi[t.Gp[first + 1]])
        first++;
    for (int p = t.Gp[first]; p < t.Gp[first + 1]; p++)
        t.Gv[p + t.Gp[first + 1] - t.Gp[first]] = 2 * t.Gv[p];
    k = factored(&t, "auto", 1);
    assert_string_not_equal(hol_kkt_stats(k).solver, "tree");
    assert_int_equal(hol_kkt_stats(k).regularized, 1);
    hol_kkt_destroy(k);
    hol_arena_free(&t.arena);
}

// The motion of a chain does not depend on the solver, nor on how a step is closed; its joints stay
// closed at all levels.
static void check_model(const char *file, const char *method) {
    double last[2][7] = {{0}};
    for (int along = 0; along < 2; along++) {
        HolError err = {0};
        HolModel *m;
        HolSimOptions o;
        if (hol_model_load(file, NULL, 0, &m, &o, &err) != HOL_OK)
            fail_msg("%s", err.text);
        o = hol_sim_options();
        snprintf(o.method.name, sizeof o.method.name, "%s", method);
        snprintf(o.linear_solver, sizeof o.linear_solver, "%s", along ? "auto" : "sparse");
        o.tolerance = 1e-9;
        o.end = 0.5;
        HolSim *s;
        if (hol_sim_create(m, &o, &s, &err) != HOL_OK)
            fail_msg("%s", err.text);
        if (hol_sim_advance(s, o.end, &err) != HOL_OK)
            fail_msg("%s: %s", file, err.text);
        assert_int_equal(!strcmp(hol_kkt_stats(s->mass).solver, "tree"), along);
        memcpy(last[along], s->x.q, sizeof **last * (size_t)(s->nq < 7 ? s->nq : 7));
        double position, velocity, acceleration;
        hol_residuals(s, &s->x, &position, &velocity, &acceleration, NULL);
        assert_true(position < 1e-13 && velocity < 1e-12 && acceleration < 1e-10);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
    for (int i = 0; i < 7; i++)
        if (!(fabs(last[0][i] - last[1][i]) < 1e-7))
            fail_msg("%s, %s: coordinate %d is %.12g or %.12g", file, method, i, last[0][i],
                     last[1][i]);
}

static void test_models(void **state) {
    (void)state;
    static const char *const files[] = {"chain.yaml", "chain3d.yaml", "double-pendulum.yaml"};
    static const char *const methods[] = {"taylor", "tangent", "rk853"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t j = 0; j < sizeof methods / sizeof *methods; j++) {
            char path[512];
            snprintf(path, sizeof path, "models/%s", files[i]);
            check_model(path, methods[j]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_light_bodies),
        cmocka_unit_test(test_no_tree),
        cmocka_unit_test(test_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
