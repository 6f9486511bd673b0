// SPDX-License-Identifier: Apache-2.0
// Events of the user: on the grid of fixed steps, faster than the motion, at one time, by jumps; with every
// method. The table, rows on both sides, modes that are held in linearizations.
#include "text_run.h"

#include "holonom/modes.h"

typedef struct Seen {
    char list[4096];      // "name name .."
    double time[400];     // of the events
    int n, rows, doubled; // rows; those at the time of the row before
    double last;          // time of the last row
} Seen;

static HolStatus see(void *user, HolSim *s, int what, double t, HolError *err) {
    Seen *seen = user;
    HolEvent e;
    (void)err;
    if (what == HOL_AT_ROW) {
        seen->doubled += seen->rows > 0 && t == seen->last;
        seen->last = t;
        seen->rows++;
    }
    for (int i = 0; what == HOL_AT_EVENT && hol_sim_event(s, i, &e); i++) {
        const size_t used = strlen(seen->list);
        snprintf(seen->list + used, sizeof seen->list - used, "%s ", e.name);
        if (seen->n < 400)
            seen->time[seen->n] = e.time;
        seen->n++;
    }
    return HOL_OK;
}

// a run of the text; a step > 0 is a fixed one
static HolStatus run_text(const char *text, const char *method, double step, double end, Seen *seen,
                          TextRun *r) {
    HolSimOptions o = hol_sim_options();
    *seen = (Seen){.n = 0};
    *r = (TextRun){.model = parse_model(text)};
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.end = end;
    o.step = step;
    o.tolerance = 1e-8;
    o.output_step = 0.05;
    if (hol_sim_create(r->model, &o, &r->sim, &r->err) != HOL_OK)
        fail_msg("%s", r->err.text);
    r->status = hol_sim_run(r->sim, end, see, seen, &r->err);
    return r->status;
}

static int count(const Seen *seen, const char *name) {
    int n = 0;
    const size_t length = strlen(name);
    for (const char *at = seen->list; (at = strstr(at, name)); at += length)
        n += (at == seen->list || at[-1] == ' ') && at[length] == ' ';
    return n;
}

static const char *const methods[] = {"taylor",
                                      "tangent",
                                      "radau",
                                      "rk853",
                                      "rk4",
                                      "newmark",
                                      "hht",
                                      "dae-alpha",
                                      "generalized-alpha",
                                      "explicit4",
                                      "central-differences"};
enum { METHODS = sizeof methods / sizeof *methods };

// steps of 0.01 end exactly where the events are
static const char on_grid[] =
    "holonom: 1\nspace: planar\ndiscrete: {c: 0, n: 0}\nstates: [{name: z, rate: 1}]\n"
    "bodies:\n  - {name: b, type: point, mass: 1, velocity: [1, 0]}\n"
    "forces: [{type: force, acts_on: b, value: [c, 0]}]\n"
    "events:\n"
    "  - {name: push, when: time - 0.4, set: {c: 1}}\n"
    "  - {name: later, when: 0.7 - time, set: {z: 10}}\n"
    "  - {name: tick, every: 0.25, set: {n: n + 1}}\n"
    "  - {name: three, when: n - 3}\n";

static void test_on_grid(void **state) {
    (void)state;
    Seen seen;
    TextRun r;
    for (int i = 0; i < METHODS; i++)
        for (int fixed = 0; fixed < 2; fixed++) {
            if (run_text(on_grid, methods[i], fixed ? 0.01 : 0, 1, &seen, &r) != HOL_OK)
                fail_msg("%s: %s", methods[i], r.err.text);
            expect_text(&r, "b.x", 1.18, 1e-7);
            expect_text(&r, "z", 10.3, 1e-7);
            expect_text(&r, "n", 5, 0);
            if (strcmp(seen.list, "tick tick push tick three later tick tick ") != 0)
                fail_msg("%s %d: %s", methods[i], fixed, seen.list);
            assert_int_equal(seen.doubled, 2); // push, later
            close_text(&r);
        }
}

