// SPDX-License-Identifier: Apache-2.0
// Reading a study. Every problem is said with its place; what is read is checked against the model
// by study_check.c.
#include "tools/sweep/study.h"
#include "base/sha256.h"
#include "base/text.h"
#include "io/result/read_result.h"
#include "io/yaml.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RUNS = 100000000 };

static const char *const study_keys[] = {"study", "model",    "vary",       "samples",
                                         "seed",  "sampling", "simulation", "record"};

HolStatus hol_study_wrong(const HolStudy *s, int line, int column, HolError *err,
                          const char *format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return hol_error_add(err, HOL_ERR_INPUT, s->file, line, column, "%s", text);
}

static HolStatus study_wrong_node(const HolStudy *s, const HolNode *at, HolError *err,
                                  const char *key, const char *want) {
    return hol_study_wrong(s, at->line, at->column, err, "%s must be %s, not %s", key, want,
                           hol_node_describe(at));
}

static int study_number(const HolNode *node, double *value) {
    return node && node->type == HOL_NODE_SCALAR && !node->quoted &&
           hol_text_number(node->text, node->length, value) && isfinite(*value);
}

// a whole number from `least` on
static HolStatus study_whole(const HolStudy *s, const HolNode *node, const char *key, double least,
                             double most, double *out, HolError *err) {
    if (!study_number(node, out))
        return study_wrong_node(s, node, err, key, "a whole number");
    if (*out != floor(*out) || *out < least || *out > most)
        return hol_study_wrong(s, node->line, node->column, err,
                               "%s must be a whole number from %g to %g, not %s", key, least, most,
                               node->text);
    return HOL_OK;
}

static HolStatus study_unknown_key(const HolStudy *s, const HolNode *key, const char *const *known,
                                   int n, const char *where, HolError *err) {
    const char *near = hol_nearest_word(key->text, known, n);
    return hol_study_wrong(s, key->line, key->column, err, "unknown key '%.60s' in %s%s%s%s",
                           key->text, where, near ? "; did you mean '" : "", near ? near : "",
                           near ? "'?" : "");
}

// ---- vary ----

// two numbers of {normal: [mean, deviation]}
static HolStatus study_pair(const HolStudy *s, const HolNode *list, const char *what, HolVary *v,
                            HolError *err) {
    if (list->type != HOL_NODE_LIST || list->n != 2 || !study_number(&list->values[0], &v->a) ||
        !study_number(&list->values[1], &v->b))
        return hol_study_wrong(s, list->line, list->column, err, "%s takes a list of two numbers",
                               what);
    if (v->kind == HOL_VARY_UNIFORM && !(v->a < v->b))
        return hol_study_wrong(s, list->line, list->column, err,
                               "uniform takes [from, to] with from < to");
    if (v->kind == HOL_VARY_NORMAL && !(v->b > 0))
        return hol_study_wrong(s, list->values[1].line, list->values[1].column, err,
                               "the standard deviation of normal must be positive");
    return HOL_OK;
}

