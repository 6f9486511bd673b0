// SPDX-License-Identifier: Apache-2.0
// One-step maps of all methods: limits of omega h of a damped vibration against published and
// closed values, against the running steppers a little below and above, and the whole matrix
// against its independent parts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "holonom/holonom.h"
#include "solve/linear/step_map.h"
#include "solve/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE INFINITY

typedef struct Case {
    const char *method, *word; // scheme or set
    double gamma, beta;        // newmark
    int order;
    double limit[6]; // of omega h at the damping ratios below
    int force;
} Case;

static const double ratios[6] = {0, 0.1, 0.3, 0.5, 1, 5};

#define ALL(x)                                                                                     \
    { x, x, x, x, x, x }
static const Case cases[] = {
    {"tangent", "fox-goodwin", NAN, NAN, 0, ALL(2.449490), 0},
    {"tangent", "linear-acceleration", NAN, NAN, 0, ALL(3.464102), 0},
    {"tangent",
     "jfg",
     NAN,
     NAN,
     0,
     {2.449490, 2.502381, 3.464102, 3.464102, 3.464102, 3.464102},
     0},
    {"tangent", "hermite", NAN, NAN, 0, ALL(NONE), 0},
    {"tangent", "obreshkov3", NAN, NAN, 0, ALL(NONE), 0},
    {"tangent", "trapezoidal", NAN, NAN, 0, ALL(NONE), 0},
    {"tangent", "newmark", 0.6, 0.3, 0, ALL(NONE), 0},
    {"tangent", "hht", NAN, NAN, 0, ALL(NONE), 0},
    {"tangent", "generalized-alpha", NAN, NAN, 0, ALL(NONE), 0},
    {"newmark", "", NAN, NAN, 0, ALL(NONE), 0},
    {"newmark", "", 0.75, NAN, 0, ALL(NONE), 0},
    {"hht", "", NAN, NAN, 0, ALL(NONE), 0},
    {"generalized-alpha", "", NAN, NAN, 0, ALL(NONE), 0},
    {"dae-alpha", "", NAN, NAN, 0, ALL(NONE), 0},
    {"radau", "", NAN, NAN, 0, ALL(NONE), 0},
    {"radau", "", NAN, NAN, 13, ALL(NONE), 0},
    {"central-differences", "", NAN, NAN, 0, ALL(2), 0},
    {"explicit3", "cd", NAN, NAN, 0, ALL(2), 0},
    {"explicit3", "g3_43", NAN, NAN, 0, ALL(1.549194), 0},
    {"explicit3", "g3_2", NAN, NAN, 0, ALL(1.154701), 0},
    {"explicit3", "o3", NAN, NAN, 0, {1.732051, 1.682773, 1.588535, 1.5, 1.302776, .541383}, 0},
    {"explicit4",
     "o4s",
     NAN,
     NAN,
     0,
     {1.414214, 1.349118, 1.228287, 1.119634, .896807, .287594},
     0},
    {"explicit4",
     "o4d",
     NAN,
     NAN,
     0,
     {1.897367, 1.838315, 1.725886, 1.620938, 1.389977, .549650},
     0},
    {"explicit4", "g4_14", NAN, NAN, 0, {1.264911, 0, 0, 0, 0, 0}, 1},
    {"explicit4", "g4_34", NAN, NAN, 0, {1.732051, 0, 0, 0, 0, 0}, 1},
    {"explicit4", "g4_54", NAN, NAN, 0, ALL(0), 1},
    {"explicit5",
     "o5a",
     NAN,
     NAN,
     0,
     {1.414214, 1.381274, 1.317746, 1.257335, 1.119634, .519147},
     0},
    {"explicit5", "o5b", NAN, NAN, 0, {1.732051, 1.682772, 1.588534, 1.5, 1.302776, .541383}, 0},
    {"explicit5", "o5c", NAN, NAN, 0, {1.732051, 1.707231, 1.658674, 1.611556, 1.5, .886003}, 0},
    {"explicit5", "g5_45", NAN, NAN, 0, ALL(0), 1},
    {"explicit5", "g5_1", NAN, NAN, 0, ALL(0), 1},
    {"explicit5", "g5_opt", NAN, NAN, 0, ALL(0), 1},
    {"rk3", "", NAN, NAN, 0, {1.732051, 2.154050, 2.489141, 2.521660, 2.512747, .253839}, 0},
    {"rk4", "", NAN, NAN, 0, {2.828427, 2.950854, 2.835301, 2.622544, 2.785294, .281372}, 0},
    {"rk853", "", NAN, NAN, 0, {5.960361, 6.281012, 6.497983, 6.765938, 6.393653, .645890}, 0},
    {"ab4", "", NAN, NAN, 0, {.429987, .407675, .372750, .346207, .3, .030306}, 0},
    {"ab5", "", NAN, NAN, 0, {.082170, .214672, .199067, .186507, .163339, .016501}, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static HolMethodOptions options_of(const Case *c) {
    HolMethodOptions o = hol_sim_options().method;
    snprintf(o.name, sizeof o.name, "%s", c->method);
    if (!strncmp(c->method, "explicit", 8))
        snprintf(o.set, sizeof o.set, "%s", c->word);
    else
        snprintf(o.scheme, sizeof o.scheme, "%s", c->word);
    o.gamma = c->gamma;
    o.beta = c->beta;
    o.order = c->order;
    o.force = c->force;
    return o;
}

static HolStepMap map_of(const Case *c) {
    const HolMethodOptions o = options_of(c);
    HolStepMap map = {0};
    hol_stepper_find(c->method)->map(&o, &map);
    return map;
}

static HolStableStep limit_of(const HolStepMap *map, int np, int nz, const double *A,
                              double steps) {
    HolArena arena = {0};
    HolSpectrum s;
    HolError err;
    assert_int_equal(hol_spectrum(np, nz, A, NULL, 0, &arena, &s, &err), HOL_OK);
    double *work = HOL_NEW(&arena, double, hol_stable_step_work(map, &s));
    const HolStableStep r = hol_stable_step(map, &s, INFINITY, steps, INFINITY, NULL, work);
    hol_arena_free(&arena);
    return r;
}

// omega = 7 so that units matter
static void vibration(double ratio, double *A) {
    const double omega = 7;
    A[0] = 0;
    A[1] = -omega * omega;
    A[2] = 1;
    A[3] = -2 * ratio * omega;
}

static void table_of_the_methods(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int k = 0; k < 6; k++) {
            HolStepMap map = map_of(&cases[i]);
            double A[4];
            vibration(ratios[k], A);
            assert_int_equal(map.a_stable, cases[i].limit[0] == NONE);
            map.a_stable = 0; // looked for all the same
            const double found = 7 * limit_of(&map, 1, 1, A, 0).strict, want = cases[i].limit[k];
            if (!(want == NONE ? found == NONE : fabs(found - want) <= 2e-5 * (want + 0.05)))
                fail_msg("%s %s, damping %g: %.6f, not %.6f", cases[i].method, cases[i].word,
                         ratios[k], found, want);
        }
}

// every method and every word of the registry is in the table above (but taylor, bdf and auto)
static void table_is_complete(void **state) {
    (void)state;
    for (const HolStepper *const *p = hol_steppers; *p; p++) {
        if (!strcmp((*p)->name, "taylor"))
            continue;
        if (!strcmp((*p)->name, "bdf") || !strcmp((*p)->name, "auto")) {
            assert_null((*p)->map);
            continue;
        }
        assert_non_null((*p)->map);
        int words = 0;
        for (const HolField *f = (*p)->options; f->key; f++)
            if (!strcmp(f->key, "scheme") || !strcmp(f->key, "set"))
                for (const HolWord *w = f->words; w->name; w++, words++) {
                    int there = 0;
                    for (int i = 0; i < CASES; i++)
                        there |=
                            !strcmp(cases[i].method, (*p)->name) && !strcmp(cases[i].word, w->name);
                    if (!there)
                        fail_msg("%s %s is not in the table", (*p)->name, w->name);
                }
        int there = 0;
        for (int i = 0; i < CASES; i++)
            there |= !strcmp(cases[i].method, (*p)->name);
        assert_true(there);
    }
}

static void assert_near(double found, double want, double slack) {
    if (!(fabs(found - want) <= slack))
        fail_msg("%.9g, not %.9g", found, want);
}

static void taylor_limits(void **state) {
    (void)state;
    Case c = {.method = "taylor", .word = "series", .gamma = NAN, .beta = NAN, .order = 8};
    double A[4];
    vibration(0, A);
    HolStepMap map = map_of(&c);
    assert_near(7 * limit_of(&map, 1, 1, A, 0).strict, 2.01, 0.02);
    assert_near(7 * limit_of(&map, 1, 1, A, 800).run, 2.4, 0.05);
    c.order = 12;
    map = map_of(&c);
    assert_near(7 * limit_of(&map, 1, 1, A, 0).strict, 1.904, 0.002);
    assert_near(7 * limit_of(&map, 1, 1, A, 800).run, 3.6, 0.05);
    // D = order - 2: sqrt((D-1)^2 - 1)
    c.word = "stable";
    for (c.order = 8; c.order <= 16; c.order += 2) {
        map = map_of(&c);
        assert_near(7 * limit_of(&map, 1, 1, A, 0).strict, sqrt((c.order - 3) * (c.order - 3) - 1),
                    1e-4);
    }
}

// ---- the steppers themselves ----

static double largest_of_run(const Case *c, double ratio, double step, int steps) {
    HolModel *model = NULL;
    HolSim *sim = NULL;
    HolError err;
    double x, largest = 0;
    char xi[32];
    snprintf(xi, sizeof xi, "%.17g", ratio);
    const HolSetting set[] = {{"x.velocity", "1"}, {"wbar", "0"}, {"xi", xi}};
    HolSimOptions o;
    hol_sim_options_sized(&o, sizeof o);
    assert_int_equal(
        hol_model_load("models/papers/explicit-oscillator.yaml", set, 3, &model, &o, &err), HOL_OK);
    o.method = options_of(c);
    o.step = step;
    o.end = step * steps;
    assert_int_equal(hol_sim_create(model, &o, &sim, &err), HOL_OK);
    while (hol_sim_step(sim, o.end, &err) == HOL_OK && hol_sim_view(sim).t < o.end * (1 - 1e-9)) {
        x = hol_sim_view(sim).q[0];
        largest = fmax(largest, fabs(x));
        if (!(largest < 1e9))
            break;
    }
    hol_sim_destroy(sim);
    hol_model_destroy(model);
    return largest;
}

// without damping ab5 grows at every step; where by 1e-7 is no sharp limit
static int grows_slowly(const Case *c, double ratio) {
    return !strcmp(c->method, "ab5") && ratio == 0;
}

static void steppers_blow_up_there(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int k = 0; k < 6; k++) {
            const double limit = cases[i].limit[k];
            if (limit == NONE || limit == 0 || cases[i].force || grows_slowly(&cases[i], ratios[k]))
                continue;
            const double off = ratios[k] > 1 ? 0.05 : 0.01, // (the crossing is flat there)
                below = largest_of_run(&cases[i], ratios[k], (1 - off) * limit, 4000),
                         above = largest_of_run(&cases[i], ratios[k], (1 + off) * limit, 4000);
            if (!(below < 300) || !(above > 10 * below))
                fail_msg("%s %s, damping %g: amplitude %g below the limit, %g above",
                         cases[i].method, cases[i].word, ratios[k], below, above);
        }
}

