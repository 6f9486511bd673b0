// SPDX-License-Identifier: Apache-2.0
// Memory that is not there: for every command, trials in which one allocation fails, or one and all
// later ones (fail_memory.c says what a right answer is); the same for calls of the library
// (library_calls.c). The trials are spread over all allocations of a command; HOL_MEMORY_TRIALS asks for
// more of each (make torture). And little room of addresses (ulimit -v), for the libraries beneath.
#include "cli_run.h"

static long trials_wanted(void) {
    const char *asked = getenv("HOL_MEMORY_TRIALS");
    return asked ? strtol(asked, NULL, 10) : 24;
}

static const char *const loop =
    "holonom: 1\n"
    "space: spatial\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {k: 10}\n"
    "tables: {t: {x: [0, 1, 2], y: [0, 1, 0], interpolation: linear}}\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0],\n"
    "     points: {p: [-1, 0, 0], q: [1, 0, 0]}}\n"
    "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0],\n"
    "     points: {p: [-1, 0, 0], q: [1, 0, 0]}}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0],\n"
    "     axis: [0, 1, 0]}\n"
    "  - {name: B, type: revolute, bodies: [a, b], at: [2, 0, 0],\n"
    "     axis: [0, 1, 0]}\n"
    "  - {name: C, type: point_on_line, between: [{body: ground,\n"
    "     at: [0, 0, 0], axis: [1, 0, 0]}, b.q]}\n"
    "forces:\n"
    "  - {name: f, type: force, on: a.q, value: [0, 0, \"k*interp(t, "
    "time)\"]}\n"
    "simulation: {end: 0.05, tolerance: 1e-5, output_step: 0.01}\n";

// what a command makes is named made..
static const char *const commands[] = {
    "check loop.yaml",
    "check pendulum.yaml --set L=2 --json",
    "run pendulum.yaml -q -o made.csv --end 0.05",
    "run loop.yaml -q -o made.csv",
    "run loop.yaml -q -o made.csv --method radau",
    "run loop.yaml -q -o made.csv --method taylor",
    "run loop.yaml -q -o made.csv --method newmark",
    "run pendulum.yaml -q -o made.csv --end 0.05 --certify",
    "run pendulum.yaml -q -o made.h5 --end 0.05",
    "run pendulum.yaml -q --report made.html --end 0.05",
    "run pendulum.yaml -q -o - --end 0.02",
    "plot r.csv -c rod.x -o made.svg",
    "plot r.h5 -c rod.x -o made.png",
    "view r.csv -o made.html",
    "view r.h5 -q -o made.html",
    "diff r.csv r.h5",
    "modes pendulum.yaml",
    "equilibrium pendulum.yaml -o made.yaml",
    "kinds",
    "generate chain 4",
    "run pendulum.yaml -q -o made.csv --end 0.05 --checkpoint made.ck --every 0",
    "run --replay r.csv -q",
    "run friction-hinge.yaml -q -o made.csv --end 0.02",
    "run newtons-cradle.yaml -q -o made.csv --end 0.02",
    "run bouncing-ball.yaml -q -o made.csv --end 0.5",
    "run percussion.yaml -q -o made.csv --end 0.5",
    "run percussion.yaml -q -o made.h5 --end 0.5",
    "run percussion.yaml -q --report made.html --end 0.5",
    "run percussion.yaml -q --json --end 0.5",
    "run percussion.yaml -q -o made.csv --end 0.5 --checkpoint made.ck --every 0",
    "run beam-pendulum.yaml -q -o made.csv --end 0.01",
    "run modal-pendulum.yaml -q -o made.csv --end 0.01",
    "check modal-pendulum.yaml --cache kept",
    "run loop.yaml -q -o made.csv --method bdf",
    "run loop.yaml -q -o made.csv --method auto",
    "run loop.yaml -q -o made.csv --method rk853 --accuracy 1e-3",
    "modes loop.yaml -o made.csv --report made.html",
    "stability pendulum.yaml --method rk4 --points 2",
    "compare pendulum.yaml --methods rk4,tangent --end 0.1 --seconds 2 -o made.csv",
    "sweep study.yaml -q -o made.csv -j 1",
    "sweep study.yaml -q -j 1 --report made.html",
    "sweep study.yaml -q -o made.h5 -j 1",
    "library_calls",
};

static const char *const models[] = {
    "friction-hinge.yaml", "newtons-cradle.yaml",  "bouncing-ball.yaml",
    "percussion.yaml",     "beam-pendulum.yaml",   "modal-pendulum.yaml",
    "modal-beam-mass.mtx", "modal-beam-nodes.csv", "modal-beam-stiffness.mtx"};

