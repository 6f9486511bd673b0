// SPDX-License-Identifier: Apache-2.0
// The shapes of a report's bodies that may touch others, as they were written; body axes [m].
#include "model/contact/crowd.h"
#include "tools/report/report.h"

enum { MOST_BALLS = 5000, MOST_POINTS = 513 };

static const char *const shape_words[HOL_SHAPES] = {
    "",        "point",    "circle", "sphere", "line",     "plane",
    "corners", "polyline", "curve",  "line",   "cylinder", // (a flat is a line)
};

static void begin_shape(HolJson *j, HolContactShape shape, int body, const double at[3]) {
    hol_json_wrap(j);
    hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
    hol_json_text(j, "type", shape_words[shape]);
    hol_json_integer(j, "body", body);
    hol_json_numbers(j, "at", at, 3);
}

static void put_axis(HolJson *j, const double axis[3]) {
    hol_json_numbers(j, "axis", axis, 3);
}

static void put_side(const HolModel *m, const HolContactSide *s, int hollow, HolJson *j) {
    double path[2 * MOST_POINTS];
    HolAttach a;
    HolError err;
    if (!hol_resolve(m, &s->place, "", &a, &err))
        return;
    if (s->shape == HOL_SHAPE_CYLINDER && !a.has_axis)
        a.axis[2] = 1;
    begin_shape(j, s->shape, a.body, a.at);
    put_axis(j, a.axis);
    hol_json_number(j, "radius", s->radius);
    hol_json_number(j, "length", s->length);
    hol_json_numbers(j, "edges", s->edges, s->shape == HOL_SHAPE_CORNERS ? 3 : 0);
    hol_json_numbers(j, "path", path, 2 * hol_contact_path(m, s, path, MOST_POINTS));
    if (hollow)
        hol_json_bool(j, "hollow", 1);
    hol_json_end(j);
}

// the larger one of two circles or spheres of which one lies in the other
static int holds_other(const HolModel *m, const HolContactDef *d, int side) {
    for (int i = 0; i < m->touch.n; i++)
        if (m->touch.list[i].def == d)
            return m->touch.list[i].inside && d->side[side].radius > d->side[1 - side].radius;
    return 0;
}

static void put_crowd(const HolModel *m, const HolCrowd *c, HolJson *j) {
    const int plane = m->space == HOL_PLANAR;
    for (int i = 0; i < c->n && i < MOST_BALLS; i++) {
        const HolCrowdBall *b = &c->balls[i];
        begin_shape(j, plane ? HOL_SHAPE_CIRCLE : HOL_SHAPE_SPHERE, b->body, b->at);
        hol_json_number(j, "radius", b->radius);
        hol_json_end(j);
    }
    for (int i = 0; i < c->n_walls; i++) {
        const HolCrowdWall *w = &c->walls[i];
        begin_shape(j, plane ? HOL_SHAPE_LINE : HOL_SHAPE_PLANE, w->body, w->at);
        put_axis(j, w->normal);
        hol_json_end(j);
    }
}

void hol_report_contacts(const HolModel *m, HolJson *j) {
    if (!m->touch.n_defs)
        return;
    hol_json_wrap(j);
    hol_json_begin(j, "contacts", '[', HOL_JSON_TIGHT);
    for (int i = 0; i < m->touch.n_defs; i++)
        for (int k = 0; k < 2 && !m->touch.defs[i].n_members; k++)
            put_side(m, &m->touch.defs[i].side[k], holds_other(m, &m->touch.defs[i], k), j);
    for (int i = 0; i < m->touch.n_crowds; i++)
        put_crowd(m, &m->touch.crowds[i], j);
    hol_json_end(j);
}
