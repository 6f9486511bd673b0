// SPDX-License-Identifier: Apache-2.0
// Achieved error / tolerance of methods over a set of mechanisms: quantiles, slopes, single runs.
#include "accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 32, TOLERANCES = 16, SWEEP = 8 };

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double acc_quantile(double *values, int n, double p) {
    if (n == 0)
        return NAN;
    qsort(values, (size_t)n, sizeof *values, ascending);
    const int i = (int)ceil(p * n) - 1;
    return values[i < 0 ? 0 : i];
}

double acc_slope(const double *tolerance, const double *error, int n, double floor) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0, k = 0;
    for (int i = 0; i < n; i++) {
        if (!(error[i] > floor) || !(error[i] < 0.3)) // (beyond that an error says nothing)
            continue;
        const double x = log10(tolerance[i]), y = log10(error[i]);
        k++;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return k >= 3 ? (k * sxy - sx * sy) / (k * sxx - sx * sx) : NAN;
}

// ---- one method over the set ----

typedef struct Tally {
    double *ratio, *slope;
    int n, n_slopes, failed, refused;
    double worst, worst_tolerance;
    char worst_name[ACC_NAME];
    long steps, rejected;
} Tally;

static void print_run(const AccMechanism *m, const AccReference *r, const AccSetting *s,
                      const AccRun *run, const double *values) {
    int column = 0, row = 0;
    printf("  %-28s %-20s %.0e ", m->name, s->method, s->tolerance);
    if (run->outcome != ACC_DONE) {
        printf("%-8s at t = %.4g of %.4g, %ld steps: %s\n", acc_outcome_text(run->outcome),
               run->reached, r->time[r->rows - 1], run->steps, run->text);
        return;
    }
    const double e = acc_error(r, values, &column, &row);
    printf("%9.3g %-16s t=%-10.4g %6ld steps %5ld rejected %.2g s\n", e / s->tolerance,
           r->names[column], r->time[row], run->steps, run->rejected, run->seconds);
}

// one run, counted where it belongs; the error, NAN: none
static double one(const AccOptions *o, const AccMechanism *m, const AccReference *r,
                  const char *method, double tolerance, AccRun *run) {
    double *values = calloc((size_t)(r->rows * r->columns), sizeof *values);
    const AccSetting s = {.method = method, .tolerance = tolerance, .limit = o->limit};
    *run = acc_run(m, r, &s, values, NULL);
    const double e = run->outcome == ACC_DONE ? acc_error(r, values, NULL, NULL) : NAN;
    if (o->verbose)
        print_run(m, r, &s, run, values);
    free(values);
    return e;
}

static void count(Tally *t, const AccMechanism *m, double tolerance, double error,
                  const AccRun *run) {
    if (run->outcome == ACC_REFUSED)
        t->refused++;
    else if (run->outcome != ACC_DONE)
        t->failed++;
    else {
        t->ratio[t->n++] = error / tolerance;
        t->steps += run->steps;
        t->rejected += run->rejected;
        if (error / tolerance > t->worst) {
            t->worst = error / tolerance;
            t->worst_tolerance = tolerance;
            snprintf(t->worst_name, sizeof t->worst_name, "%s", m->name);
        }
    }
}

static void sweep(const AccOptions *o, Tally *t, const AccMechanism *m, const AccReference *r,
                  const char *method) {
    double tolerance[SWEEP], error[SWEEP];
    AccRun run;
    for (int i = 0; i < SWEEP; i++) {
        tolerance[i] = pow(10, -3 - i);
        error[i] = one(o, m, r, method, tolerance[i], &run);
        if (run.outcome == ACC_REFUSED)
            return;
    }
    // round-off: what the reference itself is uncertain by, and where errors no longer fall
    double floor = fmax(1e-12, 10 * r->agreement);
    if (error[SWEEP - 1] > 0.5 * error[SWEEP - 2])
        floor = fmax(floor, 3 * fmax(error[SWEEP - 1], error[SWEEP - 2]));
    const double slope = acc_slope(tolerance, error, SWEEP, floor);
    if (o->verbose)
        printf("  %-28s %-20s slope %.3f\n", m->name, method, slope);
    if (slope == slope)
        t->slope[t->n_slopes++] = slope;
}

static Tally tally(const AccOptions *o, const AccSet *set, const AccReference *refs,
                   const char *method, const double *tolerances, int n) {
    Tally t = {.ratio = calloc((size_t)(set->n * n), sizeof(double)),
               .slope = calloc((size_t)set->n, sizeof(double))};
    for (int i = 0; i < set->n; i++) {
        const AccMechanism *m = &set->items[i];
        if (refs[i].rows == 0 || m->apart != o->apart || (o->only && !strstr(m->name, o->only)))
            continue;
        for (int k = 0; k < n; k++) {
            AccRun run;
            const double e = one(o, m, &refs[i], method, tolerances[k], &run);
            count(&t, m, tolerances[k], e, &run);
        }
        if (o->slopes)
            sweep(o, &t, m, &refs[i], method);
    }
    return t;
}

static void print_tally(const AccOptions *o, const char *method, Tally *t) {
    const double median = acc_quantile(t->ratio, t->n, 0.5),
                 most = acc_quantile(t->ratio, t->n, 0.9);
    printf("| %-24s | %5d | %3d / %3d | %8.3g | %8.3g | %8.3g %s %.0e | %8ld | %7ld |", method,
           t->n, t->failed, t->refused, median, most, t->worst, t->worst_name, t->worst_tolerance,
           t->steps, t->rejected);
    if (o->slopes)
        printf(" %.2f (%d) |", acc_quantile(t->slope, t->n_slopes, 0.5), t->n_slopes);
    printf("\n");
    fflush(stdout);
    free(t->ratio);
    free(t->slope);
}

int acc_table(const AccOptions *o) {
    AccSet set;
    char *methods[METHODS], *texts[TOLERANCES], *a = strdup(o->methods), *b = strdup(o->tolerances);
    double tolerances[TOLERANCES];
    const int n_methods = acc_split(a, methods, METHODS), n = acc_split(b, texts, TOLERANCES);
    for (int i = 0; i < n; i++)
        tolerances[i] = strtod(texts[i], NULL);
    if (!acc_set_read(o->root, o->set, &set)) {
        fprintf(stderr, "accuracy: no list %s/test/accuracy/%s.txt\n", o->root, o->set);
        return 2;
    }
    AccReference *refs = calloc((size_t)set.n, sizeof *refs);
    for (int i = 0; i < set.n; i++)
        if (!acc_reference_read(&set, &set.items[i], &refs[i]))
            fprintf(stderr, "accuracy: %s has no reference\n", set.items[i].name);
    printf("| method | runs | failed / refused | median | 90 %% | worst | steps | rejected |%s\n",
           o->slopes ? " slope |" : "");
    for (int i = 0; i < n_methods; i++) {
        Tally t = tally(o, &set, refs, methods[i], tolerances, n);
        print_tally(o, methods[i], &t);
    }
    for (int i = 0; i < set.n; i++)
        acc_reference_free(&refs[i]);
    free(refs);
    free(a);
    free(b);
    acc_set_free(&set);
    return 0;
}
