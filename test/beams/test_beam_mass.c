// SPDX-License-Identifier: Apache-2.0
// Consistent mass of beams: frequencies, momenta and energy of free rods, weight and loads that leave
// them straight, steady travel, every method, order in time and in the number of elements.
// Derivatives and series: test_beams, test_series.
#include "beam_run.h"
#include "math/vec.h"
#include "model/model.h"
#include "solve/sim.h"

#include <stdlib.h>

#define PLANE "holonom: 1\nspace: planar\nground: {points: {O: [0, 0]}}\n"
#define SPACE "holonom: 1\nspace: spatial\nground: {points: {O: [0, 0, 0]}}\n"

// ---- frequencies ----

static void check(const char *what, double e, double expected) {
    if (!(e < 1.05 * expected && e > 0.94 * expected))
        fail_msg("%s: error %.3g instead of %.3g", what, e, expected);
}

static void test_frequencies(void **state) {
    (void)state;
    static const struct {
        const char *from;
        double exact[2], error[2];
    } cases[] = {{"ground.O", {3.516015268500, 22.03449156390}, {1.9e-6, 7.8e-5}},
                 {"[0, 0]", {22.37328544806, 61.67282285450}, {8.0e-5, 5.8e-4}}};
    for (int i = 0; i < 2; i++) {
        char text[600];
        double squares[2];
        snprintf(text, sizeof text,
                 PLANE "bodies: [{name: rod, type: beam, from: %s, to: [1, 0], elements: 8, mass: "
                       "consistent, stiffness: {EA: 1e7, EI: 1}, mass_per_length: 1, rotary: "
                       "1.0e-7}]\n",
                 cases[i].from);
        assert_int_equal(beam_squares(text, 0, squares, 2), 2);
        for (int k = 0; k < 2; k++)
            check(i ? "free rod" : "clamped rod", fabs(sqrt(squares[k]) / cases[i].exact[k] - 1),
                  cases[i].error[k]);
    }
}

// ---- a model's problem at a state ----

typedef struct Body {
    HolModel *m;
    const HolProblem *p;
    void *work;
    double *q, *v, *M, *f;
} Body;

static Body body_open(const char *text) {
    Body b = {0};
    HolSimOptions o;
    HolError err = {0};
    if (hol_model_parse(text, strlen(text), "beam.yaml", NULL, 0, &b.m, &o, &err) != HOL_OK)
        fail_msg("%s\n%s", err.text, text);
    b.p = hol_model_problem(b.m);
    b.work = calloc(1, b.p->work_size + 64);
    b.q = calloc((size_t)b.p->nq + 1, sizeof(double));
    b.v = calloc((size_t)b.p->nv + 1, sizeof(double));
    b.f = calloc((size_t)b.p->nv + 1, sizeof(double));
    b.M = calloc((size_t)b.p->M.nnz + 1, sizeof(double));
    assert_true(b.work && b.q && b.v && b.f && b.M);
    b.p->work_init(b.p, b.work);
    hol_model_initial(b.m, b.q, b.v, NULL, NULL);
    return b;
}

static void body_close(Body *b) {
    free(b->work);
    free(b->q);
    free(b->v);
    free(b->f);
    free(b->M);
    hol_model_destroy(b->m);
}

// out = M x
static void body_times(Body *b, const double *q, const double *x, double *out) {
    const HolPattern *M = &b->p->M;
    memset(b->M, 0, sizeof(double) * (size_t)M->nnz);
    b->p->mass(b->p, b->work, &(HolPoint){.q = q}, 1, 0, b->M);
    memset(out, 0, sizeof(double) * (size_t)M->cols);
    for (int j = 0; j < M->cols; j++)
        for (int e = M->ptr[j]; e < M->ptr[j + 1]; e++)
            out[M->idx[e]] += b->M[e] * x[j];
}

static double wave(int i) { // numbers of both signs
    return sin(1.7 * i + 0.4) + 0.3 * cos(5.1 * i);
}

// bend the rod
static void body_shake(Body *b) {
    double d[100];
    assert_true(b->p->nv <= 100);
    for (int i = 0; i < b->p->nv; i++) {
        d[i] = 0.1 * wave(i);
        b->v[i] = wave(i + 11);
    }
    b->p->retract(b->p, b->work, b->q, d, b->q);
}

