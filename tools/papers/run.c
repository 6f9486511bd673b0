// SPDX-License-Identifier: Apache-2.0
// Runs of the embedded models: load with settings, step, watch, and the searches built on them.
#include "tools/papers/papers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SETTINGS = 24, SETTINGS_SIZE = 800 };

// "a=1 .scheme=hermite step=0.1": the words as settings; text is changed
static int split_settings(char *text, HolSetting *out, char keys[SETTINGS][40]) {
    int n = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word && n < SETTINGS;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value = 0;
        snprintf(keys[n], 40, "%s%s", word[0] == '.' ? "method" : "", word);
        out[n].key = keys[n];
        out[n].value = value + 1;
        n++;
    }
    return n;
}

HolModel *hol_paper_model(HolPaper *p, const char *model, const char *settings,
                          HolSimOptions *options) {
    char text[SETTINGS_SIZE], keys[SETTINGS][40];
    HolSetting pairs[SETTINGS];
    HolModel *out = NULL;
    const HolEmbeddedModel *e = hol_embedded_models;
    while (e->name && strcmp(e->name, model))
        e++;
    snprintf(text, sizeof text, "%s", settings);
    const int n = split_settings(text, pairs, keys);
    if (p->status != HOL_OK)
        return NULL;
    if (!e->name)
        p->status = hol_error_set(p->err, HOL_ERR_INPUT, "models/%s is not built in", model);
    else
        p->status = hol_model_parse((const char *)e->text, e->length, model, pairs, n, &out,
                                    options, p->err);
    return out;
}

typedef struct Watch {
    HolPaperWatch look;
    void *user;
} Watch;

// at the start and behind every step
static HolStatus watch_step(void *user, HolSim *s, int what, double t, HolError *err) {
    const Watch *w = user;
    const HolView x = hol_sim_view(s);
    (void)t, (void)err;
    if (what == HOL_AT_ROW && hol_sim_stats(s).steps > 0)
        return HOL_OK;
    return w->look(w->user, &x) ? HOL_INTERRUPTED : HOL_OK;
}

// to the end, with a look at every state
static HolPaperRun march(HolSim *s, HolPaperWatch look, void *user, double end) {
    HolPaperRun r = {0};
    HolError err;
    Watch watch = {look, user};
    r.status = look ? hol_sim_run(s, end, watch_step, &watch, &err) : hol_sim_advance(s, end, &err);
    const HolView x = hol_sim_view(s);
    r.t = x.t;
    r.nq = x.nq < HOL_PAPER_MOST ? x.nq : HOL_PAPER_MOST;
    r.nv = x.nv < HOL_PAPER_MOST ? x.nv : HOL_PAPER_MOST;
    r.m = x.m < HOL_PAPER_MOST ? x.m : HOL_PAPER_MOST;
    memcpy(r.q, x.q, sizeof(double) * (size_t)r.nq);
    memcpy(r.v, x.v, sizeof(double) * (size_t)r.nv);
    memcpy(r.a, x.a, sizeof(double) * (size_t)r.nv);
    if (r.m)
        memcpy(r.lambda, x.lambda, sizeof(double) * (size_t)r.m);
    r.stats = hol_sim_stats(s);
    return r;
}

static HolPaperRun failed(HolPaper *p) {
    HolPaperRun r = {.status = p->status, .t = NAN};
    for (int i = 0; i < HOL_PAPER_MOST; i++)
        r.q[i] = r.v[i] = r.a[i] = r.lambda[i] = NAN;
    return r;
}

static HolPaperRun run_settings(HolPaper *p, HolPaperWatch watch, void *user, const char *model,
                                const char *settings) {
    HolSimOptions o;
    HolSim *s = NULL;
    HolModel *m = hol_paper_model(p, model, settings, &o);
    if (m)
        p->status = hol_sim_create(m, &o, &s, p->err);
    HolPaperRun r = s ? march(s, watch, user, o.end) : failed(p);
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return r;
}

HolPaperRun hol_paper_run(HolPaper *p, const char *model, const char *settings, ...) {
    char text[SETTINGS_SIZE];
    va_list list;
    va_start(list, settings);
    vsnprintf(text, sizeof text, settings, list);
    va_end(list);
    return run_settings(p, NULL, NULL, model, text);
}

HolPaperRun hol_paper_watch(HolPaper *p, HolPaperWatch watch, void *user, const char *model,
                            const char *settings, ...) {
    char text[SETTINGS_SIZE];
    va_list list;
    va_start(list, settings);
    vsnprintf(text, sizeof text, settings, list);
    va_end(list);
    return run_settings(p, watch, user, model, text);
}

HolPaperRun hol_paper_problem(HolPaper *p, HolPaperWatch watch, void *user,
                              const HolProblem *problem, const double *q, const double *v,
                              const HolSimOptions *o) {
    HolSim *s = NULL;
    if (p->status == HOL_OK)
        p->status = hol_sim_create_problem(problem, q, v, o, &s, p->err);
    HolPaperRun r = s ? march(s, watch, user, o->end) : failed(p);
    hol_sim_destroy(s);
    return r;
}

// ---- the largest value, and where it starts to grow ----

typedef struct Largest {
    int i;
    double bound, value;
} Largest;

static int watch_largest(void *user, const HolView *x) {
    Largest *l = user;
    l->value = fmax(l->value, fabs(x->q[l->i]));
    return !(l->value <= l->bound);
}

static double run_largest(HolPaper *p, int i, double bound, const char *model,
                          const char *settings) {
    Largest l = {i, bound, 0};
    const HolPaperRun r = run_settings(p, watch_largest, &l, model, settings);
    return r.status == HOL_OK ? l.value : INFINITY;
}

double hol_paper_largest(HolPaper *p, int i, double bound, const char *model, const char *settings,
                         ...) {
    char text[SETTINGS_SIZE];
    va_list list;
    va_start(list, settings);
    vsnprintf(text, sizeof text, settings, list);
    va_end(list);
    return run_largest(p, i, bound, model, text);
}

double hol_paper_limit(HolPaper *p, int i, double bound, double low, double high, int steps,
                       const char *model, const char *settings) {
    while (high - low > 2e-6 * high && p->status == HOL_OK) {
        char text[SETTINGS_SIZE];
        const double h = (low + high) / 2;
        snprintf(text, sizeof text, "%s step=%.17g end=%.17g", settings, h, steps * h);
        if (run_largest(p, i, bound, model, text) < INFINITY)
            low = h;
        else
            high = h;
    }
    return (low + high) / 2;
}

double hol_paper_distance(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}
