// SPDX-License-Identifier: Apache-2.0
// `holonom modes` as a user meets it: tables, JSON, files, wrong options, exit codes.
#include "cli_run.h"

#include <math.h>

// two rods hanging at rest, 0.5 m each: 3.7902535848348946, 10.166315840197285 rad/s (closed form)
static const char *const rods =
    "holonom: 1\nname: Two rods\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "- {name: upper, mass: 1, inertia: \"0.25/12\", position: [0, -0.25]}\n"
    "- {name: lower, mass: 1, inertia: \"0.25/12\", position: [0, -0.75]}\njoints:\n"
    "- {type: revolute, bodies: [ground, upper], at: [0, 0]}\n"
    "- {type: revolute, bodies: [upper, lower], at: [0, -0.5]}\nsimulation: {end: 1}\n";

static int enter_modes(void **state) {
    if (enter_place(state))
        return -1;
    write_text("rods.yaml", rods);
    return 0;
}

static void test_table(void **state) {
    (void)state;
    Ran ran = expect(0, "modes rods.yaml");
    expect_text(ran.out, "Two rods at time 0: 2 degrees of freedom");
    expect_text(ran.out, "0.60323759"); // 3.7902535848348946 / 2 pi
    expect_text(ran.out, "1.6180194");
    assert_int_equal(ran.err[0], 0);
    ran_free(ran);
    ran = expect(0, "modes rods.yaml --count 1");
    expect_text(ran.out, "1 more; --count N lists more, the fastest is 10.166316 rad/s");
    ran_free(ran);
    ran = expect(0, "modes pendulum.yaml --at 0.25");
    expect_text(ran.out, "at time 0.25: 1 degree of freedom, moving");
    expect_text(ran.out, "indicative only");
    ran_free(ran);
}

// the names of the interface, all of them
static void test_json(void **state) {
    (void)state;
    Ran ran = expect(0, "modes rods.yaml --json");
    expect_json(ran.out);
    assert_true(strtod(json_at(ran.out, "time"), NULL) == 0);
    assert_true(strtod(json_at(ran.out, "dof"), NULL) == 2);
    expect_text(json_at(ran.out, "axes"), "\"transport\"");
    assert_true(strtod(json_at(ran.out, "constancy"), NULL) == 0);
    assert_true(fabs(strtod(json_at(ran.out, "omega_max"), NULL) - 10.166315840197285) < 1e-9);
    assert_int_equal(json_at(ran.out, "free")[1], ']');
    const char *first = json_at(ran.out, "modes") + 1;
    static const char *const keys[] = {"real", "imag", "frequency_hz", "damping"};
    const double value[] = {0, 3.7902535848348946, 0.60323759, 0};
    for (int i = 0; i < 4; i++)
        assert_true(fabs(strtod(json_at(first, keys[i]), NULL) - value[i]) < 1e-6);
    assert_true(fabs(strtod(json_at(first, "bodies.upper"), NULL) +
                     strtod(json_at(first, "bodies.lower"), NULL) - 1) < 1e-12);
    static const char *const axes[] = {"shape.lower.x", "shape.lower.y", "shape.lower.angle"};
    double re[3];
    for (int i = 0; i < 3; i++) {
        const char *pair = json_at(first, axes[i]);
        assert_int_equal(*pair, '[');
        char *end;
        re[i] = strtod(pair + 1, &end);
        assert_int_equal(*end, ',');
        assert_true(strtod(end + 1, NULL) == 0);
    }
    const double upper = strtod(json_at(first, "shape.upper.angle") + 1, NULL);
    assert_true(fabs(re[0] - 0.5 * upper - 0.25 * re[2]) < 1e-12 && fabs(re[1]) < 1e-12);
    ran_free(ran);
    write_text("free.yaml",
               "holonom: 1\nspace: spatial\nbodies: [{name: a, mass: 1, inertia: [1, 1, "
               "1]}]\nsimulation: {end: 1}\n");
    ran = expect(0, "modes free.yaml --json");
    expect_json(ran.out);
    const char *free_one = json_at(ran.out, "free") + 1;
    assert_true(strtod(json_at(free_one, "bodies.a"), NULL) == 1);
    expect_text(json_at(free_one, "text"), "\"a moves along");
    assert_int_equal(json_at(ran.out, "modes")[1], ']');
    ran_free(ran);
}

// a Matrix Market array
static int read_matrix(const char *name, double *out, int room) {
    int rows, cols, n = 0;
    char *text = read_text(name), *line = text;
    assert_non_null(text);
    expect_text(text, "%%MatrixMarket matrix array real general\n");
    while (*line == '%')
        line = strchr(line, '\n') + 1;
    assert_int_equal(sscanf(line, "%d %d", &rows, &cols), 2);
    assert_true(rows * cols <= room);
    for (line = strchr(line, '\n') + 1; n < rows * cols; n++)
        out[n] = strtod(line, &line);
    free(text);
    return rows * 100 + cols;
}

static void test_files(void **state) {
    (void)state;
    double M[4], C[4], K[4], N[12];
    ran_free(expect(0, "modes rods.yaml -o modes.csv --matrices red"));
    char *csv = read_text("modes.csv"), *names = read_text("red/names.txt");
    assert_non_null(csv);
    assert_int_equal(csv_rows(csv), 2);
    assert_true(fabs(csv_value(csv, 1, "imag") - 3.7902535848348946) < 1e-12);
    assert_true(fabs(csv_value(csv, 2, "imag") - 10.166315840197285) < 1e-12);
    assert_true(fabs(csv_value(csv, 1, "upper.share") + csv_value(csv, 1, "lower.share") - 1) <
                1e-12);
    assert_true(csv_value(csv, 1, "lower.x.im") == 0);
    assert_string_equal(names, "upper.x\nupper.y\nupper.angle\nlower.x\nlower.y\nlower.angle\n");
    assert_int_equal(read_matrix("red/M.mtx", M, 4), 202);
    assert_int_equal(read_matrix("red/C.mtx", C, 4), 202);
    assert_int_equal(read_matrix("red/K.mtx", K, 4), 202);
    assert_int_equal(read_matrix("red/N.mtx", N, 12), 602);
    // det(K - w^2 M) = 0 at both, N^T diag(1, 1, 1/48, ..) N = M
    for (int i = 0; i < 2; i++) {
        const double w = i ? 10.166315840197285 : 3.7902535848348946, z = w * w;
        const double det =
            (K[0] - z * M[0]) * (K[3] - z * M[3]) - (K[1] - z * M[1]) * (K[2] - z * M[2]);
        assert_true(fabs(det) < 1e-10 * z * z * M[0] * M[3]);
    }
    for (int i = 0; i < 4; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++)
            sum += N[6 * (i / 2) + k] * N[6 * (i % 2) + k] * (k % 3 == 2 ? 0.25 / 12 : 1);
        assert_true(fabs(sum - M[i]) < 1e-12 && C[i] == 0);
    }
    free(csv);
    free(names);
}

