// SPDX-License-Identifier: Apache-2.0
// Certified digits and warnings as a user of the command meets them: files, --json, exit codes.
#include "cli_run.h"

#include <holonom/holonom.h>
#include <math.h>
#ifdef HOL_HAVE_HDF5
#include <hdf5.h>
#endif

// the rows of the bounds stand beside those of the results, under the same header
static void test_files(void **state) {
    (void)state;
    Ran ran = expect(0, "run pendulum.yaml --tolerance 1e-6 --certify --output-step 0.1 -o c.csv");
    expect_text(ran.err, "certified   every result within");
    expect_text(ran.err, "that may be printed");
    ran_free(ran);
    char *rows = read_text("c.csv"), *bounds = read_text("c_errors.csv"),
         *manifest = read_text("c.csv.json");
    assert_non_null(rows);
    assert_non_null(bounds);
    assert_non_null(manifest);
    assert_int_equal(csv_rows(rows), 11);
    assert_int_equal(csv_rows(bounds), 11);
    assert_int_equal(strcspn(rows, "\n"), strcspn(bounds, "\n"));
    assert_int_equal(strncmp(rows, bounds, strcspn(rows, "\n")), 0);
    for (int i = 1; i <= 11; i++) {
        assert_true(csv_value(rows, i, "time") == csv_value(bounds, i, "time"));
        const double bound = csv_value(bounds, i, "rod.angle");
        assert_true(bound > 0 && bound < 1e-3);
        assert_true(isnan(csv_value(bounds, i, "step.size")));
    }
    expect_json(manifest);
    assert_true(strtod(json_at(manifest, "options.tolerance"), NULL) < 1e-6);
    expect_text(json_at(manifest, "certificate.methods"), "\"tangent\"");
    assert_int_equal(count_files(".part-"), 0);
    free(rows);
    free(bounds);
    free(manifest);
}

#ifdef HOL_HAVE_HDF5
// the same bounds as in a CSV file, rows x columns; more rows than are written at once
static void test_hdf5(void **state) {
    (void)state;
    enum { ROWS = 1001 };
    ran_free(
        expect(0, "run pendulum.yaml --certify --tolerance 1e-6 --output-step 1e-3 -q -o b.h5"));
    ran_free(
        expect(0, "run pendulum.yaml --certify --tolerance 1e-6 --output-step 1e-3 -q -o b.csv"));
    char *bounds = read_text("b_errors.csv");
    hid_t file = H5Fopen("b.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "errors", H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t size[2];
    assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 2);
    assert_int_equal(size[0], ROWS);
    assert_int_equal(size[1], count_char(bounds, strchr(bounds, '\n'), ',') + 1);
    const size_t columns = (size_t)size[1];
    double *values = calloc((size_t)size[0] * columns, sizeof *values);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (int row = 1; row <= ROWS; row += 125) { // (time, x, y, angle are the first columns)
        assert_true(values[(size_t)(row - 1) * columns] == csv_value(bounds, row, "time"));
        assert_true(values[(size_t)(row - 1) * columns + 3] == csv_value(bounds, row, "rod.angle"));
    }
    free(values);
    free(bounds);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    ran_free(expect(0, "plot b.h5 -c rod.angle -o b.svg")); // it reads as before
}
#endif

static void test_json(void **state) {
    (void)state;
    Ran ran = expect(0, "run pendulum.yaml --accuracy 1e-6 --json -q");
    expect_json(ran.out);
    assert_string_equal(ran.err, "");
    assert_true(strtod(json_at(ran.out, "certificate.accuracy"), NULL) == 1e-6);
    assert_true(strtod(json_at(ran.out, "certificate.reached"), NULL) <= 1e-6);
    assert_true(strtod(json_at(ran.out, "certificate.until"), NULL) == 1);
    assert_int_equal(strncmp(json_at(ran.out, "certificate.doubling_seconds"), "null", 4), 0);
    assert_int_equal(*json_at(ran.out, "certificate.methods"), '[');
    assert_int_equal(*json_at(ran.out, "certificate.digits"), '{');
    assert_int_equal(strncmp(json_at(ran.out, "certificate.not_unique"), "[]", 2), 0);
    assert_int_equal(*json_at(ran.out, "warnings"), '[');
    assert_true(strtol(json_at(ran.out, "force_evaluations"), NULL, 10) > 0);
    json_at(ran.out, "error_test_failures");
    json_at(ran.out, "convergence_failures");
    expect_text(json_at(ran.out, "certificate.digits"), "\"rod.x\": ");
    ran_free(ran);
}

