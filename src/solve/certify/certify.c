// SPDX-License-Identifier: Apache-2.0
// Two runs in step, and which two; see certify.h.
//   tolerance T          b: the model's method at T/10, a: another method, or the same one, at T
//   accuracy A           b at A/30, a at A/3; while A < E: both times A/(3 E), at most three times
//   fixed step h         b at h/2, a at h; with an accuracy: halved on
// a goes only as far as the next row of b needs, so that its dense output gives the same times, and
// no row has to be kept. What decides is counted in steps, never in time: the same run gives the
// same bits.
#include "solve/certify/certify.h"
#include "base/sized.h"
#include "model/model.h"
#include "solve/auto/auto.h"
#include "solve/event/event.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LEAST_TOLERANCE = 1e-13;
static const double COARSER = 10; // tolerance of a, by that of b
enum { MOST_PAIRS = 4, MOST_PARTNERS = 4, MOST_HALVINGS = 4 };

// The certificate that is handed out, with what belongs to it
typedef struct Owned {
    HolCertificate z; // first: the pointer to it is the pointer to all
    HolArena arena;
    HolSimOptions options, second; // z points to them
} Owned;

typedef struct Pair {
    HolCertificate *z;
    const HolCertifyObserver *observer;
    const HolModel *model;
    HolCompare compare;
    HolSim *b, *a;
    double *row, *bounds; // of the results, where all columns are compared
    HolError problem;     // of a
    int others;           // 1: there are other methods to try in place of a
    int abandoned;        // 1: a has failed, and the next one is tried
} Pair;

// ---- which methods ----

// Of other origin than the method of b, the cheaper one first; beside radau the other one for stiff forces
static int list_partners(const HolSim *b, const char *list[MOST_PARTNERS]) {
    static const char *const methods[] = {"taylor", "rk853", "radau", "tangent"};
    static const char *const stiff[] = {"tangent", "taylor", "rk853", "radau"};
    const int of_radau = strcmp(b->stepper->name, "radau") == 0;
    int n = 0;
    if (b->o.step > 0)
        return 0;
    for (int i = 0; i < 4; i++)
        if (strcmp((of_radau ? stiff : methods)[i], b->stepper->name) != 0)
            list[n++] = (of_radau ? stiff : methods)[i];
    return n;
}

// the tolerance of a run, with an absolute error that goes with it
static void set_tolerance(HolSimOptions *o, double tolerance) {
    o->error.absolute *= tolerance / o->tolerance;
    o->tolerance = tolerance;
}

// the options of a: another method with its own defaults, or (NULL) the same one, coarser
static HolSimOptions second_options(const HolSimOptions *b, const char *method) {
    HolSimOptions o = *b;
    if (b->step > 0) {
        o.step = 2 * b->step;
        return o;
    }
    set_tolerance(&o, COARSER * b->tolerance);
    if (method) {
        o.method = hol_sim_options().method;
        snprintf(o.method.name, sizeof o.method.name, "%s", method);
    }
    return o;
}

// a that needs so many more steps is not cheap: the forces are stiff for it
static int is_lame(const Pair *p) {
    const HolStats *a = &p->a->stats, *b = &p->b->stats;
    // (steps of radau are long and dear: those of tangent beside it are many by nature)
    const long most = strcmp(p->b->stepper->name, "radau") == 0 ? 40 : 4;
    return p->others && a->steps + a->rejected > most * (b->steps + b->rejected) + 100;
}

// ---- a pair of runs ----

// a fails: another one begins from the start, or nothing is bounded from here on
static HolStatus partner_failed(Pair *p, HolStatus status) {
    if (status == HOL_ERR_MEMORY) // says nothing about the results
        return status;
    p->abandoned = p->others;
    p->compare.over = 1;
    return p->abandoned ? HOL_INTERRUPTED : HOL_OK;
}

// a up to the time of a row of b
static HolStatus certify_follow(Pair *p, double t) {
    HolSim *a = p->a;
    HolStatus status = HOL_OK;
    const double slack = 4 * DBL_EPSILON * fmax(fabs(t), fabs(a->o.end));
    while (!status && a->x.t < t - slack && !is_lame(p)) {
        const double before = a->x.t;
        status = hol_sim_step(a, a->o.end, &p->problem);
        if (!status && !(a->x.t > before))
            break;
    }
    if (status == HOL_INTERRUPTED)
        return status;
    return status || is_lame(p) ? partner_failed(p, status) : HOL_OK;
}

static HolStatus certify_tell_row(Pair *p, HolError *err) {
    const HolCertifyObserver *o = p->observer;
    const HolCompare *c = &p->compare;
    const HolModel *m = p->model;
    if (!o->row)
        return HOL_OK;
    if (!o->all)
        return o->row(o->user, c->row, c->bound, NULL, err);
    hol_select_columns(m, c->row, p->row);
    hol_select_columns(m, c->bound, p->bounds);
    return o->row(o->user, p->row, p->bounds, c->row, err);
}

