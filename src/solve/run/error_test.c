// SPDX-License-Identifier: Apache-2.0
// One error test for all methods (docs/theory/error-control.md, section 11). A candidate is
// accepted when
//   max( max_i |eq_i|/Sq_i , max_i |ev_i|/Sv_i ) <= tolerance min(1, c share)
//   share = max(LEAST, hbar/T),  hbar = min(10 h, (t - start + 5 h)/(N + 5))
// eq, ev: local errors of positions and velocities, T: duration of the run, N: accepted steps so
// far, c: a constant of the method. Local errors add up: a step gets the part of the tolerance that
// the mean step is of the run, so that all use the same and their sum is the tolerance.
//
// Scales. L is the length of the largest link (model/extent.c), V_b, W_b the largest speed and rate
// of a body so far, both ends of the candidate included, U the largest of all V_b and L W_b.
//   positions   Sq = L (nothing below round-off is asked far from the origin), angles 1
//   velocities  Sv = max(V_b, SLOW U), rates about each axis of a body max(W_b, SLOW U / L)
//   scalars     their own largest values so far, at least a part of the largest of all
//   states      the same; they are velocities of coordinates that are not tested
// From rest, speeds at the end of the candidate are those of the next instant: they count as if
// they went on growing for SOON of the run. (What a method does wrong in its first step is a
// constant part of the speed gained in it, however short it is. The part of the tolerance that this
// gives away is about SOON.) What a rate of a state has grown by goes on growing, too: a state that
// follows speeds grows as the square of time. In a free part (bodies joined to each other, not to the ground) V_b
// counts from its centre of mass, so that vibrations of what travels keep their digits; at least
// TRAVEL of that speed. With the option `error.absolute` Sq, Sv are own largest values, at least
// absolute/relative.
#include "solve/run/error_test.h"

#include "base/thread_pool.h"
#include "math/simd.h"
#include "model/extent.h"
#include "solve/constraint/project.h"
#include "solve/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SLOW = 0.01;     // speeds below this part of U are not resolved
static const double TRAVEL = 1e-3;   // the same of the speed of a free part
static const double LEAST = 1e-3;    // smallest share: kinks and whips would ask for h -> 0
static const double NOISE = 64;      // positions are not asked below so many units of round-off
static const double STILL = 1e-4;    // of L/T: speeds below are none
static const double SMALL = 1e-3;    // scalars below this part of the largest are not resolved
static const double NOTHING = 1e-12; // states below are none
static const double SOON = 1e-3;     // of T: motion from rest is expected to go on for so long
static const double REFRESH = 1.25;  // growth of speeds after which `fast` is made anew

// ---- memory ----

// a C user's problem: each velocity coordinate for itself
static void single_groups(const HolSim *s, HolErrorTest *e) {
    for (int i = 0; i < s->nv; i++)
        e->group[i] = (HolGroup){i, -1, 1, i, 0, HOL_GROUP_SCALAR, 0, 0, 0};
    for (int k = 0; k < s->nq; k++)
        if (s->driver->coordinate[k] >= 0)
            e->group[s->driver->coordinate[k]].q = k;
    e->n_groups = s->nv;
}

static double *new_array(HolSim *s, int n) {
    return HOL_NEW(&s->arena, double, n + HOL_LANES);
}

// places and angles that round-off is measured by
static void find_grain(HolSim *s) {
    HolErrorTest *e = s->test;
    for (int i = 0; i < e->n_groups; i++) {
        const HolGroup *g = &e->group[i];
        if (g->kind == HOL_GROUP_TRANSLATION)
            e->far = fmax(e->far, hol_max_abs(s->x.q + g->q, g->n));
        else if (g->kind == HOL_GROUP_ROTATION && g->q >= 0)
            e->turned = fmax(e->turned, fabs(s->x.q[g->q]));
    }
    e->grain = 1 + fmax(e->far / e->length, e->turned);
}

// sizes in which linear algebra compares quantities of different units
static void set_reach(HolSim *s) {
    for (int i = 0; i < s->nv; i++)
        for (int k = 0; k < 2; k++) { // (systems of positions and velocities have both)
            s->reach[i + k * s->nv] = 1 / s->test->near[i];
            s->reach[i + (k + 2) * s->nv] = s->test->near[i];
        }
}

