// SPDX-License-Identifier: Apache-2.0
// `holonom sweep`: rows, the same bytes whatever does the runs, kills and resumes, runs that fail or
// crash, mistakes in studies, ranks of MPI.
#include "cli_run.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/file.h>
#include <time.h>

static const char study[] = "study: 1\n"
                            "model: pendulum.yaml\n"
                            "vary: {L: {from: 1, to: 2, count: 3}, end: [0.5, 1]}\n"
                            "record:\n"
                            "  low: min(rod.y)\n"
                            "  fast: max(abs(rod.omega))*L\n"
                            "  never: time_when(rod.y > 1)\n"
                            "  last: final(rod.angle)\n";

// enough runs that a kill meets some of them
static const char many[] = "study: 1\n"
                           "model: pendulum.yaml\n"
                           "vary: {L: {normal: [1, 0.01]}, end: {uniform: [1, 2]}}\n"
                           "samples: 60\n"
                           "seed: 3\n"
                           "simulation: {step: 0.005}\n"
                           "record: {low: min(rod.y), force: max(O.fy)}\n";

static void sweep_pause(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void same_bytes(const char *a, const char *b) {
    struct stat info;
    char *x = read_text(a), *y = read_text(b);
    assert_non_null(x);
    assert_non_null(y);
    assert_int_equal(stat(a, &info), 0);
    const size_t size = (size_t)info.st_size;
    assert_int_equal(stat(b, &info), 0);
    assert_int_equal(size, info.st_size);
    assert_memory_equal(x, y, size);
    free(x);
    free(y);
}

static void test_rows(void **state) {
    (void)state;
    write_text("study.yaml", study);
    Ran ran = expect(0, "sweep study.yaml");
    assert_int_equal(csv_rows(ran.out), 6);
    assert_int_equal(strncmp(ran.out,
                             "run,L,end,low,fast,never,last,status,message,steps,rejected,force_"
                             "evaluations\n1,1,0.5,",
                             86),
                     0);
    const double length[] = {1, 1, 1.5, 1.5, 2, 2};
    char field[64];
    for (int i = 0; i < 6; i++) {
        assert_true(csv_value(ran.out, i + 1, "run") == i + 1);
        assert_true(csv_value(ran.out, i + 1, "L") == length[i]);
        csv_field(ran.out, i + 1, "never", field, sizeof field);
        assert_string_equal(field, "");
        csv_field(ran.out, i + 1, "status", field, sizeof field);
        assert_string_equal(field, "ok");
    }
    // at the bottom: (1/3) L^2 omega^2 / 2 = g L/2
    for (int i = 1; i <= 6; i += 2) {
        const double l = length[i];
        if (l > 1.5)
            continue; // it does not get there in a second
        assert_true(fabs(csv_value(ran.out, i + 1, "low") + l / 2) < 1e-6);
        assert_true(fabs(csv_value(ran.out, i + 1, "fast") - sqrt(3 * 9.81 / l) * l) < 1e-6);
    }
    expect_text(ran.err, "6 runs, 0 failed");
    ran_free(ran);
}

// files and orders of workers
static void test_same_bytes(void **state) {
    (void)state;
    write_text("study.yaml", study);
    ran_free(expect(0, "sweep study.yaml -q -j 1 > one.csv"));
    ran_free(expect(0, "sweep study.yaml -q -j 3 -o three.csv"));
    same_bytes("one.csv", "three.csv");
    assert_int_equal(count_files("journal"), 0);
#ifdef HOL_HAVE_HDF5
    ran_free(expect(0, "sweep study.yaml -q -j 1 -o one.h5"));
    sweep_pause(1100); // a time inside would be another one now
    ran_free(expect(0, "sweep study.yaml -q -j 3 -o three.h5"));
    same_bytes("one.h5", "three.h5");
#endif
}

// the example: the swing of the rocker is that between its dead centres, where crank and coupler lie
// in one line; the largest reaction is never below the weight
static void test_example(void **state) {
    (void)state;
    Ran ran = expect(0, "sweep " HOL_SOURCE_DIR "/examples/crank-rocker-study.yaml");
    assert_int_equal(csv_rows(ran.out), 30);
    const double a = 0.2, c = 0.5, d = 0.7;
    for (int i = 1; i <= 30; i++) {
        const double b = csv_value(ran.out, i, "b");
        const double out = acos((d * d + c * c - (b + a) * (b + a)) / (2 * d * c));
        const double in = acos((d * d + c * c - (b - a) * (b - a)) / (2 * d * c));
        if (!(fabs(csv_value(ran.out, i, "swing") - (out - in)) < 1e-12))
            fail_msg("run %d: %.15g, not %.15g", i, csv_value(ran.out, i, "swing"), out - in);
        assert_true(csv_value(ran.out, i, "once") > 0.3 && csv_value(ran.out, i, "once") < 0.7);
        assert_true(csv_value(ran.out, i, "peak") > 9.81 * 2 * 1.3 / 2);
    }
    ran_free(ran);
}

// the page: its data are JSON, with a number a run and column, and nothing is loaded from elsewhere
static void test_report(void **state) {
    (void)state;
    write_text("r.yaml",
               "study: 1\nmodel: pendulum.yaml\nvary: {L: [1, 2], max_steps: [10, 1000]}\n"
               "record: {low: min(rod.y), never: time_when(rod.y > 3)}\n");
    ran_free(expect(0, "sweep r.yaml -o r.csv --report r.html"));
    char *page = read_text("r.html"), *csv = read_text("r.csv");
    assert_non_null(page);
    assert_null(strstr(page, "@DATA@"));
    assert_null(strstr(page, "src="));
    char *data = strstr(page, "type=\"application/json\">");
    assert_non_null(data);
    data = strchr(data, '>') + 1;
    *strstr(data, "</script>") = 0;
    expect_json(data);
    char value[64];
    snprintf(value, sizeof value, "[null, %.9g", csv_value(csv, 2, "low"));
    const char *low = strstr(data, "\"low\"");
    assert_non_null(low);
    expect_text(low, value); // the first failed
    expect_text(data, "\"failed\"");
    free(page);
    free(csv);
    ran_free(expect(2, "sweep r.yaml -o x.csv --report r.yaml"));
}

static void test_samples(void **state) {
    (void)state;
    char text[512];
    for (int random = 0; random < 2; random++) {
        snprintf(text, sizeof text,
                 "study: 1\nmodel: pendulum.yaml\nvary: {L: {uniform: [1, 2]}, end: {normal: [1, "
                 "0.1]}}\nsamples: 40\nsampling: %s\nsimulation: {step: 0.1}\nrecord: {a: "
                 "final(rod.x)}\n",
                 random ? "random" : "latin");
        write_text("s.yaml", text);
        Ran ran = expect(0, "sweep s.yaml -q");
        int strata[40] = {0}, hit = 0;
        double mean = 0, square = 0;
        for (int i = 1; i <= 40; i++) {
            const double l = csv_value(ran.out, i, "L"), e = csv_value(ran.out, i, "end");
            assert_true(l > 1 && l < 2);
            strata[(int)((l - 1) * 40)]++;
            mean += e / 40;
            square += (e - 1) * (e - 1) / 40;
        }
        for (int i = 0; i < 40; i++)
            hit += strata[i] == 1;
        assert_true(random ? hit < 40 : hit == 40); // latin: each stratum once
        assert_true(fabs(mean - 1) < (random ? 0.05 : 0.005));
        assert_true(fabs(sqrt(square) - 0.1) < (random ? 0.05 : 0.01));
        ran_free(ran);
    }
}

static void test_failed_runs(void **state) {
    (void)state;
    write_text("f.yaml",
               "study: 1\nmodel: pendulum.yaml\nvary: {L: [1, -1, 2], max_steps: [10, 1000]}\n"
               "record: {low: min(rod.y)}\n");
    char field[256];
    Ran ran = expect(0, "sweep f.yaml");
    expect_text(ran.err, "6 runs, ");
    assert_int_equal(csv_rows(ran.out), 6);
    csv_field(ran.out, 2, "status", field, sizeof field);
    assert_string_equal(field, "ok");
    csv_field(ran.out, 1, "status", field, sizeof field); // ten steps are not enough
    assert_string_equal(field, "failed");
    csv_field(ran.out, 1, "low", field, sizeof field);
    assert_string_equal(field, "");
    csv_field(ran.out, 1, "message", field, sizeof field);
    assert_true(strlen(field) > 10);
    ran_free(ran);
}

// the process whose parent is `parent`; 0: none
static pid_t child_of(pid_t parent) {
    DIR *proc = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *e; proc && (e = readdir(proc));) {
        char path[300], text[512] = "", state_letter;
        int pid, of;
        snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
        FILE *f = isdigit((unsigned char)e->d_name[0]) ? fopen(path, "r") : NULL;
        if (!f)
            continue;
        const size_t got = fread(text, 1, sizeof text - 1, f);
        fclose(f);
        text[got] = 0;
        const char *behind = strrchr(text, ')');
        pid = atoi(text);
        if (behind && sscanf(behind + 1, " %c %d", &state_letter, &of) == 2 && of == parent)
            found = pid;
    }
    if (proc)
        closedir(proc);
    return found;
}

