// SPDX-License-Identifier: Apache-2.0
// Evaluation of a tape: value (forward), gradient (reverse sweep), Hessian (forward over reverse).
//
// With the local partials p_a, p_b, p_aa, p_ab, p_bb of each node z = op(a, b):
//   reverse:   a_bar += p_a z_bar
//   direction: z_dot = p_a a_dot + p_b b_dot
//   second:    a_bar_dot += p_a z_bar_dot + z_bar (p_aa a_dot + p_ab b_dot)
// The Hessian's column for one slot is the slots' bar_dot with that slot's dot = 1.
// A branch not taken has zero partials; nodes whose bar is zero are passed over and zero partials
// are not multiplied, so a NaN in a branch not taken stays there. The derivative of sqrt (and of a
// power below 1, and of hypot) at exactly 0 counts as 0.
#include "model/expr/expr_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

int hol_expr_is_constant(const HolExpr *e, double *value) {
    if (e->n_slots)
        return 0;
    if (value)
        *value = e->constants[e->root];
    return 1;
}

int hol_expr_has_kink(const HolExpr *e) {
    return e->has_kink;
}

int hol_expr_is_condition(const HolExpr *e) {
    const int i = e->root - e->n_slots - e->n_constants;
    return i >= 0 && e->code[i].op >= HOL_OP_LESS && e->code[i].op <= HOL_OP_NOT;
}

int hol_expr_slot_count(const HolExpr *e) {
    return e->n_slots;
}

const int *hol_expr_slots(const HolExpr *e) {
    return e->slots;
}

// nine numbers a node: value, bar, dot, bar_dot and five partials
size_t hol_expr_work(const HolExpr *e) {
    return 9 * (size_t)e->n_nodes;
}

int hol_expr_switch_count(const HolExpr *e) {
    return e->n_switches;
}

// ---------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------

static inline double op_value(HolOp op, double a, double b, double c) {
    switch (op) {
    case HOL_OP_ADD:
        return a + b;
    case HOL_OP_SUB:
        return a - b;
    case HOL_OP_NEG:
        return -a;
    case HOL_OP_MUL:
    case HOL_OP_SCALE:
        return a * b;
    case HOL_OP_SQUARE:
        return a * a;
    case HOL_OP_DIV:
    case HOL_OP_DIV_CONST:
        return a / b;
    case HOL_OP_POW:
    case HOL_OP_POW_CONST:
        return pow(a, b);
    case HOL_OP_SIN:
        return sin(a);
    case HOL_OP_COS:
        return cos(a);
    case HOL_OP_TAN:
        return tan(a);
    case HOL_OP_ASIN:
        return asin(a);
    case HOL_OP_ACOS:
        return acos(a);
    case HOL_OP_ATAN:
        return atan(a);
    case HOL_OP_ATAN2:
        return atan2(a, b);
    case HOL_OP_HYPOT:
        return hypot(a, b);
    case HOL_OP_SINH:
        return sinh(a);
    case HOL_OP_COSH:
        return cosh(a);
    case HOL_OP_TANH:
        return tanh(a);
    case HOL_OP_EXP:
        return exp(a);
    case HOL_OP_LOG:
        return log(a);
    case HOL_OP_SQRT:
        return sqrt(a);
    case HOL_OP_ABS:
        return fabs(a);
    case HOL_OP_SIGN:
        return (a > 0) - (a < 0);
    case HOL_OP_MIN:
        return a <= b ? a : b;
    case HOL_OP_MAX:
        return a >= b ? a : b;
    case HOL_OP_LESS:
        return a < b;
    case HOL_OP_LESS_EQUAL:
        return a <= b;
    case HOL_OP_EQUAL:
        return a == b;
    case HOL_OP_NOT_EQUAL:
        return a != b;
    case HOL_OP_AND:
        return a != 0 && b != 0;
    case HOL_OP_OR:
        return a != 0 || b != 0;
    case HOL_OP_NOT:
        return a == 0;
    case HOL_OP_IF:
        return c != 0 ? a : b;
    default:
        return NAN;
    }
}

double hol_op_value(HolOp op, double va, double vb, double vc) {
    return op_value(op, va, vb, vc);
}

