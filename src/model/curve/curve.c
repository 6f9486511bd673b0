// SPDX-License-Identifier: Apache-2.0
// Curves: see curve.h. Knots s_i = sum |P_i - P_(i-1)|; of a formula there are none.
#include "model/curve/curve.h"

#include "model/expr/curve_expr.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const HolCurve *hol_curve_find(const HolModel *m, const char *name) {
    const int i = hol_name_table_number(&m->def.names.curve_names, name);
    return i >= 0 ? &m->def.curves[i] : NULL;
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
        if (!(chord > 0) || !isfinite(s[i]))
            return 0;
    }
    c->s = s;
    c->to = c->length = s[c->n - 1];
    return 1;
}

// splines through the points
static HolStatus curve_through(HolModel *m, const HolCurveDef *d, HolCurve *c, HolError *err) {
    static const char axes[] = "xyz";
    if (!d->points || d->n < (c->closed ? 3 : 2))
        return curve_refuse(m, d, err,
                            c->closed ? " is closed and needs at least three points"
                                      : " needs at least two points, or a formula x, y of s");
    c->n = d->n + c->closed;
    if (!curve_knots(m, d, c))
        return m->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory")
                               : curve_refuse(m, d, err,
                                              ": two points that follow each other coincide (the "
                                              "first point of a closed curve is not repeated)");
    for (int k = 0; k < c->dimensions; k++) {
        char name[80];
        snprintf(name, sizeof name, "%.64s.%c", d->name, axes[k]);
        c->axis[k].size = sizeof c->axis[k];
        c->axis[k].name = hol_arena_text(&m->arena, name);
        c->axis[k].n = c->n;
        c->axis[k].interpolation = HOL_TABLE_SPLINE;
        c->axis[k].outside = c->closed ? HOL_OUTSIDE_PERIODIC : HOL_OUTSIDE_LINE;
        c->spline[k] = hol_spline_of(&m->arena, &c->axis[k]);
        c->expr[k] = c->spline[k] ? hol_spline_expr(&m->arena, c->spline[k], HOL_CURVE_SLOT) : NULL;
        if (!c->expr[k] && !m->arena.failed) // (a step that vanishes beside the length before it)
            return curve_refuse(m, d, err, ": its points are too far apart for one spline");
    }
    return HOL_OK;
}

// ---- formulas ----

enum { FORMULA_PIECES = 16 };

typedef struct FormulaScope {
    const HolModel *m;
    int slot;
} FormulaScope;

static void formula_resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    const FormulaScope *f = context;
    int found;
    suggestion[0] = 0;
    const double value = hol_parameter(f->m, name, &found);
    *out = (HolSymbol){0};
    if (strcmp(name, "s") == 0)
        *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = f->slot};
    else if (found)
        *out = (HolSymbol){.type = HOL_SYMBOL_CONSTANT, .value = value};
}

static HolExpr *formula_compile(HolModel *m, const char *text, int slot, HolExprError *error) {
    FormulaScope context = {m, slot};
    const HolExprScope scope = {.context = &context, .resolve = formula_resolve};
    return hol_expr_compile(&m->arena, text, &scope, error);
}

static HolStatus curve_formula(HolModel *m, const HolCurveDef *d, HolCurve *c, HolError *err) {
    c->n = FORMULA_PIECES + 1;
    c->from = d->from;
    c->to = d->to;
    if (d->points)
        return curve_refuse(m, d, err, ": give points or a formula, not both");
    if (!(c->to > c->from))
        return curve_refuse(m, d, err, ": 'to' must be larger than 'from'");
    for (int k = 0; k < c->dimensions; k++) {
        HolExprError error = {0};
        char text[400];
        if (!d->formula[k])
            return curve_refuse(m, d, err, ": a formula is needed for each coordinate");
        c->formula[k] = hol_arena_text(&m->arena, d->formula[k]);
        c->expr[k] = formula_compile(m, d->formula[k], HOL_CURVE_SLOT, &error);
        snprintf(text, sizeof text, ": formula '%.100s': %.200s (it knows s and the parameters)",
                 d->formula[k], error.text);
        if (!c->expr[k])
            return curve_refuse(m, d, err, text);
        if (hol_expr_node_count(c->expr[k]) > HOL_CURVE_NODES / 4)
            return curve_refuse(m, d, err, ": the formula is too long");
    }
    return HOL_OK;
}

// ---- both ----

int hol_curve_samples(const HolCurve *c) {
    return 16 * (c->n - 1);
}

double hol_curve_place(const HolCurve *c, int i, int n) {
    return c->from + (c->to - c->from) * i / n;
}

