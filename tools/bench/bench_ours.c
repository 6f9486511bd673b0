// SPDX-License-Identifier: Apache-2.0
// Runs of ours: the CPU time of hol_sim_advance alone (all threads), the largest energy drift and
// joint violation over all accepted steps, and the error of what the problem watches. The tracking
// of drift and violation is part of the timed loop.
#include "tools/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double hol_bench_cpu_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

HolStatus hol_bench_load(const HolBenchProblem *p, HolModel **m, double *cpu, HolError *err) {
    HolArena arena = {0};
    const char *text = hol_bench_model_text(&arena, p->file, p->generator, p->n);
    if (!text) {
        hol_arena_free(&arena);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    HolSimOptions options;
    double start = hol_bench_cpu_now();
    HolStatus status = hol_model_parse(text, strlen(text), p->name, NULL, 0, m, &options, err);
    if (cpu)
        *cpu = hol_bench_cpu_now() - start;
    hol_arena_free(&arena);
    return status;
}

// ---- the error of a run ----

static int bench_ours_find_column(const HolModel *m, const char *name) {
    for (int i = 0, n = hol_model_column_count(m); i < n; i++)
        if (strcmp(hol_model_column(m, i).name, name) == 0)
            return i;
    return -1;
}

// distance of the watched columns of a row from the wanted values
static double bench_ours_distance(const HolBenchProblem *p, const HolModel *m, const double *row,
                                  const double *wanted) {
    double sum = 0;
    for (int k = 0; k < HOL_BENCH_WATCH && p->watch[k]; k++) {
        int c = bench_ours_find_column(m, p->watch[k]);
        double d = c < 0 ? NAN : row[c] - wanted[k];
        sum += d * d;
    }
    return sqrt(sum);
}

static double end_error(const HolBenchProblem *p, const HolModel *m, HolSim *s, double *row) {
    double last[HOL_BENCH_WATCH];
    hol_bench_end_values(p, last);
    if (hol_sim_row(s, hol_sim_view(s).t, row, NULL) != HOL_OK)
        return NAN;
    return bench_ours_distance(p, m, row, last);
}

// the numbered columns of a line of comma-separated values; 0 when one is missing
static int read_line(const char *line, const int *column, int n, double *t, double *values) {
    char *rest;
    *t = strtod(line, &rest);
    if (rest == line)
        return 0;
    for (int c = 1; *rest == ','; c++) {
        double x = strtod(rest + 1, &rest);
        for (int k = 0; k < n; k++)
            if (column[k] == c)
                values[k] = x;
    }
    return 1;
}

static void find_sample_columns(const HolBenchProblem *p, const char *head, int *column) {
    for (int k = 0; k < HOL_BENCH_WATCH; k++) {
        column[k] = -1;
        const char *word = head;
        for (int c = 0; p->column[k] && *word && *word != '\n'; c++) {
            size_t length = strcspn(word, ",\n");
            if (length == strlen(p->column[k]) && strncmp(word, p->column[k], length) == 0)
                column[k] = c;
            word += length + (word[length] == ',');
        }
    }
}

// a run of its own, not timed: the largest error over the samples
static double sample_error(const HolBenchProblem *p, const HolModel *m, const HolSimOptions *o,
                           double *row) {
    const char *line = hol_bench_embedded(p->samples);
    while (line && *line == '#')
        line = strchr(line, '\n') + 1;
    HolSim *s = NULL;
    if (!line || hol_sim_create(m, o, &s, NULL) != HOL_OK)
        return NAN;
    int column[HOL_BENCH_WATCH];
    find_sample_columns(p, line, column);
    double worst = 0, t, wanted[HOL_BENCH_WATCH] = {0};
    HolStatus status = hol_sim_assemble(s, NULL);
    for (line = strchr(line, '\n'); line && *++line && !status; line = strchr(line, '\n')) {
        if (!read_line(line, column, HOL_BENCH_WATCH, &t, wanted))
            break;
        if (t > o->end * (1 + 1e-12))
            break;
        while (!status && hol_sim_view(s).t < t * (1 - 1e-12))
            status = hol_sim_step(s, o->end, NULL);
        if (!status)
            status = hol_sim_row(s, fmin(t, hol_sim_view(s).t), row, NULL);
        double error = bench_ours_distance(p, m, row, wanted);
        if (!(error <= worst))
            worst = error;
    }
    hol_sim_destroy(s);
    return status ? NAN : worst;
}

// ---- one measurement ----

enum { MOST_RUNS = 5000 };

static int bench_ours_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// timed runs go on until they add up to 0.1 s, at least 3, at most 200; long ones to 1 s, 5000
static int more_runs(int n, int repeats, double total, double last) {
    if (repeats == HOL_BENCH_LONG)
        return total < 1 && n < MOST_RUNS;
    if (repeats > 0)
        return n < repeats;
    if (last > 30)
        return 0;
    return n < 3 || (total < 0.1 && n < 200);
}

static void bench_ours_describe(const HolSimOptions *o, HolBenchRun *out) {
    const HolMethodOptions *method = &o->method;
    const char *choice = method->scheme[0]        ? method->scheme
                         : method->formulation[0] ? method->formulation
                                                  : method->projection;
    int n = snprintf(out->method, sizeof out->method, "%.17s%s%.19s", method->name,
                     choice[0] ? " " : "", choice);
    if (method->order > 0)
        snprintf(out->method + n, sizeof out->method - (size_t)n, " order %d", method->order);
    if (o->step > 0)
        snprintf(out->setting, sizeof out->setting, "step %.3g", o->step);
    else
        snprintf(out->setting, sizeof out->setting, "tolerance %.2g", o->tolerance);
}

int hol_bench_measure(const HolBenchProblem *p, const HolModel *m, const HolSimOptions *o,
                      HolBenchWatch *watch, int repeats, double cap, HolBenchRun *out) {
    HolArena arena = {0};
    double *times = HOL_NEW(&arena, double, MOST_RUNS), total = 0, last = 0;
    double *row = HOL_NEW(&arena, double, hol_model_column_count(m) + 1);
    memset(out, 0, sizeof *out);
    bench_ours_describe(o, out);
    out->ok = row && times;
    int n = 0;
    while (out->ok && n < MOST_RUNS && more_runs(n, repeats, total, last)) {
        HolSim *s = NULL;
        double start = hol_bench_cpu_now();
        HolStatus status = hol_sim_create(m, o, &s, NULL);
        if (!status)
            status = hol_sim_assemble(s, NULL);
        if (!status)
            hol_sim_stop_flag(s, hol_bench_watch_flag(watch));
        hol_bench_watch_set(watch, cap);
        double begin = hol_bench_cpu_now();
        out->setup = begin - start;
        if (!status)
            status = hol_sim_advance(s, o->end, NULL);
        last = hol_bench_cpu_now() - begin;
        hol_bench_watch_set(watch, 0);
        out->ok = status == HOL_OK;
        if (out->ok) {
            HolStats stats = hol_sim_stats(s);
            out->steps = stats.steps;
            out->drift = fabs(stats.energy_max_drift);
            out->violation = stats.residual_position;
            if (n == 0 && (p->error == HOL_BENCH_END || p->error == HOL_BENCH_FOUR_BAR))
                out->error = end_error(p, m, s, row);
            if (n == 0 && p->error == HOL_BENCH_REFERENCE)
                out->error = hol_bench_reference_error(p, s);
            times[n++] = last;
            total += last;
        }
        hol_sim_destroy(s);
    }
    if (out->ok && p->error == HOL_BENCH_SAMPLES)
        out->error = sample_error(p, m, o, row);
    if (n > 0) {
        qsort(times, (size_t)n, sizeof *times, bench_ours_compare);
        out->best = times[0];
        out->median = times[n / 2];
    }
    out->ok = out->ok && isfinite(out->drift) && isfinite(out->error) &&
              out->violation <= HOL_BENCH_JOINTS_CLOSED;
    hol_arena_free(&arena);
    return out->ok;
}
