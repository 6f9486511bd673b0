// SPDX-License-Identifier: Apache-2.0
// Figures of the conditionally explicit paper: spectral radii (3, 4, 7, 9), vibrations (5, 6, 8), the
// path of the top (11). Radii come from the formulas of paper003_formula.c; those of Runge-Kutta on
// x'' = -x are |sum z^k/k!| at z = i Omega, that of HHT from its recursion in (x, v, a).
#include "tools/papers/figures/figures.h"
#include "tools/papers/paper003/paper003.h"

#include <complex.h>
#include <math.h>

#define OSCILLATOR "papers/explicit-oscillator.yaml"

static double figures003_family(double Omega, const void *set) {
    return hol_formula_radius(set, Omega);
}

static double figures003_printed(double Omega, const void *set) {
    return hol_formula_printed_radius(set, Omega);
}

static double figures003_adams(double Omega, const void *order) {
    return hol_formula_adams_radius(*(const int *)order, Omega);
}

static double figures003_runge_kutta(double Omega, const void *order) {
    double complex sum = 1, term = 1;
    for (int k = 1; k <= *(const int *)order; k++) {
        term *= I * Omega / k;
        sum += term;
    }
    return cabs(sum);
}

// largest root of HHT, state x, h v, h^2 a
static double figures003_hht(double Omega, const void *alpha_at) {
    const double alpha = *(const double *)alpha_at, W = Omega * Omega;
    const double beta = (1 - alpha) * (1 - alpha) / 4, gamma = 0.5 - alpha;
    const double k = 1 / (1 + (1 + alpha) * beta * W);
    const double a[3] = {-W * k, -(1 + alpha) * W * k, -(1 + alpha) * W * (0.5 - beta) * k};
    const double rows[3][3] = {{1 + beta * a[0], 1 + beta * a[1], 0.5 - beta + beta * a[2]},
                               {gamma * a[0], 1 + gamma * a[1], 1 - gamma + gamma * a[2]},
                               {a[0], a[1], a[2]}};
    double A[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * j + i] = rows[i][j];
    return hol_paper_radius(3, A);
}

typedef struct RadiusCurve {
    const char *label;
    double (*y)(double x, const void *data);
    const void *data;
    int dash;
} RadiusCurve;

typedef struct RadiusFigure {
    const char *number, *title;
    double last, low, high;
    RadiusCurve curves[6];
} RadiusFigure;

static const HolMultistep g3_1 = {3, 1, 0.5, 1, 1}, g3_43 = {3, 4. / 3, 0.5, 1, 1},
                          g3_2 = {3, 2, 0.5, 1, 1}, g4_54 = {4, 5. / 4, 1. / 3, 0.5, 1},
                          g4_34 = {4, 3. / 4, 1. / 3, 0.5, 1}, g5_45 = {5, 4. / 5, 1, 1, 1};
static const double hht_alpha = -0.1;

static void figures003_radii(HolFigures *all) {
    const RadiusFigure rows[] = {{"3",
                                  "Spectral radius of degree 3",
                                  2.5,
                                  0.7,
                                  2,
                                  {{"alpha = 1", figures003_family, &g3_1, 0},
                                   {"alpha = 4/3", figures003_family, &g3_43, 1},
                                   {"alpha = 2", figures003_family, &g3_2, 2}}},
                                 {"4",
                                  "Spectral radii of common methods",
                                  3,
                                  0.4,
                                  2,
                                  {{"AB4", figures003_adams, &hol_figure_index[4], 0},
                                   {"AB5", figures003_adams, &hol_figure_index[5], 1},
                                   {"HHT, alpha = -0.1", figures003_hht, &hht_alpha, 0},
                                   {"RK3", figures003_runge_kutta, &hol_figure_index[3], 0},
                                   {"RK4", figures003_runge_kutta, &hol_figure_index[4], 1},
                                   {"G3 (CD)", figures003_family, &g3_1, 0}}},
                                 {"7",
                                  "Spectral radius of degree 4",
                                  2,
                                  0.6,
                                  1.6,
                                  {{"alpha = 5/4", figures003_family, &g4_54, 0},
                                   {"alpha = 3/4", figures003_family, &g4_34, 0},
                                   {"AB4", figures003_adams, &hol_figure_index[4], 1},
                                   {"RK3", figures003_runge_kutta, &hol_figure_index[3], 1}}},
                                 {"9",
                                  "Spectral radius of degree 5, alpha = 4/5",
                                  3,
                                  0.6,
                                  1.6,
                                  {{"matrix (74) as printed", figures003_printed, &g5_45, 1},
                                   {"corrected: above 1 everywhere", figures003_family, &g5_45, 0},
                                   {"RK4", figures003_runge_kutta, &hol_figure_index[4], 2}}}};
    for (int i = 0; i < 4; i++) {
        HolFigure f;
        hol_figure_begin(&f, all, "003", rows[i].number, rows[i].title, "\xcf\x89 h");
        hol_figure_panel(&f, "spectral radius", rows[i].low, rows[i].high);
        for (int k = 0; k < 6 && rows[i].curves[k].label; k++) {
            const RadiusCurve *c = &rows[i].curves[k];
            hol_figure_function(&f, c->label, c->y, c->data, 0.01, rows[i].last, 500, k, c->dash);
        }
        hol_figure_draw(&f);
    }
}

