// SPDX-License-Identifier: Apache-2.0
// The comparison from its options to its verdict; see compare.h for the error and for what lives
// where.
#include "tools/compare/compare.h"
#include "base/sized.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double usual_limits[] = {1e-3, 1e-6, 1e-9};
static const double USUAL_SECONDS = 45;
static const double ORDER_SHARE = 0.3; // of the time, for observed orders
enum { MOST_STEPS = 20000000 };

void hol_compare_options_sized(HolCompareOptions *out, size_t room) {
    const HolCompareOptions options = {0};
    hol_sized_make(out, room, &options, sizeof options);
}

int hol_compare_stopped(const HolComparing *c) {
    return c->how.stop && *c->how.stop;
}

void hol_compare_say(const HolComparing *c, const char *format, ...) {
    char text[160];
    va_list args;
    if (!c->how.say)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->how.say(c->how.user, text);
}

void hol_compare_remark(HolComparing *c, const char *format, ...) {
    char *text = c->out.remarks;
    const size_t size = sizeof c->out.remarks, used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
    if (strlen(text) + 1 < size)
        strcat(text, "\n");
}

int hol_compare_limit_count(const HolComparing *c) {
    int n = 0;
    while (n < c->out.n_limits && c->limits[n].judged)
        n++;
    return n;
}

// ---- what is asked for ----

static int compare_descending(const void *a, const void *b) {
    const double x = ((const HolComparedLimit *)a)->limit, y = ((const HolComparedLimit *)b)->limit;
    return x < y ? 1 : x > y ? -1 : 0;
}

static HolStatus compare_limits(HolComparing *c, HolError *err) {
    const double *limits = c->how.n_limits ? c->how.limits : usual_limits;
    const int n = c->how.n_limits ? c->how.n_limits : 3;
    if (n < 0 || n > HOL_COMPARE_LIMITS || !limits)
        return hol_error_set(err, HOL_ERR_INPUT, "1 to %d limits are compared", HOL_COMPARE_LIMITS);
    for (int i = 0; i < n; i++) {
        if (!(limits[i] >= 1e-12 && limits[i] <= 0.1))
            return hol_error_set(err, HOL_ERR_INPUT,
                                 "a limit is a number from 1e-12 to 0.1, not %g", limits[i]);
        c->limits[i] = (HolComparedLimit){.limit = limits[i], .best = -1};
        c->cheapest[i] = INFINITY;
    }
    qsort(c->limits, (size_t)n, sizeof *c->limits, compare_descending);
    c->out.limits = c->limits;
    c->out.n_limits = n;
    return HOL_OK;
}

// options of all runs: what the model asks for, without its method and accuracy
static void compare_base(HolComparing *c, const HolSimOptions *o) {
    HolSimOptions *b = &c->base;
    *b = *o;
    b->step = b->accuracy = b->initial_step = b->min_step = b->output_step = 0;
    b->tolerance = 1e-6;
    b->error.relative = b->error.absolute = 0;
    b->max_steps = MOST_STEPS;
    b->threads = 1; // CPU time is compared
    c->out.start = b->start;
    c->out.end = c->out.asked_end = b->end;
}

// ---- what was found ----

static void compare_front(HolComparing *c) {
    for (int i = 0; i < c->out.n_runs; i++) {
        HolComparedRun *r = &c->runs[i];
        r->front = !r->status && isfinite(r->error);
        for (int k = 0; r->front && k < c->out.n_runs; k++) {
            const HolComparedRun *o = &c->runs[k];
            if (k != i && !o->status && o->cpu_seconds <= r->cpu_seconds && o->error <= r->error &&
                (o->cpu_seconds < r->cpu_seconds || o->error < r->error || k < i))
                r->front = 0;
        }
    }
}

// of each method (with tolerances and steps) the cheapest run that keeps the limit
static int compare_keep(HolComparing *c, HolComparedLimit *l) {
    int *list = HOL_NEW(&c->arena, int, c->n_series + 1);
    if (!list)
        return 0;
    for (int s = 0; s < c->n_series; s++) {
        int best = -1;
        for (int i = 0; i < c->out.n_runs; i++)
            if (c->run_series[i] == s && !c->runs[i].status && c->runs[i].error <= l->limit &&
                (best < 0 || c->runs[i].cpu_seconds < c->runs[best].cpu_seconds))
                best = i;
        int at = l->n_runs;
        if (best < 0)
            continue;
        for (; at > 0 && c->runs[list[at - 1]].cpu_seconds > c->runs[best].cpu_seconds; at--)
            list[at] = list[at - 1];
        list[at] = best;
        l->n_runs++;
    }
    l->runs = list;
    l->best = l->n_runs ? list[0] : -1;
    return 1;
}

static HolStatus compare_all(HolComparing *c, HolError *err) {
    HolStatus status = hol_compare_reference(c, err);
    const double end = c->deadline;
    if (!status && c->how.orders)
        c->deadline -= ORDER_SHARE * c->how.seconds;
    if (!status && hol_compare_limit_count(c) > 0)
        status = hol_compare_sweep(c, err);
    c->deadline = end;
    if (!status && c->how.orders)
        status = hol_compare_orders(c, err);
    for (int i = 0; i < hol_compare_limit_count(c); i++)
        if (c->runs && !compare_keep(c, &c->limits[i]))
            return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (c->runs)
        compare_front(c);
    return status;
}

HolStatus hol_compare(const HolModel *m, const HolSimOptions *o, const HolCompareOptions *how,
                      HolComparison **out, HolError *err) {
    HolArena arena = {0};
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the comparison");
    *out = NULL;
    if (!m || !o || !hol_model_problem(m))
        return hol_error_set(err, HOL_ERR_INPUT, "%s",
                             m && o ? "the model is not compiled"
                                    : "a model or its options are "
                                      "missing: NULL");
    HolComparing *c = HOL_NEW(&arena, HolComparing, 1);
    if (!c)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    c->arena = arena;
    c->model = m;
    c->out.model = hol_model_name(m);
    c->how = hol_compare_options();
    HolSimOptions options = hol_sim_options();
    HolStatus status = hol_sized_take(&options, sizeof options, o, "hol_sim_options", err);
    if (!status && how)
        status = hol_sized_take(&c->how, sizeof c->how, how, "hol_compare_options", err);
    if (!status && !(options.end > options.start))
        status = hol_error_set(err, HOL_ERR_INPUT, "there is no time to compare: the end is %g s",
                               options.end);
    c->how.seconds = c->how.seconds > 0 ? c->how.seconds : USUAL_SECONDS;
    c->began = hol_compare_now();
    c->deadline = c->began + c->how.seconds;
    if (!status)
        status = compare_limits(c, err);
    if (!status) {
        compare_base(c, &options);
        status = hol_series_list(c, c->how.methods, err);
    }
    if (!status)
        status = compare_all(c, err);
    c->out.seconds = hol_compare_now() - c->began;
    if (status && status != HOL_INTERRUPTED) {
        hol_comparison_destroy(&c->out);
        return status;
    }
    *out = &c->out;
    return status;
}

void hol_comparison_destroy(HolComparison *c) {
    if (!c)
        return;
    HolArena arena = ((HolComparing *)c)->arena; // it lives in its arena
    hol_arena_free(&arena);
}
