// SPDX-License-Identifier: Apache-2.0
// The doctor on mechanisms whose redundancy is known by hand: which rows, permanent or not, what cures
// them; the cured models are written as text and run. Loops that lock, free motions, units.
#include "doctor_run.h"

#define DIRECTORY HOL_SOURCE_DIR "/test/doctor/"

// ---- running what was cured ----

typedef struct Ended {
    int dof, redundant, n;
    double value[256];
    char name[256][96];
} Ended;

static Ended *run_text(const char *text) {
    Ended *e = calloc(1, sizeof *e);
    HolModel *m;
    HolSim *s;
    HolSimOptions o;
    HolError err;
    HolCheck check;
    if (hol_model_parse(text, strlen(text), "cured.yaml", NULL, 0, &m, &o, &err) != HOL_OK ||
        hol_sim_create(m, &o, &s, &err) != HOL_OK || hol_sim_check(s, &check, &err) != HOL_OK ||
        hol_sim_advance(s, o.end, &err) != HOL_OK)
        fail_msg("%s\n%s", err.text, text);
    e->dof = check.dof;
    e->redundant = check.redundant;
    while (e->n < 256 && hol_sim_final(s, e->n, e->name[e->n], 96, &e->value[e->n]))
        e->n++;
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return e;
}

// The model with all changes has no redundancy, the same freedom, and moves the same: positions and
// velocities of all bodies (their accelerations too) at the end.
static void check_cure(const char *path, int changes) {
    Case c = diagnose(path);
    char *text = read_model_text(path), *cured = cured_text(text, c.d);
    int n = 0;
    for (int l = 0; l < c.d->n_loops; l++)
        for (int i = 0; i < c.d->loops[l]->n_changes; i++, n++)
            assert_true(c.d->loops[l]->changes[i]->verified);
    assert_int_equal(n, changes);
    Ended *a = run_text(text), *b = run_text(cured);
    assert_int_equal(a->redundant, c.d->check->redundant);
    assert_int_equal(b->redundant, 0);
    assert_int_equal(b->dof, a->dof);
    assert_true(a->n > 10 && a->n == b->n);
    double moved = 0;
    for (int i = 0; i < a->n; i++) {
        assert_string_equal(a->name[i], b->name[i]);
        if (!(fabs(a->value[i] - b->value[i]) < 1e-5 * (1 + fabs(a->value[i]))))
            fail_msg("%s: %s is %.10g, cured %.10g", path, a->name[i], a->value[i], b->value[i]);
        moved = fmax(moved, fabs(a->value[i]));
    }
    assert_true(moved > 1e-3);
    free(a);
    free(b);
    free(text);
    free(cured);
    case_close(&c);
}

// ---- the list ----

// The wrench that all six axes leave out, by hand: f = (1, 1, 1), m = (-1, 0, 1) at the origin. At every
// joint all three forces and both moments across the axis are not zero: all 30 rows.
static void test_bricard(void **state) {
    (void)state;
    Case c = diagnose(HOL_SOURCE_DIR "/models/bricard.yaml");
    assert_int_equal(c.d->check->redundant, 1);
    assert_int_equal(c.d->n_loops, 1);
    const HolDoctorLoop *l = c.d->loops[0];
    assert_int_equal(l->n_joints, 6);
    assert_int_equal(l->n_sets, 1);
    assert_true(l->sets[0]->always);
    assert_int_equal(l->sets[0]->n_rows, 30);
    assert_int_equal(l->sets[0]->n_unique, 0);
    assert_true(set_has(l->sets[0], "J1", "rotation about x"));
    assert_false(set_has(l->sets[0], "J1", "rotation about y"));
    assert_true(set_has(l->sets[0], "J2", "rotation about y"));
    assert_int_equal(l->n_changes, 1);
    assert_string_equal(l->changes[0]->to, "cylindrical");
    assert_int_equal(c.d->n_motions, 1);
    assert_string_equal(c.d->motions[0], "rod1 turns about J1; rod2, rod3, rod4 and rod5 follow");
    case_close(&c);
    check_cure(HOL_SOURCE_DIR "/models/bricard.yaml", 1);
}

