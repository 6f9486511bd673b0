// SPDX-License-Identifier: Apache-2.0
// The `simulation:` section: options of a run, the method and its parameters.
#include "io/model/read.h"

#include "model/fields.h"
#include "model/model.h"
#include "solve/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the stepper of a name; NULL after a problem
static const HolStepper *find_method(HolReader *r, const HolNode *node) {
    const char *name = hol_read_text(r, node, "method");
    if (!name)
        return NULL;
    const char *list[64];
    int n = 0;
    for (const HolStepper *const *s = hol_steppers; *s && n < 64; s++) {
        if (strcmp((*s)->name, name) == 0)
            return *s;
        list[n++] = (*s)->name;
    }
    hol_read_problem(r, node, -1, "unknown method '%.64s'%s", name,
                     hol_read_hint(r, name, list, n));
    return NULL;
}

// `method: NAME` or `method: {name: NAME, parameters of that method}`
static void read_method(HolReader *r, const HolField *f, const HolNode *node, void *object) {
    HolSimOptions *options = object;
    const HolNode *name = node->type == HOL_NODE_MAP ? hol_node_get(node, "name") : node;
    (void)f;
    if (node->type == HOL_NODE_LIST) {
        hol_expect(r, node, HOL_NODE_SCALAR, "method");
        return;
    }
    const HolStepper *stepper =
        name ? find_method(r, name) : hol_stepper_find(options->method.name);
    // parameters without a name are those of tangent; a choice has none
    if (!name && stepper && !stepper->options->key &&
        node->n > (hol_node_get(node, "force") != NULL))
        stepper = hol_stepper_find("tangent");
    if (!stepper)
        return;
    snprintf(options->method.name, sizeof options->method.name, "%s", stepper->name);
    if (node->type != HOL_NODE_MAP)
        return;
    snprintf(r->what, sizeof r->what, "method '%s'", stepper->name);
    HolMapReader how = {.table = hol_method_fields, .more = stepper->options};
    hol_read_map(r, node, &how, &options->method);
    snprintf(r->what, sizeof r->what, "simulation");
}

// `error: {..}`
static void read_error(HolReader *r, const HolNode *node, HolErrorOptions *out) {
    static const HolMapReader how = {.table = hol_error_fields};
    if (!hol_expect(r, node, HOL_NODE_MAP, "error"))
        return;
    snprintf(r->what, sizeof r->what, "error");
    hol_read_map(r, node, &how, out);
    snprintf(r->what, sizeof r->what, "simulation");
}

static void read_options_read_own(HolReader *r, const HolField *f, const HolNode *node,
                                  void *object) {
    HolSimOptions *options = object;
    if (strcmp(f->form, "error") == 0)
        read_error(r, node, &options->error);
    else
        read_method(r, f, node, object);
}

// absent, or read without a problem
static int is_good(const HolNode *map, const char *key) {
    const HolNode *node = hol_node_get(map, key);
    return !node || !node->bad;
}

static void check_times(HolReader *r, const HolNode *map, const HolSimOptions *o) {
    const HolNode *end = hol_node_get(map, "end"), *stops = hol_node_get(map, "stop_times");
    if (is_good(map, "start") && is_good(map, "end") && !(o->end > o->start))
        hol_read_problem(r, end ? end : map, -1, "'end' must be later than 'start'");
    for (int i = 1; i < o->n_stop_times; i++)
        if (!(o->stop_times[i] > o->stop_times[i - 1]))
            hol_read_problem(r, &stops->values[i], -1, "'stop_times' must increase");
}

static void check_steps(HolReader *r, const HolNode *map, const HolSimOptions *o) {
    int step = hol_node_find(map, "step"), tolerance = hol_node_find(map, "tolerance");
    if (step >= 0 && tolerance >= 0)
        hol_read_problem(r, &map->keys[tolerance], -1,
                         "give 'step' (fixed) or 'tolerance' (adaptive), not both");
    if (is_good(map, "max_step") && is_good(map, "min_step") && o->max_step > 0 &&
        o->min_step > o->max_step)
        hol_read_problem(r, hol_node_get(map, "min_step"), -1,
                         "'min_step' must not be larger than 'max_step'");
    const HolStepper *stepper = hol_stepper_find(o->method.name);
    if (is_good(map, "method") && stepper && !stepper->adaptive && step < 0)
        hol_read_problem(r, map, -1, "method '%s' has no error control: give 'step'",
                         stepper->name);
}

// 1 when the method has parameters and all of them stand in the file, none in `--set`
static int is_of_file(const HolNode *method) {
    if (method->type != HOL_NODE_MAP || method->setting)
        return 0;
    for (int i = 0; i < method->n; i++)
        if (method->values[i].setting)
            return 0;
    return 1;
}

// the method alone: what is wrong with the other options is said elsewhere
static HolSimOptions method_options(const HolSimOptions *options) {
    HolSimOptions o = hol_sim_options();
    const HolStepper *stepper = hol_stepper_find(options->method.name);
    o.method = options->method;
    o.step = options->step;
    o.tolerance = options->tolerance;
    if (stepper && !stepper->adaptive && !(o.step > 0))
        o.step = 0.01;
    return o;
}

// A method judges its parameters when a run is made of it: the smallest model there is shows what
// is wrong with them, whatever the model of the file.
static void read_options_check_method(HolReader *r, const HolNode *method,
                                      const HolSimOptions *options) {
    HolSimOptions o = method_options(options);
    HolError err = {0};
    HolModel *m = NULL;
    HolSim *sim = NULL;
    HolBodyDef body = hol_body_def();
    if (!method || method->bad || !is_of_file(method))
        return;
    body.name = "b";
    body.inertia[0] = 1;
    HolStatus status = hol_model_create("trial", HOL_PLANAR, NULL, &m, &err);
    if (!status)
        status = hol_model_add_body(m, &body, &err);
    if (!status)
        status = hol_model_compile(m, &err);
    if (!status)
        status = hol_sim_create(m, &o, &sim, &err);
    r->no_memory |= status == HOL_ERR_MEMORY;
    if (status == HOL_ERR_INPUT)
        hol_read_problem(r, method, -1, "%s", err.text);
    hol_sim_destroy(sim);
    hol_model_destroy(m);
}

void hol_read_simulation(HolReader *r, const HolNode *map, HolSimOptions *options) {
    static const HolMapReader how = {.table = hol_simulation_fields, .own = read_options_read_own};
    if (!hol_expect(r, map, HOL_NODE_MAP, "simulation"))
        return;
    snprintf(r->what, sizeof r->what, "simulation");
    HolSimOptions o = *options;
    hol_read_map(r, map, &how, &o);
    check_times(r, map, &o);
    check_steps(r, map, &o);
    read_options_check_method(r, hol_node_get(map, "method"), &o);
    // the list must live as long as the options: it moves into the model
    if (o.n_stop_times > 0 && r->model)
        o.stop_times = hol_model_keep(r->model, o.stop_times, o.n_stop_times);
    *options = o;
    r->what[0] = 0;
}
