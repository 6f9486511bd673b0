// SPDX-License-Identifier: Apache-2.0
// Accelerations and reactions of rows, against closed forms: at the end of a run, at stop times, at
// steps and between them, with every method, fixed steps and error control; and both sides of a
// jump.
//
// Pendulum of a point mass (m = L = 1): r.a = -v^2 on the circle, so that the rod pulls with
// T = v^2 + g.r and a = g - T r, whatever the errors of position and velocity are.
// Driven rod (m = 2, I = 1, centre at 1): the drive's torque is (I + m) phi'' + m g cos(phi), phi''
// jumps from 0 to 10 at t = 1. A force that jumps from 1 to 3: so does the acceleration.
#include "cli_run.h"

#include "holonom/holonom.h"

#include <math.h>

static const double G = 9.81;

static const char *const swinging =
    "holonom: 1\nspace: %s\ngravity: [0, -9.81%s]\n"
    "bodies: [{name: m, type: point, mass: 1, position: [1, 0%s]}]\n"
    "joints: [{name: O, type: distance, between: [ground, m]}]\n"
    "outputs: [m.x, m.y, m.vx, m.vy, m.ax, m.ay, O.fx, O.fy]\n"
    "simulation: {end: 1.37, stop_times: [0.71]}\n";

// largest difference from the closed form, of the row at time t
static double row_error(HolSim *s, double t) {
    double row[9];
    HolError err = {0};
    if (hol_sim_row(s, t, row, &err) != HOL_OK)
        fail_msg("row at %g: %s", t, err.text);
    const double x = row[1], y = row[2], length2 = x * x + y * y;
    const double pull = (row[3] * row[3] + row[4] * row[4] - G * y) / length2;
    double worst = fabs(row[5] + pull * x);
    worst = fmax(worst, fabs(row[6] + G + pull * y));
    worst = fmax(worst, fabs(row[7] + pull * x));
    return fmax(worst, fabs(row[8] + pull * y));
}

// every step's end, the middle of every step, the stop time and the end
static void check_pendulum(const char *method, const char *key, const char *value, int spatial) {
    char text[1024];
    HolError err = {0};
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    snprintf(text, sizeof text, swinging, spatial ? "spatial" : "planar", spatial ? ", 0" : "",
             spatial ? ", 0" : "");
    const HolSetting settings[] = {{"method", method}, {key, value}};
    if (hol_model_parse(text, strlen(text), "p.yaml", settings, 2, &m, &o, &err) ||
        hol_sim_create(m, &o, &s, &err))
        fail_msg("%s: %s", method, err.text);
    if (strcmp(key, "tolerance") == 0)
        o.step = 0;
    double before = 0;
    int stopped = 0;
    for (double t = 0; t < o.end; before = t) {
        if (hol_sim_step(s, o.end, &err))
            fail_msg("%s: %s", method, err.text);
        t = hol_sim_time(s);
        stopped += t == 0.71;
        const double off = fmax(row_error(s, t), row_error(s, 0.5 * (t + before)));
        if (!(off < 1e-8))
            fail_msg("%s, %s %s, time %.17g: off by %g", method, key, value, t, off);
    }
    assert_int_equal(stopped, 1);
    assert_true(row_error(s, o.end) < 1e-8);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

static void test_pendulum(void **state) {
    (void)state;
    static const char *const both[] = {"newmark",   "hht",     "generalized-alpha",
                                       "dae-alpha", "tangent", "taylor",
                                       "rk4",       "rk3",     "rk853"};
    for (int spatial = 0; spatial < 2; spatial++) {
        for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
            check_pendulum(both[i], "tolerance", "1e-6", spatial);
            check_pendulum(both[i], "step", "0.01", spatial);
        }
        check_pendulum("radau", "tolerance", "1e-6", spatial);
        check_pendulum("bdf", "tolerance", "1e-6", spatial);
        check_pendulum("central-differences", "step", "0.001", spatial);
        check_pendulum("explicit5", "step", "0.01", spatial);
    }
}

// ---- jumps ----

static const char *const driven =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"
    "bodies: [{name: r, mass: 2, inertia: 1, position: [1, 0], points: {o: [-1, 0]}}]\n"
    "joints: [{name: O, type: revolute, between: [ground.O, r.o]}]\n"
    "motions: [{name: D, joint: O, value: \"if(time < 1, time, time + 5*(time - 1)^2)\"}]\n"
    "outputs: [r.x, r.alpha, D.effort, \"if(time < 1, -1, 1)\", constraint.acceleration]\n"
    "simulation: {end: %s, output_step: 0.25%s}\n";

static double effort(double phi, double second) {
    return (1 + 2) * second + 2 * G * cos(phi);
}

static int same(double a, double b) {
    return fabs(a - b) < 1e-8 * (1 + fabs(b));
}

