// SPDX-License-Identifier: Apache-2.0
// Text of an expression -> expression graph. One token of look-ahead; operators by precedence:
//   or  <  and  <  not  <  comparison  <  + -  <  * /  <  unary + - !  <  ^ (to the right)
// Only the first mistake is reported, with its offset and what would be right.
#include "model/expr/expr_internal.h"
#include "model/expr/expr_token.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 1 << 20, LONGEST_NAME = 255, MOST_ARGUMENTS = 16 };

typedef struct Parser {
    const char *text;
    int position; // behind the current token
    HolToken token;
    int depth;
    const HolExprScope *scope;
    HolArena *arena;
    HolBuild build;
    HolExprError *error;
    int failed;
} Parser;

static int parse_binary(Parser *p, int level);

// the first message stays; returns -1, the number of no node
__attribute__((format(printf, 3, 4))) static int expr_parse_fail(Parser *p, int column,
                                                                 const char *format, ...) {
    if (!p->failed) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(p->error->text, sizeof p->error->text, format, arguments);
        va_end(arguments);
        p->error->column = column;
    }
    p->failed = 1;
    return -1;
}

static void next_token(Parser *p) {
    if (p->failed)
        return;
    if (!hol_token_read(p->text, p->position, &p->token, p->error))
        p->failed = 1;
    p->position = p->token.start + p->token.length;
}

// the current token for messages: 'text', or "the end"
static const char *token_text(const Parser *p, char out[48]) {
    if (p->token.type == HOL_TOKEN_END)
        return "the end";
    int n = p->token.length < 40 ? p->token.length : 40;
    snprintf(out, 48, "'%.*s'", n, p->text + p->token.start);
    return out;
}

// ---------------------------------------------------------------------------------------------
// Names and functions
// ---------------------------------------------------------------------------------------------

static const struct Function {
    const char *name;
    int least, most; // arguments
    HolOp op;        // SLOT: a function of its own kind
} functions[] = {{"sin", 1, 1, HOL_OP_SIN},     {"cos", 1, 1, HOL_OP_COS},
                 {"tan", 1, 1, HOL_OP_TAN},     {"asin", 1, 1, HOL_OP_ASIN},
                 {"acos", 1, 1, HOL_OP_ACOS},   {"atan", 1, 1, HOL_OP_ATAN},
                 {"atan2", 2, 2, HOL_OP_ATAN2}, {"sinh", 1, 1, HOL_OP_SINH},
                 {"cosh", 1, 1, HOL_OP_COSH},   {"tanh", 1, 1, HOL_OP_TANH},
                 {"exp", 1, 1, HOL_OP_EXP},     {"log", 1, 1, HOL_OP_LOG},
                 {"sqrt", 1, 1, HOL_OP_SQRT},   {"abs", 1, 1, HOL_OP_ABS},
                 {"sign", 1, 1, HOL_OP_SIGN},   {"min", 2, MOST_ARGUMENTS, HOL_OP_MIN},
                 {"if", 3, 3, HOL_OP_IF},       {"max", 2, MOST_ARGUMENTS, HOL_OP_MAX},
                 {"step", 5, 5, HOL_OP_SLOT},   {"interp", 2, 2, HOL_OP_INTERP}};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static const struct Function *find_function(const char *name) {
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (!strcmp(functions[i].name, name))
            return &functions[i];
    return NULL;
}

static HolSymbol expr_parse_resolve(const Parser *p, const char *name, char suggestion[64]) {
    HolSymbol symbol = {.type = HOL_SYMBOL_UNKNOWN};
    suggestion[0] = 0;
    if (p->scope && p->scope->resolve)
        p->scope->resolve(p->scope->context, name, &symbol, suggestion);
    return symbol;
}

