// SPDX-License-Identifier: Apache-2.0
// From a position to an equilibrium (docs/equilibrium.md). At a position q on the constraints
//   [M G^T; G 0] [a; lambda] = [f; 0]        r = f - G^T lambda = M a
// r is what nothing balances. Drives are held: f at v = 0, no g_t. Rows on velocities (rolling) hold
// like the others: a skate stays where it stands across a slope. A step
//   [K + s M  G^T  -F ] [d       ]   [r]     K = (G^T lambda)_q - f_q
//   [G        0     0 ] [dlambda ] = [0]     border: w = W(t, q, 0, 0, lambda, w), F = f_w
//   [-W_q    -W_l  1-W_w] [dw    ]   [0]
// goes to q (+) d and back onto the constraints. With s = 0 it is Newton's. s grows until the forces
// do work along the step (d . r > 0) and energy falls with it (Armijo; where some force has no
// potential the work (r0 + r1) . d / 2 stands for it), and shrinks where that was easy. Steps are cut
// to TRUST of the extent of the mechanism and TURN radians. What goes on falling or turning has
// no equilibrium.
#include "solve/equilibrium/equilibrium.h"

#include "model/extent.h"
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- tuning constants ----
enum { MOST_STEPS = 400, MOST_TRIES = 40, MOST_PLAIN = 40, MOST_VARIABLES = 60 };
static const double TRUST = 0.3, TURN = 0.5; // largest step: of the extent, in radians
static const double ARMIJO = 1e-4;          // part of the expected fall of energy that is asked for
static const double WORK = 0.05;            // the same of the work, where there is no energy
static const double GROW = 3, SHRINK = 0.3; // of the shift
static const double LEAST = 1e-11;          // shift as a part of the fastest rate: free motions
static const double SMALL = 1e-5;           // steps whose energy is lost in round-off
static const double CLOSE = 1e-13;          // step that ends the search
static const double FLOOR = 2e-14;          // forces that are round-off, of forces and stiffness
static const double BALANCED = 1e-9;        // the same that count as balanced, of forces
static const double FAR = 1e4, TURNS = 40;  // extents, radians: what gets there never ends

// ---- memory ----

// what the bodies span
static double statics_extent(const HolSim *s) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double extent = s->test->length;
    for (int i = 0; i < s->test->n_groups; i++) {
        const HolGroup *g = &s->test->group[i];
        for (int k = 0; g->kind == HOL_GROUP_TRANSLATION && g->q >= 0 && k < g->n; k++) {
            low[k] = fmin(low[k], s->x.q[g->q + k]);
            high[k] = fmax(high[k], s->x.q[g->q + k]);
        }
    }
    for (int k = 0; k < 3; k++)
        extent = fmax(extent, high[k] - low[k]);
    return extent;
}

int hol_rest_alloc(HolStatics *e, HolRest *x) {
    const HolSim *s = e->s;
    HolArena *a = &e->arena;
    *x = (HolRest){.q = HOL_NEW(a, double, s->nq + 1),
                   .lambda = HOL_NEW(a, double, s->m + 1),
                   .w = HOL_NEW(a, double, s->nw + 1),
                   .v = HOL_NEW(a, double, s->nv + 1),
                   .f = HOL_NEW(a, double, s->nv + 1),
                   .r = HOL_NEW(a, double, s->nv + 1),
                   .a = HOL_NEW(a, double, s->nv + 1),
                   .work = HOL_NEW(a, char, s->p->work_size + 1)};
    for (int i = 0; x->v && i < s->p->extras->n_states; i++)
        x->v[s->p->extras->states[i]] = s->x.v[s->p->extras->states[i]];
    return !a->failed;
}

static void statics_copy(double *to, const double *from, int n) {
    if (n > 0)
        memcpy(to, from, sizeof *to * (size_t)n);
}

void hol_rest_copy(const HolStatics *e, HolRest *to, const HolRest *from) {
    const HolSim *s = e->s;
    statics_copy(to->q, from->q, s->nq);
    statics_copy(to->lambda, from->lambda, s->m);
    statics_copy(to->w, from->w, s->nw);
    statics_copy(to->v, from->v, s->nv);
    statics_copy(to->f, from->f, s->nv);
    statics_copy(to->r, from->r, s->nv);
    statics_copy(to->a, from->a, s->nv);
    to->size = from->size;
    to->worst = from->worst;
    to->energy = from->energy;
    to->forces = from->forces;
}

