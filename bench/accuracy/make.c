// SPDX-License-Identifier: Apache-2.0
// References anew: every mechanism by several methods at tight settings, error-controlled and with
// fixed steps; the two results of different methods that agree best are kept. Then the growth of
// small changes of the start:
//   amplification = largest error of a run with changed initial velocities / its error at the start
#include "accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Candidate {
    const char *method;
    double tolerance, steps;
} Candidate;

// in the order of preference
static const Candidate candidates[] = {
    {"taylor", 1e-14, 0}, {"taylor", 1e-13, 0},  {"taylor", 0, 400},   {"taylor", 0, 4000},
    {"rk853", 1e-13, 0},  {"rk853", 1e-14, 0},   {"rk853", 0, 500},    {"rk853", 0, 4000},
    {"rk853", 0, 32000},  {"radau", 1e-12, 0},   {"radau", 1e-13, 0},  {"radau", 0, 500},
    {"radau", 0, 4000},   {"tangent", 1e-13, 0}, {"tangent", 0, 8000}, {"tangent", 0, 64000},
};
enum { CANDIDATES = sizeof candidates / sizeof *candidates, SEEDS = 3 };

static void describe(const Candidate *c, char *out, size_t size) {
    if (c->tolerance > 0)
        snprintf(out, size, "%s at %.0e", c->method, c->tolerance);
    else
        snprintf(out, size, "%s in %.0f steps", c->method, c->steps);
}

// the two that agree best; *agreement, as the error of one against the other
static void choose(AccReference *r, double *const *values, const int *done, int best[2]) {
    const size_t bytes = (size_t)(r->rows * r->columns) * sizeof(double);
    r->agreement = INFINITY;
    best[0] = best[1] = -1;
    for (int i = 0; i < CANDIDATES; i++) {
        if (!done[i])
            continue;
        memcpy(r->values, values[i], bytes);
        acc_reference_sizes(r);
        for (int j = i + 1; j < CANDIDATES; j++) {
            if (!done[j] || !strcmp(candidates[i].method, candidates[j].method))
                continue;
            const double e = acc_error(r, values[j], NULL, NULL);
            if (e < r->agreement) {
                r->agreement = e;
                best[0] = i;
                best[1] = j;
            }
        }
    }
    if (best[0] < 0)
        return;
    memcpy(r->values, values[best[0]], bytes);
    acc_reference_sizes(r);
}

static double *numbers(const AccReference *r) {
    return calloc((size_t)(r->rows * r->columns), sizeof(double));
}

// growth of small changes of the start, by the method that made the reference
static double amplification(const AccMechanism *m, const AccReference *r, const Candidate *c) {
    double *values = numbers(r), largest = 0;
    AccReference start = *r, plain = *r;
    start.rows = 1;
    double *first = calloc((size_t)r->columns, sizeof *first);
    start.values = calloc((size_t)r->columns, sizeof(double));
    AccSetting setting = {.method = c->method,
                          .tolerance = c->tolerance,
                          .steps = c->steps,
                          .limit = 60,
                          .perturb = 0,
                          .size = 1e-8};
    acc_run(m, &plain, &setting, values, start.values);
    for (setting.perturb = 1; setting.perturb <= SEEDS; setting.perturb++) {
        if (acc_run(m, r, &setting, values, first).outcome != ACC_DONE)
            continue;
        const double at_start = acc_error(&start, first, NULL, NULL),
                     later = acc_error(r, values, NULL, NULL);
        if (at_start > 1e-12) // (else nothing is free to change)
            largest = fmax(largest, later / at_start);
    }
    free(values);
    free(first);
    free(start.values);
    return largest;
}

static int make(const AccSet *set, const AccMechanism *m, int rows, int verbose) {
    AccReference r;
    double *values[CANDIDATES];
    int done[CANDIDATES] = {0}, best[2];
    char a[64], b[64];
    if (!acc_reference_layout(m, rows, &r))
        return 0;
    for (int i = 0; i < CANDIDATES; i++) {
        const Candidate *c = &candidates[i];
        values[i] = numbers(&r);
        const AccRun run = acc_run(
            m, &r,
            &(AccSetting){
                .method = c->method, .tolerance = c->tolerance, .steps = c->steps, .limit = 20},
            values[i], NULL);
        done[i] = run.outcome == ACC_DONE;
        describe(c, a, sizeof a);
        if (verbose)
            printf("    %-24s %-8s %7ld steps %7.3f s %s\n", a, acc_outcome_text(run.outcome),
                   run.steps, run.seconds, run.text);
    }
    choose(&r, values, done, best);
    if (best[0] >= 0) {
        describe(&candidates[best[0]], a, sizeof a);
        describe(&candidates[best[1]], b, sizeof b);
        snprintf(r.made, sizeof r.made, "%s and %s", a, b);
        for (int i = 0; verbose && i < CANDIDATES; i++)
            if (done[i])
                printf("      %s %g: %.1e\n", candidates[i].method,
                       candidates[i].tolerance + candidates[i].steps,
                       acc_error(&r, values[i], NULL, NULL));
        r.amplification = amplification(m, &r, &candidates[best[0]]);
        acc_reference_write(set, m, &r);
    }
    printf("%-28s agreement %.1e (%s), amplification %.3g%s\n", m->name, r.agreement,
           best[0] < 0 ? "none" : r.made, r.amplification,
           !(r.agreement <= 1e-10)               ? "  <-- no reference"
           : (r.amplification > 1e3) != m->apart ? "  <-- apart?"
                                                 : "");
    fflush(stdout);
    for (int i = 0; i < CANDIDATES; i++)
        free(values[i]);
    acc_reference_free(&r);
    return best[0] >= 0;
}

int acc_make(const AccOptions *o, int rows) {
    AccSet set;
    if (!acc_set_read(o->root, o->set, &set)) {
        fprintf(stderr, "accuracy: no list %s/test/accuracy/%s.txt\n", o->root, o->set);
        return 2;
    }
    int failed = 0;
    for (int i = 0; i < set.n; i++)
        if (!o->only || strstr(set.items[i].name, o->only))
            failed += !make(&set, &set.items[i], rows, o->verbose);
    acc_set_free(&set);
    return failed > 0;
}
