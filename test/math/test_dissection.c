// SPDX-License-Identifier: Apache-2.0
// Large saddle points are cut in two halves: the solution against K x itself, for open and closed
// chains, rows with leaves and with coupled unknowns, symmetric and not, regular, with inactive and
// with redundant rows, twice in a row; the same bits from one thread and from two.
#include "base/thread_pool.h"
#include "math/saddle/kkt.h"
#include "math/saddle/kkt_backend.h"
#include "math/saddle/kkt_block.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BODIES = 900 };

typedef struct System {
    HolArena arena;
    int n, m;
    HolPattern S, G;
    double *Sv, *Gv, *Gtv; // Gtv NULL: equal to G
    unsigned char *inactive;
} System;

static double random_value(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

// pins between neighbours of a chain, to the ground every `ground` bodies, redundant ones repeated
// every `repeated`
static System make_system(int coupled, int ground, int repeated, unsigned seed) {
    System s = {.n = 3 * BODIES};
    int n = s.n, nnz = 0, rows = 2 * BODIES * 4;
    int *Sp = HOL_NEW(&s.arena, int, n + 1), *Si = HOL_NEW(&s.arena, int, 3 * n);
    int *Gp = HOL_NEW(&s.arena, int, rows + 1), *Gi = HOL_NEW(&s.arena, int, 4 * rows);
    s.Sv = HOL_NEW(&s.arena, double, 3 * n);
    s.Gv = HOL_NEW(&s.arena, double, 4 * rows);
    for (int j = 0; j < n; j++) {
        for (int i = coupled ? j / 3 * 3 : j; i < (coupled ? j / 3 * 3 + 3 : j + 1); i++) {
            Si[nnz] = i;
            s.Sv[nnz++] = i == j ? 1 + 0.1 * (j % 7) : 0.1;
        }
        Sp[j + 1] = nnz;
    }
    s.S = (HolPattern){n, n, nnz, Sp, Si};
    nnz = 0;
    for (int body = 0; body < BODIES; body++)
        for (int copy = 0; copy < 3; copy++) { // to the last body; to the ground; once more
            if ((copy == 1 && (!ground || body % ground != ground - 1)) ||
                (copy == 2 && (!repeated || body % repeated)))
                continue;
            unsigned arms = seed + 7919u * (unsigned)body + (copy == 1 ? 13u : 0u);
            for (int axis = 0; axis < 2; axis++) {
                for (int b = copy != 1 && body > 0 ? body - 1 : body; b <= body; b++) {
                    Gi[nnz] = 3 * b + axis;
                    s.Gv[nnz++] = b < body ? -1 : 1;
                    Gi[nnz] = 3 * b + 2;
                    s.Gv[nnz++] = random_value(&arms);
                }
                Gp[++s.m] = nnz;
            }
        }
    s.G = (HolPattern){s.m, n, nnz, Gp, Gi};
    return s;
}

static void multiply(const System *s, const double *x, double *b) {
    const double *upper = s->Gtv ? s->Gtv : s->Gv;
    memset(b, 0, sizeof(double) * (size_t)(s->n + s->m));
    for (int j = 0; j < s->n; j++)
        for (int p = s->S.ptr[j]; p < s->S.ptr[j + 1]; p++)
            b[s->S.idx[p]] += s->Sv[p] * x[j];
    for (int i = 0; i < s->m; i++) {
        if (s->inactive && s->inactive[i]) {
            b[s->n + i] = x[s->n + i];
            continue;
        }
        for (int p = s->G.ptr[i]; p < s->G.ptr[i + 1]; p++) {
            b[s->n + i] += s->Gv[p] * x[s->G.idx[p]];
            b[s->G.idx[p]] += upper[p] * x[s->n + i];
        }
    }
}

// the solution's unknowns against the ones b was made of, and K x against b
static void check_system(System *s, int symmetric, double accuracy) {
    int N = s->n + s->m;
    double *x = HOL_NEW(&s->arena, double, N), *b = HOL_NEW(&s->arena, double, N),
           *y[2] = {HOL_NEW(&s->arena, double, N), HOL_NEW(&s->arena, double, N)},
           *back = HOL_NEW(&s->arena, double, N);
    HolThreadPool *pool = hol_pool_create(&s->arena, 2);
    assert_non_null(pool);
    for (int threads = 0; threads < 2; threads++) {
        HolKkt *k = hol_kkt_create(&s->arena, &s->S, &s->G, 0, symmetric, "auto");
        assert_non_null(k);
        if (s->Gtv)
            assert_non_null(hol_kkt_Gt(k));
        hol_kkt_share(k, threads ? pool : NULL);
        const HolFactors *f = k->factors;
        assert_true(f->halves);
        assert_in_range(f->part[0].end[2] - f->part[0].first[2], 0.3 * s->m, 0.7 * s->m);
        assert_in_range(f->shadow, 1, 40);
        if (s->inactive)
            hol_kkt_inactive(k, s->inactive);
        double growth = 0;
        for (int round = 0; round < 3; round++) {
            unsigned seed = 5;
            for (int i = 0; i < N; i++)
                x[i] = random_value(&seed);
            multiply(s, x, b);
            memcpy(hol_kkt_S(k), s->Sv, sizeof(double) * (size_t)s->S.nnz);
            memcpy(hol_kkt_G(k), s->Gv, sizeof(double) * (size_t)s->G.nnz);
            if (s->Gtv)
                memcpy(hol_kkt_Gt(k), s->Gtv, sizeof(double) * (size_t)s->G.nnz);
            assert_int_equal(hol_kkt_factor(k), 0);
            assert_ptr_equal(k->active, k->backend);
            if (round == 0)
                growth = hol_kkt_stats(k).last_growth;
            else
                assert_true(hol_kkt_stats(k).last_growth == growth);
            memcpy(y[threads], b, sizeof(double) * (size_t)N);
            hol_kkt_solve(k, y[threads]);
            multiply(s, y[threads], back);
            for (int i = 0; i < N; i++) {
                assert_true(fabs(back[i] - b[i]) < accuracy);
                if (i < s->n)
                    assert_true(fabs(y[threads][i] - x[i]) < accuracy);
            }
        }
        hol_kkt_destroy(k);
    }
    assert_memory_equal(y[0], y[1], sizeof(double) * (size_t)N);
    hol_pool_destroy(pool);
    hol_arena_free(&s->arena);
}

static void test_chain(void **state) {
    (void)state;
    System s = make_system(0, 0, 0, 3);
    check_system(&s, 1, 1e-9);
}

static void test_row_with_ground(void **state) {
    (void)state;
    System s = make_system(0, 4, 0, 4);
    check_system(&s, 1, 1e-9);
}

static void test_coupled_unknowns(void **state) {
    (void)state;
    System s = make_system(1, 5, 0, 6);
    check_system(&s, 1, 1e-9);
}

static void test_unsymmetric(void **state) {
    (void)state;
    for (int coupled = 0; coupled < 2; coupled++) {
        System s = make_system(coupled, 5, 0, 7);
        unsigned seed = 9;
        s.Gtv = HOL_NEW(&s.arena, double, s.G.nnz);
        for (int i = 0; i < s.G.nnz; i++)
            s.Gtv[i] = s.Gv[i] + 0.01 * random_value(&seed);
        check_system(&s, 0, 1e-8);
    }
}

static void test_inactive(void **state) {
    (void)state;
    System s = make_system(0, 4, 0, 8);
    s.inactive = HOL_NEW(&s.arena, unsigned char, s.m);
    for (int i = 0; i < s.m; i += 11)
        s.inactive[i] = 1;
    check_system(&s, 1, 1e-9);
}

static void test_redundant(void **state) {
    (void)state;
    System s = make_system(0, 0, 6, 10);
    check_system(&s, 1, 1e-8);
}

static void count_part(void *context, int part) {
    long *sum = context;
    for (int i = 0; i < 1000; i++)
        sum[8 * part] += part + 1;
}

// every part once a call, whatever the number of threads; members asleep between two calls too
static void test_team(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        HolArena arena = {0};
        HolThreadPool *pool = hol_pool_create(&arena, threads);
        assert_true((pool != NULL) == (threads > 1));
        for (int parts = 1; parts <= 5; parts++) {
            long sum[40] = {0};
            for (int call = 0; call < 200; call++)
                hol_pool_run(pool, parts, count_part, sum);
            for (int part = 0; part < 5; part++)
                assert_int_equal(sum[8 * part], part < parts ? 200000L * (part + 1) : 0);
        }
        assert_true(hol_pool_cpu(pool) >= 0);
        hol_pool_destroy(pool);
        hol_arena_free(&arena);
    }
    hol_pool_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),       cmocka_unit_test(test_row_with_ground),
        cmocka_unit_test(test_inactive),    cmocka_unit_test(test_coupled_unknowns),
        cmocka_unit_test(test_unsymmetric), cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
