// SPDX-License-Identifier: Apache-2.0
// Accelerations of trees without series: as those of the series, also after places that are none
// and where a hinge has hardly any inertia; what small turns do to the bodies.
#include "model/model.h"
#include "model/tree/tree.h"
#include "solve/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tree_random.h"

enum { MOST = 64 };

typedef struct Tree {
    HolModel *m;
    HolSim *sim;
    const HolProblem *p;
    const HolTreeSeries *s;
    HolArena arena;
    void *series, *now;
    int n;
    double x[MOST], rate[MOST], second[MOST]; // by the series
} Tree;

static Tree load(const char *text) {
    Tree t = {0};
    HolSimOptions read, o = hol_sim_options();
    HolError err = {0};
    snprintf(o.method.name, sizeof o.method.name, "taylor");
    if (hol_model_parse(text, strlen(text), "tree", NULL, 0, &t.m, &read, &err) ||
        hol_sim_create(t.m, &o, &t.sim, &err))
        fail_msg("%s", err.text);
    t.p = t.sim->p;
    t.s = t.p->extras->tree_series;
    t.n = t.p->extras->n_tree;
    assert_true(t.s && t.n <= MOST);
    t.series = hol_arena_alloc(&t.arena, t.s->size(t.p, 6));
    t.now = hol_arena_alloc(&t.arena, t.s->size(t.p, 1));
    t.s->memory(t.p, t.sim->work, t.series, 6);
    t.s->memory(t.p, t.sim->work, t.now, 1);
    return t;
}

static void set_place(Tree *t, unsigned *seed) {
    for (int i = 0; i < t->n; i++) {
        t->x[i] = 6 * random_part(seed) - 3;
        t->rate[i] = 4 * random_part(seed) - 2;
    }
    assert_true(t->s->start(t->p, t->series, 0, t->x, t->rate));
    t->s->order(t->p, t->series, 0);
    t->s->begin(t->p, t->series, NULL, NULL, t->second);
}

static void unload(Tree *t) {
    hol_sim_destroy(t->sim);
    hol_model_destroy(t->m);
    hol_arena_free(&t->arena);
}

static double largest(const double *a, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

// how far accelerations without series are off, over their size
static double off(Tree *t) {
    double found[MOST] = {0};
    assert_true(t->s->accelerate(t->p, t->now, 0, t->x, t->rate));
    t->s->begin(t->p, t->now, NULL, NULL, found);
    for (int i = 0; i < t->n; i++)
        found[i] -= t->second[i];
    return largest(found, t->n) / (1 + largest(t->second, t->n));
}

static void check_failures(Tree *t) {
    for (int i = 0; i < t->n; i++) {
        const double kept = t->x[i];
        double found[MOST];
        t->x[i] = NAN;
        if (t->s->accelerate(t->p, t->now, 0, t->x, t->rate)) {
            t->s->begin(t->p, t->now, NULL, NULL, found);
            if (isfinite(largest(found, t->n)) && !isnan(found[i]))
                fail_msg("joint %d: finite", i);
        }
        t->x[i] = kept;
        if (!(off(t) < 1e-11))
            fail_msg("after joint %d: %g off", i, off(t));
    }
}

// what the body of a link turns by, along the axes of the ground; at least the turn of its joint
static double turned(const Tree *t, const double *q, const double *v, int i, const double *turns) {
    const HolTreeShape *l = &t->m->tree.shapes[i];
    const double own = l->turn >= 0 ? fabs(turns[l->turn]) : 0;
    if (t->m->space == HOL_PLANAR)
        return fmax(own, fabs(v[l->v + 2]));
    const double *e = q + l->q + 3, *w = v + l->v + 3;
    const double a[3] = {e[2] * w[2] - e[3] * w[1], e[3] * w[0] - e[1] * w[2],
                         e[1] * w[1] - e[2] * w[0]};
    const double to[3] = {w[0] + 2 * (e[0] * a[0] + e[2] * a[2] - e[3] * a[1]),
                          w[1] + 2 * (e[0] * a[1] + e[3] * a[0] - e[1] * a[2]),
                          w[2] + 2 * (e[0] * a[2] + e[1] * a[1] - e[2] * a[0])};
    return fmax(own, largest(to, 3));
}

// largest of the turns of joints and of what they make the centres of mass move, over the scales
typedef struct Moved {
    double q, v;
} Moved;

static Moved moved(Tree *t, const HolBodyScales *scale, const double *turns) {
    const HolTreeShape *shapes = t->m->tree.shapes;
    const int axes = t->m->space == HOL_PLANAR ? 2 : 3;
    double *q = calloc((size_t)t->sim->nq, sizeof *q), *v = calloc((size_t)t->sim->nv, sizeof *v),
           *a = calloc((size_t)t->sim->nv, sizeof *a), none[MOST] = {0}, residual[3];
    Moved most = {0, 0};
    t->s->sides(t->p, t->now, t->x, t->sim->x.q);
    t->s->state(t->p, t->now, t->x, turns, none, q, v, a, residual);
    for (int i = 0; i < hol_tree_links(t->m); i++) {
        const int body = t->m->tree.links[i].body;
        const double way = largest(v + shapes[i].v, axes), turn = turned(t, q, v, i, turns);
        most.q = fmax(most.q, fmax(way * scale->place[body], turn * scale->angle[body]));
        most.v = fmax(most.v, fmax(way * scale->speed[body], turn * scale->rate[body]));
    }
    free(q);
    free(v);
    free(a);
    return most;
}

static void check_reach(Tree *t, unsigned *seed) {
    double turns[2][MOST], q[2], v[2], size[7][MOST];
    const HolBodyScales scale = {.place = size[0],
                                 .angle = size[1],
                                 .speed = size[2],
                                 .rate = size[3],
                                 .turning = {size[4], size[5], size[6]}};
    assert_true(t->m->def.n_bodies < MOST);
    for (int k = 0; k < 7; k++)
        for (int i = 0; i <= t->m->def.n_bodies; i++)
            size[k][i] = 0.1 + random_part(seed);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < t->n; i++)
            turns[k][i] = random_part(seed) - 0.5;
    t->s->reach(t->p, t->now, &scale, turns[0], turns[1], q, v);
    for (int k = 0; k < 2; k++) {
        const Moved exact = moved(t, &scale, turns[k]);
        if (!(fabs(q[k] - exact.q) < 1e-12 * (1 + q[k]) &&
              fabs(v[k] - exact.v) < 1e-12 * (1 + v[k])))
            fail_msg("reach %g, %g, moved %g, %g", q[k], v[k], exact.q, exact.v);
    }
}

