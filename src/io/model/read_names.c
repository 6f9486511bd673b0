// SPDX-License-Identifier: Apache-2.0
// The names of a file, collected before anything refers to them, so that expressions and references
// can be checked where they stand, whatever the order of the sections.
#include "io/modal/read_modal.h"
#include "io/model/read.h"
#include "io/model/read_beam.h"

#include "base/text.h"
#include "model/expr/function.h"
#include "model/model.h"
#include "model/quantity.h"

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
        hol_read_problem(r, at, -1, "there is already a %s named '%.64s' (%s)", word, name,
                         hol_read_line_text(r, old->line));
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
        if (names == &r->bodies && hol_node_is_beam(entry))
            hol_read_beam_names(r, entry, hol_entry_name(r, entry, word, i));
        if (names == &r->bodies && hol_node_is_modal(entry))
            hol_read_modal_names(r, entry, hol_entry_name(r, entry, word, i));
    }
}

// a body that is one scalar coordinate
static int is_scalar(const HolNode *body, const char *name) {
    if (hol_node_is_modal(body))
        return hol_read_modal_owner(body, name) == hol_quantity_body(HOL_COORDINATE);
    const HolNode *type = hol_node_get(body, "type");
    const HolKind *kind =
        type && type->type == HOL_NODE_SCALAR ? hol_kind_find(hol_body_kinds, type->text) : NULL;
    return kind && !hol_body_kind(kind->body)->placed;
}

// one name for two things that expressions write alike
static void check_clash(HolReader *r, const char *word, const HolNameTable *names) {
    for (int i = 0; i < names->n; i++) {
        const HolNode *entry = names->entries[i].item, *at = hol_node_get(entry, "name");
        if (names == &r->bodies && !is_scalar(entry, names->entries[i].name))
            continue;
        if (at && hol_name_table_find(&r->parameters, names->entries[i].name))
            hol_read_problem(r, at, -1, "%s '%s' has the name of a parameter", word,
                             names->entries[i].name);
        if (at && hol_name_table_find(&r->given_values, names->entries[i].name))
            hol_read_problem(r, at, -1, "%s '%s' has the name of a discrete value or input", word,
                             names->entries[i].name);
        const HolNameEntry *body =
            names == &r->bodies ? NULL : hol_name_table_find(&r->bodies, names->entries[i].name);
        if (at && body && body->item && is_scalar(body->item, body->name))
            hol_read_problem(r, at, -1, "%s '%s' has the name of a coordinate", word, body->name);
    }
}

int hol_entry_owns_name(const HolNameTable *names, const char *name, const HolNode *entry) {
    const HolNameEntry *found = hol_name_table_find(names, name);
    return found && found->item == entry;
}

// a contact of corners is one a corner, of a cylinder one a rim: NAME.1, NAME.2 ..
static void read_names_corners(HolReader *r) {
    const int n = r->contacts.n, corners = r->dimensions == 2 ? 4 : 8;
    for (int i = 0; i < n; i++) {
        const HolNode *between = hol_node_get(r->contacts.entries[i].item, "between");
        int any = 0;
        for (int k = 0; between && between->type == HOL_NODE_LIST && k < between->n; k++)
            if (between->values[k].type == HOL_NODE_MAP)
                any = hol_node_get(&between->values[k], "corners")    ? corners
                      : hol_node_get(&between->values[k], "cylinder") ? 2
                                                                      : any;
        for (int k = 1; k <= any; k++) {
            char name[HOL_OWNER_LENGTH];
            snprintf(name, sizeof name, "%.200s.%d", r->contacts.entries[i].name, k);
            hol_name_table_add(&r->contacts, r->arena, hol_arena_text(r->arena, name),
                               r->contacts.entries[i].item, r->contacts.entries[i].line);
        }
    }
}

void hol_read_names(HolReader *r, const HolNode *root) {
    read_names_collect(r, root, "bodies", "body", &r->bodies);
    read_names_collect(r, root, "joints", "joint", &r->joints);
    read_names_collect(r, root, "states", "state", &r->states);
    read_names_collect(r, root, "variables", "variable", &r->variables);
    read_names_collect(r, root, "forces", "force", &r->forces);
    read_names_collect(r, root, "motions", "motion", &r->motions);
    read_names_collect(r, root, "constraints", "constraint", &r->constraints);
    read_names_collect(r, root, "contacts", "contact", &r->contacts);
    read_names_corners(r);
    check_clash(r, "body", &r->bodies);
    check_clash(r, "state", &r->states);
    check_clash(r, "variable", &r->variables);
}

// ---- names in expressions -----------------------------------------------------------------

// everything that may stand before a dot
typedef struct NameSets {
    const HolNameTable *set[16];
    int n;
} NameSets;

static NameSets read_names_sets(const HolReader *r) {
    return (NameSets){{&r->bodies, &r->joints, &r->variables, &r->forces, &r->motions,
                       &r->constraints, &r->given_values, &r->states, &r->contacts},
                      9};
}

static void read_names_suggest(HolReader *r, const char *first, const char *rest,
                               char suggestion[64]) {
    NameSets sets = read_names_sets(r);
    sets.set[sets.n++] = &r->parameters;
    int total = 6, n = 0;
    for (int s = 0; s < sets.n; s++)
        total += sets.set[s]->n;
    const char **list = HOL_NEW(r->arena, const char *, total);
    if (!list)
        return;
    if (!*rest) { // (they have no parts)
        list[n++] = "time";
        list[n++] = "pi";
    }
    list[n++] = "energy";
    list[n++] = "ground";
    if (r->own_coordinate) {
        list[n++] = r->own_coordinate;
        list[n++] = "rate";
    }
    for (int s = 0; s < sets.n; s++)
        for (int i = 0; i < sets.set[s]->n; i++)
            list[n++] = sets.set[s]->entries[i].name;
    const char *nearest = hol_nearest_word(first, list, n);
    if (nearest)
        snprintf(suggestion, 64, "%.40s%.20s", nearest, rest);
}

