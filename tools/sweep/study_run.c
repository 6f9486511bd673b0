// SPDX-License-Identifier: Apache-2.0
// One run of a study: the model with its values, the records along the motion. A run that fails has
// no records, but its message.
#include "io/model/parse_text.h"
#include "solve/sim.h"
#include "tools/sweep/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *hol_sweep_status(const HolSweepRow *row) {
    return row->crashed ? "crashed" : row->status == HOL_OK ? "ok" : "failed";
}

// a tolerance asks for error control, also where the model has a step
static void run_prefer(const HolStudy *s, HolSimOptions *o) {
    for (int i = 0; i < s->n_settings; i++) {
        if (strcmp(s->settings[i].key, "tolerance") == 0)
            o->step = 0;
        if (strcmp(s->settings[i].key, "tolerance") == 0 || strcmp(s->settings[i].key, "step") == 0)
            o->accuracy = 0;
    }
}

HolStatus hol_study_model(const HolStudy *s, long run, HolModel **model, HolSimOptions *options,
                          HolError *err) {
    HolArena scratch = {0};
    const int n = s->n_settings + s->n_vary;
    HolSetting *settings = HOL_NEW(&scratch, HolSetting, n + 1);
    char(*numbers)[32] = hol_arena_alloc(&scratch, sizeof *numbers * (size_t)(s->n_vary + 1));
    HolStatus status = HOL_ERR_MEMORY;
    if (!settings || !numbers) {
        hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    } else {
        for (int k = 0; k < s->n_settings; k++)
            settings[k] = s->settings[k];
        for (int k = 0; k < s->n_vary; k++) {
            snprintf(numbers[k], sizeof numbers[k], "%.17g", hol_study_value(s, run, k));
            settings[s->n_settings + k] = (HolSetting){s->vary[k].key, numbers[k]};
        }
        HolLoadOptions how = hol_load_options();
        how.cache = s->cache;
        const HolModelText from = {.text = s->model_text,
                                   .length = s->model_length,
                                   .file = s->model_file,
                                   .settings = settings,
                                   .n_settings = n,
                                   .outputs = s->names ? s->names : (const char *[]){"time"},
                                   .n_outputs = s->names ? s->n_names : 1,
                                   .how = &how};
        status = hol_model_parse_text(&from, model, options, sizeof *options, err);
        if (!status)
            run_prefer(s, options);
    }
    hol_arena_free(&scratch);
    return status;
}

static double run_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static HolStatus run_simulate(const HolStudy *s, const HolModel *m, const HolSimOptions *o,
                              HolSweepRow *row, HolError *err) {
    HolArena arena = {0};
    HolExprError wrong;
    HolSim *sim = NULL;
    int which;
    HolRecorder *r = hol_recorder_create(&arena, m, s->texts, s->n_records, &wrong, &which);
    HolStatus status = r               ? HOL_OK
                       : wrong.text[0] ? hol_error_set(err, HOL_ERR_INPUT, "%s", wrong.text)
                                       : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (!status)
        status = hol_sim_create(m, o, &sim, err);
    if (!status)
        sim->untimed = 1; // asking the clock twice a step is a tenth of a short one
    if (!status)
        status = hol_sim_run(sim, o->end, hol_recorder_observe, r, err);
    if (!status)
        status = hol_recorder_values(r, sim, row->values, err);
    if (sim) {
        const HolStats stats = hol_sim_stats(sim);
        row->steps = stats.steps;
        row->rejected = stats.rejected;
        row->force_evaluations = stats.force_evaluations;
    }
    hol_sim_destroy(sim);
    hol_arena_free(&arena);
    return status;
}

void hol_study_run(const HolStudy *s, long run, HolSweepRow *row) {
    HolError err = {0};
    HolModel *model = NULL;
    HolSimOptions options;
    const double begun = run_seconds();
    double *values = row->values;
    *row = (HolSweepRow){.run = run, .values = values};
    for (int i = 0; i < s->n_records; i++)
        values[i] = NAN;
    row->status = hol_study_model(s, run, &model, &options, &err);
    if (!row->status) {
        // rows of results are for nobody: only the steps count
        options.output_step = 2 * (options.end - options.start) + 1;
        row->status = run_simulate(s, model, &options, row, &err);
    }
    hol_model_destroy(model);
    if (row->status) {
        for (int i = 0; i < s->n_records; i++)
            values[i] = NAN;
        snprintf(row->message, sizeof row->message, "%.500s", err.text);
        for (char *c = row->message; *c; c++) // one line
            *c = *c == '\n' ? ' ' : *c;
    }
    row->seconds = run_seconds() - begun;
}