// Collinear: a force along the line goes through all hinges.
static void test_flat_four_bar(void **state) {
    (void)state;
    Case c = diagnose(DIRECTORY "flat-four-bar.yaml");
    const HolDoctorSet *s = c.d->loops[0]->sets[0];
    assert_int_equal(c.d->check->redundant, 1);
    assert_true(c.d->check->singular);
    assert_int_equal(count_sets(c.d), 1);
    assert_false(s->always);
    assert_int_equal(s->n_rows, 4);
    for (int i = 0; i < 4; i++)
        assert_true(set_has(s, (const char *[]){"A", "B", "C", "D"}[i], "translation along x"));
    assert_non_null(strstr(s->text, "in this position only"));
    assert_true(c.d->singular_distance < 1e-12);
    assert_int_equal(c.d->loops[0]->n_changes, 0);
    case_close(&c);
}

static void test_door(void **state) {
    (void)state;
    Case c = diagnose(DIRECTORY "door.yaml");
    assert_int_equal(c.d->check->redundant, 5);
    assert_int_equal(count_sets(c.d), 5);
    int turns = 0;
    for (int i = 0; i < 5; i++) {
        const HolDoctorSet *s = c.d->loops[0]->sets[i];
        assert_true(s->always);
        assert_int_equal(s->n_unique, 0);
        // a moment is carried alike by both; a force along x needs a moment about y at the other
        if (set_has(s, "high", "rotation about x") && s->n_rows == 2)
            turns += set_has(s, "low", "rotation about x");
        if (set_has(s, "high", "translation along x"))
            assert_true(set_has(s, "low", "rotation about y") &&
                        set_has(s, "low", "translation along x") && s->n_rows == 3);
    }
    assert_int_equal(turns, 1);
    case_close(&c);
    check_cure(DIRECTORY "door.yaml", 2);
}

static void test_box(void **state) {
    (void)state;
    Case c = diagnose(DIRECTORY "box.yaml");
    assert_int_equal(c.d->check->redundant, 15);
    assert_int_equal(count_sets(c.d), 15);
    case_close(&c);
    check_cure(DIRECTORY "box.yaml", 4);
    c = diagnose(DIRECTORY "table.yaml");
    assert_int_equal(c.d->check->redundant, 1);
    assert_int_equal(count_sets(c.d), 1);
    for (int i = 0; i < c.d->n_loops; i++) {
        const HolDoctorLoop *l = c.d->loops[i];
        if (!l->n_sets)
            continue;
        assert_true(l->across);
        assert_int_equal(l->sets[0]->n_rows, 4);
        for (int k = 0; k < 4; k++)
            assert_string_equal(l->sets[0]->rows[k].row, "translation along z");
    }
    case_close(&c);
    check_cure(DIRECTORY "table.yaml", 1);
}

static void test_two_loops(void **state) {
    (void)state;
    Case c = diagnose(DIRECTORY "two-loops.yaml");
    assert_int_equal(c.d->check->redundant, 6);
    assert_int_equal(c.d->n_loops, 2);
    for (int i = 0; i < 2; i++) {
        const HolDoctorLoop *l = c.d->loops[i];
        assert_int_equal(l->n_joints, 4);
        assert_int_equal(l->n_sets, 3);
        int rotations = 0;
        for (int k = 0; k < 3; k++) {
            assert_true(l->sets[k]->always);
            // a moment about x or y is the same at all four hinges
            for (int axis = 0; axis < 2; axis++) {
                const char *row = axis ? "rotation about y" : "rotation about x";
                int have = 0;
                for (int j = 0; j < 4; j++)
                    have += set_has(l->sets[k], l->joints[j], row);
                rotations += have == 4 && l->sets[k]->n_rows == 4;
            }
        }
        assert_int_equal(rotations, 2);
    }
    case_close(&c);
    check_cure(DIRECTORY "two-loops.yaml", 4);
}

