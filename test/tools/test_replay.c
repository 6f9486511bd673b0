// SPDX-License-Identifier: Apache-2.0
// `holonom run --replay`: a stored result is repeated bit by bit from its manifest alone; what was
// changed in the result or in the manifest is noticed.
#include "cli_run.h"

#include <holonom/tools.h>

// the first `old` of a file becomes `new`, of the same or another length
static void change(const char *name, const char *old, const char *new) {
    char *text = read_text(name), *at = text ? strstr(text, old) : NULL;
    if (!at)
        fail_msg("'%s' is not in %s", old, name);
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    fwrite(text, 1, (size_t)(at - text), f);
    fputs(new, f);
    fputs(at + strlen(old), f);
    fclose(f);
    free(text);
}

static int has_hdf5(void) {
    Ran ran = run_cli("", "run pendulum.yaml -q -o try.h5");
    const int yes = ran.code == 0;
    ran_free(ran);
    return yes;
}

static void replays(const char *arguments, const char *file) {
    char command[512];
    snprintf(command, sizeof command, "run %s -q -o %s", arguments, file);
    ran_free(expect(0, command));
    snprintf(command, sizeof command, "run --replay %s", file);
    Ran ran = expect(0, command);
    expect_text(ran.err, "the same");
    ran_free(ran);
}

static void test_repeats(void **state) {
    (void)state;
    const char *const runs[] = {
        "pendulum.yaml",
        "pendulum.yaml --set L=2.5 --set method.scheme=newmark --end 0.7 --step 0.003",
        "pendulum.yaml --method taylor --tolerance 1e-7",
        "pendulum.yaml --method auto --tolerance 1e-7",
        "pendulum.yaml --method radau --output-step 0.03 --set error.relative=1e-6",
        "pendulum.yaml --method taylor --tolerance 1e-7 --certify",
        "pendulum.yaml --accuracy 1e-5 --output-step 0.1",
        "- < pendulum.yaml",
    };
    const int hdf5 = has_hdf5();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        replays(runs[i], "a.csv");
        if (hdf5)
            replays(runs[i], "a.h5");
    }
}

// what rigid contacts are told belongs to the run; its summary knows what they took
static void test_repeats_contacts(void **state) {
    (void)state;
    static const char *const parts[] = {"painleve: jam", "rest_speed: 2", "impact: together"};
    static const char *const kept[] = {"\"painleve\": \"jam\"", "\"rest_speed\": 2",
                                       "\"impact\": \"together\""};
    for (int i = 0; i < 3; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                 "  - {name: rod, mass: 1, inertia: 1/3, position: [0, \"sin(pi/3) + %s\"], angle: "
                 "pi/3, velocity: [-3, 0]}\ncontacts:\n"
                 "  - {name: tip, between: [{body: ground, line: {normal: [0, 1]}}, {body: rod, "
                 "point: {at: [-1, 0]}}], stiffness: rigid, restitution: 0.5, friction: {mu: %s}}\n"
                 "simulation: {end: 0.6, max_step: 0.01, %s}\n",
                 i ? "0.1" : "0", i ? "0.3" : "1.5", parts[i]);
        write_text("tip.yaml", text);
        replays("tip.yaml", "a.csv");
        char *manifest = read_text("a.csv.json");
        assert_non_null(strstr(manifest, kept[i]));
        assert_non_null(strstr(manifest, "\"impact_loss\": "));
        assert_null(strstr(manifest, "\"impact_loss\": 0,"));
        free(manifest);
    }
}

