// SPDX-License-Identifier: Apache-2.0
// Expression language: values against the C library, grammar, messages and their positions,
// constants, inlined expressions, tables, switching functions, lack of memory, random input.
#include "base/arena.h"
#include "model/expr/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double PI = 3.14159265358979323846;

// slots are global numbers: x 7, y 2, z 4, rod.top.x 9
enum { N_SLOTS = 10 };
static const double table_x[] = {0, 1, 2.5, 4}, table_y[] = {1, 3, 2, 5};
static const double bad_x[] = {0, 2, 1}, bad_y[] = {0, 0, 0};
static const HolExprTable tables[] = {
    {sizeof(HolExprTable), "curve", table_x, table_y, 4, HOL_TABLE_SPLINE, HOL_OUTSIDE_LINE, 0, 0},
    {sizeof(HolExprTable), "line", table_x, table_y, 2, HOL_TABLE_SPLINE, HOL_OUTSIDE_LINE, 0, 0},
    {sizeof(HolExprTable), "folded", bad_x, bad_y, 3, HOL_TABLE_SPLINE, HOL_OUTSIDE_LINE, 0, 0}};

typedef struct Names {
    const HolExpr *w; // the meaning of "w", or NULL
} Names;

static void resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    static const struct {
        const char *name;
        int slot;
    } slots[] = {{"x", 7}, {"y", 2}, {"z", 4}, {"rod.top.x", 9}};
    const Names *names = context;
    for (size_t i = 0; i < 4; i++)
        if (!strcmp(name, slots[i].name))
            *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = slots[i].slot};
    if (!strcmp(name, "k"))
        *out = (HolSymbol){.type = HOL_SYMBOL_CONSTANT, .value = 4};
    if (!strcmp(name, "w") && names && names->w)
        *out = (HolSymbol){.type = HOL_SYMBOL_EXPR, .expr = names->w};
    const char *all[] = {"x", "y", "z", "rod.top.x", "k"};
    const char *nearest = hol_nearest_word(name, all, 5);
    if (out->type == HOL_SYMBOL_UNKNOWN && nearest)
        snprintf(suggestion, 64, "%s", nearest);
}

static HolExprScope make_scope(Names *names) {
    return (HolExprScope){.context = names, .resolve = resolve, .tables = tables, .n_tables = 3};
}

static HolExpr *compile(HolArena *arena, const char *text, const HolExpr *w) {
    Names names = {w};
    HolExprScope scope = make_scope(&names);
    HolExprError err;
    HolExpr *e = hol_expr_compile(arena, text, &scope, &err);
    if (!e)
        print_error("%s: %d: %s\n", text, err.column, err.text);
    assert_non_null(e);
    return e;
}

static double evaluate(const char *text, double x, double y, double z) {
    HolArena arena = {0};
    HolExpr *e = compile(&arena, text, NULL);
    double *work = HOL_NEW(&arena, double, hol_expr_work(e));
    double slots[N_SLOTS] = {[7] = x, [2] = y, [4] = z, [9] = 10};
    double value = hol_expr_value(e, slots, work);
    hol_arena_free(&arena);
    return value;
}

static void assert_near(const char *text, double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance * (1 + fabs(expected))) &&
        !(isnan(value) && isnan(expected)) && value != expected)
        fail_msg("%s = %.17g, expected %.17g", text, value, expected);
}

// ---------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------

static double larger(double a, double b) {
    return a > b ? a : b;
}

