// SPDX-License-Identifier: Apache-2.0
// Beams in motion against converged motions of the same elements (test/ref/beams): falling and damped
// pendulums, flying spaghetti, the right-angle cantilever, a spin-up. Energy and momenta of free rods.
#include "beam_run.h"
#include "math/vec.h"

// advances to each time of the file and compares values with the lists of the results
static void follow(const char *file, const char *text, const char *method, int times,
                   const char *const (*names)[2], int n, double tolerance) {
    char path[160];
    snprintf(path, sizeof path, BEAM_REF "%s.json", file);
    JsonFile f = json_open(path);
    HolModel *m = NULL;
    HolSim *s = beam_open(text, &m, 1e-9, method);
    HolError err = {0};
    for (int i = 1; i < times; i++) {
        snprintf(path, sizeof path, "input/times/%d", i);
        const double t = json_number(&f, path);
        if (hol_sim_advance(s, t, &err) != HOL_OK)
            fail_msg("%s: %s", file, err.text);
        for (int k = 0; k < n; k++) {
            snprintf(path, sizeof path, names[k][1], i);
            const double expected = json_number(&f, path), value = beam_value(s, names[k][0]);
            if (!(fabs(value - expected) <= tolerance * fmax(1, fabs(expected))))
                fail_msg("%s, %s at %g: %.13g instead of %.13g", file, names[k][0], t, value,
                         expected);
        }
    }
    const HolStats stats = hol_sim_stats(s);
    assert_true(stats.energy_max_drift <= 1e-9 * fmax(1, fabs(stats.energy_final)));
    hol_sim_destroy(s);
    hol_model_destroy(m);
    json_close(&f);
}

#define PENDULUM(n, more)                                                                          \
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"                                             \
    "bodies: [{name: rod, type: beam, from: [0, 0], to: [1, 0], elements: " n                      \
    ", stiffness: {EA: 1e4, GA: 4e3, EI: 0.2}, mass_per_length: 1, rotary: 2.0e-5" more "}]\n"     \
    "joints: [{type: revolute, between: [ground, rod.start]}]\nsimulation: {end: 2}\n"

static void test_pendulums(void **state) {
    (void)state;
    static const char *const values[][2] = {{"rod.end.x", "results/corrected/tip_x/%d"},
                                            {"rod.end.y", "results/corrected/tip_y/%d"},
                                            {"rod.end.angle", "results/corrected/tip_angle/%d"}};
    follow("pendulum_planar", PENDULUM("8", ""), "taylor", 5, values, 3, 1e-8);
    follow("pendulum_damped", PENDULUM("6", ", damping: {time: 0.002}"), "tangent", 4, values, 3,
           1e-8);
}

static void test_spaghetti_planar(void **state) {
    (void)state;
    static const char *const values[][2] = {{"rod.start.x", "results/corrected/node0_x/%d"},
                                            {"rod.start.y", "results/corrected/node0_y/%d"},
                                            {"rod.start.angle", "results/corrected/node0_angle/%d"},
                                            {"rod.end.x", "results/corrected/end_x/%d"},
                                            {"rod.end.y", "results/corrected/end_y/%d"},
                                            {"rod.end.angle", "results/corrected/end_angle/%d"}};
    follow("spaghetti_planar",
           "holonom: 1\nspace: planar\n"
           "bodies: [{name: rod, type: beam, from: [6, 0], to: [0, 8], elements: 10, stiffness: "
           "{EA: 1e4, GA: 1e4, EI: 500}, mass_per_length: 1, rotary: 10}]\n"
           "variables: [{name: T, value: \"if(time < 2.5, 80, 0)\"}]\n"
           "forces: [{type: force, on: rod.start, value: [T/10, 0]}, {type: torque, on: "
           "rod.start, value: -T}]\nsimulation: {end: 10}\n",
           "taylor", 4, values, 6, 1e-8);
}

