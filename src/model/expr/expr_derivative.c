// SPDX-License-Identifier: Apache-2.0
// The derivative of an expression by one of its slots, as an expression of its own.
//
// Forward along the tape, each node z = op(a, b) gets z' = p_a a' + p_b b' in the builder, which
// folds constants and shares equal parts. The special places are those of the gradient
// (expr_eval.c):
//   abs' = +1 at 0;  min, max, if: the branch taken;  sign, comparisons and logic: 0
//   sqrt and powers at a = 0, atan2 and hypot at the origin: 0
// A derivative that is zero everywhere is the constant 0 and is never multiplied.
#include "model/expr/expr_internal.h"

typedef struct Derivation {
    HolBuild build;
    HolArena *arena; // of the result: splines live there
    const HolExpr *e;
    int *value, *slope;          // node numbers of each node of the tape and of its derivative
    const HolSpline **steepness; // derivative of each spline of e, made when first used
} Derivation;

static int constant(Derivation *d, double x) {
    return hol_build_constant(&d->build, x);
}

static int is_zero(const Derivation *d, int node) {
    double x;
    return hol_build_is_constant(&d->build, node, &x) && x == 0;
}

static int expr_derivative_add(Derivation *d, int a, int b) {
    return hol_build_binary(&d->build, HOL_OP_ADD, a, b);
}

static int sub(Derivation *d, int a, int b) {
    return hol_build_binary(&d->build, HOL_OP_SUB, a, b);
}

static int mul(Derivation *d, int a, int b) {
    return hol_build_binary(&d->build, HOL_OP_MUL, a, b);
}

static int quotient(Derivation *d, int a, int b) {
    return is_zero(d, a) ? a : hol_build_binary(&d->build, HOL_OP_DIV, a, b);
}

static int unary(Derivation *d, HolOp op, int a) {
    return hol_build_unary(&d->build, op, a);
}

// 0 where `at` vanishes, else x
static int zero_at(Derivation *d, int at, int x) {
    int vanishes = hol_build_binary(&d->build, HOL_OP_EQUAL, at, constant(d, 0));
    return hol_build_if(&d->build, vanishes, constant(d, 0), x);
}

// b a^(b-1)
static int lower_power(Derivation *d, int a, int b) {
    int less = sub(d, b, constant(d, 1));
    return mul(d, b, hol_build_binary(&d->build, HOL_OP_POW, a, less));
}

// a^b with both varying: b a^(b-1) a' + a^b log(a) b'; at a = 0 the second part counts as 0, and
// the first where b < 1
static int power(Derivation *d, int z, int a, int b, int da, int db) {
    int base = lower_power(d, a, b), zero = constant(d, 0);
    int steep = hol_build_binary(&d->build, HOL_OP_LESS_EQUAL, constant(d, 1), b);
    int at_zero = mul(d, hol_build_if(&d->build, steep, base, zero), da);
    int elsewhere =
        expr_derivative_add(d, mul(d, base, da), mul(d, mul(d, z, unary(d, HOL_OP_LOG, a)), db));
    int vanishes = hol_build_binary(&d->build, HOL_OP_EQUAL, a, zero);
    return hol_build_if(&d->build, vanishes, at_zero, elsewhere);
}

static int power_const(Derivation *d, int a, int b, int da) {
    double exponent = 0;
    int slope = lower_power(d, a, b);
    hol_build_is_constant(&d->build, b, &exponent);
    return mul(d, exponent > 0 ? zero_at(d, a, slope) : slope, da);
}

// (b a' - a b')/(a^2 + b^2)
static int expr_derivative_arc_tangent2(Derivation *d, int a, int b, int da, int db) {
    int r = expr_derivative_add(d, mul(d, a, a), mul(d, b, b));
    return zero_at(d, r, quotient(d, sub(d, mul(d, b, da), mul(d, a, db)), r));
}

// the spline's derivative is piecewise quadratic over the same knots
static const HolSpline *steepness(Derivation *d, int number) {
    const HolSpline *s = d->e->splines[number];
    if (d->steepness[number])
        return d->steepness[number];
    HolSpline *out = HOL_NEW(d->arena, HolSpline, 1);
    double *c = HOL_NEW(d->arena, double, 4 * ((size_t)s->n + 1));
    if (!out || !c)
        return NULL;
    for (int piece = 0; piece <= s->n; piece++) {
        const double *from = s->coefficients + 4 * piece;
        c[4 * piece] = from[1];
        c[4 * piece + 1] = 2 * from[2];
        c[4 * piece + 2] = 3 * from[3];
    }
    *out = (HolSpline){s->name, s->n, s->outside, s->x, c, 0};
    return d->steepness[number] = out;
}

