// SPDX-License-Identifier: Apache-2.0
// The set of mechanisms (test/accuracy/NAME.txt: a line each, `name path [end=..] [apart] [slow]`)
// and their references (CSV files with a head that says how they were made).
#include "accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"x y z", "angle", "qw qx qy qz", "vx vy vz", "omega wx wy wz"};

int acc_kind(const char *column) {
    const char *dot = strrchr(column, '.');
    if (!dot)
        return -1;
    const size_t length = strlen(dot + 1);
    for (int k = 0; k < 5; k++)
        for (const char *p = kinds[k]; *p; p += strcspn(p, " "), p += *p == ' ')
            if (strcspn(p, " ") == length && !strncmp(p, dot + 1, length))
                return k;
    return -1;
}

int acc_split(char *text, char **parts, int most) {
    int n = 0;
    for (char *p = strtok(text, ",\r\n"); p && n < most; p = strtok(NULL, ",\r\n"))
        parts[n++] = p;
    return n;
}

// ---- the set ----

static int read_line(const char *root, char *line, AccMechanism *m) {
    char *hash = strchr(line, '#');
    if (hash)
        *hash = 0;
    char *name = strtok(line, " \t\r\n"), *path = strtok(NULL, " \t\r\n");
    if (!name || !path)
        return 0;
    memset(m, 0, sizeof *m);
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(m->path, sizeof m->path, "%s/%s", root, path);
    for (char *p; (p = strtok(NULL, " \t\r\n"));) {
        if (!strncmp(p, "end=", 4))
            snprintf(m->end, sizeof m->end, "%s", p + 4);
        m->apart |= !strcmp(p, "apart");
        m->slow |= !strcmp(p, "slow");
    }
    return 1;
}

