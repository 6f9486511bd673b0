// SPDX-License-Identifier: Apache-2.0
// Nets of n x n points, a row of G for each two neighbours and S coupled along the rows: solved by
// the matrix of the masses and rounds of corrections, as KLU solves them; by KLU where the coupling
// is large. What is factored grows little faster than the net.
#include "math/saddle/kkt_block.h"
#include "math/saddle/nearby/kkt_nearby.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct Net {
    HolArena arena;
    int n, m; // unknowns, rows
    HolPattern S, M, G;
    double *S_values, *G_values, *Gt_values;
} Net;

static double net_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

// S = mass + stiffness (difference)^2 of neighbours in all coordinates
static Net net_make(int size, double stiffness) {
    const int points = size * size;
    Net s = {.n = 3 * points};
    HolArena *a = &s.arena;
    int *Sp = HOL_NEW(a, int, s.n + 1), *Si = HOL_NEW(a, int, 15 * s.n),
        *Gp = HOL_NEW(a, int, 2 * points + 1), *Gi = HOL_NEW(a, int, 12 * points),
        *Mp = HOL_NEW(a, int, s.n + 1);
    s.S_values = HOL_NEW(a, double, 15 * s.n);
    s.G_values = HOL_NEW(a, double, 12 * points);
    s.Gt_values = HOL_NEW(a, double, 12 * points);
    unsigned seed = 7;
    int nnz = 0, entries = 0;
    for (int j = 0; j < s.n; j++) {
        const int point = j / 3, x = point % size, y = point / size;
        const int near[5] = {y > 0 ? point - size : -1, x > 0 ? point - 1 : -1, point,
                             x < size - 1 ? point + 1 : -1, y < size - 1 ? point + size : -1};
        for (int i = 0; i < 5; i++)
            for (int c = 0; near[i] >= 0 && c < 3; c++) {
                Si[nnz] = 3 * near[i] + c;
                s.S_values[nnz] = Si[nnz] == j       ? 1 + 0.1 * (j % 7) + 4 * stiffness
                                  : near[i] == point ? 0
                                  : c == j % 3       ? -stiffness
                                                     : -0.1 * stiffness;
                nnz++;
            }
        Sp[j + 1] = nnz;
        Mp[j + 1] = j + 1;
    }
    int *Mi = HOL_NEW(a, int, s.n);
    for (int j = 0; j < s.n; j++)
        Mi[j] = j;
    for (int point = 0; point < points; point++)
        for (int way = 0; way < 2; way++) {
            const int other = point + (way ? size : 1);
            if (way ? point / size == size - 1 : point % size == size - 1)
                continue;
            for (int c = 0; c < 3; c++) {
                const double along = c == way ? 1 : 0.3 * net_random(&seed);
                Gi[entries] = 3 * point + c;
                s.G_values[entries++] = -along;
                Gi[entries] = 3 * other + c;
                s.G_values[entries++] = along;
            }
            Gp[++s.m] = entries;
        }
    for (int i = 0; i < entries; i++)
        s.Gt_values[i] = s.G_values[i] * (1 + 1e-3 * net_random(&seed));
    s.S = (HolPattern){s.n, s.n, nnz, Sp, Si};
    s.M = (HolPattern){s.n, s.n, s.n, Mp, Mi};
    s.G = (HolPattern){s.m, s.n, entries, Gp, Gi};
    return s;
}

static HolKkt *net_kkt(Net *s, const char *kind, int mass) {
    HolKkt *k = hol_kkt_create(&s->arena, &s->S, &s->G, 0, 0, kind);
    assert_non_null(k);
    if (mass)
        hol_kkt_mass(k, &s->M);
    return k;
}

static void net_fill(const Net *s, HolKkt *k, int apart) {
    memcpy(hol_kkt_S(k), s->S_values, sizeof(double) * (size_t)s->S.nnz);
    memcpy(hol_kkt_G(k), s->G_values, sizeof(double) * (size_t)s->G.nnz);
    if (apart)
        memcpy(hol_kkt_Gt(k), s->Gt_values, sizeof(double) * (size_t)s->G.nnz);
    assert_int_equal(hol_kkt_factor(k), 0);
}

static double *net_right_side(Net *s) {
    double *b = HOL_NEW(&s->arena, double, s->n + s->m);
    unsigned seed = 3;
    for (int i = 0; i < s->n + s->m; i++)
        b[i] = net_random(&seed);
    return b;
}

// both solutions of one system; returns whether the rounds served
static int net_compare(Net *s, int apart, const unsigned char *inactive) {
    const int N = s->n + s->m;
    HolKkt *by_rounds = net_kkt(s, "auto", 1), *by_klu = net_kkt(s, "sparse", 0);
    assert_ptr_equal(by_rounds->backend, &hol_kkt_nearby);
    hol_kkt_inactive(by_rounds, inactive);
    hol_kkt_inactive(by_klu, inactive);
    net_fill(s, by_rounds, apart);
    net_fill(s, by_klu, apart);
    double *x = net_right_side(s), *y = net_right_side(s), size = 0;
    // (values that change later are not those that were factored)
    memset(hol_kkt_S(by_rounds), 0, sizeof(double) * (size_t)s->S.nnz);
    hol_kkt_solve(by_rounds, x);
    hol_kkt_solve(by_klu, y);
    for (int i = 0; i < N; i++)
        size = fmax(size, fabs(y[i]));
    for (int i = 0; i < N; i++)
        if (!(fabs(x[i] - y[i]) <= 1e-11 * size))
            fail_msg("unknown %d: %.17g instead of %.17g", i, x[i], y[i]);
    const int served = hol_kkt_nearby_inner(by_rounds) != NULL;
    hol_kkt_destroy(by_rounds);
    hol_kkt_destroy(by_klu);
    return served;
}

