// SPDX-License-Identifier: Apache-2.0
// Errors of beams in the number of elements that the other tests do not look at: a rotating rod,
// twist with bending, moving rods against many elements; the highest frequency of a rod. What a
// method does to slow and fast modes.
#include "beam_run.h"

#define ROD "holonom: 1\nspace: planar\nground: {points: {O: [0, 0]}}\n"

// measured errors within 5 % of what is expected (two digits are printed there)
static void check(const char *what, int n, double e, double expected) {
    if (!(e < 1.05 * expected && e > 0.94 * expected))
        fail_msg("%s, %d elements: error %.3g instead of %.3g", what, n, e, expected);
}

// weights of the nodes' masses
static double weight(int i, int n) {
    static const double end[3] = {-5.0 / 8, 1.0 / 6, -1.0 / 24};
    return 1 + (i < 3 ? end[i] : 0) + (n - i < 3 ? end[n - i] : 0);
}

// flapping of a rotating rod, clamped at the axis: the plane of the model contains the axis and
// turns with the rod, so that m Omega^2 x pulls at every node
static void test_rotating(void **state) {
    (void)state;
    JsonFile f = json_open(BEAM_REF "rotating_beam.json");
    double exact[3], squares[1] = {0};
    json_numbers(&f, "results/eta=12", exact, 3);
    for (int n = 4; n <= 16; n *= 2) {
        char text[4000];
        size_t at = (size_t)snprintf(
            text, sizeof text,
            ROD "bodies: [{name: rod, type: beam, from: ground.O, to: [1, 0], elements: %d, "
                "stiffness: {EA: 1e7, GA: 1e7, EI: 1}, mass_per_length: 1, rotary: 1.0e-7}]\n"
                "forces:\n",
            n);
        for (int i = 1; i <= n; i++)
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   "  - {type: expression, acts_on: rod.node%d.x, value: "
                                   "\"144*%.17g*rod.node%d.x\"}\n",
                                   i, weight(i, n) / n, i);
        assert_int_equal(beam_squares(text, 1, squares, 1), 1);
        check("rotating rod", n, fabs(sqrt(squares[0]) / exact[0] - 1),
              n == 4   ? 1.2e-3
              : n == 8 ? 8.5e-5
                       : 4.2e-6);
    }
    json_close(&f);
}

static void test_twist(void **state) {
    (void)state;
    JsonFile f = json_open(BEAM_REF "twist_bend.json");
    double exact[3];
    json_numbers(&f, "results/tip_position", exact, 3);
    for (int n = 4; n <= 16; n *= 2) {
        char text[1000];
        double tip[3], e = 0;
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: spatial\nground: {points: {O: [0, 0, 0]}}\n"
                 "bodies: [{name: rod, type: beam, from: ground.O, to: [1, 0, 0], elements: %d, "
                 "stiffness: {EA: 1e6, GA: 4e5, GJ: 0.77, EIy: 1, EIz: 2}, mass_per_length: 1, "
                 "rotary: 1.0e-4}]\n"
                 "forces: [{type: force, on: rod.end, value: [0.5, 2, 1.5]}, {type: torque, on: "
                 "rod.end, value: [1.2, 0.4, -0.8]}]\n",
                 n);
        beam_rest(text, tip);
        for (int c = 0; c < 3; c++)
            e += (tip[c] - exact[c]) * (tip[c] - exact[c]);
        check("twist and bending", n, sqrt(e), n == 4 ? 1.3e-4 : n == 8 ? 8.5e-6 : 5.4e-7);
    }
    json_close(&f);
}

// largest difference of values at a time
static double off_at(const char *text, double time, const char *const *names, const double *exact,
                     int n) {
    HolModel *m = NULL;
    HolSim *s = beam_open(text, &m, 1e-9, "taylor");
    HolError err = {0};
    double e = 0;
    if (hol_sim_advance(s, time, &err) != HOL_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < n; i++)
        e = fmax(e, fabs(beam_value(s, names[i]) - exact[i]));
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return e;
}

