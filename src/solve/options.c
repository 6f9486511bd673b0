// SPDX-License-Identifier: Apache-2.0
// Options of a run: defaults, and a check that reports every problem at once. What a method takes
// stands in its own table; a parameter of another method is an error, not silently ignored.
#include "base/sized.h"
#include "base/text.h"
#include "solve/method_options.h"
#include "solve/run/run.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static HolSimOptions options_default(void) {
    HolSimOptions o;
    memset(&o, 0, sizeof o);
    snprintf(o.method.name, sizeof o.method.name, "auto");
    snprintf(o.linear_solver, sizeof o.linear_solver, "auto");
    snprintf(o.start_at, sizeof o.start_at, "initial");
    snprintf(o.impact, sizeof o.impact, "sequence");
    snprintf(o.painleve, sizeof o.painleve, "stop");
    o.max_events = 100000;
    // NAN and "": the method's own default
    o.method.alpha = o.method.beta = o.method.gamma = o.method.zeta = o.method.rho = NAN;
    o.method.beta_out = NAN;
    o.method.predictor = -1;
    o.end = 1;
    o.tolerance = 1e-6;
    o.error.velocities = 1;
    return o;
}

void hol_sim_options_sized(HolSimOptions *out, size_t room) {
    const HolSimOptions o = options_default();
    hol_sized_make(out, room, &o, sizeof o);
}

static int is_given(const HolMethodOptions *m, const HolField *f);

// parameters without a method's name are those of tangent
static void options_name_method(HolMethodOptions *m) {
    const HolStepper *tangent = hol_stepper_find("tangent");
    for (const HolField *f = tangent->options; f->key && !strcmp(m->name, "auto"); f++)
        if (is_given(m, f))
            snprintf(m->name, sizeof m->name, "%s", tangent->name);
}

HolStatus hol_options_take(HolSimOptions *to, const HolSimOptions *from, HolError *err) {
    HolError problem;
    *to = hol_sim_options();
    if (from && hol_sized_take(to, sizeof *to, from, "hol_sim_options", &problem) != HOL_OK)
        return hol_error_set(err, HOL_ERR_INPUT, "HolSimOptions: %s", problem.text);
    if (to->n_stop_times < 0 || (to->n_stop_times > 0 && !to->stop_times))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "HolSimOptions: the list of stop times is missing");
    options_name_method(&to->method);
    return HOL_OK;
}

int hol_method_adaptive(const char *name) {
    const HolStepper *stepper = name ? hol_stepper_find(name) : NULL;
    return stepper && stepper->adaptive != HOL_STEP_FIXED;
}

// ---- words and rows that several methods share ----

const HolWord hol_metric_words[] = {{"mass", 0, NULL}, {"euclid", 0, NULL}, {0}};
const HolWord hol_control_words[] = {{"local", 0, NULL}, {"proportional", 0, NULL}, {0}};
const HolWord hol_predictor_words[] = {{"auto", -1, NULL}, {0}};
const HolWord hol_order_words[] = {{"auto", 0, NULL}, {0}};

double hol_option_number(const HolField *options, const char *key, double given) {
    const HolField *f = hol_field_find(options, key);
    double preset = NAN;
    if (f && f->fallback)
        hol_text_number(f->fallback, strlen(f->fallback), &preset);
    return isnan(given) ? preset : given;
}

// ---- options of a method ----

static double option_number(const HolMethodOptions *m, const HolField *f) {
    const char *at = (const char *)m + f->offset;
    double number;
    int integer;
    if (f->type == HOL_FIELD_NUMBER) {
        memcpy(&number, at, sizeof number);
        return number;
    }
    memcpy(&integer, at, sizeof integer);
    return integer;
}

// 1: it is not as hol_sim_options left it
static int is_given(const HolMethodOptions *m, const HolField *f) {
    if (f->type == HOL_FIELD_WORD)
        return ((const char *)m + f->offset)[0] != 0;
    const double number = option_number(m, f);
    if (isnan(number))
        return 0;
    const HolSimOptions unset = hol_sim_options();
    return number != option_number(&unset.method, f);
}

