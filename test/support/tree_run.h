// SPDX-License-Identifier: Apache-2.0
// Runs of small trees of hinges from texts and settings, for tests of methods in joint coordinates.
#ifndef TREE_RUN_H
#define TREE_RUN_H

#include "run.h"

typedef struct Result {
    HolStatus status;
    double q[64], v[64], a[64], lambda[64];
    int nq, nv, m;
    HolStats stats;
    HolError err;
} Result;

static HolSim *open(const char *text, const char *method, const char *settings, HolModel **model,
                    HolSimOptions *o, HolError *err) {
    static char words[512];
    HolSetting set[16];
    HolSim *s = NULL;
    int n = 0;
    snprintf(words, sizeof words, "method=%s %s", method, settings);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = 0;
        set[n++] = (HolSetting){word, equals + 1};
    }
    if (hol_model_parse(text, strlen(text), "model", set, n, model, o, err) == HOL_OK)
        (void)hol_sim_create(*model, o, &s, err);
    return s;
}

static Result run_with(const char *text, const char *method, const char *settings) {
    static Result r;
    HolModel *model = NULL;
    HolSimOptions o;
    memset(&r, 0, sizeof r);
    HolSim *s = open(text, method, settings, &model, &o, &r.err);
    if (!s) {
        r.status = HOL_ERR_INPUT;
        hol_model_destroy(model);
        return r;
    }
    r.status = hol_sim_advance(s, o.end, &r.err);
    const HolView x = hol_sim_view(s);
    r.nq = x.nq;
    r.nv = x.nv;
    r.m = x.m;
    memcpy(r.q, x.q, sizeof(double) * (size_t)x.nq);
    memcpy(r.v, x.v, sizeof(double) * (size_t)x.nv);
    memcpy(r.a, x.a, sizeof(double) * (size_t)x.nv);
    memcpy(r.lambda, x.lambda, sizeof(double) * (size_t)x.m);
    r.stats = hol_sim_stats(s);
    hol_sim_destroy(s);
    hol_model_destroy(model);
    return r;
}

static inline void expect_ok(const Result *r) {
    if (r->status != HOL_OK)
        fail_msg("%s", r->err.text);
}

static inline double away(const Result *a, const Result *b) {
    return distance(a->q, b->q, a->nq) + distance(a->v, b->v, a->nv);
}

// a branching arm in space with a spring, a damper and a torque that does work
static const char arm[] =
    "{holonom: 1, space: spatial, gravity: [0.3, -0.2, -9.81], parameters: {c: 0.4},\n"
    "bodies: [{name: base, mass: 2, inertia: [0.05, 0.04, 0.03], position: [0.1, 0, 0.4]},\n"
    "  {name: upper, mass: 1.5, inertia: [0.02, 0.03, 0.05], position: [0.6, 0.5, 0.2]},\n"
    "  {name: tail, mass: 0.4, inertia: [0.01, 0.01, 0.02], position: [-0.5, 0.2, 0.1]}],\n"
    "joints: [{name: j1, type: revolute, bodies: [ground, base], at: [0, 0, 0.2],\n"
    "    axis: [0.2, 0.1, 1]},\n"
    "  {name: j2, type: revolute, bodies: [upper, base], at: [0.3, 0.2, 0.4], axis: [0, 1, 0.3]},\n"
    "  {name: j3, type: revolute, bodies: [tail, base], at: [-0.2, 0.1, 0.3], axis: [1, 1, 1]}],\n"
    "forces: [{name: k2, type: torsion_spring_damper, joint: j2, stiffness: 6, damping: c,\n"
    "    angle: 0.4},\n"
    "  {name: motor, type: torque, joint: j1, value: c*sin(5*time)}], simulation: {end: 1}}";

// the like in the plane
static const char plane[] =
    "{holonom: 1, space: planar, gravity: [0.3, -9.81], parameters: {c: 0.4},\n"
    "bodies: [{name: base, mass: 2, inertia: 0.05, position: [0.1, 0.3]},\n"
    "  {name: upper, mass: 1.5, inertia: 0.03, position: [0.6, 0.5]},\n"
    "  {name: tail, mass: 0.4, inertia: 0.01, position: [-0.5, 0.2]}],\n"
    "joints: [{name: j1, type: revolute, bodies: [ground, base], at: [0, 0.2]},\n"
    "  {name: j2, type: revolute, bodies: [upper, base], at: [0.3, 0.2]},\n"
    "  {name: j3, type: revolute, bodies: [tail, base], at: [-0.2, 0.1]}],\n"
    "forces: [{name: k2, type: torsion_spring_damper, joint: j2, stiffness: 6, damping: c,\n"
    "    angle: 0.4},\n"
    "  {name: motor, type: torque, joint: j1, value: c*sin(5*time)}], simulation: {end: 1}}";

#endif
