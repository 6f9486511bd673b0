// SPDX-License-Identifier: Apache-2.0
// `holonom compare`: errors against closed forms, orders against those the methods have in theory,
// limits that are kept, references that do not agree, time that is kept to, and what is written.
#include "cli_run.h"

#include <holonom/tools.h>

#include <math.h>

// a mass on a spring, and one on a line: x = cos 3t, y = 2t
static const char *const oscillator = "holonom: 1\n"
                                      "name: Oscillator\n"
                                      "space: planar\n"
                                      "bodies:\n"
                                      "  - {name: x, type: coordinate, mass: 1, position: 1}\n"
                                      "forces: [{type: expression, on: x, value: \"-9*x\"}]\n"
                                      "simulation: {end: 2}\n";

static HolModel *parse(const char *text, HolSimOptions *o) {
    HolModel *m;
    HolError err;
    if (hol_model_parse(text, strlen(text), "model", NULL, 0, &m, o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return m;
}

static HolComparison *compare(const HolModel *m, const HolSimOptions *o, HolCompareOptions how) {
    HolComparison *c;
    HolError err;
    if (hol_compare(m, o, &how, &c, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return c;
}

// the error of a run, computed once more from its states and the closed form
static double true_error(const HolModel *m, const HolSimOptions *o) {
    HolSim *s;
    HolError err;
    double worst = 0, most_x = 0, most_v = 0, error_x = 0, error_v = 0, q, v;
    assert_int_equal(hol_sim_create(m, o, &s, &err), HOL_OK);
    assert_int_equal(hol_sim_assemble(s, &err), HOL_OK);
    for (int k = 1; k <= 40; k++) {
        const double t = o->end * k / 40;
        while (hol_sim_time(s) < t - 1e-14)
            assert_int_equal(hol_sim_step(s, o->end, &err), HOL_OK);
        assert_int_equal(hol_sim_interpolate(s, fmin(t, hol_sim_time(s)), &q, &v, NULL, NULL, NULL),
                         HOL_OK);
        error_x = fmax(error_x, fabs(q - cos(3 * t)));
        error_v = fmax(error_v, fabs(v + 3 * sin(3 * t)));
        most_x = fmax(most_x, fabs(cos(3 * t)));
        most_v = fmax(most_v, fabs(3 * sin(3 * t)));
    }
    worst = fmax(error_x / most_x, error_v / most_v);
    hol_sim_destroy(s);
    return worst;
}

static void test_errors_are_true(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = parse(oscillator, &o);
    HolCompareOptions how = hol_compare_options();
    how.methods = "taylor,rk4,tangent:obreshkov3,hht";
    how.seconds = 12;
    HolComparison *c = compare(m, &o, how);
    assert_true(c->agreement < 1e-11);
    assert_true(c->end == 2 && c->n_runs > 20);
    int checked = 0;
    for (int i = 0; i < c->n_runs; i++) {
        const HolComparedRun *r = &c->runs[i];
        if (r->status || !(r->error > 1e-10) || r->steps > 100000)
            continue;
        const double error = true_error(m, r->options);
        if (!(fabs(error - r->error) < 1e-3 * error + 1e-11))
            fail_msg("%s: %g, and truly %g", r->method, r->error, error);
        assert_true(r->error == fmax(r->position, r->velocity));
        assert_true(r->cpu_seconds > 0 && r->repeats >= 1 && r->steps > 0);
        assert_string_equal(r->at_work, r->options->method.name);
        checked++;
    }
    assert_true(checked > 15);
    hol_comparison_destroy(c);
    hol_model_destroy(m);
}

// the list of each limit, and the front, by looking at every run
static void test_limits_and_front(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = parse(oscillator, &o);
    HolCompareOptions how = hol_compare_options();
    const double limits[] = {1e-8, 1e-2, 1e-5}; // in any order
    how.methods = "taylor,rk4,tangent";
    how.limits = limits;
    how.n_limits = 3;
    how.seconds = 12;
    HolComparison *c = compare(m, &o, how);
    assert_int_equal(c->n_limits, 3);
    assert_true(c->limits[0].limit == 1e-2 && c->limits[2].limit == 1e-8);
    for (int l = 0; l < 3; l++) {
        const HolComparedLimit *limit = &c->limits[l];
        assert_true(limit->judged && limit->n_runs >= 3);
        double best = INFINITY;
        for (int i = 0; i < c->n_runs; i++)
            if (!c->runs[i].status && c->runs[i].error <= limit->limit)
                best = fmin(best, c->runs[i].cpu_seconds);
        assert_true(c->runs[limit->best].cpu_seconds == best);
        assert_int_equal(limit->best, limit->runs[0]);
        for (int k = 0; k < limit->n_runs; k++)
            assert_true(c->runs[limit->runs[k]].error <= limit->limit);
    }
    int front = 0;
    for (int i = 0; i < c->n_runs; i++)
        for (int k = 0; k < c->n_runs; k++)
            if (c->runs[i].front) {
                front++;
                assert_false(!c->runs[k].status && c->runs[k].error < c->runs[i].error &&
                             c->runs[k].cpu_seconds < c->runs[i].cpu_seconds);
            }
    assert_true(front > 0);
    hol_comparison_destroy(c);
    hol_model_destroy(m);
}

static const HolComparedOrder *order(const HolComparison *c, const char *method) {
    for (int i = 0; i < c->n_orders; i++)
        if (strcmp(c->orders[i].method, method) == 0)
            return &c->orders[i];
    fail_msg("no order of %s", method);
    return NULL;
}

static void test_orders(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double order;
    } known[] = {
        {"rk3", 3}, {"rk4", 4}, {"newmark", 2}, {"central-differences", 2}, {"tangent", 4}};
    HolSimOptions o;
    HolError err;
    char path[256];
    HolModel *m;
    snprintf(path, sizeof path, "%s/models/double-pendulum.yaml", HOL_SOURCE_DIR);
    assert_int_equal(hol_model_load(path, NULL, 0, &m, &o, &err), HOL_OK);
    o.end = 0.2;
    HolCompareOptions how = hol_compare_options();
    const double limit = 1e-2;
    how.methods = "rk3,rk4,newmark,central-differences,tangent";
    how.limits = &limit;
    how.n_limits = 1;
    how.orders = 1;
    how.seconds = 12;
    HolComparison *c = compare(m, &o, how);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const HolComparedOrder *p = order(c, known[i].method);
        if (!(fabs(p->position - known[i].order) < 0.3) ||
            !(fabs(p->velocity - known[i].order) < 0.3))
            fail_msg("%s: %g %g", p->method, p->position, p->velocity);
        assert_true(p->n >= 3 && p->step[1] < p->step[0]);
    }
    assert_true(fabs(order(c, "rk4")->multipliers - 4) < 0.5);
    hol_comparison_destroy(c);
    hol_model_destroy(m);
}

// constraints that repeat each other: multipliers have no order; a drive: nothing is free
static void test_redundant(void **state) {
    (void)state;
    static const char *const door =
        "holonom: 1\nspace: spatial\ngravity: [0, -9.81, 0]\n"
        "bodies: [{name: d, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}]\n"
        "joints:\n"
        "  - {type: revolute, bodies: [ground, d], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  - {type: revolute, bodies: [ground, d], at: [0, 0, 1], axis: [0, 0, 1]}\n"
        "simulation: {end: 0.5}\n";
    HolSimOptions o;
    HolModel *m = parse(door, &o);
    HolCompareOptions how = hol_compare_options();
    how.methods = "taylor,tangent";
    how.orders = 1;
    how.seconds = 6;
    HolComparison *c = compare(m, &o, how);
    assert_true(c->agreement < 1e-10 && c->limits[2].best >= 0);
    assert_true(isnan(order(c, "tangent")->multipliers));
    expect_text(c->remarks, "redundant");
    hol_comparison_destroy(c);
    hol_model_destroy(m);
}

// chaos: errors grow by e^(L t), so the time is cut, and said so
static const char *const wild =
    "holonom: 1\nname: Wild\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "  - {name: a, mass: 1, inertia: 0.1, position: [0.5, 0], points: {l: [-0.5, 0], r: [0.5, "
    "0]}}\n"
    "  - {name: b, mass: 1, inertia: 0.1, position: [1.5, 0], points: {l: [-0.5, 0], r: [0.5, "
    "0]}}\n"
    "joints:\n  - {type: revolute, between: [ground, a.l]}\n"
    "  - {type: revolute, between: [a.r, b.l]}\nsimulation: {end: 60}\n";

static void test_chaos(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = parse(wild, &o);
    HolCompareOptions how = hol_compare_options();
    how.methods = "taylor";
    how.seconds = 5;
    HolComparison *c = compare(m, &o, how);
    assert_true(c->end < 40 && c->end > 1 && c->asked_end == 60);
    expect_text(c->remarks, "compared up to");
    assert_true(c->agreement <= c->limits[0].limit / 3);
    for (int i = 0; i < c->n_limits; i++)
        assert_int_equal(c->limits[i].judged, c->limits[i].limit >= 3 * c->agreement);
    hol_comparison_destroy(c);
    hol_model_destroy(m);
}

static void say_nothing(void *user, const char *text) {
    (void)text;
    ++*(int *)user;
}

static void test_keeps_to_its_time_and_stops(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = parse(wild, &o);
    HolCompareOptions how = hol_compare_options();
    HolComparison *c;
    HolError err;
    int said = 0;
    how.seconds = 2;
    how.say = say_nothing;
    how.user = &said;
    o.end = 1000;
    c = compare(m, &o, how);
    assert_true(c->seconds < 8);
    assert_true(said > 0);
    hol_comparison_destroy(c);
    const volatile int stop = 1;
    how.stop = &stop;
    assert_int_equal(hol_compare(m, &o, &how, &c, &err), HOL_INTERRUPTED);
    assert_int_equal(c->n_runs, 0);
    hol_comparison_destroy(c);
    hol_model_destroy(m);
}

static void test_sizes_do_not_matter(void **state) {
    (void)state;
    // a pendulum of a millimetre, and the same one a kilometre away
    const double lengths[] = {1, 1e-3};
    const double places[] = {0, 1000};
    double errors[4];
    for (int i = 0; i < 4; i++) {
        char text[512];
        const double L = lengths[i % 2], x = places[i / 2] * L;
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\ngravity: [0, %.17g]\n"
                 "ground: {points: {O: [%.17g, 0]}}\n"
                 "bodies: [{name: p, mass: 1, inertia: %.17g, position: [%.17g, 0], points: {t: "
                 "[%.17g, 0]}}]\n"
                 "joints: [{type: revolute, between: [ground.O, p.t]}]\nsimulation: {end: 1}\n",
                 -10 * L, x, 0.1 * L * L, x + L, -L);
        HolSimOptions o;
        HolModel *m = parse(text, &o);
        HolCompareOptions how = hol_compare_options();
        const double limit = 1e-7;
        how.methods = "rk4";
        how.limits = &limit;
        how.n_limits = 1;
        how.seconds = 3;
        HolComparison *c = compare(m, &o, how);
        errors[i] = NAN; // of the run with 80 steps
        for (int k = 0; k < c->n_runs; k++)
            if (fabs(c->runs[k].options->step - 1.0 / 80) < 1e-12)
                errors[i] = c->runs[k].error;
        hol_comparison_destroy(c);
        hol_model_destroy(m);
    }
    for (int i = 1; i < 4; i++)
        if (!(fabs(errors[i] - errors[0]) < 1e-4 * errors[0]))
            fail_msg("%d: %g instead of %g", i, errors[i], errors[0]);
}

static void test_command(void **state) {
    (void)state;
    write_text("o.yaml", oscillator);
    Ran ran = expect(0, "compare o.yaml --methods taylor,rk4:none --limits 1e-3,1e-6 --order "
                        "--seconds 5 --json -o runs.csv");
    expect_json(ran.out);
    assert_true(strtod(json_at(ran.out, "reference.agreement"), NULL) < 1e-10);
    expect_text(json_at(ran.out, "reference.methods"), "[\"taylor\", ");
    expect_text(json_at(ran.out, "limits"), "\"limit\": ");
    expect_text(json_at(ran.out, "limits"), "\"best\": {\"method\": \"");
    expect_text(json_at(ran.out, "runs"), "\"options\": {\"projection\": \"none\", \"step\": ");
    expect_text(json_at(ran.out, "orders"), "\"method\": \"rk4\"");
    ran_free(ran);
    char *csv = read_text("runs.csv");
    assert_non_null(csv);
    assert_true(csv_rows(csv) > 10);
    assert_true(csv_value(csv, 1, "cpu_seconds") > 0);
    free(csv);
    ran = expect(0, "compare o.yaml --methods taylor --seconds 5 --end 1");
    expect_text(ran.out, "error below 1e-09");
    expect_text(ran.out, "reference: ");
    ran_free(ran);
    ran = run_cli("", "compare o.yaml --methods taylor,rk4 --seconds 5 --plot p.svg");
    if (ran.code == 0) { // else the build has no cairo
        char *svg = read_text("p.svg");
        expect_text(svg, "<svg");
        free(svg);
    } else {
        assert_int_equal(ran.code, 2);
    }
    ran_free(ran);
}

static void test_usage(void **state) {
    (void)state;
    write_text("o.yaml", oscillator);
    Ran ran = expect(2, "compare o.yaml --methods tayler");
    expect_text(ran.err, "did you mean 'taylor'?");
    ran_free(ran);
    ran_free(expect(2, "compare o.yaml --methods tangent:nothing"));
    ran_free(expect(2, "compare o.yaml --methods ,"));
    ran_free(expect(2, "compare o.yaml --limits x"));
    ran_free(expect(2, "compare o.yaml --limits 1e-3,2"));
    ran_free(expect(2, "compare o.yaml --limits 0"));
    ran_free(expect(2, "compare o.yaml --seconds 0"));
    ran_free(expect(2, "compare o.yaml --end 0"));
    ran_free(expect(2, "compare o.yaml -o -"));
    ran_free(expect(2, "compare o.yaml -o runs.txt"));
    ran_free(expect(2, "compare o.yaml -o o.yaml"));
    ran_free(expect(2, "compare o.yaml -o a.csv --plot a.csv"));
    ran_free(expect(2, "compare"));
    ran_free(expect(4, "compare none.yaml"));
    ran_free(expect(4, "compare o.yaml --methods taylor --seconds 2 -o none/a.csv"));
    // it cannot be assembled
    write_text("open.yaml", "holonom: 1\nspace: planar\n"
                            "bodies: [{name: b, mass: 1, inertia: 1}]\n"
                            "constraints: [{equation: \"b.x^2 + 1\"}]\n");
    ran_free(expect(2, "compare open.yaml --seconds 2"));
    ran = run_cli("timeout --foreground -s INT 1", "compare o.yaml --seconds 40 --json");
    expect_json(ran.out);
    expect_text(ran.out, "\"status\": \"");
    ran_free(ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_are_true),
        cmocka_unit_test(test_limits_and_front),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_chaos),
        cmocka_unit_test(test_keeps_to_its_time_and_stops),
        cmocka_unit_test(test_sizes_do_not_matter),
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
