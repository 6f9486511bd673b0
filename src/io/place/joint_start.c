// SPDX-License-Identifier: Apache-2.0
// Coordinates of joints at the start. A second model is the same one with the equations
//     sigma - sigma_0 - sigma'_0 (t - t_0) = 0
// of the coordinates that are given; its assembly finds positions and velocities with least change.
// The model starts there: its own assembly has nothing left to do. Where a rate is given alone, a first
// assembly finds the coordinate.
#include "io/place/place.h"

#include "base/error.h"
#include "base/text.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct JointStart {
    const char *word; // of the coordinate
    double value, rate;
} JointStart;

static int start_of(const HolJointDef *d, JointStart out[2]) {
    int n = 0;
    if (!isnan(d->start_angle) || !isnan(d->start_rate))
        out[n++] = (JointStart){"angle", d->start_angle, d->start_rate};
    if (!isnan(d->start_displacement) || !isnan(d->start_speed))
        out[n++] = (JointStart){"displacement", d->start_displacement, d->start_speed};
    return n;
}

static int start_any(const HolModel *m) {
    JointStart starts[2];
    for (int i = 0; i < m->def.n_joints; i++)
        if (start_of(&m->def.joints[i].def, starts))
            return 1;
    return 0;
}

// the equation of one coordinate; *unknown counts those without a value (`measured` gives it)
static void start_equation(HolReader *r, const HolJointDef *d, const JointStart *s, double start,
                           int *unknown) {
    const HolStartStage *stage = r->start_stage;
    double value = s->value;
    char number[3][HOL_NUMBER_SIZE], name[HOL_OWNER_LENGTH], text[HOL_OWNER_LENGTH + 160];
    if (isnan(value) && !stage->measured) {
        snprintf(text, sizeof text, "%s.%s", d->name, s->word);
        if (hol_add_output(r->model, text, d->line, d->column, r->err) != HOL_OK)
            r->problems++;
        ++*unknown;
        return;
    }
    if (isnan(value))
        value = stage->measured[++*unknown]; // behind the time
    hol_text_print_number(value, number[0]);
    hol_text_print_number(isnan(s->rate) ? 0 : s->rate, number[1]);
    hol_text_print_number(start, number[2]);
    snprintf(name, sizeof name, "%s.start_%s", d->name, s->word);
    snprintf(text, sizeof text, "%s.%s-(%s)-(%s)*(time-(%s))", d->name, s->word, number[0],
             number[1], number[2]);
    HolConstraintDef def = hol_constraint_def();
    def.name = name;
    def.equation = text;
    def.line = d->line;
    def.column = d->column;
    if (hol_add_constraint(r->model, &def, r->err) != HOL_OK)
        r->problems++;
}

void hol_read_joint_starts(HolReader *r, double start) {
    JointStart starts[2];
    int unknown = 0;
    if (!r->start_stage)
        return;
    for (int i = 0; i < r->model->def.n_joints && !r->problems; i++) {
        const HolJointDef *d = &r->model->def.joints[i].def;
        for (int k = 0, n = start_of(d, starts); k < n; k++)
            start_equation(r, d, &starts[k], start, &unknown);
    }
    r->start_stage->unknown = unknown;
}

// the model with its equations, assembled; NULL after a problem
static HolSim *start_sim(const HolModelText *from, HolStartStage *stage, HolModel **m,
                         HolError *err) {
    HolModelText text = *from;
    HolSimOptions o = hol_sim_options();
    HolSim *sim = NULL;
    text.stage = stage;
    *m = NULL;
    if (hol_model_parse_text(&text, m, &o, sizeof o, err) != HOL_OK)
        return NULL;
    snprintf(o.start_at, sizeof o.start_at, "initial");
    if (hol_sim_create(*m, &o, &sim, err) != HOL_OK)
        return NULL;
    if (hol_sim_assemble(sim, err) == HOL_OK)
        return sim;
    hol_sim_destroy(sim);
    return NULL;
}

HolStatus hol_joint_starts(const HolModelText *from, HolModel *m, const HolSimOptions *o,
                           HolError *err) {
    HolStartStage stage = {0};
    HolModel *helper = NULL;
    HolError problem = {0};
    HolArena arena = {0};
    if (from->stage || !start_any(m))
        return HOL_OK;
    const HolProblem *p = hol_model_problem(m);
    HolSim *sim = start_sim(from, &stage, &helper, &problem);
    if (sim && stage.unknown) { // measured in the first assembly, given in a second
        double *row = HOL_NEW(&arena, double, hol_model_column_count(helper) + 1);
        HolStatus status = row ? hol_sim_row(sim, o->start, row, &problem) : HOL_ERR_MEMORY;
        hol_sim_destroy(sim);
        hol_model_destroy(helper);
        sim = NULL;
        helper = NULL;
        stage.measured = row;
        if (!status)
            sim = start_sim(from, &stage, &helper, &problem);
    }
    double *q = HOL_NEW(&m->arena, double, p->nq + 1), *v = HOL_NEW(&m->arena, double, p->nv + 1);
    HolStatus status = HOL_OK;
    if (sim && q && v) {
        const HolView view = hol_sim_view(sim);
        memcpy(q, view.q, sizeof *q * (size_t)p->nq);
        memcpy(v, view.v, sizeof *v * (size_t)p->nv);
        m->start_q = q;
        m->start_v = v;
    } else {
        status = hol_error_set(err, HOL_ERR_INPUT,
                               "%s: error: the coordinates of joints at the start cannot be met: "
                               "%.600s",
                               m->file ? m->file : "model", problem.text);
    }
    hol_sim_destroy(sim);
    hol_model_destroy(helper);
    hol_arena_free(&arena);
    return status;
}
