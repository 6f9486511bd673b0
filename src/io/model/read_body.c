// SPDX-License-Identifier: Apache-2.0
// Bodies, their points, orientation and shape, and the points of the ground.
//
// Orientation A (body -> global) from Euler angles about rotating axes, in the order written:
//     A = R_1(a1) R_2(a2) R_3(a3),  as quaternions p = p1 p2 p3.
#include "io/expand/part.h"
#include "io/modal/read_modal.h"
#include "io/model/read.h"
#include "io/model/read_beam.h"
#include "io/place/place.h"

#include "base/text.h"
#include "math/vec.h"
#include "model/fields.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- points -------------------------------------------------------------------------------

static void read_point(HolReader *r, const HolNode *key, const HolNode *value, HolPointDef *out) {
    static const HolMapReader how = {.table = hol_point_fields};
    out->name = hol_read_name(r, key, "name of a point");
    r->unit = "m";
    if (value->type == HOL_NODE_MAP)
        hol_read_map(r, value, &how, out);
    else
        hol_read_numbers(r, value, key->text, r->dimensions, r->dimensions, out->at, NULL);
}

void hol_read_ground_point(HolReader *r, const HolNode *node, double at[3]) {
    const HolNode *list = node->type == HOL_NODE_MAP ? hol_node_get(node, "at") : node;
    HolError *err = r->err;
    const int problems = r->problems; // said where the point stands
    r->err = NULL;
    r->unit = "m";
    if (list)
        hol_read_numbers(r, list, "at", r->dimensions, r->dimensions, at, NULL);
    hol_part_point(hol_node_frame(node), at);
    r->err = err;
    r->problems = problems;
}

// of the ground of a part
static void read_point_placed(const HolPart *part, HolPointDef *out) {
    hol_part_point(part, out->at);
    hol_part_direction(part, out->axis);
    hol_part_direction(part, out->x);
}

// the points of a map; those with a bad name are left out
static HolPointDef *read_points(HolReader *r, const HolNode *map, int is_ground, int *n) {
    *n = 0;
    if (!hol_expect(r, map, HOL_NODE_MAP, "points"))
        return NULL;
    HolPointDef *points = HOL_NEW(r->arena, HolPointDef, map->n + 1);
    for (int i = 0; points && i < map->n; i++) {
        HolPointDef point = hol_point_def();
        read_point(r, &map->keys[i], &map->values[i], &point);
        if (is_ground)
            read_point_placed(hol_node_frame(&map->values[i]), &point);
        if (point.name)
            points[(*n)++] = point;
    }
    return points;
}

void hol_read_check_ground(HolReader *r, const HolNode *node) {
    static const char *const keys[] = {"points"};
    for (int i = 0; i < node->n; i++)
        if (strcmp(node->keys[i].text, "points") != 0)
            hol_read_problem(r, &node->keys[i], -1, "ground: unknown key '%.64s'%s",
                             node->keys[i].text, hol_read_hint(r, node->keys[i].text, keys, 1));
}

void hol_read_ground(HolReader *r, const HolNode *node) {
    int n = 0;
    if (!hol_expect(r, node, HOL_NODE_MAP, "ground"))
        return;
    hol_read_check_ground(r, node);
    const HolNode *map = hol_node_get(node, "points");
    snprintf(r->what, sizeof r->what, "ground");
    const HolPointDef *points = map ? read_points(r, map, 1, &n) : NULL;
    const int before = r->problems;
    for (int k = 0; k < n && r->problems == before; k++)
        if (hol_add_ground_point(r->model, &points[k], r->err) != HOL_OK)
            r->problems++;
    r->what[0] = 0;
}

// ---- orientation --------------------------------------------------------------------------

typedef int OrientationReader(HolReader *r, const HolNode *map, const HolNode *value, Quat *out);

static int from_quaternion(HolReader *r, const HolNode *map, const HolNode *value, Quat *out) {
    double p[4];
    (void)map;
    if (!hol_read_numbers(r, value, "quaternion", 4, 4, p, NULL))
        return 0;
    double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (!(norm > 1e-10 && norm < 1e10)) {
        hol_read_problem(r, value, -1,
                         "'quaternion' must not be zero; no rotation is [1, 0, 0, 0]");
        return 0;
    }
    *out = q_normalize(q_load(p));
    return 1;
}

