// SPDX-License-Identifier: Apache-2.0
// The error test knows no unit: mechanisms whose lengths, masses and times are multiplied by
// powers of two take the same steps bit by bit, and by powers of ten the same number of steps
// within 1 %. All numbers of the models below are products of the units L, M, T and pure numbers,
// so that a power of two changes no digit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "accuracy/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- mechanisms ----

#define HEAD                                                                                       \
    "holonom: 1\nparameters: {L: 1, M: 1, T: 1}\n"                                                 \
    "simulation: {end: T, tolerance: 1e-4}\n"
#define PLANE "space: planar\ngravity: [0, '-9.81*L/T/T']\n"
#define SPACE "space: spatial\ngravity: [0, 0, '-9.81*L/T/T']\n"

static const char double_pendulum[] = HEAD PLANE
    "bodies:\n"
    "  - {name: a, mass: M, inertia: 'M*L*L/12', position: ['0.5*L', 0], points: {l: ['-0.5*L', "
    "0], "
    "r: ['0.5*L', 0]}}\n"
    "  - {name: b, mass: '0.7*M', inertia: '0.05*M*L*L', position: ['1.5*L', 0], points: {l: "
    "['-0.5*L', 0]}}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, a.l]}\n"
    "  - {name: B, type: revolute, between: [a.r, b.l]}\n";

static const char four_bar[] = HEAD PLANE
    "bodies:\n"
    "  - {name: a, mass: M, inertia: '0.01*M*L*L', position: [0, '0.25*L'], angle: pi/2, omega: "
    "'-6/T', exact: [angle, omega], points: {l: ['-0.25*L', 0], r: ['0.25*L', 0]}}\n"
    "  - {name: b, mass: '2*M', inertia: '0.2*M*L*L', position: ['0.5*L', '0.625*L'], angle: "
    "0.24497866312686414, points: {l: ['-0.51538820320220757*L', 0], r: "
    "['0.51538820320220757*L', 0]}}\n"
    "  - {name: c, mass: '1.5*M', inertia: '0.1*M*L*L', position: [L, '0.375*L'], angle: pi/2, "
    "points: {l: ['-0.375*L', 0], r: ['0.375*L', 0]}}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, a.l]}\n"
    "  - {name: B, type: revolute, between: [a.r, b.l]}\n"
    "  - {name: C, type: revolute, between: [b.r, c.r]}\n"
    "  - {name: D, type: revolute, between: [{body: ground, at: [L, 0]}, c.l]}\n";

static const char spatial_chain[] = HEAD SPACE
    "bodies:\n"
    "  - {name: a, mass: M, inertia: ['0.01*M*L*L', '0.08*M*L*L', '0.08*M*L*L'], position: "
    "['0.5*L', 0, 0]}\n"
    "  - {name: b, mass: M, inertia: ['0.01*M*L*L', '0.08*M*L*L', '0.08*M*L*L'], position: "
    "['1.5*L', 0, 0]}\n"
    "  - {name: c, mass: M, inertia: ['0.01*M*L*L', '0.08*M*L*L', '0.08*M*L*L'], position: "
    "['2.5*L', 0, 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  - {name: B, type: revolute, bodies: [a, b], at: [L, 0, 0], axis: [0, 1, 1]}\n"
    "  - {name: C, type: spherical, bodies: [b, c], at: ['2*L', 0, 0]}\n";