static void test_spaghetti(void **state) {
    (void)state;
    static const char *const values[][2] = {{"rod.start.x", "results/corrected/node0/%d/0"},
                                            {"rod.start.y", "results/corrected/node0/%d/1"},
                                            {"rod.start.z", "results/corrected/node0/%d/2"},
                                            {"rod.end.x", "results/corrected/end/%d/0"},
                                            {"rod.end.y", "results/corrected/end/%d/1"},
                                            {"rod.end.z", "results/corrected/end/%d/2"}};
    follow(
        "spaghetti_spatial",
        "holonom: 1\nspace: spatial\n"
        "bodies: [{name: rod, type: beam, from: [6, 0, 0], to: [0, 8, 0], elements: 10, stiffness: "
        "{EA: 1e4, GA: 1e4, GJ: 500, EI: 500}, mass_per_length: 1, rotary: 10}]\n"
        "variables: [{name: T, value: \"if(time < 2.5, 80*time, if(time < 5, 400 - 80*time, "
        "0))\"}]\n"
        "forces: [{type: force, on: rod.start, value: [T/10, 0, 0]}, {type: torque, on: rod.start, "
        "value: [0, -T/2, -T]}]\nsimulation: {end: 8}\n",
        "taylor", 4, values, 6, 1e-8);
}

static void test_right_angle(void **state) {
    (void)state;
    static const char *const values[][2] = {{"one.end.x", "results/corrected/elbow/%d/0"},
                                            {"one.end.y", "results/corrected/elbow/%d/1"},
                                            {"one.end.z", "results/corrected/elbow/%d/2"},
                                            {"two.end.x", "results/corrected/tip/%d/0"},
                                            {"two.end.y", "results/corrected/tip/%d/1"},
                                            {"two.end.z", "results/corrected/tip/%d/2"}};
    follow("right_angle",
           "holonom: 1\nspace: spatial\nground: {points: {O: [0, 0, 0]}}\nbodies:\n"
           "  - &leg {name: one, type: beam, from: ground.O, to: [10, 0, 0], elements: 4, "
           "stiffness: {EA: "
           "1e6, GA: 1e6, GJ: 1e3, EI: 1e3}, mass_per_length: 1, rotary: [20, 10, 10]}\n"
           "  - {<<: *leg, name: two, from: one.end, to: [10, 10, 0]}\n"
           "forces: [{type: force, on: one.end, value: [0, 0, \"if(time < 1, 50*time, if(time < 2, "
           "100 "
           "- 50*time, 0))\"]}]\nsimulation: {end: 10}\n",
           "taylor", 5, values, 6, 1e-8);
}

