// SPDX-License-Identifier: Apache-2.0
// From shapes to rows (docs/theory/contact.md, section 20). A pair of features has the gap
//     line, plane - point, circle, sphere     g = n.(P_b - P_a) - R_b
//     circle - circle, sphere - sphere        g = |P_b - P_a| - R_a - R_b
//     one inside the other                    g = R_a - R_b - |P_b - P_a|
//     curve - point, circle, flat             contact_curve.c
//     plane of the ground - rim               its lowest point, row_rolling.c; a cylinder has two
// Corners are points, one contact each, named NAME.1, NAME.2 ..
#include "model/contact/contact.h"
#include "model/curve/curve.h"

#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const shape_names[HOL_SHAPES] = {
    "",        "point",    "circle", "sphere", "line",     "plane",
    "corners", "polyline", "curve",  "flat",   "cylinder",
};

// ---- definitions ----

static void contact_keep(HolModel *m, HolContactSide *s) {
    s->place.body = hol_arena_text(&m->arena, s->place.body);
    s->place.point = hol_arena_text(&m->arena, s->place.point);
    s->curve = hol_arena_text(&m->arena, s->curve);
    if (s->points)
        s->points = hol_model_keep(m, s->points, 2 * s->n_points);
}

static HolContactSide *contact_keep_all(HolModel *m, const HolContactSide *sides, int n) {
    HolContactSide *list = HOL_NEW(&m->arena, HolContactSide, n + 1);
    for (int i = 0; list && i < n; i++) {
        list[i] = sides[i];
        contact_keep(m, &list[i]);
    }
    return list;
}

HolStatus hol_add_contact(HolModel *m, const HolContactDef *def, HolError *err) {
    if (hol_name_table_number(&m->def.names.contact_names, def->name) >= 0) {
        hol_problem_error(m, err, def->line, def->column,
                          "there is already a contact named '%.64s'", def->name);
        return HOL_ERR_INPUT;
    }
    if (!HOL_GROW(&m->arena, m->touch.defs, m->touch.n_defs, m->touch.cap_defs))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolContactDef *d = &m->touch.defs[m->touch.n_defs++];
    *d = *def;
    d->name = hol_arena_text(&m->arena, def->name);
    if (d->name)
        hol_name_table_add(&m->def.names.contact_names, &m->arena, d->name, NULL,
                           m->touch.n_defs - 1);
    for (int i = 0; i < 2; i++)
        contact_keep(m, &d->side[i]);
    d->members = contact_keep_all(m, def->members, def->n_members);
    d->walls = contact_keep_all(m, def->walls, def->n_walls);
    return m->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory") : HOL_OK;
}

// ---- pairs ----

static int contact_problem(const HolModel *m, const HolContactDef *d, const char *text,
                           HolError *err) {
    hol_problem_error(m, err, d->line, d->column, "contact '%s': %s", d->name, text);
    return 0;
}

static int shape_is_flat(HolContactShape s) {
    return s == HOL_SHAPE_LINE || s == HOL_SHAPE_PLANE || s == HOL_SHAPE_FLAT;
}

static int shape_is_plate(HolContactShape s) { // that a point or circle touches
    return shape_is_flat(s) || s == HOL_SHAPE_POLYLINE;
}

static int shape_is_round(HolContactShape s) {
    return s == HOL_SHAPE_POINT || s == HOL_SHAPE_CIRCLE || s == HOL_SHAPE_SPHERE ||
           s == HOL_SHAPE_CORNERS;
}

