// SPDX-License-Identifier: Apache-2.0
// Nodes of parts and repeats: copies with entries of their own.
//     repeat: {i: 3, j: "i + 1"}   copies of the entry of a list for i = 0, 1, 2 and j = 0 .. i
// An entry {repeat: {..}, value: v} stands for copies of v.
#include "io/expand/expand.h"

#include "base/text.h"
#include "model/fields.h"

#include <math.h>
#include <string.h>

void *hol_expand_carve(HolExpand *x, size_t bytes) {
    enum { POOL = 65536 };
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > POOL / 4)
        return hol_arena_alloc(x->r->arena, bytes);
    if (bytes > x->pool_left) {
        x->pool = hol_arena_alloc(x->r->arena, POOL);
        x->pool_left = x->pool ? POOL : 0;
        if (!x->pool)
            return NULL;
    }
    void *p = x->pool;
    x->pool += bytes;
    x->pool_left -= bytes;
    return p;
}

int hol_expand_count(HolExpand *x, const HolNode *at, long n) {
    x->nodes += n;
    if (x->nodes <= HOL_EXPAND_NODES && !x->r->arena->failed)
        return 1;
    if (!x->full && !x->r->arena->failed)
        hol_read_problem(x->r, at, -1,
                         "parts and repeats make more than %d values: use fewer copies",
                         HOL_EXPAND_NODES);
    x->full = 1;
    return 0;
}

// ---- repeat ----

static int expand_nodes_is_repeat(const HolNode *entry) {
    return entry->type == HOL_NODE_MAP && hol_node_find(entry, "repeat") >= 0;
}

// the entry without the key; {repeat, value} is the value
static HolNode expand_nodes_inside(HolExpand *x, const HolNode *entry) {
    HolNode out = *entry;
    const int at = hol_node_find(entry, "repeat");
    const HolNode *value = hol_node_get(entry, "value");
    if (value && entry->n == 2)
        return *value;
    out.keys = hol_expand_carve(x, sizeof(HolNode) * (size_t)entry->n);
    out.values = hol_expand_carve(x, sizeof(HolNode) * (size_t)entry->n);
    out.n = 0;
    for (int i = 0; out.keys && out.values && i < entry->n; i++) {
        if (i == at)
            continue;
        out.keys[out.n] = entry->keys[i];
        out.values[out.n++] = entry->values[i];
    }
    return out;
}

// number of copies for one index; -1: said what is wrong
static int expand_nodes_copies(HolExpand *x, const HolScope *s, const HolNode *key,
                               const HolNode *count) {
    HolReader *r = x->r;
    HolNode node = *count;
    double value;
    if (!hol_text_is_name(key->text, key->length) || hol_name_reserved(key->text)) {
        hol_read_problem(r, key, -1,
                         "repeat: '%.64s' cannot be an index: use letters, digits and _, and no "
                         "reserved name",
                         key->text);
        return -1;
    }
    for (const HolIndex *i = s->index; i; i = i->up)
        if (strcmp(i->name, key->text) == 0) {
            hol_read_problem(r, key, -1, "repeat: the index '%s' is in use already", key->text);
            return -1;
        }
    if (node.type == HOL_NODE_SCALAR)
        hol_expand_text(x, s, &node, HOL_TEXT_VALUE);
    if (!hol_read_number(r, &node, key->text, &value))
        return -1;
    if (!(value >= 0) || value != floor(value)) {
        hol_read_problem(r, count, -1,
                         "repeat: '%s' must be a whole number of copies, 0 or more, not %.10g",
                         key->text, value);
        return -1;
    }
    if (value > HOL_EXPAND_COPIES) {
        hol_read_problem(r, count, -1, "repeat: %.15g copies are too many; at most %d", value,
                         HOL_EXPAND_COPIES);
        return -1;
    }
    return (int)value;
}

typedef struct RepeatRun {
    const HolNode *entry, *inside, *map; // the entry, without the key, the map of the indices
    HolTakeEntry *take;
    void *user;
} RepeatRun;

// index k of the map and those behind it; 0: stop
static int expand_nodes_run(HolExpand *x, const HolScope *s, const RepeatRun *run, int k) {
    if (k == run->map->n) {
        run->take(x, s, run->inside, run->user);
        return !x->full;
    }
    const int n = expand_nodes_copies(x, s, &run->map->keys[k], &run->map->values[k]);
    if (n < 0)
        return 0;
    for (int i = 0; i < n; i++) {
        const HolIndex index = {s->index, run->map->keys[k].text, i};
        HolScope inner = *s;
        HolIndex *kept = hol_expand_carve(x, sizeof index);
        if (!kept || !hol_expand_count(x, run->entry, 1))
            return 0;
        *kept = index;
        inner.index = kept;
        if (!expand_nodes_run(x, &inner, run, k + 1))
            return 0;
    }
    return 1;
}

