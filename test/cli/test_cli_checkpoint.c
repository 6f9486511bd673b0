// SPDX-License-Identifier: Apache-2.0
// holonom run --checkpoint, --every, --resume: signals, kills, wrong use, files that changed, JSON,
// full disks.
#include "cli_run.h"

#include <signal.h>
#include <sys/resource.h>
#include <time.h>

static const char *const slow = " --step 2e-5 --end 2 --output-step 1e-3";

static void same_files(const char *a, const char *b) {
    char *x = read_text(a), *y = read_text(b);
    assert_true(x && y);
    if (strcmp(x, y) != 0)
        fail_msg("%s and %s differ", a, b);
    free(x);
    free(y);
}

static void clean(void) {
    assert_int_equal(system("rm -f b.csv* b.h5* ck* b_*"), 0);
}

// starts the command and sends it the signal after so many milliseconds; its exit code, or -signal
static int disturbed(const char *arguments, int number, long ms) {
    char command[1024];
    snprintf(command, sizeof command, "exec '%s' %s 2>err.txt", HOL_CLI_PATH, arguments);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
    kill(pid, number);
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

// Ctrl-C and its relatives: a last checkpoint, exit 130, and the run goes on from there
static void signals(void **state) {
    (void)state;
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    char run[256], again[300];
    snprintf(run, sizeof run, "run pendulum.yaml -q%s -o a.csv", slow);
    ran_free(expect(0, run));
    for (int i = 0; i < 3; i++) {
        clean();
        snprintf(run, sizeof run, "run pendulum.yaml -q%s -o b.csv --checkpoint ck", slow);
        int code = 0;
        for (long ms = 150; (code = disturbed(run, stops[i], ms)) != 130; ms += 50) {
            assert_true(code == 0 || code == -stops[i]); // too late, or before the run
            clean();
            assert_true(ms < 3000);
        }
        char *err = read_text("err.txt");
        expect_text(err, "--resume ck goes on");
        free(err);
        assert_false(exists("b.csv"));
        assert_true(exists("b.csv.part"));
        // not begun anew by mistake
        Ran ran = expect(4, run);
        expect_text(ran.err, "did not come to its end");
        ran_free(ran);
        snprintf(again, sizeof again, "run pendulum.yaml -q%s -o b.csv --resume ck", slow);
        ran_free(expect(0, again));
        same_files("a.csv", "b.csv");
        assert_false(exists("b.csv.part"));
        // of a finished run: the same result
        ran_free(expect(0, again));
        same_files("a.csv", "b.csv");
        unlink("b.csv");
        ran_free(expect(0, again));
        same_files("a.csv", "b.csv");
    }
}

// what `view`, `plot` and `diff` make of the rows of a run that was killed
static void rows_so_far(void **state) {
    (void)state;
    char run[256];
    static const char *const results[] = {"b.csv", "b.h5"};
    for (int i = 0; i < 2; i++) {
        char command[300];
        clean();
        snprintf(run, sizeof run, "run pendulum.yaml -q%s --every 0.01 -o %s --checkpoint ck", slow,
                 results[i]);
        for (long ms = 200; disturbed(run, SIGKILL, ms) != -SIGKILL || !exists("ck"); ms += 50) {
            clean();
            assert_true(ms < 3000);
        }
        snprintf(command, sizeof command, "plot %s.part -c rod.x -o p.svg", results[i]);
        ran_free(expect(0, command));
        snprintf(command, sizeof command, "diff %s.part %s.part", results[i], results[i]);
        ran_free(expect(0, command));
    }
}

static void summary(void **state) {
    (void)state;
    clean();
    ran_free(expect(0, "run pendulum.yaml -q -o a.csv --json"));
    Ran a = expect(0, "run pendulum.yaml -q -o b.csv --json");
    Ran b = expect(0, "run pendulum.yaml -q -o b.csv --checkpoint ck --every 0 --json");
    Ran c = expect(0, "run pendulum.yaml -q -o b.csv --resume ck --json");
    const Ran *all[] = {&a, &b, &c};
    const char *outputs[3];
    size_t length = 0;
    for (int i = 0; i < 3; i++) {
        assert_non_null(outputs[i] = strstr(all[i]->out, "\"outputs\""));
        if (i == 0)
            length = strcspn(outputs[0], "]");
        assert_memory_equal(outputs[0], outputs[i], length);
    }
    ran_free(a);
    free(b.out);
    free(b.err);
    free(c.out);
    free(c.err);
}

static void wrong_use(void **state) {
    (void)state;
    static const struct {
        int code;
        const char *arguments, *text;
    } wrong[] = {
        {2, "-o x.csv --every 3", "--every needs --checkpoint"},
        {2, "-o x.csv --checkpoint k --every -1", "--every wants seconds"},
        {2, "-o x.csv --checkpoint k --every soon", "--every wants seconds"},
        {2, "-o x.csv --checkpoint k --every nan", "--every wants seconds"},
        {2, "--checkpoint k", "-o FILE.csv"},
        {2, "-o - --checkpoint k", "-o FILE.csv"},
        {2, "--json --resume k", "-o FILE.csv"},
        {2, "-o x.csv --checkpoint k --report r.html", "holonom view"},
        {2, "-o x.csv --checkpoint k --certify", "certified"},
        {2, "-o x.csv --checkpoint k --accuracy 1e-3", "certified"},
        {2, "-o x.csv --checkpoint k --set accuracy=1e-3", "accuracy"},
        {2, "-o x.txt --checkpoint k", "end in .csv"},
        {2, "-o x.csv --checkpoint x.csv", "one file"},
        {2, "-o x.csv --checkpoint x.csv.part", "one file"},
        {2, "-o x.csv --checkpoint x.csv.json", "one file"},
        {2, "-o x.csv --checkpoint x_events.csv", "one file"},
        {2, "-o x.csv --checkpoint pendulum.yaml", "one file"},
        {2, "-o x.csv --resume pendulum.yaml", "one file"},
        {2, "-o /dev/null --checkpoint k", "regular file"},
        {4, "-o x.csv --checkpoint /dev/null", "regular file"},
        {4, "-o x.csv --checkpoint no/k", "cannot write no/k"},
        {4, "-o no/x.csv --checkpoint k", "cannot write no/x.csv"},
        {4, "-o x.csv --resume k", "cannot resume k: No such file"},
        {4, "-o x.csv --resume a.csv", "it is no checkpoint"},
        {4, "-o x.csv --resume .", "a directory"},
    };
    write_text("a.csv", "time\n0\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char command[256];
        snprintf(command, sizeof command, "run pendulum.yaml -q %s", wrong[i].arguments);
        Ran ran = expect(wrong[i].code, command);
        expect_text(ran.err, wrong[i].text);
        ran_free(ran);
        assert_int_equal(count_files("x.csv"), 0);
        assert_false(exists("k"));
    }
}

// every file that the model reads is part of it
static void files_that_changed(void **state) {
    (void)state;
    clean();
    write_text("t.csv", "x,y\n0,0\n1,1\n");
    write_text("u.csv", "time,u\n0,0\n1,1\n");
    write_text("part.yaml",
               "holonom: 1\nspace: planar\nbodies: [{name: block, mass: 1, inertia: 1, "
               "position: [3, 0]}]\n");
    FILE *f = fopen("table.yaml", "w");
    fprintf(f,
            "%stables: {t: {file: t.csv, x: x, y: y, interpolation: linear}}\ninputs: {u: 0}\n"
            "forces: [{type: torque, on: rod, value: \"interp(t, time) + u\"}]\n"
            "parts: [{name: more, file: part.yaml}]\n",
            pendulum);
    fclose(f);
    static const char *const command =
        "run table.yaml -q --input u=u.csv -o b.csv --checkpoint ck --every 0";
    static const char *const again = "run table.yaml -q --input u=u.csv -o b.csv --resume ck";
    static const char *const files[] = {"t.csv", "u.csv", "part.yaml", "table.yaml"};
    ran_free(expect(0, command));
    ran_free(expect(0, again));
    for (int i = 0; i < 4; i++) {
        char *before = read_text(files[i]), *now = malloc(strlen(before) + 8);
        sprintf(now, "%s%s", before, i < 2 ? "2,2\n" : "# more\n");
        write_text(files[i], now);
        Ran ran = expect(2, again);
        expect_text(ran.err, "has changed since");
        if (i < 3)
            expect_text(ran.err, files[i]);
        ran_free(ran);
        write_text(files[i], before);
        free(before);
        free(now);
    }
    ran_free(expect(0, again));
    Ran ran = expect(2, "run table.yaml -q -o b.csv --resume ck");
    expect_text(ran.err, "cannot be resumed");
    ran_free(ran);
    ran = expect(2, "run table.yaml -q --input u=u.csv -o b.csv --resume ck --set L=2");
    expect_text(ran.err, "setting L = 2");
    ran_free(ran);
}

// no room: exit 4, what was saved stays, and with room the run goes on
static void full_disk(void **state) {
    (void)state;
    clean();
    ran_free(expect(0, "run pendulum.yaml -q --step 1e-3 -o a.csv"));
    Ran ran = run_cli("ulimit -f 200; trap '' XFSZ;",
                      "run pendulum.yaml -q --step 1e-3 -o b.csv --checkpoint ck --every 0");
    if (ran.code != 4)
        fail_msg("exit %d: %s", ran.code, ran.err);
    expect_text(ran.err, "cannot write");
    expect_text(ran.err, "--resume ck goes on");
    ran_free(ran);
    assert_false(exists("b.csv"));
    ran_free(expect(0, "run pendulum.yaml -q --step 1e-3 -o b.csv --resume ck"));
    same_files("a.csv", "b.csv");
    assert_int_equal(count_files("part"), 0);
}

// another process at work; a planted link is not followed
static void not_alone(void **state) {
    (void)state;
    clean();
    char run[256];
    snprintf(run, sizeof run,
             "run pendulum.yaml -q%s -o b.csv --checkpoint ck & sleep 0.3; '%s' run "
             "pendulum.yaml -q%s -o b.csv --checkpoint ck2; code=$?; wait; exit "
             "$code",
             slow, HOL_CLI_PATH, slow);
    Ran ran = run_cli("", run);
    if (ran.code == 4)
        expect_text(ran.err, "another process is at work");
    else
        assert_int_equal(ran.code, 0); // (the first one had ended)
    ran_free(ran);
    clean();
    write_text("precious", "mine");
    assert_int_equal(symlink("precious", "b.csv.part"), 0);
    ran_free(expect(0, "run pendulum.yaml -q -o b.csv --checkpoint ck"));
    char *text = read_text("precious");
    assert_string_equal(text, "mine");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals),   cmocka_unit_test(rows_so_far),
        cmocka_unit_test(summary),   cmocka_unit_test(wrong_use),
        cmocka_unit_test(full_disk), cmocka_unit_test(files_that_changed),
        cmocka_unit_test(not_alone),
    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
