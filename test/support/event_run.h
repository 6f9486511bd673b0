// SPDX-License-Identifier: Apache-2.0
// Whole runs of a model text that keep the table of events and a few columns on both sides of each.
#ifndef TEST_EVENT_RUN_H
#define TEST_EVENT_RUN_H

#include "text_run.h"

enum { EVENT_RUN_LINES = 400 };

typedef struct EventRun {
    TextRun run;
    HolEvent line[EVENT_RUN_LINES];
    int n;
    double step_up;     // largest jump of energy.numerical between two rows at the same time
    double numerical;   // largest |energy.numerical| of all rows
    double energy;      // largest of kinetic + |potential|
    double last_time;   // of the row before
    double last_energy; // its energy.numerical
    HolStats stats;
} EventRun;

static inline HolStatus keep_event_run(void *user, HolSim *s, int what, double t, HolError *err) {
    EventRun *e = user;
    HolEvent line;
    if (what == HOL_AT_EVENT)
        for (int i = 0; e->n < EVENT_RUN_LINES && hol_sim_event(s, i, &line); i++)
            e->line[e->n++] = line;
    if (what != HOL_AT_ROW)
        return HOL_OK;
    double row[200], numerical = 0, T = 0, V = 0;
    const int n = hol_model_column_count(e->run.model);
    const HolStatus status = n <= 200 ? hol_sim_row(s, t, row, err) : HOL_ERR_INPUT;
    for (int i = 0; i < n && status == HOL_OK; i++) {
        const char *name = hol_model_column(e->run.model, i).name;
        if (!strcmp(name, "energy.numerical"))
            numerical = row[i];
        else if (!strcmp(name, "energy.kinetic"))
            T = row[i];
        else if (!strcmp(name, "energy.potential"))
            V = row[i];
    }
    if (t == e->last_time)
        e->step_up = fmax(e->step_up, fabs(numerical - e->last_energy));
    e->last_time = t;
    e->last_energy = numerical;
    e->numerical = fmax(e->numerical, fabs(numerical));
    e->energy = fmax(e->energy, T + fabs(V));
    return status;
}

typedef struct EventRunOptions {
    const char *method;
    double tolerance, step, end, output_step;
    int threads;
} EventRunOptions;

// runs to the end and stays open; e->run.status is what the run returned
static inline void event_run(EventRun *e, const char *text, EventRunOptions with) {
    *e = (EventRun){.run = {.model = parse_model(text)}, .last_time = NAN};
    HolSimOptions o = hol_sim_options();
    snprintf(o.method.name, sizeof o.method.name, "%s", with.method);
    o.tolerance = with.tolerance;
    o.step = with.step;
    o.end = with.end;
    o.output_step = with.output_step;
    if (with.threads)
        o.threads = with.threads;
    if (hol_sim_create(e->run.model, &o, &e->run.sim, &e->run.err) != HOL_OK)
        fail_msg("%s: %s", with.method, e->run.err.text);
    e->run.status = hol_sim_run(e->run.sim, with.end, keep_event_run, e, &e->run.err);
    e->stats = hol_sim_stats(e->run.sim);
}

static inline void event_run_ok(const EventRun *e, const char *what) {
    if (e->run.status != HOL_OK)
        fail_msg("%s: %s", what, e->run.err.text);
}

#endif
