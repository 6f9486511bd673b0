// SPDX-License-Identifier: Apache-2.0
// Time of one factorization and one solve of [M G^T; G 0] for planar chains and rows of four-bars,
// and for spatial chains, with every backend.
#include "math/saddle/kkt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct System {
    HolPattern S, G;
    double *Sv, *Gv;
} System;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double noise(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0 - 0.5;
}

// planar bodies with diagonal mass; joints[2k], joints[2k+1] are bodies, -1 is the ground
static System planar(HolArena *a, int bodies, int joints, const int *joint) {
    System s = {.S = {3 * bodies, 3 * bodies, 3 * bodies, 0, 0}};
    int *Sp = HOL_NEW(a, int, 3 * bodies + 1), *Si = HOL_NEW(a, int, 3 * bodies);
    int *Gp = HOL_NEW(a, int, 2 * joints + 1), *Gi = HOL_NEW(a, int, 8 * joints);
    s.Sv = HOL_NEW(a, double, 3 * bodies);
    s.Gv = HOL_NEW(a, double, 8 * joints);
    unsigned seed = 7;
    for (int j = 0; j < 3 * bodies; j++) {
        Sp[j + 1] = j + 1;
        Si[j] = j;
        s.Sv[j] = 1.0 + noise(&seed);
    }
    int nnz = 0;
    for (int row = 0; row < 2 * joints; row++) {
        int first = joint[row / 2 * 2], second = joint[row / 2 * 2 + 1];
        for (int side = 0; side < 2; side++) {
            int body = side ? second : first;
            if (body < 0)
                continue;
            Gi[nnz] = 3 * body + row % 2;
            s.Gv[nnz++] = side ? -1 : 1;
            // joints sit at the ends of unit bars: rockers stand, couplers lie; a second body
            // is held at its tail, but a rocker by its head when the first is a coupler
            double angle = body % 2 ? 0.1 : 1.2,
                   arm = side && !(first % 2 == 1 && !(body % 2)) ? -0.5 : 0.5;
            Gi[nnz] = 3 * body + 2;
            s.Gv[nnz++] = (side ? -arm : arm) * (row % 2 ? cos(angle) : -sin(angle));
        }
        Gp[row + 1] = nnz;
    }
    s.S.ptr = Sp;
    s.S.idx = Si;
    s.G = (HolPattern){2 * joints, 3 * bodies, nnz, Gp, Gi};
    return s;
}

static System chain(HolArena *a, int n) {
    int *joint = HOL_NEW(a, int, 2 * n);
    for (int i = 0; i < n; i++) {
        joint[2 * i] = i - 1;
        joint[2 * i + 1] = i;
    }
    return planar(a, n, n, joint);
}

// N four-bars side by side: N + 1 rockers (even bodies), N couplers (odd bodies)
static System four_bars(HolArena *a, int N) {
    int *joint = HOL_NEW(a, int, 2 * (3 * N + 1)), k = 0;
    for (int i = 0; i <= N; i++) {
        joint[k++] = -1;
        joint[k++] = 2 * i;
        if (i == N)
            break;
        joint[k++] = 2 * i;
        joint[k++] = 2 * i + 1;
        joint[k++] = 2 * i + 1;
        joint[k++] = 2 * i + 2;
    }
    return planar(a, 2 * N + 1, 3 * N + 1, joint);
}

// one hub body, n arms of one body each on it
static System star(HolArena *a, int n) {
    int *joint = HOL_NEW(a, int, 2 * n);
    for (int i = 0; i < n; i++) {
        joint[2 * i] = 0;
        joint[2 * i + 1] = i + 1;
    }
    return planar(a, n + 1, n, joint);
}

