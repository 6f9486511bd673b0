// SPDX-License-Identifier: Apache-2.0
// Reading a model file: text -> tree (yaml.c) -> settings (read_set.c) -> parameters, parts, includes
// and repeats written out (io/expand) -> sections (read_*.c), each of which hands definitions to the model -> compile. All problems are collected; a model comes out
// only when there are none.
#include "io/expand/expand.h"
#include "io/modal/modal_cache.h"
#include "io/model/parse_text.h"
#include "io/model/read.h"
#include "io/place/place.h"
#include "io/refine/refine.h"

#include "base/error.h"
#include "base/sized.h"
#include "model/fields.h"
#include "model/model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT = 1 };
static const char *const model_lists[] = {"bodies",   "joints",  "forces",
                                          "contacts", "motions", NULL};
const HolYamlMost hol_model_most = {
    model_lists, 400000,
    "more than 400000 bodies, joints, forces, contacts and motions are too many for this program: "
    "they take about 10 kB of memory each"};

// ---- the head of the file -----------------------------------------------------------------

static void check_format(HolReader *r, const HolNode *root, int is_model) {
    const HolNode *node = hol_node_get(root, "holonom");
    double number = 0;
    if (!node && !is_model)
        return;
    if (!node) {
        hol_read_problem(r, root, -1,
                         "the format number is missing: the file must start with 'holonom: 1'");
        return;
    }
    if (!hol_read_number(r, node, "holonom", &number))
        return;
    if (number > FORMAT)
        hol_read_problem(r, node, -1,
                         "format %.60s is newer than this program, which reads format %d",
                         node->text, FORMAT);
    else if (number != FORMAT)
        hol_read_problem(r, node, -1, "there is no format %.60s; write 'holonom: %d'", node->text,
                         FORMAT);
}

// sections may be empty (all entries commented out), other keys may not
static void check_keys(HolReader *r, const HolNode *root) {
    const char *list[32];
    int n = 0;
    for (const HolField *f = hol_file_fields; f->key && n < 32; f++)
        list[n++] = f->key;
    for (int i = 0; i < root->n; i++) {
        const char *key = root->keys[i].text;
        const HolField *field = hol_field_find(hol_file_fields, key);
        if (!field)
            hol_read_problem(r, &root->keys[i], -1, "unknown key '%.64s'%s%s", key,
                             hol_read_hint(r, key, list, n),
                             strchr(key, ':') ? " (is a space missing after the colon?)" : "");
        else if (hol_node_is_null(&root->values[i]) && field->type != HOL_FIELD_OWN)
            hol_read_problem(r, &root->keys[i], -1, "'%s' has no value", key);
    }
}

void hol_read_check_file(HolReader *r, const HolNode *root, int is_model) {
    check_format(r, root, is_model);
    check_keys(r, root);
}

// a space that is missing or misspelt is guessed, so that the rest can be checked
static int guess_space(const HolNode *root, const char *text) {
    static const char *const words[] = {"planar", "spatial"};
    const HolNode *gravity = hol_node_get(root, "gravity");
    const char *nearest = text ? hol_nearest_word(text, words, 2) : NULL;
    if (nearest)
        return nearest == words[1] ? HOL_SPATIAL : HOL_PLANAR;
    return gravity && gravity->type == HOL_NODE_LIST && gravity->n == 3 ? HOL_SPATIAL : HOL_PLANAR;
}

static void read_space(HolReader *r, const HolNode *root) {
    static const char *const words[] = {"planar", "spatial"};
    const HolNode *node = hol_node_get(root, "space");
    const char *text = NULL;
    int value;
    if (!node)
        hol_read_problem(r, root, -1, "required key 'space' is missing: planar or spatial");
    else if (!hol_node_is_null(node))
        text = hol_read_text(r, node, "space");
    if (!text || !hol_word_value(hol_space_words, text, &value)) {
        if (text)
            hol_read_problem(r, node, -1, "unknown space '%.64s'%s", text,
                             hol_read_hint(r, text, words, 2));
        value = guess_space(root, text);
        r->lost = 1;
    }
    r->space = value == HOL_SPATIAL ? HOL_SPATIAL : HOL_PLANAR;
    r->dimensions = r->space == HOL_PLANAR ? 2 : 3;
}