static int from_axis(HolReader *r, const HolNode *map, const HolNode *value, Quat *out) {
    double axis[3], angle;
    const HolNode *angle_node = hol_node_get(map, "angle");
    int ok = hol_read_direction(r, value, "axis", axis);
    if (!angle_node) {
        hol_read_problem(r, map, -1, "'orientation' with 'axis' also needs 'angle'");
        return 0;
    }
    r->unit = "rad";
    if (!hol_read_number(r, angle_node, "angle", &angle) || !ok)
        return 0;
    *out = q_axis_angle(v3_unit(v3_load(axis)), angle);
    return 1;
}

// three letters x, y, z, neighbours different
static int is_sequence(const char *s) {
    for (int i = 0; i < 3; i++)
        if (s[i] < 'x' || s[i] > 'z' || (i && s[i] == s[i - 1]))
            return 0;
    return s[3] == 0;
}

static int from_euler(HolReader *r, const HolNode *map, const HolNode *value, Quat *out) {
    double angles[3];
    const HolNode *node = hol_node_get(map, "angles");
    const char *sequence = hol_read_text(r, value, "euler");
    if (sequence && !is_sequence(sequence)) {
        hol_read_problem(r, value, -1,
                         "'euler' must name three axes such as zxz, xyz or zyx, no axis twice in a "
                         "row, not '%.20s'",
                         sequence);
        sequence = NULL;
    }
    if (!node) {
        hol_read_problem(r, map, -1, "'orientation' with 'euler' also needs 'angles'");
        return 0;
    }
    r->unit = "rad";
    if (!hol_read_numbers(r, node, "angles", 3, 3, angles, NULL) || !sequence)
        return 0;
    Quat p = q_identity();
    for (int i = 0; i < 3; i++) {
        double axis[3] = {0};
        axis[sequence[i] - 'x'] = 1;
        p = q_mul(p, q_axis_angle(v3_load(axis), angles[i]));
    }
    *out = q_normalize(p);
    return 1;
}

// rows of an orthogonal matrix with determinant +1
static int from_matrix(HolReader *r, const HolNode *map, const HolNode *value, Quat *out) {
    double row[3][3];
    (void)map;
    if (!hol_expect(r, value, HOL_NODE_LIST, "matrix"))
        return 0;
    if (value->n != 3) {
        hol_read_problem(r, value, -1, "'matrix' must hold 3 rows, not %d", value->n);
        return 0;
    }
    int ok = 1;
    for (int i = 0; i < 3; i++)
        ok &= hol_read_numbers(r, &value->values[i], "matrix", 3, 3, row[i], NULL);
    if (!ok)
        return 0;
    Vec3 a = v3_load(row[0]), b = v3_load(row[1]), c = v3_load(row[2]);
    double worst = fmax(fabs(v3_dot(a, b)), fmax(fabs(v3_dot(b, c)), fabs(v3_dot(c, a))));
    worst = fmax(worst, fabs(v3_dot(a, a) - 1));
    worst = fmax(worst, fmax(fabs(v3_dot(b, b) - 1), fabs(v3_dot(c, c) - 1)));
    if (!(worst < 1e-6) || v3_dot(v3_cross(a, b), c) < 0) {
        hol_read_problem(r, value, -1,
                         "'matrix' is not a rotation: its rows must be orthogonal unit vectors, "
                         "right-handed (largest deviation %.1e)",
                         worst);
        return 0;
    }
    *out = q_normalize(q_from_matrix(m3_transpose(m3_columns(a, b, c))));
    return 1;
}

int hol_read_orientation(HolReader *r, const HolNode *map, double quaternion[4]) {
    static const struct {
        const char *key, *second;
        OrientationReader *read;
    } forms[] = {{"quaternion", "quaternion", from_quaternion},
                 {"axis", "angle", from_axis},
                 {"euler", "angles", from_euler},
                 {"matrix", "matrix", from_matrix}};
    static const char *const keys[] = {"quaternion", "axis", "angle", "euler", "angles", "matrix"};
    if (!hol_expect(r, map, HOL_NODE_MAP, "orientation"))
        return 0;
    const int before = r->problems;
    int form = -1;
    for (int i = 0; i < 4 && form < 0; i++)
        if (hol_node_get(map, forms[i].key))
            form = i;
    for (int i = 0; i < map->n; i++) {
        const char *key = map->keys[i].text;
        int known = 0;
        for (int k = 0; k < 6; k++)
            known |= strcmp(keys[k], key) == 0;
        if (!known)
            hol_read_problem(r, &map->keys[i], -1, "orientation: unknown key '%.64s'%s", key,
                             hol_read_hint(r, key, keys, 6));
        else if (form >= 0 && strcmp(key, forms[form].key) && strcmp(key, forms[form].second))
            hol_read_problem(r, &map->keys[i], -1,
                             "orientation: '%s' does not go with '%s'; give one form", key,
                             forms[form].key);
    }
    Quat p;
    if (form < 0)
        hol_read_problem(
            r, map, -1,
            "'orientation' must be {quaternion: [w, x, y, z]}, {axis: [..], angle: a}, "
            "{euler: zxz, angles: [..]} or {matrix: [[..], [..], [..]]}");
    else if (forms[form].read(r, map, hol_node_get(map, forms[form].key), &p))
        q_store(quaternion, p);
    return r->problems == before;
}

