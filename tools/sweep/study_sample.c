// SPDX-License-Identifier: Apache-2.0
// The points of a study. A random key has one number u in (0,1) a sample:
//   random  u = r
//   latin   u = (p + r)/n: n strata, each hit once; p is a permutation of 0 .. n-1 for each key
// r and p come from splitmix64 of the seed, the key's place and the sample, so that no point depends
// on the order of the runs. The value is a + (b - a) u, or mean + deviation Phi^-1(u).
#include "tools/sweep/study.h"

#include <math.h>
#include <stdint.h>

static uint64_t sample_mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t sample_random(const HolStudy *s, int key, long i, int which) {
    return sample_mix(sample_mix(sample_mix(s->seed) + (uint64_t)key * 4 + (uint64_t)which) +
                      (uint64_t)i);
}

// in (0,1), never an end
static double sample_unit(uint64_t r) {
    return ((double)(r >> 11) + 0.5) / 9007199254740992.0;
}

// Phi(x) = u: a rational guess (Abramowitz, Stegun 26.2.23), then Halley's steps
static double sample_normal(double u) {
    const double tail = u < 0.5 ? u : 1 - u, t = sqrt(-2 * log(tail));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 4; i++) { // of 1 - Phi(x) = tail
        const double error = tail - 0.5 * erfc(x * 0.70710678118654752);
        const double step = -error * 2.5066282746310005 * exp(0.5 * x * x);
        x += step / (1 - 0.5 * x * step);
    }
    return u < 0.5 ? -x : x;
}

int hol_study_sample(HolStudy *s) {
    const long n = s->samples;
    s->unit = HOL_NEW(&s->arena, double, (size_t)n *(size_t)(s->n_vary + 1));
    HolArena scratch = {0};
    long *order = HOL_NEW(&scratch, long, n);
    const int ok = s->unit && order;
    for (int k = 0; ok && k < s->n_vary; k++) {
        if (s->vary[k].kind == HOL_VARY_LIST)
            continue;
        for (long i = 0; i < n; i++)
            order[i] = i;
        for (long i = n - 1; i > 0; i--) {
            const long j = (long)(sample_random(s, k, i, 0) % (uint64_t)(i + 1));
            const long swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        for (long i = 0; i < n; i++) {
            const double r = sample_unit(sample_random(s, k, i, 1));
            s->unit[i * s->n_vary + k] = s->random ? r : ((double)order[i] + r) / (double)n;
        }
    }
    hol_arena_free(&scratch);
    return ok;
}

double hol_study_value(const HolStudy *s, long run, int key) {
    const HolVary *v = &s->vary[key];
    if (v->kind != HOL_VARY_LIST) {
        const double u = s->unit[run % s->samples * s->n_vary + key];
        return v->kind == HOL_VARY_UNIFORM ? v->a + (v->b - v->a) * u
                                           : v->a + v->b * sample_normal(u);
    }
    long place = run / s->samples;
    for (int k = s->n_vary - 1; k > key; k--)
        place /= s->vary[k].kind == HOL_VARY_LIST ? s->vary[k].n : 1;
    return v->values[place % v->n];
}
