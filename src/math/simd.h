// SPDX-License-Identifier: Apache-2.0
// Four numbers side by side, for loops that do the same to four bodies or four joints. Plain
// element-wise arithmetic, so the results do not depend on the width of the processor's registers.
#ifndef HOL_MATH_LANES_H
#define HOL_MATH_LANES_H

#include <string.h> // knows the C library
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { HOL_LANES = 4 };

typedef double HolLanes __attribute__((vector_size(32)));

// Every function that takes or returns four lanes is HOL_INLINE: how such values would be passed
// does not matter. (scripts/check_layers.sh looks for others; the build is with -Wno-psabi.)
#define HOL_INLINE static inline __attribute__((always_inline))

// A function compiled twice, for processors with 256-bit registers and for all others. (clang does
// not inline a function of lanes into a clone for other registers.)
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && !defined(__clang__) &&      \
    !defined(__AVX2__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HOL_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define HOL_WIDE
#endif

// before a loop: its passes are independent of each other, though the compiler cannot see it
#ifdef __clang__
#define HOL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HOL_INDEPENDENT _Pragma("GCC ivdep")
#endif

// the first n of x, at most four; zero behind them
HOL_INLINE HolLanes lanes_some(const double *x, int n) {
    HolLanes a = {0};
    memcpy(&a, x, sizeof(double) * (size_t)(n < HOL_LANES ? n : HOL_LANES));
    return a;
}

// x[at[0]], x[at[1]], ...; a negative place gives zero
HOL_INLINE HolLanes lanes_pick(const double *x, const int *at) {
    return (HolLanes){at[0] < 0 ? 0 : x[at[0]], at[1] < 0 ? 0 : x[at[1]], at[2] < 0 ? 0 : x[at[2]],
                      at[3] < 0 ? 0 : x[at[3]]};
}

// x[at[l]] = v_l where at[l] is not negative
HOL_INLINE void lanes_place(double *x, const int *at, HolLanes v) {
    for (int l = 0; l < HOL_LANES; l++)
        if (at[l] >= 0)
            x[at[l]] = v[l];
}

HOL_INLINE void lanes_add(double *x, const int *at, HolLanes v) {
    for (int l = 0; l < HOL_LANES; l++)
        if (at[l] >= 0)
            x[at[l]] += v[l];
}

// *to = v past the caches, for results of long loops that are not read soon: what they would push
// out stays. Then lanes_streamed, before another thread reads them.
HOL_INLINE void lanes_stream(HolLanes *to, HolLanes v) {
#ifdef __SSE2__
    _mm_stream_pd((double *)to, (__m128d){v[0], v[1]});
    _mm_stream_pd((double *)to + 2, (__m128d){v[2], v[3]});
#else
    *to = v;
#endif
}

HOL_INLINE void lanes_streamed(void) {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

HOL_INLINE HolLanes lanes_abs(HolLanes x) {
    typedef long Bits __attribute__((vector_size(32)));
    return (HolLanes)((Bits)x & 0x7fffffffffffffff);
}

// the larger of each, of numbers that are not negative; NaN, which as a whole number is larger than
// any of them, stays
HOL_INLINE HolLanes lanes_larger(HolLanes a, HolLanes b) {
    typedef long Bits __attribute__((vector_size(32)));
    const Bits keep = (Bits)a >= (Bits)b;
    return (HolLanes)(((Bits)a & keep) | ((Bits)b & ~keep));
}

// largest |x_i| of three
HOL_INLINE HolLanes hol_lanes_largest3(const HolLanes *x) {
    return lanes_larger(lanes_larger(lanes_abs(x[0]), lanes_abs(x[1])), lanes_abs(x[2]));
}

#endif
