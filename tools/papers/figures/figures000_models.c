// SPDX-License-Identifier: Apache-2.0
// Figures of the tangent-space paper, 15 to 27: stiff double pendulum and Andrews' mechanism.
#include "tools/papers/figures/figures.h"

#include <math.h>
#include <string.h>

#define DOUBLE "stiff-double-pendulum.yaml"
#define ANDREWS "andrews-a03.yaml"
#define FOX_GOODWIN "method=tangent .scheme=fox-goodwin .metric=euclid .start=plain"
#define SAME "method=tangent .scheme=newmark .gamma=0.5000005 .beta=0.2500006 .metric=euclid"

// ---- Figs. 15 and 16: classical index-3 newmark ----

static void figures000_classical(HolFigures *all) {
    static const char *const classical =
        "method=newmark .gamma=0.5000005 .beta=0.2500006 .force=true step=5e-4 end=10";
    HolFigure f;
    hol_figure_begin(&f, all, "000", "15",
                     "Newmark, alpha = 0.5000005: angle of the first body, h = 5e-4 s", "time / s");
    hol_figure_panel(&f, "rad", 0, 0);
    HolTrace t = {.label = "index 3",
                  .model = DOUBLE,
                  .y = hol_figure_q,
                  .data = &hol_figure_index[2],
                  .every = 5,
                  .color = 3};
    hol_figure_trace(&f, &t, "%s", classical);
    t.label = "tangent space";
    t.color = 0;
    t.dash = 1;
    hol_figure_trace(&f, &t, SAME " step=5e-4 end=10");
    hol_figure_draw(&f);

    hol_figure_begin(&f, all, "000", "16", "The same: forces in the fixed joint", "time / s");
    for (int i = 0; i < 2; i++) {
        hol_figure_panel(&f, i ? "y: N" : "x: N", -2e5, 2e5);
        t = (HolTrace){.label = "index 3",
                       .model = DOUBLE,
                       .y = hol_figure_lambda,
                       .data = &hol_figure_index[i],
                       .color = 3};
        hol_figure_trace(&f, &t, "%s", classical);
        t.label = "tangent space";
        t.color = 0;
        hol_figure_trace(&f, &t, SAME " step=5e-4 end=10");
    }
    hol_figure_draw(&f);
}

// ---- Figs. 17 to 20, 22 ----

// Euclidean norm of the constraints on one level
typedef struct Level {
    const HolModel *model;
    void *work;
    double *G, *r;
    int level;
} Level;

static double figures000_residual(const HolView *x, const void *data) {
    const Level *l = data;
    const HolProblem *P = hol_model_problem(l->model);
    const HolPoint at = {
        .t = x->t, .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .w = x->w};
    double sum = 0;
    if (l->level == 0)
        P->constraint(P, l->work, &at, l->r);
    else if (l->level == 1)
        P->velocity_rhs(P, l->work, &at, l->r);
    else
        P->acceleration_rhs(P, l->work, &at, l->r);
    P->jacobian(P, l->work, &at, l->G);
    for (int i = 0; i < x->m; i++) {
        for (int k = P->G.ptr[i]; l->level && k < P->G.ptr[i + 1]; k++)
            l->r[i] += l->G[k] * (l->level == 1 ? x->v : x->a)[P->G.idx[k]];
        sum += l->r[i] * l->r[i];
    }
    return sqrt(sum);
}

static void figures000_levels(HolFigures *all) {
    static const char *const numbers[] = {"18", "19", "20"};
    static const char *const titles[] = {"Norm of the position constraints, Fox-Goodwin, 5e-4 s",
                                         "Norm of the velocity constraints",
                                         "Norm of the acceleration constraints"};
    static const char *const units[] = {"m", "m/s", "m/s^2"};
    HolSimOptions o;
    HolModel *m = hol_paper_model(all->p, DOUBLE, "", &o);
    for (int i = 0; i < 3 && m; i++) {
        const HolProblem *P = hol_model_problem(m);
        HolFigure f;
        hol_figure_begin(&f, all, "000", numbers[i], titles[i], "time / s");
        hol_figure_panel(&f, units[i], 0, 0);
        f.panels[0].log_y = 1;
        const Level level = {m, hol_arena_alloc(&f.arena, P->work_size + 1),
                             HOL_NEW(&f.arena, double, P->G.nnz + 1),
                             HOL_NEW(&f.arena, double, P->nh + P->nn + 1), i};
        if (!f.arena.failed) {
            if (P->work_init)
                P->work_init(P, level.work);
            hol_figure_trace(
                &f,
                &(HolTrace){.model = DOUBLE, .y = figures000_residual, .data = &level, .every = 5},
                FOX_GOODWIN " step=5e-4 end=10");
        }
        hol_figure_draw(&f);
    }
    hol_model_destroy(m);
}