int hol_error_test_create(HolSim *s) {
    const HolModel *m = s->model;
    const int bodies = m ? m->def.n_bodies : s->nv, groups = m ? 4 * m->def.n_bodies : s->nv + 1;
    HolErrorTest *e = s->test = HOL_NEW(&s->arena, HolErrorTest, 1);
    int *part = m ? HOL_NEW(&s->arena, int, 2 * m->def.n_bodies) : NULL;
    if (s->arena.failed)
        return 0;
    e->group = HOL_NEW(&s->arena, HolGroup, groups);
    e->q = new_array(s, s->nv);
    e->v = new_array(s, s->nv);
    e->near = new_array(s, s->nv);
    e->fast = new_array(s, s->nv);
    e->row = new_array(s, s->m);
    double **by_body[] = {&e->body.place,     &e->body.angle,      &e->body.speed,
                          &e->body.rate,      &e->body.turning[0], &e->body.turning[1],
                          &e->body.turning[2]};
    for (size_t k = 0; k < sizeof by_body / sizeof *by_body; k++)
        *by_body[k] = new_array(s, bodies);
    double **by_group[] = {&e->speed, &e->seen,       &e->size,     &e->size_seen,
                           &e->drift, &e->drift_seen, &e->rest_rate};
    for (size_t k = 0; k < sizeof by_group / sizeof *by_group; k++)
        *by_group[k] = new_array(s, groups);
    if (s->arena.failed)
        return 0;
    if (m)
        e->n_groups = hol_model_groups(m, part, e->group, &e->n_parts);
    else
        single_groups(s, e);
    e->travel = new_array(s, 4 * (e->n_parts + 1));
    e->length = m ? hol_model_length(m, s->work, s->x.t, s->x.q) : 0;
    if (!(e->length > 0))
        e->length = 1;
    for (int i = 0; i < s->nv; i++)
        e->q[i] = e->v[i] = e->near[i] = e->fast[i] = 1;
    for (int i = 0; i < s->m; i++)
        e->row[i] = 1;
    for (int g = 0; g < e->n_groups; g++)
        for (int k = 0; e->group[g].kind == HOL_GROUP_TRANSLATION && k < e->group[g].n; k++)
            e->q[e->group[g].v + k] = e->near[e->group[g].v + k] = 1 / e->length;
    set_reach(s);
    find_grain(s);
    return !s->arena.failed;
}

// ---- scales ----

// velocity of the centre of mass of each free part
static void find_travel(HolErrorTest *e, const double *v) {
    memset(e->travel, 0, sizeof *e->travel * 4 * (size_t)(e->n_parts + 1));
    for (int i = 0; i < e->n_groups; i++) {
        const HolGroup *g = &e->group[i];
        double *sum = e->travel + 4 * g->part;
        if (g->part == 0 || g->kind != HOL_GROUP_TRANSLATION)
            continue;
        for (int k = 0; k < g->n; k++)
            sum[k] += g->mass * v[g->v + k];
        sum[3] += g->mass;
    }
    for (int p = 1; p <= e->n_parts; p++)
        for (int k = 0; k < 3; k++)
            e->travel[4 * p + k] /= e->travel[4 * p + 3] > 0 ? e->travel[4 * p + 3] : 1;
}

// square of what state g would gain until SOON, where its rate goes on changing as it did from rest
static double gain_ahead(const HolErrorTest *e, int i, const HolState *x, double growth) {
    if (e->group[i].kind != HOL_GROUP_STATE || !(growth > 1) || !x->a || x->bare)
        return 0;
    const double gain = 0.5 * SOON * e->span * (x->a[e->group[i].v] - e->rest_rate[i]);
    return growth * gain * gain;
}