static void test_locked(void **state) {
    (void)state;
    Case c = diagnose(DIRECTORY "locked.yaml");
    const HolDoctorLoop *l = c.d->loops[0];
    assert_int_equal(c.d->check->dof, 0);
    assert_int_equal(c.d->n_motions, 0);
    assert_non_null(l->lock);
    assert_string_equal(l->lock->joint, "C");
    assert_true(fabs(l->lock->degrees - 5) < 1e-9);
    assert_true(l->lock->verified);
    assert_true(fabs(l->lock->axis[2] - 1) < 1e-12);
    assert_non_null(strstr(l->lock->text, "5 degrees off the common direction of"));
    assert_int_equal(l->n_changes, 2);
    assert_string_equal(l->changes[0]->joint, "C");
    assert_string_equal(l->changes[0]->to, "spherical");
    assert_true(l->changes[0]->verified && l->changes[1]->verified);
    char *text = read_model_text(DIRECTORY "locked.yaml"), *cured = cured_text(text, c.d);
    Ended *a = run_text(text), *b = run_text(cured);
    assert_int_equal(b->dof, 1);
    assert_int_equal(b->redundant, 0);
    double moved = 0;
    for (int i = 0; i < a->n; i++)
        moved = fmax(moved, fabs(a->value[i] - b->value[i]));
    assert_true(moved > 0.1); // it swings now
    free(a);
    free(b);
    // the axis put right by hand: it moves as the plane mechanism does
    char *off = strstr(text, "turn: 5*pi/180");
    assert_non_null(off);
    memcpy(off, "turn: 0*pi/180", 14);
    Case right = diagnose_text(text);
    assert_int_equal(right.d->check->dof, 1);
    assert_int_equal(right.d->check->redundant, 3);
    assert_null(right.d->loops[0]->lock);
    case_close(&right);
    free(text);
    free(cured);
    case_close(&c);
}

// a driven mechanism that is locked cannot even be assembled: the reason is a warning
static void test_locked_driven(void **state) {
    (void)state;
    char *text = read_model_text(DIRECTORY "locked.yaml");
    strcat(text, "motions: [{name: turn, joint: A, value: time}]\n");
    Case c = diagnose_text(text);
    assert_int_equal(c.status, HOL_ERR_ASSEMBLY);
    const HolRemark *w = find_warning(c.d, "locked", "C");
    assert_non_null(w);
    assert_int_equal(w->line, 15);
    free(text);
    case_close(&c);
}

// two hinges of a door that are not in line
static void test_locked_pair(void **state) {
    (void)state;
    const char *form =
        "holonom: 1\nspace: spatial\nbodies:\n"
        "  - {name: d, mass: 1, inertia: [1, 1, 1], position: [0.4, 0, 1]}\njoints:\n"
        "  - {name: lo, type: revolute, bodies: [ground, d], at: [0, 0, 0.3], axis: "
        "[0, 0, 1]}\n"
        "  - {name: hi, type: revolute, bodies: [ground, d], at: [%.17g, 0, 1.7], axis: "
        "[0, %.17g, 1]}\n";
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(text, sizeof text, form, k ? 0 : 0.005, k ? tan(M_PI / 90) : 0);
        Case c = diagnose_text(text);
        assert_int_equal(c.d->check->dof, 0);
        const HolDoctorLock *lock = c.d->loops[0]->lock;
        assert_non_null(lock);
        assert_true(lock->verified);
        assert_true(fabs(lock->offset - (k ? 0 : 0.005)) < 1e-12);
        assert_true(fabs(lock->degrees - (k ? 2 : 0)) < 1e-9);
        case_close(&c);
    }
}

// ---- units and axes ----