static HolStatus study_range(HolStudy *s, const HolNode *map, HolVary *v, HolError *err) {
    double from = 0, to = 0, count = 0;
    const HolNode *nodes[3] = {hol_node_get(map, "from"), hol_node_get(map, "to"),
                               hol_node_get(map, "count")};
    for (int i = 0; i < 3; i++)
        if (!nodes[i])
            return hol_study_wrong(s, map->line, map->column, err,
                                   "'%s' is missing: a range is {from: 1, to: 2, count: 11}",
                                   i == 0   ? "from"
                                   : i == 1 ? "to"
                                            : "count");
    if (!study_number(nodes[0], &from))
        return study_wrong_node(s, nodes[0], err, "from", "a number");
    if (!study_number(nodes[1], &to))
        return study_wrong_node(s, nodes[1], err, "to", "a number");
    HolStatus status = study_whole(s, nodes[2], "count", 1, MOST_RUNS, &count, err);
    if (status)
        return status;
    v->n = (int)count;
    v->values = HOL_NEW(&s->arena, double, v->n);
    for (int i = 0; v->values && i < v->n; i++) // both ends exactly
        v->values[i] = i == 0          ? from
                       : i == v->n - 1 ? to
                                       : from + (to - from) * ((double)i / (v->n - 1));
    return v->values ? HOL_OK : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

static HolStatus study_list(HolStudy *s, const HolNode *list, HolVary *v, HolError *err) {
    if (list->n == 0)
        return hol_study_wrong(s, list->line, list->column, err, "the list of '%s' is empty",
                               v->key);
    v->n = list->n;
    v->values = HOL_NEW(&s->arena, double, v->n);
    if (!v->values)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolStatus status = HOL_OK;
    for (int i = 0; i < list->n; i++)
        if (!study_number(&list->values[i], &v->values[i]))
            status = study_wrong_node(s, &list->values[i], err, v->key, "a list of numbers");
    return status;
}

static HolStatus study_vary_one(HolStudy *s, const HolNode *key, const HolNode *value, HolVary *v,
                                HolError *err) {
    static const char *const known[] = {"from", "to", "count", "normal", "uniform"};
    *v = (HolVary){
        .key = hol_arena_text(&s->arena, key->text), .line = key->line, .column = key->column};
    double number;
    if (value->type == HOL_NODE_LIST)
        return study_list(s, value, v, err);
    if (value->type != HOL_NODE_MAP)
        return hol_study_wrong(
            s, value->line, value->column, err,
            "'%s' must be a list of numbers, {from: .., to: .., count: ..}, "
            "{normal: [mean, deviation]} or {uniform: [from, to]}%s",
            v->key, study_number(value, &number) ? "; a single value is a list of one: [1]" : "");
    HolStatus status = HOL_OK;
    for (int i = 0; i < value->n; i++) {
        int found = 0;
        for (int k = 0; k < 5; k++)
            found |= strcmp(known[k], value->keys[i].text) == 0;
        if (!found)
            status = study_unknown_key(s, &value->keys[i], known, 5, "an entry of 'vary'", err);
    }
    if (status)
        return status;
    const HolNode *normal = hol_node_get(value, "normal"),
                  *uniform = hol_node_get(value, "uniform");
    if ((normal || uniform) && value->n != 1)
        return hol_study_wrong(s, value->line, value->column, err,
                               "'%s' has more than one distribution", v->key);
    if (!normal && !uniform)
        return study_range(s, value, v, err);
    v->kind = normal ? HOL_VARY_NORMAL : HOL_VARY_UNIFORM;
    return study_pair(s, normal ? normal : uniform, normal ? "normal" : "uniform", v, err);
}

static HolStatus study_vary(HolStudy *s, const HolNode *map, HolError *err) {
    if (map->type != HOL_NODE_MAP)
        return study_wrong_node(s, map, err, "vary", "a map of parameters");
    s->n_vary = map->n;
    s->vary = HOL_NEW(&s->arena, HolVary, map->n + 1);
    if (!s->vary)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolStatus status = HOL_OK;
    for (int i = 0; i < map->n; i++) {
        HolStatus one = study_vary_one(s, &map->keys[i], &map->values[i], &s->vary[i], err);
        status = one ? one : status;
    }
    return status;
}

// ---- simulation: as settings ----

static HolStatus study_simulation(HolStudy *s, const HolNode *map, const char *prefix, int *room,
                                  HolError *err) {
    if (map->type != HOL_NODE_MAP)
        return study_wrong_node(s, map, err, "simulation", "a map of options");
    for (int i = 0; i < map->n; i++) {
        char key[200];
        const HolNode *value = &map->values[i];
        // 'method: {name: taylor}' is method=taylor
        if (strcmp(prefix, "method.") == 0 && strcmp(map->keys[i].text, "name") == 0)
            snprintf(key, sizeof key, "method");
        else
            snprintf(key, sizeof key, "%s%s", prefix, map->keys[i].text);
        if (value->type == HOL_NODE_MAP) {
            char deeper[204];
            snprintf(deeper, sizeof deeper, "%s.", key);
            HolStatus status = study_simulation(s, value, deeper, room, err);
            if (status)
                return status;
            continue;
        }
        if (value->type != HOL_NODE_SCALAR)
            return study_wrong_node(s, value, err, key, "a number or a word");
        if (!HOL_GROW(&s->arena, s->settings, s->n_settings, *room))
            return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        s->settings[s->n_settings++] =
            (HolSetting){hol_arena_text(&s->arena, key), hol_arena_text(&s->arena, value->text)};
    }
    return HOL_OK;
}

// ---- records ----

static HolStatus study_add_names(HolStudy *s, const char *text, HolError *err) {
    for (int at = 0, n; (n = hol_record_next_name(text, &at)) > 0; at += n) {
        int known = 0;
        for (int i = 0; i < s->n_names; i++)
            known |=
                (int)strlen(s->names[i]) == n && strncmp(s->names[i], text + at, (size_t)n) == 0;
        if (known)
            continue;
        if (!HOL_GROW(&s->arena, s->names, s->n_names, s->cap_names))
            return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        s->names[s->n_names++] = hol_arena_text_n(&s->arena, text + at, (size_t)n);
    }
    return HOL_OK;
}

static HolStatus study_record_one(HolStudy *s, const HolNode *key, const HolNode *value,
                                  HolRecordDef *d, HolError *err) {
    HolExprError wrong;
    if (value->type != HOL_NODE_SCALAR || hol_node_is_null(value))
        return study_wrong_node(s, value, err, key->text, "an expression such as max(rod.x)");
    *d = (HolRecordDef){.name = hol_arena_text(&s->arena, key->text),
                        .expression = hol_arena_text(&s->arena, value->text),
                        .line = value->line,
                        .column = value->column + value->quoted};
    if (!hol_record_split(&s->arena, d->expression, &d->text, &wrong))
        return s->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory")
                               : hol_study_wrong(s, d->line, d->column + wrong.column, err,
                                                 "%s: %s", d->name, wrong.text);
    if (d->text.n == 0)
        return hol_study_wrong(s, d->line, d->column, err,
                               "%s: nothing is taken of the run; write min, max, mean, rms, "
                               "integral, final or time_when around a quantity",
                               d->name);
    HolStatus status = HOL_OK;
    for (int k = 0; k < d->text.n && !status; k++)
        status = study_add_names(s, d->text.parts[k].text, err);
    return status;
}

static HolStatus study_records(HolStudy *s, const HolNode *map, HolError *err) {
    if (map->type != HOL_NODE_MAP || map->n == 0)
        return study_wrong_node(s, map, err, "record", "a map of names and expressions");
    s->n_records = map->n;
    s->records = HOL_NEW(&s->arena, HolRecordDef, map->n + 1);
    s->texts = HOL_NEW(&s->arena, HolRecordText, map->n + 1);
    if (!s->records || !s->texts)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    HolStatus status = HOL_OK;
    for (int i = 0; i < map->n; i++) {
        HolStatus one = study_record_one(s, &map->keys[i], &map->values[i], &s->records[i], err);
        status = one ? one : status;
        s->texts[i] = s->records[i].text;
    }
    return status;
}

// ---- the whole ----

static HolStatus study_counts(HolStudy *s, const HolNode *root, HolError *err) {
    const HolNode *samples = hol_node_get(root, "samples"), *seed = hol_node_get(root, "seed"),
                  *sampling = hol_node_get(root, "sampling");
    double value = 1, random_keys = 0, runs = 1;
    HolStatus status = HOL_OK;
    const HolVary *first = NULL;
    for (int i = 0; i < s->n_vary; i++) {
        random_keys += s->vary[i].kind != HOL_VARY_LIST;
        first = first || s->vary[i].kind == HOL_VARY_LIST ? first : &s->vary[i];
        runs *= s->vary[i].kind == HOL_VARY_LIST ? s->vary[i].n : 1;
    }
    if (samples)
        status = study_whole(s, samples, "samples", 1, MOST_RUNS, &value, err);
    else if (first)
        status =
            hol_study_wrong(s, first->line, first->column, err,
                            "'%s' is random, so 'samples' is needed: how many points", first->key);
    if (!status && samples && random_keys == 0)
        status = hol_study_wrong(s, samples->line, samples->column, err,
                                 "'samples' is for random entries, and 'vary' has none");
    s->samples = status ? 1 : (long)value;
    value = 1;
    if (!status && seed)
        status = study_whole(s, seed, "seed", 0, 9e15, &value, err);
    s->seed = (unsigned long)value;
    if (!status && sampling) {
        s->random = sampling->type == HOL_NODE_SCALAR && strcmp(sampling->text, "random") == 0;
        if (!s->random &&
            (sampling->type != HOL_NODE_SCALAR || strcmp(sampling->text, "latin") != 0))
            status = hol_study_wrong(s, sampling->line, sampling->column, err,
                                     "sampling must be latin or random");
    }
    if (!status && runs * (double)s->samples > MOST_RUNS)
        status = hol_study_wrong(s, 1, 1, err, "%.6g runs are too many (%d at most)",
                                 runs * (double)s->samples, MOST_RUNS);
    s->runs = (long)(runs * (double)s->samples);
    return status;
}

// the model stands beside the study
static HolStatus study_model_text(HolStudy *s, const HolNode *node, HolError *err) {
    if (node->type != HOL_NODE_SCALAR || hol_node_is_null(node))
        return study_wrong_node(s, node, err, "model", "the name of a model file");
    char path[PATH_MAX];
    const char *slash = strrchr(s->file, '/');
    if (node->text[0] == '/' || !slash || strcmp(s->file, "-") == 0)
        snprintf(path, sizeof path, "%s", node->text);
    else
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - s->file), s->file, node->text);
    s->model_file = hol_arena_text(&s->arena, path);
    s->model_text = hol_read_whole(&s->arena, path, &s->model_length);
    if (!s->model_text) {
        hol_study_wrong(s, node->line, node->column, err, "the model '%s' cannot be read: %s", path,
                        strerror(errno));
        return err->status = HOL_ERR_FILE;
    }
    return HOL_OK;
}