// speeds and sizes with those of x, as they would be later (sizes grow as squares of time, speeds
// as the root of `growth`); 1: some of them grew
static int error_test_look(HolErrorTest *e, const HolState *x, double growth, int sizes) {
    int grew = 0;
    if (e->n_parts > 0)
        find_travel(e, x->v);
    for (int i = 0; i < e->n_groups; i++) {
        const HolGroup *g = &e->group[i];
        const double *v = x->v + g->v, *travel = e->travel + 4 * g->part;
        double sum = 0, drift = 0, size = 0;
        if (g->part > 0 && g->kind == HOL_GROUP_TRANSLATION) {
            for (int k = 0; k < g->n; k++) {
                sum += (v[k] - travel[k]) * (v[k] - travel[k]);
                drift += travel[k] * travel[k];
            }
        } else {
            for (int k = 0; k < g->n; k++)
                sum += v[k] * v[k];
        }
        if ((sizes || g->kind == HOL_GROUP_SCALAR) && g->q >= 0)
            size = growth * hol_max_abs(x->q + g->q, g->n);
        sum = fmax(sum * growth, gain_ahead(e, i, x, growth));
        grew |= sum > e->speed[i] || drift > e->drift[i] || size > e->size[i];
        e->seen[i] = sum > e->speed[i] ? sum : e->speed[i];
        e->drift_seen[i] = drift > e->drift[i] ? drift : e->drift[i];
        e->size_seen[i] = size > e->size[i] ? size : e->size[i];
    }
    return grew;
}

typedef struct Largest {
    double speed;                // U
    double scalar, scalar_speed; // of scalar coordinates
} Largest;

static Largest find_largest(const HolErrorTest *e) {
    Largest most = {0};
    double speed = 0, scalar = 0;
    for (int i = 0; i < e->n_groups; i++) {
        const double v = e->seen[i];
        switch (e->group[i].kind) {
        case HOL_GROUP_TRANSLATION:
            speed = v > speed ? v : speed;
            break;
        case HOL_GROUP_ROTATION:
            speed = e->length * e->length * v > speed ? e->length * e->length * v : speed;
            break;
        case HOL_GROUP_SCALAR:
            scalar = v > scalar ? v : scalar;
            most.scalar = e->size_seen[i] > most.scalar ? e->size_seen[i] : most.scalar;
            break;
        case HOL_GROUP_STATE:
        case HOL_GROUP_PARAMETER:
            break;
        }
    }
    most.speed = fmax(sqrt(speed), STILL * e->length / e->span);
    most.scalar_speed = sqrt(scalar);
    return most;
}

typedef struct Scales {
    double q, v;
} Scales;

static Scales group_scales(const HolSim *s, const HolErrorTest *e, int i, const Largest *most) {
    const double speed = sqrt(e->seen[i]), L = e->length;
    Scales a = {1, speed};
    if (s->o.error.absolute > 0) {
        const double least = s->o.error.absolute / s->o.tolerance;
        if (e->group[i].kind == HOL_GROUP_STATE)
            return (Scales){INFINITY, fmax(speed, least)};
        return (Scales){fmax(e->size_seen[i], least), fmax(speed, least)};
    }
    switch (e->group[i].kind) {
    case HOL_GROUP_TRANSLATION:
        a.q = fmax(L, NOISE * DBL_EPSILON * e->far / s->o.tolerance);
        a.v = fmax(fmax(speed, SLOW * most->speed), TRAVEL * sqrt(e->drift_seen[i]));
        break;
    case HOL_GROUP_ROTATION:
        a.v = fmax(speed, SLOW * most->speed / L);
        break;
    case HOL_GROUP_SCALAR:
        a.q = most->scalar > 0 ? fmax(e->size_seen[i], SMALL * most->scalar) : 1;
        a.v = fmax(fmax(speed, SLOW * most->scalar_speed), STILL * a.q / e->span);
        break;
    case HOL_GROUP_STATE: // the velocity of a hidden coordinate, whose position means nothing
        a = (Scales){INFINITY, fmax(speed, NOTHING)};
        break;
    case HOL_GROUP_PARAMETER: // of a curve, which its joint gives: what its body moves, seen along it
        a.q = e->group[i].span;
        a.v = fmax(speed, SLOW * most->speed / L * a.q);
        break;
    }
    return a;
}

static void set_body(HolErrorTest *e, const HolGroup *g, double q, double v) {
    if (g->kind == HOL_GROUP_ROTATION) {
        double *rate = &e->body.rate[g->body];
        e->body.angle[g->body] = q;
        e->body.turning[g->axis][g->body] = v;
        *rate = g->axis == 0 ? v : fmin(*rate, v);
    } else {
        e->body.place[g->body] = q;
        e->body.speed[g->body] = v;
    }
}

