// SPDX-License-Identifier: Apache-2.0
// Certified digits: are the bounds true against closed forms and much finer runs, is an accuracy
// reached or announced, are undetermined reactions left out, and how rows are compared.
#include "random_mechanisms.h"
#include "run.h"

#include "base/arena.h"
#include "model/model.h"
#include "solve/certify/certify.h"

#include <stdlib.h>

typedef struct Rows {
    double *row, *bound; // of all columns
    long n, capacity;
    int columns, begins, stop_after;
    volatile int stop;
} Rows;

static HolStatus begin(void *user, HolSim *s, const HolSimOptions *o, HolError *err) {
    Rows *r = user;
    (void)s, (void)o, (void)err;
    r->n = 0;
    r->begins++;
    return HOL_OK;
}

static HolStatus keep(void *user, const double *row, const double *bounds, const double *all,
                      HolError *err) {
    Rows *r = user;
    (void)err;
    assert_null(all);
    if (r->n == r->capacity) {
        r->capacity = 2 * r->capacity + 64;
        const size_t size = (size_t)(r->capacity * r->columns) * sizeof(double);
        r->row = realloc(r->row, size);
        r->bound = realloc(r->bound, size);
    }
    memcpy(r->row + r->n * r->columns, row, (size_t)r->columns * sizeof *row);
    memcpy(r->bound + r->n * r->columns, bounds, (size_t)r->columns * sizeof *bounds);
    r->n++;
    if (r->stop_after && r->n >= r->stop_after)
        r->stop = 1;
    return HOL_OK;
}

static HolModel *parse(const char *text, HolSimOptions *o) {
    HolModel *m = NULL;
    HolError err;
    if (hol_model_parse(text, strlen(text), "test", NULL, 0, &m, o, &err))
        fail_msg("%s", err.text);
    return m;
}

static HolStatus certify(const HolModel *m, const HolSimOptions *o, Rows *r, HolCertificate **z) {
    r->columns = hol_model_column_count(m);
    HolCertifyObserver observer = hol_certify_observer();
    observer.begin = begin;
    observer.row = keep;
    observer.user = r;
    observer.stop = &r->stop;
    return hol_certify(m, o, &observer, z, NULL);
}

static void rows_free(Rows *r) {
    free(r->row);
    free(r->bound);
}

static int column(const HolModel *m, const char *name) {
    for (int i = 0; i < hol_model_column_count(m); i++)
        if (strcmp(hol_model_column(m, i).name, name) == 0)
            return i;
    fail_msg("no column %s", name);
    return -1;
}

static const char oscillator[] =
    "holonom: 1\nspace: planar\nbodies:\n- {name: q, type: coordinate, mass: 2, position: 0.3}\n"
    "forces:\n- {type: expression, on: q, value: \"-50*q\"}\noutputs: [q.x, q.vx, q.ax]\n"
    "simulation: {end: 10, output_step: 0.05}\n";

// q = 0.3 cos 5 t: every row inside its bound, for every method and a range of tolerances
static void test_closed_form(void **state) {
    (void)state;
    const char *const methods[] = {"tangent", "taylor", "rk853", "radau", "hht"};
    HolSimOptions o;
    HolModel *m = parse(oscillator, &o);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (double tolerance = 1e-3; tolerance > 1e-6; tolerance /= 10) {
            Rows r = {0};
            HolCertificate *z = NULL;
            snprintf(o.method.name, sizeof o.method.name, "%s", methods[i]);
            o.tolerance = tolerance;
            assert_int_equal(certify(m, &o, &r, &z), HOL_OK);
            assert_int_equal(r.n, 201);
            assert_true(z->options->tolerance < tolerance && z->second->tolerance >= tolerance);
            assert_string_not_equal(z->options->method.name, z->second->method.name);
            const int q = column(m, "q.x"), v = column(m, "q.vx");
            for (long k = 0; k < r.n; k++) {
                const double *row = r.row + k * r.columns, *bound = r.bound + k * r.columns;
                assert_true(bound[0] == row[0]);
                assert_true(fabs(row[q] - 0.3 * cos(5 * row[0])) <= bound[q]);
                assert_true(fabs(row[v] + 1.5 * sin(5 * row[0])) <= bound[v]);
                assert_true(bound[q] < 300 * tolerance * 0.3);
            }
            if (z->until != 10 || !isnan(z->doubling))
                fail_msg("%s at %g: %s", methods[i], tolerance, z->text);
            assert_true(z->until == 10 && isnan(z->doubling) && z->reached < 300 * tolerance);
            hol_certificate_destroy(z);
            rows_free(&r);
        }
    hol_model_destroy(m);
}