// text of the language and the same in C
#define VALUE_CASES(CASE)                                                                          \
    CASE("x+y*z", x + y * z)                                                                       \
    CASE("x-y-z", x - y - z)                                                                       \
    CASE("x/y/z", x / y / z)                                                                       \
    CASE("-x^2", -(x * x))                                                                         \
    CASE("2^-x", pow(2, -x))                                                                       \
    CASE("2^3^2", 512)                                                                             \
    CASE("x^2^3", pow(x, 8))                                                                       \
    CASE("-x*-y", x *y)                                                                            \
    CASE("x - -y", x + y)                                                                          \
    CASE("x+-y", x - y)                                                                            \
    CASE("-(x-y)", y - x)                                                                          \
    CASE("-(3*x)", -3 * x)                                                                         \
    CASE("-(x+y)", -x - y)                                                                         \
    CASE("-x+y", y - x)                                                                            \
    CASE("-x-y", -x - y)                                                                           \
    CASE("-x-(-y)", y - x)                                                                         \
    CASE("x*-1+y*(-1)", -x - y)                                                                    \
    CASE("-(x/3)", -x / 3)                                                                         \
    CASE("x+0-0+0*y", x)                                                                           \
    CASE("1^x+x/1", 1 + x)                                                                         \
    CASE("-x*3", -3 * x)                                                                           \
    CASE("3*(2*x)", 6 * x)                                                                         \
    CASE("- - -x", -x)                                                                             \
    CASE("0-x", -x)                                                                                \
    CASE("0*x+1*y", y)                                                                             \
    CASE("x^3", x *x *x)                                                                           \
    CASE("x^-3", 1 / (x * x * x))                                                                  \
    CASE("x^0", 1)                                                                                 \
    CASE("x^7", pow(x, 7))                                                                         \
    CASE("abs(x)^2.5", pow(fabs(x), 2.5))                                                          \
    CASE("abs(x)^.5", sqrt(fabs(x)))                                                               \
    CASE("abs(x)^y", pow(fabs(x), y))                                                              \
    CASE("x^3000", pow(x, 3000))                                                                   \
    CASE("sin(x)", sin(x))                                                                         \
    CASE("cos(x)", cos(x))                                                                         \
    CASE("sin(x)*cos(x)", sin(x) * cos(x))                                                         \
    CASE("tan(x)", tan(x))                                                                         \
    CASE("asin(x/10)", asin(x / 10))                                                               \
    CASE("acos(x/10)", acos(x / 10))                                                               \
    CASE("atan(x)", atan(x))                                                                       \
    CASE("atan2(x,y)", atan2(x, y))                                                                \
    CASE("hypot(x,y)", hypot(x, y))                                                                \
    CASE("hypot(1e200,1e200*y)", hypot(1e200, 1e200 * y))                                          \
    CASE("floor(3*x)", floor(3 * x))                                                               \
    CASE("ceil(3*x)", ceil(3 * x))                                                                 \
    CASE("mod(x,0.7)", x - 0.7 * floor(x / 0.7))                                                   \
    CASE("mod(x,-0.7)", x + 0.7 * floor(x / -0.7))                                                 \
    CASE("clamp(x,-1,1)", x<-1 ? -1 : x> 1 ? 1 : x)                                                \
    CASE("clamp(x,z-1,z)", x > z ? z : x < z - 1 ? z - 1 : x)                                      \
    CASE("sinh(x)", sinh(x))                                                                       \
    CASE("cosh(x)", cosh(x))                                                                       \
    CASE("tanh(x)", tanh(x))                                                                       \
    CASE("exp(x)", exp(x))                                                                         \
    CASE("log(abs(x))", log(fabs(x)))                                                              \
    CASE("log(x)", log(x))                                                                         \
    CASE("sqrt(x)", sqrt(x))                                                                       \
    CASE("sign(x)", x > 0 ? 1 : x < 0 ? -1 : 0)                                                    \
    CASE("min(x,y)", x < y ? x : y)                                                                \
    CASE("max(x,y)", larger(x, y))                                                                 \
    CASE("max(x,y,z,.25)", larger(larger(x, y), larger(z, .25)))                                   \
    CASE("x<y", x < y)                                                                             \
    CASE("x<=y", x <= y)                                                                           \
    CASE("x>y", x > y)                                                                             \
    CASE("x>=y", x >= y)                                                                           \
    CASE("x==y", x == y)                                                                           \
    CASE("x!=y", x != y)                                                                           \
    CASE("x<y and y<z", x < y && y < z)                                                            \
    CASE("x<y && y<z || x>1", (x < y && y < z) || x > 1)                                           \
    CASE("x>1 or x<y and y<z", x > 1 || (x < y && y < z))                                          \
    CASE("not x<y", !(x < y))                                                                      \
    CASE("!(x<y) + 1", !(x < y) + 1)                                                               \
    CASE("x+1<y*2", x + 1 < y * 2)                                                                 \
    CASE("if(x<y, sin(x), log(abs(y)))", x < y ? sin(x) : log(fabs(y)))                            \
    CASE("if(x, y, z)", x != 0 ? y : z)                                                            \
    CASE("(x + y) * (x - y)", (x + y) * (x - y))                                                   \
    CASE("3*pi/2 + 1/12*x", 3 * PI / 2 + x / 12)                                                   \
    CASE("4e5*x + .5 + 1E-3 + 2.", 4e5 * x + 2.501)                                                \
    CASE("-k*(x-1)-3*y", -4 * (x - 1) - 3 * y)                                                     \
    CASE("rod.top.x + x", 10 + x)                                                                  \
    CASE(" \t x\n ", x)                                                                            \
    CASE("+x", x)