static void figures000_new(HolFigures *all) {
    HolFigure f;
    hol_figure_begin(&f, all, "000", "17", "Fox-Goodwin in the tangent space, h = 5e-4 s",
                     "time / s");
    hol_figure_panel(&f, "angle of the first body / rad", 0, 0);
    HolTrace t = {.label = "as published",
                  .model = DOUBLE,
                  .y = hol_figure_q,
                  .data = &hol_figure_index[2],
                  .every = 5,
                  .color = 3};
    hol_figure_trace(&f, &t, FOX_GOODWIN " step=5e-4 end=10");
    t.label = "graded first steps";
    t.color = 0;
    t.dash = 1;
    hol_figure_trace(&f, &t,
                     "method=tangent .scheme=fox-goodwin .metric=euclid .start=graded step=5e-4 "
                     "end=10");
    hol_figure_draw(&f);

    hol_figure_begin(&f, all, "000", "22", "Steps of 5e-3 s: above Fox-Goodwin's limit of 3.1e-3 s",
                     "time / s");
    hol_figure_panel(&f, "angle of the first body / rad", 3.4, 6.6);
    t = (HolTrace){.label = "Fox-Goodwin, 5e-3 s: fails at once",
                   .model = DOUBLE,
                   .y = hol_figure_q,
                   .data = &hol_figure_index[2],
                   .bound = 20,
                   .markers = 1,
                   .color = 3};
    hol_figure_trace(&f, &t, FOX_GOODWIN " step=5e-3 end=10");
    t.markers = 0;
    t.label = "Fox-Goodwin, 2.5e-3 s";
    t.color = 1;
    hol_figure_trace(&f, &t,
                     "method=tangent .scheme=fox-goodwin .metric=euclid .start=graded step=2.5e-3 "
                     "end=10");
    t.label = "hermite, 5e-3 s";
    t.color = 0;
    t.dash = 1;
    hol_figure_trace(&f, &t, "method=tangent .start=graded step=5e-3 end=10");
    hol_figure_draw(&f);
}

// ---- Figs. 21 and 25: natural frequencies ----

static double figures000_reduced(const HolView *x, const void *model) {
    HolFrequencies f;
    return hol_paper_frequencies(model, x, &f, NULL) == HOL_OK ? f.reduced_euclid : NAN;
}

static double figures000_unreduced(const HolView *x, const void *model) {
    HolFrequencies f;
    return hol_paper_frequencies(model, x, &f, NULL) == HOL_OK ? f.unreduced : NAN;
}

static void figures000_frequencies(HolFigures *all) {
    HolSimOptions o;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? ANDREWS : DOUBLE,
                   *settings = k ? "method=tangent step=2e-5 end=0.05" : "tolerance=1e-7 end=10";
        HolModel *m = hol_paper_model(all->p, name, settings, &o);
        HolFigure f;
        hol_figure_begin(&f, all, "000", k ? "25" : "21",
                         k ? "Andrews' mechanism: largest natural frequency"
                           : "Double pendulum: largest natural frequency",
                         "time / s");
        hol_figure_panel(&f, "rad/s", 0, 0);
        HolTrace t = {.label = k ? "from the unreduced matrices, as printed" : NULL,
                      .model = name,
                      .y = k ? figures000_unreduced : figures000_reduced,
                      .data = m,
                      .color = k ? 3 : 0,
                      .every = k ? 5 : 1};
        if (m) {
            hol_figure_trace(&f, &t, "%s", settings);
            t.label = "from the reduced ones, as the theory asks for";
            t.y = figures000_reduced;
            t.color = 0;
            if (k)
                hol_figure_trace(&f, &t, "%s", settings);
        }
        hol_figure_draw(&f);
        hol_model_destroy(m);
    }
}

// ---- Figs. 24, 26, 27: the joint F of Andrews' mechanism ----

static double figures000_F(const HolView *x, const void *number) {
    const double angle = x->q[2];
    return 0.007 * (*(const int *)number ? sin(angle) : cos(angle));
}

static void figures000_andrews(HolFigures *all) {
    static const struct {
        const char *number, *title, *h;
        double end;
    } rows[] = {{"24", "Andrews' mechanism, Fox-Goodwin, 2e-6 s: joint F", "2e-6", 0.05},
                {"26", "Fox-Goodwin, 5e-4 s: joint F", "5e-4", 0.05},
                {"27", "Fox-Goodwin, 6e-4 s: joint F", "6e-4", 0.0498}};
    for (int i = 0; i < 3; i++) {
        HolFigure f;
        hol_figure_begin(&f, all, "000", rows[i].number, rows[i].title, "time / s");
        for (int k = 0; k < 2; k++) {
            hol_figure_panel(&f, k ? "y / m" : "x / m", -0.0085, 0.0085);
            HolTrace t = {.label = i ? "Fox-Goodwin" : NULL,
                          .model = ANDREWS,
                          .y = figures000_F,
                          .data = &hol_figure_index[k],
                          .every = i ? 1 : 25,
                          .color = i ? 3 : 0};
            hol_figure_trace(&f, &t, FOX_GOODWIN " step=%s end=%g", rows[i].h, rows[i].end);
            t.label = "exact";
            t.color = 0;
            t.dash = 1;
            t.every = 2;
            if (i)
                hol_figure_trace(&f, &t, "method=tangent step=5e-5 end=%g", rows[i].end);
        }
        f.plot.width = 640;
        hol_figure_draw(&f);
    }
}

void hol_figures_000_models(HolFigures *all) {
    figures000_classical(all);
    figures000_new(all);
    figures000_levels(all);
    figures000_frequencies(all);
    figures000_andrews(all);
}
