// SPDX-License-Identifier: Apache-2.0
// Modal bodies: mass and stiffness matrices with a table of nodes, or members between nodes; interfaces,
// modes, damping. The names of modes and interfaces are known before anything refers to them.
#include "io/modal/read_modal.h"

#include "io/modal/modal_cache.h"
#include "io/model/read_beam.h"
#include "model/fields.h"
#include "model/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MODES = 200, NUMBERS = 64 };

int hol_node_is_modal(const HolNode *body) {
    const HolNode *type = hol_node_get(body, "type");
    return type && type->type == HOL_NODE_SCALAR && strcmp(type->text, "modal") == 0;
}

// ---- names --------------------------------------------------------------------------------

static void modal_name_add(HolReader *r, const HolNode *body, const char *name, const char *part) {
    char text[HOL_OWNER_LENGTH];
    snprintf(text, sizeof text, "%.160s.%.80s", name, part);
    const char *kept = hol_arena_text(r->arena, text);
    if (kept && !hol_name_table_find(&r->bodies, kept))
        hol_name_table_add(&r->bodies, r->arena, kept, body, body->line);
}

// a whole number as far as it can be known now
static int modal_count(HolReader *r, const HolNode *node) {
    HolError *err = r->err;
    const int before = r->problems;
    double n = 0;
    r->err = NULL;
    const int ok = node && node->type == HOL_NODE_SCALAR && hol_read_number(r, node, "modes", &n);
    r->err = err;
    r->problems = before;
    return ok && n >= 0 && n <= MOST_MODES ? (int)n : 0;
}

void hol_read_modal_names(HolReader *r, const HolNode *body, const char *name) {
    const HolNode *interfaces = hol_node_get(body, "interfaces");
    int most = modal_count(r, hol_node_get(body, "modes"));
    const int keep = modal_count(r, hol_node_get(body, "keep"));
    for (int i = 0; interfaces && interfaces->type == HOL_NODE_MAP && i < interfaces->n; i++) {
        const HolNode *value = &interfaces->values[i];
        modal_name_add(r, body, name, interfaces->keys[i].text);
        most += 6 * (value->type == HOL_NODE_LIST ? value->n : 1); // (at most so many of each)
    }
    if (hol_node_get(body, "from")) { // a rod has its ends
        modal_name_add(r, body, name, "start");
        modal_name_add(r, body, name, "end");
        most += 2 * modal_count(r, hol_node_get(body, "elements")) + 12;
    }
    if (keep && keep < most)
        most = keep;
    for (int k = 1; k <= most && k <= MOST_MODES; k++) {
        char part[32];
        snprintf(part, sizeof part, "mode%d", k);
        modal_name_add(r, body, name, part);
    }
}

int hol_read_modal_owner(const HolNode *body, const char *name) {
    const HolNode *own = hol_node_get(body, "name");
    const size_t length = own && own->type == HOL_NODE_SCALAR ? strlen(own->text) : 0;
    const int mode = strncmp(name + length, ".mode", 5) == 0;
    return hol_quantity_body(mode ? HOL_COORDINATE : HOL_RIGID);
}

// ---- keys ---------------------------------------------------------------------------------

static int modal_whole(HolReader *r, const HolNode *node, const char *key, int low, int high,
                       int *out) {
    double x;
    if (!hol_read_number(r, node, key, &x))
        return 0;
    if (x >= low && x <= high && x == floor(x)) {
        *out = (int)x;
        return 1;
    }
    hol_read_problem(r, node, -1, "'%s' must be a whole number from %d to %d, not %.60s", key, low,
                     high, node->text);
    return 0;
}

// a number or a list of at most NUMBERS
static int modal_numbers(HolReader *r, const HolNode *node, const char *key, double *out, int *n) {
    *n = node->type == HOL_NODE_LIST ? node->n : 1;
    if (*n < 1 || *n > NUMBERS) {
        hol_read_problem(r, node, -1, "'%s' must hold 1 to %d numbers, not %d", key, NUMBERS, *n);
        return *n = 0;
    }
    return hol_read_numbers(r, node, key, *n, *n, out, NULL);
}

static void modal_damping(HolReader *r, const HolNode *node, HolModalTarget *t) {
    if (!modal_numbers(r, node, "damping", t->zeta, &t->n_zeta))
        return;
    for (int i = 0; i < t->n_zeta; i++)
        if (!(t->zeta[i] >= 0)) {
            hol_read_problem(r, node, -1, "'damping' holds ratios, which are not negative");
            return;
        }
}

