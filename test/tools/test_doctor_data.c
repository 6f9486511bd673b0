// SPDX-License-Identifier: Apache-2.0
// What the doctor says about data: every mistake once, with its line, and nothing about the models of this
// repository. Free motions in words; drives, no degree of freedom, couplings; names of rows of all
// kinds of joints.
#define _XOPEN_SOURCE 700 // nftw
#include "doctor_run.h"

#include <ftw.h>

// ---- suspicious data ----

typedef struct Mistake {
    const char *kind, *name;
    int line;
    const char *says, *text;
} Mistake;

#define SPACE "holonom: 1\nspace: spatial\n"
#define PLANE "holonom: 1\nspace: planar\n"

static const Mistake mistakes[] = {
    {"inertia", "b", 4, "exceeds the sum",
     SPACE "bodies:\n  - {name: b, mass: 1, inertia: [0.1, 0.1, 0.3]}\n"},
    {"inertia", "b", 4, "radius of gyration",
     PLANE "bodies:\n  - {name: b, mass: 1, inertia: 83000, points: {a: [0.5, 0]}}\n"},
    {"inertia", "b", 4, "radius of gyration",
     PLANE "bodies:\n  - {name: b, mass: 1, inertia: 8e-8, points: {a: [0.5, 0]}}\n"},
    {"mass", "link", 4, "denser than any matter",
     PLANE "bodies:\n  - {name: link, mass: 1.3e6, inertia: 1e5, points: {a: [0.5, 0]}}\n"},
    {"mass", "link", 4, "1.3e+06 kg",
     PLANE "bodies:\n  - {name: link, mass: 1.3e6, inertia: 1e5}\n"},
    {"mass", "c", 6, "times that of the others",
     PLANE "bodies:\n  - {name: a, mass: 1, inertia: 1}\n  - {name: b, mass: 1, inertia: 1}\n"
           "  - {name: c, mass: 5e4, inertia: 1}\n"},
    {"units", "c", 6, "millimetres",
     PLANE "bodies:\n  - {name: a, mass: 1, inertia: 1, points: {p: [0.3, 0]}}\n"
           "  - {name: b, mass: 1, inertia: 1, points: {p: [0.4, 0]}}\n"
           "  - {name: c, mass: 1, inertia: 1e5, points: {p: [350, 0]}}\n"},
    {"units", "J", 6, "same unit",
     PLANE "bodies:\n  - {name: a, mass: 1, inertia: 1, position: [0.25, 0]}\njoints:\n"
           "  - {name: J, type: distance, between: [{body: ground, at: [0.1, 0]}, {body: a, at: "
           "[250, 0]}]}\n"},
    {"units", "gravity", 0, "9810",
     PLANE "gravity: [0, -9810]\nbodies:\n  - {name: a, mass: 1, inertia: 1}\n"},
    {"units", "a", 4, "degrees", PLANE "bodies:\n  - {name: a, mass: 1, inertia: 1, angle: 90}\n"},
    {"unconnected", "b", 5, "by itself",
     PLANE "bodies:\n  - {name: a, mass: 1, inertia: 1}\n  - {name: b, mass: 1, inertia: 1}\n"
           "joints:\n  - {name: J, type: revolute, bodies: [ground, a], at: [1, 0]}\n"},
    {"massless", "b", 4, "nothing holds it",
     PLANE "bodies:\n  - {name: b, type: point, mass: 0}\n"},
    {"drive", "m", 7, "leaves its range at time 0.8",
     PLANE
     "bodies: [{name: c, mass: 1, inertia: 0.1, position: [0.3, 0.4], angle: \"atan2(4, 3)\"}, "
     "{name: r, mass: 1, inertia: 0.1, position: [0.9, 0.4], angle: \"-atan2(4, 3)\"}, {name: s, "
     "mass: 1, inertia: 1, position: [1.2, 0]}]\njoints: [{name: A, type: revolute, bodies: "
     "[ground, c], at: [0, 0]}, {name: B, type: revolute, bodies: [c, r], at: [0.6, 0.8]}, "
     "{name: C, type: revolute, bodies: [r, s], at: [1.2, 0]},\n {name: S, type: prismatic, "
     "bodies: [ground, s], at: [0, 0], axis: [1, 0]}]\nmotions:\n"
     "  - {name: m, joint: S, value: time}\nsimulation: {end: 1.5}\n"},
    {"drive", "m", 6, "has no value from time 0.5",
     PLANE "bodies: [{name: c, mass: 1, inertia: 0.1}]\njoints: [{name: A, type: revolute, bodies: "
           "[ground, c], at: [1, 0]}]\nmotions:\n"
           "  - {name: m, joint: A, value: \"sqrt(0.5 - time)\"}\nsimulation: {end: 1}\n"},
};