// an event that swings faster than the motion, of which steps know nothing
static void test_fast(void **state) {
    (void)state;
    Seen seen;
    TextRun r;
    for (int i = 0; i < 5; i++) {
        if (run_text("holonom: 1\nspace: planar\n"
                     "bodies:\n  - {name: b, type: point, mass: 1, velocity: [1, 0]}\n"
                     "events:\n  - {name: s, when: sin(20*pi*time)}\n"
                     "  - {name: f, when: cos(300*b.x) - 0.999, direction: rising}\n",
                     methods[i], 0, 3, &seen, &r) != HOL_OK)
            fail_msg("%s: %s", methods[i], r.err.text);
        // 300 x = 2 pi k - acos(0.999)
        if (count(&seen, "s") != 60 || count(&seen, "f") != 143)
            fail_msg("%s: %d and %d", methods[i], count(&seen, "s"), count(&seen, "f"));
        int exact = 0;
        for (int k = 0; k < seen.n; k++) {
            const double left = fabs(seen.time[k] - 0.05 * round(seen.time[k] / 0.05));
            exact += left < 1e-9;
            assert_true(k > 0 || seen.time[k] > 0.01);
        }
        assert_true(exact >= 60);
        close_text(&r);
    }
}

// velocities that an impact carries across zero; the top of the flight has a zero of its own
static void test_impact(void **state) {
    (void)state;
    Seen seen;
    TextRun r;
    for (int i = 0; i < METHODS; i++)
        for (int fixed = 0; fixed < 2; fixed++) {
            if (run_text("holonom: 1\nspace: planar\ngravity: [0, -10]\n"
                         "bodies:\n  - {name: b, type: point, mass: 1, position: [0, 5]}\n"
                         "contacts:\n  - {name: floor, between: [{body: ground, line: {normal: [0, "
                         "1]}}, "
                         "{body: b, point: {}}], stiffness: rigid, restitution: 0.5}\n"
                         "events:\n  - {name: up, when: b.vy, direction: rising}\n"
                         "  - {name: apex, when: b.vy, direction: falling}\n",
                         methods[i], fixed ? 0.01 : 0, 2.2, &seen, &r) != HOL_OK)
                fail_msg("%s: %s", methods[i], r.err.text);
            if (strcmp(seen.list, "floor up apex floor up ") != 0)
                fail_msg("%s %d: %s", methods[i], fixed, seen.list);
            for (int k = 0; k < 5; k++)
                assert_true(fabs(seen.time[k] - (k < 2 ? 1 : k < 3 ? 1.5 : 2)) < 1e-9);
            expect_text(&r, "b.y", 0.3, 1e-8);
            close_text(&r);
        }
}

// a time that is asked for next to a regular one, k dt, is that time
static void test_regular_end(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        TextRun r = open_text("holonom: 1\nspace: planar\ndiscrete: {n: 0}\n"
                              "bodies:\n  - {name: b, type: point, mass: 1, velocity: [1, 0]}\n"
                              "events:\n  - {every: 0.05, set: {n: n + 1}}\n",
                              methods[i], 1e-8);
        for (int k = 1; k <= 20; k++) {
            advance_text(&r, k / 20.0);
            expect_text(&r, "n", k + 1, 0);
        }
        close_text(&r);
    }
}

// what a relay sets moves its own function away from zero
static void test_relay(void **state) {
    (void)state;
    Seen seen;
    TextRun r;
    for (int i = 0; i < 5; i++) {
        if (run_text(
                "holonom: 1\nspace: planar\ndiscrete: {u: 1}\n"
                "bodies: [{name: b, type: point, mass: 1, position: [0, 0]}]\n"
                "states: [{name: T, rate: 2*u - 1}]\n"
                "events:\n  - {name: flip, when: 'T - if(u > 0.5, 1, 0.25)', set: {u: 1 - u}}\n",
                methods[i], 0, 10, &seen, &r) != HOL_OK)
            fail_msg("%s: %s", methods[i], r.err.text);
        // at 1, then every 0.75 s
        assert_int_equal(seen.n, 13);
        for (int k = 0; k < seen.n; k++)
            if (!(fabs(seen.time[k] - 1 - 0.75 * k) < 1e-8))
                fail_msg("%s: %.15g", methods[i], seen.time[k]);
        close_text(&r);
    }
}

