// SPDX-License-Identifier: Apache-2.0
// A curve in contact with a point, a circle or a flat (docs/theory/contact.md, section 20). Rows are
// those of row/row_curve.c. The curve's material lies on its right, of a closed one inside; a body
// that starts inside a closed curve stays inside.
//   point, circle   a circle fits into every hollow: 1 + kappa R > 0
//   flat            the curve is closed and convex: kappa > 0
#include "model/contact/contact.h"
#include "model/curve/curve.h"

#include <math.h>
#include <string.h>

static const HolCurve *curve_of(HolModel *m, const HolContactDef *d, const HolContactSide *s,
                                HolError *err) {
    const HolCurve *c = hol_curve_find(m, s->curve);
    const char *names[64], *near;
    int n = 0;
    if (c)
        return c;
    for (; n < m->def.n_curves && n < 64; n++)
        names[n] = m->def.curves[n].name;
    near = s->curve ? hol_nearest_word(s->curve, names, n) : NULL;
    hol_problem_error(m, err, s->place.line, s->place.column,
                      "contact '%s': there is no curve '%.64s'%s%s%s", d->name,
                      s->curve ? s->curve : "",
                      near ? "; did you mean '" : " (curves stand in `curves:`)", near ? near : "",
                      near ? "'?" : "");
    return NULL;
}

static HolRow curve_row(const HolModel *m, const HolContact *c, const HolRowKind *kind) {
    HolRow row = hol_row_new(m, kind, c->a.body, c->b.body);
    for (int i = 0; i < 3; i++) {
        row.sa[i] = c->a.at[i];
        row.sb[i] = c->b.at[i];
        row.ub[i] = c->b.axis[i];
    }
    row.curve = c->curve;
    row.more = hol_row_curve_series(c->curve);
    row.wa[0] = c->side;
    return row;
}

// how much the curve bends at most towards the other body; 0: it does not
static double curve_hollow(const HolContact *c) {
    const int n = 2 * hol_curve_samples(c->curve);
    double least = INFINITY;
    for (int i = 0; i <= n; i++)
        least = fmin(least, hol_curve_bend(c->curve, hol_curve_place(c->curve, i, n), c->side));
    return least;
}

static int curve_fits(const HolModel *m, const HolContact *c, HolError *err) {
    const double least = curve_hollow(c);
    const HolContactDef *d = c->def;
    if (c->facing && !c->curve->closed) {
        hol_problem_error(m, err, d->line, d->column,
                          "contact '%s': a flat needs a closed curve; '%s' is open", d->name,
                          c->curve->name);
        return 0;
    }
    if (c->facing && !(least > 0)) {
        hol_problem_error(m, err, d->line, d->column,
                          "contact '%s': a flat needs a curve that bends outwards everywhere; '%s' "
                          "is straight or hollow somewhere: use a circle or point",
                          d->name, c->curve->name);
        return 0;
    }
    if (!c->facing && !(1 + c->rb * least > 0)) {
        hol_problem_error(m, err, d->line, d->column,
                          "contact '%s': the circle of radius %g does not fit into a hollow of the "
                          "curve '%s' of radius %.3g",
                          d->name, c->rb, c->curve->name, -1 / least);
        return 0;
    }
    if (d->hertz[0] > 0) {
        hol_problem_error(m, err, d->line, d->column,
                          "contact '%s': 'hertz' is for circles and spheres, whose curvature is "
                          "constant; give 'stiffness'",
                          d->name);
        return 0;
    }
    return 1;
}

int hol_contact_curve(HolModel *m, HolContact *c, const HolContactSide *side, int facing,
                      HolError *err) {
    c->curve = curve_of(m, c->def, side, err);
    if (!c->curve)
        return 0;
    c->facing = facing;
    c->side = c->curve->closed ? c->curve->outward : -1; // (open: the other body on the left)
    if (facing && !c->b.has_axis) {
        hol_problem_error(m, err, c->def->line, c->def->column,
                          "contact '%s': a flat needs 'normal'", c->name);
        return 0;
    }
    if (c->curve->closed && !facing) {
        const HolRow row = curve_row(m, c, &hol_row_near2);
        if (hol_row_initial(m, &row) < -fmax(0.5 * c->rb, 1e-6 * c->curve->length))
            c->side = -c->side;
    }
    return curve_fits(m, c, err) && hol_contact_add(m, c, err);
}

HolRow hol_contact_curve_row(const HolModel *m, const HolContact *c, int slip) {
    const HolRowKind *kind = c->facing ? (slip ? &hol_row_wipe2 : &hol_row_face2)
                                       : (slip ? &hol_row_skid2 : &hol_row_near2);
    HolRow row = curve_row(m, c, kind);
    if (slip)
        row.c = c->facing ? 0 : c->rb;
    return row;
}

int hol_contact_path(const HolModel *m, const HolContactSide *side, double *xy, int most) {
    const HolCurve *c = side->shape == HOL_SHAPE_CURVE ? hol_curve_find(m, side->curve) : NULL;
    const int samples = c && c->samples ? hol_curve_samples(c) : 0;
    const int parts = samples < most ? samples : most - 1;
    int n = 0;
    for (; side->shape == HOL_SHAPE_POLYLINE && n < side->n_points && n < most; n++)
        memcpy(xy + 2 * n, side->points + 2 * n, 2 * sizeof *xy);
    for (; samples && n <= parts; n++)
        memcpy(xy + 2 * n, c->samples[(long)n * samples / parts].x, 2 * sizeof *xy);
    return n;
}
