// SPDX-License-Identifier: Apache-2.0
// YAML by libyaml's event parser. The tree is built with an explicit stack (no recursion): nodes
// wait in `items` until their list or map closes, then they are copied to their place. An alias
// copies the node it names; `weight` counts what a walk over the tree would visit, so that a few
// aliases of aliases cannot blow up the reading.
#include "io/yaml.h"

#include "base/error.h"
#include "base/name_table.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

typedef struct Frame {
    HolNode node; // list or map under construction
    int first;    // its first child in `items`
    int anchor;   // its anchor, or -1
} Frame;

typedef struct Builder {
    HolArena *arena;
    const char *text, *file, *setting;
    size_t length;
    int lines; // of files before it: lines of nodes count behind them
    HolError *err;
    int problems;
    char *pool; // small pieces are carved from larger ones: the arena aligns to 64 bytes
    size_t pool_left;
    HolNode *items;
    int n_items, items_capacity;
    HolNode *anchors; // type HOL_NODE_NONE until the node is complete
    int n_anchors, anchors_capacity;
    HolNameTable names; // of anchors: the last one of each name
    Frame frames[HOL_YAML_DEPTH];
    int depth;
    HolNode root;
    long nodes;
    const HolYamlMost *most; // NULL: no list is counted
    int counted;             // entries of its lists so far
} Builder;

enum { POOL = 65536, MERGED = 10000 };

static void *yaml_carve(Builder *b, size_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > POOL / 4)
        return hol_arena_alloc(b->arena, bytes);
    if (bytes > b->pool_left) {
        b->pool = hol_arena_alloc(b->arena, POOL);
        b->pool_left = b->pool ? POOL : 0;
        if (!b->pool)
            return NULL;
    }
    void *p = b->pool;
    b->pool += bytes;
    b->pool_left -= bytes;
    return p;
}

static int yaml_out_of_memory(Builder *b) {
    b->problems++;
    hol_error_add(b->err, HOL_ERR_MEMORY, b->file, 0, 0, "out of memory while reading");
    return 0;
}

// the line that a node at this mark has
static int yaml_line(const Builder *b, const yaml_mark_t *mark) {
    return b->lines + (int)mark->line + 1;
}

// a problem at the line of a node and a 1-based column; returns 0, so that `return fail(...)` reads
// well
static int yaml_fail(Builder *b, int line, int column, const char *what, const char *detail) {
    b->problems++;
    if (b->problems > HOL_YAML_PROBLEMS)
        return 0;
    if (b->setting)
        hol_error_add(b->err, HOL_ERR_INPUT, NULL, 0, 0, "--set %s: %s%s", b->setting, what,
                      detail);
    else
        hol_error_add(b->err, HOL_ERR_INPUT, b->file, line - b->lines, column, "%s%s", what,
                      detail);
    return 0;
}

// ---- nodes --------------------------------------------------------------------------------

static HolNode yaml_make_node(const Builder *b, HolNodeType type, const yaml_mark_t *start) {
    HolNode node = {.type = type,
                    .line = yaml_line(b, start),
                    .column = (int)start->column + 1,
                    .setting = b->setting,
                    .weight = 1};
    return node;
}

static int make_scalar(Builder *b, const yaml_event_t *e, HolNode *out) {
    const char *value = (const char *)e->data.scalar.value;
    size_t length = e->data.scalar.length;
    HolNode node = yaml_make_node(b, HOL_NODE_SCALAR, &e->start_mark);
    if (memchr(value, 0, length))
        return yaml_fail(b, node.line, node.column, "a text may not hold the character \\0", "");
    char *copy = yaml_carve(b, length + 1);
    if (!copy)
        return yaml_out_of_memory(b);
    memcpy(copy, value, length);
    copy[length] = 0;
    node.text = copy;
    node.length = length;
    node.quoted = e->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                  e->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    // columns inside the text are known when nothing was folded, escaped or indented away
    size_t written = e->end_mark.column - e->start_mark.column;
    node.exact = e->start_mark.line == e->end_mark.line &&
                 written == (size_t)hol_text_characters(copy, length) + 2 * (size_t)node.quoted;
    *out = node;
    return 1;
}

