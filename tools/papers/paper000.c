// SPDX-License-Identifier: Apache-2.0
// The tangent-space paper (Meccanica 57, 2022), sections 3 to 6.1: the driven stiff pendulum in its
// angle and with constraints; stability limits by bisection on the running code; the classical
// index-3 methods that fail there, and `tangent` with the same parameters. paper000_models.c has
// the double pendulum, Andrews' mechanism and the rest.
#include "tools/papers/paper000.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ANGLE "papers/driven-pendulum-angle.yaml"
#define ROD "driven-pendulum.yaml"

// ---- oscillation of a reaction: half the largest second difference over the last seconds ----

int hol_paper_watch_saw(void *user, const HolView *x) {
    HolSaw *s = user;
    const double r = x->lambda[s->row];
    const double saw = s->n >= 2 ? fabs(r - 2 * s->last[0] + s->last[1]) / 4 : 0;
    if (saw > 1000 && s->burst == 0)
        s->burst = x->t;
    if (x->t >= s->from)
        s->saw = fmax(s->saw, saw);
    if (x->t >= s->early && x->t < s->early + 10)
        s->before = fmax(s->before, saw);
    s->last[1] = s->last[0];
    s->last[0] = r;
    s->n++;
    return !isfinite(r);
}

// ---- section 3: stability limits ----

// small amplitude, so that the pendulum stays linear
static double paper000_limit(HolPaper *p, const char *model, const char *method, double low,
                             double high) {
    const int angle = strcmp(model, ANGLE) ? 2 : 0;
    char settings[200];
    snprintf(settings, sizeof settings, "T0=1e-5 %s", method);
    return hol_paper_limit(p, angle, 2e-4, low, high, 4000, model, settings);
}

// spectral radius of the matrix (25) of Newmark, alpha = 1/2 (the usual gamma), no damping; as
// printed or with the entry (2,1) corrected
static double newmark_radius(double beta, double omega_h, int printed) {
    const double W = omega_h * omega_h, alpha = 0.5, scale = 1 / (2 + 2 * beta * W);
    const double rows[3][3] = {
        {W * (2 * beta - 1), -2 * W, -2 * W},
        {2 * (1 - alpha) + (printed ? 2 * (beta - alpha) : 2 * beta - alpha) * W,
         2 * (beta - alpha) * W + 2, -2 * alpha * W},
        {1 - 2 * beta, 2, 2}};
    double A[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * j + i] = scale * rows[i][j];
    return hol_paper_radius(3, A);
}

static void paper000_write_limits(HolPaper *p) {
    hol_paper_table(p, "Section 3: stability limits of the driven pendulum", ANGLE ", " ROD);
    const HolFrequencies f = hol_paper_start_frequencies(p, ROD, "");
    hol_paper_row(p, &(HolPaperRow){.what = "largest frequency [rad/s], from reduced M and K",
                                    .printed = "3.1304951",
                                    .value = f.reduced_euclid,
                                    .digits = 8});
    static const struct {
        const char *what, *model, *method, *printed;
        double low, high;
    } rows[] = {
        {"central differences, angle", ANGLE, "method=central-differences", "0.63888", 0.6, 0.7},
        {"Fox-Goodwin, angle", ANGLE, "method=tangent .scheme=fox-goodwin .start=plain", "0.78246",
         0.7, 0.85},
        {"Fox-Goodwin in the tangent space, constraints", ROD,
         "method=tangent .scheme=fox-goodwin .metric=euclid .start=plain", "0.78246", 0.7, 0.85},
        {"linear acceleration in the tangent space, constraints", ROD,
         "method=tangent .scheme=linear-acceleration .metric=euclid .start=plain", NULL, 1, 1.2},
    };
    for (int i = 0; i < 4; i++)
        hol_paper_row(p, &(HolPaperRow){.what = hol_paper_text(p, "%s: limit [s]", rows[i].what),
                                        .printed = rows[i].printed,
                                        .value = paper000_limit(p, rows[i].model, rows[i].method,
                                                                rows[i].low, rows[i].high),
                                        .right = i == 3 ? sqrt(12) / f.reduced_euclid : 0,
                                        .why = i == 3 ? "corrected: by equation (11)" : NULL});
    for (int k = 0; k < 2; k++) {
        const double beta = k ? 0.25 : 1. / 12;
        hol_paper_row(p,
                      &(HolPaperRow){
                          .what = hol_paper_text(p, "matrix (25), %s, omega h = 1: spectral radius",
                                                 k ? "trapezoidal" : "Fox-Goodwin"),
                          .printed = "1.000",
                          .value = newmark_radius(beta, 1, 1),
                          .right = newmark_radius(beta, 1, 0),
                          .digits = 4,
                          .why = "entry (2,1) has 2 (beta - alpha) for 2 beta - alpha"});
    }
    hol_paper_row(p, &(HolPaperRow){.what = "step for ten points a cycle of the torque [s]",
                                    .printed = "6.28",
                                    .value = 2 * acos(-1) / (10 * 0.1)});
    hol_paper_row(p, &(HolPaperRow){.what = "the same for the free swing [s]",
                                    .printed = "0.2",
                                    .value = 2 * acos(-1) / (10 * f.reduced_euclid)});
}