// the shape must exist in the model's space
int hol_contact_in_space(const HolModel *m, const HolContactDef *d, const HolContactSide *s,
                         HolError *err) {
    static const struct {
        HolContactShape shape, other;
        HolSpace space;
    } only[] = {{HOL_SHAPE_CIRCLE, HOL_SHAPE_SPHERE, HOL_PLANAR},
                {HOL_SHAPE_LINE, HOL_SHAPE_PLANE, HOL_PLANAR},
                {HOL_SHAPE_FLAT, HOL_SHAPE_PLANE, HOL_PLANAR},
                {HOL_SHAPE_POLYLINE, HOL_SHAPE_PLANE, HOL_PLANAR},
                {HOL_SHAPE_CURVE, HOL_SHAPE_SPHERE, HOL_PLANAR},
                {HOL_SHAPE_SPHERE, HOL_SHAPE_CIRCLE, HOL_SPATIAL},
                {HOL_SHAPE_CYLINDER, HOL_SHAPE_CIRCLE, HOL_SPATIAL},
                {HOL_SHAPE_PLANE, HOL_SHAPE_LINE, HOL_SPATIAL}};
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (s->shape == only[i].shape && m->space != only[i].space) {
            hol_problem_error(m, err, s->place.line, s->place.column,
                              "contact '%s': '%s' does not exist in %s models; use '%s'", d->name,
                              shape_names[s->shape], m->space == HOL_PLANAR ? "planar" : "spatial",
                              shape_names[only[i].other]);
            return 0;
        }
    return 1;
}

// the two sides in the order of HolContact; 0: no such pair
static int contact_order(const HolModel *m, const HolContactDef *d, const HolContactSide **a,
                         const HolContactSide **b, HolError *err) {
    *a = &d->side[0];
    *b = &d->side[1];
    if (!hol_contact_in_space(m, d, *a, err) || !hol_contact_in_space(m, d, *b, err))
        return 0;
    if ((*b)->shape == HOL_SHAPE_CURVE ||
        (shape_is_plate((*b)->shape) && (*a)->shape != HOL_SHAPE_CURVE) ||
        ((*a)->shape == HOL_SHAPE_CORNERS && (*b)->shape != HOL_SHAPE_CORNERS)) {
        *a = &d->side[1];
        *b = &d->side[0];
    }
    if ((*a)->shape == HOL_SHAPE_CURVE &&
        ((*b)->shape == HOL_SHAPE_POINT || (*b)->shape == HOL_SHAPE_CIRCLE ||
         shape_is_flat((*b)->shape)))
        return 1;
    if ((*b)->shape == HOL_SHAPE_CYLINDER && (*a)->shape == HOL_SHAPE_PLANE)
        return 1;
    if (shape_is_round((*b)->shape) &&
        (shape_is_flat((*a)->shape) ||
         ((*a)->shape == HOL_SHAPE_POLYLINE && (*b)->shape != HOL_SHAPE_CORNERS) ||
         (shape_is_round((*a)->shape) && (*a)->shape != HOL_SHAPE_CORNERS)) &&
        !((*a)->shape == HOL_SHAPE_POINT && (*b)->radius == 0))
        return 1;
    hol_problem_error(m, err, d->line, d->column,
                      "contact '%s': '%s' with '%s' is no pair; there are line (plane, flat) or "
                      "circle (sphere) with point, circle (sphere) or corners, polyline with point "
                      "or circle, curve with point, circle or flat, and plane with cylinder",
                      d->name, shape_names[d->side[0].shape], shape_names[d->side[1].shape]);
    return 0;
}

// ---- rows ----

static void row_places(HolRow *row, const HolContact *c) {
    memcpy(row->sa, c->a.at, sizeof row->sa);
    memcpy(row->sb, c->b.at, sizeof row->sb);
    memcpy(row->ua, c->a.axis, sizeof row->ua);
    if (c->rim) {
        memcpy(row->ub, c->b.axis, sizeof row->ub);
        row->c = c->rb;
    }
}

static int contact_gap_row(HolModel *m, HolContact *c) {
    const int plane = m->space == HOL_PLANAR;
    if (c->curve) {
        const HolRow along = hol_contact_curve_row(m, c, 0);
        c->sign = 1;
        c->constant = c->facing ? 0 : -c->rb;
        return (c->row = hol_add_row(m, &along)) >= 0;
    }
    const HolRowKind *kind = c->rim    ? &hol_row_touch3
                             : c->flat ? (plane ? &hol_row_line2 : &hol_row_line3)
                                       : (plane ? &hol_row_length2 : &hol_row_length3);
    HolRow row = hol_row_new(m, kind, c->a.body, c->b.body);
    row_places(&row, c);
    if (!c->flat && !c->hidden)
        c->inside = hol_row_initial(m, &row) < fmax(c->ra, c->rb);
    c->sign = c->inside ? -1 : 1;
    c->constant = c->rim ? 0 : c->flat ? -c->rb : c->inside ? fabs(c->ra - c->rb) : -c->ra - c->rb;
    return (c->row = hol_add_row(m, &row)) >= 0;
}

