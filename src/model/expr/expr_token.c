// SPDX-License-Identifier: Apache-2.0
// Tokens of the expression language: numbers, names (letters, digits, _ and dots), words and signs.
#include "model/expr/expr_token.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int expr_token_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int expr_token_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// a place or quantity at a fraction of a beam: "rod.at" or "rod.deflection" and "(0.5)"; its length
static int fraction_length(const char *s, int n) {
    static const char *const words[] = {".at", ".deflection"};
    int length = 0;
    for (int i = 0; i < 2; i++) {
        const int word = (int)strlen(words[i]);
        if (s[n] == '(' && n > word && strncmp(s + n - word, words[i], (size_t)word) == 0)
            length = 1 + (int)strspn(s + n + 1, "0123456789.eE+-");
    }
    return length > 1 && s[n + length] == ')' ? length + 1 : 0;
}

static int name_length(const char *s) {
    int n = 0;
    while (expr_token_is_letter(s[n]) || expr_token_is_digit(s[n]) || s[n] == '.')
        n++;
    const int fraction = fraction_length(s, n);
    n += fraction;
    while (fraction && (expr_token_is_letter(s[n]) || expr_token_is_digit(s[n]) || s[n] == '.'))
        n++;
    return n;
}

// digits, point, digits, exponent; an e without digits behind it does not belong to the number
static int number_length(const char *s) {
    int n = 0;
    while (expr_token_is_digit(s[n]))
        n++;
    if (s[n] == '.')
        n++;
    while (expr_token_is_digit(s[n]))
        n++;
    if (s[n] == 'e' || s[n] == 'E') {
        int m = n + 1;
        if (s[m] == '+' || s[m] == '-')
            m++;
        if (expr_token_is_digit(s[m])) {
            while (expr_token_is_digit(s[m]))
                m++;
            n = m;
        }
    }
    return n;
}

static HolTokenType word_type(const char *s, int length) {
    if (length == 2 && !memcmp(s, "or", 2))
        return HOL_TOKEN_OR;
    if (length == 3 && !memcmp(s, "and", 3))
        return HOL_TOKEN_AND;
    if (length == 3 && !memcmp(s, "not", 3))
        return HOL_TOKEN_NOT;
    return HOL_TOKEN_NAME;
}

static HolTokenType sign_type(const char *s, int *length) {
    static const struct {
        char sign[3];
        HolTokenType type;
    } signs[] = {
        {"||", HOL_TOKEN_OR},         {"&&", HOL_TOKEN_AND},           {"!=", HOL_TOKEN_NOT_EQUAL},
        {"<=", HOL_TOKEN_LESS_EQUAL}, {">=", HOL_TOKEN_GREATER_EQUAL}, {"==", HOL_TOKEN_EQUAL},
        {"**", HOL_TOKEN_BAD},        {"!", HOL_TOKEN_BANG},           {"<", HOL_TOKEN_LESS},
        {">", HOL_TOKEN_GREATER},     {"+", HOL_TOKEN_PLUS},           {"-", HOL_TOKEN_MINUS},
        {"*", HOL_TOKEN_TIMES},       {"/", HOL_TOKEN_OVER},           {"^", HOL_TOKEN_POWER},
        {"(", HOL_TOKEN_OPEN},        {")", HOL_TOKEN_CLOSE},          {",", HOL_TOKEN_COMMA}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i].sign);
        if (!strncmp(s, signs[i].sign, n)) {
            *length = (int)n;
            return signs[i].type;
        }
    }
    *length = 1;
    return HOL_TOKEN_BAD;
}

// fills *err; returns 0
__attribute__((format(printf, 3, 4))) static int expr_token_message(HolExprError *err, int column,
                                                                    const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    err->column = column;
    return 0;
}

// what is wrong with a character that starts no token
static int bad_character(const char *text, int at, HolExprError *err) {
    const char *s = text + at;
    unsigned char c = (unsigned char)*s;
    if (!strncmp(s, "**", 2))
        expr_token_message(err, at, "unexpected '**'; a power is written with '^'");
    else if (c == '=')
        expr_token_message(err, at, "unexpected '='; to compare write '=='");
    else if (c == '&' || c == '|')
        expr_token_message(err, at, "unexpected '%c'; write '%c%c' or '%s'", c, c, c,
                           c == '&' ? "and" : "or");
    else if (c < 32 || c >= 127)
        expr_token_message(
            err, at, "unexpected byte 0x%02X; only plain letters, digits and signs are allowed", c);
    else
        expr_token_message(err, at, "unexpected character '%c'", c);
    return 0;
}

int hol_token_read(const char *text, int position, HolToken *t, HolExprError *err) {
    const char *s = text + position;
    while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r')
        s++;
    *t = (HolToken){.type = HOL_TOKEN_END, .start = (int)(s - text)};
    if (expr_token_is_digit(*s) || (*s == '.' && expr_token_is_digit(s[1]))) {
        t->type = HOL_TOKEN_NUMBER;
        t->length = number_length(s);
        if (!hol_text_number(s, (size_t)t->length, &t->number))
            return expr_token_message(err, t->start, "'%.*s' is not a number",
                                      t->length < 40 ? t->length : 40, s);
        if (!isfinite(t->number))
            return expr_token_message(err, t->start, "the number is too large");
    } else if (expr_token_is_letter(*s)) {
        t->length = name_length(s);
        t->type = word_type(s, t->length);
    } else if (*s) {
        t->type = sign_type(s, &t->length);
        if (t->type == HOL_TOKEN_BAD)
            return bad_character(text, t->start, err);
    }
    return 1;
}
