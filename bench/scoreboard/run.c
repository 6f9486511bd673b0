// SPDX-License-Identifier: Apache-2.0
// Runs of one problem: values at the reference's times from dense output, deviations, times.
#include "system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const double sb_tolerances[SB_RUNS] = {1e-4, 1e-7, 1e-10};

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// ---- values ----

// steps to the end, rows on the way. Steps know nothing of the rows
static int run_rows(SbSystem *s, const SbReference *r, HolSim *sim, SbRun *out) {
    int row = 0;
    for (;;) {
        const double now = hol_sim_time(sim);
        for (; row < r->rows; row++) {
            const double t = r->values[row * r->columns];
            if (t > now)
                break;
            if (!sb_system_row(s, sim, t, out->values + row * s->n, &out->err))
                return 0;
        }
        if (row == r->rows)
            return 1;
        if (hol_sim_step(sim, s->options.end, &out->err) != HOL_OK)
            return 0;
    }
}

static void run_values(SbSystem *s, const SbReference *r, SbRun *out) {
    HolSim *sim = NULL;
    out->n_values = s->n;
    out->values = calloc((size_t)(r->rows * s->n), sizeof *out->values);
    if (!out->values || !sb_system_start(s, &sim, &out->err)) {
        hol_sim_destroy(sim);
        return;
    }
    out->done = run_rows(s, r, sim, out);
    out->stats = hol_sim_stats(sim);
    hol_sim_destroy(sim);
}

// from creation to the end, without rows
static void run_times(SbSystem *s, int repeats, SbRun *out) {
    for (int i = 0; i < repeats; i++) {
        HolSim *sim = NULL;
        const double began = cpu_ms();
        const int ok = sb_system_start(s, &sim, &out->err) &&
                       hol_sim_advance(sim, s->options.end, &out->err) == HOL_OK;
        const double ms = cpu_ms() - began;
        hol_sim_destroy(sim);
        if (!ok)
            return;
        out->cpu_ms = i ? fmin(out->cpu_ms, ms) : ms;
        if (i >= 2 && ms * i > 400) // long runs vary less
            return;
    }
}

// ---- deviations ----

// value nearest to `near` among x + 2 pi k
static double run_unwrap(double x, double near) {
    const double turn = 6.283185307179586;
    return isnan(near) ? x : x + turn * round((near - x) / turn);
}

// the quaternion with the sign of the published one
static void run_same_sign(double *ours, const double *published) {
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += ours[i] * published[i];
    for (int i = 0; i < 4; i++)
        ours[i] = dot < 0 ? -ours[i] : ours[i];
}

// largest deviation of one row, our values brought near the published ones first
static double run_compare_row(const SbSignal *s, const double *published, double *ours,
                              double *size) {
    double worst = 0;
    if (s->kind == SB_QUATERNION)
        run_same_sign(ours, published);
    for (int k = 0; k < s->n; k++) {
        if (s->kind == SB_ANGLE)
            ours[k] = run_unwrap(ours[k], published[k]);
        if (isnan(published[k]))
            continue;
        *size = fmax(*size, fabs(published[k]));
        worst = fmax(worst, isnan(ours[k]) ? INFINITY : fabs(ours[k] - published[k]));
    }
    return worst;
}

// places of a signal's columns in the reference
static int run_columns(const SbProblem *p, const SbSignal *s, const SbReference *r, int *column,
                       HolError *err) {
    for (int k = 0; k < s->n; k++) {
        column[k] = sb_reference_column(r, s->maps[k].reference);
        if (column[k] < 0) {
            snprintf(err->text, sizeof err->text, "%s has no column '%s'", p->reference,
                     s->maps[k].reference);
            return 0;
        }
    }
    return 1;
}

static int run_compare(const SbProblem *p, const SbReference *r, double tolerance, SbRun *out) {
    double published[SB_MAPS];
    int column[SB_MAPS], first = 0;
    for (int i = 0; i < p->n_signals; i++) {
        const SbSignal *s = &p->signals[i];
        if (!run_columns(p, s, r, column, &out->err))
            return 0;
        for (int row = 0; row < r->rows; row++) {
            const double *line = r->values + row * r->columns;
            for (int k = 0; k < s->n; k++)
                published[k] = line[column[k]];
            const double d = run_compare_row(
                s, published, out->values + row * out->n_values + first, &out->size[i]);
            if (p->except > 0 && line[0] == p->except)
                out->except = fmax(out->except, d);
            else if (d > out->deviation[i]) {
                out->deviation[i] = d;
                out->time[i] = line[0];
            }
        }
        const double grown = p->growth * tolerance * out->size[i];
        out->limit[i] = SB_MARGIN * s->trust + grown;
        out->except_limit = fmax(out->except_limit, SB_MARGIN * p->except_trust + grown);
        first += s->n;
    }
    return 1;
}

// ---- all runs of a problem ----

static void solve_settled(const SbProblem *p, int rows, SbResult *out) {
    const SbRun *a = &out->runs[SB_RUNS - 2], *b = &out->runs[SB_RUNS - 1];
    int first = 0;
    for (int i = 0; a->done && b->done && i < p->n_signals; i++) {
        for (int row = 0; row < rows; row++)
            for (int k = 0; k < p->signals[i].n; k++) {
                const int at = row * a->n_values + first + k;
                out->settled[i] = fmax(out->settled[i], fabs(a->values[at] - b->values[at]));
            }
        first += p->signals[i].n;
    }
}

void sb_solve(const char *root, const SbProblem *p, const char *method, int repeats,
              SbResult *out) {
    SbReference r;
    memset(out, 0, sizeof *out);
    out->problem = p;
    out->failed = 1;
    if (!sb_reference_read(root, p, &r, &out->runs[0].err))
        return;
    out->end = r.values[(r.rows - 1) * r.columns];
    out->failed = 0;
    for (int i = 0; i < SB_RUNS; i++) {
        SbRun *run = &out->runs[i];
        SbSystem s;
        if (sb_system_open(root, p, method, sb_tolerances[i], out->end, &s, &run->err)) {
            run_values(&s, &r, run);
            run->done = run->done && run_compare(p, &r, sb_tolerances[i], run);
            if (run->done)
                run_times(&s, repeats, run);
            sb_system_close(&s);
        }
        out->failed += !run->done;
        for (int k = 0; run->done && k < p->n_signals; k++)
            out->failed += !(run->deviation[k] <= run->limit[k]);
        out->failed += run->done && !(run->except <= run->except_limit);
    }
    solve_settled(p, r.rows, out);
    sb_reference_free(&r);
}

void sb_result_free(SbResult *r) {
    for (int i = 0; i < SB_RUNS; i++)
        free(r->runs[i].values);
    memset(r, 0, sizeof *r);
}

double sb_worst(const SbResult *r, int run, int *signal) {
    double worst = 0;
    *signal = 0;
    for (int i = 0; i < r->problem->n_signals; i++) {
        const double ratio = r->runs[run].deviation[i] / r->problem->signals[i].trust;
        if (ratio > worst) {
            worst = ratio;
            *signal = i;
        }
    }
    return worst;
}