// "rod.top.x": top must be a point of the body
static int point_known(HolReader *r, const HolNode *points, const char *body, const char *rest,
                       char suggestion[64]) {
    const char *dot = *rest ? strrchr(rest + 1, '.') : NULL;
    if (!dot)
        return 1; // one more part only: a coordinate, which the model knows
    char *point = hol_arena_text_n(r->arena, rest + 1, (size_t)(dot - rest - 1));
    if (!point || hol_node_get(points, point) || strcmp(point, "origin") == 0)
        return 1;
    const char *list[64];
    int n = 0;
    for (; points && points->type == HOL_NODE_MAP && n < points->n && n < 64; n++)
        list[n] = points->keys[n].text;
    const char *nearest = n ? hol_nearest_word(point, list, n) : NULL;
    if (nearest)
        snprintf(suggestion, 64, "%.24s.%.24s%.12s", body, nearest, dot);
    else
        snprintf(r->reason, sizeof r->reason, "; '%.64s' has no point '%.64s'", body, point);
    return 0;
}

// is anything called text[0..length)?
static int read_names_owner(HolReader *r, const char *text, size_t length) {
    const NameSets sets = read_names_sets(r);
    char name[HOL_OWNER_LENGTH];
    if (length >= sizeof name)
        return 0;
    memcpy(name, text, length);
    name[length] = 0;
    for (int i = 0; i < sets.n; i++)
        if (hol_name_table_find(sets.set[i], name))
            return 1;
    return 0;
}

size_t hol_read_owner_length(HolReader *r, const char *name) {
    size_t shortest = strcspn(name, ".");
    for (size_t n = strlen(name); n > shortest; n--)
        if ((!name[n] || name[n] == '.') && read_names_owner(r, name, n))
            return n;
    return shortest;
}

size_t hol_read_body_length(HolReader *r, const char *text) {
    char name[HOL_OWNER_LENGTH];
    const size_t length = strlen(text), shortest = strcspn(text, ".");
    for (size_t n = length < sizeof name ? length : 0; n > shortest; n--) {
        if (text[n] && text[n] != '.')
            continue;
        memcpy(name, text, n);
        name[n] = 0;
        if (hol_name_table_find(&r->bodies, name))
            return n;
    }
    // unknown: of "leg1.rodd.top" all but the point, so that the message names it
    const char *last = strrchr(text, '.');
    return strcmp(text, "ground") == 0 || strncmp(text, "ground.", 7) == 0 || !last
               ? shortest
               : (size_t)(last - text);
}

static void read_names_resolve(HolReader *r, const char *name, HolSymbol *out,
                               char suggestion[64]) {
    size_t length = hol_read_owner_length(r, name);
    const char *first = hol_arena_text_n(r->arena, name, length), *rest = name + length;
    if (!first)
        return;
    const HolNameEntry *body = hol_name_table_find(&r->bodies, first);
    int known = read_names_owner(r, name, length) || hol_name_reserved(first);
    if (r->own_coordinate && !*rest)
        known |= !strcmp(first, r->own_coordinate) || !strcmp(first, "rate");
    if (body && !*rest && !is_scalar(body->item, first)) { // a body is no number
        snprintf(suggestion, 64, "%.60s.x", first);
        known = hol_name_table_find(&r->variables, first) || hol_name_table_find(&r->states, first);
    } else if (body && *rest)
        known = point_known(r, hol_node_get(body->item, "points"), first, rest, suggestion) ||
                hol_name_table_find(&r->joints, first);
    else if (strcmp(first, "ground") == 0)
        known = point_known(r, r->ground_points, first, rest, suggestion);
    if (!known) {
        const char *last = strrchr(name, '.'); // of leg1.rodd.x all before the last dot
        if (!suggestion[0] && !body && last)
            first = hol_arena_text_n(r->arena, name, (size_t)(last - name)), rest = last;
        if (!suggestion[0] && !r->reason[0] && first)
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

void hol_read_resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    HolReader *r = context;
    suggestion[0] = 0;
    out->type = HOL_SYMBOL_UNKNOWN;
    if (hol_function_symbol(r->model, name, out))
        return;
    const HolNameEntry *parameter = hol_name_table_find(&r->parameters, name);
    if (parameter) {
        out->type = HOL_SYMBOL_CONSTANT;
        out->value = parameter->value;
        return;
    }
    const int deflection = hol_read_beam_deflection(r, name, r->reason, sizeof r->reason);
    const char *written = name;
    name = hol_read_beam_fraction(r, name, r->reason, sizeof r->reason);
    if (!name || deflection < 0)
        return;
    if (deflection > 0) {
        if (r->output && strcmp(r->output, name) == 0)
            out->type = HOL_SYMBOL_SLOT;
        else
            snprintf(r->reason, sizeof r->reason,
                     "; as a column of results it may stand in 'outputs', by itself only");
        return;
    }
    const int whole = r->output && strcmp(r->output, written) == 0;
    const char *output = r->output;
    if (whole)
        r->output = name;
    read_names_resolve(r, name, out, suggestion);
    r->output = output;
    static const char *const words[] = {"all"}; // of outputs alone
    if (whole && out->type == HOL_SYMBOL_UNKNOWN && !suggestion[0] &&
        hol_nearest_word(name, words, 1))
        memcpy(suggestion, "all", sizeof "all");
}
