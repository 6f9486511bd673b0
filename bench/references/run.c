// SPDX-License-Identifier: Apache-2.0
// One run of a reference problem: its events in their order, states behind events and at times (dense
// output: steps know nothing of these times), the ledger of energy.
#include "references.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 400 };
static const char too_few[] = "events are missing";
static const double ACROSS = 1e-12, DRIFT = 30; // of the energy, of tolerance times energy

const RfTrial rf_fine[RF_FINE] = {{"taylor", 1e-12, 1e-11, 1e-8},
                                  {"tangent", 1e-11, 1e-9, 1e-8},
                                  {"rk853", 1e-11, 1e-9, 1e-8},
                                  {"radau", 1e-11, 1e-9, 1e-8}};
const RfTrial rf_coarse[RF_COARSE] = {{"taylor", 1e-8, 3e-7, 3e-7}, {"tangent", 1e-8, 3e-7, 3e-7},
                                      {"rk853", 1e-8, 3e-7, 3e-7},  {"radau", 1e-8, 3e-7, 3e-7},
                                      {"rk4", 1e-8, 3e-7, 3e-7},    {"bdf", 1e-8, 3e-7, 3e-7}};
const RfTrial rf_rough[RF_ROUGH] = {{"newmark", 1e-8, 3e-7, 3e-7},
                                    {"hht", 1e-8, 3e-7, 3e-7},
                                    {"generalized-alpha", 1e-8, 3e-7, 3e-7},
                                    {"dae-alpha", 1e-8, 3e-7, 3e-7},
                                    {"explicit4", 1e-8, 3e-7, 3e-7}};

typedef struct Watch {
    const RfProblem *p;
    RfRun *out;
    const HolModel *model;
    double start;
    int next;                    // event of the list
    int state;                   // of the list
    HolEvent last;               // seen; kind empty: none
    double row_time, row_open;   // of the row before: its time, energy.numerical
    double energy, across, open; // largest values
    int started;
} Watch;

// ---- comparing ----

static double beyond(double error, double trust) {
    return fmax(0, fabs(error) - trust);
}

static void run_time(RfRun *r, double error, const char *what, double time) {
    if (!(error <= r->time)) {
        r->time = error;
        snprintf(r->where_time, sizeof r->where_time, "%s at %.6g", what, time);
    }
}

static void run_state(const RfProblem *p, RfRun *r, const char *name, double x, double value,
                      double time) {
    const double error =
        beyond(x - value, p->state_trust * fmax(1, fabs(value))) / fmax(1, fabs(value));
    if (!(error <= r->state)) {
        r->state = error;
        snprintf(r->where_state, sizeof r->where_state, "%s at %.6g", name, time);
    }
}

static HolStatus run_wrong(Watch *w, HolError *err, const char *what, const HolEvent *e) {
    snprintf(err->text, sizeof err->text, "%s: %s %s at %.15g, number %d", what, e->kind, e->name,
             e->time, w->next + 1);
    return HOL_ERR_INPUT;
}

// a field of the event or a column of the state behind it
static HolStatus value_of(HolSim *s, const HolEvent *e, const char *name, double *out,
                          HolError *err) {
    const struct {
        const char *name;
        double value;
    } fields[] = {{"event.before", e->speed_before},
                  {"event.after", e->speed_after},
                  {"event.impulse", e->impulse_n},
                  {"event.loss", e->loss}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(name, fields[i].name)) {
            *out = fields[i].value;
            return HOL_OK;
        }
    return hol_sim_value(s, name, out, err);
}

static HolStatus compare_event(Watch *w, HolSim *s, const HolEvent *e, const RfEvent *want,
                               HolError *err) {
    if (strcmp(e->kind, want->kind) || (want->name && strcmp(e->name, want->name)))
        return run_wrong(w, err, "another event", e);
    if (!isnan(want->time))
        run_time(w->out, beyond(e->time - want->time, w->p->time_trust), e->kind, e->time);
    w->out->events++;
    for (int i = 0; i < RF_VALUES && want->value[i].name; i++) {
        double x = NAN;
        const HolStatus status = value_of(s, e, want->value[i].name, &x, err);
        if (status != HOL_OK)
            return status;
        run_state(w->p, w->out, want->value[i].name, x, want->value[i].value, e->time);
    }
    return HOL_OK;
}

static HolStatus see_event(Watch *w, HolSim *s, const HolEvent *e, HolError *err) {
    w->last = *e;
    if (w->next < RF_EVENTS && w->p->events[w->next].kind)
        return compare_event(w, s, e, &w->p->events[w->next++], err);
    // (the next one of a periodic motion, by round-off before the end)
    if (!w->p->more && w->p->end - e->time > 1e-6 * w->p->end)
        return run_wrong(w, err, "one event too many", e);
    return HOL_OK;
}

