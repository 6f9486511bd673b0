// SPDX-License-Identifier: Apache-2.0
// Parsed expressions (expr_syntax.h) -> expression graph (expr_build.c), in a scope that says what
// the names are. The same syntax may be compiled in several scopes; a builder joins several
// expressions to one.
#include "model/expr/expr_syntax.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct HolExprBuilder {
    HolArena *arena;
    const HolExprScope *scope;
    HolBuild build;
    HolExprError *error, own;
    int failed;
    int *stack;                // nodes of the syntax being compiled
    const HolSpline **splines; // beside it: tables, first arguments of interp
    int stack_size;
};

// the first message stays; returns -1, the number of no node
__attribute__((format(printf, 3, 4))) static int builder_fail(HolExprBuilder *b, int column,
                                                              const char *format, ...) {
    if (!b->failed) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(b->error->text, sizeof b->error->text, format, arguments);
        va_end(arguments);
        b->error->column = column;
    }
    b->failed = 1;
    return -1;
}

// ---- names ----

static HolSymbol builder_resolve(const HolExprBuilder *b, const char *name, char suggestion[64]) {
    HolSymbol symbol = {.type = HOL_SYMBOL_UNKNOWN};
    suggestion[0] = 0;
    if (b->scope && b->scope->resolve)
        b->scope->resolve(b->scope->context, name, &symbol, suggestion);
    return symbol;
}

static int unknown_function(HolExprBuilder *b, const char *name, int column) {
    static const char *const other_names[][2] = {
        {"ln", "log"},        {"arcsin", "asin"}, {"arccos", "acos"}, {"arctan", "atan"},
        {"fabs", "abs"},      {"sgn", "sign"},    {"signum", "sign"}, {"arctan2", "atan2"},
        {"lookup", "interp"}, {"fmod", "mod"},    {"limit", "clamp"}, {"sat", "clamp"}};
    char suggestion[64];
    if (builder_resolve(b, name, suggestion).type != HOL_SYMBOL_UNKNOWN)
        return builder_fail(b, column,
                            "'%.60s' is not a function; is an operator missing before '('?", name);
    if (!strcmp(name, "pow"))
        return builder_fail(b, column, "unknown function 'pow'; a power is written a^b");
    const char *words[HOL_FUNCTIONS];
    for (int i = 0; i < HOL_FUNCTIONS; i++)
        words[i] = hol_functions[i].name;
    const char *nearest = hol_nearest_word(name, words, HOL_FUNCTIONS);
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (!strcmp(name, other_names[i][0]))
            nearest = other_names[i][1];
    for (int i = 0; i < b->scope->n_tables; i++)
        if (!strcmp(b->scope->tables[i].name, name))
            return builder_fail(b, column, "'%.60s' is a table; write interp(%.60s, ...)", name,
                                name);
    if (nearest)
        return builder_fail(b, column, "unknown function '%.60s'; did you mean '%s'?", name,
                            nearest);
    return builder_fail(b, column, "unknown function '%.60s'", name);
}

// a function of the program; NULL: there is none
static const HolFunctionDef *given_function(const HolExprBuilder *b, const char *name) {
    char suggestion[64];
    const HolSymbol symbol = builder_resolve(b, name, suggestion);
    return symbol.type == HOL_SYMBOL_FUNCTION ? symbol.expr : NULL;
}

static int builder_given(HolExprBuilder *b, const char *name, const HolSyntaxOp *op, int first) {
    const HolFunctionDef *f = given_function(b, name);
    if (!f)
        return unknown_function(b, name, op->column);
    if (op->n != f->arguments)
        return builder_fail(b, op->column, "%.60s takes %d argument%s, got %d", name, f->arguments,
                            f->arguments == 1 ? "" : "s", op->n);
    return hol_build_call(&b->build, f, b->stack + first);
}