static void list_words(const HolField *f, char *out, size_t size) {
    size_t used = 0;
    out[0] = 0;
    for (const HolWord *w = f->words; w && w->name && used + 1 < size; w++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", w->name);
}

static void list_options(const HolStepper *stepper, char *out, size_t size) {
    size_t used = 0;
    out[0] = 0;
    for (const HolField *f = stepper->options; f->key && used + 1 < size; f++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", f->key);
}

// an option of another method that was given; each is said once
static void check_foreign(const HolMethodOptions *m, const HolStepper *stepper, HolError *err,
                          int *bad) {
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        for (const HolField *f = (*s)->options; f->key; f++) {
            int said = f->type == HOL_FIELD_SWITCH; // `force` is for all
            if (said || !is_given(m, f) || hol_field_find(stepper->options, f->key))
                continue;
            for (const HolStepper *const *other = hol_steppers; other < s; other++)
                said |= hol_field_find((*other)->options, f->key) != NULL;
            if (said)
                continue;
            char list[256];
            list_options(stepper, list, sizeof list);
            hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                          "method %s has no parameter '%s'; it takes: %s", stepper->name, f->key,
                          list[0] ? list : "none");
            ++*bad;
        }
}

// one of the method's own: its words, its range
static void check_option(const HolMethodOptions *m, const HolStepper *stepper, const HolField *f,
                         HolError *err, int *bad) {
    char text[200];
    int value;
    if (!is_given(m, f))
        return;
    if (f->type == HOL_FIELD_WORD) {
        const char *word = (const char *)m + f->offset;
        if (!f->words || hol_word_value(f->words, word, &value))
            return;
        list_words(f, text, sizeof text);
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "method.%s '%s' is unknown to %s; there are %s", f->key, word, stepper->name,
                      text);
    } else if (hol_field_in_range(f, option_number(m, f), text, sizeof text)) {
        return;
    } else
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0, "method.%s = %g: %s", f->key,
                      option_number(m, f), text);
    ++*bad;
}

static void check_number(double value, double least, const char *name, const char *rule,
                         HolError *err, int *bad) {
    if (isfinite(value) && value >= least)
        return;
    hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0, "%s = %g: %s", name, value, rule);
    ++*bad;
}

HolStatus hol_sim_options_check(const HolSimOptions *o, const HolStepper *stepper, HolError *err) {
    int bad = 0;
    int fixed = o->step > 0;
    check_foreign(&o->method, stepper, err, &bad);
    for (const HolField *f = stepper->options; f->key; f++)
        check_option(&o->method, stepper, f, err, &bad);
    if (!isnan(o->step))
        check_number(o->step, 0, "step", "must be positive", err, &bad);
    check_number(o->start, -INFINITY, "start", "must be finite", err, &bad);
    check_number(o->end, -INFINITY, "end", "must be finite", err, &bad);
    if (o->end < o->start) {
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0, "end = %g lies before start = %g", o->end,
                      o->start);
        bad++;
    }
    check_number(o->error.relative, 0, "error.relative", "must not be negative", err, &bad);
    check_number(o->error.absolute, 0, "error.absolute", "must not be negative", err, &bad);
    check_number(o->output_step, 0, "output_step", "must not be negative", err, &bad);
    check_number(o->initial_step, 0, "initial_step", "must not be negative", err, &bad);
    check_number(o->max_step, 0, "max_step", "must not be negative", err, &bad);
    check_number(o->min_step, 0, "min_step", "must not be negative", err, &bad);
    if (!fixed && !(o->tolerance > 0 && isfinite(o->tolerance))) {
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "tolerance = %g: give a positive tolerance, or a fixed step", o->tolerance);
        bad++;
    }
    if (!fixed && !stepper->adaptive) {
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "method %s has no error control: give a fixed step", stepper->name);
        bad++;
    }
    for (int i = 0; i < o->n_stop_times; i++)
        if (!isfinite(o->stop_times[i]) || (i > 0 && o->stop_times[i] <= o->stop_times[i - 1])) {
            hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                          "stop_times[%d] = %g: stop times must be finite and ascending", i,
                          o->stop_times[i]);
            bad++;
        }
    const char *solver = o->linear_solver;
    if (solver[0] && strcmp(solver, "auto") && strcmp(solver, "dense") &&
        strcmp(solver, "sparse")) {
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "linear_solver '%s' is unknown; there are auto, dense, sparse", solver);
        bad++;
    }
    if (o->impact[0] && strcmp(o->impact, "sequence") && strcmp(o->impact, "together")) {
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "impact '%.15s' is unknown; there are sequence, together", o->impact);
        bad++;
    }
    if (o->painleve[0] && strcmp(o->painleve, "stop") && strcmp(o->painleve, "jam")) {
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "painleve '%.15s' is unknown; there are stop, jam", o->painleve);
        bad++;
    }
    if (o->start_at[0] && strcmp(o->start_at, "initial") && strcmp(o->start_at, "equilibrium")) {
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "start_at '%.15s' is unknown; there are initial, equilibrium", o->start_at);
        bad++;
    }
    return bad ? HOL_ERR_INPUT : HOL_OK;
}
