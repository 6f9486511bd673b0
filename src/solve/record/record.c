// SPDX-License-Identifier: Apache-2.0
// A recorder: the expressions of functionals compiled for one model, fed by the observer of a run.
//
//     mean = 1/T int f dt,   rms = sqrt(1/T int f^2 dt),   T: duration of the run
//
// Columns that need no accelerations and no reactions are taken from the dense motion as it is;
// others from rows as results have them (positions and velocities on the constraints, accelerations
// and reactions of the equations there). At a jump both sides count.
#include "model/quantity.h"
#include "solve/event/event.h"
#include "solve/record/record_internal.h"
#include "solve/run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- names ----

typedef struct RecordScope {
    const HolModel *model;
    int outer; // 1: functionals; 0: columns
    int n_signals;
} RecordScope;

static void record_resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]) {
    const RecordScope *c = context;
    int k = 0;
    *out = (HolSymbol){HOL_SYMBOL_UNKNOWN, 0, 0, NULL};
    suggestion[0] = 0;
    if (c->outer) {
        if (sscanf(name, "_f%d", &k) == 1 && k >= 0 && k < c->n_signals)
            *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = k};
        for (int i = 0; i < c->model->def.n_parameters; i++)
            if (strcmp(c->model->def.parameters[i].name, name) == 0)
                *out = (HolSymbol){.type = HOL_SYMBOL_CONSTANT,
                                   .value = c->model->def.parameters[i].value};
        return;
    }
    for (int i = 0; i < hol_model_column_count(c->model); i++)
        if (strcmp(hol_model_column(c->model, i).name, name) == 0)
            *out = (HolSymbol){.type = HOL_SYMBOL_SLOT, .slot = i};
}

// ---- what the columns need ----

static int record_plain_column(const HolModel *m, const HolColumnInfo *c) {
    if (c->type == HOL_COLUMN_TIME)
        return 1;
    if (c->type == HOL_COLUMN_STATE)
        return c->quantity->level == HOL_SLOT_VALUE || c->quantity->level == HOL_SLOT_RATE;
    if (c->type != HOL_COLUMN_EXPR)
        return 0;
    const int *slots = hol_expr_slots(c->expr);
    for (int i = 0; i < hol_expr_slot_count(c->expr); i++) {
        const HolSlotType type = m->sys.slots[slots[i]].type;
        if (type != HOL_SLOT_TIME && type != HOL_SLOT_VALUE && type != HOL_SLOT_RATE)
            return 0;
    }
    return 1;
}

static int record_columns(HolArena *arena, HolRecorder *r) {
    const HolModel *m = r->model;
    r->n_columns = m->out.n_selected;
    r->list = HOL_NEW(arena, int, r->n_columns + 1);
    r->row = HOL_NEW(arena, double, r->n_columns + 1);
    if (!r->list || !r->row)
        return 0;
    r->plain = 1;
    for (int i = 0; i < r->n_columns; i++) {
        r->list[i] = m->out.selected[i];
        r->plain = r->plain && record_plain_column(m, &m->out.columns[r->list[i]]);
    }
    return 1;
}

// ---- creation ----

static int record_signals(HolArena *arena, HolRecorder *r, const HolRecordText *texts, int n,
                          HolExprError *err, int *which) {
    RecordScope context = {.model = r->model};
    const HolExprScope scope = {.context = &context, .resolve = record_resolve};
    int at = 0;
    for (*which = 0; *which < n; ++*which)
        for (int k = 0; k < texts[*which].n; k++) {
            const HolRecordPart *p = &texts[*which].parts[k];
            HolSignal *signal = &r->signals[at++];
            *signal = (HolSignal){.what = p->what,
                                  .strict = p->strict,
                                  .best = -INFINITY,
                                  .when = NAN,
                                  .expr = hol_expr_compile(arena, p->text, &scope, err)};
            r->samples |= p->what != HOL_RECORD_FINAL;
            if (!signal->expr) {
                err->column = p->at;
                return 0;
            }
        }
    return 1;
}

// outer expressions name functionals of their own text: "_f0" is the first of them
static int record_outer(HolArena *arena, HolRecorder *r, const HolRecordText *texts, int n,
                        HolExprError *err, int *which) {
    for (*which = 0; *which < n; ++*which) {
        RecordScope context = {.model = r->model, .outer = 1, .n_signals = texts[*which].n};
        const HolExprScope scope = {.context = &context, .resolve = record_resolve};
        r->outer[*which] = hol_expr_compile(arena, texts[*which].outer, &scope, err);
        if (!r->outer[*which])
            return 0;
    }
    return 1;
}

