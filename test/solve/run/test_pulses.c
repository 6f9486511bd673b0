// SPDX-License-Identifier: Apache-2.0
// Forces of time that last a millisecond of ten seconds: switches (exact times) and smooth pulses are
// met by every method, with error control and with steps ten times as long; laws that jump where the
// motion sticks end every run; constraints that jump are named.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "holonom/holonom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const every_method[] = {"tangent",
                                           "taylor",
                                           "newmark",
                                           "hht",
                                           "generalized-alpha",
                                           "central-differences",
                                           "explicit3",
                                           "explicit4",
                                           "explicit5",
                                           "rk3",
                                           "rk4",
                                           "rk853",
                                           "ab4",
                                           "ab5",
                                           "dae-alpha",
                                           "bdf",
                                           "radau",
                                           NULL};

typedef struct Ended {
    HolStatus status;
    HolModel *m;
    HolSim *s;
    HolError err;
} Ended;

// 0: the method has no such steps
static int run_with(const char *text, const char *method, const char *name, const char *value,
                    Ended *r) {
    HolSetting set[] = {{"method", method}, {name, value}};
    HolSimOptions o;
    const int fixed = !strcmp(name, "step");
    *r = (Ended){0};
    if ((fixed && !strcmp(method, "bdf")) || (!fixed && !strncmp(method, "ab", 2)))
        return 0;
    if (hol_model_parse(text, strlen(text), "pulse.yaml", set, 2, &r->m, &o, &r->err) ||
        hol_sim_create(r->m, &o, &r->s, &r->err))
        fail_msg("%s: %s", method, r->err.text);
    r->status = hol_sim_advance(r->s, o.end, &r->err);
    return 1;
}

static void end(Ended *r) {
    hol_sim_destroy(r->s);
    hol_model_destroy(r->m);
}

// the momentum 1 that a force of time gives a mass of 1
static void expect_momentum(const char *law, const char *name, const char *value, double most) {
    char text[600];
    snprintf(text, sizeof text,
             "holonom: 1\nspace: planar\n"
             "tables: {corner: {x: [0, 1.2345, 1.2355, 1.2365, 10], y: [0, 0, 1, 0, 0], "
             "interpolation: linear}}\n"
             "bodies: [{name: b, type: point, mass: 1}]\n"
             "forces: [{type: force, on: b, value: [\"%s\", 0]}]\nsimulation: {end: 10}\n",
             law);
    for (int i = 0; every_method[i]; i++) {
        Ended r;
        if (!run_with(text, every_method[i], name, value, &r))
            continue;
        // (a series of time that a fixed step is too long for is said to be so)
        if (r.status && !strcmp(every_method[i], "taylor") &&
            strstr(r.err.text, "does not converge over the step")) {
            end(&r);
            continue;
        }
        if (r.status)
            fail_msg("%s, %s %s, %s: %s", law, name, value, every_method[i], r.err.text);
        const double v = hol_sim_view(r.s).v[0];
        const int warned = !strcmp(name, "step") && !strcmp(every_method[i], "taylor") &&
                           strstr(hol_sim_stats(r.s).warnings, "energy drifts");
        if (!warned && !(fabs(v - 1) <= most))
            fail_msg("%s, %s %s, %s: %.9g, not 1", law, name, value, every_method[i], v);
        end(&r);
    }
}

static void switches_in_time(void **state) {
    static const char *const laws[] = {
        "if(time > 1.2345 and time < 1.2355, 1000, 0)",
        "if(time > 1.2345, if(time <= 1.2355, 1000, 0), 0)",
        "if(mod(time - 1.2345, 20) < 1e-3, 1000, 0)",
        "if(floor(1000*time) == 1234, 1000, 0)",
        "100*(floor(time - 0.2345) - floor(time - 0.2355))",
        "if(abs(time - 1.2345) < 5e-4, 1000, 0)",
        "1e6*max(0, 1e-3 - abs(time - 1.2345))",
        "4e6*max(0, min(time - 1.234, 1.235 - time))",
        "500*(sign(time - 1.2345) - sign(time - 1.2355))",
        "if(sin(time/2) > cos(2.5e-4), 1000, 0)",
        "if(exp(-((time - 1.2345)/1e-4)^2) > exp(-25), 1000, 0)",
        "1000*(step(time, 1.2345, 0, 1.2346, 1) - step(time, 1.2355, 0, 1.2356, 1))",
        "1000*step(time, 1.2345, 0, 1.2346, 1)*step(time, 1.2355, 1, 1.2356, 0)"};
    (void)state;
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        expect_momentum(laws[i], "tolerance", "1e-6", 2e-6);
        expect_momentum(laws[i], "step", "0.01", 2e-4);
    }
}

