// SPDX-License-Identifier: Apache-2.0
// Simplex on the dual of minimax.h, whose basis has only one row more than there are unknowns:
//     max sum w_i b_i   with   sum w_i a_i = 0,   sum of the soft w_i = 1,   w_i >= 0
// in two phases; in the end columns are chosen by Bland's rule, so that it never runs in circles. The multipliers
// of its rows are -z and y: the entries of the row of costs below the artificial columns.
#include "math/minimax.h"

#include <math.h>
#include <string.h>

static const double SMALL = 1e-11; // of costs that are about 1
static const double PIVOT = 1e-8;  // the same: no pivot

enum { MOST_PIVOTS = 10000, MOST_GREEDY = 20 };

typedef struct Tableau {
    int rows, columns, width; // without the row of costs; functions and artificial ones; + 1
    int real;                 // columns that may enter
    double *t;                // (rows + 1) x width, the last row: costs, the last column: values
    int *basis;
} Tableau;

static void tableau_pivot(Tableau *t, int row, int column) {
    double *p = t->t + row * t->width;
    const double by = p[column];
    for (int j = 0; j < t->width; j++)
        p[j] /= by;
    for (int i = 0; i <= t->rows; i++) {
        double *r = t->t + i * t->width;
        const double f = r[column];
        if (i == row || f == 0)
            continue;
        for (int j = 0; j < t->width; j++)
            r[j] -= f * p[j];
        r[column] = 0;
    }
    t->basis[row] = column;
}

// 1: no column improves any more; 0: without bound
static int tableau_solve(Tableau *t) {
    const double *costs = t->t + t->rows * t->width;
    for (int pivot = 0; pivot < MOST_PIVOTS; pivot++) {
        int column = 0, row = -1;
        double least = INFINITY;
        if (pivot < MOST_GREEDY * t->rows) { // (the steepest one is more exact)
            for (int j = 1; j < t->real; j++)
                column = costs[j] < costs[column] ? j : column;
            if (costs[column] >= -SMALL)
                return 1;
        } else {
            while (column < t->real && costs[column] >= -SMALL)
                column++;
            if (column == t->real)
                return 1;
        }
        for (int i = 0; i < t->rows; i++) {
            const double *r = t->t + i * t->width;
            if (r[column] <= PIVOT)
                continue;
            const double part = r[t->width - 1] / r[column];
            const int before = row >= 0 && (pivot < MOST_GREEDY * t->rows
                                                ? r[column] > t->t[row * t->width + column]
                                                : t->basis[i] < t->basis[row]);
            if (part < least - 1e-14 || (part < least + 1e-14 && before)) {
                least = fmin(least, part);
                row = i;
            }
        }
        if (row < 0)
            return 0;
        tableau_pivot(t, row, column);
    }
    return 0;
}

long hol_minimax_work(int n, int k) {
    return (long)(k + 2) * (n + k + 2) + k;
}

// costs of the first phase: minus the sum of the rows, so that artificial columns leave
static void first_costs(Tableau *t) {
    double *costs = t->t + t->rows * t->width;
    memset(costs, 0, sizeof *costs * (size_t)t->width);
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->width; j++)
            if (j < t->real || j == t->width - 1)
                costs[j] -= t->t[i * t->width + j];
}

// in units of the largest, which is returned
static double second_costs(Tableau *t, const double *b) {
    double *costs = t->t + t->rows * t->width;
    memset(costs, 0, sizeof *costs * (size_t)t->width);
    double most = 0;
    for (int j = 0; j < t->real; j++)
        most = fmax(most, fabs(b[j]));
    most = most > 0 ? most : 1;
    for (int j = 0; j < t->real; j++)
        costs[j] = -b[j] / most;
    for (int i = 0; i < t->rows; i++) {
        const double c = t->basis[i] < t->real ? b[t->basis[i]] / most : 0;
        for (int j = 0; j < t->width && c != 0; j++)
            costs[j] += c * t->t[i * t->width + j];
    }
    for (int i = 0; i < t->rows; i++)
        costs[t->basis[i]] = 0;
    return most;
}

// artificial columns that are left, at zero, leave for any other; a row without one says nothing
static void drive_out(Tableau *t) {
    for (int i = 0; i < t->rows; i++) {
        const double *r = t->t + i * t->width;
        int best = -1;
        for (int j = 0; j < t->real && t->basis[i] >= t->real; j++)
            if (fabs(r[j]) > 1e-9 && (best < 0 || fabs(r[j]) > fabs(r[best])))
                best = j;
        if (best >= 0)
            tableau_pivot(t, i, best);
    }
}

int hol_minimax(HolMinimax *p) {
    const int n = p->n, k = p->k, rows = k + 1;
    double *unit = p->work;
    Tableau t = {rows, n + rows, n + rows + 1, n, p->work + k, p->basis};
    memset(t.t, 0, sizeof *t.t * (size_t)((rows + 1) * t.width));
    for (int j = 0; j < k; j++) {
        unit[j] = 0;
        for (int i = 0; i < n; i++)
            unit[j] = fmax(unit[j], fabs(p->a[i * k + j]));
        unit[j] = unit[j] > 0 ? unit[j] : 1;
        for (int i = 0; i < n; i++)
            t.t[j * t.width + i] = p->a[i * k + j] / unit[j];
    }
    for (int i = 0; i < n; i++)
        t.t[k * t.width + i] = !(p->hard && p->hard[i]);
    for (int i = 0; i < rows; i++) {
        t.t[i * t.width + n + i] = 1;
        t.basis[i] = n + i;
    }
    t.t[k * t.width + t.width - 1] = 1;
    first_costs(&t);
    const double *costs = t.t + rows * t.width;
    if (!tableau_solve(&t) || costs[t.width - 1] < -1e-9)
        return 0;
    drive_out(&t);
    const double most = second_costs(&t, p->b);
    if (!tableau_solve(&t))
        return 0;
    for (int j = 0; j < k; j++)
        p->z[j] = -most * costs[n + j] / unit[j];
    p->y = most * costs[n + k];
    memset(p->weight, 0, sizeof *p->weight * (size_t)n);
    for (int i = 0; i < rows; i++)
        if (t.basis[i] < n)
            p->weight[t.basis[i]] = t.t[i * t.width + t.width - 1];
    return 1;
}