// the tables beside a result are repeated and compared, too
static void test_repeats_tables(void **state) {
    (void)state;
    static const char *const tables[] = {"events", "impulses"};
    write_text("drop.yaml",
               "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
               "  - {name: rod, mass: 1, inertia: 1/3, position: [1, 0]}\njoints:\n"
               "  - {name: pin, type: revolute, bodies: [ground, rod], at: [0, 0], limits: {min: "
               "-0.5, restitution: 0.4}}\nsimulation: {end: 1, output_step: 0.1}\n");
    ran_free(expect(0, "run drop.yaml -q -o drop.csv"));
    ran_free(expect(0, "run --replay drop.csv -o again.csv"));
    for (int i = 0; i < 2; i++) {
        char name[40];
        snprintf(name, sizeof name, "drop_%s.csv", tables[i]);
        char *stored = read_text(name);
        snprintf(name, sizeof name, "again_%s.csv", tables[i]);
        char *again = read_text(name);
        assert_non_null(stored);
        assert_non_null(again);
        assert_string_equal(stored, again);
        free(stored);
        free(again);
    }
    change("drop_events.csv", "pin", "pan");
    Ran ran = expect(1, "run --replay drop.csv");
    expect_text(ran.err, "not the same: the rows are, but the table of events is not");
    ran_free(ran);
}

static void test_needs_nothing_else(void **state) {
    (void)state;
    write_text("push.csv", "s,force\n0,1\n0.5,2\n1,-3\n2,0\n");
    write_text("moved.yaml", pendulum);
    change("moved.yaml", "simulation:",
           "tables: {push: {file: push.csv, x: s, y: force, interpolation: linear}}\n"
           "forces: [{type: force, on: rod, value: [\"interp(push, time)\", 0]}]\n"
           "simulation:");
    ran_free(expect(0, "run moved.yaml -q -o a.csv"));
    char *before = read_text("a.csv");
    write_text("push.csv", "s,force\n0,9\n2,9\n"); // another one now
    ran_free(expect(0, "run moved.yaml -q -o other.csv"));
    char *other = read_text("other.csv");
    assert_string_not_equal(before, other); // the table matters
    ran_free(expect(0, "run --replay a.csv"));
    unlink("push.csv");
    unlink("moved.yaml");
    ran_free(expect(0, "run --replay a.csv"));
    // the file itself goes to where it is asked for
    ran_free(expect(0, "run --replay a.csv -o again.csv"));
    char *again = read_text("again.csv");
    assert_string_equal(before, again);
    ran_free(expect(0, "run --replay again.csv"));
    free(before);
    free(other);
    free(again);
}

static void test_notices_a_changed_result(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv"));
    char *text = read_text("a.csv"), field[64], changed[64];
    csv_field(text, 31, "rod.x", field, sizeof field);
    snprintf(changed, sizeof changed, "%s", field);
    char *last = changed + strlen(changed) - 1;
    *last = *last == '1' ? '7' : '1'; // one digit, the last
    char old[160], new[160], time[64];
    csv_field(text, 31, "time", time, sizeof time);
    snprintf(old, sizeof old, "\n%s,%s", time, field);
    snprintf(new, sizeof new, "\n%s,%s", time, changed);
    free(text);
    change("a.csv", old, new);
    Ran ran = expect(1, "run --replay a.csv --json");
    expect_json(ran.out);
    assert_int_equal(strncmp(json_at(ran.out, "same"), "false", 5), 0);
    expect_text(ran.err, "rod.x");
    expect_text(ran.err, "t = 0.3 s (row 31)");
    ran_free(ran);
    change("a.csv", new, old);
    ran_free(expect(0, "run --replay a.csv"));
    // another text of the same number
    change("a.csv", "\n0,0.5,", "\n0,.5,");
    ran = expect(1, "run --replay a.csv");
    expect_text(ran.err, "bytes");
    ran_free(ran);
    change("a.csv", "\n0,.5,", "\n0,0.5,");
    change("a.csv", "time,rod.x", "time,rod.q");
    ran = expect(1, "run --replay a.csv");
    expect_text(ran.err, "'rod.q' stored, 'rod.x' repeated");
    ran_free(ran);
}

static void test_notices_missing_rows(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv"));
    char *text = read_text("a.csv");
    text[strlen(text) - 1] = 0;
    strrchr(text, '\n')[1] = 0;
    write_text("a.csv", text);
    free(text);
    Ran ran = expect(1, "run --replay a.csv");
    expect_text(ran.err, "100 rows up to t = 0.99 s are stored and 101 up to t = 1 s");
    ran_free(ran);
}

