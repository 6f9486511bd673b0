// SPDX-License-Identifier: Apache-2.0
// Beams: cost a step and element in models of 100 to 10,000 elements, time to start; a pendulum that bends, by elements and by the chains
// of rigid links of peers (bench/peers/*_rod, where they were built), at an error of 1e-4.
//   bench/beams [MOST]     MOST: largest number of elements (10000)
#include "holonom/holonom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double tip[2] = {-0.829136,
                              0.171470}; // of rods that do not stretch, see bench/peers/rod.h

static double beams_cpu(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static HolSim *beams_open(const char *text, HolModel **m) {
    HolError err = {0};
    HolSimOptions o;
    HolSim *s = NULL;
    if (hol_model_parse(text, strlen(text), "beams", NULL, 0, m, &o, &err) != HOL_OK ||
        hol_sim_create(*m, &o, &s, &err) != HOL_OK || hol_sim_assemble(s, &err) != HOL_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return s;
}

static void beams_advance(HolSim *s, double end) {
    HolError err = {0};
    if (hol_sim_advance(s, end, &err) != HOL_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

// a pendulum by tangent, one thread
static void beams_cost(int n, int damped) {
    char text[800];
    HolModel *m = NULL;
    snprintf(text, sizeof text,
             "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"
             "bodies: [{name: rod, type: beam, from: [0, 0], to: [1, 0], elements: %d, stiffness: "
             "{EA: 1e4, GA: 4e3, EI: 0.2}, mass_per_length: 1, rotary: 2.0e-5%s}]\n"
             "joints: [{type: revolute, between: [ground.O, rod.start]}]\n"
             "simulation: {end: 1, method: tangent, tolerance: 1.0e-4, threads: 1}\n",
             n, damped ? ", damping: {time: 1.0e-3}" : "");
    double start = beams_cpu();
    HolSim *s = beams_open(text, &m);
    const double open = beams_cpu() - start;
    start = beams_cpu();
    beams_advance(s, (damped ? 0.2 : 0.004) / (n > 3000 ? 10 : 1));
    const double run = beams_cpu() - start;
    const HolStats stats = hol_sim_stats(s);
    const double steps = (double)(stats.steps + stats.rejected);
    printf("| %d | %s | %.3f | %ld + %ld | %.3f | %.2f |\n", n, damped ? "yes" : "no", open,
           stats.steps, stats.rejected, run, 1e6 * run / steps / n);
    hol_sim_destroy(s);
    hol_model_destroy(m);
}

// the pendulum of bench/peers/rod.h with n elements and steps of size h
static void beams_pendulum(int n, double h) {
    char text[800], name[80];
    double best = INFINITY, at[2] = {0};
    snprintf(text, sizeof text,
             "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"
             "bodies: [{name: rod, type: beam, from: [0, 0], to: [1, 0], elements: %d, stiffness: "
             "{EA: 1e6, EI: 0.2}, mass_per_length: 1, rotary: 2.0e-5}]\n"
             "joints: [{type: revolute, between: [ground.O, rod.start]}]\n"
             "simulation: {end: 1, method: tangent, step: %g}\n",
             n, h);
    for (int run = 0; run < 3; run++) {
        HolModel *m = NULL;
        HolSim *s = beams_open(text, &m);
        const double start = beams_cpu();
        beams_advance(s, 1);
        best = fmin(best, beams_cpu() - start);
        double value;
        for (int i = 0; hol_sim_final(s, i, name, sizeof name, &value); i++) {
            at[0] = strcmp(name, "rod.end.x") ? at[0] : value;
            at[1] = strcmp(name, "rod.end.y") ? at[1] : value;
        }
        hol_sim_destroy(s);
        hol_model_destroy(m);
    }
    printf("Holonom,tangent,%d,%g,%.6g,%.10g,%.10g,%.3g\n", n, h, best, at[0], at[1],
           fmax(fabs(at[0] - tip[0]), fabs(at[1] - tip[1])));
}

// each peer at the settings that came closest to an error of 1e-4 with the least time
static void beams_peers(const char *program) {
    static const char *const runs[] = {"mujoco_rod -N 72 -m rk4 -h 1.6e-4",
                                       "mujoco_rod -N 48 -m rk4 -h 2.5e-4",
                                       "simbody_rod -N 72 -m rkm -tol 1e-3"};
    const char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < sizeof runs / sizeof *runs; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%.*s/peers/%.*s", (int)(slash - program), program,
                 (int)strcspn(runs[i], " "), runs[i]);
        FILE *there = fopen(path, "rb");
        if (!there)
            continue;
        fclose(there);
        snprintf(path, sizeof path, "'%.*s/peers/%.*s'%s", (int)(slash - program), program,
                 (int)strcspn(runs[i], " "), runs[i], strchr(runs[i], ' '));
        fflush(stdout);
        if (system(path) != 0)
            fprintf(stderr, "%s failed\n", path);
    }
}

int main(int argc, char **argv) {
    const int most = argc > 1 ? atoi(argv[1]) : 10000;
    printf("| elements | damped | start [s] | steps + rejected | run [CPU s] | us a step and "
           "element |\n"
           "|---|---|---|---|---|---|\n");
    for (int n = 100; n <= most; n *= 10)
        for (int damped = 0; damped < 2; damped++)
            beams_cost(n, damped);
    printf("\nengine,method,elements or links,step or tolerance,cpu_s,x,y,error\n");
    beams_pendulum(8, 2e-3);
    beams_pendulum(12, 2e-3);
    beams_peers(argv[0]);
    return 0;
}