static void test_values(void **state) {
    (void)state;
    static const double points[][3] = {{0.3, 1.2, -0.7}, {-1.4, 0.9, 2.1}, {0, 0.5, 1},
                                       {1.9, -1.9, 0.2}, {1.1, 1.1, 3},    {2.2, 0, -1}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        double x = points[i][0], y = points[i][1], z = points[i][2];
#define CHECK_VALUE(text, formula) assert_near(text, evaluate(text, x, y, z), formula, 4e-15);
        VALUE_CASES(CHECK_VALUE)
    }
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0.1", 0.1},
                 {".5", .5},
                 {"5.", 5},
                 {"1e22", 1e22},
                 {"1e23", 1e23},
                 {"2.2250738585072011e-308", 2.2250738585072011e-308},
                 {"4.9e-324", 4.9e-324},
                 {"1e-400", 0},
                 {"123456789012345678901234567890", 1.2345678901234568e29},
                 {"1E+3", 1000},
                 {"1e-3", 0.001},
                 {"0.30000000000000004", 0.30000000000000004}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(evaluate(cases[i].text, 0, 0, 0) == cases[i].value);
}

static void test_step(void **state) {
    (void)state;
    assert_true(evaluate("step(x,1,0.1,3,0.3)", 1, 0, 0) == 0.1);
    assert_true(evaluate("step(x,1,0.1,3,0.3)", -9, 0, 0) == 0.1);
    assert_true(evaluate("step(x,1,0.1,3,0.3)", 3, 0, 0) == 0.3);
    assert_true(evaluate("step(x,1,0.1,3,0.3)", 99, 0, 0) == 0.3);
    for (double x = 1; x <= 3; x += 0.25) {
        double u = (x - 1) / 2;
        assert_near("step", evaluate("step(x,1,0.1,3,0.3)", x, 0, 0),
                    0.1 + 0.2 * (3 * u * u - 2 * u * u * u), 1e-15);
    }
}

