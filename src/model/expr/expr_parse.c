// SPDX-License-Identifier: Apache-2.0
// Text of an expression -> its operations (expr_syntax.h). One token of look-ahead; operators by
// precedence:
//   or  <  and  <  not  <  comparison  <  + -  <  * /  <  unary + - !  <  ^ (to the right)
// Only the first mistake is reported, with its offset and what would be right.
#include "model/expr/expr_syntax.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 1 << 20 };

typedef struct Parser {
    const char *text;
    int position; // behind the current token
    HolToken token;
    int depth;
    HolArena scratch;
    HolSyntaxOp *ops;
    int n_ops, cap_ops;
    int operands, most_operands; // that wait for their operator
    HolExprError error;
    int failed;
} Parser;

static void parse_binary(Parser *p, int level);

// the first message stays
__attribute__((format(printf, 3, 4))) static void expr_parse_fail(Parser *p, int column,
                                                                  const char *format, ...) {
    if (!p->failed) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(p->error.text, sizeof p->error.text, format, arguments);
        va_end(arguments);
        p->error.column = column;
    }
    p->failed = 1;
}

static void next_token(Parser *p) {
    if (p->failed)
        return;
    if (!hol_token_read(p->text, p->position, &p->token, &p->error))
        p->failed = 1;
    p->position = p->token.start + p->token.length;
}

