// SPDX-License-Identifier: Apache-2.0
// `--set key=value`: the tree of the file is changed before it is read, so that a setting is
// checked like everything else. Keys, in the order they are tried:
//     NAME                      an input, a parameter
//     input_file.NAME           an input from a file (mode/input_file.c)
//     end, step, method.beta    options (also simulation.end ...)
//     gravity, name             keys of the file
//     NAME.key[.key]            a key of a named body, joint, force, motion, constraint or variable
// A value is YAML, so that "[0, -9.81]" is a list.
#include "io/model/read.h"

#include "base/error.h"
#include "model/fields.h"

#include <stdio.h>
#include <string.h>

// a new node from a setting
static HolNode set_node(HolNodeType type, const char *text, const char *setting) {
    HolNode node = {.type = type, .setting = setting, .text = text, .weight = 1};
    node.length = text ? strlen(text) : 0;
    return node;
}

// a map that is changed gets entries of its own: aliases share theirs
static int own_entries(HolReader *r, HolNode *map) {
    HolNode *keys = HOL_NEW(r->arena, HolNode, map->n + 1);
    HolNode *values = HOL_NEW(r->arena, HolNode, map->n + 1);
    if (!keys || !values)
        return 0;
    if (map->n) {
        memcpy(keys, map->keys, sizeof *keys * (size_t)map->n);
        memcpy(values, map->values, sizeof *values * (size_t)map->n);
    }
    map->keys = keys;
    map->values = values;
    return 1;
}

// value of a key in a map, the key added when it is not there; NULL without memory
HolNode *hol_read_put(HolReader *r, HolNode *map, const char *key, const HolNode *value) {
    int i = hol_node_find(map, key);
    HolNode copy = *value; // may stand in the entries that are left behind
    if (!own_entries(r, map))
        return NULL;
    if (i < 0) {
        i = map->n++;
        map->keys[i] = set_node(HOL_NODE_SCALAR, key, copy.setting);
    }
    map->keys[i].setting = copy.setting;
    map->values[i] = copy;
    return &map->values[i];
}

static void read_set_drop(HolReader *r, HolNode *map, const char *key) {
    int i = hol_node_find(map, key);
    if (i < 0 || !own_entries(r, map))
        return;
    map->n--;
    memmove(&map->keys[i], &map->keys[i + 1], sizeof(HolNode) * (size_t)(map->n - i));
    memmove(&map->values[i], &map->values[i + 1], sizeof(HolNode) * (size_t)(map->n - i));
}

// the map under a key, made when it is not there
static HolNode *submap(HolReader *r, HolNode *map, const char *key, const char *setting) {
    const HolNode *node = hol_node_get(map, key);
    if (node && node->type != HOL_NODE_MAP && !hol_node_is_null(node))
        return NULL;
    if (node && node->type == HOL_NODE_MAP)
        return own_entries(r, map) ? hol_node_get(map, key) : NULL;
    HolNode fresh = set_node(HOL_NODE_MAP, NULL, setting);
    return hol_read_put(r, map, key, &fresh);
}

// follow "a.b.c" from a map and put the value there; maps on the way are made
static void put_path(HolReader *r, HolNode *map, const char *path, const HolNode *value) {
    while (map) {
        const char *dot = strchr(path, '.');
        if (!dot) {
            hol_read_put(r, map, hol_arena_text(r->arena, path), value);
            return;
        }
        const char *word = hol_arena_text_n(r->arena, path, (size_t)(dot - path));
        if (!word)
            return;
        map = submap(r, map, word, value->setting);
        path = dot + 1;
        if (!map)
            hol_read_problem(r, value, -1, "'%s' has no keys of its own", word);
    }
}

// ---- options ------------------------------------------------------------------------------

// name of the method in the tree, or NULL
static const char *method_name(const HolNode *simulation) {
    const HolNode *node = hol_node_get(simulation, "method");
    if (node && node->type == HOL_NODE_MAP)
        node = hol_node_get(node, "name");
    return node && node->type == HOL_NODE_SCALAR ? node->text : NULL;
}

// another method: the parameters of the old one go with it
static void set_method(HolReader *r, HolNode *simulation, const HolNode *value) {
    const char *old = method_name(simulation);
    HolNode *node = hol_node_get(simulation, "method");
    if (node && node->type == HOL_NODE_MAP && old && value->type == HOL_NODE_SCALAR &&
        strcmp(old, value->text) == 0)
        return;
    hol_read_put(r, simulation, "method", value);
}

