// SPDX-License-Identifier: Apache-2.0
// All equilibria that were found (docs/equilibrium.md). Energy that falls leads to stable ones only,
// so several positions are begun with: that of the run; from every unstable equilibrium both ways
// along the direction in which it is left; random positions, from which energy falls, and from which
// Newton's method goes to whatever is near, unstable ones too. Two of them are the same where all
// positions are (whole turns of bodies do not count where the energy is the same), and where both
// have free motions and the same energy. All numbers come from a fixed generator: a search repeats
// bit by bit.
#include "solve/equilibrium/equilibrium.h"
#include "solve/linear/frozen.h"

#include "base/sized.h"
#include "math/dense.h"
#include "model/extent.h"
#include "solve/constraint/project.h"
#include "solve/run/error_test.h"
#include "solve/run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- tuning constants ----
enum { MOST_FOUND = 32, STARTS = 10, LEGS = 4 };
static const double SAME = 1e-6;        // extents or radians between two of them
static const double SAME_ENERGY = 1e-8; // of the largest force in units of energy
// what is not balanced where the run begins, of forces and of stiffness: it may be at rest there, if
// it is so near
static const double NEARLY_FORCE = 1e-9, NEARLY_STIFF = 1e-11, NEARLY = 1e-8;
static const double ASIDE = 0.05; // first step from an unstable one
static const double BUDGET = 4e5; // unknowns solved for by random starts, in all

typedef struct Found {
    HolRest x;
    HolDirections way;
    double moved, residual;
    int stable, initial;
} Found;

struct HolEquilibria {
    HolStatics statics; // its arena holds all
    Found *found[MOST_FOUND];
    int n;
};

void hol_equilibrium_options_sized(HolEquilibriumOptions *out, size_t room) {
    const HolEquilibriumOptions o = {.at = NAN, .starts = -1};
    hol_sized_make(out, room, &o, sizeof o);
}

// ---- the list ----

// largest displacement or rotation from one to the other; whole turns of plane bodies left out
static double list_distance(HolStatics *e, const double *a, const double *b, int turns) {
    const HolSim *s = e->s;
    double moved, turned, *d = e->step;
    s->p->minus(s->p, s->work, a, b, d);
    for (int i = 0; !turns && i < s->test->n_groups; i++) {
        const HolGroup *g = &s->test->group[i];
        if (g->kind == HOL_GROUP_ROTATION && g->q >= 0)
            d[g->v] = remainder(d[g->v], 2 * acos(-1));
    }
    hol_statics_sizes(e, d, &moved, &turned);
    return fmax(moved, turned);
}

static int list_same(HolStatics *e, const Found *a, const Found *b) {
    const double apart = fabs(a->x.energy - b->x.energy);
    const int energy = !(apart > SAME_ENERGY * (a->x.forces + b->x.forces + e->stiffness));
    if (a->way.neutral && b->way.neutral && a->way.unstable == b->way.unstable)
        return energy;
    return energy && list_distance(e, a->x.q, b->x.q, 0) < SAME;
}

// x as an entry, with what it is; *out: the entry, or the one that was there already
static HolStatus list_add(HolEquilibria *l, const HolRest *x, const HolRest *start, Found **out,
                          int *fresh, HolError *err) {
    HolStatics *e = &l->statics;
    const HolSim *s = e->s;
    Found *f = HOL_NEW(&e->arena, Found, 1);
    *fresh = 0;
    *out = NULL;
    if (!f || !hol_rest_alloc(e, &f->x))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    hol_rest_copy(e, &f->x, x);
    hol_rest_save(e, &f->x);
    // (before its stability is known)
    for (int i = 0; i < l->n; i++)
        if (!l->found[i]->way.neutral && list_same(e, l->found[i], f)) {
            *out = l->found[i];
            return HOL_OK;
        }
    HolStatus status = hol_statics_stability(e, &f->x, &f->way, err);
    if (status)
        return status;
    f->stable = !f->way.unstable && !f->way.neutral;
    f->residual = hol_max_abs(x->r, s->nv);
    s->p->minus(s->p, s->work, f->x.q, start->q, e->step);
    f->moved = hol_max_abs(e->step, s->nv);
    for (int i = 0; i < l->n; i++)
        if (list_same(e, l->found[i], f)) {
            *out = l->found[i];
            return HOL_OK;
        }
    if (l->n < MOST_FOUND) {
        l->found[l->n++] = *out = f;
        *fresh = 1;
    }
    return HOL_OK;
}

