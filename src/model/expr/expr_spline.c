// SPDX-License-Identifier: Apache-2.0
// Tables of interp(name, x): piecewise cubics through the points (x_i, y_i)
// (docs/theory/rows.md, section 4).
//
// With h_i = x_(i+1) - x_i, s_i = (y_(i+1) - y_i)/h_i and slopes p_i at the knots, on piece i with
// d = x - x_i:
//   y = y_i + d (p_i + d ((3 s_i - 2 p_i - p_(i+1))/h_i + d (p_i + p_(i+1) - 2 s_i)/h_i^2))
// linear    the pieces are straight: y = y_i + d s_i
// monotone  Steffen (1990): no piece leaves the values of its ends, extrema lie at knots only
//             p_i = (sgn s_(i-1) + sgn s_i) min(|s_(i-1)|, |s_i|, |q_i|/2),
//             q_i = (s_(i-1) h_i + s_i h_(i-1))/(h_(i-1) + h_i), the slope of the parabola
//           at an end: the parabola's slope, of the sign of s_0 (else 0) and at most 2 |s_0|
// spline    curvatures M_i from
//             h_(i-1) M_(i-1) + 2 (h_(i-1) + h_i) M_i + h_i M_(i+1) = 6 (s_i - s_(i-1)),
//             p_i = s_i - h_i (2 M_i + M_(i+1))/6
//           natural: M_0 = M_(n-1) = 0
//           periodic: M = u + M_0 z; u and z solve the equations between the ends, u with 0 at both
//           ends, z with 1 there and right-hand side 0; the equation at the seam gives M_0
// Outside: the end values (hold, error), straight lines with the end slopes (line), or the same
// again (periodic). A table with `outside: error` holds its end values for iterations that leave it
// for a moment; a run that leaves it is refused.
//
// Knots are kinks. Their switching functions number the pieces by Gray's code: function j changes
// its sign at knots 2^j (2 m + 1), counted from 1, the last one at all multiples of its power. So a
// change shows however many knots are passed at once, and one function changes at each knot.
#include "model/expr/curve_expr.h"
#include "model/expr/expr_internal.h"

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

// ---- slopes at the knots ----

typedef struct Points {
    int n, periodic;
    const double *x, *y;
} Points;

static double width(const Points *p, int i) {
    return p->x[i + 1] - p->x[i];
}

static double secant(const Points *p, int i) {
    return (p->y[i + 1] - p->y[i]) / width(p, i);
}

static double sign(double x) {
    return (x > 0) - (x < 0);
}

// at a knot between pieces of widths h0, h1 and secants s0, s1
static double steffen(double h0, double s0, double h1, double s1) {
    const double parabola = (s0 * h1 + s1 * h0) / (h0 + h1);
    return (sign(s0) + sign(s1)) * fmin(fmin(fabs(s0), fabs(s1)), 0.5 * fabs(parabola));
}

// at an end; the piece next to it has h0, s0
static double steffen_end(double h0, double s0, double h1, double s1) {
    const double parabola = s0 + (s0 - s1) * h0 / (h0 + h1);
    if (parabola * s0 <= 0)
        return 0;
    return fabs(parabola) > 2 * fabs(s0) ? 2 * s0 : parabola;
}

static void monotone_slopes(const Points *p, double *slope) {
    const int last = p->n - 2; // piece
    for (int i = 1; i <= last; i++)
        slope[i] = steffen(width(p, i - 1), secant(p, i - 1), width(p, i), secant(p, i));
    if (p->periodic) {
        slope[0] = steffen(width(p, last), secant(p, last), width(p, 0), secant(p, 0));
        slope[last + 1] = slope[0];
    } else if (last == 0) {
        slope[0] = slope[1] = secant(p, 0);
    } else {
        slope[0] = steffen_end(width(p, 0), secant(p, 0), width(p, 1), secant(p, 1));
        slope[last + 1] =
            steffen_end(width(p, last), secant(p, last), width(p, last - 1), secant(p, last - 1));
    }
}