// all node values; the frequent operations first, the rest through op_value
static double expr_eval_forward(const HolExpr *e, const double *x, double *v) {
    for (int i = 0; i < e->n_slots; i++)
        v[i] = x[e->slots[i]];
    int first = e->n_slots + e->n_constants, n = e->n_nodes;
    for (int i = e->n_slots; i < first; i++)
        v[i] = e->constants[i - e->n_slots];
    const HolInstr *in = e->code;
    for (int i = first; i < n; i++, in++) {
        double a = v[in->a];
        switch (in->op) {
        case HOL_OP_ADD:
            v[i] = a + v[in->b];
            break;
        case HOL_OP_SUB:
            v[i] = a - v[in->b];
            break;
        case HOL_OP_MUL:
        case HOL_OP_SCALE:
            v[i] = a * v[in->b];
            break;
        case HOL_OP_SQUARE:
            v[i] = a * a;
            break;
        case HOL_OP_SIN: // and the cosine beside it
            v[i] = sin(a);
            v[i + 1] = cos(a);
            i++, in++;
            break;
        case HOL_OP_IF:
            v[i] = v[in->c] != 0 ? a : v[in->b];
            break;
        case HOL_OP_INTERP:
            v[i] = hol_spline_value(e->splines[in->b], a, NULL, NULL);
            break;
        case HOL_OP_ARG:
            v[i] = a;
            break;
        case HOL_OP_CALL:
            v[i] = hol_call_value(e, in, v);
            break;
        default:
            v[i] = op_value(in->op, a, in->b >= 0 ? v[in->b] : 0, 0);
        }
    }
    return v[e->root];
}

double hol_expr_value(const HolExpr *e, const double *x, double *work) {
    return expr_eval_forward(e, x, work);
}

void hol_expr_switches(const HolExpr *e, const double *x, double *work, double *values) {
    expr_eval_forward(e, x, work);
    for (int i = 0; i < e->n_switches; i++) {
        HolSwitch s = e->switches[i];
        if (s.b >= 0)
            values[i] = work[s.a] - work[s.b];
        else if (s.b == HOL_SWITCH_ZERO)
            values[i] = work[s.a];
        else if (s.bit == 0) // all of them at once
            hol_spline_switches(e->splines[HOL_SWITCH_TABLE - s.b], work[s.a], values + i);
    }
}

double hol_expr_switch(const HolExpr *e, int i, const double *x, double *work) {
    const HolSwitch s = e->switches[i];
    double bits[32];
    expr_eval_forward(e, x, work);
    if (s.b > HOL_SWITCH_TABLE)
        return s.b >= 0 ? work[s.a] - work[s.b] : work[s.a];
    hol_spline_switches(e->splines[HOL_SWITCH_TABLE - s.b], work[s.a], bits);
    return bits[s.bit];
}

int hol_expr_node_count(const HolExpr *e) {
    return e->n_nodes;
}

void hol_expr_switches_of(const HolExpr *e, int (*is)(const void *context, int slot),
                          const void *context, unsigned char *nodes, unsigned char *flags) {
    const int first = e->n_slots + e->n_constants;
    for (int i = 0; i < first; i++)
        nodes[i] = i >= e->n_slots || is(context, e->slots[i]);
    for (int i = first; i < e->n_nodes; i++) {
        const HolInstr *in = &e->code[i - first];
        nodes[i] = nodes[in->a] && (hol_op_numbers(in->op) || in->b < 0 || nodes[in->b]) &&
                   (in->op != HOL_OP_IF || nodes[in->c]);
    }
    for (int i = 0; i < e->n_switches; i++) {
        const HolSwitch s = e->switches[i];
        flags[i] = nodes[s.a] && (s.b < 0 || nodes[s.b]);
    }
}