static double figures003_forced_exact(double t, const void *data) {
    (void)data;
    return sin(10 * t) / (1 - 100);
}

static void figures003_vibrations(HolFigures *all) {
    HolFigure f;
    for (int k = 0; k < 2; k++) {
        hol_figure_begin(&f, all, "003", k ? "6" : "5",
                         k ? "Vibration, alpha = 1, h = 2.0 s: stable"
                           : "Vibration, alpha = 1, h = 2.1 s: unstable",
                         "time / s");
        hol_figure_panel(&f, "x", 0, 0);
        hol_figure_trace(&f,
                         &(HolTrace){.model = OSCILLATOR,
                                     .y = hol_figure_q,
                                     .data = &hol_figure_index[0],
                                     .bound = 1e30},
                         "method=explicit3 .set=cd .start=zero .force=true step=%s end=1000",
                         k ? "2.0" : "2.1");
        if (!k) {
            f.plot.from = 0;
            f.plot.to = 60;
        }
        hol_figure_draw(&f);
    }
    hol_figure_begin(&f, all, "003", "8", "Vibration, degree 4, alpha = 5/4", "time / s");
    for (int k = 0; k < 2; k++) {
        hol_figure_panel(&f, k ? "h = 0.01 s: x" : "h = 0.1 s: x", -0.1, 0.1);
        hol_figure_trace(&f,
                         &(HolTrace){.label = k ? NULL : "alpha = 5/4",
                                     .model = OSCILLATOR,
                                     .y = hol_figure_q,
                                     .data = &hol_figure_index[0],
                                     .bound = 10,
                                     .every = k ? 5 : 1,
                                     .color = 3},
                         "wbar=10 method=explicit4 .set=g4_54 .start=zero .force=true step=%s "
                         "end=1000",
                         k ? "0.01" : "0.1");
        if (!k)
            hol_figure_function(&f, "exact", figures003_forced_exact, NULL, 0, 1000, 8000, 0, 0);
    }
    hol_figure_draw(&f);
}

// place of the centre of gravity, 0.05 m from the tip, in Euler angles (z, x, z)
static double figures003_top_x(const HolView *x, const void *data) {
    (void)data;
    return 0.05 * sin(x->q[0]) * sin(x->q[1]);
}

static double figures003_top_y(const HolView *x, const void *data) {
    (void)data;
    return -0.05 * cos(x->q[0]) * sin(x->q[1]);
}

static void figures003_top(HolFigures *all) {
    HolFigure f;
    hol_figure_begin(&f, all, "003", "11", "Spinning top, degree 5, h = 1e-3 s, from above",
                     "x / m");
    f.plot.equal = 1;
    hol_figure_panel(&f, "y / m", 0, 0);
    hol_figure_trace(&f,
                     &(HolTrace){.model = "papers/explicit-top.yaml",
                                 .x = figures003_top_x,
                                 .y = figures003_top_y},
                     "method=explicit5 .set=g5_1 .start=zero .force=true step=1e-3 end=10");
    hol_figure_draw(&f);
}

void hol_figures_003(HolFigures *all) {
    figures003_radii(all);
    figures003_vibrations(all);
    figures003_top(all);
}