static void modal_frame_word(HolReader *r, const HolNode *node, HolModalTarget *t) {
    const char *text = hol_read_text(r, node, "frame");
    t->tangent = text && strcmp(text, "tangent") == 0;
    if (text && !t->tangent && strcmp(text, "mean") != 0)
        hol_read_problem(r, node, -1, "'frame' must be mean or tangent, not '%.64s'", text);
}

static void read_modal_own(HolReader *r, const HolField *f, const HolNode *node, void *object) {
    HolModalTarget *t = object;
    const char *key = f->key;
    if (strcmp(key, "orientation") == 0)
        hol_read_orientation(r, node, t->beam.body.quaternion);
    else if (strcmp(key, "mass_matrix") == 0)
        t->mass = node;
    else if (strcmp(key, "stiffness_matrix") == 0)
        t->stiffness = node;
    else if (strcmp(key, "nodes") == 0)
        t->nodes = node;
    else if (strcmp(key, "interfaces") == 0)
        t->interfaces = node;
    else if (strcmp(key, "members") == 0)
        t->members = node;
    else if (strcmp(key, "elements") == 0)
        t->elements = node;
    else if (strcmp(key, "from") == 0)
        t->from = node;
    else if (strcmp(key, "to") == 0)
        t->to = node;
    else if (strcmp(key, "frame") == 0)
        modal_frame_word(r, node, t);
    else if (strcmp(key, "modes") == 0)
        modal_whole(r, node, key, 0, MOST_MODES, &t->modes);
    else if (strcmp(key, "keep") == 0)
        modal_whole(r, node, key, 1, MOST_MODES, &t->keep);
    else if (strcmp(key, "damping") == 0)
        modal_damping(r, node, t);
    else if (strcmp(key, "amplitudes") == 0)
        modal_numbers(r, node, key, t->amplitudes, &t->n_amplitudes);
    else if (strcmp(key, "amplitude_rates") == 0)
        modal_numbers(r, node, key, t->rates, &t->n_rates);
    else
        hol_read_beam_own(r, f, node, &t->beam); // the section
}

// ---- interfaces ---------------------------------------------------------------------------

static int modal_node(HolReader *r, const HolModalTarget *t, const HolNode *node, int *out) {
    double x;
    if (!hol_read_number(r, node, "interfaces", &x))
        return 0;
    for (int i = 0; i < t->parts.n_nodes; i++)
        if ((t->numbers ? t->numbers[i] : i + 1) == x) {
            *out = i;
            return 1;
        }
    hol_read_problem(r, node, -1, "'interfaces': there is no node %.60s; they are %d to %d",
                     node->text, t->numbers ? t->numbers[0] : 1,
                     t->numbers ? t->numbers[t->parts.n_nodes - 1] : t->parts.n_nodes);
    return 0;
}

static int modal_interface(HolReader *r, const HolModalTarget *t, const HolNode *key,
                           const HolNode *value, HolModalPlace *out) {
    const int n = value->type == HOL_NODE_LIST ? value->n : 1;
    int *nodes = HOL_NEW(r->arena, int, n + 1), ok = nodes != NULL;
    if (!hol_name_allowed(key->text) || strncmp(key->text, "mode", 4) == 0) {
        hol_read_problem(r, key, -1, "'interfaces': '%.64s' cannot be the name of an interface",
                         key->text);
        return 0;
    }
    if (n == 0)
        hol_read_problem(r, value, -1, "'interfaces': '%.64s' has no node", key->text);
    for (int i = 0; ok && i < n; i++)
        ok &= modal_node(r, t, value->type == HOL_NODE_LIST ? &value->values[i] : value, &nodes[i]);
    *out = (HolModalPlace){key->text, nodes, n, key->line, key->column};
    return ok && n > 0;
}

// the ends of a rod
static HolModalPlace *modal_ends(HolReader *r, int *n) {
    static const int node[2] = {0, 1};
    HolModalPlace *list = HOL_NEW(r->arena, HolModalPlace, 3);
    *n = list ? 2 : 0;
    if (list) {
        list[0] = (HolModalPlace){.name = "start", .nodes = &node[0], .n = 1};
        list[1] = (HolModalPlace){.name = "end", .nodes = &node[1], .n = 1};
    }
    return list;
}

