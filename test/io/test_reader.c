// SPDX-License-Identifier: Apache-2.0
// Reading model files: every file of test/bad gives exactly the problems written in its first lines
// (`# expect: [FILE:]LINE:COLUMN: error: PART OF THE MESSAGE`), and good text gives the numbers it says.
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "holonom/holonom.h"
#include "model/model.h"

#define BAD_DIR HOL_SOURCE_DIR "/test/bad"

static HolModel *model;
static HolSimOptions options;
static HolError error;

static HolStatus parse_with(const char *text, const HolSetting *settings, int n) {
    hol_model_destroy(model);
    return hol_model_parse(text, strlen(text), "m.yaml", settings, n, &model, &options, &error);
}

static void parse_ok(const char *text) {
    if (parse_with(text, NULL, 0) != HOL_OK)
        fail_msg("%s", error.text);
}

static int teardown(void **state) {
    (void)state;
    hol_model_destroy(model);
    model = NULL;
    return 0;
}

// ---- broken files -------------------------------------------------------------------------

// a line of the report "PATH:LINE:COLUMN: error: ..." that matches "LINE:COLUMN: error: part", or
// "FILE:LINE:COLUMN: .." of another file in the folder
static int reported(const char *path, const char *expected) {
    char start[600];
    const char *part = strstr(expected, " error: ");
    assert_non_null(part);
    const int own = expected[0] >= '0' && expected[0] <= '9';
    snprintf(start, sizeof start, "%s%s%.*s error: ", own ? path : BAD_DIR, own ? ":" : "/",
             (int)(part - expected), expected);
    part += strlen(" error: ");
    for (const char *line = error.text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *end = strchr(line, '\n'), *found = strstr(line, part);
        if (strncmp(line, start, strlen(start)) == 0 && found && (!end || found < end))
            return 1;
    }
    return 0;
}

static int check_bad_file(const char *name) {
    static const char mark[] = "# expect: ";
    char path[512], line[1000];
    int expected = 0, wrong = 0;
    snprintf(path, sizeof path, BAD_DIR "/%s", name);
    HolModel *m = (HolModel *)&wrong;
    HolStatus status = hol_model_load(path, NULL, 0, &m, &options, &error);
    if (status != HOL_ERR_INPUT || m) {
        print_error("%s: status %d, expected a refusal\n", name, status);
        return 1;
    }
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && strncmp(line, mark, sizeof mark - 1) == 0) {
        line[strcspn(line, "\n")] = 0;
        expected++;
        if (!reported(path, line + sizeof mark - 1)) {
            print_error("%s: missing: %s\n", name, line + sizeof mark - 1);
            wrong++;
        }
    }
    fclose(file);
    if (error.problems != expected) {
        print_error("%s: %d problems, %d expected\n", name, error.problems, expected);
        wrong++;
    }
    if (wrong)
        print_error("%s\n", error.text);
    return wrong || !expected;
}

static void test_bad_files(void **state) {
    (void)state;
    DIR *dir = opendir(BAD_DIR);
    int files = 0, wrong = 0;
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (!strstr(entry->d_name, ".yaml"))
            continue;
        files++;
        wrong += check_bad_file(entry->d_name);
    }
    closedir(dir);
    assert_int_equal(wrong, 0);
    assert_true(files >= 60);
}

static void test_file_errors(void **state) {
    (void)state;
    HolModel *m = (HolModel *)&error;
    assert_int_equal(hol_model_load("/no/such/file.yaml", NULL, 0, &m, &options, &error),
                     HOL_ERR_FILE);
    assert_null(m);
    assert_non_null(strstr(error.text, "/no/such/file.yaml: error: cannot be opened"));
    m = (HolModel *)&error;
    assert_int_equal(hol_model_load(BAD_DIR, NULL, 0, &m, &options, &error), HOL_ERR_FILE);
    assert_null(m);
    // without an error structure too
    assert_int_equal(hol_model_load("/no/such/file.yaml", NULL, 0, &m, NULL, NULL), HOL_ERR_FILE);
    assert_int_equal(hol_model_parse("holonom: 3\n", 11, NULL, NULL, 0, &m, NULL, NULL),
                     HOL_ERR_INPUT);
}

// ---- good text ----------------------------------------------------------------------------

