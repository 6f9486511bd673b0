// SPDX-License-Identifier: Apache-2.0
// Which files does a model name? Asked before anything of it is understood: every value of a key
// `file` (meshes, tables, parts) or `include`, wherever it stands, also inside settings, counts. They
// are refused at their lines, and linked for pages; what else names a file is the reader's to refuse
// (hol_read_file), which is kept to the model's folder.
#include "tools/studio/studio_names.h"
#include "io/yaml.h"

#include <string.h>

typedef struct Names {
    HolArena *arena;
    HolStudioName *list;
    int n, capacity, failed;
} Names;

static void studio_names_add(Names *x, const HolNode *node, int in_text) {
    if (!HOL_GROW(x->arena, x->list, x->n, x->capacity)) {
        x->failed = 1;
        return;
    }
    x->list[x->n++] =
        (HolStudioName){node->text, in_text ? node->line : 0, in_text ? node->column : 0};
}

// all texts below a node
static void studio_names_texts(Names *x, const HolNode *node, int in_text) {
    if (node->type == HOL_NODE_SCALAR)
        studio_names_add(x, node, in_text);
    for (int i = 0; node->type != HOL_NODE_SCALAR && i < node->n && !x->failed; i++)
        studio_names_texts(x, &node->values[i], in_text);
}

static int studio_names_is_file(const char *key) {
    return strcmp(key, "file") == 0 || strcmp(key, "include") == 0;
}

static void studio_names_walk(Names *x, const HolNode *node, int in_text) {
    for (int i = 0; node->type != HOL_NODE_SCALAR && i < node->n && !x->failed; i++) {
        const int named = node->type == HOL_NODE_MAP && node->keys[i].text &&
                          studio_names_is_file(node->keys[i].text);
        (named ? studio_names_texts : studio_names_walk)(x, &node->values[i], in_text);
    }
}

// "rod.shape.file=mesh.stl", "tables.t={file: a.csv}", "include.0=b.yaml"
static void studio_names_setting(Names *x, const char *setting) {
    const char *equal = strchr(setting, '=');
    char key[256];
    int problems = 0, named = 0;
    if (!equal)
        return;
    for (const char *part = setting; part < equal; part += strcspn(part, ".=") + 1) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(part, ".="), part);
        named |= studio_names_is_file(key);
    }
    const HolNode *value =
        hol_yaml_parse(x->arena, equal + 1, strlen(equal + 1), "setting", NULL, &problems, NULL);
    if (value)
        (named ? studio_names_texts : studio_names_walk)(x, value, 0);
    else if (named) // no YAML, and perhaps a name all the same
        studio_names_add(x, &(HolNode){.text = equal + 1}, 0);
}

int hol_studio_names(HolArena *arena, const char *text, size_t length, const char *const *settings,
                     int n, const HolStudioName **out) {
    Names x = {.arena = arena};
    int problems = 0;
    const HolNode *root = hol_yaml_parse(arena, text, length, "model.yaml", NULL, &problems, NULL);
    if (root)
        studio_names_walk(&x, root, 1);
    for (int i = 0; i < n; i++)
        studio_names_setting(&x, settings[i]);
    *out = x.list;
    return x.failed || arena->failed ? -1 : x.n;
}
