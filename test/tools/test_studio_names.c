// SPDX-License-Identifier: Apache-2.0
// Files that a text or a setting names in the studio: none outside the model's folder, by whatever
// key, list or setting it is named.
#include "cli_run.h"

#include "tools/studio/studio.h"

static HolStatus check(const char *text, const char *setting, HolError *err) {
    static HolStudio studio;
    studio.model_path = "/tmp/holonom-nowhere/model.yaml";
    *err = (HolError){0};
    return hol_studio_check_files(&studio, NULL, text, strlen(text), &setting, setting ? 1 : 0,
                                  "model.yaml", err);
}

static void test_refused(void **state) {
    (void)state;
    HolError err;
    static const char *const texts[] = {
        "bodies: [{shape: {type: mesh, file: /etc/passwd}}]",
        "bodies: [{shape: {type: mesh, file: ../x.stl}}]",
        "tables: {t: {file: /etc/passwd, x: a, y: b}}",
        "parts: [{name: a, file: a/../../b.yaml}]",
        "include: [ok.yaml, /etc/passwd]",
        "include: /etc/passwd",
        "x: &a {file: /etc/passwd}\ntables: {t: *a}",
        "x: &a {file: /etc/passwd}\ntables: {t: {<<: *a}}",
        "tables: {t: {file: model.yaml}}", // a file of the run itself
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (check(texts[i], NULL, &err) != HOL_ERR_INPUT)
            fail_msg("not refused: %s", texts[i]);
    assert_int_equal(check("a: 1\ntables: {t: {file: /x}}", NULL, &err), HOL_ERR_INPUT);
    expect_text(err.text, "model.yaml:2:20: error: the file '/x' lies outside");
    static const char *const settings[] = {
        "rod.shape.file=/abs/x.stl", "rod.shape={type: mesh, file: /abs/x.stl}",
        "tables.t.file=../x.csv",    "tables={t: {file: /etc/passwd}}",
        "include=/etc/passwd",       "include=[/etc/passwd]",
        "parts=[{file: /x.yaml}]",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (check("a: 1", settings[i], &err) != HOL_ERR_INPUT)
            fail_msg("not refused: %s", settings[i]);
}

static void test_allowed(void **state) {
    (void)state;
    HolError err;
    assert_int_equal(check("bodies: [{shape: {file: meshes/rod.stl}}]\ninclude: [a.yaml]",
                           "rod.shape.file=b.stl", &err),
                     HOL_OK);
    assert_int_equal(check("name: /etc/passwd\nfiles: /x\n", "L=/2", &err), HOL_OK);
    assert_int_equal(check("not: [yaml", NULL, &err), HOL_OK); // the reader says so
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_allowed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
