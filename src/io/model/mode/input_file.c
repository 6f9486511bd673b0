// SPDX-License-Identifier: Apache-2.0
// `--input NAME=FILE.csv`: an input of the model from a file, linear between rows and constant before the
// first and behind the last one. The tree is changed before it is read: NAME leaves `inputs:` and becomes
//     tables:    {NAME_from_file: {file: FILE.csv, x: time, y: NAME, interpolation: linear}}
//     variables: [{name: NAME, value: "interp(NAME_from_file, time)"}]
// so that steps end at the rows, and series, derivatives and the manifest know the curve.
#include "io/model/read.h"

#include <stdio.h>
#include <string.h>

static HolNode input_node(HolNodeType type, const char *text, const char *setting) {
    HolNode node = {.type = type, .setting = setting, .text = text, .weight = 1};
    node.length = text ? strlen(text) : 0;
    return node;
}

static void input_put(HolReader *r, HolNode *map, const char *key, const char *text,
                      const char *setting) {
    const HolNode value = input_node(HOL_NODE_SCALAR, text, setting);
    hol_read_put(r, map, key, &value);
}

// the map under a key of the file, made when it is not there; NULL: it is none
static HolNode *input_section(HolReader *r, HolNode *root, const char *key, const char *setting) {
    HolNode *node = hol_node_get(root, key);
    const HolNode fresh = input_node(HOL_NODE_MAP, NULL, setting);
    if (node && !hol_node_is_null(node))
        return node->type == HOL_NODE_MAP ? node : NULL;
    return hol_read_put(r, root, key, &fresh);
}

// `inputs` without one of its entries
static void input_drop(HolReader *r, HolNode *inputs, int at) {
    HolNode *keys = HOL_NEW(r->arena, HolNode, inputs->n),
            *values = HOL_NEW(r->arena, HolNode, inputs->n);
    int n = 0;
    if (!keys || !values)
        return;
    for (int i = 0; i < inputs->n; i++)
        if (i != at) {
            keys[n] = inputs->keys[i];
            values[n++] = inputs->values[i];
        }
    inputs->keys = keys;
    inputs->values = values;
    inputs->n = n;
}

static void input_add_variable(HolReader *r, HolNode *root, const HolNode *entry,
                               const char *setting) {
    HolNode *list = hol_node_get(root, "variables");
    const HolNode fresh = input_node(HOL_NODE_LIST, NULL, setting);
    if (!list || hol_node_is_null(list))
        list = hol_read_put(r, root, "variables", &fresh);
    if (!list || list->type != HOL_NODE_LIST)
        return; // the reader says so
    HolNode *values = HOL_NEW(r->arena, HolNode, list->n + 1);
    if (!values)
        return;
    if (list->n)
        memcpy(values, list->values, sizeof *values * (size_t)list->n);
    values[list->n] = *entry;
    list->values = values;
    list->n++;
}

void hol_read_input_file(HolReader *r, HolNode *root, const char *name, const HolNode *value) {
    HolNode *inputs = hol_node_get(root, "inputs");
    const int at = inputs && inputs->type == HOL_NODE_MAP ? hol_node_find(inputs, name) : -1;
    if (at < 0) {
        const char *words[64];
        int n = 0;
        for (int i = 0; inputs && inputs->type == HOL_NODE_MAP && i < inputs->n && n < 64; i++)
            words[n++] = inputs->keys[i].text;
        hol_read_problem(r, value, -1, "there is no input '%.64s'%s", name,
                         n ? hol_read_hint(r, name, words, n) : "; the model has no 'inputs:'");
        return;
    }
    if (value->type != HOL_NODE_SCALAR || !value->text[0]) {
        hol_read_problem(r, value, -1, "input '%.64s' wants the name of a CSV file", name);
        return;
    }
    const char *setting = value->setting;
    char text[160], plain[100];
    HolNode word = inputs->keys[at]; // (it knows the part that it is of)
    word.setting = setting;
    input_drop(r, inputs, at); // (at once: entries of the root move when others are added)
    snprintf(plain, sizeof plain, "%.60s_from_file", name);
    for (char *c = plain; (c = strchr(c, '.'));)
        *c = '_';
    const char *table = hol_arena_text(r->arena, plain);
    snprintf(text, sizeof text, "interp(%.90s, time)", plain);
    const char *law = hol_arena_text(r->arena, text), *column = hol_arena_text(r->arena, name);
    HolNode *tables = input_section(r, root, "tables", setting);
    if (!table || !law || !column || !tables)
        return;
    HolNode curve = input_node(HOL_NODE_MAP, NULL, setting), entry = curve;
    input_put(r, &curve, "file", value->text, setting);
    input_put(r, &curve, "x", "time", setting);
    input_put(r, &curve, "y", column, setting);
    input_put(r, &curve, "interpolation", "linear", setting);
    hol_read_put(r, tables, table, &curve);
    hol_read_put(r, &entry, "name", &word);
    input_put(r, &entry, "value", law, setting);
    input_add_variable(r, root, &entry, setting);
}
