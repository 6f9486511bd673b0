// SPDX-License-Identifier: Apache-2.0
// The published benchmark problems at their accuracy limits. For every limit the cheapest setting of
// ours that meets it is searched, and so are those of the peer programs where they were built; all
// in one run on one machine, in CPU time of the integration loop.
#include "tools/bench/bench.h"

#include "base/sized.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_RESULTS = 64, MOST_SCALES = 32 };

typedef struct Bench {
    const HolBenchOptions *options;
    HolBenchEffort effort;
    HolPut out;
    HolArena arena;
    HolBenchResult *results; // MOST_RESULTS
    HolBenchScale *scales;   // MOST_SCALES
    int n, n_scales;
    int asked; // problems that the options name
} Bench;

// the word is a problem's name, or else the beginning of several: "chain", "A0"
static int bench_chosen(const Bench *b, const char *name) {
    const char *word = b->options->problem;
    if (!word)
        return 1;
    for (const HolBenchProblem *p = hol_bench_problems; p->name; p++)
        if (strcmp(p->name, word) == 0)
            return strcmp(name, word) == 0;
    return strncmp(name, word, strlen(word)) == 0;
}

static HolStatus bench_unknown(const char *word, HolError *err) {
    const char *names[MOST_RESULTS + 1] = {"scale"};
    char list[2048] = "";
    int n = 1;
    for (const HolBenchProblem *p = hol_bench_problems; p->name && n < MOST_RESULTS; p++)
        names[n++] = p->name;
    for (int i = 0; i < n; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, " %s", names[i]);
    }
    const char *near = hol_nearest_word(word, names, n);
    return hol_error_set(err, HOL_ERR_INPUT, "unknown problem '%s'%s%s%s\nThe problems are%s.",
                         word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                         list);
}

static void bench_problem(Bench *b, const HolBenchProblem *p) {
    HolArena arena = {0};
    HolBenchProblem judged = *p;
    HolBenchResult *result = &b->results[b->n];
    int ok = hol_bench_reference_make(&judged, &b->effort, &arena) &&
             hol_bench_sweep_ours(&judged, &b->effort, result);
    if (ok)
        hol_bench_sweep_peers(&judged, &b->effort, result);
    hol_bench_reference_free(&judged);
    hol_arena_free(&arena);
    result->problem = p;
    if (!ok)
        return;
    hol_bench_print_result(result, b->options->format == HOL_BENCH_TEXT ? &b->out : &b->effort.say);
    b->n++;
}

static void bench_run(Bench *b) {
    for (const HolBenchProblem *p = hol_bench_problems; p->name && b->n < MOST_RESULTS; p++) {
        if (!bench_chosen(b, p->name) || (b->effort.quick && !b->options->problem && p->n > 100))
            continue;
        b->asked++;
        bench_problem(b, p);
    }
    if (bench_chosen(b, "scale")) {
        b->asked++;
        b->n_scales = hol_bench_scale(&b->effort, b->scales, MOST_SCALES);
    }
}

static void bench_print(const Bench *b) {
    switch (b->options->format) {
    case HOL_BENCH_JSON:
        hol_bench_print_json(b->results, b->n, b->scales, b->n_scales, &b->out);
        break;
    case HOL_BENCH_MARKDOWN:
        if (b->n > 0)
            hol_bench_print_markdown(b->results, b->n, &b->effort, &b->out);
        if (b->n > 0 && b->n_scales > 0)
            hol_put(&b->out, "\n");
        if (b->n_scales > 0)
            hol_bench_print_scale(b->scales, b->n_scales, 1, &b->out);
        break;
    default: // problems were printed one by one
        hol_bench_print_scale(b->scales, b->n_scales, 0, &b->out);
    }
}

void hol_bench_options_sized(HolBenchOptions *out, size_t room) {
    const HolBenchOptions o = {0};
    hol_sized_make(out, room, &o, sizeof o);
}

HolStatus hol_bench(const HolBenchOptions *given, HolError *err) {
    HolBenchOptions own = hol_bench_options(), *o = &own;
    HolError problem;
    hol_error_clear(err);
    if (hol_sized_take(o, sizeof *o, given, "hol_bench_options", &problem))
        return hol_error_set(err, HOL_ERR_INPUT, "HolBenchOptions: %s", problem.text);
    if (!o->put)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no function that takes the text");
    Bench b = {.options = o,
               .effort = {.quick = o->quick,
                          .verbose = o->verbose,
                          .peers = o->peers,
                          .say = {o->say, o->to_say}},
               .out = {o->put, o->to}};
    b.results = HOL_NEW(&b.arena, HolBenchResult, MOST_RESULTS);
    b.scales = HOL_NEW(&b.arena, HolBenchScale, MOST_SCALES);
    b.effort.watch = hol_bench_watch_start(&b.arena);
    HolStatus status = HOL_OK;
    if (!b.results || !b.scales || !b.effort.watch)
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!status)
        bench_run(&b);
    if (!status && !b.asked)
        status = bench_unknown(o->problem, err);
    if (!status)
        bench_print(&b);
    hol_bench_watch_stop(b.effort.watch);
    hol_arena_free(&b.arena);
    return status;
}