static int unknown_function(Parser *p, const char *name, int column) {
    static const char *const other_names[][2] = {
        {"ln", "log"},      {"arcsin", "asin"},   {"arccos", "acos"},
        {"arctan", "atan"}, {"fabs", "abs"},      {"sgn", "sign"},
        {"signum", "sign"}, {"arctan2", "atan2"}, {"lookup", "interp"}};
    char suggestion[64];
    if (expr_parse_resolve(p, name, suggestion).type != HOL_SYMBOL_UNKNOWN)
        return expr_parse_fail(
            p, column, "'%.60s' is not a function; is an operator missing before '('?", name);
    if (!strcmp(name, "pow"))
        return expr_parse_fail(p, column, "unknown function 'pow'; a power is written a^b");
    const char *words[N_FUNCTIONS];
    for (int i = 0; i < N_FUNCTIONS; i++)
        words[i] = functions[i].name;
    const char *nearest = hol_nearest_word(name, words, N_FUNCTIONS);
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (!strcmp(name, other_names[i][0]))
            nearest = other_names[i][1];
    if (nearest)
        return expr_parse_fail(p, column, "unknown function '%.60s'; did you mean '%s'?", name,
                               nearest);
    return expr_parse_fail(p, column, "unknown function '%.60s'", name);
}

static int parse_name(Parser *p, const char *name, int column) {
    char suggestion[64];
    if (!strcmp(name, "pi"))
        return hol_build_constant(&p->build, 3.14159265358979323846);
    HolSymbol symbol = expr_parse_resolve(p, name, suggestion);
    switch (symbol.type) {
    case HOL_SYMBOL_CONSTANT:
        return hol_build_constant(&p->build, symbol.value);
    case HOL_SYMBOL_SLOT:
        return hol_build_slot(&p->build, symbol.slot);
    case HOL_SYMBOL_EXPR:
        return hol_build_inline(&p->build, symbol.expr);
    default:
        break;
    }
    if (find_function(name))
        return expr_parse_fail(p, column, "'%s' is a function; write %s(...)", name, name);
    suggestion[63] = 0;
    if (suggestion[0])
        return expr_parse_fail(p, column, "unknown name '%.80s'; did you mean '%s'?", name,
                               suggestion);
    return expr_parse_fail(p, column, "unknown name '%.80s'", name);
}

// the table named by the current token, as a spline
static const HolSpline *parse_table(Parser *p) {
    const char *name = p->text + p->token.start;
    int length = p->token.length, column = p->token.start, n = p->scope ? p->scope->n_tables : 0;
    if (p->token.type != HOL_TOKEN_NAME) {
        expr_parse_fail(p, column, "interp takes the name of a table as its first argument");
        return NULL;
    }
    char word[LONGEST_NAME + 1];
    snprintf(word, sizeof word, "%.*s", length < LONGEST_NAME ? length : LONGEST_NAME, name);
    const char *near = NULL;
    for (int i = 0; i < n; i++) {
        const HolExprTable *table = &p->scope->tables[i];
        if (strcmp(table->name, word) != 0) {
            const char *pair[2] = {near, table->name};
            near = near ? hol_nearest_word(word, pair, 2) : hol_nearest_word(word, pair + 1, 1);
            continue;
        }
        for (int s = 0; s < p->build.n_splines; s++)
            if (!strcmp(p->build.splines[s]->name, word))
                return p->build.splines[s];
        const HolSpline *spline = hol_spline_create(p->arena, table);
        if (!spline && p->arena->failed)
            p->build.failed = 1;
        else if (!spline)
            expr_parse_fail(p, column, "table '%.60s' needs at least two points with increasing x",
                            word);
        return spline;
    }
    if (near)
        expr_parse_fail(p, column, "unknown table '%.60s'; did you mean '%.60s'?", word, near);
    else
        expr_parse_fail(p, column, "unknown table '%.60s'", word);
    return NULL;
}

// arguments up to the closing parenthesis; returns their number, or -1
static int parse_arguments(Parser *p, int argument[MOST_ARGUMENTS]) {
    int n = 0;
    if (p->token.type == HOL_TOKEN_CLOSE)
        return 0;
    for (;;) {
        int node = parse_binary(p, 0);
        if (p->failed)
            return -1;
        if (n < MOST_ARGUMENTS)
            argument[n] = node;
        n++;
        if (p->token.type != HOL_TOKEN_COMMA)
            return n;
        next_token(p);
    }
}

static int expr_parse_apply(Parser *p, const struct Function *f, const int *argument, int n,
                            int column) {
    int result = argument[0];
    double a, b;
    switch (f->op) {
    case HOL_OP_IF:
        return hol_build_if(&p->build, argument[0], argument[1], argument[2]);
    case HOL_OP_SLOT:
        if (hol_build_is_constant(&p->build, argument[1], &a) &&
            hol_build_is_constant(&p->build, argument[3], &b) && a == b)
            return expr_parse_fail(p, column, "step needs two different places x0 and x1");
        return hol_build_step(&p->build, argument);
    default:
        if (n == 1)
            return hol_build_unary(&p->build, f->op, result);
        for (int i = 1; i < n; i++)
            result = hol_build_binary(&p->build, f->op, result, argument[i]);
        return result;
    }
}