static HolStatus study_read(HolStudy *s, const HolNode *root, HolError *err) {
    const int n_keys = sizeof study_keys / sizeof *study_keys;
    const HolNode *node = hol_node_get(root, "study"), *model = hol_node_get(root, "model"),
                  *vary = hol_node_get(root, "vary"), *record = hol_node_get(root, "record"),
                  *simulation = hol_node_get(root, "simulation");
    HolStatus status = HOL_OK, one;
    int room = 0;
    for (int i = 0; i < root->n; i++) {
        int found = 0;
        for (int k = 0; k < n_keys; k++)
            found |= strcmp(study_keys[k], root->keys[i].text) == 0;
        if (!found)
            status = study_unknown_key(s, &root->keys[i], study_keys, n_keys, "a study", err);
    }
    if (!node || node->type != HOL_NODE_SCALAR || strcmp(node->text, "1") != 0)
        status = hol_study_wrong(s, node ? node->line : 1, node ? node->column : 1, err,
                                 "a study starts with 'study: 1'%s", node ? ", its format" : "");
    if (!model)
        status = hol_study_wrong(s, root->line, root->column, err, "'model' is missing");
    if (!record)
        status = hol_study_wrong(s, root->line, root->column, err,
                                 "'record' is missing: what is wanted of each run");
    if (vary && (one = study_vary(s, vary, err)))
        status = one;
    if (simulation && (one = study_simulation(s, simulation, "", &room, err)))
        status = one;
    if (record && (one = study_records(s, record, err)))
        status = one;
    if (!status)
        status = study_counts(s, root, err);
    if (model && (one = study_model_text(s, model, err)))
        status = one;
    return status;
}

HolStatus hol_study_load(const char *path, const char *cache, HolStudy *out, HolError *err) {
    *out = (HolStudy){.cache = cache};
    hol_error_clear(err);
    HolStudy *s = out;
    int problems = 0;
    s->file = hol_arena_text(&s->arena, path);
    s->text = s->file ? hol_read_whole(&s->arena, path, &s->length) : NULL;
    if (!s->text)
        return hol_error_set(err, HOL_ERR_FILE, "%s: error: cannot be read: %s", path,
                             strerror(errno));
    HolNode *root = hol_yaml_parse(&s->arena, s->text, s->length, path, NULL, &problems, err);
    if (!root || problems)
        return err->status ? err->status : HOL_ERR_INPUT;
    if (root->type != HOL_NODE_MAP)
        return study_wrong_node(s, root, err, "a study", "a map");
    HolStatus status = study_read(s, root, err);
    if (!status && !hol_study_sample(s))
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return status ? status : hol_study_check(s, err);
}

void hol_study_free(HolStudy *s) {
    hol_arena_free(&s->arena);
}
