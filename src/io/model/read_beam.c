// SPDX-License-Identifier: Apache-2.0
// Beams: their ends and curve, section, material and damping. The nodes' names are known before
// anything refers to them.
#include "io/model/read_beam.h"

#include "io/expand/part.h"
#include "io/refine/refine.h"
#include "model/fields.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ELEMENTS = 400000 };

int hol_node_is_beam(const HolNode *body) {
    const HolNode *type = hol_node_get(body, "type");
    return type && type->type == HOL_NODE_SCALAR && strcmp(type->text, "beam") == 0;
}

// ---- names --------------------------------------------------------------------------------

// elements as far as they can be known now; problems are said when the beam is read
static int read_beam_count(HolReader *r, const HolNode *beam) {
    const HolNode *node = hol_node_get(beam, "elements");
    HolError *err = r->err;
    if (hol_beam_is_auto(beam))
        return hol_beam_auto_count(r);
    const int before = r->problems;
    double n = 0;
    r->err = NULL;
    const int ok =
        node && node->type == HOL_NODE_SCALAR && hol_read_number(r, node, "elements", &n);
    r->err = err;
    r->problems = before;
    return ok && n >= 1 && n <= MOST_ELEMENTS && n == floor(n) ? (int)n : 0;
}

void hol_read_beam_names(HolReader *r, const HolNode *beam, const char *name) {
    const int n = read_beam_count(r, beam);
    static const char *const ends[] = {"start", "end"};
    if (n > hol_model_most.entries - r->beam_elements) { // each becomes a body
        if (r->beam_elements <= hol_model_most.entries)
            hol_read_problem(r, beam, -1, "with the elements of its beams: %s",
                             hol_model_most.what);
        r->beam_elements = INT_MAX;
        r->lost = 1;
        return;
    }
    r->beam_elements += n;
    for (int i = 0; i <= n + 2; i++) {
        char text[HOL_OWNER_LENGTH];
        if (i <= n)
            snprintf(text, sizeof text, "%.200s.node%d", name, i);
        else
            snprintf(text, sizeof text, "%.200s.%s", name, ends[i - n - 1]);
        const char *kept = hol_arena_text(r->arena, text);
        if (kept && !hol_name_table_find(&r->bodies, kept))
            hol_name_table_add(&r->bodies, r->arena, kept, beam, beam->line);
        const HolNode *end = i > n ? hol_node_get(beam, i == n + 1 ? "from" : "to") : NULL;
        if (kept && end && end->type != HOL_NODE_LIST) // clamped
            hol_name_table_add(&r->joints, r->arena, kept, beam, beam->line);
    }
}

int hol_node_beam_whole(const HolNode *beam, const char *name) {
    const HolNode *own = hol_node_get(beam, "name");
    return hol_node_is_beam(beam) && own && own->type == HOL_NODE_SCALAR &&
           strcmp(own->text, name) == 0;
}

// the node of "rod.WORD(0.5)rest", -1 with the reason, -2: it is no such name
static int read_beam_node_at(HolReader *r, const char *name, const char *word, char *why,
                             size_t size, const char **beam, const char **rest) {
    const char *at = strstr(name, word);
    double x;
    size_t length;
    if (!at || !hol_fraction_read(at + strlen(word), &x, &length))
        return -2;
    *beam = hol_arena_text_n(r->arena, name, (size_t)(at - name));
    *rest = at + strlen(word) + length;
    const HolNameEntry *entry = *beam ? hol_name_table_find(&r->bodies, *beam) : NULL;
    if (!entry || !entry->item || !hol_node_beam_whole(entry->item, *beam))
        return -2;
    const int n = read_beam_count(r, entry->item), node = n ? hol_fraction_node(x, n) : -1;
    if (node >= 0)
        return node;
    int more = n, low = x >= 0 && x <= 1 ? (int)floor(x * n) : 0;
    while (more && more < 1000 && hol_fraction_node(x, more) < 0)
        more++;
    if (!n) // (its elements are wrong: said there)
        snprintf(why, size, "; the elements of beam '%s' are not known", *beam);
    else if (!(x >= 0 && x <= 1))
        snprintf(why, size, "; a fraction of beam '%s' lies between 0 and 1", *beam);
    else
        snprintf(
            why, size,
            "; beam '%s' has no node there: the nearest are node%d at %.4g and node%d at %.4g, "
            "and %d elements would have one",
            *beam, low, (double)low / n, low + 1, (low + 1.0) / n, more);
    return -1;
}

const char *hol_read_beam_fraction(HolReader *r, const char *name, char *why, size_t size) {
    const char *beam, *rest;
    char text[HOL_OWNER_LENGTH];
    const int node = read_beam_node_at(r, name, ".at(", why, size, &beam, &rest);
    if (node == -2)
        return name;
    if (node < 0 ||
        snprintf(text, sizeof text, "%s.node%d%s", beam, node, rest) >= (int)sizeof text)
        return NULL;
    return hol_arena_text(r->arena, text);
}