HolRecorder *hol_recorder_create(HolArena *arena, const HolModel *m, const HolRecordText *texts,
                                 int n, HolExprError *err, int *which) {
    HolRecorder *r = HOL_NEW(arena, HolRecorder, 1);
    size_t work = 1;
    *err = (HolExprError){0};
    *which = 0;
    if (!r)
        return NULL;
    r->model = m;
    r->n_texts = n;
    r->texts = HOL_NEW(arena, int, n + 1);
    for (int i = 0; r->texts && i < n; i++)
        r->n_signals += r->texts[i] = texts[i].n;
    r->signals = HOL_NEW(arena, HolSignal, r->n_signals + 1);
    r->outer = HOL_NEW(arena, const HolExpr *, n + 1);
    const size_t nodes = (size_t)(HOL_RECORD_DEPTH + 1) * HOL_RECORD_NODES;
    r->nodes = HOL_NEW(arena, double, nodes *(size_t)(r->n_signals + 1));
    r->last = HOL_NEW(arena, double, 2 * r->n_signals + 1);
    if (!r->texts || !r->signals || !r->outer || !r->nodes || !r->last ||
        !record_columns(arena, r) || !record_signals(arena, r, texts, n, err, which) ||
        !record_outer(arena, r, texts, n, err, which))
        return NULL;
    for (int i = 0; i < r->n_signals; i++)
        work = hol_expr_work(r->signals[i].expr) > work ? hol_expr_work(r->signals[i].expr) : work;
    for (int i = 0; i < n; i++)
        work = hol_expr_work(r->outer[i]) > work ? hol_expr_work(r->outer[i]) : work;
    r->work = HOL_NEW(arena, double, work);
    return r->work ? r : NULL;
}

// ---- the run ----

static HolStatus record_row(HolRecorder *r, HolSim *s, double t, HolError *err) {
    if (!r->plain)
        return hol_sim_row_of(s, t, r->list, r->n_columns, r->row, err);
    const HolState *x = hol_state_at(s, t);
    if (!x)
        return hol_error_set(err, HOL_ERR_INPUT, "time %.17g lies outside the last step", t);
    const HolRowInput in = {
        .t = t, .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .w = x->w};
    hol_model_row_of(r->model, s->work, &in, r->list, r->n_columns, r->row);
    return HOL_OK;
}

static double record_value(const HolRecorder *r, const HolSignal *signal) {
    const double value = hol_expr_value(signal->expr, r->row, r->work);
    return signal->what == HOL_RECORD_MIN   ? -value
           : signal->what == HOL_RECORD_RMS ? value * value
                                            : value;
}

HolStatus hol_recorder_signals(HolRecorder *r, HolSim *s, double t, double *out, HolError *err) {
    HolStatus status = record_row(r, s, t, err);
    for (int k = 0; !status && k < r->n_signals; k++)
        out[k] = record_value(r, &r->signals[k]);
    return status;
}

HolStatus hol_recorder_signal(HolRecorder *r, HolSim *s, int k, double t, double *out,
                              HolError *err) {
    HolStatus status = record_row(r, s, t, err);
    if (!status)
        *out = record_value(r, &r->signals[k]);
    return status;
}

// the state at t counts by itself: the start, and what lies behind a jump
static void record_point(HolRecorder *r, double t, const double *values) {
    for (int k = 0; k < r->n_signals; k++) {
        HolSignal *g = &r->signals[k];
        g->best = fmax(g->best, values[k]);
        g->size = fmax(g->size, fabs(values[k]));
        const int holds = g->strict ? values[k] > 0 : values[k] >= 0;
        if (g->what == HOL_RECORD_TIME_WHEN && isnan(g->when) && holds)
            g->when = t;
    }
}

HolStatus hol_recorder_observe(void *user, HolSim *s, int what, double t, HolError *err) {
    HolRecorder *r = user;
    if (!r->samples)
        return HOL_OK;
    if (!r->began) {
        r->began = 1;
        r->start = r->end = t;
        HolStatus status = hol_recorder_signals(r, s, t, r->last, err);
        if (!status)
            record_point(r, t, r->last);
        return status;
    }
    if (what != HOL_AT_STEP)
        return HOL_OK;
    double *left = r->last + r->n_signals;
    const int event = hol_event_take_left(s), jump = event || hol_sim_jump(s, t);
    hol_sim_rows_before(s, jump && !event);
    HolStatus status = hol_recorder_signals(r, s, t, left, err);
    if (!status)
        status = hol_recorder_step(r, s, r->end, t, r->last, left, err);
    hol_sim_rows_before(s, 0);
    if (event)
        hol_event_put_back(s);
    if (!status && jump)
        status = hol_recorder_signals(r, s, t, left, err);
    if (status)
        return status;
    memcpy(r->last, left, sizeof *left * (size_t)r->n_signals);
    if (jump)
        record_point(r, t, r->last);
    r->end = t;
    return HOL_OK;
}

HolStatus hol_recorder_values(HolRecorder *r, HolSim *s, double *out, HolError *err) {
    const double duration = r->end - r->start;
    double *values = r->nodes;
    HolStatus status = hol_recorder_signals(r, s, hol_sim_time(s), values, err);
    for (int k = 0; !status && k < r->n_signals; k++) {
        const HolSignal *g = &r->signals[k];
        const double mean = duration > 0 ? g->integral / duration : values[k];
        switch (g->what) {
        case HOL_RECORD_MIN:
            values[k] = -g->best;
            break;
        case HOL_RECORD_MAX:
            values[k] = g->best;
            break;
        case HOL_RECORD_MEAN:
            values[k] = mean;
            break;
        case HOL_RECORD_RMS:
            values[k] = sqrt(mean);
            break;
        case HOL_RECORD_INTEGRAL:
            values[k] = g->integral;
            break;
        case HOL_RECORD_TIME_WHEN:
            values[k] = g->when;
            break;
        case HOL_RECORD_FINAL:
            break;
        }
    }
    for (int i = 0, first = 0; !status && i < r->n_texts; i++) {
        out[i] = hol_expr_value(r->outer[i], values + first, r->work);
        first += r->texts[i];
    }
    return status;
}
