// SPDX-License-Identifier: Apache-2.0
// The C interface itself: a HolError is cleared by every call that takes one, what could not be
// added makes compiling fail, things get the names that files give them, and NULL is answered.
#include "interface_parts.h"

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

static double twice(void *user, const double *in) {
    (void)user;
    return 2 * in[0];
}

static HolFunctionDef twice_def(void) {
    HolFunctionDef f = hol_function_def();
    f.name = "twice";
    f.value = twice;
    return f;
}

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
    const HolFunctionDef function = twice_def();
    CALL(hol_model_add_function, m, &function);
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
    HolEventDef event = hol_event_def();
    event.when = "time - 100";
    CALL(hol_model_add_event, m, &event);
    HolStateDef first_order = hol_state_def();
    first_order.name = "z";
    first_order.rate = "1 - z";
    CALL(hol_model_add_state, m, &first_order);
    static const double track[] = {0, 0, 1, 0, 1, 1};
    HolCurveDef curve = hol_curve_def();
    curve.name = "track";
    curve.points = track;
    curve.n = 3;
    CALL(hol_model_add_curve, m, &curve);
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
    const HolEvent event = {.time = 1, .name = "a", .kind = "user"};
    const HolImpulse impulse = {.size = sizeof impulse, .time = 1, .event = "a", .joint = "b"};
    CALL(hol_result_event, w, &event);
    CALL(hol_result_impulse, w, &impulse);
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
    CALL(hol_report_event, report, &event);
    CALL(hol_report_impulse, report, &impulse);
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
    const HolLoadOptions how = hol_load_options();
    CALL(hol_model_load_how_sized, in_folder("m.yaml"), NULL, 0, &how, &m, &o, sizeof o);
    hol_model_destroy(m);
    CALL(hol_model_load_how, in_folder("m.yaml"), NULL, 0, &how, &m, &o);
    hol_model_destroy(m);
    const HolFunctionDef given = twice_def();
    CALL(hol_model_load_with_sized, in_folder("m.yaml"), NULL, 0, &given, 1, &m, &o, sizeof o);
    hol_model_destroy(m);
    CALL(hol_model_load_with, in_folder("m.yaml"), NULL, 0, &given, 1, &m, &o);
    hol_model_destroy(m);
    CALL(hol_model_parse_with_sized, pendulum, strlen(pendulum), "m", NULL, 0, &given, 1, &m, &o,
         sizeof o);
    hol_model_destroy(m);
    CALL(hol_model_parse_with, pendulum, strlen(pendulum), "m", NULL, 0, &given, 1, &m, &o);
    hol_model_destroy(m);
    CALL(hol_model_parse_sized, pendulum, strlen(pendulum), "m", NULL, 0, &m, &o, sizeof o);
    hol_model_destroy(m);
    CALL(hol_model_parse, pendulum, strlen(pendulum), "m", NULL, 0, &m, &o);
    CALL(hol_sim_create, m, &o, &s);
    CALL(hol_sim_assemble, s);
    CALL(hol_sim_assemble, s); // again: nothing to do
    CALL(hol_sim_check_sized, s, &check, sizeof check);
    CALL(hol_sim_check, s, &check);
    HolEquilibria *rests;
    CALL(hol_equilibrium_find, s, NULL, &rests);
    CALL(hol_equilibria_show, rests, 0, s);
    CALL(hol_model_write_positions, m, in_folder("m.yaml"), in_folder("m2.yaml"),
         hol_equilibria_get(rests, 0).q);
    hol_equilibria_destroy(rests);
    CALL(hol_sim_step, s, 0.1);
    CALL(hol_sim_advance, s, 0.05);
    CALL(hol_sim_run, s, 0.1, nothing, NULL);
    walk_files(s, m, &o);
    HolModes *modes;
    double q[3];
    CALL(hol_sim_modes, s, NULL, &modes);
    CALL(hol_modes_write_csv, modes, in_folder("modes.csv"));
    CALL(hol_modes_write_matrices, modes, in_folder(""));
    CALL(hol_modes_positions, s, modes, modes->fastest, 0.1, 0.0, q);
    if (hol_modes_write_report(s, m, &o, modes, in_folder("modes.html"), NULL) ==
        HOL_ERR_UNSUPPORTED)
        strcat(walked, "hol_modes_write_report "); // no page in this build
    else
        CALL(hol_modes_write_report, s, m, &o, modes, in_folder("modes.html"));
    hol_modes_destroy(modes);
    hol_sim_destroy(s);
    HolStability *limits;
    HolStepLimit limit;
    CALL(hol_stability, m, &o, NULL, &limits);
    CALL(hol_stability_plot, limits, "m", in_folder("s.svg"));
    FILE *json = fopen(in_folder("s.json"), "w");
    hol_stability_json(limits, json);
    fclose(json);
    assert_true(isnan(hol_stability_radius(limits, 0, -1)));
    hol_stability_destroy(limits);
    CALL(hol_step_limit_sized, m, &o, &limit, sizeof limit);
    CALL(hol_step_limit, m, &o, &limit);
    const HolDiagnosis *found;
    CALL(hol_diagnose, m, &o, &found);
    hol_diagnosis_destroy(found);
    hol_diagnosis_destroy(NULL);
    CALL(hol_certify, m, &o, NULL, &z);
    hol_certificate_destroy(z);
    hol_model_destroy(m);
}

