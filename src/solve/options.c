// SPDX-License-Identifier: Apache-2.0
// Options of a run: defaults, and a check that reports every problem at once. A method parameter
// that is set although the method does not take it is an error, not silently ignored.
#include "base/sized.h"
#include "solve/run/run.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static HolSimOptions options_default(void) {
    HolSimOptions o;
    memset(&o, 0, sizeof o);
    snprintf(o.method.name, sizeof o.method.name, "tangent");
    snprintf(o.linear_solver, sizeof o.linear_solver, "auto");
    // NAN and "": the method's own default (tangent: hermite)
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

HolStatus hol_options_take(HolSimOptions *to, const HolSimOptions *from, HolError *err) {
    HolError problem;
    *to = hol_sim_options();
    if (from && hol_sized_take(to, sizeof *to, from, "hol_sim_options", &problem) != HOL_OK)
        return hol_error_set(err, HOL_ERR_INPUT, "HolSimOptions: %s", problem.text);
    if (to->n_stop_times < 0 || (to->n_stop_times > 0 && !to->stop_times))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "HolSimOptions: the list of stop times is missing");
    return HOL_OK;
}

int hol_method_adaptive(const char *name) {
    const HolStepper *stepper = name ? hol_stepper_find(name) : NULL;
    return stepper && stepper->adaptive != HOL_STEP_FIXED;
}

enum FieldKind { FIELD_TEXT, FIELD_NUMBER, FIELD_INT };

typedef struct MethodField {
    const char *name;
    size_t offset;
    enum FieldKind kind;
    int unset; // integer value that means "not given"
} MethodField;

#define FIELD(name, kind, unset)                                                                   \
    { #name, offsetof(HolMethodOptions, name), kind, unset }
static const MethodField method_fields[] = {
    FIELD(scheme, FIELD_TEXT, 0),     FIELD(metric, FIELD_TEXT, 0),
    FIELD(iteration, FIELD_TEXT, 0),  FIELD(formulation, FIELD_TEXT, 0),
    FIELD(projection, FIELD_TEXT, 0), FIELD(start, FIELD_TEXT, 0),
    FIELD(set, FIELD_TEXT, 0),        FIELD(control, FIELD_TEXT, 0),
    FIELD(alpha, FIELD_NUMBER, 0),    FIELD(beta, FIELD_NUMBER, 0),
    FIELD(gamma, FIELD_NUMBER, 0),    FIELD(zeta, FIELD_NUMBER, 0),
    FIELD(rho, FIELD_NUMBER, 0),      FIELD(beta_out, FIELD_NUMBER, 0),
    FIELD(order, FIELD_INT, 0),       FIELD(newton_iterations, FIELD_INT, 0),
    FIELD(predictor, FIELD_INT, -1),
};
#undef FIELD

static int is_given(const HolMethodOptions *m, const MethodField *f) {
    const char *at = (const char *)m + f->offset;
    double number;
    int integer;
    switch (f->kind) {
    case FIELD_TEXT:
        return at[0] != 0;
    case FIELD_NUMBER:
        memcpy(&number, at, sizeof number);
        return !isnan(number);
    case FIELD_INT:
        memcpy(&integer, at, sizeof integer);
        return integer != f->unset;
    }
    return 0;
}

static int is_taken(const HolStepper *stepper, const char *name) {
    for (const char *const *p = stepper->parameters; p && *p; p++)
        if (!strcmp(*p, name))
            return 1;
    return 0;
}

static void list_parameters(const HolStepper *stepper, char *out, size_t size) {
    size_t used = 0;
    out[0] = 0;
    for (const char *const *p = stepper->parameters; p && *p && used + 1 < size; p++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", *p);
}

static void options_check_method(const HolMethodOptions *m, const HolStepper *stepper,
                                 HolError *err, int *bad) {
    for (size_t i = 0; i < sizeof method_fields / sizeof *method_fields; i++) {
        const MethodField *f = &method_fields[i];
        if (!is_given(m, f) || is_taken(stepper, f->name))
            continue;
        char list[256];
        list_parameters(stepper, list, sizeof list);
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "method %s has no parameter '%s'; it takes: %s", stepper->name, f->name,
                      list[0] ? list : "none");
        ++*bad;
    }
    if (m->newton_iterations < 0 || m->newton_iterations > 1000) {
        hol_error_add(err, HOL_ERR_INPUT, NULL, 0, 0,
                      "method.newton_iterations = %d: must be 0 or positive", m->newton_iterations);
        ++*bad;
    }
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
    options_check_method(&o->method, stepper, err, &bad);
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
    return bad ? HOL_ERR_INPUT : HOL_OK;
}