// ---- the search ----

typedef struct Search {
    HolEquilibria *l;
    HolRest start, x; // where it began; at work
    double used;      // unknowns solved for
} Search;

static void list_begin(Search *z, const HolRest *at) {
    hol_rest_resume(&z->l->statics, at);
    hol_rest_copy(&z->l->statics, &z->x, at);
}

// down on both sides of an unstable equilibrium; the lowest that was met
static HolStatus list_both_ways(Search *z, const Found *from, Found **down, HolError *err) {
    HolStatics *e = &z->l->statics;
    HolError none;
    const double *shape = from->way.shape[0];
    double moved, turned;
    if (!shape)
        return HOL_OK;
    hol_statics_sizes(e, shape, &moved, &turned);
    for (int side = 0; side < 2; side++) {
        Found *found;
        int fresh;
        const double part = (side ? -ASIDE : ASIDE) / fmax(moved, turned);
        hol_rest_resume(e, &from->x);
        if (hol_statics_move(e, &from->x, shape, part, &z->x, &none) != HOL_OK)
            continue;
        HolStatus status = hol_statics_solve(e, &z->x, 1, &none);
        if (status == HOL_INTERRUPTED)
            return status;
        if (status)
            continue;
        status = list_add(z->l, &z->x, &z->start, &found, &fresh, err);
        if (status == HOL_ERR_MEMORY)
            return status;
        if (!status && found && found != from && down &&
            (!*down || found->x.energy < (*down)->x.energy))
            *down = found;
    }
    return HOL_OK;
}

// from z->x to an equilibrium, and on from there
static HolStatus list_from_here(Search *z, int descend, HolError *err) {
    HolError none;
    Found *found = NULL;
    int fresh = 0;
    HolStatus status = hol_statics_solve(&z->l->statics, &z->x, descend, &none);
    if (status)
        return status == HOL_INTERRUPTED ? status : HOL_OK;
    status = list_add(z->l, &z->x, &z->start, &found, &fresh, err);
    if (status)
        return status == HOL_ERR_MEMORY ? status : HOL_OK;
    return fresh && found->way.unstable ? list_both_ways(z, found, NULL, err) : HOL_OK;
}

// the position of the run itself, or where it falls to
static HolStatus list_first(Search *z, HolError *err) {
    HolEquilibria *l = z->l;
    HolStatics *e = &l->statics;
    Found *found = NULL, *down = NULL;
    int fresh;
    hol_statics_tangent(e, &z->start);
    int at_rest = z->start.worst <= NEARLY_FORCE * z->start.forces + NEARLY_STIFF * e->stiffness;
    HolStatus status = HOL_OK;
    if (at_rest) { // the last digits
        list_begin(z, &z->start);
        status = hol_statics_solve(e, &z->x, 0, err);
        at_rest = !status && list_distance(e, z->x.q, z->start.q, 1) < NEARLY;
    }
    if (!at_rest) {
        list_begin(z, &z->start);
        status = hol_statics_solve(e, &z->x, 1, err);
    }
    if (status == HOL_INTERRUPTED)
        return status;
    if (status && !e->why[0]) {
        HolError none;
        list_begin(z, &z->start);
        HolStatus loaded = hol_statics_load_steps(e, &z->x, &none);
        if (loaded)
            return loaded == HOL_INTERRUPTED ? loaded : status;
    } else if (status)
        return status;
    status = list_add(l, &z->x, &z->start, &found, &fresh, err);
    if (status || !found)
        return status;
    found->initial = at_rest;
    // from saddle to saddle, each lower than the one before
    for (const Found *at = found; at->way.unstable && !status;) {
        Found *next = NULL;
        status = list_both_ways(z, at, &next, err);
        if (!next || next->x.energy >= at->x.energy)
            break;
        at = down = next;
    }
    // a saddle that was only passed on the way down is not where the mechanism comes to rest
    for (int i = 0; down && !at_rest && i < l->n; i++)
        if (l->found[i] == down) {
            l->found[i] = l->found[0];
            l->found[0] = down;
        }
    return status;
}

