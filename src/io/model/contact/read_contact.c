// SPDX-License-Identifier: Apache-2.0
// Contacts: two bodies with a shape each, {body: NAME, SHAPE: ..}, and their law.
#include "io/expand/part.h"
#include "io/model/read.h"

#include "model/contact/contact.h"
#include "model/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *key;
    HolContactShape shape;
    const HolField *fields; // of its map, NULL: it is none
    int radius;             // 1: must be given
} contact_shapes[] = {{"point", HOL_SHAPE_POINT, hol_contact_round_fields, 0},
                      {"circle", HOL_SHAPE_CIRCLE, hol_contact_round_fields, 1},
                      {"sphere", HOL_SHAPE_SPHERE, hol_contact_round_fields, 1},
                      {"line", HOL_SHAPE_LINE, hol_contact_flat_fields, 0},
                      {"plane", HOL_SHAPE_PLANE, hol_contact_flat_fields, 0},
                      {"flat", HOL_SHAPE_FLAT, hol_contact_flat_fields, 0},
                      {"cylinder", HOL_SHAPE_CYLINDER, hol_contact_cylinder_fields, 0},
                      {"corners", HOL_SHAPE_CORNERS, NULL, 0},
                      {"polyline", HOL_SHAPE_POLYLINE, NULL, 0},
                      {"curve", HOL_SHAPE_CURVE, NULL, 0}};
enum { CONTACT_SHAPES = sizeof contact_shapes / sizeof *contact_shapes };

// ---- shapes -------------------------------------------------------------------------------

// coordinates, or the name of a point of the body
static void read_contact_place(HolReader *r, const HolNode *node, HolRef *place) {
    if (node->type == HOL_NODE_SCALAR) {
        char *name = (char *)hol_read_text(r, node, "at");
        HolRef other = {0};
        if (!name || !place->body)
            return;
        if (strchr(place->body, '*')) { // (of several bodies: compile finds it)
            place->point = name;
            return;
        }
        HolNode whole = *node; // as if it were written body.point
        char *text = HOL_NEW(r->arena, char, strlen(place->body) + strlen(name) + 2);
        if (!text)
            return;
        sprintf(text, "%s.%s", place->body, name);
        whole.text = text;
        whole.length = strlen(text);
        whole.column -= (int)strlen(place->body) + 1; // messages point at the name
        if (hol_read_ref(r, &whole, "at", &other))
            place->point = other.point;
        return;
    }
    place->has_at = hol_read_numbers(r, node, "at", r->dimensions, r->dimensions, place->at, NULL);
}

static void read_contact_shape_own(HolReader *r, const HolField *f, const HolNode *node,
                                   void *object) {
    HolContactSide *side = object;
    if (strcmp(f->form, "place") == 0)
        read_contact_place(r, node, &side->place);
    else
        side->place.has_axis = hol_read_direction(r, node, f->key, side->place.axis);
}

static void read_polyline(HolReader *r, const HolNode *node, HolContactSide *side) {
    if (!hol_expect(r, node, HOL_NODE_LIST, "polyline"))
        return;
    double *xy = HOL_NEW(r->arena, double, 2 * node->n + 2);
    if (node->n < 2)
        hol_read_problem(r, node, -1, "'polyline' needs two points at least");
    for (int i = 0; xy && i < node->n; i++)
        if (hol_read_numbers(r, &node->values[i], "polyline", 2, 2, xy + 2 * i, NULL) && i > 0 &&
            xy[2 * i] == xy[2 * i - 2] && xy[2 * i + 1] == xy[2 * i - 1])
            hol_read_problem(r, &node->values[i], -1, "'polyline': the same point twice");
    side->points = xy;
    side->n_points = node->n;
    side->shape = HOL_SHAPE_POLYLINE;
}

static void read_contact_side_own(HolReader *r, const HolField *f, const HolNode *node,
                                  void *object) {
    HolContactSide *side = object;
    if (strcmp(f->form, "matrix") == 0)
        read_polyline(r, node, side);
    for (int i = 0; i < CONTACT_SHAPES && strcmp(f->form, "matrix") != 0; i++) {
        if (strcmp(contact_shapes[i].key, f->key) != 0)
            continue;
        const HolMapReader how = {.table = contact_shapes[i].fields, .own = read_contact_shape_own};
        side->shape = contact_shapes[i].shape;
        if (hol_node_is_null(node) && !contact_shapes[i].radius && side->shape == HOL_SHAPE_POINT)
            return; // at the body's origin
        if (!hol_expect(r, node, HOL_NODE_MAP, f->key))
            return;
        hol_read_map(r, node, &how, side);
        if (contact_shapes[i].radius && hol_node_find(node, "radius") < 0)
            hol_read_problem(r, node, -1, "'%s' needs 'radius'", f->key);
        if (side->shape == HOL_SHAPE_POINT && hol_node_find(node, "radius") >= 0)
            hol_read_problem(r, node, -1, "a 'point' has no radius; use '%s'",
                             r->space == HOL_PLANAR ? "circle" : "sphere");
    }
}

