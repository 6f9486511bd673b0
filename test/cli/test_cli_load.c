// SPDX-License-Identifier: Apache-2.0
// Options of reading a model as a user meets them: --cache of every verb that reads one, and a search for
// elements that is interrupted.
#include "cli_run.h"

static const char *const elastic =
    "holonom: 1\nspace: planar\nparameters: {w: 1}\n"
    "bodies: [{name: rod, type: modal, from: [0, 0], to: [1, 0], elements: 10, section: "
    "{rectangle: "
    "[0.02, 0.01]}, material: {E: 2.0e11, nu: 0.3, rho: 7800}, modes: 4}]\n"
    "joints: [{type: fixed, between: [ground, rod.start]}]\n"
    "forces: [{type: force, acts_on: rod.end, value: [0, w]}]\noutputs: [rod.end.y]\n"
    "simulation: {end: 0.002, output_step: 0.0005, tolerance: 1.0e-6}\n";
static const char *const study = "study: 1\nmodel: elastic.yaml\nvary: {w: [1, 2]}\n"
                                 "record: {most: max(rod.end.y)}\n";
static const char *const endless =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies: [{name: rod, type: beam, from: [0, 0], to: [1, 0], elements: auto, accuracy: 1.0e-9, "
    "stiffness: {EA: 1.0e5, EI: 1}, mass_per_length: 0.5, rotary: 1.0e-5}]\n"
    "joints: [{type: revolute, between: [ground, rod.start]}]\noutputs: [rod.end.x]\n"
    "simulation: {end: 1000}\n";

// entries of a folder
static int count_kept(const char *folder) {
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static void test_cache(void **state) {
    (void)state;
    static const char *const verbs[] = {"check", "modes", "equilibrium", "stability",
                                        "compare --seconds 2 --limits 1e-2"};
    write_text("elastic.yaml", elastic);
    write_text("study.yaml", study);
    ran_free(expect(0, "run elastic.yaml -q -o plain.csv"));
    char *plain = read_text("plain.csv");
    const int before = count_kept(".");
    ran_free(expect(0, "run elastic.yaml -q -o plain.csv"));
    assert_int_equal(count_kept("."), before); // nothing beside the results
    for (int i = 0; i < 2; i++) {              // kept, then read
        ran_free(expect(0, "run elastic.yaml -q -o cached.csv --cache kept"));
        assert_int_equal(count_kept("kept"), 1);
        char *cached = read_text("cached.csv");
        assert_string_equal(cached, plain);
        free(cached);
    }
    free(plain);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s elastic.yaml --cache other%d", verbs[i], (int)i);
        ran_free(expect(0, text));
        snprintf(text, sizeof text, "other%d", (int)i);
        assert_int_equal(count_kept(text), 1);
    }
    ran_free(expect(0, "sweep study.yaml -q -o a.csv"));
    ran_free(expect(0, "sweep study.yaml -q -o b.csv --cache swept"));
    assert_int_equal(count_kept("swept"), 1);
    char *a = read_text("a.csv"), *b = read_text("b.csv");
    assert_string_equal(a, b);
    free(a);
    free(b);
    Ran ran = expect(4, "run elastic.yaml --cache elastic.yaml");
    expect_text(ran.err, "holonom: the cache 'elastic.yaml' is no folder");
    ran_free(ran);
    ran = expect(4, "sweep study.yaml --cache no/such/place");
    expect_text(ran.err, "cannot make the cache folder 'no/such/place'");
    ran_free(ran);
}

static void test_interrupted(void **state) {
    (void)state;
    write_text("endless.yaml", endless);
    static const char *const verbs[] = {"run endless.yaml -o never.csv", "equilibrium endless.yaml",
                                        "stability endless.yaml", "compare endless.yaml"};
    // (--foreground: one signal; a second one ends the command at once)
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        Ran ran = run_cli("timeout --foreground --preserve-status -s INT 1.5", verbs[i]);
        if (ran.code != 130)
            fail_msg("%s: exit %d\n%s", verbs[i], ran.code, ran.err);
        expect_text(ran.err, "interrupted");
        ran_free(ran);
    }
    assert_null(read_text("never.csv"));
}

// `FILE` of a text in place
static void put_file(char *out, size_t size, const char *text, const char *file) {
    const char *at = strstr(text, "FILE");
    assert_non_null(at);
    snprintf(out, size, "%.*s%s%s", (int)(at - text), text, file, at + 4);
}

#define BODY "bodies: [{name: rod, mass: 1, inertia: 1}]\n"
#define MODAL(M, K, N)                                                                             \
    "bodies: [{name: rod, type: modal, mass_matrix: " M ", stiffness_matrix: " K ", nodes: " N     \
    ", modes: 1}]\n"
static const char *const naming[] = {
    "tables: {t: {file: FILE, x: time, y: F}}\n" BODY,
    "parts: [{name: a, file: FILE}]\n" BODY,
    "include: FILE\n" BODY,
    "include: [inside.yaml, FILE]\n" BODY,
    "bodies: [{name: rod, mass: 1, inertia: 1, shape: {type: mesh, file: FILE}}]\n",
    "x-own: &a {file: FILE, x: time, y: F}\ntables: {t: {<<: *a}}\n" BODY,
    MODAL("FILE", "rod.mtx", "nodes.csv"),
    MODAL("rod.mtx", "FILE", "nodes.csv"),
    MODAL("rod.mtx", "rod.mtx", "FILE"),
};
static const char *const setting[] = {"input_file.F=FILE", "rod.shape.file=FILE",
                                      "'rod.shape={type: mesh, file: FILE}'"};

// Every key and setting that names a file, with names that lead out of a folder that the run is kept
// to: refused with the reason, and nothing of the file is told. Inside, the same keys are read.
static void test_within(void **state) {
    (void)state;
    char *whole;
    char text[800], model[1200], command[1000];
    assert_int_equal(mkdir("own", 0700) | mkdir("own/inner", 0700) | mkdir("work", 0700), 0);
    write_text("secret.csv", "SECRET,F\n0,1\n1,2\n");
    write_text("own/inside.csv", "time,F\n0,1\n1,2\n");
    write_text("own/nodes.csv", "x,y\n0,0\n1,0\n");
    write_text("own/inside.yaml", "holonom: 1\nspace: planar\n");
    write_text("own/rod.mtx", "%%MatrixMarket matrix coordinate real general\n6 6 1\n1 1 1\n");
    assert_int_equal(symlink("../secret.csv", "own/leak.csv"), 0);
    assert_non_null(whole = realpath("secret.csv", NULL));
    const char *const outside[] = {"../secret.csv", "leak.csv", "inner/../../secret.csv", whole,
                                   "/etc/passwd"};
    for (size_t k = 0; k < sizeof naming / sizeof *naming + sizeof setting / sizeof *setting; k++)
        for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
            const size_t models = sizeof naming / sizeof *naming;
            const char *given = "L=1";
            put_file(text, sizeof text, k < models ? naming[k] : setting[k - models], outside[i]);
            snprintf(model, sizeof model,
                     "holonom: 1\nspace: planar\nparameters: {L: 1}\ninputs: {F: 0}\n%s"
                     "outputs: [rod.x]\nsimulation: {end: 0.1, step: 0.1}\n",
                     k < models ? text : BODY);
            write_text("work/model.yaml", model);
            if (k >= models)
                given = text;
            snprintf(command, sizeof command,
                     "run work/model.yaml -q -o out.csv --report out.html --within own --set %s",
                     given);
            Ran ran = run_cli("", command);
            if (ran.code != 2 || strstr(ran.err, "SECRET") || strstr(ran.err, "root:") ||
                exists("out.csv") ||
                !(strstr(ran.err, "Operation not permitted") ||
                  strstr(ran.err, "outside the folder")))
                fail_msg("%s: exit %d\n%s\n%s", command, ran.code, model, ran.err);
            ran_free(ran);
        }
    free(whole);
}

