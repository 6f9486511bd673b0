// SPDX-License-Identifier: Apache-2.0
// A program of the library for test_memory, which lets one allocation after the other fail in it: models
// from calls and from text, runs and what embeds them, analyses, results and checkpoints. It ends with 0,
// or with 3 and the reason of the call that failed; numbers on standard output.
#include "holonom/doctor.h"
#include "holonom/holonom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Calls {
    HolModel *built, *read;
    HolSim *sim, *copy;
    HolModes *modes;
    HolEquilibria *rest;
    HolStability *stability;
    const HolDiagnosis *diagnosis;
    HolRecording *recording;
    HolResult *result;
    void *bytes;
} Calls;

// 0 and the next one, or the status of the call
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const HolStatus tried = (call);                                                            \
        if (tried)                                                                                 \
            return tried;                                                                          \
    } while (0)

static const char text[] =
    "holonom: 1\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {L: 1, c: 0.1}\n"
    "inputs: {u: 0}\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: 0.1, position: [0, -L/2], points: {p: [0, L/2], q: [0, "
    "-L/2]}}\n"
    "  - {name: b, mass: 1, inertia: 0.1, position: [0, -3/2*L], points: {p: [0, L/2]}}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, a.p]}\n"
    "  - {name: B, type: revolute, between: [a.q, b.p]}\n"
    "forces: [{type: torque, on: a, value: 'u - c*a.omega'}]\n"
    "events: [{name: down, when: a.angle - 0.01}]\n"
    "tunable: [c]\nsimulation: {end: 0.1, step: 0.01, method: tangent}\n";

static HolStatus build(Calls *c, HolError *err) {
    static const double x[] = {0, 1}, y[] = {0, 1};
    TRY(hol_model_create("m", HOL_PLANAR, NULL, &c->built, err));
    TRY(hol_model_add_parameter(c->built, "k", 2.0, err));
    HolTableDef table = hol_table_def();
    table.name = "curve";
    table.x = x;
    table.y = y;
    table.n = 2;
    TRY(hol_model_add_table(c->built, &table, err));
    HolBodyDef body = hol_body_def();
    body.name = "rod";
    body.mass = body.inertia[0] = 1;
    TRY(hol_model_add_body(c->built, &body, err));
    HolJointDef joint = hol_joint_def("revolute");
    joint.b.body = "rod";
    TRY(hol_model_add_joint(c->built, &joint, err));
    HolForceDef force = hol_force_def("torque");
    force.on.body = "rod";
    force.value[0] = "k*interp(curve, time)*z";
    force.n_value = 1;
    TRY(hol_model_add_force(c->built, &force, err));
    HolStateDef state = hol_state_def();
    state.name = "z";
    state.rate = "1 - z";
    TRY(hol_model_add_state(c->built, &state, err));
    TRY(hol_model_add_output(c->built, "rod.angle", 0, 0, err));
    TRY(hol_model_compile(c->built, err));
    HolSimOptions o = hol_sim_options();
    double angle = 0;
    strcpy(o.method.name, "rk853");
    TRY(hol_sim_create(c->built, &o, &c->copy, err));
    TRY(hol_sim_advance(c->copy, 0.5, err));
    TRY(hol_sim_value(c->copy, "rod.angle", &angle, err));
    printf("built: %.12g\n", angle);
    hol_sim_destroy(c->copy);
    c->copy = NULL;
    return HOL_OK;
}

