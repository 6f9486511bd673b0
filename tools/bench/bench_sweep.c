// SPDX-License-Identifier: Apache-2.0
// The sweep over our methods: each series goes from coarse to fine until it meets the tightest
// limit or costs far more than the best so far; between the settings near the cheapest and the next
// coarser ones some more are tried; the cheapest few runs of every limit are then timed again,
// with repeats, and the best of them is the answer.
#include "tools/bench/bench.h"
#include "tools/compare/compare.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SMALL = 1, LARGE = 2, STIFF = 4, EVERY = 7, QUICK = 8, LARGE_STIFF = 16 };

typedef struct Series {
    const char *method;
    int order;          // taylor, radau
    const char *choice; // scheme of tangent or taylor, formulation of bdf, projection of rk
    int by_step;        // 1: fixed steps, 0: tolerances
    double first, last; // tolerance; step as a part of the end time
    double factor;      // from one to the next
    int where;
} Series;

static const double half = 0.31622776601683794; // half a decade

static const Series series[] = {
    {"taylor", 0, NULL, 0, 1e1, 1e-15, half, SMALL | LARGE | QUICK},
    {"taylor", 6, NULL, 0, 1e1, 1e-8, half, SMALL},
    {"taylor", 7, NULL, 0, 1e1, 1e-9, half, SMALL},
    {"taylor", 8, NULL, 0, 1e1, 1e-10, half, SMALL | LARGE},
    {"taylor", 9, NULL, 0, 1e1, 1e-10, half, SMALL | LARGE},
    {"taylor", 10, NULL, 0, 1e1, 1e-11, half, SMALL | LARGE | QUICK},
    {"taylor", 11, NULL, 0, 1e1, 1e-11, half, SMALL | LARGE},
    {"taylor", 12, NULL, 0, 1e1, 1e-13, half, SMALL | LARGE},
    {"taylor", 14, NULL, 0, 1e1, 1e-14, half, SMALL},
    {"taylor", 16, NULL, 0, 1e1, 1e-15, half, SMALL | LARGE | QUICK},
    {"taylor", 18, NULL, 0, 1e1, 1e-15, half, SMALL},
    {"taylor", 20, NULL, 0, 1e1, 1e-15, half, SMALL},
    {"taylor", 24, NULL, 0, 1e1, 1e-15, half, SMALL},
    {"taylor", 8, "stable", 0, 1e1, 1e-6, half, SMALL | LARGE},
    {"taylor", 10, "stable", 0, 1e1, 1e-6, half, SMALL | LARGE},
    {"taylor", 12, "stable", 0, 1e1, 1e-6, half, SMALL | LARGE},
    {"tangent", 0, "hermite", 0, 1e1, 1e-10, half, EVERY | QUICK | LARGE_STIFF},
    {"tangent", 0, "hermite", 1, 1. / 50, 1e-5, 0.7, EVERY},
    {"tangent", 0, "obreshkov3", 1, 1. / 50, 1e-5, 0.7, SMALL},
    {"tangent", 0, "obreshkov3", 0, 1e1, 1e-10, half, SMALL | STIFF | LARGE_STIFF},
    {"rk853", 0, NULL, 0, 1e1, 1e-13, half, SMALL | LARGE},
    {"rk4", 0, NULL, 1, 1. / 10, 1e-5, 0.7, SMALL | LARGE},
    {"rk3", 0, "joints", 1, 1. / 10, 1e-4, 0.7, SMALL | LARGE},
    {"rk4", 0, "joints", 1, 1. / 10, 1e-4, 0.7, SMALL | LARGE},
    {"rk4", 0, "joints", 0, 1e1, 1e-8, half, SMALL | LARGE},
    {"explicit4", 0, NULL, 1, 1. / 10, 1e-5, 0.7, SMALL | LARGE},
    {"generalized-alpha", 0, NULL, 1, 1. / 50, 1e-5, 0.7, SMALL | STIFF},
    {"hht", 0, NULL, 0, 1, 1e-8, half, STIFF},
    {"newmark", 0, NULL, 1, 1. / 50, 1e-5, 0.7, STIFF},
    {"dae-alpha", 0, NULL, 0, 1, 1e-8, half, STIFF},
    {"radau", 0, NULL, 0, 1, 1e-9, 0.6, STIFF},
    {"radau", 7, NULL, 0, 1, 1e-9, 0.6, STIFF},
    {"radau", 9, NULL, 0, 1e-1, 1e-9, 0.6, STIFF},
    {"bdf", 0, "cs", 0, 1, 1e-9, half, SMALL | STIFF},
    {"bdf", 0, "ggl", 0, 1, 1e-9, half, STIFF},
    {0},
};