// two rows of a CSV text at time 1 (to round-off), each what its side asks for
static void check_sides(const char *csv, const char *what) {
    int found = 0;
    for (const char *line = strchr(csv, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        double v[6];
        assert_int_equal(
            sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", v, v + 1, v + 2, v + 3, v + 4, v + 5), 6);
        if (fabs(v[0] - 1) > 1e-12)
            continue;
        found++;
        const int behind = found == 2;
        if (!(same(v[1], cos(1)) && same(v[2], behind ? 10 : 0) &&
              same(v[3], effort(1, behind ? 10 : 0)) && v[4] == (behind ? 1 : -1) && v[5] < 1e-8))
            fail_msg("%s, row %d: %s", what, found, line);
    }
    if (found != 2)
        fail_msg("%s: %d rows at the jump", what, found);
}

static void test_driven(void **state) {
    (void)state;
    static const char *const methods[] = {"tangent", "taylor", "rk853",     "radau", "newmark",
                                          "hht",     "bdf",    "dae-alpha", "rk4",   "rk3"};
    for (int stop = 0; stop < 2; stop++)
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            char text[1024], arguments[128];
            snprintf(text, sizeof text, driven, "2", stop ? ", stop_times: [1]" : "");
            write_text("driven.yaml", text);
            snprintf(arguments, sizeof arguments,
                     "run driven.yaml -q -o d.csv --tolerance 1e-8 --method %s", methods[i]);
            ran_free(expect(0, arguments));
            char *csv = read_text("d.csv");
            check_sides(csv, arguments);
            free(csv);
        }
    char text[1024];
    snprintf(text, sizeof text, driven, "2", ", stop_times: [1], step: 0.01");
    write_text("driven.yaml", text);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char arguments[128];
        if (i == 3 || i == 6)
            continue;
        snprintf(arguments, sizeof arguments, "run driven.yaml -q -o d.csv --method %s",
                 methods[i]);
        ran_free(expect(0, arguments));
        char *csv = read_text("d.csv");
        check_sides(csv, arguments);
        free(csv);
    }
}

// a drive by a table of places with corners: its rate jumps at 1, and at the end of the run, where the
// table ends. Both sides have a row, and the work of the drive is counted in the second.
static void test_rates(void **state) {
    (void)state;
    static const char *const methods[] = {"tangent", "taylor", "rk853", "radau", "hht", "bdf"};
    write_text("rates.yaml",
               "holonom: 1\nspace: planar\ntables: {s: {x: [0, 1, 2], y: [0, 2, 5], interpolation: "
               "linear}}\nbodies: [{name: a, mass: 1, inertia: 0.2}]\n"
               "joints: [{name: O, type: revolute, between: [ground, a]}]\n"
               "motions: [{joint: O, value: \"interp(s, time)\"}]\n"
               "outputs: [O.rate, energy.work, energy.numerical]\n"
               "simulation: {end: 2, output_step: 0.5}\n");
    static const double expected[7][3] = {{0, 2, 0},     {0.5, 2, 0}, {1, 2, 0},   {1, 3, 0.5},
                                          {1.5, 3, 0.5}, {2, 3, 0.5}, {2, 0, -0.4}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "run rates.yaml -q -o r.csv --method %s", methods[i]);
        ran_free(expect(0, arguments));
        char *csv = read_text("r.csv");
        const char *line = strchr(csv, '\n') + 1;
        for (int k = 0; k < 7; k++, line = strchr(line, '\n') + 1) {
            double v[4];
            assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf", v, v + 1, v + 2, v + 3), 4);
            if (!(same(v[0], expected[k][0]) && same(v[1], expected[k][1]) &&
                  same(v[2], expected[k][2]) && same(v[3], 0)))
                fail_msg("%s, row %d: %.60s", methods[i], k, line);
        }
        assert_int_equal(*line, 0);
        free(csv);
    }
}

// the end of a run at a jump: `final` is behind it; all that reads results copes with two rows
static void test_readers(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, driven, "1", ", stop_times: [1]");
    write_text("end.yaml", text);
    Ran ran = expect(0, "run end.yaml -q --json -o e.csv --report e.html");
    expect_text(ran.out, "\"alpha\": 10"); // (9.9999.. would be wrong too)
    ran_free(ran);
    char *csv = read_text("e.csv");
    check_sides(csv, "end");
    free(csv);
    ran = expect(0, "view e.csv -o v.html");
    expect_text(ran.err, "agree within 0 "); // it leaves out positions: the run is repeated
    ran_free(ran);
    ran_free(expect(0, "plot e.csv -c D.effort -o e.svg"));
#ifdef HOL_HAVE_HDF5
    HolError err = {0};
    HolResult *a = NULL, *b = NULL;
    ran_free(expect(0, "run end.yaml -q -o e.h5"));
    assert_int_equal(hol_result_read("e.csv", &a, &err), HOL_OK);
    assert_int_equal(hol_result_read("e.h5", &b, &err), HOL_OK);
    assert_int_equal(hol_result_row_count(a), hol_result_row_count(b));
    for (int c = 0; c < 6; c++)
        assert_memory_equal(hol_result_values(a, c), hol_result_values(b, c),
                            sizeof(double) * (size_t)hol_result_row_count(a));
    hol_result_destroy(a);
    hol_result_destroy(b);
#endif
}

// stop times at which nothing jumps give one row; without constraints it is the same
static void test_unconstrained(void **state) {
    (void)state;
    write_text("free.yaml",
               "holonom: 1\nspace: planar\nbodies: [{name: m, mass: 1, inertia: 1}]\n"
               "forces: [{type: force, on: m, value: [\"if(time < 1, 1, 3)\", \"time\"]}]\n"
               "outputs: [m.x, m.ax]\n"
               "simulation: {end: 2, tolerance: 1e-9, output_step: 0.5, stop_times: [0.5, 1]}\n");
    ran_free(expect(0, "run free.yaml -q -o f.csv"));
    char *csv = read_text("f.csv");
    assert_int_equal(csv_rows(csv), 6);
    const char *jump = strstr(csv, "\n1,");
    assert_non_null(jump);
    double v[6];
    assert_int_equal(
        sscanf(jump, "\n%lf,%lf,%lf\n%lf,%lf,%lf", v, v + 1, v + 2, v + 3, v + 4, v + 5), 6);
    assert_true(same(v[1], 0.5) && v[2] == 1 && v[3] == 1 && same(v[4], 0.5) && v[5] == 3);
    free(csv);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),      cmocka_unit_test(test_rates),
        cmocka_unit_test(test_driven),        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_unconstrained),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
