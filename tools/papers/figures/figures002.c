// SPDX-License-Identifier: Apache-2.0
// Figures of the DAE alpha-method paper: 2 to 5 stiff spring pendulum and bushing, 7 to 12 the
// flexible slider-crank (k = 4, E = 3.4e9, the modulus that gives the printed frequency).
#include "tools/papers/figures/figures.h"
#include "tools/papers/paper002.h"

#include <math.h>
#include <stdio.h>

#define SPRING "papers/stiff-spring-pendulum.yaml"
#define BUSHING "papers/bushing-pendulum.yaml"

// ---- Figs. 2 and 3 ----

static double figures002_spring_energy(const HolView *x, const void *data) {
    const double stretch = hypot(x->q[0], x->q[1]) - 1;
    (void)data;
    return (x->v[0] * x->v[0] + x->v[1] * x->v[1]) / 2 + 500 * stretch * stretch - x->q[1];
}

static double figures002_x(const HolView *x, const void *data) {
    (void)data;
    return x->q[0];
}

static void figures002_spring(HolFigures *all) {
    static const char *const rho[] = {"1", "0.75", "0.5", "0"}, *const labels[] = {
                                                                    "rho = 1", "rho = 0.75",
                                                                    "rho = 0.5", "rho = 0"};
    HolFigure f;
    hol_figure_begin(&f, all, "002", "2", "Stiff spring pendulum, h = 0.01 s: total energy",
                     "time / s");
    hol_figure_panel(&f, "J", -0.5, 7);
    for (int i = 0; i < 4; i++)
        hol_figure_trace(
            &f,
            &(HolTrace){
                .label = labels[i], .model = SPRING, .y = figures002_spring_energy, .color = i},
            "method=dae-alpha .rho=%s step=0.01 end=5", rho[i]);
    hol_figure_draw(&f);

    static const double h[] = {1e-3, 1e-2, 1e-1};
    hol_figure_begin(&f, all, "002", "3", "Stiff spring pendulum, rho = 0.5: path", "x / m");
    f.plot.equal = 1;
    hol_figure_panel(&f, "y / m", 0, 0);
    for (int i = 0; i < 3; i++) {
        char *label = hol_arena_alloc(&f.arena, 30);
        if (label)
            snprintf(label, 30, "h = %g s", h[i]);
        hol_figure_trace(&f,
                         &(HolTrace){.label = label,
                                     .model = SPRING,
                                     .y = hol_figure_q,
                                     .x = figures002_x,
                                     .data = &hol_figure_index[1],
                                     .every = i ? 1 : 2,
                                     .markers = i == 2,
                                     .color = i},
                         "method=dae-alpha .rho=0.5 step=%g end=5", h[i]);
    }
    hol_figure_draw(&f);
}

// ---- Figs. 4 and 5 ----

static double figures002_periods(const HolView *x, const void *data) {
    (void)data;
    return 1e3 * x->t;
}

static void figures002_bushing(HolFigures *all) {
    static const char *const rho[] = {"0.75", "0.5", "0"};
    for (int k = 0; k < 2; k++) {
        HolFigure f;
        hol_figure_begin(&f, all, "002", k ? "5" : "4",
                         k ? "Bushing, CM (cmp), 500 steps: theta"
                           : "Bushing, index 2, 500 steps: theta",
                         "time / ms");
        for (int i = 0; i < 3; i++) {
            char *label = hol_arena_alloc(&f.arena, 30);
            if (label)
                snprintf(label, 30, "rho = %s: rad", rho[i]);
            hol_figure_panel(&f, label, 0, 0);
            hol_figure_trace(&f,
                             &(HolTrace){.model = BUSHING,
                                         .y = hol_figure_q,
                                         .x = figures002_periods,
                                         .data = &hol_figure_index[2],
                                         .color = k ? 1 : 0},
                             "method=dae-alpha .rho=%s .iteration=%s step=%.17g end=%.17g", rho[i],
                             k ? "cmp" : "newton", 40e-5 * acos(-1) / 500, 40e-5 * acos(-1));
        }
        f.plot.height = 60 + 130 * f.plot.n_panels;
        hol_figure_draw(&f);
    }
}

// ---- Figs. 7 to 12 ----

typedef struct SliderCurve {
    const char *label, *iteration;
    double rho;
    int rate; // steps a second
    int color, dash;
} SliderCurve;

static double figures002_energy(const HolView *x, const void *problem) {
    return hol_slider_energy(problem, x->q, x->v);
}

