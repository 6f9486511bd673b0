// SPDX-License-Identifier: Apache-2.0
// Where a body is, when its file says it by a point or by its origin. With the body's axes A, the
// centre of mass c and a point P in them, all from its origin o:
//     place: {point: P, at: x}   o = x - A P        then the centre of mass is at  r = o + A c,
// and points count from there: P - c. Without `com` the origin is the centre of mass.
// A body that is placed on another one waits for it.
#include "io/place/place.h"

#include "math/vec.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

// ---- reading ----

typedef struct SolidTarget {
    HolSolidDef solid; // first: the field table's offsets count from here
    const HolNode *body;
} SolidTarget;

static void place_read_solid_own(HolReader *r, const HolField *f, const HolNode *node,
                                 void *object) {
    SolidTarget *t = object;
    if (strcmp(f->form, "orientation") == 0)
        hol_read_orientation(r, node, t->solid.quaternion);
    else
        hol_read_point_or_name(r, f->key, node, hol_node_get(t->body, "points"),
                               (double *)(void *)((char *)&t->solid + f->offset));
}

// the keys that its type needs
static void place_check_solid(HolReader *r, const HolNode *node, const HolSolidDef *s) {
    static const char *const needed[][4] = {
        {"size", NULL, NULL, NULL}, {"from", "to", "radius", NULL}, {"radius", NULL, NULL, NULL}};
    static const char *const names[] = {"box", "cylinder", "sphere"};
    for (int i = 0; needed[s->type][i]; i++)
        if (!hol_node_get(node, needed[s->type][i]))
            hol_read_problem(r, node, -1, "shapes: a %s needs '%s'", names[s->type],
                             needed[s->type][i]);
    if (s->inner_radius > 0 && s->inner_radius >= s->radius)
        hol_read_problem(r, hol_node_get(node, "inner_radius"), -1,
                         "shapes: 'inner_radius' must be smaller than 'radius'");
    if (s->type == HOL_SOLID_CYLINDER && hol_node_get(node, "from") && hol_node_get(node, "to") &&
        memcmp(s->from, s->to, sizeof s->from) == 0)
        hol_read_problem(r, hol_node_get(node, "to"), -1,
                         "shapes: 'from' and 'to' of a cylinder must not be the same point");
    for (int i = 0; i < 3 && s->type == HOL_SOLID_BOX; i++)
        if (s->size[i] < 0)
            hol_read_problem(r, hol_node_get(node, "size"), -1,
                             "shapes: 'size' must not be negative");
}

static void place_read_solids(HolReader *r, const HolNode *list, HolBodyPlace *p) {
    static const HolMapReader how = {.table = hol_solid_fields, .own = place_read_solid_own};
    if (!hol_expect(r, list, HOL_NODE_LIST, "shapes"))
        return;
    HolSolidDef *solids = HOL_NEW(r->arena, HolSolidDef, list->n + 1);
    p->n_solids = 0; // (a key that is there twice is an error, and read twice)
    for (int i = 0; solids && i < list->n; i++) {
        const HolNode *node = &list->values[i];
        SolidTarget t = {.solid = {.quaternion = {1, 0, 0, 0}}, .body = p->node};
        if (!hol_expect(r, node, HOL_NODE_MAP, "shapes"))
            continue;
        const int before = r->problems;
        hol_read_map(r, node, &how, &t);
        if (r->problems == before)
            place_check_solid(r, node, &t.solid);
        p->wrong |= r->problems > before;
        if (r->space == HOL_PLANAR)
            q_store(t.solid.quaternion, q_axis_angle(v3(0, 0, 1), t.solid.angle));
        solids[p->n_solids++] = t.solid;
    }
    p->solids = solids;
}

// {point: P, at: [..] | body.point}
static void place_read(HolReader *r, const HolNode *map, HolBodyPlace *p) {
    static const char *const keys[] = {"point", "at"};
    if (!hol_expect(r, map, HOL_NODE_MAP, "place"))
        return;
    p->place = map;
    for (int i = 0; i < map->n; i++)
        if (strcmp(map->keys[i].text, "point") != 0 && strcmp(map->keys[i].text, "at") != 0)
            hol_read_problem(r, &map->keys[i], -1, "place: unknown key '%.64s'%s",
                             map->keys[i].text, hol_read_hint(r, map->keys[i].text, keys, 2));
    const HolNode *at = hol_node_get(map, "at"), *point = hol_node_get(map, "point");
    p->point = point ? hol_read_text(r, point, "point") : NULL;
    if (!at)
        hol_read_problem(r, map, -1,
                         "place: required key 'at' is missing: coordinates, or a point "
                         "of another body");
    else if (at->type == HOL_NODE_LIST) {
        r->unit = "m";
        hol_read_numbers(r, at, "at", r->dimensions, r->dimensions, p->at, NULL);
    } else if (hol_read_ref(r, at, "at", &p->other) && !p->other.body)
        p->other.body = "ground";
}

