// SPDX-License-Identifier: Apache-2.0
// The benchmark problems: models, time, limits, exact values, published times.
//
// Four-bar row of N windows, exact reduction: ((N+1)/3 + N) a'' = ((N+1)/2 + N) g sin(a), a(0) = 0,
// a'(0) = 1, first upper pin (sin a, cos a). The limits of rows and chains are A02's per body:
// 0.02, 2e-4 and 2e-9 J, the last one up to 1000 bodies (beyond, it is the round-off of the
// energy). End values of the chains: programs with different formulations agree to all digits.
#include "tools/bench/bench.h"

#include <math.h>
#include <string.h>

extern const char *const hol_bench_files[][2]; // cmake/embed.cmake

#define FOUR_BAR(N)                                                                                \
    {                                                                                              \
        .name = "four-bar-" #N, .title = "four-bar row, " #N " windows, 1 s",                      \
        .generator = "four-bar", .n = N, .end = 1, .watch = {"v0.B.x", "v0.B.y"},                  \
        .error = HOL_BENCH_FOUR_BAR,                                                               \
        .limit = {{0.02 * (2 * N + 1), 0.05, 0},                                                   \
                  {2e-4 * (2 * N + 1), 0.05, 0},                                                   \
                  {N < 500 ? 2e-9 * (2 * N + 1) : 0, 0.05, 0}},                                    \
        .peer = "A02",                                                                             \
    }
#define PER_LINK(N)                                                                                \
    {                                                                                              \
        {0.02 * N, 0.05, 0}, {2e-4 * N, 0.05, 0}, {                                                \
            N < 1000 ? 2e-9 * N : 0, 0.05, 0                                                       \
        }                                                                                          \
    }
#define CHAIN(N, ERROR, X, Y)                                                                      \
    {                                                                                              \
        .name = "chain-" #N, .title = "planar chain, " #N " links, 1 s", .generator = "chain",     \
        .n = N, .end = 1, .watch = {"link5.right.x", "link5.right.y"}, .error = ERROR,             \
        .last = {X, Y}, .limit = PER_LINK(N), .peer = "CHAIN", .peer_last = {X, Y},                \
    }
#define CHAIN3D(N, ERROR, X, Y, Z)                                                                 \
    {                                                                                              \
        .name = "chain3d-" #N, .title = "spatial chain, " #N " links, 1 s",                        \
        .generator = "chain3d", .n = N, .end = 1,                                                  \
        .watch = {"link5.right.x", "link5.right.y", "link5.right.z"}, .error = ERROR,              \
        .last = {X, Y, Z}, .limit = PER_LINK(N), .peer = "CHAIN3D", .peer_last = {X, Y, Z},        \
    }