// the bits of a run depend neither on the rows nor on the threads; most events; the number of lines
static void test_bits(void **state) {
    (void)state;
    const char *text =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\ndiscrete: {c: 0}\n"
        "bodies:\n  - {repeat: {i: 12}, name: 'r{i}', mass: 1, inertia: 0.1, position: [i + 0.5, "
        "0], points: {a: [-0.5, 0], b: [0.5, 0]}}\n"
        "joints:\n  - {name: O, type: revolute, between: [ground, r0.a], friction: {constant: "
        "0.5}}\n"
        "  - {repeat: {i: 11}, type: revolute, between: ['r{i}.b', 'r{i + 1}.a']}\n"
        "forces: [{type: torque, acts_on: r3, value: c}]\n"
        "events:\n  - {every: 0.02, set: {c: -5*r3.omega}}\n"
        "  - {when: r5.y + 1, reset: {r5.omega: 0}}\n";
    double want[80];
    for (int k = 0; k < 3; k++) {
        HolSimOptions o = hol_sim_options();
        HolModel *m = parse_model(text);
        HolSim *s = NULL;
        HolError err;
        Seen seen = {.n = 0};
        snprintf(o.method.name, sizeof o.method.name, "tangent");
        o.end = 1;
        o.output_step = k == 1 ? 0.013 : 0;
        o.threads = k == 2 ? 2 : 1;
        assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
        if (hol_sim_run(s, 1, see, &seen, &err) != HOL_OK)
            fail_msg("%s", err.text);
        assert_true(seen.n > 50);
        const HolView v = hol_sim_view(s);
        for (int i = 0; i < 36; i++) {
            if (k && (memcmp(&want[i], &v.q[i], sizeof *want) != 0 ||
                      memcmp(&want[36 + i], &v.v[i], sizeof *want) != 0))
                fail_msg("run %d, coordinate %d differs", k, i);
            want[i] = v.q[i];
            want[36 + i] = v.v[i];
        }
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
}

static void test_most(void **state) {
    (void)state;
    HolSimOptions o = hol_sim_options();
    HolModel *m = parse_model("holonom: 1\nspace: planar\ndiscrete: {c: 0}\n"
                              "bodies: [{name: b, type: point, mass: 1}]\n"
                              "events: [{name: sample, every: 1e-3, set: {c: c + 1}}]\n");
    HolSim *s = NULL;
    HolError err;
    o.end = 10;
    o.max_events = 100;
    assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(s, 10, &err), HOL_ERR_STEP);
    assert_non_null(strstr(err.text, "more than 100 events"));
    assert_non_null(strstr(err.text, "'sample'"));
    assert_true(err.time > 0.09 && err.time < 0.11);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// inside of a step that ended in an impact the motion is that before it
static void test_before_impact(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        TextRun r =
            open_text("holonom: 1\nspace: planar\ngravity: [0, -10]\n"
                      "bodies:\n  - {name: b, type: point, mass: 1, position: [0, 5]}\n"
                      "contacts:\n  - {name: floor, between: [{body: ground, line: {normal: "
                      "[0, 1]}}, {body: b, point: {}}], stiffness: rigid, restitution: 0.5}\n",
                      methods[i], 1e-8);
        double q[16], v[16];
        advance_text(&r, 1);
        if (r.status != HOL_OK)
            fail_msg("%s: %s", methods[i], r.err.text);
        const HolView at = hol_sim_view(r.sim);
        const double t = at.t - 0.3 * at.h;
        assert_int_equal(hol_sim_interpolate(r.sim, t, q, v, NULL, NULL, NULL), HOL_OK);
        if (!(fabs(v[1] + 10 * t) < 1e-6 && fabs(q[1] - 5 + 5 * t * t) < 1e-6))
            fail_msg("%s: %.15g, %.15g at %.15g", methods[i], q[1], v[1], t);
        close_text(&r);
    }
}

