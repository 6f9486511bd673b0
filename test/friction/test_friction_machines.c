// SPDX-License-Identifier: Apache-2.0
// Machines that friction holds: files of models/ against the closed forms in their heads, and a hinge
// that stays where it is for any time.
#include "event_run.h"

static const struct {
    const char *method;
    double tolerance;
} ways[] = {{"taylor", 1e-10}, {"tangent", 1e-9}, {"rk853", 1e-9}};
enum { WAYS = sizeof ways / sizeof *ways };

// models/NAME, run to `end` (0: to its own), with rows at `output_step`, in parts of the end
static void run_machine_by(const char *name, const char *method, double tolerance, double end,
                           double output_step, EventRun *e) {
    char path[200];
    snprintf(path, sizeof path, "models/%s", name);
    *e = (EventRun){.last_time = NAN};
    HolSimOptions o = hol_sim_options();
    if (hol_model_load(path, NULL, 0, &e->run.model, &o, &e->run.err) != HOL_OK)
        fail_msg("%s", e->run.err.text);
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.tolerance = tolerance;
    o.end = end > 0 ? end : o.end;
    o.output_step = o.end * output_step;
    if (hol_sim_create(e->run.model, &o, &e->run.sim, &e->run.err) != HOL_OK)
        fail_msg("%s", e->run.err.text);
    e->run.status = hol_sim_run(e->run.sim, o.end, keep_event_run, e, &e->run.err);
    e->stats = hol_sim_stats(e->run.sim);
}

static void run_machine(const char *name, int way, double end, EventRun *e) {
    run_machine_by(name, ways[way].method, ways[way].tolerance, end, 0.25, e);
}

static void expect_line(const EventRun *e, int i, const char *kind, double time) {
    if (i >= e->n || strcmp(e->line[i].kind, kind) || !(fabs(e->line[i].time - time) <= 1e-8))
        fail_msg("event %d of %d: %s at %.12g, expected %s at %.12g", i, e->n, e->line[i].kind,
                 e->line[i].time, kind, time);
}

// more friction than load: it stays where it is, in a few steps, whatever the time
static void test_hinge(void **state) {
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        EventRun e;
        event_run(
            &e,
            "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
            "  - {name: rod, mass: 0.1, inertia: 0.01, position: [0.5, 0], points: "
            "{end: [-0.5, 0]}}\n"
            "joints:\n  - {name: O, type: revolute, between: [ground, rod.end], "
            "friction: {constant: 1}}\n",
            (EventRunOptions){
                .method = ways[i].method, .tolerance = 1e-6, .end = 1000, .output_step = 1000});
        event_run_ok(&e, ways[i].method);
        expect_text(&e.run, "rod.angle", 0, 1e-14);
        expect_text(&e.run, "O.state", 1, 0);
        expect_text(&e.run, "O.use", 0.4905, 1e-10);
        expect_text(&e.run, "O.friction", 0.4905, 1e-10);
        assert_true(e.stats.steps < 100);
        close_text(&e.run);
    }
}

static void test_screw_jack(void **state) {
    (void)state;
    const double k = 0.0045, W = 50 * 9.81, J = 0.0105 + 50 * 0.002 * k;
    const double up = (3 - k * W) / J, down = k * W / J;
    for (int i = 0; i < WAYS; i++) {
        EventRun e;
        run_machine("screw-jack.yaml", i, 0, &e);
        event_run_ok(&e, ways[i].method);
        assert_int_equal(e.n, 3);
        expect_line(&e, 0, "stick", 0);
        expect_line(&e, 1, "slip", 1);
        expect_line(&e, 2, "stick", 2 + up / down);
        expect_text(&e.run, "load.z", 0.002 * (up / 2 + up * up / (2 * down)), 1e-8);
        expect_text(&e.run, "load.vz", 0, 1e-100);
        expect_text(&e.run, "jack.use", 0.8, 1e-9);
        close_text(&e.run);
    }
}

