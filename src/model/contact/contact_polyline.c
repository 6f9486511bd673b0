// SPDX-License-Identifier: Apache-2.0
// A polyline in contact with a point or circle (docs/theory/contact.md, section 20): pieces, each a
// contact of its own that counts only where it is nearest.
//   side i    gap n.(P_b - P_i) - R,  0 <= s_i = t.(P_b - P_i) < its length
//   corner    gap |P_b - P_i| - R, beyond the end of the side before and before the next one; only
//             corners that stick out and ends of an open line, and only for circles (a point passes
//             from side to side)
// At corners that turn in both sides may be touched. Pieces are touched to a depth of R (a point: half
// of the shortest side), so that the far side of a closed shape is not. Together the gap is the least,
// forces are the sum, slip is that of the piece that is touched.
// Rigid pieces that meet with the same normal know each other: one hands its contact over to the next
// (solve/event/pieces.c).
#include "model/contact/contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double STRAIGHT = 1e-12; // sine of a turn: no corner
static const double SEAM =
    1e-9; // of the radius: gaps of a side and its corner differ by its square
static const double HOLLOW = 1e-6;      // of the side: beyond a corner that turns in it is hidden
static const char *const FAR = "1e300"; // gap of a piece that is not the nearest one

typedef struct Outline {
    double *xy;
    int n, closed; // points; closed: the last is the first again
    double side;   // 1: the other body on the left, -1: on the right
    double origin[2], shortest;
    int *corner, *face; // supports of the corners and sides, -1: none
} Outline;

static double outline_length(const Outline *o, int i) {
    return hypot(o->xy[2 * i + 2] - o->xy[2 * i], o->xy[2 * i + 3] - o->xy[2 * i + 1]);
}

static void outline_along(const Outline *o, int i, double t[2]) {
    const double l = outline_length(o, i);
    for (int k = 0; k < 2; k++)
        t[k] = (o->xy[2 * i + 2 + k] - o->xy[2 * i + k]) / l;
}

// ---- the line as it counts ----

// b lies between a and c on a straight line
static int outline_straight(const double *a, const double *b, const double *c) {
    const double x[2] = {b[0] - a[0], b[1] - a[1]}, y[2] = {c[0] - b[0], c[1] - b[1]};
    return fabs(x[0] * y[1] - x[1] * y[0]) <= STRAIGHT * hypot(x[0], x[1]) * hypot(y[0], y[1]) &&
           x[0] * y[0] + x[1] * y[1] > 0;
}

// points at which it turns
static void outline_simplify(Outline *o, const HolContactSide *s) {
    const int last = s->n_points - 1;
    const double *p = s->points;
    int first = 0;
    o->closed = s->n_points > 3 && p[2 * last] == p[0] && p[2 * last + 1] == p[1];
    while (o->closed && first < last - 1 &&
           outline_straight(p + 2 * ((first + last - 1) % last), p + 2 * first,
                            p + 2 * ((first + 1) % last)))
        first++; // (begins at a corner)
    o->n = 0;
    for (int i = 0; i <= last; i++) {
        const double *b = p + 2 * (o->closed ? (first + i) % last : i);
        const double *c = p + 2 * (o->closed ? (first + i + 1) % last : i + 1);
        if (i > 0 && i < last && outline_straight(o->xy + 2 * o->n - 2, b, c))
            continue;
        memcpy(o->xy + 2 * o->n++, b, 2 * sizeof *b);
    }
    o->shortest = INFINITY;
    for (int i = 0; i + 1 < o->n; i++)
        o->shortest = fmin(o->shortest, outline_length(o, i));
}

// where the other body's point starts, in axes of the outline
static void outline_start(const HolModel *m, const HolContact *c, const Outline *o, double x[2]) {
    for (int k = 0; k < 2; k++) {
        HolRow row = hol_row_new(m, &hol_row_line2, c->a.body, c->b.body);
        row.ua[k] = 1;
        for (int i = 0; i < 2; i++) {
            row.sa[i] = o->origin[i];
            row.sb[i] = c->b.at[i];
        }
        x[k] = hol_row_initial(m, &row);
    }
}