// a run inside a program
static void walk_embedding(void) {
    static const char *const joint[] = {"joint1"};
    const char *options = "{end: 2}";
    char *text = in_text("inputs: {u: 0}\nparameters: {k: 1}\ntunable: [k]\n");
    HolModel *m;
    HolSim *s, *copy;
    HolSimOptions o;
    HolHandle handle;
    HolRecording *r;
    size_t size;
    int done;
    double x[9], y[9], M, h, zero = 0;
    assert_int_equal(hol_model_parse(text, strlen(text), "p", NULL, 0, &m, &o, NULL), 0);
    CALL(hol_sim_options_parse, &o, options, strlen(options));
    CALL(hol_sim_create, m, &o, &s);
    CALL(hol_sim_set_input, s, "u", 1);
    CALL(hol_sim_set_parameter, s, "k", 2);
    CALL(hol_sim_advance_some, s, 0.1, 1.0);
    CALL(hol_sim_save, s, NULL, 0, &size);
    void *bytes = malloc(size);
    CALL(hol_sim_save, s, bytes, size, &size);
    CALL(hol_sim_restore, s, bytes, size);
    free(bytes);
    CALL(hol_sim_copy, s, &copy);
    hol_sim_destroy(copy);
    CALL(hol_sim_set_state, s, 0.0, NULL, NULL);
    CALL(hol_sim_value, s, "rod.x", x);
    CALL(hol_model_handle, m, "rod.x", &handle);
    assert_true(hol_sim_read(s, &handle) == x[0]);
    CALL(hol_sim_pose, s, "rod", x, y);
    CALL(hol_sim_reaction, s, "joint1", x, y);
    CALL(hol_sim_joint_space, s, joint, 1, &M, &h);
    CALL(hol_sim_jacobian, s, "rod", joint, 1, x);
    CALL(hol_sim_inverse_dynamics, s, joint, 1, &zero, &zero, &zero, x);
    CALL(hol_sim_run_some, s, 0.01, 1.0, nothing, NULL, &done);
    CALL(hol_recording_create, s, &r);
    CALL(hol_recording_run, r, 0.02, 1.0, &done);
    CALL(hol_recording_write, r, in_folder("walked2.csv"), HOL_OK, NULL);
    hol_recording_destroy(r);
    hol_recording_destroy(NULL);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

static void walk_results(void) {
    HolModel *m;
    HolSimOptions o;
    HolSim *s;
    HolResultWriter *w;
    HolResult *r;
    HolDiff *d;
    HolComparison *c;
    HolReplay replay = hol_replay_options();
    HolCompareOptions how = hol_compare_options();
    const char *path = in_folder("walked.csv");
    double row[64];
    assert_int_equal(hol_model_parse(pendulum, strlen(pendulum), "p", NULL, 0, &m, &o, NULL), 0);
    assert_int_equal(hol_sim_create(m, &o, &s, NULL), HOL_OK);
    assert_int_equal(hol_result_open(path, m, &o, &w, NULL), HOL_OK);
    assert_int_equal(hol_sim_assemble(s, NULL), HOL_OK);
    assert_int_equal(hol_sim_row(s, 0, row, NULL), HOL_OK);
    assert_int_equal(hol_result_row(w, row, NULL), HOL_OK);
    assert_int_equal(hol_result_close(w, 1, NULL), HOL_OK);
    assert_int_equal(hol_result_read(path, &r, NULL), HOL_OK);
    CALL(hol_diff, r, r, 0, &d);
    hol_diff_destroy(d);
    hol_result_destroy(r);
    CALL(hol_replay, path, &replay);
    how.methods = "taylor";
    how.seconds = 1;
    CALL(hol_compare, m, &o, &how, &c);
    CALL(hol_comparison_csv, c, in_folder("runs.csv"));
    CALL(hol_comparison_plot, c, in_folder("runs.svg"));
    hol_comparison_destroy(c);
    hol_sim_destroy(s);
    hol_model_destroy(m);
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
    HolError unknown; // (all figures take long: its failure is its own)
    dirty(&unknown);
    assert_int_equal(hol_reproduce_figures("nothing", "/", 0, NULL, NULL, &unknown), HOL_ERR_INPUT);
    assert_true(!strstr(unknown.text, "old news"));
    strcat(walked, "hol_reproduce_figures ");
    dirty(&unknown);
    const HolSweepOptions sweep = {0};
    assert_int_not_equal(hol_sweep("/nothing.yaml", &sweep, NULL, &unknown), HOL_OK);
    assert_true(!strstr(unknown.text, "old news"));
    strcat(walked, "hol_sweep ");
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
    walk_embedding();
    walk_results();
    walk_tools();
    static const char *const headers[] = {"model.h",     "problem.h",     "sim.h",     "result.h",
                                          "embed.h",     "options.h",     "certify.h", "modes.h",
                                          "stability.h", "equilibrium.h", "doctor.h",  "tools.h"};
    int n = 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        n += check_header(headers[i]);
    assert_true(n >= 42);
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
    ANSWERED(hol_result_event, NULL, NULL);
    ANSWERED(hol_result_impulse, NULL, NULL);
    ANSWERED(hol_result_certified_row, NULL, row, bounds);
    ANSWERED(hol_result_read, NULL, &r);
    HolStability *limits;
    HolStepLimit limit;
    ANSWERED(hol_stability, raw, NULL, NULL, &limits);
    ANSWERED(hol_stability, NULL, NULL, NULL, NULL);
    ANSWERED(hol_step_limit, raw, NULL, &limit);
    ANSWERED(hol_certify, raw, NULL, NULL, &z);
    HolEquilibria *rests = NULL;
    ANSWERED(hol_equilibrium_find, NULL, NULL, &rests);
    ANSWERED(hol_equilibria_show, NULL, 0, NULL);
    ANSWERED(hol_model_write_positions, raw, "a.yaml", "b.yaml", row);
    ANSWERED(hol_report_open, in_folder("x.html"), raw, NULL, &report);
    ANSWERED(hol_report_row, NULL, row, row);
    ANSWERED(hol_report_event, NULL, NULL);
    ANSWERED(hol_report_impulse, NULL, NULL);
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
        cmocka_unit_test(test_errors_are_cleared),
        cmocka_unit_test(test_failed_add),
        cmocka_unit_test(test_failed_compile),
        cmocka_unit_test(test_add_to_compiled),
        cmocka_unit_test(test_default_names),
        cmocka_unit_test(test_names_twice),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_missing_parts),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
