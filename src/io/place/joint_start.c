// SPDX-License-Identifier: Apache-2.0
// Coordinates of joints at the start. Two more models are the same one with equations of what is given:
//     sigma - sigma_0 = 0,   then, from the positions that its assembly finds,   sigma' - sigma'_0 = 0
// each assembled with least change of the positions and velocities as written. The model starts there:
// its own assembly has nothing left to do.
#include "io/place/place.h"

#include "base/error.h"
#include "base/text.h"
#include "model/model.h"
#include "solve/constraint/closer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct JointStart {
    const char *word, *rate_word; // of the coordinate
    double value, rate;           // NAN: not given
} JointStart;

static void starts_of(const HolJointDef *d, JointStart out[2]) {
    out[0] = (JointStart){"angle", "rate", d->start_angle, d->start_rate};
    out[1] = (JointStart){"displacement", "speed", d->start_displacement, d->start_speed};
}

// number of coordinates, or of rates, that are given
static int starts_given(const HolModel *m, int rates) {
    int n = 0;
    for (int i = 0; i < m->def.n_joints; i++) {
        JointStart s[2];
        starts_of(&m->def.joints[i].def, s);
        for (int k = 0; k < 2; k++)
            n += !isnan(rates ? s[k].rate : s[k].value);
    }
    return n;
}

static void start_equation(HolReader *r, const HolJointDef *d, const JointStart *s) {
    const int rates = r->start_stage->rates;
    const double value = rates ? s->rate : s->value;
    char number[HOL_NUMBER_SIZE], name[HOL_OWNER_LENGTH], text[HOL_OWNER_LENGTH + 160];
    if (isnan(value))
        return;
    hol_text_print_number(value, number);
    snprintf(name, sizeof name, "%s.start_%s", d->name, rates ? s->rate_word : s->word);
    snprintf(text, sizeof text, "%s.%s-(%s)", d->name, rates ? s->rate_word : s->word, number);
    HolConstraintDef def = hol_constraint_def();
    def.name = name;
    if (rates)
        def.velocity = text;
    else
        def.equation = text;
    def.line = d->line;
    def.column = d->column;
    if (hol_add_constraint(r->model, &def, r->err) != HOL_OK)
        r->problems++;
}

void hol_read_joint_starts(HolReader *r) {
    if (!r->start_stage)
        return;
    for (int i = 0; i < r->model->def.n_joints && !r->problems; i++) {
        const HolJointDef *d = &r->model->def.joints[i].def;
        JointStart s[2];
        starts_of(d, s);
        for (int k = 0; k < 2; k++)
            start_equation(r, d, &s[k]);
    }
}

// q, v: with the equations of the stage, assembled from there
static HolStatus start_assemble(const HolModelText *from, HolStartStage stage, double *q, double *v,
                                HolError *err) {
    HolModelText text = *from;
    HolSimOptions o = hol_sim_options();
    HolModel *m = NULL;
    HolSim *sim = NULL;
    text.stage = &stage;
    HolStatus status = hol_model_parse_text(&text, &m, &o, sizeof o, err);
    if (status == HOL_OK) { // (equations add no coordinates: q and v are those of the model itself)
        m->start_q = q;
        m->start_v = v;
        snprintf(o.start_at, sizeof o.start_at, "initial");
        o.method = hol_sim_options().method; // (not every method takes equations of rates)
        snprintf(o.method.name, sizeof o.method.name, "tangent");
        status = hol_sim_create(m, &o, &sim, err);
    }
    if (status == HOL_OK)
        status = stage.rates ? hol_sim_assemble(sim, err) : hol_close_start(sim, err);
    if (status == HOL_OK) {
        const HolProblem *p = hol_model_problem(m);
        memcpy(q, sim->x.q, sizeof *q * (size_t)p->nq);
        memcpy(v, sim->x.v, sizeof *v * (size_t)p->nv);
    }
    hol_sim_destroy(sim);
    hol_model_destroy(m);
    return status;
}

// what the solver says, without its advice, and with the names of the file: J.angle for J.start_angle
static void start_reason(const char *from, char *out, size_t size) {
    static const char before[] = "cannot be assembled: ", mark[] = ".start_";
    const char *reason = strstr(from, before);
    size_t n = 0;
    reason = reason ? reason + sizeof before - 1 : from;
    while (*reason && *reason != ';' && n + 1 < size) {
        out[n++] = *reason++;
        if (strncmp(reason, mark, sizeof mark - 1) == 0) {
            out[n++] = '.';
            reason += sizeof mark - 1;
        }
    }
    out[n < size ? n : size - 1] = 0;
}

// at the joint that the message names, or else the first with a start
static void start_refuse(const HolModel *m, int rates, const HolError *problem, HolError *err) {
    const HolJointDef *at = NULL;
    char given[160] = "", reason[600];
    size_t length = 0;
    int n = 0;
    for (int i = 0; i < m->def.n_joints; i++) {
        const HolJointDef *d = &m->def.joints[i].def;
        char name[HOL_OWNER_LENGTH + 10];
        snprintf(name, sizeof name, "'%s.start_", d->name);
        JointStart s[2];
        starts_of(d, s);
        for (int k = 0; k < 2; k++) {
            const double value = rates ? s[k].rate : s[k].value;
            if (isnan(value))
                continue;
            if (!at || strstr(problem->text, name))
                at = d;
            n++;
            if (length < sizeof given - 1)
                length += (size_t)snprintf(given + length, sizeof given - length,
                                           "%s%.60s.%s = %.6g", n > 1 ? ", " : "", d->name,
                                           rates ? s[k].rate_word : s[k].word, value);
        }
    }
    start_reason(problem->text, reason, sizeof reason);
    hol_problem_error(m, err, at ? at->line : 0, at ? at->column : 0,
                      "the joints cannot start with %s: %s; %s", given, reason,
                      n > 1 ? "they contradict each other or the mechanism: leave out or change one"
                            : "the mechanism has no such position or motion: change it, or write "
                              "the bodies nearer to it");
}

HolStatus hol_joint_starts(const HolModelText *from, HolModel *m, HolError *err) {
    const int values = starts_given(m, 0), rates = starts_given(m, 1);
    HolError problem = {0};
    if (from->stage || !(values || rates))
        return HOL_OK;
    const HolProblem *p = hol_model_problem(m);
    double *q = HOL_NEW(&m->arena, double, p->nq + 1), *v = HOL_NEW(&m->arena, double, p->nv + 1);
    if (!q || !v)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while reading");
    hol_model_initial(m, q, v, NULL, NULL);
    HolStatus status = HOL_OK;
    int stage = 0;
    if (values)
        status = start_assemble(from, (HolStartStage){.rates = 0}, q, v, &problem);
    if (status == HOL_OK && rates)
        status = start_assemble(from, (HolStartStage){.rates = stage = 1}, q, v, &problem);
    if (status == HOL_ERR_MEMORY)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory while reading");
    if (status != HOL_OK) {
        start_refuse(m, stage, &problem, err);
        return HOL_ERR_INPUT;
    }
    m->start_q = q;
    m->start_v = v;
    return HOL_OK;
}
