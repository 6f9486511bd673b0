// SPDX-License-Identifier: Apache-2.0
// The conditionally explicit family against exact discrete values (30 digits, an independent
// program), the published tables, and the equivalences between its members.
#include "explicit_run.h"

#define PENDULUM PAPERS "explicit-pendulum.yaml"
#define CARTESIAN PAPERS "explicit-pendulum-cartesian.yaml"
#define TOP PAPERS "explicit-top.yaml"

typedef struct Discrete {
    const char *set;
    double zero[2], taylor[2]; // 0: not given
} Discrete;

// as published: beta for all velocities, whatever the set's default
static HolSimOptions published(const char *set, const char *start, double end, double step) {
    HolSimOptions o = family(set, start, end, step);
    if (!strcmp(set, "o3"))
        o.method.beta_out = 0.5;
    if (!strcmp(set, "o4s"))
        o.method.beta_out = 5. / 6;
    snprintf(o.method.projection, sizeof o.method.projection, "none");
    return o;
}

static void check_discrete(const char *file, double theta0, double omega0, double end, double step,
                           const Discrete *table, int n, double tolerance) {
    for (int i = 0; i < n; i++)
        for (int start = 0; start < 2; start++) {
            const double *expected = start ? table[i].taylor : table[i].zero;
            if (expected[0] == 0)
                continue;
            HolSimOptions o = published(table[i].set, start ? "s1" : "zero", end, step);
            Run r = run_file(file, theta0, omega0, &o);
            close_to(r.q[0], expected[0], tolerance);
            close_to(r.v[0], expected[1], 4 * tolerance);
        }
}

// ---- R1 .. R6 ----

static void exact_pendulum(void **state) {
    (void)state;
    static const double exact[3][3] = {{1, 0.16576901527009747, -1.7993090169070786},
                                       {2, 2.4874439164581416, 3.4552068990593298},
                                       {10, 1.8494770003648796, -4.3431606928646831}};
    for (int i = 0; i < 3; i++) {
        HolSimOptions o = family("o5a", "", exact[i][0], 1e-3);
        Run r = run_file(PENDULUM, NAN, NAN, &o);
        close_to(r.q[0], exact[i][1], 4e-11);
        close_to(r.v[0], exact[i][2], 4e-11);
    }
    HolSimOptions o = family("o5a", "", 2, 5e-4);
    Run r = run_file(PENDULUM, 1, 2, &o);
    close_to(r.q[0], 0.8186018870414516, 1e-12);
    close_to(r.v[0], 1.347847339044848, 4e-12);
}

static void discrete_pendulum(void **state) {
    (void)state;
    static const Discrete table[] = {
        {"cd", {0.8188489718405542, 1.349776491286909}, {0}},
        {"g3_43", {0.8182636183120845, 1.345833317249558}, {0}},
        {"g3_2", {0.8171013559839254, 1.337944301000975}, {0}},
        {"o3", {0.8185559427209442, 1.347805016771983}, {0}},
        {"g4_54", {0.8184838617736167, 1.347522763539513}, {0.8186017274360822, 1.347844654741809}},
        {"g4_14", {0.8186257055185318, 1.347623158471007}, {0.8186960678300939, 1.347783547451438}},
        {"g4_34", {0.8185559427209442, 1.34757598426088}, {0.8186488990545182, 1.347814106618011}},
        {"o4s", {0.8184961646312605, 1.348111832951203}, {0.8186015735252787, 1.347822052891004}},
        {"g5_45", {0.8184865230583869, 1.347534801457864}, {0.8186010936390054, 1.347843042333826}},
        {"g5_1", {0.8184838617736167, 1.347522763539513}, {0.8186012223683293, 1.347843804362393}},
        {"o5a", {0.8184960517795952, 1.348134575306756}, {0.8186011742897662, 1.347843519730463}},
        {"o5b", {0.8184961108730991, 1.348131215439705}, {0.8186005292530313, 1.347839702088591}},
    };
    check_discrete(PENDULUM, 1, 2, 2, 0.02, table, sizeof table / sizeof *table, 1e-13);
    HolSimOptions o = options("central-differences", 2, 0.02);
    Run r = run_file(PENDULUM, 1, 2, &o);
    close_to(r.q[0], 0.8188489718405542, 1e-13);
    close_to(r.v[0], 1.349776491286909, 1e-12);
}