static int compare_keys(const void *x, const void *y) {
    const HolNode *a = *(const HolNode *const *)x, *c = *(const HolNode *const *)y;
    int order = strcmp(a->text, c->text);
    return order ? order : (a > c) - (a < c);
}

// report keys that stand twice in one map
static int check_duplicates(Builder *b, const HolNode *map) {
    const HolNode **sorted = yaml_carve(b, sizeof *sorted * (size_t)(map->n + 1));
    if (!sorted)
        return yaml_out_of_memory(b);
    for (int i = 0; i < map->n; i++)
        sorted[i] = &map->keys[i];
    qsort(sorted, (size_t)map->n, sizeof *sorted, compare_keys);
    for (int i = 1; i < map->n; i++) {
        if (strcmp(sorted[i]->text, sorted[i - 1]->text) != 0)
            continue;
        char detail[240];
        snprintf(detail, sizeof detail, "'%.60s' stands twice in this map (first at line %d)",
                 sorted[i]->text, sorted[i - 1]->line - b->lines);
        yaml_fail(b, sorted[i]->line, sorted[i]->column, "key ", detail);
    }
    return 1;
}

// append to map those entries of `from` whose keys it does not have yet; names: its keys
static int merge_map(HolArena *scratch, HolNameTable *names, HolNode *map, const HolNode *from) {
    for (int i = 0; i < from->n; i++) {
        const int before = names->n;
        if (!hol_name_table_add(names, scratch, from->keys[i].text, NULL, before))
            return 0;
        if (names->n == before)
            continue;
        map->keys[map->n] = from->keys[i];
        map->values[map->n++] = from->values[i];
        map->weight += 1 + from->values[i].weight;
    }
    return 1;
}

// "<<: *base" or "<<: [*a, *b]": entries of other maps, own entries win
static int merge(Builder *b, HolNode *map) {
    int at = hol_node_find(map, "<<");
    if (at < 0 || map->keys[at].quoted)
        return 1;
    HolNode source = map->values[at];
    const HolNode *maps = source.type == HOL_NODE_LIST ? source.values : &source;
    int n_maps = source.type == HOL_NODE_LIST ? source.n : 1, total = map->n;
    for (int i = 0; i < n_maps; i++) {
        if (maps[i].type != HOL_NODE_MAP)
            return yaml_fail(b, source.line, source.column,
                             "the merge key '<<' takes a map or a list of maps (aliases)", "");
        if (maps[i].n > MERGED - total)
            return yaml_fail(b, source.line, source.column, "the merge key '<<' merges too much",
                             "");
        total += maps[i].n;
    }
    HolNode merged = *map;
    merged.keys = yaml_carve(b, sizeof(HolNode) * (size_t)total);
    merged.values = yaml_carve(b, sizeof(HolNode) * (size_t)total);
    if (!merged.keys || !merged.values)
        return yaml_out_of_memory(b);
    merged.n = 0;
    HolArena scratch = {0};
    HolNameTable names = {0};
    int ok = 1;
    for (int i = 0; ok && i < map->n; i++) {
        if (i == at)
            continue;
        merged.keys[merged.n] = map->keys[i];
        merged.values[merged.n++] = map->values[i];
        ok = hol_name_table_add(&names, &scratch, map->keys[i].text, NULL, i) != NULL;
    }
    for (int i = 0; ok && i < n_maps; i++)
        ok = merge_map(&scratch, &names, &merged, &maps[i]);
    hol_arena_free(&scratch);
    *map = merged;
    return ok || yaml_out_of_memory(b);
}

// ---- events -------------------------------------------------------------------------------

