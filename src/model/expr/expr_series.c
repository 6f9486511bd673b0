// SPDX-License-Identifier: Apache-2.0
// Taylor series of a tape (docs/theory/series.md, section 8): coefficient k of every node from the
// coefficients 0..k of its operands and its own 0..k-1.
//
// With the sums  P(a,b; i..j) = sum a_m b_(k-m)  and  D(a,b; i..j) = sum m a_m b_(k-m),  m = i..j
// (D/k is coefficient k of the integral of a' b):
//   z = a b:      z_k = P(a,b; 0..k)
//   z = a / b:    z_k = (a_k - P(z,b; 0..k-1)) / b_0
//   z = hypot:    z_k = (P(a,a; 0..k) + P(b,b; 0..k) - P(z,z; 1..k-1)) / (2 z_0)
//   z = sqrt a:   z_k = (a_k - P(z,z; 1..k-1)) / (2 z_0)
//   z' = u a':    z_k = D(a,u; 1..k) / k                      exp, sin, cos, tan, sinh, cosh, tanh
//   u z' = s:     z_k = (s_(k-1) - D(z,u; 1..k-1)) / (k u_0)  log, asin, acos, atan, atan2
//   z = a^c:      z_k = ((c+1) D(a,z; 1..k)/k - P(a,z; 1..k)) / a_0,  from a z' = c z a'
// The auxiliary series u stand in lanes behind those of the nodes. (A lane is the series of one
// number.) Where a root, hypot, a power or atan2 has no series (leading coefficient zero) the coefficients
// from 1 on are zero.
//
// Memory: lanes hold their coefficients in runs of RUN, lane after lane, so that a run is
// contiguous and the place of a coefficient does not depend on the highest order.
#include "model/expr/expr_internal.h"

#include <math.h>

enum { RUN = 8 };

typedef struct Jets {
    double *work;
    size_t lanes;
    int k;
} Jets;

static inline double *at(const Jets *t, int lane, int j) {
    size_t run = (size_t)j / RUN, place = (size_t)j % RUN;
    return t->work + (run * t->lanes + (size_t)lane) * RUN + place;
}

size_t hol_expr_jet_work(const HolExpr *e, int order) {
    size_t runs = (size_t)(order < 0 ? 0 : order) / RUN + 1;
    return runs * RUN * (size_t)e->n_lanes;
}

// P(a,b; from..to)
static double sum_product(const Jets *t, int a, int b, int from, int to) {
    double sum = 0;
    if (t->k < RUN) {
        const double *x = at(t, a, 0), *y = at(t, b, t->k);
        for (int m = from; m <= to; m++)
            sum += x[m] * y[-m];
    } else {
        for (int m = from; m <= to; m++)
            sum += *at(t, a, m) * *at(t, b, t->k - m);
    }
    return sum;
}

// D(a,b; from..to)
static double sum_derivative(const Jets *t, int a, int b, int from, int to) {
    double sum = 0;
    if (t->k < RUN) {
        const double *x = at(t, a, 0), *y = at(t, b, t->k);
        for (int m = from; m <= to; m++)
            sum += m * x[m] * y[-m];
    } else {
        for (int m = from; m <= to; m++)
            sum += m * *at(t, a, m) * *at(t, b, t->k - m);
    }
    return sum;
}

// coefficient k of z with z' = u a'
static double expr_series_integral(const Jets *t, int a, int u) {
    return sum_derivative(t, a, u, 1, t->k) / t->k;
}

// coefficient k of z with u z' = s', where s_k is given
static double quotient_integral(const Jets *t, int z, int u, double s_k) {
    return (s_k - sum_derivative(t, z, u, 1, t->k - 1) / t->k) / *at(t, u, 0);
}

// ---------------------------------------------------------------------------------------------
// Operations with auxiliary series, k >= 1; coefficients 0 are made by start_aux
// ---------------------------------------------------------------------------------------------

// tan, tanh: z' = u a', u = 1 + s z^2
static double expr_series_tangent(const Jets *t, int z, int a, int u, double s) {
    double *z_k = at(t, z, t->k);
    *z_k = expr_series_integral(t, a, u);
    *at(t, u, t->k) = s * sum_product(t, z, z, 0, t->k);
    return *z_k;
}

// asin (s = 1), acos (s = -1): u z' = s a', u = sqrt(1 - a^2), u' = -s a z'
static double arc_sine(const Jets *t, int z, int a, int u, double s) {
    double *z_k = at(t, z, t->k);
    *z_k = quotient_integral(t, z, u, s * *at(t, a, t->k));
    *at(t, u, t->k) = -s * expr_series_integral(t, z, a);
    return *z_k;
}

