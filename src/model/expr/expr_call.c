// SPDX-License-Identifier: Apache-2.0
// Functions of the program (HolFunctionDef) in expressions. In the tape a call is HOL_OP_CALL of the
// last of its arguments, each of which is HOL_OP_ARG: its value, and the argument before it. Slopes are
// the program's, or central differences
//     (f(x + e) - f(x - e)) / 2e,   e = 6e-6 max(1, |x|),
// which are good to about 1e-10 of the values. There are no second derivatives and no series: models
// with calls offer none, and constraints refuse them.
#include "model/expr/expr_syntax.h"

#include <math.h>

static const double INCREMENT = 6e-6;

// values and nodes of the arguments of a call
static void call_arguments(const HolExpr *e, const HolInstr *in, const double *v,
                           double x[HOL_FUNCTION_ARGUMENTS], int node[HOL_FUNCTION_ARGUMENTS]) {
    const int first = e->n_slots + e->n_constants;
    for (int k = e->functions[in->b]->arguments - 1, i = in->a; k >= 0; k--) {
        const HolInstr *argument = &e->code[i - first];
        node[k] = argument->a;
        x[k] = v[argument->a];
        i = argument->b;
    }
}

double hol_call_value(const HolExpr *e, const HolInstr *in, const double *v) {
    double x[HOL_FUNCTION_ARGUMENTS];
    int node[HOL_FUNCTION_ARGUMENTS];
    const HolFunctionDef *f = e->functions[in->b];
    call_arguments(e, in, v, x, node);
    return f->value(f->user, x);
}

void hol_call_spread(const HolExpr *e, const HolInstr *in, const double *v, double seed,
                     double *bar) {
    double x[HOL_FUNCTION_ARGUMENTS], slope[HOL_FUNCTION_ARGUMENTS] = {0};
    int node[HOL_FUNCTION_ARGUMENTS];
    const HolFunctionDef *f = e->functions[in->b];
    call_arguments(e, in, v, x, node);
    if (f->gradient)
        f->gradient(f->user, x, slope);
    for (int k = 0; k < f->arguments; k++) {
        if (!f->gradient) {
            const double at = x[k], step = INCREMENT * fmax(1, fabs(at));
            const double up = at + step, down = at - step;
            x[k] = up;
            const double above = f->value(f->user, x);
            x[k] = down;
            slope[k] = (above - f->value(f->user, x)) / (up - down);
            x[k] = at;
        }
        bar[node[k]] += slope[k] * seed;
    }
}

int hol_expr_is_function(const char *name) {
    return hol_function_find(name) != NULL;
}

int hol_expr_calls(const HolExpr *e) {
    return e->n_functions > 0;
}

// ---- building ----

static int call_number(HolBuild *build, const HolFunctionDef *f) {
    int number = 0;
    while (number < build->n_functions && build->functions[number] != f)
        number++;
    if (number < build->n_functions)
        return number;
    if (!HOL_GROW(&build->scratch, build->functions, build->n_functions,
                  build->function_capacity)) {
        build->failed = 1;
        return -1;
    }
    build->functions[build->n_functions] = f;
    return build->n_functions++;
}

int hol_build_call(HolBuild *build, const HolFunctionDef *f, const int *argument) {
    double x[HOL_FUNCTION_ARGUMENTS];
    int constant = 1, last = -1;
    for (int k = 0; k < f->arguments; k++) {
        if (argument[k] < 0)
            return -1;
        constant &= hol_build_is_constant(build, argument[k], &x[k]);
    }
    if (constant)
        return hol_build_constant(build, f->value(f->user, x));
    const int number = call_number(build, f);
    for (int k = 0; number >= 0 && k < f->arguments; k++)
        last = hol_build_node(build, HOL_OP_ARG, argument[k], last);
    return last < 0 ? -1 : hol_build_node(build, HOL_OP_CALL, last, number);
}

int hol_build_call_again(HolBuild *build, const HolExpr *e, const HolInstr *in, const int *map) {
    int node[HOL_FUNCTION_ARGUMENTS];
    const int first = e->n_slots + e->n_constants;
    for (int k = e->functions[in->b]->arguments - 1, i = in->a; k >= 0; k--) {
        node[k] = map[e->code[i - first].a];
        i = e->code[i - first].b;
    }
    return hol_build_call(build, e->functions[in->b], node);
}
