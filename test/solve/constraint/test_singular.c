// SPDX-License-Identifier: Apache-2.0
// Singular positions are passed: the double four-bar goes flat every half turn, where its Jacobian
// loses rank and the motion could branch. Fixed steps of any size, several methods, stay on the
// branch.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "holonom/holonom.h"

#include <math.h>

static void pass(const char *method, const char *key, const char *value, double drift,
                 double error) {
    HolSetting set[] = {{"method", method}, {key, value}};
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolError e;
    if (hol_model_load("models/four-bar.yaml", set, 2, &m, &o, &e) ||
        hol_sim_create(m, &o, &s, &e) || hol_sim_advance(s, 10, &e))
        fail_msg("%s %s=%s: %s", method, key, value, e.text);
    const double *q = hol_sim_view(s).q;
    double off = fmax(fabs(2 * q[0] - 0.328458111537), fabs(2 * q[1] - 0.944518538180));
    HolStats st = hol_sim_stats(s);
    if (!(st.energy_max_drift < drift && off < error && st.residual_position < 1e-11))
        fail_msg("%s %s=%s: drift %g, B0 off by %g, joints open by %g", method, key, value,
                 st.energy_max_drift, off, st.residual_position);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

static void tangent_at_many_steps(void **state) {
    (void)state;
    static const char *const steps[] = {"0.01",  "0.008",  "0.007", "0.005",  "0.003",
                                        "0.002", "0.0013", "0.001", "0.0007", "0.0005"};
    for (int i = 0; i < 10; i++)
        pass("tangent", "step", steps[i], 5e-5, i < 3 ? 3e-5 : 2e-6);
}

static void error_control(void **state) {
    (void)state;
    pass("tangent", "tolerance", "1e-6", 5e-2, 3e-2);
    pass("tangent", "tolerance", "1e-8", 5e-4, 3e-4);
    pass("tangent", "tolerance", "1e-10", 5e-6, 3e-6);
    pass("taylor", "tolerance", "1e-9", 1e-5, 1e-5);
    pass("hht", "step", "0.001", 1e-2, 1e-2);
}

static void other_methods(void **state) {
    (void)state;
    pass("dae-alpha", "step", "0.002", 1e-2, 1e-2);
    pass("rk4", "step", "0.002", 1e-6, 1e-6);
    pass("rk853", "tolerance", "1e-9", 1e-5, 1e-5);
}

// at rest in the flat position itself: named, not hidden
static void check_names_it(void **state) {
    (void)state;
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolSimOptions o;
    HolError e;
    HolCheck c;
    if (hol_model_load("models/bricard.yaml", NULL, 0, &m, &o, &e) ||
        hol_sim_create(m, &o, &s, &e) || hol_sim_check(s, &c, &e))
        fail_msg("%s", e.text);
    assert_int_equal(c.redundant, 1);
    assert_int_equal(c.dof, 1);
    assert_int_equal(c.n_dependent, 1);
    assert_int_equal(c.dependent[0].always, 1);
    assert_true(c.dependent[0].joint[0] && c.dependent[0].on[0]);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangent_at_many_steps),
        cmocka_unit_test(error_control),
        cmocka_unit_test(other_methods),
        cmocka_unit_test(check_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
