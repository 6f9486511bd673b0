// SPDX-License-Identifier: Apache-2.0
// Derivatives of expressions: gradients and Hessians against central differences, series against
// gradient and Hessian, against known series, identities and the value along a curve; the special
// places (zero of sqrt and powers, branches not taken). Every operation occurs, alone and in random
// compositions.
#include "base/arena.h"
#include "model/expr/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { X = 3, Y = 1, Z = 6, N_SLOTS = 7, ORDER = 19, STRIDE = 24 };
static const int slot_of[3] = {X, Y, Z};

static const double table_x[] = {-3, -1, 0.5, 2, 4}, table_y[] = {1, 3, 2, 5, 4};
static const double wave_y[] = {1, 3, 2, 5, 1};
static const HolExprTable all_tables[] = {
    {sizeof(HolExprTable), "curve", table_x, table_y, 5, HOL_TABLE_SPLINE, HOL_OUTSIDE_LINE, 0, 0},
    {sizeof(HolExprTable), "smooth", table_x, table_y, 5, HOL_TABLE_MONOTONE, HOL_OUTSIDE_HOLD, 0,
     0},
    {sizeof(HolExprTable), "corners", table_x, table_y, 5, HOL_TABLE_LINEAR, HOL_OUTSIDE_HOLD, 0,
     0},
    {sizeof(HolExprTable), "wave", table_x, wave_y, 5, HOL_TABLE_SPLINE, HOL_OUTSIDE_PERIODIC, 0,
     0},
    {sizeof(HolExprTable), "steps", table_x, wave_y, 5, HOL_TABLE_MONOTONE, HOL_OUTSIDE_PERIODIC, 0,
     0},
    {sizeof(HolExprTable), "saw", table_x, wave_y, 5, HOL_TABLE_LINEAR, HOL_OUTSIDE_PERIODIC, 0, 0},
    {sizeof(HolExprTable), "strict", table_x, table_y, 5, HOL_TABLE_UNSAID, HOL_OUTSIDE_ERROR, 0,
     0}};

static void resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    (void)context;
    (void)suggestion;
    if (name[0] >= 'x' && name[0] <= 'z' && !name[1])
        *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = slot_of[name[0] - 'x']};
}

static const HolExprScope scope = {.resolve = resolve, .tables = all_tables, .n_tables = 7};

static HolExpr *compile(HolArena *arena, const char *text) {
    HolExprError err;
    HolExpr *e = hol_expr_compile(arena, text, &scope, &err);
    if (!e)
        fail_msg("%s: %d: %s", text, err.column, err.text);
    return e;
}

static uint64_t random_state = 2463534242u;

static double uniform(double low, double high) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

static int below(int n) {
    return (int)uniform(0, n);
}

static void assert_near(const char *text, const char *what, double value, double expected,
                        double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %s %.15g, expected %.15g", text, what, value, expected);
}

