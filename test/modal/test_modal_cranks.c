// SPDX-License-Identifier: Apache-2.0
// Slider-cranks with a modal rod: that of paper 002 (tangent frame) against its fastest mode and a converged
// prototype, that of the IVP test set (sine and quadratic shapes, chord frame) against published values;
// rods and frames of members against the matrices of a finite-element beam, in any direction.
#include "holonom/holonom.h"
#include "holonom/modes.h"
#include "math/dense.h"
#include "model/modal/modal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CRANK "models/modal-slider-crank.yaml"

static HolSim *crank_sim(const HolModel *m, const HolSimOptions *o) {
    HolSim *s = NULL;
    HolError err = {0};
    if (hol_sim_create(m, o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return s;
}

static double crank_value(HolSim *s, const char *wanted) {
    char name[160];
    double value;
    for (int i = 0; hol_sim_final(s, i, name, sizeof name, &value); i++)
        if (strcmp(name, wanted) == 0)
            return value;
    fail_msg("there is no %s", wanted);
    return 0;
}

static double fastest(HolSim *s, double *list, int n) {
    HolModesOptions options = hol_modes_options();
    HolModes *modes = NULL;
    HolError err = {0};
    options.count = 60;
    if (hol_sim_modes(s, &options, &modes, &err) != HOL_OK)
        fail_msg("%s", err.text);
    const double largest = modes->omega_max;
    for (int i = 0; i < n && i < modes->n_modes; i++)
        list[i] = modes->modes[i]->imag;
    hol_modes_destroy(modes);
    return largest;
}

// ---- paper 002 ----

static void test_paper(void **state) {
    (void)state;
    static const char *const modulus[2] = {"2e11", "3.4e9"};
    static const double omega[2] = {99744.55917435046, 13005.099401506073};
    for (int k = 0; k < 2; k++) {
        HolSetting set[2] = {{"E", modulus[k]}, {"torque", "0"}};
        HolModel *m = NULL;
        HolSimOptions o;
        HolError err = {0};
        if (hol_model_load(CRANK, set, 2, &m, &o, &err) != HOL_OK)
            fail_msg("%s", err.text);
        HolSim *s = crank_sim(m, &o);
        assert_true(fabs(fastest(s, NULL, 0) / omega[k] - 1) < 1e-11);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
    HolSetting set = {"E", "3.4e9"};
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    assert_int_equal(hol_model_load(CRANK, &set, 1, &m, &o, &err), HOL_OK);
    o.tolerance = 1e-9;
    snprintf(o.method.name, sizeof o.method.name, "rk853");
    HolSim *s = crank_sim(m, &o);
    assert_int_equal(hol_sim_run(s, 0.02, NULL, NULL, &err), HOL_OK);
    assert_true(fabs(crank_value(s, "crank.angle") - 0.010981261628747255) < 1e-12);
    assert_true(fabs(crank_value(s, "rod.angle") + 0.00901470565836239) < 1e-11);
    assert_true(fabs(crank_value(s, "slider.x") - 0.44998829710333477) < 1e-12);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// ---- IVP test set ----

static const double IVP_M[16] = {0.075552, 0, 0,        0,        0, 0.075552, 0,        0,
                                 0,        0, 1.208832, 0.151104, 0, 0,        0.151104, 0.302208},
                    IVP_K[16] = {123144.33964567189,
                                 0,
                                 0,
                                 0,
                                 0,
                                 1970309.4343307503,
                                 0,
                                 0,
                                 0,
                                 0,
                                 227555555.55555558,
                                 -113777777.77777779,
                                 0,
                                 0,
                                 -113777777.77777779,
                                 99555555.55555557},
                    IVP_C[2][4] = {{0, 0, 0.10073599999999999, 0.025183999999999998},
                                   {0.09619579266274714, 0, 0, 0}},
                    IVP_b[4] = {0, 0, 0.015110399999999998, 0.007555199999999999},
                    IVP_h[4] = {0.014429368899412074, -0.007214684449706037, 0, 0},
                    IVP_B[4][4] = {{0, 0, 0.07797337028824529, 0.009111211187250928},
                                   {0, 0, 0, -0.024048948165686784},
                                   {-0.07797337028824529, 0, 0, 0},
                                   {-0.009111211187250928, 0.024048948165686784, 0, 0}},
                    IVP_q[4] = {0, 0, 1.03339863e-05, 1.69327969e-05},
                    IVP_u[4] = {0.444896105, 0.00463434311, -1.78591076e-06, -2.68938672e-06},
                    IVP_OMEGA = -74.99576703969453;

// the rod in its modes: q = P z; P is left in `P` by columns
static void ivp_rod(HolModel *m, double P[16]) {
    enum { N = 4 };
    static double C[8], b[4], h[4], B[16], stiffness[4], damping[4], move[2][12], turn[2][4];
    double M[16], w[4], z[4] = {0}, u[4] = {0};
    const double mass = 0.151104;
    HolError err = {0};
    memcpy(P, IVP_K, sizeof IVP_K);
    memcpy(M, IVP_M, sizeof IVP_M);
    assert_int_equal(hol_dense_symmetric_pair(N, P, M, w), 0);
    memset(B, 0, sizeof B);
    memset(b, 0, sizeof b);
    memset(h, 0, sizeof h);
    memset(C, 0, sizeof C);
    for (int i = 0; i < 16; i++)
        P[i] *= sqrt(mass);
    for (int k = 0; k < N; k++) {
        stiffness[k] = mass * w[k];
        move[1][3 * k] = P[4 * k + 3]; // the end moves along x by the last coordinate
        for (int i = 0; i < N; i++) {
            const double p = P[4 * k + i];
            C[2 * k] += IVP_C[0][i] * p;
            C[2 * k + 1] += IVP_C[1][i] * p;
            b[k] += IVP_b[i] * p;
            h[k] += IVP_h[i] * p;
            for (int j = 0; j < N; j++) {
                z[k] += p * IVP_M[4 * i + j] * IVP_q[j] / mass;
                u[k] += p * IVP_M[4 * i + j] * IVP_u[j] / mass;
                for (int l = 0; l < N; l++)
                    B[4 * k + l] += p * IVP_B[i][j] * P[4 * l + j];
            }
        }
    }
    static HolModalInterface ends[2];
    ends[0] = (HolModalInterface){.name = "start", .move = move[0], .turn = turn[0]};
    ends[1] = (HolModalInterface){.name = "end", .x = {0.3}, .move = move[1], .turn = turn[1]};
    const HolModal rod = {.nf = N,
                          .mass = mass,
                          .length = 0.3,
                          .stiffness = stiffness,
                          .damping = damping,
                          .s0 = {mass * 0.15, 0},
                          .C = C,
                          .b = b,
                          .h = h,
                          .B = B,
                          .interfaces = ends,
                          .n_interfaces = 2};
    HolModalDef d = {
        .body = hol_body_def(), .amplitudes = z, .n_amplitudes = N, .rates = u, .n_rates = N};
    d.body.name = "rod";
    d.body.mass = mass;
    d.body.inertia[0] = 0.0045339259;
    d.body.position[0] = 0.15;
    d.body.velocity[1] = 0.15 * 150;
    d.body.omega[0] = IVP_OMEGA;
    if (hol_add_modal_made(m, &d, &rod, &d.body, &err) != HOL_OK)
        fail_msg("%s", err.text);
}

static void ivp_body(HolModel *m, const char *name, double x, double mass, double inertia,
                     double velocity, double omega) {
    HolError err = {0};
    HolBodyDef b = hol_body_def();
    b.name = name;
    b.mass = mass;
    b.inertia[0] = inertia;
    b.position[0] = x;
    b.velocity[0] = velocity;
    b.omega[0] = omega;
    assert_int_equal(hol_model_add_body(m, &b, &err), HOL_OK);
}

static void ivp_joint(HolModel *m, const char *name, const char *type, const char *a, double at,
                      const char *b) {
    HolError err = {0};
    HolJointDef j = hol_joint_def(type);
    j.name = name;
    j.a = (HolRef){.body = a, .has_at = 1, .at = {at}, .has_axis = 1, .axis = {1}};
    j.b = (HolRef){.body = b};
    assert_int_equal(hol_model_add_joint(m, &j, &err), HOL_OK);
}

static void test_test_set(void **state) {
    (void)state;
    static const double end[4] = {0.0001893192899613509, 2.375751249879174e-05,
                                  -5.323896770569702e-06, -8.363313279112129e-06};
    HolModel *m = NULL;
    HolError err = {0};
    double P[16], q[4] = {0};
    assert_int_equal(hol_model_create("IVP", HOL_PLANAR, NULL, &m, &err), HOL_OK);
    ivp_body(m, "crank", 0, 1, 0.002727, 0, 150);
    ivp_body(m, "slider", 0.4500169327969, 0.075552, 1, -2.68938672e-06, 0);
    ivp_rod(m, P);
    ivp_joint(m, "O", "revolute", NULL, 0, "crank");
    ivp_joint(m, "pin", "revolute", "crank", 0.15, "rod.start");
    ivp_joint(m, "wrist", "revolute", "rod.end", 0, "slider");
    ivp_joint(m, "guide", "prismatic", NULL, 0, "slider");
    HolMotionDef drive = hol_motion_def();
    drive.name = "drive";
    drive.joint = "O";
    drive.value = "150*time";
    assert_int_equal(hol_model_add_motion(m, &drive, &err), HOL_OK);
    if (hol_model_compile(m, &err) != HOL_OK)
        fail_msg("%s", err.text);
    HolSimOptions o = hol_sim_options();
    o.tolerance = 1e-9;
    snprintf(o.method.name, sizeof o.method.name, "taylor");
    HolSim *s = crank_sim(m, &o);
    if (hol_sim_run(s, 0.1, NULL, NULL, &err) != HOL_OK)
        fail_msg("%s", err.text);
    assert_true(fabs(crank_value(s, "rod.angle") + 0.331173498825626) < 1e-9);
    assert_true(fabs(crank_value(s, "slider.x") - 0.169737332842786) < 1e-8);
    for (int k = 0; k < 4; k++) {
        char name[24];
        snprintf(name, sizeof name, "rod.mode%d.x", k + 1);
        for (int i = 0; i < 4; i++)
            q[i] += P[4 * k + i] * crank_value(s, name);
    }
    for (int i = 0; i < 4; i++)
        assert_true(fabs(q[i] - end[i]) < 1e-8);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// ---- members ----

static void frequencies(const char *body, const char *file, double omega[6]) {
    char text[1000];
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    snprintf(text, sizeof text,
             "holonom: 1\nspace: spatial\nbodies:\n  - {name: rod, type: modal, %s}\n", body);
    if (hol_model_parse(text, strlen(text), file, NULL, 0, &m, &o, &err) != HOL_OK)
        fail_msg("%s\n%s", err.text, text);
    HolSim *s = crank_sim(m, &o);
    fastest(s, omega, 6);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

#define SECTION                                                                                    \
    "stiffness: {EA: 2e5, GJ: 12, EIy: 20, EIz: 28}, mass_per_length: 1, rotary: [2.4e-4, 1e-4, "  \
    "1.4e-4], modes: 4, keep: 6"

static void test_members(void **state) {
    (void)state;
    static const char *const bodies[4] = {
        "mass_matrix: modal-beam-mass.mtx, stiffness_matrix: modal-beam-stiffness.mtx, nodes: "
        "modal-beam-nodes.csv, interfaces: {start: 1, tip: 13}, modes: 4, keep: 6",
        "from: [0, 0, 0], to: [1, 0, 0], elements: 12, " SECTION,
        "from: [3, -1, 2], to: [3.36, -0.52, 2.8], elements: 12, up: [1, 2, 0.3], " SECTION,
        "nodes: [[0, 0, 0], [0, 0.5, 0], [0, 1, 0]], members: [[1, 2], [3, 2]], elements: 6, "
        "interfaces: {a: 1, b: 3}, " SECTION};
    double omega[4][6];
    for (int k = 0; k < 4; k++) {
        frequencies(bodies[k], "models/members.yaml", omega[k]);
        for (int i = 0; i < 6; i++)
            if (!(fabs(omega[k][i] / omega[0][i] - 1) < 1e-8))
                fail_msg("body %d, frequency %d: %.12g, expected %.12g", k, i, omega[k][i],
                         omega[0][i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_test_set),
        cmocka_unit_test(test_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
