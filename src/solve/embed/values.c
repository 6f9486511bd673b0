// SPDX-License-Identifier: Apache-2.0
// Inputs, and numbers of the present state by name.
#include "base/text.h"
#include "holonom/embed.h"
#include "model/problem/reading.h"
#include "solve/constraint/project.h"
#include "solve/run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// a run of a model that has a state
static HolStatus values_of_model(HolSim *s, HolError *err) {
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    if (!s->model)
        return hol_error_set(err, HOL_ERR_UNSUPPORTED,
                             "names exist for models only, not for a C problem");
    return hol_sim_assemble(s, err);
}

static HolStatus values_unknown(const char *name, const char *near, HolError *err) {
    return hol_error_set(err, HOL_ERR_INPUT, "there is no quantity '%.100s'%s%s%s", name,
                         *near ? "; did you mean '" : "", near, *near ? "'?" : "");
}

// ---- inputs ----

static int values_input(const HolModel *m, int number) {
    for (int i = 0; m && i < m->def.n_given; i++)
        if (m->def.given[i].kind == HOL_GIVEN_INPUT && number-- == 0)
            return i;
    return -1;
}

int hol_model_input_count(const HolModel *m) {
    int n = 0;
    while (values_input(m, n) >= 0)
        n++;
    return n;
}

const char *hol_model_input_name(const HolModel *m, int i) {
    const int at = i < 0 ? -1 : values_input(m, i);
    return at < 0 ? "" : m->def.given[at].name;
}

static HolStatus values_no_input(const HolModel *m, const char *name, HolError *err) {
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; i < hol_model_input_count(m) && used + 1 < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                 hol_model_input_name(m, i));
    return hol_error_set(err, HOL_ERR_INPUT, "there is no input '%.64s'; %s%.255s", name,
                         *list ? "the model has " : "the model has no 'inputs:'", list);
}

HolStatus hol_sim_set_input(HolSim *s, const char *name, double value, HolError *err) {
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    const HolModel *m = s->model;
    const int i = m && name ? hol_given_find(m, name) : -1;
    if (i < 0 || m->def.given[i].kind != HOL_GIVEN_INPUT)
        return m && name
                   ? values_no_input(m, name, err)
                   : hol_error_set(err, HOL_ERR_INPUT, "inputs are those of a model, by name");
    if (!isfinite(value))
        return hol_error_set(err, HOL_ERR_INPUT, "input '%s': the value is not a number", name);
    HolModelWork *w = s->work;
    if (w->given[i] == value)
        return HOL_OK;
    w->given[i] = value;
    w->have_q = w->have_slots_q = w->have_slots_v = 0; // (expressions have other values now)
    if (s->driver->started)
        s->driver->restart = 1;
    else
        s->assembled = 0; // drives may start elsewhere
    return HOL_OK;
}

// ---- values ----

HolStatus hol_model_handle(const HolModel *m, const char *name, HolHandle *out, HolError *err) {
    char near[64];
    hol_error_clear(err);
    if (!m || !m->frozen || !name || !out)
        return hol_error_set(err, HOL_ERR_INPUT, "a compiled model, a name and a place are needed");
    return hol_reading_find(m, name, out, near) ? HOL_OK : values_unknown(name, near, err);
}

// of an assembled run of a model
static HolStatus values_read(HolSim *s, const HolHandle *handle, double *value, HolError *err) {
    HolRowInput in = {.t = s->x.t, .q = s->x.q, .v = s->x.v};
    HolStatus status = HOL_OK;
    if (hol_reading_is_plain(s->model, handle)) {
        if (s->stepper->turns)
            s->stepper->turns(s, &s->x);
    } else
        status = hol_sim_row_input(s, s->x.t, &in, err);
    if (status == HOL_OK)
        *value = hol_reading_value(s->model, s->work, handle, &in);
    return status;
}

HolStatus hol_sim_value(HolSim *s, const char *name, double *value, HolError *err) {
    HolHandle handle;
    char near[64];
    HolStatus status = values_of_model(s, err);
    if (status != HOL_OK)
        return status;
    if (!name || !value)
        return hol_error_set(err, HOL_ERR_INPUT, "a name and a place for the value are needed");
    if (!hol_reading_find(s->model, name, &handle, near))
        return values_unknown(name, near, err);
    return values_read(s, &handle, value, err);
}

