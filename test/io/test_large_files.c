// SPDX-License-Identifier: Apache-2.0
// Files with very many entries of one list cost as much a entry as short ones: four times the entries
// take four times the processor time, not sixteen. Lists that need memory without bound are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "holonom/holonom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEW = 6000, TRIES = 4 };
static const double MOST_RATIO = 8; // linear: 4, quadratic: 16
static const double LEAST = 0.25;   // s: what takes less is not looked at

// %d: number of the entry
static const struct {
    const char *head, *entry, *tail;
} lists[] = {
    {"bodies: [{name: b, mass: 1, inertia: 1}]\nforces:\n",
     "- {name: f%d, type: force, on: b, value: ['-b.x', 0]}\n", ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\nforces:\n",
     "- {name: f%d, type: spring_damper, between: [{body: ground, at: [1, 2]}, b], stiffness: 1, "
     "length: 1}\n",
     ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\ndiscrete: {d: 0}\nevents:\n",
     "- {name: e%d, when: 'b.x - 1', set: {d: 1}}\n", ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\ndiscrete:\n", "  d%d: 0\n", ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\nstates:\n",
     "- {name: s%d, initial: 0, rate: '-b.x'}\n", ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\nvariables:\n", "- {name: v%d, value: 'b.x + 1'}\n",
     ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\ncurves:\n",
     "  c%d: {points: [[0, 0], [1, 0], [1, 1]]}\n", ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\ntables:\n", "  t%d: {x: [0, 1, 2], y: [0, 1, 0]}\n",
     ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\nparameters:\n", "  p%d: 1\n", ""},
    {"bodies:\n", "- {name: b%d, mass: 1, inertia: 1}\n", ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\njoints:\n",
     "- {name: j%d, type: revolute, bodies: [ground, b], at: [0, 0]}\n", ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\nconstraints:\n", "- {name: c%d, equation: 'b.x'}\n",
     ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\noutputs:\n", "- 'b.x + %d'\n", ""},
    {"bodies: [{name: b, mass: 1, inertia: 1, points: {o: [0, 0]", ", p%d: [1, 0]", "}}]\n"},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\nground: {points: {o: [0, 0]", ", p%d: [1, 0]",
     "}}\n"},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\nparameters:\n  q: &first 1\n",
     "  p%1$d: &a%1$d 1\n  r%1$d: *first\n", ""},
    {"bodies: [{name: b, mass: 1, inertia: 1}]\ncontacts:\n",
     "- {name: c%d, between: [{body: ground, line: {normal: [0, 1]}}, {body: b, circle: {radius: "
     "0.5}}], stiffness: 1e5}\n",
     ""},
};

static char *large_text(size_t list, int n, size_t *length) {
    const size_t room = 400 + (size_t)n * (strlen(lists[list].entry) + 8);
    char *text = malloc(room);
    assert_non_null(text);
    size_t at = (size_t)snprintf(text, room, "holonom: 1\nspace: planar\n%s", lists[list].head);
    for (int i = 0; i < n; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        at += (size_t)snprintf(text + at, room - at, lists[list].entry, i);
#pragma GCC diagnostic pop
    }
    at += (size_t)snprintf(text + at, room - at, "%ssimulation: {end: 1}\n", lists[list].tail);
    *length = at;
    return text;
}

static double large_seconds(size_t list, int n) {
    size_t length;
    char *text = large_text(list, n, &length);
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    const clock_t begin = clock();
    const HolStatus status = hol_model_parse(text, length, "large.yaml", NULL, 0, &m, &o, &err);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (status)
        fail_msg("%s: %s", lists[list].entry, err.text);
    hol_model_destroy(m);
    free(text);
    return seconds;
}

static void large_lists_are_linear(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        double few = 0, many = 0;
        int ok = 0;
        for (int i = 0; i < TRIES && !ok; i++) { // (the machine may be busy)
            few = large_seconds(k, FEW);
            many = large_seconds(k, 4 * FEW);
            ok = many < LEAST || many < MOST_RATIO * few;
        }
        if (!ok)
            fail_msg("%s: %d take %.3g s, %d %.3g s", lists[k].entry, FEW, few, 4 * FEW, many);
    }
}

// a hub that carries n bodies on hinges; again: the last one twice
static HolCheck large_star(int n, int again) {
    const size_t room = 400 + (size_t)n * 200;
    char *text = malloc(room);
    assert_non_null(text);
    size_t at = (size_t)snprintf(text, room,
                                 "holonom: 1\nspace: planar\nbodies:\n"
                                 "- {name: hub, mass: 1, inertia: 1}\n");
    for (int i = 0; i < n; i++)
        at +=
            (size_t)snprintf(text + at, room - at,
                             "- {name: b%d, mass: 1, inertia: 1, position: [2, %g]}\n", i, 1.0 * i);
    at += (size_t)snprintf(text + at, room - at, "joints:\n");
    for (int i = 0; i < n + again; i++)
        at += (size_t)snprintf(text + at, room - at,
                               "- {name: j%d, type: revolute, bodies: [hub, b%d], at: [1, %g]}\n",
                               i, i < n ? i : n - 1, i < n ? 1.0 * i : n - 1.0);
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolCheck check = {0};
    HolError err = {0};
    if (hol_model_parse(text, at, "star.yaml", NULL, 0, &m, &o, &err) ||
        hol_sim_create(m, &o, &s, &err) || hol_sim_check(s, &check, &err))
        fail_msg("%d: %s", n, err.text);
    hol_sim_destroy(s);
    hol_model_destroy(m);
    free(text);
    return check;
}

static void one_body_carries_thousands_of_joints(void **state) {
    (void)state;
    HolCheck check = large_star(3000, 0);
    assert_int_equal(check.rank, 6000);
    check = large_star(400, 1);
    assert_int_equal(check.rank, 800);
}

// ---- runs: their start and first step ----

typedef enum LargeRun { EVENTS, MOTIONS, STAR, LARGE_RUNS } LargeRun;

static char *large_run_text(LargeRun what, int n, size_t *length) {
    const size_t room = 400 + (size_t)n * 240;
    char *text = malloc(room);
    assert_non_null(text);
    size_t at = (size_t)snprintf(text, room,
                                 "holonom: 1\nspace: planar\noutputs: [b.x]\n"
                                 "simulation: {end: 0.01, step: 0.01, output_step: 0.01}\n"
                                 "discrete: {d: 0}\nbodies:\n- {name: b, mass: 1, inertia: 1}\n");
#define PUT(...) at += (size_t)snprintf(text + at, room - at, __VA_ARGS__)
    for (int i = 0; i < n && what != EVENTS; i++)
        PUT("- {name: b%d, mass: 1, inertia: 1, position: [%d, 0]}\n", i, i);
    if (what != EVENTS)
        PUT("joints:\n");
    for (int i = 0; i < n && what != EVENTS; i++)
        PUT("- {name: j%d, type: revolute, bodies: [%s, b%d], at: [%d, 1]}\n", i,
            what == STAR ? "b" : "ground", i, i);
    if (what != STAR)
        PUT(what == EVENTS ? "events:\n" : "motions:\n");
    for (int i = 0; i < n && what == EVENTS; i++)
        PUT("- {name: e%d, when: 'b.x - %d', set: {d: 1}}\n", i, i + 1);
    for (int i = 0; i < n && what == MOTIONS; i++)
        PUT("- {joint: j%d, value: 0.1*time}\n", i);
#undef PUT
    *length = at;
    return text;
}

static double large_run_seconds(LargeRun what, int n) {
    size_t length;
    char *text = large_run_text(what, n, &length);
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolError err = {0};
    if (hol_model_parse(text, length, "large.yaml", NULL, 0, &m, &o, &err))
        fail_msg("%s", err.text);
    const clock_t begin = clock();
    if (hol_sim_create(m, &o, &s, &err) || hol_sim_assemble(s, &err) ||
        (what == EVENTS && hol_sim_advance(s, 0.01, &err)))
        fail_msg("%d: %s", (int)what, err.text);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    hol_sim_destroy(s);
    hol_model_destroy(m);
    free(text);
    return seconds;
}

static void large_runs_are_linear(void **state) {
    (void)state;
    for (LargeRun k = EVENTS; k < LARGE_RUNS; k++) {
        double few = 0, many = 0;
        int ok = 0;
        for (int i = 0; i < TRIES && !ok; i++) {
            few = large_run_seconds(k, FEW);
            many = large_run_seconds(k, 4 * FEW);
            ok = many < LEAST || many < MOST_RATIO * few;
        }
        if (!ok)
            fail_msg("run %d: %d take %.3g s, %d %.3g s", (int)k, FEW, few, 4 * FEW, many);
    }
}

static void expect_refusal(const char *text, size_t length, const char *words) {
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    assert_int_equal(hol_model_parse(text, length, "large.yaml", NULL, 0, &m, &o, &err),
                     HOL_ERR_INPUT);
    assert_null(m);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not occur in: %s", words, err.text);
}

// what would take all memory is refused before it is tried, with the reason
static void too_much_is_refused(void **state) {
    enum { PARTS = 400001, CHAIN = 9000 };
    const size_t room = 200 + 50 * (size_t)CHAIN + 6 * (size_t)PARTS;
    char *text = malloc(room);
    (void)state;
    assert_non_null(text);
    size_t at = (size_t)snprintf(text, room, "holonom: 1\nspace: planar\nbodies:\n");
    for (int i = 0; i < PARTS; i++)
        at += (size_t)snprintf(text + at, room - at, "- {}\n");
    at += (size_t)snprintf(text + at, room - at, "- ] what follows is not read any more\n");
    expect_refusal(text, at,
                   "large.yaml:3:1: error: more than 400000 bodies, joints, forces, contacts and "
                   "motions are too many");
    at = (size_t)snprintf(text, room,
                          "holonom: 1\nspace: planar\nbodies: [{name: b, mass: 1, inertia: 1}]\n"
                          "variables:\n- {name: v0, value: b.x}\n");
    for (int i = 1; i < CHAIN; i++)
        at += (size_t)snprintf(text + at, room - at, "- {name: v%d, value: 'v%d + b.y*%d'}\n", i,
                               i - 1, i);
    expect_refusal(text, at, "have come to more than 20 million terms");
    free(text);
}

// '<<' of a large map, many times
static void merges_are_linear(void **state) {
    enum { KEYS = 9000, MERGES = 60 };
    const size_t room = 200 + 20 * (size_t)KEYS + 20 * (size_t)MERGES;
    char *text = malloc(room);
    (void)state;
    assert_non_null(text);
    size_t at = (size_t)snprintf(text, room, "holonom: 1\nx: &base {k: 1");
    for (int i = 0; i < KEYS; i++)
        at += (size_t)snprintf(text + at, room - at, ", key%d: 1", i);
    at += (size_t)snprintf(text + at, room - at, "}\ny: [1");
    for (int i = 0; i < MERGES; i++)
        at += (size_t)snprintf(text + at, room - at, ", {<<: *base}");
    at += (size_t)snprintf(text + at, room - at, "]\n");
    const clock_t begin = clock();
    expect_refusal(text, at, "unknown key 'x'");
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 2);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_lists_are_linear),
        cmocka_unit_test(one_body_carries_thousands_of_joints),
        cmocka_unit_test(merges_are_linear),
        cmocka_unit_test(large_runs_are_linear),
        cmocka_unit_test(too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
