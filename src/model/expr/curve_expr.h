// SPDX-License-Identifier: Apache-2.0
// Splines by themselves: what curves (model/curve) need of the tables of expressions.
#ifndef HOL_MODEL_CURVE_EXPR_H
#define HOL_MODEL_CURVE_EXPR_H

#include "model/expr/expr.h"

struct HolSpline;
// NULL where x does not increase, or without memory
const struct HolSpline *hol_spline_of(HolArena *arena, const HolExprTable *table);
double hol_spline_at(const struct HolSpline *s, double x, double *first, double *second);
// the expression spline(slot); NULL without memory
HolExpr *hol_spline_expr(HolArena *arena, const struct HolSpline *s, int slot);

#endif
