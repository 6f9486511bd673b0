// SPDX-License-Identifier: Apache-2.0
// Does the cost grow like the size of the mechanism? Time per step and body, memory per body, and
// the time to load, check and analyse, at growing sizes of the same mechanism.
#include "tools/bench/bench.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

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
enum { SIZES = 3 };
static const int sizes[SIZES] = {100, 1000, 10000};

// what the process has in memory, without what was freed
static double memory_in_use(void) {
    long pages = 0, resident = 0;
    malloc_trim(0);
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static HolSimOptions options_of(const Kind *k) {
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "%s", k->method);
    o.step = k->tolerance > 0 ? 0 : k->step;
    o.max_step = k->tolerance > 0 ? k->step : 0;
    o.tolerance = k->tolerance;
    o.end = k->end;
    return o;
}

typedef struct Spent { // in the steps that are counted
    double wall, cpu;
} Spent;

// one run; the first steps touch fresh memory and find their size: they are not counted
static int run_once(const HolBenchEffort *effort, const Kind *k, const HolModel *m, int first,
                    HolBenchScale *out, Spent *spent) {
    const HolSimOptions o = options_of(k);
    HolError err = {0};
    HolSim *s = NULL;
    HolCheck check;
    double start = hol_bench_cpu_now();
    int ok = hol_sim_create(m, &o, &s, &err) == HOL_OK && hol_sim_assemble(s, &err) == HOL_OK;
    if (first && ok) {
        ok = hol_sim_check(s, &check, &err) == HOL_OK;
        out->check = hol_bench_cpu_now() - start;
    }
    ok = ok && hol_sim_advance(s, o.end / 2, &err) == HOL_OK;
    const HolStats warm = ok ? hol_sim_stats(s) : (HolStats){0};
    ok = ok && hol_sim_advance(s, o.end, &err) == HOL_OK;
    if (first)
        out->bytes_per_body += memory_in_use() / out->bodies;
    if (ok) {
        const HolStats end = hol_sim_stats(s);
        out->steps = end.steps - warm.steps;
        spent->wall += end.wall_seconds - warm.wall_seconds;
        spent->cpu += end.cpu_seconds - warm.cpu_seconds;
    }
    hol_sim_destroy(s);
    if (!ok)
        hol_put(&effort->say, "bench: %s %d: %s\n", k->generator, out->n, err.text);
    return ok;
}

static int bench_scale_load(const HolBenchEffort *effort, const Kind *k, int n, HolModel **m,
                            HolBenchScale *out) {
    HolError err = {0};
    HolBenchProblem p = {.name = k->generator, .generator = k->generator, .n = n};
    double before = memory_in_use();
    *out = (HolBenchScale){.generator = k->generator, .method = k->method, .n = n};
    if (hol_bench_load(&p, m, &out->load, &err) != HOL_OK) {
        hol_put(&effort->say, "bench: %s %d: %s\n", k->generator, n, err.text);
        return 0;
    }
    out->bodies = hol_model_body_count(*m);
    out->bytes_per_body = -before / out->bodies;
    return 1;
}

// All sizes of a kind in turn, several times: the speed of a machine changes from minute to minute.
// Small mechanisms run often in a round: its mean then sees as much of the machine's ups and downs
// as that of a large one. The best round counts.
static int bench_scale_measure(const HolBenchEffort *effort, const Kind *k, HolModel *const *m,
                               int n_sizes, HolBenchScale *out) {
    enum { ROUNDS = 7 };
    static const int runs[SIZES] = {40, 6, 1};
    for (int i = 0; i < n_sizes; i++)
        out[i].us_per_step_body = out[i].cpu_per_step_body = INFINITY;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < n_sizes; i++) {
            Spent spent = {0};
            for (int r = 0; r < runs[i]; r++)
                if (!run_once(effort, k, m[i], 0, &out[i], &spent))
                    return 0;
            const double each = 1e6 / (double)out[i].steps / out[i].bodies / runs[i];
            out[i].us_per_step_body = fmin(out[i].us_per_step_body, each * spent.wall);
            out[i].cpu_per_step_body = fmin(out[i].cpu_per_step_body, each * spent.cpu);
        }
    for (int i = 0; i < n_sizes; i++)
        out[i].ratio = out[i].us_per_step_body / out[0].us_per_step_body;
    return 1;
}

int hol_bench_scale(const HolBenchEffort *effort, HolBenchScale *out, int most) {
    int n = 0, n_sizes = effort->quick ? 2 : SIZES;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && n + n_sizes <= most; k++) {
        HolModel *m[SIZES] = {NULL};
        Spent not_counted = {0};
        int ok = 1;
        for (int i = 0; i < n_sizes; i++) // memory is told apart by measuring one after the other
            ok = ok && bench_scale_load(effort, &kinds[k], sizes[i], &m[i], &out[n + i]) &&
                 run_once(effort, &kinds[k], m[i], 1, &out[n + i], &not_counted);
        ok = ok && bench_scale_measure(effort, &kinds[k], m, n_sizes, &out[n]);
        for (int i = 0; i < n_sizes; i++)
            hol_model_destroy(m[i]);
        if (ok && effort->verbose)
            hol_bench_print_scale(&out[n], n_sizes, 0, &effort->say);
        n += ok ? n_sizes : 0;
    }
    return n;
}