void hol_rest_save(const HolStatics *e, HolRest *x) {
    memcpy(x->work, e->s->work, e->s->p->work_size);
}

void hol_rest_resume(const HolStatics *e, const HolRest *x) {
    memcpy(e->s->work, x->work, e->s->p->work_size);
}

HolStatus hol_statics_create(HolStatics *e, HolSim *s, HolArena arena, HolError *err) {
    const HolProblem *p = s->p;
    const int n = s->nv + s->m + s->nw;
    *e = (HolStatics){.s = s, .arena = arena, .t = s->x.t, .random = 0x9E3779B97F4A7C15ULL};
    HolArena *a = &e->arena;
    e->K = HOL_NEW(a, double, p->S.nnz + 1);
    e->M = HOL_NEW(a, double, p->S.nnz + 1);
    e->d = HOL_NEW(a, double, n + 1);
    e->y = HOL_NEW(a, double, n + 1);
    e->q = HOL_NEW(a, double, s->nq + 1);
    e->step = HOL_NEW(a, double, s->nv + 1);
    e->zero = HOL_NEW(a, double, s->nv + 1);
    e->load = HOL_NEW(a, double, s->nv + 1);
    e->way = HOL_NEW(a, double, s->nv + 1);
    e->heading = HOL_NEW(a, double, n + 1);
    e->border = HOL_NEW(a, double, 2 * s->nw * s->nv + 1);
    if (!a->failed)
        e->kkt = hol_kkt_create(a, &p->S, &p->G, s->nw, 0, s->o.linear_solver);
    if (!e->kkt || !hol_rest_alloc(e, &e->next))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_kkt_reach(e->kkt, s->reach, s->reach + 2 * s->nv);
    hol_kkt_share(e->kkt, s->pool);
    if (s->dependent) // they hold what the others hold
        hol_kkt_inactive(e->kkt, s->dependent);
    e->extent = statics_extent(s);
    e->with_energy = p->energy && !p->has_power;
    return HOL_OK;
}

void hol_statics_destroy(HolStatics *e) {
    HolArena arena = e->arena; // `e` itself may live in it
    hol_kkt_destroy(e->kkt);
    hol_arena_free(&arena);
}

// ---- sizes ----

void hol_statics_sizes(const HolStatics *e, const double *d, double *moved, double *turned) {
    const HolErrorTest *test = e->s->test;
    *moved = *turned = 0;
    for (int i = 0; i < test->n_groups; i++) {
        const HolGroup *g = &test->group[i];
        for (int k = 0; k < g->n && g->kind != HOL_GROUP_STATE; k++) {
            const double size = fabs(d[g->v + k]);
            if (g->kind == HOL_GROUP_ROTATION)
                *turned = hol_larger(size, *turned);
            else
                *moved = hol_larger(g->kind == HOL_GROUP_TRANSLATION ? size / e->extent
                                                                     : size * test->near[g->v + k],
                                    *moved);
        }
    }
}

static double statics_size(const HolStatics *e, const double *d) {
    double moved, turned;
    hol_statics_sizes(e, d, &moved, &turned);
    return hol_larger(moved, turned);
}

// forces in units of energy
static double statics_worst(const HolStatics *e, const double *force) {
    return hol_largest_over(force, e->s->reach, e->s->nv);
}

int hol_statics_at_rest(const HolStatics *e, const HolRest *x) {
    return x->worst <= BALANCED * x->forces + 10 * FLOOR * e->stiffness;
}

// ---- what is not balanced ----

static void statics_forces(HolStatics *e, HolRest *x) {
    HolSim *s = e->s;
    const HolProblem *p = s->p;
    p->force(p, s->work, &(HolPoint){.t = e->t, .q = x->q, .v = x->v, .w = x->w}, x->f);
    for (int i = 0; e->held != 0 && i < s->nv; i++)
        x->f[i] -= e->held * e->load[i];
}

