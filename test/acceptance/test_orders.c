// SPDX-License-Identifier: Apache-2.0
// Observed order of every registered method in q, v and lambda, on an ordinary differential
// equation and on constrained mechanisms whose null space turns, all with non-zero initial jerk. A
// method that is registered but not listed here fails.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "holonom/holonom.h"
#include "solve/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// an oscillator with a cubic spring, a damper and a drive: no constraints
static const char oscillator[] =
    "holonom: 1\nname: oscillator\nspace: planar\nbodies:\n"
    "  - {name: x, type: coordinate, mass: 1, position: 0.4, velocity: 0.7}\n"
    "forces:\n  - {type: expression, on: x, value: \"-2*x - x^3 - 0.3*x.v + sin(2*time)\"}\n"
    "simulation: {end: 1.6, method: tangent, step: 0.1}\n";

typedef struct {
    const char *name, *text, *path, *end;
    double h; // coarse step for a method of order 4
} Problem;

static const Problem problems[] = {
    {"oscillator", oscillator, NULL, "1.6", 0.08},
    {"double pendulum", NULL, "models/double-pendulum.yaml", "0.8", 0.02},
    {"heavy top", NULL, "models/heavy-top.yaml", "0.06", 1e-3},
};
enum { PROBLEMS = 3 };

// least order to be seen in q, v, lambda; step relative to the problem's
typedef struct {
    const char *method, *key, *value;
    double q, v, lambda, step;
} Case;

static const Case cases[] = {
    {"auto", NULL, NULL, 4, 4, 4, 1}, // a fixed step: tangent
    {"tangent", NULL, NULL, 4, 4, 4, 1},
    {"tangent", "method.scheme", "jfg", 4, 4, 4, 1},
    {"tangent", "method.scheme", "obreshkov3", 3, 3, 3, 0.5},
    {"tangent", "method.scheme", "newmark", 2, 2, 2, 0.25},
    {"tangent", "method.scheme", "fox-goodwin", 2, 2, 2, 0.25},
    {"tangent", "method.scheme", "hht", 2, 2, 2, 0.25},
    {"tangent", "method.scheme", "generalized-alpha", 2, 2, 2, 0.25},
    {"taylor", "method.order", "6", 5, 5, 5, 1},
    {"newmark", "method.gamma", "0.75", 1, 1, 0.8, 0.1},
    {"newmark", "method.index", "1", 2, 2, 2, 0.25},
    {"newmark", "method.index", "2", 2, 2, 0, 0.25},
    {"hht", "method.index", "1", 2, 2, 2, 0.25},
    {"hht", "method.alpha", "-0.2", 2, 2, 1, 0.25},
    {"generalized-alpha", NULL, NULL, 2, 2, 1, 0.25},
    {"dae-alpha", NULL, NULL, 2, 2, 2, 0.25},
    {"dae-alpha", "method.iteration", "cs", 2, 2, 2, 0.25},
    {"central-differences", NULL, NULL, 2, 2, 2, 0.25},
    {"explicit3", NULL, NULL, 2, 2, 1, 1},
    {"explicit4", NULL, NULL, 3, 3, 1, 0.5},
    {"explicit5", NULL, NULL, 4, 4, 2, 0.5},
    {"rk3", NULL, NULL, 3, 3, 3, 0.5},
    {"rk4", NULL, NULL, 4, 4, 4, 0.5},
    {"rk853", NULL, NULL, 7, 7, 7, 2.5},
    {"ab4", NULL, NULL, 4, 4, 4, 1},
    {"ab5", NULL, NULL, 5, 5, 5, 0.25},
    {"bdf", "tolerance", NULL, 0, 0, 0, 0}, // error-controlled only: test_bdf.c
    {"radau", "method.order", "3", 3, 3, 3, 1},
    {"radau", "method.order", "5", 5, 5, 5, 2},
    {"radau", "method.order", "7", 7, 7, 7, 3},
};

// q, v, lambda at the end
static int run(const Problem *p, const HolSetting *set, int n, double *x, int count[3], char *why,
               size_t size) {
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolError e;
    HolStatus status = p->text
                           ? hol_model_parse(p->text, strlen(p->text), "text", set, n, &m, &o, &e)
                           : hol_model_load(p->path, set, n, &m, &o, &e);
    if (!status)
        status = hol_sim_create(m, &o, &s, &e);
    if (!status)
        status = hol_sim_advance(s, o.end, &e);
    if (!status) {
        HolView w = hol_sim_view(s);
        memcpy(x, w.q, sizeof(double) * (size_t)w.nq);
        memcpy(x + w.nq, w.v, sizeof(double) * (size_t)w.nv);
        if (w.m)
            memcpy(x + w.nq + w.nv, w.lambda, sizeof(double) * (size_t)w.m);
        count[0] = w.nq, count[1] = w.nv, count[2] = w.m;
    } else
        snprintf(why, size, "%s", e.text);
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return status == HOL_OK;
}

