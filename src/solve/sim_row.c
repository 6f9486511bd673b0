// SPDX-License-Identifier: Apache-2.0
// Result rows of a run: the state at a time inside the last step, handed to the model's columns.
#include "model/model.h"
#include "solve/project.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// fills s->out and the input from the state at time t
static HolStatus row_input(HolSim *s, double t, HolRowInput *in, HolError *err) {
    if (!s->model)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "result columns exist for models only, not for a C problem");
    HolState *x = &s->out;
    HolStatus status = hol_sim_assemble(s, err); // a row before the first step
    if (status != HOL_OK)
        return status;
    const HolStats stats = s->stats; // rows are no effort of the method
    const double left = s->stats.steps > 0 && t < s->x.t ? hol_work_left(s, t) : 0;
    HolState *at = hol_state_at(s, t);
    if (!at)
        return hol_error_set(err, HOL_ERR_INPUT, "time %.17g lies outside the last step", t);
    if (at != &s->mid)
        hol_fill(s, at);
    hol_state_copy(s, x, at);
    x->t = t;
    hol_report(s, x);
    *in = (HolRowInput){.t = t,
                        .h = s->x.t - s->prev.t,
                        .q = x->q,
                        .v = x->v,
                        .a = x->a,
                        .lambda = x->lambda,
                        .w = x->w,
                        .work_done = s->stats.work - left,
                        .energy_start = s->energy_start,
                        .iterations = s->step_iterations};
    hol_residuals(s, x, &in->residual[0], &in->residual[1], &in->residual[2], NULL);
    s->stats = stats;
    return HOL_OK;
}

HolStatus hol_sim_row(HolSim *s, double t, double *out, HolError *err) {
    HolRowInput in;
    HolStatus status = row_input(s, t, &in, err);
    if (status == HOL_OK)
        hol_model_row(s->model, s->work, &in, out);
    return status;
}

HolStatus hol_sim_row_all(HolSim *s, double t, double *out, HolError *err) {
    HolRowInput in;
    HolStatus status = row_input(s, t, &in, err);
    if (status == HOL_OK)
        hol_model_row_all(s->model, s->work, &in, out);
    return status;
}

HolStatus hol_sim_row_of(HolSim *s, double t, const int *list, int n, double *out, HolError *err) {
    HolRowInput in;
    HolStatus status = row_input(s, t, &in, err);
    if (status == HOL_OK)
        hol_model_row_of(s->model, s->work, &in, list, n, out);
    return status;
}

// Another lambda of the same motion: lambda + n with G^T n = 0. Columns that differ depend on what
// no equation determines.
int hol_sim_not_unique(HolSim *s, const int *list, int n, double *row, double *other,
                       unsigned char *flags) {
    HolRowInput in;
    double largest = 0;
    int count = 0;
    if (!s->redundant || s->nw || row_input(s, s->x.t, &in, NULL) != HOL_OK)
        return 0;
    const double size = fmax(hol_max_abs(in.lambda, s->m), DBL_MIN);
    unsigned random = 1;
    for (int i = 0; i < s->m; i++) {
        random = random * 1664525u + 1013904223u;
        s->r1[i] = size * ((double)(random >> 8) / 8388608.0 - 1);
    }
    if (!hol_null_part(s, &s->out, s->r1))
        return 0;
    hol_model_row_of(s->model, s->work, &in, list, n, row);
    for (int i = 0; i < s->m; i++)
        s->out.lambda[i] += s->r1[i];
    hol_model_row_of(s->model, s->work, &in, list, n, other);
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(other[i] - row[i]));
    for (int i = 0; i < n; i++)
        count += flags[i] = fabs(other[i] - row[i]) > 1e-6 * largest;
    return count;
}

int hol_sim_final(HolSim *s, int i, char *name, size_t size, double *value) {
    const char *column;
    if (!s->model)
        return 0;
    HolRowInput in = {
        .t = s->x.t, .q = s->x.q, .v = s->x.v, .a = s->x.a, .lambda = s->x.lambda, .w = s->x.w};
    if (!hol_model_state_value(s->model, s->work, &in, i, &column, value))
        return 0;
    snprintf(name, size, "%s", column);
    return 1;
}