// b stands at an event, before or behind it; that of a is next to here
static int at_event(const HolSim *b, double t) {
    return b->events && t == b->x.t && (b->events->pending || b->events->last_time == t);
}

static HolStatus pair_row(Pair *p, double t, HolError *err) {
    HolCompare *c = &p->compare;
    HolStatus status = hol_sim_row_of(p->b, t, c->list, c->n, c->row, err);
    if (!status && !c->over)
        status = certify_follow(p, t);
    if (!status && !c->over) {
        // times that differ by round-off are the same
        const double near = fmin(fmax(t, p->a->prev.t), p->a->x.t);
        const int left = p->b->driver->rows_before, jump = left || hol_sim_jump(p->b, t);
        // left with left, right with right; a that jumps at another instant has no such row
        c->apart = at_event(p->b, t) ? 2 : jump && !hol_sim_jump(p->a, near);
        hol_sim_rows_before(p->a, left);
        const HolStatus other = hol_sim_row_of(p->a, near, c->list, c->n, c->other, &p->problem);
        if (other)
            status = partner_failed(p, other);
        hol_sim_rows_before(p->a, 0);
    }
    if (status == HOL_ERR_MEMORY)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    if (status)
        return status;
    if (!hol_compare_row(c, p->b, t))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    return certify_tell_row(p, err);
}

static HolStatus pair_observer(void *user, HolSim *s, int what, double t, HolError *err) {
    Pair *p = user;
    if (p->abandoned)
        return HOL_OK;
    if (what == HOL_AT_ROW)
        return pair_row(p, t, err);
    if (what == HOL_AT_EVENT)
        return p->observer->event ? p->observer->event(p->observer->user, s, t, err) : HOL_OK;
    return p->observer->step ? p->observer->step(p->observer->user, s, t, err) : HOL_OK;
}

// a run of these options, assembled; NULL with a status
static HolStatus make_run(const Pair *p, const HolSimOptions *o, HolSim **out, HolError *err) {
    HolStatus status = hol_sim_create(p->model, o, out, err);
    if (status)
        return status;
    hol_sim_stop_flag(*out, p->observer->stop);
    status = hol_sim_assemble(*out, err);
    if (status) {
        hol_sim_destroy(*out);
        *out = NULL;
    }
    return status;
}

static void end_run(HolCertificate *z, HolSim **s) {
    if (*s) {
        z->cpu_seconds += (*s)->stats.cpu_seconds;
        z->runs++;
    }
    hol_sim_destroy(*s);
    *s = NULL;
}

// b, which exists, beside a of this method
static HolStatus run_beside(Pair *p, Owned *owned, HolError *err) {
    const HolCertifyObserver *o = p->observer;
    const int all = o->all;
    const double tolerance = owned->second.step > 0 ? 0 : owned->second.tolerance;
    if (!hol_compare_init(&p->compare, &owned->arena, p->b, tolerance, all))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    p->row = HOL_NEW(&owned->arena, double, hol_model_column_count(p->model));
    p->bounds = HOL_NEW(&owned->arena, double, hol_model_column_count(p->model));
    if (owned->arena.failed)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    p->abandoned = 0;
    p->compare.over = p->a == NULL;
    hol_compare_unique(&p->compare, p->b);
    HolStatus status = o->begin ? o->begin(o->user, p->b, &p->b->o, err) : HOL_OK;
    if (!status)
        status = hol_sim_run(p->b, p->b->o.end, pair_observer, p, err);
    return status;
}

static void note_problem(const Pair *p, const HolSimOptions *second) {
    if (p->problem.text[0])
        hol_add_line(p->b->stats.note, sizeof p->b->stats.note, "second run, by %s: %.160s",
                     second->method.name, p->problem.text);
}

// one pair with these options of b: other methods in turn, the same one last
static HolStatus run_pair(Pair *p, Owned *owned, const HolSimOptions *o, HolError *err) {
    const char *list[MOST_PARTNERS] = {0};
    HolStatus status = HOL_OK;
    int n = 0;
    for (int i = 0; i <= n; i++) {
        end_run(p->z, &p->b);
        end_run(p->z, &p->a);
        if ((status = make_run(p, o, &p->b, err)))
            return status;
        // (a start that fails does so again in the run, which reports it)
        if (i == 0 && !hol_sim_assemble(p->b, NULL) && !hol_auto_choose(p->b, NULL))
            n = list_partners(p->b, list);
        const HolSimOptions second = second_options(o, i < n ? list[i] : NULL);
        p->problem.text[0] = 0;
        p->others = i < n;
        const HolStatus made = make_run(p, &second, &p->a, &p->problem);
        if (made == HOL_ERR_MEMORY)
            return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
        if (made && p->others)
            continue;
        owned->options = *o;
        owned->second = second;
        status = run_beside(p, owned, err);
        if (!p->abandoned) {
            note_problem(p, &second);
            break;
        }
    }
    hol_certificate_fill(p->z, &p->compare, o->start, p->b->x.t);
    return status;
}

// ---- which tolerances ----

