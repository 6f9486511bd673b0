// SPDX-License-Identifier: Apache-2.0
// Published numbers from a CSV file: lines of # tell the source, then the names of the columns,
// then numbers; the first column is the time, an empty cell is a number that was not published.
// With `list TIME` the file has lines INDEX,NAME,VALUE: one row of all names at that time.
#include "scoreboard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 64 };

// cuts the line at commas, quotes removed
static int reference_split(char *line, char *cells[CELLS]) {
    int n = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *p = line; p && n < CELLS; n++) {
        char *comma = strchr(p, ',');
        if (comma)
            *comma = 0;
        const size_t length = strlen(p);
        if (length >= 2 && p[0] == '"' && p[length - 1] == '"') {
            p[length - 1] = 0;
            p++;
        }
        cells[n] = p;
        p = comma ? comma + 1 : NULL;
    }
    return n;
}

static double reference_number(const char *cell) {
    char *end;
    const double x = strtod(cell, &end);
    return end == cell ? NAN : x;
}

static int reference_name(SbReference *r, const char *name) {
    char(*names)[SB_NAME] = realloc(r->names, ((size_t)r->columns + 1) * sizeof *names);
    if (!names)
        return 0;
    r->names = names;
    snprintf(names[r->columns++], SB_NAME, "%s", name);
    return 1;
}

static int reference_values(SbReference *r, const double *x, int n, int at) {
    double *values = realloc(r->values, ((size_t)at + (size_t)n) * sizeof *values);
    if (!values)
        return 0;
    r->values = values;
    memcpy(values + at, x, (size_t)n * sizeof *x);
    return 1;
}

// lines INDEX,NAME,VALUE
static int reference_list_line(SbReference *r, const SbProblem *p, char **cells, int n) {
    if (n != 3)
        return 0;
    if (!r->columns && (!reference_name(r, "time") || !reference_values(r, &p->list, 1, 0)))
        return 0;
    const double x = reference_number(cells[2]);
    r->rows = 1;
    return !strcmp(cells[1], "variable") ||
           (reference_values(r, &x, 1, r->columns) && reference_name(r, cells[1]));
}

static int reference_line(SbReference *r, const SbProblem *p, char **cells, int n) {
    double x[CELLS];
    if (!r->columns) {
        for (int i = 0; i < n; i++)
            if (!reference_name(r, cells[i]))
                return 0;
        return 1;
    }
    if (n != r->columns)
        return 0;
    for (int i = 0; i < n; i++)
        x[i] = reference_number(cells[i]);
    if (p->until > 0 && x[0] > p->until)
        return 1;
    return reference_values(r, x, n, n * r->rows++);
}

int sb_reference_read(const char *root, const SbProblem *p, SbReference *out, HolError *err) {
    char path[2 * SB_TEXT], line[4096], *cells[CELLS];
    int ok = 1, number = 0;
    memset(out, 0, sizeof *out);
    snprintf(path, sizeof path, "%s/%s", root, p->reference);
    FILE *f = fopen(path, "r");
    if (!f) {
        snprintf(err->text, sizeof err->text, "%s: cannot be read", path);
        return 0;
    }
    while (ok && fgets(line, sizeof line, f)) {
        number++;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        const int n = reference_split(line, cells);
        ok = p->list > 0 ? reference_list_line(out, p, cells, n) : reference_line(out, p, cells, n);
    }
    fclose(f);
    if (ok && out->rows)
        return 1;
    snprintf(err->text, sizeof err->text, "%s:%d: %s", path, number,
             ok ? "no rows" : "not as many cells as columns");
    sb_reference_free(out);
    return 0;
}

void sb_reference_free(SbReference *r) {
    free(r->names);
    free(r->values);
    memset(r, 0, sizeof *r);
}

int sb_reference_column(const SbReference *r, const char *name) {
    for (int i = 0; i < r->columns; i++)
        if (!strcmp(r->names[i], name))
            return i;
    return -1;
}
