// SPDX-License-Identifier: Apache-2.0
// Curves: see curve.h. Knots s_i = sum |P_i - P_(i-1)|.
#include "model/curve/curve.h"

#include "model/expr/curve_expr.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const HolCurve *hol_curve_find(const HolModel *m, const char *name) {
    for (int i = 0; name && i < m->def.n_curves; i++)
        if (strcmp(m->def.curves[i].name, name) == 0)
            return &m->def.curves[i];
    return NULL;
}

// ---- adding ----

static HolStatus curve_refuse(HolModel *m, const HolCurveDef *d, HolError *err, const char *why) {
    hol_problem_error(m, err, d->line, d->column, "curve '%.64s'%s", d->name ? d->name : "", why);
    return HOL_ERR_INPUT;
}

static double curve_distance(const double *a, const double *b, int dimensions) {
    double sum = 0;
    for (int k = 0; k < dimensions; k++)
        sum += (b[k] - a[k]) * (b[k] - a[k]);
    return sqrt(sum);
}

// knots and coordinates; 0: two points coincide, or no memory
static int curve_knots(HolModel *m, const HolCurveDef *d, HolCurve *c) {
    const int dim = c->dimensions;
    double *s = HOL_NEW(&m->arena, double, c->n);
    for (int k = 0; k < dim && s; k++) {
        double *y = HOL_NEW(&m->arena, double, c->n);
        for (int i = 0; y && i < c->n; i++)
            y[i] = d->points[(i % d->n) * dim + k];
        c->axis[k].y = y;
        c->axis[k].x = s;
    }
    if (m->arena.failed)
        return 0;
    for (int i = 1; i < c->n; i++) {
        const double chord =
            curve_distance(d->points + (i - 1) * dim, d->points + (i % d->n) * dim, dim);
        s[i] = s[i - 1] + chord;
        if (!(chord > 0) || !isfinite(chord))
            return 0;
    }
    c->s = s;
    c->length = s[c->n - 1];
    return 1;
}

static double curve_area(const HolCurve *c) {
    double sum = 0;
    for (int i = 1; i < c->n; i++)
        sum += c->axis[0].y[i - 1] * c->axis[1].y[i] - c->axis[0].y[i] * c->axis[1].y[i - 1];
    return sum;
}

HolStatus hol_add_curve(HolModel *m, const HolCurveDef *d, HolError *err) {
    static const char axes[] = "xyz";
    HolCurve c = {.dimensions = m->space == HOL_PLANAR ? 2 : 3, .closed = d->closed != 0};
    if (!d->name || !hol_name_allowed(d->name))
        return curve_refuse(m, d, err,
                            ": the name is not valid: use letters, digits and _, starting with a "
                            "letter");
    if (hol_curve_find(m, d->name))
        return curve_refuse(m, d, err, ": there is already a curve of this name");
    if (!d->points || d->n < (c.closed ? 3 : 2))
        return curve_refuse(m, d, err,
                            c.closed ? " is closed and needs at least three points"
                                     : " needs at least two points");
    c.n = d->n + c.closed;
    c.name = hol_arena_text(&m->arena, d->name);
    if (!curve_knots(m, d, &c))
        return m->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory")
                               : curve_refuse(m, d, err,
                                              ": two points that follow each other coincide (the "
                                              "first point of a closed curve is not repeated)");
    for (int k = 0; k < c.dimensions; k++) {
        char name[80];
        snprintf(name, sizeof name, "%.64s.%c", d->name, axes[k]);
        c.axis[k].size = sizeof c.axis[k];
        c.axis[k].name = hol_arena_text(&m->arena, name);
        c.axis[k].n = c.n;
        c.axis[k].interpolation = HOL_TABLE_SPLINE;
        c.axis[k].outside = c.closed ? HOL_OUTSIDE_PERIODIC : HOL_OUTSIDE_LINE;
        c.spline[k] = hol_spline_of(&m->arena, &c.axis[k]);
    }
    c.outward = c.closed && c.dimensions == 2 && curve_area(&c) < 0 ? -1 : 1;
    if (!HOL_GROW(&m->arena, m->def.curves, m->def.n_curves, m->def.cap_curves) || m->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while building the model");
    m->def.curves[m->def.n_curves++] = c;
    return HOL_OK;
}

// ---- geometry ----

void hol_curve_at(const HolCurve *c, double s, double point[3], double first[3], double second[3]) {
    for (int k = 0; k < 3; k++) {
        double d1 = 0, d2 = 0;
        const double y = k < c->dimensions ? hol_spline_at(c->spline[k], s, &d1, &d2) : 0;
        if (point)
            point[k] = y;
        if (first)
            first[k] = d1;
        if (second)
            second[k] = d2;
    }
}

double hol_curve_least(const HolCurve *c, HolCurveCost *cost, const void *context) {
    enum { SAMPLES = 16, ROUNDS = 60 }; // a piece; golden section
    const double golden = 0.6180339887498949;
    const int n = SAMPLES * (c->n - 1);
    double best = INFINITY, at = 0;
    for (int i = 0; i <= n; i++) {
        const double s = c->length * i / n, f = cost(context, c, s);
        if (f < best) {
            best = f;
            at = s;
        }
    }
    double lo = at - c->length / n, hi = at + c->length / n;
    for (int i = 0; i < ROUNDS; i++) {
        const double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
        if (cost(context, c, a) < cost(context, c, b))
            hi = b;
        else
            lo = a;
    }
    return 0.5 * (lo + hi);
}

static double curve_square(const void *context, const HolCurve *c, double s) {
    const double *point = context;
    double at[3], sum = 0;
    hol_curve_at(c, s, at, NULL, NULL);
    for (int k = 0; k < c->dimensions; k++)
        sum += (at[k] - point[k]) * (at[k] - point[k]);
    return sum;
}

double hol_curve_nearest(const HolCurve *c, const double point[3]) {
    return hol_curve_least(c, curve_square, point);
}

// ---- equations of joints ----

int hol_curve_use(HolModel *m, const HolCurve *c, int slot, HolCurveUse *out) {
    *out = (HolCurveUse){.curve = c, .angle = -1};
    for (int k = 0; k < c->dimensions; k++) {
        out->point[k] = hol_spline_expr(&m->arena, c->spline[k], slot);
        out->slope[k] = out->point[k] ? hol_expr_derivative(&m->arena, out->point[k], 0) : NULL;
        if (!out->slope[k])
            return 0;
    }
    return 1;
}

int hol_curve_symbol(const HolCurveUse *use, const char *name, HolSymbol *out) {
    static const char prefix[] = "curve__";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return 0;
    name += sizeof prefix - 1;
    if (strcmp(name, "phi") == 0) {
        *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = use->angle};
        return use->angle >= 0;
    }
    const int slope = *name == 'd';
    const int k = name[slope] - 'x';
    if (k < 0 || k >= use->curve->dimensions || name[slope + 1])
        return 0;
    *out = (HolSymbol){.type = HOL_SYMBOL_EXPR, .expr = slope ? use->slope[k] : use->point[k]};
    return 1;
}
