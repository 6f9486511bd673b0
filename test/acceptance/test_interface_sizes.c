// SPDX-License-Identifier: Apache-2.0
// Structs of other programs: shorter ones, of older programs, are taken with defaults for the rest
// and never written beyond their end; those without a size or of newer programs are refused.
#include "interface_parts.h"

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
        BAD(HolStateDef, first_order);
        BAD(HolCurveDef, curve);
        BAD(HolTableDef, table);
        BAD(HolFunctionDef, function);
        BAD(HolSimOptions, o);
        BAD(HolCertifyObserver, observer);
        BAD(HolStabilityOptions, stability);
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
        REFUSED(hol_model_add_state, "hol_state_def", own, &first_order);
        REFUSED(hol_model_add_curve, "hol_curve_def", own, &curve);
        REFUSED(hol_model_add_table, "hol_table_def", own, &table);
        REFUSED(hol_model_add_function, "hol_function_def", own, &function);
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
        HolStability *limits;
        REFUSED(hol_stability, "hol_stability_options", m, NULL, &stability, &limits);
        HolEquilibria *rests = NULL;
        BAD(HolEquilibriumOptions, rest);
        assert_int_equal(hol_sim_create(m, NULL, &s, NULL), HOL_OK);
        REFUSED(hol_equilibrium_find, "hol_equilibrium_options", s, &rest, &rests);
        hol_sim_destroy(s);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_older_program),
        cmocka_unit_test(test_older_problem),
        cmocka_unit_test(test_refused_sizes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