// knots, straight lines outside, continuous slope and curvature, and one value by hand: the spline
// through (0,0) (1,1) (2,0) has M_1 = -3 and so the value 0.5 (1.5 - 0.125) = 0.6875 at 0.5
static void test_interp(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_near("knot", evaluate("interp(curve, x)", table_x[i], 0, 0), table_y[i], 1e-15);
    double before = evaluate("interp(curve, x)", -2, 0, 0);
    assert_near("line outside", evaluate("interp(curve, x)", -1, 0, 0) * 2 - before, 1, 1e-14);
    assert_near("two points", evaluate("interp(line, x)", 0.25, 0, 0), 1.5, 1e-15);
    assert_near("two points", evaluate("interp(line, x)", 5, 0, 0), 11, 1e-15);
    assert_near("constant", evaluate("interp(line, 0.25)", 0, 0, 0), 1.5, 1e-15);

    HolArena arena = {0};
    HolExpr *e = compile(&arena, "interp(curve, x)", NULL);
    double work[64], slots[N_SLOTS] = {0}, left[2], right[2];
    for (int i = 0; i < 4; i++) {
        slots[7] = table_x[i] - 1e-9;
        hol_expr_hessian(e, slots, work, &left[0], &left[1]);
        slots[7] = table_x[i] + 1e-9;
        hol_expr_hessian(e, slots, work, &right[0], &right[1]);
        assert_near("slope", right[0], left[0], 1e-7);
        assert_near("curvature", right[1], left[1], 1e-7);
    }
    const double hat_x[] = {0, 1, 2}, hat_y[] = {0, 1, 0};
    HolExprTable hat = {.name = "hat", .x = hat_x, .y = hat_y, .n = 3};
    hat.interpolation = HOL_TABLE_SPLINE;
    HolExprScope scope = {.resolve = resolve, .tables = &hat, .n_tables = 1};
    HolExprError err;
    e = hol_expr_compile(&arena, "interp(hat, x)", &scope, &err);
    slots[7] = 0.5;
    assert_near("hat", hol_expr_value(e, slots, work), 0.6875, 1e-15);
    hol_arena_free(&arena);
}

// ---------------------------------------------------------------------------------------------
// Messages
// ---------------------------------------------------------------------------------------------

static void test_messages(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *message;
    } cases[] = {
        {"", 0, "empty expression"},
        {"  \t", 0, "empty expression"},
        {"sin(x, y)", 0, "sin takes 1 argument, got 2"},
        {"1 + sin()", 4, "sin takes 1 argument, got 0"},
        {"atan2(x)", 0, "atan2 takes 2 arguments, got 1"},
        {"clamp(x,1)", 0, "clamp takes 3 arguments, got 2"},
        {"fmod(x,1)", 0, "unknown function 'fmod'; did you mean 'mod'?"},
        {"min(x)", 0, "min takes at least 2 arguments, got 1"},
        {"if(x,y)", 0, "if takes 3 arguments, got 2"},
        {"min(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", 0,
         "min takes at most 16 arguments, got 17"},
        {"step(x,1,2)", 0, "step takes 5 arguments, got 3"},
        {"step(x,1,2,1,3)", 0, "step needs two different places x0 and x1"},
        {"2*sine(x)", 2, "unknown function 'sine'; did you mean 'sin'?"},
        {"ln(x)", 0, "unknown function 'ln'; did you mean 'log'?"},
        {"SIN(x)", 0, "unknown function 'SIN'; did you mean 'sin'?"},
        {"pow(x,2)", 0, "unknown function 'pow'; a power is written a^b"},
        {"frobnicate(x)", 0, "unknown function 'frobnicate'"},
        {"k(x+1)", 0, "'k' is not a function; is an operator missing before '('?"},
        {"2*sin", 2, "'sin' is a function; write sin(...)"},
        {"1+rodd.top.x", 2, "unknown name 'rodd.top.x'; did you mean 'rod.top.x'?"},
        {"x*nothing_like_it", 2, "unknown name 'nothing_like_it'"},
        {"(x+1", 4, "missing ')'; found the end"},
        {"(x+1,2)", 4, "missing ')'; found ','"},
        {"sin(x", 5, "missing ')' for sin(; found the end"},
        {"sin(x y)", 6, "missing ')' for sin(; found 'y'"},
        {"x+1)", 3, "')' without '('"},
        {"1,5", 1, "',' outside of a function; decimals need a point"},
        {"2x", 1, "expected an operator, found 'x'"},
        {"1.2.3", 3, "expected an operator, found '.3'"},
        {"x y", 2, "expected an operator, found 'y'"},
        {"2e", 1, "expected an operator, found 'e'"},
        {"x+", 2, "expected a number, a name or '(', found the end"},
        {"x*/y", 2, "expected a number, a name or '(', found '/'"},
        {"()", 1, "expected a number, a name or '(', found ')'"},
        {"min(x,)", 6, "expected a number, a name or '(', found ')'"},
        {"x**2", 1, "unexpected '**'; a power is written with '^'"},
        {"x=y", 1, "unexpected '='; to compare write '=='"},
        {"x<y & y<z", 4, "unexpected '&'; write '&&' or 'and'"},
        {"x<y<z", 3, "comparisons do not chain; write a < b and b < c"},
        {"x $ y", 2, "unexpected character '$'"},
        {"x \xC3\x97 y", 2,
         "unexpected byte 0xC3; only plain letters, digits and signs are allowed"},
        {"1e999", 0, "the number is too large"},
        {"interp(curvy, x)", 7, "unknown table 'curvy'; did you mean 'curve'?"},
        {"interp(zzz, x)", 7, "unknown table 'zzz'"},
        {"interp(1, x)", 7, "interp takes the name of a table as its first argument"},
        {"interp(curve)", 0, "interp takes 2 arguments, got 1"},
        {"interp()", 0, "interp takes 2 arguments, got 0"},
        {"interp(curve x)", 13, "missing ',' behind the name of the table"},
        {"interp(folded, x)", 7, "table 'folded' needs at least two points with increasing x"},
    };
    HolArena arena = {0};
    HolExprScope scope = make_scope(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HolExprError err;
        assert_null(hol_expr_compile(&arena, cases[i].text, &scope, &err));
        if (strcmp(err.text, cases[i].message) != 0 || err.column != cases[i].column)
            fail_msg("%s: %d: %s", cases[i].text, err.column, err.text);
    }
    // without a scope every name is unknown; the error may be left out
    HolExprError err;
    assert_null(hol_expr_compile(&arena, "x", NULL, &err));
    assert_string_equal(err.text, "unknown name 'x'");
    assert_null(hol_expr_compile(&arena, "1+", NULL, NULL));
    assert_non_null(hol_expr_compile(&arena, "1+pi", NULL, NULL));
    hol_arena_free(&arena);
}

