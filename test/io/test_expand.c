// SPDX-License-Identifier: Apache-2.0
// Parts, includes and repeats. A part that is moved and turned moves like the file alone, seen from its
// frame; what repeats write is what a hand would write; a result needs no file but itself.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "holonom/holonom.h"
#include "io/expand/sections.h"
#include "io/model/parse_text.h"
#include "model/fields.h"
#include "model/model.h"

static char folder[] = "/tmp/holonom-expand-XXXXXX";
static HolError error;
static HolSimOptions options;

static void assert_near(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.17g, not %.17g", value, wanted);
}

static void put(const char *name, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static HolStatus load(const char *name, const HolSetting *settings, int n, HolModel **m) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return hol_model_load(path, settings, n, m, &options, &error);
}

static HolModel *load_ok(const char *name) {
    HolModel *m = NULL;
    if (load(name, NULL, 0, &m) != HOL_OK)
        fail_msg("%s", error.text);
    return m;
}

static int setup(void **state) {
    (void)state;
    char path[200];
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/sub", folder);
    return mkdir(path, 0700);
}

static int teardown(void **state) {
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static int column(const HolModel *m, const char *name) {
    for (int i = 0; i < hol_model_column_count(m); i++)
        if (strcmp(hol_model_column(m, i).name, name) == 0)
            return i;
    fail_msg("no column %s", name);
    return -1;
}

// the last row of a run
static void run_last(HolModel *m, double *row) {
    HolSim *sim = NULL;
    assert_int_equal(hol_sim_create(m, &options, &sim, &error), HOL_OK);
    while (hol_sim_time(sim) < options.end)
        if (hol_sim_step(sim, options.end, &error) != HOL_OK)
            fail_msg("%s", error.text);
    assert_int_equal(hol_sim_row(sim, options.end, row, &error), HOL_OK);
    hol_sim_destroy(sim);
}

// ---- parts --------------------------------------------------------------------------------

static const char planar_part[] =
    "holonom: 1\nspace: planar\nparameters: {L: 1, k: \"3*L\"}\n"
    "ground: {points: {O: {at: [0.1, 0.2], axis: [1, 0.3]}}}\n"
    "bodies:\n"
    "  - {name: rod, mass: 1, inertia: 0.3, position: [0.1, \"0.2-L/2\"], velocity: [0.4, 0], "
    "omega: 0.8, points: {top: [0, \"L/2\"], tip: [0, \"-L/2\"]}}\n"
    "  - {name: bob, type: point, mass: 0.5, position: [0.3, -1.5], velocity: [0.1, 0.2]}\n"
    "  - {name: car, mass: 1, inertia: 1, position: [0.6, 0.5]}\n"
    "joints:\n"
    "  - {name: O, type: revolute, between: [ground.O, rod.top]}\n"
    "  - {type: prismatic, between: [ground, car], axis: [1, 0.4]}\n"
    "forces:\n"
    "  - {name: T, type: torque, on: rod, value: \"-k*rod.angle - 0.2*O.angle\"}\n"
    "  - {name: F, type: force, on: rod.tip, value: [\"-2*(rod.tip.x-0.1)\", \"0.3*rod.vy\"]}\n"
    "  - {type: spring_damper, between: [{body: ground, point: O}, bob], stiffness: 4, damping: 1, "
    "length: 1}\n"
    "  - {type: spring_damper, between: [rod.tip, {body: ground, at: [1, 1]}], stiffness: 4}\n"
    "  - {type: force, on: bob, value: [\"bob.y - ground.O.x\", \"ground.x - bob.x\"]}\n"
    "constraints: [{name: c, equation: \"car.x + 0.3*car.y - 0.5*rod.x - 0.3*rod.angle - 0.7\"}]\n"
    "variables: [{name: s, value: \"rod.vx + O.fx\"}]\n"
    "outputs: [rod.x, rod.y, bob.x, bob.y, rod.angle, s, car.x, car.y]\n"
    "simulation: {end: 1, tolerance: 1e-10}\n";

static void test_planar_frame(void **state) {
    (void)state;
    put("sub/part.yaml", planar_part);
    put("placed.yaml",
        "holonom: 1\nspace: planar\nparts: [{name: p, file: sub/part.yaml, at: [3, -2], angle: "
        "0.7}]\n"
        "outputs: [p.rod.x, p.rod.y, p.bob.x, p.bob.y, p.rod.angle, p.s, p.car.x, p.car.y]\n"
        "simulation: {end: 1, tolerance: 1e-10}\n");
    double a[9], b[9];
    HolModel *m = load_ok("sub/part.yaml");
    run_last(m, a);
    hol_model_destroy(m);
    m = load_ok("placed.yaml");
    assert_int_equal(hol_model_remark_count(m), 2); // outputs, simulation
    run_last(m, b);
    hol_model_destroy(m);
    const double c = cos(0.7), s = sin(0.7);
    const int points[] = {1, 3, 7};
    for (int i = 0; i < 3; i++) {
        const double *p = a + points[i], *q = b + points[i];
        assert_near(q[0], 3 + c * p[0] - s * p[1], 1e-7);
        assert_near(q[1], -2 + s * p[0] + c * p[1], 1e-7);
    }
    assert_near(b[5], a[5] + 0.7, 1e-7);
    assert_near(b[6], a[6], 1e-6); // a variable of the part sees the part's axes
    assert_true(fabs(a[5]) > 0.05 && fabs(a[3] - 0.3) > 0.05); // it moved
}

static const char spatial_part[] =
    "space: spatial\nholonom: 1\n"
    "ground: {points: {O: {at: [0, 0, 0.5], axis: [0, 1, 0]}}}\n"
    "bodies:\n"
    "  - {name: rod, mass: 1, inertia: [0.2, 0.3, 0.1], position: [0.5, 0, 0.5], omega: [0, 0.9, "
    "0], "
    "velocity: [0, 0, -0.45], points: {top: [-0.5, 0, 0], tip: {at: [0.5, 0, 0], axis: [0, 0, "
    "1]}}}\n"
    "  - {name: end, mass: 0.4, inertia: [0.02, 0.03, 0.01], position: [1, 0.3, 0.5], orientation: "
    "{axis: [0, 0, 1], angle: 0.4}, omega: [0.1, 1, 0.3]}\n"
    "joints:\n"
    "  - {name: O, type: revolute, between: [ground.O, rod.top]}\n"
    "  - {name: E, type: cylindrical, bodies: [rod, end], at: [1, 0, 0.5], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  - {type: torque, on: end, value: [\"0.3*end.qx\", \"-0.2*end.wz\", \"O.angle+0.1*E.fy\"]}\n"
    "  - {type: force, on: end, value: [\"-end.x\", \"0.3-end.vy\", -3], frame: global}\n"
    "outputs: [rod.x, rod.y, rod.z, end.x, end.y, end.z, O.angle]\n"
    "simulation: {end: 1, tolerance: 1e-10}\n";

static void test_spatial_frame(void **state) {
    (void)state;
    put("part3.yaml", spatial_part);
    // a part in a part: the turns follow each other
    put("inner.yaml",
        "parts: [{name: in, file: part3.yaml, at: [0, 0, 1], orientation: {axis: [1, 0, "
        "0], angle: 0.5}}]\n");
    put("placed3.yaml",
        "holonom: 1\nspace: spatial\nparts: [{name: p, file: inner.yaml, at: [3, -2, 1], "
        "orientation: "
        "{axis: [0, 0, 1], angle: 1.1}}]\n"
        "outputs: [p.in.rod.x, p.in.rod.y, p.in.rod.z, p.in.end.x, p.in.end.y, p.in.end.z, "
        "p.in.O.angle]\n"
        "simulation: {end: 1, tolerance: 1e-10}\n");
    double a[8], b[8];
    HolModel *m = load_ok("part3.yaml");
    run_last(m, a);
    hol_model_destroy(m);
    m = load_ok("placed3.yaml");
    run_last(m, b);
    hol_model_destroy(m);
    for (int i = 1; i < 7; i += 3) {
        const double x = a[i], y = cos(0.5) * a[i + 1] - sin(0.5) * a[i + 2],
                     z = sin(0.5) * a[i + 1] + cos(0.5) * a[i + 2] + 1;
        assert_near(b[i], 3 + cos(1.1) * x - sin(1.1) * y, 1e-7);
        assert_near(b[i + 1], -2 + sin(1.1) * x + cos(1.1) * y, 1e-7);
        assert_near(b[i + 2], 1 + z, 1e-7);
    }
    assert_near(b[7], a[7], 1e-7);
    assert_true(fabs(a[7]) > 0.1);
}

// parameters of a part: from its file, from its entry, from a setting
static void test_parameters(void **state) {
    (void)state;
    HolModel *m = NULL;
    put("leg.yaml", "parameters: {L: 1, m: \"2*L\", n: 1}\n"
                    "bodies: [{repeat: {i: n}, name: \"b{i}\", mass: \"m + i\", inertia: 1}]\n");
    put("legs.yaml", "holonom: 1\nspace: planar\nparameters: {K: 5}\n"
                     "parts:\n  - {name: a, file: leg.yaml}\n"
                     "  - {name: b, file: leg.yaml, parameters: {L: \"K + 1\", n: 2}}\n");
    const HolSetting settings[] = {{"a.n", "3"}, {"a.b2.inertia", "7"}};
    assert_int_equal(load("legs.yaml", settings, 2, &m), HOL_OK);
    assert_int_equal(m->def.n_bodies, 1 + 3 + 2);
    static const char *const names[] = {"a.b0", "a.b1", "a.b2", "b.b0", "b.b1"};
    static const double masses[] = {2, 3, 4, 12, 13};
    for (int i = 0; i < 5; i++) {
        const int body = hol_body_find(m, names[i]);
        assert_int_equal(body, i + 1);
        assert_near(m->def.bodies[body].def.mass, masses[i], 0);
    }
    assert_near(m->def.bodies[3].def.inertia[0], 7, 0);
    hol_model_destroy(m);
    const HolSetting wrong[] = {{"a.q", "3"}};
    assert_int_equal(load("legs.yaml", wrong, 1, &m), HOL_ERR_INPUT);
    assert_non_null(strstr(error.text, "--set a.q"));
}

// a curve by a formula knows its s and the parameters of its part; an input of a part may be set
static void test_curve_and_input(void **state) {
    (void)state;
    HolModel *m = NULL;
    double row[100];
    put("bead.yaml",
        "parameters: {R: 1, s: 7}\ninputs: {u: 1}\n"
        "curves: {ring: {x: \"R*cos(s)\", y: \"R*sin(s)\", to: \"2*pi\", closed: true}}\n"
        "bodies: [{name: b, type: point, mass: 1, position: [R, 0]}]\n"
        "joints: [{name: K, type: point_on_curve, between: [ground, b], curve: ring}]\n"
        "motions: [{joint: K, speed: u}]\n");
    put("beads.yaml", "holonom: 1\nspace: planar\nparts:\n"
                      "  - {name: p, file: bead.yaml, at: [1, 1], parameters: {R: 2}}\n"
                      "  - {name: q, file: bead.yaml}\n"
                      "outputs: [p.b.x, p.b.y, q.b.y, p.u]\n");
    const HolSetting settings[] = {{"p.u", "0.5"}, {"inputs.q.u", "2"}};
    if (load("beads.yaml", settings, 2, &m) != HOL_OK)
        fail_msg("%s", error.text);
    run_last(m, row);
    assert_near(row[column(m, "p.b.x")], 1 + 2 * cos(0.5), 1e-6);
    assert_near(row[column(m, "p.b.y")], 1 + 2 * sin(0.5), 1e-6);
    assert_near(row[column(m, "q.b.y")], sin(2), 1e-6);
    assert_near(row[column(m, "p.u")], 0.5, 0);
    hol_model_destroy(m);
}

// ---- repeats ------------------------------------------------------------------------------

static void test_repeat_by_hand(void **state) {
    (void)state;
    put("chain.yaml",
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {n: 3, L: 0.5}\n"
        "bodies:\n"
        "  - {repeat: {i: n}, name: \"link{i}\", mass: \"1 + i/10\", inertia: 0.02, position: "
        "[\"L*(i + "
        "1/2)\", 0], points: {a: [\"-L/2\", 0], b: [\"L/2\", 0]}}\n"
        "joints:\n"
        "  - {name: J0, type: revolute, between: [ground, link0.a]}\n"
        "  - {repeat: {i: n-1}, name: \"J{i + 1}\", type: revolute, between: [\"link{i}.b\", "
        "\"link{i + "
        "1}.a\"]}\n"
        "forces:\n"
        "  - {repeat: {i: 2, j: \"i + 1\"}, name: \"T{i}{j}\", type: torque, on: \"link{i}\", "
        "value: "
        "\"-0.1*(i + j)*link{j}.omega\"}\n"
        "tables: {t: {x: [{repeat: {i: 4}, value: i}], y: [{repeat: {i: 4}, value: \"i^2\"}], "
        "interpolation: linear}}\n"
        "outputs: [{repeat: {i: n}, value: \"link{i}.x\"}, \"interp(t, 2.5)\"]\n"
        "simulation: {end: 0.3, step: 0.01}\n");
    put("hand.yaml",
        "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  - {name: link0, mass: 1, inertia: 0.02, position: [0.25, 0], points: {a: [-0.25, 0], b: "
        "[0.25, 0]}}\n"
        "  - {name: link1, mass: 1.1, inertia: 0.02, position: [0.75, 0], points: {a: [-0.25, 0], "
        "b: "
        "[0.25, 0]}}\n"
        "  - {name: link2, mass: 1.2, inertia: 0.02, position: [1.25, 0], points: {a: [-0.25, 0], "
        "b: "
        "[0.25, 0]}}\n"
        "joints:\n"
        "  - {name: J0, type: revolute, between: [ground, link0.a]}\n"
        "  - {name: J1, type: revolute, between: [link0.b, link1.a]}\n"
        "  - {name: J2, type: revolute, between: [link1.b, link2.a]}\n"
        "forces:\n"
        "  - {name: T00, type: torque, on: link0, value: 0}\n"
        "  - {name: T10, type: torque, on: link1, value: -0.1*link0.omega}\n"
        "  - {name: T11, type: torque, on: link1, value: -0.2*link1.omega}\n"
        "outputs: [link0.x, link1.x, link2.x]\nsimulation: {end: 0.3, step: 0.01}\n");
    double a[5], b[4];
    HolModel *m = load_ok("chain.yaml");
    assert_int_equal(m->def.n_forces, 3);
    assert_string_equal(m->def.forces[2].def.name, "T11");
    run_last(m, a);
    assert_near(a[4], 6.5, 0);
    hol_model_destroy(m);
    m = load_ok("hand.yaml");
    run_last(m, b);
    for (int i = 0; i < 4; i++)
        assert_near(a[i], b[i], 1e-12);
    assert_int_equal(column(m, "link2.x"), 3);
    hol_model_destroy(m);
}

// ---- includes -----------------------------------------------------------------------------

static void test_include(void **state) {
    (void)state;
    put("sub/curve.csv", "x,y\n0,0\n1,2\n");
    put("sub/materials.yaml", "parameters: {rho: 7850}\n"
                              "tables: {c: {file: curve.csv, x: x, y: y, interpolation: linear}}\n"
                              "simulation: {end: 3}\n");
    put("sub/more.yaml", "include: materials.yaml\nbodies: [{name: q, mass: rho, inertia: 1}]\n");
    put("includes.yaml", "holonom: 1\nspace: planar\ninclude: [sub/materials.yaml, sub/more.yaml]\n"
                         "parameters: {m: \"2*rho\"}\n"
                         "bodies: [{name: b, mass: m, inertia: 1}]\n"
                         "outputs: [\"interp(c, 0.25)\"]\n");
    HolModel *m = load_ok("includes.yaml");
    assert_int_equal(m->def.n_bodies, 3);
    assert_near(m->def.bodies[2].def.mass, 15700, 0);
    assert_near(options.end, 3, 0);
    assert_int_equal(m->n_files, 3);
    assert_string_equal(m->files[2].path, "sub/curve.csv");
    hol_model_destroy(m);
}

// ---- results ------------------------------------------------------------------------------

static int command(const char *format, ...) {
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return system(text);
}

// a result tells all files: it can be repeated and seen when they are gone
static void test_files_in_results(void **state) {
    (void)state;
    char path[200];
    put("sub/steel.yaml", "parameters: {m: 2}\n");
    put("sub/rod.yaml",
        "include: steel.yaml\nbodies: [{name: rod, mass: m, inertia: 1, points: {p: "
        "[1, 0]}}]\njoints: [{name: O, type: revolute, between: [ground, rod.p]}]\n");
    put("user.yaml", "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
                     "parts: [{repeat: {i: 2}, name: \"r{i}\", file: sub/rod.yaml, at: [i, 0]}]\n"
                     "simulation: {end: 0.2, step: 0.01}\n");
    assert_int_equal(
        command("%s run %s/user.yaml --quiet -o %s/r.csv", HOL_CLI_PATH, folder, folder), 0);
    snprintf(path, sizeof path, "%s/sub/rod.yaml", folder);
    assert_int_equal(remove(path), 0);
    snprintf(path, sizeof path, "%s/sub/steel.yaml", folder);
    assert_int_equal(remove(path), 0);
    assert_int_equal(command("%s run --replay %s/r.csv --quiet", HOL_CLI_PATH, folder), 0);
    assert_int_equal(command("%s view %s/r.csv -o %s/r.html >%s/view.log 2>&1", HOL_CLI_PATH,
                             folder, folder, folder),
                     0);
}

// a text from outside reads nothing but files below the folder of its model
static void test_confined(void **state) {
    (void)state;
    static const struct {
        const char *file;
        int refused;
    } cases[] = {{"sub/in.yaml", 0},   {"../out.yaml", 1},        {"/etc/hostname", 1},
                 {"sub/link.yaml", 1}, {"sub/../../out.yaml", 1}, {"sub/none.yaml", 0}};
    char text[300], path[400], inner[300], target[400];
    snprintf(inner, sizeof inner, "%s/box", folder);
    assert_int_equal(command("mkdir -p %s/sub", inner), 0);
    put("box/sub/in.yaml", "bodies: [{name: b, mass: 1, inertia: 1}]\n");
    put("out.yaml", "bodies: [{name: b, mass: 1, inertia: 1}]\n");
    snprintf(path, sizeof path, "%s/sub/link.yaml", inner);
    snprintf(target, sizeof target, "%s/out.yaml", folder);
    assert_int_equal(symlink(target, path), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HolModel *m = NULL;
        int refused = 0;
        snprintf(text, sizeof text, "holonom: 1\nspace: planar\nparts: [{name: p, file: %s}]\n",
                 cases[i].file);
        const HolModelText from = {.text = text,
                                   .length = strlen(text),
                                   .file = "model.yaml",
                                   .folder = inner,
                                   .refused = &refused};
        const HolStatus status = hol_model_parse_text(&from, &m, &options, sizeof options, &error);
        assert_int_equal(refused, cases[i].refused);
        assert_int_equal(status, i == 0 ? HOL_OK : HOL_ERR_INPUT);
        hol_model_destroy(m);
    }
}

// ---- bombs --------------------------------------------------------------------------------

static void refused(const char *name, const char *text) {
    HolModel *m = NULL;
    assert_int_equal(load(name, NULL, 0, &m), HOL_ERR_INPUT);
    assert_null(m);
    if (!strstr(error.text, text))
        fail_msg("%s", error.text);
}

static void test_bombs(void **state) {
    (void)state;
    char name[40], text[400];
    // parts that double twenty times, and a chain that is too deep
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "d%d.yaml", i);
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\nparts: [{name: a, file: d%d.yaml}, {name: b, file: "
                 "d%d.yaml}]\nbodies: [{repeat: {i: 1000}, name: \"x{i}\", mass: 1, inertia: 1}]\n",
                 i + 1, i + 1);
        put(name, text);
    }
    put("d20.yaml", "bodies: [{name: x, mass: 1, inertia: 1}]\n");
    refused("d0.yaml", "nested more than 16 deep");
    refused("d8.yaml", "make more than");
    // a text that grows
    put("grow.yaml", "parameters: {p: 1}\nvariables: [{name: v, value: &a \"p+p\"}]\n");
    char *long_text = malloc(700000);
    size_t n = (size_t)sprintf(long_text, "variables: [{name: v, value: \"p");
    while (n < 650000)
        n += (size_t)sprintf(long_text + n, "+p");
    sprintf(long_text + n, "\"}]\nparameters: {p: 1}\n");
    put("long.yaml", long_text);
    free(long_text);
    put("usage.yaml",
        "holonom: 1\nspace: planar\nparts: [{name: part_with_a_name, file: long.yaml}]\n");
    refused("usage.yaml", "longer than");
    // names
    put("name.yaml",
        "bodies: [{name: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, mass: "
        "1, inertia: 1}]\n");
    put("names.yaml", "holonom: 1\nspace: planar\nparts: [{name: "
                      "ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp, "
                      "file: name.yaml}]\n");
    refused("names.yaml", "longer than 120 characters");
}

// ---- tables -------------------------------------------------------------------------------

// every key of the file is a section that parts know
static void test_sections(void **state) {
    (void)state;
    int n = 0;
    for (; hol_sections[n].key; n++)
        if (!hol_field_find(hol_file_fields, hol_sections[n].key) &&
            strcmp(hol_sections[n].key, "units") != 0)
            fail_msg("no key of the file: %s", hol_sections[n].key);
    assert_true(n < HOL_SECTIONS);
    for (const HolField *f = hol_file_fields; f->key; f++) {
        int found = 0;
        for (int i = 0; i < n; i++)
            found |= strcmp(hol_sections[i].key, f->key) == 0;
        if (!found)
            fail_msg("'%s' has no line in src/io/expand/sections.c", f->key);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar_frame),
        cmocka_unit_test(test_spatial_frame),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_curve_and_input),
        cmocka_unit_test(test_repeat_by_hand),
        cmocka_unit_test(test_include),
        cmocka_unit_test(test_files_in_results),
        cmocka_unit_test(test_confined),
        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_sections),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
