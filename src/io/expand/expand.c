// SPDX-License-Identifier: Apache-2.0
// Files in files. A unit is the model or one use of a part: a file with what it includes. For each unit
//     parameters   read at once: counts of repeats and places of parts may use them
//     entries      of all sections, with their repeats, put behind those of the units before it
//     parts        units of their own
//     texts        of the unit's entries: now all names are known
// The sections of all units then replace those of the model file.
#include "io/expand/expand.h"
#include "io/place/place.h"

#include "base/error.h"
#include "math/vec.h"
#include "model/fields.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct UnitFile { // a file of a unit
    HolScope scope;
    const HolNode *root;
    HolExpandFile *file; // NULL: the model file
} UnitFile;

typedef struct Unit {
    UnitFile *files; // in the order of reading
    int n, capacity;
    const HolPart *part;       // NULL: the model
    const HolNode *parameters; // that are given to it, or NULL
    const char *title;         // of its file
} Unit;

static void expand_unit(HolExpand *x, Unit *u, const HolScope *s, const HolNode *root,
                        HolExpandFile *file);

// ---- files ----

// "a/./b/../c" -> "a/c"
static char *expand_id(HolExpand *x, const char *path) {
    char *out = hol_arena_text(x->r->arena, path);
    size_t n = 0, first = path[0] == '/';
    if (!out)
        return NULL;
    if (first)
        out[n++] = '/';
    while (*path) {
        const size_t k = strcspn(path, "/");
        const int up = k == 2 && !strncmp(path, "..", 2);
        size_t last = n;
        while (last > first && out[last - 1] != '/')
            last--;
        const int climbs = n - last == 2 && !strncmp(out + last, "..", 2);
        if (up && n > first && !climbs) {
            n = last > first ? last - 1 : first;
        } else if (k && !(k == 1 && *path == '.')) {
            if (n > first)
                out[n++] = '/';
            memmove(out + n, path, k);
            n += k;
        }
        path += k + (path[k] == '/');
    }
    out[n] = 0;
    return out;
}

// as messages name it: with the folder of the model file
static const char *expand_shown(HolExpand *x, const char *path) {
    const char *slash = strrchr(x->r->file, '/');
    if (path[0] == '/' || !slash)
        return path;
    const size_t folder = (size_t)(slash - x->r->file) + 1, size = folder + strlen(path) + 1;
    char *out = hol_arena_alloc(x->r->arena, size);
    if (out)
        snprintf(out, size, "%.*s%s", (int)folder, x->r->file, path);
    return out ? out : path;
}

static HolNode *expand_parse(HolExpand *x, const char *path, const HolNode *at) {
    HolReader *r = x->r;
    size_t length = 0;
    char *text = hol_read_file(r, path, &length);
    if (!text) {
        hol_read_problem(r, at, -1, "cannot read '%.200s': %s", path, strerror(errno));
        return NULL;
    }
    const char *shown = expand_shown(x, path);
    const int lines = hol_model_add_lines(r->model, shown, text, length);
    if (lines < 0) {
        hol_read_problem(r, at, -1, "the files of the model have too many lines");
        return NULL;
    }
    HolNode *root = hol_yaml_parse_most(r->arena, text, length, shown, lines, &hol_model_most,
                                        &r->problems, r->err);
    if (root && root->type != HOL_NODE_MAP) {
        hol_read_problem(r, root, -1, "a model file is a map of sections, not %s",
                         hol_node_describe(root));
        return NULL;
    }
    return root;
}

// head of a file: what it says must suit the model
static int expand_check_head(HolExpand *x, const HolNode *root) {
    HolReader *r = x->r;
    const HolNode *space = hol_node_get(root, "space");
    const char *own = r->space == HOL_PLANAR ? "planar" : "spatial";
    hol_read_check_file(r, root, 0);
    hol_read_units(r, root);
    if (!space || space->type != HOL_NODE_SCALAR || strcmp(space->text, own) == 0)
        return 1;
    hol_read_problem(r, space, -1, "'space' is '%.20s', but the model is %s", space->text, own);
    return 0;
}

