// SPDX-License-Identifier: Apache-2.0
// `stability` on models whose frequencies are known: limits along a motion, modes and their bodies, large
// models by iteration against dense matrices, models with nothing that can grow, units, the warning
// before a run, accuracy constants.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "holonom/holonom.h"
#include "solve/stability/stability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void near(const char *what, double found, double want, double slack) {
    if (!(fabs(found - want) <= slack * fabs(want)))
        fail_msg("%s: %.12g, not %.12g", what, found, want);
}

static HolModel *parse(const char *text, HolSimOptions *o) {
    HolModel *m = NULL;
    HolError err;
    hol_sim_options_sized(o, sizeof *o);
    if (hol_model_parse(text, strlen(text), "text", NULL, 0, &m, o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return m;
}

static HolModel *load(const char *file, const HolSetting *set, int n, HolSimOptions *o) {
    HolModel *m = NULL;
    HolError err;
    hol_sim_options_sized(o, sizeof *o);
    if (hol_model_load(file, set, n, &m, o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return m;
}

static HolStability *stability(const HolModel *m, const HolSimOptions *o,
                               const HolStabilityOptions *how) {
    HolStability *s = NULL;
    HolError err;
    if (hol_stability(m, o, how, &s, &err) != HOL_OK)
        fail_msg("%s", err.text);
    return s;
}

static const HolStabilityMethod *method(const HolStability *s, const char *name, const char *word) {
    for (int i = 0; i < s->n_methods; i++) {
        const HolMethodOptions *o = &s->methods[i]->options;
        if (!strcmp(o->name, name) && (!word || !strcmp(o->scheme, word) || !strcmp(o->set, word)))
            return s->methods[i];
    }
    fail_msg("no method %s %s", name, word ? word : "");
    return NULL;
}

// ---- along a motion ----

// a swinging pendulum is fastest at the bottom, sqrt(g/L), between the points
static void fastest_between_points(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = load("models/pendulum.yaml", NULL, 0, &o);
    HolStability *s = stability(m, &o, NULL);
    assert_true(s->n_points >= 12 && s->fastest > 0);
    const HolStabilityPoint *p = s->points[s->fastest];
    near("omega_max", p->omega_max, sqrt(9.81), 1e-4);
    assert_int_equal(p->n_bodies, 1);
    assert_string_equal(p->bodies[0], "mass");
    const HolStabilityMethod *rk4 = method(s, "rk4", NULL), *cd = method(s, "explicit3", "cd");
    near("rk4", rk4->largest_stable_step, sqrt(8) / sqrt(9.81), 1e-3);
    near("cd", cd->largest_stable_step, 2 / sqrt(9.81), 1e-3);
    near("time", rk4->at_time, p->time, 1e-12);
    assert_true(rk4->largest_stable_step_this_run > rk4->largest_stable_step);
    assert_true(isinf(method(s, "tangent", "hermite")->largest_stable_step));
    assert_true(isinf(method(s, "bdf", NULL)->largest_stable_step));
    assert_true(isnan(method(s, "hht", NULL)->at_time));
    assert_true(rk4->accuracy_step < 0.05 && rk4->accuracy_step > 1e-3);
    // the radius at the limit is 1, beyond it is larger
    for (int k = 0; k < s->n_methods; k++)
        if (s->methods[k] == rk4) {
            near("radius", hol_stability_radius(s, k, rk4->largest_stable_step), 1, 1e-6);
            assert_true(hol_stability_radius(s, k, 1.1 * rk4->largest_stable_step) > 1.01);
        }
    assert_true(isnan(hol_stability_radius(s, -1, 1)));
    hol_stability_destroy(s);
    hol_model_destroy(m);
}

// points, a part of the motion, one method
static void what_is_asked_for(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = load("models/pendulum.yaml", NULL, 0, &o);
    HolStabilityOptions how = hol_stability_options();
    how.from = 1;
    how.to = 2;
    how.points = 5;
    how.method = "explicit5";
    HolStability *s = stability(m, &o, &how), *none = NULL;
    near("from", s->points[0]->time, 1, 1e-12);
    near("to", s->points[s->n_points - 1]->time, 2, 1e-9);
    assert_int_equal(s->n_methods, 6);
    hol_stability_destroy(s);
    HolError err;
    how.to = 0.5;
    assert_int_equal(hol_stability(m, &o, &how, &none, &err), HOL_ERR_INPUT);
    how = hol_stability_options();
    how.method = "euler";
    assert_int_equal(hol_stability(m, &o, &how, &none, &err), HOL_ERR_INPUT);
    assert_null(none);
    assert_int_equal(hol_stability(NULL, &o, NULL, &none, &err), HOL_ERR_INPUT);
    const volatile int stop = 1;
    how = hol_stability_options();
    how.stop = &stop;
    assert_int_equal(hol_stability(m, &o, &how, &none, &err), HOL_INTERRUPTED);
    hol_stability_destroy(NULL);
    hol_model_destroy(m);
}

// damping of some hinges couples the modes: the whole matrix, by hand (reference values of the model)
static void damped_and_coupled(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = load("test/stability/double-pendulum-dampers.yaml", NULL, 0, &o);
    HolStabilityOptions how = hol_stability_options();
    how.to = 0;
    HolStability *s = stability(m, &o, &how);
    near("real", s->points[0]->real, -4.10493774, 1e-6);
    near("imag", s->points[0]->imag, 27.20579552, 1e-6);
    hol_stability_destroy(s);
    hol_model_destroy(m);
}

// ---- nothing to grow ----

static void nothing_grows(void **state) {
    (void)state;
    static const char *const texts[] = {
        // driven: no degree of freedom
        ("holonom: 1\nname: d\nspace: planar\nground: {points: {O: [0, 0]}}\n"
         "bodies: [{name: rod, mass: 1, inertia: 1, position: [1, 0], points: {a: [-1, 0]}}]\n"
         "joints: [{name: O, type: revolute, between: [ground.O, rod.a]}]\n"
         "motions: [{name: m, joint: O, value: \"2*time\"}]\nsimulation: {end: 1}\n"),
        // free: no spring
        ("holonom: 1\nname: f\nspace: planar\n"
         "bodies: [{name: b, mass: 1, inertia: 1, velocity: [1, 2], omega: 3}]\n"
         "simulation: {end: 1}\n"),
        // at rest in space, free
        ("holonom: 1\nname: f\nspace: spatial\n"
         "bodies: [{name: b, mass: 1, inertia: [1, 2, 2.5]}]\nsimulation: {end: 1}\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        HolSimOptions o;
        HolModel *m = parse(texts[i], &o);
        HolStability *s = stability(m, &o, NULL);
        assert_int_equal(s->fastest, -1);
        for (int k = 0; k < s->n_methods; k++)
            if (!(s->methods[k]->options.force) && !isinf(s->methods[k]->largest_stable_step))
                fail_msg("text %zu: %s has the limit %g", i, s->methods[k]->options.name,
                         s->methods[k]->largest_stable_step);
        assert_non_null(strstr(s->note, i == 0 ? "no degree of freedom" : "pulls back"));
        hol_stability_destroy(s);
        hol_model_destroy(m);
    }
}

// non-holonomic rows, redundant joints, spin: finite answers
static void other_models(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = load("models/rolling-wheel.yaml", NULL, 0, &o);
    HolStability *s = stability(m, &o, NULL);
    assert_true(s->fastest >= 0 && isfinite(s->points[s->fastest]->omega_max));
    hol_stability_destroy(s);
    hol_model_destroy(m);
    m = load("models/bricard.yaml", NULL, 0, &o);
    s = stability(m, &o, NULL);
    assert_true(isfinite(method(s, "rk4", NULL)->largest_stable_step));
    hol_stability_destroy(s);
    hol_model_destroy(m);
    m = load("models/heavy-top.yaml", NULL, 0, &o);
    s = stability(m, &o, NULL);
    near("spin", s->spin_step, 0.5 / 150.13, 1e-3);
    assert_string_equal(s->points[0]->spinning, "top");
    hol_stability_destroy(s);
    hol_model_destroy(m);
}

// ---- units: lengths in mm make no difference ----

static char *chain_text(int n, double l, double g, double spin, double k) {
    char *text = calloc((size_t)n * 400 + 400, 1), *t = text;
    t += sprintf(t, "holonom: 1\nname: chain\nspace: planar\ngravity: [0, %.17g]\nbodies:\n", -g);
    for (int i = 0; i < n; i++)
        t += sprintf(t,
                     "  - {name: r%d, mass: 1, inertia: %.17g, position: [0, %.17g], omega: %.17g, "
                     "velocity: [%.17g, 0], points: {t: [0, %.17g], b: [0, %.17g]}}\n",
                     i + 1, l * l / 12, -(i + 0.5) * l, spin, spin * (i + 0.5) * l, l / 2, -l / 2);
    t += sprintf(t, "joints:\n");
    for (int i = 0; i < n; i++)
        t += i ? sprintf(t, "  - {name: j%d, type: revolute, between: [r%d.b, r%d.t]}\n", i + 1, i,
                         i + 1)
               : sprintf(t, "  - {name: j1, type: revolute, between: [{body: ground, at: [0, 0]}, "
                            "r1.t]}\n");
    if (k > 0)
        t +=
            sprintf(t,
                    "forces:\n  - {name: d, type: torsion_spring_damper, joint: j%d, stiffness: 0, "
                    "damping: %.17g}\n",
                    n, k);
    sprintf(t, "simulation: {end: 0.1}\n");
    return text;
}

static void units(void **state) {
    (void)state;
    double omega[2];
    for (int i = 0; i < 2; i++) {
        const double unit = i ? 1000 : 1;
        HolSimOptions o;
        char *text = chain_text(4, 0.5 * unit, 9.81 * unit, 0, 0);
        HolModel *m = parse(text, &o);
        HolStabilityOptions how = hol_stability_options();
        how.to = 0;
        HolStability *s = stability(m, &o, &how);
        omega[i] = s->points[0]->omega_max;
        near("o3", method(s, "explicit3", "o3")->largest_stable_step, sqrt(3) / omega[i], 1e-4);
        hol_stability_destroy(s);
        hol_model_destroy(m);
        free(text);
    }
    near("four rods", omega[0], 18.595525338, 1e-9);
    near("in mm", omega[1], omega[0], 1e-9);
}

// ---- large models ----

static HolStabilityState look(const char *text, int dense, HolArena *arena, HolSim **sim,
                              HolModel **m) {
    HolSimOptions o;
    HolError err;
    HolStabilityState at;
    HolBodyNames *names = HOL_NEW(arena, HolBodyNames, 1);
    *m = parse(text, &o);
    assert_int_equal(hol_sim_create(*m, &o, sim, &err), HOL_OK);
    assert_int_equal(hol_sim_assemble(*sim, &err), HOL_OK);
    assert_true(hol_stability_names(*sim, arena, names));
    assert_int_equal(hol_stability_state(*sim, names, dense, arena, &at, &err), HOL_OK);
    return at;
}

// hanging (reference: 40 digits), spinning, damped: iteration against dense matrices
static void iteration_against_dense(void **state) {
    (void)state;
    static const double spins[] = {0, 3, 0}, dampers[] = {0, 0, 5};
    for (int i = 0; i < 3; i++) {
        HolArena arena = {0};
        HolSim *s[2];
        HolModel *m[2];
        char *text = chain_text(50, 0.5, 9.81, spins[i], dampers[i]);
        const HolStabilityState a = look(text, 1000, &arena, &s[0], &m[0]),
                                b = look(text, 0, &arena, &s[1], &m[1]);
        if (i == 0)
            near("hanging", a.point.omega_max, 100.06408864, 1e-9);
        assert_true(a.n == 150 && b.n == 0);
        near("by iteration", b.point.omega_max, a.point.omega_max, 2e-3);
        assert_true(b.point.n_bodies > 0 && a.point.n_bodies > 0);
        if (i < 2)
            assert_string_equal(b.point.bodies[0], a.point.bodies[0]);
        for (int k = 0; k < 2; k++) {
            hol_sim_destroy(s[k]);
            hol_model_destroy(m[k]);
        }
        free(text);
        hol_arena_free(&arena);
    }
}

static void thousand_rods(void **state) {
    (void)state;
    HolSimOptions o;
    char *text = chain_text(1000, 0.5, 9.81, 0, 0);
    HolModel *m = parse(text, &o);
    HolStabilityOptions how = hol_stability_options();
    how.to = 0;
    HolStability *s = stability(m, &o, &how);
    // (from the matrices in absolute angles, dense)
    near("omega_max", s->points[0]->omega_max, 480.0720987, 2e-3);
    assert_true(s->points[0]->omega_max > 480.0720987); // the bound is added
    assert_true(s->points[0]->n_bodies > 0);
    assert_non_null(strstr(s->note, "large model"));
    near("cd", method(s, "central-differences", NULL)->largest_stable_step,
         2 / s->points[0]->omega_max, 1e-5);
    hol_stability_destroy(s);
    hol_model_destroy(m);
    free(text);
}

// ---- independent parts against the whole matrix ----

static void parts_of_models(void **state) {
    (void)state;
    static const char *const files[] = {"test/stability/spring-chain-constraint.yaml",
                                        "test/stability/four-bar-spring.yaml",
                                        "test/stability/double-pendulum-dampers.yaml",
                                        "test/stability/spatial-bushing.yaml",
                                        "test/stability/hanging-rods.yaml",
                                        "models/papers/spinning-chain.yaml"};
    for (size_t f = 0; f < 2 * sizeof files / sizeof *files; f++) {
        HolArena arena = {0};
        HolSimOptions o;
        HolError err;
        HolSim *s = NULL;
        HolBodyNames names;
        HolStabilityState at;
        HolVariant *v;
        const HolSetting damped = {"c", "25"};
        HolModel *m = load(files[f / 2], &damped, f % 2 && (f / 2 < 2 || f / 2 == 3), &o);
        assert_int_equal(hol_sim_create(m, &o, &s, &err), HOL_OK);
        assert_int_equal(hol_sim_assemble(s, &err), HOL_OK);
        assert_true(hol_stability_names(s, &arena, &names));
        assert_int_equal(hol_stability_state(s, &names, 1000, &arena, &at, &err), HOL_OK);
        const int n = hol_variants(&o.method, NULL, &arena, &v), np = at.spectrum.np,
                  nz = at.spectrum.nz;
        for (int i = 0; i < n; i++) {
            const HolStepMap *map = &v[i].map;
            if (map->kind == HOL_MAP_NONE || map->a_stable || map->refused)
                continue;
            double *work = HOL_NEW(&arena, double, hol_map_work(map, np, nz));
            const double limit =
                hol_stable_step(map, &at.spectrum, INFINITY, 800, INFINITY, NULL, work).run;
            const double below = hol_map_radius(map, np, nz, at.A, 0.999 * limit, work),
                         above = hol_map_radius(map, np, nz, at.A, 1.002 * limit, work);
            if (!(below < 1 + 0.00427) || !(above > 1 + 0.00424))
                fail_msg("%s, %s %s%s: radius %.9f below the limit, %.9f above", files[f / 2],
                         v[i].options.name, v[i].options.scheme, v[i].options.set, below, above);
        }
        hol_sim_destroy(s);
        hol_model_destroy(m);
        hol_arena_free(&arena);
    }
}

// ---- before a run ----

static void warned_before_the_run(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = load("test/stability/hanging-rods.yaml", NULL, 0, &o);
    HolStepLimit l;
    HolError err;
    snprintf(o.method.name, sizeof o.method.name, "central-differences");
    const double limit = 2 / 18.595525338;
    o.end = 1000 * limit;
    o.step = 0.975 * limit;
    assert_int_equal(hol_step_limit(m, &o, &l, &err), HOL_OK);
    assert_string_equal(l.warning, "");
    o.step = 0.99 * limit;
    assert_int_equal(hol_step_limit(m, &o, &l, &err), HOL_OK);
    near("limit", l.limit, limit, 1e-3);
    near("imag", l.imag, 18.595525338, 1e-6);
    assert_non_null(strstr(l.warning, "r1"));
    assert_non_null(strstr(l.bodies, "r1"));
    snprintf(o.method.name, sizeof o.method.name, "hht"); // no limit
    o.step = 100 * limit;
    assert_int_equal(hol_step_limit(m, &o, &l, &err), HOL_OK);
    assert_true(isinf(l.limit));
    assert_string_equal(l.warning, "");
    o.step = 0; // error-controlled
    assert_int_equal(hol_step_limit(m, &o, &l, &err), HOL_OK);
    assert_true(isnan(l.limit));
    assert_int_equal(hol_step_limit(NULL, &o, &l, &err), HOL_ERR_INPUT);
    hol_model_destroy(m);
    m = load("models/heavy-top.yaml", NULL, 0, &o);
    snprintf(o.method.name, sizeof o.method.name, "rk4");
    o.step = 0.01; // 1.5 rad a step
    assert_int_equal(hol_step_limit(m, &o, &l, &err), HOL_OK);
    assert_non_null(strstr(l.warning, "spins"));
    hol_model_destroy(m);
}

// ---- accuracy ----

typedef struct Constant {
    const char *method, *word;
    double c_p, p, c_q, q; // 0: none
} Constant;

// relative errors of frequency and amplitude per radian: expansions of the maps
static void accuracy_constants(void **state) {
    (void)state;
    static const Constant known[] = {
        {"tangent", "hermite", 1. / 720, 4, 0, 0},
        {"tangent", "fox-goodwin", 1. / 480, 4, 0, 0},
        {"tangent", "linear-acceleration", 1. / 24, 2, 0, 0},
        {"tangent", "trapezoidal", 1. / 12, 2, 0, 0},
        {"tangent", "hht", 0.1045833, 2, 0.010125, 3}, // (1/6 - lag/2 - 3/4 lag^2 + lag am)/2
        {"central-differences", "", 1. / 24, 2, 0, 0},
        {"rk3", "", 1. / 30, 4, 1. / 24, 3},
        {"rk4", "", 1. / 120, 4, 1. / 144, 5},
        {"explicit3", "o3", 0.023, 4, 1. / 24, 3},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        HolMethodOptions o = hol_sim_options().method;
        HolStepMap map = {0};
        const Constant *k = &known[i];
        snprintf(o.name, sizeof o.name, "%s", k->method);
        if (o.name[0] == 'e')
            snprintf(o.set, sizeof o.set, "%s", k->word);
        else
            snprintf(o.scheme, sizeof o.scheme, "%s", k->word);
        hol_stepper_find(k->method)->map(&o, &map);
        const HolMapOrder found = hol_map_order(&map);
        near(k->method, found.frequency[1], k->p, 0);
        near(k->method, found.frequency[0], k->c_p, 0.04);
        near(k->method, found.growth[1], k->q, 0);
        near(k->method, found.growth[0], k->c_q, 0.04);
    }
    // tol = c omega T (omega h)^p
    const HolMapOrder order = {{1. / 12, 2}, {0}};
    near("step", hol_accuracy_step(&order, 10, 2, 1e-6), sqrt(1e-6 * 12 / 20) / 10, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fastest_between_points),
        cmocka_unit_test(what_is_asked_for),
        cmocka_unit_test(damped_and_coupled),
        cmocka_unit_test(nothing_grows),
        cmocka_unit_test(other_models),
        cmocka_unit_test(units),
        cmocka_unit_test(iteration_against_dense),
        cmocka_unit_test(thousand_rods),
        cmocka_unit_test(parts_of_models),
        cmocka_unit_test(warned_before_the_run),
        cmocka_unit_test(accuracy_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