// a box that lies on a floor and hangs on a spring: it slides, or sticks; modes are held as they are
static void test_frozen(void **state) {
    (void)state;
    const char *texts[] = {
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: box, mass: 2, inertia: 0.1, position: [0.1, 0.1]}]\n"
        "contacts:\n  - {name: feet, between: [{body: ground, line: {normal: [0, 1]}}, {body: box, "
        "corners: [0.4, 0.2]}], stiffness: rigid, friction: {mu: 0}}\n"
        "forces:\n  - {type: spring_damper, between: [{body: ground, at: [-1, 0.1]}, box], "
        "stiffness: "
        "200, length: 1}\n",
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: box, mass: 2, inertia: 0.1, position: [0.1, 0.1]}]\n"
        "contacts:\n  - {name: feet, between: [{body: ground, line: {normal: [0, 1]}}, {body: box, "
        "corners: [0.4, 0.2]}], stiffness: rigid, friction: {mu: 3}}\n"
        "forces:\n  - {type: spring_damper, between: [{body: ground, at: [-1, 0.1]}, box], "
        "stiffness: "
        "200, length: 1}\n"};
    for (int k = 0; k < 2; k++)
        for (int later = 0; later < 2; later++) {
            TextRun r = open_text(texts[k], "taylor", 1e-8);
            HolModes *modes = NULL;
            advance_text(&r, later ? 0.2 : 0);
            if (hol_sim_modes(r.sim, NULL, &modes, &r.err) != HOL_OK)
                fail_msg("%s", r.err.text);
            assert_int_equal(modes->dof, k ? 0 : 1);
            assert_int_equal(modes->n_modes, k ? 0 : 1);
            if (!k)
                assert_true(fabs(modes->modes[0]->imag - 10) < 1e-9); // sqrt(200/2)
            assert_non_null(strstr(modes->note, "'feet.1' closed"));
            assert_true(!strstr(modes->note, "sticks") == !k);
            hol_modes_destroy(modes);
            close_text(&r);
        }
}

// a condition is met where it begins to hold, and where it ends to: h = 1 - g t^2/2 with h > 0.5
static void conditions_are_located(void **state) {
    (void)state;
    static const char text[] =
        "{holonom: 1, space: planar, gravity: [0, -9.81],"
        " bodies: [{name: b, mass: 1, inertia: 1, position: [0, 1]}], discrete: {u: 0},"
        " events: [{name: low, when: b.y < 0.5, set: {u: 1}}, {name: never, when: b.y > 0.9 and u},"
        "          {name: ends, when: b.y >= 0.25, direction: falling},"
        "          {name: not, when: b.y >= 0.25, direction: rising}]}";
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        Seen seen;
        TextRun r;
        assert_int_equal(run_text(text, methods[i], 0, 0.44, &seen, &r), HOL_OK);
        assert_string_equal(seen.list, "low ends ");
        if (fabs(seen.time[0] - sqrt(1 / 9.81)) > 1e-7 ||
            fabs(seen.time[1] - sqrt(1.5 / 9.81)) > 1e-7)
            fail_msg("%s: %.12g, %.12g", methods[i], seen.time[0], seen.time[1]);
        close_text(&r);
    }
}

// A ball that bounces by resets: its rebounds become smaller than round-off before v0/g/(1 - e) 2. It does
// not fall through the floor from there on: the run ends, by name. A last reset that lets it pass does
static void rebounds_end(void **state) {
    (void)state;
    static const char body[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\ndiscrete: {n: 0}\n"
        "bodies: [{name: b, mass: 1, inertia: 1, position: [0, 0], velocity: [0, 4]}]\n"
        "events:\n  - {name: hit, when: b.y, direction: falling, set: {n: n + 1}, reset: {b.vy: ";
    const double limit = 2 * 4 / 9.81 / (1 - 0.5);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int k = 0; k < 2; k++) {
            char text[700];
            Seen seen;
            TextRun r;
            snprintf(text, sizeof text, "%s\"%s\"}}\n", body,
                     k ? "if(n < 3, -0.5*b.vy, b.vy)" : "-0.5*b.vy");
            run_text(text, methods[i], 0, 2, &seen, &r);
            if (k) {
                assert_int_equal(r.status, HOL_OK);
                assert_int_equal(seen.n, 4);
            } else {
                assert_int_equal(r.status, HOL_ERR_STEP);
                assert_non_null(
                    strstr(r.err.text, "event 'hit' happens at ever shorter intervals"));
                assert_true(fabs(hol_sim_time(r.sim) - limit) < 1e-5);
            }
            close_text(&r);
        }
}

