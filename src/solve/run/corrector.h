// SPDX-License-Identifier: Apache-2.0
// When an iteration for the unknowns of a step is at its end: one verdict for all methods.
//
// From the sizes e_1, e_2, .. of its corrections, with the contraction r = e_k / e_(k-1) (before two
// are seen: the one expected), what is left after correction k is about r/(1-r) e_k. An iteration has
// converged when that is small enough, or when it stands still at the level of round-off; it is
// hopeless when it contracts too slowly to get there.
#ifndef HOL_SOLVE_CORRECTOR_H
#define HOL_SOLVE_CORRECTOR_H

typedef enum HolVerdict { HOL_HOPELESS = -1, HOL_GO_ON = 0, HOL_CONVERGED = 1 } HolVerdict;

// ---- a matrix that is kept while it contracts: index3, dae-alpha, radau ----
typedef struct HolCorrector {
    double enough;   // error that may be left
    double cap;      // largest contraction that says anything about what is left
    double expected; // contraction of the first correction, < 0: not known
    double still;    // a contraction from here on means standing still
    double near;     // corrections up to here may stand still: they are round-off
    double slow;     // a contraction from here on is hopeless; INFINITY: never
    // what was seen
    int count;
    double before, rate; // size of the last correction; contraction, < 0: not seen
} HolCorrector;

// with a correction of this size
HolVerdict hol_corrector_verdict(HolCorrector *c, double size);
// The contraction to expect of a matrix that showed `rate` before (< 0: nothing): a little more.
double hol_corrector_expected(double rate);

// into the statistics of the run: two corrections, neither of them round-off
struct HolSim;
void hol_contraction_seen(struct HolSim *s, double rate);

// ---- fixed-point sweeps and Newton's iteration down to round-off: tangent ----
// The level of round-off is learned: it depends on the condition of the equations.
typedef struct HolSequence {
    double previous, rate;   // rate: contraction; expected one until two changes were seen
    double fastest, slowest; // contractions seen
    int count, stands;       // changes seen; how many of the last hardly shrank
    double round_off;        // changes up to here were round-off in earlier steps
} HolSequence;

HolSequence hol_sequence_begin(double expected_rate, double round_off);
// `slowest`: contraction below which it is worth to go on, `enough`: error that may be left
HolVerdict hol_sequence_verdict(HolSequence *q, double e, double slowest, double enough);

#endif
