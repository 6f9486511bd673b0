// SPDX-License-Identifier: Apache-2.0
// Figures: curves collected along runs, the picture written (figures.h).
#include "tools/papers/figures/figures.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const int hol_figure_index[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

double hol_figure_q(const HolView *x, const void *number) {
    return x->q[*(const int *)number];
}

double hol_figure_v(const HolView *x, const void *number) {
    return x->v[*(const int *)number];
}

double hol_figure_lambda(const HolView *x, const void *number) {
    return x->lambda[*(const int *)number];
}

void hol_figure_begin(HolFigure *f, HolFigures *all, const char *paper, const char *number,
                      const char *title, const char *x_label) {
    memset(f, 0, sizeof *f);
    f->all = all;
    f->p = all->p;
    f->paper = paper;
    f->number = number;
    f->plot = hol_plot();
    f->plot.title = title;
    f->plot.x_label = x_label;
    f->plot.panels = f->panels;
}

void hol_figure_panel(HolFigure *f, const char *label, double low, double high) {
    const int k = f->plot.n_panels++;
    f->panels[k] = (HolPanel){.label = label, .curves = f->curves[k], .low = low, .high = high};
}

// ---- curves ----

typedef struct Collect {
    HolFigure *f;
    const HolTrace *trace;
    long seen, n;
    int capacity_x, capacity_y;
    double *x, *y;
} Collect;

static int figures_collect(void *user, const HolView *v) {
    Collect *c = user;
    const HolTrace *t = c->trace;
    const double y = t->y(v, t->data);
    const int out = t->bound > 0 && !(fabs(y) <= t->bound);
    if (c->seen++ % (t->every > 0 ? t->every : 1) && !out)
        return 0;
    int n = (int)c->n;
    if (!HOL_GROW(&c->f->arena, c->x, n, c->capacity_x) ||
        !HOL_GROW(&c->f->arena, c->y, n, c->capacity_y))
        return 1;
    c->x[n] = t->x ? t->x(v, t->data) : v->t;
    c->y[n] = y;
    c->n++;
    return out;
}

static void figures_add(HolFigure *f, const HolCurve *curve) {
    HolPanel *panel = &f->panels[f->plot.n_panels - 1];
    if (panel->n_curves < HOL_FIGURE_CURVES)
        f->curves[f->plot.n_panels - 1][panel->n_curves++] = *curve;
}

static void figures_take(const Collect *c) {
    const HolTrace *t = c->trace;
    figures_add(c->f, &(HolCurve){.label = t->label ? hol_arena_text(&c->f->arena, t->label) : NULL,
                                  .x = c->x,
                                  .y = c->y,
                                  .n = c->n,
                                  .color = t->color,
                                  .dash = t->dash,
                                  .markers = t->markers});
}

void hol_figure_trace(HolFigure *f, const HolTrace *trace, const char *settings, ...) {
    Collect c = {.f = f, .trace = trace};
    char text[400];
    va_list list;
    va_start(list, settings);
    vsnprintf(text, sizeof text, settings, list);
    va_end(list);
    hol_paper_watch(f->p, figures_collect, &c, trace->model, "%s", text);
    figures_take(&c);
}

void hol_figure_problem(HolFigure *f, const HolTrace *trace, const HolProblem *problem,
                        const double *q, const double *v, const HolSimOptions *o) {
    Collect c = {.f = f, .trace = trace};
    hol_paper_problem(f->p, figures_collect, &c, problem, q, v, o);
    figures_take(&c);
}

void hol_figure_function(HolFigure *f, const char *label, double (*y)(double x, const void *data),
                         const void *data, double from, double to, int n, int color, int dash) {
    double *px = HOL_NEW(&f->arena, double, n), *py = HOL_NEW(&f->arena, double, n);
    if (!px || !py)
        return;
    for (int i = 0; i < n; i++) {
        px[i] = from + (to - from) * i / (n - 1);
        py[i] = y(px[i], data);
    }
    figures_add(
        f, &(HolCurve){.label = label, .x = px, .y = py, .n = n, .color = color, .dash = dash});
}

// ---- the picture ----

void hol_figure_draw(HolFigure *f) {
    HolFigures *all = f->all;
    if (f->p->status == HOL_OK && f->arena.failed)
        f->p->status = hol_error_set(f->p->err, HOL_ERR_MEMORY, "out of memory");
    for (int i = 0; i <= (all->png != 0) && f->p->status == HOL_OK; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s-fig%s.%s", all->dir, f->paper, f->number,
                 i ? "png" : "svg");
        f->plot.scale = 1.5;
        f->p->status = hol_plot_write(&f->plot, path, f->p->err);
        if (f->p->status == HOL_OK && all->drawn)
            all->drawn(all->to, path, f->plot.title);
    }
    hol_arena_free(&f->arena);
}

HolStatus hol_reproduce_figures(const char *paper, const char *dir, int png,
                                void (*drawn)(void *to, const char *path, const char *title),
                                void *to, HolError *err) {
    static const struct {
        const char *key;
        void (*draw)(HolFigures *f);
    } papers[] = {{"000", hol_figures_000},
                  {"001", hol_figures_001},
                  {"002", hol_figures_002},
                  {"003", hol_figures_003},
                  {"004", hol_figures_004}};
    HolPaper p = {.err = err};
    HolFigures f = {&p, dir, png, drawn, to};
    int found = 0;
    hol_error_clear(err);
    if (!dir || !dir[0])
        return hol_error_set(err, HOL_ERR_INPUT, "figures need a folder");
    for (size_t i = 0; i < sizeof papers / sizeof *papers && p.status == HOL_OK; i++)
        if (!paper || !strcmp(paper, papers[i].key)) {
            papers[i].draw(&f);
            found = 1;
        }
    if (!found)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "there are no figures of '%s'; there are 000, 001, 002, 003, 004",
                             paper ? paper : "");
    if (p.status == HOL_OK) // (a run that failed on purpose has left its reason)
        hol_error_clear(err);
    return p.status;
}
