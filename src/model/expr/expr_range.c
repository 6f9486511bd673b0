// SPDX-License-Identifier: Apache-2.0
// Bounds of the parts of an expression that depend on time alone, over an interval of time: natural
// interval arithmetic, every operation widened by a few units in the last place. And what samples
// of such a part do not show: a pulse between them (docs/theory/error-control.md, section 11).
//
// A part with the bounds W wide hides something where
//   W > 8 R,  R: the width of the values of seven samples without the largest or without the smallest
// one, whichever is less: one sample that hits a pulse by chance shows nothing.
#include "model/expr/expr_internal.h"

#include <float.h>
#include <math.h>

// ---- tuning constants ----
enum { SAMPLES = 7, MOST_PIECES = 1024 };
static const double sample_place[SAMPLES] = {0, 0.1273, 0.2971, 0.4937, 0.6793, 0.8609, 1};
static const double HIDDEN = 8;   // bounds so many times wider than the samples
static const double QUICK = 20;   // times faster than over the run: a part of a pulse
static const double SMALL = 1e-4; // of its bounds over the run: nothing to look for
static const double LOST = 1e-12; // of the largest value: differences below are round-off
static const double WIDER = 4;    // units in the last place

typedef HolInterval Range;

static const Range all = {-INFINITY, INFINITY};

static Range widened(double lo, double hi) {
    if (isnan(lo) || isnan(hi))
        return all;
    return (Range){isinf(lo) ? lo : lo - WIDER * DBL_EPSILON * fabs(lo),
                   isinf(hi) ? hi : hi + WIDER * DBL_EPSILON * fabs(hi)};
}

static double product(double a, double b) {
    return a == 0 || b == 0 ? 0 : a * b;
}