// a, lambda of the forces present, with the matrix in s->mass
static void statics_react(HolStatics *e, HolRest *x) {
    HolSim *s = e->s;
    double *y = e->y;
    memset(y, 0, sizeof *y * (size_t)(s->nv + s->m + s->nw));
    statics_copy(y, x->f, s->nv);
    hol_kkt_solve(s->mass, y);
    statics_copy(x->a, y, s->nv);
    statics_copy(x->lambda, y + s->nv, s->m);
}

HolStatus hol_statics_balance(HolStatics *e, HolRest *x, int factored, HolError *err) {
    HolSim *s = e->s;
    const HolProblem *p = s->p;
    HolStatus status = factored ? HOL_OK : hol_mass_factor(s, e->t, x->q, err);
    if (status)
        return status;
    // algebraic variables depend on reactions and these on them: repeated until both stay
    for (int round = 0;; round++) {
        statics_forces(e, x);
        statics_react(e, x);
        if (!s->nw)
            break;
        p->variables(p, s->work, &(HolPoint){e->t, x->q, x->v, e->zero, x->lambda, x->w},
                     &(HolAlgebraic){.r = e->y});
        double change = 0, size = 1;
        for (int i = 0; i < s->nw; i++) {
            change = hol_larger(fabs(e->y[i]), change);
            size = hol_larger(fabs(x->w[i]), size);
            x->w[i] -= e->y[i];
        }
        if (change <= 4 * DBL_EPSILON * size)
            break;
        if (round == MOST_VARIABLES || !isfinite(change))
            return hol_error_set(err, HOL_ERR_CONVERGE,
                                 "the algebraic variables do not settle at rest: they and the "
                                 "reactions they depend on drive each other away");
    }
    statics_copy(x->r, x->f, s->nv);
    if (s->m)
        hol_mul_rows_transposed(&p->G, hol_kkt_G(s->mass), x->lambda, -1, x->r);
    double square = 0, kinetic, power;
    for (int i = 0; i < s->nv; i++)
        square += x->a[i] * x->r[i];
    x->size = sqrt(fabs(square));
    x->worst = statics_worst(e, x->r);
    x->energy = NAN;
    if (p->energy)
        p->energy(p, s->work, &(HolPoint){e->t, x->q, x->v, e->zero, x->lambda, x->w}, &kinetic,
                  &x->energy, &power);
    if (!isfinite(x->worst + x->size))
        return hol_error_set(err, HOL_ERR_CONVERGE, "the forces are not finite numbers");
    x->forces = statics_worst(e, x->f);
    return HOL_OK;
}

// ---- the matrix ----

// columns of states: what their values change, not those of their coordinates
static void statics_state_columns(HolStatics *e, const HolPoint *at) {
    const HolProblem *p = e->s->p;
    p->tangent(p, e->s->work, at, 1, 0, e->M); // (-f_v, for the moment)
    for (int i = 0; i < p->extras->n_states; i++) {
        const int j = p->extras->states[i];
        for (int k = p->S.ptr[j]; k < p->S.ptr[j + 1]; k++)
            e->K[k] = e->M[k];
    }
    memset(e->M, 0, sizeof *e->M * (size_t)p->S.nnz);
}

void hol_statics_tangent(HolStatics *e, const HolRest *x) {
    HolSim *s = e->s;
    const HolProblem *p = s->p;
    const HolPoint at = {e->t, x->q, x->v, e->zero, x->lambda, x->w};
    memset(e->K, 0, sizeof *e->K * (size_t)p->S.nnz);
    memset(e->M, 0, sizeof *e->M * (size_t)p->S.nnz);
    p->tangent(p, s->work, &at, 0, 1, e->K);
    if (p->extras->n_states)
        statics_state_columns(e, &at);
    p->mass(p, s->work, &at, 1, 1, e->M);
    e->rate = e->stiffness = 0;
    for (int j = 0; j < s->nv; j++)
        for (int k = p->S.ptr[j]; k < p->S.ptr[j + 1]; k++) {
            const int i = p->S.idx[k];
            e->stiffness = fmax(e->stiffness, fabs(e->K[k]) * s->reach[i] * s->reach[j]);
            if (i == j && e->M[k] > 0)
                e->rate = fmax(e->rate, fabs(e->K[k]) / e->M[k]);
        }
}

