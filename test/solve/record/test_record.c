// SPDX-License-Identifier: Apache-2.0
// Functionals over a run against exact values: a point that oscillates on a spring (sin, cos), a body
// in free fall, forces that jump. Every method, steps long and short.
#include "io/model/parse_text.h"
#include "solve/record/record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// x = cos(w t), v = -w sin(w t), w = 2; k: a pulse between 1 and 1.5 s on the other mass
static const char model_text[] =
    "holonom: 1\nspace: planar\nparameters: {A: 3}\n"
    "bodies:\n"
    "  - {name: p, type: point, mass: 1, position: [1, 0]}\n"
    "  - {name: q, type: point, mass: 1, position: [0, 0]}\n"
    "forces:\n"
    "  - {type: force, on: p, value: [\"-4*p.x\", 0]}\n"
    "  - {type: force, on: q, value: [\"if(time > 1 and time < 1.5, 2, 0)\", 0]}\n"
    "simulation: {end: 5}\n";

enum { MOST = 16 };

// values of the texts; the length of *err->text tells of a mistake
static int record(const char *const *texts, int n, const HolSetting *settings, int n_settings,
                  double *out, HolExprError *wrong) {
    HolArena arena = {0};
    HolRecordText split[MOST];
    const char *names[64];
    int n_names = 0, which, ok = 1;
    HolError err = {0};
    HolModel *m = NULL;
    HolSimOptions o;
    HolSim *s = NULL;
    *wrong = (HolExprError){0};
    for (int i = 0; i < n && ok; i++)
        ok = hol_record_split(&arena, texts[i], &split[i], wrong);
    for (int i = 0; i < n && ok; i++)
        for (int k = 0; k < split[i].n; k++)
            for (int at = 0, l; (l = hol_record_next_name(split[i].parts[k].text, &at)); at += l)
                names[n_names++] = hol_arena_text_n(&arena, split[i].parts[k].text + at, (size_t)l);
    if (ok) {
        const HolModelText from = {.text = model_text,
                                   .length = strlen(model_text),
                                   .file = "model",
                                   .settings = settings,
                                   .n_settings = n_settings,
                                   .outputs = names,
                                   .n_outputs = n_names};
        if (hol_model_parse_text(&from, &m, &o, sizeof o, &err))
            fail_msg("%s", err.text);
        HolRecorder *r = hol_recorder_create(&arena, m, split, n, wrong, &which);
        ok = r != NULL;
        if (ok && (hol_sim_create(m, &o, &s, &err) ||
                   hol_sim_run(s, o.end, hol_recorder_observe, r, &err) ||
                   hol_recorder_values(r, s, out, &err)))
            fail_msg("%s", err.text);
    }
    hol_sim_destroy(s);
    hol_model_destroy(m);
    hol_arena_free(&arena);
    return ok;
}

static void near(const char *what, double value, double exact, double tolerance) {
    if (!(fabs(value - exact) <= tolerance))
        fail_msg("%s: %.15g, not %.15g (%.2g)", what, value, exact, value - exact);
}

static const char *const texts[] = {
    "max(p.x)",
    "min(p.x)",
    "max(p.vx) - min(p.vx)",
    "mean(p.x)",
    "rms(p.x)",
    "integral(p.vx)",
    "final(p.x)*A",
    "time_when(p.x < 0.5)",
    "time_when(p.x > 0)",
    "time_when(p.x > 2)",
    "time_when(abs(p.vx) > 1.999999999)",
    "integral(q.ax)",
    "max(q.ax)",
    "time_when(q.ax > 1 and p.x < 0)",
    "max(min(p.x, 0.25))",
    "max(p.ax)",
};

static void check(const char *method, const char *step, const char *rows, double tolerance) {
    const HolSetting settings[] = {{"method", method},
                                   {step[0] == 's' ? "step" : "tolerance", step + 1},
                                   {"output_step", rows}};
    double v[MOST];
    HolExprError wrong;
    char name[96];
    assert_true(record(texts, MOST, settings, 3, v, &wrong));
    const double pi = acos(-1);
    const double exact[MOST] = {1,
                                -1,
                                4,
                                sin(10) / 10,
                                sqrt(0.5 + sin(20) / 40),
                                cos(10) - 1,
                                3 * cos(10),
                                pi / 6,
                                0,
                                NAN,
                                asin(0.9999999995) / 2,
                                1,
                                2,
                                1,
                                0.25,
                                4};
    for (int i = 0; i < MOST; i++) {
        snprintf(name, sizeof name, "%s with %s, %s", method, step, texts[i]);
        if (isnan(exact[i]))
            assert_true(isnan(v[i]));
        else // where the speed is largest its slope is zero: times are less sharp
            near(name, v[i], exact[i], i == 10 ? 3e-2 * sqrt(tolerance) : tolerance);
    }
}

static void test_values(void **state) {
    (void)state;
    check("taylor", "t1e-10", "0.01", 2e-8);
    check("rk853", "t1e-10", "0.7", 2e-7);
    check("tangent", "t1e-10", "5", 1e-7);
    check("radau", "t1e-10", "0.01", 2e-7);
    check("rk4", "s0.005", "1", 2e-7);
}

// the same bits, whatever rows of results are asked for
static void test_rows_do_not_matter(void **state) {
    (void)state;
    double a[MOST], b[MOST];
    HolExprError wrong;
    const HolSetting few[] = {{"method", "taylor"}, {"output_step", "5"}};
    const HolSetting many[] = {{"method", "taylor"}, {"output_step", "0.001"}};
    assert_true(record(texts, MOST, few, 2, a, &wrong));
    assert_true(record(texts, MOST, many, 2, b, &wrong));
    assert_memory_equal(a, b, sizeof a);
}

static void test_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *text, *piece;
        int column;
    } cases[] = {
        {"max(p.x", "not closed", 3},
        {"max(min(p.x))", "inside another", 4},
        {"mean(p.x, p.y)", "one argument", 0},
        {"max( )", "missing", 3},
        {"max(p.x) + p.y", "unknown name", 11},
        {"max(p.x) + ", "", 0},
        {"max(p.x +)", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        HolExprError wrong;
        const HolSetting none[] = {{"method", "taylor"}};
        assert_false(record(&cases[i].text, 1, none, 1, &value, &wrong));
        if (!wrong.text[0] || !strstr(wrong.text, cases[i].piece) ||
            (cases[i].column && wrong.column != cases[i].column))
            fail_msg("%s: '%s' at %d", cases[i].text, wrong.text, wrong.column);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_rows_do_not_matter),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
