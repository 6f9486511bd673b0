// SPDX-License-Identifier: Apache-2.0
// `holonom diff`: differences that are put into files by hand are found where they are, in columns,
// times and sizes that are known beforehand; interpolation is judged by closed forms.
#include "cli_run.h"

#include <holonom/tools.h>

#include <math.h>

static double value_of(const char *json, const char *column, const char *key) {
    char name[80];
    snprintf(name, sizeof name, "{\"name\": \"%s\",", column);
    const char *entry = strstr(json, name);
    if (!entry)
        fail_msg("no column %s in %s", column, json);
    const char *value = json_at(entry, key);
    return strncmp(value, "null", 4) == 0 ? NAN : strtod(value, NULL);
}

static void test_finds_a_changed_number(void **state) {
    (void)state;
    write_text("a.csv", "time,rod.x,rod.vx\n0,1,5\n1,2,5\n2,3,5\n3,4,5\n");
    write_text("b.csv", "time,rod.x,rod.vx\n0,1,5\n1,2,5\n2,3.25,5\n3,4.125,5\n");
    Ran ran = expect(1, "diff a.csv b.csv --json");
    expect_json(ran.out);
    assert_float_equal(value_of(ran.out, "rod.x", "first_time"), 2, 0);
    assert_float_equal(value_of(ran.out, "rod.x", "max"), 0.25, 0);
    assert_float_equal(value_of(ran.out, "rod.x", "at"), 2, 0);
    assert_true(isnan(value_of(ran.out, "rod.vx", "first_time")));
    assert_float_equal(value_of(ran.out, "rod.vx", "max"), 0, 0);
    ran_free(ran);
    // 0.25 of 4.125 is 0.0606
    ran = expect(1, "diff a.csv b.csv --tolerance 0.060");
    expect_text(ran.out, "rod.x");
    ran_free(ran);
    ran_free(expect(0, "diff a.csv b.csv --tolerance 0.061"));
    ran = expect(1, "diff a.csv b.csv --tolerance 0.05 --json");
    assert_float_equal(value_of(ran.out, "rod.x", "first_time"), 2, 0);
    ran_free(ran);
}

static void test_lists_columns_of_one_alone(void **state) {
    (void)state;
    write_text("a.csv", "time,x,p\n0,1,1\n1,2,1\n");
    write_text("b.csv", "time,q,x,r\n0,0,1,0\n1,0,2,0\n");
    Ran ran = expect(1, "diff a.csv b.csv --json"); // not the same files
    assert_int_equal(strncmp(json_at(ran.out, "only_first"), "[\"p\"]", 5), 0);
    assert_int_equal(strncmp(json_at(ran.out, "only_second"), "[\"q\", \"r\"]", 10), 0);
    ran_free(ran);
    ran_free(expect(0, "diff a.csv b.csv --tolerance 1e-12")); // the same numbers
    write_text("b.csv", "time,q\n0,0\n1,0\n");
    ran = expect(1, "diff a.csv b.csv --tolerance 1");
    expect_text(ran.out, "no column in common");
    ran_free(ran);
}

static void test_sizes_come_from_the_kind(void **state) {
    (void)state;
    // round-off of a motion in the plane x, y is no difference, whatever its own size
    write_text("a.csv", "time,b.x,b.y,b.z\n0,1,0,0\n1,0,1,3e-17\n");
    write_text("b.csv", "time,b.x,b.y,b.z\n0,1,0,0\n1,0,1,-9e-17\n");
    ran_free(expect(1, "diff a.csv b.csv"));
    Ran ran = expect(0, "diff a.csv b.csv --tolerance 1e-9 --json");
    assert_float_equal(value_of(ran.out, "b.z", "size"), 1e-3, 1e-15);
    ran_free(ran);
    // residuals describe the run
    write_text("a.csv", "time,b.x,constraint.position\n0,1,0\n1,0,1e-15\n");
    write_text("b.csv", "time,b.x,constraint.position\n0,1,0\n1,0,3e-16\n");
    ran_free(expect(0, "diff a.csv b.csv --tolerance 1e-9"));
    ran_free(expect(1, "diff a.csv b.csv"));
}