// title: as written, or the file's name without folder and ending
static const char *read_title(HolReader *r, const HolNode *root) {
    const HolNode *node = hol_node_get(root, "name");
    const char *title = node && !hol_node_is_null(node) ? hol_read_text(r, node, "name") : NULL;
    if (title)
        return title;
    const char *slash = strrchr(r->file, '/'), *base = slash ? slash + 1 : r->file;
    size_t length = strcspn(base, ".");
    title = length ? hol_arena_text_n(r->arena, base, length) : NULL;
    return title ? title : "model";
}

// ---- sections -----------------------------------------------------------------------------

typedef void SectionReader(HolReader *r, const HolNode *node);

static void read_section(HolReader *r, const HolNode *root, const char *key, SectionReader *read) {
    const HolNode *node = hol_node_get(root, key);
    if (node && !hol_node_is_null(node))
        read(r, node);
}

// gravity may use the parameters, and the model wants it when it is made: it is set afterwards
static void read_gravity(HolReader *r, const HolNode *node) {
    double g[3] = {0};
    if (hol_read_numbers(r, node, "gravity", r->dimensions, r->dimensions, g, NULL))
        memcpy(r->model->gravity, g, sizeof g);
}

// outputs that the caller asks for, as if they stood in the file
static void read_given_outputs(HolReader *r) {
    HolNode *nodes = HOL_NEW(r->arena, HolNode, r->n_outputs + 1);
    for (int i = 0; nodes && i < r->n_outputs; i++)
        nodes[i] = (HolNode){.type = HOL_NODE_SCALAR,
                             .line = 1,
                             .column = 1,
                             .text = r->outputs[i],
                             .length = strlen(r->outputs[i]),
                             .weight = 1};
    const HolNode list = {.type = HOL_NODE_LIST,
                          .line = 1,
                          .column = 1,
                          .n = nodes ? r->n_outputs : 0,
                          .values = nodes};
    hol_read_outputs(r, &list);
}

static void read_sections(HolReader *r, const HolNode *root, HolSimOptions *options) {
    const HolNode *ground = hol_node_get(root, "ground");
    const HolNode *points = ground ? hol_node_get(ground, "points") : NULL;
    r->ground_points = points && points->type == HOL_NODE_MAP ? points : NULL;
    read_section(r, root, "discrete", hol_read_discrete);
    read_section(r, root, "inputs", hol_read_inputs);
    read_section(r, root, "gravity", read_gravity);
    read_section(r, root, "tables", hol_read_tables);
    read_section(r, root, "curves", hol_read_curves);
    hol_read_names(r, root);
    if (r->beam_elements > hol_model_most.entries)
        return;
    read_section(r, root, "ground", hol_read_ground);
    read_section(r, root, "bodies", hol_read_bodies);
    read_section(r, root, "joints", hol_read_joints);
    read_section(r, root, "states", hol_read_states);
    read_section(r, root, "variables", hol_read_variables);
    // what the others refer to must be whole before it makes sense to compile
    r->lost |= r->problems > 0;
    read_section(r, root, "forces", hol_read_forces);
    read_section(r, root, "motions", hol_read_motions);
    read_section(r, root, "constraints", hol_read_constraints);
    read_section(r, root, "contacts", hol_read_contacts);
    read_section(r, root, "events", hol_read_events);
    if (r->outputs)
        read_given_outputs(r);
    else if (!r->start_stage)
        read_section(r, root, "outputs", hol_read_outputs);
    const HolNode *simulation = hol_node_get(root, "simulation");
    if (simulation && !hol_node_is_null(simulation))
        hol_read_simulation(r, simulation, options);
    hol_read_joint_starts(r);
}

static HolStatus create_model(HolReader *r, const HolNode *root, const char *text, size_t length) {
    HolError error = {0}; // creation clears what it is given
    HolStatus status = hol_model_create(read_title(r, root), r->space, NULL, &r->model, &error);
    if (status == HOL_OK)
        status = hol_model_set_source(r->model, r->file, text, length);
    if (status == HOL_OK && r->folder &&
        !(r->model->folder = hol_arena_text(&r->model->arena, r->folder)))
        status = HOL_ERR_MEMORY;
    if (status != HOL_OK) {
        r->problems++;
        hol_error_add(r->err, status, r->file, 0, 0, "%s", hol_status_text(status));
    }
    return status;
}

