// SPDX-License-Identifier: Apache-2.0
// The index-3 Newmark paper's claim from industry: on models of more than 15,000 equations Newmark or
// HHT is two to four times faster than BDF. Here: a row of 1650 stiff double pendula (9900 velocities,
// 6600 constraints), 1 s. Each method runs over a range of tolerances and settings; its time at an
// error is the least over the settings, between two tolerances by the logarithms of both.
#include "tools/bench/bench.h"
#include "tools/papers/paper001.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGE_PENDULA = 1650, LARGE_RUNS = 6, LARGE_SETTINGS = 6 };

static HolModel *large_model(HolPaper *p, HolArena *arena, HolSimOptions *o) {
    HolModel *model = NULL;
    const char *text = hol_bench_model_text(arena, NULL, "stiff-row", LARGE_PENDULA);
    p->status = text ? hol_model_parse(text, strlen(text), "stiff-row", NULL, 0, &model, o, p->err)
                     : hol_error_set(p->err, HOL_ERR_MEMORY, "out of memory");
    o->end = 1;
    return model;
}

// angles at the end (q: 3 a body) into out; CPU seconds, or INFINITY
static double large_run(HolPaper *p, const HolModel *m, HolSimOptions o, double *out) {
    HolSim *s = NULL;
    HolError err;
    double cpu = INFINITY;
    if (hol_sim_create(m, &o, &s, &err) == HOL_OK && hol_sim_advance(s, o.end, &err) == HOL_OK) {
        const HolView x = hol_sim_view(s);
        for (int i = 0; i < 2 * LARGE_PENDULA; i++)
            out[i] = x.q[3 * i + 2];
        cpu = hol_sim_stats(s).cpu_seconds;
    }
    hol_sim_destroy(s);
    (void)p;
    return cpu;
}

typedef struct LargeCurve {
    int n;
    double error[LARGE_RUNS], cpu[LARGE_RUNS];
} LargeCurve;

// time at which the curve reaches the error, INFINITY: outside
static double large_time(const LargeCurve *c, double error) {
    double best = INFINITY;
    for (int i = 0; i < c->n; i++)
        if (c->error[i] <= error)
            best = fmin(best, c->cpu[i]);
    for (int i = 1; i < c->n; i++) {
        const double a = log(c->error[i - 1]), b = log(c->error[i]), x = log(error);
        if ((a - x) * (b - x) < 0)
            best = fmin(
                best, exp(log(c->cpu[i - 1]) + (x - a) / (b - a) * log(c->cpu[i] / c->cpu[i - 1])));
    }
    return best;
}

static LargeCurve large_curve(HolPaper *p, const HolModel *m, const HolSimOptions *base,
                              const double *exact, double *angles, double first) {
    LargeCurve c = {0};
    for (int i = 0; i < LARGE_RUNS; i++) {
        HolSimOptions o = *base;
        o.step = 0;
        o.tolerance = first * pow(10, -0.5 * i);
        const double cpu = large_run(p, m, o, angles);
        if (!isfinite(cpu))
            continue;
        double error = 0;
        for (int k = 0; k < 2 * LARGE_PENDULA; k++)
            error = fmax(error, fabs(angles[k] - exact[k]));
        c.error[c.n] = error;
        c.cpu[c.n++] = cpu;
        if (error < 2e-5 || cpu > 20)
            break;
    }
    return c;
}

void hol_paper_001_large(HolPaper *p) {
    static const struct {
        const char *method, *formulation;
        double alpha;
    } settings[LARGE_SETTINGS] = {{"newmark", NULL, NAN}, {"hht", NULL, -0.05}, {"hht", NULL, -0.3},
                                  {"bdf", "ggl", NAN},    {"bdf", "cs", NAN},   {"bdf", "cm", NAN}};
    static const double errors[] = {1e-2, 1e-3, 1e-4};
    hol_paper_table(p,
                    "Industrial models: time at equal error of all angles at 1 s, 16500 equations, "
                    "best setting of each [s]",
                    "holonom generate stiff-row 1650");
    LargeCurve curves[LARGE_SETTINGS] = {0};
    HolSimOptions o;
    HolArena arena = {0};
    HolModel *m = p->quick ? NULL : large_model(p, &arena, &o);
    double *angles = HOL_NEW(&arena, double, 2 * LARGE_PENDULA);
    double *exact = HOL_NEW(&arena, double, 2 * LARGE_PENDULA);
    if (m && angles && exact) {
        HolSimOptions fine = o;
        snprintf(fine.method.name, sizeof fine.method.name, "tangent");
        fine.step = 0;
        fine.tolerance = 1e-10;
        large_run(p, m, fine, exact);
        for (int k = 0; k < LARGE_SETTINGS; k++) {
            HolSimOptions with = o;
            snprintf(with.method.name, sizeof with.method.name, "%s", settings[k].method);
            with.method.alpha = settings[k].alpha;
            if (settings[k].formulation)
                snprintf(with.method.formulation, sizeof with.method.formulation, "%s",
                         settings[k].formulation);
            curves[k] = large_curve(p, m, &with, exact, angles, 3e-2);
        }
    }
    for (int e = 0; e < 3; e++) {
        double best[3] = {INFINITY, INFINITY, INFINITY}; // newmark, hht, bdf
        for (int k = 0; k < LARGE_SETTINGS; k++) {
            const int family = k == 0 ? 0 : k < 3 ? 1 : 2;
            best[family] = fmin(best[family], large_time(&curves[k], errors[e]));
        }
        const double ratio = best[2] / fmin(best[0], best[1]);
        hol_paper_row(
            p, &(HolPaperRow){
                   .what = hol_paper_text(p,
                                          "error %g: time of newmark / hht / bdf; of bdf over the "
                                          "faster of the others",
                                          errors[e]),
                   .printed = "2 to 4 times",
                   .computed = p->quick ? "-"
                                        : hol_paper_text(p, "%.2g / %.2g / %.2g; %.2g", best[0],
                                                         best[1], best[2], ratio),
                   .verdict = p->quick ? HOL_VERDICT_NONE : hol_paper_verdict(ratio >= 2)});
    }
    hol_arena_free(&arena);
    hol_model_destroy(m);
}