// every operation, in places where it is smooth
static const char *const formulas[] = {"x+y",
                                       "x-y",
                                       "-x",
                                       "x*y",
                                       "x*x",
                                       "3*x",
                                       "x/y",
                                       "x/7",
                                       "3/x",
                                       "x*y*z",
                                       "-2*(x-1)-3*y*z",
                                       "x^2",
                                       "x^3",
                                       "x^7",
                                       "x^-1",
                                       "x^-4",
                                       "abs(x)^2.5",
                                       "abs(x)^-1.5",
                                       "abs(x)^0.5",
                                       "abs(x)^(1/3)",
                                       "(1+x/2000)^2000.5",
                                       "(1+x/2000)^2001",
                                       "abs(x)^y",
                                       "abs(x)^(y*z)",
                                       "2^x",
                                       "0.3^(x*y)",
                                       "abs(x)^x",
                                       "sin(x)",
                                       "cos(x)",
                                       "sin(x*y)*cos(x*y)",
                                       "sin(x)/cos(y/2)",
                                       "tan(x/2)",
                                       "tan(x*y/4)",
                                       "asin(x/3)",
                                       "acos(x/3)",
                                       "asin(x*y/8)",
                                       "acos(x*y/8)",
                                       "atan(x)",
                                       "atan(x*y)",
                                       "atan2(x,y)",
                                       "atan2(y*z,x+z)",
                                       "atan2(x,2)",
                                       "atan2(3,x)",
                                       "hypot(x,y)",
                                       "hypot(sin(x*y),1+exp(-y*z))",
                                       "clamp(sin(3*x)*z,-0.3,hypot(x,y))",
                                       "mod(exp(x)*y,0.9)*mod(z*y,1.1)",
                                       "hypot(x*y,3)",
                                       "hypot(x,y*z)*x",
                                       "floor(3*x)*y^2",
                                       "ceil(2*x*y)+z^2",
                                       "mod(x*y,0.4)^2",
                                       "mod(x,y)*z",
                                       "clamp(x*y,-0.5,z)^2",
                                       "sinh(x)",
                                       "cosh(x)",
                                       "sinh(x*y)-cosh(x*z)",
                                       "tanh(x)",
                                       "tanh(x*z)",
                                       "exp(x)",
                                       "exp(-x*y)",
                                       "log(abs(x))",
                                       "log(x^2+y^2)",
                                       "sqrt(abs(x))",
                                       "sqrt(x^2+y^2+z^2)",
                                       "abs(x)",
                                       "abs(x*y)",
                                       "sign(x)*y^2",
                                       "min(x,y)*z",
                                       "max(x*x,y)",
                                       "min(x,y,z)^2",
                                       "max(x,y*z,z^3)",
                                       "(x<y)*x^2",
                                       "(x<=y)*y^2+x",
                                       "(x>y)*z",
                                       "(x>=y)*z^2",
                                       "(x==y)*z",
                                       "(x!=y)*z^2",
                                       "(x<y and y<z)*x^2",
                                       "(x<y or y<z)*x*z",
                                       "(not x<y)*y^3",
                                       "!(x<y)*y^3",
                                       "if(x<y, x^2*z, sin(y))",
                                       "if(x, y^2, z)",
                                       "if(x>0, log(x), x^2)",
                                       "if(x>0, sqrt(x)*y, sqrt(-x)*z)",
                                       "step(x,-1,0.5,1.5,2)",
                                       "step(x*y,-1,z,2,x)",
                                       "interp(curve, x)",
                                       "interp(curve, x*y)",
                                       "interp(curve, 10*x)",
                                       "interp(curve, x)^2*interp(curve, y)",
                                       "interp(smooth, x*y)",
                                       "interp(smooth, 10*x)",
                                       "interp(corners, x*y)*z",
                                       "interp(corners, 3*x - y)^2",
                                       "interp(wave, x*y + z)",
                                       "interp(wave, 10*x)",
                                       "interp(steps, 2*x*y + z)",
                                       "interp(steps, 10*x)",
                                       "interp(saw, 9*x - y)*y",
                                       "interp(strict, x*y)",
                                       "interp(strict, 10*x)"};
enum { N_FORMULAS = sizeof formulas / sizeof *formulas };

// ---------------------------------------------------------------------------------------------
// Checks of one expression at one point
// ---------------------------------------------------------------------------------------------

typedef struct Bench {
    HolExpr *e;
    const char *text;
    double *work, *jet_work;
    double gradient[3], hessian[9], value;
} Bench;

static Bench make_bench(HolArena *arena, const char *text) {
    Bench b = {.e = compile(arena, text), .text = text};
    b.work = HOL_NEW(arena, double, hol_expr_work(b.e) + 1);
    b.jet_work = HOL_NEW(arena, double, hol_expr_jet_work(b.e, ORDER) + 1);
    // guards: writing behind the promised size is found
    b.work[hol_expr_work(b.e)] = b.jet_work[hol_expr_jet_work(b.e, ORDER)] = 12345;
    return b;
}

static void check_guards(const Bench *b) {
    assert_true(b->work[hol_expr_work(b->e)] == 12345);
    assert_true(b->jet_work[hol_expr_jet_work(b->e, ORDER)] == 12345);
}