typedef struct Candidate {
    const Series *series;
    double value;
    HolSimOptions options;
    HolBenchRun run;
} Candidate;

enum { MOST_CANDIDATES = 900, SERIES_SECONDS = 100, MOST_REFINED = 40 };

typedef struct Sweep {
    const HolBenchProblem *problem;
    const HolModel *model;
    const HolBenchEffort *effort;
    int n_limits, n;
    double cheapest[HOL_BENCH_LIMITS];
    Candidate *candidates;
} Sweep;

static HolSimOptions make_options(const HolBenchProblem *p, const Series *s, double value) {
    HolSimOptions o = hol_sim_options();
    o.end = p->end;
    hol_series_method(&o.method, s->method, s->choice, s->order);
    o.step = s->by_step ? p->end / ceil(1 / value - 1e-9) : 0; // whole numbers of steps
    o.tolerance = s->by_step ? 0 : value;
    o.max_steps = 2000000;
    o.threads = 1; // CPU time is compared, and the peers work alone
    return o;
}

// one setting; NULL when it failed
static const HolBenchRun *bench_sweep_try_value(Sweep *w, const Series *s, double value) {
    Candidate *c = &w->candidates[w->n];
    *c = (Candidate){.series = s, .value = value, .options = make_options(w->problem, s, value)};
    double known = fmin(w->cheapest[w->n_limits - 1], 10 * w->cheapest[0]);
    double most = w->problem->n >= 1000 ? 120 : 10; // wall seconds: the machine may be busy
    double cap = isinf(known) ? most : fmin(most, fmax(0.2, 12 * known));
    hol_bench_measure(w->problem, w->model, &c->options, w->effort->watch, 1, cap, &c->run);
    if (c->run.ok && c->run.best < 0.05) // one of several runs is hardly disturbed
        hol_bench_measure(w->problem, w->model, &c->options, w->effort->watch,
                          c->run.best < 0.002 ? 20 : 2, 0, &c->run);
    if (w->effort->verbose)
        hol_bench_print_tried(w->effort, w->problem, "ours", &c->run);
    if (!c->run.ok)
        return NULL;
    w->n++;
    for (int l = 0; l < w->n_limits; l++)
        if (hol_bench_meets(&c->run, &w->problem->limit[l]))
            w->cheapest[l] = fmin(w->cheapest[l], c->run.best);
    return &c->run;
}

static void run_series(Sweep *w, const Series *s) {
    int failures = 0, tightest = w->n_limits - 1;
    time_t start = time(NULL);
    for (double value = s->first; value >= s->last * 0.999; value *= s->factor) {
        if (w->n == MOST_CANDIDATES || time(NULL) - start > SERIES_SECONDS)
            return;
        const HolBenchRun *run = bench_sweep_try_value(w, s, value);
        if (!run) {
            if (++failures >= (s->by_step ? 14 : 6))
                return;
            continue;
        }
        if (hol_bench_meets(run, &w->problem->limit[tightest]))
            return;
        // this series cannot win any more (settings too coarse for any limit may cost more than
        // finer ones)
        int regular = hol_bench_meets(run, &w->problem->limit[0]);
        if (run->best > 30 * w->cheapest[0] || (regular && run->best > 3 * w->cheapest[tightest]))
            return;
    }
}

// how much more it takes than the cheapest one, at the limit where it is nearest
static double nearness(const Sweep *w, const HolBenchRun *r) {
    double least = INFINITY;
    for (int l = 0; l < w->n_limits; l++)
        if (hol_bench_meets(r, &w->problem->limit[l]))
            least = fmin(least, r->best / w->cheapest[l]);
    return least;
}

