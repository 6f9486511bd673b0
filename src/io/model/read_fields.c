// SPDX-License-Identifier: Apache-2.0
// Maps by their field tables: each key is looked up, its value read by the reader of its type and
// put at its offset. Unknown, misplaced and missing keys are problems.
#include "io/model/read.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef void FieldReader(HolReader *r, const HolField *f, const HolNode *node, char *object);

// ---- one reader a type --------------------------------------------------------------------

static void read_fields_put_text(const HolField *f, char *object, const char *text) {
    *(const char **)(void *)(object + f->offset) = text;
}

static void put_int(char *at, int value) {
    *(int *)(void *)at = value;
}

// the word must be in the field's list; 0 after a problem
static int find_word(HolReader *r, const HolField *f, const HolNode *node, int *value) {
    const char *text = hol_read_text(r, node, f->key);
    if (!text)
        return 0;
    if (hol_word_value(f->words, text, value))
        return 1;
    const char *list[32];
    int n = 0;
    for (const HolWord *w = f->words; w->name && n < 32; w++)
        list[n++] = w->name;
    hol_read_problem(r, node, -1, "'%s': unknown word '%.64s'%s", f->key, text,
                     hol_read_hint(r, text, list, n));
    return 0;
}

static void read_name(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    const char *text = hol_read_name(r, node, f->key);
    if (text)
        read_fields_put_text(f, object, text);
}

static void read_fields_read_text(HolReader *r, const HolField *f, const HolNode *node,
                                  char *object) {
    int value;
    const char *text = hol_read_text(r, node, f->key);
    if (text && f->names == HOL_NAMES_FILE && !hol_read_allows(r, text))
        hol_read_problem(r, node, -1, "'%s': '%.200s' lies outside the folder of the model", f->key,
                         text);
    else if (text && (!f->words || find_word(r, f, node, &value)))
        read_fields_put_text(f, object, text);
}

static void read_word(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    int value;
    const char *text = hol_read_text(r, node, f->key);
    if (!text || (f->words && !find_word(r, f, node, &value)))
        return;
    if (node->length >= f->size)
        hol_read_problem(r, node, -1, "'%s' is longer than %d characters", f->key,
                         (int)f->size - 1);
    else
        snprintf(object + f->offset, f->size, "%s", text);
}

static void read_choice(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    int value;
    if (find_word(r, f, node, &value))
        put_int(object + f->offset, value);
}

static void read_flags(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    int value = 0, all = 0;
    if (node->type == HOL_NODE_SCALAR) {
        if (find_word(r, f, node, &all))
            put_int(object + f->offset, all);
        return;
    }
    if (!hol_expect(r, node, HOL_NODE_LIST, f->key))
        return;
    for (int i = 0; i < node->n; i++)
        if (find_word(r, f, &node->values[i], &value))
            all |= value;
    put_int(object + f->offset, all);
}

static void read_switch(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    static const HolWord words[] = {{"false", 0, NULL},
                                    {"true", 1, NULL},
                                    {"no", 0, NULL},
                                    {"yes", 1, NULL},
                                    {"0", 0, NULL},
                                    {"1", 1, NULL},
                                    {0}};
    HolField with_words = *f;
    with_words.words = words;
    read_choice(r, &with_words, node, object);
}

// a number in the field's range; the field's words are names for values
static int read_checked(HolReader *r, const HolField *f, const HolNode *node, double *value) {
    char why[96];
    int word;
    if (node->type == HOL_NODE_SCALAR && hol_word_value(f->words, node->text, &word)) {
        *value = word;
        return 1;
    }
    if (!hol_read_number(r, node, f->key, value))
        return 0;
    if (hol_field_in_range(f, *value, why, sizeof why))
        return 1;
    hol_read_problem(r, node, -1, "'%s' is %.60s; it %s", f->key, node->text, why);
    return 0;
}

static void read_number(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    double value;
    if (read_checked(r, f, node, &value))
        *(double *)(void *)(object + f->offset) = value;
}

static int read_fields_read_whole(HolReader *r, const HolField *f, const HolNode *node, double most,
                                  double *value) {
    if (!read_checked(r, f, node, value))
        return 0;
    if (*value == floor(*value) && fabs(*value) <= most)
        return 1;
    hol_read_problem(r, node, -1, "'%s' must be a whole number, not %.60s", f->key, node->text);
    return 0;
}

