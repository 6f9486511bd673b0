// SPDX-License-Identifier: Apache-2.0
// `elements: auto`: the error that is left is within the accuracy asked for, seen against many more
// elements; nodes at all fractions that the file names; what it says.
#include "beam_run.h"

#include <unistd.h>

#define SOFT(n, more)                                                                              \
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"              \
    "bodies: [{name: rod, type: beam, from: ground.O, to: [1, 0], elements: " n                    \
    ", stiffness: {EA: 1e3, EI: 1}, mass_per_length: 0.5, rotary: 1.0e-3, damping: {time: "        \
    "5.0e-3, "                                                                                     \
    "mass: 1}}]\n" more "simulation: {end: 0.3, tolerance: 1.0e-8}\n"

typedef struct Path {
    double x[201], y[201];
    int n, elements;
    char remark[500];
} Path;

static HolStatus path_row(void *user, HolSim *s, int what, double t, HolError *err) {
    Path *p = user;
    double row[8];
    if (what != HOL_AT_ROW || p->n > 200)
        return HOL_OK;
    const HolStatus status = hol_sim_row(s, t, row, err);
    p->x[p->n] = row[1];
    p->y[p->n++] = row[2];
    return status;
}

static Path path_of(const char *text) {
    Path p = {.n = 0};
    HolModel *m = NULL;
    HolSimOptions o;
    HolSim *s = NULL;
    HolError err = {0};
    if (hol_model_parse(text, strlen(text), "beam.yaml", NULL, 0, &m, &o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    o.output_step = 0.003;
    if (hol_sim_create(m, &o, &s, &err) != HOL_OK ||
        hol_sim_run(s, o.end, path_row, &p, &err) != HOL_OK)
        fail_msg("%s", err.text);
    p.elements = hol_model_body_count(m) - 1;
    if (hol_model_remark_count(m))
        snprintf(p.remark, sizeof p.remark, "%s", hol_model_remark(m, 0)->text);
    hol_sim_destroy(s);
    hol_model_destroy(m);
    return p;
}

// the number grows with the accuracy, and the error is what was asked for
static void test_accuracy(void **state) {
    (void)state;
    static const char *const texts[] = {
        SOFT("auto, accuracy: 1.0e-2", "outputs: [rod.end.x, rod.end.y]\n"),
        SOFT("auto, accuracy: 1.0e-3", "outputs: [rod.end.x, rod.end.y]\n"),
        SOFT("auto", "outputs: [rod.end.x, rod.end.y]\n")};
    const Path exact = path_of(SOFT("64", "outputs: [rod.end.x, rod.end.y]\n"));
    int before = 0;
    for (int k = 0; k < 3; k++) {
        const double accuracy = pow(10, -2 - k);
        const Path p = path_of(texts[k]);
        double dx = 0, dy = 0, x = 0, y = 0;
        assert_int_equal(p.n, exact.n);
        for (int i = 0; i < p.n; i++) {
            dx = fmax(dx, fabs(p.x[i] - exact.x[i]));
            dy = fmax(dy, fabs(p.y[i] - exact.y[i]));
            x = fmax(x, fabs(exact.x[i]));
            y = fmax(y, fabs(exact.y[i]));
        }
        if (!(dx < 1.1 * accuracy * x && dy < 1.1 * accuracy * y))
            fail_msg("accuracy %g, %d elements: errors %.2g and %.2g", accuracy, p.elements, dx / x,
                     dy / y);
        assert_true(p.elements > before && p.elements <= 64);
        char said[40];
        snprintf(said, sizeof said, "beam 'rod': %d elements", p.elements);
        assert_non_null(strstr(p.remark, said));
        before = p.elements;
    }
}

// fractions of the file are nodes of every trial; without outputs the ends are compared
static void test_fractions(void **state) {
    (void)state;
    const Path third = path_of(
        SOFT("auto, accuracy: 1.0e-2", "outputs: [\"rod.at(0.2).x\", \"rod.deflection(0.5)\"]\n"));
    assert_int_equal(third.elements % 10, 0);
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    const char *bare = SOFT("auto, accuracy: 1.0e-2", "");
    assert_int_equal(hol_model_parse(bare, strlen(bare), "beam.yaml", NULL, 0, &m, &o, &err), 0);
    assert_int_equal(hol_model_remark_count(m), 1);
    hol_model_destroy(m);
}

// what no number of elements gives: a velocity right after a force begins
static void test_never(void **state) {
    (void)state;
    static const char text[] =
        "holonom: 1\nspace: planar\nbodies:\n  - {name: rod, type: beam, from: [0, 0], to: [1, 0], "
        "elements: auto, natural: 1, stiffness: {EA: 100, EI: 1}, mass_per_length: 1, rotary: 1}\n"
        "outputs: [rod.end.omega]\nsimulation: {end: 1.0e-4}\n";
    HolModel *m = NULL;
    HolSimOptions o;
    HolError err = {0};
    assert_int_equal(hol_model_parse(text, strlen(text), "beam.yaml", NULL, 0, &m, &o, &err),
                     HOL_ERR_CONVERGE);
    assert_null(m);
    assert_non_null(strstr(err.text, "beam.yaml:4:12: error: beam 'rod': 'elements: auto' found no "
                                     "number: with 256 elements the error of 'rod.end.omega'"));
}

// ---- a long search is watched, and ends when that is asked for ----

typedef struct Watch {
    int calls, levels, before; // sentences, and numbers of elements among them
    int stop_at;               // so many calls
    volatile int stop;
} Watch;

static void watch_progress(void *user, const char *text) {
    Watch *w = user;
    int n = 0;
    double time = -1, end = 0;
    if (sscanf(text, "elements: auto, trial with %d elements, time %lf of %lf s", &n, &time,
               &end) != 3)
        fail_msg("%s", text);
    assert_true(time >= 0 && time <= end && end == 0.3);
    w->levels += n != w->before;
    w->before = n;
    if (++w->calls == w->stop_at)
        w->stop = 1;
}

static HolStatus watch_load(Watch *w, HolError *err) {
    char path[] = "/tmp/holonom-auto-XXXXXX";
    const int file = mkstemp(path);
    static const char text[] = SOFT("auto, accuracy: 1.0e-3", "outputs: [rod.end.x, rod.end.y]\n");
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(file);
    HolModel *m = NULL;
    HolSimOptions o;
    HolLoadOptions how = hol_load_options();
    how.progress = watch_progress;
    how.user = w;
    how.stop = &w->stop;
    const HolStatus status = hol_model_load_how(path, NULL, 0, &how, &m, &o, err);
    assert_true((m != NULL) == (status == HOL_OK));
    hol_model_destroy(m);
    unlink(path);
    return status;
}

static void test_watched(void **state) {
    (void)state;
    HolError err = {0};
    Watch free_run = {.calls = 0}, stopped = {.stop_at = 40};
    assert_int_equal(watch_load(&free_run, &err), HOL_OK);
    assert_true(free_run.levels >= 2 && free_run.calls > 100);
    assert_int_equal(watch_load(&stopped, &err), HOL_INTERRUPTED);
    assert_int_equal(stopped.calls, 40); // not one step more
    assert_non_null(strstr(err.text, "interrupted while 'elements: auto' tried"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watched), cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_fractions), cmocka_unit_test(test_never)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