static const char spring_net[] = HEAD PLANE
    "bodies:\n"
    "  - {name: a, type: point, mass: M, position: [0, 0], velocity: ['3*L/T', 'L/T']}\n"
    "  - {name: b, type: point, mass: M, position: ['1.1*L', 0], velocity: ['3*L/T', 'L/T']}\n"
    "  - {name: c, type: point, mass: '0.5*M', position: [0, '0.9*L'], velocity: ['3*L/T', "
    "'L/T']}\n"
    "  - {name: d, type: point, mass: M, position: [L, '1.05*L'], velocity: ['3*L/T', '0.9*L/T']}\n"
    "forces:\n"
    "  - {type: spring_damper, between: [a, b], stiffness: '90*M/T/T', damping: '0.1*M/T', length: "
    "L}\n"
    "  - {type: spring_damper, between: [a, c], stiffness: '90*M/T/T', damping: 0, length: L}\n"
    "  - {type: spring_damper, between: [b, d], stiffness: '90*M/T/T', damping: 0, length: L}\n"
    "  - {type: spring_damper, between: [c, d], stiffness: '70*M/T/T', damping: 0, length: L}\n"
    "  - {type: spring_damper, between: [a, d], stiffness: '50*M/T/T', damping: 0, length: "
    "'1.4*L'}\n";

static const char oscillator[] =
    HEAD "space: planar\n"
         "bodies:\n"
         "  - {name: u, type: coordinate, mass: M, position: L}\n"
         "  - {name: w, type: coordinate, mass: '0.1*M'}\n"
         "forces:\n"
         "  - {type: expression, on: u, value: '-20*M/T/T*u - 0.1*M/T*u.v'}\n"
         "  - {type: expression, on: w, value: 'M/T/T*(u - 8*w)'}\n";

static const char stiff_pair[] = HEAD PLANE
    "bodies:\n"
    "  - {name: a, mass: '3*M', inertia: 'M*L*L', position: [L, 0], points: {l: ['-L', 0], r: [L, "
    "0]}}\n"
    "  - {name: b, mass: '0.3*M', inertia: '0.2*M*L*L', position: ['3.5*L', 0], omega: '1/T', "
    "velocity: [0, '1.5*L/T'], exact: [omega], points: {l: ['-1.5*L', 0]}}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, a.l]}\n"
    "  - {name: B, type: revolute, between: [a.r, b.l]}\n"
    "forces:\n"
    "  - {type: torsion_spring_damper, joint: A, stiffness: '400*M*L*L/T/T', damping: "
    "'15*M*L*L/T'}\n"
    "  - {type: torsion_spring_damper, joint: B, stiffness: '3e4*M*L*L/T/T', damping: "
    "'5e3*M*L*L/T'}\n";

typedef struct Mechanism {
    const char *name, *text;
    int stiff; // 1: for methods that take long steps there
} Mechanism;

static const Mechanism mechanisms[] = {
    {"double pendulum", double_pendulum, 0}, {"four-bar", four_bar, 0},
    {"spatial chain", spatial_chain, 0},     {"spring net", spring_net, 0},
    {"oscillator", oscillator, 0},           {"stiff pair", stiff_pair, 1},
};

// ---- runs ----

enum { STEPS = 20000 };

typedef struct Trace {
    int status, steps, columns;
    double *time;  // of every step
    double *state; // all positions and velocities at the end
    int kinds[128];
    char names[128][ACC_NAME];
    char text[200];
} Trace;

static void record_end(HolSim *s, const HolModel *model, double end, Trace *trace, HolError *err) {
    const int n = hol_model_all_column_count(model);
    double *row = calloc((size_t)n, sizeof *row);
    trace->status = hol_sim_row_all(s, end, row, err);
    trace->state = calloc((size_t)n, sizeof *row);
    for (int i = 0; i < n && trace->columns < 128; i++) {
        const char *name = hol_model_all_column(model, i).name;
        if (acc_kind(name) < 0)
            continue;
        trace->kinds[trace->columns] = acc_kind(name);
        snprintf(trace->names[trace->columns], ACC_NAME, "%s", name);
        trace->state[trace->columns++] = row[i];
    }
    free(row);
}