static int builder_name(HolExprBuilder *b, const char *name, int column) {
    char suggestion[64];
    if (!strcmp(name, "pi"))
        return hol_build_constant(&b->build, 3.14159265358979323846);
    HolSymbol symbol = builder_resolve(b, name, suggestion);
    switch (symbol.type) {
    case HOL_SYMBOL_CONSTANT:
        return hol_build_constant(&b->build, symbol.value);
    case HOL_SYMBOL_SLOT:
        return hol_build_slot(&b->build, symbol.slot);
    case HOL_SYMBOL_EXPR:
        return hol_build_inline(&b->build, symbol.expr);
    default:
        break;
    }
    if (hol_function_find(name) || symbol.type == HOL_SYMBOL_FUNCTION)
        return builder_fail(b, column, "'%s' is a function; write %s(...)", name, name);
    suggestion[63] = 0;
    if (suggestion[0])
        return builder_fail(b, column, "unknown name '%.80s'; did you mean '%s'?", name,
                            suggestion);
    return builder_fail(b, column, "unknown name '%.80s'", name);
}

// the nearest of all names, for a message
static void builder_no_table(HolExprBuilder *b, const char *name, int n, int column) {
    const char *near = NULL;
    for (int i = 0; i < n; i++) {
        const char *pair[2] = {near, b->scope->tables[i].name};
        near = near ? hol_nearest_word(name, pair, 2) : hol_nearest_word(name, pair + 1, 1);
    }
    if (near)
        builder_fail(b, column, "unknown table '%.60s'; did you mean '%.60s'?", name, near);
    else
        builder_fail(b, column, "unknown table '%.60s'", name);
}

// the table of this name as a spline
static const HolSpline *builder_table(HolExprBuilder *b, const char *name, int column) {
    const int n = b->scope ? b->scope->n_tables : 0;
    int i =
        b->scope && b->scope->table_names ? hol_name_table_number(b->scope->table_names, name) : 0;
    while (i >= 0 && i < n && strcmp(b->scope->tables[i].name, name) != 0)
        i++;
    if (i < 0 || i >= n) {
        builder_no_table(b, name, n, column);
        return NULL;
    }
    for (int s = 0; s < b->build.n_splines; s++)
        if (!strcmp(b->build.splines[s]->name, name))
            return b->build.splines[s];
    const HolSpline *spline = hol_spline_create(b->arena, &b->scope->tables[i]);
    if (!spline && b->arena->failed)
        b->build.failed = 1;
    else if (!spline)
        builder_fail(b, column, "table '%.60s' needs at least two points with increasing x", name);
    return spline;
}

// ---- operations ----

static int builder_interp(HolExprBuilder *b, const HolSpline *s, int argument, int column) {
    double x;
    if (s && s->outside == HOL_OUTSIDE_ERROR && hol_build_is_constant(&b->build, argument, &x) &&
        !(x >= s->x[0] && x <= s->x[s->n - 1]))
        return builder_fail(b, column, "table '%.60s' has no value at %g: it reaches from %g to %g",
                            s->name, x, s->x[0], s->x[s->n - 1]);
    return hol_build_interp(&b->build, s, argument);
}

// of the arguments at `first` of the stack
static int builder_call(HolExprBuilder *b, const HolSyntaxOp *op, int first) {
    HolBuild *build = &b->build;
    const int *argument = b->stack + first;
    int result = argument[0];
    double x0, x1;
    switch (op->what) {
    case HOL_OP_INTERP:
        return builder_interp(b, b->splines[first], argument[1], op->column);
    case HOL_OP_IF:
        return hol_build_if(build, argument[0], argument[1], argument[2]);
    case HOL_CALL_STEP:
        if (hol_build_is_constant(build, argument[1], &x0) &&
            hol_build_is_constant(build, argument[3], &x1) && x0 == x1)
            return builder_fail(b, op->column, "step needs two different places x0 and x1");
        return hol_build_step(build, argument);
    case HOL_CALL_FLOOR:
        return hol_build_floor(build, argument[0]);
    case HOL_CALL_CEIL:
        return hol_build_ceil(build, argument[0]);
    case HOL_CALL_MOD:
        return hol_build_mod(build, argument[0], argument[1]);
    case HOL_CALL_CLAMP:
        return hol_build_clamp(build, argument[0], argument[1], argument[2]);
    default:
        if (op->n == 1)
            return hol_build_unary(build, (HolOp)op->what, result);
        for (int i = 1; i < op->n; i++)
            result = hol_build_binary(build, (HolOp)op->what, result, argument[i]);
        return result;
    }
}