// at a distance from all kinks, so that differences do not cross them
static int is_smooth_at(const Bench *b, const double *x, double distance) {
    double values[64];
    assert_true(hol_expr_switch_count(b->e) <= 64);
    hol_expr_switches(b->e, x, b->work, values);
    for (int i = 0; i < hol_expr_switch_count(b->e); i++)
        if (!(fabs(values[i]) > distance))
            return 0;
    return 1;
}

// fourth order central difference of the value and the gradient for slot s
static void differences(const Bench *b, const double *at, int s, double *d_value,
                        double d_grad[3]) {
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const int offset[4] = {-2, -1, 1, 2};
    double h = 5e-4, x[N_SLOTS], gradient[3];
    *d_value = d_grad[0] = d_grad[1] = d_grad[2] = 0;
    for (int i = 0; i < 4; i++) {
        memcpy(x, at, sizeof x);
        x[s] += offset[i] * h;
        *d_value += weight[i] / h * hol_expr_gradient(b->e, x, b->work, gradient);
        for (int j = 0; j < hol_expr_slot_count(b->e); j++)
            d_grad[j] += weight[i] / h * gradient[j];
    }
}

static void check_differences(Bench *b, const double *x) {
    int n = hol_expr_slot_count(b->e);
    double gradient[3];
    b->value = hol_expr_hessian(b->e, x, b->work, b->gradient, b->hessian);
    assert_true(b->value == hol_expr_value(b->e, x, b->work));
    assert_true(b->value == hol_expr_gradient(b->e, x, b->work, gradient));
    assert_memory_equal(gradient, b->gradient, sizeof *gradient * (size_t)n);
    double scale = 1 + fabs(b->value);
    for (int i = 0; i < n; i++)
        scale += fabs(b->gradient[i]);
    for (int i = 0; i < n * n; i++)
        scale += fabs(b->hessian[i]);
    for (int i = 0; i < n; i++) {
        double d_value, d_grad[3];
        differences(b, x, hol_expr_slots(b->e)[i], &d_value, d_grad);
        assert_near(b->text, "gradient", b->gradient[i], d_value, 1e-7 * scale);
        for (int j = 0; j < n; j++) {
            assert_near(b->text, "hessian", b->hessian[i * n + j], d_grad[j], 1e-7 * scale);
            assert_true(b->hessian[i * n + j] == b->hessian[j * n + i]);
        }
    }
    check_guards(b);
}

// the derivative as an expression: its value is the gradient, its gradient the Hessian's row
static void check_derivative(HolArena *arena, const Bench *b, const double *x, double tolerance) {
    int n = hol_expr_slot_count(b->e);
    const int *slots = hol_expr_slots(b->e);
    for (int i = 0; i < n; i++) {
        HolExpr *d = hol_expr_derivative(arena, b->e, i);
        double gradient[3] = {0}, *work = HOL_NEW(arena, double, hol_expr_work(d) + 1);
        double value = hol_expr_gradient(d, x, work, gradient);
        assert_near(b->text, "derivative", value, b->gradient[i],
                    tolerance * (1 + fabs(b->gradient[i])));
        for (int j = 0; j < n; j++) {
            double second = 0, expected = b->hessian[i * n + j];
            for (int k = 0; k < hol_expr_slot_count(d); k++)
                if (hol_expr_slots(d)[k] == slots[j])
                    second = gradient[k];
            assert_near(b->text, "gradient of the derivative", second, expected,
                        tolerance * (1 + fabs(b->gradient[i]) + fabs(expected)));
        }
    }
}

