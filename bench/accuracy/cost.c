// SPDX-License-Identifier: Apache-2.0
// Cost at equal achieved error: half-decade sweeps of the tolerance, cost against error
// interpolated in logarithms at errors 1e-3, 1e-5, 1e-7. A CSV file a build; two of them are
// compared by scripts/compare_cost.sh. Instructions are counted by callgrind (a busy machine
// changes nothing), at the settings next to the wanted errors only.
#include "accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SWEEP = 25, METHODS = 16 };
enum { STEPS, SECONDS, INSTRUCTIONS, COSTS };

static const double wanted[] = {1e-3, 1e-5, 1e-7};

typedef struct Point {
    double tolerance, error, cost[COSTS];
} Point;

// The place from which on the error is kept by all tighter tolerances; 0: the sweep does not pass
// it
static int place_of(const Point *p, int n, double error) {
    int i = n;
    while (i > 0 && p[i - 1].error <= error)
        i--;
    return i == n ? 0 : i;
}

// cost there: log-linear between the last point above and the first one below
static double cost_at(const Point *p, int n, double error, int which) {
    const int i = place_of(p, n, error);
    if (i == 0)
        return NAN;
    const Point *a = &p[i - 1], *b = &p[i];
    if (!(b->error > 0))
        return b->cost[which];
    const double part = log(a->error / error) / log(a->error / b->error);
    return exp(log(a->cost[which]) + part * log(b->cost[which] / a->cost[which]));
}

static void setting_of(const AccOptions *o, const char *method, double tolerance, AccSetting *s) {
    *s = (AccSetting){.method = method, .tolerance = tolerance, .limit = o->limit};
}

// ---- instructions ----

// this program again under callgrind, counting inside hol_sim_advance
static double count_instructions(const AccMechanism *m, const char *method, double tolerance) {
    char self[ACC_PATH] = "", command[2 * ACC_PATH + 512], line[256];
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
        return NAN;
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no "
             "--toggle-collect=hol_sim_advance '%s' --one --set cost --only %s --methods %s "
             "--tolerances %.17g 2>&1",
             self, m->name, method, tolerance);
    FILE *out = popen(command, "r");
    double count = NAN;
    while (out && fgets(line, sizeof line, out)) {
        const char *found = strstr(line, "Collected : ");
        if (found)
            count = strtod(found + 12, NULL);
    }
    if (out)
        pclose(out);
    return count;
}

static void count_where_wanted(const AccMechanism *m, const char *method, Point *points, int n) {
    for (int w = 0; w < 3; w++) {
        const int i = place_of(points, n, wanted[w]);
        for (int k = i - 1; i > 0 && k <= i; k++)
            if (!(points[k].cost[INSTRUCTIONS] > 0))
                points[k].cost[INSTRUCTIONS] = count_instructions(m, method, points[k].tolerance);
    }
}

int acc_cost_one(const AccOptions *o) {
    AccSet set;
    AccSetting s;
    int done = 0;
    if (!acc_set_read(o->root, o->set, &set))
        return 2;
    setting_of(o, o->methods, strtod(o->tolerances, NULL), &s);
    for (int i = 0; i < set.n; i++)
        if (o->only && !strcmp(set.items[i].name, o->only))
            done = acc_plain_run(&set.items[i], &s);
    acc_set_free(&set);
    return !done;
}

// ---- the sweep ----

static int sweep(const AccOptions *o, const AccMechanism *m, const AccReference *r,
                 const char *method, int repeats, Point *points) {
    double *values = calloc((size_t)(r->rows * r->columns), sizeof *values);
    int n = 0;
    for (int i = 0; i < SWEEP; i++) {
        AccSetting s;
        setting_of(o, method, pow(10, -1 - 0.5 * i), &s);
        const AccRun run = acc_run(m, r, &s, values, NULL);
        if (run.outcome != ACC_DONE)
            continue;
        Point *p = &points[n];
        long steps = 0;
        p->tolerance = s.tolerance;
        p->error = acc_error(r, values, NULL, NULL);
        p->cost[SECONDS] = acc_cost(m, &s, repeats, &steps);
        p->cost[STEPS] = (double)steps;
        p->cost[INSTRUCTIONS] = NAN;
        if (!(p->cost[SECONDS] > 0))
            continue;
        n++;
        if (o->verbose)
            printf("  %-28s %-10s %.1e error %.2e steps %6ld cpu %.3g\n", m->name, method,
                   s.tolerance, p->error, steps, p->cost[SECONDS]);
        if (p->error < 2e-8 && n > 1 && points[n - 2].error < 2e-8)
            break;
    }
    if (o->instructions)
        count_where_wanted(m, method, points, n);
    free(values);
    return n;
}

static void one_mechanism(const AccOptions *o, const AccSet *set, const AccMechanism *m,
                          const char *method, int repeats, FILE *out) {
    AccReference r;
    Point points[SWEEP];
    if (!acc_reference_read(set, m, &r))
        return;
    const int n = sweep(o, m, &r, method, repeats, points);
    for (int w = 0; w < 3; w++)
        fprintf(out, "%s,%s,%.0e,%.4g,%.4g,%.5g\n", m->name, method, wanted[w],
                cost_at(points, n, wanted[w], STEPS), cost_at(points, n, wanted[w], SECONDS),
                cost_at(points, n, wanted[w], INSTRUCTIONS));
    fflush(out);
    acc_reference_free(&r);
}

int acc_cost_table(const AccOptions *o, const char *csv, int repeats) {
    AccSet set;
    char *methods[METHODS], *text = strdup(o->methods);
    const int n_methods = acc_split(text, methods, METHODS);
    FILE *out = csv ? fopen(csv, "w") : stdout;
    if (!out || !acc_set_read(o->root, o->set, &set)) {
        fprintf(stderr, "accuracy: no list %s, or %s cannot be written\n", o->set, csv ? csv : "");
        return 2;
    }
    fprintf(out, "mechanism,method,error,steps,seconds,instructions\n");
    for (int i = 0; i < set.n; i++)
        for (int k = 0; k < n_methods; k++)
            if (!o->only || strstr(set.items[i].name, o->only))
                one_mechanism(o, &set, &set.items[i], methods[k], repeats, out);
    if (csv)
        fclose(out);
    free(text);
    acc_set_free(&set);
    return 0;
}