// A mass on a spring, started off its place: x = g m/k below the free end; swings with sqrt(g/x_total),
// bounces with sqrt(k/m).
static void test_equilibrium(void **state) {
    (void)state;
    write_text(
        "bounce.yaml",
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: [{name: p, type: point, mass: "
        "1.5, "
        "position: [0.2, -0.75]}]\nforces: [{type: spring_damper, between: [ground, p], stiffness: "
        "300, length: 0.8}]\nsimulation: {end: 1}\n");
    Ran ran = expect(0, "modes bounce.yaml --equilibrium --json");
    const char *first = json_at(ran.out, "modes") + 1;
    assert_true(fabs(strtod(json_at(first, "imag"), NULL) - sqrt(9.81 / 0.84905)) < 1e-8);
    assert_true(fabs(strtod(json_at(ran.out, "omega_max"), NULL) - sqrt(300 / 1.5)) < 1e-8);
    assert_int_equal(json_at(ran.out, "remarks")[1], ']'); // it rests
    ran_free(ran);
    ran = expect(0, "modes bounce.yaml");
    expect_text(ran.out, "not in equilibrium");
    ran_free(ran);
    ran = expect(2, "modes bounce.yaml --equilibrium --at 1");
    expect_text(ran.err, "contradict");
    ran_free(ran);
    write_text("falls.yaml",
               "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: [{name: p, type: point, "
               "mass: 1}]\nsimulation: {end: 1}\n");
    ran = expect(3, "modes falls.yaml --equilibrium"); // nothing holds it
    assert_true(ran.err[0] != 0);
    ran_free(ran);
}

// the page holds every shape; on it the hinges stay closed
static void test_page(void **state) {
    (void)state;
    Ran ran = run_cli("", "modes rods.yaml --report modes.html");
    if (ran.code == 2 && strstr(ran.err, "no report page")) {
        ran_free(ran);
        return;
    }
    assert_int_equal(ran.code, 0);
    ran_free(ran);
    char *page = read_text("modes.html");
    assert_non_null(page);
    expect_text(page,
                "\"modes\":[{\"name\":\"mode 1\",\"text\":\"lower turns, with upper\",\"from\":0,"
                "\"to\":2,");
    expect_text(page, "\"name\":\"mode 2\"");
    free(page);
    ran_free(expect(4, "modes rods.yaml --report nowhere/m.html"));
    ran_free(expect(2, "modes rods.yaml --report rods.yaml"));
}

static void test_mistakes(void **state) {
    (void)state;
    static const struct {
        int code;
        const char *arguments, *said;
    } wrong[] = {
        {2, "modes rods.yaml --count 0", "--count wants a number of 1 or more; this is '0'"},
        {2, "modes rods.yaml --count 2.5", "--count wants a whole number"},
        {2, "modes rods.yaml --count many", "this is 'many'"},
        {2, "modes rods.yaml --at -1", "--at wants a number of 0 or more; this is '-1'"},
        {2, "modes rods.yaml --at x", "this is 'x'"},
        {2, "modes rods.yaml --at nan", "this is 'nan'"},
        {2, "modes rods.yaml --at", "--at"},
        {2, "modes rods.yaml --nothing", "--nothing"},
        {2, "modes", "MODEL"},
        {2, "modes rods.yaml --set nothing=1", "nothing"},
        {4, "modes nothing.yaml", "nothing.yaml"},
        {4, "modes rods.yaml --matrices rods.yaml", "rods.yaml/M.mtx"},
        {4, "modes rods.yaml -o nowhere/a.csv", "nowhere/a.csv"},
        {2, "modes rods.yaml -o rods.yaml", "rods.yaml"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Ran ran = expect(wrong[i].code, wrong[i].arguments);
        expect_text(ran.err, wrong[i].said);
        ran_free(ran);
    }
    char *text = read_text("rods.yaml");
    assert_string_equal(text, rods); // it was not written over
    free(text);
    Ran ran = run_cli("timeout --foreground --preserve-status -s INT 0.3",
                      "modes pendulum.yaml --set end=1e9 --at 1e9");
    assert_int_equal(ran.code, 130);
    ran_free(ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table), cmocka_unit_test(test_json),
        cmocka_unit_test(test_files), cmocka_unit_test(test_equilibrium),
        cmocka_unit_test(test_page),  cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, enter_modes, leave_place);
}