// A plane four-bar in space, s times as large, turned: counts and the singular distance stay. The distance
// by hand: the singular values of the unit twists of the hinges, (z x (ref - P), L z).
static void test_invariance(void **state) {
    (void)state;
    static const double P[4][2] = {{0, 0}, {0.2, 1}, {2, 1.5}, {2.1, 0}};
    static const double scales[] = {1, 1e-3, 1e3, 1e-6};
    double reference = 0;
    for (int k = 0; k < 8; k++) {
        const double s = scales[k / 2], turn = k % 2 ? 0.7 : 0, c = cos(turn), n = sin(turn);
        char text[2000];
        // turned about (1, 1, 0) / sqrt 2
        const double h = (1 - c) / 2, e = n / sqrt(2);
        const double R[9] = {c + h, h, e, h, c + h, -e, -e, e, c};
        int used = snprintf(text, sizeof text, "holonom: 1\nspace: spatial\nbodies:\n");
        double X[4][3];
        for (int i = 0; i < 4; i++)
            for (int r = 0; r < 3; r++)
                X[i][r] = s * (R[3 * r] * P[i][0] + R[3 * r + 1] * P[i][1]);
        for (int i = 0; i < 3; i++)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "  - {name: b%d, mass: 1, inertia: [%.17g, %.17g, %.17g], position: "
                             "[%.17g, %.17g, %.17g]}\n",
                             i, s * s, s * s, s * s, (X[i][0] + X[i + 1][0]) / 2,
                             (X[i][1] + X[i + 1][1]) / 2, (X[i][2] + X[i + 1][2]) / 2);
        used += snprintf(text + used, sizeof text - (size_t)used, "joints:\n");
        for (int i = 0; i < 4; i++) {
            char a[16], b[16];
            snprintf(a, sizeof a, i ? "b%d" : "ground", i - 1);
            snprintf(b, sizeof b, i < 3 ? "b%d" : "ground", i);
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "  - {name: J%d, type: revolute, bodies: [%s, %s], at: [%.17g, %.17g, "
                             "%.17g], axis: [%.17g, %.17g, %.17g]}\n",
                             i, a, b, X[i][0], X[i][1], X[i][2], R[2], R[5], R[8]);
        }
        Case found = diagnose_text(text);
        if (found.status)
            fail_msg("%s", found.err.text);
        assert_int_equal(found.d->check->dof, 1);
        assert_int_equal(count_sets(found.d), 3);
        int rows = 0;
        for (int i = 0; i < 3; i++)
            rows += found.d->loops[0]->sets[i]->n_rows;
        assert_int_equal(rows, 4 + 4 + 10);
        for (int i = 0; i < found.d->loops[0]->n_changes; i++)
            assert_true(found.d->loops[0]->changes[i]->verified);
        if (k == 0)
            reference = found.d->singular_distance;
        assert_true(fabs(found.d->singular_distance - reference) < 1e-9);
        case_close(&found);
    }
    assert_true(reference > 0.1 && reference < 1);
}

// A four-bar that closes to a flat one: the distance goes to zero with the angle.
static void test_near_singular(void **state) {
    (void)state;
    double last = 1;
    for (int k = 1; k <= 5; k++) {
        const double a = pow(10, -k), x = cos(a), y = sin(a);
        char text[1500];
        snprintf(text, sizeof text,
                 "holonom: 1\nspace: planar\nbodies:\n"
                 "  - {name: b1, mass: 1, inertia: 1, position: [%.17g, %.17g]}\n"
                 "  - {name: b2, mass: 1, inertia: 1, position: [%.17g, %.17g]}\n"
                 "  - {name: b3, mass: 1, inertia: 1, position: [%.17g, %.17g]}\njoints:\n"
                 "  - {name: A, type: revolute, bodies: [ground, b1], at: [0, 0]}\n"
                 "  - {name: B, type: revolute, bodies: [b1, b2], at: [%.17g, %.17g]}\n"
                 "  - {name: C, type: revolute, bodies: [b2, b3], at: [%.17g, %.17g]}\n"
                 "  - {name: D, type: revolute, bodies: [ground, b3], at: [2, 0]}\n",
                 x / 2, y / 2, x + 1, y, x / 2 + 2, y / 2, x, y, x + 2, y);
        Case c = diagnose_text(text);
        assert_int_equal(c.d->check->redundant, 0);
        assert_true(c.d->singular_distance < 0.2 * last);
        assert_true(c.d->singular_distance > 0.02 * a && c.d->singular_distance < 2 * a);
        last = c.d->singular_distance;
        case_close(&c);
    }
}

