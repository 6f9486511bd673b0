// SPDX-License-Identifier: Apache-2.0
// Running a C problem in a test: options, one run to its end, comparison.
#ifndef TEST_RUN_H
#define TEST_RUN_H

#include <holonom/holonom.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct Run {
    HolStatus status;
    double q[8], v[8], lambda[8], w[8], dq, dv, t;
    HolStats stats;
    HolError err;
} Run;

static inline HolSimOptions options(const char *method, double end, double step) {
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.end = end;
    o.step = step;
    return o;
}

static inline double distance(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static inline Run run(const HolProblem *p, const double *q0, const double *v0,
                      const double *q_reference, const double *v_reference,
                      const HolSimOptions *o) {
    static Run r;
    memset(&r, 0, sizeof r);
    HolSim *s = NULL;
    r.status = hol_sim_create_problem(p, q0, v0, o, &s, &r.err);
    if (r.status != HOL_OK) {
        assert_null(s);
        return r;
    }
    r.status = hol_sim_advance(s, o->end, &r.err);
    HolView x = hol_sim_view(s);
    r.t = x.t;
    memcpy(r.q, x.q, (size_t)x.nq * sizeof *x.q);
    memcpy(r.v, x.v, (size_t)x.nv * sizeof *x.v);
    memcpy(r.lambda, x.lambda, (size_t)x.m * sizeof *x.lambda);
    if (x.nw)
        memcpy(r.w, x.w, (size_t)x.nw * sizeof *x.w);
    if (q_reference)
        r.dq = distance(r.q, q_reference, x.nq);
    if (v_reference)
        r.dv = distance(r.v, v_reference, x.nv);
    r.stats = hol_sim_stats(s);
    hol_sim_destroy(s);
    return r;
}

static inline void close_to(double value, double expected, double tolerance) {
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%.15g differs from %.15g by %.3g\n", value, expected, fabs(value - expected));
    fail();
}

static inline double order(double coarse, double fine) {
    return log2(coarse / fine);
}

#endif