static const char pendulum[] =
    "holonom: 1\n"
    "name: Driven pendulum\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {L: 2, half: L/2, T0: 0.1, w: 0.1, k: 3, g: 9.81}\n"
    "ground: {points: {O: [0, 0], P: {at: [1, 2]}}}\n"
    "bodies:\n"
    "  - name: rod\n"
    "    type: rigid\n"
    "    mass: 1.5\n"
    "    inertia: \"1/12*L^2\"\n"
    "    position: [0, -half]\n"
    "    angle: pi/4\n"
    "    velocity: [0.1, 0.2]\n"
    "    omega: -0.3\n"
    "    exact: [angle, omega]\n"
    "    points: {top: [0, \"L/2\"], tip: [0, \"-L/2\"]}\n"
    "    shape: {type: cylinder, from: top, to: [0, \"-L/2\"], radius: 0.02}\n"
    "  - {name: q1, type: coordinate, position: 0.25, velocity: [2]}\n"
    "  - {name: p, type: point, mass: 1, position: [L, 0]}\n"
    "joints:\n"
    "  - {name: O, type: revolute, between: [ground.O, rod.top]}\n"
    "forces:\n"
    "  - {name: T, type: torque, on: rod, value: \"T0*sin(w*time)\"}\n"
    "  - {type: force, on: rod.top, value: [\"-k*rod.x\", 0], frame: body}\n"
    "  - {type: spring_damper, between: [ground.O, rod.tip], stiffness: 4530, damping: 0, length: "
    "0.07785}\n"
    "  - {type: torsion_spring_damper, joint: O, stiffness: 400, damping: 15, angle: \"3*pi/2\"}\n"
    "  - {type: bushing, between: [ground, p], stiffness: [1, 2], damping: 1}\n"
    "  - {type: expression, on: q1, value: \"-g*cos(q1)\"}\n"
    "constraints:\n"
    "  - {name: circle, equation: \"p.x^2 + p.y^2 - L^2\"}\n"
    "variables:\n"
    "  - {name: slip, value: \"rod.vx - 0.3*rod.omega\"}\n"
    "outputs: [rod.x, \"rod.tip.y\", O.fx, energy.total, slip]\n"
    "simulation: {end: 10, method: {name: tangent, scheme: newmark, beta: 1/12}, step: 1e-3, "
    "output_step: 0.01, stop_times: [1, 2.5]}\n";

static void test_contract_example(void **state) {
    (void)state;
    parse_ok(pendulum);
    assert_string_equal(hol_model_name(model), "Driven pendulum");
    assert_string_equal(hol_model_source(model), pendulum);
    assert_int_equal(hol_model_body_count(model), 3);
    assert_true(model->gravity[1] == -9.81);
    const HolBodyDef *rod = &model->def.bodies[1].def;
    assert_true(rod->mass == 1.5 && rod->position[1] == -1 && rod->omega[0] == -0.3);
    assert_true(fabs(rod->inertia[0] - 1.0 / 3) < 1e-15);
    assert_true(fabs(rod->angle - atan(1)) < 1e-15);
    assert_true(rod->velocity[0] == 0.1 && rod->velocity[1] == 0.2);
    assert_int_equal(rod->exact, HOL_EXACT_ANGLE | HOL_EXACT_OMEGA);
    assert_int_equal(rod->n_points, 2);
    assert_true(rod->points[1].at[1] == -1);
    assert_true(rod->shape.from[1] == 1 && rod->shape.to[1] == -1 && rod->shape.radius == 0.02);
    assert_int_equal(rod->line, 8);
    assert_int_equal(rod->column, 11);
    const HolBodyDef *q1 = &model->def.bodies[2].def;
    assert_true(q1->position[0] == 0.25 && q1->velocity[0] == 2 && q1->mass == 1);
    assert_int_equal(model->def.bodies[0].def.n_points, 2);
    assert_true(model->def.bodies[0].def.points[1].at[1] == 2);
    assert_int_equal(model->def.n_forces, 6);
    assert_string_equal(model->def.forces[1].def.name, "force2");
    assert_string_equal(model->def.forces[1].def.value[0], "-k*rod.x");
    assert_int_equal(model->def.forces[1].def.frame, HOL_FRAME_BODY);
    assert_string_equal(model->def.forces[2].def.length, "0.07785");
    assert_string_equal(model->def.forces[3].def.joint, "O");
    assert_int_equal(model->def.forces[4].def.n_stiffness, 2);
    assert_int_equal(model->def.forces[4].def.n_damping, 1);
    assert_string_equal(model->def.forces[5].def.coordinate, "q1");
    assert_string_equal(options.method.name, "tangent");
    assert_string_equal(options.method.scheme, "newmark");
    assert_true(fabs(options.method.beta - 1.0 / 12) < 1e-16);
    assert_true(options.end == 10 && options.step == 1e-3 && options.output_step == 0.01);
    assert_int_equal(options.n_stop_times, 2);
    assert_true(options.stop_times[1] == 2.5);
}