// ---- several modes ----

// two masses, a damper of one: coupled; limits of the matrix as a whole against those of the parts
static void parts_and_whole(void **state) {
    (void)state;
    enum { N = 3, ALL_OF = 2 * N };
    const double K[N][N] = {{900, -400, 0}, {-400, 500, -100}, {0, -100, 100}};
    for (int kind = 0; kind < 3; kind++) {
        double A[ALL_OF * ALL_OF] = {0};
        for (int j = 0; j < N; j++) {
            A[(N + j) * ALL_OF + j] = 1;
            for (int i = 0; i < N; i++) {
                A[j * ALL_OF + N + i] = -K[i][j];
                const double C = kind == 0   ? 0
                                 : kind == 1 ? 0.01 * K[i][j] + (i == j)
                                             : (i == 0 && j == 0) * 8;
                A[(N + j) * ALL_OF + N + i] = -C;
            }
        }
        HolArena arena = {0};
        HolSpectrum s;
        HolError err;
        assert_int_equal(hol_spectrum(N, N, A, NULL, 0, &arena, &s, &err), HOL_OK);
        assert_int_equal(s.n_block, kind == 2 ? 1 : N);
        for (int i = 0; i < CASES; i++) {
            const HolStepMap map = map_of(&cases[i]);
            if (map.a_stable || cases[i].limit[1] == 0 || grows_slowly(&cases[i], kind))
                continue;
            double *work = HOL_NEW(&arena, double, hol_map_work(&map, N, N));
            const HolStableStep found =
                hol_stable_step(&map, &s, INFINITY, 0, INFINITY, NULL, work);
            const double below = hol_map_radius(&map, N, N, A, 0.9999 * found.strict, work),
                         above = hol_map_radius(&map, N, N, A, 1.0001 * found.strict, work);
            if (!(below <= 1 + 1e-6) || !(above > 1 + 1e-6))
                fail_msg("%s %s, damping of kind %d: radius %.9f below, %.9f above the limit",
                         cases[i].method, cases[i].word, kind, below, above);
            for (double h = 0.05; h < 1; h += 0.05) // no earlier crossing
                assert_true(hol_map_radius(&map, N, N, A, h * found.strict, work) <= 1 + 1e-6);
        }
        hol_arena_free(&arena);
    }
}

