// SPDX-License-Identifier: Apache-2.0
// Numbers of a JSON file by their path, "results/corrected/force": reference values of tests.
#ifndef TEST_JSON_VALUES_H
#define TEST_JSON_VALUES_H

#include "io/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct JsonFile {
    HolArena arena;
    const HolNode *root;
} JsonFile;

static inline JsonFile json_open(const char *path) {
    JsonFile f = {0};
    HolError err = {0};
    int problems = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        fail_msg("%s cannot be read", path);
    char *text = hol_arena_alloc(&f.arena, 1 << 20);
    const size_t n = fread(text, 1, 1 << 20, stream);
    fclose(stream);
    f.root = hol_yaml_parse(&f.arena, text, n, path, NULL, &problems, &err);
    if (!f.root)
        fail_msg("%s", err.text);
    return f;
}

static inline void json_close(JsonFile *f) {
    hol_arena_free(&f->arena);
}

// the node at the path; a part of it may be the number of an entry
static inline const HolNode *json_node(const JsonFile *f, const char *path) {
    const HolNode *node = f->root;
    char part[80];
    for (const char *at = path; node && *at;) {
        const size_t n = strcspn(at, "/");
        snprintf(part, sizeof part, "%.*s", (int)n, at);
        node = node->type == HOL_NODE_LIST ? &node->values[atoi(part)] : hol_node_get(node, part);
        at += n + (at[n] == '/');
    }
    if (!node)
        fail_msg("there is no %s", path);
    return node;
}

// all numbers below the node, one after the other; their count
static inline int json_fill(const HolNode *node, double *out, int most) {
    int n = 0;
    if (node->type == HOL_NODE_SCALAR) {
        assert_true(most > 0);
        out[0] = strtod(node->text, NULL);
        return 1;
    }
    for (int i = 0; i < node->n; i++)
        n += json_fill(&node->values[i], out + n, most - n);
    return n;
}

static inline int json_numbers(const JsonFile *f, const char *path, double *out, int most) {
    return json_fill(json_node(f, path), out, most);
}

static inline double json_number(const JsonFile *f, const char *path) {
    double x;
    assert_int_equal(json_numbers(f, path, &x, 1), 1);
    return x;
}

#endif