// the contact point lies on the second body: below its circle, or outside the inner one
static int contact_slip_rows(HolModel *m, HolContact *c) {
    const int plane = m->space == HOL_PLANAR;
    if (c->curve) {
        const HolRow along = hol_contact_curve_row(m, c, 1);
        c->slip_sign = c->n_slip = 1;
        return (c->slip[0] = hol_add_row(m, &along)) >= 0;
    }
    const HolRowKind *kind = c->rim    ? &hol_row_roll3
                             : c->flat ? (plane ? &hol_row_slide2 : &hol_row_slide3)
                                       : (plane ? &hol_row_rub2 : &hol_row_rub3);
    HolRow row = hol_row_new(m, kind, c->a.body, c->b.body);
    row_places(&row, c);
    row.c = c->inside ? -c->rb : c->rb;
    c->slip_sign = c->inside && plane ? -1 : 1;
    c->n_slip = plane ? 1 : c->flat ? 2 : 3;
    const Vec3 n = v3_load(c->a.axis), t = v3_perpendicular(n);
    for (int k = 0; k < c->n_slip; k++) {
        if (c->flat && !plane)
            v3_store(row.wa, k == 0 ? t : v3_cross(n, t));
        for (int i = 0; !c->flat && i < 3; i++)
            row.wa[i] = i == k;
        if ((c->slip[k] = hol_add_row(m, &row)) < 0)
            return 0;
    }
    return 1;
}

// ---- laws ----

// stiffness, exponent and damping; 0: a problem
static int contact_law(HolModel *m, HolContact *c, HolError *err) {
    const HolContactDef *d = c->def;
    const double *h = d->hertz;
    c->n = isnan(d->exponent) ? 1.5 : d->exponent;
    c->k = d->stiffness;
    if (h[0] > 0) {
        if (c->rim)
            return contact_problem(m, d, "'hertz' is for circles and spheres; give 'stiffness'",
                                   err);
        const double curvature = (c->flat || c->ra == 0 ? 0 : (c->inside ? -1 : 1) / c->ra) +
                                 (c->rb > 0 ? 1 / c->rb : 0);
        if (!(curvature > 0))
            return contact_problem(m, d, "'hertz' needs a round body; give 'stiffness'", err);
        c->k = 4.0 / 3 / ((1 - h[1] * h[1]) / h[0] + (1 - h[3] * h[3]) / h[2]) / sqrt(curvature);
        c->n = 1.5;
    }
    const double e = isnan(d->restitution) ? 1 : d->restitution;
    c->z = NAN;
    if (isnan(d->dissipation) && e < 1)
        c->z = hol_contact_damping(e), m->touch.damped = 1;
    c->damping = hol_given_new(m, isnan(d->dissipation) ? 0 : d->dissipation);
    if (!(c->z > 0))
        return c->damping >= 0;
    c->last_gap = hol_given_new(m, NAN);
    c->last_speed = hol_given_new(m, 0);
    c->last_time = hol_given_new(m, 0);
    return c->damping >= 0 && c->last_gap >= 0 && c->last_speed >= 0 && c->last_time >= 0;
}

static int contact_radii(HolContact *c) {
    // the larger one holds the other
    if (!c->inside || c->ra >= c->rb)
        return 1;
    const HolAttach a = c->a;
    const double r = c->ra;
    c->a = c->b;
    c->b = a;
    c->ra = c->rb;
    c->rb = r;
    return 0;
}

