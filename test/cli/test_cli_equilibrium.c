// SPDX-License-Identifier: Apache-2.0
// `holonom equilibrium` and `start_at` as a user of the command meets them: text, --json, the model
// file with new positions, exit codes.
#include "cli_run.h"

#include <math.h>

static void test_text(void **state) {
    (void)state;
    Ran ran = expect(0, "equilibrium pendulum.yaml");
    expect_text(ran.out, "Test pendulum: stable equilibrium\n");
    expect_text(ran.out, "energy      -4.905 J");
    ran_free(ran);
}

static void test_json(void **state) {
    (void)state;
    Ran ran = expect(0, "equilibrium pendulum.yaml --json --set L=2");
    expect_json(ran.out);
    expect_text(json_at(ran.out, "status"), "\"ok\"");
    expect_text(json_at(ran.out, "stable"), "true");
    assert_int_equal(strtol(json_at(ran.out, "neutral"), NULL, 10), 0);
    assert_true(strncmp(json_at(ran.out, "unstable_directions"), "[]", 2) == 0);
    assert_true(strtod(json_at(ran.out, "residual"), NULL) < 1e-10);
    assert_true(fabs(strtod(json_at(ran.out, "final.rod.y"), NULL) + 1) < 1e-12);
    assert_true(strtod(json_at(ran.out, "final.rod.omega"), NULL) == 0);
    expect_text(json_at(ran.out, "others"), "\"stable\": false");
    expect_text(json_at(ran.out, "others"), " 100 %, grows as exp(2.71247 t)");
    ran_free(ran);
}

static void test_none(void **state) {
    (void)state;
    write_text("fall.yaml", "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                            "bodies: [{name: stone, type: point, mass: 1}]\n"
                            "simulation: {end: 1, tolerance: 1e-6}\n");
    Ran ran = expect(3, "equilibrium fall.yaml --json");
    expect_json(ran.out);
    expect_text(json_at(ran.out, "status"), "\"failed\"");
    expect_text(json_at(ran.out, "message"), "nothing holds 'stone'");
    expect_text(ran.err, "nothing holds 'stone' against a force of 9.81 N");
    ran_free(ran);
    ran = expect(3, "equilibrium fall.yaml -o never.yaml");
    assert_false(exists("never.yaml"));
    ran_free(ran);
    ran = expect(3, "run fall.yaml --set start_at=equilibrium -o never.csv");
    expect_text(ran.err, "nothing holds 'stone'");
    assert_false(exists("never.csv"));
    ran_free(ran);
    // an integrator whose input does not vanish
    write_text("integrator.yaml",
               "holonom: 1\nspace: planar\nbodies: [{name: p, type: point, mass: 1}]\nforces:\n"
               "  - {type: spring_damper, between: [ground, p], stiffness: 100, length: 0.7}\n"
               "states: [{name: charge, rate: 2.5}]\nsimulation: {end: 1}\n");
    ran = expect(3, "equilibrium integrator.yaml");
    expect_text(ran.err, "the state 'charge' still changes by 2.5 a second");
    ran_free(ran);
}

static void test_usage(void **state) {
    (void)state;
    ran_free(expect(2, "equilibrium"));
    ran_free(expect(2, "equilibrium pendulum.yaml --at soon"));
    ran_free(expect(2, "equilibrium pendulum.yaml --at inf"));
    ran_free(expect(2, "equilibrium pendulum.yaml --json -o -"));
    ran_free(expect(2, "equilibrium - -o b.yaml < pendulum.yaml"));
    ran_free(expect(2, "equilibrium pendulum.yaml -o pendulum.yaml"));
    ran_free(expect(4, "equilibrium nowhere.yaml"));
    ran_free(expect(4, "equilibrium pendulum.yaml -o no/such/folder/b.yaml"));
    Ran ran = expect(2, "run pendulum.yaml --set start_at=rest");
    expect_text(ran.err, "initial, equilibrium");
    ran_free(ran);
}

static void test_run_starts_there(void **state) {
    (void)state;
    Ran ran = expect(0, "run pendulum.yaml --set start_at=equilibrium -o rest.csv");
    expect_text(ran.err, "starts at rest in a stable equilibrium");
    ran_free(ran);
    char *rows = read_text("rest.csv"), *manifest = read_text("rest.csv.json");
    for (int i = 1; i <= csv_rows(rows); i++) {
        assert_true(fabs(csv_value(rows, i, "rod.y") + 0.5) < 1e-12);
        assert_true(fabs(csv_value(rows, i, "rod.omega")) < 1e-10);
    }
    expect_text(json_at(manifest, "options.start_at"), "\"equilibrium\"");
    free(rows);
    free(manifest);
}