// fixed steps: half of what was asked for is reported, errors of all orders are bounded
static void test_fixed_step(void **state) {
    (void)state;
    const char *const methods[] = {"tangent", "newmark", "rk3", "explicit5", "central-differences"};
    HolSimOptions o;
    HolModel *m = parse(oscillator, &o);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        Rows r = {0};
        HolCertificate *z = NULL;
        snprintf(o.method.name, sizeof o.method.name, "%s", methods[i]);
        o.step = 0.001;
        assert_int_equal(certify(m, &o, &r, &z), HOL_OK);
        assert_true(z->options->step == 0.0005 && z->second->step == 0.001);
        const int q = column(m, "q.x");
        for (long k = 0; k < r.n; k++) {
            const double *row = r.row + k * r.columns;
            assert_true(fabs(row[q] - 0.3 * cos(5 * row[0])) <= r.bound[k * r.columns + q]);
        }
        hol_certificate_destroy(z);
        rows_free(&r);
    }
    // an accuracy halves on, also without error control
    Rows r = {0};
    HolCertificate *z = NULL;
    snprintf(o.method.name, sizeof o.method.name, "central-differences");
    o.step = 0.01;
    o.accuracy = 1e-4;
    assert_int_equal(certify(m, &o, &r, &z), HOL_OK);
    assert_true(z->reached <= 1e-4 && z->options->step < 0.002 && r.begins > 1);
    const int q = column(m, "q.x");
    for (long k = 0; k < r.n; k++)
        close_to(r.row[k * r.columns + q], 0.3 * cos(5 * r.row[k * r.columns]), 0.3e-4);
    hol_certificate_destroy(z);
    rows_free(&r);
    hol_model_destroy(m);
}

static const char double_pendulum[] =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "- {name: a, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "- {name: b, mass: 1, inertia: 0.1, position: [1.5, 0.4], angle: 0.7}\njoints:\n"
    "- {name: O, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "- {name: P, type: revolute, bodies: [a, b], at: [1, 0]}\n"
    "simulation: {end: 40, output_step: 0.1}\n";

// chaos: no digit to the end, the time up to which the accuracy holds is true, and it is said
static void test_chaos(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = parse(double_pendulum, &o);
    Rows r = {0};
    HolCertificate *z = NULL;
    o.tolerance = 1e-5;
    assert_int_equal(certify(m, &o, &r, &z), HOL_OK);
    assert_true(isinf(z->reached) && z->until > 0.5 && z->until < 40);
    assert_true(isinf(r.bound[(r.n - 1) * r.columns + column(m, "b.angle")]));
    assert_int_equal(z->columns[column(m, "b.angle")]->digits, 0);
    assert_non_null(strstr(z->text, "no digit is certain after"));
    assert_true(z->warnings[0] != 0);
    hol_certificate_destroy(z);
    rows_free(&r);
    hol_model_destroy(m);
}

// errors that double at a known rate: a body that falls off an unstable equilibrium, x'' = 25 x, by
// exp(5 t): ln 2/5 s. From x = 1e-7 on, held back from growing large by the end of the run
static void test_doubling(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = parse("holonom: 1\nspace: planar\nbodies:\n"
                        "- {name: q, type: coordinate, mass: 1, position: 0}\n"
                        "- {name: c, type: coordinate, mass: 1, position: 1, velocity: 0}\n"
                        "forces:\n- {type: expression, on: q, value: \"25*q + c*0.3 - "
                        "0.3*cos(2*time)\"}\n- {type: expression, on: c, value: \"-4*c\"}\n"
                        "outputs: [q.x]\nsimulation: {end: 4, output_step: 0.02}\n",
                        &o);
    Rows r = {0};
    HolCertificate *z = NULL;
    o.tolerance = 1e-6;
    HolStatus status = certify(m, &o, &r, &z);
    assert_int_equal(status, HOL_OK);
    close_to(z->doubling, log(2) / 5, 0.05);
    assert_non_null(strstr(z->text, "errors double every"));
    hol_certificate_destroy(z);
    rows_free(&r);
    hol_model_destroy(m);
}