int hol_read_beam_deflection(HolReader *r, const char *name, char *why, size_t size) {
    const char *beam, *rest;
    const int node = read_beam_node_at(r, name, ".deflection(", why, size, &beam, &rest);
    return node == -2 || *rest ? 0 : node < 0 ? -1 : 1;
}

int hol_read_beam_place_ok(HolReader *r, const HolNode *node, const char *body, const char *point,
                           const char *key) {
    const HolNameEntry *entry = hol_name_table_find(&r->bodies, body);
    const HolNode *beam = entry ? entry->item : NULL;
    if (!beam || !hol_node_beam_whole(beam, body))
        return 1;
    const int n = read_beam_count(r, beam);
    if (point)
        hol_read_problem(
            r, node, (int)strlen(body) + 1,
            "'%s': beam '%s' has no node '%.64s'; there are %s.start, %s.end and %s.node0 to "
            "%s.node%d",
            key, body, point, body, body, body, body, n);
    else
        hol_read_problem(
            r, node, 0,
            "'%s': '%s' is a beam; name one of its nodes: %s.start, %s.end or %s.node0 to "
            "%s.node%d",
            key, body, body, body, body, body, n);
    return 0;
}

void hol_read_whole_beam(HolReader *r, const HolNode *node, const char *key, HolRef *out) {
    const char *text = hol_read_text(r, node, key);
    const HolNameEntry *entry = text ? hol_name_table_find(&r->bodies, text) : NULL;
    *out = (HolRef){.body = text, .line = node->line, .column = node->column};
    if (text && (!entry || !entry->item || !hol_node_beam_whole(entry->item, text)))
        hol_read_problem(r, node, 0, "'%s': there is no beam '%.64s': a load acts on a whole beam",
                         key, text);
}

// ---- parts of a beam ----------------------------------------------------------------------

// an end: coordinates, or a place of another body that it is clamped to
static void read_beam_end(HolReader *r, const HolNode *node, const char *key, double out[3],
                          HolRef *place) {
    if (node->type == HOL_NODE_LIST)
        hol_read_numbers(r, node, key, r->dimensions, r->dimensions, out, NULL);
    else
        hol_read_ref(r, node, key, place);
}

static void read_beam_section(HolReader *r, const HolNode *node, HolBeamDef *d) {
    static const struct {
        const char *key, *what;
        HolSectionShape shape;
        int numbers;
    } shapes[] = {{"rectangle", "[width, height]", HOL_SECTION_RECTANGLE, 2},
                  {"circle", "radius", HOL_SECTION_CIRCLE, 1},
                  {"tube", "[outer radius, inner radius]", HOL_SECTION_TUBE, 2}};
    static const char *const keys[] = {"rectangle", "circle", "tube"};
    if (!hol_expect(r, node, HOL_NODE_MAP, "section"))
        return;
    if (node->n != 1) {
        hol_read_problem(r, node, -1,
                         "'section' must be one of {rectangle: [width, height]}, {circle: radius}, "
                         "{tube: [outer radius, inner radius]}");
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(node->keys[0].text, shapes[i].key) != 0)
            continue;
        const int n = shapes[i].numbers;
        if (!hol_read_numbers(r, &node->values[0], shapes[i].key, n, n, d->size, NULL))
            return;
        const int tube = shapes[i].shape == HOL_SECTION_TUBE;
        if (!(d->size[0] > 0) || (n == 2 && !(d->size[1] > 0)) ||
            (tube && d->size[1] >= d->size[0]))
            hol_read_problem(r, &node->values[0], -1,
                             "section: '%s' must be %s, positive numbers%s", shapes[i].key,
                             shapes[i].what, tube ? ", the inner one smaller" : "");
        else
            d->shape = shapes[i].shape;
        return;
    }
    hol_read_problem(r, &node->keys[0], -1, "section: unknown key '%.64s'%s", node->keys[0].text,
                     hol_read_hint(r, node->keys[0].text, keys, 3));
}

static void read_beam_elements(HolReader *r, const HolNode *node, HolBeamDef *d) {
    double n;
    if (node->type == HOL_NODE_SCALAR && strcmp(node->text, "auto") == 0) {
        d->elements = hol_beam_auto_count(r);
        d->automatic = 1;
        return;
    }
    if (!hol_read_number(r, node, "elements", &n))
        return;
    if (n >= 1 && n <= MOST_ELEMENTS && n == floor(n))
        d->elements = (int)n;
    else
        hol_read_problem(r, node, -1,
                         "'elements' must be a whole number from 1 to %d or auto, not %.60s",
                         MOST_ELEMENTS, node->text);
}

