// SPDX-License-Identifier: Apache-2.0
// Friction of joints of which some rows are redundant: what each carries is open, and that of least norm
// counts. Two alike joints with different friction then have half of the load N each: (mu1 + mu2) N/2.
#include "event_run.h"

#define TWO(type, axis, y, z)                                                                      \
    "joints:\n  - {name: G, type: " type ", between: [{body: ground, at: " y ", axis: " axis       \
    "}, {body: b, at: " y "}], friction: {mu: 0.2, radius: 0.01}}\n"                               \
    "  - {name: H, type: " type ", between: [{body: ground, at: " z ", axis: " axis                \
    "}, {body: b, at: " z "}], friction: {mu: 0.1, radius: 0.01}}\n"
#define BODY "bodies: [{name: b, mass: 3, inertia: "
#define LOAD "forces: [{type: force, acts_on: b, value: "

static const char guides[] =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n" BODY
    "0.3, velocity: [40, 0]}]\n" TWO("prismatic", "[1, 0]", "[-0.2, 0]", "[0.2, 0]") LOAD
    "[0, \"-10*sin(2*time)\"]}]\n";
static const char door[] = "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n" BODY
                           "[0.05, 0.05, 0.05], omega: [0, 0, 40]}]\n" TWO(
                               "revolute", "[0, 0, 1]", "[0, 0, -0.5]", "[0, 0, 0.5]") LOAD
    "[0, 0, \"-10*sin(2*time)\"]}]\n";
static const char shaft[] = "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n" BODY
                            "[0.05, 0.05, 0.05], omega: [40, 0, 0]}]\n" TWO(
                                "revolute", "[1, 0, 0]", "[-0.5, 0, 0]", "[0.5, 0, 0]") LOAD
    "[0, 0, \"-10*sin(2*time)\"]}]\n";

static const struct {
    const char *text, *speed, *load;
    double arm; // of the friction force, over the inertia
} machines[] = {{guides, "b.vx", "G.fy", 1.0 / 3},
                {door, "b.wz", "G.fz", 0.01 / 0.05},
                {shaft, "b.wx", "H.fz", 0.01 / 0.05}};

static const struct {
    const char *method;
    double tolerance, step, error;
} ways[] = {
    {"auto", 1e-6, 0, 1e-9},    {"taylor", 1e-11, 0, 1e-11},   {"tangent", 1e-6, 0, 1e-7},
    {"rk853", 1e-9, 0, 1e-10},  {"radau", 1e-8, 0, 1e-8},      {"dae-alpha", 1e-5, 0, 2e-5},
    {"newmark", 1e-5, 0, 2e-5}, {"hht", 1e-5, 0, 2e-5},        {"generalized-alpha", 1e-5, 0, 2e-5},
    {"rk4", 0, 0.002, 1e-8},    {"explicit4", 0, 0.002, 1e-6}, {"ab4", 0, 0.002, 1e-6},
    {"newmark", 0, 0.002, 1e-4}};

static void test_slips(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            EventRun e;
            event_run(&e, machines[k].text,
                      (EventRunOptions){.method = ways[i].method,
                                        .tolerance = ways[i].tolerance,
                                        .step = ways[i].step,
                                        .end = 2,
                                        .output_step = 2});
            event_run_ok(&e, ways[i].method);
            const double impulse = 3 * 9.81 * 2 + 5 * (1 - cos(4));
            expect_text(&e.run, machines[k].speed, 40 - 0.15 * machines[k].arm * impulse,
                        40 * ways[i].error);
            expect_text(&e.run, machines[k].load, (3 * 9.81 + 10 * sin(4)) / 2, 20 * ways[i].error);
            close_text(&e.run);
        }
}

// it leaves rows out, and would let the others carry all
static void test_bdf(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        TextRun r = open_text(machines[k].text, "bdf", 1e-6);
        advance_text(&r, 1);
        assert_int_equal(r.status, HOL_ERR_UNSUPPORTED);
        assert_non_null(strstr(r.err.text, "redundant"));
        close_text(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slips),
        cmocka_unit_test(test_bdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