// what an event does that cannot be ends the run with its name and a remedy
static void wrong_events_are_named(void **state) {
    (void)state;
    static const char head[] = "holonom: 1\nspace: planar\ngravity: [0, -9.81]\ndiscrete: {u: 1}\n"
                               "bodies: [{name: b, mass: 1, inertia: 1, position: [0, 1]}]\n"
                               "forces: [{type: force, acts_on: b, value: [u, 0]}]\nevents:\n";
    static const char *const texts[][2] = {
        {"{name: e, when: b.y - 0.9, reset: {b.vy: \"sqrt(-1*b.y)\"}}",
         "event 'e': what a velocity is reset to is no finite number"},
        {"{name: e, when: b.y - 0.9, set: {u: 1/(u-1)}}",
         "event 'e': a value that it sets is no finite number"},
        {"{name: e, every: 1e-18}", "right behind each other at 'e': its times ('every')"}};
    for (int k = 0; k < 3; k++) {
        char text[800];
        Seen seen;
        TextRun r;
        snprintf(text, sizeof text, "%s  - %s\n", head, texts[k][0]);
        run_text(text, "auto", 0, 1, &seen, &r);
        assert_int_equal(r.status, HOL_ERR_STEP);
        if (!strstr(r.err.text, texts[k][1]))
            fail_msg("%s", r.err.text);
        close_text(&r);
    }
    char text[800];
    Seen seen;
    TextRun r;
    snprintf(text, sizeof text, "%s  - {name: e, when: sqrt(b.y - 2), stop: true}\n", head);
    assert_int_equal(run_text(text, "auto", 0, 1, &seen, &r), HOL_OK);
    assert_non_null(strstr(hol_sim_stats(r.sim).note, "event 'e': its function has no value"));
    close_text(&r);
}

// a function of an event longer than every law of the model has its room: what is kept stays as it is
static void long_functions_have_room(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\ndiscrete: {d: 0, c: 3, e: 5}\n"
        "bodies: [{name: b, mass: 1, inertia: 1, velocity: [1, 0]}]\nevents:\n"
        "  - {name: e, when: \"b.x^3 + sin(b.x) + cos(b.y)*b.vy + exp(b.y) + b.x*b.vx - 3.5 + "
        "sin(b.x + 1)*cos(b.x + 2)*sin(b.x + 3)*sin(b.x + 4)*sin(b.x*2)*sin(b.x*3)\", "
        "set: {d: d + 1}}\n";
    Seen seen;
    TextRun r;
    assert_int_equal(run_text(text, "rk853", 0, 2, &seen, &r), HOL_OK);
    assert_int_equal(seen.n, 1);
    double row[60];
    assert_int_equal(hol_sim_row(r.sim, 2, row, &r.err), HOL_OK);
    for (int i = 0; i < hol_model_column_count(r.model); i++) {
        const char *name = hol_model_column(r.model, i).name;
        const double right = !strcmp(name, "d") ? 1 : !strcmp(name, "c") ? 3 : 5;
        if (strlen(name) == 1 && row[i] != right)
            fail_msg("%s: %g, not %g", name, row[i], right);
    }
    close_text(&r);
}

// a condition on a motion that the dense output has a little aside: one event each time
static void conditions_happen_once(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: [{name: b, mass: 1, inertia: 1, position: [0.5, 0]}]\n"
        "joints: [{name: j, type: revolute, bodies: [ground, b], at: [0, 0]}]\n"
        "events: [{name: g, when: j.angle < -1, direction: rising}]\n";
    static const char *const with[] = {"bdf", "rk853", "tangent", "taylor"};
    for (int k = 0; k < 4; k++) {
        TextRun r = {.model = parse_model(text)};
        Seen seen = {.n = 0};
        HolSimOptions o = hol_sim_options();
        snprintf(o.method.name, sizeof o.method.name, "%s", with[k]);
        o.end = 20;
        o.tolerance = 1e-6;
        o.output_step = 0.05;
        assert_int_equal(hol_sim_create(r.model, &o, &r.sim, &r.err), HOL_OK);
        assert_int_equal(hol_sim_run(r.sim, o.end, see, &seen, &r.err), HOL_OK);
        if (seen.n != 6)
            fail_msg("%s: %d events, not 6", with[k], seen.n);
        close_text(&r);
    }
}

