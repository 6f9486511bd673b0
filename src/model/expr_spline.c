// SPDX-License-Identifier: Apache-2.0
// Tables of interp(name, x): natural cubic spline through the points, linear outside.
//
// With the knot slopes' derivatives M_i = y''(x_i), h_i = x_(i+1) - x_i, s_i = (y_(i+1) - y_i)/h_i:
//   h_(i-1) M_(i-1) + 2 (h_(i-1) + h_i) M_i + h_i M_(i+1) = 6 (s_i - s_(i-1)),  M_0 = M_(n-1) = 0
// and on piece i with d = x - x_i:
//   y = y_i + d (s_i - h_i (2 M_i + M_(i+1))/6 + d (M_i/2 + d (M_(i+1) - M_i)/(6 h_i)))
#include "model/expr_internal.h"

#include <math.h>

static int table_is_valid(const HolExprTable *table) {
    if (table->n < 2)
        return 0;
    for (int i = 0; i < table->n; i++) {
        if (!isfinite(table->x[i]) || !isfinite(table->y[i]))
            return 0;
        if (i && !(table->x[i] > table->x[i - 1]))
            return 0;
    }
    return 1;
}

// second derivatives m at the knots by elimination; diagonal is scratch
static void solve_natural(int n, const double *x, const double *y, double *m, double *diagonal) {
    m[0] = m[n - 1] = 0;
    diagonal[0] = 1;
    for (int i = 1; i < n - 1; i++) {
        double left = x[i] - x[i - 1], right = x[i + 1] - x[i];
        double factor = i > 1 ? left / diagonal[i - 1] : 0;
        diagonal[i] = 2 * (left + right) - factor * left;
        m[i] = 6 * ((y[i + 1] - y[i]) / right - (y[i] - y[i - 1]) / left) - factor * m[i - 1];
    }
    for (int i = n - 2; i >= 1; i--)
        m[i] = (m[i] - (x[i + 1] - x[i]) * m[i + 1]) / diagonal[i];
}

const HolSpline *hol_spline_create(HolArena *arena, const HolExprTable *table) {
    int n = table->n;
    if (!table_is_valid(table))
        return NULL;
    HolSpline *spline = HOL_NEW(arena, HolSpline, 1);
    double *x = HOL_NEW(arena, double, n);
    double *c = HOL_NEW(arena, double, 4 * ((size_t)n + 1));
    double *m = HOL_NEW(arena, double, 2 * (size_t)n);
    const char *name = hol_arena_text(arena, table->name);
    if (!spline || !x || !c || !m || !name)
        return NULL;
    for (int i = 0; i < n; i++)
        x[i] = table->x[i];
    solve_natural(n, x, table->y, m, m + n);
    // the pieces between the knots; piece p starts at knot p - 1
    for (int i = 0; i < n - 1; i++) {
        double *piece = c + 4 * (i + 1), h = x[i + 1] - x[i];
        piece[0] = table->y[i];
        piece[1] = (table->y[i + 1] - table->y[i]) / h - h * (2 * m[i] + m[i + 1]) / 6;
        piece[2] = m[i] / 2;
        piece[3] = (m[i + 1] - m[i]) / (6 * h);
    }
    // straight lines before the first and after the last knot
    c[0] = table->y[0];
    c[1] = c[5];
    double h = x[n - 1] - x[n - 2];
    const double *last = c + 4 * (n - 1);
    c[4 * n] = table->y[n - 1];
    c[4 * n + 1] = last[1] + h * (2 * last[2] + 3 * h * last[3]);
    *spline = (HolSpline){name, n, x, c};
    return spline;
}

// number of knots <= x
int hol_spline_piece(const HolSpline *s, double x) {
    int low = 0, high = s->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->x[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double hol_spline_value(const HolSpline *s, double x, double *first, double *second) {
    int p = hol_spline_piece(s, x);
    const double *c = s->coefficients + 4 * p;
    double d = x - s->x[p ? p - 1 : 0];
    if (first)
        *first = c[1] + d * (2 * c[2] + 3 * d * c[3]);
    if (second)
        *second = 2 * c[2] + 6 * d * c[3];
    return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}

// continuous, zero at the knots and of opposite sign on neighbouring pieces
double hol_spline_switch(const HolSpline *s, double x) {
    int p = hol_spline_piece(s, x);
    if (p == 0)
        return x - s->x[0];
    double sign = p % 2 ? 1 : -1, d = x - s->x[p - 1];
    if (p == s->n)
        return sign * d;
    return sign * d * (s->x[p] - x) / (s->x[p] - s->x[p - 1]);
}
