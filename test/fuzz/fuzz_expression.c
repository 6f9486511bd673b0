// SPDX-License-Identifier: Apache-2.0
// Expressions: compiled; at one point their value, gradient, series, switching functions and faults;
// a derivative as an expression.
#include "fuzz.h"

#include "model/expr/expr.h"

static void resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    (void)context;
    suggestion[0] = 0;
    *out = (HolSymbol){0};
    if (name[0] && !name[1] && strchr("xyz", name[0]))
        *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = name[0] - 'x'};
    else if (strcmp(name, "k") == 0)
        *out = (HolSymbol){.type = HOL_SYMBOL_CONSTANT, .value = 3};
}

enum { SLOTS = 3, ORDER = 2, MOST_TEXT = 4000 };

static double *numbers(HolArena *arena, size_t n) {
    return HOL_NEW(arena, double, n + 1);
}

static void evaluate(HolArena *arena, const HolExpr *e) {
    const double x[SLOTS] = {0.3, -2, 7};
    const double series[SLOTS * (ORDER + 1)] = {0.3, 1, 0, -2, 0.5, 0.1, 7, -1, 2};
    char text[256];
    double *work = numbers(arena, hol_expr_work(e)), *gradient = numbers(arena, SLOTS);
    double *switches = numbers(arena, (size_t)hol_expr_switch_count(e));
    double *jet = hol_expr_calls(e) ? NULL : numbers(arena, hol_expr_jet_work(e, ORDER));
    if (!work || !gradient || !switches)
        return;
    (void)hol_expr_value(e, x, work);
    (void)hol_expr_gradient(e, x, work, gradient);
    hol_expr_switches(e, x, work, switches);
    (void)hol_expr_fault(e, x, 1, work, text, sizeof text);
    for (int k = 0; jet && k <= ORDER; k++)
        (void)hol_expr_jet(e, series, ORDER + 1, k, jet);
    if (hol_expr_slot_count(e) > 0)
        (void)hol_expr_derivative(arena, e, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const double x[] = {0, 1, 2}, y[] = {0, 1, -1};
    const HolTableDef table = {.size = sizeof table, .name = "t", .x = x, .y = y, .n = 3};
    const HolExprScope scope = {.resolve = resolve, .tables = &table, .n_tables = 1, .has_time = 1};
    HolArena arena = {0};
    HolExprError err;
    if (size >= MOST_TEXT)
        return 0;
    char *text = fuzz_text(data, size);
    const HolExpr *e = hol_expr_compile(&arena, text, &scope, &err);
    if (e)
        evaluate(&arena, e);
    hol_arena_free(&arena);
    free(text);
    return 0;
}