// one pair of features
int hol_contact_add(HolModel *m, const HolContact *made, HolError *err) {
    if (!HOL_GROW(&m->arena, m->touch.list, m->touch.n, m->touch.cap))
        return 0;
    HolContact *c = &m->touch.list[m->touch.n++];
    *c = *made;
    if (!contact_gap_row(m, c))
        return 0;
    if (!contact_radii(c)) { // the other way round
        m->sys.n_rows--;
        if (!contact_gap_row(m, c))
            return 0;
    }
    if (!contact_slip_rows(m, c))
        return 0;
    return c->def->stiffness == 0 ? hol_contact_rigid(m, c, err)
                                  : contact_law(m, c, err) && hol_contact_compliant(m, c, err);
}

// corners: a box about its place
static int contact_corners(HolModel *m, HolContact *c, const HolContactSide *b, HolError *err) {
    const int n = m->space == HOL_PLANAR ? 4 : 8;
    const HolAttach centre = c->b;
    for (int i = 0; i < n; i++) {
        char name[100];
        snprintf(name, sizeof name, "%.64s.%d", c->def->name, i + 1);
        c->name = hol_arena_text(&m->arena, name);
        for (int k = 0; k < 3; k++)
            c->b.at[k] = centre.at[k] + (i >> k & 1 ? 0.5 : -0.5) * b->edges[k];
        if (!c->name || !hol_contact_add(m, c, err))
            return 0;
    }
    return 1;
}

// ---- cylinders ----

static const double UPRIGHT = 1e-3; // sine of the angle between axis and normal, least

// sine of the angle between the axis of a rim and the normal
static double contact_tilt(const HolFrame *b, const HolContact *c) {
    Mat3 A;
    memcpy(A.m, b->A, sizeof A.m);
    return v3_norm(v3_cross(m3_mulv(A, v3_load(c->b.axis)), v3_load(c->a.axis)));
}

int hol_contact_upright(const HolModel *m, HolModelWork *w, char *text, size_t size) {
    for (int i = 0; i < m->touch.n; i++) {
        const HolContact *c = &m->touch.list[i];
        if (!c->rim || contact_tilt(&w->frames[c->b.body], c) > UPRIGHT ||
            hol_row_value(m, w, c->row) > 0.1 * c->rb)
            continue;
        snprintf(text, size,
                 "contact '%.60s': the cylinder stands on its end, where its rim has no lowest "
                 "point; give the body points or corners",
                 c->def->name);
        return 1;
    }
    return 0;
}

// two rims, NAME.1 and NAME.2, at the ends of the axis
static int contact_cylinder(HolModel *m, HolContact *c, const HolContactSide *b, HolError *err) {
    const HolAttach centre = c->b;
    if (c->a.body != 0)
        return contact_problem(m, c->def, "a cylinder takes a plane of the ground", err);
    if (m->def.bodies[c->b.body].def.type != HOL_RIGID)
        return contact_problem(m, c->def, "a cylinder needs a rigid body", err);
    c->rim = 1;
    if (!c->b.has_axis)
        v3_store(c->b.axis, v3(0, 0, 1));
    HolFrame frame;
    hol_initial_frame(m, c->b.body, &frame);
    if (contact_tilt(&frame, c) <= UPRIGHT)
        return contact_problem(m, c->def,
                               "the cylinder stands on its end, where its rim has no lowest point; "
                               "give the body points or corners",
                               err);
    for (int i = 0; i < 2; i++) {
        char name[100];
        snprintf(name, sizeof name, "%.64s.%d", c->def->name, i + 1);
        c->name = hol_arena_text(&m->arena, name);
        for (int k = 0; k < 3; k++)
            c->b.at[k] = centre.at[k] + (i ? 0.5 : -0.5) * b->length * c->b.axis[k];
        if (!c->name || !hol_contact_add(m, c, err))
            return 0;
    }
    return 1;
}

