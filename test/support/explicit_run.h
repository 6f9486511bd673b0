// SPDX-License-Identifier: Apache-2.0
// Running the model problems of the conditionally explicit paper in tests.
#ifndef TEST_EXPLICIT_RUN_H
#define TEST_EXPLICIT_RUN_H

#include "run.h"

#include <stdlib.h>

#define PAPERS HOL_SOURCE_DIR "/models/papers/"

static const char van_der_pol[] = "holonom: 1\nname: van der Pol\nspace: planar\n"
                                  "bodies: [{name: x, type: coordinate, mass: 1, position: 1, "
                                  "velocity: 0.5}]\n"
                                  "forces: [{name: f, type: expression, on: x, value: "
                                  "'-x + 0.5*(1 - x^2)*x.v'}]\n";

static inline HolModel *load(const char *file, double theta0, double omega0) {
    char q[40], v[40];
    HolModel *m = NULL;
    HolError err;
    HolSimOptions o;
    snprintf(q, sizeof q, "%.17g", theta0);
    snprintf(v, sizeof v, "%.17g", omega0);
    HolSetting settings[2] = {{"theta0", q}, {"omega0", v}};
    const int n = isnan(theta0) ? 0 : 2;
    HolStatus status = strstr(file, ".yaml")
                           ? hol_model_load(file, settings, n, &m, &o, &err)
                           : hol_model_parse(file, strlen(file), "test", NULL, 0, &m, &o, &err);
    if (status != HOL_OK)
        print_error("%s\n", err.text);
    assert_int_equal(status, HOL_OK);
    return m;
}

static inline HolSimOptions family(const char *set, const char *start, double end, double step) {
    const int degree = set[0] == 'c' ? 3 : set[1] - '0';
    char method[16];
    snprintf(method, sizeof method, "explicit%d", degree);
    HolSimOptions o = options(method, end, step);
    snprintf(o.method.set, sizeof o.method.set, "%s", set);
    snprintf(o.method.start, sizeof o.method.start, "%s", start);
    o.method.force = 1;
    return o;
}

static inline Run run_model(const HolModel *m, const HolSimOptions *o) {
    Run r;
    HolSim *s = NULL;
    memset(&r, 0, sizeof r);
    r.status = hol_sim_create(m, o, &s, &r.err);
    if (r.status != HOL_OK)
        return r;
    r.status = hol_sim_advance(s, o->end, &r.err);
    HolView x = hol_sim_view(s);
    r.t = x.t;
    memcpy(r.q, x.q, (size_t)x.nq * sizeof *x.q);
    memcpy(r.v, x.v, (size_t)x.nv * sizeof *x.v);
    if (x.m)
        memcpy(r.lambda, x.lambda, (size_t)x.m * sizeof *x.lambda);
    r.stats = hol_sim_stats(s);
    hol_sim_destroy(s);
    return r;
}

static inline Run run_file(const char *file, double theta0, double omega0, const HolSimOptions *o) {
    HolModel *m = load(file, theta0, omega0);
    Run r = run_model(m, o);
    if (r.status != HOL_OK)
        print_error("%s %s: %s\n", o->method.name, o->method.set, r.err.text);
    assert_int_equal(r.status, HOL_OK);
    hol_model_destroy(m);
    return r;
}

// largest of |energy| over the first `count` steps
static inline double energy_error(const char *file, const HolSimOptions *o, long count,
                                  double (*energy)(const HolView *)) {
    HolModel *m = load(file, NAN, NAN);
    HolSim *s = NULL;
    HolError err;
    double largest = 0;
    assert_int_equal(hol_sim_create(m, o, &s, &err), HOL_OK);
    for (long i = 0; i < count; i++) {
        HolStatus status = hol_sim_step(s, 1e9, &err);
        if (status != HOL_OK)
            print_error("%s\n", err.text);
        assert_int_equal(status, HOL_OK);
        HolView x = hol_sim_view(s);
        largest = fmax(largest, fabs(energy(&x)));
    }
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return largest;
}

// value agrees with printed digits: half a unit (and `units` more) of the last of them
static inline void agrees(double value, double printed, int digits, double units) {
    double last = pow(10, floor(log10(fabs(printed)) + 1e-12) - digits + 1);
    close_to(value, printed, (0.5 + units) * last * (1 + 1e-9));
}

#endif