static HolExpandFile *expand_load(HolExpand *x, const char *path, const HolNode *at) {
    const char *id = expand_id(x, path);
    if (!id)
        return NULL;
    for (int i = 0; i < x->n_files; i++)
        if (strcmp(x->files[i].id, id) == 0)
            return x->files[i].root ? &x->files[i] : NULL;
    if (x->n_files == HOL_EXPAND_FILES) {
        hol_read_problem(x->r, at, -1, "the model has more than %d files", HOL_EXPAND_FILES);
        x->full = 1;
        return NULL;
    }
    HolExpandFile *file = &x->files[x->n_files++];
    *file = (HolExpandFile){.path = path, .id = id};
    file->root = expand_parse(x, path, at);
    if (file->root && !expand_check_head(x, file->root))
        file->root = NULL;
    return file->root ? file : NULL;
}

// one level deeper; 0: a cycle, or too deep
static int expand_enter(HolExpand *x, const char *id, const HolNode *at) {
    char chain[400];
    size_t used = 0;
    for (int i = 0; i < x->depth; i++) {
        if (strcmp(x->chain[i], id) != 0)
            continue;
        for (int k = i; k < x->depth && used < sizeof chain; k++)
            used += (size_t)snprintf(chain + used, sizeof chain - used, "%.60s -> ", x->chain[k]);
        hol_read_problem(x->r, at, -1, "a cycle of files: %s%.60s", chain, id);
        return 0;
    }
    if (x->depth == HOL_EXPAND_DEPTH) {
        hol_read_problem(x->r, at, -1, "files in files are nested more than %d deep",
                         HOL_EXPAND_DEPTH);
        x->full = 1;
        return 0;
    }
    x->chain[x->depth++] = id;
    return 1;
}

static const char *expand_folder(HolExpand *x, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *out = slash ? hol_arena_text_n(x->r->arena, path, (size_t)(slash - path) + 1) : "";
    return out ? out : "";
}

// ---- includes ----

static void expand_gather(HolExpand *x, Unit *u, const HolScope *s, const HolNode *root,
                          HolExpandFile *file);

static void expand_include(HolExpand *x, Unit *u, const HolScope *s, const HolNode *entry) {
    HolNode node = *entry;
    if (!hol_read_text(x->r, &node, "include"))
        return;
    HolScope plain = *s;
    hol_expand_text(x, &plain, &node, HOL_TEXT_FILE);
    HolExpandFile *file = expand_load(x, node.text, entry);
    if (!file)
        return;
    for (int i = 0; i < u->n; i++)
        if (u->files[i].file == file)
            return; // is there already
    if (!expand_enter(x, file->id, entry))
        return;
    HolScope inner = *s;
    inner.folder = expand_folder(x, file->path);
    expand_gather(x, u, &inner, file->root, file);
    x->depth--;
}

// the files of a unit: includes before what includes them
static void expand_gather(HolExpand *x, Unit *u, const HolScope *s, const HolNode *root,
                          HolExpandFile *file) {
    const HolNode *list = hol_node_get(root, "include");
    if (list && list->type == HOL_NODE_SCALAR && !hol_node_is_null(list))
        expand_include(x, u, s, list);
    else if (list && !hol_node_is_null(list) && hol_expect(x->r, list, HOL_NODE_LIST, "include"))
        for (int i = 0; i < list->n && !x->full; i++)
            expand_include(x, u, s, &list->values[i]);
    if (HOL_GROW(x->r->arena, u->files, u->n, u->capacity))
        u->files[u->n++] = (UnitFile){*s, root, file};
}

// ---- parameters ----

static const HolNode *expand_parameters_of(const UnitFile *f) {
    const HolNode *map = hol_node_get(f->root, "parameters");
    return map && map->type == HOL_NODE_MAP ? map : NULL;
}

// a value that stands in place of the file's: of the part's entry, or of `--set`
static void expand_replace(HolExpand *x, const Unit *u, const HolScope *s, const char *key,
                           HolNode *value) {
    char name[HOL_OWNER_LENGTH];
    const HolNode *given = u->parameters ? hol_node_get(u->parameters, key) : NULL;
    if (given)
        *value = *given;
    if (snprintf(name, sizeof name, "%s%s", s->prefix, key) >= (int)sizeof name)
        return;
    for (int i = 0; i < x->n_settings; i++)
        if (x->settings[i].key && x->settings[i].value && !strcmp(x->settings[i].key, name)) {
            HolNode *set = hol_read_setting(x->r, x->settings[i].key, x->settings[i].value);
            if (set)
                *value = *set;
        }
}