void hol_read_body_other(HolReader *r, const HolField *f, const HolNode *node, HolBodyPlace *p) {
    if (strcmp(f->form, "com") == 0)
        p->has_com = hol_read_numbers(r, node, f->key, r->dimensions, r->dimensions, p->com, NULL);
    else if (strcmp(f->form, "shapes") == 0)
        place_read_solids(r, node, p);
    else if (strcmp(f->form, "body place") == 0)
        place_read(r, node, p); // (others: keys of a beam in a body of unknown type)
}

// ---- mass ----

static void place_drawn(const HolSolidDef *s, HolShapeDef *out) {
    static const char *const types[] = {"box", "cylinder", "sphere"};
    out->type = types[s->type];
    memcpy(out->from, s->type == HOL_SOLID_CYLINDER ? s->from : s->at, sizeof out->from);
    memcpy(out->to, s->type == HOL_SOLID_CYLINDER ? s->to : s->at, sizeof out->to);
    memcpy(out->size, s->size, sizeof out->size);
    out->radius = s->radius;
    out->color = s->color;
}

// a mass as written that is not that of the solids, whose inertia is taken
static void place_mass_remark(HolReader *r, const HolBodyDef *def, const HolBodyPlace *p,
                              double solids) {
    if (!hol_node_get(p->node, "mass") || hol_node_get(p->node, "inertia") ||
        fabs(def->mass - solids) <= 0.01 * solids || !r->model)
        return;
    const HolNode *at = hol_node_get(p->node, "mass");
    hol_model_add_remark(
        r->model, "mass", def->name, at->line, at->column,
        "body '%.60s': its mass is %.6g kg as written, that of its shapes %.6g kg, "
        "and the inertia is theirs: choose their density accordingly",
        def->name, def->mass, solids);
}

void hol_body_fill(HolReader *r, HolBodyDef *def, HolBodyPlace *p) {
    HolMass mass;
    hol_solids_mass(p->solids, p->n_solids, &mass);
    if (mass.mass > 0 && def->name)
        place_mass_remark(r, def, p, mass.mass);
    if (mass.mass > 0) {
        if (!hol_node_get(p->node, "mass"))
            def->mass = mass.mass;
        if (!hol_node_get(p->node, "inertia") && r->space == HOL_PLANAR)
            def->inertia[0] = mass.inertia[2];
        else if (!hol_node_get(p->node, "inertia"))
            memcpy(def->inertia, mass.inertia, sizeof mass.inertia);
        if (!hol_node_get(p->node, "com")) {
            memcpy(p->com, mass.com, sizeof p->com);
            p->has_com = 1;
        }
    }
    if (p->n_solids && !def->shape.type)
        place_drawn(&p->solids[0], &def->shape);
    if (hol_body_turns(def) && !p->wrong && !(mass.mass > 0) && !hol_node_get(p->node, "mass") &&
        p->n_solids)
        hol_read_problem(r, p->node, -1,
                         "its mass is not known: give 'mass', or 'density' in 'shapes'");
}

// ---- places ----

static Vec3 place_turn(const HolReader *r, const HolBodyDef *d, const double x[3]) {
    const Quat p =
        r->space == HOL_PLANAR ? q_axis_angle(v3(0, 0, 1), d->angle) : q_load(d->quaternion);
    return hol_body_turns(d) ? q_rotate(p, v3_load(x)) : v3_load(x);
}

static const double *place_find(const HolBodyDef *d, const char *name) {
    for (int i = 0; i < d->n_points; i++)
        if (strcmp(d->points[i].name, name) == 0)
            return d->points[i].at;
    return NULL;
}