// ---- rows ----

static HolStatus see_row(Watch *w, HolSim *s, double t, HolError *err) {
    double row[COLUMNS], open = 0, T = 0, V = 0;
    const int n = hol_model_all_column_count(w->model);
    const HolStatus status = n <= COLUMNS ? hol_sim_row_all(s, t, row, err) : HOL_ERR_INPUT;
    for (int i = 0; i < n && status == HOL_OK; i++) {
        const char *name = hol_model_all_column(w->model, i).name;
        if (!strcmp(name, "energy.numerical"))
            open = row[i];
        else if (!strcmp(name, "energy.kinetic"))
            T = row[i];
        else if (!strcmp(name, "energy.potential"))
            V = row[i];
    }
    if (w->started && t == w->row_time)
        w->across = fmax(w->across, fabs(open - w->row_open));
    w->started = 1;
    w->row_time = t;
    w->row_open = open;
    w->open = fmax(w->open, fabs(open));
    w->energy = fmax(w->energy, T + fabs(V));
    return status;
}

// states of the list up to time t
static HolStatus see_states(Watch *w, HolSim *s, double t, HolError *err) {
    double row[COLUMNS];
    const int n = hol_model_all_column_count(w->model);
    for (; w->state < RF_STATES && w->p->states[w->state].name; w->state++) {
        const RfState *want = &w->p->states[w->state];
        int c = 0;
        if (want->time > t)
            return HOL_OK;
        if (n > COLUMNS || hol_sim_row_all(s, want->time, row, err) != HOL_OK)
            return HOL_ERR_INPUT;
        while (c < n && strcmp(hol_model_all_column(w->model, c).name, want->name))
            c++;
        if (c == n) {
            snprintf(err->text, sizeof err->text, "no column '%s'", want->name);
            return HOL_ERR_INPUT;
        }
        run_state(w->p, w->out, want->name, row[c], want->value, want->time);
    }
    return HOL_OK;
}

static HolStatus watch_run(void *user, HolSim *s, int what, double t, HolError *err) {
    Watch *w = user;
    HolEvent e;
    (void)err;
    HolError *why = &w->out->err; // (of rows of the near side there is none)
    HolStatus status = HOL_OK;
    if (what == HOL_AT_ROW)
        status = see_row(w, s, t, why);
    if (status == HOL_OK && (what == HOL_AT_STEP || (what == HOL_AT_ROW && w->state == 0)))
        status = see_states(w, s, t, why);
    for (int i = 0; what == HOL_AT_EVENT && status == HOL_OK && hol_sim_event(s, i, &e); i++)
        if (e.time > w->start) // (modes of the start)
            status = see_event(w, s, &e, why);
    return status;
}

// ---- runs ----

static HolStatus run_open(const char *root, const RfProblem *p, const RfTrial *t, HolModel **model,
                          HolSimOptions *o, HolError *err) {
    char path[400];
    int n = 0;
    while (n < RF_SETTINGS && p->settings[n].key)
        n++;
    snprintf(path, sizeof path, "%s/%s", root, p->model);
    *o = hol_sim_options();
    const HolStatus status = hol_model_load(path, p->settings, n, model, o, err);
    snprintf(o->method.name, sizeof o->method.name, "%s", t->method);
    o->step = 0;
    o->tolerance = t->tolerance;
    o->end = p->end;
    o->output_step = 0;
    return status;
}

// what is left to be seen at the end
static HolStatus run_complete(Watch *w, HolSim *s, HolError *err) {
    if (w->next < RF_EVENTS && w->p->events[w->next].kind) {
        snprintf(err->text, sizeof err->text, "%s: %d of the list came", too_few, w->next);
        return HOL_ERR_INPUT;
    }
    return w->p->last.kind ? compare_event(w, s, &w->last, &w->p->last, err) : HOL_OK;
}

void rf_run(const char *root, const RfProblem *p, const RfTrial *t, RfRun *out) {
    HolModel *model = NULL;
    HolSim *sim = NULL;
    HolSimOptions o;
    Watch w = {.p = p, .out = out};
    memset(out, 0, sizeof *out);
    out->refused = p->but && !strcmp(p->but, t->method);
    if (out->refused)
        return;
    HolStatus status = run_open(root, p, t, &model, &o, &out->err);
    w.model = model;
    w.start = o.start;
    if (status == HOL_OK) {
        status = hol_sim_create(model, &o, &sim, &out->err);
        out->refused = status != HOL_OK && strstr(out->err.text, t->method);
    }
    if (status == HOL_OK)
        status = hol_sim_run(sim, p->end, watch_run, &w, &out->err);
    if (p->message)
        out->done = status != HOL_OK && strstr(out->err.text, p->message);
    else
        out->done = status == HOL_OK && run_complete(&w, sim, &out->err) == HOL_OK;
    if (sim)
        out->steps = hol_sim_stats(sim).steps;
    out->across = w.energy > 0 ? w.across / w.energy : 0;
    out->drift = w.energy > 0 ? w.open / w.energy : 0;
    hol_sim_destroy(sim);
    hol_model_destroy(model);
}