// u z' = a', u = 1 + a^2
static double arc_tangent(const Jets *t, int z, int a, int u) {
    *at(t, u, t->k) = sum_product(t, a, a, 0, t->k);
    return quotient_integral(t, z, u, *at(t, a, t->k));
}

// r z' = b a' - a b', r = a^2 + b^2
static double expr_series_arc_tangent2(const Jets *t, int z, int a, int b, int r) {
    *at(t, r, t->k) = sum_product(t, a, a, 0, t->k) + sum_product(t, b, b, 0, t->k);
    if (*at(t, r, 0) == 0)
        return 0;
    return quotient_integral(t, z, r,
                             expr_series_integral(t, a, b) - expr_series_integral(t, b, a));
}

// z = exp(w), w = b l, l = log a
static double general_power(const Jets *t, int z, int a, int b, int l) {
    int w = l + 1;
    if (*at(t, a, 0) == 0) {
        *at(t, l, t->k) = *at(t, w, t->k) = 0;
        return 0;
    }
    *at(t, l, t->k) = quotient_integral(t, l, a, *at(t, a, t->k));
    *at(t, w, t->k) = sum_product(t, b, l, 0, t->k);
    return expr_series_integral(t, w, z);
}

static double constant_power(const Jets *t, int z, int a, double c) {
    double a_0 = *at(t, a, 0);
    if (a_0 == 0)
        return 0;
    return ((c + 1) * expr_series_integral(t, a, z) - sum_product(t, a, z, 1, t->k)) / a_0;
}

static double square_root(const Jets *t, int z, int a) {
    double z_0 = *at(t, z, 0);
    if (z_0 == 0)
        return 0;
    return (*at(t, a, t->k) - sum_product(t, z, z, 1, t->k - 1)) / (2 * z_0);
}

static double expr_series_hypot(const Jets *t, int z, int a, int b) {
    double z_0 = *at(t, z, 0);
    if (z_0 == 0)
        return 0;
    return (sum_product(t, a, a, 0, t->k) + sum_product(t, b, b, 0, t->k) -
            sum_product(t, z, z, 1, t->k - 1)) /
           (2 * z_0);
}

// the piece's polynomial c0 + d (c1 + d (c2 + d c3)), d = a - anchor, with u = d^2
static double table_value(const Jets *t, int a, int u, const HolSpline *s) {
    int k = t->k;
    double d_0, a_k = *at(t, a, k);
    const double *c = hol_spline_piece(s, *at(t, a, 0), &d_0);
    double u_k = 2 * d_0 * a_k + sum_product(t, a, a, 1, k - 1);
    *at(t, u, k) = u_k;
    double cube = d_0 * u_k + a_k * d_0 * d_0 + sum_product(t, a, u, 1, k - 1);
    return c[1] * a_k + c[2] * u_k + c[3] * cube;
}

// ---------------------------------------------------------------------------------------------
// One order of the whole tape
// ---------------------------------------------------------------------------------------------

// coefficient 0 of the auxiliary series of node z
static void start_aux(const Jets *t, const HolInstr *in, int z) {
    double a = *at(t, in->a, 0), value = *at(t, z, 0), *aux = at(t, in->c, 0);
    switch (in->op) {
    case HOL_OP_TAN:
        *aux = 1 + value * value;
        break;
    case HOL_OP_TANH:
        *aux = 1 - value * value;
        break;
    case HOL_OP_ASIN:
    case HOL_OP_ACOS:
        *aux = sqrt((1 - a) * (1 + a));
        break;
    case HOL_OP_ATAN:
        *aux = 1 + a * a;
        break;
    case HOL_OP_ATAN2:
        *aux = a * a + *at(t, in->b, 0) * *at(t, in->b, 0);
        break;
    case HOL_OP_POW:
        *aux = log(a);
        *at(t, in->c + 1, 0) = *at(t, in->b, 0) * *aux;
        break;
    default: // the spline's u_0 is not read
        break;
    }
}