// z_1 = g.x_1, z_2 = g.x_2 + x_1'H x_1/2, after check_differences at the same point
static void check_low_orders(const Bench *b, const double *x, const double *jets) {
    int n = hol_expr_slot_count(b->e);
    const int *slots = hol_expr_slots(b->e);
    double z[3], first = 0, second = 0, scale = 1;
    for (int k = 0; k < 3; k++)
        z[k] = hol_expr_jet(b->e, jets, STRIDE, k, b->jet_work);
    for (int i = 0; i < n; i++) {
        const double *xi = jets + STRIDE * slots[i];
        first += b->gradient[i] * xi[1];
        second += b->gradient[i] * xi[2];
        scale += fabs(b->gradient[i]);
        for (int j = 0; j < n; j++) {
            second += 0.5 * b->hessian[i * n + j] * xi[1] * jets[STRIDE * slots[j] + 1];
            scale += fabs(b->hessian[i * n + j]);
        }
    }
    assert_true(z[0] == hol_expr_value(b->e, x, b->work));
    assert_near(b->text, "jet 1", z[1], first, 1e-12 * scale);
    assert_near(b->text, "jet 2", z[2], second, 1e-12 * scale);
}

// the sum of the series against the value on the curve, where the series has converged
static int check_series(const Bench *b, const double *jets) {
    double z[ORDER + 1], x[N_SLOTS], sum = 0, t = 0.03, largest = 0;
    for (int k = 0; k <= ORDER; k++)
        z[k] = hol_expr_jet(b->e, jets, STRIDE, k, b->jet_work);
    // computing an order again changes nothing
    assert_true(z[ORDER] == hol_expr_jet(b->e, jets, STRIDE, ORDER, b->jet_work));
    for (int k = ORDER; k >= 0; k--)
        sum = sum * t + z[k];
    for (int k = 0; k <= ORDER; k++)
        largest = fmax(largest, fabs(z[k]) * pow(t, k));
    check_guards(b);
    if (fabs(z[ORDER]) * pow(t, ORDER) > 1e-14 * largest ||
        fabs(z[ORDER - 1]) * pow(t, ORDER - 1) > 1e-14 * largest)
        return 0;
    memset(x, 0, sizeof x);
    for (int i = 0; i < 3; i++)
        for (int k = 2; k >= 0; k--)
            x[slot_of[i]] = x[slot_of[i]] * t + jets[STRIDE * slot_of[i] + k];
    if (!is_smooth_at(b, x, 0.1))
        return 0;
    assert_near(b->text, "series", sum, hol_expr_value(b->e, x, b->work), 1e-12 * (1 + largest));
    return 1;
}

// quadratic curve x(t) through x, higher coefficients zero
static void make_curve(const double *x, double *jets) {
    memset(jets, 0, sizeof *jets * N_SLOTS * STRIDE);
    for (int i = 0; i < N_SLOTS; i++) {
        jets[STRIDE * i] = x[i];
        jets[STRIDE * i + 1] = uniform(-1, 1);
        jets[STRIDE * i + 2] = uniform(-1, 1);
    }
}

// points where the expression is finite and smooth; returns how many were checked, *series how many
// of them with the whole series
static int check_everywhere(HolArena *arena, const char *text, int wanted, int *series) {
    Bench b = make_bench(arena, text);
    int checked = 0;
    for (int trial = 0; trial < 40 * wanted && checked < wanted; trial++) {
        double x[N_SLOTS] = {0}, jets[N_SLOTS * STRIDE];
        for (int i = 0; i < 3; i++)
            x[slot_of[i]] = (below(2) ? 1 : -1) * uniform(0.3, 2);
        double value = hol_expr_value(b.e, x, b.work);
        if (!(fabs(value) < 1e3) || !is_smooth_at(&b, x, 0.1))
            continue;
        check_differences(&b, x);
        check_derivative(arena, &b, x, 1e-11);
        make_curve(x, jets);
        check_low_orders(&b, x, jets);
        *series += check_series(&b, jets);
        checked++;
    }
    return checked;
}

static void test_every_operation(void **state) {
    (void)state;
    for (int i = 0; i < N_FORMULAS; i++) {
        HolArena arena = {0};
        int series = 0, checked = check_everywhere(&arena, formulas[i], 12, &series);
        if (checked < 4 || series < 2)
            fail_msg("%s: only %d points, %d series", formulas[i], checked, series);
        hol_arena_free(&arena);
    }
}