static void test_notices_a_changed_manifest(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv"));
    change("a.csv.json", "\"step\": 0.01", "\"step\": 0.02");
    Ran ran = expect(1, "run --replay a.csv");
    expect_text(ran.err, "part");
    ran_free(ran);
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv"));
    change("a.csv.json", "parameters: {L: 1}", "parameters: {L: 2}");
    ran = expect(1, "run --replay a.csv");
    expect_text(ran.err, "SHA-256");
    ran_free(ran);
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv"));
    change("a.csv.json", "\"generator\": \"", "\"generator\": \"older ");
    ran = expect(0, "run --replay a.csv"); // said, but the bits are the same
    expect_text(ran.err, "was made by older ");
    ran_free(ran);
    change("a.csv.json", "{", "[");
    ran_free(expect(4, "run --replay a.csv"));
}

static void test_without_a_manifest(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv"));
    unlink("a.csv.json");
    Ran ran = expect(4, "run --replay a.csv");
    expect_text(ran.err, "a.csv.json");
    ran_free(ran);
    ran_free(expect(4, "run --replay none.csv"));
}

static void test_ends_as_it_ended(void **state) {
    (void)state;
    // a run that fails: the joint cannot follow the drive beyond t = 0.5
    write_text("fails.yaml", "holonom: 1\nspace: planar\n"
                             "bodies: [{name: b, mass: 1, inertia: 1, position: [1, 0]}]\n"
                             "constraints: [{equation: \"b.x^2 + time^2 - 1\"}]\n"
                             "simulation: {end: 2, tolerance: 1e-6, output_step: 0.01}\n");
    ran_free(expect(3, "run fails.yaml -q -o a.csv"));
    ran_free(expect(0, "run --replay a.csv"));
    // and one that is interrupted, between two rows
    Ran ran = run_cli("timeout --foreground -s INT 0.4",
                      "run pendulum.yaml -q --step 1e-7 --output-step 3.7e-4 -o a.csv");
    ran_free(ran);
    char *text = read_text("a.csv.json");
    expect_text(text, "interrupted");
    free(text);
    ran_free(expect(0, "run --replay a.csv"));
}

static void test_usage(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv"));
    ran_free(expect(2, "run pendulum.yaml --replay a.csv"));
    ran_free(expect(2, "run --replay a.csv --set L=2"));
    ran_free(expect(2, "run --replay a.csv --step 0.1"));
    ran_free(expect(2, "run --replay a.csv -o a.csv")); // it would replace what is compared
    ran_free(expect(2, "run"));
    ran_free(expect(0, "run --replay a.csv"));
}

static void test_interface(void **state) {
    (void)state;
    HolReplay r = hol_replay_options();
    HolError err;
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv"));
    assert_int_equal(hol_replay("a.csv", &r, &err), HOL_OK);
    assert_int_equal(r.same, 1);
    const volatile int stop = 1;
    r.stop = &stop;
    assert_int_equal(hol_replay("a.csv", &r, &err), HOL_INTERRUPTED);
    assert_int_equal(r.same, 0);
    assert_int_equal(hol_replay(NULL, &r, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_replay("a.csv", NULL, &err), HOL_ERR_INPUT);
    r.size = 0;
    assert_int_equal(hol_replay("a.csv", &r, &err), HOL_ERR_INPUT);
    assert_int_equal(count_files("holonom-replay"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_repeats_contacts),
        cmocka_unit_test(test_repeats_tables),
        cmocka_unit_test(test_needs_nothing_else),
        cmocka_unit_test(test_notices_a_changed_result),
        cmocka_unit_test(test_notices_missing_rows),
        cmocka_unit_test(test_notices_a_changed_manifest),
        cmocka_unit_test(test_without_a_manifest),
        cmocka_unit_test(test_ends_as_it_ended),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_interface),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