double hol_sim_read(HolSim *s, const HolHandle *handle) {
    double value = NAN;
    if (!handle || values_of_model(s, NULL) != HOL_OK ||
        values_read(s, handle, &value, NULL) != HOL_OK)
        return NAN;
    return value;
}

HolStatus hol_sim_pose(HolSim *s, const char *body, double position[3], double orientation[9],
                       HolError *err) {
    HolStatus status = values_of_model(s, err);
    const int i = status == HOL_OK && body ? hol_body_find(s->model, body) : -1;
    if (status != HOL_OK)
        return status;
    if (i < 0)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no body '%.100s'", body ? body : "");
    HolModelWork *w = s->work;
    hol_model_position(s->model, w, s->x.t, s->x.q);
    const HolFrame *f = &w->frames[i];
    const double plane[9] = {f->c, -f->s, 0, f->s, f->c, 0, 0, 0, 1};
    memcpy(position, f->r, sizeof f->r);
    memcpy(orientation, s->model->space == HOL_PLANAR ? plane : f->A, sizeof plane);
    return HOL_OK;
}

HolStatus hol_sim_reaction(HolSim *s, const char *joint, double force[3], double torque[3],
                           HolError *err) {
    HolRowInput in;
    HolStatus status = values_of_model(s, err);
    const int i = status == HOL_OK && joint ? hol_joint_find(s->model, joint) : -1;
    if (status != HOL_OK)
        return status;
    if (i < 0)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no joint '%.100s'", joint ? joint : "");
    status = hol_sim_row_input(s, s->x.t, &in, err);
    if (status != HOL_OK)
        return status;
    double out[6];
    hol_model_position(s->model, s->work, in.t, in.q);
    hol_joint_reaction(s->model, s->work, i, in.lambda, out);
    memcpy(force, out, 3 * sizeof *out);
    memcpy(torque, out + 3, 3 * sizeof *out);
    return HOL_OK;
}

// ---- parameters ----

int hol_model_parameter_count(const HolModel *m) {
    return m ? m->def.n_parameters + m->def.n_tunable : 0;
}

const char *hol_model_parameter_name(const HolModel *m, int i) {
    if (i < 0 || i >= hol_model_parameter_count(m))
        return "";
    const int folded = m->def.n_parameters;
    return i < folded ? m->def.parameters[i].name : m->def.tunable[i - folded];
}

double hol_model_parameter_value(const HolModel *m, int i) {
    if (i < 0 || i >= hol_model_parameter_count(m))
        return NAN;
    return i < m->def.n_parameters
               ? m->def.parameters[i].value
               : m->def.given[hol_given_find(m, hol_model_parameter_name(m, i))].initial;
}

HolStatus hol_sim_set_parameter(HolSim *s, const char *name, double value, HolError *err) {
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    const HolModel *m = s->model;
    const char *names[256];
    int n = 0;
    for (int i = 0; m && name && i < hol_model_parameter_count(m); i++) {
        if (!strcmp(hol_model_parameter_name(m, i), name))
            return i >= m->def.n_parameters
                       ? hol_sim_set_input(s, name, value, err)
                       : hol_error_set(err, HOL_ERR_INPUT,
                                       "parameter '%s' is folded into the compiled model: load it "
                                       "with 'tunable: [%s]', or anew with another value",
                                       name, name);
        if (n < 256)
            names[n++] = hol_model_parameter_name(m, i);
    }
    const char *near = m && name && n ? hol_nearest_word(name, names, n) : NULL;
    return hol_error_set(err, HOL_ERR_INPUT, "there is no parameter '%.64s'%s%s%s",
                         name ? name : "", near ? "; did you mean '" : "", near ? near : "",
                         near ? "'?" : "");
}

// ---- pieces ----

static double values_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

HolStatus hol_sim_advance_some(HolSim *s, double t_end, double seconds, HolError *err) {
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    const double until = values_now() + seconds;
    for (;;) {
        const double before = s->x.t;
        HolStatus status = hol_sim_step(s, t_end, err);
        if (status == HOL_OK)
            status = hol_settle_due(s, err);
        if (status != HOL_OK || s->x.t == before || values_now() > until)
            return status;
        if (s->stop_flag && *s->stop_flag)
            return HOL_INTERRUPTED;
    }
}
