// SPDX-License-Identifier: Apache-2.0
// Values of the other papers' problems that independent programs found: states, energies,
// frequencies, derivatives at the start.
#include "paper_check.h"
#include "problem/problem_extras.h"
#include "tools/papers/paper002.h"
#include "tools/papers/paper003/paper003.h"

#define ANDREWS "andrews.yaml"

// ---- tangent-space paper ----

static void free_double_pendulum(void **state) {
    (void)state;
#define FREE "double-pendulum.yaml"
    static const Case cases[] = {
        {FREE,
         "method=taylor tolerance=1e-13 end=2",
         {{'q', 2, -1.9801147372529, 1e-12},
          {'q', 5, -6.1267044508533, 1e-12},
          {'v', 2, 1.7423598782291, 1e-11},
          {'v', 5, -3.4333226142016, 1e-11},
          {'E', 0, -15.62681836904, 1e-10}}},
        {FREE,
         FOX_GOODWIN " step=0.0125",
         {{'q', 2, -1.980537229737, 1e-11}, {'E', 0, -15.63670320268, 1e-9}}},
        {FREE,
         TRAPEZOIDAL " step=0.0125",
         {{'q', 2, -1.980244908763, 1e-11}, {'E', 0, -15.62794977965, 1e-9}}},
    };
    CHECK_CASES(cases);
#undef FREE
}

// theta(0) = 2, omega(0) = 1, no torque
static void free_pendulum(void **state) {
    (void)state;
    static const Case exact = {
        "driven-pendulum.yaml",
        "T0=0 rod.angle=2 rod.position=[0.9092974268256817,0.4161468365471424] rod.omega=1 "
        "rod.velocity=[-0.4161468365471424,0.9092974268256817] method=taylor tolerance=1e-13 end=3",
        {{'q', 2, 1.9355216174646, 1e-12}, {'v', 2, -1.4714964130948, 1e-11}}};
    check_cases(&exact, 1);
}

static void andrews_motion(void **state) {
    (void)state;
    static const Case cases[] = {
        {ANDREWS,
         FOX_GOODWIN " step=5e-4 end=0.03",
         {{'q', 2, 15.44822001267, 2e-10}, {'v', 2, 1063.238869971, 2e-8}}},
        {ANDREWS,
         FOX_GOODWIN " step=2e-5 end=0.03",
         {{'q', 2, 15.8106968049, 1e-9},
          {'q', 8, 0.04082152081158, 1e-11},
          {'v', 2, 1139.865175536, 1e-6}}},
        {ANDREWS, TRAPEZOIDAL " step=2e-5 end=0.03", {{'q', 2, 15.81067060695, 1e-9}}},
        {ANDREWS,
         HERMITE " step=2e-5 end=0.03",
         {{'q', 2, 15.81077119166, 1e-10}, {'v', 2, 1139.920296696, 1e-7}}},
        {ANDREWS,
         "method=taylor tolerance=1e-13 end=0.03",
         {{'q', 2, 15.81077119515, 2e-10},
          {'q', 8, .04082224011963, 2e-12},
          {'q', 14, .52440996588, 1e-11},
          {'q', 20, 1.048080741042, 1e-11},
          {'v', 2, 1139.920302259, 2e-8}}},
        // beta(0) = -0.062
        {"andrews-a03.yaml",
         "method=taylor tolerance=1e-13 end=0.05",
         {{'q', 2, 33.81534072136, 1e-9},
          {'q', 8, .1151585275909, 1e-10},
          {'v', 2, 1140.942733448, 1e-6}}},
    };
    CHECK_CASES(cases);
    // relative angles, and the energy with that of the torque: E = T + V - 0.033 beta
    HolPaperRun r = run_model(ANDREWS, "method=taylor tolerance=1e-13 end=0.03");
    close_to(r.q[5] - r.q[2], -15.75637105841, 1e-9);
    close_to(r.q[11] - r.q[14], -.5347301163421, 1e-9);
    close_to(r.stats.energy_final - 0.033 * r.q[2], 1.437832957532, 1e-10);
    close_to(r.stats.energy_initial - 0.033 * -0.0617138900142764496, 1.437832957532, 1e-12);
    r = run_model(ANDREWS, FOX_GOODWIN " step=5e-4 end=0.03");
    close_to(r.stats.energy_final - 0.033 * r.q[2], 1.356439670574, 1e-10);
    r = run_model(ANDREWS, FOX_GOODWIN " step=2e-5 end=0.03");
    close_to(r.q[5] - r.q[2], -15.75627810455, 1e-9);
    close_to(r.stats.energy_final - 0.033 * r.q[2], 1.437682766219, 1e-10);
    r = run_model("andrews-a03.yaml", "method=taylor tolerance=1e-13 end=0.05");
    close_to(r.q[5] - r.q[2], -33.57115537822, 2e-9);
}

