// SPDX-License-Identifier: Apache-2.0
// Parsed expressions: one parse serves several scopes, the first mistake in the text is the one that
// is told, whoever finds it, and what a builder joins is what the text says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

#include <math.h>

// x is slot 1 in one scope, the constant 5 in the other; y is known in the first alone
static void resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    const int first = *(const int *)context;
    suggestion[0] = 0;
    if (!strcmp(name, "x") && first)
        *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = 1};
    else if (!strcmp(name, "x"))
        *out = (HolSymbol){.type = HOL_SYMBOL_CONSTANT, .value = 5};
    else if (!strcmp(name, "y") && first)
        *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = 2};
}

static const double tx[] = {0, 1, 3}, ty[] = {0, 2, 1}, uy[] = {1, 0, 2};
static const HolExprTable tables[] = {
    {sizeof(HolExprTable), "t", tx, ty, 3, HOL_TABLE_LINEAR, HOL_OUTSIDE_HOLD, 0, 0},
    {sizeof(HolExprTable), "u", tx, uy, 3, HOL_TABLE_LINEAR, HOL_OUTSIDE_ERROR, 0, 0}};
static int one = 1, two = 0;
static const HolExprScope first_scope = {
    .context = &one, .resolve = resolve, .tables = tables, .n_tables = 2};
static const HolExprScope second_scope = {
    .context = &two, .resolve = resolve, .tables = tables, .n_tables = 2};

static double value(const HolExpr *e, double x, double y) {
    const double slots[] = {0, x, y};
    double work[256];
    assert_true(hol_expr_work(e) <= 256);
    return hol_expr_value(e, slots, work);
}

static void test_two_scopes(void **state) {
    (void)state;
    HolArena arena = {0};
    HolExprError err;
    const HolSyntax *s = hol_syntax_parse(&arena, "2*x^2 - interp(t, interp(u, 1) + x)");
    assert_non_null(s);
    assert_string_equal(hol_syntax_text(s), "2*x^2 - interp(t, interp(u, 1) + x)");
    HolExpr *e = hol_syntax_compile(&arena, s, &first_scope, &err), *k;
    assert_non_null(e);
    assert_true(value(e, 0.5, 0) == 2 * 0.25 - 1); // u(1) = 0, t(0.5) = 1
    double constant;
    k = hol_syntax_compile(&arena, s, &second_scope, &err);
    assert_non_null(k);
    assert_true(hol_expr_is_constant(k, &constant) && constant == 50 - 1); // held behind 3
    assert_true(value(e, 2, 0) == 8 - 1.5);                                // the first is as it was
    hol_arena_free(&arena);
}