// One walk away from the start: Newton's method after every leg, falling energy after the last.
static HolStatus list_walk(Search *z, HolRest leg[2], HolError *err) {
    HolStatics *e = &z->l->statics;
    HolError none;
    const HolRest *at = &z->start;
    for (int k = 0; k < LEGS; k++) {
        HolRest *next = &leg[k % 2];
        // every second walk goes straight on, the others zigzag
        if (hol_statics_wander(e, at, k == 0 || e->start % 2, next, &none) != HOL_OK)
            return HOL_OK;
        at = next;
        for (int descend = 0; descend <= (k == LEGS - 1); descend++) {
            list_begin(z, at);
            HolStatus status = list_from_here(z, descend, err);
            if (status)
                return status;
        }
        if (e->most_solves && e->solves > e->most_solves)
            break;
    }
    return HOL_OK;
}

static HolStatus list_random(Search *z, int starts, HolError *err) {
    HolStatics *e = &z->l->statics;
    const double unknowns = e->s->nv + e->s->m + e->s->nw;
    HolRest leg[2];
    HolStatus status = HOL_OK;
    if (!hol_rest_alloc(e, &leg[0]) || !hol_rest_alloc(e, &leg[1]))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    e->starts = starts;
    if (e->o->starts < 0)
        e->most_solves = e->solves + (long)(BUDGET / unknowns);
    for (e->start = 1; e->start <= starts && !status; e->start++) {
        if (e->most_solves && e->solves > e->most_solves)
            break;
        status = list_walk(z, leg, err);
    }
    return status;
}

// by energy; the first stays
static void list_sort(HolEquilibria *l) {
    for (int i = 2; i < l->n; i++) {
        Found *f = l->found[i];
        int k = i;
        for (; k > 1 && f->x.energy < l->found[k - 1]->x.energy; k--)
            l->found[k] = l->found[k - 1];
        l->found[k] = f;
    }
}

static HolStatus list_search(Search *z, HolError *err) {
    HolStatics *e = &z->l->statics;
    HolSim *s = e->s;
    HolError none;
    if (!hol_rest_alloc(e, &z->start) || !hol_rest_alloc(e, &z->x))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    memcpy(z->start.q, s->x.q, sizeof *s->x.q * (size_t)s->nq);
    if (s->nw)
        memcpy(z->start.w, s->x.w, sizeof *s->x.w * (size_t)s->nw);
    HolStatus status = isnan(e->o->at) ? HOL_OK : hol_statics_follow(e, e->o->at, z->start.q, err);
    if (!status)
        status = hol_statics_balance(e, &z->start, 0, err);
    if (status)
        return status;
    hol_rest_save(e, &z->start);
    if (s->nv == s->check.rank && s->nn == 0) { // nothing can move
        Found *found;
        int fresh;
        z->start.worst = z->start.size = 0;
        memset(z->start.r, 0, sizeof *z->start.r * (size_t)s->nv);
        status = list_add(z->l, &z->start, &z->start, &found, &fresh, err);
        if (!status)
            found->initial = found->stable = 1;
        return status;
    }
    const HolStatus first = list_first(z, err);
    if (first == HOL_INTERRUPTED || first == HOL_ERR_MEMORY)
        return first;
    status = list_random(z, e->o->starts < 0 ? STARTS : e->o->starts, &none);
    if (status)
        return status;
    if (z->l->n)
        hol_error_clear(err);
    list_sort(z->l);
    return z->l->n ? HOL_OK : first;
}

static HolStatus list_find(HolSim *s, const HolEquilibriumOptions *o, HolEquilibria **out,
                           HolError *err) {
    if (hol_frozen_refuse(s, "equilibrium", err))
        return HOL_ERR_UNSUPPORTED;
    HolArena arena = {0};
    HolEquilibria *l = HOL_NEW(&arena, HolEquilibria, 1);
    Search z = {.l = l};
    if (!l)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    const long no_memory = hol_dense_no_memory();
    HolStatus status = hol_statics_create(&l->statics, s, arena, err);
    l->statics.o = o;
    HolRest as_it_was = {0};
    if (!status && hol_rest_alloc(&l->statics, &as_it_was))
        hol_rest_save(&l->statics, &as_it_was);
    if (!status)
        status = list_search(&z, err);
    if (l->statics.arena.failed ||
        hol_dense_no_memory() > no_memory) // what was found without it is not all
        status = hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    l->statics.o = NULL;
    if (status) {
        if (as_it_was.work)
            hol_rest_resume(&l->statics, &as_it_was);
        hol_equilibria_destroy(l);
        return status;
    }
    *out = l;
    return hol_equilibria_show(l, 0, s, err);
}

// ---- interface ----