// the rest of the file stays as it is written
static void expect_same_rest(const char *model, const char *body, const char *const *kept) {
    char command[200];
    Ran ran;
    snprintf(command, sizeof command, "equilibrium %s -o moved.yaml", model);
    ran_free(expect(0, command));
    char *text = read_text("moved.yaml");
    for (; *kept; kept++)
        expect_text(text, *kept);
    free(text);
    ran = expect(0, "equilibrium moved.yaml --json");
    expect_text(json_at(ran.out, "initial"), "true");
    ran_free(ran);
    // a run of it stays where it is
    ran = expect(0, "run moved.yaml --json --end 1");
    snprintf(command, sizeof command, "final.%s.vy", body);
    assert_true(fabs(strtod(json_at(ran.out, command), NULL)) < 1e-9);
    ran_free(ran);
}

static void test_block_file(void **state) {
    (void)state;
    static const char *const kept[] = {"# first line \xc3\xa9\n",
                                       "name: rod   # its name\n",
                                       "    angle: -1.57079632679489",
                                       "    velocity: [0, 0]\n",
                                       "    inertia: \"1/12\"\n",
                                       "    omega: 0 # fast\n",
                                       "exact: [angle]\n",
                                       "# last line",
                                       NULL};
    write_text("block.yaml", "# first line \xc3\xa9\nholonom: 1\nspace: planar\n"
                             "gravity: [0, -9.81]\nbodies:\n"
                             "  - name: rod   # its name\n    mass: 1\n    inertia: \"1/12\"\n"
                             "    position:\n      - 0.5 # half\n      - 0\n"
                             "    exact: [angle, omega]\n"
                             "    velocity: [0, \"0.5*2\"]\n    omega: 2 # fast\n"
                             "    points: {top: [-0.5, 0]}\n"
                             "joints:\n  - {type: revolute, between: [ground, rod.top]}\n"
                             "simulation: {end: 1, tolerance: 1e-8}\n# last line");
    expect_same_rest("block.yaml", "rod", kept);
}

// joints placed in global axes and springs free as written keep their meaning
static void test_initial_places(void **state) {
    (void)state;
    static const char *const kept[] = {"between: [{body: ground, at: [0, 0, 0], axis: [0, 1, 0]}, "
                                       "{body: arm, at: [-0.5, 0, 0], axis: [0, 1, 0]}]",
                                       "length: 0.5", NULL};
    write_text(
        "places.yaml",
        "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "ground: {points: {top: [0.5, 0, 0.5]}}\n"
        "bodies: [{name: arm, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}]\n"
        "joints:\n"
        "  - {name: O, type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "forces:\n  - {type: spring_damper, between: [ground.top, arm], stiffness: 30}\n"
        "simulation: {end: 1, tolerance: 1e-8}\n");
    expect_same_rest("places.yaml", "arm", kept);
}

static void test_json_file(void **state) {
    (void)state;
    static const char *const kept[] = {"{\"name\": \"p\", \"position\": [", "\"holonom\": 1", NULL};
    write_text("model.json",
               "{\"holonom\": 1, \"space\": \"planar\", \"gravity\": [0, -9.81], \"bodies\": ["
               "{\"name\": \"p\", \"type\": \"point\", \"mass\": 1}],\n"
               "\"forces\": [{\"type\": \"spring_damper\", \"between\": [\"ground\", \"p\"], "
               "\"stiffness\": 100, \"length\": 0.7}],\n"
               "\"simulation\": {\"end\": 1, \"tolerance\": 1e-8}}\n");
    expect_same_rest("model.json --set p.position=[0.1,-0.3]", "p", kept);
}

static void test_standard_output(void **state) {
    (void)state;
    Ran ran = expect(0, "equilibrium pendulum.yaml -o -");
    expect_text(ran.out, "position: [");
    expect_text(ran.out, "simulation: {end: 1, method: tangent, step: 0.01}\n");
    assert_null(strstr(ran.out, "stable equilibrium"));
    ran_free(ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_run_starts_there),
        cmocka_unit_test(test_block_file),
        cmocka_unit_test(test_initial_places),
        cmocka_unit_test(test_json_file),
        cmocka_unit_test(test_standard_output),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