static Range hull_of(double a, double b, double c, double d) {
    return widened(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

static Range times(Range a, Range b) {
    return hull_of(product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo),
                   product(a.hi, b.hi));
}

static Range over(Range a, Range b) {
    if (b.lo <= 0 && b.hi >= 0)
        return all;
    return times(a, widened(1 / b.hi, 1 / b.lo));
}

static Range magnitude(Range a) {
    const double most = fmax(fabs(a.lo), fabs(a.hi));
    return (Range){a.lo <= 0 && a.hi >= 0 ? 0 : fmin(fabs(a.lo), fabs(a.hi)), most};
}

static Range rising(double (*f)(double), Range a) {
    return widened(f(a.lo), f(a.hi));
}

// a^b, b one number
static Range power_range(Range a, double b) {
    if (a.lo < 0) {
        if (b != rint(b) || (b < 0 && a.hi >= 0))
            return all;
        if (fmod(b, 2) == 0)
            a = magnitude(a);
    }
    const double x = pow(a.lo, b), y = pow(a.hi, b);
    return widened(fmin(x, y), fmax(x, y));
}

static Range powers_range(Range a, Range b) {
    if (b.lo == b.hi)
        return power_range(a, b.lo);
    if (!(a.lo > 0))
        return all;
    return rising(exp, times(b, rising(log, a)));
}

// the cosine; the sine is that of a - pi/2
static Range cosine(Range a) {
    if (!(a.hi - a.lo < 2 * M_PI) || fabs(a.hi) > 1e9)
        return (Range){-1, 1};
    const double x = cos(a.lo), y = cos(a.hi);
    Range r = widened(fmin(x, y), fmax(x, y));
    if (floor(a.hi / (2 * M_PI)) != floor(a.lo / (2 * M_PI)))
        r.hi = 1;
    if (floor(a.hi / (2 * M_PI) + 0.5) != floor(a.lo / (2 * M_PI) + 0.5))
        r.lo = -1;
    return r;
}

static Range sine(Range a) {
    const Range r = cosine((Range){a.lo - M_PI / 2, a.hi - M_PI / 2});
    return (Range){r.lo - DBL_EPSILON * fabs(a.hi), r.hi + DBL_EPSILON * fabs(a.hi)};
}

static Range tangent(Range a) {
    if (!(a.hi - a.lo < M_PI) || floor(a.hi / M_PI + 0.5) != floor(a.lo / M_PI + 0.5))
        return all;
    return rising(tan, a);
}

static Range arc(Range y, Range x) {
    if (x.lo <= 0 && y.lo <= 0 && y.hi >= 0)
        return (Range){-M_PI, M_PI};
    return hull_of(atan2(y.lo, x.lo), atan2(y.lo, x.hi), atan2(y.hi, x.lo), atan2(y.hi, x.hi));
}

static Range clipped(Range a, double lo, double hi) {
    return (Range){fmax(lo, fmin(hi, a.lo)), fmax(lo, fmin(hi, a.hi))};
}

// a cubic lies between its four control points
static Range piece_range(const HolSpline *s, double x0, double x1) {
    double d;
    const double mid = 0.5 * (x0 + x1), *c = hol_spline_piece(s, mid, &d);
    const double h = x1 - x0, a = d - (mid - x0), b = d + (x1 - mid);
    const double f0 = c[0] + a * (c[1] + a * (c[2] + a * c[3])),
                 f1 = c[0] + b * (c[1] + b * (c[2] + b * c[3])),
                 s0 = c[1] + a * (2 * c[2] + 3 * a * c[3]),
                 s1 = c[1] + b * (2 * c[2] + 3 * b * c[3]);
    return hull_of(f0, f0 + h * s0 / 3, f1 - h * s1 / 3, f1);
}

static Range table_range(const HolSpline *s, Range a) {
    if (!isfinite(a.lo) || !isfinite(a.hi))
        return all;
    if (s->stairs)
        return (Range){floor(a.lo), floor(a.hi)};
    const double y = hol_spline_value(s, a.lo, NULL, NULL);
    Range r = widened(y, y);
    double x = a.lo;
    for (int n = 0; n < MOST_PIECES && x < a.hi; n++) {
        const double next = fmin(hol_spline_next(s, x), a.hi);
        if (!(next > x))
            return all;
        const Range piece = piece_range(s, x, next);
        r = (Range){fmin(r.lo, piece.lo), fmax(r.hi, piece.hi)};
        x = next;
    }
    return x < a.hi ? all : r;
}

static Range elementary(HolOp op, Range a, Range b) {
    switch (op) {
    case HOL_OP_TAN:
        return tangent(a);
    case HOL_OP_ASIN:
        return rising(asin, clipped(a, -1, 1));
    case HOL_OP_ACOS:
        a = clipped(a, -1, 1);
        return widened(acos(a.hi), acos(a.lo));
    case HOL_OP_ATAN:
        return rising(atan, a);
    case HOL_OP_ATAN2:
        return arc(a, b);
    case HOL_OP_HYPOT:
        a = magnitude(a);
        b = magnitude(b);
        return widened(hypot(a.lo, b.lo), hypot(a.hi, b.hi));
    case HOL_OP_SINH:
        return rising(sinh, a);
    case HOL_OP_COSH:
        return rising(cosh, magnitude(a));
    case HOL_OP_TANH:
        return rising(tanh, a);
    case HOL_OP_EXP:
        return rising(exp, a);
    case HOL_OP_LOG:
        return rising(log, clipped(a, 0, INFINITY));
    case HOL_OP_SQRT:
        return rising(sqrt, clipped(a, 0, INFINITY));
    default:
        return all;
    }
}

static Range operation(HolOp op, Range a, Range b) {
    switch (op) {
    case HOL_OP_ADD:
        return widened(a.lo + b.lo, a.hi + b.hi);
    case HOL_OP_SUB:
        return widened(a.lo - b.hi, a.hi - b.lo);
    case HOL_OP_NEG:
        return (Range){-a.hi, -a.lo};
    case HOL_OP_MUL:
    case HOL_OP_SCALE:
        return times(a, b);
    case HOL_OP_SQUARE:
        a = magnitude(a);
        return widened(a.lo * a.lo, a.hi * a.hi);
    case HOL_OP_DIV:
    case HOL_OP_DIV_CONST:
        return over(a, b);
    case HOL_OP_POW:
    case HOL_OP_POW_CONST:
        return powers_range(a, b);
    case HOL_OP_SIN:
        return sine(a);
    case HOL_OP_COS:
        return cosine(a);
    case HOL_OP_ABS:
        return magnitude(a);
    case HOL_OP_MIN:
        return (Range){fmin(a.lo, b.lo), fmin(a.hi, b.hi)};
    case HOL_OP_MAX:
        return (Range){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
    default:
        return elementary(op, a, b);
    }
}

// comparisons, logic, sign: 1, 0, or either
static Range decision(HolOp op, Range a, Range b) {
    const int yes_a = a.lo > 0 || a.hi < 0, no_a = a.lo == 0 && a.hi == 0;
    const int yes_b = b.lo > 0 || b.hi < 0, no_b = b.lo == 0 && b.hi == 0;
    const int apart = a.hi < b.lo || a.lo > b.hi, same = a.lo == a.hi && b.lo == b.hi && !apart;
    int yes = 0, no = 0;
    switch (op) {
    case HOL_OP_SIGN:
        return (Range){(a.lo > 0) - (a.lo < 0), (a.hi > 0) - (a.hi < 0)};
    case HOL_OP_LESS:
        yes = a.hi < b.lo, no = a.lo >= b.hi;
        break;
    case HOL_OP_LESS_EQUAL:
        yes = a.hi <= b.lo, no = a.lo > b.hi;
        break;
    case HOL_OP_EQUAL:
        yes = same, no = apart;
        break;
    case HOL_OP_NOT_EQUAL:
        yes = apart, no = same;
        break;
    case HOL_OP_AND:
        yes = yes_a && yes_b, no = no_a || no_b;
        break;
    case HOL_OP_OR:
        yes = yes_a || yes_b, no = no_a && no_b;
        break;
    default: // not
        yes = no_a, no = yes_a;
    }
    return (Range){yes, !no};
}

static int is_decision(HolOp op) {
    return op == HOL_OP_SIGN || (op >= HOL_OP_LESS && op <= HOL_OP_NOT);
}

// mid: values of all nodes in the middle, where no decision changes inside; NULL: it may
static Range node_range(const HolExpr *e, const HolInstr *in, const Range *r, const double *mid,
                        int i) {
    const Range a = r[in->a];
    if (in->op == HOL_OP_INTERP)
        return table_range(e->splines[in->b], a);
    const Range b = in->b >= 0 ? r[in->b] : a;
    if (is_decision(in->op))
        return mid ? (Range){mid[i], mid[i]} : decision(in->op, a, b);
    if (in->op != HOL_OP_IF)
        return operation(in->op, a, b);
    const Range c = r[in->c];
    if (c.lo > 0 || c.hi < 0)
        return a;
    return c.lo == 0 && c.hi == 0 ? b : (Range){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

static void ranges_of(const HolExpr *e, const unsigned char *nodes, HolInterval time,
                      const double *mid, Range *r) {
    const int first = e->n_slots + e->n_constants;
    for (int i = 0; i < e->n_slots; i++)
        r[i] = nodes[i] ? time : all;
    for (int i = e->n_slots; i < first; i++)
        r[i] = (Range){e->constants[i - e->n_slots], e->constants[i - e->n_slots]};
    for (int i = first; i < e->n_nodes; i++)
        r[i] = nodes[i] ? node_range(e, &e->code[i - first], r, mid, i) : all;
}

// ---- switching functions ----

HolInterval hol_expr_switch_range(const HolExpr *e, const unsigned char *nodes, int i,
                                  HolInterval time, double *work) {
    Range *r = (Range *)(void *)work;
    const HolSwitch s = i < 0 ? (HolSwitch){e->root, HOL_SWITCH_ZERO, 0} : e->switches[i];
    if (s.b <= HOL_SWITCH_TABLE)
        return all;
    ranges_of(e, nodes, time, NULL, r);
    return s.b >= 0 ? operation(HOL_OP_SUB, r[s.a], r[s.b]) : r[s.a];
}

// ---- what samples do not show ----

// operations whose values may stay the same but for a short time
static int may_hide(HolOp op) {
    switch (op) {
    case HOL_OP_SLOT:
    case HOL_OP_CONST:
    case HOL_OP_ADD:
    case HOL_OP_SUB:
    case HOL_OP_NEG:
    case HOL_OP_SCALE:
    case HOL_OP_DIV_CONST:
    case HOL_OP_SIN:
    case HOL_OP_COS:
    case HOL_OP_IF:
        return 0;
    default:
        return !is_decision(op);
    }
}

// a constant has no part of time
static int moves(const HolExpr *e, const unsigned char *nodes, int i) {
    return nodes[i] && (i < e->n_slots || i >= e->n_slots + e->n_constants);
}

int hol_expr_may_hide(const HolExpr *e, const unsigned char *nodes) {
    const int first = e->n_slots + e->n_constants;
    for (int i = first; i < e->n_nodes; i++)
        if (moves(e, nodes, i) && may_hide(e->code[i - first].op))
            return 1;
    return 0;
}

void hol_expr_time_widths(const HolExpr *e, const unsigned char *nodes, HolInterval time,
                          double *work, double *width) {
    Range *r = (Range *)(void *)work;
    ranges_of(e, nodes, time, NULL, r);
    for (int i = 0; i < e->n_nodes; i++)
        width[i] = r[i].hi - r[i].lo;
}

// the two smallest and the two largest values so far
static void add_sample(double v, int is_first, Range *ends, Range *next) {
    if (is_first) {
        *ends = (Range){v, v};
        *next = (Range){INFINITY, -INFINITY};
        return;
    }
    next->lo = fmin(next->lo, fmax(ends->lo, v));
    next->hi = fmax(next->hi, fmin(ends->hi, v));
    ends->lo = fmin(ends->lo, v);
    ends->hi = fmax(ends->hi, v);
}

HolHidden hol_expr_hidden(const HolExpr *e, const unsigned char *nodes, const double *width,
                          HolInterval time, double *x, double *work) {
    const size_t n = (size_t)e->n_nodes;
    const int first = e->n_slots + e->n_constants;
    double *v = work, *used = v + n;
    Range *r = (Range *)(void *)(used + n), *ends = r + n, *next = ends + n; // next to the ends
    const double now = x[0], part = (time.hi - time.lo) / width[0];          // (time is slot 0)
    HolHidden found = HOL_SHOWS_NOTHING;
    for (int k = 0; k < SAMPLES; k++) {
        x[0] = time.lo + sample_place[k] * (time.hi - time.lo);
        hol_expr_value(e, x, v);
        for (int i = first; i < e->n_nodes; i++)
            add_sample(v[i], k == 0, &ends[i], &next[i]);
        if (k == SAMPLES / 2) {
            ranges_of(e, nodes, time, v, r);
            hol_expr_mark_used(e, v, used);
        }
    }
    x[0] = now;
    for (int i = first; i < e->n_nodes; i++) {
        const double seen = fmin(ends[i].hi - next[i].lo, next[i].hi - ends[i].lo);
        const double bounds = r[i].hi - r[i].lo;
        const double whole = isfinite(width[i]) ? width[i] : bounds;
        if (!moves(e, nodes, i) || used[i] == 0 || !isfinite(seen))
            continue;
        if (isfinite(bounds) &&
            (bounds <= LOST * fmax(fabs(r[i].lo), fabs(r[i].hi)) || bounds <= SMALL * whole))
            continue;
        if (bounds > HIDDEN * seen)
            return HOL_HIDES;
        if (bounds > QUICK * part * whole && may_hide(e->code[i - first].op))
            found = HOL_SHOWS;
    }
    return found;
}