static void error_test_set_scales(HolSim *s, const Largest *most) {
    HolErrorTest *e = s->test;
    const int velocities = s->o.error.velocities;
    for (int i = 0; i < e->n_groups; i++) {
        const HolGroup *g = &e->group[i];
        const Scales a = group_scales(s, e, i, most);
        const int state = g->kind == HOL_GROUP_STATE;
        const double q = 1 / a.q, v = velocities || state ? 1 / a.v : 0;
        const double near = state                         ? (a.v > NOTHING ? v : 1)
                            : g->kind != HOL_GROUP_SCALAR ? q
                            : most->scalar > 0            ? 1 / most->scalar
                                                          : 1;
        for (int k = 0; k < g->n; k++) {
            e->q[g->v + k] = q;
            e->v[g->v + k] = v;
            e->near[g->v + k] = near;
            if (state)
                e->fast[g->v + k] = v;
        }
        set_body(e, g, q, v);
    }
}

static void set_fast(HolErrorTest *e, const Largest *most) {
    if (e->fast_most > 0 && most->speed <= REFRESH * e->fast_most &&
        most->scalar_speed <= REFRESH * e->fast_scalar)
        return;
    e->fast_most = most->speed;
    e->fast_scalar = most->scalar_speed;
    for (int i = 0; i < e->n_groups; i++) {
        const HolGroup *g = &e->group[i];
        const double scale = g->kind == HOL_GROUP_SCALAR      ? most->scalar_speed
                             : g->kind == HOL_GROUP_ROTATION  ? most->speed / e->length
                             : g->kind == HOL_GROUP_PARAMETER ? most->speed / e->length * g->span
                                                              : most->speed;
        for (int k = 0; k < g->n && g->kind != HOL_GROUP_STATE; k++)
            e->fast[g->v + k] = scale > 0 ? 1 / scale : e->q[g->v + k] * e->span;
    }
}

static void error_test_swap(double **a, double **b) {
    double *kept = *a;
    *a = *b;
    *b = kept;
}

void hol_error_test_candidate(HolSim *s, const HolState *x) {
    HolErrorTest *e = s->test;
    const double since = fabs(x->t - e->rest), soon = SOON * e->span;
    const double growth = since < soon && since > 0 ? soon / since : 1;
    const int grew = error_test_look(e, x, growth * growth, s->o.error.absolute > 0);
    // (taylor's candidates are what is accepted, others are projected before)
    e->looked_at = growth > 1 || e->at_rest || !(s->stepper->unlimited || x->bare) ? NAN : x->t;
    if (!grew && !e->with_candidate)
        return;
    const Largest most = find_largest(e);
    error_test_set_scales(s, &most);
    e->with_candidate = grew;
    e->speed_seen = most.speed;
    e->scalar_seen = most.scalar_speed;
}

static void set_rest(HolErrorTest *e, const HolState *x) {
    e->rest = x->t;
    for (int i = 0; i < e->n_groups; i++)
        e->rest_rate[i] = x->a[e->group[i].v];
}

static void error_test_keep(HolErrorTest *e, const Largest *most) {
    e->most = most->speed;
    set_fast(e, most);
    e->with_candidate = 0;
    error_test_swap(&e->speed, &e->seen);
    error_test_swap(&e->size, &e->size_seen);
    error_test_swap(&e->drift, &e->drift_seen);
}

void hol_error_test_accept(HolSim *s) {
    HolErrorTest *e = s->test;
    enum { EVERY = 8 };
    const double far = e->far;
    if (!s->stepper->unlimited || s->stats.steps % EVERY == 0)
        find_grain(s);
    if (e->looked_at == s->x.t && e->far == far) { // the scales are those of this state already
        if (e->with_candidate)
            error_test_keep(e, &(Largest){.speed = e->speed_seen, .scalar_speed = e->scalar_seen});
        return;
    }
    const int grew = error_test_look(e, &s->x, 1, s->o.error.absolute > 0);
    const int noisy = e->far > far && NOISE * DBL_EPSILON * e->far > e->length * s->o.tolerance;
    if (e->at_rest && !grew)
        set_rest(e, &s->x);
    e->at_rest &= !grew;
    if (!grew && !e->with_candidate && !noisy)
        return;
    const Largest most = find_largest(e);
    error_test_set_scales(s, &most);
    error_test_keep(e, &most);
}