// A body that starts wholly behind a line, plane or curve: most likely the normal points the wrong way.
// (A single point is not judged: it has no size that tells whether it is pressed in a little.)
static void contact_behind(HolModel *m, const HolContactDef *d, int first) {
    double most = -INFINITY;
    if (first == m->touch.n)
        return;
    const HolContact *c = &m->touch.list[first];
    if (c->rim || !(c->flat || (c->curve && !c->curve->closed)) ||
        (m->touch.n == first + 1 && !(c->rb > 0)))
        return;
    for (int i = first; i < m->touch.n; i++) {
        c = &m->touch.list[i];
        const double gap = c->sign * hol_row_initial(m, &m->sys.rows[c->row]) + c->constant;
        most = fmax(most, gap + 2 * c->rb);
    }
    if (most < 0)
        hol_model_add_remark(m, "contact", d->name, d->line, d->column,
                             "contact '%s': the body starts wholly behind the %s, %.3g m deep: "
                             "%s",
                             d->name, c->flat ? "line or plane" : "curve", 2 * c->rb - most,
                             c->flat ? "a normal points out of the material, to the body"
                                     : "write its points the other way round");
}

// A circle outside of a box of corners: what lies between them lets it through
static void contact_between_corners(HolModel *m, const HolContactDef *d, int first) {
    const HolContact *c = first < m->touch.n ? &m->touch.list[first] : NULL;
    if (!c || c->flat || c->inside || !(c->ra > 0))
        return;
    const int plane = m->space == HOL_PLANAR;
    hol_model_add_remark(
        m, "contact", d->name, d->line, d->column,
        "contact '%s': corners alone touch the %s, %s; use %s", d->name,
        plane ? "circle" : "sphere",
        plane ? "the edges between them let it through" : "the faces between them let it through",
        plane ? "a closed polyline" : "a plane of the body in place of the corners");
}

static int contact_build(HolModel *m, const HolContactDef *d, HolError *err) {
    const int first = m->touch.n;
    const HolContactSide *a, *b;
    char what[120];
    HolContact c = {.name = d->name, .def = d, .range = {-1, -1}};
    snprintf(what, sizeof what, "contact '%.80s'", d->name);
    if (!contact_order(m, d, &a, &b, err) || !hol_resolve(m, &a->place, what, &c.a, err) ||
        !hol_resolve(m, &b->place, what, &c.b, err))
        return 0;
    if (c.a.body == c.b.body)
        return contact_problem(m, d, "both shapes belong to the same body", err);
    if (a->shape == HOL_SHAPE_CURVE) {
        c.rb = b->radius;
        if (!hol_contact_curve(m, &c, a, shape_is_flat(b->shape), err))
            return 0;
        contact_behind(m, d, first);
        return 1;
    }
    c.flat = shape_is_flat(a->shape);
    c.ra = a->radius;
    c.rb = b->radius;
    if (c.flat && !c.a.has_axis)
        return contact_problem(m, d, "a line or plane needs 'normal'", err);
    if (a->shape == HOL_SHAPE_POLYLINE)
        return hol_contact_polyline(m, &c, a, err);
    if (b->shape == HOL_SHAPE_CYLINDER)
        return contact_cylinder(m, &c, b, err);
    if (!(b->shape == HOL_SHAPE_CORNERS ? contact_corners(m, &c, b, err)
                                        : hol_contact_add(m, &c, err)))
        return 0;
    contact_behind(m, d, first);
    if (b->shape == HOL_SHAPE_CORNERS)
        contact_between_corners(m, d, first);
    return 1;
}

int hol_contacts_build(HolModel *m, HolError *err) {
    int ok = 1;
    for (int i = 0; i < m->touch.n_defs; i++)
        ok &= m->touch.defs[i].n_members ? hol_crowd_build(m, &m->touch.defs[i], err)
                                         : contact_build(m, &m->touch.defs[i], err);
    return ok && !m->arena.failed;
}

const HolExpr *hol_contact_measure(const HolModel *m, const char *name, int measure) {
    for (int i = 0; i < m->touch.n; i++)
        if (!m->touch.list[i].hidden && strcmp(m->touch.list[i].name, name) == 0)
            return m->touch.list[i].measures[measure];
    return NULL;
}