typedef struct Last {
    const HolModel *model;
    double end;
    HolFrequencies f;
} Last;

static int watch_last(void *user, const HolView *x) {
    Last *l = user;
    if (x->t > l->end - 1e-9)
        assert_int_equal(hol_paper_frequencies(l->model, x, &l->f, &err), HOL_OK);
    return 0;
}

static HolFrequencies frequencies_at_end(const char *model, const char *settings) {
    HolPaper p = paper();
    HolSimOptions o;
    HolModel *m = hol_paper_model(&p, model, settings, &o);
    assert_non_null(m);
    Last l = {.model = m, .end = o.end};
    hol_paper_watch(&p, watch_last, &l, model, "%s", settings);
    assert_int_equal(p.status, HOL_OK);
    hol_model_destroy(m);
    return l.f;
}

static void frequencies(void **state) {
    (void)state;
    HolPaper p = paper();
    HolFrequencies f = hol_paper_start_frequencies(&p, DOUBLE, "");
    close_to(f.reduced_euclid, 918.7054441521, 1e-6);
    close_to(f.reduced_mass, 865.4525012486, 1e-6);
    close_to(f.eigenvalue_re, -99867, 10); // the metric moves it by some units
    f = hol_paper_start_frequencies(&p, ANDREWS, "");
    close_to(f.reduced_euclid, 473.1290511837, 1e-6);
    f = frequencies_at_end(ANDREWS, FOX_GOODWIN " step=5e-4 end=0.03");
    close_to(f.reduced_euclid, 858.991330206, 1e-5);
    close_to(f.unreduced, 3632.794121989, 1e-5);
    f = frequencies_at_end(ANDREWS, FOX_GOODWIN " step=2e-5 end=0.03");
    close_to(f.reduced_euclid, 1030.541233322, 1e-5);
    f = frequencies_at_end(ANDREWS, HERMITE " step=2e-5 end=0.03");
    close_to(f.reduced_euclid, 1030.569871036, 1e-5);
    close_to(f.unreduced, 4064.936146659, 1e-5);
    assert_int_equal(p.status, HOL_OK);
}

// ---- conditionally explicit paper ----

// jerk and snap at the start; all masses are 1 and nothing is constrained, so that the right-hand
// sides are the Taylor coefficients of the accelerations
static void check_derivatives(const char *model, const char *settings, int n, const double *jerk,
                              const double *snap) {
    HolPaper p = paper();
    HolSimOptions o;
    HolModel *m = hol_paper_model(&p, model, settings, &o);
    assert_non_null(m);
    const HolPaperRun start = at_start(model, settings);
    const HolProblem *P = hol_model_problem(m);
    HolArena arena = {0};
    void *work = hol_arena_alloc(&arena, P->work_size);
    assert_non_null(work);
    if (P->work_init)
        assert_int_equal(P->work_init(P, work), HOL_OK);
    double rhs[3];
    P->extras->series_start(P, work, 0, start.q, start.v);
    for (int k = 0; k <= 2; k++) {
        P->extras->series_rhs(P, work, k, rhs);
        for (int i = 0; i < n; i++) {
            const double expected = k == 0 ? start.a[i] : k == 1 ? jerk[i] : snap[i];
            close_to(k == 2 ? 2 * rhs[i] : rhs[i], expected, 1e-13 * fabs(expected) + 1e-9);
        }
        P->extras->series_set(P, work, k, rhs, NULL, NULL);
    }
    hol_arena_free(&arena);
    hol_model_destroy(m);
}