// the exact flow: every map agrees with exp(hA) up to its order, also with A11 and np > nz
static void maps_are_consistent(void **state) {
    (void)state;
    enum { NP = 3, NZ = 2, N = NP + NZ };
    double A[N * N], x[N] = {0.3, -0.2, 0.5, 0.7, -0.4};
    unsigned seed = 5;
    for (int i = 0; i < N * N; i++)
        A[i] = (double)((seed = seed * 1103515245u + 12345u) >> 16 & 1023) / 1023 - 0.5;
    for (int i = 0; i < CASES; i++) {
        const HolStepMap map = map_of(&cases[i]);
        const int size = hol_map_size(&map, NP, NZ);
        if (size > N && map.kind != HOL_MAP_ALPHA)
            continue; // (what they remember has no closed start)
        double error[2], scaled[N * N], R[400], work[8000];
        for (int k = 0; k < 2; k++) {
            const double h = 0.02 / (1 + k);
            double y[20] = {0}, y1[20] = {0}, exact[N], term[N], next[N];
            hol_map_scale(NP, NZ, A, h, scaled);
            assert_true(hol_map_matrix(&map, NP, NZ, scaled, R, work));
            memcpy(y, x, sizeof x);
            memcpy(exact, x, sizeof x);
            memcpy(term, x, sizeof x);
            for (int j = NP; j < N; j++)
                y[j] *= h;
            for (int a = 0; a < NZ && size > N; a++) // the acceleration
                for (int j = 0; j < N; j++)
                    y[N + a] += h * h * A[j * N + NP + a] * x[j];
            for (int r = 0; r < size; r++)
                for (int j = 0; j < size; j++)
                    y1[r] += R[j * size + r] * y[j];
            for (int n = 1; n < 20; n++) {
                for (int r = 0; r < N; r++) {
                    next[r] = 0;
                    for (int j = 0; j < N; j++)
                        next[r] += h / n * A[j * N + r] * term[j];
                }
                memcpy(term, next, sizeof term);
                for (int r = 0; r < N; r++)
                    exact[r] += term[r];
            }
            error[k] = 0;
            for (int r = 0; r < N; r++)
                error[k] = fmax(error[k], fabs(y1[r] / (r < NP ? 1 : h) - exact[r]));
        }
        // local error h^2 at least (the alpha-methods start with a, not with their own), h^3 mostly
        if (!(error[0] < 0.02) || !(error[1] < 0.3 * error[0] || error[0] < 1e-12))
            fail_msg("%s %s: errors %g, %g", cases[i].method, cases[i].word, error[0], error[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_the_methods), cmocka_unit_test(table_is_complete),
        cmocka_unit_test(taylor_limits),        cmocka_unit_test(steppers_blow_up_there),
        cmocka_unit_test(parts_and_whole),      cmocka_unit_test(maps_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
