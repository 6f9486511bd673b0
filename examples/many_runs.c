// SPDX-License-Identifier: Apache-2.0
// Ten thousand short runs of one compiled model over threads: a double pendulum from random starts. Each thread
// has one run and starts it anew from other states; the model is shared, because it is only read.
// Build: cc many_runs.c $(pkg-config --cflags --libs holonom) -lm -lpthread. Exits with 1 when a run fails or
// loses energy.
#include <holonom/holonom.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 10000, THREADS = 2 };

static const char text[] = "holonom: 1\n"
                           "name: Double pendulum\n"
                           "space: planar\n"
                           "gravity: [0, -9.81]\n"
                           "bodies:\n"
                           "  - {name: a, mass: 1, inertia: 1/12, position: [0.5, 0], points: {l: "
                           "[-0.5, 0], r: [0.5, 0]}}\n"
                           "  - {name: b, mass: 1, inertia: 1/12, position: [1.5, 0], points: {l: "
                           "[-0.5, 0], r: [0.5, 0]}}\n"
                           "joints:\n"
                           "  - {name: A, type: revolute, between: [ground, a.l]}\n"
                           "  - {name: B, type: revolute, between: [a.r, b.l]}\n"
                           "simulation: {end: 0.1, tolerance: 1e-7}\n";

typedef struct Share {
    const HolModel *model;
    HolSimOptions options;
    int first, end, failed;
    double lost, far; // largest error of the energy; sum of all ends of the second bar
} Share;

// a number between -1 and 1 that depends on i alone
static double spread(unsigned i) {
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i ^= i >> 4;
    i *= 0x27d4eb2du;
    i ^= i >> 15;
    return (double)i / 2147483648.0 - 1;
}

static void *work(void *share) {
    Share *s = share;
    HolSim *sim = NULL;
    HolError err;
    HolHandle energy, tip;
    if (hol_sim_create(s->model, &s->options, &sim, &err) ||
        hol_model_handle(s->model, "energy.total", &energy, &err) ||
        hol_model_handle(s->model, "b.r.y", &tip, &err)) {
        s->failed = s->end - s->first;
        return NULL;
    }
    for (int i = s->first; i < s->end; i++) {
        const double p = 3 * spread((unsigned)(2 * i)), q = 3 * spread((unsigned)(2 * i + 1));
        const double at[6] = {0.5 * cos(p),          0.5 * sin(p),          p,
                              cos(p) + 0.5 * cos(q), sin(p) + 0.5 * sin(q), q},
                     rest[6] = {0};
        if (hol_sim_set_state(sim, 0, at, rest, &err)) {
            s->failed++;
            continue;
        }
        const double before = hol_sim_read(sim, &energy);
        if (hol_sim_advance(sim, 0.1, &err))
            s->failed++;
        s->lost = fmax(s->lost, fabs(hol_sim_read(sim, &energy) - before));
        s->far += hol_sim_read(sim, &tip);
    }
    hol_sim_destroy(sim);
    return NULL;
}

int main(void) {
    HolModel *model = NULL;
    HolSimOptions options;
    HolError err;
    pthread_t thread[THREADS];
    Share share[THREADS];
    if (hol_model_parse(text, strlen(text), "pendulum", NULL, 0, &model, &options, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        share[i] = (Share){.model = model,
                           .options = options,
                           .first = RUNS * i / THREADS,
                           .end = RUNS * (i + 1) / THREADS};
        pthread_create(&thread[i], NULL, work, &share[i]);
    }
    double lost = 0, far = 0;
    int failed = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        lost = fmax(lost, share[i].lost);
        far += share[i].far;
        failed += share[i].failed;
    }
    printf("%d runs, %d failed, largest loss of energy %.2g J, mean height of the tip %.6f m\n",
           RUNS, failed, lost, far / RUNS);
    hol_model_destroy(model);
    return failed || lost > 1e-4;
}