static const char spatial[] = "holonom: 1\nspace: spatial\nparameters: {a: 0.3, b: -0.7, c: 1.1}\n"
                              "bodies:\n  - name: top\n    mass: 1\n    inertia: [1, 2, 3]\n"
                              "    orientation: ";

static void orientation(const char *form, double p[4]) {
    char text[800];
    snprintf(text, sizeof text, "%s%s\n", spatial, form);
    parse_ok(text);
    memcpy(p, model->def.bodies[1].def.quaternion, 4 * sizeof *p);
}

// quaternions up to sign
static void assert_same_turn(const double *p, const double *q) {
    double dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    assert_true(fabs(fabs(dot) - 1) < 1e-14);
}

static void test_orientation(void **state) {
    (void)state;
    double p[4], q[4];
    orientation("{axis: [0, 0, 2], angle: pi/3}", p);
    double expected[4] = {cos(M_PI / 6), 0, 0, sin(M_PI / 6)};
    assert_same_turn(p, expected);
    orientation("{quaternion: [\"cos(pi/6)\", 0, 0, \"sin(pi/6)\"]}", q);
    assert_same_turn(p, q);
    orientation("{matrix: [[0.5, -sqrt(3)/2, 0], [sqrt(3)/2, 0.5, 0], [0, 0, 1]]}", q);
    assert_same_turn(p, q);
    orientation("{euler: zxz, angles: [pi/12, 0, pi/4]}", q);
    assert_same_turn(p, q);
    // rotating axes: Rx(a) Ry(b) Rz(c), written out
    orientation("{euler: xyz, angles: [a, b, c]}", p);
    orientation("{matrix: [[cos(b)*cos(c), -cos(b)*sin(c), sin(b)],"
                "[sin(a)*sin(b)*cos(c)+cos(a)*sin(c), -sin(a)*sin(b)*sin(c)+cos(a)*cos(c), "
                "-sin(a)*cos(b)],"
                "[-cos(a)*sin(b)*cos(c)+sin(a)*sin(c), cos(a)*sin(b)*sin(c)+sin(a)*cos(c), "
                "cos(a)*cos(b)]]}",
                q);
    assert_same_turn(p, q);
    orientation("{euler: zyx, angles: [0, 0, a]}", p);
    orientation("{axis: [1, 0, 0], angle: a}", q);
    assert_same_turn(p, q);
}

static void test_references(void **state) {
    (void)state;
    parse_ok(
        "holonom: 1\nspace: spatial\nground: {points: {A: {at: [0, 0, 1], axis: [0, 1, 0]}}}\n"
        "bodies:\n  - {name: b, mass: 1, inertia: [1, 1, 1, 0, 0.1, 0], omega_body: [1, 2, 3],"
        " points: {p: [1, 0, 0]}}\n"
        "joints:\n"
        "  - {type: revolute, between: [ground.A, {body: b, point: p, axis: [0, 1, 0]}]}\n"
        "  - {name: two, type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  - {type: gear, joints: [joint1, two], ratio: -2}\n");
    const HolJointDef *j = &model->def.joints[0].def;
    assert_string_equal(j->name, "joint1");
    assert_string_equal(j->a.body, "ground");
    assert_string_equal(j->a.point, "A");
    assert_string_equal(j->b.point, "p");
    assert_true(j->b.has_axis && j->b.axis[1] == 1);
    assert_true(model->def.joints[1].def.global_frame && model->def.joints[1].def.axis[2] == 1);
    assert_string_equal(model->def.joints[2].def.joint_b, "two");
    assert_true(model->def.joints[2].def.ratio == -2);
    assert_true(model->def.bodies[1].def.omega_is_body && model->def.bodies[1].def.omega[2] == 3);
    assert_true(model->def.bodies[1].def.inertia[4] == 0.1);
    assert_string_equal(hol_model_name(model), "m"); // the file's name
}

