// SPDX-License-Identifier: Apache-2.0
// Stability along a motion (docs/stability.md): the model runs once with error control; at the start,
// at equally spaced times and where omega_max peaks the state is linearized, and the largest stable step
// of every method is the smallest over these times.
#include "base/sized.h"
#include "math/dense.h"
#include "solve/linear/frozen.h"
#include "solve/run/run.h"
#include "solve/stability/stability_made.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 11, POINTS_LARGE = 3, MOST_POINTS = 10001, MOST_PEAKS = 3 };
// steps after which a motion is left to the next method (the last one: looked at up to there)
static const long patience[] = {4000, 40000};
static const char *const motions[] = {"taylor", "tangent"};
enum { MOTIONS = sizeof motions / sizeof *motions };
static const double FINEST_MOTION = 1e-9, COARSEST_MOTION = 1e-5; // tolerances of it
static const double PEAK = 1.002; // a time is worth a second look when omega_max rises by so much
static const double LIVES = 10;   // time constants after which a vibration has died out
static const double SAME = 1e-6;  // limits that differ by less are equal: the first is told
static const double SLOW =
    0.55; // part of the largest frequency below which coupled modes set no limit
static const double SPIN_ANGLE = 0.5; // [rad] that a body in space may turn in a step

void hol_stability_options_sized(HolStabilityOptions *out, size_t room) {
    const HolStabilityOptions o = {.size = sizeof o, .from = NAN, .to = NAN};
    hol_sized_make(out, room, &o, sizeof o);
}

static HolStatus stability_no_memory(HolError *err) {
    return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
}

static int stability_stopped(const HolStabilityMade *m) {
    return m->o.stop && *m->o.stop;
}

static HolStatus stability_interrupted(HolError *err) {
    return hol_error_set(err, HOL_INTERRUPTED, "interrupted");
}

// ---- the motion ----

static HolSimOptions stability_motion(const HolSimOptions *o, int attempt) {
    HolSimOptions run = *o;
    run.method = hol_sim_options().method;
    snprintf(run.method.name, sizeof run.method.name, "%s", motions[attempt]);
    run.step = run.accuracy = run.initial_step = run.output_step = 0;
    run.tolerance =
        fmin(fmax(o->tolerance > 0 ? o->tolerance : 1e-6, FINEST_MOTION), COARSEST_MOTION);
    run.max_steps = patience[attempt];
    return run;
}

// ---- one point ----

static HolStatus stability_look(HolStabilityMade *m, HolSim *s, int regular, HolError *err) {
    HolStabilityState *at = HOL_NEW(&m->arena, HolStabilityState, 1);
    if (!at || (!m->names.body && !hol_stability_names(s, &m->arena, &m->names)))
        return stability_no_memory(err);
    const HolStatus status =
        hol_stability_state(s, &m->names, HOL_STABILITY_DENSE, &m->arena, at, err);
    if (status == HOL_OK) {
        at->regular = regular;
        m->holonomic = s->nh > 0;
        m->rolling = s->nn > 0;
        m->large |= s->nv > HOL_STABILITY_DENSE;
        m->state[m->n_state++] = at;
    }
    return status;
}

// ---- times ----

// Looks at the times given, ascending, by a run of attempt number `attempt`. *done: how many were reached.
static HolStatus stability_walk(HolStabilityMade *m, int attempt, const double *times, int n,
                                int *done, HolError *err) {
    const HolSimOptions run = stability_motion(m->run, attempt);
    HolSim *s = NULL;
    *done = 0;
    HolStatus status = hol_sim_create(m->model, &run, &s, err);
    if (status == HOL_OK && m->o.stop)
        hol_sim_stop_flag(s, m->o.stop);
    if (status == HOL_OK)
        status = hol_sim_assemble(s, err);
    if (status == HOL_OK)
        status = hol_frozen_start(s, err);
    for (int i = 0; i < n && status == HOL_OK; i++) {
        if (times[i] > run.start)
            status = hol_sim_advance(s, times[i], err);
        if (status == HOL_EVENT) { // the end that the model asks for
            status = HOL_OK;
            n = i + 1;
        }
        if (status == HOL_OK && stability_stopped(m))
            status = stability_interrupted(err);
        if (status != HOL_OK)
            break;
        status = stability_look(m, s, i % m->finer == 0 && !m->n_kept, err);
        // a singular position on the way is no point, and the rest of the motion still counts
        if ((status == HOL_ERR_SINGULAR || status == HOL_ERR_CONVERGE) && m->n_state) {
            hol_add_line(m->out.note, sizeof m->out.note, "time %.6g is left out: %s", times[i],
                         err->text);
            status = HOL_OK;
        }
        s->driver->restart |= times[i] > run.start; // matrices and scratch were used
        *done = i + 1;
        if (m->o.progress)
            m->o.progress(m->o.user, (i + 1.0) / n);
    }
    if (s && hol_frozen_has_modes(s))
        m->frozen = 1;
    hol_sim_destroy(s);
    return status;
}

