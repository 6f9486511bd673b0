// SPDX-License-Identifier: Apache-2.0
// The command as a user meets it: usage, exit codes, what goes to stdout and to stderr, --json.
#include "cli_run.h"

#include <holonom/holonom.h>
#include <math.h>

static void test_help_and_version(void **state) {
    (void)state;
    Ran ran = expect(0, "--help");
    expect_text(ran.out, "holonom run MODEL");
    assert_string_equal(ran.err, "");
    ran_free(ran);
    ran = expect(0, "--version");
    expect_text(ran.out, "holonom " HOL_VERSION_TEXT " (LAPACK");
    expect_text(ran.out, "), tools " HOL_VERSION_TEXT);
#ifdef HOL_HAVE_CAIRO
    expect_text(ran.out, "cairo");
#endif
#ifdef HOL_HAVE_MICROHTTPD
    expect_text(ran.out, "libmicrohttpd");
#endif
    ran_free(ran);
    const char *const verbs[] = {"run", "check", "kinds"};
    for (size_t i = 0; i < 3; i++) {
        char arguments[32];
        snprintf(arguments, sizeof arguments, "%s --help", verbs[i]);
        ran = expect(0, arguments);
        expect_text(ran.out, "Usage: holonom");
        expect_text(ran.out, "Options:");
        ran_free(ran);
    }
}

