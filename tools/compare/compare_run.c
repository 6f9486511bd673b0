// SPDX-License-Identifier: Apache-2.0
// One run: its states at the times, or their errors, and its CPU time. A run that takes too long is
// ended between two steps; what is short is timed again, without samples, until it adds up.
#include "tools/compare/compare.h"

#include <math.h>
#include <string.h>
#include <time.h>

double hol_compare_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct CompareState { // at a sample
    double *q, *v, *lambda;
} CompareState;

static int compare_run_over(const HolCompareJob *job, const HolSim *s, double began) {
    return (job->stop && *job->stop) || hol_compare_now() - began > job->seconds ||
           (isfinite(job->cpu) && hol_sim_stats(s).cpu_seconds > job->cpu);
}

// steps until the time is reached
static HolStatus compare_run_until(HolCompareJob *job, HolSim *s, double t, double began) {
    const double end = job->options.end;
    HolStatus status = HOL_OK;
    double now = hol_sim_time(s), slack = 4e-16 * fmax(fabs(t), fabs(end));
    long steps = 0;
    if (job->on_steps)
        slack = 1e-6 * job->options.step;
    while (!status && now < t - slack) {
        status = hol_sim_step(s, end, &job->problem);
        const double before = now;
        now = hol_sim_time(s);
        if (!status && !(now > before))
            status = HOL_ERR_STEP;
        // (statistics are copied: a look every few steps is enough for short ones)
        if (!status && (++steps % 16 == 0 || now - before > 1e-3 * (end - job->options.start)) &&
            compare_run_over(job, s, began))
            status = HOL_INTERRUPTED;
    }
    return status;
}

static HolStatus compare_run_sample(HolCompareJob *job, HolSim *s, int k, double t,
                                    const CompareState *x) {
    const double now = hol_sim_time(s);
    if (job->on_steps && fabs(now - t) > 1e-6 * job->options.step)
        return HOL_OK; // no step ends here
    double *lambda = job->keep || job->on_steps ? x->lambda : NULL;
    HolStatus status =
        hol_sim_interpolate(s, job->on_steps ? now : fmin(t, now), x->q, x->v, NULL, lambda, NULL);
    if (status)
        return status;
    if (job->reference)
        hol_error_see(job->sizes, job->reference, k, x->q, x->v, lambda, job->error);
    if (job->keep) {
        HolSamples *to = job->keep;
        memcpy(to->q + (size_t)k * (size_t)to->nq, x->q, (size_t)to->nq * sizeof(double));
        memcpy(to->v + (size_t)k * (size_t)to->nv, x->v, (size_t)to->nv * sizeof(double));
        if (to->m)
            memcpy(to->lambda + (size_t)k * (size_t)to->m, lambda, (size_t)to->m * sizeof(double));
        to->t[k] = t;
        to->n = k + 1;
    }
    return HOL_OK;
}

static HolStatus compare_run_steps(HolCompareJob *job, HolSim *s, HolArena *arena, double began) {
    const HolView view = hol_sim_view(s);
    CompareState x = {HOL_NEW(arena, double, view.nq + 1), HOL_NEW(arena, double, view.nv + 1),
                      HOL_NEW(arena, double, view.m + 1)};
    const double start = job->options.start, end = job->options.end;
    if (!x.q || !x.v || !x.lambda || (job->keep && !hol_samples_create(job->keep, arena, &view)))
        return HOL_ERR_MEMORY;
    HolStatus status = HOL_OK;
    for (int k = 0; !status && k < job->times; k++) {
        const double t = k + 1 == job->times ? end : start + (k + 1) * (end - start) / job->times;
        status = compare_run_until(job, s, t, began);
        if (!status)
            status = compare_run_sample(job, s, k, t, &x);
    }
    return status;
}

static HolStatus compare_run_create(const HolCompareJob *job, HolSim **s, HolError *err) {
    HolStatus status = hol_sim_create(job->model, &job->options, s, err);
    if (!status) {
        hol_sim_stop_flag(*s, job->stop);
        status = hol_sim_assemble(*s, err);
    }
    return status;
}

HolStatus hol_compare_run(HolCompareJob *job, HolArena *arena) {
    HolSim *s = NULL;
    HolCheck check;
    HolArena own = {0};
    memset(job->error, 0, sizeof job->error);
    job->reached = job->options.start;
    job->problem.text[0] = 0;
    job->stats = (HolStats){0};
    HolStatus status = compare_run_create(job, &s, &job->problem);
    if (!status)
        status = compare_run_steps(job, s, job->keep ? arena : &own, hol_compare_now());
    if (s) {
        job->stats = hol_sim_stats(s);
        job->reached = hol_sim_time(s);
        if (job->keep && !status)
            job->redundant = hol_sim_check(s, &check, NULL) == HOL_OK && check.redundant > 0;
    }
    hol_sim_destroy(s);
    hol_arena_free(&own);
    return status;
}

// of this thread, which does all the work
static double compare_run_cpu(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double hol_compare_time(const HolCompareJob *job, double enough, int most, int *repeats) {
    double best = INFINITY, total = 0;
    const double began = hol_compare_now();
    *repeats = 0;
    while (*repeats < most && total < enough && hol_compare_now() - began < 4 * enough + 0.01) {
        HolSim *s = NULL;
        HolStatus status = compare_run_create(job, &s, NULL);
        const double start = compare_run_cpu(); // with the choice of `auto` and starting values
        if (!status)
            status = hol_sim_advance(s, job->options.end, NULL);
        const double cpu = compare_run_cpu() - start;
        hol_sim_destroy(s);
        if (status)
            break;
        best = fmin(best, cpu);
        total += cpu;
        ++*repeats;
    }
    return best;
}