static int builder_binary(HolBuild *build, HolTokenType type, int a, int b) {
    switch (type) {
    case HOL_TOKEN_OR:
        return hol_build_binary(build, HOL_OP_OR, a, b);
    case HOL_TOKEN_AND:
        return hol_build_binary(build, HOL_OP_AND, a, b);
    case HOL_TOKEN_LESS:
        return hol_build_binary(build, HOL_OP_LESS, a, b);
    case HOL_TOKEN_LESS_EQUAL:
        return hol_build_binary(build, HOL_OP_LESS_EQUAL, a, b);
    case HOL_TOKEN_GREATER:
        return hol_build_binary(build, HOL_OP_LESS, b, a);
    case HOL_TOKEN_GREATER_EQUAL:
        return hol_build_binary(build, HOL_OP_LESS_EQUAL, b, a);
    case HOL_TOKEN_EQUAL:
        return hol_build_binary(build, HOL_OP_EQUAL, a, b);
    case HOL_TOKEN_NOT_EQUAL:
        return hol_build_binary(build, HOL_OP_NOT_EQUAL, a, b);
    case HOL_TOKEN_PLUS:
        return hol_build_binary(build, HOL_OP_ADD, a, b);
    case HOL_TOKEN_MINUS:
        return hol_build_binary(build, HOL_OP_SUB, a, b);
    case HOL_TOKEN_TIMES:
        return hol_build_binary(build, HOL_OP_MUL, a, b);
    case HOL_TOKEN_POWER:
        return hol_build_binary(build, HOL_OP_POW, a, b);
    default:
        return hol_build_binary(build, HOL_OP_DIV, a, b);
    }
}

// one operation on the stack of n nodes; returns how many it leaves
static int builder_apply(HolExprBuilder *b, const HolSyntax *s, const HolSyntaxOp *op, int n) {
    int *stack = b->stack;
    char name[HOL_EXPR_NAME + 1];
    snprintf(name, sizeof name, "%.*s", op->length < HOL_EXPR_NAME ? op->length : HOL_EXPR_NAME,
             s->text + op->column);
    switch ((HolSyntaxKind)op->kind) {
    case HOL_SYNTAX_NUMBER:
        stack[n] = hol_build_constant(&b->build, op->value);
        return n + 1;
    case HOL_SYNTAX_NAME:
        stack[n] = builder_name(b, name, op->column);
        return n + 1;
    case HOL_SYNTAX_TABLE:
        b->splines[n] = builder_table(b, name, op->column);
        stack[n] = -1;
        return n + 1;
    case HOL_SYNTAX_UNARY:
        stack[n - 1] = hol_build_unary(&b->build, (HolOp)op->what, stack[n - 1]);
        return n;
    case HOL_SYNTAX_BINARY:
        stack[n - 2] =
            builder_binary(&b->build, (HolTokenType)op->what, stack[n - 2], stack[n - 1]);
        return n - 1;
    case HOL_SYNTAX_CALL:
        stack[n - op->n] = builder_call(b, op, n - op->n);
        return n - op->n + 1;
    case HOL_SYNTAX_STRANGE:
        if (!given_function(b, name))
            unknown_function(b, name, op->column);
        return n;
    case HOL_SYNTAX_GIVEN:
        stack[n - op->n] = builder_given(b, name, op, n - op->n);
        return n - op->n + 1;
    case HOL_SYNTAX_MISTAKE:
        builder_fail(b, op->column, "%s", s->mistake);
        return n;
    }
    return n;
}

// ---- the builder ----