static void test_mistakes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const Mistake *m = &mistakes[i];
        Case c = diagnose_text(m->text);
        const HolRemark *w = find_warning(c.d, m->kind, m->name);
        if (!w || !strstr(w->text, m->says))
            fail_msg("%s of '%s': %s", m->kind, m->name, w ? w->text : "nothing is said");
        if (c.d->n_warnings != 1)
            fail_msg("%s of '%s': more is said: %s", m->kind, m->name, c.d->warnings[1]->text);
        assert_int_equal(w->line, m->line);
        assert_int_equal(w->column > 0, m->line > 0);
        case_close(&c);
    }
}

// ---- no false alarms ----

static int looked_at;

// what a model says of itself: no alarm
static int is_remark(const char *kind) {
    return strcmp(kind, "table") == 0 || strcmp(kind, "part") == 0 || strcmp(kind, "beam") == 0;
}

static int look(const char *path, const struct stat *info, int type, struct FTW *at) {
    (void)info, (void)at;
    const size_t n = strlen(path);
    if (type != FTW_F || n < 5 || strcmp(path + n - 5, ".yaml") != 0 || strstr(path, "/parts/"))
        return 0;
    HolModel *m;
    HolSimOptions o;
    HolError err;
    const HolDiagnosis *d = NULL;
    if (hol_model_load(path, NULL, 0, &m, &o, &err) != HOL_OK ||
        hol_diagnose(m, &o, &d, &err) != HOL_OK)
        fail_msg("%s: %s", path, err.text);
    for (int i = 0; i < d->n_warnings; i++)
        if (!is_remark(d->warnings[i]->kind))
            fail_msg("%s: %s", path, d->warnings[i]->text);
    assert_int_equal(count_sets(d), d->check->redundant);
    for (int l = 0; l < d->n_loops; l++)
        for (int i = 0; i < d->loops[l]->n_changes; i++)
            assert_true(d->loops[l]->changes[i]->verified);
    assert_int_equal(d->n_motions, d->check->dof < 64 ? d->check->dof : 65);
    hol_diagnosis_destroy(d);
    hol_model_destroy(m);
    looked_at++;
    return 0;
}

static void test_models(void **state) {
    (void)state;
    assert_int_equal(nftw(HOL_SOURCE_DIR "/models", look, 8, FTW_PHYS), 0);
    assert_true(looked_at > 40);
}

// ---- free motions ----

static void check_motions(const char *text, int n, const char *const *motions) {
    Case c = diagnose_text(text);
    if (c.status)
        fail_msg("%s", c.err.text);
    assert_int_equal(c.d->n_motions, n);
    for (int i = 0; i < n; i++)
        assert_string_equal(c.d->motions[i], motions[i]);
    case_close(&c);
}

static void test_motions(void **state) {
    (void)state;
    check_motions(PLANE "bodies:\n  - {name: crank, mass: 1, inertia: 1, position: [0, 0.5]}\n"
                        "  - {name: coupler, mass: 1, inertia: 1, position: [1, 1.25]}\n"
                        "  - {name: rocker, mass: 1, inertia: 1, position: [2, 0.75]}\njoints:\n"
                        "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
                        "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 1]}\n"
                        "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [2, 1.5]}\n"
                        "  - {name: D, type: revolute, bodies: [ground, rocker], at: [2, 0]}\n",
                  1, (const char *[]){"crank turns about A; coupler and rocker follow"});
    check_motions(PLANE
                  "bodies:\n  - {name: a, mass: 1, inertia: 1}\n"
                  "  - {name: b, mass: 1, inertia: 1}\njoints:\n"
                  "  - {name: S, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 1]}\n"
                  "  - {name: H, type: revolute, bodies: [a, b], at: [1, 0]}\n",
                  2, (const char *[]){"a slides along S; b follows", "b turns about H"});
    check_motions(SPACE
                  "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}]\n"
                  "joints: [{name: K, type: spherical, bodies: [ground, ball], at: [0, 0, 0]}]\n",
                  3,
                  (const char *[]){"ball turns about x at K", "ball turns about y at K",
                                   "ball turns about z at K"});
    check_motions(PLANE "bodies: [{name: p, type: point, mass: 1}]\n", 2,
                  (const char *[]){"p moves along x", "p moves along y"});
    // driven, or welded: nothing is free
    check_motions(PLANE "bodies: [{name: a, mass: 1, inertia: 1}]\n"
                        "joints: [{name: H, type: revolute, bodies: [ground, a], at: [1, 0]}]\n"
                        "motions: [{joint: H, value: 10*time}]\nsimulation: {end: 20}\n",
                  0, NULL);
    check_motions(PLANE "bodies: [{name: a, mass: 1, inertia: 1}]\n"
                        "joints: [{name: W, type: fixed, bodies: [ground, a], at: [1, 0]}]\n",
                  0, NULL);
}

// ---- each kind of joint twice: all its rows are redundant, named, and one of the two can go ----