// the rod of length 1 from rest: x lies between 0.5 and its values by the rows
static void test_outputs(void **state) {
    (void)state;
    Ran ran = expect(0, "run pendulum.yaml -q -o o.csv");
    ran_free(ran);
    char *csv = read_text("o.csv");
    ran = expect(0, "run pendulum.yaml --json -q --set L=1");
    double least = INFINITY, at = 0, squares = 0, last = 0;
    const int n = csv_rows(csv);
    for (int i = 1; i <= n; i++) {
        const double x = csv_value(csv, i, "rod.x"), t = csv_value(csv, i, "time");
        if (x < least) {
            least = x;
            at = t;
        }
        if (i > 1)
            squares += 0.5 * (x * x + last * last) * (t - csv_value(csv, i - 1, "time"));
        last = x;
    }
    // (names hold dots: the text behind the name)
    const char *object = strstr(json_at(ran.out, "outputs"), "\"rod.x\": ");
    assert_non_null(object);
    object += strlen("\"rod.x\": ");
    assert_true(strtod(json_at(object, "min"), NULL) == least);
    assert_true(strtod(json_at(object, "at_min"), NULL) == at);
    assert_true(strtod(json_at(object, "max"), NULL) == 0.5);
    assert_true(strtod(json_at(object, "at_max"), NULL) == 0);
    assert_true(strtod(json_at(object, "final"), NULL) == last);
    assert_true(fabs(strtod(json_at(object, "rms"), NULL) - sqrt(squares)) < 1e-12);
    free(csv);
    ran_free(ran);
}

static const char chaotic[] =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "- {name: a, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "- {name: b, mass: 1, inertia: 0.1, position: [1.5, 0.4], angle: 0.7}\njoints:\n"
    "- {name: O, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "- {name: P, type: revolute, bodies: [a, b], at: [1, 0]}\n"
    "simulation: {end: 150, output_step: 0.5, accuracy: 1e-6}\n";

// an accuracy that cannot be reached: exit 5, the results are there, and the sentence names a time
static void test_not_reached(void **state) {
    (void)state;
    write_text("chaotic.yaml", chaotic);
    Ran ran = expect(5, "run chaotic.yaml --json -q -o chaotic.csv");
    expect_json(ran.out);
    assert_int_equal(strncmp(json_at(ran.out, "status"), "\"inaccurate\"", 12), 0);
    assert_int_equal(strncmp(json_at(ran.out, "certificate.reached"), "null", 4), 0);
    const double until = strtod(json_at(ran.out, "certificate.until"), NULL);
    assert_true(until > 2 && until < 100);
    expect_text(ran.err, "holonom: warning: accuracy 1e-06 is not reached: it holds up to");
    expect_text(json_at(ran.out, "warnings"), "is not reached");
    char *csv = read_text("chaotic.csv"), *bounds = read_text("chaotic_errors.csv");
    assert_int_equal(csv_rows(csv), 301);
    assert_true(isinf(csv_value(bounds, -1, "b.angle")));
    free(csv);
    free(bounds);
    ran_free(ran);
    // a tolerance given here stands in place of the file's accuracy
    ran = expect(0, "run chaotic.yaml --tolerance 1e-4 --json -q");
    assert_null(strstr(ran.out, "certificate"));
    ran_free(ran);
}

// standard output gets the rows of the last pair alone, once
static void test_standard_output(void **state) {
    (void)state;
    Ran ran = run_cli("", "run chaotic.yaml -q --end 2");
    assert_int_equal(ran.code, 0);
    assert_int_equal(csv_rows(ran.out), 5);
    assert_true(csv_value(ran.out, -1, "time") == 2);
    assert_int_equal(count_files("c_errors"), 2); // of the tests before
    ran_free(ran);
}

// numbers that are doubtful are told of, also with --quiet
static void test_warnings(void **state) {
    (void)state;
    Ran ran = expect(0, "run pendulum.yaml --method rk3 --step 0.25 --end 10 -q --json");
    expect_text(ran.err, "holonom: warning: energy drifts by");
    expect_text(json_at(ran.out, "warnings"), "energy drifts by");
    ran_free(ran);
    // steps far too large: what is left of the motion is no result, and nobody can miss that
    ran = expect(0, "run pendulum.yaml --method newmark --step 0.05 --end 4 -q --json");
    expect_text(ran.err,
                "of the energies of this motion: THE RESULTS ARE WRONG: use a smaller step");
    expect_text(ran.err, "holonom: warning: velocities miss the constraints by");
    expect_text(ran.err, "of the largest one: THE RESULTS ARE WRONG: use a smaller step");
    ran_free(ran);
    ran = expect(0, "run pendulum.yaml --tolerance 1e-16 --method taylor -q --json");
    expect_text(json_at(ran.out, "warnings"), "finer than round-off");
    ran_free(ran);
    ran = expect(0, "run pendulum.yaml -q --json");
    assert_string_equal(ran.err, "");
    ran_free(ran);
}