int acc_set_read(const char *root, const char *name, AccSet *set) {
    memset(set, 0, sizeof *set);
    snprintf(set->folder, sizeof set->folder, "%s/test/accuracy/ref%s", root,
             strcmp(name, "models") == 0 ? "/models" : "");
    char path[ACC_PATH], line[1024];
    snprintf(path, sizeof path, "%s/test/accuracy/%s.txt", root, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    AccMechanism m;
    while (fgets(line, sizeof line, file)) {
        if (!read_line(root, line, &m))
            continue;
        AccMechanism *items = realloc(set->items, (size_t)(set->n + 1) * sizeof m);
        if (!items)
            break;
        set->items = items;
        set->items[set->n++] = m;
    }
    fclose(file);
    return set->n > 0;
}

void acc_set_free(AccSet *set) {
    free(set->items);
    memset(set, 0, sizeof *set);
}

// ---- references ----

static void reference_path(const AccSet *set, const AccMechanism *m, char *path, size_t size) {
    snprintf(path, size, "%s/%s.csv", set->folder, m->name);
}

static void read_head(const char *line, AccReference *r) {
    sscanf(line, "# amplification: %lf", &r->amplification);
    sscanf(line, "# agreement: %lf by %159[^\n]", &r->agreement, r->made);
}

static void read_names(char *line, AccReference *r) {
    for (char *p = strtok(line, ",\r\n"); p; p = strtok(NULL, ",\r\n")) {
        if (!strcmp(p, "time"))
            continue;
        r->names = realloc(r->names, (size_t)(r->columns + 1) * sizeof *r->names);
        snprintf(r->names[r->columns++], ACC_NAME, "%s", p);
    }
}

static void read_row(char *line, AccReference *r) {
    const int n = r->columns;
    r->time = realloc(r->time, (size_t)(r->rows + 1) * sizeof(double));
    r->values = realloc(r->values, (size_t)(r->rows + 1) * (size_t)n * sizeof(double));
    char *end = line;
    r->time[r->rows] = strtod(line, &end);
    for (int c = 0; c < n; c++)
        r->values[r->rows * n + c] = *end == ',' ? strtod(end + 1, &end) : NAN;
    r->rows++;
}

int acc_reference_read(const AccSet *set, const AccMechanism *m, AccReference *r) {
    char path[ACC_PATH + ACC_NAME + 8];
    memset(r, 0, sizeof *r);
    reference_path(set, m, path, sizeof path);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const size_t size = 1 << 16;
    char *line = malloc(size);
    while (line && fgets(line, (int)size, file)) {
        if (line[0] == '#')
            read_head(line, r);
        else if (!r->columns)
            read_names(line, r);
        else
            read_row(line, r);
    }
    free(line);
    fclose(file);
    if (r->rows > 0)
        acc_reference_sizes(r);
    return r->rows > 0 && r->columns > 0;
}

int acc_reference_write(const AccSet *set, const AccMechanism *m, const AccReference *r) {
    char path[ACC_PATH + ACC_NAME + 8];
    reference_path(set, m, path, sizeof path);
    FILE *file = fopen(path, "w");
    if (!file)
        return 0;
    fprintf(file, "# agreement: %.1e by %s\n# amplification: %.3g\ntime", r->agreement, r->made,
            r->amplification);
    for (int c = 0; c < r->columns; c++)
        fprintf(file, ",%s", r->names[c]);
    for (int i = 0; i < r->rows; i++) {
        fprintf(file, "\n%.17g", r->time[i]);
        for (int c = 0; c < r->columns; c++)
            fprintf(file, ",%.15g", r->values[i * r->columns + c]);
    }
    fprintf(file, "\n");
    return fclose(file) == 0;
}

void acc_reference_free(AccReference *r) {
    free(r->time);
    free(r->names);
    free(r->values);
    free(r->size);
    memset(r, 0, sizeof *r);
}

// ---- sizes and errors ----

// below that a kind of columns does not move at all: L = largest position, V = largest speed
static void still(const double largest[5], double duration, double least[5]) {
    least[0] = 1e-9 * largest[3] * duration;
    least[1] = 1e-9;
    least[2] = 0;
    least[3] = 1e-9 * largest[0] / duration;
    least[4] = 1e-9 / duration;
}

void acc_reference_sizes(AccReference *r) {
    double largest[5] = {0}, least[5];
    const int n = r->columns;
    r->size = realloc(r->size, (size_t)n * sizeof(double));
    for (int c = 0; c < n; c++) {
        r->size[c] = 0;
        for (int i = 0; i < r->rows; i++)
            r->size[c] = fmax(r->size[c], fabs(r->values[i * n + c]));
        double *of_kind = &largest[acc_kind(r->names[c])];
        *of_kind = fmax(*of_kind, r->size[c]);
    }
    still(largest, r->time[r->rows - 1], least);
    for (int c = 0; c < n; c++) {
        const int kind = acc_kind(r->names[c]);
        // (what stands still: SI units are as good as any)
        r->size[c] = largest[kind] > least[kind] ? fmax(r->size[c], 1e-3 * largest[kind]) : 1;
    }
}

// +1 or -1: a quaternion and its negative are the same orientation
static double sign_of(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
}

double acc_error(const AccReference *r, const double *values, int *column, int *row) {
    double worst = 0;
    const int n = r->columns;
    for (int i = 0; i < r->rows; i++) {
        double sign = 1;
        for (int c = 0; c < n; c++) {
            const double *x = values + i * n + c, *y = r->values + i * n + c;
            const int kind = acc_kind(r->names[c]);
            if (kind != 2)
                sign = 1;
            else if (!strcmp(strrchr(r->names[c], '.'), ".qw"))
                sign = sign_of(x, y);
            const double e = fabs(sign * *x - *y) / r->size[c];
            if (e <= worst) // (no number is the worst of all)
                continue;
            worst = e == e ? e : INFINITY;
            if (column)
                *column = c;
            if (row)
                *row = i;
        }
    }
    return worst;
}
