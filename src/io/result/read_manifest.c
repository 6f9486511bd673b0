// SPDX-License-Identifier: Apache-2.0
// Reading a manifest: JSON is YAML, so the reader of model files takes it. What is not there keeps
// its zero value; a text that is no manifest is an error.
#include "base/text.h"
#include "io/result/manifest.h"
#include "io/yaml.h"

#include <math.h>
#include <string.h>

static const char *text_of(const HolNode *map, const char *key) {
    const HolNode *node = map && map->type == HOL_NODE_MAP ? hol_node_get(map, key) : NULL;
    return node && node->type == HOL_NODE_SCALAR && !hol_node_is_null(node) ? node->text : "";
}

static double number_of(const HolNode *node) {
    double value;
    if (!node || node->type != HOL_NODE_SCALAR || node->quoted ||
        !hol_text_number(node->text, node->length, &value))
        return NAN;
    return value;
}

static int whole_of(double value) {
    return fabs(value) < 2e9 ? (int)value : 0;
}

static void read_members(const HolNode *map, const HolMember *list, void *object) {
    for (const HolMember *m = list; m->key; m++) {
        const HolNode *node = hol_node_get(map, m->key);
        if (!node || node->type != HOL_NODE_SCALAR)
            continue;
        char *at = (char *)object + m->offset;
        double value = number_of(node);
        int whole = whole_of(value);
        long count = fabs(value) < 9e15 ? (long)value : 0;
        switch (m->type) {
        case HOL_MEMBER_TEXT:
            snprintf(at, m->size, "%s", node->text);
            break;
        case HOL_MEMBER_DOUBLE:
            memcpy(at, &value, sizeof value);
            break;
        case HOL_MEMBER_INT:
            memcpy(at, &whole, sizeof whole);
            break;
        case HOL_MEMBER_LONG:
            memcpy(at, &count, sizeof count);
            break;
        }
    }
}

// entry k of a list inside a list, as text
static const char *read_manifest_part_of(const HolNode *list, int i, int k) {
    const HolNode *entry = &list->values[i];
    if (entry->type != HOL_NODE_LIST || k >= entry->n || entry->values[k].type != HOL_NODE_SCALAR)
        return "";
    return entry->values[k].text;
}

static const HolNode *read_manifest_list_of(const HolNode *map, const char *key) {
    const HolNode *node = map && map->type == HOL_NODE_MAP ? hol_node_get(map, key) : NULL;
    return node && node->type == HOL_NODE_LIST ? node : NULL;
}

static int read_manifest_read_lists(HolArena *arena, const HolNode *root, HolManifest *out) {
    const HolNode *settings = read_manifest_list_of(root, "settings"),
                  *columns = read_manifest_list_of(root, "columns");
    int n = settings ? settings->n : 0, m = columns ? columns->n : 0;
    HolSetting *s = HOL_NEW(arena, HolSetting, n + 1);
    HolColumn *c = HOL_NEW(arena, HolColumn, m + 1);
    if (!s || !c)
        return 0;
    for (int i = 0; i < n; i++)
        s[i] = (HolSetting){read_manifest_part_of(settings, i, 0),
                            read_manifest_part_of(settings, i, 1)};
    for (int i = 0; i < m; i++)
        c[i] =
            (HolColumn){read_manifest_part_of(columns, i, 0), read_manifest_part_of(columns, i, 1)};
    out->settings = s;
    out->n_settings = n;
    out->columns = c;
    out->n_columns = m;
    return 1;
}

static int read_manifest_read_files(HolArena *arena, const HolNode *root, HolManifest *out) {
    const HolNode *list = read_manifest_list_of(root, "files");
    HolSourceFile *files = HOL_NEW(arena, HolSourceFile, (list ? list->n : 0) + 1);
    if (!files)
        return 0;
    out->files = files;
    out->n_files = list ? list->n : 0;
    for (int i = 0; i < out->n_files; i++) {
        const HolNode *entry = &list->values[i],
                      *text = entry->type == HOL_NODE_MAP ? hol_node_get(entry, "text") : NULL;
        files[i].path = text_of(entry, "path");
        files[i].sha256 = text_of(entry, "sha256");
        if (text && text->type == HOL_NODE_SCALAR && !hol_node_is_null(text)) {
            files[i].text = text->text;
            files[i].length = text->length;
        }
    }
    return 1;
}

static void read_check(const HolNode *map, HolCheck *check) {
    read_members(map, hol_check_members, check);
    const HolNode *list = read_manifest_list_of(map, "dependent");
    for (int i = 0; list && i < list->n && i < 64; i++) {
        HolDependentRow *d = &check->dependent[check->n_dependent++];
        snprintf(d->joint, sizeof d->joint, "%s", read_manifest_part_of(list, i, 0));
        snprintf(d->on, sizeof d->on, "%s", read_manifest_part_of(list, i, 2));
        d->row = read_manifest_part_of(list, i, 1)[0]
                     ? whole_of(number_of(&list->values[i].values[1]))
                     : 0;
        d->always = strcmp(read_manifest_part_of(list, i, 3), "1") == 0;
    }
}

// where the text breaks is told, but it is the file that is wrong, no model
static HolStatus read_manifest_not_json(const char *file, HolError *err) {
    if (!err || !err->status)
        return hol_error_set(err, HOL_ERR_FILE, "%s is not JSON", file);
    if (err->status != HOL_ERR_MEMORY)
        err->status = HOL_ERR_FILE;
    return err->status;
}

HolStatus hol_manifest_read(HolArena *arena, const char *text, size_t length, const char *file,
                            HolManifest *out, HolError *err) {
    *out = (HolManifest){0};
    int problems = 0;
    HolNode *root = hol_yaml_parse(arena, text, length, file, NULL, &problems, err);
    if (!root || problems)
        return read_manifest_not_json(file, err);
    if (root->type != HOL_NODE_MAP || strcmp(text_of(root, "holonom_result"), "1") != 0)
        return hol_error_set(err, HOL_ERR_FILE,
                             "%s is no manifest of a result ('holonom_result': 1 is missing)",
                             file);
    const HolNode *model = hol_node_get(root, "model"), *map;
    out->generator = text_of(root, "generator");
    out->created = text_of(root, "created");
    out->status = text_of(root, "status");
    out->message = text_of(root, "message");
    out->result_sha256 = text_of(root, "sha256");
    const HolNode *rows = hol_node_get(root, "rows");
    out->rows = rows && rows->type == HOL_NODE_SCALAR && fabs(number_of(rows)) < 9e15
                    ? (long)number_of(rows)
                    : -1;
    out->name = text_of(model, "name");
    out->file = text_of(model, "file");
    out->text = text_of(model, "text");
    out->sha256 = text_of(model, "sha256");
    if (!read_manifest_read_lists(arena, root, out) || !read_manifest_read_files(arena, root, out))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if ((map = hol_node_get(root, "options")) && map->type == HOL_NODE_MAP) {
        out->options = hol_sim_options();
        read_members(map, hol_option_members, &out->options);
        out->has_options = 1;
    }
    if ((map = hol_node_get(root, "summary")) && map->type == HOL_NODE_MAP) {
        read_members(map, hol_stats_members, &out->stats);
        out->has_stats = 1;
    }
    if ((map = hol_node_get(root, "check")) && map->type == HOL_NODE_MAP) {
        read_check(map, &out->check);
        out->has_check = 1;
    }
    return HOL_OK;
}