static void test_one_orientation(void **state) {
    (void)state;
    write_text("a.csv", "time,b.qw,b.qx,b.qy,b.qz\n0,0.6,0.8,0,0\n1,0,1,0,0\n");
    write_text("b.csv", "time,b.qw,b.qx,b.qy,b.qz\n0,-0.6,-0.8,0,0\n1,0,1,0,0\n");
    ran_free(expect(0, "diff a.csv b.csv --tolerance 1e-9"));
    ran_free(expect(1, "diff a.csv b.csv"));
    write_text("b.csv", "time,b.qw,b.qx,b.qy,b.qz\n0,-0.6,0.8,0,0\n1,0,1,0,0\n");
    ran_free(expect(1, "diff a.csv b.csv --tolerance 1e-9"));
}

static void test_no_number(void **state) {
    (void)state;
    write_text("a.csv", "time,x,y\n0,1,nan\n1,2,nan\n");
    write_text("b.csv", "time,x,y\n0,nan,nan\n1,2,nan\n");
    Ran ran = expect(1, "diff a.csv b.csv --tolerance 1 --json");
    expect_json(ran.out);
    assert_float_equal(value_of(ran.out, "x", "first_time"), 0, 0);
    assert_true(isnan(value_of(ran.out, "x", "max")));
    assert_true(isnan(value_of(ran.out, "y", "first_time")));
    ran_free(ran);
}

// x = sin 3 t, v, a at n + 1 equal times, changed by `wrong` from t = 1 on
static void write_sine(const char *name, int n, double wrong) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fprintf(f, "time,b.x,b.vx,b.ax,b.ay\n");
    for (int i = 0; i <= n; i++) {
        const double t = 2.0 * i / n, off = t >= 1 ? wrong : 0;
        fprintf(f, "%.17g,%.17g,%.17g,%.17g,%.17g\n", t, sin(3 * t) + off, 3 * cos(3 * t),
                -9 * sin(3 * t), sin(3 * t));
    }
    fclose(f);
}

static void test_interpolates_where_needed(void **state) {
    (void)state;
    // every time of the coarser one is in the finer one: nothing to interpolate
    write_sine("a.csv", 20, 0);
    write_sine("b.csv", 60, 0);
    Ran ran = expect(0, "diff a.csv b.csv --tolerance 1e-13 --json");
    assert_float_equal(strtod(json_at(ran.out, "interpolated"), NULL), 0, 0);
    assert_float_equal(strtod(json_at(ran.out, "rows"), NULL), 21, 0);
    ran_free(ran);
    ran = expect(1, "diff a.csv b.csv"); // but they are not the same
    expect_text(ran.out, "differ in their times");
    ran_free(ran);
    // 50 and 60: quintic with x, v, a; (h/2)^6 3^6/720 = 2.5e-10 at the most
    write_sine("a.csv", 50, 0);
    ran = expect(0, "diff b.csv a.csv --tolerance 1e-6 --json");
    assert_true(strtod(json_at(ran.out, "interpolated"), NULL) == 40);
    assert_true(value_of(ran.out, "b.x", "max") > 0);
    assert_true(value_of(ran.out, "b.x", "max") < 2.6e-10);
    assert_true(value_of(ran.out, "b.x", "interpolation") > value_of(ran.out, "b.x", "max"));
    // cubic through four rows: 9/384 h^4 3^4 = 2.3e-6, at the ends twice
    assert_true(value_of(ran.out, "b.ay", "max") < 1e-5);
    assert_true(value_of(ran.out, "b.ay", "interpolation") > value_of(ran.out, "b.ay", "max"));
    expect_text(ran.out, "interpolated");
    ran_free(ran);
    // a difference of 1e-5 from t = 1 on is seen through that, at the first row behind it
    write_sine("a.csv", 50, 1e-5);
    ran = expect(1, "diff a.csv b.csv --tolerance 1e-6 --json");
    assert_float_equal(value_of(ran.out, "b.x", "first_time"), 1, 1e-12);
    assert_float_equal(value_of(ran.out, "b.x", "max"), 1e-5, 1e-8);
    assert_true(isnan(value_of(ran.out, "b.ay", "first_time")));
    ran_free(ran);
}