static void expand_parameter_map(HolExpand *x, const Unit *u, const UnitFile *f) {
    const HolNode *own = hol_node_get(f->root, "parameters"), *map = expand_parameters_of(f);
    HolNode out = {.type = HOL_NODE_MAP};
    if (!map) {
        if (own && !hol_node_is_null(own))
            hol_expect(x->r, own, HOL_NODE_MAP, "parameters");
        return;
    }
    out = *map;
    out.keys = hol_expand_carve(x, sizeof(HolNode) * (size_t)(map->n + 1));
    out.values = hol_expand_carve(x, sizeof(HolNode) * (size_t)(map->n + 1));
    out.n = 0;
    for (int i = 0; out.keys && out.values && i < map->n; i++) {
        HolNode *key = &out.keys[out.n], *value = &out.values[out.n];
        *key = map->keys[i];
        *value = map->values[i];
        hol_expand_text(x, &f->scope, key, HOL_TEXT_NAME);
        hol_expand_node(x, &f->scope, value, (HolTextForm){HOL_TEXT_VALUE, 0, NULL, 0});
        expand_replace(x, u, &f->scope, map->keys[i].text, value);
        const HolNameEntry *old = hol_name_table_find(&x->r->parameters, key->text);
        if (old)
            hol_read_problem(x->r, key, -1, "there is already a parameter '%.64s' (%s)", key->text,
                             hol_read_line_text(x->r, old->line));
        else
            out.n++;
    }
    HolNode *kept = hol_expand_carve(x, sizeof out); // hints look at it later
    if (!kept)
        return;
    *kept = out;
    hol_read_parameters(x->r, kept);
}

// parameters that are given to a part must be parameters of its file
static void expand_check_given(HolExpand *x, const Unit *u) {
    for (int i = 0; u->parameters && i < u->parameters->n; i++) {
        const HolNode *key = &u->parameters->keys[i];
        const char *list[64];
        int n = 0, found = 0;
        for (int k = 0; k < u->n; k++) {
            const HolNode *map = expand_parameters_of(&u->files[k]);
            found |= map && hol_node_find(map, key->text) >= 0;
            for (int j = 0; map && j < map->n && n < 64; j++)
                list[n++] = map->keys[j].text;
        }
        if (!found)
            hol_read_problem(x->r, key, -1, "'%.100s' has no parameter '%.64s'%s", u->title,
                             key->text, hol_read_hint(x->r, key->text, list, n));
    }
}

// ---- entries ----

static void expand_push(HolExpand *x, HolSectionOut *out, const HolScope *s, const HolNode *key,
                        const HolNode *value) {
    HolArena *a = x->r->arena;
    if (!HOL_GROW(a, out->values, out->n, out->cap_values) ||
        !HOL_GROW(a, out->keys, out->n, out->cap_keys) ||
        !HOL_GROW(a, out->scopes, out->n, out->cap_scopes))
        return;
    out->values[out->n] = *value;
    out->keys[out->n] = key ? *key : (HolNode){0};
    out->scopes[out->n++] = *s;
}

typedef struct ListUse {
    const HolSection *section;
    HolSectionOut *out;
    int i; // entries of the unit so far
} ListUse;

// the entry's name with the part's; an entry without one gets a number in its part
static const char *expand_name(HolExpand *x, const HolScope *s, const HolNode *entry,
                               const char *word, int i) {
    const HolNode *name = hol_node_get(entry, "name");
    HolNode node = name ? *name : (HolNode){0};
    if (!name || name->type != HOL_NODE_SCALAR || !name->length) {
        node.text = hol_default_name(x->r->arena, word, i);
        node.type = HOL_NODE_SCALAR;
        node.length = strlen(node.text);
    }
    // what is wrong with it is said when the entry is rewritten
    HolError *err = x->r->err;
    const int problems = x->r->problems;
    x->r->err = NULL;
    hol_expand_text(x, s, &node, HOL_TEXT_NAME);
    x->r->err = err;
    x->r->problems = problems;
    return node.text;
}

// a map entry more: a name that the file does not give
static HolNode expand_with_name(HolExpand *x, const HolNode *entry, const char *word, int i) {
    HolNode out = *entry;
    out.keys = hol_expand_carve(x, sizeof(HolNode) * (size_t)(entry->n + 1));
    out.values = hol_expand_carve(x, sizeof(HolNode) * (size_t)(entry->n + 1));
    if (!out.keys || !out.values)
        return *entry;
    if (entry->n) {
        memcpy(out.keys, entry->keys, sizeof(HolNode) * (size_t)entry->n);
        memcpy(out.values, entry->values, sizeof(HolNode) * (size_t)entry->n);
    }
    HolNode node = {.type = HOL_NODE_SCALAR, .line = entry->line, .column = entry->column};
    node.text = "name";
    node.length = 4;
    out.keys[entry->n] = node;
    node.text = hol_default_name(x->r->arena, word, i);
    node.length = strlen(node.text);
    out.values[entry->n] = node;
    out.n = entry->n + 1;
    return out;
}

