// SPDX-License-Identifier: Apache-2.0
// Series of settings: a method with a tolerance or a fixed step that goes from coarse to fine. All
// methods of the registry take part, error-controlled first, and those that usually win before the
// others: what is found first ends the runs of losers early.
#include "base/text.h"
#include "solve/sim.h"
#include "tools/compare/compare.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const first_methods[] = {"auto", "taylor", "radau", "rk853", "tangent", NULL};
static const double LEAST_TOLERANCE = 1e-14;
static const double LEAST_STEP = 1e-6;     // of the time
static const double FIRST_STEP = 1.0 / 20; // of the time
enum { METHODS = 40 };

void hol_series_method(HolMethodOptions *m, const char *name, const char *choice, int order) {
    *m = hol_sim_options().method;
    snprintf(m->name, sizeof m->name, "%s", name);
    m->order = order;
    if (!choice)
        return;
    if (strcmp(name, "bdf") == 0)
        snprintf(m->formulation, sizeof m->formulation, "%s", choice);
    else if (strncmp(name, "rk", 2) == 0)
        snprintf(m->projection, sizeof m->projection, "%s", choice);
    else if (strcmp(name, "dae-alpha") == 0)
        snprintf(m->iteration, sizeof m->iteration, "%s", choice);
    else if (strncmp(name, "explicit", 8) == 0)
        snprintf(m->set, sizeof m->set, "%s", choice);
    else
        snprintf(m->scheme, sizeof m->scheme, "%s", choice);
}

HolSimOptions hol_series_options(const HolSeries *s, double value) {
    HolSimOptions o = s->options;
    const double span = o.end - o.start;
    o.step = s->by_step ? span / ceil(1 / value - 1e-9) : 0; // whole numbers of steps
    if (!s->by_step) {                                       // three digits, as one would write it
        char text[HOL_NUMBER_SIZE];
        snprintf(text, sizeof text, "%.3g", value);
        o.tolerance = strtod(text, NULL);
    }
    return o;
}

// 1: the model can be run by it
static HolStatus series_try(const HolComparing *c, const HolSeries *s, HolError *err) {
    HolSim *sim = NULL;
    const HolSimOptions o = hol_series_options(s, s->by_step ? FIRST_STEP : 1e-4);
    HolStatus status = hol_sim_create(c->model, &o, &sim, err);
    hol_sim_destroy(sim);
    return status;
}

static const HolStepper *series_stepper(const char *name) {
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        if (strcmp((*s)->name, name) == 0)
            return *s;
    return NULL;
}

// a method, error-controlled or with fixed steps, where it can be
static void series_add(HolComparing *c, const char *name, const char *choice, int order,
                       int by_step) {
    const HolStepper *stepper = series_stepper(name);
    const int adaptive = stepper ? stepper->adaptive : HOL_STEP_ADAPTIVE;
    if (c->n_series == HOL_COMPARE_SERIES ||
        adaptive == (by_step ? HOL_STEP_ADAPTIVE : HOL_STEP_FIXED))
        return;
    HolSeries *s = &c->series[c->n_series++];
    *s = (HolSeries){.by_step = by_step, .options = c->base};
    hol_series_method(&s->options.method, name, choice, order);
    int n = snprintf(s->name, sizeof s->name, "%.20s%s%.20s", name, choice ? " " : "",
                     choice ? choice : "");
    if (order > 0)
        snprintf(s->name + n, sizeof s->name - (size_t)n, " order %d", order);
    s->first = by_step ? FIRST_STEP : fmin(0.1, 100 * c->limits[0].limit);
    s->last = by_step ? LEAST_STEP : LEAST_TOLERANCE;
    s->factor = by_step ? 0.5 : 0.1;
}

static HolStatus series_unknown(const char *name, HolError *err) {
    const char *names[METHODS];
    int n = 0;
    for (const HolStepper *const *s = hol_steppers; *s && n < METHODS; s++)
        names[n++] = (*s)->name;
    const char *near = hol_nearest_word(name, names, n);
    return hol_error_set(err, HOL_ERR_INPUT, "unknown method '%.64s'%s%s%s", name,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// "tangent:obreshkov3", "radau:5"
static HolStatus series_word(HolComparing *c, const char *word, size_t length, HolError *err) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    char *choice = strchr(name, ':');
    if (choice)
        *choice++ = 0;
    const int number = choice && isdigit((unsigned char)*choice);
    const int first = c->n_series;
    HolError problem = {0};
    for (int by_step = 0; by_step < 2; by_step++)
        series_add(c, name, number ? NULL : choice, number ? (int)strtol(choice, NULL, 10) : 0,
                   by_step);
    if (c->n_series == first)
        return hol_error_set(err, HOL_ERR_INPUT, "too many methods");
    const HolStatus status = series_try(c, &c->series[first], &problem);
    if (status && !series_stepper(name))
        return series_unknown(name, err);
    if (status == HOL_ERR_INPUT)
        return hol_error_set(err, HOL_ERR_INPUT, "method '%.*s': %.400s", (int)length, word,
                             problem.text);
    return HOL_OK;
}

static void series_all(HolComparing *c, int by_step) {
    // (with fixed steps `auto` is tangent)
    for (int i = by_step; first_methods[i]; i++)
        if (series_stepper(first_methods[i]))
            series_add(c, first_methods[i], NULL, 0, by_step);
    series_add(c, "tangent", "obreshkov3", 0, by_step);
    for (const HolStepper *const *s = hol_steppers; *s; s++) {
        int known = 0;
        for (int i = 0; first_methods[i]; i++)
            known |= strcmp(first_methods[i], (*s)->name) == 0;
        if (!known)
            series_add(c, (*s)->name, NULL, 0, by_step);
    }
}

HolStatus hol_series_list(HolComparing *c, const char *methods, HolError *err) {
    c->series = HOL_NEW(&c->arena, HolSeries, HOL_COMPARE_SERIES);
    if (!c->series)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!methods) {
        series_all(c, 0);
        series_all(c, 1);
        return HOL_OK;
    }
    HolStatus status = HOL_OK;
    while (!status && *methods) {
        const size_t length = strcspn(methods, ",");
        if (length)
            status = series_word(c, methods, length, err);
        methods += length + (methods[length] == ',');
    }
    if (!status && c->n_series == 0)
        status = hol_error_set(err, HOL_ERR_INPUT, "no method is named");
    return status;
}