static pid_t start_sweep(const char *file, const char *output, const char *jobs, const char *more) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("err.txt", "w", stderr))
            _exit(99);
        execl(HOL_CLI_PATH, "holonom", "sweep", file, "-o", output, "-j", jobs, more, (char *)NULL);
        _exit(99);
    }
    return child;
}

// a run that ends its process: its row says so, the others are as ever
static void test_crash(void **state) {
    (void)state;
    write_text("c.yaml", "study: 1\nmodel: pendulum.yaml\nvary: {L: [1, 1.5, 2]}\n"
                         "simulation: {step: 2e-5, end: 1}\nrecord: {low: min(rod.y)}\n");
    char field[256];
    int status, crashed = 0, ok = 0;
    const pid_t child = start_sweep("c.yaml", "c.csv", "1", NULL);
    pid_t keeper = 0, worker = 0;
    for (int i = 0; i < 3000 && !worker; i++) {
        keeper = child_of(child);
        worker = keeper ? child_of(keeper) : 0;
        sweep_pause(2);
    }
    assert_true(worker > 0);
    sweep_pause(20);
    kill(worker, SIGSEGV);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    char *csv = read_text("c.csv");
    for (int i = 1; i <= 3; i++) {
        csv_field(csv, i, "status", field, sizeof field);
        ok += strcmp(field, "ok") == 0;
        if (strcmp(field, "crashed") == 0) {
            crashed++;
            csv_field(csv, i, "message", field, sizeof field);
            expect_text(field, "signal 11");
        }
    }
    assert_int_equal(crashed, 1);
    assert_int_equal(ok, 2);
    free(csv);
}

