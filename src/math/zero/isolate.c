// SPDX-License-Identifier: Apache-2.0
// Where does a function change its sign first? It is known at the Chebyshev points
//   theta_j = (1 - cos(pi j/8))/2
// and the polynomial through these values has Bernstein coefficients b. No change of sign in b: no zero;
// one: one zero; else the interval is halved (de Casteljau), a little beside its middle where that is a zero,
// which neither half would see. A function that is zero at the start, because
// the step starts at its event, is divided by theta^k, k the order of that zero (deflation): its old zero is
// never found again, the next one is.
// A function that swings faster than the motion is no such polynomial. Two more values tell: where they
// lie off the polynomial, each half of the interval has one of its own.
#include "math/zero/isolate.h"

#include <math.h>
#include <string.h>

enum { N = HOL_ZERO_NODES, DEEPEST = 30, MIDDLES = 3 };
static const double MIDDLE[MIDDLES] = {0.5, 0.4609,
                                       0.5273}; // of an interval: the first that is no zero
const double hol_zero_check[HOL_ZERO_CHECKS] = {0.2236, 0.6183};
static const double CLEAR = 4; // times its error the polynomial keeps off zero

static double bernstein(int n, int k, double x) {
    double c = 1;
    for (int i = 0; i < k; i++)
        c = c * (n - i) / (i + 1);
    return c * pow(x, k) * pow(1 - x, n - k);
}

// inverse of the matrix of Bernstein polynomials of degree n - 1 at the last n nodes
static void invert_nodes(const double *node, int n, double out[N][N]) {
    long double a[N][2 * N];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++)
            a[i][j] = j < n ? bernstein(n - 1, j, node[N - n + i]) : j - n == i;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(a[i][k]) > fabsl(a[pivot][k]))
                pivot = i;
        for (int j = 0; j < 2 * n; j++) {
            const long double keep = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = keep;
        }
        for (int i = 0; i < n; i++) {
            const long double f = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; i != k && j < 2 * n; j++)
                a[i][j] -= f * a[k][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i][j] = (double)(a[i][n + j] / a[i][i]);
}

void hol_zero_basis(HolZeroBasis *b) {
    for (int j = 0; j < N; j++)
        b->node[j] = j == N - 1 ? 1 : 0.5 * (1 - cos(M_PI * j / (N - 1)));
    invert_nodes(b->node, N, b->inverse[0]);
    invert_nodes(b->node, N - 1, b->inverse[1]);
}

// the polynomial on both sides of x (de Casteljau)
static void divide(const double *b, int n, double x, double *left, double *right) {
    double work[N];
    memcpy(work, b, sizeof *b * (size_t)n);
    for (int k = 0; k < n; k++) {
        left[k] = work[0];
        right[n - 1 - k] = work[n - 1 - k];
        for (int i = 0; i < n - 1 - k; i++)
            work[i] = (1 - x) * work[i] + x * work[i + 1];
    }
}

// first interval, not before *to, in which the polynomial with n coefficients b changes its sign; 0: there
// is none
static int first_change(const double *b, int n, double tiny, double lo, double hi, int depth,
                        double *from, double *to) {
    int changes = 0;
    double last = 0;
    if (hi <= *to)
        return 0;
    for (int i = 0; i < n; i++) {
        if (fabs(b[i]) <= tiny)
            continue;
        changes += last * b[i] < 0;
        last = b[i];
    }
    if (changes == 0)
        return 0;
    if (depth == DEEPEST || (changes == 1 && b[0] * b[n - 1] < 0)) {
        if (lo < *to)
            return 0;
        *from = lo;
        *to = hi;
        return changes == 1 || b[0] * b[n - 1] < 0;
    }
    double left[N], right[N];
    int at = 0;
    divide(b, n, MIDDLE[0], left, right);
    while (fabs(right[0]) <= tiny && ++at < MIDDLES)
        divide(b, n, MIDDLE[at], left, right);
    const double middle = lo + MIDDLE[at < MIDDLES ? at : MIDDLES - 1] * (hi - lo);
    return first_change(left, n, tiny, lo, middle, depth + 1, from, to) ||
           first_change(right, n, tiny, middle, hi, depth + 1, from, to);
}