// curvatures between the ends by elimination, those of both ends given; factor: 1, or 0 for the
// homogeneous equations
static void solve_between(const Points *p, double factor, double end, double *m, double *diagonal) {
    const int n = p->n;
    m[0] = m[n - 1] = end;
    diagonal[0] = 1;
    for (int i = 1; i < n - 1; i++) {
        const double left = width(p, i - 1), right = width(p, i);
        const double ratio = i > 1 ? left / diagonal[i - 1] : 0;
        diagonal[i] = 2 * (left + right) - ratio * left;
        m[i] = 6 * factor * (secant(p, i) - secant(p, i - 1)) -
               (i > 1 ? ratio * m[i - 1] : left * end);
    }
    for (int i = n - 2; i >= 1; i--)
        m[i] = (m[i] - width(p, i) * m[i + 1]) / diagonal[i];
}

// work: 3 n
static void spline_slopes(const Points *p, double *slope, double *work) {
    const int n = p->n, last = n - 2;
    double *m = work, *z = work + n, *diagonal = work + 2 * n;
    solve_between(p, 1, 0, m, diagonal);
    if (p->periodic) {
        const double h0 = width(p, 0), h1 = width(p, last);
        solve_between(p, 0, 1, z, diagonal);
        const double seam = (6 * (secant(p, 0) - secant(p, last)) - h1 * m[last] - h0 * m[1]) /
                            (2 * (h0 + h1) + h1 * z[last] + h0 * z[1]);
        for (int i = 0; i < n; i++)
            m[i] += seam * z[i];
    }
    for (int i = 0; i <= last; i++)
        slope[i] = secant(p, i) - width(p, i) * (2 * m[i] + m[i + 1]) / 6;
    slope[n - 1] = secant(p, last) + width(p, last) * (m[last] + 2 * m[n - 1]) / 6;
}

// ---- pieces ----

// the pieces between the knots; piece p starts at knot p - 1
static void inner_pieces(const Points *p, int straight, const double *slope, double *c) {
    for (int i = 0; i < p->n - 1; i++) {
        double *piece = c + 4 * (i + 1);
        const double h = width(p, i), s = secant(p, i);
        piece[0] = p->y[i];
        piece[1] = straight ? s : slope[i];
        piece[2] = straight ? 0 : (3 * s - 2 * slope[i] - slope[i + 1]) / h;
        piece[3] = straight ? 0 : (slope[i] + slope[i + 1] - 2 * s) / (h * h);
    }
}

static void outer_pieces(const Points *p, int line, double *c) {
    const int n = p->n;
    const double *last = c + 4 * (n - 1), h = width(p, n - 2);
    c[0] = p->y[0];
    c[1] = line ? c[5] : 0;
    c[4 * n] = p->y[n - 1];
    c[4 * n + 1] = line ? last[1] + h * (2 * last[2] + 3 * h * last[3]) : 0;
}

const HolSpline *hol_spline_create(HolArena *arena, const HolExprTable *table) {
    const int n = table->n;
    if (!table_is_valid(table))
        return NULL;
    HolSpline *spline = HOL_NEW(arena, HolSpline, 1);
    double *x = HOL_NEW(arena, double, n);
    double *c = HOL_NEW(arena, double, 4 * ((size_t)n + 1));
    double *work = HOL_NEW(arena, double, 4 * (size_t)n);
    const char *name = hol_arena_text(arena, table->name);
    if (!spline || !x || !c || !work || !name)
        return NULL;
    for (int i = 0; i < n; i++)
        x[i] = table->x[i];
    const Points p = {n, table->outside == HOL_OUTSIDE_PERIODIC, x, table->y};
    const int straight = table->interpolation == HOL_TABLE_LINEAR;
    if (table->interpolation == HOL_TABLE_SPLINE)
        spline_slopes(&p, work, work + n);
    else if (!straight)
        monotone_slopes(&p, work);
    inner_pieces(&p, straight, work, c);
    outer_pieces(&p, table->outside == HOL_OUTSIDE_LINE, c);
    *spline = (HolSpline){name, n, table->outside, x, c, 0};
    return spline;
}

// ---- evaluation ----