static void repeat(char *out, const char *part, int n) {
    for (int i = 0; i < n; i++)
        out = stpcpy(out, part);
}

static void test_limits(void **state) {
    (void)state;
    enum { LONG = 300000 };
    static const char *const parts[] = {"(", "-", "!", "2^", "sin(", "not ", "max(1,", "x+("};
    char *text = malloc(7 * LONG);
    HolArena arena = {0};
    HolExprScope scope = make_scope(NULL);
    HolExprError err;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        repeat(text, parts[i], 100000);
        assert_null(hol_expr_compile(&arena, text, &scope, &err));
        assert_string_equal(err.text, "nested deeper than 200 levels");
        // the first operand one level too deep: for max( that is the 1 of its 200th repetition
        assert_int_equal(err.column, 200 * (int)strlen(parts[i]) - (i == 6 ? 2 : 0));
    }
    // long but flat is fine; longer than a megabyte is not
    repeat(text, "x-y*", 100000);
    strcat(text, "x");
    assert_non_null(hol_expr_compile(&arena, text, &scope, &err));
    repeat(text, "x-y*", 300000);
    assert_null(hol_expr_compile(&arena, text, &scope, &err));
    assert_string_equal(err.text, "the expression is longer than 1048576 characters");
    repeat(text, "a", 300);
    text[300] = 0;
    assert_null(hol_expr_compile(&arena, text, &scope, &err));
    assert_string_equal(err.text, "the name is longer than 255 letters");
    hol_arena_free(&arena);
    free(text);
}

// ---------------------------------------------------------------------------------------------
// Structure
// ---------------------------------------------------------------------------------------------

