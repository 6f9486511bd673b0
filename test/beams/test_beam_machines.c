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
    // the coupler's end leaves the plane by millimetres
    run_machine("four-bar-misaligned", "tangent", 1, 0, "coupler.end.z", -0.01, -0.0005);
    // half a turn of the cam: the valve is open by the lift, less what the rods give way
    run_machine("valve-train", "taylor", 0.005235987755982988, 0, "stem.end.y", 0.190, 0.1935);
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
                    {"steel/valve-train", "stem.end.y", 0.001}};
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_machines),
                                       cmocka_unit_test(test_tangent_starts),
                                       cmocka_unit_test(test_spin_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