// energy of the modes beyond the first bending mode
static double figures002_high(const HolView *x, const void *problem) {
    double omega[HOL_SLIDER_N], energy[HOL_SLIDER_N], sum = 0;
    const int n = hol_slider_modes(problem, x->q, x->v, omega, energy);
    for (int i = 2; i < n; i++)
        sum += energy[i];
    return sum;
}

static double figures002_millimetres(const HolView *x, const void *number) {
    return 1e3 * x->q[*(const int *)number];
}

static void figures002_curve(HolFigure *f, const SliderCurve *c, HolFigureValue y,
                             const void *data) {
    const HolSlider d = hol_slider_data(3.4e9, 4);
    const HolProblem problem = hol_slider_problem(&d);
    double q[HOL_SLIDER_N] = {[2] = 0.45}, v[HOL_SLIDER_N] = {0};
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "dae-alpha");
    snprintf(o.method.iteration, sizeof o.method.iteration, "%s", c->iteration);
    o.method.rho = c->rho;
    o.step = 1.0 / c->rate;
    o.end = 1;
    hol_figure_problem(f,
                       &(HolTrace){.label = c->label,
                                   .y = y,
                                   .data = data ? data : &problem,
                                   .color = c->color,
                                   .dash = c->dash},
                       &problem, q, v, &o);
}

static void figures002_motion(HolFigures *all) {
    static const int middle[] = {5, 9};
    HolFigure f;
    hol_figure_begin(&f, all, "002", "7", "Nodal coordinates, rho = 0.75, h = 1/2000 s",
                     "time / s");
    for (int i = 0; i < 2; i++) {
        hol_figure_panel(&f, i ? "w at the end / mm" : "w in the middle / mm", 0, 0);
        figures002_curve(&f, &(SliderCurve){NULL, "newton", 0.75, 2000, 0, 0},
                         figures002_millimetres, &middle[i]);
    }
    hol_figure_draw(&f);

    hol_figure_begin(&f, all, "002", "8", "Rigid motion: phi2, rho = 0.75, h = 1/500 s",
                     "time / s");
    hol_figure_panel(&f, "rad", 0, 0);
    figures002_curve(&f, &(SliderCurve){"index 2", "newton", 0.75, 500, 0, 0}, hol_figure_q,
                     &hol_figure_index[1]);
    figures002_curve(&f, &(SliderCurve){"CM (cmp)", "cmp", 0.75, 500, 1, 1}, hol_figure_q,
                     &hol_figure_index[1]);
    hol_figure_draw(&f);

    hol_figure_begin(&f, all, "002", "9", "Vibration in the middle of the rod, h = 1/500 s",
                     "time / s");
    for (int i = 0; i < 2; i++) {
        hol_figure_panel(&f, i ? "rho = 0: mm" : "rho = 0.5: mm", 0, 0);
        figures002_curve(&f, &(SliderCurve){NULL, "newton", i ? 0 : 0.5, 500, 0, 0},
                         figures002_millimetres, &middle[0]);
    }
    hol_figure_draw(&f);
}

static void figures002_energies(HolFigures *all) {
    static const struct {
        const char *number, *title;
        SliderCurve curves[3];
    } rows[] = {{"10",
                 "Total energy, h = 1/500 s, and that of the high modes",
                 {{"rho = 0.75", "newton", 0.75, 500, 0, 0},
                  {"rho = 0.5", "newton", 0.5, 500, 1, 0},
                  {"rho = 0", "newton", 0, 500, 3, 0}}},
                {"11",
                 "Total energy, rho = 0.75, and that of the high modes",
                 {{"h = 1/750 s", "newton", 0.75, 750, 0, 0},
                  {"h = 1/500 s", "newton", 0.75, 500, 1, 0},
                  {"h = 1/300 s", "newton", 0.75, 300, 3, 0}}},
                {"12",
                 "CM against index 2: total energy and that of the high modes",
                 {{"index 2", "newton", 0.75, 500, 0, 0}, {"CM (cmp)", "cmp", 0.75, 500, 1, 1}}}};
    for (int i = 0; i < 3; i++) {
        HolFigure f;
        hol_figure_begin(&f, all, "002", rows[i].number, rows[i].title, "time / s");
        for (int panel = 0; panel < 2; panel++) {
            hol_figure_panel(&f, panel ? "high modes / J" : "total / J", 0, panel ? 1.1e-5 : 0.36);
            for (int k = 0; k < 3 && rows[i].curves[k].label; k++)
                figures002_curve(&f, &rows[i].curves[k],
                                 panel ? figures002_high : figures002_energy, NULL);
        }
        hol_figure_draw(&f);
    }
}

void hol_figures_002(HolFigures *all) {
    figures002_spring(all);
    figures002_bushing(all);
    figures002_motion(all);
    figures002_energies(all);
}