// starts inside, and not because it is pressed in a little
static int outline_holds(const HolModel *m, const HolContact *c, const Outline *o) {
    double x[2], near = INFINITY, length = 0;
    int inside = 0;
    outline_start(m, c, o, x);
    for (int i = 0; i + 1 < o->n; i++) {
        const double *a = o->xy + 2 * i, *b = a + 2, l = outline_length(o, i);
        double t[2];
        outline_along(o, i, t);
        const double y[2] = {x[0] - a[0], x[1] - a[1]},
                     s = fmin(fmax(t[0] * y[0] + t[1] * y[1], 0), l);
        near = fmin(near, hypot(y[0] - s * t[0], y[1] - s * t[1]));
        length += l;
        if ((a[1] > x[1]) != (b[1] > x[1]) &&
            x[0] < a[0] + (x[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
            inside = !inside;
    }
    return inside && near > fmax(0.5 * c->rb, 1e-6 * length);
}

// how far the body is behind the side that is nearest to it, if it is wholly behind all of them; else 0
static double outline_behind(const HolModel *m, const HolContact *c, const Outline *o) {
    double x[2], behind = INFINITY;
    outline_start(m, c, o, x);
    for (int i = 0; i + 1 < o->n; i++) {
        double t[2];
        outline_along(o, i, t);
        behind = fmin(behind, t[1] * (x[0] - o->xy[2 * i]) - t[0] * (x[1] - o->xy[2 * i + 1]));
    }
    return behind > (c->rb > 0 ? c->rb : 0.5 * o->shortest) ? behind : 0;
}

static int outline_of(HolModel *m, const HolContact *c, const HolContactSide *s, Outline *o) {
    *o = (Outline){.side = 1, .origin = {c->a.at[0], c->a.at[1]}};
    o->xy = HOL_NEW(&m->arena, double, 2 * s->n_points + 2);
    o->corner = HOL_NEW(&m->arena, int, s->n_points + 1);
    o->face = HOL_NEW(&m->arena, int, s->n_points + 1);
    if (m->arena.failed)
        return 0;
    outline_simplify(o, s);
    double area = 0;
    for (int i = 0; o->closed && i + 1 < o->n; i++)
        area += o->xy[2 * i] * o->xy[2 * i + 3] - o->xy[2 * i + 2] * o->xy[2 * i + 1];
    if (area > 0)
        o->side = -1;
    if (o->closed && outline_holds(m, c, o))
        o->side = -o->side;
    for (int i = 0; i <= s->n_points; i++)
        o->corner[i] = o->face[i] = -1;
    return 1;
}

// the row t.(P_b - P_i) of side i
static int outline_range(HolModel *m, const HolContact *c, const Outline *o, int i) {
    HolRow row = hol_row_new(m, &hol_row_line2, c->a.body, c->b.body);
    double t[2];
    outline_along(o, i, t);
    for (int k = 0; k < 2; k++) {
        row.sa[k] = o->origin[k] + o->xy[2 * i + k];
        row.ua[k] = t[k];
        row.sb[k] = c->b.at[k];
    }
    return hol_add_row(m, &row);
}

// ---- what the pieces are together ----

static const HolExpr *outline_slot(HolModel *m, HolSlotType type, int row) {
    return hol_expr_slot(&m->arena, hol_slot(m, type, row, 0, 0, 0));
}

// the gap of a piece where it is the nearest one, else it is far away
static const HolExpr *outline_gap(HolModel *m, const HolContact *c) {
    const HolExpr *gap = c->measures[0];
    char text[200];
    if (c->flat) { // (from behind: the distance)
        snprintf(text, sizeof text, "if(A>%.17g,A,-A-%.17g)", -c->depth, 2 * c->rb);
        gap = hol_contact_join(m, text, gap, gap, gap, gap);
    }
    for (int i = 0; i < 2 && gap; i++) {
        if (c->range[i] < 0)
            continue;
        const HolExpr *s = outline_slot(m, HOL_SLOT_VALUE, c->range[i]);
        if (isfinite(c->from[i]) && isfinite(c->to[i]))
            snprintf(text, sizeof text, "if(B<%.17g,%s,if(B<%.17g,A,%s))", c->from[i], FAR,
                     c->to[i], FAR);
        else if (isfinite(c->from[i]))
            snprintf(text, sizeof text, "if(B<%.17g,%s,A)", c->from[i], FAR);
        else
            snprintf(text, sizeof text, "if(B<%.17g,A,%s)", c->to[i], FAR);
        gap = hol_contact_join(m, text, gap, s, gap, gap);
    }
    return gap;
}

// what a piece adds to the whole: A so far with the gap G, B of the piece with H
static int outline_join(HolModel *m, HolContact *all, const HolExpr *const *piece) {
    static const char *const how[6] = {"min(A,B)", "if(H<G,B,A)", "if(H<G,B,A)",
                                       "A+B",      "A+B",         "if(H<G,B,A)"};
    const int rigid = all->def->stiffness == 0;
    const HolExpr *gap = all->measures[0];
    for (int i = 0; i < 6; i++) {
        const char *text = i == 5 && rigid ? "if(abs(A)>0.5,A,B)" : how[i];
        if (gap && piece[i])
            all->measures[i] = hol_contact_join(m, text, all->measures[i], piece[i], gap, piece[0]);
        else if (!gap)
            all->measures[i] = piece[i];
        if (!all->measures[i])
            return 0;
    }
    return 1;
}

// the point at the start (end 0) or end of a side: gap and speed where no piece is the nearest one
static int outline_point(HolModel *m, HolContact *all, int piece, int end) {
    const HolContact *side = &m->touch.list[piece];
    const HolExpr *s = outline_slot(m, HOL_SLOT_VALUE, side->range[0]),
                  *d = outline_slot(m, HOL_SLOT_VALUE, side->row),
                  *ds = outline_slot(m, HOL_SLOT_RATE, side->range[0]),
                  *dd = outline_slot(m, HOL_SLOT_RATE, side->row);
    const double l = end ? side->to[0] : 0;
    char gap[120], speed[160];
    snprintf(gap, sizeof gap, "sqrt((A-%.17g)^2+B^2+1e-60)-%.17g", l, side->rb);
    snprintf(speed, sizeof speed, "((A-%.17g)*G+B*H)/sqrt((A-%.17g)^2+B^2+1e-60)", l, l);
    const HolExpr *const point[6] = {hol_contact_join(m, gap, s, d, ds, dd),
                                     hol_contact_join(m, speed, s, d, ds, dd)};
    return point[0] && point[1] && outline_join(m, all, point);
}

// ---- pieces ----

// a rigid piece: where its support counts
static void outline_limit(HolModel *m, const HolContact *c) {
    HolSupportEntry *s = &m->ev.supports[m->ev.n_supports - 1];
    const int second = isfinite(c->to[0]) ? 0 : 1;
    s->limited = 1;
    s->piece = (HolPiece){.next = {-1, -1}, .depth = c->depth};
    s->reach_row[0] = c->range[0];
    s->reach_row[1] = c->range[second];
    s->reach_sign[0] = 1;
    s->reach_sign[1] = -1;
    s->reach_from[0] = c->from[0];
    s->reach_from[1] = c->to[second];
}

static int outline_add(HolModel *m, HolContact *all, const HolContact *piece, int *support,
                       HolError *err) {
    if (!hol_contact_add(m, piece, err))
        return 0;
    HolContact *c = &m->touch.list[m->touch.n - 1];
    if (c->def->stiffness == 0) {
        outline_limit(m, c);
        *support = m->ev.n_supports - 1;
    }
    c->measures[0] = outline_gap(m, c);
    return c->measures[0] && outline_join(m, all, c->measures);
}

// sides next to point i, -1: an open line ends there
static int outline_before(const Outline *o, int i) {
    return i > 0 ? i - 1 : o->closed ? o->n - 2 : -1;
}

static int outline_after(const Outline *o, int i) {
    return i < o->n - 1 ? i : o->closed ? 0 : -1;
}

static int outline_sticks_out(const Outline *o, int i) {
    double t[2], s[2];
    if (outline_before(o, i) < 0 || outline_after(o, i) < 0)
        return 1;
    outline_along(o, outline_before(o, i), s);
    outline_along(o, outline_after(o, i), t);
    const double turn = o->side * (s[0] * t[1] - s[1] * t[0]);
    return turn < 0 || (turn == 0 && s[0] * t[0] + s[1] * t[1] < 0);
}

// the corner at point i; rows: those of the sides' ranges
static int outline_corner(HolModel *m, HolContact *all, const HolContact *c, Outline *o,
                          const int *rows, int i, HolError *err) {
    const int before = outline_before(o, i), after = outline_after(o, i);
    HolContact piece = *c;
    if (!(c->rb > 0) || !outline_sticks_out(o, i))
        return 1;
    piece.flat = 0;
    for (int k = 0; k < 2; k++) {
        piece.a.at[k] = o->origin[k] + o->xy[2 * i + k];
        piece.from[k] = -INFINITY;
        piece.to[k] = INFINITY;
    }
    if (before >= 0) {
        piece.range[0] = rows[before];
        piece.from[0] = outline_length(o, before);
    }
    if (after >= 0) {
        piece.range[1] = rows[after];
        piece.to[1] = 0;
    }
    return outline_add(m, all, &piece, &o->corner[i], err);
}

static int outline_side(HolModel *m, HolContact *all, const HolContact *c, Outline *o,
                        const int *rows, int i, HolError *err) {
    double t[2];
    HolContact side = *c;
    outline_along(o, i, t);
    side.flat = 1;
    side.a.axis[0] = -o->side * t[1];
    side.a.axis[1] = o->side * t[0];
    for (int k = 0; k < 2; k++)
        side.a.at[k] = o->origin[k] + o->xy[2 * i + k];
    side.range[0] = rows[i];
    side.from[0] = 0;
    side.to[0] = outline_length(o, i);
    return outline_add(m, all, &side, &o->face[i], err);
}

// ---- neighbours ----

static void outline_link(HolModel *m, int support, int end, int next, double slack) {
    HolPiece *p = &m->ev.supports[support].piece;
    p->next[end] = next;
    p->ends[end] = 1;
    p->slack[end] = slack;
}

// Sides meet with one normal at the corner between them, which is a circle about the point. A point
// leaves a side at a corner that sticks out, and nothing gets past one that turns in.
static void outline_neighbours(HolModel *m, const Outline *o, double radius) {
    for (int i = 0; i < o->n - o->closed; i++) {
        const int before = outline_before(o, i), after = outline_after(o, i), c = o->corner[i];
        const double slack = c >= 0 ? SEAM * fmin(radius, o->shortest) : 0;
        if (before >= 0 && outline_sticks_out(o, i))
            outline_link(m, o->face[before], 1, c, slack);
        else if (before >= 0)
            m->ev.supports[o->face[before]].piece.slack[1] = HOLLOW * outline_length(o, before);
        if (after >= 0 && outline_sticks_out(o, i))
            outline_link(m, o->face[after], 0, c, slack);
        else if (after >= 0)
            m->ev.supports[o->face[after]].piece.slack[0] = HOLLOW * outline_length(o, after);
        if (c >= 0 && before >= 0)
            outline_link(m, c, 0, o->face[before], slack);
        if (c >= 0 && after >= 0)
            outline_link(m, c, 1, o->face[after], slack);
    }
}

int hol_contact_polyline(HolModel *m, HolContact *c, const HolContactSide *line, HolError *err) {
    Outline o;
    int *rows = HOL_NEW(&m->arena, int, line->n_points + 1);
    HolContact all = *c, piece = *c;
    if (!rows || !outline_of(m, c, line, &o))
        return 0;
    const double behind = o.closed ? 0 : outline_behind(m, c, &o);
    if (behind > 0) {
        hol_problem_error(m, err, c->def->line, c->def->column,
                          "contact '%s': the body starts %.3g m behind the polyline, on the right "
                          "of its way; it lies on the left: write the points the other way round",
                          c->def->name, behind);
        return 0;
    }
    const int outline = m->touch.n, first = m->ev.n_supports;
    int last = outline;
    piece.hidden = 1;
    piece.depth = c->rb > 0 ? c->rb : 0.5 * o.shortest;
    for (int i = 0; i + 1 < o.n; i++)
        if ((rows[i] = outline_range(m, c, &o, i)) < 0)
            return 0;
    for (int i = 0; i + 1 < o.n; i++)
        if (!outline_side(m, &all, &piece, &o, rows, i, err) ||
            !outline_corner(m, &all, &piece, &o, rows, i, err))
            return 0;
    if (!o.closed && !outline_corner(m, &all, &piece, &o, rows, o.n - 1, err))
        return 0;
    for (int i = outline, n = m->touch.n; i < n; i++)
        if (m->touch.list[i].flat && !outline_point(m, &all, last = i, 0))
            return 0;
    if (!o.closed && !outline_point(m, &all, last, 1))
        return 0;
    if (c->def->stiffness == 0)
        outline_neighbours(m, &o, c->rb);
    for (int i = first; i < m->ev.n_supports; i++)
        m->ev.supports[i].piece.outline = outline;
    if (!HOL_GROW(&m->arena, m->touch.list, m->touch.n, m->touch.cap))
        return 0;
    all.row = -1;
    all.z = NAN;
    m->touch.list[m->touch.n++] = all;
    return 1;
}
