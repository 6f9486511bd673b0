// SPDX-License-Identifier: Apache-2.0
// References to bodies and points, and joints.
#include "io/expand/part.h"
#include "io/model/read.h"
#include "io/model/read_beam.h"

#include "base/text.h"
#include "model/fields.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

// ---- references ---------------------------------------------------------------------------

// the body must exist; `offset`: where its name starts in the node's text
static int read_joint_check_body(HolReader *r, const HolNode *node, const char *body,
                                 const char *key) {
    if (strcmp(body, "ground") == 0 || hol_name_table_find(&r->bodies, body))
        return hol_read_beam_place_ok(r, node, body, NULL, key);
    const char **list = HOL_NEW(r->arena, const char *, r->bodies.n + 1);
    int n = 0;
    if (!list)
        return 0;
    list[n++] = "ground";
    for (int i = 0; i < r->bodies.n; i++)
        list[n++] = r->bodies.entries[i].name;
    hol_read_problem(r, node, 0, "'%s': there is no body '%.64s'%s", key, body,
                     hol_read_hint(r, body, list, n));
    return 0;
}

// a body that is given by its origin has a point of this name
int hol_read_has_origin(const HolNode *body) {
    return hol_node_find(body, "com") >= 0 || hol_node_find(body, "shapes") >= 0;
}

static int check_point(HolReader *r, const HolNode *node, int offset, const char *body,
                       const char *point, const char *key) {
    const HolNameEntry *entry = hol_name_table_find(&r->bodies, body);
    const HolNode *points = r->ground_points;
    if (entry)
        points = entry->item ? hol_node_get(entry->item, "points") : NULL;
    if (points && hol_node_get(points, point))
        return 1;
    if (entry && entry->item && hol_read_has_origin(entry->item) && strcmp(point, "origin") == 0)
        return 1;
    const char *list[64];
    int n = 0;
    for (; points && points->type == HOL_NODE_MAP && n < points->n && n < 64; n++)
        list[n] = points->keys[n].text;
    hol_read_problem(r, node, offset, "'%s': %s'%s' has no point '%.64s'%s", key,
                     entry ? "body " : "", body, point, hol_read_hint(r, point, list, n));
    return 0;
}

// "body", "body.point", "ground", "ground.point"
static int read_ref_text(HolReader *r, const HolNode *node, const char *key, HolRef *out) {
    char why[256] = "";
    const char *written = hol_read_text(r, node, key);
    const char *text = written ? hol_read_beam_fraction(r, written, why, sizeof why) : NULL;
    if (written && !text)
        hol_read_problem(r, node, 0, "'%s': '%.64s' is no place%s", key, written, why);
    if (!text)
        return 0;
    size_t length = hol_read_body_length(r, text);
    const HolPart *part = node->origin ? node->origin->part : NULL;
    if (part && part->name && length == strlen(part->name) &&
        strncmp(text, part->name, length) == 0) // an unknown body of a part, without a point
        length = strlen(text);
    const char *body = hol_arena_text_n(r->arena, text, length);
    if (!body || (text[length] && !hol_read_beam_place_ok(r, node, body, text + length + 1, key)) ||
        !read_joint_check_body(r, node, body, key))
        return 0;
    out->body = body;
    if (!text[length])
        return 1;
    out->point = text + length + 1;
    return check_point(r, node, (int)length + 1, body, out->point, key);
}

// {body: b, at: [..], axis: [..]} or {body: b, point: p, axis: [..]}
static int read_ref_map(HolReader *r, const HolNode *node, const char *key, HolRef *out) {
    static const HolMapReader how = {.table = hol_ref_fields};
    int before = r->problems;
    hol_read_map(r, node, &how, out);
    const HolNode *body = hol_node_get(node, "body"), *point = hol_node_get(node, "point");
    const HolNode *at = hol_node_get(node, "at");
    if (out->body && read_joint_check_body(r, body, out->body, key) && out->point)
        check_point(r, point, 0, out->body, out->point, key);
    if (point && at)
        hol_read_problem(r, at, -1, "'%s': give 'point' or 'at', not both", key);
    return r->problems == before;
}

int hol_read_is_ground(const HolRef *ref) {
    return !ref->body || strcmp(ref->body, "ground") == 0;
}

// the ground of a part is the part's frame; its points have been placed
static int read_ref_placed(const HolNode *node, int ok, HolRef *out) {
    const HolPart *part = hol_node_frame(node);
    if (!ok || !part || !hol_read_is_ground(out))
        return ok;
    if (!out->point) {
        hol_part_point(part, out->at);
        out->has_at = 1;
    }
    hol_part_direction(part, out->axis);
    hol_part_direction(part, out->x);
    return ok;
}