// ---------------------------------------------------------------------------------------------
// Random compositions
// ---------------------------------------------------------------------------------------------

// %1 and %2 stand for the operands; bounded so that compositions stay tame
static const char *const patterns[] = {"(%1+%2)",
                                       "(%1-%2)",
                                       "(%1*%2)",
                                       "(-%1)",
                                       "(%1/(2+%2^2))",
                                       "(%1^2)",
                                       "((%1/4)^3)",
                                       "(2+%1^2)^-1",
                                       "(1.5+tanh(%1))^0.7",
                                       "(1.5+tanh(%1))^tanh(%2)",
                                       "1.3^tanh(%1)",
                                       "sin(%1)",
                                       "cos(%1)",
                                       "tan(tanh(%1))",
                                       "asin(0.8*tanh(%1))",
                                       "acos(0.8*sin(%1))",
                                       "atan(%1)",
                                       "atan2(%1,3+%2^2)",
                                       "sinh(tanh(%1))",
                                       "cosh(tanh(%1))",
                                       "tanh(%1)",
                                       "exp(-%1^2/4)",
                                       "log(2+%1^2)",
                                       "sqrt(1+%1^2)",
                                       "abs(%1)",
                                       "(sign(%1)*%2)",
                                       "min(%1,%2)",
                                       "max(%1,%2)",
                                       "if(%1<%2,%2,sin(%1))",
                                       "if(%1>=0 or %2>1,%1,%2^2/3)",
                                       "step(%1,-1,0.3,1.2,2)",
                                       "interp(curve,%1)",
                                       "interp(smooth,%1)",
                                       "interp(wave,%1)",
                                       "interp(saw,%1)"};
enum { N_PATTERNS = sizeof patterns / sizeof *patterns };

static char *random_formula(char *out, int depth) {
    if (depth == 0) {
        if (below(5) == 0)
            return out + sprintf(out, "%.2f", uniform(0.1, 2));
        *out++ = (char)('x' + below(3));
        *out = 0;
        return out;
    }
    for (const char *p = patterns[below(N_PATTERNS)]; *p; p++) {
        if (*p == '%') {
            out = random_formula(out, depth - 1 - (*++p == '2' && depth > 1));
        } else {
            *out++ = *p;
            *out = 0;
        }
    }
    return out;
}

static void test_random_compositions(void **state) {
    (void)state;
    int checked = 0, series = 0;
    for (int i = 0; i < 6000; i++) {
        char text[16384];
        HolArena arena = {0};
        random_formula(text, 1 + below(5));
        checked += check_everywhere(&arena, text, 1, &series);
        hol_arena_free(&arena);
    }
    if (checked < 5000 || series < 4500)
        fail_msg("only %d points, %d series", checked, series);
}

// ---------------------------------------------------------------------------------------------
// Series: identities and known coefficients
// ---------------------------------------------------------------------------------------------