// the current token is behind '('
static int parse_call(Parser *p, const struct Function *f, int column) {
    const HolSpline *spline = NULL;
    int argument[MOST_ARGUMENTS], extra = 0;
    if (f->op == HOL_OP_INTERP && p->token.type != HOL_TOKEN_CLOSE) {
        spline = parse_table(p);
        next_token(p);
        extra = 1;
        if (!p->failed && p->token.type == HOL_TOKEN_COMMA)
            next_token(p);
        else if (!p->failed && p->token.type != HOL_TOKEN_CLOSE)
            return expr_parse_fail(p, p->token.start, "missing ',' behind the name of the table");
    }
    int n = p->failed ? -1 : parse_arguments(p, argument);
    if (n < 0)
        return -1;
    n += extra;
    char found[48];
    if (p->token.type != HOL_TOKEN_CLOSE)
        return expr_parse_fail(p, p->token.start, "missing ')' for %s(; found %s", f->name,
                               token_text(p, found));
    if (n < f->least || n > f->most)
        return expr_parse_fail(p, column, "%s takes %s%d argument%s, got %d", f->name,
                               f->least == f->most ? ""
                               : n < f->least      ? "at least "
                                                   : "at most ",
                               n > f->most ? f->most : f->least, f->least == 1 ? "" : "s", n);
    next_token(p);
    double x;
    if (f->op == HOL_OP_INTERP && spline && spline->outside == HOL_OUTSIDE_ERROR &&
        hol_build_is_constant(&p->build, argument[0], &x) &&
        !(x >= spline->x[0] && x <= spline->x[spline->n - 1]))
        return expr_parse_fail(p, column,
                               "table '%.60s' has no value at %g: it reaches from %g to %g",
                               spline->name, x, spline->x[0], spline->x[spline->n - 1]);
    if (f->op == HOL_OP_INTERP)
        return hol_build_interp(&p->build, spline, argument[0]);
    return expr_parse_apply(p, f, argument, n, column);
}

// ---------------------------------------------------------------------------------------------
// Grammar
// ---------------------------------------------------------------------------------------------

static int parse_word(Parser *p) {
    char name[LONGEST_NAME + 1];
    int column = p->token.start;
    if (p->token.length > LONGEST_NAME)
        return expr_parse_fail(p, column, "the name is longer than %d letters", LONGEST_NAME);
    memcpy(name, p->text + column, (size_t)p->token.length);
    name[p->token.length] = 0;
    next_token(p);
    if (p->failed)
        return -1;
    if (p->token.type != HOL_TOKEN_OPEN)
        return parse_name(p, name, column);
    const struct Function *f = find_function(name);
    if (!f)
        return unknown_function(p, name, column);
    next_token(p);
    return p->failed ? -1 : parse_call(p, f, column);
}

static int parse_primary(Parser *p) {
    char found[48];
    int node;
    switch (p->token.type) {
    case HOL_TOKEN_NUMBER:
        node = hol_build_constant(&p->build, p->token.number);
        next_token(p);
        return node;
    case HOL_TOKEN_NAME:
        return parse_word(p);
    case HOL_TOKEN_OPEN:
        next_token(p);
        node = parse_binary(p, 0);
        if (!p->failed && p->token.type != HOL_TOKEN_CLOSE)
            return expr_parse_fail(p, p->token.start, "missing ')'; found %s",
                                   token_text(p, found));
        next_token(p);
        return node;
    default:
        return expr_parse_fail(p, p->token.start, "expected a number, a name or '(', found %s",
                               token_text(p, found));
    }
}

enum { LEVEL_OR, LEVEL_AND, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_UNARY };