static HolStatus stability_along(HolStabilityMade *m, const double *times, int n, HolError *err) {
    HolStatus status = HOL_OK;
    for (m->attempt = 0; m->attempt < MOTIONS; m->attempt++) {
        int done;
        m->n_state = 0;
        status = stability_walk(m, m->attempt, times, n, &done, err);
        if (status == HOL_OK || status == HOL_INTERRUPTED || status == HOL_ERR_MEMORY ||
            status == HOL_ERR_INPUT || status == HOL_ERR_ASSEMBLY)
            return status;
    }
    m->attempt = MOTIONS - 1;
    if (!m->n_state)
        return status;
    hol_add_line(m->out.note, sizeof m->out.note, "the motion was followed up to %.6g s only: %s",
                 m->state[m->n_state - 1]->point.time, err->text);
    hol_error_clear(err);
    return HOL_OK;
}

// by falling omega_max, the places of the highest maxima inside the walk; how many
static int stability_maxima(const HolStabilityMade *m, int place[MOST_PEAKS]) {
    int n = 0;
    for (int i = 1; i + 1 < m->n_state; i++) {
        const double a = m->state[i - 1]->point.omega_max, b = m->state[i]->point.omega_max,
                     c = m->state[i + 1]->point.omega_max;
        if (b < a || b < c || !(b > PEAK * fmin(a, c)))
            continue;
        int k = n;
        for (; k > 0 && m->state[place[k - 1]]->point.omega_max < b; k--)
            if (k < MOST_PEAKS)
                place[k] = place[k - 1];
        if (k < MOST_PEAKS)
            place[k] = i;
        n += n < MOST_PEAKS;
    }
    return n;
}

// time of the maximum of the parabola through a state and its neighbours
static double stability_summit(const HolStabilityMade *m, int i) {
    const HolStabilityPoint *a = &m->state[i - 1]->point, *b = &m->state[i]->point,
                            *c = &m->state[i + 1]->point;
    const double left = (b->omega_max - a->omega_max) / (b->time - a->time),
                 right = (c->omega_max - b->omega_max) / (c->time - b->time),
                 bend = (right - left) / (c->time - a->time);
    const double t = bend < 0 ? (a->time + b->time) / 2 - left / (2 * bend) : b->time;
    return t > a->time && t < c->time ? t : b->time;
}

static void stability_by_time(HolStabilityMade *m) {
    for (int i = 1; i < m->n_state; i++) {
        HolStabilityState *at = m->state[i];
        int k = i;
        for (; k > 0 && m->state[k - 1]->point.time > at->point.time; k--)
            m->state[k] = m->state[k - 1];
        m->state[k] = at;
    }
}

// A second walk to where omega_max peaks between the points. What stays are the points asked for and the
// peaks.
static HolStatus stability_peaks(HolStabilityMade *m, HolError *err) {
    int place[MOST_PEAKS], kept = 0, done;
    double times[MOST_PEAKS];
    HolStabilityState *peak[MOST_PEAKS];
    const int n = stability_maxima(m, place);
    for (int k = 0; k < n; k++) {
        const double t = stability_summit(m, place[k]);
        int j = k;
        for (; j > 0 && times[j - 1] > t; j--)
            times[j] = times[j - 1];
        times[j] = t;
        peak[k] = m->state[place[k]];
    }
    for (int i = 0; i < m->n_state; i++)
        if (m->state[i]->regular)
            m->state[kept++] = m->state[i];
    const int before = m->n_kept = m->n_state = kept;
    const HolStatus status = n ? stability_walk(m, m->attempt, times, n, &done, err) : HOL_OK;
    if (status == HOL_INTERRUPTED || status == HOL_ERR_MEMORY)
        return status;
    hol_error_clear(err);
    for (int k = 0; k < n; k++) { // where the parabola missed it: the point that was there
        int better = peak[k]->regular;
        for (int i = before; i < m->n_state; i++)
            better |= m->state[i]->point.omega_max >= peak[k]->point.omega_max;
        if (!better)
            m->state[m->n_state++] = peak[k];
    }
    stability_by_time(m);
    return HOL_OK;
}