// ---- figures: which steps are stable ----

typedef struct Figure {
    const char *what, *model, *method, *why;
    double h[6];
    int stable; // so many of them as the paper says
} Figure;

static const Figure figures[] = {
    {"Fig. 3: central differences, angle",
     ANGLE,
     "method=central-differences",
     NULL,
     {0.01, 0.1, 0.6, 0.7},
     3},
    {"Fig. 4: Fox-Goodwin, angle",
     ANGLE,
     "method=tangent .scheme=fox-goodwin .start=plain",
     NULL,
     {0.01, 0.1, 0.6, 0.7, 0.78, 0.79},
     5},
    {"Fig. 5: trapezoidal, angle",
     ANGLE,
     "method=tangent .scheme=trapezoidal .start=plain",
     NULL,
     {0.1, 0.7, 0.79, 6},
     4},
    {"Fig. 6: classical index-3 trapezoidal",
     ROD,
     "method=newmark .gamma=0.5",
     NULL,
     {0.1, 0.7, 0.79, 6},
     4},
    {"Fig. 7: classical index-3 Fox-Goodwin",
     ROD,
     "method=newmark .gamma=0.5 .beta=0.08333333333333333 .force=true",
     NULL,
     {0.001, 0.1, 0.6, 0.78, 0.79},
     0},
    {"Fig. 12: tangent, Fox-Goodwin",
     ROD,
     "method=tangent .scheme=fox-goodwin .metric=euclid .start=plain",
     NULL,
     {0.1, 0.6, 0.78, 0.79},
     3},
    {"Fig. 13: tangent, trapezoidal",
     ROD,
     "method=tangent .scheme=trapezoidal .metric=euclid .start=plain",
     NULL,
     {0.1, 0.7, 0.79, 6},
     4},
    {"(ours) tangent, hht",
     ROD,
     "method=tangent .scheme=hht .metric=euclid .start=plain",
     NULL,
     {0.1, 0.79, 6},
     3},
    {"(ours) tangent, hermite", ROD, "method=tangent", NULL, {0.1, 0.7, 0.79, 6}, 4},
};

static void write_figures(HolPaper *p) {
    hol_paper_table(p, "Sections 3 and 6: largest angle over 600 s (static: 0.0102 rad)",
                    ANGLE ", " ROD);
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        const Figure *f = &figures[k];
        const int angle = strcmp(f->model, ANGLE) ? 2 : 0;
        for (int i = 0; i < 6 && f->h[i] > 0; i++) {
            const double end = f->h[i] < 0.05 ? 100 : 600;
            const double value =
                hol_paper_largest(p, angle, 0.1, f->model, "%s step=%g end=%g", f->method, f->h[i],
                                  f->h[i] * floor(end / f->h[i]));
            const int stable = value < 0.1, expected = i < f->stable;
            const int ours = f->what[0] == '(';
            hol_paper_row(
                p, &(HolPaperRow){
                       .what = hol_paper_text(p, "%s, h = %g s", f->what, f->h[i]),
                       .printed = ours       ? NULL
                                  : expected ? "stable"
                                             : "unstable",
                       .computed = stable ? hol_paper_text(p, "stable, %.4g", value) : "unstable",
                       .verdict = ours ? HOL_VERDICT_NONE : hol_paper_verdict(stable == expected)});
        }
    }
}

// ---- the classical methods' reactions ----

typedef struct Growth {
    int n;
    double first, last; // |a_y| when it passes 1e-6 and before it passes 1e-2
} Growth;

