// SPDX-License-Identifier: Apache-2.0
// The locator (docs/theory/events.md, section 18): functions are sampled along the curve of a step at
// Chebyshev points, their zeros are isolated there by polynomials (isolate.c) and refined on the
// functions themselves. A function that is zero where the step starts, because the last one ended
// there, is divided by theta^order.
#include "math/zero/zeros.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

enum { REFINEMENTS = 60, BISECTIONS = 200 };
static const double LEFT = 4; // noises: a function has left zero

void hol_zeros_sample(const HolZeros *z) {
    for (int j = 0; j < HOL_ZERO_NODES; j++)
        z->values(z->context, z->basis->node[j], -1, z->sample + j * z->n);
    for (int k = 0; k < HOL_ZERO_CHECKS; k++)
        z->values(z->context, hol_zero_check[k], -1, z->check + k * z->n);
}

double hol_zeros_value(const HolZeros *z, int i, double theta) {
    z->values(z->context, theta, i, z->scratch);
    return z->scratch[i];
}

typedef struct Zero {
    const HolZeros *z;
    int i;
} Zero;

static double zeros_plain(void *context, double theta) {
    const Zero *a = context;
    return hol_zeros_value(a->z, a->i, theta);
}

int hol_zeros_next(const HolZeros *z, int i, int order, int checked, double *from, double *to,
                   double *last) {
    Zero zero = {z, i};
    const HolZeroSearch search = {z->basis, zeros_plain, &zero, z->noise[i],
                                  order,    z->deepest,  z->off};
    double y[HOL_ZERO_NODES], check[HOL_ZERO_CHECKS];
    for (int j = 0; j < HOL_ZERO_NODES; j++)
        y[j] = z->sample[j * z->n + i];
    for (int k = 0; k < HOL_ZERO_CHECKS; k++)
        check[k] = z->check[k * z->n + i];
    return hol_zero_isolate(&search, y, checked ? check : NULL, from, to, last);
}

double hol_zeros_leaves(const HolZeros *z, int i, double from, double to) {
    while (4 * from < to && fabs(hol_zeros_value(z, i, from)) <= LEFT * z->noise[i])
        from *= 4;
    return from;
}

static double zeros_deflated(const HolZeros *z, int i, int order, double theta) {
    return hol_zeros_value(z, i, theta) / (order ? pow(theta, order) : 1);
}

// regula falsi (Illinois) between two places of different sign: an end that stays twice counts half
double hol_zeros_refine(const HolZeros *z, int i, int order, double lo, double hi, int *way) {
    double f = zeros_deflated(z, i, order, lo), g = zeros_deflated(z, i, order, hi), x = lo;
    int side = 0;
    *way = f < 0 || (f == 0 && g > 0) ? 1 : -1;
    if (f * g > 0) // the polynomial was off by a little
        return f * f < g * g ? lo : hi;
    for (int k = 0; k < REFINEMENTS && hi - lo > 4 * DBL_EPSILON && f != g; k++) {
        const double last = x;
        x = (lo * g - hi * f) / (g - f);
        if (!(x > lo && x < hi))
            x = 0.5 * (lo + hi);
        const double y = zeros_deflated(z, i, order, x);
        if (y == 0 || fabs(x - last) <= DBL_EPSILON * x)
            break;
        if (y * f > 0) {
            lo = x;
            f = y;
            g *= side < 0 ? 0.5 : 1;
            side = -1;
        } else {
            hi = x;
            g = y;
            f *= side > 0 ? 0.5 : 1;
            side = 1;
        }
    }
    return x;
}

// The same, but both ends close in: a place next to an end is moved off it by half of what is asked
// for, and where the interval does not become much shorter it is halved.
double hol_zeros_behind(const HolZeros *z, int i, double lo, double hi, double width,
                        double relative) {
    double f = hol_zeros_value(z, i, lo), g = hol_zeros_value(z, i, hi), length = hi - lo;
    int side = 0;
    if (!(f * g < 0))
        return 0;
    const double first = f;
    for (int k = 0; k < BISECTIONS; k++) {
        const double enough = fmax(width, relative * hi);
        if (hi - lo <= enough)
            break;
        const int slow = k % 3 == 2 && hi - lo > 0.5 * length;
        double x = (lo * g - hi * f) / (g - f);
        x = fmin(fmax(x, lo + 0.5 * enough), hi - 0.5 * enough);
        if (slow || !isfinite(x) || !(x > lo && x < hi))
            x = 0.5 * (lo + hi);
        if (k % 3 == 2)
            length = hi - lo;
        if (!(x > lo && x < hi)) // neighbouring numbers
            break;
        const double y = hol_zeros_value(z, i, x);
        if (y * first < 0) {
            hi = x;
            g = y;
            f *= side > 0 ? 0.5 : 1;
            side = 1;
        } else {
            lo = x;
            f = y;
            g *= side < 0 ? 0.5 : 1;
            side = -1;
        }
    }
    return hi;
}