static void test_yaml_features(void **state) {
    (void)state;
    // JSON, anchors, merge keys, tables in both forms, numbers as text
    parse_ok("{\"holonom\": 1, \"space\": \"planar\", \"bodies\": [{\"name\": \"a\", \"mass\": "
             "\"2*3\", \"position\": [1, 2.5e0]}]}");
    assert_true(model->def.bodies[1].def.mass == 6 && model->def.bodies[1].def.position[1] == 2.5);
    parse_ok(
        "holonom: 1\nspace: planar\n"
        "tables: {cam: [[0, 0], [1, 2]], lift: {x: [0, 1, 2], y: [1, 4, 9]}}\n"
        "bodies:\n  - &bar {name: a, mass: 3, position: &place [1, 2]}\n"
        "  - {<<: *bar, name: b, mass: 4}\n"
        "  - {name: c, mass: 5, position: *place}\n"
        "forces:\n  - {type: torque, on: a, value: \"interp(cam, time) + interp(lift, a.x)\"}\n");
    assert_true(model->def.bodies[2].def.mass == 4 && model->def.bodies[2].def.position[1] == 2);
    assert_string_equal(model->def.bodies[2].def.name, "b");
    assert_true(model->def.bodies[3].def.position[0] == 1);
    assert_int_equal(model->def.n_tables, 2);
    assert_true(model->def.tables[0].y[1] == 2 && model->def.tables[1].x[2] == 2);
    // defaults without `simulation:`
    assert_string_equal(options.method.name, "auto");
    assert_true(options.tolerance == 1e-6 && options.step == 0);
}

// ---- settings -----------------------------------------------------------------------------

static void set_ok(const char *key, const char *value) {
    HolSetting setting = {key, value};
    if (parse_with(pendulum, &setting, 1) != HOL_OK)
        fail_msg("--set %s=%s: %s", key, value, error.text);
}

static void test_settings(void **state) {
    (void)state;
    set_ok("L", "2*3");
    assert_true(model->def.bodies[1].def.position[1] == -3); // half = L/2 follows
    set_ok("parameters.L", "4");
    assert_true(model->def.bodies[1].def.position[1] == -2);
    set_ok("method.beta", "0.25");
    assert_true(options.method.beta == 0.25);
    assert_string_equal(options.method.scheme, "newmark");
    set_ok("simulation.end", "5");
    assert_true(options.end == 5);
    set_ok("tolerance", "1e-4"); // clears the step
    assert_true(options.tolerance == 1e-4 && options.step == 0);
    set_ok("method", "newmark"); // the scheme of tangent goes with it
    assert_string_equal(options.method.name, "newmark");
    assert_string_equal(options.method.scheme, "");
    assert_true(isnan(options.method.beta));
    set_ok("method.name", "tangent"); // the same method keeps its parameters
    assert_string_equal(options.method.scheme, "newmark");
    set_ok("gravity", "[1, -2]");
    assert_true(model->gravity[0] == 1 && model->gravity[1] == -2);
    set_ok("rod.mass", "k+1");
    assert_true(model->def.bodies[1].def.mass == 4);
    set_ok("rod.points.tip", "[0, -5]");
    assert_true(model->def.bodies[1].def.points[1].at[1] == -5);
    set_ok("force3.stiffness", "12*time");
    assert_string_equal(model->def.forces[2].def.stiffness[0], "12*time");
    HolSetting two[] = {{"method.beta", "0.3"}, {"method", "newmark"}, {"step", "0.1"}};
    assert_int_equal(parse_with(pendulum, two, 3), HOL_OK); // in any order
    assert_true(options.method.beta == 0.3 && options.step == 0.1);
    // a map used twice by alias is changed in one place only
    static const char shared[] = "holonom: 1\nspace: planar\nforces:\nbodies:\n"
                                 "  - {name: a, mass: 1, points: &p {tip: [0, 1]}}\n"
                                 "  - {name: b, mass: 1, points: *p}\n";
    HolSetting tip = {"a.points.tip", "[5, 5]"};
    assert_int_equal(parse_with(shared, &tip, 1), HOL_OK);
    assert_true(model->def.bodies[1].def.points[0].at[0] == 5);
    assert_true(model->def.bodies[2].def.points[0].at[0] == 0);
    // a file without simulation
    static const char bare[] = "holonom: 1\nspace: planar\nbodies: [{name: a, mass: 1}]\n";
    assert_int_equal(parse_with(bare, two, 3), HOL_OK);
    assert_string_equal(options.method.name, "newmark");
    assert_true(options.method.beta == 0.3 && options.step == 0.1);
}