static HolSimOptions first_options(const HolSimOptions *o) {
    HolSimOptions b = *o;
    if (b.error.relative > 0) // is the tolerance
        b.tolerance = b.error.relative;
    b.error.relative = 0;
    if (o->step > 0)
        b.step = o->step / 2;
    else if (o->accuracy > 0)
        set_tolerance(&b, fmax(o->accuracy / (3 * COARSER), LEAST_TOLERANCE));
    else
        set_tolerance(&b, fmax(b.tolerance / COARSER, LEAST_TOLERANCE));
    return b;
}

// the next pair of an accuracy that was not reached, and the E before; 0: there is none
static int tighten(HolSimOptions *b, const HolCertificate *z, double before) {
    const double E = fmin(z->reached, 1);
    const int follows = E < 0.5 * before; // the bound follows the steps
    double factor = fmax(1e-5, z->accuracy / (3 * E));
    if (z->reached <= z->accuracy)
        return 0;
    if (b->step > 0 && follows) {
        // by the order that the last two pairs show; of second order without one
        const double order = isfinite(before) ? fmin(fmax(log2(before / E), 1), 8) : 2;
        const int halvings = (int)fmin(ceil(-log2(factor) / order), MOST_HALVINGS);
        b->step = ldexp(b->step, -(halvings > 1 ? halvings : 1));
        return 1;
    }
    if (b->step > 0 || !(b->tolerance > 1.01 * LEAST_TOLERANCE))
        return 0;
    factor *= follows ? 1 : 0.1;
    set_tolerance(b, fmax(LEAST_TOLERANCE, b->tolerance * fmin(factor, 0.3)));
    return 1;
}

static int is_failure(HolStatus status) {
    return status == HOL_ERR_STEP || status == HOL_ERR_CONVERGE || status == HOL_ERR_SINGULAR;
}

static HolStatus run_pairs(Pair *p, Owned *owned, const HolSimOptions *o, HolError *err) {
    HolSimOptions b = first_options(o);
    HolStatus status = run_pair(p, owned, &b, err);
    double before = INFINITY;
    if (is_failure(status) && p->b && p->b->x.t > o->start) { // what was asked for may be possible
        b.step *= 2;
        set_tolerance(&b, COARSER * b.tolerance);
        status = run_pair(p, owned, &b, err);
    }
    for (int i = 1; !status && p->z->accuracy > 0 && i < MOST_PAIRS; i++) {
        const double reached = fmin(p->z->reached, 1);
        if (!tighten(&b, p->z, before))
            break;
        before = reached;
        status = run_pair(p, owned, &b, err);
    }
    if (!status && p->z->accuracy > 0 && !(p->z->reached <= p->z->accuracy))
        status = HOL_INACCURATE;
    return status;
}

void hol_certify_observer_sized(HolCertifyObserver *out, size_t room) {
    const HolCertifyObserver observer = {0};
    hol_sized_make(out, room, &observer, sizeof observer);
}

// what the program gives, as the library knows it
static HolStatus certify_take(const HolModel *m, const HolSimOptions *o, HolSimOptions *options,
                              const HolCertifyObserver *from, HolCertifyObserver *observer,
                              HolError *err) {
    HolError problem;
    if (!m || !hol_model_problem(m))
        return hol_error_set(err, HOL_ERR_INPUT, "the model is not compiled");
    *observer = hol_certify_observer();
    if (from && hol_sized_take(observer, sizeof *observer, from, "hol_certify_observer",
                               &problem) != HOL_OK)
        return hol_error_set(err, HOL_ERR_INPUT, "HolCertifyObserver: %s", problem.text);
    return hol_options_take(options, o, err);
}

HolStatus hol_certify(const HolModel *m, const HolSimOptions *o, const HolCertifyObserver *from,
                      HolCertificate **out, HolError *err) {
    HolCertifyObserver observer;
    HolSimOptions options;
    HolArena arena = {0};
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the certificate");
    *out = NULL;
    HolStatus status = certify_take(m, o, &options, from, &observer, err);
    if (status)
        return status;
    Owned *owned = HOL_NEW(&arena, Owned, 1);
    Pair *p = HOL_NEW(&arena, Pair, 1);
    if (!owned || !p) {
        hol_arena_free(&arena);
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    }
    owned->arena = arena;
    owned->z.accuracy = options.accuracy;
    owned->z.options = &owned->options;
    owned->z.second = &owned->second;
    owned->z.reached = INFINITY;
    *p = (Pair){.z = &owned->z, .observer = &observer, .model = m};
    status = run_pairs(p, owned, &options, err);
    end_run(&owned->z, &p->a);
    owned->z.sim = p->b;
    if (!p->b) {
        hol_certificate_destroy(&owned->z);
        return status;
    }
    owned->z.cpu_seconds += p->b->stats.cpu_seconds;
    owned->z.runs++;
    *out = &owned->z;
    return status;
}

void hol_certificate_destroy(HolCertificate *z) {
    if (!z)
        return;
    hol_sim_destroy(z->sim);
    HolArena arena = ((Owned *)z)->arena; // it lives in its arena
    hol_arena_free(&arena);
}
