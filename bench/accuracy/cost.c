// SPDX-License-Identifier: Apache-2.0
// Cost at equal achieved error: half-decade sweeps of the tolerance, cost against error
// interpolated in logarithms at errors 1e-3, 1e-5, 1e-7. A CSV file a build; two of them are
// compared by scripts/compare_cost.sh.
#include "accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP = 25, METHODS = 16 };

static const double wanted[] = {1e-3, 1e-5, 1e-7};

typedef struct Point {
    double error, cost[3]; // steps, seconds, instructions
} Point;

// The smallest cost at which the error is reached and kept by all tighter tolerances: log-linear
// between the last point above and the first one below; NAN: the sweep does not pass it
static double cost_at(const Point *p, int n, double error, int which) {
    int i = n;
    while (i > 0 && p[i - 1].error <= error)
        i--;
    if (i == n || i == 0)
        return NAN;
    const Point *a = &p[i - 1], *b = &p[i];
    if (!(b->error > 0))
        return b->cost[which];
    const double part = log(a->error / error) / log(a->error / b->error);
    return exp(log(a->cost[which]) + part * log(b->cost[which] / a->cost[which]));
}

static int sweep(const AccOptions *o, const AccMechanism *m, const AccReference *r,
                 const char *method, int repeats, Point *points) {
    double *values = calloc((size_t)(r->rows * r->columns), sizeof *values);
    int n = 0;
    for (int i = 0; i < SWEEP; i++) {
        const AccSetting s = {
            .method = method, .tolerance = pow(10, -1 - 0.5 * i), .limit = o->limit};
        const AccRun run = acc_run(m, r, &s, values, NULL);
        if (run.outcome != ACC_DONE)
            continue;
        Point *p = &points[n];
        long steps = 0;
        p->error = acc_error(r, values, NULL, NULL);
        p->cost[1] = acc_cost(m, &s, repeats, &steps, &p->cost[2]);
        p->cost[0] = (double)steps;
        if (!(p->cost[1] > 0))
            continue;
        n++;
        if (o->verbose)
            printf("  %-28s %-10s %.1e error %.2e steps %6ld cpu %.3g instructions %.4g\n", m->name,
                   method, s.tolerance, p->error, steps, p->cost[1], p->cost[2]);
        if (p->error < 2e-8 && n > 1 && points[n - 2].error < 2e-8)
            break;
    }
    free(values);
    return n;
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
    for (int i = 0; i < set.n; i++) {
        AccReference r;
        if ((o->only && !strstr(set.items[i].name, o->only)) ||
            !acc_reference_read(&set, &set.items[i], &r))
            continue;
        for (int k = 0; k < n_methods; k++) {
            Point points[SWEEP];
            const int n = sweep(o, &set.items[i], &r, methods[k], repeats, points);
            for (int w = 0; w < 3; w++)
                fprintf(out, "%s,%s,%.0e,%.4g,%.4g,%.5g\n", set.items[i].name, methods[k],
                        wanted[w], cost_at(points, n, wanted[w], 0),
                        cost_at(points, n, wanted[w], 1), cost_at(points, n, wanted[w], 2));
            fflush(out);
        }
        acc_reference_free(&r);
    }
    if (csv)
        fclose(out);
    free(text);
    acc_set_free(&set);
    return 0;
}