// spatial bodies (diagonal translation, full 3x3 inertia) joined by revolutes: 5 rows each
static System spatial_chain(HolArena *a, int n) {
    System s = {.S = {6 * n, 6 * n, 12 * n, 0, 0}};
    int *Sp = HOL_NEW(a, int, 6 * n + 1), *Si = HOL_NEW(a, int, 12 * n);
    int *Gp = HOL_NEW(a, int, 5 * n + 1), *Gi = HOL_NEW(a, int, 40 * n);
    s.Sv = HOL_NEW(a, double, 12 * n);
    s.Gv = HOL_NEW(a, double, 40 * n);
    unsigned seed = 3;
    int nnz = 0;
    for (int j = 0; j < 6 * n; j++) {
        if (j % 6 < 3) {
            Si[nnz] = j;
            s.Sv[nnz++] = 1 + noise(&seed);
        } else {
            for (int i = 0; i < 3; i++) {
                Si[nnz] = j / 6 * 6 + 3 + i;
                s.Sv[nnz++] = 3 + i == j % 6 ? 1.0 : 0.1;
            }
        }
        Sp[j + 1] = nnz;
    }
    nnz = 0;
    for (int row = 0; row < 5 * n; row++) {
        for (int body = row / 5 - 1; body <= row / 5; body++) {
            if (body < 0)
                continue;
            if (row % 5 < 3) {
                Gi[nnz] = 6 * body + row % 5;
                s.Gv[nnz++] = body == row / 5 ? 1 : -1;
            }
            for (int i = 3; i < 6; i++) {
                Gi[nnz] = 6 * body + i;
                s.Gv[nnz++] = noise(&seed);
            }
        }
        Gp[row + 1] = nnz;
    }
    s.S.ptr = Sp;
    s.S.idx = Si;
    s.G = (HolPattern){5 * n, 6 * n, nnz, Gp, Gi};
    return s;
}

static void measure(const char *name, System s, const char *kind, int symmetric) {
    HolArena a = {0};
    double start = now();
    HolKkt *k = hol_kkt_create(&a, &s.S, &s.G, 0, symmetric, kind);
    double created = now() - start;
    if (!k) {
        printf("%-18s %-6s refused\n", name, kind);
        return;
    }
    double *Sv = hol_kkt_S(k), *Gv = hol_kkt_G(k);
    for (int i = 0; i < s.S.nnz; i++)
        Sv[i] = s.Sv[i];
    for (int i = 0; i < s.G.nnz; i++)
        Gv[i] = s.Gv[i];
    int N = s.S.cols + s.G.rows, failed = hol_kkt_factor(k);
    double *x = HOL_NEW(&a, double, N);
    // best of several batches: other programs share the machine
    double best_factor = 1e9, best_solve = 1e9;
    int batch = 300000 / (N * (kind[0] == 'd' ? N : 1)) + 1;
    for (int repeat = 0; repeat < 15; repeat++) {
        start = now();
        for (int i = 0; i < batch; i++)
            failed |= hol_kkt_factor(k);
        best_factor = fmin(best_factor, (now() - start) / batch);
        for (int i = 0; i < N; i++)
            x[i] = 1.0;
        start = now();
        for (int i = 0; i < batch; i++) {
            x[0] = 1.0 / (1.0 + x[0] * x[0]);
            hol_kkt_solve(k, x);
        }
        best_solve = fmin(best_solve, (now() - start) / batch);
    }
    HolKktStats stats = hol_kkt_stats(k);
    printf("%-18s %-6s N %6d  create %8.2f ms  factor %11.1f ns  solve %10.1f ns%s%s\n", name,
           stats.solver, N, 1e3 * created, 1e9 * best_factor, 1e9 * best_solve,
           failed ? "  FAILED" : "", stats.regularized ? "  regularized" : "");
    hol_kkt_destroy(k);
    hol_arena_free(&a);
}

int main(int argc, char **argv) {
    HolArena a = {0};
    struct {
        const char *name;
        System s;
    } cases[] = {{"chain 1", chain(&a, 1)},
                 {"chain 2", chain(&a, 2)},
                 {"chain 5", chain(&a, 5)},
                 {"chain 100", chain(&a, 100)},
                 {"chain 10000", chain(&a, 10000)},
                 {"four-bars 2", four_bars(&a, 2)},
                 {"four-bars 1000", four_bars(&a, 1000)},
                 {"spatial chain 6", spatial_chain(&a, 6)},
                 {"spatial chain 1000", spatial_chain(&a, 1000)},
                 {"star 20", star(&a, 20)},
                 {"star 300", star(&a, 300)}};
    static const char *const kinds[] = {"ldl", "lu", "sparse", "dense"};
    const char *only = argc > 1 ? argv[1] : NULL;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int kind = 0; kind < 4; kind++) {
            int N = cases[c].s.S.cols + cases[c].s.G.rows;
            if ((kind == 3 && N > 600) || (only && only[0] != kinds[kind][0]))
                continue;
            measure(cases[c].name, cases[c].s, kinds[kind], kind == 0);
        }
    hol_arena_free(&a);
    return 0;
}