// the ground of a part is the part's frame; its points have been placed
static void read_contact_placed(HolReader *r, const HolNode *node, HolContactSide *side) {
    const HolPart *part = hol_node_frame(node);
    if (!part || !hol_read_is_ground(&side->place))
        return;
    if (!side->place.point) {
        hol_part_point(part, side->place.at);
        side->place.has_at = 1;
    }
    hol_part_direction(part, side->place.axis);
    double *points = side->n_points ? HOL_NEW(r->arena, double, 2 * side->n_points) : NULL;
    for (int i = 0; points && i < side->n_points; i++) { // (a polyline, in the plane)
        double x[3] = {side->points[2 * i], side->points[2 * i + 1], 0};
        hol_part_point(part, x);
        points[2 * i] = x[0];
        points[2 * i + 1] = x[1];
    }
    if (points)
        side->points = points;
    const int curve = side->shape == HOL_SHAPE_CURVE;
    if (part->turned && (curve || side->shape == HOL_SHAPE_CORNERS))
        hol_read_problem(r, node, -1,
                         "'between': %s of the ground lie along its axes, but part '%s' is turned; "
                         "use a body that is "
                         "fixed to it",
                         curve ? "curves" : "corners", part->name);
}

// a name with `*`; in a part it stands for the part's own bodies
static const char *read_contact_pattern(HolReader *r, const HolNode *body) {
    const HolPart *part = hol_node_frame(body);
    if (!part || !part->name || strncmp(body->text, part->name, strlen(part->name)) == 0)
        return body->text;
    char *text = HOL_NEW(r->arena, char, strlen(part->name) + strlen(body->text) + 2);
    if (text)
        sprintf(text, "%s.%s", part->name, body->text);
    return text;
}

// many: the name of the body may hold `*`
static void read_contact_side(HolReader *r, const HolNode *node, int many, HolContactSide *side) {
    static const HolMapReader how = {.table = hol_contact_side_fields,
                                     .own = read_contact_side_own};
    const HolNode *body = hol_node_get(node, "body");
    HolRef ref = {0};
    int shapes = 0;
    if (!hol_expect(r, node, HOL_NODE_MAP, "between"))
        return;
    side->place.line = node->line;
    side->place.column = node->column;
    // first, since places are points of this body
    const char *pattern = NULL;
    if (many && body && body->type == HOL_NODE_SCALAR && strchr(body->text, '*'))
        side->place.body = pattern = read_contact_pattern(r, body);
    else if (body && hol_read_ref(r, body, "body", &ref))
        side->place.body = ref.body;
    hol_read_map(r, node, &how, side);
    if (pattern)
        side->place.body = pattern;
    const HolNode *corners = hol_node_get(node, "corners");
    if (corners)
        side->shape = HOL_SHAPE_CORNERS;
    if (corners && fmin(side->edges[0], fmin(side->edges[1], side->edges[2])) < 0)
        hol_read_problem(r, corners, -1, "'corners': edges of a box must not be negative");
    if (hol_node_find(node, "curve") >= 0)
        side->shape = HOL_SHAPE_CURVE;
    read_contact_placed(r, node, side);
    for (int i = 0; i < CONTACT_SHAPES; i++)
        shapes += hol_node_find(node, contact_shapes[i].key) >= 0;
    if (shapes != 1)
        hol_read_problem(r, node, -1, "'between': give one shape with each body: point, %s",
                         r->space == HOL_PLANAR ? "circle, line, flat, corners, polyline or curve"
                                                : "sphere, plane, cylinder or corners");
}

// ---- laws ---------------------------------------------------------------------------------

static void read_contact_sides(HolReader *r, const HolField *f, const HolNode *node,
                               HolContactDef *def) {
    const int among = strcmp(f->key, "among") == 0;
    HolContactSide *list;
    if (!hol_expect(r, node, HOL_NODE_LIST, f->key) ||
        !(list = HOL_NEW(r->arena, HolContactSide, node->n + 1)))
        return;
    for (int i = 0; i < node->n; i++)
        read_contact_side(r, &node->values[i], among, &list[i]);
    if (!node->n)
        hol_read_problem(r, node, -1, "'%s' is empty", f->key);
    if (among) {
        def->members = list;
        def->n_members = node->n;
    } else {
        def->walls = list;
        def->n_walls = node->n;
    }
}

