// SPDX-License-Identifier: Apache-2.0
// Runs of the papers' model files against tables of values. Multipliers are compared by size: the
// sign of a constraint row is a convention.
#ifndef TEST_PAPER_CHECK_H
#define TEST_PAPER_CHECK_H

#include "run.h"
#include "tools/papers/papers.h"

#define PENDULUM "papers/pendulum.yaml"
#define DOUBLE "stiff-double-pendulum.yaml"
#define FOX_GOODWIN "method=tangent .scheme=fox-goodwin .metric=euclid .start=plain"
#define TRAPEZOIDAL "method=tangent .scheme=trapezoidal .metric=euclid .start=plain"
#define HERMITE "method=tangent .metric=euclid .start=plain"

static HolError err;

static inline HolPaper paper(void) {
    err = (HolError){0};
    return (HolPaper){.err = &err};
}

static inline int stop_now(void *user, const HolView *x) {
    (void)user, (void)x;
    return 1;
}

static inline HolPaperRun at_start(const char *model, const char *settings) {
    HolPaper p = paper();
    const HolPaperRun r = hol_paper_watch(&p, stop_now, NULL, model, "%s", settings);
    assert_int_equal(p.status, HOL_OK);
    return r;
}

static inline HolPaperRun run_model(const char *model, const char *settings) {
    HolPaper p = paper();
    const HolPaperRun r = hol_paper_run(&p, model, "%s", settings);
    if (p.status != HOL_OK || r.status != HOL_OK)
        fail_msg("%s, %s: %s", model, settings, err.text);
    return r;
}

typedef struct Value {
    char kind; // q, v, a, l (multiplier's size), E (energy); 0: end
    int i;
    double value, tolerance;
} Value;

static inline void check(const char *what, const HolPaperRun *r, const Value *x) {
    for (; x->kind; x++) {
        const double got = x->kind == 'q'   ? r->q[x->i]
                           : x->kind == 'v' ? r->v[x->i]
                           : x->kind == 'a' ? r->a[x->i]
                           : x->kind == 'l' ? fabs(r->lambda[x->i])
                                            : r->stats.energy_final;
        if (!(fabs(got - x->value) <= x->tolerance))
            fail_msg("%s: %c[%d] = %.15g, expected %.15g within %.1g", what, x->kind, x->i, got,
                     x->value, x->tolerance);
    }
}

typedef struct Case {
    const char *model, *settings;
    Value value[14];
} Case;

static inline void check_cases(const Case *c, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const HolPaperRun r = run_model(c[i].model, c[i].settings);
        check(c[i].settings, &r, c[i].value);
    }
}
#define CHECK_CASES(cases) check_cases(cases, sizeof(cases) / sizeof *(cases))

#endif
