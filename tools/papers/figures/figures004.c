// SPDX-License-Identifier: Apache-2.0
// Figures of the coordinate-split paper: total energies of the point on a circle (4.1 linear force,
// 4.3 spring), its motion (4.4), steps of the bushing problem (4.6). BDF of order 2; a build without
// SUNDIALS has none and draws none.
#include "tools/papers/figures/figures.h"

#include <math.h>
#include <stdio.h>

#define BDF "method=bdf .formulation=%s .order=2 .control=position tolerance=1e-3 max_steps=5000 "

enum { FORMS = 5 };
static const char *const forms[FORMS] = {"ggl", "ggl-star", "cs", "cm", "cmf"};
static const char *const labels[FORMS] = {"GGL", "GGL*", "CS", "CM, term dropped",
                                          "CM, P with the Jacobian"};

// above that of rest, in units of the first
static double figures004_linear(const HolView *x, const void *eps_at) {
    const double eps = *(const double *)eps_at;
    return 0.5 * (x->v[0] * x->v[0] + x->v[1] * x->v[1]) + x->q[0] * x->q[0] / (2 * eps * eps) +
           x->q[1] + 1;
}

static double figures004_spring(const HolView *x, const void *eps_at) {
    const double eps = *(const double *)eps_at, stretch = hypot(x->q[0], x->q[1] + 0.5) - 0.4;
    return 0.5 * (x->v[0] * x->v[0] + x->v[1] * x->v[1]) +
           (stretch * stretch - 0.01) / (2 * eps * eps) + x->q[1] + 1;
}

static void figures004_energies(HolFigures *all) {
    static const double eps[2] = {1e-6, 1e-5};
    for (int k = 0; k < 2; k++) {
        HolFigure f;
        hol_figure_begin(&f, all, "004", k ? "4.3" : "4.1",
                         k ? "Total energy, spring, eps = 1e-5, tolerance 1e-3"
                           : "Total energy, linear force, eps = 1e-6, tolerance 1e-3",
                         "time / s");
        f.plot.log_x = 1;
        hol_figure_panel(&f, "energy above that of rest / J", 0, 0);
        f.panels[0].log_y = 1;
        for (int i = 0; i < FORMS; i++)
            hol_figure_trace(&f,
                             &(HolTrace){.label = labels[i],
                                         .model = k ? "papers/circle-spring.yaml"
                                                    : "papers/circle-linear-force.yaml",
                                         .y = k ? figures004_spring : figures004_linear,
                                         .data = &eps[k],
                                         .color = i,
                                         .dash = i % 4},
                             "eps=%g end=%s " BDF, eps[k], k ? "0.005" : "0.25", forms[i]);
        hol_figure_draw(&f);
    }
}

static void figures004_motion(HolFigures *all) {
    HolFigure f;
    hol_figure_begin(&f, all, "004", "4.4",
                     "Spring, eps = 1e-5, tolerance 1e-3: x and its velocity", "time / s");
    f.plot.log_x = 1;
    for (int k = 0; k < 2; k++) {
        hol_figure_panel(&f, k ? "m/s" : "x / m", 0, 0);
        for (int i = 2; i < FORMS; i++)
            hol_figure_trace(&f,
                             &(HolTrace){.label = labels[i],
                                         .model = "papers/circle-spring.yaml",
                                         .y = k ? hol_figure_v : hol_figure_q,
                                         .data = &hol_figure_index[0],
                                         .color = i,
                                         .dash = i % 4},
                             "eps=1e-5 end=0.005 " BDF, forms[i]);
    }
    hol_figure_draw(&f);
}

static double figures004_step(const HolView *x, const void *data) {
    (void)data;
    return x->t > 0 ? x->h : NAN;
}

static void figures004_steps(HolFigures *all) {
    HolFigure f;
    hol_figure_begin(&f, all, "004", "4.6", "Steps, bushing with 4 constraints, eps = 1e-6",
                     "time / s");
    f.plot.log_x = 1;
    hol_figure_panel(&f, "step / s", 0, 0);
    f.panels[0].log_y = 1;
    for (int i = 0; i < FORMS; i++)
        hol_figure_trace(&f,
                         &(HolTrace){.label = labels[i],
                                     .model = "papers/two-body-bushing-free.yaml",
                                     .y = figures004_step,
                                     .color = i,
                                     .markers = 1},
                         "eps=1e-6 end=0.1 " BDF, forms[i]);
    hol_figure_draw(&f);
}

void hol_figures_004(HolFigures *all) {
    // a build without SUNDIALS has no bdf
    hol_paper_run(all->p, "papers/alpha-pendulum.yaml", "method=bdf tolerance=1e-3 end=0.01");
    if (all->p->status == HOL_ERR_UNSUPPORTED) {
        all->p->status = HOL_OK;
        return;
    }
    figures004_energies(all);
    figures004_motion(all);
    figures004_steps(all);
}