// the message and column that compiling gives, as a single pass from left to right would
static void test_first_mistake(void **state) {
    (void)state;
    static const struct {
        const char *text, *first, *second; // NULL: it is fine
        int column, other;
    } cases[] = {
        {"y + ", "expected a number, a name or '(', found the end", "unknown name 'y'", 4, 0},
        {"sin(y", "missing ')' for sin(; found the end", "unknown name 'y'", 5, 4},
        {"(y $ 1)", NULL, NULL, 3, 3},
        {"y y", "expected an operator, found 'y'", "unknown name 'y'", 2, 0},
        {"y*foo(y + )", "unknown function 'foo'", "unknown name 'y'", 2, 0},
        {"y(3)", "'y' is not a function; is an operator missing before '('?",
         "unknown function 'y'", 0, 0},
        {"min(y)", "min takes at least 2 arguments, got 1", "unknown name 'y'", 0, 4},
        {"interp(v, y)", "unknown table 'v'", "unknown table 'v'", 7, 7},
        {"interp(t y)", "missing ',' behind the name of the table",
         "missing ',' behind the name of the table", 9, 9},
        {"interp(u, 4) + y", "table 'u' has no value at 4: it reaches from 0 to 3",
         "table 'u' has no value at 4: it reaches from 0 to 3", 0, 0},
        {"step(y, 1, 0, 1, 2)", "step needs two different places x0 and x1", "unknown name 'y'", 0,
         5},
        {"", "empty expression", "empty expression", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HolArena arena = {0};
        HolExprError err;
        const HolSyntax *s = hol_syntax_parse(&arena, cases[i].text);
        assert_non_null(s);
        assert_null(hol_syntax_compile(&arena, s, &first_scope, &err));
        if (cases[i].first && strcmp(err.text, cases[i].first) != 0)
            fail_msg("'%s': %s", cases[i].text, err.text);
        assert_true(err.text[0]);
        assert_int_equal(err.column, cases[i].column);
        assert_null(hol_syntax_compile(&arena, s, &second_scope, &err));
        if (cases[i].second && strcmp(err.text, cases[i].second) != 0)
            fail_msg("'%s': %s", cases[i].text, err.text);
        assert_int_equal(err.column, cases[i].other);
        hol_arena_free(&arena);
    }
}

static void test_builder(void **state) {
    (void)state;
    HolArena arena = {0};
    HolExprError err;
    const HolSyntax *k = hol_syntax_parse(&arena, "1 + x^2"), *c = hol_syntax_parse(&arena, "3*y");
    HolExprBuilder *b = hol_builder_open(&arena, &first_scope, &err);
    int node = hol_builder_negative(b, hol_builder_syntax(b, k));
    const int gap = hol_builder_difference(b, hol_builder_slot(b, 1), hol_builder_number(b, 0.3));
    node = hol_builder_product(b, node, gap);
    node = hol_builder_difference(b, node, hol_builder_syntax(b, c));
    HolExpr *e = hol_builder_close(b, node);
    HolExpr *text = hol_expr_compile(&arena, "-(1 + x^2)*(x - (0.3)) - (3*y)", &first_scope, &err);
    assert_non_null(e);
    assert_non_null(text);
    assert_int_equal(hol_expr_slot_count(e), 2);
    assert_int_equal(hol_expr_node_count(e), hol_expr_node_count(text));
    for (int i = 0; i < 50; i++) {
        const double x = 0.37 * i - 4, y = 0.11 * i;
        assert_true(value(e, x, y) == value(text, x, y));
    }
    // an error of a part is that of the whole
    b = hol_builder_open(&arena, &second_scope, &err);
    node = hol_builder_difference(b, hol_builder_number(b, 1), hol_builder_syntax(b, c));
    assert_null(hol_builder_close(b, node));
    assert_string_equal(err.text, "unknown name 'y'");
    assert_int_equal(err.column, 2);
    e = hol_expr_slot(&arena, 2);
    assert_true(value(e, 1, 7) == 7);
    hol_arena_free(&arena);
}

// every text of a model file is parsed once, for the reader, the laws and the columns
static void test_once(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\n"
        "bodies: [{name: a, mass: 1, inertia: 1}, {name: b, mass: 1, inertia: 1, position: [2, "
        "0]}]\n"
        "variables: [{name: w, value: \"2*a.x + v\"}, {name: v, value: \"1 + time\"}]\n"
        "forces:\n"
        "  - {type: spring_damper, between: [a, b], stiffness: \"5 + w^2\", damping: \"1 + w\",\n"
        "     length: \"1 + time\", force: \"0.1*w\"}\n"
        "  - {type: torque, on: a, value: \"5 + w^2\"}\n"
        "constraints: [{equation: \"b.y - a.x\"}]\n"
        "outputs: [a.x, \"2*a.x + v\", \"b.x*2\"]\n";
    static const char *const known[] = {"2*a.x + v", "1 + time",  "5 + w^2", "1 + w",
                                        "0.1*w",     "b.y - a.x", "a.x",     "b.x*2"};
    HolModel *m;
    HolError err;
    if (hol_model_parse(text, strlen(text), "m", NULL, 0, &m, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(m->def.n_syntaxes, (int)(sizeof known / sizeof *known));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int found = 0;
        for (int k = 0; k < m->def.n_syntaxes; k++)
            found += !strcmp(hol_syntax_text(m->def.syntaxes[k]), known[i]);
        if (found != 1)
            fail_msg("'%s' was parsed %d times", known[i], found);
    }
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_scopes),
        cmocka_unit_test(test_first_mistake),
        cmocka_unit_test(test_builder),
        cmocka_unit_test(test_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
