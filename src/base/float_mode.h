// SPDX-License-Identifier: Apache-2.0
// Denormal numbers (below 2.2e-308) count as zero while a run steps: far links of a long chain move
// by such amounts, and arithmetic with them takes fifty times as long. The mode belongs to the
// thread and is restored. Where the processor has no such mode nothing changes.
#ifndef HOL_BASE_FLOAT_MODE_H
#define HOL_BASE_FLOAT_MODE_H

#if defined(__x86_64__)
static inline unsigned hol_float_mode(void) {
    return __builtin_ia32_stmxcsr();
}

static inline void hol_float_mode_set(unsigned mode) {
    __builtin_ia32_ldmxcsr(mode);
}

enum { HOL_NO_DENORMALS = 0x8040 }; // results and operands
#else
static inline unsigned hol_float_mode(void) {
    return 0;
}

static inline void hol_float_mode_set(unsigned mode) {
    (void)mode;
}

enum { HOL_NO_DENORMALS = 0 };
#endif

// returns the mode to put back
static inline unsigned hol_no_denormals(void) {
    unsigned before = hol_float_mode();
    hol_float_mode_set(before | HOL_NO_DENORMALS);
    return before;
}

#endif