static const char *const driven =
    "holonom: 1\nspace: planar\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: 0.01, position: [0.5, 0], points: {o: [-0.5, 0], "
    "p: [0.5, 0]}}\n"
    "  - {name: rod, mass: 1, inertia: 0.1, position: [2, 0], points: {p: [-1, 0], e: [1, 0]}}\n"
    "joints:\n"
    "  - {name: o, type: revolute, between: [ground, crank.o]}\n"
    "  - {name: p, type: revolute, between: [crank.p, rod.p]}\n"
    "  - {name: e, type: slot, between: [ground, rod.e], axis: [1, 0]}\n"
    "motions: [{joint: o, value: \"20*time\"}]\nsimulation: {end: 3}\n";
static const char *const truss =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 3, inertia: 0.1, position: [0.5, 0.3], points: {l: [-0.5, -0.3], "
    "r: [0.5, 0.3]}}\n"
    "  - {name: b, mass: 7, inertia: 0.1, position: [1.5, 0.3], points: {l: [-0.5, 0.3], "
    "r: [0.5, -0.3]}}\n"
    "joints:\n"
    "  - {type: revolute, between: [ground, a.l]}\n"
    "  - {type: revolute, between: [a.r, b.l]}\n"
    "  - {type: revolute, between: [b.r, {body: ground, at: [2, 0]}]}\n"
    "simulation: {end: 1, step: 0.01}\n";
static const char *const fast = "holonom: 1\nspace: planar\n"
                                "bodies: [{name: b, type: point, mass: 1, velocity: [1, 0]}]\n"
                                "forces: [{type: force, on: b, value: ['-1000*b.vx', 0]}]\n"
                                "simulation: {end: 2}\n";

// fixed steps that are worthless although nothing is left to compare with, or nothing is free to move
static void test_worthless_steps(void **state) {
    (void)state;
    write_text("driven.yaml", driven);
    write_text("truss.yaml", truss);
    write_text("fast.yaml", fast);
    // a driven mechanism may go on in its mirror image
    Ran ran = expect(0, "run driven.yaml --method rk3 --step 0.2 -q --json");
    expect_text(ran.err, "of the energies of this motion: THE RESULTS ARE WRONG");
    ran_free(ran);
    ran = expect(0, "run driven.yaml --method rk3 --step 0.005 -q --json");
    assert_null(strstr(ran.err, "RESULTS ARE WRONG"));
    ran_free(ran);
    ran = expect(0, "run fast.yaml --method ab4 --step 0.01 -q --json");
    expect_text(ran.err, "the energy has grown beyond all numbers: THE RESULTS ARE WRONG: use a "
                         "smaller step");
    ran_free(ran);
    // a structure at rest has velocities of 1e-30 that miss others of that size
    static const char *const methods[] = {"rk4", "newmark", "dae-alpha", "ab4"};
    for (int i = 0; i < 4; i++) {
        char words[80];
        snprintf(words, sizeof words, "run truss.yaml -q --json --method %s", methods[i]);
        ran = expect(0, words);
        assert_string_equal(ran.err, "");
        ran_free(ran);
    }
}

static void test_wrong_usage(void **state) {
    (void)state;
    const struct {
        const char *arguments, *says;
    } cases[] = {
        {"run pendulum.yaml --accuracy 0", "accuracy"},
        {"run pendulum.yaml --accuracy 1", "accuracy"},
        {"run pendulum.yaml --accuracy", "value is missing"},
        {"run pendulum.yaml --certify=1", "no value"},
        {"run pendulum.yaml --accuracy 1e-6 --tolerance 1e-6", "give one of them"},
        {"run pendulum.yaml --certify -o a.csv --report a_errors.csv", "one file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Ran ran = expect(2, cases[i].arguments);
        expect_text(ran.err, cases[i].says);
        ran_free(ran);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef HOL_HAVE_HDF5
        cmocka_unit_test(test_hdf5),
#endif
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_not_reached),
        cmocka_unit_test(test_standard_output),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_worthless_steps),
        cmocka_unit_test(test_wrong_usage),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