static void read_contact_own(HolReader *r, const HolField *f, const HolNode *node, void *object) {
    static const HolMapReader friction = {.table = hol_contact_friction_fields};
    static const HolMapReader hertz = {.table = hol_hertz_fields};
    HolContactDef *def = object;
    if (strcmp(f->form, "contact pair") == 0) {
        if (!hol_expect(r, node, HOL_NODE_LIST, f->key))
            return;
        if (node->n != 2)
            hol_read_problem(r, node, -1, "'%s' must hold 2 entries, not %d", f->key, node->n);
        for (int i = 0; i < node->n && i < 2; i++)
            read_contact_side(r, &node->values[i], 0, &def->side[i]);
    } else if (strcmp(f->form, "contact sides") == 0) {
        read_contact_sides(r, f, node, def);
    } else if (strcmp(f->form, "hertz") == 0) {
        if (hol_expect(r, node, HOL_NODE_MAP, f->key))
            hol_read_map(r, node, &hertz, def);
    } else if (hol_expect(r, node, HOL_NODE_MAP, f->key)) {
        def->friction.given = 1;
        def->friction.line = node->line;
        def->friction.column = node->column;
        hol_read_map(r, node, &friction, &def->friction);
        if (def->friction.mu_static < def->friction.mu)
            hol_read_problem(r, node, -1, "'friction': mu_static is below mu");
    }
}

static void check_contact(HolReader *r, const HolNode *node, HolContactDef *d) {
    const HolNode *restitution = hol_node_get(node, "restitution");
    const int given = hol_node_find(node, "stiffness") >= 0, hertz = hol_node_find(node, "hertz");
    const int dissipation = hol_node_find(node, "dissipation");
    const int between = hol_node_find(node, "between"), among = hol_node_find(node, "among"),
              walls = hol_node_find(node, "walls");
    if (between < 0 && among < 0)
        hol_read_problem(r, node, -1, "give 'between' (a pair) or 'among' (many bodies)");
    if (between >= 0 && among >= 0)
        hol_read_problem(r, &node->keys[among], -1, "give 'between' or 'among', not both");
    if (walls >= 0 && among < 0)
        hol_read_problem(r, &node->keys[walls], -1, "'walls' go with 'among'");
    if (!given && hertz < 0)
        hol_read_problem(r, node, -1,
                         "give 'stiffness' (a number or rigid) or 'hertz: {E1, nu1, E2, nu2}'");
    if (given && hertz >= 0)
        hol_read_problem(r, &node->keys[hertz], -1, "give 'stiffness' or 'hertz', not both");
    if (given && d->stiffness == 0 && dissipation >= 0)
        hol_read_problem(
            r, &node->keys[dissipation], -1,
            "'dissipation' is that of a compliant contact; with 'stiffness: rigid' give "
            "'restitution'");
    const HolNode *friction = hol_node_get(node, "friction");
    if (friction && hol_node_find(friction, "law") < 0)
        d->friction.law = d->stiffness == 0 ? HOL_FRICTION_COULOMB : HOL_FRICTION_SMOOTH;
    else if (friction && d->stiffness != 0 && d->friction.law == HOL_FRICTION_COULOMB)
        hol_read_problem(r, friction, -1,
                         "'law: coulomb' is that of rigid contacts; of compliant ones friction is "
                         "smooth");
    if (restitution && dissipation >= 0)
        hol_read_problem(r, &node->keys[dissipation], -1,
                         "give 'restitution' or 'dissipation', not both");
    if (restitution && d->stiffness != 0 && d->restitution < 0.05)
        hol_read_problem(
            r, restitution, -1,
            "'restitution' is %g; a compliant contact needs 0.05 at least: its damping "
            "grows without bound; use 'stiffness: rigid'",
            d->restitution);
}

static void read_contact(HolReader *r, const HolNode *node, int i) {
    static const HolMapReader how = {.table = hol_contact_fields, .own = read_contact_own};
    snprintf(r->what, sizeof r->what, "contact %d", i + 1);
    if (!hol_expect(r, node, HOL_NODE_MAP, "contacts"))
        return;
    const HolNode *name = hol_node_get(node, "name");
    HolContactDef def = {.stiffness = NAN,
                         .exponent = NAN,
                         .restitution = NAN,
                         .dissipation = NAN,
                         .friction = {.law = HOL_FRICTION_SMOOTH, .mu_static = NAN, .speed = 1e-3}};
    const int before = r->problems;
    const char *text = hol_entry_name(r, node, "contact", i);
    snprintf(r->what, sizeof r->what, "contact '%.64s'", text);
    hol_read_map(r, node, &how, &def);
    def.name = text;
    def.line = name ? name->line : node->line;
    def.column = name ? name->column : node->column;
    check_contact(r, node, &def);
    if (r->problems == before && hol_entry_owns_name(&r->contacts, text, node) &&
        hol_add_contact(r->model, &def, r->err) != HOL_OK)
        r->problems++;
    r->lost |= r->problems > before; // outputs may name it
}

void hol_read_contacts(HolReader *r, const HolNode *list) {
    if (hol_expect(r, list, HOL_NODE_LIST, "contacts"))
        for (int i = 0; i < list->n; i++)
            read_contact(r, &list->values[i], i);
    r->what[0] = 0;
}