static void expand_take_entry(HolExpand *x, const HolScope *s, const HolNode *entry, void *user) {
    ListUse *use = user;
    const HolSection *section = use->section;
    const int i = use->i++;
    HolNode own = *entry;
    if (entry->type == HOL_NODE_MAP && section->word) {
        const char *name = expand_name(x, s, entry, section->word, i);
        const int body = section->fields == hol_body_fields;
        hol_name_table_add(&x->names, x->r->arena, name, entry, entry->line);
        if (body)
            hol_name_table_add(&x->bodies, x->r->arena, name, entry, entry->line);
        else if (s->prefix[0] && hol_node_find(entry, "name") < 0)
            own = expand_with_name(x, entry, section->word, i);
    }
    expand_push(x, use->out, s, NULL, &own);
}

static void expand_take_map(HolExpand *x, HolSectionOut *out, const UnitFile *f, const HolNode *map,
                            int things) {
    for (int i = 0; i < map->n; i++) {
        HolNode key = map->keys[i];
        hol_expand_text(x, &f->scope, &key, HOL_TEXT_NAME);
        if (things)
            hol_name_table_add(&x->names, x->r->arena, key.text, map, key.line);
        const HolNameEntry *old = hol_name_table_find(&out->names, key.text);
        if (old)
            hol_read_problem(x->r, &key, -1, "there is already a '%.64s' (%s)", key.text,
                             hol_read_line_text(x->r, old->line));
        hol_name_table_add(&out->names, x->r->arena, key.text, map, key.line);
        expand_push(x, out, &f->scope, &key, &map->values[i]);
    }
}

// a section of the model alone: of the model file, or of the last include that has it
static void expand_take_model(HolExpand *x, const HolSection *section, int number, const Unit *u,
                              const UnitFile *f, const HolNode *node) {
    const HolNode *key = &f->root->keys[hol_node_find(f->root, section->key)];
    if (!u->part) {
        HolNode own = *node;
        x->out[number].n = 0;
        expand_push(x, &x->out[number], &f->scope, key, &own);
        return;
    }
    if (f->file->told & 1UL << number)
        return;
    f->file->told |= 1UL << number;
    hol_model_add_remark(x->r->model, "part", u->part->name, key->line, key->column,
                         "'%s' of %.200s is ignored: it is used as a part", section->key,
                         f->file->path);
}

static void expand_take_section(HolExpand *x, const HolSection *section, const Unit *u,
                                const UnitFile *f, int *counts) {
    const int number = (int)(section - hol_sections);
    HolSectionOut *out = &x->out[number];
    const HolNode *node = hol_node_get(f->root, section->key);
    if (!node || hol_node_is_null(node) || section->kind == HOL_SECTION_HEAD)
        return;
    const HolNodeType type = section->kind == HOL_SECTION_LIST ? HOL_NODE_LIST : HOL_NODE_MAP;
    if (!f->file && node->type != type && section->kind != HOL_SECTION_MODEL)
        return; // of the model file: its reader says so
    if (section->kind == HOL_SECTION_MODEL) {
        expand_take_model(x, section, number, u, f, node);
    } else if (section->kind == HOL_SECTION_LIST) {
        if (!hol_expect(x->r, node, HOL_NODE_LIST, section->key))
            return;
        ListUse use = {section, out, counts[number]};
        for (int i = 0; i < node->n && !x->full; i++)
            hol_expand_entry(x, &f->scope, &node->values[i], expand_take_entry, &use);
        counts[number] = use.i;
    } else if (hol_expect(x->r, node, HOL_NODE_MAP, section->key)) {
        const HolNode *map = node;
        if (section->kind == HOL_SECTION_POINTS) {
            hol_read_check_ground(x->r, node);
            map = hol_node_get(node, "points");
            if (!map || !hol_expect(x->r, map, HOL_NODE_MAP, "points"))
                return;
        }
        expand_take_map(x, out, f, map, section->kind == HOL_SECTION_MAP);
    }
}

// ---- parts ----

typedef struct PartTarget {
    HolPartDef def; // first: the field table's offsets count from here
    const HolNode *parameters;
} PartTarget;