static double distance(const double *a, const double *b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s = fmax(s, fabs(a[i] - b[i]));
    return s;
}

static int measure(const Case *c, const Problem *p) {
    int bad = 0;
    double x[3][128];
    int n[3] = {0}, at = 0;
    char steps[2][32], why[sizeof((HolError *)0)->text];
    HolSetting exact[] = {{"method", "taylor"}, {"tolerance", "1e-14"}, {"end", p->end}};
    assert_true(run(p, exact, 3, x[2], n, why, sizeof why));
    for (int k = 0; k < 2; k++) {
        snprintf(steps[k], sizeof steps[k], "%.17g", p->h * c->step / (k ? 4 : 1));
        HolSetting set[] = {
            {"method", c->method}, {"step", steps[k]}, {"end", p->end}, {c->key, c->value}};
        if (!run(p, set, c->key ? 4 : 3, x[k], n, why, sizeof why))
            fail_msg("%s %s on %s: %s", c->method, c->value ? c->value : "", p->name, why);
    }
    double least[3] = {c->q, c->v, c->lambda};
    for (int part = 0; part < 3; at += n[part++]) {
        double coarse = distance(x[0] + at, x[2] + at, n[part]),
               fine = distance(x[1] + at, x[2] + at, n[part]);
        double scale = 0;
        for (int i = 0; i < n[part]; i++)
            scale = fmax(scale, fabs(x[2][at + i]));
        if (n[part] == 0 || fine < 2e-11 * (1 + scale)) // round-off, also of the reference
            continue;
        double order = 0.5 * log2(coarse / fine); // a quarter of the step
        if (!(order > least[part] - 0.35)) {
            bad++;
            print_error("%s %s on %s: observed order %.2f in %s, expected %g (errors %.2e, %.2e)\n",
                        c->method, c->value ? c->value : "", p->name, order,
                        part == 0   ? "q"
                        : part == 1 ? "v"
                                    : "lambda",
                        least[part], coarse, fine);
        }
    }
    return bad;
}

static void every_method_shows_its_order(void **state) {
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int p = 0; p < PROBLEMS && cases[i].step > 0; p++)
            bad += measure(&cases[i], &problems[p]);
    assert_int_equal(bad, 0);
}

static void every_method_is_listed(void **state) {
    (void)state;
    for (const HolStepper *const *s = hol_steppers; *s; s++) {
        int listed = 0;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            listed |= strcmp(cases[i].method, (*s)->name) == 0;
        if (!listed)
            fail_msg("method %s has no entry in test_orders.c", (*s)->name);
    }
}

// Without constraints hht and generalized-alpha in the tangent space are the methods of these names;
// from rest, where the jerk is zero, they also start alike. Resolved and far too fast vibrations.
static void alpha_schemes_without_constraints(void **state) {
    (void)state;
    static const char rest[] =
        "holonom: 1\nspace: planar\nparameters: {w: 1}\n"
        "bodies: [{name: x, type: coordinate, mass: 1, position: 1}]\n"
        "forces: [{name: pull, type: expression, acts_on: x, value: \"-w^2*x\"}]\n"
        "simulation: {end: 10, step: 0.5, method: hht}\n";
    const Problem p = {"rest", rest, NULL, "10", 0.5};
    static const char *const names[] = {"hht", "generalized-alpha"}, *const fast[] = {"1", "1000"};
    static const char *const parameter[] = {"method.alpha", "method.rho"}, *const value[] = {"-0.2",
                                                                                             "0.6"};
    for (int i = 0; i < 4; i++) {
        double plain[8], tangent[8];
        int count[3];
        char why[256];
        HolSetting set[] = {{"w", fast[i / 2]},
                            {"method", names[i % 2]},
                            {parameter[i % 2], value[i % 2]},
                            {"method.scheme", names[i % 2]}};
        if (!run(&p, set, 3, plain, count, why, sizeof why))
            fail_msg("%s", why);
        set[1].value = "tangent";
        if (!run(&p, set, 4, tangent, count, why, sizeof why))
            fail_msg("%s", why);
        const double size = fmax(fabs(plain[0]), fabs(plain[1]));
        if (!(fabs(plain[0] - tangent[0]) < 1e-10 && fabs(plain[1] - tangent[1]) < 1e-10 * size))
            fail_msg("%s, w = %s: x %.15g, v %.15g; in the tangent space %.15g, %.15g",
                     names[i % 2], fast[i / 2], plain[0], plain[1], tangent[0], tangent[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_is_listed),
        cmocka_unit_test(every_method_shows_its_order),
        cmocka_unit_test(alpha_schemes_without_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