#define ROD2                                                                                       \
    "bodies: [{name: rod, type: beam, from: [0.2, 0.1], to: [1, 0.7], elements: 4, mass: "         \
    "consistent, stiffness: {EA: 1e3, GA: 400, EI: 4}, mass_per_length: 1.5, rotary: 1.0e-2}]\n"
#define ROD3                                                                                       \
    "bodies: [{name: rod, type: beam, from: [0.2, 0.1, 0.4], to: [1, 0.7, 0], elements: 4, mass: " \
    "consistent, stiffness: {EA: 1e3, GA: 400, GJ: 1, EIy: 1, EIz: 2}, mass_per_length: 1.5, "     \
    "rotary: [2.0e-3, 1.0e-3, 1.0e-3]}]\n"

// weight, and a load per length like it, accelerate every part of a bent rod alike: f = M (g, 0, g, 0 ..)
static void test_weight(void **state) {
    (void)state;
    static const char *const plain[2] = {PLANE ROD2, SPACE ROD3},
                             *const heavy[4] = {
                                 PLANE "gravity: [2, -9]\n" ROD2,
                                 SPACE "gravity: [2, -9, 4]\n" ROD3,
                                 PLANE ROD2
                                 "forces: [{type: load, on: rod, per_length: [3, -13.5]}]\n",
                                 SPACE ROD3
                                 "forces: [{type: load, on: rod, per_length: [3, -13.5, 6]}]\n"};
    static const double g[3] = {2, -9, 4};
    for (int i = 0; i < 4; i++) {
        Body a = body_open(plain[i % 2]), b = body_open(heavy[i]);
        double x[100] = {0}, expected[100], V[2], more[2];
        body_shake(&a);
        body_shake(&b);
        a.p->force(a.p, a.work, &(HolPoint){.q = a.q, .v = a.v}, a.f);
        b.p->force(b.p, b.work, &(HolPoint){.q = b.q, .v = b.v}, b.f);
        for (int k = 1; k < a.m->def.n_bodies; k++)
            for (int c = 0; c < (i % 2 ? 3 : 2); c++)
                x[a.m->def.bodies[k].v + c] = g[c];
        body_times(&a, a.q, x, expected);
        for (int k = 0; k < a.p->nv; k++)
            if (!(fabs(b.f[k] - a.f[k] - expected[k]) < 1e-12))
                fail_msg("case %d, velocity %d: %.15g instead of %.15g", i, k, b.f[k] - a.f[k],
                         expected[k]);
        // the potential of the weight: it changes by -f.d along a small way
        for (int side = 0; side < 2 && i < 2; side++) {
            double d[100], q[200];
            for (int k = 0; k < a.p->nv; k++)
                d[k] = (side ? 1 : -1) * 1e-3 * wave(k + 3);
            b.p->retract(b.p, b.work, b.q, d, q);
            b.p->energy(b.p, b.work, &(HolPoint){.q = q, .v = b.v}, NULL, &V[side], NULL);
            a.p->energy(a.p, a.work, &(HolPoint){.q = q, .v = a.v}, NULL, &more[side], NULL);
        }
        double work = 0;
        for (int k = 0; k < a.p->nv; k++)
            work += expected[k] * 2e-3 * wave(k + 3);
        if (i < 2 && !(fabs(V[1] - V[0] - more[1] + more[0] + work) < 1e-6 * fabs(work)))
            fail_msg("case %d: the potential of the weight is not that of its forces", i);
        body_close(&a);
        body_close(&b);
    }
}

