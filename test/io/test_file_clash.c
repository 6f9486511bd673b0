// SPDX-License-Identifier: Apache-2.0
// An output that is also an input, or another output, is refused with exit 2 before anything is
// written: every command, every pair of its files, by name, link and redirection.
#include "cli_run.h"

static const char *const drawn = "holonom: 1\n"
                                 "space: spatial\n"
                                 "bodies:\n"
                                 "  - {name: b, mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0],\n"
                                 "     shape: {type: mesh, file: part.stl}}\n"
                                 "simulation: {end: 0.1, step: 0.01}\n";
static const char *const facet = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
                                 "vertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n";

// files that commands read; none of them may change
static const char *const kept[] = {
    "m.yaml",       "m.csv",      "m.csv.json",   "d/part.stl",   "d/drawn.yaml", "r.csv",
    "r.csv.json",   "r.h5",       "d/s.csv",      "d/s.csv.json", "t.csv",        "table.yaml",
    "M.mtx",        "m.svg",      "m_radius.svg", "piece.yaml",   "piece.csv",    "u.csv",
    "m_events.csv", "study.yaml", "study.csv",    "m.csv.part",   "parts.yaml",   "with.yaml"};
enum { KEPT = sizeof kept / sizeof *kept };

static void prepare(void) {
    assert_int_equal(mkdir("d", 0700), 0);
    write_text("m.yaml", pendulum);
    write_text("m.csv", pendulum);
    write_text("m.csv.json", pendulum);
    write_text("m.svg", pendulum);
    write_text("m_radius.svg", pendulum);
    write_text("M.mtx", pendulum);
    write_text("t.csv", "x,y\n0,0\n1,1\n");
    FILE *table = fopen("table.yaml", "w");
    fprintf(table,
            "%stables: {t: {file: t.csv, x: x, y: y, interpolation: linear}}\n"
            "forces: [{type: torque, on: rod, value: \"interp(t, time)\"}]\n",
            pendulum);
    fclose(table);
    static const char *const study =
        "study: 1\nmodel: table.yaml\nvary: {L: [1, 2]}\nrecord: {end: \"final(rod.x)\"}\n";
    write_text("study.yaml", study);
    write_text("study.csv", study);
    write_text("m_events.csv", pendulum);
    write_text("m.csv.part", pendulum);
    write_text("u.csv", "time,u\n0,0\n1,1\n");
    write_text("piece.csv", "x,y\n0,0\n1,1\n");
    write_text(
        "piece.yaml",
        "holonom: 1\nspace: planar\ntables: {t: {file: piece.csv, x: x, y: y, "
        "interpolation: linear}}\nbodies: [{name: b, mass: 1, inertia: 1, position: [3, 0]}]\n"
        "forces: [{type: torque, on: b, value: \"interp(t, time)\"}]\n");
    FILE *more = fopen("parts.yaml", "w");
    fprintf(more, "%sparts: [{name: more, file: piece.yaml}]\n", pendulum);
    fclose(more);
    more = fopen("with.yaml", "w");
    fprintf(more, "%sinputs: {u: 0}\nforces: [{type: torque, on: rod, value: u}]\n", pendulum);
    fclose(more);
    write_text("d/drawn.yaml", drawn);
    write_text("d/part.stl", facet);
    ran_free(expect(0, "run m.yaml -q -o r.csv"));
    ran_free(expect(0, "run m.yaml -q -o r.h5"));
    ran_free(expect(0, "run d/drawn.yaml -q -o d/s.csv"));
    assert_int_equal(
        system("ln -s m.yaml soft.yaml; ln m.yaml hard.yaml; ln -s r.csv soft.csv;"
               "ln -s \"$PWD\" here; ln -s new.csv later.csv; ln -s m.yaml n.csv.json"),
        0);
}