// an accuracy is reached where it can be, and refused with the time up to which it holds
static void test_accuracy(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = parse(double_pendulum, &o);
    const int angle = column(m, "b.angle");
    for (int i = 0; i < 2; i++) {
        Rows r = {0};
        HolCertificate *z = NULL;
        HolSim *s = NULL;
        o.end = i ? 200 : 3;
        o.accuracy = 1e-6;
        const HolStatus status = certify(m, &o, &r, &z);
        assert_int_equal(status, i ? HOL_INACCURATE : HOL_OK);
        assert_true(i ? z->until > 3 && z->until < 100 : z->until == 3 && z->reached <= 1e-6);
        HolSimOptions fine = o;
        snprintf(fine.method.name, sizeof fine.method.name, "rk853");
        fine.tolerance = 1e-13;
        assert_int_equal(hol_sim_create(m, &fine, &s, NULL), HOL_OK);
        double *row = calloc((size_t)r.columns, sizeof *row);
        for (long k = 0; k < r.n && r.row[k * r.columns] <= z->until; k++) {
            const double t = r.row[k * r.columns];
            assert_int_equal(hol_sim_advance(s, t, NULL), HOL_OK);
            assert_int_equal(hol_sim_row(s, hol_sim_time(s), row, NULL), HOL_OK);
            close_to(r.row[k * r.columns + angle], row[angle], 1e-6 * z->columns[angle]->size);
        }
        free(row);
        hol_sim_destroy(s);
        hol_certificate_destroy(z);
        rows_free(&r);
    }
    hol_model_destroy(m);
}

// a pin that is there twice: how its force is shared is not determined, the other pin's is
static void test_not_unique(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, "%s", double_pendulum);
    const char *twice = "- {name: O2, type: revolute, bodies: [ground, a], at: [0, 0]}\n";
    char *at = strstr(text, "- {name: P");
    memmove(at + strlen(twice), at, strlen(at) + 1);
    memcpy(at, twice, strlen(twice));
    HolSimOptions o;
    HolModel *m = parse(text, &o);
    Rows r = {0};
    HolCertificate *z = NULL;
    o.end = 1;
    assert_int_equal(certify(m, &o, &r, &z), HOL_OK);
    assert_int_equal(z->columns[column(m, "O.fx")]->claim, HOL_CLAIM_NOT_UNIQUE);
    assert_int_equal(z->columns[column(m, "O2.fy")]->claim, HOL_CLAIM_NOT_UNIQUE);
    assert_int_equal(z->columns[column(m, "P.fx")]->claim, HOL_CLAIM_BOUND);
    assert_int_equal(z->columns[column(m, "a.ax")]->claim, HOL_CLAIM_BOUND);
    assert_int_equal(z->columns[column(m, "step.size")]->claim, HOL_CLAIM_NONE);
    assert_true(z->columns[column(m, "P.fx")]->digits >= 4);
    assert_true(isnan(r.bound[column(m, "O.fx")]));
    assert_true(z->reached < 1e-3);
    hol_certificate_destroy(z);
    rows_free(&r);
    hol_model_destroy(m);
}