// ---- shape --------------------------------------------------------------------------------

typedef struct ShapeTarget {
    HolShapeDef shape; // first: the field table's offsets count from here
    const HolNode *points;
} ShapeTarget;

void hol_read_point_or_name(HolReader *r, const char *key, const HolNode *node,
                            const HolNode *points, double out[3]) {
    const int n = r->dimensions;
    r->unit = "m";
    if (node->type != HOL_NODE_SCALAR) {
        hol_read_numbers(r, node, key, n, n, out, NULL);
        return;
    }
    const HolNode *point = hol_node_get(points, node->text);
    if (!point && strcmp(node->text, "origin") == 0) { // of the body: that from which points count
        memset(out, 0, sizeof *out * (size_t)n);
        return;
    }
    if (!point) {
        const char *list[64];
        int count = 0;
        for (; points && points->type == HOL_NODE_MAP && count < points->n && count < 64; count++)
            list[count] = points->keys[count].text;
        hol_read_problem(
            r, node, -1,
            "shape: '%s' must be a list of %d numbers or a point of the body; there is "
            "no point '%.64s'%s",
            key, n, node->text, hol_read_hint(r, node->text, list, count));
        return;
    }
    if (point->type == HOL_NODE_MAP)
        point = hol_node_get(point, "at");
    // problems of the point itself are reported where it stands
    int before = r->problems;
    HolError *err = r->err;
    r->err = NULL;
    if (point && point->type == HOL_NODE_LIST)
        hol_read_numbers(r, point, key, n, n, out, NULL);
    r->err = err;
    r->problems = before;
}

// `from` and `to`
static void read_place(HolReader *r, const HolField *f, const HolNode *node, void *object) {
    ShapeTarget *target = object;
    hol_read_point_or_name(r, f->key, node, target->points,
                           (double *)(void *)((char *)&target->shape + f->offset));
}

static void read_shape(HolReader *r, const HolNode *node, const HolNode *body, HolBodyDef *def) {
    static const HolMapReader how = {.table = hol_shape_fields, .own = read_place};
    if (!hol_expect(r, node, HOL_NODE_MAP, "shape"))
        return;
    ShapeTarget target = {.points = hol_node_get(body, "points")};
    hol_read_map(r, node, &how, &target);
    def->shape = target.shape;
}

// ---- bodies -------------------------------------------------------------------------------

// The table holds the keys of beams, too: a body of an unknown type may have any of them.
typedef struct BodyTarget {
    union { // first: the field table's offsets count from here
        HolBodyDef def;
        HolBeamDef beam;
    };
    HolBodyPlace other;
} BodyTarget;

static void read_body_read_own(HolReader *r, const HolField *f, const HolNode *node, void *object) {
    BodyTarget *target = object;
    if (strcmp(f->form, "orientation") == 0)
        hol_read_orientation(r, node, target->def.quaternion);
    else if (strcmp(f->form, "points") == 0)
        target->def.points = read_points(r, node, 0, &target->def.n_points);
    else if (strcmp(f->form, "shape") == 0)
        read_shape(r, node, target->other.node, &target->def);
    else
        hol_read_body_other(r, f, node, &target->other);
}

