// SPDX-License-Identifier: Apache-2.0
// Help for tests against reference data: read a CSV table (# lines, a header row, numbers; a blank
// cell is NAN), run a model of models/ with the public API, look up result columns by name, and
// keep the largest deviation with the time it was seen at.
#ifndef HOL_TEST_REF_COMPARE_H
#define HOL_TEST_REF_COMPARE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <holonom/holonom.h>

// ---- files of the source tree ----

// `name` below the source folder: the one CMake says, or the folder above this file
static inline void ref_path(const char *name, char *out, size_t size) {
#ifdef HOL_SOURCE_DIR
    snprintf(out, size, "%s/%s", HOL_SOURCE_DIR, name);
#else
    const char *here = __FILE__, *end = strstr(here, "test/support/ref_compare.h");
    snprintf(out, size, "%.*s%s", end ? (int)(end - here) : 0, here, name);
#endif
}

// ---- reference tables ----

enum { REF_COLUMNS = 40, REF_LINE = 4096 };

typedef struct RefTable {
    char names[REF_COLUMNS][64];
    int n_columns, n_rows;
    double *data; // by rows
} RefTable;

// cut `line` at commas, quotes removed; the number of cells
static inline int ref_split(char *line, char *cells[REF_COLUMNS]) {
    int n = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *p = line; p && n < REF_COLUMNS; n++) {
        char *comma = strchr(p, ',');
        if (comma)
            *comma = 0;
        size_t length = strlen(p);
        if (length >= 2 && p[0] == '"' && p[length - 1] == '"') {
            p[length - 1] = 0;
            p++;
        }
        cells[n] = p;
        p = comma ? comma + 1 : NULL;
    }
    return n;
}

static inline RefTable ref_read(const char *file) {
    char name[256], path[1024], line[REF_LINE], *cells[REF_COLUMNS];
    snprintf(name, sizeof name, "test/ref/%s", file);
    ref_path(name, path, sizeof path);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("cannot open %s", path);
    RefTable t = {0};
    int capacity = 0;
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        int n = ref_split(line, cells);
        if (!t.n_columns) {
            t.n_columns = n;
            for (int i = 0; i < n; i++)
                snprintf(t.names[i], sizeof t.names[i], "%s", cells[i]);
            continue;
        }
        assert_int_equal(n, t.n_columns);
        if (t.n_rows == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            t.data = realloc(t.data, (size_t)capacity * (size_t)n * sizeof(double));
            assert_non_null(t.data);
        }
        for (int i = 0; i < n; i++) {
            char *end;
            double x = strtod(cells[i], &end);
            t.data[t.n_rows * n + i] = end == cells[i] ? NAN : x;
        }
        t.n_rows++;
    }
    fclose(f);
    assert_true(t.n_rows > 0);
    return t;
}

static inline void ref_free(RefTable *t) {
    free(t->data);
    t->data = NULL;
}

static inline int ref_column(const RefTable *t, const char *name) {
    for (int i = 0; i < t->n_columns; i++)
        if (strcmp(t->names[i], name) == 0)
            return i;
    fail_msg("the reference has no column '%s'", name);
    return 0;
}

static inline double ref_at(const RefTable *t, int row, int column) {
    return t->data[row * t->n_columns + column];
}

// ---- runs ----

typedef struct RefRun {
    HolModel *model;
    HolSim *sim;
    HolSimOptions options;
    double *row; // present results
    double t;
} RefRun;

// load models/<file> with up to eight settings "key=value" (NULL ends the list) and create the run
static inline RefRun ref_open(const char *file, ...) {
    char name[256], path[1024], text[8][96];
    HolSetting settings[8];
    int n = 0;
    va_list list;
    va_start(list, file);
    for (const char *s; n < 8 && (s = va_arg(list, const char *));) {
        snprintf(text[n], sizeof text[n], "%s", s);
        char *equal = strchr(text[n], '=');
        assert_non_null(equal);
        *equal = 0;
        settings[n] = (HolSetting){text[n], equal + 1};
        n++;
    }
    va_end(list);
    snprintf(name, sizeof name, "models/%s", file);
    ref_path(name, path, sizeof path);
    RefRun r = {0};
    HolError err = {0};
    if (hol_model_load(path, settings, n, &r.model, &r.options, &err) != HOL_OK)
        fail_msg("%s", err.text);
    if (hol_sim_create(r.model, &r.options, &r.sim, &err) != HOL_OK)
        fail_msg("%s: %s", file, err.text);
    r.row = calloc((size_t)hol_model_column_count(r.model), sizeof(double));
    assert_non_null(r.row);
    return r;
}