static void test_constants(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1/12", 1.0 / 12},
                 {"3*pi/2", 3 * 3.14159265358979323846 / 2},
                 {"k^2 + 1", 17},
                 {"0*x", 0},
                 {"if(k > 3, 1, x)", 1},
                 {"x^0", 1},
                 {"step(0.5, 0, 0, 1, k)", 2},
                 {"min(1, k) + sqrt(k)", 3}};
    HolArena arena = {0};
    double value = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HolExpr *e = compile(&arena, cases[i].text, NULL);
        assert_true(hol_expr_is_constant(e, &value));
        assert_near(cases[i].text, value, cases[i].value, 1e-16);
        assert_int_equal(hol_expr_slot_count(e), 0);
        assert_false(hol_expr_has_kink(e));
    }
    HolExpr *e = hol_expr_constant(&arena, 2.5);
    double work[16], unused = 0;
    assert_true(hol_expr_is_constant(e, &value) && value == 2.5);
    assert_true(hol_expr_is_constant(e, NULL));
    assert_true(hol_expr_value(e, &unused, work) == 2.5);
    assert_true(hol_expr_hessian(e, &unused, work, &unused, &unused) == 2.5);
    assert_true(hol_expr_jet(e, &unused, 4, 0, work) == 2.5);
    assert_true(hol_expr_jet(e, &unused, 4, 1, work) == 0);
    assert_false(hol_expr_is_constant(compile(&arena, "x-x*k", NULL), &value));
    hol_arena_free(&arena);
}

static void test_slots(void **state) {
    (void)state;
    HolArena arena = {0};
    HolExpr *e = compile(&arena, "x*rod.top.x + y - x", NULL);
    const int expected[] = {2, 7, 9};
    assert_int_equal(hol_expr_slot_count(e), 3);
    assert_memory_equal(hol_expr_slots(e), expected, sizeof expected);
    double work[200], gradient[3], slots[N_SLOTS] = {[7] = 3, [2] = 5, [9] = 11};
    assert_true(hol_expr_gradient(e, slots, work, gradient) == 35);
    assert_true(gradient[0] == 1 && gradient[1] == 10 && gradient[2] == 3);
    // equal parts exist once: the second copy of a long expression costs one addition
    HolExpr *once = compile(&arena, "exp(sin(x*y)+cos(x*y))", NULL);
    HolExpr *twice = compile(&arena, "exp(sin(x*y)+cos(x*y)) * exp(cos(y*x)+sin(y*x))", NULL);
    assert_int_equal(hol_expr_work(twice) - hol_expr_work(once), 9);
    hol_arena_free(&arena);
}

static void test_inlining(void **state) {
    (void)state;
    HolArena arena = {0};
    HolExpr *w = compile(&arena,
                         "if(x<y, sin(x)+cosh(z)^2, interp(curve, z)) + atan2(x, 2)/3 - x^2.5*4"
                         " + max(x, abs(z)^y) + (not x)",
                         NULL);
    HolExpr *e = compile(&arena, "2*w + x*w", w);
    double slots[N_SLOTS] = {[7] = 0.4, [2] = 0.6, [4] = 1.3}, work[1000];
    assert_true(hol_expr_work(e) < 1000);
    for (int i = 0; i < 2; i++, slots[2] = 0.1) {
        double value = hol_expr_value(w, slots, work);
        assert_near("inlined", hol_expr_value(e, slots, work), 2.4 * value, 1e-15);
    }
    assert_int_equal(hol_expr_switch_count(e), hol_expr_switch_count(w));
    assert_true(hol_expr_has_kink(e));
    // doubling again and again stays small, because equal parts are shared
    for (int i = 0; i < 60; i++)
        w = compile(&arena, "w + w*0.5", w);
    assert_true(hol_expr_work(w) < 9 * 200);
    HolExpr *constant = compile(&arena, "w^2", hol_expr_constant(&arena, 3));
    double nine = 0;
    assert_true(hol_expr_is_constant(constant, &nine) && nine == 9);
    hol_arena_free(&arena);
}