static const char *const study = "study: 1\n"
                                 "model: pendulum.yaml\n"
                                 "vary: {L: {from: 1, to: 2, count: 2}}\n"
                                 "simulation: {end: 0.05}\n"
                                 "record: {top: max(rod.x)}\n";

// Linear algebra starts before the trials: OpenBLAS, where its own tables find no memory, tries for ever.
#ifdef HOL_LAPACK_FILE
static const char *const blas = ":" HOL_LAPACK_FILE;
#else
static const char *const blas = "";
#endif

// at most so many trials; 1: every answer was right
static int walk_some(const char *command, const char *mode, long most) {
    char before[512];
    // (fontconfig takes ten thousand, and goes round and round without memory: 10 s a trial)
    const int few = strncmp(command, "plot", 4) == 0 && strcmp(mode, "always") == 0;
    if (few && !getenv("HOL_MEMORY_TRIALS"))
        return 1;
    const int run = strncmp(command, "run", 3) == 0;
    const int times = strncmp(command, "compare", 7) == 0 || (run && strstr(command, "--json"));
    snprintf(before, sizeof before, "HOL_WALK='%ld %s report.txt%s' LD_PRELOAD='%s%s' %s",
             few ? 3 : most, mode, times ? " times" : "", HOL_FAIL_MEMORY, blas,
             strcmp(command, "library_calls") ? "" : HOL_LIBRARY_CALLS);
    Ran ran = run_cli(before, command);
    char *report = read_text("report.txt");
    assert_non_null(report);
    expect_text(report, " trials, ");
    assert_true(strstr(report, "\n0 trials, ") == NULL && strncmp(report, "0 trials", 8) != 0);
    const int right = ran.code == 0 && strstr(report, ", 0 bad\n");
    print_message("%-55s %-6s %s", command, mode, report);
    free(report);
    ran_free(ran);
    return right;
}

static int walk(const char *command, const char *mode) {
    return walk_some(command, mode, trials_wanted());
}

static void test_walk(void **state) {
    (void)state;
    int wrong = 0;
    write_text("loop.yaml", loop);
    write_text("study.yaml", study);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/models/%s", HOL_SOURCE_DIR, models[i]);
        char *text = read_text(path);
        assert_non_null(text);
        write_text(models[i], text);
        free(text);
    }
    ran_free(expect(0, "run pendulum.yaml -q -o r.csv --end 0.05"));
#ifdef HOL_HAVE_HDF5
    ran_free(expect(0, "run pendulum.yaml -q -o r.h5 --end 0.05"));
#endif
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
#ifndef HOL_HAVE_HDF5
        if (strstr(commands[i], ".h5"))
            continue;
#endif
        wrong += !walk(commands[i], "once");
        wrong += !walk(commands[i], "always");
    }
    assert_int_equal(wrong, 0);
}

// every single allocation of a short run: of those that a few trials step over, some are once in a file
static void test_every_one(void **state) {
    (void)state;
    assert_true(walk_some("run pendulum.yaml -q -o made.csv --end 0.02", "once", 1000000));
}

// Without addresses a run ends, and says why: OpenBLAS, which would try again for ever, is not begun.
static void test_little_room(void **state) {
    (void)state;
    for (int megabytes = 20; megabytes <= 260; megabytes += 40) {
        char before[64];
        snprintf(before, sizeof before, "ulimit -v %d; timeout 60", megabytes * 1024);
        Ran ran = run_cli(before, "modes pendulum.yaml");
        if (ran.code != 0) {
            if (ran.code != 3)
                fail_msg("%d MB: exit %d: %s", megabytes, ran.code, ran.err);
            expect_text(ran.err, "memory");
        }
        ran_free(ran);
    }
}

#ifdef HOL_HAVE_HDF5
// where the HDF5 library finds no room, memory is missing, not the library
static void test_no_room_for_hdf5(void **state) {
    (void)state;
    ran_free(expect(0, "run pendulum.yaml -q -o room.h5 --end 0.05"));
    for (int megabytes = 14; megabytes <= 22; megabytes += 2) {
        char before[64];
        snprintf(before, sizeof before, "ulimit -v %d; timeout 60", megabytes * 1024);
        Ran ran = run_cli(before, "view room.h5 -o room.html");
        if (ran.code != 0 && ran.code != 3 && ran.code != 4) // (4: inside the library)
            fail_msg("%d MB: exit %d: %s", megabytes, ran.code, ran.err);
        if (ran.code)
            expect_text(ran.err, "memory");
        ran_free(ran);
    }
}
#endif

int main(void) {
    // (the sanitizers have an allocator of their own)
    if (!HOL_FAIL_MEMORY[0])
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_little_room),
#ifdef HOL_HAVE_HDF5
                                       cmocka_unit_test(test_no_room_for_hdf5),
#endif
                                       cmocka_unit_test(test_walk),
                                       cmocka_unit_test(test_every_one)};
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
