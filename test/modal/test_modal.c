// SPDX-License-Identifier: Apache-2.0
// Modal bodies: motion against a converged prototype, momenta and energy of free parts, derivatives against
// differences, forces that a steady travel does not change, frequencies, damping, every method.
#include "holonom/holonom.h"
#include "holonom/modes.h"
#include "math/vec.h"
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PENDULUM "models/modal-pendulum.yaml"
#define ROD                                                                                        \
    "mass_matrix: modal-beam-mass.mtx, stiffness_matrix: modal-beam-stiffness.mtx, "               \
    "nodes: modal-beam-nodes.csv, interfaces: {start: 1, tip: 13}, modes: 4, keep: 6"
#define FRAME                                                                                      \
    "mass_matrix: frame-mass.mtx, stiffness_matrix: frame-stiffness.mtx, nodes: frame-nodes.csv, " \
    "interfaces: {left: 1, right: 5}, modes: 3"

static HolModel *modal_parse(const char *text, const char *file, HolSimOptions *o) {
    HolModel *m = NULL;
    HolError err = {0};
    if (hol_model_parse(text, strlen(text), file, NULL, 0, &m, o, &err) != HOL_OK)
        fail_msg("%s\n%s", err.text, text);
    return m;
}

static HolSim *modal_sim(const HolModel *m, const HolSimOptions *o) {
    HolSim *s = NULL;
    HolError err = {0};
    if (hol_sim_create(m, o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return s;
}

static void modal_run(HolSim *s, double end) {
    HolError err = {0};
    if (hol_sim_run(s, end, NULL, NULL, &err) != HOL_OK)
        fail_msg("%s", err.text);
}

static double modal_value(HolSim *s, const char *wanted) {
    char name[160];
    double value;
    for (int i = 0; hol_sim_final(s, i, name, sizeof name, &value); i++)
        if (strcmp(name, wanted) == 0)
            return value;
    fail_msg("there is no %s", wanted);
    return 0;
}

// ---- the pendulum of the reference ----

static const double CENTRE[3] = {0.10922831713267292, 0.231557069515005, -0.42947912238146607},
                    TIP[3] = {0.21999762840981635, 0.46450299645741067, -0.8578100698468045};

static void pendulum(const char *method, double tolerance, double accuracy) {
    static const char *const axis[3] = {"x", "y", "z"};
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    if (hol_model_load(PENDULUM, NULL, 0, &m, &o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    o.tolerance = tolerance;
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    HolSim *s = modal_sim(m, &o);
    modal_run(s, 0.4);
    for (int k = 0; k < 3; k++) {
        char name[2][32];
        snprintf(name[0], sizeof name[0], "rod.%s", axis[k]);
        snprintf(name[1], sizeof name[1], "rod.tip.%s", axis[k]);
        const double error[2] = {modal_value(s, name[0]) - CENTRE[k],
                                 modal_value(s, name[1]) - TIP[k]};
        if (!(fabs(error[0]) < accuracy && fabs(error[1]) < accuracy))
            fail_msg("%s: %s is off by %.2g and %.2g", method, axis[k], error[0], error[1]);
    }
    assert_true(hol_sim_stats(s).energy_max_drift < 10 * accuracy);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

static void test_pendulum(void **state) {
    (void)state;
    pendulum("taylor", 1e-11, 1e-10);
    pendulum("rk853", 1e-9, 1e-10);
    pendulum("tangent", 1e-6, 1e-7);
    pendulum("radau", 1e-5, 1e-6);
    pendulum("bdf", 1e-6, 1e-5);
    pendulum("generalized-alpha", 1e-4, 1e-3);
    pendulum("newmark", 1e-4, 1e-3);
    pendulum("dae-alpha", 1e-4, 1e-3);
}

// ---- momenta of free parts ----

// linear momentum and moment of momentum about the origin
static void momenta(const HolModel *m, HolSim *s, double out[6]) {
    const HolProblem *p = hol_model_problem(m);
    const HolView x = hol_sim_view(s);
    const int plane = hol_model_space(m) == HOL_PLANAR;
    double M[2000] = {0}, mv[100] = {0};
    void *work = calloc(1, p->work_size + 64);
    assert_true(p->M.nnz < 2000 && p->nv < 100 && work);
    p->work_init(p, work);
    p->mass(p, work, &(HolPoint){.t = x.t, .q = x.q}, 1, 0, M);
    for (int j = 0; j < p->nv; j++)
        for (int e = p->M.ptr[j]; e < p->M.ptr[j + 1]; e++)
            mv[p->M.idx[e]] += M[e] * x.v[j];
    memset(out, 0, sizeof(double) * 6);
    const double *r = x.q; // (the frame is the first body)
    if (plane) {
        out[0] = mv[0];
        out[1] = mv[1];
        out[5] = r[0] * mv[1] - r[1] * mv[0] + mv[2];
    } else {
        const Mat3 A = q_matrix(q_load(x.q + 3));
        v3_store(out, v3_load(mv));
        v3_store(out + 3, v3_add(v3_cross(v3_load(r), v3_load(mv)), m3_mulv(A, v3_load(mv + 3))));
    }
    free(work);
}

static void flight(const char *text, const char *file) {
    HolSimOptions o;
    HolModel *m = modal_parse(text, file, &o);
    o.tolerance = 1e-12;
    snprintf(o.method.name, sizeof o.method.name, "taylor");
    HolSim *s = modal_sim(m, &o);
    double before[6], after[6];
    momenta(m, s, before);
    modal_run(s, 0.3);
    momenta(m, s, after);
    for (int k = 0; k < 6; k++)
        if (!(fabs(after[k] - before[k]) < 2e-12))
            fail_msg("momentum %d changed by %.2g", k, after[k] - before[k]);
    assert_true(hol_sim_stats(s).energy_max_drift < 1e-10);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

static void test_flight(void **state) {
    (void)state;
    flight("holonom: 1\nspace: spatial\nbodies:\n  - {name: rod, type: modal, " ROD
           ", velocity: [0.1, 0.2, 0.3], omega: [1, 3, 5], amplitudes: [0.02, -0.01, 0.005, 0.003, "
           "0.001, 0.002], amplitude_rates: [0.5, -1, 0.3, 0.2, 0.7, -0.4]}\n",
           "models/flight.yaml");
    flight("holonom: 1\nspace: planar\nbodies:\n  - {name: frame, type: modal, " FRAME
           ", velocity: [1, -0.5], omega: 4, position: [1, 2], angle: 0.3, amplitudes: [0.01, "
           "-0.005, 0.002], amplitude_rates: [0.3, -0.2, 0.1]}\n",
           "test/ref/modal/flight.yaml");
}

// ---- derivatives, travel ----

typedef struct Point {
    const HolProblem *p;
    void *work;
    double q[100], v[100], a[100], lambda[100];
} Point;

// r = M a + G^T lambda - f
static void residual(const Point *x, const double *q, const double *v, double *r) {
    const HolProblem *p = x->p;
    const HolPoint at = {.t = 0, .q = q, .v = v, .a = x->a, .lambda = x->lambda};
    double M[3000] = {0}, G[3000];
    assert_true(p->M.nnz < 3000 && p->G.nnz < 3000);
    p->force(p, x->work, &at, r);
    for (int i = 0; i < p->nv; i++)
        r[i] = -r[i];
    p->mass(p, x->work, &at, 1, 0, M);
    for (int j = 0; j < p->nv; j++)
        for (int e = p->M.ptr[j]; e < p->M.ptr[j + 1]; e++)
            r[p->M.idx[e]] += M[e] * x->a[j];
    p->jacobian(p, x->work, &at, G);
    for (int i = 0; i < p->nh; i++)
        for (int e = p->G.ptr[i]; e < p->G.ptr[i + 1]; e++)
            r[p->G.idx[e]] += G[e] * x->lambda[i];
}

static double wave(int i) { // numbers of both signs
    return sin(1.7 * i + 0.4) + 0.3 * cos(5.1 * i);
}

static void derivatives(const char *text, const char *file) {
    HolSimOptions o;
    HolModel *m = modal_parse(text, file, &o);
    const HolProblem *p = hol_model_problem(m);
    Point x = {.p = p, .work = calloc(1, p->work_size + 64)};
    double S[2][8000], d[100] = {0}, r[100], q[100];
    assert_true(p->S.nnz < 8000 && p->nv < 90 && x.work);
    p->work_init(p, x.work);
    hol_model_initial(m, x.q, x.v, NULL, NULL);
    for (int i = 0; i < p->nv; i++) {
        d[i] = 0.1 * wave(i);
        x.v[i] = wave(i + 7);
        x.a[i] = wave(i + 31);
    }
    for (int i = 0; i < p->nh; i++)
        x.lambda[i] = wave(i + 57);
    p->retract(p, x.work, x.q, d, x.q);
    memset(S, 0, sizeof S);
    const HolPoint at = {.q = x.q, .v = x.v, .a = x.a, .lambda = x.lambda};
    p->tangent(p, x.work, &at, 1, 0, S[0]);
    p->tangent(p, x.work, &at, 0, 1, S[1]);
    // (quadratic in velocities; of fourth order in positions)
    static const double step[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    for (int j = 0; j < p->nv; j++)
        for (int part = 0; part < 2; part++) {
            double column[100] = {0}, sum[100] = {0}, most = 1;
            const double h = part ? 5e-3 : 0.5;
            for (int k = 0; k < 4; k++) {
                double v[100];
                memcpy(v, x.v, sizeof v);
                memset(d, 0, sizeof d);
                *(part ? &d[j] : &v[j]) += step[k] * h;
                p->retract(p, x.work, x.q, d, q);
                residual(&x, q, v, r);
                for (int i = 0; i < p->nv; i++)
                    sum[i] += weight[k] * r[i] / (12 * h);
            }
            for (int e = p->S.ptr[j]; e < p->S.ptr[j + 1]; e++)
                column[p->S.idx[e]] = S[part][e];
            for (int i = 0; i < p->nv; i++)
                most = fmax(most, fabs(column[i]));
            for (int i = 0; i < p->nv; i++)
                if (!(fabs(sum[i] - column[i]) < 1e-8 * most))
                    fail_msg("%s, column %d, row %d: %.12g, differences %.12g",
                             part ? "stiffness" : "damping", j, i, column[i], sum[i]);
        }
    free(x.work);
    hol_model_destroy(m);
}

static void test_derivatives(void **state) {
    (void)state;
    derivatives(
        "holonom: 1\nspace: spatial\ngravity: [1, 2, -9]\nground: {points: {O: [0, 0, 0]}}\n"
        "bodies:\n  - {name: rod, type: modal, damping: [0.01, 0.02], " ROD "}\n"
        "joints: [{type: spherical, between: [ground.O, rod.start]}]\n",
        "models/derivatives.yaml");
    derivatives("holonom: 1\nspace: planar\ngravity: [1, -9]\nground: {points: {O: [0, 0]}}\n"
                "bodies:\n  - {name: frame, type: modal, damping: 0.01, " FRAME "}\n"
                "joints: [{type: revolute, between: [ground.O, frame.left]}]\n",
                "test/ref/modal/derivatives.yaml");
}

// a steady travel changes no force
static void test_travel(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m =
        modal_parse("holonom: 1\nspace: spatial\nbodies:\n  - {name: rod, type: modal, " ROD
                    ", omega: [1, 3, 5], amplitudes: [0.02, -0.01, 0.005], "
                    "amplitude_rates: [0.5, -1, 0.3]}\n",
                    "models/travel.yaml", &o);
    const HolProblem *p = hol_model_problem(m);
    void *work = calloc(1, p->work_size + 64);
    double q[100], v[100], f[2][100], most = 0;
    p->work_init(p, work);
    hol_model_initial(m, q, v, NULL, NULL);
    for (int side = 0; side < 2; side++) {
        p->force(p, work, &(HolPoint){.q = q, .v = v}, f[side]);
        for (int i = 1; i < m->def.n_bodies; i++)
            for (int k = 0; k < 3 && m->def.bodies[i].nv == 6; k++)
                v[m->def.bodies[i].v + k] += 1000 * (k + 1);
    }
    for (int i = 0; i < p->nv; i++)
        most = fmax(most, fabs(f[0][i]));
    for (int i = 0; i < p->nv; i++)
        assert_true(fabs(f[1][i] - f[0][i]) <= 1e-12 * most);
    free(work);
    hol_model_destroy(m);
}

// ---- frequencies ----

static void test_modes(void **state) {
    (void)state;
    static const double omega[6] = {100.16550264796491, 118.39894621061785, 275.5041561603367,
                                    325.2626537449765,  774.5966692414837,  893.2727461812233};
    HolSimOptions o;
    HolModel *m = modal_parse("holonom: 1\nspace: spatial\nbodies:\n  - {name: rod, type: modal, "
                              "damping: 0.03, " ROD "}\n",
                              "models/modes.yaml", &o);
    HolSim *s = modal_sim(m, &o);
    HolModesOptions options = hol_modes_options();
    HolModes *modes = NULL;
    HolError err = {0};
    if (hol_sim_modes(s, &options, &modes, &err) != HOL_OK)
        fail_msg("%s", err.text);
    int found = 0;
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < modes->n_modes; i++) {
            const double w = hypot(modes->modes[i]->real, modes->modes[i]->imag);
            if (fabs(w - omega[k]) < 1e-8 * omega[k]) {
                assert_true(fabs(modes->modes[i]->damping - 0.03) < 1e-8);
                found++;
                break;
            }
        }
    assert_int_equal(found, 6);
    hol_modes_destroy(modes);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),    cmocka_unit_test(test_flight),
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_travel),
        cmocka_unit_test(test_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