static void set_fails(const char *key, const char *value, const char *message) {
    HolSetting setting = {key, value};
    assert_int_equal(parse_with(pendulum, &setting, 1), HOL_ERR_INPUT);
    assert_null(model);
    if (!strstr(error.text, message))
        fail_msg("--set %s=%s: expected '%s' in: %s", key, value, message, error.text);
    assert_int_equal(error.line, 0);
    assert_int_equal(error.problems, 1);
}

static void test_wrong_settings(void **state) {
    (void)state;
    set_fails("ww", "1", "--set ww: there is no parameter, option or named thing 'ww'");
    set_fails("T00", "1", "did you mean 'T0'?");
    set_fails("L", "two", "--set L: parameters: 'L' must be a number");
    set_fails("method.bta", "1",
              "--set method.bta: method 'tangent': unknown key 'bta'; did you "
              "mean 'beta'?");
    set_fails("method", "newmrk",
              "--set method: simulation: unknown method 'newmrk'; did you mean "
              "'newmark'?");
    set_fails("simulation.ende", "1", "unknown key 'ende'; did you mean 'end'?");
    set_fails("step", "-1", "--set step: simulation: 'step' is -1; it must be positive");
    set_fails("rdo.mass", "1", "did you mean 'rod'?");
    set_fails("rod.mas", "1", "body 'rod': unknown key 'mas'; did you mean 'mass'?");
    set_fails("rod.mass", "-1",
              "--set rod.mass: body 'rod': 'mass' is -1; it must not be negative");
    set_fails("rod", "1", "say which key of the body");
    set_fails("end", "[1", "--set end: YAML");
    set_fails("end", "", "--set end: no value");
    set_fails("end.x", "1", "'end' has no keys of its own");
}

// bodies that a program adds: no principal moment may be negative, zero is fine
static void test_inertia(void **state) {
    (void)state;
    static const struct {
        double inertia[6];
        HolStatus status;
    } cases[] = {
        {{1, 1, 1, 3, 0, 0}, HOL_ERR_INPUT},
        {{1, 1, 1, 0.9, 0.9, -0.9}, HOL_ERR_INPUT},
        {{0, 0, 0, 0, 1, 0}, HOL_ERR_INPUT},
        {{1, 1, 1, 0, 0, NAN}, HOL_ERR_INPUT},
        {{-1, 1, 1, 0, 0, 0}, HOL_ERR_INPUT},
        {{0, 0, 0, 0, 0, 0}, HOL_OK},
        {{0, 1, 1, 0, 0, 0}, HOL_OK},
        {{0.5, 0.5, 1, -0.5, 0, 0}, HOL_OK},
        {{0.333333, 0.333333, 1, 0.3333331, 0, 0}, HOL_OK}, // rounded digits
        {{1, 1, 2.1, 0, 0, 0}, HOL_OK},                     // not quite a lamina
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HolModel *m;
        HolBodyDef body = hol_body_def();
        assert_int_equal(hol_model_create("m", HOL_SPATIAL, NULL, &m, &error), HOL_OK);
        body.name = "b";
        memcpy(body.inertia, cases[i].inertia, sizeof body.inertia);
        assert_int_equal(hol_model_add_body(m, &body, &error), cases[i].status);
        if (cases[i].status)
            assert_non_null(strstr(error.text, "body 'b'"));
        hol_model_destroy(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_files),        cmocka_unit_test(test_file_errors),
        cmocka_unit_test(test_contract_example), cmocka_unit_test(test_orientation),
        cmocka_unit_test(test_references),       cmocka_unit_test(test_yaml_features),
        cmocka_unit_test(test_settings),         cmocka_unit_test(test_wrong_settings),
        cmocka_unit_test(test_inertia),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