static Trace follow(const char *text, const char *method, const double unit[3]) {
    static HolError err;
    char values[3][40];
    HolModel *model = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    Trace trace = {.time = calloc(STEPS, sizeof(double))};
    for (int i = 0; i < 3; i++)
        snprintf(values[i], sizeof values[i], "%.17g", unit[i]);
    const HolSetting set[] = {
        {"L", values[0]}, {"M", values[1]}, {"T", values[2]}, {"method", method}};
    trace.status = hol_model_parse(text, strlen(text), "scaled", set, 4, &model, &o, &err);
    if (!trace.status)
        trace.status = hol_sim_create(model, &o, &s, &err);
    while (!trace.status && trace.steps < STEPS && hol_sim_time(s) < o.end) {
        trace.status = hol_sim_step(s, o.end, &err);
        trace.time[trace.steps++] = hol_sim_time(s);
    }
    if (!trace.status)
        record_end(s, model, hol_sim_time(s), &trace, &err);
    if (trace.status)
        snprintf(trace.text, sizeof trace.text, "%.190s", err.text);
    hol_sim_destroy(s);
    hol_model_destroy(model);
    return trace;
}

static void forget(Trace *trace) {
    free(trace->time);
    free(trace->state);
}

// ---- comparison ----

// a column's unit, from its kind: length, angle, quaternion, speed, rate
static double unit_of(int kind, const double unit[3]) {
    const double units[] = {unit[0], 1, 1, unit[0] / unit[2], 1 / unit[2]};
    return units[kind];
}

// 1: the same steps and the same digits
static int same_bits(const Trace *a, const Trace *b, const double unit[3], char *why, size_t size) {
    if (a->steps != b->steps || a->status || b->status) {
        snprintf(why, size, "%d and %d steps %s", a->steps, b->steps, b->text);
        return 0;
    }
    for (int i = 0; i < a->steps; i++)
        if (a->time[i] * unit[2] != b->time[i]) {
            snprintf(why, size, "step %d of %d ends at %.17g, not %.17g", i, a->steps,
                     b->time[i] / unit[2], a->time[i]);
            return 0;
        }
    for (int c = 0; c < a->columns; c++)
        if (a->state[c] * unit_of(a->kinds[c], unit) != b->state[c]) {
            snprintf(why, size, "%s = %.17g, not %.17g", a->names[c],
                     b->state[c] / unit_of(a->kinds[c], unit), a->state[c]);
            return 0;
        }
    return 1;
}

static int same_count(const Trace *a, const Trace *b, char *why, size_t size) {
    snprintf(why, size, "%d and %d steps %s", a->steps, b->steps, b->text);
    // (the stiff pair at second order: rejections by the last bits of an estimate move the count of
    // some 900 steps by 15)
    return !a->status && !b->status &&
           abs(a->steps - b->steps) <= fmax(1, (a->steps > 800 ? 0.02 : 0.01) * a->steps);
}

static const double powers_of_two[][3] = {
    {0x1p20, 1, 1}, {0x1p-20, 1, 1}, {1, 0x1p20, 1}, {1, 1, 0x1p20}, {0x1p-20, 0x1p-20, 0x1p-20},
};
static const double powers_of_ten[][3] = {
    {1e6, 1, 1}, {1e-6, 1, 1}, {1, 1e-9, 1}, {1, 1, 1e6}, {1e-6, 1e-9, 1e-6},
};

// one mechanism by one method in all units; the number of failures, each told
static int check_one(const Mechanism *m, const char *method, int two) {
    const double one[3] = {1, 1, 1};
    const int n = two ? (int)(sizeof powers_of_two / sizeof *powers_of_two)
                      : (int)(sizeof powers_of_ten / sizeof *powers_of_ten);
    int bad = 0;
    Trace plain = follow(m->text, method, one);
    if (plain.status) {
        print_error("%s, %s: %s\n", method, m->name, plain.text);
        bad = plain.status != HOL_ERR_UNSUPPORTED;
    }
    for (int k = 0; k < n && !plain.status; k++) {
        const double *unit = two ? powers_of_two[k] : powers_of_ten[k];
        char why[400] = "";
        Trace scaled = follow(m->text, method, unit);
        if (!(two ? same_bits(&plain, &scaled, unit, why, sizeof why)
                  : same_count(&plain, &scaled, why, sizeof why))) {
            print_error("%s, %s, L %g M %g T %g: %s\n", method, m->name, unit[0], unit[1], unit[2],
                        why);
            bad++;
        }
        forget(&scaled);
    }
    forget(&plain);
    return bad;
}