// a steady travel changes no force; the rod as one rigid body has its energy exactly
static void test_travel(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        Body b = body_open(i ? SPACE ROD3 : PLANE ROD2);
        double f[100], most = 0;
        body_shake(&b);
        b.p->force(b.p, b.work, &(HolPoint){.q = b.q, .v = b.v}, b.f);
        for (int k = 1; k < b.m->def.n_bodies; k++)
            for (int c = 0; c < (i ? 3 : 2); c++)
                b.v[b.m->def.bodies[k].v + c] += 1000 * (c + 1);
        b.p->force(b.p, b.work, &(HolPoint){.q = b.q, .v = b.v}, f);
        for (int k = 0; k < b.p->nv; k++)
            most = fmax(most, fabs(f[k]));
        for (int k = 0; k < b.p->nv; k++)
            assert_true(fabs(f[k] - b.f[k]) <= 1e-12 * most);
        body_close(&b);
    }
    for (int n = 1; n <= 5; n++) {
        char text[600];
        double T;
        snprintf(text, sizeof text,
                 PLANE "bodies: [{name: rod, type: beam, from: [0, 0], to: [3, 0], elements: %d, "
                       "mass: consistent, stiffness: {EA: 1, EI: 1}, mass_per_length: 2, rotary: "
                       "0.1, velocity: [4, 5], omega: 3}]\n",
                 n);
        Body b = body_open(text);
        b.p->energy(b.p, b.work, &(HolPoint){.q = b.q, .v = b.v}, &T, NULL, NULL);
        // m v^2/2 + (m L^2/12 + rotary) omega^2/2
        assert_true(fabs(T - 3 * 41 - 0.5 * 9 * (6 * 9.0 / 12 + 0.3)) < 1e-12);
        body_close(&b);
    }
}

// ---- free flight ----

static void flight_momenta(Body *b, const HolView *x, double out[6]) {
    double mv[100];
    body_times(b, x->q, x->v, mv);
    memset(out, 0, sizeof(double) * 6);
    for (int i = 1; i < b->m->def.n_bodies; i++) {
        const HolBody *n = &b->m->def.bodies[i];
        const double *r = x->q + n->q, *p = mv + n->v;
        if (n->nv == 3) {
            out[0] += p[0];
            out[1] += p[1];
            out[5] += r[0] * p[1] - r[1] * p[0] + p[2];
            continue;
        }
        double turn[3];
        v3_store(turn,
                 v3_add(v3_cross(v3_load(r), v3_load(p)), q_rotate(q_load(r + 3), v3_load(p + 3))));
        for (int k = 0; k < 3; k++) {
            out[k] += p[k];
            out[3 + k] += turn[k];
        }
    }
}

static void test_flight(void **state) {
    (void)state;
    static const char *const texts[2] = {
        PLANE "bodies: [{name: rod, type: beam, from: [0, 0], to: [1, 0], elements: 4, mass: "
              "consistent, natural: 0.8, velocity: [0.3, -0.2], omega: 0.7, stiffness: {EA: 1e3, "
              "GA: 400, EI: 4}, mass_per_length: 1, rotary: 1.0e-2}]\nsimulation: {end: 20}\n",
        SPACE "bodies: [{name: rod, type: beam, from: [0, 0, 0], to: [1, 0, 0], elements: 4, mass: "
              "consistent, natural: [0.3, 0.5, -0.4], velocity: [0.3, -0.2, 0.1], omega: [0.4, "
              "-0.3, 0.5], stiffness: {EA: 1e3, GA: 400, GJ: 1, EIy: 1, EIz: 2}, mass_per_length: "
              "1, rotary: [2.0e-3, 1.0e-3, 1.0e-3]}]\nsimulation: {end: 20}\n"};
    for (int i = 0; i < 2; i++) {
        HolModel *m = NULL;
        HolError err = {0};
        HolSim *s = beam_open(texts[i], &m, 1e-12, "taylor");
        Body b = body_open(texts[i]);
        double first[6], last[6];
        HolView x = hol_sim_view(s);
        flight_momenta(&b, &x, first);
        // centre (1/2, 0, 0), J = 1/12 + rotary
        const double J = 1.0 / 12 + (i ? 1e-3 : 1e-2), spin = i ? 0.5 : 0.7;
        assert_true(fabs(first[0] - 0.3) < 1e-14 && fabs(first[1] + 0.2) < 1e-14 &&
                    fabs(first[5] - spin * J + 0.1) < 1e-14);
        assert_int_equal(hol_sim_advance(s, 20, &err), HOL_OK);
        x = hol_sim_view(s);
        flight_momenta(&b, &x, last);
        for (int k = 0; k < 6; k++)
            if (!(fabs(last[k] - first[k]) < 1e-12))
                fail_msg("momentum %d changed by %.3g", k, last[k] - first[k]);
        const HolStats stats = hol_sim_stats(s);
        assert_true(stats.energy_max_drift < 1e-11 * stats.energy_final);
        hol_sim_destroy(s);
        hol_model_destroy(m);
        body_close(&b);
    }
}

