// SPDX-License-Identifier: Apache-2.0
// The joint cases of models/adams against the ADAMS results published with Project Chrono:
// position, velocity, acceleration, orientation, angular velocity and acceleration, reaction force
// and torque with their signs, 101 samples each. Limits are the deviations of the published numbers
// from an independent solution (printed with two digits: times 1.05).
#include "ref_compare.h"

// ---- ADAMS joint cases ----

enum { POSITION, VELOCITY, ACCELERATION, ORIENTATION, OMEGA, ALPHA, FORCE, TORQUE, N_GROUPS };
static const char *const group_names[N_GROUPS] = {
    "position", "velocity", "acceleration", "quaternion", "omega", "ang. acc.", "force", "torque"};

typedef struct AdamsCase {
    const char *model, *csv, *joint;       // joint NULL: only a spring
    double limit[N_GROUPS];                // deviations listed with the data
    double stiffness, stiffening, damping; // torsion spring about y, acts on the ground too
} AdamsCase;

// clang-format off
static const AdamsCase adams_cases[] = {
    {"adams/revolute-1.yaml", "adams_revolute_1.csv", "O",
     {5.0e-06, 5.0e-06, 6.0e-04, 5.0e-07, 5.0e-06, 5.8e-04, 6.2e-04, 1.2e-13}, 0, 0, 0},
    {"adams/revolute-2.yaml", "adams_revolute_2.csv", "O",
     {5.0e-06, 5.0e-06, 1.1e-03, 5.0e-07, 5.0e-06, 5.0e-04, 1.1e-03, 1.6e-03}, 0, 0, 0},
    {"adams/spherical-1.yaml", "adams_spherical_1.csv", "O",
     {8.4e-04, 2.6e-03, 1.3e-02, 2.1e-04, 1.0e-03, 2.3e-03, 1.3e-02, 7.4e-14}, 0, 0, 0},
    {"adams/spherical-2.yaml", "adams_spherical_2.csv", "O",
     {5.0e-06, 5.0e-06, 6.4e-04, 5.0e-07, 5.0e-06, 5.8e-04, 5.9e-04, 6.0e-14}, 0, 0, 0},
    {"adams/prismatic-1.yaml", "adams_prismatic_1.csv", "P",
     {4.7e-04, 5.0e-05, 0, 5.0e-17, 0, 0, 0, 0}, 0, 0, 0},
    {"adams/prismatic-2.yaml", "adams_prismatic_2.csv", "P",
     {5.0e-05, 5.0e-05, 7.7e-04, 4.7e-07, 2.0e-31, 8.6e-78, 7.7e-04, 9.3e-02}, 0, 0, 0},
    {"adams/prismatic-3.yaml", "adams_prismatic_3.csv", "P",
     {0, 5.0e-21, 8.9e-15, 2.2e-07, 7.9e-31, 1.1e-76, 8.9e-15, 1.8e-14}, 0, 0, 0},
    {"adams/distance-1.yaml", "adams_distance_1.csv", "link",
     {5.0e-07, 5.1e-07, 1.3e-03, 6.1e-17, 0, 0, 1.3e-03, 7.1e-15}, 0, 0, 0},
    {"adams/distance-2.yaml", "adams_distance_2.csv", "link",
     {1.7e-05, 3.0e-04, 1.7e-02, 1.0e-05, 1.4e-03, 2.0e-01, 1.7e-02, 1.4e-13}, 0, 0, 0},
    {"adams/distance-3.yaml", "adams_distance_3.csv", "link",
     {6.1e-07, 9.6e-07, 1.3e-03, 4.9e-06, 2.8e-06, 1.2e-03, 1.3e-03, 1.2e-14}, 0, 0, 0},
    {"adams/torsion-spring-1.yaml", "adams_rotspring_1.csv", "O",
     {1.3e-06, 1.0e-05, 7.7e-04, 2.3e-07, 5.2e-06, 6.5e-04, 7.7e-04, 1.4e-04}, 200, 0, 10},
    {"adams/torsion-spring-2.yaml", "adams_rotspring_2.csv", "O",
     {7.0e-07, 3.6e-06, 2.5e-03, 1.6e-07, 1.7e-06, 8.6e-04, 2.5e-03, 2.9e-05}, 50, 10, 10},
    {"adams/spring-1.yaml", "adams_transpring_1.csv", NULL,
     {5.0e-06, 5.0e-06, 5.0e-06, 6.1e-17, 0, 0, 5.0e-05, 0}, 0, 0, 0},
    {"adams/spring-2.yaml", "adams_transpring_2.csv", NULL,
     {5.0e-07, 5.1e-07, 5.0e-06, 6.1e-17, 0, 0, 5.0e-06, 3.6e-15}, 0, 0, 0},
};
// clang-format on