static int check(const char *method, int two) {
    static const char explicit_methods[] =
        "taylor rk853 rk4 rk3 central-differences explicit3 explicit4 explicit5";
    int bad = 0;
    for (size_t m = 0; m < sizeof mechanisms / sizeof *mechanisms; m++)
        if (!mechanisms[m].stiff || !strstr(explicit_methods, method))
            bad += check_one(&mechanisms[m], method, two);
    return bad;
}

// ---- assembly ----

// closed by moving what is not exact: the crank and a redundant parallel to the rocker, written 1 %
// of a length off
static const char open_loop[] = HEAD PLANE
    "bodies:\n"
    "  - {name: a, mass: M, inertia: '0.01*M*L*L', position: [0, '0.26*L'], angle: pi/2, omega: "
    "'-6/T', exact: [angle, omega], points: {l: ['-0.25*L', 0], r: ['0.25*L', 0]}}\n"
    "  - {name: b, mass: '2*M', inertia: '0.2*M*L*L', position: ['0.51*L', '0.5*L'], points: {l: "
    "['-0.5*L', 0], m: ['0.01*L', 0], r: ['0.5*L', 0]}}\n"
    "  - {name: c, mass: M, inertia: '0.01*M*L*L', position: ['1.01*L', '0.24*L'], angle: 1.6, "
    "points: {l: ['-0.25*L', 0], r: ['0.25*L', 0]}}\n"
    "  - {name: d, mass: M, inertia: '0.01*M*L*L', position: ['0.5*L', '0.25*L'], angle: 1.58, "
    "points: {l: ['-0.25*L', 0], r: ['0.25*L', 0]}}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, a.l]}\n"
    "  - {name: B, type: revolute, between: [a.r, b.l]}\n"
    "  - {name: C, type: revolute, between: [b.r, c.r]}\n"
    "  - {name: D, type: revolute, between: [{body: ground, at: [L, 0]}, c.l]}\n"
    "  - {name: E, type: revolute, between: [b.m, d.r]}\n"
    "  - {name: F, type: revolute, between: [{body: ground, at: ['0.51*L', 0]}, d.l]}\n";

static Trace assembled(const double unit[3], HolCheck *check) {
    static HolError err;
    char values[3][40];
    HolModel *model = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    Trace trace = {0};
    for (int i = 0; i < 3; i++)
        snprintf(values[i], sizeof values[i], "%.17g", unit[i]);
    const HolSetting set[] = {{"L", values[0]}, {"M", values[1]}, {"T", values[2]}};
    trace.status = hol_model_parse(open_loop, strlen(open_loop), "open", set, 3, &model, &o, &err);
    if (!trace.status)
        trace.status = hol_sim_create(model, &o, &s, &err);
    if (!trace.status)
        trace.status = hol_sim_check(s, check, &err);
    if (!trace.status)
        record_end(s, model, hol_sim_time(s), &trace, &err);
    if (trace.status)
        fail_msg("%s", err.text);
    hol_sim_destroy(s);
    hol_model_destroy(model);
    return trace;
}