// signs, not, and powers; every nesting passes here, so here the depth is counted
static int parse_unary(Parser *p) {
    int node = -1;
    HolTokenType type = p->token.type;
    if (p->failed)
        return -1;
    if (p->depth >= HOL_EXPR_MAX_DEPTH)
        return expr_parse_fail(p, p->token.start, "nested deeper than %d levels",
                               HOL_EXPR_MAX_DEPTH);
    p->depth++;
    if (type == HOL_TOKEN_PLUS || type == HOL_TOKEN_MINUS || type == HOL_TOKEN_BANG) {
        next_token(p);
        node = parse_unary(p);
        if (type != HOL_TOKEN_PLUS)
            node =
                hol_build_unary(&p->build, type == HOL_TOKEN_MINUS ? HOL_OP_NEG : HOL_OP_NOT, node);
    } else if (type == HOL_TOKEN_NOT) {
        next_token(p);
        node = hol_build_unary(&p->build, HOL_OP_NOT, parse_binary(p, LEVEL_COMPARE));
    } else {
        node = parse_primary(p);
        if (!p->failed && p->token.type == HOL_TOKEN_POWER) {
            next_token(p);
            node = hol_build_binary(&p->build, HOL_OP_POW, node, parse_unary(p));
        }
    }
    p->depth--;
    return node;
}

static int token_level(HolTokenType type) {
    switch (type) {
    case HOL_TOKEN_OR:
        return LEVEL_OR;
    case HOL_TOKEN_AND:
        return LEVEL_AND;
    case HOL_TOKEN_PLUS:
    case HOL_TOKEN_MINUS:
        return LEVEL_SUM;
    case HOL_TOKEN_TIMES:
    case HOL_TOKEN_OVER:
        return LEVEL_PRODUCT;
    default:
        return type >= HOL_TOKEN_LESS && type <= HOL_TOKEN_NOT_EQUAL ? LEVEL_COMPARE : -1;
    }
}

static int expr_parse_combine(HolBuild *build, HolTokenType type, int a, int b) {
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
    default:
        return hol_build_binary(build, HOL_OP_DIV, a, b);
    }
}

// operands joined by operators of at least this level, from left to right
static int parse_binary(Parser *p, int level) {
    int node = parse_unary(p), compared = 0;
    while (!p->failed) {
        HolTokenType type = p->token.type;
        int found = token_level(type);
        if (found < level)
            break;
        if (found == LEVEL_COMPARE && compared)
            return expr_parse_fail(p, p->token.start,
                                   "comparisons do not chain; write a < b and b < c");
        compared = found == LEVEL_COMPARE;
        next_token(p);
        node = expr_parse_combine(&p->build, type, node, parse_binary(p, found + 1));
    }
    return p->failed ? -1 : node;
}

static int parse_all(Parser *p) {
    char found[48];
    next_token(p);
    if (!p->failed && p->token.type == HOL_TOKEN_END)
        return expr_parse_fail(p, 0, "empty expression");
    int root = parse_binary(p, 0);
    if (p->failed || p->token.type == HOL_TOKEN_END)
        return root;
    if (p->token.type == HOL_TOKEN_CLOSE)
        return expr_parse_fail(p, p->token.start, "')' without '('");
    if (p->token.type == HOL_TOKEN_COMMA)
        return expr_parse_fail(p, p->token.start,
                               "',' outside of a function; decimals need a point");
    return expr_parse_fail(p, p->token.start, "expected an operator, found %s",
                           token_text(p, found));
}

HolExpr *hol_expr_compile(HolArena *arena, const char *text, const HolExprScope *scope,
                          HolExprError *err) {
    HolExprError unused;
    Parser p = {.text = text ? text : "", .scope = scope, .arena = arena};
    p.build.has_time = scope && scope->has_time;
    p.error = err ? err : &unused;
    *p.error = (HolExprError){.column = 0};
    if (strlen(p.text) > LONGEST_TEXT) {
        expr_parse_fail(&p, 0, "the expression is longer than %d characters", LONGEST_TEXT);
        return NULL;
    }
    int root = parse_all(&p);
    HolExpr *e = p.failed ? NULL : hol_build_finish(&p.build, arena, root);
    if (p.build.too_long)
        expr_parse_fail(&p, 0, "the expression has more than %d operations", HOL_EXPR_MAX_NODES);
    else if (!e)
        expr_parse_fail(&p, 0, "out of memory");
    arena->failed |= p.build.scratch.failed; // so that callers can tell it from a bad text
    hol_build_free(&p.build);
    return e;
}

HolExpr *hol_expr_constant(HolArena *arena, double value) {
    HolBuild build = {.failed = 0};
    HolExpr *e = hol_build_finish(&build, arena, hol_build_constant(&build, value));
    hol_build_free(&build);
    return e;
}