// killed again and again, then let go: nothing is lost, nothing is different
static void test_kill_and_resume(void **state) {
    (void)state;
    const char *const outputs[] = {"k.csv",
#ifdef HOL_HAVE_HDF5
                                   "k.h5"
#endif
    };
    write_text("many.yaml", many);
    unsigned random = 12345;
    for (size_t o = 0; o < sizeof outputs / sizeof *outputs; o++) {
        char arguments[128], whole[16];
        snprintf(whole, sizeof whole, "w%s", outputs[o]);
        snprintf(arguments, sizeof arguments, "sweep many.yaml -q -j 2 -o %s", whole);
        ran_free(expect(0, arguments));
        int killed = 0;
        for (int i = 0; i < 6; i++) {
            random = random * 1664525u + 1013904223u;
            const pid_t child = start_sweep("many.yaml", outputs[o], "2", "--resume");
            int status;
            sweep_pause(10 + (long)(random >> 16) % 90);
            kill(child, SIGKILL);
            assert_int_equal(waitpid(child, &status, 0), child);
            killed += WIFSIGNALED(status);
        }
        assert_true(killed > 0);
        if (exists("k.csv.journal") && o == 0) { // it is not begun anew by mistake
            Ran ran = expect(4, "sweep many.yaml -q -o k.csv");
            expect_text(ran.err, "--resume");
            ran_free(ran);
        }
        snprintf(arguments, sizeof arguments, "sweep many.yaml -q -o %s --resume", outputs[o]);
        ran_free(expect(0, arguments));
        same_bytes(whole, outputs[o]);
    }
    assert_int_equal(count_files("journal"), 0);
}