double hol_expr_next_knot(const HolExpr *e, double t, int jumps_only) {
    double next = INFINITY;
    for (int i = 0; i < e->n_uses; i++) {
        const HolSplineUse *u = &e->uses[i];
        const HolSpline *s = e->splines[u->spline];
        if (!u->timed || u->rate == 0 || (jumps_only && !s->stairs))
            continue;
        // (a time just behind the knot, whatever round-off makes of the argument)
        const double margin = 8 * DBL_EPSILON * (fabs(t) + fabs(u->at / u->rate));
        const double x = u->at + u->rate * (t + margin);
        const double knot = u->rate > 0 ? hol_spline_next(s, x) : hol_spline_before(s, x);
        const int plain = u->at == 0 && u->rate == 1;
        // (a step that ends there is on the old side of a jump)
        const double aside = s->stairs ? -0.5 * margin : plain ? 0 : 0.5 * margin;
        if (isfinite(knot))
            next = fmin(next, (knot - u->at) / u->rate + aside);
    }
    return next;
}

double hol_expr_behind_knot(const HolExpr *e, double t) {
    double behind = t;
    for (int i = 0; i < e->n_uses; i++) {
        const HolSplineUse *u = &e->uses[i];
        const HolSpline *s = e->splines[u->spline];
        if (!u->timed || u->rate == 0)
            continue;
        // (the least: a number that is not lost as a denormal)
        const double margin = fmax(8 * DBL_EPSILON * (fabs(t) + fabs(u->at / u->rate)), 1e-290);
        const double x = u->at + u->rate * t, reach = margin * fabs(u->rate);
        const double place = s->stairs ? rint(x) : hol_spline_next(s, x - reach);
        const int needed = u->rate < 0 || (s->stairs ? t != 0 || u->at != 0 : x < place);
        if (needed && fabs(place - x) <= reach)
            behind = fmax(behind, (place - u->at) / u->rate + 0.5 * margin);
    }
    return behind;
}

int hol_expr_table_count(const HolExpr *e) {
    return e->n_uses;
}

HolTableUse hol_expr_table_use(const HolExpr *e, int i, const double *work) {
    const HolSplineUse *u = &e->uses[i];
    const HolSpline *s = e->splines[u->spline];
    return (HolTableUse){s->name, work[u->node], s->x[0], s->x[s->n - 1], s->outside};
}

// ---------------------------------------------------------------------------------------------
// Partials of one operation
// ---------------------------------------------------------------------------------------------

typedef struct Partials {
    double a, b, aa, ab, bb;
} Partials;

// a^b with b constant. At a = 0 a positive power has no derivative that is used: 0.
static inline Partials power_const_partials(double a, double b) {
    if (a == 0 && b > 0)
        return (Partials){.a = 0};
    return (Partials){.a = b * pow(a, b - 1), .aa = b * (b - 1) * pow(a, b - 2)};
}

static Partials power_partials(double a, double b, double v) {
    Partials p = {.a = 0};
    if (a == 0) {
        if (b >= 1)
            p.a = b * pow(a, b - 1);
        if (b >= 2)
            p.aa = b * (b - 1) * pow(a, b - 2);
        return p;
    }
    double l = log(a), q = pow(a, b - 1);
    p.a = b * q;
    p.aa = b * (b - 1) * pow(a, b - 2);
    p.b = v * l;
    p.ab = q * (1 + b * l);
    p.bb = v * l * l;
    return p;
}