static void test_weak_coupling(void **state) {
    (void)state;
    static const double stiffness[] = {0, 1e-6, 0.01, 0.1};
    for (int i = 0; i < 4; i++)
        for (int apart = 0; apart < 2; apart++) {
            Net s = net_make(30, stiffness[i]);
            assert_true(net_compare(&s, apart, NULL));
            hol_arena_free(&s.arena);
        }
}

static void test_strong_coupling_is_factored(void **state) {
    (void)state;
    Net s = net_make(30, 1e4);
    assert_false(net_compare(&s, 0, NULL));
    hol_arena_free(&s.arena);
}

// forces that reactions balance but for a small part: round-off of the forces is no reason to factor
static void test_balanced_forces(void **state) {
    (void)state;
    Net s = net_make(30, 0.1);
    HolKkt *k = net_kkt(&s, "auto", 1);
    net_fill(&s, k, 0);
    double *b = net_right_side(&s), *lambda = net_right_side(&s), most = 0, off = 0;
    for (int i = 0; i < s.n + s.m; i++)
        b[i] *= i < s.n ? 1e-6 : 0;
    for (int i = 0; i < s.m; i++)
        for (int p = s.G.ptr[i]; p < s.G.ptr[i + 1]; p++)
            b[s.G.idx[p]] += 1e6 * lambda[i] * s.G_values[p];
    hol_kkt_solve(k, b);
    assert_non_null(hol_kkt_nearby_inner(k));
    for (int i = 0; i < s.m; i++) {
        most = fmax(most, fabs(1e6 * lambda[i]));
        off = fmax(off, fabs(b[s.n + i] - 1e6 * lambda[i]));
    }
    if (!(off <= 1e-11 * most))
        fail_msg("reactions differ by %g of %g", off, most);
    hol_kkt_destroy(k);
    hol_arena_free(&s.arena);
}

static void test_inactive_rows(void **state) {
    (void)state;
    Net s = net_make(30, 0.01);
    unsigned char *inactive = HOL_NEW(&s.arena, unsigned char, s.m);
    for (int i = 0; i < s.m; i += 5)
        inactive[i] = 1;
    assert_true(net_compare(&s, 0, inactive));
    hol_arena_free(&s.arena);
}

// a row that is there twice: found, and regularized by KLU
static void test_redundant_rows(void **state) {
    (void)state;
    Net s = net_make(30, 0.01);
    double *last = s.G_values + s.G.ptr[s.m - 1], *b = net_right_side(&s);
    memcpy((int *)s.G.idx + s.G.ptr[s.m - 1], s.G.idx + s.G.ptr[s.m - 2], 6 * sizeof(int));
    memcpy(last, last - 6, 6 * sizeof *last);
    HolKkt *k = net_kkt(&s, "auto", 1);
    net_fill(&s, k, 0);
    assert_true(hol_kkt_is_regularized(k));
    b[s.n + s.m - 1] = b[s.n + s.m - 2];
    const double wanted = b[s.n + s.m - 1];
    hol_kkt_solve(k, b);
    double sum = 0;
    for (int p = s.G.ptr[s.m - 1]; p < s.G.ptr[s.m]; p++)
        sum += s.G_values[p] * b[s.G.idx[p]];
    assert_true(fabs(sum - wanted) < 1e-11);
    assert_true(fabs(b[s.n + s.m - 1] - b[s.n + s.m - 2]) < 1e-6);
    hol_kkt_destroy(k);
    hol_arena_free(&s.arena);
}

// small systems are factored as they are
static void test_small_system(void **state) {
    (void)state;
    Net s = net_make(10, 0.01);
    HolKkt *k = net_kkt(&s, "auto", 1);
    assert_ptr_not_equal(k->backend, &hol_kkt_nearby);
    hol_kkt_destroy(k);
    hol_arena_free(&s.arena);
}

// entries of the factors by unknown: 16 times the points, less than twice of them
static void test_growth(void **state) {
    (void)state;
    double by_unknown[2];
    for (int i = 0; i < 2; i++) {
        Net s = net_make(i ? 104 : 26, 0.01);
        HolKkt *k = net_kkt(&s, "auto", 1);
        net_fill(&s, k, 0);
        const HolKkt *inner = hol_kkt_nearby_inner(k);
        assert_non_null(inner);
        const HolFactors *f = inner->factors;
        by_unknown[i] = (double)f->n_values / s.n;
        double *b = net_right_side(&s);
        hol_kkt_solve(k, b);
        assert_in_range(hol_kkt_stats(inner).solves, 3, 60);
        hol_kkt_destroy(k);
        hol_arena_free(&s.arena);
    }
    if (!(by_unknown[1] < 2 * by_unknown[0]))
        fail_msg("%g entries an unknown, %g in the small net", by_unknown[1], by_unknown[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weak_coupling),   cmocka_unit_test(test_strong_coupling_is_factored),
        cmocka_unit_test(test_inactive_rows),   cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_balanced_forces), cmocka_unit_test(test_small_system),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