// every wrong usage: code 2, nothing on stdout, and the right word on stderr
static void test_wrong_usage(void **state) {
    (void)state;
    const struct {
        const char *arguments, *says;
    } cases[] = {
        {"", "Usage"},
        {"rum pendulum.yaml", "did you mean 'run'"},
        {"run", "missing argument"},
        {"run a b", "unexpected argument 'b'"},
        {"run pendulum.yaml --tolerence 1", "--tolerance"},
        {"run pendulum.yaml --step", "value is missing"},
        {"run pendulum.yaml --json=1", "no value"},
        {"run pendulum.yaml --step 0.1 --tolerance 1e-3", "--tolerance"},
        {"run pendulum.yaml --set L", "key=value"},
        {"run pendulum.yaml --set LL=2", "LL"},
        {"run pendulum.yaml --set L=abc", "abc"},
        {"run pendulum.yaml --step=-1", "step"},
        {"run pendulum.yaml --method newmrk", "newmark"},
        {"run pendulum.yaml --json -o -", "standard output"},
        {"run pendulum.yaml -o result.txt", ".csv"},
        {"run pendulum.yaml --json --report -", "standard output"},
        {"run pendulum.yaml -o same.csv --report same.csv", "one file"},
        {"run pendulum.yaml -o same.csv --report ./same.csv", "one file"},
        {"run pendulum.yaml -o same.csv --report same.csv.json", "one file"},
        {"run pendulum.yaml -o - --report -", "one file"},
        {"kinds --schema --markdown", "--schema"},
        {"check", "missing argument"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Ran ran = expect(2, cases[i].arguments);
        assert_string_equal(ran.out, "");
        expect_text(ran.err, cases[i].says);
        ran_free(ran);
    }
    assert_false(exists("result.txt"));
    assert_int_equal(count_files("same."), 0);
}

// a column is offered when it is near, else all of them
static void test_plot_columns(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o columns.csv"));
    Ran ran = expect(2, "plot columns.csv -c nope -o p.svg");
    assert_null(strstr(ran.err, "did you mean"));
    expect_text(ran.err, "rod.omega");
    ran_free(ran);
    ran = expect(2, "plot columns.csv -c rod.omga -o p.svg");
    expect_text(ran.err, "did you mean 'rod.omega'?");
    ran_free(ran);
    // over another column
    ran = expect(2, "plot columns.csv -c rod.y --x rod.xx -o p.svg");
    expect_text(ran.err, "no column 'rod.xx'");
    ran_free(ran);
    ran_free(expect(0, "plot columns.csv -c rod.y --x rod.x --equal --points -o p.svg"));
    ran_free(expect(0, "plot columns.csv -c rod.omega --log-x --from 1e-2 -o p.svg"));
    ran = expect(2, "plot columns.csv -c rod.y,rod.omega --x rod.x --equal -o p.svg");
    expect_text(ran.err, "equal units need one panel");
    ran_free(ran);
}

static void test_csv_on_stdout(void **state) {
    (void)state;
    Ran ran = expect(0, "run pendulum.yaml");
    assert_int_equal(strncmp(ran.out, "time,", 5), 0);
    assert_int_equal(csv_rows(ran.out), 101); // start and 100 steps
    assert_true(csv_value(ran.out, -1, "time") == 1);
    expect_text(ran.err, "Test pendulum");
    expect_text(ran.err, "100 accepted");
    // numbers are written so that they read back the same
    char field[64], again[64];
    csv_field(ran.out, -1, "rod.x", field, sizeof field);
    snprintf(again, sizeof again, "%.17g", strtod(field, NULL));
    assert_string_equal(field, again);
    assert_true(strlen(field) >= 17);
    ran_free(ran);

    ran = expect(0, "run pendulum.yaml --quiet -o -");
    assert_int_equal(csv_rows(ran.out), 101);
    assert_string_equal(ran.err, "");
    ran_free(ran);
}

static void test_options_reach_the_run(void **state) {
    (void)state;
    Ran ran = expect(0, "run pendulum.yaml -q --end 0.5 --output-step 0.1");
    assert_int_equal(csv_rows(ran.out), 6);
    assert_true(csv_value(ran.out, 4, "time") == 0.3);
    assert_true(csv_value(ran.out, -1, "time") == 0.5);
    ran_free(ran);
    // an output step that does not divide the end: the end is there all the same
    ran = expect(0, "run pendulum.yaml -q --end 0.5 --output-step 0.2");
    assert_int_equal(csv_rows(ran.out), 4);
    assert_true(csv_value(ran.out, -1, "time") == 0.5);
    ran_free(ran);
    ran = expect(0, "run pendulum.yaml -q --set L=2 --set end=0.25 --step 0.25");
    assert_int_equal(csv_rows(ran.out), 2);
    assert_true(csv_value(ran.out, 1, "rod.x") == 1);
    ran_free(ran);
    // a tolerance replaces the step of the file
    ran = expect(0, "run pendulum.yaml --tolerance 1e-4 --json -q");
    assert_int_equal(strncmp(json_at(ran.out, "step"), "null", 4), 0);
    assert_true(strtod(json_at(ran.out, "tolerance"), NULL) == 1e-4);
    ran_free(ran);
    ran = expect(0, "run pendulum.yaml --method hht --json -q");
    assert_int_equal(strncmp(json_at(ran.out, "method"), "\"hht\"", 5), 0);
    ran_free(ran);
}

static void test_standard_input(void **state) {
    (void)state;
    Ran file = expect(0, "run pendulum.yaml -q");
    Ran input = run_cli("cat pendulum.yaml |", "run - -q");
    assert_int_equal(input.code, 0);
    assert_string_equal(input.out, file.out);
    ran_free(file);
    ran_free(input);
}

static void test_json_keys(void **state) {
    (void)state;
    Ran ran = expect(0, "run pendulum.yaml --json -o both.csv");
    expect_json(ran.out);
    const char *const keys[] = {
        "model",
        "method",
        "step",
        "tolerance",
        "t_end",
        "steps",
        "rejected",
        "newton_iterations",
        "jacobians",
        "factorizations",
        "cpu_seconds",
        "wall_seconds",
        "energy.initial",
        "energy.final",
        "energy.max_drift",
        "constraint.position",
        "constraint.velocity",
        "constraint.acceleration",
        "final.rod.x",
        "final.rod.y",
        "final.rod.angle",
        "final.rod.vx",
        "final.rod.vy",
        "final.rod.omega",
        "status",
        "message",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_at(ran.out, keys[i]);
    assert_int_equal(strncmp(json_at(ran.out, "model"), "\"Test pendulum\"", 15), 0);
    assert_int_equal(strncmp(json_at(ran.out, "status"), "\"ok\"", 4), 0);
    assert_int_equal(strtol(json_at(ran.out, "steps"), NULL, 10), 100);
    assert_true(strtod(json_at(ran.out, "step"), NULL) == 0.01);
    assert_true(strtod(json_at(ran.out, "t_end"), NULL) == 1);
    assert_true(strtod(json_at(ran.out, "constraint.position"), NULL) < 1e-11);
    assert_true(strtod(json_at(ran.out, "energy.max_drift"), NULL) < 1e-3);
    // the final state is the last row of the results
    char *csv = read_text("both.csv");
    assert_non_null(csv);
    assert_true(strtod(json_at(ran.out, "final.rod.x"), NULL) == csv_value(csv, -1, "rod.x"));
    assert_true(strtod(json_at(ran.out, "final.rod.omega"), NULL) ==
                csv_value(csv, -1, "rod.omega"));
    free(csv);
    ran_free(ran);
}

// `outputs:` restricts the columns, not the final state
static void test_json_final_with_outputs(void **state) {
    (void)state;
    char model[2048];
    snprintf(model, sizeof model, "%soutputs: [rod.x, energy.total]\n", pendulum);
    write_text("outputs.yaml", model);
    Ran ran = expect(0, "run outputs.yaml --json -q -o outputs.csv");
    json_at(ran.out, "final.rod.angle");
    char *csv = read_text("outputs.csv");
    assert_int_equal(strncmp(csv, "time,rod.x,energy.total\n", 24), 0);
    free(csv);
    ran_free(ran);
}

static void test_bad_model(void **state) {
    (void)state;
    write_text("bad.yaml", "holonom: 1\nspace: planar\nbodies:\n"
                           "  - {name: rod, mas: 1}\n  - {name: rud, mass: -2}\n");
    write_text("kept.csv", "as it was\n");
    Ran ran = expect(2, "run bad.yaml -o bad.csv");
    assert_string_equal(ran.out, "");
    expect_text(ran.err, "bad.yaml:4:");
    expect_text(ran.err, "bad.yaml:5:"); // all problems at once
    expect_text(ran.err, "mass");
    assert_int_equal(count_files("bad.csv"), 0);
    ran_free(ran);
    // an earlier file of that name is not touched
    ran_free(expect(2, "run bad.yaml -o kept.csv"));
    char *kept = read_text("kept.csv");
    assert_string_equal(kept, "as it was\n");
    free(kept);
    // still one object for a program that reads it
    ran = expect(2, "run bad.yaml --json");
    expect_json(ran.out);
    assert_int_equal(strncmp(json_at(ran.out, "status"), "\"invalid\"", 9), 0);
    expect_text(json_at(ran.out, "message"), "bad.yaml:4:");
    ran_free(ran);
    ran_free(expect(2, "check bad.yaml"));
    ran_free(expect(4, "run absent.yaml"));
    ran_free(expect(4, "check absent.yaml"));
}

static void test_check(void **state) {
    (void)state;
    Ran ran = expect(0, "check pendulum.yaml");
    expect_text(ran.out, "degrees of freedom  1");
    assert_string_equal(ran.err, "");
    ran_free(ran);
    ran = expect(0, "check pendulum.yaml --json");
    expect_json(ran.out);
    assert_int_equal(strtol(json_at(ran.out, "dof"), NULL, 10), 1);
    assert_int_equal(strtol(json_at(ran.out, "rank"), NULL, 10), 2);
    assert_int_equal(strtol(json_at(ran.out, "redundant"), NULL, 10), 0);
    ran_free(ran);

    // the same joint twice: two redundant rows, named
    char model[2048];
    const char *tail = strstr(pendulum, "simulation:");
    snprintf(model, sizeof model,
             "%.*s  - {name: Again, type: revolute, between: [ground.O, rod.top]}\n%s",
             (int)(tail - pendulum), pendulum, tail);
    write_text("twice.yaml", model);
    ran = expect(0, "check twice.yaml --json");
    assert_int_equal(strtol(json_at(ran.out, "dof"), NULL, 10), 1);
    assert_int_equal(strtol(json_at(ran.out, "redundant"), NULL, 10), 2);
    const char *dependent = json_at(ran.out, "dependent");
    assert_true(strstr(dependent, "\"Again\"") || strstr(dependent, "\"O\""));
    ran_free(ran);

    // a start that is a little off is moved, and said so
    snprintf(model, sizeof model, "%s", pendulum);
    char *position = strstr(model, "[\"L/2\", 0]");
    memcpy(position, "[ 0.51, 0]", 10);
    write_text("off.yaml", model);
    ran = expect(0, "check off.yaml --json");
    assert_true(strtod(json_at(ran.out, "moved_position"), NULL) > 1e-3);
    assert_true(strtod(json_at(ran.out, "residual.position"), NULL) > 1e-3);
    ran_free(ran);

    // what cannot be assembled is a wrong model, with the joint's name
    snprintf(model, sizeof model,
             "holonom: 1\nspace: planar\nground: {points: {A: [0, 0], B: [5, 0]}}\nbodies:\n"
             "  - {name: rod, mass: 1, inertia: 1, points: {a: [-1, 0], b: [1, 0]}}\njoints:\n"
             "  - {name: Left, type: revolute, between: [ground.A, rod.a]}\n"
             "  - {name: Right, type: revolute, between: [ground.B, rod.b]}\n");
    write_text("apart.yaml", model);
    ran = expect(2, "check apart.yaml");
    assert_true(strstr(ran.err, "Left") || strstr(ran.err, "Right"));
    ran_free(ran);
    ran_free(expect(2, "run apart.yaml -o apart.csv"));
    assert_int_equal(count_files("apart.csv"), 0);
}

// the doctor's part of check: the keys are a contract
static void test_check_doctor(void **state) {
    (void)state;
    Ran ran = expect(0, "check " HOL_SOURCE_DIR "/test/doctor/locked.yaml --json");
    expect_json(ran.out);
    const char *loops = json_at(ran.out, "loops");
    expect_text(loops, "\"joints\": [\"C\", \"D\", \"A\", \"B\"]");
    expect_text(loops, "{\"joint\": \"C\", \"row\": \"rotation about x\"}");
    expect_text(loops, "\"always\": true");
    expect_text(loops, "\"unique_reactions\": []");
    expect_text(loops, "{\"joint\": \"C\", \"from\": \"revolute\", \"to\": \"spherical\", "
                       "\"verified\": true}");
    expect_text(loops, "\"locked\": {");
    expect_text(json_at(ran.out, "motions"), "[]");
    const double distance = strtod(json_at(ran.out, "singular_distance"), NULL);
    assert_true(distance > 0.001 && distance < 0.1);
    assert_int_equal(strncmp(json_at(ran.out, "warnings"), "[]", 2), 0);
    ran_free(ran);
    ran = expect(0, "check " HOL_SOURCE_DIR "/test/doctor/locked.yaml");
    expect_text(ran.out, "the axis of C is 5 degrees off the common direction of D, A and B");
    expect_text(ran.out, "cure make C spherical in place of revolute: verified");
    ran_free(ran);
    ran = expect(0, "check pendulum.yaml --json");
    expect_text(json_at(ran.out, "motions"), "\"rod turns about O\"");
    assert_int_equal(strncmp(json_at(ran.out, "loops"), "[]", 2), 0);
    ran_free(ran);
    // what cannot be assembled still has its warnings
    write_text("mixed.yaml",
               "holonom: 1\nspace: planar\nbodies:\n"
               "  - {name: a, mass: 1, inertia: 1, position: [0.25, 0]}\njoints:\n"
               "  - {name: J, type: revolute, between: [ground, {body: a, at: [250, "
               "0]}]}\n  - {name: K, type: revolute, between: [{body: ground, at: [0.5, "
               "0]}, {body: a, at: [0.25, 0]}]}\n");
    ran = expect(2, "check mixed.yaml --json");
    expect_json(ran.out);
    expect_text(json_at(ran.out, "status"), "invalid");
    expect_text(json_at(ran.out, "warnings"), "\"kind\": \"units\"");
    ran_free(ran);
}

// a table that does not say how it is interpolated: one remark, in check and run; columns of a file
// beside the model, wherever the command runs
static void test_tables(void **state) {
    (void)state;
    write_text("road.csv", "s,h\n0,0\n1,0.5\n2,0\n");
    write_text("road.yaml", "holonom: 1\nspace: planar\n"
                            "tables:\n  road: {file: road.csv, x: s, y: h}\n"
                            "bodies: [{name: p, type: point, mass: 1}]\n"
                            "forces: [{type: force, on: p, value: ['interp(road, time)', 0]}]\n"
                            "simulation: {end: 2}\n");
    Ran ran = expect(0, "check road.yaml --json");
    expect_json(ran.out);
    const char *warnings = json_at(ran.out, "warnings");
    expect_text(warnings, "\"kind\": \"table\"");
    expect_text(warnings, "\"name\": \"road\"");
    expect_text(warnings, "\"line\": 4");
    expect_text(warnings, "does not say how it is interpolated");
    ran_free(ran);
    ran = expect(0, "check road.yaml");
    expect_text(ran.out, "remark              table 'road'");
    ran_free(ran);
    ran = expect(0, "run road.yaml --json -o road-run.csv");
    expect_text(json_at(ran.out, "notes"), "table 'road' does not say");
    // through three points monotone is their parabola here, s (2 - s)/2
    assert_true(fabs(strtod(json_at(ran.out, "final.p.vx"), NULL) - 2. / 3) < 1e-6);
    ran_free(ran);
}

static void test_kinds(void **state) {
    (void)state;
    Ran ran = expect(0, "kinds");
    expect_text(ran.out, "revolute");
    expect_text(ran.out, "tangent");
    ran_free(ran);
    ran = expect(0, "kinds --markdown");
    assert_null(strstr(ran.out, "<!--")); // every mark of docs/format.in.md became a table
    expect_text(ran.out, "revolute");
    expect_text(ran.out, "#");
    ran_free(ran);
    ran = expect(0, "kinds --schema");
    expect_json(ran.out);
    json_at(ran.out, "properties.bodies");
    ran_free(ran);
}

// a force that ceases to be a number at t = 0.5: exit 3, the time in the message, results till then
static void test_numerical_failure(void **state) {
    (void)state;
    char model[2048];
    const char *tail = strstr(pendulum, "simulation:");
    snprintf(model, sizeof model,
             "%.*sforces:\n  - {name: T, type: torque, on: rod, value: \"sqrt(0.505 - time)\"}\n%s",
             (int)(tail - pendulum), pendulum, tail);
    write_text("fails.yaml", model);
    Ran ran = expect(3, "run fails.yaml -o fails.csv --json");
    expect_json(ran.out);
    assert_int_equal(strncmp(json_at(ran.out, "status"), "\"failed\"", 8), 0);
    expect_text(json_at(ran.out, "message"), "0.5");
    expect_text(ran.err, "0.5");
    double reached = strtod(json_at(ran.out, "t_reached"), NULL);
    assert_true(reached > 0.4 && reached < 0.52);
    char *csv = read_text("fails.csv");
    assert_non_null(csv);
    assert_true(csv_rows(csv) > 40);
    assert_true(csv_value(csv, -1, "time") == reached);
    assert_int_equal(count_files(".part-"), 0);
    free(csv);
    ran_free(ran);
}

// a step below the resolution of time: no success, and no run without end
static void test_no_progress(void **state) {
    (void)state;
    Ran ran =
        expect(3, "run pendulum.yaml -q --set start=1 --end 2 --step 1e-17 --yes -o still.csv");
    expect_text(ran.err, "results up to t = 1 s are in still.csv");
    char *csv = read_text("still.csv");
    assert_non_null(csv);
    assert_int_equal(csv_rows(csv), 1);
    free(csv);
    ran_free(ran);
}

// steps and rows that nobody means; --yes lets them begin
static void test_endless(void **state) {
    (void)state;
    Ran ran = expect(2, "run pendulum.yaml -q -o endless.csv --end 1e6 --step 1e-6");
    expect_text(ran.err, "has 1e+12 steps (step 1e-06 s): --yes");
    ran_free(ran);
    ran = expect(2, "run pendulum.yaml -q -o endless.csv --end 1e6 --tolerance 1e-3 --output-step "
                    "1e-6");
    expect_text(ran.err, "has 1e+12 rows of results (output_step 1e-06 s): --yes");
    ran_free(ran);
    ran = expect(2, "run pendulum.yaml -q -o endless.csv --end 1e6 --tolerance 1e-3 --set "
                    "max_step=1e-6");
    expect_text(ran.err, "has at least 1e+12 steps (max_step 1e-06 s): --yes");
    ran_free(ran);
    assert_false(exists("endless.csv"));
    ran = expect(3, "run pendulum.yaml -q -o endless.csv --end 1e6 --tolerance 1e-3 --output-step "
                    "1e-3 --set max_steps=3 --yes");
    ran_free(ran);
    static const char *const laws[] = {"floor(1e9*time)", "sign(sin(1e9*time))"};
    static const char *const counts[] = {"about 1e+09 times", "about 3.2e+08 times"};
    for (int i = 0; i < 2; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\nbodies: [{name: b, mass: 1, inertia: 1}]\n"
                 "simulation: {end: 1}\nforces: [{type: force, acts_on: b, value: [\"%s\", 0]}]\n",
                 laws[i]);
        write_text("often.yaml", text);
        ran = expect(2, "run often.yaml -q");
        expect_text(ran.err, counts[i]);
        ran_free(ran);
        ran_free(expect(2, "run often.yaml -q --certify"));
        ran_free(expect(0, "run often.yaml -q --end 1e-9"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_help_and_version),
        cmocka_unit_test(test_wrong_usage),
        cmocka_unit_test(test_csv_on_stdout),
        cmocka_unit_test(test_plot_columns),
        cmocka_unit_test(test_options_reach_the_run),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_json_keys),
        cmocka_unit_test(test_json_final_with_outputs),
        cmocka_unit_test(test_bad_model),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_check_doctor),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_numerical_failure),
        cmocka_unit_test(test_no_progress),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