// between good settings, the nearest first, and the next coarser ones
static void bench_sweep_refine(Sweep *w) {
    const int n = w->n;
    int done[MOST_CANDIDATES] = {0};
    time_t start = time(NULL);
    for (int refined = 0; refined < MOST_REFINED; refined++) {
        int best = -1;
        double least = HOL_BENCH_NEAR;
        for (int i = 0; i < n; i++) {
            const double near = nearness(w, &w->candidates[i].run);
            if (!done[i] && near <= least) {
                best = i;
                least = near;
            }
        }
        if (best < 0)
            return;
        done[best] = 1;
        const Candidate *c = &w->candidates[best];
        for (int k = 1; k < HOL_BENCH_FINER; k++)
            if (w->n < MOST_CANDIDATES && time(NULL) - start <= SERIES_SECONDS)
                bench_sweep_try_value(
                    w, c->series, c->value * pow(c->series->factor, -k / (double)HOL_BENCH_FINER));
    }
}

// time the cheapest candidates of a limit with repeats and keep the best
static void bench_sweep_settle(Sweep *w, int limit, int effort, HolBenchRun *out) {
    memset(out, 0, sizeof *out);
    double above = 0;
    int chosen = -1;
    for (int round = 0; round < effort; round++) {
        int best = -1;
        for (int i = 0; i < w->n; i++) {
            const HolBenchRun *r = &w->candidates[i].run;
            if (hol_bench_meets(r, &w->problem->limit[limit]) && r->best > above &&
                (best < 0 || r->best < w->candidates[best].run.best))
                best = i;
        }
        if (best < 0)
            return;
        above = w->candidates[best].run.best;
        HolBenchRun again = w->candidates[best].run;
        if (again.best < 2)
            hol_bench_measure(w->problem, w->model, &w->candidates[best].options, w->effort->watch,
                              0, 0, &again);
        if (hol_bench_meets(&again, &w->problem->limit[limit]) &&
            (!out->ok || again.best < out->best)) {
            *out = again;
            chosen = best;
        }
    }
    // the median over a longer time: what else the machine does comes and goes in tenths of seconds
    HolBenchRun longer;
    if (chosen >= 0 && out->best < 0.1 &&
        hol_bench_measure(w->problem, w->model, &w->candidates[chosen].options, w->effort->watch,
                          HOL_BENCH_LONG, 0, &longer))
        out->median = longer.median;
}

int hol_bench_sweep_ours(const HolBenchProblem *p, const HolBenchEffort *effort,
                         HolBenchResult *out) {
    HolModel *model = NULL;
    HolError err = {0};
    out->problem = p;
    // freed memory stays with the process: repeats find it mapped, here and in the peer programs
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
    if (hol_bench_load(p, &model, NULL, &err) != HOL_OK) {
        hol_put(&effort->say, "bench: %s: %s\n", p->name, err.text);
        return 0;
    }
    Sweep w = {
        .problem = p, .model = model, .n_limits = hol_bench_limit_count(p), .effort = effort};
    HolArena arena = {0};
    w.candidates = HOL_NEW(&arena, Candidate, MOST_CANDIDATES);
    for (int l = 0; l < HOL_BENCH_LIMITS; l++)
        w.cheapest[l] = INFINITY;
    int where = p->stiff        ? p->n >= 1000 ? LARGE_STIFF : STIFF
                : effort->quick ? QUICK
                : p->n >= 100   ? LARGE
                                : SMALL;
    for (const Series *s = series; w.candidates && s->method; s++)
        if (s->where & where)
            run_series(&w, s);
    if (w.candidates && !effort->quick)
        bench_sweep_refine(&w);
    out->tried = w.n;
    for (int l = 0; l < w.n_limits && w.candidates; l++)
        bench_sweep_settle(&w, l, effort->quick ? 2 : 5, &out->ours[l]);
    for (int l = w.n_limits - 2; l >= 0; l--) { // what won a tighter limit may win this one too
        const HolBenchRun *tighter = &out->ours[l + 1];
        if (hol_bench_meets(tighter, &p->limit[l]) && tighter->best < out->ours[l].best)
            out->ours[l] = *tighter;
    }
    hol_arena_free(&arena);
    hol_model_destroy(model);
    return 1;
}