// first and second partials of node i (the compiler drops the second ones where they are not used)
static inline Partials partials(const HolExpr *e, const HolInstr *in, const double *v, int i) {
    double a = v[in->a], b = !hol_op_numbers(in->op) && in->b >= 0 ? v[in->b] : 0, z = v[i];
    switch (in->op) {
    case HOL_OP_ADD:
        return (Partials){.a = 1, .b = 1};
    case HOL_OP_SUB:
        return (Partials){.a = 1, .b = -1};
    case HOL_OP_NEG:
        return (Partials){.a = -1};
    case HOL_OP_MUL:
        return (Partials){.a = b, .b = a, .ab = 1};
    case HOL_OP_SQUARE:
        return (Partials){.a = 2 * a, .aa = 2};
    case HOL_OP_SCALE:
        return (Partials){.a = b};
    case HOL_OP_DIV_CONST:
        return (Partials){.a = 1 / b};
    case HOL_OP_DIV: {
        double r = 1 / b;
        return (Partials){.a = r, .b = -z * r, .ab = -r * r, .bb = 2 * z * r * r};
    }
    case HOL_OP_POW:
        return power_partials(a, b, z);
    case HOL_OP_POW_CONST:
        return power_const_partials(a, b);
    case HOL_OP_SIN:
        return (Partials){.a = v[i + 1], .aa = -z};
    case HOL_OP_COS:
        return (Partials){.a = -v[i - 1], .aa = -z};
    case HOL_OP_SINH:
        return (Partials){.a = v[i + 1], .aa = z};
    case HOL_OP_COSH:
        return (Partials){.a = v[i - 1], .aa = z};
    case HOL_OP_TAN:
        return (Partials){.a = 1 + z * z, .aa = 2 * z * (1 + z * z)};
    case HOL_OP_TANH:
        return (Partials){.a = 1 - z * z, .aa = -2 * z * (1 - z * z)};
    case HOL_OP_ASIN:
    case HOL_OP_ACOS: {
        double r = 1 / sqrt((1 - a) * (1 + a));
        if (in->op == HOL_OP_ACOS)
            r = -r;
        return (Partials){.a = r, .aa = a * r * r * r};
    }
    case HOL_OP_ATAN: {
        double r = 1 / (1 + a * a);
        return (Partials){.a = r, .aa = -2 * a * r * r};
    }
    case HOL_OP_ATAN2: {
        double q = a * a + b * b, r = q > 0 ? 1 / q : 0;
        double mixed = (a - b) * (a + b) * r * r, twice = 2 * a * b * r * r;
        return (Partials){.a = b * r, .b = -a * r, .aa = -twice, .ab = mixed, .bb = twice};
    }
    case HOL_OP_HYPOT: {
        if (z == 0)
            return (Partials){.a = 0};
        const double ca = a / z, cb = b / z;
        return (Partials){
            .a = ca, .b = cb, .aa = cb * cb / z, .ab = -ca * cb / z, .bb = ca * ca / z};
    }
    case HOL_OP_EXP:
        return (Partials){.a = z, .aa = z};
    case HOL_OP_LOG:
        return (Partials){.a = 1 / a, .aa = -1 / (a * a)};
    case HOL_OP_SQRT:
        if (a == 0)
            return (Partials){.a = 0};
        return (Partials){.a = 0.5 / z, .aa = -0.25 / (a * z)};
    case HOL_OP_ABS:
        return (Partials){.a = a >= 0 ? 1 : -1};
    case HOL_OP_MIN:
        return a <= b ? (Partials){.a = 1} : (Partials){.b = 1};
    case HOL_OP_MAX:
        return a >= b ? (Partials){.a = 1} : (Partials){.b = 1};
    case HOL_OP_IF:
        return v[in->c] != 0 ? (Partials){.a = 1} : (Partials){.b = 1};
    case HOL_OP_INTERP: {
        Partials p = {.a = 0};
        hol_spline_value(e->splines[in->b], a, &p.a, &p.aa);
        return p;
    }
    default: // comparisons, logic, sign
        return (Partials){.a = 0};
    }
}

// ---------------------------------------------------------------------------------------------
// Gradient and Hessian
// ---------------------------------------------------------------------------------------------

double hol_expr_gradient(const HolExpr *e, const double *x, double *work, double *gradient) {
    double *v = work, *bar = work + e->n_nodes, z = expr_eval_forward(e, x, v);
    memset(bar, 0, sizeof *bar * (size_t)e->n_nodes);
    bar[e->root] = 1;
    int first = e->n_slots + e->n_constants;
    for (int i = e->n_nodes - 1; i >= first; i--) {
        if (bar[i] == 0)
            continue;
        const HolInstr *in = &e->code[i - first];
        if (in->op == HOL_OP_CALL) {
            hol_call_spread(e, in, v, bar[i], bar);
            continue;
        }
        Partials p = partials(e, in, v, i);
        if (p.a != 0)
            bar[in->a] += p.a * bar[i];
        if (p.b != 0)
            bar[in->b] += p.b * bar[i];
    }
    memcpy(gradient, bar, sizeof *bar * (size_t)e->n_slots);
    return z;
}

