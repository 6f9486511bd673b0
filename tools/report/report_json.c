// SPDX-License-Identifier: Apache-2.0
// The model of a report as JSON: what the page needs to draw it. Geometry in body axes [m].
#include "base/json.h"
#include "model/model.h"
#include "tools/report/report.h"

#include <math.h>
#include <string.h>

static void report_json_put_text(FILE *f, const char *key, const char *text) {
    fprintf(f, "\"%s\":", key);
    hol_json_text(f, text);
}

static void put_vector(FILE *f, const char *key, const double v[3]) {
    fprintf(f, ",\"%s\":", key);
    hol_json_vector(f, v);
}

static void put_shape(const HolReport *r, int body, FILE *f) {
    const HolShapeDef *s = &r->model->def.bodies[body].def.shape;
    const HolReportMesh *mesh = &r->meshes[body];
    // a mesh that could not be read gets the default drawing
    int unread = s->type && strcmp(s->type, "mesh") == 0 && mesh->count == 0;
    if (!s->type || unread) {
        fputs(",\"shape\":null", f);
        return;
    }
    fputs(",\"shape\":{", f);
    report_json_put_text(f, "type", s->type);
    put_vector(f, "from", s->from);
    put_vector(f, "to", s->to);
    put_vector(f, "size", s->size);
    fputs(",\"radius\":", f);
    hol_json_number(f, isfinite(s->radius) ? s->radius : 0);
    fputs(",", f);
    report_json_put_text(f, "color", s->color);
    fprintf(f, ",\"mesh\":%d}", mesh->count > 0 ? mesh->column + 1 : -1);
}

static void put_points(const HolBodyDef *def, FILE *f) {
    fputs(",\"points\":[", f);
    for (int i = 0; i < def->n_points; i++) {
        fputs(i ? ",{" : "{", f);
        report_json_put_text(f, "name", def->points[i].name);
        put_vector(f, "at", def->points[i].at);
        fputc('}', f);
    }
    fputc(']', f);
}

static void put_body(const HolReport *r, int body, FILE *f) {
    static const char *const types[] = {"rigid", "point", "coordinate"};
    const HolBody *b = &r->model->def.bodies[body];
    int ground = body == 0;
    fputs(body ? ",\n{" : "{", f);
    report_json_put_text(f, "name", ground ? "ground" : b->def.name);
    fputs(",", f);
    report_json_put_text(f, "type", ground ? "ground" : types[b->def.type]);
    fputs(",\"mass\":", f);
    hol_json_number(f, ground ? 0 : b->def.mass);
    fputs(",\"inertia\":", f);
    if (r->model->space == HOL_SPATIAL) {
        hol_json_vector(f, b->def.inertia);
    } else {
        fputc('[', f);
        hol_json_number(f, b->def.inertia[0]);
        fputc(']', f);
    }
    put_shape(r, body, f);
    put_points(&b->def, f);
    fputs(",\"pose\":[", f);
    for (int k = 0; k < HOL_REPORT_POSE_MAX && r->pose[body][k] >= 0; k++)
        fprintf(f, "%s%d", k ? "," : "", r->pose[body][k] + 1); // time is column 0
    fputs("]}", f);
}

static void put_anchor(FILE *f, const char *key, const HolAttach *a) {
    fprintf(f, ",\"%s\":{\"body\":%d", key, a->body);
    put_vector(f, "at", a->at);
    if (a->has_axis)
        put_vector(f, "axis", a->axis);
    else
        fputs(",\"axis\":null", f);
    fputc('}', f);
}

static void put_joints(const HolModel *m, FILE *f) {
    fputs(",\n\"joints\":[", f);
    for (int i = 0; i < m->def.n_joints; i++) {
        const HolJoint *j = &m->def.joints[i];
        fputs(i ? ",\n{" : "{", f);
        report_json_put_text(f, "name", j->def.name);
        fputs(",", f);
        report_json_put_text(f, "type", j->def.type);
        put_anchor(f, "a", &j->a);
        put_anchor(f, "b", &j->b);
        fputc('}', f);
    }
    fputc(']', f);
}

// two-point elements are drawn as coils, the rest is only named
static int report_json_is_spring(const HolForce *force) {
    return strcmp(force->def.type, "spring_damper") == 0;
}

static void put_forces(const HolModel *m, int springs, FILE *f) {
    fprintf(f, ",\n\"%s\":[", springs ? "springs" : "forces");
    int n = 0;
    for (int i = 0; i < m->def.n_forces; i++) {
        const HolForce *force = &m->def.forces[i];
        if (report_json_is_spring(force) != springs)
            continue;
        fputs(n++ ? ",\n{" : "{", f);
        report_json_put_text(f, "name", force->def.name);
        fputs(",", f);
        report_json_put_text(f, "type", force->def.type);
        if (springs) {
            put_anchor(f, "a", &force->a);
            put_anchor(f, "b", &force->b);
        } else {
            put_anchor(f, "on", &force->on);
        }
        fputc('}', f);
    }
    fputc(']', f);
}

void hol_report_model(const HolReport *r, FILE *f) {
    const HolModel *m = r->model;
    report_json_put_text(f, "model", m->name && *m->name ? m->name : "Model");
    fputs(",", f);
    report_json_put_text(f, "space", m->space == HOL_PLANAR ? "planar" : "spatial");
    put_vector(f, "gravity", m->gravity);
    fputs(",", f);
    report_json_put_text(f, "file", m->file);
    fputs(",\n", f);
    report_json_put_text(f, "source", m->source);
    fputs(",\n\"bodies\":[", f);
    for (int i = 0; i < m->def.n_bodies; i++)
        put_body(r, i, f);
    fputc(']', f);
    put_joints(m, f);
    put_forces(m, 1, f);
    put_forces(m, 0, f);
}