static void test_drum_brake(void **state) {
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        EventRun e;
        run_machine("drum-brake.yaml", i, 0.5, &e);
        event_run_ok(&e, ways[i].method);
        expect_text(&e.run, "shoe.force", 25 / 0.13, 1e-8);
        expect_text(&e.run, "drum.omega", 30 - 0.5 * (0.4 * 0.15 * 25 / 0.13 - 5) / 0.2, 1e-8);
        close_text(&e.run);
        run_machine("drum-brake.yaml", i, 0, &e);
        event_run_ok(&e, ways[i].method);
        const double stop = 30 * 0.2 / (0.4 * 0.15 * 25 / 0.13 - 5);
        expect_line(&e, 1, "stick", stop);
        expect_text(&e.run, "shoe.force", 140, 1e-8);
        expect_text(&e.run, "shoe.state", 1, 0);
        expect_text(&e.run, "drum.omega", 0, 1e-15);
        expect_text(&e.run, "drum.angle", 15 * stop, 1e-8);
        expect_text(&e.run, "energy.friction", 90 + 5 * 15 * stop, 1e-6);
        close_text(&e.run);
    }
}

// rows inside of the step that ends as the drum stops, where bdf takes a part of a step of its own
static void test_work_before_a_stop(void **state) {
    (void)state;
    EventRun e;
    run_machine_by("drum-brake.yaml", "bdf", 1e-6, 0, 0.005, &e);
    event_run_ok(&e, "bdf");
    assert_true(e.numerical < 1e-10 * e.energy);
    close_text(&e.run);
}

// behind a break-away without a jump the methods that damp come back to the stop by their error: it opens
// again, and the friction goes on beside it
static void test_stop_met_again(void **state) {
    (void)state;
    static const char *const damped[] = {"hht", "generalized-alpha"};
    for (int i = 0; i < 2; i++) {
        EventRun e;
        run_machine_by("toggle-clamp.yaml", damped[i], 1e-6, 0, 0.25, &e);
        assert_int_equal(e.run.status, HOL_EVENT);
        assert_true(fabs(e.line[e.n - 1].time - 7.01877907) < 1e-4);
        assert_true(fabs(e.stats.friction_heat - 0.1349066) < 1e-6);
        close_text(&e.run);
    }
}

// a stop and dry friction hold one coordinate: the stop first, then the friction
static void test_toggle_clamp(void **state) {
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        const double hold = 2 * 1000 * 0.1 * sin(acos(-1) / 90);
        EventRun e;
        run_machine("toggle-clamp.yaml", i, 1.5, &e);
        event_run_ok(&e, ways[i].method);
        expect_text(&e.run, "O.stop", hold - 5, 1e-8);
        expect_text(&e.run, "crank.angle", -acos(-1) / 90, 1e-15);
        close_text(&e.run);
        run_machine("toggle-clamp.yaml", i, 0, &e);
        assert_int_equal(e.run.status, HOL_EVENT);
        assert_int_equal(e.n, 4);
        expect_line(&e, 0, "lift", 3 + hold / 2);
        expect_line(&e, 1, "stick", 3 + hold / 2);
        expect_line(&e, 2, "slip", 3 + (hold + 1) / 2);
        assert_string_equal(e.line[3].name, "open");
        close_text(&e.run);
    }
}

// bristles: at rest they bend by the force over sigma0; in the end the friction is that of Coulomb
static void test_lugre(void **state) {
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        EventRun e;
        for (int slides = 0; slides < 2; slides++) {
            event_run(&e,
                      slides
                          ? "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  - {name: "
                            "b, mass: "
                            "1, inertia: 1}\njoints:\n  - {name: J, type: prismatic, between: "
                            "[{body: ground, axis: [1, 0]}, b], friction: {mu: 0.25, law: lugre, "
                            "sigma0: 1e4, sigma1: 100}}\nforces:\n  - {type: force, acts_on: b, "
                            "value: [4, 0]}\n"
                          : "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  - {name: "
                            "b, mass: "
                            "1, inertia: 1}\njoints:\n  - {name: J, type: prismatic, between: "
                            "[{body: ground, axis: [1, 0]}, b], friction: {mu: 0.25, law: lugre, "
                            "sigma0: 1e4, sigma1: 100}}\nforces:\n  - {type: force, acts_on: b, "
                            "value: [1, 0]}\n",
                      (EventRunOptions){
                          .method = ways[i].method, .tolerance = 1e-9, .end = 1, .output_step = 1});
            event_run_ok(&e, ways[i].method);
            expect_text(&e.run, "J.bristle", slides ? 0.25 * 9.81 / 1e4 : 1e-4, 1e-9);
            expect_text(&e.run, "J.friction", slides ? -0.25 * 9.81 : -1, 1e-5);
            close_text(&e.run);
        }
    }
}

