// SPDX-License-Identifier: Apache-2.0
// Published problems against ours at three tolerances (bench/scoreboard/problems.txt): every
// deviation within its limit; and that a wrong model, a wrong map or a wrong list is noticed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scoreboard/scoreboard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char list[] = HOL_SOURCE_DIR "/bench/scoreboard/problems.txt";
static SbTable table;
static SbResult *results;

static int open_table(void **state) {
    (void)state;
    static HolError err;
    if (!sb_table_read(list, &table, &err))
        fail_msg("%s", err.text);
    results = calloc((size_t)table.n, sizeof *results);
    return results ? 0 : -1;
}

static int close_table(void **state) {
    (void)state;
    for (int i = 0; i < table.n; i++)
        if (results[i].problem)
            sb_result_free(&results[i]);
    free(results);
    sb_table_free(&table);
    return 0;
}

static const SbProblem *problem_of(const char *name) {
    for (int i = 0; i < table.n; i++)
        if (!strcmp(table.items[i].name, name))
            return &table.items[i];
    fail_msg("no problem '%s'", name);
    return NULL;
}

// ---- the board ----

static void test_all_hold(void **state) {
    (void)state;
    int failed = 0;
    assert_true(table.n >= 28);
    for (int i = 0; i < table.n; i++) {
        sb_solve(HOL_SOURCE_DIR, &table.items[i], SB_METHOD, 0, &results[i]);
        failed += results[i].failed;
    }
    sb_print_failures(stderr, results, table.n);
    assert_int_equal(failed, 0);
}

// the page in docs/ has a line of every problem, and of no other one
static void test_page(void **state) {
    (void)state;
    char line[4096], name[SB_NAME + 8];
    int rows = 0, inside = 0, found = 0;
    FILE *f = fopen(HOL_SOURCE_DIR "/docs/scoreboard.md", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (!strncmp(line, "## ", 3))
            inside = !strncmp(line, "## Deviations", 13);
        if (!inside || strncmp(line, "| ", 2) || !strncmp(line, "| problem", 9))
            continue;
        rows++;
        for (int i = 0; i < table.n; i++) {
            snprintf(name, sizeof name, "| %s |", table.items[i].name);
            found += !strncmp(line, name, strlen(name)) && strstr(line, table.items[i].title);
        }
        if (strstr(line, "**fails**"))
            fail_msg("docs/scoreboard.md: %s", line);
    }
    fclose(f);
    if (found != table.n || rows != table.n)
        fail_msg("docs/scoreboard.md has %d rows, %d of the %d problems: run make scoreboard", rows,
                 found, table.n);
}

// ---- it can fail ----

static int failures(const SbProblem *p) {
    SbResult r;
    sb_solve(HOL_SOURCE_DIR, p, SB_METHOD, 0, &r);
    const int failed = r.failed;
    sb_result_free(&r);
    return failed;
}

// another start angle (the trap of A03) is noticed at every tolerance
static void test_wrong_model(void **state) {
    (void)state;
    SbProblem p = *problem_of("A03");
    assert_int_equal(failures(&p), 0);
    snprintf(p.model, sizeof p.model, "models/andrews.yaml");
    assert_true(failures(&p) > 0);
}

// a trust that the published numbers do not deserve; signs; a column of another quantity
static void test_wrong_claims(void **state) {
    (void)state;
    SbProblem p = *problem_of("spherical-1");
    p.signals[0].trust = 8e-5;
    assert_int_equal(failures(&p), SB_RUNS - 1); // (the first run may err that much itself)

    p = *problem_of("revolute-1");
    snprintf(p.signals[6].maps[0].ours, SB_TEXT, "O.fx");
    assert_int_equal(failures(&p), SB_RUNS);

    p = *problem_of("A04");
    p.except_trust = 1e-7;
    assert_int_equal(failures(&p), 2);
    p = *problem_of("A04");
    p.except = 0; // the sample counts among the others
    assert_int_equal(failures(&p), 2);
}

// files and columns that are not there are told by name
static void test_missing(void **state) {
    (void)state;
    const struct {
        const char *model, *reference, *column, *ours, *text;
    } cases[] = {
        {"models/none.yaml", NULL, NULL, NULL, "models/none.yaml"},
        {NULL, "test/ref/none.csv", NULL, NULL, "test/ref/none.csv"},
        {NULL, NULL, "nix", NULL, "no column 'nix'"},
        {NULL, NULL, NULL, "masse.x", "masse"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SbProblem p = *problem_of("A01");
        SbResult r;
        if (cases[i].model)
            snprintf(p.model, sizeof p.model, "%s", cases[i].model);
        if (cases[i].reference)
            snprintf(p.reference, sizeof p.reference, "%s", cases[i].reference);
        if (cases[i].column)
            snprintf(p.signals[0].maps[0].reference, SB_NAME, "%s", cases[i].column);
        if (cases[i].ours)
            snprintf(p.signals[0].maps[0].ours, SB_TEXT, "%s", cases[i].ours);
        sb_solve(HOL_SOURCE_DIR, &p, SB_METHOD, 0, &r);
        assert_true(r.failed > 0);
        if (!strstr(r.runs[0].err.text, cases[i].text))
            fail_msg("'%s' does not tell of %s", r.runs[0].err.text, cases[i].text);
        sb_result_free(&r);
    }
}

// ---- wrong lists ----

static void test_wrong_lists(void **state) {
    (void)state;
    static const char good[] = "problem a\ntitle A\nsource S\nmodel m.yaml\nreference r.csv\n"
                               "signal x 1e-3: x = b.x; y = b.y\n";
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"title A\n", ":1: 'problem NAME' must come first"},
        {"problem a\nnonsense 1\n", ":2: unknown key 'nonsense'"},
        {"problem a\nsignal x: x = b.x\n", ":2: NAME TRUST expected"},
        {"problem a\nsignal x 0: x = b.x\n", ":2: no positive number: '0'"},
        {"problem a\nsignal x 1: x\n", ":2: COLUMN = OURS expected: 'x'"},
        {"problem a\nquaternion x 1: x = b.x\n", ":2: a quaternion has four columns"},
        {"problem a\nexcept 1\n", ":2: TIME TRUST expected"},
        {"problem a\ngenerate chain\n", ":2: MECHANISM N expected"},
        {"problem a\nuntil x\n", ":2: no positive number: 'x'"},
        {"problem a\n\nproblem a\n", ":3: a second problem 'a'"},
        {"problem a\ntitle A\n", "problem 'a' needs a title"},
        {good, NULL},
    };
    static HolError err;
    char path[] = "/tmp/holonom-list-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *f = fopen(path, "w");
        SbTable t;
        assert_non_null(f);
        fputs(cases[i].text, f);
        fclose(f);
        const int read = sb_table_read(path, &t, &err);
        assert_int_equal(read, cases[i].message == NULL);
        if (!read && !strstr(err.text, cases[i].message))
            fail_msg("'%s', expected '%s'", err.text, cases[i].message);
        sb_table_free(&t);
    }
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_hold),    cmocka_unit_test(test_page),
        cmocka_unit_test(test_wrong_model), cmocka_unit_test(test_wrong_claims),
        cmocka_unit_test(test_missing),     cmocka_unit_test(test_wrong_lists),
    };
    return cmocka_run_group_tests(tests, open_table, close_table);
}