// The same in space: three rows repeat others always, the force along the line in this position only.
static void test_flat_in_space(void **state) {
    (void)state;
    Case c = diagnose_text(
        "holonom: 1\nspace: spatial\nbodies:\n"
        "  - {name: b1, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
        "  - {name: b2, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
        "  - {name: b3, mass: 1, inertia: [1, 1, 1], position: [2.5, 0, 0]}\njoints:\n"
        "  - {name: A, type: revolute, bodies: [ground, b1], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  - {name: B, type: revolute, bodies: [b1, b2], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  - {name: C, type: revolute, bodies: [b2, b3], at: [3, 0, 0], axis: [0, 0, 1]}\n"
        "  - {name: D, type: revolute, bodies: [b3, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n");
    assert_int_equal(c.d->check->redundant, 4);
    assert_int_equal(count_sets(c.d), 4);
    int momentary = 0;
    for (int i = 0; i < 4; i++) {
        const HolDoctorSet *s = c.d->loops[0]->sets[i];
        momentary += !s->always;
        assert_int_equal(s->always, !set_has(s, "A", "translation along x"));
    }
    assert_int_equal(momentary, 1);
    assert_int_equal(c.d->loops[0]->n_changes, 2); // three rows, not four
    case_close(&c);
}

// 300 plane loops in space, each with its own three redundant rows: nothing dense of the whole model. All cures together are tried once.
static void test_many_loops(void **state) {
    (void)state;
    enum { LOOPS = 300, SIZE = 1 << 18 };
    char *text = calloc(1, SIZE);
    assert_non_null(text);
    int n = snprintf(text, SIZE, "holonom: 1\nspace: spatial\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i <= LOOPS; i++) {
        n += snprintf(text + n, SIZE - (size_t)n,
                      "  - {name: r%d, mass: 1, inertia: [1, 1, 1], position: [%d, 0.5, 0]}\n", i,
                      i);
        if (i < LOOPS)
            n += snprintf(text + n, SIZE - (size_t)n,
                          "  - {name: c%d, mass: 1, inertia: [1, 1, 1], position: [%g, 1, 0]}\n", i,
                          i + 0.5);
    }
    n += snprintf(text + n, SIZE - (size_t)n, "joints:\n");
    for (int i = 0; i <= LOOPS; i++) {
        n +=
            snprintf(text + n, SIZE - (size_t)n,
                     "  - {name: A%d, type: revolute, bodies: [ground, r%d], at: [%d, 0, 0], axis: "
                     "[0, 0, 1]}\n",
                     i, i, i);
        for (int k = 0; k < 2 && i < LOOPS; k++)
            n += snprintf(
                text + n, SIZE - (size_t)n,
                "  - {name: %c%d, type: revolute, bodies: [r%d, c%d], at: [%d, 1, 0], axis: "
                "[0, 0, 1]}\n",
                k ? 'C' : 'B', i, i + k, i, i + k);
    }
    Case c = diagnose_text(text);
    free(text);
    assert_int_equal(c.d->check->dof, 1);
    assert_int_equal(c.d->check->redundant, 3 * LOOPS);
    assert_int_equal(c.d->n_loops, LOOPS);
    for (int i = 0; i < LOOPS; i++) {
        assert_int_equal(c.d->loops[i]->n_joints, 4);
        assert_int_equal(c.d->loops[i]->n_sets, 3);
        assert_true(c.d->loops[i]->n_changes > 0);
        for (int k = 0; k < c.d->loops[i]->n_changes; k++)
            assert_true(c.d->loops[i]->changes[k]->verified);
    }
    case_close(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bricard),       cmocka_unit_test(test_flat_four_bar),
        cmocka_unit_test(test_door),          cmocka_unit_test(test_box),
        cmocka_unit_test(test_two_loops),     cmocka_unit_test(test_locked),
        cmocka_unit_test(test_locked_driven), cmocka_unit_test(test_locked_pair),
        cmocka_unit_test(test_invariance),    cmocka_unit_test(test_near_singular),
        cmocka_unit_test(test_flat_in_space), cmocka_unit_test(test_many_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