// number of knots <= x
static int piece_at(const HolSpline *s, double x) {
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

// the piece at x, and x taken back into the table where that is periodic; turns: by how many
// periods
static int locate(const HolSpline *s, double *x, double *turns) {
    const double first = s->x[0], last = s->x[s->n - 1];
    *turns = 0;
    if (s->outside != HOL_OUTSIDE_PERIODIC || !isfinite(*x))
        return piece_at(s, *x);
    *turns = floor((*x - first) / (last - first));
    *x -= *turns * (last - first);
    if (*x >= last) { // round-off
        *x = first;
        *turns += 1;
    }
    if (*x < first)
        *x = first;
    return piece_at(s, *x);
}

const double *hol_spline_piece(const HolSpline *s, double x, double *d) {
    double turns;
    const int p = locate(s, &x, &turns);
    *d = x - s->x[p ? p - 1 : 0];
    return s->coefficients + 4 * p;
}

double hol_spline_value(const HolSpline *s, double x, double *first, double *second) {
    double d;
    if (s->stairs) {
        if (first)
            *first = 0;
        if (second)
            *second = 0;
        return floor(x);
    }
    const double *c = hol_spline_piece(s, x, &d);
    if (first)
        *first = c[1] + d * (2 * c[2] + 3 * d * c[3]);
    if (second)
        *second = 2 * c[2] + 6 * d * c[3];
    return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}

// ---- floor(x): knots at the integers, flat pieces ----

enum { STAIRS = 17 };
static const double stairs_x[STAIRS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const double stairs_flat[4 * (STAIRS + 1)] = {0};
// (no table can have its name)
const HolSpline hol_stairs = {.name = " floor",
                              .n = STAIRS,
                              .outside = HOL_OUTSIDE_PERIODIC,
                              .x = stairs_x,
                              .coefficients = stairs_flat,
                              .stairs = 1};

// ---- knots ----

int hol_spline_switch_count(const HolSpline *s) {
    int bits = 1;
    while (bits < 30 && 1 << bits <= s->n)
        bits++;
    return bits;
}

// place of knot i, counted from 1; a periodic table has knots without end
static double knot(const HolSpline *s, double i) {
    const double pieces = s->n - 1;
    if (s->outside != HOL_OUTSIDE_PERIODIC)
        return s->x[(int)i - 1];
    const double turns = floor((i - 1) / pieces);
    return s->x[(int)(i - 1 - turns * pieces)] + turns * (s->x[s->n - 1] - s->x[0]);
}

static int has_knot(const HolSpline *s, double i) {
    return s->outside == HOL_OUTSIDE_PERIODIC || (i >= 1 && i <= s->n);
}

void hol_spline_switches(const HolSpline *s, double x, double *values) {
    double inside = x, turns;
    const int bits = hol_spline_switch_count(s), local = locate(s, &inside, &turns);
    const double p = local + turns * (s->n - 1);
    for (int j = 0; j < bits; j++) {
        const int top = j == bits - 1;
        const double spacing = ldexp(1, top ? j : j + 1), offset = top ? 0 : ldexp(1, j);
        const double m = floor((p - offset) / spacing), below = offset + m * spacing;
        double d = INFINITY;
        if (has_knot(s, below))
            d = x - knot(s, below);
        if (has_knot(s, below + spacing))
            d = fmin(d, knot(s, below + spacing) - x);
        values[j] = fmod(m, 2) != 0 ? -d : d;
    }
}

double hol_spline_next(const HolSpline *s, double x) {
    double turns;
    double inside = x;
    if (s->outside == HOL_OUTSIDE_PERIODIC) {
        const int p = locate(s, &inside, &turns);
        return knot(s, p + 1 + turns * (s->n - 1));
    }
    const int p = piece_at(s, x);
    return p < s->n ? s->x[p] : INFINITY;
}

double hol_spline_before(const HolSpline *s, double x) {
    double turns;
    double inside = x;
    int p = locate(s, &inside, &turns);
    double i = p + turns * (s->n - 1);
    if (has_knot(s, i) && knot(s, i) >= x)
        i--;
    return has_knot(s, i) ? knot(s, i) : -INFINITY;
}

// ---- splines by themselves ----

const HolSpline *hol_spline_of(HolArena *arena, const HolExprTable *table) {
    return hol_spline_create(arena, table);
}

double hol_spline_at(const HolSpline *s, double x, double *first, double *second) {
    return hol_spline_value(s, x, first, second);
}

HolExpr *hol_spline_expr(HolArena *arena, const HolSpline *s, int slot) {
    HolBuild build = {.has_time = 1};
    const int node = hol_build_interp(&build, s, hol_build_slot(&build, slot));
    HolExpr *e = hol_build_finish(&build, arena, node);
    arena->failed |= build.scratch.failed;
    hol_build_free(&build);
    return e;
}
