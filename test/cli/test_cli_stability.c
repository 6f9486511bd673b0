// SPDX-License-Identifier: Apache-2.0
// `holonom stability` and the warning before a run, as a user of the command meets them.
#include "cli_run.h"

#include <math.h>

static const char *const spring =
    "holonom: 1\n"
    "name: Two masses\n"
    "space: planar\n"
    "parameters: {k: 100}\n"
    "bodies:\n"
    "  - {name: x, type: coordinate, mass: 1, position: 0, velocity: 1e-3}\n"
    "  - {name: slow, type: coordinate, mass: 1, position: 0}\n"
    "forces:\n"
    "  - {name: a, type: expression, on: x, value: \"-k*x\"}\n"
    "  - {name: b, type: expression, on: slow, value: \"-slow\"}\n"
    "simulation: {end: 100, step: 0.01, method: central-differences}\n";

static void test_json(void **state) {
    (void)state;
    write_text("spring.yaml", spring);
    Ran ran = expect(0, "stability spring.yaml --json");
    expect_json(ran.out);
    // omega = 10: exact limits
    assert_true(fabs(strtod(json_at(ran.out, "omega_max"), NULL) - 10) < 1e-9);
    expect_text(ran.out, "\"mode\": [\"x\"]");
    expect_text(json_at(ran.out, "points"), "\"eigenvalue\"");
    const char *methods = json_at(ran.out, "methods");
    static const char *const keys[] = {
        "method",        "options", "largest_stable_step", "largest_stable_step_this_run",
        "accuracy_step", "at_time"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        expect_text(methods, keys[i]);
    const char *hht = strstr(methods, "\"hht\"");
    assert_non_null(hht);
    assert_int_equal(strncmp(strstr(hht, "largest_stable_step\":") + 22, "null", 4), 0);
    const char *rk4 = strstr(methods, "\"rk4\"");
    const double limit = strtod(strstr(rk4, "largest_stable_step\":") + 22, NULL);
    assert_true(fabs(limit - sqrt(8) / 10) < 1e-5);
    expect_text(methods, "\"scheme\": \"fox-goodwin\"");
    ran_free(ran);
}

static void test_text_and_pictures(void **state) {
    (void)state;
    Ran ran = expect(0, "stability spring.yaml --method explicit3 --plot s.svg");
    expect_text(ran.out, "omega_max");
    expect_text(ran.out, "explicit3, o3");
    expect_text(ran.out, "0.2");
    assert_null(strstr(ran.out, "rk4"));
    ran_free(ran);
    char *picture = read_text("s.svg"), *radius = read_text("s_radius.svg");
    assert_non_null(picture);
    assert_non_null(radius);
    expect_text(picture, "<svg");
    expect_text(radius, "<svg");
    free(picture);
    free(radius);
}

static void test_usage(void **state) {
    (void)state;
    static const struct {
        int code;
        const char *arguments, *says;
    } cases[] = {
        {2, "stability spring.yaml --points 0", "--points"},
        {2, "stability spring.yaml --points 2.5", "whole number"},
        {2, "stability spring.yaml --from a", "--from"},
        {2, "stability spring.yaml --from 2 --to 1", "ascend"},
        {2, "stability spring.yaml --method euler", "euler"},
        {2, "stability", "MODEL"},
        {4, "stability nothing.yaml", "nothing.yaml"},
        {4, "stability spring.yaml --plot no/where.svg", "no/where.svg"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Ran ran = expect(cases[i].code, cases[i].arguments);
        expect_text(ran.err, cases[i].says);
        ran_free(ran);
    }
}

// before the run, also in the object; not below the limit, not for a method without one
static void test_warning(void **state) {
    (void)state;
    Ran ran = expect(0, "run spring.yaml --step 0.199 --end 4 -q --json");
    expect_text(ran.err, "warning: step 0.199 s: central-differences is stable at the start up to");
    expect_text(ran.err, "the mode of x");
    expect_text(json_at(ran.out, "warnings"), "stable at the start up to 0.2");
    ran_free(ran);
    ran = expect(0, "run spring.yaml --step 0.19 --end 1 -q --json");
    assert_null(strstr(ran.err, "stable at the start"));
    ran_free(ran);
    ran = expect(0, "run spring.yaml --method hht --step 1 --end 4 -q --json");
    assert_null(strstr(ran.err, "stable at the start"));
    ran_free(ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_text_and_pictures),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_warning),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