// bar_dot of all nodes for the direction of one slot
static void direction_sweep(const HolExpr *e, const Partials *p, const double *bar, int slot,
                            double *dot, double *bar_dot) {
    int first = e->n_slots + e->n_constants;
    memset(dot, 0, sizeof *dot * (size_t)first);
    memset(bar_dot, 0, sizeof *bar_dot * (size_t)e->n_nodes);
    dot[slot] = 1;
    for (int i = first; i < e->n_nodes; i++) {
        const HolInstr *in = &e->code[i - first];
        const Partials *q = &p[i - first];
        dot[i] = q->a != 0 ? q->a * dot[in->a] : 0;
        if (q->b != 0)
            dot[i] += q->b * dot[in->b];
    }
    for (int i = e->n_nodes - 1; i >= first; i--) {
        if (bar[i] == 0 && bar_dot[i] == 0)
            continue;
        const HolInstr *in = &e->code[i - first];
        const Partials *q = &p[i - first];
        if (q->a != 0)
            bar_dot[in->a] += q->a * bar_dot[i];
        if (q->b != 0)
            bar_dot[in->b] += q->b * bar_dot[i];
        if (q->aa != 0)
            bar_dot[in->a] += q->aa * dot[in->a] * bar[i];
        if (q->bb != 0)
            bar_dot[in->b] += q->bb * dot[in->b] * bar[i];
        if (q->ab != 0) {
            bar_dot[in->a] += q->ab * dot[in->b] * bar[i];
            bar_dot[in->b] += q->ab * dot[in->a] * bar[i];
        }
    }
}

double hol_expr_hessian(const HolExpr *e, const double *x, double *work, double *gradient,
                        double *hessian) {
    int n = e->n_slots;
    if (e->is_linear) {
        memset(hessian, 0, sizeof *hessian * (size_t)n * (size_t)n);
        return hol_expr_gradient(e, x, work, gradient);
    }
    // the gradient leaves values and bars in the first two parts of the work array
    double z = hol_expr_gradient(e, x, work, gradient);
    size_t nodes = (size_t)e->n_nodes;
    double *v = work, *bar = work + nodes, *dot = bar + nodes, *bar_dot = dot + nodes;
    Partials *p = (Partials *)(void *)(bar_dot + nodes);
    int first = n + e->n_constants;
    for (int i = first; i < e->n_nodes; i++)
        p[i - first] = partials(e, &e->code[i - first], v, i);
    for (int s = 0; s < n; s++) {
        direction_sweep(e, p, bar, s, dot, bar_dot);
        for (int j = 0; j < n; j++)
            hessian[s * n + j] = bar_dot[j];
    }
    // equal in exact arithmetic: make it so to the last bit
    for (int s = 0; s < n; s++)
        for (int j = 0; j < s; j++)
            hessian[s * n + j] = hessian[j * n + s] =
                0.5 * (hessian[s * n + j] + hessian[j * n + s]);
    return z;
}

// one slot: v'' = p_a a'' + p_b b'' + p_aa a'^2 + 2 p_ab a' b' + p_bb b'^2 along the tape
double hol_expr_along(const HolExpr *e, const double *x, double *work, double *first,
                      double *second) {
    const size_t nodes = (size_t)e->n_nodes;
    double *v = work, *d = work + nodes, *dd = d + nodes;
    const double z = expr_eval_forward(e, x, v);
    const int start = e->n_slots + e->n_constants;
    for (int i = 0; i < start; i++) {
        d[i] = i < e->n_slots;
        dd[i] = 0;
    }
    for (int i = start; i < e->n_nodes; i++) {
        const HolInstr *in = &e->code[i - start];
        const Partials p = partials(e, in, v, i);
        const double a = d[in->a];
        d[i] = p.a * a;
        dd[i] = p.a * dd[in->a] + p.aa * a * a;
        if (p.b != 0 || p.bb != 0 ||
            p.ab != 0) { // (a second argument is a number or none elsewhere)
            const double b = d[in->b];
            d[i] += p.b * b;
            dd[i] += p.b * dd[in->b] + (2 * p.ab * a + p.bb * b) * b;
        }
    }
    *first = d[e->root];
    *second = dd[e->root];
    return z;
}