HolExprBuilder *hol_builder_open(HolArena *arena, const HolExprScope *scope, HolExprError *err) {
    HolExprBuilder *b = HOL_NEW(arena, HolExprBuilder, 1);
    if (err)
        *err = (HolExprError){.column = 0};
    if (!b) {
        if (err)
            snprintf(err->text, sizeof err->text, "out of memory");
        return NULL;
    }
    b->arena = arena;
    b->scope = scope;
    b->build.has_time = scope && scope->has_time;
    b->error = err ? err : &b->own;
    return b;
}

int hol_builder_syntax(HolExprBuilder *b, const HolSyntax *s) {
    int n = 0;
    if (b->stack_size < s->depth + 1) {
        b->stack = HOL_NEW(&b->build.scratch, int, s->depth + 1);
        b->splines = HOL_NEW(&b->build.scratch, const HolSpline *, s->depth + 1);
        b->stack_size = b->splines ? s->depth + 1 : 0;
        b->build.failed |= !b->stack_size;
    }
    for (int i = 0; b->stack_size && !b->failed && i < s->n_ops; i++)
        n = builder_apply(b, s, &s->ops[i], n);
    return b->failed || n < 1 ? -1 : b->stack[0];
}

int hol_builder_number(HolExprBuilder *b, double value) {
    return hol_build_constant(&b->build, value);
}

int hol_builder_slot(HolExprBuilder *b, int slot) {
    return hol_build_slot(&b->build, slot);
}

int hol_builder_negative(HolExprBuilder *b, int node) {
    return hol_build_unary(&b->build, HOL_OP_NEG, node);
}

int hol_builder_difference(HolExprBuilder *b, int x, int y) {
    return hol_build_binary(&b->build, HOL_OP_SUB, x, y);
}

int hol_builder_product(HolExprBuilder *b, int x, int y) {
    return hol_build_binary(&b->build, HOL_OP_MUL, x, y);
}

HolExpr *hol_builder_close(HolExprBuilder *b, int root) {
    HolExpr *e = b->failed ? NULL : hol_build_finish(&b->build, b->arena, root);
    if (b->build.too_long)
        builder_fail(b, 0, "the expression has more than %d operations", HOL_EXPR_MAX_NODES);
    else if (!e)
        builder_fail(b, 0, "out of memory");
    b->arena->failed |= b->build.scratch.failed; // so that callers can tell it from a bad text
    hol_build_free(&b->build);
    return e;
}

// ---- whole expressions ----

HolExpr *hol_syntax_compile(HolArena *arena, const HolSyntax *syntax, const HolExprScope *scope,
                            HolExprError *err) {
    HolExprBuilder *b = hol_builder_open(arena, scope, err);
    return b ? hol_builder_close(b, hol_builder_syntax(b, syntax)) : NULL;
}

HolExpr *hol_expr_compile(HolArena *arena, const char *text, const HolExprScope *scope,
                          HolExprError *err) {
    HolArena scratch = {0};
    const HolSyntax *s = hol_syntax_parse(&scratch, text);
    HolExpr *e = s ? hol_syntax_compile(arena, s, scope, err) : NULL;
    if (!s) {
        arena->failed = 1;
        if (err) {
            *err = (HolExprError){.column = 0};
            snprintf(err->text, sizeof err->text, "out of memory");
        }
    }
    hol_arena_free(&scratch);
    return e;
}

HolExpr *hol_expr_constant(HolArena *arena, double value) {
    HolBuild build = {.failed = 0};
    HolExpr *e = hol_build_finish(&build, arena, hol_build_constant(&build, value));
    arena->failed |= build.scratch.failed;
    hol_build_free(&build);
    return e;
}

HolExpr *hol_expr_slot(HolArena *arena, int slot) {
    HolBuild build = {.failed = 0};
    HolExpr *e = hol_build_finish(&build, arena, hol_build_slot(&build, slot));
    arena->failed |= build.scratch.failed;
    hol_build_free(&build);
    return e;
}