int hol_read_ref(HolReader *r, const HolNode *node, const char *key, HolRef *out) {
    *out = (HolRef){.line = node->line, .column = node->column};
    if (node->type == HOL_NODE_MAP)
        return read_ref_placed(node, read_ref_map(r, node, key, out), out);
    if (node->type == HOL_NODE_SCALAR && !hol_node_is_null(node))
        return read_ref_placed(node, read_ref_text(r, node, key, out), out);
    hol_read_problem(r, node, -1,
                     "'%s' must be a body, body.point or {body: b, at: [..], axis: [..]}, not %s",
                     key, hol_node_describe(node));
    return 0;
}

// a list of two entries; 1 ok
static int expect_pair(HolReader *r, const HolNode *node, const char *key) {
    if (!hol_expect(r, node, HOL_NODE_LIST, key))
        return 0;
    if (node->n == 2)
        return 1;
    hol_read_problem(r, node, -1, "'%s' must hold 2 entries, not %d", key, node->n);
    return 0;
}

int hol_read_between(HolReader *r, const HolNode *node, const char *key, HolRef *a, HolRef *b) {
    if (!expect_pair(r, node, key))
        return 0;
    int ok = hol_read_ref(r, &node->values[0], key, a);
    return hol_read_ref(r, &node->values[1], key, b) && ok;
}

const char *hol_read_joint_name(HolReader *r, const HolNode *node, const char *key,
                                const char *self) {
    const char *name = hol_read_text(r, node, key);
    if (!name || hol_name_table_find(&r->joints, name))
        return name;
    const char **list = HOL_NEW(r->arena, const char *, r->joints.n + 1);
    int n = 0;
    for (int i = 0; list && i < r->joints.n; i++)
        if (!self || strcmp(r->joints.entries[i].name, self) != 0)
            list[n++] = r->joints.entries[i].name;
    hol_read_problem(r, node, 0, "'%s': there is no joint '%.64s'%s", key, name,
                     hol_read_hint(r, name, list, n));
    return NULL;
}

// ---- joints -------------------------------------------------------------------------------

// bodies: [a, b], names only
static void read_bodies_pair(HolReader *r, const HolNode *node, HolJointDef *def) {
    HolRef *refs[2] = {&def->a, &def->b};
    if (!expect_pair(r, node, "bodies"))
        return;
    for (int i = 0; i < 2; i++)
        if (hol_read_ref(r, &node->values[i], "bodies", refs[i]) &&
            (refs[i]->point || node->values[i].type == HOL_NODE_MAP))
            hol_read_problem(r, &node->values[i], -1,
                             "'bodies' takes names of bodies; the place is given by 'at' (global "
                             "axes), or use 'between'");
    def->global_frame = 1;
}

// over: [place, place, ..]
static void read_over(HolReader *r, const HolNode *node, HolJointDef *def) {
    if (!hol_expect(r, node, HOL_NODE_LIST, "over"))
        return;
    HolRef *over = HOL_NEW(r->arena, HolRef, node->n + 1);
    for (int i = 0; over && i < node->n; i++)
        hol_read_ref(r, &node->values[i], "over", &over[i]);
    def->over = over;
    def->n_over = node->n;
}

static void read_joint_read_own(HolReader *r, const HolField *f, const HolNode *node,
                                void *object) {
    HolJointDef *def = object;
    if (strcmp(f->form, "friction") == 0)
        hol_read_friction(r, node, &def->friction);
    else if (strcmp(f->form, "limits") == 0)
        hol_read_limits(r, node, &def->limits);
    else if (strcmp(f->form, "between") == 0) {
        hol_read_between(r, node, f->key, &def->a, &def->b);
    } else if (strcmp(f->form, "over") == 0) {
        read_over(r, node, def);
    } else if (strcmp(f->form, "bodies pair") == 0) {
        read_bodies_pair(r, node, def);
    } else if (expect_pair(r, node, f->key)) {
        def->joint_a = hol_read_joint_name(r, &node->values[0], f->key, def->name);
        def->joint_b = hol_read_joint_name(r, &node->values[1], f->key, def->name);
    }
}