static inline void ref_close(RefRun *r) {
    hol_sim_destroy(r->sim);
    hol_model_destroy(r->model);
    free(r->row);
    *r = (RefRun){0};
}

// advance to time t and evaluate the results there
static inline void ref_advance(RefRun *r, double t) {
    HolError err = {0};
    if (t > r->t && hol_sim_advance(r->sim, t, &err) != HOL_OK)
        fail_msg("%s at t = %g: %s", hol_model_name(r->model), t, err.text);
    if (t <= r->t && hol_sim_assemble(r->sim, &err) != HOL_OK)
        fail_msg("%s: %s", hol_model_name(r->model), err.text);
    r->t = t > r->t ? t : r->t;
    if (hol_sim_row(r->sim, t, r->row, &err) != HOL_OK)
        fail_msg("%s at t = %g: %s", hol_model_name(r->model), t, err.text);
}

static inline double ref_value(const RefRun *r, const char *column) {
    int n = hol_model_column_count(r->model);
    for (int i = 0; i < n; i++)
        if (strcmp(hol_model_column(r->model, i).name, column) == 0)
            return r->row[i];
    fail_msg("%s has no result column '%s'", hol_model_name(r->model), column);
    return NAN;
}

// three columns BASE<x>, BASE<y>, BASE<z> such as "pendulum.v" -> pendulum.vx ...
static inline void ref_vector(const RefRun *r, const char *base, double out[3]) {
    for (int i = 0; i < 3; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s%c", base, "xyz"[i]);
        out[i] = ref_value(r, name);
    }
}

// ---- deviations ----

typedef struct RefWorst {
    double value, time;
} RefWorst;

static inline void ref_note(RefWorst *w, double deviation, double time) {
    if (isnan(deviation) || fabs(deviation) > w->value) {
        w->value = isnan(deviation) ? INFINITY : fabs(deviation);
        w->time = time;
    }
}

static inline void ref_require(const char *what, RefWorst w, double limit) {
    if (!(w.value <= limit))
        fail_msg("%s: deviation %.3e at t = %g, limit %.3e", what, w.value, w.time, limit);
}

// deviation of three columns of the reference starting with `first`
static inline void ref_note_vector(RefWorst *w, const RefTable *t, int row, const char *first,
                                   const double x[3]) {
    int c = ref_column(t, first);
    for (int i = 0; i < 3; i++)
        ref_note(w, x[i] - ref_at(t, row, c + i), ref_at(t, row, 0));
}

// the value nearest to `near` among x + 2 pi k: an angle from atan2 made continuous
static inline double ref_unwrap(double x, double near) {
    const double turn = 6.283185307179586;
    return x + turn * round((near - x) / turn);
}

// rotation matrix (by rows) of the body's quaternion columns
static inline void ref_rotation(const RefRun *r, const char *body, double A[9]) {
    char name[96];
    double p[4];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s.q%c", body, "wxyz"[i]);
        p[i] = ref_value(r, name);
    }
    double w = p[0], x = p[1], y = p[2], z = p[3];
    double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                   2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                   2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(A, R, sizeof R);
}

// ---- single values ----

typedef struct RefExpected {
    const char *column;
    double value, limit;
} RefExpected;

// run a model with one setting and compare columns at one time
static inline void ref_expect_at(const char *model, const char *step, double time,
                                 const RefExpected *expected, int n) {
    RefRun r = ref_open(model, step, NULL);
    ref_advance(&r, time);
    for (int i = 0; i < n; i++) {
        double value = ref_value(&r, expected[i].column);
        if (!(fabs(value - expected[i].value) <= expected[i].limit))
            fail_msg("%s: %s = %.13g at t = %g, expected %.13g within %.1e (off by %.2e)", model,
                     expected[i].column, value, time, expected[i].value, expected[i].limit,
                     value - expected[i].value);
    }
    ref_close(&r);
}

#endif
