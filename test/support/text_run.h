// SPDX-License-Identifier: Apache-2.0
// Running a model given as text, with any method, and looking at its columns by name.
#ifndef TEST_TEXT_RUN_H
#define TEST_TEXT_RUN_H

#include "probe.h"

typedef struct TextRun {
    HolModel *model;
    HolSim *sim;
    HolStatus status;
    HolError err;
} TextRun;

static inline TextRun open_text(const char *text, const char *method, double tolerance) {
    TextRun r = {.model = parse_model(text)};
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.tolerance = tolerance;
    o.end = 100;
    if (hol_sim_create(r.model, &o, &r.sim, &r.err) != HOL_OK)
        fail_msg("%s", r.err.text);
    return r;
}

static inline void close_text(TextRun *r) {
    hol_sim_destroy(r->sim);
    hol_model_destroy(r->model);
}

// run to time t; the run may have failed when r->status says so
static inline void advance_text(TextRun *r, double t) {
    r->status = t > 0 ? hol_sim_advance(r->sim, t, &r->err) : hol_sim_assemble(r->sim, &r->err);
}

static inline double text_value(TextRun *r, const char *column) {
    double row[200];
    const int n = hol_model_column_count(r->model);
    assert_true(n <= 200);
    if (r->status != HOL_OK)
        fail_msg("%s", r->err.text);
    assert_int_equal(hol_sim_row(r->sim, hol_sim_time(r->sim), row, &r->err), HOL_OK);
    for (int i = 0; i < n; i++)
        if (!strcmp(hol_model_column(r->model, i).name, column))
            return row[i];
    fail_msg("no column %s", column);
    return NAN;
}

static inline void expect_text(TextRun *r, const char *column, double value, double limit) {
    const double x = text_value(r, column);
    if (!(fabs(x - value) <= limit))
        fail_msg("%s at %g: %.15g, expected %.15g (off by %.2e)", column, hol_sim_time(r->sim), x,
                 value, x - value);
}

#endif