static HolModalPlace *modal_interfaces(HolReader *r, const HolModalTarget *t, int *n) {
    *n = 0;
    const HolNode *map = t->interfaces;
    if (t->from && !map)
        return modal_ends(r, n);
    if (map && !hol_expect(r, map, HOL_NODE_MAP, "interfaces"))
        return NULL;
    HolModalPlace *list = HOL_NEW(r->arena, HolModalPlace, (map ? map->n : 0) + 1);
    int ok = list != NULL;
    for (int i = 0; list && map && i < map->n; i++)
        ok &= modal_interface(r, t, &map->keys[i], &map->values[i], &list[i]);
    *n = map ? map->n : 0;
    return ok ? list : NULL;
}

// ---- the body -----------------------------------------------------------------------------

static int read_modal_check(HolReader *r, const HolNode *node, const HolModalTarget *t) {
    const int before = r->problems;
    static const char *const keys[3] = {"mass_matrix", "stiffness_matrix", "nodes"};
    const int built = hol_read_modal_built(t);
    for (int i = 0; i < 3 && !built; i++)
        if (!hol_node_get(node, keys[i]))
            hol_read_problem(r, node, -1, "required key '%s' is missing", keys[i]);
    if (!t->interfaces && !t->modes && !built)
        hol_read_problem(r, node, -1, "give 'interfaces' that joints can attach to, or 'modes'");
    const int both = hol_node_find(node, "omega_body");
    if (both >= 0 && hol_node_get(node, "omega"))
        hol_read_problem(r, &node->keys[both], -1, "give 'omega' or 'omega_body', not both");
    return r->problems == before;
}

// modes and integrals: from the cache, or from the matrices, which are then kept in it
static int read_modal_made(HolReader *r, HolModalTarget *t, const HolModalDef *d, HolModal *made,
                           HolBodyDef *frame) {
    char key[65];
    const int cached = r->cache && d->interfaces;
    if (cached) {
        hol_modal_cache_key(r, t, d, key);
        if (hol_modal_cache_find(r, key, d, made, frame))
            return 1;
    }
    // (all problems of the matrices are told, also where interfaces are wrong)
    if ((!hol_read_modal_built(t) && !hol_read_modal_matrices(r, t)) || !d->interfaces)
        return 0;
    if (!hol_modal_reduce(r->model, d, &t->parts, made, frame, r->err))
        return 0;
    if (cached)
        hol_modal_cache_keep(r, key, d, made, frame);
    return 1;
}

static int read_modal_add(HolReader *r, const HolNode *node, HolModalTarget *t) {
    HolModalDef d = {.body = t->beam.body,
                     .modes = t->modes,
                     .keep = t->keep,
                     .zeta = t->zeta,
                     .n_zeta = t->n_zeta,
                     .amplitudes = t->amplitudes,
                     .n_amplitudes = t->n_amplitudes,
                     .rates = t->rates,
                     .n_rates = t->n_rates};
    HolModal made = {.nf = 0};
    HolBodyDef frame = d.body;
    if (!read_modal_check(r, node, t))
        return 0;
    const int known =
        hol_read_modal_built(t) ? hol_read_modal_frame(r, t, &d) : hol_read_modal_files(r, t);
    if (t->tangent || (!known && hol_read_modal_built(t))) // (made)
        return known;
    d.interfaces = known ? modal_interfaces(r, t, &d.n_interfaces) : NULL;
    return read_modal_made(r, t, &d, &made, &frame) && known &&
           hol_add_modal_made(r->model, &d, &made, &frame, r->err) == HOL_OK;
}

void hol_read_modal(HolReader *r, const HolNode *node, int i) {
    HolModalTarget *t = HOL_NEW(r->arena, HolModalTarget, 1);
    const HolNode *name = hol_node_get(node, "name");
    HolMapReader how = {.table = hol_body_fields, .own = read_modal_own, .kind_word = "body"};
    const int before = r->problems;
    if (!t)
        return;
    snprintf(r->what, sizeof r->what, "modal body '%.64s'", hol_entry_name(r, node, "body", i));
    hol_beam_def_make(&t->beam);
    t->node = node;
    how.kind = hol_read_kind(r, node, hol_body_kinds, "body");
    t->beam.body.line = name ? name->line : node->line;
    t->beam.body.column = name ? name->column : node->column;
    hol_read_map(r, node, &how, t);
    if (r->problems > before || !hol_entry_owns_name(&r->bodies, t->beam.body.name, node) ||
        !read_modal_add(r, node, t)) {
        r->problems += r->problems == before;
        r->lost = 1;
    }
}
