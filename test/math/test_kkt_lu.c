// SPDX-License-Identifier: Apache-2.0
// The LU backend in a fixed order: what it does with pivots that vanish.
#include "math/saddle/kkt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 3 };

typedef struct Sample {
    HolArena arena;
    HolKkt *k;
} Sample;

// S = diag(s), G rows of three values each
static Sample make(int rows, const double s[N], const double (*g)[N]) {
    static const int diagonal[] = {0, 1, 2, 3}, column[] = {0, 1, 2}, row[] = {0, 3, 6, 9, 12},
                     index[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    const HolPattern S = {N, N, N, diagonal, column}, G = {rows, N, N * rows, row, index};
    Sample x = {0};
    x.k = hol_kkt_create(&x.arena, &S, &G, 0, 0, "lu");
    assert_non_null(x.k);
    memcpy(hol_kkt_S(x.k), s, N * sizeof *s);
    memcpy(hol_kkt_G(x.k), g, sizeof *g * (size_t)rows);
    return x;
}

static void end(Sample *x) {
    hol_kkt_destroy(x->k);
    hol_arena_free(&x->arena);
}

static void expect_close(double value, double wanted, double limit) {
    if (!(fabs(value - wanted) <= limit))
        fail_msg("%.17g instead of %.17g", value, wanted);
}

// Two equal rows: the second pivot is -eps give or take round-off, here exactly zero, as eps is
// below the round-off of the first. It must not be divided by.
static void test_pivot_lost_in_roundoff(void **state) {
    (void)state;
    const double one[N] = {1, 1, 1}, g[2][N] = {{1, 0, 0}, {1, 0, 0}};
    for (int digits = 8; digits <= 20; digits += 2) {
        Sample x = make(2, one, g);
        hol_kkt_set_redundant(x.k, 1);
        hol_kkt_set_regularization(x.k, pow(10, -digits));
        assert_int_equal(hol_kkt_factor(x.k), 0);
        assert_string_equal(hol_kkt_stats(x.k).solver, "lu");
        assert_int_equal(hol_kkt_stats(x.k).repivots, 0);
        // x0 = 2 by both rows, x1 and x2 free: lambda = (5 - 2)/2 each
        double b[N + 2] = {5, 7, 8, 2, 2};
        hol_kkt_solve(x.k, b);
        expect_close(b[0], 2, 1e-12);
        expect_close(b[1], 7, 1e-12);
        expect_close(b[2], 8, 1e-12);
        expect_close(b[3] + b[4], 3, 1e-9);
        if (digits <= 12) // so small an eps no longer tells them apart
            expect_close(b[3], 1.5, 1e-7);
        end(&x);
    }
}

// without regularization a vanishing pivot is given up, and found again with it: no row is lost
static void test_dependent_row_is_found(void **state) {
    (void)state;
    const double s[N] = {2, 3, 4}, g[3][N] = {{1, 2, 0}, {0, 1, 1}, {1, 3, 1}};
    Sample x = make(3, s, g);
    assert_int_equal(hol_kkt_factor(x.k), 0);
    assert_int_equal(hol_kkt_stats(x.k).regularized, 1);
    double b[N + 3] = {1, 2, 3, 3, 2, 5}; // consistent: the third row is the sum
    hol_kkt_solve(x.k, b);
    expect_close(b[0] + 2 * b[1], 3, 1e-10);
    expect_close(b[1] + b[2], 2, 1e-10);
    for (int i = 0; i < N; i++)
        expect_close(s[i] * b[i] + g[0][i] * b[3] + g[1][i] * b[4] + g[2][i] * b[5], i + 1, 1e-9);
    // minimum norm: no part along (1, 1, -1)
    expect_close(b[3] + b[4] - b[5], 0, 1e-7);
    end(&x);
}

// a pivot of S that vanishes is no dependent row: the order is given up
static void test_massless_unknown(void **state) {
    (void)state;
    const double s[N] = {0, 1, 1}, g[1][N] = {{1, 1, 0}};
    for (int redundant = 0; redundant < 2; redundant++) {
        Sample x = make(1, s, g);
        hol_kkt_set_redundant(x.k, redundant);
        assert_int_equal(hol_kkt_factor(x.k), 0);
        assert_string_not_equal(hol_kkt_stats(x.k).solver, "lu");
        double b[N + 1] = {1, 2, 3, 4};
        hol_kkt_solve(x.k, b);
        // lambda = 1, x1 = 2 - 1, x0 = 4 - 1, x2 = 3
        expect_close(b[3], 1, 1e-9);
        expect_close(b[1], 1, 1e-9);
        expect_close(b[0], 3, 1e-9);
        expect_close(b[2], 3, 1e-9);
        end(&x);
    }
}

// a matrix with a value that is not a number has no factors
static void test_not_a_number(void **state) {
    (void)state;
    const double s[N] = {1, NAN, 1}, one[N] = {1, 1, 1}, g[1][N] = {{1, 1, 0}},
                 gap[1][N] = {{1, NAN, 0}};
    for (int way = 0; way < 4; way++) {
        Sample x = way < 2 ? make(1, s, g) : make(1, one, gap);
        hol_kkt_set_redundant(x.k, way % 2);
        assert_int_not_equal(hol_kkt_factor(x.k), 0);
        end(&x);
    }
}

// growth: what a pivot was formed from over what was left of it
static void test_growth(void **state) {
    (void)state;
    const double s[N] = {1, 1, 1}, g[1][N] = {{1, 0, 0}}, near[2][N] = {{1, 0, 0}, {1, 1e-3, 0}};
    Sample x = make(1, s, g);
    assert_int_equal(hol_kkt_factor(x.k), 0);
    expect_close(hol_kkt_stats(x.k).last_growth, 1, 1e-12);
    end(&x);
    x = make(2, s, near);
    assert_int_equal(hol_kkt_factor(x.k), 0);
    assert_int_equal(hol_kkt_stats(x.k).regularized, 0);
    // 1 + 1e-6 and 1 for a pivot of 1e-6
    expect_close(hol_kkt_stats(x.k).last_growth * 1e-6, 2, 1e-5);
    end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pivot_lost_in_roundoff),
        cmocka_unit_test(test_dependent_row_is_found),
        cmocka_unit_test(test_massless_unknown),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