// inertia: principal values not negative; omega in one notation only; mass given
static void read_body_check_body(HolReader *r, const HolNode *node, HolBodyDef *def) {
    const HolNode *inertia = hol_node_get(node, "inertia");
    for (int i = 0; i < 3 && inertia; i++) {
        if (def->inertia[i] >= 0)
            continue;
        const HolNode *at = inertia->type == HOL_NODE_LIST ? &inertia->values[i] : inertia;
        hol_read_problem(r, at, -1, "'inertia' must not be negative");
        def->inertia[i] = 0;
    }
    int both = hol_node_find(node, "omega_body");
    if (both >= 0 && hol_node_get(node, "omega"))
        hol_read_problem(r, &node->keys[both], -1, "give 'omega' or 'omega_body', not both");
    const HolNode *shapes = hol_node_get(node, "shapes");
    const int heavy = shapes && !(shapes->type == HOL_NODE_LIST && shapes->n == 0);
    if (hol_body_placed(def) && !hol_node_get(node, "mass") && !heavy)
        hol_read_problem(r, node, -1, "required key 'mass' is missing [kg]");
    const int place = hol_node_find(node, "place");
    if (place >= 0 && hol_node_get(node, "position"))
        hol_read_problem(r, &node->keys[place], -1, "give 'position' or 'place', not both");
}

// the type, or what a mistyped one most likely means
static int is_coordinate(const char *type) {
    const char *names[8];
    int n = 0;
    for (const HolKind *const *k = hol_body_kinds; *k && n < 8; k++)
        names[n++] = (*k)->name;
    const char *nearest = type ? hol_nearest_word(type, names, n) : NULL;
    return nearest && !hol_body_kind(hol_kind_find(hol_body_kinds, nearest)->body)->placed;
}

// one entry; its place waits until all bodies are read
static void read_body(HolReader *r, const HolNode *node, int i, BodyTarget *target) {
    target->other.done = 1; // until it is whole
    snprintf(r->what, sizeof r->what, "body %d", i + 1);
    if (!hol_expect(r, node, HOL_NODE_MAP, "bodies"))
        return;
    const HolNode *name = hol_node_get(node, "name"), *type = hol_node_get(node, "type");
    if (name)
        snprintf(r->what, sizeof r->what, "body '%.64s'", hol_entry_name(r, node, "body", i));
    HolMapReader how = {.table = hol_body_fields, .own = read_body_read_own, .kind_word = "body"};
    how.kind = hol_body_kinds[0];
    if (type)
        how.kind = hol_read_kind(r, node, hol_body_kinds, "body");
    how.any_kind = !how.kind;
    int before = r->problems, dimensions = r->dimensions;
    if (is_coordinate(how.kind ? how.kind->name : type->text)) {
        target->def.type = HOL_COORDINATE;
        r->dimensions = 1;
    }
    target->def.line = name ? name->line : node->line;
    target->def.column = name ? name->column : node->column;
    target->other.node = node;
    target->other.turned = hol_node_get(node, "orientation") || hol_node_get(node, "angle");
    hol_read_map(r, node, &how, target);
    r->dimensions = dimensions;
    read_body_check_body(r, node, &target->def);
    hol_body_fill(r, &target->def, &target->other);
    target->other.ok = how.kind && r->problems == before &&
                       hol_entry_owns_name(&r->bodies, target->def.name, node);
    target->other.done = !target->other.ok || !hol_body_placed(&target->def);
}

void hol_read_bodies(HolReader *r, const HolNode *list) {
    if (!hol_expect(r, list, HOL_NODE_LIST, "bodies"))
        return;
    HolBodyDef *defs = HOL_NEW(r->arena, HolBodyDef, list->n + 1);
    HolBodyPlace *places = HOL_NEW(r->arena, HolBodyPlace, list->n + 1);
    for (int i = 0; defs && places && i < list->n; i++) {
        if (hol_node_is_beam(&list->values[i]) || hol_node_is_modal(&list->values[i]))
            continue;
        BodyTarget target = {.def = hol_body_def()};
        read_body(r, &list->values[i], i, &target);
        defs[i] = target.def;
        places[i] = target.other;
    }
    r->what[0] = 0;
    if (!defs || !places)
        return;
    hol_bodies_place(r, defs, places, list->n);
    for (int i = 0; i < list->n; i++)
        if (places[i].ok && places[i].done && hol_add_body(r->model, &defs[i], r->err) != HOL_OK)
            r->problems++;
    for (int i = 0; i < list->n; i++)
        if (hol_node_is_modal(&list->values[i]))
            hol_read_modal(r, &list->values[i], i);
    for (int i = 0; i < list->n; i++) // these last: they may be clamped to the others
        if (hol_node_is_beam(&list->values[i]))
            hol_read_beam(r, &list->values[i], i);
    r->what[0] = 0;
}
