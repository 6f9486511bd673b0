// SPDX-License-Identifier: Apache-2.0
// The reference problems of friction, stops, contacts and events (bench/references/problems.c) by every method
// of the list at both tolerances; orders across events; the same bits whatever rows and threads; the
// page in docs/; and that a wrong value, a missing event, one too many and a wrong kind are noticed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "references/references.h"

#include <math.h>
#include <string.h>

static int failures_of(const RfProblem *p, const RfTrial *t, int n, int *runs) {
    int failed = 0;
    for (int k = 0; k < n; k++) {
        static RfRun r;
        char why[800];
        rf_run(HOL_SOURCE_DIR, p, &t[k], &r);
        *runs += !r.refused;
        if (!rf_holds(&t[k], &r, why, sizeof why)) {
            print_error("%s, %s %g: %s\n", p->name, t[k].method, t[k].tolerance, why);
            failed++;
        }
    }
    return failed;
}

static void test_all_hold(void **state) {
    (void)state;
    int failed = 0;
    assert_true(rf_problem_count >= 19 && rf_problem_count <= RF_MOST);
    for (int i = 0; i < rf_problem_count; i++) {
        int fine = 0, coarse = 0;
        failed += failures_of(&rf_problems[i], rf_fine, RF_FINE, &fine);
        failed += failures_of(&rf_problems[i], rf_coarse, RF_COARSE, &coarse);
        assert_true(fine >= 3 && coarse >= 3);
    }
    assert_int_equal(failed, 0);
}

static void test_orders(void **state) {
    (void)state;
    static HolError err;
    for (int f = 0; f < RF_FAMILIES; f++)
        for (int i = 0; i < RF_ORDERS; i++) {
            double error[2], slope;
            if (!rf_slope(HOL_SOURCE_DIR, &rf_families[f], &rf_orders[i], error, &slope, &err))
                fail_msg("%s: %s", rf_orders[i].method, err.text);
            if (!(slope > rf_least_slope(&rf_families[f], &rf_orders[i])))
                fail_msg("%s, %s: errors %.2e, %.2e: order %.2f across an event",
                         rf_families[f].title, rf_orders[i].method, error[0], error[1], slope);
        }
}

static void test_same_bits(void **state) {
    (void)state;
    static HolError err;
    for (int i = 0; i < RF_BITS; i++)
        for (int k = 0; k < RF_METHODS_OF_BITS; k++)
            if (!rf_same_bits(HOL_SOURCE_DIR, rf_problem(rf_bits_of[i]), &rf_coarse[k], &err))
                fail_msg("%s, %s: %s", rf_bits_of[i], rf_coarse[k].method, err.text);
}

// the page has two lines of every problem, and none that fails
static void test_page(void **state) {
    (void)state;
    char line[4096], name[200];
    int found = 0;
    FILE *f = fopen(HOL_SOURCE_DIR "/docs/references.md", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (strstr(line, "**fails**"))
            fail_msg("docs/references.md: %s", line);
        for (int i = 0; i < rf_problem_count; i++) {
            snprintf(name, sizeof name, "| %s | %s |", rf_problems[i].name, rf_problems[i].title);
            found += !strncmp(line, name, strlen(name));
        }
    }
    fclose(f);
    if (found != 2 * rf_problem_count)
        fail_msg("docs/references.md has %d lines of %d problems: run make references", found,
                 rf_problem_count);
}

// ---- it can fail ----

static void expect_failure(const RfProblem *p, const char *text) {
    static RfRun r;
    char why[800];
    rf_run(HOL_SOURCE_DIR, p, &rf_fine[0], &r);
    assert_false(rf_holds(&rf_fine[0], &r, why, sizeof why));
    if (!strstr(why, text))
        fail_msg("'%s' does not tell of %s", why, text);
}

static void test_mistakes(void **state) {
    (void)state;
    const RfProblem *good = rf_problem("door_stop");
    RfProblem p = *good;
    p.events[3].time += 3e-11;
    expect_failure(&p, "time (impact at 1.45302)");
    p = *good;
    p.last.time += 3e-11;
    expect_failure(&p, "time (rest at 1.84669)");
    p = *good;
    p.events[1].value[3].value += 1e-7;
    expect_failure(&p, "state (event.loss at 0.842034)");
    p = *good;
    p.states[0].value += 2e-8;
    expect_failure(&p, "state (rod.angle at 2)");
    p = *good;
    p.events[0].kind = "stick";
    expect_failure(&p, "another event: impact O");
    p = *good;
    p.more = 0;
    expect_failure(&p, "one event too many");
    p = *good;
    p.end = 0.5;
    expect_failure(&p, "events are missing: 1 of");
    p = *good;
    p.settings[0] = (HolSetting){"O.limits.restitution", "0.61"};
    expect_failure(&p, "off by");
    p = *good;
    p.message = "no such message";
    expect_failure(&p, "it did not fail");
    p = *good;
    p.states[0].name = "rood.angle";
    expect_failure(&p, "no column 'rood.angle'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_hold),  cmocka_unit_test(test_orders),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_page),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
