// SPDX-License-Identifier: Apache-2.0
// Parameters (constants, in the order written) and tables (curves for interp).
#include "io/read.h"

#include <stdio.h>
#include <string.h>

static const char *const reserved[] = {"time",       "pi",   "ground", "energy",
                                       "constraint", "step", "if",     "interp"};

// a usable name for a parameter or table; NULL after a problem
static const char *read_key(HolReader *r, const HolNode *key, const char *word) {
    const char *name = hol_read_name(r, key, "name");
    for (size_t i = 0; name && i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0) {
            hol_read_problem(r, key, -1, "%s name '%s' is reserved: choose another", word, name);
            return NULL;
        }
    return name;
}

void hol_read_parameters(HolReader *r, const HolNode *map) {
    if (!hol_expect(r, map, HOL_NODE_MAP, "parameters"))
        return;
    snprintf(r->what, sizeof r->what, "parameters");
    r->parameter_map = map;
    for (int i = 0; i < map->n; i++) {
        double value = 1; // goes on after a problem, so that uses of the name are no problems too
        const char *name = read_key(r, &map->keys[i], "parameter");
        int ok = hol_read_number(r, &map->values[i], map->keys[i].text, &value);
        if (!name || hol_names_find(&r->parameters, name))
            continue;
        HolNameEntry *entry =
            hol_names_add(&r->parameters, r->arena, name, NULL, map->keys[i].line);
        if (entry)
            entry->value = value;
        if (ok && hol_model_add_parameter(r->model, name, value, r->err) != HOL_OK)
            r->problems++;
    }
    r->what[0] = 0;
}

// ---- tables -------------------------------------------------------------------------------

// column i of a table: {x: [..], y: [..]} or [[x, y], ..]
static int read_column(HolReader *r, const HolNode *list, const char *key, double *out) {
    int ok = 1;
    for (int i = 0; i < list->n; i++)
        ok &= hol_read_number(r, &list->values[i], key, &out[i]);
    return ok;
}

static int read_columns(HolReader *r, const HolNode *map, double **x, double **y, int *n) {
    static const char *const keys[] = {"x", "y"};
    const HolNode *columns[2] = {hol_node_get(map, "x"), hol_node_get(map, "y")};
    for (int i = 0; i < map->n; i++)
        if (strcmp(map->keys[i].text, "x") && strcmp(map->keys[i].text, "y"))
            hol_read_problem(r, &map->keys[i], -1, "unknown key '%.64s'%s", map->keys[i].text,
                             hol_read_hint(r, map->keys[i].text, keys, 2));
    for (int k = 0; k < 2; k++) {
        if (!columns[k]) {
            hol_read_problem(r, map, -1, "required key '%s' is missing", keys[k]);
            return 0;
        }
        if (!hol_expect(r, columns[k], HOL_NODE_LIST, keys[k]))
            return 0;
    }
    if (columns[0]->n != columns[1]->n) {
        hol_read_problem(r, columns[1], -1, "'y' must hold as many numbers as 'x' (%d), not %d",
                         columns[0]->n, columns[1]->n);
        return 0;
    }
    *n = columns[0]->n;
    *x = HOL_NEW(r->arena, double, *n + 1);
    *y = HOL_NEW(r->arena, double, *n + 1);
    if (!*x || !*y)
        return 0;
    int ok = read_column(r, columns[0], "x", *x);
    return read_column(r, columns[1], "y", *y) && ok;
}

static int read_pairs(HolReader *r, const HolNode *list, double **x, double **y, int *n) {
    int ok = 1;
    *n = list->n;
    *x = HOL_NEW(r->arena, double, *n + 1);
    *y = HOL_NEW(r->arena, double, *n + 1);
    for (int i = 0; *x && *y && i < *n; i++) {
        double pair[2] = {0};
        ok &= hol_read_numbers(r, &list->values[i], "point of the table", 2, 2, pair, NULL);
        (*x)[i] = pair[0];
        (*y)[i] = pair[1];
    }
    return ok && *x && *y;
}

static void read_table(HolReader *r, const HolNode *key, const HolNode *value) {
    double *x, *y;
    int n = 0, ok;
    const char *name = read_key(r, key, "table");
    snprintf(r->what, sizeof r->what, "table '%.64s'", key->text);
    if (value->type == HOL_NODE_MAP)
        ok = read_columns(r, value, &x, &y, &n);
    else
        ok = hol_expect(r, value, HOL_NODE_LIST, key->text) && read_pairs(r, value, &x, &y, &n);
    if (!ok || !name)
        return;
    if (n < 2) {
        hol_read_problem(r, value, -1, "a table needs at least two points, not %d", n);
        return;
    }
    for (int i = 1; i < n; i++)
        if (!(x[i] > x[i - 1])) {
            hol_read_problem(r, value, -1, "x must increase; entry %d does not", i + 1);
            return;
        }
    HolTableDef def = {name, x, y, n};
    if (hol_model_add_table(r->model, &def, r->err) != HOL_OK)
        r->problems++;
    else if (HOL_GROW(r->arena, r->tables, r->n_tables, r->tables_capacity))
        r->tables[r->n_tables++] = (HolExprTable){name, x, y, n};
}

void hol_read_tables(HolReader *r, const HolNode *map) {
    if (hol_expect(r, map, HOL_NODE_MAP, "tables"))
        for (int i = 0; i < map->n; i++)
            read_table(r, &map->keys[i], &map->values[i]);
    r->what[0] = 0;
}