// a driven hinge never sticks: its friction turns round with the drive
// laws without stick: what friction takes is told as such, and the ledger closes with it
static void test_heat_of_laws(void **state) {
    (void)state;
    static const char *const laws[] = {"law: smooth, speed: 0.01",
                                       "law: lugre, sigma0: 1e5, sigma1: 100"};
    for (int k = 0; k < 2 * WAYS; k++) {
        char text[400];
        EventRun e;
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                 "bodies: [{name: b, mass: 2, inertia: 1, velocity: [3, 0]}]\n"
                 "joints: [{name: G, type: prismatic, between: [{body: ground, axis: [1, 0]}, b], "
                 "friction: {mu: 0.3, %s}}]\n",
                 laws[k % 2]);
        event_run(&e, text,
                  (EventRunOptions){.method = ways[k / 2].method,
                                    .tolerance = ways[k / 2].tolerance,
                                    .end = 1,
                                    .output_step = 0.1});
        event_run_ok(&e, ways[k / 2].method);
        const double v = text_value(&e.run, "b.vx");
        expect_text(&e.run, "energy.friction", 9 - v * v, 1e-6);
        expect_text(&e.run, "energy.work", 0, 1e-6);
        expect_text(&e.run, "energy.numerical", 0, 30 * ways[k / 2].tolerance * 9);
        close_text(&e.run);
    }
}

static void test_driven(void **state) {
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        EventRun e;
        event_run(&e,
                  "holonom: 1\nspace: planar\ngravity: [0, 0]\nbodies:\n"
                  "  - {name: rod, mass: 1, inertia: 0.1, points: {end: [-0.5, 0]}}\n"
                  "joints:\n  - {name: O, type: revolute, between: [ground, rod], friction: "
                  "{constant: 0.2}}\nmotions:\n  - {joint: O, value: 0.5*sin(time)}\n",
                  (EventRunOptions){
                      .method = ways[i].method, .tolerance = 1e-9, .end = 5, .output_step = 5});
        event_run_ok(&e, ways[i].method);
        assert_int_equal(e.n, 3);
        expect_line(&e, 1, "slip", acos(-1) / 2);
        expect_line(&e, 2, "slip", 3 * acos(-1) / 2);
        expect_text(&e.run, "O.friction", -0.2, 1e-12);
        expect_text(&e.run, "energy.friction", 0.1 * (1 + 2 + 1 + sin(5)), 1e-8);
        close_text(&e.run);
    }
}

// two brakes on one freedom, coupled by a gear of ratio 2: they share the load, hold 1 + 2 4 N m and
// break away at once; then 5 kg m^2 turn by (t - 9)^3/30
static void test_shared(void **state) {
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        EventRun e;
        event_run(&e,
                  "holonom: 1\nspace: planar\nbodies:\n  - {name: a, mass: 1, inertia: 1}\n"
                  "  - {name: b, mass: 1, inertia: 1, position: [1, 0]}\njoints:\n"
                  "  - {name: A, type: revolute, between: [ground, a], friction: {constant: 1}}\n"
                  "  - {name: B, type: revolute, between: [{body: ground, at: [1, 0]}, b], "
                  "friction: {constant: 4}}\n"
                  "  - {name: G, type: gear, joints: [A, B], ratio: 2}\n"
                  "forces:\n  - {type: torque, acts_on: a, value: time}\n",
                  (EventRunOptions){.method = ways[i].method,
                                    .tolerance = ways[i].tolerance,
                                    .end = 12,
                                    .output_step = 12});
        event_run_ok(&e, ways[i].method);
        expect_line(&e, e.n - 1, "slip", 9);
        expect_text(&e.run, "a.angle", 0.9, 1e-8);
        close_text(&e.run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hinge),
        cmocka_unit_test(test_screw_jack),
        cmocka_unit_test(test_drum_brake),
        cmocka_unit_test(test_toggle_clamp),
        cmocka_unit_test(test_work_before_a_stop),
        cmocka_unit_test(test_stop_met_again),
        cmocka_unit_test(test_lugre),
        cmocka_unit_test(test_heat_of_laws),
        cmocka_unit_test(test_driven),
        cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
