// SPDX-License-Identifier: Apache-2.0
// Expressions: compiled, and evaluated at one point.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const double x[] = {0, 1, 2}, y[] = {0, 1, -1};
    const double slots[3] = {0.3, -2, 7};
    HolTableDef table = hol_table_def();
    HolArena arena = {0};
    HolExprError err;
    table.name = "t";
    table.x = x;
    table.y = y;
    table.n = 3;
    const HolExprScope scope = {.resolve = resolve, .tables = &table, .n_tables = 1};
    char *text = fuzz_text(data, size);
    const HolExpr *e = size < 4000 ? hol_expr_compile(&arena, text, &scope, &err) : NULL;
    if (e) {
        double *work = HOL_NEW(&arena, double, hol_expr_work(e) + 1);
        if (work)
            (void)hol_expr_value(e, slots, work);
    }
    hol_arena_free(&arena);
    free(text);
    return 0;
}