static void discrete_implicit(void **state) {
    (void)state;
    static const Discrete table[] = {
        {"cd", {-1.411410264659876, 0.7247913548208333}, {0}},
        {"g4_34",
         {-1.411475723177544, 0.7247105408555639},
         {-1.411455077523534, 0.7247569111782263}},
        {"o4s", {-1.411477613015554, 0.7247399572811202}, {-1.411457083351554, 0.7247581243937989}},
        {"g5_45",
         {-1.411478730731078, 0.7247100801822573},
         {-1.411457733536486, 0.7247574628440128}},
        {"g5_1", {-1.411478842912577, 0.7247099123116755}, {-1.41145772412607, 0.7247574677138503}},
        {"o5a", {-1.41147826638985, 0.7247392644899535}, {-1.411457735879475, 0.7247574455890603}},
    };
    check_discrete(van_der_pol, NAN, NAN, 4, 0.02, table, sizeof table / sizeof *table, 1e-13);
    HolSimOptions o = options("central-differences", 4, 0.02);
    Run r = run_file(van_der_pol, NAN, NAN, &o);
    close_to(r.q[0], -1.411410264659876, 1e-13);
    close_to(r.v[0], 0.7247913548208333, 1e-13);
}

static void discrete_constrained(void **state) {
    (void)state;
    static const struct {
        const char *set, *start;
        double angle, omega, lambda[2];
    } table[] = {
        {"cd",
         "s1",
         -0.7428035968107708,
         -2.802100138762269,
         {-10.19819529057546, -11.10619578899068}},
        {"g5_1",
         "s1",
         -0.7425264132619419,
         -2.802596633650391,
         {-10.19784284009381, -11.11199292854781}},
        {"g5_45",
         "s1",
         -0.7425262375865523,
         -2.80259681611737,
         {-10.1978419556548, -11.11199588342999}},
        {"o5a",
         "s1",
         -0.7425264313517954,
         -2.802596977236525,
         {-10.19784236454414, -11.11199200685814}},
        {"o4s",
         "s1",
         -0.7425253880546843,
         -2.802601602975486,
         {-10.19783578834022, -11.1120081128771}},
        {"g5_1",
         "zero",
         -0.7424943851208372,
         -2.802968262262194,
         {-10.19734015858906, -11.11215959315441}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        HolSimOptions o = published(table[i].set, table[i].start, 1, 0.01);
        Run r = run_file(CARTESIAN, 1, 2, &o);
        close_to(r.q[2], table[i].angle, 2e-13);
        close_to(r.v[2], table[i].omega, 2e-12);
        // round-off of positions over h^2
        close_to(r.lambda[0], table[i].lambda[0], 2e-10);
        close_to(r.lambda[1], table[i].lambda[1], 2e-10);
    }
    HolSimOptions o = options("central-differences", 1, 0.01);
    snprintf(o.method.projection, sizeof o.method.projection, "none");
    Run r = run_file(CARTESIAN, 1, 2, &o);
    close_to(r.q[2], table[0].angle, 2e-13);
    close_to(r.v[2], table[0].omega, 2e-12);
    // exact at t = 1
    o = family("o5a", "", 1, 1e-3);
    r = run_file(CARTESIAN, 1, 2, &o);
    close_to(r.q[2], -0.7425271696483456, 2e-10);
    close_to(r.v[2], -2.8025956515711, 1e-9);
    close_to(r.lambda[0], -10.19784550625238, 2e-8);
    close_to(r.lambda[1], -11.11197896181095, 2e-8);
}

static void discrete_top(void **state) {
    (void)state;
    static const struct {
        const char *set, *start;
        double o[3];
    } table[] = {
        {"g5_1", "s1", {0.49961813577455, 0.59149659225023, 0.84485141772832}},
        {"g5_1", "zero", {0.49963211869173, 0.59151013173137, 0.8448449177144}},
        {"o5a", "s1", {0.49961813732669, 0.59149657109641, 0.84485141429224}},
        {"cd", "zero", {0.49962690869117, 0.59156266519879, 0.84485477599171}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        HolSimOptions o = family(table[i].set, table[i].start, 0.1, 1e-3);
        Run r = run_file(TOP, NAN, NAN, &o);
        for (int k = 0; k < 3; k++)
            close_to(r.q[k], table[i].o[k], 2e-13);
        if (i == 0) {
            close_to(r.v[0], 5.8067615670908, 2e-11);
            close_to(r.v[1], -1.9001367752334, 2e-11);
            close_to(r.v[2], 7.7461365617824, 2e-11);
        }
    }
    HolSimOptions o = family("o5a", "", 1, 1e-4);
    Run r = run_file(TOP, NAN, NAN, &o);
    close_to(r.q[0], 4.24473376981371, 2e-10);
    close_to(r.q[1], 0.5340997872950881, 2e-10);
    close_to(r.q[2], 9.053483716846608, 2e-10);
}

// ---- tables of the paper ----

static double pendulum_energy(const HolView *x) {
    return 0.5 * x->v[0] * x->v[0] - 9.81 * sin(x->q[0]);
}

static double pendulum_error(const char *set, double step) {
    HolSimOptions o =
        set ? family(set, "zero", 10, step) : options("central-differences", 10, step);
    if (set && !strcmp(set, "o3"))
        o.method.beta_out = 0.5;
    return energy_error(PENDULUM, &o, lround(10 / step) - 2, pendulum_energy);
}

static void tables_1_2_4_6(void **state) {
    (void)state;
    static const double step[3] = {1e-3, 1e-4, 1e-5};
    // classical central differences, round-off included
    static const double table1[3] = {2.00492e-5, 2.00597e-7, 2.46675e-8};
    for (int i = 0; i < 3; i++)
        agrees(pendulum_error(NULL, step[i]), table1[i], 6, 0.1);
    static const char *const sets2[3] = {"cd", "g3_43", "g3_2"};
    static const double table2[2][3] = {{2.00492e-5, 1.27955e-5, 3.85689e-6},
                                        {2.00492e-7, 1.21061e-7, 3.99453e-8}};
    static const char *const sets4[3] = {"g4_54", "g4_14", "g4_34"};
    static const double table4[2][3] = {{5.54063e-11, 8.67265e-7, 4.3364e-7},
                                        {5.66297e-13, 8.6753e-10, 4.33685e-10}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            agrees(pendulum_error(sets2[k], step[i]), table2[i][k], 6, 0.1);
            // 1/3 in the last place decides over the digits of what is nearly round-off
            agrees(pendulum_error(sets4[k], step[i]), table4[i][k], i + k == 1 ? 2 : 5, 0.5);
        }
    agrees(pendulum_error("g5_45", 1e-2), 9.05417e-7, 6, 0.1);
    // printed 6.71e-11 and 2e-11: here sums are taken from the inside, which loses less
    agrees(pendulum_error("g5_45", 1e-3), 6.68967e-11, 5, 1);
    assert_true(pendulum_error("g5_45", 1e-4) < 2e-12);
}

static double cartesian_energy(const HolView *x) {
    return 0.5 * (x->v[0] * x->v[0] + x->v[1] * x->v[1]) + 9.81 * x->q[1];
}

static void table_11(void **state) {
    (void)state;
    HolSimOptions o = published("g5_1", "zero", 10, 1e-2);
    agrees(energy_error(CARTESIAN, &o, 998, cartesian_energy), 1.8207e-5, 5, 0);
    o = published("g5_1", "s1", 10, 1e-2);
    agrees(energy_error(CARTESIAN, &o, 998, cartesian_energy), 1.8244e-5, 5, 0);
    o = published("g5_1", "zero", 10, 1e-3);
    agrees(energy_error(CARTESIAN, &o, 9998, cartesian_energy), 9.7807e-10, 4, 1);
    o.end = 10;
    Run r = run_file(CARTESIAN, NAN, NAN, &o);
    assert_true(r.stats.residual_position < 2e-11); // of the first position, off by O(h^4)
    // long runs: the published set blows up, o5a does not
    o = published("o5a", "s1", 1000, 1e-2);
    double error = energy_error(CARTESIAN, &o, 99998, cartesian_energy);
    assert_true(error > 1e-6 && error < 2e-5);
    o = published("g5_1", "s1", 1000, 1e-2);
    HolModel *m = load(CARTESIAN, NAN, NAN);
    r = run_model(m, &o);
    assert_true(r.status != HOL_OK || r.stats.energy_max_drift > 1);
    hol_model_destroy(m);
}

// ---- equivalences ----

enum { KEPT = 120 };

static void positions(const char *file, const HolSimOptions *o, int n, double *q, double *a) {
    HolModel *m = load(file, strcmp(file, TOP) ? 1 : NAN, 2);
    HolSim *s = NULL;
    HolError err;
    assert_int_equal(hol_sim_create(m, o, &s, &err), HOL_OK);
    for (int i = 0; i < n; i++) {
        assert_int_equal(hol_sim_step(s, 1e9, &err), HOL_OK);
        HolView x = hol_sim_view(s);
        q[i] = x.q[0];
        a[i] = x.a[0];
    }
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

static void compare(const char *file, const char *one, const char *other, double tolerance) {
    static double q[2][KEPT], a[KEPT];
    HolSimOptions o = published(one, "zero", 10, 0.01);
    positions(file, &o, KEPT, q[0], a);
    o = published(other, "zero", 10, 0.01);
    positions(file, &o, KEPT, q[1], a);
    for (int i = 0; i < KEPT; i++)
        close_to(q[0][i], q[1][i], tolerance);
}

static void equal_sets(void **state) {
    (void)state;
    compare(PENDULUM, "g5_1", "g4_54", 1e-13);
    compare(PENDULUM, "g4_34", "o3", 1e-13);
    compare(CARTESIAN, "g5_1", "g4_54", 1e-10);
    // classical and reformulated central differences
    static double q[2][KEPT], a[KEPT];
    HolSimOptions o = published("cd", "zero", 10, 0.01),
                  c = options("central-differences", 10, 0.01);
    snprintf(c.method.projection, sizeof c.method.projection, "none");
    positions(CARTESIAN, &o, KEPT, q[0], a);
    positions(CARTESIAN, &c, KEPT, q[1], a);
    for (int i = 0; i < KEPT; i++)
        close_to(q[0][i], q[1][i], 1e-12);
}

// positions of o4s and o3 obey Stormer's formulas with four and three accelerations
static void stormer(void **state) {
    (void)state;
    static double q[KEPT], a[KEPT];
    const double h = 0.02;
    HolSimOptions o = family("o4s", "", 10, h);
    positions(PENDULUM, &o, KEPT, q, a);
    for (int i = 4; i + 1 < KEPT; i++)
        close_to(q[i + 1] - 2 * q[i] + q[i - 1],
                 h * h / 12 * (14 * a[i] - 5 * a[i - 1] + 4 * a[i - 2] - a[i - 3]), 2e-15);
    o = family("o3", "", 10, h);
    positions(PENDULUM, &o, KEPT, q, a);
    for (int i = 3; i + 1 < KEPT; i++)
        close_to(q[i + 1] - 2 * q[i] + q[i - 1], h * h / 12 * (13 * a[i] - 2 * a[i - 1] + a[i - 2]),
                 2e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_pendulum),    cmocka_unit_test(discrete_pendulum),
        cmocka_unit_test(discrete_implicit), cmocka_unit_test(discrete_constrained),
        cmocka_unit_test(discrete_top),      cmocka_unit_test(tables_1_2_4_6),
        cmocka_unit_test(table_11),          cmocka_unit_test(equal_sets),
        cmocka_unit_test(stormer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
