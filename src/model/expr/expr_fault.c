// SPDX-License-Identifier: Apache-2.0
// Where an expression has no value: outside of the domain of a function (sqrt, log, asin ..), at a
// pole, or beyond the largest number; and where it has no slope, sqrt(0).
//
// A fault is an operation without a finite value whose operands have one. Branches not taken do not
// count. Poles are passed between two points where a factor of a denominator, the cosine below a
// tangent or the argument of a logarithm changes its sign.
#include "model/expr/expr_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int first_node(const HolExpr *e) {
    return e->n_slots + e->n_constants;
}

static int expr_fault_has_second(HolOp op) {
    switch (op) {
    case HOL_OP_ADD:
    case HOL_OP_SUB:
    case HOL_OP_MUL:
    case HOL_OP_SCALE:
    case HOL_OP_DIV:
    case HOL_OP_DIV_CONST:
    case HOL_OP_POW:
    case HOL_OP_POW_CONST:
    case HOL_OP_ATAN2:
    case HOL_OP_HYPOT:
    case HOL_OP_MIN:
    case HOL_OP_MAX:
    case HOL_OP_LESS:
    case HOL_OP_LESS_EQUAL:
    case HOL_OP_EQUAL:
    case HOL_OP_NOT_EQUAL:
    case HOL_OP_AND:
    case HOL_OP_OR:
        return 1;
    default:
        return 0;
    }
}

void hol_expr_mark_used(const HolExpr *e, const double *v, double *used) {
    const int first = first_node(e);
    memset(used, 0, sizeof *used * (size_t)e->n_nodes);
    used[e->root] = 1;
    for (int i = e->n_nodes; i-- > first;) {
        const HolInstr *in = &e->code[i - first];
        if (used[i] == 0)
            continue;
        if (in->op == HOL_OP_IF) {
            used[in->c] = 1;
            used[v[in->c] != 0 ? in->a : in->b] = 1;
            continue;
        }
        used[in->a] = 1;
        if (expr_fault_has_second(in->op) || (in->op == HOL_OP_ARG && in->b >= 0))
            used[in->b] = 1;
    }
}

int hol_expr_may_fail(const HolExpr *e) {
    const int first = first_node(e);
    for (int i = first; i < e->n_nodes; i++)
        switch (e->code[i - first].op) {
        case HOL_OP_DIV:
        case HOL_OP_POW:
        case HOL_OP_POW_CONST:
        case HOL_OP_TAN:
        case HOL_OP_ASIN:
        case HOL_OP_ACOS:
        case HOL_OP_LOG:
        case HOL_OP_SQRT:
        case HOL_OP_CALL:
            return 1;
        default:
            break;
        }
    return 0;
}

static void expr_fault_describe(const HolInstr *in, double a, double b, char *out, size_t size) {
    switch (in->op) {
    case HOL_OP_SQRT:
        snprintf(out, size, "the square root of %.3g", a);
        break;
    case HOL_OP_LOG:
        snprintf(out, size, "the logarithm of %.3g", a);
        break;
    case HOL_OP_ASIN:
    case HOL_OP_ACOS:
        snprintf(out, size, "%s of %.17g", in->op == HOL_OP_ASIN ? "asin" : "acos", a);
        break;
    case HOL_OP_DIV:
    case HOL_OP_DIV_CONST:
        snprintf(out, size, b == 0 ? "a division by zero" : "a quotient that is too large");
        break;
    case HOL_OP_POW:
    case HOL_OP_POW_CONST:
        snprintf(out, size, "the power (%.3g)^(%.3g)", a, b);
        break;
    default:
        snprintf(out, size, "a number that is too large");
    }
}

// sqrt and powers below 1 at exactly zero: the slope is infinite
static int has_no_slope(const HolInstr *in, double a, double b) {
    return a == 0 && (in->op == HOL_OP_SQRT || (in->op == HOL_OP_POW_CONST && b > 0 && b < 1));
}

int hol_expr_fault(const HolExpr *e, const double *x, int slope, double *work, char *out,
                   size_t size) {
    const int first = first_node(e);
    double *used = work + e->n_nodes;
    hol_expr_value(e, x, work);
    hol_expr_mark_used(e, work, used);
    for (int i = first; i < e->n_nodes; i++) {
        const HolInstr *in = &e->code[i - first];
        const double a = work[in->a], b = expr_fault_has_second(in->op) ? work[in->b] : 0;
        if (used[i] == 0)
            continue;
        if (!isfinite(work[i]) && isfinite(a) && isfinite(b)) {
            if (in->op == HOL_OP_CALL)
                snprintf(out, size, "a value of the function '%.60s' that is no number",
                         e->functions[in->b]->name);
            else
                expr_fault_describe(in, a, b, out, size);
            return 1;
        }
        if (slope && has_no_slope(in, a, b)) {
            snprintf(out, size, "the end of a square root or power, whose slope is infinite there");
            return 1;
        }
    }
    return 0;
}

// ---- poles ----

// does a factor of node i change its sign between the values v0 and v1?
static int factor_passes(const HolExpr *e, int i, const double *v0, const double *v1) {
    const int first = first_node(e);
    for (;;) {
        if ((v0[i] < 0 && v1[i] > 0) || (v0[i] > 0 && v1[i] < 0) || v1[i] == 0)
            return 1;
        if (i < first)
            return 0;
        const HolInstr *in = &e->code[i - first];
        if (in->op == HOL_OP_MUL && factor_passes(e, in->b, v0, v1))
            return 1;
        if (in->op != HOL_OP_MUL && in->op != HOL_OP_SQUARE && in->op != HOL_OP_SCALE &&
            in->op != HOL_OP_NEG && in->op != HOL_OP_ABS && in->op != HOL_OP_POW_CONST &&
            in->op != HOL_OP_DIV_CONST)
            return 0;
        i = in->a;
    }
}

static double expr_fault_half_turns(double angle) {
    return floor(angle / 3.14159265358979323846 + 0.5);
}

int hol_expr_pole(const HolExpr *e, const double *x0, const double *x1, double *work) {
    const int first = first_node(e), n = e->n_nodes;
    double *v0 = work, *v1 = work + n, *used = work + 2 * n;
    hol_expr_value(e, x0, v0);
    hol_expr_value(e, x1, v1);
    hol_expr_mark_used(e, v1, used);
    for (int i = first; i < n; i++) {
        const HolInstr *in = &e->code[i - first];
        int passes = 0;
        if (used[i] != 0 && in->op == HOL_OP_DIV)
            passes = factor_passes(e, in->b, v0, v1);
        else if (used[i] != 0 &&
                 (in->op == HOL_OP_LOG || (in->op == HOL_OP_POW_CONST && v0[in->b] < 0)))
            passes = factor_passes(e, in->a, v0, v1);
        else if (used[i] != 0 && in->op == HOL_OP_TAN)
            passes = expr_fault_half_turns(v0[in->a]) != expr_fault_half_turns(v1[in->a]);
        if (passes)
            return 1;
    }
    return 0;
}