// those of the program that the caller handed over
static int give_functions(HolReader *r) {
    const size_t step = r->n_functions && r->functions ? r->functions->size : 0;
    for (int i = 0; i < r->n_functions; i++) {
        HolError error;
        const HolFunctionDef *f =
            step ? (const void *)((const char *)r->functions + (size_t)i * step) : NULL;
        if (hol_model_add_function(r->model, f, &error) == HOL_OK)
            continue;
        hol_error_add(r->err, HOL_ERR_INPUT, r->file, 0, 0, "%s", error.text);
        r->problems++;
        return 0;
    }
    return 1;
}

static int has_bodies(const HolNode *root) {
    const HolNode *bodies = hol_node_get(root, "bodies");
    return bodies && bodies->n > 0;
}

// the key where it stands, else the start of the file
static const HolNode *bodies_place(const HolNode *root) {
    int i = hol_node_find(root, "bodies");
    return i >= 0 ? &root->keys[i] : root;
}

// A run of what the file asks for would take all memory: that is said before it is tried. (Parts and
// repeats have been written out: each file alone has been looked at while it was parsed.)
static int is_too_large(HolReader *r, const HolNode *root) {
    int n = 0;
    for (const char *const *name = hol_model_most.lists; *name; name++) {
        const HolNode *list = hol_node_get(root, *name);
        n += list && list->type == HOL_NODE_LIST ? list->n : 0;
    }
    if (n <= hol_model_most.entries)
        return 0;
    hol_read_problem(r, bodies_place(root), -1, "%s", hol_model_most.what);
    return 1;
}

// the whole reading; r->model is the result when r->problems is 0
static void read_all(HolReader *r, const char *text, size_t length, const HolSetting *settings,
                     int n_settings, HolSimOptions *options) {
    HolNode *root = hol_yaml_parse_most(r->arena, text, length, r->file, 0, &hol_model_most,
                                        &r->problems, r->err);
    if (!root)
        return;
    if (root->type != HOL_NODE_MAP) {
        hol_read_problem(r, root, -1, "a model file is a map that starts with 'holonom: 1', not %s",
                         hol_node_describe(root));
        return;
    }
    hol_apply_settings(r, root, settings, n_settings);
    hol_read_check_file(r, root, 1);
    read_space(r, root);
    if (create_model(r, root, text, length) != HOL_OK ||
        hol_model_set_settings(r->model, settings, n_settings) != HOL_OK || !give_functions(r))
        return; // out of memory is reported at the end
    hol_read_units(r, root);
    hol_read_tunable(r, root);
    hol_expand(r, root, text, length, settings, n_settings);
    hol_apply_late_settings(r, root, settings, n_settings);
    if (is_too_large(r, root))
        return;
    hol_read_tunable_end(r, root);
    hol_beam_auto_places(r, root);
    read_sections(r, root, options);
    if (!r->lost && !has_bodies(root))
        hol_read_problem(r, bodies_place(root), -1,
                         "the model has no bodies: add at least one under 'bodies:'");
    else if (!r->lost && hol_compile(r->model, r->err) != HOL_OK)
        r->problems++;
}

// ---- report -------------------------------------------------------------------------------

typedef struct ReportLine {
    const char *text;
    size_t length;
    int file;         // 0: the model file, then those it names; -1: none
    int line, column; // 0 when it has no position
} ReportLine;

enum { REPORT_LINES = 400 };

static int report_place(ReportLine *l, const char *file) {
    const size_t n = file ? strlen(file) : 0;
    return n && strncmp(l->text, file, n) == 0 &&
           sscanf(l->text + n, ":%d:%d:", &l->line, &l->column) == 2;
}