static void order_zero(const HolExpr *e, const Jets *t, int first) {
    for (int i = first; i < e->n_nodes; i++) {
        const HolInstr *in = &e->code[i - first];
        double a = *at(t, in->a, 0);
        if (in->op == HOL_OP_INTERP) {
            *at(t, i, 0) = hol_spline_value(e->splines[in->b], a, NULL, NULL);
            continue;
        }
        double b = in->b >= 0 ? *at(t, in->b, 0) : 0;
        double c = in->op == HOL_OP_IF ? *at(t, in->c, 0) : 0;
        *at(t, i, 0) = hol_op_value(in->op, a, b, c);
        if (in->op != HOL_OP_IF && in->c < e->n_lanes)
            start_aux(t, in, i);
    }
}

// The first coefficient up to k in which a differs from b (b < 0: from zero). On a switch itself it
// tells the side that the motion enters; as long as there is none, both sides have the same series.
static double side_behind(const Jets *t, int a, int b) {
    double d = 0;
    for (int j = 0; j <= t->k && d == 0; j++)
        d = *at(t, a, j) - (b >= 0 ? *at(t, b, j) : 0);
    return d;
}

// coefficient k >= 1 of node z
static double coefficient(const HolExpr *e, const Jets *t, const HolInstr *in, int z) {
    int k = t->k, a = in->a, b = in->b;
    double a_k = *at(t, a, k);
    switch (in->op) {
    case HOL_OP_ADD:
        return a_k + *at(t, b, k);
    case HOL_OP_SUB:
        return a_k - *at(t, b, k);
    case HOL_OP_NEG:
        return -a_k;
    case HOL_OP_MUL:
        return sum_product(t, a, b, 0, k);
    case HOL_OP_SQUARE:
        return sum_product(t, a, a, 0, k);
    case HOL_OP_SCALE:
        return a_k * *at(t, b, 0);
    case HOL_OP_DIV_CONST:
        return a_k / *at(t, b, 0);
    case HOL_OP_DIV:
        return (a_k - sum_product(t, z, b, 0, k - 1)) / *at(t, b, 0);
    case HOL_OP_POW:
        return general_power(t, z, a, b, in->c);
    case HOL_OP_POW_CONST:
        return constant_power(t, z, a, *at(t, b, 0));
    case HOL_OP_SIN:
    case HOL_OP_SINH:
        return expr_series_integral(t, a, z + 1);
    case HOL_OP_COS:
        return -expr_series_integral(t, a, z - 1);
    case HOL_OP_COSH:
        return expr_series_integral(t, a, z - 1);
    case HOL_OP_TAN:
        return expr_series_tangent(t, z, a, in->c, 1);
    case HOL_OP_TANH:
        return expr_series_tangent(t, z, a, in->c, -1);
    case HOL_OP_ASIN:
        return arc_sine(t, z, a, in->c, 1);
    case HOL_OP_ACOS:
        return arc_sine(t, z, a, in->c, -1);
    case HOL_OP_ATAN:
        return arc_tangent(t, z, a, in->c);
    case HOL_OP_ATAN2:
        return expr_series_arc_tangent2(t, z, a, b, in->c);
    case HOL_OP_HYPOT:
        return expr_series_hypot(t, z, a, b);
    case HOL_OP_EXP:
        return expr_series_integral(t, a, z);
    case HOL_OP_LOG:
        return quotient_integral(t, z, a, a_k);
    case HOL_OP_SQRT:
        return square_root(t, z, a);
    case HOL_OP_ABS:
        return side_behind(t, a, -1) >= 0 ? a_k : -a_k;
    case HOL_OP_MIN:
        return side_behind(t, a, b) <= 0 ? a_k : *at(t, b, k);
    case HOL_OP_MAX:
        return side_behind(t, a, b) >= 0 ? a_k : *at(t, b, k);
    case HOL_OP_IF:
        return *at(t, in->c, 0) != 0 ? a_k : *at(t, b, k);
    case HOL_OP_INTERP:
        return table_value(t, a, in->c, e->splines[b]);
    default: // comparisons, logic, sign
        return 0;
    }
}

double hol_expr_jet(const HolExpr *e, const double *x, size_t stride, int k, double *work) {
    Jets t = {work, (size_t)e->n_lanes, k};
    int first = e->n_slots + e->n_constants;
    for (int i = 0; i < e->n_slots; i++)
        *at(&t, i, k) = x[(size_t)e->slots[i] * stride + (size_t)k];
    for (int i = e->n_slots; i < first; i++)
        *at(&t, i, k) = k ? 0 : e->constants[i - e->n_slots];
    if (k == 0)
        order_zero(e, &t, first);
    else
        for (int i = first; i < e->n_nodes; i++)
            *at(&t, i, k) = coefficient(e, &t, &e->code[i - first], i);
    return *at(&t, e->root, k);
}
