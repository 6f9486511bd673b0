// SPDX-License-Identifier: Apache-2.0
// Tokens of the expression language.
#ifndef HOL_MODEL_EXPR_TOKEN_H
#define HOL_MODEL_EXPR_TOKEN_H

#include "model/expr/expr.h"

typedef enum HolTokenType {
    HOL_TOKEN_END,
    HOL_TOKEN_NUMBER,
    HOL_TOKEN_NAME,
    HOL_TOKEN_OR, // the operators with a precedence, in this order
    HOL_TOKEN_AND,
    HOL_TOKEN_NOT,  // the word: not a < b is not (a < b)
    HOL_TOKEN_BANG, // the sign: binds like unary minus
    HOL_TOKEN_LESS,
    HOL_TOKEN_LESS_EQUAL,
    HOL_TOKEN_GREATER,
    HOL_TOKEN_GREATER_EQUAL,
    HOL_TOKEN_EQUAL,
    HOL_TOKEN_NOT_EQUAL,
    HOL_TOKEN_PLUS,
    HOL_TOKEN_MINUS,
    HOL_TOKEN_TIMES,
    HOL_TOKEN_OVER,
    HOL_TOKEN_POWER,
    HOL_TOKEN_OPEN,
    HOL_TOKEN_CLOSE,
    HOL_TOKEN_COMMA,
    HOL_TOKEN_BAD
} HolTokenType;

typedef struct HolToken {
    HolTokenType type;
    int start, length;
    double number;
} HolToken;

// Reads the token at text[position..] (blanks before it are passed over); its end is start +
// length. 1, or 0 with *err filled: no token starts there.
int hol_token_read(const char *text, int position, HolToken *token, HolExprError *err);

#endif
