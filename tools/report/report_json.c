// SPDX-License-Identifier: Apache-2.0
// The model of a report as JSON: what the page needs to draw it. Geometry in body axes [m].
#include "model/model.h"
#include "tools/report/report.h"

#include <math.h>
#include <string.h>

static void put_text(HolJson *j, const char *key, const char *text) {
    hol_json_text(j, key, text ? text : "");
}

static void put_shape(const HolReport *r, int body, HolJson *j) {
    const HolShapeDef *s = &r->model->def.bodies[body].def.shape;
    const HolReportMesh *mesh = &r->meshes[body];
    // a mesh that could not be read gets the default drawing
    int unread = s->type && strcmp(s->type, "mesh") == 0 && mesh->count == 0;
    if (!s->type || unread) {
        hol_json_text(j, "shape", NULL);
        return;
    }
    hol_json_begin(j, "shape", '{', HOL_JSON_TIGHT);
    put_text(j, "type", s->type);
    hol_json_numbers(j, "from", s->from, 3);
    hol_json_numbers(j, "to", s->to, 3);
    hol_json_numbers(j, "size", s->size, 3);
    hol_json_number(j, "radius", isfinite(s->radius) ? s->radius : 0);
    put_text(j, "color", s->color);
    hol_json_integer(j, "mesh", mesh->count > 0 ? mesh->column + 1 : -1);
    hol_json_end(j);
}

static void put_points(const HolBodyDef *def, HolJson *j) {
    hol_json_begin(j, "points", '[', HOL_JSON_TIGHT);
    for (int i = 0; i < def->n_points; i++) {
        hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
        put_text(j, "name", def->points[i].name);
        hol_json_numbers(j, "at", def->points[i].at, 3);
        hol_json_end(j);
    }
    hol_json_end(j);
}

// an entry of a list, on a line of its own
static void begin_entry(HolJson *j, int first) {
    if (!first)
        hol_json_wrap(j);
    hol_json_begin(j, NULL, '{', HOL_JSON_TIGHT);
}

static void begin_list(HolJson *j, const char *name) {
    hol_json_wrap(j);
    hol_json_begin(j, name, '[', HOL_JSON_TIGHT);
}

static void put_body(const HolReport *r, int body, HolJson *j) {
    const HolBody *b = &r->model->def.bodies[body];
    int ground = body == 0;
    begin_entry(j, body == 0);
    put_text(j, "name", ground ? "ground" : b->def.name);
    put_text(j, "type", ground ? "ground" : hol_body_kind(b->def.type)->name);
    hol_json_number(j, "mass", ground ? 0 : b->def.mass);
    hol_json_numbers(j, "inertia", b->def.inertia, r->model->space == HOL_SPATIAL ? 3 : 1);
    put_shape(r, body, j);
    put_points(&b->def, j);
    hol_json_begin(j, "pose", '[', HOL_JSON_TIGHT);
    for (int k = 0; k < HOL_REPORT_POSE_MAX && r->pose[body][k] >= 0; k++)
        hol_json_integer(j, NULL, r->pose[body][k] + 1); // time is column 0
    hol_json_end(j);
    hol_json_end(j);
}

static void put_anchor(HolJson *j, const char *key, const HolAttach *a) {
    hol_json_begin(j, key, '{', HOL_JSON_TIGHT);
    hol_json_integer(j, "body", a->body);
    hol_json_numbers(j, "at", a->at, 3);
    if (a->has_axis)
        hol_json_numbers(j, "axis", a->axis, 3);
    else
        hol_json_text(j, "axis", NULL);
    hol_json_end(j);
}

static void put_joints(const HolModel *m, HolJson *j) {
    begin_list(j, "joints");
    for (int i = 0; i < m->def.n_joints; i++) {
        const HolJoint *joint = &m->def.joints[i];
        begin_entry(j, i == 0);
        put_text(j, "name", joint->def.name);
        put_text(j, "type", joint->def.type);
        put_anchor(j, "a", &joint->a);
        put_anchor(j, "b", &joint->b);
        if (joint->kind->couples[0])
            hol_json_bool(j, "couples", 1);
        hol_json_end(j);
    }
    hol_json_end(j);
}

// two-point elements are drawn as coils, the rest is only named
static int report_json_is_spring(const HolForce *force) {
    return (force->kind->flags & HOL_KIND_COIL) != 0;
}