static void read_beam_curve(HolReader *r, const HolNode *node, HolBeamDef *d) {
    static const HolMapReader how = {.table = hol_arc_fields};
    const HolNode *arc = hol_node_get(node, "arc"), *points = hol_node_get(node, "points");
    if (!hol_expect(r, node, HOL_NODE_MAP, "curve"))
        return;
    if (node->n != 1 || (!arc && !points)) {
        hol_read_problem(r, node, -1,
                         "'curve' must be {arc: {radius: r, angle: a}} or {points: [[..], ..]}");
        return;
    }
    if (arc) {
        if (hol_expect(r, arc, HOL_NODE_MAP, "arc"))
            hol_read_map(r, arc, &how, d);
        d->has_arc = 1;
        return;
    }
    if (!hol_expect(r, points, HOL_NODE_LIST, "points"))
        return;
    double *list = HOL_NEW(r->arena, double, r->dimensions *(points->n + 1));
    if (points->n < 2) {
        hol_read_problem(r, points, -1, "curve: 'points' must hold at least two points");
        return;
    }
    for (int i = 0; list && i < points->n; i++)
        if (!hol_read_numbers(r, &points->values[i], "points", r->dimensions, r->dimensions,
                              list + (long)r->dimensions * i, NULL))
            return;
    d->points = list;
    d->n_points = points->n;
}

static void read_beam_natural(HolReader *r, const HolNode *node, HolBeamDef *d) {
    const int plane = r->space == HOL_PLANAR;
    if (node->type == HOL_NODE_SCALAR && strcmp(node->text, "straight") == 0) {
        d->natural = HOL_NATURAL_STRAIGHT;
        return;
    }
    if (node->type == HOL_NODE_SCALAR && strcmp(node->text, "as_written") == 0)
        return;
    if (hol_read_numbers(r, node, "natural", plane ? 1 : 3, plane ? 1 : 3,
                         plane ? d->curvature + 2 : d->curvature, NULL))
        d->natural = HOL_NATURAL_CURVED;
}

static void read_beam_rotary(HolReader *r, const HolNode *node, HolBeamDef *d) {
    if (!hol_read_numbers(r, node, "rotary", 1, r->space == HOL_PLANAR ? 1 : 3, d->rotary,
                          &d->n_rotary))
        return;
    for (int i = 0; i < d->n_rotary; i++)
        if (!(d->rotary[i] > 0)) {
            hol_read_problem(r, node, -1, "'rotary' must be positive: nodes must not turn freely");
            return;
        }
}

// rows of a full section matrix
static void read_beam_matrix(HolReader *r, const HolNode *node, HolBeamDef *d) {
    const int n = r->space == HOL_PLANAR ? 3 : 6;
    if (!hol_expect(r, node, HOL_NODE_LIST, "matrix"))
        return;
    if (node->n != n) {
        hol_read_problem(r, node, -1, "'matrix' must hold %d rows, not %d", n, node->n);
        return;
    }
    double *rows = HOL_NEW(r->arena, double, n *n);
    for (int i = 0; i < n && rows; i++)
        if (!hol_read_numbers(r, &node->values[i], "matrix", n, n, rows + (long)n * i, NULL))
            return;
    d->matrix = rows;
}

static void read_beam_stiffness_own(HolReader *r, const HolField *f, const HolNode *node,
                                    void *object) {
    (void)f;
    read_beam_matrix(r, node, object);
}

static void read_beam_map(HolReader *r, const HolNode *node, const char *key, const HolField *table,
                          HolBeamDef *d) {
    const HolMapReader how = {.table = table, .own = read_beam_stiffness_own};
    if (hol_expect(r, node, HOL_NODE_MAP, key))
        hol_read_map(r, node, &how, d);
}

void hol_read_beam_own(HolReader *r, const HolField *f, const HolNode *node, void *object) {
    HolBeamDef *d = object;
    if (strcmp(f->key, "from") == 0)
        read_beam_end(r, node, "from", d->from, &d->start);
    else if (strcmp(f->key, "to") == 0) {
        read_beam_end(r, node, "to", d->to, &d->end);
        d->has_to = 1;
    } else if (strcmp(f->key, "elements") == 0)
        read_beam_elements(r, node, d);
    else if (strcmp(f->key, "section") == 0)
        read_beam_section(r, node, d);
    else if (strcmp(f->key, "curve") == 0)
        read_beam_curve(r, node, d);
    else if (strcmp(f->key, "natural") == 0)
        read_beam_natural(r, node, d);
    else if (strcmp(f->key, "rotary") == 0)
        read_beam_rotary(r, node, d);
    else if (strcmp(f->key, "material") == 0)
        read_beam_map(r, node, "material", hol_material_fields, d);
    else if (strcmp(f->key, "stiffness") == 0)
        read_beam_map(r, node, "stiffness", hol_stiffness_fields, d);
    else if (strcmp(f->key, "damping") == 0)
        read_beam_map(r, node, "damping", hol_beam_damping_fields, d);
}