static void test_identities(void **state) {
    (void)state;
    // each is equal to the second for positive x, y; written so that nothing cancels in the graph
    static const char *const pairs[][2] = {
        {"sin(x)^2 + cos(x)^2", "1"},
        {"cosh(x)^2 - sinh(x)^2", "1"},
        {"exp(log(x))", "x"},
        {"log(exp(x))", "x"},
        {"sqrt(x)^2", "x"},
        {"sqrt(x*y)", "sqrt(x)*sqrt(y)"},
        {"x^2.5*x^-1.5", "x"},
        {"x^y", "exp(y*log(x))"},
        {"2^x", "exp(x*log(2))"},
        {"(x^1.5)^2", "x^3"},
        {"(x/3)^1025", "(x/3)^1024*(x/3)"},
        {"tan(x/4)", "sin(x/4)/cos(x/4)"},
        {"tanh(x)", "sinh(x)/cosh(x)"},
        {"asin(sin(x/4))", "x/4"},
        {"acos(cos(x/4))", "x/4"},
        {"asin(x/4) + acos(x/4)", "pi/2"},
        {"atan(tan(x/4))", "x/4"},
        {"atan2(y*sin(x), y*cos(x))", "x"},
        {"atan2(x, y)", "atan(x/y)"},
        {"hypot(x, y)", "sqrt(x^2 + y^2)"},
        {"clamp(x, -y, y + 2*x)", "x"},
        {"mod(x, 1000)", "x"},
        {"floor(x/1000)", "0"},
        {"x/y*y", "x"},
        {"x^5", "x*x*x*x*x"},
        {"x^-3", "1/x/x/x"},
        {"sin(x+y)", "sin(x)*cos(y) + cos(x)*sin(y)"},
        {"exp(x)", "sinh(x) + cosh(x)"},
        {"step(x, 0, 1, 4, 3)", "1 + 2*(x/4)^2*(3 - x/2)"},
        {"max(x, -y)", "x"},
        {"abs(-x)", "x"},
    };
    HolArena arena = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        Bench a = make_bench(&arena, pairs[i][0]), b = make_bench(&arena, pairs[i][1]);
        double x[N_SLOTS], jets[N_SLOTS * STRIDE];
        for (int j = 0; j < N_SLOTS; j++)
            x[j] = uniform(1.5, 2.5);
        make_curve(x, jets);
        for (int k = 0; k <= ORDER; k++) {
            double left = hol_expr_jet(a.e, jets, STRIDE, k, a.jet_work);
            double right = hol_expr_jet(b.e, jets, STRIDE, k, b.jet_work);
            assert_near(a.text, b.text, left, right, 1e-10 * (1 + fabs(right)));
        }
        check_guards(&a);
    }
    hol_arena_free(&arena);
}

// f(t) with x = t (or x = 1 + t): coefficient k, from the textbook
static double factorial(int k) {
    return tgamma(k + 1.0);
}

static void test_known_series(void **state) {
    (void)state;
    static const char *const texts[] = {"exp(x)",    "sin(x)", "atan(x)",   "1/(1-x)", "log(1+x)",
                                        "sqrt(1+x)", "x^5",    "(1+x)^0.3", "asin(x)"};
    HolArena arena = {0};
    double jets[N_SLOTS * STRIDE] = {[STRIDE * X + 1] = 1}, root = 1, power = 1;
    Bench b[9];
    for (int i = 0; i < 9; i++)
        b[i] = make_bench(&arena, texts[i]);
    for (int k = 0; k <= ORDER; k++) {
        int odd = k % 2, alternate = k / 2 % 2 ? -1 : 1;
        if (k) {
            root *= (1.5 - k) / k;
            power *= (1.3 - k) / k;
        }
        double central = factorial(k - odd) / pow(factorial((k - odd) / 2), 2) / pow(2, k - odd);
        double expected[9] = {1 / factorial(k),
                              odd ? alternate / factorial(k) : 0,
                              odd ? alternate / (double)k : 0,
                              1,
                              k ? (odd ? 1 : -1) / (double)k : 0,
                              root,
                              k == 5,
                              power,
                              odd ? central / k : 0};
        for (int i = 0; i < 9; i++)
            assert_near(texts[i], "coefficient",
                        hol_expr_jet(b[i].e, jets, STRIDE, k, b[i].jet_work), expected[i],
                        1e-14 * (1 + fabs(expected[i])));
    }
    hol_arena_free(&arena);
}

// ---------------------------------------------------------------------------------------------
// Special places
// ---------------------------------------------------------------------------------------------