// ---- limits ----

// of one method: the smallest over all states, the fastest first; slow ones cannot have it
static void stability_limit_of(HolStabilityMade *m, int i, const int *order, double *work) {
    HolStabilityMethod *out = &m->method[i];
    HolVariant *v = &m->variant[i];
    HolStableStep least = {INFINITY, INFINITY, -1, -1};
    double eigenvalue[2];
    const int fits = hol_variant_fits(m->holonomic, m->rolling, &v->map);
    out->at_time = NAN;
    m->limited[i] = -1;
    for (int k = 0; k < m->n_state && v->map.kind != HOL_MAP_NONE; k++) {
        const HolStabilityState *at = m->state[order[k]];
        if (at->spectrum.n == 0)
            continue;
        if (m->limited[i] >= 0 && v->map.kind != HOL_MAP_RATIONAL &&
            at->spectrum.largest < SLOW * m->state[m->limited[i]]->spectrum.largest)
            break;
        const HolStableStep found =
            fits ? hol_stable_step(&v->map, &at->spectrum, m->span, 0, least.run, &v->memory, work)
                 : (HolStableStep){0, 0, -1, -1};
        const double run = fmin(least.run, found.run);
        if (found.strict < least.strict * (1 - SAME) || m->limited[i] < 0) {
            least = found;
            m->limited[i] = isfinite(found.strict) ? order[k] : -1;
        }
        least.run = run;
        if (!fits)
            break;
    }
    out->largest_stable_step = least.strict;
    // (a step longer than the run is none)
    out->largest_stable_step_this_run =
        isfinite(least.strict) ? fmin(least.run, fmax(least.strict, m->span)) : least.run;
    if (m->limited[i] < 0)
        return;
    const HolStabilityState *at = m->state[m->limited[i]];
    out->at_time = at->point.time;
    out->n_bodies = hol_stability_bodies(at, &v->map, &least, &m->arena, &out->bodies, eigenvalue);
}

static HolStatus stability_limits(HolStabilityMade *m, HolError *err) {
    if (m->frozen)
        hol_add_line(
            m->out.note, sizeof m->out.note,
            "friction that sticks, rigid stops and contacts are held as they are at each time");
    int *order = HOL_NEW(&m->arena, int, m->n_state + 1);
    size_t need = 1;
    for (int k = 0; k < m->n_state; k++)
        for (int i = 0; i < m->n_variant; i++) {
            const size_t one = hol_stable_step_work(&m->variant[i].map, &m->state[k]->spectrum);
            need = one > need ? one : need;
        }
    double *work = HOL_NEW(&m->arena, double, need);
    if (m->arena.failed)
        return stability_no_memory(err);
    for (int k = 0; k < m->n_state; k++) {
        int j = k;
        for (; j > 0 && m->state[order[j - 1]]->spectrum.largest <
                            m->state[k]->spectrum.largest * (1 - 1e-9);
             j--)
            order[j] = order[j - 1];
        order[j] = k;
    }
    for (int i = 0; i < m->n_variant; i++) {
        if (stability_stopped(m))
            return stability_interrupted(err);
        stability_limit_of(m, i, order, work);
    }
    return m->arena.failed ? stability_no_memory(err) : HOL_OK;
}

// ---- accuracy ----