// next to a point of the grid, where the run ends: what begins there is not in the last velocity
static void switches_at_the_end(void **state) {
    static const char *const laws[] = {"if(time > 0.2 - 1e-15, 1000, 0)",
                                       "if(time >= 0.2, 1000, 0)", "1000*floor(time/0.2)",
                                       "if(time > 0.2 - 1e-14, 1000, 0)"};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int i = 0; every_method[i]; i++)
            for (int j = 0; j < 2; j++) {
                char text[400];
                Ended r;
                snprintf(text, sizeof text,
                         "holonom: 1\nspace: planar\nbodies: [{name: b, type: point, mass: 1}]\n"
                         "forces: [{type: force, on: b, value: [\"%s\", 0]}]\nsimulation: {end: "
                         "0.2}\n",
                         laws[k]);
                if (!run_with(text, every_method[i], "step", j ? "0.1" : "0.01", &r))
                    continue;
                if (r.status || !(fabs(hol_sim_view(r.s).v[0]) < 1e-8))
                    fail_msg("%s, %s: %.9g %s", laws[k], every_method[i], hol_sim_view(r.s).v[0],
                             r.err.text);
                end(&r);
            }
}

// a law that switches 120,000 times, more than are found before the run: what fixed steps miss is told
static void too_many_switches(void **state) {
    static const char text[] =
        "holonom: 1\nspace: planar\n"
        "bodies: [{name: b, type: point, mass: 1}]\n"
        "forces: [{type: force, on: b, value: [\"if(mod(time + 2.5e-4, 1e-3) "
        "< 5e-4, 2, 0) - 1\", 0]}]\nsimulation: {end: 60}\n";
    Ended r;
    (void)state;
    run_with(text, "rk4", "step", "0.01", &r);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(hol_sim_stats(r.s).warnings, "energy drifts"));
    assert_non_null(strstr(hol_sim_stats(r.s).warnings, "switches more often than can be found"));
    end(&r);
}

// pulses right behind the jumps of mod, too short to be known before the run: none lasts longer
static void trains_of_pulses(void **state) {
    (void)state;
    expect_momentum("if(mod(time + 5e-4, 0.1) < 1e-5, 1000, 0)", "tolerance", "1e-6", 1e-4);
}

static void smooth_pulses(void **state) {
    static const char *const laws[] = {
        "exp(-((time - 1.2345)/1e-4)^2)/(1e-4*sqrt(pi))",
        "exp(-(time - 5)*(time - 5)*1e8)/(1e-4*sqrt(pi)) + 0*b.x",
        "cos(time)*0 + exp(-((time - 7.77)/1e-4)^2)/(1e-4*sqrt(pi)) - 1e-12*b.vx",
        "1.0000294168/(1 + ((time - 1.2345)/1e-4)^2)/(1e-4*pi)", // long feet
        "500*(tanh((time - 1.2345)/5e-5) - tanh((time - 1.2355)/5e-5))",
        "1000*interp(corner, time)"};
    (void)state;
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        expect_momentum(laws[i], "tolerance", "1e-6", 1e-5);
        expect_momentum(laws[i], "step", "0.01", 2e-2);
    }
}

// no step is shortened by a law that oscillates all the time
static void waves_cost_nothing(void **state) {
    static const char form[] = "holonom: 1\nspace: planar\n"
                               "bodies: [{name: b, type: point, mass: 1}]\n"
                               "forces: [{type: force, on: b, value: [\"%s\", 0]}]\n"
                               "simulation: {end: 10}\n";
    char text[400];
    Ended plain, wave;
    (void)state;
    snprintf(text, sizeof text, form, "cos(3*time)/2 + 0.5*cos(3*time)");
    run_with(text, "rk853", "tolerance", "1e-8", &plain);
    snprintf(text, sizeof text, form, "cos(1.5*time)^2 - sin(1.5*time)*sin(1.5*time)");
    run_with(text, "rk853", "tolerance", "1e-8", &wave);
    assert_int_equal(plain.status, 0);
    assert_int_equal(wave.status, 0);
    const long a = hol_sim_stats(plain.s).steps, b = hol_sim_stats(wave.s).steps;
    if (b > a + 4)
        fail_msg("%ld steps in the place of %ld", b, a);
    end(&plain);
    end(&wave);
}

static void expect_failure(const char *text, const char *method, const char *name,
                           const char *value, double time, const char *words) {
    Ended r;
    if (!run_with(text, method, name, value, &r))
        return;
    const int named = r.status == HOL_ERR_STEP && strstr(r.err.text, words);
    if (!r.status || !(named || !words[0]) || fabs(r.err.time - time) > 0.011)
        fail_msg("%s %s: status %d at %g: %s", method, name, r.status, r.err.time, r.err.text);
    if (hol_sim_stats(r.s).steps > 20000)
        fail_msg("%s %s: %ld steps", method, name, hol_sim_stats(r.s).steps);
    end(&r);
}