// which of the ways to say where a joint is was used
static void check_place(HolReader *r, const HolNode *node, const HolKind *kind) {
    int between = hol_node_find(node, "between"), bodies = hol_node_find(node, "bodies");
    int at = hol_node_find(node, "at");
    if (between >= 0 && bodies >= 0)
        hol_read_problem(r, &node->keys[bodies], -1, "give 'between' or 'bodies', not both");
    if (between < 0 && bodies < 0 && hol_kind_takes(kind, "between"))
        hol_read_problem(r, node, -1, "required key 'between' is missing: the two places it joins");
    if (hol_kind_takes(kind, "joints") && !hol_node_get(node, "joints") &&
        !hol_kind_takes(kind, "between"))
        hol_read_problem(r, node, -1,
                         "required key 'joints' is missing: the two joints it couples");
    if (hol_kind_takes(kind, "over") && !hol_node_get(node, "over"))
        hol_read_problem(r, node, -1,
                         "required key 'over' is missing: the places that it runs over");
    if (bodies < 0 && at >= 0)
        hol_read_problem(
            r, &node->keys[at], -1,
            "'at' goes with 'bodies: [a, b]'; with 'between' write {body: b, at: [..]}");
    const int x = hol_node_find(node, "x");
    if (bodies < 0 && x >= 0 && hol_kind_takes(kind, "x"))
        hol_read_problem(
            r, &node->keys[x], -1,
            "'x' goes with 'bodies: [a, b]'; with 'between' write {body: b, at: [..], x: [..]}");
    if (bodies >= 0 && at < 0)
        hol_read_problem(r, node, -1, "'bodies' also needs 'at', the joint's place in global axes");
}

// of a wrong type: whatever it is, it joins something
static void check_any_place(HolReader *r, const HolNode *node) {
    if (!hol_node_get(node, "between") && !hol_node_get(node, "bodies") &&
        !hol_node_get(node, "joints") && !hol_node_get(node, "over"))
        hol_read_problem(r, node, -1, "required key 'between' is missing: the two places it joins");
}

// in a part: what counts in global axes, or in those of the ground, counts in its frame
static void read_joint_place(const HolPart *part, HolJointDef *def) {
    if (!part)
        return;
    if (def->global_frame)
        hol_part_point(part, def->at);
    if (def->global_frame || hol_read_is_ground(&def->a))
        hol_part_direction(part, def->axis);
    if (def->global_frame)
        hol_part_direction(part, def->x);
    if (part->turned)
        memcpy(def->ground_turn, part->p, sizeof def->ground_turn);
}

// what its coordinate is, that `limits` and `friction` count in
static HolSense joint_sense(const HolKind *kind) {
    if (kind && (kind->flags & HOL_KIND_TURNS))
        return HOL_SENSE_TURNS;
    if (kind && (kind->flags & HOL_KIND_SLIDES))
        return HOL_SENSE_SLIDES;
    return HOL_SENSE_ANY;
}

static void read_joint(HolReader *r, const HolNode *node, int i) {
    snprintf(r->what, sizeof r->what, "joint %d", i + 1);
    if (!hol_expect(r, node, HOL_NODE_MAP, "joints"))
        return;
    const HolNode *name = hol_node_get(node, "name");
    const char *text = hol_entry_name(r, node, "joint", i);
    snprintf(r->what, sizeof r->what, "joint '%.64s'", text);
    HolMapReader how = {
        .table = hol_joint_fields, .own = read_joint_read_own, .kind_word = "joint"};
    how.kind = hol_read_kind(r, node, hol_joint_kinds, "joint");
    how.any_kind = !how.kind;
    HolJointDef def = hol_joint_def(how.kind ? how.kind->name : NULL);
    int before = r->problems;
    def.name = text;
    def.line = name ? name->line : node->line;
    def.column = name ? name->column : node->column;
    r->sense = joint_sense(how.kind);
    hol_read_map(r, node, &how, &def);
    r->sense = HOL_SENSE_ANY;
    read_joint_place(hol_node_frame(node), &def);
    const HolPart *part = hol_node_frame(node);
    if (part && part->turned && def.curve && hol_read_is_ground(&def.a))
        hol_read_problem(r, node, -1,
                         "a curve lies along the axes of its body, but the ground of part '%s' is "
                         "turned: put the curve on a body that is fixed to the ground",
                         part->name);
    if (how.kind)
        check_place(r, node, how.kind);
    else
        check_any_place(r, node);
    if (how.kind && r->problems == before && hol_entry_owns_name(&r->joints, text, node) &&
        hol_add_joint(r->model, &def, r->err) != HOL_OK)
        r->problems++;
}

void hol_read_joints(HolReader *r, const HolNode *list) {
    if (hol_expect(r, list, HOL_NODE_LIST, "joints"))
        for (int i = 0; i < list->n; i++)
            read_joint(r, &list->values[i], i);
    r->what[0] = 0;
}