static int add_anchor(Builder *b, const yaml_char_t *name, const HolNode *node) {
    if (!name)
        return -1;
    char *copy = yaml_carve(b, strlen((const char *)name) + 1);
    HolNameEntry *entry = NULL;
    if (copy && HOL_GROW(b->arena, b->anchors, b->n_anchors, b->anchors_capacity))
        entry = hol_name_table_add(&b->names, b->arena, strcpy(copy, (const char *)name), NULL, 0);
    if (!entry) {
        yaml_out_of_memory(b);
        return -1;
    }
    entry->line = b->n_anchors;
    b->anchors[b->n_anchors] = *node;
    return b->n_anchors++;
}

// 0: an entry more than lists of the outermost map may have
static int yaml_count(Builder *b) {
    const Frame *map = &b->frames[0], *list = &b->frames[1];
    if (!b->most || b->depth != 2 || map->node.type != HOL_NODE_MAP ||
        list->node.type != HOL_NODE_LIST || list->first == 0)
        return 1;
    const HolNode *key = &b->items[list->first - 1];
    if ((list->first - map->first) % 2 == 0) // the list is a key itself: "? - {..}"
        return 1;
    const char *const *name = b->most->lists;
    while (*name && strcmp(*name, key->text) != 0)
        name++;
    if (!*name || ++b->counted <= b->most->entries)
        return 1;
    return yaml_fail(b, key->line, key->column, b->most->what, "");
}

// put a finished node where it belongs
static int yaml_append(Builder *b, const HolNode *node) {
    if (++b->nodes > HOL_YAML_NODES || node->weight > HOL_YAML_NODES)
        return yaml_fail(b, node->line, node->column, "the file holds too many values", "");
    if (b->depth == 0) {
        b->root = *node;
        return 1;
    }
    if (!yaml_count(b))
        return 0;
    const Frame *f = &b->frames[b->depth - 1];
    if (f->node.type == HOL_NODE_MAP && (b->n_items - f->first) % 2 == 0 &&
        node->type != HOL_NODE_SCALAR)
        return yaml_fail(b, node->line, node->column, "a key must be plain text, not ",
                         hol_node_describe(node));
    if (!HOL_GROW(b->arena, b->items, b->n_items, b->items_capacity))
        return yaml_out_of_memory(b);
    b->items[b->n_items++] = *node;
    return 1;
}

static int open_container(Builder *b, HolNodeType type, const yaml_event_t *e,
                          const yaml_char_t *anchor) {
    HolNode node = yaml_make_node(b, type, &e->start_mark);
    if (b->depth == HOL_YAML_DEPTH)
        return yaml_fail(b, node.line, node.column, "lists and maps are nested too deeply", "");
    Frame *f = &b->frames[b->depth++];
    f->node = node;
    f->first = b->n_items;
    HolNode unfinished = {.type = HOL_NODE_NONE};
    f->anchor = add_anchor(b, anchor, &unfinished);
    return 1;
}

static int close_container(Builder *b) {
    Frame *f = &b->frames[b->depth - 1];
    HolNode node = f->node;
    const HolNode *items = b->items ? b->items + f->first : NULL; // (an empty one comes first)
    int count = b->n_items - f->first, is_map = node.type == HOL_NODE_MAP;
    node.n = is_map ? count / 2 : count;
    size_t bytes = sizeof(HolNode) * (size_t)(node.n + 1);
    node.values = yaml_carve(b, bytes);
    node.keys = is_map ? yaml_carve(b, bytes) : NULL;
    if (!node.values || (is_map && !node.keys))
        return yaml_out_of_memory(b);
    for (int i = 0; i < node.n; i++) {
        if (is_map)
            node.keys[i] = items[2 * i];
        node.values[i] = items[is_map ? 2 * i + 1 : i];
        node.weight += 1 + node.values[i].weight;
        if (node.weight > HOL_YAML_NODES)
            return yaml_fail(b, node.line, node.column, "aliases expand to too many values", "");
    }
    if (is_map && (!check_duplicates(b, &node) || !merge(b, &node)))
        return 0;
    b->n_items = f->first;
    if (f->anchor >= 0)
        b->anchors[f->anchor] = node;
    b->depth--;
    return yaml_append(b, &node);
}