// a run, and what looks at it between its steps
static HolStatus embed(Calls *c, HolSimOptions *o, HolError *err) {
    static const char *const joints[] = {"A", "B"};
    double M[4], h[2], J[12], position[3], orientation[9], force[3], torque[3], value = 0;
    size_t size = 0;
    HolCheck check;
    TRY(hol_sim_create(c->read, o, &c->sim, err));
    TRY(hol_sim_check(c->sim, &check, err));
    TRY(hol_sim_set_input(c->sim, "u", 3, err));
    TRY(hol_sim_advance(c->sim, 0.03, err));
    TRY(hol_sim_set_parameter(c->sim, "c", 0.2, err));
    TRY(hol_sim_joint_space(c->sim, joints, 2, M, h, err));
    TRY(hol_sim_jacobian(c->sim, "b", joints, 2, J, err));
    TRY(hol_sim_pose(c->sim, "b", position, orientation, err));
    TRY(hol_sim_reaction(c->sim, "A", force, torque, err));
    TRY(hol_sim_save(c->sim, NULL, 0, &size, err));
    c->bytes = malloc(size);
    if (!c->bytes)
        return snprintf(err->text, sizeof err->text, "out of memory"), HOL_ERR_MEMORY;
    TRY(hol_sim_save(c->sim, c->bytes, size, &size, err));
    TRY(hol_sim_copy(c->sim, &c->copy, err));
    TRY(hol_sim_advance(c->copy, 0.05, err));
    TRY(hol_sim_restore(c->sim, c->bytes, size, err));
    TRY(hol_sim_advance(c->sim, 0.05, err));
    TRY(hol_sim_value(c->sim, "b.angle", &value, err));
    printf("embedded: %d %.12g %.12g %.12g %.12g\n", check.rank, value, M[0], J[0], force[1]);
    hol_sim_destroy(c->sim);
    c->sim = NULL;
    return HOL_OK;
}

static HolStatus analyse(Calls *c, HolSimOptions *o, HolError *err) {
    HolModesOptions how = hol_modes_options();
    HolEquilibriumOptions where = hol_equilibrium_options();
    HolStabilityOptions along = hol_stability_options();
    HolStepLimit limit;
    along.method = "rk4";
    along.points = 2;
    TRY(hol_diagnose(c->read, o, &c->diagnosis, err));
    TRY(hol_sim_create(c->read, o, &c->sim, err));
    TRY(hol_equilibrium_find(c->sim, &where, &c->rest, err));
    TRY(hol_sim_modes(c->sim, &how, &c->modes, err));
    TRY(hol_step_limit(c->read, o, &limit, err));
    TRY(hol_stability(c->read, o, &along, &c->stability, err));
    printf("analysed: %d equilibria, %d warnings, %.9g\n", hol_equilibria_count(c->rest),
           c->diagnosis->n_warnings, limit.limit);
    hol_sim_destroy(c->sim);
    c->sim = NULL;
    return HOL_OK;
}

static HolStatus record(Calls *c, HolSimOptions *o, HolError *err) {
    int done = 0;
    strcpy(o->method.name, "radau");
    o->step = 0;
    TRY(hol_sim_create(c->read, o, &c->sim, err));
    TRY(hol_recording_create(c->sim, &c->recording, err));
    TRY(hol_recording_run(c->recording, 0.1, 1e9, &done, err));
    TRY(hol_recording_write(c->recording, "made.csv", HOL_OK, "", err));
    TRY(hol_result_read("made.csv", &c->result, err));
    printf("recorded: %ld rows\n", hol_result_row_count(c->result));
    return HOL_OK;
}

static HolStatus all(Calls *c, HolError *err) {
    HolSimOptions o;
    TRY(build(c, err));
    TRY(hol_model_parse(text, strlen(text), "text", NULL, 0, &c->read, &o, err));
    TRY(embed(c, &o, err));
    TRY(analyse(c, &o, err));
    return record(c, &o, err);
}

int main(void) {
    Calls c = {0};
    HolError err = {0};
    const HolStatus status = all(&c, &err);
    if (status)
        fprintf(stderr, "%s\n", err.text);
    hol_result_destroy(c.result);
    hol_recording_destroy(c.recording);
    hol_stability_destroy(c.stability);
    hol_diagnosis_destroy(c.diagnosis);
    hol_modes_destroy(c.modes);
    hol_equilibria_destroy(c.rest);
    hol_sim_destroy(c.copy);
    hol_sim_destroy(c.sim);
    hol_model_destroy(c.read);
    hol_model_destroy(c.built);
    free(c.bytes);
    if (status)
        remove("made.csv"), remove("made.csv.json");
    return status == HOL_OK ? 0 : 3;
}
