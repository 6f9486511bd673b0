// SPDX-License-Identifier: Apache-2.0
// Tables (curves for interp): points written in the model, or columns of a file beside it.
#include "io/csv.h"
#include "io/model/read.h"
#include "io/result/read_result.h"

#include "model/fields.h"
#include "model/model.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct TableTarget {
    HolTableDef def;           // first: the field table's offsets count from here
    const HolNode *columns[2]; // x, y: lists, or names of columns
    const HolNode *file;
} TableTarget;

// ---- points in the model ----

static int read_list(HolReader *r, const HolNode *list, const char *key, double **out) {
    int ok = 1;
    *out = HOL_NEW(r->arena, double, list->n + 1);
    for (int i = 0; *out && i < list->n; i++)
        ok &= hol_read_number(r, &list->values[i], key, &(*out)[i]);
    return ok && *out;
}

static int read_table_read_lists(HolReader *r, TableTarget *t) {
    const HolNode *const *c = t->columns;
    double *x, *y;
    if (!hol_expect(r, c[0], HOL_NODE_LIST, "x") || !hol_expect(r, c[1], HOL_NODE_LIST, "y"))
        return 0;
    if (c[0]->n != c[1]->n) {
        hol_read_problem(r, c[1], -1, "'y' must hold as many numbers as 'x' (%d), not %d", c[0]->n,
                         c[1]->n);
        return 0;
    }
    int ok = read_list(r, c[0], "x", &x);
    ok &= read_list(r, c[1], "y", &y);
    t->def.x = x;
    t->def.y = y;
    t->def.n = c[0]->n;
    return ok;
}

// [[x, y], ..]
static int read_pairs(HolReader *r, const HolNode *list, HolTableDef *def) {
    double *x = HOL_NEW(r->arena, double, list->n + 1), *y = HOL_NEW(r->arena, double, list->n + 1);
    int ok = x && y;
    for (int i = 0; x && y && i < list->n; i++) {
        double pair[2] = {0};
        ok &= hol_read_numbers(r, &list->values[i], "point of the table", 2, 2, pair, NULL);
        x[i] = pair[0];
        y[i] = pair[1];
    }
    def->x = x;
    def->y = y;
    def->n = list->n;
    return ok;
}

// ---- columns of a file ----

static const double *read_table_find_column(HolReader *r, const HolCsv *csv, const TableTarget *t,
                                            const char *key, const char *file) {
    const HolNode *name = t->columns[key[0] == 'y'];
    const char *text = hol_read_text(r, name, key);
    HolError error = {0};
    int found = 0, at = -1;
    for (int i = 0; text && i < csv->n_columns; i++)
        if (strcmp(csv->names[i], text) == 0) {
            found++;
            at = i;
        }
    if (found == 1 && hol_csv_check(csv, at, 1, file, &error) == HOL_OK)
        return csv->values[at];
    if (found == 1)
        hol_read_problem(r, t->file, -1, "%s", error.text);
    else if (found)
        hol_read_problem(r, name, -1, "'%s': the file has %d columns '%.64s'", key, found, text);
    else if (text)
        hol_read_problem(r, name, -1, "'%s': the file has no column '%.64s'%s", key, text,
                         hol_read_hint(r, text, csv->names, csv->n_columns));
    return NULL;
}

static int read_table_read_file(HolReader *r, TableTarget *t) {
    const char *file = hol_read_text(r, t->file, "file");
    size_t length = 0;
    HolError error = {0};
    HolCsv csv;
    if (!file)
        return 0;
    char *text = hol_read_file(r, file, &length);
    if (!text) {
        hol_read_problem(r, t->file, -1, "cannot read '%.200s': %s", file, strerror(errno));
        return 0;
    }
    if (hol_csv_parse(r->arena, text, length, file, &csv, &error) != HOL_OK || csv.rows > INT_MAX ||
        csv.cut) {
        hol_read_problem(r, t->file, -1, "%s",
                         error.text[0] ? error.text
                         : csv.cut     ? "the last line of the file is cut off"
                                       : "the file is too long");
        return 0;
    }
    if (csv.n_columns == 1 && (!*csv.names[0] || strpbrk(csv.names[0], ";\t"))) {
        hol_read_problem(r, t->file, -1, "cannot read %.200s: %s", file,
                         *csv.names[0] ? "it has one column only: separate columns by commas, and "
                                         "write numbers with points"
                                       : "its first line should have the names of the columns");
        return 0;
    }
    t->def.x = read_table_find_column(r, &csv, t, "x", file);
    t->def.y = read_table_find_column(r, &csv, t, "y", file);
    t->def.n = (int)csv.rows;
    for (int i = 1; t->def.x && t->def.y && i < t->def.n; i++)
        if (!(t->def.x[i] > t->def.x[i - 1])) {
            hol_read_problem(r, t->file, -1,
                             "cannot read %.200s: line %ld: x must increase, and %.9g does not",
                             file, csv.lines[i], t->def.x[i]);
            return 0;
        }
    return t->def.x && t->def.y;
}

// ---- one table ----

static void take_node(HolReader *r, const HolField *f, const HolNode *node, void *object) {
    TableTarget *t = object;
    (void)r;
    *(strcmp(f->key, "file") == 0 ? &t->file : &t->columns[f->key[0] == 'y']) = node;
}

static int read_map(HolReader *r, const HolNode *map, TableTarget *t) {
    static const HolMapReader how = {.table = hol_table_fields, .own = take_node};
    const int before = r->problems;
    hol_read_map(r, map, &how, t);
    if (r->problems > before || !t->columns[0] || !t->columns[1])
        return 0;
    return t->file ? read_table_read_file(r, t) : read_table_read_lists(r, t);
}

// the points make a curve; 1 ok
static int check_points(HolReader *r, const HolNode *node, const HolTableDef *def) {
    if (def->n < 2) {
        hol_read_problem(r, node, -1, "a table needs at least two points, not %d", def->n);
        return 0;
    }
    for (int i = 1; i < def->n; i++)
        if (!(def->x[i] > def->x[i - 1])) {
            hol_read_problem(r, node, -1, "x must increase; entry %d (%.9g) does not", i + 1,
                             def->x[i]);
            return 0;
        }
    return 1;
}

static void read_table(HolReader *r, const HolNode *key, const HolNode *value) {
    TableTarget t = {.def = hol_table_def()};
    t.def.line = value->line;
    t.def.column = value->column;
    t.def.name = hol_read_free_name(r, key, "table");
    snprintf(r->what, sizeof r->what, "table '%.64s'", key->text);
    int ok = value->type == HOL_NODE_MAP
                 ? read_map(r, value, &t)
                 : hol_expect(r, value, HOL_NODE_LIST, key->text) && read_pairs(r, value, &t.def);
    if (!t.def.name)
        return;
    if (!ok || !check_points(r, value, &t.def)) { // its name is known all the same
        static const double none[2] = {0, 1};
        t.def.x = t.def.y = none;
        t.def.n = 2;
        t.def.outside = HOL_OUTSIDE_HOLD;
    }
    if (hol_add_table(r->model, &t.def, r->err) != HOL_OK)
        r->problems++;
    else if (HOL_GROW(r->arena, r->tables, r->n_tables, r->tables_capacity))
        r->tables[r->n_tables++] = t.def;
}

void hol_read_tables(HolReader *r, const HolNode *map) {
    if (hol_expect(r, map, HOL_NODE_MAP, "tables"))
        for (int i = 0; i < map->n; i++)
            read_table(r, &map->keys[i], &map->values[i]);
    r->what[0] = 0;
}