HolStatus hol_equilibrium_find(HolSim *s, const HolEquilibriumOptions *options, HolEquilibria **out,
                               HolError *err) {
    HolEquilibriumOptions o = hol_equilibrium_options();
    HolError problem;
    hol_error_clear(err);
    if (!out)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no place for the list: out is NULL");
    *out = NULL;
    if (!s)
        return hol_no_run(err);
    if (options &&
        hol_sized_take(&o, sizeof o, options, "hol_equilibrium_options", &problem) != HOL_OK)
        return hol_error_set(err, HOL_ERR_INPUT, "HolEquilibriumOptions: %s", problem.text);
    if (isinf(o.at))
        return hol_error_set(err, HOL_ERR_INPUT, "HolEquilibriumOptions: `at` must be finite");
    if (s->stats.steps > 0)
        return hol_error_set(err, HOL_ERR_INPUT,
                             "the run has begun: equilibria are looked for before its first step");
    HolStatus status = hol_sim_assemble(s, err);
    return status ? status : list_find(s, &o, out, err);
}

int hol_equilibria_count(const HolEquilibria *l) {
    return l ? l->n : 0;
}

void hol_equilibria_get_sized(const HolEquilibria *l, int i, HolEquilibrium *out, size_t room) {
    HolEquilibrium one = {.energy = NAN, .unstable_text = "", .neutral_text = ""};
    if (l && i >= 0 && i < l->n) {
        const Found *f = l->found[i];
        one = (HolEquilibrium){.energy = f->x.energy,
                               .residual = f->residual,
                               .moved = f->moved,
                               .stable = f->stable,
                               .unstable = f->way.unstable,
                               .neutral = f->way.neutral,
                               .unstable_text = f->way.text[0],
                               .neutral_text = f->way.text[1],
                               .initial = f->initial,
                               .q = f->x.q,
                               .nq = l->statics.s->nq};
    }
    hol_sized_make(out, room, &one, sizeof one);
}

HolStatus hol_equilibria_show(const HolEquilibria *l, int i, HolSim *s, HolError *err) {
    hol_error_clear(err);
    if (!l || !s || s != l->statics.s || s->stats.steps > 0 || i < 0 || i >= l->n)
        return hol_error_set(err, HOL_ERR_INPUT, "there is no such equilibrium of this run");
    const HolRest *x = &l->found[i]->x;
    hol_rest_resume(&l->statics, x);
    s->x.t = l->statics.t;
    s->x.bare = 0;
    memcpy(s->x.q, x->q, sizeof *x->q * (size_t)s->nq);
    memcpy(s->x.v, x->v, sizeof *x->v * (size_t)s->nv);
    memset(s->x.a, 0, sizeof *s->x.a * (size_t)s->nv);
    if (s->m)
        memcpy(s->x.lambda, x->lambda, sizeof *x->lambda * (size_t)s->m);
    if (s->nw)
        memcpy(s->x.w, x->w, sizeof *x->w * (size_t)s->nw);
    hol_state_copy(s, &s->prev, &s->x);
    return HOL_OK;
}

void hol_equilibria_destroy(HolEquilibria *l) {
    if (l)
        hol_statics_destroy(&l->statics);
}

// ---- a run that begins there ----

HolStatus hol_start_at_equilibrium(HolSim *s, HolError *err) {
    HolEquilibriumOptions o = hol_equilibrium_options();
    HolEquilibria *l = NULL;
    const double t = s->x.t;
    int best = 0;
    HolStatus status = list_find(s, &o, &l, err);
    if (status)
        return status;
    // the nearest of the stable ones, else of those that are left in no direction
    for (int pass = 0; pass < 2 && l->found[best]->way.unstable; pass++)
        for (int i = 1; i < l->n; i++) {
            const Found *f = l->found[i], *b = l->found[best];
            if (f->way.unstable || (!pass && !f->stable))
                continue;
            if (b->way.unstable || f->moved < b->moved)
                best = i;
        }
    const Found *f = l->found[best];
    status = hol_equilibria_show(l, best, s, err);
    s->x.t = t;
    hol_note(s, "starts at rest in %s equilibrium, %.3g m or rad from the position of the file",
             f->way.unstable  ? "an unstable"
             : f->way.neutral ? "a neutral"
                              : "a stable",
             f->moved);
    hol_equilibria_destroy(l);
    // where drives move, the others follow
    if (!status)
        status = hol_mass_factor(s, t, s->x.q, err);
    if (!status)
        status = hol_project_velocity(s, t, s->x.q, s->x.v, err);
    return status ? status : hol_accelerate(s, &s->x, 1, err);
}