void hol_expand_entry(HolExpand *x, const HolScope *s, const HolNode *entry, HolTakeEntry *take,
                      void *user) {
    if (!expand_nodes_is_repeat(entry)) {
        take(x, s, entry, user);
        return;
    }
    const HolNode *map = hol_node_get(entry, "repeat");
    if (map->type != HOL_NODE_MAP || map->n == 0) {
        hol_read_problem(x->r, map, -1,
                         "'repeat' must be a map of indices and numbers of copies, {i: 6}, not %s",
                         map->type == HOL_NODE_MAP ? "an empty one" : hol_node_describe(map));
        return;
    }
    const HolNode inside = expand_nodes_inside(x, entry);
    const RepeatRun run = {entry, &inside, map, take, user};
    expand_nodes_run(x, s, &run, 0);
}

// ---- nodes ----

typedef struct ListOut {
    HolNode *values;
    int n, capacity;
    HolTextForm form;
} ListOut;

static void expand_nodes_take(HolExpand *x, const HolScope *s, const HolNode *entry, void *user) {
    ListOut *out = user;
    HolNode node = *entry;
    hol_expand_node(x, s, &node, out->form);
    if (x->full || !HOL_GROW(x->r->arena, out->values, out->n, out->capacity))
        return;
    out->values[out->n++] = node;
}

static int expand_nodes_rewrites(const HolScope *s) {
    return s->prefix[0] || s->index || s->folder[0];
}

static void expand_nodes_list(HolExpand *x, const HolScope *s, HolNode *node, HolTextForm form) {
    int repeats = 0;
    for (int i = 0; i < node->n; i++)
        repeats |= expand_nodes_is_repeat(&node->values[i]);
    if (repeats) {
        ListOut out = {.form = form};
        for (int i = 0; i < node->n && !x->full; i++)
            hol_expand_entry(x, s, &node->values[i], expand_nodes_take, &out);
        node->values = out.values;
        node->n = out.n;
        return;
    }
    HolNode *values = node->values;
    if (expand_nodes_rewrites(s)) {
        values = hol_expand_carve(x, sizeof(HolNode) * (size_t)(node->n + 1));
        if (!values)
            return;
        if (node->n)
            memcpy(values, node->values, sizeof(HolNode) * (size_t)node->n);
        node->values = values;
    }
    for (int i = 0; i < node->n && !x->full; i++)
        hol_expand_node(x, s, &values[i], form);
}

// {body: ground, ..}: its points are those of the ground
static int expand_nodes_of_ground(const HolNode *map) {
    const HolNode *body = hol_node_get(map, "body");
    return body && body->type == HOL_NODE_SCALAR && strcmp(body->text, "ground") == 0;
}

// field of a key: of the body's kind, or of all
static const HolField *expand_nodes_field(const HolField *fields, const HolNode *map,
                                          const char *key) {
    const HolNode *type = fields == hol_body_fields ? hol_node_get(map, "type") : NULL;
    const HolKind *kind =
        type && type->type == HOL_NODE_SCALAR ? hol_kind_find(hol_body_kinds, type->text) : NULL;
    const HolField *own = kind && kind->own ? hol_field_find(kind->own, key) : NULL;
    return own || !fields ? own : hol_field_find(fields, key);
}

static void expand_nodes_map(HolExpand *x, const HolScope *s, HolNode *node, HolTextForm form) {
    const int of_ground = form.fields && (form.of_ground || expand_nodes_of_ground(node));
    if (expand_nodes_rewrites(s)) {
        HolNode *values = hol_expand_carve(x, sizeof(HolNode) * (size_t)(node->n + 1));
        HolNode *keys = hol_expand_carve(x, sizeof(HolNode) * (size_t)(node->n + 1));
        if (!values || !keys)
            return;
        if (node->n) {
            memcpy(values, node->values, sizeof(HolNode) * (size_t)node->n);
            memcpy(keys, node->keys, sizeof(HolNode) * (size_t)node->n);
        }
        node->values = values;
        node->keys = keys;
    }
    for (int i = 0; i < node->n && !x->full; i++) {
        const HolField *f = expand_nodes_field(form.fields, node, node->keys[i].text);
        HolTextForm inner = {form.role, form.keys, NULL, 0};
        if (form.fields)
            inner = hol_text_form(f);
        inner.of_ground = of_ground;
        if (of_ground && node->values[i].type == HOL_NODE_SCALAR &&
            (inner.role == HOL_TEXT_LOCAL || strcmp(node->keys[i].text, "point") == 0))
            inner.role = HOL_TEXT_GROUND;
        else
            hol_expand_text(x, s, &node->keys[i], form.keys ? form.keys : HOL_TEXT_WORD);
        if (x->full)
            return;
        node->keys[i].origin = node->keys[i].origin ? node->keys[i].origin : s->origin;
        hol_expand_node(x, s, &node->values[i], inner);
    }
}

void hol_expand_node(HolExpand *x, const HolScope *s, HolNode *node, HolTextForm form) {
    if (expand_nodes_rewrites(s) && !hol_expand_count(x, node, 1))
        return;
    if (s->origin)
        node->origin = s->origin;
    if (node->type == HOL_NODE_SCALAR)
        hol_expand_text(x, s, node, form.role);
    else if (node->type == HOL_NODE_LIST)
        expand_nodes_list(x, s, node, form);
    else if (node->type == HOL_NODE_MAP)
        expand_nodes_map(x, s, node, form);
}