// one more operation, which takes that many operands and leaves one (behind a mistake: nothing)
static void expr_parse_emit(Parser *p, HolSyntaxOp op, int taken) {
    if (p->failed || !HOL_GROW(&p->scratch, p->ops, p->n_ops, p->cap_ops))
        return;
    p->ops[p->n_ops++] = op;
    p->operands += 1 - taken;
    if (p->operands > p->most_operands)
        p->most_operands = p->operands;
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
// Functions
// ---------------------------------------------------------------------------------------------

const HolFunction hol_functions[HOL_FUNCTIONS] = {
    {"sin", 1, 1, HOL_OP_SIN},       {"cos", 1, 1, HOL_OP_COS},
    {"tan", 1, 1, HOL_OP_TAN},       {"asin", 1, 1, HOL_OP_ASIN},
    {"acos", 1, 1, HOL_OP_ACOS},     {"atan", 1, 1, HOL_OP_ATAN},
    {"atan2", 2, 2, HOL_OP_ATAN2},   {"sinh", 1, 1, HOL_OP_SINH},
    {"cosh", 1, 1, HOL_OP_COSH},     {"tanh", 1, 1, HOL_OP_TANH},
    {"exp", 1, 1, HOL_OP_EXP},       {"log", 1, 1, HOL_OP_LOG},
    {"sqrt", 1, 1, HOL_OP_SQRT},     {"abs", 1, 1, HOL_OP_ABS},
    {"sign", 1, 1, HOL_OP_SIGN},     {"min", 2, HOL_EXPR_ARGUMENTS, HOL_OP_MIN},
    {"if", 3, 3, HOL_OP_IF},         {"max", 2, HOL_EXPR_ARGUMENTS, HOL_OP_MAX},
    {"step", 5, 5, HOL_CALL_STEP},   {"interp", 2, 2, HOL_OP_INTERP},
    {"floor", 1, 1, HOL_CALL_FLOOR}, {"ceil", 1, 1, HOL_CALL_CEIL},
    {"mod", 2, 2, HOL_CALL_MOD},     {"clamp", 3, 3, HOL_CALL_CLAMP},
    {"hypot", 2, 2, HOL_OP_HYPOT}};

const HolFunction *hol_function_find(const char *name) {
    for (int i = 0; i < HOL_FUNCTIONS; i++)
        if (!strcmp(hol_functions[i].name, name))
            return &hol_functions[i];
    return NULL;
}

// interp(table, ..: the current token is behind '('
static void parse_table(Parser *p) {
    if (p->token.type != HOL_TOKEN_NAME)
        expr_parse_fail(p, p->token.start,
                        "interp takes the name of a table as its first argument");
    expr_parse_emit(p,
                    (HolSyntaxOp){.kind = HOL_SYNTAX_TABLE,
                                  .column = p->token.start,
                                  .length = p->token.length},
                    0);
    next_token(p);
    if (!p->failed && p->token.type == HOL_TOKEN_COMMA)
        next_token(p);
    else if (!p->failed && p->token.type != HOL_TOKEN_CLOSE)
        expr_parse_fail(p, p->token.start, "missing ',' behind the name of the table");
}

// arguments up to the closing parenthesis; returns their number
static int parse_arguments(Parser *p) {
    if (p->token.type == HOL_TOKEN_CLOSE)
        return 0;
    for (int n = 1;; n++) {
        parse_binary(p, 0);
        if (p->failed || p->token.type != HOL_TOKEN_COMMA)
            return n;
        next_token(p);
    }
}

// the current token is behind '('
static void parse_call(Parser *p, const HolFunction *f, int column) {
    int n = 0;
    if (f->op == HOL_OP_INTERP && p->token.type != HOL_TOKEN_CLOSE) {
        parse_table(p);
        n = 1;
    }
    if (!p->failed)
        n += parse_arguments(p);
    if (p->failed)
        return;
    char found[48];
    if (p->token.type != HOL_TOKEN_CLOSE)
        expr_parse_fail(p, p->token.start, "missing ')' for %s(; found %s", f->name,
                        token_text(p, found));
    else if (n < f->least || n > f->most)
        expr_parse_fail(p, column, "%s takes %s%d argument%s, got %d", f->name,
                        f->least == f->most ? ""
                        : n < f->least      ? "at least "
                                            : "at most ",
                        n > f->most ? f->most : f->least, f->least == 1 ? "" : "s", n);
    next_token(p);
    expr_parse_emit(p,
                    (HolSyntaxOp){.kind = HOL_SYNTAX_CALL,
                                  .what = (unsigned char)f->op,
                                  .n = (unsigned short)n,
                                  .column = column},
                    n);
}

// the same of a function that is not one of these
static void parse_given(Parser *p, HolSyntaxOp op) {
    char found[48];
    const int n = parse_arguments(p);
    if (p->failed)
        return;
    if (p->token.type != HOL_TOKEN_CLOSE)
        expr_parse_fail(p, p->token.start, "missing ')' for %.*s(; found %s",
                        op.length < 60 ? op.length : 60, p->text + op.column, token_text(p, found));
    next_token(p);
    op.kind = HOL_SYNTAX_GIVEN;
    op.n = (unsigned short)n;
    expr_parse_emit(p, op, n);
}

// ---------------------------------------------------------------------------------------------
// Grammar
// ---------------------------------------------------------------------------------------------

static void parse_word(Parser *p) {
    char name[HOL_EXPR_NAME + 1];
    HolSyntaxOp op = {.kind = HOL_SYNTAX_NAME, .column = p->token.start, .length = p->token.length};
    if (op.length > HOL_EXPR_NAME) {
        expr_parse_fail(p, op.column, "the name is longer than %d letters", HOL_EXPR_NAME);
        return;
    }
    memcpy(name, p->text + op.column, (size_t)op.length);
    name[op.length] = 0;
    next_token(p);
    if (p->failed || p->token.type != HOL_TOKEN_OPEN) {
        expr_parse_emit(p, op, 0);
        return;
    }
    const HolFunction *f = hol_function_find(name);
    if (!f) { // what to say depends on what the name is
        op.kind = HOL_SYNTAX_STRANGE;
        expr_parse_emit(p, op, 1); // (leaves nothing)
    }
    next_token(p);
    if (!p->failed && f)
        parse_call(p, f, op.column);
    else if (!p->failed)
        parse_given(p, op);
}

static void parse_primary(Parser *p) {
    char found[48];
    switch (p->token.type) {
    case HOL_TOKEN_NUMBER:
        expr_parse_emit(p, (HolSyntaxOp){.kind = HOL_SYNTAX_NUMBER, .value = p->token.number}, 0);
        next_token(p);
        return;
    case HOL_TOKEN_NAME:
        parse_word(p);
        return;
    case HOL_TOKEN_OPEN:
        next_token(p);
        parse_binary(p, 0);
        if (!p->failed && p->token.type != HOL_TOKEN_CLOSE)
            expr_parse_fail(p, p->token.start, "missing ')'; found %s", token_text(p, found));
        next_token(p);
        return;
    default:
        expr_parse_fail(p, p->token.start, "expected a number, a name or '(', found %s",
                        token_text(p, found));
    }
}

enum { LEVEL_OR, LEVEL_AND, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_UNARY };

static void emit_unary(Parser *p, HolOp op) {
    expr_parse_emit(p, (HolSyntaxOp){.kind = HOL_SYNTAX_UNARY, .what = (unsigned char)op}, 1);
}

static void emit_binary(Parser *p, HolTokenType type) {
    expr_parse_emit(p, (HolSyntaxOp){.kind = HOL_SYNTAX_BINARY, .what = (unsigned char)type}, 2);
}

// signs, not, and powers; every nesting passes here, so here the depth is counted
static void parse_unary(Parser *p) {
    HolTokenType type = p->token.type;
    if (p->failed)
        return;
    if (p->depth >= HOL_EXPR_MAX_DEPTH) {
        expr_parse_fail(p, p->token.start, "nested deeper than %d levels", HOL_EXPR_MAX_DEPTH);
        return;
    }
    p->depth++;
    if (type == HOL_TOKEN_PLUS || type == HOL_TOKEN_MINUS || type == HOL_TOKEN_BANG) {
        next_token(p);
        parse_unary(p);
        if (type != HOL_TOKEN_PLUS)
            emit_unary(p, type == HOL_TOKEN_MINUS ? HOL_OP_NEG : HOL_OP_NOT);
    } else if (type == HOL_TOKEN_NOT) {
        next_token(p);
        parse_binary(p, LEVEL_COMPARE);
        emit_unary(p, HOL_OP_NOT);
    } else {
        parse_primary(p);
        if (!p->failed && p->token.type == HOL_TOKEN_POWER) {
            next_token(p);
            parse_unary(p);
            emit_binary(p, HOL_TOKEN_POWER);
        }
    }
    p->depth--;
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

// operands joined by operators of at least this level, from left to right
static void parse_binary(Parser *p, int level) {
    int compared = 0;
    parse_unary(p);
    while (!p->failed) {
        HolTokenType type = p->token.type;
        int found = token_level(type);
        if (found < level)
            break;
        if (found == LEVEL_COMPARE && compared) {
            expr_parse_fail(p, p->token.start, "comparisons do not chain; write a < b and b < c");
            break;
        }
        compared = found == LEVEL_COMPARE;
        next_token(p);
        parse_binary(p, found + 1);
        emit_binary(p, type);
    }
}

static void parse_all(Parser *p) {
    char found[48];
    if (strlen(p->text) > LONGEST_TEXT)
        expr_parse_fail(p, 0, "the expression is longer than %d characters", LONGEST_TEXT);
    next_token(p);
    if (!p->failed && p->token.type == HOL_TOKEN_END)
        expr_parse_fail(p, 0, "empty expression");
    parse_binary(p, 0);
    if (p->failed || p->token.type == HOL_TOKEN_END)
        return;
    if (p->token.type == HOL_TOKEN_CLOSE)
        expr_parse_fail(p, p->token.start, "')' without '('");
    else if (p->token.type == HOL_TOKEN_COMMA)
        expr_parse_fail(p, p->token.start, "',' outside of a function; decimals need a point");
    else
        expr_parse_fail(p, p->token.start, "expected an operator, found %s", token_text(p, found));
}

const char *hol_syntax_text(const HolSyntax *syntax) {
    return syntax->text;
}

const HolSyntax *hol_syntax_parse(HolArena *arena, const char *text) {
    Parser p = {.text = text ? text : ""};
    HolSyntax *s = HOL_NEW(arena, HolSyntax, 1);
    parse_all(&p);
    if (p.failed && p.error.text[0]) {
        p.failed = 0;
        expr_parse_emit(&p, (HolSyntaxOp){.kind = HOL_SYNTAX_MISTAKE, .column = p.error.column}, 0);
        p.failed = 1;
    }
    HolSyntaxOp *ops = HOL_NEW(arena, HolSyntaxOp, p.n_ops + 1);
    if (s && ops && p.n_ops)
        memcpy(ops, p.ops, sizeof *ops * (size_t)p.n_ops);
    if (s)
        *s = (HolSyntax){.text = hol_arena_text(arena, p.text),
                         .ops = ops,
                         .n_ops = p.n_ops,
                         .depth = p.most_operands,
                         .mistake = p.error.text[0] ? hol_arena_text(arena, p.error.text) : NULL};
    arena->failed |= p.scratch.failed;
    hol_arena_free(&p.scratch);
    return arena->failed ? NULL : s;
}