static void start_derivatives(void **state) {
    (void)state;
    check_derivatives("papers/explicit-pendulum.yaml", "theta0=1 omega0=2", 1,
                      (double[]){-16.50966072193093}, (double[]){-64.9550815311353});
    check_derivatives("papers/explicit-top.yaml", "", 3,
                      (double[]){9862.087658149079, 0, -8540.818446306085},
                      (double[]){0, -231192.7156149698, 0});
}

static void top_motion(void **state) {
    (void)state;
    static const Case cases[] = {
        {"papers/explicit-top.yaml",
         "method=taylor tolerance=1e-13 end=10",
         {{'q', 0, 41.89272347035327, 2e-9},
          {'q', 1, 0.5246094543817127, 2e-10},
          {'q', 2, 90.99200390914892, 2e-9},
          {'v', 0, 0.1013384256070199, 2e-8},
          {'v', 1, -0.4425972696263683, 2e-8},
          {'v', 2, 12.47866021851662, 2e-8}}},
        // one period of the swing from the horizontal brings it back
        {"papers/explicit-pendulum.yaml",
         "method=taylor tolerance=1e-14 end=2.3678419475762374",
         {{'q', 0, 3.141592653589793, 1e-12}, {'v', 0, 0, 2e-12}}},
    };
    CHECK_CASES(cases);
}

// released from the horizontal only every fourth Taylor coefficient of the angle is not 0: steps
// must come from those, whatever the order (which follows the tolerance)
static void vanishing_coefficients(void **state) {
    (void)state;
    for (int k = 3; k <= 14; k++) {
        char settings[80];
        snprintf(settings, sizeof settings, "method=taylor tolerance=1e-%d end=10", k);
        const HolPaperRun r = run_model("papers/explicit-pendulum.yaml", settings);
        const double bound = 300 * pow(10, -k) + 1e-11;
        close_to(r.q[0], 1.8494770003648796, bound);
        close_to(r.v[0], -4.3431606928646831, bound);
    }
}

// the bare formulas of the long tables do what the steppers do
static int watch_energy(void *user, const HolView *x) {
    double *energy = user;
    *energy = fmax(*energy, fabs(0.5 * (x->v[0] * x->v[0] + x->v[1] * x->v[1]) + 9.81 * x->q[1]));
    return 0;
}

static void bare_formulas(void **state) {
    (void)state;
    static const char *const settings[3] = {
        "method=rk3 .projection=none", "method=rk3 .projection=position .metric=euclid",
        "method=explicit5 .set=g5_1 .start=zero .force=true .projection=none"};
    for (int i = 0; i < 3; i++) {
        HolPaper p = paper();
        double energy, drift, stepper = 0;
        if (i < 2)
            hol_formula_rk3(i, 1e-3, &energy, &drift);
        else
            hol_formula_dae5(1e-3, &energy, &drift);
        hol_paper_watch(&p, watch_energy, &stepper, "papers/explicit-pendulum-cartesian.yaml",
                        "%s step=1e-3 end=9.998", settings[i]);
        close_to(energy, stepper, 1e-4 * stepper);
        close_to(drift, i ? 0 : 1.0275e-7, i ? 2e-15 : 1e-11);
    }
}

// ---- alpha-method and coordinate-split papers ----

static void slider_frequencies(void **state) {
    (void)state;
    const HolSlider stiff = hol_slider_data(0.2e12, 4), soft = hol_slider_data(3.4e9, 4);
    close_to(hol_slider_frequency(&stiff), 99744.559, 1e-3);
    close_to(hol_slider_frequency(&soft), 13005.099, 1e-3);
}

// both circle problems start at the angle of (0.04471.., -0.999)
static void circle_start(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const HolPaperRun r = at_start(
            i ? "papers/circle-spring.yaml" : "papers/circle-linear-force.yaml", "eps=1e-2");
        close_to(atan2(r.q[0], -r.q[1]), 0.044725087168733, 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_pendulum),          cmocka_unit_test(free_double_pendulum),
        cmocka_unit_test(andrews_motion),         cmocka_unit_test(frequencies),
        cmocka_unit_test(start_derivatives),      cmocka_unit_test(top_motion),
        cmocka_unit_test(slider_frequencies),     cmocka_unit_test(circle_start),
        cmocka_unit_test(vanishing_coefficients), cmocka_unit_test(bare_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