static const char *const refused[] = {
    "run m.yaml --report m.yaml",
    "run m.yaml --report ./d/../m.yaml",
    "run m.yaml --report here/m.yaml",
    "run m.yaml --report soft.yaml",
    "run soft.yaml --report m.yaml",
    "run m.yaml --report hard.yaml",
    "run m.yaml -q -o n.csv", // its manifest is a link to the model
    "run m.csv -o m.csv",
    "run m.csv.json -o m.csv", // its manifest
    "run - -o m.csv <m.csv",
    "run - --report m.yaml <m.yaml",
    "run m.yaml -o - >>m.yaml",
    "run m.yaml -q --json >>m.yaml", // also what is only told
    "check m.yaml >>m.yaml",
    "check - <m.yaml >>m.yaml",
    "modes here/m.yaml >>soft.yaml",
    "stability m.yaml --points 2 >>m.yaml",
    "compare m.yaml --methods rk4 --limits 1e-2 >>m.yaml",
    "sweep study.yaml >>study.yaml",
    "diff r.csv r.csv >>r.csv",
    "diff r.csv r.csv --json >>r.csv.json",
    "run d/drawn.yaml --report d/part.stl",
    "run d/drawn.yaml -o x.csv --report d/part.stl",
    "run m.yaml -o x.csv --report x.csv",
    "run m.yaml -o x.csv --report here/x.csv",
    "run m.yaml -o x.csv --report x.csv.json",
    "run m.yaml -o x.h5 --report ./x.h5",
    "run m.yaml -o later.csv --report new.csv",
    "run m.yaml -o later.csv --report new.csv.json",
    "run m.yaml -o - --report -",
    "view r.csv -o r.csv",
    "view r.csv -o r.csv.json",
    "view soft.csv -o r.csv",
    "view r.csv -o soft.csv",
    "view soft.csv -o r.csv.json",
    "view r.h5 -o r.h5",
    "view r.h5 r.csv -o here/r.csv",
    "view r.csv -o m.yaml", // the model of the result
    "view d/s.csv -o d/part.stl",
    "view r.csv -o - >>r.csv",
    "plot r.csv -c rod.x -o r.csv",
    "plot r.csv -c rod.x -o r.csv.json",
    "plot r.h5 -c rod.x -o r.h5",
    "plot soft.csv -c rod.x -o here/r.csv",
    "plot r.h5 r.csv -c rod.x -o r.csv",
    "plot r.csv -c rod.x -o - >>r.csv",
    "run --replay r.csv -o r.csv",
    "run --replay r.csv -o r.csv.json",
    "run --replay r.csv -o m.yaml",
    "run table.yaml -q -o t.csv", // a table of the model
    "run m.yaml -q --certify -o x.csv --report x_errors.csv",
    "modes m.csv -o m.csv",
    "modes m.yaml --report m.yaml",
    "modes table.yaml -o t.csv",
    "modes M.mtx --matrices .",
    "equilibrium m.yaml -o m.yaml",
    "equilibrium table.yaml -o t.csv",
    "equilibrium soft.yaml -o here/m.yaml",
    "stability m.svg --points 2 --plot m.svg",
    "stability m_radius.svg --points 2 --plot m.svg",
    "compare m.csv --methods rk4 --limits 1e-2 -o m.csv",
    "compare m.svg --methods rk4 --limits 1e-2 --plot m.svg",
    "compare table.yaml --methods rk4 --limits 1e-2 -o t.csv",
    "run parts.yaml -q --report piece.yaml", // a part of the model
    "run parts.yaml -q -o piece.csv",        // a table of the part
    "run with.yaml -q --input u=u.csv -o u.csv",
    "run with.yaml -q --input u=u.csv -o x.csv --report u.csv",
    "run with.yaml -q --input u=d/../u.csv -o here/u.csv",
    "run m_events.csv -q -o m.csv", // its table of events
    "run m.yaml -q -o x.csv --report x_events.csv",
    "run m.yaml -q -o x.csv --checkpoint m.yaml",
    "run m.yaml -q -o x.csv --checkpoint hard.yaml",
    "run m.yaml -q -o x.csv --resume soft.yaml",
    "run m.yaml -q -o x.csv --checkpoint x.csv",
    "run m.yaml -q -o x.csv --checkpoint x.csv.json",
    "run m.yaml -q -o x.csv --checkpoint here/x.csv.part",
    "run m.yaml -q -o later.csv --checkpoint new.csv",
    "run m.csv.part -q -o m.csv --checkpoint x.ck", // where the rows would go
    "run table.yaml -q -o x.csv --checkpoint t.csv",
    "run with.yaml -q --input u=u.csv -o x.csv --checkpoint u.csv",
    "sweep study.yaml -q -o study.yaml.csv --report study.yaml",
    "sweep study.csv -q -o study.csv",
    "sweep study.yaml -q -o x.csv --report table.yaml", // the model of the study
    "sweep study.yaml -q -o t.csv",                     // a table of it
    "sweep study.yaml -q -o x.csv --report t.csv",
    "sweep study.yaml -q -o x.csv --report x.csv",
    "sweep study.yaml -q -o x.csv --report x.csv.journal",
};

static void test_refused(void **state) {
    (void)state;
    char *before[KEPT];
    prepare();
    for (int k = 0; k < KEPT; k++)
        assert_non_null(before[k] = read_text(kept[k]));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        Ran ran = expect(2, refused[i]);
        expect_text(ran.err, "one file");
        ran_free(ran);
        for (int k = 0; k < KEPT; k++) {
            char *now = read_text(kept[k]);
            if (!now || strcmp(now, before[k]) != 0)
                fail_msg("holonom %s: changed %s", refused[i], kept[k]);
            free(now);
        }
    }
    assert_int_equal(count_files("x."), 0);
    assert_int_equal(count_files("new."), 0);
    assert_int_equal(count_files("part-"), 0);
    for (int k = 0; k < KEPT; k++)
        free(before[k]);
}

// what only looks alike is no clash
static void test_allowed(void **state) {
    (void)state;
    static const char *const allowed[] = {
        "run m.yaml -q -o d/m.csv --report d/m.html",
        "run m.yaml -q -o /dev/null --report /dev/null",
        "run m.yaml -q -o m.yaml.csv",
        "run - -q -o u.csv <m.yaml",
        "run m.yaml -q -o u.csv --report u.html", // results are replaced by new ones
        "view r.csv -o r.html",
        "view r.csv -o r.html",
        "plot r.csv -c rod.x -o r.svg",
        "plot r.csv r.csv -c rod.x -o r.svg", // an input twice
        "generate four-bar 3 >four-bar",      // words that are no files
        "generate four-bar 3 >four-bar",
    };
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        ran_free(expect(0, allowed[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_allowed)};
    return cmocka_run_group_tests(tests, enter_place, leave_place);
}
