// SPDX-License-Identifier: Apache-2.0
// The reference: runs of independent methods at tight tolerances, until two of them agree. With
// E_k the largest difference of a pair up to the time t_k and L the tightest limit, L' the loosest,
//   E_k <= L/3 at all times                 everything is compared;
//   E_k <= L/3 for at least 0.3 of them     the time is cut there (chaos, a run that takes too long);
//   else E <= l/3 at all times for some l   only limits from 3 E on are judged;
//   else E_k <= L/3 for at least 0.1        the time is cut there;
//   else                                    the time is cut where E_k <= L'/3.
// Where no two runs come far in time, larger tolerances are tried, then a shorter time.
// Of all pairs the one that judges most limits over the longest time is taken; its first method, in
// the order of the list, is the reference itself.
#include "solve/sim.h"
#include "tools/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *method;
    double tolerance;
} candidates[] = {{"taylor", 1e-13}, {"rk853", 1e-13}, {"radau", 1e-12}, {"tangent", 1e-11}};
enum { CANDIDATES = sizeof candidates / sizeof *candidates, ATTEMPTS = 4, RETRIES = 3 };
enum { LEAST = 4 }; // times that a comparison needs

static const double AGREE = 3;          // a limit is judged when they differ by this part of it
static const double LEAST_TIMES = 0.3;  // of the times: a shorter comparison judges fewer limits
static const double LEAST_CUT = 0.1;    // the same where no limit is judged over all times
static const double SHARE = 0.4;        // of the whole time, for the reference
static const double FIRST_SHARE = 0.06; // of the whole time, for each run at first
static const double LOOSER = 100;       // tolerance of a run that failed
static const double LOOSER_ALL = 1e4;   // of all of them, when tight ones take too long

typedef struct Candidate {
    HolCompareJob job;
    HolSamples samples;
    HolStatus status;
    int made;
} Candidate;

typedef struct Pair {
    int a, b, times, limits; // times that are compared, limits that are judged
    double agreement;
} Pair;

static void reference_run(HolComparing *c, Candidate *x, int i, double looser, double seconds) {
    x->job = (HolCompareJob){.model = c->model,
                             .options = c->base,
                             .times = HOL_COMPARE_TIMES,
                             .cpu = INFINITY,
                             .stop = c->how.stop,
                             .keep = &x->samples};
    hol_series_method(&x->job.options.method, candidates[i].method, NULL, 0);
    x->job.options.step = 0;
    x->job.options.tolerance = looser * candidates[i].tolerance;
    const double began = hol_compare_now();
    // a tolerance near round-off may be too small
    for (int retry = 0; retry < RETRIES; retry++) {
        x->job.seconds = seconds - (hol_compare_now() - began);
        hol_compare_say(c, "reference by %s at tolerance %g", candidates[i].method,
                        x->job.options.tolerance);
        x->samples.n = 0;
        x->status = hol_compare_run(&x->job, &c->arena);
        x->made = 1;
        if (!x->status || x->status == HOL_INTERRUPTED || x->status == HOL_ERR_INPUT ||
            x->status == HOL_ERR_UNSUPPORTED || x->status == HOL_ERR_ASSEMBLY ||
            hol_compare_stopped(c) || hol_compare_now() - began > 0.7 * seconds)
            return;
        if (retry + 1 < RETRIES)
            x->job.options.tolerance *= LOOSER;
    }
}

// differences of two runs up to each time, not decreasing; their number
static int reference_differences(HolComparing *c, const Candidate *a, const Candidate *b,
                                 double E[HOL_COMPARE_TIMES]) {
    const int n = a->samples.n < b->samples.n ? a->samples.n : b->samples.n;
    HolErrorSizes z;
    double error[3] = {0};
    if (n == 0 || !hol_error_sizes(&z, &c->arena, c->model, &a->samples, n,
                                   a->samples.t[n - 1] - c->base.start))
        return 0;
    for (int k = 0; k < n; k++) {
        hol_error_see(&z, &a->samples, k, b->samples.q + (size_t)k * (size_t)z.nq,
                      b->samples.v + (size_t)k * (size_t)z.nv, NULL, error);
        E[k] = fmax(error[0], error[1]);
    }
    return n;
}

static int reference_times(const double *E, int n, double most) {
    int k = 0;
    while (k < n && E[k] <= most)
        k++;
    return k;
}

static int reference_limits(const HolComparing *c, double agreement) {
    int n = 0;
    while (n < c->out.n_limits && c->limits[n].limit >= AGREE * agreement)
        n++;
    return n;
}

// limits are sorted, the loosest first
static Pair reference_judge(HolComparing *c, const Candidate *list, int a, int b) {
    double E[HOL_COMPARE_TIMES];
    Pair p = {.a = a, .b = b};
    const int n = reference_differences(c, &list[a], &list[b], E);
    if (n == 0)
        return p;
    p.times = reference_times(E, n, c->limits[c->out.n_limits - 1].limit / AGREE);
    const double loosest = c->limits[0].limit / AGREE;
    if (E[n - 1] <= loosest && p.times < LEAST_TIMES * n)
        p.times = n;
    else if (p.times < LEAST_CUT * n)
        p.times = reference_times(E, n, loosest);
    p.agreement = p.times ? E[p.times - 1] : E[0];
    p.limits = p.times ? reference_limits(c, p.agreement) : 0;
    return p;
}

static double reference_score(const Pair *p) {
    return p->limits + (double)p->times / HOL_COMPARE_TIMES;
}

static int reference_complete(const HolComparing *c, const Pair *p) {
    return p->limits == c->out.n_limits && p->times == HOL_COMPARE_TIMES;
}

