// SPDX-License-Identifier: Apache-2.0
// Bounds of expressions over an interval of time contain every value there, and switching functions
// that are said to keep their sign do.
#include "base/arena.h"
#include "model/expr/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double table_x[] = {0, 1, 2.5, 4}, table_y[] = {1, 3, 2, 5};
static const HolExprTable tables[] = {
    {sizeof(HolExprTable), "curve", table_x, table_y, 4, HOL_TABLE_SPLINE, HOL_OUTSIDE_LINE, 0, 0},
    {sizeof(HolExprTable), "saw", table_x, table_y, 4, HOL_TABLE_LINEAR, HOL_OUTSIDE_PERIODIC, 0,
     0}};

static void resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    (void)context, (void)suggestion;
    if (!strcmp(name, "time"))
        *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = 0};
}

static int is_time(const void *context, int slot) {
    (void)context;
    return slot == 0;
}

// each is made a switching function: sign(e)
static const char *const texts[] = {"time - 2",
                                    "-time^2 + 3*time",
                                    "(time - 3)^3/time",
                                    "1/(time - 2.2)",
                                    "time^2.5 - time^(-1.5)",
                                    "(time - 4)^6",
                                    "2^time - time^time",
                                    "sin(7*time)",
                                    "cos(time^2) + 0.3",
                                    "tan(time)",
                                    "asin(sin(time)) + acos(cos(2*time))",
                                    "atan(time - 3) - atan2(time - 2, time - 3)",
                                    "hypot(time - 2, time - 5) - 2",
                                    "sinh(time - 2)*cosh(3 - time)",
                                    "tanh(9*(time - 3)) + exp(-(time - 2)^2) - log(time)",
                                    "sqrt(time) - abs(time - 3)",
                                    "min(time, 3)*max(2, 5 - time) - 6",
                                    "interp(curve, 2*time - 3) - 2",
                                    "interp(saw, sin(time)*9) - 2.5",
                                    "floor(3*time) - 4",
                                    "if(time > 2 and not (time >= 3), -1, mod(time, 0.7) - 0.3)",
                                    "if(time < 1 or time == 5, 2, -1)*sign(time - 2)",
                                    "clamp(time, 1, 2) - step(time, 1, 0, 4, 3)"};

static void bounds_contain_values(void **state) {
    HolExprScope scope = {.resolve = resolve, .tables = tables, .n_tables = 2, .has_time = 1};
    (void)state;
    srand(3);
    int kept = 0;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        HolArena arena = {0};
        HolExprError err = {0};
        char text[200] = "sign(";
        strcat(strcat(text, texts[k]), ")");
        HolExpr *e = hol_expr_compile(&arena, text, &scope, &err);
        if (!e)
            fail_msg("%s: %s", text, err.text);
        const int n = hol_expr_switch_count(e), nodes = hol_expr_node_count(e);
        unsigned char *flags = HOL_NEW(&arena, unsigned char, nodes + n + 1);
        double *work = HOL_NEW(&arena, double, hol_expr_work(e));
        hol_expr_switches_of(e, is_time, NULL, flags, flags + nodes);
        for (int trial = 0; trial < 400; trial++) {
            const double lo = 0.05 + 6.0 * rand() / RAND_MAX,
                         width = pow(10, -5.0 * rand() / RAND_MAX);
            for (int i = 0; i < n; i++) {
                const HolInterval r =
                    hol_expr_switch_range(e, flags, i, (HolInterval){lo, lo + width}, work);
                kept += r.lo > 0 || r.hi < 0;
                for (int j = 0; j <= 20; j++) {
                    const double t = lo + width * j / 20, v = hol_expr_switch(e, i, &t, work);
                    if (v < r.lo || v > r.hi)
                        fail_msg("%s: %.17g at %.17g, not in [%.17g, %.17g]", text, v, t, r.lo,
                                 r.hi);
                }
            }
        }
        hol_arena_free(&arena);
    }
    if (kept < 3000) // (bounds that say nothing contain everything)
        fail_msg("a sign is known in %d intervals only", kept);
}

static HolHidden look(const char *text, double lo, double hi) {
    HolExprScope scope = {.resolve = resolve, .tables = tables, .n_tables = 2, .has_time = 1};
    HolArena arena = {0};
    HolExprError err = {0};
    HolExpr *e = hol_expr_compile(&arena, text, &scope, &err);
    const int nodes = hol_expr_node_count(e);
    unsigned char *flags = HOL_NEW(&arena, unsigned char, nodes + hol_expr_switch_count(e) + 1);
    double *work = HOL_NEW(&arena, double, hol_expr_work(e)),
           *width = HOL_NEW(&arena, double, nodes), time = 0;
    hol_expr_switches_of(e, is_time, NULL, flags, flags + nodes);
    hol_expr_time_widths(e, flags, (HolInterval){0, 10}, work, width);
    const HolHidden found = hol_expr_hidden(e, flags, width, (HolInterval){lo, hi}, &time, work);
    hol_arena_free(&arena);
    return found;
}

static void samples_show(void **state) {
    (void)state;
    assert_int_equal(look("exp(-((time - 3)/1e-3)^2)", 0, 10), HOL_HIDES);
    assert_int_equal(look("exp(-((time - 3)/1e-3)^2)", 2.998, 3.002), HOL_SHOWS);
    assert_int_equal(look("exp(-((time - 3)/1e-3)^2)", 4, 5), HOL_SHOWS_NOTHING);
    assert_int_not_equal(look("exp(-((time - 3)/2)^2)", 0, 10), HOL_HIDES);
    assert_int_not_equal(look("time^2*sin(50*time)", 0, 10), HOL_HIDES);
    assert_int_equal(look("sin(time) + exp(-((time - 3)/1e-3)^2)", 0, 10), HOL_HIDES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_contain_values),
                                       cmocka_unit_test(samples_show)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
