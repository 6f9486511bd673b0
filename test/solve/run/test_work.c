// SPDX-License-Identifier: Apache-2.0
// The energy balance: what `drift` tells must be the motion's, not that of a quadrature.
//
// Mechanisms that are driven throughout have no integration error: their energies are functions of
// time, and drift is the error of the drives' work alone. A one-sided spring by an expression has
// the work -k/2 min(y, 0)^2, whatever the errors of the motion are.
#include "cli_run.h"

#include "holonom/holonom.h"

#include <math.h>

static const char *const crank =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "  - {name: crank, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "  - {name: rod, mass: 1, inertia: 0.5, position: [2, 0]}\n"
    "  - {name: slider, mass: 1, inertia: 1, position: [3, 0]}\n"
    "joints:\n"
    "  - {name: O, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  - {name: A, type: revolute, bodies: [crank, rod], at: [1, 0]}\n"
    "  - {name: B, type: revolute, bodies: [rod, slider], at: [3, 0]}\n"
    "  - {name: P, type: prismatic, bodies: [ground, slider], at: [3, 0], axis: [1, 0]}\n"
    "motions: [{name: D, joint: O, value: \"3*time + 0.5*sin(2*time)\"}]\n"
    "simulation: {end: 4}\n";
static const char *const rotor =
    "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  - {name: a, mass: 2, inertia: [0.3, 0.2, 0.1], position: [0.5, 0, 0]}\n"
    "  - {name: b, mass: 1, inertia: [0.1, 0.3, 0.2], position: [1.5, 0, 0]}\n"
    "joints:\n"
    "  - {name: O, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 1]}\n"
    "  - {name: P, type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0, 1, 0]}\n"
    "motions:\n"
    "  - {name: D, joint: O, value: \"3*time + 0.5*sin(2*time)\"}\n"
    "  - {name: E, joint: P, value: \"sin(3*time)\"}\n"
    "simulation: {end: 4}\n";
static const char *const contact = "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                   "bodies: [{name: m, mass: 1, inertia: 1, position: [0, 1]}]\n"
                                   "forces: [{type: force, on: m, value: [0, \"%s\"]}]\n"
                                   "outputs: [m.y, energy.work]\n"
                                   "simulation: {end: 3}\n";

typedef struct Case {
    HolModel *model;
    HolSim *sim;
    HolSimOptions o;
} Case;

static Case open_case(const char *text, const char *method, const char *key, const char *value) {
    Case c = {0};
    HolError err = {0};
    const HolSetting settings[] = {{"method", method}, {key, value}};
    if (hol_model_parse(text, strlen(text), "w.yaml", settings, 2, &c.model, &c.o, &err) ||
        hol_sim_create(c.model, &c.o, &c.sim, &err))
        fail_msg("%s: %s", method, err.text);
    return c;
}

static void close_case(Case *c) {
    hol_sim_destroy(c->sim);
    hol_model_destroy(c->model);
}

static void check_driven(const char *text, const char *method, const char *key, const char *value,
                         double largest) {
    HolError err = {0};
    Case c = open_case(text, method, key, value);
    if (hol_sim_advance(c.sim, c.o.end, &err))
        fail_msg("%s: %s", method, err.text);
    const HolStats stats = hol_sim_stats(c.sim);
    assert_true(fabs(stats.work) > 1); // there is something to balance
    if (!(stats.energy_max_drift < largest))
        fail_msg("%s, %s %s: %g J from nowhere", method, key, value, stats.energy_max_drift);
    close_case(&c);
}

static void test_driven(void **state) {
    (void)state;
    static const char *const methods[] = {"tangent", "taylor", "rk853",     "radau",  "bdf",
                                          "rk4",     "hht",    "dae-alpha", "newmark"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        // energies up to 50 J
        check_driven(crank, methods[i], "tolerance", "1e-6", 5e-7);
        check_driven(crank, methods[i], "tolerance", "1e-4", 5e-5);
        check_driven(rotor, methods[i], "tolerance", "1e-6", 5e-7);
    }
    check_driven(crank, "tangent", "step", "0.05", 1e-8);
    check_driven(crank, "rk4", "step", "0.05", 1e-8);
    check_driven(rotor, "dae-alpha", "step", "0.05", 1e-8);
}

// the work at every step and in its middle
static void check_contact(const char *law, const char *method, const char *tolerance,
                          double largest) {
    char text[512];
    HolError err = {0};
    snprintf(text, sizeof text, contact, law);
    Case c = open_case(text, method, "tolerance", tolerance);
    double row[3], worst = 0, deepest = 0;
    for (double t = 0, before = 0; t < c.o.end; before = t) {
        if (hol_sim_step(c.sim, c.o.end, &err))
            fail_msg("%s: %s", method, err.text);
        t = hol_sim_time(c.sim);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(hol_sim_row(c.sim, k ? t : 0.5 * (t + before), row, &err), HOL_OK);
            const double y = fmin(row[1], 0);
            deepest = fmin(deepest, y);
            worst = fmax(worst, fabs(row[2] + 500 * y * y));
        }
    }
    assert_true(deepest < -0.1);
    if (!(worst < largest))
        fail_msg("%s at %s: work off by %g J", method, tolerance, worst);
    const HolStats stats = hol_sim_stats(c.sim);
    if (!(stats.energy_max_drift < largest))
        fail_msg("%s at %s: drift %g J", method, tolerance, stats.energy_max_drift);
    close_case(&c);
}

static void test_contact(void **state) {
    (void)state;
    static const char *const laws[] = {"if(m.y < 0, -1000*m.y, 0)", "1000*max(0, -m.y)",
                                       "500*(abs(m.y) - m.y)"};
    for (int k = 0; k < 3; k++) {
        check_contact(laws[k], "taylor", "1e-4", 1e-4);
        check_contact(laws[k], "taylor", "1e-6", 1e-6);
        check_contact(laws[k], "taylor", "1e-8", 1e-8);
        // tolerance times energy, 9.81 J (bdf: twice)
        check_contact(laws[k], "tangent", "1e-6", 9.81e-6);
        check_contact(laws[k], "bdf", "1e-6", 2e-5);
        check_contact(laws[k], "radau", "1e-6", 9.81e-6);
    }
}

// a free mass on a spring by a table: kinetic energy is all there is
static void test_table(void **state) {
    (void)state;
    static const char *const methods[] = {"bdf", "taylor", "tangent", "rk853"};
    const char *text =
        "holonom: 1\nspace: planar\nbodies: [{name: m, mass: 1, inertia: 1, position: [0.9, 0]}]\n"
        "tables: {law: {x: [-2, -1, 0, 1, 2], y: [6, 1, 0, -1, -6]}}\n"
        "forces: [{type: force, on: m, value: [\"interp(law, m.x)\", 0]}]\n"
        "outputs: [m.vx, energy.work]\nsimulation: {end: 10}\n";
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        HolError err = {0};
        double row[3];
        Case c = open_case(text, methods[i], "tolerance", "1e-6");
        if (hol_sim_advance(c.sim, c.o.end, &err))
            fail_msg("%s: %s", methods[i], err.text);
        assert_int_equal(hol_sim_row(c.sim, c.o.end, row, &err), HOL_OK);
        const double drift = fabs(row[2] - 0.5 * row[1] * row[1]);
        if (!(drift < 1e-6 && hol_sim_stats(c.sim).energy_max_drift < 1e-6))
            fail_msg("%s: %g, %g", methods[i], drift, hol_sim_stats(c.sim).energy_max_drift);
        close_case(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_driven),
        cmocka_unit_test(test_contact),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
