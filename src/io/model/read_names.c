// SPDX-License-Identifier: Apache-2.0
// The names of a file, collected before anything refers to them, so that expressions and references
// can be checked where they stand, whatever the order of the sections.
#include "io/model/read.h"

#include "base/text.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

const char *hol_entry_name(HolReader *r, const HolNode *entry, const char *word, int i) {
    const HolNode *name = hol_node_get(entry, "name");
    if (name && name->type == HOL_NODE_SCALAR && name->length)
        return name->text;
    return hol_default_name(r->arena, word, i);
}

// a name must be free and not reserved
static void add_name(HolReader *r, HolNameTable *names, const char *word, const char *name,
                     const HolNode *at, const void *item) {
    if (strcmp(name, "ground") == 0 || hol_name_reserved(name)) {
        hol_read_problem(r, at, -1, "%s name '%s' is reserved: choose another", word, name);
        item = NULL;
    }
    const HolNameEntry *old = hol_name_table_find(names, name);
    if (old && old->line)
        hol_read_problem(r, at, -1, "there is already a %s named '%.64s' (line %d)", word, name,
                         old->line);
    else if (old)
        hol_read_problem(r, at, -1, "there is already a %s named '%.64s'", word, name);
    else
        hol_name_table_add(names, r->arena, name, item, at->line);
}

static void read_names_collect(HolReader *r, const HolNode *root, const char *section,
                               const char *word, HolNameTable *names) {
    const HolNode *list = hol_node_get(root, section);
    if (!list || list->type != HOL_NODE_LIST)
        return;
    for (int i = 0; i < list->n; i++) {
        const HolNode *entry = &list->values[i], *at = hol_node_get(entry, "name");
        if (entry->type != HOL_NODE_MAP)
            continue;
        add_name(r, names, word, hol_entry_name(r, entry, word, i), at ? at : entry, entry);
    }
}

// a body that is one scalar coordinate
static int is_scalar(const HolNode *body) {
    const HolNode *type = hol_node_get(body, "type");
    const HolKind *kind =
        type && type->type == HOL_NODE_SCALAR ? hol_kind_find(hol_body_kinds, type->text) : NULL;
    return kind && kind->body == HOL_COORDINATE;
}

// one name for two things that expressions write alike
static void check_clash(HolReader *r, const char *word, const HolNameTable *names) {
    for (int i = 0; i < names->n; i++) {
        const HolNode *entry = names->entries[i].item, *at = hol_node_get(entry, "name");
        if (names == &r->bodies && !is_scalar(entry))
            continue;
        if (at && hol_name_table_find(&r->parameters, names->entries[i].name))
            hol_read_problem(r, at, -1, "%s '%s' has the name of a parameter", word,
                             names->entries[i].name);
    }
}

int hol_entry_owns_name(const HolNameTable *names, const char *name, const HolNode *entry) {
    const HolNameEntry *found = hol_name_table_find(names, name);
    return found && found->item == entry;
}

void hol_read_names(HolReader *r, const HolNode *root) {
    read_names_collect(r, root, "bodies", "body", &r->bodies);
    read_names_collect(r, root, "joints", "joint", &r->joints);
    read_names_collect(r, root, "variables", "variable", &r->variables);
    read_names_collect(r, root, "forces", "force", &r->forces);
    read_names_collect(r, root, "motions", "motion", &r->motions);
    read_names_collect(r, root, "constraints", "constraint", &r->constraints);
    check_clash(r, "body", &r->bodies);
    check_clash(r, "variable", &r->variables);
}

// ---- names in expressions -----------------------------------------------------------------

static void read_names_suggest(HolReader *r, const char *first, const char *rest,
                               char suggestion[64]) {
    const HolNameTable *sets[] = {&r->parameters, &r->variables, &r->bodies,     &r->joints,
                                  &r->forces,     &r->motions,   &r->constraints};
    enum { SETS = sizeof sets / sizeof *sets };
    int total = 6, n = 0;
    for (int s = 0; s < SETS; s++)
        total += sets[s]->n;
    const char **list = HOL_NEW(r->arena, const char *, total);
    if (!list)
        return;
    list[n++] = "time";
    list[n++] = "pi";
    list[n++] = "energy";
    list[n++] = "ground";
    if (r->own_coordinate) {
        list[n++] = r->own_coordinate;
        list[n++] = "rate";
    }
    for (int s = 0; s < SETS; s++)
        for (int i = 0; i < sets[s]->n; i++)
            list[n++] = sets[s]->entries[i].name;
    const char *nearest = hol_nearest_word(first, list, n);
    if (nearest)
        snprintf(suggestion, 64, "%.40s%.20s", nearest, rest);
}

// "rod.top.x": top must be a point of the body
static int point_known(HolReader *r, const HolNode *points, const char *body, const char *rest,
                       char suggestion[64]) {
    const char *dot = strchr(rest + 1, '.');
    if (!dot)
        return 1; // one more part only: a coordinate, which the model knows
    char *point = hol_arena_text_n(r->arena, rest + 1, (size_t)(dot - rest - 1));
    if (!point || hol_node_get(points, point))
        return 1;
    const char *list[64];
    int n = 0;
    for (; points && points->type == HOL_NODE_MAP && n < points->n && n < 64; n++)
        list[n] = points->keys[n].text;
    const char *nearest = n ? hol_nearest_word(point, list, n) : NULL;
    if (nearest)
        snprintf(suggestion, 64, "%.24s.%.24s%.12s", body, nearest, dot);
    return 0;
}

void hol_read_resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    HolReader *r = context;
    suggestion[0] = 0;
    out->type = HOL_SYMBOL_UNKNOWN;
    const HolNameEntry *parameter = hol_name_table_find(&r->parameters, name);
    if (parameter) {
        out->type = HOL_SYMBOL_CONSTANT;
        out->value = parameter->value;
        return;
    }
    size_t length = strcspn(name, ".");
    const char *first = hol_arena_text_n(r->arena, name, length), *rest = name + length;
    if (!first)
        return;
    const HolNameEntry *body = hol_name_table_find(&r->bodies, first);
    const HolNameTable *sets[] = {&r->joints, &r->variables, &r->forces, &r->motions,
                                  &r->constraints};
    int known = body != NULL;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        known |= hol_name_table_find(sets[i], first) != NULL;
    known |= hol_name_reserved(first);
    if (r->own_coordinate && !*rest)
        known |= !strcmp(first, r->own_coordinate) || !strcmp(first, "rate");
    if (body && !*rest && !is_scalar(body->item)) { // a body is no number
        snprintf(suggestion, 64, "%.60s.x", first);
        known = hol_name_table_find(&r->variables, first) != NULL;
    } else if (body && *rest)
        known = point_known(r, hol_node_get(body->item, "points"), first, rest, suggestion) ||
                hol_name_table_find(&r->joints, first);
    else if (strcmp(first, "ground") == 0)
        known = point_known(r, r->ground_points, first, rest, suggestion);
    if (!known) {
        if (!suggestion[0])
            read_names_suggest(r, first, rest, suggestion);
        return;
    }
    if (*rest && !hol_read_part_known(r, name, suggestion))
        return;
    // any slot will do: only grammar and names are checked here
    unsigned slot = 0;
    for (const char *c = name; *c; c++)
        slot = slot * 31 + (unsigned char)*c;
    out->type = HOL_SYMBOL_SLOT;
    out->slot = (int)(slot % 4096);
}