void hol_error_test_rows(HolSim *s) {
    HolErrorTest *e = s->test;
    const HolPattern *G = &s->p->G;
    double *value = hol_kkt_G(s->mass);
    if (s->m == 0)
        return;
    s->p->jacobian(s->p, s->work, HOL_AT(&s->x), value);
    e->tightest = INFINITY;
    for (int j = 0; j < s->m; j++) {
        double most = 0;
        for (int k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            most = fmax(most, fabs(value[k]) / e->near[G->idx[k]]);
        e->row[j] = most > 0 && isfinite(most) ? 1 / most : 1;
        e->tightest = fmin(e->tightest, 1 / e->row[j]);
    }
}

void hol_error_test_start(HolSim *s) {
    HolErrorTest *e = s->test;
    e->start = s->x.t;
    e->span = fabs(s->o.end - s->x.t);
    const double known = s->model ? hol_model_length(s->model, s->work, s->x.t, s->x.q) : 0,
                 way = hol_max_abs(s->x.v, s->nv) * e->span;
    e->length = known > 0 ? known : way > (s->model ? HOL_NO_LENGTH : 0) ? way : 1;
    set_rest(e, &s->x);
    e->at_rest = hol_max_abs(s->x.v, s->nv) == 0;
    if (!(e->span > 0))
        e->span = 1;
    hol_error_test_accept(s);
    // (also where nothing grew: all at rest)
    error_test_look(e, &s->x, 1, s->o.error.absolute > 0);
    const Largest most = find_largest(e);
    e->most = most.speed;
    error_test_set_scales(s, &most);
    set_fast(e, &most);
    set_reach(s);
    hol_error_test_rows(s);
}

// ---- the test ----

double hol_error_limit(const HolSim *s, double h, double c) {
    HolErrorTest *e = s->test;
    const double gone = s->x.t - e->start, steps = fmax(0, (double)(s->stats.steps - e->apart));
    const double mean = fmin(10 * h, (gone + 5 * h) / (steps + 5));
    e->share = e->whole ? 1 : fmin(1, c * fmax(LEAST, fabs(mean) / e->span));
    return s->o.tolerance * e->share;
}

typedef struct Weighted {
    const double *x, *weight;
    int n;
    double most[2];
} Weighted;

HOL_WIDE static double error_test_four_wide(const double *x, const double *weight, int n) {
    HolLanes most = {0}, a = {0}, b = {0};
    int i = 0;
    for (; i + HOL_LANES <= n; i += HOL_LANES) {
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, weight + i, sizeof b);
        most = lanes_larger(most, lanes_abs(a * b));
    }
    double rest[2 * HOL_LANES] = {most[0], most[1], most[2], most[3]};
    for (int k = HOL_LANES; i < n; i++, k++)
        rest[k] = x[i] * weight[i];
    return hol_max_abs(rest, 2 * HOL_LANES);
}

double hol_largest_over(const double *x, const double *reciprocals, int n) {
    return error_test_four_wide(x, reciprocals, n);
}

static void weighted_half(void *context, int part) {
    Weighted *a = context;
    const int first = hol_share_begin(a->n, 2, part), end = hol_share_begin(a->n, 2, part + 1);
    a->most[part] = error_test_four_wide(a->x + first, a->weight + first, end - first);
}

static double error_test_largest(const HolSim *s, const double *x, const double *weight, int n) {
    if (!s->pool)
        return error_test_four_wide(x, weight, n);
    Weighted a = {x, weight, n, {0, 0}};
    hol_pool_run(s->pool, 2, weighted_half, &a);
    return hol_larger(a.most[0], a.most[1]);
}

double hol_norm_q(const HolSim *s, const double *dq) {
    return error_test_largest(s, dq, s->test->q, s->nv);
}

double hol_norm_v(const HolSim *s, const double *dv) {
    return error_test_largest(s, dv, s->test->v, s->nv);
}

double hol_norm_near(const HolSim *s, const double *dq) {
    return error_test_largest(s, dq, s->test->near, s->nv);
}

double hol_norm_fast(const HolSim *s, const double *dv) {
    return error_test_largest(s, dv, s->test->fast, s->nv);
}

double hol_norm_rows(const HolSim *s, const double *g, int rows) {
    return error_test_largest(s, g, s->test->row, rows);
}

// ---- methods of second order ----

const double hol_second_order_share = 1;

int hol_second_order_create(HolSim *s, HolSecondOrder *e) {
    e->rate = new_array(s, s->nv);
    e->before = new_array(s, s->nv);
    e->ev = new_array(s, s->nv);
    e->h = 0;
    return !s->arena.failed;
}