// rows of a spatial body: the sign of a quaternion is none of its own, a lost turn is seen
static void test_rows_compared(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = parse("holonom: 1\nspace: spatial\nbodies:\n"
                        "- {name: top, mass: 1, inertia: [1, 1, 2], omega: [0, 0.1, 3]}\n"
                        "- {name: b, mass: 1, inertia: [1, 1, 2]}\njoints:\n"
                        "- {name: O, type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: "
                        "[0, 0, 1]}\noutputs: [top.qw, top.qx, top.qy, top.qz, O.angle]\n",
                        &o);
    HolArena arena = {0};
    HolCompare c;
    HolSim *s = NULL;
    assert_int_equal(hol_sim_create(m, &o, &s, NULL), HOL_OK);
    assert_int_equal(hol_sim_assemble(s, NULL), HOL_OK);
    assert_int_equal(hol_compare_init(&c, &arena, s, 0, 0), 1);
    const double row[] = {0, 0.5, 0.5, -0.5, 0.5, 1}, other[] = {0, -0.5, -0.5, 0.5, -0.5, 1};
    memcpy(c.row, row, sizeof row);
    memcpy(c.other, other, sizeof other);
    assert_int_equal(hol_compare_row(&c, s, 0), 1);
    for (int i = 1; i < 6; i++)
        assert_true(c.columns[i].out.difference == 0);
    c.row[5] = 1 + 4 * acos(-1.0);
    c.other[5] = 1;
    memcpy(c.other + 1, row + 1, 4 * sizeof *row);
    assert_int_equal(hol_compare_row(&c, s, 1), 1);
    assert_int_equal(c.columns[5].out.lost_turn, 1);
    assert_true(isinf(c.bound[5]) && c.bound[1] < 1e-12);
    hol_sim_destroy(s);
    hol_arena_free(&arena);
    hol_model_destroy(m);
}

// stopped from outside: what was certified so far stands
static void test_interrupted(void **state) {
    (void)state;
    HolSimOptions o;
    HolModel *m = parse(double_pendulum, &o);
    Rows r = {.stop_after = 20};
    HolCertificate *z = NULL;
    assert_int_equal(certify(m, &o, &r, &z), HOL_INTERRUPTED);
    assert_non_null(z);
    assert_true(r.n >= 20 && r.n <= 22 && z->until < 3);
    hol_certificate_destroy(z);
    rows_free(&r);
    hol_model_destroy(m);
}

// the claims of a run against a much finer one by another method: 1 when all columns are inside
static int claims_hold(const HolModel *m, const HolSimOptions *o) {
    Rows r = {0};
    HolCertificate *z = NULL;
    HolSim *s = NULL;
    HolSimOptions fine = *o;
    int inside = 1;
    assert_int_equal(certify(m, o, &r, &z), HOL_OK);
    snprintf(fine.method.name, sizeof fine.method.name, "rk853");
    fine.tolerance = 1e-13;
    assert_int_equal(hol_sim_create(m, &fine, &s, NULL), HOL_OK);
    double *row = calloc((size_t)r.columns, sizeof *row);
    for (long k = 0; k < r.n; k++) {
        const double *b = r.row + k * r.columns, *bound = r.bound + k * r.columns;
        assert_int_equal(hol_sim_advance(s, b[0], NULL), HOL_OK);
        assert_int_equal(hol_sim_row(s, hol_sim_time(s), row, NULL), HOL_OK);
        for (int i = 1; i < r.columns; i++) {
            double gap = fabs(b[i] - row[i]);
            const char *dot = strrchr(z->columns[i]->name, '.');
            if (dot && dot[1] == 'q' && dot[2])
                gap = fmin(gap, fabs(b[i] + row[i]));
            if (gap > bound[i] + 1e-12 * z->columns[i]->size)
                inside = 0;
        }
    }
    free(row);
    hol_sim_destroy(s);
    hol_certificate_destroy(z);
    rows_free(&r);
    return inside;
}

static void test_random_mechanisms(void **state) {
    (void)state;
    enum { RUNS = 48 };
    static char text[65536];
    int held = 0;
    for (int i = 0; i < RUNS; i++) {
        unsigned seed = 4242u + 97u * (unsigned)i;
        HolSimOptions o;
        write_mechanism(text, sizeof text, &seed, i);
        HolModel *m = parse(text, &o);
        o.output_step = o.end / 50;
        o.tolerance = i % 2 ? 1e-5 : 1e-7;
        held += claims_hold(m, &o);
        hol_model_destroy(m);
    }
    assert_true(held >= 0.95 * RUNS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_fixed_step),
        cmocka_unit_test(test_chaos),
        cmocka_unit_test(test_doubling),
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_not_unique),
        cmocka_unit_test(test_rows_compared),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_random_mechanisms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