// points, shape and position from the centre of mass on
static void place_centre(HolReader *r, HolBodyDef *d, const HolBodyPlace *p) {
    if (!p->has_com)
        return;
    HolPointDef *points = HOL_NEW(r->arena, HolPointDef, d->n_points + 1);
    const int had = place_find(d, "origin") != NULL;
    if (!points)
        return;
    if (d->n_points)
        memcpy(points, d->points, sizeof *points * (size_t)d->n_points);
    points[d->n_points] = hol_point_def();
    points[d->n_points].name = "origin";
    d->n_points += !had;
    d->points = points;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < d->n_points; k++)
            points[k].at[i] -= p->com[i];
        d->shape.from[i] -= p->com[i];
        d->shape.to[i] -= p->com[i];
    }
    v3_store(d->position, v3_add(v3_load(d->position), place_turn(r, d, p->com)));
}

// the other body, when it has its place
static const HolBodyDef *place_other(const HolBodyDef *defs, const HolBodyPlace *places, int n,
                                     const HolBodyPlace *p, int *wait) {
    *wait = 0;
    for (int i = 0; i < n; i++)
        if (defs[i].name && strcmp(defs[i].name, p->other.body) == 0) {
            *wait = !places[i].done;
            return &defs[i];
        }
    return NULL;
}

// the point of the other body, global axes; its axes for a body without an orientation of its own
static Vec3 place_target(HolReader *r, const HolBodyDef *other, const HolBodyPlace *p,
                         HolBodyDef *d) {
    const HolNode *ground = r->ground_points;
    double at[3] = {0};
    if (!other) { // the ground
        memcpy(at, p->other.at, sizeof at);
        const HolNode *point =
            p->other.point && ground ? hol_node_get(ground, p->other.point) : NULL;
        if (point)
            hol_read_ground_point(r, point, at);
        return v3_load(at);
    }
    const double *point = p->other.point ? place_find(other, p->other.point) : p->other.at;
    if (!p->turned) {
        d->angle = other->angle;
        memcpy(d->quaternion, other->quaternion, sizeof d->quaternion);
    }
    return v3_add(v3_load(other->position), place_turn(r, other, point ? point : at));
}

// 1: it has its place now
static int place_one(HolReader *r, HolBodyDef *defs, HolBodyPlace *places, int n, int i) {
    HolBodyDef *d = &defs[i];
    HolBodyPlace *p = &places[i];
    const HolPart *frame = hol_node_frame(p->node);
    const int on_other = p->place && p->other.body;
    int wait = 0;
    const HolBodyDef *other = on_other ? place_other(defs, places, n, p, &wait) : NULL;
    if (wait)
        return 0;
    p->done = 1;
    // orientation first: global, unless it is taken from the other body
    if (hol_body_turns(d) && frame && (!on_other || p->turned || !other)) {
        if (r->space == HOL_PLANAR)
            d->angle += frame->angle;
        else
            hol_part_orientation(frame, d->quaternion);
    }
    Vec3 target = v3_load(p->at);
    if (on_other)
        target = place_target(r, other, p, d);
    else {
        double x[3];
        memcpy(x, p->place ? p->at : d->position, sizeof x);
        hol_part_point(frame, x);
        target = v3_load(x);
    }
    const double zero[3] = {0}, *point = p->place && p->point ? place_find(d, p->point) : zero;
    if (!point && strcmp(p->point, "origin") != 0)
        hol_read_problem(r, hol_node_get(p->place, "point"), -1, "body '%s' has no point '%.64s'",
                         d->name, p->point);
    v3_store(d->position, v3_sub(target, place_turn(r, d, point ? point : zero)));
    hol_part_direction(frame, d->velocity);
    if (hol_body_turns(d) && r->space == HOL_SPATIAL && !d->omega_is_body)
        hol_part_direction(frame, d->omega);
    place_centre(r, d, p);
    return 1;
}

void hol_bodies_place(HolReader *r, HolBodyDef *defs, HolBodyPlace *places, int n) {
    int waiting = 0;
    for (int i = 0; i < n; i++)
        waiting += !places[i].done;
    for (int progress = 1; progress && waiting;) {
        progress = 0;
        for (int i = 0; i < n; i++)
            if (!places[i].done && place_one(r, defs, places, n, i)) {
                waiting--;
                progress = 1;
            }
    }
    for (int i = 0; i < n && waiting; i++)
        if (!places[i].done) {
            hol_read_problem(r, places[i].place, -1,
                             "body '%s' and '%s' are placed on each other in a circle: give one of "
                             "them a position",
                             defs[i].name ? defs[i].name : "", places[i].other.body);
            return;
        }
}