static void read_integer(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    double value;
    if (read_fields_read_whole(r, f, node, 2e9, &value))
        put_int(object + f->offset, (int)value);
}

static void read_long(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    double value;
    if (read_fields_read_whole(r, f, node, 9e15, &value))
        *(long *)(void *)(object + f->offset) = (long)value;
}

// directions ("axis", "x") must not vanish; offset2 notes that the vector was given
static void read_vector(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    int low, high;
    double *out = (double *)(void *)(object + f->offset);
    hol_field_lengths(f->length, r->dimensions, &low, &high);
    const int direction = strcmp(f->key, "axis") == 0 || strcmp(f->key, "x") == 0;
    int ok = direction ? hol_read_direction(r, node, f->key, out)
                       : hol_read_numbers(r, node, f->key, low, high, out, NULL);
    if (ok && f->offset2)
        put_int(object + f->offset2, 1);
}

static void read_numbers(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    if (!hol_expect(r, node, HOL_NODE_LIST, f->key))
        return;
    double *list = HOL_NEW(r->arena, double, node->n + 1);
    int ok = list != NULL;
    for (int i = 0; list && i < node->n; i++)
        ok &= read_checked(r, f, &node->values[i], &list[i]);
    if (!ok)
        return;
    *(const double **)(void *)(object + f->offset) = list;
    put_int(object + f->offset2, node->n);
}

static void read_expression(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    const char *text = hol_read_expression(r, node, f->key);
    if (text)
        read_fields_put_text(f, object, text);
}

static void read_expressions(HolReader *r, const HolField *f, const HolNode *node, char *object) {
    int low, high, n = 1, ok = 1;
    const char **out = (const char **)(void *)(object + f->offset);
    const HolNode *items = node;
    hol_field_lengths(f->length, r->dimensions, &low, &high);
    if (node->type == HOL_NODE_LIST) {
        items = node->values;
        n = node->n;
    }
    if (n != low && n != high) {
        hol_read_problem(r, node, -1, "'%s' must hold %d%s%.0d expressions, not %d", f->key, low,
                         low == high ? "" : " or ", low == high ? 0 : high, n);
        return;
    }
    for (int i = 0; i < n; i++) {
        const char *text = hol_read_expression(r, &items[i], f->key);
        ok &= text != NULL;
        out[i] = text;
    }
    put_int(object + f->offset2, ok ? n : 0);
}

static FieldReader *const readers[HOL_FIELD_TYPE_COUNT] = {
    [HOL_FIELD_NAME] = read_name,
    [HOL_FIELD_TEXT] = read_fields_read_text,
    [HOL_FIELD_KIND] = read_fields_read_text,
    [HOL_FIELD_WORD] = read_word,
    [HOL_FIELD_CHOICE] = read_choice,
    [HOL_FIELD_FLAGS] = read_flags,
    [HOL_FIELD_SWITCH] = read_switch,
    [HOL_FIELD_NUMBER] = read_number,
    [HOL_FIELD_INTEGER] = read_integer,
    [HOL_FIELD_LONG] = read_long,
    [HOL_FIELD_VECTOR] = read_vector,
    [HOL_FIELD_NUMBERS] = read_numbers,
    [HOL_FIELD_EXPRESSION] = read_expression,
    [HOL_FIELD_EXPRESSIONS] = read_expressions,
    [HOL_FIELD_OWN] = NULL, // the section's own function
};

// ---- maps ---------------------------------------------------------------------------------

// keys that this map may have: those of the table, limited to the kind and the space
static int read_fields_allowed(const HolReader *r, const HolMapReader *how, const HolField *f) {
    int space = r->space == HOL_PLANAR ? 1 : 2;
    if (f->spaces && !(f->spaces & space))
        return 0;
    if (!how->kind || strcmp(f->key, "name") == 0 || strcmp(f->key, "type") == 0)
        return 1;
    return hol_kind_takes(how->kind, f->key);
}