// The same closed position, the same rank, in every unit: a parallelogram has one row too many
static void assembly(void **state) {
    (void)state;
    const double one[3] = {1, 1, 1};
    HolCheck plain, scaled;
    Trace a = assembled(one, &plain);
    assert_int_equal(plain.dof, 1);
    assert_int_equal(plain.redundant, 1);
    for (int k = 0; k < 10; k++) {
        const double *unit = k < 5 ? powers_of_two[k] : powers_of_ten[k - 5];
        Trace b = assembled(unit, &scaled);
        assert_int_equal(scaled.rank, plain.rank);
        assert_int_equal(scaled.singular, plain.singular);
        assert_int_equal(scaled.n_moved, plain.n_moved);
        for (int c = 0; c < a.columns; c++) {
            const double value = b.state[c] / unit_of(a.kinds[c], unit);
            if (!(fabs(value - a.state[c]) <= (k < 5 ? 0 : 1e-12)))
                fail_msg("L %g M %g T %g: %s = %.17g, not %.17g", unit[0], unit[1], unit[2],
                         a.names[c], value, a.state[c]);
        }
        forget(&b);
    }
    forget(&a);
}

#define CASE(name, method)                                                                         \
    static void name##_two(void **state) {                                                         \
        (void)state;                                                                               \
        assert_int_equal(check(method, 1), 0);                                                     \
    }                                                                                              \
    static void name##_ten(void **state) {                                                         \
        (void)state;                                                                               \
        assert_int_equal(check(method, 0), 0);                                                     \
    }

CASE(tangent, "tangent")
CASE(taylor, "taylor")
CASE(radau, "radau")
CASE(rk853, "rk853")
CASE(rk4, "rk4")
CASE(rk3, "rk3")
CASE(newmark, "newmark")
CASE(hht, "hht")
CASE(generalized_alpha, "generalized-alpha")
CASE(dae_alpha, "dae-alpha")
CASE(bdf, "bdf")
CASE(central, "central-differences")
CASE(explicit3, "explicit3")
CASE(explicit4, "explicit4")
CASE(explicit5, "explicit5")

// What cos(pi/2) or assembly leaves of zero is no length of the model: steps as with a zero.
static void no_length(void **state) {
    (void)state;
    static const char *const places[] = {"0", "1e-27", "\"cos(pi/2)\""};
    static const char *const methods[] = {"newmark", "tangent", "rk853", "bdf"};
    for (int k = 0; k < 4; k++) {
        long steps[3];
        for (int i = 0; i < 3; i++) {
            char text[500];
            HolError err;
            HolSim *sim;
            snprintf(
                text, sizeof text,
                "holonom: 1\nspace: planar\nbodies: [{name: b, mass: 2, inertia: 1, position: [0, "
                "%s]}]\njoints: [{name: D, type: prismatic, between: [{body: ground, at: [0, %s], "
                "axis: [1, 0]}, b]}]\n"
                "forces: [{type: force, acts_on: b, value: [\"5*cos(time)\", 0]}]\n",
                places[i], places[i]);
            HolModel *m;
            HolSimOptions o;
            assert_int_equal(
                hol_model_parse(text, strlen(text), "length.yaml", NULL, 0, &m, &o, &err), HOL_OK);
            snprintf(o.method.name, sizeof o.method.name, "%s", methods[k]);
            o.tolerance = 1e-5;
            o.end = 0.3;
            assert_int_equal(hol_sim_create(m, &o, &sim, &err), HOL_OK);
            assert_int_equal(hol_sim_advance(sim, o.end, &err), HOL_OK);
            steps[i] = hol_sim_stats(sim).steps;
            hol_sim_destroy(sim);
            hol_model_destroy(m);
        }
        assert_true(labs(steps[1] - steps[0]) <= 2 && labs(steps[2] - steps[0]) <= 2);
    }
}

#define BOTH(name) cmocka_unit_test(name##_two), cmocka_unit_test(name##_ten)

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        BOTH(tangent),
        BOTH(taylor),
        BOTH(radau),
        BOTH(rk853),
        BOTH(rk4),
        BOTH(rk3),
        BOTH(newmark),
        BOTH(hht),
        BOTH(generalized_alpha),
        BOTH(dae_alpha),
        BOTH(bdf),
        BOTH(central),
        BOTH(explicit3),
        BOTH(explicit4),
        BOTH(explicit5),
        cmocka_unit_test(assembly),
        cmocka_unit_test(no_length),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
