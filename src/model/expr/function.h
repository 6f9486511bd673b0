// SPDX-License-Identifier: Apache-2.0
// What a program adds to the names of expressions: its functions, and parameters that it may change.
#ifndef HOL_MODEL_EXPR_FUNCTION_H
#define HOL_MODEL_EXPR_FUNCTION_H

#include "model/model.h"

HolStatus hol_add_function(HolModel *m, const HolFunctionDef *def, HolError *err);
// the function of this name as a symbol: 1, or 0 when there is none
int hol_function_symbol(const HolModel *m, const char *name, HolSymbol *out);
// the input of this name is a parameter of the file; 0: no memory
int hol_add_tunable(HolModel *m, const char *name);

#endif