static void sticking_ends(void **state) {
    static const char text[] = "holonom: 1\nspace: planar\n"
                               "bodies: [{name: b, type: point, mass: 1, velocity: [1, 0]}]\n"
                               "forces: [{type: force, on: b, value: [\"-5*sign(b.vx)\", 0]}]\n"
                               "simulation: {end: 2}\n";
    (void)state;
    for (int i = 0; every_method[i]; i++)
        expect_failure(text, every_method[i], "tolerance", "1e-6", 0.2, "sticks");
    expect_failure(text, "taylor", "step", "0.01", 0.2, "sticks");
    // (some methods stop exactly where the law jumps, or always end right before it)
    static const char spring[] = "holonom: 1\nspace: planar\n"
                                 "bodies: [{name: b, type: point, mass: 1, position: [1, 0]}]\n"
                                 "forces: [{type: force, on: b, value: [\"-100*b.x - "
                                 "30*sign(b.vx)\", 0]}]\nsimulation: {end: 2}\n";
    for (int i = 0; every_method[i]; i++)
        expect_failure(spring, every_method[i], "tolerance", "1e-6", 0.62831853, "sticks");
}

// a law that holds the motion ends fixed steps too, soon and by name, also where its two sides are
// very unlike and where stages on both sides would creep along it
static void sticking_ends_fixed_steps(void **state) {
    static const char *const laws[] = {"-5*sign(b.vx)", "4.5 - 5*sign(b.vx)",
                                       "if(b.vx > 0, -5, 0.8)"};
    static const double times[] = {0.2, 2, 0.2};
    static const char *const steps[] = {"0.01", "0.001"};
    char text[400];
    (void)state;
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\n"
                 "bodies: [{name: b, type: point, mass: 1, velocity: [1, 0]}]\n"
                 "forces: [{name: brake, type: force, on: b, value: [\"%s\", 0]}]\n"
                 "simulation: {end: 5}\n",
                 laws[k]);
        for (int i = 0; every_method[i]; i++)
            for (int n = 0; n < 2; n++) {
                Ended r;
                const double h = n ? 0.001 : 0.01;
                if (!run_with(text, every_method[i], "step", steps[n], &r))
                    continue;
                if (r.status != HOL_ERR_STEP || !strstr(r.err.text, "sticks") ||
                    !strstr(r.err.text, "'brake'") || r.err.time < times[k] - 2 * h ||
                    r.err.time > times[k] + 150 * h)
                    fail_msg("%s, %s, step %g: status %d at %g: %s", laws[k], every_method[i], h,
                             r.status, r.err.time, r.err.text);
                end(&r);
            }
    }
}

// friction that the motion passes through, and kinks at rest, do not end a run
static void passing_goes_on(void **state) {
    static const char *const laws[] = {"-100*b.x - 0.5*sign(b.vx)", "-abs(b.vx)*b.vx - b.x",
                                       "-0.1*b.vx*abs(b.vx)", "-100*max(0, b.x)",
                                       "-1000*b.x - 20*b.vx - abs(b.x)"};
    static const char *const methods[] = {"central-differences",
                                          "explicit3",
                                          "explicit4",
                                          "explicit5",
                                          "rk3",
                                          "rk4",
                                          "rk853",
                                          "ab4",
                                          "ab5"};
    char text[400];
    (void)state;
    for (int k = 0; k < 5; k++) {
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\n"
                 "bodies: [{name: b, type: point, mass: 1, position: [1, 0]}]\n"
                 "forces: [{type: force, on: b, value: [\"%s\", 0]}]\nsimulation: {end: 5}\n",
                 laws[k]);
        for (int i = 0; i < 9; i++) {
            Ended r;
            run_with(text, methods[i], "step", "0.001", &r);
            if (r.status)
                fail_msg("%s, %s: %s", laws[k], methods[i], r.err.text);
            end(&r);
        }
    }
}

static void constraints_that_jump(void **state) {
    static const char *const motions[] = {
        "motions: [{name: m, joint: s, value: \"if(time > 0.5, 1, 0)\"}]\n",
        "motions: [{name: m, joint: s, value: \"0.3*floor(time/0.5)\"}]\n",
        ("discrete: {target: 0}\nmotions: [{name: m, joint: s, value: target}]\n"
         "events: [{name: e, when: \"time - 0.5003\", set: {target: 1}}]\n")};
    char text[600];
    (void)state;
    for (int k = 0; k < 3; k++) {
        snprintf(
            text, sizeof text,
            "holonom: 1\nspace: planar\n%s"
            "bodies: [{name: b, mass: 1, inertia: 1, position: [1, 0]}]\n"
            "joints: [{name: s, type: prismatic, bodies: [ground, b], at: [1, 0], axis: [1, 0]}]\n"
            "simulation: {end: 1}\n",
            motions[k]);
        for (int i = 0; every_method[i]; i++) {
            expect_failure(text, every_method[i], "tolerance", "1e-6", 0.5, "of 'm' jumps by");
            expect_failure(text, every_method[i], "step", "0.01", 0.5, "of 'm' jumps by");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_in_time),  cmocka_unit_test(smooth_pulses),
        cmocka_unit_test(trains_of_pulses),  cmocka_unit_test(switches_at_the_end),
        cmocka_unit_test(too_many_switches), cmocka_unit_test(waves_cost_nothing),
        cmocka_unit_test(sticking_ends),     cmocka_unit_test(sticking_ends_fixed_steps),
        cmocka_unit_test(passing_goes_on),   cmocka_unit_test(constraints_that_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