static double stability_accuracy(const HolStabilityMade *m, const HolStepMap *map) {
    HolMapOrder order = hol_map_order(map);
    double energy = 0, force = 0, h = INFINITY;
    for (int i = 0; i < m->n_state; i++) {
        const HolStabilityState *at = m->state[i];
        if (i > 0 || m->n_state < 3) { // (the start may be a transient)
            energy += at->energy;
            force += at->force;
        }
        for (int k = 0; k < at->n_active; k++) {
            const double life = at->decay[k] > 0 ? LIVES / at->decay[k] : INFINITY;
            if (at->share[k] > m->out.tolerance)
                h = fmin(h, hol_accuracy_step(&order, at->active[k], fmin(m->span, life),
                                              m->out.tolerance));
        }
        h = fmin(h, hol_accuracy_step(&order, at->point.spin, m->span, m->out.tolerance));
    }
    const double rate = energy > 0 ? sqrt(force / energy) : 0;
    h = fmin(h, hol_accuracy_step(&order, rate, m->span, m->out.tolerance));
    // Newmark's formulas in a tangent space that turns
    const int newmark =
        map->kind == HOL_MAP_ENDS && map->c0[3] == 0 && map->d0[2] == 0 && map->d1[2] == 0;
    if (newmark && (m->holonomic || m->rolling) && rate > 0 && fabs(map->c1[2] - 1. / 6) > 1e-9) {
        const HolMapOrder turning = {{fabs(map->c1[2] - 1. / 6), 2}, {0}};
        h = fmin(h, hol_accuracy_step(&turning, rate, m->span, m->out.tolerance));
    }
    return h;
}

// ---- the whole ----

static HolStatus stability_prepare(HolStabilityMade *m, int *n, double **times, HolError *err) {
    const HolSimOptions *o = m->run;
    const double from = isnan(m->o.from) ? o->start : m->o.from,
                 to = isnan(m->o.to) ? o->end : m->o.to;
    if (!(from >= o->start) || !(to >= from) || !isfinite(to))
        return hol_error_set(err, HOL_ERR_INPUT,
                             "from %g to %g: times must ascend and not lie before the start, %g",
                             from, to, o->start);
    if (m->o.points < 0 || m->o.points > MOST_POINTS)
        return hol_error_set(err, HOL_ERR_INPUT, "%d points: there may be 1 to %d", m->o.points,
                             MOST_POINTS);
    if (m->o.method && !hol_stepper_find(m->o.method))
        return hol_error_set(err, HOL_ERR_INPUT, "method '%s' is unknown", m->o.method);
    int velocities = hol_model_problem(m->model)->nv;
    int asked = m->o.points                        ? m->o.points
                : velocities > HOL_STABILITY_DENSE ? POINTS_LARGE
                                                   : POINTS;
    if (from == to)
        asked = 1;
    // between them peaks are looked for
    m->finer = velocities <= 24 ? 8 : velocities <= 60 ? 4 : 1;
    if (asked < 3 || asked > 4 * POINTS)
        m->finer = 1;
    *n = (asked - 1) * m->finer + 1;
    *times = HOL_NEW(&m->arena, double, *n);
    m->state = HOL_NEW(&m->arena, HolStabilityState *, *n + 2 * MOST_PEAKS + 1);
    m->n_variant = hol_variants(&o->method, m->o.method, &m->arena, &m->variant);
    m->method = HOL_NEW(&m->arena, HolStabilityMethod, m->n_variant + 1);
    m->limited = HOL_NEW(&m->arena, int, m->n_variant + 1);
    if (m->arena.failed)
        return stability_no_memory(err);
    for (int i = 0; i < *n; i++)
        (*times)[i] = *n > 1 ? from + (to - from) * i / (*n - 1) : from;
    for (int i = 0; i < m->n_variant; i++) {
        m->method[i].options = m->variant[i].options;
        m->method[i].own = m->variant[i].own;
    }
    m->span = o->end - o->start;
    m->out.from = from;
    m->out.to = to;
    m->out.tolerance = o->tolerance > 0 ? o->tolerance : 1e-6;
    return HOL_OK;
}

static void stability_say(HolStabilityMade *m) {
    HolStability *o = &m->out;
    double frozen = 0;
    int freedoms = 0, cut = 0;
    for (int i = 0; i < m->n_state; i++) {
        frozen = fmax(frozen, m->state[i]->point.constancy);
        freedoms |= m->state[i]->spectrum.n;
        cut |= m->state[i]->spectrum.cut;
    }
    if (!freedoms && !m->large)
        hol_add_line(o->note, sizeof o->note,
                     "no degree of freedom: nothing can grow, every step is stable");
    else if (o->fastest < 0)
        hol_add_line(
            o->note, sizeof o->note,
            "no spring, no damper, no weight pulls back: no step is too long for stability");
    if (frozen > 1e-6 && o->fastest >= 0)
        hol_add_line(o->note, sizeof o->note,
                     "the mechanism moves: eigenvalues are those of each instant (constancy %.1e)",
                     frozen);
    if (m->large)
        hol_add_line(o->note, sizeof o->note,
                     "a large model: limits are those of its fastest mode alone");
    else if (cut)
        hol_add_line(o->note, sizeof o->note,
                     "many coupled modes: limits of the fastest ones, the others are left out");
}