// stopped by a signal, it keeps a journal, which may end in the middle of a row
static void stop_and_resume(int signal_number) {
    pid_t child = start_sweep("many.yaml", "j.csv", "2", "--resume");
    struct stat info = {0};
    for (int i = 0; i < 2000 && info.st_size < 1500; i++) {
        sweep_pause(1);
        if (stat("j.csv.journal", &info) != 0)
            info.st_size = 0;
    }
    kill(child, signal_number);
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 130);
    char *said = read_text("err.txt");
    expect_text(said, "--resume goes on");
    free(said);
    assert_int_equal(stat("j.csv.journal", &info), 0);
    assert_int_equal(truncate("j.csv.journal", info.st_size - 7), 0);
    ran_free(expect(0, "sweep many.yaml -q -o j.csv --resume"));
    same_bytes("whole.csv", "j.csv");
    unlink("j.csv");
}

static void test_journals(void **state) {
    (void)state;
    write_text("many.yaml", many);
    ran_free(expect(0, "sweep many.yaml -q -o whole.csv"));
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        stop_and_resume(stops[i]);
    // of another study
    int status;
    pid_t child = start_sweep("many.yaml", "j.csv", "2", "-q");
    sweep_pause(60);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (exists("j.csv.journal")) {
        write_text("other.yaml", study);
        Ran ran = expect(2, "sweep other.yaml -q -o j.csv --resume");
        expect_text(ran.err, "another study");
        ran_free(ran);
        unlink("j.csv.journal");
    }
}

// what stands under the journal's name and is none stays as it is
static void test_no_journal(void **state) {
    (void)state;
    static const char *const makes[] = {"ln -s kept.txt n.csv.journal", "ln kept.txt n.csv.journal",
                                        "cp kept.txt n.csv.journal", "ln -s new.txt n.csv.journal",
                                        "mkfifo n.csv.journal"};
    write_text("study.yaml", study);
    for (size_t i = 0; i < sizeof makes / sizeof *makes; i++) {
        write_text("kept.txt", "short\n");
        assert_int_equal(system(makes[i]), 0);
        Ran ran = run_cli("timeout 20", "sweep study.yaml -q -o n.csv --resume");
        assert_true(ran.code == 4 || ran.code == 2);
        expect_text(ran.err, "n.csv.journal");
        ran_free(ran);
        char *text = read_text("kept.txt");
        assert_string_equal(text, "short\n");
        free(text);
        assert_false(exists("new.txt"));
        assert_false(exists("n.csv"));
        assert_int_equal(unlink("n.csv.journal"), 0);
    }
    unlink("kept.txt");
}

// a signal that is ignored stays so: nohup
static void test_nohup(void **state) {
    (void)state;
    int status = 0;
    write_text("many.yaml", many);
    signal(SIGHUP, SIG_IGN);
    const pid_t child = start_sweep("many.yaml", "nohup.csv", "2", "-q");
    for (int i = 0; i < 200 && !exists("nohup.csv.journal"); i++)
        sweep_pause(10);
    kill(child, SIGHUP);
    waitpid(child, &status, 0);
    signal(SIGHUP, SIG_DFL);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(exists("nohup.csv"));
}