// the lines of the report, with the positions they start with
static int split_report(const char *text, const HolReader *r, ReportLine *lines) {
    const HolModel *m = r->model;
    int n = 0;
    while (*text && n < REPORT_LINES) {
        ReportLine *l = &lines[n++];
        *l = (ReportLine){.text = text, .length = strcspn(text, "\n"), .file = -1};
        if (report_place(l, r->file))
            l->file = 0;
        for (int i = 0; l->file < 0 && m && i < m->n_lines; i++)
            if (report_place(l, m->lines[i].file))
                l->file = i + 1;
        if (l->file < 0)
            l->line = l->column = 0;
        text += l->length + (text[l->length] == '\n');
    }
    return *text ? 0 : n;
}

static int report_behind(const ReportLine *a, const ReportLine *b) {
    if (a->file != b->file)
        return a->file > b->file;
    return a->line > b->line || (a->line == b->line && a->column > b->column);
}

// problems in the order of the file: sections are not read in the order they are written
static void sort_report(HolError *err, const HolReader *r) {
    ReportLine lines[REPORT_LINES];
    char sorted[sizeof err->text];
    size_t used = 0;
    int n = split_report(err->text, r, lines);
    for (int i = 1; i < n; i++) { // insertion keeps the order of equal positions
        ReportLine l = lines[i];
        int k = i;
        for (; k > 0 && report_behind(&lines[k - 1], &l); k--)
            lines[k] = lines[k - 1];
        lines[k] = l;
    }
    for (int i = 0; i < n; i++) {
        memcpy(sorted + used, lines[i].text, lines[i].length);
        used += lines[i].length;
        sorted[used++] = i + 1 < n ? '\n' : 0;
    }
    if (n > 0) {
        memcpy(err->text, sorted, used);
        err->line = lines[0].line;
        err->column = lines[0].column;
    }
}

// ---- entry points -------------------------------------------------------------------------

HolStatus hol_model_parse_sized(const char *text, size_t length, const char *file,
                                const HolSetting *settings, int n_settings, HolModel **out,
                                HolSimOptions *options, size_t room, HolError *err) {
    return hol_model_parse_with_sized(text, length, file, settings, n_settings, NULL, 0, out,
                                      options, room, err);
}

HolStatus hol_model_parse_with_sized(const char *text, size_t length, const char *file,
                                     const HolSetting *settings, int n_settings,
                                     const HolFunctionDef *functions, int n_functions,
                                     HolModel **out, HolSimOptions *options, size_t room,
                                     HolError *err) {
    const HolModelText from = {.text = text,
                               .length = length,
                               .file = file,
                               .settings = settings,
                               .n_settings = n_settings,
                               .functions = functions,
                               .n_functions = n_functions};
    return hol_model_parse_text(&from, out, options, room, err);
}

HolStatus hol_model_parse_text(const HolModelText *from, HolModel **out, HolSimOptions *options,
                               size_t room, HolError *err) {
    HolError own;
    HolArena arena = {0};
    HolSimOptions o = hol_sim_options();
    if (!err)
        err = &own;
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the model: out is NULL");
    *out = NULL;
    if (!from->text || from->n_settings < 0 || (from->n_settings && !from->settings))
        return hol_error_set(err, HOL_ERR_INPUT, "%s is missing: NULL",
                             from->text ? "a list of settings" : "the text of a model");
    HolReader *r = HOL_NEW(&arena, HolReader, 1);
    if (!r) {
        hol_arena_free(&arena);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while reading");
    }
    r->arena = &arena;
    r->file = from->file ? from->file : "model";
    r->err = err;
    r->given = from->files;
    r->n_given = from->n_files;
    r->start_stage = from->stage;
    r->beam_level = from->beam_level;
    r->folder = from->folder;
    r->refused = from->refused;
    r->outputs = from->outputs;
    r->n_outputs = from->n_outputs;
    r->functions = from->functions;
    r->n_functions = from->n_functions;
    r->cache = from->how ? from->how->cache : NULL;
    read_all(r, from->text, from->length, from->settings, from->n_settings, &o);
    // without memory the other problems mean nothing
    int failed = r->no_memory || arena.failed || (r->model && r->model->arena.failed);
    if (failed && err->status != HOL_ERR_MEMORY) {
        hol_error_set(err, HOL_ERR_MEMORY, "%s: error: out of memory while reading", r->file);
        r->problems++;
    }
    if (!r->problems && !failed && r->model && hol_joint_starts(from, r->model, err) != HOL_OK)
        r->problems++;
    sort_report(err, r);
    if (!r->problems && !failed && r->model && hol_refine(from, &r->model, &o, err) != HOL_OK)
        r->problems++;
    HolStatus status = r->problems ? (err->status != HOL_OK ? err->status : HOL_ERR_INPUT) : HOL_OK;
    if (status == HOL_OK) {
        *out = r->model;
        if (options)
            hol_sized_make(options, room, &o, sizeof o);
    } else {
        hol_model_destroy(r->model);
    }
    hol_arena_free(&arena);
    return status;
}

