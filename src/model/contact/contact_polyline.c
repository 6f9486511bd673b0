// SPDX-License-Identifier: Apache-2.0
// A polyline in contact with a point or circle (docs/theory/contact.md, section 20): pieces, each a
// contact of its own that counts only where it is nearest.
//   side i    gap n.(P_b - P_i) - R,  0 <= t.(P_b - P_i) < its length
//   corner    gap |P_b - P_i| - R, beyond the end of the side before and before the next one; only
//             corners that stick out, and only for circles (a point passes from side to side)
// At corners that turn in both sides may be touched. Pieces are touched to a depth of R (a point: half
// of the shortest side), so that the far side of a closed shape is not. Together the gap is the least,
// forces are the sum, slip is that of the piece that is touched.
#include "model/contact/contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Outline {
    const double *xy;
    int n, closed;
    double side; // 1: the other body on the left, -1: on the right
} Outline;

static double outline_length(const Outline *o, int i) {
    return hypot(o->xy[2 * i + 2] - o->xy[2 * i], o->xy[2 * i + 3] - o->xy[2 * i + 1]);
}

static void outline_along(const Outline *o, int i, double t[2]) {
    const double l = outline_length(o, i);
    for (int k = 0; k < 2; k++)
        t[k] = (o->xy[2 * i + 2 + k] - o->xy[2 * i + k]) / l;
}

static Outline outline_of(const HolContactSide *s) {
    Outline o = {s->points, s->n_points, 0, 1};
    const double *last = s->points + 2 * (s->n_points - 1);
    o.closed = s->n_points > 3 && last[0] == s->points[0] && last[1] == s->points[1];
    double area = 0;
    for (int i = 0; o.closed && i + 1 < o.n; i++)
        area += o.xy[2 * i] * o.xy[2 * i + 3] - o.xy[2 * i + 2] * o.xy[2 * i + 1];
    if (area > 0)
        o.side = -1;
    return o;
}

// the row t.(P_b - P_i) of side i
static int outline_range(HolModel *m, const HolContact *c, const Outline *o, const double *origin,
                         int i) {
    HolRow row = hol_row_new(m, &hol_row_line2, c->a.body, c->b.body);
    double t[2];
    outline_along(o, i, t);
    for (int k = 0; k < 2; k++) {
        row.sa[k] = origin[k] + o->xy[2 * i + k];
        row.ua[k] = t[k];
        row.sb[k] = c->b.at[k];
    }
    return hol_add_row(m, &row);
}

// what the piece that was added last adds to the whole: A so far with the gap G, B of the piece with H
static int outline_join(HolModel *m, HolContact *all) {
    static const char *const how[6] = {"min(A,B)", "if(H<G,B,A)", "if(H<G,B,A)",
                                       "A+B",      "A+B",         "if(H<G,B,A)"};
    const HolContact *piece = &m->touch.list[m->touch.n - 1];
    const HolExpr *gap = all->measures[0];
    for (int i = 0; i < 6; i++) {
        all->measures[i] = gap ? hol_contact_join(m, how[i], all->measures[i], piece->measures[i],
                                                  gap, piece->measures[0])
                               : piece->measures[i];
        if (!all->measures[i])
            return 0;
    }
    return 1;
}

static int outline_add(HolModel *m, HolContact *all, const HolContact *piece, HolError *err) {
    return hol_contact_add(m, piece, err) && outline_join(m, all);
}

// the corner at the start of side i
static int outline_corner(HolModel *m, HolContact *all, const HolContact *c, const Outline *o,
                          const double *origin, int i, HolError *err) {
    const int before = i > 0 ? i - 1 : o->n - 2;
    double t[2], s[2];
    HolContact piece = *c;
    outline_along(o, before, s);
    outline_along(o, i, t);
    if (!(o->side * (s[0] * t[1] - s[1] * t[0]) < 0) || !(c->rb > 0))
        return 1;
    piece.flat = 0;
    for (int k = 0; k < 2; k++)
        piece.a.at[k] = origin[k] + o->xy[2 * i + k];
    piece.range[0] = outline_range(m, c, o, origin, before);
    piece.from[0] = outline_length(o, before);
    piece.to[0] = INFINITY;
    piece.range[1] = outline_range(m, c, o, origin, i);
    piece.from[1] = -INFINITY;
    piece.to[1] = 0;
    if (piece.range[0] < 0 || piece.range[1] < 0)
        return 0;
    return outline_add(m, all, &piece, err);
}

int hol_contact_polyline(HolModel *m, HolContact *c, const HolContactSide *line, HolError *err) {
    const Outline o = outline_of(line);
    const double origin[2] = {c->a.at[0], c->a.at[1]};
    HolContact all = *c, piece = *c;
    double shortest = INFINITY;
    if (c->def->stiffness == 0) {
        hol_problem_error(m, err, c->def->line, c->def->column,
                          "contact '%s': a polyline cannot be rigid; give a number as 'stiffness'",
                          c->name);
        return 0;
    }
    for (int i = 0; i + 1 < o.n; i++)
        shortest = fmin(shortest, outline_length(&o, i));
    piece.hidden = 1;
    piece.depth = c->rb > 0 ? c->rb : 0.5 * shortest;
    for (int i = 0; i + 1 < o.n; i++) {
        double t[2];
        HolContact side = piece;
        outline_along(&o, i, t);
        side.flat = 1;
        side.a.axis[0] = -o.side * t[1];
        side.a.axis[1] = o.side * t[0];
        for (int k = 0; k < 2; k++)
            side.a.at[k] = origin[k] + o.xy[2 * i + k];
        side.range[0] = outline_range(m, c, &o, origin, i);
        side.from[0] = 0;
        side.to[0] = outline_length(&o, i);
        if (side.range[0] < 0 || !outline_add(m, &all, &side, err) ||
            ((i > 0 || o.closed) && !outline_corner(m, &all, &piece, &o, origin, i, err)))
            return 0;
    }
    if (!HOL_GROW(&m->arena, m->touch.list, m->touch.n, m->touch.cap))
        return 0;
    all.row = -1;
    all.z = NAN;
    m->touch.list[m->touch.n++] = all;
    return 1;
}
