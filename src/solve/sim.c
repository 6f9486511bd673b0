// SPDX-License-Identifier: Apache-2.0
// One run: memory, symbolic analysis and consistent start. Everything a step needs is allocated
// here from the run's arena; the loop itself is in steps.c, the bookkeeping in track.c.
#include "base/sized.h"
#include "base/thread_pool.h"
#include "math/lapack_library.h"
#include "solve/auto/auto.h"
#include "solve/constraint/project.h"
#include "solve/equilibrium/equilibrium.h"
#include "solve/event/event.h"
#include "solve/problem.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hol_state_alloc(HolSim *s, HolState *x) {
    x->t = 0;
    x->q = HOL_NEW(&s->arena, double, s->nq);
    x->v = HOL_NEW(&s->arena, double, s->nv);
    x->a = HOL_NEW(&s->arena, double, s->nv);
    x->lambda = HOL_NEW(&s->arena, double, s->m);
    x->w = HOL_NEW(&s->arena, double, s->nw);
}

static void sim_copy(double *to, const double *from, int n) {
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

void hol_state_copy(const HolSim *s, HolState *to, const HolState *from) {
    to->t = from->t;
    sim_copy(to->q, from->q, s->nq);
    sim_copy(to->v, from->v, s->nv);
    sim_copy(to->a, from->a, s->nv);
    sim_copy(to->lambda, from->lambda, s->m);
    to->bare = from->bare;
    sim_copy(to->w, from->w, s->nw);
}

void hol_state_keep(const HolSim *s, HolState *x, HolKeeper *k) {
    HOL_KEEP(k, x->t);
    HOL_KEEP(k, x->bare);
    HOL_KEEP_ARRAY(k, x->q, s->nq);
    HOL_KEEP_ARRAY(k, x->v, s->nv);
    HOL_KEEP_ARRAY(k, x->a, s->nv);
    HOL_KEEP_ARRAY(k, x->lambda, s->m);
    HOL_KEEP_ARRAY(k, x->w, s->nw);
}

void hol_row_name(const HolSim *s, int row, char *out, size_t size) {
    if (row < 0 || row >= s->m)
        snprintf(out, size, "no constraint");
    else if (s->p->row_name)
        s->p->row_name(s->p, row, out, size);
    else
        snprintf(out, size, "constraint %d", row);
}

static void add_line(char *list, size_t size, const char *format, va_list args) {
    char line[256];
    vsnprintf(line, sizeof line, format, args);
    const size_t used = strlen(list);
    if (strstr(list, line) || used + strlen(line) + 2 > size)
        return;
    snprintf(list + used, size - used, "%s%s", used ? "\n" : "", line);
}

void hol_note(HolSim *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_line(s->stats.note, sizeof s->stats.note, format, args);
    va_end(args);
}

void hol_add_line(char *list, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_line(list, size, format, args);
    va_end(args);
}

HolKkt *hol_sim_kkt(HolSim *s, const HolPattern *S, const HolPattern *G, int nw, int symmetric,
                    const char *kind) {
    HolKkt *k = hol_kkt_create_planned(&s->arena, s->p->extras->plans, S, G, nw, symmetric, kind);
    // (a long tree is walked link by link: two threads do better with its halves)
    const int automatic = !kind || !kind[0] || !strcmp(kind, "auto");
    if (k && S == &s->p->S && automatic)
        hol_kkt_mass(k, &s->p->M);
    if (k && s->p->extras->body && S->cols == s->nv && !hol_sim_large(s) && automatic)
        hol_kkt_bodies(k, s->p->extras->body);
    if (k) {
        if (S->cols == s->nv || S->cols == 2 * s->nv)
            hol_kkt_reach(k, s->reach, s->reach + 2 * s->nv);
        hol_kkt_share(k, s->pool);
    } else {
        s->arena.failed = 1; // (libraries below allocate too)
    }
    return k;
}

HolKkt *hol_sim_implicit(HolSim *s, HolError *err) {
    if (!s->implicit) {
        s->implicit = hol_sim_kkt(s, &s->p->S, &s->p->G, s->nw, 0, s->o.linear_solver);
        if (!s->implicit)
            hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    return s->implicit;
}

HolStatus hol_no_run(HolError *err) {
    return hol_error_set(err, HOL_ERR_INPUT, "there is no run: NULL in place of a HolSim");
}

// ---- creation ----

static void choose_method(const HolSimOptions *o, HolSim *s, HolError *err) {
    s->stepper = hol_stepper_find(o->method.name);
    if (s->stepper)
        return;
    char list[512] = "";
    size_t used = 0;
    for (const HolStepper *const *p = hol_steppers; *p && used + 1 < sizeof list; p++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", (*p)->name);
    hol_error_set(err, HOL_ERR_INPUT, "method '%s' is unknown; there are %s", o->method.name, list);
}

static void alloc_states(HolSim *s) {
    HolArena *a = &s->arena;
    int larger = s->nq > s->nv ? s->nq : s->nv;
    hol_state_alloc(s, &s->prev);
    hol_state_alloc(s, &s->x);
    hol_state_alloc(s, &s->next);
    hol_state_alloc(s, &s->mid);
    hol_state_alloc(s, &s->out);
    s->rhs = HOL_NEW(a, double, s->nv + s->m + s->nw);
    s->r1 = HOL_NEW(a, double, larger + s->m);
    s->r2 = HOL_NEW(a, double, larger + s->m);
    s->r3 = HOL_NEW(a, double, larger + s->m);
    s->f = HOL_NEW(a, double, s->nv);
    s->g = HOL_NEW(a, double, s->m);
    s->gamma = HOL_NEW(a, double, s->m);
    s->reach = HOL_NEW(a, double, 4 * s->nv + 1);
    for (int i = 0; s->reach && i < 4 * s->nv; i++)
        s->reach[i] = 1;
    if (s->nn > 0) {
        s->nonholonomic = HOL_NEW(a, unsigned char, s->m);
        if (s->nonholonomic)
            memset(s->nonholonomic + s->nh, 1, (size_t)s->nn);
    }
}

void hol_driver_limits(HolSim *s) {
    HolControl *c = &s->driver->control;
    hol_control_init(c, &s->o);
    // (switching functions are looked at in some places of a step only)
    if (s->stepper->unlimited && !(s->o.max_step > 0) && !s->p->extras->n_switches)
        c->h_max = 0;
}

static void alloc_driver(HolSim *s) {
    HolArena *a = &s->arena;
    struct HolSimDriver *d = HOL_NEW(a, struct HolSimDriver, 1);
    s->driver = d;
    if (!d)
        return;
    d->last_row = NAN;
    d->coordinate = HOL_NEW(a, int, s->nq);
    d->qd0 = HOL_NEW(a, double, s->nq);
    d->qd1 = HOL_NEW(a, double, s->nq + s->nv);
    d->d = HOL_NEW(a, double, s->nv);
    hol_kinks_create(s);
    hol_sticking_create(s);
    d->n_stop_times = s->o.n_stop_times;
    d->stop_times = HOL_NEW(a, double, d->n_stop_times);
    if (d->stop_times)
        sim_copy(d->stop_times, s->o.stop_times, d->n_stop_times);
    s->o.stop_times = d->stop_times;
    d->adaptive = !(s->o.step > 0);
    hol_driver_limits(s);
}

// two threads where there is enough to share
static void make_team(HolSim *s) {
    int threads = s->o.threads;
    if (threads == 0)
        threads = hol_sim_large(s) && hol_pool_processors() > 1 ? 2 : 1;
    s->pool = threads > 1 ? hol_pool_create(&s->arena, threads) : NULL;
    if (s->pool && s->p->extras->share)
        s->p->extras->share(s->p, s->work, s->pool);
}

// problem, workspace, linear algebra, states; q0 and v0 are filled by the caller afterwards
static HolStatus create_parts(HolSim *s, const HolProblem *p, HolError *err) {
    s->p = hol_problem_complete(&s->arena, p, err);
    if (!s->p)
        return s->arena.failed ? hol_error_set(err, HOL_ERR_MEMORY, "out of memory")
                               : HOL_ERR_INPUT;
    p = s->p;
    s->nq = p->nq;
    s->nv = p->nv;
    s->nh = p->nh;
    s->nn = p->nn;
    s->m = p->nh + p->nn;
    s->nw = p->nw;
    s->work = hol_arena_alloc(&s->arena, p->work_size);
    alloc_states(s);
    alloc_driver(s);
    if (s->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (p->work_init) {
        HolStatus status = p->work_init(p, s->work);
        if (status != HOL_OK)
            return hol_error_set(err, status, "the problem's workspace could not be initialized");
    }
    make_team(s);
    s->mass = hol_sim_kkt(s, &p->M, &p->G, s->nw, 1, s->o.linear_solver);
    if (!s->mass || !hol_project_prepare(s) || !hol_products_prepare(s) ||
        !hol_residual_prepare(s) || s->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return HOL_OK;
}

static HolStatus sim_create(const HolModel *model, const HolProblem *p, const double *q0,
                            const double *v0, const HolSimOptions *o, HolSim **out, HolError *err) {
    HolArena arena = {0};
    HolSimOptions options;
    if (hol_options_take(&options, o, err) != HOL_OK)
        return HOL_ERR_INPUT;
    const HolStatus lapack = hol_lapack_ready(err);
    if (lapack != HOL_OK)
        return lapack;
    HolSim *s = HOL_NEW(&arena, HolSim, 1);
    if (!s)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    s->arena = arena;
    s->model = model;
    s->o = options;
    if (s->o.error.relative > 0)
        s->o.tolerance = s->o.error.relative;
    if (s->o.step > 0 && !(s->o.tolerance > 0)) // (scales of iterations and events)
        s->o.tolerance = hol_sim_options().tolerance;
    if (!s->o.linear_solver[0])
        snprintf(s->o.linear_solver, sizeof s->o.linear_solver, "auto");
    choose_method(&s->o, s, err);
    HolStatus status = s->stepper ? hol_sim_options_check(&s->o, s->stepper, err) : HOL_ERR_INPUT;
    if (status == HOL_OK)
        status = create_parts(s, p, err);
    if (status == HOL_OK) {
        if (model) {
            s->weight_q = HOL_NEW(&s->arena, double, s->nv);
            s->weight_v = HOL_NEW(&s->arena, double, s->nv);
            if (!s->arena.failed)
                hol_model_initial(model, s->x.q, s->x.v, s->weight_q, s->weight_v);
        } else {
            sim_copy(s->x.q, q0, s->nq);
            sim_copy(s->x.v, v0, s->nv);
        }
        s->x.t = s->driver->origin = s->o.start;
        hol_sim_probe(s);
        status = hol_jumps_create(s, err);
        if (status == HOL_OK && (!hol_error_test_create(s) || !hol_events_create(s)))
            status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        if (status == HOL_OK)
            status = hol_clocks_create(s, err);
        if (status == HOL_OK)
            status = s->stepper->create(s, err);
    }
    if (status == HOL_OK && s->arena.failed)
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (status != HOL_OK) {
        hol_sim_destroy(s);
        return status;
    }
    *out = s;
    return HOL_OK;
}

HolStatus hol_sim_create(const HolModel *m, const HolSimOptions *o, HolSim **out, HolError *err) {
    const HolProblem *p = m ? hol_model_problem(m) : NULL;
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the run: out is NULL");
    *out = NULL;
    if (!p)
        return hol_error_set(err, HOL_ERR_INPUT, "the model is not compiled");
    HolStatus status = sim_create(m, p, NULL, NULL, o, out, err);
    for (int i = 0; status == HOL_OK && i < hol_model_remark_count(m); i++)
        hol_note(*out, "%s", hol_model_remark(m, i)->text);
    return status;
}

HolStatus hol_sim_create_problem(const HolProblem *p, const double *q0, const double *v0,
                                 const HolSimOptions *o, HolSim **out, HolError *err) {
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the run: out is NULL");
    *out = NULL;
    if (!p || !q0 || !v0)
        return hol_error_set(err, HOL_ERR_INPUT, "a problem, q0 and v0 are needed");
    return sim_create(NULL, p, q0, v0, o, out, err);
}

HolStatus hol_sim_create_like(const HolSim *like, const HolSimOptions *o, HolSim **out,
                              HolError *err) {
    HolSimOptions options = *o;
    options.start = like->x.t;
    const HolStatus status =
        sim_create(like->model, like->p, like->x.q, like->x.v, &options, out, err);
    if (status == HOL_OK && like->model) {
        sim_copy((*out)->x.q, like->x.q, like->nq);
        sim_copy((*out)->x.v, like->x.v, like->nv);
    }
    return status;
}

HolStatus hol_sim_create_twin(const HolSim *like, HolSim **out, HolError *err) {
    return sim_create(like->model, like->p, like->x.q, like->x.v, &like->o, out, err);
}

static void note_text(void *to, const char *text) {
    hol_note(to, "%s", text);
}

HolStatus hol_sim_assemble(HolSim *s, HolError *err) {
    hol_error_clear(err);
    if (!s)
        return hol_no_run(err);
    if (s->assembled)
        return HOL_OK;
    if (s->p->extras->begin)
        s->p->extras->begin(s->p, s->work, s->x.t, s->x.q, note_text, s);
    HolStatus status = hol_assemble(s, err);
    if (status == HOL_OK && strcmp(s->o.start_at, "equilibrium") == 0)
        status = hol_start_at_equilibrium(s, err);
    if (status != HOL_OK) {
        s->assembled = 0;
        hol_start_failed(s, err);
        return status;
    }
    hol_state_copy(s, &s->prev, &s->x);
    hol_track_start(s);
    s->assembled = 1;
    return HOL_OK;
}

// ---- looking at a run ----

double hol_sim_time(const HolSim *s) {
    return s ? s->x.t : 0;
}

void hol_sim_view_sized(HolSim *s, HolView *out, size_t room) {
    HolView view = {0};
    if (s) {
        hol_fill(s, &s->x); // lambda, where no one asked for it so far
        view = (HolView){.t = s->x.t,
                         .h = s->stats.h_last,
                         .nq = s->nq,
                         .nv = s->nv,
                         .m = s->m,
                         .nw = s->nw,
                         .q = s->x.q,
                         .v = s->x.v,
                         .a = s->x.a,
                         .lambda = s->x.lambda,
                         .w = s->x.w};
    }
    hol_sized_give(out, room, &view, sizeof view);
}

static HolStats gather_stats(const HolSim *s) {
    HolStats stats = s->stats;
    if (s->n_contractions == 0)
        stats.contraction = stats.contraction_most = NAN;
    if (stats.h_min == 0) // all were cut to hit a time
        stats.h_min = stats.h_max;
    const HolKkt *systems[2] = {s->mass, s->implicit};
    for (int i = 0; i < 2; i++) {
        if (!systems[i])
            continue;
        HolKktStats k = hol_kkt_stats(systems[i]);
        stats.regularized += k.regularized;
        if (k.growth > stats.kkt_growth)
            stats.kkt_growth = k.growth;
    }
    hol_run_warnings(s, &stats);
    snprintf(stats.method, sizeof stats.method, "%s", s->stepper->name);
    if (s->choice)
        snprintf(stats.choice, sizeof stats.choice, "%s", s->choice->why);
    return stats;
}

void hol_sim_stats_sized(const HolSim *s, HolStats *out, size_t room) {
    const HolStats stats = s ? gather_stats(s) : (HolStats){0};
    hol_sized_make(out, room, &stats, sizeof stats);
}

void hol_sim_stop_flag(HolSim *s, const volatile int *flag) {
    if (s)
        s->stop_flag = flag;
}

void hol_sim_destroy(HolSim *s) {
    if (!s)
        return;
    for (int i = 0; s->choice && i < 2; i++) // of the candidates, one of which is at work
        if (s->choice->memory[i] && s->choice->memory[i] != s->method &&
            s->choice->stepper[i]->destroy) {
            const HolStepper *stepper = s->stepper;
            void *method = s->method;
            s->stepper = s->choice->stepper[i];
            s->method = s->choice->memory[i];
            s->stepper->destroy(s);
            s->stepper = stepper;
            s->method = method;
        }
    if (s->stepper && s->method && s->stepper->destroy)
        s->stepper->destroy(s);
    if (s->choice)
        hol_rates_destroy(s->choice->rates);
    if (s->mass)
        hol_kkt_destroy(s->mass);
    if (s->implicit)
        hol_kkt_destroy(s->implicit);
    hol_kkt_destroy(s->reported);
    hol_pool_destroy(s->pool);
    HolArena arena = s->arena; // the run itself lives in its arena
    hol_arena_free(&arena);
}