static void test_other_time_is_a_difference(void **state) {
    (void)state;
    write_text("a.csv", "time,x\n0,1\n1,2\n2,3\n");
    write_text("b.csv", "time,x\n0,1\n1,2\n");
    Ran ran = expect(1, "diff a.csv b.csv --tolerance 1e-3");
    expect_text(ran.out, "the second at 1 s");
    ran_free(ran);
    write_text("b.csv", "time,x\n5,1\n6,2\n");
    ran = expect(1, "diff a.csv b.csv --tolerance 1e-3");
    expect_text(ran.out, "no time in common");
    ran_free(ran);
}

static void test_sides_of_a_jump(void **state) {
    (void)state;
    write_text("a.csv", "time,b.ax\n0,1\n1,1\n1,5\n2,5\n");
    write_text("b.csv", "time,b.ax\n0,1\n0.5,1\n1,1\n1,5\n1.5,5\n2,5\n");
    ran_free(expect(0, "diff a.csv b.csv --tolerance 1e-12"));
    ran_free(expect(0, "diff b.csv a.csv --tolerance 1e-12"));
    // nothing is interpolated across: 1.25 lies among the fives
    write_text("b.csv", "time,b.ax\n0,1\n0.75,1\n1,1\n1,5\n1.25,5\n2,5\n");
    write_text("a.csv", "time,b.ax\n0,1\n0.5,1\n0.6,1\n1,1\n1,5\n1.125,5\n1.5,5\n2,5\n");
    ran_free(expect(0, "diff a.csv b.csv --tolerance 1e-12"));
}

static void test_formats_mix(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv"));
    Ran ran = run_cli("", "run pendulum.yaml -q -o a.h5");
    const int hdf5 = ran.code == 0;
    ran_free(ran);
    if (hdf5)
        ran_free(expect(0, "diff a.csv a.h5"));
    ran_free(expect(0, "run pendulum.yaml -q --method taylor --tolerance 1e-10 --output-step 0.01 "
                       "-o b.csv"));
    ran_free(expect(0, "diff a.csv b.csv --tolerance 1e-5"));
    ran = expect(1, hdf5 ? "diff a.h5 b.csv --tolerance 1e-14" : "diff a.csv b.csv");
    expect_text(ran.out, "rod.x");
    ran_free(ran);
}

static void test_unreadable(void **state) {
    (void)state;
    write_text("a.csv", "time,x\n0,1\n1,2\n");
    write_text("broken.csv", "time,x\n0,1\n1\n");
    write_text("broken.h5", "no HDF5");
    ran_free(expect(4, "diff a.csv none.csv"));
    ran_free(expect(4, "diff none.csv a.csv"));
    ran_free(expect(4, "diff a.csv broken.csv"));
    ran_free(expect(2, "diff a.csv"));
    Ran ran = run_cli("", "diff broken.h5 a.csv");
    assert_true(ran.code == 4 || ran.code == 2); // 2: this build has no HDF5
    ran_free(ran);
    ran_free(expect(2, "diff a.csv a.csv --tolerance x"));
    ran_free(expect(2, "diff a.csv a.csv --tolerance -1"));
}

static void test_interface(void **state) {
    (void)state;
    HolResult *a;
    HolDiff *d;
    HolError err;
    write_text("a.csv", "time,x\n0,1\n1,2\n");
    assert_int_equal(hol_result_read("a.csv", &a, &err), HOL_OK);
    assert_int_equal(hol_diff(a, a, 0, &d, &err), HOL_OK);
    assert_true(d->within && d->n_columns == 1 && d->rows == 2 && d->from == 0 && d->to == 1);
    hol_diff_destroy(d);
    assert_int_equal(hol_diff(a, NULL, 0, &d, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_diff(a, a, NAN, &d, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_diff(a, a, 0, NULL, &err), HOL_ERR_INPUT);
    hol_diff_destroy(NULL);
    hol_result_destroy(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_a_changed_number),
        cmocka_unit_test(test_lists_columns_of_one_alone),
        cmocka_unit_test(test_sizes_come_from_the_kind),
        cmocka_unit_test(test_one_orientation),
        cmocka_unit_test(test_no_number),
        cmocka_unit_test(test_interpolates_where_needed),
        cmocka_unit_test(test_other_time_is_a_difference),
        cmocka_unit_test(test_sides_of_a_jump),
        cmocka_unit_test(test_formats_mix),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_interface),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