typedef struct Limit {
    const char *what, *where;
    double is, allowed;
} Limit;

enum { LIMITS = 4 };

static void run_limits(const RfTrial *t, const RfRun *r, Limit out[LIMITS]) {
    out[0] = (Limit){"time", r->where_time, r->time, t->time};
    out[1] = (Limit){"state", r->where_state, r->state, t->state};
    out[2] = (Limit){"ledger", "across an event", r->across, ACROSS};
    out[3] = (Limit){"ledger", "over the run", r->drift, DRIFT * t->tolerance};
}

int rf_holds(const RfTrial *t, const RfRun *r, char *why, size_t room) {
    Limit limit[LIMITS];
    run_limits(t, r, limit);
    *why = 0;
    if (r->refused)
        return 1;
    if (!r->done)
        snprintf(why, room, "%s", *r->err.text ? r->err.text : "it did not fail");
    for (int i = 0; i < LIMITS && !*why; i++)
        if (!(limit[i].is <= limit[i].allowed))
            snprintf(why, room, "%s (%s) off by %.2e, allowed %.2e", limit[i].what, limit[i].where,
                     limit[i].is, limit[i].allowed);
    return !*why;
}

double rf_worst(const RfTrial *t, const RfRun *r) {
    Limit limit[LIMITS];
    double worst = 0;
    run_limits(t, r, limit);
    for (int i = 0; i < LIMITS; i++)
        worst = fmax(worst, limit[i].is / limit[i].allowed);
    return worst;
}

// ---- bits ----

static HolStatus rows_only(void *user, HolSim *s, int what, double t, HolError *err) {
    double row[COLUMNS];
    (void)user;
    return what == HOL_AT_ROW ? hol_sim_row_all(s, t, row, err) : HOL_OK;
}

int rf_bits(const char *root, const RfProblem *p, const RfTrial *t, double output_step, int threads,
            double *out, int room, HolError *err) {
    HolModel *model = NULL;
    HolSim *sim = NULL;
    HolSimOptions o;
    int n = 0;
    HolStatus status = run_open(root, p, t, &model, &o, err);
    o.output_step = output_step;
    o.threads = threads;
    if (status == HOL_OK)
        status = hol_sim_create(model, &o, &sim, err);
    if (status == HOL_OK)
        status = hol_sim_run(sim, p->end, rows_only, NULL, err);
    if (status == HOL_OK) {
        const HolView x = hol_sim_view(sim);
        const double *const parts[] = {x.q, x.v, x.a, x.lambda};
        const int length[] = {x.nq, x.nv, x.nv, x.m};
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < length[k] && n < room; i++)
                out[n++] = parts[k][i];
    }
    hol_sim_destroy(sim);
    hol_model_destroy(model);
    return n;
}

const char *const rf_bits_of[RF_BITS] = {"slider_crank_friction", "belt_limit_cycle", "door_stop",
                                         "rocking_block",         "hunt_crossley",    "geneva"};

const RfProblem *rf_problem(const char *name) {
    for (int i = 0; i < rf_problem_count; i++)
        if (!strcmp(rf_problems[i].name, name))
            return &rf_problems[i];
    return NULL;
}

int rf_same_bits(const char *root, const RfProblem *p, const RfTrial *t, HolError *err) {
    enum { WAYS = 4, ROOM = 400 };
    static const struct {
        double rows; // of the whole time
        int threads;
    } ways[WAYS] = {{0, 1}, {1, 1}, {0.0137, 1}, {0, 2}};
    double first[ROOM], now[ROOM];
    int n = 0;
    for (int i = 0; i < WAYS; i++) {
        const int length =
            rf_bits(root, p, t, ways[i].rows * p->end, ways[i].threads, i ? now : first, ROOM, err);
        if (length == 0)
            return 0;
        n = i ? n : length;
        if (i && (length != n || memcmp(first, now, sizeof *now * (size_t)n) != 0)) {
            snprintf(err->text, sizeof err->text, "other bits with %d threads, rows each %g s",
                     ways[i].threads, ways[i].rows * p->end);
            return 0;
        }
    }
    return 1;
}
