// SPDX-License-Identifier: Apache-2.0
// `method: auto`: what it chooses, that it says why, that it changes when stiffness appears or goes, that
// every run has the same bits, and that its results keep the tolerance.
#include "pendula.h"
#include "ref_compare.h"
#include "solve/auto/auto.h"

typedef struct Ended {
    HolStats stats;
    double q[64], v[64];
    int nq, nv, switches, pilots;
} Ended;

// a run of a model's text to its end, by a method
static Ended auto_run(const char *text, const char *method, double tolerance, double every) {
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolError err;
    HolSimOptions o;
    Ended out = {0};
    if (hol_model_parse(text, strlen(text), NULL, NULL, 0, &m, &o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    snprintf(o.method.name, sizeof o.method.name, "%s", method);
    o.tolerance = tolerance;
    if (hol_sim_create(m, &o, &s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    for (double t = every; t < o.end; t += every)
        if (hol_sim_advance(s, t, &err) != HOL_OK)
            fail_msg("%s", err.text);
    if (hol_sim_advance(s, o.end, &err) != HOL_OK)
        fail_msg("%s", err.text);
    const HolView x = hol_sim_view(s);
    out.stats = hol_sim_stats(s);
    out.nq = x.nq;
    out.nv = x.nv;
    memcpy(out.q, x.q, sizeof *out.q * (size_t)x.nq);
    memcpy(out.v, x.v, sizeof *out.v * (size_t)x.nv);
    if (s->choice) {
        out.switches = s->choice->switches;
        out.pilots = s->choice->pilots;
    }
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return out;
}

// two links; `damper` acts on the second joint
#define LINKS(damper, end)                                                                         \
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"                                             \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 1, inertia: 0.1, position: [0.5, 0], points: {l: [-0.5, 0], r: [0.5, "    \
    "0]}}\n"                                                                                       \
    "  - {name: b, mass: 1, inertia: 0.1, position: [1.5, 0], points: {l: [-0.5, 0]}}\n"           \
    "joints:\n"                                                                                    \
    "  - {name: A, type: revolute, between: [ground, a.l]}\n"                                      \
    "  - {name: B, type: revolute, between: [a.r, b.l]}\n"                                         \
    "forces:\n"                                                                                    \
    "  - {type: torque, on: b, value: \"" damper "\"}\n"                                           \
    "simulation: {end: " end "}\n"

static const char *const mild = LINKS("-0.1*(b.omega - a.omega)", "2");
static const char *const stiff = LINKS("-3e4*(b.omega - a.omega)", "2");
static const char *const appears =
    LINKS("-(0.1 + 3e4*if(time > 1, 1, 0))*(b.omega - a.omega)", "4");
static const char *const goes = LINKS("-(0.1 + 3e4*if(time < 1, 1, 0))*(b.omega - a.omega)", "60");

static void expect_choice(const Ended *e, const char *method, const char *why) {
    if (strcmp(e->stats.method, method) || !strstr(e->stats.choice, why))
        fail_msg("chose %s: '%s', not %s, '%s'", e->stats.method, e->stats.choice, method, why);
}

static void chooses(void **state) {
    (void)state;
    const Ended smooth = auto_run(mild, "auto", 1e-6, 100),
                hard = auto_run(stiff, "auto", 1e-6, 100);
    expect_choice(&smooth, "taylor", "not stiff");
    expect_choice(&hard, "radau", "stiff");
    const Ended named = auto_run(mild, "rk853", 1e-6, 100);
    expect_choice(&named, "rk853", "");
    assert_string_equal(named.stats.choice, "");
}

// a choice file by file: no forces, no degree of freedom, a fixed step
static void says_why(void **state) {
    (void)state;
    static const struct {
        const char *model, *setting, *method, *why;
    } cases[] = {
        {"chain.yaml", "tolerance=1e-6", "taylor", "no springs"},
        {"slider-crank.yaml", "tolerance=1e-6", "taylor", "no degree of freedom"},
        {"chain.yaml", "step=1e-3", "tangent", "a fixed step"},
        {"flyball.yaml", "tolerance=1e-6", "radau", "stiff"},
        {"rolling-wheel.yaml", "tolerance=1e-6", "taylor", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        RefRun r = ref_open(cases[i].model, "method=auto", cases[i].setting, NULL);
        HolError err;
        if (hol_sim_step(r.sim, 1, &err) != HOL_OK)
            fail_msg("%s: %s", cases[i].model, err.text);
        const HolStats stats = hol_sim_stats(r.sim);
        if (strcmp(stats.method, cases[i].method) || !strstr(stats.choice, cases[i].why) ||
            strncmp(stats.choice, cases[i].method, strlen(cases[i].method)))
            fail_msg("%s, %s: %s, '%s'", cases[i].model, cases[i].setting, stats.method,
                     stats.choice);
        ref_close(&r);
    }
}

static double far_apart(const Ended *a, const Ended *b) {
    double most = 0;
    for (int i = 0; i < a->nq; i++)
        most = fmax(most, fabs(a->q[i] - b->q[i]));
    return most;
}

// Stiffness that appears or goes during the run: the method changes, and the result keeps its tolerance
// against a method that never changes.
static void changes(void **state) {
    (void)state;
    const struct {
        const char *text, *first, *last;
    } cases[] = {{appears, "taylor", "radau"}, {goes, "radau", "taylor"}};
    for (int i = 0; i < 2; i++) {
        const Ended e = auto_run(cases[i].text, "auto", 1e-7, 100);
        const Ended exact = auto_run(cases[i].text, "tangent", 1e-10, 100);
        expect_choice(&e, cases[i].last, "s on,");
        assert_true(strncmp(e.stats.choice, cases[i].first, strlen(cases[i].first)) == 0);
        assert_true(e.switches >= 1 && e.pilots >= 1);
        if (i == 0 && far_apart(&e, &exact) > 30 * 1e-7 * 2)
            fail_msg("'%s': %.3g apart", e.stats.choice, far_apart(&e, &exact));
    }
}

// the same bits from every run, whatever the times that it is asked for
static void same_bits(void **state) {
    (void)state;
    const char *const texts[] = {mild, stiff, appears, goes};
    for (int i = 0; i < 4; i++) {
        const Ended a = auto_run(texts[i], "auto", 1e-6, 100),
                    b = auto_run(texts[i], "auto", 1e-6, 100);
        assert_memory_equal(a.q, b.q, sizeof a.q);
        assert_memory_equal(a.v, b.v, sizeof a.v);
        assert_string_equal(a.stats.choice, b.stats.choice);
        assert_int_equal(a.stats.steps, b.stats.steps);
    }
}

// the rates of a closed form: a damped oscillator m x'' + c x' + k x = 0 on a slide
static void rates(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\n"
        "bodies:\n  - {name: a, mass: 2, inertia: 1, position: [1, 0]}\n"
        "joints:\n  - {name: S, type: prismatic, between: [{body: ground, axis: [1, 0]}, a]}\n"
        "forces:\n  - {type: spring_damper, between: [ground, a], stiffness: 5e4, damping: 700, "
        "length: "
        "1}\n";
    HolModel *m = NULL;
    HolSim *s = NULL;
    HolError err;
    HolSimOptions o;
    double decay, omega;
    if (hol_model_parse(text, strlen(text), NULL, NULL, 0, &m, &o, &err) != HOL_OK ||
        hol_sim_create(m, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    struct HolRates *r = hol_rates_create(s);
    assert_true(hol_fastest_rates(r, &s->x, &decay, &omega));
    const double half = 700 / 4.0, root = sqrt(half * half - 5e4 / 2); // both real
    assert_true(fabs(decay / (half + root) - 1) < 1e-8);
    assert_true(fabs(omega / (half + root) - 1) < 1e-8);
    hol_rates_destroy(r);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// a C user's problem has no series: rk853 in place of taylor
static void own_problem(void **state) {
    (void)state;
    const HolProblem p = pendulum_problem();
    HolSimOptions o = hol_sim_options();
    double q[2], v[2];
    HolSim *s = NULL;
    pendulum_state(PI / 3, 0, q, v);
    o.end = 2;
    assert_int_equal(hol_sim_create_problem(&p, q, v, &o, &s, NULL), HOL_OK);
    assert_string_equal(hol_sim_stats(s).method, "auto");
    assert_int_equal(hol_sim_advance(s, 2, NULL), HOL_OK);
    assert_string_equal(hol_sim_stats(s).method, "rk853");
    hol_sim_destroy(s);
    // parameters without a method's name are those of tangent
    snprintf(o.method.scheme, sizeof o.method.scheme, "newmark");
    assert_int_equal(hol_sim_create_problem(&p, q, v, &o, &s, NULL), HOL_OK);
    assert_string_equal(hol_sim_stats(s).method, "tangent");
    hol_sim_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses),   cmocka_unit_test(says_why), cmocka_unit_test(changes),
        cmocka_unit_test(same_bits), cmocka_unit_test(rates),    cmocka_unit_test(own_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