// q and -q are the same orientation
static void note_quaternion(RefWorst *w, const RefTable *t, int row, const RefRun *r) {
    const char *const names[4] = {"pendulum.qw", "pendulum.qx", "pendulum.qy", "pendulum.qz"};
    int c = ref_column(t, "e0");
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += ref_value(r, names[i]) * ref_at(t, row, c + i);
    for (int i = 0; i < 4; i++)
        ref_note(w, (dot < 0 ? -1 : 1) * ref_value(r, names[i]) - ref_at(t, row, c + i),
                 ref_at(t, row, 0));
}

// what the connection does to the GROUND, as ADAMS lists it; the columns give what it does to the
// body
static void reaction_on_ground(const AdamsCase *c, const RefRun *r, double force[3],
                               double torque[3]) {
    double x[3], a[3], w[3];
    ref_vector(r, "pendulum.", x);
    ref_vector(r, "pendulum.a", a);
    ref_vector(r, "pendulum.w", w);
    memset(torque, 0, 3 * sizeof(double));
    if (!c->joint) { // a spring alone: everything but the weight
        for (int i = 0; i < 3; i++)
            force[i] = -(a[i] + (i == 2 ? 9.80665 : 0));
        return;
    }
    char name[32];
    snprintf(name, sizeof name, "%s.f", c->joint);
    ref_vector(r, name, force);
    for (int i = 0; i < 3; i++)
        force[i] = -force[i];
    if (strcmp(c->joint, "link") == 0) // a distance joint has no torque
        return;
    if (!strstr(c->model, "spherical")) {
        snprintf(name, sizeof name, "%s.t", c->joint);
        ref_vector(r, name, torque);
    }
    for (int i = 0; i < 3; i++)
        torque[i] = -torque[i];
    double phi = atan2(-x[2], x[0]);
    torque[1] += (c->stiffness + c->stiffening * fabs(phi)) * phi + c->damping * w[1];
}

static void compare_adams(const AdamsCase *c) {
    RefTable t = ref_read(c->csv);
    RefRun r = ref_open(c->model, NULL);
    RefWorst worst[N_GROUPS] = {0};
    for (int i = 0; i < t.n_rows; i++) {
        double x[3], force[3], torque[3];
        ref_advance(&r, ref_at(&t, i, 0));
        ref_vector(&r, "pendulum.", x);
        ref_note_vector(&worst[POSITION], &t, i, "x", x);
        ref_vector(&r, "pendulum.v", x);
        ref_note_vector(&worst[VELOCITY], &t, i, "vx", x);
        ref_vector(&r, "pendulum.a", x);
        ref_note_vector(&worst[ACCELERATION], &t, i, "ax", x);
        note_quaternion(&worst[ORIENTATION], &t, i, &r);
        ref_vector(&r, "pendulum.w", x);
        ref_note_vector(&worst[OMEGA], &t, i, "wx", x);
        ref_vector(&r, "pendulum.al", x);
        ref_note_vector(&worst[ALPHA], &t, i, "alx", x);
        reaction_on_ground(c, &r, force, torque);
        ref_note_vector(&worst[FORCE], &t, i, "FX", force);
        ref_note_vector(&worst[TORQUE], &t, i, "TX", torque);
    }
    for (int k = 0; k < N_GROUPS; k++) {
        char what[96];
        snprintf(what, sizeof what, "%s, %s", c->model, group_names[k]);
        ref_require(what, worst[k], 1.05 * c->limit[k] + 1e-9);
    }
    ref_close(&r);
    ref_free(&t);
}

static void test_adams(void **state) {
    compare_adams(*state);
}

int main(void) {
    enum { N = sizeof adams_cases / sizeof *adams_cases };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){adams_cases[i].model, test_adams, NULL, NULL,
                                       (void *)&adams_cases[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