static HolStatus stability_finish(HolStabilityMade *m, HolError *err) {
    HolStability *o = &m->out;
    const HolStabilityPoint **points =
        HOL_NEW(&m->arena, const HolStabilityPoint *, m->n_state + 1);
    const HolStabilityMethod **methods =
        HOL_NEW(&m->arena, const HolStabilityMethod *, m->n_variant + 1);
    if (m->arena.failed)
        return stability_no_memory(err);
    o->fastest = -1;
    o->spin_step = INFINITY;
    o->spin_time = NAN;
    for (int i = 0; i < m->n_state; i++) {
        const HolStabilityPoint *p = points[i] = &m->state[i]->point;
        if (p->omega_max > (o->fastest < 0 ? 0 : points[o->fastest]->omega_max))
            o->fastest = i;
        if (p->spin > 0 && SPIN_ANGLE / p->spin < o->spin_step) {
            o->spin_step = SPIN_ANGLE / p->spin;
            o->spin_time = p->time;
        }
    }
    for (int i = 0; i < m->n_variant; i++) {
        m->method[i].accuracy_step = stability_accuracy(m, &m->variant[i].map);
        methods[i] = &m->method[i];
    }
    o->points = points;
    o->n_points = m->n_state;
    o->methods = methods;
    o->n_methods = m->n_variant;
    stability_say(m);
    return HOL_OK;
}

HolStatus hol_stability(const HolModel *model, const HolSimOptions *run,
                        const HolStabilityOptions *options, HolStability **out, HolError *err) {
    HolStabilityOptions o = hol_stability_options();
    HolSimOptions given = hol_sim_options();
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the result: NULL");
    *out = NULL;
    if (!hol_model_problem(model))
        return hol_error_set(err, HOL_ERR_INPUT, "there is no compiled model");
    const long no_memory = hol_dense_no_memory();
    HolStatus status = hol_options_take(&given, run, err);
    if (status == HOL_OK && options)
        status = hol_sized_take(&o, sizeof o, options, "hol_stability_options", err);
    if (status != HOL_OK)
        return status;
    HolArena arena = {0};
    HolStabilityMade *m = HOL_NEW(&arena, HolStabilityMade, 1);
    if (!m)
        return stability_no_memory(err);
    m->arena = arena;
    m->model = model;
    m->run = &given;
    m->o = o;
    int n = 0;
    double *times = NULL;
    status = stability_prepare(m, &n, &times, err);
    if (status == HOL_OK)
        status = stability_along(m, times, n, err);
    if (status == HOL_OK)
        status = stability_peaks(m, err);
    if (status == HOL_OK)
        status = stability_limits(m, err);
    if (status == HOL_OK)
        status = stability_finish(m, err);
    if (hol_dense_no_memory() > no_memory)
        status = stability_no_memory(err);
    m->run = NULL;
    if (status != HOL_OK)
        hol_stability_destroy(&m->out);
    else
        *out = &m->out;
    return status;
}

void hol_stability_destroy(HolStability *s) {
    if (!s)
        return;
    HolArena arena = ((HolStabilityMade *)s)->arena; // it lives in its arena
    hol_arena_free(&arena);
}

double hol_stability_radius(const HolStability *s, int method, double h) {
    const HolStabilityMade *m = (const HolStabilityMade *)s;
    if (!s || method < 0 || method >= m->n_variant || s->fastest < 0 || !(h > 0))
        return NAN;
    const HolStepMap *map = &m->variant[method].map;
    const HolSpectrum *at =
        &m->state[m->limited[method] >= 0 ? m->limited[method] : s->fastest]->spectrum;
    HolArena arena = {0};
    double *work = HOL_NEW(&arena, double, hol_stable_step_work(map, at));
    const double radius =
        work && map->kind != HOL_MAP_NONE ? hol_spectrum_radius(map, at, h, work) : NAN;
    hol_arena_free(&arena);
    return radius;
}