// v of the trapezoidal rule is off by h^3/12 a'', a'' from the differences of a' of two steps; of
// one step alone by h^2/12 a' at most
double hol_second_order_error(HolSim *s, HolSecondOrder *e, const double *x, double C, double h) {
    const double part = e->h > 0 ? 2 / (h + e->h) : 1 / h;
    for (int i = 0; i < s->nv; i++) {
        e->rate[i] = x[i] / h;
        e->ev[i] = h * h * h / 12 * part * (e->rate[i] - (e->h > 0 ? e->before[i] : 0));
    }
    return hol_larger(fabs(C) * h * h * hol_norm_q(s, x), hol_norm_v(s, e->ev));
}

// one number for all coordinates, each relative to its own size and 1
double hol_norm_published(const HolSim *s, const double *dq) {
    const HolErrorTest *e = s->test;
    double sum = 0;
    for (int i = 0; i < e->n_groups; i++) {
        const HolGroup *g = &e->group[i];
        for (int k = 0; k < g->n; k++) {
            const double now = g->q >= 0 ? fabs(s->x.q[g->q + k]) : 0,
                         scale = fmax(1, fmax(now, e->size[i]));
            sum += dq[g->v + k] * dq[g->v + k] / (scale * scale);
        }
    }
    return s->nv > 0 ? sqrt(sum / s->nv) : 0;
}

void hol_second_order_accept(HolSecondOrder *e, double h) {
    error_test_swap(&e->rate, &e->before);
    e->h = h;
}

// ---- kept runs ----

void hol_second_order_keep(const HolSim *s, HolSecondOrder *e, HolKeeper *k) {
    HOL_KEEP_ARRAY(k, e->rate, s->nv);
    HOL_KEEP_ARRAY(k, e->before, s->nv);
    HOL_KEEP_ARRAY(k, e->ev, s->nv);
    HOL_KEEP(k, e->h);
}

static void error_test_keep_arrays(HolSim *s, HolKeeper *k) {
    HolErrorTest *e = s->test;
    const int bodies = s->model ? s->model->def.n_bodies : s->nv,
              groups = s->model ? 4 * s->model->def.n_bodies : s->nv + 1;
    HOL_KEEP_ARRAY(k, e->q, s->nv);
    HOL_KEEP_ARRAY(k, e->v, s->nv);
    HOL_KEEP_ARRAY(k, e->near, s->nv);
    HOL_KEEP_ARRAY(k, e->fast, s->nv);
    HOL_KEEP_ARRAY(k, e->row, s->m);
    double *by_body[] = {e->body.place,      e->body.angle,      e->body.speed,     e->body.rate,
                         e->body.turning[0], e->body.turning[1], e->body.turning[2]};
    for (size_t i = 0; i < sizeof by_body / sizeof *by_body; i++)
        HOL_KEEP_ARRAY(k, by_body[i], bodies);
    double *by_group[] = {e->speed, e->seen,       e->size,     e->size_seen,
                          e->drift, e->drift_seen, e->rest_rate};
    for (size_t i = 0; i < sizeof by_group / sizeof *by_group; i++)
        HOL_KEEP_ARRAY(k, by_group[i], groups);
    HOL_KEEP_ARRAY(k, e->travel, 4 * (e->n_parts + 1));
}

void hol_error_test_keep(HolSim *s, HolKeeper *k) {
    HolErrorTest *e = s->test;
    error_test_keep_arrays(s, k);
    HOL_KEEP(k, e->length);
    HOL_KEEP(k, e->tightest);
    HOL_KEEP(k, e->grain);
    HOL_KEEP(k, e->start);
    HOL_KEEP(k, e->span);
    HOL_KEEP(k, e->share);
    HOL_KEEP(k, e->whole);
    HOL_KEEP(k, e->apart);
    HOL_KEEP(k, e->far);
    HOL_KEEP(k, e->turned);
    HOL_KEEP(k, e->most);
    HOL_KEEP(k, e->scalar_speed);
    HOL_KEEP(k, e->fast_most);
    HOL_KEEP(k, e->fast_scalar);
    HOL_KEEP(k, e->looked_at);
    HOL_KEEP(k, e->speed_seen);
    HOL_KEEP(k, e->scalar_seen);
    HOL_KEEP(k, e->rest);
    HOL_KEEP(k, e->at_rest);
    HOL_KEEP(k, e->with_candidate);
}
