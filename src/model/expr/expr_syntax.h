// SPDX-License-Identifier: Apache-2.0
// A parsed expression: operations in the order of the text, operands before their operator
// ("a + sin(b)" is: a, b, sin of 1, +). Names are not resolved yet. A mistake in the text is the
// last operation, so that compiling (expr_compile.c) finds an unknown name that stands before it.
#ifndef HOL_MODEL_EXPR_SYNTAX_H
#define HOL_MODEL_EXPR_SYNTAX_H

#include "model/expr/expr_internal.h"
#include "model/expr/expr_token.h"

enum { HOL_EXPR_NAME = 255, HOL_EXPR_ARGUMENTS = 16 }; // the longest name, most arguments

typedef enum HolSyntaxKind {
    HOL_SYNTAX_NUMBER,  // value
    HOL_SYNTAX_NAME,    // length letters of the text at column
    HOL_SYNTAX_TABLE,   // the same, of a table: first argument of interp
    HOL_SYNTAX_UNARY,   // op
    HOL_SYNTAX_BINARY,  // token
    HOL_SYNTAX_CALL,    // op of n arguments; column of the function's name
    HOL_SYNTAX_STRANGE, // a name that is no function of expressions, with '(' behind it
    HOL_SYNTAX_GIVEN,   // call of that name behind its n arguments: a function of the program
    HOL_SYNTAX_MISTAKE  // the message of the syntax
} HolSyntaxKind;

typedef struct HolSyntaxOp {
    unsigned char kind; // HolSyntaxKind
    unsigned char what; // HolOp, HOL_CALL_.. or HolTokenType
    unsigned short n;   // arguments
    int column, length;
    double value;
} HolSyntaxOp;

struct HolSyntax {
    const char *text;
    const HolSyntaxOp *ops;
    int n_ops;
    int depth;           // operands that wait for their operator, at most
    const char *mistake; // NULL: none
};

typedef struct HolFunction {
    const char *name;
    int least, most; // arguments
    int op;          // HolOp, or HOL_CALL_..: made of other operations
} HolFunction;
// functions that no operation of the tape stands for
enum { HOL_CALL_STEP = HOL_OP_COUNT, HOL_CALL_FLOOR, HOL_CALL_CEIL, HOL_CALL_MOD, HOL_CALL_CLAMP };
enum { HOL_FUNCTIONS = 25 };
extern const HolFunction hol_functions[HOL_FUNCTIONS];
const HolFunction *hol_function_find(const char *name);

#endif