// Events whose functions know time alone: met whatever the steps are, once each; a jump across zero is one
// event, leaving zero is none. Then the same where the motion takes part, too.
static void events_of_time(void **state) {
    (void)state;
    static const struct {
        const char *when;
        int n;
        double first, last;
    } cases[] = {
        {"abs(time - 1.2345) < 1e-3", 2, 1.2335, 1.2355},
        {"abs(time - 1.2345) < 1e-2", 2, 1.2245, 1.2445},
        {"abs(time - 1.2345) < 1e-9", 2, 1.234499999, 1.234500001},
        {"1e-3 - abs(time - 1.2345)", 2, 1.2335, 1.2355},
        {"exp(-((time - 1.2345)/1e-4)^2) - 0.5", 2, 1.2344167445388843, 1.2345832554611157},
        {"floor(time*3) - 2", 1, 2.0 / 3, 2.0 / 3},
        {"floor(time*3) - 1.5", 1, 2.0 / 3, 2.0 / 3},
        {"mod(time, 0.3) - 0.2999", 12, 0.2999, 1.8},
        {"sin(100*time) - 2*(time > 1)", 31, M_PI / 100, 31 * M_PI / 100},
        {"(time - 1)^2", 0, 0, 0},
        {"time", 0, 0, 0},
        {"2 - time", 1, 2, 2},
        {"max(0, time - 1)", 0, 0, 0},
        {"abs(time - 1.2345) < 1e-3 and b.y > -1", 2, 1.2335, 1.2355},
        {"1e-3 - abs(time - 1.2345) + b.vy", 2, 1.2335, 1.2355},
        {"exp(-((time - 1.2345)/1e-4)^2)*(1 + b.y) - 0.5", 2, 1.2344167445388843,
         1.2345832554611157},
        {"floor(time*3) - 2 + b.vy", 1, 2.0 / 3, 2.0 / 3},
        {"mod(time, 0.3) - 0.2999 + b.y", 12, 0.2999, 1.8},
    };
    static const char *const with[] = {"rk853", "tangent", "taylor",
                                       "bdf",   "rk4",     "central-differences"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k < sizeof with / sizeof with[0]; k++) {
            char text[600];
            Seen seen;
            TextRun r;
            snprintf(text, sizeof text,
                     "holonom: 1\nspace: planar\ndiscrete: {d: 0}\n"
                     "bodies: [{name: b, mass: 1, inertia: 1}]\n"
                     "events: [{name: e, when: \"%s\", set: {d: d + 1}}]\n"
                     "forces: [{type: force, acts_on: b, value: [d, 0]}]\n",
                     cases[i].when);
            run_text(text, with[k], k < 4 ? 0 : 0.01, 2, &seen, &r);
            if (r.status)
                fail_msg("%s, %s: %s", cases[i].when, with[k], r.err.text);
            double momentum = 0;
            for (int j = 0; j < seen.n && j < 400; j++)
                momentum += 2 - seen.time[j];
            const double v = hol_sim_view(r.sim).v[0];
            if (seen.n != cases[i].n || !(fabs(v - momentum) < 1e-7) ||
                (seen.n && !(fabs(seen.time[0] - cases[i].first) < 1e-12 &&
                             fabs(seen.time[seen.n - 1] - cases[i].last) < 1e-12)))
                fail_msg("%s, %s: %d events, %.17g to %.17g, velocity %.9g", cases[i].when, with[k],
                         seen.n, seen.time[0], seen.time[seen.n ? seen.n - 1 : 0], v);
            close_text(&r);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rebounds_end),
        cmocka_unit_test(long_functions_have_room),
        cmocka_unit_test(conditions_happen_once),
        cmocka_unit_test(events_of_time),
        cmocka_unit_test(wrong_events_are_named),
        cmocka_unit_test(conditions_are_located),
        cmocka_unit_test(test_on_grid),
        cmocka_unit_test(test_fast),
        cmocka_unit_test(test_impact),
        cmocka_unit_test(test_regular_end),
        cmocka_unit_test(test_relay),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_before_impact),
        cmocka_unit_test(test_frozen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
