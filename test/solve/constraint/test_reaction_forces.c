// SPDX-License-Identifier: Apache-2.0
// Forces that depend on reactions, against closed forms, in the order each method has.
//
// A mass on a circle (radius 1, mass 1, no weight) with friction mu N: v' = -k v^2, so that
// v = v0/(1 + k v0 t) and the angle is log(1 + k v0 t)/k. With N the centripetal force k = mu; with
// the torque of a pin of radius r on a body (I about the pin), I w' = -mu r |R|, where the pin
// carries the tangential force, too: with I = r (here 1.1) w' = -mu sqrt(w^4 + w'^2), that is
// k = mu/sqrt(1 - mu^2).
// A block on a straight guide under a load that varies: m v' = -mu (m g + P sin(3 t)).
#include "cli_run.h"

#include "holonom/holonom.h"

#include <math.h>

static const double MU = 0.3, V0 = 2, END = 2;

static const char *const plane =
    "holonom: 1\nspace: planar\nparameters: {mu: 0.3}\nground: {points: {O: [0, 0]}}\n"
    "bodies: [{name: m, type: point, mass: 1, position: [1, 0], velocity: [0, 2]}]\n"
    "joints: [{name: O, type: distance, between: [ground.O, m]}]\n"
    "variables: [{name: N, value: \"sqrt(O.fx^2 + O.fy^2)/sqrt(m.vx^2 + m.vy^2)\"}]\n"
    "forces: [{type: force, on: m, value: [\"-mu*N*m.vx\", \"-mu*N*m.vy\"]}]\n"
    "simulation: {end: 2}\n";
static const char *const space =
    "holonom: 1\nspace: spatial\nparameters: {mu: 0.3}\n"
    "bodies: [{name: m, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0],\n"
    "  velocity: [0, 2, 0], omega: [0, 0, 2]}]\n"
    "joints: [{name: O, type: revolute, bodies: [ground, m], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
    "forces: [{type: torque, on: m, value: [0, 0, \"-mu*1.1*sqrt(O.fx^2 + O.fy^2)\"]}]\n"
    "simulation: {end: 2}\n";
static const char *const block =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {mu: 0.3}\n"
    "bodies: [{name: m, mass: 2, inertia: 1, velocity: [20, 0]}]\n"
    "joints: [{name: P, type: prismatic, between: [{body: ground, at: [0, 0], axis: [1, 0]},\n"
    "  {body: m, at: [0, 0], axis: [1, 0]}]}]\n"
    "forces: [{type: force, on: m, value: [\"-mu*abs(P.fy)\", \"-5*sin(3*time)\"]}]\n"
    "simulation: {end: 2}\n";

typedef struct Setting {
    const char *method, *key, *value;
} Setting;

// error of position and velocity at the end; h > 0: step, < 0: tolerance
static double error_of(const char *text, const Setting *s, double h) {
    HolError err = {0};
    HolModel *m = NULL;
    HolSim *sim = NULL;
    HolSimOptions o;
    char size[32];
    snprintf(size, sizeof size, "%.17g", fabs(h));
    HolSetting settings[] = {
        {"method", s->method}, {h > 0 ? "step" : "tolerance", size}, {s->key, s->value}};
    HolStatus status =
        hol_model_parse(text, strlen(text), "t.yaml", settings, s->key ? 3 : 2, &m, &o, &err);
    if (!status)
        status = hol_sim_create(m, &o, &sim, &err);
    if (!status)
        status = hol_sim_advance(sim, END, &err);
    if (status)
        fail_msg("%s %s %g: %s", s->method, s->value ? s->value : "", h, err.text);
    const HolView x = hol_sim_view(sim);
    double exact[4], error = 0;
    if (text == block) {
        const double c = 0.3 * 5 / 2, w = 3;
        exact[0] = 20 * END - 0.3 * 9.81 * END * END / 2 - c * (END / w - sin(w * END) / (w * w));
        exact[2] = 20 - 0.3 * 9.81 * END - c * (1 - cos(w * END)) / w;
        exact[1] = exact[3] = 0;
    } else {
        const double k = text == plane ? MU : MU / sqrt(1 - MU * MU);
        const double v = V0 / (1 + k * V0 * END), angle = log(1 + k * V0 * END) / k;
        exact[0] = cos(angle);
        exact[1] = sin(angle);
        exact[2] = -v * sin(angle);
        exact[3] = v * cos(angle);
    }
    for (int i = 0; i < 2; i++)
        error = fmax(error, fmax(fabs(x.q[i] - exact[i]), fabs(x.v[i] - exact[2 + i])));
    hol_sim_destroy(sim);
    hol_model_destroy(m);
    return error;
}

