// SPDX-License-Identifier: Apache-2.0
// `holonom generate`: the two chains of models/ are its output, large mechanisms run and meet known
// end points, wrong use is refused.
#define _POSIX_C_SOURCE 200809L
#include "ref_compare.h"

#include <sys/wait.h>

// what the command prints on standard output, to be freed, and its exit code
static char *generate(const char *arguments, size_t *length, int *code) {
    char command[1200];
    snprintf(command, sizeof command, "'%s' generate %s 2>/dev/null", HOL_CLI_PATH, arguments);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    size_t capacity = 1 << 20;
    char *text = malloc(capacity + 1);
    assert_non_null(text);
    *length = 0;
    for (size_t n; (n = fread(text + *length, 1, capacity - *length, p)) > 0;)
        *length += n;
    text[*length] = 0;
    int status = pclose(p);
    assert_true(WIFEXITED(status));
    *code = WEXITSTATUS(status);
    return text;
}

static RefRun open_generated(const char *arguments, double step) {
    size_t length;
    int code;
    char *text = generate(arguments, &length, &code);
    assert_int_equal(code, 0);
    RefRun r = {0};
    HolError err = {0};
    if (hol_model_parse(text, length, arguments, NULL, 0, &r.model, &r.options, &err) != HOL_OK)
        fail_msg("%s", err.text);
    free(text);
    r.options.step = step;
    if (hol_sim_create(r.model, &r.options, &r.sim, &err) != HOL_OK)
        fail_msg("%s", err.text);
    r.row = calloc((size_t)hol_model_column_count(r.model), sizeof(double));
    assert_non_null(r.row);
    return r;
}

static void same_as_file(const char *arguments, const char *file) {
    size_t length;
    int code;
    char *text = generate(arguments, &length, &code), path[1024];
    assert_int_equal(code, 0);
    ref_path(file, path, sizeof path);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *stored = calloc(length + 2, 1);
    assert_non_null(stored);
    assert_int_equal(fread(stored, 1, length + 1, f), length);
    assert_string_equal(text, stored);
    fclose(f);
    free(stored);
    free(text);
}

static void test_stored_models(void **state) {
    (void)state;
    same_as_file("chain 10", "models/chain.yaml");
    same_as_file("chain3d 5", "models/chain3d.yaml");
}

static void expect(const RefRun *r, const char *column, double value, double limit) {
    double x = ref_value(r, column);
    if (!(fabs(x - value) <= limit))
        fail_msg("%s = %.12g, expected %.12g within %.1e", column, x, value, limit);
}

// end points at 1 s: four-bar from the equation of one angle, chain from two other programs
static void test_end_points(void **state) {
    (void)state;
    RefRun r = open_generated("four-bar 20", 0.005);
    assert_int_equal(hol_model_body_count(r.model), 41);
    assert_int_equal(hol_model_joint_count(r.model), 61);
    ref_advance(&r, 1);
    expect(&r, "v0.B.x", -0.120070106842, 1e-6);
    expect(&r, "v0.B.y", -0.992765415112, 1e-6);
    ref_close(&r);
    r = open_generated("chain 100", 0.005);
    assert_int_equal(hol_model_body_count(r.model), 100);
    ref_advance(&r, 1);
    expect(&r, "link5.right.x", 4.44584942, 1e-6);
    expect(&r, "link5.right.y", -2.283223398, 1e-6);
    ref_close(&r);
}

// gravity and joints do no net work: total energy stays; the chain leaves its starting plane
static void test_spatial_chains(void **state) {
    (void)state;
    const char *const arguments[2] = {"chain3d 8",
                                      "chain3d 8 --joint spherical --length 0.5 --mass 2"};
    for (int i = 0; i < 2; i++) {
        RefRun r = open_generated(arguments[i], 0.005);
        ref_advance(&r, 0);
        double start = ref_value(&r, "energy.total");
        ref_advance(&r, 1);
        expect(&r, "energy.total", start, 1e-4);
        assert_true(fabs(ref_value(&r, "link8.right.y")) > 0.1);
        assert_true(hol_sim_stats(r.sim).residual_position < 1e-12);
        ref_close(&r);
    }
}

static void test_wrong_use(void **state) {
    (void)state;
    const char *const wrong[] = {"",
                                 "chain",
                                 "cain 3",
                                 "chain 0",
                                 "chain x",
                                 "chain 2000000",
                                 "chain 3 --length -1",
                                 "chain 3 --joint ball",
                                 "chain 3 --joint spherical"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        size_t length;
        int code;
        char *text = generate(wrong[i], &length, &code);
        if (code != 2 || length != 0)
            fail_msg("generate %s: exit code %d, %zu characters printed", wrong[i], code, length);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stored_models),
        cmocka_unit_test(test_end_points),
        cmocka_unit_test(test_spatial_chains),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