static void test_switches(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int n;
        double value[4]; // at x = 1.5, y = 4, z = -2; either sign
    } cases[] = {{"x*y + sin(x)", 0, {0}},
                 {"abs(x)", 1, {1.5}},
                 {"sign(z)", 1, {-2}},
                 {"min(x,y)", 1, {2.5}},
                 {"min(x,y) + max(y,x)", 1, {2.5}},
                 {"if(x < y, z, 0)", 1, {2.5}},
                 {"if(x > y, z, 0)", 1, {2.5}},
                 {"if(x, y, z)", 1, {1.5}},
                 {"x < y and z", 2, {2.5, -2}},
                 {"step(x, 1, 0, 3, z)", 2, {0.75, 0.25}},
                 {"interp(curve, x)", 3, {0.5, 1, 2.5}}, // knots 0, 2.5 | 1 | 4
                 {"interp(curve, z)", 3, {-2, -3, -6}},
                 {"interp(curve, 2*y)", 3, {5.5, 7, 4}}};
    HolArena arena = {0};
    double slots[N_SLOTS] = {[7] = 1.5, [2] = 4, [4] = -2}, work[400], values[8];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HolExpr *e = compile(&arena, cases[i].text, NULL);
        assert_int_equal(hol_expr_switch_count(e), cases[i].n);
        assert_int_equal(hol_expr_has_kink(e), cases[i].n > 0);
        hol_expr_switches(e, slots, work, values);
        for (int j = 0; j < cases[i].n; j++) {
            int found = 0;
            for (int m = 0; m < cases[i].n; m++)
                found |= fabs(fabs(values[m]) - fabs(cases[i].value[j])) < 1e-12;
            if (!found)
                fail_msg("%s: switch %d not found", cases[i].text, j);
        }
    }
    // a table switches at every knot, and nowhere else
    HolExpr *e = compile(&arena, "interp(curve, x)", NULL);
    int changes = 0;
    double last[3] = {0};
    for (double x = -1; x < 6; x += 0.0137) {
        slots[7] = x;
        hol_expr_switches(e, slots, work, values);
        for (int j = 0; j < 3; j++) {
            changes += last[j] * values[j] < 0;
            last[j] = values[j];
        }
    }
    assert_int_equal(changes, 4);
    hol_arena_free(&arena);
}

static void test_nearest_word(void **state) {
    (void)state;
    const char *words[] = {"revolute", "prismatic", "fixed", "x"};
    assert_string_equal(hol_nearest_word("revolut", words, 4), "revolute");
    assert_string_equal(hol_nearest_word("rveolute", words, 4), "revolute");
    assert_string_equal(hol_nearest_word("Prismatic", words, 4), "prismatic");
    assert_string_equal(hol_nearest_word("fxied", words, 4), "fixed");
    assert_null(hol_nearest_word("spherical", words, 4));
    assert_null(hol_nearest_word("y", words, 4));
    assert_null(hol_nearest_word("", words, 4));
    assert_string_equal(hol_nearest_word("X", words, 4), "x");
}

static void test_no_memory(void **state) {
    (void)state;
    HolExprScope scope = make_scope(NULL);
    int failures = 0;
    for (long n = 0;; n++) {
        HolArena arena = {0};
        HolExprError err;
        hol_arena_fail_after(n);
        HolExpr *e = hol_expr_compile(&arena, "sin(x)+interp(curve,y)*if(x<y,3,z)", &scope, &err);
        hol_arena_fail_after(-1);
        hol_arena_free(&arena);
        if (e)
            break;
        assert_string_equal(err.text, "out of memory");
        assert_int_equal(err.column, 0);
        failures++;
    }
    assert_true(failures >= 2);
}

// ---------------------------------------------------------------------------------------------
// Random input must give an expression or a message, never a crash
// ---------------------------------------------------------------------------------------------

static uint64_t random_state = 88172645463325252u;