// the pendulum hangs: its vertical acceleration is nothing but the error along the constraint
static int watch_growth(void *user, const HolView *x) {
    Growth *g = user;
    const double error = fabs(x->a[1]);
    if (error > 1e-2)
        return 1;
    if (g->n > 0)
        g->n++;
    if (error > 1e-6 && g->n == 0) {
        g->n = 1;
        g->first = error;
    }
    g->last = error;
    return 0;
}

static void write_growth(HolPaper *p) {
    hol_paper_table(p, "Section 4: why classical Fox-Goodwin fails at every step", ROD);
    static const double steps[] = {0.001, 0.01, 0.05};
    for (int i = 0; i < 3; i++) {
        Growth g = {0};
        hol_paper_watch(p, watch_growth, &g, ROD,
                        "method=newmark .gamma=0.5 .beta=0.08333333333333333 .force=true step=%g",
                        steps[i]);
        const double growth = pow(g.last / g.first, 1. / (g.n - 1));
        hol_paper_row(
            p, &(HolPaperRow){
                   .what = hol_paper_text(p, "growth of accelerations a step, h = %g s", steps[i]),
                   .printed = "\"fails\"",
                   .value = growth,
                   .right = 5 + sqrt(24),
                   .verdict = hol_paper_verdict(fabs(growth / (5 + sqrt(24)) - 1) < 0.02),
                   .why = "corrected: the root of z^2 + 10 z + 1, whatever the step"});
    }
}

static void write_amplitudes(HolPaper *p) {
    hol_paper_table(p, "Figs. 8 to 10: torque amplitude 5 to 9 N m, trapezoidal, h = 0.1 s, 200 s",
                    ROD);
    for (int T0 = 5; T0 <= 9; T0++) {
        HolSaw classical = {.row = 0, .from = 190, .early = 90}, tangent = {.row = 0, .from = 190};
        const HolPaperRun a =
            hol_paper_watch(p, hol_paper_watch_saw, &classical, ROD,
                            "T0=%d method=newmark .gamma=0.5 step=0.1 end=200", T0);
        const HolPaperRun b = hol_paper_watch(
            p, hol_paper_watch_saw, &tangent, ROD,
            "T0=%d method=tangent .scheme=trapezoidal .metric=euclid .start=plain step=0.1 end=200",
            T0);
        const int fails = a.status != HOL_OK || classical.burst > 0;
        const double growth = classical.saw / classical.before;
        hol_paper_row(
            p,
            &(HolPaperRow){
                .what = hol_paper_text(p, "%d N m: oscillation of the reaction at the end [N]", T0),
                .printed = T0 == 9 ? "fails" : "unstable reactions",
                .computed = fails ? hol_paper_text(p, "fails: %.2g, above 1000 from %.4g s",
                                                   classical.saw, classical.burst)
                                  : hol_paper_text(p, "%.3g, %.2g times that of 90 to 100 s",
                                                   classical.saw, growth),
                .corrected = b.status == HOL_OK ? hol_paper_text(p, "%.2g", tangent.saw) : "fails",
                .why = "unstable where it grows, however small it still is; corrected: tangent "
                       "with the same parameters and step",
                .verdict = hol_paper_verdict(fails == (T0 == 9) && (fails || growth > 1.5) &&
                                             b.status == HOL_OK)});
    }
    const double angle = hol_paper_largest(p, 0, 10, ANGLE,
                                           "T0=9 method=tangent .scheme=trapezoidal .start=plain "
                                           "step=0.1 end=200");
    hol_paper_row(p, &(HolPaperRow){.what = "Fig. 9: 9 N m in the angle alone: largest angle [rad]",
                                    .printed = "stable",
                                    .value = angle,
                                    .verdict = hol_paper_verdict(angle < 3)});
}

void hol_paper_000(HolPaper *p) {
    hol_paper_chapter(
        p, "000",
        "A non-damped stabilization algorithm for multibody dynamics (Meccanica 57, 2022)",
        "Method `tangent` in the paper's metric (`metric: euclid`), against the classical index-3 "
        "`newmark`. The step is redone in every iteration from the old state mapped into the new "
        "chart; the paper leaves open how the start accelerations are found (here: consistent).");
    paper000_write_limits(p);
    write_figures(p);
    write_growth(p);
    write_amplitudes(p);
    hol_paper_000_models(p);
}