static void test_every_kind(void **state) {
    (void)state;
    static const struct {
        const char *kind, *where;
        int rows;
    } kinds[] = {
        {"revolute", "bodies: [ground, b], at: [0.1, 0.2, 0.3], axis: [1, 2, 3]", 5},
        {"prismatic", "bodies: [ground, b], at: [0.1, 0.2, 0.3], axis: [1, 2, 3]", 5},
        {"fixed", "bodies: [ground, b], at: [0.1, 0.2, 0.3]", 6},
        {"distance", "between: [ground, {body: b, at: [0.1, 0.2, 0.3]}]", 1},
        {"spherical", "bodies: [ground, b], at: [0.1, 0.2, 0.3]", 3},
        {"cylindrical", "bodies: [ground, b], at: [0.1, 0.2, 0.3], axis: [1, 2, 3]", 4},
        {"planar", "bodies: [ground, b], at: [0.1, 0.2, 0.3], axis: [1, 2, 3]", 3},
        {"point_on_line", "bodies: [ground, b], at: [0.1, 0.2, 0.3], axis: [1, 2, 3]", 2},
        {"point_on_plane", "bodies: [ground, b], at: [0.1, 0.2, 0.3], axis: [1, 2, 3]", 1},
        {"parallel", "bodies: [ground, b], at: [0.1, 0.2, 0.3], axis: [1, 2, 3]", 2},
        {"perpendicular", "between: [{body: ground, axis: [1, 0, 0]}, {body: b, axis: [0, 1, 1]}]",
         1},
        {"universal",
         "between: [{body: ground, at: [1, 0, 0], axis: [1, 0, 0]}, {body: b, axis: [0, 1, 1]}]",
         4},
        {"screw", "bodies: [ground, b], at: [0.1, 0.2, 0.3], axis: [1, 2, 3], pitch: 0.1", 5},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 SPACE "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}]\n"
                       "joints:\n  - {name: J, type: %s, %s}\n  - {name: K, type: %s, %s}\n",
                 kinds[k].kind, kinds[k].where, kinds[k].kind, kinds[k].where);
        Case c = diagnose_text(text);
        if (c.status)
            fail_msg("%s: %s", kinds[k].kind, c.err.text);
        assert_int_equal(c.d->check->redundant, kinds[k].rows);
        assert_int_equal(c.d->n_loops, 1);
        const HolDoctorLoop *l = c.d->loops[0];
        assert_int_equal(l->n_sets, kinds[k].rows);
        for (int i = 0; i < l->n_sets; i++) {
            const HolDoctorSet *s = l->sets[i];
            // the same row of the other joint, which has a name of its own
            assert_int_equal(s->n_rows, 2);
            assert_string_equal(s->rows[0].row, s->rows[1].row);
            assert_string_not_equal(s->rows[0].joint, s->rows[1].joint);
            assert_true(s->rows[0].row[0] && s->always);
            for (int n = 0; n < i; n++)
                assert_string_not_equal(s->rows[0].row, l->sets[n]->rows[0].row);
        }
        assert_int_equal(l->n_changes, 1);
        assert_string_equal(l->changes[0]->to, "none");
        assert_true(l->changes[0]->verified);
        case_close(&c);
    }
}

// ---- what is no joint between two bodies ----

static void test_couplings(void **state) {
    (void)state;
    static const struct {
        const char *text, *first, *second, *row;
    } cases[] = {
        {PLANE "bodies: [{name: a, mass: 1, inertia: 1}]\n"
               "joints: [{name: H, type: revolute, bodies: [ground, a], at: [1, 0]}]\n"
               "motions: [{name: m1, joint: H, value: time}, {name: m2, joint: H, value: time}]\n",
         "m2", "m1", "drive"},
        {PLANE
         "bodies: [{name: a, mass: 1, inertia: 1}, {name: b, mass: 1, inertia: 1, position: [1, "
         "0]}]\njoints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
         "  - {name: B, type: revolute, bodies: [ground, b], at: [1, 0]}\n"
         "  - {name: g1, type: gear, joints: [A, B], ratio: -2}\n"
         "  - {name: g2, type: gear, joints: [A, B], ratio: -2}\n",
         "g2", "g1", "gear"},
        {PLANE
         "bodies: [{name: p, type: point, mass: 1, position: [1, 0]}]\n"
         "constraints: [{name: c1, equation: p.x^2 + p.y^2 - 1}, {name: c2, equation: p.x^2 + "
         "p.y^2 - 1}]\n",
         "c2", "c1", "equation"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Case c = diagnose_text(cases[k].text);
        if (c.status)
            fail_msg("%s", c.err.text);
        assert_int_equal(c.d->check->redundant, 1);
        assert_int_equal(count_sets(c.d), 1);
        const HolDoctorLoop *l = c.d->loops[c.d->n_loops - 1];
        assert_int_equal(l->sets[0]->n_rows, 2);
        assert_true(set_has(l->sets[0], cases[k].first, cases[k].row));
        assert_true(set_has(l->sets[0], cases[k].second, cases[k].row));
        assert_int_equal(l->n_changes, 1);
        assert_string_equal(l->changes[0]->to, "none");
        assert_true(l->changes[0]->verified);
        case_close(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),  cmocka_unit_test(test_models),
        cmocka_unit_test(test_motions),   cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_couplings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