static void put_forces(const HolModel *m, int springs, HolJson *j) {
    int n = 0;
    begin_list(j, springs ? "springs" : "forces");
    for (int i = 0; i < m->def.n_forces; i++) {
        const HolForce *force = &m->def.forces[i];
        if (report_json_is_spring(force) != springs)
            continue;
        begin_entry(j, n++ == 0);
        put_text(j, "name", force->def.name);
        put_text(j, "type", force->def.type);
        if (springs) {
            put_anchor(j, "a", &force->a);
            put_anchor(j, "b", &force->b);
        } else {
            put_anchor(j, "on", &force->on);
        }
        hol_json_end(j);
    }
    hol_json_end(j);
}

// Free turn of an element about its axes; 0 in the others of a planar one.
static void report_json_free_turn(const HolModel *m, int element, double out[3]) {
    memset(out, 0, sizeof(double) * 3);
    if (m->beams.planar)
        out[2] = m->beams.planar[element].d0[2];
    else
        memcpy(out, m->beams.spatial[element].d0 + 3, sizeof(double) * 3);
}

// Beams: their nodes are bodies that follow each other. Stress at the edge of a section is
// [0] |stretch| + [1] |curvature about y| + [2] |about z|, of a round one with the length of both.
static void put_beams(const HolModel *m, HolJson *j) {
    begin_list(j, "beams");
    for (int i = 0; i < m->beams.n; i++) {
        const HolBeam *b = &m->beams.list[i];
        const double stress[3] = {b->per_area / b->C[0], b->edge[0] / b->C[28],
                                  b->edge[1] / b->C[35]};
        begin_entry(j, i == 0);
        put_text(j, "name", b->name);
        hol_json_integer(j, "first", b->first);
        hol_json_integer(j, "elements", b->n);
        hol_json_number(j, "length", b->length / b->n);
        hol_json_numbers(j, "stress", stress, b->per_area > 0 ? 3 : 0);
        hol_json_bool(j, "round", b->round);
        hol_json_begin(j, "free", '[', HOL_JSON_TIGHT);
        for (int k = 0; k < b->n; k++) {
            double turn[3];
            report_json_free_turn(m, b->element + k, turn);
            hol_json_numbers(j, NULL, turn, 3);
        }
        hol_json_end(j);
        hol_json_end(j);
    }
    hol_json_end(j);
}

// Modal bodies: nodes with their displacements by each mode, and lines between them.
static void put_modals(const HolModel *m, HolJson *j) {
    begin_list(j, "modals");
    for (int i = 0; i < m->modals.n; i++) {
        const HolModal *b = &m->modals.list[i];
        begin_entry(j, i == 0);
        put_text(j, "name", b->name);
        hol_json_integer(j, "body", b->body);
        hol_json_integer(j, "modes", b->nf);
        hol_json_numbers(j, "nodes", b->nodes, 3 * b->n_nodes);
        hol_json_numbers(j, "shapes", b->shapes, 3 * b->nf * b->n_nodes);
        hol_json_begin(j, "edges", '[', HOL_JSON_TIGHT);
        for (int k = 0; k < b->n_edges; k++) {
            hol_json_integer(j, NULL, b->edges[k][0]);
            hol_json_integer(j, NULL, b->edges[k][1]);
        }
        hol_json_end(j);
        hol_json_begin(j, "interfaces", '[', HOL_JSON_TIGHT);
        for (int k = 0; k < b->n_interfaces; k++)
            hol_json_integer(j, NULL, b->interfaces[k].body);
        hol_json_end(j);
        hol_json_end(j);
    }
    hol_json_end(j);
}

void hol_report_model(const HolReport *r, HolJson *j) {
    const HolModel *m = r->model;
    put_text(j, "model", m->name && *m->name ? m->name : "Model");
    put_text(j, "space", m->space == HOL_PLANAR ? "planar" : "spatial");
    hol_json_numbers(j, "gravity", m->gravity, 3);
    put_text(j, "file", m->file);
    hol_json_wrap(j);
    put_text(j, "source", m->source);
    begin_list(j, "bodies");
    for (int i = 0; i < hol_visible_bodies(m); i++)
        put_body(r, i, j);
    hol_json_end(j);
    put_joints(m, j);
    put_forces(m, 1, j);
    put_forces(m, 0, j);
    put_beams(m, j);
    put_modals(m, j);
    hol_report_contacts(m, j);
}