// "method.beta": a bare name becomes a map
static void set_method_parameter(HolReader *r, HolNode *simulation, const char *path,
                                 const HolNode *value) {
    HolNode *node = hol_node_get(simulation, "method");
    if (node && node->type == HOL_NODE_SCALAR) {
        HolNode name = *node, map = set_node(HOL_NODE_MAP, NULL, value->setting);
        map.line = name.line;
        map.column = name.column;
        node = hol_read_put(r, simulation, "method", &map);
        if (node)
            hol_read_put(r, node, "name", &name);
    }
    HolNode *map = submap(r, simulation, "method", value->setting);
    if (map)
        put_path(r, map, path, value);
}

static int is_method_name(const char *path) {
    return strcmp(path, "method") == 0 || strcmp(path, "method.name") == 0;
}

static void set_option(HolReader *r, HolNode *root, const char *path, const HolNode *value) {
    HolNode *simulation = submap(r, root, "simulation", value->setting);
    if (!simulation)
        return; // not a map: the reader says so
    if (is_method_name(path)) {
        set_method(r, simulation, value);
    } else if (strncmp(path, "method.", 7) == 0) {
        set_method_parameter(r, simulation, path + 7, value);
    } else {
        if (strcmp(path, "step") == 0)
            read_set_drop(r, simulation, "tolerance");
        if (strcmp(path, "tolerance") == 0)
            read_set_drop(r, simulation, "step");
        put_path(r, simulation, path, value);
    }
}

// ---- named things -------------------------------------------------------------------------

static const struct {
    const char *section, *word;
} sections[] = {{"bodies", "body"},    {"joints", "joint"},           {"forces", "force"},
                {"motions", "motion"}, {"constraints", "constraint"}, {"variables", "variable"},
                {"states", "state"},   {"contacts", "contact"}};
enum { SECTIONS = sizeof sections / sizeof *sections };

static HolNode *read_set_find_entry(HolReader *r, const HolNode *root, const char *name,
                                    const char **word) {
    for (int s = 0; s < SECTIONS; s++) {
        const HolNode *list = hol_node_get(root, sections[s].section);
        for (int i = 0; list && list->type == HOL_NODE_LIST && i < list->n; i++) {
            HolNode *entry = &list->values[i];
            if (entry->type != HOL_NODE_MAP ||
                strcmp(hol_entry_name(r, entry, sections[s].word, i), name) != 0)
                continue;
            *word = sections[s].word;
            return entry;
        }
    }
    return NULL;
}

// everything a key may start with, for the nearest word
static void report_unknown(HolReader *r, const HolNode *root, const char *key, const char *first) {
    const HolNode *parameters = hol_node_get(root, "parameters");
    int total = 64, n = 0;
    if (parameters && parameters->type == HOL_NODE_MAP)
        total += parameters->n;
    for (int s = 0; s < SECTIONS; s++) {
        const HolNode *list = hol_node_get(root, sections[s].section);
        total += list && list->type == HOL_NODE_LIST ? list->n : 0;
    }
    const char **words = HOL_NEW(r->arena, const char *, total);
    if (!words)
        return;
    for (int i = 0; parameters && parameters->type == HOL_NODE_MAP && i < parameters->n; i++)
        words[n++] = parameters->keys[i].text;
    for (const HolField *f = hol_simulation_fields; f->key; f++)
        words[n++] = f->key;
    words[n++] = "simulation";
    words[n++] = "gravity";
    words[n++] = "tunable";
    words[n++] = "name";
    for (int s = 0; s < SECTIONS; s++) {
        const HolNode *list = hol_node_get(root, sections[s].section);
        for (int i = 0; list && list->type == HOL_NODE_LIST && i < list->n; i++)
            words[n++] = hol_entry_name(r, &list->values[i], sections[s].word, i);
    }
    HolNode at = set_node(HOL_NODE_SCALAR, NULL, key);
    hol_read_problem(r, &at, -1, "there is no parameter, option or named thing '%.64s'%s", first,
                     hol_read_hint(r, first, words, n));
}

// ---- one setting --------------------------------------------------------------------------