// ---- the beam -----------------------------------------------------------------------------

static void read_beam_check(HolReader *r, const HolNode *node, const HolBeamDef *d) {
    const int curved = hol_node_get(node, "curve") != NULL;
    if (!hol_node_get(node, "elements"))
        hol_read_problem(r, node, -1, "required key 'elements' is missing (their number, or auto)");
    const HolNode *elements = hol_node_get(node, "elements");
    // (a number given by --set overrules the file's auto)
    if (hol_node_get(node, "accuracy") && !d->automatic && elements && !elements->setting)
        hol_read_problem(r, hol_node_get(node, "accuracy"), -1,
                         "'accuracy' needs 'elements: auto': it chooses their number");
    if (!curved && !hol_node_get(node, "from"))
        hol_read_problem(r, node, -1, "required key 'from' is missing: the start of the rod");
    if (!curved && !d->has_to)
        hol_read_problem(r, node, -1, "required key 'to' is missing: the end of the rod");
    if (curved && d->has_to && d->to[0] == d->to[0] && !d->end.body)
        hol_read_problem(r, node, -1, "give 'to' or 'curve', not both");
    if (hol_node_get(node, "section") && hol_node_get(node, "stiffness"))
        hol_read_problem(r, hol_node_get(node, "stiffness"), -1,
                         "give 'section' with 'material', or 'stiffness', not both");
}

// where a place of another body is, as written
static int read_beam_place(HolReader *r, const HolRef *place, double out[3]) {
    HolAttach at;
    HolFrame f;
    const int before = r->err ? r->err->problems : 0;
    if (!place->body)
        return 1;
    if (!hol_resolve(r->model, place, "beam", &at, r->err)) {
        r->problems += r->err && r->err->problems > before;
        return 0;
    }
    hol_initial_frame(r->model, at.body, &f);
    for (int i = 0; i < 3; i++)
        out[i] =
            f.r[i] + f.A[3 * i] * at.at[0] + f.A[3 * i + 1] * at.at[1] + f.A[3 * i + 2] * at.at[2];
    return 1;
}

// in a part: all of it counts in the part's frame
static int read_beam_framed(HolReader *r, const HolPart *part, HolBeamDef *d) {
    const int dim = r->dimensions;
    if (!part)
        return 1;
    if (!d->start.body)
        hol_part_point(part, d->from);
    if (d->has_to && !d->end.body)
        hol_part_point(part, d->to);
    hol_part_direction(part, d->up);
    hol_part_direction(part, d->direction);
    hol_part_direction(part, d->body.velocity);
    if (r->space == HOL_SPATIAL)
        hol_part_direction(part, d->body.omega);
    double *points = d->n_points ? HOL_NEW(r->arena, double, dim * d->n_points) : NULL;
    for (int i = 0; points && i < d->n_points; i++) {
        double x[3] = {0};
        memcpy(x, d->points + (long)dim * i, sizeof *x * (size_t)dim);
        hol_part_point(part, x);
        memcpy(points + (long)dim * i, x, sizeof *x * (size_t)dim);
    }
    d->points = points;
    return !r->arena->failed;
}

void hol_read_beam(HolReader *r, const HolNode *node, int i) {
    HolBeamDef d;
    const HolNode *name = hol_node_get(node, "name");
    HolMapReader how = {.table = hol_body_fields, .own = hol_read_beam_own, .kind_word = "body"};
    const int before = r->problems;
    snprintf(r->what, sizeof r->what, "beam '%.64s'", hol_entry_name(r, node, "body", i));
    hol_beam_def_make(&d);
    how.kind = hol_read_kind(r, node, hol_body_kinds, "body");
    how.more = how.kind ? how.kind->own : NULL;
    d.body.line = name ? name->line : node->line;
    d.body.column = name ? name->column : node->column;
    hol_read_map(r, node, &how, &d);
    if (r->problems == before)
        read_beam_check(r, node, &d);
    if (r->problems > before || !hol_entry_owns_name(&r->bodies, d.body.name, node)) {
        r->lost = 1;
        return;
    }
    if (!read_beam_framed(r, hol_node_frame(node), &d) || !read_beam_place(r, &d.start, d.from) ||
        !read_beam_place(r, &d.end, d.to) || hol_add_beam(r->model, &d, r->err) != HOL_OK) {
        r->problems += r->problems == before;
        r->lost = 1;
    }
}
