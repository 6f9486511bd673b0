// SPDX-License-Identifier: Apache-2.0
// The locator (math/zero/isolate.c): the first zero of a function is found wherever it lies, also where
// an interval is divided.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/zero/isolate.h"

#include <math.h>

typedef struct Case {
    double a, b, bend; // zeros; bend > 0: of a function with a kink between them
} Case;

// (x - a)(x - b), or |x - m| less half of their distance
static double function_at(void *context, double x) {
    const Case *c = context;
    return c->bend > 0 ? fabs(x - 0.5 * (c->a + c->b)) - 0.5 * (c->b - c->a)
                       : (x - c->a) * (x - c->b);
}

static int isolate(Case *c, double *from, double *to) {
    HolZeroBasis basis;
    hol_zero_basis(&basis);
    const HolZeroSearch search = {&basis, function_at, c, 1e-15, 0, 10, 1e-6};
    double y[HOL_ZERO_NODES], check[HOL_ZERO_CHECKS], last;
    for (int j = 0; j < HOL_ZERO_NODES; j++)
        y[j] = function_at(c, basis.node[j]);
    for (int k = 0; k < HOL_ZERO_CHECKS; k++)
        check[k] = function_at(c, hol_zero_check[k]);
    return hol_zero_isolate(&search, y, check, from, to, &last);
}

// two zeros in a step, the first one in the middle of it, or of a half, or of a quarter: each half alone
// has none, because it is zero at an end
static void test_zero_where_it_is_divided(void **state) {
    (void)state;
    for (int eighth = 1; eighth < 8; eighth++)
        for (int bent = 0; bent < 2; bent++) {
            Case c = {eighth / 8.0, 0.9, bent};
            double from, to = 0;
            assert_true(isolate(&c, &from, &to));
            assert_true(from < c.a && to > c.a && to < c.b);
            assert_true(isolate(&c, &from, &to)); // and the other one
            assert_true(from < c.b && to > c.b && from > c.a);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_zero_where_it_is_divided)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
