// SPDX-License-Identifier: Apache-2.0
// The runs of a comparison as CSV, and as a picture: error over CPU time, a curve a series of the
// methods that come nearest to the best somewhere, and the front.
#include "base/text.h"
#include "io/atomic_file.h"
#include "tools/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CURVES = 7 }; // as many as there are colours beside that of the front
static const double LEAST_SHOWN = 1e-16, MOST_SHOWN = 1; // errors

static const char *write_number(double value, char out[HOL_NUMBER_SIZE]) {
    if (!isfinite(value))
        return "";
    hol_text_print_number(value, out);
    return out;
}

static void write_row(FILE *f, const HolComparedRun *r) {
    const HolSimOptions *o = r->options;
    const double numbers[] = {o->step > 0 ? NAN : o->tolerance,
                              o->step > 0 ? o->step : NAN,
                              r->cpu_seconds,
                              r->error,
                              r->position,
                              r->velocity,
                              r->drift};
    char text[HOL_NUMBER_SIZE];
    fputs(r->method, f);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(f, ",%s", write_number(numbers[i], text));
    fprintf(f, ",%ld,%ld,%ld,%d,%d,%s\n", r->steps, r->rejected, r->force_evaluations, r->repeats,
            r->front,
            r->status == HOL_INTERRUPTED ? "stopped"
            : r->status                  ? "failed"
                                         : "ok");
}

HolStatus hol_comparison_csv(const HolComparison *c, const char *path, HolError *err) {
    HolArena arena = {0};
    HolAtomicFile place;
    hol_error_clear(err);
    if (!c || !path)
        return hol_error_set(err, HOL_ERR_INPUT, "%s is missing: NULL",
                             c ? "a path" : "a comparison");
    HolStatus status = hol_file_choose(&place, &arena, path, err);
    FILE *f = status ? NULL : hol_file_open(&place, err);
    if (!status && !f)
        status = HOL_ERR_FILE;
    if (f) {
        fputs("method,tolerance,step,cpu_seconds,error,position,velocity,drift,steps,rejected,"
              "force_evaluations,repeats,front,status\n",
              f);
        for (int i = 0; i < c->n_runs; i++)
            write_row(f, &c->runs[i]);
        status = hol_file_close(&place, f, 1, err);
    }
    hol_arena_free(&arena);
    return status;
}

// ---- the picture ----

typedef struct Point {
    double cpu, error, setting;
} Point;

typedef struct Shown { // a series in the picture
    const HolComparedRun *first;
    Point *points;
    int n;
    double nearness; // how much more it takes than the best, where that is least
    char label[96];
} Shown;

static int write_same_series(const HolComparedRun *a, const HolComparedRun *b) {
    return a->method == b->method && (a->options->step > 0) == (b->options->step > 0);
}

static double write_setting(const HolComparedRun *r) {
    return r->options->step > 0 ? r->options->step : r->options->tolerance;
}