#ifdef HOL_HAVE_HDF5
// no room on the disk: the reason, and no file but the journal, which goes on where there is room
static void test_no_room(void **state) {
    (void)state;
    write_text("study.yaml", study);
    Ran ran = run_cli("trap '' XFSZ; ulimit -f 2;", "sweep study.yaml -q -j 1 -o room.h5");
    assert_int_equal(ran.code, 4);
    expect_text(ran.err, "too large");
    ran_free(ran);
    assert_int_equal(count_files("room.h5"), 1); // the journal
    ran_free(expect(0, "sweep study.yaml -q -j 1 -o room.h5 --resume"));
    assert_int_equal(count_files("room.h5"), 1); // the result
    ran_free(expect(0, "sweep study.yaml -q -j 1 -o one.h5"));
    same_bytes("one.h5", "room.h5");
}
#endif

// two sweeps do not write one journal: the second one waits
static void test_one_at_a_time(void **state) {
    (void)state;
    write_text("study.yaml", study);
    const int fd = open("l.csv.journal", O_RDWR | O_CREAT, 0666);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    Ran ran = run_cli("timeout 1", "sweep study.yaml -q -o l.csv --resume");
    assert_int_equal(ran.code, 124);
    ran_free(ran);
    close(fd);
    ran_free(expect(0, "sweep study.yaml -q -o l.csv --resume"));
    assert_int_equal(count_files("l.csv.journal"), 0);
}

static void test_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *text, *piece;
    } cases[] = {
        {"study: 2\nmodel: pendulum.yaml\nrecord: {a: final(rod.x)}\n", "bad.yaml:1:8: error:"},
        {"study: 1\nmodell: pendulum.yaml\nrecord: {a: final(rod.x)}\n",
         "bad.yaml:2:1: error: unknown key 'modell' in a study; did you mean 'model'?"},
        {"study: 1\nmodel: none.yaml\nrecord: {a: final(rod.x)}\n", "bad.yaml:2:8: error:"},
        {"study: 1\nmodel: pendulum.yaml\n", "'record' is missing"},
        {"study: 1\nmodel: pendulum.yaml\nvary: {L: 3}\nrecord: {a: final(rod.x)}\n",
         "bad.yaml:3:11: error:"},
        {"study: 1\nmodel: pendulum.yaml\nvary: {L: [1, two]}\nrecord: {a: final(rod.x)}\n",
         "bad.yaml:3:15: error: L must be a list of numbers"},
        {"study: 1\nmodel: pendulum.yaml\nvary: {L: [1, .nan]}\nrecord: {a: final(rod.x)}\n",
         "bad.yaml:3:15: error:"},
        {"study: 1\nmodel: pendulum.yaml\nvary: {L: {from: 1, to: 2}}\nrecord: {a: final(rod.x)}\n",
         "bad.yaml:3:11: error: 'count' is missing"},
        {"study: 1\nmodel: pendulum.yaml\nvary: {L: {from: 1, to: 2, count: 2.5}}\nrecord: {a: "
         "final(rod.x)}\n",
         "bad.yaml:3:35: error: count must be a whole number"},
        {"study: 1\nmodel: pendulum.yaml\nvary: {L: {nromal: [1, 2]}}\nrecord: {a: final(rod.x)}\n",
         "did you mean 'normal'?"},
        {"study: 1\nmodel: pendulum.yaml\nvary: {L: {normal: [1, -2]}}\nsamples: 2\nrecord: {a: "
         "final(rod.x)}\n",
         "bad.yaml:3:24: error:"},
        {"study: 1\nmodel: pendulum.yaml\nvary: {L: {normal: [1, 2]}}\nrecord: {a: final(rod.x)}\n",
         "bad.yaml:3:8: error: 'L' is random, so 'samples' is needed"},
        {"study: 1\nmodel: pendulum.yaml\nvary: {L: [1]}\nsamples: 3\nrecord: {a: final(rod.x)}\n",
         "bad.yaml:4:10: error:"},
        {"study: 1\nmodel: pendulum.yaml\nvary: {LL: [1]}\nrecord: {a: final(rod.x)}\n",
         "bad.yaml:3:8: error:"},
        {"study: 1\nmodel: pendulum.yaml\nrecord: {a: final(rodd.x)}\n",
         "bad.yaml:3:19: error: a:"},
        {"study: 1\nmodel: pendulum.yaml\nrecord: {a: \"max(rod.x\"}\n",
         "bad.yaml:3:17: error: a: this parenthesis is not closed"},
        {"study: 1\nmodel: pendulum.yaml\nrecord: {a: rod.x}\n",
         "bad.yaml:3:13: error: a: nothing is taken of the run"},
        {"study: 1\nmodel: pendulum.yaml\nrecord: {a: max(rod.x) + rod.y}\n",
         "bad.yaml:3:26: error:"},
        {"study: 1\nmodel: pendulum.yaml\nsampling: lattin\nrecord: {a: max(rod.x)}\n",
         "bad.yaml:3:11: error: sampling must be latin or random"},
        {"study: 1\nmodel: pendulum.yaml\nsimulation: {tolerrance: 1}\nrecord: {a: max(rod.x)}\n",
         "tolerance"},
        {"- 1\n", "bad.yaml:1:1: error:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text("bad.yaml", cases[i].text);
        Ran ran = run_cli("", "sweep bad.yaml -o bad.csv");
        if ((ran.code != 2 && ran.code != 4) || !strstr(ran.err, cases[i].piece))
            fail_msg("exit %d for\n%s%s", ran.code, cases[i].text, ran.err);
        assert_int_equal(count_files("bad.csv"), 0);
        ran_free(ran);
    }
    write_text("study.yaml", study);
    ran_free(expect(2, "sweep study.yaml -o x.txt"));
    ran_free(expect(2, "sweep study.yaml -j none"));
    ran_free(expect(2, "sweep study.yaml --resume"));
    ran_free(expect(4, "sweep none.yaml"));
}