static int on_alias(Builder *b, const yaml_event_t *e) {
    const char *name = (const char *)e->data.alias.anchor;
    int line = yaml_line(b, &e->start_mark), column = (int)e->start_mark.column + 1;
    char detail[240];
    const int i = hol_name_table_number(&b->names, name);
    if (i >= 0) {
        if (b->anchors[i].type != HOL_NODE_NONE)
            return yaml_append(b, &b->anchors[i]);
        snprintf(detail, sizeof detail, "*%.60s' stands inside the value it names", name);
        return yaml_fail(b, line, column, "the alias '", detail);
    }
    snprintf(detail, sizeof detail,
             "*%.60s' has no anchor '&%.60s' before it; put quotes around a text", name, name);
    return yaml_fail(b, line, column, "the alias '", detail);
}

// tags such as !!float are of no use here: the field decides what a value is
static int check_tag(Builder *b, const yaml_event_t *e, const yaml_char_t *tag) {
    if (!tag || strcmp((const char *)tag, "!") == 0 ||
        strncmp((const char *)tag, "tag:yaml.org,2002:", 18) == 0)
        return 1;
    char detail[100];
    snprintf(detail, sizeof detail, "'%.60s'", (const char *)tag);
    return yaml_fail(b, yaml_line(b, &e->start_mark), (int)e->start_mark.column + 1, "unknown tag ",
                     detail);
}

static int on_event(Builder *b, const yaml_event_t *e, int *documents) {
    HolNode node;
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1)
            return yaml_fail(b, yaml_line(b, &e->start_mark), (int)e->start_mark.column + 1,
                             "a second document starts here; a model file holds one", "");
        return 1;
    case YAML_ALIAS_EVENT:
        return on_alias(b, e);
    case YAML_SCALAR_EVENT:
        if (!check_tag(b, e, e->data.scalar.tag) || !make_scalar(b, e, &node))
            return 0;
        add_anchor(b, e->data.scalar.anchor, &node);
        return yaml_append(b, &node);
    case YAML_SEQUENCE_START_EVENT:
        return check_tag(b, e, e->data.sequence_start.tag) &&
               open_container(b, HOL_NODE_LIST, e, e->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return check_tag(b, e, e->data.mapping_start.tag) &&
               open_container(b, HOL_NODE_MAP, e, e->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_container(b);
    default:
        return 1;
    }
}

// ---- errors of libyaml --------------------------------------------------------------------

// byte at a 0-based line and column (bytes stand for characters: good enough to see a tab)
static char byte_at(const Builder *b, size_t line, size_t column) {
    size_t i = 0;
    for (; line > 0 && i < b->length; i++)
        line -= b->text[i] == '\n';
    return i + column < b->length ? b->text[i + column] : 0;
}