// derivatives, samples, which side is outside; NULL: all is well
static const char *curve_finish(HolModel *m, HolCurve *c) {
    const int n = hol_curve_samples(c);
    HolCurveSample *at = HOL_NEW(&m->arena, HolCurveSample, n + 1);
    double area = 0, length = 0, last[3] = {0};
    for (int k = 0; k < c->dimensions; k++) {
        // (what does not depend on s has no slot)
        const int moves = c->expr[k] && hol_expr_slot_count(c->expr[k]) > 0;
        c->first[k] =
            moves ? hol_expr_derivative(&m->arena, c->expr[k], 0) : hol_expr_constant(&m->arena, 0);
        if (!c->first[k] || hol_expr_node_count(c->first[k]) > HOL_CURVE_NODES)
            return ": the formula is too long";
    }
    for (int i = 0; at && i <= n; i++) {
        double p[3], d[3], dd[3];
        hol_curve_at(c, hol_curve_place(c, i, n), p, d, dd);
        const double speed = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (!(speed > 0) || !isfinite(speed) || !isfinite(p[0] + p[1] + p[2] + dd[0] + dd[1]))
            return ": the formula has no value or no direction somewhere between 'from' and 'to'";
        if (i > 0) {
            length += curve_distance(last, p, 3);
            area += last[0] * p[1] - p[0] * last[1];
        }
        at[i] = (HolCurveSample){{p[0], p[1]}, {d[0], d[1]}, {dd[0], dd[1]}};
        memcpy(last, p, sizeof last);
    }
    if (c->closed && c->formula[0]) {
        double p[2][3], d[2][3], t[3] = {0};
        for (int i = 0; i < 2; i++)
            hol_curve_at(c, i ? c->to : c->from, p[i], d[i], NULL);
        const double speed = curve_distance(t, d[0], 3);
        if (curve_distance(p[0], p[1], 3) > 1e-9 * length ||
            curve_distance(d[0], d[1], 3) > 1e-6 * speed)
            return " is closed, but its end does not go on smoothly where it began";
    }
    c->samples = at;
    c->groups = at ? hol_curve_groups(m, at, n) : NULL;
    if (c->formula[0])
        c->length = length;
    c->outward = c->closed && c->dimensions == 2 && area < 0 ? -1 : 1;
    return NULL;
}

HolStatus hol_add_curve(HolModel *m, const HolCurveDef *d, HolError *err) {
    HolCurve c = {.dimensions = m->space == HOL_PLANAR ? 2 : 3, .closed = d->closed != 0};
    if (!d->name || !hol_name_allowed(d->name))
        return curve_refuse(m, d, err,
                            ": the name is not valid: use letters, digits and _, starting with a "
                            "letter");
    if (hol_curve_find(m, d->name))
        return curve_refuse(m, d, err, ": there is already a curve of this name");
    c.name = hol_arena_text(&m->arena, d->name);
    const int formula = d->formula[0] || d->formula[1] || d->formula[2];
    const HolStatus status = formula ? curve_formula(m, d, &c, err) : curve_through(m, d, &c, err);
    if (status != HOL_OK)
        return status;
    const char *why = m->arena.failed ? NULL : curve_finish(m, &c);
    if (why && !m->arena.failed)
        return curve_refuse(m, d, err, why);
    if (!HOL_GROW(&m->arena, m->def.curves, m->def.n_curves, m->def.cap_curves) || m->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while building the model");
    m->def.curves[m->def.n_curves++] = c;
    if (!hol_name_table_add(&m->def.names.curve_names, &m->arena, c.name, NULL,
                            m->def.n_curves - 1))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while building the model");
    return HOL_OK;
}

// ---- geometry ----

void hol_curve_at(const HolCurve *c, double s, double point[3], double first[3], double second[3]) {
    double x[HOL_CURVE_SLOT + 1] = {0}, work[HOL_CURVE_WORK];
    x[HOL_CURVE_SLOT] = s;
    for (int k = 0; k < 3; k++) {
        double d1 = 0, d2 = 0, y = 0;
        if (k < c->dimensions && c->spline[k]) {
            y = hol_spline_at(c->spline[k], s, &d1, &d2);
        } else if (k < c->dimensions) {
            y = second && hol_expr_slot_count(c->expr[k])
                    ? hol_expr_along(c->expr[k], x, work, &d1, &d2)
                    : hol_expr_value(c->expr[k], x, work);
            if (first && !second)
                d1 = hol_expr_value(c->first[k], x, work);
        }
        if (point)
            point[k] = y;
        if (first)
            first[k] = d1;
        if (second)
            second[k] = d2;
    }
}

double hol_curve_least(const HolCurve *c, HolCurveCost *cost, const void *context) {
    enum { ROUNDS = 60 }; // golden section
    const double golden = 0.6180339887498949;
    const int n = hol_curve_samples(c);
    double best = INFINITY, at = 0;
    for (int i = 0; i <= n; i++) {
        const double s = hol_curve_place(c, i, n), f = cost(context, c, s);
        if (f < best) {
            best = f;
            at = s;
        }
    }
    double lo = at - (c->to - c->from) / n, hi = at + (c->to - c->from) / n;
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
        HolExprError error;
        out->point[k] = c->spline[k] ? hol_spline_expr(&m->arena, c->spline[k], slot)
                                     : formula_compile(m, c->formula[k], slot, &error);
        const int moves = out->point[k] && hol_expr_slot_count(out->point[k]) > 0;
        out->slope[k] = moves           ? hol_expr_derivative(&m->arena, out->point[k], 0)
                        : out->point[k] ? hol_expr_constant(&m->arena, 0)
                                        : NULL;
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