static void check_all_zero(const char *text, double expected) {
    HolArena arena = {0};
    Bench b = make_bench(&arena, text);
    double x[N_SLOTS] = {0}, jets[N_SLOTS * STRIDE];
    make_curve(x, jets);
    assert_near(text, "value", hol_expr_hessian(b.e, x, b.work, b.gradient, b.hessian), expected,
                0);
    for (int i = 0; i < hol_expr_slot_count(b.e); i++)
        assert_near(text, "gradient", b.gradient[i], 0, 0);
    for (int i = 0; i < hol_expr_slot_count(b.e) * hol_expr_slot_count(b.e); i++)
        assert_near(text, "hessian", b.hessian[i], 0, 0);
    check_derivative(&arena, &b, x, 0);
    assert_near(text, "jet", hol_expr_jet(b.e, jets, STRIDE, 0, b.jet_work), expected, 0);
    for (int k = 1; k <= ORDER; k++)
        assert_near(text, "jet", hol_expr_jet(b.e, jets, STRIDE, k, b.jet_work), 0, 0);
    hol_arena_free(&arena);
}

// a spring of zero length and its relatives: zero, not NaN
static void test_zero_arguments(void **state) {
    (void)state;
    check_all_zero("sqrt(x)", 0);
    check_all_zero("sqrt(x^2+y^2)", 0);
    check_all_zero("x^0.7", 0);
    check_all_zero("x^1.5", 0);
    check_all_zero("x^2001", 0);
    check_all_zero("x^(y+1.5)", 0);
    check_all_zero("atan2(x,y)", 0);
    check_all_zero("hypot(x,y)", 0);
    check_all_zero("100*(sqrt((x-y)^2+z^2)-1)", -100);
}

// integer powers are exact at zero
static void test_integer_power_at_zero(void **state) {
    (void)state;
    HolArena arena = {0};
    double x[N_SLOTS] = {0}, jets[N_SLOTS * STRIDE] = {[STRIDE * X + 1] = 2};
    Bench b = make_bench(&arena, "x^2 + x + y^3");
    hol_expr_hessian(b.e, x, b.work, b.gradient, b.hessian);
    assert_true(b.gradient[0] == 0 && b.gradient[1] == 1);
    assert_true(b.hessian[0] == 0 && b.hessian[3] == 2 && b.hessian[1] == 0);
    Bench c = make_bench(&arena, "x^6");
    for (int k = 0; k <= ORDER; k++)
        assert_true(hol_expr_jet(c.e, jets, STRIDE, k, c.jet_work) == (k == 6 ? 64 : 0));
    hol_arena_free(&arena);
}

// what is not finite in a branch not taken stays there
static void test_branch_not_taken(void **state) {
    (void)state;
    static const char *const texts[] = {
        "if(x>0, sqrt(x)*y + log(x), x^2*y)", "if(x<=0, x^2*y, log(x)^1.5/x)",
        "if(x<0, x^2*y, y/(x+1)^0.5)", "if(x+1 == 0, x^2*y, 1/(x+1))",
        "if(x>0, asin(9*y)*x^y, x^2*y)"};
    HolArena arena = {0};
    double x[N_SLOTS] = {0}, jets[N_SLOTS * STRIDE];
    x[X] = -1;
    x[Y] = 3;
    make_curve(x, jets);
    Bench r = make_bench(&arena, "x^2*y");
    double value = hol_expr_hessian(r.e, x, r.work, r.gradient, r.hessian);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Bench b = make_bench(&arena, texts[i]);
        assert_true(hol_expr_hessian(b.e, x, b.work, b.gradient, b.hessian) == value);
        for (int j = 0; j < 2; j++)
            assert_near(b.text, "gradient", b.gradient[j], r.gradient[j], 1e-14);
        for (int j = 0; j < 4; j++)
            assert_near(b.text, "hessian", b.hessian[j], r.hessian[j], 1e-14);
        check_derivative(&arena, &b, x, 1e-14);
        for (int k = 0; k <= ORDER; k++)
            assert_near(b.text, "jet", hol_expr_jet(b.e, jets, STRIDE, k, b.jet_work),
                        hol_expr_jet(r.e, jets, STRIDE, k, r.jet_work), 1e-13);
    }
    hol_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation),  cmocka_unit_test(test_random_compositions),
        cmocka_unit_test(test_identities),       cmocka_unit_test(test_known_series),
        cmocka_unit_test(test_zero_arguments),   cmocka_unit_test(test_integer_power_at_zero),
        cmocka_unit_test(test_branch_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
