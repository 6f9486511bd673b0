// SPDX-License-Identifier: Apache-2.0
// `holonom bench`: what it reports meets the limits it names, a peer's line is read and compared,
// and wrong names are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/bench/bench.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[65536];

// exit code of the command; its standard output is left in `output`
static int run_bench(const char *arguments) {
    char command[1024];
    snprintf(command, sizeof command, "'%s' bench %s 2>/dev/null", HOL_CLI_PATH, arguments);
    FILE *from = popen(command, "r");
    assert_non_null(from);
    size_t n = fread(output, 1, sizeof output - 1, from);
    output[n] = 0;
    return WEXITSTATUS(pclose(from));
}

// the number behind the next "key": at or after *at, which moves on
static double next_number(const char **at, const char *key) {
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\"%s\":", key);
    *at = strstr(*at, pattern);
    assert_non_null(*at);
    *at += strlen(pattern);
    return strtod(*at, NULL);
}

static void test_limits_are_met(void **state) {
    (void)state;
    assert_int_equal(run_bench("A01 --quick --peers none --json"), 0);
    const char *at = output;
    const double limits[] = {5e-5, 5e-7};
    for (int i = 0; i < 2; i++) {
        assert_true(next_number(&at, "drift") == limits[i]);
        at = strstr(at, "\"ours\"");
        assert_non_null(at);
        assert_true(next_number(&at, "cpu_seconds") > 0);
        assert_true(next_number(&at, "steps") > 10);
        assert_true(next_number(&at, "drift") <= limits[i]);
        assert_true(next_number(&at, "violation") <= 1e-10);
        assert_true(next_number(&at, "error") < 0.02);
    }
}

// the reduced equation that judges the four-bar row, and a model from the generator
static void test_generated_model(void **state) {
    (void)state;
    assert_int_equal(run_bench("four-bar-10 --quick --peers none --json"), 0);
    const char *at = strstr(output, "\"name\": \"four-bar-10\"");
    assert_non_null(at);
    at = strstr(at, "\"ours\"");
    assert_non_null(at);
    assert_true(next_number(&at, "drift") <= 0.02 * 21);
    assert_true(next_number(&at, "error") < 0.05);
}

// the table of docs/performance.md: every line has the cells of its head, ten without peers
static void test_markdown_table(void **state) {
    (void)state;
    assert_int_equal(run_bench("A01 --quick --peers none --markdown"), 0);
    int lines = 0;
    for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        int bars = 0;
        for (const char *c = line; *c; c++)
            bars += *c == '|';
        assert_int_equal(bars, 11);
    }
    assert_int_equal(lines, 4);
}

// a program that prints the line of a peer: fast, exact at the end, and once at a wrong end point
static void test_peer_line(void **state) {
    (void)state;
    char folder[] = "/tmp/holonom-bench-XXXXXX", path[128], arguments[256];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/mujoco_bench", folder);
    snprintf(arguments, sizeof arguments, "A01 --quick --json --peers %s", folder);
    const char *const ends[] = {"0.275087,-0.961419,0", "0.5,-0.961419,0"};
    for (int wrong = 0; wrong < 2; wrong++) {
        FILE *script = fopen(path, "w");
        assert_non_null(script);
        fprintf(script,
                "#!/bin/sh\necho 'mujoco,rk4,A01,0,10,h,0.1,0.00125,0.001,100,1e-9,2e-5,%s,ok'\n",
                ends[wrong]);
        fclose(script);
        assert_int_equal(chmod(path, 0700), 0);
        assert_int_equal(run_bench(arguments), 0);
        const char *at = strstr(output, "\"MuJoCo\"");
        if (wrong) {
            assert_null(at);
        } else {
            assert_non_null(at);
            assert_true(next_number(&at, "cpu_seconds") == 0.00125);
            assert_true(next_number(&at, "violation") == 2e-5);
        }
    }
    unlink(path);
    rmdir(folder);
}

static void test_wrong_words(void **state) {
    (void)state;
    assert_int_equal(run_bench("A99"), 2);
    assert_int_equal(run_bench("A01 A02"), 2);
    assert_int_equal(run_bench("A01 --json --markdown"), 2);
    assert_int_equal(run_bench("A01 --slow"), 2);
}

// a run that takes too long is ended, and the next one begins anew
static void test_watch(void **state) {
    (void)state;
    HolArena arena = {0};
    HolBenchWatch *w = hol_bench_watch_start(&arena);
    assert_non_null(w);
    HolBenchProblem p = {.name = "chain", .generator = "chain", .n = 10};
    HolSimOptions o = hol_sim_options();
    HolModel *m;
    HolError err;
    HolBenchRun run;
    o.end = 1e9;
    o.step = 1e-3;
    o.max_steps = 2000000000;
    assert_int_equal(hol_bench_load(&p, &m, NULL, &err), HOL_OK);
    assert_false(hol_bench_measure(&p, m, &o, w, 1, 0.05, &run));
    assert_true(*hol_bench_watch_flag(w) == 0);
    o.end = 0.1;
    assert_true(hol_bench_measure(&p, m, &o, w, 1, 60, &run));
    assert_int_equal(run.steps, 100);
    hol_bench_watch_stop(w);
    hol_model_destroy(m);
    hol_arena_free(&arena);
}

// the function behind the command: what is unknown is named, and nothing is printed
static void forbidden(void *to, const char *text, size_t length) {
    (void)to;
    fail_msg("printed: %.*s", (int)length, text);
}

static void test_unknown(void **state) {
    (void)state;
    HolError err;
    HolBenchOptions o = hol_bench_options();
    o.problem = "chian-10";
    o.put = forbidden;
    assert_int_equal(hol_bench(&o, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "did you mean 'chain-10'"));
    assert_non_null(strstr(err.text, "stiff-row"));
    HolGenerate g = hol_generate_options();
    g.mechanism = "chains";
    g.n = 3;
    assert_int_equal(hol_generate(&g, forbidden, NULL, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "did you mean 'chain'"));
    g.mechanism = "chain";
    g.ball_joints = 1;
    assert_int_equal(hol_generate(&g, forbidden, NULL, &err), HOL_ERR_INPUT);
    g.ball_joints = 0;
    g.n = 0;
    assert_int_equal(hol_generate(&g, forbidden, NULL, &err), HOL_ERR_INPUT);
    g.n = 1;
    g.mass = -1;
    assert_int_equal(hol_generate(&g, forbidden, NULL, &err), HOL_ERR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_are_met), cmocka_unit_test(test_generated_model),
        cmocka_unit_test(test_peer_line),      cmocka_unit_test(test_wrong_words),
        cmocka_unit_test(test_watch),          cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_markdown_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
