// SPDX-License-Identifier: Apache-2.0
// The C interface itself: a HolError is cleared by every call that takes one, what could not be
// added makes compiling fail, things get the names that files give them, structs of older and newer
// programs are taken or refused, and NULL is answered.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "holonom/tools.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64] = "/tmp/holonom-interface-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state) {
    (void)state;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
    return rmdir(folder);
}

static const char *in_folder(const char *name) {
    static char path[4][160];
    static int next;
    char *out = path[next++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

static const char *const pendulum =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
    "joints: [{type: revolute, between: [ground, {body: rod, at: [-0.5, 0]}]}]\n"
    "simulation: {end: 0.1, tolerance: 1e-6}\n";

static HolModel *new_model(void) {
    HolModel *m;
    assert_int_equal(hol_model_create("m", HOL_PLANAR, NULL, &m, NULL), HOL_OK);
    return m;
}

static void add_rod(HolModel *m, const char *name) {
    HolBodyDef body = hol_body_def();
    body.name = name;
    body.inertia[0] = 0.1;
    assert_int_equal(hol_model_add_body(m, &body, NULL), HOL_OK);
}

// ---- every call clears its error ----

static void dirty(HolError *err) {
    *err = (HolError){.status = HOL_ERR_STEP, .problems = 3, .line = 4, .column = 5, .time = 6};
    snprintf(err->text, sizeof err->text, "old news");
}

// names of the calls that were seen to succeed
static char walked[8192] = " ";

static void seen(const char *name, HolStatus status, const HolError *err) {
    if (status != HOL_OK)
        fail_msg("%s: %s", name, err->text);
    if (err->text[0] || err->status || err->problems || err->line || err->column || err->time != 0)
        fail_msg("%s leaves old news in its error: '%s'", name, err->text);
    strcat(strcat(walked, name), " ");
}

#define CALL(function, ...)                                                                        \
    do {                                                                                           \
        HolError err_;                                                                             \
        dirty(&err_);                                                                              \
        seen(#function, function(__VA_ARGS__, &err_), &err_);                                      \
    } while (0)

static void walk_building(void) {
    HolModel *m;
    const double x[] = {0, 1}, y[] = {0, 1};
    CALL(hol_model_create, "m", HOL_PLANAR, NULL, &m);
    CALL(hol_model_add_parameter, m, "k", 2.0);
    HolTableDef table = hol_table_def();
    table.name = "curve";
    table.x = x;
    table.y = y;
    table.n = 2;
    CALL(hol_model_add_table, m, &table);
    HolPointDef point = hol_point_def();
    point.name = "O";
    CALL(hol_model_add_ground_point, m, &point);
    HolBodyDef body = hol_body_def();
    body.name = "rod";
    body.inertia[0] = 1;
    CALL(hol_model_add_body, m, &body);
    HolJointDef joint = hol_joint_def("revolute");
    joint.a.point = "O";
    joint.b.body = "rod";
    CALL(hol_model_add_joint, m, &joint);
    HolForceDef force = hol_force_def("torque");
    force.on.body = "rod";
    force.value[0] = "k*time*u";
    force.n_value = 1;
    CALL(hol_model_add_force, m, &force);
    HolVariableDef variable = hol_variable_def();
    variable.name = "u";
    variable.value = "1 + time";
    CALL(hol_model_add_variable, m, &variable);
    body.name = "other";
    CALL(hol_model_add_body, m, &body);
    HolConstraintDef constraint = hol_constraint_def();
    constraint.equation = "other.x - 1";
    CALL(hol_model_add_constraint, m, &constraint);
    joint.b.body = "other";
    joint.a.body = "rod";
    joint.a.point = NULL;
    joint.type = "prismatic";
    joint.a.has_axis = 1;
    joint.a.axis[0] = 1;
    CALL(hol_model_add_joint, m, &joint);
    HolMotionDef motion = hol_motion_def();
    motion.joint = "joint2";
    motion.value = "1";
    CALL(hol_model_add_motion, m, &motion);
    CALL(hol_model_add_output, m, "rod.angle", 0, 0);
    CALL(hol_model_compile, m);
    CALL(hol_model_compile, m); // again: nothing to do
    hol_model_destroy(m);
}

static HolStatus nothing(void *user, HolSim *s, int what, double t, HolError *err) {
    (void)user, (void)s, (void)what, (void)t, (void)err;
    return HOL_OK;
}

static void walk_files(HolSim *s, const HolModel *m, const HolSimOptions *o) {
    HolResultWriter *w;
    HolResult *r;
    HolReport *report = NULL;
    HolError err;
    double row[64] = {0}, all[64] = {0}, bounds[64] = {0};
    const char *csv = in_folder("a.csv"), *page = in_folder("a.html"), *input = in_folder("b.csv");
    assert_true(hol_model_column_count(m) < 64 && hol_model_all_column_count(m) < 64);
    CALL(hol_files_apart, m, &input, 1, &csv, 1);
    CALL(hol_sim_row, s, hol_sim_time(s), row);
    CALL(hol_sim_row_all, s, hol_sim_time(s), all);
    CALL(hol_result_open_certified, csv, m, o, &w);
    CALL(hol_result_certified_row, w, row, bounds);
    CALL(hol_result_close, w, 1);
    CALL(hol_result_open, csv, m, o, &w);
    CALL(hol_result_row, w, row);
    CALL(hol_result_close, w, 1);
    CALL(hol_result_read, csv, &r);
    hol_result_destroy(r);
    if (hol_report_open(page, m, o, &report, &err) == HOL_ERR_UNSUPPORTED) {
        strcat(walked, "hol_report_open hol_report_row hol_report_close hol_view_write ");
        return; // no page in this build
    }
    assert_int_equal(hol_report_close(report, NULL, NULL, 0, NULL), HOL_OK);
    CALL(hol_report_open, page, m, o, &report);
    CALL(hol_report_row, report, all, row);
    CALL(hol_report_close, report, NULL, NULL, 1);
    CALL(hol_view_write, &csv, 1, page, NULL, 0);
}

static void walk_running(void) {
    HolModel *m;
    HolSim *s;
    HolSimOptions o;
    HolCheck check;
    HolCertificate *z;
    FILE *f = fopen(in_folder("m.yaml"), "w");
    assert_non_null(f);
    fputs(pendulum, f);
    fclose(f);
    CALL(hol_model_load_sized, in_folder("m.yaml"), NULL, 0, &m, &o, sizeof o);
    hol_model_destroy(m);
    CALL(hol_model_load, in_folder("m.yaml"), NULL, 0, &m, &o);
    hol_model_destroy(m);
    CALL(hol_model_parse_sized, pendulum, strlen(pendulum), "m", NULL, 0, &m, &o, sizeof o);
    hol_model_destroy(m);
    CALL(hol_model_parse, pendulum, strlen(pendulum), "m", NULL, 0, &m, &o);
    CALL(hol_sim_create, m, &o, &s);
    CALL(hol_sim_assemble, s);
    CALL(hol_sim_assemble, s); // again: nothing to do
    CALL(hol_sim_check_sized, s, &check, sizeof check);
    CALL(hol_sim_check, s, &check);
    CALL(hol_sim_step, s, 0.1);
    CALL(hol_sim_advance, s, 0.05);
    CALL(hol_sim_run, s, 0.1, nothing, NULL);
    walk_files(s, m, &o);
    hol_sim_destroy(s);
    CALL(hol_certify, m, &o, NULL, &z);
    hol_certificate_destroy(z);
    hol_model_destroy(m);
}

static void unit_mass(const HolProblem *p, void *work, const HolPoint *at, double c, int into_S,
                      double *S) {
    (void)p, (void)work, (void)at, (void)into_S;
    S[0] += c;
}

static void no_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    f[0] = 0;
}

// one free coordinate
static HolProblem free_problem(void) {
    HolProblem p = hol_problem_def();
    p.nq = p.nv = 1;
    p.mass = unit_mass;
    p.force = no_force;
    return p;
}

static void no_text(void *to, const char *text, size_t length) {
    (void)to, (void)text, (void)length;
}

static void walk_tools(void) {
    const HolProblem p = free_problem();
    const double q0[] = {0}, v0[] = {1};
    HolSim *s;
    CALL(hol_sim_create_problem, &p, q0, v0, NULL, &s);
    hol_sim_destroy(s);
    const HolCurve curve = {.x = v0, .y = v0, .n = 1};
    const HolPanel panel = {.curves = &curve, .n_curves = 1};
    HolPlot plot = hol_plot();
    plot.panels = &panel;
    plot.n_panels = 1;
    CALL(hol_plot_write, &plot, in_folder("a.svg"));
    CALL(hol_reproduce, "002", 1, HOL_REPRODUCE_TEXT, no_text, NULL);
    HolGenerate g = hol_generate_options();
    g.mechanism = "chain";
    g.n = 2;
    CALL(hol_generate, &g, no_text, NULL);
    HolError err;
    HolBenchOptions bench = hol_bench_options(); // a run of it takes long: its failure is its own
    bench.problem = "nothing";
    bench.put = no_text;
    dirty(&err);
    assert_int_equal(hol_bench(&bench, &err), HOL_ERR_INPUT);
    assert_int_equal(err.problems, 1);
    assert_true(err.line == 0 && err.time == 0 && !strstr(err.text, "old news"));
    strcat(walked, "hol_bench ");
    HolStudio *studio = NULL;
    const int stop = 1;
    HolStudioOptions o = hol_studio_options();
    o.program = "holonom";
    if (hol_studio_open(&o, &studio, &err) == HOL_ERR_UNSUPPORTED) {
        strcat(walked, "hol_studio_open hol_studio_serve ");
        return;
    }
    hol_studio_close(studio);
    CALL(hol_studio_open, &o, &studio);
    CALL(hol_studio_serve, studio, &stop);
    hol_studio_close(studio);
}

// every function of a header whose declaration ends with a HolError
static int check_header(const char *name) {
    static char text[100000];
    int n = 0;
    char path[256];
    snprintf(path, sizeof path, "%s/include/holonom/%s", HOL_SOURCE_DIR, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    for (const char *at = text; (at = strstr(at, "HolError *err)")); at++) {
        const char *open = at + strlen("HolError *err)") - 1, *start;
        int depth = 1; // back over parameters that are functions
        while (open > text && depth > 0) {
            open--;
            depth += (*open == ')') - (*open == '(');
        }
        start = open;
        while (start > text && (start[-1] == '_' || (start[-1] >= 'a' && start[-1] <= 'z')))
            start--;
        if (strncmp(start, "hol_", 4) != 0)
            continue; // a type of functions
        char word[96];
        snprintf(word, sizeof word, " %.*s ", (int)(open - start), start);
        if (!strstr(walked, word))
            fail_msg("%s:%s was not walked", name, word);
        n++;
    }
    return n;
}

static void test_errors_are_cleared(void **state) {
    (void)state;
    walk_building();
    walk_running();
    walk_tools();
    static const char *const headers[] = {"model.h",   "problem.h", "sim.h",  "result.h",
                                          "options.h", "certify.h", "tools.h"};
    int n = 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        n += check_header(headers[i]);
    assert_true(n >= 37);
}

// ---- what could not be added ----

static void test_failed_add(void **state) {
    (void)state;
    HolError err;
    HolModel *m = new_model();
    add_rod(m, "rod");
    HolJointDef joint = hol_joint_def("revolute");
    joint.name = "two words";
    joint.b.body = "rod";
    assert_int_equal(hol_model_add_joint(m, &joint, NULL), HOL_ERR_INPUT);
    HolBodyDef body = hol_body_def();
    body.name = "heavy";
    body.mass = -1;
    assert_int_equal(hol_model_add_body(m, &body, NULL), HOL_ERR_INPUT);
    body.name = "light";
    body.mass = 1;
    assert_int_equal(hol_model_add_body(m, &body, &err), HOL_OK);
    assert_int_equal(hol_model_compile(m, &err), HOL_ERR_INPUT);
    assert_int_equal(err.problems, 2);
    assert_non_null(strstr(err.text, "joint 'two words' could not be added: joint name"));
    assert_non_null(strstr(err.text, "body 'heavy' could not be added"));
    assert_non_null(strstr(err.text, "mass -1 is not valid"));
    assert_null(strstr(err.text, "light"));
    assert_null(hol_model_problem(m));
    HolSim *s = (HolSim *)m;
    assert_int_equal(hol_sim_create(m, NULL, &s, &err), HOL_ERR_INPUT);
    assert_null(s);
    assert_string_equal(err.text, "the model is not compiled");
    hol_model_destroy(m);
}

// what a failed compile has left is not built upon
static void test_failed_compile(void **state) {
    (void)state;
    HolError err;
    HolModel *m = new_model();
    add_rod(m, "rod");
    HolJointDef joint = hol_joint_def("revolute");
    joint.b.body = "nobody";
    assert_int_equal(hol_model_add_joint(m, &joint, NULL), HOL_OK);
    assert_int_equal(hol_model_compile(m, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "there is no body 'nobody'"));
    assert_int_equal(hol_model_compile(m, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "could not be compiled before"));
    assert_non_null(strstr(err.text, "there is no body 'nobody'"));
    hol_model_destroy(m);
}

// a compiled model stays what it is
static void test_add_to_compiled(void **state) {
    (void)state;
    HolError err;
    HolModel *m = new_model();
    add_rod(m, "rod");
    assert_int_equal(hol_model_compile(m, NULL), HOL_OK);
    HolBodyDef body = hol_body_def();
    body.name = "late";
    assert_int_equal(hol_model_add_body(m, &body, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "the model is compiled"));
    assert_int_equal(hol_model_add_output(m, "time", 0, 0, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_model_add_parameter(m, "p", 1, &err), HOL_ERR_INPUT);
    HolPointDef point = hol_point_def();
    point.name = "P";
    assert_int_equal(hol_model_add_ground_point(m, &point, &err), HOL_ERR_INPUT);
    assert_int_equal(hol_model_compile(m, &err), HOL_OK);
    assert_int_equal(hol_model_body_count(m), 1);
    hol_model_destroy(m);
}

// ---- names ----

static void test_default_names(void **state) {
    (void)state;
    HolError err;
    HolModel *m = new_model();
    const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        add_rod(m, names[i]);
        HolJointDef joint = hol_joint_def(i < 2 ? "revolute" : "distance");
        joint.name = i == 1 ? "middle" : NULL;
        joint.b.body = names[i];
        joint.length = 1;
        assert_int_equal(hol_model_add_joint(m, &joint, NULL), HOL_OK);
        HolForceDef force = hol_force_def("torque");
        force.on.body = names[i];
        force.value[0] = "1";
        force.n_value = 1;
        assert_int_equal(hol_model_add_force(m, &force, NULL), HOL_OK);
    }
    HolMotionDef motion = hol_motion_def();
    motion.joint = "joint1";
    motion.value = "time";
    assert_int_equal(hol_model_add_motion(m, &motion, NULL), HOL_OK);
    HolConstraintDef constraint = hol_constraint_def();
    constraint.equation = "c.y - 2";
    assert_int_equal(hol_model_add_constraint(m, &constraint, NULL), HOL_OK);
    assert_int_equal(hol_model_add_output(m, "motion1.lambda", 0, 0, NULL), HOL_OK);
    assert_int_equal(hol_model_add_output(m, "constraint1.lambda", 0, 0, NULL), HOL_OK);
    if (hol_model_compile(m, &err))
        fail_msg("%s", err.text);
    assert_string_equal(hol_model_joint_name(m, 0), "joint1");
    assert_string_equal(hol_model_joint_name(m, 1), "middle");
    assert_string_equal(hol_model_joint_name(m, 2), "joint3");
    assert_null(hol_model_joint_name(m, 3));
    assert_null(hol_model_joint_name(m, -1));
    hol_model_destroy(m);
    // a name that is taken is a problem, as in a file
    m = new_model();
    add_rod(m, "a");
    HolForceDef force = hol_force_def("torque");
    force.name = "force2";
    force.on.body = "a";
    force.value[0] = "1";
    force.n_value = 1;
    assert_int_equal(hol_model_add_force(m, &force, NULL), HOL_OK);
    force.name = NULL;
    assert_int_equal(hol_model_add_force(m, &force, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "there is already a force named 'force2'"));
    hol_model_destroy(m);
}

// a motion or constraint twice under one name
static void test_names_twice(void **state) {
    (void)state;
    HolError err;
    HolModel *m = new_model();
    add_rod(m, "a");
    HolConstraintDef constraint = hol_constraint_def();
    constraint.name = "once";
    constraint.equation = "a.x";
    assert_int_equal(hol_model_add_constraint(m, &constraint, &err), HOL_OK);
    assert_int_equal(hol_model_add_constraint(m, &constraint, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "there is already a constraint named 'once'"));
    HolMotionDef motion = hol_motion_def();
    motion.name = "drive";
    motion.joint = "j";
    motion.value = "0";
    assert_int_equal(hol_model_add_motion(m, &motion, &err), HOL_OK);
    assert_int_equal(hol_model_add_motion(m, &motion, &err), HOL_ERR_INPUT);
    assert_non_null(strstr(err.text, "there is already a motion named 'drive'"));
    hol_model_destroy(m);
}

// ---- structs of other programs ----

// as an older header had them: the last members are missing
typedef struct OldJointDef {
    size_t size;
    const char *name, *type;
    HolRef a, b;
    int global_frame;
    double at[3], axis[3], x[3];
    int has_axis, has_x;
} OldJointDef;

typedef struct OldPointDef {
    size_t size;
    const char *name;
    double at[3];
} OldPointDef;

typedef struct OldOptions {
    size_t size;
    HolMethodOptions method;
    HolErrorOptions error;
    double start, end;
} OldOptions;

typedef struct OldStats {
    size_t size;
    long steps, rejected;
} OldStats;

typedef struct OldCheck {
    size_t size;
    int bodies, joints;
} OldCheck;

// room with a fence behind it, which nobody may touch
#define FENCED(type, name)                                                                         \
    struct {                                                                                       \
        type is;                                                                                   \
        unsigned char fence[64];                                                                   \
    } name;                                                                                        \
    memset(&name, 0x5a, sizeof name)

static void fence_stands(const unsigned char *fence) {
    for (int i = 0; i < 64; i++)
        assert_int_equal(fence[i], 0x5a);
}

// a problem of which the old program knows the functions up to `force`
static void test_older_problem(void **state) {
    (void)state;
    enum { KNOWN = offsetof(HolProblem, constraint) };
    struct {
        unsigned char is[KNOWN], fence[64];
    } old;
    const double q0[] = {1}, v0[] = {2};
    HolError err;
    HolSim *s;
    HolProblem full = free_problem();
    memset(&old, 0x5a, sizeof old);
    full.size = KNOWN;
    memcpy(old.is, &full, KNOWN);
    // (aligned as the struct is)
    HolProblem *p = calloc(1, KNOWN);
    assert_non_null(p);
    memcpy(p, old.is, KNOWN);
    assert_int_equal(hol_sim_create_problem(p, q0, v0, NULL, &s, &err), HOL_OK);
    assert_int_equal(hol_sim_advance(s, 1, &err), HOL_OK);
    assert_true(fabs(hol_sim_view(s).q[0] - 3) < 1e-12);
    hol_sim_destroy(s);
    hol_problem_def_sized((HolProblem *)(void *)old.is, KNOWN);
    fence_stands(old.fence);
    memcpy(&full.size, old.is, sizeof full.size);
    assert_int_equal(full.size, KNOWN);
    free(p);
}

static void test_older_program(void **state) {
    (void)state;
    HolError err;
    HolModel *m = new_model();
    // a distance joint whose length the old program does not know: that of the start
    OldPointDef points[2] = {{sizeof(OldPointDef), "left", {-0.5, 0, 0}},
                             {sizeof(OldPointDef), "right", {0.5, 0, 0}}};
    HolBodyDef body = hol_body_def();
    body.name = "rod";
    body.inertia[0] = 0.1;
    body.position[0] = 2;
    body.points = (const HolPointDef *)(const void *)points;
    body.n_points = 2;
    assert_int_equal(hol_model_add_body(m, &body, &err), HOL_OK);
    FENCED(OldJointDef, joint);
    hol_joint_def_sized("distance", (HolJointDef *)(void *)&joint.is, sizeof joint.is);
    fence_stands(joint.fence);
    assert_int_equal(joint.is.size, sizeof joint.is);
    joint.is.b.body = "rod";
    joint.is.b.point = "right";
    assert_int_equal(hol_model_add_joint(m, (const HolJointDef *)(const void *)&joint.is, &err),
                     HOL_OK);
    if (hol_model_compile(m, &err))
        fail_msg("%s", err.text);
    FENCED(OldOptions, o);
    hol_sim_options_sized((HolSimOptions *)(void *)&o.is, sizeof o.is);
    fence_stands(o.fence);
    o.is.end = 0.01;
    HolSim *s;
    assert_int_equal(hol_sim_create(m, (const HolSimOptions *)(const void *)&o.is, &s, &err),
                     HOL_OK);
    FENCED(OldCheck, check);
    assert_int_equal(hol_sim_check_sized(s, (HolCheck *)(void *)&check.is, sizeof check.is, &err),
                     HOL_OK);
    fence_stands(check.fence);
    assert_int_equal(check.is.size, sizeof check.is);
    assert_int_equal(check.is.joints, 1);
    HolCheck full;
    assert_int_equal(hol_sim_check(s, &full, &err), HOL_OK);
    assert_true(full.moved_position < 1e-12); // length 2.5: nothing moves
    assert_int_equal(hol_sim_advance(s, 0.01, &err), HOL_OK);
    FENCED(OldStats, stats);
    hol_sim_stats_sized(s, (HolStats *)(void *)&stats.is, sizeof stats.is);
    fence_stands(stats.fence);
    assert_int_equal(stats.is.size, sizeof stats.is);
    assert_int_equal(stats.is.steps, hol_sim_stats(s).steps);
    assert_true(stats.is.steps > 0);
    FENCED(double, view); // t alone
    hol_sim_view_sized(s, (HolView *)(void *)&view.is, sizeof view.is);
    fence_stands(view.fence);
    assert_true(view.is == 0.01);
    hol_sim_destroy(s);
    // into results
    HolResultWriter *w;
    double row[64] = {0};
    assert_int_equal(hol_result_open(in_folder("old.csv"), m,
                                     (const HolSimOptions *)(const void *)&o.is, &w, &err),
                     HOL_OK);
    assert_int_equal(hol_result_row(w, row, &err), HOL_OK);
    hol_result_summary(w, (const HolStats *)(const void *)&stats.is,
                       (const HolCheck *)(const void *)&check.is, HOL_OK, NULL);
    assert_int_equal(hol_result_close(w, 1, &err), HOL_OK);
    hol_model_destroy(m);
    // options that a file fills
    FENCED(OldOptions, loaded);
    assert_int_equal(hol_model_parse_sized(pendulum, strlen(pendulum), "m", NULL, 0, &m,
                                           (HolSimOptions *)(void *)&loaded.is, sizeof loaded.is,
                                           &err),
                     HOL_OK);
    fence_stands(loaded.fence);
    assert_int_equal(loaded.is.size, sizeof loaded.is);
    assert_true(loaded.is.end == 0.1);
    hol_model_destroy(m);
}

// the maker is named where a struct was not made by it
static void refused(const HolError *err, const char *maker) {
    if (!strstr(err->text, "size") || !strstr(err->text, maker))
        fail_msg("'%s' does not name %s", err->text, maker);
}

#define REFUSED(function, maker, ...)                                                              \
    do {                                                                                           \
        HolError err_;                                                                             \
        assert_int_equal(function(__VA_ARGS__, &err_), HOL_ERR_INPUT);                             \
        refused(&err_, maker "()");                                                                \
    } while (0)

// size 0 ({0}) and more than the library knows
static void test_refused_sizes(void **state) {
    (void)state;
    HolModel *m;
    HolSim *s;
    HolSimOptions options;
    HolResultWriter *w;
    HolCertificate *z;
    HolStudio *studio;
    assert_int_equal(hol_model_parse(pendulum, strlen(pendulum), "m", NULL, 0, &m, &options, NULL),
                     HOL_OK);
    for (int larger = 0; larger < 2; larger++) {
        HolModel *own = new_model();
#define BAD(type, name) const type name = {.size = larger ? sizeof name + 8 : 0}
        BAD(HolBodyDef, body);
        BAD(HolJointDef, joint);
        BAD(HolForceDef, force);
        BAD(HolPointDef, point);
        BAD(HolMotionDef, motion);
        BAD(HolConstraintDef, constraint);
        BAD(HolVariableDef, variable);
        BAD(HolTableDef, table);
        BAD(HolSimOptions, o);
        BAD(HolCertifyObserver, observer);
        BAD(HolPlot, plot);
        BAD(HolStudioOptions, place);
        BAD(HolStats, stats);
        BAD(HolProblem, problem);
        BAD(HolGenerate, generate);
        BAD(HolBenchOptions, bench);
        REFUSED(hol_model_add_body, "hol_body_def", own, &body);
        REFUSED(hol_model_add_joint, "hol_joint_def", own, &joint);
        REFUSED(hol_model_add_force, "hol_force_def", own, &force);
        REFUSED(hol_model_add_ground_point, "hol_point_def", own, &point);
        REFUSED(hol_model_add_motion, "hol_motion_def", own, &motion);
        REFUSED(hol_model_add_constraint, "hol_constraint_def", own, &constraint);
        REFUSED(hol_model_add_variable, "hol_variable_def", own, &variable);
        REFUSED(hol_model_add_table, "hol_table_def", own, &table);
        HolBodyDef pointed = hol_body_def();
        pointed.name = "b";
        pointed.points = &point;
        pointed.n_points = 1;
        REFUSED(hol_model_add_body, "hol_point_def", own, &pointed);
        REFUSED(hol_sim_create, "hol_sim_options", m, &o, &s);
        const double zero[] = {0};
        REFUSED(hol_sim_create_problem, "hol_problem_def", &problem, zero, zero, NULL, &s);
        REFUSED(hol_result_open, "hol_sim_options", in_folder("c.csv"), m, &o, &w);
        REFUSED(hol_certify, "hol_sim_options", m, &o, NULL, &z);
        REFUSED(hol_certify, "hol_certify_observer", m, NULL, &observer, &z);
        REFUSED(hol_plot_write, "hol_plot", &plot, in_folder("a.svg"));
        REFUSED(hol_generate, "hol_generate_options", &generate, no_text, NULL);
        REFUSED(hol_bench, "hol_bench_options", &bench);
        REFUSED(hol_studio_open, "hol_studio_options", &place, &studio);
        assert_int_equal(hol_result_open(in_folder("c.csv"), m, NULL, &w, NULL), HOL_OK);
        hol_result_summary(w, &stats, NULL, HOL_OK, NULL);
        REFUSED(hol_result_close, "hol_sim_stats", w, 1);
        assert_int_not_equal(access(in_folder("c.csv"), F_OK), 0);
        hol_model_destroy(own);
    }
    hol_model_destroy(m);
}

// ---- NULL and a model that is not compiled ----

#define ANSWERED(function, ...)                                                                    \
    do {                                                                                           \
        HolError err_;                                                                             \
        assert_int_equal(function(__VA_ARGS__, &err_), HOL_ERR_INPUT);                             \
        assert_true(err_.text[0]);                                                                 \
        assert_int_equal(function(__VA_ARGS__, NULL), HOL_ERR_INPUT);                              \
    } while (0)

static void test_null(void **state) {
    (void)state;
    HolModel *m = NULL, *raw = new_model();
    HolSim *s;
    HolResult *r;
    HolResultWriter *w;
    HolCertificate *z;
    HolReport *report;
    HolCheck check;
    HolBodyDef body = hol_body_def();
    double row[4] = {0}, bounds[4] = {0};
    const int stop = 1;
    body.name = "b";
    ANSWERED(hol_model_add_body, NULL, &body);
    ANSWERED(hol_model_add_body, raw, NULL);
    ANSWERED(hol_model_add_joint, raw, NULL);
    ANSWERED(hol_model_add_parameter, raw, NULL, 1);
    ANSWERED(hol_model_add_output, raw, NULL, 0, 0);
    ANSWERED(hol_model_compile, NULL);
    ANSWERED(hol_model_load, NULL, NULL, 0, &m, NULL);
    ANSWERED(hol_model_parse, NULL, 0, NULL, NULL, 0, &m, NULL);
    ANSWERED(hol_model_parse, pendulum, 1, NULL, NULL, 0, NULL, NULL);
    ANSWERED(hol_model_create, "m", HOL_PLANAR, NULL, NULL);
    ANSWERED(hol_sim_create, NULL, NULL, &s);
    ANSWERED(hol_sim_create, raw, NULL, &s);
    ANSWERED(hol_sim_create, raw, NULL, NULL);
    ANSWERED(hol_sim_create_problem, NULL, NULL, NULL, NULL, &s);
    ANSWERED(hol_sim_assemble, NULL);
    ANSWERED(hol_sim_step, NULL, 1);
    ANSWERED(hol_sim_advance, NULL, 1);
    ANSWERED(hol_sim_run, NULL, 1, NULL, NULL);
    ANSWERED(hol_sim_check, NULL, &check);
    ANSWERED(hol_sim_row, NULL, 0, row);
    ANSWERED(hol_sim_row_all, NULL, 0, row);
    ANSWERED(hol_result_open, in_folder("x.csv"), raw, NULL, &w);
    ANSWERED(hol_result_open, NULL, NULL, NULL, &w);
    ANSWERED(hol_result_row, NULL, row);
    ANSWERED(hol_result_certified_row, NULL, row, bounds);
    ANSWERED(hol_result_read, NULL, &r);
    ANSWERED(hol_certify, raw, NULL, NULL, &z);
    ANSWERED(hol_report_open, in_folder("x.html"), raw, NULL, &report);
    ANSWERED(hol_report_row, NULL, row, row);
    ANSWERED(hol_view_write, NULL, 0, NULL, NULL, 0);
    ANSWERED(hol_plot_write, NULL, "a.svg");
    ANSWERED(hol_studio_serve, NULL, &stop);
    assert_int_equal(hol_result_close(NULL, 1, NULL), HOL_OK);
    assert_int_equal(hol_report_close(NULL, NULL, NULL, 1, NULL), HOL_OK);
    assert_int_equal(hol_sim_interpolate(NULL, 0, NULL, NULL, NULL, NULL, NULL), HOL_ERR_INPUT);
    assert_string_equal(hol_model_name(NULL), "");
    assert_int_equal(hol_model_body_count(NULL), 0);
    assert_null(hol_model_body_name(raw, 0));
    assert_int_equal(hol_model_column_count(raw), 0);
    assert_null(hol_model_column(raw, 0).name);
    assert_int_equal(hol_model_all_column_count(NULL), 0);
    assert_null(hol_model_all_column(raw, 0).name);
    assert_null(hol_model_problem(NULL));
    assert_int_equal(hol_result_column_count(NULL), 0);
    assert_null(hol_result_values(NULL, 0));
    assert_true(hol_sim_time(NULL) == 0);
    assert_int_equal(hol_sim_view(NULL).nq, 0);
    assert_int_equal(hol_sim_stats(NULL).steps, 0);
    hol_sim_stop_flag(NULL, &stop);
    hol_sim_destroy(NULL);
    hol_model_destroy(NULL);
    hol_model_destroy(raw);
}

// expressions, types and lists that are missing are named when compiling, at the latest
static void test_missing_parts(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        HolError err;
        HolModel *m = new_model();
        add_rod(m, "rod");
        HolForceDef force = hol_force_def(i == 0 ? NULL : "torque");
        force.on.body = "rod";
        force.n_value = i == 1;
        HolJointDef joint = hol_joint_def(i == 2 ? NULL : "revolute");
        joint.b.body = "rod";
        HolMotionDef motion = hol_motion_def();
        motion.joint = "joint1";
        HolConstraintDef constraint = hol_constraint_def();
        HolVariableDef variable = hol_variable_def();
        variable.name = "u";
        HolStatus status = hol_model_add_joint(m, &joint, &err);
        if (!status && i < 2)
            status = hol_model_add_force(m, &force, &err);
        if (!status && i == 3)
            status = hol_model_add_motion(m, &motion, &err);
        if (!status && i == 4)
            status = hol_model_add_constraint(m, &constraint, &err);
        if (!status && i == 5)
            status = hol_model_add_variable(m, &variable, &err);
        if (!status)
            status = hol_model_compile(m, &err);
        assert_int_equal(status, HOL_ERR_INPUT);
        assert_true(err.text[0]);
        hol_model_destroy(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_are_cleared), cmocka_unit_test(test_failed_add),
        cmocka_unit_test(test_failed_compile),     cmocka_unit_test(test_add_to_compiled),
        cmocka_unit_test(test_default_names),      cmocka_unit_test(test_names_twice),
        cmocka_unit_test(test_older_program),      cmocka_unit_test(test_older_problem),
        cmocka_unit_test(test_refused_sizes),      cmocka_unit_test(test_null),
        cmocka_unit_test(test_missing_parts),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