// against 48 and 64 elements
static void test_moving(void **state) {
    (void)state;
    static const char *const end[] = {"rod.end.x", "rod.end.y"};
    static const char *const plane[] = {"rod.start.x", "rod.start.y", "rod.end.x", "rod.end.y"};
    static const char *const space[] = {"rod.start.x", "rod.start.y", "rod.start.z",
                                        "rod.end.x",   "rod.end.y",   "rod.end.z"};
    static const double pendulum[] = {-0.83147493077, 0.17036033835},
                        flat[] = {5.61945414526, 4.76260263380, 15.4087061928, 4.26605122544},
                        spaghetti[] = {16.7589142744, 1.14312136073, -1.61833494681,
                                       24.1071776269, 7.26695446978, 1.12215727805};
    static const struct {
        int n;
        double error;
    } errors[] = {{6, 1.8e-2}, {12, 5.5e-5}, {24, 4.1e-5}};
    for (int i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 ROD "gravity: [0, -9.81]\nbodies: [{name: rod, type: beam, from: [0, 0], to: [1, "
                     "0], elements: %d, stiffness: {EA: 1e4, GA: 4e3, EI: 0.2}, mass_per_length: "
                     "1, rotary: 2.0e-5}]\n"
                     "joints: [{type: revolute, between: [ground.O, rod.start]}]\n"
                     "simulation: {end: 1}\n",
                 errors[i].n);
        check("soft pendulum", errors[i].n, off_at(text, 1, end, pendulum, 2), errors[i].error);
    }
    const char *thick = "bodies: [{name: rod, type: beam, from: [6, 0], to: [0, 8], elements: 16, "
                        "stiffness: {EA: 1e4, GA: 1e4, EI: 500}, mass_per_length: 1, rotary: 10}]\n"
                        "variables: [{name: T, value: \"if(time < 2.5, 80, 0)\"}]\n"
                        "forces: [{type: force, on: rod.start, value: [T/10, 0]}, {type: torque, "
                        "on: rod.start, value: -T}]\nsimulation: {end: 5}\n";
    char text[2000];
    snprintf(text, sizeof text, ROD "%s", thick);
    check("flying spaghetti, plane", 16, off_at(text, 5, plane, flat, 4), 7.5e-3);
    check("flying spaghetti, space", 16,
          off_at("holonom: 1\nspace: spatial\n"
                 "bodies: [{name: rod, type: beam, from: [6, 0, 0], to: [0, 8, 0], elements: 16, "
                 "stiffness: {EA: 1e4, GA: 1e4, GJ: 500, EI: 500}, mass_per_length: 1, rotary: "
                 "10}]\nvariables: [{name: T, value: \"if(time < 2.5, 80*time, if(time < 5, 400 - "
                 "80*time, 0))\"}]\n"
                 "forces: [{type: force, on: rod.start, value: [T/10, 0, 0]}, {type: torque, on: "
                 "rod.start, value: [0, -T/2, -T]}]\nsimulation: {end: 6}\n",
                 6, space, spaghetti, 6),
          1.01e-2);
}

static void test_highest(void **state) {
    (void)state;
    for (int n = 4; n <= 8; n *= 2) {
        char text[1000];
        HolModel *m = NULL;
        HolModesOptions o = hol_modes_options();
        HolModes *modes = NULL;
        HolError err = {0};
        snprintf(text, sizeof text,
                 ROD "bodies: [{name: rod, type: beam, from: ground.O, to: [10, 0], elements: %d, "
                     "stiffness: {EA: 2.8e7, GA: 1e7, EI: 1.4e4}, mass_per_length: 1.2, rotary: "
                     "6.0e-4}]\n",
                 n);
        HolSim *s = beam_open(text, &m, 0, NULL);
        assert_int_equal(hol_sim_modes(s, &o, &modes, &err), HOL_OK);
        check("highest frequency", n, modes->omega_max, n == 4 ? 6.9e3 : 1.4e4);
        hol_modes_destroy(modes);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
}

// ---- modal energies ----

enum { NODES = 5 };
#define BENT                                                                                       \
    ROD "bodies: [{name: rod, type: beam, from: ground.O, to: [1, 0], elements: 4, %s stiffness: " \
        "{EA: 1e4, EI: 1}, mass_per_length: 1, rotary: 1.0e-4}]\nsimulation: {end: 4}\n"

// energies of the first mode of bending and of the first along the rod, about `rest`
static void modal_energies(HolSim *s, const HolModes *modes, const double *rest, double out[2]) {
    static const char *const parts[6] = {"x", "y", "angle", "vx", "vy", "omega"};
    double now[6 * NODES];
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 6; k++) {
            char name[40];
            snprintf(name, sizeof name, "rod.node%d.%s", i, parts[k]);
            now[6 * i + k] = beam_value(s, name);
        }
    for (int want = 0; want < 2; want++) {
        const HolMode *mode = NULL;
        // the lowest, and the lowest whose end moves along the rod
        for (int j = 0; j < modes->n_modes && !mode; j++)
            if (want == 0 || fabs(modes->modes[j]->shape[2 * 3 * (NODES - 1)]) > 0.5)
                mode = modes->modes[j];
        assert_non_null(mode);
        double mass = 0, q = 0, v = 0;
        for (int i = 0; i < NODES; i++)
            for (int k = 0; k < 3; k++) {
                const double shape = mode->shape[2 * (3 * i + k)],
                             m = weight(i, 4) / 4 * (k == 2 ? 1e-4 : 1);
                mass += m * shape * shape;
                q += m * shape * (now[6 * i + k] - rest[3 * i + k]);
                v += m * shape * now[6 * i + 3 + k];
            }
        out[want] = 0.5 * (v * v + mode->imag * mode->imag * q * q) / mass;
    }
}