// parts in folders of their own, which name files beside and above them
static void test_within_parts(void **state) {
    (void)state;
    write_text("own/inner/part.yaml",
               "holonom: 1\nspace: planar\ntables: {t: {file: ../inside.csv, x: time, y: F}}\n");
    write_text(
        "own/inner/leaks.yaml",
        "holonom: 1\nspace: planar\ntables: {t: {file: ../../secret.csv, x: SECRET, y: F}}\n");
    static const char *const models[] = {"inner/part.yaml", "inner/leaks.yaml"};
    for (int i = 0; i < 2; i++) {
        char model[600];
        snprintf(model, sizeof model,
                 "holonom: 1\nspace: planar\nparts: [{name: a, file: %s}]\n" BODY
                 "simulation: {end: 0.1, step: 0.1}\n",
                 models[i]);
        write_text("work/model.yaml", model);
        Ran ran = expect(i ? 2 : 0, "run work/model.yaml -q -o out.csv --within own");
        if (i)
            expect_text(ran.err, "inner/leaks.yaml:3:20");
        ran_free(ran);
        write_text("own/copy.yaml", model);
        ran_free(expect(0, "run own/copy.yaml -q -o out.csv")); // (anywhere without it)
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache), cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_within), cmocka_unit_test(test_within_parts)};
    return cmocka_run_group_tests_name("reading models", tests, enter_place, leave_place);
}