static void expand_part_own(HolReader *r, const HolField *f, const HolNode *node, void *object) {
    PartTarget *t = object;
    if (strcmp(f->form, "orientation") == 0)
        hol_read_orientation(r, node, t->def.quaternion);
    else if (hol_expect(r, node, HOL_NODE_MAP, "parameters"))
        t->parameters = node;
}

static const HolPart *expand_frame(HolExpand *x, const HolScope *s, const HolPartDef *def) {
    HolPart *part = HOL_NEW(x->r->arena, HolPart, 1);
    if (!part)
        return NULL;
    part->name = def->name;
    memcpy(part->at, def->at, sizeof part->at);
    part->angle = def->angle;
    memcpy(part->p, def->quaternion, sizeof part->p);
    if (x->r->space == HOL_PLANAR)
        q_store(part->p, q_axis_angle(v3(0, 0, 1), def->angle));
    part->turned = part->p[1] != 0 || part->p[2] != 0 || part->p[3] != 0;
    part->moved = part->turned || part->at[0] != 0 || part->at[1] != 0 || part->at[2] != 0;
    hol_part_compose(s->origin ? s->origin->part : NULL, part);
    return part;
}

// texts and map of the entry of a part; 0: something is wrong
static int expand_read_part(HolExpand *x, const HolNode *node, PartTarget *t) {
    static const HolMapReader how = {.table = hol_part_fields, .own = expand_part_own};
    HolReader *r = x->r;
    const HolNode *name = hol_node_get(node, "name");
    const int before = r->problems;
    if (name && name->type == HOL_NODE_SCALAR)
        snprintf(r->what, sizeof r->what, "part '%.64s'", name->text);
    else
        snprintf(r->what, sizeof r->what, "part");
    t->def.quaternion[0] = 1;
    hol_read_map(r, node, &how, t);
    if (r->problems == before && hol_name_table_find(&x->names, t->def.name))
        hol_read_problem(r, name, -1, "the name '%.64s' is taken", t->def.name);
    else if (r->problems == before &&
             (strcmp(t->def.name, "ground") == 0 || hol_name_reserved(t->def.name)))
        hol_read_problem(r, name, -1, "part name '%s' is reserved: choose another", t->def.name);
    r->what[0] = 0;
    return r->problems == before;
}

static void expand_take_part(HolExpand *x, const HolScope *s, const HolNode *entry, void *user) {
    HolReader *r = x->r;
    HolNode node = *entry;
    PartTarget t = {0};
    (void)user;
    if (!hol_expect(r, &node, HOL_NODE_MAP, "parts"))
        return;
    hol_expand_node(x, s, &node, (HolTextForm){HOL_TEXT_ANY, 0, hol_part_fields, 0});
    // without a part around it nothing is rewritten but paths
    const HolNode *place = hol_node_get(&node, "file");
    if (x->full || !expand_read_part(x, &node, &t))
        return;
    hol_name_table_add(&x->names, r->arena, t.def.name, entry, entry->line);
    const HolPart *part = expand_frame(x, s, &t.def);
    HolExpandFile *file = expand_load(x, t.def.file, place);
    HolOrigin *origin = HOL_NEW(r->arena, HolOrigin, 1);
    const size_t size = strlen(t.def.name) + 2;
    char *prefix = hol_arena_alloc(r->arena, size);
    if (!part || !file || !origin || !prefix || !hol_expand_count(x, entry, 1) ||
        !expand_enter(x, file->id, place))
        return;
    snprintf(prefix, size, "%s.", t.def.name);
    *origin = (HolOrigin){.part = part};
    const HolScope inner = {prefix, expand_folder(x, file->path), NULL, origin};
    Unit unit = {.part = part, .parameters = t.parameters, .title = file->path};
    expand_unit(x, &unit, &inner, file->root, file);
    x->depth--;
}

// `included`: by the file of the unit
static void expand_parts(HolExpand *x, const UnitFile *f, int included) {
    const HolNode *list = hol_node_get(f->root, "parts");
    if (!list || hol_node_is_null(list) || !hol_expect(x->r, list, HOL_NODE_LIST, "parts") ||
        (included && !expand_enter(x, f->file->id, list)))
        return;
    for (int i = 0; i < list->n && !x->full; i++)
        hol_expand_entry(x, &f->scope, &list->values[i], expand_take_part, NULL);
    x->depth -= included;
}

// ---- units ----