static int write_coarse_first(const void *a, const void *b) {
    const double x = ((const Point *)a)->setting, y = ((const Point *)b)->setting;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int write_cheap_first(const void *a, const void *b) {
    const double x = ((const Point *)a)->cpu, y = ((const Point *)b)->cpu;
    return x < y ? -1 : x > y;
}

static int write_near_first(const void *a, const void *b) {
    const double x = ((const Shown *)a)->nearness, y = ((const Shown *)b)->nearness;
    return x < y ? -1 : x > y;
}

static double write_nearness(const HolComparison *c, const HolComparedRun *first) {
    double least = INFINITY;
    for (int l = 0; l < c->n_limits; l++)
        for (int k = 0; k < c->limits[l].n_runs; k++) {
            const HolComparedRun *r = &c->runs[c->limits[l].runs[k]];
            if (write_same_series(r, first))
                least = fmin(least, r->cpu_seconds / c->runs[c->limits[l].best].cpu_seconds);
        }
    return least;
}

static int write_visible(const HolComparedRun *r) {
    return !r->status && r->error <= MOST_SHOWN && r->cpu_seconds > 0;
}

// the series that come nearest to the best; their number, -1: no memory
static int write_choose(const HolComparison *c, HolArena *arena, Shown *list) {
    int n = 0;
    for (int i = 0; i < c->n_runs; i++) {
        const HolComparedRun *r = &c->runs[i];
        int known = !write_visible(r);
        for (int k = 0; k < n && !known; k++)
            known = write_same_series(list[k].first, r);
        if (known || n == HOL_COMPARE_SERIES)
            continue;
        Shown *s = &list[n++];
        *s = (Shown){.first = r, .nearness = write_nearness(c, r)};
        s->points = HOL_NEW(arena, Point, c->n_runs);
        if (!s->points)
            return -1;
        for (int k = i; k < c->n_runs; k++)
            if (write_visible(&c->runs[k]) && write_same_series(&c->runs[k], r))
                s->points[s->n++] =
                    (Point){1e3 * c->runs[k].cpu_seconds, fmax(c->runs[k].error, LEAST_SHOWN),
                            write_setting(&c->runs[k])};
        qsort(s->points, (size_t)s->n, sizeof *s->points, write_coarse_first);
        snprintf(s->label, sizeof s->label, "%s%s", r->method,
                 r->options->step > 0 ? ", fixed step" : "");
    }
    qsort(list, (size_t)n, sizeof *list, write_near_first);
    return n < MOST_CURVES ? n : MOST_CURVES;
}

static HolCurve write_curve(HolArena *arena, const Point *points, int n, const char *label) {
    double *x = HOL_NEW(arena, double, 2 * n + 1), *y = x ? x + n : NULL;
    for (int i = 0; x && i < n; i++) {
        x[i] = points[i].cpu;
        y[i] = points[i].error;
    }
    return (HolCurve){.label = label, .x = x, .y = y, .n = x ? n : 0};
}

static HolCurve write_front(const HolComparison *c, HolArena *arena) {
    Point *points = HOL_NEW(arena, Point, c->n_runs + 1);
    int n = 0;
    for (int i = 0; points && i < c->n_runs; i++)
        if (c->runs[i].front && c->runs[i].error <= MOST_SHOWN && c->runs[i].cpu_seconds > 0)
            points[n++] =
                (Point){1e3 * c->runs[i].cpu_seconds, fmax(c->runs[i].error, LEAST_SHOWN), 0};
    if (points)
        qsort(points, (size_t)n, sizeof *points, write_cheap_first);
    HolCurve curve = write_curve(arena, points, n, "front: no run is cheaper and better");
    curve.color = 7;
    curve.dash = 2;
    return curve;
}

HolStatus hol_comparison_plot(const HolComparison *c, const char *path, HolError *err) {
    HolArena arena = {0};
    hol_error_clear(err);
    if (!c || !path)
        return hol_error_set(err, HOL_ERR_INPUT, "%s is missing: NULL",
                             c ? "a path" : "a comparison");
    HolCurve curves[MOST_CURVES + 1];
    Shown *list = HOL_NEW(&arena, Shown, HOL_COMPARE_SERIES);
    const int n = list ? write_choose(c, &arena, list) : -1;
    HolStatus status = HOL_OK;
    if (n < 0) {
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    } else {
        for (int i = 0; i < n; i++) {
            curves[i] = write_curve(&arena, list[i].points, list[i].n, list[i].label);
            curves[i].color = i % 7;
            curves[i].dash = list[i].first->options->step > 0 ? 1 : 0;
            curves[i].markers = 1;
        }
        curves[n] = write_front(c, &arena);
        const HolPanel panel = {.label = "error, as a part of the sizes",
                                .log_y = 1,
                                .curves = curves,
                                .n_curves = n + 1};
        HolPlot plot = hol_plot();
        plot.title = c->model;
        plot.x_label = "CPU time / ms";
        plot.log_x = 1;
        plot.width = 640;
        plot.height = 440;
        plot.panels = &panel;
        plot.n_panels = 1;
        status = hol_plot_write(&plot, path, err);
    }
    hol_arena_free(&arena);
    return status;
}