// a few ranks, and the same killed
static void test_mpi(void **state) {
    (void)state;
    const char *const mpirun = "OMPI_MCA_rmaps_base_oversubscribe=1 mpirun --allow-run-as-root "
                               "--oversubscribe -n 3";
    if (system("command -v mpirun >/dev/null 2>&1") != 0) {
        print_message("without mpirun: left out\n");
        return;
    }
    write_text("study.yaml", study);
    ran_free(expect(0, "sweep study.yaml -q -o here.csv"));
    Ran ran = run_cli(mpirun, "sweep study.yaml -o ranks.csv");
    if (ran.code == 2 && strstr(ran.err, "libholonom_mpi")) {
        print_message("without MPI: left out\n");
        ran_free(ran);
        return;
    }
    if (ran.code != 0)
        fail_msg("%s", ran.err);
    expect_text(ran.err, "with 3 processes");
    ran_free(ran);
    same_bytes("here.csv", "ranks.csv");
    write_text("bad.yaml", "study: 1\n");
    ran = run_cli(mpirun, "sweep bad.yaml -o bad.csv");
    assert_int_not_equal(ran.code, 0);
    expect_text(ran.err, "'model' is missing");
    assert_int_equal(count_files("bad.csv"), 0);
    ran_free(ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),       cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_example),    cmocka_unit_test(test_report),
        cmocka_unit_test(test_samples),    cmocka_unit_test(test_failed_runs),
        cmocka_unit_test(test_crash),      cmocka_unit_test(test_kill_and_resume),
        cmocka_unit_test(test_journals),   cmocka_unit_test(test_one_at_a_time),
        cmocka_unit_test(test_mistakes),   cmocka_unit_test(test_mpi),
        cmocka_unit_test(test_no_journal), cmocka_unit_test(test_nohup),
#ifdef HOL_HAVE_HDF5
        cmocka_unit_test(test_no_room),
#endif

    };
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