int hol_statics_factor(HolStatics *e, const HolRest *x, double shift) {
    HolSim *s = e->s;
    const HolProblem *p = s->p;
    double *S = hol_kkt_S(e->kkt);
    for (int k = 0; k < p->S.nnz; k++)
        S[k] = e->K[k] + shift * e->M[k];
    if (s->m)
        p->jacobian(p, s->work, &(HolPoint){.t = e->t, .q = x->q}, hol_kkt_G(e->kkt));
    if (s->nw) {
        double *A, *L, *W, *F;
        hol_kkt_border(e->kkt, &A, &L, &W, &F);
        p->variables(p, s->work, &(HolPoint){e->t, x->q, x->v, e->zero, x->lambda, x->w},
                     &(HolAlgebraic){.r = e->y,
                                     .Jq = A,
                                     .Jv = e->border,
                                     .Ja = e->border + s->nw * s->nv,
                                     .Jl = L,
                                     .Jw = W,
                                     .fw = F});
    }
    e->solves++;
    return hol_kkt_factor(e->kkt) == 0;
}

// e->d = step from x; d . r, or NAN
static double statics_direction(HolStatics *e, const HolRest *x, double shift) {
    const HolSim *s = e->s;
    if (!hol_statics_factor(e, x, shift))
        return NAN;
    memset(e->d, 0, sizeof *e->d * (size_t)(s->nv + s->m + s->nw));
    statics_copy(e->d, x->r, s->nv);
    hol_kkt_solve_motion(e->kkt, e->d, 0);
    double slope = 0;
    for (int i = 0; i < s->nv; i++)
        slope += e->d[i] * x->r[i];
    return isfinite(statics_size(e, e->d)) ? slope : NAN;
}

HolStatus hol_statics_move(HolStatics *e, const HolRest *x, const double *d, double part,
                           HolRest *to, HolError *err) {
    HolSim *s = e->s;
    const HolProblem *p = s->p;
    for (int i = 0; i < s->nv; i++)
        e->step[i] = part * d[i];
    statics_copy(to->v, x->v, s->nv);
    for (int i = 0; i < p->extras->n_states; i++) {
        const int j = p->extras->states[i];
        to->v[j] += e->step[j];
        e->step[j] = 0;
    }
    p->retract(p, s->work, x->q, e->step, to->q);
    statics_copy(to->w, x->w, s->nw);
    HolStatus status = hol_project_position(s, e->t, to->q, 1, err);
    return status ? status : hol_statics_balance(e, to, 1, err);
}

// ---- the search ----

typedef struct Walk {
    HolRest *x, *next;
    double shift, start; // of the present step; the one that alone keeps it inside the limits
    double reach;        // translations allowed, in extents
    int cuts;            // steps in a row that were cut
    double *way;         // nv: all steps so far
} Walk;

// 1: energy falls as it should, or the forces do work, or it is all round-off and r shrinks
static int statics_better(const HolStatics *e, const Walk *k, double slope, double part) {
    const HolRest *x = k->x, *next = k->next;
    if (!isfinite(next->worst))
        return 0;
    if (part * statics_size(e, e->d) < SMALL)
        return next->size < 0.9 * x->size;
    double slope1 = 0;
    for (int i = 0; i < e->s->nv; i++)
        slope1 += e->d[i] * next->r[i];
    if (e->with_energy)
        return next->energy <= x->energy - ARMIJO * part * slope &&
               (next->size < 2 * x->size || slope1 > -slope);
    return 0.5 * (slope + slope1) >= WORK * slope || next->size < 0.5 * x->size;
}

