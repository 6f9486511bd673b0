// SPDX-License-Identifier: Apache-2.0
// One compiled model shared by threads: each creates, runs and destroys a simulation of its own,
// all at the same time, and gets the bits of a run alone. Every method, on small models of every
// sort; and large ones, whose runs have two threads each.
#include <holonom/holonom.h>

#include "solve/sim.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4 };

typedef struct Job {
    const HolModel *m;
    HolSimOptions o;
    pthread_barrier_t *together; // NULL: alone
    HolStatus status;
    uint64_t bits; // of all states and of the last row of results
    long steps;
    HolError err;
} Job;

static uint64_t mix(uint64_t bits, const double *x, int n) {
    const unsigned char *byte = (const unsigned char *)x;
    for (size_t i = 0; i < sizeof *x * (size_t)n; i++)
        bits = (bits ^ byte[i]) * 1099511628211u;
    return bits;
}

static void *work(void *context) {
    Job *j = context;
    HolSim *s = NULL;
    j->bits = 14695981039346656037u;
    if (j->together)
        pthread_barrier_wait(j->together);
    j->status = hol_sim_create(j->m, &j->o, &s, &j->err);
    while (j->status == HOL_OK && hol_sim_time(s) < j->o.end) {
        j->status = hol_sim_step(s, j->o.end, &j->err);
        const HolView x = hol_sim_view(s);
        j->bits = mix(j->bits, &x.t, 1);
        j->bits = mix(j->bits, x.q, x.nq);
        j->bits = mix(j->bits, x.v, x.nv);
        j->bits = mix(j->bits, x.lambda, x.m);
    }
    double row[256];
    if (j->status == HOL_OK && hol_model_column_count(j->m) <= 256) {
        j->status = hol_sim_row(s, j->o.end, row, &j->err);
        j->bits = mix(j->bits, row, hol_model_column_count(j->m));
    }
    if (s)
        j->steps = hol_sim_stats(s).steps;
    hol_sim_destroy(s);
    return NULL;
}

// alone, then `n` at once; returns the steps of one
static long compare(const HolModel *m, const HolSimOptions *o, int n, const char *what) {
    Job alone = {.m = m, .o = *o}, jobs[THREADS];
    pthread_t thread[THREADS];
    pthread_barrier_t together;
    work(&alone);
    assert_int_equal(pthread_barrier_init(&together, NULL, (unsigned)n), 0);
    for (int i = 0; i < n; i++) {
        jobs[i] = (Job){.m = m, .o = *o, .together = &together};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&together);
    for (int i = 0; i < n; i++)
        if (jobs[i].status != alone.status || jobs[i].bits != alone.bits ||
            strcmp(jobs[i].err.text, alone.err.text) != 0)
            fail_msg("%s, %s: thread %d differs from a run alone (%s; %s)", what, o->method.name, i,
                     alone.err.text, jobs[i].err.text);
    return alone.status == HOL_OK ? alone.steps : 0;
}

static void every_method(void **state) {
    (void)state;
    static const char *const models[] = {"andrews", "bricard", "rolling-disc", "chain",
                                         "slider-crank-spatial"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        char path[512];
        HolSimOptions o;
        HolModel *m = NULL;
        HolError err = {0};
        snprintf(path, sizeof path, HOL_SOURCE_DIR "/models/%s.yaml", models[k]);
        if (hol_model_load(path, NULL, 0, &m, &o, &err) != HOL_OK)
            fail_msg("%s", err.text);
        long steps = 0;
        for (const HolStepper *const *p = hol_steppers; *p; p++) {
            HolSimOptions mine = hol_sim_options();
            snprintf(mine.method.name, sizeof mine.method.name, "%s", (*p)->name);
            mine.tolerance = 1e-5;
            mine.step = hol_method_adaptive((*p)->name) ? 0 : o.end / 1000;
            mine.end = o.start + 0.01 * (o.end - o.start);
            steps += compare(m, &mine, THREADS, models[k]);
        }
        assert_true(steps > 20);
        hol_model_destroy(m);
    }
}

// Rods in a zigzag from ground to ground, which no tree is.
static HolModel *zigzag(int rods) {
    const double c = cos(0.5), s = sin(0.5);
    char *text = malloc((size_t)(rods + 2) * 400), *at = text;
    HolSimOptions o;
    HolError err = {0};
    HolModel *m = NULL;
    assert_non_null(text);
    at += sprintf(at, "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < rods; i++)
        at += sprintf(at,
                      "- {name: r%d, mass: 1, inertia: 0.08, position: [%.17g, %.17g], "
                      "angle: %g}\n",
                      i, (i + 0.5) * c, 0.5 * s, i % 2 ? -0.5 : 0.5);
    at += sprintf(at, "joints:\n");
    for (int i = 0; i <= rods; i++) {
        char a[16] = "ground", b[16] = "ground";
        if (i > 0)
            snprintf(a, sizeof a, "r%d", i - 1);
        if (i < rods)
            snprintf(b, sizeof b, "r%d", i);
        at += sprintf(at, "- {name: j%d, type: revolute, bodies: [%s, %s], at: [%.17g, %.17g]}\n",
                      i, a, b, i * c, i % 2 ? s : 0);
    }
    if (hol_model_parse(text, strlen(text), "zigzag", NULL, 0, &m, &o, &err) != HOL_OK)
        fail_msg("%s", err.text);
    free(text);
    return m;
}

// two runs at once, of two threads each
static void threads_of_their_own(void **state) {
    (void)state;
    static const char *const methods[] = {"tangent", "taylor"};
    HolModel *m = zigzag(1200);
    for (int k = 0; k < 2; k++) {
        HolSimOptions o = hol_sim_options();
        snprintf(o.method.name, sizeof o.method.name, "%s", methods[k]);
        o.step = 0.001;
        o.end = 0.003;
        o.threads = 2;
        assert_int_equal(compare(m, &o, 2, "zigzag"), 3);
    }
    hol_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method),
                                       cmocka_unit_test(threads_of_their_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
