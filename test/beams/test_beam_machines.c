// SPDX-License-Identifier: Apache-2.0
// The machines of models/flexible/steel, whose fastest rates are far above those of their motion: they are
// consistent as written, run, keep their energy balance, and their rods do not break.
#include "beam_run.h"

static void run_machine(const char *name, const char *method, double end, double step,
                        const char *column, double low, double high) {
    char path[200];
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    HolSim *s = NULL;
    snprintf(path, sizeof path, HOL_SOURCE_DIR "/models/flexible/steel/%s.yaml", name);
    if (hol_model_load(path, NULL, 0, &m, &o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.step = step;
    if (hol_sim_create(m, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK ||
        hol_sim_advance(s, end, &err) != HOL_OK)
        fail_msg("%s: %s", name, err.text);
    const double value = beam_value(s, column);
    if (!(value > low && value < high))
        fail_msg("%s: %s is %.6g, not between %g and %g", name, column, value, low, high);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

static void test_machines(void **state) {
    (void)state;
    // tip of the crank at (0.15, 0) turned by 1.5 rad: x of the slider without bending 0.27061
    run_machine("slider-crank", "taylor", 0.01, 0, "slider.x", 0.2706, 0.2707);
    // paper 002: slider of its rod, less what bending shortens
    run_machine("slider-crank-002", "taylor", 0.02, 0, "slider.x", 0.449985, 0.449986);
    run_machine("slider-crank-002", "taylor", 0.02, 0, "crank.angle", 0.010980, 0.011010);
    // the coupler's end leaves the plane by millimetres
    run_machine("four-bar-misaligned", "tangent", 1, 0, "coupler.end.z", -0.01, -0.0005);
    // the nose of the cam: the valve is open by 5.817 mm
    run_machine("valve-train", "taylor", 0.01338085765, 0, "stem0.end.y", 0.22217, 0.22220);
}

// tangent's Newton matrix on models whose cheapest order of elimination has zero pivots (axes and rods
// along coordinates): the same motion as by taylor
static double machine_value(const char *name, const char *method, double end, const char *column) {
    char path[200];
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    HolSim *s = NULL;
    snprintf(path, sizeof path, HOL_SOURCE_DIR "/models/flexible/%s.yaml", name);
    if (hol_model_load(path, NULL, 0, &m, &o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.tolerance = 1e-6;
    if (hol_sim_create(m, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK ||
        hol_sim_advance(s, end, &err) != HOL_OK)
        fail_msg("%s by %s: %s", name, method, err.text);
    const double value = beam_value(s, column);
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return value;
}

static void test_tangent_starts(void **state) {
    (void)state;
    static const struct {
        const char *name, *column;
        double end;
    } machines[] = {{"bricard", "rod2.end.y", 0.1},
                    {"steel/slider-crank", "rod.node3.y", 0.002},
                    {"steel/valve-train", "stem0.end.y", 0.001}};
    for (int i = 0; i < 3; i++) {
        const char *name = machines[i].name, *column = machines[i].column;
        const double a = machine_value(name, "tangent", machines[i].end, column),
                     b = machine_value(name, "taylor", machines[i].end, column);
        if (!(fabs(a - b) < 1e-7))
            fail_msg("%s: %s is %.9g by tangent, %.9g by taylor", name, column, a, b);
    }
}

// the tip, seen from the root, in the spin-up with 4 and 8 elements
static void spin_up(const char *file, const char *n, double tolerance, int row, double time) {
    char path[160];
    snprintf(path, sizeof path, BEAM_REF "%s.json", file);
    JsonFile f = json_open(path);
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    HolSim *s = NULL;
    const HolSetting set[] = {{"n", n}};
    if (hol_model_load(HOL_SOURCE_DIR "/models/flexible/steel/spin-up.yaml", set, 1, &m, &o,
                       &err) != HOL_OK)
        fail_msg("%s", err.text);
    o.tolerance = tolerance;
    if (hol_sim_create(m, &o, &s, &err) != HOL_OK || hol_sim_advance(s, time, &err) != HOL_OK)
        fail_msg("%s", err.text);
    const HolStats stats = hol_sim_stats(s);
    assert_true(stats.rejected < stats.steps / 2); // (round-off of forces is no reason)
    const double x = beam_value(s, "rod.end.x"), y = beam_value(s, "rod.end.y"),
                 a = beam_value(s, "rod.start.angle"),
                 found[2] = {x * cos(a) + y * sin(a) - 10, y * cos(a) - x * sin(a)};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "results/corrected/%s/%d", i ? "v_lateral" : "u_axial", row);
        const double e = fabs(found[i] - json_number(&f, path));
        if (!(e < 1e-8))
            fail_msg("%s, row %d: %s is off by %.3g", file, row, i ? "lateral" : "axial", e);
    }
    hol_sim_destroy(s);
    hol_model_destroy(m);
    json_close(&f);
}

static void test_spin_up(void **state) {
    (void)state;
    spin_up("spin_up_n4", "4", 1e-6, 2, 6);
    spin_up("spin_up_n8", "8", 1e-9, 1, 3);
}

// eight valve trains of 640 elements: more than 15,000 coordinates, from the start on
static void test_large(void **state) {
    (void)state;
    const HolSetting set[] = {{"valves", "8"}, {"n", "320"}};
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    HolSim *s = NULL;
    if (hol_model_load(HOL_SOURCE_DIR "/models/flexible/steel/valve-train.yaml", set, 2, &m, &o,
                       &err) != HOL_OK)
        fail_msg("%s", err.text);
    snprintf(o.method.name, sizeof o.method.name, "bdf");
    o.tolerance = 1e-3;
    if (hol_sim_create(m, &o, &s, &err) != HOL_OK || hol_sim_advance(s, 1e-7, &err) != HOL_OK)
        fail_msg("%s", err.text);
    assert_true(hol_sim_view(s).nq >= 15480);
    assert_true(fabs(beam_value(s, "follower7.y") - 0.028) < 1e-7);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// the bars of the four-bar as rigid bodies: they move with parallel axes, and lock with a tilted one
static void test_locks(void **state) {
    (void)state;
    for (int tilted = 0; tilted < 2; tilted++) {
        char text[2000];
        HolModel *m = NULL;
        HolModesOptions o = hol_modes_options();
        HolModes *modes = NULL;
        HolError err = {0};
        snprintf(
            text, sizeof text,
            "holonom: 1\nspace: spatial\nparameters: {tilt: %g*pi/180}\nbodies:\n"
            "  - {name: crank, mass: 1, inertia: [1, 1, 1], position: [0, 0.06, 0]}\n"
            "  - {name: coupler, mass: 1, inertia: [1, 1, 1], position: [0.12, 0.12, 0]}\n"
            "  - {name: rocker, mass: 1, inertia: [1, 1, 1], position: [0.24, 0.06, 0]}\njoints:\n"
            "  - {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
            "  - {type: revolute, bodies: [crank, coupler], at: [0, 0.12, 0], axis: [0, 0, 1]}\n"
            "  - {type: revolute, bodies: [coupler, rocker], at: [0.24, 0.12, 0], axis: "
            "[\"sin(tilt)\", 0, \"cos(tilt)\"]}\n"
            "  - {type: revolute, bodies: [rocker, ground], at: [0.24, 0, 0], axis: [0, 0, 1]}\n",
            tilted ? 5.0 : 0.0);
        HolSim *s = beam_open(text, &m, 0, NULL);
        if (hol_sim_modes(s, &o, &modes, &err) != HOL_OK)
            assert_true(tilted); // (nothing is left to vibrate)
        else
            assert_int_equal(modes->dof, tilted ? 0 : 1);
        hol_modes_destroy(modes);
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines), cmocka_unit_test(test_tangent_starts),
        cmocka_unit_test(test_spin_up), cmocka_unit_test(test_large), cmocka_unit_test(test_locks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