static const char *option_path(const char *key) {
    if (strncmp(key, "simulation.", 11) == 0)
        return key + 11;
    char first[64];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(key, "."), key);
    return hol_field_find(hol_simulation_fields, first) ? key : NULL;
}

static int set_input(HolReader *r, const HolNode *root, const char *key, const HolNode *value) {
    HolNode *inputs = hol_node_get(root, "inputs");
    const char *input = strncmp(key, "inputs.", 7) == 0 ? key + 7 : key;
    if (!inputs || inputs->type != HOL_NODE_MAP || !hol_node_get(inputs, input))
        return 0;
    if (value)
        hol_read_put(r, inputs, input, value);
    return 1;
}

// known before parts and repeats are written out: a parameter of the file, an option, the head
static int read_set_early(HolReader *r, HolNode *root, const char *key, const HolNode *value) {
    HolNode *parameters = hol_node_get(root, "parameters");
    if (set_input(r, root, key, value))
        return 1;
    const char *parameter = strncmp(key, "parameters.", 11) == 0 ? key + 11 : key;
    if (parameters && hol_node_get(parameters, parameter)) {
        if (value)
            hol_read_put(r, parameters, parameter, value);
        return 1;
    }
    if (option_path(key)) {
        if (value)
            set_option(r, root, option_path(key), value);
        return 1;
    }
    if (strcmp(key, "gravity") != 0 && strcmp(key, "name") != 0 && strcmp(key, "tunable") != 0)
        return 0;
    if (value)
        hol_read_put(r, root, key, value);
    return 1;
}

// a key of something that has a name, the longest that fits: leg1.rod.mass is mass of leg1.rod
static void read_set_late(HolReader *r, HolNode *root, const char *key, const HolNode *value) {
    const char *word = "";
    if (strncmp(key, HOL_INPUT_FILE, sizeof HOL_INPUT_FILE - 1) == 0) {
        hol_read_input_file(r, root, key + sizeof HOL_INPUT_FILE - 1, value);
        return;
    }
    for (size_t n = strlen(key); n > 0; n--) {
        if (key[n] && key[n] != '.')
            continue;
        const char *first = hol_arena_text_n(r->arena, key, n);
        HolNode *entry = first ? read_set_find_entry(r, root, first, &word) : NULL;
        if (entry && key[n]) {
            put_path(r, entry, key + n + 1, value);
            return;
        }
        if (entry) {
            hol_read_problem(r, value, -1, "say which key of the %s, for example %s.%s", word, key,
                             strcmp(word, "body") == 0 ? "mass" : "value");
            return;
        }
    }
    const char *first = hol_arena_text_n(r->arena, key, strcspn(key, "."));
    if (first)
        report_unknown(r, root, key, first);
}

// the parameter of a name hides an option of the same name
static int names_method(const HolNode *root, const char *key) {
    const HolNode *parameters = hol_node_get(root, "parameters");
    const char *path = option_path(key);
    return path && is_method_name(path) && !(parameters && hol_node_get(parameters, key));
}

HolNode *hol_read_setting(HolReader *r, const char *key, const char *text) {
    key = hol_arena_text(r->arena, key);
    if (!key)
        return NULL;
    return hol_yaml_parse(r->arena, text, strlen(text), r->file, key, &r->problems, r->err);
}

void hol_apply_settings(HolReader *r, HolNode *root, const HolSetting *settings, int n) {
    if (root->type != HOL_NODE_MAP)
        return;
    // the method first: its name decides which parameters stay
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            const char *key = settings[i].key, *text = settings[i].value;
            if (!key || !text || names_method(root, key) != (pass == 0) ||
                !read_set_early(r, root, key, NULL))
                continue;
            HolNode *value = hol_read_setting(r, key, text);
            if (value)
                read_set_early(r, root, value->setting, value);
        }
    }
}

void hol_apply_late_settings(HolReader *r, HolNode *root, const HolSetting *settings, int n) {
    for (int i = 0; i < n; i++) {
        const char *key = settings[i].key, *text = settings[i].value;
        const int input = key && text && set_input(r, root, key, NULL); // also one of a part
        if (!key || !text || (!input && read_set_early(r, root, key, NULL)) ||
            hol_name_table_find(&r->parameters, key)) // of a part, which took it
            continue;
        HolNode *value = hol_read_setting(r, key, text);
        if (value && !set_input(r, root, value->setting, value))
            read_set_late(r, root, value->setting, value);
    }
}