static void report_parser(Builder *b, const yaml_parser_t *p) {
    char text[400];
    size_t line = p->problem_mark.line, column = p->problem_mark.column;
    if (p->error == YAML_MEMORY_ERROR) {
        yaml_out_of_memory(b);
        return;
    }
    if (p->error == YAML_READER_ERROR) { // only the offset is known
        line = column = 0;
        for (size_t i = 0; i < p->problem_offset && i < b->length; i++) {
            column = b->text[i] == '\n' ? 0 : column + 1;
            line += b->text[i] == '\n';
        }
        snprintf(text, sizeof text, "not readable as UTF-8 text: %s", p->problem);
    } else if (byte_at(b, line, column) == '\t') {
        snprintf(text, sizeof text, "a tab where YAML wants spaces: indent with spaces");
    } else {
        const char *hint = "";
        if (p->problem && strstr(p->problem, "mapping values are not allowed"))
            hint = "; a text with ': ' needs quotes, and the keys of one map the same indent";
        else if (p->problem && strstr(p->problem, "expected ',' or"))
            hint = byte_at(b, line, column) == '{' || byte_at(b, line, column) == '['
                       ? "; a text with brackets needs quotes"
                       : "; is a comma or a bracket missing before it?";
        else if (p->context && strstr(p->context, "block"))
            hint = "; entries of one list or map need the same indent";
        char begun[48] = "";
        if (p->context && p->context_mark.line != line)
            snprintf(begun, sizeof begun, " (started at line %d)", (int)p->context_mark.line + 1);
        snprintf(text, sizeof text, "YAML: %s%s%s%s%s", p->problem ? p->problem : "syntax error",
                 p->context ? " " : "", p->context ? p->context : "", begun, hint);
    }
    yaml_fail(b, b->lines + (int)line + 1, (int)column + 1, text, "");
}

static int run_parser(Builder *b) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return yaml_out_of_memory(b);
    yaml_parser_set_input_string(&parser, (const unsigned char *)b->text, b->length);
    int ok = 1, done = 0, documents = 0;
    while (ok && !done) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            report_parser(b, &parser);
            ok = 0;
            break;
        }
        done = event.type == YAML_STREAM_END_EVENT;
        ok = on_event(b, &event, &documents);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return ok;
}

static HolNode *yaml_parse(HolArena *arena, const char *text, size_t length, const char *file,
                           const char *setting, int lines, const HolYamlMost *most, int *problems,
                           HolError *err) {
    Builder *b = hol_arena_alloc(arena, sizeof *b);
    if (!b) {
        ++*problems;
        hol_error_add(err, HOL_ERR_MEMORY, file, 0, 0, "out of memory while reading");
        return NULL;
    }
    b->arena = arena;
    b->text = text;
    b->length = length;
    b->file = file;
    b->setting = setting;
    b->lines = lines;
    b->most = most;
    b->err = err;
    int ok = length <= HOL_YAML_BYTES ? run_parser(b)
                                      : yaml_fail(b, lines + 1, 1, "the file is too large", "");
    if (ok && b->root.type == HOL_NODE_NONE)
        ok = yaml_fail(b, lines + 1, 1,
                       setting ? "no value" : "the file is empty; it must start with ",
                       setting ? "" : "'holonom: 1'");
    *problems += b->problems;
    return ok ? &b->root : NULL;
}

HolNode *hol_yaml_parse(HolArena *arena, const char *text, size_t length, const char *file,
                        const char *setting, int *problems, HolError *err) {
    return yaml_parse(arena, text, length, file, setting, 0, NULL, problems, err);
}

HolNode *hol_yaml_parse_most(HolArena *arena, const char *text, size_t length, const char *file,
                             int lines, const HolYamlMost *most, int *problems, HolError *err) {
    return yaml_parse(arena, text, length, file, NULL, lines, most, problems, err);
}

// ---- looking at nodes ---------------------------------------------------------------------

int hol_node_find(const HolNode *map, const char *key) {
    if (map && map->type == HOL_NODE_MAP)
        for (int i = 0; i < map->n; i++)
            if (strcmp(map->keys[i].text, key) == 0)
                return i;
    return -1;
}

HolNode *hol_node_get(const HolNode *map, const char *key) {
    int i = hol_node_find(map, key);
    return i < 0 ? NULL : &map->values[i];
}

int hol_node_is_null(const HolNode *node) {
    return node->type == HOL_NODE_SCALAR && !node->quoted &&
           (node->length == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const char *hol_node_describe(const HolNode *node) {
    double number;
    if (node->type == HOL_NODE_LIST)
        return "a list";
    if (node->type == HOL_NODE_MAP)
        return "a map";
    if (hol_node_is_null(node))
        return "nothing";
    return hol_text_number(node->text, node->length, &number) ? "a number" : "text";
}
