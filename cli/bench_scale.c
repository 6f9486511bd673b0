// SPDX-License-Identifier: Apache-2.0
// Does the cost grow like the size of the mechanism? Time per step and body, memory per body, and
// the time to load, check and analyse, at growing sizes of the same mechanism.
#include "bench.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

typedef struct Kind {
    const char *generator, *method;
    double step, tolerance; // one of them; with both, steps are that large at most
    double end;
} Kind;

// (steps so small that long chains, stiffened by their own weight, need hardly more iterations)
static const Kind kinds[] = {
    {"four-bar", "taylor", 0, 1e-6, 2}, {"four-bar", "tangent", 0.002, 1e-6, 0.04},
    {"chain", "taylor", 0, 1e-6, 2},    {"chain", "tangent", 0.002, 1e-6, 0.04},
    {"chain3d", "taylor", 0, 1e-6, 2},  {"chain3d", "tangent", 0.002, 1e-6, 0.04},
};
static const int sizes[] = {100, 1000, 10000};

static double memory_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static int measure(const Kind *k, int n, int repeats, BenchScale *out) {
    *out = (BenchScale){.generator = k->generator, .method = k->method, .n = n};
    BenchProblem p = {.name = k->generator, .generator = k->generator, .n = n};
    HolModel *m = NULL;
    double before = memory_in_use();
    HolError err = {0};
    if (bench_load(&p, &m, &out->load, &err) != HOL_OK)
        return 0;
    out->bodies = hol_model_body_count(m);
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "%s", k->method);
    o.step = k->tolerance > 0 ? 0 : k->step;
    o.max_step = k->tolerance > 0 ? k->step : 0;
    o.tolerance = k->tolerance;
    o.end = k->end;
    int ok = 1;
    double best = INFINITY, cpu = INFINITY;
    for (int r = 0; r < repeats && ok; r++) {
        HolSim *s = NULL;
        double start = bench_cpu_now();
        HolCheck check;
        ok = hol_sim_create(m, &o, &s, &err) == HOL_OK && hol_sim_assemble(s, &err) == HOL_OK;
        if (r == 0 && ok) {
            ok = hol_sim_check(s, &check, &err) == HOL_OK;
            out->check = bench_cpu_now() - start;
        }
        // the first steps touch fresh memory and find their size: they are not counted
        ok = ok && hol_sim_advance(s, o.end / 2, &err) == HOL_OK;
        const HolStats warm = ok ? hol_sim_stats(s) : (HolStats){0};
        ok = ok && hol_sim_advance(s, o.end, &err) == HOL_OK;
        if (r == 0)
            out->bytes_per_body = (memory_in_use() - before) / out->bodies;
        if (ok) {
            const HolStats end = hol_sim_stats(s);
            best = fmin(best, end.wall_seconds - warm.wall_seconds);
            cpu = fmin(cpu, end.cpu_seconds - warm.cpu_seconds);
            out->steps = end.steps - warm.steps;
        }
        hol_sim_destroy(s);
    }
    out->us_per_step_body = 1e6 * best / (double)out->steps / out->bodies;
    out->cpu_per_step_body = 1e6 * cpu / (double)out->steps / out->bodies;
    hol_model_destroy(m);
    if (!ok)
        fprintf(stderr, "holonom bench: %s %d: %s\n", k->generator, n, err.text);
    return ok;
}

int bench_scale(const BenchEffort *effort, BenchScale *out, int most) {
    int n = 0, n_sizes = effort->quick ? 2 : 3;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double first = NAN;
        for (int i = 0; i < n_sizes && n < most; i++)
            if (measure(&kinds[k], sizes[i], i == 0 ? 10 : 5, &out[n])) {
                if (isnan(first))
                    first = out[n].us_per_step_body;
                out[n].ratio = out[n].us_per_step_body / first;
                if (effort->verbose)
                    bench_print_scale(&out[n], 1, BENCH_TEXT, stderr);
                n++;
            }
    }
    return n;
}