// the best pair of those there are
static Pair reference_best(HolComparing *c, const Candidate *list) {
    Pair best = {0};
    for (int a = 0; a < CANDIDATES; a++)
        for (int b = a + 1; b < CANDIDATES; b++)
            if (list[a].made && list[b].made) {
                const Pair p = reference_judge(c, list, a, b);
                if (reference_score(&p) > reference_score(&best) || (!best.b && p.b))
                    best = p;
            }
    return best;
}

// the one that came furthest without coming to the end, and nearly as far as the others
static int reference_slow(const Candidate *list) {
    int slow = -1;
    for (int i = 0; i < CANDIDATES; i++)
        if (list[i].made && list[i].status == HOL_INTERRUPTED &&
            (slow < 0 || list[i].job.reached > list[slow].job.reached))
            slow = i;
    return slow;
}

static Pair reference_attempt(HolComparing *c, Candidate *list, double looser) {
    const double total = c->how.seconds, until = c->began + SHARE * total;
    Pair best = {0};
    memset(list, 0, CANDIDATES * sizeof *list);
    for (int i = 0; i < CANDIDATES; i++) {
        if (hol_compare_stopped(c))
            return best;
        reference_run(c, &list[i], i, looser, FIRST_SHARE * total);
        best = reference_best(c, list);
        if (reference_complete(c, &best))
            return best;
    }
    const int slow = reference_slow(list);
    const double left = until - hol_compare_now();
    if (best.times >= LEAST && best.times < HOL_COMPARE_TIMES && slow >= 0 &&
        left > 2 * FIRST_SHARE * total) {
        reference_run(c, &list[slow], slow, looser, left);
        best = reference_best(c, list);
    }
    return best;
}

// a time that two of them can reach
static double reference_shorter(const HolComparing *c, const Candidate *list) {
    double first = 0, second = 0;
    for (int i = 0; i < CANDIDATES; i++) {
        const double reached = list[i].job.reached - c->base.start;
        if (!list[i].made || !(reached > 0))
            continue;
        if (reached > first) {
            second = first;
            first = reached;
        } else if (reached > second) {
            second = reached;
        }
    }
    return 0.5 * second;
}

static HolStatus reference_none(HolComparing *c, const Candidate *list, HolError *err) {
    const char *reason = "";
    for (int i = CANDIDATES; i-- > 0;)
        if (list[i].made && list[i].job.problem.text[0])
            reason = list[i].job.problem.text;
    for (int i = 0; i < CANDIDATES; i++) // what is wrong with the model is wrong for all
        if (list[i].status == HOL_ERR_ASSEMBLY || list[i].status == HOL_ERR_INPUT)
            return hol_error_set(err, list[i].status, "%s", list[i].job.problem.text);
    return hol_error_set(err, HOL_ERR_CONVERGE,
                         "no two methods agree on this motion, so there is nothing to compare "
                         "with: %s%.600s",
                         c->base.end < c->out.asked_end ? "not even over a shorter time; " : "",
                         reason);
}

static void reference_tell(HolComparing *c, const Pair *p, int reached) {
    const double end = c->out.end, asked = c->out.asked_end;
    if (end < asked && p->times < reached)
        hol_compare_remark(c,
                           "The motion is compared up to %.6g s only: later the references are "
                           "apart by more than a third of the limits (chaotic, or not smooth).",
                           end);
    else if (end < asked)
        hol_compare_remark(c,
                           "The motion is compared up to %.6g s only: all of it would take too "
                           "long.",
                           end);
    if (p->limits < c->out.n_limits)
        hol_compare_remark(c,
                           "The references agree to %.2g of the sizes: limits below %.2g are not "
                           "judged.",
                           p->agreement, AGREE * p->agreement);
}

HolStatus hol_compare_reference(HolComparing *c, HolError *err) {
    Candidate *list = HOL_NEW(&c->arena, Candidate, CANDIDATES);
    if (!list)
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    Pair best = {0};
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        best = reference_attempt(c, list, attempt == 0 ? 1 : LOOSER_ALL);
        if (hol_compare_stopped(c))
            return HOL_INTERRUPTED;
        const double span = c->base.end - c->base.start, shorter = reference_shorter(c, list);
        if (best.times >= LEAST || !(shorter > 0) || !(shorter < 0.9 * span))
            break;
        if (attempt > 0)
            c->base.end = c->base.start + shorter;
    }
    if (best.times == 0)
        return reference_none(c, list, err);
    const Candidate *a = &list[best.a], *b = &list[best.b];
    const int reached = a->samples.n < b->samples.n ? a->samples.n : b->samples.n;
    c->reference = a->samples;
    c->times = best.times;
    if (best.times < HOL_COMPARE_TIMES)
        c->base.end = a->samples.t[best.times - 1];
    c->out.end = c->base.end;
    c->out.agreement = best.agreement;
    for (int i = 0; i < c->out.n_limits; i++)
        c->limits[i].judged = i < best.limits;
    HolSimOptions *kept = HOL_NEW(&c->arena, HolSimOptions, 2);
    if (!kept || !hol_error_sizes(&c->sizes, &c->arena, c->model, &c->reference, c->times,
                                  c->base.end - c->base.start))
        return hol_error_set(err, HOL_ERR_MEMORY, "out of memory");
    kept[0] = a->job.options;
    kept[1] = b->job.options;
    c->out.reference[0] = &kept[0];
    c->out.reference[1] = &kept[1];
    c->sizes.unique = !a->job.redundant && !b->job.redundant;
    reference_tell(c, &best, reached);
    return HOL_OK;
}