// One step from k->x to k->next; HOL_INACCURATE: none is better
static HolStatus statics_step(HolStatics *e, Walk *k, double *size, double *part) {
    HolError none;
    hol_statics_tangent(e, k->x);
    const double a = statics_size(e, k->x->a);
    k->start = a / TRUST;
    const double least = fmax(LEAST * e->rate, 1e-9 * k->start);
    for (int try = 0; try < MOST_TRIES; try++) {
        const double slope = statics_direction(e, k->x, fmax(k->shift, least));
        double moved, turned;
        hol_statics_sizes(e, e->d, &moved, &turned);
        *size = hol_larger(moved, turned);
        // a fall of energy that is certain before it is tried
        if (slope > 0 && *size > 0) {
            *part = fmin(1, fmin(k->reach / (moved + DBL_MIN), TURN / (turned + DBL_MIN)));
            if (hol_statics_move(e, k->x, e->d, *part, k->next, &none) == HOL_OK &&
                statics_better(e, k, slope, *part)) {
                k->shift = try == 0 ? SHRINK * k->shift : k->shift;
                if (k->shift < 1e-3 * k->start)
                    k->shift = 0;
                return HOL_OK;
            }
            // where energies are round-off only Newton's own step tells whether it is the end
            if (*size < SMALL) {
                if (k->shift == 0)
                    return HOL_INACCURATE;
                k->shift = 0;
                continue;
            }
        }
        k->shift = fmax(GROW * k->shift, k->start);
        k->reach = fmin(k->reach, TRUST);
    }
    return HOL_INACCURATE;
}

static void statics_accept(HolStatics *e, Walk *k, double part) {
    HolSim *s = e->s;
    const HolProblem *p = s->p;
    for (int i = 0; i < s->nv; i++)
        k->way[i] += part * e->d[i];
    hol_rest_copy(e, k->x, k->next);
    if (p->extras->accept)
        p->extras->accept(p, s->work, e->t, k->x->q, e->zero);
    e->iterations++;
    // what falls on and on is followed in longer and longer steps
    k->cuts = part < 1 ? k->cuts + 1 : 0;
    k->reach = k->cuts > 3 ? fmin(2 * k->reach, FAR) : TRUST;
}

// the coordinate that went farthest
static int statics_farthest(const HolStatics *e, const double *way) {
    const HolErrorTest *test = e->s->test;
    int farthest = 0;
    double most = -1;
    for (int i = 0; i < test->n_groups; i++)
        for (int k = 0; k < test->group[i].n; k++) {
            const int v = test->group[i].v + k;
            const double unit = test->group[i].kind == HOL_GROUP_TRANSLATION
                                    ? FAR * e->extent
                                    : (test->group[i].kind == HOL_GROUP_ROTATION ? TURNS : FAR);
            if (fabs(way[v]) / unit > most) {
                most = fabs(way[v]) / unit;
                farthest = v;
            }
        }
    return most >= 1 ? farthest : -1;
}

// "rod.angle" -> rod
static void statics_body(const HolStatics *e, int v, char *out, size_t size) {
    char name[128];
    hol_coordinate_name(e->s, v, name, sizeof name);
    char *dot = strrchr(name, '.');
    if (dot && e->s->model)
        *dot = 0;
    snprintf(out, size, "%s", name);
}

static int statics_is_rotation(const HolStatics *e, int v) {
    for (int i = 0; i < e->s->test->n_groups; i++) {
        const HolGroup *g = &e->s->test->group[i];
        if (v >= g->v && v < g->v + g->n)
            return g->kind == HOL_GROUP_ROTATION;
    }
    return 0;
}

// 1: something moves on and on, and e->why says what
static int statics_escapes(HolStatics *e, const Walk *k) {
    char name[128], body[128];
    const int v = statics_farthest(e, k->way);
    if (v < 0)
        return 0;
    hol_coordinate_name(e->s, v, name, sizeof name);
    statics_body(e, v, body, sizeof body);
    const int turns = statics_is_rotation(e, v);
    snprintf(
        e->why, sizeof e->why,
        "there is no equilibrium: nothing holds '%.100s' against a %s of %.4g %s; it would %s on "
        "and on (%.100s)",
        body, turns ? "torque" : "force", fabs(k->x->r[v]), turns ? "N m" : "N",
        turns ? "turn" : "move", name);
    return 1;
}

