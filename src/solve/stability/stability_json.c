// SPDX-License-Identifier: Apache-2.0
// The object of `stability --json`. Its keys are a contract (see the manual page).
#include "base/field.h"
#include "holonom/json.h"
#include "solve/stability/stability.h"

#include <math.h>
#include <string.h>

static void stability_json_put(void *to, const char *text, size_t length) {
    fwrite(text, 1, length, to);
}

// parameters that are not the defaults
static void stability_json_options(HolJson *j, const HolMethodOptions *o) {
    const HolMethodOptions usual = hol_sim_options().method;
    const HolStepper *stepper = hol_stepper_find(o->name);
    hol_json_begin(j, "options", '{', HOL_JSON_ROW);
    for (const HolField *f = stepper ? stepper->options : NULL; f && f->key; f++) {
        const char *mine = (const char *)o + f->offset, *other = (const char *)&usual + f->offset;
        double number;
        int integer;
        if (memcmp(mine, other, f->size) == 0)
            continue;
        if (f->type == HOL_FIELD_WORD) {
            if (mine[0])
                hol_json_text(j, f->key, mine);
        } else if (f->type == HOL_FIELD_NUMBER) {
            memcpy(&number, mine, sizeof number);
            if (!isnan(number))
                hol_json_number(j, f->key, number);
        } else {
            memcpy(&integer, mine, sizeof integer);
            if (f->type == HOL_FIELD_SWITCH)
                hol_json_bool(j, f->key, integer);
            else
                hol_json_integer(j, f->key, integer);
        }
    }
    hol_json_end(j);
}

static void stability_json_names(HolJson *j, const char *const *names, int n) {
    hol_json_begin(j, "mode", '[', HOL_JSON_ROW);
    for (int i = 0; i < n; i++)
        hol_json_text(j, NULL, names[i]);
    hol_json_end(j);
}

static void stability_json_point(HolJson *j, const HolStabilityPoint *p) {
    const double value[2] = {p->real, p->imag};
    hol_json_begin(j, NULL, '{', HOL_JSON_ROW);
    hol_json_number(j, "time", p->time);
    hol_json_number(j, "omega_max", p->omega_max);
    hol_json_numbers(j, "eigenvalue", value, 2);
    stability_json_names(j, p->bodies, p->n_bodies);
    hol_json_number(j, "spin", p->spin);
    hol_json_number(j, "constancy", p->constancy);
    hol_json_end(j);
}

static void stability_json_method(HolJson *j, const HolStabilityMethod *m) {
    hol_json_begin(j, NULL, '{', HOL_JSON_ROW);
    hol_json_text(j, "method", m->options.name);
    stability_json_options(j, &m->options);
    hol_json_number(j, "largest_stable_step", m->largest_stable_step);
    hol_json_number(j, "largest_stable_step_this_run", m->largest_stable_step_this_run);
    hol_json_number(j, "accuracy_step", m->accuracy_step);
    hol_json_number(j, "at_time", m->at_time);
    stability_json_names(j, m->bodies, m->n_bodies);
    hol_json_bool(j, "own", m->own);
    hol_json_end(j);
}

void hol_stability_json(const HolStability *s, FILE *to) {
    HolJson j = {.put = stability_json_put, .to = to, .full = 1};
    hol_json_begin(&j, NULL, '{', HOL_JSON_LINES);
    hol_json_number(&j, "from", s->from);
    hol_json_number(&j, "to", s->to);
    hol_json_number(&j, "tolerance", s->tolerance);
    hol_json_number(&j, "omega_max", s->fastest >= 0 ? s->points[s->fastest]->omega_max : 0);
    hol_json_begin(&j, "points", '[', HOL_JSON_LINES);
    for (int i = 0; i < s->n_points; i++)
        stability_json_point(&j, s->points[i]);
    hol_json_end(&j);
    hol_json_begin(&j, "methods", '[', HOL_JSON_LINES);
    for (int i = 0; i < s->n_methods; i++)
        stability_json_method(&j, s->methods[i]);
    hol_json_end(&j);
    hol_json_number(&j, "spin_step", s->spin_step);
    hol_json_begin(&j, "remarks", '[', HOL_JSON_LINES);
    hol_json_lines(&j, s->note);
    hol_json_end(&j);
    hol_json_end(&j);
    fputc('\n', to);
}