static void report_key(HolReader *r, const HolMapReader *how, const HolNode *key,
                       const HolField *f) {
    const char *list[64];
    int n = 0;
    for (const HolField *g = how->table; g->key && n < 64; g++) {
        if (read_fields_allowed(r, how, g) && !(how->more && hol_field_find(how->more, g->key)))
            list[n++] = g->key;
        for (const HolField *own = how->more; own && own->key && g == how->table && n < 64; own++)
            list[n++] = own->key; // behind the name
    }
    const char *hint = hol_read_hint(r, key->text, list, n);
    if (f && f->spaces && !(f->spaces & (r->space == HOL_PLANAR ? 1 : 2)))
        hol_read_problem(r, key, -1, "key '%s' exists in %s models only%s", key->text,
                         f->spaces == 1 ? "planar" : "spatial", hint);
    else if (f && how->kind)
        hol_read_problem(r, key, -1, "a %s of type '%s' has no key '%s'%s", how->kind_word,
                         how->kind->name, key->text, hint);
    else if (strchr(key->text, ':'))
        hol_read_problem(r, key, -1, "unknown key '%.64s'; is a space missing after the colon?",
                         key->text);
    else
        hol_read_problem(r, key, -1, "unknown key '%.64s'%s", key->text, hint);
}

static void read_entry(HolReader *r, const HolNode *map, int i, const HolMapReader *how,
                       void *object) {
    const HolField *f = how->more ? hol_field_find(how->more, map->keys[i].text) : NULL;
    if (!f)
        f = hol_field_find(how->table, map->keys[i].text);
    if (!f || !read_fields_allowed(r, how, f))
        report_key(r, how, &map->keys[i], f);
    else if (hol_node_is_null(&map->values[i]))
        hol_read_problem(r, &map->keys[i], -1, "'%s' has no value", f->key);
    else {
        const char *outside = r->unit;
        r->unit = f->unit;
        if (f->type == HOL_FIELD_OWN)
            how->own(r, f, &map->values[i], object);
        else
            readers[f->type](r, f, &map->values[i], object);
        r->unit = outside;
    }
}

// what was wrong with the type has been said
static int is_wrong_type(const HolMapReader *how, const char *key) {
    return how->any_kind && strcmp(key, "type") == 0;
}

void hol_read_map(HolReader *r, const HolNode *map, const HolMapReader *how, void *object) {
    for (int i = 0; i < map->n; i++) {
        int before = r->problems;
        if (!is_wrong_type(how, map->keys[i].text))
            read_entry(r, map, i, how, object);
        map->values[i].bad = r->problems > before;
    }
    for (const HolField *f = how->table; f->key; f++)
        if (f->required && read_fields_allowed(r, how, f) && hol_node_find(map, f->key) < 0 &&
            !is_wrong_type(how, f->key))
            hol_read_problem(r, map, -1, "required key '%s' is missing%s%s%s", f->key,
                             f->help ? " (" : "", f->help ? f->help : "", f->help ? ")" : "");
}

const HolKind *hol_read_kind(HolReader *r, const HolNode *map, const HolKind *const *list,
                             const char *word) {
    const HolNode *type = hol_node_get(map, "type");
    const char *names[64];
    int n = 0, space = r->space == HOL_PLANAR ? HOL_IN_PLANE : HOL_IN_SPACE;
    for (const HolKind *const *k = list; *k && n < 64; k++)
        if ((*k)->spaces & space)
            names[n++] = (*k)->name;
    if (!type) {
        hol_read_problem(r, map, -1, "required key 'type' is missing%s",
                         hol_read_hint(r, "", names, n));
        return NULL;
    }
    const char *text = hol_read_text(r, type, "type");
    if (!text)
        return NULL;
    const HolKind *kind = hol_kind_find(list, text);
    if (kind && (kind->spaces & space))
        return kind;
    if (kind) {
        hol_read_problem(r, type, -1, "%s type '%s' exists in %s models only%s", word, text,
                         space == HOL_IN_PLANE ? "spatial" : "planar",
                         hol_read_hint(r, text, names, n));
        return NULL;
    }
    hol_read_problem(r, type, -1, "unknown %s type '%.64s'%s", word, text,
                     hol_read_hint(r, text, names, n));
    return NULL;
}