// ---- methods ----

static const char *const pendulums[2] = {
    PLANE "gravity: [0, -9.81]\nbodies: [{name: rod, type: beam, from: [0, 0], to: [1, -0.4], "
          "elements: 2, mass: consistent, stiffness: {EA: 200, GA: 80, EI: 3}, mass_per_length: 1, "
          "rotary: 1.0e-2, damping: {time: 1.0e-3, mass: 0.2}}]\n"
          "joints: [{type: revolute, between: [ground.O, rod.start]}]\nsimulation: {end: 0.4}\n",
    SPACE "gravity: [0, 0, -9.81]\nbodies: [{name: rod, type: beam, from: [0, 0, 0], to: [1, 0.3, "
          "-0.4], elements: 1, mass: consistent, omega: [0.5, 1, -2], stiffness: {EA: 200, GA: 80, "
          "GJ: 2, EIy: 3, EIz: 4}, mass_per_length: 1, rotary: [2.0e-2, 1.0e-2, 1.0e-2], damping: "
          "{mass: 0.2}, exact: []}]\n"
          "joints: [{type: spherical, between: [ground.O, rod.start]}]\nsimulation: {end: 0.4}\n"};

// where the end is at 0.4 s; step 0: by the tolerance
static void end_of(const char *text, const char *method, double step, double tolerance,
                   double out[2]) {
    HolModel *m = NULL;
    HolSimOptions o;
    HolSim *s = NULL;
    HolError err = {0};
    if (hol_model_parse(text, strlen(text), "beam.yaml", NULL, 0, &m, &o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.step = step;
    if (tolerance > 0)
        o.tolerance = tolerance;
    if (hol_sim_create(m, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK ||
        hol_sim_run(s, 0.4, NULL, NULL, &err) != HOL_OK)
        fail_msg("%s: %s", method, err.text);
    out[0] = beam_value(s, "rod.end.x");
    out[1] = beam_value(s, "rod.end.y");
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// all of them come to the same place
static void test_methods(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        double exact[2], end[2];
        end_of(pendulums[i], "taylor", 0, 1e-12, exact);
        for (const HolStepper *const *s = hol_steppers; *s; s++) {
            const int free = strcmp((*s)->name, "bdf") == 0; // (it has no fixed step)
            end_of(pendulums[i], (*s)->name, free ? 0 : 1e-3, free ? 1e-7 : 0, end);
            const double e = hypot(end[0] - exact[0], end[1] - exact[1]);
            if (!(e < 3e-4))
                fail_msg("%s, case %d: off by %.3g", (*s)->name, i, e);
        }
    }
}

static void test_orders(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double step, order;
    } cases[] = {{"newmark", 4e-3, 2}, {"rk4", 4e-3, 4}, {"radau", 2e-2, 5}, {"tangent", 8e-3, 4}};
    for (int i = 0; i < 2; i++) {
        double exact[2];
        end_of(pendulums[i], "taylor", 0, 1e-12, exact);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            double e[2];
            for (int half = 0; half < 2; half++) {
                double end[2];
                end_of(pendulums[i], cases[k].method, cases[k].step / (half + 1), 0, end);
                e[half] = hypot(end[0] - exact[0], end[1] - exact[1]);
            }
            const double order = log2(e[0] / e[1]);
            if (!(order > cases[k].order - 0.35))
                fail_msg("%s, case %d: errors %.3g and %.3g, order %.2f", cases[k].method, i, e[0],
                         e[1], order);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frequencies), cmocka_unit_test(test_weight),
        cmocka_unit_test(test_travel),      cmocka_unit_test(test_flight),
        cmocka_unit_test(test_methods),     cmocka_unit_test(test_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