// the whole stream into the arena; NULL when it cannot be read or is too large
static char *read_stream(HolArena *arena, FILE *stream, size_t *length) {
    size_t capacity = 1 << 16, used = 0;
    char *text = hol_arena_alloc(arena, capacity);
    while (text) {
        size_t got = fread(text + used, 1, capacity - used, stream);
        used += got;
        if (used < capacity) // end or error
            break;
        if (capacity > HOL_YAML_BYTES) // the parser says that it is too large
            break;
        char *larger = hol_arena_alloc(arena, 2 * capacity);
        if (larger)
            memcpy(larger, text, used);
        text = larger;
        capacity *= 2;
    }
    *length = used;
    return text;
}

HolStatus hol_model_load_sized(const char *path, const HolSetting *settings, int n_settings,
                               HolModel **out, HolSimOptions *options, size_t room, HolError *err) {
    return hol_model_load_with_sized(path, settings, n_settings, NULL, 0, out, options, room, err);
}

// the file, or standard input, as a text
static HolStatus load_text(HolModelText *from, const char *path, HolModel **out,
                           HolSimOptions *options, size_t room, HolError *err) {
    HolArena arena = {0};
    size_t length = 0;
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the model: out is NULL");
    *out = NULL;
    if (!path)
        return hol_error_set(err, HOL_ERR_INPUT, "the path of a model file is missing: NULL");
    int is_input = strcmp(path, "-") == 0;
    FILE *stream = is_input ? stdin : fopen(path, "rb");
    if (!stream)
        return hol_error_set(err, HOL_ERR_FILE, "%s: error: cannot be opened: %s", path,
                             strerror(errno));
    errno = 0;
    char *text = read_stream(&arena, stream, &length);
    int failed = ferror(stream), reason = errno;
    if (!is_input)
        fclose(stream);
    HolStatus status;
    from->text = text;
    from->length = length;
    from->file = is_input ? "<stdin>" : path;
    if (!text)
        status = hol_error_set(err, HOL_ERR_MEMORY, "%s: error: out of memory while reading", path);
    else if (failed)
        status = hol_error_set(err, HOL_ERR_FILE, "%s: error: cannot be read: %s", path,
                               strerror(reason));
    else
        status = hol_model_parse_text(from, out, options, room, err);
    hol_arena_free(&arena);
    return status;
}

HolStatus hol_model_load_with_sized(const char *path, const HolSetting *settings, int n_settings,
                                    const HolFunctionDef *functions, int n_functions,
                                    HolModel **out, HolSimOptions *options, size_t room,
                                    HolError *err) {
    HolModelText from = {.settings = settings,
                         .n_settings = n_settings,
                         .functions = functions,
                         .n_functions = n_functions};
    return load_text(&from, path, out, options, room, err);
}

void hol_load_options_sized(HolLoadOptions *out, size_t room) {
    const HolLoadOptions o = {.cache = NULL};
    hol_sized_make(out, room, &o, sizeof o);
}

HolStatus hol_model_load_how_sized(const char *path, const HolSetting *settings, int n_settings,
                                   const HolLoadOptions *how, HolModel **out,
                                   HolSimOptions *options, size_t room, HolError *err) {
    HolLoadOptions o = {.cache = NULL};
    HolModelText from = {.settings = settings, .n_settings = n_settings, .how = &o};
    hol_error_clear(err);
    if (out)
        *out = NULL;
    HolStatus status = how ? hol_sized_take(&o, sizeof o, how, "hol_load_options", err) : HOL_OK;
    from.folder = o.within;
    if (!status && o.cache)
        status = hol_modal_cache_folder(o.cache, err);
    return status ? status : load_text(&from, path, out, options, room, err);
}