static void test_orders(void **state) {
    (void)state;
    static const struct {
        Setting s;
        double order, largest; // at h = 0.005
    } cases[] = {
        {{"newmark", NULL, NULL}, 2, 3e-5},
        {{"newmark", "method.projection", "none"}, 2, 2e-4},
        {{"hht", NULL, NULL}, 2, 6e-5},
        {{"hht", "method.alpha", "0"}, 2, 3e-5},
        {{"hht", "method.alpha", "-0.01"}, 2, 6e-5},
        {{"hht", "method.projection", "full"}, 2, 4e-5},
        {{"generalized-alpha", NULL, NULL}, 2, 6e-5},
        {{"generalized-alpha", "method.rho", "1"}, 2, 3e-5},
        {{"generalized-alpha", "method.rho", "0.95"}, 2, 6e-5},
        {{"dae-alpha", NULL, NULL}, 2, 4e-5},
        {{"central-differences", NULL, NULL}, 2, 2e-5},
        {{"tangent", NULL, NULL}, 4, 1e-10},
        {{"rk4", NULL, NULL}, 4, 3e-10},
        {{"explicit5", NULL, NULL}, 4, 3e-9},
        {{"radau", "method.order", "3"}, 3, 1e-7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 2; k++) {
            const char *text = k ? space : plane;
            const double rough = error_of(text, &cases[i].s, 0.01);
            const double fine = error_of(text, &cases[i].s, 0.005), order = log2(rough / fine);
            if (!(fabs(order - cases[i].order) < 0.25 && fine < cases[i].largest))
                fail_msg("%s %s %s: error %g, order %g", k ? "space" : "plane", cases[i].s.method,
                         cases[i].s.value ? cases[i].s.value : "", fine, order);
        }
}

static void test_tolerances(void **state) {
    (void)state;
    static const char *const methods[] = {"newmark",   "hht",   "generalized-alpha",
                                          "dae-alpha", "rk853", "taylor",
                                          "tangent",   "rk4",   "radau"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int k = 0; k < 2; k++) {
            const Setting s = {methods[i], NULL, NULL};
            const double error = error_of(k ? space : plane, &s, -1e-8);
            if (!(error < 3e-5)) // (of second order: 1e-8^(2/3) and a constant)
                fail_msg("%s %s: %g", k ? "space" : "plane", methods[i], error);
        }
}

static void test_block(void **state) {
    (void)state;
    static const char *const methods[] = {"newmark", "hht", "generalized-alpha", "dae-alpha"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const Setting s = {methods[i], NULL, NULL};
        const double rough = error_of(block, &s, 0.02), fine = error_of(block, &s, 0.01);
        if (!(fine < 2e-4 && fabs(log2(rough / fine) - 2) < 0.2))
            fail_msg("%s: %g, %g", methods[i], rough, fine);
    }
    assert_true(error_of(block, &(Setting){"tangent", NULL, NULL}, 0.01) < 1e-8);
    assert_true(error_of(block, &(Setting){"taylor", NULL, NULL}, -1e-10) < 1e-9);
}

// where it cannot be done it is said
static void test_refused(void **state) {
    (void)state;
    HolError err = {0};
    HolModel *m = NULL;
    HolSim *sim = NULL;
    HolSimOptions o;
    const HolSetting settings[] = {{"method", "bdf"}, {"method.formulation", "cs"}};
    assert_int_equal(hol_model_parse(plane, strlen(plane), "t.yaml", settings, 2, &m, &o, &err), 0);
    assert_int_not_equal(hol_sim_create(m, &o, &sim, &err), HOL_OK);
    expect_text(err.text, "bdf"); // (no multipliers; or not in this build)
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