const HolBenchProblem hol_bench_problems[] = {
    {
        .name = "A01",
        .title = "simple pendulum, 10 s",
        .file = "pendulum.yaml",
        .end = 10,
        .watch = {"mass.x", "mass.y"},
        .error = HOL_BENCH_END,
        .last = {-0.275087462576, -0.961419205099},
        .limit = {{5e-5, 0.02, 0.2}, {5e-7, 0.02, 0}},
        .peer = "A01",
        .peer_last = {0.275087462576, -0.961419205099, 0},
        .published = "637 OpenSim 3.2, 37 Exudyn, 59800 simEngine3D, 39 Chrono 10",
    },
    {
        .name = "A02",
        .title = "four-bar row, 2 windows, 10 s",
        .file = "four-bar.yaml",
        .n = 2,
        .end = 10,
        .watch = {"v0.B.x", "v0.B.y"},
        .error = HOL_BENCH_FOUR_BAR,
        .limit = {{0.1, 0.2, 0.4}, {1e-3, 0.02, 0.8}, {1e-8, 1e-5, 1.5}},
        .peer = "A02",
        .published =
            "400 C code of the tangent-space paper, 455 OpenSim 3.2, 78 Exudyn (4 s), 34 Chrono 10",
    },
    {
        .name = "A03",
        .title = "Andrews' squeezing mechanism, 0.05 s",
        .file = "andrews-a03.yaml",
        .end = 0.05,
        .watch = {"K1.F.x", "K1.F.y"},
        .error = HOL_BENCH_SAMPLES,
        .samples = "a03_point_f.csv",
        .column = {"Fx", "Fy"},
        .limit = {{1e-3, 1.4e-4, 0.9}, {1e-5, 7e-6, 0}, {1e-5, 1e-6, 0}},
        .peer = "A03",
        // the peers start at beta = -0.06171 rad and report the crank angle: 0.007 m a radian
        .peer_last = {0, 0, 33.82586777},
        .peer_scale = {0, 0, 0.007},
        .published = "384 OpenSim 3.2",
    },
    {
        .name = "A04",
        .title = "Bricard mechanism, 10 s",
        .file = "bricard.yaml",
        .end = 10,
        .watch = {"rod2.P3.x", "rod2.P3.y", "rod2.P3.z"},
        .error = HOL_BENCH_END,
        .last = {0.999264610, -0.999999730, -0.000735120},
        .limit = {{1e-3, 0.02, 1}, {1e-5, 0.02, 1.3}, {1e-9, 0.02, 0}},
        .peer = "A04",
        .peer_option = "thin",
        .peer_last = {0.999264610, -0.999999730, -0.000735120},
        .published = "357 C code of the tangent-space paper, 258 OpenSim 3.2, 32 Chrono 10",
    },
    {
        .name = "A05",
        .title = "stiff flyball governor, 10 s",
        .file = "flyball.yaml",
        .end = 10,
        .watch = {"slider.z"},
        .error = HOL_BENCH_SAMPLES,
        .samples = "a05_flyball_exact.csv",
        .column = {"s"},
        .limit = {{INFINITY, 1e-4, 4}, {INFINITY, 1e-6, 0}},
        .peer = "A05",
        .peer_last = {55.93540991, 0.6196229171, 0},
        .peer_scale = {0, 1, 0},
        .published = "233 OpenSim 3.2",
        .stiff = 1,
    },
    FOUR_BAR(10),
    FOUR_BAR(100),
    FOUR_BAR(1000),
    FOUR_BAR(10000),
    CHAIN(10, HOL_BENCH_END, 2.772592693, -4.138105399),
    CHAIN(100, HOL_BENCH_END, 4.44584942, -2.283223398),
    CHAIN(1000, HOL_BENCH_END, 4.863945353, -1.15793103),
    CHAIN(10000, HOL_BENCH_NO_ERROR, 0, 0),
    CHAIN3D(10, HOL_BENCH_END, 2.840660345, 0.0088138172, -4.082954904),
    CHAIN3D(100, HOL_BENCH_END, 4.451322914, 0.0007704478, -2.271759794),
    CHAIN3D(1000, HOL_BENCH_END, 4.864523654, 0.0000683034, -1.155432811),
    CHAIN3D(10000, HOL_BENCH_NO_ERROR, 0, 0, 0),
    {
        .name = "stiff-row",
        .title = "1650 stiff double pendula, 16500 equations, 1 s",
        .generator = "stiff-row",
        .n = 1650,
        .end = 1,
        .error = HOL_BENCH_REFERENCE,
        .limit = {{INFINITY, 1e-3, 0}, {INFINITY, 1e-5, 0}},
        .peer = "STIFF",
        .stiff = 1,
    },
    {0},
};

const char *hol_bench_embedded(const char *name) {
    for (int i = 0; hol_bench_files[i][0]; i++)
        if (strcmp(hol_bench_files[i][0], name) == 0)
            return hol_bench_files[i][1];
    return NULL;
}

// the generated text, piece by piece; it grows in the arena
typedef struct Text {
    HolArena *arena;
    char *text;
    size_t length, room;
} Text;

static void text_add(void *to, const char *piece, size_t length) {
    Text *t = to;
    if (t->length + length + 1 > t->room) {
        size_t room = 2 * (t->length + length) + 65536;
        char *text = hol_arena_alloc(t->arena, room);
        if (!text)
            return; // the arena remembers
        if (t->length > 0)
            memcpy(text, t->text, t->length);
        t->text = text;
        t->room = room;
    }
    memcpy(t->text + t->length, piece, length);
    t->length += length;
    t->text[t->length] = 0;
}

const char *hol_bench_model_text(HolArena *arena, const char *file, const char *generator, int n) {
    if (file)
        return hol_bench_embedded(file);
    Text t = {.arena = arena};
    HolGenerate o = hol_generate_options();
    o.mechanism = generator;
    o.n = n;
    HolStatus status = hol_generate(&o, text_add, &t, NULL);
    return status || arena->failed ? NULL : t.text;
}

int hol_bench_limit_count(const HolBenchProblem *p) {
    int n = 0;
    while (n < HOL_BENCH_LIMITS && p->limit[n].drift > 0)
        n++;
    return n;
}

int hol_bench_meets(const HolBenchRun *r, const HolBenchLimit *limit) {
    return r->ok && r->drift <= limit->drift && (r->error <= limit->error || isinf(limit->error));
}

void hol_bench_end_values(const HolBenchProblem *p, double *last) {
    memcpy(last, p->last, sizeof p->last);
    if (p->error != HOL_BENCH_FOUR_BAR)
        return;
    // classical Runge-Kutta with steps so small that only round-off is left
    double n = p->n, k = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n), a = 0, w = 1;
    long steps = 20000;
    double h = p->end / (double)steps;
    for (long i = 0; i < steps; i++) {
        double a1 = w, w1 = k * sin(a);
        double a2 = w + h / 2 * w1, w2 = k * sin(a + h / 2 * a1);
        double a3 = w + h / 2 * w2, w3 = k * sin(a + h / 2 * a2);
        double a4 = w + h * w3, w4 = k * sin(a + h * a3);
        a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    last[0] = sin(a);
    last[1] = cos(a);
}