static HolStatus statics_stuck(HolStatics *e, const HolRest *x, HolError *err) {
    char name[128];
    int worst = 0;
    for (int i = 1; i < e->s->nv; i++)
        if (fabs(x->r[i]) * e->s->reach[i] > fabs(x->r[worst]) * e->s->reach[worst])
            worst = i;
    if (e->why[0])
        return hol_error_set(err, HOL_ERR_CONVERGE, "%s", e->why);
    hol_coordinate_name(e->s, worst, name, sizeof name);
    for (int i = 0; i < e->s->p->extras->n_states; i++)
        if (e->s->p->extras->states[i] == worst)
            return hol_error_set(err, HOL_ERR_CONVERGE,
                                 "no equilibrium was found: the state '%.*s' still changes by %.4g "
                                 "a second after %ld steps",
                                 (int)strcspn(name, "."), name, fabs(x->r[worst]), e->iterations);
    return hol_error_set(
        err, HOL_ERR_CONVERGE, "no equilibrium was found: %.4g %s remain at '%s' after %ld steps",
        fabs(x->r[worst]), statics_is_rotation(e, worst) ? "N m" : "N", name, e->iterations);
}

static HolStatus statics_descend(HolStatics *e, Walk *k, HolError *err) {
    double before = INFINITY;
    for (int step = 0; step < MOST_STEPS + e->s->nv / 2; step++) {
        double size = 0, part = 1;
        if (e->s->stop_flag && *e->s->stop_flag)
            return HOL_INTERRUPTED;
        if (e->o && e->o->progress)
            e->o->progress(e->o->user, e->start, e->starts, e->iterations);
        const double floor = FLOOR * (k->x->forces + e->stiffness);
        if (k->x->size == 0 || (k->x->worst <= floor && k->x->size > 0.5 * before))
            return HOL_OK;
        before = k->x->size;
        if (statics_step(e, k, &size, &part) != HOL_OK)
            return hol_statics_at_rest(e, k->x) ? HOL_OK : statics_stuck(e, k->x, err);
        statics_accept(e, k, part);
        if (size < CLOSE && hol_statics_at_rest(e, k->x))
            return HOL_OK;
        if (statics_escapes(e, k) || (e->most_solves && e->solves > e->most_solves))
            return statics_stuck(e, k->x, err);
    }
    return hol_statics_at_rest(e, k->x) ? HOL_OK : statics_stuck(e, k->x, err);
}

// change of states in the step, relative
static double statics_states(const HolStatics *e, const HolRest *x) {
    const HolProblemExtras *o = e->s->p->extras;
    double most = 0;
    for (int i = 0; i < o->n_states; i++) {
        const double change = fabs(e->d[o->states[i]]), size = fabs(x->v[o->states[i]]) + change;
        most = size > 0 ? fmax(most, change / size) : most;
    }
    return most;
}

// Newton's steps as they are, cut to the limits
static HolStatus statics_newton(HolStatics *e, Walk *k, HolError *err) {
    for (int step = 0; step < MOST_PLAIN; step++) {
        double moved, turned, before = k->x->size;
        const double floor = FLOOR * (k->x->forces + e->stiffness);
        if (e->s->stop_flag && *e->s->stop_flag)
            return HOL_INTERRUPTED;
        if (before == 0)
            return HOL_OK;
        hol_statics_tangent(e, k->x);
        if (isnan(statics_direction(e, k->x, LEAST * e->rate)))
            break;
        hol_statics_sizes(e, e->d, &moved, &turned);
        const double part = fmin(1, fmin(TRUST / (moved + DBL_MIN), TURN / (turned + DBL_MIN)));
        turned += statics_states(e, k->x);
        if (hol_statics_move(e, k->x, e->d, part, k->next, err) != HOL_OK)
            break;
        if (moved + turned < SMALL && k->next->size > 0.5 * before)
            break;
        statics_accept(e, k, part);
        if ((e->most_solves && e->solves > e->most_solves) || moved + turned < CLOSE ||
            (k->x->worst <= floor && k->x->size > 0.5 * before))
            break;
    }
    return hol_statics_at_rest(e, k->x) ? HOL_OK : statics_stuck(e, k->x, err);
}

HolStatus hol_statics_solve(HolStatics *e, HolRest *x, int descend, HolError *err) {
    Walk k = {.x = x, .next = &e->next, .reach = TRUST, .way = e->way};
    e->why[0] = 0;
    memset(e->way, 0, sizeof *e->way * (size_t)e->s->nv);
    // (states have no energy that could fall)
    return descend && !e->s->p->extras->n_states ? statics_descend(e, &k, err)
                                                 : statics_newton(e, &k, err);
}