// slope of node z of the tape; a' or b' is not zero here (IF: its condition does not count)
static int slope_of(Derivation *d, const HolInstr *in, int z) {
    HolBuild *build = &d->build;
    int a = d->value[in->a], da = d->slope[in->a], has_b = in->b >= 0 && !hol_op_numbers(in->op);
    int b = has_b ? d->value[in->b] : -1, db = has_b ? d->slope[in->b] : -1;
    switch (in->op) {
    case HOL_OP_ADD:
        return expr_derivative_add(d, da, db);
    case HOL_OP_SUB:
        return sub(d, da, db);
    case HOL_OP_NEG:
        return unary(d, HOL_OP_NEG, da);
    case HOL_OP_MUL:
        return expr_derivative_add(d, mul(d, da, b), mul(d, a, db));
    case HOL_OP_SQUARE:
        return mul(d, mul(d, constant(d, 2), a), da);
    case HOL_OP_SCALE:
        return mul(d, da, b);
    case HOL_OP_DIV:
        return quotient(d, sub(d, da, mul(d, z, db)), b);
    case HOL_OP_DIV_CONST:
        return quotient(d, da, b);
    case HOL_OP_POW:
        return power(d, z, a, b, da, db);
    case HOL_OP_POW_CONST:
        return power_const(d, a, b, da);
    case HOL_OP_SIN:
        return mul(d, unary(d, HOL_OP_COS, a), da);
    case HOL_OP_COS:
        return mul(d, unary(d, HOL_OP_NEG, unary(d, HOL_OP_SIN, a)), da);
    case HOL_OP_SINH:
        return mul(d, unary(d, HOL_OP_COSH, a), da);
    case HOL_OP_COSH:
        return mul(d, unary(d, HOL_OP_SINH, a), da);
    case HOL_OP_TAN:
        return mul(d, expr_derivative_add(d, constant(d, 1), mul(d, z, z)), da);
    case HOL_OP_TANH:
        return mul(d, sub(d, constant(d, 1), mul(d, z, z)), da);
    case HOL_OP_ASIN:
    case HOL_OP_ACOS: {
        int root =
            unary(d, HOL_OP_SQRT,
                  mul(d, sub(d, constant(d, 1), a), expr_derivative_add(d, constant(d, 1), a)));
        return quotient(d, in->op == HOL_OP_ASIN ? da : unary(d, HOL_OP_NEG, da), root);
    }
    case HOL_OP_ATAN:
        return quotient(d, da, expr_derivative_add(d, constant(d, 1), mul(d, a, a)));
    case HOL_OP_ATAN2:
        return expr_derivative_arc_tangent2(d, a, b, da, db);
    case HOL_OP_HYPOT:
        return zero_at(d, z, quotient(d, expr_derivative_add(d, mul(d, a, da), mul(d, b, db)), z));
    case HOL_OP_EXP:
        return mul(d, z, da);
    case HOL_OP_LOG:
        return quotient(d, da, a);
    case HOL_OP_SQRT:
        return mul(d, zero_at(d, a, quotient(d, constant(d, 0.5), z)), da);
    case HOL_OP_ABS: {
        int positive = hol_build_binary(build, HOL_OP_LESS_EQUAL, constant(d, 0), a);
        return hol_build_if(build, positive, da, unary(d, HOL_OP_NEG, da));
    }
    case HOL_OP_MIN:
        return hol_build_if(build, hol_build_binary(build, HOL_OP_LESS_EQUAL, a, b), da, db);
    case HOL_OP_MAX:
        return hol_build_if(build, hol_build_binary(build, HOL_OP_LESS_EQUAL, b, a), da, db);
    case HOL_OP_IF:
        return hol_build_if(build, d->value[in->c], da, db);
    case HOL_OP_INTERP:
        if (d->e->splines[in->b]->stairs)
            return constant(d, 0);
        return mul(d, hol_build_interp(build, steepness(d, in->b), a), da);
    default: // sign, comparisons, logic
        return constant(d, 0);
    }
}

static int value_of(Derivation *d, const HolInstr *in) {
    HolBuild *build = &d->build;
    const int *value = d->value;
    if (in->op == HOL_OP_INTERP)
        return hol_build_interp(build, d->e->splines[in->b], value[in->a]);
    if (in->op == HOL_OP_IF)
        return hol_build_if(build, value[in->c], value[in->a], value[in->b]);
    if (in->op == HOL_OP_SQUARE)
        return mul(d, value[in->a], value[in->a]);
    if (in->b >= 0)
        return hol_build_binary(build, in->op, value[in->a], value[in->b]);
    return hol_build_unary(build, in->op, value[in->a]);
}

// all nodes in order; the number of the derivative's root, or -1
static int derive(Derivation *d, int local_slot) {
    const HolExpr *e = d->e;
    int first = e->n_slots + e->n_constants;
    for (int i = 0; i < first; i++) {
        d->value[i] = i < e->n_slots ? hol_build_slot(&d->build, e->slots[i])
                                     : constant(d, e->constants[i - e->n_slots]);
        d->slope[i] = constant(d, i == local_slot ? 1 : 0);
    }
    for (int i = first; i < e->n_nodes; i++) {
        const HolInstr *in = &e->code[i - first];
        int has_b = in->b >= 0 && !hol_op_numbers(in->op);
        d->value[i] = value_of(d, in);
        int flat = is_zero(d, d->slope[in->a]) && (!has_b || is_zero(d, d->slope[in->b]));
        d->slope[i] = flat ? constant(d, 0) : slope_of(d, in, d->value[i]);
        if (d->value[i] < 0 || d->slope[i] < 0)
            return -1;
    }
    return d->slope[e->root];
}

HolExpr *hol_expr_derivative(HolArena *arena, const HolExpr *e, int local_slot) {
    Derivation d = {.arena = arena, .e = e};
    HolExpr *out = NULL;
    d.value = HOL_NEW(&d.build.scratch, int, e->n_nodes);
    d.slope = HOL_NEW(&d.build.scratch, int, e->n_nodes);
    d.steepness = HOL_NEW(&d.build.scratch, const HolSpline *, e->n_splines + 1);
    if (d.value && d.slope && d.steepness)
        out = hol_build_finish(&d.build, arena, derive(&d, local_slot));
    arena->failed |= d.build.scratch.failed;
    hol_build_free(&d.build);
    return out;
}
