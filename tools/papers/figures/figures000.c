// SPDX-License-Identifier: Apache-2.0
// Figures of the tangent-space paper, 3 to 13: the driven pendulum (figures000_models.c has the
// rest). Unstable runs end where they leave the picture.
#include "tools/papers/figures/figures.h"

#include <stdio.h>

#define ANGLE "papers/driven-pendulum-angle.yaml"
#define ROD "driven-pendulum.yaml"
#define TANGENT "method=tangent .metric=euclid .start=plain "

typedef struct StepFigure {
    const char *number, *title, *model, *settings;
    double end, h[6];
} StepFigure;

static const StepFigure step_figures[] = {
    {"3",
     "Central differences, angle",
     ANGLE,
     "method=central-differences",
     300,
     {0.01, 0.1, 0.6, 0.7}},
    {"4",
     "Fox-Goodwin, angle",
     ANGLE,
     "method=tangent .scheme=fox-goodwin .start=plain",
     300,
     {0.01, 0.1, 0.6, 0.7, 0.78, 0.79}},
    {"5",
     "Trapezoidal rule, angle",
     ANGLE,
     "method=tangent .scheme=trapezoidal .start=plain",
     300,
     {0.1, 0.7, 0.79, 6}},
    {"6",
     "Trapezoidal rule, constraints (index 3)",
     ROD,
     "method=newmark .gamma=0.5",
     300,
     {0.1, 0.7, 0.79, 6}},
    {"7",
     "Fox-Goodwin, constraints (index 3): fails at every step",
     ROD,
     "method=newmark .gamma=0.5 .beta=0.08333333333333333 .force=true",
     20,
     {0.1, 0.6, 0.78, 0.79}},
    {"12",
     "Fox-Goodwin in the tangent space",
     ROD,
     TANGENT ".scheme=fox-goodwin",
     300,
     {0.1, 0.6, 0.78, 0.79}},
    {"13",
     "Trapezoidal rule in the tangent space",
     ROD,
     TANGENT ".scheme=trapezoidal",
     300,
     {0.1, 0.7, 0.79, 6}},
};

static void figures000_steps(HolFigures *all, const StepFigure *s) {
    static const double range = 0.0215, shown = 0.2;
    HolFigure f;
    const int angle = s->model[0] == 'p' ? 0 : 2;
    hol_figure_begin(&f, all, "000", s->number, s->title, "time / s");
    f.plot.to = s->end;
    f.plot.from = 0;
    for (int i = 0; i < 6 && s->h[i] > 0; i++) {
        char *label = hol_arena_alloc(&f.arena, 40);
        if (label)
            snprintf(label, 40, "h = %g s: rad", s->h[i]);
        hol_figure_panel(&f, label, -range, range);
        hol_figure_trace(&f,
                         &(HolTrace){.model = s->model,
                                     .y = hol_figure_q,
                                     .data = &hol_figure_index[angle],
                                     .bound = shown,
                                     .every = s->h[i] < 0.05 ? 20 : 1},
                         "%s step=%g end=%g", s->settings, s->h[i], 50 * 6.);
    }
    f.plot.height = 60 + 110 * f.plot.n_panels;
    hol_figure_draw(&f);
}

typedef struct TorqueFigure {
    const char *number, *title, *label;
    HolFigureValue y;
    int row; // of q or lambda
    int angle_alone;
} TorqueFigure;

// amplitudes of 5, 6, 7 and 9 N m: the classical method, and the tangent space beside it
static void figures000_torques(HolFigures *all, const TorqueFigure *t) {
    static const int torques[] = {5, 6, 7, 9};
    static const double ranges[] = {0.25, 1.2, 12, 600}; // of the reaction [N]
    HolFigure f;
    hol_figure_begin(&f, all, "000", t->number, t->title, "time / s");
    for (int i = 0; i < 4; i++) {
        char *label = hol_arena_alloc(&f.arena, 60);
        const double range = t->y == hol_figure_lambda ? ranges[i] : 2;
        if (label)
            snprintf(label, 60, "%d N m: %s", torques[i], t->label);
        hol_figure_panel(&f, label, -range, range);
        hol_figure_trace(&f,
                         &(HolTrace){.label = t->angle_alone || i ? NULL : "index 3",
                                     .model = t->angle_alone ? ANGLE : ROD,
                                     .y = t->y,
                                     .data = &hol_figure_index[t->row],
                                     .color = 3,
                                     .bound = 1e7},
                         "T0=%d %s step=0.1 end=200", torques[i],
                         t->angle_alone ? "method=tangent .scheme=trapezoidal .start=plain"
                                        : "method=newmark .gamma=0.5");
        if (!t->angle_alone)
            hol_figure_trace(&f,
                             &(HolTrace){.label = i ? NULL : "tangent space",
                                         .model = ROD,
                                         .y = t->y,
                                         .data = &hol_figure_index[t->row],
                                         .dash = 1},
                             "T0=%d " TANGENT ".scheme=trapezoidal step=0.1 end=200", torques[i]);
    }
    f.plot.height = 60 + 120 * f.plot.n_panels;
    hol_figure_draw(&f);
}

void hol_figures_000(HolFigures *all) {
    static const TorqueFigure torques[] = {
        {"8", "Trapezoidal rule, constraints: torque of 5, 6, 7, 9 N m", "rad", hol_figure_q, 2, 0},
        {"9", "Trapezoidal rule, angle: torque of 5, 6, 7, 9 N m", "rad", hol_figure_q, 0, 1},
        {"10", "Trapezoidal rule: reaction in x", "N", hol_figure_lambda, 0, 0}};
    for (size_t i = 0; i < sizeof step_figures / sizeof *step_figures; i++)
        figures000_steps(all, &step_figures[i]);
    for (int i = 0; i < 3; i++)
        figures000_torques(all, &torques[i]);
    hol_figures_000_models(all);
}