static unsigned random_below(unsigned n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % n;
}

static void random_text(char *text, int size) {
    static const char *const tokens[] = {"x",
                                         "y",
                                         "z",
                                         "k",
                                         "(",
                                         ")",
                                         ",",
                                         "+",
                                         "-",
                                         "*",
                                         "/",
                                         "^",
                                         "<",
                                         "<=",
                                         ">",
                                         "==",
                                         "!=",
                                         "and",
                                         " or ",
                                         "not ",
                                         "!",
                                         "&&",
                                         "1",
                                         "2",
                                         ".5",
                                         "1e3",
                                         "0",
                                         "-3",
                                         "sin(",
                                         "cos(",
                                         "tan(",
                                         "asin(",
                                         "mod(",
                                         "floor(",
                                         "ceil(",
                                         "hypot(",
                                         "clamp(",
                                         "acos(",
                                         "atan(",
                                         "atan2(",
                                         "sinh(",
                                         "cosh(",
                                         "tanh(",
                                         "exp(",
                                         "log(",
                                         "sqrt(",
                                         "abs(",
                                         "sign(",
                                         "min(",
                                         "max(",
                                         "if(",
                                         "step(",
                                         "interp(curve,",
                                         "interp(",
                                         "pi",
                                         "rod.top.x",
                                         " ",
                                         "=",
                                         "1e",
                                         "."};
    int length = 0, bytes = random_below(3) == 0, wanted = 1 + (int)random_below(30);
    text[0] = 0;
    for (int i = 0; i < wanted && length < size - 20; i++) {
        if (bytes) {
            text[length++] = (char)(1 + random_below(255));
            text[length] = 0;
        } else {
            const char *token = tokens[random_below(sizeof tokens / sizeof *tokens)];
            length += snprintf(text + length, (size_t)(size - length), "%s", token);
        }
    }
    // closing what is open makes more of the texts valid
    int open = 0;
    for (int i = 0; i < length; i++)
        open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    for (; open > 0 && length < size - 2 && !bytes; open--)
        length += snprintf(text + length, (size_t)(size - length), ")");
}

static void test_random_text(void **state) {
    (void)state;
    int valid = 0;
    for (int i = 0; i < 60000; i++) {
        char text[400];
        HolArena arena = {0};
        HolExprScope scope = make_scope(NULL);
        HolExprError err = {.column = -1};
        random_text(text, sizeof text);
        HolExpr *e = hol_expr_compile(&arena, text, &scope, &err);
        if (e) {
            double slots[N_SLOTS] = {[7] = 0.7, [2] = -1.2, [4] = 2}, jets[N_SLOTS * 12] = {0};
            double gradient[4], hessian[16];
            double *work = HOL_NEW(&arena, double, hol_expr_work(e));
            double *jet_work = HOL_NEW(&arena, double, hol_expr_jet_work(e, 11));
            double value = hol_expr_hessian(e, slots, work, gradient, hessian);
            for (int j = 0; j < N_SLOTS; j++) {
                jets[12 * j] = slots[j];
                jets[12 * j + 1] = 1;
            }
            double start = hol_expr_jet(e, jets, 12, 0, jet_work);
            assert_true(start == value || (isnan(start) && isnan(value)));
            for (int k = 1; k <= 11; k++)
                hol_expr_jet(e, jets, 12, k, jet_work);
            valid++;
        } else {
            assert_in_range(err.column, 0, strlen(text));
            assert_true(strlen(err.text) > 0);
        }
        hol_arena_free(&arena);
    }
    assert_true(valid > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),       cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_step),         cmocka_unit_test(test_interp),
        cmocka_unit_test(test_messages),     cmocka_unit_test(test_limits),
        cmocka_unit_test(test_constants),    cmocka_unit_test(test_slots),
        cmocka_unit_test(test_inlining),     cmocka_unit_test(test_switches),
        cmocka_unit_test(test_nearest_word), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_random_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