static double zero_polynomial(const double *b, int n, double x) {
    double work[N];
    memcpy(work, b, sizeof *b * (size_t)n);
    for (int k = 1; k < n; k++)
        for (int i = 0; i < n - k; i++)
            work[i] = (1 - x) * work[i] + x * work[i + 1];
    return work[0];
}

// what is left of a value when the zero at the start is divided out
static double without_start(int order, double theta, double value) {
    return order ? value / pow(theta, order) : value;
}

// The polynomial is off what the function is between its nodes: by more than its distance from zero, or,
// where it has a zero, by more than a small part of its range
static int is_off(const HolZeroSearch *z, const double *y, int n, const double *b, int order,
                  const double *check) {
    double least = y[0], most = y[0], low = b[0], high = b[0], error = 0;
    for (int j = 1; j < n; j++) {
        least = fmin(least, y[j]);
        most = fmax(most, y[j]);
        low = fmin(low, b[j]);
        high = fmax(high, b[j]);
    }
    for (int k = 0; k < HOL_ZERO_CHECKS; k++) {
        const double x = hol_zero_check[k];
        error = fmax(error, fabs(zero_polynomial(b, n, x) - without_start(order, x, check[k])));
    }
    if (low > CLEAR * error || high < -CLEAR * error)
        return 0;
    return error >
           z->off * (most - least) + 100 * without_start(order, z->basis->node[1], z->noise);
}

static int search(const HolZeroSearch *z, double lo, double hi, const double *values,
                  const double *check, int depth, double *from, double *to, double *last);

// a place inside where the function is not zero
static double middle_of(const HolZeroSearch *z, double lo, double hi) {
    const double tiny = without_start(lo > 0 ? 0 : z->order, z->basis->node[1], z->noise);
    double x = 0.5 * (lo + hi);
    for (int at = 1; at < MIDDLES && fabs(z->value(z->context, x)) <= tiny; at++)
        x = lo + MIDDLE[at] * (hi - lo);
    return x;
}

// both halves of the interval by values of their own
static int halves(const HolZeroSearch *z, double lo, double hi, int depth, double *from, double *to,
                  double *last) {
    const double middle = middle_of(z, lo, hi);
    for (int half = 0; half < 2; half++) {
        const double a = half ? middle : lo, b = half ? hi : middle;
        double values[N], check[HOL_ZERO_CHECKS];
        for (int j = 0; j < N; j++)
            values[j] = z->value(z->context, a + (b - a) * z->basis->node[j]);
        for (int k = 0; k < HOL_ZERO_CHECKS; k++)
            check[k] = z->value(z->context, a + (b - a) * hol_zero_check[k]);
        if (search(z, a, b, values, check, depth + 1, from, to, last))
            return 1;
    }
    return 0;
}

static int search(const HolZeroSearch *z, double lo, double hi, const double *values,
                  const double *check, int depth, double *from, double *to, double *last) {
    const int order = lo > 0 ? 0 : z->order, n = order ? N - 1 : N;
    double y[N], b[N], rest = 0, a, end = fmax(0, (*to - lo) / (hi - lo));
    if (hi <= *to)
        return 0;
    for (int j = 0; j < n; j++) {
        const int k = N - n + j;
        y[j] = without_start(order, z->basis->node[k], values[k]);
        rest += fabs(y[j] - y[0]);
    }
    *last = y[n - 1];
    for (int r = 0; r < n; r++) {
        b[r] = 0;
        for (int c = 0; c < n; c++)
            b[r] += z->basis->inverse[order > 0][r][c] * y[c];
    }
    if (check && depth < z->deepest && is_off(z, y, n, b, order, check))
        return halves(z, lo, hi, depth, from, to, last);
    if (fabs(y[0]) > rest) // far from zero throughout
        return 0;
    const double tiny = without_start(order, z->basis->node[1], z->noise);
    if (!first_change(b, n, tiny, 0, 1, 0, &a, &end))
        return 0;
    *from = lo + (hi - lo) * a;
    *to = lo + (hi - lo) * end;
    return 1;
}

int hol_zero_isolate(const HolZeroSearch *z, const double *y, const double *check, double *from,
                     double *to, double *last) {
    return search(z, 0, 1, y, check, 0, from, to, last);
}