// a rod that is bent and stretched a little is let go: what is left of both modes after 4 s
static void energies_left(const char *options, double left[2]) {
    char text[1000];
    HolModel *m = NULL;
    HolSimOptions o;
    HolSim *s = NULL;
    HolError err = {0};
    HolModesOptions want = hol_modes_options();
    HolModes *modes = NULL;
    double rest[3 * NODES] = {0}, first[2], last[2];
    snprintf(text, sizeof text, BENT, "");
    s = beam_open(text, &m, 0, NULL);
    want.count = 40;
    assert_int_equal(hol_sim_modes(s, &want, &modes, &err), HOL_OK);
    assert_int_equal(modes->n_coordinates, 3 * NODES);
    hol_sim_destroy(s);
    hol_model_destroy(m);
    // it rests shorter, along the arc of its natural curvature
    for (int i = 0; i < NODES; i++) {
        const double along = 0.999999 * i / 4, c = 1e-4;
        rest[3 * i] = sin(c * along) / c;
        rest[3 * i + 1] = (1 - cos(c * along)) / c;
        rest[3 * i + 2] = c * along;
    }
    snprintf(text, sizeof text, BENT "  %s\n", "natural: 1.0e-4, length: 0.999999,", options);
    char *simulation = strstr(text, "simulation");
    snprintf(simulation, sizeof text - (size_t)(simulation - text),
             "simulation: {end: 4, step: 0.02, method: {%s}}\n", options);
    if (hol_model_parse(text, strlen(text), "beam.yaml", NULL, 0, &m, &o, &err) != HOL_OK ||
        hol_sim_create(m, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    modal_energies(s, modes, rest, first);
    if (hol_sim_advance(s, 4, &err) != HOL_OK)
        fail_msg("%s", err.text);
    modal_energies(s, modes, rest, last);
    left[0] = last[0] / first[0];
    left[1] = last[1] / first[1];
    hol_modes_destroy(modes);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

static void test_modal_energies(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double slow, fast[2]; // smallest part that is left of the slow one, limits of the fast one
    } cases[] = {{"name: tangent, scheme: generalized-alpha, rho: 1", 0.99, {0.9, 1.1}},
                 {"name: tangent, scheme: generalized-alpha, rho: 0.5", 0.99, {0, 1e-6}},
                 {"name: generalized-alpha, rho: 0.5", 0.99, {0, 1e-6}},
                 {"name: dae-alpha, rho: 0.5", 0.99, {0, 1e-6}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double left[2];
        energies_left(cases[i].method, left);
        if (!(left[0] > cases[i].slow && left[0] < 1.01 && left[1] >= cases[i].fast[0] &&
              left[1] <= cases[i].fast[1]))
            fail_msg("%s: %.6g of the slow and %.3g of the fast mode are left", cases[i].method,
                     left[0], left[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotating),       cmocka_unit_test(test_twist),
        cmocka_unit_test(test_moving),         cmocka_unit_test(test_highest),
        cmocka_unit_test(test_modal_energies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
