// SPDX-License-Identifier: Apache-2.0
// Which rows of two results belong together, and values between rows. Times closer than 1e-10 of
// the span are the same. Two rows at one time are the sides of a jump: left goes with left, right
// with right, and nothing is interpolated across. Between rows t_0 < t < t_1, s = (t - t_0)/h:
//   with a rate       cubic (Hermite) from x, x' at both ends; with x'' too, the quintic
//   without           cubic through the nearest four rows, Lagrange
// The error is taken as the difference from the formula of lower degree (quintic and cubic; cubic
// of Hermite and of Lagrange; cubic and quadratic), here and in the middle of the intervals beside,
// which is that of the lower one: an upper bound where the rows resolve the motion.
#include "tools/diff/diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SAME_TIME = 1e-10; // of the common span

int hol_diff_side(HolDiffSide *side, HolArena *arena, const HolResult *r) {
    *side = (HolDiffSide){.result = r};
    for (int i = 0; i < r->n_columns; i++)
        if (!hol_name_table_add(&side->names, arena, r->columns[i].name, NULL, i))
            return 0;
    return 1;
}

int hol_diff_find(const HolDiffSide *side, const char *name) {
    const HolNameEntry *entry = hol_name_table_find(&side->names, name);
    return entry ? entry->line : -1;
}

// ---- rows ----

