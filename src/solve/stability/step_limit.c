// SPDX-License-Identifier: Apache-2.0
// Is the fixed step of a run stable at its start? A run of its own is assembled and linearized there:
// the run itself is not touched.
#include "base/sized.h"
#include "math/dense.h"
#include "solve/stability/stability.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NEAR = 0.98;             // of the limit: from here on a step is too long
enum { QUICK = 60, MOST_VELOCITIES = 6000 }; // dense matrices up to here; models looked at
static const double AHEAD = 2;               // limits are looked for up to so many steps
static const double MOST_TURN = 0.5;         // [rad] of a body in space a step
static const char HINT[] = "'holonom stability' lists the limits of all methods";

static void step_limit_join(const char *const *names, int n, char *out, size_t size) {
    out[0] = 0;
    for (int i = 0; i < n; i++)
        snprintf(out + strlen(out), size - strlen(out), "%s%s", i ? ", " : "", names[i]);
}

static void step_limit_say(const HolSimOptions *o, const HolStabilityPoint *p, HolStepLimit *l) {
    const char *word = o->method.scheme[0] ? o->method.scheme : o->method.set;
    char method[80], value[80];
    snprintf(method, sizeof method, "%s%s%s%s", o->method.name, word[0] ? " (" : "", word,
             word[0] ? ")" : "");
    if (o->step > NEAR * l->limit) {
        if (l->imag > 0)
            snprintf(value, sizeof value, "%.4g +- %.6g i", l->real, l->imag);
        else
            snprintf(value, sizeof value, "%.6g", l->real);
        snprintf(l->warning, sizeof l->warning,
                 "step %.6g s: %s is stable at the start up to %.6g s; beyond, the mode of %s "
                 "(eigenvalue %s 1/s) grows; %s",
                 o->step, method, l->limit, l->bodies[0] ? l->bodies : "the mechanism", value,
                 HINT);
    } else if (o->step > l->spin_step) {
        snprintf(l->bodies, sizeof l->bodies, "%s", p->spinning ? p->spinning : "");
        snprintf(l->warning, sizeof l->warning,
                 "step %.6g s: body '%s' spins with %.6g rad/s and turns by %.2g rad a step; %s "
                 "needs about %.2g s to stay stable",
                 o->step, l->bodies, p->spin, o->step * p->spin, method, l->spin_step);
    }
}

static HolStatus step_limit_at(HolSim *s, const HolSimOptions *o, const HolStepMap *map,
                               HolStepLimit *l, HolError *err) {
    HolArena arena = {0};
    HolStabilityState at;
    HolStatus status = hol_sim_assemble(s, err);
    if (status != HOL_OK)
        return status;
    HolBodyNames names;
    status = hol_stability_names(s, &arena, &names)
                 ? hol_stability_state(s, &names, QUICK, &arena, &at, err)
                 : hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    double *work =
        status == HOL_OK ? HOL_NEW(&arena, double, hol_stable_step_work(map, &at.spectrum)) : NULL;
    if (work && at.spectrum.n && hol_variant_fits(s->nh, s->nn, map)) {
        const double most = AHEAD * o->step;
        const HolStableStep found =
            hol_stable_step(map, &at.spectrum, o->end - o->start, 0, most, NULL, work);
        const char *const *bodies = NULL;
        double value[2] = {0};
        int n = 0;
        l->limit = found.run < most ? found.run : INFINITY;
        if (o->step > NEAR * l->limit)
            n = hol_stability_bodies(&at, map, &found, &arena, &bodies, value);
        l->real = value[0];
        l->imag = value[1];
        step_limit_join(bodies, n, l->bodies, sizeof l->bodies);
    }
    if (status == HOL_OK && at.point.spin > 0)
        l->spin_step = MOST_TURN / at.point.spin;
    if (status == HOL_OK)
        step_limit_say(o, &at.point, l);
    hol_arena_free(&arena);
    return status;
}

HolStatus hol_step_limit_sized(const HolModel *m, const HolSimOptions *run, HolStepLimit *out,
                               size_t room, HolError *err) {
    HolStepLimit l = {.size = sizeof l, .limit = INFINITY, .spin_step = INFINITY};
    HolSimOptions o = hol_sim_options(), mine = hol_sim_options();
    const long no_memory = hol_dense_no_memory();
    hol_error_clear(err);
    if (out)
        hol_sized_make(out, room, &l, sizeof l);
    if (!out || !hol_model_problem(m))
        return hol_error_set(err, HOL_ERR_INPUT, "there is no compiled model, or no place: NULL");
    HolStatus status = hol_options_take(&o, run, err);
    if (status != HOL_OK)
        return status;
    const HolStepper *stepper = hol_stepper_find(o.method.name);
    HolStepMap map = {0};
    if (stepper && stepper->map)
        stepper->map(&o.method, &map);
    const int looked = o.step > 0 && hol_model_problem(m)->nv <= MOST_VELOCITIES;
    if (!looked)
        l.limit = l.spin_step = NAN;
    if (looked && map.kind != HOL_MAP_NONE && !map.a_stable) {
        HolSim *s = NULL;
        const HolMethodOptions usual = mine.method;
        mine = o; // (where it starts, and how)
        mine.method = usual;
        snprintf(mine.method.name, sizeof mine.method.name, "tangent");
        mine.step = mine.accuracy = 0;
        status = hol_sim_create(m, &mine, &s, err);
        if (status == HOL_OK)
            status = step_limit_at(s, &o, &map, &l, err);
        hol_sim_destroy(s);
    }
    hol_sized_make(out, room, &l, sizeof l);
    return hol_dense_no_memory() > no_memory ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory")
                                             : status;
}