static void test_random(void **state) {
    (void)state;
    static char text[20000];
    unsigned seed = 5;
    for (int k = 0; k < 60; k++) {
        write_random(text, sizeof text, &seed, 2 + (int)(random_part(&seed) * 27), k % 2);
        Tree t = load(text);
        for (int again = 0; again < 3; again++) {
            set_place(&t, &seed);
            for (int times = 0; times < 2; times++)
                if (!(off(&t) < 1e-11))
                    fail_msg("tree %d: %g off", k, off(&t));
            check_reach(&t, &seed);
        }
        check_failures(&t);
        unload(&t);
    }
}

// A shaft of rods of 1 m and 2 cm, with springs in its hinges about an inclined axis that all have
// in common: turns of the rods obey zz theta'' = their torques. (x is across the axis to the last
// bit: the weight of all rods leans on it.)
static void test_shaft(void **state) {
    (void)state;
    enum { RODS = 50 };
    static char text[40000];
    const double part = 1 / sqrt(3), zz = 2e-4, xx = 1. / 12 + zz / 2, off_axes = (zz - xx) / 3;
    size_t at = 0;
#define WRITE(...) at += (size_t)snprintf(text + at, sizeof text - at, __VA_ARGS__)
    WRITE("holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < RODS; i++) {
        const double middle = (i + 0.5) * part, d = xx + off_axes;
        WRITE("- {name: b%d, mass: 1, inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], "
              "position: [%.17g, %.17g, %.17g]}\n",
              i + 1, d, d, d, off_axes, off_axes, off_axes, middle, middle, middle);
    }
    WRITE("joints:\n");
    for (int i = 0; i < RODS; i++) {
        char parent[16] = "ground";
        if (i)
            snprintf(parent, sizeof parent, "b%d", i);
        WRITE("- {name: j%d, type: revolute, bodies: [%s, b%d], at: [%.17g, %.17g, %.17g], "
              "axis: [1, 1, 1], x: [0, %.17g, %.17g]}\n",
              i + 1, parent, i + 1, i * part, i * part, i * part, part, -part);
    }
    WRITE("forces:\n");
    for (int i = 1; i <= RODS; i++)
        WRITE("- {name: k%d, type: torsion_spring_damper, joint: j%d, stiffness: %.17g}\n", i, i,
              100 * zz);
#undef WRITE
    Tree t = load(text);
    assert_int_equal(t.n, RODS);
    double theta[RODS], found[RODS];
    for (int i = 0; i < RODS; i++)
        t.x[i] = 0.01 * sin(i + 1);
    for (int i = 0; i < RODS; i++)
        theta[i] = -100 * (t.x[i] - (i + 1 < RODS ? t.x[i + 1] : 0));
    assert_true(t.s->accelerate(t.p, t.now, 0, t.x, t.rate));
    t.s->begin(t.p, t.now, NULL, NULL, found);
    for (int i = 0; i < RODS; i++)
        if (!(fabs(found[i] - (theta[i] - (i ? theta[i - 1] : 0))) < 1e-9))
            fail_msg("hinge %d: %.3g off", i, found[i] - (theta[i] - (i ? theta[i - 1] : 0)));
    unload(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_shaft)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