// the first row at or after t
static long diff_rows_at(const HolResult *r, double t) {
    long low = 0, high = r->rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (r->values[0][middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// the rows at about the time t: their number, the first one in *first
static long diff_rows_near(const HolResult *r, double t, double near, long *first) {
    long n = 0;
    *first = diff_rows_at(r, t - near);
    while (*first + n < r->rows && r->values[0][*first + n] <= t + near)
        n++;
    return n;
}

static long diff_rows_count(const HolResult *r, double from, double to) {
    return diff_rows_at(r, nextafter(to, INFINITY)) - diff_rows_at(r, from);
}

// one row of base: the same one of several at its time, or the interval it lies in
static int diff_rows_pair(const HolDiffRows *d, long row, double near, HolDiffPair *out) {
    const HolResult *b = d->base->result, *o = d->other->result;
    const double t = b->values[0][row];
    long mine, first;
    const long n_mine = diff_rows_near(b, t, near, &mine);
    const long n = diff_rows_near(o, t, near, &first);
    *out = (HolDiffPair){.row = row};
    if (n == 0) {
        out->other = first - 1;
        out->between = 1;
        return first > 0 && first < o->rows && n_mine == 1;
    }
    // the last with the last, the first with the first; a side that only one of them has is left out
    const long from_end = mine + n_mine - 1 - row;
    out->other = first + n - 1 - from_end;
    return from_end < n;
}

int hol_diff_rows(HolDiffRows *d, HolArena *arena, const HolDiffSide *first,
                  const HolDiffSide *second) {
    const HolResult *a = first->result, *b = second->result;
    const double from = fmax(a->values[0][0], b->values[0][0]);
    const double to = fmin(a->values[0][a->rows - 1], b->values[0][b->rows - 1]);
    const double near = SAME_TIME * fmax(to - from, 0);
    const int swapped =
        diff_rows_count(b, from - near, to + near) < diff_rows_count(a, from - near, to + near);
    *d = (HolDiffRows){
        .base = swapped ? second : first, .other = swapped ? first : second, .swapped = swapped};
    d->from = from;
    d->to = to;
    const long begin = diff_rows_at(d->base->result, from - near);
    const long count = diff_rows_count(d->base->result, from - near, to + near);
    d->pairs = HOL_NEW(arena, HolDiffPair, (size_t)(count > 0 ? count : 0) + 1);
    if (!d->pairs)
        return 0;
    for (long i = 0; i < count; i++)
        if (diff_rows_pair(d, begin + i, near, &d->pairs[d->n]))
            d->between += d->pairs[d->n++].between;
    return 1;
}

// ---- values between rows ----

// "rod.vx" of "rod.x"; -1 where it has none or the result does not hold it
static int diff_rows_rate(const HolDiffSide *side, int column) {
    static const char *const chains[][3] = {
        {"x", "vx", "ax"}, {"y", "vy", "ay"}, {"z", "vz", "az"}, {"angle", "omega", "alpha"},
        {"", "wx", "alx"}, {"", "wy", "aly"}, {"", "wz", "alz"},
    };
    const char *name = column < 0 ? "" : side->result->columns[column].name,
               *dot = strrchr(name, '.');
    char rate[512];
    for (size_t i = 0; dot && i < sizeof chains / sizeof *chains; i++)
        for (int k = 0; k < 2; k++)
            if (chains[i][k][0] && strcmp(dot + 1, chains[i][k]) == 0) {
                snprintf(rate, sizeof rate, "%.*s.%s", (int)(dot - name), name, chains[i][k + 1]);
                return hol_diff_find(side, rate);
            }
    return -1;
}

HolDiffSource hol_diff_source(const HolDiffSide *side, int column) {
    const int rate = diff_rows_rate(side, column);
    return (HolDiffSource){side->result, column, rate, diff_rows_rate(side, rate)};
}

// through n rows from `first` on
static double diff_rows_lagrange(const HolDiffSource *s, long first, int n, double t) {
    const double *time = s->result->values[0] + first, *x = s->result->values[s->column] + first;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double weight = x[i];
        for (int k = 0; k < n; k++)
            if (k != i)
                weight *= (t - time[k]) / (time[i] - time[k]);
        sum += weight;
    }
    return sum;
}

// rows around [row, row + 1] on this side of jumps: at most `most`, the first one in *first
static int diff_rows_window(const HolResult *r, long row, int most, double t, long *first) {
    const double *time = r->values[0];
    long low = row, high = row + 1;
    while (high - low + 1 < most) {
        const int left = low > 0 && time[low - 1] < time[low];
        const int right = high + 1 < r->rows && time[high + 1] > time[high];
        if (!left && !right)
            break;
        if (left && (!right || t - time[low - 1] <= time[high + 1] - t))
            low--;
        else
            high++;
    }
    *first = low;
    return (int)(high - low + 1);
}

static double diff_rows_polynomial(const HolDiffSource *s, long row, int points, double t) {
    long first;
    const int n = diff_rows_window(s->result, row, points, t, &first);
    return diff_rows_lagrange(s, first, n, t);
}

// x, x' and, with `second`, x'' at both ends
static double diff_rows_hermite(const HolDiffSource *s, long row, int second, double t) {
    const double *time = s->result->values[0] + row, *x = s->result->values[s->column] + row,
                 *v = s->result->values[s->rate] + row;
    const double h = time[1] - time[0], u = (t - time[0]) / h, w = 1 - u;
    // cubic in the form of its end values, then what the second derivatives change
    const double cubic =
        w * w * (1 + 2 * u) * x[0] + u * u * (1 + 2 * w) * x[1] + h * u * w * (w * v[0] - u * v[1]);
    if (!second)
        return cubic;
    const double *a = s->result->values[s->second] + row;
    const double bend = (x[1] - x[0]) / h; // second derivatives of the cubic at the ends
    const double c0 = (6 * bend - 4 * v[0] - 2 * v[1]) / h,
                 c1 = (-6 * bend + 2 * v[0] + 4 * v[1]) / h;
    return cubic + 0.5 * h * h * u * u * w * w * (w * (a[0] - c0) + u * (a[1] - c1));
}

// the value between `row` and the next one, and its difference from that of lower degree
static HolDiffValue diff_rows_between(const HolDiffSource *s, long row, double t) {
    double value, lower;
    if (s->rate >= 0 && s->second >= 0) {
        value = diff_rows_hermite(s, row, 1, t);
        lower = diff_rows_hermite(s, row, 0, t);
    } else if (s->rate >= 0) {
        value = diff_rows_hermite(s, row, 0, t);
        lower = diff_rows_polynomial(s, row, 4, t);
    } else {
        const double *x = s->result->values[s->column] + row;
        long first;
        value = diff_rows_polynomial(s, row, 4, t);
        lower = diff_rows_polynomial(s, row, 3, t);
        if (diff_rows_window(s->result, row, 4, t, &first) < 3) // two rows tell nothing more
            return (HolDiffValue){value, fabs(x[1] - x[0])};
    }
    return (HolDiffValue){value, fabs(value - lower)};
}

HolDiffValue hol_diff_value(const HolDiffSource *s, long row, int between, double t) {
    if (!between)
        return (HolDiffValue){s->result->values[s->column][row], 0};
    const double *time = s->result->values[0];
    HolDiffValue v = diff_rows_between(s, row, t);
    // the difference happens to vanish here and there, but not in three intervals
    for (long k = row - 1; k <= row + 1; k += 2)
        if (k >= 0 && k + 1 < s->result->rows && time[k] < time[k + 1])
            v.error = fmax(v.error, diff_rows_between(s, k, 0.5 * (time[k] + time[k + 1])).error);
    return v;
}
