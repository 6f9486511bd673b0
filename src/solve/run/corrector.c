// SPDX-License-Identifier: Apache-2.0
// Verdicts on iterations, see corrector.h.
#include "solve/run/corrector.h"

#include "solve/sim.h"

#include <math.h>

void hol_contraction_seen(struct HolSim *s, double rate) {
    if (!(rate > 0) || !isfinite(rate))
        return;
    s->log_contraction += log(rate);
    s->n_contractions++;
    s->stats.contraction = exp(s->log_contraction / (double)s->n_contractions);
    s->stats.contraction_most = fmax(s->stats.contraction_most, rate);
}

double hol_corrector_expected(double rate) {
    return rate >= 0 ? fmin(pow(fmax(rate, 1e-3), 0.8), 0.9) : -1;
}

HolVerdict hol_corrector_verdict(HolCorrector *c, double size) {
    HolVerdict verdict = HOL_GO_ON;
    c->count++;
    if (c->count == 1) {
        const double r = c->expected;
        verdict = r >= 0 && r / (1 - r) * size <= c->enough ? HOL_CONVERGED : HOL_GO_ON;
    } else if (c->before > 0) {
        const double r = c->rate = size / c->before;
        if ((r < c->cap && r / (1 - r) * size <= c->enough) || (r >= c->still && size <= c->near))
            verdict = HOL_CONVERGED;
        else if (r >= c->slow)
            verdict = HOL_HOPELESS;
    }
    if (verdict == HOL_GO_ON)
        c->before = size;
    return verdict;
}

HolSequence hol_sequence_begin(double expected_rate, double round_off) {
    return (HolSequence){
        .previous = INFINITY, .rate = expected_rate, .fastest = 1, .round_off = round_off};
}

HolVerdict hol_sequence_verdict(HolSequence *q, double e, double slowest, double enough) {
    if (!isfinite(e) || e > 1e3)
        return HOL_HOPELESS;
    if (q->count > 0)
        q->rate = e / q->previous;
    // round-off: where it contracted well before, it stands still now (how high depends on the
    // condition of the equations, which is poor near singular positions)
    q->stands = q->count > 1 && e > 0.4 * q->previous ? q->stands + 1 : 0;
    const int floor = (q->stands > 0 && (e < 2e-14 || (e < 1e-10 && q->rate > 0.9))) ||
                      (q->stands > 2 && e < 1e-7 && q->fastest < 0.2);
    if (q->count > 0) {
        q->fastest = fmin(q->fastest, q->rate);
        q->slowest = fmax(q->slowest, q->rate);
    }
    q->count++;
    if (e <= fmax(4e-16, q->round_off) || fmin(q->rate, 0.5) * e <= enough)
        return HOL_CONVERGED;
    if (floor) {
        q->round_off = fmin(1e-12, 2 * fmax(e, fmin(q->previous, 2 * e)));
        return HOL_CONVERGED;
    }
    const int may_be_floor = e < 1e-12 || (e < 1e-7 && q->fastest < 0.2 && q->stands <= 3);
    if (q->count > 2 && e > slowest * q->previous && !may_be_floor)
        return HOL_HOPELESS;
    q->previous = e;
    return HOL_GO_ON;
}
