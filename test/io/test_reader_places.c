// SPDX-License-Identifier: Apache-2.0
// Where the messages of the reader point: line and column of the key, the value or the map that is
// wrong; and keys in any order, the first one included.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "holonom/holonom.h"

static HolModel *model;
static HolError error;

static HolStatus parse(const char *start, const char *text) {
    char all[4096];
    snprintf(all, sizeof all, "%s%s", start, text);
    hol_model_destroy(model);
    return hol_model_parse(all, strlen(all), "m", NULL, 0, &model, NULL, &error);
}

static int teardown(void **state) {
    (void)state;
    hol_model_destroy(model);
    model = NULL;
    return 0;
}

// lines 1 .. 3; what a test adds begins on line 4
static const char plane[] = "holonom: 1\nspace: planar\n"
                            "bodies: [{name: p, mass: 1, inertia: 1, points: {A: [1, 0]}}]\n";
static const char space[] = "holonom: 1\nspace: spatial\n"
                            "bodies: [{name: p, mass: 1, inertia: [1, 1, 1]}]\n";

// exactly one problem, at the place where ^ stands in the text (which is taken out), with the words
static void check_problem(const char *start, const char *marked, const char *words) {
    char text[2048], expected[64];
    const char *mark = strchr(marked, '^');
    assert_non_null(mark);
    snprintf(text, sizeof text, "%.*s%s", (int)(mark - marked), marked, mark + 1);
    int line = 4, column = 1;
    for (const char *p = marked; p < mark; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    snprintf(expected, sizeof expected, "m:%d:%d: error: ", line, column);
    assert_int_equal(parse(start, text), HOL_ERR_INPUT);
    if (error.problems != 1 || strncmp(error.text, expected, strlen(expected)) != 0 ||
        !strstr(error.text, words))
        fail_msg("%d problems: %s\nexpected %s%s", error.problems, error.text, expected, words);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
}

static void check_good(const char *start, const char *text) {
    if (parse(start, text) != HOL_OK)
        fail_msg("%s", error.text);
}

// ---- fields: the value, the key or the map ----

static void test_values(void **state) {
    (void)state;
    check_problem(plane, "simulation: {end: 1, method: {name: tangent, scheme: ^hermit}}\n",
                  "'scheme': unknown word 'hermit'; did you mean 'hermite'?");
    check_problem(plane, "simulation: {end: 1, step: ^-0.5}\n", "'step' is -0.5; it must be");
    check_problem(plane, "simulation: {end: 1,\n  max_steps: ^2.5}\n",
                  "'max_steps' must be a whole number, not 2.5");
    check_problem(plane, "simulation: {end: 1, max_steps: ^1e17}\n",
                  "'max_steps' must be a whole number, not 1e17");
    check_problem(plane, "forces: [{name: f, type: force, on: p, value: ^[1, 2, 3]}]\n", "'value'");
    check_problem(plane, "joints: [{name: j, type: slot, between: [ground, p.A], axis: ^[0, 0]}]\n",
                  "axis");
}

static void test_keys(void **state) {
    (void)state;
    check_problem(plane, "simulation: {end: 1, ^stepp: 0.1}\n",
                  "unknown key 'stepp'; did you mean 'step'?");
    check_problem(plane, "simulation: {^end: , step: 0.1}\n", "'end' has no value");
    check_problem(plane, "joints: [{name: j, type: revolute, between: [ground, p.A], ^ratio: 2}]\n",
                  "a joint of type 'revolute' has no key 'ratio'");
    check_problem(plane, "joints: [{^radus: 2, name: j, type: revolute, between: [ground, p.A]}]\n",
                  "unknown key 'radus'");
    check_problem(plane,
                  "forces: [{name: f, type: force, on: p, value: [1, 2], ^axis: [0, 0, 1]}]\n",
                  "'axis'");
}

static void test_maps(void **state) {
    (void)state;
    check_problem(plane, "joints:\n  - ^{name: j, between: [ground, p.A]}\n",
                  "required key 'type' is missing");
    check_problem(plane, "joints:\n  - ^{name: j, type: revolute}\n",
                  "required key 'between' is missing: the two places it joins");
    check_problem(plane, "joints:\n  - {name: j, type: ^revolut, between: [ground, p.A]}\n",
                  "unknown joint type 'revolut'; did you mean 'revolute'?");
    check_problem(plane, "joints:\n  - {name: j, type: ^spherical, between: [ground, p.A]}\n",
                  "joint type 'spherical' exists in spatial models only");
    check_problem(plane, "forces:\n  - ^{name: f, type: force, on: p}\n", "'value'");
}

// ---- joints: where they are, with the keys in any order ----

static void test_joint_places(void **state) {
    (void)state;
    check_good(plane, "joints: [{at: [1, 0], bodies: [ground, p], name: j, type: revolute}]\n");
    check_good(plane, "joints: [{bodies: [ground, p], name: j, type: revolute, at: [1, 0]}]\n");
    check_good(plane, "joints: [{between: [ground, p.A], name: j, type: revolute}]\n");
    check_good(space,
               "joints: [{x: [1, 0, 0], at: [0, 0, 0], bodies: [ground, p], axis: [0, 0, 1], "
               "name: j, type: revolute}]\n");
    check_problem(plane,
                  "joints: [{^at: [1, 0], between: [ground, p.A], name: j, type: revolute}]\n",
                  "'at' goes with 'bodies: [a, b]'");
    check_problem(plane,
                  "joints: [{name: j, type: revolute, between: [ground, p.A], ^at: [1, 0]}]\n",
                  "'at' goes with 'bodies: [a, b]'");
    check_problem(plane, "joints: [^{bodies: [ground, p], name: j, type: revolute}]\n",
                  "'bodies' also needs 'at', the joint's place in global axes");
    check_problem(plane, "joints: [^{name: j, type: revolute, bodies: [ground, p]}]\n",
                  "'bodies' also needs 'at', the joint's place in global axes");
    check_problem(plane,
                  "joints: [{^bodies: [ground, p], at: [1, 0], between: [ground, p.A], name: j, "
                  "type: revolute}]\n",
                  "give 'between' or 'bodies', not both");
    check_problem(plane,
                  "joints: [{between: [ground, p.A], ^bodies: [ground, p], at: [1, 0], name: j, "
                  "type: revolute}]\n",
                  "give 'between' or 'bodies', not both");
    check_problem(space,
                  "joints: [{^x: [1, 0, 0], name: j, type: revolute, between: [ground, {body: p, "
                  "axis: [0, 0, 1]}]}]\n",
                  "'x' goes with 'bodies: [a, b]'");
    check_problem(plane,
                  "joints: [{name: j, type: revolute, at: [1, 0], bodies: [ground, ^p.A]}]\n",
                  "'bodies' takes names of bodies");
    check_problem(plane,
                  "joints: [{name: j, type: revolute, at: [1, 0], bodies: [^{body: ground, at: [0, "
                  "0]}, p]}]\n",
                  "'bodies' takes names of bodies");
    check_problem(plane, "joints: [^{name: j, type: gear, ratio: 2}]\n",
                  "required key 'joints' is missing: the two joints it couples");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_joint_places),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