// a free rod keeps its momenta, and its energy over many periods
static void test_free_rod(void **state) {
    (void)state;
    HolModel *m = NULL;
    HolSim *s = beam_open(
        "holonom: 1\nspace: planar\nbodies: [{name: rod, type: beam, from: [0, 0], to: [1, 0], "
        "elements: 6, natural: 1.2, velocity: [0.3, -0.2], omega: 0.5, stiffness: {EA: 1e3, GA: "
        "400, "
        "EI: 1}, mass_per_length: 1, rotary: 1.0e-3}]\nsimulation: {end: 28}\n",
        &m, 1e-10, "taylor");
    HolError err = {0};
    assert_int_equal(hol_sim_advance(s, 28, &err), HOL_OK); // 100 periods of the first bending mode
    double mass = 0, px = 0, py = 0, turn = 0;
    for (int i = 0; i <= 6; i++) {
        static const double w[7] = {3.0 / 8, 7.0 / 6, 23.0 / 24, 1, 23.0 / 24, 7.0 / 6, 3.0 / 8};
        char name[5][40];
        static const char *const part[5] = {"x", "y", "vx", "vy", "omega"};
        double v[5];
        for (int k = 0; k < 5; k++) {
            snprintf(name[k], sizeof name[k], "rod.node%d.%s", i, part[k]);
            v[k] = beam_value(s, name[k]);
        }
        const double mi = w[i] / 6;
        mass += mi;
        px += mi * v[2];
        py += mi * v[3];
        turn += mi * (v[0] * v[3] - v[1] * v[2]) + 1e-3 * mi * v[4];
    }
    const double centre = 0.5; // the angular momentum about the origin is that of the start
    assert_true(fabs(mass - 1) < 1e-14 && fabs(px - 0.3) < 1e-12 && fabs(py + 0.2) < 1e-12);
    assert_true(fabs(turn - (centre * -0.2 + 0.5 * (1.0 / 12 + 1e-3))) < 1e-12);
    const HolStats stats = hol_sim_stats(s);
    assert_true(stats.energy_max_drift < 1e-11 * stats.energy_final);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// momenta of a rod of 4 elements in space about the origin; wx, wy, wz are in global axes
static void momenta(HolSim *s, const double rotary[3], double out[6]) {
    static const double w[5] = {3.0 / 8, 7.0 / 6, 11.0 / 12, 7.0 / 6, 3.0 / 8};
    static const char *const part[13] = {"x",  "y",  "z",  "vx", "vy", "vz", "qw",
                                         "qx", "qy", "qz", "wx", "wy", "wz"};
    memset(out, 0, sizeof(double) * 6);
    for (int i = 0; i < 5; i++) {
        double x[13], own[3];
        for (int k = 0; k < 13; k++) {
            char name[40];
            snprintf(name, sizeof name, "rod.node%d.%s", i, part[k]);
            x[k] = beam_value(s, name);
        }
        const Quat q = q_load(x + 6);
        v3_store(own, q_rotate(q_conj(q), v3_load(x + 10)));
        for (int k = 0; k < 3; k++) {
            out[k] += w[i] / 4 * x[3 + k];
            own[k] *= w[i] / 4 * rotary[k];
        }
        const Vec3 turn = v3_add(v3_scale(v3_cross(v3_load(x), v3_load(x + 3)), w[i] / 4),
                                 q_rotate(q, v3_load(own)));
        v3_store(own, turn);
        for (int k = 0; k < 3; k++)
            out[3 + k] += own[k];
    }
}

// the same in space, with all six momenta
static void test_free_space(void **state) {
    (void)state;
    static const double rotary[3] = {2e-3, 1e-3, 1e-3};
    HolModel *m = NULL;
    HolSim *s = beam_open(
        "holonom: 1\nspace: spatial\nbodies: [{name: rod, type: beam, from: [0, 0, 0], to: [1, 0, "
        "0], elements: 4, natural: [0.3, 0.5, -0.4], velocity: [0.3, -0.2, 0.1], omega: [0.4, "
        "-0.3, 0.5], stiffness: {EA: 1e3, GA: 400, GJ: 1, EIy: 1, EIz: 2}, mass_per_length: 1, "
        "rotary: [2.0e-3, 1.0e-3, 1.0e-3]}]\nsimulation: {end: 28}\n",
        &m, 1e-10, "taylor");
    HolError err = {0};
    double first[6], last[6];
    momenta(s, rotary, first);
    assert_int_equal(hol_sim_advance(s, 28, &err), HOL_OK);
    momenta(s, rotary, last);
    assert_true(fabs(first[0] - 0.3) < 1e-14);
    // J omega about the middle, and (1/2, 0, 0) x (0.3, -0.2, 0.1)
    const double J = 1.0 / 12 + 1e-3, start[3] = {2e-3 * 0.4, -0.3 * J - 0.05, 0.5 * J - 0.1};
    for (int i = 0; i < 3; i++)
        assert_true(fabs(first[3 + i] - start[i]) < 1e-14);
    for (int i = 0; i < 6; i++)
        if (!(fabs(last[i] - first[i]) < 1e-12))
            fail_msg("momentum %d changed by %.3g", i, last[i] - first[i]);
    const HolStats stats = hol_sim_stats(s);
    assert_true(stats.energy_max_drift < 1e-11 * stats.energy_final);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// a pendulum that bends, 100 periods, by a method of high order and by the default one
static void test_pendulum_energy(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double tolerance, part; // of m g L that the energy may leave
    } cases[] = {{"taylor", 1e-9, 1e-11}, {"tangent", 1e-5, 1e-5}};
    for (int i = 0; i < 2; i++) {
        HolModel *m = NULL;
        HolError err = {0};
        HolSim *s = beam_open(
            "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
            "bodies: [{name: rod, type: beam, from: [0, 0], to: [1, -1], elements: 3, stiffness: "
            "{EA: 1e3, GA: 400, EI: 4}, mass_per_length: 1, rotary: 1.0e-2}]\n"
            "joints: [{type: revolute, between: [ground, rod.start]}]\nsimulation: {end: 210}\n",
            &m, cases[i].tolerance, cases[i].method);
        assert_int_equal(hol_sim_advance(s, 210, &err), HOL_OK);
        const HolStats stats = hol_sim_stats(s);
        if (!(stats.energy_max_drift < cases[i].part * 9.81 * 2))
            fail_msg("%s: the energy drifts by %.3g", cases[i].method, stats.energy_max_drift);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulums),        cmocka_unit_test(test_spaghetti),
        cmocka_unit_test(test_right_angle),      cmocka_unit_test(test_free_rod),
        cmocka_unit_test(test_spaghetti_planar), cmocka_unit_test(test_free_space),
        cmocka_unit_test(test_pendulum_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
