// SPDX-License-Identifier: Apache-2.0
// The smallest largest of affine functions: closed forms, and random ones against the conditions of
// optimality.
#include "math/minimax.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N = 40, K = 6 };

static int solve(int n, int k, const double *a, const double *b, const unsigned char *hard,
                 double *z, double *y, double *weight) {
    double *work = calloc((size_t)hol_minimax_work(n, k), sizeof *work);
    int basis[K + 1];
    HolMinimax p = {n, k, a, b, hard, z, 0, weight, work, basis};
    const int solved = hol_minimax(&p);
    free(work);
    *y = p.y;
    return solved;
}

// capacities 1 and 4, transmission 1 and 2, load 8: |8 - 2 z| <= y, |z| <= 4 y
static void test_brakes(void **state) {
    (void)state;
    const double a[] = {-2, 2, 0.25, -0.25}, b[] = {8, -8, 0, 0};
    double z, y, weight[4];
    assert_true(solve(4, 1, a, b, NULL, &z, &y, weight));
    assert_true(fabs(y - 8.0 / 9) < 1e-14 && fabs(z - 32.0 / 9) < 1e-14);
    // z <= 3 as a hard condition: y = 2
    const double a2[] = {-2, 2, 0.25, -0.25, 1}, b2[] = {8, -8, 0, 0, -3};
    const unsigned char hard[] = {0, 0, 0, 0, 1};
    double weight2[5];
    assert_true(solve(5, 1, a2, b2, hard, &z, &y, weight2));
    assert_true(fabs(y - 2) < 1e-14 && fabs(z - 3) < 1e-14);
    // contradictions: z <= -1 and z >= 1; no lower bound
    const double a3[] = {1, 1, -1}, b3[] = {0, 1, 1};
    const unsigned char hard3[] = {0, 1, 1};
    assert_false(solve(3, 1, a3, b3, hard3, &z, &y, weight));
    assert_false(solve(1, 1, a3, b3, NULL, &z, &y, weight));
}

static double part(void) {
    return 2.0 * rand() / RAND_MAX - 1;
}

// optimal: no function is larger than y, and those with weights are equal to it and balance
static void test_random(void **state) {
    (void)state;
    srand(7);
    for (int trial = 0; trial < 2000; trial++) {
        const int half = 1 + rand() % (N / 2 - 1), n = 2 * half, k = 1 + rand() % K;
        double a[N * K], b[N], z[K], y, weight[N], sum = 0;
        for (int i = 0; i < half; i++) {
            const double size = pow(10, 2 * part());
            for (int j = 0; j < k; j++) {
                a[2 * i * k + j] = rand() % 3 ? size * part() : 0;
                a[(2 * i + 1) * k + j] = -a[2 * i * k + j];
            }
            b[2 * i] = size * part();
            b[2 * i + 1] = -b[2 * i];
        }
        if (!solve(n, k, a, b, NULL, z, &y, weight))
            fail_msg("trial %d is not solved", trial);
        double most = -INFINITY, balance[K] = {0}, size = 0;
        for (int i = 0; i < n; i++) {
            double f = b[i];
            for (int j = 0; j < k; j++) {
                f += a[i * k + j] * z[j];
                balance[j] += weight[i] * a[i * k + j];
                size = fmax(size, fabs(a[i * k + j] * z[j]));
            }
            most = fmax(most, f);
            sum += weight[i];
            assert_true(weight[i] >= -1e-10);
            if (weight[i] > 1e-9 && fabs(f - y) > 1e-9 * (1 + size))
                fail_msg("trial %d: %.15g of %.15g", trial, f, y);
        }
        assert_true(fabs(most - y) <= 1e-9 * (1 + size));
        assert_true(fabs(sum - 1) < 1e-10);
        for (int j = 0; j < k; j++)
            assert_true(fabs(balance[j]) < 1e-8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brakes),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