static void expand_unit(HolExpand *x, Unit *u, const HolScope *s, const HolNode *root,
                        HolExpandFile *file) {
    int counts[HOL_SECTIONS] = {0}, first[HOL_SECTIONS], end[HOL_SECTIONS], n = 0;
    expand_gather(x, u, s, root, file);
    for (int i = 0; i < u->n; i++)
        expand_parameter_map(x, u, &u->files[i]);
    expand_check_given(x, u);
    for (; hol_sections[n].key; n++) {
        first[n] = x->out[n].n;
        for (int i = 0; i < u->n && !x->full; i++)
            expand_take_section(x, &hol_sections[n], u, &u->files[i], counts);
        end[n] = x->out[n].n;
    }
    for (int i = 0; i < u->n && !x->full; i++)
        expand_parts(x, &u->files[i], i < u->n - 1);
    for (int k = 0; k < n && !x->full; k++) {
        const HolSection *section = &hol_sections[k];
        HolTextForm form = {HOL_TEXT_ANY, 0, section->fields, 0};
        if (section->kind == HOL_SECTION_POINTS || section->kind == HOL_SECTION_MAP)
            form.role = HOL_TEXT_VALUE;
        for (int i = first[k]; i < end[k] && !x->full; i++)
            hol_expand_node(x, &x->out[k].scopes[i], &x->out[k].values[i], form);
    }
}

// ---- the result ----

static void expand_put_section(HolExpand *x, HolNode *root, const HolSection *section,
                               const HolSectionOut *out) {
    HolNode *old = hol_node_get(root, section->key);
    HolNode node = {.type = section->kind == HOL_SECTION_LIST ? HOL_NODE_LIST : HOL_NODE_MAP};
    if (old && old->type == node.type)
        node = *old;
    node.line = old ? old->line : root->line;
    node.column = old ? old->column : root->column;
    node.values = out->values;
    node.keys = section->kind == HOL_SECTION_LIST ? NULL : out->keys;
    node.n = out->n;
    if (section->kind == HOL_SECTION_MODEL)
        node = out->values[0];
    if (section->kind == HOL_SECTION_POINTS) {
        HolNode *points = hol_expand_carve(x, 2 * sizeof(HolNode));
        if (!points)
            return;
        points[0] = (HolNode){.type = HOL_NODE_SCALAR, .text = "points", .length = 6};
        points[1] = node;
        node.keys = &points[0];
        node.values = &points[1];
        node.n = 1;
    }
    hol_read_put(x->r, root, section->key, &node);
}

int hol_expand_needed(const char *text, size_t length) {
    static const char *const words[] = {"repeat", "parts", "include"};
    for (int i = 0; i < 3; i++) {
        const size_t n = strlen(words[i]);
        const char *at = text, *end = text + length;
        while ((at = memchr(at, words[i][0], (size_t)(end - at)))) {
            if ((size_t)(end - at) >= n && !memcmp(at, words[i], n))
                return 1;
            at++;
        }
    }
    return 0;
}

void hol_expand(HolReader *r, HolNode *root, const char *text, size_t length,
                const HolSetting *settings, int n_settings) {
    const char *slash = strrchr(r->file, '/');
    const HolNode *parameters = hol_node_get(root, "parameters");
    if (!hol_expand_needed(text, length)) {
        if (parameters && !hol_node_is_null(parameters))
            hol_read_parameters(r, parameters);
        return;
    }
    HolExpand *x = HOL_NEW(r->arena, HolExpand, 1);
    HolExpandFile *files = HOL_NEW(r->arena, HolExpandFile, HOL_EXPAND_FILES);
    if (!x || !files)
        return;
    *x = (HolExpand){.r = r, .settings = settings, .n_settings = n_settings};
    x->files = files;
    const HolScope scope = {"", "", NULL, NULL};
    Unit unit = {.title = r->file};
    const char *id = expand_id(x, slash ? slash + 1 : r->file);
    if (!id || !expand_enter(x, id, root))
        return;
    expand_unit(x, &unit, &scope, root, NULL);
    for (int i = 0; hol_sections[i].key; i++) {
        const HolNode *old = hol_node_get(root, hol_sections[i].key);
        const int emptied = hol_sections[i].kind == HOL_SECTION_LIST && old &&
                            old->type == HOL_NODE_LIST; // repeats without copies
        if ((x->out[i].n || emptied) && !r->arena->failed)
            expand_put_section(x, root, &hol_sections[i], &x->out[i]);
    }
    r->lost |= x->full;
}
